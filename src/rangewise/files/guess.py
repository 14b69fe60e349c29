"""Detects the format of a file from its name and content."""

from __future__ import annotations

from collections.abc import Callable

from rangewise.files.events import EventTable
from rangewise.files.formats.base import FENCE, Choices, Look
from rangewise.files.formats.table import EVENT_FORMATS, FORMATS
from rangewise.files.source import Source

_WAY_OUT = "give its format with --format, or with a prefix such as {0}:{1}"


def event_reader(source: Source) -> Callable[[Source, Choices], EventTable] | None:
    """The reader of a file in a format of events; None for other files."""
    first_line = source.content.removeprefix(b"\xef\xbb\xbf").lstrip()[:4096].partition(b"\n")[0]
    # One class per line may be any text, so only files that look like a format are tried.
    if first_line[:1] not in b"[{#0" and not any(sign in first_line for sign in (b"\t", b",", b";", FENCE)):
        return None
    look = Look(source)
    return next((each.events for each in EVENT_FORMATS.values() if each.looks(look)), None)


def guess(source: Source) -> str:
    """The only format that fits; an error if none or several do."""
    look = Look(source)
    if look.json == []:
        return "alertmanager"  # an empty list, in every format that is a list
    formats = [each.name for each in FORMATS.values() if each.looks(look)]
    formats = formats or [each.name for each in FORMATS.values() if each.otherwise == look.kind]
    if len(formats) == 1:
        return formats[0]
    if not formats:
        raise ValueError(f"{source.name} has no known format; {_WAY_OUT.format('labels', source.path)}")
    raise ValueError(f"{source.name} may be {' or '.join(formats)}; {_WAY_OUT.format(formats[0], source.path)}")
