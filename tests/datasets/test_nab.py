"""The Numenta Anomaly Benchmark in the data folder: all of its files, values and windows."""

import csv
import gzip
import json
import subprocess
import sys
from datetime import datetime

import numpy as np
import pytest

from rangewise.datasets import load_nab, load_nab_corpus, nab, read_annotations
from rangewise.datasets.location import COLLECTIONS
from rangewise.files.formats.nab_windows import read_nab_windows


@pytest.fixture
def public(nab_data, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(nab_data))
    return nab_data / COLLECTIONS["nab"].folder


def test_corpus_has_58_files_and_116_windows_at_the_right_rows(public):
    windows = json.loads((public / "labels" / "combined_windows.json").read_text())
    corpus = list(load_nab_corpus())
    assert [series.name for series in corpus] == sorted(windows)
    assert (len(corpus), sum(len(series.real) for series in corpus)) == (58, 116)
    for series in corpus:
        with (public / "data" / series.name).open() as file:
            rows = list(csv.DictReader(file))
        assert series.values[:, 0].tolist() == [float(row["value"]) for row in rows]
        times = [row["timestamp"] for row in rows]
        ends = [[datetime.fromisoformat(end).isoformat(" ") for end in window] for window in windows[series.name]]
        assert list(series.real) == [(times.index(first), times.index(last) + 1) for first, last in ends]


def test_reads_the_windows_of_all_files(public):
    folder = nab.nab_folder()
    for series in load_nab_corpus():
        windows = read_nab_windows(folder / "labels" / "combined_windows.json", series.timestamps, series=series.name)
        assert list(windows) == list(series.real), series.name


def test_both_readers_agree(public):
    for name in nab.nab_names(public):
        plain, table = nab._plain_columns(public / "data" / name), nab._table_columns(public / "data" / name)
        assert plain is not None
        for plain_column, table_column in zip(plain, table, strict=True):
            assert np.array_equal(plain_column, table_column)
            assert plain_column.dtype == table_column.dtype


@pytest.mark.parametrize(
    "content",
    [
        "",
        "timestamp,value\n",
        "time,value\n2014-01-01 00:00:00,1\n",
        "timestamp,value\n2014-01-01 00:00:00,1\n2014-01-01,2\n",
        "timestamp,value\n2014-01-01 00:00:00.5,1\n",
        "timestamp,value\n2014-01-01T00:00:00,1\n",
        "timestamp,value\n2014-13-01 00:00:00,1\n",
        "timestamp,value\n2014-01-01 00:00:00,x\n",
        "timestamp,value\n2014-01-01 00:00:00,1,2\n",
    ],
)
def test_unusual_files_are_left_to_the_table_reader(tmp_path, content):
    (tmp_path / "a.csv").write_text(content)
    assert nab._plain_columns(tmp_path / "a.csv") is None


def test_time_jump_in_machine_temperature(golden_folder, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    series = load_nab("realKnownCause/machine_temperature_system_failure.csv")
    assert (len(series), len(series.real)) == (22_695, 4)
    assert (np.diff(series.timestamps) < np.timedelta64(0)).sum() == 1
    assert len(series.timestamps) - len(np.unique(series.timestamps)) == 12
    assert list(series.split(0.5)[0].real) == list(series.real)[:2]
    assert series.plot().axes[0].get_xlabel() == "row"


def test_corpus_is_lazy(public, monkeypatch):
    read = []
    monkeypatch.setattr(nab, "read_nab", lambda folder, name: read.append(name) or name)
    corpus = load_nab_corpus()
    assert read == []
    assert next(corpus) == read[0]
    assert len(read) == 1


def test_reads_by_prefix(public):
    annotations = read_annotations("nab:realKnownCause/nyc_taxi.csv")
    assert (len(annotations.rows()), annotations.length) == (5, 10_320)
    windows = read_annotations(public / "labels" / "combined_windows.json", series=annotations.series.name)
    assert windows.rows(annotations.timestamps) == annotations.rows()


def test_rejects_unknown_names(public):
    with pytest.raises(ValueError, match=r"did you mean 'realKnownCause/nyc_taxi.csv'"):
        load_nab("realKnownCause/nyc_taxis.csv")
    with pytest.raises(ValueError, match="has no file"):
        load_nab("../../paper-labels/golden.json")


def test_loads_a_file_without_polars(public):
    code = "import sys; from rangewise.datasets import load_nab; load_nab('realKnownCause/nyc_taxi.csv'); print('polars' in sys.modules)"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "False"


def test_rejects_small_files_that_unpack_to_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr(nab, "MOST_UNPACKED", 1 << 20)
    (tmp_path / "anomaly_scores.csv.gz").write_bytes(gzip.compress(b"file,anomaly_score\n" + b"a,0\n" * (1 << 20)))
    with pytest.raises(ValueError, match="unpacks to more than 1 MB"):
        nab.read_nab_results(tmp_path, ["a"])


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "real/../../secret.csv", "..\\secret.csv", "C:\\secret.csv"])
def test_rejects_names_outside_the_folder(tmp_path, name):
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "combined_windows.json").write_text(json.dumps({name: []}))
    with pytest.raises(ValueError, match="is not the name of a file in the folder data"):
        nab.read_nab(tmp_path, name)
