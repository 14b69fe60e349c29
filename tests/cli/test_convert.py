import subprocess
import sys
from pathlib import Path

import pytest

from examples import EXPECTED, FIXTURES, RANGE_FILES, WRITABLE_FORMATS, example_series
from rangewise.cli import run
from rangewise.datasets.arguments import read_annotations
from rangewise.files.formats.table import FORMATS


def invoke(capsys, *arguments):
    code = run([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


@pytest.mark.parametrize("source", RANGE_FILES)
@pytest.mark.parametrize("kind", ["labels", "ranges", "grafana", "prometheus"])
def test_converts_from_every_format(tmp_path, capsys, source, kind):
    out = tmp_path / "out"
    words = "convert", FIXTURES / source, out, "--to", kind
    code, *_ = invoke(capsys, *words)
    with_times = invoke(capsys, *words, "--times", FIXTURES / "series.csv", "--force")
    # --times is used where it is needed, and rejected where it has no effect.
    rejected = not code and with_times[0] == 2 and "--times has no effect" in with_times[2]
    assert rejected or with_times == (0, "", "")
    assert list(read_annotations(out, format=kind).rows(example_series().timestamps)) == EXPECTED


@pytest.mark.parametrize("kind", [kind for kind in WRITABLE_FORMATS if kind != "ucr"])
def test_converts_a_series_to_every_format(tmp_path, capsys, kind):
    out = f"{kind}:{tmp_path / 'out'}"
    assert invoke(capsys, "convert", FIXTURES / "timeeval.csv", out) == (0, "", "")
    assert list(read_annotations(out).rows(example_series().timestamps)) == EXPECTED


def test_rejects_length_if_the_number_of_rows_is_known(capsys):
    for words in (["labels:" + str(FIXTURES / "labels.txt"), "labels:-"], [FIXTURES / "ranges.csv", "-", "--to", "ranges"]):
        code, out, error = invoke(capsys, "convert", *words, "--length", 10**12)
        assert (code, out) == (2, "")
        assert "--length has no effect" in error


def test_rejects_timestamps_of_another_length(tmp_path, capsys):
    (tmp_path / "stamps.csv").write_text("timestamp\n2024-01-01\n2024-01-02\n")
    code, out, error = invoke(capsys, "convert", FIXTURES / "labels.txt", "-", "--to", "csv", "--times", tmp_path / "stamps.csv")
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert "10 rows, but there are 2 timestamps" in error


def test_standard_streams():
    command = [sys.executable, "-m", "rangewise", "convert", "-", "-", "--to", "labels", "--length", "4"]
    completed = subprocess.run(command, input="start,end\n1,3\n", capture_output=True, text=True, check=True)
    assert completed.stdout == "0\n1\n1\n0\n"


def test_scores_files_of_two_formats(capsys):
    code, out, _ = invoke(capsys, "score", FIXTURES / "windows.json", f"timeeval:{FIXTURES / 'timeeval.csv'}")
    assert (code, out.split()[-1]) == (0, "1.0000")
    code, out, _ = invoke(capsys, "score", FIXTURES / "grafana.json", FIXTURES / "orion.csv", "--times", FIXTURES / "series.csv")
    assert (code, out.split()[-1]) == (0, "1.0000")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("convert missing.txt out.txt", "missing.txt does not exist"),
        ("convert labels.txt out.json", "give it with --to"),
        ("convert labels.txt nowhere/out.txt", "the folder nowhere does not exist"),
        ("convert labels.txt . --to labels", "is a directory"),
        ("convert labels.txt out.json --to grafana", "has rows, not times"),
        ("convert labels.txt out.json --to nab-result", "can only be read"),
        ("convert grafana.json out.txt --times labels.txt", "labels.txt has no timestamps"),
        ("convert ranges.csv out.txt --length -3", "--length"),
        ("convert ranges.csv out.txt --series other", "has no series 'other'"),
        ("convert labels.txt out.txt --outside perhaps", "'--outside'"),
        ("convert labels.txt out.txt --format grafana", "not JSON|Grafana annotations"),
        ("score grafana.json grafana.json --format prometheus", "query_range"),
    ],
)
def test_bad_input_exits_with_2_and_one_line_and_writes_nothing(tmp_path, monkeypatch, capsys, arguments, message):
    for path in FIXTURES.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, error = invoke(capsys, *arguments.split())
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert any(each in error for each in message.split("|"))
    assert sorted(path.name for path in tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", [each.name for each in FORMATS.values() if each.writes is not None])
def test_nanoseconds_round_trip_or_are_rejected(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    labels = ["0", "0", "1", "0", "1", "1"]
    Path("labels.txt").write_text("\n".join(labels) + "\n")
    Path("times.csv").write_text("\n".join(["timestamp", *(f"2024-05-01T00:00:00.00000000{row}" for row in range(6))]) + "\n")
    code = run(["convert", "labels.txt", "out.file", "--to", name, "--times", "times.csv"])
    if code:
        assert code == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
        return
    times = [] if name == "csv" else ["--times", "times.csv"]  # a table of labels needs no times
    assert run(["convert", f"{name}:out.file", "back.txt", "--to", "labels", *times]) == 0
    assert Path("back.txt").read_text().split() == labels


def test_rejects_times_finer_than_a_nanosecond(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("labels.txt").write_text("0\n1\n")
    Path("times.csv").write_text("timestamp\n2024-05-01T00:00:00.0000000001\n2024-05-01T00:00:00.1\n")
    assert run(["score", "labels.txt", "labels.txt", "--times", "times.csv"]) == 2
    assert "times.csv, line 2: 2024-05-01T00:00:00.0000000001 is finer than a nanosecond" in capsys.readouterr().err


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.txt").write_text("0\n1\n1\n0\n")
    (tmp_path / "rows.csv").write_text("start,end\n1,3\n")
    (tmp_path / "bad.txt").write_text("0\nx\n")


def test_check_prints_the_content_of_each_file(files, capsys):
    assert invoke(capsys, "convert", "--check", "good.txt", "rows.csv") == (0, "good.txt: 1 range in 4 rows\nrows.csv: 1 range\n", "")


def test_check_reports_every_bad_file(files, capsys):
    code, out, error = invoke(capsys, "convert", "--check", "bad.txt", "good.txt", "absent.txt")
    assert (code, out) == (1, "good.txt: 1 range in 4 rows\n")
    assert error == "rangewise: bad.txt, line 2: 'x' is not a label; expected 0 or 1\nrangewise: absent.txt does not exist\n"


def test_check_tries_the_conversion_and_writes_nothing(files, tmp_path, capsys):
    before = sorted(tmp_path.iterdir())
    assert invoke(capsys, "convert", "--check", "rows.csv", "--to", "labels", "--length", "9")[0] == 0
    code, _, error = invoke(capsys, "convert", "--check", "rows.csv", "--to", "labels")
    assert (code, "give --length" in error) == (1, True)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("good.txt --check --force", "writes no file"),
        ("good.txt --check --close-gaps 3", "--check writes nothing"),
        ("good.txt --check --length 3", "give --to FORMAT too"),
        ("good.txt --check --start-column a", "--start-column"),
        ("good.txt", "give IN and OUT"),
        ("good.txt a.txt b.txt", "with --check"),
    ],
)
def test_check_rejects_options_without_effect(files, capsys, arguments, message):
    code, _, error = invoke(capsys, "convert", *arguments.split())
    assert (code, error.count("\n")) == (2, 1)
    assert message in error


def test_gaps_of_rows_between_times_need_their_timestamps(tmp_path, capsys):
    """--times was refused as having no effect, and then demanded."""
    (tmp_path / "a.csv").write_text("start,end\n2024-03-31T01:00,2024-03-31T02:00\n2024-03-31T04:00,2024-03-31T05:00\n")
    words = ("convert", tmp_path / "a.csv", "-", "--to", "ranges")
    assert invoke(capsys, *words, "--close-gaps", 1, "--times", FIXTURES / "series.csv") == (0, "start,end\n1,6\n", "")
    assert "give a file with the timestamps of the rows with --times" in invoke(capsys, *words, "--close-gaps", 1)[2]
