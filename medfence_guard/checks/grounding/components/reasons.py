"""How the reasons of an as-needed order are judged: each of them is one more occasion to take it."""

from __future__ import annotations

import re

from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.wording import by_meaning, words_of
from medfence_guard.compare import ABSTAIN, Judgement
from medfence_guard.contract import Severity, Span
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.statement import Statement

_APART = re.compile(r"[,/&]|\b(?:or|and|ya)\b")


def judge_reasons(context: Context, item: Item, claim: Claim, statement: Statement) -> list[Judgement]:
    """`SOS for fever or headache`, carried as `fever`: an occasion is lost, unless another field of the item has it."""
    same = context.rulepack.lexicon.same_reasons
    stated = [
        (frozenset(by_meaning(words_of(part), same)), role.chunk)
        for role in statement.roles.prn_for
        for part in _APART.split(context.text(Span(role.chunk.start, role.chunk.end)))
        if words_of(part)
    ]
    if len({reason for reason, _ in stated}) < 2:
        return []
    mine = frozenset(by_meaning(words_of(claim.text), same))
    told = mine.union(*(by_meaning(words_of(c.text), same) for c in item.acted_on))
    lost = tuple(chunk for reason, chunk in stated if not reason <= told)
    if not lost or not any(reason & mine for reason, _ in stated):
        return []
    return [Judgement(ABSTAIN, "text.reason_dropped", "source names another reason as well", lost, severity=Severity.MAJOR)]
