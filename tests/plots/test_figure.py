"""Without matplotlib, every plot says how to install it. How figures look is tested with the functions that draw them."""

import sys

import numpy as np
import pytest

import rangewise as rw
from rangewise.plots.timeline import draw_timeline

REAL, PREDICTED = [0, 0, 1, 1, 0, 0, 1, 0], [0, 0, 0, 1, 0, 1, 0, 0]
LANE = (np.array([0, 10], "datetime64[ns]").astype(np.int64), np.array([5, 15], "datetime64[ns]").astype(np.int64))
PLOTS = {
    "score": lambda: rw.score(REAL, PREDICTED).plot(),
    "curve": lambda: rw.RangeModel().curve(REAL, np.arange(8.0)).plot(),
    "confusion": lambda: rw.score_classes([(0, 4, "a")], [(1, 3, "b")]).confusion.plot(),
    "timeline": lambda: draw_timeline(LANE, {"rule": LANE}),
    "ranking": lambda: rw.ranking(REAL, {"a": PREDICTED, "b": REAL}).plot(),
}


@pytest.mark.parametrize("name", PLOTS)
def test_plot_without_matplotlib_says_how_to_install_it(monkeypatch, name):
    for module in ["matplotlib", *(module for module in sys.modules if module.startswith("matplotlib."))]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError, match=r"plots need matplotlib: pip install 'rangewise\[plots\]'"):
        PLOTS[name]()
