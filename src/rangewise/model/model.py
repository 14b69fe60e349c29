"""RangeModel: precision and recall for ranges (Tatbul et al. 2018), as one frozen value that checks itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise import _kernel
from rangewise.model.bias import BIASES, BiasChoice
from rangewise.model.cardinality import CARDINALITIES, CardinalityChoice
from rangewise.model.rules import SideRule, SizeFunction
from rangewise.model.score import RangeRows, Score
from rangewise.model.tally import Tally, f_score, mean_reward
from rangewise.ranges import Ranges, RangesLike, read_sides

if TYPE_CHECKING:
    from rangewise.curve import Curve

AsPoints = Literal["real", "predicted", "both"]
_AS_POINTS = ("real", "predicted", "both")


@dataclass(frozen=True, kw_only=True, repr=False)
class RangeModel:
    r"""Range-based precision and recall with tunable existence, size, position and cardinality.

    .. math::
        Recall_T(R_i, P) = \alpha \, Existence(R_i, P) + (1 - \alpha) \, \gamma(R_i, P) \sum_j \omega(R_i, R_i \cap P_j, \delta)

        Precision_T(R, P_i) = \gamma(P_i, R) \sum_j \omega(P_i, P_i \cap R_j, \delta)

    each averaged over its ranges. Values lie in 0..1, higher is better; a side without ranges gives ``zero_division``.

    :param alpha: weight of being found at all, 0..1; recall only.
    :param beta: weight of recall in F, above 0.
    :param recall_bias, precision_bias: ``flat``, ``front``, ``back``, ``middle`` or ``(positions, length) -> weights``.
    :param recall_cardinality, precision_cardinality: ``one``, ``reciprocal`` or ``(overlaps) -> factor``.
    :param bias, cardinality: set both sides at once; a side's own name wins.
    :param size: ``(range, overlap, bias) -> share`` instead of the paper's omega; slow, rarely needed.
    :param as_points: ``"real"``, ``"predicted"`` or ``"both"``: score those sides as unit ranges.
    :param zero_division: what a mean over nothing is: 0.0, 1.0 or nan.

    >>> model = RangeModel(recall_bias="front", cardinality="reciprocal")
    >>> model.score([(0, 10)], [(0, 2), (4, 6)]).recall
    0.2727272727272727
    """

    alpha: float = 0.0
    beta: float = 1.0
    recall_bias: BiasChoice = None  # type: ignore[assignment]  # "flat", or `bias`
    precision_bias: BiasChoice = None  # type: ignore[assignment]
    recall_cardinality: CardinalityChoice = None  # type: ignore[assignment]  # "one", or `cardinality`
    precision_cardinality: CardinalityChoice = None  # type: ignore[assignment]
    size: SizeFunction | None = None
    as_points: AsPoints | None = None
    zero_division: float = 0.0
    bias: InitVar[BiasChoice | None] = None
    cardinality: InitVar[CardinalityChoice | None] = None
    _recall: SideRule = field(init=False, repr=False, compare=False)
    _precision: SideRule = field(init=False, repr=False, compare=False)

    def __post_init__(self, bias: BiasChoice | None, cardinality: CardinalityChoice | None) -> None:
        alpha = _number("alpha", self.alpha)
        if not 0.0 <= alpha <= 1.0:
            raise ValueError(f"alpha weighs existence against overlap, so it lies in 0..1; got {alpha}")
        beta = _number("beta", self.beta)
        if not 0.0 < beta < math.inf:
            raise ValueError(f"beta weighs recall against precision, so it is above 0 and finite; got {beta}")
        zero_division = _number("zero_division", self.zero_division)
        if math.isnan(zero_division):
            zero_division = math.nan  # always the same object, so that equal models compare equal
        elif zero_division not in (0.0, 1.0):
            raise ValueError(f"zero_division is 0.0, 1.0 or nan; got {zero_division}")
        if self.as_points not in (None, *_AS_POINTS):
            raise unknown_name("as_points", self.as_points, _AS_POINTS)
        if self.size is not None and not callable(self.size):
            raise TypeError(f"size is a function (range, overlap, bias) -> share, or None; got {self.size!r}")
        values: dict[str, Any] = {"alpha": alpha, "beta": beta, "zero_division": zero_division}
        for side in ("recall", "precision"):
            values[f"{side}_bias"] = _choice(f"{side}_bias", "bias", getattr(self, f"{side}_bias"), bias, "flat", BIASES)
            values[f"{side}_cardinality"] = _choice(
                f"{side}_cardinality", "cardinality", getattr(self, f"{side}_cardinality"), cardinality, "one", CARDINALITIES
            )
        # The paper rewards existence for recall only.
        for side, weight, own in (("recall", alpha, "real"), ("precision", 0.0, "predicted")):
            points = self.as_points in (own, "both")
            values[f"_{side}"] = SideRule(weight, values[f"{side}_bias"], values[f"{side}_cardinality"], self.size, points)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def score(self, real: RangesLike, predicted: RangesLike) -> Score:
        """Precision, recall and F of predicted against real ranges; see the class for the formula.

        >>> RangeModel().score([0, 1, 1, 1, 1, 0], [0, 0, 0, 1, 1, 1])
        Score(precision=0.6666666666666666, recall=0.5, f=0.5714285714285715, model=RangeModel())
        """
        sides = read_sides(real, predicted)
        real_reward, predicted_reward, real_ranges, predicted_ranges = self._rewards(*sides)
        precision = mean_reward(predicted_reward, predicted_ranges, self.zero_division)
        recall = mean_reward(real_reward, real_ranges, self.zero_division)
        return Score(precision, recall, f_score(precision, recall, self.beta), self, sides)

    def tally(self, real: RangesLike, predicted: RangesLike) -> Tally:
        """What this series adds to a score over many."""
        real_reward, predicted_reward, real_ranges, predicted_ranges = self._rewards(*read_sides(real, predicted))
        return Tally(self, real_reward, real_ranges, predicted_reward, predicted_ranges)

    def curve(self, real: RangesLike, scores: Any, *, thresholds: Any = None) -> Curve:
        """Precision, recall and F at every distinct score, exactly; a point is predicted where ``score >= threshold``.

        One pass after a sort for the four biases, any alpha and any cardinality; a user's bias for recall too. A user's bias for
        precision, or a user's size, is evaluated threshold by threshold: up to 2,000 distinct scores, beyond that give
        ``thresholds``. With ``thresholds``, only those are evaluated.

        >>> curve = RangeModel().curve([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4])
        >>> curve.thresholds.tolist(), curve.recall.tolist()
        ([0.9, 0.4, 0.1], [0.5, 1.0, 1.0])
        """
        from rangewise.curve import make_curve

        return make_curve(self, real, scores, thresholds)

    def _rewards(self, real: Ranges, predicted: Ranges) -> tuple[int, int, int, int]:
        """Rewards and numbers of ranges of both sides: (real, predicted, real, predicted)."""
        recall, precision = self._recall, self._precision
        if self.size is not None:
            # A user's size function may judge a point as it likes, so points are spelled out for it.
            real, predicted = self._as_scored(real, predicted)
            rules = recall.for_rows(real, predicted), precision.for_rows(predicted, real)
            counts = len(real), len(predicted)
        else:
            rules = recall.for_tally(real, predicted, precision.as_points), precision.for_tally(predicted, real, recall.as_points)
            counts = _count(real, recall.as_points), _count(predicted, precision.as_points)
        real_high, real_low, predicted_high, predicted_low = _kernel.tally(real._bounds, predicted._bounds, *rules)
        return real_high << 64 | real_low, predicted_high << 64 | predicted_low, *counts

    def sweep(self, real: Ranges, scores: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]] | int | None:
        """Each distinct score, precision and recall there; the index of a NaN; or None when this model cannot be swept."""
        recall, precision = self._recall, self._precision
        if self.size is not None or not precision.can_sweep:
            return None
        most_real = most_predicted = 0
        if recall.own_cardinality or precision.own_cardinality:
            found = _kernel.sweep_overlaps(real._bounds, scores, recall.as_points, precision.as_points)
            if isinstance(found, int):
                return found
            most_real, most_predicted = found
        rules = recall.for_sweep(real, most_real), precision.for_sweep(None, most_predicted)
        swept = _kernel.sweep(real._bounds, scores, *rules, self.zero_division)
        if isinstance(swept, int):
            return swept
        bits, precisions, recalls = swept
        wide = {"f": np.float64, "i": np.int64, "u": np.uint64}[scores.dtype.kind]
        return bits.view(wide).astype(scores.dtype, copy=False), precisions, recalls

    def side_reward(self, own: Ranges, other: Ranges, *, side: Literal["real", "predicted"]) -> int:
        """What the ranges of one side earn, in units of ``2 ** -94``: for parts of a series (``rangewise.stream``)."""
        mine, others = (self._recall, self._precision) if side == "real" else (self._precision, self._recall)
        if self.size is not None:
            own, other = own.points() if mine.as_points else own, other.points() if others.as_points else other
            rule = mine.for_rows(own, other)
        else:
            rule = mine.for_tally(own, other, others.as_points)
        high, low, _, _ = _kernel.tally(
            own._bounds,
            other._bounds,
            rule,
            _kernel.Rule(bias=0, cardinality=0, alpha=0.0, as_points=others.as_points and self.size is None),
        )
        return high << 64 | low

    def scores_as_points(self, side: Literal["real", "predicted"]) -> bool:
        """Whether every point of this side is a range of its own."""
        return self.as_points in (side, "both")

    def side_count(self, own: Ranges, *, side: Literal["real", "predicted"]) -> int:
        """How many ranges one side has, as it is scored."""
        return _count(own, self.scores_as_points(side))

    def side_rows(self, real: Ranges, predicted: Ranges, *, side: Literal["real", "predicted"]) -> RangeRows:
        """A row for each range of one side, as ``Score.real`` and ``Score.predicted`` show them."""
        own, other = self._as_scored(real, predicted)
        rule = self._recall
        if side == "predicted":
            own, other, rule = other, own, self._precision
        overlaps, covered, size, factor, reward, centre = _kernel.rows(own._bounds, other._bounds, rule.for_rows(own, other))
        return RangeRows(own.starts, own.stops, size, overlaps, factor, reward, covered, centre)

    def _as_scored(self, real: Ranges, predicted: Ranges) -> tuple[Ranges, Ranges]:
        """Both sides, those scored as points spelled out."""
        return real.points() if self._recall.as_points else real, predicted.points() if self._precision.as_points else predicted

    @property
    def short_hash(self) -> str:
        """Eight hexadecimal digits that stay the same for the same model, on every machine: to cite in papers, to check in CI.

        A function of the user's own enters with its name and with what it gives for small ranges.

        >>> RangeModel(recall_bias="front").short_hash
        'd6d7c7b5'
        """
        from rangewise.model.text import model_hash

        return model_hash(self)

    @classmethod
    def parse(cls, text: str, functions: Mapping[str, Callable[..., Any]] | None = None) -> RangeModel:
        """The model that prints as ``text``. Functions of one's own are named in ``functions``.

        >>> RangeModel.parse("RangeModel(alpha=0.5, recall_bias='front')") == RangeModel(alpha=0.5, recall_bias="front")
        True
        """
        from rangewise.model.text import parse_model

        return parse_model(text, functions or {})

    def __reduce__(self) -> tuple[Any, ...]:
        # Kernel rules do not pickle; the settings that make them do.
        return _from_settings, ({item.name: getattr(self, item.name) for item in fields(self) if item.init},)

    def __repr__(self) -> str:
        """One line that :meth:`parse` reads back: the settings that differ from the defaults."""
        from rangewise.model.text import model_text

        return model_text(self)


def _from_settings(settings: dict[str, Any]) -> RangeModel:
    return RangeModel(**settings)


def score(real: RangesLike, predicted: RangesLike, **options: Any) -> Score:
    """``RangeModel(**options).score(real, predicted)``: see :class:`RangeModel`.

    >>> score([(0, 4)], [(2, 6)], recall_bias="back").recall
    0.7
    """
    return _model_of(**options).score(real, predicted)


def range_precision(
    real: RangesLike,
    predicted: RangesLike,
    *,
    bias: BiasChoice = "flat",
    cardinality: CardinalityChoice = "one",
    zero_division: float = 0.0,
) -> float:
    r"""Average reward earned by the predicted ranges.

    .. math:: Precision_T(R, P) = \frac{1}{N_p} \sum_{i=1}^{N_p} Precision_T(R, P_i)

    From 0 to 1, higher is better; ``zero_division`` when there are no predicted ranges.

    >>> range_precision([(0, 4)], [(2, 6)])
    0.5

    Tatbul et al. (2018), equations 8 and 9.
    """
    return _model_of(precision_bias=bias, precision_cardinality=cardinality, zero_division=zero_division).score(real, predicted).precision


def range_recall(
    real: RangesLike,
    predicted: RangesLike,
    *,
    alpha: float = 0.0,
    bias: BiasChoice = "flat",
    cardinality: CardinalityChoice = "one",
    zero_division: float = 0.0,
) -> float:
    r"""Average reward earned by the real ranges.

    .. math:: Recall_T(R, P) = \frac{1}{N_r} \sum_{i=1}^{N_r} Recall_T(R_i, P)

    From 0 to 1, higher is better; ``zero_division`` when there are no real ranges.

    >>> range_recall([(0, 4)], [(2, 6)])
    0.5

    Tatbul et al. (2018), equations 3 to 7.
    """
    return (
        _model_of(alpha=alpha, recall_bias=bias, recall_cardinality=cardinality, zero_division=zero_division).score(real, predicted).recall
    )


def range_fbeta(real: RangesLike, predicted: RangesLike, *, beta: float = 1.0, **options: Any) -> float:
    r"""The weighted harmonic mean of range-based precision and recall; ``options`` are those of :class:`RangeModel`.

    .. math:: F_\beta = \frac{(1 + \beta^2) P_T R_T}{\beta^2 P_T + R_T}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty.

    >>> range_fbeta([(0, 4)], [(2, 6)], beta=2)
    0.5
    """
    return _model_of(beta=beta, **options).score(real, predicted).f


def _model_of(**options: Any) -> RangeModel:
    """A model, made once for each set of options: making it takes longer than scoring a short series."""
    try:
        return _cached_model(**options)
    except TypeError:
        for name in options:
            if name not in option_names():
                raise TypeError(str(unknown_name("an option", name, option_names()))) from None
        return RangeModel(**options)  # an option that cannot be hashed; the model says what is wrong with it


@lru_cache(maxsize=128, typed=True)
def _cached_model(**options: Any) -> RangeModel:
    return RangeModel(**options)


def _count(ranges: Ranges, as_points: bool) -> int:
    return int(ranges.lengths.sum()) if as_points else len(ranges)


def _number(name: str, value: object) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{name} is a number; got {value!r}")
    return float(value)


def _choice(name: str, kind: str, own: Any, both: Any, default: str, known: Mapping[str, Any]) -> Any:
    """The side's own choice, else the one for both sides, else the default; a built-in function counts as its name."""
    if own is None and both is not None:
        name = kind
    value = own if own is not None else both if both is not None else default
    if isinstance(value, str):
        if value not in known:
            raise unknown_name(name, value, tuple(known))
        return value
    if not callable(value):
        raise TypeError(f"{name} is one of {', '.join(known)} or a function; got {value!r}")
    return next((built_in for built_in, function in known.items() if function is value), value)


def unknown_name(name: str, value: object, known: tuple[str, ...]) -> ValueError:
    """The error for a name that is not known, with the nearest that is."""
    from difflib import get_close_matches

    nearest = get_close_matches(str(value), known, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return ValueError(f"{name} is one of {', '.join(known)}; got {value!r}{hint}")


def option_names() -> tuple[str, ...]:
    """The names that ``RangeModel`` takes."""
    return (*(item.name for item in fields(RangeModel) if item.init), "bias", "cardinality")
