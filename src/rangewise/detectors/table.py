"""The built-in detectors by the names on the command line and in saved files."""

from __future__ import annotations

from rangewise.detectors.base import Detector
from rangewise.detectors.baselines import Constant, MovingZScore, Random, ZScore
from rangewise.detectors.greenhouse import Greenhouse
from rangewise.detectors.lstm_ad import LSTMAD
from rangewise.detectors.luminol_bitmap import LuminolBitmap
from rangewise.detectors.luminol_default import LuminolDefault
from rangewise.detectors.nearest_window import NearestWindow
from rangewise.detectors.one_liners import ONE_LINERS
from rangewise.detectors.sub_pca import SubPCA

_OTHERS = (LSTMAD, Greenhouse, LuminolBitmap, LuminolDefault, NearestWindow, SubPCA, ZScore, MovingZScore, Random, Constant)
DETECTORS: dict[str, type[Detector]] = {**{kind.name: kind for kind in _OTHERS}, **ONE_LINERS}
"""All built-in detectors by their names on the command line."""
