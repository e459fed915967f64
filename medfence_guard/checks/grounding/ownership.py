"""Which statement an item owns; one that owns none is refused alike for every field, for the same reasons."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from medfence_guard.checks.check import Context, rule_finding, span_evidence
from medfence_guard.checks.grounding.claimed import claim_says, claimed_name_words
from medfence_guard.checks.grounding.wording import words_of
from medfence_guard.compare import ABSTAIN, FAIL
from medfence_guard.contract import Evidence, Finding, Severity, Span, Verdict
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.statement import Statement


def _same_medicine(context: Context, item: Item, twin: Statement) -> bool:
    """Whether an item that holds the statement goes by the same name, or by one of the same composition."""
    mine = context.items[item.index].name
    holders = [context.items[index].name for index in context.binding.items_of.get(twin.index, ())]
    return mine is None or any(
        held is not None and (held.key == mine.key or (held.molecules is not None and held.molecules == mine.molecules)) for held in holders
    )


_REGIMEN = frozenset({"strength", "dose", "dosage", "frequency", "duration", "timing", "instructions"})


def _may_be_a_step(context: Context, item: Item, twin: Statement) -> bool:
    """The statement states more than one regimen, or the line below it was not read, and the item says another than its holder."""
    roles = twin.roles
    several = any(len({r.value for r in kind}) > 1 for kind in (roles.durations, roles.rates, roles.slots, roles.strengths, roles.doses))
    text = context.reading.folded.text
    below = any(
        twin.span.end <= span.start and text.count("\n", twin.span.end, span.start) == 1
        for span in (*context.reading.unread, *context.reading.remarks)
    )
    if not (several or below or roles.superseded or roles.unsupported):
        return False

    def said(index: int) -> set[tuple[str, str]]:
        return {(c.field, c.text) for c in context.payload.items[index].claims if c.field in _REGIMEN}

    return all(said(item.index) != said(holder) for holder in context.binding.items_of.get(twin.index, ()))


def why_unbound(context: Context, item: Item) -> tuple[Verdict, str, tuple[Evidence, ...]]:
    """Why an item that owns no statement is refused: duplicate, absent, or not provably absent."""
    twin = context.binding.duplicates.get(item.index)
    if twin is not None:
        evidence = span_evidence(context, twin.span, "completeness.duplicated")
        if context.source.modality != "text" and not _same_medicine(context, item, twin):
            # A misread item number runs two orders into one; the second medicine is then no copy of the first (P16).
            return ABSTAIN, "its name stands in a statement that belongs to another medicine; two orders may have run together", (evidence,)
        if len({r.value for r in twin.roles.weekdays}) > 1 and len({r.value for r in twin.roles.strengths}) > 1:
            # `75 mcg Mon-Fri and 100 mcg Sat-Sun`, an item each.
            return ABSTAIN, "its one statement gives several amounts for several days; which of them an item has is not told", (evidence,)
        if _may_be_a_step(context, item, twin):
            return ABSTAIN, "the one statement of that name belongs to another item; it may hold several steps", (evidence,)
        return FAIL, "the one statement of that name already belongs to another item", (evidence,)
    if item.index in context.binding.merged:
        return FAIL, "the item merges several statements of the source", (Evidence(kind="rule", rule_id="completeness.merged"),)
    if context.binding.over_budget:
        return (
            ABSTAIN,
            "too many items share a name to be told apart within the work budget",
            (Evidence(kind="rule", rule_id="schema.limits"),),
        )
    if context.items[item.index].name is None and context.items[item.index].generic is None:
        return ABSTAIN, "the item has no name that can be read", (Evidence(kind="rule", rule_id="grounding.name"),)
    named = _named_in_text(context, item) or _parts_in_text(context, item)
    if named:
        return ABSTAIN, "the name stands in the source, but no statement of it could be read", named
    if context.absence_proven:
        return FAIL, "no medication statement of the source has that name", (Evidence(kind="rule", rule_id="grounding.absent"),)
    places = tuple(span_evidence(context, s, "grounding.absence_unproven") for s in context.absence_doubts[:3])
    return (
        ABSTAIN,
        "the name was not found, but part of the source could not be read",
        places or (Evidence(kind="rule", rule_id="grounding.absence_unproven"),),
    )


def _parts_in_text(context: Context, item: Item) -> tuple[Evidence, ...]:
    """Each part of a claimed combination stands in the source, though not joined in a way that is read."""
    claimed = claimed_name_words(item)
    name = context.items[item.index].name
    if name is None or len(claimed) < 2 or not claimed <= set(words_of(context.source.text)):
        return ()
    found = [s for s in context.reading.statements if set(words_of(context.text(Span(s.name.start, s.name.end)))) & claimed]
    if not found:
        return ()
    return (span_evidence(context, found[0].span, "grounding.absence_unproven"),)


def _named_in_text(context: Context, item: Item) -> tuple[Evidence, ...]:
    """The claimed name stands in the source as written, in words no statement, heading or finding owns."""
    reading = context.items[item.index].name
    claim = next((c for c in item.claims if c.field in ("name", "generic_name")), None)
    if claim is None or reading is None:
        return ()
    words = [w for w in words_of(claim.text) if len(w) > 1]
    if not words or not any(w.isalpha() and len(w) > 2 for w in words):
        return ()
    text = context.reading.folded.text
    at = re.search(r"(?<!\w)" + r"[\s.\-]+".join(re.escape(w) for w in words) + r"(?!\w)", text)
    if at is None:
        return ()
    places = [s for s in context.reading.statements if s.span.start <= at.start() < s.span.end]
    if any(not (s.roles.residue or s.roles.unreadable) for s in places) or any(s.index not in context.binding.items_of for s in places):
        return ()
    return (span_evidence(context, Span(*at.span()), "grounding.absence_unproven"),)


def item_and_statement(context: Context, claim: Claim) -> tuple[Item, Statement | None]:
    """The item of a claim, and the statement it owns, if it owns one."""
    item = context.item_of(claim)
    return item, context.statement_of(item)


def unbound_findings(context: Context, claim: Claim, item: Item, check_id: str) -> list[Finding]:
    """The answer to any claim of an item that owns no statement."""
    verdict, why, evidence = why_unbound(context, item)
    return [rule_finding(check_id, claim.path, verdict, Severity.CRITICAL, f"{claim_says(claim)}{why}.", evidence)]


def of_a_statement(
    check_id: str,
) -> Callable[[Callable[[Context, Claim, Item, Statement], list[Finding]]], Callable[[Context, Claim], list[Finding]]]:
    """A comparison of a claim with its item's statement; an item that owns none is answered alike for every field."""

    def wrap(compare: Callable[[Context, Claim, Item, Statement], list[Finding]]) -> Callable[[Context, Claim], list[Finding]]:
        @functools.wraps(compare)
        def run(context: Context, claim: Claim) -> list[Finding]:
            item, statement = item_and_statement(context, claim)
            if statement is None:
                return unbound_findings(context, claim, item, check_id)
            return compare(context, claim, item, statement)

        return run

    return wrap
