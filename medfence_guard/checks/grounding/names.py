"""The checks of `name` and `generic_name`."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from medfence_guard.bind import ALIAS, BRAND_OF, EXACT, GENERIC_OF, NEAR, PART, STEM, relation
from medfence_guard.bundle import Product, name_key
from medfence_guard.checks.check import Context, rule_finding
from medfence_guard.checks.grounding.claimed import claim_says
from medfence_guard.checks.grounding.components.forms import judge_container, judge_form
from medfence_guard.checks.grounding.components.implied import units_implied
from medfence_guard.checks.grounding.components.others import other_components
from medfence_guard.checks.grounding.firmness import claim_findings
from medfence_guard.checks.grounding.ownership import item_and_statement, unbound_findings
from medfence_guard.checks.grounding.stated import name_chunks, releases_of, setting_for
from medfence_guard.checks.grounding.wording import words_of
from medfence_guard.compare import ABSTAIN, FAIL, PASS, Judgement, added, compare_strength, quantity_text
from medfence_guard.contract import Finding, Severity, Span
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.chunks import Chunk, Quantity
from medfence_guard.reader.roles import NameReading, Roles
from medfence_guard.reader.statement import Statement


def name_check(context: Context, claim: Claim) -> list[Finding]:
    """The name with its suffixes and digits, and all that a name may say besides."""
    item, statement = item_and_statement(context, claim)
    name = _claimed_name(context, item, claim)
    if name is None:
        return [
            rule_finding("grounding.name", claim.path, ABSTAIN, Severity.CRITICAL, f"{claim_says(claim)}it is no name that can be read.")
        ]
    if statement is None:
        return unbound_findings(context, claim, item, "grounding.name")
    roles = context.roles_of(claim)
    judgements: list[Judgement] = []
    if roles.unreadable:
        judgements.append(Judgement(ABSTAIN, "claim.unreadable", "the claim holds characters outside the alphabet, or a malformed number"))
    judgements.append(_judge_name(context, item, claim, statement))
    if judgements[-1].verdict is not FAIL:
        judgements.extend(_numbers_agree(context, item, claim, statement, name))
    judgements.extend(_name_extras(context, item, claim, roles, statement))
    return claim_findings(context, claim, judgements, "grounding.name")


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
    where = name_chunks(context, statement)
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
        forms = [c for c in item.claims if c.field == "form" and (context.roles_of(c).forms or context.roles_of(c).routes)]
        if claim.field == "name" and any(source.key == name.key + name_key(c.text) for c in forms):
            # `Betadine gargle`: the last word of the name is the form, and is claimed as it.
            return Judgement(ABSTAIN, "name.form_in_its_field", f"{said}, whose last word is claimed as the form", where)
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
        where = name_chunks(context, statement)
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
        out.extend(compare_strength(setting, amounts, units_implied(context, statement)))
    out.extend(judgement for r in roles.forms for judgement in judge_form(context, setting, statement, r.value))
    out.extend(judge_container(context, setting, " ".join(claim.text[r.chunk.start : r.chunk.end] for r in roles.forms)))
    out.extend(other_components(context, setting, item, claim, roles, beside=("strengths", "forms", "numbers")))
    if roles.cues or roles.unsupported:
        out.append(Judgement(ABSTAIN, "claim.unread_words", "the name says more than a name", severity=Severity.MAJOR))
    out.extend(_name_in_brackets(context, claim, roles, statement))
    printed = [q for _, q, _ in roles.composition if q is not None]
    if printed:
        out.extend(compare_strength(setting, printed, units_implied(context, statement)))
    if roles.residue:
        out.append(
            Judgement(
                FAIL if statement.readable else ABSTAIN,
                "name.different",
                f"source says {context.text(Span(statement.name.start, statement.name.end))!r}",
                name_chunks(context, statement),
            )
        )
    return out


def _name_in_brackets(context: Context, claim: Claim, roles: Roles, statement: Statement) -> list[Judgement]:
    """`Azithral (Azithromycin)`: the second name is a claim as well, that of the composition or of the brand (P3, P25)."""
    if not roles.composition:
        return []
    source = statement.name
    where = name_chunks(context, statement)
    said = f"source says {context.text(Span(source.start, source.end))!r}"
    mentioned = [d for d, _, _ in roles.composition]
    lexicon = context.rulepack.lexicon
    inside = words_of(claim.text.partition("(")[2] or claim.text.partition("[")[2])
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
