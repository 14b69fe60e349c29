"""The store: one SQLite file with all results, written by one process; others can read it meanwhile.

WAL with ``synchronous=NORMAL``: a killed program loses no commit; a power failure may lose the last commits, never the file.
"""

from __future__ import annotations

import json
import math
import os
import platform
import sqlite3
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import IO, Any, Self

import numpy as np

from rangewise import __version__
from rangewise.bench.experiment import Limits
from rangewise.bench.metric_choice import Scored
from rangewise.bench.runs import Plan
from rangewise.bench.series_choice import describe
from rangewise.bench.work import Outcome, Prediction
from rangewise.checks import check_size, size_limit

FORMAT = 2
"""The version of the tables below, raised whenever an older release could not read them."""
_APPLICATION = 0x72776231
_MEMORY = ":memory:"
_TRIED = 1024
_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"

_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE invocation (id INTEGER PRIMARY KEY, started TEXT, ended TEXT, version TEXT, host TEXT, python TEXT);
CREATE TABLE run (key TEXT PRIMARY KEY, detector TEXT, settings TEXT, series TEXT, data_sha256 TEXT, train TEXT, repeat INTEGER,
    seed INTEGER) WITHOUT ROWID;
CREATE TABLE result (key TEXT PRIMARY KEY, invocation INTEGER, status TEXT, message TEXT, traceback TEXT, seconds_fit REAL,
    seconds_score REAL, peak_memory INTEGER, limit_seconds REAL, limit_memory INTEGER) WITHOUT ROWID;
CREATE TABLE prediction (key TEXT PRIMARY KEY, ranges BLOB, scores BLOB, threshold REAL);
CREATE TABLE score (key TEXT, metric TEXT, status TEXT, real_reward TEXT, real_ranges INTEGER, predicted_reward TEXT,
    predicted_ranges INTEGER, value REAL, message TEXT, PRIMARY KEY (key, metric)) WITHOUT ROWID;
CREATE TABLE plan (position INTEGER PRIMARY KEY, key TEXT, detector TEXT, settings TEXT, series INTEGER, repeat INTEGER, seed INTEGER);
CREATE TABLE series (position INTEGER PRIMARY KEY, name TEXT, collection TEXT, data_sha256 TEXT, points INTEGER, channels INTEGER,
    train TEXT, test_first INTEGER, real TEXT, source TEXT);
"""


class Store:
    """An open store, from ``writing`` or ``reading``. A context manager that closes it."""

    def __init__(self, path: str, connection: sqlite3.Connection, lock: IO[bytes] | None, snapshot: _Snapshot | None = None) -> None:
        self.path, self._connection, self._lock, self._snapshot = path, connection, lock, snapshot
        self._invocation = 0

    @classmethod
    def writing(cls, path: str | Path | None, experiment: str) -> Store:
        """Open for the only writer, or create it; a store of another experiment and a second writer are refused."""
        if path is None:
            made = cls(_MEMORY, _connected(_MEMORY), None)
            made._make(experiment)
            return made
        file = Path(path)
        if file.is_dir():
            raise IsADirectoryError(f"{file} is a directory; a store is one file")
        if not file.parent.is_dir():
            raise FileNotFoundError(f"the store {file} cannot be created: the folder {file.parent} does not exist")
        # A store has one lock; other names of its file would have their own locks.
        file = Path(os.path.realpath(file))
        if file.exists() and file.stat().st_nlink > 1:
            raise ValueError(
                f"{file} has several names (hard links), and SQLite keeps one log per name; copy it, or give another store with --store"
            )
        for name in (f"{file.name}-wal", f"{file.name}-shm", f"{file.name}-journal"):
            # SQLite would follow links and remove files that a journal names; our stores have neither.
            if file.with_name(name).is_symlink() or (name.endswith("-journal") and file.with_name(name).exists()):
                raise ValueError(
                    f"{file.with_name(name)} does not belong to a store of rangewise; remove it, or give another store with --store"
                )
        lock = _locked(file)
        try:
            store = cls(str(file), _connected(str(file)), lock)
            with _store_errors(store.path):
                # Immediate, so that write errors occur before anything runs.
                store._connection.execute("BEGIN IMMEDIATE")
                empty = not store._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
                store._connection.execute("COMMIT")
                if empty:
                    store._make(experiment)
            store._check(experiment)
        except BaseException:
            if lock is not None:
                _unlock(file, lock)
            raise
        return store

    @classmethod
    def reading(cls, path: str | Path) -> Store:
        """Open to read, also while another process writes. Reading changes nothing on disk."""
        file = Path(path)
        if not file.is_file():
            raise FileNotFoundError(f"{file} does not exist; `rangewise bench run` creates a store")
        snapshot = _Snapshot(file)
        store = cls(str(file), snapshot.connection, None, snapshot)
        try:
            store._check(None)
        except BaseException:
            store.close()
            raise
        return store

    def about(self, name: str) -> str | None:
        rows = self.rows("SELECT value FROM about WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else None

    def begin_invocation(self, plan: Plan, shown: Mapping[str, Any]) -> None:
        """Record the start of an invocation and its runs; the plan replaces the last one, results stay."""
        numbers = {series.name: number for number, series in enumerate(plan.series)}
        with self.transaction() as write:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            values = (now, __version__, platform.node(), platform.python_version())
            inserted = write.execute("INSERT INTO invocation (started, version, host, python) VALUES (?, ?, ?, ?)", values)
            self._invocation = int(inserted.lastrowid or 0)
            write.execute("INSERT OR REPLACE INTO about VALUES ('shown', ?)", (json.dumps(shown),))
            write.execute("INSERT OR REPLACE INTO about VALUES ('ignored', ?)", (json.dumps(plan.ignored),))
            write.execute("DELETE FROM plan")
            write.execute("DELETE FROM series")
            write.executemany(
                "INSERT INTO series VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        numbers[each.name], each.name, each.choice.group, each.data, each.points, each.channels,
                        json.dumps(each.train), each.test_first, json.dumps(each.real), describe(each.choice),
                    )
                    for each in plan.series
                ],
            )  # fmt: skip
            write.executemany(
                "INSERT OR IGNORE INTO run VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        run.key, run.detector.source, run.detector.settings_text, run.series.name, run.series.data,
                        json.dumps(run.series.train), run.repeat, run.seed,
                    )
                    for run in plan.runs
                ],
            )  # fmt: skip
            write.executemany(
                "INSERT INTO plan VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        position, run.key, run.detector.label, run.detector.settings_text,
                        numbers[run.series.name], run.repeat, run.seed,
                    )
                    for position, run in enumerate(plan.runs)
                ],
            )  # fmt: skip

    def end_invocation(self) -> None:
        with self.transaction() as write:
            write.execute(
                "UPDATE invocation SET ended = ? WHERE id = ?", (datetime.now(UTC).isoformat(timespec="seconds"), self._invocation)
            )

    def results(self) -> dict[str, tuple[str, float, int]]:
        """The status of each run and its limits, by key."""
        rows = self.rows("SELECT key, status, limit_seconds, limit_memory FROM result")
        return {key: (status, seconds, memory) for key, status, seconds, memory in rows}

    def scored(self) -> dict[tuple[str, str], str]:
        """The status of each score, by key and metric."""
        return {(key, metric): status for key, metric, status in self.rows("SELECT key, metric, status FROM score")}

    def prediction(self, key: str) -> Prediction | None:
        rows = self.rows("SELECT ranges, scores, threshold FROM prediction WHERE key = ?", (key,))
        if not rows:
            return None
        packed_ranges, packed_scores, threshold = rows[0]
        ranges = np.frombuffer(_unpacked(packed_ranges), dtype="<i8").reshape(-1, 2)
        scores = None if packed_scores is None else np.frombuffer(_unpacked(packed_scores), dtype="<f8")
        return Prediction(ranges, scores, threshold)

    def keys_with_scores(self) -> set[str]:
        return {key for (key,) in self.rows("SELECT key FROM prediction WHERE scores IS NOT NULL")}

    def add(self, key: str, outcome: Outcome | None, scores: Mapping[str, Scored], limits: Limits, *, keep_scores: bool) -> None:
        """Store one finished run atomically; when this returns, it survives a kill."""
        with self.transaction() as write:
            if outcome is not None:
                write.execute(
                    "INSERT OR REPLACE INTO result VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        key, self._invocation, outcome.status, outcome.message, outcome.traceback, outcome.seconds_fit,
                        outcome.seconds_score, outcome.peak_memory, limits.seconds, limits.memory_bytes,
                    ),
                )  # fmt: skip
                prediction = outcome.prediction
                if prediction is not None:
                    kept = None
                    if keep_scores and prediction.scores is not None:
                        kept = _packed(prediction.scores.astype("<f8").tobytes())
                    ranges = _packed(prediction.ranges.astype("<i8").tobytes())
                    write.execute("INSERT OR REPLACE INTO prediction VALUES (?, ?, ?, ?)", (key, ranges, kept, prediction.threshold))
            write.executemany(
                "INSERT OR REPLACE INTO score VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(key, metric, scored.status, *_counts(scored.tally), scored.value, scored.message) for metric, scored in scores.items()],
            )

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with _store_errors(self.path):
            if self._snapshot is not None:
                self._connection = self._snapshot.current()
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        with _store_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        self._connection.close()
        if self._lock is not None:
            _unlock(Path(self.path), self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _make(self, experiment: str) -> None:
        write = self._connection
        if self.path != _MEMORY:
            write.execute("PRAGMA journal_mode = WAL")
        write.executescript(f"BEGIN IMMEDIATE; {_TABLES} PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {FORMAT}; COMMIT;")
        with self.transaction():
            write.execute("INSERT OR IGNORE INTO about VALUES ('experiment', ?)", (experiment,))

    def _check(self, experiment: str | None) -> None:
        with _store_errors(self.path):
            kind = self._connection.execute("PRAGMA application_id").fetchone()[0]
            version = self._connection.execute("PRAGMA user_version").fetchone()[0]
            ours = kind == _APPLICATION and version == FORMAT
            if ours and self._connection.execute(_SCHEMA).fetchall() != _own_schema():
                raise ValueError(f"{self.path} does not have the tables of a store of rangewise bench; give another name with --store")
            name = self.about("experiment") if ours else None
        if kind != _APPLICATION:
            raise ValueError(f"{self.path} is not a store of rangewise bench; give another name with --store")
        if version != FORMAT:
            age, way_out = (
                ("a newer", "update rangewise") if version > FORMAT else ("an older", "run the experiment again with another --store")
            )
            raise ValueError(
                f"{self.path} has format {version}, of {age} rangewise; this release ({__version__}) reads {FORMAT}: {way_out}"
            )
        if experiment is not None and name is None:
            with self.transaction() as write:
                write.execute("INSERT INTO about VALUES ('experiment', ?)", (experiment,))
        elif experiment is not None and name != experiment:
            raise ValueError(f"{self.path} is the store of the experiment {name!r}, not of {experiment!r}; give another one with --store")


def _counts(tally: tuple[int, int, int, int] | None) -> tuple[str | None, int | None, str | None, int | None]:
    """Rewards as text, because they do not fit into 64 bits."""
    return (None, None, None, None) if tally is None else (str(tally[0]), tally[1], str(tally[2]), tally[3])


def _packed(content: bytes) -> bytes:
    """Compressed if that helps: most scores cannot be compressed, and trying costs time."""
    begin = content[:_TRIED]
    helps = len(zlib.compress(begin, 1)) < 0.7 * len(begin)
    return b"z" + zlib.compress(content, 1) if helps else b"r" + content


def _unpacked(content: bytes) -> bytes:
    if content[:1] != b"z":
        return content[1:]
    most = size_limit(len(content))
    try:
        plain = zlib.decompressobj().decompress(content[1:], most + 1)
    except zlib.error as error:
        raise ValueError(f"a prediction of the store is damaged: {error}") from None
    check_size(len(plain), len(content), "a prediction of the store")
    return plain


def number(value: float | None) -> float:
    """SQLite stores nan as NULL."""
    return math.nan if value is None else value


def _own_schema() -> list[tuple[Any, ...]]:
    """The schema of a store, without views and triggers, which could run foreign code."""
    with closing(sqlite3.connect(_MEMORY)) as made:
        made.executescript(_TABLES)
        return made.execute(_SCHEMA).fetchall()


class _Snapshot:
    """A read-only connection that creates no files unless a writer is active.

    A reader of a WAL file shares memory with the writer through a file beside it. Without a writer, the store is opened as immutable, and
    again after it changed; the log of a killed run is read from a copy.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self.connection = self._opened()

    def current(self) -> sqlite3.Connection:
        """The connection to the current state of the store."""
        if self._state != self._now():
            self.connection.close()
            self.connection = self._opened()
        return self.connection

    def _now(self) -> tuple[Any, ...]:
        if self._live:
            return ()
        return tuple((status.st_size, status.st_mtime_ns, status.st_ino) if status else None for status in map(_status, self._files()))

    def _files(self) -> tuple[Path, Path]:
        return self._file, self._file.with_name(f"{self._file.name}-wal")

    def _opened(self) -> sqlite3.Connection:
        file, mode = Path(os.path.realpath(self._file)), "mode=ro"
        self._file = file
        self._live = _is_locked(file)
        self._state = self._now()
        if not self._live:
            mode, log = "immutable=1", file.with_name(f"{file.name}-wal")
            if log.is_file() and not log.is_symlink() and log.stat().st_size:
                return _copied(file, log)
        return _connected(f"{file.as_uri()}?{mode}", uri=True, name=str(file))


def _copied(file: Path, log: Path) -> sqlite3.Connection:
    """A connection to a copy of the store that includes its log. The copy is deleted once it is open."""
    with TemporaryDirectory(prefix="rangewise-") as folder:
        copy = Path(folder) / "copy"
        copyfile(file, copy)
        copyfile(log, copy.with_name("copy-wal"))
        with _store_errors(str(file)), closing(_connected(f"{copy.as_uri()}?mode=rw", uri=True, name=str(file))) as whole:
            whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection = _connected(f"{copy.as_uri()}?immutable=1", uri=True, name=str(file))
        with _store_errors(str(file)):
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        return connection


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _connected(path: str, *, uri: bool = False, name: str | None = None) -> sqlite3.Connection:
    with _store_errors(name or path):
        connection = sqlite3.connect(path, timeout=30, isolation_level=None, uri=uri)
        # Stores from others are not trusted: their schema may call nothing, and their pages are checked.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
        if not uri:
            connection.execute("PRAGMA synchronous = NORMAL")
        return connection


@contextmanager
def _store_errors(path: str) -> Iterator[None]:
    """Turn errors of SQLite into errors that name the store and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        text = str(error)
        if "readonly" in text or "unable to open" in text:
            raise PermissionError(
                f"the store {path} cannot be written: its disk or folder is read-only; give another with --store"
            ) from error
        if "full" in text or "disk I/O" in text:
            raise OSError(f"the store {path}: {text}; finished runs are kept: free some space and run again to resume") from error
        if "not a database" in text or "malformed" in text:
            raise ValueError(f"{path} is not a store of rangewise bench ({text}); give another name with --store") from error
        raise OSError(f"the store {path}: {text}") from error


def _lock_path(file: Path) -> Path:
    return file.with_name(f"{file.name}-lock")


def _locked(file: Path) -> IO[bytes] | None:
    """Lock the store. The system releases the lock if the process dies."""
    try:
        import fcntl
    except ModuleNotFoundError:
        return None
    place = _lock_path(file)
    while True:
        try:
            # Do not follow a link or wait for a pipe of that name: they are not ours.
            lock = os.fdopen(os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666), "r+b", buffering=0)
        except OSError as error:
            raise PermissionError(
                f"the store {file} cannot be written: {place.name}: {error.strerror}; give another with --store"
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            raise ValueError(f"another run is writing {file}; wait for it, or give another store with --store") from error
        # The previous run may have removed the file between the two calls: then the lock is on a deleted file.
        with suppress(OSError):
            if os.path.samestat(os.fstat(lock.fileno()), os.lstat(place)):
                return lock
        lock.close()


def _is_locked(file: Path) -> bool:
    """Whether a run is writing the store; assumed if the system has no such locks."""
    try:
        import fcntl
    except ModuleNotFoundError:
        return True
    try:
        lock = os.open(_lock_path(file), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def _unlock(file: Path, lock: IO[bytes]) -> None:
    with suppress(OSError):
        _lock_path(file).unlink()
    lock.close()
