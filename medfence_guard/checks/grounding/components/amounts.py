"""How a strength, and the times of several doses, are judged."""

from __future__ import annotations

from fractions import Fraction

from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.components.implied import units_implied
from medfence_guard.compare import ABSTAIN, FAIL, PASS, PIECES, Judgement, Setting, compare_strength, in_base_unit, quantity_text
from medfence_guard.contract import Severity
from medfence_guard.payload import Item
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.roles.record import Roles
from medfence_guard.reader.statement import Statement


def judge_strength(context: Context, setting: Setting, statement: Statement, roles: Roles, quantities: list[Quantity]) -> list[Judgement]:
    """Amounts as a strength: compared exactly; a dose of the statement that stands in the strength is named as such."""
    if not quantities:
        return [
            Judgement(
                ABSTAIN,
                "schema.role" if roles.has_timing else "strength.unreadable_claim",
                "the claim is no strength that can be read",
                severity=Severity.MAJOR,
            )
        ]
    lexicon = context.rulepack.lexicon
    first = quantities[0].units[0]
    superseded = [
        r
        for r in statement.roles.superseded
        if isinstance(r.value, Quantity) and len(quantities) == 1 and r.value.parts == quantities[0].parts
    ]
    one = _one_of_it(setting, roles, quantities)
    if one is not None:
        return [*compare_strength(setting, [one[0]], units_implied(context, statement)), one[1]]
    judged = compare_strength(setting, quantities, units_implied(context, statement))
    if superseded and any(j.verdict is FAIL for j in judged):
        judged.append(Judgement(FAIL, "assertion.superseded", "source says that value no longer holds", tuple(r.chunk for r in superseded)))
    if first is not None and any(j.verdict is not PASS for j in judged):
        dimension = lexicon.unit_by_ucum[first].dimension
        if dimension.startswith(("count:", "household")) or dimension in ("volume", "drop", "dose"):
            if any(d.value.parts == quantities[0].parts and d.value.units == quantities[0].units for d in statement.roles.doses):
                return [
                    Judgement(
                        ABSTAIN,
                        "schema.role",
                        f"source says {quantity_text(quantities[0])} as a dose; it stands in the strength",
                        tuple(d.chunk for d in statement.roles.doses),
                        severity=Severity.MAJOR,
                    )
                ]
    return judged


def _one_of_it(setting: Setting, roles: Roles, quantities: list[Quantity]) -> tuple[Quantity, Judgement] | None:
    """`1 x 500 mg`, `500 mg 1 tab`, `500 mg (0.5 g)`, `125 mg/5`: one amount, and beside it what is only a convention or said twice."""
    strengths = [r.value for r in roles.strengths]
    if not strengths or len(strengths[0].parts) != 1 or len(quantities) < 2:
        return None
    lexicon, first = setting.lexicon, strengths[0]
    rest = [q for q in quantities if q is not first and q not in strengths[1:]]
    twice = all(
        len(q.parts) == 1
        and q.per == first.per
        and lexicon.unit_by_ucum[q.units[0] or ""].dimension == lexicon.unit_by_ucum[first.units[0] or ""].dimension
        and in_base_unit(lexicon, q.parts[0], q.units[0] or "") == in_base_unit(lexicon, first.parts[0], first.units[0] or "")
        for q in strengths[1:]
        if q.units[0] and first.units[0]
    )
    if not twice:
        return None
    stated = {r.value.per[0][0]: r.value.per for r in setting.statement.roles.strengths if len(r.value.per) == 1}
    if len(rest) == 1 and not first.per and rest[0].units == (None,) and rest[0].parts[0] in stated:
        says = "the claim has no unit for what the amount is in"
        return first._replace(per=stated[rest[0].parts[0]]), Judgement(ABSTAIN, "unit.not_claimed", says, severity=Severity.MAJOR)
    if all(q.parts == (Fraction(1),) and q.high is None and not q.per and (q.units[0] is None or q.units[0] in PIECES) for q in rest):
        says = "one of it each time is only the convention"
        return first, Judgement(ABSTAIN, "dose.inferred", says, severity=Severity.MAJOR)
    return None


def judge_dose_times(context: Context, setting: Setting, item: Item, roles: Roles) -> list[Judgement]:
    """`16 U before breakfast and 10 U before dinner`: which amount is for which time, in the claim or in the order of its timing."""
    stated = [(d.value, codes) for d, codes in setting.statement.roles.doses_timed]
    if len(stated) < 2 or not all(codes for _, codes in stated):
        return []
    where = tuple(d.chunk for d, _ in setting.statement.roles.doses_timed)
    claimed = [codes for _, codes in roles.doses_timed]
    if any(claimed):
        if claimed == [codes for _, codes in stated]:
            return []
        swapped = sorted(claimed) == sorted(codes for _, codes in stated)
        verdict = FAIL if swapped and setting.statement.readable else ABSTAIN
        return [Judgement(verdict, "dose.at_another_time", "source gives these amounts at other times", where)]
    order = [code for _, codes in stated for code in codes]
    for claim in item.acted_on:
        if claim.field in ("timing", "instructions", "frequency") and [w.value[0] for w in context.roles_of(claim).whens] == order:
            return []
    return [Judgement(ABSTAIN, "dose.time_dropped", "source says which amount is for which time", where, severity=Severity.MAJOR)]
