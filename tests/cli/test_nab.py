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
def nab_and_results(tmp_path):
    """A folder in NAB's layout and a folder of results."""
    return write_nab(tmp_path / "nab"), write_results(tmp_path / "results")


def invoke(capsys, *arguments):
    code = run(["nab", *(str(argument) for argument in arguments)])
    out, error = capsys.readouterr()
    return code, out, error


def expected(profile, threshold=None):
    return rw.nab_corpus({name: (real, SCORES) for name, real in WINDOWS.items()}, profile=profile, threshold=threshold)


def test_every_profile_has_its_best_threshold(nab_and_results, capsys):
    code, out, error = invoke(capsys, *nab_and_results)
    assert (code, error) == (0, "")
    head, _, names, *rows = out.splitlines()
    assert head.strip() == "my_det on NAB's 3 files"
    assert names.split() == ["profile", "threshold", "score", "raw", "tp", "fp", "fn", "tn"]
    assert [row.split()[0] for row in rows] == PROFILES
    for row in rows:
        profile, *_, score, raw, tp, fp, fn, tn = row.split()
        result = expected(profile)
        assert [score, raw] == [f"{result.normalized:.2f}", f"{result.raw:.4f}"]
        assert [tp, fp, fn, tn] == [str(count) for count in (result.tp, result.fp, result.fn, result.tn)]


def test_json(nab_and_results, capsys):
    code, out, _ = invoke(capsys, *nab_and_results, "--json", "--threshold", 0.12, "--profile", "standard")
    report = json.loads(out)
    assert code == 0
    assert report["detector"] == "my_det"
    assert list(report["profiles"]) == ["standard"]
    result, python_result = report["profiles"]["standard"], expected("standard", 0.12)
    assert (result["threshold"], result["raw"], result["normalized"]) == approx((0.12, python_result.raw, python_result.normalized))
    assert [file["name"] for file in result["files"]] == list(WINDOWS)
    assert [file["raw"] for file in result["files"]] == approx([file.raw for file in python_result.files])
    assert [file["windows"] for file in result["files"]] == [1, 2, 0]
    assert [result["tp"], result["fn"]] == [python_result.tp, python_result.fn]


def test_infinite_threshold_is_null_in_json(nab_and_results, capsys):
    _, out, _ = invoke(capsys, *nab_and_results, "--json", "--threshold", "inf")
    for result in json.loads(out)["profiles"].values():
        assert (result["threshold"], result["normalized"], result["tp"]) == (None, 0.0, 0)
    assert "above all" in invoke(capsys, *nab_and_results, "--threshold", "inf")[1]


def test_files_option_lists_every_file(nab_and_results, capsys):
    _, out, _ = invoke(capsys, *nab_and_results, "--files", "--threshold", 0.12)
    rows = [line.split()[:3] for line in out.splitlines()]
    for profile in PROFILES:
        for file in expected(profile, 0.12).files:
            assert [file.name, str(len(WINDOWS[file.name])), f"{file.raw:.4f}"] in rows


def test_published_thresholds(nab_and_results, capsys):
    thresholds = {"my_det": {profile: {"score": 0, "threshold": 0.1} for profile in PROFILES[:2]}, "other": {}}
    write(nab_and_results[0] / "config/thresholds.json", json.dumps(thresholds))
    code, out, _ = invoke(capsys, *nab_and_results, "--published", "--json", "--profile", PROFILES[0], "--profile", PROFILES[1])
    assert code == 0
    assert {name: result["threshold"] for name, result in json.loads(out)["profiles"].items()} == dict.fromkeys(PROFILES[:2], 0.1)
    code, _, error = invoke(capsys, *nab_and_results, "--published")
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
def test_bad_input_exits_with_2_and_one_line(nab_and_results, tmp_path, capsys, arguments, message):
    for name, scores in (("short", "0.1\n0.2\n"), ("holes", "0.1\nnan\n" + "0.5\n" * 38)):
        write(write_results(tmp_path / name) / "real/my_det_b.csv", f"anomaly_score\n{scores}")
    folders = {"nab": nab_and_results[0], "results": nab_and_results[1], "short": tmp_path / "short", "holes": tmp_path / "holes"}
    code, out, error = invoke(capsys, *(argument.format(**folders) for argument in arguments))
    assert (code, out) == (2, "")
    assert error.startswith("rangewise: ")
    assert error.count("\n") == 1
    assert message in error


def test_matches_the_published_scores(nab_data, golden_folder, capsys):
    folder = nab_data / "nab"
    code, out, _ = invoke(capsys, folder, golden_folder / "nab/results/numenta", "--published", "--json")
    published = json.loads((folder / "results/final_results.json").read_text())["numenta"]
    assert code == 0
    assert {name: result["normalized"] for name, result in json.loads(out)["profiles"].items()} == approx(published, rel=0, abs=1e-9)


@pytest.mark.parametrize(
    ("content", "ignored"),
    [
        ("start,end\n12,20\n", {key: [(12, 20)] for key in WINDOWS}),
        ("series,start,end\nreal/a_b.csv,12,20\n", {"real/a_b.csv": [(12, 20)]}),
    ],
)
def test_ignored_intervals_of_all_files_or_of_one(nab_and_results, tmp_path, capsys, content, ignored):
    (tmp_path / "ignored.csv").write_text(content)
    code, out, error = invoke(capsys, *nab_and_results, "--json", "--ignore", tmp_path / "ignored.csv", "--profile", "standard")
    assert (code, error) == (0, "")
    python_result = rw.nab_corpus({name: (real, SCORES) for name, real in WINDOWS.items()}, ignore=ignored)
    result = json.loads(out)
    assert result["profiles"]["standard"]["raw"] == approx(python_result.raw)
    assert result["ignored"]["intervals"] == len(ignored)
    assert result["ignored"]["real"]["shortened"] == 1
    assert "of the real ranges 1 shortened" in invoke(capsys, *nab_and_results, "--ignore", tmp_path / "ignored.csv")[1]


def test_ignored_intervals_as_times_and_as_nab_windows(nab_and_results, tmp_path, capsys):
    first, last = (read_nab(nab_and_results[0], "real/a_b.csv").timestamps[row] for row in (12, 19))
    (tmp_path / "times.csv").write_text(f"start,end\n{first},{last}\n")
    pair = [str(time).replace("T", " ") for time in (first, last)]
    (tmp_path / "windows.json").write_text(json.dumps({"real/a_b.csv": [pair]}))
    python_result = rw.nab_corpus({name: (real, SCORES) for name, real in WINDOWS.items()}, ignore={"real/a_b.csv": [(12, 20)]})
    out = invoke(capsys, *nab_and_results, "--json", "--ignore", tmp_path / "windows.json", "--profile", "standard")[1]
    assert json.loads(out)["profiles"]["standard"]["raw"] == approx(python_result.raw)
    result = json.loads(invoke(capsys, *nab_and_results, "--json", "--ignore", tmp_path / "times.csv", "--profile", "standard")[1])
    assert result["ignored"]["real"]["shortened"] >= 1
    (tmp_path / "windows.json").write_text(json.dumps({"real/a_c.csv": [pair]}))
    code, _, error = invoke(capsys, *nab_and_results, "--ignore", tmp_path / "windows.json")
    assert code == 2
    assert "windows.json names 'real/a_c.csv', which is not one of the 3 series; did you mean 'real/a_b.csv'?" in error


def test_labels_to_ignore_are_one_per_row_of_every_file(nab_and_results, tmp_path, capsys):
    rows = {name: len(read_nab(nab_and_results[0], name)) for name in WINDOWS}
    (tmp_path / "labels.txt").write_text("0\n" * (min(rows.values()) + 1))
    code, out, error = invoke(capsys, *nab_and_results, "--ignore", tmp_path / "labels.txt")
    assert (code, out) == (2, "")
    first = next(name for name, count in sorted(rows.items()) if count != min(rows.values()) + 1)
    assert f"labels.txt has {min(rows.values()) + 1} labels, but series {first} has {rows[first]} points; give one label per point" in error
