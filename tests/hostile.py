"""Writes small files that expand to huge data into a folder: ``python tests/hostile.py FOLDER``."""

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 150_000_000
SERIES = 4_000_000
PIECES = 60_000_000


def make(folder):
    folder = Path(folder)
    # All rows in one row group, which polars would unpack at once.
    labels = pl.select(pl.repeat(0, ROWS, dtype=pl.UInt8).alias("label"))
    labels.write_parquet(folder / "labels.parquet", row_group_size=ROWS)
    labels.select(s="label", real="label", predicted="label").write_parquet(folder / "table.parquet", row_group_size=ROWS)
    del labels
    numbers = pl.select(pl.int_range(SERIES, dtype=pl.Int32).alias("s"))
    zeros = pl.lit(0, dtype=pl.UInt8)
    numbers.with_columns(real=zeros, predicted=zeros).write_parquet(folder / "series.parquet", compression_level=10)
    pl.DataFrame({"label": np.arange(PIECES) % 2 == 0}).write_parquet(folder / "pieces.parquet")
    pl.select(pl.repeat(True, PIECES, dtype=pl.Boolean).alias("label")).write_parquet(folder / "ones.parquet")
    # A dictionary column that repeats one long text.
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(1000, dtype=np.int32)), pa.array(["x" * 5_000_000]))
    pq.write_table(pa.table({"class": texts}), folder / "texts.parquet")
    block = gzip.compress(b"a,1,1\n" * 2_000_000)
    (folder / "packed.csv").write_bytes(gzip.compress(b"s,real,predicted\n") + block * 20)
    (folder / "columns.csv").write_bytes(b"," * 10_000_000 + b"\n1")
    (folder / "short.csv").write_bytes(b"a," * 10_000 + b"z\n" + b"1\n" * 2_000_000)
    _detectors(folder)


def _detectors(folder):
    from safetensors.numpy import save

    state = {"channels": np.array(1), "threshold": np.array(1.0), "mean": np.zeros(1), "spread": np.ones(1)}
    for name, kind, settings, changes in (
        ("layers", "lstm-ad", {"layers": 10**8}, {}),
        ("sections", "luminol-bitmap", {"sections": 10**9, "lag": 30, "future": 30}, {}),
        ("channels", "z-score", {}, {"channels": np.array(100_000), "mean": np.zeros(100_000), "spread": np.ones(100_000)}),
    ):
        arrays = state | changes
        if kind == "luminol-bitmap":
            arrays = {key: arrays[key] for key in ("channels", "threshold")}
        metadata = {"version": 1, "detector": kind, "settings": settings, "arrays": sorted(arrays)}
        (folder / f"{name}.safetensors").write_bytes(save(arrays, {"rangewise_detector": json.dumps(metadata)}))


if __name__ == "__main__":
    make(sys.argv[1])
