"""Meals and times of day."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from medfence_guard.compare.judgement import ABSTAIN, FAIL, PASS, Judgement, Setting, added, held
from medfence_guard.compare.rates import rate_per_day
from medfence_guard.compare.slots import slot_parts
from medfence_guard.compare.wording import slots_text
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.roles.record import Role, Roles

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


_MINUTES = {"min": 1, "h": 60}


def _minutes(offset: Offset) -> tuple[Fraction, ...] | None:
    """A length before or after a meal in minutes, to compare `1/2 hr` with `30 min`; None for another unit."""
    low, unit, *tops = offset
    return tuple(value * _MINUTES[unit] for value in (low, *tops)) if unit in _MINUTES else None


def _overlap(one: Offset, other: Offset) -> bool:
    """Whether two lengths before or after a meal, `(low, unit)` or `(low, unit, high)`, have one in common."""
    (low, unit, *tops), (from_low, in_unit, *to_tops) = one, other
    high, to_high = max([low, *tops]), max([from_low, *to_tops])
    return unit == in_unit and low <= to_high and from_low <= high


def _is_convention(source: Roles, named: set[str]) -> bool:
    """`BD`, claimed as morning and night beside its count: the convention of `1-0-1`, and no contradiction."""
    counts = {rate_per_day(r.value) for r in source.rates}
    return named in _CONVENTIONS and counts == {Fraction(len(named))} and not source.slots and not source.day_parts


class _Times(NamedTuple):
    """What the statement says of meals and times of day: `stated`, by code, and `given`, by its slots. `named`: the parts of the day that
    are claimed."""

    setting: Setting
    source: Roles
    stated: dict[str, Role]
    given: frozenset[str]
    named: set[str]

    def chunks(self, *codes: str) -> tuple[Chunk, ...]:
        return tuple(self.stated[code].chunk for code in codes if code in self.stated)


def _one_of_several(times: _Times) -> Judgement | None:
    """`Morning and night`, claimed as the morning."""
    written = set(times.stated) & set(_PARTS_OF_SLOTS)
    if not times.named or not times.named < written:
        return None
    return held("timing.one_of_several", "source names another time of day as well", times.chunks(*sorted(written)))


def _some_of_the_slots(times: _Times) -> Judgement | None:
    """`1-0-1`, claimed as the morning."""
    claimed = {_PARTS_OF_SLOTS[code] for code in times.named}
    if not claimed or times.named & set(times.stated) or not claimed < times.given:
        return None
    slots = times.source.slots[0]
    return held("timing.some_of_the_slots", f"source says {slots_text(slots.value[0])}: other times as well", (slots.chunk,))


def _as_written(times: _Times, code: str, offset: Offset | None) -> Judgement | None:
    """`30 min before food`, claimed as it is written, or without its length."""
    if code not in times.stated:
        return None
    where, written = times.chunks(code), times.stated[code].value[1]
    if offset == written:
        return Judgement(PASS, "timing.equal", "source says the same time", where)
    if offset and written and _minutes(offset) is not None and _minutes(offset) == _minutes(written):
        says = "source says the same time; the interval is equal after conversion"
        if times.setting.misreadable:
            return held("timing.exact_interval", says, where)
        return Judgement(PASS, "timing.exact_interval", says, where, note=True)
    if offset is None:
        return held("timing.offset_dropped", "source also says how long before or after", where)
    # One end of `30-45 min before food` may be what was meant, or what was left of it.
    verdict = ABSTAIN if written is not None and _overlap(offset, written) else FAIL
    return Judgement(verdict, "timing.different", "source says another interval", where)


def _meal_dropped(times: _Times, code: str, _: Offset | None) -> Judgement | None:
    """`After lunch`, claimed as after food."""
    specific = times.chunks(*(other for other in times.stated if _GENERAL.get(other) == code))
    return held("timing.meal_dropped", "source names the meal", specific) if specific else None


def _from_slots(times: _Times, code: str, _: Offset | None) -> Judgement | None:
    """`1-0-1`, claimed as morning and night."""
    if code not in _PARTS_OF_SLOTS or not times.given & {code, _PARTS_OF_SLOTS[code]}:
        return None
    slots = times.source.slots[0]
    return Judgement(PASS, "timing.from_slots", f"source says {slots_text(slots.value[0])}", (slots.chunk,))


def _evening_for_night(times: _Times, code: str, _: Offset | None) -> Judgement | None:
    """`1-0-1`, claimed as morning and evening: the last of three slots is the evening's or the night's."""
    slots = times.source.slots[0] if times.source.slots else None
    as_slots = {"NIGHT" if part == "EVE" else _PARTS_OF_SLOTS[part] for part in times.named}
    if code != "EVE" or slots is None or len(slots.value[0]) != 3 or times.given != as_slots:
        return None
    return held("timing.evening_or_night", f"source says {slots_text(slots.value[0])}", (slots.chunk,))


def _bedtime_for_night(times: _Times, code: str, _: Offset | None) -> Judgement | None:
    if code != "HS" or not ("NIGHT" in times.stated or "NIGHT" in times.given):
        return None
    return held("timing.night_or_bedtime", "night and bedtime are not the same time", tuple(r.chunk for r in times.source.slots))


def _noon_or_afternoon(times: _Times, code: str, _: Offset | None) -> Judgement | None:
    where = times.chunks("NOON", "AFT") if code in ("NOON", "AFT") else ()
    return held("timing.noon_or_afternoon", "noon and afternoon are not the same time", where) if where else None


def _meal_as_day_part(times: _Times, code: str, _: Offset | None) -> Judgement | None:
    """`After lunch`, claimed as noon."""
    near = times.chunks(*_MEALS_OF_DAY_PARTS.get(code, ()))
    return held("timing.meal_as_day_part", "source names the meal, not the time of day", near) if near else None


def _night_for_bedtime(times: _Times, code: str, _: Offset | None) -> Judgement | None:
    where = times.chunks("HS") if code == "NIGHT" else ()
    return held("timing.night_or_bedtime", "night and bedtime are not the same time", where) if where else None


def _slots_inferred(times: _Times, _code: str, _: Offset | None) -> Judgement | None:
    if not _is_convention(times.source, times.named):
        return None
    says = "source says only how often; the times of day are a convention"
    return held("timing.slots_inferred", says, tuple(r.chunk for r in times.source.rates))


def _another(times: _Times, _code: str, _: Offset | None) -> Judgement:
    """Nothing of the statement is near it."""
    if not times.stated:
        return added(times.setting, "timing.component_invented", "the statement states no such time or meal")
    if times.setting.statement.shared_tail:
        return added(times.setting, "timing.component_invented", "source says another time or meal")
    rule = "timing.meal_different" if times.setting.statement.readable else "timing.component_invented"
    return Judgement(FAIL, rule, "source says another time or meal", times.chunks(*times.stated))


_MEALS_OF_DAY_PARTS = {
    "MORN": ("ACM", "PCM", "CM"),
    "NOON": ("ACD", "PCD", "CD"),
    "EVE": ("ACV", "PCV", "CV"),
    "NIGHT": ("ACV", "PCV", "CV"),
}
# The first that has something to say of a claimed time judges it; the last always has.
_OF_ONE_TIME: tuple[Callable[[_Times, str, Offset | None], Judgement | None], ...] = (
    _as_written,
    _meal_dropped,
    _from_slots,
    _evening_for_night,
    _bedtime_for_night,
    _noon_or_afternoon,
    _meal_as_day_part,
    _night_for_bedtime,
    _slots_inferred,
    _another,
)


def compare_whens(setting: Setting, claim: Roles) -> list[Judgement]:
    """Meals and times of day: each claimed one must be written."""
    source = setting.statement.roles
    given = slot_parts(source.slots[0].value[0]) if source.slots else frozenset()
    named = {w.value[0] for w in claim.whens} & set(_PARTS_OF_SLOTS)
    times = _Times(setting, source, {w.value[0]: w for w in source.whens}, given, named)
    of_all = [judged for judged in (_one_of_several(times), _some_of_the_slots(times)) if judged is not None]
    of_each = [next(filter(None, (judge(times, *wanted.value) for judge in _OF_ONE_TIME))) for wanted in claim.whens]
    return of_all + of_each
