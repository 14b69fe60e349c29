"""Times of calls: the least of many, taken in turn, so that a busy moment hits all of them alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

# A batch of calls lasts at least this long, so that the clock's own steps do not show.
BATCH_SECONDS = 0.002


def compare(calls: Mapping[str, Callable[[], object]], seconds: float) -> dict[str, float]:
    """Seconds a call of each, the least over batches taken in turn for about ``seconds`` a call; each runs at least once."""
    # The first round is the warm-up; it also sets how many calls make a batch. What is slow is not run again for it.
    sizes: dict[str, int] = {}
    least: dict[str, float] = {}
    spent = dict.fromkeys(calls, 0.0)
    for name, call in calls.items():
        first = _batch(call, 1)
        least[name], spent[name] = first, first
        again = _batch(call, 1) if first < seconds else first
        sizes[name] = max(1, int(BATCH_SECONDS / max(again, 1e-9)))
    while waiting := [name for name in calls if spent[name] < seconds]:
        for name in waiting:
            took = _batch(calls[name], sizes[name])
            least[name] = min(least[name], took / sizes[name])
            spent[name] += took
    return least


def _batch(call: Callable[[], object], count: int) -> float:
    begin = time.perf_counter()
    for _ in range(count):
        call()
    return time.perf_counter() - begin
