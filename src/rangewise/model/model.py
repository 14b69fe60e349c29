"""RangeModel: precision and recall for ranges (Tatbul et al. 2018), as one frozen value that checks itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rangewise.checks import number, unknown_name
from rangewise.inputs.case import read_both_sized
from rangewise.inputs.ranges import RangesLike
from rangewise.model.bias import BIASES, BiasChoice
from rangewise.model.cardinality import CARDINALITIES, CardinalityChoice
from rangewise.model.result import Score, made_score
from rangewise.model.rewards import both_rewards, scores_as_points, side_rows
from rangewise.model.rules import SideRule, SizeFunction
from rangewise.model.sides import Sides, prepared_sides, refuse_weights
from rangewise.model.tally import Tally, f_score, mean_reward

if TYPE_CHECKING:
    from rangewise.curve import Curve

AsPoints = Literal["real", "predicted", "both"]
PrecisionWeight = Literal["range", "length"]
_AS_POINTS = ("real", "predicted", "both")
_SIDES = ("recall", "precision")
_PRECISION_WEIGHTS = ("range", "length")


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
    :param recall_cardinality, precision_cardinality: ``one``, ``reciprocal``, ``consistent``, ``(overlaps) -> factor`` or
        ``(overlaps, length) -> factor``.
    :param precision_weight: ``"range"``: every predicted range counts the same in the mean; ``"length"``: by its points.
    :param bias, cardinality: set both sides at once; a side's own name wins. As attributes: what both sides have in common, or None.
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
    precision_weight: PrecisionWeight = "range"
    size: SizeFunction | None = None
    as_points: AsPoints | None = None
    zero_division: float = 0.0
    bias: InitVar[BiasChoice | None] = None
    cardinality: InitVar[CardinalityChoice | None] = None
    _recall: SideRule = field(init=False, repr=False, compare=False)
    _precision: SideRule = field(init=False, repr=False, compare=False)

    def __post_init__(self, bias: BiasChoice | None, cardinality: CardinalityChoice | None) -> None:
        alpha = number("alpha", self.alpha)
        if not 0.0 <= alpha <= 1.0:
            raise ValueError(f"alpha weighs existence against overlap, so it lies in 0..1; got {alpha}")
        beta = number("beta", self.beta)
        if not 0.0 < beta < math.inf:
            raise ValueError(f"beta weighs recall against precision, so it is above 0 and finite; got {beta}")
        zero_division = number("zero_division", self.zero_division)
        if math.isnan(zero_division):
            zero_division = math.nan  # always the same object, so that equal models compare equal
        elif zero_division not in (0.0, 1.0):
            raise ValueError(f"zero_division is 0.0, 1.0 or nan; got {zero_division}")
        if self.as_points not in (None, *_AS_POINTS):
            raise unknown_name("as_points", self.as_points, _AS_POINTS)
        if self.precision_weight not in _PRECISION_WEIGHTS:
            raise unknown_name("precision_weight", self.precision_weight, _PRECISION_WEIGHTS)
        if self.size is not None and not callable(self.size):
            raise TypeError(f"size is a function (range, overlap, bias) -> share, or None; got {self.size!r}")
        values: dict[str, Any] = {"alpha": alpha, "beta": beta, "zero_division": zero_division}
        for side in _SIDES:
            for kind, both, default, known in (("bias", bias, "flat", BIASES), ("cardinality", cardinality, "one", CARDINALITIES)):
                own = [getattr(self, f"{which}_{kind}") for which in (side, *_SIDES)]
                values[f"{side}_{kind}"] = _choice(
                    f"{side}_{kind}", kind, None if _replaced(kind, own[1:], both) else own[0], both, default, known
                )
        # The paper rewards existence for recall only.
        for side, weight, ranges in (("recall", alpha, "real"), ("precision", 0.0, "predicted")):
            points = self.as_points in (ranges, "both")
            by_length = side == "precision" and self.precision_weight == "length"
            values[f"_{side}"] = SideRule(weight, values[f"{side}_bias"], values[f"{side}_cardinality"], self.size, points, by_length)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def score(
        self,
        real: RangesLike,
        predicted: RangesLike,
        *,
        times: Any = None,
        resolution: Any = None,
        ignore: RangesLike | None = None,
        weights: Any = None,
    ) -> Score:
        """Precision, recall and F of predicted against real ranges; see the class for the formula.

        Sides may be times: pairs of ``datetime``, ``datetime64``, ``pd.Timestamp`` or ISO 8601 text, or tables with
        two columns of times.

        :param times: the time of each row, where a side is times and the other rows.
        :param resolution: a coarser clock for sides that are times, e.g. ``"1s"``; ranges are rounded outwards.
        :param ignore: zones that do not count, as ranges or times: both sides are clipped to what is left.
        :param weights: a weight for each real range, or the name of a column of the real table; recall is then the weighted mean.

        >>> RangeModel().score([0, 1, 1, 1, 1, 0], [0, 0, 0, 1, 1, 1])
        Score(precision=0.6666666666666666, recall=0.5, f=0.5714285714285715, model=RangeModel())
        """
        found: Sides | None = None
        length: int | None = None
        if times is resolution is ignore is weights is None:
            sides, length = read_both_sized(real, predicted)
        else:
            found = prepared_sides(real, predicted, times=times, resolution=resolution, ignore=ignore, weights=weights)
            sides = found.real, found.predicted
        real_reward, predicted_reward, real_ranges, predicted_ranges = both_rewards(self, *sides)
        precision = mean_reward(predicted_reward, predicted_ranges, self.zero_division)
        recall = mean_reward(real_reward, real_ranges, self.zero_division)
        if found is None:
            return made_score(precision, recall, f_score(precision, recall, self.beta), self, sides, length)
        if found.weights is not None:
            recall = self._weighted_recall(found, found.weights)
        return Score(precision, recall, f_score(precision, recall, self.beta), self, sides, found.weights, found.ignored)

    def _weighted_recall(self, sides: Sides, weights: NDArray[np.float64]) -> float:
        if scores_as_points(self, "real"):
            raise ValueError(
                "weights are for real ranges, but as_points scores every real point as a range of its own; leave one of them out"
            )
        whole = math.fsum(weights)
        if not whole:
            return self.zero_division
        return math.fsum(weights * side_rows(self, sides.real, sides.predicted, side="real").reward) / whole

    def tally(
        self,
        real: RangesLike,
        predicted: RangesLike,
        *,
        times: Any = None,
        resolution: Any = None,
        ignore: RangesLike | None = None,
        weights: None = None,
    ) -> Tally:
        """What this series adds to a score over many; the options are those of :meth:`score`, except that ``weights`` are refused."""
        refuse_weights(weights, "a tally")
        sides = prepared_sides(real, predicted, times=times, resolution=resolution, ignore=ignore)
        real_reward, predicted_reward, real_ranges, predicted_ranges = both_rewards(self, sides.real, sides.predicted)
        return Tally(self, real_reward, real_ranges, predicted_reward, predicted_ranges)

    def curve(
        self,
        real: RangesLike,
        scores: Any,
        *,
        thresholds: Any = None,
        times: Any = None,
        ignore: RangesLike | None = None,
        close_gaps: int = 0,
        weights: None = None,
    ) -> Curve:
        """Precision, recall and F at every distinct score, exactly; a point is predicted where ``score >= threshold``.

        One pass after a sort for the four biases, any alpha and any cardinality; a user's bias for recall too. A user's bias for
        precision, a user's cardinality for it that takes the length, or a user's size, is evaluated threshold by threshold: up to 2,000
        distinct scores, beyond that give ``thresholds``. With ``thresholds``, only those are evaluated. ``times`` and ``ignore`` are
        those of :meth:`score`; the scores of rows that are ignored do not count as thresholds. ``close_gaps`` joins the predictions of
        every threshold over gaps of up to so many points, before zones are ignored, exactly (:func:`rangewise.closed_scores`): a threshold
        of such a curve belongs to a detector that closes the same gaps. ``weights`` are refused.

        >>> curve = RangeModel().curve([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4])
        >>> curve.thresholds.tolist(), curve.recall.tolist()
        ([0.9, 0.4, 0.1], [0.5, 1.0, 1.0])
        """
        from rangewise.curve import make_curve

        refuse_weights(weights, "a curve")
        return make_curve(self, real, scores, thresholds, times=times, ignore=ignore, close_gaps=close_gaps)

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
    """``RangeModel(**options).score(real, predicted)``: see :class:`RangeModel`; ``times``, ``resolution``, ``ignore`` and ``weights`` are
    those of :meth:`RangeModel.score`.

    >>> score([(0, 4)], [(2, 6)], recall_bias="back").recall
    0.7
    """
    if not SIDE_OPTIONS.isdisjoint(options):
        of_sides = {name: options.pop(name) for name in SIDE_OPTIONS & options.keys()}
        return _model_of(**options).score(real, predicted, **of_sides)
    return _model_of(**options).score(real, predicted)


SIDE_OPTIONS = frozenset({"times", "resolution", "ignore", "weights"})
"""The options of :meth:`RangeModel.score` that are about the sides, not about the model."""


def range_precision(
    real: RangesLike,
    predicted: RangesLike,
    *,
    bias: BiasChoice = "flat",
    cardinality: CardinalityChoice = "one",
    weight: PrecisionWeight = "range",
    zero_division: float = 0.0,
) -> float:
    r"""Average reward earned by the predicted ranges; ``weight="length"`` weighs them by their points.

    .. math:: Precision_T(R, P) = \frac{1}{N_p} \sum_{i=1}^{N_p} Precision_T(R, P_i)

    From 0 to 1, higher is better; ``zero_division`` when there are no predicted ranges.

    >>> range_precision([(0, 4)], [(2, 6)])
    0.5

    Tatbul et al. (2018), equations 8 and 9.
    """
    model = _model_of(precision_bias=bias, precision_cardinality=cardinality, precision_weight=weight, zero_division=zero_division)
    return model.score(real, predicted).precision


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


class _Held(str):
    """A choice that a model holds, equal to its name: ``dataclasses.replace`` hands it back, which is no wish of a user's."""

    __slots__ = ()


def _replaced(kind: str, own: list[Any], both: Any) -> bool:
    """Whether ``both`` is a user's wish that replaces what a model held on both sides: ``dataclasses.replace(model, bias="front")``."""
    if both is None or isinstance(both, _Held) or None in own:
        return False
    if all(callable(each) and each is not both for each in own) and not callable(both):
        raise ValueError(f"{kind}= and both sides' own functions are given; give recall_{kind}= and precision_{kind}= only")
    return any(isinstance(each, _Held) for each in own)


def _common(kind: str) -> property:
    def choice(model: RangeModel) -> Any:
        recall, precision = (getattr(model, f"{side}_{kind}") for side in _SIDES)
        return recall if recall == precision else None

    choice.__doc__ = f"The {kind} of both sides, where it is the same; else None."
    return property(choice)


# Set when the class is made: before, they would be taken for the defaults of the arguments of the same names.
RangeModel.bias = _common("bias")  # type: ignore[attr-defined]
RangeModel.cardinality = _common("cardinality")  # type: ignore[attr-defined]


def _choice(name: str, kind: str, own: Any, both: Any, default: str, known: Mapping[str, Any]) -> Any:
    """The side's own choice, else the one for both sides, else the default; a built-in function counts as its name."""
    if own is None and both is not None:
        name = kind
    value = own if own is not None else both if both is not None else default
    if isinstance(value, str):
        if value not in known:
            raise unknown_name(name, value, tuple(known))
        return _Held(value)
    if not callable(value):
        raise TypeError(f"{name} is one of {', '.join(known)} or a function; got {value!r}")
    return next((_Held(built_in) for built_in, function in known.items() if function is value), value)


def option_names() -> tuple[str, ...]:
    """The names that ``RangeModel`` takes."""
    return (*(item.name for item in fields(RangeModel) if item.init), "bias", "cardinality")
