"""Do the peers give the same F? Where not, what they give, and why where that is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.inputs import both_sides
from benchmarks.peers import PEERS, Job, Outcome, measure_peers
from benchmarks.report import Section, Table, absent_notes
from benchmarks.score import PEER_CALLS, PLAIN
from benchmarks.settings import Settings

CLOSE = 1e-9


@dataclass(frozen=True)
class Case:
    name: str
    real: NDArray[Any]
    predicted: NDArray[Any]
    options: Mapping[str, Any]


def cases() -> list[Case]:
    real, predicted = both_sides(2000)
    at_the_end = np.zeros(50, dtype=np.uint8)
    at_the_end[[10, 11, 49]] = 1
    late = np.zeros(50, dtype=np.uint8)
    late[[11, 49]] = 1
    pieces = real.copy()
    pieces[::3] = 0
    return [
        Case("uint8 labels", real, predicted, PLAIN),
        Case("bool labels", real.astype(bool), predicted.astype(bool), PLAIN),
        Case("a range on the last point", at_the_end, late, PLAIN),
        Case("ranges found in pieces, cardinality 1/x", real, pieces, PLAIN | {"cardinality": "reciprocal"}),
        Case("bias front on both sides", real, predicted, PLAIN | {"recall_bias": "front", "precision_bias": "front"}),
        Case("bias back for recall, flat for precision", real, predicted, PLAIN | {"recall_bias": "back"}),
        Case("beta 0.5, all right", real, real, PLAIN | {"beta": 0.5}),
        Case("beta 2", real, predicted, PLAIN | {"beta": 2.0}),
        Case("nothing predicted", real, np.zeros_like(real), PLAIN),
        Case("everything predicted", real, np.ones_like(real), PLAIN),
        Case("nothing real", np.zeros_like(real), predicted, PLAIN),
    ]


# Why a peer differs, as seen in its program; shown only where this run saw the difference.
REASONS = {
    ("bias back for recall, flat for precision", "timeeval"): "the bias for precision is used for recall, too",
    (
        "beta 0.5, all right",
        "aeon",
    ): "F is divided by beta² (P + R) instead of beta² P + R, so it is right for beta 1 only and can exceed 1",
    ("nothing predicted", "prts"): "labels without a 1 are refused",
    ("nothing predicted", "dtaianomaly"): "the mean over no ranges is taken",
    ("everything predicted", "aeon"): "predictions that are all the same score 0",
    ("everything predicted", "timeeval"): "predictions that are all the same score 0",
}


def run(settings: Settings) -> Section:
    import rangewise as rw

    chosen = cases()
    expected = [rw.score(case.real, case.predicted, **case.options).f for case in chosen]
    jobs = [Job({"real": case.real, "predicted": case.predicted}, options=case.options) for case in chosen]
    # The results count here, not the times.
    found = measure_peers("score", PEER_CALLS, jobs, replace(settings, quick=True))
    rows, reasons = [], []
    for number, case in enumerate(chosen):
        cells = []
        for name, outcomes in found.items():
            cells.append(_cell(outcomes[number], expected[number]))
            if cells[-1] != "same" and (case.name, name) in REASONS:
                reasons.append(f"- {name}, {case.name}: {REASONS[case.name, name]}.")
        rows.append([case.name, f"{expected[number]:.6g}", *cells])
    names = [f"{name} {PEERS[name].version}" for name in found]
    blocks: list[str | Table] = [
        f"F on the same labels with the same settings. *same* is within {CLOSE:g} of ours, which the tests compare with the "
        "paper's equations in plain loops and with the authors' own program. timeeval gets int64 labels, because it refuses unsigned ones.",
        Table(["case", "rangewise", *names], rows),
    ]
    blocks += absent_notes(found)
    if reasons:
        blocks += ["Reasons, as far as the programs show them:", "\n".join(reasons)]
    return Section("The same result?", blocks)


def _cell(outcome: Outcome, expected: float) -> str:
    if outcome.result is None:
        # Of an error its name; what a peer does not offer, in words.
        name, _, message = outcome.missing.partition(": ")
        return message if name == "NotImplementedError" else name
    return "same" if abs(outcome.result - expected) <= CLOSE else f"{outcome.result:.6g}"
