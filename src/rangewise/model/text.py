"""Read a model from its one line of text."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rangewise.model.model import RangeModel


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
