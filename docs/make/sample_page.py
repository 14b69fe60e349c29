"""docs/report-sample.html, a page on NAB's taxi series, and its screenshot. Run by ``make sample``; needs NAB's results and chromium.

The scores are those that NAB publishes for three detectors, the thresholds those that it chose for its standard profile.
"""

from pathlib import Path
from shutil import which

from playwright.sync_api import sync_playwright

from rangewise.datasets import load_nab
from rangewise.datasets.location import data_folder
from rangewise.datasets.nab import nab_names, nab_thresholds, read_nab_results
from rangewise.reports import report

DOCS = Path(__file__).parents[1]
SERIES = "realKnownCause/nyc_taxi.csv"
DETECTORS = ("numenta", "windowedGaussian", "skyline")
WIDE = {"width": 1440, "height": 900}


def main() -> None:
    nab, series = data_folder() / "nab", load_nab(SERIES)
    scores = {name: read_nab_results(nab / "results" / name, nab_names(nab), name).scores(series) for name in DETECTORS}
    thresholds = {name: nab_thresholds(nab, name)["standard"] for name in DETECTORS}
    page = report(
        series.real,
        scores,
        values=series.values,
        times=series.timestamps,
        thresholds=thresholds,
        title="NAB: passengers of New York's taxis",
    )
    path = page.save(DOCS / "report-sample.html")
    (DOCS / "images" / "report").mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox", "--disable-gpu"])
        shown = browser.new_page(viewport=WIDE)
        shown.goto(path.resolve().as_uri())
        shown.wait_for_selector("html[data-ready][data-swept]")
        shown.wait_for_timeout(500)
        shown.screenshot(path=DOCS / "images" / "report" / "sample.png")
        browser.close()
    print(f"{path.name}: {page.size / 1e6:.2f} MB. {page.verdict}")


if __name__ == "__main__":
    main()
