"""Slot patterns (`1-0-1`), and the same written out (`1 tab morning, 2 tabs night`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from medfence_guard.compare.judgement import FAIL, PASS, Judgement, Setting, held
from medfence_guard.compare.wording import slots_text
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.roles.record import Role, Roles

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
    said = f"source says {slots_text(values)}" if slots in setting.statement.roles.slots else "source says each slot in words"
    parts = _SLOT_PARTS[len(values)]
    told = {part: value for part, (value, _) in spelt.items() if value}
    given = {part: value for part, value in zip(parts, values, strict=True) if value}
    if not set(told) <= set(parts):
        return [held("timing.slots_shape", f"{said}; the times of day are others", where)]
    if told != given:
        return [Judgement(FAIL, "dose.one_of_several", said, where)]
    counted = {u for _, u in spelt.values() if u is not None}
    if counted - units - ({unit} if unit else set()):
        return [held("dose.unit_not_written", f"{said}; what is counted is not written", where)]
    return [Judgement(PASS, "timing.slots_spelt_out", f"{said}, the claim the same, slot by slot", where, note=True)]
