"""Many series, one threshold for all of them, and how soon a command answers."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.inputs import both_sides, scores_for
from benchmarks.report import Goal, Section, Table, ratio_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare, compare_starts

COLUMNS = {"series": "s", "real": "r", "predicted": "p"}
Part = tuple[str, Table, list[Goal]]


def run(settings: Settings) -> Section:
    parts = [part(settings) for part in (_many, _pooled, _commands)]
    goals = [goal for _, _, found in parts for goal in found]
    return Section("Scale", [block for text, table, _ in parts for block in (text, table)], [] if settings.quick else goals)


def _many(settings: Settings) -> Part:
    import polars as pl

    import rangewise as rw

    series, length = (100, 100) if settings.quick else (100_000, 100)
    settings.say(f"scale: {series:,} series")
    real, predicted = both_sides(series * length)
    frame = pl.DataFrame({"s": np.repeat(np.arange(series), length), "r": real.astype(np.int64), "p": predicted.astype(np.int64)})
    detectors = {f"p{number}": pl.Series(np.roll(predicted, number).astype(np.int64)) for number in range(10)}
    wide, one = frame.with_columns(**detectors), frame.with_columns(s=pl.lit(7, dtype=pl.Int64))
    sides = frame["r"].to_numpy(), frame["p"].to_numpy()
    calls = {
        "series": lambda: rw.score_many(frame, **COLUMNS),
        "sums": lambda: frame.group_by("s", maintain_order=True).agg(pl.col("r").sum(), pl.col("p").sum()),
        "ten": lambda: rw.score_many(wide, **COLUMNS | {"predicted": list(detectors)}),
        "one": lambda: rw.score_many(one, **COLUMNS),
        "score": lambda: rw.score(*sides),
    }
    times = compare(calls, 2 * settings.seconds)
    sums, ten, single = times["series"] / times["sums"], times["ten"] / times["series"], times["one"] / times["score"]
    rows = [
        ["`score_many`, one column", time_text(times["series"]), f"{ratio_text(sums)} polars' sums", spread_text(sums)],
        ["polars `group_by().agg(sum, sum)`", time_text(times["sums"]), "-", spread_text(times["sums"])],
        ["`score_many`, ten columns", time_text(times["ten"]), f"{ratio_text(ten)} one column", spread_text(ten)],
        ["`score_many`, all one series", time_text(times["one"]), f"{ratio_text(single)} `rw.score`", spread_text(single)],
        ["`rw.score`", time_text(times["score"]), "-", spread_text(times["score"])],
    ]
    goals = [
        Goal.at_most("100,000 series of 100 points: at most 2 x polars' sums by series", sums, 2),
        Goal.at_most("ten detectors' columns: at most 5 x one", ten, 5),
        Goal.at_most("10,000,000 points in one series by score_many: at most 3 x rw.score", single, 3),
    ]
    return (
        f"{series:,} series of {length} points, sorted by an integer column, int64 labels:",
        Table(["call", "time", "ratio", "spread"], rows),
        goals,
    )


def _pooled(settings: Settings) -> Part:
    import rangewise as rw

    series, length = (10, 100) if settings.quick else (1000, 1000)
    settings.say("scale: pooled curve")
    real, predicted = both_sides(series * length)
    scores, model = scores_for(predicted), rw.RangeModel(cardinality="reciprocal", recall_bias="front")
    corpus = {at: (real[at * length : (at + 1) * length], scores[at * length : (at + 1) * length]) for at in range(series)}
    calls = {"pooled": lambda: rw.pooled_curve(corpus, model=model), "curve": lambda: model.curve(real, scores)}
    times = compare(calls, 2 * settings.seconds)
    ratio = times["pooled"] / times["curve"]
    rows = [
        ["`pooled_curve`", time_text(times["pooled"]), ratio_text(ratio), spread_text(ratio)],
        ["`curve` of one series", time_text(times["curve"]), "-", spread_text(times["curve"])],
    ]
    goal = Goal.at_most("pooled_curve of 1,000 x 1,000 points: at most 1.3 x the curve of one series", ratio, 1.3)
    return f"One threshold for {series:,} series of {length:,} points:", Table(["call", "time", "ratio", "spread"], rows), [goal]


def _commands(settings: Settings) -> Part:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("real.txt", "predicted.txt")]
        for file, labels in zip(files, both_sides(10**4), strict=True):
            file.write_text("\n".join(map(str, labels.tolist())))
        commands = {
            "`import numpy`": ["-c", "import numpy"],
            "`rangewise --version`": ["-m", "rangewise", "--version"],
            "`rangewise score` of 10,000 labels": ["-m", "rangewise", "score", *map(str, files)],
        }
        settings.say("scale: commands")
        times = compare_starts(commands, 1 if settings.quick else 15)
    version, score = (times[name] / times["`import numpy`"] for name in list(commands)[1:])
    rows = [[name, time_text(each), ratio_text(each / times["`import numpy`"]), spread_text(each)] for name, each in times.items()]
    goals = [
        Goal.at_most("`rangewise --version`: at most 2 x `import numpy`", version, 2),
        Goal.at_most("`rangewise score` of 10,000 labels: at most 2 x `import numpy`", score, 2),
    ]
    return "Processor time of a fresh process:", Table(["process", "time", "relative to NumPy", "spread"], rows), goals
