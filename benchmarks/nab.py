"""The Numenta Anomaly Benchmark: loading its files, and scoring a detector on all of them."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.report import Goal, Section, Table, count_text, spread_text, time_text
from benchmarks.settings import Settings
from benchmarks.timing import compare

DETECTOR = "numenta"
MOST_SECONDS_A_FILE, MOST_SECONDS_A_CORPUS, MOST_SECONDS_TO_SCORE = 0.03, 2.0, 2.0


def run(settings: Settings) -> Section:
    title = "Numenta's corpus"
    folder = Path(os.environ.get("RANGEWISE_DATA", ""), "nab")
    if not folder.is_dir():
        return Section(title, ["Left out: NAB's files are absent. `RANGEWISE_DATA` names the folder that has them in `nab`."])
    results = folder / "results" / DETECTOR
    rows, goals = _loading(folder, settings)
    if results.is_dir():
        scoring = _scoring(folder, results, settings)
        rows.append(scoring[0])
        goals.append(scoring[1])
    return Section(
        title,
        [
            "NAB's files as published, read from the disk cache; then the score of one detector "
            f"({DETECTOR}) on all of them, at the exact best threshold of each of the three profiles.",
            Table(["what", "series", "rows", "time", "spread"], rows),
        ],
        goals,
    )


def _loading(folder: Path, settings: Settings) -> tuple[list[list[str]], list[Goal]]:
    from rangewise.datasets.nab import nab_names, read_nab

    settings.say("nab: loading")
    names = nab_names(folder)
    lengths = {name: len(read_nab(folder, name)) for name in names}
    longest = max(lengths, key=lambda name: lengths[name])
    calls = {"file": lambda: read_nab(folder, longest), "corpus": lambda: [read_nab(folder, name) for name in names]}
    times = compare(calls, settings.seconds)
    rows = [
        ["load the longest file", "1", count_text(lengths[longest]), time_text(times["file"]), spread_text(times["file"])],
        ["load all", count_text(len(names)), count_text(sum(lengths.values())), time_text(times["corpus"]), spread_text(times["corpus"])],
    ]
    goals = [
        _goal(f"load a file of NAB of {lengths[longest]:,} rows", times["file"], MOST_SECONDS_A_FILE),
        _goal(f"load all {len(names)} files of NAB", times["corpus"], MOST_SECONDS_A_CORPUS),
    ]
    return rows, goals


def _scoring(folder: Path, results: Path, settings: Settings) -> tuple[list[str], Goal]:
    import rangewise as rw
    from rangewise.datasets.nab import nab_names, read_nab, read_nab_results
    from rangewise.metrics.nab.scoring import NAB_PROFILES

    settings.say("nab: scoring")
    names = nab_names(folder)
    found = read_nab_results(results, names)
    corpus = {series.name: (series.real, found.scores(series)) for series in (read_nab(folder, name) for name in names)}
    rows = sum(len(scores) for _, scores in corpus.values())
    seconds = compare({"ours": lambda: [rw.nab_corpus(corpus, profile=profile) for profile in NAB_PROFILES]}, settings.seconds)["ours"]
    row = [
        f"score {len(NAB_PROFILES)} profiles, with search",
        count_text(len(corpus)),
        count_text(rows),
        time_text(seconds),
        spread_text(seconds),
    ]
    return row, _goal(f"score NAB's corpus, {len(NAB_PROFILES)} profiles with search", seconds, MOST_SECONDS_TO_SCORE)


def _goal(what: str, seconds: float, most: float) -> Goal:
    return Goal.at_most(f"{what}: under {time_text(most)}", seconds, most, time_text)
