"""The kernel of the page: its JavaScript port beside the C++ headers as WebAssembly, in a headless browser.

`python -m benchmarks.page_kernel` prints the table of CONTRIBUTING.md. It needs a browser and zig (`pip install ziglang`), so it is no part
of `make bench`. Calls are interleaved. A time is that of the processor in the page's thread, the shortest of all rounds, because other
work on the machine slows all of them.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
import tempfile
from base64 import b64encode
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tools import wasm

from benchmarks.browser import ARGUMENTS, find_browser
from benchmarks.report import Table

CPP = wasm.ROOT / "cpp"
PORT = wasm.ROOT / "src" / "rangewise" / "reports" / "assets" / "kernel.js"
SIZES = {"10^5": (10**5, 1_000), "10^6": (10**6, 5_000)}
"""Points and real ranges."""
KINDS = {"all distinct": None, "16,000 distinct": 16_000}
ROUNDS = 10


@dataclass(frozen=True)
class Variant:
    """A way to compile the headers."""

    name: str
    flags: tuple[str, ...] = ()

    def build(self, folder: Path) -> bytes:
        sources = folder / self.name.replace(" ", "-")
        shutil.copytree(CPP, sources, ignore=shutil.ignore_patterns("bindings*"))
        shutil.copy(Path(__file__).with_suffix(".cpp"), sources)
        wasm.build(sources / "kernel.wasm", sources / "page_kernel.cpp", self.flags)
        return (sources / "kernel.wasm").read_bytes()


VARIANTS = (
    Variant("128-bit sums"),
    Variant("two words, explicit carries", ("-DRANGEWISE_PORTABLE",)),
    Variant("128-bit sums, SIMD", ("-msimd128",)),
)

_LOAD = """async (text) => {
  const begin = performance.now(), bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")), binary = await new Response(stream).arrayBuffer();
  const nothing = () => 0, module = await WebAssembly.compile(binary), needed = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) (needed[from] = needed[from] || {})[name] = nothing;
  const { exports } = await WebAssembly.instantiate(module, needed);
  if (exports._initialize) exports._initialize();
  (window.modules = window.modules || []).push(exports);
  return performance.now() - begin;
}"""
_DATA = """({ points, levels, ranges, seed }) => {
  let state = seed >>> 0;
  const random = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296), length = Math.floor(points / 25 / ranges);
  const starts = Float64Array.from({ length: ranges }, (_, k) => Math.floor((0.05 + (0.9 * k) / ranges) * points));
  const stops = starts.map((s) => s + length);
  const scores = Float64Array.from({ length: points }, random);
  for (let k = 0; k < ranges; k++) for (let i = starts[k]; i < stops[k]; i++) scores[i] += 0.3;
  if (levels) for (let i = 0; i < points; i++) scores[i] = Math.floor(scores[i] * levels / 1.3);
  const distinct = [...new Set(scores)].sort((a, b) => a - b), rank = new Map(distinct.map((value, k) => [value, k]));
  const ranks = Uint32Array.from(scores, (value) => rank.get(value));
  const model = { alpha: 0, beta: 1, recall_bias: "front", precision_bias: "flat", recall_cardinality: "reciprocal",
    precision_cardinality: "reciprocal", as_points: null, zero_division: NaN };
  window.given = { real: { starts, stops }, scores, ranks, distinct: distinct.length, model };
  window.held = window.modules.map((exports) => {
    const put = (array) => {
      const at = exports.allocate(array.byteLength);
      new array.constructor(exports.memory.buffer, at, array.length).set(array);
      return at;
    };
    const bounds = new BigInt64Array(2 * ranges);
    for (let k = 0; k < ranges; k++) [bounds[2 * k], bounds[2 * k + 1]] = [BigInt(starts[k]), BigInt(stops[k])];
    const room = () => exports.allocate(8 * points);
    return { exports, real: put(bounds), scores: put(scores), out: [room(), room()], sorted: 0 };
  });
  return distinct.length;
}"""
_STEPS = """() => {
  const { real, ranks, distinct, model, scores } = given;
  window.steps = [{ sort: () => (window.byRank = pointsByRank(ranks, distinct)), sweep: () => {
    window.port = new Sweep(real, window.byRank, model);
    window.port.advance(0);
  } }];
  for (const one of held) {
    const { exports, out } = one;
    steps.push({ sort: () => {
      if (one.sorted) exports.forget(one.sorted);
      one.sorted = exports.sorted(one.scores, scores.length);
    }, sweep: () => exports.swept(one.real, real.starts.length, one.sorted, 0, FRONT, RECIPROCAL, FLAT, RECIPROCAL, ...out) });
  }
}"""
_RUN = "([kernel, step, times]) => { for (let k = 0; k < times; k++) steps[kernel][step](); }"
_SAME = """() => held.every(({ exports, out }) => [port.precision, port.recall].every((own, k) => {
  const other = new Float64Array(exports.memory.buffer, out[k], own.length);
  return own.every((value, i) => value === other[i]);
}))"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page_kernel", description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args().rounds
    browser = find_browser()
    if browser is None or wasm.find_zig() is None:
        raise SystemExit("needs chromium and zig (pip install ziglang)")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        packed = [gzip.compress(variant.build(folder), mtime=0) for variant in VARIANTS]
        texts = [b64encode(one).decode() for one in packed]
        policy = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'"
        page_file = folder / "page.html"
        head = f'<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        page_file.write_text(f"{head}<script>{PORT.read_text(encoding='utf-8')}</script>", encoding="utf-8")
        chromium = playwright.chromium.launch(executable_path=browser, args=list(ARGUMENTS))
        starts = [_started(chromium, page_file, texts) for _ in range(9)]
        print(_sizes(texts, [min(own) for own in zip(*starts, strict=True)]).markdown())
        for kind, levels in KINDS.items():
            rows = []
            for size, (points, ranges) in SIZES.items():
                rows += _rows(f"{size}, {kind}", _measured(chromium, page_file, texts, points, ranges, levels, rounds))
            print(f"\n{Table(['points', 'kernel', 'ms to sort', 'ms to sweep', 'sweep by that of the port'], rows).markdown()}")
        chromium.close()


def _started(chromium: Any, page_file: Path, texts: list[str]) -> list[float]:
    """Milliseconds from the text in a fresh page to a module that can be called."""
    found = []
    for text in texts:
        page = chromium.new_page()
        page.goto(page_file.as_uri())
        found.append(page.evaluate(_LOAD, text))
        page.close()
    return found


def _sizes(texts: list[str], starts: list[float]) -> Table:
    port = b64encode(gzip.compress(PORT.read_bytes(), mtime=0))
    rows = [["`kernel.js`", f"{PORT.stat().st_size / 1e3:.1f}", f"{len(port) / 1e3:.1f}", "-"]]
    rows += [
        [f"WebAssembly, {variant.name}", "-", f"{len(text) / 1e3:.1f}", f"{start:.1f}"]
        for variant, text, start in zip(VARIANTS, texts, starts, strict=True)
    ]
    return Table(["kernel", "KB as text", "KB as base64 of gzip", "ms to start"], rows)


def _measured(
    chromium: Any, page_file: Path, texts: list[str], points: int, ranges: int, levels: int | None, rounds: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Milliseconds of the page's thread by round, kernel, and step; the first round is left out, in which the code is compiled."""
    page = chromium.new_page()
    page.goto(page_file.as_uri())
    for text in texts:
        page.evaluate(_LOAD, text)
    page.evaluate(_DATA, {"points": points, "levels": levels, "ranges": ranges, "seed": 7})
    numbers = {"FLAT": 0, "FRONT": 1, "RECIPROCAL": 1}
    page.evaluate(re.sub("|".join(numbers), lambda found: str(numbers[found.group()]), _STEPS))
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def spent() -> float:
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return float(metrics["ThreadTime"])

    repeats = max(1, 10**6 // points)
    found = np.zeros((rounds + 1, 1 + len(texts), 2))
    for turn in range(rounds + 1):
        for kernel in range(1 + len(texts)):
            for step, name in enumerate(("sort", "sweep")):
                begin = spent()
                page.evaluate(_RUN, [kernel, name, repeats])
                found[turn, kernel, step] = 1e3 * (spent() - begin) / repeats
    same = page.evaluate(_SAME)
    page.close()
    if not same:
        raise SystemExit("the kernels differ")
    return found[1:]


def _rows(name: str, times: np.ndarray[Any, np.dtype[np.float64]]) -> list[list[str]]:
    kernels = ["`kernel.js`", *(f"WebAssembly, {variant.name}" for variant in VARIANTS)]
    least = times.min(axis=0)
    return [
        [name, kernel, f"{least[at, 0]:.1f}", f"{least[at, 1]:.1f}", f"{least[at, 1] / least[0, 1]:.2f}"]
        for at, kernel in enumerate(kernels)
    ]


if __name__ == "__main__":
    main()
