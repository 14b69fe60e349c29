"""Recipe: everything that a generated series depends on, as a value and as JSON, so that the series can be reproduced."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from numbers import Real
from typing import Any

from rangewise.checks import shown, unknown_name, whole
from rangewise.generate.bases import BASES
from rangewise.generate.kinds import KINDS
from rangewise.generate.plan import MOST_ROWS, Anomalies

VERSION = 1
"""The version of recipes: raised whenever the same recipe would give other values."""

OWN = "own"
"""The base of a recipe that augments a user's series."""

_LARGEST: Any = sys.float_info.max

AnomaliesLike = Anomalies | int | str | Sequence[str] | None


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The settings of a generated series. Frozen and validated.

    None means the default of the base. ``noise`` is the standard deviation of added Gaussian noise, as a part of
    ``high - low``. ``source`` says which values the base ``own`` is: a checksum, and their file where there is one.

    >>> recipe = Recipe(base="sine", length=1000, seed=3)
    >>> recipe.period, recipe.noise
    (360.0, 0.0)
    >>> Recipe.from_json(recipe.to_json()) == recipe
    True
    """

    base: str = "sine"
    length: int = 10_000
    seed: int = 0
    anomalies: Anomalies = field(default_factory=Anomalies)
    noise: float | None = None
    period: float | None = None
    low: float | None = None
    high: float | None = None
    channels: int = 1
    source: dict[str, Any] | None = None
    version: int = VERSION

    def __post_init__(self) -> None:
        if self.version != VERSION:
            raise ValueError(f"this is a recipe of version {self.version!r}; this release makes series of version {VERSION}")
        if self.base not in BASES and self.base != OWN:
            raise unknown_name("base", self.base, tuple(BASES))
        if not isinstance(self.anomalies, Anomalies):
            raise TypeError(f"the anomalies of a recipe are an Anomalies; got {self.anomalies!r}")
        object.__setattr__(self, "length", whole("length", self.length, least=1, most=MOST_ROWS))
        object.__setattr__(self, "seed", whole("seed", self.seed, least=0))
        object.__setattr__(self, "channels", whole("channels", self.channels, least=1))
        for name in ("noise", "period", "low", "high"):
            self._settle(name)
        if self.anomalies.kinds is None:
            kinds = (None if self.base == OWN else BASES[self.base].kinds) or tuple(KINDS)
            object.__setattr__(self, "anomalies", replace(self.anomalies, kinds=kinds))
        if self.noise is not None and self.noise < 0:
            raise ValueError(f"noise is a standard deviation, at least 0; got {self.noise}")
        if self.period is not None and self.period < 2:
            raise ValueError(f"period is at least 2 rows; got {self.period}")
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise ValueError(f"low lies below high; got {self.low} and {self.high}")

    def _settle(self, name: str) -> None:
        """Replace None by the base's default, and check other values."""
        value = getattr(self, name)
        default = (0.0 if name == "noise" else None) if self.base == OWN else getattr(BASES[self.base], name)
        if value is None:
            value = default
        elif default is None:
            raise ValueError(f"the base {self.base} has no {name}; drop it")
        elif isinstance(value, bool) or not isinstance(value, Real) or not -_LARGEST <= value <= _LARGEST:
            raise ValueError(f"{name} is a finite number; got {shown(value)}")
        object.__setattr__(self, name, None if value is None else float(value))

    def to_json(self) -> str:
        """The recipe as JSON text, with every default spelled out."""
        content = asdict(self)
        return json.dumps({"generator": "rangewise", "version": content.pop("version"), **content}, indent=2) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Recipe:
        """The inverse of :meth:`to_json`."""
        try:
            content = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"a recipe is JSON; {error}") from error
        except RecursionError as error:
            raise ValueError("this is nested too deeply to be a recipe") from error
        if not isinstance(content, dict) or content.pop("generator", None) != "rangewise":
            raise ValueError('a recipe is a JSON object with "generator": "rangewise"')
        if content.get("version") != VERSION:
            raise ValueError(f"this is a recipe of version {content.get('version')!r}; this release makes series of version {VERSION}")
        wanted = content.pop("anomalies", {})
        if not isinstance(wanted, dict):
            raise ValueError(f'"anomalies" of a recipe is an object; got {wanted!r}')
        _check_names("the recipe", content, cls)
        _check_names('"anomalies" of the recipe', wanted, Anomalies)
        return cls(anomalies=Anomalies(**wanted), **content)


def as_anomalies(given: AnomaliesLike) -> Anomalies:
    """Anomalies as a user may give them: the settings, a number, a kind, several kinds, or None for the defaults."""
    if given is None:
        return Anomalies()
    if isinstance(given, Anomalies):
        return given
    if isinstance(given, str):
        return Anomalies(kinds=given)
    if isinstance(given, Sequence):
        return Anomalies(kinds=given) if given else Anomalies(number=0)
    return Anomalies(number=given)


def _check_names(where: str, content: dict[str, Any], owner: type) -> None:
    known = tuple(item.name for item in fields(owner))
    for name in content:
        if name not in known:
            raise unknown_name(f"a name in {where}", name, known)
