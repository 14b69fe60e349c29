"""Profiles of hypothesis, the data that tests compare with, and the tools and data that a machine may lack."""

import os
from collections import Counter
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, settings

from golden import unpack
from machine import TOOLS, required_tools
from rangewise.datasets.location import data_folder, registry

# Output is wrapped only where somebody says how wide it is; pytest does, for its workers.
os.environ.pop("COLUMNS", None)

# Two runs of one version draw the same examples; `make explore` draws others each time.
for _name, _examples, _fixed in (("quick", 60, True), ("full", 150, True), ("explore", 1000, False)):
    settings.register_profile(
        _name, max_examples=_examples, derandomize=_fixed, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

# Asked for before any test sets RANGEWISE_DATA.
DATA = data_folder()


@pytest.fixture(scope="session")
def golden_folder(tmp_path_factory):
    """``tests/data`` in the layout of a data folder: the paper's labels, five series of NAB, results of other programs. Always there."""
    return unpack(tmp_path_factory.mktemp("golden"))


@pytest.fixture(scope="session")
def nab_data():
    """A data folder with all public files of NAB; tests that need it are skipped where it is absent."""
    return _data_with("nab")


@pytest.fixture(scope="session")
def discord_data():
    """A data folder with all discord series, which have no license that lets us copy them; skips as ``nab_data`` does."""
    return _data_with("discords")


def _data_with(collection):
    public = [file for file in registry().values() if file.collection.folder == collection and file.address is not None]
    if not all((DATA / file.name).is_file() for file in public):
        pytest.skip(f"needs data: `rangewise data get {collection}` fetches it, or RANGEWISE_DATA names a folder that has it")
    return DATA


def pytest_configure():
    required_tools()  # a name that is none of them is an error at once


def pytest_collection_modifyitems(items):
    """The examples on PyOD's page need it; other pages need nothing that is not always installed."""
    if find_spec("pyod") is None:
        for item in items:
            if item.path.name == "pyod.md":
                item.add_marker(pytest.mark.skip("needs pyod: `make test-full` installs it"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """A test marked with a tool is skipped where the tool is absent, or fails where it is required."""
    for name, tool in TOOLS.items():
        if item.get_closest_marker(name) and tool.find() is None:
            (pytest.fail if name in required_tools() else pytest.skip)(tool.absent)


def pytest_terminal_summary(terminalreporter):
    """How many tests were skipped for which reason, and what to do about it."""
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", ()))
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}")
