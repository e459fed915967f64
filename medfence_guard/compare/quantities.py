"""Two amounts with units: value, unit, denominator, order and range."""

from __future__ import annotations

from fractions import Fraction

from medfence_guard.compare.judgement import FAIL, PASS, Judgement, Setting, held
from medfence_guard.compare.wording import quantity_text
from medfence_guard.reader.chunks import Chunk, Quantity
from medfence_guard.reader.lexicon import Lexicon


def dimension_of(lexicon: Lexicon, unit: str) -> str:
    """What a unit measures; only amounts of one dimension are converted."""
    return lexicon.unit_by_ucum[unit].dimension


def in_base_unit(lexicon: Lexicon, value: Fraction, unit: str) -> Fraction:
    """An amount in the base unit of its dimension, exactly."""
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
            return [held("strength.sum_of_parts", f"{said}; the claim is their sum, which is not converted", where)]
        if len(source.parts) == 1 and sum(claim.parts, Fraction(0)) == source.parts[0]:
            return [held("strength.sum_of_parts", f"{said}; the claim splits it into parts", where)]
        return [Judgement(FAIL, "strength.component_lost", f"{said}", where)]
    if _same_ratio(lexicon, source, claim):
        says = f"{said}; the ratio is the same, the label is not"
        return [held("unit.other_denominator", says, where)]
    if source.high != claim.high:
        same_low = source.parts == claim.parts
        return [Judgement(FAIL, "quantity.range_end_lost" if same_low else "quantity.different", said, where)]
    converted = False
    for value, unit, wanted, wanted_unit in zip(source.parts, source.units, claim.parts, claim.units, strict=True):
        assert unit is not None
        assert wanted_unit is not None
        one, other = dimension_of(lexicon, unit), dimension_of(lexicon, wanted_unit)
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
                    return [held("unit.unit_or_iu", f"{said}; a unit is an IU only where the bundle says so", where)]
            return [Judgement(FAIL, "unit.other_dimension", said, where)]
        if value == wanted and unit == wanted_unit:
            continue
        if in_base_unit(lexicon, value, unit) != in_base_unit(lexicon, wanted, wanted_unit):
            if source.parts != claim.parts and sorted(source.parts) == sorted(claim.parts) and len(set(source.units)) == 1:
                return [held("strength.order_of_parts", f"{said}; the parts stand in another order", where)]
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
                held(
                    "quantity.exact_conversion",
                    f"{said}; equal after exact conversion, which is not relied on in {setting.modality}",
                    where,
                ),
            ]
        out.append(Judgement(PASS, "quantity.exact_conversion", f"{said}; exactly equal after conversion", where, note=True))
    for note, rule in _SURFACE_NOTES.items():
        if note in chunk.notes:
            if note in ("naked_decimal", "ocr_ambiguous_unit") and setting.misreadable:
                out.append(held(rule, f"{said}, written in a form that OCR reads wrongly too easily", where))
            elif note != "ocr_ambiguous_unit":
                out.append(Judgement(PASS, rule, f"{said}, written in an error-prone way", where, note=True))
    return out or [Judgement(PASS, "quantity.equal", said, where)]


def _same_ratio(lexicon: Lexicon, source: Quantity, claim: Quantity) -> bool:
    """`25 mg/ml` for `125 mg/5 ml`."""
    if len(source.per) != 1 or len(claim.per) != 1 or source.per == claim.per or source.per[0][1] != claim.per[0][1]:
        return False
    if source.high is not None or claim.high is not None:
        return False
    mine, theirs = claim.per[0][0], source.per[0][0]
    return all(
        one is not None
        and other is not None
        and dimension_of(lexicon, one) == dimension_of(lexicon, other)
        and in_base_unit(lexicon, value, one) / theirs == in_base_unit(lexicon, wanted, other) / mine
        for value, one, wanted, other in zip(source.parts, source.units, claim.parts, claim.units, strict=True)
    )


_SURFACE_NOTES = {
    "trailing_zero": "number.trailing_zero",
    "naked_decimal": "number.naked_decimal",
    "error_prone_unit": "unit.error_prone",
    "ocr_ambiguous_unit": "unit.ocr_ambiguous",
    "scale_word": "number.scale_word",
}


# Denominators that a source may leave out where its form is not written.
_MAY_BE_MEANT = ("mL", "{puff}", "{spray}", "{dose}")


def _compare_denominators(source: Quantity, claim: Quantity, said: str, where: tuple[Chunk, ...]) -> list[Judgement]:
    if source.per == claim.per:
        return []
    if not claim.per:
        return [Judgement(FAIL, "unit.denominator_dropped", said, where)]
    if not source.per:
        if source.units[0] == "%" or (len(claim.per) == 1 and claim.per[0][1] in _MAY_BE_MEANT):
            return [held("unit.denominator_added", f"{said}; the claim adds a denominator the source does not write", where)]
        return [Judgement(FAIL, "unit.denominator_added", said, where)]
    return [Judgement(FAIL, "unit.other_denominator", said, where)]
