import pytest

from examples import FIXTURES
from rangewise.cli import run


def invoke(capsys, *arguments):
    code = run([str(argument) for argument in arguments])
    return code, *capsys.readouterr()


@pytest.mark.parametrize(("name", "begin"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")])
def test_writes_reproducible_pictures(tmp_path, capsys, name, begin):
    arguments = ("plot", FIXTURES / "timeeval.csv", tmp_path / name, "--predicted", FIXTURES / "grafana.json")
    assert invoke(capsys, *arguments) == (0, "", "")
    first = (tmp_path / name).read_bytes()
    assert first.startswith(begin)
    assert invoke(capsys, *arguments, "--force") == (0, "", "")
    assert (tmp_path / name).read_bytes() == first
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_real_ranges_from_another_file(tmp_path, capsys):
    out = tmp_path / "a.svg"
    invoke(capsys, "plot", FIXTURES / "series.csv", out)
    assert "real (0)" in out.read_text()
    assert invoke(capsys, "plot", FIXTURES / "series.csv", out, "--real", FIXTURES / "windows.json", "--force")[0] == 0
    assert "real (2)" in out.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("timeeval.csv a.bmp", "PNG, SVG or PDF"),
        ("labels.txt a.png", "no values to draw"),
        ("missing.csv a.png", "missing.csv does not exist"),
        ("timeeval.csv nowhere/a.png", "the folder nowhere does not exist"),
        ("timeeval.csv a.png --predicted short.txt", "timeeval.csv has 10 labels and short.txt has 2"),
        ("timeeval-integers.csv a.png --predicted grafana.json", "they count rows"),
    ],
)
def test_bad_input_exits_with_2_and_one_line(tmp_path, monkeypatch, capsys, arguments, message):
    for path in FIXTURES.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "short.txt").write_text("0 1")
    monkeypatch.chdir(tmp_path)
    code, out, error = invoke(capsys, "plot", *arguments.split())
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert message in error
    assert not list(tmp_path.glob("*.png"))
