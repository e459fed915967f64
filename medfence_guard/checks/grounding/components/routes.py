"""How a route, a site, a manner and a method of giving are judged."""

from __future__ import annotations

from medfence_guard.attest import implied_forms
from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.components.implied import base_form, weigh_curated
from medfence_guard.checks.grounding.stated import name_chunks
from medfence_guard.checks.grounding.wording import statement_words, words_of
from medfence_guard.compare import ABSTAIN, FAIL, PASS, Judgement, Setting, added, held
from medfence_guard.contract import Severity
from medfence_guard.payload import Claim
from medfence_guard.reader.roles.record import Roles
from medfence_guard.reader.statement import Statement
from medfence_guard.reader.text import fold


def judge_method(context: Context, setting: Setting, claim: Claim, roles: Roles) -> list[Judgement]:
    """`chew`, `dissolve`, `insert`, `apply`: how it is given is an order too; the statement says it, or its form or route does."""
    if claim.field == "name":
        return []
    told, methods = fold(claim.text).text, setting.lexicon.claims.methods
    text = statement_words(context, setting.statement)
    forms = [r.value for r in setting.statement.roles.forms]
    stated = {r.value for r in setting.statement.roles.routes}
    stated |= {of.get(form) for form in forms for of in (setting.lexicon.form_family, setting.lexicon.form_route)}
    for role in roles.verbs:
        word = told[role.chunk.start : role.chunk.end]
        if role.value == "plain" or f" {' '.join(words_of(word))} " in text or methods.get(word.split()[0], frozenset()) & stated:
            continue
        return [added(setting, "text.method_added", "the statement does not say to give it so")]
    return []


def judge_route(context: Context, setting: Setting, statement: Statement, wanted: str) -> list[Judgement]:
    """A route: the written one or that of the site, else that of the form, else that of the product; never an injection unless written."""
    lexicon = context.rulepack.lexicon
    stated = {r.value: r.chunk for r in statement.roles.routes}
    for site in statement.roles.sites:
        implied = lexicon.site_route.get(site.value)
        if implied and implied not in stated:
            stated[implied] = site.chunk
    if wanted in stated:
        if len(stated) > 1 and not set(stated) <= {"topical", "transdermal"}:
            return [held("route.one_of_several", "source names more than one route", stated.values())]
        return [Judgement(PASS, "route.equal", "source says the same route", (stated[wanted],))]
    if stated:
        return [Judgement(FAIL, "route.different", "source says another route", tuple(stated.values()))]
    ambiguous = [r for r in statement.roles.ambiguous if r.value[0] == "route"]
    if ambiguous:
        return [held("route.ambiguous", "a word of the statement may be a route or something else", (r.chunk for r in ambiguous))]
    if statement.roles.forms:
        return [_route_of_the_form(context, setting, statement, wanted)]
    return _implied_route(context, setting, statement, wanted)


def _route_of_the_form(context: Context, setting: Setting, statement: Statement, wanted: str) -> Judgement:
    """P7: a form that has one route implies it, and contradicts another."""
    forms = statement.roles.forms
    where = tuple(r.chunk for r in forms)
    routes = {context.rulepack.lexicon.form_route.get(r.value) for r in forms}
    if None in routes:
        return added(setting, "route.not_in_source", "the statement states no route", where)
    if routes == {wanted}:
        return Judgement(PASS, "route.implied_by_form", "source writes no route; its form has only that one", where, note=True)
    if wanted == "sublingual" or ("oral" in routes and wanted == "buccal"):
        return added(setting, "route.not_in_source", "the statement does not say so", where)
    return Judgement(FAIL, "route.contradicts_form", "source names a form of another route", where)


def _implied_route(context: Context, setting: Setting, statement: Statement, wanted: str) -> list[Judgement]:
    """P7: neither route nor form is written; what is counted, or the product, may have one route only. Never an injection."""
    lexicon = context.rulepack.lexicon
    counted = [d for d in statement.roles.doses if d.value.units[0] in ("{tbl}", "{capsule}")]
    if counted and wanted == "oral":
        return [Judgement(PASS, "route.implied_by_form", "source counts tablets or capsules", (counted[0].chunk,), note=True)]
    where = name_chunks(context, statement)
    rows = implied_forms(context.rulepack.bundle, statement.name.entry, [r.value for r in statement.roles.strengths], lexicon)
    routes = {lexicon.form_route.get(base_form(r.form)) for r in rows}
    if rows and routes == {wanted} and wanted not in ("intravenous", "intramuscular", "subcutaneous"):
        says = "source writes neither route nor form; the bundle knows this product for one route only"
        return weigh_curated(context, [Judgement(PASS, "route.implied_by_product", says, where, note=True, reference=rows[:2])])
    if wanted in ("intravenous", "intramuscular", "subcutaneous", "intradermal"):
        return [added(setting, "route.not_in_source", "the statement states no route")]
    return [held("route.not_in_source", "source writes neither route nor form that settles it", where)]


def judge_manner(context: Context, setting: Setting, claim: Claim) -> list[Judgement]:
    """Slowly, as a bolus, by infusion: neither made up nor lost, in whatever field of the item it stands."""
    manners = setting.lexicon.claims.manners
    said = {manners[w] for w in words_of(claim.text) if w in manners}
    stated = {manners[w] for w in statement_words(context, setting.statement).split() if w in manners}
    where = tuple(r.chunk for r in setting.statement.roles.routes)
    if said - stated:
        return [added(setting, "route.manner_added", "the statement does not say in what manner", where)]
    if stated - said and not stated <= {manners[w] for c in context.item_of(claim).claims for w in words_of(c.text) if w in manners}:
        return [Judgement(ABSTAIN, "route.manner_dropped", f"source says {', '.join(sorted(stated))}", where, severity=Severity.MAJOR)]
    return []


def judge_sites(setting: Setting, claim: Roles) -> list[Judgement]:
    """Sites, laterality included: each must be a stated one, and a statement of several is not one of them."""
    stated = {r.value: r.chunk for r in setting.statement.roles.sites}
    out: list[Judgement] = []
    for role in claim.sites:
        sided = [chunk for site, chunk in stated.items() if site.startswith(f"{role.value} ")] if role.value in ("right", "left") else []
        if role.value in stated:
            out.append(Judgement(PASS, "site.equal", "source says the same site", (stated[role.value],)))
        elif sided and len(stated) == 1:
            # `laterality: "right"` of `right eye`
            out.append(Judgement(PASS, "site.side_equal", "source says the same side", (sided[0],), note=True))
        elif stated:
            out.append(Judgement(FAIL, "site.different", "source says another site", tuple(stated.values())))
        elif any(r.value[0] == "site" for r in setting.statement.roles.ambiguous):
            out.append(
                Judgement(
                    ABSTAIN,
                    "site.ambiguous",
                    "the site is written in a form with two readings",
                    tuple(r.chunk for r in setting.statement.roles.ambiguous),
                    severity=Severity.MAJOR,
                )
            )
        else:
            out.append(added(setting, "site.not_in_source", "the statement states no site"))
    if stated and len(stated) > len({r.value for r in claim.sites}) and not any(j.verdict is FAIL for j in out):
        out.append(
            Judgement(ABSTAIN, "site.one_of_several", "source says more than one site", tuple(stated.values()), severity=Severity.MAJOR)
        )
    return out
