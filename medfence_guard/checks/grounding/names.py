"""The checks of `name` and `generic_name`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from medfence_guard.attest import implied_forms, pairs_up
from medfence_guard.bind import ALIAS, BRAND_OF, EXACT, GENERIC_OF, NEAR, PART, STEM, relation
from medfence_guard.bundle import Product, name_key
from medfence_guard.checks.check import Context, rule_finding
from medfence_guard.checks.grounding.claimed import claim_says, quantities_of
from medfence_guard.checks.grounding.components.forms import judge_container, judge_form
from medfence_guard.checks.grounding.components.implied import units_implied
from medfence_guard.checks.grounding.components.others import said_besides
from medfence_guard.checks.grounding.firmness import claim_findings
from medfence_guard.checks.grounding.ownership import item_and_statement, unbound_findings
from medfence_guard.checks.grounding.stated import name_chunks, releases_of, releases_within, setting_for
from medfence_guard.checks.grounding.wording import words_of
from medfence_guard.compare import ABSTAIN, FAIL, PASS, Judgement, added, compare_strength, held, quantity_text
from medfence_guard.contract import Finding, Severity, Span
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.chunks import Chunk, DrugMention, Quantity
from medfence_guard.reader.roles.record import PIECES_AT_A_TIME, NameReading, Role, Roles
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
    if any(j.verdict is FAIL for j in judgements) and _stands_as_claimed(context, claim, statement):
        says = "these very words stand there, and are read apart"
        judgements = [
            Judgement(ABSTAIN, "name.read_apart", says, j.chunks)
            if j.verdict is FAIL and (j.rule == "name.suffix_differs" or j.rule.startswith("timing."))
            else j
            for j in judgements
        ]
    return claim_findings(context, claim, judgements, "grounding.name")


def _stands_as_claimed(context: Context, claim: Claim, statement: Statement) -> bool:
    """`Shelcal CT` of `Tab Shelcal CT 500 OD`: alone `CT` is continue, before an amount a suffix. Equal words refute no name."""
    end = statement.name.start + len(claim.text)
    written = context.source.text[statement.name.start : end].lower()
    return end >= statement.name.end and written == claim.text.lower() and not context.source.text[end : end + 1].isalnum()


def _claimed_name(context: Context, item: Item, claim: Claim) -> NameReading | None:
    """The item's name; its own reading where the item claims more than one (`{"text": "Metformin", "brand": "Januvia"}`)."""
    if len([c for c in item.claims if c.field == claim.field]) > 1:
        return context.roles_of(claim).name
    reading = context.items[item.index]
    return reading.name if claim.field == "name" else reading.generic


class _Named(NamedTuple):
    """A claimed name beside the one of its statement; `said`: how the source has it; `claimed`: the releases the claim says."""

    context: Context
    item: Item
    claim: Claim
    statement: Statement
    name: NameReading
    said: str
    where: tuple[Chunk, ...]
    claimed: tuple[str, ...]

    @property
    def source(self) -> NameReading:
        return self.statement.name

    def held(self, rule: str, says: str, reference: tuple[Product, ...] = ()) -> Judgement:
        return held(rule, f"{self.said}{says}", self.where, reference=reference)

    def failed(self, rule: str) -> Judgement:
        return Judgement(FAIL, rule, self.said, self.where)

    def release(self, claimed: tuple[str, ...], stated: tuple[str, ...]) -> Judgement:
        return _release_judgement(self.context, self.item, self.said, self.where, claimed, stated)


def _judge_name(context: Context, item: Item, claim: Claim, statement: Statement) -> Judgement:
    name = _claimed_name(context, item, claim)
    assert name is not None
    source = statement.name
    claimed = tuple(dict.fromkeys([*name.release, *(r.value[0] for r in context.roles_of(claim).releases)]))
    said = f"source says {context.text(Span(source.start, source.end))!r}"
    named = _Named(context, item, claim, statement, name, said, name_chunks(context, statement), claimed)
    how = relation(name, statement)
    if len(name.parts) > len({p.key for p in name.parts}) and len(source.parts) == len({p.key for p in source.parts}):
        # `X + X` of `X`: the claim has it twice, or is of a combination the source does not name.
        return named.held("name.part_repeated", "; the claim names one part twice")
    if context.binding.relation.get(item.index) == NEAR and how < ALIAS:
        return named.held("name.near", ", which resembles it but is not the same")
    return _BY_RELATION.get(how, _judge_another_name)(named)


def _judge_same_name(named: _Named) -> Judgement:
    within = releases_within(named.context, named.statement)
    unsaid = [r for r in releases_of(named.statement) if r not in named.claimed and r not in within]
    if unsaid:
        return named.release(named.claimed, tuple(unsaid))
    return Judgement(PASS, "name.exact", named.said, named.where)


def _judge_alias(named: _Named) -> Judgement:
    """`Acetaminophen` of `Paracetamol`: the same substances, in the same order, with the same release and salt."""
    name, source, statement = named.name, named.source, named.statement
    if len(name.parts) > 1 and len(source.parts) > 1 and [p.key for p in name.parts] != [p.key for p in source.parts]:
        mine = [p.name.compositions[0] for p in name.parts if p.name is not None]
        theirs = [p.name.compositions[0] for p in source.parts if p.name is not None]
        if mine != theirs:
            return named.held("name.order_of_parts", "; the parts stand in another order")
    unsaid = [r for r in releases_of(statement) if r not in named.claimed]
    if unsaid:
        return named.release(named.claimed, tuple(unsaid))
    if _salt(name) != _salt(source):
        return _judge_salts(named, both=bool(_salt(name) and _salt(source)))
    if set(name.release) - set(releases_of(statement)):
        return named.release(name.release, source.release)
    says = f"{named.said}, which the bundle knows as the same substance"
    reference = _rows(named.context, name) + _rows(named.context, source)
    return Judgement(PASS, "name.bundle_alias", says, named.where, note=True, reference=reference)


def _judge_salts(named: _Named, *, both: bool) -> Judgement:
    """Salts that differ. `both`: each side names one."""
    return named.failed("name.other_salt") if both else named.held("name.salt_differs", "; only one of them names a salt")


def _judge_generic_of_a_brand(named: _Named) -> Judgement:
    context, item, claim, statement, name, said, where, claimed = named
    return (
        _release_of_the_brand(context, item, claim, statement, said, where, claimed)
        or _salt_of_the_brand(context, name, statement, said, where)
        or _parts_pair_up(context, item, claim, name.parts, statement, said, where)
        or _brand_to_generic(context, claim, name, statement, said, where)
    )


def _judge_part(named: _Named) -> Judgement:
    says = ", a combination of which the claim names one part"
    return named.held("name.combination_split", says, _rows(named.context, named.source))


def _judge_brand_of_a_generic(named: _Named) -> Judgement:
    return named.failed("name.brand_not_in_source")


def _judge_stem(named: _Named) -> Judgement:
    """`Telma` and `Telma AM`: the same first name, and more behind one of them."""
    context, item, name, source = named.context, named.item, named.name, named.source
    if source.entry is None and not named.statement.readable:
        return named.held("name.suffix_unknown", ", part of which could not be read")
    if name.key == source.key:
        return named.failed("name.number_differs")
    carried = {r.value[0] for c in item.claims if c.field == "release" for r in context.roles_of(c).releases}
    if any(name.key + r == source.key for r in releases_within(context, named.statement) if r in carried):
        says = f"{named.said}; the release is claimed in its own field"
        return Judgement(PASS, "name.release_in_its_field", says, named.where, note=True)
    if _only_release_or_salt(name, source):
        if name.salts != source.salts:
            return _judge_salts(named, both=bool(name.salts and source.salts))
        if name.release and set(name.release) == set(releases_of(named.statement)):
            return Judgement(PASS, "name.release_behind_it", f"{named.said}, and the release behind it", named.where, note=True)
        return named.release(name.release, source.release)
    forms = [c for c in item.claims if c.field == "form" and (context.roles_of(c).forms or context.roles_of(c).routes)]
    if named.claim.field == "name" and any(source.key == name.key + name_key(c.text) for c in forms):
        # `Betadine gargle`: the last word of the name is the form, and is claimed as it.
        return Judgement(ABSTAIN, "name.form_in_its_field", f"{named.said}, whose last word is claimed as the form", named.where)
    return named.failed("name.suffix_differs")


def _judge_another_name(named: _Named) -> Judgement:
    """No relation that the bundle knows: a brand is refuted, a substance only where the bundle knows what the source's name holds."""
    name, source = named.name, named.source
    if named.claim.field != "generic_name":
        return named.failed("name.different")
    if name.molecules is not None and source.entry is not None:
        if source.entry.ambiguous:
            return named.held("name.ambiguous_brand", ", a brand of more than one composition")
        if source.entry.brand and source.entry.grade == "curated":
            says = ", whose composition the bundle gives otherwise, by a curated fact"
            return named.held("name.other_composition", says, _rows(named.context, source))
    if _refuted_by_nothing(name, source):
        return named.held("name.substance_unknown", "; the bundle does not know the claimed substance, so nothing tells whether it is that")
    if source.entry is None:
        return named.held("name.composition_unknown", ", whose composition is not in the bundle")
    return named.failed("name.different")


_BY_RELATION: dict[int, Callable[[_Named], Judgement]] = {
    EXACT: _judge_same_name,
    ALIAS: _judge_alias,
    BRAND_OF: _judge_generic_of_a_brand,
    PART: _judge_part,
    GENERIC_OF: _judge_brand_of_a_generic,
    STEM: _judge_stem,
}


def _refuted_by_nothing(name: NameReading, source: NameReading) -> bool:
    """P25: a substance under a name or spelling that the bundle does not know (`ASA`, `HCTZ`); no part of it is known to be another."""
    if name.molecules is not None or (name.entry is not None and name.entry.brand):
        return False
    known = {m for p in name.parts if p.name is not None for c in p.name.compositions for m in c}
    mine = {m for c in source.entry.compositions for m in c} if source.entry is not None else known
    return known <= mine


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
    if not claimed and _in_the_first_step(context, item):
        return Judgement(ABSTAIN, "name.release_of_the_first_step", f"{said}, whose release only the first step has", where)
    return Judgement(FAIL, "name.release_differs", said, where)


def _in_the_first_step(context: Context, item: Item) -> bool:
    """`X 100 mg SR BD x 5 days then 100 mg HS`: whether the item owns a later step, which does not say the release again."""
    statement = context.statement_of(item)
    if statement is None:
        return False
    before = [s for s in context.reading.statements if s.group == statement.group and s.index < statement.index]
    own = {r.chunk for r in statement.roles.releases}
    if not (before and own and own <= {r.chunk for s in before for r in s.roles.releases}):
        return False
    # In `X SR 100 mg` it is of the name, which all steps have.
    return any(r.chunk.start < min(c.start for c in own) for r in before[0].roles.strengths)


def _named_exactly(context: Context, item: Item, claim: Claim, statement: Statement) -> bool:
    """Whether another claim of the item has the source's own name, with all that belongs to it."""
    names = [context.roles_of(c).name for c in item.claims if c.field == "name" and c is not claim]
    return any(n is not None and relation(n, statement) == EXACT for n in names)


_LASTING = frozenset({"prolonged", "modified"})


def _release_of_the_brand(
    context: Context, item: Item, claim: Claim, statement: Statement, said: str, where: tuple[Chunk, ...], claimed: tuple[str, ...]
) -> Judgement | None:
    """`Metoprolol` for `Met XL`: the release of a brand is lost with its name, unless it is claimed beside the substance."""
    if _named_exactly(context, item, claim, statement):
        return None
    family = context.rulepack.lexicon.release_family
    stated = (*releases_of(statement), *releases_within(context, statement))
    # Another word of the same family is undecided, and judged as a release is.
    near = {family.get(r) for r in claimed}
    lost = tuple(r for r in stated if r not in claimed and family.get(r) not in near)
    if lost:
        judged = _release_judgement(context, item, said, where, claimed, lost)
        return None if judged.verdict is PASS else judged
    entry = statement.name.entry
    if stated or entry is None or not entry.brand:
        return None
    rows = implied_forms(context.rulepack.bundle, entry, [r.value for r in statement.roles.strengths], context.rulepack.lexicon)
    told = near | {family.get(r.value[0]) for c in item.acted_on for r in context.roles_of(c).releases}
    if rows and all(r.release in _LASTING for r in rows) and not told & _LASTING:
        says = f"{said}, which the bundle knows only in a modified release"
        return held("name.release_of_the_brand", says, where, reference=rows[:2])
    return None


def _salts_of(name: NameReading) -> frozenset[str]:
    """The salts that a name says, of each of its parts."""
    said = [*name.salts, *(p.name.salt for p in name.parts if p.name is not None), name.entry.salt if name.entry is not None else ""]
    return frozenset(w for salt in said for w in salt.split())


_SALT_REACH = 14


def _salt_of_the_brand(context: Context, name: NameReading, statement: Statement, said: str, where: tuple[Chunk, ...]) -> Judgement | None:
    """`Metoprolol tartrate` for `Met XL`: a salt that neither the source nor the brand's own row has is added."""
    printed = frozenset(w for d, _, _ in statement.roles.composition if d.name is not None for w in d.name.salt.split())
    # The name and what is printed with it, to the end of the last word.
    stop = max([statement.name.end, *(c.end + _SALT_REACH for _, _, c in statement.roles.composition)])
    written = printed | frozenset(words_of(context.source.text[statement.name.start : stop]))
    if _salts_of(name) - written - _salts_of(statement.name):
        return held("name.salt_differs", f"{said}; only one of them names a salt", where)
    return None


def _amounts_beside(context: Context, item: Item, claim: Claim, size: int) -> list[list[Quantity]]:
    """The amounts that go with the parts of a claimed combination, one list for each place that has one for every part."""
    lists = [quantities_of(context.roles_of(claim))]
    lists.append([q for _, q, _ in context.roles_of(claim).composition if q is not None])
    lists.extend(quantities_of(context.roles_of(c)) for c in item.claims if c.field in ("strength", "dosage"))
    name = context.roles_of(claim).name
    if name is not None and name.label:
        lists.append([Quantity(name.label, (None,) * len(name.label))])
    out: list[list[Quantity]] = []
    for found in lists:
        per = found[-1].per if found else ()
        single = [Quantity((v,), (u,), None, q.per or per) for q in found for v, u in zip(q.parts, q.units, strict=True)]
        if len(single) == size:
            out.append(single)
    return out


def _parts_pair_up(
    context: Context,
    item: Item,
    claim: Claim,
    parts: Sequence[DrugMention],
    statement: Statement,
    said: str,
    where: tuple[Chunk, ...],
) -> Judgement | None:
    """`Amlodipine + Telmisartan 40/5` for `Telma AM 40/5`: each substance must have the amount that stands in its place (P11)."""
    if len(parts) < 2:
        return None
    molecules = [p.name.compositions[0] if p.name is not None and not p.name.ambiguous else () for p in parts]
    amounts = _amounts_beside(context, item, claim, len(parts))
    if not amounts:
        return None
    lexicon = context.rulepack.lexicon
    printed = {d.name.compositions[0]: q for d, q, _ in statement.roles.composition if d.name is not None and not d.name.ambiguous}
    entry = statement.name.entry
    rows = entry.rows if entry is not None and entry.brand else ()
    for listed in amounts:
        if set(printed) == set(molecules) and None not in printed.values():
            agree = all(
                q is not None and q.parts == mine.parts and mine.units in (q.units, (None,))
                for m, mine in zip(molecules, listed, strict=True)
                for q in (printed[m],)
            )
        elif set(printed) == set(molecules) and not rows:
            agree = list(printed) == molecules
        else:
            pairs = [(m[0], q) for m, q in zip(molecules, listed, strict=True) if len(m) == 1]
            agree = len(pairs) == len(parts) and any(pairs_up(lexicon, r, pairs) for r in rows)
        if not agree:
            says = f"{said}; whether its parts have these amounts in this order is not known"
            return held("name.order_of_parts", says, where)
    return None


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
        parts = tuple(v for q in printed for v in q.parts)
        if claimed in (parts, (sum(parts, Fraction(0)),)):
            return []
        written = words_of(context.text(Span(statement.name.start, statement.name.end)))
        numbered = {Fraction(w) for w in written if w.isascii() and w.isdigit()}
        if claim.field == "generic_name" and set(claimed) <= numbered:
            # `Insulin human 30/70` for `Human Mixtard 30/70`: whether the number of the brand's name is the substance's too is not told.
            says = "the number is part of the source's name"
            return [held("name.number_one_of_several", says, where)]
        return [added(setting, "name.number_not_in_source", "the statement has no such number", where)]
    said = f"source says {', '.join(quantity_text(r.value) for r in strengths)}"
    where = tuple(r.chunk for r in strengths)
    wholes = _whole_strengths(statement)
    if claimed in wholes:
        return _may_be_counted(statement, claimed, said, where)
    stated = {v for parts in wholes for v in parts} | {v for r in strengths for v in r.value.parts}
    if not set(claimed) <= stated:
        if statement.roles.unreadable:
            return [Judgement(ABSTAIN, "number.unreadable", "the source's number is not a plain number", where)]
        return [Judgement(FAIL, "name.number_differs", said, where)]
    if len(claimed) > 1:
        return [Judgement(FAIL, "name.number_differs", said, where)]
    if any(c.field in ("strength", "dosage") and context.roles_of(c).strengths + context.roles_of(c).numbers for c in item.claims):
        return []
    return [held("name.number_one_of_several", f"{said}; the name has a part of it", where)]


def _may_be_counted(statement: Statement, claimed: tuple[Fraction, ...], said: str, where: tuple[Chunk, ...]) -> list[Judgement]:
    """`Montair LC 2 OD`: a small bare number that no product of the brand prints may be how many are taken, and is no part of the name."""
    name = statement.name
    entry = name.entry
    if claimed != name.label or len(claimed) != 1 or claimed[0] not in PIECES_AT_A_TIME or entry is None or not entry.brand:
        return []
    if any(claimed[0] in (*row.labels, *(c.value for c in row.components)) for row in entry.rows):
        return []
    return [held("name.number_may_be_a_count", f"{said}, which may be how many are taken", where)]


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
    generic = claim.field == "generic_name"
    if amounts:
        judged = compare_strength(setting, amounts, units_implied(context, statement))
        out.extend(_attested_amounts(context, claim, roles, statement, judged) if generic else judged)
    if roles.forms:
        out.extend(judgement for r in roles.forms for judgement in judge_form(context, setting, statement, r.value))
        out.extend(judge_container(context, setting, " ".join(claim.text[r.chunk.start : r.chunk.end] for r in roles.forms)))
    rest = said_besides(context, setting, item, claim, roles, beside=("strengths", "forms", "numbers", "ambiguous"), residue=False)
    # The release of a part is no fact of the bundle, so nothing refutes it.
    out.extend(j._replace(verdict=ABSTAIN) if generic and j.rule == "release.not_in_source" and j.verdict is FAIL else j for j in rest)
    out.extend(_name_in_brackets(context, claim, roles, statement))
    printed = [q for _, q, _ in roles.composition if q is not None]
    if printed:
        out.extend(compare_strength(setting, printed, units_implied(context, statement)))
    left = [r for r in roles.residue if not (r.chunk.kind == "mark" and r.value in _MARKS_OF_A_PAGE)]
    if left:
        dressed = generic or all(_is_dress(r, roles, statement, claim) for r in left)
        out.append(
            Judgement(
                FAIL if statement.readable and not dressed else ABSTAIN,
                "name.different",
                f"source says {context.text(Span(statement.name.start, statement.name.end))!r}",
                name_chunks(context, statement),
            )
        )
    return out


_MARKS_OF_A_PAGE = frozenset("*`~")
# `T Telma`: an initial of the form.
_FORM_INITIALS = frozenset({"t", "c", "i", "s", "inj", "tb", "cp"})


def _is_dress(role: Role, roles: Roles, statement: Statement, claim: Claim) -> bool:
    """What stands beside the name and contradicts nothing: an initial of the form before it, or the brand's own substance behind it."""
    if role.chunk.kind == "number":
        # `Telma [Telmisartan 40]`
        return bool(roles.composition) and role.value.parts in {r.value.parts for r in statement.roles.strengths}
    if role.chunk.kind == "drug":
        beside = role.chunk.value.name
        return beside is not None and not beside.brand and not beside.ambiguous and beside.compositions[0] == statement.name.molecules
    return roles.name is not None and role.chunk.end <= roles.name.start and role.value in _FORM_INITIALS


def _attested_amounts(context: Context, claim: Claim, roles: Roles, statement: Statement, judged: list[Judgement]) -> list[Judgement]:
    """`Ibuprofen 400 mg + Paracetamol 325 mg` for `Combiflam`: the brand's own amounts contradict nothing, though not on the page."""
    name = roles.name
    if name is None or not any(j.verdict is FAIL and j.rule == "strength.not_in_source" for j in judged):
        return judged
    molecules = [p.name.compositions[0] for p in name.parts if p.name is not None and len(p.name.compositions) == 1]
    pairs = [(m[0], q) for m, q in zip(molecules, quantities_of(roles), strict=False) if len(m) == 1 and len(q.parts) == 1]
    entry = statement.name.entry
    known = entry is not None and len(pairs) == len(name.parts) and any(pairs_up(context.rulepack.lexicon, r, pairs) for r in entry.rows)
    return [j._replace(verdict=ABSTAIN, severity=Severity.MAJOR) if known and j.verdict is FAIL else j for j in judged]


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
        return [held("claim.unread_words", "the name says more than a name")]
    written = {source.key, *(d.key for d, _, _ in statement.roles.composition)}
    if all(d.key in written for d in mentioned):
        item = context.item_of(claim)
        return [_parts_pair_up(context, item, claim, mentioned, statement, said, where) or Judgement(PASS, "name.exact", said, where)]
    if any(d.name is None or d.name.ambiguous for d in mentioned):
        return [held("claim.unread_words", "the name says more than a name")]
    if any(d.name is not None and d.name.brand for d in mentioned):
        return [added(setting_for(context, context.item_of(claim), statement), "name.brand_not_in_source", said, where)]
    told = tuple(sorted({m for d in mentioned if d.name is not None for m in d.name.compositions[0]}))
    if source.entry is None or source.entry.ambiguous:
        return [held("name.ambiguous_brand", f"{said}, whose one composition is not known", where)]
    if told != source.molecules:
        firm = any(r.grade != "curated" for r in source.entry.rows)
        return [Judgement(FAIL if firm else ABSTAIN, "name.different", f"{said}, which is not that", where)]
    if not source.entry.brand:
        alias = f"{said}, which the bundle knows as the same substance"
        return [Judgement(PASS, "name.bundle_alias", alias, where, note=True, reference=_rows(context, source))]
    reading = replace(source, entry=replace(source.entry, brand=False), parts=tuple(mentioned), salts=())
    added_salt = frozenset(w for w in inside if w in lexicon.salts) - _salts_of(reading)
    reading.salts = tuple(sorted(added_salt))
    item = context.item_of(claim)
    return [
        _salt_of_the_brand(context, reading, statement, said, where)
        or _parts_pair_up(context, item, claim, mentioned, statement, said, where)
        or _brand_to_generic(context, claim, reading, statement, said, where)
    ]
