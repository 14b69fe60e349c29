"""The page as a file: its content without scripts, and that nothing else in it can run or be fetched."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import numpy as np
import pytest

import rangewise as rw
from javascript import ASSETS
from rangewise.reports import page as pages
from rangewise.reports.bundle import SCRIPTS, SHORT_SCRIPT, SHORT_STYLE, STYLES, source_mark

HOSTILE = "</script><script>alert(1)</script><!--"
SCORES = np.round(np.sin(np.arange(300) / 7) ** 2 + (np.arange(300) % 11) / 40, 3)
REAL = [(40, 60), (150, 151), (200, 260)]


def small_report(**more):
    return rw.report(REAL, {"a": SCORES, "b": [(45, 55), (100, 110)]}, thresholds={"a": 0.9}, **more)


class Elements(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.tags, self.text, self.scripts, self.styles, self._open = [], [], [], [], None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open = (tag, dict(attrs))

    def handle_endtag(self, tag):
        self._open = None

    def handle_data(self, data):
        if self._open and self._open[0] in ("script", "style"):
            (self.scripts if self._open[0] == "script" else self.styles).append((self._open[1], data))
        else:
            self.text.append(data)


def data_of(html):
    (content,) = [text for attributes, text in Elements(html).scripts if attributes.get("type") == "application/json"]
    return json.loads(content)


def test_nothing_is_fetched_and_the_policy_names_what_runs():
    elements = Elements(small_report().html)
    for _, attributes in elements.tags:
        assert not {"src", "href", "style", "srcset", "action"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
    policy = next(attributes["content"] for tag, attributes in elements.tags if attributes.get("http-equiv") == "Content-Security-Policy")
    (script,) = [text for attributes, text in elements.scripts if "type" not in attributes]
    ((_, style),) = elements.styles
    for text, kind in ((script, "script"), (style, "style")):
        assert f"{kind}-src 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'")


@pytest.mark.parametrize("name", [*SCRIPTS, *STYLES, SHORT_SCRIPT, SHORT_STYLE])
def test_assets_cannot_end_their_element_or_write_html(name):
    text = (ASSETS / name).read_text()
    assert "</" not in text
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|https?://(?!www\.w3\.org)", text)


@pytest.mark.parametrize(("names", "short"), [(SCRIPTS, SHORT_SCRIPT), (STYLES, SHORT_STYLE)])
def test_minified_assets_are_made_from_the_readable_files(names, short):
    source = "\n".join((ASSETS / name).read_text() for name in names)
    first, _, rest = (ASSETS / short).read_text().partition("\n")
    assert first == source_mark(source), "run `make assets`"
    assert len(rest) < len(source)


def test_code_is_small():
    elements = Elements(small_report().html)
    scripts = [text for attributes, text in elements.scripts if "type" not in attributes]
    assert sum(len(text) for text in [*scripts, *(text for _, text in elements.styles)]) <= 100_000


def test_content_is_there_without_scripts():
    page = small_report(title="My series")
    text = " ".join("".join(Elements(page.html).text).split())
    assert "My series" in text
    assert all(sentence in text for sentence in page.verdict.split(". "))
    score = rw.score(REAL, SCORES >= 0.9)
    assert "missed: 0" in text or all(row.existence for row in score.real)
    assert "<svg" in page.html
    assert "real ranges" in page.html


def test_hostile_names_stay_text():
    page = rw.report(REAL, {HOSTILE: SCORES, "x'; rm -rf ~;": SCORES > 0.9}, title=HOSTILE)
    elements = Elements(page.html)
    assert len(elements.scripts) == 2
    assert data_of(page.html)["detectors"][0]["name"] == HOSTILE
    assert "<!--" not in page.html.replace("&lt;!--", "")


def test_page_is_reproducible():
    assert small_report().html == small_report().html


def test_saves_the_page_and_shows_it_in_a_frame(tmp_path):
    page = small_report()
    assert page.save(tmp_path / "page.html").read_text() == page.html
    assert page.size == (tmp_path / "page.html").stat().st_size
    frame = page._repr_html_()
    assert frame.startswith('<iframe sandbox="allow-scripts allow-downloads"')
    assert "<script" not in frame


def test_default_threshold_is_the_best_below_a_high_alert_rate():
    page = rw.report(REAL, {"a": SCORES})
    (detector,) = data_of(page.html)["detectors"]
    curve = rw.RangeModel().curve(REAL, SCORES)
    alert_rates = np.array([(threshold <= SCORES).mean() for threshold in curve.thresholds])
    assert detector["policy"] == "best"
    assert detector["threshold"] == curve.thresholds[np.argmax(np.where(alert_rates <= 0.5, curve.f, -1))]


def test_long_series_give_a_reduced_page(monkeypatch):
    monkeypatch.setattr(pages, "MOST_POINTS", 200)
    page = small_report(values=np.arange(300.0))
    data = data_of(page.html)
    assert page.reduced
    assert data["reduced"]
    assert "ranks" not in data["detectors"][0]
    assert "this page is reduced" in page.html
    monkeypatch.setattr(pages, "MOST_POINTS", 2_000)
    monkeypatch.setattr(pages, "MOST_BYTES", 1_000)
    assert small_report().reduced


def test_user_defined_functions_disable_their_settings():
    def steep(positions, length):
        return positions**2.0

    page = small_report(model=rw.RangeModel(recall_bias=steep))
    data = data_of(page.html)
    assert data["own"] == ["recall_bias"]
    assert "recall_bias" in page.html
    assert data["detectors"][0]["sentences"]["real"][0][3]
    assert small_report(model=rw.RangeModel(precision_bias=steep)).html


@pytest.mark.parametrize("real", [[], [(3, 4)], np.zeros(300), np.ones(300)])
@pytest.mark.parametrize("detector", [SCORES, [], [(0, 300)], np.zeros(300), np.full(300, 0.5)])
def test_empty_sides_have_a_page_too(real, detector):
    assert rw.report(real, {"a": detector, "b": SCORES}).verdict


@pytest.mark.parametrize(
    ("real", "detectors", "more", "message"),
    [
        (REAL, [SCORES], {}, "predicted must map names to detectors"),
        (REAL, {}, {}, "predicted is empty"),
        (REAL, {"": SCORES}, {}, "a detector's name must be"),
        (REAL, {f"d{k}": SCORES for k in range(27)}, {}, "a page shows up to 26 detectors; got 27"),
        (REAL, {"a": SCORES}, {"thresholds": {"b": 1}}, "a detector with a threshold is one of a; got 'b'"),
        (REAL, {"a": SCORES > 1}, {"thresholds": {"a": 1}}, "a prediction without scores"),
        (
            REAL,
            {"a": SCORES},
            {"thresholds": {"a": "high"}},
            "the threshold of a is a number, or a rule that is one of best-f",
        ),
        (REAL, {"a": SCORES}, {"values": [1.0]}, "length is 1, but a has 300 scores"),
        (REAL, {"a": SCORES}, {"times": ["x"] * 300}, "is not a time"),
        (REAL, {"a": SCORES}, {"values": np.array(["x"] * 300)}, "one number per point"),
        ([(0, 999)], {"a": SCORES}, {}, "stops at 999, but a has only 300 scores"),
        (REAL, {"a": np.where(SCORES > 1, np.nan, SCORES)}, {}, "is nan"),
    ],
)
def test_rejects_bad_input(real, detectors, more, message):
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        rw.report(real, detectors, **more)


def test_times_of_any_type():
    times = np.datetime64("2024-05-01") + np.arange(300) * np.timedelta64(1, "m")
    assert "2024-05-01 02:30" in small_report(times=times).html
    assert "2024-05-01 02:30" in small_report(times=times.astype(str).tolist()).html
    assert small_report(times=np.arange(300.0) ** 2).html


def test_gaps_are_closed_and_the_page_says_so():
    scores = SCORES.copy()
    scores[::5] = 0.0
    page = rw.report(REAL, {"mine": scores, "theirs": scores >= 0.9}, thresholds={"mine": 0.9}, close_gaps=2)
    assert "Gaps of up to 2 points between predictions are closed" in " ".join(page.html.split())
    assert "Gaps of up to" not in small_report().html
    mine, theirs = data_of(page.html)["detectors"]
    expected = rw.score(REAL, rw.Ranges.from_labels(scores >= 0.9).close_gaps(2))
    assert mine["score"] == theirs["score"] == [expected.precision, expected.recall, expected.f]
    # The Python code on the page gives these numbers.
    names = {"rw": rw, "real": REAL, "scores": {"mine": scores}, "predicted": {"theirs": scores >= 0.9}}
    assert eval(f"rw.RangeModel(){mine['call']}.at(0.9)", names) == expected
    assert eval(f"rw.RangeModel(){theirs['call']}", names) == expected
    times = [("2024-01-01T00:00", "2024-01-01T00:10")]
    with pytest.raises(ValueError, match="counts rows, but both sides are times"):
        rw.report(times, {"pager": times}, close_gaps=2)


def test_seconds_have_no_date():
    html = rw.report([(12.5, 30.0), (60.0, 75.25)], {"a": [(14.0, 33.0), (200.0, 204.0)], "b": [(10.0, 20.0)]}).html
    assert "1970" not in html
    assert "it misses R2 (01:00)" in html


def test_rejects_coarser_resolution():
    """The page would take its ticks for nanoseconds."""
    side = [("2024-05-01T10:00", "2024-05-01T11:00")]
    with pytest.raises(ValueError, match=r"the page uses nanoseconds, so resolution= has no effect"):
        rw.report(side, {"a": side}, resolution="1s")


@pytest.mark.parametrize("ignore", [[(26, 43)], [(8, 20)], [(0, 1)], [(26, 30), (28, 43), (50, 60)], [(100, 200)]])
def test_ignored_intervals_may_reach_beyond_ranges_without_a_length(ignore):
    real, detectors = [(23, 33)], {"a": [(5, 7), (17, 24), (28, 30), (36, 40)], "b": [(25, 27)]}
    found = rw.report(real, detectors, ignore=ignore).to_dict()
    assert [row["f"] for row in found["detectors"]] == [rw.score(real, own, ignore=ignore).f for own in detectors.values()]
    assert rw.report(real, detectors, ignore=ignore, length=found["points"]).to_dict() == found
