"""The settings of a ranking: an interval of alpha, values of beta, biases and cardinalities."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from rangewise.model.bias import BIASES, BiasChoice
from rangewise.model.cardinality import CardinalityChoice
from rangewise.model.model import RangeModel

BETAS = (0.5, 1.0, 2.0)
PAPER_CARDINALITIES = ("one", "reciprocal")


class Family(NamedTuple):
    """All settings that differ in alpha only."""

    bias: BiasChoice
    cardinality: CardinalityChoice
    beta: float

    @property
    def text(self) -> str:
        return f"{name_of(self.bias)}, {name_of(self.cardinality)}, beta {self.beta:g}"


@dataclass(frozen=True)
class Settings:
    """Alpha from ``low`` to ``high``, and every combination of a beta, a bias for recall and a cardinality for both sides."""

    low: float
    high: float
    betas: tuple[float, ...]
    biases: tuple[BiasChoice, ...]
    cardinalities: tuple[CardinalityChoice, ...]
    precision_bias: BiasChoice

    def families(self) -> Iterator[Family]:
        """All families, ordered by cardinality, then bias, then beta."""
        return (Family(bias, cardinality, beta) for cardinality, bias, beta in product(self.cardinalities, self.biases, self.betas))

    def model(self, bias: BiasChoice, cardinality: CardinalityChoice, *, beta: float = 1.0, alpha: float = 0.0) -> RangeModel:
        return RangeModel(alpha=alpha, beta=beta, recall_bias=bias, precision_bias=self.precision_bias, cardinality=cardinality)


def read_settings(
    alphas: Any = (0, 1),
    betas: Any = BETAS,
    biases: Any = tuple(BIASES),
    cardinalities: Any = PAPER_CARDINALITIES,
    precision_bias: BiasChoice = "flat",
) -> Settings:
    """The given settings, checked; a single value is allowed instead of a list."""
    ends = list(alphas) if isinstance(alphas, Iterable) else [alphas, alphas]
    if len(ends) != 2:
        raise ValueError(f"alphas is an interval (lowest, highest), or one number; got {alphas!r:.60}")
    low, high = (RangeModel(alpha=end).alpha for end in ends)
    if math.isnan(low) or low > high:
        raise ValueError(f"alphas is an interval (lowest, highest); got ({low:g}, {high:g})")
    # The model validates beta, bias and cardinality.
    checked_betas = dict.fromkeys(RangeModel(beta=beta).beta for beta in _several("betas", betas))
    checked_biases = dict.fromkeys(RangeModel(recall_bias=bias).recall_bias for bias in _several("biases", biases))
    checked = dict.fromkeys(RangeModel(cardinality=choice).recall_cardinality for choice in _several("cardinalities", cardinalities))
    precision = RangeModel(precision_bias=precision_bias).precision_bias
    return Settings(low, high, tuple(sorted(checked_betas)), tuple(checked_biases), tuple(checked), precision)


def name_of(choice: BiasChoice | CardinalityChoice) -> str:
    """The name of a bias or a cardinality, built-in or a user's function."""
    return choice if isinstance(choice, str) else getattr(choice, "__name__", type(choice).__name__)


def _several(name: str, given: Any) -> list[Any]:
    values = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    if not values:
        raise ValueError(f"{name} is empty; give at least one")
    return values
