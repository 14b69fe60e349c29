"""The page about alerts: its files are those in its folder, and its commands print what it says."""

import re
from pathlib import Path

import pytest

from rangewise.cli import run

PAGE = Path(__file__).parents[2] / "docs" / "alerts.md"
EXAMPLES = PAGE.parent / "examples" / "alerts"
COMMANDS = re.findall(r"^```console\n\$ rangewise (.*?)\n(.*?)\n```$", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("command", "printed"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_commands_print_what_the_page_says(command, printed, capsys, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    assert run(command.split()) == 0
    assert capsys.readouterr().out.rstrip() == printed


@pytest.mark.parametrize("name", ["incidents.csv", "alerts.json"])
def test_the_page_shows_its_files(name):
    assert (EXAMPLES / name).read_text().rstrip() in PAGE.read_text()
