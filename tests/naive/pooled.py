"""Pooled scores of many series in plain loops. Imports nothing of rangewise."""

from naive import model


def rewards(series, *, alpha=0, recall=(model.one, model.flat), precision=(model.one, model.flat), as_points=None):
    """The rewards of the ranges of all series: first of real ranges, then of predicted ranges. Series are pairs of labels."""
    totals = [], []
    for real, predicted in series:
        sides = model.ranges_of(real), model.ranges_of(predicted)
        own = model.points(sides[0]) if as_points in ("real", "both") else sides[0]
        other = model.points(sides[1]) if as_points in ("predicted", "both") else sides[1]
        totals[0].extend(model.recall_rewards(own, other, alpha, *recall))
        totals[1].extend(model.precision_rewards(own, other, *precision))
    return totals


def curve(series, **settings):
    """(threshold, precision, recall) at every distinct score of all series; series are pairs of labels and scores."""
    for threshold in sorted({score for _, scores in series for score in scores}, reverse=True):
        real, predicted = rewards([(labels, [score >= threshold for score in scores]) for labels, scores in series], **settings)
        yield threshold, model.mean(predicted, 0), model.mean(real, 0)
