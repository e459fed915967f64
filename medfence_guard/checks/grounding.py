"""Family G: does this item's own statement entail the claim?"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from medfence_guard.attest import IMPOSSIBLE, UNATTESTED, attest, implied_forms, implied_units
from medfence_guard.bind import ALIAS, BRAND_OF, EXACT, GENERIC_OF, NEAR, PART, STEM, relation
from medfence_guard.bundle import Product
from medfence_guard.checks.check import INJECTABLE, Check, Context, Run, finding, reference_evidence, rule_finding, source_evidence
from medfence_guard.compare import (
    ABSTAIN,
    FAIL,
    PASS,
    Judgement,
    Setting,
    absent,
    added,
    compare_dose,
    compare_duration,
    compare_frequency,
    compare_prn_flag,
    compare_spelt_out,
    compare_strength,
    compare_whens,
    form_units,
    number_text,
    quantity_text,
    slots_spelt_out,
    unit_text,
)
from medfence_guard.confidence import Doubt
from medfence_guard.contract import Evidence, Finding, Severity, Span, Verdict
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.chunks import Chunk, Quantity
from medfence_guard.reader.roles import NameReading, Roles
from medfence_guard.reader.statement import Statement
from medfence_guard.reader.text import fold


def _says(claim: Claim) -> str:
    return f"Extraction says {claim.text!r} for {claim.field}; "


def _same_medicine(context: Context, item: Item, twin: Statement) -> bool:
    """Whether an item that holds the statement goes by the same name, or by one of the same composition."""
    mine = context.items[item.index].name
    holders = [context.items[index].name for index in context.binding.items_of.get(twin.index, ())]
    return mine is None or any(
        held is not None and (held.key == mine.key or (held.molecules is not None and held.molecules == mine.molecules)) for held in holders
    )


def _unbound(context: Context, item: Item) -> tuple[Verdict, str, tuple[Evidence, ...]]:
    """Why an item that owns no statement is refused: duplicate, absent, or not provably absent."""
    twin = context.binding.duplicates.get(item.index)
    if twin is not None:
        evidence = Evidence(
            kind="source", source_spans=(twin.span,), matched_text=context.text(twin.span), rule_id="completeness.duplicated"
        )
        if context.source.modality != "text" and not _same_medicine(context, item, twin):
            # A misread item number runs two orders into one; the second medicine is then no copy of the first (P16).
            return ABSTAIN, "its name stands in a statement that belongs to another medicine; two orders may have run together", (evidence,)
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
    places = tuple(
        Evidence(kind="source", source_spans=(s,), matched_text=context.text(s), rule_id="grounding.absence_unproven")
        for s in context.absence_doubts[:3]
    )
    return (
        ABSTAIN,
        "the name was not found, but part of the source could not be read",
        places or (Evidence(kind="rule", rule_id="grounding.absence_unproven"),),
    )


def _parts_in_text(context: Context, item: Item) -> tuple[Evidence, ...]:
    """Each part of a claimed combination stands in the source, though not joined in a way that is read."""
    claimed = _name_words(item)
    name = context.items[item.index].name
    if name is None or len(claimed) < 2 or not claimed <= set(_words(context.source.text)):
        return ()
    found = [s for s in context.reading.statements if set(_words(context.text(Span(s.name.start, s.name.end)))) & claimed]
    if not found:
        return ()
    return (
        Evidence(
            kind="source",
            source_spans=(found[0].span,),
            matched_text=context.text(found[0].span),
            rule_id="grounding.absence_unproven",
        ),
    )


def _named_in_text(context: Context, item: Item) -> tuple[Evidence, ...]:
    """The claimed name stands in the source as written, in words no statement, heading or finding owns."""
    reading = context.items[item.index].name
    claim = next((c for c in item.claims if c.field in ("name", "generic_name")), None)
    if claim is None or reading is None:
        return ()
    words = [w for w in _words(claim.text) if len(w) > 1]
    if not words or not any(w.isalpha() and len(w) > 2 for w in words):
        return ()
    text = context.reading.folded.text
    at = re.search(r"(?<!\w)" + r"[\s.\-]+".join(re.escape(w) for w in words) + r"(?!\w)", text)
    if at is None:
        return ()
    places = [s for s in context.reading.statements if s.span.start <= at.start() < s.span.end]
    if any(not (s.roles.residue or s.roles.unreadable) for s in places) or any(s.index not in context.binding.items_of for s in places):
        return ()
    return (
        Evidence(
            kind="source",
            source_spans=(Span(*at.span()),),
            matched_text=context.text(Span(*at.span())),
            rule_id="grounding.absence_unproven",
        ),
    )


# What contradicts by its structure, not by the value of one number that OCR may have misread.
_STRUCTURAL = (
    "unit.denominator",
    "unit.other_denominator",
    "unit.other_dimension",
    "strength.component_lost",
    "dose.one_of_several",
    "timing.prn_dropped",
)

# Values of which a statement may hold several: words left unread may be another of them.
_OF_SEVERAL = frozenset(
    {
        "timing.different",
        "timing.meal_different",
        "timing.component_invented",
        "dose.one_of_several",
        "text.not_in_source",
        "when.not_in_source",
    }
)


def _name_words(item: Item) -> set[str]:
    told = next((c.text for c in item.claims if c.field in ("name", "generic_name")), "")
    return {w for w in _words(told) if w not in ("and", "with", "tab", "cap", "inj", "syp", "tablet", "capsule", "injection", "syrup")}


def _combination_in_pieces(context: Context, item: Item, statement: Statement) -> bool:
    """The claimed name has several parts, all of them on the statement's own line, and the statement was read with fewer."""
    text = context.reading.folded.text
    start = text.rfind("\n", 0, statement.span.start) + 1
    stop = text.find("\n", statement.span.end)
    line = set(_words(text[start : stop if stop >= 0 else len(text)]))
    claimed, read = _name_words(item), set(_words(text[statement.name.start : statement.name.end]))
    if not claimed or not claimed <= line:
        return False
    read |= {w for w in claimed if any(w in part.key for part in statement.name.parts)}
    name = context.items[item.index].name
    fewer = name is not None and len(claimed) > 1 and len(name.parts) < len(statement.name.parts)
    return bool(claimed - read) or fewer or (statement.name.entry is None and claimed != read)


def _not_firm(context: Context, claim: Claim, judgement: Judgement) -> str:
    """Why a contradiction found in OCR is no proof (P16); empty if it is one."""
    statement = context.binding.owner.get(claim.item) if claim.item is not None else None
    if statement is None:
        return ""
    if statement.interleaved:
        return "the text looks like two columns read straight across"
    assert claim.item is not None
    if _combination_in_pieces(context, context.payload.items[claim.item], statement):
        return "the medicines the item joins stand apart in the source"
    if context.source.modality == "text":
        foreign = _foreign(statement)
        if foreign is not None and any(c.start > foreign for c in judgement.chunks):
            return "another medicine may stand there"
        if claim.field in ("instructions", "timing"):
            if len(context.reading.groups[statement.group]) > 1:
                return "the statement has several steps"
            if " ".join(_words(claim.text)) in " ".join(_words(context.source.text)):
                return "the source has these words, beside the statement"
        if claim.field == "duration" and statement.roles.unsupported:
            return "part of the statement could not be read"
        if (judgement.rule in _OF_SEVERAL or claim.field in ("instructions", "timing")) and (
            statement.roles.residue or statement.roles.numbers or statement.roles.unsupported
        ):
            return "part of the statement could not be read"
        return ""
    if not context.confidence.firm(judgement.chunks):
        return "the contradicting words were not recognised firmly enough"
    if judgement.rule.startswith(_STRUCTURAL):
        return ""
    roles = statement.roles
    if not statement.readable and claim.field not in ("name", "generic_name"):
        return "part of the statement could not be read"
    elsewhere = claim.field == "strength" and _owned_elsewhere(context, claim, statement)
    if not judgement.chunks and not elsewhere and context.confidence.applies:
        return "words of the page may have been lost"
    if not judgement.chunks and not elsewhere and not (roles.has_timing and (roles.strengths or roles.doses or roles.composition)):
        return "the statement lacks more than this, so part of it may be lost"
    for chunk in judgement.chunks:
        if chunk.kind == "slots" and any(v > 3 or v.denominator > 2 for v in chunk.value[0]):
            return "the slot pattern is an unlikely one"
        if chunk.kind == "duration" and (chunk.value[0].denominator != 1 or chunk.value[0] > 120):
            return "the duration is an unlikely one"
        if (
            chunk.kind == "amount"
            and judgement.rule in ("quantity.different", "unit.swapped")
            and claim.field in ("strength", "dosage", "name")
        ):
            found = attest(context.rulepack.bundle, context.rulepack.lexicon, statement.name.entry, chunk.value, None, ())
            if found.status in (UNATTESTED, IMPOSSIBLE):
                return "the strength read in the source is itself not attested"
        if chunk.kind in ("number", "tuple") and judgement.rule == "quantity.different" and claim.field in ("strength", "dosage", "name"):
            values = chunk.value.parts if isinstance(chunk.value, Quantity) else chunk.value
            found = attest(
                context.rulepack.bundle,
                context.rulepack.lexicon,
                statement.name.entry,
                Quantity(tuple(values), (None,) * len(values)),
                None,
                (),
            )
            if found.status in (UNATTESTED, IMPOSSIBLE):
                return "the strength read in the source is itself not attested"
    return ""


def _foreign(statement: Statement) -> int | None:
    """Where an unread word with an amount of its own begins (`Paracetamol 1g QDS, Xyzolin 30mg QDS PRN`); None if none does."""
    unread = {r.chunk for r in statement.roles.residue if r.chunk.kind == "word" and len(str(r.chunk.value)) > 2}
    at: int | None = None
    for chunk in statement.chunks:
        if chunk in unread:
            at = chunk.start if at is None else at
        elif chunk.kind == "amount" and at is not None:
            return at
        else:
            at = None
    return None


def _owned_elsewhere(context: Context, claim: Claim, statement: Statement) -> bool:
    """Whether the claimed number stands in another item's statement: a value taken from the wrong medicine."""
    wanted = {q.parts for q in _quantities(context.roles_of(claim))}
    others = (s for s in context.reading.statements if s.group != statement.group and s.index in context.binding.items_of)
    return any(r.value.parts in wanted and context.confidence.firm((r.chunk,)) for s in others for r in s.roles.strengths)


def _claim_findings(context: Context, claim: Claim, judgements: Iterable[Judgement], check_id: str) -> list[Finding]:
    """Judgements to findings, after asking how well the words they rest on were recognised (P6, P16, P17)."""
    out: list[Finding] = []
    says = _says(claim)
    for judgement in judgements:
        if judgement.verdict is FAIL:
            weak = _not_firm(context, claim, judgement)
            if weak:
                judgement = judgement._replace(verdict=ABSTAIN, severity=Severity.MAJOR, says=f"{judgement.says}; {weak}")
        doubt = _doubt(context, claim, judgement) if context.confidence.applies else None
        if doubt is not None:
            span = Span(doubt.start, doubt.end)
            evidence = Evidence(kind="source", source_spans=(span,), matched_text=context.text(span), rule_id=doubt.check_id)
            out.append(rule_finding(doubt.check_id, claim.path, ABSTAIN, Severity.MAJOR, f"{says}{doubt.message}.", (evidence,)))
            if judgement.verdict is FAIL:
                continue
        rule = judgement.rule
        name = "grounding.unit_integrity" if rule.startswith("unit.") and claim.field in ("strength", "dose", "dosage") else check_id
        name = "schema.role" if rule == "schema.role" else name
        out.append(finding(context, name, claim.path, judgement, says))
    return out


def _doubt(context: Context, claim: Claim, judgement: Judgement) -> Doubt | None:
    """Why the words a judgement rests on are not to be trusted."""
    chunks = judgement.chunks
    if claim.field in ("name", "generic_name"):
        # A name is read as a whole; a digit in it (`Dolo 650`, `GP 2`) is a digit.
        chunks = tuple(c for c in chunks if any(char.isdigit() for char in context.text(Span(c.start, c.end))))
    return context.confidence.doubt_about(chunks)


def _bound(context: Context, claim: Claim) -> tuple[Item, Statement | None]:
    assert claim.item is not None
    item = context.payload.items[claim.item]
    return item, context.statement_of(item)


def _not_bound(context: Context, claim: Claim, item: Item, check_id: str) -> list[Finding]:
    verdict, why, evidence = _unbound(context, item)
    return [rule_finding(check_id, claim.path, verdict, Severity.CRITICAL, f"{_says(claim)}{why}.", evidence)]


def _of_a_statement(
    check_id: str,
) -> Callable[[Callable[[Context, Claim, Item, Statement], list[Finding]]], Callable[[Context, Claim], list[Finding]]]:
    """A comparison of a claim with its item's statement; an item that owns none is answered alike for every field."""

    def wrap(compare: Callable[[Context, Claim, Item, Statement], list[Finding]]) -> Callable[[Context, Claim], list[Finding]]:
        @functools.wraps(compare)
        def run(context: Context, claim: Claim) -> list[Finding]:
            item, statement = _bound(context, claim)
            if statement is None:
                return _not_bound(context, claim, item, check_id)
            return compare(context, claim, item, statement)

        return run

    return wrap


_UNREAD_WORDS = Judgement(ABSTAIN, "claim.unread_words", "the claim holds words that are not read", severity=Severity.MAJOR)


def _unreadable_claim(roles: Roles) -> list[Judgement]:
    """A value with characters outside the alphabet, or with words and numbers nobody reads, entails nothing."""
    out: list[Judgement] = []
    for role in roles.unreadable:
        what = (
            "the claim holds characters outside the alphabet"
            if role.chunk.kind == "unreadable"
            else "the claim holds a number or word that is not well formed"
        )
        out.append(Judgement(ABSTAIN, "claim.unreadable", what, severity=Severity.MAJOR))
    if roles.cues or roles.unsupported:
        out.append(Judgement(ABSTAIN, "claim.unread_words", "the claim says more than its field is for", severity=Severity.MAJOR))
    return out


def setting_for(context: Context, item: Item, statement: Statement) -> Setting:
    """What the comparisons of one item need; built once per item."""
    found = context.settings.get(item.index)
    if found is not None:
        return found
    whens: set[str] = set()
    weekdays: set[str] = set()
    fields: set[str] = set()
    for claim in item.claims:
        roles = context.roles_of(claim)
        if claim.field in ("timing", "instructions", "frequency", "dosage", "dose"):
            whens |= {w.value[0] for w in roles.whens}
            for r in roles.weekdays:
                weekdays |= r.value
            if roles.prn:
                fields.add("prn")
        if roles.open_durations:
            fields.add("open_duration")
        if roles.doses:
            fields.add("dose")
        if claim.field == "dose":
            fields.add("dose")
        if claim.field == "as_needed" and (claim.boolean or roles.prn):
            fields.add("prn")
    insulin = _insulin(context, statement)
    part = context.binding.relation.get(item.index) == PART
    made = Setting(
        context.rulepack.lexicon,
        context.source.modality,
        statement,
        {"whens": frozenset(whens), "weekdays": frozenset(weekdays), "fields": frozenset(fields)},
        insulin,
        part,
    )
    context.settings[item.index] = made
    return made


def _insulin(context: Context, statement: Statement) -> bool:
    entry = statement.name.entry or statement.name.stem
    return entry is not None and all(any(m in context.rulepack.bundle.insulins for m in c) for c in entry.compositions)


def family_of(context: Context, statement: Statement) -> str | None:
    """The form family the statement names, if it names exactly one."""
    lexicon = context.rulepack.lexicon
    families = {lexicon.form_family.get(r.value) for r in statement.roles.forms}
    families.discard(None)
    if len(families) == 1:
        found = next(iter(families))
        return None if found in ("drops", "spray") else found
    return None


def releases_of(statement: Statement) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*statement.name.release, *(r.value[0] for r in statement.roles.releases)]))


# -- names -------------------------------------------------------------------------------------------------------------


def name_check(context: Context, claim: Claim) -> list[Finding]:
    item, statement = _bound(context, claim)
    name = _claimed_name(context, item, claim)
    if name is None:
        return [rule_finding("grounding.name", claim.path, ABSTAIN, Severity.CRITICAL, f"{_says(claim)}it is no name that can be read.")]
    if statement is None:
        return _not_bound(context, claim, item, "grounding.name")
    roles = context.roles_of(claim)
    judgements: list[Judgement] = []
    if roles.unreadable:
        judgements.append(Judgement(ABSTAIN, "claim.unreadable", "the claim holds characters outside the alphabet, or a malformed number"))
    judgements.append(_judge_name(context, item, claim, statement))
    if judgements[-1].verdict is not FAIL:
        judgements.extend(_numbers_agree(context, item, claim, statement, name))
    judgements.extend(_name_extras(context, item, claim, roles, statement))
    return _claim_findings(context, claim, judgements, "grounding.name")


def _name_chunks(context: Context, statement: Statement) -> tuple[Chunk, ...]:
    name = statement.name
    return (Chunk("name", name.key, name.start, name.end, 0, 0),)


def _claimed_name(context: Context, item: Item, claim: Claim) -> NameReading | None:
    """The item's name; its own reading where the item claims more than one (`{"text": "Metformin", "brand": "Januvia"}`)."""
    if len([c for c in item.claims if c.field == claim.field]) > 1:
        return context.roles_of(claim).name
    reading = context.items[item.index]
    return reading.name if claim.field == "name" else reading.generic


def _judge_name(context: Context, item: Item, claim: Claim, statement: Statement) -> Judgement:
    name = _claimed_name(context, item, claim)
    assert name is not None
    source = statement.name
    where = _name_chunks(context, statement)
    written = context.text(Span(source.start, source.end))
    said = f"source says {written!r}"
    how = relation(name, statement)
    claimed = tuple(dict.fromkeys([*name.release, *(r.value[0] for r in context.roles_of(claim).releases)]))
    if context.binding.relation.get(item.index) == NEAR and how < ALIAS:
        return Judgement(ABSTAIN, "name.near", f"{said}, which resembles it but is not the same", where, severity=Severity.MAJOR)
    if how == EXACT:
        unsaid = [r for r in releases_of(statement) if r not in claimed]
        if unsaid:
            return _release_judgement(context, item, said, where, claimed, tuple(unsaid))
        return Judgement(PASS, "name.exact", said, where)
    if how == ALIAS and len(name.parts) > 1 and len(source.parts) > 1 and [p.key for p in name.parts] != [p.key for p in source.parts]:
        mine = [p.name.compositions[0] for p in name.parts if p.name is not None]
        theirs = [p.name.compositions[0] for p in source.parts if p.name is not None]
        if mine != theirs:
            return Judgement(ABSTAIN, "name.order_of_parts", f"{said}; the parts stand in another order", where, severity=Severity.MAJOR)
    if how == ALIAS:
        unsaid = [r for r in releases_of(statement) if r not in claimed]
        if unsaid:
            return _release_judgement(context, item, said, where, claimed, tuple(unsaid))
        if _salt(name) != _salt(source) and (_salt(name) or _salt(source)):
            if _salt(name) and _salt(source):
                return Judgement(FAIL, "name.other_salt", said, where)
            return Judgement(ABSTAIN, "name.salt_differs", f"{said}; only one of them names a salt", where, severity=Severity.MAJOR)
        if set(name.release) - set(releases_of(statement)):
            return _release_judgement(context, item, said, where, name.release, source.release)
        return Judgement(
            PASS,
            "name.bundle_alias",
            f"{said}, which the bundle knows as the same substance",
            where,
            note=True,
            reference=_rows(context, name) + _rows(context, source),
        )
    if how == BRAND_OF:
        return _brand_to_generic(context, claim, name, statement, said, where)
    if how == PART:
        return Judgement(
            ABSTAIN,
            "name.combination_split",
            f"{said}, a combination of which the claim names one part",
            where,
            severity=Severity.MAJOR,
            reference=_rows(context, source),
        )
    if how == GENERIC_OF:
        return Judgement(FAIL, "name.brand_not_in_source", said, where)
    if how == STEM:
        if source.entry is None and not statement.readable:
            return Judgement(ABSTAIN, "name.suffix_unknown", f"{said}, part of which could not be read", where, severity=Severity.MAJOR)
        if name.key == source.key:
            return Judgement(FAIL, "name.number_differs", said, where)
        if _only_release_or_salt(name, source):
            if name.salts != source.salts:
                if name.salts and source.salts:
                    return Judgement(FAIL, "name.other_salt", said, where)
                return Judgement(ABSTAIN, "name.salt_differs", f"{said}; only one of them names a salt", where, severity=Severity.MAJOR)
            if name.release and set(name.release) == set(releases_of(statement)):
                return Judgement(PASS, "name.release_behind_it", f"{said}, and the release behind it", where, note=True)
            return _release_judgement(context, item, said, where, name.release, source.release)
        return Judgement(FAIL, "name.suffix_differs", said, where)
    if claim.field == "generic_name" and name.molecules is not None and source.entry is not None:
        if source.entry.ambiguous:
            return Judgement(
                ABSTAIN, "name.ambiguous_brand", f"{said}, a brand of more than one composition", where, severity=Severity.MAJOR
            )
        if source.entry.brand and source.entry.grade == "curated":
            return Judgement(
                ABSTAIN,
                "name.other_composition",
                f"{said}, whose composition the bundle gives otherwise, by a curated fact",
                where,
                severity=Severity.MAJOR,
                reference=_rows(context, source),
            )
    if source.entry is None and claim.field == "generic_name":
        return Judgement(
            ABSTAIN, "name.composition_unknown", f"{said}, whose composition is not in the bundle", where, severity=Severity.MAJOR
        )
    return Judgement(FAIL, "name.different", said, where)


def _salt(name: object) -> str:
    entry = getattr(name, "entry", None)
    return (entry.salt if entry is not None else "") or " ".join(getattr(name, "salts", ()))


def _only_release_or_salt(name: object, source: object) -> bool:
    """The same first name and suffixes; only release words or salts differ."""
    return getattr(name, "suffixes", ()) == getattr(source, "suffixes", ()) and tuple(p.key for p in getattr(name, "parts", ())) == tuple(
        p.key for p in getattr(source, "parts", ())
    )


def _release_judgement(
    context: Context, item: Item, said: str, where: tuple[Chunk, ...], claimed: tuple[str, ...], stated: tuple[str, ...]
) -> Judgement:
    """The source names a release that the claimed name lacks: fine only if another field of the item carries it."""
    lexicon = context.rulepack.lexicon
    carried = {r.value[0] for c in item.claims if c.field in ("release", "form") for r in context.roles_of(c).releases}
    families = {lexicon.release_family.get(r) for r in carried}
    families |= {
        {"tablet_dispersible": "dispersible", "tablet_orodispersible": "orodispersible"}.get(r.value)
        for c in item.claims
        if c.field == "form"
        for r in context.roles_of(c).forms
    }
    missing = [r for r in stated if r not in claimed]
    if missing and all(r in carried or lexicon.release_family.get(r) in families - {None} for r in missing):
        return Judgement(PASS, "name.release_in_its_field", f"{said}; the release is claimed in its own field", where, note=True)
    return Judgement(FAIL, "name.release_differs", said, where)


def _rows(context: Context, name: object) -> tuple[Product, ...]:
    entry = getattr(name, "entry", None)
    if entry is None:
        return ()
    if entry.rows:
        return tuple(entry.rows[:1])
    return tuple(context.rulepack.bundle.products.get(entry.compositions[0], ())[:1])


def _numbers_agree(context: Context, item: Item, claim: Claim, statement: Statement, name: NameReading) -> list[Judgement]:
    """The numbers inside a payload name must be the statement's strength, the whole of it and in its order (P2, P11).

    One of several numbers (`75` of `75/20`, `2` of `2 mg and 3 mg`, `250` of `250 mg/5 ml`) is the strength only if the
    item carries the whole in its strength, where it is compared as such.
    """
    numbers = [r.value.parts if isinstance(r.value, Quantity) else tuple(r.value) for r in context.roles_of(claim).numbers]
    claimed = (*name.label, *(v for parts in numbers for v in parts))
    if not claimed:
        return []
    setting = setting_for(context, item, statement)
    strengths = statement.roles.strengths
    if not strengths:
        where = _name_chunks(context, statement)
        printed = [q for _, q, _ in statement.roles.composition if q is not None]
        if printed and claimed in ([v for q in printed for v in q.parts], (sum((v for q in printed for v in q.parts), Fraction(0)),)):
            return []
        return [added(setting, "name.number_not_in_source", "the statement has no such number", where)]
    said = f"source says {', '.join(quantity_text(r.value) for r in strengths)}"
    where = tuple(r.chunk for r in strengths)
    wholes = _whole_strengths(statement)
    if claimed in wholes:
        return []
    stated = {v for parts in wholes for v in parts} | {v for r in strengths for v in r.value.parts}
    if not set(claimed) <= stated:
        if statement.roles.unreadable:
            return [Judgement(ABSTAIN, "number.unreadable", "the source's number is not a plain number", where)]
        return [Judgement(FAIL, "name.number_differs", said, where)]
    if len(claimed) > 1:
        return [Judgement(FAIL, "name.number_differs", said, where)]
    if any(c.field in ("strength", "dosage") and context.roles_of(c).strengths + context.roles_of(c).numbers for c in item.claims):
        return []
    return [Judgement(ABSTAIN, "name.number_one_of_several", f"{said}; the name has a part of it", where, severity=Severity.MAJOR)]


def _whole_strengths(statement: Statement) -> set[tuple[Fraction, ...]]:
    """The numbers by which a name may give the whole strength: its parts in order, their sum, a gram in milligrams."""
    values = list(dict.fromkeys((r.value.parts, r.value.per) for r in statement.roles.strengths))
    out: set[tuple[Fraction, ...]] = set()
    if len({parts for parts, _ in values}) == 1 or len(values) == 1:
        for parts, per in values:
            if not per:
                out |= {parts, (sum(parts, Fraction(0)),)}
        only = statement.roles.strengths[-1].value
        if only.units == ("g",) and not only.per:
            out.add((only.parts[0] * 1000,))
        return out
    # A label beside the strengths it sums up or repeats: `Augmentin 625 (500 mg + 125 mg)`.
    apart = [parts for parts, per in values if not per]
    whole = tuple(v for parts in apart for v in parts)
    rest = apart[1:]
    if len(apart) == len(values):
        joined = tuple(v for parts in rest for v in parts)
        if apart[0] in (joined, (sum(joined, Fraction(0)),)):
            return {apart[0], joined}
        if len(statement.name.parts) == len(apart):
            out.add(whole)
    return out


def _brand_to_generic(context: Context, claim: Claim, name: object, statement: Statement, said: str, where: tuple[Chunk, ...]) -> Judgement:
    """P3 and P25: brand → its one composition; a brand known by curated facts alone supports it only at confidence A."""
    source = statement.name
    mine = getattr(name, "molecules", None)
    printed = tuple(
        sorted(
            {m for d, _, _ in statement.roles.composition if d.name is not None and not d.name.ambiguous for m in d.name.compositions[0]}
        )
    )
    if printed and printed == mine:
        return Judgement(
            PASS,
            "name.printed_composition",
            f"{said} and prints that composition",
            where + tuple(c for _, _, c in statement.roles.composition),
            note=True,
        )
    if source.entry is None or source.entry.ambiguous:
        return Judgement(
            ABSTAIN,
            "name.ambiguous_brand",
            f"{said}, a brand the bundle knows with more than one composition",
            where,
            severity=Severity.MAJOR,
        )
    rows = source.entry.rows
    if any(r.grade != "curated" for r in rows):
        return Judgement(PASS, "name.brand_to_generic", f"{said}, whose one composition is that", where, note=True, reference=rows[:2])
    if all(r.confidence == "A" for r in rows):
        return Judgement(
            PASS, "reference.curated_only", f"{said}, whose one composition is that by a curated fact", where, note=True, reference=rows[:2]
        )
    return Judgement(
        ABSTAIN,
        "reference.curated_only",
        f"{said}, whose composition rests on a weak curated fact",
        where,
        severity=Severity.MAJOR,
        reference=rows[:2],
    )


def _name_extras(context: Context, item: Item, claim: Claim, roles: Roles, statement: Statement) -> list[Judgement]:
    """A name may carry a strength, a form, a residue of words: each is a claim too."""
    setting = setting_for(context, item, statement)
    out: list[Judgement] = []
    amounts = [r.value for r in roles.strengths if roles.name is None or r.chunk is not roles.name.label_chunk]
    if amounts:
        out.extend(compare_strength(setting, amounts, _implied(context, statement)))
    out.extend(judgement for r in roles.forms for judgement in _judge_form(context, setting, statement, r.value))
    out.extend(_judge_container(context, setting, " ".join(claim.text[r.chunk.start : r.chunk.end] for r in roles.forms)))
    out.extend(_other_components(context, setting, item, claim, roles, beside=("strengths", "forms", "numbers")))
    if roles.cues or roles.unsupported:
        out.append(Judgement(ABSTAIN, "claim.unread_words", "the name says more than a name", severity=Severity.MAJOR))
    out.extend(_name_in_brackets(context, claim, roles, statement))
    printed = [q for _, q, _ in roles.composition if q is not None]
    if printed:
        out.extend(compare_strength(setting, printed, _implied(context, statement)))
    if roles.residue:
        out.append(
            Judgement(
                FAIL if statement.readable else ABSTAIN,
                "name.different",
                f"source says {context.text(Span(statement.name.start, statement.name.end))!r}",
                _name_chunks(context, statement),
            )
        )
    return out


def _name_in_brackets(context: Context, claim: Claim, roles: Roles, statement: Statement) -> list[Judgement]:
    """`Azithral (Azithromycin)`: the second name is a claim as well, that of the composition or of the brand (P3, P25)."""
    if not roles.composition:
        return []
    source = statement.name
    where = _name_chunks(context, statement)
    said = f"source says {context.text(Span(source.start, source.end))!r}"
    mentioned = [d for d, _, _ in roles.composition]
    lexicon = context.rulepack.lexicon
    inside = _words(claim.text.partition("(")[2] or claim.text.partition("[")[2])
    known = {"and", "with", *lexicon.salts, *lexicon.units}
    if any(w not in known and not w[0].isdigit() and not any(w in d.key for d in mentioned) for w in inside):
        return [Judgement(ABSTAIN, "claim.unread_words", "the name says more than a name", severity=Severity.MAJOR)]
    written = {source.key, *(d.key for d, _, _ in statement.roles.composition)}
    if all(d.key in written for d in mentioned):
        return [Judgement(PASS, "name.exact", said, where)]
    if any(d.name is None or d.name.ambiguous for d in mentioned):
        return [Judgement(ABSTAIN, "claim.unread_words", "the name says more than a name", severity=Severity.MAJOR)]
    if any(d.name is not None and d.name.brand for d in mentioned):
        return [added(setting_for(context, context.payload.items[claim.item or 0], statement), "name.brand_not_in_source", said, where)]
    told = tuple(sorted({m for d in mentioned if d.name is not None for m in d.name.compositions[0]}))
    if source.entry is None or source.entry.ambiguous:
        return [Judgement(ABSTAIN, "name.ambiguous_brand", f"{said}, whose one composition is not known", where, severity=Severity.MAJOR)]
    if told != source.molecules:
        firm = any(r.grade != "curated" for r in source.entry.rows)
        return [Judgement(FAIL if firm else ABSTAIN, "name.different", f"{said}, which is not that", where)]
    if not source.entry.brand:
        alias = f"{said}, which the bundle knows as the same substance"
        return [Judgement(PASS, "name.bundle_alias", alias, where, note=True, reference=_rows(context, source))]
    reading = NameReading("", 0, 0, mentioned[0].name, None)
    if len(mentioned) > 1:
        reading = NameReading("", 0, 0, replace(source.entry, brand=False), None)
    return [_brand_to_generic(context, claim, reading, statement, said, where)]


# -- strength and dose -------------------------------------------------------------------------------------------------


def _implied(context: Context, statement: Statement) -> dict[Fraction, tuple[tuple[str, Product], ...]]:
    if all(None not in r.value.units for r in statement.roles.strengths):
        return {}
    return implied_units(context.rulepack.bundle, context.rulepack.lexicon, statement.name.entry, family_of(context, statement))


def _with_confidence(context: Context, judgements: list[Judgement]) -> list[Judgement]:
    """P25: a unit or form implied by curated facts alone needs confidence A."""
    out: list[Judgement] = []
    for j in judgements:
        if (
            j.rule in ("unit.implied_by_bundle", "form.implied_by_product", "route.implied_by_product")
            and j.reference
            and all(r.grade == "curated" for r in j.reference)
        ):
            if any(r.confidence == "A" for r in j.reference):
                out.append(j._replace(rule="reference.curated_only", says=j.says + ", by a curated fact"))
            else:
                out.append(
                    j._replace(
                        verdict=ABSTAIN,
                        note=False,
                        severity=Severity.MAJOR,
                        rule="reference.curated_only",
                        says=j.says + ", by a weak curated fact",
                    )
                )
            continue
        out.append(j)
    return out


def _quantities(roles: Roles) -> list[Quantity]:
    """All amounts of a payload value, whatever their dimension, and bare numbers and tuples."""
    found = [(r.chunk.start, r.value) for r in (*roles.strengths, *roles.doses)]
    for r in roles.numbers:
        if isinstance(r.value, Quantity):
            found.append((r.chunk.start, r.value))
        else:
            found.append((r.chunk.start, Quantity(tuple(r.value), (None,) * len(r.value))))
    return [q for _, q in sorted(found, key=lambda pair: pair[0])]


@_of_a_statement("grounding.strength")
def strength_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = _unreadable_claim(roles)
    quantities = _quantities(roles)
    if not judgements:
        judgements = _with_confidence(context, _strength(context, setting, statement, roles, quantities))
    if roles.residue:
        judgements.append(_UNREAD_WORDS)
    judgements.extend(_other_components(context, setting, item, claim, roles, beside=("strengths", "doses", "numbers")))
    return _claim_findings(context, claim, judgements, "grounding.strength")


def _strength(context: Context, setting: Setting, statement: Statement, roles: Roles, quantities: list[Quantity]) -> list[Judgement]:
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
    judged = compare_strength(setting, quantities, _implied(context, statement))
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


@_of_a_statement("grounding.dose")
def dose_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = _unreadable_claim(roles)
    if not judgements:
        judgements = _dose(context, setting, item, claim, roles)
    if roles.residue:
        judgements.append(_UNREAD_WORDS)
    return _claim_findings(context, claim, judgements, "grounding.dose")


def _dose(context: Context, setting: Setting, item: Item, claim: Claim, roles: Roles) -> list[Judgement]:
    spelt = slots_spelt_out(setting.statement.roles, roles)
    if spelt is not None:
        rest = _other_components(context, setting, item, claim, roles, beside=("strengths", "doses", "numbers", "rates", "whens"))
        return [*compare_spelt_out(setting, setting.statement.roles.slots[0], spelt, form_units(setting)), *rest]
    units = [q for q in _quantities(roles) if None not in q.units]
    bare = [q for q in _quantities(roles) if None in q.units]
    if not units and not bare and roles.slots:
        return [Judgement(ABSTAIN, "schema.role", "a schedule stands where the dose belongs", severity=Severity.MAJOR)]
    injected = any(context.rulepack.lexicon.form_family.get(r.value) == "injection" for r in setting.statement.roles.forms)
    out = compare_dose(setting, units, bare, injected)
    out.extend(_dose_times(context, setting, item, roles))
    out.extend(_other_components(context, setting, item, claim, roles, beside=("strengths", "doses", "numbers")))
    return out


def _dose_times(context: Context, setting: Setting, item: Item, roles: Roles) -> list[Judgement]:
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


# -- timing ------------------------------------------------------------------------------------------------------------


@_of_a_statement("grounding.frequency")
def frequency_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = _unreadable_claim(roles) or compare_frequency(setting, roles)
    if slots_spelt_out(statement.roles, roles) is not None:
        # `1 morning, 1 night` for `1-0-1`: the counts are those of the slots, and compared with them.
        roles = replace(roles, doses=[], numbers=[])
    judgements = list(judgements) + _claim_words(context, setting, item, claim, roles)
    judgements.extend(
        _other_components(
            context,
            setting,
            item,
            claim,
            roles,
            beside=("rates", "slots", "prn", "weekdays", "stat", "as_directed", "ambiguous", "day_parts"),
        )
    )
    if not judgements:
        judgements = [Judgement(ABSTAIN, "claim.nothing_read", "nothing in the claim could be checked", severity=Severity.MAJOR)]
    return _claim_findings(context, claim, judgements, "grounding.frequency")


def _claim_words(context: Context, setting: Setting, item: Item, claim: Claim, roles: Roles) -> list[Judgement]:
    """Words of a claim that are neither timing nor amounts: they must stand in the statement as written."""
    out: list[Judgement] = []
    for role in (*roles.residue, *roles.numbers, *roles.unsupported):
        if role in roles.numbers and claim.field in ("dose", "strength", "duration", "quantity", "refills", "sequence", "max_dose"):
            continue
        out.append(Judgement(ABSTAIN, "claim.unread_words", "the claim holds words or numbers that are not read", severity=Severity.MAJOR))
        break
    return out


# What a reading may hold that `_other_components` leaves to the field's own comparison, and therefore never looks at (tested).
_JUDGED_BY_THE_FIELD = frozenset("composition cues ambiguous unreadable unsupported residue numbers labels superseded doses_timed".split())


def _other_components(context: Context, setting: Setting, item: Item, claim: Claim, roles: Roles, beside: Sequence[str]) -> list[Judgement]:
    """Whatever else a value says beside what its field is for: each component must be entailed as well."""
    if roles.kinds() <= _JUDGED_BY_THE_FIELD.union(beside):
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
                out.extend(_dose_times(context, setting, item, roles))
    if "strengths" not in beside and roles.strengths:
        out.extend(_with_confidence(context, compare_strength(setting, [r.value for r in roles.strengths], _implied(context, statement))))
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
        out.extend(j for r in roles.routes for j in _judge_route(context, setting, statement, r.value))
    if "sites" not in beside and roles.sites:
        out.extend(_judge_sites(setting, roles))
    if "forms" not in beside and roles.forms:
        out.extend(j for r in roles.forms for j in _judge_form(context, setting, statement, r.value))
        out.extend(_judge_container(context, setting, " ".join(claim.text[r.chunk.start : r.chunk.end] for r in roles.forms)))
    if "maxima" not in beside and roles.maxima:
        out.extend(_judge_maximum(context, setting, fold(claim.text[r.chunk.start :]).text, r.value) for r in roles.maxima)
    if "quantities" not in beside and roles.quantities:
        out.extend(_judge_listed(setting, roles.quantities, statement.roles.quantities, "that quantity"))
    if "releases" not in beside and roles.releases:
        out.extend(_judge_release(statement, [r.value[0] for r in roles.releases], setting))
    if roles.refills:
        out.extend(_judge_listed(setting, roles.refills, statement.roles.refills, "to refill"))
    out.extend(_judge_method(context, setting, claim, roles))
    out.extend(_judge_limits(context, setting, claim, roles))
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


def _added_words(context: Context, setting: Setting, claim: Claim, roles: Roles) -> list[Judgement]:
    """Remarks and reasons a value says beside what its field is for (`BD with milk`, `500 mg for pain`): as the source has them."""
    told = fold(claim.text).text
    words = [
        w
        for r in (*roles.inert, *roles.indications, *roles.prn_for, *roles.pseudo_cues, *roles.beside)
        for w in _words(told[r.chunk.start : r.chunk.end])
    ]
    text = _statement_words(context, setting.statement) if words else ""
    if all(f" {w} " in text for w in words):
        return []
    return [added(setting, "text.not_in_statement", "the item's own statement does not have these words")]


# A key that says when, and how the codes of what it may hold begin (FHIR: AC before, PC after, C with a meal).
_KEY_SAYS_WHEN = {"before_food": "AC", "after_food": "PC", "with_food": "C", "with_meal": "C", "with_meals": "C"}
# A key that says where, and the route that such a site has.
_KEY_SAYS_WHERE = {"eye": "ophthalmic", "eyes": "ophthalmic", "ear": "otic", "ears": "otic", "nose": "nasal", "nostril": "nasal"}
_KEY_CONTRADICTS = Judgement(
    ABSTAIN, "claim.key_contradicts", "the key of the claim says another thing than its value", severity=Severity.MAJOR
)


@_of_a_statement("grounding.text")
def timing_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`timing` and `instructions`: meals, times of day, advice. Every part must stand in the statement."""
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = _unreadable_claim(roles)
    prefix = _KEY_SAYS_WHEN.get(claim.key.lower().replace(" ", "_").replace("-", "_"))
    if prefix is not None and any(not w.value[0].startswith(prefix) for w in roles.whens):
        judgements.append(_KEY_CONTRADICTS)
    judgements.extend(_free_words(context, setting, claim, roles))
    weekdays_only = roles.weekdays and not (roles.rates or roles.slots or roles.prn or roles.stat or roles.as_directed)
    if weekdays_only:
        stated = frozenset().union(*(r.value for r in statement.roles.weekdays)) if statement.roles.weekdays else frozenset()
        claimed = frozenset().union(*(r.value for r in roles.weekdays))
        where = tuple(r.chunk for r in statement.roles.weekdays)
        judgements.append(
            Judgement(PASS, "timing.equal", "source names the same days", where)
            if claimed == stated and where
            else added(setting, "timing.day_invented", "source names other days or none", where)
        )
    judgements.extend(_other_components(context, setting, item, claim, roles, beside=("rates",) if weekdays_only else ()))
    timed = {code for _, codes in statement.roles.doses_timed for code in codes}
    named = {w.value[0] for w in roles.whens}
    if claim.field == "timing" and len(timed) > 1 and named and timed - named and named & timed and not roles.doses:
        # `16 U before breakfast and 10 U before dinner`, with `before dinner` as the timing of it all.
        where = tuple(w.chunk for w in statement.roles.whens)
        judgements.append(
            Judgement(ABSTAIN, "timing.one_of_several", "source names another time or meal as well", where, severity=Severity.MAJOR)
        )
    if not judgements:
        judgements = [Judgement(ABSTAIN, "claim.nothing_read", "nothing in the claim could be checked", severity=Severity.MAJOR)]
    return _claim_findings(context, claim, judgements, "grounding.text")


def _judge_limits(context: Context, setting: Setting, claim: Claim, roles: Roles) -> list[Judgement]:
    """`SOS if temp > 100 F`: the number and the side of it are part of the reason, wherever a value tells the reason."""
    stated = setting.statement.roles.limits
    if not roles.limits and not ((roles.prn_for or roles.prn) and stated):
        return []
    where = tuple(r.chunk for r in stated)
    if roles.limits and {r.value for r in roles.limits} - {r.value for r in stated}:
        return [added(setting, "text.limit_differs", "source does not say it from that value on", where)]
    if {r.value for r in stated} - {r.value for r in roles.limits}:
        if not roles.prn_for:
            return []
        return [Judgement(ABSTAIN, "text.limit_dropped", "source also says from what value on", where, severity=Severity.MAJOR)]
    opened = min(r.chunk.start for r in stated)
    line = context.source.text.rfind("\n", 0, opened) + 1
    side = _direction(context.source.text[max(line, setting.statement.span.start) : max(r.chunk.end for r in stated)])
    if side != _direction(claim.text):
        return [added(setting, "text.limit_differs", "source says it on the other side of that value", where)]
    return []


# A verb that says how a medicine is given, beyond taking it -> what the statement may say for it: routes and form families.
_METHODS: dict[str, frozenset[str]] = {
    "apply": frozenset({"topical", "transdermal", "ophthalmic", "oromucosal"}),
    "instil": frozenset({"ophthalmic", "otic", "nasal", "eye", "ear"}),
    "instill": frozenset({"ophthalmic", "otic", "nasal", "eye", "ear"}),
    "put": frozenset({"ophthalmic", "otic", "nasal", "eye", "ear"}),
    "inhale": frozenset({"inhaled"}),
    "puff": frozenset({"inhaled"}),
    "spray": frozenset({"nasal", "spray"}),
    "inject": frozenset({"subcutaneous", "intramuscular", "intravenous", "injection"}),
    "insert": frozenset({"rectal", "vaginal"}),
}


def _judge_method(context: Context, setting: Setting, claim: Claim, roles: Roles) -> list[Judgement]:
    """`chew`, `dissolve`, `insert`, `apply`: how it is given is an order too; the statement says it, or its form or route does."""
    if claim.field == "name":
        return []
    told = fold(claim.text).text
    text = _statement_words(context, setting.statement)
    forms = [r.value for r in setting.statement.roles.forms]
    stated = {r.value for r in setting.statement.roles.routes}
    stated |= {of.get(form) for form in forms for of in (setting.lexicon.form_family, setting.lexicon.form_route)}
    for role in roles.verbs:
        word = told[role.chunk.start : role.chunk.end]
        if role.value == "plain" or f" {' '.join(_words(word))} " in text or _METHODS.get(word.split()[0], frozenset()) & stated:
            continue
        return [added(setting, "text.method_added", "the statement does not say to give it so")]
    return []


_WORDS = re.compile(r"[0-9a-z\u0900-\u0dff]+")


def _words(text: str) -> list[str]:
    return _WORDS.findall(fold(text).text)


_READ_AS_VALUES = ("strengths", "doses", "rates", "slots", "durations", "weekdays", "stat", "forms", "quantities", "refills")


def _limit_of_the_reason(context: Context, statement: Statement, claim: Claim, wanted: Sequence[str]) -> list[Chunk]:
    """`if fever > 100 F`, `if temp more than 101`: the numbers behind the reason that the claim does not carry."""
    if claim.field != "as_needed_for":
        return []
    opened = min((r.chunk.start for r in (*statement.roles.prn, *statement.roles.prn_for)), default=None)
    if opened is None:
        return []
    read = {r.chunk for kind in _READ_AS_VALUES for r in getattr(statement.roles, kind)}
    behind = [
        c for c in statement.chunks if c.start > opened and c not in read and any(ch.isdigit() for ch in context.text(Span(c.start, c.end)))
    ]
    return [
        c
        for c in behind
        if c.kind in ("number", "amount", "tuple", "prn", "indication", "word")
        and not set(_words(context.text(Span(c.start, c.end)))) <= set(wanted)
    ]


def _holding(context: Context, statement: Statement, words: Sequence[str]) -> tuple[Chunk, ...]:
    """The chunks of the statement that these words stand in."""
    wanted = set(words)
    return tuple(c for c in statement.chunks if not wanted.isdisjoint(_words(context.source.text[c.start : c.end])))


_COMPARED_SIGNS = {">": "above", "≥": "above", "<": "below", "≤": "below"}
_COMPARED_WORDS = dict.fromkeys(("above", "over", "more", "greater"), "above") | dict.fromkeys(("below", "less", "under"), "below")


def _direction(text: str) -> set[str]:
    """Which side of a limit a text names: `> 100`, `above 100`, `less than 60`."""
    folded = fold(text).text
    signs = {side for sign, side in _COMPARED_SIGNS.items() if sign in folded}
    return signs | {_COMPARED_WORDS[w] for w in _words(folded) if w in _COMPARED_WORDS}


def _reason_of_the_limit(context: Context, statement: Statement, claim: Claim, wanted: Sequence[str]) -> list[Chunk]:
    """`100 F` for `fever more than 100 F`: a limit without what is measured, or on the other side of it, is no reason."""
    if claim.field != "as_needed_for" or not any(w[0].isdigit() for w in wanted):
        return []
    reasons = [r.chunk for r in (*statement.roles.prn_for, *statement.roles.indications)]
    told = {w for c in reasons for w in _words(context.text(Span(c.start, c.end)))}
    behind = [c for c in statement.chunks if reasons and c.start >= reasons[0].start]
    side = _direction(context.source.text[behind[0].start : behind[-1].end]) if behind else set()
    if (told and not told & set(wanted)) or (side and _direction(claim.text) != side):
        return reasons
    return []


def _statement_words(context: Context, statement: Statement, without: frozenset[Chunk] = frozenset()) -> str:
    pieces = sorted({(c.start, c.end) for c in statement.chunks if c not in without})
    return " " + " ".join(" ".join(_words(context.source.text[a:b])) for a, b in pieces) + " "


_NEGATIONS = frozenset("no not never without avoid dont don't nahi mat matt cannot cant can't except neither nor".split())
_AUXILIARIES = frozenset("do to be please should must can may will it".split())
_CLAUSE = re.compile(r"[,.;:()\n]|\band\b|\bbut\b")


def _negation_moved(context: Context, statement: Statement, claim: Claim) -> bool:
    """`do not crush`, carried as `crush`: each clause of a claim must find a clause of the source that negates as it does."""
    text = fold(claim.text).text
    pieces = sorted({(c.start, c.end) for c in statement.chunks})
    source = fold(context.source.text[pieces[0][0] : pieces[-1][1]]).text
    stated = [frozenset(_plain_words(part)) for part in _CLAUSE.split(source)]
    if not any(words & _NEGATIONS for words in stated) and not _NEGATIONS & frozenset(_plain_words(text)):
        return False
    for part in _CLAUSE.split(text):
        words = frozenset(_plain_words(part))
        said = words - _NEGATIONS - _AUXILIARIES
        holding = [s for s in stated if said <= s]
        if said and words & _NEGATIONS and not any(s & _NEGATIONS for s in holding):
            return True
        if said and holding and not any((s & _NEGATIONS) == (words & _NEGATIONS) for s in holding):
            return True
    return False


def _plain_words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text)


def _free_words(context: Context, setting: Setting, claim: Claim, roles: Roles) -> list[Judgement]:
    """The inert and unknown words of a free text: verbatim in the item's own statement, or not entailed."""
    free: list[str] = []
    claimed = fold(claim.text).text
    taken = sorted(
        (r.chunk.start, r.chunk.end)
        for kind in (
            "strengths",
            "doses",
            "rates",
            "slots",
            "whens",
            "weekdays",
            "prn",
            "stat",
            "as_directed",
            "durations",
            "open_durations",
            "forms",
            "routes",
            "sites",
            "maxima",
            "quantities",
            "ambiguous",
            "verbs",
        )
        for r in getattr(roles, kind)
    )
    place = 0
    for start, end in [*taken, (len(claimed), len(claimed))]:
        if start > place:
            part = " ".join(
                w
                for w in _words(claimed[place:start])
                if w not in ("take", "tab", "x", "for", "and", "then", "the", "a", "of", "to", "in", "at", "or")
            )
            if part:
                free.append(part)
        place = max(place, end)
    if not free:
        return []
    text = _statement_words(context, setting.statement)
    if _negation_moved(context, setting.statement, claim):
        return [
            added(setting, "text.negation_moved", "source forbids what the claim asks for, or the reverse", setting.statement.chunks[:1])
        ]
    missing = [part for part in free if f" {part} " not in text and not all(f" {w} " in text for w in part.split())]
    if not missing:
        where = _holding(context, setting.statement, [word for part in free for word in part.split()])
        return [Judgement(PASS, "text.verbatim", "source has the same words", where)]
    digits = any(c.isdigit() for part in missing for c in part)
    whole = " " + " ".join(_words(context.source.text)) + " "
    # The words of the clause beside it (`… x 5 days. Complete the course.`) may be meant for this medicine.
    beside = all(f" {word} " in whole for part in missing for word in part.split())
    # Advice of the same kind in other words (`complete the full course` for `complete the course`) is not proven invented.
    beside = beside or bool({r.value for r in roles.inert} & {r.value for r in setting.statement.roles.inert})
    digits = digits and not beside
    proven = setting.statement.readable and not setting.misreadable and not beside
    return [
        Judgement(
            FAIL if proven or (digits and setting.statement.readable) else ABSTAIN,
            "text.not_in_statement",
            "the item's own statement does not have these words",
            setting.statement.chunks[:1],
            severity=Severity.MAJOR if not proven else Severity.CRITICAL,
        )
    ]


@_of_a_statement("grounding.text")
def text_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`indication`, `as_needed_for`: the words must stand in the item's own statement."""
    setting = setting_for(context, item, statement)
    roles = context.roles_of(claim)
    if roles.unreadable:
        return _claim_findings(context, claim, _unreadable_claim(roles), "grounding.text")
    wanted = [w for w in _words(claim.text) if w not in _REASON_GLUE]
    # What is read as a dose or a time is no reason and no place: `OD` as a site, `1-1-1` as an indication.
    text = _statement_words(
        context, statement, without=frozenset(r.chunk for kind in _READ_AS_VALUES for r in getattr(statement.roles, kind))
    )
    same = context.rulepack.lexicon.same_reasons
    told = [w for w in _by_meaning(_words(claim.text), same) if w not in _REASON_GLUE]
    stated = [*statement.roles.prn_for, *statement.roles.indications]
    verbatim = bool(wanted) and all(f" {w} " in text for w in wanted)
    if verbatim or (told and set(told) <= set(_by_meaning(text.split(), same))):
        dropped = _limit_of_the_reason(context, statement, claim, wanted) or _reason_of_the_limit(context, statement, claim, wanted)
        if dropped:
            where = tuple(dropped)
            return _claim_findings(
                context,
                claim,
                [Judgement(ABSTAIN, "text.limit_dropped", "source also says from what value on", where, severity=Severity.MAJOR)],
                "grounding.text",
            )
        found = Judgement(PASS, "text.verbatim", "source has the same words", _holding(context, statement, wanted))
        if not verbatim:
            where = tuple(r.chunk for r in stated) or statement.chunks[-1:]
            found = Judgement(PASS, "text.same_reason", "source says the same in other words", where, note=True)
        return _claim_findings(context, claim, [found], "grounding.text")
    whole = " " + " ".join(_words(context.source.text)) + " "
    proven = statement.readable and not setting.misreadable and not all(f" {w} " in whole for w in wanted)
    # Beside a reason the source does state, other words may say the same, unless the table knows both as different reasons.
    known = {w for w in told if w.startswith(_MEANT)}
    reasons = {w for r in stated for w in _by_meaning(_words(context.text(Span(r.chunk.start, r.chunk.end))), same)}
    if reasons and not (known and known == set(told) and all(w.startswith(_MEANT) for w in reasons) and not known & reasons):
        proven = False
    return _claim_findings(
        context,
        claim,
        [
            Judgement(
                FAIL if proven else ABSTAIN,
                "text.not_in_statement",
                "the item's own statement does not have these words",
                statement.chunks[-1:],
            )
        ],
        "grounding.text",
    )


_REASON_GLUE = frozenset({"for", "of", "the", "a", "in", "and"})
_MEANT = "="  # no word holds it, so a meaning is never taken for a word
_LONGEST_REASON = 4


def _by_meaning(words: Sequence[str], same: Mapping[str, str]) -> list[str]:
    """The words with every listed wording of a reason (`bukhar`, `HTN`) replaced by its meaning, longest first."""
    out: list[str] = []
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST_REASON, len(words) - place), 0, -1):
            meant = same.get(" ".join(words[place : place + size]))
            if meant is not None:
                out.append(_MEANT + meant)
                place += size
                break
        else:
            out.append(words[place])
            place += 1
    return out


@_of_a_statement("grounding.text")
def quote_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`source_quote`: verbatim in the item's own statement, white space and case aside."""
    start = context.source.text.rfind("\n", 0, statement.span.start) + 1
    stop = context.source.text.find("\n", statement.span.end)
    around = fold(context.source.text[start : stop if stop >= 0 else len(context.source.text)]).text
    quoted = " ".join(fold(claim.text).text.split())
    # Whole words and numbers: `50 mg` is no quotation of `650 mg`.
    if quoted and re.search(rf"(?<![\w.,/-]){re.escape(quoted)}(?![\w])(?![.,/-]\w)", " ".join(around.split())):
        return _claim_findings(
            context, claim, [Judgement(PASS, "text.verbatim", "source has exactly that", statement.chunks[:1])], "grounding.text"
        )
    return _claim_findings(
        context,
        claim,
        [Judgement(FAIL, "text.quote_not_in_statement", "the item's own statement does not have that text", statement.chunks[:1])],
        "grounding.text",
    )


@_of_a_statement("grounding.duration")
def duration_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = _unreadable_claim(roles) or compare_duration(setting, roles)
    if roles.residue or (roles.durations and roles.numbers):
        judgements = [
            *judgements,
            _UNREAD_WORDS,
        ]
    judgements = [*judgements, *_other_components(context, setting, item, claim, roles, beside=("durations", "numbers"))]
    return _claim_findings(context, claim, judgements, "grounding.duration")


@_of_a_statement("grounding.as_needed")
def as_needed_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    setting = setting_for(context, item, statement)
    claimed = claim.boolean
    if claimed is None:
        roles = context.roles_of(claim)
        text = claim.text.strip().lower()
        if roles.prn or text in ("yes", "true", "y"):
            claimed = True
        elif text in ("no", "false", "n"):
            claimed = False
        else:
            return _claim_findings(
                context,
                claim,
                [Judgement(ABSTAIN, "claim.unread_words", "the claim is no yes or no that can be read", severity=Severity.MAJOR)],
                "grounding.as_needed",
            )
    return _claim_findings(context, claim, compare_prn_flag(setting, claimed), "grounding.as_needed")


# -- form, route, site, release ----------------------------------------------------------------------------------------


def _judge_form(context: Context, setting: Setting, statement: Statement, wanted: str) -> list[Judgement]:
    lexicon = context.rulepack.lexicon
    stated = {r.value: r.chunk for r in statement.roles.forms}
    counted = {lexicon.unit_by_ucum[u].dimension: d.chunk for d in statement.roles.doses for u in d.value.units if u is not None}
    if wanted in stated:
        return [Judgement(PASS, "form.equal", "source says the same form", (stated[wanted],))]
    family = lexicon.form_family.get(wanted)
    if stated:
        where = tuple(stated.values())
        families = {lexicon.form_family.get(f) for f in stated}
        if any({wanted, f} <= group for f in stated for group in lexicon.same_forms):
            return [Judgement(ABSTAIN, "form.same_family", "source says another form of the same family", where, severity=Severity.MAJOR)]
        if wanted in ("drops", "spray", "powder") or set(stated) & {"drops", "spray", "powder"}:
            return [Judgement(ABSTAIN, "form.undetermined", "source does not say which kind", where, severity=Severity.MAJOR)]
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
        return [
            Judgement(PASS, "form.from_dose_unit", "source counts the dose in that form", (counted[lexicon.unit_by_ucum[unit].dimension],))
        ]
    rows = implied_forms(context.rulepack.bundle, statement.name.entry, [r.value for r in statement.roles.strengths], lexicon)
    families = {lexicon.bundle_form_family.get(r.form) for r in rows}
    forms = {r.form for r in rows}
    if rows and len(families) == 1 and family in families:
        if (len(forms) == 1 and _form_name(next(iter(forms))) == wanted) or (
            family == "solid_oral" and {_form_name(f) for f in forms} == {wanted}
        ):
            return _with_confidence(
                context,
                [
                    Judgement(
                        PASS,
                        "form.implied_by_product",
                        "source writes no form; the bundle knows this product in exactly one",
                        _name_chunks(context, statement),
                        note=True,
                        reference=rows[:2],
                    )
                ],
            )
        return [
            Judgement(
                ABSTAIN,
                "form.several_known",
                "source writes no form; the bundle knows this product in several",
                _name_chunks(context, statement),
                severity=Severity.MAJOR,
                reference=rows[:2],
            )
        ]
    if rows and family not in families:
        if (
            statement.name.entry is not None
            and not statement.name.entry.brand
            and any(r.grade != "curated" for r in rows)
            and len(families) == 1
        ):
            return [
                Judgement(
                    ABSTAIN,
                    "form.not_attested",
                    "source writes no form; the bundle does not know this one for it",
                    _name_chunks(context, statement),
                    severity=Severity.MAJOR,
                    reference=rows[:2],
                )
            ]
        return [
            Judgement(
                ABSTAIN,
                "form.not_attested",
                "source writes no form; the bundle does not know this one for it",
                _name_chunks(context, statement),
                severity=Severity.MAJOR,
                reference=rows[:2],
            )
        ]
    return [Judgement(ABSTAIN, "form.not_in_source", "source writes no form", _name_chunks(context, statement), severity=Severity.MAJOR)]


# The container of an injection: another product, of another concentration or use.
_CONTAINERS = {
    "vial": "vial",
    "vials": "vial",
    "pen": "pen",
    "pens": "pen",
    "flexpen": "pen",
    "kwikpen": "pen",
    "solostar": "pen",
    "penfill": "cartridge",
    "cartridge": "cartridge",
    "cartridges": "cartridge",
    "syringe": "syringe",
    "pfs": "syringe",
    "ampoule": "ampoule",
    "ampoules": "ampoule",
    "amp": "ampoule",
}


def _judge_container(context: Context, setting: Setting, told: str) -> list[Judgement]:
    """`pen`, `vial`, `cartridge`, `prefilled syringe`: each is a claim of its own, though all of them are injections."""
    claimed = {_CONTAINERS[w] for w in _words(told) if w in _CONTAINERS}
    stated = {_CONTAINERS[w] for w in _statement_words(context, setting.statement).split() if w in _CONTAINERS}
    if not claimed - stated:
        return []
    where = tuple(r.chunk for r in setting.statement.roles.forms)
    if stated:
        return [Judgement(FAIL, "form.other_container", f"source says {', '.join(sorted(stated))}", where)]
    return [Judgement(ABSTAIN, "form.container_added", "source does not say in what it comes", where, severity=Severity.MAJOR)]


def _form_name(form: str) -> str:
    """The base of a bundle form: a release word is no other form."""
    for base in ("tablet", "capsule"):
        if form in (
            base,
            f"{base}_prolonged_release",
            f"{base}_gastro_resistant",
            f"{base}_film_coated",
            f"{base}_modified_release",
            f"{base}_soft",
        ):
            return base
    return form


@_of_a_statement("grounding.form")
def form_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = _unreadable_claim(roles)
    forms = [r.value for r in roles.forms]
    if not judgements:
        if not forms:
            judgements = [Judgement(ABSTAIN, "form.unreadable_claim", "the claim is no form that can be read", severity=Severity.MAJOR)]
        else:
            judgements = [j for f in dict.fromkeys(forms) for j in _judge_form(context, setting, statement, f)]
            judgements.extend(_judge_container(context, setting, claim.text))
        if roles.residue or roles.numbers:
            judgements.append(_UNREAD_WORDS)
        judgements.extend(_other_components(context, setting, item, claim, roles, beside=("forms",)))
    return _claim_findings(context, claim, judgements, "grounding.form")


def _judge_release(statement: Statement, claimed: Sequence[str], setting: Setting) -> list[Judgement]:
    stated = releases_of(statement)
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


@_of_a_statement("grounding.release")
def release_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    claimed = [r.value[0] for r in roles.releases]
    if not claimed or roles.unreadable or roles.residue or roles.unsupported or roles.cues:
        judgements = [Judgement(ABSTAIN, "release.unreadable_claim", "the claim is no release that can be read", severity=Severity.MAJOR)]
    else:
        judgements = _judge_release(statement, claimed, setting)
    return _claim_findings(context, claim, judgements, "grounding.release")


def _judge_route(context: Context, setting: Setting, statement: Statement, wanted: str) -> list[Judgement]:
    lexicon = context.rulepack.lexicon
    stated = {r.value: r.chunk for r in statement.roles.routes}
    for site in statement.roles.sites:
        implied = lexicon.site_route.get(site.value)
        if implied and implied not in stated:
            stated[implied] = site.chunk
    if wanted in stated:
        if len(stated) > 1 and not set(stated) <= {"topical", "transdermal"}:
            return [
                Judgement(
                    ABSTAIN, "route.one_of_several", "source names more than one route", tuple(stated.values()), severity=Severity.MAJOR
                )
            ]
        return [Judgement(PASS, "route.equal", "source says the same route", (stated[wanted],))]
    if stated:
        return [Judgement(FAIL, "route.different", "source says another route", tuple(stated.values()))]
    ambiguous = [r for r in statement.roles.ambiguous if r.value[0] == "route"]
    if ambiguous:
        return [
            Judgement(
                ABSTAIN,
                "route.ambiguous",
                "a word of the statement may be a route or something else",
                tuple(r.chunk for r in ambiguous),
                severity=Severity.MAJOR,
            )
        ]
    forms = [(lexicon.form_route.get(r.value), r) for r in statement.roles.forms]
    known = [(route, r) for route, r in forms if route is not None]
    if known and len(known) == len(forms):
        if {route for route, _ in known} == {wanted}:
            return [
                Judgement(
                    PASS,
                    "route.implied_by_form",
                    "source writes no route; its form has only that one",
                    tuple(r.chunk for _, r in known),
                    note=True,
                )
            ]
        if wanted == "sublingual" or ({route for route, _ in known} & {"oral"} and wanted in ("buccal", "sublingual")):
            return [added(setting, "route.not_in_source", "the statement does not say so", tuple(r.chunk for _, r in known))]
        return [Judgement(FAIL, "route.contradicts_form", "source names a form of another route", tuple(r.chunk for _, r in known))]
    if forms:
        return [added(setting, "route.not_in_source", "the statement states no route", tuple(r.chunk for _, r in forms))]
    counted = [d for d in statement.roles.doses if d.value.units[0] in ("{tbl}", "{capsule}")]
    if counted and wanted == "oral":
        return [Judgement(PASS, "route.implied_by_form", "source counts tablets or capsules", (counted[0].chunk,), note=True)]
    rows = implied_forms(context.rulepack.bundle, statement.name.entry, [r.value for r in statement.roles.strengths], lexicon)
    routes = {lexicon.form_route.get(_form_name(r.form)) for r in rows}
    if rows and routes == {wanted} and wanted not in ("intravenous", "intramuscular", "subcutaneous"):
        return _with_confidence(
            context,
            [
                Judgement(
                    PASS,
                    "route.implied_by_product",
                    "source writes neither route nor form; the bundle knows this product for one route only",
                    _name_chunks(context, statement),
                    note=True,
                    reference=rows[:2],
                )
            ],
        )
    if wanted in ("intravenous", "intramuscular", "subcutaneous", "intradermal"):
        return [added(setting, "route.not_in_source", "the statement states no route")]
    return [
        Judgement(
            ABSTAIN,
            "route.not_in_source",
            "source writes neither route nor form that settles it",
            _name_chunks(context, statement),
            severity=Severity.MAJOR,
        )
    ]


@_of_a_statement("grounding.route")
def route_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = _unreadable_claim(roles)
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
            judgements = [j for r in dict.fromkeys(routes) for j in _judge_route(context, setting, statement, r)]
        judgements.extend(_other_components(context, setting, item, claim, roles, beside=("routes", "forms")))
        if roles.residue or roles.numbers:
            judgements.append(_UNREAD_WORDS)
        judgements.extend(_judge_manner(context, setting, claim))
    return _claim_findings(context, claim, judgements, "grounding.route")


# How an injection is given; a route of its own in no vocabulary, and not to be lost or made up.
_MANNERS = {
    "slow": "slow",
    "slowly": "slow",
    "bolus": "bolus",
    "push": "bolus",
    "infusion": "infusion",
    "inf": "infusion",
    "drip": "infusion",
}


def _judge_manner(context: Context, setting: Setting, claim: Claim) -> list[Judgement]:
    said = {_MANNERS[w] for w in _words(claim.text) if w in _MANNERS}
    stated = {_MANNERS[w] for w in _statement_words(context, setting.statement).split() if w in _MANNERS}
    where = tuple(r.chunk for r in setting.statement.roles.routes)
    if said - stated:
        return [added(setting, "route.manner_added", "the statement does not say in what manner", where)]
    if stated - said and not stated <= {
        _MANNERS[w] for c in context.payload.items[claim.item or 0].claims for w in _words(c.text) if w in _MANNERS
    }:
        return [Judgement(ABSTAIN, "route.manner_dropped", f"source says {', '.join(sorted(stated))}", where, severity=Severity.MAJOR)]
    return []


def _judge_sites(setting: Setting, claim: Roles) -> list[Judgement]:
    stated = {r.value: r.chunk for r in setting.statement.roles.sites}
    out: list[Judgement] = []
    for role in claim.sites:
        if role.value in stated:
            out.append(Judgement(PASS, "site.equal", "source says the same site", (stated[role.value],)))
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


def _other_organ(setting: Setting, organ: str, claim: Roles) -> bool:
    """`{"ear": "RE"}`: the value, the statement's sites or else its form are of another organ than the key."""
    stated = setting.statement.roles
    places = {setting.lexicon.site_route.get(r.value) for r in (*claim.sites, *stated.sites)}
    if not places:
        places = {setting.lexicon.form_route.get(r.value) for r in stated.forms} - {None}
    return bool(places) and places != {organ}


@_of_a_statement("grounding.site")
def site_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    wanted = _KEY_SAYS_WHERE.get(claim.key.lower())
    if wanted is not None and _other_organ(setting, wanted, roles):
        return _claim_findings(context, claim, [_KEY_CONTRADICTS], "grounding.site")
    if roles.sites and not roles.residue:
        return _claim_findings(context, claim, _judge_sites(setting, roles), "grounding.site")
    stated = tuple(r.chunk for r in statement.roles.sites)
    same = tuple(c for c in stated if fold(context.text(Span(c.start, c.end))).text == fold(claim.text.strip()).text)
    if same and len(stated) == 1:
        return _claim_findings(context, claim, [Judgement(PASS, "site.equal", "source says the same site", same)], "grounding.site")
    if stated:
        # `eye` for `right eye`: less than the source says, whatever it means.
        return _claim_findings(
            context,
            claim,
            [Judgement(ABSTAIN, "site.side_dropped", "source says which one; the claim does not", stated, severity=Severity.MAJOR)],
            "grounding.site",
        )
    return text_check(context, claim)


# -- counts ------------------------------------------------------------------------------------------------------------


def _judge_listed(setting: Setting, claimed: Sequence[object], stated: Sequence[object], what: str) -> list[Judgement]:
    wanted = [r.value[0] for r in claimed]  # type: ignore[attr-defined]
    said = {r.value[0]: r.chunk for r in stated}  # type: ignore[attr-defined]
    out: list[Judgement] = []
    for value in wanted:
        if value in said:
            out.append(Judgement(PASS, "count.equal", f"source says {number_text(value)}", (said[value],)))
        elif said:
            out.append(
                Judgement(FAIL, "quantity.different", "source says " + ", ".join(number_text(v) for v in said), tuple(said.values()))
            )
        else:
            out.append(added(setting, "count.not_in_source", f"the statement does not say {what}"))
    return out


_PACKS = frozenset("strip bottle tube pack packet box vial".split())
_PERIODS = re.compile(r"(\d+)?\s*(?:(days?|daily|d|din)|(hours?|hrs?|h|hourly)|(dose))\b")


def _counted_in(text: str) -> set[str]:
    """The packs a count is of: ten strips are not ten tablets."""
    return {w.rstrip("s") for w in _words(text)} & _PACKS


def _periods(text: str) -> set[str]:
    """What time a maximum is for, in hours: `per day`, `/day`, `in 24 hours` are one; the 3 of `3/day` is no number of days."""
    found: set[str] = set()
    for number, day, hours, _ in _PERIODS.findall(" ".join(_words(text.replace("/", " per ")))):
        found.add(f"{int(number or 1) * 24} h" if day else f"{int(number or 1)} h" if hours else "dose")
    return found


# `4/day`, `4 in 24 hours`: what is counted is not told.
_NUMBER_A_DAY = re.compile(r"\s*(\d{1,4}(?:\.\d{1,3})?)\s*(?:/|per|a|in)\s*(?:a )?(?:days?|d|24 ?(?:hours?|hrs?|h))\s*")


def _judge_maximum(context: Context, setting: Setting, told: str, wanted: Sequence[Any]) -> Judgement:
    """A maximum is a number, what it counts and the time it is for: `max 4 tabs/day` is not 4 g, 4 times, or 4 in all."""
    stated = setting.statement.roles.maxima
    if not stated:
        return added(setting, "count.not_in_source", "the statement does not say a maximum")
    number, _, unit = wanted[:3]
    units = setting.lexicon.unit_by_ucum
    where = tuple(r.chunk for r in stated)
    written = " ".join(context.text(Span(r.chunk.start, r.chunk.end)) for r in stated)
    said = "source says " + ", ".join(f"{number_text(r.value[0])} {unit_text(r.value[2]) if r.value[2] else ''}".strip() for r in stated)
    exact = [r for r in stated if r.value[0] == number and unit in (None, r.value[2])]
    alike = [r for r in stated if r.value[0] == number and (unit is None) != (r.value[2] is None)]
    converted = [
        r
        for r in stated
        if unit is not None
        and r.value[2] is not None
        and units[unit].dimension == units[r.value[2]].dimension
        and units[unit].scale * number == units[r.value[2]].scale * r.value[0]
    ]
    if not (exact or alike or converted):
        return Judgement(FAIL, "quantity.different", said, where)
    mine, theirs = _periods(told), _periods(written)
    if mine - theirs and theirs:
        return Judgement(FAIL, "count.other_period", said, where)
    if mine != theirs:
        return Judgement(ABSTAIN, "count.other_period", f"{said}; only one of them says for what time", where, severity=Severity.MAJOR)
    if alike or (exact and (exact[0].value[2] is None) != (unit is None)):
        return Judgement(ABSTAIN, "count.unit_not_written", f"{said}; only one of them says of what", where, severity=Severity.MAJOR)
    if exact:
        return Judgement(PASS, "count.equal", said, where)
    if setting.misreadable:
        rule = "quantity.exact_conversion"
        return Judgement(ABSTAIN, rule, f"{said}; equal after conversion, which is not relied on", where, severity=Severity.MAJOR)
    return Judgement(PASS, "quantity.exact_conversion", f"{said}; exactly equal after conversion", where, note=True)


def count_check(context: Context, claim: Claim) -> list[Finding]:
    """`quantity`, `refills`, `max_dose`: compared like any field; computed totals are not grounded (P20)."""
    item, statement = _bound(context, claim)
    check_id = f"grounding.{claim.field}"
    if statement is None:
        return _not_bound(context, claim, item, check_id)
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    bare = _NUMBER_A_DAY.fullmatch(fold(claim.text).text) if claim.field == "max_dose" else None
    if bare is not None:
        judged = _judge_maximum(context, setting, claim.text, (Fraction(bare.group(1)), None, None))
        return _claim_findings(context, claim, [judged], check_id)
    if roles.unreadable or roles.residue:
        return _claim_findings(
            context,
            claim,
            [_UNREAD_WORDS],
            check_id,
        )
    quantities = _quantities(roles) + [Quantity((r.value[0],), (r.value[2],)) for r in (*roles.quantities, *roles.maxima, *roles.refills)]
    if len(quantities) != 1 or len(quantities[0].parts) != 1:
        return _claim_findings(
            context,
            claim,
            [Judgement(ABSTAIN, "claim.unread_words", "the claim is no count that can be read", severity=Severity.MAJOR)],
            check_id,
        )
    wanted = quantities[0]
    source = statement.roles
    stated = {"quantity": source.quantities, "refills": source.refills, "max_dose": source.maxima}[claim.field]
    if stated and claim.field == "max_dose":
        judged = _judge_maximum(context, setting, claim.text, (wanted.parts[0], wanted.high, wanted.units[0], wanted.per))
        return _claim_findings(context, claim, [judged], check_id)
    if stated:
        equal = [
            r
            for r in stated
            if r.value[0] == wanted.parts[0] and (wanted.units[0] is None or r.value[2] is None or r.value[2] == wanted.units[0])
        ]
        where = tuple(r.chunk for r in stated)
        verdict = PASS if equal else FAIL
        packs = _counted_in(claim.text)
        written = " ".join(context.text(Span(r.chunk.start, r.chunk.end)) for r in stated)
        if equal and packs - _counted_in(written):
            verdict = FAIL
        elif equal and _counted_in(written) - packs:
            verdict = ABSTAIN
        return _claim_findings(
            context,
            claim,
            [
                Judgement(
                    verdict,
                    "count.equal" if equal else "quantity.different",
                    "source says "
                    + ", ".join(f"{number_text(r.value[0])} {unit_text(r.value[2]) if r.value[2] else ''}".strip() for r in stated),
                    where,
                )
            ],
            check_id,
        )
    if claim.field == "refills" and wanted.parts[0] == 0:
        return _claim_findings(context, claim, absent(setting, "refills"), check_id)
    if claim.field == "quantity":
        return _claim_findings(context, claim, [_derived(setting, wanted)], check_id)
    return _claim_findings(context, claim, [added(setting, "count.not_in_source", "the statement does not say so")], check_id)


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


@_of_a_statement("grounding.sequence")
def sequence_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`sequence`: the place of the statement in the source, or its printed list number."""
    text = claim.text.strip()
    order = sorted({s.group for s in context.binding.owner.values()})
    place = str(order.index(statement.group) + 1)
    steps = str(statement.step + 1)
    if text in (place, str(statement.numbered), steps) or (text == str(item.index + 1) and text == place):
        return _claim_findings(
            context,
            claim,
            [Judgement(PASS, "sequence.equal", "that is its place in the source", statement.chunks[:1])],
            "grounding.sequence",
        )
    return _claim_findings(
        context,
        claim,
        [Judgement(ABSTAIN, "sequence.differs", f"it is the statement at place {place}", statement.chunks[:1], severity=Severity.MAJOR)],
        "grounding.sequence",
    )


@_of_a_statement("grounding.dosage")
def dosage_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`dosage`: strength, dose or schedule, told apart by grammar and never by its name."""
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    judgements = _unreadable_claim(roles)
    if not judgements:
        if roles.strengths:
            judgements.extend(
                _with_confidence(
                    context, _strength(context, setting, statement, Roles(strengths=roles.strengths), [r.value for r in roles.strengths])
                )
            )
        bare = [r.value for r in roles.numbers if isinstance(r.value, Quantity)]
        if bare and not (roles.strengths or roles.doses or roles.rates or roles.slots):
            judgements.append(
                Judgement(ABSTAIN, "claim.role_unknown", "a bare number may be a strength or a dose", severity=Severity.MAJOR)
            )
        judgements.extend(_other_components(context, setting, item, claim, roles, beside=("strengths",)))
        judgements.extend(_claim_words(context, setting, item, claim, Roles(residue=roles.residue, unsupported=roles.unsupported)))
        if not judgements:
            judgements = [
                Judgement(
                    ABSTAIN,
                    "claim.role_unknown",
                    "the claim is neither a strength, a dose nor a schedule that can be read",
                    severity=Severity.MAJOR,
                )
            ]
    return _claim_findings(context, claim, judgements, "grounding.dosage")


# -- items and documents -----------------------------------------------------------------------------------------------


def orphan_check(context: Context, item: Item) -> list[Finding]:
    """An item that owns no statement: fabricated, duplicated or not provable."""
    if context.statement_of(item) is not None:
        return []
    verdict, why, evidence = _unbound(context, item)
    check_id = (
        "completeness.duplicated"
        if item.index in context.binding.duplicates
        else "completeness.merged"
        if item.index in context.binding.merged
        else "grounding.no_orphans"
    )
    return [rule_finding(check_id, item.path, verdict, Severity.CRITICAL, f"This item: {why}.", evidence)]


def residue_check(context: Context, item: Item) -> list[Finding]:
    """P21: what nothing consumed in an owned statement's own clause."""
    statement = context.statement_of(item)
    if statement is None:
        return []
    roles = statement.roles
    out: list[Finding] = []
    behind = _said_behind(context, item, statement)
    if behind is not None:
        place = Evidence(kind="source", source_spans=(behind,), matched_text=context.text(behind), rule_id="grounding.residue")
        says = f"Behind the statement stands {context.text(behind)!r}, which may change it."
        out.append(rule_finding("grounding.residue", item.path, ABSTAIN, Severity.MAJOR, says, (place,)))
    reasons = _carried_reason(context, item, statement)
    left = [
        *(r for r in roles.residue if r.chunk not in reasons),
        *roles.numbers,
        *roles.unsupported,
        *roles.unreadable,
        *(r for r in roles.ambiguous),
    ]
    for role in left[:3]:
        evidence = source_evidence(context, (role.chunk,), "grounding.residue")
        word = context.text(Span(role.chunk.start, role.chunk.end))
        out.append(
            rule_finding(
                "grounding.residue",
                item.path,
                ABSTAIN,
                Severity.MAJOR,
                f"The statement holds {word!r}, which is not understood.",
                (evidence,) if evidence else (),
            )
        )
    return out


# `OD - next visit`: not today. `Next visit: 15/6`, `next visit after 5 days` is of the visit.
_DEFERRED = re.compile(
    r"[ \t,;(\[–—-]*(?:(?:at|on|from|in|to start|start|to be started|add|to add) )*(?:at |on |from |in )?(?:the )?"
    r"next (?:visit|opd|opd visit|appointment|follow[ -]?up|review|sitting|consultation)[ )\].]*(?=\n|$)"
)
# `BD; 10-6-10`: unequal amounts, though it looks like a date; no day is 10 of month 6 of year 10.
_AMOUNTS = re.compile(r"[ \t]*[;,.][ \t]*(\d{1,2})-(\d{1,2})-(\d{1,2})(?![\d/-])")
_OWN_LINE = re.compile(
    r"[ \t.]*\n+[ \t(*•-]*([a-z]{2,3})(?: (?:preparation|form|formulation|tab|tablet|cap|capsule|only|brand))?[ )\].]*(?=\n|$)"
)


def _said_behind(context: Context, item: Item, statement: Statement) -> Span | None:
    """What is written directly behind a statement and of it, in words that elsewhere begin a visit, a date or a title."""
    text = context.reading.folded.text
    end = statement.span.end
    deferred = _DEFERRED.match(text, end)
    if deferred is not None:
        return Span(end, deferred.end())
    amounts = _AMOUNTS.match(text, end)
    if amounts is not None and int(amounts.group(3)) <= 15:
        return Span(amounts.start(1), amounts.end(3))
    release = _OWN_LINE.match(text, end)
    if release is not None:
        token = release.group(1)
        known = {name.lower() for name in context.rulepack.lexicon.release_family}
        carried = {r.value[0].lower() for c in item.claims for r in context.roles_of(c).releases}
        if token in known and token not in {r.lower() for r in releases_of(statement)} | carried:
            return Span(release.start(1), release.end(1))
    return None


def _carried_reason(context: Context, item: Item, statement: Statement) -> frozenset[Chunk]:
    """Words behind `SOS` or `for` that the item carries as its reason (`SOS for chest pain`): they are not lost."""
    told = {w for c in item.claims if c.field in ("as_needed_for", "indication") for w in _words(c.text)}
    if not told:
        return frozenset()
    opened = min(
        (c.start for c in statement.chunks if c.kind == "prn" or (c.kind == "indication_part" and c.value == "starters")), default=None
    )
    doubt = context.rulepack.lexicon.doubt_words
    return frozenset(
        r.chunk
        for r in statement.roles.residue
        if opened is not None
        and r.chunk.start > opened
        and r.chunk.kind in ("word", "indication")
        and r.chunk.value not in doubt
        and set(_words(context.text(Span(r.chunk.start, r.chunk.end)))) <= told
    )


def _outside_orders(context: Context) -> list[str]:
    """The text between the statements."""
    parts: list[str] = []
    place = 0
    for span in sorted((s.span.start, s.span.end) for s in context.reading.statements):
        parts.append(context.source.text[place : max(place, span[0])])
        place = max(place, span[1])
    return [*parts, context.source.text[place:]]


def document_check(context: Context, claim: Claim) -> list[Finding]:
    """Date, prescriber, patient, identifiers: verbatim in the source, else ABSTAIN (P19)."""
    wanted = " ".join(_words(claim.text))
    # What an order says is no proof of an age, a weight or a name.
    text = " ".join(f" {' '.join(_words(part))} " for part in _outside_orders(context))
    if wanted and f" {wanted} " in text and not fold(claim.text).unlisted:
        folded = fold(context.source.text).text
        at = folded.find(fold(claim.text.strip()).text)
        evidence: tuple[Evidence, ...] = ()
        if at >= 0:
            span = Span(at, at + len(claim.text.strip()))
            evidence = (Evidence(kind="source", source_spans=(span,), matched_text=context.text(span), rule_id="document.verbatim"),)
        return [rule_finding("grounding.document", claim.path, PASS, Severity.MAJOR, f"{_says(claim)}source has it verbatim.", evidence)]
    return [
        rule_finding(
            "grounding.document", claim.path, ABSTAIN, Severity.MAJOR, f"{_says(claim)}it does not stand in the source as written."
        )
    ]


def _g(check_id: str, fields: str, run: Run, what: str, why: str, example: str, *emits: str) -> Check:
    return Check(
        id=check_id,
        scope="claim",
        fields=frozenset(fields.split()),
        run=run,
        what=what,
        why=why,
        example=example,
        emits=(check_id, "source.confidence_floor", "source.confidence_missing", *emits),
    )


CHECKS: tuple[Check, ...] = (
    _g(
        "grounding.name",
        "name generic_name",
        name_check,
        "Compares the name with the name of the item's own statement, suffixes and digits exactly.",
        "Pan and Pan D, XL and XR, GP1 and GP2 are different medicines.",
        "source `Pan D 40 mg`, claim `Pan`: FAIL.",
    ),
    _g(
        "grounding.strength",
        "strength",
        strength_check,
        "Compares strength values exactly, component by component, with their denominators.",
        "A lost decimal point or component is a wrong dose.",
        "source `0.5 mg`, claim `5 mg`: FAIL.",
        "grounding.unit_integrity",
        "schema.role",
    ),
    _g(
        "grounding.dose",
        "dose",
        dose_check,
        "Compares what is taken each time; unequal doses must all be carried.",
        "16 + 10 units is not 16 units twice.",
        "source `5 ml TDS`, claim `15 ml`: FAIL.",
        "grounding.unit_integrity",
        "schema.role",
    ),
    _g(
        "grounding.frequency",
        "frequency",
        frequency_check,
        "Compares count, interval, slots, as-needed, day and period as canonical timing.",
        "BD is `twice daily` but not `every 12 hours`; losing SOS makes a regular order.",
        "source `BD SOS`, claim `BD`: FAIL.",
        "schema.role",
    ),
    _g(
        "grounding.text",
        "timing instructions",
        timing_check,
        "Every meal, time of day, amount and word of a free text must stand in the item's own statement.",
        "Models invent `after food`.",
        "source `BD`, claim `after breakfast`: FAIL.",
    ),
    _g(
        "grounding.text_verbatim",
        "indication as_needed_for",
        text_check,
        "The words must stand in the item's own statement.",
        "An invented indication changes why a medicine is taken.",
        "source `SOS for fever`, claim `fever`: PASS.",
        "grounding.text",
    ),
    _g(
        "grounding.quote",
        "source_quote",
        quote_check,
        "A quoted source must be verbatim in the item's own statement.",
        "A quotation that is not one hides an invention.",
        "source `Telma 40 mg`, claim `Telma 80 mg`: FAIL.",
        "grounding.text",
    ),
    _g(
        "grounding.duration",
        "duration",
        duration_check,
        "Compares durations; weeks and days convert exactly, months and days never.",
        "3 days became 30.",
        "source `x 5/7`, claim `5 days`: PASS.",
    ),
    _g(
        "grounding.as_needed",
        "as_needed",
        as_needed_check,
        "True needs a PRN word; false needs a statement read to its end without one.",
        "As needed and regular are different orders.",
        "source `SOS`, claim `false`: FAIL.",
    ),
    _g(
        "grounding.form",
        "form",
        form_check,
        "Compares the form; an unwritten one only by a product known in exactly one.",
        "A tablet released as an injection.",
        "source `Tab`, claim `inj`: FAIL.",
    ),
    _g(
        "grounding.release",
        "release",
        release_check,
        "Compares release words token by token.",
        "SR, XR and XL are not interchangeable.",
        "source `SR`, claim `XR`: ABSTAIN.",
    ),
    _g(
        "grounding.route",
        "route",
        route_check,
        "Compares the route; an unwritten one only where the form has a single route, never for injections.",
        "IM became IV.",
        "source `IM`, claim `IV`: FAIL.",
    ),
    _g(
        "grounding.site",
        "site",
        site_check,
        "Compares the site, laterality included.",
        "Left eye and right eye.",
        "source `right eye`, claim `left eye`: FAIL.",
        "grounding.text",
    ),
    _g(
        "grounding.quantity",
        "quantity",
        count_check,
        "Compares a stated total; a computed one is not grounded.",
        "A total hides an error of dose or days.",
        "no total in the source, claim `10`: ABSTAIN.",
    ),
    _g(
        "grounding.refills",
        "refills",
        count_check,
        "Compares stated refills; zero needs a statement read to its end.",
        "Invented refills.",
        "source without refills, claim `0`: PASS.",
    ),
    _g(
        "grounding.max_dose",
        "max_dose",
        count_check,
        "Compares the stated maximum.",
        "A maximum read as the dose.",
        "source `max 4/day`, claim `4`: PASS.",
    ),
    _g(
        "grounding.sequence",
        "sequence",
        sequence_check,
        "The number must be the statement's place.",
        "Reordered steps.",
        "second statement, claim `2`: PASS.",
    ),
    _g(
        "grounding.dosage",
        "dosage",
        dosage_check,
        "Reads `dosage` by grammar as strength, dose or schedule and compares each part.",
        "The key means three things in the wild.",
        "source `Telma 40 mg`, claim `40 mg`: PASS.",
        "grounding.unit_integrity",
        "schema.role",
    ),
    Check(
        id="grounding.no_orphans",
        scope="item",
        run=orphan_check,
        emits=("grounding.no_orphans", "completeness.duplicated", "completeness.merged"),
        what="Every item must own a statement of the source.",
        why="Models fabricate medicines.",
        example="An item named in no statement: FAIL.",
    ),
    Check(
        id="grounding.residue",
        scope="item",
        run=residue_check,
        emits=("grounding.residue",),
        what="Words and digits of the item's own statement that nothing consumed.",
        why="An unread word may be the one that stops or changes the order.",
        example="`Telma 40 mg OD xyzzy`: ABSTAIN, naming the word.",
    ),
    Check(
        id="grounding.document",
        scope="claim",
        fields=frozenset({"date", "prescriber", "patient", "facility", "identifier"}),
        run=document_check,
        emits=("grounding.document",),
        what="Document keys must stand in the source verbatim.",
        why="A wrong patient or date is a wrong record.",
        example="date found verbatim: PASS, else ABSTAIN.",
    ),
)

__all__ = ["CHECKS", "family_of", "reference_evidence", "releases_of", "setting_for"]
