"""The self-contained HTML report."""

from rangewise.reports.arguments import report
from rangewise.reports.page import Report

__all__ = ["Report", "report"]
