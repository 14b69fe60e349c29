"""Detectors with one interface: ``fit``, ``decision_function``, ``predict``, ``threshold_``. Any object with these methods works."""

from rangewise.detectors.base import Detector, DetectorLike, NotFittedError, TooShortError
from rangewise.detectors.baselines import Constant, MovingZScore, Random, ZScore
from rangewise.detectors.function import FunctionDetector
from rangewise.detectors.greenhouse import Greenhouse
from rangewise.detectors.lstm_ad import LSTMAD, NoValidationRangeWarning
from rangewise.detectors.luminol_bitmap import LuminolBitmap, ShortSeriesWarning
from rangewise.detectors.luminol_default import LuminolDefault
from rangewise.detectors.nearest_window import NearestWindow
from rangewise.detectors.one_liners import (
    ONE_LINERS,
    AbsoluteDifference,
    MedianDeviation,
    MovingRange,
    MovingStd,
    OneLiner,
    SeasonalDifference,
    Value,
)
from rangewise.detectors.storage import load
from rangewise.detectors.sub_pca import SubPCA
from rangewise.detectors.table import DETECTORS
from rangewise.detectors.windows import Windowed

__all__ = [
    "DETECTORS",
    "LSTMAD",
    "ONE_LINERS",
    "AbsoluteDifference",
    "Constant",
    "Detector",
    "DetectorLike",
    "FunctionDetector",
    "Greenhouse",
    "LuminolBitmap",
    "LuminolDefault",
    "MedianDeviation",
    "MovingRange",
    "MovingStd",
    "MovingZScore",
    "NearestWindow",
    "NoValidationRangeWarning",
    "NotFittedError",
    "OneLiner",
    "Random",
    "SeasonalDifference",
    "ShortSeriesWarning",
    "SubPCA",
    "TooShortError",
    "Value",
    "Windowed",
    "ZScore",
    "load",
]
