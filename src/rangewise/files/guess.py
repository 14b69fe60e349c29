"""Which format is it? By the name of a file and its content."""

from __future__ import annotations

from collections.abc import Callable

from rangewise.files.events import EventTable
from rangewise.files.formats.base import FENCE, Choices, Look
from rangewise.files.formats.table import EVENT_FORMATS, FORMATS
from rangewise.files.source import Source

_WAY_OUT = "say which with --format, or with a prefix such as {0}:{1}"


def event_reader(source: Source) -> Callable[[Source, Choices], EventTable] | None:
    """The reader of a file that is in a format of events; None where it is something else."""
    first_line = source.content.removeprefix(b"\xef\xbb\xbf").lstrip()[:4096].partition(b"\n")[0]
    # One class per line may be any text; only what has the signs of a format is looked at.
    if first_line[:1] not in b"[{#0" and not any(sign in first_line for sign in (b"\t", b",", b";", FENCE)):
        return None
    look = Look(source)
    return next((each.events for each in EVENT_FORMATS.values() if each.looks(look)), None)


def guess(source: Source) -> str:
    """The one format that fits; an error when none does, or several do."""
    look = Look(source)
    if look.json == []:
        return "alertmanager"  # no ranges, in every format that is a list
    found = [each.name for each in FORMATS.values() if each.looks(look)]
    found = found or [each.name for each in FORMATS.values() if each.otherwise == look.kind]
    if len(found) == 1:
        return found[0]
    if not found:
        raise ValueError(f"{source.name} is in no format that we know; {_WAY_OUT.format('labels', source.path)}")
    raise ValueError(f"{source.name} may be {' or '.join(found)}; {_WAY_OUT.format(found[0], source.path)}")
