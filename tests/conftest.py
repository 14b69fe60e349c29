"""Hypothesis profiles, fixtures for golden data, and skips for tools or data that a machine lacks."""

import os
from collections import Counter
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings

from golden import unpack
from machine import TOOLS, required_tools
from rangewise.datasets.location import data_folder, registry

# pytest sets COLUMNS for its workers, and the command line would wrap its output to that width.
os.environ.pop("COLUMNS", None)

# `quick` and `full` draw the same examples in every run; `make explore` draws new ones each time.
for _name, _examples, _derandomize in (("quick", 60, True), ("full", 150, True), ("explore", 1000, False)):
    settings.register_profile(
        _name, max_examples=_examples, derandomize=_derandomize, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# Read before any test sets RANGEWISE_DATA.
DATA = data_folder()


@pytest.fixture(scope="session")
def golden_folder(tmp_path_factory):
    """``tests/data`` in the layout of a data folder: the paper's labels, five NAB series and results of other programs."""
    return unpack(tmp_path_factory.mktemp("golden"))


@pytest.fixture(scope="session")
def nab_data():
    """A data folder with all public NAB files; skips the test if they are missing."""
    return _data_with("nab")


@pytest.fixture(scope="session")
def discord_data():
    """A data folder with all discord series, which have no license and are not in the repository; skips the test if they are missing."""
    return _data_with("discords")


def _data_with(collection):
    public = [file for file in registry().values() if file.collection.folder == collection and file.address is not None]
    if not all((DATA / file.name).is_file() for file in public):
        pytest.skip(f"needs data: `rangewise data get {collection}` fetches it, or RANGEWISE_DATA names a folder that has it")
    return DATA


def pytest_configure():
    required_tools()  # an unknown name stops the run at once


def pytest_collection_modifyitems(items):
    """Skip the examples of ``pyod.md`` without PyOD. The examples of all other pages need no optional package."""
    if find_spec("pyod") is None:
        for item in items:
            if item.path.name == "pyod.md":
                item.add_marker(pytest.mark.skip("needs pyod: `make test-full` installs it"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Skip a test whose tool is missing, or fail it if the tool is required."""
    for name, tool in TOOLS.items():
        if item.get_closest_marker(name) and tool.find() is None:
            (pytest.fail if name in required_tools() else pytest.skip)(tool.reason)


def pytest_terminal_summary(terminalreporter):
    """Print how many tests were skipped for each reason."""
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", ()))
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}")
