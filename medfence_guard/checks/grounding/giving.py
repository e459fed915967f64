"""The checks of `form`, `release`, `route` and `site`."""

from __future__ import annotations

from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.claimed import KEY_CONTRADICTS, unreadable_claim
from medfence_guard.checks.grounding.components.forms import judge_container, judge_form, judge_release
from medfence_guard.checks.grounding.components.others import said_besides
from medfence_guard.checks.grounding.components.routes import judge_manner, judge_route, judge_sites
from medfence_guard.checks.grounding.firmness import claim_findings
from medfence_guard.checks.grounding.ownership import of_a_statement
from medfence_guard.checks.grounding.stated import form_in_letters, setting_for
from medfence_guard.checks.grounding.texts import text_check
from medfence_guard.compare import ABSTAIN, FAIL, PASS, Judgement, Setting
from medfence_guard.contract import Finding, Severity, Span
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.roles.record import Roles
from medfence_guard.reader.statement import Statement
from medfence_guard.reader.text import fold

# A word for a liquid that does not say for which route, and the families of form it may be said of.
_ANY_LIQUID = frozenset({"solution", "suspension", "liquid"})
_LIQUIDS = frozenset({"eye", "ear", "nasal", "drops", "nebulised", "liquid_oral", "injection"})
# A key that says where, and the route that such a site has.
_KEY_SAYS_WHERE = {"eye": "ophthalmic", "eyes": "ophthalmic", "ear": "otic", "ears": "otic", "nose": "nasal", "nostril": "nasal"}


@of_a_statement("grounding.form")
def form_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`form`: the form, and the container of an injection, which is another product."""
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = unreadable_claim(roles)
    forms = [r.value for r in roles.forms]
    letters = None if forms else form_in_letters(context, claim.text, statement)
    if letters is not None:
        said = Judgement(PASS, "form.equal", "source says the same form, in the same letters", letters[1:])
        return claim_findings(context, claim, [said], "grounding.form")
    if not judgements:
        if not forms:
            judgements = [Judgement(ABSTAIN, "form.unreadable_claim", "the claim is no form that can be read", severity=Severity.MAJOR)]
        else:
            judgements = [j for f in dict.fromkeys(forms) for j in judge_form(context, setting, statement, f)]
            if claim.text.strip().lower() in _ANY_LIQUID and any(j.rule == "form.different" for j in judgements):
                families = {context.rulepack.lexicon.form_family.get(r.value) for r in statement.roles.forms}
                if families <= _LIQUIDS:
                    says = "source says which liquid it is, the claim only that it is one"
                    judgements = [Judgement(ABSTAIN, "form.undetermined", says, statement.chunks[:1], severity=Severity.MAJOR)]
            judgements.extend(judge_container(context, setting, claim.text))
        judgements.extend(said_besides(context, setting, item, claim, roles, beside=("forms",)))
    return claim_findings(context, claim, judgements, "grounding.form")


@of_a_statement("grounding.release")
def release_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`release`: the release words, token by token, and nothing else."""
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    claimed = [r.value[0] for r in roles.releases]
    if not claimed or roles.unreadable or roles.residue or roles.unsupported or roles.cues:
        judgements = [Judgement(ABSTAIN, "release.unreadable_claim", "the claim is no release that can be read", severity=Severity.MAJOR)]
    else:
        judgements = judge_release(context, statement, claimed, setting)
        judgements.extend(said_besides(context, setting, item, claim, roles, beside=("releases",)))
    return claim_findings(context, claim, judgements, "grounding.release")


@of_a_statement("grounding.route")
def route_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`route`: the route, in its own word or by a form or site that has only one, and the manner of it."""
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = unreadable_claim(roles)
    if not judgements:
        routes = [r.value for r in roles.routes]
        ambiguous = [r.value[1] for r in roles.ambiguous if r.value[0] == "route"]
        routes += [v for values in ambiguous for v in values]
        if not routes:
            implied = [context.rulepack.lexicon.form_route.get(r.value) for r in roles.forms]
            routes = [r for r in implied if r is not None]
        if not routes:
            routes = [r for s in roles.sites if (r := context.rulepack.lexicon.site_route.get(s.value)) is not None]
        if not routes:
            judgements = [Judgement(ABSTAIN, "route.unreadable_claim", "the claim is no route that can be read", severity=Severity.MAJOR)]
        else:
            judgements = [j for r in dict.fromkeys(routes) for j in judge_route(context, setting, statement, r)]
            if roles.residue:
                # `inhalation (oral)`: a route of which a word is not read contradicts nothing.
                judgements = [j._replace(verdict=ABSTAIN, severity=Severity.MAJOR) if j.verdict is FAIL else j for j in judgements]
        judgements.extend(said_besides(context, setting, item, claim, roles, beside=("routes", "forms", "ambiguous")))
        judgements.extend(judge_manner(context, setting, claim))
    return claim_findings(context, claim, judgements, "grounding.route")


def _other_organ(setting: Setting, organ: str, claim: Roles) -> bool:
    """`{"ear": "RE"}`: the value, the statement's sites or else its form are of another organ than the key."""
    stated = setting.statement.roles
    # A side alone is of whatever organ the key or the statement names.
    places = {setting.lexicon.site_route.get(r.value) for r in (*claim.sites, *stated.sites) if r.value not in ("right", "left")}
    if not places:
        places = {setting.lexicon.form_route.get(r.value) for r in stated.forms} - {None}
    return bool(places) and places != {organ}


def _place(text: str) -> str:
    """The words of a place without the one that leads to it: `on hands`, `to the hands` are `hands`."""
    words = fold(text).text.split(" ")
    while len(words) > 1 and words[0] in ("on", "over", "to", "the"):
        del words[0]
    return " ".join(words)


@of_a_statement("grounding.site")
def site_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`site`: the site with its side; what is no site that can be read must stand in the statement verbatim."""
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    wanted = _KEY_SAYS_WHERE.get(claim.key.lower())
    if wanted is not None and _other_organ(setting, wanted, roles):
        return claim_findings(context, claim, [KEY_CONTRADICTS], "grounding.site")
    if roles.sites and not roles.residue:
        judgements = [*unreadable_claim(roles), *judge_sites(setting, roles)]
        judgements.extend(said_besides(context, setting, item, claim, roles, beside=("sites",)))
        return claim_findings(context, claim, judgements, "grounding.site")
    stated = tuple(r.chunk for r in statement.roles.sites)
    same = tuple(c for c in stated if _place(context.text(Span(c.start, c.end))) == _place(claim.text.strip()))
    if same and len(stated) == 1:
        return claim_findings(context, claim, [Judgement(PASS, "site.equal", "source says the same site", same)], "grounding.site")
    if stated:
        # `eye` for `right eye`: less than the source says, whatever it means.
        return claim_findings(
            context,
            claim,
            [Judgement(ABSTAIN, "site.side_dropped", "source says which one; the claim does not", stated, severity=Severity.MAJOR)],
            "grounding.site",
        )
    return text_check(context, claim)
