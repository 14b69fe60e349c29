"""Files that somebody else made: whatever they hold, reading them changes nothing on disk, runs nothing and exhausts nothing.

`SECURITY.md` lists the promises; each test here holds one of them.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.examples import FIXTURES

from rangewise.cli import run


def tree(folder):
    """Every name below a folder with its kind, its bytes and its time."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[str(path.relative_to(folder))] = (status.st_mode, status.st_mtime_ns, content)
    return found


@pytest.fixture
def strangers(tmp_path, monkeypatch):
    """A folder from somebody else, inside a home with a file that matters, and the working directory."""
    (tmp_path / ".bashrc").write_text("precious")
    folder = tmp_path / "downloads" / "theirs"
    folder.mkdir(parents=True)
    for name in ("labels.txt", "series.csv"):
        (folder / name).write_bytes((FIXTURES / name).read_bytes())
    (folder / "payload").write_text("echo owned")
    (folder / "payload.txt").write_text("0\n1\n")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    "journal",
    [
        [["payload", "../../.bashrc"]],
        [["payload", "HOME/.bashrc"]],
        [["../../.bashrc", "stolen"]],
        [["payload", "labels.txt"]],
        "[" * 100_000,
        "FIFO",
    ],
    ids=["relative", "absolute", "stolen", "own", "deep", "pipe"],
)
def test_a_journal_beside_a_file_is_not_obeyed(strangers, tmp_path, journal):
    place = strangers / ".labels.txt.journal"
    if journal == "FIFO":
        os.mkfifo(place)
    else:
        text = journal if isinstance(journal, str) else json.dumps(journal)
        place.write_text(text.replace("HOME", str(tmp_path)))
    before = tree(tmp_path)
    assert run(["score", "labels.txt", "labels.txt"]) == 0
    assert tree(tmp_path) == before
    assert run(["convert", "payload.txt", "labels.txt", "--to", "labels", "--force"]) == 0
    after = tree(tmp_path)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed == {"downloads/theirs", "downloads/theirs/labels.txt"}


MEMORY = 1 << 30
LIMIT = 12 << 30
"""Of the address space of a child: what would go beyond ends there, and not the machine."""


def child(words, folder):
    """Run a command in a process of its own: exit code, what it says, and the most memory that it held."""
    code = (
        "import resource, sys\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({LIMIT}, {LIMIT}))\n"
        "from rangewise.cli import run\n"
        "code = run(sys.argv[1:])\n"
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10\n"
        "print('\\npeak', peak, file=sys.stderr)\n"
        "sys.exit(code)"
    )
    environment = os.environ | {"POLARS_MAX_THREADS": "2", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=environment
    )
    said, found, peak = done.stderr.rpartition("\npeak ")
    assert found, f"the process died: {done.returncode}, {done.stderr[-500:]}"
    return done.returncode, said, int(peak)


@pytest.fixture(scope="module")
def small_files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    subprocess.run([sys.executable, str(Path(__file__).with_name("hostile.py")), str(folder)], check=True)
    (folder / "series.csv").write_bytes((FIXTURES / "series.csv").read_bytes())
    return folder


@pytest.fixture(scope="module")
def usual(small_files):
    """The memory of a command that reads a table of a few rows."""
    return child(["detect", "series.csv", "--detector", "moving-z-score", "--out", "-"], small_files)[2]


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("convert labels.parquet - --to ranges --column label", 2, "rows would take"),
        ("curve labels.parquet labels.parquet --column label", 2, "rows would take"),
        ("score labels.parquet labels.parquet --column label --metric point_adjust_fbeta", 2, "rows would take"),
        ("score labels.parquet labels.parquet", 0, ""),
        ("score ones.parquet pieces.parquet", 2, "others overlap would take"),
        ("score table.parquet --series s --real real --predicted predicted", 0, ""),
        ("score table.parquet --series s --real real --predicted predicted --close-gaps 3", 0, ""),
        ("curve table.parquet --series s --real real --scores predicted", 2, "rows would take"),
        ("score series.parquet --series s --real real --predicted predicted", 2, "series would take"),
        ("classes texts.parquet texts.parquet", 2, "would take"),
        ("score packed.csv --series s --real real --predicted predicted", 2, "is compressed"),
        ("curve packed.csv --series s --real real --scores predicted", 2, "is compressed"),
        ("score packed.csv packed.csv", 2, ""),
        ("score columns.csv columns.csv", 2, "10000001 columns; expected at most"),
        ("score columns.csv --series s --real real --predicted predicted", 2, "columns; expected at most"),
        ("score short.csv short.csv --column a", 2, "the first line names 10001 columns"),
        *((f"detect series.csv --load {name}.safetensors --out o.csv", 2, name) for name in ("layers", "threads", "sections", "channels")),
    ],
)
def test_a_small_file_takes_little_memory(small_files, usual, command, code, said):
    returned, complaint, peak = child(command.split(), small_files)
    held = sum((small_files / word).stat().st_size for word in command.split() if (small_files / word).is_file())
    assert (returned, said in complaint) == (code, True), complaint
    assert len(complaint.splitlines()) == (1 if code else 0)
    assert peak < usual + held + MEMORY
