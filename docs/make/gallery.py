"""The pictures of docs/gallery.md: every base, and every kind of anomaly. Run by ``make pictures``."""

from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.figure import Figure

from rangewise.datasets import BASES, KINDS, Anomalies, Series, generate
from rangewise.plots.palette import FAINT, LINE, REAL, color_of

FOLDER = Path(__file__).parents[1] / "images" / "gallery"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with rc_context({"font.size": 8, "axes.spines.top": False, "axes.spines.right": False}):
        for name in BASES:
            _save(base_picture(name), f"base-{name}")
        for name in KINDS:
            _save(kind_picture(name), f"kind-{name}")


def base_picture(name: str) -> Figure:
    """A series with five anomalies, shaded; kinds, lengths and strengths are the defaults."""
    return _draw(generate(name, length=5_000, seed=27, anomalies=5))


def kind_picture(name: str) -> Figure:
    """One anomaly in a sine, and in gray what was there before it. A kind that concerns channels is shown on two."""
    channels = 2 if name == "mode-correlation" else 1
    wanted = Anomalies(kinds=name, exact_lengths=[300], strength=(0.8, 0.8), part=(400, 1_000))
    series = generate("sine", length=1_440, seed=2, anomalies=wanted, channels=channels)
    return _draw(series, generate("sine", length=1_440, seed=2, anomalies=0, channels=channels).values)


def _draw(series: Series, before: np.ndarray | None = None) -> Figure:
    figure = Figure(figsize=(7.4, 1.7), layout="constrained")
    panel = figure.subplots()
    for start, stop in series.real:
        panel.axvspan(start - 0.5, stop - 0.5, color=REAL, alpha=0.18, linewidth=0)
    if before is not None:
        panel.plot(before, color=FAINT, linewidth=1.0)
    for channel, (color, style) in zip(range(series.channels), ((LINE, "-"), (color_of(0), "--")), strict=False):
        panel.plot(series.values[:, channel], color=color, linestyle=style, linewidth=0.9)
    panel.set_xlim(0, len(series))
    panel.set_xlabel("row")
    panel.set_ylabel("value")
    return figure


def _save(figure: Figure, name: str) -> None:
    # Without the program's version in it, a picture changes only when its content does.
    figure.savefig(FOLDER / f"{name}.png", dpi=80, metadata={"Software": None})


if __name__ == "__main__":
    main()
