"""A row of the table of metrics, and the families of metrics."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from rangewise.checks import unknown_name
from rangewise.model.model import option_names

Family = Literal["range", "event", "point", "threshold-free", "tsb-ad"]
"""The name of a family of metrics."""

FAMILIES: dict[Family, str] = {
    "range": "labels; the paper's model: every range has a reward",
    "event": "labels; ranges are found or not, early or late, near or far",
    "point": "labels; every point counts, also adjusted or with a tolerance",
    "threshold-free": "scores; areas and best values over all thresholds",
    "tsb-ad": "the columns of the TSB-AD leaderboard, from all families",
}
"""Families that can be requested by name, with a description; each metric has one, and ``tsb-ad`` spans several."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A metric and what you need to know to use it.

    ``function(real, predicted)`` or, when it ``needs`` scores, ``function(real, scores)`` returns a float between ``low`` and
    ``high``, which may be infinite. A perfect prediction has the better of the two bounds, and an empty prediction has ``nothing``.
    """

    name: str
    function: Callable[..., float]
    family: Family
    summary: str
    reference: str
    page: str
    needs: Literal["labels", "scores"] = "labels"
    low: float = 0.0
    high: float = 1.0
    better: Literal["higher", "lower"] = "higher"
    nothing: float = 0.0
    """The value of an empty prediction if there are real ranges; may be nan."""
    takes_length: bool = False
    """Whether the position in the series matters: ranges need ``length=``, and shifting real and predicted changes the value."""
    leaderboard: str = ""
    """Its column on the TSB-AD leaderboard, when it has one: it then also belongs to the family ``tsb-ad``."""
    of_labels: str = ""
    """Of a best value over all thresholds, the metric of labels that it is the best value of."""
    breaks: tuple[str, ...] = ()
    """The properties that it breaks, by name, in the order of ``properties.py``; ``broken_properties`` measures them."""
    headline: bool = False
    """Whether ``rangewise compare`` shows it when no metric is named: one for each scoring model."""

    @property
    def best(self) -> float:
        """The value of a perfect prediction."""
        return self.high if self.better == "higher" else self.low

    def merit(self, value: float) -> float:
        """The value so that higher is better, and nan is worst."""
        return -math.inf if math.isnan(value) else value if self.better == "higher" else -value

    def ranks(self, values: Iterable[float]) -> list[int]:
        """1 is best; equals share the better rank, and nan is worst."""
        merits = [self.merit(value) for value in values]
        return [1 + sum(other > own for other in merits) for own in merits]

    def belongs_to(self, family: Family) -> bool:
        """Whether ``--family`` of that name shows it."""
        return bool(self.leaderboard) if family == "tsb-ad" else self.family == family

    @cached_property
    def own_options(self) -> tuple[str, ...]:
        """The options of the metric itself, without those of its input."""
        parameters = inspect.signature(self.function).parameters.values()
        own = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
        takes_settings = any("ScoreOptions" in str(parameter.annotation) for parameter in parameters)
        return (*own, *(option_names() if takes_settings else ()))

    def check_option(self, option: str) -> None:
        """An error for an option that the function does not take."""
        known = self.own_options
        if not known:
            raise ValueError(f"{self.name} has no options; got {option!r}")
        if option not in known:
            raise unknown_name(f"an option of {self.name}", option, known)
