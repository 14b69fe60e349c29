"""Which tests reach a line: tests run once under coverage, and every line remembers who came by."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest


class _Named:
    """Tells coverage which test is running, and keeps the names of those that fail."""

    def __init__(self, measured: Any) -> None:
        self._measured = measured
        self.failed: list[str] = []

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._measured.switch_context(item.nodeid)
        yield
        self._measured.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


class Only:
    """Of the tests that are collected those named, in that order."""

    def __init__(self, names: Sequence[str]) -> None:
        self._places = {name: place for place, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted((item for item in items if item.nodeid in self._places), key=lambda item: self._places[item.nodeid])


def record(tree: Path, tests: Sequence[str], target: Path) -> int:
    """Run the tests under coverage of the package in a tree; write for each file the tests of each line. What pytest returned."""
    import coverage

    quiet = ["-q", "-p", "no:cacheprovider", "--no-header", "--tb=short"]
    measured = coverage.Coverage(data_file=None, source=[str(tree / "rangewise")], config_file=False)
    measured.start()
    named = _Named(measured)
    code = pytest.main([*quiet, *tests], plugins=[named])
    measured.stop()
    data = measured.get_data()
    found = {str(Path(path).relative_to(tree.parent)): data.contexts_by_lineno(path) for path in data.measured_files()}
    target.write_text(json.dumps(found))
    # A test that counts memory counts what coverage takes, too: what failed has a second chance without it.
    return int(pytest.main([*quiet, *named.failed]) if named.failed else code)


def statement_lines(source: str, line: int) -> range:
    """The lines of the innermost statement that a line belongs to; of one with a body those of its head."""
    best = range(line, line + 1)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line):
            body = getattr(node, "body", None)
            stop = body[0].lineno if body else (node.end_lineno or line) + 1
            lines = range(node.lineno, max(stop, node.lineno + 1))
            if line in lines:
                best = lines
    return best


def tests_at(reached: dict[str, dict[str, list[str]]], path: str, source: str, line: int) -> list[str] | None:
    """The tests that reach a line of a file; None where it ran before any test did, as when a file is loaded: any test may see it."""
    lines = reached.get(path, {})
    names = {name for number in statement_lines(source, line) for name in lines.get(str(number), [])}
    return None if "" in names else sorted(names)
