"""The story of docs/rankings.md: who is first on the paper's own labels, and the measurements. Run by ``make pictures``.

Needs the extra ``plots`` and the labels that the paper's authors published (from ``RANGEWISE_DATA``, or fetched).
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

import rangewise as rw
from rangewise.datasets import load_paper_labels
from rangewise.plots.ranking_pictures import draw_bump_chart, draw_order_lines

HERE = Path(__file__).parents[1]
FOLDER = HERE / "images" / "rankings"
PAGE = HERE / "rankings.md"
BEGIN, END = "<!-- made by docs/make/rankings.py -->", "<!-- end -->"
DATASETS = {"sine": "Sine", "ecg": "ECG", "nyc_taxi": "NYC-Taxi"}
DETECTORS = {"LSTM-AD": "lstm_ad", "Greenhouse": "greenhouse", "Luminol": "luminol"}


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{story()}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    ecg = ranking_of("ecg")
    _save(ecg.plot(), "map.png")
    _save(draw_order_lines(ecg, bias="front", cardinality="reciprocal"), "lines.png")
    _save(draw_bump_chart(rw.compare(*_sides("ecg"))), "bump.png")


def ranking_of(dataset: str) -> rw.Ranking:
    return rw.ranking(*_sides(dataset))


def _sides(dataset: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    real = load_paper_labels(dataset, "lstm_ad")[0]
    return real, {name: load_paper_labels(dataset, detector)[1] for name, detector in DETECTORS.items()}


def story() -> str:
    """The table of shares, one row per data set."""
    found = {title: ranking_of(dataset) for dataset, title in DATASETS.items()}
    lines = ["", f"| first in ... of the settings | {' | '.join(DETECTORS)} | crossings |", f"| --- |{' --- |' * (len(DETECTORS) + 1)}"]
    for title, ranking in found.items():
        shares = " | ".join(f"{100 * ranking.first[name]:.1f} %" for name in DETECTORS)
        lines.append(f"| {title} | {shares} | {len(ranking.crossings)} |")
    return "\n".join([*lines, ""])


def measure() -> None:
    """How long it takes, in seconds of one core: ``python docs/make/rankings.py measure``."""
    random = np.random.default_rng(0)
    points = 10**6
    real = np.convolve(random.random(points), np.ones(50) / 50, "same") > 0.58
    smooth = [np.convolve(random.random(points) + 0.3 * real, np.ones(20) / 20, "same") > 0.6 + 0.02 * i for i in range(10)]
    predicted = {f"d{i}": labels for i, labels in enumerate(smooth)}
    print(f"10 detectors, 10^6 points, all settings: {_seconds(lambda: rw.ranking(real, predicted).first):.3f} s")
    many = {i: random.random(500) > 0.9 for i in range(1000)}
    sides = {f"d{d}": {i: labels ^ (random.random(500) < 0.02 * d) for i, labels in many.items()} for d in range(10)}

    def resampled() -> None:
        found = rw.ranking(many, sides, resamples=1000)
        found.certainty()
        found.firm("d0", "d1")

    print(f"1,000 series, 10 detectors, 1,000 resamples: {_seconds(resampled):.3f} s")


def _seconds(run: Callable[[], object]) -> float:
    times = []
    for _ in range(3):
        begin = time.process_time()
        run()
        times.append(time.process_time() - begin)
    return min(times)


def _save(axes: Axes, name: str) -> None:
    # Without the program's version in it, a picture changes only when its content does.
    axes.figure.savefig(FOLDER / name, dpi=100, bbox_inches="tight", metadata={"Software": None})


if __name__ == "__main__":
    measure() if sys.argv[1:] == ["measure"] else main()
