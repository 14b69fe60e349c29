"""KPIs, the UCR archive and SKAB by name: how their files are assembled and read.

The excerpt of a KPI is in tests/data (MIT license). The UCR archive states no license and SKAB is under the GPL, so the tests write their
own files in these formats.
"""

import gzip
import hashlib
import io
from pathlib import Path
from urllib.error import HTTPError

import numpy as np
import pytest

import rangewise as rw
from rangewise.datasets import kpi_names, load_kpi, load_skab, load_ucr, location, read_annotations, skab_names, ucr_names
from rangewise.datasets.location import DataFile, fetch, find_file, is_intact, kpi_text, registry, ucr_values

pytest.importorskip("polars")

EXCERPT = Path(__file__).parents[1] / "data" / "aiops-kpi" / "excerpt.csv"
KPI = "aiops-kpi/abc-def_tr_1200.csv.gz"


def excerpt_arrays():
    table = np.loadtxt(EXCERPT, delimiter=",", skiprows=1)
    halves = {"train": table[:1200], "test": table[1200:]}
    return {half + ending: rows[:, column] for half, rows in halves.items() for column, ending in enumerate(("_timestamp", "", "_label"))}


def packed(array):
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


@pytest.fixture
def served(monkeypatch, tmp_path):
    """The excerpt as a KPI in a repository of arrays. Tests may change the arrays that are served."""
    content = EXCERPT.read_bytes()
    file = DataFile(KPI, len(content), hashlib.sha256(content).hexdigest(), "UTS/AIOPS/abc-def")
    for module in ("location", "real_series"):
        monkeypatch.setattr(f"rangewise.datasets.{module}.registry", lambda: {KPI: file})
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    arrays = {f"{name}.npy": packed(array) for name, array in excerpt_arrays().items()}

    def urlopen(address, timeout):
        assert address.startswith(f"{location.RAW_FILES}/CSTCloudOps/datasets/0c6dfa19")
        name = address.rpartition("/")[2]
        if name not in arrays:
            raise HTTPError(address, 404, "Not Found", None, io.BytesIO())
        return io.BytesIO(arrays[name])

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    return file, arrays


def test_assembles_a_file_from_arrays(served):
    file, _ = served
    path = find_file(KPI)
    assert gzip.decompress(path.read_bytes()) == EXCERPT.read_bytes()
    assert is_intact(file)
    path.write_bytes(gzip.compress(EXCERPT.read_bytes() + b"1,1,1\n"))
    assert not is_intact(file)
    path.write_bytes(b"no gzip")
    assert not is_intact(file)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("test.npy", packed(np.zeros(800)), "the assembled series does not have the recorded checksum"),
        ("test.npy", packed(np.zeros(3)), "the arrays cannot be assembled"),
        ("test_label.npy", b"<html>", "test_label.npy is not an array"),
        ("train.npy", None, "the server answered 404 Not Found for train.npy"),
    ],
)
def test_bad_arrays_are_not_kept(served, tmp_path, name, content, message):
    file, arrays = served
    arrays.pop(name)
    if content is not None:
        arrays[name] = content
    with pytest.raises(FileNotFoundError, match=message):
        fetch([file])
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_load_kpi(served):
    series = load_kpi("abc")
    assert (series.name, len(series), series.train) == ("abc-def", 2000, (0, 1200))
    assert series.timestamps[1] - series.timestamps[0] == np.timedelta64(300, "s")
    labels = np.loadtxt(EXCERPT, delimiter=",", skiprows=1)[:, 2]
    assert series.labels.tolist() == labels.tolist()
    assert len(series.real) > 1
    assert read_annotations("kpi:abc-def").rows() == series.real
    with pytest.raises(ValueError, match=r"unknown KPI 'abd'; expected one of 1, such as abc-def"):
        load_kpi("abd")


def test_arrays_as_text():
    arrays = {f"{half}{ending}": np.array([1.0, 2.0]) for half in ("train", "test") for ending in ("", "_label", "_timestamp")}
    assert kpi_text(arrays | {"test": np.array([1 / 3, 4e-7])}).splitlines()[3:] == ["1,0.333333333,1", "2,4e-07,2"]
    assert ucr_values({"train": np.array([1e9, -0.0]), "test": np.array([1 / 3])}) == "1e+09\n0\n0.33333333\n"


def test_load_ucr(monkeypatch, tmp_path):
    name = next(file for file in registry() if file.startswith("ucr/001"))
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    (tmp_path / "ucr").mkdir()
    (tmp_path / name).write_bytes(gzip.compress(b"0.5\n" * 60_000))
    series = load_ucr("001_UCR_Anomaly_DISTORTED1sddb40")
    assert (series.train, series.real) == ((0, 35_000), rw.Ranges([(52_000, 52_621)]))
    with pytest.raises(ValueError, match="did you mean '001_UCR_Anomaly_DISTORTED1sddb40'"):
        load_ucr("001_UCR_Anomaly_DISTORTED1sddb4")


def test_load_skab(monkeypatch, tmp_path):
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    (tmp_path / "skab" / "data" / "valve1").mkdir(parents=True)
    columns = ["datetime", *(f"sensor{k}" for k in range(8)), "anomaly", "changepoint"]
    rows = [[f"2020-03-09 10:{k // 60:02}:{k % 60:02}", *map(str, range(k, k + 8)), str(float(450 <= k < 480)), "0.0"] for k in range(500)]
    (tmp_path / "skab/data/valve1/0.csv").write_text("\n".join(";".join(row) for row in [columns, *rows]))
    series = load_skab("valve1/0")
    assert (series.name, series.values.shape, series.train) == ("skab valve1/0", (500, 8), (0, 400))
    assert series.values[3].tolist() == list(range(3, 11))
    assert series.real == rw.Ranges([(450, 480)])
    assert read_annotations("skab:valve1/0").rows() == series.real
    with pytest.raises(ValueError, match="unknown series of SKAB 'valve3/0'; expected one of 34"):
        load_skab("valve3/0")


def test_names_are_unique():
    assert (len(kpi_names()), len(ucr_names()), len(skab_names())) == (22, 150, 34)
    assert [len(names) == len(set(names)) for names in (kpi_names(), ucr_names(), skab_names())] == [True] * 3


LOADERS = [("aiops-kpi", load_kpi, kpi_names), ("ucr", load_ucr, ucr_names), ("skab", load_skab, skab_names)]


@pytest.mark.parametrize(("collection", "load", "names"), LOADERS, ids=lambda each: each if isinstance(each, str) else "")
def test_downloaded_files_are_intact_and_can_be_read(collection, load, names):
    series = {file: name for name in names() for file in registry() if file.startswith(f"{collection}/") and f"/{name}" in file}
    present = [registry()[file] for file in series if location.local_path(file).is_file()]
    if not present:
        pytest.skip(f"needs `rangewise data get {collection}`")
    smallest = min(present, key=lambda file: file.bytes)
    assert is_intact(smallest)
    assert len(load(series[smallest.name]).real)
