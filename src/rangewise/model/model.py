"""RangeModel: precision and recall for ranges (Tatbul et al. 2018), as a frozen, validated value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field, fields
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np

from rangewise.checks import checked_beta, checked_zero_division, number, unknown_name
from rangewise.inputs.case import CASE_OPTIONS, Case, CaseOptions, read_pair, split_options
from rangewise.inputs.ranges import RangesLike
from rangewise.inputs.scored_ranges import ScoredRanges
from rangewise.model.bias import BIASES, BiasChoice, bias_weights, flat
from rangewise.model.cardinality import CARDINALITIES, CardinalityChoice, cardinality_factor, takes_length
from rangewise.model.result import Score
from rangewise.model.rewards import both_rewards, can_score_bits, scores_as_points
from rangewise.model.rules import SideRule, SizeFunction
from rangewise.model.tally import Tally, f_score, mean_reward

if TYPE_CHECKING:
    from rangewise.curve import Curve

AsPoints = Literal["real", "predicted", "both"]
PrecisionWeight = Literal["range", "length"]
_AS_POINTS = ("real", "predicted", "both")
_SIDES = ("recall", "precision")
_PRECISION_WEIGHTS = ("range", "length")
# The arguments at which users' functions are evaluated to distinguish them.
_PROBED_LENGTHS = range(1, 17)
_PROBED_OVERLAPS = range(2, 17)


class ModelOptions(TypedDict, total=False):
    """The settings of :class:`RangeModel`."""

    alpha: float
    beta: float
    bias: BiasChoice | None
    recall_bias: BiasChoice
    precision_bias: BiasChoice
    cardinality: CardinalityChoice | None
    recall_cardinality: CardinalityChoice
    precision_cardinality: CardinalityChoice
    precision_weight: PrecisionWeight
    size: SizeFunction | None
    as_points: AsPoints | None
    zero_division: float


class ScoreOptions(ModelOptions, CaseOptions, total=False):
    """The settings of :class:`RangeModel` and the input options of :meth:`Case.read <rangewise.inputs.case.Case.read>`."""


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
    :param bias, cardinality: set recall and precision at once; a specific option (``recall_bias``) takes precedence.
    :param size: ``(range, overlap, bias) -> share`` instead of the paper's omega; slow, rarely needed.
    :param as_points: ``"real"``, ``"predicted"`` or ``"both"``: score those sides as unit ranges.
    :param zero_division: the value of a mean over no ranges: 0.0, 1.0 or nan.

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
        beta, zero_division = checked_beta(self.beta), checked_zero_division(self.zero_division)
        if self.as_points not in (None, *_AS_POINTS):
            raise unknown_name("as_points", self.as_points, _AS_POINTS)
        if self.precision_weight not in _PRECISION_WEIGHTS:
            raise unknown_name("precision_weight", self.precision_weight, _PRECISION_WEIGHTS)
        if self.size is not None and not callable(self.size):
            raise TypeError(f"size is a function (range, overlap, bias) -> share, or None; got {self.size!r}")
        values: dict[str, Any] = {"alpha": alpha, "beta": beta, "zero_division": zero_division}
        for side in _SIDES:
            for kind, both, default, known in (("bias", bias, "flat", BIASES), ("cardinality", cardinality, "one", CARDINALITIES)):
                own = getattr(self, f"{side}_{kind}")
                values[f"{side}_{kind}"] = _choice(f"{side}_{kind}", kind, own, both, default, known)
        for kind, both in (("bias", bias), ("cardinality", cardinality)):
            if both is not None and None not in (getattr(self, f"{side}_{kind}") for side in _SIDES):
                raise ValueError(f"{kind}= has no effect beside recall_{kind}= and precision_{kind}=, which override it; drop it")
        # The paper rewards existence for recall only.
        for side, weight, ranges in (("recall", alpha, "real"), ("precision", 0.0, "predicted")):
            points = self.as_points in (ranges, "both")
            by_length = side == "precision" and self.precision_weight == "length"
            values[f"_{side}"] = SideRule(weight, values[f"{side}_bias"], values[f"{side}_cardinality"], self.size, points, by_length)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __eq__(self, other: object) -> bool:
        # Tuples take a value for equal to itself, also nan. Since Python 3.13, what a dataclass generates does not.
        if self is other:
            return True
        if not isinstance(other, RangeModel):
            return NotImplemented
        names = [each.name for each in fields(self) if each.compare]
        return tuple(getattr(self, name) for name in names) == tuple(getattr(other, name) for name in names)

    def score(self, real: RangesLike | Case, predicted: RangesLike | None = None, **options: Unpack[CaseOptions]) -> Score:
        """Precision, recall and F of predicted against real ranges; see the class for the formula.

        Both sides are 0/1 labels, pairs of rows, pairs of times (``datetime``, ``datetime64``, ``pd.Timestamp`` or ISO 8601 text), tables
        with two columns of times, or ``Ranges``; or give one :class:`~rangewise.inputs.case.Case`. The options are those of
        :meth:`Case.read <rangewise.inputs.case.Case.read>`: ``times``, ``resolution``, ``step``, ``span``, ``outside``, ``ignore``,
        ``weights`` (recall is then the weighted mean), ``close_gaps``, ``length``.

        >>> RangeModel().score([0, 1, 1, 1, 1, 0], [0, 0, 0, 1, 1, 1])
        Score(precision=0.6666666666666666, recall=0.5, f=0.5714285714285715, model=RangeModel())
        >>> RangeModel().score([0, 1, 1, 1, 1, 0], [0, 1, 0, 1, 1, 0], close_gaps=1).recall
        1.0
        """
        weights = clipping = None
        if not options and predicted is not None and not isinstance(real, Case):
            real_side, predicted_side, length = read_pair(real, predicted, bits=can_score_bits(self))
            sides = real_side, predicted_side
        else:
            case = Case.of_labels(real, predicted, options, "a score", weights=True)
            sides, length, weights, clipping = case.sides(), case.points, case.weights, case.clipping
        real_reward, predicted_reward, real_ranges, predicted_ranges = both_rewards(self, *sides)
        precision = mean_reward(predicted_reward, predicted_ranges, self.zero_division)
        recall = mean_reward(real_reward, real_ranges, self.zero_division)
        if weights is not None:
            if scores_as_points(self, "real"):
                raise ValueError("weights are for real ranges, but as_points scores every real point as a separate range; drop one of them")
            from rangewise.model.rows import side_rows

            rewards, whole = side_rows(self, *sides, side="real").reward, math.fsum(weights)
            recall = math.fsum(weights * rewards) / whole if whole else self.zero_division
        f = f_score(precision, recall, self.beta)
        # Without the slow initializer of frozen dataclasses, which takes microseconds.
        score = object.__new__(Score)
        vars(score).update(
            precision=precision, recall=recall, f=f, model=self, _sides=sides, weights=weights, ignored=clipping, length=length
        )
        return score

    def tally(self, real: RangesLike | Case, predicted: RangesLike | None = None, **options: Unpack[CaseOptions]) -> Tally:
        """The contribution of this series to a score over many; arguments as in :meth:`score`, except ``weights``, which raise an error."""
        if not options and predicted is not None and not isinstance(real, Case):
            sides = read_pair(real, predicted, bits=can_score_bits(self))[:2]
        else:
            sides = Case.of_labels(real, predicted, options, "a tally", adds_up=True).sides()
        real_reward, predicted_reward, real_ranges, predicted_ranges = both_rewards(self, *sides)
        return Tally(self, real_reward, real_ranges, predicted_reward, predicted_ranges)

    def curve(self, real: RangesLike | Case, scores: Any = None, *, thresholds: Any = None, **options: Unpack[CaseOptions]) -> Curve:
        """Precision, recall and F at every distinct score, exactly; a point is predicted where ``score >= threshold``.

        One pass after a sort for the four biases, any alpha and any cardinality; a user's bias for recall too. A user's bias for
        precision, a user's cardinality for it that takes the length, or a user's size, is evaluated threshold by threshold: up to 2,000
        distinct scores, beyond that give ``thresholds``. With ``thresholds``, only those are evaluated, compared in the scores' own type.

        The options are those of :meth:`score`; ``weights``, ``resolution``, ``step`` and ``span`` raise an error. The scores of ignored
        rows are not thresholds. ``close_gaps`` joins the predictions of every threshold (:func:`rangewise.close_gaps`): use a threshold
        of such a curve only with a detector that closes the same gaps.

        A score that is nan is an error, unless ``missing`` is ``"lowest"``, which replaces it by the lowest other score, or
        ``"ignore"``, which ignores the row. ``scores`` may also be :class:`rangewise.ScoredRanges`: the cost then follows the number
        of ranges, and they may be times.

        >>> curve = RangeModel().curve([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.4])
        >>> curve.thresholds.tolist(), curve.recall.tolist()
        ([0.9, 0.4, 0.1], [0.5, 1.0, 1.0])
        """
        from rangewise.curve import make_curve, make_scored_curve

        if isinstance(scores, ScoredRanges):
            return make_scored_curve(self, real, scores, thresholds, options)
        return make_curve(self, Case.of_scores(real, scores, options, "a curve"), thresholds)

    @property
    def short_hash(self) -> str:
        """Eight hexadecimal digits that identify the model on every machine: to cite in papers, to check in CI.

        A user's function contributes its name and its values for small ranges.

        >>> RangeModel(recall_bias="front").short_hash
        'd6d7c7b5'
        """
        from hashlib import sha256

        parts = [str(self)]
        for name, value in self._settings().items():
            if not callable(value):
                continue
            if name.endswith("bias"):
                probes: list[Any] = [bias_weights(value, length).tolist() for length in _PROBED_LENGTHS]
            elif name.endswith("cardinality"):
                probes = [
                    cardinality_factor(value, overlaps, length)
                    for length in (_PROBED_LENGTHS if takes_length(value) else (None,))
                    for overlaps in _PROBED_OVERLAPS
                    if length is None or overlaps <= length
                ]
            else:
                probes = [float(value((0, length), (0, covered), flat)) for length in _PROBED_LENGTHS for covered in range(1, length + 1)]
            parts.append(f"{name}:{np.round(np.concatenate([np.atleast_1d(probe) for probe in probes]), 12).tolist()}")
        return sha256("\n".join(parts).encode()).hexdigest()[:8]

    @classmethod
    def parse(cls, text: str, functions: Mapping[str, Callable[..., Any]] | None = None) -> RangeModel:
        """The inverse of ``str(model)``. Pass your own functions in ``functions``.

        >>> RangeModel.parse("RangeModel(alpha=0.5, recall_bias='front')") == RangeModel(alpha=0.5, recall_bias="front")
        True
        """
        from rangewise.model.text import parse_model

        return parse_model(text, functions or {})

    def __reduce__(self) -> tuple[Any, ...]:
        # Kernel rules cannot be pickled; the settings can.
        return partial(RangeModel, **self._settings()), ()

    def __repr__(self) -> str:
        """The settings that differ from the defaults, as text that :meth:`parse` reads; a user's function by its name."""
        default = _cached_model()
        changed = {name: value for name, value in self._settings().items() if value != getattr(default, name)}
        texts = (
            f"{name}={getattr(value, '__name__', type(value).__name__) if callable(value) else repr(value)}"
            for name, value in changed.items()
        )
        return f"RangeModel({', '.join(texts)})"

    def _settings(self) -> dict[str, Any]:
        return {item.name: getattr(self, item.name) for item in fields(self) if item.init}


def score(real: RangesLike | Case, predicted: RangesLike | None = None, **options: Unpack[ScoreOptions]) -> Score:
    """``RangeModel(**settings).score(real, predicted, **inputs)``: the options are those of :class:`RangeModel` and of its ``score``.

    >>> score([(0, 4)], [(2, 6)], recall_bias="back").recall
    0.7
    """
    if not options:
        return _cached_model().score(real, predicted)
    settings: dict[str, Any] = {**options}
    inputs = split_options(settings)
    return _model_of(**settings).score(real, predicted, **inputs)


def range_precision(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    bias: BiasChoice = "flat",
    cardinality: CardinalityChoice = "one",
    weight: PrecisionWeight = "range",
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Average reward earned by the predicted ranges; ``weight="length"`` weighs them by their points.

    .. math:: Precision_T(R, P) = \frac{1}{N_p} \sum_{i=1}^{N_p} Precision_T(R, P_i)

    From 0 to 1, higher is better; ``zero_division`` when there are no predicted ranges.

    >>> range_precision([(0, 4)], [(2, 6)])
    0.5

    Tatbul et al. (2018), equations 8 and 9.
    """
    case = Case.of_labels(real, predicted, options, "range_precision")
    model = _model_of(precision_bias=bias, precision_cardinality=cardinality, precision_weight=weight, zero_division=zero_division)
    return model.score(case).precision


def range_recall(
    real: RangesLike | Case,
    predicted: RangesLike | None = None,
    *,
    alpha: float = 0.0,
    bias: BiasChoice = "flat",
    cardinality: CardinalityChoice = "one",
    zero_division: float = 0.0,
    **options: Unpack[CaseOptions],
) -> float:
    r"""Average reward earned by the real ranges.

    .. math:: Recall_T(R, P) = \frac{1}{N_r} \sum_{i=1}^{N_r} Recall_T(R_i, P)

    From 0 to 1, higher is better; ``zero_division`` when there are no real ranges.

    >>> range_recall([(0, 4)], [(2, 6)])
    0.5

    Tatbul et al. (2018), equations 3 to 7.
    """
    model = _model_of(alpha=alpha, recall_bias=bias, recall_cardinality=cardinality, zero_division=zero_division)
    return model.score(real, predicted, **options).recall


def range_fbeta(real: RangesLike | Case, predicted: RangesLike | None = None, **options: Unpack[ScoreOptions]) -> float:
    r"""The weighted harmonic mean of range-based precision and recall; ``options`` are those of :class:`RangeModel` and :func:`score`.

    .. math:: F_\beta = \frac{(1 + \beta^2) P_T R_T}{\beta^2 P_T + R_T}

    From 0 to 1, higher is better; 0 when both are 0, nan when ``zero_division`` is nan and a side is empty.

    >>> range_fbeta([(0, 4)], [(2, 6)], beta=2)
    0.5
    """
    return score(real, predicted, **options).f


def _model_of(**options: Any) -> RangeModel:
    """A cached model for each set of options: creating one takes longer than scoring a short series."""
    try:
        return _cached_model(**options)
    except TypeError:
        known = (*option_names(), *sorted(CASE_OPTIONS))
        for name in options:
            if name not in known:
                raise TypeError(str(unknown_name("an option", name, known))) from None
        return RangeModel(**options)  # an option that cannot be hashed; the model raises the right error


_cached_model = lru_cache(maxsize=128, typed=True)(RangeModel)


def _choice(name: str, kind: str, own: Any, both: Any, default: str, known: Mapping[str, Any]) -> Any:
    """The specific choice, else the one for both, else the default; a built-in function is replaced by its name."""
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


def option_names() -> tuple[str, ...]:
    """The names that ``RangeModel`` takes."""
    return (*(item.name for item in fields(RangeModel) if item.init), "bias", "cardinality")
