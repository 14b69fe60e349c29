"""docs/audit.md: what an audit checks, how many planted flaws it finds, and what it says about NAB and UCR. Run by ``make leaderboards``.

Needs NAB and the UCR series in the folder that ``RANGEWISE_DATA`` names; the planted flaws take about a minute.
"""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import rangewise as rw
from rangewise.audits import CHECKS
from rangewise.audits.one_line_checks import check_one_liners
from rangewise.datasets.location import data_folder
from rangewise.generate.flaws import FLAWS, clean_series, flawed_series
from rangewise.number_text import seconds_text
from rangewise.tables import Table

HERE = Path(__file__).parent
SERIES = 200


def main() -> None:
    found, wrong = planted()
    nab, nab_seconds = timed("nab:*")
    ucr, ucr_seconds = timed(str(data_folder() / "ucr"))
    columns = ["check", "kind", f"found in {SERIES} planted", f"found in {SERIES} clean", "NAB", "UCR", "what it means"]
    rows = []
    for name, check in CHECKS.items():
        counts = (str(each.counts().get(name, 0)) for each in (nab, ucr))
        share = (str(found[name]), str(wrong.get(name, 0))) if name in FLAWS else ("", "")
        rows.append([name, "flaw" if check.is_flaw else "note", *share, *counts, check.about])
    table = Table(columns, rows, words=(0, 1, 6))
    text = (HERE / "templates" / "audit.txt").read_text(encoding="utf-8").format(
        checks=table.to_markdown().rstrip(), nab=nab.verdict(), ucr=ucr.verdict(),
        nab_seconds=seconds_text(nab_seconds), ucr_seconds=seconds_text(ucr_seconds),
        nab_count=len(nab.names), ucr_count=len(ucr.names), lucky=solved_by_luck(ucr),
    )  # fmt: skip
    (HERE.parent / "audit.md").write_text(text, encoding="utf-8")


def planted() -> tuple[dict[str, int], dict[str, int]]:
    """How many series with each planted flaw are found, and how many clean series are called flawed."""
    found = dict.fromkeys(FLAWS, 0)
    for flaw in FLAWS:
        for seed in range(SERIES):
            series = flawed_series(flaw, seed)
            found[flaw] += flaw in {each.check for each in rw.audit(*series).of(series[-1].name)}
    return found, rw.audit([clean_series(seed) for seed in range(SERIES)]).counts()


def solved_by_luck(audit: rw.Audit) -> int:
    """How many series a one-liner solves when their labels lie at random places of the scored part."""
    random, solved = np.random.default_rng(0), 0
    for series in audit.series:
        length = int(series.real.lengths.sum())
        start = int(random.integers(series.train[1], len(series) - length))
        moved = replace(series, real=rw.Ranges([(start, start + length)]))
        solved += "trivial" in {each.check for each in check_one_liners(moved)}
    return solved


def timed(data: str) -> tuple[rw.Audit, float]:
    start = time.process_time()
    found = rw.audit(data)
    return found, time.process_time() - start


if __name__ == "__main__":
    main()
