"""No name of docs/released-names.txt is removed without a line in CHANGELOG.md."""

import importlib
import re
from pathlib import Path

import pytest

import rangewise

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def names():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "docs" / "make"))
        yield importlib.import_module("names")


def test_removed_names_are_in_the_changelog(names):
    released = names.RELEASED.read_text(encoding="utf-8")
    missing = names.gone(released, names.promises(), (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert not missing, (
        "removed or renamed: write a line in the newest section of CHANGELOG.md that has the old name in backticks; "
        "before the first upload of a release, `python docs/make/names.py --release` writes the list again"
    )


def test_released_names_belong_to_a_release_in_the_changelog(names):
    version = names.RELEASED.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
    releases = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert releases.index(version) >= releases.index(rangewise.__version__)


def test_every_kind_of_name_is_listed(names):
    promised = names.promises()
    for line in (
        "rangewise.score", "rangewise.score_many(metrics)", "rangewise.Score.alert_rate", "rangewise.metrics.vus_pr",
        "rangewise.bench.Results", "rangewise score", "rangewise bench table --groups", "rangewise convert --check",
        "json score: real[].reward", "json error: error.message",
    ):  # fmt: skip
        assert line in promised


@pytest.mark.parametrize(
    ("changelog", "missing"),
    [
        ("## 1.1.0 (unreleased)\n- `a.old` is `a.new`.\n## 1.0.0 (2026)\n- `gone` is new.\n", ["rw.gone", "json x: y[].key"]),
        ("## 1.1.0 (unreleased)\n- `old`, `rw.gone(x)` and the key `key` are removed.\n## 1.0.0 (2026)\n", []),
        ("## 1.0.0 (2026)\n- `old`, `gone`, `key`\n", ["rw.old", "rw.gone", "json x: y[].key"]),
        ("## 1.1.0 (unreleased)\n- old, gone and key, without backticks.\n## 1.0.0\n", ["rw.old", "rw.gone", "json x: y[].key"]),
    ],
)
def test_finds_removed_names_that_the_changelog_lacks(names, changelog, missing):
    released = "# 1.0.0\nrw.kept\nrw.old\nrw.gone\njson x: y[].key\n"
    assert names.gone(released, ["rw.kept", "rw.new"], changelog) == missing
