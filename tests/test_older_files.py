"""Files that rangewise 0.2.0 wrote (tests/data/release-0.2) are read, or rejected with advice."""

import gzip
import json

import numpy as np
import pytest
from tests.golden import GOLDEN

import rangewise as rw
from rangewise.cli import run
from rangewise.detectors import load
from rangewise.generate.recipe import Recipe

OLD = GOLDEN / "release-0.2"
WRITTEN = json.loads((OLD / "models.json").read_text())


@pytest.mark.parametrize("text", WRITTEN["models"])
def test_models_keep_their_hashes(text):
    model = rw.RangeModel.parse(text)
    assert (str(model), model.short_hash) == (text, WRITTEN["models"][text])


def test_reads_old_tally():
    assert rw.Tally.from_dict(WRITTEN["tally"]) == rw.early.tally([(0, 4), (9, 12)], [(2, 6)])


def test_reads_old_recipe():
    assert Recipe.from_json((OLD / "recipe.json").read_text()) == Recipe(length=300)


def test_old_detector_gives_the_same_scores():
    series = np.arange(20.0)
    loaded = load(OLD / "z-score.safetensors")
    np.testing.assert_array_equal(loaded.decision_function(series), rw.detectors.ZScore().fit(series).decision_function(series))


def test_rejects_old_store_and_says_what_to_do(tmp_path, capsys):
    store = tmp_path / "old.rwbench"
    store.write_bytes(gzip.decompress((OLD / "store.rwbench.gz").read_bytes()))
    before = store.read_bytes()
    assert run(["bench", "report", str(store)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "has format 1, of an older rangewise" in error
    assert "run the experiment again with another --store" in error
    assert store.read_bytes() == before
