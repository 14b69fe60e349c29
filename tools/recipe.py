"""``make recipe``: the recipe for conda-forge with the SHA-256 of the sdist in dist/, as build/recipe/recipe.yaml.

The recipe in the repository cannot have it: every commit changes the sdist. rattler-build renders the result, if the package
``py-rattler-build`` is installed; a field that it does not know is an error. It installs nothing and needs no channel.
"""

from __future__ import annotations

import argparse
import hashlib
import re
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECIPE = ROOT / "recipe" / "recipe.yaml"
OUT = ROOT / "build" / "recipe" / "recipe.yaml"
PLACEHOLDER = "0" * 64
# What conda-forge sets for every recipe, for one of its Pythons.
VARIANTS = {"python": ["3.12.* *_cpython"], "cxx_compiler": ["gxx"], "c_stdlib": ["sysroot"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="the folder with the sdist")
    parser.add_argument("--out", type=Path, default=OUT)
    chosen = parser.parse_args()
    sdists = sorted(chosen.dist.glob("*.tar.gz"))
    if len(sdists) != 1:
        raise SystemExit(f"make recipe: expected one sdist in {chosen.dist}, found {len(sdists)}; make wheels writes it")
    text = filled(RECIPE.read_text(), sdists[0])
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(text)
    print(f"{chosen.out}: {rendered(text)}")


def filled(text: str, sdist: Path) -> str:
    """The recipe with the checksum of an sdist of its version."""
    version = re.search(r'^  version: "(.+)"$', text, flags=re.MULTILINE)
    if version is None or sdist.name != f"rangewise-{version[1]}.tar.gz":
        raise SystemExit(f"make recipe: the recipe is for another version than {sdist.name}")
    if text.count(PLACEHOLDER) != 1:
        raise SystemExit("make recipe: the recipe has no placeholder for the checksum")
    return text.replace(PLACEHOLDER, hashlib.sha256(sdist.read_bytes()).hexdigest())


def rendered(text: str) -> str:
    """What rattler-build makes of a recipe, in one line."""
    if find_spec("rattler_build") is None:
        return "not rendered: pip install py-rattler-build"
    from rattler_build import Stage0Recipe, VariantConfig, rattler_build_version

    (variant,) = Stage0Recipe.from_yaml(text).render(VariantConfig(VARIANTS))
    recipe = variant.recipe.to_dict()
    (source,) = recipe["source"]
    package = recipe["package"]
    return f"{package['name']} {package['version']}, sha256 {source['sha256']}, rendered by rattler-build {rattler_build_version()}"


if __name__ == "__main__":
    main()
