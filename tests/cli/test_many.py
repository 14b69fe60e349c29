import json

import polars as pl
import pytest

from rangewise.cli import run


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"name": ["a", "a", "b", "b", "c", "c"], "label": [0, 1, 1, 1, 0, 0], "guess": [0, 1, 1, 0, 1, 0]})
    frame.write_parquet(tmp_path / "table.parquet")
    frame.write_csv(tmp_path / "table.csv")
    return tmp_path


def invoke(capsys, line):
    code = run(line.split())
    out, error = capsys.readouterr()
    return code, out, error


COLUMNS = "--series name --real label --predicted guess"


@pytest.mark.parametrize("name", ["table.parquet", "table.csv"])
def test_one_row_per_series_and_totals(table, capsys, name):
    code, out, _ = invoke(capsys, f"score {name} {COLUMNS} --json")
    result = json.loads(out)
    assert code == 0
    assert [(row["series"], row["recall"]) for row in result["series"]] == [("a", 1.0), ("b", 0.5), ("c", 0.0)]
    assert result["pooled"]["recall"] == 0.75
    assert result["macro"]["recall"] == 0.75  # of the two series that have a real range
    assert result["macro"]["undefined_recall"] == 1


def test_text_output(table, capsys):
    code, out, _ = invoke(capsys, f"score table.parquet {COLUMNS}")
    assert code == 0
    assert ["pooled", "ranges", "0.6667", "0.7500"] in [line.split()[:4] for line in out.splitlines()]
    assert "of 3 series, 0 have no predicted range and 1 no real range" in out


def test_fail_under_applies_to_the_pooled_score(table, capsys):
    assert invoke(capsys, f"score table.parquet {COLUMNS} --fail-under recall=0.8")[0] == 1
    assert invoke(capsys, f"score table.parquet {COLUMNS} --fail-under recall=0.7")[0] == 0


def test_two_columns_of_one_file(table, capsys):
    code, out, _ = invoke(capsys, "score table.csv table.csv --real-column label --predicted-column guess --json")
    assert code == 0
    assert json.loads(out)["recall"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("table.parquet", "--series, --real and --predicted"),
        ("missing.parquet " + COLUMNS, "does not exist"),
        (". " + COLUMNS, "broken.parquet: not a Parquet file"),
        ("broken.parquet " + COLUMNS, "broken.parquet: not a Parquet file"),
        ("table.parquet --series name --real lable --predicted guess", "no column 'lable'"),
        ("table.parquet --series name --real name --predicted guess", "series 'a'"),
        ("table.parquet --explain " + COLUMNS, "--explain"),
        ("table.parquet --workers 0 " + COLUMNS, "1 or more"),
        ("table.parquet --workers 2 --scheduler tcp://127.0.0.1:1 " + COLUMNS, "choose one"),
        ("table.parquet --scheduler tcp://127.0.0.1:1 " + COLUMNS, "no scheduler responds at tcp://127.0.0.1:1"),
        ("table.parquet table.parquet --workers 2 " + COLUMNS, "a table of many series"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(table, capsys, arguments, message):
    (table / "broken.parquet").write_text("nonsense")
    code, out, error = invoke(capsys, f"score {arguments}")
    assert (code, out) == (2, "")
    assert error.count("\n") == 1
    assert message in error


def test_workers_do_not_change_the_output(table, capsys):
    expected = invoke(capsys, f"score table.parquet {COLUMNS} --json")
    assert invoke(capsys, f"score *.parquet {COLUMNS} --json --workers 2") == expected


@pytest.fixture
def shuffled(table):
    """The rows of three series, whose names look like numbers: sorted by time, shuffled, and with a repeated time."""
    rows = pl.DataFrame(
        {
            "name": ["01"] * 8 + ["1"] * 8 + ["1.0"] * 8,
            "when": [f"2024-05-01T10:{minute:02}" for minute in range(8)] * 3,
            "label": [0, 1, 1, 1, 0, 0, 1, 0] * 3,
            "guess": [0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1],
            "score": [at * 7 % 24 for at in range(24)],
        }
    )
    for name, frame in {"sorted": rows, "shuffled": rows.sample(fraction=1.0, shuffle=True, seed=4), "double": rows[[0, 1, 1]]}.items():
        frame.write_csv(table / f"{name}.csv")
        frame.write_parquet(table / f"{name}.parquet")
    return table


@pytest.mark.parametrize("words", [f"score FILE {COLUMNS}", "curve FILE --series name --real label --scores score"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("gaps", ["", " --close-gaps 1"])
def test_rows_are_scored_in_order_of_time(shuffled, capsys, words, ending, gaps):
    def scores_of(name, more=""):
        code, out, _ = invoke(capsys, words.replace("FILE", f"{name}.{ending}") + gaps + more + " --json")
        result = json.loads(out)
        return code, result.get("pooled", result.get("f")), sorted(str(row) for row in result["series"]) if "score" in words[:5] else None

    assert scores_of("shuffled", " --times when") == scores_of("sorted") == scores_of("sorted", " --times when")
    assert scores_of("shuffled") != scores_of("sorted")


def test_names_of_series_are_text(shuffled, capsys):
    result = json.loads(invoke(capsys, f"score sorted.csv {COLUMNS} --json")[1])
    assert [row["series"] for row in result["series"]] == ["01", "1", "1.0"]
    tabbed = pl.read_csv("sorted.csv", infer_schema=False)
    tabbed.write_csv("sorted.tsv", separator="\t")
    assert json.loads(invoke(capsys, f"score sorted.tsv {COLUMNS} --json")[1]) == result


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("double.csv --times when", "column 'when', series '01': rows 1 and 2 of the table have the same time, 2024-05-01T10:01:00"),
        ("double.parquet --times when", "--repeated-times keep"),
        ("double.csv --times when --repeated-times kept", "'kept' is not one of 'error', 'keep'"),
        ("double.csv --repeated-times keep", "which is not given"),
        ("double.csv --times then", "no column 'then'"),
        ("double.csv double.csv --repeated-times keep", "--repeated-times is for a table of many series"),
    ],
)
def test_bad_times_exit_with_2_and_one_line(shuffled, capsys, words, message):
    for command in (f"score {words} {COLUMNS}", f"curve {words} --series name --real label --scores score"):
        code, out, error = invoke(capsys, command)
        assert (code, out, error.count("\n")) == (2, "", 1)
        assert message in error


def test_repeated_times_are_kept(shuffled, capsys):
    code, out, _ = invoke(capsys, f"score double.csv {COLUMNS} --times when --repeated-times keep --json")
    assert (code, out) == invoke(capsys, f"score double.csv {COLUMNS} --json")[:2]


@pytest.mark.parametrize("option", ["--length 3", "--step 1min", "--column a", "--format csv", "--outside drop", "--start-column a"])
def test_rejects_options_for_one_series(option, tmp_path, capsys):
    (tmp_path / "many.csv").write_text("s,r,p\na,1,1\n")
    assert run(["score", str(tmp_path / "many.csv"), *["--series", "s", "--real", "r", "--predicted", "p"], *option.split()]) == 2
    assert capsys.readouterr().err == f"rangewise: {option.split()[0]} is for files of one series, not for a table of many; leave it out\n"


def test_rejects_gaps_in_time_for_a_table(tmp_path, capsys):
    (tmp_path / "many.csv").write_text("s,r,p\na,1,1\n")
    assert run(["score", str(tmp_path / "many.csv"), *["--series", "s", "--real", "r", "--predicted", "p", "--close-gaps", "5min"]]) == 2
    assert capsys.readouterr().err == "rangewise: for a table of many series, --close-gaps takes a number of rows; got 5min\n"


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_out_writes_one_row_per_series(table, capsys, name):
    code, out, error = invoke(capsys, f"score table.csv {COLUMNS} --out {name}")
    assert (code, error) == (0, "")
    written = pl.read_csv(name) if name.endswith("csv") else pl.read_parquet(name)
    assert written["recall"].to_list() == [1.0, 0.5, 0.0]
    assert written["name" if "name" in written.columns else "series"].to_list() == ["a", "b", "c"]
    assert "pooled ranges" in out
    code, _, error = invoke(capsys, f"score table.csv {COLUMNS} --out {name}")
    assert code == 2
    assert "exists" in error


def test_metrics_of_a_table(table, capsys):
    code, out, _ = invoke(capsys, f"score table.parquet {COLUMNS} --metric event_recall --metric point_fbeta --json --out rows.parquet")
    assert code == 0
    result = json.loads(out)
    assert result["series"][:2] == [
        {"series": "a", "event_recall": 1.0, "point_fbeta": 1.0},
        {"series": "b", "event_recall": 1.0, "point_fbeta": pytest.approx(2 / 3)},
    ]
    assert result["series"][2]["event_recall"] is None
    assert result["mean"]["event_recall"] == 1.0
    assert result["healthy_series"] == 1
    assert pl.read_parquet("rows.parquet")["point_fbeta"].to_list()[0] == 1.0
    code, out, _ = invoke(capsys, f"score table.csv {COLUMNS} --metric event_recall --fail-under event_recall=0.5")
    assert code == 0
    assert "1 series has no anomaly" in out


def test_several_columns_identify_a_series(table, capsys):
    frame = pl.read_csv("table.csv").with_columns(pl.lit("01").alias("region"))
    frame.write_csv("two.csv")
    code, out, _ = invoke(capsys, "score two.csv --series region,name --real label --predicted guess --json")
    assert code == 0
    row = json.loads(out)["series"][1]
    assert (row["series"], row["region"], row["name"], row["recall"]) == ("01/b", "01", "b", 0.5)
    assert json.loads(out)["healthy"] == 0
    code, out, _ = invoke(capsys, "curve two.csv --series region,name --real label --scores guess --json")
    assert code == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"score table.csv {COLUMNS} --out rows.txt", "ends in .csv or .parquet; got rows.txt"),
        (f"score table.csv {COLUMNS} --out table.csv", "one of the input files"),
        (f"score table.csv {COLUMNS} --metric event_recall --alpha 0.5", "--metric and --family cannot be combined"),
        (f"score table.csv {COLUMNS} --metric event_recal", "did you mean 'event_recall'"),
        ("score table.csv --series name,nope --real label --predicted guess", "the table has no column 'nope'"),
    ],
)
def test_rejects_wrong_tables(table, capsys, line, message):
    code, _, error = invoke(capsys, line)
    assert code == 2
    assert message in error
    assert error.count("\n") == 1


def test_rejects_unreadable_column_names(tmp_path, capsys):
    (tmp_path / "t.csv").write_bytes(b"s\rx,r,p\na,0,1\n")
    assert run(["score", str(tmp_path / "t.csv"), "--series", "s", "--real", "r", "--predicted", "p"]) == 2
    assert "t.csv, line 1: the names of the columns cannot be read" in capsys.readouterr().err


def test_missing_rows_of_a_damaged_file_are_an_error(tmp_path, monkeypatch):
    """If polars fails in one of its threads, it returns fewer batches and no error."""
    from rangewise.many.parquet import _all_of

    with pytest.raises(ValueError, match="the file is damaged: it has 3 rows, of which 1 can be read"):
        list(_all_of(3, [[1]]))
    assert list(_all_of(3, [[1, 2], [3]])) == [[1, 2], [3]]
