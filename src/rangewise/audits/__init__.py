"""Audits: may a data set be believed? Flaws of its series, found before detectors are compared on them."""

from rangewise.audits.auditing import audit
from rangewise.audits.finding import CHECKS, Check, Finding
from rangewise.audits.result import Audit

__all__ = ["CHECKS", "Audit", "Check", "Finding", "audit"]
