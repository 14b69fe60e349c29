"""Writes files with rangewise 0.2.0 for tests/test_older_files.py: `python make_release_0_2.py FOLDER`. Requires version 0.2.0."""

import gzip
import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

import rangewise as rw
from rangewise.detectors import ZScore
from rangewise.generate.recipe import Recipe

EXPERIMENT = """
name = "made"
[[detector]]
name = "z-score"
[[series]]
path = "made.csv"
"""


def main(folder: Path) -> None:
    assert rw.__version__ == "0.2.0"
    models = [*rw.PRESETS.values(), rw.RangeModel(alpha=0.5, beta=2.0, recall_bias="middle", cardinality="reciprocal")]
    content = {
        "models": {str(model): model.short_hash for model in models},
        "tally": rw.early.tally([(0, 4), (9, 12)], [(2, 6)]).to_dict(),
    }
    (folder / "models.json").write_text(json.dumps(content, indent=1) + "\n")
    (folder / "recipe.json").write_text(Recipe(length=300).to_json())
    ZScore().fit(np.arange(20.0)).save(folder / "z-score.safetensors")
    with tempfile.TemporaryDirectory() as working_folder:
        os.chdir(working_folder)
        rows = [f"{row % 7 + (9 if row % 50 == 30 else 0)},{row % 50 == 30:d}" for row in range(200)]
        Path("made.csv").write_text("\n".join(["value,label", *rows]) + "\n")
        Path("made.toml").write_text(EXPERIMENT)
        rw.bench.run(rw.bench.Experiment.read("made.toml"), store="made.rwbench", workers=1).close()
        (folder / "store.rwbench.gz").write_bytes(gzip.compress(Path("made.rwbench").read_bytes(), mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
