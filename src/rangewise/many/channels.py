"""``score_channels``: a score for each channel of one series, pooled and as a mean."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import reduce
from operator import add
from typing import Any, Unpack

import numpy as np

from rangewise.checks import shown, shown_names
from rangewise.inputs.case import Case, CaseOptions, check_options
from rangewise.inputs.ignored import Ignored
from rangewise.many.ignored import ManyIgnored
from rangewise.many.scores import ManyScores
from rangewise.model.model import RangeModel
from rangewise.model.tally import Tally


def score_channels(
    real: Any, predicted: Any, *, names: Collection[Any] | None = None, model: RangeModel | None = None, **options: Unpack[CaseOptions]
) -> ManyScores:
    """Score a series channel by channel: one row per channel, and the totals over channels.

    Both sides are 0/1 labels of shape (points, channels), a table with one column of labels per channel, or a mapping of channels to any
    input of :meth:`RangeModel.score`. ``pooled`` counts every range of every channel the same, ``macro`` every channel. Values lie in 0..1,
    higher is better. ``names`` are the names of the columns of an array, by default 0, 1, ... The options of :meth:`RangeModel.tally`, such
    as ``ignore`` and ``close_gaps``, apply to every channel.

    >>> import rangewise as rw
    >>> real, predicted = [[0, 1], [1, 1], [1, 0]], [[0, 1], [1, 0], [0, 0]]
    >>> print(rw.score_channels(real, predicted, names=["left", "right"]))
    channel           precision  recall      F1  real  predicted
    left                 1.0000  0.5000  0.6667     1          1
    right                1.0000  0.5000  0.6667     1          1
    pooled ranges        1.0000  0.5000  0.6667     2          2
    mean of channels     1.0000  0.5000  0.6667
    >>> rw.score_channels(real, predicted, ignore=[(1, 2)]).recall.tolist()
    [0.0, 1.0]
    """
    sides = _channels(real, "real", names), _channels(predicted, "predicted", names)
    for name in sides[0]:
        if name not in sides[1]:
            raise ValueError(f"real has a channel {shown(name)} that predicted lacks; it has {_shown(sides[1])}")
    for name in sides[1]:
        if name not in sides[0]:
            raise ValueError(f"predicted has a channel {shown(name)} that real lacks; it has {_shown(sides[0])}")
    chosen = RangeModel() if model is None else model
    if not isinstance(chosen, RangeModel):
        raise TypeError(f"model must be a RangeModel; got {shown(model)}")
    check_options(options)
    tallies: list[Tally] = []
    clippings: list[Ignored] = []
    for name, labels in sides[0].items():
        try:
            if not options:
                tallies.append(chosen.tally(labels, sides[1][name]))
                continue
            case = Case.of_labels(labels, sides[1][name], options, "score_channels", adds_up=True)
            tallies.append(chosen.tally(case))
        except (TypeError, ValueError) as error:
            raise type(error)(f"channel {shown(name)}: {error}") from None
        if case.clipping is not None:
            clippings.append(case.clipping)
    ignored = None
    if clippings:
        of_all = reduce(add, clippings)
        ignored = ManyIgnored(len(of_all.intervals), len(clippings), of_all.real, of_all.predicted)
    return ManyScores.from_tallies(chosen, tuple(sides[0]), tallies, unit="channel", ignored=ignored)


def _channels(given: Any, side: str, names: Collection[Any] | None) -> dict[Any, Any]:
    if isinstance(given, Mapping):
        if names is not None:
            raise ValueError(f"names= are for the columns of an array; {side} is a mapping, which already names its channels")
        return dict(given)
    if not isinstance(given, (list, tuple, np.ndarray)):
        import narwhals.stable.v2 as nw

        table = nw.from_native(given, eager_only=True, pass_through=True)
        if isinstance(table, nw.DataFrame):
            return {name: table[name].to_native() for name in table.columns}
    try:
        array = np.asarray(given)
    except ValueError as error:
        raise ValueError(f"{side} is ragged; expected labels of shape (points, channels)") from error
    if array.ndim != 2:
        raise ValueError(
            f"{side} has shape {array.shape}; expected labels (points, channels), a table with one column per channel, or a mapping "
            "(one channel: rw.score)"
        )
    called = list(range(array.shape[1])) if names is None else list(names)
    if len(called) != array.shape[1] or len(set(called)) != len(called):
        raise ValueError(f"{side} has {array.shape[1]} channels and there are {len(set(called))} names; give each channel its own")
    return {name: array[:, at] for at, name in enumerate(called)}


def _shown(channels: Mapping[Any, Any]) -> str:
    return shown_names([str(name) for name in channels]) or "none"
