"""Saves a fitted detector in one file: its arrays as safetensors, its settings as JSON in the header. Without pickle, so no code is run."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from rangewise.detectors.base import Detector, NotFittedError, State, TooShortError
from rangewise.files.source import parse_json
from rangewise.files.writing import written_whole
from rangewise.model.model import RangeModel
from rangewise.thresholds import BestF, Fixed, LogMAD, Quantile, Sigma

_KEY = "rangewise_detector"
_VERSION = 1
_TRIED = 300
"""Rows of the series that a loaded detector is tested on; fewer with many channels, to stay below the limit of numbers."""
_TRIED_NUMBERS = 1_000_000
_MOST_CHANNELS = 100_000
# Settings of files that were written by earlier versions, which change no score: networks were once trained by torch, on some threads.
_FORMER = {"threads"}
_POLICIES = {policy.__name__: policy for policy in (Fixed, Quantile, Sigma, LogMAD, BestF)}


def save(detector: Detector, path: str | Path) -> None:
    """Write a fitted built-in detector; :func:`load` restores it with identical scores."""
    from rangewise.detectors.table import DETECTORS

    if DETECTORS.get(detector.name) is not type(detector):
        raise TypeError(f"only the detectors of rangewise can be saved ({', '.join(DETECTORS)}); got {type(detector).__name__}")
    if not detector._state:
        raise NotFittedError(f"this {type(detector).__name__} is not fitted; call fit(values) first")
    settings = {item.name: _encoded(item.name, getattr(detector, item.name)) for item in fields(detector) if item.init}
    about = json.dumps({"version": _VERSION, "detector": detector.name, "settings": settings, "arrays": sorted(detector._state)})
    content = _safetensors().numpy.save(detector._state, {_KEY: about})
    with written_whole(path) as part:
        part.write_bytes(content)


def load(path: str | Path) -> Detector:
    """Load a detector that :meth:`Detector.save` wrote."""
    from rangewise.detectors.table import DETECTORS

    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"{file} is not a file; expected a detector that was saved by rangewise")
    about, state = _read(file)
    if about.get("version") != _VERSION:
        raise ValueError(f"{file} has version {about.get('version')!r} of the format; this rangewise reads version {_VERSION}")
    kind = DETECTORS.get(str(about.get("detector")))
    settings = about.get("settings")
    if kind is None or not isinstance(settings, dict):
        raise ValueError(f"{file} has an unknown detector {about.get('detector')!r}; expected one of {', '.join(DETECTORS)}")
    try:
        detector = kind(**{name: _decoded(value) for name, value in settings.items() if name not in _FORMER})
    except (TypeError, ValueError, KeyError, OverflowError, RecursionError) as error:
        raise ValueError(f"{file} has settings that {kind.__name__} does not accept: {error}") from error
    detector._state = state
    _check_state(detector, file)
    return detector


def _check_state(detector: Detector, file: Path) -> None:
    """Check the names, shapes and values of the learned arrays, and score a small series."""
    state, refusal = detector._state, f"{file} is not a valid {type(detector).__name__}"
    channels = state["channels"]
    if channels.shape != () or channels.dtype.kind not in "iu":
        raise ValueError(f"{refusal}: channels is an array of shape {channels.shape} and type {channels.dtype}; expected an integer")
    if not 1 <= int(channels) <= _MOST_CHANNELS:
        raise ValueError(f"{refusal}: it has {channels} channels")
    shapes = detector._learned_shapes(int(channels)) | {"threshold": ()}
    for name in sorted(shapes.keys() ^ (state.keys() - {"channels"})):
        raise ValueError(f"{refusal}: {name} is {'missing' if name in shapes else 'not one of its arrays'}")
    for name, shape in shapes.items():
        array = state[name]
        if array.shape != shape or array.dtype.kind != "f":
            raise ValueError(
                f"{refusal}: {name} has shape {array.shape} and type {array.dtype}; with its settings and {channels} channels, expected "
                f"numbers of shape {shape}"
            )
        # A threshold may be infinite: then nothing or everything is anomalous.
        if not (np.isfinite(array).all() if name != "threshold" else not np.isnan(array)):
            raise ValueError(f"{refusal}: {name} has numbers that are not finite")
    for name, divisors in (("spread", state.get("spread")), ("error_factor", np.diag(state.get("error_factor", np.eye(1))))):
        if divisors is not None and not (divisors > 0).all():
            raise ValueError(f"{refusal}: {name} has numbers that are not above 0, but values are divided by them")
    _try(detector, int(channels), refusal)


def _try(detector: Detector, channels: int, refusal: str) -> None:
    try:
        rows = min(_TRIED, max(1, _TRIED_NUMBERS // channels))
        detector.decision_function(np.outer(np.sin(np.arange(rows)), np.ones(channels)))
    except TooShortError:
        pass
    except ModuleNotFoundError:
        raise
    except Exception as error:  # settings that are valid one by one, such as windows that do not fit into memory
        raise ValueError(
            f"{refusal}: it cannot score with its settings: {(str(error).splitlines() or [type(error).__name__])[0]}"
        ) from error


def _read(file: Path) -> tuple[dict[str, Any], State]:
    safetensors = _safetensors()
    refusal = f"{file} is not a detector that was saved by rangewise"
    try:
        with safetensors.safe_open(file, framework="numpy") as opened:
            about = parse_json((opened.metadata() or {}).get(_KEY, "null"), f"the header of {file}")
            state = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118, not a mapping
    except (safetensors.SafetensorError, ValueError) as error:
        raise ValueError(f"{refusal}: {error}") from error
    if not isinstance(about, dict):
        raise ValueError(f"{refusal}: its header has no such entry")
    arrays = about.get("arrays")
    if not isinstance(arrays, list) or sorted(state) != arrays or not {"channels", "threshold"} <= state.keys():
        raise ValueError(f"{refusal}: its arrays differ from those in its header")
    return about, state


def _encoded(name: str, value: Any) -> Any:
    """A setting as JSON: a model as its text, a threshold policy by its name and settings."""
    if isinstance(value, RangeModel):
        if any(callable(getattr(value, item.name)) for item in fields(value) if item.init):
            raise TypeError(f"{name} has a custom function, which cannot be saved: {value}")
        return {"model": str(value)}
    if type(value) in _POLICIES.values():
        return {"policy": type(value).__name__, **{item.name: _encoded(name, getattr(value, item.name)) for item in fields(value)}}
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "choose"):
        raise TypeError(f"{name} is a custom policy, which cannot be saved; set it to the number that it chose, threshold_")
    return value


def _decoded(value: Any) -> Any:
    if isinstance(value, dict) and "policy" in value:
        return _POLICIES[value["policy"]](**{name: _decoded(setting) for name, setting in value.items() if name != "policy"})
    return RangeModel.parse(value["model"]) if isinstance(value, dict) else value


def _safetensors() -> Any:
    try:
        import safetensors.numpy
    except ImportError as error:
        raise ModuleNotFoundError("saving and loading detectors needs safetensors: pip install 'rangewise[detectors]'") from error
    return safetensors
