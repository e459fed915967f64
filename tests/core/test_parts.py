"""The parts of the core by themselves, where no row of source and payload can tell two ways apart."""

from __future__ import annotations

import itertools

import pytest

from medfence_guard import Verdict
from medfence_guard.aggregate import aggregate, worst_of

BADNESS = {Verdict.PASS: 0, Verdict.ABSTAIN: 1, Verdict.FAIL: 2}


@pytest.mark.parametrize("verdicts", [many for n in (1, 2, 3) for many in itertools.product(Verdict, repeat=n)])
def test_the_worst_verdict_wins_in_any_order(verdicts):
    assert BADNESS[worst_of(iter(verdicts))] == max(BADNESS[one] for one in verdicts)


def test_nothing_at_all_is_an_abstention():
    assert worst_of([]) is Verdict.ABSTAIN
    assert aggregate([], claims=1, verified=1, statements=1, accounted=1) is Verdict.ABSTAIN
