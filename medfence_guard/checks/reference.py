"""Family R: does the bundle know it? Open world: what is missing ABSTAINs, only the impossible FAILs."""

from __future__ import annotations

from functools import partial

from medfence_guard.attest import ATTESTED, IMPOSSIBLE, UNKNOWN, attest, known_in_form
from medfence_guard.bind import EXACT
from medfence_guard.bundle import Product, name_key
from medfence_guard.checks.check import Check, Context, reference_evidence, rule_finding
from medfence_guard.checks.grounding.stated import family_of, form_in_letters, releases_of, setting_for
from medfence_guard.compare import without_own_unit
from medfence_guard.contract import Evidence, Finding, Severity, Span, Verdict
from medfence_guard.payload import Claim
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.statement import Statement

PASS, FAIL, ABSTAIN = Verdict.PASS, Verdict.FAIL, Verdict.ABSTAIN


PESSARY = "pessary"


def _put_in(statement: Statement) -> bool:
    """`Tab Candid V6 PV`: a tablet that the statement itself gives by the vagina may be a vaginal one."""
    return {r.value for r in statement.roles.routes} == {"vaginal"}


def drug_exists(context: Context, claim: Claim) -> list[Finding]:
    """P8: a name copied faithfully that is in no bundle."""
    say = partial(rule_finding, "reference.drug_exists", claim.path)
    reading = context.items[context.item_of(claim).index]
    name = reading.name if claim.field == "name" else reading.generic
    if name is None:
        return [say(ABSTAIN, Severity.MAJOR, "There is no name to look up.")]
    if name.entry is None or name.entry.incomplete:
        says = f"We do not know this name; searched {', '.join(context.rulepack.bundle.editions)}."
        return [rule_finding("reference.unknown_name", claim.path, ABSTAIN, Severity.MAJOR, says)]
    evidence = Evidence(
        kind="reference",
        refdata_key=name.entry.display,
        citation=name.entry.citation,
        grade=name.entry.grade,
        rule_id="reference.drug_exists",
    )
    return [say(PASS, Severity.MAJOR, "The bundle knows this name.", (evidence,))]


def dose_in_range(context: Context, claim: Claim) -> list[Finding]:
    """P1: is this a marketed strength of that product? Never whether a patient should take it."""
    say = partial(rule_finding, "reference.dose_in_range", claim.path)
    item = context.item_of(claim)
    statement = context.statement_of(item)
    roles = context.roles_of(claim)
    quantities = [r.value for r in roles.strengths] + [r.value for r in roles.numbers if isinstance(r.value, Quantity)]
    quantities += [Quantity(tuple(r.value), (None,) * len(r.value)) for r in roles.numbers if not isinstance(r.value, Quantity)]
    if claim.field == "dosage" and not roles.strengths:
        return [say(PASS, Severity.MINOR, "The claim states no strength to look up.")]
    if statement is None or not quantities:
        return [say(ABSTAIN, Severity.MAJOR, "There is no strength of a known statement to look up.")]
    quantity = without_own_unit(setting_for(context, item, statement), quantities[0])
    if len(quantities) > 1:
        quantity = Quantity(
            tuple(p for q in quantities for p in q.parts), tuple(u for q in quantities for u in q.units), None, quantities[-1].per
        )
    if any(u in ("kg", "h", "d", "min") for _, u in quantity.per):
        return [say(ABSTAIN, Severity.MAJOR, "An amount per body weight or per time is no marketed strength.")]
    entry = statement.name.entry
    if entry is None:
        # The name's own finding says that it is unknown; a strength cannot be looked up without it.
        says = "The name is in no bundle, so its strengths cannot be looked up; the name is held for that."
        return [say(PASS, Severity.MINOR, says)]
    lexicon, releases = context.rulepack.lexicon, releases_of(statement)
    found = attest(context.rulepack.bundle, lexicon, entry, quantity, family_of(context, statement), releases)
    if found.status != ATTESTED and _put_in(statement):
        put_in = attest(context.rulepack.bundle, lexicon, entry, quantity, lexicon.form_family[PESSARY], releases)
        found = put_in if put_in.status == ATTESTED else found
    evidence = tuple(reference_evidence(found.rows, "reference.dose_in_range"))
    if found.status == ATTESTED:
        if found.curated:
            says = "This strength is attested by curated facts alone."
            return [rule_finding("reference.curated_only", claim.path, PASS, Severity.MINOR, says, evidence)]
        return [say(PASS, Severity.MAJOR, "This strength is attested for the product.", evidence)]
    searched = f"searched {', '.join(context.rulepack.bundle.editions)}"
    if found.status == UNKNOWN:
        return [say(ABSTAIN, Severity.MAJOR, f"The bundle lists no product of this name; {searched}.")]
    if found.status == IMPOSSIBLE and found.refutable:
        return [say(FAIL, Severity.CRITICAL, f"No product can have this strength: {found.reason}.", evidence)]
    why = f"{found.reason}, by a curated name" if found.status == IMPOSSIBLE else "not attested for this name, form and release"
    return [say(ABSTAIN, Severity.MAJOR, f"This strength is {why}; {searched}.", evidence)]


def _called_by_its_form(context: Context, statement: Statement, form: str) -> tuple[Product, ...]:
    """`Mucaine gel` of the bundle, an oral suspension: the name and the form right behind it are the name of one product of that name."""
    written = [r.chunk for r in statement.roles.forms if r.value == form and r.chunk.start >= statement.name.end]
    if len(written) != 1 or len(statement.roles.forms) != 1 or context.source.text[statement.name.end : written[0].start].strip():
        return ()
    entry = statement.name.entry
    word = name_key(context.text(Span(written[0].start, written[0].end)))
    if entry is None or entry.ambiguous:
        return ()
    return tuple(row for row in entry.rows if name_key(row.brand) == statement.name.key + word)


def dose_form_valid(context: Context, claim: Claim) -> list[Finding]:
    """Does the bundle know a product of that name in that form family?"""
    say = partial(rule_finding, "reference.dose_form_valid", claim.path)
    statement = context.statement_of(context.item_of(claim))
    roles = context.roles_of(claim)
    lexicon = context.rulepack.lexicon
    letters = None if statement is None or roles.forms else form_in_letters(context, claim.text, statement)
    if statement is None or not (roles.forms or letters):
        return [say(ABSTAIN, Severity.MAJOR, "There is no form of a known statement to look up.")]
    entry = statement.name.entry
    form = letters[0] if letters else roles.forms[0].value
    if entry is None or lexicon.form_family.get(form) in ("drops", "spray", None):
        says = "There is no product or no single form family to look up; the name or form is judged elsewhere."
        return [say(PASS, Severity.MINOR, says)]
    known, rows = known_in_form(context.rulepack.bundle, lexicon, entry, form)
    if not known and _put_in(statement):
        known, rows = known_in_form(context.rulepack.bundle, lexicon, entry, PESSARY)
    if not known and (called := _called_by_its_form(context, statement, form)):
        known, rows = True, called
    evidence = reference_evidence(rows, "reference.dose_form_valid")
    if known:
        return [say(PASS, Severity.MAJOR, "The bundle knows the product in this form.", evidence)]
    return [say(ABSTAIN, Severity.MAJOR, "The bundle does not attest this form for the product.", evidence)]


def look_alike(context: Context, claim: Claim) -> list[Finding]:
    """P26: information when the name is exact; ABSTAIN only where the name token itself was badly recognised."""
    say = partial(rule_finding, "reference.look_alike", claim.path)
    item = context.item_of(claim)
    statement = context.statement_of(item)
    name = context.items[item.index].name
    if statement is None or name is None:
        return []
    key = name.parts[0].key if name.parts else name.key
    pairs = context.rulepack.bundle.look_alikes.get(key) or context.rulepack.bundle.look_alikes.get(name.key, ())
    if context.confidence.is_low(statement.name.start, statement.name.end):
        if not pairs and context.binding.relation.get(item.index) == EXACT:
            return []
        return [say(ABSTAIN, Severity.MAJOR, "The name was recognised below the floor for words.")]
    if not pairs:
        return []
    other, source = pairs[0]
    evidence = Evidence(kind="reference", refdata_key=other, citation=source, grade="curated", rule_id="reference.look_alike")
    return [say(PASS, Severity.MINOR, f"This name is confused with {other!r} elsewhere; here it is exact.", (evidence,))]


CHECKS: tuple[Check, ...] = (
    Check(
        id="reference.drug_exists",
        scope="claim",
        fields=frozenset({"name", "generic_name"}),
        run=drug_exists,
        emits=("reference.drug_exists", "reference.unknown_name"),
        what="Looks the name up in the bundle.",
        why="A name copied faithfully may still be no medicine.",
        example="an unknown name: ABSTAIN.",
    ),
    Check(
        id="reference.dose_in_range",
        scope="claim",
        fields=frozenset({"strength", "dosage"}),
        run=dose_in_range,
        emits=("reference.dose_in_range", "reference.curated_only"),
        what="Asks whether this is a marketed strength of that product, form and release.",
        why="mg for mcg and lost decimal points give strengths that nobody sells.",
        example="paracetamol 50 g: FAIL; an unlisted strength: ABSTAIN.",
    ),
    Check(
        id="reference.dose_form_valid",
        scope="claim",
        fields=frozenset({"form"}),
        run=dose_form_valid,
        emits=("reference.dose_form_valid",),
        what="Asks whether the product is known in that form family.",
        why="A form nobody sells is a reading error.",
        example="an injection of a product known only as tablets: ABSTAIN.",
    ),
    Check(
        id="reference.look_alike",
        scope="item_name",
        fields=frozenset({"name"}),
        run=look_alike,
        emits=("reference.look_alike",),
        what="Says when the name is one that is confused with another.",
        why="Reviewers want to know; the machine does not guess.",
        example="exact and confidently read: a MINOR note.",
    ),
)
