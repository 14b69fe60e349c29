"""The data folder and its downloads, verified by checksum.

The folder is ``RANGEWISE_DATA``, or ``rangewise`` in the user's cache folder. A missing public file is downloaded from its repository at a
pinned commit; it is kept only if its size and SHA-256 match the recorded ones.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from rangewise.files.writing import written_whole

FOLDER_VARIABLE = "RANGEWISE_DATA"
RAW_FILES = "https://raw.githubusercontent.com"
_PATIENCE_SECONDS = 30
_CHUNK_BYTES = 1 << 16
_MOST_ARRAY_BYTES = 1 << 24
_CST_COMMIT = "0c6dfa195a5af8ef75938bc1ca6b870e49c7b14a"


Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Assembly:
    """How a file is assembled from NumPy arrays of a repository: the arrays of a folder that are needed, and the function.

    The repository has each series as consecutive ``train.npy`` and ``test.npy``, with ``..._label.npy`` and, for KPIs,
    ``..._timestamp.npy``. The result is compared with a recorded checksum, to detect changes of the arrays or of the function.
    """

    arrays: tuple[str, ...]
    text: Callable[[Arrays], str]


def _joined(arrays: Arrays, ending: str) -> list[Any]:
    joined: list[Any] = np.concatenate([arrays[f"train{ending}"], arrays[f"test{ending}"]]).ravel().tolist()
    return joined


def kpi_text(arrays: Arrays) -> str:
    """``timestamp,value,label``, values to nine digits.

    >>> halves = ("train", "test")
    >>> numbers = {"_timestamp": [60.0], "": [0.25], "_label": [1.0]}
    >>> kpi_text({half + ending: np.array(value) for half in halves for ending, value in numbers.items()})
    'timestamp,value,label\\n60,0.25,1\\n60,0.25,1\\n'
    """
    columns = (_joined(arrays, ending) for ending in ("_timestamp", "", "_label"))
    lines = (f"{int(time)},{float(f'{value:.9g}')!r},{int(label)}\n" for time, value, label in zip(*columns, strict=True))
    return "timestamp,value,label\n" + "".join(lines)


def ucr_values(arrays: Arrays) -> str:
    """One value per line, to eight digits; the anomaly is in the name of the file.

    >>> ucr_values({"train": np.array([1.0, -0.0]), "test": np.array([2.5])})
    '1\\n0\\n2.5\\n'
    """
    return "".join(f"{value + 0.0:.8g}\n" for value in _joined(arrays, ""))


_HALVES = ("train", "test")
KPI = Assembly(tuple(f"{half}{ending}" for half in _HALVES for ending in ("", "_label", "_timestamp")), kpi_text)
UCR = Assembly(_HALVES, ucr_values)


@dataclass(frozen=True)
class Collection:
    """A public repository at one commit: ``folder`` is its folder in the data folder."""

    folder: str
    repository: str
    commit: str
    about: str
    assembly: Assembly | None = None
    """How files are assembled if the repository has arrays; sizes and checksums are then those of the unpacked text."""


COLLECTIONS = MappingProxyType(
    {
        collection.folder: collection
        for collection in (
            Collection(
                "nab", "numenta/NAB", "ea702d75cc2258d9d7dd35ca8e5e2539d71f3140", "the Numenta Anomaly Benchmark: 58 series, windows; MIT"
            ),
            Collection(
                "paper-labels",
                "IntelLabs/TSAD-Evaluator",
                "3dd267bfe2fd960c1201f7cf61bb81d18cfa8dd8",
                "real and predicted labels of Tatbul et al. (2018); MIT",
            ),
            Collection(
                "discords",
                "chickenbestlover/RNN-Time-series-Anomaly-Detection",
                "eeebeab1b1a503535172b24a0a8d9eb324ba6548",
                "ECG and Space Shuttle series of Keogh, Lin, Fu (2005); no license stated: research use, cite the paper",
            ),
            Collection(
                "aiops-kpi",
                "CSTCloudOps/datasets",
                _CST_COMMIT,
                "22 labeled KPIs of web companies, from NetManAIOps/KPI-Anomaly-Detection; MIT",
                KPI,
            ),
            Collection(
                "ucr",
                "CSTCloudOps/datasets",
                _CST_COMMIT,
                "150 series of the UCR anomaly archive (Wu and Keogh 2021); no license stated: research use, cite the paper",
                UCR,
            ),
            Collection(
                "skab",
                "waico/SKAB",
                "b2c0d46c2971dcbfe71e26087b6d231998bb91c2",
                "34 recordings of a water loop, eight sensors (Katser and Kozitsin 2020); GPL-3.0",
            ),
        )
    }
)


@dataclass(frozen=True)
class DataFile:
    """A known file: its name in the data folder, size, checksum, and path in its repository (None if it is derived and not published)."""

    name: str
    bytes: int
    sha256: str
    upstream: str | None

    @property
    def collection(self) -> Collection:
        return COLLECTIONS[self.name.partition("/")[0]]

    @property
    def address(self) -> str | None:
        """The public address, or None for a derived file that is not published."""
        if self.upstream is None:
            return None
        return f"{RAW_FILES}/{self.collection.repository}/{self.collection.commit}/{quote(self.upstream)}"


@lru_cache(maxsize=1)
def registry() -> Mapping[str, DataFile]:
    """All known files, by name.

    >>> registry()["nab/data/realKnownCause/nyc_taxi.csv"].bytes
    265771
    """
    with (Path(__file__).parent / "registry.csv").open(newline="", encoding="utf-8") as table:
        files = [DataFile(row["file"], int(row["bytes"]), row["sha256"], row["upstream"] or None) for row in csv.DictReader(table)]
    return MappingProxyType({file.name: file for file in files})


def data_folder() -> Path:
    """``RANGEWISE_DATA``, or ``rangewise`` in the user's cache folder. It may not exist."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named:
        try:
            return Path(named).expanduser()
        except RuntimeError:
            raise ValueError(f"{FOLDER_VARIABLE} is {named!r}, but there is no such user; give an absolute path") from None
    if sys.platform == "win32":
        cache = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        cache = Path.home() / "Library" / "Caches"
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "rangewise"


def local_path(name: str) -> Path:
    """The path of a file in the data folder, which may not exist. Names outside the data folder are refused."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or PureWindowsPath(name).drive:
        raise ValueError(f"{name!r} is not a name in the data folder; expected e.g. 'nab/data/realKnownCause/nyc_taxi.csv'")
    return data_folder().joinpath(*parts)


def find_file(name: str) -> Path:
    """The path of a data file, which is downloaded first if it is public and missing."""
    path = local_path(name)
    if path.is_file():
        return path
    file = registry().get(name)
    if file is None:
        raise FileNotFoundError(f"{path} does not exist, and {name} is not a known public file; `rangewise data list` lists them")
    fetch([file])
    return path


def fetch(files: Iterable[DataFile]) -> None:
    """Download files to the data folder, each verified before it appears there, with progress on a terminal."""
    wanted = list(files)
    with _progress(sum(file.bytes for file in wanted)) as advance:
        for file in wanted:
            _fetch_one(file, advance)


def is_intact(file: DataFile) -> bool:
    """Whether the file is in the data folder with the recorded size and checksum (of its text, if it was assembled from arrays)."""
    path = local_path(file.name)
    if not path.is_file():
        return False
    if file.collection.assembly is None:
        return path.stat().st_size == file.bytes and _sha256(path) == file.sha256
    try:
        with gzip.open(path) as packed:
            return _is_recorded(packed.read(file.bytes + 1), file)
    except (OSError, EOFError, zlib.error):
        return False


def _is_recorded(content: bytes, file: DataFile) -> bool:
    return len(content) == file.bytes and hashlib.sha256(content).hexdigest() == file.sha256


def _fetch_one(file: DataFile, advance: Callable[[int], None]) -> None:
    path = local_path(file.name)
    if file.address is None:
        raise FileNotFoundError(
            f"{file.name} is missing; it is derived from {file.collection.repository} and not published: put it at {path}, "
            f"or set {FOLDER_VARIABLE} to a folder that has it"
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(path) as part:
            download = _download if file.collection.assembly is None else _assemble
            download(file, file.address, part, advance)
    except OSError as error:
        reason = getattr(error, "reason", None) or error
        raise FileNotFoundError(
            f"{file.name} is not in {data_folder()} and cannot be downloaded ({reason}); get it from {file.address} and put it at {path}, "
            f"or set {FOLDER_VARIABLE} to a folder that has it"
        ) from error


@contextmanager
def _opened(address: str, name: str = "") -> Iterator[Any]:
    """The answer of a server; errors of HTTP become an ``OSError`` with a reason, which names the file if ``name`` does."""
    from http.client import HTTPException
    from urllib.error import HTTPError
    from urllib.request import urlopen

    try:
        with urlopen(address, timeout=_PATIENCE_SECONDS) as answer:
            yield answer
    except HTTPError as error:
        with error:
            raise OSError(f"the server answered {error.code} {error.reason}{name and f' for {name}'}") from error
    except HTTPException as error:
        raise OSError(f"the connection was lost: {type(error).__name__}") from error


def _assemble(file: DataFile, address: str, part: Path, advance: Callable[[int], None]) -> None:
    """Download the arrays and assemble them into ``part``."""
    assembly = file.collection.assembly
    assert assembly is not None
    arrays = {}
    for name in assembly.arrays:
        try:
            with _opened(f"{address}/{name}.npy", f"{name}.npy") as answer:
                content = answer.read(_MOST_ARRAY_BYTES)
            arrays[name] = np.load(io.BytesIO(content), allow_pickle=False)
        except (ValueError, EOFError):
            raise OSError(f"{name}.npy is not an array") from None
    try:
        content = assembly.text(arrays).encode()
    except (ValueError, TypeError) as error:
        raise OSError(f"the arrays cannot be assembled: {error}") from error
    advance(len(content))
    if not _is_recorded(content, file):
        raise OSError("the assembled series does not have the recorded checksum")
    part.write_bytes(gzip.compress(content, mtime=0))


def _download(file: DataFile, address: str, part: Path, advance: Callable[[int], None]) -> None:
    """Download into ``part``."""
    received, digest = 0, hashlib.sha256()
    with part.open("wb") as target, _opened(address) as answer:
        # Stop as soon as there are more bytes than recorded.
        while received <= file.bytes and (chunk := answer.read(_CHUNK_BYTES)):
            target.write(chunk)
            digest.update(chunk)
            received += len(chunk)
            advance(len(chunk))
    if received < file.bytes:
        raise OSError(f"only {received} of {file.bytes} bytes were received")
    if received > file.bytes:
        raise OSError(f"more than the recorded {file.bytes} bytes were received")
    if digest.hexdigest() != file.sha256:
        raise OSError(f"the download has the checksum {digest.hexdigest()[:16]}..., the recorded one is {file.sha256[:16]}...")


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """A progress bar on standard error, if that is a terminal; yields a function that adds received bytes."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    console = Console(stderr=True)
    columns = (TextColumn("fetching"), BarColumn(), DownloadColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("fetching", total=total)
        yield lambda count: progress.advance(task, count)
