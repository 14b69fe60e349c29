"""Figure 4: NAB's three profiles beside the F-scores that imitate them, for LSTM-AD on seven data sets."""

from __future__ import annotations

from collections.abc import Sequence

from rangewise.model.model import RangeModel
from rangewise.model.presets import numenta_low_fn, numenta_low_fp, numenta_standard
from rangewise.paper.figures.bars import FRONT, NAB, Group, draw_groups
from rangewise.paper.figures.fig5 import shown
from rangewise.paper.part import Bar, Bars, Part, markdown_table
from rangewise.paper.published import DATASETS, Source, published

DETECTOR = "lstm_ad"
PROFILES: dict[str, tuple[str, str, RangeModel]] = {
    "standard": ("Numenta_Standard", "F1_T", numenta_standard),
    "reward_low_FP_rate": ("Numenta_Reward_Low_FP", "F0.5_T", numenta_low_fp),
    "reward_low_FN_rate": ("Numenta_Reward_Low_FN", "F2_T", numenta_low_fn),
}
"""NAB's name of the profile; the names of its two bars; our model for it."""
_TITLES = ("a) Numenta Standard", "b) Numenta Reward-Low-FP", "c) Numenta Reward-Low-FN")


def compute(source: Source = published, datasets: Sequence[str] = tuple(DATASETS)) -> Bars:
    """Data sets in descending order of NAB's score, one panel per profile."""
    rows = []
    for profile, (theirs, ours, model) in PROFILES.items():
        for dataset in order(profile, source, datasets):
            labeled = source(dataset, DETECTOR)
            rows.append(Bar(profile, dataset, DETECTOR, theirs, shown(labeled.nab(profile))))
            rows.append(Bar(profile, dataset, DETECTOR, ours, model.score(labeled.real, labeled.predicted).f))
    return Bars(tuple(rows))


def order(profile: str, source: Source = published, datasets: Sequence[str] = tuple(DATASETS)) -> list[str]:
    return sorted(datasets, key=lambda dataset: -source(dataset, DETECTOR).nab(profile))


def make() -> Part:
    bars = compute()
    tables = []
    for (profile, (theirs, ours, _)), title in zip(PROFILES.items(), _TITLES, strict=True):
        rows = [
            [DATASETS[dataset], bars.value(theirs, dataset), bars.value(ours, dataset), published(dataset, DETECTOR).nab(profile)]
            for dataset in order(profile)
        ]
        tables.append(f"{title}\n\n{markdown_table(['data set', f'`{theirs}`', f'`{ours}`', 'NAB, not scaled'], rows)}")
    text = (
        "NAB's score beside the F-score that imitates its profile: real anomalies as ranges, predictions as points, alpha 0, cardinality "
        "1, recall with front bias, precision with flat bias, beta 1, 0.5 and 2. Data sets in descending order of NAB's score. As in the "
        "paper, negative NAB scores are divided by 100 and the axis ends at -1; the last column has the original scores.\n\n"
        "The paper does not say how it normalized NAB's scores. Ours are `nab_score(...).normalized` of one data set: 0 for a silent "
        "detector, 1 for one that finds every window at its first row, without a lower bound. They fall below -100 on one data set, which "
        "would explain why the paper scales and clips them. There is no probation: NAB leaves out the first 15 % of a file (at most 750 "
        "rows), in which a detector may learn, and these labels begin after the training part.\n\n" + "\n\n".join(tables)
    )
    return Part(
        "fig4",
        "Figure 4: the range-based model beside NAB",
        Bar._fields,
        bars.rows,
        text,
        pictures={"fig4": lambda: draw_groups({"": groups(bars)}, low=-1.0)},
    )


def groups(bars: Bars) -> list[Group]:
    return [
        Group(
            title,
            [DATASETS[dataset] for dataset in bars.names("dataset", panel=profile)],
            (theirs, ours),
            [[bars.value(name, dataset) for dataset in bars.names("dataset", panel=profile)] for name in (theirs, ours)],
            (NAB, FRONT),
        )
        for (profile, (theirs, ours, _)), title in zip(PROFILES.items(), _TITLES, strict=True)
    ]
