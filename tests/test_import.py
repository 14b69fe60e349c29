import importlib
import pkgutil
import subprocess
import sys

import pytest

import rangewise

HEAVY = ("torch", "polars", "matplotlib", "pandas", "pyarrow", "narwhals", "typer", "rich", "sklearn", "dask", "jinja2")


def test_import_loads_nothing_heavier_than_numpy():
    code = "import sys, rangewise as rw; rw.score([0, 1], [1, 1]); print([name for name in sys.argv[1:] if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_everything_named_is_there():
    import rangewise as rw

    assert [name for name in rw.__all__ if not hasattr(rw, name)] == []
    assert set(rw.__all__) <= set(dir(rw))
    assert rw.metrics.METRICS
    assert not hasattr(rw, "nonsense")


@pytest.mark.parametrize("package", [name for _, name, is_package in pkgutil.walk_packages(rangewise.__path__, "rangewise.") if is_package])
def test_every_public_name_of_a_package_is_there(package):
    """Some are loaded only when they are asked for, by the name of a module that may have moved."""
    module = importlib.import_module(package)
    assert all(hasattr(module, name) for name in getattr(module, "__all__", ()))
