"""How a strength, and the times of several doses, are judged."""

from __future__ import annotations

from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.components.implied import units_implied
from medfence_guard.compare import ABSTAIN, FAIL, PASS, Judgement, Setting, compare_strength, quantity_text
from medfence_guard.contract import Severity
from medfence_guard.payload import Item
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.roles import Roles
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
    for claim in item.claims:
        if claim.field in ("timing", "instructions", "frequency") and [w.value[0] for w in context.roles_of(claim).whens] == order:
            return []
    return [Judgement(ABSTAIN, "dose.time_dropped", "source says which amount is for which time", where, severity=Severity.MAJOR)]
