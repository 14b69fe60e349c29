"""TSB-AD files: ``Data,Label``, one row per point, with the end of the training part in the name.

In ``001_NAB_id_1_Facility_tr_1007_1st_2014.csv``, the training part is rows 0 to 1007 with the end excluded.
"""

from __future__ import annotations

import re

from rangewise.files.formats.base import ONE_ROW_PER_POINT, Format, values_of
from rangewise.files.series import TIME_COLUMN, Series, series_columns, series_of
from rangewise.files.source import SourceLike, as_source

LABEL = "Label"
_TRAINING = re.compile(r"_tr_(\d+)_")


def read_tsb_ad(path: SourceLike) -> Series:
    """A TSB-AD file: one or several columns of data, the last column ``Label``."""
    source = as_source(path)
    *values, label = source.table.columns
    if label != LABEL or not values:
        raise ValueError(f"{source.name} has the columns {', '.join(source.table.columns)}; TSB-AD has columns of data, then {LABEL}")
    training = _TRAINING.search(source.file_name)
    train = (0, int(training[1])) if training and int(training[1]) else None
    return series_of(source, values=values, label=label, train=train)


FORMAT = Format(
    name="tsb-ad",
    about="TSB-AD: Data,Label",
    end=ONE_ROW_PER_POINT,
    kinds=("table",),
    looks=lambda source: len(source.columns) > 1 and source.columns[-1] == LABEL and source.columns[0] != TIME_COLUMN,
    reads=lambda source, how: read_tsb_ad(source),
    writes=lambda annotations, name: series_columns(values_of(annotations, "tsb-ad"), timestamp=None, value="Data", label=LABEL),
)
