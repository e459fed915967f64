"""What is read of a statement, or of a payload value: its name, and every chunk by role."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, NamedTuple

from medfence_guard.bundle import Name
from medfence_guard.reader.chunks import Chunk, DrugMention, Quantity

DAY_PARTS = frozenset({"MORN", "NOON", "AFT", "EVE", "NIGHT", "HS"})


class Role(NamedTuple):
    """A canonical value and the chunk it was read from."""

    value: Any
    chunk: Chunk


@dataclass(slots=True)
class NameReading:
    """A name as written. `key`: folded, with suffixes, without a strength number; `label`: the bare numbers after it.

    `entry`: what the bundle says of the whole name, None if it does not know it. `stem`: what it knows of a part of it.
    """

    key: str
    start: int
    end: int
    entry: Name | None
    stem: Name | None
    label: tuple[Fraction, ...] = ()
    label_chunk: Chunk | None = None
    release: tuple[str, ...] = ()
    salts: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    parts: tuple[DrugMention, ...] = ()

    @property
    def molecules(self) -> tuple[str, ...] | None:
        """The one composition the name means, sorted; None if unknown or ambiguous."""
        if self.entry is None or self.entry.ambiguous:
            return None
        return self.entry.compositions[0]


PIECES_AT_A_TIME = frozenset({Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2)})
# Of one substance, and of a combination, which has a number for each: by how much the least exceeds what may be its strength.
_IMPOSSIBLY_SMALL, _IMPOSSIBLY_SMALL_OF_SEVERAL = 10, 4


def counts_pieces(
    entry: Name | None,
    number: Fraction,
    label: tuple[Fraction, ...] = (),
    uncalled: frozenset[str] = frozenset(),
    in_grams: frozenset[str] = frozenset(),
) -> bool:
    """`Hifenac P 1 BD`: a small number behind a brand is how many are taken if no strength of the brand can be so small (P1).

    A tenth of the least number that any of its products prints is impossible; a brand of one milligram keeps its number. A combination
    is told by several numbers or none, and a fourth of the least will do. `label`: the bare number before it (`Rosuvas 10 1 HS`); a brand
    of one substance that prints it has no other. `uncalled`: substances by whose number no combination is called (`Sinarest 1 BD`);
    `in_grams`: those that are sold in whole grams (`Augmentin 1 BD`).
    """
    if entry is None or entry.ambiguous or not entry.rows or number not in PIECES_AT_A_TIME:
        return False
    printed = [value for row in entry.rows for value in (*(c.value for c in row.components), *row.labels)]
    if not label and any(m in in_grams for row in entry.rows for m in row.molecules):
        return False
    if len(label) == 1 and label[0] in printed and all(len(row.components) == 1 for row in entry.rows):
        return number != label[0]
    several = all(len(row.components) > 1 for row in entry.rows)
    if several and number == 1 and number not in printed and all(len(row.components) == len(row.molecules) for row in entry.rows):
        told = [c.value for row in entry.rows for m, c in zip(row.molecules, row.components, strict=True) if m not in uncalled]
        return all(value > number * _IMPOSSIBLY_SMALL_OF_SEVERAL for value in told)
    least = number * (_IMPOSSIBLY_SMALL_OF_SEVERAL if several else _IMPOSSIBLY_SMALL)
    return bool(printed) and all(value > least for value in printed)


@dataclass(slots=True)
class Roles:
    """Every chunk of one statement, by role, in the order written."""

    name: NameReading | None = None
    composition: list[tuple[DrugMention, Quantity | None, Chunk]] = field(default_factory=list)
    strengths: list[Role] = field(default_factory=list)
    doses: list[Role] = field(default_factory=list)
    rates: list[Role] = field(default_factory=list)
    slots: list[Role] = field(default_factory=list)
    whens: list[Role] = field(default_factory=list)
    weekdays: list[Role] = field(default_factory=list)
    prn: list[Role] = field(default_factory=list)
    prn_for: list[Role] = field(default_factory=list)
    stat: list[Role] = field(default_factory=list)
    as_directed: list[Role] = field(default_factory=list)
    durations: list[Role] = field(default_factory=list)
    open_durations: list[Role] = field(default_factory=list)
    forms: list[Role] = field(default_factory=list)
    releases: list[Role] = field(default_factory=list)
    routes: list[Role] = field(default_factory=list)
    sites: list[Role] = field(default_factory=list)
    maxima: list[Role] = field(default_factory=list)
    quantities: list[Role] = field(default_factory=list)
    refills: list[Role] = field(default_factory=list)
    indications: list[Role] = field(default_factory=list)
    cues: list[Role] = field(default_factory=list)
    pseudo_cues: list[Role] = field(default_factory=list)
    ambiguous: list[Role] = field(default_factory=list)
    unreadable: list[Role] = field(default_factory=list)
    unsupported: list[Role] = field(default_factory=list)
    residue: list[Role] = field(default_factory=list)
    inert: list[Role] = field(default_factory=list)
    numbers: list[Role] = field(default_factory=list)
    verbs: list[Role] = field(default_factory=list)
    labels: list[Role] = field(default_factory=list)
    superseded: list[Role] = field(default_factory=list)
    doses_timed: list[tuple[Role, tuple[str, ...]]] = field(default_factory=list)
    # What may be said of a complaint, a test or an advice beside the order: nothing rests on it, neither a claim nor an absence.
    beside: list[Role] = field(default_factory=list)
    # The numbers of a reason: `if temp > 100 F`.
    limits: list[Role] = field(default_factory=list)
    # Counts of pieces that are a dose or a pack, told apart once all of the statement is read.
    counted: list[Role] = field(default_factory=list)
    # Strengths under a head that calls them the dose.
    headed_doses: list[Role] = field(default_factory=list)
    _kinds: frozenset[str] | None = field(default=None, init=False, repr=False, compare=False)

    def kinds(self) -> frozenset[str]:
        """The fields that hold anything. Kept once asked for: ask only when the reading is complete."""
        if self._kinds is None:
            self._kinds = frozenset([kind for kind in _KINDS if getattr(self, kind)])
        return self._kinds

    @property
    def has_timing(self) -> bool:
        return bool(self.rates or self.slots or self.prn or self.stat or self.as_directed or self.weekdays or self.day_parts)

    @property
    def day_parts(self) -> list[Role]:
        """The times of day among the `when`s: MORN, NOON, AFT, EVE, NIGHT, HS."""
        return [w for w in self.whens if w.value[0] in DAY_PARTS]


_KINDS = tuple(f.name for f in fields(Roles) if f.name not in ("name", "_kinds"))


def course_total(roles: Roles) -> tuple[Fraction, Fraction]:
    """Least and most pieces of a course: dose x times x days, a month being 28 to 31; `(0, 0)` where one of them is not stated."""
    if not roles.durations:
        return Fraction(0), Fraction(0)
    low, _, unit = roles.durations[0].value
    days = {"d": (1, 1), "wk": (7, 7), "mo": (28, 31)}.get(unit)
    dose = roles.doses[0].value.parts[0] if roles.doses else Fraction(1)
    per_day: Fraction | None = None
    if roles.slots:
        per_day = sum(roles.slots[0].value[0], Fraction(0))
    elif roles.rates and roles.rates[0].value.unit in ("d", "wk") and roles.rates[0].value.period == roles.rates[0].value.period_high:
        rate = roles.rates[0].value
        per_day = rate.low * dose / (rate.period * (7 if rate.unit == "wk" else 1))
    elif roles.day_parts and not roles.rates:
        per_day = len(roles.day_parts) * dose
    if per_day is None or days is None:
        return Fraction(0), Fraction(0)
    return per_day * low * days[0], per_day * low * days[1]
