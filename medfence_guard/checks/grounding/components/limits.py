"""How the limit of a reason (`if fever > 100 F`) is judged: its number and the side of it."""

from __future__ import annotations

from collections.abc import Sequence

from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.wording import READ_AS_VALUES, words_of
from medfence_guard.compare import ABSTAIN, Judgement, Setting, added
from medfence_guard.contract import Severity, Span
from medfence_guard.payload import Claim
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.roles.record import Roles
from medfence_guard.reader.statement import Statement
from medfence_guard.reader.text import fold


def judge_limits(context: Context, setting: Setting, claim: Claim, roles: Roles) -> list[Judgement]:
    """`SOS if temp > 100 F`: the number and the side of it are part of the reason, wherever a value tells the reason."""
    stated = setting.statement.roles.limits
    if not roles.limits and not (roles.prn_for and stated):
        return []
    where = tuple(r.chunk for r in stated)
    if roles.limits and {r.value for r in roles.limits} - {r.value for r in stated}:
        return [added(setting, "text.limit_differs", "source does not say it from that value on", where)]
    if {r.value for r in stated} - {r.value for r in roles.limits}:
        if not roles.prn_for:
            return []
        return [Judgement(ABSTAIN, "text.limit_dropped", "source also says from what value on", where, severity=Severity.MAJOR)]
    opened = min(r.chunk.start for r in stated)
    line = context.source.text.rfind("\n", 0, opened) + 1
    side = _direction(context.source.text[max(line, setting.statement.span.start) : max(r.chunk.end for r in stated)])
    if side != _direction(claim.text):
        return [added(setting, "text.limit_differs", "source says it on the other side of that value", where)]
    return []


def limit_of_the_reason(context: Context, statement: Statement, claim: Claim, wanted: Sequence[str]) -> list[Chunk]:
    """`if fever > 100 F`, `if temp more than 101`: the numbers behind the reason that the claim does not carry."""
    if claim.field != "as_needed_for":
        return []
    opened = min((r.chunk.start for r in (*statement.roles.prn, *statement.roles.prn_for)), default=None)
    if opened is None:
        return []
    read = {r.chunk for kind in READ_AS_VALUES for r in getattr(statement.roles, kind)}
    behind = [
        c for c in statement.chunks if c.start > opened and c not in read and any(ch.isdigit() for ch in context.text(Span(c.start, c.end)))
    ]
    return [
        c
        for c in behind
        if c.kind in ("number", "amount", "tuple", "prn", "indication", "word")
        and not set(words_of(context.text(Span(c.start, c.end)))) <= set(wanted)
    ]


_COMPARED_SIGNS = {">": "above", "≥": "above", "<": "below", "≤": "below"}
_COMPARED_WORDS = dict.fromkeys(("above", "over", "more", "greater"), "above") | dict.fromkeys(("below", "less", "under"), "below")


def _direction(text: str) -> set[str]:
    """Which side of a limit a text names: `> 100`, `above 100`, `less than 60`."""
    folded = fold(text).text
    signs = {side for sign, side in _COMPARED_SIGNS.items() if sign in folded}
    return signs | {_COMPARED_WORDS[w] for w in words_of(folded) if w in _COMPARED_WORDS}


def reason_of_the_limit(context: Context, statement: Statement, claim: Claim, wanted: Sequence[str]) -> list[Chunk]:
    """`100 F` for `fever more than 100 F`: a limit without what is measured, or on the other side of it, is no reason."""
    if claim.field != "as_needed_for" or not any(w[0].isdigit() for w in wanted):
        return []
    roles = statement.roles
    reasons = [r.chunk for r in (*roles.prn_for, *roles.indications)] or _measured(statement)
    if not reasons:
        return []
    told = {w for c in reasons for w in words_of(context.text(Span(c.start, c.end)))} - {*_COMPARED_WORDS, "than"}
    side = _direction(context.source.text[reasons[0].start : statement.chunks[-1].end])
    if (told and not told & set(wanted)) or (side and _direction(claim.text) != side):
        return reasons
    return []


def _measured(statement: Statement) -> list[Chunk]:
    """`temp >` of `SOS if temp > 100 F`: where no reason is read, what stands between the word for as needed and the limit."""
    roles = statement.roles
    opened = {r.chunk for r in roles.prn}
    if not (opened and roles.limits):
        return []
    first, limit = max(c.end for c in opened), roles.limits[0].chunk
    return [c for c in statement.chunks if first <= c.start < limit.start] or [limit]
