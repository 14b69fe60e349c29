import hashlib

import pytest

from rangewise.cli import run
from rangewise.datasets import location


def ask(capsys, *arguments):
    code = run(list(arguments))
    return code, *capsys.readouterr()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    # Nothing answers there, and nobody waits for it.
    monkeypatch.setattr(location, "RAW_FILES", "http://127.0.0.1:9")
    return tmp_path


def test_path(folder, capsys):
    assert ask(capsys, "data", "path") == (0, f"{folder}\n", "")
    assert ask(capsys, "data", "path", "nab/a.csv") == (0, f"{folder / 'nab' / 'a.csv'}\n", "")
    assert ask(capsys, "data", "path", "../a.csv")[0] == 2


def test_list(folder, capsys):
    assert "list" in ask(capsys, "data")[1]
    code, out, _ = ask(capsys, "data", "list")
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
    lines = [line.split() for line in ask(capsys, "data", "list", "discords")[1].splitlines()]
    assert lines[1][-1] == "yes"
    assert lines[2][-1] == "no"
    assert " ".join(lines[5][-3:]) == "no: not public"
    assert len(ask(capsys, "data", "list", "nab/data/realTweets")[1].splitlines()) == 11


@pytest.mark.parametrize("name", ["nothing", "nab/data/realTweet", "../x", "/etc"])
def test_unknown_names(folder, capsys, name):
    for command in ("list", "get"):
        code, _, error = ask(capsys, "data", command, name)
        assert (code, error.count("\n")) == (2, 1)


def test_get_without_a_network_says_what_to_do(folder, capsys):
    code, _, error = ask(capsys, "data", "get", "discords/TEK14.txt")
    assert code == 2
    assert "get it from http://127.0.0.1:9/chickenbestlover/" in error
    assert f"put it at {folder / 'discords' / 'TEK14.txt'}" in error


def test_get_leaves_what_is_intact_and_says_what_is_not_public(folder, capsys, monkeypatch):
    names = ("discords/TEK14.txt", "discords/labels.json")
    here, derived = (location.DataFile(name, 3, hashlib.sha256(b"abc").hexdigest(), None) for name in names)
    monkeypatch.setattr("rangewise.cli.data.registry", lambda: {here.name: here, derived.name: derived})
    (folder / "discords").mkdir()
    (folder / here.name).write_text("abc")
    code, out, _ = ask(capsys, "data", "get", "discords")
    assert code == 0
    assert out == f"0 downloaded, 1 already local and intact; 1 are neither public nor local: {folder}\n"
    code, _, error = ask(capsys, "data", "get", derived.name)
    assert code == 2
    assert "not published" in error
