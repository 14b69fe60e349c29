"""Files that somebody else made: whatever they hold, reading them changes nothing on disk, runs nothing and exhausts nothing.

`SECURITY.md` lists the promises; each test here holds one of them.
"""

import json
import os

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
