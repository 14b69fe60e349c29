"""What runs again and what does not: a store identifies predictions and scores by everything that they depend on."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rangewise as rw
from bench.kill_rounds import digest, kill_drivers, kill_workers, stable_rows, write_experiment
from rangewise.bench.pool import Pool
from rangewise.bench.runner import open_jobs
from rangewise.bench.runs import ignored_line, make_plan
from rangewise.bench.store import Store
from rangewise.datasets import Series
from rangewise.inputs.ignored import without
from rangewise.metrics import auc_roc, point_fbeta, range_average_precision

HERE = Path(__file__).parent
_BASE = {
    "name": "small",
    "detectors": ["z-score", {"name": "moving-z-score", "settings": {"window": 20}}, "random", "faulty:Raises"],
    "series": [{"generate": {"base": "sine", "length": 400, "seed": [1, 2], "anomalies": 3}}],
    "metrics": ["early"],
    "folder": HERE,
    "baselines": False,
}


def make_experiment(**changes):
    return rw.bench.Experiment(**{**_BASE, **changes})


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A store with all runs of the small experiment."""
    path = tmp_path_factory.mktemp("bench") / "small.rwbench"
    rw.bench.run(make_experiment(), store=path, workers=2).close()
    return path


@pytest.fixture
def store(finished, tmp_path):
    path = tmp_path / "small.rwbench"
    path.write_bytes(finished.read_bytes())
    return path


def remaining_jobs(experiment, store, **options):
    with Store.reading(store) as opened:
        return open_jobs(make_plan(experiment), opened, **options)


def test_nothing_runs_twice(store, monkeypatch):
    monkeypatch.setattr(Pool, "work", lambda *_: pytest.fail("a run ran again"))
    results = rw.bench.run(make_experiment(), store=store)
    assert results.counts() == {"ok": 6, "error": 2}


def test_new_metrics_and_rules_run_no_detector_again(store):
    more = make_experiment(
        metrics=["early", "classical", "point_fbeta", "range_average_precision"], threshold=["own", "quantile:0.9", "best-f"]
    )
    jobs = remaining_jobs(more, store)
    assert len(jobs) == 6
    assert all(job.kept is not None for job in jobs)
    results = rw.bench.run(more, store=store, workers=2)
    fresh = rw.bench.run(more, workers=2)
    assert stable_rows(results) == stable_rows(fresh)
    assert {row["metric"] for row in results.rows()} >= {"early@best-f", "point_fbeta@quantile:0.9", "range_average_precision"}
    assert len({row["seconds_fit"] for row in results.rows() if row["status"] == "ok"}) == 6


def test_without_kept_scores_only_metrics_of_scores_run_detectors_again(tmp_path):
    path = tmp_path / "small.rwbench"
    rw.bench.run(make_experiment(detectors=["z-score"], keep_scores=False), store=path, workers=1)
    assert [job.kept is None for job in remaining_jobs(make_experiment(detectors=["z-score"], metrics=["early", "late"]), path)] == [
        False,
        False,
    ]
    assert [
        job.kept is None for job in remaining_jobs(make_experiment(detectors=["z-score"], metrics=["range_average_precision"]), path)
    ] == [True, True]


def test_changed_settings_data_and_seed_run_again(store):
    assert len(remaining_jobs(make_experiment(), store)) == 0
    assert len(remaining_jobs(make_experiment(detectors=["z-score", {"name": "moving-z-score", "settings": {"window": 30}}]), store)) == 2
    assert len(remaining_jobs(make_experiment(seed=1), store)) == 8
    longer = [{"generate": {"base": "sine", "length": 500, "seed": [1, 2], "anomalies": 3}}]
    assert len(remaining_jobs(make_experiment(series=longer), store)) == 8


def test_failed_runs_repeat_only_on_request_or_with_a_higher_limit(tmp_path):
    path = tmp_path / "small.rwbench"
    slow = make_experiment(detectors=["faulty:Loops"], series=_BASE["series"][:1], limits=rw.bench.Limits(seconds=0.3))
    rw.bench.run(slow, store=path, workers=2)
    assert len(remaining_jobs(slow, path)) == 0
    assert len(remaining_jobs(slow, path, retry=frozenset({"timeout"}))) == 2
    assert len(remaining_jobs(slow, path, retry=frozenset({"crash"}))) == 0
    assert len(remaining_jobs(replace(slow, limits=rw.bench.Limits(seconds=0.4)), path)) == 2
    assert len(remaining_jobs(replace(slow, limits=rw.bench.Limits(seconds=0.2)), path)) == 0
    with pytest.raises(ValueError, match="did you mean 'timeout'"):
        rw.bench.run(slow, retry=["time-out"])


def test_workers_and_order_do_not_change_results(store):
    expected = stable_rows(rw.bench.read(store))
    reordered = make_experiment(detectors=list(reversed(_BASE["detectors"])))
    rows = stable_rows(rw.bench.run(reordered, workers=1))
    order = [(row["detector"], row["series"]) for row in expected]
    assert sorted(rows, key=lambda row: order.index((row["detector"], row["series"]))) == expected


def test_training_part_labels_and_short_series():
    values = np.concatenate([np.tile([0.0, 1.0], 50), [40.0], np.tile([0.0, 1.0], 50)])
    series = [
        Series("trained", values, real=[(100, 101)], train=(0, 60)),
        Series("whole", values, real=[(100, 101)]),
        Series("short", values[:5]),
    ]
    windowed = {"python": "rangewise.detectors:ZScore", "windows": 10, "label": "windowed"}
    results = rw.bench.run(rw.bench.Experiment(name="a", detectors=["z-score", windowed], series=series), workers=1)
    rows = {(row["detector"], row["series"]): row for row in results.rows()}
    assert rows["z-score", "trained"]["message"] == ""
    assert rows["z-score", "whole"]["message"] == "fitted on all rows, without labels"
    assert rows["z-score", "trained"]["recall"] == 1.0
    assert rows["windowed", "short"]["status"] == "skipped"
    assert "5 points, fewer than the window's 10" in rows["windowed", "short"]["message"]
    assert results.without_anomalies() == 1
    assert any("without an anomaly" in note for note in results.leaderboard(resamples=10).notes)


def test_repeats_have_their_own_seeds_and_are_summed():
    results = rw.bench.run(make_experiment(detectors=["random"], repeats=3), workers=1)
    rows = results.rows()
    assert len(rows) == 6
    assert len({row["seed"] for row in rows}) == 6
    assert results.scores().values.shape == (2, 1)


def test_interrupt_keeps_finished_runs(tmp_path):
    path = tmp_path / "small.rwbench"

    def interrupt(state):
        if state.done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rw.bench.run(make_experiment(), store=path, workers=2, progress=interrupt)
    assert rw.bench.read(path).counts()["waiting"] == 5
    assert stable_rows(rw.bench.run(make_experiment(), store=path, workers=2)) == stable_rows(rw.bench.run(make_experiment(), workers=2))


def test_killed_drivers_and_workers_lose_nothing(tmp_path):
    """Few rounds here; run kill_rounds.py for more."""
    toml = write_experiment(tmp_path, series=5, pause=0.1)
    chance = random.Random(5)
    kills, _, lost, finished = kill_drivers(tmp_path, toml, 2, chance)
    assert (kills, lost) == (2, 0)
    assert finished >= 1
    assert kill_workers(toml, 2, chance)[0] == 2


def test_digest_detects_a_changed_row(store):
    results = rw.bench.read(store)
    before = digest(results)
    with Store.writing(store, "small") as opened, opened.transaction() as write:
        write.execute("UPDATE score SET real_ranges = real_ranges + 1 WHERE real_reward != '0'")
    assert digest(rw.bench.read(store)) != before


def test_ignored_rows_do_not_count(store, tmp_path):
    """Scores are those of the clipped ranges; results stored without ignored intervals stay valid."""
    (tmp_path / "ignored.csv").write_text("start,end\n100,180\n260,300\n")
    metrics = ["early", "point_fbeta", "auc_roc", "range_average_precision"]
    ignoring = make_experiment(detectors=["z-score"], metrics=metrics, ignore=tmp_path / "ignored.csv")
    assert len(remaining_jobs(ignoring, store)) == 2
    assert len(remaining_jobs(make_experiment(), store)) == 0
    results = rw.bench.run(ignoring, store=tmp_path / "ignoring.rwbench", workers=1)
    plain = rw.bench.run(make_experiment(detectors=["z-score"], metrics=metrics), store=tmp_path / "plain.rwbench", workers=1)
    ignored = rw.Ranges([(100, 180), (260, 300)])
    assert results.counts() == {"ok": 2}
    clippings = [without(rw.Ranges(list(planned.real)), ignored)[2] for planned in make_plan(make_experiment(detectors=["z-score"])).series]
    counts = {name: sum(getattr(each, name) for each in clippings) for name in ("shortened", "removed", "split")}
    assert results.ignored == {"series": 2, "rows": 240, **counts}
    assert plain.ignored == {}
    assert f"240 rows of 2 series; real ranges: {counts['shortened']} shortened" in ignored_line(results.ignored)
    for planned in make_plan(make_experiment(detectors=["z-score"])).series:
        kept = plain.prediction("z-score", planned.name)
        values = {row["metric"]: row["value"] for row in results.rows() if row["series"] == planned.name}
        real, predicted = rw.Ranges(list(planned.real)), rw.Ranges(kept.ranges)
        assert values["early"] == rw.RangeModel(recall_bias="front").score(real, predicted, ignore=ignored).f
        clipped = without(real, ignored)[0], without(predicted, ignored)[0]
        assert values["point_fbeta"] == point_fbeta(*clipped)
        assert values["auc_roc"] == auc_roc(real, kept.scores, ignore=ignored)
        assert values["range_average_precision"] == range_average_precision(real, kept.scores, ignore=ignored)


def test_rejects_ignored_intervals_of_all_rows_or_unknown_series(tmp_path):
    (tmp_path / "ignored.csv").write_text("start,end\n0,400\n")
    with pytest.raises(ValueError, match="the ignored intervals cover all 400 rows"):
        make_plan(make_experiment(ignore=tmp_path / "ignored.csv"))
    (tmp_path / "ignored.csv").write_text("series,start,end\nother,0,400\n")
    with pytest.raises(ValueError, match="names 'other', which is not one of the 2 series"):
        make_plan(make_experiment(ignore=tmp_path / "ignored.csv"))


def test_labels_to_ignore_are_one_per_row_of_every_series(tmp_path):
    """All rows of a series, of which a run may score only some."""
    planned = make_plan(make_experiment()).series[0]
    labels = [0] * planned.points
    labels[-7:-2] = [1] * 5
    (tmp_path / "labels.txt").write_text("".join(f"{label}\n" for label in labels))
    (tmp_path / "ignored.csv").write_text(f"start,end\n{planned.points - 7},{planned.points - 2}\n")
    as_labels, as_rows = (make_plan(make_experiment(ignore=tmp_path / name)) for name in ("labels.txt", "ignored.csv"))
    assert [each.ignored for each in as_labels.series] == [each.ignored for each in as_rows.series]
    assert as_labels.ignored["rows"] == 10
    (tmp_path / "labels.txt").write_text("0\n1\n")
    message = rf"labels.txt has 2 labels, but series {planned.name} has {planned.points} points; give one label per point"
    with pytest.raises(ValueError, match=message):
        make_plan(make_experiment(ignore=tmp_path / "labels.txt"))
