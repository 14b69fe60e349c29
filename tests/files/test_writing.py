"""Writes are atomic: a reader sees a complete file or none, and existing data is not lost."""

import os
import signal
import stat
import subprocess
import sys

import pytest

from rangewise.files.source import Source
from rangewise.files.writing import _prefix_of, written_together, written_whole


def write(target, text):
    with written_whole(target) as part:
        part.write_text(text)


def file_names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_follows_links_and_keeps_permissions(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_writes_to_devices_and_pipes(tmp_path):
    before = os.stat("/dev/null")
    write("/dev/null", "nothing")
    assert os.stat("/dev/null").st_rdev == before.st_rdev
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE)
    write(pipe, "through")
    assert reader.communicate(timeout=10)[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_writes_to_standard_output():
    code = "from rangewise.files.writing import written_whole\nwith written_whole('/dev/stdout') as part: part.write_text('seen')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"seen"


def test_errors_change_no_file(tmp_path):
    (tmp_path / "a").write_text("old")
    with pytest.raises(ZeroDivisionError), written_together(tmp_path / "a", tmp_path / "b") as (one, other):  # noqa: PT012
        one.write_text("new")
        other.write_text("new")
        _ = 1 / 0
    assert (file_names(tmp_path), (tmp_path / "a").read_text()) == (["a"], "old")


def test_next_write_removes_parts_of_a_killed_process(tmp_path):
    code = (
        "import os, signal, sys\nfrom rangewise.files.writing import written_whole\n"
        "with written_whole(sys.argv[1]) as part:\n    part.write_text('half')\n    os.kill(os.getpid(), signal.SIGKILL)"
    )
    target = tmp_path / "kept.txt"
    target.write_text("old")
    assert subprocess.run([sys.executable, "-c", code, str(target)], check=False).returncode == -signal.SIGKILL
    assert len(file_names(tmp_path)) == 2
    assert target.read_text() == "old"
    write(target, "new")
    assert (file_names(tmp_path), target.read_text()) == (["kept.txt"], "new")


@pytest.mark.parametrize("renames", [0, 1])
def test_kill_between_two_renames_leaves_no_mixture(tmp_path, renames):
    """The process is killed after none or one of two renames. An old file is never left beside a new one."""
    code = (
        "import os, signal, sys\nfrom rangewise.files import writing\nreplace, done = os.replace, []\n"
        "def counted(part, place):\n"
        f"    if len(done) == {renames}: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    done.append(place)\n    replace(part, place)\n"
        "writing.os.replace = counted\n"
        "with writing.written_together(*sys.argv[1:]) as parts:\n    [part.write_text('new') for part in parts]"
    )
    data, recipe = tmp_path / "s.csv", tmp_path / "s.csv.recipe.json"
    for path in (data, recipe):
        path.write_text("old")
    assert subprocess.run([sys.executable, "-c", code, str(data), str(recipe)], check=False).returncode == -signal.SIGKILL
    assert data.read_text() == ("new" if renames else "old")
    assert not recipe.exists()
    with written_together(data, recipe) as parts:
        for part in parts:
            part.write_text("newer")
    assert file_names(tmp_path) == ["s.csv", "s.csv.recipe.json"]


def test_keeps_leftovers_without_a_valid_process_id(tmp_path):
    target = tmp_path / "a"
    leftovers = [f"{_prefix_of(target)}{number}-0.part" for number in ("9" * 30, "\u00b2", "")]
    for name in leftovers:
        (tmp_path / name).write_text("")
    (tmp_path / f"{_prefix_of(target)}{2**22 + 1}-0.part").mkdir()
    write(target, "new")
    assert set(leftovers) < set(file_names(tmp_path))


@pytest.mark.parametrize(("number", "part", "line"), [(0, 0, 0), (0, 1, 19), (1, 0, 10), (1, 1, 0), (2, 0, 19), (2, 1, 10)])
def test_kill_during_a_write_keeps_the_previous_files(tmp_path, number, part, line):
    """A process that rewrites a series and its recipe is killed after one line of one of them. The previous pair stays complete."""
    code = (
        "import sys\nfrom rangewise.files.writing import written_together\n"
        "for number in range(3):\n"
        "    with written_together(sys.argv[1], sys.argv[2]) as parts:\n"
        "        for index, part in enumerate(parts):\n"
        "            with part.open('w') as file:\n"
        "                for line in range(20):\n"
        "                    file.write(f'{number}\\n'); file.flush()\n"
        f"                    if (number, index, line) == {(number, part, line)}: print('here', flush=True); sys.stdin.read()\n"
    )
    data, recipe = tmp_path / "s.csv", tmp_path / "s.csv.recipe.json"
    for path in (data, recipe):
        path.write_text("start\n" * 20)
    with subprocess.Popen([sys.executable, "-c", code, str(data), str(recipe)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"here\n"
        process.kill()
    assert process.returncode == -signal.SIGKILL
    assert len(file_names(tmp_path)) > 2, "no partial file was left: the kill did not interrupt a write"
    before = "start" if number == 0 else str(number - 1)
    assert [Source(path).text.splitlines() for path in (data, recipe)] == [[before] * 20] * 2
