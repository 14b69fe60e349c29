"""docs/detectors/ucr.md: the UCR score of every detector on series of the UCR archive. Needs ``rangewise data get ucr``.

``docs/make/ucr.py lstm-ad`` measures only the detectors that it names; the rows of the others stay as they are. What is measured is kept in
build/ucr, one file per series and detector, so that a second start goes on.
"""

import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from rangewise.datasets import load_ucr, ucr_names
from rangewise.detectors import DETECTORS
from rangewise.metrics import ucr_score

DOCS = Path(__file__).parents[1]
PAGE = DOCS / "detectors" / "ucr.md"
KEPT = DOCS.parent / "build" / "ucr"


def main(wanted: list[str]) -> None:
    series = ucr_names()
    rows = {}
    for detector in wanted:
        hits, seconds = np.sum([kept(name, detector) for name in series], axis=0)
        rows[detector] = f"| {detector} | {hits / len(series):.2f} | {hits:.0f} of {len(series)} | {seconds:.1f} |"
    if len(wanted) < len(DETECTORS):
        rows = rows_of(PAGE.read_text(encoding="utf-8")) | rows
    lines = [
        "# The UCR score of every detector", "",
        f"Made by `docs/make/ucr.py` from the {len(series)} series of the archive that `rangewise data get ucr` downloads. "
        "Each detector has its default settings and learns from the training part, which has no anomaly. Seeds are 0, and nothing was "
        "chosen with these series. The UCR score is the share of series whose highest score in the test part lies in the labeled range, or "
        "within 100 rows or the length of the range of it, whichever is more: [`ucr_score`](../metrics/ucr.md). Seconds are processor "
        "time for all series together, on a busy machine.", "",
        "Many series of the archive share a recording, so differences of a few series mean little ([audit](../audit.md)). "
        "[Our own detectors](../leaderboards/ours.md) has other metrics on these series, and LSTM-AD on every fifth.", "",
        "| detector | share | series | seconds |", "| --- | ---: | ---: | ---: |",
        *sorted(rows.values(), key=lambda row: -hits_of(row)),
    ]  # fmt: skip
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def rows_of(page: str) -> dict[str, str]:
    """The rows of the page by detector."""
    rows = {line.split(" | ")[0].removeprefix("| "): line for line in page.splitlines() if " of " in line and line[0] == "|"}
    if set(rows) != set(DETECTORS):
        raise SystemExit("the page has other series or detectors: measure all detectors")
    return rows


def hits_of(row: str) -> int:
    return int(row.split(" | ")[2].split(" of ")[0])


def kept(name: str, detector: str) -> list[float]:
    path = KEPT / detector / f"{name}.json"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(measure(name, detector)), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def measure(name: str, detector: str) -> list[float]:
    """The UCR score of a detector, and its seconds."""
    series = load_ucr(name)
    train = series.train[1]
    real = [(start - train, stop - train) for start, stop in series.real]
    began = time.process_time()
    scores = DETECTORS[detector]().fit(series.values[:train]).decision_function(series.values)[train:]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hit = ucr_score(real, scores)
    return [hit, time.process_time() - began]


if __name__ == "__main__":
    main(sys.argv[1:] or list(DETECTORS))
