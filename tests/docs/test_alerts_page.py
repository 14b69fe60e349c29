"""The pages about alerts: they show their example files, and their commands print the output that they show."""

import doctest
import re
from pathlib import Path

import pytest

from rangewise.cli import run

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "alerts.md"
EXAMPLES = DOCS / "examples" / "alerts"
PAGES = {PAGE: "alerts", DOCS / "tutorials" / "backtest.md": "backtest", DOCS / "tutorials" / "review.md": "review"}
COMMANDS = [
    (DOCS / "examples" / folder, command, printed)
    for page, folder in PAGES.items()
    for command, printed in re.findall(r"^```console\n\$ rangewise (.*?)\n(.*?)\n```$", page.read_text(), flags=re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize(("folder", "command", "printed"), COMMANDS, ids=[command for _, command, _ in COMMANDS])
def test_commands_print_what_the_page_shows(folder, command, printed, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    assert run(command.split()) == 0
    # An ellipsis stands for lines that the page leaves out.
    assert doctest.OutputChecker().check_output(printed, capsys.readouterr().out.rstrip(), doctest.ELLIPSIS)


@pytest.mark.parametrize("name", ["incidents.csv", "alerts.json"])
def test_page_shows_its_files(name):
    assert (EXAMPLES / name).read_text().rstrip() in PAGE.read_text()
