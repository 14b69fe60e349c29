"""Members of packages that are imported on first use."""

import importlib
import subprocess
import sys

import pytest

PACKAGES = ("rangewise", "rangewise.bench", "rangewise.datasets", "rangewise.metrics")


@pytest.mark.parametrize("name", PACKAGES)
def test_every_public_name_exists_and_is_listed(name):
    package = importlib.import_module(name)
    assert set(package.__all__) <= set(dir(package))
    for member in package.__all__:
        assert getattr(package, member) is getattr(package, member)


@pytest.mark.parametrize("name", PACKAGES)
def test_unknown_name_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'no_such_name'"):
        _ = importlib.import_module(name).no_such_name


def test_importing_metrics_does_not_import_their_descriptions():
    code = "import sys, rangewise.metrics; print([name for name in sys.modules if name.endswith(('properties', 'scenarios'))])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
