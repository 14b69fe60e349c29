"""Run the page's scripts in quickjs. Arguments and results are passed as JSON, and doubles as their bits."""

import json
import math
import struct
from importlib import resources

import hypothesis
import quickjs

ASSETS = resources.files("rangewise.reports") / "assets"
SETTINGS = ("alpha", "beta", "recall_bias", "precision_bias", "recall_cardinality", "precision_cardinality", "as_points", "zero_division")
# JSON has neither nan nor infinity nor large integers: numbers are passed as {"double": bits} and {"big": digits}.
_BRIDGE = """
const bits = new DataView(new ArrayBuffer(8));
const revive = (key, value) => {
  if (value === null || typeof value !== "object") return value;
  if ("double" in value) { bits.setBigUint64(0, BigInt(value.double)); return bits.getFloat64(0); }
  return "big" in value ? BigInt(value.big) : value;
};
const shown = (key, value) => {
  if (typeof value === "number") { bits.setFloat64(0, value); return { double: bits.getBigUint64(0).toString() }; }
  if (typeof value === "bigint") return { big: value.toString() };
  return ArrayBuffer.isView(value) ? Array.from(value) : value;
};
function bridge(name, text) { return JSON.stringify(globalThis[name](...JSON.parse(text, revive)), shown); }
"""


fewer_examples = hypothesis.settings(max_examples=max(40, hypothesis.settings.default.max_examples // 4))
"""Settings for tests in which quickjs needs about 10 ms per example."""


class Scripts:
    """``scripts.call("fScore", 0.5, 0.25, 1.0)``"""

    def __init__(self, *names, more=""):
        self._context = quickjs.Context()
        for name in names:
            # One after another, as on a page: constants of a script are visible to later ones, but are not properties of the global object.
            self._context.eval((ASSETS / name).read_text())
        self._context.eval(_BRIDGE + more)
        self._context.eval("const called = (name, text) => { globalThis[name] = eval(name); return bridge(name, text); };")
        self._called = self._context.eval("called")

    def call(self, name, *arguments):
        return json.loads(self._called(name, json.dumps(_prepared(arguments))), object_hook=_restored)

    def value(self, expression):
        return json.loads(self._context.eval(f"JSON.stringify({expression})"))


def _prepared(value):
    if isinstance(value, float):
        return {"double": str(struct.unpack(">Q", struct.pack(">d", value))[0])}
    if isinstance(value, dict):
        return {key: _prepared(item) for key, item in value.items()}
    return [_prepared(item) for item in value] if isinstance(value, (list, tuple)) else value


def _restored(value):
    if "double" in value:
        return struct.unpack(">d", struct.pack(">Q", int(value["double"])))[0]
    return int(value["big"]) if "big" in value else value


def side(ranges, big=False):
    """Ranges in the format of the scripts, with BigInt positions if ``big``."""
    wrap = (lambda at: {"big": str(at)}) if big else float
    return {"starts": [wrap(start) for start, _ in ranges], "stops": [wrap(stop) for _, stop in ranges]}


def settings(model):
    return {name: getattr(model, name) for name in SETTINGS}


def same(one, other):
    """Whether two values are equal to the last bit; nan equals nan."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    return one == other
