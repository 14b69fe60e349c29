"""Whether an installed rangewise works: it scores, sweeps and reads a file, with the numbers that it must give. Needs no extra.

Run by ``make wheels`` with the Python of each fresh environment, and by cibuildwheel on every machine: ``python tools/smoke.py``.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

import rangewise as rw
from rangewise import _kernel

REAL = [(40, 80), (150, 210), (300, 360), (450, 455)]
PREDICTED = [(42, 85), (120, 125), (190, 205), (302, 310), (325, 330), (350, 358), (400, 420)]


def scores() -> None:
    score = rw.score(REAL, PREDICTED, recall_bias="front", cardinality="reciprocal")
    assert [round(value, 4) for value in (score.precision, score.recall, score.f)] == [0.6977, 0.2823, 0.4019], score
    # Positions of a range this long sum up beyond 64 bits.
    far, half = 2**40, 2**39
    exact = (half * (far + 1) - half * (half + 1) // 2) / (far * (far + 1) // 2)
    assert abs(rw.range_recall([(0, far)], [(0, half)], bias="front") - exact) < 1e-15
    many = rw.score_many({"one": (REAL, PREDICTED), "other": (PREDICTED, REAL)})
    assert len(many) == 2


def sweeps() -> None:
    labels = rw.Ranges(REAL).to_labels(500)
    noise = np.random.default_rng(0).normal(size=labels.size)
    curve = rw.RangeModel(bias="middle", cardinality="reciprocal").curve(labels, labels + 0.5 * noise)
    best = curve.best(warn=False)
    again = rw.score(labels, labels + 0.5 * noise >= best.threshold, bias="middle", cardinality="reciprocal")
    assert abs(best.score.f - again.f) < 1e-12, (best, again)


def reads() -> None:
    command = [sys.executable, "-m", "rangewise"]
    with tempfile.TemporaryDirectory() as folder:
        real, predicted = Path(folder, "real.txt"), Path(folder, "predicted.txt")
        real.write_text("".join(f"{label}\n" for label in rw.Ranges(REAL).to_labels(500)))
        predicted.write_text("".join(f"{label}\n" for label in rw.Ranges(PREDICTED).to_labels(500)))
        shown = subprocess.run([*command, "score", real, predicted, "--recall-bias", "front"], capture_output=True, text=True, check=True)
        assert "precision" in shown.stdout, shown
        refused = subprocess.run([*command, "score", real, Path(folder, "absent.txt")], capture_output=True, text=True)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused


def main() -> None:
    assert version("rangewise") == rw.__version__
    assert Path(_kernel.__file__).is_relative_to(sysconfig.get_path("platlib")), f"{_kernel.__file__} is not the installed kernel"
    # A browser starts no other process.
    for check in (scores, sweeps, *(() if "--in-process" in sys.argv[1:] else (reads,))):
        check()
    print(f"rangewise {rw.__version__} works: Python {sys.version.split()[0]}, NumPy {np.__version__}, {Path(_kernel.__file__).name}")


if __name__ == "__main__":
    main()
