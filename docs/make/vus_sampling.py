"""What sampling thresholds does to VUS: the tables of docs/metrics/vus.md. Run by ``make pictures``; takes some seconds.

A made detector: normal points score as noise, real points as noise that is shifted by one deviation, smoothed over five points. The
same detector is scored with all thresholds and with the 250 that published programs sample, over numbers of points and shares of
anomalous points.
"""

from pathlib import Path

import numpy as np

import rangewise as rw
from rangewise.metrics import auc_pr, vus_pr, vus_roc

PAGE = Path(__file__).parents[1] / "metrics" / "vus.md"
BEGIN, END = "<!-- made by docs/make/vus_sampling.py -->", "<!-- end -->"
POINTS = (250, 1_000, 10_000, 100_000)
RATES = (0.1, 0.02, 0.005, 0.001)
BUFFER, LENGTH, SEEDS = 20, 25, 5


def made_series(points: int, rate: float, seed: int) -> tuple[rw.Ranges, np.ndarray]:
    """Real ranges of 25 points, evenly spread, as many as the rate asks for, and the scores."""
    rng = np.random.default_rng(seed)
    count = max(1, round(points * rate / LENGTH))
    starts = (np.arange(count) + 0.5) * points // count - LENGTH // 2
    real = rw.Ranges(np.stack([starts, starts + LENGTH], axis=1).astype(np.int64))
    scores = rng.normal(size=points) + real.to_labels(points)
    return real, np.convolve(scores, np.ones(5) / 5, mode="same")


def row(points: int, rate: float) -> str:
    """The means over seeds, and how far the sample is off in the mean and at most."""
    found = []
    for seed in range(SEEDS):
        real, scores = made_series(points, rate, seed)
        exact, sampled = (vus_pr(real, scores, buffer=BUFFER, thresholds=thresholds) for thresholds in ("all", 250))
        rocs = [vus_roc(real, scores, buffer=BUFFER, thresholds=thresholds) for thresholds in ("all", 250)]
        found.append((auc_pr(real, scores), exact, sampled, sampled - exact, rocs[1] - rocs[0]))
    area, exact, sampled, off, roc_off = np.mean(found, axis=0)
    share = int(real.lengths.sum()) / points
    areas = f"{area:.4f} | {exact:.4f} | {sampled:.4f}"
    return f"| {points:,} | {100 * share:.1f} % | {areas} | {off:+.4f} | {100 * off / exact:+.1f} % | {roc_off:+.5f} |"


def table() -> str:
    lines = [
        "| points | anomalous | AUC-PR | VUS-PR, all thresholds | VUS-PR, 250 | difference | relative | difference of VUS-ROC |",
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
        *(row(points, rate) for rate in RATES for points in POINTS if points * rate >= LENGTH),
    ]
    return "\n".join(lines)


def main() -> None:
    text = PAGE.read_text()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{table()}\n\n{END}{after}")


if __name__ == "__main__":
    main()
