"""The kernel's own 128-bit numbers, for compilers that have none, beside those of a compiler that has them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
COMPILER = shutil.which(os.environ.get("CXX", "c++"))


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
def test_two_words_are_128_bits(tmp_path):
    program = tmp_path / "wide"
    sources = ["-I", HERE.parents[1] / "cpp", HERE / "wide.cpp"]
    subprocess.run([COMPILER, "-std=c++20", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *sources, "-o", program], check=True)
    done = subprocess.run([program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert int(done.stdout) == 10 * 200_000
