import numpy as np
import polars as pl
import pytest

from rangewise.cli import long_series, run
from rangewise.files import label_chunks as chunks


@pytest.fixture
def labels(tmp_path, monkeypatch):
    """Labels in several formats, read in chunks of a few bytes so that chunks end inside labels and line ends."""
    monkeypatch.setattr(chunks, "_BLOCK", 7)
    monkeypatch.setattr(chunks, "_ROWS", 7)
    monkeypatch.setattr(long_series, "LONG", 0)
    values = np.random.default_rng(3).integers(0, 2, 101)
    (tmp_path / "lines.txt").write_text("\n".join(map(str, values)))
    (tmp_path / "words.txt").write_text(" ".join("1.0" if label else "false" for label in values) + "\n")
    pl.DataFrame({"label": values}).write_parquet(tmp_path / "one.parquet")
    return tmp_path, values


@pytest.mark.parametrize("name", ["lines.txt", "words.txt", "one.parquet"])
def test_chunks_contain_all_labels(labels, name):
    folder, values = labels
    assert chunks.has_chunks(folder / name)
    assert np.concatenate(list(chunks.label_chunks(folder / name))).tolist() == values.tolist()


def test_label_bytes_counts_labels_instead_of_file_size(labels):
    folder, values = labels
    pl.DataFrame({"label": np.repeat(values, 1000)}).write_parquet(folder / "long.parquet")
    assert chunks.label_bytes(folder / "long.parquet") == 101_000 > (folder / "long.parquet").stat().st_size
    assert chunks.label_bytes(folder / "lines.txt") == 201
    (folder / "cut.parquet").write_bytes((folder / "long.parquet").read_bytes()[:-9])
    assert chunks.label_bytes(folder / "cut.parquet") == 0


def test_long_series_score_like_short_ones(labels, capsys, monkeypatch):
    folder, values = labels
    (folder / "other.txt").write_text(" ".join(map(str, values[::-1])))
    sides = ["score", str(folder / "lines.txt"), str(folder / "other.txt"), "--json", "--cardinality", "reciprocal"]
    assert run(sides) == 0
    in_chunks = capsys.readouterr().out
    monkeypatch.setattr(long_series, "LONG", 1 << 40)
    assert run(sides) == 0
    assert capsys.readouterr().out == in_chunks


def test_rejects_bad_labels_and_different_lengths(labels, capsys):
    folder, _ = labels
    (folder / "wrong.txt").write_text("0\n" * 90 + "2\n" + "0\n" * 10)
    assert run(["score", str(folder / "lines.txt"), str(folder / "wrong.txt")]) == 2
    assert "wrong.txt, line 91: '2' is not a label" in capsys.readouterr().err
    (folder / "short.txt").write_text("0\n" * 90)
    assert run(["score", str(folder / "lines.txt"), str(folder / "short.txt")]) == 2
    assert "real has 101 labels and predicted has 90" in capsys.readouterr().err
