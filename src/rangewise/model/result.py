"""Score: precision, recall and F, and the rows behind them, computed on first access."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rangewise.inputs.clocks import Clock, RowClock
    from rangewise.inputs.ignored import Ignored
    from rangewise.inputs.ranges import Ranges
    from rangewise.model.model import RangeModel
    from rangewise.model.rows import RangeRows


@dataclass(frozen=True)
class Score:
    """Precision, recall and F of a model, each from 0 to 1 and higher is better.

    ``real`` and ``predicted`` hold a row for each range; printing a score explains it. ``weights`` are those of the real ranges
    in order of time, ``ignored`` counts the ranges that ignored intervals changed; None if there were none.

    >>> import rangewise as rw
    >>> score = rw.score([(0, 4), (8, 10)], [(2, 6)])
    >>> score.recall, score.precision
    (0.25, 0.5)
    >>> score.real[0].reward
    0.5
    """

    precision: float
    recall: float
    f: float
    model: RangeModel
    _sides: tuple[Ranges, Ranges] | None = field(default=None, repr=False, compare=False)
    weights: NDArray[np.float64] | None = field(default=None, repr=False, compare=False)
    ignored: Ignored | None = field(default=None, repr=False, compare=False)
    length: int | None = field(default=None, repr=False, compare=False, kw_only=True)
    """The number of points that count, if known."""
    predicted_points: int | None = field(default=None, repr=False, compare=False, kw_only=True)
    """How many of them are predicted, if the ranges themselves were not kept."""

    @cached_property
    def real(self) -> RangeRows:
        """One row per real range; recall is the mean of their rewards."""
        rows = self._rows("real")
        return rows if self.weights is None else replace(rows, weight=self.weights)

    @property
    def alert_rate(self) -> float | None:
        """The share of all points predicted anomalous; None if the number of points is unknown.

        >>> import rangewise as rw
        >>> rw.score([0, 1, 1, 0], [0, 1, 0, 0]).alert_rate, rw.score([(1, 3)], [(1, 2)]).alert_rate
        (0.25, None)
        """
        if not self.length:
            return None
        if self._sides is not None:
            return int(self._sides[1].lengths.sum()) / self.length
        return None if self.predicted_points is None else self.predicted_points / self.length

    @property
    def clock(self) -> Clock | RowClock | None:
        """The clock of the ranges, if they are times; None for rows."""
        return None if self._sides is None else self._sides[0].clock

    @cached_property
    def predicted(self) -> RangeRows:
        """One row per predicted range; precision is the mean of their rewards."""
        return self._rows("predicted")

    def _rows(self, side: Literal["real", "predicted"]) -> RangeRows:
        from rangewise.model.rows import side_rows

        if self._sides is None:
            raise ValueError("a pooled score has no rows; use the score of one series")
        return side_rows(self.model, *self._sides, side=side)

    def to_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """The numbers of the score, as ``rangewise score --json`` prints them; with ``explain``, also one entry per range.

        >>> import rangewise as rw
        >>> rw.score([0, 1, 1, 0], [0, 1, 0, 0]).to_dict()
        {'precision': 1.0, 'recall': 0.5, 'f': 0.6666666666666666, 'alert_rate': 0.25, 'model': 'RangeModel()'}
        """
        values: dict[str, Any] = {name: getattr(self, name) for name in ("precision", "recall", "f")}
        if self.alert_rate is not None:
            values["alert_rate"] = self.alert_rate
        values["model"] = str(self.model)
        if self.ignored is not None:
            values["ignored"] = self.ignored.to_dict()
        if explain:
            from rangewise.model.explain import row_dict

            values |= {side: [row_dict(row) for row in getattr(self, side)] for side in ("real", "predicted")}
        return values

    def explain(self, limit: int | None = None) -> str:
        """The score as text, one line per range; with ``limit``, only that many real and predicted ranges, those that lost the most."""
        from rangewise.model.explain import explain_text

        return explain_text(self, limit)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Plot real ranges above predicted ones, each with its reward: missed ones dashed, false ones hatched. Needs the extra ``plots``.

        Draws on ``ax``, by default on a new figure: ``score.plot().figure.savefig("score.pdf")``.
        """
        from rangewise.plots.score_picture import draw_score

        return draw_score(self, ax)

    def __str__(self) -> str:
        return self.explain(limit=10)

    def _repr_html_(self) -> str:
        from rangewise.model.explain import explain_html

        return explain_html(self, limit=20)
