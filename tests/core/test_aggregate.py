"""Findings to one verdict, against an oracle of its own: the worst wins, and a page not all accounted for is no PASS."""

from __future__ import annotations

import itertools

import pytest

from medfence_guard import Evidence, Finding, Severity, Verdict
from medfence_guard.aggregate import aggregate, worst_of

BADNESS = {Verdict.PASS: 0, Verdict.ABSTAIN: 1, Verdict.FAIL: 2}


@pytest.mark.parametrize("verdicts", [many for n in (1, 2, 3) for many in itertools.product(Verdict, repeat=n)])
def test_the_worst_verdict_wins_in_any_order(verdicts):
    assert BADNESS[worst_of(iter(verdicts))] == max(BADNESS[one] for one in verdicts)


def test_nothing_at_all_is_an_abstention():
    assert worst_of([]) is Verdict.ABSTAIN
    assert aggregate([], claims=1, verified=1, statements=1, accounted=1) is Verdict.ABSTAIN


def _finding(verdict: Verdict) -> Finding:
    return Finding("grounding.name", "$.medications[0].name", verdict, Severity.CRITICAL, (Evidence(kind="rule", rule_id="r"),), "m")


@pytest.mark.parametrize(("claims", "verified", "statements", "accounted"), list(itertools.product((0, 1, 2), repeat=4)))
def test_only_a_page_that_is_all_accounted_for_passes(claims, verified, statements, accounted):
    counts = {"claims": claims, "verified": verified, "statements": statements, "accounted": accounted}
    whole = claims > 0 and verified == claims and accounted == statements
    passed = aggregate([_finding(Verdict.PASS)], **counts)
    assert passed is (Verdict.PASS if whole else Verdict.ABSTAIN)
    for worse in (Verdict.ABSTAIN, Verdict.FAIL):
        assert aggregate([_finding(Verdict.PASS), _finding(worse)], **counts) is worse
