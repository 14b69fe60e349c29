"""The store: what is refused, what a full or read-only disk says, and that nothing done is lost."""

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


def test_a_store_of_another_experiment_is_refused(path):
    Store.writing(path, "one").close()
    with pytest.raises(ValueError, match="the store of the experiment 'one', not of 'two'"):
        Store.writing(path, "two")
    Store.writing(path, "one").close()


@pytest.mark.parametrize(("version", "message"), [(FORMAT + 1, "of a newer rangewise"), (FORMAT - 1, "of an older rangewise")])
def test_stores_of_other_formats_are_refused(version, message, path):
    Store.writing(path, "one").close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    for opening in (lambda: Store.writing(path, "one"), lambda: Store.reading(path)):
        with pytest.raises(ValueError, match=message):
            opening()


def test_other_files_are_refused(tmp_path):
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


def test_a_second_writer_by_another_name_is_refused(path, tmp_path):
    for folder in ("linked", "deeper"):
        (tmp_path / folder).mkdir()
    link, through = tmp_path / "linked" / "other.rwbench", tmp_path / "deeper" / "folder"
    link.symlink_to(path)
    through.symlink_to(tmp_path)
    with Store.writing(path, "one"):
        for other in (link, through / path.name):
            with pytest.raises(ValueError, match="another run is writing"):
                Store.writing(other, "one")
    with Store.writing(link, "one"), pytest.raises(ValueError, match="another run is writing"):
        Store.writing(path, "one")
    (tmp_path / "hard.rwbench").hardlink_to(path)
    with pytest.raises(ValueError, match="several names"):
        Store.writing(path, "one")


def test_a_lock_that_somebody_laid_out_is_not_followed(path, tmp_path):
    (tmp_path / "a.rwbench-lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PermissionError, match="-lock: "):
        Store.writing(path, "one")
    (tmp_path / "a.rwbench-lock").unlink()
    os.mkfifo(tmp_path / "a.rwbench-lock")
    Store.writing(path, "one").close()
    assert not (tmp_path / "elsewhere").exists()


def test_two_writers_are_refused_and_a_reader_is_not(path):
    with Store.writing(path, "one"):
        with pytest.raises(ValueError, match="another run is writing"):
            Store.writing(path, "one")
        Store.reading(path).close()
    Store.writing(path, "one").close()
    assert sorted(each.name for each in path.parent.iterdir()) == ["a.rwbench"]


def test_a_read_only_disk_is_one_clear_line(path, monkeypatch):
    Store.writing(path, "one").close()

    class ReadOnly(sqlite3.Connection):
        def execute(self, sql, *values):
            if sql.startswith("BEGIN IMMEDIATE"):
                raise sqlite3.OperationalError("attempt to write a readonly database")
            return super().execute(sql, *values)

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **how: connect(*args, **how, factory=ReadOnly))
    with pytest.raises(PermissionError, match="cannot be written: its disk or folder is read-only"):
        Store.writing(path, "one")


def test_a_full_disk_keeps_what_was_done(path, monkeypatch):
    done = rw.bench.run(small(), store=path, workers=1)
    before = done.rows()
    done.close()
    connect = sqlite3.connect

    def full(*args, **how):
        connection = connect(*args, **how)
        if not how.get("uri"):
            connection.execute(f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0] + 1}")
        return connection

    monkeypatch.setattr(sqlite3, "connect", full)
    larger = small(series=[{"generate": {"length": 3000, "seed": [1, 2, 3, 4]}}])
    with pytest.raises(OSError, match="full; finished runs are kept"):
        rw.bench.run(larger, store=path, workers=1)
    monkeypatch.undo()
    again = rw.bench.run(small(), store=path, workers=1)
    assert again.rows() == before


def test_predictions_come_back_bit_for_bit(path):
    random = np.random.default_rng(1)
    with Store.writing(path, "one") as store:
        for number, scores in enumerate((random.random(5_000), np.zeros(5_000), np.array([]), np.array([np.inf, -0.0, 1e-310]))):
            ranges = np.array([[1, 5], [7, 2**61]], dtype=np.int64)
            store.add(str(number), Outcome(str(number), "ok", prediction=Prediction(ranges, scores, 0.5)), {}, Limits(), keep_scores=True)
            found = store.prediction(str(number))
            assert found.scores.tobytes() == scores.tobytes()
            assert found.ranges.tolist() == ranges.tolist()
        assert store.prediction("none") is None


def test_scores_that_compress_are_compressed(path):
    with Store.writing(path, "one") as store:
        outcome = Outcome("a", "ok", prediction=Prediction(np.empty((0, 2), dtype=np.int64), np.zeros(100_000), None))
        store.add("a", outcome, {}, Limits(), keep_scores=True)
        blob = store.rows("SELECT scores FROM prediction")[0][0]
    assert len(blob) < 8_000
    assert len(zlib.decompress(blob[1:])) == 800_000
