"""The self-contained HTML report."""

from rangewise.reports.page import Report, report

__all__ = ["Report", "report"]
