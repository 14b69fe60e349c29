"""Models that the paper recommends, by name (Tatbul et al. 2018, sections 3.3 and 4)."""

from __future__ import annotations

from rangewise.model.model import RangeModel

classical = RangeModel(as_points="both")
"""Classical point-wise precision and recall, a special case of the range model."""

early = RangeModel(recall_bias="front")
"""Finding the beginning counts most: real-time alarms, diagnosis."""

late = RangeModel(recall_bias="back")
"""Finding the end counts most: reactions that cannot be undone."""

centered = RangeModel(recall_bias="middle")
"""Neither too early nor too late: braking of a self-driving car."""

unfragmented = RangeModel(cardinality="reciprocal")
"""One anomaly, one alarm: a range found in x pieces keeps 1/x of its reward, on both sides."""

numenta_standard = RangeModel(recall_bias="front", as_points="predicted")
"""Like the Numenta benchmark's standard profile: early points count, F1."""

numenta_low_fp = RangeModel(recall_bias="front", as_points="predicted", beta=0.5)
"""Like the Numenta profile that rewards few false positives: F0.5."""

numenta_low_fn = RangeModel(recall_bias="front", as_points="predicted", beta=2.0)
"""Like the Numenta profile that rewards few false negatives: F2."""

PRESETS: dict[str, RangeModel] = {
    "classical": classical,
    "early": early,
    "late": late,
    "centered": centered,
    "unfragmented": unfragmented,
    "numenta_standard": numenta_standard,
    "numenta_low_fp": numenta_low_fp,
    "numenta_low_fn": numenta_low_fn,
}
"""All presets by name."""
