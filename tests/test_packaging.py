"""Names and numbers of a release that several files must agree on. Nothing is built here; ``make wheels`` does that."""

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from tools import recipe as conda
from tools import wheels
from tools.description import absolute, dynamic_metadata
from tools.wheels import Version

import rangewise

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
EXTRAS = {name: packages for name, packages in PROJECT["optional-dependencies"].items() if name != "all"}
REPOSITORY = PROJECT["urls"]["Repository"]


def citation(key):
    return re.search(rf"^{key}: *(.+)$", (ROOT / "CITATION.cff").read_text(), flags=re.MULTILINE)[1]


def package_name(requirement):
    return re.match(r"[\w-]+", requirement)[0]


def test_version_is_the_same_everywhere():
    assert citation("version") == rangewise.__version__
    releases = re.findall(r"^## (\d\S*) (?!\(unreleased\))", (ROOT / "CHANGELOG.md").read_text(), flags=re.MULTILINE)
    assert releases[0] == rangewise.__version__
    assert releases == sorted(releases, key=lambda release: [int(part) for part in release.split(".")], reverse=True)


def test_repository_url_is_the_same_everywhere():
    assert citation("repository-code") == REPOSITORY
    assert all(url.startswith(REPOSITORY) for name, url in PROJECT["urls"].items() if name != "Paper")


def test_links_of_the_description_lead_to_existing_files():
    text = absolute((ROOT / "README.md").read_text(), REPOSITORY, "v0")
    targets = re.findall(r"(!?)\[[^\]]*\]\(([^)\s]+)\)", text)
    assert all("://" in target for _, target in targets)
    repository_links = [(picture, target.removeprefix(REPOSITORY)) for picture, target in targets if target.startswith(REPOSITORY)]
    assert len(repository_links) > 20
    for picture, target in repository_links:
        start = "/raw/v0/" if picture else "/blob/v0/"
        assert target.startswith(start)
        assert (ROOT / target.removeprefix(start).partition("#")[0]).exists(), target


def test_description_installs_the_package_by_name(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = dynamic_metadata("readme", {}, {"urls": PROJECT["urls"], "version": rangewise.__version__})["text"]
    installs = [line.partition("#")[0].split() for line in text.splitlines() if line.startswith("pip install")]
    assert installs == [["pip", "install", "rangewise"], ["pip", "install", "'rangewise[files,plots,report]'"]]
    assert "not on PyPI" not in text
    assert f"You need Python {PROJECT['requires-python'].removeprefix('>=')} or later." in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](docs/a.md#b)", "[a](https://x/blob/v1/docs/a.md#b)"),
        ("![a](docs/a.png)", "![a](https://x/raw/v1/docs/a.png)"),
        ("[a](https://b.org) [c](#d)", "[a](https://b.org) [c](#d)"),
    ],
)
def test_relative_links_become_absolute(text, expected):
    assert absolute(text, "https://x", "v1") == expected


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_package_of_an_extra_is_used(extra):
    sources = "\n".join(path.read_text() for path in (ROOT / "src").rglob("*.py"))
    for package in map(package_name, EXTRAS[extra]):
        assert re.search(rf"^\s*(import|from) {package}\b", sources, flags=re.MULTILINE), f"{package} ({extra}) is imported nowhere"


def test_all_has_every_extra():
    (everything,) = PROJECT["optional-dependencies"]["all"]
    assert set(re.search(r"\[(.+)\]", everything)[1].split(",")) == set(EXTRAS)


def test_installed_requirements_match_pyproject():
    try:
        installed = requires("rangewise") or []
    except PackageNotFoundError:
        pytest.skip("rangewise is not installed here")
    assert {package_name(line) for line in installed if "extra ==" not in line} == {package_name(line) for line in PROJECT["dependencies"]}


def test_wheels_are_built_for_the_same_pythons_everywhere():
    oldest = int(re.fullmatch(r">=3\.(\d+)", PROJECT["requires-python"])[1])
    stable = int(re.fullmatch(r"cp3(\d+)", PYPROJECT["tool"]["scikit-build"]["wheel"]["py-api"])[1])
    assert (wheels.MINORS[0], wheels.STABLE_SINCE) == (oldest, stable)
    assert PYPROJECT["tool"]["cibuildwheel"]["build"] == [f"cp3{minor}-*" for minor in range(oldest, stable + 1)]
    assert wheels.builders([Version(11), Version(12), Version(13)]) == [Version(11), Version(12)]
    both = [Version(minor, free_threaded) for minor in (13, 14) for free_threaded in (False, True)]
    assert list(map(str, wheels.builders(both))) == ["3.13", "3.13t", "3.14t"]
    classifiers = {f"Programming Language :: Python :: 3.{minor}" for minor in range(oldest, stable + 1)}
    assert classifiers <= set(PROJECT["classifiers"])


def test_finds_this_python():
    assert wheels.found_pythons([sys.executable]) == {Version(sys.version_info.minor, "t" in sys.abiflags): Path(sys.executable)}
    with pytest.raises(SystemExit, match=r"no CPython 3\.11 or later"):
        wheels.found_pythons(["/bin/true"])


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_workflows_call_existing_make_targets(workflow):
    targets = set(re.findall(r"^([\w-]+(?: [\w-]+)*):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    known = {target for line in targets for target in line.split()}
    called = re.findall(r"run: make ([\w-]+)", workflow.read_text())
    assert called
    assert set(called) <= known


def test_conda_recipe_matches_pyproject():
    yaml = pytest.importorskip("yaml", reason="needs PyYAML, which the extra dask installs")
    recipe = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text())
    assert recipe["context"]["version"] == rangewise.__version__
    run = {line.replace(" ", "") for line in recipe["requirements"]["run"]}
    assert run == {f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]}
    assert {line.replace(" ", "") for line in recipe["requirements"]["host"]} >= set(PYPROJECT["build-system"]["requires"])
    (entry,) = recipe["build"]["python"]["entry_points"]
    assert entry == f"rangewise = {PROJECT['scripts']['rangewise']}"
    assert recipe["about"]["license"] == PROJECT["license"]
    assert recipe["about"]["repository"] == REPOSITORY
    assert recipe["source"]["url"].endswith("/rangewise-${{ version }}.tar.gz")


def test_conda_recipe_gets_the_checksum_of_the_sdist(tmp_path):
    sdist = tmp_path / f"rangewise-{rangewise.__version__}.tar.gz"
    sdist.write_bytes(b"abc")
    template = conda.RECIPE.read_text()
    text = conda.filled(template, sdist)
    # FIPS 180-2 has this digest.
    assert 'sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"' in text
    for wrong, name in ((template, "rangewise-9.9.tar.gz"), (text, sdist.name)):
        with pytest.raises(SystemExit, match="make recipe"):
            conda.filled(wrong, tmp_path / name)


def test_rattler_build_renders_the_recipe():
    pytest.importorskip("rattler_build", reason="needs py-rattler-build")
    assert conda.rendered(conda.RECIPE.read_text()).startswith(f"rangewise {rangewise.__version__}, sha256 {conda.PLACEHOLDER}")
