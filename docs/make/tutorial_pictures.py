"""The pictures of docs/tutorials/: the examples of each page are run, and what they made is drawn. Run by ``make pictures``."""

import contextlib
import io
from doctest import DocTestParser
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from small_png import shrink

from rangewise.cli import run

DOCS = Path(__file__).parents[1]
FOLDER = DOCS / "images" / "tutorials"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    score = _names("first_score")["score"]
    figure, axes = _figure(7.4, 1.8)
    score.plot(ax=axes)
    _write(figure, "first_score")
    _write(_names("threshold")["curve"].plot().figure, "threshold")
    paper = _names("paper_table")
    _write(paper["table"].plot("range F1").figure, "paper_table")
    _write(paper["figure"], "paper_curves")
    _write(_names("alerts")["summary"].plot(), "alerts")
    examples = DOCS / "examples" / "backtest"
    words = ["backtest", str(examples / "incidents.csv"), str(examples / "latency.json"), "--for", "0,2m,5m,10m"]
    with contextlib.redirect_stdout(io.StringIO()):
        run([*words, "--at-most", "1/day", "--plot", str(FOLDER / "backtest.png"), "--force"])
    shrink(FOLDER / "backtest.png")


def _names(tutorial: str) -> dict[str, Any]:
    """What the examples of a tutorial name."""
    names: dict[str, Any] = {}
    text = (DOCS / "tutorials" / f"{tutorial}.md").read_text(encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()):
        for example in DocTestParser().get_examples(text):
            exec(compile(example.source, tutorial, "single"), names)
    return names


def _figure(width: float, height: float) -> tuple[Figure, Any]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _write(figure: Figure, name: str) -> None:
    path = FOLDER / f"{name}.png"
    figure.savefig(path, dpi=100, bbox_inches="tight", metadata={"Software": None})
    shrink(path)


if __name__ == "__main__":
    main()
