"""The checks of `strength`, `dose` and `dosage`."""

from __future__ import annotations

from dataclasses import fields

from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.claimed import UNREAD_WORDS, quantities_of, unreadable_claim
from medfence_guard.checks.grounding.components.amounts import judge_dose_times, judge_strength
from medfence_guard.checks.grounding.components.implied import weigh_curated
from medfence_guard.checks.grounding.components.others import said_besides
from medfence_guard.checks.grounding.firmness import claim_findings
from medfence_guard.checks.grounding.ownership import of_a_statement
from medfence_guard.checks.grounding.stated import held_if_parted, setting_for
from medfence_guard.checks.grounding.wording import chunks_holding, statement_words, words_of
from medfence_guard.compare import ABSTAIN, PASS, Judgement, Setting, compare_dose, compare_spelt_out, form_units, slots_spelt_out
from medfence_guard.contract import Finding, Severity
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.roles.record import Roles
from medfence_guard.reader.statement import Statement


@of_a_statement("grounding.strength")
def strength_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`strength`: the values with their units and denominators, component by component."""
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = unreadable_claim(roles)
    quantities = quantities_of(roles)
    if not judgements:
        judgements = weigh_curated(context, judge_strength(context, setting, statement, roles, quantities))
    judgements.extend(said_besides(context, setting, item, claim, roles, beside=("strengths", "doses", "numbers")))
    return claim_findings(context, claim, held_if_parted(context, item, statement, judgements), "grounding.strength")


@of_a_statement("grounding.dose")
def dose_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`dose`: what is taken each time; several unequal doses are all of it."""
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = unreadable_claim(roles)
    if not judgements:
        judgements = _dose(context, setting, item, claim, roles)
    return claim_findings(context, claim, held_if_parted(context, item, statement, judgements), "grounding.dose")


def _dose(context: Context, setting: Setting, item: Item, claim: Claim, roles: Roles) -> list[Judgement]:
    if _is_manner(roles):
        # `thin layer`, `pea-sized amount`: no number, and told in the same words.
        held = chunks_holding(context, setting.statement, words_of(claim.text))
        if f" {' '.join(words_of(claim.text))} " in statement_words(context, setting.statement):
            return [Judgement(PASS, "text.verbatim", "source has the same words", held)]
    spelt = slots_spelt_out(setting.statement.roles, roles)
    if spelt is not None:
        rest = said_besides(context, setting, item, claim, roles, beside=("doses", "numbers", "whens"))
        return [*compare_spelt_out(setting, setting.statement.roles.slots[0], spelt, form_units(setting)), *rest]
    units = [q for q in quantities_of(roles) if None not in q.units]
    bare = [q for q in quantities_of(roles) if None in q.units]
    if not units and not bare and roles.slots:
        role = Judgement(ABSTAIN, "schema.role", "a schedule stands where the dose belongs", severity=Severity.MAJOR)
        return [role, UNREAD_WORDS] if roles.residue else [role]
    injected = any(context.rulepack.lexicon.form_family.get(r.value) == "injection" for r in setting.statement.roles.forms)
    out = compare_dose(setting, units, bare, injected)
    out.extend(judge_dose_times(context, setting, item, roles))
    out.extend(said_besides(context, setting, item, claim, roles, beside=("strengths", "doses", "numbers")))
    return out


_MANNERS = frozenset({"handling", "skin_manner"})


def _is_manner(roles: Roles) -> bool:
    """Whether a claim is nothing but how much is spread on the skin, in words."""
    named = [getattr(roles, each.name) for each in fields(roles) if each.name != "inert"]
    return bool(roles.inert) and not any(named) and all(r.value in _MANNERS or r.value == "function_words" for r in roles.inert)


@of_a_statement("grounding.dosage")
def dosage_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`dosage`: strength, dose or schedule, told apart by grammar and never by its name."""
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = unreadable_claim(roles)
    if not judgements:
        if roles.strengths:
            judgements.extend(
                weigh_curated(
                    context,
                    judge_strength(context, setting, statement, Roles(strengths=roles.strengths), [r.value for r in roles.strengths]),
                )
            )
        counted = ("numbers",) if slots_spelt_out(statement.roles, roles) is not None else ()
        bare = [r.value for r in roles.numbers if isinstance(r.value, Quantity)]
        if bare and not (roles.strengths or roles.doses or roles.rates or roles.slots):
            counted = ("numbers",)
            judgements.append(
                Judgement(ABSTAIN, "claim.role_unknown", "a bare number may be a strength or a dose", severity=Severity.MAJOR)
            )
        judgements.extend(said_besides(context, setting, item, claim, roles, beside=("strengths", "ambiguous", *counted)))
        if not judgements:
            judgements = [
                Judgement(
                    ABSTAIN,
                    "claim.role_unknown",
                    "the claim is neither a strength, a dose nor a schedule that can be read",
                    severity=Severity.MAJOR,
                )
            ]
    return claim_findings(context, claim, judgements, "grounding.dosage")
