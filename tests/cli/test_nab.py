import json

import pytest
from pytest import approx

import rangewise as rw
from rangewise.cli import run
from rangewise.datasets.nab import read_nab
from small_nab import write, write_nab, write_results

PROFILES = ["standard", "reward_low_FP_rate", "reward_low_FN_rate"]
WINDOWS = {"odd/jumpy.csv": [(16, 19)], "real/a_b.csv": [(10, 15), (30, 31)], "real/b.csv": []}
SCORES = [row / 100 for row in range(40)]


@pytest.fixture
def small(tmp_path):
    """A folder of NAB and one of results."""
    return write_nab(tmp_path / "nab"), write_results(tmp_path / "results")


def ask(capsys, *arguments):
    code = run(["nab", *(str(argument) for argument in arguments)])
    out, error = capsys.readouterr()
    return code, out, error


def expected(profile, threshold=None):
    return rw.nab_corpus({name: (real, SCORES) for name, real in WINDOWS.items()}, profile=profile, threshold=threshold)


def test_three_profiles_each_at_its_best_threshold(small, capsys):
    code, out, error = ask(capsys, *small)
    assert (code, error) == (0, "")
    head, _, names, *rows = out.splitlines()
    assert head.strip() == "my_det on NAB's 3 files"
    assert names.split() == ["profile", "threshold", "score", "raw", "tp", "fp", "fn", "tn"]
    assert [row.split()[0] for row in rows] == PROFILES
    for row in rows:
        profile, *_, score, raw, tp, fp, fn, tn = row.split()
        found = expected(profile)
        assert [score, raw] == [f"{found.normalized:.2f}", f"{found.raw:.4f}"]
        assert [tp, fp, fn, tn] == [str(count) for count in (found.tp, found.fp, found.fn, found.tn)]


def test_json(small, capsys):
    code, out, _ = ask(capsys, *small, "--json", "--threshold", 0.12, "--profile", "standard")
    report = json.loads(out)
    assert code == 0
    assert report["detector"] == "my_det"
    assert list(report["profiles"]) == ["standard"]
    found, wanted = report["profiles"]["standard"], expected("standard", 0.12)
    assert (found["threshold"], found["raw"], found["normalized"]) == approx((0.12, wanted.raw, wanted.normalized))
    assert [file["name"] for file in found["files"]] == list(WINDOWS)
    assert [file["raw"] for file in found["files"]] == approx([file.raw for file in wanted.files])
    assert [file["windows"] for file in found["files"]] == [1, 2, 0]
    assert [found["tp"], found["fn"]] == [wanted.tp, wanted.fn]


def test_detecting_nothing_is_null_in_json(small, capsys):
    _, out, _ = ask(capsys, *small, "--json", "--threshold", "inf")
    for found in json.loads(out)["profiles"].values():
        assert (found["threshold"], found["normalized"], found["tp"]) == (None, 0.0, 0)
    assert "above all" in ask(capsys, *small, "--threshold", "inf")[1]


def test_every_file(small, capsys):
    _, out, _ = ask(capsys, *small, "--files", "--threshold", 0.12)
    rows = [line.split()[:3] for line in out.splitlines()]
    for profile in PROFILES:
        for file in expected(profile, 0.12).files:
            assert [file.name, str(len(WINDOWS[file.name])), f"{file.raw:.4f}"] in rows


def test_published_thresholds(small, capsys):
    thresholds = {"my_det": {profile: {"score": 0, "threshold": 0.1} for profile in PROFILES[:2]}, "other": {}}
    write(small[0] / "config/thresholds.json", json.dumps(thresholds))
    code, out, _ = ask(capsys, *small, "--published", "--json", "--profile", PROFILES[0], "--profile", PROFILES[1])
    assert code == 0
    assert {name: found["threshold"] for name, found in json.loads(out)["profiles"].items()} == dict.fromkeys(PROFILES[:2], 0.1)
    code, _, error = ask(capsys, *small, "--published")
    assert code == 2
    assert "no published threshold of my_det for reward_low_FN_rate" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("{nab}", "{nab}/nowhere"), "does not exist"),
        (("{nab}/data", "{results}"), "not a folder of NAB"),
        (("{nab}/nowhere", "{results}"), "does not exist"),
        (("{nab}", "{results}", "--profile", "low_FP"), "profile is one of standard"),
        (("{nab}", "{results}", "--threshold", "high"), "--threshold"),
        (("{nab}", "{results}", "--threshold", "nan"), "--threshold takes a number"),
        (("{nab}", "{results}", "--threshold", "1", "--published"), "choose one"),
        (("{nab}", "{results}", "--published"), "thresholds.json does not exist"),
        (("{nab}", "{results}", "--detector", "other"), "no results for odd/jumpy.csv and 2 more"),
        (("{nab}", "{nab}"), "<category>/<detector>_<file>.csv"),
        (("{nab}", "{short}"), "2 scores for real/b.csv, but the file has 40 rows"),
        (("{nab}", "{holes}"), "real/b.csv: score 1 is nan"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(small, tmp_path, capsys, arguments, message):
    for name, scores in (("short", "0.1\n0.2\n"), ("holes", "0.1\nnan\n" + "0.5\n" * 38)):
        write(write_results(tmp_path / name) / "real/my_det_b.csv", f"anomaly_score\n{scores}")
    places = {"nab": small[0], "results": small[1], "short": tmp_path / "short", "holes": tmp_path / "holes"}
    code, out, error = ask(capsys, *(argument.format(**places) for argument in arguments))
    assert (code, out) == (2, "")
    assert error.startswith("rangewise: ")
    assert error.count("\n") == 1
    assert message in error


def test_as_published(nab_data, golden_folder, capsys):
    folder = nab_data / "nab"
    code, out, _ = ask(capsys, folder, golden_folder / "nab/results/numenta", "--published", "--json")
    published = json.loads((folder / "results/final_results.json").read_text())["numenta"]
    assert code == 0
    assert {name: found["normalized"] for name, found in json.loads(out)["profiles"].items()} == approx(published, rel=0, abs=1e-9)


@pytest.mark.parametrize(
    ("content", "ignored"),
    [
        ("start,end\n12,20\n", {key: [(12, 20)] for key in WINDOWS}),
        ("series,start,end\nreal/a_b.csv,12,20\n", {"real/a_b.csv": [(12, 20)]}),
    ],
)
def test_ignored_intervals_of_all_files_or_of_one(small, tmp_path, capsys, content, ignored):
    (tmp_path / "zones.csv").write_text(content)
    code, out, error = ask(capsys, *small, "--json", "--ignore", tmp_path / "zones.csv", "--profile", "standard")
    assert (code, error) == (0, "")
    wanted = rw.nab_corpus({name: (real, SCORES) for name, real in WINDOWS.items()}, ignore=ignored)
    found = json.loads(out)
    assert found["profiles"]["standard"]["raw"] == approx(wanted.raw)
    assert found["ignored"]["intervals"] == len(ignored)
    assert found["ignored"]["real"]["shortened"] == 1
    assert "of the real ranges 1 shortened" in ask(capsys, *small, "--ignore", tmp_path / "zones.csv")[1]


def test_ignored_intervals_as_times_and_in_nabs_form(small, tmp_path, capsys):
    first, last = (read_nab(small[0], "real/a_b.csv").timestamps[row] for row in (12, 19))
    (tmp_path / "times.csv").write_text(f"start,end\n{first},{last}\n")
    pair = [str(time).replace("T", " ") for time in (first, last)]
    (tmp_path / "windows.json").write_text(json.dumps({"real/a_b.csv": [pair]}))
    wanted = rw.nab_corpus({name: (real, SCORES) for name, real in WINDOWS.items()}, ignore={"real/a_b.csv": [(12, 20)]})
    out = ask(capsys, *small, "--json", "--ignore", tmp_path / "windows.json", "--profile", "standard")[1]
    assert json.loads(out)["profiles"]["standard"]["raw"] == approx(wanted.raw)
    found = json.loads(ask(capsys, *small, "--json", "--ignore", tmp_path / "times.csv", "--profile", "standard")[1])
    assert found["ignored"]["real"]["shortened"] >= 1
    (tmp_path / "windows.json").write_text(json.dumps({"real/a_c.csv": [pair]}))
    code, _, error = ask(capsys, *small, "--ignore", tmp_path / "windows.json")
    assert code == 2
    assert "windows.json names 'real/a_c.csv', which is not one of the 3 series; did you mean 'real/a_b.csv'?" in error
