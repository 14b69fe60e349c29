"""Options of the model, the same for every command."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

import typer

from rangewise.checks import unknown_name
from rangewise.cli.inputs import beginning_with
from rangewise.model.bias import BIASES
from rangewise.model.cardinality import CARDINALITIES
from rangewise.model.model import RangeModel
from rangewise.model.presets import PRESETS

_BIASES, _CARDINALITIES = ", ".join(BIASES), ", ".join(CARDINALITIES)
_option = partial(typer.Option, rich_help_panel="Model")
_bias = partial(_option, autocompletion=beginning_with(BIASES))


@dataclass(frozen=True, kw_only=True)
class ModelFlags:
    """A model: a preset or a printed model, changed by the given settings."""

    preset: Annotated[str | None, _option(help=f"Start from a preset: {', '.join(PRESETS)}.", autocompletion=beginning_with(PRESETS))] = (
        None
    )
    model: Annotated[str | None, _option(help='Start from a printed model, e.g. "RangeModel(alpha=0.5)".')] = None
    alpha: Annotated[float | None, _option(help="Weight of the existence reward (any overlap at all) in recall, 0 to 1. Default 0.")] = None
    beta: Annotated[float | None, _option(help="Weight of recall in F-beta, above 0. Default 1.")] = None
    bias: Annotated[str | None, _bias(help=f"Positional bias of both sides: {_BIASES}. Default flat.")] = None
    recall_bias: Annotated[str | None, _bias(help="Positional bias of recall.")] = None
    precision_bias: Annotated[str | None, _bias(help="Positional bias of precision.")] = None
    cardinality: Annotated[
        str | None,
        _option(
            help=f"Cardinality factor for several overlaps, both sides: {_CARDINALITIES}. Default one.",
            autocompletion=beginning_with(CARDINALITIES),
        ),
    ] = None
    recall_cardinality: Annotated[str | None, _option(help="Cardinality factor of recall.")] = None
    precision_cardinality: Annotated[str | None, _option(help="Cardinality factor of precision.")] = None
    precision_weight: Annotated[str | None, _option(help="How predicted ranges are averaged: range (equally) or length.")] = None
    as_points: Annotated[str | None, _option(help="Score these ranges point by point: real, predicted or both.")] = None
    zero_division: Annotated[
        float | None, _option(help="Precision without predictions, and recall without anomalies: 0, 1 or nan. Default 0.")
    ] = None

    def chosen(self) -> RangeModel:
        """The preset or the printed model, changed by the other options."""
        changes = {name: value for name, value in vars(self).items() if value is not None}
        preset, text = changes.pop("preset", None), changes.pop("model", None)
        if preset is not None and text is not None:
            raise ValueError("--preset and --model both set the model; choose one")
        if preset is not None and preset not in PRESETS:
            raise unknown_name("--preset", preset, tuple(PRESETS))
        begin = PRESETS[preset] if preset is not None else RangeModel.parse(text) if text is not None else RangeModel()
        for both in ("bias", "cardinality"):
            if (value := changes.pop(both, None)) is not None:
                changes = {f"recall_{both}": value, f"precision_{both}": value} | changes
        return replace(begin, **changes)
