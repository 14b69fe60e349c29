"""Which metrics fit a task: what to report, with which settings, why, and the commands that compute it."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from typing import Any

from rangewise.checks import unknown_name
from rangewise.tables import current_width, wrapped

_WIDE = 80
ALWAYS = (
    "Add --baselines chance to compare: a score means little without that of a random detector.",
    "Report the settings with the numbers; use the same ones for every detector.",
)


@dataclass(frozen=True, kw_only=True)
class Recommendation:
    """What to report for a task. Replace the words in capitals by files to run ``commands``; ``python`` is code for tasks without a
    command."""

    task: str
    when: str
    report: tuple[str, ...]
    """Metrics as for ``rangewise score --metric``, a name and options after a colon; without ``commands``, functions."""
    settings: str
    why: str
    literature: str
    commands: tuple[str, ...] = ()
    python: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything as lists and text, and what holds for every task."""
        return asdict(self) | {"always": list(ALWAYS)}

    def __str__(self) -> str:
        parts = (
            ("task", self.task), ("report", ", ".join(self.report)), ("settings", self.settings), ("why", self.why),
            ("read", self.literature),
        )  # fmt: skip
        lines = [line for name, text in parts for line in wrapped(text, current_width() or _WIDE, first=f"{name + ':':10}")]
        for name, block in (("run:", self.commands), ("in Python:", self.python)):
            if block:
                lines += ["", name, *(textwrap.indent(line, "  ") for line in block)]
        return "\n".join(lines)


def recommend(task: str) -> Recommendation:
    """The metrics to report for a task, with settings, reasons, literature, and the commands that compute them.

    ``TASKS`` has the tasks by name; an unknown one is a ``ValueError`` that lists them.

    >>> recommendation = recommend("page a human")
    >>> recommendation.report[:3]
    ('event_precision', 'event_recall', 'mean_delay')
    >>> print(recommendation.commands[0])
    rangewise compare REAL PREDICTED --baselines chance \\
      --metric event_precision --metric event_recall --metric mean_delay \\
      --metric ward_precision --metric ward_recall
    """
    name = " ".join(task.lower().split()) if isinstance(task, str) else task
    if name not in TASKS:
        raise unknown_name("task", task, TASKS)
    return TASKS[name]


def _metrics_command(command: str, files: str, metrics: tuple[str, ...]) -> str:
    """In lines of at most 76 columns, joined as a shell wants it."""
    words = [f"rangewise {command} {files}", *(f"--metric {metric}" for metric in metrics)]
    lines = [words[0]]
    for word in words[1:]:
        if len(lines[-1]) + 1 + len(word) > _WIDE - 6:
            lines.append(f"  {word}")
        else:
            lines[-1] += f" {word}"
    return " \\\n".join(lines)


def _recommendation(
    task: str, when: str, settings: str, why: str, literature: str,
    *, labels: tuple[str, ...] = (), scores: tuple[str, ...] = (), more: tuple[str, ...] = (),
) -> Recommendation:  # fmt: skip
    commands = [
        *([_metrics_command("compare", "REAL SCORES --baselines chance", scores)] if scores else []),
        *([_metrics_command("compare", "REAL PREDICTED --baselines chance", labels)] if labels else []),
        *more,
    ]
    return Recommendation(
        task=task, when=when, report=scores + labels, settings=settings, why=why, literature=literature, commands=tuple(commands),
    )  # fmt: skip


TASKS: dict[str, Recommendation] = {
    each.task: each
    for each in (
        _recommendation(
            "benchmark table", "detectors give scores, and papers of 2024 to 2026 are compared with",
            "the buffer is the period of the series or the median length of its ranges (the default), the same for all detectors",
            "no threshold is chosen, lag is forgiven; the published samples of 250 thresholds are biased, so both numbers are given",
            "Paparrizos et al., VLDB 2022; Liu and Paparrizos (TSB-AD), NeurIPS 2024",
            scores=("vus_pr", "vus_pr:thresholds=250", "auc_pr"),
        ),
        _recommendation(
            "pick a threshold", "one detector goes into production and needs a threshold",
            "alpha 0, cardinality 1/x; choose on validation data, then score the test data once with the labels that it gives",
            "the curve is exact over all thresholds, and fragments cost as much as they do for the reader of the alarms",
            "Tatbul et al., NeurIPS 2018",
            labels=("range_fbeta:cardinality=reciprocal", "event_precision", "event_recall"),
            more=("rangewise curve REAL SCORES --cardinality reciprocal",),
        ),
        _recommendation(
            "page a human", "a person is called for every alarm",
            "none; with files of times, rangewise alerts also counts false alarms per day",
            "operators count alarms, not points: how many are false, how many incidents are found, and how late",
            "Ward, Lukowicz and Gellersen, ACM TIST 2011; Tatbul et al., NeurIPS 2018",
            labels=("event_precision", "event_recall", "mean_delay", "ward_precision", "ward_recall"),
            more=("rangewise alerts INCIDENTS ALERTS",),
        ),
        _recommendation(
            "early warning", "an alarm is worth something only while there is time to act",
            "points and k are the number of points within which an alarm still helps: replace 10 by your own number",
            "they fall with every point of delay, or at a deadline",
            "Lavin and Ahmad, ICMLA 2015; Tatbul et al., NeurIPS 2018; Ren et al., KDD 2019",
            labels=("nab_normalized", "range_recall:bias=front", "range_precision", "caught_within:points=10", "delayed_adjust_fbeta:k=10"),
        ),
        _recommendation(
            "imprecise labels", "starts and ends of the real ranges are only roughly right",
            "tolerance and buffer are how far labels may be off, in points: replace 10 by your own number; of affiliation, 1/2 is chance",
            "a near miss is worth more than a far one",
            "Huet, Navarro and Rossi, KDD 2022; Paparrizos et al., VLDB 2022; Sorbo and Ruocco, DMKD 2024",
            labels=("affiliation_fbeta", "affiliation_precision_gain", "tolerant_fbeta:tolerance=10"),
            scores=("vus_pr:buffer=10",),
        ),
        _recommendation(
            "industrial attacks", "attacks on plants (HAI, SWaT), compared with the papers about them",
            "report theta_p and theta_r with the numbers; papers differ",
            "detection needs a share of the attack, and of the alarm; the range F beside it has no such steps",
            "Hwang et al., SAC 2022; Tatbul et al., NeurIPS 2018",
            labels=("etapr_fbeta:theta_p=0.5,theta_r=0.1", "etapr_precision", "etapr_recall", "range_fbeta:cardinality=reciprocal"),
        ),
        _recommendation(
            "one anomaly per series", "every series has one anomaly, as in the UCR archive",
            "state the tolerance; take the mean over the series",
            "the detector only has to point at the one place",
            "Wu and Keogh, TKDE 2021",
            scores=("ucr_score:tolerance=100", "vus_pr"),
        ),
        _recommendation(
            "cover the whole anomaly", "the found part is cut out, billed, or labeled, so all of it counts",
            "flat bias; the area over K needs no choice of K",
            "part of a range gets part of the reward",
            "Tatbul et al., NeurIPS 2018; Kim et al., AAAI 2022",
            labels=("range_recall", "range_precision", "point_fbeta", "point_adjust_area"),
        ),
        _recommendation(
            "old paper", "numbers after point-adjust, of deep-learning papers from 2018 on, are to be compared with",
            "state that point-adjust is inflated: a random detector scores almost as high",
            "beside PA%K and plain points the reader sees how much of the number is the adjustment",
            "Xu et al., WWW 2018; Kim et al., AAAI 2022",
            scores=("best_point_adjust_fbeta", "best_point_adjust_area", "best_point_fbeta"),
        ),
        Recommendation(
            task="regime changes", when="single places where something changes, not ranges",
            report=("change_point_fbeta:margin=5", "covering"),
            settings="the margin is how far a place may be off, in points: replace 5 by your own number",
            why="a change is matched once; covering compares the segments between changes",
            literature="van den Burg and Williams, 2020 (TCPD)",
            python=(
                "from rangewise.metrics import change_point_fbeta, covering",
                "change_point_fbeta([100, 250], [103, 180, 251], margin=5, length=400)",
                "covering([100, 250], [103, 180, 251], length=400)",
            ),
        ),
        Recommendation(
            task="several classes", when="activities, sounds, heart beats: ranges of several kinds to be distinguished",
            report=("segmental_f1", "edit_score", "class_event_fbeta"),
            settings="name the classes of no interest with --background: replace 0 by your own; papers have an overlap of 0.1, 0.25, 0.5",
            why="macro if rare classes count the same, micro if every range does; the confusion matrix shows which classes were confused",
            literature="Lea et al., CVPR 2017; Mesaros et al., Applied Sciences 2016; Ward, Lukowicz and Gellersen, ACM TIST 2011",
            commands=("rangewise classes REAL PREDICTED --background 0", "rangewise classes REAL PREDICTED --background 0 --by metric"),
            python=(
                "from rangewise.classes import class_event_fbeta, edit_score, segmental_f1",
                "segmental_f1(['a', 'a', 'b'], ['a', 'b', 'b'], overlap=0.5)",
                "edit_score(['a', 'a', 'b'], ['a', 'b', 'b'])",
                "class_event_fbeta(['a', 'a', 'b'], ['a', 'b', 'b'], onset_collar=1)",
            ),
        ),
    )
}  # fmt: skip
"""Recommendations by task."""


@dataclass(frozen=True)
class Question:
    """A question, and for each answer its text and where it leads: a task or another question."""

    asks: str
    answers: tuple[tuple[str, str | Question], ...]


QUESTIONS = Question(
    "What do you need numbers for?",
    (
        (
            "a paper or a benchmark",
            Question(
                "Which results are yours compared with?",
                (
                    ("scores of detectors, as in 2024 to 2026", "benchmark table"),
                    ("older deep-learning papers with point-adjust", "old paper"),
                    ("attacks on plants: HAI, SWaT", "industrial attacks"),
                    ("the UCR archive: one anomaly per series", "one anomaly per series"),
                ),
            ),
        ),
        (
            "a detector that is going to be used",
            Question(
                "What happens with an alarm?",
                (
                    ("a person is called", "page a human"),
                    ("someone has a certain time to act", "early warning"),
                    ("the whole stretch is cut out, billed or labeled", "cover the whole anomaly"),
                    ("that is open: a threshold is still to be chosen", "pick a threshold"),
                ),
            ),
        ),
        ("places where a regime changes", "regime changes"),
        ("ranges of several kinds: activities, sounds, beats", "several classes"),
    ),
)
"""The questions of ``rangewise metrics --ask``, as a tree."""
