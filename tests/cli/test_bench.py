"""``rangewise bench``: exit codes, one-line errors, and the output of each command."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rangewise import cli

BENCH_TESTS = Path(__file__).parent.parent / "bench"
_TOML = """
name = "small"
baselines = false
[limits]
seconds = 60
[[detector]]
name = "z-score"
[[detector]]
python = "faulty:{faulty}"
[[series]]
generate = {{ length = 400, seed = [1, 2] }}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "faulty.py").write_bytes((BENCH_TESTS / "faulty.py").read_bytes())
    return tmp_path


def write_experiment(folder, faulty="Good", name="exp.toml"):
    path = folder / name
    path.write_text(_TOML.format(faulty=faulty))
    return str(path)


def test_run_status_report_and_export(folder, capsys):
    path = write_experiment(folder)
    assert cli.run(["bench", "check", path]) == 0
    out = capsys.readouterr().out
    assert "2 detectors x 2 series = 4 runs" in out
    assert "workers, extrapolated from the shortest series" in out
    assert cli.run(["bench", "run", path, "--workers", "2"]) == 0
    assert "small.rwbench: 4 ok" in capsys.readouterr().out
    assert cli.run(["bench", "check", path, "--quick"]) == 0
    assert "0 runs are left" in capsys.readouterr().out
    assert cli.run(["bench", "status", "small.rwbench"]) == 0
    assert "4 of 4 runs done: 4 ok" in capsys.readouterr().out
    assert cli.run(["bench", "report", "small.rwbench", "--format", "latex", "--out", "r.tex"]) == 0
    assert "\\toprule" in (folder / "r.tex").read_text()
    assert cli.run(["bench", "report", "small.rwbench", "--html", "r.html", "--pages", "--diagram", "cd.png"]) == 0
    assert (folder / "r.html").is_file()
    assert (folder / "cd.png").is_file()
    assert len(list((folder / "r-series").iterdir())) == 2
    capsys.readouterr()
    assert cli.run(["bench", "report", "small.rwbench"]) == 0
    assert "How stable is the order" in capsys.readouterr().out
    assert cli.run(["bench", "export", "small.rwbench", "rows.csv"]) == 0
    assert "rows.csv: 4 rows" in capsys.readouterr().out
    assert cli.run(["bench", "report", "small.rwbench", "--fail-under", "0.99", "--out", "r.txt", "--junit", "j.xml", "--annotate"]) == 1
    assert 'failures="1"' in (folder / "j.xml").read_text()
    assert "::error title=rangewise bench::" in capsys.readouterr().err
    assert cli.run(["bench", "report", "small.rwbench", "--fail-under", "0", "--out", "r.txt"]) == 2
    assert "r.txt exists; write to another file, or overwrite it with --force" in capsys.readouterr().err
    assert cli.run(["bench", "report", "small.rwbench", "--fail-under", "0", "--out", "r.txt", "--force"]) == 0


def test_failed_runs_exit_with_3_and_can_be_retried(folder, capsys):
    path = write_experiment(folder, "Raises")
    assert cli.run(["bench", "run", path]) == 3
    assert "division of the world by zero" in capsys.readouterr().out
    assert cli.run(["bench", "run", path, "--retry", "error"]) == 3
    assert cli.run(["bench", "run", path, "--retry", "eror"]) == 2
    assert "did you mean 'error'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "none.toml"], "none.toml does not exist"),
        (["run", "exp.toml", "--workers", "0"], "workers is 1 or more"),
        (["run", "exp.toml", "--workers", "2", "--scheduler", "tcp://a:1"], "--workers is for this machine"),
        (["run", "exp.toml", "--store", "no/such/a.rwbench"], "does not exist"),
        (["status", "none.rwbench"], "none.rwbench does not exist"),
        (["status", "exp.toml"], "is not a store of rangewise bench"),
        (["report", "exp.toml", "--format", "pdf"], "--format is one of text, markdown, latex, csv"),
        (["report", "exp.toml", "--pages"], "give --html FILE too"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(folder, capsys, arguments, message):
    write_experiment(folder)
    assert cli.run(["bench", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_missing_scheduler_exits_with_4(folder, capsys, monkeypatch):
    distributed = pytest.importorskip("distributed")

    def refuse(*_, **__):
        raise OSError("Timed out")

    monkeypatch.setattr(distributed, "Client", refuse)
    assert cli.run(["bench", "run", write_experiment(folder), "--scheduler", "tcp://127.0.0.1:9"]) == 4
    assert "no Dask scheduler responds at tcp://127.0.0.1:9" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_interrupt_exits_with_130_and_keeps_finished_runs(folder):
    path = write_experiment(folder, "Loops")
    command = [sys.executable, "-m", "rangewise", "bench", "run", path, "--workers", "2"]
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 60
    while time.monotonic() < end and not _has_rows(folder / "small.rwbench"):
        time.sleep(0.1)
    driver.send_signal(signal.SIGINT)
    _, error = driver.communicate(timeout=60)
    assert driver.returncode == 130
    assert "finished runs are kept in small.rwbench" in error
    assert _has_rows(folder / "small.rwbench")


def _has_rows(store):
    import rangewise as rw

    try:
        return rw.bench.read(store).counts()["ok"] > 0
    except (OSError, ValueError):
        return False
