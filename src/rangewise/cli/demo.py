"""``rangewise demo``: run detectors on generated data, score them in three ways, explain the scores, and plot them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from numpy.typing import NDArray

from rangewise.cli import outputs
from rangewise.cli.errors import warnings_as_notes
from rangewise.cli.printing import echo
from rangewise.detectors import (
    LSTMAD,
    ONE_LINERS,
    Constant,
    Greenhouse,
    LuminolBitmap,
    LuminolDefault,
    MovingZScore,
    NearestWindow,
    Random,
    SubPCA,
    ZScore,
)
from rangewise.detectors.base import Detector
from rangewise.files.series import Series
from rangewise.generate.paper_four import paper_series
from rangewise.inputs.ranges import Ranges
from rangewise.inputs.scores import is_scores
from rangewise.metrics.nab.scoring import nab_score
from rangewise.model.explain import row_text
from rangewise.model.model import RangeModel
from rangewise.model.presets import classical
from rangewise.model.result import Score
from rangewise.number_text import count_text, score_text, threshold_text
from rangewise.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_RANGE_MODEL = RangeModel(recall_bias="front", cardinality="reciprocal")
_FOLDER = "rangewise-demo"
_MOST_DRAWN = 10


@dataclass(frozen=True)
class _Entry:
    """A detector, its predictions on the test rows, and their scores."""

    name: str
    scores: NDArray[np.float64]
    threshold: float
    predicted: Ranges
    classical: float
    nab: float
    range_score: Score
    best: float


def demo(
    out: Annotated[Path | None, typer.Option(help=f"Folder for the pictures. Default: a new one, {_FOLDER}.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write to a folder that is not empty.")] = False,
    seed: Annotated[int, typer.Option(help="Random seed of the series and of the detectors.")] = 0,
    close_gaps: Annotated[int, typer.Option(help="Join predictions with gaps of up to this many rows.")] = 0,
) -> None:
    """Run the detectors on a generated series, score them in three ways, explain the scores, and plot them.

    The series is the paper's sine series. Each detector learns from the first 4,000 rows, which are normal, and chooses its threshold
    there, without the labels of the scored rows.
    """
    if seed < 0:
        raise ValueError(f"--seed must be 0 or more; got {seed}")
    folder = _new_folder(out, force)
    # The hard set: two detectors find every point of version 2, which leaves nothing to explain.
    series = paper_series("sine", seed, version=1)
    assert series.train is not None
    first = series.train[1]
    echo(f"The paper's sine series, regenerated, the hard set: {len(series):,} rows, {len(series.real)} real ranges after row {first:,}.\n")
    detectors = _detectors(seed, close_gaps)
    entries = []
    for number, detector in enumerate(detectors, start=1):
        echo(f"{number}/{len(detectors)} {detector.name}", err=True)
        with warnings_as_notes():
            entries.append(_entry(detector, series, first))
    entries.sort(key=lambda entry: entry.range_score.f, reverse=True)
    _print_leaderboard(entries)
    _print_reasons(entries[0], first)
    _draw(folder, series, first, entries, close_gaps)
    _write_page(folder, series, first, entries, close_gaps)


def _detectors(seed: int, close_gaps: int) -> list[Detector]:
    return [
        LSTMAD(seed=seed, progress=True, close_gaps=close_gaps), Greenhouse(seed=seed, progress=True, close_gaps=close_gaps),
        NearestWindow(seed=seed, close_gaps=close_gaps), SubPCA(close_gaps=close_gaps), LuminolDefault(close_gaps=close_gaps),
        LuminolBitmap(close_gaps=close_gaps), ZScore(close_gaps=close_gaps), MovingZScore(close_gaps=close_gaps),
        Random(seed=seed, close_gaps=close_gaps), Constant(close_gaps=close_gaps),
        *(kind(close_gaps=close_gaps) for kind in ONE_LINERS.values()),
    ]  # fmt: skip


def _entry(detector: Detector, series: Series, first: int) -> _Entry:
    # Luminol does not learn: it is fitted on the rows that it scores.
    alone = isinstance(detector, (LuminolBitmap, LuminolDefault))
    detector.fit(series.values[first:] if alone else series.values[:first])
    # The others read the training rows again, so that the first test rows have a past.
    scores = detector.decision_function(series.values[first:]) if alone else detector.decision_function(series.values)[first:]
    labels, predicted = series.labels[first:], detector.labels(scores)
    return _Entry(
        name=detector.name,
        scores=scores,
        threshold=detector.threshold_,
        predicted=Ranges.from_labels(predicted),
        classical=classical.score(labels, predicted).f,
        nab=nab_score(labels, predicted, profile="standard", probation=False).normalized,
        range_score=_RANGE_MODEL.score(labels, predicted),
        best=_RANGE_MODEL.curve(labels, scores, close_gaps=detector.close_gaps).best(warn=False).score.f,
    )


def _print_leaderboard(entries: list[_Entry]) -> None:
    columns = ["detector", "threshold", "alarms", "classical F1", "NAB", "range F1", "range F1, best"]
    rows = []
    for entry in entries:
        values = map(score_text, (entry.classical, entry.nab, entry.range_score.f, entry.best))
        rows.append([entry.name, threshold_text(entry.threshold, digits=4), count_text(len(entry.predicted)), *values])
    echo(Table(columns, rows, "Leaderboard, by range F1 (front recall bias, 1/x)").to_text())
    echo(
        "alarms: number of predicted ranges. NAB: standard profile; 1 is perfect, 0 is no alarm at all, no lower bound.\n"
        "best: the score at the threshold that the labels would choose; an upper bound, not a result.\n"
    )


def _print_reasons(winner: _Entry, first: int) -> None:
    rows = winner.range_score.real
    best, worst = int(np.argmax(rows.reward)), int(np.argmin(rows.reward))
    echo(f"{winner.name}, rows counted from {first:,}:")
    for title, index in (("best range ", best), ("worst range", worst)):
        echo(f"  {title}  {row_text(_RANGE_MODEL, 'R', index, rows[index])}")


def _new_folder(out: Path | None, force: bool) -> Path:
    if out is None:
        number = 1
        while (folder := Path(_FOLDER if number == 1 else f"{_FOLDER}-{number}")).exists():
            number += 1
        return folder
    if out.exists() and not out.is_dir():
        raise ValueError(f"--out {out} is a file; expected a folder")
    if out.is_dir() and any(out.iterdir()) and not force:
        raise ValueError(f"--out {out} is not empty; give another folder, or use it with --force")
    return out


def _draw(folder: Path, series: Series, first: int, entries: list[_Entry], close_gaps: int) -> None:
    if find_spec("matplotlib") is None:
        echo("no pictures: they need matplotlib, pip install 'rangewise[plots]'", err=True)
        return
    from rangewise.plots.scores_picture import draw_scores

    winner = entries[0]
    # All pictures count rows from the first scored row, as the explanations do.
    test = Series(series.name, series.values[first:], real=Ranges(np.asarray(series.real) - first))
    pictures: dict[str, Figure] = {
        "series.png": test.plot(winner.predicted),
        "scores.png": draw_scores(test, {entry.name: (entry.scores, entry.threshold) for entry in entries[:_MOST_DRAWN]}),
        "curve.png": _RANGE_MODEL.curve(test.labels, winner.scores, close_gaps=close_gaps).plot(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in pictures.items():
        outputs.save_picture(figure, folder / name)
    echo(f"\nPictures: {', '.join(str(folder / name) for name in pictures)}")


def _write_page(folder: Path, series: Series, first: int, entries: list[_Entry], close_gaps: int) -> None:
    if find_spec("jinja2") is None:
        echo("no page: it needs jinja2, pip install 'rangewise[report]'", err=True)
        return
    from rangewise.reports import report

    scored = [entry for entry in entries[:_MOST_DRAWN] if is_scores(entry.scores, entry.name)]
    page = report(
        Ranges(np.asarray(series.real) - first),
        {entry.name: entry.scores for entry in scored},
        values=series.values[first:],
        model=_RANGE_MODEL,
        thresholds={entry.name: entry.threshold for entry in scored},
        title="The paper's sine series: which detector is best?",
        close_gaps=close_gaps,
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = page.save(folder / "report.html")
    echo(f"\nPage: {path} ({page.size / 1e6:.1f} MB), open it in a browser: every threshold, every setting, every range")
