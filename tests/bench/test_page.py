"""The HTML page of a benchmark: its heat map, and in a browser the page with its series pages."""

import math
import re

import numpy as np
import pytest
from benchmarks.browser import ARGUMENTS, find_browser

from rangewise import bench
from rangewise.bench.experiment import Experiment
from rangewise.bench.page import heat_svg, page_text
from rangewise.cli import run
from rangewise.number_text import score_text


def test_heat_map_has_every_score_and_link_once():
    values = [[0.5, 0.2, math.nan], [0.9, 1.0, 0.8], [0.0, 0.1, 0.3]]
    svg = heat_svg(["a", "<b>", "c"], ["one", "two", "three"], values, ["#series-0", "#series-1", "p/x.html"], higher_is_better=True)
    titles = re.findall(r'<rect [^>]*?(?:fill-opacity="([^"]*)"|class="none")><title>([^<]*)</title>', svg)
    assert len(titles) == 9
    assert ("0.90", "a on two: 0.9000") in titles
    assert ("", "c on one: no score") in titles
    assert "&lt;b&gt; on three: 0.1000" in svg
    assert re.findall(r'<a href="([^"]*)"', svg) == ["p/x.html", "#series-0", "#series-1"], "hardest first"
    lower_is_better = heat_svg(["a"], ["one", "two"], [[0.0], [1.0]], ["#a", "#b"], higher_is_better=False)
    assert re.findall(r'<a href="([^"]*)"', lower_is_better) == ["#b", "#a"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("bench")
    random = np.random.default_rng(1)
    text = 'name = "made"\nbaselines = false\n[[detector]]\nname = "z-score"\n[[detector]]\nname = "moving-z-score"\n'
    for number in range(4):
        rows = [f"{random.normal() + 6 * (row % 60 == 30)},{int(row % 60 == 30)}" for row in range(200 + 10 * number)]
        (path / f"s{number}.csv").write_text("\n".join(["value,label", *rows]) + "\n")
        text += f'[[series]]\npath = "s{number}.csv"\n'
    (path / "made.toml").write_text(text)
    bench.run(Experiment.read(path / "made.toml"), store=path / "made.rwbench", workers=1).close()
    assert run(["bench", "report", str(path / "made.rwbench"), "--html", str(path / "page.html"), "--pages"]) == 0
    return path


@pytest.mark.browser
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1024), ("dark", 390)])
def test_page_in_a_browser(folder, scheme, width):
    from playwright.sync_api import sync_playwright

    errors = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(ARGUMENTS))
        page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((folder / "page.html").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        headings = page.locator("h2").all_inner_texts()
        assert "estimates and intervals" in headings[0]
        # The heat map shows the scores of the store.
        scores = bench.read(folder / "made.rwbench").scores("early:f", cluster="series")
        titles = set(page.locator(".heat title").all_text_contents())
        assert titles == {
            f"{name} on {series}: {score_text(value)}"
            for series, row in zip(scores.series, scores.values.tolist(), strict=True)
            for name, value in zip(scores.detectors, row, strict=True)
        }
        # A click on a column header sorts the table; a second click reverses the order.
        cells = page.locator("#series tbody tr td:nth-child(2)")
        page.click("#series thead th:nth-child(2) button")
        points = [int(text) for text in cells.all_inner_texts()]
        assert points == sorted(points, reverse=True)
        page.click("#series thead th:nth-child(2) button")
        assert [int(text) for text in cells.all_inner_texts()] == sorted(points)
        # The diagram is inverted in the dark scheme.
        dark = page.evaluate("getComputedStyle(document.querySelector('.picture svg')).filter")
        assert ("invert" in dark) == (scheme == "dark")
        # Follow a link of the heat map to a series page, and return.
        page.locator(".heat a rect").first.click()
        page.wait_for_selector("html[data-ready]")
        assert page.locator("nav a").inner_text() == "← made"
        page.click("nav a")
        assert page.url.endswith("page.html#series")
        browser.close()
    assert errors == []


@pytest.mark.browser
def test_a_plot_of_many_detectors_is_whole(tmp_path):
    """The axis at the end is visible without scrolling inside the plot, at the end of both kinds of pages."""
    from playwright.sync_api import sync_playwright

    random = np.random.default_rng(0)
    rows = {"file": [f"s{number}" for number in range(12)]} | {f"d{number:02d}": random.random(12).tolist() for number in range(40)}
    (tmp_path / "table.html").write_text(bench.table(rows, resamples=10).to_html(), encoding="utf-8")
    several = {"name": "moving-z-score", "settings": {"window": list(range(10, 45))}}
    made = Experiment(name="m", detectors=[several], series=[{"generate": {"length": 300, "seed": [1, 2]}}], baselines=False)
    (tmp_path / "bench.html").write_text(page_text(bench.run(made, workers=1), None, {}), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(ARGUMENTS))
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        for name, count in (("table", 2), ("bench", 2)):
            page.goto((tmp_path / f"{name}.html").as_uri())
            plots = page.locator(".picture, .forest")
            assert plots.count() == count
            assert plots.evaluate_all("each => each.every(one => one.scrollHeight <= one.clientHeight)")
        browser.close()
