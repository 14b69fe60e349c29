import pytest

from rangewise.cli import demo, run


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_prints_a_leaderboard_and_writes_pages_and_pictures(folder, capsys):
    assert run(["demo"]) == 0
    out, error = capsys.readouterr()
    for name in (
        "lstm-ad",
        "greenhouse",
        "nearest-window",
        "sub-pca",
        "luminol-default",
        "luminol-bitmap",
        "z-score",
        "moving-z-score",
        "random",
        "constant",
        "moving-std",
        "seasonal-difference",
        "best range",
        "worst range",
    ):
        assert name in out
    assert "16/16 value" in error
    created = folder / "rangewise-demo"
    assert sorted(path.name for path in created.iterdir()) == ["curve.png", "report.html", "scores.png", "series.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in created.glob("*.png"))
    assert "Page: rangewise-demo/report.html" in out
    assert "rangewise-demo/scores.png" in out.replace("\n", "")


def test_never_overwrites_without_force(folder, capsys):
    (folder / "rangewise-demo").mkdir()
    assert demo._new_folder(None, False).name == "rangewise-demo-2"
    own_folder = folder / "mine"
    own_folder.mkdir()
    (own_folder / "notes.txt").write_text("keep")
    assert run(["demo", "--out", "mine"]) == 2
    assert "mine is not empty; give another folder, or use it with --force" in capsys.readouterr().err
    assert run(["demo", "--out", "mine/notes.txt"]) == 2
    assert "is a file" in capsys.readouterr().err
    assert run(["demo", "--out", "mine", "--force"]) == 0
    assert (own_folder / "notes.txt").read_text() == "keep"
    assert run(["demo", "--seed", "-1"]) == 2
