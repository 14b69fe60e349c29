"""docs/detectors/ucr.md: the UCR score of every detector on series of the UCR archive. Needs ``rangewise data get ucr``.

What is measured is kept in build/ucr, one file per series, so that a second start goes on.
"""

import json
import time
import warnings
from pathlib import Path

import numpy as np

from rangewise.datasets import load_ucr, ucr_names
from rangewise.detectors import DETECTORS
from rangewise.metrics import ucr_score

DOCS = Path(__file__).parents[1]
KEPT = DOCS.parent / "build" / "ucr"
MOST_ROWS = 65_000


def main() -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    known = {name: len(load_ucr(name)) for name in ucr_names()}
    series = [name for name, rows in known.items() if rows <= MOST_ROWS]
    share_of_rows = sum(known[name] for name in series) / sum(known.values())
    measured = [kept(name) for name in series]
    rows = []
    for name in DETECTORS:
        hits, seconds = (np.array([each[name][k] for each in measured]) for k in (0, 1))
        rows.append((hits.mean(), f"| {name} | {hits.mean():.2f} | {int(hits.sum())} of {len(hits)} | {seconds.sum():.1f} |"))
    lines = [
        "# The UCR score of every detector", "",
        f"Made by `docs/make/ucr.py` from {len(series)} of the {len(known)} series of the archive that `rangewise data get ucr` knows "
        f"({len(series) / len(known):.0%}): all with at most {MOST_ROWS:,} rows. The others hold {1 - share_of_rows:.0%} of all rows, and "
        "would take most of the time. Each detector has its default settings and learns from the training part, which has no anomaly. "
        "Seeds are 0, and nothing was chosen with these series. The UCR score is the share of series whose highest score in the test part "
        "lies in the labeled range, or beside it by at most 100 rows or the length of the range, whichever is more: "
        "[`ucr_score`](../metrics/ucr.md). Seconds are processor time for all series together.", "",
        "Many series of the archive share a recording, so differences of a few series mean little ([audit](../audit.md)). "
        "[Our own detectors](../leaderboards/ours.md) has all 150 series without the two networks, and every fifth with LSTM-AD.", "",
        "| detector | share | series | seconds |", "| --- | ---: | ---: | ---: |",
        *(row for _, row in sorted(rows, key=lambda pair: -pair[0])),
    ]  # fmt: skip
    (DOCS / "detectors" / "ucr.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def kept(name: str) -> dict[str, list[float]]:
    path = KEPT / f"{name}.json"
    if not path.is_file():
        path.write_text(json.dumps(measure(name)), encoding="utf-8")
    return json.loads(path.read_text(encoding="utf-8"))


def measure(name: str) -> dict[str, list[float]]:
    """The UCR score and the seconds of each detector."""
    series = load_ucr(name)
    train = series.train[1]
    real = [(start - train, stop - train) for start, stop in series.real]
    result = {}
    for detector, kind in DETECTORS.items():
        began = time.process_time()
        scores = kind().fit(series.values[:train]).decision_function(series.values)[train:]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hit = ucr_score(real, scores)
        result[detector] = [hit, time.process_time() - began]
    return result


if __name__ == "__main__":
    main()
