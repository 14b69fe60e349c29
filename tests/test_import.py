import subprocess
import sys

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
