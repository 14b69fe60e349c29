"""Reading a file of every format, and round trips through every format that can be written."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples import EVENT_FILES, EXPECTED, FIXTURES, OPEN_ALERT_FILES, RANGE_FILES, UCR, WRITABLE_FORMATS, example_series
from rangewise.datasets.arguments import read_annotations, read_events, read_ignored_file, read_rows_beside, read_timestamps
from rangewise.datasets.cases import read_case
from rangewise.files.annotations import Annotations
from rangewise.files.conversion import write_annotations
from rangewise.files.formats.table import FORMATS
from rangewise.files.series import Series
from strategies import range_lists


@pytest.mark.parametrize(("name", "kind"), RANGE_FILES.items())
def test_every_format_is_recognized_and_read(name, kind):
    for argument in (FIXTURES / name, f"{kind}:{FIXTURES / name}"):
        annotations = read_annotations(argument)
        assert list(annotations.rows(example_series().timestamps)) == EXPECTED
    assert list(read_annotations(FIXTURES / name, format=kind).rows(example_series().timestamps)) == EXPECTED


def test_every_format_has_a_fixture():
    assert {*RANGE_FILES.values(), *OPEN_ALERT_FILES.values(), *EVENT_FILES.values(), "ucr"} == set(FORMATS)


@pytest.mark.parametrize(("name", "kind"), OPEN_ALERT_FILES.items())
def test_open_ranges_need_an_end(name, kind):
    with pytest.raises(ValueError, match="has no end; give the end of open ranges"):
        read_annotations(FIXTURES / name).rows(example_series().timestamps)
    for argument in (FIXTURES / name, f"{kind}:{FIXTURES / name}"):
        assert list(read_annotations(argument, until="2024-03-31T08:00").rows(example_series().timestamps)) == [(8, 9)]


def test_reads_whole_series():
    series = read_annotations(FIXTURES / "001_Made_id_1_Test_tr_2_1st_2.csv").series
    assert (series.channels, series.train, series.values[3].tolist()) == (2, (0, 2), [0.3, 30.0])
    series = read_annotations(FIXTURES / "timeeval.csv").series
    assert series.timestamps[-1] == np.datetime64("2024-03-31T09:00")
    assert read_annotations(FIXTURES / "timeeval-integers.csv").series.timestamps.tolist() == list(range(10))
    series = read_annotations(FIXTURES / UCR).series
    assert (series.name, series.train, list(series.real), len(series)) == ("007_UCR_Anomaly_Made", (0, 4), [(6, 8)], 10)
    assert list(read_annotations(FIXTURES / UCR, inclusive=False).rows()) == [(6, 7)]


@pytest.mark.parametrize("kind", [name for name in WRITABLE_FORMATS if name != "ucr"])
@settings(max_examples=50)
@given(real=range_lists(), step=st.sampled_from(["s", "m", "h"]))
def test_round_trip(tmp_path_factory, kind, real, step):
    path = tmp_path_factory.getbasetemp() / f"round-trip.{kind}"
    series = example_series(real, 60, step)
    annotations = Annotations.of_series(series, "made")
    write_annotations(annotations, path, format=kind)
    loaded = read_annotations(path, format=kind)
    # Labels cannot separate ranges that touch.
    by_label = kind in ("labels", "csv", "tsb-ad", "timeeval")
    assert loaded.rows(series.timestamps) == (series.real.merge_touching() if by_label else series.real)
    if loaded.series is not None:
        assert np.array_equal(loaded.series.values, series.values)
    if loaded.timestamps is not None:
        assert np.array_equal(loaded.timestamps, series.timestamps)


def test_ucr_round_trip(tmp_path):
    series = Series("made", np.sin(np.arange(10)), None, [(6, 8)], (0, 4))
    annotations = Annotations.of_series(series, "made")
    write_annotations(annotations, tmp_path / UCR, format="ucr")
    loaded = read_annotations(tmp_path / UCR).series
    assert (loaded.real, loaded.train) == (series.real, series.train)
    assert np.array_equal(loaded.values, series.values)
    with pytest.raises(ValueError, match=r"use 001_UCR_Anomaly_NAME_4_6_7.txt, not mine.txt"):
        write_annotations(annotations, tmp_path / "mine.txt", format="ucr")
    with pytest.raises(ValueError, match="one channel and one anomaly; made has 1 channels and 2 ranges"):
        write_annotations(Annotations.of_series(example_series(), "made"), tmp_path / UCR, format="ucr")
    assert [path.name for path in tmp_path.iterdir()] == [UCR]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["csv", "tsb-ad", "timeeval", "ranges", "orion"])
def test_tables_are_csv_or_parquet(tmp_path, kind, suffix):
    path = tmp_path / f"table.{suffix}"
    write_annotations(Annotations.of_series(example_series(), "made"), path, format=kind)
    assert list(read_annotations(path, format=None).rows(example_series().timestamps)) == EXPECTED
    assert path.read_bytes().startswith(b"PAR1") == (suffix == "parquet")


def test_converting_times_to_times_needs_no_rows(tmp_path):
    for kind in ("nab-windows", "orion", "label-studio", "prometheus", "ranges"):
        write_annotations(read_annotations(FIXTURES / "grafana.json"), tmp_path / "out", format=kind)
        assert list(read_annotations(tmp_path / "out", format=kind).rows(example_series().timestamps)) == EXPECTED


def test_missing_information_is_reported(tmp_path):
    out = tmp_path / "out.txt"
    with pytest.raises(ValueError, match=r"ranges.csv does not have the number of rows; give --length"):
        write_annotations(read_annotations(FIXTURES / "ranges.csv"), out)
    write_annotations(read_annotations(FIXTURES / "ranges.csv"), out, length=9)
    assert len(read_annotations(out).rows()) == 2
    with pytest.raises(ValueError, match=r"grafana.json does not have the number of rows|has times, not rows"):
        write_annotations(read_annotations(FIXTURES / "grafana.json"), out)
    with pytest.raises(ValueError, match=r"ranges.csv has rows, not times; .* --times"):
        write_annotations(read_annotations(FIXTURES / "ranges.csv"), out, format="grafana")
    with pytest.raises(ValueError, match="tsb-ad needs values"):
        write_annotations(read_annotations(FIXTURES / "labels.txt"), out, format="tsb-ad")
    with pytest.raises(ValueError, match=r"labels.txt has 10 rows, but there are 3 timestamps"):
        write_annotations(read_annotations(FIXTURES / "labels.txt"), out, format="grafana", timestamps=example_series().timestamps[:3])
    with pytest.raises(ValueError, match="length is 3, but the last range stops at 8"):
        write_annotations(read_annotations(FIXTURES / "ranges.csv"), out, length=3)
    with pytest.raises(ValueError, match="nab-result can only be read"):
        write_annotations(read_annotations(FIXTURES / "result.csv"), out, format="nab-result")
    with pytest.raises(ValueError, match=r"cannot be detected from .*out.csv'; give it with --to: labels, csv"):
        write_annotations(read_annotations(FIXTURES / "labels.txt"), tmp_path / "out.csv")
    with pytest.raises(ValueError, match="did you mean 'grafana'"):
        write_annotations(read_annotations(FIXTURES / "labels.txt"), out, format="graphana")


def test_read_case(tmp_path):
    for real in RANGE_FILES:
        assert [list(side) for side in read_case(FIXTURES / real, FIXTURES / "timeeval.csv").sides()] == [EXPECTED, EXPECTED]
    sides = read_case(FIXTURES / "grafana.json", FIXTURES / "prometheus.json", times=FIXTURES / "series.csv").sides()
    assert [list(side) for side in sides] == [EXPECTED, EXPECTED]
    # Two files of times need no rows; they are scored as times.
    sides_of_times = read_case(FIXTURES / "grafana.json", FIXTURES / "prometheus.json").sides()
    assert all(side.clock is not None for side in sides_of_times)
    with pytest.raises(ValueError, match=r"series.csv has values, but no labels"):
        read_case(FIXTURES / "series.csv", FIXTURES / "labels.txt")
    with pytest.raises(ValueError, match=r"labels.txt has no timestamps"):
        read_timestamps(FIXTURES / "labels.txt")


def test_rejects_sides_of_different_lengths(tmp_path):
    (tmp_path / "short.txt").write_text("0 1 1")
    (tmp_path / "far.csv").write_text("start,end\n8,12\n")
    with pytest.raises(ValueError, match=r"timeeval.csv has 10 labels and .*short.txt has 3"):
        read_case(FIXTURES / "timeeval.csv", tmp_path / "short.txt")
    with pytest.raises(ValueError, match=r"short.txt has 3 labels, but .*series.csv has 10 times"):
        read_case(FIXTURES / "grafana.json", tmp_path / "short.txt", times=FIXTURES / "series.csv")
    with pytest.raises(ValueError, match=r"far.csv has a range that stops at 12, but .*labels.txt has only 10 labels"):
        read_case(FIXTURES / "labels.txt", tmp_path / "far.csv")
    with pytest.raises(ValueError, match=r"far.csv has a range that stops at 12, but .*timeeval.csv has only 10 labels"):
        read_rows_beside(read_annotations(FIXTURES / "timeeval.csv"), tmp_path / "far.csv")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("seconds.csv", "start,end\n1700000000,1700000060\n", "may be ranges or orion"),
        (UCR, "0\n1\n0\n1\n0\n1\n0\n1\n", "may be labels or ucr"),
        ("other.json", '{"a": 1}', "has no known format"),
        ("other.json", '[{"a": 1}]', "has no known format"),
        ("broken.json", '[\n{"time": 1,', "line 2: not JSON"),
        ("deep.json", "[" * 100_000, "nested too deeply"),
        ("nothing.txt", "", "is empty"),
        ("latin.csv", "start,end,\xe9\n1,2,3\n".encode("latin-1"), "line 1: byte 0xe9 is not UTF-8"),
        ("wide.csv", "a,b\n1,2\n", "give the column of labels with --column"),
    ],
)
def test_rejects_unknown_and_ambiguous_formats(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read_annotations(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)


def test_column_of_any_table(tmp_path):
    (tmp_path / "t.csv").write_text("timestamp,who,mine\n2024-01-01,a,0\n2024-01-01,b,1\n")
    annotations = read_annotations(tmp_path / "t.csv", column="mine")
    assert (list(annotations.rows()), annotations.length, annotations.series.channels) == ([(1, 2)], 2, 0)
    (tmp_path / "one.csv").write_text("label\n0\n1\n")
    assert list(read_annotations(tmp_path / "one.csv").rows()) == [(1, 2)]


def test_public_data_by_prefix(golden_folder, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    real = read_case("paper:nyc_taxi/lstm_ad.real", "paper:nyc_taxi/lstm_ad.pred").real
    assert len(real) == 3
    with pytest.raises(ValueError, match="not a name in the data folder"):
        read_annotations("paper:../../etc/passwd")


def test_discords_by_prefix(discord_data, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(discord_data))
    assert len(read_annotations("discord:TEK14").rows()) == 2


def test_only_known_words_are_prefixes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a:b").write_text("0 1")
    assert len(read_annotations("a:b").rows()) == 1


def test_written_grafana_json(tmp_path):
    write_annotations(Annotations.of_series(example_series(), "made"), tmp_path / "g", format="grafana")
    assert json.loads((tmp_path / "g").read_text())[1] == {
        "time": 1711868400000,
        "timeEnd": 1711868400000,
        "text": "anomaly",
        "tags": ["anomaly"],
    }


def test_labels_of_a_table_are_read_without_its_times(tmp_path):
    """Times are parsed only when they are needed, and their errors are reported only then."""
    path = tmp_path / "odd.csv"
    path.write_text("timestamp,label\nnoon,0\nlater,1\n")
    annotations = read_annotations(path)
    assert (list(annotations.rows()), annotations.length) == ([(1, 2)], 2)
    assert [list(side) for side in read_case(path, path).sides()] == [[(1, 2)], [(1, 2)]]
    with pytest.raises(ValueError, match="noon"):
        read_timestamps(path)


def test_rejects_unknown_reading_options(tmp_path):
    (tmp_path / "a.csv").write_text("start,end\n1,2\n")
    for read in (read_annotations, read_events, read_ignored_file):
        with pytest.raises(ValueError, match="did you mean 'end_column'"):
            read(str(tmp_path / "a.csv"), end_colum="stop")
