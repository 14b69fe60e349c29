"""The old place of ``TimeRanges`` and ``parse_times``; goes in 0.3."""

import warnings

from rangewise.files.times import TimeRanges
from rangewise.instants import from_epoch, parse_times, time_index, time_text, to_epoch

__all__ = ["TimeRanges", "from_epoch", "parse_times", "time_index", "time_text", "to_epoch"]

warnings.warn("rangewise.datasets.times goes in 0.3; it is rangewise.files.times now", DeprecationWarning, stacklevel=2)
