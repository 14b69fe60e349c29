"""Text fits the terminal, wraps at words and has colors with a meaning; data is printed unchanged."""

import io
import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rangewise import bench
from rangewise.bench.experiment import Experiment
from rangewise.cli import errors, run
from rangewise.cli.printing import UNKNOWN_WIDTH, echo, terminal_width
from rangewise.tables import display_width, text_width, wrapped

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "alerts"
WIDTHS = (50, 80, 132)
ALERTS = [str(EXAMPLES / "incidents.csv"), str(EXAMPLES / "alerts.json")]


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder_path = tmp_path_factory.mktemp("files")
    real = "0" * 20 + "1" * 20 + "0" * 40 + "1" * 30 + "0" * 40
    for name, text in {
        "real": real,
        "isolation-forest": real.replace("1111", "1011"),
        "matrix-profile": "0" * 22 + "1" * 3 + "0" * 5 + "11" + "0" * 18 + "11" + "0" * 98,
        "long-short-term-memory": "0" * 15 + "1" * 110 + "0" * 25,
    }.items():
        (folder_path / name).write_text("\n".join(text))
    (folder_path / "scores").write_text("\n".join(f"{0.3 + 0.4 * int(label) + 0.01 * (row % 7)}" for row, label in enumerate(real)))
    (folder_path / "answers").write_text("1\n2\n1\n2\n")
    rows = [f"{row % 7 + (9 if row % 50 == 30 else 0)},{int(row % 50 == 30)}" for row in range(200)]
    text = 'name = "made"\n[[detector]]\nname = "z-score"\n[[detector]]\nname = "moving-z-score"\n'
    for number in range(3):
        (folder_path / f"series-{number}.csv").write_text("\n".join(["value,label", *rows[number:]]) + "\n")
        text += f'[[series]]\npath = "series-{number}.csv"\n'
    (folder_path / "made.toml").write_text(text)
    bench.run(Experiment.read(folder_path / "made.toml"), store=folder_path / "made.rwbench", workers=1).close()
    return folder_path


DETECTORS = ["isolation-forest", "matrix-profile", "long-short-term-memory"]
COMMANDS = {
    "score": ["score", "real", "matrix-profile", "--explain"],
    "curve": ["curve", "real", "scores", "--explain"],
    "compare": ["compare", "real", *DETECTORS],
    "ranking": ["ranking", "real", *DETECTORS],
    "advise": ["advise", "--answers", "answers", "--questions", "4"],
    "alerts": ["alerts", *ALERTS, "--by", "alertname", "--lead", "5min", "--warning-window", "2h..1min"],
    "bench": ["bench", "report", "made.rwbench"],
    "status": ["bench", "status", "made.rwbench"],
    "metrics": ["metrics", "vus_pr", "affiliation_fbeta"],
    "tasks": ["metrics", "--for", "page a human"],
    "data": ["data", "list"],
}


def printed(capsys, words, code=0):
    assert run(words) == code
    return capsys.readouterr().out


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_every_line_fits_and_no_word_is_cut(name, width, folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", str(width))
    out = printed(capsys, COMMANDS[name])
    commands = ("rangewise ", "--", "Use it:")  # commands stay on one line
    assert [line for line in out.splitlines() if display_width(line) > width and not line.lstrip().startswith(commands)] == []
    if name in ("compare", "data"):
        return  # they shorten very long names of metrics and repositories
    monkeypatch.setenv("COLUMNS", "1000")
    all_words = set(re.findall(r"\w+", printed(capsys, COMMANDS[name])))
    assert set(re.findall(r"\w+", out)) - {"Left", "out", "to", "fit", "wide", "shows", "all"} <= all_words


def test_wide_shows_the_columns_that_do_not_fit(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    narrow, wide = printed(capsys, COMMANDS["bench"]), printed(capsys, [*COMMANDS["bench"], "--wide"])
    assert "CPU time. --wide shows all." in narrow
    assert not any("CPU time" in line for line in narrow.splitlines() if "detector" in line)
    assert any("CPU time" in line for line in wide.splitlines() if "detector" in line)
    assert "Left out" not in wide
    assert "cardinality  bias" in printed(capsys, [*COMMANDS["ranking"], "--wide"])
    assert run(["ranking", "real", *DETECTORS, "--json", "--wide"]) == 2
    assert "--json is as wide as it needs to be" in capsys.readouterr().err


def test_output_to_a_pipe_is_not_wrapped(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.delenv("COLUMNS", raising=False)
    assert max(map(len, printed(capsys, COMMANDS["ranking"]).splitlines())) > UNKNOWN_WIDTH
    assert json.loads(printed(capsys, ["ranking", "real", *DETECTORS, "--json"]))


@pytest.mark.parametrize("name", ["score", "curve", "alerts", "advise"])
def test_colors_have_a_meaning_and_do_not_change_the_text(name, folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    plain = printed(capsys, COMMANDS[name])
    assert "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    colored = printed(capsys, COMMANDS[name])
    assert re.sub(r"\x1b\[\d+m", "", colored) == plain
    reds, greens = (re.findall(rf"\x1b\[{code}m(.*?)\x1b\[0m", colored) for code in (31, 32))
    assert greens
    assert all(re.search(r"missed|false|!", text) for text in reds)
    assert all(re.search(r"found|is real|=", text) for text in greens)
    assert not any(text.startswith("0 ") for text in reds)
    if name == "advise":
        assert re.search(r"\x1b\[2m#[0-9a-f]{8}\x1b\[0m", colored)
    else:
        assert reds or name == "curve"
    monkeypatch.setenv("NO_COLOR", "1")
    assert printed(capsys, COMMANDS[name]) == plain


def test_data_has_no_colors_and_is_not_wrapped(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("FORCE_COLOR", "1")
    for words in (["score", "real", "matrix-profile", "--explain", "--json"], ["alerts", *ALERTS, "--json"]):
        out = printed(capsys, words)
        assert out.count("\n") == 1
        assert "\x1b" not in out
        json.loads(out)


def test_error_is_red_and_wrapped_only_in_a_terminal(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "60")
    words = ["score", "real", "matrix-profile", "--metric", "vus_rp"]
    assert run(words) == 2
    line = capsys.readouterr().err
    assert (line.count("\n"), "\x1b" in line) == (1, False)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    errors.print_error("expected a file of scores, one number per line, with as many lines as the file of labels has; got 3")
    first, *others = terminal.getvalue().splitlines()
    assert first.startswith("\x1b[31m\x1b[1mrangewise:\x1b[0m expected")
    assert others
    assert all(line.startswith("  ") and len(line) <= 60 for line in others)


def test_terminal_width(monkeypatch):
    for given_columns, expected in (("100", 100), ("10", 40), ("0", UNKNOWN_WIDTH), ("many", UNKNOWN_WIDTH), ("", UNKNOWN_WIDTH)):
        monkeypatch.setenv("COLUMNS", given_columns)
        monkeypatch.setattr("os.get_terminal_size", lambda stream: (_ for _ in ()).throw(OSError))
        assert terminal_width() == expected


def test_wrapped_value_is_indented_to_its_label(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    with text_width(40):
        echo("under alert  a value that is a little longer than the line\n  an item that is a little longer than the line")
        echo("rangewise score REAL PREDICTED --a-command-that-is-to-be-copied")
    assert capsys.readouterr().out.splitlines() == [
        "under alert  a value that is a little",
        "             longer than the line",
        "  an item that is a little longer than",
        "    the line",
        "rangewise score REAL PREDICTED --a-command-that-is-to-be-copied",
    ]


@given(st.lists(st.text("ab漢%[],1 ", min_size=1, max_size=30)), st.integers(8, 60), st.sampled_from(["", "x ", "ab  "]))
def test_wrapping_keeps_every_character_and_fits(parts, width, prefix):
    text = " ".join(parts)
    lines = wrapped(text, width, first=prefix)
    assert all(display_width(line) <= width for line in lines)
    assert "".join("".join(lines).split()) in ("".join((prefix + text).split()), "")
    if all(display_width(word) <= width // 2 for word in re.findall(r"\[[^][\s]+ [^][\s]+\]\S*|\S+(?: %\S*)?", text)):
        assert " ".join(" ".join(lines).split()) in (" ".join((prefix + text).split()), "")
