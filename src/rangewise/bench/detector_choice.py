"""The detectors of an experiment: built-in ones by name, and any class with ``fit``, ``decision_function`` and ``predict``."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import inspect
import itertools
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from rangewise.bench.published_detector import PublishedDetector, read_published
from rangewise.checks import unknown_name, whole
from rangewise.detectors import DETECTORS, Windowed
from rangewise.detectors.base import DetectorLike, check_detector
from rangewise.model.model import RangeModel
from rangewise.model.presets import PRESETS
from rangewise.thresholds import parse_policy

_SEED_NAMES = ("seed", "random_state")


@dataclass(frozen=True)
class DetectorChoice:
    """One detector with its settings. ``source`` is the name of a built-in detector or ``package.module:Class``; ``windows`` applies a
    detector of rows to windows of that many points.

    >>> DetectorChoice("moving-z-score", {"window": 50}).make(seed=1)
    MovingZScore(impute=None, threshold=None, close_gaps=0, window=50)
    """

    source: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""
    windows: int | None = None
    folder: str = ""
    """The folder of the experiment, for modules that are not installed."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", dict(self.settings))
        if not self.label:
            object.__setattr__(self, "label", self.source.rpartition(":")[2])

    @property
    def settings_text(self) -> str:
        """The settings as JSON, with sorted keys."""
        shown = {**self.settings, **({"windows": self.windows} if self.windows is not None else {})}
        return json.dumps(shown, sort_keys=True, default=str)

    @property
    def identity(self) -> str:
        """What a prediction depends on besides data and seed: the class, the version of its code, its settings."""
        kind = load_class(self.source, self.folder)
        return f"{kind.__module__}:{kind.__qualname__} {_version(kind)} {self.settings_text}"

    def identity_of(self, name: str, group: str) -> str:
        """The same for every series."""
        return self.identity

    def make(self, seed: int) -> DetectorLike:
        """The detector; the seed sets ``seed`` or ``random_state``, unless the experiment sets it."""
        kind = load_class(self.source, self.folder)
        settings = {name: _value(name, value, kind) for name, value in self.settings.items()}
        if "progress" in self.settings:
            raise ValueError(f"detector {self.label}: progress is not supported in experiments; leave it out")
        taken = _parameters(kind)
        unknown = [name for name in settings if taken is not None and name not in taken]
        if unknown and taken is not None:
            known = tuple(sorted(taken - {"progress"}))
            raise (
                unknown_name(f"a setting of {self.label}", unknown[0], known)
                if known
                else ValueError(f"{self.label} has no settings; got {unknown[0]!r}")
            )
        for name in _SEED_NAMES:
            if taken is not None and name in taken and name not in settings:
                settings[name] = seed
        try:
            made = check_detector(kind(**settings))
        except (TypeError, ValueError) as error:
            raise ValueError(f"detector {self.label}: {error}") from error
        return made if self.windows is None else Windowed(detector=made, length=self.windows)


AnyDetector: TypeAlias = DetectorChoice | PublishedDetector


def read_detectors(entries: Sequence[Any], folder: Path) -> list[AnyDetector]:
    """The detectors of ``[[detector]]`` tables; a list in the settings means one detector per value."""
    choices = [choice for number, entry in enumerate(entries) for choice in _choices(entry, folder, f"[[detector]] {number + 1}")]
    for label, count in Counter(choice.label for choice in choices).items():
        if count > 1:
            raise ValueError(f"two detectors have the name {label!r}; rename one of them with label = ...")
    return choices


def load_class(source: str, folder: str = "") -> type:
    """The class of a name or ``package.module:Class``; the module is installed, or in the folder."""
    if ":" not in source:
        if source not in DETECTORS:
            raise unknown_name("a detector", source, tuple(DETECTORS))
        return DETECTORS[source]
    module, _, name = source.partition(":")
    if folder and folder not in sys.path:
        sys.path.append(folder)
    try:
        loaded = importlib.import_module(module)
    except Exception as error:
        raise ValueError(f"the detector {source} cannot be imported: {type(error).__name__}: {error}") from error
    kind = getattr(loaded, name, None)
    if not isinstance(kind, type):
        known = tuple(each for each, value in vars(loaded).items() if isinstance(value, type) and not each.startswith("_"))
        raise unknown_name(f"a class in {module}", name, known) if known else ValueError(f"{module} has no class {name!r}")
    return kind


def _choices(entry: Any, folder: Path, where: str) -> Sequence[AnyDetector]:
    if isinstance(entry, (DetectorChoice, PublishedDetector)):
        return [entry]
    if isinstance(entry, str):
        entry = {"python" if ":" in entry else "name": entry}
    if not isinstance(entry, Mapping):
        raise TypeError(f"{where} must be a name, a table or a DetectorChoice; got {entry!r}")
    if "scores" in entry or "predictions" in entry:
        return [read_published(entry, folder, where)]
    known = ("name", "python", "settings", "label", "windows")
    for key in entry:
        if key not in known:
            raise unknown_name(f"a key of {where}", key, known)
    if ("name" in entry) == ("python" in entry):
        raise ValueError(f'{where} needs a detector: name = "z-score" (built in), python = "package.module:Class", scores or predictions')
    source = str(entry.get("name", entry.get("python")))
    if "python" in entry and ":" not in source:
        raise ValueError(f'{where}: python = "package.module:Class"; got {source!r}')
    settings = entry.get("settings", {})
    if not isinstance(settings, Mapping):
        raise TypeError(f"{where}: settings must be a table such as {{ window = 50 }}; got {settings!r}")
    several = [name for name, value in settings.items() if isinstance(value, list)]
    for name in several:
        if not settings[name]:
            raise ValueError(f"{where}: the list of {name} is empty; a list means one detector per value")
    label, windows = str(entry.get("label", source.rpartition(":")[2])), entry.get("windows")
    if windows is not None:
        whole(f"{where}: windows", windows, least=1)
    choices = []
    home = str(folder.resolve()) if "python" in entry else ""
    for values in itertools.product(*(settings[name] for name in several)):
        chosen = dict(zip(several, values, strict=True))
        shown = " ".join(f"{name}={value}" for name, value in chosen.items())
        choices.append(DetectorChoice(source, {**settings, **chosen}, f"{label} {shown}".strip(), windows, home))
    return choices


def _value(name: str, value: Any, kind: type) -> Any:
    """The value of a text in a file, such as a threshold rule or a model."""
    if kind not in DETECTORS.values() or not isinstance(value, str):
        return value
    if name == "threshold":
        return parse_policy(value)
    if name == "model":
        return PRESETS[value] if value in PRESETS else RangeModel.parse(value)
    return value


@lru_cache(maxsize=256)
def _parameters(kind: type) -> frozenset[str] | None:
    """The parameters of a class; None if it takes any."""
    if is_dataclass(kind):
        return frozenset(item.name for item in fields(kind) if item.init)
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return frozenset(parameter.name for parameter in parameters)


@lru_cache(maxsize=256)
def _version(kind: type) -> str:
    """The version of the class's package and a checksum of its file, so that changed code is another detector."""
    top = kind.__module__.partition(".")[0]
    try:
        version = importlib.metadata.version(top)
    except importlib.metadata.PackageNotFoundError:
        version = str(getattr(importlib.import_module(top), "__version__", ""))
    try:
        source = Path(inspect.getfile(kind)).read_bytes()
    except (TypeError, OSError):
        source = b""
    return f"{version}+{hashlib.sha256(source).hexdigest()[:12]}"
