"""Prometheus' own rule evaluation by an installed promtool, never a download. Tests that call it have the marker ``promtool``."""

import shutil
import subprocess


def check_rules(path):
    """None if Prometheus accepts the rule file, otherwise its error."""
    completed = subprocess.run([shutil.which("promtool"), "check", "rules", str(path)], capture_output=True, text=True)
    return None if completed.returncode == 0 else completed.stdout + completed.stderr


def differing_states(folder, groups):
    """The report of promtool about states that differ; empty if all agree.

    A group has an ``interval`` in seconds and ``rules``: dicts with ``values`` (None where the sample is stale), ``op``, ``threshold``,
    ``hold`` and ``keep`` in seconds and ``states``: whether it fires at each step. All rules of a group have as many steps. If samples come
    every ``sampled`` seconds instead, None is a sample that was not taken, and an older one counts for as long as Prometheus looks back.
    """
    tests = []
    for number, group in enumerate(groups):
        rules, series = [], []
        for index, rule in enumerate(group["rules"]):
            lines = [f"  - alert: R{index}", f"    expr: m{index} {rule['op']} {rule['threshold']!r}"]
            lines += [f"    for: {rule['hold']}s", f"    keep_firing_for: {rule['keep']}s"]
            rules += lines
            values = " ".join(("_" if "sampled" in group else "stale") if value is None else repr(value) for value in rule["values"])
            series += [f"  - series: m{index}", f"    values: '{values}'"]
        (folder / f"rules{number}.yml").write_text("groups:\n- name: g\n  rules:\n" + "\n".join(rules) + "\n")
        expected = []
        for step in range(len(group["rules"][0]["states"])):
            samples = [
                f'      - labels: \'ALERTS{{alertname="R{index}", alertstate="firing"}}\'\n        value: 1'
                for index, rule in enumerate(group["rules"])
                if rule["states"][step]
            ]
            expected += ['  - expr: ALERTS{alertstate="firing"}', f"    eval_time: {step * group['interval']}s"]
            expected += ["    exp_samples:", *samples] if samples else ["    exp_samples: []"]
        text = [f"rule_files: [rules{number}.yml]", f"evaluation_interval: {group['interval']}s", "tests:"]
        text += [f"- interval: {group.get('sampled', group['interval'])}s", "  input_series:", *series, "  promql_expr_test:", *expected]
        (folder / f"test{number}.yml").write_text("\n".join(text) + "\n")
        tests.append(str(folder / f"test{number}.yml"))
    completed = subprocess.run([shutil.which("promtool"), "test", "rules", *tests], capture_output=True, text=True)
    return "" if completed.returncode == 0 else completed.stdout + completed.stderr
