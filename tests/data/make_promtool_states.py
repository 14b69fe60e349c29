"""Writes promtool-states.json: firing states of random rules, confirmed by promtool. Run it in the folder ``tests``."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import promtool
from naive import backtest as naive
from operations.test_backtest import random_rules

groups = [{"interval": interval, "rules": random_rules(1000 + interval, 40, 30, interval)} for interval in (15, 60, 7)]
for group in groups:
    for rule in group["rules"]:
        rule["states"] = naive.firing(rule["values"], rule["op"], rule["threshold"], rule["hold"], rule["keep"], group["interval"])
with tempfile.TemporaryDirectory() as folder:
    differing = promtool.differing_states(Path(folder), groups)
if differing:
    sys.exit(differing)
for group in groups:
    for rule in group["rules"]:
        rule["states"] = "".join("1" if state else "0" for state in rule["states"])
lines = ",\n".join(
    f'{{"interval": {group["interval"]}, "rules": [\n' + ",\n".join(json.dumps(rule) for rule in group["rules"]) + "]}" for group in groups
)
Path(__file__).with_name("promtool-states.json").write_text(f'{{"made_by": "promtool 2.42.0", "groups": [\n{lines}]}}\n')
