"""How a form, the container of an injection and a release are judged."""

from __future__ import annotations

from collections.abc import Sequence

from medfence_guard.attest import implied_forms
from medfence_guard.checks.check import INJECTABLE, Context
from medfence_guard.checks.grounding.components.implied import base_form, weigh_curated
from medfence_guard.checks.grounding.stated import name_chunks, releases_of, releases_within
from medfence_guard.checks.grounding.wording import statement_words, words_of
from medfence_guard.compare import ABSTAIN, FAIL, PASS, Judgement, Setting, added, held
from medfence_guard.contract import Severity
from medfence_guard.reader.statement import Statement

_RELEASED_AS = {"tablet_dispersible": "dispersible", "tablet_orodispersible": "orodispersible"}


def judge_form(context: Context, setting: Setting, statement: Statement, wanted: str) -> list[Judgement]:
    """A form: the written one, else that of the dose's unit, else the only one of the product; never against a written injection."""
    lexicon = context.rulepack.lexicon
    stated = {r.value: r.chunk for r in statement.roles.forms}
    counted = {lexicon.unit_by_ucum[u].dimension: d.chunk for d in statement.roles.doses for u in d.value.units if u is not None}
    if wanted in stated:
        return [Judgement(PASS, "form.equal", "source says the same form", (stated[wanted],))]
    released = {lexicon.release_family.get(r) for r in releases_of(statement)}
    if set(stated) == {"tablet"} and _RELEASED_AS.get(wanted) in released - {None}:
        # `Tab X 20 mg DT`
        return [Judgement(PASS, "form.with_its_release", "source says a tablet, and of what kind", tuple(stated.values()), note=True)]
    if stated:
        where = tuple(stated.values())
        if any({wanted, f} <= group for f in stated for group in lexicon.same_forms):
            return [held("form.same_family", "source says another form of the same family", where)]
        if wanted in ("drops", "spray", "powder") or set(stated) & {"drops", "spray", "powder"}:
            return [held("form.undetermined", "source does not say which kind", where)]
        return [Judgement(FAIL, "form.different", "source says another form", where)]
    injected = [r.chunk for r in statement.roles.routes if r.value in INJECTABLE]
    if injected and lexicon.form_route.get(wanted) is not None:
        # `Furosemide 40 mg IV` is no tablet, though no form is written.
        return [Judgement(FAIL, "form.contradicts_route", "source gives it by injection", tuple(injected))]
    unit = lexicon.form_unit.get(wanted)
    if (
        unit is not None
        and lexicon.unit_by_ucum.get(unit) is not None
        and lexicon.unit_by_ucum[unit].dimension.startswith("count:")
        and lexicon.unit_by_ucum[unit].dimension in counted
        # `1 tab` is a tablet; it does not say of what kind (dispersible, sublingual).
        and not wanted.startswith(("tablet_", "capsule_"))
    ):
        where = (counted[lexicon.unit_by_ucum[unit].dimension],)
        return [Judgement(PASS, "form.from_dose_unit", "source counts the dose in that form", where, note=True)]
    return _implied_form(context, statement, wanted)


def _implied_form(context: Context, statement: Statement, wanted: str) -> list[Judgement]:
    """P7: the source writes no form; that of the product, if the bundle knows it in exactly one."""
    lexicon = context.rulepack.lexicon
    rows = implied_forms(context.rulepack.bundle, statement.name.entry, [r.value for r in statement.roles.strengths], lexicon)
    where, known = name_chunks(context, statement), rows[:2]
    if not rows:
        return [held("form.not_in_source", "source writes no form", where)]
    families = {lexicon.bundle_form_family.get(r.form) for r in rows}
    family = lexicon.form_family.get(wanted)
    if family not in families:
        says = "source writes no form; the bundle does not know this one for it"
        return [held("form.not_attested", says, where, reference=known)]
    forms = {r.form for r in rows}
    if len(families) == 1 and (
        (len(forms) == 1 and base_form(next(iter(forms))) == wanted)
        or (family == "solid_oral" and {base_form(f) for f in forms} == {wanted})
    ):
        says = "source writes no form; the bundle knows this product in exactly one"
        return weigh_curated(context, [Judgement(PASS, "form.implied_by_product", says, where, note=True, reference=known)])
    if len(families) == 1:
        says = "source writes no form; the bundle knows this product in several"
        return [held("form.several_known", says, where, reference=known)]
    return [held("form.not_in_source", "source writes no form", where)]


def judge_container(context: Context, setting: Setting, told: str) -> list[Judgement]:
    """`pen`, `vial`, `cartridge`, `prefilled syringe`: each is a claim of its own, though all of them are injections."""
    containers = setting.lexicon.claims.containers
    claimed = {containers[w] for w in words_of(told) if w in containers}
    if not claimed:
        return []
    stated = {containers[w] for w in statement_words(context, setting.statement).split() if w in containers}
    if not claimed - stated:
        return []
    where = tuple(r.chunk for r in setting.statement.roles.forms)
    if stated:
        return [Judgement(FAIL, "form.other_container", f"source says {', '.join(sorted(stated))}", where)]
    return [held("form.container_added", "source does not say in what it comes", where)]


def judge_release(context: Context, statement: Statement, claimed: Sequence[str], setting: Setting) -> list[Judgement]:
    """Releases, word by word: another of the same family is undecided, another family contradicts, an unwritten one is added."""
    stated = (*releases_of(statement), *releases_within(context, statement))
    where = tuple(r.chunk for r in statement.roles.releases)
    out: list[Judgement] = []
    for wanted in claimed:
        if wanted in stated:
            out.append(Judgement(PASS, "release.equal", "source says the same", where or statement.chunks[:1]))
        elif stated:
            family = setting.lexicon.release_family
            same = any(family.get(s) == family.get(wanted) for s in stated)
            out.append(
                Judgement(ABSTAIN if same else FAIL, "release.different", "source says another release", where, severity=Severity.MAJOR)
            )
        else:
            out.append(added(setting, "release.not_in_source", "the statement states no release"))
    return out
