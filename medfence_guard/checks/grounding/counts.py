"""The checks of `quantity`, `refills`, `max_dose` and `sequence`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.claimed import UNREAD_WORDS, quantities_of
from medfence_guard.checks.grounding.components.counts import judge_maximum
from medfence_guard.checks.grounding.components.others import said_besides
from medfence_guard.checks.grounding.firmness import claim_findings
from medfence_guard.checks.grounding.ownership import item_and_statement, of_a_statement, unbound_findings
from medfence_guard.checks.grounding.stated import setting_for
from medfence_guard.checks.grounding.wording import words_of
from medfence_guard.compare import ABSTAIN, FAIL, PASS, Judgement, Setting, absent, added, form_units, number_text, unit_text
from medfence_guard.contract import Finding, Severity, Span
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.roles.record import Role, Roles
from medfence_guard.reader.statement import Statement
from medfence_guard.reader.text import fold


def _counted_in(text: str, packs: frozenset[str]) -> set[str]:
    """The packs a count is of: ten strips are not ten tablets."""
    return {w.rstrip("s") for w in words_of(text)} & packs


# `#30`: a number of pieces.
_HASH_NUMBER = re.compile(r"# ?\d+$")
# `4/day`, `4 in 24 hours`: what is counted is not told.
_NUMBER_A_DAY = re.compile(r"\s*(\d{1,4}(?:\.\d{1,3})?)\s*(?:(?:/|per|a|in)\s*(?:a )?(?:days?|d|24 ?(?:hours?|hrs?|h))|daily)\s*")


# `thrice a day`: of what is taken at a time.
_TIMES = {"twice": Fraction(2), "thrice": Fraction(3)}
_TIMES_A_DAY = re.compile(r" *(twice|thrice) (?:a|per|in a) day *")


# The time a maximum is for, at the end of it: `4 tabs a day`, `3 g in 24 hours`, `4 daily`.
_FOR_A_TIME = re.compile(r"(?:\s*/\s*|\s+(?:per|a|in|in a|each|every)\s+|\s+)(?:days?|daily|d|\d{1,2} ?(?:hours?|hrs?|h)|dose)\s*$")


def _without_period(claim: Claim, roles: Roles) -> Roles:
    """A maximum without the time it is for, which is compared apart."""
    period = _FOR_A_TIME.search(fold(claim.text).text)
    if period is None:
        return roles
    at = period.start()

    def before(found: list[Role]) -> list[Role]:
        return [r for r in found if r.chunk.start < at]

    return replace(
        roles,
        residue=before(roles.residue),
        rates=before(roles.rates),
        durations=before(roles.durations),
        routes=before(roles.routes),
        ambiguous=before(roles.ambiguous),
    )


def _unit_added(setting: Setting, field: str, wanted: Quantity) -> list[Judgement]:
    """`Qty 15` of tablets is `15 tablets`, and neither 15 ml nor 15 capsules; of refills nothing is counted but themselves."""
    unit = wanted.units[0]
    counted = form_units(setting) | {u for d in setting.statement.roles.doses for u in d.value.units if u is not None}
    if unit is None or (field == "quantity" and unit in counted):
        return []
    where = tuple(r.chunk for r in setting.statement.roles.forms)
    if field == "quantity" and (not counted or unit == "{unit}"):
        return [Judgement(ABSTAIN, "count.unit_not_written", "source does not say of what", where, severity=Severity.MAJOR)]
    return [added(setting, "unit.other_dimension", "source counts something else", where)]


def count_check(context: Context, claim: Claim) -> list[Finding]:
    """`quantity`, `refills`, `max_dose`: compared like any field; computed totals are not grounded (P20)."""
    item, statement = item_and_statement(context, claim)
    check_id = f"grounding.{claim.field}"
    if statement is None:
        return unbound_findings(context, claim, item, check_id)
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    bare = _NUMBER_A_DAY.fullmatch(fold(claim.text).text) if claim.field == "max_dose" else None
    times = _TIMES_A_DAY.fullmatch(fold(claim.text).text) if claim.field == "max_dose" else None
    if times is not None:
        judged = judge_maximum(context, setting, claim.text, (_TIMES[times.group(1)], None, None))
        return claim_findings(context, claim, [judged], check_id)
    if bare is not None:
        judged = judge_maximum(context, setting, claim.text, (Fraction(bare.group(1)), None, None))
        return claim_findings(context, claim, [judged], check_id)
    if claim.field == "max_dose":
        roles = _without_period(claim, roles)
    if claim.field == "quantity" and _HASH_NUMBER.match(claim.text):
        roles = replace(roles, residue=[r for r in roles.residue if r.value != "#"])
    if roles.unreadable or roles.residue:
        return claim_findings(
            context,
            claim,
            [UNREAD_WORDS],
            check_id,
        )
    consumed = ("doses", "strengths", "numbers", "quantities", "maxima", "refills")
    rest = said_besides(context, setting, item, claim, roles, beside=consumed)
    quantities = quantities_of(roles) + [Quantity((r.value[0],), (r.value[2],)) for r in (*roles.quantities, *roles.maxima, *roles.refills)]
    if len(quantities) != 1 or len(quantities[0].parts) != 1:
        return claim_findings(
            context,
            claim,
            [Judgement(ABSTAIN, "claim.unread_words", "the claim is no count that can be read", severity=Severity.MAJOR)],
            check_id,
        )
    wanted = quantities[0]
    source = statement.roles
    stated = {"quantity": source.quantities, "refills": source.refills, "max_dose": source.maxima}[claim.field]
    if stated and claim.field == "max_dose":
        judged = judge_maximum(context, setting, claim.text, (wanted.parts[0], wanted.high, wanted.units[0], wanted.per))
        return claim_findings(context, claim, [judged, *rest], check_id)
    if stated:
        if all(r.value[2] is None for r in stated):
            rest.extend(_unit_added(setting, claim.field, wanted))
        return claim_findings(context, claim, [_judge_count(context, claim, stated, wanted), *rest], check_id)
    if claim.field == "refills" and wanted.parts[0] == 0:
        return claim_findings(context, claim, [*absent(setting, "refills"), *rest], check_id)
    if claim.field == "quantity":
        return claim_findings(context, claim, [_derived(setting, wanted), *rest], check_id)
    return claim_findings(context, claim, [added(setting, "count.not_in_source", "the statement does not say so"), *rest], check_id)


def _judge_count(context: Context, claim: Claim, stated: Sequence[Role], wanted: Quantity) -> Judgement:
    """A count against the stated ones: its number, its unit, and the packs it is of."""
    equal = [
        r
        for r in stated
        if r.value[0] == wanted.parts[0] and (wanted.units[0] is None or r.value[2] is None or r.value[2] == wanted.units[0])
    ]
    packs = context.rulepack.lexicon.claims.packs
    claimed = _counted_in(claim.text, packs)
    written = _counted_in(" ".join(context.text(Span(r.chunk.start, r.chunk.end)) for r in stated), packs)
    verdict = PASS if equal else FAIL
    if equal and claimed - written:
        verdict = FAIL
    elif equal and written - claimed:
        verdict = ABSTAIN
    said = ", ".join(f"{number_text(r.value[0])} {unit_text(r.value[2]) if r.value[2] else ''}".strip() for r in stated)
    rule = "count.equal" if equal else "quantity.different"
    return Judgement(verdict, rule, f"source says {said}", tuple(r.chunk for r in stated))


def _derived(setting: Setting, wanted: Quantity) -> Judgement:
    """A total that is dose × frequency × duration is arithmetic, not a reading: ABSTAIN; any other invented total FAILs."""
    source = setting.statement.roles
    per_day: Fraction | None = None
    if source.slots:
        per_day = sum(source.slots[0].value[0], Fraction(0))
    elif source.rates and source.rates[0].value.unit == "d" and source.rates[0].value.period == 1:
        dose = source.doses[0].value.parts[0] if source.doses else Fraction(1)
        per_day = source.rates[0].value.low * dose
    elif source.day_parts and not source.rates:
        # `morning and night`
        per_day = len({part.value[0] for part in source.day_parts}) * (source.doses[0].value.parts[0] if source.doses else Fraction(1))
    if source.durations and source.durations[0].value[2] == "dose" and source.durations[0].value[0] == wanted.parts[0]:
        where = tuple(r.chunk for r in source.durations)
        return Judgement(ABSTAIN, "count.derived", "source says how many doses, and no total", where, severity=Severity.MAJOR)
    if per_day is not None and source.durations:
        low, _, unit = source.durations[0].value
        days = {"d": (1, 1), "wk": (7, 7), "mo": (28, 31)}.get(unit)
        if days is not None and per_day * low * days[0] <= wanted.parts[0] <= per_day * low * days[1]:
            return Judgement(
                ABSTAIN,
                "count.derived",
                "source states no total; the claim is computed",
                tuple(r.chunk for r in source.durations),
                severity=Severity.MAJOR,
            )
    return added(setting, "count.not_in_source", "the statement states no total")


@of_a_statement("grounding.sequence")
def sequence_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`sequence`: the place of the statement in the source, its printed list number, or which step of several it is."""
    text = claim.text.strip()
    order = sorted({s.group for s in context.binding.owner.values()})
    place = str(order.index(statement.group) + 1)
    numbers = {place}
    if statement.numbered is not None:
        numbers.add(str(statement.numbered))
    if len(context.reading.groups[statement.group]) > 1:
        numbers.add(str(statement.step + 1))
    if text in numbers:
        return claim_findings(
            context,
            claim,
            [Judgement(PASS, "sequence.equal", "that is its place in the source", statement.chunks[:1])],
            "grounding.sequence",
        )
    return claim_findings(
        context,
        claim,
        [Judgement(ABSTAIN, "sequence.differs", f"it is the statement at place {place}", statement.chunks[:1], severity=Severity.MAJOR)],
        "grounding.sequence",
    )
