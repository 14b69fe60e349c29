"""Mutated files through the command line: the only outcomes are a right exit code and one line, whatever the bytes are.

``RANGEWISE_FUZZ_INPUTS`` says how many files, ``RANGEWISE_FUZZ_SEED`` which ones: the same seed gives the same files. ``make test`` takes a
few with a fixed seed, ``make fuzz`` many with a new one. A failure names its seed.
"""

import io
import math
import os
import re
import warnings
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from tests.examples import FIXTURES

from rangewise.cli import run

INPUTS = int(os.environ.get("RANGEWISE_FUZZ_INPUTS", "1500"))
SEED = int(os.environ.get("RANGEWISE_FUZZ_SEED", "0"))
BATCH = 100
# What has broken readers before: numbers at the edge of a type, years at the edge of a clock, signs, quotes, brackets.
TOKENS = [
    *(str(sign * (2**bits + more)).encode() for bits in (31, 32, 53, 62, 63, 64) for sign in (1, -1) for more in (-1, 0, 1)),
    *(b"99999999999999999999", b"1" + b"0" * 30, b"1e400", b"-1e400", b"1e308", b"9223372036854.7", b"nan", b"inf", b"-0", b"0_1"),
    *(b"9999-12-31T23:59:59", b"0001-01-01", b"1677-01-01", b"2262-05-01T00:00:00Z", b"+99:99", b"24:00", b"2024-02-30"),
    *(b'"', b"'", b",", b";", b"\t", b"\n", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"[", b"]", b"{", b"}", b"[/x]", b"null", b"true"),
    *(b"[" * 5_000, b'{"a":' * 3_000, b"," * 200, b"\n" * 50, b"9" * 5_000),
]  # fmt: skip
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


def _examples(folder):
    """Every fixture, and a series as Parquet, by name."""
    found = {path.name: path.read_bytes() for path in sorted(FIXTURES.iterdir())}
    table = io.BytesIO()
    times = np.datetime64("2024-03-31T00:00:00", "ns") + np.arange(10) * np.timedelta64(1, "h")
    pl.DataFrame({"timestamp": times, "value": np.sin(np.arange(10)), "label": [0, 0, 1, 1, 1, 0, 0, 1, 0, 0]}).write_parquet(table)
    found["series.parquet"] = table.getvalue()
    for name, content in found.items():
        (folder / name).write_bytes(content)
    return found


@st.composite
def mutations(draw, content):
    """The bytes after a few changes."""
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
            # A whole number of the file becomes another.
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


def outcome(words):
    """The exit code, and what was written to stderr."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        code = run(words)
    return code, err.getvalue()


def finding(words):
    """The exit code, and what is wrong with the outcome, if anything is."""
    try:
        code, said = outcome(words)
    except BaseException as error:  # a panic of another library is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        return None, f"{type(error).__name__}: {error}"
    complaints = [line for line in said.splitlines() if line.strip() and not line.startswith("rangewise: note: ")]
    if code not in (0, 1, 2):
        return code, f"exit code {code}: {said}"
    if len(complaints) > 1 or not all(line.startswith("rangewise: ") for line in complaints):
        return code, f"not one line: {said}"
    return code, None if complaints or code == 0 else f"exit code {code} without a word"


@pytest.mark.slow
def test_whatever_the_bytes_the_answer_is_a_code_and_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    examples = _examples(tmp_path)
    (tmp_path / "mutated").mkdir()
    codes, findings = Counter(), {}

    @settings(max_examples=BATCH, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(st.data())
    def batch(data):
        name = data.draw(st.sampled_from(sorted(examples)))
        command = data.draw(st.sampled_from(COMMANDS))
        content = data.draw(mutations(examples[name]))
        (tmp_path / "mutated" / name).write_bytes(content)
        words = [f"mutated/{name}" if word == "FILE" else word for word in command]
        code, wrong = finding(words)
        codes[code] += 1
        if wrong is not None:
            # Of many alike, the shortest is kept: digits aside, what was said tells them apart.
            kind = re.sub(r"\d+", "0", wrong)[:80]
            if kind not in findings or len(content) < len(findings[kind][2]):
                findings[kind] = (wrong, words, content)

    for number in range(math.ceil(INPUTS / BATCH)):
        seed(f"{SEED}/{number}")(batch)()
    again = f"RANGEWISE_FUZZ_SEED={SEED} RANGEWISE_FUZZ_INPUTS={INPUTS}"
    with capsys.disabled():
        print(f"\nfuzz: {again}: {codes.total()} runs, exit codes {dict(codes)}, {len(findings)} findings")
    assert not findings, f"run again with {again}\n\n" + "\n\n".join(
        f"{wrong}\n  rangewise {' '.join(words)}\n  {content!r}" for wrong, words, content in findings.values()
    )
    assert codes[0], "no file was good any more, so nothing behind the readers was reached"
    assert codes[2], "every file was still good, so nothing was mutated"
