"""The page in a real browser: its numbers are Python's, everyone can use it, and it does nothing behind one's back."""

import csv
import io
import re
import struct
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from benchmarks.browser import ARGUMENTS, find_browser

import rangewise as rw
from rangewise.cli import run
from rangewise.reports import page as pages
from rangewise.reports.verdict import three_digits
from reports import test_index as many

pytestmark = pytest.mark.browser
POINTS = 3_000
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


def example():
    random = np.random.default_rng(3)
    real = rw.Ranges([(200, 320), (900, 905), (1500, 1720), (2600, 2601)])
    values = np.sin(np.arange(POINTS) / 30) + random.normal(scale=0.1, size=POINTS)
    good = np.round(random.random(POINTS) * 0.6 + 0.5 * real.to_labels(POINTS) * (random.random(POINTS) > 0.3), 3)
    poor = np.round(random.random(POINTS), 2)
    times = np.datetime64("2024-05-01") + np.arange(POINTS).astype("timedelta64[m]")
    return real, {"good": good, "poor": poor, "fixed": [(210, 260), (1000, 1010)]}, values, times


REAL, DETECTORS, VALUES, TIMES = example()


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Pages by name, each made once."""
    made = tmp_path_factory.mktemp("pages")
    detectors, thresholds = DETECTORS, {"good": 0.7, "poor": 0.9}
    rw.report(REAL, detectors, values=VALUES, times=TIMES, thresholds=thresholds, title="An example").save(made / "example.html")
    many.made(values={series: np.sin(np.arange(points) / 9) for series, points in many.POINTS.items()}).save(made / "many.html")
    return made


@pytest.fixture
def show(chromium, folder):
    """Opens a page; at the end it must have said nothing and asked for nothing."""
    contexts, faults = [], []

    def opened(name="example", *, fragment="", viewport=WIDE, **options):
        context = chromium.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: faults.append(dialog.message))
        page.on("request", lambda request: request.url.startswith(("file:", "blob:")) or faults.append(request.url))
        page.goto(f"file://{folder / name}.html{fragment}")
        if options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready]")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


def numbers(page):
    return {key: float(page.get_attribute(f'[data-value="{key}"]', "data-number")) for key in ("precision", "recall", "f", "alert_rate")}


def slide(page, rank):
    page.evaluate("(rank) => page.setRank(page.detector, rank)", rank)


def expected(model, name, threshold):
    score, marked = model.score(REAL, DETECTORS[name] >= threshold), float(np.mean(DETECTORS[name] >= threshold))
    return {"precision": score.precision, "recall": score.recall, "f": score.f, "alert_rate": marked}


def rested(page):
    page.wait_for_timeout(250)


MODELS = [
    {},
    {"alpha": 0.3, "recall_bias": "front", "recall_cardinality": "reciprocal"},
    {"beta": 2.0, "precision_bias": "middle", "precision_cardinality": "reciprocal"},
    {"alpha": 1.0, "beta": 0.5, "recall_bias": "back", "precision_bias": "back"},
]


@pytest.mark.parametrize("settings", MODELS)
def test_numbers_are_those_of_python(show, settings):
    page, model = show(), rw.RangeModel(**settings)
    change(page, settings)
    for name in ("good", "poor"):
        page.click(f'[data-detector="{name}"]')
        distinct = np.unique(DETECTORS[name])
        assert page.evaluate("page.detector.thresholds.length") == len(distinct)
        for rank in np.linspace(0, len(distinct) - 1, 10).astype(int).tolist():
            slide(page, rank)
            assert numbers(page) == expected(model, name, distinct[rank])
    rested(page)
    assert page.inner_text("#model-line") == str(model)
    assert page.inner_text("#model-hash") == f"#{model.short_hash}"


def change(page, settings):
    for key, value in settings.items():
        control = page.locator(f'[data-setting="{key}"]')
        if isinstance(value, str):
            control.select_option(value)
        else:
            control.evaluate("(input, value) => { input.value = value; input.dispatchEvent(new Event('input')) }", value)


SHOWN = (
    "#tiles", "#verdict", "#details", "#board-rows", "#board thead", "#range-rows", "#own-contest",
    "#contest-words", "#contest-label", "#model-line", "#model-hash", "#exact",
)  # fmt: skip


def texts(page):
    return {shown: "".join(page.locator(shown).text_content().split()) for shown in SHOWN}


@pytest.mark.parametrize("thresholds", [{"good": 0.7, "poor": 0.9}, {"good": 0.95, "poor": 0.05}], ids=["given", "other"])
@pytest.mark.parametrize("settings", MODELS)
def test_every_text_is_that_of_a_page_made_with_these_settings(show, folder, settings, thresholds):
    page, model = show(), rw.RangeModel(**settings)
    change(page, settings)
    for name, threshold in thresholds.items():
        page.click(f'[data-detector="{name}"]')
        page.fill("#typed", str(threshold))
        page.press("#typed", "Enter")
    made = rw.report(REAL, DETECTORS, values=VALUES, times=TIMES, thresholds=thresholds, model=model, title="An example")
    made.save(folder / "static.html")
    leader = max(
        DETECTORS, key=lambda name: model.score(REAL, DETECTORS[name] if name == "fixed" else DETECTORS[name] >= thresholds[name]).f
    )
    page.click(f'[data-detector="{leader}"]')
    rested(page)
    static, live = texts(show("static", java_script_enabled=False)), texts(page)
    if thresholds["good"] != 0.7:
        # The other columns are at the thresholds of the file.
        assert "comparedonlyatthegiventhresholds" in live.pop("#contest-words")
        static.pop("#contest-words")
    assert live == static
    # One score has one text, wherever it stands.
    label = f"range F{model.beta:g}"
    for row in page.locator("#board-rows tr").all():
        name, f = row.locator("th").inner_text().split()[-1], row.locator("td").first.inner_text()
        assert f in page.locator(f'[data-detector="{name}"]').inner_text()
        column = list(DETECTORS).index(name) + 2
        cell = page.locator(f"#own-contest > :nth-child({column})")
        assert cell.text_content().split()[0] == f
        assert page.locator("#own-contest th").text_content() == label
        assert f in page.locator("#bump").text_content()


def test_best_f_is_never_one_that_predicts_nearly_everything(show, folder):
    # One giant false alarm costs no more than a tiny one, so that the largest F of all predicts nearly every point.
    random = np.random.default_rng(8)
    real, scores = rw.Ranges([(500, 700), (1500, 1800)]), np.round(random.random(POINTS), 3)
    rw.report(real, {"noise": scores}, thresholds={"noise": 0.99}).save(folder / "trap.html")
    page = show("trap")
    page.wait_for_selector("html[data-swept]")
    page.click("#best-f")
    rested(page)
    model, share = rw.RangeModel(), 500 / POINTS
    best, at = -1.0, None
    for threshold in np.unique(scores)[::-1].tolist():
        rate, f = float(np.mean(scores >= threshold)), model.score(real, scores >= threshold).f
        if f > best and not (rate > max(0.5, 2 * share) or rate > max(0.2, 5 * share)):
            best, at = f, threshold
    assert numbers(page)["f"] == best
    assert float(page.input_value("#typed")) == at
    assert "is larger, but has an alert rate of" in page.inner_text("#curve-words")
    assert not page.inner_text("#verdict").startswith("Careful")
    page.fill("#typed", "0.001")
    page.press("#typed", "Enter")
    rested(page)
    assert page.inner_text("#verdict").startswith("Careful: noise has an alert rate of")


def test_presets_are_those_of_python(show):
    page = show()
    for name, preset in rw.PRESETS.items():
        page.click(f'[data-preset="{name}"]')
        assert numbers(page) == expected(preset, "good", 0.7)


def test_more_scores_than_two_bytes_can_rank(show, folder):
    count = 70_000
    scores = np.random.default_rng(4).normal(size=count)
    scores[1] = scores[0] + 1e-15
    real = rw.Ranges([(100, 900), (40_000, 40_050)])
    rw.report(real, {"one": scores}, thresholds={"one": 2.0}).save(folder / "distinct.html")
    page, distinct = show("distinct"), np.unique(scores)
    for rank in (0, 5, int(np.searchsorted(distinct, scores[1])), count // 2, len(distinct) - 1):
        slide(page, rank)
        score = rw.score(real, scores >= distinct[rank])
        assert numbers(page) == {
            "precision": score.precision,
            "recall": score.recall,
            "f": score.f,
            "alert_rate": np.mean(scores >= distinct[rank]),
        }


def test_numbers_are_written_as_python_writes_them(show):
    random = np.random.default_rng(5)
    values = [*(random.random(200) * 10.0 ** random.integers(-20, 25, 200)).tolist(), 2.0**-24, 5e-324, 1e16, 1e22, 123456789012345680.0]
    assert show().evaluate("(values) => values.map(repr)", values) == [repr(value) for value in values]


def test_keys_walk_thresholds_and_the_timeline(show):
    page = show()
    slider = page.locator('[data-role="threshold"]')
    slider.focus()
    before = int(np.searchsorted(np.unique(DETECTORS["good"]), 0.7))
    page.keyboard.press("ArrowLeft")
    assert numbers(page) == expected(rw.RangeModel(), "good", np.unique(DETECTORS["good"])[before - 1])
    assert "precision" in slider.get_attribute("aria-valuetext")
    page.focus("#timeline")
    for key in ("n", "+", "ArrowRight", "-", "p", "Home"):
        page.keyboard.press(key)
    rested(page)
    assert "all of it" in page.get_attribute("#timeline", "aria-label")


def test_a_row_zooms_to_its_range(show):
    page = show()
    page.click("#range-rows tr >> nth=0")
    rested(page)
    assert "all of it" not in page.get_attribute("#timeline", "aria-label")
    assert "view=" in page.url
    assert page.locator("#range-rows tr.chosen").count() == 1
    page.click("#zoom-all")
    page.click('[data-side="predicted"]')
    rested(page)
    assert page.inner_text("#range-rows tr >> nth=0").startswith("P")


def threshold_of(page):
    return float(page.input_value("#typed"))


def test_the_slider_runs_over_the_logarithm_of_the_share(show):
    page, scores = show(), DETECTORS["good"]
    for slide in (0, 250, 500, 750, 1000):
        page.eval_on_selector(
            '[data-role="threshold"]', "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')) }", slide
        )
        # Of all thresholds the one whose number of points is nearest, on a logarithmic scale.
        wanted = np.log(POINTS) * (1 - slide / 1000)
        gaps = {threshold: abs(np.log(np.sum(scores >= threshold)) - wanted) for threshold in np.unique(scores).tolist()}
        assert gaps[threshold_of(page)] == pytest.approx(min(gaps.values()), abs=1e-9)
        assert numbers(page) == expected(rw.RangeModel(), "good", threshold_of(page))
    page.wait_for_selector("html[data-swept]")
    assert page.locator('[data-tick="givenRank"]').is_visible()
    assert page.locator('[data-tick="best"]').is_visible()


def middle_of(page, selector):
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_the_threshold_line_is_dragged_over_the_scores(show):
    page = show()
    page.locator("#stage").scroll_into_view_if_needed()
    x, y = middle_of(page, "#handle")
    wanted = page.evaluate("page.timeline.scoreAt(page.timeline.scoreY(page.detector.threshold) - 20)")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 10)
    page.mouse.move(x, y - 20)
    page.mouse.up()
    distinct = np.unique(DETECTORS["good"])
    assert threshold_of(page) == distinct[np.searchsorted(distinct, wanted)]
    assert threshold_of(page) > 0.7
    assert numbers(page) == expected(rw.RangeModel(), "good", threshold_of(page))
    moved = abs(middle_of(page, "#handle")[1] - (y - 20))
    assert moved < 3


def test_a_click_on_the_curve_sets_the_threshold(show):
    page = show()
    page.wait_for_selector("html[data-swept]")
    page.locator("#curve").scroll_into_view_if_needed()
    box = page.locator("#curve svg").bounding_box()
    left, right, top, bottom = page.evaluate("[CURVE.left, CURVE.right, CURVE.top, CURVE.bottom]")
    scale = box["width"] / 320
    curve = rw.RangeModel().curve(REAL, DETECTORS["good"])
    at = len(curve.thresholds) // 3
    x, y = left + curve.recall[at] * (right - left), bottom - curve.precision[at] * (bottom - top)
    page.mouse.move(box["x"] + x * scale, box["y"] + y * scale)
    reading = page.inner_text("#curve-reading")
    page.mouse.down()
    page.mouse.up()
    distance = np.hypot(curve.recall - curve.recall[at], curve.precision - curve.precision[at])
    assert distance[np.flatnonzero(curve.thresholds == threshold_of(page))[0]] < 0.01
    assert numbers(page) == expected(rw.RangeModel(), "good", threshold_of(page))
    assert reading == (
        f"score ≥ {threshold_of(page):.6g}: precision {numbers(page)['precision']:.3f}, recall {numbers(page)['recall']:.3f}, "
        f"F1 {numbers(page)['f']:.3f}"
    )


def view(page):
    return page.evaluate("[page.timeline.from, page.timeline.to]")


def place_x(page, place):
    """Where on the screen a row is."""
    return page.evaluate(
        "(place) => page.timeline.canvas.getBoundingClientRect().left + page.timeline.x(place, page.timeline.canvas.clientWidth)", place
    )


def test_the_mouse_zooms_pans_and_resets(show):
    page = show()
    page.locator("#stage").scroll_into_view_if_needed()
    y = page.locator("#timeline").bounding_box()["y"] + 40
    page.mouse.move(place_x(page, 1000), y)
    page.mouse.down()
    page.mouse.move(place_x(page, 1400), y)
    page.mouse.move(place_x(page, 2000), y)
    page.mouse.up()
    assert view(page) == pytest.approx([1000, 2000], abs=5)
    x, target = place_x(page, 1500), place_x(page, 1400)
    page.keyboard.down("Shift")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 20, y)
    page.mouse.move(target, y)
    page.mouse.up()
    page.keyboard.up("Shift")
    assert view(page) == pytest.approx([1100, 2100], abs=5)
    rested(page)
    assert "view=" in page.url
    before = view(page)
    page.focus("#timeline")
    page.mouse.wheel(0, -100)
    page.wait_for_timeout(50)
    after = view(page)
    assert before[0] < after[0] < after[1] < before[1]
    page.mouse.dblclick(x, y)
    rested(page)
    assert view(page) == [0, POINTS]


def test_the_wheel_scrolls_the_page_until_the_timeline_is_clicked(show):
    page = show()
    page.locator("#stage").scroll_into_view_if_needed()
    page.mouse.move(place_x(page, 1500), page.locator("#timeline").bounding_box()["y"] + 40)
    scrolled = page.evaluate("scrollY")
    page.mouse.wheel(0, 60)
    page.wait_for_timeout(200)
    assert view(page) == [0, POINTS]
    assert page.evaluate("scrollY") > scrolled


def test_fingers_pinch_and_drag(show):
    page = show(viewport=PHONE, has_touch=True, is_mobile=True)
    page.locator("#stage").scroll_into_view_if_needed()
    session = page.context.new_cdp_session(page)
    y = page.locator("#timeline").bounding_box()["y"] + 60

    def touch(kind, *xs):
        session.send(
            "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y, "id": number} for number, x in enumerate(xs)]}
        )

    one, two = place_x(page, 1000), place_x(page, 2000)
    touch("touchStart", one)
    touch("touchStart", one, two)
    touch("touchMove", one - 30, two + 30)
    touch("touchMove", one - 60, two + 60)
    touch("touchEnd")
    page.wait_for_timeout(50)
    assert [place_x(page, 1000), place_x(page, 2000)] == pytest.approx([one - 60, two + 60], abs=3)
    before = view(page)
    touch("touchStart", 200)
    for x in (190, 160, 120):
        touch("touchMove", x)
    touch("touchEnd")
    page.wait_for_timeout(50)
    after = view(page)
    assert after[0] > before[0]
    assert after[1] - after[0] == pytest.approx(before[1] - before[0])


def test_a_range_under_the_pointer_says_its_sentence(show):
    page = show()
    page.locator("#stage").scroll_into_view_if_needed()
    top, lane = page.evaluate("[page.timeline.top, page.timeline.lane + LANE_GAP]")
    box = page.locator("#timeline").bounding_box()
    page.mouse.move(place_x(page, 1600), box["y"] + top + lane / 2)
    words = page.locator("#tip").inner_text()
    row = page.locator("#range-rows tr", has_text="R3").locator("td").last.inner_text()
    assert words.startswith("R3 · 2024-05-02 01:00 · 220 points · A: ")
    assert words.endswith(row)
    page.mouse.move(place_x(page, 600), box["y"] + 5)
    assert page.locator("#tip").is_hidden()


def test_the_address_keeps_the_range_and_a_row_shows_the_figure(show):
    page = show(viewport=PHONE)
    page.locator("#range-rows tr", has_text="R2").locator("button").click()
    rested(page)
    box = page.locator("#timeline").bounding_box()
    assert 0 <= box["y"] < PHONE["height"] / 2
    assert "range=R2" in page.url
    again = show(fragment="#" + page.url.partition("#")[2])
    assert again.locator("#range-rows tr.chosen").inner_text().startswith("R2")
    assert view(again) == pytest.approx(view(page))


def test_the_address_opens_the_same_view_again(show):
    page = show()
    page.click('[data-detector="poor"]')
    page.fill("#typed", "0.955")
    page.press("#typed", "Enter")
    page.select_option('[data-setting="recall_bias"]', "back")
    rested(page)
    seen, address = numbers(page), page.url
    assert seen == expected(rw.RangeModel(recall_bias="back"), "poor", 0.955)
    again = show(fragment="#" + address.partition("#")[2])
    assert numbers(again) == seen
    assert "--" not in again.inner_text("#exact")
    assert ".at(0.955)" in again.inner_text("#exact")
    show(fragment="#alpha=7&beta=-1&recall_bias=x&det=Z&t.A=x&view=9,1")


def test_a_prediction_without_scores_has_no_slider(show):
    page = show()
    page.click('[data-detector="fixed"]')
    assert not page.is_visible('[data-role="threshold"]')
    score = rw.score(REAL, DETECTORS["fixed"])
    assert numbers(page)["f"] == score.f
    page.click("#copy")
    page.click("#map-cells button >> nth=3")
    rested(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize(("name", "fragment"), [("example", ""), ("many", ""), ("many", "#series=south")], ids=["one", "many", "view"])
def test_everyone_can_use_it(show, scheme, viewport, name, fragment):
    page = show(name, fragment=fragment, viewport=viewport, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 200) == (scheme == "dark")
    page.evaluate((resources.files("axe_playwright_python") / "axe.min.js").read_text())
    violations = page.evaluate(
        "async () => (await axe.run()).violations.map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html)])"
    )
    assert violations == []


def accessible_names(page):
    """The role and the name of every control, as a screen reader has them."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    controls = {"button", "slider", "combobox", "textbox", "spinbutton", "application", "region", "img", "link"}
    found = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node.get("ignored")]
    return [(role, name) for role, name in found if role in controls]


def test_every_control_has_a_name(show):
    names = accessible_names(show())
    assert [role for role, name in names if not name.strip()] == []
    assert ("slider", "alpha: weight of finding a range at all") in names
    assert ("slider", "Threshold") in names
    assert {"position in a real range", "position in an alarm", "real range found in pieces", "alarm over several ranges"} <= {
        name for role, name in names if role == "combobox"
    }


def test_first_screen_has_the_leaders_numbers(show):
    for viewport in (WIDE, PHONE):
        page = show(viewport=viewport)
        tiles = page.locator("#tiles")
        assert tiles.bounding_box()["y"] + tiles.bounding_box()["height"] < viewport["height"]
        assert page.locator("#verdict b").first.inner_text() == "good"
        score = rw.score(REAL, DETECTORS["good"] >= 0.7)
        assert tiles.locator("dd").first.inner_text() == f"{score.f:.3f}"
        assert tiles.locator("dd").nth(1).inner_text() == f"{sum(row.existence for row in score.real)} of {len(REAL)}"


def test_seven_detectors_have_two_colors_and_whole_numbers(show, folder):
    random = np.random.default_rng(2)
    names = [f"a-detector-with-a-very-long-name-version-{number}" for number in range(9)]
    detectors = {name: np.round(random.random(POINTS) + 0.1 * k * REAL.to_labels(POINTS), 2) for k, name in enumerate(names)}
    rw.report(REAL, detectors, thresholds=dict.fromkeys(names, 0.9)).save(folder / "nine.html")
    page = show("nine")
    assert "leads in 0 %" not in page.inner_text("#map-words")
    page.locator("#detectors button").nth(1).click()
    rested(page)
    leader = int(page.evaluate("page.detectors.indexOf(page.ranked()[0])"))
    colors = [page.evaluate(f"page.colorOf({k})") for k in range(9)]
    assert colors[1] == "var(--d0)"
    assert colors[leader] == "var(--d1)"
    assert sorted(set(colors)) == ["var(--d0)", "var(--d1)", "var(--rest)"]
    assert page.locator("#board-rows th").first.inner_text().endswith(names[leader][-8:])
    heights = page.eval_on_selector_all("#board-rows td", "(cells) => cells.map((cell) => cell.getBoundingClientRect().height)")
    assert max(heights) < 45
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDE["width"]


def test_a_thousand_ranges_are_shares(show, folder):
    real = rw.Ranges([(30 * k, 30 * k + 10) for k in range(1000)])
    rw.report(real, {"half": rw.Ranges([(30 * k, 30 * k + 5) for k in range(1000)])}).save(folder / "dense.html")
    page = show("dense")
    # Half of each real range is found: the lower half of the lane is blue, the upper half grey.
    column = page.evaluate(
        """() => {
          const { timeline, look } = page, ratio = devicePixelRatio, top = timeline.laneTop(1), pen = timeline.canvas.getContext("2d");
          const pixels = Array.from(pen.getImageData((timeline.gutter + 41) * ratio, top * ratio, 1, 20 * ratio).data);
          return [timeline.dense, pixels.slice(4 * 16 * ratio).slice(0, 3), pixels.slice(4 * 4 * ratio).slice(0, 3)];
        }"""
    )
    assert column[0]
    assert column[1] == [0, 0x72, 0xB2]
    assert column[2] != column[1]


def test_ticks_are_round(show):
    page = show()
    ticks = page.evaluate("[roundTicks(0.00025, 0.90293, 5), roundTicks(-1234, 38000, 5), roundTicks(3, 3, 5), roundTicks(-2e-9, 1e-9, 4)]")
    assert [text for _, text in ticks[0]] == ["0.2", "0.4", "0.6", "0.8"]
    assert [text for _, text in ticks[1]] == ["0", "10,000", "20,000", "30,000"]
    assert [text for _, text in ticks[2]] == ["3"]
    assert [text for _, text in ticks[3]] == ["-2e-09", "-1e-09", "0", "1e-09"]


def test_prints_on_three_pages_at_most(show):
    page = show(color_scheme="dark")
    page.emulate_media(media="print")
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 3


def test_reads_without_scripts(show):
    page = show(java_script_enabled=False)
    assert "scores best" in page.inner_text("#verdict")
    assert page.is_visible("svg")
    assert "missed: 0" in page.inner_text("#range-rows")
    assert not page.is_visible("#threshold")


def taken(page, section, kind):
    with page.expect_download() as waiting:
        page.click(f'#{section} [data-take="{kind}"]')
    return Path(waiting.value.path()).read_bytes()


def test_tables_come_out_in_full_precision(show):
    page = show()
    page.wait_for_selector("html[data-swept]")
    rested(page)
    board = list(csv.DictReader(io.StringIO(taken(page, "board", "CSV").decode())))
    assert [row["detector"] for row in board] == ["good", "fixed", "poor"]
    wanted = expected(rw.RangeModel(), "good", 0.7)
    assert [float(board[0][name]) for name in ("precision", "recall", "F1", "alert_rate")] == list(wanted.values())
    curve = list(csv.DictReader(io.StringIO(taken(page, "threshold", "CSV").decode())))
    python = rw.RangeModel().curve(REAL, DETECTORS["good"])
    for name, values in (("threshold", python.thresholds), ("precision", python.precision), ("recall", python.recall), ("F1", python.f)):
        assert [float(row[name]) for row in curve] == values.tolist()
    ranges = list(csv.DictReader(io.StringIO(taken(page, "ranges", "CSV").decode())))
    score = rw.score(REAL, DETECTORS["good"] >= 0.7)
    assert {row["range"]: float(row["reward"]) for row in ranges} == {f"R{k + 1}": row.reward for k, row in enumerate(score.real)}
    models = list(csv.DictReader(io.StringIO(taken(page, "contests", "CSV").decode())))
    assert float(models[0]["good"]) == score.f
    assert (
        float(next(row for row in models if row["scoring model"] == "point F1")["good"])
        == rw.PRESETS["classical"].score(REAL, DETECTORS["good"] >= 0.7).f
    )
    settings = list(csv.DictReader(io.StringIO(taken(page, "map", "CSV").decode())))
    assert {row["leaders"] for row in settings} <= {"good", "fixed", "poor"}


@pytest.mark.parametrize("section", ["happened", "threshold", "contests"])
def test_pictures_come_out(show, section):
    page = show(color_scheme="dark")
    page.wait_for_selector("html[data-swept]")
    rested(page)
    picture = ElementTree.fromstring(taken(page, section, "SVG").decode())
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    texts = " ".join(picture.itertext())
    assert {"happened": "A good", "threshold": "recall", "contests": "range"}[section] in texts
    assert "var(" not in ElementTree.tostring(picture, "unicode")
    assert len(list(picture.iter())) > 20
    image = taken(page, section, "PNG")
    assert image.startswith(b"\x89PNG")
    assert struct.unpack(">I", image[16:20])[0] > 400


def test_numbers_and_links_are_copied(show):
    page = show(permissions=["clipboard-read", "clipboard-write"])
    page.click('[data-value="f"]')
    page.wait_for_selector("#toast:not(:empty)")
    assert float(page.evaluate("navigator.clipboard.readText()")) == rw.score(REAL, DETECTORS["good"] >= 0.7).f
    page.locator("#tiles dd").first.click()
    assert page.inner_text("#toast").startswith("copied 0.")
    page.click('[data-detector="poor"]')
    page.click('#threshold [data-take="link"]')
    page.wait_for_timeout(50)
    assert "det=B" in page.evaluate("navigator.clipboard.readText()")


def test_tables_sort_by_their_heads(show):
    page = show()

    def column(table, number):
        return [cell.strip() for cell in page.locator(f"{table} tbody tr > :nth-child({number})").all_inner_texts()]

    page.click("#board thead th:nth-child(4) button")
    recalls = [float(text) for text in column("#board", 4)]
    assert recalls == sorted(recalls, reverse=True)
    page.click("#board thead th:nth-child(4) button")
    assert [float(text) for text in column("#board", 4)] == sorted(recalls)
    assert page.locator("#board thead th:nth-child(4)").get_attribute("aria-sort") == "ascending"
    # The order stays when the numbers change.
    page.select_option('[data-setting="recall_bias"]', "front")
    rested(page)
    recalls = [float(text) for text in column("#board", 4)]
    assert recalls == sorted(recalls)
    page.click("#ranges thead th:nth-child(1) button")
    assert column("#ranges", 1) == ["R1", "R2", "R3", "R4"]


def test_hostile_names_run_nothing(show, folder):
    name = "</script><script>alert(1)</script><img src=x onerror=alert(2)><!--"
    rw.report(REAL, {name: DETECTORS["good"], "x'; rm -rf ~;": DETECTORS["poor"]}, title=name).save(folder / "hostile.html")
    page = show("hostile")
    assert name in page.inner_text("#verdict")
    assert page.locator("img").count() == 0
    assert page.inner_text("h1") == name


def test_users_own_functions_show_the_numbers_of_the_file(show, folder):
    def steep(positions, length):
        return positions**2.0

    model = rw.RangeModel(recall_bias=steep)
    rw.report(REAL, DETECTORS, model=model, thresholds={"good": 0.7, "poor": 0.9}).save(folder / "own.html")
    page = show("own")
    assert page.is_disabled('[data-setting="recall_bias"]')
    assert numbers(page) == expected(model, "good", 0.7)
    slide(page, 3)
    rested(page)
    assert page.inner_text("#model-hash") == f"#{model.short_hash}"


def test_a_reduced_page_is_exact_at_its_thresholds(show, folder, monkeypatch):
    monkeypatch.setattr(pages, "MOST_POINTS", 100)
    rw.report(REAL, DETECTORS, values=VALUES, times=TIMES, thresholds={"good": 0.7, "poor": 0.9}).save(folder / "reduced.html")
    page = show("reduced")
    distinct = np.unique(np.append(np.unique(DETECTORS["good"]), 0.7))
    for rank in (0, 100, len(distinct) - 1):
        slide(page, rank)
        assert numbers(page) == pytest.approx(expected(rw.RangeModel(), "good", distinct[rank]), rel=1e-15)
    page.select_option('[data-setting="recall_bias"]', "front")
    assert numbers(page) == expected(rw.early, "good", 0.7)


@pytest.mark.parametrize("real", [[], [(500, 600)]], ids=["none", "one"])
def test_few_real_ranges(show, folder, real):
    rw.report(real, {"only": DETECTORS["good"]}).save(folder / f"few{len(real)}.html")
    page = show(f"few{len(real)}", viewport=PHONE)
    page.click("#next")
    rested(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_page_of_alerts(show, folder, monkeypatch):
    monkeypatch.chdir(folder)
    Path("incidents.csv").write_text(
        "id,start,end\nI1,2024-05-01T10:00Z,2024-05-01T11:00Z\nI2,2024-05-02T10:00Z,2024-05-02T11:00Z\nI3,2024-05-03T10:00Z,2024-05-03T11:00Z\n"
    )
    # The second alert ends before its incident, within the lead.
    Path("alerts.csv").write_text(
        "rule,start,end\nslow,2024-05-01T10:10Z,2024-05-01T10:40Z\nslow,2024-05-02T09:50Z,2024-05-02T09:58Z\nfull,2024-05-02T20:00Z,2024-05-02T20:30Z\n"
    )
    words = ["alerts", "incidents.csv", "alerts.csv", "--by", "rule", "--lead", "5min", "--tz", "America/New_York"]
    assert run([*words, "--page", "alerts.html"]) == 0
    page = show("alerts")
    assert page.locator("#tiles dd").first.inner_text() == "2 of 3"
    assert page.evaluate("page.detectors.map((one) => [one.name, Array.from(one.facts.met)])") == [
        ["all rules", [1, 1, 0]],
        ["slow", [1, 1, 0]],
        ["full", [0, 0, 0]],
    ]
    # Times are those of New York, with and without scripts; what is found stays found.
    rows = {line.split()[0]: line for line in page.locator("#range-rows tr").all_inner_texts()}
    assert "I2 · 2024-05-02 06:00 · 1 h" in rows["R2"]
    assert "alert shortly before it began: 0" in rows["R2"]
    assert "missed: 0" in rows["R3"]
    static = show("alerts", java_script_enabled=False)
    assert "".join(static.locator("#range-rows").text_content().split()) == "".join(page.locator("#range-rows").text_content().split())
    for hidden in ("#threshold", "#settings"):
        assert not page.is_visible(hidden)
    assert page.locator("#contests, #map").count() == 0
    assert "scores best" not in page.inner_text("main")
    rules = list(csv.DictReader(io.StringIO(taken(page, "board", "CSV").decode())))
    assert {row["rule"]: row["alerts"] for row in rules} == {"slow": "2", "full": "1"}
    for viewport in (WIDE, PHONE):
        assert show("alerts", viewport=viewport).evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    assert [role for role, name in accessible_names(page) if not name.strip()] == []


def test_works_in_the_frame_of_a_notebook(chromium, folder):
    frame = rw.report(REAL, DETECTORS, title="In a frame")._repr_html_()
    (folder / "frame.html").write_text(frame)
    page = chromium.new_page()
    page.goto(f"file://{folder / 'frame.html'}")
    page.frame_locator("iframe").locator("html[data-ready]").wait_for()
    assert page.frame_locator("iframe").locator("h1").inner_text() == "In a frame"
    page.close()


def shown_series(page):
    return [re.sub(r"\s", "", name) for name in page.locator("#cards .name").all_text_contents()]


@pytest.mark.parametrize("detector", many.DETECTORS)
def test_many_series_show_the_numbers_of_python_and_sort(show, detector):
    page = show("many")
    page.select_option("#of", label=f"{'AB'[list(many.DETECTORS).index(detector)]} {detector}")
    expected = {}
    for series, real in many.REAL.items():
        score = rw.score(real, many.predicted(detector, series))
        found, false = sum(row.existence for row in score.real), sum(not row.existence for row in score.predicted)
        expected[series] = (score.f, found, len(real) - found, false)
    for series, (f, found, missed, false) in expected.items():
        card = page.locator("#cards li", has_text=series).inner_text()
        if many.REAL[series]:
            assert three_digits(f) in card
            assert f"{found} found · {missed} missed · {false} false" in card
    healthy = {series for series, counts in expected.items() if counts[1:] == (0, 0, 0) and not many.REAL[series]}
    given = list(many.REAL)
    orders = {
        "f": sorted(given, key=lambda series: (series in healthy, expected[series][0])),
        "missed": sorted(given, key=lambda series: (-expected[series][2], series in healthy, expected[series][0])),
        "false": sorted(given, key=lambda series: (-expected[series][3], series in healthy, expected[series][0])),
        "name": sorted(given),
        "given": given,
    }
    for sort, order in orders.items():
        page.select_option("#sort", sort)
        assert shown_series(page) == order, sort
    for only, test in {
        "missed": lambda counts: counts[2],
        "false": lambda counts: counts[3],
        "good": lambda counts: not any(counts[2:]),
    }.items():
        page.select_option("#only", only)
        assert shown_series(page) == [series for series in given if test(expected[series])], only
    page.select_option("#only", "all")
    page.fill("#find", "TH")
    assert shown_series(page) == ["north", "south"]
    assert "find=TH" in page.url
    again = show("many", fragment=f"#{page.url.partition('#')[2]}")
    assert shown_series(again) == ["north", "south"]
    assert again.input_value("#sort") == "given"


def test_a_series_opens_its_own_view_and_the_way_back(show):
    page = show("many")
    assert page.evaluate("typeof window.page") == "undefined"
    assert page.locator("canvas").count() == 0
    page.select_option("#sort", "name")
    page.locator("#cards a", has_text="south").click()
    page.wait_for_selector("#board-rows tr")
    page.wait_for_selector("html[data-ready]")
    assert page.url.endswith("#series=south")
    assert page.inner_text("h1") == "south"
    assert page.inner_text("#subtitle") == "500 points · 1 real range · 2 detectors"
    assert page.inner_text("#place") == "5 of 5"
    page.click('[data-detector="mine"]')
    score = rw.score(many.REAL["south"], many.predicted("mine", "south"))
    assert (numbers(page)["precision"], numbers(page)["recall"], numbers(page)["f"]) == (score.precision, score.recall, score.f)
    slide(page, 3)
    page.wait_for_url("**#series=south&*")
    deep = page.url.partition("#")[2]
    page.click("#to-previous")
    page.wait_for_selector('html[data-ready] h1:text-is("quiet")')
    page.keyboard.press("Escape")
    page.wait_for_selector("#cards")
    assert shown_series(page) == sorted(many.REAL)
    page.go_back()
    page.wait_for_selector('html[data-ready] h1:text-is("quiet")')
    page.go_back()
    page.wait_for_selector('html[data-ready] h1:text-is("south")')
    rested(page)
    assert page.evaluate("page.detector.rank") == 3
    page.click("#to-index")
    page.wait_for_selector("#cards")
    assert page.evaluate("document.activeElement.textContent").strip().startswith("south")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.textContent").strip().startswith("quiet")
    page.keyboard.press("Enter")
    page.wait_for_selector('html[data-ready] h1:text-is("quiet")')
    linked = show("many", fragment=f"#{deep}")
    assert linked.inner_text("h1") == "south"
    assert linked.evaluate("page.detector.rank") == 3


def test_a_view_says_what_the_page_of_the_series_says(show, folder):
    values = np.sin(np.arange(many.POINTS["north"]) / 9)
    detectors = {name: given["north"] for name, given in many.DETECTORS.items()}
    rw.report(many.REAL["north"], detectors, values=values, thresholds=many.THRESHOLDS, title="north").save(folder / "north.html")
    alone, view = show("north"), show("many", fragment="#series=north")
    for page in (alone, view):
        rested(page)
    selectors = (*SHOWN, "h1", "#subtitle", "#contest-rows", "#map-words", "#curve-words", "#ranges-of")
    assert [alone.inner_text(one) for one in selectors] == [view.inner_text(one) for one in selectors]


def test_nothing_of_a_series_comes_after_it_was_left(show):
    page = show("many", fragment="#series=north")
    for _ in range(3):
        page.evaluate("page.timeline.zoom(0.5)")
        page.evaluate("location.hash = 'series=south'")
        page.wait_for_selector('html[data-ready] h1:text-is("south")')
        page.evaluate("page.timeline.zoom(0.5)")
        page.evaluate("location.hash = 'series=north'")
        page.wait_for_selector('html[data-ready] h1:text-is("north")')
    # The address is remembered after it was changed and before the page hears of it.
    page.evaluate("location.hash = 'series=south'; page.remember()")
    page.wait_for_selector('html[data-ready] h1:text-is("south")')
    page.evaluate("location.hash = 'series=north'")
    page.wait_for_selector('html[data-ready] h1:text-is("north")')
    rested(page)
    assert page.url.partition("#")[2].startswith("series=north")
    assert page.inner_text("h1") == "north"
    page.click("#next")
    rested(page)
    assert page.evaluate("page.chosen.index") == 0


def test_many_series_come_out_as_a_table_and_on_paper(show):
    page = show("many")
    with page.expect_download() as download:
        page.click('#take-index [data-take="CSV"]')
    rows = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text())))
    assert len(rows) == len(many.REAL) * len(many.DETECTORS)
    for row in rows:
        score = rw.score(many.REAL[row["series"]], many.predicted(row["detector"], row["series"]))
        assert float(row["F1"]) == score.f
    assert all(role_and_name[1].strip() for role_and_name in accessible_names(page))
    still = show("many", java_script_enabled=False)
    assert sorted(shown_series(still)) == sorted(many.REAL)
    assert still.pdf()[:4] == b"%PDF"
