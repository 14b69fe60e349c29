"""Which format is it? By the name of a file and its content."""

from __future__ import annotations

from rangewise.files.formats.base import Look
from rangewise.files.formats.table import FORMATS
from rangewise.files.source import Source

_WAY_OUT = "say which with --format, or with a prefix such as {0}:{1}"


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
