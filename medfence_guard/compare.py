"""The comparison ladder: does what the source says entail what the payload claims?

equal → PASS · equal, but error-prone or exactly converted → PASS with a note · drops PRN, period, day, denominator,
a step or one of several doses → FAIL · adds anything → FAIL, or ABSTAIN where a national convention explains it ·
two attested readings → ABSTAIN, FAIL when none of them entails the claim · a look-alike in an unreadable token →
ABSTAIN · otherwise FAIL. Canonical values are compared, never strings. Every function returns `Judgement`s: all of
them hold, and the worst counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from medfence_guard.bundle import Product
from medfence_guard.contract import Severity, Verdict
from medfence_guard.reader.chunks import Chunk, Quantity
from medfence_guard.reader.lexicon import Lexicon, Rate
from medfence_guard.reader.roles import Role, Roles
from medfence_guard.reader.statement import Statement

PASS, FAIL, ABSTAIN = Verdict.PASS, Verdict.FAIL, Verdict.ABSTAIN


class Judgement(NamedTuple):
    """One rule's answer about one claim. `chunks`: where the source says so. `note`: PASS, but worth a MINOR finding."""

    verdict: Verdict
    rule: str
    says: str
    chunks: tuple[Chunk, ...] = ()
    note: bool = False
    severity: Severity = Severity.CRITICAL
    reference: tuple[Product, ...] = ()


@dataclass(frozen=True, slots=True)
class Setting:
    """What a comparison needs beside the two sides: the lexicon, the modality, and what other fields of the item carry."""

    lexicon: Lexicon
    modality: str
    statement: Statement
    carried: Mapping[str, frozenset[str]]
    insulin: bool
    part: bool = False

    @property
    def misreadable(self) -> bool:
        """OCR and transcripts widen what is ambiguous (P5, P16)."""
        return self.modality != "text"


def added(setting: Setting, rule: str, says: str, chunks: Iterable[Chunk] = ()) -> Judgement:
    """The claim says what the statement does not. Proven only if all of the statement was read."""
    statement = setting.statement
    beside = tuple(r.chunk for r in statement.roles.beside)
    if beside and rule.startswith(("timing.", "duration.", "site.", "text.")):
        return Judgement(
            ABSTAIN, rule, says + "; what stands beside a complaint or an advice may be its own", beside, severity=Severity.MAJOR
        )
    if statement.readable:
        return Judgement(FAIL, rule, says, tuple(chunks))
    unread = tuple(
        r.chunk
        for r in (
            *statement.roles.residue,
            *statement.roles.unreadable,
            *statement.roles.ambiguous,
            *statement.roles.unsupported,
            *statement.roles.numbers,
        )
    )
    return Judgement(ABSTAIN, rule, says + "; part of the statement could not be read, so it may be there", unread, severity=Severity.MAJOR)


def number_text(value: Fraction) -> str:
    """A fraction as a person writes it."""
    if value.denominator == 1:
        return str(value.numerator)
    scaled = value
    for places in range(1, 7):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            return f"{digits[:-places]}.{digits[-places:]}"
    return f"{value.numerator}/{value.denominator}"


_UNIT_TEXT = {
    "ug": "mcg",
    "[iU]": "IU",
    "{unit}": "units",
    "[drp]": "drops",
    "{tbl}": "tablet",
    "{capsule}": "capsule",
    "{puff}": "puff",
    "{supp}": "suppository",
    "{ampule}": "ampoule",
}


def unit_text(unit: str | None) -> str:
    if unit is None:
        return "(no unit written)"
    return _UNIT_TEXT.get(unit, unit.strip("{}"))


def quantity_text(quantity: Quantity) -> str:
    """`500 mg`, `40/5 mg`, `250 mg/5 mL`, `1-2 tablet`."""
    values = "/".join(number_text(v) for v in quantity.parts) + (f"-{number_text(quantity.high)}" if quantity.high is not None else "")
    units = list(dict.fromkeys(quantity.units))
    unit = "/".join(unit_text(u) for u in units)
    per = "".join(f"/{'' if n == 1 else number_text(n) + ' '}{unit_text(u)}" for n, u in quantity.per)
    return f"{values} {unit}{per}"


# -- quantities --------------------------------------------------------------------------------------------------------


def _dimension(lexicon: Lexicon, unit: str) -> str:
    return lexicon.unit_by_ucum[unit].dimension


def _scaled(lexicon: Lexicon, value: Fraction, unit: str) -> Fraction:
    return value * lexicon.unit_by_ucum[unit].scale


def compare_quantity(setting: Setting, source: Quantity, claim: Quantity, chunk: Chunk) -> list[Judgement]:
    """Both sides with units. Value, unit, denominator, order and range must all agree."""
    lexicon = setting.lexicon
    said = f"source says {quantity_text(source)}"
    where = (chunk,)
    out: list[Judgement] = []
    if len(source.parts) != len(claim.parts):
        total = sum(source.parts, Fraction(0)) if len(claim.parts) == 1 else None
        if total is not None and total == claim.parts[0] and len(set(source.units)) == 1 and source.units[0] == claim.units[0]:
            return [
                Judgement(
                    ABSTAIN,
                    "strength.sum_of_parts",
                    f"{said}; the claim is their sum, which is not converted",
                    where,
                    severity=Severity.MAJOR,
                )
            ]
        if len(source.parts) == 1 and sum(claim.parts, Fraction(0)) == source.parts[0]:
            return [Judgement(ABSTAIN, "strength.sum_of_parts", f"{said}; the claim splits it into parts", where, severity=Severity.MAJOR)]
        return [Judgement(FAIL, "strength.component_lost", f"{said}", where)]
    if source.high != claim.high:
        same_low = source.parts == claim.parts
        return [Judgement(FAIL, "quantity.range_end_lost" if same_low else "quantity.different", said, where)]
    converted = False
    for value, unit, wanted, wanted_unit in zip(source.parts, source.units, claim.parts, claim.units, strict=True):
        assert unit is not None
        assert wanted_unit is not None
        one, other = _dimension(lexicon, unit), _dimension(lexicon, wanted_unit)
        if one != other:
            if {one, other} == {"iu", "unit"}:
                if value == wanted and setting.insulin and not (setting.misreadable and "ocr_ambiguous_unit" in chunk.notes):
                    out.append(
                        Judgement(
                            PASS, "unit.insulin_unit_is_iu", f"{said}; for an insulin of the bundle a unit is an IU", where, note=True
                        )
                    )
                    continue
                if value == wanted:
                    return [
                        Judgement(
                            ABSTAIN,
                            "unit.unit_or_iu",
                            f"{said}; a unit is an IU only where the bundle says so",
                            where,
                            severity=Severity.MAJOR,
                        )
                    ]
            return [Judgement(FAIL, "unit.other_dimension", said, where)]
        if value == wanted and unit == wanted_unit:
            continue
        if _scaled(lexicon, value, unit) != _scaled(lexicon, wanted, wanted_unit):
            if sorted(source.parts) == sorted(claim.parts) and len(source.parts) > 1 and len(set(source.units)) == 1:
                return [
                    Judgement(
                        ABSTAIN, "strength.order_of_parts", f"{said}; the parts stand in another order", where, severity=Severity.MAJOR
                    )
                ]
            if value == wanted:
                return [Judgement(FAIL, "unit.swapped", said, where)]
            return [Judgement(FAIL, "quantity.different", said, where)]
        converted = converted or unit != wanted_unit
    out.extend(_compare_denominators(source, claim, said, where))
    if any(j.verdict is not PASS for j in out):
        return out
    if converted:
        if setting.misreadable:
            return [
                *out,
                Judgement(
                    ABSTAIN,
                    "quantity.exact_conversion",
                    f"{said}; equal after exact conversion, which is not relied on in {setting.modality}",
                    where,
                    severity=Severity.MAJOR,
                ),
            ]
        out.append(Judgement(PASS, "quantity.exact_conversion", f"{said}; exactly equal after conversion", where, note=True))
    for note, rule in _SURFACE_NOTES.items():
        if note in chunk.notes:
            if note in ("naked_decimal", "ocr_ambiguous_unit") and setting.misreadable:
                out.append(
                    Judgement(ABSTAIN, rule, f"{said}, written in a form that OCR reads wrongly too easily", where, severity=Severity.MAJOR)
                )
            elif note != "ocr_ambiguous_unit":
                out.append(Judgement(PASS, rule, f"{said}, written in an error-prone way", where, note=True))
    return out or [Judgement(PASS, "quantity.equal", said, where)]


_SURFACE_NOTES = {
    "trailing_zero": "number.trailing_zero",
    "naked_decimal": "number.naked_decimal",
    "error_prone_unit": "unit.error_prone",
    "ocr_ambiguous_unit": "unit.ocr_ambiguous",
    "scale_word": "number.scale_word",
}


def _compare_denominators(source: Quantity, claim: Quantity, said: str, where: tuple[Chunk, ...]) -> list[Judgement]:
    if source.per == claim.per:
        return []
    if not claim.per:
        return [Judgement(FAIL, "unit.denominator_dropped", said, where)]
    if not source.per:
        if source.units[0] == "%" or (len(claim.per) == 1 and claim.per[0][1] in ("mL", "{puff}", "{spray}", "{dose}")):
            return [
                Judgement(
                    ABSTAIN,
                    "unit.denominator_added",
                    f"{said}; the claim adds a denominator the source does not write",
                    where,
                    severity=Severity.MAJOR,
                )
            ]
        return [Judgement(FAIL, "unit.denominator_added", said, where)]
    if len(source.per) == len(claim.per) == 1 and source.per[0][1] == claim.per[0][1]:
        if source.parts[0] / source.per[0][0] == claim.parts[0] / claim.per[0][0]:
            return [
                Judgement(
                    ABSTAIN, "unit.other_denominator", f"{said}; the ratio is the same, the label is not", where, severity=Severity.MAJOR
                )
            ]
    return [Judgement(FAIL, "unit.other_denominator", said, where)]


def compare_strength(
    setting: Setting, claims: Sequence[Quantity], implied: Mapping[Fraction, tuple[tuple[str, Product], ...]]
) -> list[Judgement]:
    """All strengths the claim names against all the statement names.

    `implied`: for a bare number of the source, the units under which the bundle attests it for this product (P4).
    """
    roles = setting.statement.roles
    claim = _joined(claims)
    if claim is None:
        return [Judgement(ABSTAIN, "strength.unreadable_claim", "the claim is no strength that can be read", severity=Severity.MAJOR)]
    composed = _composed(roles)
    candidates = list(roles.strengths)
    if setting.part and len(claim.parts) == 1:
        whole = [(v, r.chunk) for r in candidates for v in r.value.parts if len(r.value.parts) > 1]
        if any(v == claim.parts[0] for v, _ in whole):
            # P3: the name of a split combination is held; its part's number is written.
            return [
                Judgement(PASS, "strength.part_of_combination", "source has that number among the parts of the combination", (whole[0][1],))
            ]
    if not candidates and composed is None:
        if roles.unreadable:
            return [
                Judgement(
                    ABSTAIN,
                    "number.unreadable",
                    "the source's number is not a plain number",
                    tuple(r.chunk for r in roles.unreadable),
                    severity=Severity.MAJOR,
                )
            ]
        if roles.numbers:
            return [
                Judgement(
                    ABSTAIN,
                    "number.role_unknown",
                    "a number of the statement has no certain role",
                    tuple(r.chunk for r in roles.numbers),
                    severity=Severity.MAJOR,
                )
            ]
        for dose in roles.doses:
            if dose.value.units == claim.units and dose.value.parts == claim.parts:
                return [
                    Judgement(
                        ABSTAIN,
                        "schema.role",
                        f"source says {quantity_text(dose.value)} as a dose; it stands in the strength",
                        (dose.chunk,),
                        severity=Severity.MAJOR,
                    )
                ]
            if {dose.value.units[0], claim.units[0]} == {"{unit}", "[iU]"} and dose.value.parts == claim.parts:
                return [
                    Judgement(
                        ABSTAIN,
                        "schema.role",
                        f"source says {quantity_text(dose.value)} as a dose; it stands in the strength",
                        (dose.chunk,),
                        severity=Severity.MAJOR,
                    )
                ]
        return [added(setting, "strength.not_in_source", "the statement states no strength")]
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
        tuple_of_all = Quantity(
            tuple(p for r in full for p in r.value.parts), tuple(u for r in full for u in r.value.units), None, full[-1].value.per
        )
        if len({(r.value.parts, r.value.units, r.value.per) for r in full}) == 1:
            full = full[:1]
        elif len(claim.parts) == len(tuple_of_all.parts) and None not in claim.units:
            return compare_quantity(setting, tuple_of_all, claim, full[0].chunk)
        else:
            best = [compare_quantity(setting, r.value, claim, r.chunk) for r in full if None not in claim.units]
            if any(all(j.verdict is PASS for j in js) for js in best):
                return [
                    Judgement(
                        ABSTAIN,
                        "strength.one_of_several",
                        "the statement states more than one strength or amount",
                        tuple(r.chunk for r in full),
                        severity=Severity.MAJOR,
                    )
                ]
            return [
                Judgement(
                    FAIL,
                    "quantity.different",
                    "source says " + ", ".join(quantity_text(r.value) for r in full),
                    tuple(r.chunk for r in full),
                )
            ]
    if full:
        source = full[0]
        if None in claim.units:
            if claim.parts == source.value.parts:
                return [
                    Judgement(
                        ABSTAIN,
                        "unit.not_claimed",
                        f"source says {quantity_text(source.value)}; the claim has no unit",
                        (source.chunk,),
                        severity=Severity.MAJOR,
                    )
                ]
            return [Judgement(FAIL, "quantity.different", f"source says {quantity_text(source.value)}", (source.chunk,))]
        out = compare_quantity(setting, source.value, claim, source.chunk)
        if bare and all(j.verdict is PASS for j in out):
            out.extend(_label_agrees(bare[0], source.value))
        return out
    return _compare_bare(setting, bare[0], claim, implied)


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
    return [
        Judgement(
            ABSTAIN,
            "strength.name_number_differs",
            "the number in the name and the strength differ",
            (bare.chunk,),
            severity=Severity.MAJOR,
        )
    ]


def _compare_bare(
    setting: Setting, bare: Role, claim: Quantity, implied: Mapping[Fraction, tuple[tuple[str, Product], ...]]
) -> list[Judgement]:
    """P4: `Ecosprin 75`. The number grounds; the unit only if the bundle attests it with exactly one."""
    source: Quantity = bare.value
    where = (bare.chunk,)
    said = "source says " + "/".join(number_text(v) for v in source.parts) + " without a unit"
    if None in claim.units:
        if claim.parts == source.parts:
            return [Judgement(PASS, "quantity.equal", said + ", and so does the claim", where)]
        return [Judgement(FAIL, "quantity.different", said, where)]
    if claim.per and source.parts == (*claim.parts, *(n for n, _ in claim.per)):
        # `Syp X 250/5`: 250 mg in 5 ml, or a combination.
        return [Judgement(ABSTAIN, "unit.not_written", f"{said}; the bundle does not settle the unit", where, severity=Severity.MAJOR)]
    if claim.parts != source.parts and claim.per:
        return [Judgement(FAIL, "quantity.different", said, where)]
    if len(source.parts) == 1:
        attested = implied.get(source.parts[0], ())
    else:
        attested = implied.get(Fraction(-1), ())
    units = sorted({unit for unit, _ in attested})
    rows = tuple(row for _, row in attested)
    if claim.parts != source.parts:
        if len(units) == 1 and len(claim.parts) == 1 == len(source.parts) and units[0] in setting.lexicon.unit_by_ucum:
            unit = units[0]
            wanted = claim.units[0]
            if (
                wanted is not None
                and _dimension(setting.lexicon, unit) == _dimension(setting.lexicon, wanted)
                and _scaled(setting.lexicon, source.parts[0], unit) == _scaled(setting.lexicon, claim.parts[0], wanted)
            ):
                return [
                    Judgement(
                        ABSTAIN,
                        "quantity.exact_conversion",
                        f"{said}; equal only after supplying a unit and converting it",
                        where,
                        severity=Severity.MAJOR,
                        reference=rows,
                    )
                ]
        return [Judgement(FAIL, "quantity.different", said, where)]
    if len(units) == 1 and all(u == units[0] for u in claim.units):
        if claim.per:
            return [Judgement(ABSTAIN, "unit.denominator_added", f"{said}; the claim adds a denominator", where, severity=Severity.MAJOR)]
        return [
            Judgement(
                PASS,
                "unit.implied_by_bundle",
                f"{said}; the bundle knows that number for this product only in {unit_text(units[0])}",
                where,
                note=True,
                reference=rows,
            )
        ]
    if len(units) == 1:
        if any(row.grade != "curated" for row in rows):
            return [
                Judgement(
                    FAIL, "unit.contradicts_bundle", f"{said}; the bundle knows it only in {unit_text(units[0])}", where, reference=rows
                )
            ]
        return [
            Judgement(
                ABSTAIN,
                "unit.contradicts_bundle",
                f"{said}; the bundle knows it only in {unit_text(units[0])}, by a curated fact",
                where,
                severity=Severity.MAJOR,
                reference=rows,
            )
        ]
    return [Judgement(ABSTAIN, "unit.not_written", f"{said}; the bundle does not settle the unit", where, severity=Severity.MAJOR)]


# -- dose --------------------------------------------------------------------------------------------------------------


def form_units(setting: Setting) -> frozenset[str]:
    """The countable units of the statement's form."""
    units = {setting.lexicon.form_unit.get(r.value) for r in setting.statement.roles.forms}
    return frozenset(u for u in units if u)


def compare_dose(setting: Setting, claims: Sequence[Quantity], bare: Sequence[Quantity], injected_form: bool) -> list[Judgement]:
    """What is taken each time. `bare`: claimed numbers without a unit."""
    roles = setting.statement.roles
    claimed = [*claims, *bare]
    if not claimed:
        return [Judgement(ABSTAIN, "dose.unreadable_claim", "the claim is no dose that can be read", severity=Severity.MAJOR)]
    strength_like = [
        c
        for c in claims
        if (c.units[0] is not None and _dimension(setting.lexicon, c.units[0]) in ("mass", "percent", "meq", "mmol"))
        or (c.units[0] == "[iU]" and not setting.insulin)
    ]
    if strength_like and not any(
        _dimension(setting.lexicon, d.value.units[0]) == _dimension(setting.lexicon, strength_like[0].units[0] or "mg")
        for d in roles.doses
        if d.value.units[0]
    ):
        return _dose_as_strength(setting, strength_like[0], injected_form)
    doses = _distinct(roles.doses)
    if len(doses) > 1:
        if len(claimed) == len(doses) and all(_same_dose(setting, d.value, c) for d, c in zip(doses, claimed, strict=True)):
            return [
                Judgement(
                    PASS,
                    "dose.all_carried",
                    "source says " + ", ".join(quantity_text(d.value) for d in doses),
                    tuple(d.chunk for d in doses),
                )
            ]
        return [
            Judgement(
                FAIL,
                "dose.one_of_several",
                "source says " + ", then ".join(quantity_text(d.value) for d in doses),
                tuple(d.chunk for d in doses),
            )
        ]
    claim = claimed[0]
    if len(claimed) > 1:
        return [added(setting, "dose.added", "the claim states more than one dose", tuple(d.chunk for d in doses))]
    if doses:
        return _compare_one_dose(setting, doses[0], claim)
    slots = list(roles.slots)
    if slots:
        values = {v for v in slots[0].value[0] if v}
        unit = slots[0].value[1]
        where = (slots[0].chunk,)
        said = f"source says {'-'.join(number_text(v) for v in slots[0].value[0])}"
        if len(values) > 1:
            return [Judgement(FAIL, "dose.one_of_several", f"{said}: unequal doses", where)]
        value = next(iter(values))
        units = form_units(setting) | ({unit} if unit else set())
        if claim.parts != (value,) or claim.high is not None:
            return [Judgement(FAIL, "quantity.different", said, where)]
        if claim.per:
            return [Judgement(FAIL, "unit.denominator_added", said, where)]
        if claim.units[0] is None or claim.units[0] in units:
            return [Judgement(PASS, "dose.from_slots", f"{said}, each slot of one countable form", where, note=True)]
        if not units and (claim.units[0] or "").startswith("{"):
            return [Judgement(ABSTAIN, "dose.unit_not_written", f"{said}; what is counted is not written", where, severity=Severity.MAJOR)]
        return [Judgement(FAIL, "unit.other_dimension", said, where)]
    if roles.unreadable:
        return [
            Judgement(
                ABSTAIN,
                "number.unreadable",
                "the source's number is not a plain number",
                tuple(r.chunk for r in roles.unreadable),
                severity=Severity.MAJOR,
            )
        ]
    if (
        claim.parts == (Fraction(1),)
        and claim.high is None
        and (claim.units[0] is None or claim.units[0] in form_units(setting))
        and form_units(setting)
    ):
        return [
            Judgement(
                ABSTAIN,
                "dose.inferred",
                "the statement writes no dose; one unit is only the convention",
                tuple(r.chunk for r in roles.forms),
                severity=Severity.MAJOR,
            )
        ]
    return [added(setting, "dose.not_in_source", "the statement states no dose")]


def _distinct(doses: Sequence[Role]) -> list[Role]:
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
_PIECES = frozenset({"{tbl}", "{capsule}", "{sachet}", "{supp}", "{patch}", "{ampule}", "{vial}", "{lozenge}", "{respule}", "{rotacap}"})


def _compare_one_dose(setting: Setting, dose: Role, claim: Quantity) -> list[Judgement]:
    source: Quantity = dose.value
    said = f"source says {quantity_text(source)}"
    if any(per == "kg" for _, per in source.per) and not claim.per:
        return [
            Judgement(ABSTAIN, "unit.per_weight", f"{said}; what that comes to is not computed", (dose.chunk,), severity=Severity.MAJOR)
        ]
    if claim.units[0] is None:
        if claim.parts != source.parts or claim.high != source.high:
            return [Judgement(FAIL, "quantity.different", said, (dose.chunk,))]
        countable = source.units[0] in _PIECES
        if countable:
            return [Judgement(PASS, "dose.unit_not_claimed", f"{said}; the claim counts without naming the unit", (dose.chunk,), note=True)]
        return [Judgement(ABSTAIN, "unit.not_claimed", f"{said}; the claim has no unit", (dose.chunk,), severity=Severity.MAJOR)]
    return compare_quantity(setting, source, claim, dose.chunk)


def _dose_as_strength(setting: Setting, claim: Quantity, injected_form: bool) -> list[Judgement]:
    """A mass under `dose`: the strength of an injection is its dose; elsewhere it stands in the wrong field (P5)."""
    full = [r for r in setting.statement.roles.strengths if None not in r.value.units]
    if not full:
        return [added(setting, "dose.not_in_source", "the statement states no such dose")]
    if any(per == "kg" for _, per in full[0].value.per) and not claim.per:
        said = f"source says {quantity_text(full[0].value)}; what that comes to is not computed"
        return [Judgement(ABSTAIN, "unit.per_weight", said, (full[0].chunk,), severity=Severity.MAJOR)]
    judged = compare_quantity(setting, full[0].value, claim, full[0].chunk)
    if any(j.verdict is not PASS for j in judged):
        return judged
    if injected_form and not setting.statement.roles.doses and not setting.statement.roles.slots:
        return judged
    return [
        Judgement(
            ABSTAIN,
            "schema.role",
            f"source says {quantity_text(full[0].value)} as the strength; it stands in the dose",
            (full[0].chunk,),
            severity=Severity.MAJOR,
        )
    ]


# -- timing ------------------------------------------------------------------------------------------------------------


def rate_text(rate: Rate) -> str:
    """`2 times per day`, `once every 6 hours`."""
    units = {"h": "hour", "d": "day", "wk": "week", "mo": "month"}
    unit = units.get(rate.unit, rate.unit)
    times = number_text(rate.low) + (f"-{number_text(rate.high)}" if rate.high != rate.low else "")
    if rate.period == 1 and rate.period_high == 1:
        return f"{times} time{'s' if times != '1' else ''} per {unit}"
    period = number_text(rate.period) + (f"-{number_text(rate.period_high)}" if rate.period_high != rate.period else "")
    return f"{'once' if times == '1' else times + ' times'} every {period} {unit}s"


def _per_day(rate: Rate) -> Fraction | None:
    if rate.unit == "d" and rate.period == rate.period_high == 1 and rate.low == rate.high:
        return rate.low
    return None


def _interval_per_day(rate: Rate) -> Fraction | None:
    if rate.unit == "h" and rate.period == rate.period_high:
        return Fraction(24) / rate.period
    return None


_DAYS = {"wk": Fraction(7), "d": Fraction(1)}


def compare_rates(setting: Setting, source: Rate, claim: Rate, chunk: Chunk) -> Judgement:
    """Two frequencies or intervals."""
    where = (chunk,)
    said = f"source says {rate_text(source)}"
    if source == claim:
        if "text_only" in chunk.notes and setting.misreadable:
            return Judgement(
                ABSTAIN, "timing.ambiguous_token", f"{said} in a form that is one letter from another", where, severity=Severity.MAJOR
            )
        if "text_only" in chunk.notes:
            return Judgement(PASS, "timing.error_prone", f"{said}, in an error-prone abbreviation", where, note=True)
        return Judgement(PASS, "timing.equal", said, where)
    for one, other in ((source, claim), (claim, source)):
        hourly, daily = _interval_per_day(one), _per_day(other)
        if hourly is not None and daily is not None:
            if hourly == daily:
                return Judgement(
                    ABSTAIN,
                    "timing.interval_vs_count",
                    f"{said}; an interval and a count per day are not the same order",
                    where,
                    severity=Severity.MAJOR,
                )
            return Judgement(FAIL, "timing.different", said, where)
    if source.unit in _DAYS and claim.unit in _DAYS and source.low == source.high == claim.low == claim.high == 1:
        if (
            source.period * _DAYS[source.unit] == claim.period * _DAYS[claim.unit]
            and source.period_high * _DAYS[source.unit] == claim.period_high * _DAYS[claim.unit]
        ):
            return Judgement(PASS, "timing.exact_period", f"{said}; exactly the same period", where, note=True)
    if {source.unit, claim.unit} == {"h", "d"} and source.low == claim.low == 1:
        hours = {u: (r.period if r.unit == u else None) for u in ("h", "d") for r in (source, claim) if r.unit == u}
        if hours.get("h") is not None and hours.get("d") is not None and hours["h"] == hours["d"] * 24:  # type: ignore[operator]
            return Judgement(
                ABSTAIN, "timing.interval_vs_count", f"{said}; hours and days are not the same order", where, severity=Severity.MAJOR
            )
    return Judgement(FAIL, "timing.different", said, where)


_SLOT_PARTS = {3: ("MORN", "NOON", "NIGHT"), 4: ("MORN", "NOON", "EVE", "NIGHT")}


def slot_parts(values: Sequence[Fraction]) -> frozenset[str]:
    """The times of day at which a slot pattern gives something."""
    return frozenset(part for part, value in zip(_SLOT_PARTS[len(values)], values, strict=True) if value)


def spelt_out(roles: Roles) -> dict[str, tuple[Fraction, str | None]] | None:
    """`1 tab morning, 2 tabs night`: time of day -> how much; None unless two counts or more each stand before times of their own."""
    counts = [r for r in (*roles.doses, *roles.numbers) if isinstance(r.value, Quantity)]
    marks = sorted([*counts, *roles.day_parts], key=lambda r: r.chunk.start)
    if len(counts) < 2 or not marks or roles.slots or len(counts) != len(roles.doses) + len(roles.numbers):
        return None
    others = (*roles.durations, *roles.rates, *roles.weekdays, *roles.prn, *roles.stat, *roles.unsupported)
    if any(marks[0].chunk.start < r.chunk.start < marks[-1].chunk.start for r in others):
        # `1 tab morning x 5 days, 2 tabs night x 3 days`: what stands between is of one of them.
        return None
    out: dict[str, tuple[Fraction, str | None]] = {}
    amount: tuple[Fraction, str | None] | None = None
    used = True
    for role in marks:
        if isinstance(role.value, Quantity):
            quantity = role.value
            if not used or len(quantity.parts) != 1 or quantity.high is not None or quantity.per:
                return None
            amount, used = (quantity.parts[0], quantity.units[0]), False
            continue
        part = {"AFT": "NOON"}.get(role.value[0], role.value[0])
        if amount is None or part in out:
            return None
        out[part], used = amount, True
    return out if used else None


def slots_spelt_out(source: Roles, claim: Roles) -> dict[str, tuple[Fraction, str | None]] | None:
    """The claim's `spelt_out`, where it can be compared with the source's slots."""
    return spelt_out(claim) if source.slots and not source.rates else None


def compare_spelt_out(
    setting: Setting, slots: Role, spelt: Mapping[str, tuple[Fraction, str | None]], units: frozenset[str]
) -> list[Judgement]:
    """A slot pattern on one side, each slot in words on the other. `units`: what may be counted. Bedtime is no slot."""
    values, unit = slots.value
    where = (slots.chunk,)
    said = f"source says {_slot_text(values)}" if slots in setting.statement.roles.slots else "source says each slot in words"
    parts = _SLOT_PARTS[len(values)]
    told = {part: value for part, (value, _) in spelt.items() if value}
    given = {part: value for part, value in zip(parts, values, strict=True) if value}
    if not set(told) <= set(parts):
        return [Judgement(ABSTAIN, "timing.slots_shape", f"{said}; the times of day are others", where, severity=Severity.MAJOR)]
    if told != given:
        return [Judgement(FAIL, "dose.one_of_several", said, where)]
    counted = {u for _, u in spelt.values() if u is not None}
    if counted - units - ({unit} if unit else set()):
        return [Judgement(ABSTAIN, "dose.unit_not_written", f"{said}; what is counted is not written", where, severity=Severity.MAJOR)]
    return [Judgement(PASS, "timing.slots_spelt_out", f"{said}, the claim the same, slot by slot", where, note=True)]


def _slot_text(values: Sequence[Fraction]) -> str:
    return "-".join(number_text(v) for v in values)


def compare_frequency(setting: Setting, claim: Roles) -> list[Judgement]:
    """The frequency group: count, interval, slots, PRN, period, day (P15)."""
    source = setting.statement.roles
    out: list[Judgement] = []
    contradiction = self_contradiction(source)
    if contradiction is not None:
        out.append(contradiction)
    if source.unsupported:
        out.append(
            Judgement(
                ABSTAIN,
                "timing.complex_regimen",
                "the statement holds a regimen that is not read",
                tuple(r.chunk for r in source.unsupported),
                severity=Severity.MAJOR,
            )
        )
    if not (claim.has_timing or claim.ambiguous):
        if claim.whens:
            return [
                *out,
                Judgement(
                    ABSTAIN,
                    "schema.role",
                    "a meal stands where the frequency belongs",
                    tuple(r.chunk for r in source.rates),
                    severity=Severity.MAJOR,
                ),
            ]
        return [
            *out,
            Judgement(
                ABSTAIN,
                "timing.unparsed",
                "the claim is no frequency that can be read",
                tuple(r.chunk for r in (*source.rates, *source.slots)),
                severity=Severity.MAJOR,
            ),
        ]
    out.extend(_compare_core(setting, source, claim))
    out.extend(_lost_interval(source, claim))
    out.extend(_compare_prn(setting, source, bool(claim.prn)))
    out.extend(_compare_weekdays(setting, source, claim))
    return out


def _lost_interval(source: Roles, claim: Roles) -> list[Judgement]:
    """`weekly` beside slots or a time of day: a claim of the slots alone makes it daily."""
    lost = [
        r
        for r in source.rates
        if (r.value.unit != "d" or r.value.period != 1) and "weekly" not in r.chunk.notes and (source.slots or source.day_parts)
    ]
    if not lost or claim.rates:
        return []
    return [
        Judgement(
            ABSTAIN if source.unsupported or source.residue else FAIL,
            "timing.frequency_lost",
            f"source says {rate_text(lost[0].value)}, which the claim drops",
            tuple(r.chunk for r in lost),
        )
    ]


def self_contradiction(roles: Roles) -> Judgement | None:
    """`BD at bedtime`, `OD 1-0-1`: the statement's own parts do not fit together; a person must look."""
    parts = {w.value[0] for w in roles.day_parts}
    if len(roles.rates) + len(roles.slots) <= 1 and not parts:
        return None
    counts: set[Fraction] = set()
    chunks: list[Chunk] = []
    for role in roles.rates:
        daily = _per_day(role.value)
        if daily is not None:
            counts.add(daily)
            chunks.append(role.chunk)
    for role in roles.slots:
        counts.add(Fraction(sum(1 for v in role.value[0] if v)))
        chunks.append(role.chunk)
    if (
        len({r.value for r in roles.rates if "weekly" not in r.chunk.notes}) > 1
        or len({r.value[0] for r in roles.slots}) > 1
        or len(counts) > 1
    ):
        return Judgement(
            ABSTAIN, "timing.multi_frequency", "the statement holds more than one frequency", tuple(chunks), severity=Severity.MAJOR
        )
    if parts and counts and not (parts <= {"HS", "NIGHT"} and counts == {Fraction(1)}):
        if Fraction(len(parts)) not in counts:
            return Judgement(
                ABSTAIN,
                "timing.self_contradictory",
                "the frequency and the times of day do not fit together",
                tuple(chunks + [w.chunk for w in roles.day_parts]),
                severity=Severity.MAJOR,
            )
    if parts and roles.slots:
        given = slot_parts(roles.slots[0].value[0])
        loose = {"HS": "NIGHT", "AFT": "NOON"}
        if {loose.get(p, p) for p in parts} - given - ({"EVE"} if "NIGHT" in given else set()):
            return Judgement(
                ABSTAIN,
                "timing.self_contradictory",
                "the slots and the times of day do not fit together",
                tuple(chunks + [w.chunk for w in roles.day_parts]),
                severity=Severity.MAJOR,
            )
    return None


def _readings(roles: Roles) -> tuple[list[Rate], bool, tuple[Chunk, ...]]:
    """Rates of ambiguous tokens, whether any token is ambiguous, and where."""
    rates: list[Rate] = []
    chunks: list[Chunk] = []
    for role in roles.ambiguous:
        kind, readings = role.value
        if kind == "rate":
            rates.extend(readings)
            chunks.append(role.chunk)
        elif kind == "two_numbers":
            chunks.append(role.chunk)
    return rates, bool(chunks), tuple(chunks)


def _compare_core(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    rates, ambiguous, where = _readings(source)
    confused = tuple(r.chunk for r in source.unreadable if r.value in ("timing", "slots"))
    if confused and not (source.rates or source.slots):
        return [
            Judgement(ABSTAIN, "timing.confusable", "the source's timing word mixes letters and digits", confused, severity=Severity.MAJOR)
        ]
    claim_rates, claim_ambiguous, _ = _readings(claim)
    if claim_ambiguous or ambiguous:
        pairs = [(r, c) for r in (rates or [x.value for x in source.rates]) for c in (claim_rates or [x.value for x in claim.rates])]
        if pairs and not any(r == c for r, c in pairs) and not source.slots and not claim.slots and not claim.day_parts:
            return [Judgement(FAIL, "timing.no_reading_entails", "no reading of the ambiguous word gives the claimed frequency", where)]
        return [Judgement(ABSTAIN, "timing.ambiguous_token", "a timing word has two attested readings", where, severity=Severity.MAJOR)]
    spelt = slots_spelt_out(source, claim)
    if spelt is not None and not (claim.rates or claim.stat or claim.as_directed or source.stat):
        return compare_spelt_out(setting, source.slots[0], spelt, form_units(setting))
    if claim.as_directed:
        if source.as_directed:
            return [Judgement(PASS, "timing.equal", "source says as directed", tuple(r.chunk for r in source.as_directed))]
        return [added(setting, "timing.component_invented", "the statement does not say as directed")]
    if source.as_directed and not (source.rates or source.slots):
        return [Judgement(FAIL, "timing.component_invented", "source says only as directed", tuple(r.chunk for r in source.as_directed))]
    if claim.stat or source.stat:
        where = tuple(r.chunk for r in source.stat)
        if claim.stat and source.stat:
            return _beside_stat(setting, source, claim, where)
        if source.stat:
            return [Judgement(FAIL, "timing.single_dose_lost", "source says a single dose", where)]
        if not (claim.rates or claim.slots):
            return [
                added(
                    setting, "timing.component_invented", "the statement does not say a single dose", tuple(r.chunk for r in source.rates)
                )
            ]
        return [added(setting, "timing.component_invented", "the statement does not say a single dose")]
    if claim.rates and claim.slots:
        return _claim_rate_and_slots(setting, source, claim)
    if claim.rates:
        return _claim_rate(setting, source, claim)
    if claim.slots:
        return _claim_slots(setting, source, claim)
    if claim.day_parts:
        return _claim_parts(setting, source, claim)
    # PRN or weekdays alone.
    dropped = [r for r in (*source.rates, *source.slots) if "weekly" not in r.chunk.notes]
    if dropped:
        return [Judgement(FAIL, "timing.frequency_lost", "source states a frequency that the claim drops", tuple(r.chunk for r in dropped))]
    return []


def _distinct_parts(roles: Roles) -> set[str]:
    """The times of day, two words for one of them (`at night`, `HS`) counted once."""
    parts = {w.value[0] for w in roles.day_parts}
    return parts - {one for one, other in (("HS", "NIGHT"), ("AFT", "NOON")) if other in parts}


def _beside_stat(setting: Setting, source: Roles, claim: Roles, where: tuple[Chunk, ...]) -> list[Judgement]:
    """`stat` is one dose; what stands beside it (`stat, then BD`) is an order of its own and has to be carried too."""
    said = Judgement(PASS, "timing.equal", "source says a single dose", where)
    told = setting.carried["whens"]
    regular = (*source.rates, *source.slots, *(w for w in source.day_parts if w.value[0] not in told))
    claimed = claim.rates or claim.slots or claim.day_parts
    if regular and not claimed:
        firm = bool(source.rates or source.slots)
        return [
            Judgement(
                FAIL if firm else ABSTAIN,
                "timing.frequency_lost",
                "source says more than a single dose; the claim drops it",
                tuple(r.chunk for r in regular),
                severity=Severity.CRITICAL if firm else Severity.MAJOR,
            )
        ]
    if claimed and not regular:
        return [added(setting, "timing.component_invented", "the statement says only a single dose", where)]
    if source.residue or any(r.value[2] == "h" for r in source.durations):
        return [
            Judgement(ABSTAIN, "timing.complex_regimen", "more than a single dose stands beside it", where, severity=Severity.MAJOR),
        ]
    return [said, *_compare_core(setting, replace(source, stat=[]), replace(claim, stat=[]))] if regular else [said]


def _claim_rate_and_slots(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    """`BD (1-0-1)`: both parts must stand in the source, or follow from the other there."""
    plain = [r for r in source.rates if "weekly" not in r.chunk.notes] or source.rates
    slots = _claim_slots(setting, source, claim)
    if plain or not source.slots:
        return [*_claim_rate(setting, source, claim), *slots]
    given = sum(1 for v in source.slots[0].value[0] if v)
    if len({r.value for r in claim.rates}) == 1 and _per_day(claim.rates[0].value) == given:
        return slots
    return [Judgement(FAIL, "timing.different", f"source says {_slot_text(source.slots[0].value[0])}", (source.slots[0].chunk,)), *slots]


def _claim_rate(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    wanted: Rate = claim.rates[0].value
    out: list[Judgement] = []
    if len({r.value for r in claim.rates if "weekly" not in r.chunk.notes}) > 1:
        return [Judgement(ABSTAIN, "timing.multi_frequency", "the claim holds more than one frequency", severity=Severity.MAJOR)]
    if claim.weekdays and any(r.value.unit != "wk" for r in claim.rates) and not any(r.value.unit != "wk" for r in source.rates):
        return [added(setting, "timing.component_invented", "the statement names days of the week, and no other frequency")]
    plain = [r for r in source.rates if "weekly" not in r.chunk.notes] or source.rates
    if plain:
        out.append(compare_rates(setting, plain[0].value, wanted, plain[0].chunk))
        if source.slots and out[-1].verdict is PASS and not claim.slots:
            values = source.slots[0].value[0]
            # The slots follow from a count only if each is one; beside a period (`1-0-1 weekly`) they are the count.
            if {v for v in values if v} != {Fraction(1)} or _per_day(plain[0].value) != sum(1 for v in values if v):
                out.append(Judgement(FAIL, "timing.slots_dropped", f"source says {_slot_text(values)}", (source.slots[0].chunk,)))
        return out
    if source.slots:
        values = source.slots[0].value[0]
        where: tuple[Chunk, ...] = (source.slots[0].chunk,)
        said = f"source says {_slot_text(values)}"
        given = [v for v in values if v]
        if _per_day(wanted) != len(given):
            if _interval_per_day(wanted) == len(given):
                return [
                    Judgement(
                        ABSTAIN,
                        "timing.interval_vs_count",
                        f"{said}; slots and an interval are not the same order",
                        where,
                        severity=Severity.MAJOR,
                    )
                ]
            return [Judgement(FAIL, "timing.different", said, where)]
        if len(set(given)) > 1:
            return [Judgement(FAIL, "timing.slots_dropped", f"{said}: unequal doses", where)]
        if "dose" in setting.carried["fields"] and (set(given) == {Fraction(1)} or not source.doses):
            return [Judgement(PASS, "timing.slots_dropped", f"{said}; the claim keeps the count and carries the dose", where, note=True)]
        return [Judgement(ABSTAIN, "timing.slots_dropped", f"{said}; the claim keeps only the count", where, severity=Severity.MAJOR)]
    parts = _distinct_parts(source)
    if parts:
        where = tuple(w.chunk for w in source.day_parts)
        said = "source says " + ", ".join(sorted(parts))
        if _per_day(wanted) != len(parts):
            return [Judgement(FAIL, "timing.different", said, where)]
        carried = setting.carried["whens"]
        if len(source.doses) > 1 and not parts <= carried:
            return [
                Judgement(
                    ABSTAIN,
                    "timing.slots_dropped",
                    f"{said}, with unequal doses; the claim keeps only the count",
                    where,
                    severity=Severity.MAJOR,
                )
            ]
        if len(parts) > 1 or parts <= carried:
            return [Judgement(PASS, "timing.count_of_day_parts", f"{said}; the claim keeps the count", where, note=True)]
        return [Judgement(ABSTAIN, "timing.day_part_dropped", f"{said}; the claim keeps only once a day", where, severity=Severity.MAJOR)]
    meals = {w.value[0] for w in source.whens if w.value[0] in ("ACM", "ACD", "ACV", "PCM", "PCD", "PCV", "CM", "CD", "CV")}
    if meals:
        where = tuple(w.chunk for w in source.whens)
        if _per_day(wanted) != len(meals):
            return [Judgement(FAIL, "timing.different", "source names other meals", where)]
        if meals <= setting.carried["whens"]:
            return [Judgement(PASS, "timing.count_of_meals", "source names the meals, the claim also their count", where, note=True)]
        return [
            Judgement(
                ABSTAIN, "timing.meals_dropped", "source names the meals; the claim keeps only their count", where, severity=Severity.MAJOR
            )
        ]
    if source.prn:
        return (
            [Judgement(FAIL, "timing.component_invented", "source says only as needed", tuple(r.chunk for r in source.prn))]
            if setting.statement.readable
            else [added(setting, "timing.component_invented", "source says only as needed")]
        )
    if source.weekdays:
        if wanted.unit == "wk" and wanted.period == 1 and wanted.low == len(source.weekdays[0].value):
            return [Judgement(PASS, "timing.count_of_days", "source names the days", tuple(r.chunk for r in source.weekdays), note=True)]
        return [Judgement(FAIL, "timing.different", "source names days of the week", tuple(r.chunk for r in source.weekdays))]
    return [_no_timing(setting)]


def _no_timing(setting: Setting) -> Judgement:
    statement = setting.statement
    if statement.shared_tail:
        return Judgement(
            ABSTAIN, "timing.shared", "the frequency stands behind several names; whose it is is not certain", severity=Severity.MAJOR
        )
    if len(_distinct(statement.roles.doses)) > 1:
        where = tuple(d.chunk for d in statement.roles.doses)
        return Judgement(ABSTAIN, "timing.unparsed", "several doses stand there without their times", where, severity=Severity.MAJOR)
    return added(setting, "timing.component_invented", "the statement states no such timing")


def _claim_slots(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    wanted, wanted_unit = claim.slots[0].value
    if len({r.value[0] for r in claim.slots}) > 1:
        return [Judgement(ABSTAIN, "timing.multi_frequency", "the claim holds more than one pattern", severity=Severity.MAJOR)]
    if source.slots:
        values, unit = source.slots[0].value
        where: tuple[Chunk, ...] = (source.slots[0].chunk,)
        said = f"source says {_slot_text(values)}"
        if values == wanted:
            if wanted_unit is not None and unit is not None and wanted_unit != unit:
                return [Judgement(FAIL, "unit.swapped", said, where)]
            if wanted_unit is not None and unit is None and wanted_unit not in form_units(setting):
                return [added(setting, "dose.unit_added", said, where)]
            return [Judgement(PASS, "timing.equal", said, where)]
        if (
            len(values) != len(wanted)
            and sorted(v for v in values if v) == sorted(v for v in wanted if v)
            and slot_parts(values) == slot_parts(wanted)
        ):
            return [
                Judgement(
                    ABSTAIN, "timing.slots_shape", f"{said}; three slots and four are not the same pattern", where, severity=Severity.MAJOR
                )
            ]
        return [Judgement(FAIL, "timing.different", said, where)]
    given = [v for v in wanted if v]
    equal = len(set(given)) == 1
    plain = [r for r in source.rates if "weekly" not in r.chunk.notes]
    if plain:
        daily = _per_day(plain[0].value)
        where = (plain[0].chunk,)
        said = f"source says {rate_text(plain[0].value)}"
        if daily == len(given) and equal:
            parts = {w.value[0] for w in source.day_parts}
            if (
                parts
                and slot_parts(wanted) == {("NIGHT" if p == "HS" else p) for p in parts}
                and "HS" not in parts
                and _dose_is(source, given[0])
            ):
                return [Judgement(PASS, "timing.slots_from_day_parts", said, where, note=True)]
            return [
                Judgement(
                    ABSTAIN,
                    "timing.slots_inferred",
                    f"{said}; the slots are a convention, not what is written",
                    where,
                    severity=Severity.MAJOR,
                )
            ]
        return [Judgement(FAIL, "timing.different", said, where)]
    spelt = spelt_out(source)
    if spelt is not None and not source.prn:
        if wanted_unit is None and any(u not in _PIECES for _, u in spelt.values()):
            where = tuple(d.chunk for d in source.doses)
            return [Judgement(ABSTAIN, "unit.not_claimed", "the slots of the claim have no unit", where, severity=Severity.MAJOR)]
        judged = compare_spelt_out(setting, claim.slots[0], spelt, frozenset(u for _, u in spelt.values() if u))
        return [j._replace(chunks=tuple(w.chunk for w in (*source.doses, *source.day_parts))) for j in judged]
    parts = _distinct_parts(source)
    if parts:
        where = tuple(w.chunk for w in source.day_parts)
        said = "source says " + ", ".join(sorted(parts))
        if slot_parts(wanted) == parts:
            if equal and _dose_is(source, given[0]):
                return [Judgement(PASS, "timing.equal", said, where)]
            if len(source.doses) > 1:
                return [
                    Judgement(
                        FAIL if len(given) != len(source.doses) or equal else ABSTAIN,
                        "dose.one_of_several",
                        f"{said} with unequal doses",
                        where,
                    )
                ]
            return [
                Judgement(
                    ABSTAIN, "timing.slots_inferred", f"{said}; the amount in each slot is not written", where, severity=Severity.MAJOR
                )
            ]
        if len(parts) == len(given):
            return [
                Judgement(
                    ABSTAIN if {("NIGHT" if p == "HS" else p) for p in parts} == slot_parts(wanted) else FAIL,
                    "timing.slots_inferred",
                    said,
                    where,
                )
            ]
        return [Judgement(FAIL, "timing.different", said, where)]
    if source.prn:
        return [Judgement(FAIL, "timing.component_invented", "source says only as needed", tuple(r.chunk for r in source.prn))]
    return [_no_timing(setting)]


def _dose_is(source: Roles, value: Fraction) -> bool:
    return len({d.value for d in source.doses}) == 1 and source.doses[0].value.parts == (value,) and source.doses[0].value.high is None


def _claim_parts(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    wanted = {w.value[0] for w in claim.day_parts}
    parts = {w.value[0] for w in source.day_parts}
    where = tuple(w.chunk for w in source.day_parts)
    if parts:
        if wanted == parts and source.slots and {v for v in source.slots[0].value[0] if v} != {Fraction(1)}:
            values = source.slots[0].value[0]
            return [Judgement(FAIL, "timing.slots_dropped", f"source says {_slot_text(values)}", (source.slots[0].chunk,))]
        if wanted == parts:
            return [Judgement(PASS, "timing.equal", "source says " + ", ".join(sorted(parts)), where)]
        if {("NIGHT" if p == "HS" else p) for p in parts} == {("NIGHT" if p == "HS" else p) for p in wanted}:
            return [
                Judgement(ABSTAIN, "timing.night_or_bedtime", "night and bedtime are not the same time", where, severity=Severity.MAJOR)
            ]
        return [Judgement(FAIL, "timing.different", "source says " + ", ".join(sorted(parts)), where)]
    if source.slots:
        values = source.slots[0].value[0]
        where = (source.slots[0].chunk,)
        said = f"source says {_slot_text(values)}"
        if slot_parts(values) == wanted:
            given = {v for v in values if v}
            if len(given) == 1 and ("dose" in setting.carried["fields"]):
                return [Judgement(PASS, "timing.equal", said, where)]
            if len(given) > 1:
                return [Judgement(FAIL, "timing.slots_dropped", f"{said}: unequal doses", where)]
            return [
                Judgement(
                    ABSTAIN, "timing.slots_dropped", f"{said}; the claim keeps the times, not the amounts", where, severity=Severity.MAJOR
                )
            ]
        if slot_parts(values) == {("NIGHT" if p == "HS" else p) for p in wanted}:
            return [Judgement(ABSTAIN, "timing.night_or_bedtime", said, where, severity=Severity.MAJOR)]
        return [Judgement(FAIL, "timing.different", said, where)]
    plain = [r for r in source.rates if "weekly" not in r.chunk.notes]
    if plain:
        said = f"source says {rate_text(plain[0].value)}"
        if _per_day(plain[0].value) == len(wanted):
            return [
                Judgement(
                    ABSTAIN,
                    "timing.slots_inferred",
                    f"{said}; the times of day are a convention",
                    (plain[0].chunk,),
                    severity=Severity.MAJOR,
                )
            ]
        return [Judgement(FAIL, "timing.different", said, (plain[0].chunk,))]
    return [_no_timing(setting)]


def _compare_prn(setting: Setting, source: Roles, claimed: bool) -> list[Judgement]:
    where = tuple(r.chunk for r in source.prn)
    if source.prn and not claimed and "prn" not in setting.carried["fields"]:
        return [Judgement(FAIL, "timing.prn_dropped", "source says as needed; the claim makes it regular", where)]
    if claimed and not source.prn:
        return [added(setting, "timing.prn_invented", "the statement does not say as needed")]
    return [Judgement(PASS, "timing.prn", "source says as needed", where)] if claimed else []


def compare_prn_flag(setting: Setting, claimed: bool) -> list[Judgement]:
    """`as_needed`: true needs a PRN word; false needs a statement read to its end without one (P20)."""
    source = setting.statement.roles
    where = tuple(r.chunk for r in source.prn)
    if claimed:
        return (
            [Judgement(PASS, "timing.prn", "source says as needed", where)]
            if source.prn
            else [added(setting, "timing.prn_invented", "the statement does not say as needed")]
        )
    if source.prn:
        return [Judgement(FAIL, "timing.prn_dropped", "source says as needed", where)]
    return absent(setting, "as needed")


def absent(setting: Setting, what: str) -> list[Judgement]:
    """A claim that something is not so is entailed only by a statement read to its end (P20)."""
    if setting.statement.readable:
        return [
            Judgement(
                PASS, "absence.read_to_the_end", f"the statement was read to its end and does not say {what}", setting.statement.chunks[-1:]
            )
        ]
    return [
        Judgement(
            ABSTAIN,
            "absence.not_proven",
            f"part of the statement could not be read, so it may say {what}",
            setting.statement.chunks[-1:],
            severity=Severity.MAJOR,
        )
    ]


def _compare_weekdays(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    stated = frozenset().union(*(r.value for r in source.weekdays)) if source.weekdays else frozenset()
    claimed = frozenset().union(*(r.value for r in claim.weekdays)) if claim.weekdays else frozenset()
    where = tuple(r.chunk for r in source.weekdays)
    if claimed:
        if claimed == stated:
            return [Judgement(PASS, "timing.equal", "source names the same days", where)]
        if not stated:
            return [added(setting, "timing.day_invented", "the statement names no such day")]
        return [Judgement(FAIL, "timing.day_different", "source names other days", where)]
    if stated and not stated <= setting.carried["weekdays"]:
        return [Judgement(FAIL, "timing.day_dropped", "source names days of the week", where)]
    return []


# More specific code -> the general code it entails.
_GENERAL = {"ACM": "AC", "ACD": "AC", "ACV": "AC", "PCM": "PC", "PCD": "PC", "PCV": "PC", "CM": "C", "CD": "C", "CV": "C"}


# A time of day in words -> the slot it is.
_PARTS_OF_SLOTS = {"MORN": "MORN", "NOON": "NOON", "AFT": "NOON", "EVE": "EVE", "NIGHT": "NIGHT"}


def compare_whens(setting: Setting, claim: Roles) -> list[Judgement]:
    """Meals and times of day: each claimed one must be written."""
    source = setting.statement.roles
    stated = {w.value[0]: w for w in source.whens}
    out: list[Judgement] = []
    named = {w.value[0] for w in claim.whens} & set(_PARTS_OF_SLOTS)
    times = set(stated) & set(_PARTS_OF_SLOTS)
    if named and named < times:
        out.append(
            Judgement(
                ABSTAIN,
                "timing.one_of_several",
                "source names another time of day as well",
                tuple(stated[code].chunk for code in sorted(times)),
                severity=Severity.MAJOR,
            )
        )
    if named and source.slots and not named & set(stated):
        given = slot_parts(source.slots[0].value[0])
        if len(given - {_PARTS_OF_SLOTS[n] for n in named}) and {_PARTS_OF_SLOTS[n] for n in named} <= given:
            out.append(
                Judgement(
                    ABSTAIN,
                    "timing.some_of_the_slots",
                    f"source says {_slot_text(source.slots[0].value[0])}: other times as well",
                    (source.slots[0].chunk,),
                    severity=Severity.MAJOR,
                )
            )
    for wanted in claim.whens:
        code, offset = wanted.value
        if code in stated:
            written = stated[code].value[1]
            if offset == written:
                out.append(Judgement(PASS, "timing.equal", "source says the same time", (stated[code].chunk,)))
            elif offset is None:
                out.append(
                    Judgement(
                        ABSTAIN,
                        "timing.offset_dropped",
                        "source also says how long before or after",
                        (stated[code].chunk,),
                        severity=Severity.MAJOR,
                    )
                )
            else:
                out.append(Judgement(FAIL, "timing.different", "source says another interval", (stated[code].chunk,)))
            continue
        specific = [w for c, w in stated.items() if _GENERAL.get(c) == code]
        if specific:
            out.append(
                Judgement(
                    ABSTAIN, "timing.meal_dropped", "source names the meal", tuple(w.chunk for w in specific), severity=Severity.MAJOR
                )
            )
            continue
        if code in ("MORN", "NOON", "EVE", "NIGHT", "AFT") and source.slots:
            given = slot_parts(source.slots[0].value[0])
            if code in given or (code == "AFT" and "NOON" in given):
                out.append(
                    Judgement(PASS, "timing.from_slots", f"source says {_slot_text(source.slots[0].value[0])}", (source.slots[0].chunk,))
                )
                continue
        if code == "HS" and ("NIGHT" in stated or (source.slots and "NIGHT" in slot_parts(source.slots[0].value[0]))):
            out.append(
                Judgement(
                    ABSTAIN,
                    "timing.night_or_bedtime",
                    "night and bedtime are not the same time",
                    tuple(r.chunk for r in source.slots),
                    severity=Severity.MAJOR,
                )
            )
            continue
        meal_of = {"MORN": ("ACM", "PCM", "CM"), "NOON": ("ACD", "PCD", "CD"), "EVE": ("ACV", "PCV", "CV"), "NIGHT": ("ACV", "PCV", "CV")}
        near = [stated[c] for c in meal_of.get(code, ()) if c in stated]
        if near:
            out.append(
                Judgement(
                    ABSTAIN,
                    "timing.meal_as_day_part",
                    "source names the meal, not the time of day",
                    tuple(w.chunk for w in near),
                    severity=Severity.MAJOR,
                )
            )
            continue
        if code == "NIGHT" and "HS" in stated:
            out.append(
                Judgement(
                    ABSTAIN,
                    "timing.night_or_bedtime",
                    "night and bedtime are not the same time",
                    (stated["HS"].chunk,),
                    severity=Severity.MAJOR,
                )
            )
            continue
        if stated:
            out.append(
                Judgement(
                    FAIL,
                    "timing.meal_different" if setting.statement.readable else "timing.component_invented",
                    "source says another time or meal",
                    tuple(w.chunk for w in stated.values()),
                )
            )
            continue
        out.append(added(setting, "timing.component_invented", "the statement states no such time or meal"))
    return out


# -- duration ----------------------------------------------------------------------------------------------------------

_EXACT_DAYS = {"d": Fraction(1), "wk": Fraction(7)}
_EXACT_MONTHS = {"mo": Fraction(1), "a": Fraction(12)}
Period = tuple[Fraction, Fraction | None, str]


def compare_duration(setting: Setting, claim: Roles) -> list[Judgement]:
    """`5/7` = 5 days; weeks and days convert exactly; months and days never do."""
    source = setting.statement.roles
    if claim.open_durations and claim.durations and not source.open_durations:
        return [
            added(setting, "duration.not_in_source", "the statement does not say to continue", tuple(r.chunk for r in source.durations))
        ]
    if claim.open_durations and source.open_durations:
        mine, theirs = ({str(r.value) for r in side.open_durations} for side in (claim, source))
        if not mine <= theirs:
            firm = {"lifelong", "review"} <= (mine | theirs)
            return [
                Judgement(
                    FAIL if firm else ABSTAIN,
                    "duration.other_end",
                    "source names another end",
                    tuple(r.chunk for r in source.open_durations),
                    severity=Severity.CRITICAL if firm else Severity.MAJOR,
                )
            ]
    if claim.open_durations and not claim.durations:
        if source.open_durations:
            return [Judgement(PASS, "duration.equal", "source says the same", tuple(r.chunk for r in source.open_durations))]
        return [added(setting, "duration.not_in_source", "the statement does not say so", tuple(r.chunk for r in source.durations))]
    if not claim.durations:
        numbers = [r.value.parts[0] for r in claim.numbers if isinstance(r.value, Quantity)]
        if numbers and any(d.value[0] == numbers[0] for d in source.durations):
            return [
                Judgement(
                    ABSTAIN,
                    "duration.unit_not_claimed",
                    "the claim has no unit of time",
                    tuple(d.chunk for d in source.durations),
                    severity=Severity.MAJOR,
                )
            ]
        if numbers and source.durations:
            return [Judgement(FAIL, "quantity.different", "source says another duration", tuple(d.chunk for d in source.durations))]
        return [
            Judgement(
                ABSTAIN,
                "duration.unreadable_claim",
                "the claim is no duration that can be read",
                tuple(d.chunk for d in source.durations),
                severity=Severity.MAJOR,
            )
        ]
    wanted: Period = claim.durations[0].value
    if source.open_durations and source.durations and "open_duration" not in setting.carried["fields"]:
        where = tuple(r.chunk for r in source.open_durations)
        return [Judgement(ABSTAIN, "duration.end_added", "source says to go on after that", where, severity=Severity.MAJOR)]
    if len({r.value for r in claim.durations}) > 1:
        return [Judgement(ABSTAIN, "duration.several", "the claim states more than one duration", severity=Severity.MAJOR)]
    stated = {r.value: r for r in source.durations}
    if not stated:
        if source.open_durations:
            return [
                Judgement(
                    FAIL,
                    "duration.not_in_source",
                    "source says to continue, without a number",
                    tuple(r.chunk for r in source.open_durations),
                )
            ]
        if setting.statement.shared_tail:
            return [
                Judgement(ABSTAIN, "timing.shared", "what stands behind several names may belong to any of them", severity=Severity.MAJOR)
            ]
        return [added(setting, "duration.not_in_source", "the statement states no duration")]
    if len(stated) > 1:
        if wanted in stated or any(_compare_period(setting, p, wanted, r.chunk).verdict is PASS for p, r in stated.items()):
            return [
                Judgement(
                    ABSTAIN,
                    "duration.several",
                    "the statement states more than one duration",
                    tuple(r.chunk for r in stated.values()),
                    severity=Severity.MAJOR,
                )
            ]
        return [Judgement(FAIL, "quantity.different", "source says other durations", tuple(r.chunk for r in stated.values()))]
    period, role = next(iter(stated.items()))
    return [_compare_period(setting, period, wanted, role.chunk)]


_TIME_TEXT = {"d": "days", "wk": "weeks", "mo": "months", "a": "years", "h": "hours"}


def period_text(period: Period) -> str:
    low, high, unit = period
    return f"{number_text(low)}{'-' + number_text(high) if high is not None else ''} {_TIME_TEXT.get(unit, unit)}"


def _compare_period(setting: Setting, source: Period, claim: Period, chunk: Chunk) -> Judgement:
    said = f"source says {period_text(source)}"
    where = (chunk,)
    if source == claim:
        return Judgement(PASS, "duration.equal", said, where)
    if (source[1] is None) != (claim[1] is None):
        return Judgement(FAIL, "quantity.range_end_lost", said, where)
    for exact in (_EXACT_DAYS, _EXACT_MONTHS):
        if source[2] in exact and claim[2] in exact:
            one = source[0] * exact[source[2]], (source[1] or 0) * exact[source[2]]
            other = claim[0] * exact[claim[2]], (claim[1] or 0) * exact[claim[2]]
            if one == other:
                if setting.misreadable:
                    return Judgement(
                        ABSTAIN,
                        "quantity.exact_conversion",
                        f"{said}; equal after exact conversion, which is not relied on in {setting.modality}",
                        where,
                        severity=Severity.MAJOR,
                    )
                return Judgement(PASS, "quantity.exact_conversion", f"{said}; exactly equal after conversion", where, note=True)
            return Judgement(FAIL, "quantity.different", said, where)
    in_days = {
        "d": (Fraction(1), Fraction(1)),
        "wk": (Fraction(7), Fraction(7)),
        "mo": (Fraction(28), Fraction(31)),
        "a": (Fraction(365), Fraction(366)),
    }
    if source[2] in in_days and claim[2] in in_days:
        low, high = source[0] * in_days[source[2]][0], source[0] * in_days[source[2]][1]
        other_low, other_high = claim[0] * in_days[claim[2]][0], claim[0] * in_days[claim[2]][1]
        if low <= other_high and other_low <= high:
            return Judgement(
                ABSTAIN,
                "duration.month_is_no_number_of_days",
                f"{said}; a month is no fixed number of days",
                where,
                severity=Severity.MAJOR,
            )
    return Judgement(FAIL, "quantity.different", said, where)
