"""The kernel's own 128-bit numbers, for compilers without them, compared with those of a compiler that has them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
COMPILER = shutil.which(os.environ.get("CXX", "c++"))


@pytest.mark.skipif(COMPILER is None, reason="needs a C++ compiler")
def test_two_words_are_128_bits(tmp_path):
    program = tmp_path / "wide"
    sources = ["-I", HERE.parents[1] / "cpp", HERE / "wide.cpp"]
    subprocess.run([COMPILER, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *sources, "-o", program], check=True)
    process = subprocess.run([program], capture_output=True, text=True)
    assert process.returncode == 0, process.stdout
    assert int(process.stdout) == 10 * 200_000
