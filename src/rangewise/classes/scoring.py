"""``score_classes``: the model's score of each class against the rest, and its averages."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from typing import Any

from rangewise.checks import did_you_mean, shown, shown_names
from rangewise.classes.reading import ClassesLike, ClassSides, Names, read_class_sides
from rangewise.classes.scores import ClassScores
from rangewise.inputs.ranges import RangesLike
from rangewise.model.model import RangeModel
from rangewise.model.rewards import both_rewards
from rangewise.model.tally import Tally

_DEFAULT = RangeModel()


def score_classes(
    real: ClassesLike,
    predicted: ClassesLike,
    *,
    background: Names = None,
    model: RangeModel | Mapping[Any, RangeModel] | None = None,
    classes: Collection[Hashable] | None = None,
    times: Any = None,
    ignore: RangesLike | None = None,
) -> ClassScores:
    r"""Range-based precision, recall and F of each class against the rest, averages over classes, and their confusion.

    .. math:: Recall_T(c) = Recall_T(R_c, P_c), \qquad Precision_T(c) = Precision_T(R_c, P_c)

    with :math:`R_c` and :math:`P_c` the real and the predicted ranges of class c. Each value lies in 0..1, higher is better; a class
    without real (predicted) ranges has the recall (precision) ``zero_division``.

    A side is one class per point (text, integers, categories of pandas and polars), a table or triples ``start, stop, class`` of rows or
    times, half-open (numbers in a column ``onset`` are seconds), or ``{class: ranges}``. Only in the latter two may ranges of different
    classes overlap.

    :param background: one class or several to exclude from real and predicted.
    :param model: the settings, for all classes or ``{class: RangeModel}``; all of one ``beta`` and ``zero_division``.
    :param classes: the classes in the order of the table; by default all, sorted by name.
    :param times: the time of each point, if one side is times and the other one class per point.
    :param ignore: intervals to ignore in every class, as in :meth:`Case.read <rangewise.Case.read>`.

    >>> real = ["sit"] * 4 + ["walk"] * 6 + ["run"] * 4
    >>> scores = score_classes(real, ["sit"] * 4 + ["walk"] * 3 + ["run"] * 7, background="sit")
    >>> print(scores)
    class               precision  recall      F1  real  predicted
    run                    0.5714  1.0000  0.7273     1          1
    walk                   1.0000  0.5000  0.6667     1          1
    macro                  0.7857  0.7500  0.6970     2          2
    micro                  0.7857  0.7500  0.7674
    weighted by ranges     0.7857  0.7500  0.6970
    weighted by points     0.8286  0.7000  0.6909
    >>> scores["walk"].recall, scores.confusion.shares.tolist()
    (0.5, [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0]])
    >>> score_classes(real, ["sit"] * 4 + ["walk"] * 3 + ["run"] * 7, background="sit", ignore=[(7, 9)])["walk"].recall
    0.5
    """
    sides = read_class_sides(real, predicted, background=background, classes=classes, times=times, ignore=ignore)
    models = _models(model, sides)
    tallies = []
    for own, real_ranges, predicted_ranges in zip(models, sides.real, sides.predicted, strict=True):
        real_reward, predicted_reward, real_count, predicted_count = both_rewards(own, real_ranges, predicted_ranges)
        tallies.append(Tally(own, real_reward, real_count, predicted_reward, predicted_count))
    return ClassScores(sides, tuple(tallies))


def _models(given: RangeModel | Mapping[Any, RangeModel] | None, sides: ClassSides) -> list[RangeModel]:
    if given is None or isinstance(given, RangeModel):
        return [given or _DEFAULT] * len(sides.classes)
    if not isinstance(given, Mapping):
        raise TypeError(f"model is a RangeModel or {{class: RangeModel}}; got {shown(given)}")
    known = [str(name) for name in sides.classes]
    for name, model in given.items():
        if name not in sides.classes:
            raise ValueError(
                f"model has {shown(name)}, which is not one of the classes; there are {shown_names(known)}{did_you_mean(name, known)}"
            )
        if not isinstance(model, RangeModel):
            raise TypeError(f"the model of class {shown(name)} is {shown(model)}; expected a RangeModel")
    models = [given.get(name, _DEFAULT) for name in sides.classes]
    # nan is not equal to itself, but its text is.
    shared = {(model.beta, str(model.zero_division)) for model in models}
    if len(shared) > 1:
        raise ValueError(
            "averages have one beta and one zero_division, so the models of all classes share them "
            f"(a class without a model has {_DEFAULT}); got {', '.join(str(model) for model in dict.fromkeys(models))}"
        )
    return models
