"""A fixed sample of the sweep: no corruption of a vector that passes may pass."""

from __future__ import annotations

import collections

import pytest

from medfence_guard import Verdict
from tests.metamorphic.sweep import SWEEPS, kind_of, sweep

ONE_IN = {"payload": 100, "source": 84}


@pytest.mark.parametrize("side", SWEEPS)
def test_no_corruption_passes(side: str) -> None:
    tried = 0
    passed: dict[str, list[str]] = collections.defaultdict(list)
    for what, changed, verdict in sweep(side, ONE_IN[side]):
        tried += 1
        if verdict is Verdict.PASS:
            passed[kind_of(what)].append(f"{changed['id']}: {what}: {changed['source_text'][-160:]!r} <= {str(changed['payload'])[:300]}")
    assert tried > 1_000, tried
    worst = sorted(passed.items(), key=lambda pair: -len(pair[1]))
    told = "\n".join(f"{len(examples):5} {kind}\n      {examples[0]}" for kind, examples in worst[:60])
    assert not passed, f"{sum(map(len, passed.values()))} of {tried} corruptions pass, {len(passed)} kinds\n{told}"
