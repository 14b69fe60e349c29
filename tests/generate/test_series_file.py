import json
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from tests.peak_memory import IMPORT

from rangewise.datasets import Anomalies, Recipe, Series, make_series
from rangewise.generate.bases import CHUNK
from rangewise.generate.maker import as_own
from rangewise.generate.own_file import read_own
from rangewise.generate.series_file import write_series
from rangewise.inputs.ranges import Ranges

LONG = 2 * CHUNK + 999


def read(path):
    return pl.read_csv(path) if path.suffix == ".csv" else pl.read_parquet(path)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("channels", [1, 2])
def test_file_matches_the_series_in_memory(tmp_path, suffix, channels):
    recipe = Recipe(base="ecg", length=LONG, seed=6, channels=channels)
    series = make_series(recipe)
    written_rows = []
    recipe_path, real = write_series(recipe, tmp_path / f"series.{suffix}", workers=3, progress=written_rows.append)
    assert sum(written_rows) == LONG
    assert real == series.real
    assert Recipe.from_json(recipe_path.read_text()) == recipe
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"series.{suffix}", f"series.{suffix}.recipe.json"]
    table = read(tmp_path / f"series.{suffix}")
    names = ["value"] if channels == 1 else ["value-0", "value-1"]
    assert table.columns == ["timestamp", *names, "is_anomaly"]
    assert table["timestamp"].to_list() == list(range(LONG))
    assert table.select(names).to_numpy().tobytes() == series.values.tobytes()
    assert (table["is_anomaly"].to_numpy() == series.labels).all()


def test_files_have_the_same_bytes_for_any_number_of_workers(tmp_path):
    recipe = Recipe(base="walk", length=LONG, noise=0.1)
    contents = set()
    for workers in (1, 2, 7):
        write_series(recipe, tmp_path / "series.csv", workers=workers)
        contents.add((tmp_path / "series.csv").read_bytes())
    assert len(contents) == 1


@pytest.mark.parametrize("part", [(CHUNK - 100, CHUNK), (CHUNK, CHUNK + 100)])
def test_anomaly_that_starts_or_ends_with_a_chunk(tmp_path, part):
    recipe = Recipe(length=2 * CHUNK, anomalies=Anomalies(kinds="mean", exact_lengths=[100], part=part))
    write_series(recipe, tmp_path / "series.parquet")
    assert Ranges.from_labels(read(tmp_path / "series.parquet")["is_anomaly"]) == Ranges([part])


def test_anomaly_longer_than_a_chunk_is_labeled_in_all_chunks(tmp_path):
    recipe = Recipe(length=LONG, anomalies=Anomalies(kinds="trend", exact_lengths=[CHUNK + 500]))
    _, real = write_series(recipe, tmp_path / "series.parquet")
    assert read(tmp_path / "series.parquet")["is_anomaly"].to_list() == real.to_labels(LONG).tolist()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_own_timestamps_are_kept(tmp_path, suffix):
    times = np.datetime64("2024-03-01T00:00", "us") + np.arange(500) * np.timedelta64(300, "s")
    own = Series("pump", np.arange(500.0), timestamps=times, real=[(20, 40)])
    write_series(Recipe(base="own", length=500), tmp_path / f"out.{suffix}", own=own)
    loaded = read_own(tmp_path / f"out.{suffix}")
    assert (loaded.timestamps.astype("datetime64[us]") == times).all()
    assert (20, 40) in list(loaded.real)
    assert loaded.channels == 1


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_interruption_leaves_no_file(tmp_path, suffix):
    def interrupt(_rows):
        raise KeyboardInterrupt

    with pytest.raises((KeyboardInterrupt, pl.exceptions.PolarsError)):
        write_series(Recipe(length=LONG), tmp_path / f"series.{suffix}", progress=interrupt)
    assert list(tmp_path.iterdir()) == []


def test_failure_keeps_the_old_file(tmp_path):
    (tmp_path / "series.csv").write_text("old")
    with pytest.raises(ValueError, match="do not fit"):
        write_series(Recipe(length=100, anomalies=Anomalies(number=90, lengths=(5, 5))), tmp_path / "series.csv")
    assert (tmp_path / "series.csv").read_text() == "old"


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        ("series.txt", ValueError, "the suffix must be"),
        ("no/series.csv", FileNotFoundError, "does not exist"),
        ("d.csv", IsADirectoryError, "is a directory"),
    ],
)
def test_rejects_bad_targets(tmp_path, name, error, message):
    (tmp_path / "d.csv").mkdir()
    with pytest.raises(error, match=message):
        write_series(Recipe(), tmp_path / name)


def test_series_is_never_entirely_in_memory(tmp_path):
    # 20 million points are 160 MB of values. Writing them adds about 25 MB to the peak of a small run; the rest of the limit is margin.
    peaks = []
    for length in (200_000, 20_000_000):
        code = (
            f"{IMPORT}from rangewise.datasets import Recipe; from rangewise.generate.series_file import write_series;"
            f"write_series(Recipe(length={length}), sys.argv[1], workers=2); print(peak_memory())"
        )
        process = subprocess.run([sys.executable, "-c", code, str(tmp_path / "long.parquet")], capture_output=True, text=True, check=True)
        peaks.append(int(process.stdout) >> 20)
    assert peaks[1] - peaks[0] < 120


def test_an_own_column_with_an_empty_cell_is_not_left_out(tmp_path):
    (tmp_path / "own.csv").write_text("x,y,note\n1,2,a\n,3,b\n4,5,c\n")
    with pytest.raises(ValueError, match="the series own to augment has nan at row 1, channel 0"):
        read_own(tmp_path / "own.csv")


def test_own_file(tmp_path):
    table = tmp_path / "own.csv"
    pl.DataFrame({"name": ["a"] * 4, "x": [1, 2, 3, 4], "y": [0.5, 1.5, 2.5, 3.5], "is_anomaly": [0, 1, 1, 0]}).write_csv(table)
    both, one = read_own(table), read_own(table, ["y"])
    assert both.values.tolist() == [[1, 0.5], [2, 1.5], [3, 2.5], [4, 3.5]]
    assert one.values[:, 0].tolist() == [0.5, 1.5, 2.5, 3.5]
    assert list(both.real) == [(1, 3)]
    for column, message in (("z", "is one of name, x, y, is_anomaly"), ("name", "line 2: 'a' in column 'name' is not a number")):
        with pytest.raises(ValueError, match=message):
            read_own(table, [column])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\nx,y\n", "has no column that holds only numbers"),
        ("value\n1\nnan\n3\n", "nan at row 1"),
        ("", "is empty"),
        ("value\n", "no rows|holds only numbers"),
        ("timestamp,value\nx,1\ny,2\n", "line 2"),
        ("value,is_anomaly\n1,0\n2,5\n", "line 3: '5' is not a label"),
    ],
)
def test_rejects_bad_own_files(tmp_path, content, message):
    path = tmp_path / "own.csv"
    path.write_text(content)
    with pytest.raises(ValueError, match=message):
        read_own(path)


def test_missing_own_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        read_own(tmp_path / "none.csv")


def test_as_own_returns_a_series_unchanged():
    series = Series("a", [1.0, 2.0])
    assert as_own(series) is series
    assert json.loads(Recipe(base="own", length=2).to_json())["base"] == "own"
