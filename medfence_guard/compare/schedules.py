"""A claimed count, slot pattern or set of times of day, against whatever the statement says of when (P15)."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from fractions import Fraction

from medfence_guard.compare.doses import PIECES, distinct_doses, form_units
from medfence_guard.compare.judgement import ABSTAIN, FAIL, PASS, Judgement, Setting, added, held
from medfence_guard.compare.rates import compare_rates, interval_per_day, rate_per_day
from medfence_guard.compare.slots import compare_spelt_out, slot_parts, spelt_out
from medfence_guard.compare.wording import rate_text, slots_text
from medfence_guard.reader.lexicon import Rate
from medfence_guard.reader.roles.record import Role, Roles

Values = tuple[Fraction, ...]
# Codes of whens that name the meal.
_MEALS = frozenset({"ACM", "ACD", "ACV", "PCM", "PCD", "PCV", "CM", "CD", "CV"})


def _distinct_parts(roles: Roles) -> AbstractSet[str]:
    """The times of day, two words for one of them (`at night`, `HS`) counted once."""
    parts = {w.value[0] for w in roles.day_parts}
    return parts - {one for one, other in (("HS", "NIGHT"), ("AFT", "NOON")) if other in parts}


def compare_rate_and_slots(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    """`BD (1-0-1)`: both parts must stand in the source, or follow from the other there."""
    plain = [r for r in source.rates if "weekly" not in r.chunk.notes] or source.rates
    slots = compare_claimed_slots(setting, source, claim)
    if plain or not source.slots:
        return [*compare_claimed_rate(setting, source, claim), *slots]
    given = sum(1 for v in source.slots[0].value[0] if v)
    if len({r.value for r in claim.rates}) == 1 and rate_per_day(claim.rates[0].value) == given:
        return slots
    return [Judgement(FAIL, "timing.different", f"source says {slots_text(source.slots[0].value[0])}", (source.slots[0].chunk,)), *slots]


def compare_claimed_rate(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    """A claimed count or interval: the stated one, or what follows from slots, times of day, meals or weekdays that are carried."""
    wanted: Rate = claim.rates[0].value
    out: list[Judgement] = []
    if len({r.value for r in claim.rates if "weekly" not in r.chunk.notes}) > 1:
        return [held("timing.multi_frequency", "the claim holds more than one frequency")]
    if claim.weekdays and any(r.value.unit != "wk" for r in claim.rates) and not any(r.value.unit != "wk" for r in source.rates):
        return [added(setting, "timing.component_invented", "the statement names days of the week, and no other frequency")]
    plain = [r for r in source.rates if "weekly" not in r.chunk.notes] or source.rates
    if plain:
        out.append(compare_rates(setting, plain[0].value, wanted, plain[0].chunk))
        if source.slots and out[-1].verdict is PASS and not claim.slots:
            values = source.slots[0].value[0]
            # The slots follow from a count only if each is one; beside a period (`1-0-1 weekly`) they are the count.
            if {v for v in values if v} != {Fraction(1)} or rate_per_day(plain[0].value) != sum(1 for v in values if v):
                out.append(Judgement(FAIL, "timing.slots_dropped", f"source says {slots_text(values)}", (source.slots[0].chunk,)))
        return out
    if source.slots:
        return [_count_of_slots(setting, source, wanted)]
    if source.day_parts:
        return [_count_of_day_parts(setting, source, wanted)]
    meals = {w.value[0] for w in source.whens if w.value[0] in _MEALS}
    if meals:
        return [_count_of_meals(setting, source, wanted, meals)]
    hours = {w.value[0] for w in source.whens if ":" in str(w.value[0])}
    if hours and hours <= {w.value[0] for w in claim.whens} and rate_per_day(wanted) == len(hours):
        # `at 8 am`, claimed as `daily at 8 am`
        return [held("timing.count_of_hours", "source says only at what hour", tuple(w.chunk for w in source.whens))]
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


def _count_of_slots(setting: Setting, source: Roles, wanted: Rate) -> Judgement:
    """`1-0-1`, claimed as twice a day."""
    values = source.slots[0].value[0]
    where = (source.slots[0].chunk,)
    said = f"source says {slots_text(values)}"
    given = [v for v in values if v]
    if rate_per_day(wanted) != len(given):
        if interval_per_day(wanted) == len(given):
            return held("timing.interval_vs_count", f"{said}; slots and an interval are not the same order", where)
        return Judgement(FAIL, "timing.different", said, where)
    if len(set(given)) > 1:
        return Judgement(FAIL, "timing.slots_dropped", f"{said}: unequal doses", where)
    if "dose" in setting.carried["fields"] and (set(given) == {Fraction(1)} or not source.doses):
        return Judgement(PASS, "timing.slots_dropped", f"{said}; the claim keeps the count and carries the dose", where, note=True)
    return held("timing.slots_dropped", f"{said}; the claim keeps only the count", where)


def _count_of_day_parts(setting: Setting, source: Roles, wanted: Rate) -> Judgement:
    """`Morning and night`, claimed as twice a day."""
    parts = _distinct_parts(source)
    where = tuple(w.chunk for w in source.day_parts)
    said = "source says " + ", ".join(sorted(parts))
    if rate_per_day(wanted) != len(parts):
        return Judgement(FAIL, "timing.different", said, where)
    carried = setting.carried["whens"]
    if len(source.doses) > 1 and not parts <= carried:
        return held("timing.slots_dropped", f"{said}, with unequal doses; the claim keeps only the count", where)
    if len(parts) > 1 or parts <= carried:
        return Judgement(PASS, "timing.count_of_day_parts", f"{said}; the claim keeps the count", where, note=True)
    return held("timing.day_part_dropped", f"{said}; the claim keeps only once a day", where)


def _count_of_meals(setting: Setting, source: Roles, wanted: Rate, meals: set[str]) -> Judgement:
    """`After breakfast and dinner`, claimed as twice a day."""
    where = tuple(w.chunk for w in source.whens)
    if rate_per_day(wanted) != len(meals):
        return Judgement(FAIL, "timing.different", "source names other meals", where)
    if meals <= setting.carried["whens"]:
        return Judgement(PASS, "timing.count_of_meals", "source names the meals, the claim also their count", where, note=True)
    return held("timing.meals_dropped", "source names the meals; the claim keeps only their count", where)


def _no_timing(setting: Setting) -> Judgement:
    statement = setting.statement
    if statement.shared_tail:
        return held("timing.shared", "the frequency stands behind several names; whose it is is not certain")
    if len(distinct_doses(statement.roles.doses)) > 1:
        where = tuple(d.chunk for d in statement.roles.doses)
        return held("timing.unparsed", "several doses stand there without their times", where)
    return added(setting, "timing.component_invented", "the statement states no such timing")


def compare_claimed_slots(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    """A claimed slot pattern: the stated one, or what the stated counts and times of day leave no choice about."""
    wanted, wanted_unit = claim.slots[0].value
    if len({r.value[0] for r in claim.slots}) > 1:
        return [held("timing.multi_frequency", "the claim holds more than one pattern")]
    if source.slots:
        return [_slots_of_slots(setting, source, wanted, wanted_unit)]
    plain = [r for r in source.rates if "weekly" not in r.chunk.notes]
    if plain:
        return [_slots_of_a_count(source, plain[0], wanted)]
    spelt = spelt_out(source)
    if spelt is not None and not source.prn:
        if wanted_unit is None and any(u not in PIECES for _, u in spelt.values()):
            where = tuple(d.chunk for d in source.doses)
            return [held("unit.not_claimed", "the slots of the claim have no unit", where)]
        judged = compare_spelt_out(setting, claim.slots[0], spelt, frozenset(u for _, u in spelt.values() if u))
        return [j._replace(chunks=tuple(w.chunk for w in (*source.doses, *source.day_parts))) for j in judged]
    if source.day_parts:
        return [_slots_of_day_parts(source, wanted)]
    if source.prn:
        return [Judgement(FAIL, "timing.component_invented", "source says only as needed", tuple(r.chunk for r in source.prn))]
    return [_no_timing(setting)]


def _slots_of_slots(setting: Setting, source: Roles, wanted: Values, wanted_unit: str | None) -> Judgement:
    """Pattern against pattern, and the unit that stands with each."""
    values, unit = source.slots[0].value
    where = (source.slots[0].chunk,)
    said = f"source says {slots_text(values)}"
    if values == wanted:
        if {wanted_unit, unit} == {"{unit}", "[iU]"}:
            if setting.insulin:
                says = f"{said}; for an insulin of the bundle a unit is an IU"
                return Judgement(PASS, "unit.insulin_unit_is_iu", says, where, note=True)
            says = f"{said}; a unit is an IU only where the bundle says so"
            return held("unit.unit_or_iu", says, where)
        if wanted_unit is not None and unit is not None and wanted_unit != unit:
            return Judgement(FAIL, "unit.swapped", said, where)
        if wanted_unit is not None and unit is None and wanted_unit not in form_units(setting):
            return added(setting, "dose.unit_added", said, where)
        return Judgement(PASS, "timing.equal", said, where)
    if (
        len(values) != len(wanted)
        and sorted(v for v in values if v) == sorted(v for v in wanted if v)
        and slot_parts(values) == slot_parts(wanted)
    ):
        return held("timing.slots_shape", f"{said}; three slots and four are not the same pattern", where)
    return Judgement(FAIL, "timing.different", said, where)


def _slots_of_a_count(source: Roles, rate: Role, wanted: Values) -> Judgement:
    """`BD`, claimed as `1-0-1`: a convention, unless the times of day and the dose are written."""
    given = [v for v in wanted if v]
    equal = len(set(given)) == 1
    daily = rate_per_day(rate.value)
    where = (rate.chunk,)
    said = f"source says {rate_text(rate.value)}"
    if daily == len(given) and equal:
        parts = {w.value[0] for w in source.day_parts}
        if (
            parts
            and slot_parts(wanted) == {("NIGHT" if p == "HS" else p) for p in parts}
            and "HS" not in parts
            and _dose_is(source, given[0])
        ):
            return Judgement(PASS, "timing.slots_from_day_parts", said, where, note=True)
        return held("timing.slots_inferred", f"{said}; the slots are a convention, not what is written", where)
    return Judgement(FAIL, "timing.different", said, where)


def _slots_of_day_parts(source: Roles, wanted: Values) -> Judgement:
    """`Morning and night`, claimed as `1-0-1`."""
    given = [v for v in wanted if v]
    equal = len(set(given)) == 1
    parts = _middays_as_one(_distinct_parts(source))
    where = tuple(w.chunk for w in source.day_parts)
    said = "source says " + ", ".join(sorted(parts))
    if slot_parts(wanted) == parts:
        if equal and _dose_is(source, given[0]):
            return Judgement(PASS, "timing.equal", said, where)
        if len(source.doses) > 1:
            verdict = FAIL if len(given) != len(source.doses) or equal else ABSTAIN
            return Judgement(verdict, "dose.one_of_several", f"{said} with unequal doses", where)
        return held("timing.slots_inferred", f"{said}; the amount in each slot is not written", where)
    if len(parts) == len(given):
        loose = ("HS", "EVE") if len(wanted) == 3 else ("HS",)
        verdict = ABSTAIN if {("NIGHT" if p in loose else p) for p in parts} == slot_parts(wanted) else FAIL
        return Judgement(verdict, "timing.slots_inferred", said, where)
    return Judgement(FAIL, "timing.different", said, where)


def _dose_is(source: Roles, value: Fraction) -> bool:
    return len({d.value for d in source.doses}) == 1 and source.doses[0].value.parts == (value,) and source.doses[0].value.high is None


def _middays_as_one(parts: AbstractSet[str]) -> set[str]:
    """Noon for afternoon, unless both are told."""
    return set(parts) if {"NOON", "AFT"} <= parts else {("NOON" if p == "AFT" else p) for p in parts}


def compare_claimed_day_parts(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    """Claimed times of day without a count: the stated ones, or the slots that give something then."""
    wanted = {w.value[0] for w in claim.day_parts}
    parts = {w.value[0] for w in source.day_parts}
    where = tuple(w.chunk for w in source.day_parts)
    if parts:
        if wanted == parts and source.slots and {v for v in source.slots[0].value[0] if v} != {Fraction(1)}:
            values = source.slots[0].value[0]
            return [Judgement(FAIL, "timing.slots_dropped", f"source says {slots_text(values)}", (source.slots[0].chunk,))]
        if wanted == parts:
            return [Judgement(PASS, "timing.equal", "source says " + ", ".join(sorted(parts)), where)]
        if _middays_as_one(parts) == _middays_as_one(wanted):
            says = "noon and afternoon are not the same time"
            return [held("timing.noon_or_afternoon", says, where)]
        if wanted == {"HS"} and parts == {"HS", "NIGHT"} and len(where) == 2 and where[1].start - where[0].end == 1:
            # `raat ko sone se pehle`: one time, told more and more exactly
            return [Judgement(PASS, "timing.equal", "source says at night, at bedtime", where)]
        if {("NIGHT" if p == "HS" else p) for p in parts} == {("NIGHT" if p == "HS" else p) for p in wanted}:
            return [held("timing.night_or_bedtime", "night and bedtime are not the same time", where)]
        return [Judgement(FAIL, "timing.different", "source says " + ", ".join(sorted(parts)), where)]
    if source.slots:
        values = source.slots[0].value[0]
        where = (source.slots[0].chunk,)
        said = f"source says {slots_text(values)}"
        # `0-1-0`: what is between morning and night is called noon or afternoon.
        wanted = _middays_as_one(wanted)
        if slot_parts(values) == wanted:
            given = {v for v in values if v}
            if len(given) == 1 and ("dose" in setting.carried["fields"]):
                return [Judgement(PASS, "timing.equal", said, where)]
            if len(given) > 1:
                return [Judgement(FAIL, "timing.slots_dropped", f"{said}: unequal doses", where)]
            return [held("timing.slots_dropped", f"{said}; the claim keeps the times, not the amounts", where)]
        if len(values) == 3 and slot_parts(values) == {("NIGHT" if p == "EVE" else p) for p in wanted}:
            # The last of three slots is the evening's or the night's.
            return [held("timing.evening_or_night", said, where)]
        if slot_parts(values) == {("NIGHT" if p == "HS" else p) for p in wanted}:
            return [held("timing.night_or_bedtime", said, where)]
        return [Judgement(FAIL, "timing.different", said, where)]
    plain = [r for r in source.rates if "weekly" not in r.chunk.notes]
    if plain:
        said = f"source says {rate_text(plain[0].value)}"
        if rate_per_day(plain[0].value) == len(wanted):
            return [held("timing.slots_inferred", f"{said}; the times of day are a convention", (plain[0].chunk,))]
        return [Judgement(FAIL, "timing.different", said, (plain[0].chunk,))]
    return [_no_timing(setting)]
