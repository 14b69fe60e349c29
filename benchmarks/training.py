"""Does it help to train for the model? `python -m benchmarks.training` runs the experiment and writes docs/training.md from it.

A small network learns by cross-entropy, and is then fine-tuned with each loss for as many steps more, once with cross-entropy again:
that is the other side of every pair. Scores are of a test series, at the threshold that is best on a validation series.
"""

from __future__ import annotations

import argparse
import copy
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

import rangewise as rw
from benchmarks.report import Table, machine, write
from rangewise.bench.statistics import Pair, compare_pair, holm
from rangewise.generate.maker import generate
from rangewise.generate.plan import Anomalies
from rangewise.training import RangeLoss

ROOT = Path(__file__).parent.parent
PAGE, RESULTS = ROOT / "docs" / "training.md", ROOT / "build" / "training.json"

BASES = ("sine", "ecg", "seasonal")
MODELS = {
    "flat": rw.RangeModel(),
    "early, one piece": rw.RangeModel(recall_bias="front", cardinality="reciprocal"),
    "existence": rw.RangeModel(alpha=1.0),
}
SEEDS, POINTS, RANGES = 20, 3000, 15
WIDTH, KERNEL = 8, 15
FIRST_STEPS, MORE_STEPS, FIRST_RATE, MORE_RATE = 250, 120, 0.01, 0.003
BCE_WEIGHT = 1.0
CONTROL = "cross-entropy"
LEVEL = 0.05

Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def losses(model: rw.RangeModel) -> dict[str, Loss]:
    """What a network is fine-tuned with, beside more cross-entropy."""
    return {
        "soft": RangeLoss(model, relaxation="soft", logits=True),
        "sweep": RangeLoss(model, relaxation="sweep", logits=True),
        "soft + cross-entropy": RangeLoss(model, relaxation="soft", logits=True, bce_weight=MIX),
        "sweep + cross-entropy": RangeLoss(model, relaxation="sweep", logits=True, bce_weight=MIX),
    }


@dataclass(frozen=True)
class Part:
    """A series as the network sees it."""

    values: torch.Tensor
    labels: torch.Tensor


def parts(base: str, seed: int, points: int) -> list[Part]:
    """Series to learn from, to choose a threshold on and to test on, of the same kind; standardised as the first is."""
    made = [
        generate(base, length=points, seed=1000 * seed + k, anomalies=Anomalies(number=RANGES, lengths=(20, 60)), noise=0.1)
        for k in range(3)
    ]
    mean, spread = made[0].values.mean(), made[0].values.std()
    return [
        Part(
            torch.tensor((one.values.T[np.newaxis] - mean) / spread, dtype=torch.float32),
            torch.tensor(one.real.to_labels(points), dtype=torch.float32),
        )
        for one in made
    ]


def network(seed: int) -> torch.nn.Module:
    torch.manual_seed(seed)
    nn, around = torch.nn, KERNEL // 2
    return nn.Sequential(
        nn.Conv1d(1, WIDTH, KERNEL, padding=around), nn.ReLU(),
        nn.Conv1d(WIDTH, WIDTH, KERNEL, padding=around), nn.ReLU(),
        nn.Conv1d(WIDTH, 1, KERNEL, padding=around), nn.Flatten(0),
    )  # fmt: skip


def train(net: torch.nn.Module, part: Part, loss: Loss, steps: int, rate: float) -> None:
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    for _ in range(steps):
        optimizer.zero_grad()
        loss(net(part.values), part.labels).backward()
        optimizer.step()


def test_f(net: torch.nn.Module, model: rw.RangeModel, validation: Part, test: Part) -> float:
    """F on the test series at the threshold that is best on the validation series."""
    with torch.no_grad():
        chosen, found = net(validation.values).numpy(), net(test.values).numpy()
    threshold = model.curve(validation.labels.numpy(), chosen).best(warn=False).threshold
    return model.score(test.labels.numpy(), found >= threshold).f


def one_network(base: str, seed: int, quick: bool) -> Iterator[tuple[str, str, float]]:
    """(model, loss, F) of everything that begins with the same network."""
    training, validation, test = parts(base, seed, POINTS)
    first = network(seed)
    entropy = torch.nn.BCEWithLogitsLoss()
    first_steps, more_steps = (5, 2) if quick else (FIRST_STEPS, MORE_STEPS)
    train(first, training, entropy, first_steps, FIRST_RATE)

    def tuned(loss: Loss) -> torch.nn.Module:
        net = copy.deepcopy(first)
        train(net, training, loss, more_steps, MORE_RATE)
        return net

    control = tuned(entropy)
    for name, model in MODELS.items():
        yield name, CONTROL, test_f(control, model, validation, test)
        for kind, loss in losses(model).items():
            yield name, kind, test_f(tuned(loss), model, validation, test)


def run(seeds: int, store: Path, quick: bool = False) -> dict[str, float]:
    """F by "base/seed/model/loss"; what the store has is not run again."""
    torch.set_num_threads(1)
    found: dict[str, float] = json.loads(store.read_text()) if store.is_file() else {}
    for seed in range(seeds):
        for base in BASES:
            if any(key.startswith(f"{base}/{seed}/") for key in found):
                continue
            found |= {f"{base}/{seed}/{model}/{loss}": f for model, loss, f in one_network(base, seed, quick)}
            store.parent.mkdir(parents=True, exist_ok=True)
            write(store, json.dumps(found, indent=1))
            print(f"{base}, seed {seed}: done", file=sys.stderr)
    return found


class Found:
    """What the experiment found, by kind of series, seed, model and loss."""

    def __init__(self, found: dict[str, float]) -> None:
        self._found = found
        self.seeds = sorted({int(key.split("/")[1]) for key in found})

    def values(self, model: str, loss: str, bases: tuple[str, ...]) -> list[float]:
        return [self._found[f"{base}/{seed}/{model}/{loss}"] for base in bases for seed in self.seeds]

    def against(self, other: str, kinds: list[str], bases: tuple[str, ...]) -> dict[tuple[str, str], tuple[Pair, float]]:
        """Each model and loss against another loss, and its p after Holm's correction over all of them."""
        pairs = {
            (model, kind): compare_pair(kind, other, self.values(model, kind, bases), self.values(model, other, bases))
            for model in MODELS
            for kind in kinds
        }
        adjusted = holm([pair.p for pair in pairs.values()]).tolist()
        return dict(zip(pairs, zip(pairs.values(), adjusted, strict=True), strict=True))

    def table(self, other: str, kinds: list[str], bases: tuple[str, ...]) -> Table:
        rows = [
            [
                f"{model}: {kind}",
                f"{np.mean(self.values(model, other, bases)):.3f}",
                f"{np.mean(self.values(model, kind, bases)):.3f}",
                f"{pair.difference.value:+.3f} ({pair.difference.low:+.3f} to {pair.difference.high:+.3f})",
                f"{pair.won} / {pair.tied} / {pair.lost}",
                f"{pair.p:.2g}",
                f"{adjusted:.2g}",
            ]
            for (model, kind), (pair, adjusted) in self.against(other, kinds, bases).items()
        ]
        return Table(
            ["model: loss", f"F after {other}", "F after this", "median difference (95 %)", "won / tied / lost", "p", "p, Holm"], rows
        )


def outcome(found: Found, kinds: list[str]) -> str:
    """The first words of the page: what can be said after the correction, and what cannot."""
    better, worse, open_ = [], [], 0
    for (model, kind), (pair, adjusted) in found.against(CONTROL, kinds, BASES).items():
        if adjusted > LEVEL:
            open_ += 1
        else:
            (better if pair.balance > 0 else worse).append(f"{kind} for *{model}* ({pair.difference.value:+.3f})")
    said = f"Over all kinds of series, better than more cross-entropy at 5 % after Holm's correction: {', '.join(better) or 'none'}. "
    said += f"Worse: {', '.join(worse) or 'none'}. Not separated: {open_} of {len(MODELS) * len(kinds)}. "
    rivals = found.against("sweep", ["soft"], BASES)
    apart = [model for (model, _), (_, adjusted) in rivals.items() if adjusted <= LEVEL]
    said += f"Soft and sweep differ for {', '.join(apart)}." if apart else "Soft and sweep are not separated for any of the three models."
    return said + " `RangeLoss` uses `soft` unless told otherwise: of the two it costs less."


def page(results: dict[str, float]) -> str:
    found, kinds = Found(results), list(losses(rw.RangeModel()))
    blocks = [
        "# Does it help to train for the model?",
        "Made by `make training`. " + machine() + f" torch {torch.__version__.partition('+')[0]}.",
        f"**What came out.** {outcome(found, kinds)}",
        f"A network of three convolutions ({WIDTH} channels, {KERNEL} points each) learns by cross-entropy for {FIRST_STEPS} steps "
        f"from a made series of {POINTS:,} points with {RANGES} anomalies. It is then fine-tuned for {MORE_STEPS} steps with each loss, "
        "and with cross-entropy again, so that all have had as many steps. The score is F of the model that was trained for, on a test "
        f"series, at the threshold that is best on a validation series. {len(found.seeds)} seeds, {len(BASES)} kinds of series: "
        f"{', '.join(BASES)}; every seed has its own series and its own network. Steps, rates and sizes were set once, not searched for: "
        "other networks and longer training may give other answers.",
        "The models: " + "; ".join(f"*{name}* is `{model}`" for name, model in MODELS.items()) + ". "
        f"`+ cross-entropy` is `bce_weight={MIX:g}`.",
        "Differences are paired: the same series, the same first network. p is the exact signed-rank test's, the interval that of the "
        "median of the differences; Holm's correction is over the rows of a table. Columns two and three are means of F.",
        "## All kinds of series",
        found.table(CONTROL, kinds, BASES).markdown(),
        "Soft beside sweep:",
        found.table("sweep", ["soft"], BASES).markdown(),
    ]
    for base in BASES:
        blocks += [f"## {base}", found.table(CONTROL, kinds, (base,)).markdown()]
    return "\n\n".join(blocks) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="how many seeds (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="few steps: to see that it runs; the page is printed, and nothing is kept")
    given = parser.parse_args()
    if given.quick:
        with tempfile.TemporaryDirectory() as folder:
            print(page(run(given.seeds, Path(folder) / "found.json", quick=True)))
        return
    write(PAGE, page(run(given.seeds, RESULTS)))
    print(f"wrote {PAGE.name}", file=sys.stderr)


if __name__ == "__main__":
    main()
