import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks import areas, load, memory, peers, quick, training
from benchmarks.__main__ import PARTS, main, measure
from benchmarks.inputs import both_sides, labels
from benchmarks.report import Goal, Section, Table, absent_notes, beside_cell, number_text, page, time_text
from benchmarks.score import PEER_CALLS, PLAIN
from benchmarks.settings import Settings
from benchmarks.timing import Measured, compare, compare_starts

from small_nab import write_nab, write_results


def count_starts(values):
    return int(np.count_nonzero(np.diff(values.astype(int), prepend=0) == 1))


@pytest.mark.parametrize(("points", "ranges"), [(1000, 5), (1000, 500), (50_000, 10), (50_000, 5000)])
def test_labels_have_the_requested_number_of_ranges(points, ranges):
    generated = labels(points, ranges, seed=3)
    assert generated.dtype == np.uint8
    assert len(generated) == points
    assert count_starts(generated) == ranges


def test_labels_are_reproducible():
    assert all(np.array_equal(one, other) for one, other in zip(both_sides(2000), both_sides(2000), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("part", [pytest.param(part, marks=pytest.mark.browser) if part == "page" else part for part in PARTS])
def test_a_quick_run_fills_every_table(part, tmp_path, monkeypatch):
    write_results(write_nab(tmp_path / "nab") / "results" / "numenta")
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    (section,) = measure([part], Settings(quick=True, peers=False))
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert tables
    for table in tables:
        assert table.rows
        assert all(len(row) == len(table.columns) and all(row) for row in table.rows)


def test_page_is_not_measured_without_a_browser(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CHROME", raising=False)
    (section,) = measure(["page"], Settings(quick=True))
    assert "there is no chromium" in section.markdown()


def test_missing_data_is_reported(tmp_path, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    (section,) = measure(["nab"], Settings(quick=True))
    assert "RANGEWISE_DATA" in section.markdown()
    assert section.goals == []


def test_one_part_is_printed_and_writes_no_page(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.__main__.PAGE", tmp_path / "page.md")
    main(["agreement", "--quick", "--no-peers"])
    assert "## The same result?" in capsys.readouterr().out
    assert list(tmp_path.iterdir()) == []


def test_output_is_a_whole_page(tmp_path):
    target = tmp_path / "page.md"
    main(["agreement", "--quick", "--no-peers", "--output", str(target)])
    assert target.read_text(encoding="utf-8").startswith("# Benchmark\n")
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize(
    ("arguments", "message"), [(["scor"], "no part is called 'scor'"), (["--output", "nowhere/page.md"], "does not exist")]
)
def test_rejects_bad_arguments(arguments, message, capsys):
    with pytest.raises(SystemExit) as exit_info:
        main(arguments)
    assert exit_info.value.code == 2
    assert message in capsys.readouterr().err


def test_page_counts_the_goals():
    section = Section("A part", ["Text."], [Goal("fast", "2 x", True), Goal("faster", "3 x", False)])
    text = page([section])
    assert "1 of 2 reached in this run;" in text
    assert "| faster | 3 x | - | **no** |" in text


def test_compare_runs_each_call_in_several_rounds_and_takes_the_median():
    seen = []
    times = compare({"one": lambda: seen.append(1), "two": lambda: seen.append(2)}, seconds=0.003)
    assert set(seen) == {1, 2}
    assert all(len(each.samples) >= 5 for each in times.values())
    assert float(times["one"]) == np.median(times["one"].samples)


def test_slow_call_has_no_separate_warm_up(monkeypatch):
    clock = iter(range(0, 10_000, 100))
    calls = []
    monkeypatch.setattr("benchmarks.timing.time", SimpleNamespace(perf_counter=lambda: next(clock)))
    times = compare({"slow": lambda: calls.append(1)}, seconds=1.0)
    assert len(calls) == len(times["slow"].samples) == 1


def test_every_process_is_started_in_every_round():
    times = compare_starts({"one": ["-c", "pass"], "two": ["-c", "pass"]}, 2)
    assert {len(each.samples) for each in times.values()} == {2}


def test_ratio_compares_samples_of_the_same_round():
    """The second half of the samples was taken at half the speed."""
    ours, other = Measured([1.0, 1.1, 2.0, 2.2]), Measured([2.0, 2.0, 4.0, 4.0])
    assert (ours / other).samples == pytest.approx([0.5, 0.55, 0.5, 0.55])
    assert float(2.0 * ours / other) == pytest.approx(1.05)
    assert (10.0 / ours).samples[0] == 10.0
    assert (other - ours).samples == pytest.approx([1.0, 0.9, 2.0, 1.8])
    assert len((Measured([1.0]) / other).samples) == 1


@pytest.mark.parametrize(
    ("goal", "reached"),
    [
        (Goal.at_most("a", Measured([0.9, 1.1, 1.3]), 1.0), True),
        (Goal.at_most("a", Measured([1.1, 1.2, 1.3]), 1.0), False),
        (Goal.at_most("a", 1.1, 1.0), False),
        (Goal.at_least("a", Measured([0.8, 0.9, 1.1]), 1.0), True),
        (Goal.at_least("a", Measured([0.7, 0.8, 0.9]), 1.0), False),
        (Goal.at_least("a", 0.9, 1.0), False),
    ],
)
def test_a_goal_is_judged_by_the_better_quartile(goal, reached):
    assert goal.reached == reached


def test_a_goal_shows_the_quartiles():
    assert Goal.at_most("a", Measured([1.0, 2.0, 3.0]), 1.0).spread == "1.5 x to 2.5 x"
    assert Goal.at_most("a", 1.0, 1.0).spread == "-"


def test_load_excludes_the_own_process(monkeypatch):
    """In 10 seconds on two cores, other processes used half a core and the host took a tenth of the time."""
    ticks = iter([(0, 0, 0), (700, 200, 2000)])
    seconds, own = iter([0.0, 10.0]), iter([0.0, 2.0])
    monkeypatch.setattr(load, "_ticks", lambda: next(ticks))
    monkeypatch.setattr(load, "_own_seconds", lambda: next(own))
    monkeypatch.setattr(load, "_loop_times", lambda: [1.0, 1.1])
    monkeypatch.setattr(load, "time", SimpleNamespace(perf_counter=lambda: next(seconds)))
    monkeypatch.setattr(load.os, "sysconf", lambda name: 100)
    measured = load.Watch().load()
    assert (measured.others, measured.stolen, measured.unsteady) == (0.5, 0.1, 1.1)
    assert measured.text() == "other processes used 0.5 cores, the host took 10 % of the time"
    loaded = Section("A part", ["Text."], [], measured.text())
    assert "during 1 of 2 parts: A part." in page([loaded, Section("Another", ["Text."])])
    assert "The machine was quiet" in page([Section("Another", ["Text."])])


def test_load_is_estimated_from_loop_times_without_ticks(monkeypatch, tmp_path):
    monkeypatch.setattr(load, "STAT", tmp_path / "nowhere")
    monkeypatch.setattr(load, "_loop_times", lambda: [1.0, 1.0, 2.0, 2.0])
    assert load.Watch().load().text() == "a quarter of the runs of a loop took 2.0 x the fastest or more"


def test_one_slow_loop_is_not_load(monkeypatch, tmp_path):
    monkeypatch.setattr(load, "STAT", tmp_path / "nowhere")
    monkeypatch.setattr(load, "_loop_times", lambda: [1.0] * 14 + [5.0])
    assert load.Watch().load().text() == ""


class TestQuick:
    """`make bench-quick`."""

    def test_every_call_runs(self):
        assert all(call() is not None for call in quick.calls().values())

    def test_second_run_is_compared_with_the_first(self, tmp_path, monkeypatch, capsys):
        monkeypatch.setattr(quick, "calls", lambda: {"a": lambda: None, "b": lambda: None})
        target = tmp_path / "build" / "quick.json"
        quick.main(["--seconds", "0", "--output", str(target)])
        assert "Run it again" in capsys.readouterr().out
        quick.main(["--seconds", "0", "--output", str(target)])
        out = capsys.readouterr().out
        assert "by the other run" in out
        assert {file.name for file in target.parent.iterdir()} == {"quick.json", "quick-before.json"}
        with pytest.raises(SystemExit):
            quick.main(["--against", str(tmp_path / "nowhere.json")])

    def test_call_that_the_other_run_lacks_is_new(self):
        current = {"a": (Measured([1.0]), Measured([2.0])), "b": (Measured([1.0]), Measured([2.0]))}
        previous = {"a": {"median": 4.0, "low": 3.9, "high": 4.1}}
        rows = quick.table(current, previous).rows
        assert rows[0][3:] == ["0.5 x", "0.488 x to 0.513 x", "faster"]
        assert rows[1][3:] == ["new", "", ""]
        assert quick.table(current, previous, quiet=False).rows[0][-1] == ""


@pytest.mark.parametrize(("seconds", "text"), [(2.5e-7, "250 ns"), (0.00013, "130 µs"), (0.0999, "99.9 ms"), (61.0, "61 s"), (0.0, "0 ns")])
def test_time_text(seconds, text):
    assert time_text(seconds) == text


def test_extra_memory_of_a_call(monkeypatch):
    points = 10**6
    extra = memory.extra_bytes("curve", "curve", points)
    assert extra is None or 24 * points < extra < 100 * points  # at least the three arrays of a curve
    monkeypatch.setattr(memory, "STATUS", memory.ROOT / "nowhere")
    assert memory.extra_bytes("curve", "curve", points) is None


def test_numbers_keep_three_digits():
    assert [number_text(value) for value in (159_432.0, 9.999, 1.0, 0.0123456)] == ["159,000", "10", "1", "0.0123"]


# Peers: this environment stands in for the environment of a peer.


def outcomes_of(jobs, monkeypatch, install):
    monkeypatch.setattr(peers.Peer, "install", install)
    monkeypatch.setattr(peers.Peer, "python", sys.executable)
    return peers.measure_peers("score", ["prts"], jobs, Settings(quick=True))["prts"]


def job(points=200):
    real, predicted = both_sides(points)
    return peers.Job({"real": real, "predicted": predicted}, points, PLAIN)


def test_peer_that_cannot_be_installed_is_absent_with_the_reason(monkeypatch):
    def install(peer):
        raise peers.AbsentError("does not install: no such version")

    outcomes = outcomes_of([job(), job(400)], monkeypatch, install)
    assert [outcome.missing for outcome in outcomes] == ["absent"] * 2
    assert absent_notes({"prts": outcomes}) == ["- prts is absent: it does not install: no such version"]


def test_peer_that_fails_reports_its_error(monkeypatch):
    (outcome,) = outcomes_of([job()], monkeypatch, lambda peer: None)
    assert outcome.seconds is None
    assert "prts" in outcome.missing


def test_process_that_exits_early_is_absent(monkeypatch):
    monkeypatch.setattr(peers, "ROOT", peers.ROOT / "tests")  # where there is no driver
    (outcome,) = outcomes_of([job()], monkeypatch, lambda peer: None)
    assert outcome.why_absent.startswith("does not run: ")


def test_stopped_call_gives_a_lower_bound(monkeypatch):
    monkeypatch.setattr(peers._Process, "ask", lambda process, request, limit: None)
    outcomes = outcomes_of([job(), job(400)], monkeypatch, lambda peer: None)
    assert [(outcome.missing, outcome.stopped_after) for outcome in outcomes] == [("over 20 s", 20.0), ("over 20 s", None)]
    assert beside_cell(outcomes[0], 0.001) == "over 20 s (over 20,000 x)"
    assert beside_cell(outcomes[1], 0.001) == "over 20 s"
    size, least = areas.GOALS["VUS"]
    (goal,) = areas._goals("VUS", size, 0.001, None, outcomes[0])
    assert (goal.measured, goal.reached) == ("over 20,000 x", True)
    assert areas._goals("VUS", size, 2 * 20.0 / least, None, outcomes[0]) == [], "a lower bound below the goal decides nothing"


def test_expected_seconds_follow_from_shorter_calls():
    assert peers._expected_seconds([], 10.0) == 0.0
    assert peers._expected_seconds([(10.0, 1.0)], 100.0) == pytest.approx(10.0)
    assert peers._expected_seconds([(10.0, 1.0), (100.0, 100.0)], 1000.0) == pytest.approx(10_000.0)
    assert peers._expected_seconds([(10.0, 1.0), (100.0, 1.0)], 1000.0) == pytest.approx(10.0)


def test_every_peer_has_an_environment():
    assert set(PEER_CALLS) <= set(peers.PEERS)


class TestTraining:
    """The experiment of docs/training.md."""

    def test_quick_run_resumes(self, tmp_path, monkeypatch):
        results = training.run(("sine-0", "seasonal-1"), 1, tmp_path, training.made_parts, quick=True)
        assert list(results) == ["sine-0", "seasonal-1"]
        losses = results["sine-0"][0]["f"]
        assert len(losses) == 4 + 3
        assert all(0 <= f <= 1 for f_by_model in losses.values() for f in f_by_model.values())
        monkeypatch.setattr(training, "one_network", None)
        assert training.run(("sine-0", "seasonal-1"), 1, tmp_path, training.made_parts, quick=True) == results

    @pytest.mark.parametrize(
        ("own", "any_range", "verdict"),
        [
            (0.1, 0.0, "Positive: training for the model helps, and it is the model that helps."),
            (0.0, 0.1, "Negative for the model: a range-based loss helps here, but not because it is the model's own."),
            (0.0, 0.0, "Negative: training for the model does not help on these series."),
        ],
    )
    def test_the_page_begins_with_the_verdict(self, own, any_range, verdict):
        names = (training.CONTROL, *training.OTHERS, *training.MODELS)
        results = {
            f"kpi-{number}": [
                {
                    "seconds": 60.0,
                    "f": {
                        loss: {
                            model: 0.5 + number * 0.001 + own * (loss == model) + any_range * (loss in training.MODELS)
                            for model in training.MODELS
                        }
                        for loss in names
                    },
                }
            ]
            for number in range(20)
        }
        assert verdict in training.page(results).partition("**Protocol**")[0]


@pytest.mark.parametrize("part", PARTS)
def test_a_driver_needs_no_rangewise(part):
    """Drivers run in the environments of other programs, where rangewise is not installed."""
    blocked = f"import sys; sys.modules['rangewise'] = None; import benchmarks.driver, benchmarks.{part}"
    assert subprocess.run([sys.executable, "-c", blocked], cwd=peers.ROOT, capture_output=True, text=True).stderr == ""
