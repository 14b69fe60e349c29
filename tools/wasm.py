"""``make wasm``: score and curve of the kernel as a WebAssembly module, build/rangewise.wasm, with zig from the package ``ziglang``."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "build" / "rangewise.wasm"
# As CMakeLists.txt has it, where it matters for the numbers: no multiplication melts into an addition.
FLAGS = ("-target", "wasm32-wasi", "-mexec-model=reactor", "-std=c++20", "-O3", "-ffp-contract=off", "-fno-exceptions", "-s")


def find_zig() -> list[str] | None:
    """How to call zig: the one on the PATH, or that of this Python."""
    if path := shutil.which("zig"):
        return [path]
    return [sys.executable, "-m", "ziglang"] if find_spec("ziglang") else None


def build(out: Path, source: Path = ROOT / "cpp" / "wasm.cpp", flags: tuple[str, ...] = ()) -> None:
    """Compiles the module, or another one of the same headers."""
    zig = find_zig()
    if zig is None:
        raise SystemExit("there is no zig: pip install ziglang")
    out.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([*zig, "c++", *FLAGS, *flags, str(source), "-o", str(out)], check=True)


if __name__ == "__main__":
    build(OUT)
    print(f"{OUT.relative_to(ROOT)}: {OUT.stat().st_size / 1e3:.0f} kB")
