import importlib
import pkgutil
import subprocess
import sys

import pytest

import rangewise

MODULES = {
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
"""What the most frequent calls may load: libraries, with what these load themselves, and modules of ours. Everything more is time that
each start of a program takes, so a new entry needs a reason. ``WHOLE`` packages are listed without their modules."""
WHOLE = ("rangewise.inputs.", "rangewise.model.", "rangewise.files.", "typer.", "encodings.")


@pytest.mark.parametrize("call", MODULES)
def test_a_start_loads_only_what_it_needs(call, tmp_path):
    (tmp_path / "labels.txt").write_text("0\n1\n0\n")
    libraries, ours = MODULES[call]
    code = f"import sys, {', '.join(libraries.split())}; before = set(sys.modules); {call}; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code, "labels.txt"], capture_output=True, text=True, check=True, cwd=tmp_path)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert {"rangewise", "rangewise.kernel"} <= loaded
    assert {name for name in loaded if not name.startswith(WHOLE)} - {"rangewise"} <= set(ours.split())


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
