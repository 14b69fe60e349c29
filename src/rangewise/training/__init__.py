"""The model as a loss, and as a metric in a training loop. Needs torch."""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ModuleNotFoundError("rangewise.training needs torch: pip install 'rangewise[training]'") from error

from rangewise.training.loss import RangeLoss
from rangewise.training.metric import RangeMetric

__all__ = ["RangeLoss", "RangeMetric"]
