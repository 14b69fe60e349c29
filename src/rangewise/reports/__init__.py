"""The page: one file to mail that says how good detectors are, and why."""

from rangewise.reports.page import Report, report

__all__ = ["Report", "report"]
