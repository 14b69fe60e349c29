import json

import numpy as np
import pytest

from rangewise.datasets import KINDS, Anomalies, Recipe, generate, make_series

PINNED_RANGES = [(122, 128), (286, 291)]
PINNED_VALUES = [0.35, 0.5, 0.35000000000000003, 0.05775181021484255]


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(),
        Recipe(base="timeguided", length=123, seed=2**80),
        Recipe(base="ecg", channels=3, noise=0.25, period=99.5, low=-3, high=7),
        Recipe(anomalies=Anomalies(kinds=["mean", "trend"], exact_lengths=[3, 9], gap=4, strength=(0.25, 2), part=(10, 900))),
        Recipe(anomalies=Anomalies(number=0)),
    ],
)
def test_json_round_trip_gives_the_same_series(recipe):
    loaded = Recipe.from_json(recipe.to_json())
    assert loaded == recipe
    assert make_series(loaded).values.tobytes() == make_series(recipe).values.tobytes()


def test_json_contains_every_default():
    content = json.loads(Recipe(base="timeguided").to_json())
    assert content["version"] == 1
    assert content["anomalies"]["kinds"] == ["inversion"]
    assert json.loads(Recipe().to_json())["anomalies"]["kinds"] == list(KINDS)
    assert (content["low"], content["high"], content["period"], content["noise"]) == (0.0, 1.0, None, 0.0)


def test_series_of_version_1_do_not_change():
    # The values of a recipe never change within a version. These were recorded when version 1 was written.
    series = make_series(Recipe(base="sine", length=400, seed=9, anomalies=Anomalies(kinds="mean", number=2, lengths=(5, 9))))
    assert list(series.real) == PINNED_RANGES
    np.testing.assert_allclose(series.values[[0, 90, 180, PINNED_RANGES[0][0]], 0], PINNED_VALUES, rtol=1e-12)


def test_own_values_are_checked():
    values = np.arange(300.0)
    series = generate(values, seed=1)
    recipe = Recipe(base="own", length=300, seed=1, source={"sha256": "0" * 64})
    from rangewise.generate.maker import as_own

    with pytest.raises(ValueError, match="give that series too"):
        make_series(recipe)
    with pytest.raises(ValueError, match="is not the one that the recipe was written for"):
        make_series(recipe, own=as_own(values))
    plain = Recipe(base="own", length=300, seed=1)
    assert (make_series(plain, own=as_own(values)).values == series.values).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "a recipe is JSON"),
        ("[]", "a JSON object with"),
        ('{"version": 1}', "a JSON object with"),
        ('{"generator": "rangewise", "version": 2}', "recipe of version 2; this release makes series of version 1"),
        ('{"generator": "rangewise", "version": 1, "lenght": 3}', "did you mean 'length'"),
        ('{"generator": "rangewise", "version": 1, "anomalies": {"kind": []}}', "did you mean 'kinds'"),
        ('{"generator": "rangewise", "version": 1, "anomalies": 3}', "is an object; got 3"),
        ('{"generator": "rangewise", "version": 1, "base": "cosine"}', "base is one of .*; did you mean 'sine'"),
    ],
)
def test_rejects_bad_recipes(text, message):
    with pytest.raises(ValueError, match=message):
        Recipe.from_json(text)
