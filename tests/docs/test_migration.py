"""The rows of docs/migration.md. New calls always run; old calls run if their package is installed, as ``make migration`` does."""

import json
import math
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from benchmarks.peers import PEERS

import rangewise as rw
import rangewise.metrics

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "migration.md").read_text()
ENVIRONMENTS = {"TSB-AD": "tsb_ad", "TimeEval": "timeeval", "PATE": "pate"}
SETUP = "\n".join(re.findall(r"^>>> (.*)$", PAGE, re.MULTILINE))
OUTCOMES = ("same", "differs", "error", "not run")

_CHILD = """
import json, sys, warnings
warnings.simplefilter("ignore")
setup, imports, calls = json.load(sys.stdin)
names = {}
exec(setup + "\\n" + imports, names)
values = []
for call in calls:
    try:
        values.append(float(eval(call, names)))
    except Exception as error:
        values.append(type(error).__name__)
print("values:" + json.dumps(values))
"""


def sections():
    for text in PAGE.split("\n## ")[1:]:
        title, _, body = text.partition("\n")
        imports = re.search(r": `([^`]+)`$", body, re.MULTILINE)
        rows = [re.match(r"\| `(.+?)` \| `(.+?)` \| ([a-z ]+) \| (.*)\|$", line) for line in body.splitlines() if line.startswith("| `")]
        yield title, imports[1], [row.groups() for row in rows]


SECTIONS = {title: (imports, rows) for title, imports, rows in sections()}


def new_values(rows):
    names = {"np": np, "rw": rw, **{name: getattr(rangewise.metrics, name) for name in rangewise.metrics.__all__}}
    exec(SETUP, names)
    return [float(eval(new, names)) for _, new, _, _ in rows]


def test_page_has_every_program_and_every_row_is_parsed():
    programs = ("prts", "aeon", "sktime", "TSB-AD", "TimeEval", "dtaianomaly", "tsadmetrics", "PATE", "eTaPR", "NAB")
    assert tuple(SECTIONS) == programs
    assert sum(len(rows) for _, rows in SECTIONS.values()) == PAGE.count("\n| `")
    assert {row[2] for _, rows in SECTIONS.values() for row in rows} == set(OUTCOMES)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", SECTIONS)
def test_new_calls_run(program):
    assert all(math.isfinite(value) for value in new_values(SECTIONS[program][1]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", [name for name in SECTIONS if name not in ("eTaPR", "NAB")])
def test_old_calls_have_the_outcome_of_the_page(program):
    peer = PEERS[ENVIRONMENTS.get(program, program)]
    if not peer.installed:
        if os.environ.get("RANGEWISE_INSTALL_PEERS"):
            peer.install()
        else:
            pytest.skip("needs another program: `make migration` installs those of docs/migration.md and compares with them")
    imports, rows = SECTIONS[program]
    request = json.dumps([SETUP, imports, [old for old, *_ in rows]])
    completed = subprocess.run([peer.python, "-c", _CHILD], input=request, capture_output=True, text=True, timeout=300)
    assert completed.returncode == 0, completed.stderr[-500:]
    old_values = json.loads(completed.stdout.rpartition("values:")[2])
    wrong = []
    for (call, _, outcome, _), old, new in zip(rows, old_values, new_values(rows), strict=True):
        actual = "error" if isinstance(old, str) else "same" if abs(old - new) <= 1e-9 else "differs"
        if actual != outcome:
            wrong.append(f"{call}: {old}, ours {new}: {actual}, not {outcome}")
    assert not wrong, "\n".join(wrong)
