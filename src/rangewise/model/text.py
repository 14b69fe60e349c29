"""A model as one line of text, back again, and as a short hash."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from rangewise.model.bias import bias_weights, flat
from rangewise.model.cardinality import cardinality_factor, takes_length

if TYPE_CHECKING:
    from rangewise.model.model import RangeModel

# The arguments at which users' functions are evaluated to distinguish them.
_PROBED_LENGTHS = range(1, 17)
_PROBED_OVERLAPS = range(2, 17)


def _settings(model: RangeModel) -> dict[str, Any]:
    return {item.name: getattr(model, item.name) for item in fields(model) if item.init}


def model_text(model: RangeModel) -> str:
    """``RangeModel(alpha=0.5, ...)`` with the settings that differ from the defaults; a user's function by its name."""
    default = _settings(type(model)())
    changed = {
        name: getattr(value, "__name__", type(value).__name__) if callable(value) else repr(value)
        for name, value in _settings(model).items()
        if value != default[name]
    }
    return f"RangeModel({', '.join(f'{name}={text}' for name, text in changed.items())})"


def parse_model(text: str, functions: Mapping[str, Callable[..., Any]]) -> RangeModel:
    from rangewise.checks import shown, unknown_name
    from rangewise.model.model import RangeModel, option_names

    expected = "a model prints like RangeModel(alpha=0.5, recall_bias='front')"
    if not isinstance(text, str):
        raise TypeError(f"{expected}; got {shown(text)}")
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except (RecursionError, MemoryError) as error:  # Python's parser gives up on deep nesting with either
        raise ValueError(f"{expected}; got a text that is nested too deeply, {shown(text)}") from error
    except SyntaxError as error:
        hint = "; a lambda has no name to read back: define the function with def" if "<lambda>" in text else ""
        raise ValueError(f"{expected}; got {text!r}{hint}") from error
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "RangeModel" and not call.args):
        raise ValueError(f"{expected}; got {text!r}")
    options: dict[str, Any] = {}
    for keyword in call.keywords:
        if keyword.arg not in option_names():
            raise unknown_name("a setting", keyword.arg, option_names())
        if keyword.arg in options:
            raise ValueError(f"{keyword.arg} is given twice in {shown(text)}; give each setting once")
        options[keyword.arg] = _value(keyword.arg, keyword.value, functions)
    return RangeModel(**options)


def _value(name: str, node: ast.expr, functions: Mapping[str, Callable[..., Any]]) -> Any:
    if isinstance(node, ast.Name):
        if node.id == "nan":
            return math.nan
        if node.id not in functions:
            raise ValueError(f"{name} is a function named {node.id}; give it as functions={{{node.id!r}: {node.id}}}")
        return functions[node.id]
    try:
        return ast.literal_eval(node)
    except (ValueError, RecursionError) as error:
        try:
            got = ast.unparse(node)
        except RecursionError:  # before or here: some versions of literal_eval refuse deep nesting as ValueError
            got = "a text that is nested too deeply"
        raise ValueError(f"{name} is a number, a name in quotes or a function's name; got {got}") from error


def model_hash(model: RangeModel) -> str:
    from hashlib import sha256

    parts = [model_text(model)]
    for name, value in _settings(model).items():
        if not callable(value):
            continue
        if name.endswith("bias"):
            probes: list[Any] = [bias_weights(value, length).tolist() for length in _PROBED_LENGTHS]
        elif name.endswith("cardinality"):
            probes = [
                cardinality_factor(value, overlaps, length)
                for length in (_PROBED_LENGTHS if takes_length(value) else (None,))
                for overlaps in _PROBED_OVERLAPS
                if length is None or overlaps <= length
            ]
        else:
            probes = [float(value((0, length), (0, covered), flat)) for length in _PROBED_LENGTHS for covered in range(1, length + 1)]
        parts.append(f"{name}:{np.round(np.concatenate([np.atleast_1d(probe) for probe in probes]), 12).tolist()}")
    return sha256("\n".join(parts).encode()).hexdigest()[:8]
