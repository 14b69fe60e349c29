from xml.etree import ElementTree

import numpy as np

from rangewise.inputs.case import Case
from rangewise.inputs.ranges import Ranges
from rangewise.model.model import RangeModel
from rangewise.reports.clock import clock_of
from rangewise.reports.entries import make_entries
from rangewise.reports.timeline import timeline_svg


def test_svg_is_well_formed_and_separates_found_from_false():
    real, clock = Ranges([(10, 20)]), clock_of(100, None)
    entries = make_entries({"<b>&": Case.read(real, [(15, 18), (40, 41)], length=100)}, RangeModel(), clock, False)
    picture = ElementTree.fromstring(timeline_svg(real, entries, clock, np.where(np.arange(100) == 5, np.nan, np.arange(100.0))))
    shapes = {path.get("class"): path.get("d") for path in picture.iter() if path.get("class")}
    assert shapes["found"].count("M") == 1
    assert shapes["false"].count("M") == 1
    assert "<b>&" in picture.get("aria-label")
    assert timeline_svg(real, entries, clock, np.full(100, np.nan))
