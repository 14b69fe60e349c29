"""A series that comes in chunks: `rw.Stream` beside scoring the chunks one by one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle, islice

from benchmarks.inputs import both_sides
from benchmarks.memory import extra_bytes
from benchmarks.report import Goal, Section, Table, bytes_text, count_text, ratio_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

CHUNK = 10**6
CHUNKS = (10, 100)
QUICK_CHUNK = 10**4
# A few chunks that come round and round stand for a series that no one would keep in memory.
PREPARED = 4
MOST_BY_ONE_BY_ONE = 2.0
# What the process's peak may differ by for other reasons than the points that came.
STEADY_BYTES = 10**6


def calls(chunk: int, count: int) -> dict[str, Callable[[], object]]:
    import rangewise as rw

    real, predicted = both_sides(PREPARED * chunk)
    prepared = [(real[at : at + chunk], predicted[at : at + chunk]) for at in range(0, PREPARED * chunk, chunk)]
    model = rw.RangeModel(cardinality="reciprocal", recall_bias="front")

    def stream() -> object:
        seen = rw.Stream(model)
        for sides in islice(cycle(prepared), count):
            seen.update(*sides)
        return seen.score()

    def one_by_one() -> None:
        for sides in islice(cycle(prepared), count):
            model.score(*sides)

    return {"stream": stream, "one by one": one_by_one}


MEMORY_CALLS = {"stream": lambda points: calls(min(CHUNK, points), max(1, points // CHUNK))["stream"]}


def run(settings: Settings) -> Section:
    chunk = QUICK_CHUNK if settings.quick else CHUNK
    rows, peaks, ratio = [], [], 0.0
    for count in CHUNKS[:1] if settings.quick else CHUNKS:
        settings.say(f"stream: {count * chunk:,} points")
        times = compare(calls(chunk, count), settings.seconds)
        ratio = times["stream"] / times["one by one"]
        peaks.append(extra_bytes("stream", "stream", count * chunk))
        seconds = [time_text(times[name]) for name in ("stream", "one by one")]
        rows.append([count_text(count * chunk), *seconds, ratio_text(ratio), bytes_text(peaks[-1]), spread_text(ratio)])
    goals = []
    if not settings.quick:
        what = f"stream of {count * chunk:,} points: at most {MOST_BY_ONE_BY_ONE:g} x the time of its chunks scored separately"
        goals.append(Goal.at_most(what, ratio, MOST_BY_ONE_BY_ONE))
        first, last = peaks[0], peaks[-1]
        if first is not None and last is not None:
            what = f"stream: {CHUNKS[-1] // CHUNKS[0]} x the points need at most {bytes_text(STEADY_BYTES)} more memory"
            goals.append(Goal(what, bytes_text(max(0, last - first)), last - first <= STEADY_BYTES))
    return Section(
        "A series in chunks",
        [
            f"`rw.Stream` with labels in chunks of {chunk:,} points, cardinality reciprocal and recall bias front, and `model.score` of "
            "each chunk, which cuts ranges at the borders. Memory is the peak above the chunks, in a fresh process.",
            Table(["points", "stream", "chunks separately", "ratio", "memory", "spread"], rows),
        ],
        goals,
    )
