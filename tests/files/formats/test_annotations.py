"""Exports of monitoring and labeling tools. Valid files are tested in ``tests/datasets/test_arguments.py``."""

import json
import re

import numpy as np
import pytest

from examples import FIXTURES
from rangewise.datasets import read_annotations, read_case
from rangewise.files.conversion import write_annotations
from rangewise.files.formats.grafana import grafana_text, read_grafana
from rangewise.files.formats.label_studio import label_studio_times, read_label_studio
from rangewise.files.formats.nab_windows import read_nab_windows
from rangewise.files.formats.prometheus import prometheus_text, read_prometheus
from rangewise.files.source import Source
from rangewise.files.times import TimeRanges
from rangewise.inputs.ranges import Ranges

SECONDS = 1_700_000_000
INDEX = np.arange(10) * 10 + SECONDS


@pytest.fixture
def write(tmp_path):
    def written(data):
        path = tmp_path / "file.json"
        path.write_text(json.dumps(data))
        return path

    return written


def region(start, end, label="Run", **more):
    return {"type": "timeserieslabels", "value": {"start": start, "end": end, "timeserieslabels": [label]}, **more}


def task(*regions, **more):
    return {"annotations": [{"result": list(regions)}], **more}


def alert(*samples):
    return {"metric": {}, "values": [[SECONDS + at, value] for at, value in samples]}


def response(*alerts):
    return {"status": "success", "data": {"result": list(alerts)}}


def test_grafana_points_ranges_and_tags(write):
    begin = SECONDS * 1000
    path = write(
        [
            {"time": begin, "timeEnd": 0, "tags": None},
            {"time": begin + 20_000, "timeEnd": begin + 20_000, "tags": ["a"]},
            {"time": begin + 40_000, "timeEnd": begin + 55_000, "tags": ["a", "b"]},
            {"time": begin + 50_000, "timeEnd": begin + 70_000},
        ]
    )
    assert list(read_grafana(path, INDEX)) == [(0, 1), (2, 3), (4, 8)]
    assert list(read_grafana(path, INDEX, tag="a")) == [(2, 3), (4, 6)]


def test_label_studio_tasks_and_labels(write):
    begin = SECONDS * 1000
    first, second = (
        task(region(begin, begin + 10_000), region(begin + 30_000, begin + 30_000, "Stop"), id=7),
        task(region(begin, begin), id=8),
    )
    path = write([first, second])
    assert list(read_label_studio(path, INDEX, task="7")) == [(0, 2), (3, 4)]
    assert list(read_label_studio(path, INDEX, task="7", label="Stop")) == [(3, 4)]
    assert list(read_label_studio(path, INDEX, task="8")) == [(0, 1)]
    with pytest.raises(ValueError, match="has 2 tasks, 7, 8; choose one with --series"):
        read_label_studio(path, INDEX)
    with pytest.raises(ValueError, match="has no task '9'; it has 7, 8"):
        read_label_studio(path, INDEX, task="9")


def test_prometheus_gaps_end_a_range(write):
    firing = [(0, "1"), (10, "1"), (20, "1"), (50, "1"), (60, "1"), (90, "1")]
    assert list(read_prometheus(write(response(alert(*firing))), INDEX)) == [(0, 3), (5, 7), (9, 10)]
    assert list(read_prometheus(write(response(alert(*firing))), INDEX, step=30)) == [(0, 10)]
    quiet = [(0, "1"), (10, "0"), (20, "1"), (30, "1")]
    assert list(read_prometheus(write(response(alert(*quiet))), INDEX)) == [(0, 1), (2, 4)]
    assert list(read_prometheus(write(response(alert((0, "1")), alert((0, "1"), (10, "1")), alert())), INDEX)) == [(0, 2)]
    assert len(read_prometheus(write(response()), INDEX)) == 0


@pytest.mark.parametrize(
    ("read", "data", "message"),
    [
        (read_grafana, {}, "a JSON list; got dict"),
        (read_grafana, [{"time": SECONDS}, 7], "annotation 1: expected an object with 'time'"),
        (read_grafana, [{"time": "noon"}], "range 0: 'noon' is not a time"),
        (read_grafana, [{"time": 2000, "timeEnd": 1000}], "must not end before it starts"),
        (read_grafana, [{"time": 1000}], "range 0 1970-01-01T00:00:01 to 1970-01-01T00:00:01 lies outside the time index"),
        (read_label_studio, {}, "list of tasks"),
        (read_label_studio, [], "list of tasks"),
        (read_label_studio, [{"annotations": {}}], "expected 'annotations' with a list"),
        (read_label_studio, [{"annotations": [7]}], "annotation 0: expected an object"),
        (read_label_studio, [{"annotations": [{"result": 7}]}], "expected 'result' with a list"),
        (read_label_studio, [task(7)], "annotation 0, region 0: expected an object"),
        (read_label_studio, [task({"type": "timeserieslabels", "value": {"start": 1}})], "expected a 'value' with 'start' and 'end'"),
        (read_label_studio, [task(region(1, "2024-01-01"))], "mixes numbers and texts"),
        (read_label_studio, [task(region("2024-01-01", "2024-01-01T00:00:00Z"))], "has a time zone, but the times before it have none"),
        (read_label_studio, [task(region("x", "y"))], "'x' is not a time"),
        (read_prometheus, [], "'data' with 'result'"),
        (read_prometheus, {"status": "error", "error": "no such host"}, "answered with an error: no such host"),
        (read_prometheus, {"data": {"result": [{"value": [1, "1"]}]}}, "use query_range, not query"),
        (read_prometheus, response({"values": [[1]]}), "result 0: expected 'values'"),
        (read_prometheus, response({"values": [["x", "1"]]}), "'x' is not a time"),
        (read_prometheus, response(alert((0, "1"), (0, "1"))), "sample 1: its time is not after"),
        (read_prometheus, response(alert((0, "much"))), "value is not a number"),
        (read_nab_windows, [], "JSON object of lists"),
        (read_nab_windows, {}, "has 0 series; expected at least one"),
        (read_nab_windows, {"a": [], "b": []}, "has 2 series, a, b; choose one with --series"),
        (read_nab_windows, {"a": [["2024-01-01"]]}, "a list of [first, last]"),
        (read_nab_windows, {"a": [["2024-01-01", "soon"]]}, "time 1: 'soon' is not a time"),
        (read_nab_windows, {"a": [["2024-01-01", "2024-01-02"]]}, "lies outside the time index"),
    ],
)
def test_rejects_bad_files(write, read, data, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        read(write(data), INDEX)


def test_rejects_series_without_nab_windows(write):
    with pytest.raises(ValueError, match="has no series 'b'; it has a"):
        read_nab_windows(write({"a": []}), INDEX, series="b")


def test_rejects_writing_times_finer_than_milliseconds():
    at = np.array(["2024-01-01T00:00:00.0005"], dtype="datetime64[ns]")
    for to_text in (grafana_text, prometheus_text):
        with pytest.raises(ValueError, match="counts whole ms"):
            to_text(TimeRanges(at, at))


def test_rejects_writing_alerts_with_too_many_samples():
    firsts = np.array(["2024-01-01T00:00:00.000", "2024-02-01"], dtype="datetime64[ns]")
    lasts = np.array(["2024-01-01T00:00:00.001", "2024-03-01"], dtype="datetime64[ns]")
    with pytest.raises(ValueError, match="a step of 1 ms would need"):
        prometheus_text(TimeRanges(firsts, lasts))


def test_alerts_are_written_at_the_step_of_the_timestamps():
    ranges = TimeRanges.of_rows(Ranges([(2, 5)]), INDEX)
    samples = json.loads(prometheus_text(ranges, INDEX))["data"]["result"][0]["values"]
    assert samples == [[SECONDS + 20, "1"], [SECONDS + 30, "1"], [SECONDS + 40, "1"]]


def test_rejects_a_step_of_0(write):
    with pytest.raises(ValueError, match="above 0; got 0"):
        read_prometheus(write(response()), INDEX, step=0)


def test_label_studio_regions_are_named_by_label_and_id(write):
    begin = SECONDS * 1000
    path = write([task(region(begin, begin + 5_000, id="wx7"), region(begin + 20_000, begin + 30_000, "Stop"))])
    times = label_studio_times(Source(path))
    assert times.names == ("Run wx7", "Stop")
    assert times.labels == ({"label": "Run", "id": "wx7"}, {"label": "Stop"})
    assert times.rows(INDEX).names == ("Run wx7", "Stop")


DATED = ("grafana", "prometheus", "alertmanager", "nab-windows", "orion", "label-studio")


@pytest.mark.parametrize("kind", DATED)
def test_rejects_writing_seconds_since_a_start_as_dates(kind, tmp_path):
    with pytest.raises(ValueError, match=f"{kind} has dates, but .* has seconds since the start of a recording; choose another format"):
        write_annotations(read_annotations(FIXTURES / "events.tsv"), f"{kind}:{tmp_path / 'written'}")


@pytest.mark.parametrize("kind", [*DATED, "ranges"])
def test_an_excluded_end_of_dates_stays_excluded(kind, tmp_path):
    """Annotations of MNE exclude their end; one without length is a point in time."""
    source = tmp_path / "annotations.csv"
    source.write_text("onset,duration,description\n2024-01-01 10:00:00,3,drift\n2024-01-01 10:00:07,0,spike\n")
    given = read_annotations(source)
    write_annotations(given, f"{kind}:{tmp_path / 'written'}")
    index = np.datetime64("2024-01-01T10:00:00", "ns") + np.arange(10) * np.timedelta64(1, "s")
    written = read_annotations(tmp_path / "written", format=kind)
    assert list(written.rows(index)) == list(given.rows(index)) == [(0, 3), (7, 8)]
    times = tmp_path / "times.csv"
    times.write_text("timestamp,value\n" + "".join(f"{at},0\n" for at in index))
    assert list(read_case(source, source, times=times).real) == [(0, 3), (7, 8)]


@pytest.mark.parametrize("kind", [*DATED, "ranges"])
def test_open_ranges_stay_open_or_are_rejected(kind, write, tmp_path):
    labels, begin = {"alertname": "down"}, "2024-01-01T10:00:00"
    given = read_annotations(write([{"labels": labels, "startsAt": f"{begin}Z", "endsAt": "0001-01-01T00:00:00Z"}]))
    target = tmp_path / "written"
    if kind not in ("alertmanager", "ranges"):
        with pytest.raises(ValueError, match=r"range 0 down, which begins 2024-01-01T10:00:00, has no end; give .* --until"):
            write_annotations(given, f"{kind}:{target}")
        return
    write_annotations(given, f"{kind}:{target}")
    ranges = read_annotations(target, format=kind).given_ranges()
    assert ranges.firsts.tolist() == given.given_ranges().firsts.tolist()
    assert np.isnat(ranges.lasts).all()
    assert ranges.zoned


def test_ranges_keep_the_time_zone(write, tmp_path):
    """A converted file can be scored against its source, which has times with a zone."""
    source, target = write([{"time": SECONDS * 1000, "timeEnd": SECONDS * 1000 + 5000, "tags": ["anomaly"]}]), tmp_path / "written.csv"
    write_annotations(read_annotations(source), f"ranges:{target}")
    case = read_case(source, target)
    assert case.real == case.predicted
    target.write_text("start,end\n2024-01-01,2024-01-02\n")
    assert b"Z" not in write_annotations(read_annotations(target), "ranges:-")
