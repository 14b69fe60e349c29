"""The options that set a model, the same for every command."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
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
    return typer.Option(*names, help=text, rich_help_panel=_PANEL, show_default=False, autocompletion=offered)


Preset = Annotated[str | None, _option("--preset", text=f"Begin with one of: {', '.join(PRESETS)}.", known=PRESETS)]
ModelText = Annotated[str | None, _option("--model", text='Begin with a model as it prints, e.g. "RangeModel(alpha=0.5)".')]
Alpha = Annotated[float | None, _option("--alpha", text="Weight of being found at all, 0..1. Default 0.")]
Beta = Annotated[float | None, _option("--beta", text="Weight of recall in F, above 0. Default 1.")]
Bias = Annotated[str | None, _option("--bias", text=f"Positional bias of both sides: {_BIASES}. Default flat.", known=BIASES)]
RecallBias = Annotated[str | None, _option("--recall-bias", text="Positional bias of recall.", known=BIASES)]
PrecisionBias = Annotated[str | None, _option("--precision-bias", text="Positional bias of precision.", known=BIASES)]
Cardinality = Annotated[
    str | None,
    _option("--cardinality", text=f"Factor of several overlaps, both sides: {_CARDINALITIES}. Default one.", known=CARDINALITIES),
]
RecallCardinality = Annotated[str | None, _option("--recall-cardinality", text="Factor of several overlaps, recall.")]
PrecisionCardinality = Annotated[str | None, _option("--precision-cardinality", text="Factor of several overlaps, precision.")]
PrecisionWeight = Annotated[str | None, _option("--precision-weight", text="Predicted ranges count each as a range, or by length.")]
AsPoints = Annotated[str | None, _option("--as-points", text="Score real, predicted or both sides as points.")]
ZeroDivision = Annotated[float | None, _option("--zero-division", text="What a mean over nothing is: 0, 1 or nan. Default 0.")]


def model_from(*, preset: str | None, model: str | None, bias: str | None, cardinality: str | None, **settings: Any) -> RangeModel:
    """The preset or the printed model, changed by the options that were given."""
    if preset is not None and model is not None:
        raise ValueError("--preset and --model both give a whole model; choose one")
    if preset is not None and preset not in PRESETS:
        raise unknown_name("--preset", preset, tuple(PRESETS))
    begin = PRESETS[preset] if preset is not None else RangeModel.parse(model) if model is not None else RangeModel()
    changes: dict[str, Any] = {}
    for both, value in (("bias", bias), ("cardinality", cardinality)):
        if value is not None:
            changes |= {f"recall_{both}": value, f"precision_{both}": value}
    changes |= {name: value for name, value in settings.items() if value is not None}
    return replace(begin, **changes)
