"""A claimed count, slot pattern or set of times of day, against whatever the statement says of when (P15)."""

from __future__ import annotations

from fractions import Fraction

from medfence_guard.compare.doses import PIECES, distinct_doses, form_units
from medfence_guard.compare.judgement import ABSTAIN, FAIL, PASS, Judgement, Setting, added
from medfence_guard.compare.rates import compare_rates, interval_per_day, rate_per_day
from medfence_guard.compare.slots import compare_spelt_out, slot_parts, spelt_out
from medfence_guard.compare.wording import rate_text, slots_text
from medfence_guard.contract import Severity
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.lexicon import Rate
from medfence_guard.reader.roles.record import Roles


def _distinct_parts(roles: Roles) -> set[str]:
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
        return [Judgement(ABSTAIN, "timing.multi_frequency", "the claim holds more than one frequency", severity=Severity.MAJOR)]
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
        values = source.slots[0].value[0]
        where: tuple[Chunk, ...] = (source.slots[0].chunk,)
        said = f"source says {slots_text(values)}"
        given = [v for v in values if v]
        if rate_per_day(wanted) != len(given):
            if interval_per_day(wanted) == len(given):
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
        if rate_per_day(wanted) != len(parts):
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
        if rate_per_day(wanted) != len(meals):
            return [Judgement(FAIL, "timing.different", "source names other meals", where)]
        if meals <= setting.carried["whens"]:
            return [Judgement(PASS, "timing.count_of_meals", "source names the meals, the claim also their count", where, note=True)]
        return [
            Judgement(
                ABSTAIN, "timing.meals_dropped", "source names the meals; the claim keeps only their count", where, severity=Severity.MAJOR
            )
        ]
    hours = {w.value[0] for w in source.whens if ":" in str(w.value[0])}
    if hours and hours <= {w.value[0] for w in claim.whens} and rate_per_day(wanted) == len(hours):
        # `at 8 am`, claimed as `daily at 8 am`
        where = tuple(w.chunk for w in source.whens)
        return [Judgement(ABSTAIN, "timing.count_of_hours", "source says only at what hour", where, severity=Severity.MAJOR)]
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
    if len(distinct_doses(statement.roles.doses)) > 1:
        where = tuple(d.chunk for d in statement.roles.doses)
        return Judgement(ABSTAIN, "timing.unparsed", "several doses stand there without their times", where, severity=Severity.MAJOR)
    return added(setting, "timing.component_invented", "the statement states no such timing")


def compare_claimed_slots(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    """A claimed slot pattern: the stated one, or what the stated counts and times of day leave no choice about."""
    wanted, wanted_unit = claim.slots[0].value
    if len({r.value[0] for r in claim.slots}) > 1:
        return [Judgement(ABSTAIN, "timing.multi_frequency", "the claim holds more than one pattern", severity=Severity.MAJOR)]
    if source.slots:
        values, unit = source.slots[0].value
        where: tuple[Chunk, ...] = (source.slots[0].chunk,)
        said = f"source says {slots_text(values)}"
        if values == wanted:
            if {wanted_unit, unit} == {"{unit}", "[iU]"}:
                if setting.insulin:
                    says = f"{said}; for an insulin of the bundle a unit is an IU"
                    return [Judgement(PASS, "unit.insulin_unit_is_iu", says, where, note=True)]
                says = f"{said}; a unit is an IU only where the bundle says so"
                return [Judgement(ABSTAIN, "unit.unit_or_iu", says, where, severity=Severity.MAJOR)]
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
        daily = rate_per_day(plain[0].value)
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
        if wanted_unit is None and any(u not in PIECES for _, u in spelt.values()):
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
            loose = ("HS", "EVE") if len(wanted) == 3 else ("HS",)
            return [
                Judgement(
                    ABSTAIN if {("NIGHT" if p in loose else p) for p in parts} == slot_parts(wanted) else FAIL,
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
        if wanted == {"HS"} and parts == {"HS", "NIGHT"} and len(where) == 2 and where[1].start - where[0].end == 1:
            # `raat ko sone se pehle`: one time, told more and more exactly
            return [Judgement(PASS, "timing.equal", "source says at night, at bedtime", where)]
        if {("NIGHT" if p == "HS" else p) for p in parts} == {("NIGHT" if p == "HS" else p) for p in wanted}:
            return [
                Judgement(ABSTAIN, "timing.night_or_bedtime", "night and bedtime are not the same time", where, severity=Severity.MAJOR)
            ]
        return [Judgement(FAIL, "timing.different", "source says " + ", ".join(sorted(parts)), where)]
    if source.slots:
        values = source.slots[0].value[0]
        where = (source.slots[0].chunk,)
        said = f"source says {slots_text(values)}"
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
        if len(values) == 3 and slot_parts(values) == {("NIGHT" if p == "EVE" else p) for p in wanted}:
            # The last of three slots is the evening's or the night's.
            return [Judgement(ABSTAIN, "timing.evening_or_night", said, where, severity=Severity.MAJOR)]
        if slot_parts(values) == {("NIGHT" if p == "HS" else p) for p in wanted}:
            return [Judgement(ABSTAIN, "timing.night_or_bedtime", said, where, severity=Severity.MAJOR)]
        return [Judgement(FAIL, "timing.different", said, where)]
    plain = [r for r in source.rates if "weekly" not in r.chunk.notes]
    if plain:
        said = f"source says {rate_text(plain[0].value)}"
        if rate_per_day(plain[0].value) == len(wanted):
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
