"""Folders in NAB's layout: a small synthetic one with difficult cases, and NAB itself with its published scores."""

import csv
import gzip
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import rangewise as rw
from golden import nab_rows
from rangewise.datasets import load_nab, nab_names, nab_thresholds, read_nab, read_nab_results
from rangewise.inputs.ignored import without
from rangewise.metrics import NAB_PROFILES
from rangewise.metrics.nab.scoring import probation_rows
from small_nab import time, write, write_nab, write_results
from strategies import range_lists

DETECTORS = ("bayesChangePt", "null", "numenta", "skyline", "windowedGaussian")


@pytest.fixture
def folder(tmp_path):
    return write_nab(tmp_path / "nab")


@pytest.fixture
def results(tmp_path):
    return write_results(tmp_path / "results")


def change(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_series_and_windows(folder):
    assert nab_names(folder) == ("odd/jumpy.csv", "real/a_b.csv", "real/b.csv")
    series = read_nab(folder, "real/a_b.csv")
    assert series.name == "real/a_b.csv"
    assert series.real == rw.Ranges([(10, 15), (30, 31)])
    assert series.values[3, 0] == 3.5
    assert series.timestamps[1] == np.datetime64("2024-05-01T00:01")
    assert len(read_nab(folder, "real/b.csv").real) == 0


def test_first_row_of_a_repeated_timestamp_counts(folder):
    assert read_nab(folder, "odd/jumpy.csv").real == rw.Ranges([(16, 19)])


def test_spaces_around_values_are_accepted(folder):
    change(folder / "data/real/b.csv", ",7.5", ", 7.5 ")
    assert read_nab(folder, "real/b.csv").values[7, 0] == 7.5


def test_results_in_the_layout_of_nab(folder, results):
    read = read_nab_results(results, nab_names(folder))
    assert read.detector == "my_det"
    assert read.scores(read_nab(folder, "real/b.csv")).tolist() == [row / 100 for row in range(40)]


def test_results_of_several_detectors(folder, results):
    for name in nab_names(folder):
        category, file = name.split("/")
        (results / category / f"other_{file}").write_text("anomaly_score\n" + "1\n" * 40)
    with pytest.raises(ValueError, match=r"several detectors, .* choose one"):
        read_nab_results(results, nab_names(folder))
    assert read_nab_results(results, nab_names(folder), "other").scores(read_nab(folder, "real/b.csv")).tolist() == [1.0] * 40
    with pytest.raises(ValueError, match=r"no results for odd/jumpy.csv and 2 more"):
        read_nab_results(results, nab_names(folder), "third")


@pytest.mark.parametrize("as_folder", [True, False])
def test_results_in_one_table(folder, as_folder):
    path = folder.parent / "mine/anomaly_scores.csv.gz"
    path.parent.mkdir()
    lines = [f"{name},{row}" for name in nab_names(folder) for row in range(40)]
    path.write_bytes(gzip.compress("\n".join(["file,anomaly_score", *lines]).encode()))
    read = read_nab_results(path.parent if as_folder else path, nab_names(folder))
    assert read.detector == "mine"
    assert read.scores(read_nab(folder, "odd/jumpy.csv")).tolist() == list(range(40))


def table_of(path, lines):
    path.write_text("\n".join(["file,anomaly_score", *lines]))
    return path


def test_rejects_bad_tables(folder):
    names = nab_names(folder)
    lines = [f"{name},0.5" for name in names for _ in range(40)]
    path = folder.parent / "scores.csv"
    for changed, message in (
        ([*lines, lines[0]], "line 122: the rows of odd/jumpy.csv are in two places"),
        (lines[40:], "no results for odd/jumpy.csv; NAB scores all of its 3 files"),
        ([], "no results for odd/jumpy.csv and 2 more"),
        ([*lines, "real/c.csv,0"], "results for real/c.csv, which is not a file of NAB; did you mean 'real/b.csv'"),
        ([*lines[:7], "odd/jumpy.csv,high", *lines[7:]], "line 9: 'high' in column 'anomaly_score' is not a number"),
    ):
        with pytest.raises(ValueError, match=message):
            read_nab_results(table_of(path, changed), names)
    read = read_nab_results(table_of(path, lines[1:]), names)
    with pytest.raises(ValueError, match=r"39 scores for odd/jumpy.csv, but the file has 40 rows"):
        read.scores(read_nab(folder, "odd/jumpy.csv"))
    path.write_text("file,score\nreal/b.csv,1\n")
    with pytest.raises(ValueError, match="no column 'anomaly_score'; it has 'file', 'score'"):
        read_nab_results(path, names)


def test_rejects_bad_result_folders(folder, results):
    names = nab_names(folder)
    (results / "real/my_det_extra.csv").write_text("anomaly_score\n1\n")
    with pytest.raises(ValueError, match=r"real/my_det_extra.csv, which is not a result of my_det"):
        read_nab_results(results, names)
    (results / "real/my_det_extra.csv").unlink()
    (results / "real/my_det_b.csv").unlink()
    with pytest.raises(ValueError, match=r"no results for real/b.csv; NAB"):
        read_nab_results(results, names)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        read_nab_results(results / "nowhere", names)
    with pytest.raises(ValueError, match="no result files"):
        read_nab_results(results / "real", names)
    with pytest.raises(ValueError, match=r"result files such as odd/jumpy.csv; expected"):
        read_nab_results(folder / "data", ("real/c.csv",))


def test_rejects_bad_folders(folder):
    windows = folder / "labels/combined_windows.json"
    cases = [
        (lambda: read_nab(folder, "real/bb.csv"), "no file 'real/bb.csv'; did you mean 'real/b.csv'"),
        (lambda: read_nab(folder.parent, "real/b.csv"), "not a folder of NAB"),
        (lambda: read_nab(folder / "nowhere", "real/b.csv"), "does not exist"),
        (lambda: nab_thresholds(folder, "mine"), "thresholds.json does not exist"),
    ]
    for call, message in cases:
        with pytest.raises((ValueError, OSError), match=message):
            call()
    for old, new, message in (
        (time(30), time(50), "window 1 of real/a_b.csv starts at .*, but no row has this timestamp"),
        (f"{time(14)}.000000", "2024-05-01 00:14:30", "window 0 of real/a_b.csv ends at"),
        (time(14), time(3), "ends in row 3, before it starts in row 10"),
        (time(14), time(35), r"windows of real/a_b.csv: range 0 \[10, 36\) and range 1 \[30, 31\) overlap"),
        (time(14), "noon", r"window 0 of real/a_b.csv is .*; expected two times"),
        ('"real/b.csv": []', '"real/b.csv": 3', "real/b.csv has 3; expected a list"),
        ("{", "[", "line 1: not JSON"),
    ):
        text = windows.read_text()
        change(windows, old, new)
        with pytest.raises(ValueError, match=message):
            read_nab(folder, "real/a_b.csv")
        windows.write_text(text)
    data = folder / "data/real/a_b.csv"
    for old, new, message in (
        ("7.5", "much", "line 9: 'much' in column 'value' is not a number"),
        (time(7), "today", "line 9: 'today' is not a time"),
        ("timestamp", "when", "no column 'timestamp'"),
    ):
        text = data.read_text()
        change(data, old, new)
        with pytest.raises(ValueError, match=message):
            read_nab(folder, "real/a_b.csv")
        data.write_text(text)
    data.unlink()
    with pytest.raises(FileNotFoundError, match=r"a_b.csv does not exist"):
        read_nab(folder, "real/a_b.csv")


def test_published_thresholds(folder):
    path = folder / "config/thresholds.json"
    write(path, json.dumps({"mine": {"standard": {"score": 1.0, "threshold": 0.5}}, "broken": {"standard": 3}}))
    assert nab_thresholds(folder, "mine") == {"standard": 0.5}
    with pytest.raises(ValueError, match="no detector 'mime'; did you mean 'mine'"):
        nab_thresholds(folder, "mime")
    with pytest.raises(ValueError, match="for broken; got"):
        nab_thresholds(folder, "broken")


@pytest.fixture(scope="module")
def all_series():
    return nab_rows()


def test_nab_has_58_series_and_116_windows(all_series):
    assert len(all_series) == 58
    assert sum(len(series.real) for series in all_series) == 116
    assert sum(map(len, all_series)) == 365_558


def test_windows_of_every_file_of_nab(all_series, nab_data):
    folder = nab_data / "nab"
    read = {name: read_nab(folder, name) for name in nab_names(folder)}
    assert {name: (len(series), series.real) for name, series in read.items()} == {
        series.name: (len(series), series.real) for series in all_series
    }


def test_loads_one_file_of_nab_by_name(all_series, golden_folder, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    rows = {series.name: series.real for series in all_series}
    assert load_nab("realKnownCause/nyc_taxi.csv").real == rows["realKnownCause/nyc_taxi.csv"]
    with pytest.raises(ValueError, match=r"did you mean 'realKnownCause/nyc_taxi.csv'"):
        load_nab("realKnownCause/nyc_taxis.csv")


@pytest.mark.parametrize("detector", DETECTORS)
def test_matches_published_scores(request, golden_folder, all_series, detector):
    nab_folder = golden_folder / "nab"
    if not (nab_folder / "results" / detector).is_dir():
        nab_folder = request.getfixturevalue("nab_data") / "nab"
        if not (nab_folder / "results" / detector / "anomaly_scores.csv.gz").is_file():
            pytest.skip(f"needs the scores of {detector}, 2.2 MB that are derived from NAB's results and not published as one file")
    results = read_nab_results(nab_folder / "results" / detector, nab_names(nab_folder))
    corpus = {series.name: (series.real, results.scores(series)) for series in all_series}
    published = json.loads((nab_folder / "results/final_results.json").read_text())
    for profile, threshold in nab_thresholds(nab_folder, detector).items():
        corpus_score = rw.nab_corpus(corpus, profile=profile, threshold=threshold)
        with (nab_folder / "results" / detector / f"{detector}_{profile}_scores.csv").open() as file:
            *rows, total = csv.DictReader(file)
        assert len(rows) == 58
        by_name = {row["File"]: row for row in rows}
        for file in corpus_score.files:
            row = by_name[file.name]
            assert file.raw == approx(float(row["Score"]), rel=0, abs=1e-9)
            assert [file.tp, file.tn, file.fp, file.fn] == [int(row[count]) for count in ("TP", "TN", "FP", "FN")]
            assert file.score.length == int(row["Total_Count"])
        assert corpus_score.raw == approx(float(total["Score"]), rel=0, abs=1e-9)
        # NAB's table of final results has no row for bayesChangePt, so only the sum over all files is compared.
        if detector != "bayesChangePt":
            assert corpus_score.normalized == approx(published[detector][profile], rel=0, abs=1e-9)
        assert rw.nab_corpus(corpus, profile=profile).raw >= corpus_score.raw - 1e-12
    assert set(nab_thresholds(nab_folder, detector)) == set(NAB_PROFILES)


@given(windows=range_lists(), ignored=range_lists(), data=st.data(), probation=st.booleans())
def test_ignored_rows_are_neither_detected_nor_counted(windows, ignored, data, probation):
    scores = np.array(data.draw(st.lists(st.integers(0, 4), min_size=60, max_size=60)), dtype=float)
    ignored = [(start, min(stop, 60)) for start, stop in ignored if start < 60]
    windows = [(start, min(stop, 60)) for start, stop in windows if start < 60]
    rows = {row for start, stop in ignored for row in range(start, stop)}
    clipped = without(rw.Ranges(windows), rw.Ranges(ignored))[0]

    def by_hand(threshold):
        detected = [int(score >= threshold and row not in rows) for row, score in enumerate(scores)]
        return rw.nab_score(clipped, detected, probation=probation)

    thresholds = [np.inf, *np.unique(scores)]
    for threshold in thresholds:
        result = rw.nab_corpus({"a": (windows, scores)}, threshold=threshold, probation=probation, ignore={"a": ignored})
        expected = by_hand(threshold)
        assert result.raw == pytest.approx(expected.raw)
        assert (result.tp, result.fp, result.fn) == (expected.tp, expected.fp, expected.fn)
        first_counted = probation_rows(60) if probation else 0
        assert result.tn == expected.tn - len([row for row in rows if row >= first_counted])
    best = rw.nab_corpus({"a": (windows, scores)}, probation=probation, ignore={"a": ignored})
    assert best.raw == pytest.approx(max(by_hand(threshold).raw for threshold in thresholds))


def test_rejects_ignored_intervals_of_unknown_series():
    with pytest.raises(ValueError, match="a series in ignore is one of a; got 'b'"):
        rw.nab_corpus({"a": ([(2, 4)], np.zeros(9))}, ignore={"b": [(0, 1)]})


def test_a_corpus_of_32_bits_is_compared_as_such():
    real, scores = [0, 1, 0, 1, 0, 0], np.array([0.1, 0.7, 0.2, 0.9, 0.1, 0.0], dtype=np.float32)
    corpus = rw.nab_corpus({"a": (real, scores)}, threshold=0.7, probation=False)
    assert corpus.raw == rw.nab_score(rw.Case.read(real, scores=scores).at(0.7), probation=False).raw == 2.0
