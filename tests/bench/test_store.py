"""The store: what it refuses, its errors on full and read-only disks, and that no finished run is lost."""

import os
import sqlite3
import zlib

import numpy as np
import pytest

import rangewise as rw
from rangewise.bench.experiment import Experiment, Limits
from rangewise.bench.store import FORMAT, Store
from rangewise.bench.work import Outcome, Prediction


def small(name="small", **changes):
    series = [{"generate": {"length": 300, "seed": [1, 2]}}]
    return Experiment(**{"name": name, "detectors": ["z-score", "random"], "series": series, "baselines": False, **changes})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.rwbench"


def test_refuses_a_store_of_another_experiment(path):
    Store.writing(path, "one").close()
    with pytest.raises(ValueError, match="the store of the experiment 'one', not of 'two'"):
        Store.writing(path, "two")
    Store.writing(path, "one").close()


@pytest.mark.parametrize(("version", "message"), [(FORMAT + 1, "of a newer rangewise"), (FORMAT - 1, "of an older rangewise")])
def test_refuses_stores_of_other_formats(version, message, path):
    Store.writing(path, "one").close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    for open_store in (lambda: Store.writing(path, "one"), lambda: Store.reading(path)):
        with pytest.raises(ValueError, match=message):
            open_store()


def test_refuses_other_files(tmp_path):
    text = tmp_path / "text.rwbench"
    text.write_text("not a database, but long enough to be read as the head of one: " * 20)
    with pytest.raises(ValueError, match="not a store of rangewise bench"):
        Store.reading(text)
    other = tmp_path / "other.db"
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE a (b)")
    connection.close()
    with pytest.raises(ValueError, match="not a store of rangewise bench"):
        Store.writing(other, "one")
    with pytest.raises(FileNotFoundError, match="bench run"):
        Store.reading(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match="does not exist"):
        Store.writing(tmp_path / "no" / "a.rwbench", "one")
    with pytest.raises(IsADirectoryError, match="one file"):
        Store.writing(tmp_path, "one")


def test_refuses_a_second_writer_under_another_name(path, tmp_path):
    for folder in ("linked", "deeper"):
        (tmp_path / folder).mkdir()
    link, linked_folder = tmp_path / "linked" / "other.rwbench", tmp_path / "deeper" / "folder"
    link.symlink_to(path)
    linked_folder.symlink_to(tmp_path)
    with Store.writing(path, "one"):
        for other in (link, linked_folder / path.name):
            with pytest.raises(ValueError, match="another run is writing"):
                Store.writing(other, "one")
    with Store.writing(link, "one"), pytest.raises(ValueError, match="another run is writing"):
        Store.writing(path, "one")
    (tmp_path / "hard.rwbench").hardlink_to(path)
    with pytest.raises(ValueError, match="several names"):
        Store.writing(path, "one")


def test_does_not_follow_a_planted_lock_file(path, tmp_path):
    (tmp_path / "a.rwbench-lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError, match="-lock: "):
        Store.writing(path, "one")
    (tmp_path / "a.rwbench-lock").unlink()
    os.mkfifo(tmp_path / "a.rwbench-lock")
    Store.writing(path, "one").close()
    assert not (tmp_path / "elsewhere").exists()


def test_refuses_two_writers_but_allows_a_reader(path):
    with Store.writing(path, "one"):
        with pytest.raises(ValueError, match="another run is writing"):
            Store.writing(path, "one")
        Store.reading(path).close()
    Store.writing(path, "one").close()
    assert sorted(each.name for each in path.parent.iterdir()) == ["a.rwbench"]


def test_read_only_disk_gives_a_clear_error(path, monkeypatch):
    Store.writing(path, "one").close()

    class ReadOnly(sqlite3.Connection):
        def execute(self, sql, *values):
            if sql.startswith("BEGIN IMMEDIATE"):
                raise sqlite3.OperationalError("attempt to write a readonly database")
            return super().execute(sql, *values)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: connect(*args, **options, factory=ReadOnly))
    with pytest.raises(PermissionError, match="cannot be written: its disk or folder is read-only"):
        Store.writing(path, "one")


def test_full_disk_keeps_finished_runs(path, monkeypatch):
    first = rw.bench.run(small(), store=path, workers=1)
    before = first.rows()
    first.close()
    connect = sqlite3.connect

    def connect_with_one_free_page(*args, **options):
        connection = connect(*args, **options)
        if not options.get("uri"):
            connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0] + 1}")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connect_with_one_free_page)
    larger = small(series=[{"generate": {"length": 3000, "seed": [1, 2, 3, 4]}}])
    with pytest.raises(OSError, match="full; finished runs are kept"):
        rw.bench.run(larger, store=path, workers=1)
    monkeypatch.undo()
    again = rw.bench.run(small(), store=path, workers=1)
    assert again.rows() == before


def test_predictions_round_trip_bit_for_bit(path):
    random = np.random.default_rng(1)
    with Store.writing(path, "one") as store:
        for number, scores in enumerate((random.random(5_000), np.zeros(5_000), np.array([]), np.array([np.inf, -0.0, 1e-310]))):
            ranges = np.array([[1, 5], [7, 2**61]], dtype=np.int64)
            store.add(str(number), Outcome(str(number), "ok", prediction=Prediction(ranges, scores, 0.5)), {}, Limits(), keep_scores=True)
            prediction = store.prediction(str(number))
            assert prediction.scores.tobytes() == scores.tobytes()
            assert prediction.ranges.tolist() == ranges.tolist()
        assert store.prediction("none") is None


def test_compressible_scores_are_compressed(path):
    with Store.writing(path, "one") as store:
        outcome = Outcome("a", "ok", prediction=Prediction(np.empty((0, 2), dtype=np.int64), np.zeros(100_000), None))
        store.add("a", outcome, {}, Limits(), keep_scores=True)
        blob = store.rows("SELECT scores FROM prediction")[0][0]
    assert len(blob) < 8_000
    assert len(zlib.decompress(blob[1:])) == 800_000
