"""Findings to one verdict, by a total table: the worst wins, and nothing at all is ABSTAIN."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from medfence_guard.contract import Finding, Verdict


def _badness(verdict: Verdict) -> int:
    match verdict:
        case Verdict.PASS:
            return 0
        case Verdict.ABSTAIN:
            return 1
        case Verdict.FAIL:
            return 2
        case _:
            assert_never(verdict)


_WORST_FIRST = tuple(sorted(Verdict, key=_badness, reverse=True))


def worst_of(verdicts: Iterable[Verdict]) -> Verdict:
    """FAIL over ABSTAIN over PASS; of nothing, ABSTAIN."""
    found = tuple(verdicts)
    for verdict in _WORST_FIRST:
        if verdict in found:
            return verdict
    return Verdict.ABSTAIN


def aggregate(findings: Iterable[Finding], *, claims: int, verified: int, statements: int, accounted: int) -> Verdict:
    """FAIL if any finding FAILs; else ABSTAIN if any ABSTAINs, if there is none, if no claim was verified,
    or if a claim or a statement is unaccounted for; else PASS."""
    worst = worst_of(f.verdict for f in findings)
    if worst is not Verdict.PASS:
        return worst
    if claims == 0 or verified != claims or accounted != statements:
        return Verdict.ABSTAIN
    return Verdict.PASS
