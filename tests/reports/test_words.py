"""words.js against the Python code that it copies: numbers as text, models, sentences, the verdict, the map."""

import os
import shlex
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rangewise as rw
from javascript import Scripts, fewer_examples, same, settings, side
from rangewise.checks import visible
from rangewise.curve import is_high_alert_rate
from rangewise.inputs.instants import duration_text
from rangewise.metrics.table import METRICS
from rangewise.model.explain import row_text
from rangewise.model.presets import PRESETS
from rangewise.number_text import share_text
from rangewise.reports.contest import contest_words
from rangewise.reports.verdict import DetectorFacts, VerdictFacts, headline, three_digits, tiles, verdict
from strategies import built_in_models, side_pairs

shares = st.sampled_from([0.0, 0.125, 0.28125, 0.0009765625, 0.9995, 0.99949, 0.00049, 1.0, 0.5, 0.488, 0.492, 0.445, 0.455]) | st.floats(
    0, 1
)
doubles = st.floats(allow_nan=True, allow_infinity=True) | shares | st.integers(0, 4096).map(lambda n: n / 512)


@pytest.fixture(scope="module")
def scripts():
    return Scripts("kernel.js", "words.js", "unpack.js")


@given(doubles)
def test_repr_matches_python(scripts, value):
    # quickjs prints one digit too many for some numbers; test_browser.py compares them in a browser.
    digits = scripts.call("String", value).partition("e")[0]
    assume(len(digits.replace(".", "").lstrip("-0")) <= 16)
    assert scripts.call("repr", value) == repr(value)


@given(doubles, st.integers(1, 12))
def test_general_format_matches_python(scripts, value, digits):
    assert scripts.call("general", value, float(digits)) == f"{value:.{digits}g}"


@given(shares | st.floats(-1e6, 1e6) | st.integers(-4096, 4096).map(lambda n: n / 512), st.integers(0, 6))
def test_fixed_format_matches_python(scripts, value, places):
    assert scripts.call("fixed", value, float(places)) == f"{value:.{places}f}"


@given(shares, shares)
def test_text_of_shares_matches_python(scripts, one, other):
    assert scripts.call("percentText", one) == share_text(one)
    assert scripts.call("threeDigits", one) == three_digits(one)
    assert scripts.call("isHighAlertRate", one, other) == is_high_alert_rate(one, other)


@given(
    st.integers(0, 10**18)
    | st.sampled_from(
        [
            999_499,
            999_500,
            999_999,
            999_500_000,
            999_999_999,
            59_999_999_999,
            90 * 10**9,
            3599 * 10**9 + 5 * 10**8,
            60,
            60 * 10**3,
            60 * 10**6,
            1,
            0,
        ]
    )
)
def test_text_of_durations_matches_python(scripts, length):
    assert scripts.call("durationText", float(length)) == duration_text(length)


@fewer_examples
@given(sides=side_pairs(), model=built_in_models(), step=st.sampled_from([10**9, 61 * 10**9 + 1]))
def test_sentences_on_times_match_python(scripts, sides, model, step):
    model = rw.RangeModel(**(settings(model) | {"as_points": None}))
    origin = 1_700_000_000 * 10**9
    sides = [[(origin + start * step, origin + stop * step) for start, stop in one] for one in sides]
    score = model.score(*(np.array(one, dtype="datetime64[ns]").reshape(-1, 2) for one in sides))
    rows = scripts.call("rows", *(side(one, big=True) for one in sides), settings(model), "real")
    for index, (script_row, row) in enumerate(zip(rows, score.real, strict=True)):
        script_row |= {name: {"big": str(script_row[name])} for name in ("start", "stop", "covered") if isinstance(script_row[name], int)}
        assert scripts.call("rowWords", settings(model), True, script_row, True) == row_text(model, "R", index, row, "").partition(": ")[2]


@fewer_examples
@given(built_in_models())
def test_text_and_hash_of_models_match_python(scripts, model):
    text = scripts.call("modelText", settings(model))
    assert rw.RangeModel.parse(text) == model
    # Only compared if quickjs prints no digit too many; test_browser.py compares all models in a browser.
    if scripts.call("String", model.alpha) == repr(model.alpha).removesuffix(".0"):
        assert text == str(model)
        assert scripts.call("modelHash", settings(model)) == model.short_hash


@pytest.mark.parametrize("name", PRESETS)
def test_hashes_of_presets_match_python(scripts, name):
    assert scripts.call("modelHash", settings(PRESETS[name])) == PRESETS[name].short_hash


def test_defaults_are_those_of_the_model(scripts):
    assert scripts.value("DEFAULTS") == settings(rw.RangeModel())


@fewer_examples
@given(sides=side_pairs(), model=built_in_models())
def test_sentences_match_python(scripts, sides, model):
    score = model.score(*map(rw.Ranges, sides))
    for which, lettered in (("real", "R"), ("predicted", "P")):
        rows = scripts.call("rows", *(side(one) for one in sides), settings(model), which)
        for index, (script_row, row) in enumerate(zip(rows, getattr(score, which), strict=True)):
            assert (
                scripts.call("rowWords", settings(model), lettered == "R", script_row)
                == row_text(model, lettered, index, row).partition(": ")[2]
            )


@fewer_examples
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0"), max_size=30))
def test_quoted_text_round_trips_in_a_shell(scripts, text):
    quoted = scripts.call("quoted", text)
    assert visible(quoted) == quoted
    if visible(text) == text:
        assert shlex.split(quoted) == [text]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash, for which control characters are quoted")
@pytest.mark.parametrize("text", ["a\nrm -rf x", "it's\x1b[201~ $(id) \\n", "\u202eb\x7f\x07", "\x1b]0;title\x07", "tab\t1"])
def test_quoted_control_characters_round_trip_in_bash(scripts, text):
    quoted = scripts.call("quoted", text)
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    completed = subprocess.run(["bash", "-c", f"printf %s {quoted}"], capture_output=True, check=True, env=environment)
    assert completed.stdout.decode() == text


@st.composite
def facts(draw):
    count, real = draw(st.integers(1, 4)), draw(st.integers(0, 12))
    detectors = []
    for number in range(count):
        alarms, found = draw(st.integers(0, 2000)), draw(st.integers(0, real))
        missed = [f"R{k}" for k in range(min(real - found, 3))]
        detectors.append(
            DetectorFacts(
                name=f"d{number}", f=draw(shares | st.just(float("nan"))), found=found, alarms=alarms, false=draw(st.integers(0, alarms)),
                covered=draw(shares), alert_rate=draw(shares), pieces=draw(st.floats(0, 40)), baseline=draw(st.none() | shares),
                missed=missed,
            )
        )  # fmt: skip
    first = {one.name: draw(shares) for one in detectors} if count > 1 else None
    return VerdictFacts(
        real=real, real_share=draw(shares), alpha=draw(shares), beta=draw(st.sampled_from([0.5, 1.0, 2.0, 1.25])),
        reciprocal=draw(st.booleans()), detectors=detectors, first=first,
    )  # fmt: skip


@fewer_examples
@given(facts())
def test_verdict_matches_python(scripts, verdict_facts):
    script_facts = {**vars(verdict_facts), "detectors": [{**vars(one), "missed": list(one.missed)} for one in verdict_facts.detectors]}
    assert scripts.call("verdict", script_facts) == verdict(verdict_facts)
    assert scripts.call("headline", script_facts) == headline(verdict_facts)
    assert scripts.call("tiles", script_facts) == [list(tile) for tile in tiles(verdict_facts)]


@fewer_examples
@given(sides=side_pairs(), others=st.lists(side_pairs(), min_size=1, max_size=2), model=built_in_models())
def test_map_matches_the_ranking(scripts, sides, others, model):
    real, predicted = sides[0], {"a": sides[1]} | {f"b{number}": pair[1] for number, pair in enumerate(others)}
    ranking = rw.ranking(rw.Ranges(real), {name: rw.Ranges(one) for name, one in predicted.items()}, precision_bias=model.precision_bias)
    strips = scripts.call(
        "settingsMap",
        side(real),
        [side(one) for one in predicted.values()],
        settings(rw.RangeModel(**settings(model) | {"zero_division": 0.0})),
    )
    for strip in strips:
        for part in strip["parts"]:
            middle, width = (part["from"] + part["to"]) / 2, part["to"] - part["from"]
            if width < 1e-6:
                continue
            leaders = ranking.leaders(alpha=middle, beta=strip["beta"], bias=strip["bias"], cardinality=strip["cardinality"])
            assert leaders == tuple(list(predicted)[int(k)] for k in part["leaders"])
    shares_of = scripts.call("firstShares", strips, list(predicted))
    assert shares_of == pytest.approx(ranking.first, abs=1e-6)


@fewer_examples
@given(
    st.integers(1, 4).flatmap(
        lambda count: st.lists(st.lists(shares | st.just(float("nan")), min_size=count, max_size=count), min_size=1, max_size=4)
    )
)
def test_ranks_of_scoring_models_match_python(scripts, columns):
    ranks = [METRICS["range_fbeta"].ranks(column) for column in columns]
    assert [[int(rank) for rank in scripts.call("ranksOf", column)] for column in columns] == ranks
    assert scripts.call("contestWords", ranks) == contest_words(ranks)


def test_same_compares_bits():
    assert same(float("nan"), float("nan"))
    assert not same(0.1, 0.1 + 2**-55)
