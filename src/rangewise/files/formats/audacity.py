"""Label tracks of Audacity: start, end and text per line, separated by tabs, in seconds, without column names.

Lines that begin with a backslash (the frequencies of a label) are skipped. Event lists of DCASE without column names look the same.
"""

from __future__ import annotations

from rangewise.checks import shown_text
from rangewise.files.annotations import Annotations
from rangewise.files.events import EventTable, nanoseconds
from rangewise.files.formats.base import Choices, Format
from rangewise.files.formats.bids import elapsed_times
from rangewise.files.source import Source

_MORE = "\\"


def audacity_events(source: Source, how: Choices) -> EventTable:
    """The labels of a track."""
    starts, stops, classes = [], [], []
    for number, line in enumerate(source.text.splitlines(), start=1):
        if not line.strip() or line.startswith(_MORE):
            continue
        cells = line.split("\t")
        bounds = _seconds(cells[:2])
        if bounds is None or len(cells) > 3:
            raise ValueError(f"{source.name}, line {number}: expected start, end and text separated by tabs; got {shown_text(line)}")
        if bounds[1] < bounds[0]:
            raise ValueError(f"{source.name}, line {number}: the label ends before it starts")
        starts.append(bounds[0])
        stops.append(bounds[1])
        classes.append(cells[2].strip() if len(cells) == 3 else "")
    return EventTable(
        source.name, nanoseconds(starts, source.name), nanoseconds(stops, source.name), "seconds", tuple(classes) if any(classes) else None
    )


def _seconds(cells: list[str]) -> tuple[float, float] | None:
    try:
        start, stop = (float(cell) for cell in cells)
    except ValueError:
        return None
    return start, stop


def _text(annotations: Annotations, name: str) -> bytes:
    times = elapsed_times(annotations, "audacity")
    pairs = times.pairs()
    names = times.names or ("",) * len(times)
    rows = zip(pairs.starts.tolist(), pairs.stops.tolist(), names, strict=True)
    # A name cannot have tabs and line ends here.
    return "".join(f"{_written(start)}\t{_written(stop)}\t{' '.join(text.split()) or 'anomaly'}\n" for start, stop, text in rows).encode()


def _written(nanosecond: int) -> str:
    """Seconds with six decimals as Audacity writes them, or nine if they are needed."""
    seconds, rest = divmod(nanosecond, 10**9)
    return f"{seconds}.{rest:09}".removesuffix("000")


FORMAT = Format(
    name="audacity",
    about="Audacity's label track: start, end, text separated by tabs, in seconds",
    kinds=("track",),
    events=audacity_events,
    writes=_text,
)
