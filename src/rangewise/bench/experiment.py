"""Experiment: detectors, series, metrics and limits as one validated value, from TOML or Python."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from rangewise.bench.detector_choice import AnyDetector, DetectorChoice, read_detectors
from rangewise.bench.metric_choice import OWN, MetricChoice, read_metrics, read_rules, split_reference
from rangewise.bench.series_choice import AnySeries, SeriesChoice, read_series
from rangewise.checks import unknown_name, whole
from rangewise.detectors.one_liners import ONE_LINERS
from rangewise.files.tables import text_of
from rangewise.inputs.scores import Missing, check_missing

AVERAGES = ("pooled", "macro")
CLUSTERS = ("auto", "series", "collection")
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
_PLAIN = ("name", "seed", "repeats", "keep_scores", "baselines", "missing")
"""Keys whose values are settings of the experiment, unchanged."""
_KEYS = (*_PLAIN[:-1], "limits", "detector", "series", "metric", "threshold", "report", "ignore", "missing")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of a run: wall-clock seconds, and memory in bytes of its process and its descendants.

    >>> Limits(seconds=60, memory="400 MB").memory
    400000000
    """

    seconds: float = 600.0
    memory: int | str = 4 * 10**9
    threads: int = 1
    """The number of threads of numerical libraries (BLAS, OpenMP); results may depend on it."""

    def __post_init__(self) -> None:
        if isinstance(self.seconds, bool) or not isinstance(self.seconds, (int, float)) or not 0 < self.seconds < float("inf"):
            raise ValueError(f"[limits] seconds must be above 0; got {self.seconds!r}")
        object.__setattr__(self, "seconds", float(self.seconds))
        object.__setattr__(self, "memory", _bytes(self.memory))
        whole("[limits] threads", self.threads, least=1)

    @property
    def memory_bytes(self) -> int:
        return int(self.memory)


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Detectors x series x metrics. Frozen; validates itself.

    ``detectors`` are names, ``package.module:Class``, or tables; ``series`` are paths, ``nab:*``, tables or :class:`Series`; ``metrics``
    are presets, models, names of the table of metrics, or tables: all as in the TOML file, where each is a ``[[detector]]``,
    ``[[series]]`` or ``[[metric]]``. Relative paths start at ``folder``.

    >>> made = Experiment(
    ...     name="tiny", detectors=["z-score", {"name": "moving-z-score", "settings": {"window": [50, 100]}}],
    ...     series=[{"generate": {"base": "sine", "length": 2000, "seed": [1, 2]}}], metrics=["early"],
    ... )
    >>> [each.label for each in made.detectors][:4]
    ['z-score', 'moving-z-score window=50', 'moving-z-score window=100', 'absolute-difference']
    >>> len(made.series), made.metric
    (2, 'early:f')
    """

    name: str
    detectors: Sequence[Any]
    series: Sequence[Any]
    metrics: Sequence[Any] = ("early",)
    limits: Limits = field(default_factory=Limits)
    threshold: Any = OWN
    seed: int = 0
    repeats: int = 1
    metric: str = ""
    """The metric of the leaderboard, such as ``early:f``; by default the first metric."""
    average: str = "pooled"
    cluster: str = "auto"
    """The unit of resampling and tests: by default collections if there are at least two, otherwise series."""
    keep_scores: bool = True
    baselines: bool = True
    """Whether to run the one-liners (:data:`rangewise.detectors.ONE_LINERS`) too, which a detector must beat."""
    folder: Path = Path()
    ignore: str | Path | None = None
    """A file of intervals to ignore: times or rows for all series, or with a column ``series``."""

    missing: Missing = "error"
    """How to treat nan scores: ``"error"`` (the run fails) or ``"lowest"`` (the lowest other score of the series)."""

    def __post_init__(self) -> None:
        check_missing(self.missing)
        if self.missing == "ignore":
            raise ValueError(
                "missing='ignore' would score detectors on different rows; "
                "give missing='lowest', or give the rows with missing scores as ignore="
            )
        if not isinstance(self.name, str) or not re.fullmatch(r"[\w .+-]+", self.name):
            raise ValueError(f"the name of an experiment consists of letters, digits, dots, dashes and spaces; got {self.name!r}")
        for name, least in (("seed", 0), ("repeats", 1)):
            whole(name, getattr(self, name), least=least)
        if isinstance(self.limits, Mapping):
            object.__setattr__(self, "limits", _limits(self.limits))
        for name, known in (("average", AVERAGES), ("cluster", CLUSTERS)):
            if getattr(self, name) not in known:
                raise unknown_name(f"[report] {name}", getattr(self, name), known)
        for name in ("detectors", "series", "metrics"):
            given = getattr(self, name)
            if isinstance(given, (str, bytes)) or not isinstance(given, Sequence):
                raise TypeError(f"{name} must be a list; got {given!r}")
            if not len(given):
                raise ValueError(f"an experiment needs at least one [[{name.rstrip('s') if name != 'series' else name}]]; got none")
        for name in ("baselines", "keep_scores"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be true or false, without quotes; got {getattr(self, name)!r}")
        detectors = read_detectors(self.detectors, Path(self.folder))
        if self.baselines:
            listed = {choice.label for choice in detectors} | {choice.source for choice in detectors}
            detectors += [DetectorChoice(name) for name in ONE_LINERS if name not in listed]
        for choice in detectors:
            if isinstance(choice, DetectorChoice):
                choice.make(self.seed)
        metrics = read_metrics(self.metrics, read_rules(self.threshold), None)
        chosen = self.metric or metrics[0].label
        metric, part = split_reference(chosen, metrics)
        object.__setattr__(self, "metric", f"{metric.label}:{part}" if metric.model is not None else metric.label)
        object.__setattr__(self, "detectors", tuple(detectors))
        object.__setattr__(self, "metrics", tuple(metrics))
        object.__setattr__(self, "series", tuple(read_series(self.series, Path(self.folder))))

    @property
    def detector_choices(self) -> tuple[AnyDetector, ...]:
        return tuple(self.detectors)

    @property
    def metric_choices(self) -> tuple[MetricChoice, ...]:
        return tuple(self.metrics)

    @property
    def series_choices(self) -> tuple[AnySeries, ...]:
        return tuple(self.series)

    @property
    def store_name(self) -> str:
        return f"{self.name.replace(' ', '-')}.rwbench"

    def files(self) -> list[Path]:
        """The files that a run reads: the series, and ``ignore``."""
        series = [Path(choice.where) for choice in self.series_choices if isinstance(choice, SeriesChoice) and choice.kind == "file"]
        return series if self.ignore is None else [*series, Path(self.ignore)]

    @classmethod
    def read(cls, path: str | Path, *, ignore: str | Path | None = None, missing: Missing | None = None) -> Experiment:
        """Read a TOML file; relative paths start at the file's folder. ``ignore`` and ``missing`` override those of the file."""
        file = Path(path)
        if not file.is_file():
            raise FileNotFoundError(f"{file} does not exist; an experiment is a TOML file, see docs/bench.md")
        text = text_of(file.read_bytes(), str(file))
        try:
            return cls.parse(text, folder=file.parent, ignore=ignore, missing=missing)
        except (ValueError, TypeError) as error:
            raise type(error)(f"{file}: {error}") if type(error) in (ValueError, TypeError) else ValueError(f"{file}: {error}") from error

    @classmethod
    def parse(cls, text: str, folder: str | Path = ".", *, ignore: str | Path | None = None, missing: Missing | None = None) -> Experiment:
        """Parse a TOML text."""
        try:
            content = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"not TOML: {error}") from error
        _checked(content, _KEYS, "an experiment")
        for key in ("detector", "series", "metric"):
            if key in content and not isinstance(content[key], list):
                raise ValueError(f"write [[{key}]] with two brackets on each side, because there may be several")
        if "name" not in content:
            raise ValueError('an experiment needs a name: name = "my-experiment"')
        plain = {key: content[key] for key in _PLAIN if key in content}
        if missing is not None:
            plain["missing"] = missing
        threshold = _checked(content.get("threshold", {}), ("rule",), "[threshold]")
        report = _checked(content.get("report", {}), ("metric", "average", "cluster"), "[report]")
        return cls(
            **plain,
            **report,
            detectors=content.get("detector", []),
            series=content.get("series", []),
            metrics=content.get("metric", ["early"]),
            limits=_limits(content.get("limits", {})),
            threshold=threshold.get("rule", OWN),
            folder=Path(folder),
            ignore=ignore if ignore is not None else _beside(content.get("ignore"), Path(folder)),
        )


def _beside(named: Any, folder: Path) -> Path | None:
    if named is not None and not isinstance(named, str):
        raise TypeError(f"ignore must be the name of a file of intervals; got {named!r:.40}")
    return None if named is None else folder / named


def _checked(table: Any, known: tuple[str, ...], where: str) -> Mapping[str, Any]:
    if not isinstance(table, Mapping):
        raise TypeError(f"{where} must be a table; got {table!r}")
    for key in table:
        if key not in known:
            raise unknown_name(f"a key of {where}", key, known)
    return table


def _limits(table: Any) -> Limits:
    return Limits(**_checked(table, tuple(item.name for item in fields(Limits)), "[limits]"))


def _bytes(given: int | str) -> int:
    if isinstance(given, bool) or not isinstance(given, (int, str)):
        raise ValueError(f'[limits] memory must be a number of bytes or a text such as "4 GB"; got {given!r}')
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*", str(given))
    if not match or match[2].lower() not in _UNITS or float(match[1]) <= 0:
        raise ValueError(f'[limits] memory must be a number of bytes or a text such as "4 GB" or "400 MiB"; got {given!r}')
    return int(float(match[1]) * _UNITS[match[2].lower()])
