"""The page of many series as a file: its numbers match ``score_many``, and each series has the data of a page of its own."""

import json

import numpy as np
import polars as pl
import pytest

import rangewise as rw
from rangewise.cli import run
from rangewise.reports import index
from rangewise.reports.verdict import three_digits
from reports.test_page import HOSTILE, Elements, data_of
from small_nab import write_nab, write_results

POINTS = {"north": 400, "south": 500, "quiet": 200, "noisy": 150, "east/1": 300}
REAL = {"north": [(50, 90), (200, 210)], "south": [(10, 30)], "quiet": [], "noisy": [], "east/1": [(100, 140), (250, 251)]}
THRESHOLDS = {"mine": 0.8}


def labels(series):
    return rw.Ranges(REAL[series]).to_labels(POINTS[series])


def scores(series):
    random = np.random.default_rng(len(series))
    real = labels(series)
    values = 0.3 * random.random(POINTS[series]) + 0.6 * real * (random.random(POINTS[series]) > 0.3)
    if series == "noisy":
        values[20:25] = 0.95
    return np.round(values, 3)


DETECTORS = {
    "mine": {series: scores(series) for series in REAL},
    "theirs": {series: [(5, 12)] if series in ("south", "noisy") else [(60, 70)] if series != "quiet" else [] for series in REAL},
}


def predicted(detector, series):
    given = DETECTORS[detector][series]
    return given >= THRESHOLDS["mine"] if detector == "mine" else given


def make_report(**more):
    return rw.report(REAL, DETECTORS, thresholds=THRESHOLDS, **{"title": "Regions"} | more)


def blocks(html):
    """The data of the index, and the data of each series."""
    contents = [json.loads(text) for attributes, text in Elements(html).scripts if attributes.get("type") == "application/json"]
    return contents[0], contents[1:]


@pytest.mark.parametrize("model", [rw.RangeModel(), rw.RangeModel(alpha=0.3, recall_bias="front", beta=2.0)])
def test_numbers_match_score_many(model):
    page = make_report(model=model)
    data, _ = blocks(page.html)
    for at, name in enumerate(DETECTORS):
        expected = rw.score_many({series: (REAL[series], predicted(name, series)) for series in REAL}, model=model)
        assert [row["counts"][at][0] for row in data["index"]["series"]] == expected.f.tolist()
        assert [row["real"] for row in data["index"]["series"]] == expected.real_ranges.tolist()
        assert [row["counts"][at][2] for row in data["index"]["series"]] == expected.predicted_ranges.tolist()
        for value in (expected.pooled.f, expected.pooled.precision, expected.pooled.recall, expected.macro.f):
            assert f'<td data-number="{value}">{three_digits(value)}</td>' in page.html
        for row in data["index"]["series"]:
            score = rw.score(REAL[row["name"]], predicted(name, row["name"]))
            assert row["counts"][at][1] == sum(one.existence for one in score.real)
            assert row["counts"][at][3] == sum(not one.existence for one in score.predicted)


def test_worst_series_come_first_and_healthy_ones_last():
    page = make_report()
    data, _ = blocks(page.html)
    rows = [data["index"]["series"][int(attributes["id"][5:])] for tag, attributes in Elements(page.html).tags if tag == "li"]
    leader = data["index"]["leader"]
    f = [row["counts"][leader][0] for row in rows]
    assert (rows[0]["name"], rows[-1]["name"]) == ("noisy", "quiet")
    assert f[:-1] == sorted(f[:-1])
    assert rows[-1]["texts"][leader] == ["-", "no real ranges, no alarms"]
    assert rows[0]["texts"][leader] == ["0.000", "no real ranges · 1 false"]


def test_each_series_has_the_data_of_its_own_page():
    values = {series: np.sin(np.arange(points) / 9) for series, points in POINTS.items()}
    times = {series: np.datetime64("2024-05-01") + np.arange(points).astype("timedelta64[m]") for series, points in POINTS.items()}
    data, series_blocks = blocks(make_report(values=values, times=times).html)
    assert len(series_blocks) == len(REAL)
    for own in series_blocks:
        series = own["series"]
        single = rw.report(
            REAL[series], {name: given[series] for name, given in DETECTORS.items()}, values=values[series], times=times[series],
            thresholds=THRESHOLDS, title=series,
        )  # fmt: skip
        index_only = {"series", "subtitle", "notes", "summaries"}
        assert {key: value for key, value in (data["shared"] | own).items() if key not in index_only} == data_of(single.html)


def test_says_that_labels_chose_the_thresholds():
    sentence = "each series has its own, chosen with its labels"
    assert sentence not in make_report().verdict
    page = rw.report(REAL, DETECTORS)
    assert sentence in page.verdict
    assert sentence in page.html


def test_large_report_becomes_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(index, "MOST_IN_ONE", 5_000)
    page = make_report()
    assert blocks(page.html)[1] == []
    saved = page.save(tmp_path / "regions.html")
    assert saved == tmp_path / "regions" / "index.html"
    assert saved.read_text() == page.html
    links = [attributes["href"] for tag, attributes in Elements(page.html).tags if tag == "a" and "." in attributes["href"]]
    assert sorted(f"series/{file.name}" for file in (saved.parent / "series").iterdir()) == sorted(links)
    assert len(links) == len(REAL)
    south = next(link for link in links if "south" in link)
    html = (saved.parent / south).read_text()
    assert '<a href="../index.html">← Regions</a>' in html
    expected = rw.report(REAL["south"], {name: given["south"] for name, given in DETECTORS.items()}, thresholds=THRESHOLDS)
    assert data_of(html)["detectors"] == data_of(expected.html)["detectors"]


def test_hostile_names_stay_text():
    page = rw.report({HOSTILE: [(1, 3)], "x": [(0, 1)]}, {HOSTILE: {HOSTILE: [(1, 2)], "x": []}}, title=HOSTILE)
    data, series_blocks = blocks(page.html)
    assert [row["name"] for row in data["index"]["series"]] == [own["series"] for own in series_blocks] == [HOSTILE, "x"]
    assert "<!--" not in page.html.replace("&lt;!--", "")


def test_names_with_the_same_text_get_a_number():
    data, _ = blocks(rw.report({1: [(0, 2)], "1": [(0, 2)]}, {"a": {1: [(0, 1)], "1": [(1, 2)]}}).html)
    assert [row["name"] for row in data["index"]["series"]] == ["1", "1 (2)"]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The same series as folders of files, and as a table."""
    monkeypatch.chdir(tmp_path)
    frames = []
    for number, series in enumerate(sorted(REAL)):
        for folder, column in (("real", labels(series)), ("mine", scores(series)), ("theirs", _theirs(series))):
            (tmp_path / folder).mkdir(exist_ok=True)
            (tmp_path / folder / f"s{number}.txt").write_text("\n".join(map(str, column.tolist())) + "\n")
        columns = {"name": [f"s{number}"] * POINTS[series], "label": labels(series), "mine": scores(series), "theirs": _theirs(series)}
        frames.append(pl.DataFrame(columns))
    pl.concat(frames).write_csv(tmp_path / "table.csv")
    return tmp_path


def _theirs(series):
    return rw.Ranges(DETECTORS["theirs"][series]).to_labels(POINTS[series])


@pytest.mark.parametrize(
    "arguments",
    [["real", "mine", "theirs"], ["table.csv", "--series", "name", "--real", "label", "--scores", "mine,theirs"]],
    ids=["folders", "table"],
)
def test_command_gives_the_same_page(files, capsys, arguments):
    assert run(["report", *arguments, "--threshold", "mine=0.8", "--title", "Regions", "--out", "page.html"]) == 0
    names = sorted(REAL)
    expected = rw.report(
        {f"s{number}": labels(series) for number, series in enumerate(names)},
        {
            "mine": {f"s{number}": scores(series) for number, series in enumerate(names)},
            "theirs": {f"s{number}": _theirs(series) for number, series in enumerate(names)},
        },
        thresholds=THRESHOLDS, title="Regions",
    )  # fmt: skip
    index_data, series_data = blocks((files / "page.html").read_text())
    assert index_data == blocks(expected.html)[0]
    assert [one["series"] for one in series_data] == ["s0", "s1", "s2", "s3", "s4"]
    assert " ".join(expected.verdict.split()) in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table.csv"], "name the columns of a table with --series, --real and --scores"),
        (["real", "table.csv"], "is a folder of series and table.csv is a file"),
        (["real", "mine", "--values", "table.csv"], "give a folder with one file per series"),
        (["table.csv", "--series", "name", "--real", "label", "--scores", "theirs", "--missing", "lowest"], "no detector has scores"),
    ],
)
def test_rejects_arguments_that_do_not_fit(files, capsys, arguments, message):
    assert run(["report", *arguments]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_report_on_nab_with_results_in_its_layout(tmp_path, monkeypatch):
    write_nab(tmp_path / "nab")
    results = write_results(tmp_path / "results")
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert run(["report", "nab:", f"mine={results}", "--threshold", "mine=0.2", "--out", "page.html"]) == 0
    data, series_data = blocks((tmp_path / "page.html").read_text())
    windows, row_scores = {"odd/jumpy.csv": [(16, 19)], "real/a_b.csv": [(10, 15), (30, 31)], "real/b.csv": []}, np.arange(40) / 100
    assert [row["name"] for row in data["index"]["series"]] == [one["series"] for one in series_data] == sorted(windows)
    for row in data["index"]["series"]:
        assert row["counts"][0][0] == rw.score(windows[row["name"]], row_scores >= 0.2).f
    assert run(["report", "nab:", f"mine={results}", "--column", "x", "--out", "other.html"]) == 2
