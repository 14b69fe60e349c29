"""Experiments from TOML and Python; their errors are reported before anything runs."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rangewise as rw
from rangewise.bench.experiment import Experiment, Limits
from rangewise.bench.runs import make_plan
from rangewise.bench.series_choice import checksum
from rangewise.datasets import Series, paper_series
from rangewise.detectors import ONE_LINERS

HERE = Path(__file__).parent
GOOD = """
baselines = false
name = "good"
[[detector]]
name = "moving-z-score"
settings = { window = [50, 100] }
[[detector]]
python = "faulty:Good"
[[series]]
generate = { base = "sine", length = 500, seed = [1, 2], anomalies = 2 }
[[metric]]
model = "early"
[[metric]]
model = "RangeModel(alpha=0.5)"
label = "half"
[[metric]]
name = "point_adjust_fbeta"
options = { k = 20 }
[report]
metric = "half:recall"
"""


def parsed(text):
    return Experiment.parse(text, folder=HERE)


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path):
    """As Windows writes it: data files may too."""
    text = 'name = "marked"\n[[detector]]\nname = "z-score"\n[[series]]\ngenerate = { base = "walk" }\n[[metric]]\nmodel = "early"\n'
    (tmp_path / "exp.toml").write_text(text, encoding="utf-8-sig")
    assert Experiment.read(tmp_path / "exp.toml").name == "marked"


def test_toml_defines_the_experiment():
    experiment = parsed(GOOD)
    assert [each.label for each in experiment.detectors] == ["moving-z-score window=50", "moving-z-score window=100", "Good"]
    assert [each.name for each in experiment.series] == ["sine seed=1", "sine seed=2"]
    assert [each.label for each in experiment.metrics] == ["early", "half", "point_adjust_fbeta:k=20"]
    assert (experiment.metric, experiment.store_name) == ("half:recall", "good.rwbench")
    assert len(make_plan(experiment).runs) == 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"moving-z-score"', '"moving-zscore"'), "did you mean 'moving-z-score'"),
        (("window", "windw"), "did you mean 'window'"),
        (("window = [50, 100]", "window = [50, 50]"), "two detectors have the name"),
        (("window = [50, 100]", "window = []"), "the list of window is empty"),
        (("window = [50, 100]", "window = 1"), "window must be 2 or more"),
        (("faulty:Good", "faulty:Godo"), "did you mean 'Good'"),
        (("faulty:Good", "nowhere:Good"), "cannot be imported: ModuleNotFoundError"),
        (("faulty:Good", "faulty:NoDetector"), "a detector needs fit, decision_function and predict"),
        (("faulty:Good", "faulty:NoImport"), "size is bad"),
        (("faulty:Good", "faulty"), 'python = "package.module:Class"'),
        (('model = "early"', 'model = "erly"'), "did you mean 'early'"),
        (('"point_adjust_fbeta"', '"point_adjust_fbta"'), "did you mean 'point_adjust_fbeta'"),
        (("{ k = 20 }", "{ kk = 20 }"), "an option of point_adjust_fbeta"),
        (("RangeModel(alpha=0.5)", "RangeModel(alpha=2)"), "alpha"),
        (("half:recall", "half:recal"), "did you mean 'recall'"),
        (("half:recall", "hlf"), "a metric of this experiment"),
        (('base = "sine"', 'base = "sin"'), "did you mean 'sine'"),
        (("length = 500", "lenght = 500"), "lenght"),
        (("[[metric]]\nmodel", "[metric]\nmodel"), "two brackets|not TOML"),
        (('name = "good"', 'nam = "good"'), "did you mean 'name'"),
        (('name = "good"', 'name = "a/b"'), "letters, digits"),
        (('name = "good"', 'name = "good"\nseed = -1'), "seed"),
        (('name = "good"', 'name = "good"\n[limits]\nseconds = 0'), "seconds must be above 0"),
        (('name = "good"', 'name = "good"\n[limits]\nmemory = "4 apples"'), '"4 GB"'),
        (('name = "good"', 'name = "good"\n[threshold]\nrule = "bestf"'), "best-f"),
        (('name = "good"', "name = good"), "not TOML"),
        (("[report]", '[report]\naverage = "mean"'), "pooled, macro"),
    ],
)
def test_errors_are_reported_before_anything_runs(change, message):
    with pytest.raises((ValueError, TypeError), match=message):
        parsed(GOOD.replace(*change, 1))


def test_paper_series_have_two_versions():
    experiment = Experiment(name="a", detectors=["z-score"], series=[{"paper": "sine", "seed": 3}, {"paper": "timeguided", "version": 1}])
    new, hard = (each.load() for each in experiment.series)
    assert (new.values == paper_series("sine", seed=3).values).all()
    assert (hard.values == paper_series("timeguided", version=1).values).all()
    with pytest.raises(ValueError, match="is 2, or 1 for the hard set; got 3"):
        Experiment(name="a", detectors=["z-score"], series=[{"path": "paper:sine", "version": 3}])
    with pytest.raises(ValueError, match="version is for the paper's series; leave it out"):
        Experiment(name="a", detectors=["z-score"], series=[{"generate": {"base": "sine"}, "version": 1}])


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"generate": {"base": "sine"}, "seed": 3}, r"seed is for the paper's series \(a generated series has its own\); leave it out"),
        ({"generate": {"base": "sine"}, "column": "x"}, "column is for files; leave it out"),
        ({"paper": "sine", "format": "csv"}, "format is for files; leave it out"),
        ({"paper": "sine", "seed": "x"}, "1: seed is a whole number; got 'x'"),
        ({"paper": "sine", "seed": 1.5}, r"1: seed is a whole number; got 1\.5"),
        ({"generate": {"base": "sine", "seed": []}}, "the list of seed is empty; a list means one series per value"),
    ],
)
def test_no_key_of_a_series_is_ignored(entry, says):
    with pytest.raises((ValueError, TypeError), match=says):
        Experiment(name="a", detectors=["z-score"], series=[entry])


def test_replace_keeps_the_metrics_under_every_rule():
    made = Experiment(
        name="a", detectors=["z-score"], series=[{"paper": "sine"}], metrics=["early", "vus_pr"], threshold=["own", "best-f", "sigma:3"]
    )
    assert replace(made, seed=5).metrics == made.metrics
    assert [metric.label for metric in replace(made, threshold="best-f").metrics] == ["early", "vus_pr"]
    with pytest.raises(TypeError, match="options must be a table such as"):
        replace(made, metrics=[{"name": "vus_pr", "options": 3}])


def test_requires_series_and_detectors(tmp_path):
    with pytest.raises(ValueError, match="matches no series"):
        Experiment(name="a", detectors=["z-score"], series=["*.csv"], folder=tmp_path)
    with pytest.raises(ValueError, match=r"at least one \[\[detector\]\]"):
        Experiment(name="a", detectors=[], series=["*.csv"])
    with pytest.raises(FileNotFoundError, match="does not exist"):
        Experiment.read(tmp_path / "none.toml")


def test_series_from_globs_folders_and_all_formats(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    for folder in "ab":
        (tmp_path / folder / "same.csv").write_text(
            "timestamp,value,label\n" + "".join(f"{row},{row % 7},{row % 2}\n" for row in range(20))
        )
    (tmp_path / "001_UCR_Anomaly_x_5_8_9.txt").write_text("".join(f"{row}.5\n" for row in range(20)))
    (tmp_path / "a" / "002_x_tr_7_1st_9.csv").write_text("Data,Label\n" + "".join(f"{row % 5}.0,{int(row > 15)}\n" for row in range(20)))
    experiment = Experiment(name="a", detectors=["z-score"], series=["a", "b/*.csv", "*.txt"], folder=tmp_path)
    plan = make_plan(experiment)
    planned = {each.name: (each.train, each.test_points, each.real) for each in plan.series}
    assert set(planned) == {"a/same.csv", "b/same.csv", "001_UCR_Anomaly_x_5_8_9.txt", "002_x_tr_7_1st_9.csv"}
    assert planned["001_UCR_Anomaly_x_5_8_9.txt"] == ((0, 5), 15, ((3, 5),))
    assert planned["002_x_tr_7_1st_9.csv"] == ((0, 7), 13, ((9, 13),))
    with pytest.raises(ValueError, match="so it cannot have one name"):
        Experiment(name="a", detectors=["z-score"], series=[{"path": "a", "name": "x"}], folder=tmp_path)


def test_nab_folder_includes_its_windows(golden_folder):
    experiment = Experiment(
        name="a", detectors=["z-score"], series=[{"path": "nab/data/realKnownCause/nyc*.csv", "train": 0.5}], folder=golden_folder
    )
    series = make_plan(experiment).series[0]
    assert series.name == "realKnownCause/nyc_taxi.csv"
    assert series.train == (0, 5160)
    assert len(series.real) == 5


def test_nab_by_name(golden_folder, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    assert len(Experiment(name="a", detectors=["z-score"], series=["nab:*"]).series) == 58
    with pytest.raises(ValueError, match="a series of nab"):
        Experiment(name="a", detectors=["z-score"], series=["nab:nothing"])


def test_seeds_and_keys_depend_only_on_the_run():
    """The order of detectors and series does not change them; the seed of the experiment does."""
    plan = make_plan(parsed(GOOD))
    keys = {(run.detector.label, run.series.name): (run.key, run.seed) for run in plan.runs}
    reordered = make_plan(parsed(GOOD.replace("[50, 100]", "[100, 50]").replace("[1, 2]", "[2, 1]")))
    assert {(run.detector.label, run.series.name): (run.key, run.seed) for run in reordered.runs} == keys
    reseeded = make_plan(parsed(GOOD.replace('name = "good"', 'name = "good"\nseed = 5')))
    assert not {run.key for run in reseeded.runs} & {run.key for run in plan.runs}
    assert len(set(keys.values())) == 6


def test_checksum_covers_values_anomalies_and_training_part():
    base = Series("a", [1.0, 2.0, 3.0], real=[(1, 2)])
    changed = [
        Series("a", [1.0, 2.0, 4.0], real=[(1, 2)]),
        Series("a", [1.0, 2.0, 3.0], real=[(1, 3)]),
        Series("a", [1.0, 2.0, 3.0], real=[(1, 2)], train=(0, 1)),
    ]
    assert checksum(Series("b", np.array([1.0, 2.0, 3.0]), real=[(1, 2)])) == checksum(base)
    assert len({checksum(each) for each in (base, *changed)}) == 4


def test_limits_and_recipes(tmp_path):
    assert Limits(memory="1.5 GiB").memory == int(1.5 * 2**30)
    (tmp_path / "r.json").write_text(rw.datasets.Recipe(base="walk", length=300).to_json())
    experiment = Experiment(name="a", detectors=["z-score"], series=[{"recipe": "r.json", "train": 100}], folder=tmp_path)
    assert json.loads(experiment.series[0].where)["base"] == "walk"
    assert make_plan(experiment).series[0].train == (0, 100)


def test_one_liners_are_added_by_default():
    series = [{"generate": {"length": 300}}]
    experiment = Experiment(name="a", detectors=["z-score", {"name": "moving-std", "settings": {"window": 5}}], series=series)
    assert [each.label for each in experiment.detectors][:2] == ["z-score", "moving-std"]
    assert {each.label for each in experiment.detectors} == {"z-score", *ONE_LINERS}
    assert len(Experiment(name="a", detectors=["z-score"], series=series, baselines=False).detectors) == 1
    with pytest.raises(TypeError, match="baselines must be true or false, without quotes; got 'no'"):
        Experiment(name="a", detectors=["z-score"], series=series, baselines="no")


def test_rejects_quoted_booleans():
    for name in ("keep_scores", "baselines"):
        text = f'name = "x"\n{name} = "false"\n[[detector]]\nname = "z-score"\n[[series]]\ngenerate = {{ seed = 1 }}\n'
        with pytest.raises(TypeError, match=f"{name} must be true or false, without quotes; got 'false'"):
            Experiment.parse(text)


def test_model_given_as_metric_name_suggests_the_model_key():
    with pytest.raises(ValueError, match="'early' is a model, so write model = \"early\"") as error:
        Experiment(name="x", detectors=["z-score"], series=["paper"], metrics=[{"name": "early"}])
    assert "did you mean" not in str(error.value)
