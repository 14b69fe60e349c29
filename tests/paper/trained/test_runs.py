"""Runs of the trained detectors, end to end: they are kept, resumed and scored. The networks are tested in ``tests/detectors``."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from rangewise.datasets import Series
from rangewise.detectors import MovingZScore
from rangewise.paper.published import DATASETS, DETECTORS, published
from rangewise.paper.trained import part as trained_part
from rangewise.paper.trained import runs as trained

GENERATED = ("timeguided", "ecg", "sine", "space_shuttle")


@pytest.fixture
def trained_pairs(monkeypatch, tmp_path):
    """Without data, and with a fast detector in place of every detector. Returns the list of those that were made."""
    trained_pairs = []

    def make_fast_detector(name, dataset, seed):
        trained_pairs.append((dataset, name))
        return MovingZScore()

    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(trained, "make_detector", make_fast_detector)
    return trained_pairs


def no_progress(text, done, total):
    pass


def test_only_generated_series_run_without_nab(trained_pairs, tmp_path):
    runs = trained.run_all(tmp_path, [0], no_progress)
    assert [(run.dataset, run.detector) for run in runs] == trained_pairs
    assert {run.dataset for run in runs} == set(GENERATED)
    assert sorted(path.name for path in (tmp_path / "trained").iterdir()) == sorted(f"{name}-{kind}-0.json" for name, kind in trained_pairs)


def test_finished_runs_are_kept(trained_pairs, tmp_path):
    first = trained.run_all(tmp_path, [0], no_progress)
    trained.run_path(tmp_path, "ecg", "greenhouse", 0).write_text("{ torn")
    trained.run_path(tmp_path, "sine", "luminol", 0).unlink()
    trained_pairs.clear()
    assert [run.predicted for run in trained.run_all(tmp_path, [0], no_progress)] == [run.predicted for run in first]
    assert trained_pairs == [("ecg", "greenhouse"), ("sine", "luminol")]


def test_several_seeds(trained_pairs, tmp_path):
    first = trained.run_all(tmp_path, [0], no_progress)
    trained_pairs.clear()
    runs = trained.run_all(tmp_path, [0, 1], no_progress)
    assert len(trained_pairs) == len(first) == len(runs) / 2
    part = trained_part.make(runs, with_published=False)
    value = {row[1]: row[-1] for row in part.rows if row[:1] == ("fig5",) and row[3:6] == ("sine", "lstm_ad", "F1_Classical")}
    assert value["ours"] == pytest.approx((value["ours, seed 0"] + value["ours, seed 1"]) / 2)
    assert value["ours, seed 0"] != value["ours, seed 1"]
    low, high = sorted((value["ours, seed 0"], value["ours, seed 1"]))
    assert f"| Sine, LSTM-AD | {value['ours']:.3f} ({low:.2f} to {high:.2f}) |" in part.text
    assert "2 seeds, 0 to 1" in part.text


@pytest.mark.parametrize("name", GENERATED)
def test_a_one_liner_solves_version_2(name):
    labeled = trained.one_line(name, 3)
    assert labeled.real == labeled.predicted or labeled.points()[2] > 0.99


def test_runs_that_do_not_depend_on_the_seed_run_once(trained_pairs, monkeypatch, golden_folder, tmp_path):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    runs = trained.run_all(tmp_path, [0, 1], no_progress)
    assert sum(run.dataset == "aapl" and run.detector == "luminol" for run in runs) == 1
    assert sum(run.dataset == "aapl" and run.detector == "lstm_ad" for run in runs) == 2
    assert trained_part.make(runs, with_published=True).rows


def test_interrupt_keeps_finished_runs(trained_pairs, tmp_path):
    def interrupt(text, done, total):
        if done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained.run_all(tmp_path, [0], interrupt)
    assert len(list((tmp_path / "trained").iterdir())) == 4
    trained_pairs.clear()
    trained.run_all(tmp_path, [0], no_progress)
    assert len(trained_pairs) == 8


def test_part_without_published_labels(trained_pairs, tmp_path):
    part = trained_part.make(trained.run_all(tmp_path, [0], no_progress), with_published=False)
    assert {row[1] for row in part.rows} == {"ours"}
    assert "published labels on" not in part.text
    part.write(tmp_path)
    assert (tmp_path / "trained_fig4.svg").stat().st_size > 10_000


def test_runs_with_the_published_labels_show_no_difference(golden_folder, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    part = trained_part.make([as_run(dataset, detector) for dataset in DATASETS for detector in DETECTORS], with_published=True)
    by_labels = {labels: [row[2:] for row in part.rows if row[1] == labels] for labels in ("published", "ours")}
    assert by_labels["published"] == by_labels["ours"]
    assert len(by_labels["ours"]) == 7 * 15 + 7 * 6 + 7 * 9
    assert part.text.count("on 7 of 7 data sets") == 3
    assert "Luminol is left out" in part.text
    assert "equal the published labels on 3 of NAB's 3 series" in part.text
    assert "| both | 0.000 | 0.000 |" in part.text


def test_closeness_is_a_mean_of_absolute_differences(golden_folder, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    runs = [as_run("ecg", detector) for detector in DETECTORS]
    runs[0] = replace(runs[0], predicted=[])
    text = trained_part.make(runs, with_published=True).text
    lost = published("ecg", "lstm_ad").points()[2]
    assert f"| LSTM-AD | {lost:.3f} |" in text
    assert f"| both | {lost / 2:.3f} |" in text
    assert "`F1_Classical` prefers the same of the two detectors, ours and published, on " in text


def test_generated_series_have_labeled_validation_rows():
    series = trained.series_of("sine", 1)
    assert series.train == (0, 4000 + trained.VALIDATION_ROWS)
    detector = trained.make_detector("lstm_ad", "sine", 1)
    first, second = detector._cuts(6000)
    train, _ = series.split()
    assert 0 < first < second < 4000 <= train.real.starts[0]
    assert detector.close_gaps == trained.CLOSE_GAPS
    assert trained.make_detector("lstm_ad", "aapl", 1).parts == (0.6, 0.2)


def test_runs_without_predictions_are_listed(trained_pairs, tmp_path):
    runs = trained.run_all(tmp_path, [0], no_progress)
    assert "Without any prediction" not in trained_part.make(runs, with_published=False).text
    runs[0] = replace(runs[0], predicted=[])
    assert "Without any prediction: LSTM-AD on Time-Guided (seed 0)." in trained_part.make(runs, with_published=False).text


def as_run(dataset, detector):
    labeled = published(dataset, detector)
    sides = (np.asarray(side).tolist() for side in (labeled.real, labeled.predicted))
    return trained.Run(dataset, detector, "D()", 0, 1, labeled.length, 0.5, 1.0, 1.0, *sides, [])


def test_run_round_trip(tmp_path):
    run = trained.Run("sine", "luminol", "D()", 3, 10, 20, 0.5, 1.0, 1.0, [[2, 4]], [], ["a note"])
    path = tmp_path / "run.json"
    path.write_text(json.dumps(asdict(run)))
    assert trained.read_run(path) == run
    assert trained.read_run(tmp_path / "none.json") is None
    assert run.labeled.points() == (0.0, 0.0, 0.0)


def test_luminol_matches_the_published_labels(golden_folder, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    assert trained.run_one("nyc_taxi", "luminol", 0).labeled == published("nyc_taxi", "luminol")


def test_detectors_have_the_names_of_the_paper():
    detectors = {name: trained.make_detector(name, "sine", 7) for name in DETECTORS}
    assert [detector.name for detector in detectors.values()] == ["lstm-ad", "greenhouse", "luminol-default"]
    assert [detector.seed for detector in list(detectors.values())[:2]] == [7, 7]
    assert "seed=7" in trained.settings_text(detectors["lstm_ad"])


@pytest.mark.parametrize(
    ("real", "rows"), [([], (0, 100)), ([(10, 20)], (20, 100)), ([(60, 70), (80, 90)], (0, 60)), ([(0, 30), (90, 100)], (30, 90))]
)
def test_longest_normal_part(real, rows):
    part = trained.longest_normal_part(Series("example", np.arange(100.0), real=real))
    assert (part.values[0, 0], part.values[-1, 0] + 1) == rows
    assert not len(part.real)
