"""Mutated files through the command line: whatever the bytes, a command ends with a valid exit code and at most one line of error.

``RANGEWISE_FUZZ_INPUTS`` is the number of files. ``RANGEWISE_FUZZ_SEED`` selects them: the same seed gives the same files. ``make test``
tries a few with a fixed seed, ``make fuzz`` many with a new one. A failure names its seed.
"""

import io
import json
import math
import os
import re
import select
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tests.examples import FIXTURES

from rangewise import bench
from rangewise.bench.experiment import Experiment
from rangewise.detectors import MovingZScore, NearestWindow, SubPCA
from rangewise.generate.recipe import Recipe

INPUTS = int(os.environ.get("RANGEWISE_FUZZ_INPUTS", "1500"))
SEED = int(os.environ.get("RANGEWISE_FUZZ_SEED", "0"))
BATCH = 100
# These broke readers before: numbers at the limits of a type, years at the limits of a clock, signs, quotes, brackets.
TOKENS = [
    *(str(sign * (2**bits + more)).encode() for bits in (31, 32, 53, 62, 63, 64) for sign in (1, -1) for more in (-1, 0, 1)),
    *(b"99999999999999999999", b"1" + b"0" * 30, b"1e400", b"-1e400", b"1e308", b"9223372036854.7", b"nan", b"inf", b"-0", b"0_1"),
    *(b"9999-12-31T23:59:59", b"0001-01-01", b"1677-01-01", b"2262-05-01T00:00:00Z", b"+99:99", b"24:00", b"2024-02-30"),
    *(b'"', b"'", b",", b";", b"\t", b"\n", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"[", b"]", b"{", b"}", b"[/x]", b"null", b"true"),
    *(b"[" * 5_000, b'{"a":' * 3_000, b"," * 200, b"\n" * 50, b"9" * 5_000),
]  # fmt: skip
SECONDS, MEMORY, LONGEST = 60, 1 << 30, 1_000
"""Limits of one command: its time, the memory of the whole process in bytes, and the characters of a line of error."""
COMMANDS = [
    ["score", "FILE", "FILE"],
    ["score", "FILE", "labels.txt", "--explain"],
    ["score", "series.csv", "FILE", "--times", "series.csv", "--outside", "drop"],
    ["score", "labels.txt", "labels.txt", "--times", "FILE"],
    ["score", "FILE", "FILE", "--metric", "range_fbeta", "--metric", "affiliation_precision", "--metric", "mean_delay"],
    ["score", "labels.txt", "FILE", "--metric", "auc_pr"],
    ["classes", "FILE", "FILE", "--by", "range"],
    ["classes", "FILE", "labels.txt", "--json", "--by", "metric", "--collar", "1"],
    ["convert", "FILE", "-", "--to", "ranges"],
    ["convert", "FILE", "-", "--to", "labels", "--length", "10"],
    ["convert", "FILE", "-", "--to", "grafana", "--times", "series.csv"],
    ["convert", "FILE", "-", "--to", "label-studio"],
    ["curve", "labels.txt", "FILE"],
    ["curve", "FILE", "labels.txt"],
    ["detect", "FILE", "--detector", "z-score"],
    ["detect", "FILE", "--detector", "luminol-default", "--scores"],
]
TABLE_COMMANDS = [
    ["score", "FILE", "--series", "s", "--real", "r", "--predicted", "p"],
    ["score", "FILE", "--series", "s", "--real", "r", "--predicted", "p", "--times", "t", "--close-gaps", "2", "--json"],
    ["score", "FILE", "--series", "s", "--real", "r", "--predicted", "p", "--ignore", "ignored.csv"],
    ["curve", "FILE", "--series", "s", "--real", "r", "--scores", "x"],
    ["curve", "FILE", "--series", "s", "--real", "r", "--scores", "x", "--times", "t", "--threshold", "0.5"],
]


@dataclass(frozen=True)
class Kind:
    """Files of one kind, by name, and the commands that read them."""

    files: dict[str, bytes]
    commands: list[list[str]]


def _parquet(table):
    content = io.BytesIO()
    table.write_parquet(content)
    return content.getvalue()


def _kinds(folder):
    """Every kind of input file. The other files that the commands read are written to the folder."""
    times = np.datetime64("2024-03-31T00:00:00", "ns") + np.arange(10) * np.timedelta64(1, "h")
    labels = [0, 0, 1, 1, 1, 0, 0, 1, 0, 0]
    series = pl.DataFrame({"timestamp": times, "value": np.sin(np.arange(10)), "label": labels})
    many = pl.DataFrame(
        {"s": [name for name in ("a", "01", "1") for _ in range(10)], "t": np.tile(times, 3), "r": labels * 3, "p": labels[::-1] * 3,
         "x": (np.arange(30) % 7 / 7).tolist()}
    )  # fmt: skip
    scores = pl.DataFrame({"file": list("abcdefgh"), "x": np.arange(8) / 8, "y": [0.5, 0.25, 1, 0, 0.5, 0.5, 0.1, 0.9]})
    anomalies = {path.name: path.read_bytes() for path in sorted(FIXTURES.iterdir())} | {"series.parquet": _parquet(series)}
    toml = (
        'name = "mutated"\nseed = 3\nbaselines = false\n[limits]\nseconds = 60\nmemory = "2 GB"\n[[detector]]\nname = "z-score"\n'
        '[[detector]]\nname = "moving-z-score"\nsettings = { window = [3, 4] }\n[[detector]]\nname = "theirs"\nscores = "{series}.csv"\n'
        'column = "label"\nthreshold = 0.5\n[[series]]\npath = "series.csv"\ntrain = 0.3\n[[metric]]\nname = "vus_pr"\n'
    )
    values = np.sin(np.arange(60.0))
    saved = {}
    for detector in (MovingZScore(window=5), NearestWindow(window=6), SubPCA(window=6)):
        detector.fit(values).save(folder / "saved.safetensors")
        saved[f"{detector.name}.safetensors"] = (folder / "saved.safetensors").read_bytes()
    (folder / "whole.toml").write_text(toml)
    (folder / "ignored.csv").write_text("series,start,end\na,2,4\n01,0,3\n")
    for name, content in anomalies.items():
        (folder / name).write_bytes(content)
    bench.run(Experiment.read(folder / "whole.toml"), store=folder / "whole.rwbench", workers=1).close()
    return [
        Kind(anomalies, COMMANDS),
        Kind({"many.csv": many.write_csv().encode(), "many.parquet": _parquet(many)}, TABLE_COMMANDS),
        Kind({"scores.csv": scores.write_csv().encode(), "scores.parquet": _parquet(scores)}, [["bench", "table", "FILE"]]),
        Kind({"experiment.toml": toml.encode()}, [["bench", "check", "FILE", "--quick", "--store", "whole.rwbench"]]),
        Kind({"recipe.json": Recipe(length=300).to_json().encode()}, [["generate", "made.csv", "--recipe", "FILE", "--force"]]),
        Kind(saved, [["detect", "series.csv", "--load", "FILE", "--scores"]]),
        Kind(
            {"store.rwbench": (folder / "whole.rwbench").read_bytes()},
            [["bench", "status", "FILE"], ["bench", "report", "FILE"], ["bench", "export", "FILE", "export.csv", "--force"],
             ["bench", "manifest", "FILE"]],
        ),
    ]  # fmt: skip


@st.composite
def mutations(draw, content):
    """The content after a few random changes."""
    changed = bytearray(content)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(changed)))
        stop = min(len(changed), start + draw(st.integers(0, 40)))
        kind = draw(st.sampled_from(["flip", "insert", "token", "number", "delete", "cut", "repeat"]))
        if kind == "flip" and start < len(changed):
            changed[start] ^= 1 << draw(st.integers(0, 7))
        elif kind == "insert":
            changed[start:start] = draw(st.binary(max_size=8))
        elif kind == "token":
            changed[start:stop] = draw(st.sampled_from(TOKENS))
        elif kind == "number":
            # Replace a whole number of the file.
            digits = [where for where, byte in enumerate(changed) if chr(byte).isdigit()]
            if digits:
                start = stop = draw(st.sampled_from(digits))
                while stop < len(changed) and chr(changed[stop]).isdigit():
                    stop += 1
                changed[start:stop] = draw(st.sampled_from(TOKENS[:47]))
        elif kind == "delete":
            del changed[start:stop]
        elif kind == "cut":
            del changed[start:]
        elif kind == "repeat":
            changed[start:start] = changed[start:stop] * draw(st.integers(1, 5))
    return bytes(changed)


class Child:
    """A process that runs commands. If it dies or hangs, the next command starts a new one."""

    def __init__(self, folder):
        self._folder = folder
        self._stderr = folder / "child.err"
        self._process = None
        self._memory = self.peak = 0

    def outcome(self, words):
        """The exit code, or None if the process died or hung, and the error output; a new memory peak above MEMORY is noted there."""
        if self._process is None:
            self._start()
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        if not select.select([self._process.stdout], [], [], SECONDS)[0]:
            self.close()
            return None, f"no answer after {SECONDS} seconds"
        if not (answer := self._process.stdout.readline()):
            code = self._process.wait()
            self.close()
            return None, f"died of {-code}: {self._stderr.read_text(errors='replace')[-3000:]}"
        code, errors, memory = json.loads(answer)
        grew, self._memory, self.peak = memory > self._memory, memory, max(memory, self.peak)
        return code, f"took {memory >> 20} MB: {errors}" if grew and memory > MEMORY else errors

    def _start(self):
        environment = os.environ | {"POLARS_MAX_THREADS": "2", "OMP_NUM_THREADS": "1", "RUST_BACKTRACE": "0"}
        program = [sys.executable, str(Path(__file__).with_name("fuzz_child.py"))]
        with open(self._stderr, "ab+") as errors:  # append mode, because the child truncates it before each command
            self._process = subprocess.Popen(
                program, cwd=self._folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
            )
        self._memory = 0

    def close(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(BrokenPipeError):
                    pipe.close()
            self._process = None


@pytest.fixture
def child(tmp_path):
    child = Child(tmp_path)
    yield child
    child.close()


POLARS_ABORT = "memory allocation of"
"""Rust's message before it aborts: polars believes a damaged page that asks for exabytes, and no code can catch that (SECURITY.md)."""


def finding(code, errors):
    """What is wrong with an outcome, or None."""
    if code not in (0, 1, 2):
        return f"exit code {code}: {errors}"
    lines = [line for line in errors.splitlines() if line.strip() and not line.startswith("rangewise: note: ")]
    if len(lines) > 1 or not all(line.startswith("rangewise: ") for line in lines):
        return f"not one line: {errors}"
    if any(len(line) > LONGEST for line in lines):
        return f"a line of {max(map(len, lines))} characters: {errors}"
    return None if lines or code == 0 else f"exit code {code} without an error"


@pytest.mark.slow
def test_mutated_files_give_an_exit_code_and_at_most_one_line(tmp_path, child, capsys):
    kinds = _kinds(tmp_path)
    (tmp_path / "mutated").mkdir()
    codes, findings = Counter(), {}

    @settings(max_examples=BATCH, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.data())
    def batch(data):
        kind = data.draw(st.sampled_from(kinds))
        name = data.draw(st.sampled_from(sorted(kind.files)))
        command = data.draw(st.sampled_from(kind.commands))
        content = data.draw(mutations(kind.files[name]))
        (tmp_path / "mutated" / name).write_bytes(content)
        words = [f"mutated/{name}" if word == "FILE" else word for word in command]
        code, errors = child.outcome(words)
        if code is None and name.endswith(".parquet") and POLARS_ABORT in errors:
            codes["died in polars"] += 1
            return
        codes[code] += 1
        if (problem := finding(code, errors)) is not None:
            # Keep the shortest input of similar findings, whose messages differ only in digits.
            pattern = re.sub(r"\d+", "0", problem)[:80]
            if pattern not in findings or len(content) < len(findings[pattern][2]):
                findings[pattern] = (problem, words, content)

    for number in range(math.ceil(INPUTS / BATCH)):
        seed(f"{SEED}/{number}")(batch)()
    variables = f"RANGEWISE_FUZZ_SEED={SEED} RANGEWISE_FUZZ_INPUTS={INPUTS}"
    with capsys.disabled():
        memory = f"{child.peak >> 20} MB at most"
        print(f"\nfuzz: {variables}: {codes.total()} runs, exit codes {dict(codes)}, {memory}, {len(findings)} findings")
    assert not findings, f"run again with {variables}\n\n" + "\n\n".join(
        f"{problem}\n  rangewise {' '.join(words)}\n  {content!r}" for problem, words, content in findings.values()
    )
    assert codes[0], "every file was rejected, so nothing behind the readers was reached"
    assert codes[2], "no file was rejected, so nothing was mutated"


def test_unmutated_files_are_read(tmp_path, child):
    """Every kind except anomalies, whose commands are also tried on files that they must reject."""
    for kind in _kinds(tmp_path)[1:]:
        for name, content in kind.files.items():
            (tmp_path / name).write_bytes(content)
            for command in kind.commands:
                code, errors = child.outcome([name if word == "FILE" else word for word in command])
                assert code == 0, (name, command, errors)
