"""The state of many series after some batches: arrays of tallies, and open ranges of series that may continue.

Batches come one after the other; so do the partitions of a cluster, whose parts are merged in a tree. A series that is complete in one
batch is a row of arrays. A series that continues in a later batch becomes a ``Stream``, without loss.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rangewise import kernel
from rangewise.checks import check_size, fits_size
from rangewise.inputs.ranges import Ranges
from rangewise.many.batches import Batch, Columns, Progress, batches
from rangewise.many.ignored import ManyIgnored
from rangewise.many.scores import ManyScores, words_of
from rangewise.model.model import RangeModel
from rangewise.model.rewards import tally_rules
from rangewise.model.tally import Tally
from rangewise.stream import A_PIECE, Side, Stream, stream_of

_A_NAME, _A_TALLY = 200, 100
"""The approximate memory of a series in bytes: its name and index, and the result of each job."""
SIDES: tuple[Side, Side] = ("real", "predicted")


@dataclass(frozen=True)
class OpenRanges:
    """The ranges of one side that touch a border of their series, with the pieces that the other side covers.

    Places count from the beginning of the series; the pieces of the range ``i`` are ``pieces[offsets[i]:offsets[i + 1]]``.
    """

    series: NDArray[np.int64]
    bounds: NDArray[np.int64]
    offsets: NDArray[np.int64]
    pieces: NDArray[np.int64]

    def of(self, series: int) -> list[tuple[int, int, NDArray[np.int64]]]:
        rows = range(*np.searchsorted(self.series, [series, series + 1]).tolist())
        return [(*self.bounds[at].tolist(), self.pieces[self.offsets[at] : self.offsets[at + 1]]) for at in rows]

    def take(self, rows: NDArray[np.int64], count: int) -> OpenRanges:
        """The results of some series, renumbered."""
        numbers = np.full(count, -1, dtype=np.int64)
        numbers[rows] = np.arange(len(rows))
        kept = np.flatnonzero(numbers[self.series] >= 0)
        offsets, gathered = _gather(self.offsets[kept], self.offsets[kept + 1])
        return OpenRanges(numbers[self.series[kept]], self.bounds[kept], offsets, self.pieces[gathered])

    @classmethod
    def joined(cls, parts: Sequence[OpenRanges], firsts: Sequence[int]) -> OpenRanges:
        """The results of all parts; the series of each are numbered from its number in ``firsts``."""
        counts = np.concatenate([np.diff(part.offsets) for part in parts])
        return OpenRanges(
            np.concatenate([part.series + first for part, first in zip(parts, firsts, strict=True)]),
            np.concatenate([part.bounds for part in parts]),
            np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
            np.concatenate([part.pieces for part in parts]),
        )


def open_ranges(own: NDArray[np.int64], other: NDArray[np.int64], borders: NDArray[np.int64], first: NDArray[np.int64]) -> OpenRanges:
    """The ranges at the borders of their series; ``first`` is where the ranges of each series begin among all."""
    there = np.flatnonzero(first[1:] > first[:-1])
    begins, ends = first[there], first[there + 1] - 1
    at_front, at_back = own[begins, 0] == borders[there], own[ends, 1] == borders[there + 1]
    at_back &= ~(at_front & (begins == ends))  # a range that spans its series is listed once
    series = np.concatenate((there[at_front], there[at_back]))
    order = np.argsort(series, kind="stable")
    chosen, series = np.concatenate((begins[at_front], ends[at_back]))[order], series[order]
    bounds, base = own[chosen], borders[series]
    starts, stops = (np.ascontiguousarray(other[:, column]) for column in (0, 1))
    low = np.searchsorted(stops, bounds[:, 0], side="right")
    high = np.maximum(low, np.searchsorted(starts, bounds[:, 1], side="left"))
    offsets, gathered = _gather(low, high)
    counts = high - low
    limits = np.repeat(bounds, counts, axis=0)
    pieces = np.clip(other[gathered], limits[:, :1], limits[:, 1:]) - np.repeat(base, counts)[:, None]
    return OpenRanges(series, bounds - base[:, None], offsets, pieces)


def _gather(low: NDArray[np.int64], high: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The starts of the slices ``low:high`` when concatenated, and their positions."""
    counts = high - low
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return offsets, np.repeat(low - offsets[:-1], counts) + np.arange(offsets[-1])


@dataclass(frozen=True)
class BatchJob:
    """One detector's column under one model."""

    column: str
    model: RangeModel


@dataclass(frozen=True)
class Tallied:
    """The results of one job in a batch: one row per series. ``streams`` is used for a user's size function."""

    words: NDArray[np.uint64]
    real_ranges: NDArray[np.int64]
    predicted_ranges: NDArray[np.int64]
    opened: tuple[OpenRanges, OpenRanges] | None = None
    streams: tuple[Stream, ...] | None = None

    def stream(self, model: RangeModel, series: int, length: int) -> Stream:
        if self.streams is not None:
            return self.streams[series]
        assert self.opened is not None
        high, low, other_high, other_low = self.words[series].tolist()
        counts = int(self.real_ranges[series]), int(self.predicted_ranges[series])
        tally = Tally(model, high << 64 | low, counts[0], other_high << 64 | other_low, counts[1])
        return stream_of(tally, length, {side: opened.of(series) for side, opened in zip(SIDES, self.opened, strict=True)})

    def take(self, rows: NDArray[np.int64]) -> Tallied:
        count = len(self.words)
        return Tallied(
            self.words[rows],
            self.real_ranges[rows],
            self.predicted_ranges[rows],
            None if self.opened is None else (self.opened[0].take(rows, count), self.opened[1].take(rows, count)),
            None if self.streams is None else tuple(self.streams[row] for row in rows.tolist()),
        )

    @classmethod
    def joined(cls, parts: Sequence[Tallied]) -> Tallied:
        """The rows of all parts, which either all have open ranges or all have streams."""
        firsts = np.cumsum([0, *(len(part.words) for part in parts[:-1])]).tolist()
        sides = zip(*(part.opened for part in parts if part.opened is not None), strict=True)
        opened = tuple(OpenRanges.joined(side, firsts) for side in sides)
        streams = tuple(stream for part in parts for stream in part.streams or ())
        return Tallied(
            np.concatenate([part.words for part in parts]),
            np.concatenate([part.real_ranges for part in parts]),
            np.concatenate([part.predicted_ranges for part in parts]),
            (opened[0], opened[1]) if opened else None,
            None if parts[0].streams is None else streams,
        )


def tally_job(model: RangeModel, real: Ranges, predicted: Ranges, borders: NDArray[np.int64], *, goes_on: bool) -> Tallied:
    """Score all series between the borders in one kernel call; ``goes_on`` keeps open ranges, for series that continue."""
    if model.size is not None:
        return _one_by_one(model, real, predicted, borders)
    bounds = np.asarray(real), np.asarray(predicted)
    words, real_ranges, predicted_ranges, *firsts = kernel.tally_series(*bounds, borders, *tally_rules(model, real, predicted))
    opened = None
    if goes_on:
        opened = open_ranges(*bounds, borders, firsts[0]), open_ranges(*bounds[::-1], borders, firsts[1])
    return Tallied(words.reshape(-1, 4), real_ranges, predicted_ranges, opened)


def _one_by_one(model: RangeModel, real: Ranges, predicted: Ranges, borders: NDArray[np.int64]) -> Tallied:
    """A user's size function is called for each range in any case."""
    streams = []
    for start, stop in zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True):
        sides = []
        for side in (real, predicted):
            first, last = np.searchsorted(side.starts, [start, stop])
            sides.append(np.asarray(side)[first:last] - start)
        streams.append(Stream(model).update(*sides, length=stop - start))
    tallies = [stream.tally() for stream in streams]
    counts = np.array([(tally.real_ranges, tally.predicted_ranges) for tally in tallies], dtype=np.int64).reshape(-1, 2)
    return Tallied(words_of(tallies), counts[:, 0], counts[:, 1], streams=tuple(streams))


@dataclass(frozen=True)
class Block:
    """The series of one batch, one row each: their lengths, and the results of each job."""

    lengths: NDArray[np.int64]
    tallied: tuple[Tallied, ...]

    def streams(self, jobs: tuple[BatchJob, ...], row: int) -> list[Stream]:
        length = int(self.lengths[row])
        return [one.stream(job.model, row, length) for job, one in zip(jobs, self.tallied, strict=True)]

    def take(self, rows: NDArray[np.int64]) -> Block:
        return Block(self.lengths[rows], tuple(one.take(rows) for one in self.tallied))

    @classmethod
    def joined(cls, blocks: Sequence[Block]) -> Block:
        each = zip(*(block.tallied for block in blocks), strict=True)
        return Block(np.concatenate([block.lengths for block in blocks]), tuple(Tallied.joined(parts) for parts in each))


@dataclass
class Gathered:
    """All series so far. ``places`` numbers them by name; the rows of the blocks, one block after the other, have that order.

    A series from several batches has ``streams``, one per job; its row in a block is no longer used.
    """

    jobs: tuple[BatchJob, ...]
    places: dict[Any, int] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    streams: dict[int, list[Stream]] = field(default_factory=dict)
    _rows: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        # As one piece: a cluster sends every array by itself, which takes longer than to score its series. Models stay outside of it,
        # because users' functions may need more than the standard pickle.
        if any(part.streams is not None for block in self.blocks for part in block.tallied):
            return Gathered, (self.jobs, self.places, self.blocks, self.streams, self._rows)
        return _unpacked, (self.jobs, self.streams, pickle.dumps((self.places, self.blocks, self._rows), protocol=5))

    def check_size(self, batch: Batch) -> None:
        """Raise before adding a batch if a small file would expand to very many series or pieces of ranges."""
        if batch.held is None:
            return
        count = len(self.places) + len(batch.names)
        check_size((_A_NAME + _A_TALLY * len(self.jobs)) * count, batch.held, f"{batch.where}{count} series")
        self._rows += int(batch.borders[-1])
        # There are no more pieces than rows, so count them only if one piece per row would not fit.
        if not fits_size(A_PIECE * self._rows * len(self.jobs), batch.held):
            pieces = sum(stream.open_pieces for streams in self.streams.values() for stream in streams)
            check_size(A_PIECE * pieces, batch.held, f"{batch.where}a range that {pieces} others overlap")

    def knows_any(self, names: list[Any]) -> bool:
        return not self.places.keys().isdisjoint(names)

    def add(self, names: list[Any], block: Block) -> None:
        """The next batch: each name once, a row of the block each."""
        if self.knows_any(names):
            for row, name in enumerate(names):
                if (place := self.places.get(name)) is not None:
                    self._append(place, block.streams(self.jobs, row))
            fresh = [row for row, name in enumerate(names) if name not in self.places]
            names, block = [names[row] for row in fresh], block.take(np.array(fresh, dtype=np.int64))
        if names:
            self.places.update(zip(names, range(len(self.places), len(self.places) + len(names)), strict=True))
            self.blocks.append(block)

    @classmethod
    def joined(cls, parts: Sequence[Gathered]) -> Gathered:
        """The series of all parts, one part after the other, in one block: arrays of a few series take more memory than what is in them."""
        whole = reduce(cls.join, parts)
        return replace(whole, blocks=[Block.joined(whole.blocks)] if whole.blocks else [])

    def join(self, other: Gathered) -> Gathered:
        """These series followed by those of the later batches."""
        names, begin = list(other.places), 0
        joined = replace(self, places=dict(self.places), blocks=list(self.blocks), streams=dict(self.streams))
        for block in other.blocks:
            rows = names[begin : begin + len(block.lengths)]
            split = {begin + row: streams for row in range(len(rows)) if (streams := other.streams.get(begin + row)) is not None}
            known = {place: joined.places[names[place]] for place in split if names[place] in joined.places}
            for place, mine in known.items():
                joined._append(mine, split[place])
            whole = [row for row in range(len(rows)) if begin + row not in known]
            if known:
                rows, block = [rows[row] for row in whole], block.take(np.array(whole, dtype=np.int64))
            joined.add(rows, block)
            for place, streams in split.items():
                if place not in known:
                    joined.streams[joined.places[names[place]]] = streams
            begin += len(rows) + len(known)
        return joined

    def rows(self) -> int:
        """The number of rows read."""
        split = sum(len(streams[0]) for streams in self.streams.values())
        whole = np.concatenate([block.lengths for block in self.blocks]) if self.blocks else np.zeros(0, dtype=np.int64)
        return int(whole.sum() - whole[list(self.streams)].sum()) + split

    def scores(self) -> dict[tuple[str, RangeModel], ManyScores]:
        """The score of each series under each job."""
        return {(job.column, job.model): self._job_scores(number, job) for number, job in enumerate(self.jobs)}

    def _job_scores(self, number: int, job: BatchJob) -> ManyScores:
        tallied = [block.tallied[number] for block in self.blocks]
        if not tallied:
            return ManyScores.from_tallies(job.model, (), [])
        words, real, predicted = (
            np.concatenate([getattr(one, name) for one in tallied]) for name in ("words", "real_ranges", "predicted_ranges")
        )
        if self.streams:
            places = list(self.streams)
            tallies = [streams[number].tally() for streams in self.streams.values()]
            words[places] = words_of(tallies)
            real[places] = [tally.real_ranges for tally in tallies]
            predicted[places] = [tally.predicted_ranges for tally in tallies]
        return ManyScores(job.model, tuple(self.places), words, real, predicted)

    def _append(self, place: int, following: list[Stream]) -> None:
        if place not in self.streams:
            block, row = self._row(place)
            self.streams[place] = block.streams(self.jobs, row)
        self.streams[place] = [stream + more for stream, more in zip(self.streams[place], following, strict=True)]

    def _row(self, place: int) -> tuple[Block, int]:
        # From the end: in a table sorted by series, only the last one continues.
        begin = len(self.places)
        for block in reversed(self.blocks):
            begin -= len(block.lengths)
            if place >= begin:
                return block, place - begin
        raise AssertionError("every place is a row of a block")


def _unpacked(jobs: tuple[BatchJob, ...], streams: dict[int, list[Stream]], packed: bytes) -> Gathered:
    places, blocks, rows = pickle.loads(packed)
    return Gathered(jobs, places, blocks, streams, rows)


def gather(
    frame: Any,
    columns: Columns,
    jobs: tuple[BatchJob, ...],
    threads: int = 1,
    progress: Progress | None = None,
    *,
    goes_on: bool = False,
    held: int | None = None,
) -> Gathered:
    """All series of a table; ``goes_on`` if they may continue elsewhere, ``held`` is the size of the source file."""
    gathered = Gathered(jobs)
    with ThreadPoolExecutor(threads) as pool:
        for batch, last in _with_last(batches(frame, columns, held)):
            each: Any = map if threads == 1 else pool.map
            open_ended = goes_on or not last or gathered.knows_any(batch.names)
            gathered.check_size(batch)
            gathered.add(batch.names, _block(batch, columns, jobs, each, open_ended))
            if progress is not None:
                progress(int(batch.borders[-1]))
    return gathered


def _block(batch: Batch, columns: Columns, jobs: tuple[BatchJob, ...], each: Any, open_ended: bool) -> Block:
    """The results of each job in a batch."""

    def column_tallies(column: str) -> list[Tallied]:
        predicted = batch.ranges(column, "predicted")
        return [tally_job(job.model, real, predicted, batch.borders, goes_on=open_ended) for job in jobs if job.column == column]

    real = batch.ranges(columns.real, "real")
    return Block(np.diff(batch.borders), tuple(tallied for some in each(column_tallies, columns.predicted) for tallied in some))


def many_scores(
    model: RangeModel, names: tuple[Any, ...], real: Ranges, predicted: Ranges, borders: NDArray[np.int64], ignored: ManyIgnored | None
) -> ManyScores:
    """The scores of whole series, separated by the borders, in one kernel call."""
    if not names:
        return ManyScores.from_tallies(model, (), [], ignored=ignored)
    tallied = tally_job(model, real, predicted, borders, goes_on=False)
    return ManyScores(model, names, tallied.words, tallied.real_ranges, tallied.predicted_ranges, ignored=ignored)


def _with_last(items: Iterable[Batch]) -> Iterator[tuple[Batch, bool]]:
    """Each item, and whether it is the last."""
    waiting: Batch | None = None
    for item in items:
        if waiting is not None:
            yield waiting, False
        waiting = item
    if waiting is not None:
        yield waiting, True
