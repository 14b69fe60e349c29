"""Closed or full streams, pipes, interrupts and narrow terminals: at most one line, never a traceback."""

import os
import subprocess
import sys

import pytest

FULL = "/dev/full"


def run_program(words, folder, *, closed=(), stdout=subprocess.PIPE, before=(), **environment):
    """Run the command line as a program, with ``closed`` streams and with the folders ``before`` first on the module path."""

    def close():
        for number in closed:
            os.close(number)

    paths = [*map(str, before), *filter(None, sys.path)]
    return subprocess.run(
        [sys.executable, "-m", "rangewise", *words],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False, timeout=120,
        preexec_fn=close if closed else None, env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | environment,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text("0\n1\n1\n0\n")
    (tmp_path / "s.txt").write_text(".1\n.9\n.8\n.2\n")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        (["score", "-", "a.txt"], [0], 2),
        (["score", "a.txt", "a.txt"], [1], 0),
        (["convert", "a.txt", "-", "--to", "labels"], [1], 0),
        (["advise"], [0], 0),
        (["advise"], [1], 0),
        (["score", "a.txt", "none"], [1, 2], 2),
        (["--version"], [0, 1, 2], 0),
    ],
)
def test_closed_streams(folder, words, closed, code):
    completed = run_program(words, folder, closed=closed)
    assert (completed.returncode, len(completed.stderr.splitlines())) == (code, int(code == 2 and 2 not in closed)), completed.stderr


@pytest.mark.skipif(not os.path.exists(FULL), reason="this system has no /dev/full")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["score", "a.txt", "a.txt"]], ids=" ".join)
def test_full_disk(folder, words, unbuffered):
    with open(FULL, "w") as full:
        completed = run_program(words, folder, stdout=full, PYTHONUNBUFFERED=unbuffered)
    assert (completed.returncode, len(completed.stderr.splitlines())) == (2, 1)
    assert "No space left" in completed.stderr


def test_interrupt_while_libraries_load(folder, tmp_path):
    """Libraries of the package itself and of the command line."""
    for module in ("numpy", "typer"):
        module_folder = tmp_path / f"with-{module}"
        module_folder.mkdir()
        (module_folder / f"{module}.py").write_text("raise KeyboardInterrupt\n")
        completed = run_program(["score", "a.txt", "a.txt"], folder, before=[module_folder])
        assert completed.stderr == "rangewise: interrupted\n"
        assert completed.returncode in (130, -2)


@pytest.mark.parametrize("columns", ["0", "1", "10", "many"])
@pytest.mark.parametrize(
    "words", [["--help"], ["metrics"], ["compare", "a.txt", "a.txt"], ["score", "a.txt", "a.txt", "--explain"]], ids=" ".join
)
def test_terminal_of_any_width(folder, columns, words):
    completed = run_program(words, folder, COLUMNS=columns)
    assert (completed.returncode, completed.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_scores_from_a_pipe(folder):
    """A pipe can be read only once, but the report inspects the numbers before it reads them."""
    os.mkfifo(folder / "pipe")
    writer = subprocess.Popen(["cp", "s.txt", "pipe"], cwd=folder)
    completed = run_program(["report", "a.txt", "pipe", "--out", "page.html"], folder)
    writer.wait(timeout=60)
    assert (completed.returncode, completed.stderr) == (0, "")
    assert "pipe scores F1 1.000" in completed.stdout


def test_long_error_is_shortened_in_the_middle(folder, capsys):
    from rangewise.cli import run
    from rangewise.cli.errors import LONGEST

    assert run(["score", "a" * 3_000, str(folder / "a.txt")]) == 2
    line = capsys.readouterr().err
    assert len(line) < LONGEST + 30
    assert run(["score", str(folder / "a.txt"), str(folder / "a.txt"), "--metric", "vus_rp"]) == 2
    line = capsys.readouterr().err
    assert len(line) < LONGEST + 30
    assert "did you mean 'vus_pr'?" in line
    (folder / "wide.csv").write_text(",".join(f"c{n}" for n in range(600)) + "\n" + ",".join("1" * 600) + "\n")
    assert run(["score", str(folder / "wide.csv"), str(folder / "a.txt")]) == 2
    assert "c19 and 580 more; give the column of labels with --real-column" in capsys.readouterr().err


def test_home_folder_of_an_unknown_user(folder):
    completed = run_program(["data", "list"], folder, RANGEWISE_DATA="~nobody-of-that-name/x")
    assert completed.returncode == 2
    assert "RANGEWISE_DATA is '~nobody-of-that-name/x', but there is no such user" in completed.stderr


def test_rejects_threshold_that_overflows(folder, capsys):
    from rangewise.cli import run

    (folder / "v.csv").write_text("value\n" + "\n".join(str(row * 7 % 13) for row in range(50)) + "\n")
    assert run(["detect", str(folder / "v.csv"), "--detector", "z-score", "--threshold", "log-mad:1e6"]) == 2
    assert "overflows for these scores" in capsys.readouterr().err
