"""docs/paper-series.md: what the published labels say about the four series that were never published. Needs the labels; seconds."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from rangewise.datasets import paper_series
from rangewise.inputs.ranges import Ranges
from rangewise.paper.published import DETECTORS, Labeled, published
from rangewise.plots.palette import LINE, REAL

DOCS = Path(__file__).parents[1]
NAMES = {"ecg": "ECG", "space_shuttle": "Space-Shuttle", "timeguided": "Time-Guided", "sine": "Sine"}
REPEATS = {"ecg": 2_000, "space_shuttle": 1_000, "timeguided": 100, "sine": 360}
"""Of our version 2."""
# After an anomaly a detector may err for a while: such rows say nothing about the normal series.
AFTER = 60
SHIFTS = range(50, 2_501)
SEED = 0


def main() -> None:
    draw().savefig(DOCS / "images" / "paper-series.png", dpi=80, metadata={"Software": None})
    lines = [
        "# The paper's series, and ours", "",
        "The paper tests on four series generated with Paranom (ECG, Space-Shuttle, Time-Guided, Sine). The series were never published,",
        "but the labels of three detectors were. `paper_series` creates similar series. Version 2, its default, uses what these labels",
        "reveal. `docs/make/paper_series.py` writes this page.", "",
        "![the four series, version 2](images/paper-series.png)", "",
        "## A normal series that repeats exactly", "",
        "A detector makes the same error wherever its input is the same. So we shift a detector's false predictions against themselves,",
        f"without real ranges and the {AFTER} rows after them, and measure the share of rows that agree (a Jaccard index). It is 1 at the",
        "period of the series and small elsewhere.", "",
        "| series | detector | best shift | agreement there | median of all shifts |", "| --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    for name, title in NAMES.items():
        for detector, shown in DETECTORS.items():
            found = agreements(published(name, detector))
            if found is None:
                lines.append(f"| {title} | {shown} | too few false predictions | | |")
                continue
            best = int(np.argmax(found))
            lines.append(f"| {title} | {shown} | {SHIFTS[best]:,} | {found[best]:.3f} | {np.median(found):.3f} |")
    lines += [
        "", "So version 2 repeats one segment exactly:",
        f"{', '.join(f'{title} every {REPEATS[name]:,} rows' for name, title in NAMES.items())}.",
        "(A multiple of a period agrees as well as the period itself.) If the data folder has the recorded series, ECG and Space-Shuttle",
        "take their segment from them: rows 8,379 to 10,378 of qtdbsel102 and one clean valve cycle of TEK16. Both have equal ends,",
        "so no seam shows.", "",
        "## Anomalies that Luminol sees in pieces", "",
        "Luminol's default detector reacts to values far from their moving average, and to jumps. Noise makes it fire in many pieces",
        "all over a range; a shifted level only at its edges. The table shows how it covers the real ranges, in the published labels and",
        "with its own threshold on version 2:", "",
        "| series | published: covered | most pieces per range | ours: covered | most pieces per range |",
        "| --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    for name, title in NAMES.items():
        lines.append(f"| {title} | {' | '.join((*coverage(published(name, 'luminol')), *coverage(luminol(name))))} |")
    lines += [
        "", "Version 2 therefore has these anomalies:", "",
        "- ECG and Sine: noise, with a standard deviation of 1.25 to 1.75 and of 0.5 to 1 times the scale of the series.",
        "- Time-Guided: values turned negative, as the paper says.",
        "- Space-Shuttle: shifted levels with some noise. There, the published LSTM-AD covers most of each range, and Luminol mostly the",
        "  edges.", "",
        "Lengths and number are those of the published real ranges, at other positions.", "",
        "## What we do not know", "",
        "- The amplitude and the noise of the originals.",
        "- The record behind ECG: its false alarms recur about 350 rows apart, but the beats of qtdbsel102 are about 205 apart.",
        "- Where in a repetition the anomalies lie.", "",
        "[The paper's experiment](paper.md) compares our detectors on these series with the published values.", "",
        "## Trivial by design", "",
        "Normal rows of version 2 have no noise. Comparing each row with the first period (`abs(x - first period) > 0`) finds",
        "all anomalies of the four series with a classical F1 of 1.000. A result on version 2 shows that a detector works,",
        "not that it is good.", "",
        "## The hard set", "",
        "`paper_series(name, seed, version=1)` has bases that do not repeat, except for the sine, and anomalies of eight",
        "kinds, many of them weak. All detectors find less there, so use it for comparisons that need room at the top.",
    ]  # fmt: skip
    (DOCS / "paper-series.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def agreements(labeled: Labeled) -> np.ndarray | None:
    """The Jaccard index of false predictions with themselves, for each shift; None where there are too few."""
    predicted = labeled.predicted.to_labels(labeled.length).astype(bool)
    known = np.ones(labeled.length, dtype=bool)
    for start, stop in labeled.real:
        known[start : stop + AFTER] = False
    if np.count_nonzero(predicted & known) < 20:
        return None
    found = []
    for shift in SHIFTS:
        both = known[shift:] & known[:-shift]
        one, other = predicted[shift:] & both, predicted[:-shift] & both
        found.append(np.count_nonzero(one & other) / max(np.count_nonzero(one | other), 1))
    return np.array(found)


def coverage(labeled: Labeled) -> tuple[str, str]:
    """The least and the most that is covered of a real range, and the most pieces of one."""
    labels = labeled.predicted.to_labels(labeled.length)
    shares = [float(labels[start:stop].mean()) for start, stop in labeled.real]
    pieces = [len(Ranges.from_labels(labels[start:stop])) for start, stop in labeled.real]
    return f"{100 * min(shares):.0f} to {100 * max(shares):.0f} %", str(max(pieces))


def luminol(name: str) -> Labeled:
    from rangewise.detectors import LuminolDefault

    _, test = paper_series(name, SEED).split()
    return Labeled(test.real, Ranges.from_labels(LuminolDefault().fit(test.values).predict(test.values)), len(test))


def draw() -> Figure:
    figure = Figure(figsize=(10.0, 6.0), layout="constrained")
    for panel, (name, title) in zip(figure.subplots(4, 1), NAMES.items(), strict=True):
        _, test = paper_series(name, SEED).split()
        start, stop = next(iter(test.real))
        first = max(0, (start + stop) // 2 - 1_000)
        rows = np.arange(first, first + 2_000)
        panel.plot(rows, test.values[rows, 0], color=LINE, linewidth=0.8)
        for start, stop in test.real:
            if start < rows[-1] and stop > first:
                panel.axvspan(start, stop, color=REAL, alpha=0.2, linewidth=1.0)
        panel.set_title(f"{title}: the first anomaly and the normal rows around it", loc="left", fontsize=10)
        panel.set_xlim(first, rows[-1])
        panel.spines[["top", "right"]].set_visible(False)
        panel.tick_params(labelsize=9)
        panel.set_ylabel("value")
    panel.set_xlabel("row of the test part")
    return figure


if __name__ == "__main__":
    main()
