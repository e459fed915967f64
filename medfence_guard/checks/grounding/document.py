"""The checks of whole items."""

from __future__ import annotations

import re

from medfence_guard.checks.check import Context, rule_finding, source_evidence, span_evidence
from medfence_guard.checks.grounding.ownership import why_unbound
from medfence_guard.checks.grounding.stated import is_told_again, releases_of
from medfence_guard.checks.grounding.wording import words_of
from medfence_guard.compare import ABSTAIN
from medfence_guard.contract import Finding, Severity, Span
from medfence_guard.payload import Item
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.statement import Statement


def orphan_check(context: Context, item: Item) -> list[Finding]:
    """An item that owns no statement: fabricated, duplicated or not provable."""
    statement = context.statement_of(item)
    if statement is not None:
        return _told_twice(context, item, statement)
    verdict, why, evidence = why_unbound(context, item)
    check_id = (
        "completeness.duplicated"
        if item.index in context.binding.duplicates
        else "completeness.merged"
        if item.index in context.binding.merged
        else "grounding.no_orphans"
    )
    return [rule_finding(check_id, item.path, verdict, Severity.CRITICAL, f"This item: {why}.", evidence)]


_REGIMEN = ("strengths", "doses", "rates", "slots", "durations", "whens", "prn", "weekdays")


def _told_twice(context: Context, item: Item, statement: Statement) -> list[Finding]:
    """`Meds: X 50 mg OD … Plan: continue X 50 mg OD`, an item each: one order, told again."""
    for other in context.payload.items[: item.index]:
        first = context.statement_of(other)
        if first is None or first.name.key != statement.name.key or first.group == statement.group:
            continue
        again = is_told_again(first) or is_told_again(statement)
        if again and all({r.value for r in getattr(first.roles, k)} == {r.value for r in getattr(statement.roles, k)} for k in _REGIMEN):
            place = span_evidence(context, statement.span, "completeness.duplicated")
            says = "This item: the source tells again of an order that another item has; whether both are meant, a person must say."
            return [rule_finding("completeness.duplicated", item.path, ABSTAIN, Severity.CRITICAL, says, (place,))]
    return []


def residue_check(context: Context, item: Item) -> list[Finding]:
    """P21: what nothing consumed in an owned statement's own clause."""
    statement = context.statement_of(item)
    if statement is None:
        return []
    roles = statement.roles
    out: list[Finding] = []
    behind = _said_behind(context, item, statement)
    if behind is not None:
        place = span_evidence(context, behind, "grounding.residue")
        says = f"Behind the statement stands {context.text(behind)!r}, which may change it."
        out.append(rule_finding("grounding.residue", item.path, ABSTAIN, Severity.MAJOR, says, (place,)))
    reasons = carried_reason(context, item, statement)
    left = [
        *(r for r in roles.residue if r.chunk not in reasons),
        *roles.numbers,
        *roles.unsupported,
        *roles.unreadable,
        *(r for r in roles.ambiguous),
    ]
    for role in left[:3]:
        evidence = source_evidence(context, (role.chunk,), "grounding.residue")
        word = context.text(Span(role.chunk.start, role.chunk.end))
        out.append(
            rule_finding(
                "grounding.residue",
                item.path,
                ABSTAIN,
                Severity.MAJOR,
                f"The statement holds {word!r}, which is not understood.",
                (evidence,) if evidence else (),
            )
        )
    return out


# `OD - next visit`: not today. `Next visit: 15/6`, `next visit after 5 days` is of the visit.
_DEFERRED = re.compile(
    r"[ \t,;(\[–—-]*(?:(?:at|on|from|in|to start|start|to be started|add|to add) )*(?:at |on |from |in )?(?:the )?"
    r"next (?:visit|opd|opd visit|appointment|follow[ -]?up|review|sitting|consultation)[ )\].]*(?=\n|$)"
)

# `BD; 10-6-10`: unequal amounts, though it looks like a date; no day is 10 of month 6 of year 10.
_AMOUNTS = re.compile(r"[ \t]*[;,.][ \t]*(\d{1,2})-(\d{1,2})-(\d{1,2})(?![\d/-])")
_OWN_LINE = re.compile(
    r"[ \t.]*\n+[ \t(*•-]*([a-z]{2,3})(?: (?:preparation|form|formulation|tab|tablet|cap|capsule|only|brand))?[ )\].]*(?=\n|$)"
)


def _said_behind(context: Context, item: Item, statement: Statement) -> Span | None:
    """What is written directly behind a statement and of it, in words that elsewhere begin a visit, a date or a title."""
    text = context.reading.folded.text
    end = statement.span.end
    deferred = _DEFERRED.match(text, end)
    if deferred is not None:
        return Span(end, deferred.end())
    amounts = _AMOUNTS.match(text, end)
    if amounts is not None and int(amounts.group(3)) <= 15:
        return Span(amounts.start(1), amounts.end(3))
    release = _OWN_LINE.match(text, end)
    if release is not None:
        token = release.group(1)
        known = {name.lower() for name in context.rulepack.lexicon.release_family}
        carried = {r.value[0].lower() for c in item.acted_on for r in context.roles_of(c).releases}
        if token in known and token not in {r.lower() for r in releases_of(statement)} | carried:
            return Span(release.start(1), release.end(1))
    return None


def carried_reason(context: Context, item: Item, statement: Statement) -> frozenset[Chunk]:
    """Words behind `SOS` or `for` that the item carries as its reason (`SOS for chest pain`): they are not lost.

    Behind a complaint listed words alone: `SOS for pain zetaril` says something that no reason holds. Before one, what it is for may be
    in no list (`for xyzzy`), if it decides nothing.
    """
    told = {w for c in item.claims if c.field in ("as_needed_for", "indication") for w in words_of(c.text)}
    # Instructions hold other words too: of them a complaint and how bad it is.
    beside = {w for c in item.claims if c.field == "instructions" for w in words_of(c.text)}
    if not (told or beside):
        return frozenset()
    end = statement.span.end
    opened = min(
        (c.start for c in statement.chunks if c.kind == "prn" or (c.kind == "indication_part" and c.value == "starters")), default=None
    )
    lexicon = context.rulepack.lexicon
    doubt = lexicon.doubt_words
    complaint = min((c.start for c in statement.chunks if c.kind == "indication" and opened is not None and c.start > opened), default=end)
    return frozenset(
        r.chunk
        for r in statement.roles.residue
        if opened is not None
        and r.chunk.start > opened
        and r.chunk.kind in ("word", "indication")
        and r.chunk.value not in doubt
        and (
            r.chunk.kind == "indication"
            or all(
                _is_of_a_complaint(lexicon, word) or (r.chunk.start < complaint and not lexicon.may_decide(word))
                for word in str(r.chunk.value).split()
            )
        )
        and set(words_of(context.text(Span(r.chunk.start, r.chunk.end))))
        <= (told | beside if r.chunk.kind == "indication" or r.chunk.value in lexicon.claims.how_bad else told)
    )


def _is_of_a_complaint(lexicon: Lexicon, word: str) -> bool:
    words = lexicon.quoted
    return (
        word in lexicon.claims.how_bad
        or word in lexicon.claims.how_often
        or word in words.condition_words
        or word in words.small
        or word in words.qualities
        or lexicon.plain.group(word) in words.condition_groups
    )
