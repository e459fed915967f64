"""All checks, in one explicit tuple."""

from __future__ import annotations

from medfence_guard.checks import assertion, completeness, grounding, reference, source
from medfence_guard.checks.check import Check

ALL_CHECKS: tuple[Check, ...] = (*source.CHECKS, *grounding.CHECKS, *reference.CHECKS, *assertion.CHECKS, *completeness.CHECKS)

__all__ = ["ALL_CHECKS", "Check"]
