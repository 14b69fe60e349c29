"""Do the tests notice when the code is wrong? ``make mutants`` breaks it in one small place at a time and counts what goes red.

A mutant is one change: an operator or a comparison swapped, a number off by one, a condition turned round, a ``raise`` left out. A mutant
of Python runs against the tests that reach its line (``tools/reached.py``), those of its file first, up to the first failure; one that
no test reaches survives. A fixed seed draws the same sample again. Headers of the kernel are compiled without optimization, once a mutant,
and run against all tests of the kernel; what does not compile is not counted.

    python tools/mutants.py --python 170 --cpp 40 --seed 1
    python tools/mutants.py --only src/rangewise/curve.py --python 1000 --cpp 0
    python tools/mutants.py --again what-it-printed.txt    # only those that survived, after tests were added

Left out, because no test of results can or should see it: text of messages, annotations, flags that change no result (``strict=`` of
``zip``, ``copy=``, ``repr=`` and ``kw_only=`` of fields), and what only changes the speed (prefetching, alignment, growth of buffers, the
sizes of blocks).
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from reached import Only, record, tests_at

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "mutants"
PYTHON_FILES = ("src/rangewise/model/*.py", "src/rangewise/curve.py", "src/rangewise/stream.py", "src/rangewise/metrics/**/*.py")
CPP_FILES = ("cpp/*.hpp",)
# A processor's seconds for one mutant: a loop that never ends is a mutant that is noticed.
CPU_SECONDS, WALL_SECONDS, MEMORY = 300, 3600, 6 << 30
Reached = dict[str, dict[str, list[str]]]  # of each file and line, the tests that reach it


@dataclass(frozen=True)
class Mutant:
    path: str
    line: int
    before: str
    after: str
    source: str  # the whole file, changed

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {' '.join(self.before.split())}  ->  {' '.join(self.after.split())}"


COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
CALCULATED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.LShift: ast.RShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.Pow: ast.Mult,
}  # fmt: skip


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """The node, each time with one thing changed."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARED:
            yield ast.Compare(node.left, [COMPARED[type(op)]()], node.comparators)
        case ast.BinOp(op=op) if type(op) in CALCULATED:
            yield ast.BinOp(node.left, CALCULATED[type(op)](), node.right)
        case ast.BoolOp(op=op):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.UnaryOp(op=ast.USub()):
            yield node.operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield ast.Constant(value + 1)
        case ast.IfExp():
            yield ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        case ast.Raise():
            yield ast.Pass()
        case ast.Call(func=ast.Name(id="min" | "max" as name)) | ast.Call(func=ast.Attribute(attr="minimum" | "maximum" as name)):
            swapped = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}[name]
            func = ast.Name(swapped) if isinstance(node.func, ast.Name) else ast.Attribute(node.func.value, swapped)
            yield ast.Call(func, node.args, node.keywords)
        case _:
            return


FLAGS = {"strict", "copy", "repr", "kw_only"}


def worth(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes whose change a test should see: no annotations, no messages, no flags, nothing for type checkers only."""
    if isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom)) or (isinstance(node, ast.keyword) and node.arg in FLAGS):
        return
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    yield node
    if isinstance(node, ast.Raise):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from worth(child)


def python_mutants(path: str) -> Iterator[Mutant]:
    text = (ROOT / path).read_text()
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    data = text.encode()
    for node in worth(ast.parse(text)):
        for changed in changes(node):
            begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
            # In brackets, so that the change keeps its place in the expression around it.
            after = ast.unparse(ast.fix_missing_locations(changed))
            after = after if isinstance(changed, ast.Pass) else f"({after})"
            source = (data[:begin] + after.encode() + data[end:]).decode()
            yield Mutant(path, node.lineno, data[begin:end].decode(), after, source)


CPP_CHANGES = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+= ", " -= "), (r" -= ", " += "), (r"\+\+(?=\w)", "--"), (r"(?<=\w)\+\+", "--"),
    (r"std::min\b", "std::max"), (r"std::max\b", "std::min"), (r" & ", " | "), (r" \| ", " & "), (r" << ", " >> "), (r" >> ", " << "),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"), (r"(?<![\w.])0(?![\w.])", "1"), (r"(?<![\w.])1(?![\w.])", "2"), (r"\b0\.0\b", "1.0"),
]  # fmt: skip
# Lines that only change the speed, or that the compiler alone reads.
CPP_PASSED_OVER = re.compile(
    r"^\s*(//|#|template|static_assert|using|struct \w+ \{|class \w+ \{)"
    r"|prefetch|huge_page|alignment|reserve|capacity|edge_group|sorted_digits|block_words|gnu::target|throw "
    r"|reinterpret_cast|__builtin|noexcept"
)


def cpp_mutants(path: str) -> Iterator[Mutant]:
    lines = (ROOT / path).read_text().splitlines(keepends=True)
    for number, line in enumerate(lines):
        if CPP_PASSED_OVER.search(line):
            continue
        code = line.split("//")[0]
        for pattern, after in CPP_CHANGES:
            for found in re.finditer(pattern, code):
                changed = line[: found.start()] + after + line[found.end() :]
                yield Mutant(path, number + 1, line.strip(), changed.strip(), "".join([*lines[:number], changed, *lines[number + 1 :]]))


MODEL_TESTS = (
    "tests/model", "tests/test_stream.py", "tests/test_curve.py", "tests/inputs/test_ignored.py", "tests/inputs/test_clocks.py",
    "tests/inputs/test_scored_ranges.py", "tests/metrics/test_properties.py", "tests/many/test_scoring.py", "tests/many/test_gathered.py",
)  # fmt: skip
METRIC_TESTS = (
    "tests/metrics", "tests/datasets/test_nab.py", "tests/inputs/test_clocks.py", "tests/rankings", "tests/cli/test_compare.py",
    "tests/cli/test_baselines.py", "tests/cli/test_metrics.py",
)  # fmt: skip
KERNEL_TESTS = (
    "tests/test_kernel.py", "tests/model", "tests/test_curve.py", "tests/inputs/test_ranges.py",
    "tests/metrics", "tests/many", "tests/classes",
    "tests/training",
)  # fmt: skip


def tests_of(path: str) -> list[str]:
    """The test file of the same name first, then the neighbors'; of a Python file."""
    inner = Path(path).relative_to("src/rangewise")
    own = Path("tests") / inner.parent / f"test_{inner.stem}.py"
    around = METRIC_TESTS if inner.parts[0] == "metrics" else MODEL_TESTS
    if (ROOT / own).exists():
        return [str(own), *around]
    # A file without a test of its name has a line in the README of its folder of tests that says which file tests it.
    lines = "\n".join(readme.read_text() for readme in (ROOT / own.parent).glob("README.md"))
    named = re.search(rf"^- `{re.escape(inner.name)}`: `(.+)`$", lines, flags=re.MULTILINE)
    return [f"tests/{named[1]}", *around] if named else [*around]


def run_tests(tree: Path, log: Path, tests: Callable[[], int], seconds: int = CPU_SECONDS) -> str:
    """``survived``, or what noticed the mutant. In a child: what it imports is the mutant's."""
    child = os.fork()
    if child == 0:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        output = os.open(log, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
        os.dup2(output, 1)
        os.dup2(output, 2)
        code = 1
        try:
            sys.path.insert(0, str(tree))
            sys.dont_write_bytecode = True
            code = tests()
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    begin = time.monotonic()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        if time.monotonic() - begin > WALL_SECONDS:
            os.killpg(child, signal.SIGKILL)
        time.sleep(0.05)
    if os.WIFSIGNALED(status):
        return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return "survived" if os.WEXITSTATUS(status) == 0 else "killed"


QUIET = ("-x", "-q", "-p", "no:cacheprovider", "--no-header", "--tb=line")


def _until_one_fails(steps: Iterable[tuple[Sequence[str], Sequence[object]]]) -> int:
    """Steps of arguments and plug-ins of pytest, up to the first that fails."""
    for arguments, plugins in steps:
        code = pytest.main([*QUIET, *arguments], plugins=[*plugins])
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            return int(code)
    return 0


def kernel_tests() -> int:
    # A kernel without optimization is slow: of the neighbors, those that reach it.
    nearest, *around = KERNEL_TESTS
    return _until_one_fails([([nearest], ()), (["-m", "kernel", *around], ())])


def python_tests(mutant: Mutant, reached: Reached) -> int:
    """The tests of the mutant's file first, then its docstrings, then all others that reach the line."""
    nearest, *around = tests_of(mutant.path)
    module = ".".join(Path(mutant.path).relative_to("src").with_suffix("").parts).removesuffix(".__init__")
    docstrings = ["--pyargs", module, "--doctest-modules"]
    names = tests_at(reached, mutant.path, (ROOT / mutant.path).read_text(), mutant.line)
    if names is None:
        return _until_one_fails([([nearest], ()), (docstrings, ()), (around, ())])
    own = [name for name in names if name.startswith(nearest)]
    others = [name for name in names if not name.startswith(nearest)]
    steps = [([*{name.partition("::")[0]: None for name in group}], [Only(group)]) for group in (own, others) if group]
    steps.insert(1 if own else 0, (docstrings, ()))
    return _until_one_fails(steps)


class Trees:
    """A copy of the package, and of the kernel with a build of its own, in which one file at a time is wrong."""

    def __init__(self, name: str, *, compiles: bool) -> None:
        self.folder = WORK / name
        self.tree, self.cpp = self.folder / "src", self.folder / "cpp"
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(ROOT / "src" / "rangewise", self.tree / "rangewise", ignore=shutil.ignore_patterns("__pycache__", "_kernel*.so"))
        if not compiles:
            installed = Path(sysconfig.get_path("platlib")) / "rangewise"
            for kernel in installed.glob("_kernel*.so"):
                shutil.copy(kernel, self.tree / "rangewise")
            return
        shutil.copytree(ROOT / "cpp", self.cpp)
        shutil.copy(ROOT / "CMakeLists.txt", self.folder)
        text = (self.folder / "CMakeLists.txt").read_text()
        (self.folder / "CMakeLists.txt").write_text(text.replace("PRIVATE -O3", "PRIVATE -O0"))
        for portable in (True, False):
            if not self.compile(portable=portable):
                raise SystemExit(f"the kernel does not compile as it is; see the output of the compiler in {self.folder / 'compiler.log'}")

    def compile(self, *, portable: bool) -> bool:
        build = self.folder / ("portable" if portable else "cmake")
        if not build.exists():
            settings = ["-DCMAKE_BUILD_TYPE=Debug", f"-DPython_EXECUTABLE={sys.executable}", "-DCMAKE_CXX_FLAGS=-w"]
            settings.append(f"-DRANGEWISE_PORTABLE={'ON' if portable else 'OFF'}")
            subprocess.run(["cmake", "-G", "Ninja", "-S", self.folder, "-B", build, *settings], check=True, stdout=subprocess.DEVNULL)
        with open(self.folder / "compiler.log", "w") as log:
            if subprocess.run(["ninja", "-C", build], stdout=log, stderr=log).returncode:
                return False
        for made in build.glob("_kernel*.so"):
            # A new file, not new bytes in the old one: a child that still runs has it mapped.
            shutil.copy(made, self.folder / "made.so")
            os.replace(self.folder / "made.so", self.tree / "rangewise" / made.name)
        return True

    def try_out(self, mutant: Mutant, reached: Reached) -> str:
        target = self.folder / mutant.path
        original = target.read_text()
        target.write_text(mutant.source)
        try:
            log = self.folder / "pytest.log"
            if not mutant.path.startswith("cpp/"):
                return run_tests(self.tree, log, partial(python_tests, mutant, reached))
            # What survives as this compiler builds it may be what others build: `make portable` is a test, too.
            outcome = "does not compile"
            for portable in (False, True):
                if self.compile(portable=portable):
                    outcome = run_tests(self.tree, log, kernel_tests)
                if outcome != "survived":
                    break
            return outcome
        finally:
            target.write_text(original)


def sample(kind: str, count: int, only: str | None, seed: int) -> list[Mutant]:
    patterns, make = (PYTHON_FILES, python_mutants) if kind == "python" else (CPP_FILES, cpp_mutants)
    paths = sorted({str(path.relative_to(ROOT)) for pattern in patterns for path in ROOT.glob(pattern)})
    found = [mutant for path in paths if only is None or only in path for mutant in make(path)]
    random.Random(seed).shuffle(found)
    # Some of the kernel's mutants do not compile: more are drawn than asked for, and the rest stays unused.
    return found[:count] if kind == "python" else found[: 2 * count]


def survivors_of(log: Path, kind: str) -> list[Mutant]:
    """The mutants that a log says survived: the same change in the same file, nearest to where it was."""
    found = []
    for path, line, change in re.findall(r"^survived +(\S+?):(\d+): (.*)$", log.read_text(), flags=re.MULTILINE):
        if path.startswith("cpp/") == (kind == "cpp"):
            make = cpp_mutants if kind == "cpp" else python_mutants
            same = [mutant for mutant in make(path) if str(mutant).endswith(f": {change}")]
            found += sorted(same, key=lambda mutant: abs(mutant.line - int(line)))[:1]
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--python", type=int, default=170, help="mutants of Python files")
    options.add_argument("--cpp", type=int, default=40, help="mutants of the kernel's headers")
    options.add_argument("--only", help="only files whose path contains this")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--again", type=Path, help="only the mutants that this output of an earlier run says survived")
    options.add_argument("--minutes", type=float, default=1e9, help="stop after so long, and report what was done")
    asked = options.parse_args()
    os.chdir(ROOT)
    os.environ |= {"HYPOTHESIS_PROFILE": "quick", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    for name in ("narwhals.stable.v2", "numpy", "sklearn.metrics"):
        importlib.import_module(name)  # what every child would import, once

    trees = Trees(f"python-{asked.python}-cpp-{asked.cpp}-seed-{asked.seed}", compiles=asked.cpp > 0)
    log, target = trees.folder / "pytest.log", trees.folder / "reached.json"
    clean = partial(record, trees.tree, sorted({*MODEL_TESTS, *METRIC_TESTS}), target) if asked.python else kernel_tests
    if (found := run_tests(trees.tree, log, clean, seconds=10 * CPU_SECONDS)) != "survived":
        raise SystemExit(f"the tests do not pass without a mutant ({found}); see {log}")
    reached = json.loads(target.read_text()) if asked.python else {}
    begin, results = time.monotonic(), []
    for kind, count in (("python", asked.python), ("cpp", asked.cpp)):
        counted = 0
        for mutant in survivors_of(asked.again, kind) if asked.again else sample(kind, count, asked.only, asked.seed):
            if counted == count or time.monotonic() - begin > 60 * asked.minutes:
                break
            outcome = trees.try_out(mutant, reached)
            print(f"{outcome:<18} {mutant}", flush=True)
            if outcome != "does not compile":
                results.append((mutant, outcome))
                counted += 1
    survivors = [mutant for mutant, outcome in results if outcome == "survived"]
    killed = len(results) - len(survivors)
    print(f"\n{len(results)} mutants, {killed} killed ({killed / max(1, len(results)):.1%}), {len(survivors)} survived")
    for mutant in survivors:
        print(f"  {mutant}")
    return 0 if killed >= 0.9 * len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
