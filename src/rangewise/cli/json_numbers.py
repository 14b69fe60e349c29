"""Numbers for JSON."""

from __future__ import annotations

import math


def finite(value: float) -> float | None:
    """JSON has no nan and no infinity; null stands for them."""
    return value if math.isfinite(value) else None
