"""``rangewise paper``: the files that it writes and keeps, input that it rejects, and runs without data."""

import csv

import pytest

from rangewise.cli import run
from rangewise.detectors import MovingZScore
from rangewise.paper import part
from rangewise.paper.figures import fig6
from rangewise.paper.study import PARTS
from rangewise.paper.trained import runs as trained

FIGURES = ("fig3", "fig4", "fig5", "fig6")


def invoke(capsys, *arguments):
    code = run(["paper", *(str(argument) for argument in arguments)])
    out, error = capsys.readouterr()
    return code, out, error


@pytest.fixture(autouse=True)
def short_times(monkeypatch):
    """Measure times only roughly, which is faster."""
    monkeypatch.setattr(fig6, "_LEAST_SECONDS", 0.001)


@pytest.fixture
def no_pictures(monkeypatch):
    """Skip drawing, which takes most of the time and is not tested here."""
    monkeypatch.setattr(part, "_write_pictures", lambda draw, base: [])


@pytest.fixture
def data(golden_folder, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path / "nowhere"))


@pytest.fixture
def quick_detectors(monkeypatch):
    created = []
    monkeypatch.setattr(trained, "make_detector", lambda name, dataset, seed: created.append(name) or MovingZScore())
    return created


def rows_of(path):
    with path.open(newline="") as table:
        return list(csv.DictReader(table))


def test_writes_every_part(data, tmp_path, capsys):
    folder = tmp_path / "new" / "paper"
    code, out, error = invoke(capsys, "--out", folder, "--quick")
    assert (code, error) == (0, "")
    assert [line.partition(":")[0] for line in out.splitlines()[:-1]] == list(PARTS)
    for name in FIGURES:
        assert list(rows_of(folder / f"{name}.csv")[0]) == ["panel", "dataset", "detector", "series", "value"]
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (folder / f"{name}.svg").read_text()
    assert list(rows_of(folder / "claims.csv")[0]) == ["claim", "section", "computed", "holds"]
    assert len(rows_of(folder / "claims.csv")) >= 25
    assert [row["scenario"] for row in rows_of(folder / "table2.csv")] == ["Front-Predicted", "Back-Predicted"]
    page = (folder / "paper.md").read_text()
    for name in PARTS:
        assert f"`rangewise paper --figure {name}`" in page
        assert (folder / f"{name}.md").read_text() in page
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_writes_selected_parts(data, tmp_path, capsys):
    code, _, _ = invoke(capsys, "--out", tmp_path, "--figure", "table2", "--figure", "fig5")
    assert code == 0
    names = {"table2.csv", "table2.md", "table2.png", "table2.svg", "fig5.csv", "fig5.md", "fig5.png", "fig5.svg", "paper.md"}
    assert {path.name for path in tmp_path.iterdir()} == names
    code, _, error = invoke(capsys, "--out", tmp_path, "--figure", "fig5")
    assert code == 2
    assert "is not empty" in error
    assert "--force" in error


def test_force_replaces_only_its_own_files(data, no_pictures, tmp_path, capsys):
    (tmp_path / "fig5.csv").write_text("old")
    (tmp_path / "notes.txt").write_text("mine")
    assert invoke(capsys, "--out", tmp_path, "--figure", "fig5")[0] == 2
    assert (tmp_path / "fig5.csv").read_text() == "old"
    assert invoke(capsys, "--out", tmp_path, "--figure", "fig5", "--force")[0] == 0
    assert len(rows_of(tmp_path / "fig5.csv")) == 27
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_parts_that_need_data_are_skipped_without_it(no_data, no_pictures, tmp_path, capsys):
    folder = tmp_path / "out"
    code, out, error = invoke(capsys, "--out", folder, "--quick")
    assert code == 1
    assert [line.partition(":")[0] for line in out.splitlines()[:-1]] == ["table2", "fig6"]
    assert "42 files of paper-labels are missing in" in error
    assert "paper-labels/machine_temp/lstm_ad.real" in error
    assert "rangewise data get paper-labels nab" in error
    assert "skipped: fig3, fig4, fig5, claims" in error
    assert "Figure 3" not in (folder / "fig6.md").read_text()
    assert {path.stem for path in folder.glob("*.csv")} == {"table2", "fig6", "fig6_slopes"}


def test_part_that_needs_no_data(no_data, tmp_path, capsys):
    assert invoke(capsys, "--out", tmp_path / "out", "--figure", "table2")[::2] == (0, "")


def test_trained_resumes(data, no_pictures, quick_detectors, tmp_path, capsys):
    assert invoke(capsys, "--out", tmp_path, "--figure", "table2", "--trained", "--seeds", 1)[0] == 0
    assert len(quick_detectors) == 21
    assert {"trained.csv", "trained.md"} <= {path.name for path in tmp_path.iterdir()}
    before = (tmp_path / "table2.csv").stat().st_mtime_ns
    (tmp_path / "trained" / "sine-lstm_ad-2018.json").unlink()
    code, out, _ = invoke(capsys, "--out", tmp_path, "--figure", "table2", "--figure", "fig5", "--trained", "--seeds", 1)
    assert code == 0
    assert [line.partition(":")[0] for line in out.splitlines()[:-1]] == ["fig5", "trained"]
    assert len(quick_detectors) == 22
    assert (tmp_path / "table2.csv").stat().st_mtime_ns == before
    assert invoke(capsys, "--out", tmp_path, "--figure", "table2", "--trained", "--seeds", 2)[0] == 0
    assert len(quick_detectors) == 40
    assert invoke(capsys, "--out", tmp_path, "--figure", "table2", "--trained", "--force", "--seed", 7, "--seeds", 1)[0] == 0
    assert len(quick_detectors) == 61
    assert len(list((tmp_path / "trained").iterdir())) == 21


def test_trained_without_nab_says_what_is_missing(no_data, no_pictures, quick_detectors, tmp_path, capsys):
    code, _, error = invoke(capsys, "--out", tmp_path / "out", "--figure", "table2", "--trained", "--seeds", 1)
    assert code == 1
    assert len(quick_detectors) == 12
    assert "rangewise data get nab" in error


def test_trained_rejects_a_folder_with_other_files(data, quick_detectors, tmp_path, capsys):
    (tmp_path / "notes.txt").write_text("mine")
    code, _, error = invoke(capsys, "--out", tmp_path, "--trained")
    assert code == 2
    assert "resumes only in a folder of this command" in error
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_interrupt_exits_with_130_and_one_line(data, tmp_path, capsys, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(trained, "run_one", interrupt)
    code, _, error = invoke(capsys, "--out", tmp_path, "--figure", "table2", "--trained")
    assert (code, error) == (130, "rangewise: interrupted\n")
    assert (tmp_path / "table2.csv").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--figure", "fig7"), "--figure is one of fig3, fig4"),
        (("--trained", "--seeds", "0"), "--seeds must be 1 or more; got 0"),
        (("--figure", "fig"), "--figure is one of"),
        (("--seed", "-1", "--trained"), "--seed must be an integer"),
        (("--seed", "5"), "--seed is for --trained"),
        (("--figure", "table2", "--quick"), "neither is requested"),
        (("--out", "{file}"), "is a file"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(no_data, tmp_path, capsys, arguments, message):
    (tmp_path / "file").write_text("")
    default = () if "--out" in arguments else ("--out", tmp_path / "out")
    code, out, error = invoke(capsys, *(argument.format(file=tmp_path / "file") for argument in arguments), *default)
    assert (code, out) == (2, "")
    assert error.startswith("rangewise: ")
    assert error.count("\n") == 1
    assert message in error
