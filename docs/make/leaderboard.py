"""Write docs/leaderboard.md from the two experiments of benchmarks/experiments; what their stores have is not run again."""

from __future__ import annotations

import sys
from pathlib import Path

import rangewise as rw
from rangewise.bench.page import diagram_svg
from rangewise.bench.results import Found
from rangewise.bench.summary import failure_table, pair_table

ROOT = Path(__file__).parent.parent.parent
EXPERIMENTS, PAGE, IMAGES = ROOT / "benchmarks" / "experiments", ROOT / "docs" / "leaderboard.md", ROOT / "docs" / "images"
ABOUT = {
    "nab": "The baselines and the two detectors of Luminol on the 58 files of the Numenta Anomaly Benchmark, whose windows are the real "
    "ranges. NAB states no training part, so a detector learns from all rows of a file, without labels. The score is F of the model "
    "`early`: finding the beginning of a range counts most. `constant` calls every point anomalous, and `random` one in twenty: what "
    "scores no more than they do has learned nothing that this metric sees. NAB's windows are wide, so that one alarm over a whole file "
    "has a precision of nine percent.",
    "paper": "The seven series of the paper's experiments: three of NAB, cut where the published labels begin, and four generated ones in "
    "the image of the paper's (version 1, the hard set). Networks learn from the training part of each. Seven series are few, and the "
    "intervals say so.",
}


def main() -> None:
    stores = ROOT / "build" / "bench"
    stores.mkdir(parents=True, exist_ok=True)
    parts = [
        "# Leaderboard",
        "",
        "Our own detectors with their default settings and their own thresholds, by `make leaderboard`. The experiments are "
        "`benchmarks/experiments/nab.toml` and `paper.toml`; [bench.md](bench.md) says what the columns mean and how to run your own. "
        "The seconds are those of one run beside other work: only their order of magnitude tells something.",
    ]
    for name in ("nab", "paper"):
        print(f"{name}: running", file=sys.stderr)
        found = rw.bench.run(EXPERIMENTS / f"{name}.toml", store=stores / f"{name}.rwbench")
        parts += ["", section(found)]
    PAGE.write_text("\n".join(parts) + "\n", encoding="utf-8")
    print(f"{PAGE}: written", file=sys.stderr)


def section(found: Found) -> str:
    picture = IMAGES / f"leaderboard-{found.name}.svg"
    picture.write_text(diagram_svg(found, found.metric).rstrip("\n") + "\n", encoding="utf-8")
    pairs = pair_table(found, found.metric)
    apart = [row for row in pairs.rows if "is better" in row[-1]]
    impossible = sum("cannot" in row[-1] for row in pairs.rows)
    told = f"{len(apart)} of {len(pairs.rows)} pairs are separated by a signed-rank test at 5 % after Holm's correction"
    told += f"; {impossible} cannot be significant with so few series." if impossible else "."
    failures = failure_table(found)
    return "\n".join(
        [
            f"## {found.name}",
            "",
            ABOUT[found.name],
            "",
            found.leaderboard().table().to_markdown().rstrip("\n"),
            "",
            f"![mean ranks](images/{picture.name})",
            "",
            told,
            "",
            found.stability().table().to_markdown().rstrip("\n"),
            *(["", failures.to_markdown().rstrip("\n")] if failures is not None else []),
        ]
    )


if __name__ == "__main__":
    main()
