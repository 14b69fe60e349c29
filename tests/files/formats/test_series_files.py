"""Formats that hold a whole series: TSB-AD, TimeEval, the UCR archive, plain tables. Valid files are tested in
``tests/datasets/test_arguments.py``.
"""

import re

import numpy as np
import pytest

from rangewise.datasets.paper_labels import DATASETS, DETECTORS, load_paper_labels
from rangewise.datasets.real_series import DISCORDS, load_discord
from rangewise.files.formats.label_table import read_series_table
from rangewise.files.formats.nab_result import read_nab_result
from rangewise.files.formats.timeeval import read_timeeval
from rangewise.files.formats.tsb_ad import read_tsb_ad
from rangewise.files.formats.ucr import read_ucr
from rangewise.inputs.ranges import Ranges

UCR = "001_UCR_Anomaly_Made_2_3_5.txt"


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return written


def test_reads_ucr_values_on_one_line(write):
    series = read_ucr(write(UCR, " 1 2 3 4 5 6 \n"))
    assert (len(series), series.channels, list(series.real)) == (6, 1, [(3, 6)])
    assert list(read_ucr(write(UCR, "1 2 3 4 5 6"), inclusive=False).real) == [(3, 5)]


@pytest.mark.parametrize("label", ["label", "kind"])
def test_an_empty_cell_is_a_missing_value_and_hides_no_channel(write, label):
    path = write("t.csv", f"timestamp,a,b,note,{label}\n1,5,1,x,0\n2,, ,,1\n3,7,3,,0\n")
    series = read_series_table(path, label)
    np.testing.assert_array_equal(series.values, [[5, 1], [np.nan, np.nan], [7, 3]])
    assert list(series.real) == [(1, 2)]
    alone = read_series_table(write("v.csv", "timestamp,a\n1,5\n2,\n3,7\n"))
    np.testing.assert_array_equal(alone.values, [[5], [np.nan], [7]])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("mine.txt", "1\n", "does not have a name of the UCR archive, 001_UCR_Anomaly_NAME_TRAINEND_START_END.txt"),
        (UCR, "1\n2\n3\n4\n5\n", "its name says training to 2, anomaly 3 to 5; it has 5 values"),
        (UCR, "1\n2\nx\n4\n5\n6\n", "line 3: 'x' is not a number"),
        (UCR, "1\n2\n3 3\n4\n5\n6\n", "line 3: 2 numbers, but the first line has 1"),
        (UCR, "1 2\n" * 6, "2 values per line"),
        (UCR, "\n", "is empty"),
        ("001_UCR_Anomaly_Made_2_5_3.txt", "1\n" * 9, "anomaly 5 to 3"),
        ("001_UCR_Anomaly_Made_0_3_5.txt", "1\n" * 9, "training to 0"),
    ],
)
def test_rejects_bad_ucr_files(write, name, text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        read_ucr(write(name, text))


def test_tsb_ad_without_a_training_part(write):
    assert read_tsb_ad(write("mine.csv", "Data,Label\n1,0\n2,1\n")).train is None


@pytest.mark.parametrize(
    ("read", "name", "text", "message"),
    [
        (read_tsb_ad, "a.csv", "Data,label\n1,0\n", "TSB-AD has columns of data, then Label"),
        (read_tsb_ad, "a.csv", "Label\n1\n", "TSB-AD has columns of data"),
        (read_tsb_ad, "a.csv", "Data,Label\n", "no rows"),
        (read_tsb_ad, "1_tr_7_1st_8.csv", "Data,Label\n1,0\n", "according to its name, 7 rows are for training, but it has only 1 rows"),
        (read_tsb_ad, "a.csv", "Data,Label\n1,0\n2,7\n", "line 3: '7' is not a label"),
        (read_timeeval, "a.csv", "timestamp,value\n1,0\n", "TimeEval has timestamp"),
        (read_timeeval, "a.csv", "timestamp\n1\n", "TimeEval has timestamp"),
        (read_timeeval, "a.csv", "timestamp,value,is_anomaly\n1,0,0\n3,0,0\n2,0,0\n", "line 4: 2 goes back in time"),
        (read_timeeval, "a.csv", "timestamp,value,is_anomaly\n1,0,0\n1,0,0\n", "line 3: 1 repeats"),
        (read_timeeval, "a.csv", "timestamp,value,is_anomaly\n1,0,0\n1,0\n", "line 3: 2 cells"),
        (read_nab_result, "a.csv", "timestamp,value\n2024-01-01,0\n", "no column 'label'"),
    ],
)
def test_rejects_bad_tables(write, read, name, text, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        read(write(name, text))


def test_reads_plain_tables(write):
    series = read_series_table(write("t.csv", "timestamp,a,who,label\n2024-01-02,1,x,0\n2024-01-01,2,y,1\n"))
    assert (series.channels, list(series.real), series.timestamps[0]) == (1, [(1, 2)], np.datetime64("2024-01-02"))
    assert len(read_series_table(write("t.csv", "timestamp,a,b\n1,1,2\n")).real) == 0
    with pytest.raises(ValueError, match="line 2: 'x' in column 'who' is not a number"):
        read_series_table(write("t.csv", "timestamp,who\n1,x\n"))


def test_loads_paper_labels(golden_folder, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    for dataset in DATASETS:
        for detector in ("simple",) if dataset == "simple" else DETECTORS:
            real, predicted = load_paper_labels(dataset, detector)
            assert real.dtype == predicted.dtype == np.uint8
            assert len(real) == len(predicted) == len((golden_folder / f"paper-labels/{dataset}/{detector}.real").read_text().split())
    assert len(load_paper_labels("sine", "luminol")[0]) == 9985
    assert Ranges.from_labels(load_paper_labels("sine")[0]).lengths.tolist() == [29, 73, 89, 2, 20, 74, 6, 54]


def test_rejects_unknown_names_of_public_data():
    with pytest.raises(ValueError, match="no data set 'taxi'; it has aapl"):
        load_paper_labels("taxi", "lstm_ad")
    with pytest.raises(ValueError, match=r"no labels of detector '../../x'; it has lstm_ad"):
        load_paper_labels("ecg", "../../x")
    with pytest.raises(ValueError, match="it has simple"):
        load_paper_labels("simple", "lstm_ad")
    with pytest.raises(ValueError, match="unknown discord series 'TEK15'; expected one of qtdbsel102"):
        load_discord("TEK15")


def test_loads_discords(discord_data, golden_folder, monkeypatch):
    import json

    monkeypatch.setenv("RANGEWISE_DATA", str(discord_data))
    labels = json.loads((golden_folder / "discords" / "labels.json").read_text())
    assert set(labels) == set(DISCORDS)
    for name, expected in labels.items():
        series = load_discord(name)
        assert (len(series), series.channels) == (expected["rows"], expected["channels"])
        assert series.real == Ranges.from_inclusive(expected["anomaly_ranges_inclusive_0based"])
    times = load_discord("qtdbsel102").timestamps
    assert set(np.diff(times).tolist()) == {4}
    assert load_discord("TEK14").timestamps is None
