"""The tutorials are short, and their notebooks are made from them and run."""

import importlib.util
import json
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = DOCS / "tutorials"
# The line that reaches the goal of each tutorial.
GOALS = {
    "first_score": "print(score)",
    "threshold": "curve.best(",
    "paper_table": "print(table)",
    "alerts": "print(summary)",
    "backtest": "result.best.rule",
    "review": "print(result",
}


def load_script(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / "make" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


NOTEBOOKS = load_script("notebooks").NOTEBOOKS


def test_every_tutorial_has_a_goal_and_is_in_the_index():
    names = {path.stem for path in PAGES.glob("*.md")} - {"index"}
    assert names == set(GOALS)
    index = (PAGES / "index.md").read_text()
    assert all(f"({name}.md)" in index for name in names)


@pytest.mark.parametrize(("name", "goal"), GOALS.items())
def test_tutorial_is_short_and_reaches_its_goal_in_ten_lines(name, goal):
    text = (PAGES / f"{name}.md").read_text()
    code_lines = re.findall(r"^(?:>>>|\.\.\.) (.*)", text, re.MULTILINE)
    assert next(number for number, line in enumerate(code_lines, start=1) if goal in line) <= 10
    # The output of commands does not count as reading.
    reading = re.sub(r"^```console$.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    assert len(reading.split()) < 700


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_are_current(name):
    made = load_script("notebooks").notebook_text(name)
    assert (PAGES / f"{name}.ipynb").read_text(encoding="utf-8") == made, "run docs/make/notebooks.py"


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_run(name, capsys):
    cells = json.loads((PAGES / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    names = {"__name__": "__main__"}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    printed = [line for line in capsys.readouterr().out.splitlines() if line]
    assert printed
    assert set(printed) <= set((PAGES / f"{name}.md").read_text().splitlines())


@pytest.mark.parametrize("name", GOALS)
def test_plotted_names_are_defined_in_the_examples(name):
    text = (PAGES / f"{name}.md").read_text()
    plotted = set(re.findall(r"`(\w+)\.plot\(", text))
    picture_script = (DOCS / "make" / "tutorial_pictures.py").read_text()
    plotted |= set(re.findall(rf'_names\("{name}"\)\["(\w+)"\]', picture_script))
    assert [each for each in plotted if f">>> {each} = " not in text and f", {each} = " not in text] == []
