import hashlib

import pytest

from rangewise.cli import run
from rangewise.datasets import location


def invoke(capsys, *arguments):
    code = run(list(arguments))
    return code, *capsys.readouterr()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    # Nothing listens on this port, so a download fails at once.
    monkeypatch.setattr(location, "RAW_FILES", "http://127.0.0.1:9")
    return tmp_path


def test_path(folder, capsys):
    assert invoke(capsys, "data", "path") == (0, f"{folder}\n", "")
    assert invoke(capsys, "data", "path", "nab/a.csv") == (0, f"{folder / 'nab' / 'a.csv'}\n", "")
    assert invoke(capsys, "data", "path", "../a.csv")[0] == 2


def test_list(folder, capsys):
    assert "list" in invoke(capsys, "data")[1]
    code, out, _ = invoke(capsys, "data", "list")
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines() if "MB" in line] == [
        ["nab", "84", "0"],
        ["paper-labels", "46", "0"],
        ["discords", "6", "0"],
        ["aiops-kpi", "22", "0"],
        ["ucr", "150", "0"],
        ["skab", "36", "0"],
    ]
    (folder / "discords").mkdir()
    (folder / "discords" / "TEK14.txt").write_text("1")
    lines = [line.split() for line in invoke(capsys, "data", "list", "discords")[1].splitlines()]
    assert lines[1][-1] == "yes"
    assert lines[2][-1] == "no"
    assert " ".join(lines[5][-3:]) == "no: not public"
    assert len(invoke(capsys, "data", "list", "nab/data/realTweets")[1].splitlines()) == 11


@pytest.mark.parametrize("name", ["nothing", "nab/data/realTweet", "../x", "/etc"])
def test_rejects_unknown_names(folder, capsys, name):
    for command in ("list", "get"):
        code, _, error = invoke(capsys, "data", command, name)
        assert (code, error.count("\n")) == (2, 1)


def test_get_without_a_network_says_what_to_do(folder, capsys):
    code, _, error = invoke(capsys, "data", "get", "discords/TEK14.txt")
    assert code == 2
    assert "get it from http://127.0.0.1:9/chickenbestlover/" in error
    assert f"put it at {folder / 'discords' / 'TEK14.txt'}" in error


def test_get_keeps_intact_files_and_names_files_that_are_not_public(folder, capsys, monkeypatch):
    names = ("discords/TEK14.txt", "discords/labels.json")
    intact, not_public = (location.DataFile(name, 3, hashlib.sha256(b"abc").hexdigest(), None) for name in names)
    monkeypatch.setattr("rangewise.cli.data.registry", lambda: {intact.name: intact, not_public.name: not_public})
    (folder / "discords").mkdir()
    (folder / intact.name).write_text("abc")
    code, out, _ = invoke(capsys, "data", "get", "discords")
    assert code == 0
    assert out == f"0 downloaded, 1 already local and intact; 1 are neither public nor local: {folder}\n"
    code, _, error = invoke(capsys, "data", "get", not_public.name)
    assert code == 2
    assert "not published" in error
