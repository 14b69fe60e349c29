"""Detectors behind one interface: ``fit``, ``decision_function``, ``predict``, ``threshold_``. Any object with these fits in."""

from rangewise.detectors.base import Detector, DetectorLike, NotFittedError
from rangewise.detectors.baselines import Constant, MovingZScore, Random, ZScore
from rangewise.detectors.luminol_bitmap import LuminolBitmap, ShortSeriesWarning
from rangewise.detectors.luminol_default import LuminolDefault
from rangewise.detectors.storage import load
from rangewise.detectors.table import DETECTORS

__all__ = [
    "DETECTORS",
    "Constant",
    "Detector",
    "DetectorLike",
    "LuminolBitmap",
    "LuminolDefault",
    "MovingZScore",
    "NotFittedError",
    "Random",
    "ShortSeriesWarning",
    "ZScore",
    "load",
]
