"""Runs, each of a detector on a series: their keys, and the plan of an experiment."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rangewise.bench.detector_choice import AnyDetector
from rangewise.bench.experiment import Experiment
from rangewise.bench.metric_choice import MetricChoice
from rangewise.bench.series_choice import AnySeries, checksum
from rangewise.datasets.arguments import ignored_by_series
from rangewise.files.series import Series
from rangewise.inputs.ignored import Clipping, without
from rangewise.inputs.ranges import Ranges
from rangewise.inputs.scores import Missing

_SEED_BITS = 31


@dataclass(frozen=True)
class PlannedSeries:
    """A series of a plan: its checksum, its training rows and its scored rows."""

    choice: AnySeries
    data: str
    points: int
    channels: int
    train: tuple[int, int] | None
    test_first: int
    real: tuple[tuple[int, int], ...]
    """In rows of the scored part, without ignored intervals."""
    ignored: tuple[tuple[int, int], ...] = ()
    """The ignored intervals of that part."""
    clipping: Clipping = field(default_factory=Clipping)
    """Their effect on the real ranges."""

    @property
    def name(self) -> str:
        return self.choice.name

    @property
    def test_points(self) -> int:
        return self.points - self.test_first


@dataclass(frozen=True)
class Run:
    """A detector on a series. ``key`` is a hash of everything that the prediction depends on, for the store."""

    key: str
    detector: AnyDetector
    series: PlannedSeries
    repeat: int
    seed: int
    missing: Missing = "error"
    """How nan scores are treated."""


@dataclass(frozen=True)
class Plan:
    """All runs, sorted by series, so that a worker can reuse a loaded series."""

    experiment: Experiment
    series: tuple[PlannedSeries, ...]
    runs: tuple[Run, ...]

    @property
    def ignored(self) -> dict[str, int]:
        """The effect of the ignored intervals on all series; empty without any."""
        touched = [each for each in self.series if each.ignored]
        if not touched:
            return {}
        rows = sum(stop - start for each in touched for start, stop in each.ignored)
        counts = {name: sum(getattr(each.clipping, name) for each in touched) for name in ("shortened", "removed", "split")}
        return {"series": len(touched), "rows": rows, **counts}

    @property
    def metrics(self) -> tuple[MetricChoice, ...]:
        return self.experiment.metric_choices


def parts(series: Series) -> tuple[tuple[int, int] | None, Series]:
    """The training rows and the part to score; None (all rows) and the whole series if it has no training part."""
    if series.train is None or series.train[1] >= len(series):
        return None, series
    before, after = series.split()
    return (before.train or (0, len(before))), after


def make_plan(experiment: Experiment, progress: Callable[[int, int], object] | None = None) -> Plan:
    """Read every series once, and list the runs. Unreadable series are errors here, before anything runs."""
    planned = []
    ignored_in = None
    if experiment.ignore is not None:
        ignored_in = ignored_by_series(str(experiment.ignore), [choice.name for choice in experiment.series_choices])
    for number, choice in enumerate(experiment.series_choices):
        planned.append(_planned(choice, ignored_in))
        if progress is not None:
            progress(number + 1, len(experiment.series_choices))
    runs = [
        _run(detector, series, repeat, experiment.seed, experiment.missing)
        for series in planned
        for detector in experiment.detector_choices
        for repeat in range(experiment.repeats)
    ]
    return Plan(experiment, tuple(planned), tuple(runs))


def _planned(choice: AnySeries, ignored_in: Callable[[Series], Ranges] | None = None) -> PlannedSeries:
    series = choice.load()
    if not len(series) or not series.channels:
        raise ValueError(f"series {choice.name} has {len(series)} rows and {series.channels} channels, so there is nothing to detect")
    train, test = parts(series)
    first, left_out, clipping = len(series) - len(test), Ranges(), Clipping()
    if ignored_in is not None:
        left_out = Ranges.from_labels(ignored_in(series).to_labels(len(series))[first:])
        if left_out.lengths.sum() == len(test):
            raise ValueError(f"series {choice.name}: the ignored intervals cover all {len(test):,} rows that are scored")
        clipping = without(test.real, left_out)[2]
    kept, ignored = (tuple((int(start), int(stop)) for start, stop in ranges) for ranges in (test.real, left_out))
    return PlannedSeries(choice, checksum(series), len(series), series.channels, train, first, kept, ignored, clipping)


def _run(detector: AnyDetector, series: PlannedSeries, repeat: int, seed: int, missing: Missing) -> Run:
    # Each run has its own seed, which does not depend on the order, the number of workers, the machine or the release.
    named = detector.source, detector.settings_text
    drawn = int.from_bytes(_hash("seed", seed, *named, series.name, repeat), "big") >> (64 - _SEED_BITS)
    # Keys without ignored intervals and without a rule for missing scores stay unchanged.
    options: list[object] = [series.ignored] if series.ignored else []
    options += [f"missing {missing}"] if missing != "error" else []
    identity = detector.identity_of(series.name, series.choice.group)
    key = _hash("predict", identity, series.data, series.train, drawn, repeat, *options, size=16).hex()
    return Run(key, detector, series, repeat, drawn, missing)


def _hash(*parts: object, size: int = 8) -> bytes:
    return hashlib.sha256("\n".join(map(str, parts)).encode()).digest()[:size]


def ignored_line(ignored: Mapping[str, int]) -> str:
    """:attr:`Plan.ignored` as a sentence."""
    said = Clipping(*(ignored[name] for name in ("shortened", "removed", "split")))
    return f"ignored: {ignored['rows']:,} rows of {ignored['series']} series; real ranges: {said}"
