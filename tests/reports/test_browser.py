"""The page in a real browser: its numbers are those of Python, it is accessible, and it requests nothing."""

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
    """A folder with the pages that many tests open."""
    made = tmp_path_factory.mktemp("pages")
    detectors, thresholds = DETECTORS, {"good": 0.7, "poor": 0.9}
    rw.report(REAL, detectors, values=VALUES, times=TIMES, thresholds=thresholds, title="An example").save(made / "example.html")
    many.make_report(values={series: np.sin(np.arange(points) / 9) for series, points in many.POINTS.items()}).save(made / "many.html")
    return made


@pytest.fixture
def open_page(chromium, folder):
    """Opens a page. At the end of the test there must be no messages, errors, dialogs or requests."""
    contexts, unexpected = [], []

    def load(name="example", *, fragment="", viewport=WIDE, **options):
        context = chromium.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: unexpected.append(message.text))
        page.on("pageerror", lambda error: unexpected.append(str(error)))
        page.on("dialog", lambda dialog: unexpected.append(dialog.message))
        page.on("request", lambda request: request.url.startswith(("file:", "blob:")) or unexpected.append(request.url))
        page.goto(f"file://{folder / name}.html{fragment}")
        if options.get("java_script_enabled", True):
            page.wait_for_selector("html[data-ready]")
        return page

    yield load
    for context in contexts:
        context.close()
    assert unexpected == []


def shown_numbers(page):
    return {key: float(page.get_attribute(f'[data-value="{key}"]', "data-number")) for key in ("precision", "recall", "f", "alert_rate")}


def set_rank(page, rank):
    page.evaluate("(rank) => page.setRank(page.detector, rank)", rank)


def expected_numbers(model, name, threshold):
    score, alert_rate = model.score(REAL, DETECTORS[name] >= threshold), float(np.mean(DETECTORS[name] >= threshold))
    return {"precision": score.precision, "recall": score.recall, "f": score.f, "alert_rate": alert_rate}


def settle(page):
    page.wait_for_timeout(250)


MODELS = [
    {},
    {"alpha": 0.3, "recall_bias": "front", "recall_cardinality": "reciprocal"},
    {"beta": 2.0, "precision_bias": "middle", "precision_cardinality": "reciprocal"},
    {"alpha": 1.0, "beta": 0.5, "recall_bias": "back", "precision_bias": "back"},
]


@pytest.mark.parametrize("settings", MODELS)
def test_numbers_match_python(open_page, settings):
    page, model = open_page(), rw.RangeModel(**settings)
    change_settings(page, settings)
    for name in ("good", "poor"):
        page.click(f'[data-detector="{name}"]')
        distinct = np.unique(DETECTORS[name])
        assert page.evaluate("page.detector.thresholds.length") == len(distinct)
        for rank in np.linspace(0, len(distinct) - 1, 10).astype(int).tolist():
            set_rank(page, rank)
            assert shown_numbers(page) == expected_numbers(model, name, distinct[rank])
    settle(page)
    assert page.inner_text("#model-line") == str(model)
    assert page.inner_text("#model-hash") == f"#{model.short_hash}"


def change_settings(page, settings):
    for key, value in settings.items():
        control = page.locator(f'[data-setting="{key}"]')
        if isinstance(value, str):
            control.select_option(value)
        else:
            control.evaluate("(input, value) => { input.value = value; input.dispatchEvent(new Event('input')) }", value)


SELECTORS = (
    "#tiles", "#verdict", "#details", "#board-rows", "#board thead", "#range-rows", "#own-contest",
    "#contest-words", "#contest-label", "#model-line", "#model-hash", "#exact",
)  # fmt: skip


def texts(page):
    return {selector: "".join(page.locator(selector).text_content().split()) for selector in SELECTORS}


@pytest.mark.parametrize("thresholds", [{"good": 0.7, "poor": 0.9}, {"good": 0.95, "poor": 0.05}], ids=["given", "other"])
@pytest.mark.parametrize("settings", MODELS)
def test_changed_settings_give_the_texts_of_a_new_page(open_page, folder, settings, thresholds):
    page, model = open_page(), rw.RangeModel(**settings)
    change_settings(page, settings)
    for name, threshold in thresholds.items():
        page.click(f'[data-detector="{name}"]')
        page.fill("#typed", str(threshold))
        page.press("#typed", "Enter")
    report = rw.report(REAL, DETECTORS, values=VALUES, times=TIMES, thresholds=thresholds, model=model, title="An example")
    report.save(folder / "static.html")
    leader = max(
        DETECTORS, key=lambda name: model.score(REAL, DETECTORS[name] if name == "fixed" else DETECTORS[name] >= thresholds[name]).f
    )
    page.click(f'[data-detector="{leader}"]')
    settle(page)
    static, live = texts(open_page("static", java_script_enabled=False)), texts(page)
    if thresholds["good"] != 0.7:
        # The other columns use the thresholds of the file.
        assert "comparedonlyatthegiventhresholds" in live.pop("#contest-words")
        static.pop("#contest-words")
    assert live == static
    # A score has the same text everywhere.
    label = f"range F{model.beta:g}"
    for row in page.locator("#board-rows tr").all():
        name, f = row.locator("th").inner_text().split()[-1], row.locator("td").first.inner_text()
        assert f in page.locator(f'[data-detector="{name}"]').inner_text()
        column = list(DETECTORS).index(name) + 2
        cell = page.locator(f"#own-contest > :nth-child({column})")
        assert cell.text_content().split()[0] == f
        assert page.locator("#own-contest th").text_content() == label
        assert f in page.locator("#bump").text_content()


def test_best_f_never_predicts_nearly_everything(open_page, folder):
    # One giant false alarm costs no more than a tiny one, so the largest F predicts nearly every point.
    random = np.random.default_rng(8)
    real, scores = rw.Ranges([(500, 700), (1500, 1800)]), np.round(random.random(POINTS), 3)
    rw.report(real, {"noise": scores}, thresholds={"noise": 0.99}).save(folder / "trap.html")
    page = open_page("trap")
    page.wait_for_selector("html[data-swept]")
    page.click("#best-f")
    settle(page)
    model, real_share = rw.RangeModel(), 500 / POINTS
    best, best_threshold = -1.0, None
    for threshold in np.unique(scores)[::-1].tolist():
        rate, f = float(np.mean(scores >= threshold)), model.score(real, scores >= threshold).f
        if f > best and not (rate > max(0.5, 2 * real_share) or rate > max(0.2, 5 * real_share)):
            best, best_threshold = f, threshold
    assert shown_numbers(page)["f"] == best
    assert float(page.input_value("#typed")) == best_threshold
    assert "is larger, but has an alert rate of" in page.inner_text("#curve-words")
    assert not page.inner_text("#verdict").startswith("Careful")
    page.fill("#typed", "0.001")
    page.press("#typed", "Enter")
    settle(page)
    assert page.inner_text("#verdict").startswith("Careful: noise has an alert rate of")


def test_presets_match_python(open_page):
    page = open_page()
    for name, preset in rw.PRESETS.items():
        page.click(f'[data-preset="{name}"]')
        assert shown_numbers(page) == expected_numbers(preset, "good", 0.7)


def test_more_distinct_scores_than_fit_in_16_bits(open_page, folder):
    count = 70_000
    scores = np.random.default_rng(4).normal(size=count)
    scores[1] = scores[0] + 1e-15
    real = rw.Ranges([(100, 900), (40_000, 40_050)])
    rw.report(real, {"one": scores}, thresholds={"one": 2.0}).save(folder / "distinct.html")
    page, distinct = open_page("distinct"), np.unique(scores)
    for rank in (0, 5, int(np.searchsorted(distinct, scores[1])), count // 2, len(distinct) - 1):
        set_rank(page, rank)
        score = rw.score(real, scores >= distinct[rank])
        assert shown_numbers(page) == {
            "precision": score.precision,
            "recall": score.recall,
            "f": score.f,
            "alert_rate": np.mean(scores >= distinct[rank]),
        }


def test_numbers_are_written_like_repr(open_page):
    random = np.random.default_rng(5)
    values = [*(random.random(200) * 10.0 ** random.integers(-20, 25, 200)).tolist(), 2.0**-24, 5e-324, 1e16, 1e22, 123456789012345680.0]
    assert open_page().evaluate("(values) => values.map(repr)", values) == [repr(value) for value in values]


def test_keys_change_threshold_and_timeline(open_page):
    page = open_page()
    slider = page.locator('[data-role="threshold"]')
    slider.focus()
    before = int(np.searchsorted(np.unique(DETECTORS["good"]), 0.7))
    page.keyboard.press("ArrowLeft")
    assert shown_numbers(page) == expected_numbers(rw.RangeModel(), "good", np.unique(DETECTORS["good"])[before - 1])
    assert "precision" in slider.get_attribute("aria-valuetext")
    page.focus("#timeline")
    for key in ("n", "+", "ArrowRight", "-", "p", "Home"):
        page.keyboard.press(key)
    settle(page)
    assert "all of it" in page.get_attribute("#timeline", "aria-label")


def test_click_on_a_row_zooms_to_its_range(open_page):
    page = open_page()
    page.click("#range-rows tr >> nth=0")
    settle(page)
    assert "all of it" not in page.get_attribute("#timeline", "aria-label")
    assert "view=" in page.url
    assert page.locator("#range-rows tr.chosen").count() == 1
    page.click("#zoom-all")
    page.click('[data-side="predicted"]')
    settle(page)
    assert page.inner_text("#range-rows tr >> nth=0").startswith("P")


def threshold_of(page):
    return float(page.input_value("#typed"))


def test_slider_is_logarithmic(open_page):
    page, scores = open_page(), DETECTORS["good"]
    for position in (0, 250, 500, 750, 1000):
        page.eval_on_selector(
            '[data-role="threshold"]', "(input, at) => { input.value = at; input.dispatchEvent(new Event('input')) }", position
        )
        # The threshold whose number of predicted points is nearest, on a logarithmic scale.
        target = np.log(POINTS) * (1 - position / 1000)
        gaps = {threshold: abs(np.log(np.sum(scores >= threshold)) - target) for threshold in np.unique(scores).tolist()}
        assert gaps[threshold_of(page)] == pytest.approx(min(gaps.values()), abs=1e-9)
        assert shown_numbers(page) == expected_numbers(rw.RangeModel(), "good", threshold_of(page))
    page.wait_for_selector("html[data-swept]")
    assert page.locator('[data-tick="givenRank"]').is_visible()
    assert page.locator('[data-tick="best"]').is_visible()


def middle_of(page, selector):
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_threshold_line_can_be_dragged(open_page):
    page = open_page()
    page.locator("#stage").scroll_into_view_if_needed()
    x, y = middle_of(page, "#handle")
    target = page.evaluate("page.timeline.scoreAt(page.timeline.scoreY(page.detector.threshold) - 20)")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 10)
    page.mouse.move(x, y - 20)
    page.mouse.up()
    distinct = np.unique(DETECTORS["good"])
    assert threshold_of(page) == distinct[np.searchsorted(distinct, target)]
    assert threshold_of(page) > 0.7
    assert shown_numbers(page) == expected_numbers(rw.RangeModel(), "good", threshold_of(page))
    distance = abs(middle_of(page, "#handle")[1] - (y - 20))
    assert distance < 3


def test_click_on_the_curve_sets_the_threshold(open_page):
    page = open_page()
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
    assert shown_numbers(page) == expected_numbers(rw.RangeModel(), "good", threshold_of(page))
    assert reading == (
        f"score ≥ {threshold_of(page):.6g}: precision {shown_numbers(page)['precision']:.3f}, recall {shown_numbers(page)['recall']:.3f}, "
        f"F1 {shown_numbers(page)['f']:.3f}"
    )


def view(page):
    return page.evaluate("[page.timeline.from, page.timeline.to]")


def place_x(page, place):
    """The horizontal position of a row on the screen."""
    return page.evaluate(
        "(place) => page.timeline.canvas.getBoundingClientRect().left + page.timeline.x(place, page.timeline.canvas.clientWidth)", place
    )


def test_mouse_zooms_pans_and_resets(open_page):
    page = open_page()
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
    settle(page)
    assert "view=" in page.url
    before = view(page)
    page.focus("#timeline")
    page.mouse.wheel(0, -100)
    page.wait_for_timeout(50)
    after = view(page)
    assert before[0] < after[0] < after[1] < before[1]
    page.mouse.dblclick(x, y)
    settle(page)
    assert view(page) == [0, POINTS]


def test_wheel_scrolls_the_page_until_the_timeline_is_clicked(open_page):
    page = open_page()
    page.locator("#stage").scroll_into_view_if_needed()
    page.mouse.move(place_x(page, 1500), page.locator("#timeline").bounding_box()["y"] + 40)
    scrolled = page.evaluate("scrollY")
    page.mouse.wheel(0, 60)
    page.wait_for_timeout(200)
    assert view(page) == [0, POINTS]
    assert page.evaluate("scrollY") > scrolled


def test_touch_zooms_and_pans(open_page):
    page = open_page(viewport=PHONE, has_touch=True, is_mobile=True)
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


def test_tooltip_explains_the_range_under_the_pointer(open_page):
    page = open_page()
    page.locator("#stage").scroll_into_view_if_needed()
    top, lane = page.evaluate("[page.timeline.top, page.timeline.lane + LANE_GAP]")
    box = page.locator("#timeline").bounding_box()
    page.mouse.move(place_x(page, 1600), box["y"] + top + lane / 2)
    tip = page.locator("#tip").inner_text()
    row = page.locator("#range-rows tr", has_text="R3").locator("td").last.inner_text()
    assert tip.startswith("R3 · 2024-05-02 01:00 · 220 points · A: ")
    assert tip.endswith(row)
    page.mouse.move(place_x(page, 600), box["y"] + 5)
    assert page.locator("#tip").is_hidden()


def test_address_keeps_the_chosen_range(open_page):
    page = open_page(viewport=PHONE)
    page.locator("#range-rows tr", has_text="R2").locator("button").click()
    settle(page)
    box = page.locator("#timeline").bounding_box()
    assert 0 <= box["y"] < PHONE["height"] / 2
    assert "range=R2" in page.url
    reopened = open_page(fragment="#" + page.url.partition("#")[2])
    assert reopened.locator("#range-rows tr.chosen").inner_text().startswith("R2")
    assert view(reopened) == pytest.approx(view(page))


def test_address_reopens_the_same_view(open_page):
    page = open_page()
    page.click('[data-detector="poor"]')
    page.fill("#typed", "0.955")
    page.press("#typed", "Enter")
    page.select_option('[data-setting="recall_bias"]', "back")
    settle(page)
    first_numbers, address = shown_numbers(page), page.url
    assert first_numbers == expected_numbers(rw.RangeModel(recall_bias="back"), "poor", 0.955)
    reopened = open_page(fragment="#" + address.partition("#")[2])
    assert shown_numbers(reopened) == first_numbers
    assert "--" not in reopened.inner_text("#exact")
    assert ".at(0.955)" in reopened.inner_text("#exact")
    open_page(fragment="#alpha=7&beta=-1&recall_bias=x&det=Z&t.A=x&view=9,1")


def test_prediction_without_scores_has_no_slider(open_page):
    page = open_page()
    page.click('[data-detector="fixed"]')
    assert not page.is_visible('[data-role="threshold"]')
    score = rw.score(REAL, DETECTORS["fixed"])
    assert shown_numbers(page)["f"] == score.f
    page.click("#copy")
    page.click("#map-cells button >> nth=3")
    settle(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize(("name", "fragment"), [("example", ""), ("many", ""), ("many", "#series=south")], ids=["one", "many", "view"])
def test_page_is_accessible_and_fits_the_screen(open_page, scheme, viewport, name, fragment):
    page = open_page(name, fragment=fragment, viewport=viewport, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, re.findall(r"\d+", background)[:3])) < 200) == (scheme == "dark")
    page.evaluate((resources.files("axe_playwright_python") / "axe.min.js").read_text())
    violations = page.evaluate(
        "async () => (await axe.run()).violations.map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html)])"
    )
    assert violations == []


def accessible_names(page):
    """The role and the name of every control, as a screen reader gets them."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    controls = {"button", "slider", "combobox", "textbox", "spinbutton", "application", "region", "img", "link"}
    named = [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in tree if not node.get("ignored")]
    return [(role, name) for role, name in named if role in controls]


def test_every_control_has_an_accessible_name(open_page):
    names = accessible_names(open_page())
    assert [role for role, name in names if not name.strip()] == []
    assert ("slider", "alpha: weight of finding a range at all") in names
    assert ("slider", "Threshold") in names
    assert {"position in a real range", "position in an alarm", "real range found in pieces", "alarm over several ranges"} <= {
        name for role, name in names if role == "combobox"
    }


def test_first_screen_has_the_leaders_numbers(open_page):
    for viewport in (WIDE, PHONE):
        page = open_page(viewport=viewport)
        tiles = page.locator("#tiles")
        assert tiles.bounding_box()["y"] + tiles.bounding_box()["height"] < viewport["height"]
        assert page.locator("#verdict b").first.inner_text() == "good"
        score = rw.score(REAL, DETECTORS["good"] >= 0.7)
        assert tiles.locator("dd").first.inner_text() == f"{score.f:.3f}"
        assert tiles.locator("dd").nth(1).inner_text() == f"{sum(row.existence for row in score.real)} of {len(REAL)}"


def test_many_detectors_highlight_two_and_show_whole_numbers(open_page, folder):
    random = np.random.default_rng(2)
    names = [f"a-detector-with-a-very-long-name-version-{number}" for number in range(9)]
    detectors = {name: np.round(random.random(POINTS) + 0.1 * k * REAL.to_labels(POINTS), 2) for k, name in enumerate(names)}
    rw.report(REAL, detectors, thresholds=dict.fromkeys(names, 0.9)).save(folder / "nine.html")
    page = open_page("nine")
    assert "leads in 0 %" not in page.inner_text("#map-words")
    page.locator("#detectors button").nth(1).click()
    settle(page)
    leader = int(page.evaluate("page.detectors.indexOf(page.ranked()[0])"))
    colors = [page.evaluate(f"page.colorOf({k})") for k in range(9)]
    assert colors[1] == "var(--d0)"
    assert colors[leader] == "var(--d1)"
    assert sorted(set(colors)) == ["var(--d0)", "var(--d1)", "var(--rest)"]
    assert page.locator("#board-rows th").first.inner_text().endswith(names[leader][-8:])
    heights = page.eval_on_selector_all("#board-rows td", "(cells) => cells.map((cell) => cell.getBoundingClientRect().height)")
    assert max(heights) < 45
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDE["width"]


def test_dense_ranges_are_drawn_as_shares(open_page, folder):
    real = rw.Ranges([(30 * k, 30 * k + 10) for k in range(1000)])
    rw.report(real, {"half": rw.Ranges([(30 * k, 30 * k + 5) for k in range(1000)])}).save(folder / "dense.html")
    page = open_page("dense")
    # Half of each real range is found: the lower half of the lane is blue, the upper half gray.
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


def test_ticks_are_round(open_page):
    page = open_page()
    ticks = page.evaluate("[roundTicks(0.00025, 0.90293, 5), roundTicks(-1234, 38000, 5), roundTicks(3, 3, 5), roundTicks(-2e-9, 1e-9, 4)]")
    assert [text for _, text in ticks[0]] == ["0.2", "0.4", "0.6", "0.8"]
    assert [text for _, text in ticks[1]] == ["0", "10,000", "20,000", "30,000"]
    assert [text for _, text in ticks[2]] == ["3"]
    assert [text for _, text in ticks[3]] == ["-2e-09", "-1e-09", "0", "1e-09"]


def test_prints_on_at_most_three_pages(open_page):
    page = open_page(color_scheme="dark")
    page.emulate_media(media="print")
    printed = page.pdf(prefer_css_page_size=True, print_background=True)
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 3


def test_page_is_readable_without_scripts(open_page):
    page = open_page(java_script_enabled=False)
    assert "scores best" in page.inner_text("#verdict")
    assert page.is_visible("svg")
    assert "missed: 0" in page.inner_text("#range-rows")
    assert not page.is_visible("#threshold")


def download(page, section, kind):
    with page.expect_download() as waiting:
        page.click(f'#{section} [data-take="{kind}"]')
    return Path(waiting.value.path()).read_bytes()


def test_tables_download_in_full_precision(open_page):
    page = open_page()
    page.wait_for_selector("html[data-swept]")
    settle(page)
    board = list(csv.DictReader(io.StringIO(download(page, "board", "CSV").decode())))
    assert [row["detector"] for row in board] == ["good", "fixed", "poor"]
    expected_values = expected_numbers(rw.RangeModel(), "good", 0.7)
    assert [float(board[0][name]) for name in ("precision", "recall", "F1", "alert_rate")] == list(expected_values.values())
    curve = list(csv.DictReader(io.StringIO(download(page, "threshold", "CSV").decode())))
    python_curve = rw.RangeModel().curve(REAL, DETECTORS["good"])
    for name, measure in (("threshold", "thresholds"), ("precision", "precision"), ("recall", "recall"), ("F1", "f")):
        assert [float(row[name]) for row in curve] == getattr(python_curve, measure).tolist()
    ranges = list(csv.DictReader(io.StringIO(download(page, "ranges", "CSV").decode())))
    score = rw.score(REAL, DETECTORS["good"] >= 0.7)
    assert {row["range"]: float(row["reward"]) for row in ranges} == {f"R{k + 1}": row.reward for k, row in enumerate(score.real)}
    models = list(csv.DictReader(io.StringIO(download(page, "contests", "CSV").decode())))
    assert float(models[0]["good"]) == score.f
    assert (
        float(next(row for row in models if row["scoring model"] == "point F1")["good"])
        == rw.PRESETS["classical"].score(REAL, DETECTORS["good"] >= 0.7).f
    )
    settings = list(csv.DictReader(io.StringIO(download(page, "map", "CSV").decode())))
    assert {row["leaders"] for row in settings} <= {"good", "fixed", "poor"}


@pytest.mark.parametrize("section", ["happened", "threshold", "contests"])
def test_pictures_download_as_svg_and_png(open_page, section):
    page = open_page(color_scheme="dark")
    page.wait_for_selector("html[data-swept]")
    settle(page)
    picture = ElementTree.fromstring(download(page, section, "SVG").decode())
    assert picture.tag == "{http://www.w3.org/2000/svg}svg"
    texts = " ".join(picture.itertext())
    assert {"happened": "A good", "threshold": "recall", "contests": "range"}[section] in texts
    assert "var(" not in ElementTree.tostring(picture, "unicode")
    assert len(list(picture.iter())) > 20
    image = download(page, section, "PNG")
    assert image.startswith(b"\x89PNG")
    assert struct.unpack(">I", image[16:20])[0] > 400


def test_numbers_and_links_are_copied(open_page):
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.click('[data-value="f"]')
    page.wait_for_selector("#toast:not(:empty)")
    assert float(page.evaluate("navigator.clipboard.readText()")) == rw.score(REAL, DETECTORS["good"] >= 0.7).f
    page.locator("#tiles dd").first.click()
    assert page.inner_text("#toast").startswith("copied 0.")
    page.click('[data-detector="poor"]')
    page.click('#threshold [data-take="link"]')
    page.wait_for_timeout(50)
    assert "det=B" in page.evaluate("navigator.clipboard.readText()")


def test_tables_sort_by_column(open_page):
    page = open_page()

    def column(table, number):
        return [cell.strip() for cell in page.locator(f"{table} tbody tr > :nth-child({number})").all_inner_texts()]

    page.click("#board thead th:nth-child(4) button")
    recalls = [float(text) for text in column("#board", 4)]
    assert recalls == sorted(recalls, reverse=True)
    page.click("#board thead th:nth-child(4) button")
    assert [float(text) for text in column("#board", 4)] == sorted(recalls)
    assert page.locator("#board thead th:nth-child(4)").get_attribute("aria-sort") == "ascending"
    # The table stays sorted when the numbers change.
    page.select_option('[data-setting="recall_bias"]', "front")
    settle(page)
    recalls = [float(text) for text in column("#board", 4)]
    assert recalls == sorted(recalls)
    page.click("#ranges thead th:nth-child(1) button")
    assert column("#ranges", 1) == ["R1", "R2", "R3", "R4"]


def test_hostile_names_stay_text(open_page, folder):
    name = "</script><script>alert(1)</script><img src=x onerror=alert(2)><!--"
    rw.report(REAL, {name: DETECTORS["good"], "x'; rm -rf ~;": DETECTORS["poor"]}, title=name).save(folder / "hostile.html")
    page = open_page("hostile")
    assert name in page.inner_text("#verdict")
    assert page.locator("img").count() == 0
    assert page.inner_text("h1") == name


def test_user_defined_functions_show_the_numbers_of_the_file(open_page, folder):
    def steep(positions, length):
        return positions**2.0

    model = rw.RangeModel(recall_bias=steep)
    rw.report(REAL, DETECTORS, model=model, thresholds={"good": 0.7, "poor": 0.9}).save(folder / "own.html")
    page = open_page("own")
    assert page.is_disabled('[data-setting="recall_bias"]')
    assert shown_numbers(page) == expected_numbers(model, "good", 0.7)
    set_rank(page, 3)
    settle(page)
    assert page.inner_text("#model-hash") == f"#{model.short_hash}"


def test_reduced_page_is_exact_at_its_thresholds(open_page, folder, monkeypatch):
    monkeypatch.setattr(pages, "MOST_POINTS", 100)
    rw.report(REAL, DETECTORS, values=VALUES, times=TIMES, thresholds={"good": 0.7, "poor": 0.9}).save(folder / "reduced.html")
    page = open_page("reduced")
    distinct = np.unique(np.append(np.unique(DETECTORS["good"]), 0.7))
    for rank in (0, 100, len(distinct) - 1):
        set_rank(page, rank)
        assert shown_numbers(page) == pytest.approx(expected_numbers(rw.RangeModel(), "good", distinct[rank]), rel=1e-15)
    page.select_option('[data-setting="recall_bias"]', "front")
    assert shown_numbers(page) == expected_numbers(rw.early, "good", 0.7)


@pytest.mark.parametrize("real", [[], [(500, 600)]], ids=["none", "one"])
def test_few_real_ranges(open_page, folder, real):
    rw.report(real, {"only": DETECTORS["good"]}).save(folder / f"few{len(real)}.html")
    page = open_page(f"few{len(real)}", viewport=PHONE)
    page.click("#next")
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_page_of_alerts(open_page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    Path("incidents.csv").write_text(
        "id,start,end\nI1,2024-05-01T10:00Z,2024-05-01T11:00Z\nI2,2024-05-02T10:00Z,2024-05-02T11:00Z\nI3,2024-05-03T10:00Z,2024-05-03T11:00Z\n"
    )
    # The second alert ends before its incident, within the lead time.
    Path("alerts.csv").write_text(
        "rule,start,end\nslow,2024-05-01T10:10Z,2024-05-01T10:40Z\nslow,2024-05-02T09:50Z,2024-05-02T09:58Z\nfull,2024-05-02T20:00Z,2024-05-02T20:30Z\n"
    )
    words = ["alerts", "incidents.csv", "alerts.csv", "--by", "rule", "--lead", "5min", "--tz", "America/New_York"]
    assert run([*words, "--page", "alerts.html"]) == 0
    page = open_page("alerts")
    assert page.locator("#tiles dd").first.inner_text() == "2 of 3"
    assert page.evaluate("page.detectors.map((one) => [one.name, Array.from(one.facts.met)])") == [
        ["all rules", [1, 1, 0]],
        ["slow", [1, 1, 0]],
        ["full", [0, 0, 0]],
    ]
    # Times are in New York time with and without scripts, and the same incidents are found.
    rows = {line.split()[0]: line for line in page.locator("#range-rows tr").all_inner_texts()}
    assert "I2 · 2024-05-02 06:00 · 1 h" in rows["R2"]
    assert "alert shortly before it began: 0" in rows["R2"]
    assert "missed: 0" in rows["R3"]
    static = open_page("alerts", java_script_enabled=False)
    assert "".join(static.locator("#range-rows").text_content().split()) == "".join(page.locator("#range-rows").text_content().split())
    for hidden in ("#threshold", "#settings"):
        assert not page.is_visible(hidden)
    assert page.locator("#contests, #map").count() == 0
    assert "scores best" not in page.inner_text("main")
    rules = list(csv.DictReader(io.StringIO(download(page, "board", "CSV").decode())))
    assert {row["rule"]: row["alerts"] for row in rules} == {"slow": "2", "full": "1"}
    for viewport in (WIDE, PHONE):
        assert open_page("alerts", viewport=viewport).evaluate("document.documentElement.scrollWidth") <= viewport["width"]
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
def test_index_matches_python_and_sorts(open_page, detector):
    page = open_page("many")
    page.select_option("#of", label=f"{'AB'[list(many.DETECTORS).index(detector)]} {detector}")
    counts_by_series = {}
    for series, real in many.REAL.items():
        score = rw.score(real, many.predicted(detector, series))
        found_ranges, false_ranges = sum(row.existence for row in score.real), sum(not row.existence for row in score.predicted)
        counts_by_series[series] = (score.f, found_ranges, len(real) - found_ranges, false_ranges)
    for series, (f, found_ranges, missed_ranges, false_ranges) in counts_by_series.items():
        card = page.locator("#cards li", has_text=series).inner_text()
        if many.REAL[series]:
            assert three_digits(f) in card
            assert f"{found_ranges} found · {missed_ranges} missed · {false_ranges} false" in card
    healthy = {series for series, counts in counts_by_series.items() if counts[1:] == (0, 0, 0) and not many.REAL[series]}
    given = list(many.REAL)
    orders = {
        "f": sorted(given, key=lambda series: (series in healthy, counts_by_series[series][0])),
        "missed": sorted(given, key=lambda series: (-counts_by_series[series][2], series in healthy, counts_by_series[series][0])),
        "false": sorted(given, key=lambda series: (-counts_by_series[series][3], series in healthy, counts_by_series[series][0])),
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
        assert shown_series(page) == [series for series in given if test(counts_by_series[series])], only
    page.select_option("#only", "all")
    page.fill("#find", "TH")
    assert shown_series(page) == ["north", "south"]
    assert "find=TH" in page.url
    again = open_page("many", fragment=f"#{page.url.partition('#')[2]}")
    assert shown_series(again) == ["north", "south"]
    assert again.input_value("#sort") == "given"


def test_series_opens_its_view_and_returns_to_the_index(open_page):
    page = open_page("many")
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
    shown = shown_numbers(page)
    assert (shown["precision"], shown["recall"], shown["f"]) == (score.precision, score.recall, score.f)
    set_rank(page, 3)
    page.wait_for_url("**#series=south&*")
    address = page.url.partition("#")[2]
    page.click("#to-previous")
    page.wait_for_selector('html[data-ready] h1:text-is("quiet")')
    page.keyboard.press("Escape")
    page.wait_for_selector("#cards")
    assert shown_series(page) == sorted(many.REAL)
    page.go_back()
    page.wait_for_selector('html[data-ready] h1:text-is("quiet")')
    page.go_back()
    page.wait_for_selector('html[data-ready] h1:text-is("south")')
    settle(page)
    assert page.evaluate("page.detector.rank") == 3
    page.click("#to-index")
    page.wait_for_selector("#cards")
    assert page.evaluate("document.activeElement.textContent").strip().startswith("south")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.textContent").strip().startswith("quiet")
    page.keyboard.press("Enter")
    page.wait_for_selector('html[data-ready] h1:text-is("quiet")')
    reopened = open_page("many", fragment=f"#{address}")
    assert reopened.inner_text("h1") == "south"
    assert reopened.evaluate("page.detector.rank") == 3


def test_view_of_a_series_matches_the_page_of_the_series(open_page, folder):
    values = np.sin(np.arange(many.POINTS["north"]) / 9)
    detectors = {name: given["north"] for name, given in many.DETECTORS.items()}
    rw.report(many.REAL["north"], detectors, values=values, thresholds=many.THRESHOLDS, title="north").save(folder / "north.html")
    alone, view = open_page("north"), open_page("many", fragment="#series=north")
    for page in (alone, view):
        settle(page)
    selectors = (*SELECTORS, "h1", "#subtitle", "#contest-rows", "#map-words", "#curve-words", "#ranges-of")
    assert [alone.inner_text(one) for one in selectors] == [view.inner_text(one) for one in selectors]


def test_leaving_a_series_cancels_its_updates(open_page):
    page = open_page("many", fragment="#series=north")
    for _ in range(3):
        page.evaluate("page.timeline.zoom(0.5)")
        page.evaluate("location.hash = 'series=south'")
        page.wait_for_selector('html[data-ready] h1:text-is("south")')
        page.evaluate("page.timeline.zoom(0.5)")
        page.evaluate("location.hash = 'series=north'")
        page.wait_for_selector('html[data-ready] h1:text-is("north")')
    # The page stores its state after the address changed, but before it handles the change.
    page.evaluate("location.hash = 'series=south'; page.remember()")
    page.wait_for_selector('html[data-ready] h1:text-is("south")')
    page.evaluate("location.hash = 'series=north'")
    page.wait_for_selector('html[data-ready] h1:text-is("north")')
    settle(page)
    assert page.url.partition("#")[2].startswith("series=north")
    assert page.inner_text("h1") == "north"
    page.click("#next")
    settle(page)
    assert page.evaluate("page.chosen.index") == 0


def test_index_downloads_as_a_table_and_prints(open_page):
    page = open_page("many")
    with page.expect_download() as waiting:
        page.click('#take-index [data-take="CSV"]')
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text())))
    assert len(rows) == len(many.REAL) * len(many.DETECTORS)
    for row in rows:
        score = rw.score(many.REAL[row["series"]], many.predicted(row["detector"], row["series"]))
        assert float(row["F1"]) == score.f
    assert all(role_and_name[1].strip() for role_and_name in accessible_names(page))
    static = open_page("many", java_script_enabled=False)
    assert sorted(shown_series(static)) == sorted(many.REAL)
    assert static.pdf()[:4] == b"%PDF"
