"""Strengths: of one or several parts, with their units or without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from medfence_guard.bundle import Product
from medfence_guard.compare.doses import PIECES, form_units
from medfence_guard.compare.judgement import FAIL, PASS, Judgement, Setting, added, held
from medfence_guard.compare.quantities import compare_quantity, dimension_of, in_base_unit
from medfence_guard.compare.wording import number_text, quantity_text, unit_text
from medfence_guard.reader.chunks import Chunk, Quantity
from medfence_guard.reader.roles.record import Role, Roles


def compare_strength(
    setting: Setting, claims: Sequence[Quantity], implied: Mapping[Fraction, tuple[tuple[str, Product], ...]]
) -> list[Judgement]:
    """All strengths the claim names against all the statement names.

    `implied`: for a bare number of the source, the units under which the bundle attests it for this product (P4).
    """
    roles = setting.statement.roles
    claim = _joined([without_own_unit(setting, c) for c in claims])
    if claim is None:
        return [held("strength.unreadable_claim", "the claim is no strength that can be read")]
    composed = _composed(roles)
    candidates = list(roles.strengths)
    if setting.part and len(claim.parts) == 1 and claim.high is None:
        whole = [(v, r.chunk) for r in candidates for v in r.value.parts if len(r.value.parts) > 1]
        if any(v == claim.parts[0] for v, _ in whole):
            # P3: the name of a split combination is held; its part's number is written.
            says = "source has that number among the parts of the combination"
            return [Judgement(PASS, "strength.part_of_combination", says, (whole[0][1],))]
    if not candidates and composed is None:
        return [_without_a_strength(setting, roles, claim)]
    if not candidates and composed is not None:
        candidates = [Role(*composed)]
    full = [r for r in candidates if None not in r.value.units]
    bare = [r for r in candidates if None in r.value.units]
    if (
        composed is not None
        and (not full or any(composed[0].parts == r.value.parts for r in full))
        and len(composed[0].parts) == len(claim.parts)
        and None not in claim.units
    ):
        return compare_quantity(setting, composed[0], claim, composed[1])
    if len(full) > 1:
        judged = _compare_several(setting, full, claim)
        if judged is not None:
            return judged
    if full:
        return _compare_full(setting, full[0], bare, claim)
    return _compare_bare(setting, bare[0], claim, implied)


def _without_a_strength(setting: Setting, roles: Roles, claim: Quantity) -> Judgement:
    """The statement has no strength, or none that is certain."""
    if roles.unreadable:
        return held("number.unreadable", "the source's number is not a plain number", (r.chunk for r in roles.unreadable))
    if roles.numbers:
        return held("number.role_unknown", "a number of the statement has no certain role", (r.chunk for r in roles.numbers))
    return _as_a_dose(roles, claim) or added(setting, "strength.not_in_source", "the statement states no strength")


def _compare_several(setting: Setting, full: Sequence[Role], claim: Quantity) -> list[Judgement] | None:
    """Against more than one strength or amount; None if they are one and the same, written again."""
    tuple_of_all = Quantity(
        tuple(p for r in full for p in r.value.parts), tuple(u for r in full for u in r.value.units), None, full[-1].value.per
    )
    named = len(setting.statement.name.parts)
    one_each = named == len(full) and all(len(r.value.parts) == 1 for r in full)
    with_units = None not in claim.units
    if one_each and len(claim.parts) == named and with_units:
        # `Clopidogrel 75 mg + Aspirin 75 mg`: as many strengths as names, equal or not.
        return compare_quantity(setting, tuple_of_all, claim, full[0].chunk)
    if len({(r.value.parts, r.value.units, r.value.high, r.value.per) for r in full}) == 1 and not one_each:
        return None
    if len(claim.parts) == len(tuple_of_all.parts) and with_units:
        return compare_quantity(setting, tuple_of_all, claim, full[0].chunk)
    if with_units and any(all(j.verdict is PASS for j in compare_quantity(setting, r.value, claim, r.chunk)) for r in full):
        return [held("strength.one_of_several", "the statement states more than one strength or amount", (r.chunk for r in full))]
    says = "source says " + ", ".join(quantity_text(r.value) for r in full)
    return [Judgement(FAIL, "quantity.different", says, tuple(r.chunk for r in full))]


def _compare_full(setting: Setting, source: Role, bare: Sequence[Role], claim: Quantity) -> list[Judgement]:
    """Against one strength with its units. `bare`: the numbers of the label beside it."""
    says = f"source says {quantity_text(source.value)}"
    if None in claim.units:
        per = tuple(n for n, _ in source.value.per)
        if claim.high == source.value.high and claim.parts in (source.value.parts, (*source.value.parts, *per)):
            return [held("unit.not_claimed", f"{says}; the claim has no unit", [source.chunk])]
        return [Judgement(FAIL, "quantity.different", says, (source.chunk,))]
    out = compare_quantity(setting, source.value, claim, source.chunk)
    if any(j.verdict is FAIL for j in out) and (dose := _as_a_dose(setting.statement.roles, claim)) is not None:
        return [dose]
    if bare and all(j.verdict is PASS for j in out):
        out.extend(_label_agrees(bare[0], source.value))
    return out


def _as_a_dose(roles: Roles, claim: Quantity) -> Judgement | None:
    """P5: what is taken each time, claimed as the strength."""
    for dose in roles.doses:
        # `Hifenac P 1 BD`, with `1` as the strength
        alike = dose.value.units == claim.units or {dose.value.units[0], claim.units[0]} == {"{unit}", "[iU]"} or claim.units == (None,)
        if alike and dose.value.parts == claim.parts:
            said = f"source says {quantity_text(dose.value)} as a dose; it stands in the strength"
            return held("schema.role", said, (dose.chunk,))
    return None


def without_own_unit(setting: Setting, claim: Quantity) -> Quantity:
    """`500 mg/tablet` of a tablet is 500 mg: each of the statement's own pieces has that."""
    if len(claim.per) != 1 or claim.per[0][0] != 1 or claim.per[0][1] not in PIECES:
        return claim
    own = form_units(setting) | {u for d in setting.statement.roles.doses for u in d.value.units if u is not None}
    return claim._replace(per=()) if claim.per[0][1] in own else claim


def _joined(claims: Sequence[Quantity]) -> Quantity | None:
    """Several amounts of one claim (`500 mg + 125 mg`) are one strength of several parts."""
    if not claims:
        return None
    if len(claims) == 1:
        return claims[0]
    if any(c.high is not None for c in claims):
        return None
    return Quantity(tuple(p for c in claims for p in c.parts), tuple(u for c in claims for u in c.units), None, claims[-1].per)


def _composed(roles: Roles) -> tuple[Quantity, Chunk] | None:
    """The strength printed with the composition: `(Rosuvastatin 10 mg + Aspirin 75 mg)`."""
    amounts = [(q, c) for _, q, c in roles.composition if q is not None]
    if not amounts or len(amounts) != len(roles.composition):
        return None
    return (
        Quantity(tuple(p for q, _ in amounts for p in q.parts), tuple(u for q, _ in amounts for u in q.units), None, amounts[-1][0].per),
        amounts[0][1]._replace(end=amounts[-1][1].end),
    )


def _label_agrees(bare: Role, strength: Quantity) -> list[Judgement]:
    """`Dolo 650 500 mg`: a number in the name that is another strength of the product makes the statement contradictory."""
    label = bare.value.parts[0] if len(bare.value.parts) == 1 else None
    if label is None and bare.value.parts == strength.parts:
        return []
    if label in strength.parts or label == sum(strength.parts, Fraction(0)):
        return []
    return [held("strength.name_number_differs", "the number in the name and the strength differ", (bare.chunk,))]


def _compare_bare(
    setting: Setting, bare: Role, claim: Quantity, implied: Mapping[Fraction, tuple[tuple[str, Product], ...]]
) -> list[Judgement]:
    """P4: `Ecosprin 75`. The number grounds; the unit only if the bundle attests it with exactly one."""
    source: Quantity = bare.value
    where = (bare.chunk,)
    said = "source says " + "/".join(number_text(v) for v in source.parts) + " without a unit"
    if claim.high != source.high:
        # `Dolo 650` for `650-1300 mg`
        return [Judgement(FAIL, "quantity.different", said, where)]
    if None in claim.units:
        if claim.parts == source.parts:
            return [Judgement(PASS, "quantity.equal", said + ", and so does the claim", where)]
        return [Judgement(FAIL, "quantity.different", said, where)]
    if claim.per and source.parts == (*claim.parts, *(n for n, _ in claim.per)):
        # `Syp X 250/5`: 250 mg in 5 ml, or a combination.
        return [held("unit.not_written", f"{said}; the bundle does not settle the unit", where)]
    if claim.parts != source.parts and claim.per:
        return [Judgement(FAIL, "quantity.different", said, where)]
    attested = implied.get(source.parts[0] if len(source.parts) == 1 else Fraction(-1), ())
    units = sorted({unit for unit, _ in attested})
    rows = tuple(row for _, row in attested)
    if claim.parts != source.parts:
        if len(units) == 1 and len(claim.parts) == 1 == len(source.parts) and _is_converted(setting, source.parts[0], units[0], claim):
            says = f"{said}; equal only after supplying a unit and converting it"
            return [held("quantity.exact_conversion", says, where, reference=rows)]
        return [Judgement(FAIL, "quantity.different", said, where)]
    return [_supply_the_unit(claim, units, rows, said, where)]


def _is_converted(setting: Setting, number: Fraction, unit: str, claim: Quantity) -> bool:
    """Whether a number with the unit that the bundle attests is the claimed quantity in another unit."""
    lexicon, wanted = setting.lexicon, claim.units[0]
    if unit not in lexicon.unit_by_ucum or wanted is None or dimension_of(lexicon, unit) != dimension_of(lexicon, wanted):
        return False
    return in_base_unit(lexicon, number, unit) == in_base_unit(lexicon, claim.parts[0], wanted)


def _supply_the_unit(claim: Quantity, units: Sequence[str], rows: tuple[Product, ...], said: str, where: tuple[Chunk, ...]) -> Judgement:
    """The number is the claimed one. `units`: those under which the bundle attests it for this product."""
    if len(units) == 1 and all(u == units[0] for u in claim.units):
        if claim.per:
            return held("unit.denominator_added", f"{said}; the claim adds a denominator", where)
        says = f"{said}; the bundle knows that number for this product only in {unit_text(units[0])}"
        return Judgement(PASS, "unit.implied_by_bundle", says, where, note=True, reference=rows)
    if {*units, *claim.units} == {"[iU]", "{unit}"}:
        says = f"{said}; a unit is an IU only where the bundle says so"
        return held("unit.unit_or_iu", says, where, reference=rows)
    if len(units) == 1:
        says = f"{said}; the bundle knows it only in {unit_text(units[0])}"
        if any(row.grade != "curated" for row in rows):
            return Judgement(FAIL, "unit.contradicts_bundle", says, where, reference=rows)
        return held("unit.contradicts_bundle", f"{says}, by a curated fact", where, reference=rows)
    return held("unit.not_written", f"{said}; the bundle does not settle the unit", where)
