"""Doses: what is taken each time, and what may be counted without saying so."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from medfence_guard.compare.judgement import FAIL, PASS, Judgement, Setting, added, held
from medfence_guard.compare.quantities import compare_quantity, dimension_of, in_base_unit
from medfence_guard.compare.wording import number_text, quantity_text
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.roles.record import Role


def form_units(setting: Setting) -> frozenset[str]:
    """The countable units of the statement's form."""
    units = {setting.lexicon.form_unit.get(r.value) for r in setting.statement.roles.forms}
    return frozenset(u for u in units if u)


def compare_dose(setting: Setting, claims: Sequence[Quantity], bare: Sequence[Quantity], injected_form: bool) -> list[Judgement]:
    """What is taken each time. `bare`: claimed numbers without a unit."""
    roles = setting.statement.roles
    claimed = [*claims, *bare]
    if not claimed:
        return [held("dose.unreadable_claim", "the claim is no dose that can be read")]
    strength_like = [
        c
        for c in claims
        if (c.units[0] is not None and dimension_of(setting.lexicon, c.units[0]) in ("mass", "percent", "meq", "mmol"))
        or (c.units[0] == "[iU]" and not setting.insulin)
    ]
    if strength_like and not any(
        dimension_of(setting.lexicon, d.value.units[0]) == dimension_of(setting.lexicon, strength_like[0].units[0] or "mg")
        for d in roles.doses
        if d.value.units[0]
    ):
        beside = [c for c in claimed if c is not strength_like[0]]
        told = _dose_as_strength(setting, strength_like[0], injected_form)
        carried = all(j.verdict is PASS for j in told)
        return [*told, *_beside_a_strength(setting, beside)] if beside and carried else told
    doses = distinct_doses(roles.doses)
    if len(doses) > 1:
        where = tuple(d.chunk for d in doses)
        if len(claimed) == len(doses) and all(_same_dose(setting, d.value, c) for d, c in zip(doses, claimed, strict=True)):
            return [Judgement(PASS, "dose.all_carried", "source says " + ", ".join(quantity_text(d.value) for d in doses), where)]
        return [Judgement(FAIL, "dose.one_of_several", "source says " + ", then ".join(quantity_text(d.value) for d in doses), where)]
    claim = claimed[0]
    if len(claimed) > 1:
        return [added(setting, "dose.added", "the claim states more than one dose", tuple(d.chunk for d in doses))]
    if doses:
        return _compare_one_dose(setting, doses[0], claim)
    if roles.slots:
        return [_compare_slots(setting, roles.slots[0], claim)]
    if roles.unreadable:
        return [held("number.unreadable", "the source's number is not a plain number", (r.chunk for r in roles.unreadable))]
    if (
        claim.parts == (Fraction(1),)
        and claim.high is None
        and (claim.units[0] is None or claim.units[0] in form_units(setting))
        and form_units(setting)
    ):
        return [held("dose.inferred", "the statement writes no dose; one unit is only the convention", (r.chunk for r in roles.forms))]
    return [added(setting, "dose.not_in_source", "the statement states no dose")]


def _compare_slots(setting: Setting, slots: Role, claim: Quantity) -> Judgement:
    """P20: `½-0-0` entails half a tablet."""
    values = {v for v in slots.value[0] if v}
    unit = slots.value[1]
    where = (slots.chunk,)
    said = f"source says {'-'.join(number_text(v) for v in slots.value[0])}"
    if len(values) > 1:
        return Judgement(FAIL, "dose.one_of_several", f"{said}: unequal doses", where)
    value = next(iter(values))
    units = form_units(setting) | ({unit} if unit else set())
    if claim.parts != (value,) or claim.high is not None:
        return Judgement(FAIL, "quantity.different", said, where)
    if claim.per:
        return Judgement(FAIL, "unit.denominator_added", said, where)
    if claim.units[0] is None or claim.units[0] in units:
        return Judgement(PASS, "dose.from_slots", f"{said}, each slot of one countable form", where, note=True)
    if not units and (claim.units[0] or "").startswith("{"):
        return held("dose.unit_not_written", f"{said}; what is counted is not written", where)
    return Judgement(FAIL, "unit.other_dimension", said, where)


def distinct_doses(doses: Sequence[Role]) -> list[Role]:
    """Doses that are all one are one; otherwise each of them counts."""
    if len({d.value for d in doses}) == 1:
        return list(doses[:1])
    return list(doses)


def _same_dose(setting: Setting, source: Quantity, claim: Quantity) -> bool:
    if source.parts != claim.parts or source.high != claim.high:
        return False
    if claim.units == source.units:
        return source.per == claim.per
    return claim.units == (None,) or ({claim.units[0], source.units[0]} == {"{unit}", "[iU]"} and setting.insulin)


# What a bare number counts without saying so. A spoon, a puff or a unit of insulin is none of them.
PIECES = frozenset({"{tbl}", "{capsule}", "{sachet}", "{supp}", "{patch}", "{ampule}", "{vial}", "{lozenge}", "{respule}", "{rotacap}"})


def _compare_one_dose(setting: Setting, dose: Role, claim: Quantity) -> list[Judgement]:
    source: Quantity = dose.value
    said = f"source says {quantity_text(source)}"
    if any(per == "kg" for _, per in source.per) and not claim.per:
        return [held("unit.per_weight", f"{said}; what that comes to is not computed", (dose.chunk,))]
    if claim.units[0] is None:
        if claim.parts != source.parts or claim.high != source.high:
            return [Judgement(FAIL, "quantity.different", said, (dose.chunk,))]
        countable = source.units[0] in PIECES
        if countable and source.per:
            # `2 tabs/week`, claimed as 2
            return [held("unit.denominator_dropped", f"{said}; the claim does not say in what time", (dose.chunk,))]
        if countable:
            return [Judgement(PASS, "dose.unit_not_claimed", f"{said}; the claim counts without naming the unit", (dose.chunk,), note=True)]
        return [held("unit.not_claimed", f"{said}; the claim has no unit", (dose.chunk,))]
    strengths = [r for r in setting.statement.roles.strengths if None not in r.value.units]
    if len(strengths) == 1 and claim.units[0] in PIECES and _is_amount_of(setting, strengths[0].value, claim, source):
        says = f"{said} and the strength of one; the claim is computed"
        return [held("dose.derived", says, (dose.chunk, strengths[0].chunk))]
    return compare_quantity(setting, source, claim, dose.chunk)


def _is_amount_of(setting: Setting, strength: Quantity, pieces: Quantity, amount: Quantity) -> bool:
    """Whether so many pieces of a strength come to an amount."""
    one, other = strength.units[0], amount.units[0]
    plain = all(len(q.parts) == 1 and q.high is None for q in (strength, pieces, amount)) and not pieces.per and not amount.per
    if not plain or one is None or other is None or dimension_of(setting.lexicon, one) != dimension_of(setting.lexicon, other):
        return False
    if strength.per:
        if len(strength.per) != 1 or strength.per[0][1] != pieces.units[0]:
            return False
        whole = pieces.parts[0] / strength.per[0][0] * in_base_unit(setting.lexicon, strength.parts[0], one)
    else:
        whole = pieces.parts[0] * in_base_unit(setting.lexicon, strength.parts[0], one)
    return bool(whole == in_base_unit(setting.lexicon, amount.parts[0], other))


def _is_derived(setting: Setting, strength: Quantity, claim: Quantity) -> bool:
    """`1300 mg` for two tablets of 650 mg, `125 mg` for 5 ml of 125 mg/5 ml: arithmetic, as a total is."""
    roles = setting.statement.roles
    doses = [d.value for d in distinct_doses(roles.doses)]
    if not doses and roles.slots and len({v for v in roles.slots[0].value[0] if v}) == 1:
        doses = [Quantity((max(roles.slots[0].value[0]),), (next(iter(form_units(setting) & PIECES), None),))]
    if len(doses) != 1:
        return False
    if not strength.per and doses[0].units[0] not in PIECES:
        return False
    return _is_amount_of(setting, strength, doses[0], claim)


def _beside_a_strength(setting: Setting, claims: Sequence[Quantity]) -> list[Judgement]:
    """`5 mg 2 tablets` under `dose`: what stands beside the strength is the dose, and a second strength is one more."""
    doses = distinct_doses(setting.statement.roles.doses)
    where = tuple(d.chunk for d in doses)
    if len(claims) == 1 and len(doses) == 1:
        return _compare_one_dose(setting, doses[0], claims[0])
    return [added(setting, "dose.added", "the claim states more than one dose", where)]


def _dose_as_strength(setting: Setting, claim: Quantity, injected_form: bool) -> list[Judgement]:
    """A mass under `dose`: the strength of an injection is its dose; elsewhere it stands in the wrong field (P5)."""
    full = [r for r in setting.statement.roles.strengths if None not in r.value.units]
    if not full:
        return [added(setting, "dose.not_in_source", "the statement states no such dose")]
    if any(per == "kg" for _, per in full[0].value.per) and not claim.per:
        said = f"source says {quantity_text(full[0].value)}; what that comes to is not computed"
        return [held("unit.per_weight", said, (full[0].chunk,))]
    judged = compare_quantity(setting, full[0].value, claim, full[0].chunk)
    if any(j.verdict is FAIL for j in judged) and any(
        all(j.verdict is PASS for j in compare_quantity(setting, other.value, claim, other.chunk)) for other in full[1:]
    ):
        says = "source says " + ", ".join(quantity_text(r.value) for r in full) + "; which of them is taken is not certain"
        return [held("dose.one_of_several", says, (r.chunk for r in full))]
    if any(j.verdict is not PASS for j in judged):
        if _is_derived(setting, full[0].value, claim):
            says = f"source says {quantity_text(full[0].value)} and how much of it; the claim is computed"
            where = (full[0].chunk, *(d.chunk for d in setting.statement.roles.doses))
            return [held("dose.derived", says, where)]
        return judged
    if injected_form and not setting.statement.roles.doses and not setting.statement.roles.slots:
        return judged
    if setting.statement.roles.headed_doses:
        # The table calls it so.
        return judged
    return [held("schema.role", f"source says {quantity_text(full[0].value)} as the strength; it stands in the dose", (full[0].chunk,))]
