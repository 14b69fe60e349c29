"""The series of an experiment: files and folders, public collections by name, generated series, series in memory."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from rangewise.checks import unknown_name, whole
from rangewise.datasets.arguments import read_annotations
from rangewise.datasets.nab import load_nab, nab_folder, nab_names, read_nab
from rangewise.datasets.real_series import DISCORDS, load_discord
from rangewise.files.formats.label_table import read_series_table
from rangewise.files.formats.table import guess
from rangewise.files.series import Series
from rangewise.files.source import Source
from rangewise.files.tables import text_of
from rangewise.generate.maker import make_series
from rangewise.generate.paper_four import PAPER_SERIES, paper_series
from rangewise.generate.recipe import Recipe, as_anomalies

_SUFFIXES = (".csv", ".txt", ".parquet", ".gz")
_COLLECTIONS = ("nab", "discord", "paper")
_KEYS = ("path", "name", "format", "column", "train", "generate", "recipe", "paper", "seed", "version", "group")
_ONLY_FOR = (
    ("version", "paper", "the paper's series"), ("seed", "paper", "the paper's series (a generated series has its own)"),
    ("format", "file", "files"), ("column", "file", "files"),
)  # fmt: skip
"""Keys of a ``[[series]]`` table that apply to one kind of series only."""
_CACHED = 8


@dataclass(frozen=True)
class SeriesChoice:
    """The source of a series, which a worker reads.

    ``kind`` is file, nab, nab-folder, discord, paper or recipe; ``where`` its path, name or recipe. ``train`` replaces the training part
    of the file: rows (an int) or a share (a float). ``group`` is the collection of the series, for ``cluster``.
    """

    name: str
    kind: str
    where: str
    group: str = ""
    format: str | None = None
    column: str | None = None
    train: float | int | None = None
    folder: str | None = None
    seed: int = 0
    version: int = 2
    """The version of a paper series."""

    def load(self) -> Series:
        """The series, with the name of this choice."""
        series = _READERS[self.kind](self)
        train = series.train
        if self.train is not None:
            train = (0, round(self.train * len(series)) if isinstance(self.train, float) else self.train)
        try:
            return Series(self.name, series.values, series.timestamps, series.real, train)
        except ValueError as error:
            raise ValueError(f"series {self.name}: {error}") from error


@dataclass(frozen=True, eq=False)
class SeriesInMemory:
    """A series from Python, which is sent to the workers by value."""

    series: Series
    group: str = ""

    @property
    def name(self) -> str:
        return self.series.name

    def load(self) -> Series:
        return self.series


AnySeries = SeriesChoice | SeriesInMemory


def read_series(entries: Sequence[Any], folder: Path, called: str = "[[series]]") -> list[AnySeries]:
    """The series of ``[[series]]`` tables; paths are relative to ``folder``. Errors call them ``called``."""
    choices: list[AnySeries] = []
    for number, entry in enumerate(entries):
        where = f"{called} {number + 1}"
        some = list(_choices(entry, folder, where))
        if not some:
            raise ValueError(f"{where} matches no series: {entry!r}; paths are relative to {folder}")
        choices += some
    return _named_apart(choices)


def checksum(series: Series) -> str:
    """SHA-256 of the values, real ranges and training part."""
    digest = hashlib.sha256(repr((series.values.shape, series.train)).encode())
    digest.update(np.ascontiguousarray(series.values).data)
    digest.update(np.ascontiguousarray(np.asarray(series.real, dtype=np.int64)).data)
    return digest.hexdigest()


@lru_cache(maxsize=_CACHED)
def _loaded(choice: SeriesChoice) -> tuple[Series, str]:
    series = choice.load()
    return series, checksum(series)


def load_checked(choice: AnySeries, expected: str) -> Series:
    """Load a series, the last few from memory, and refuse it if its data differs from the plan."""
    if isinstance(choice, SeriesInMemory):
        return choice.series
    series, digest = _loaded(choice)
    if digest != expected:
        raise ValueError(f"series {choice.name} differs from the plan of this run: its data changed, or this machine has other data")
    return series


def _choices(entry: Any, folder: Path, where: str) -> Iterator[AnySeries]:
    if isinstance(entry, (SeriesChoice, SeriesInMemory)):
        yield entry
        return
    if isinstance(entry, Series):
        yield SeriesInMemory(entry)
        return
    if isinstance(entry, (str, Path)):
        entry = {"path": str(entry)}
    if not isinstance(entry, Mapping):
        raise TypeError(f"{where} must be a path, a table or a Series; got {entry!r}")
    for key in entry:
        if key not in _KEYS:
            raise unknown_name(f"a key of {where}", key, _KEYS)
    ways = [key for key in ("path", "generate", "recipe", "paper") if key in entry]
    if len(ways) != 1:
        raise ValueError(f"{where} needs exactly one of path, generate, recipe, paper; got {', '.join(ways) or 'none'}")
    train = entry.get("train")
    if train is not None and (isinstance(train, bool) or not isinstance(train, (int, float)) or train <= 0):
        raise ValueError(f"{where}: train must be a number of rows or a share between 0 and 1; got {train!r}")
    if isinstance(train, float) and not train < 1:
        raise ValueError(f"{where}: train as a share must be between 0 and 1; got {train!r}; an integer means rows")
    matching = list(_of(ways[0], entry, folder, where))
    for key, kind, of in _ONLY_FOR:
        if key in entry and any(choice.kind != kind for choice in matching):
            raise ValueError(f"{where}: {key} is for {of}; leave it out")
    if "name" in entry and len(matching) > 1:
        raise ValueError(f"{where} matches {len(matching)} series, so it cannot have one name; leave name out")
    for choice in matching:
        yield replace(choice, train=train, group=str(entry.get("group", choice.group)), name=str(entry.get("name", choice.name)))


def _of(way: str, entry: Mapping[str, Any], folder: Path, where: str) -> Iterator[SeriesChoice]:
    if way == "generate":
        yield from _generated(entry["generate"], where)
    elif way == "recipe":
        path = folder / str(entry["recipe"])
        yield SeriesChoice(path.stem, "recipe", Recipe.from_json(text_of(path.read_bytes(), str(path))).to_json(), "generated")
    elif way == "paper":
        yield from _collection("paper", str(entry["paper"]), entry, where)
    else:
        text = str(entry["path"])
        prefix, colon, pattern = text.partition(":")
        if colon and prefix in _COLLECTIONS:
            yield from _collection(prefix, pattern, entry, where)
        else:
            yield from _files(text, entry, folder)


def _collection(prefix: str, pattern: str, entry: Mapping[str, Any], where: str) -> Iterator[SeriesChoice]:
    seed = whole(f"{where}: seed", entry.get("seed", 0), least=0)
    version = entry.get("version", 2)
    if version not in (1, 2):
        raise ValueError(f"{where}: the version of a paper series is 2, or 1 for the hard set; got {version!r}")
    known = nab_names(nab_folder()) if prefix == "nab" else DISCORDS if prefix == "discord" else tuple(PAPER_SERIES)
    matching = [name for name in known if fnmatchcase(name, pattern)]
    if not matching:
        raise unknown_name(f"{where}: a series of {prefix}", pattern, known)
    for name in matching:
        group = name.partition("/")[0] if prefix == "nab" else prefix
        choice = SeriesChoice(name, prefix, name, group)
        yield replace(choice, seed=seed, version=version) if prefix == "paper" else choice


def _files(text: str, entry: Mapping[str, Any], folder: Path) -> Iterator[SeriesChoice]:
    form, column = entry.get("format"), entry.get("column")
    target = folder / text
    if target.is_dir():
        paths = sorted(path for path in target.rglob("*") if path.suffix in _SUFFIXES and path.is_file())
    elif target.is_file():
        paths = [target]
    else:
        pattern = Path(text)
        root, parts = (Path(pattern.anchor), pattern.parts[1:]) if pattern.is_absolute() else (folder, pattern.parts)
        paths = sorted(path for path in root.glob("/".join(parts)) if path.is_file()) if parts else []
    for path in paths:
        path = path.resolve()
        home = _nab_home(path)
        group = path.parent.name
        if home is not None and form is None:
            name = path.relative_to(home / "data").as_posix()
            yield SeriesChoice(name, "nab-folder", name, group, folder=str(home))
        else:
            yield SeriesChoice(path.name, "file", str(path), group, form, column)


def _nab_home(path: Path) -> Path | None:
    """The folder of NAB that the file belongs to; its anomalies are in ``labels``."""
    for parent in path.parents:
        if parent.name == "data" and (parent.parent / "labels" / "combined_windows.json").is_file():
            return parent.parent
    return None


def _generated(table: Any, where: str) -> Iterator[SeriesChoice]:
    if not isinstance(table, Mapping):
        raise TypeError(f'{where}: generate is a table such as {{ base = "sine", length = 5000, seed = [1, 2] }}; got {table!r}')
    settings = dict(table)
    anomalies = settings.pop("anomalies", None)
    several = [name for name, value in settings.items() if isinstance(value, list)]
    for name in several:
        if not settings[name]:
            raise ValueError(f"{where}: the list of {name} is empty; a list means one series per value")
    for values in product(*(settings[name] for name in several)):
        chosen = {**settings, **dict(zip(several, values, strict=True))}
        try:
            wanted = type(as_anomalies(None))(**anomalies) if isinstance(anomalies, Mapping) else as_anomalies(anomalies)
            recipe = Recipe(anomalies=wanted, **chosen)
        except TypeError as error:
            raise ValueError(f"{where}: {error}") from error
        shown = " ".join(f"{name}={value}" for name, value in chosen.items() if name in several or name == "seed")
        yield SeriesChoice(f"{recipe.base} {shown}".strip(), "recipe", recipe.to_json(), "generated")


def _named_apart(choices: list[AnySeries]) -> list[AnySeries]:
    """Add paths to the names of files with the same name in several folders."""
    counts = Counter(choice.name for choice in choices)
    chosen = [
        replace(choice, name="/".join(Path(choice.where).parts[-2:]))
        if counts[choice.name] > 1 and isinstance(choice, SeriesChoice) and choice.kind == "file"
        else choice
        for choice in choices
    ]
    for name, count in Counter(choice.name for choice in chosen).items():
        if count > 1:
            raise ValueError(f"two series have the name {name!r}; rename one of them with name = ..., or leave one out")
    return chosen


def _file(choice: SeriesChoice) -> Series:
    source = Source(choice.where)
    form = choice.format or ("csv" if choice.column is not None else guess(source).name)
    if form == "csv":
        # A table without labels is a series without anomalies.
        return read_series_table(source, choice.column)
    annotations = read_annotations(choice.where, format=form, column=choice.column)
    if annotations.series is None:
        raise ValueError(f"{choice.where} has no values; expected a series")
    return annotations.series


_READERS: dict[str, Callable[[SeriesChoice], Series]] = {
    "file": _file,
    "nab": lambda choice: load_nab(choice.where),
    "nab-folder": lambda choice: read_nab(str(choice.folder), choice.where),
    "discord": lambda choice: load_discord(choice.where),
    "paper": lambda choice: paper_series(choice.where, seed=choice.seed, version=choice.version),
    "recipe": lambda choice: make_series(Recipe.from_json(choice.where)),
}


def describe(choice: AnySeries) -> str:
    """A choice as JSON, for the store."""
    return json.dumps({"memory": choice.name} if isinstance(choice, SeriesInMemory) else asdict(choice), sort_keys=True)
