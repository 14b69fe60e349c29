import importlib
import pkgutil
import subprocess
import sys

import pytest

import rangewise

ALLOWED_MODULES = {
    "import rangewise as rw; rw.score([0, 1], [1, 1])": (
        "numpy numpy.typing dataclasses copy atexit __future__",
        "rangewise.checks rangewise.inputs rangewise.interrupts rangewise.kernel rangewise._kernel rangewise.later rangewise.model "
        "rangewise.threads",
    ),
    "from rangewise.cli import run; assert run(['--version']) == 0": (
        "numpy numpy.typing dataclasses copy atexit __future__",
        "rangewise.checks rangewise.cli rangewise.inputs rangewise.interrupts rangewise.kernel rangewise._kernel rangewise.later "
        "rangewise.model rangewise.threads",
    ),
    "from rangewise.cli import run; assert run(['score', sys.argv[1], sys.argv[1]]) == 0": (
        "numpy numpy.typing dataclasses copy atexit __future__ typer csv json gzip glob encodings.utf_8_sig",
        "rangewise.checks rangewise.interrupts rangewise.kernel rangewise._kernel rangewise.inputs rangewise.later rangewise.model "
        "rangewise.threads "
        "rangewise.cli rangewise.cli.cluster rangewise.cli.commands rangewise.cli.errors rangewise.cli.inputs "
        "rangewise.cli.limits rangewise.cli.long_series rangewise.cli.options rangewise.cli.outputs rangewise.cli.parameters "
        "rangewise.cli.printing rangewise.cli.score rangewise.datasets rangewise.datasets.arguments rangewise.datasets.cases "
        "rangewise.files rangewise.number_text rangewise.plots rangewise.plots.figure rangewise.tables",
    ),
}
"""The modules that the most common calls may load: libraries, with whatever these load, and modules of rangewise. Every other module would
slow down each start, so a new entry needs a reason. Modules of the packages in ``WHOLE`` are not listed."""
WHOLE = ("rangewise.inputs.", "rangewise.model.", "rangewise.files.", "typer.", "encodings.")


@pytest.mark.parametrize("call", ALLOWED_MODULES)
def test_common_calls_load_only_what_they_need(call, tmp_path):
    (tmp_path / "labels.txt").write_text("0\n1\n0\n")
    libraries, ours = ALLOWED_MODULES[call]
    code = f"import sys, {', '.join(libraries.split())}; before = set(sys.modules); {call}; print(*sorted(set(sys.modules) - before))"
    completed = subprocess.run([sys.executable, "-c", code, "labels.txt"], capture_output=True, text=True, check=True, cwd=tmp_path)
    loaded = set(completed.stdout.splitlines()[-1].split())
    assert {"rangewise", "rangewise.kernel"} <= loaded
    assert {name for name in loaded if not name.startswith(WHOLE)} - {"rangewise"} <= set(ours.split())


def test_every_public_name_exists():
    import rangewise as rw

    assert [name for name in rw.__all__ if not hasattr(rw, name)] == []
    assert set(rw.__all__) <= set(dir(rw))
    assert rw.metrics.METRICS
    assert not hasattr(rw, "nonsense")


@pytest.mark.parametrize("package", [name for _, name, is_package in pkgutil.walk_packages(rangewise.__path__, "rangewise.") if is_package])
def test_every_public_name_of_a_package_exists(package):
    """Some names are loaded on first use from a module given by name, which may have moved."""
    module = importlib.import_module(package)
    assert all(hasattr(module, name) for name in getattr(module, "__all__", ()))
