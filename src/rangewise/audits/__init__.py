"""Audits: find flaws in the series of a data set before comparing detectors on them."""

from rangewise.audits.auditing import audit
from rangewise.audits.finding import CHECKS, Check, Finding
from rangewise.audits.result import Audit

__all__ = ["CHECKS", "Audit", "Check", "Finding", "audit"]
