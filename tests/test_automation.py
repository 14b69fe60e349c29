"""The GitHub Action and the pre-commit hook, run in a shell as the runner and pre-commit run them."""

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rangewise.cli.commands import load_command

ROOT = Path(__file__).parents[1]
LABELS = {"real.txt": "0 0 1 1 1 0 0 0", "found.txt": "0 0 0 1 1 0 0 0", "bad.txt": "0 1 2"}
EXPERIMENT = """
name = "small"
baselines = false
[[detector]]
name = "z-score"
[[series]]
generate = { length = 400, seed = [1, 2] }
"""
ALERTS = "start,end\n2024-05-01T10:00,2024-05-01T11:00\n"


def read_yaml(name):
    yaml = pytest.importorskip("yaml", reason="needs PyYAML, which the extra dask installs")
    return yaml.safe_load((ROOT / name).read_text())


@pytest.fixture
def folder(tmp_path):
    for name, labels in LABELS.items():
        (tmp_path / name).write_text(labels.replace(" ", "\n") + "\n")
    (tmp_path / "incidents.csv").write_text(ALERTS)
    (tmp_path / "alerts.csv").write_text(ALERTS.replace("T10:00", "T10:30"))
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "rangewise").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m rangewise "$@"\n')
    (programs / "rangewise").chmod(0o755)
    return tmp_path


def run_step(folder, name, **inputs):
    """Run the script of a step of the action in bash, with the variables that its ``env`` sets from the inputs."""
    action = read_yaml("action.yml")
    step = next(step for step in action["runs"]["steps"] if step["id"] == name)
    values = {f"inputs.{key}": definition.get("default", "") for key, definition in action["inputs"].items()}
    values["github.action_path"] = str(ROOT)
    values |= {f"inputs.{key.replace('_', '-')}": value for key, value in inputs.items()}
    env = {key: values[value.removeprefix("${{ ").removesuffix(" }}")] for key, value in step["env"].items()}
    outputs = {"GITHUB_OUTPUT": str(folder / "output"), "GITHUB_STEP_SUMMARY": str(folder / "summary")}
    search_path = {"PATH": f"{folder / 'programs'}{os.pathsep}{os.environ['PATH']}"}
    (folder / "output").write_text("")
    # The runner calls bash this way.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
    return subprocess.run(command, cwd=folder, env=dict(os.environ) | search_path | outputs | env, capture_output=True, text=True)


def test_action_passes_if_limits_are_met(folder):
    inputs = {"arguments": "real.txt\nfound.txt\n", "fail_under": "f=0.5\nrecall=0.6\n", "junit": "out.xml"}
    completed = run_step(folder, "run", command="score", **inputs)
    assert (completed.returncode, completed.stderr) == (0, "")
    assert completed.stdout.startswith("precision 1.0000   recall 0.6667")
    assert (folder / "output").read_text() == "exit-code=0\n"
    assert "precision 1.0000" in (folder / "summary").read_text()
    assert ElementTree.parse(folder / "out.xml").getroot().attrib == {"tests": "2", "failures": "0", "errors": "0"}


def test_action_fails_if_a_limit_is_not_met(folder):
    completed = run_step(folder, "run", command="score", arguments="real.txt\nfound.txt", fail_under="f=0.5\nrecall=0.9", junit="out.xml")
    assert completed.returncode == 1
    assert "::error title=rangewise score::recall is 0.6667, below 0.9\n" in completed.stderr
    assert (folder / "output").read_text() == "exit-code=1\n"
    assert ElementTree.parse(folder / "out.xml").getroot().attrib["failures"] == "1"


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (
            {"command": "score", "arguments": "real.txt\nabsent 100%.txt"},
            "::error title=rangewise score::absent 100%25.txt does not exist\n",
        ),
        ({"command": "score", "arguments": "real.txt\nfound.txt", "junit": "out.xml"}, "give --fail-under too"),
        ({"command": "score", "arguments": "real.txt\nfound.txt\n--preset\nearl"}, "did you mean 'early'?"),
        ({"command": "demo", "arguments": ""}, "command is score, alerts, bench run or bench report"),
    ],
)
def test_bad_input_exits_with_2_and_one_annotation(folder, inputs, message):
    completed = run_step(folder, "run", **inputs)
    assert completed.returncode == 2
    assert message in completed.stderr
    assert completed.stderr.count("::error") == 1
    assert (folder / "output").read_text() == "exit-code=2\n"


@pytest.mark.parametrize(("limit", "code"), [("found_share=1", 0), ("median_time_to_detect=5min", 1), ("nonsense=1", 2)])
def test_limits_of_alerts(folder, limit, code):
    assert run_step(folder, "run", command="alerts", arguments="incidents.csv\nalerts.csv", fail_under=limit).returncode == code


def test_limits_of_bench(folder):
    pytest.importorskip("scipy", reason="needs scipy, which the extra bench installs")
    (folder / "small.toml").write_text(EXPERIMENT)
    runs = [("bench run", "small.toml\n--workers\n1", "", 0), ("bench run", "absent.toml", "", 2)]
    runs += [("bench report", "small.rwbench", limit, code) for limit, code in (("0", 0), ("1.01", 1), ("nonsense=1", 2))]
    for command, arguments, limit, code in runs:
        completed = run_step(folder, "run", command=command, arguments=arguments, fail_under=limit)
        assert (completed.returncode, (folder / "output").read_text()) == (code, f"exit-code={code}\n"), (command, limit, completed.stderr)


def test_inputs_are_not_executed(folder):
    hostile = "$(touch made)\n`touch made`\n; touch made"
    assert run_step(folder, "run", command="score", arguments=hostile, fail_under="$(touch made)").returncode == 2
    assert not (folder / "made").exists()
    scripts = [step["run"] for step in read_yaml("action.yml")["runs"]["steps"]]
    assert not any("${{" in script for script in scripts)


def test_empty_install_input_uses_the_installed_package(folder):
    completed = run_step(folder, "install", install="")
    assert (completed.returncode, completed.stdout.split()[0]) == (0, "rangewise")


def test_action_lists_the_commands_that_have_limits():
    names = ("score", "alerts", "bench run", "bench report")
    commands = {"score": load_command("score"), "alerts": load_command("alerts"), "bench": load_command("bench")}
    for name in names:
        first, _, second = name.partition(" ")
        options = (commands[first].commands[second] if second else commands[first]).params
        assert {"--fail-under", "--junit", "--annotate"} <= {flag for option in options for flag in option.opts}
    assert all(name in read_yaml("action.yml")["inputs"]["command"]["description"] for name in names)


def run_hook(folder, *files):
    (hook,) = read_yaml(".pre-commit-hooks.yaml")
    command = [*shlex.split(hook["entry"]), *files]
    search_path = {"PATH": f"{folder / 'programs'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, cwd=folder, env=dict(os.environ) | search_path, capture_output=True, text=True)


def test_hook_accepts_good_files_and_names_bad_ones(folder):
    good = run_hook(folder, "real.txt", "found.txt", "incidents.csv")
    assert (good.returncode, good.stderr) == (0, "")
    bad = run_hook(folder, "real.txt", "bad.txt", "absent.txt")
    assert bad.returncode == 1
    assert bad.stderr == "rangewise: bad.txt, line 3: '2' is not a label; expected 0 or 1\nrangewise: absent.txt does not exist\n"


def test_hook_installs_the_dependencies_for_tables():
    (hook,) = read_yaml(".pre-commit-hooks.yaml")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert hook["additional_dependencies"] == extras["files"]
