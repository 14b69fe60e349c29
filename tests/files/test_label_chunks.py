import numpy as np
import polars as pl
import pytest

from rangewise.cli import long_series, run
from rangewise.files import label_chunks as chunks


@pytest.fixture
def labels(tmp_path, monkeypatch):
    """Chunks of a few bytes, so that labels and line ends are cut wherever they can be."""
    monkeypatch.setattr(chunks, "_BLOCK", 7)
    monkeypatch.setattr(chunks, "_ROWS", 7)
    monkeypatch.setattr(long_series, "LONG", 0)
    found = np.random.default_rng(3).integers(0, 2, 101)
    (tmp_path / "lines.txt").write_text("\n".join(map(str, found)))
    (tmp_path / "words.txt").write_text(" ".join("1.0" if label else "false" for label in found) + "\n")
    pl.DataFrame({"label": found}).write_parquet(tmp_path / "one.parquet")
    return tmp_path, found


@pytest.mark.parametrize("name", ["lines.txt", "words.txt", "one.parquet"])
def test_chunks_are_the_labels(labels, name):
    folder, found = labels
    assert chunks.has_chunks(folder / name)
    assert np.concatenate(list(chunks.label_chunks(folder / name))).tolist() == found.tolist()


def test_bytes_are_those_of_the_labels_not_of_the_file(labels):
    folder, found = labels
    pl.DataFrame({"label": np.repeat(found, 1000)}).write_parquet(folder / "long.parquet")
    assert chunks.label_bytes(folder / "long.parquet") == 101_000 > (folder / "long.parquet").stat().st_size
    assert chunks.label_bytes(folder / "lines.txt") == 201
    (folder / "cut.parquet").write_bytes((folder / "long.parquet").read_bytes()[:-9])
    assert chunks.label_bytes(folder / "cut.parquet") == 0


def test_a_long_series_scores_as_a_short_one(labels, capsys, monkeypatch):
    folder, found = labels
    (folder / "other.txt").write_text(" ".join(map(str, found[::-1])))
    sides = ["score", str(folder / "lines.txt"), str(folder / "other.txt"), "--json", "--cardinality", "reciprocal"]
    assert run(sides) == 0
    in_chunks = capsys.readouterr().out
    monkeypatch.setattr(long_series, "LONG", 1 << 40)
    assert run(sides) == 0
    assert capsys.readouterr().out == in_chunks


def test_bad_input_is_told_with_its_line(labels, capsys):
    folder, _ = labels
    (folder / "wrong.txt").write_text("0\n" * 90 + "2\n" + "0\n" * 10)
    assert run(["score", str(folder / "lines.txt"), str(folder / "wrong.txt")]) == 2
    assert "wrong.txt, line 91: '2' is not a label" in capsys.readouterr().err
    (folder / "short.txt").write_text("0\n" * 90)
    assert run(["score", str(folder / "lines.txt"), str(folder / "short.txt")]) == 2
    assert "real has 101 labels and predicted has 90" in capsys.readouterr().err
