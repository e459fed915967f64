"""Meals and times of day."""

from __future__ import annotations

from fractions import Fraction

from medfence_guard.compare.judgement import ABSTAIN, FAIL, PASS, Judgement, Setting, added
from medfence_guard.compare.rates import rate_per_day
from medfence_guard.compare.slots import slot_parts
from medfence_guard.compare.wording import slots_text
from medfence_guard.contract import Severity
from medfence_guard.reader.roles.record import Roles

# More specific code -> the general code it entails.
_GENERAL = {"ACM": "AC", "ACD": "AC", "ACV": "AC", "PCM": "PC", "PCD": "PC", "PCV": "PC", "CM": "C", "CD": "C", "CV": "C"}

# A time of day in words -> the slot it is.
_PARTS_OF_SLOTS = {"MORN": "MORN", "NOON": "NOON", "AFT": "NOON", "EVE": "EVE", "NIGHT": "NIGHT"}


# The times of day that a count commonly means.
_CONVENTIONS = frozenset(
    map(
        frozenset,
        (
            ("MORN", "NIGHT"),
            ("MORN", "EVE"),
            ("MORN", "NOON", "NIGHT"),
            ("MORN", "NOON", "EVE"),
            ("MORN", "AFT", "NIGHT"),
            ("MORN", "AFT", "EVE"),
            ("MORN", "NOON", "EVE", "NIGHT"),
            ("MORN", "AFT", "EVE", "NIGHT"),
        ),
    )
)


Offset = tuple[Fraction, str] | tuple[Fraction, str, Fraction]


def _overlap(one: Offset, other: Offset) -> bool:
    """Whether two lengths before or after a meal, `(low, unit)` or `(low, unit, high)`, have one in common."""
    (low, unit, *tops), (from_low, in_unit, *to_tops) = one, other
    high, to_high = max([low, *tops]), max([from_low, *to_tops])
    return unit == in_unit and low <= to_high and from_low <= high


def _is_convention(source: Roles, named: set[str]) -> bool:
    """`BD`, claimed as morning and night beside its count: the convention of `1-0-1`, and no contradiction."""
    counts = {rate_per_day(r.value) for r in source.rates}
    return named in _CONVENTIONS and counts == {Fraction(len(named))} and not source.slots and not source.day_parts


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
                    f"source says {slots_text(source.slots[0].value[0])}: other times as well",
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
                # One end of `30-45 min before food` may be what was meant, or what was left of it.
                verdict = ABSTAIN if written is not None and _overlap(offset, written) else FAIL
                out.append(Judgement(verdict, "timing.different", "source says another interval", (stated[code].chunk,)))
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
                    Judgement(PASS, "timing.from_slots", f"source says {slots_text(source.slots[0].value[0])}", (source.slots[0].chunk,))
                )
                continue
        as_slots = {"NIGHT" if n == "EVE" else _PARTS_OF_SLOTS[n] for n in named}
        if code == "EVE" and source.slots and len(source.slots[0].value[0]) == 3 and slot_parts(source.slots[0].value[0]) == as_slots:
            # `morning and evening` for `1-0-1`: the last of three slots is the evening's or the night's.
            night = (source.slots[0].chunk,)
            out.append(
                Judgement(
                    ABSTAIN,
                    "timing.evening_or_night",
                    f"source says {slots_text(source.slots[0].value[0])}",
                    night,
                    severity=Severity.MAJOR,
                )
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
        if code in ("NOON", "AFT") and {"NOON", "AFT"} & set(stated):
            where = tuple(stated[c].chunk for c in ("NOON", "AFT") if c in stated)
            out.append(
                Judgement(ABSTAIN, "timing.noon_or_afternoon", "noon and afternoon are not the same time", where, severity=Severity.MAJOR)
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
        if _is_convention(source, named):
            says = "source says only how often; the times of day are a convention"
            where = tuple(r.chunk for r in source.rates)
            out.append(Judgement(ABSTAIN, "timing.slots_inferred", says, where, severity=Severity.MAJOR))
            continue
        if stated and setting.statement.shared_tail:
            out.append(added(setting, "timing.component_invented", "source says another time or meal"))
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
