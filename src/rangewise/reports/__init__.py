"""The report: a self-contained HTML file that says how good detectors are, and why."""

from rangewise.reports.page import Report, report

__all__ = ["Report", "report"]
