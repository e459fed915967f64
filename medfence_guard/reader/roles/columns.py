"""Bare numbers under the heads of a table: under `Days  Qty` and `Morning  Noon  Night` each column says what they are."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction

from medfence_guard.reader.chunks import Chunk, Quantity
from medfence_guard.reader.roles.record import Role, Roles

_SLOT_COLUMNS = {
    3: ("slot_morning", "slot_noon", "slot_night"),
    4: ("slot_morning", "slot_noon", "slot_evening", "slot_night"),
}
_MAY_HOLD_NUMBERS = frozenset("dose dosage strength quantity duration duration_days date not_order".split())


def read_columns(roles: Roles, columns: tuple[str, ...], chunks: Sequence[Chunk]) -> None:
    """Under `Days  Qty` the bare numbers behind the timing are these, if there is one for each column and no other duration;
    under `Morning  Noon  Night` they are the slots."""
    _under_refills(roles, columns, chunks)
    _under_dose(roles, columns, chunks)
    if "slot_morning" in columns:
        _under_slots(roles, columns, chunks)
        return
    order = [c for c in columns if c in ("duration_days", "quantity")]
    if order[:1] != ["duration_days"] or roles.durations:
        return
    timed = min((t.chunk.end for t in (*roles.rates, *roles.slots, *roles.prn, *roles.whens, *roles.stat)), default=None)
    behind = [r for r in roles.numbers if timed is not None and timed <= r.chunk.start]
    if _one_each(order, behind):
        _take_columns(roles, order, behind)


def _under_refills(roles: Roles, columns: tuple[str, ...], chunks: Sequence[Chunk]) -> None:
    """`… | 90 tablet | 3 |` under `… | Dispense | Refill`: the last cell of the row, behind as many bars as its head."""
    if columns[-1:] != ("refills",):
        return
    last = max((n for n, c in enumerate(chunks) if c.value != "|"), default=0)
    found = next((r for r in roles.numbers if r.chunk is chunks[last]), None)
    if found is None or chunks[last - 1].value != "|" or not _one_each(("refills",), (found,)):
        return
    bars = sum(c.value == "|" for c in chunks[1:last])
    value = found.value.parts[0]
    if bars in (len(columns) - 1, len(columns) - 1 - (columns[0] == "number")) and value.denominator == 1:
        roles.refills.append(Role((value, None, None), found.chunk))
        roles.numbers = [r for r in roles.numbers if r is not found]


def _under_dose(roles: Roles, columns: tuple[str, ...], chunks: Sequence[Chunk]) -> None:
    """`| Apixaban | 5 mg |` under `| Drug | Dose |`: an amount that is alone in the cell behind the name, and no other is stated."""
    if "dose" not in columns or "strength" in columns or columns[:1] != ("name",) or columns.index("dose") != 1:
        return
    if roles.name is None or len(roles.strengths) != 1 or roles.doses or roles.slots or roles.name.label:
        return
    chunk = roles.strengths[0].chunk
    at = next(n for n, c in enumerate(chunks) if c is chunk)
    if at > 1 and chunks[at - 1].value in ("|", ",") and chunks[at - 2].end <= roles.name.end and at + 1 < len(chunks):
        if chunks[at + 1].value == chunks[at - 1].value:
            roles.headed_doses.append(roles.strengths[0])


def _under_slots(roles: Roles, columns: tuple[str, ...], chunks: Sequence[Chunk]) -> None:
    """Under `Morning  Noon  Night  Days` a number in each of these columns, one behind the other, and no number elsewhere."""
    first = columns.index("slot_morning")
    size = next((n for n, slots in _SLOT_COLUMNS.items() if columns[first : first + n] == slots), 0)
    behind = columns[first + size :]
    numbers = [r for r in roles.numbers if r.value is not None]
    if size and not numbers and not roles.slots and len(roles.doses) > 1:
        _amounts_under_slots(roles, size, chunks)
        return
    # `| 1 | 0 | 1 | 30 days |`: a cell with its unit is read by itself.
    bare = ("quantity",) if roles.durations else ("duration_days", "quantity")
    order = [*columns[first : first + size], *(c for c in behind[:2] if c in bare)]
    before = any(r.chunk.start < numbers[-1].chunk.start for r in roles.durations) if numbers else bool(roles.durations)
    timed = roles.rates or roles.slots or roles.prn or roles.stat or roles.day_parts or roles.weekdays or before
    if not size or timed or "slot_morning" in behind or not _one_each(order, numbers):
        return
    if any(not 0 <= r.value.parts[0] <= 10 for r in numbers[:size]):
        return
    at = [next(n for n, c in enumerate(chunks) if c is r.chunk) for r in numbers]
    bars = [sum(c.value == "|" for c in chunks[a + 1 : b]) for a, b in itertools.pairwise(at)]
    alone = all(c.value == "|" for a, b in itertools.pairwise(at) for c in chunks[a + 1 : b])
    # A blank cell leaves no number behind; where a column before the slots may hold one, only bars tell them apart.
    numbered = any(c in _MAY_HOLD_NUMBERS for c in columns[:first])
    cells = sum(c.value == "|" for c in chunks[1 : at[0]])
    if not alone or len(set(bars)) != 1 or bars[0] > 1 or (bars[0] == 0 and numbered):
        return
    if bars[0] == 1 and cells not in (first, first - (columns[0] == "number")):
        return
    slots = numbers[:size]
    chunk = slots[0].chunk._replace(end=slots[-1].chunk.end, last=slots[-1].chunk.last)
    roles.slots.append(Role((tuple(r.value.parts[0] for r in slots), None), chunk))
    _take_columns(roles, order[size:], numbers[size:])
    roles.numbers = [r for r in roles.numbers if r not in slots]


def _amounts_under_slots(roles: Roles, size: int, chunks: Sequence[Chunk]) -> None:
    """`10 ml  10 ml  10 ml` under `Morning  Noon  Night`: the same dose in each; what is not the same is not read."""
    doses = roles.doses
    at = [n for n, c in enumerate(chunks) if any(c is r.chunk for r in doses)]
    row = all(c.value == "|" for a, b in itertools.pairwise(at) for c in chunks[a + 1 : b])
    if len(doses) == size and row and len({r.value for r in doses}) == 1 and not (roles.rates or roles.prn or roles.day_parts):
        chunk = doses[0].chunk._replace(end=doses[-1].chunk.end, last=doses[-1].chunk.last)
        roles.slots.append(Role(((Fraction(1),) * size, None), chunk))
        roles.doses = doses[:1]
    else:
        roles.unsupported.extend(Role("a dose for each time", r.chunk) for r in doses)


def _one_each(order: Sequence[str], numbers: Sequence[Role]) -> bool:
    plain = all(isinstance(r.value, Quantity) and len(r.value.parts) == 1 and r.value.high is None for r in numbers)
    return plain and len(order) == len(numbers)


def _take_columns(roles: Roles, order: Sequence[str], numbers: Sequence[Role]) -> None:
    for column, role in zip(order, numbers, strict=True):
        if column == "quantity":
            roles.quantities.append(Role((role.value.parts[0], None, None), role.chunk))
        else:
            roles.durations.append(Role((role.value.parts[0], None, "d"), role.chunk))
    roles.numbers = [r for r in roles.numbers if r not in numbers]
