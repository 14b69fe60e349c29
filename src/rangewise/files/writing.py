"""Writing a file so that a reader sees the whole of it or nothing."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def written_whole(target: str | Path) -> Iterator[Path]:
    """A path beside ``target`` to write to; it becomes ``target`` at the end, and is removed when anything goes wrong.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder) / "labels.txt") as part:
    ...         _ = part.write_text("0 1 1 0")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['labels.txt']
    """
    target = Path(target)
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a directory; expected the name of a file to write")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target} cannot be written: the folder {target.parent} does not exist")
    # The suffix stays, since writers of pictures and tables choose the format by it.
    part = target.with_name(f".{secrets.token_hex(4)}.part{target.suffix}")
    try:
        yield part
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
