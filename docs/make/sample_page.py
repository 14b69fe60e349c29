"""docs/report-sample.html, a report on a machine of NAB, and its screenshots. Run by ``make sample``; needs NAB's data and chromium.

Two of our simplest detectors learn from the first 15 % of the series, as NAB's may. Their thresholds are round numbers, set by hand.
"""

from pathlib import Path
from shutil import which

import numpy as np
from playwright.sync_api import sync_playwright
from small_png import shrink

import rangewise as rw
from rangewise.datasets import load_nab
from rangewise.detectors import Detector, MovingRange, ZScore

DOCS = Path(__file__).parents[1]
PICTURES = DOCS / "images" / "report"
SERIES = "realKnownCause/machine_temperature_system_failure.csv"
DAY, THREE_HOURS = 288, 36
"""In rows of five minutes."""
DETECTORS: dict[str, Detector] = {"moving-range": MovingRange(window=DAY), "z-score": ZScore()}
THRESHOLDS = {"moving-range": 3.5, "z-score": 2.4}
WIDE = {"width": 1440, "height": 900}


def main() -> None:
    page = sample()
    path = page.save(DOCS / "report-sample.html")
    PICTURES.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        for scheme, name in (("light", "sample.png"), ("dark", "sample-dark.png")):
            shown = browser.new_page(viewport=WIDE, color_scheme=scheme)
            shown.goto(path.resolve().as_uri())
            shown.wait_for_selector("html[data-ready][data-swept]")
            shown.wait_for_timeout(500)
            shown.screenshot(path=PICTURES / name)
            shrink(PICTURES / name, colors=256)
        browser.close()
    print(f"{path.name}: {page.size / 1e6:.2f} MB. {page.verdict}")


def sample() -> rw.Report:
    """The temperature of an industrial machine, without the hour that the file has twice."""
    series = load_nab(SERIES)
    times = np.asarray(series.timestamps, "M8[s]")
    first_time = np.concatenate([[True], times[1:] > np.maximum.accumulate(times)[:-1]])
    labels = series.real.to_labels(len(times))[first_time]
    values, times = np.asarray(series.values, float)[first_time], times[first_time]
    learned = values[: round(0.15 * len(values))]
    scores = {name: detector.fit(learned).decision_function(values) for name, detector in DETECTORS.items()}
    title = "NAB: temperature of an industrial machine"
    return rw.report(labels, scores, values=values, times=times, thresholds=THRESHOLDS, close_gaps=THREE_HOURS, title=title)


if __name__ == "__main__":
    main()
