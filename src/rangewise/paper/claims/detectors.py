"""What the paper says of three detectors under three scoring models (section 5.4, Figure 5)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from rangewise.detectors import LuminolBitmap, LuminolDefault
from rangewise.model.presets import early
from rangewise.model.result import Score
from rangewise.paper.claims.ledger import ClaimResult, claim
from rangewise.paper.figures import fig5
from rangewise.paper.nab_series import LUMINOL_TAUS, nab_series
from rangewise.paper.part import Bars
from rangewise.paper.published import DATASETS, DETECTORS, published

SETUP, SINE, ECG, TAXI = (f"5.4 Multiple detectors{part}" for part in ("", ": Sine", ": ECG", ": NYC-Taxi"))


@cache
def bars() -> Bars:
    return fig5.compute()


def verdicts(series: str, dataset: str) -> dict[str, float]:
    """The detectors' scores under one model."""
    return {detector: bars().value(series, dataset, detector) for detector in DETECTORS}


def ranking(series: str, dataset: str) -> list[str]:
    """Best detector first."""
    scores = verdicts(series, dataset)
    return sorted(scores, key=lambda detector: -scores[detector])


def score_of(dataset: str, detector: str) -> Score:
    run = published(dataset, detector)
    return fig5.EARLY_IN_ONE_PIECE.score(run.real, run.predicted)


def by_detector(values: Mapping[str, float], digits: int = 3) -> str:
    return ", ".join(f"{DETECTORS[detector]} {value:.{digits}f}" for detector, value in values.items())


def each(what: str, dataset: str) -> dict[str, float]:
    return {detector: float(getattr(score_of(dataset, detector), what)) for detector in DETECTORS}


def agreement(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Points that both predict, among those that either does."""
    return float((one & other).sum() / (one | other).sum())


@claim(SETUP, "The Luminol of this experiment is its bitmap detector.", needs_nab=True)
def luminol_is_bitmap() -> ClaimResult:
    texts, bitmap_equal = [], True
    for dataset, tau in LUMINOL_TAUS.items():
        values = nab_series(dataset).split()[1].values
        labels = published(dataset, "luminol").predicted.to_labels(len(values))
        default, bitmap = (
            agreement(detector.fit(values).predict(values), labels) for detector in (LuminolDefault(threshold=tau), LuminolBitmap())
        )
        texts.append(f"{DATASETS[dataset]} {100 * default:.0f} % and {100 * bitmap:.0f} %")
        bitmap_equal &= bitmap == 1.0
    return ClaimResult(
        "agreement of the published labels with the default and with the bitmap detector (points that both predict, of those that either "
        f"does): {', '.join(texts)}; so they come from the default detector",
        bitmap_equal,
    )


@claim(SINE, "All three models agree that Luminol is the most accurate and Greenhouse the least.")
def sine_agreement() -> ClaimResult:
    orders = {series: ranking(series, "sine") for series in fig5.SERIES}
    texts = [f"{series}: {by_detector(verdicts(series, 'sine'))}" for series in fig5.SERIES]
    return ClaimResult("; ".join(texts), all(order[0] == "luminol" and order[-1] == "greenhouse" for order in orders.values()))


@claim(SINE, "Luminol has by far the greatest precision, Greenhouse by far the smallest.")
def sine_precision() -> ClaimResult:
    points = {detector: published("sine", detector).points()[0] for detector in DETECTORS}
    ranges = each("precision", "sine")
    others = [points["lstm_ad"], points["greenhouse"]]
    return ClaimResult(
        f"classical: {by_detector(points)}; range-based: {by_detector(ranges)}. Only the smallest is so by far",
        points["luminol"] - max(others) > 0.3 and points["lstm_ad"] - points["greenhouse"] > 0.3,
    )


@claim(ECG, "All models generally agree that Greenhouse performs poorly.")
def ecg_greenhouse() -> ClaimResult:
    gaps = {series: max(verdicts(series, "ecg").values()) - bars().value(series, "ecg", "greenhouse") for series in fig5.SERIES}
    last = [series for series in fig5.SERIES if ranking(series, "ecg")[-1] == "greenhouse"]
    text = ", ".join(f"{series} {gap:.3f}" for series, gap in gaps.items())
    return ClaimResult(
        f"behind the best by: {text}; last under {' and '.join(last)}, while ours puts Luminol last", min(gaps.values()) > 0.3
    )


@claim(ECG, "False positives dominate the predictions of Greenhouse.")
def ecg_false_positives() -> ClaimResult:
    precision = published("ecg", "greenhouse").points()[0]
    rows = score_of("ecg", "greenhouse").predicted
    return ClaimResult(
        f"{100 * (1 - precision):.0f} % of its points and {int((rows.overlaps == 0).sum())} of its {len(rows.overlaps)} ranges are false",
        precision < 0.5,
    )


@claim(ECG, "The classical model and NAB score LSTM-AD and Luminol similarly.")
def ecg_similar() -> ClaimResult:
    gaps = {series: abs(bars().value(series, "ecg", "lstm_ad") - bars().value(series, "ecg", "luminol")) for series in fig5.SERIES[:2]}
    return ClaimResult(", ".join(f"{series} {gap:.3f} apart" for series, gap in gaps.items()), max(gaps.values()) < 0.1)


@claim(ECG, "Our model strongly favors LSTM-AD.")
def ecg_favorite() -> ClaimResult:
    scores = verdicts("F1_T_Front_Flat", "ecg")
    return ClaimResult(by_detector(scores), scores["lstm_ad"] > 2 * max(scores["greenhouse"], scores["luminol"]))


@claim(ECG, "LSTM-AD makes fewer predictions, clustered around the real ranges.")
def ecg_fewer_predictions() -> ClaimResult:
    counts = {detector: len(published("ecg", detector).predicted) for detector in DETECTORS}
    near = int((score_of("ecg", "lstm_ad").predicted.overlaps > 0).sum())
    return ClaimResult(
        f"predicted ranges: {by_detector(counts, 0)}; {near} of LSTM-AD's overlap a real one",
        counts["lstm_ad"] == min(counts.values()) and near > 0.9 * counts["lstm_ad"],
    )


@claim(ECG, "That makes both its precision and its recall greater than the others'.")
def ecg_both_greater() -> ClaimResult:
    precision, recall = each("precision", "ecg"), each("recall", "ecg")
    return ClaimResult(
        f"precision: {by_detector(precision)}; recall: {by_detector(recall)}. Luminol is more precise, Greenhouse recalls more; only "
        "LSTM-AD does both well",
        max(precision, key=lambda name: precision[name]) == "lstm_ad" == max(recall, key=lambda name: recall[name]),
    )


@claim(ECG, "Luminol makes many more predictions, and our model penalizes their fragmentation.")
def ecg_fragmentation() -> ClaimResult:
    pieces = {detector: float(score_of("ecg", detector).real.overlaps.mean()) for detector in DETECTORS}
    run = published("ecg", "luminol")
    whole, split = early.score(run.real, run.predicted).f, bars().value("F1_T_Front_Flat", "ecg", "luminol")
    return ClaimResult(
        f"predictions that overlap a real range, on average: {by_detector(pieces, 1)}; Luminol's F1_T is {whole:.3f} with "
        f"cardinality 1 and {split:.3f} with 1/x",
        split < whole / 2,
    )


@claim(TAXI, "The three models disagree on the winner.")
def taxi_winners() -> ClaimResult:
    winners = {series: ranking(series, "nyc_taxi")[0] for series in fig5.SERIES}
    return ClaimResult(", ".join(f"{series}: {DETECTORS[winner]}" for series, winner in winners.items()), len(set(winners.values())) == 3)


@claim(TAXI, "LSTM-AD and Greenhouse perform somewhat similarly under all models.")
def taxi_similar() -> ClaimResult:
    gaps = {
        series: abs(bars().value(series, "nyc_taxi", "lstm_ad") - bars().value(series, "nyc_taxi", "greenhouse")) for series in fig5.SERIES
    }
    return ClaimResult(
        "apart by: " + ", ".join(f"{series} {gap:.3f}" for series, gap in gaps.items()) + " (NAB as drawn)", max(gaps.values()) < 0.05
    )


@claim(TAXI, "Both make many narrow predictions against 3 wide real ranges.")
def taxi_narrow() -> ClaimResult:
    runs = {detector: published("nyc_taxi", detector) for detector in ("lstm_ad", "greenhouse")}
    text = ", ".join(
        f"{DETECTORS[detector]} {len(run.predicted)} of {run.predicted.lengths.mean():.1f} points" for detector, run in runs.items()
    )
    real = runs["lstm_ad"].real
    narrow = all(len(run.predicted) > 100 and run.predicted.lengths.mean() < 10 for run in runs.values())
    return ClaimResult(f"{text}; {len(real)} real ranges of {real.lengths.mean():.0f}", narrow and len(real) == 3)


@claim(TAXI, "Our model scores Greenhouse best, mainly because of its much greater front-biased recall.")
def taxi_greenhouse() -> ClaimResult:
    recall, precision = each("recall", "nyc_taxi"), each("precision", "nyc_taxi")
    best = max(recall, key=lambda name: recall[name])
    times = recall["greenhouse"] / recall["lstm_ad"]
    return ClaimResult(
        f"recall: {by_detector(recall)}; precision: {by_detector(precision)}: recall, {times:.1f} times LSTM-AD's, is its only advantage",
        best == "greenhouse" == ranking("F1_T_Front_Flat", "nyc_taxi")[0]
        and precision["greenhouse"] < precision["lstm_ad"]
        and times > 1.3,
    )


@claim(TAXI, "Unlike the other two models, NAB strongly favors Luminol, which misses one of the 3 real ranges entirely.")
def taxi_luminol() -> ClaimResult:
    missed = int((score_of("nyc_taxi", "luminol").real.overlaps == 0).sum())
    scores = {detector: published("nyc_taxi", detector).nab() for detector in DETECTORS}
    others = [ranking(series, "nyc_taxi")[-1] for series in ("F1_Classical", "F1_T_Front_Flat")]
    return ClaimResult(
        f"NAB, not scaled: {by_detector(scores, 2)}; {missed} of 3 missed; the other two models put "
        f"{' and '.join(DETECTORS[name] for name in dict.fromkeys(others))} last",
        max(scores, key=lambda name: scores[name]) == "luminol" and missed == 1 and others == ["luminol"] * 2,
    )
