import io
import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest

import rangewise as rw
from rangewise import range_recall
from rangewise.cli import run
from rangewise.metrics import METRICS, affiliation_fbeta, point_adjust_fbeta

REAL = [0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]
WHOLE = [0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1]
DOT = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]
NOTHING = [0] * 12


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, labels in {"real": REAL, "whole": WHOLE, "dot": DOT, "nothing": NOTHING}.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(map(str, labels)))
    (tmp_path / "scores.txt").write_text("\n".join(str(i / 10) for i in range(12)))
    (tmp_path / "short.txt").write_text("0\n1\n")
    (tmp_path / "table.csv").write_text("label,score\n" + "\n".join(f"{label},{i / 10}" for i, label in enumerate(REAL)))
    (tmp_path / "holes.csv").write_text('score\n0.5\n""\n')
    (tmp_path / "ranges.csv").write_text("series,start,end\na,2,8\n")
    return tmp_path


def invoke(capsys, *arguments):
    code = run([str(argument) for argument in arguments])
    out, error = capsys.readouterr()
    return code, out, error


def test_table_has_values_ranks_and_disagreements(files, capsys):
    code, out, error = invoke(
        capsys, "compare", "real.txt", "whole.txt", "dot.txt", "nothing.txt", "--metric", "point_fbeta", "--metric", "point_adjust_fbeta"
    )
    assert (code, error) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert ["whole", "0.7692", "#1", "0.8571", "#2*"] in lines
    assert ["dot", "0.2857", "#2", "1.0000", "#1*"] in lines
    assert ["nothing", "0.0000", "#3", "0.0000", "#3"] in lines
    assert "  whole above dot: point_fbeta\n  dot above whole: point_adjust_fbeta\n" in out


def test_default_metrics_are_the_headlines(files, capsys):
    code, out, _ = invoke(capsys, "compare", "real.txt", "whole.txt", "dot.txt", "--json")
    assert code == 0
    result = json.loads(out)
    headlines = [name for name, metric in METRICS.items() if metric.headline]
    assert result["yardstick"] == "range_fbeta"
    assert [list(detector["metrics"]) for detector in result["detectors"]] == [headlines, headlines]
    assert "nab_normalized" in headlines
    values = {detector["detector"]: detector["metrics"] for detector in result["detectors"]}
    assert values["dot"]["affiliation_fbeta"]["value"] == affiliation_fbeta(REAL, DOT)
    assert values["dot"]["point_adjust_fbeta"] == {"value": 1.0, "rank": 1, "disagrees": True}
    assert result["disputes"][0]["detectors"] == ["whole", "dot"]
    assert "point_adjust_fbeta" in result["disputes"][0]["second_above"]


def test_lower_is_better_and_nan_is_worst(files, capsys):
    _, out, _ = invoke(capsys, "compare", "real.txt", "nothing.txt", "dot.txt", "whole.txt", "--metric", "mean_delay", "--json")
    cells = [detector["metrics"]["mean_delay"] for detector in json.loads(out)["detectors"]]
    assert [(cell["value"], cell["rank"]) for cell in cells] == [(None, 3), (5.0, 2), (0.0, 1)]


def test_equal_values_share_a_rank(files, capsys):
    (files / "again.txt").write_text((files / "dot.txt").read_text())
    _, out, _ = invoke(capsys, "compare", "real.txt", "dot.txt", "again.txt", "--metric", "point_fbeta", "--metric", "mean_delay")
    assert out.count("#1") == 4
    assert "All metrics agree on the order." in out


def test_metrics_that_need_the_length_are_null_for_ranges(files, capsys):
    code, out, _ = invoke(capsys, "compare", "ranges.csv", "ranges.csv", "--json")
    assert code == 0
    cells = json.loads(out)["detectors"][0]["metrics"]
    assert (cells["affiliation_fbeta"]["value"], cells["range_fbeta"]["value"]) == (None, 1.0)
    _, out, _ = invoke(capsys, "score", "ranges.csv", "ranges.csv", "--metric", "affiliation_fbeta", "--length", "12")
    assert out == "affiliation_fbeta 1.0000\n"


def test_files_with_the_same_name_are_shown_with_their_folders(files, capsys):
    for folder in ("a", "b"):
        (files / folder).mkdir()
        (files / folder / "dot.txt").write_text((files / "dot.txt").read_text())
    _, out, _ = invoke(capsys, "compare", "real.txt", "a/dot.txt", "b/dot.txt", "--metric", "point_fbeta")
    assert "a/dot.txt" in out


def test_long_list_of_disputes_is_shortened(files, capsys):
    names = []
    for i in range(7):
        labels = list(DOT) if i % 2 else list(WHOLE)
        labels[8 if i % 2 else 9] = int(i > 2)
        (files / f"d{i}.txt").write_text(" ".join(map(str, labels)))
        names.append(f"d{i}.txt")
    assert "more pairs; --json lists all" in invoke(capsys, "compare", "real.txt", *names)[1]


def test_scores_from_a_column(files, capsys):
    code, out, _ = invoke(capsys, "score", "table.csv", "table.csv", "--column", "label", "--metric", "best_point_adjust_fbeta")
    assert (code, out) == (0, "best_point_adjust_fbeta 1.0000\n")


def test_score_computes_any_metric(files, capsys):
    for name, metric in METRICS.items():
        code, out, error = invoke(capsys, "score", "real.txt", "dot.txt", "--metric", name, "--json")
        assert (code, error) == (0, "")
        assert json.loads(out) == {name: metric.function(REAL, DOT)}


def test_options_of_a_metric(files, capsys):
    names = ["point_adjust_fbeta:k=20,beta=2", "range_recall:bias=back"]
    arguments = [part for name in names for part in ("--metric", name)]
    _, out, _ = invoke(capsys, "score", "real.txt", "dot.txt", "--json", *arguments)
    assert json.loads(out) == dict(
        zip(names, [point_adjust_fbeta(REAL, DOT, k=20, beta=2), range_recall(REAL, DOT, bias="back")], strict=True)
    )
    _, out, _ = invoke(capsys, "score", "real.txt", "dot.txt", *arguments)
    assert (
        out == f"point_adjust_fbeta:k=20,beta=2 {point_adjust_fbeta(REAL, DOT, k=20, beta=2):.4f}\nrange_recall:bias=back         0.2857\n"
    )


def test_json_writes_nan_as_null(files, capsys):
    assert math.isnan(METRICS["mean_delay"].function(REAL, NOTHING))
    assert invoke(capsys, "score", "real.txt", "nothing.txt", "--metric", "mean_delay", "--json")[1] == '{"mean_delay": null}\n'


def test_scores_from_standard_input(files):
    command = [sys.executable, "-m", "rangewise", "compare", "real.txt", "-", "--metric", "best_point_adjust_fbeta"]
    completed = subprocess.run(command, input=(files / "scores.txt").read_text(), capture_output=True, text=True, check=True)
    assert "0.7500† #1" in completed.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("compare real.txt", "PREDICTED"),
        ("compare real.txt missing.txt", "missing.txt does not exist"),
        ("compare real.txt short.txt", "real.txt has 12 labels and short.txt has 2;"),
        ("compare real.txt short.txt --metric best_point_adjust_fbeta", "real.txt has 12 labels and short.txt has 2;"),
        ("compare real.txt dot.txt dot.txt", "dot.txt is given twice"),
        ("compare - -", "only one file can be standard input"),
        ("compare real.txt dot.txt --metric nab_normalised", "did you mean 'nab_normalized'"),
        ("compare real.txt dot.txt --metric point_fbeta:gamma=1", "an option of point_fbeta is one of beta, zero_division; got 'gamma'"),
        ("compare real.txt dot.txt --metric mean_delay:beta=1", "mean_delay has no options; got 'beta'"),
        ("compare real.txt dot.txt --metric affiliation_fbeta:length=9", "an option of affiliation_fbeta is one of beta, zero_division"),
        ("compare real.txt dot.txt --metric affiliation_fbeta --length 9", "dot.txt: length is 9, but there are 12 labels"),
        ("compare ranges.csv ranges.csv --metric affiliation_fbeta", "give the number of points of the series as --length"),
        ("compare ranges.csv ranges.csv --metric affiliation_fbeta:beta=2", "affiliation_fbeta:beta=2 of ranges: length is missing"),
        ("compare real.txt dot.txt --metric point_fbeta:real=1", "an option of point_fbeta"),
        ("compare real.txt dot.txt --metric range_fbeta:gamma=1", "gamma"),
        ("compare real.txt dot.txt --metric point_fbeta:beta", "'beta' is not option=value"),
        ("compare real.txt dot.txt --metric point_fbeta:beta=much", "beta"),
        ("compare real.txt dot.txt --metric point_adjust_fbeta:k=200", "0..100"),
        ("compare real.txt scores.txt", "line 2: '0.1' is not a label"),
        ("compare real.txt scores.txt --metric point_fbeta --metric best_point_adjust_fbeta", "but scores.txt contains 0.1"),
        ("score real.txt ranges.csv --metric best_point_adjust_fbeta", "'start', 'end'; name the column of the scores"),
        ("score real.txt holes.csv --column score --metric best_point_fbeta", "holes.csv: score 1 is nan; expected a number"),
        ("score real.txt table.csv --column score --metric best_point_adjust_fbeta", "no column 'score'"),
        ("score real.txt dot.txt --metric point_fbeta --alpha 0.5", "cannot be combined with --metric"),
        ("score real.txt dot.txt --metric point_fbeta --fail-under f=0.5", "a name of point_fbeta; got"),
        ("score real.txt dot.txt --metric point_fbet", "did you mean 'point_fbeta'"),
    ],
)  # fmt: skip
def test_bad_input_exits_with_2_and_one_line(files, capsys, arguments, message):
    code, out, error = invoke(capsys, *arguments.split())
    assert (code, out) == (2, "")
    assert error.startswith("rangewise: ")
    assert error.count("\n") == 1
    assert message in error


def test_real_side_is_read_once(files, capsys, monkeypatch):
    """It may come from standard input, however many detectors there are."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("\n".join(map(str, REAL)).encode())))
    code, out, error = invoke(capsys, "compare", "-", "whole.txt", "dot.txt", "--metric", "point_fbeta")
    assert (code, error) == (0, "")
    assert invoke(capsys, "compare", "real.txt", "whole.txt", "dot.txt", "--metric", "point_fbeta")[1] == out


@pytest.mark.parametrize(("option", "file"), [("--ignore", "ignored.csv"), ("--times", "times.csv"), ("", "whole.txt")])
def test_every_file_may_be_standard_input(files, capsys, monkeypatch, option, file):
    """It is read once, however many detectors there are; two files cannot be."""
    (files / "ignored.csv").write_text("start,end\n3,5\n")
    (files / "times.csv").write_text("timestamp\n" + "".join(f"2024-05-01T00:{minute:02}\n" for minute in range(12)))
    for command in ("compare", "ranking", "report"):
        words = [command, "real.txt", "dot.txt", "nothing.txt", *([option, file] if option else [f"a={file}"]), "--json"]
        words += {"compare": ["--metric", "point_fbeta"], "ranking": [], "report": ["--force"]}[command]
        asked = [word if word != file else "-" for word in words] if option else [word.replace(file, "-") for word in words]
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((files / file).read_bytes())))
        assert invoke(capsys, *asked) == invoke(capsys, *words)
    for words in (
        ["score", "-", "dot.txt"],
        ["compare", "real.txt", "dot.txt", "a=-"],
        ["curve", "real.txt", "-"],
        ["report", "-", "dot.txt", "--force"],
    ):
        for other in ("--ignore", "--times"):
            assert "only one file can be standard input" in invoke(capsys, *words, other, "-")[2]
    assert "only one file can be standard input" in invoke(capsys, "convert", "-", "out.txt", "--times", "-")[2]


@pytest.mark.parametrize("words", ["compare real.txt scores.txt --metric auc_roc", "curve real.txt scores.txt", "score real.txt dot.txt"])
def test_rejects_ignoring_all_rows(files, capsys, words):
    (files / "ignored.csv").write_text("start,end\n0,12\n")
    code, _, error = invoke(capsys, *words.split(), "--ignore", "ignored.csv")
    assert (code, error) == (2, "rangewise: the ignored intervals cover all 12 points, so nothing is left to score\n")


def test_table_wider_than_80_columns_is_transposed(files, capsys):
    _, narrow, _ = invoke(capsys, "compare", "real.txt", "dot.txt")
    _, wide, _ = invoke(capsys, "compare", "real.txt", "dot.txt", "--wide")
    assert narrow.startswith("metric")
    assert max(map(len, narrow.splitlines())) <= 80 < max(map(len, wide.splitlines()))
    assert "event_fbeta" in narrow


@pytest.mark.parametrize("length", [5, 60, 150])
@pytest.mark.parametrize("count", [1, 2, 5, 12])
@pytest.mark.parametrize("terminal", ["40", "80", "200"])
def test_table_fits_the_terminal_with_any_names(count, length, terminal, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", terminal)
    (tmp_path / "real").write_text("\n".join(map(str, REAL)))
    names = []
    for number in range(count):
        names.append("abcdefghijkl"[number] + (length - 1) * "x")
        (tmp_path / names[-1]).write_text("\n".join(str(int((row * (number + 3)) % 7 < 3)) for row in range(12)))
    long_option = ["range_fbeta:recall_bias=front,precision_bias=back,alpha=0.25,beta=0.5,recall_cardinality=reciprocal"]
    label_metrics = [name for name, metric in METRICS.items() if metric.needs == "labels"]
    for metrics in ([], ["range_fbeta", "mean_delay"], label_metrics, long_option):
        arguments = [part for name in metrics for part in ("--metric", name)]
        code, out, _ = invoke(capsys, "compare", "real", *names, *arguments)
        assert code == 0
        assert max(map(len, out.splitlines())) <= int(terminal)
        assert "..." not in out
        assert "…" not in out
        text = "".join(line.strip() for line in out.splitlines())
        assert all(name in text for name in names), "a name that is too long for a column must be in the legend"
        if terminal == "80":
            assert len(out.partition("#n: rank.")[2].splitlines()) <= 10
        wide = invoke(capsys, "compare", "real", *names, *arguments, "--wide")[1]
        assert [line.split()[0] for line in wide.splitlines() if line.startswith(tuple(names))] == names
        assert "more pairs" not in wide


@pytest.mark.parametrize(
    ("flag", "line"),
    [
        ("--latex", r"whole & \textbf{0.7692} & 0.8571 \\"),
        ("--markdown", "| dot | 0.2857 | **1.0000** |"),
        ("--csv", "nothing,0.0,0.0"),
    ],
)
def test_latex_markdown_and_csv(files, capsys, flag, line):
    metrics = ["--metric", "point_fbeta", "--metric", "point_adjust_fbeta"]
    code, out, error = invoke(capsys, "compare", "real.txt", "whole.txt", "dot.txt", "nothing.txt", *metrics, flag)
    assert (code, error) == (0, "")
    assert line in out.splitlines()
    code, _, error = invoke(capsys, "compare", "real.txt", "whole.txt", flag, "--json")
    assert code == 2
    assert "choose one" in error


@pytest.fixture
def folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("real", "out/a", "out/b"):
        (tmp_path / name).mkdir(parents=True)
    random = np.random.default_rng(1)
    series = {}
    for number in range(4):
        real = np.zeros(60, dtype=int)
        if number < 3:
            real[8:14] = real[40:50] = 1
        scores = {name: np.round(real + random.normal(0, noise, 60), 3) for name, noise in (("a", 0.4), ("b", 1.0))}
        np.savetxt(tmp_path / f"real/s{number}.csv", real, fmt="%d")
        for name, values in scores.items():
            np.savetxt(tmp_path / f"out/{name}/s{number}.txt", values, fmt="%.3f")
        series[f"s{number}"] = real, scores
    return series


def test_folders_of_series_match_python(folders, capsys):
    real = {name: labels for name, (labels, _) in folders.items()}
    scores = {name: {series: scores_by_name[name] for series, (_, scores_by_name) in folders.items()} for name in ("a", "b")}
    options = ["--metric", "range_fbeta", "--metric", "vus_pr", "--json"]
    for detectors in (["out"], ["out/a", "out/b"], ["a=out/a", "b=out/b"]):
        code, out, error = invoke(capsys, "compare", "real", *detectors, "--threshold", "best-f", "--max-alert-rate", "0.3", *options)
        assert (code, error) == (0, "")
        result = json.loads(out)
        expected = rw.compare(real, scores, metrics=["range_fbeta", "vus_pr"], thresholds="best-f", max_alert_rate=0.3)
        means = [[cell["value"] for cell in row["metrics"].values()] for row in result["detectors"]]
        assert means == expected.mean.tolist()
        assert result["thresholds"] == expected.thresholds
        assert result["saw_labels"] == ["a", "b"]
        assert [row["metrics"]["range_fbeta"]["saw_labels"] for row in result["detectors"]] == [True, True]
        assert (result["series"], result["healthy_series"]) == (list(folders), 1)
    _, out, _ = invoke(capsys, "compare", "real", "out", "--validation", "0.5", "--max-alert-rate", "0.3", *options)
    expected = rw.compare(real, scores, metrics=["range_fbeta"], validation=0.5, max_alert_rate=0.3)
    assert json.loads(out)["thresholds"] == expected.thresholds
    assert json.loads(out)["saw_labels"] == []


def test_file_of_thresholds_per_detector_and_series(folders, capsys, tmp_path):
    chosen = {"a": {series: 0.4 + number / 10 for number, series in enumerate(folders)}, "b": 0.8}
    (tmp_path / "t.json").write_text(json.dumps(chosen), encoding="utf-8-sig")  # as Windows writes it
    _, out, _ = invoke(capsys, "compare", "real", "out", "--threshold", "t.json", "--metric", "range_fbeta", "--json")
    assert json.loads(out)["thresholds"] == {"a": chosen["a"], "b": dict.fromkeys(folders, 0.8)}


def test_text_marks_thresholds_that_saw_the_labels(folders, capsys):
    for flags, expected in (([], "#1"), (["--markdown"], "|"), (["--latex"], "&")):
        _, out, _ = invoke(capsys, "compare", "real", "out", "--threshold", "best-f", "--metric", "range_fbeta", *flags)
        assert "†" in out
        assert expected in out
        assert "chosen with the labels" in out
        assert "1 series has no anomaly" in out
    _, out, _ = invoke(capsys, "compare", "real", "out", "--threshold", "best-f", "--metric", "range_fbeta", "--csv")
    assert out.splitlines()[0] == "detector,range_fbeta,threshold_saw_labels"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["real", "out/a/s0.txt"], "real is a folder of series and out/a/s0.txt is a file"),
        (["real/s0.csv", "out/a"], "out/a is a folder of series and real/s0.csv is a file"),
        (["real", "empty"], "empty has no files; expected one file per series"),
        (["real", "few"], "few has no file for series 's1', which real has as s1.csv"),
        (["few", "out"], "out/a has a file for series 's1', which few does not have"),
        (["real", "x=out/a", "x=out/b"], "two detectors have the name x; rename one of them with NAME=FILE"),
        (["real", "=out/a"], "give a detector as FILE or NAME=FILE"),
        (["real", "out", "--threshold", "no.json"], "--threshold no.json"),
        (["real", "out", "--threshold", "a=1", "--threshold", "a=2"], "gives a twice"),
        (["real", "out", "--metric", "zzz"], "a metric is one of range_fbeta, "),
        (["real", "out", "--metric", "VUS-PR"], "there is no metric 'VUS-PR'; did you mean 'vus_pr'?"),
        (["real", "out", "--validation", "0.1", "--metric", "range_fbeta"], "give --max-alert-rate, which then decides alone"),
    ],
)
def test_rejects_wrong_folders_and_thresholds(folders, tmp_path, capsys, words, message):
    (tmp_path / "empty").mkdir()
    (tmp_path / "few").mkdir()
    (tmp_path / "few/s0.csv").write_text((tmp_path / "real/s0.csv").read_text())
    code, _, error = invoke(capsys, "compare", *words)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1


def test_all_detectors_in_times_have_one_period(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    day = "2024-05-01T0"
    sides = {
        "real": ["1:40,1:49", "3:20,3:29"],
        "near": ["1:35,1:43", "3:26,3:33"],
        "far": ["1:35,1:43", "3:26,3:33", "9:00,9:01"],
        "none": [],
    }
    for name, rows in sides.items():
        lines = [",".join(day + edge for edge in row.split(",")) for row in rows]
        (tmp_path / f"{name}.csv").write_text("\n".join(["start,end", *lines]) + "\n")
    span = ["--span", f"{day}1:35", f"{day}9:01"]
    files = ["real.csv", "near.csv", "far.csv", "none.csv"]
    metrics = ["--metric", "affiliation_precision", "--metric", "range_fbeta", "--json"]
    for step in ([], ["--step", "1min"]):
        code, out, error = invoke(capsys, "compare", *files, *metrics, *step)
        assert (code, error) == (0, "")
        last = f"{day}9:02" if step else span[2]  # a row of a file in minutes lasts one
        asked = json.loads(invoke(capsys, "compare", *files, *metrics, *step, *span[:2], last)[1])
        near, far, _ = (row["metrics"]["affiliation_precision"]["value"] for row in json.loads(out)["detectors"])
        assert near > far
        assert json.loads(out)["detectors"][2] == asked["detectors"][2]
    assert invoke(capsys, "ranking", *files, "--step", "1min")[0] == 0
    code, out, error = invoke(capsys, "report", *files, "--step", "1min", "--json")
    assert (code, error) == (0, "")
    # The command on the page scores the same rows again.
    page = (tmp_path / "report.html").read_text()
    data = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', page, re.S)[1])
    command = data["detectors"][0]["command"]
    assert json.loads(invoke(capsys, *command[1:], "--json")[1])["f"] == json.loads(out)["detectors"][0]["f"]


def test_a_file_without_ranges_has_no_rows(files, capsys):
    """A detector that raised no alert has an empty table, which goes with times as with rows."""
    (files / "incidents.csv").write_text("start,end\n2024-05-01T00:00,2024-05-01T00:10\n")
    (files / "silent.csv").write_text("start,end\n")
    for command in ("score", "compare"):
        words = [command, "incidents.csv", "silent.csv", "--metric", "point_fbeta", "--metric", "event_recall", "--json"]
        assert invoke(capsys, *words, "--step", "1min")[::2] == (0, "")
        assert invoke(capsys, command, "silent.csv", "incidents.csv", "--step", "1min")[0] == 0
    assert json.loads(invoke(capsys, "score", "incidents.csv", "silent.csv", "--step", "1min", "--json")[1])["recall"] == 0.0
    assert "real.txt has rows already" in invoke(capsys, "score", "real.txt", "silent.csv", "--step", "1min")[2]


def test_a_span_in_seconds_since_the_start(files, capsys):
    (files / "seizures.tsv").write_text("onset\tduration\n10.5\t5\n")
    (files / "found.tsv").write_text("onset\tduration\n12\t5\n")
    words = ["score", "seizures.tsv", "found.tsv", "--metric", "affiliation_fbeta", "--json"]
    found = json.loads(invoke(capsys, *words, "--span", "0", "600.5")[1])["affiliation_fbeta"]
    assert found == affiliation_fbeta([(10.5, 15.5)], [(12.0, 17.0)], span=(0.0, 600.5))
    assert invoke(capsys, *words, "--span", "0", "much")[::2] == (
        2, "rangewise: span: last is 'much' beside a number of seconds; give two numbers of seconds or two times\n",
    )  # fmt: skip
