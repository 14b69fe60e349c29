"""Score and curve of the WebAssembly module under node equal those of the native kernel, bit for bit, on the golden vectors."""

import gzip
import json
import math
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from tests.golden import GOLDEN, half_open, real_of, vectors
from tools import wasm

import rangewise as rw
from rangewise.kernel import Bias, Cardinality
from rangewise.model.cardinality import CARDINALITIES

MODELS = [
    rw.RangeModel(alpha=alpha, recall_bias=recall, precision_bias=precision, cardinality=cardinality, zero_division=math.nan)
    for alpha, recall, precision, cardinality in (
        (0.0, "flat", "flat", "one"), (0.5, "front", "flat", "reciprocal"), (0.0, "back", "middle", "reciprocal"),
        (0.25, "middle", "front", "one"), (0.0, "front", "back", "reciprocal"),
        (0.0, "flat", "flat", "consistent"), (0.3, "back", "front", "consistent"),
    )
]  # fmt: skip


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    if wasm.find_zig() is None:
        pytest.skip("needs zig: pip install ziglang")
    if shutil.which("node") is None:
        pytest.skip("needs node: apt install nodejs")
    out = tmp_path_factory.mktemp("wasm") / "rangewise.wasm"
    wasm.build(out)
    return out


def run_module(module, cases, folder):
    """The results of the module for each case, as lists of the bits of its numbers."""
    (folder / "cases.json").write_text(json.dumps(cases))
    command = ["node", Path(__file__).with_name("run_wasm.mjs"), module, folder / "cases.json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def settings_of(model):
    """The settings in the order of the module's arguments."""
    biases, cardinalities = ({member: number for number, member in enumerate(kind)} for kind in (Bias, Cardinality))
    rules = [(model.recall_bias, model.recall_cardinality), (model.precision_bias, model.precision_cardinality)]
    named = [number for bias, cardinality in rules for number in (biases[Bias[bias]], cardinalities[Cardinality[cardinality]])]
    return [model.alpha, *named]


def bits(values):
    # All nans are equal: their sign is not part of the definition.
    return [struct.pack(">d", math.nan if math.isnan(value) else value).hex() for value in values]


def pairs(ranges):
    return [[int(start), int(stop)] for start, stop in ranges]


def paper_labels():
    for real in sorted((GOLDEN / "paper-labels").glob("*/*.real.gz")):
        sides = (real, real.with_name(real.name.replace(".real.", ".pred.")))
        yield tuple(rw.Ranges.from_labels([int(float(line)) for line in gzip.decompress(side.read_bytes()).split()]) for side in sides)


def test_every_cardinality_is_compared():
    assert {model.recall_cardinality for model in MODELS} == set(CARDINALITIES)


def test_score_is_bit_identical_on_the_golden_vectors(module, tmp_path):
    sides = [*paper_labels(), *((rw.Ranges(real_of(case)), rw.Ranges(half_open(case["predicted"]))) for case in vectors("labels"))]
    cases, expected = [], []
    for real, predicted in sides:
        for model in MODELS:
            score = model.score(real, predicted)
            cases.append({"real": pairs(real), "predicted": pairs(predicted), "model": settings_of(model)})
            expected.append([bits([score.precision, score.recall])])
    assert len(cases) > 200
    assert run_module(module, cases, tmp_path) == expected


def test_curve_is_bit_identical_on_the_golden_vectors(module, tmp_path):
    cases, expected = [], []
    for case in vectors("vus"):
        for model in MODELS:
            curve = model.curve(rw.Ranges(real_of(case)), case["scores"])
            cases.append({"real": pairs(real_of(case)), "scores": list(map(float, case["scores"])), "model": settings_of(model)})
            expected.append([bits(curve.thresholds.tolist()), bits(curve.precision.tolist()), bits(curve.recall.tolist())])
    assert len(cases) > 100
    assert run_module(module, cases, tmp_path) == expected
