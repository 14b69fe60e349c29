"""The tutorials that are notebooks too, made from their pages: ``python docs/make/notebooks.py``. The tests compare and run them."""

import doctest
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "tutorials"
NOTEBOOKS = ("first_score", "paper_table")
_FENCE = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def main() -> None:
    for name in NOTEBOOKS:
        (FOLDER / f"{name}.ipynb").write_text(notebook_text(name), encoding="utf-8")


def notebook_text(name: str) -> str:
    """The notebook of a page: its text, and its examples as cells without output."""
    page = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    cells = [_cell(kind, text, number) for number, (kind, text) in enumerate(_parts(page))]
    about = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
    return json.dumps({"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False) + "\n"


def _parts(page: str) -> Iterator[tuple[str, str]]:
    for number, part in enumerate(_FENCE.split(page)):
        if number % 2:
            yield "code", "".join(example.source for example in doctest.DocTestParser().get_examples(part)).rstrip("\n")
        elif part.strip():
            # A notebook is opened anywhere: links to pages and pictures of the site would lead nowhere.
            text = re.sub(r"^!\[[^\]]*\]\([^)]*\)\n*", "", part.strip(), flags=re.MULTILINE)
            yield "markdown", re.sub(r"\[([^\]]+)\]\((?!http)[^)]+\)", r"\1", text)


def _cell(kind: str, text: str, number: int) -> dict[str, Any]:
    cell: dict[str, Any] = {"cell_type": kind, "id": f"part-{number}", "metadata": {}, "source": text.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


if __name__ == "__main__":
    main()
