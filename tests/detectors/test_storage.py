import json
from dataclasses import fields

import numpy as np
import pytest

import rangewise as rw
from rangewise.detectors import (
    LSTMAD,
    Constant,
    Greenhouse,
    LuminolBitmap,
    LuminolDefault,
    MovingStd,
    MovingZScore,
    NearestWindow,
    Random,
    SeasonalDifference,
    SubPCA,
    ZScore,
    load,
)
from rangewise.detectors.one_liners import ONE_LINERS
from rangewise.detectors.table import DETECTORS
from rangewise.thresholds import BestF, Fixed, LogMAD, Quantile

numpy_format = pytest.importorskip("safetensors.numpy")

VALUES = np.sin(np.arange(300) / 5)


@pytest.mark.parametrize(
    "detector",
    [
        Random(seed=5), Constant(score=0.25), ZScore(threshold=1.5), ZScore(threshold=Quantile(0.9)),
        MovingZScore(window=7, impute="linear"),
        LuminolDefault(), LuminolBitmap(lag=30, future=25, sections=3),
        NearestWindow(window=20, close_gaps=4), NearestWindow(window=10, normalize=True, most=30), SubPCA(window=20, threshold=LogMAD(3)),
        ZScore(threshold=BestF(rw.RangeModel(recall_bias="front", beta=0.5))),
        *(kind() for kind in ONE_LINERS.values()), SeasonalDifference(period=40), MovingStd(window=7, threshold=np.inf),
        ZScore(threshold=np.float64(1.5)),
    ],
    ids=repr,
)  # fmt: skip
def test_round_trip(detector, tmp_path):
    detector.fit(VALUES, [(10, 20)]).save(tmp_path / "fitted.safetensors")
    loaded = load(tmp_path / "fitted.safetensors")
    assert repr(loaded) == repr(detector)
    assert loaded.threshold_ == detector.threshold_
    np.testing.assert_array_equal(loaded.decision_function(VALUES), detector.decision_function(VALUES))
    assert [path.name for path in tmp_path.iterdir()] == ["fitted.safetensors"]


def file_with(about, **arrays):
    return numpy_format.save(arrays, {"rangewise_detector": about if isinstance(about, str) else json.dumps(about)})


STATE = {"channels": np.array(1), "threshold": np.array(1.0), "mean": np.zeros(1), "spread": np.ones(1)}


def nested_policies(depth):
    return {"policy": "BestF", "model": nested_policies(depth - 1)} if depth else 1


def about(**changes):
    """The header of a saved z-score with changes."""
    return {"version": 1, "detector": "z-score", "settings": {}, "arrays": sorted(STATE)} | changes


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a detector that was saved by rangewise"),
        (b"\x80\x04K\x01.", "is not a detector that was saved by rangewise"),
        (b"0\n1\n" * 100, "is not a detector that was saved by rangewise"),
        (numpy_format.save({"weight": np.zeros(3)}), "its header has no such entry"),
        (file_with("no json", **STATE), "is not a detector"),
        (file_with([1], **STATE), "its header has no such entry"),
        (file_with(about(), channels=np.array(1)), "its arrays differ from those"),
        (file_with(about(version=2), **STATE), "version 2 of the format"),
        (file_with(about(detector="os.system"), **STATE), "unknown detector 'os.system'; expected"),
        (file_with(about(settings={"color": 1}), **STATE), "settings that ZScore does not accept"),
        (file_with(about(settings={"threshold": {"policy": "Own"}}), **STATE), "does not accept"),
        (file_with(about(settings={"threshold": 10**400}), **STATE), "does not accept"),
        (file_with(about(), **STATE | {"mean": np.zeros(5)}), r"mean has shape \(5,\) .* 1 channels, expected numbers of shape \(1,\)"),
        (file_with(about(), **STATE | {"threshold": np.zeros(2)}), r"threshold has shape \(2,\) .* of shape \(\)"),
        (file_with(about(), **STATE | {"threshold": np.array(np.nan)}), "threshold has numbers that are not finite"),
        (file_with(about(), **STATE | {"mean": np.array([np.inf])}), "mean has numbers that are not finite"),
        (file_with(about(), **STATE | {"mean": np.array([1])}), "mean has shape .* and type int64"),
        (file_with(about(), **STATE | {"spread": np.zeros(1)}), "spread has numbers that are not above 0"),
        (file_with(about(detector="random", settings={"seed": "x"}), **STATE), "seed is a whole number; got 'x'"),
        (file_with(about(detector="random"), **STATE), "mean is not one of its arrays"),
        (file_with(about(detector="constant", settings={"score": [1]}), **STATE), r"score is a number; got \[1\]"),
        (file_with(about(detector="lstm-ad", settings={"hidden": 10**5}), **STATE), "is not a valid LSTMAD"),
        (file_with(about(detector="lstm-ad", settings={"parts": 3}), **STATE), "parts must be two shares"),
        (file_with(about(detector="lstm-ad", settings={"dropout": "x"}), **STATE), "dropout is a number; got 'x'"),
        (file_with(about(detector="greenhouse", settings={"quantile": None}), **STATE), "quantile is a number; got None"),
        (file_with(about(), **STATE | {"channels": np.array(1.5)}), "channels is an array of shape .* and type float64"),
        (file_with(about(), **STATE | {"channels": np.array(0)}), "it has 0 channels"),
        (file_with(about(), **STATE | {"channels": np.array(2**62)}), "it has 4611686018427387904 channels"),
        (file_with(about(detector="lstm-ad"), **STATE), "is not a valid LSTMAD"),
        (file_with("[" * 100_000, **STATE), "nested too deeply"),
        (file_with('{"a": ' + "9" * 5000 + "}", **STATE), "too many digits"),
        (file_with(about(settings={"threshold": nested_policies(500)}), **STATE), "does not accept"),
        (file_with(about(settings={"threshold": {"model": 3}}), **STATE), "does not accept"),
        (file_with(about(detector="luminol-bitmap", settings={"sections": 10**9}), **STATE), "sections is at most"),
        *(
            (file_with(about(detector=detector, settings={name: 10**9}), **STATE), f"{name} is at most")
            for detector in ("lstm-ad", "greenhouse")
            for name in ("layers", "look_ahead", "hidden", "epochs", "batch")
        ),
    ],
)
def test_rejects_other_files(content, message, tmp_path):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        load(tmp_path / "file")


@pytest.mark.parametrize("detector", [LSTMAD(hidden=3, layers=2, look_ahead=2), Greenhouse(hidden=3, layers=1, look_ahead=2)], ids=repr)
def test_arrays_of_networks_must_have_their_shape(detector, tmp_path):
    shapes = detector._learned_shapes(2)
    state = {name: np.full(shape, 0.1) for name, shape in shapes.items()} | {"error_factor": np.eye(4), "spread": np.ones(2)}
    state |= {"channels": np.array(2), "threshold": np.array(1.0)}
    header = {"version": 1, "detector": detector.name, "settings": {"hidden": 3, "layers": detector.layers, "look_ahead": 2}}

    def store_and_load(changed):
        (tmp_path / "file").write_bytes(file_with(header | {"arrays": sorted(changed)}, **changed))
        return load(tmp_path / "file")

    smaller = {name: array.astype(np.float32) if "network" in name else array for name, array in state.items()}
    assert store_and_load(smaller)._state.keys() == state.keys()
    for name, shape in shapes.items():
        for wrong in (np.ones((*shape, 1)), np.ones((7, *shape[1:])) if shape else np.ones(1), np.full(shape, np.nan)):
            with pytest.raises(ValueError, match=f"{name} has "):
                store_and_load(state | {name: wrong})
        with pytest.raises(ValueError, match=f"{name} is missing"):
            store_and_load({other: array for other, array in state.items() if other != name})
    with pytest.raises(ValueError, match="error_factor has numbers that are not above 0"):
        store_and_load(state | {"error_factor": np.zeros((4, 4))})


@pytest.mark.parametrize("kind", DETECTORS.values())
def test_integers_of_saved_detectors_are_bounded(kind):
    """A number that becomes a size, a count or a number of threads is refused before it is used."""
    for item in fields(kind):
        if item.init and item.type in ("int", "int | None") and item.name != "seed":
            with pytest.raises(ValueError, match=f"{item.name} is at most"):
                kind(**{item.name: 2**62 + 1})


@pytest.mark.parametrize("rule", [Fixed(np.float32(1.5)), Quantile(np.float64(0.9)), BestF(close_gaps=np.int64(2))], ids=repr)
def test_rules_with_numbers_of_numpy_are_saved_as_plain_numbers(rule, tmp_path):
    detector = ZScore(threshold=rule).fit(VALUES, [(10, 20)])
    detector.save(tmp_path / "fitted")
    assert load(tmp_path / "fitted").threshold == rule


def test_threads_in_older_files_are_ignored(tmp_path):
    """Networks were once trained by torch on a number of threads, which scores do not depend on."""
    detector = Greenhouse(hidden=3, epochs=1).fit(np.sin(np.arange(200.0)))
    detector.save(tmp_path / "new")
    settings = {"hidden": 3, "epochs": 1, "threads": 2}
    (tmp_path / "old").write_bytes(
        file_with(about(detector="greenhouse", settings=settings, arrays=sorted(detector._state)), **detector._state)
    )
    np.testing.assert_array_equal(load(tmp_path / "old").predict(VALUES), load(tmp_path / "new").predict(VALUES))


def test_rejects_detectors_that_cannot_be_saved(tmp_path):
    with pytest.raises(ValueError, match="is not fitted"):
        ZScore().save(tmp_path / "fitted")

    class CustomRule:
        def choose(self, scores, real=None):
            return 1.0

    with pytest.raises(TypeError, match="custom policy"):
        ZScore(threshold=CustomRule()).fit(VALUES).save(tmp_path / "fitted")
    lstm = LSTMAD(model=rw.RangeModel(bias=lambda positions, length: positions * 1.0))
    lstm._state = dict(STATE)
    with pytest.raises(TypeError, match="custom function"):
        lstm.save(tmp_path / "fitted")
    with pytest.raises(FileNotFoundError):
        ZScore().fit(VALUES).save(tmp_path / "absent" / "fitted")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError, match="is not a file"):
        load(tmp_path / "nothing")
