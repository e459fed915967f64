"""What a value says beside what its field is for: each part is judged as it would be in its own field."""

from __future__ import annotations

from collections.abc import Sequence

from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.claimed import KEY_CONTRADICTS, UNREAD_WORDS, is_cut_short
from medfence_guard.checks.grounding.components.amounts import judge_dose_times
from medfence_guard.checks.grounding.components.counts import judge_listed, judge_maximum
from medfence_guard.checks.grounding.components.forms import judge_container, judge_form, judge_release
from medfence_guard.checks.grounding.components.implied import units_implied, weigh_curated
from medfence_guard.checks.grounding.components.limits import judge_limits
from medfence_guard.checks.grounding.components.reasons import judge_reasons
from medfence_guard.checks.grounding.components.routes import judge_method, judge_route, judge_sites
from medfence_guard.checks.grounding.wording import statement_words, words_of
from medfence_guard.compare import (
    ABSTAIN,
    Judgement,
    Setting,
    added,
    compare_dose,
    compare_duration,
    compare_frequency,
    compare_strength,
    compare_whens,
)
from medfence_guard.contract import Severity
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.roles.record import Roles
from medfence_guard.reader.text import fold

# What a reading may hold that `other_components` leaves to the field's own comparison, and therefore never looks at (tested).
_JUDGED_BY_THE_FIELD = frozenset("composition cues ambiguous unreadable unsupported residue numbers labels superseded doses_timed".split())


def other_components(context: Context, setting: Setting, item: Item, claim: Claim, roles: Roles, beside: Sequence[str]) -> list[Judgement]:
    """Whatever else a value says beside what its field is for: each component must be entailed as well."""
    if roles.kinds().difference(beside) <= _JUDGED_BY_THE_FIELD:
        # Nothing else is said. So nothing below may hang on a kind of `beside` alone.
        return []
    out: list[Judgement] = []
    statement = setting.statement
    if "doses" not in beside and roles.doses:
        injected = any(context.rulepack.lexicon.form_family.get(r.value) == "injection" for r in statement.roles.forms)
        slotted = {r.chunk for r in roles.slots}
        own = [r.value for r in roles.doses if r.chunk not in slotted]
        if own:
            out.extend(compare_dose(setting, own, [], injected))
            if len(own) > 1:
                out.extend(judge_dose_times(context, setting, item, roles))
    if "strengths" not in beside and roles.strengths:
        out.extend(weigh_curated(context, compare_strength(setting, [r.value for r in roles.strengths], units_implied(context, statement))))
    if "rates" not in beside and (roles.rates or roles.slots or roles.prn or roles.stat or roles.weekdays or roles.as_directed):
        out.extend(j for j in compare_frequency(setting, roles))
    whens = [
        w
        for w in roles.whens
        if not ("day_parts" in beside and w.value[0] in ("MORN", "NOON", "AFT", "EVE", "NIGHT", "HS") and not (roles.rates or roles.slots))
    ]
    if whens and "whens" not in beside:
        clone = Roles(whens=whens)
        out.extend(compare_whens(setting, clone))
    if "durations" not in beside and (roles.durations or roles.open_durations):
        out.extend(compare_duration(setting, roles))
    if "routes" not in beside and roles.routes:
        out.extend(j for r in roles.routes for j in judge_route(context, setting, statement, r.value))
    if "sites" not in beside and roles.sites:
        out.extend(judge_sites(setting, roles))
    if "forms" not in beside and roles.forms:
        out.extend(j for r in roles.forms for j in judge_form(context, setting, statement, r.value))
        out.extend(judge_container(context, setting, " ".join(claim.text[r.chunk.start : r.chunk.end] for r in roles.forms)))
    if "maxima" not in beside and roles.maxima:
        out.extend(judge_maximum(context, setting, fold(claim.text[r.chunk.start :]).text, r.value) for r in roles.maxima)
    if "quantities" not in beside and roles.quantities:
        out.extend(judge_listed(setting, roles.quantities, statement.roles.quantities, "that quantity"))
    if "releases" not in beside and roles.releases:
        out.extend(judge_release(context, statement, [r.value[0] for r in roles.releases], setting))
    if roles.refills:
        out.extend(judge_listed(setting, roles.refills, statement.roles.refills, "to refill"))
    out.extend(judge_method(context, setting, claim, roles))
    out.extend(judge_limits(context, setting, claim, roles))
    if roles.prn_for or roles.indications:
        out.extend(judge_reasons(context, item, claim, statement))
    if claim.field != "timing" and whens and sum(r.value.low for r in roles.rates) > 1:
        # `BD before breakfast` where the source has one dose before breakfast and one before dinner.
        several = {w.value[0] for w in statement.roles.whens} - {w.value[0] for w in whens}
        if several:
            out.append(
                Judgement(
                    ABSTAIN,
                    "timing.one_of_several",
                    "source names another time or meal as well",
                    tuple(w.chunk for w in statement.roles.whens),
                    severity=Severity.MAJOR,
                )
            )
    if claim.field not in ("timing", "instructions"):
        out.extend(_added_words(context, setting, claim, roles))
    return out


def said_besides(
    context: Context,
    setting: Setting,
    item: Item,
    claim: Claim,
    roles: Roles,
    beside: Sequence[str],
    *,
    residue: bool = True,
) -> list[Judgement]:
    """All that a value says and its field's own comparison did not consume (`beside` names what it did): no check may leave it out.

    What is read is judged as in its own field; words and numbers nobody read, and a joint with nothing behind it, are never entailed.
    """
    out = other_components(context, setting, item, claim, roles, beside)
    if claim.key != claim.field and _key_counts_otherwise(context, claim, roles):
        out.append(KEY_CONTRADICTS)
    if (
        (roles.residue and residue)
        or roles.unsupported
        or roles.cues
        or (roles.numbers and "numbers" not in beside)
        or (roles.ambiguous and "ambiguous" not in beside)
        or is_cut_short(claim, roles)
    ):
        out.append(UNREAD_WORDS)
    return out


# The last word of what a key makes of a bare number (`{} times a week`) -> the kinds of value it counts, and their unit.
_COUNTED = {
    **dict.fromkeys(("day", "week", "hours"), ("rates", "slots")),
    **dict.fromkeys(("days", "weeks", "months"), ("durations",)),
    **dict.fromkeys(("tablets", "capsules", "mg", "mcg", "ml"), ("strengths", "doses", "quantities")),
}
_TIMES = {"day": "d", "week": "wk", "hours": "h", "days": "d", "weeks": "wk", "months": "mo"}


def _key_counts_otherwise(context: Context, claim: Claim, roles: Roles) -> bool:
    """`weeks: "30 days"`, `strength_mcg: "40 mg"`: the key names one unit and its value another."""
    role = context.rulepack.alias_table.item_role(claim.key)
    if role is None or role.kind != "template":
        return False
    word = role.template.rsplit(" ", 1)[-1]
    unit = _TIMES.get(word) or getattr(context.rulepack.lexicon.units.get(word), "ucum", None)
    told: set[str | None] = set()
    for kind in _COUNTED.get(word, ()):
        for found in getattr(roles, kind):
            if kind in ("strengths", "doses"):
                told.update(found.value.units)
            else:
                told.add(found.value.unit if kind == "rates" else "d" if kind == "slots" else found.value[2])
    return bool(told - {unit, None})


def _added_words(context: Context, setting: Setting, claim: Claim, roles: Roles) -> list[Judgement]:
    """Remarks and reasons a value says beside what its field is for (`BD with milk`, `500 mg for pain`): as the source has them."""
    told = fold(claim.text).text
    words = [
        w
        for r in (*roles.inert, *roles.indications, *roles.prn_for, *roles.pseudo_cues, *roles.beside)
        for w in words_of(told[r.chunk.start : r.chunk.end])
    ]
    text = statement_words(context, setting.statement) if words else ""
    if all(f" {w} " in text for w in words):
        return []
    return [added(setting, "text.not_in_statement", "the item's own statement does not have these words")]
