"""How a total, a number of refills and a maximum are judged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.wording import words_of
from medfence_guard.compare import ABSTAIN, FAIL, PASS, Judgement, Setting, added, number_text, unit_text
from medfence_guard.contract import Severity, Span


def judge_listed(setting: Setting, claimed: Sequence[object], stated: Sequence[object], what: str) -> list[Judgement]:
    """Numbers that stand in a list of their own (a total, refills): each must be one that the source states."""
    wanted = [r.value[0] for r in claimed]  # type: ignore[attr-defined]
    said = {r.value[0]: r.chunk for r in stated}  # type: ignore[attr-defined]
    out: list[Judgement] = []
    for value in wanted:
        if value in said:
            out.append(Judgement(PASS, "count.equal", f"source says {number_text(value)}", (said[value],)))
        elif said:
            out.append(
                Judgement(FAIL, "quantity.different", "source says " + ", ".join(number_text(v) for v in said), tuple(said.values()))
            )
        else:
            out.append(added(setting, "count.not_in_source", f"the statement does not say {what}"))
    return out


_PERIODS = re.compile(r"(?:(\d+)?\s*(?:(days?|d|din)|(hours?|hrs?|h|hourly)|(dose)|(kg|weeks?|wk|months?|mo))|(daily))\b")
_OTHER_SHARES = {"k": "kg", "w": "wk", "m": "mo"}


def _periods(text: str) -> set[str]:
    """What a maximum is for, times in hours: `per day`, `/day`, `in 24 hours` are one; the 3 of `3/day` is no number of days."""
    found: set[str] = set()
    for number, day, hours, _, other, daily in _PERIODS.findall(" ".join(words_of(text.replace("/", " per ")))):
        if other:
            found.add(f"{int(number or 1)} {_OTHER_SHARES[other[0]]}")
        else:
            found.add(f"{int(number or 1) * 24} h" if day or daily else f"{int(number or 1)} h" if hours else "dose")
    return found


def judge_maximum(context: Context, setting: Setting, told: str, wanted: Sequence[Any]) -> Judgement:
    """A maximum is a number, what it counts and the time it is for: `max 4 tabs/day` is not 4 g, 4 times, or 4 in all."""
    stated = setting.statement.roles.maxima
    if not stated:
        return added(setting, "count.not_in_source", "the statement does not say a maximum")
    number, _, unit = wanted[:3]
    units = setting.lexicon.unit_by_ucum
    where = tuple(r.chunk for r in stated)
    written = " ".join(context.text(Span(r.chunk.start, r.chunk.end)) for r in stated)
    said = "source says " + ", ".join(f"{number_text(r.value[0])} {unit_text(r.value[2]) if r.value[2] else ''}".strip() for r in stated)
    exact = [r for r in stated if r.value[0] == number and unit in (None, r.value[2])]
    alike = [r for r in stated if r.value[0] == number and (unit is None) != (r.value[2] is None)]
    converted = [
        r
        for r in stated
        if unit is not None
        and r.value[2] is not None
        and units[unit].dimension == units[r.value[2]].dimension
        and units[unit].scale * number == units[r.value[2]].scale * r.value[0]
    ]
    if not (exact or alike or converted):
        return Judgement(FAIL, "quantity.different", said, where)
    mine, theirs = _periods(told), _periods(written)
    if mine - theirs and theirs:
        return Judgement(FAIL, "count.other_period", said, where)
    if mine != theirs:
        return Judgement(ABSTAIN, "count.other_period", f"{said}; only one of them says for what time", where, severity=Severity.MAJOR)
    if alike or (exact and (exact[0].value[2] is None) != (unit is None)):
        return Judgement(ABSTAIN, "count.unit_not_written", f"{said}; only one of them says of what", where, severity=Severity.MAJOR)
    if exact:
        return Judgement(PASS, "count.equal", said, where)
    if setting.misreadable:
        rule = "quantity.exact_conversion"
        return Judgement(ABSTAIN, rule, f"{said}; equal after conversion, which is not relied on", where, severity=Severity.MAJOR)
    return Judgement(PASS, "quantity.exact_conversion", f"{said}; exactly equal after conversion", where, note=True)
