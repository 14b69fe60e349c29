"""The page in a headless browser: its size, how long it takes to make, to open, to follow the slider, to follow a setting."""

from __future__ import annotations

import statistics
import tempfile
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.browser import ARGUMENTS, find_browser
from benchmarks.report import Goal, Section, Table
from benchmarks.settings import Settings

PAGES = {"10^4 points": (10**4, 20), "10^5 points": (10**5, 20), "10^6 points": (10**6, 20), "1,000 ranges": (10**5, 1_000)}
"""Points and real ranges."""
QUICK_PAGES = {"10^4 points": PAGES["10^4 points"]}
STEPS = 60
# Megabytes; seconds until all is drawn; from a move of the slider to the frame that shows it, as a multiple of a frame in which nothing is
# drawn (16.7 ms where the machine is idle); milliseconds of a setting; seconds of CPU to make it.
LIMITS = {
    "10^5 points": {"size": 2.5, "ready": 1.0, "frames": 1.25},
    "10^6 points": {"size": 16.0, "ready": 2.5, "frames": 2.0, "setting": 350.0, "made": 2.0},
    "1,000 ranges": {"frames": 2.0},
}
NAMES = {
    "size": "MB", "made": "s of CPU to make it", "ready": "s until it is ready", "empty": "ms of an empty frame",
    "median": "ms from slider to frame, median", "frames": "empty frames from slider to frame", "setting": "ms from setting to frame",
}  # fmt: skip
CODE = 100_000
_SLIDE = """async (steps) => {
  const slider = document.querySelector('[data-role="threshold"]'), last = Number(slider.max), times = [];
  slider.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  for (let step = 0; step < steps; step++) {
    const begin = performance.now();
    slider.value = Math.round(last * (0.6 + 0.39 * ((step * 37) % steps) / steps));
    slider.dispatchEvent(new Event("input"));
    await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
    times.push(performance.now() - begin);
  }
  slider.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
  return times;
}"""
_EMPTY = """async (steps) => {
  const times = [];
  for (let step = 0; step < steps; step++) {
    const begin = performance.now();
    await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
    times.push(performance.now() - begin);
  }
  return times;
}"""
_SET = """async (bias) => {
  const select = document.querySelector('[data-setting="recall_bias"]'), begin = performance.now();
  select.value = bias;
  select.dispatchEvent(new Event("change"));
  await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  return performance.now() - begin;
}"""


def run(settings: Settings) -> Section:
    browser = find_browser()
    if browser is None:
        return Section("The page", ["Not measured: there is no chromium on this machine."])
    from playwright.sync_api import sync_playwright

    pages = QUICK_PAGES if settings.quick else PAGES
    found = {}
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        chromium = playwright.chromium.launch(executable_path=browser, args=list(ARGUMENTS))
        for name, (length, ranges) in pages.items():
            settings.say(f"page: {name}")
            found[name] = _measured(chromium, Path(folder), length, ranges)
        chromium.close()
    rows = [[page, *(f"{values[name]:.3g}" for name in NAMES)] for page, values in found.items()]
    goals = [
        Goal(
            f"{page}, 2 detectors: at most {limit:g} {NAMES[name]}",
            f"{found[page][name]:.3g}",
            found[page][name] <= limit,
        )
        for page, limits in LIMITS.items()
        if page in found
        for name, limit in limits.items()
    ]
    code = code_size()
    goals.append(Goal(f"scripts and styles of a page: at most {CODE / 1000:g} KB", f"{code / 1000:.1f}", code <= CODE))
    return Section(
        "The page",
        [
            "`rw.report` of a series with its values and the scores of two detectors, all distinct, opened in a headless browser without a "
            f"GPU: the size of the file, and medians of times over {STEPS} moves of the slider.",
            Table(["page", *NAMES.values()], rows),
        ],
        goals,
    )


def code_size() -> int:
    """Bytes of scripts and styles in a page."""
    assets = files("rangewise.reports") / "assets"
    return sum(len((assets / name).read_bytes()) for name in ("page.min.js", "page.min.css"))


def _measured(chromium: Any, folder: Path, length: int, ranges: int) -> dict[str, float]:
    import rangewise as rw

    random = np.random.default_rng(0)
    starts = np.linspace(0.05 * length, 0.95 * length, ranges).astype(int).tolist()
    real = rw.Ranges([(start, start + length // 25 // ranges) for start in starts])
    values = np.sin(np.arange(length) / 50) + random.normal(scale=0.2, size=length)
    scores = {"one": random.random(length) + 0.3 * real.to_labels(length), "two": random.normal(size=length) + real.to_labels(length)}
    begin = time.process_time()
    made = rw.report(real, scores, values=values, thresholds={"one": 0.95, "two": 2.5})
    seconds = time.process_time() - begin
    path = made.save(folder / f"{length}-{ranges}.html").resolve()
    ready = []
    for _ in range(3):
        page = chromium.new_page(viewport={"width": 1440, "height": 900})
        begin = time.perf_counter()
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]", timeout=60_000)
        ready.append(time.perf_counter() - begin)
        if len(ready) < 3:
            page.close()
    page.wait_for_selector("html[data-swept]", timeout=120_000)
    empty, slides = (statistics.median(page.evaluate(script, STEPS)) for script in (_EMPTY, _SLIDE))
    changes = [page.evaluate(_SET, bias) for bias in ("front", "back", "middle", "flat")]
    page.close()
    return {
        "size": made.size / 1e6,
        "made": seconds,
        "ready": statistics.median(ready),
        "empty": empty,
        "median": slides,
        "frames": slides / empty,
        "setting": statistics.median(changes),
    }
