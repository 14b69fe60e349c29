"""Options of the model, the same for every command."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from rangewise.checks import unknown_name
from rangewise.cli.inputs import beginning_with
from rangewise.model.bias import BIASES
from rangewise.model.cardinality import CARDINALITIES
from rangewise.model.model import RangeModel
from rangewise.model.presets import PRESETS

_PANEL = "Model"
_BIASES, _CARDINALITIES = ", ".join(BIASES), ", ".join(CARDINALITIES)


def _option(*names: str, text: str, known: Iterable[str] | None = None) -> Any:
    offered = None if known is None else beginning_with(known)
    return typer.Option(*names, help=text, rich_help_panel=_PANEL, autocompletion=offered)


@dataclass(frozen=True, kw_only=True)
class ModelFlags:
    """A model: a preset or a printed model, changed by the given settings."""

    preset: Annotated[str | None, _option("--preset", text=f"Start from a preset: {', '.join(PRESETS)}.", known=PRESETS)] = None
    model: Annotated[str | None, _option("--model", text='Start from a printed model, e.g. "RangeModel(alpha=0.5)".')] = None
    alpha: Annotated[
        float | None, _option("--alpha", text="Weight of the existence reward (any overlap at all) in recall, 0 to 1. Default 0.")
    ] = None
    beta: Annotated[float | None, _option("--beta", text="Weight of recall in F-beta, above 0. Default 1.")] = None
    bias: Annotated[str | None, _option("--bias", text=f"Positional bias of both sides: {_BIASES}. Default flat.", known=BIASES)] = None
    recall_bias: Annotated[str | None, _option("--recall-bias", text="Positional bias of recall.", known=BIASES)] = None
    precision_bias: Annotated[str | None, _option("--precision-bias", text="Positional bias of precision.", known=BIASES)] = None
    cardinality: Annotated[
        str | None,
        _option(
            "--cardinality",
            text=f"Cardinality factor for several overlaps, both sides: {_CARDINALITIES}. Default one.",
            known=CARDINALITIES,
        ),
    ] = None
    recall_cardinality: Annotated[str | None, _option("--recall-cardinality", text="Cardinality factor of recall.")] = None
    precision_cardinality: Annotated[str | None, _option("--precision-cardinality", text="Cardinality factor of precision.")] = None
    precision_weight: Annotated[
        str | None, _option("--precision-weight", text="How predicted ranges are averaged: range (equally) or length.")
    ] = None
    as_points: Annotated[str | None, _option("--as-points", text="Score these ranges point by point: real, predicted or both.")] = None
    zero_division: Annotated[
        float | None,
        _option("--zero-division", text="Precision without predictions, and recall without anomalies: 0, 1 or nan. Default 0."),
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
