"""Writing files atomically, so that readers see complete files and no existing file is lost."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_LONGEST_NAME = 100


@contextmanager
def written_whole(target: str | Path) -> Iterator[Path]:
    """A temporary path beside ``target`` to write to; it becomes ``target`` at the end, and is removed after an error.

    A symbolic link is followed, an existing file keeps its permissions, and the bytes are on disk before the rename. Devices and pipes,
    such as ``/dev/stdout``, are written to directly.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "labels.txt") as part:
    ...         _ = part.write_text("0 1 1 0")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['labels.txt']
    """
    with written_together(target) as (part,):
        yield part


def write_whole(target: str | Path, content: str | bytes) -> None:
    """Write text, as UTF-8, or bytes as by :func:`written_whole`."""
    with written_whole(target) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


@contextmanager
def written_together(*targets: str | Path) -> Iterator[tuple[Path, ...]]:
    """Several files as one unit, each as by :func:`written_whole`: either all are replaced, or none.

    Files are renamed one by one. A process that is killed in between leaves the later files missing, never old files beside new ones.
    """
    places = [_place_of(Path(target)) for target in targets]
    parts = tuple(place if _is_special(place) else _part_of(place) for place in places)
    try:
        yield parts
        renamed = [(part, place) for part, place in zip(parts, places, strict=True) if part != place]
        for part, place in renamed:
            if place.exists():
                shutil.copymode(place, part)
            _flush(part)
        for _, place in renamed[1:]:
            place.unlink(missing_ok=True)
        for part, place in renamed:
            os.replace(part, place)
        for folder in {place.parent for _, place in renamed}:
            _flush(folder)
    finally:
        for part, place in zip(parts, places, strict=True):
            if part != place:
                part.unlink(missing_ok=True)


def _place_of(target: Path) -> Path:
    """The resolved path of the file, if a file can be written there."""
    place = Path(os.path.realpath(target)) if target.is_symlink() else target
    if place.is_dir():
        raise IsADirectoryError(f"{target} is a directory; expected the name of a file to write")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"{target} cannot be written: the folder {place.parent} does not exist")
    return target if _is_special(target) else place


def check_place(target: str | Path) -> None:
    """Refuse the name of a folder, and of a file in a folder that does not exist."""
    _place_of(Path(target))


def _is_special(path: Path) -> bool:
    """Whether it is a device, a pipe or a socket, or a link to one, such as ``/dev/stdout``."""
    return path.exists() and not stat.S_ISREG(path.stat().st_mode)


def _part_of(place: Path) -> Path:
    """A new temporary file beside this one. Those whose process on this machine no longer exists are removed."""
    import secrets  # here, because most commands write no file

    prefix = _prefix_of(place)
    for path in place.parent.iterdir():
        if path.name.startswith(prefix) and ".part" in path.name:
            number = path.name.removeprefix(prefix).partition("-")[0]
            if re.fullmatch("[0-9]{1,9}", number) and not _is_alive(int(number)):
                with suppress(OSError):  # a folder of that name is not ours
                    path.unlink()
    # The suffix stays, since writers of pictures and tables choose the format by it.
    return place.with_name(f"{prefix}{os.getpid()}-{secrets.token_hex(4)}.part{place.suffix}")


def _prefix_of(place: Path) -> str:
    """The prefix of the temporary files of this file on this machine."""
    import socket
    from hashlib import sha256

    machine = sha256(socket.gethostname().encode()).hexdigest()[:6]
    return f".{place.name[:_LONGEST_NAME]}.{machine}-"


def _is_alive(process: int) -> bool:
    if os.name == "nt":
        return True  # os.kill would end the process there, so leftovers stay
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _flush(path: Path) -> None:
    """Flush to disk; file systems that cannot are ignored."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
