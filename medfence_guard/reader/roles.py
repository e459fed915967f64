"""Say which number is which: give every chunk of a statement, or of a payload value, its role.

A number grounds a field only with that field's role evidence: a strength has a mass, IU, % or mEq unit next to the
name; a dose has a countable or volume unit or is a slot value; a duration has a time unit; a bare number after a name
is a label whose unit only the bundle may supply. What gets no role is residue, and stays visible.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, NamedTuple

from medfence_guard.bundle import Name, name_key
from medfence_guard.reader.beside import is_advice
from medfence_guard.reader.chunks import Chunk, DrugMention, Quantity, meaning_of, means
from medfence_guard.reader.lexicon import Lexicon, Rate

STRENGTH_DIMENSIONS = frozenset({"mass", "iu", "percent", "meq", "mmol"})
# Inert text that says nothing a record could leave out or make up.
_WITHOUT_CONTENT = frozenset({"function_words", "polite", "prescription_nouns", "pharmacopoeia", "order_forms"})
# Words that join and carry nothing; every other unknown word is residue.
GLUE_WORDS = frozenset(
    {
        "x",
        "for",
        "of",
        "to",
        "a",
        "an",
        "the",
        "and",
        "per",
        "at",
        "in",
        "on",
        "with",
        "by",
        "as",
        "each",
        "only",
        "℞",
        "no",
        "nos",
        "re",
        "be",
        "le",
        "is",
        "are",
        "it",
    }
)
_ENDING = frozenset({"stopped", "held", "avoid", "not_taking"})
_SILENT_GLUE = frozenset(
    {"x", "for", "of", "a", "an", "the", "and", "at", "in", "with", "as", "each", "℞", "is", "are", "to", "on", "be", "per", "by"}
)
_PLAIN_MARKS = frozenset(".,:;-()[]/+•'\"&|_!")


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


DAY_PARTS = frozenset({"MORN", "NOON", "AFT", "EVE", "NIGHT", "HS"})
MEAL_CODES = {"M": "MORN", "D": "NOON", "V": "EVE"}


# Words of the open durations that say how, and not how long, beside a number of days.
_NO_END = frozenset({"regularly"})
# What stands behind an advice, a test or a complaint and may be said of that.
_SAID_OF_OTHERS = frozenset({"rate", "slots", "when", "weekday", "duration", "site"})
# What is said right behind one of these is said of the medicine.
_OF_THE_ORDER = frozenset({"amount", "drug", "form", "rate", "slots", "duration"})
_LINKING = frozenset({"of", "since", "from", "the", "on", "in"})
# Complaints of the night: `for sleep at night` is when it is taken.
_OF_THE_NIGHT = frozenset({"sleep", "insomnia", "sleeplessness"})
_JOINING = frozenset({"+", "&", "/", ",", "and", "with", "joiners"})
_OF_THE_BODY = frozenset("massage gargle gargles gargling rinse wash soak bathe foment".split())
_ONE_WORD = frozenset(
    "daily weekly monthly everyday nightly morning mornings night nights evening evenings noon afternoon afternoons bedtime".split()
)


def _in_words(text: str) -> bool:
    """A time told in words, as a complaint is told too (`at night`, `daily`); `TDS`, `HS` and `1-0-1` are an order's."""
    return " " in text.strip(" .") or text in _ONE_WORD


class NameReader:
    """Reads the name that begins at a chunk: brand or molecule, suffixes, release, label numbers, combinations."""

    def __init__(self, lexicon: Lexicon, lookup: Callable[[str], Name | None]) -> None:
        self._lexicon = lexicon
        self._lookup = lookup

    def read(self, chunks: Sequence[Chunk], anchor: int, surface: Callable[[Chunk], str]) -> tuple[NameReading, int]:
        """The name at `chunks[anchor]`, and the index of the first chunk that is no part of it."""
        first = chunks[anchor]
        known = first.kind == "drug"
        key = first.value.key if known else name_key(surface(first))
        parts: list[DrugMention] = [first.value] if known else []
        place = anchor + 1
        end = first.end
        suffixes: list[str] = []
        releases: list[str] = []
        salts: list[str] = []
        label: tuple[Fraction, ...] = ()
        label_chunk: Chunk | None = None
        count = len(chunks)
        while place < count:
            chunk = chunks[place]
            text = surface(chunk)
            if chunk.kind == "mark" and chunk.value in ("-", ".", "'") and place + 1 < count:
                after = chunks[place + 1]
                if (
                    chunk.value == "-"
                    and self._is_suffix(chunks, place + 1, surface, known, label_chunk)
                    and chunk.start == chunks[place - 1].end
                ):
                    place += 1
                    continue
                if (
                    chunk.value == "-"
                    and after.kind in ("number", "tuple")
                    and after.start == chunk.end
                    and chunk.start == chunks[place - 1].end
                    and label_chunk is None
                ):
                    place += 1
                    continue
                if (
                    # `ZORBI-TEL`: of a name that nobody knows, the hyphen is a letter.
                    not known
                    and chunk.value == "-"
                    and after.kind == "word"
                    and after.start == chunk.end
                    and chunk.start == chunks[place - 1].end
                    and str(after.value).isalpha()
                    and after.value not in GLUE_WORDS
                    and label_chunk is None
                ):
                    place += 1
                    continue
                break
            release = self._release_of(chunks, place, anchor)
            if self._is_plus(chunks, place):
                suffixes.append("plus")
                key += "plus"
            elif release is not None:
                releases.append(release)
                key += name_key(text)
            elif (
                chunk.kind == "word"
                and known
                and chunk.value in self._lexicon.salts
                and not (first.value.name is not None and first.value.name.brand)
            ):
                salts.append(chunk.value)
                key += name_key(text)
            elif self._is_suffix(chunks, place, surface, known, label_chunk):
                suffixes.append(text)
                key += name_key(text)
            elif chunk.kind == "number" and chunk.value.high is None and label_chunk is None and (len(chunks[place].value.parts) == 1):
                if (
                    chunk.start == chunks[place - 1].end
                    and chunks[place - 1].kind == "word"
                    and chunks[place - 1].end - chunks[place - 1].start <= 3
                ):
                    # Glued to letters (`GP2`, `D3`): part of the name, no strength.
                    suffixes.append(text)
                    key += name_key(text)
                else:
                    label, label_chunk = chunk.value.parts, chunk
            elif chunk.kind == "tuple" and label_chunk is None:
                label, label_chunk = chunk.value, chunk
            elif self._bracketed_label(chunks, place, label_chunk, self._size(key, parts, suffixes)):
                label, label_chunk = chunks[place + 1].value, chunks[place + 1]
                end = chunks[place].start
                place += 3
                break
            elif (
                not known
                and chunk.kind == "word"
                and len(suffixes) < 3
                and str(chunk.value).isalpha()
                and label_chunk is None
                and chunk.value not in GLUE_WORDS
            ):
                suffixes.append(text)
                key += name_key(text)
            elif (
                chunk.kind == "drug"
                and known
                and chunk.start - chunks[place - 1].end <= 1
                and label_chunk is None
                and self._joined(key, chunk)
            ):
                key += chunk.value.key
                parts.append(chunk.value)
            elif self._joins_molecule(chunks, place, parts, label_chunk):
                parts.append(chunks[place + 1].value)
                key += chunks[place + 1].value.key
                place += 1
            else:
                break
            end = chunks[place].end
            place += 1
        entry = self._entry(key, parts, suffixes)
        stem = parts[0].name if parts else None
        reading = NameReading(
            key, first.start, end, entry, stem, label, label_chunk, tuple(releases), tuple(salts), tuple(suffixes), tuple(parts)
        )
        return reading, place

    @staticmethod
    def _is_plus(chunks: Sequence[Chunk], place: int) -> bool:
        """`Nexito+`: glued to the name and to nothing behind it, the sign is the word."""
        chunk = chunks[place]
        if chunk.value != "+" or chunk.kind != "mark" or chunk.start != chunks[place - 1].end:
            return False
        after = chunks[place + 1] if place + 1 < len(chunks) else None
        return after is None or (after.start > chunk.end and after.kind not in ("drug", "form", "word"))

    def _size(self, key: str, parts: Sequence[DrugMention], suffixes: Sequence[str]) -> int:
        """How many substances the name read so far has; 0 if that is not certain."""
        entry = self._entry(key, parts, suffixes)
        return 0 if entry is None or entry.ambiguous else len(entry.compositions[0])

    @staticmethod
    def _bracketed_label(chunks: Sequence[Chunk], place: int, label_chunk: Chunk | None, size: int) -> bool:
        """`Telma AM (40/5)`: one number for each substance. `(5/7)` may be five days, `(1/2)` half a tablet."""
        if chunks[place].value != "(" or label_chunk is not None or size < 2 or place + 2 >= len(chunks):
            return False
        inside, closing = chunks[place + 1], chunks[place + 2]
        return (
            inside.kind == "tuple"
            and closing.value == ")"
            and len(inside.value) == size
            and inside.value[-1] not in (2, 3, 4, 7, 8, 12, 52)
        )

    def extend(self, name: NameReading, chunk: Chunk) -> bool:
        """Add a further substance of a combination (`Telmisartan 40 mg + Amlodipine 5 mg`) to the name."""
        further = chunk.value.name
        if further is None or further.brand or not name.parts or any(p.name is None or p.name.brand for p in name.parts):
            return False
        name.parts = (*name.parts, chunk.value)
        name.key += chunk.value.key
        name.entry = self._entry(name.key, name.parts, name.suffixes)
        return True

    @staticmethod
    def _release_of(chunks: Sequence[Chunk], place: int, anchor: int) -> str | None:
        """A release token directly behind the name, typed with one space or two. `cr` may also be a form, unless a form stands before or
        the strength behind."""
        chunk = chunks[place]
        if chunk.start - chunks[place - 1].end > 2:
            return None
        value = meaning_of(chunk, "release")
        if not isinstance(value, tuple):
            return None
        if chunk.kind == "release":
            return str(value[0])
        after = chunks[place + 1] if place + 1 < len(chunks) else None
        formed = any(c.kind == "form" for c in chunks[:anchor])
        if chunk.kind in ("form", "route", "site", "header_line_starts", "ambiguous") and (
            formed or after is None or after.kind in ("amount", "number", "tuple")
        ):
            return str(value[0])
        return None

    def _joined(self, key: str, chunk: Chunk) -> bool:
        return self._lookup(key + chunk.value.key) is not None

    @staticmethod
    def _joins_molecule(chunks: Sequence[Chunk], place: int, parts: list[DrugMention], label_chunk: Chunk | None) -> bool:
        chunk = chunks[place]
        if chunk.value not in ("+", "/", "&", "and", "-") or place + 1 >= len(chunks) or label_chunk is not None or not parts:
            return False
        after = chunks[place + 1]
        if after.kind != "drug" or after.value.name is None or after.value.name.brand:
            return False
        return all(p.name is not None and not p.name.brand for p in parts)

    def _entry(self, key: str, parts: Sequence[DrugMention], suffixes: Sequence[str]) -> Name | None:
        if len(parts) > 1 and all(p.name is not None and not p.name.ambiguous for p in parts):
            found = self._lookup(key)
            if found is not None:
                return found
            if suffixes:
                # `Telmisartan + Amlodipine H` is another product, and no name of the two.
                return None
            molecules = tuple(sorted({m for p in parts if p.name is not None for m in p.name.compositions[0]}))
            first = parts[0].name
            assert first is not None
            return Name(key, "+".join(p.key for p in parts), (molecules,), False, (), first.grade, first.citation)
        found = self._lookup(key)
        if found is not None:
            return found
        if len(parts) == 1 and (parts[0].key == key or (not suffixes and parts[0].name is not None and not parts[0].name.brand)):
            # A release or salt word behind a substance is another product of it, not another name; behind a brand it may be either.
            return parts[0].name
        return None

    def _is_suffix(
        self, chunks: Sequence[Chunk], place: int, surface: Callable[[Chunk], str], known: bool, label_chunk: Chunk | None
    ) -> bool:
        """A suffix is a listed token directly behind the name; a timing word is one only if the strength still follows it."""
        chunk = chunks[place]
        text = surface(chunk)
        if text not in self._lexicon.suffixes:
            return False
        if chunk.kind == "word":
            return known or label_chunk is None
        if chunk.kind in ("when", "rate", "ambiguous", "route", "site", "cue", "label", "header_line_starts", "composition", "indication"):
            after = chunks[place + 1] if place + 1 < len(chunks) else None
            followed = after is not None and after.kind in ("number", "amount", "tuple", "malformed")
            timed = any(c.kind in ("rate", "slots", "when", "prn", "stat") for c in chunks[place + 1 :])
            if chunk.kind in ("when", "rate", "route", "site", "ambiguous"):
                return followed and timed
            return followed or timed
        return False


_REASON_WORDS = frozenset(
    {
        "for",
        "if",
        "or",
        "and",
        "of",
        "f",
        "c",
        "above",
        "below",
        "more",
        "than",
        "is",
        "degree",
        "deg",
        "over",
        "less",
        "fever",
        "temp",
        "there",
    }
)


def _measures(chunk: Chunk) -> bool:
    """`temp > 100`, `BP above 150`: the number belongs to a measurement."""
    return chunk.kind == "header_line_starts" or chunk.value in (">", "<", "=", "above", "below", "than", "over", "/")


_SLOT_COLUMNS = {
    3: ("slot_morning", "slot_noon", "slot_night"),
    4: ("slot_morning", "slot_noon", "slot_evening", "slot_night"),
}
_MAY_HOLD_NUMBERS = frozenset("dose dosage strength quantity duration duration_days date not_order".split())
EXCEPTIONS = frozenset({"except", "except for", "other than", "apart from", "aside from"})
"""Joints that take out what stands behind them."""
# Words of a joint that end the order before it, and how.
_ENDS_IT = {"stop": "stopped", "hold": "held", "band": "stopped", "बंद": "stopped"}
_JOINS = frozenset("and aur और but however instead though although whereas lekin magar parantu लेकिन मगर परंतु परन्तु किंतु".split())
_OPEN_NEGATIONS = frozenset({"not applicable", "not valid", "not necessarily", "not only", "not just", "no further"})
_OPEN_ENDS = frozenset("in of with for to".split())


def _is_open(text: str) -> bool:
    """Whether a phrase that cancels a cue needs what stands behind it (`not only`, `no change in`)."""
    return text in _OPEN_NEGATIONS or text.rpartition(" ")[2] in _OPEN_ENDS


def _is_last(chunks: Sequence[Chunk], place: int) -> bool:
    """Whether nothing but marks stands behind a chunk in its clause."""
    return all(c.kind in ("mark", "item") for c in chunks[place + 1 :])


def _is_a_sign(chunks: Sequence[Chunk], place: int) -> bool:
    """`OD //`, `OD (-)`: marks that part nothing, and were made to say something."""
    before, after = (chunks[n] if 0 <= n < len(chunks) else None for n in (place - 1, place + 1))
    mark = chunks[place].value
    if mark == "/" and before is not None and before.value == "/":
        return True
    return mark in _SIGNS and before is not None and before.value in _OPENING and (after is None or after.value in _CLOSING)


_GIVING = frozenset("apply give inject len lein take then use".split())
_SIGNS = frozenset("-+/|!_•")
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")


def _is_taken_at(chunks: Sequence[Chunk], place: int, surface: Callable[[Chunk], str]) -> bool:
    """`x 5 days with dressing`, `TDS with fever`: at which event, where no complaint stands before it."""
    before, after = (chunks[n] if 0 <= n < len(chunks) else None for n in (place - 1, place + 1))
    if surface(chunks[place]) != "with" or after is None or (before is not None and before.kind in ("indication", "indication_part")):
        return False
    return after.kind == "indication" or is_advice(after)


_LONGEST_COMPOSITION = 200  # in chunks


class RoleReader:
    """Assigns roles. The same reader serves statements (with a name) and single payload values (without)."""

    def __init__(self, lexicon: Lexicon, insulins: frozenset[str], names: NameReader) -> None:
        self._lexicon = lexicon
        self._insulins = insulins
        self._names = names

    def is_insulin(self, name: NameReading | None) -> bool:
        """Whether every reading of the name is an insulin of the bundle (P5: unit = IU by a bundle fact only)."""
        entry = name.entry or name.stem if name is not None else None
        if entry is None:
            return False
        return all(any(m in self._insulins for m in composition) for composition in entry.compositions)

    def read(
        self,
        chunks: Sequence[Chunk],
        anchor: int | None,
        surface: Callable[[Chunk], str],
        columns: tuple[str, ...] = (),
        whole: Sequence[Chunk] = (),
    ) -> Roles:
        """Roles of all chunks. `anchor`: index of the name, None for a payload value that holds none.

        `whole`: all steps of the statement that `chunks` is one step of; the form is written in the first only.
        """
        roles = Roles()
        after_name = 0
        if anchor is not None:
            roles.name, after_name = self._names.read(chunks, anchor, surface)
            for chunk in chunks[anchor:after_name]:
                if chunk.kind == "release":
                    roles.releases.append(Role(chunk.value, chunk))
        insulin = self.is_insulin(roles.name)
        formed = whole or chunks
        eye = any(c.kind == "form" and self._lexicon.form_family.get(c.value) in ("eye", "ear", "nasal", "drops") for c in formed)
        eye = eye or any(c.kind == "amount" and c.value.units[0] == "[drp]" for c in formed)
        place = 0
        count = len(chunks)
        while place < count:
            if anchor is not None and place == anchor:
                place = after_name
                continue
            chunk = chunks[place]
            if (
                chunk.kind == "drug"
                and roles.name is not None
                and chunks[place - 1].value in ("+", "/", "&", "and", "-")
                and self._names.extend(roles.name, chunk)
            ):
                place = self._component(chunks, place, roles)
                continue
            if chunk.kind in ("mark", "composition"):
                stepped = self._composition(chunks, place, roles, anchor) or self._monitoring(chunks, place)
                if stepped is not None:
                    place = stepped
                    continue
            place = self._one(chunks, place, roles, insulin=insulin, eye=eye, surface=surface, tabled=bool(columns))
        if roles.name is not None and roles.name.label_chunk is not None:
            self._label_strength(roles)
        if any(r.value.startswith("tablet_") for r in roles.forms):
            # `Tab X 4 mg - chewable`: of what kind, beside that it is one.
            roles.forms = [r for r in roles.forms if r.value != "tablet"]
        self._composition_agrees(roles)
        self._strengths_agree(roles)
        # Of steps that say how often, `OD` says it too.
        self._after(roles, columns, chunks, eye, surface, stepped=any(c.kind == "rate" and surface(c) != "od" for c in whole))
        return roles

    @staticmethod
    def _component(chunks: Sequence[Chunk], place: int, roles: Roles) -> int:
        """The strength behind a further substance, where the one before it has a number without a unit.

        `Telmisartan 40/Hydrochlorothiazide 12.5` has two such numbers; in `Amoxicillin 500 + Clavulanate 125 mg` one unit
        is written for both, as in `500/125 mg`.
        """
        name = roles.name
        after = chunks[place + 1] if place + 1 < len(chunks) else None
        if name is None or name.label_chunk is None or after is None or after.kind not in ("number", "amount"):
            return place + 1
        quantity: Quantity = after.value
        if len(name.label) != len(name.parts) - 1 or len(quantity.parts) != 1 or quantity.high is not None or quantity.per:
            return place + 1
        spanned = after._replace(start=name.label_chunk.start, first=name.label_chunk.first)
        parts = (*name.label, *quantity.parts)
        if after.kind == "number":
            name.label, name.label_chunk = parts, spanned._replace(value=parts, kind="tuple")
            return place + 2
        whole = Quantity(parts, quantity.units * len(parts))
        roles.strengths.append(Role(whole, spanned._replace(value=whole)))
        name.label, name.label_chunk = (), None
        return place + 2

    def _is_beside(self, chunks: Sequence[Chunk], place: int, roles: Roles, surface: Callable[[Chunk], str]) -> bool:
        """`check sugar BD`, `fever x 5 days`, `pain right knee`: a time or place said of an advice, a test or a complaint."""
        chunk = chunks[place]
        left = place - 1
        if left >= 0 and not roles.beside and chunks[left].kind in _OF_THE_ORDER:
            return False
        linked = False
        said = {r.chunk for r in roles.beside if r.chunk.kind != "site"}
        while left >= 0 and (surface(chunks[left]) in _LINKING or chunks[left] in said):
            linked = linked or surface(chunks[left]) in ("of", "since", "from")
            left -= 1
        if left < 0:
            return False
        before = chunks[left]
        worded = _in_words(surface(chunk))
        after = chunks[place + 1] if place + 1 < len(chunks) else None
        if before.kind == "verb" and surface(before) in _OF_THE_BODY and self._is_swallowed(chunks):
            # `massage BD` is done to a limb, not with a tablet.
            return True
        if is_advice(before):
            return chunk.kind != "site" or self._is_swallowed(chunks)
        if before.kind == "mark" and before.value in (",", "+", "&") and worded and chunk.kind == "rate" and after is not None:
            # `5 mg, daily walk`
            return is_advice(after)
        if before.kind != "indication" or roles.name is None:
            return False
        first = left
        while first > 0 and (chunks[first].kind == "indication" or chunks[first].value in (",", "/", "&", "joiners")):
            first -= 1
        reason = chunks[first].kind in ("indication_part", "prn", "cue") or surface(chunks[first]) in ("for", "if", "to")
        if chunk.kind == "site":
            return self._is_swallowed(chunks)
        if chunk.kind == "duration":
            return linked or not reason
        if not worded or roles.prn or surface(before) in _OF_THE_NIGHT:
            return False
        timed = any(c.kind in ("rate", "slots", "stat", "weekday") for n, c in enumerate(chunks) if n != place)
        if chunk.kind == "when":
            return timed or not (roles.doses or roles.verbs)
        told = any(c.kind in ("duration", "when", "prn") for c in chunks[place + 1 :])
        if told and " " in surface(chunk):
            # `for pain twice daily after food x 5 days`: a whole regimen.
            return False
        # `for fever TDS`, `for pain every 6 hours`, `1 tab for pain twice daily` are the medicine's.
        return chunk.kind == "rate" and chunk.value.unit != "h" and not timed and not (roles.doses or roles.verbs)

    def _is_swallowed(self, chunks: Sequence[Chunk]) -> bool:
        """Whether nothing of the statement is applied at a place: it is swallowed, or no form is written."""
        families = {self._lexicon.form_family.get(c.value) for c in chunks if c.kind == "form" and not means(c, "release")}
        return families <= {"solid_oral", "liquid_oral", "powder_oral"}

    @staticmethod
    def _leads_to(chunks: Sequence[Chunk], place: int, surface: Callable[[Chunk], str]) -> bool:
        """`Check BP and take: X`, `Measure BP, give X`, `Check SpO2: X`: what is measured decides whether it is given."""
        for chunk in chunks[place + 1 :]:
            if chunk.kind == "mark" and chunk.value in (":", ",", "-", ".", "->"):
                if chunk.value == ":":
                    return True
            elif chunk.kind in ("verb", "terminator"):
                return not _GIVING.isdisjoint(surface(chunk).split())
            elif chunk.kind not in ("inert", "cue"):
                return False
        return False

    def _is_other_form(self, chunks: Sequence[Chunk], place: int, roles: Roles) -> bool:
        """`Tab X 5 mg OD + Inhaler`, `…, Enema`: behind the order and a joint, a form of another kind is another order."""
        before = chunks[place - 1] if place else None
        if roles.name is None or before is None:
            return False
        joined = before.value in _JOINING
        if not joined and not (roles.has_timing and _is_last(chunks, place)):
            return False
        families = {self._lexicon.form_family.get(r.value) for r in roles.forms}
        other = self._lexicon.form_family.get(chunks[place].value) not in families
        if not joined:
            # `Tab X 40 mg OD susp`: the timing is told, so no form is.
            return other and bool(families)
        return other if families else before.value in ("+", "&") and roles.has_timing

    def _is_period(self, chunks: Sequence[Chunk], place: int, surface: Callable[[Chunk], str]) -> bool:
        """`6 tablets a week`, `OD per 7 days`: how often, not how long; in a value that holds nothing else, how long."""
        text = surface(chunks[place])
        before = chunks[place - 1] if place else None
        if before is None:
            return False
        if before.value in ("each", "per", "every", "in"):
            return True
        if before.value == "/":
            # Not where slashes separate the parts: `500 mg / BD / 7 days`.
            low, high, _ = chunks[place].value
            return high is None and low in (1, 7, 15, 30) and not any(c.value == "/" for c in chunks[max(0, place - 3) : place - 1])
        once = chunks[place].value[:2] == (1, None) and chunks[place].value[2] in ("wk", "mo")
        if once and text.startswith("a "):
            return str(before.value) != "x"
        # `6 tablets one week`: without a frequency it may be either.
        counted = before.kind == "amount" and (before.value.units[0] or "").startswith("{")
        timed = any(c.kind in ("rate", "slots", "prn", "when") for c in chunks)
        return once and counted and not timed and not text.startswith(("x", "for"))

    # -- a printed composition -------------------------------------------------------------------------------------

    def _composition(self, chunks: Sequence[Chunk], place: int, roles: Roles, anchor: int | None) -> int | None:
        """`(Rosuvastatin 10 mg + Aspirin 75 mg)`, `each tablet contains X IP`: names the generic of the same item."""
        chunk = chunks[place]
        opens = chunk.kind == "mark" and chunk.value in ("(", "[")
        if not opens and not (chunk.kind == "composition" and chunk.value == "start"):
            return None
        if anchor is not None and place < anchor:
            return None
        if opens and (roles.has_timing or roles.durations):
            # Behind the timing a bracketed name is another matter.
            return None
        closing = {"(": ")", "[": "]"}.get(str(chunk.value)) if opens else None
        stop = place + 1
        while stop < len(chunks) and not (closing is not None and chunks[stop].kind == "mark" and chunks[stop].value == closing):
            stop += 1
            if stop - place > _LONGEST_COMPOSITION:
                return None
        inside = chunks[place + 1 : stop]
        if opens and inside and inside[0].value in ("+", "&", "not", "joiners"):
            # `(with X 5 mg)`: what is taken beside it.
            return None
        if not any(c.kind == "drug" for c in inside) or any(
            c.kind in ("cue", "rate", "slots", "prn", "when", "stat", "then") for c in inside
        ):
            return None
        mention: DrugMention | None = None
        mention_chunk: Chunk | None = None
        for c in inside:
            if c.kind == "drug":
                if mention is not None and mention_chunk is not None:
                    roles.composition.append((mention, None, mention_chunk))
                mention, mention_chunk = c.value, c
            elif c.kind == "amount" and mention is not None and mention_chunk is not None:
                roles.composition.append((mention, c.value, c))
                mention = None
            elif (
                c.kind in ("word", "number", "malformed", "unreadable", "tuple", "confused")
                and c.value not in GLUE_WORDS
                and c.value not in self._lexicon.salts
            ):
                roles.residue.append(Role(c.value, c))
        if mention is not None and mention_chunk is not None:
            roles.composition.append((mention, None, mention_chunk))
        return stop + 1

    @staticmethod
    def _monitoring(chunks: Sequence[Chunk], place: int) -> int | None:
        """`(INR monthly)`, `(check sugar weekly)`: a test in brackets, and how often it is done; no part of the regimen."""
        if chunks[place].value != "(":
            return None
        tested = False
        often: set[str] = set()
        for here in range(place + 1, len(chunks)):
            chunk = chunks[here]
            if chunk.kind in often:
                # `(weight daily, after 3 days BD)`: more than the test is spoken of.
                return None
            if chunk.kind in ("rate", "duration"):
                often.add(chunk.kind)
            if chunk.value == ")":
                return here + 1 if tested and here > place + 2 else None
            if chunk.kind == "header_line_starts" or (chunk.kind == "inert" and chunk.value == "monitoring"):
                tested = True
            elif not (chunk.kind in ("rate", "duration") and tested) and not (
                chunk.kind == "word" and chunk.value in (("every", "after", "in") if tested else ("check", "repeat", "recheck", "monitor"))
            ):
                return None
        return None

    def _composition_agrees(self, roles: Roles) -> None:
        """A bracketed name that is not the composition of the name before it is another medicine, and unread."""
        name = roles.name
        if name is None or not roles.composition or name.entry is None:
            return
        printed = [d.name for d, _, _ in roles.composition]
        if any(n is None or n.ambiguous for n in printed):
            return
        molecules = {m for n in printed if n is not None for m in n.compositions[0]}
        bases = {self._base(m) for m in molecules}
        if not any(molecules == set(c) or bases == {self._base(m) for m in c} for c in name.entry.compositions):
            roles.residue.append(Role("another name", roles.composition[0][2]))

    @staticmethod
    def _strengths_agree(roles: Roles) -> None:
        """`Telma 40 (Telmisartan 80 mg)`: the printed strength is neither the number of the name nor a part or sum of it."""
        printed = [q for _, q, _ in roles.composition if q is not None and len(q.parts) == 1 and q.units[0] is not None and not q.per]
        units = {q.units[0] for q in printed}
        if not printed or len(printed) != len(roles.composition) or len(units) > 1:
            return
        known = {q.parts[0] for q in printed} | {sum((q.parts[0] for q in printed), Fraction(0))}
        label = set(roles.name.label) if roles.name is not None and roles.name.label_chunk is not None else set()
        outer = {part for r in roles.strengths if r.value.units[0] in units and not r.value.per for part in r.value.parts}
        if (label or outer) - known:
            roles.residue.append(Role("another strength", roles.composition[0][2]))

    def _base(self, molecule: str) -> str:
        """A molecule without its salt or ester: a label prints `Cefuroxime` for cefuroxime axetil."""
        words = molecule.split()
        while len(words) > 1 and words[-1] in self._lexicon.salts:
            words.pop()
        return " ".join(words)

    # -- one chunk -------------------------------------------------------------------------------------------------

    def _one(
        self, chunks: Sequence[Chunk], place: int, roles: Roles, *, insulin: bool, eye: bool, surface: Callable[[Chunk], str], tabled: bool
    ) -> int:
        chunk = chunks[place]
        kind = chunk.kind
        if kind in _SAID_OF_OTHERS and self._is_beside(chunks, place, roles, surface):
            roles.beside.append(Role(chunk.value, chunk))
        elif kind == "amount":
            self._amount(chunks, place, roles, insulin)
        elif kind == "rate":
            return self._rate(chunks, place, roles)
        elif kind == "slots":
            roles.slots.append(Role(chunk.value, chunk))
        elif kind == "when":
            roles.whens.append(Role(chunk.value, chunk))
        elif kind == "weekday":
            roles.weekdays.append(Role(chunk.value, chunk))
            if "weekly" in chunk.notes:
                roles.rates.append(Role(Rate(Fraction(1), Fraction(1), Fraction(1), Fraction(1), "wk"), chunk))
        elif kind == "duration":
            after = chunks[place + 1] if place + 1 < len(chunks) else None
            headed = after is not None and after.value == ":" and place + 2 < len(chunks) and chunks[place + 2].kind == "number"
            if self._is_period(chunks, place, surface):
                roles.unsupported.append(Role("a period", chunk))
            elif headed or (after is not None and after.kind == "number" and chunk.value[0] in (0, 1)):
                # `Night: 0  Days: 30`: the unit is the label of the next number.
                roles.residue.append(Role(surface(chunk), chunk))
            else:
                roles.durations.append(Role(chunk.value, chunk))
        elif kind == "site":
            self._site(chunk, roles, eye, surface)
        elif kind == "route":
            self._route(chunks, place, roles)
        elif kind == "release" or self._is_release(chunks, place):
            self._release(chunks, place, roles)
        elif kind == "prn":
            return self._prn(chunks, place, roles)
        elif kind == "cue":
            return self._cue(chunks, place, roles)
        elif kind == "range":
            roles.ambiguous.append(Role(("two_numbers", chunk.value), chunk))
        elif kind == "number" and self._labelled(chunks, place) == "quantity" and (noun := self._noun_before(chunks, place)) is not None:
            # `tabs 2`: a dose, or how many are dispensed.
            unit = self._lexicon.form_unit.get(str(meaning_of(noun, "form")))
            roles.counted.append(Role((chunk.value.parts[0], chunk.value.high, unit), chunk))
        elif kind == "number" and self._labelled(chunks, place) in ("quantity", "refills") and chunk.value.high is None:
            target = roles.quantities if self._labelled(chunks, place) == "quantity" else roles.refills
            target.append(Role((chunk.value.parts[0], None, None), chunk))
        elif kind in ("number", "word") and (piece := self._piece(chunks, place, roles, tabled=tabled)) is not None:
            roles.doses.append(Role(piece, chunk))
        elif kind in ("number", "tuple"):
            roles.numbers.append(Role(chunk.value, chunk))
        elif kind == "quantity" and surface(chunk).startswith("total") and chunk.value[2] is not None:
            self._total(chunk, roles)
        elif kind in ("malformed", "confused", "unreadable"):
            roles.unreadable.append(Role(chunk.value, chunk))
        elif kind == "word" and chunk.value == "x":
            after = chunks[place + 1] if place + 1 < len(chunks) else None
            if after is None or after.kind not in ("number", "amount", "slots", "duration", "range", "rate", "tuple", "malformed"):
                roles.residue.append(Role("x", chunk))
        elif kind == "word" and (
            (chunk.value in ("it", "them") and place and chunks[place - 1].kind == "verb")
            or (chunk.value == "into" and any(means(c, "site") for c in chunks[place + 1 : place + 3]))
        ):
            # `Take it after food.`, `1 drop into the right eye`
            pass
        elif kind == "word":
            if not (chunk.value in _SILENT_GLUE and chunk.value not in ("re", "le", "be")) and not (chunk.value == "be" and not eye):
                roles.residue.append(Role(chunk.value, chunk))
        elif kind == "mark" and chunk.value == "#" and self._counts(chunks, place):
            roles.quantities.append(Role((chunks[place + 1].value.parts[0], None, None), chunks[place + 1]))
            return place + 2
        elif kind == "mark":
            if chunk.value not in _PLAIN_MARKS or _is_a_sign(chunks, place):
                roles.residue.append(Role(chunk.value, chunk))
        elif kind == "inert":
            if (
                chunk.value == "monitoring"
                and roles.name is not None
                and chunk.start < roles.name.start
                and self._leads_to(chunks, place, surface)
            ):
                roles.residue.append(Role(surface(chunk), chunk))
            elif chunk.value not in _WITHOUT_CONTENT:
                roles.inert.append(Role(chunk.value, chunk))
        elif kind == "form" and self._is_other_form(chunks, place, roles):
            roles.residue.append(Role("another form", chunk))
        elif kind == "duration_open" and surface(chunk) in _NO_END:
            roles.inert.append(Role(chunk.value, chunk))
        elif kind == "terminator" and roles.name is not None and chunk.start >= roles.name.end:
            return self._joint(chunks, place, roles, surface(chunk))
        elif kind == "pseudo_cue" and _is_open(surface(chunk)) and _is_last(chunks, place):
            # `OD (not valid)`: what it is not goes on with the next word; where none stands, it is of the order.
            roles.unsupported.append(Role("negation", chunk))
        elif kind == "pseudo_cue" and surface(chunk).startswith("on ") and roles.name is not None and chunk.start > roles.name.start:
            # `OD on walking`: of a complaint, or when it is taken.
            roles.residue.append(Role(surface(chunk), chunk))
        elif kind in ("review_phrases", "boilerplate", "terminator", "item"):
            pass
        elif kind == "indication_part":
            beside = [
                c
                for c in (*chunks[max(place - 1, 0) : place], *chunks[place + 1 : place + 3])
                if c.kind in ("indication", "indication_part")
            ]
            if (not beside and surface(chunk) not in _SILENT_GLUE) or _is_taken_at(chunks, place, surface):
                roles.residue.append(Role(surface(chunk), chunk))
        elif kind == "indication":
            before = chunks[place - 1] if place else None
            after = chunks[place + 1] if place + 1 < len(chunks) else None
            if before is not None and before.value == "(" and not roles.prn and self._lexicon.remarks.reactions.search(surface(chunk)):
                # `OD (rash)`: why it is given, or what came of it.
                roles.residue.append(Role(surface(chunk), chunk))
                return place + 1
            pointed = before is not None and (
                before.kind in ("indication_part", "indication", "prn") or before.value in ("(", "for", ",", "/", "and")
            )
            if pointed or (after is not None and after.kind == "indication_part" and after.value == "closers"):
                roles.indications.append(Role(chunk.value, chunk))
            else:
                # Bare, it may be a reason or a reaction.
                roles.residue.append(Role(surface(chunk), chunk))
        elif kind == "heading":
            roles.residue.append(Role(surface(chunk), chunk))
        elif kind == "ambiguous" and place and chunks[place - 1].kind == "indication_part" and chunks[place - 1].value == "starters":
            # `for AF` names a reason; elsewhere `AF` may be after food.
            roles.indications.append(Role(surface(chunk), chunk))
        elif kind == "drug":
            roles.residue.append(Role("another name", chunk))
        elif kind in ("date", "code", "person_roles", "header_line_starts", "instruction_to_model", "collective", "model_label"):
            roles.residue.append(Role(kind, chunk))
        elif kind == "label":
            following = chunks[place + 1] if place + 1 < len(chunks) else None
            if following is not None and following.kind == "mark" and following.value in (":", "-", "=", "."):
                roles.labels.append(Role(chunk.value, chunk))
            elif surface(chunk) not in _SILENT_GLUE:
                roles.residue.append(Role(surface(chunk), chunk))
        elif kind == "composition":
            if chunk.value != "join" or not roles.composition:
                roles.residue.append(Role(surface(chunk), chunk))
        else:
            plain = _PLAIN_TARGETS.get(kind)
            if plain is None:
                roles.residue.append(Role(kind, chunk))
            else:
                getattr(roles, plain).append(Role(chunk.value, chunk))
        return place + 1

    def _piece(self, chunks: Sequence[Chunk], place: int, roles: Roles, *, tabled: bool) -> Quantity | None:
        """The dose in `500mg capsules, take ONE three times a day`: a count whose piece is the one form written before it.

        A number needs `take`, `Sig:` or `to be taken` beside it, or stands between a full strength and the timing of a tablet
        (`5 mg 1 OD`, `tab - 1 HS`); a number word may also stand behind a dash or comma.
        """
        chunk = chunks[place]
        value = self._lexicon.number_words.get(str(chunk.value)) if chunk.kind == "word" else None
        if chunk.kind == "number" and len(chunk.value.parts) == 1 and chunk.value.high is None:
            value = chunk.value.parts[0]
        units = {self._lexicon.form_unit.get(r.value) for r in roles.forms}
        if value is None or not 0 < value <= 10 or roles.slots or roles.name is None or chunk.start < roles.name.end or len(units) != 1:
            return None
        unit = units.pop()
        if unit is None or not unit.startswith("{") or self._lexicon.unit_by_ucum[unit].dimension.split(":")[0] != "count":
            return None
        before, after = chunks[place - 1], chunks[place + 1] if place + 1 < len(chunks) else None
        told = before.kind == "verb" or (before.value == ":" and meaning_of(chunks[place - 2], "label") == "dosage")
        listed = chunk.kind == "word" and before.kind == "mark" and before.value in ("-", ",", ":")
        if after is not None and after.value == "order_forms":
            return Quantity((value,), (unit,))
        timed = after is not None and after.kind in ("rate", "when", "route", "stat", "prn", "maximum")
        behind = before if before.value not in ("-", ",", ":") else chunks[place - 2]
        full = any(r.value.units[0] is not None and not r.value.per for r in roles.strengths) and not roles.doses and not roles.has_timing
        # `0.5 mg ½ HS`, `2 mg 2 HS` may say the same amount again.
        whole = value.denominator == 1 and not any(value in r.value.parts for r in roles.strengths if value != 1)
        counted = (
            full
            and whole
            and not tabled
            and chunk.kind == "number"
            and unit in ("{tbl}", "{capsule}")
            and behind.kind in ("amount", "form")
        )
        return Quantity((value,), (unit,)) if timed and (told or listed or counted) else None

    @staticmethod
    def _counts(chunks: Sequence[Chunk], place: int) -> bool:
        """`#30`: how many are dispensed."""
        after = chunks[place + 1] if place + 1 < len(chunks) else None
        return after is not None and after.kind == "number" and after.start == chunks[place].end and after.value.high is None and place > 0

    @staticmethod
    def _noun_before(chunks: Sequence[Chunk], place: int) -> Chunk | None:
        """The form before a number, with or without a colon between: `tabs 2`, `tabs: 2`."""
        near = [c for c in chunks[max(0, place - 2) : place] if c.kind != "mark" or c.value not in (":", "-", "=")]
        return near[-1] if near and means(near[-1], "form") else None

    def _total(self, chunk: Chunk, roles: Roles) -> None:
        """`total 40 mg`: what a dose or a day comes to, which is no strength and no pack; `total 10 tabs`, `total 100 ml` are packs."""
        number, _, unit = chunk.value
        dimension = self._lexicon.unit_by_ucum[unit].dimension
        on_skin = any(self._lexicon.form_family.get(f.value) == "topical" for f in roles.forms)
        if dimension.startswith("count:"):
            roles.counted.append(Role(chunk.value, chunk))
        elif (dimension == "volume" and number >= 30) or (unit == "g" and on_skin):
            roles.quantities.append(Role(chunk.value, chunk))
        else:
            roles.unsupported.append(Role("a total", chunk))

    def _amount(self, chunks: Sequence[Chunk], place: int, roles: Roles, insulin: bool) -> None:
        chunk = chunks[place]
        quantity: Quantity = chunk.value
        unit = quantity.units[0]
        assert unit is not None
        dimension = self._lexicon.unit_by_ucum[unit].dimension
        before = chunks[place - 1] if place else None
        if dimension in STRENGTH_DIMENSIONS and not (insulin and dimension == "iu" and not quantity.per):
            if before is not None and before.kind == "word" and before.value == "by":
                roles.unsupported.append(Role("change by an amount", chunk))
                return
            roles.strengths.append(Role(quantity, chunk))
            return
        if dimension == "unit" and quantity.per and quantity.per[0][1] in ("mL",):
            roles.strengths.append(Role(quantity, chunk))
            return
        # `x 10/5 tabs` is no one number of pieces.
        counted = dimension.startswith("count:") and len(quantity.parts) == 1
        pieces = Role((quantity.parts[0], quantity.high, unit), chunk)
        if quantity.per and self._lexicon.unit_by_ucum.get(quantity.per[0][1]) is not None:
            if self._lexicon.unit_by_ucum[quantity.per[0][1]].dimension == dimension:
                # `1 tab / 2 tab`: two doses side by side; which holds, and when, is not read.
                roles.unsupported.append(Role("two doses", chunk))
                return
        if dimension == "dose" and before is not None and before.value in ("x", "for", "starters"):
            # `q6h x 3 doses`, `q6h for 3 doses`: how many, not how much, and so for how long.
            if roles.rates and quantity.high is None and len(quantity.parts) == 1 and not quantity.per:
                roles.durations.append(Role((quantity.parts[0], None, "dose"), chunk))
            else:
                roles.unsupported.append(Role("number of doses", chunk))
            return
        if self._labelled(chunks, place) == "quantity" and quantity.high is None and len(quantity.parts) == 1:
            roles.quantities.append(pieces)
            return
        if dimension == "volume" and before is not None and (before.value in ("in", "into") or "needs_position" in before.notes):
            # `1 sachet in 1 litre water`: a diluent is part of the order and is not read (P22).
            roles.unsupported.append(Role("diluent", chunk))
            return
        if (
            counted
            and before is not None
            and before.kind == "word"
            and before.value == "x"
            and quantity.high is None
            and (roles.doses or roles.slots or roles.rates)
        ):
            roles.quantities.append(pieces)
            return
        bracketed = before is not None and before.kind == "mark" and before.value == "(" and bool(roles.durations)
        if counted and bracketed and quantity.high is None:
            roles.counted.append(pieces)
            return
        if counted and quantity.parts[0] >= 10 and before is not None and before.value == "x" and quantity.high is None:
            roles.quantities.append(pieces)
            return
        if counted and quantity.parts[0] >= 10 and (roles.doses or roles.slots or roles.durations or roles.rates or roles.prn):
            roles.quantities.append(pieces)
            return
        roles.doses.append(Role(quantity, chunk))

    def _rate(self, chunks: Sequence[Chunk], place: int, roles: Roles) -> int:
        """`BD-TDS`, `BD to TDS`: a range of frequencies; otherwise one rate."""
        chunk = chunks[place]
        rate: Rate = chunk.value
        if place + 2 < len(chunks) and chunks[place + 2].kind == "rate" and chunks[place + 1].value in ("-", "/", "to"):
            upper: Rate = chunks[place + 2].value
            if (rate.period, rate.unit) == (upper.period, upper.unit) and upper.low > rate.low:
                joined = chunk._replace(end=chunks[place + 2].end, last=chunks[place + 2].last)
                roles.rates.append(Role(rate._replace(high=upper.high), joined))
                return place + 3
        roles.rates.append(Role(rate, chunk))
        return place + 1

    @staticmethod
    def _labelled(chunks: Sequence[Chunk], place: int) -> str | None:
        """The field of the label directly before a chunk: `Qty: 30`."""
        before = chunks[place - 1] if place else None
        if before is not None and before.kind == "mark" and before.value in (":", "-", "="):
            before = chunks[place - 2] if place > 1 else None
        value = meaning_of(before, "label") if before is not None else None
        return str(value) if value is not None else None

    def _site(self, chunk: Chunk, roles: Roles, eye: bool, surface: Callable[[Chunk], str]) -> None:
        text = surface(chunk)
        if "ambiguous_site" in chunk.notes:
            if eye:
                roles.ambiguous.append(Role(("site", (chunk.value,)), chunk))
            elif text not in _SILENT_GLUE:
                roles.ambiguous.append(Role(("rate", ()), chunk))
            return
        if len(text) <= 2 and not eye:
            if text in ("be", "re", "le"):
                return
            roles.residue.append(Role(text, chunk))
            return
        roles.sites.append(Role(chunk.value, chunk))

    def _route(self, chunks: Sequence[Chunk], place: int, roles: Roles) -> None:
        chunk = chunks[place]
        on_skin = bool(roles.forms) and all(self._lexicon.form_family.get(f.value) == "topical" for f in roles.forms)
        if "needs_position" in chunk.notes and not (on_skin and chunk.value == "topical"):
            # `cream LA` is local application: nothing for the skin is long acting.
            roles.ambiguous.append(Role(("route", (chunk.value,)), chunk))
            return
        roles.routes.append(Role(chunk.value, chunk))
        for meaning in chunk.meanings:
            if meaning.kind == "site":
                roles.sites.append(Role(meaning.value, chunk))

    def _is_release(self, chunks: Sequence[Chunk], place: int) -> bool:
        """`Tab Carbamazepine 200 mg CR`: beside a solid form, or behind a mass, it is the release and no cream."""
        chunk = chunks[place]
        if chunk.kind != "form" or not means(chunk, "release"):
            return False
        if any(c.kind == "form" and c is not chunk and self._lexicon.form_family.get(c.value) == "solid_oral" for c in chunks):
            return True
        before = chunks[place - 1] if place else None
        if before is None or before.kind != "amount" or before.value.per:
            return False
        return all(u is not None and self._lexicon.unit_by_ucum[u].dimension == "mass" for u in before.value.units)

    @staticmethod
    def _release(chunks: Sequence[Chunk], place: int, roles: Roles) -> None:
        """A release word away from name, number and form is a title, a route or a degree; it is not read here."""
        chunk = chunks[place]
        before = chunks[place - 1] if place else None
        near = before is None or before.kind in ("number", "amount", "tuple", "form", "drug", "release") or place == 0
        if chunk.kind == "form":
            roles.releases.append(Role(meaning_of(chunk, "release"), chunk))
        elif near:
            roles.releases.append(Role(chunk.value, chunk))
        elif means(chunk, "route"):
            roles.ambiguous.append(Role(("route", ()), chunk))
        else:
            roles.residue.append(Role(chunk.value[0], chunk))

    @staticmethod
    def _reasons(chunks: Sequence[Chunk], place: int, roles: Roles) -> int:
        """Indications after `SOS for`, `if`, `in case of`."""
        while place < len(chunks):
            chunk = chunks[place]
            if chunk.kind == "indication":
                roles.prn_for.append(Role(chunk.value, chunk))
            elif not (
                chunk.kind in ("indication_part", "header_line_starts")
                or (chunk.kind in ("number", "tuple", "amount") and place and _measures(chunks[place - 1]))
                or (chunk.kind in ("word", "inert") and (chunk.value in _REASON_WORDS or chunk.value == "function_words"))
                or (chunk.kind == "mark" and chunk.value in ("/", "(", ",", ">", "<", "=", "°"))
            ):
                break
            elif chunk.kind in ("number", "tuple", "amount"):
                value = chunk.value
                roles.limits.append(Role(value.parts if isinstance(value, Quantity) else tuple(value), chunk))
            place += 1
        return place

    def _prn(self, chunks: Sequence[Chunk], place: int, roles: Roles) -> int:
        before = chunks[place - 1] if place else None
        if before is not None and before.kind == "cue" and before.value[0] in _ENDING:
            # `hold if HR < 60`: a condition of the end, which nobody here can weigh.
            roles.unsupported.append(Role("condition", chunks[place]))
            return self._reasons(chunks, place + 1, roles)
        roles.prn.append(Role(True, chunks[place]))
        after = place + 1
        kept = len(roles.limits)
        stop = self._reasons(chunks, after, roles)
        if any(c.kind == "indication" for c in chunks[after:stop]):
            return stop
        del roles.limits[kept:]
        return after

    @staticmethod
    def _joint(chunks: Sequence[Chunk], place: int, roles: Roles, text: str) -> int:
        """A joint behind the order: an exception, an end, or the beginning of another clause, which must be there."""
        chunk = chunks[place]
        if text in EXCEPTIONS:
            # `OD except on Sunday`: what stands behind it is not said, but taken out.
            roles.unsupported.append(Role("exception", chunk))
            after = place + 1
            while after < len(chunks) and (chunks[after].value in GLUE_WORDS or chunks[after].value in ("(", "-", ":")):
                after += 1
            return after + 1
        ending = next((_ENDS_IT[word] for word in text.split() if word in _ENDS_IT), None)
        last = _is_last(chunks, place)
        if ending is not None:
            # `x 5 days and stop` says no more than the duration does.
            if not (ending == "stopped" and last and roles.durations):
                value = (ending, "both")
                roles.cues.append(Role(value, chunk._replace(kind="cue", value=value)))
        elif "contin" in text:
            if roles.durations:
                # `x 30 days and continue`
                roles.open_durations.append(Role("continue", chunk))
        elif last and text.split(maxsplit=1)[0] in _JOINS:
            roles.unsupported.append(Role("a joint", chunk))
        return place + 1

    def _cue(self, chunks: Sequence[Chunk], place: int, roles: Roles) -> int:
        chunk = chunks[place]
        if chunk.value[0] == "switch_to" and roles.name is not None and chunk.start > roles.name.end and _is_last(chunks, place):
            # `OD, to be replaced by`, and nothing behind it.
            roles.unsupported.append(Role("a joint", chunk))
            return place + 1
        if chunk.value[0] == "stopped" and place and chunks[place - 1].kind == "weekday":
            # `5 days a week (Sat, Sun off)`: the days without it; nothing is stopped.
            roles.weekdays = [r for r in roles.weekdays if r.chunk is not chunks[place - 1]]
            roles.unsupported.append(Role("days off", chunk._replace(start=chunks[place - 1].start)))
            return place + 1
        if chunk.value[0] == "continue" and roles.durations and place and chunks[place - 1].value in (",", "and", "&", "then", ")", "-"):
            # `x 30 days, continue`
            roles.open_durations.append(Role("continue", chunk))
        if chunk.value[0] == "conditional" and (roles.name is None or chunk.start > roles.name.end):
            kept = len(roles.limits)
            stop = self._reasons(chunks, place + 1, roles)
            before = chunks[place - 1] if place else None
            if before is not None and before.kind == "cue" and before.value[0] in _ENDING:
                roles.unsupported.append(Role("condition", chunk))
                return max(stop, place + 1)
            if any(c.kind == "indication" or c.kind in ("amount", "number", "tuple") for c in chunks[place + 1 : stop]):
                # `TDS if fever`, `SOS if temp > 100 F`: as needed, with its reason.
                roles.prn.append(Role(True, chunk))
                return stop
            # A condition that is not read: nobody can say what it makes of the order.
            del roles.limits[kept:]
            roles.unsupported.append(Role("condition", chunk))
            return place + 1
        roles.cues.append(Role(chunk.value, chunk))
        return place + 1

    # -- after all chunks ------------------------------------------------------------------------------------------

    @staticmethod
    def _label_strength(roles: Roles) -> None:
        """A bare number after the name is a strength without a unit, unless a full strength is written too."""
        name = roles.name
        assert name is not None
        assert name.label_chunk is not None
        units: tuple[str | None, ...] = (None,) * len(name.label)
        roles.strengths.insert(0, Role(Quantity(name.label, units), name.label_chunk))

    @staticmethod
    def _right_eye(roles: Roles, surface: Callable[[Chunk], str]) -> None:
        """`OD` beside an eye form: the right eye if another frequency is written, else either."""
        od = [r for r in roles.rates if surface(r.chunk) == "od"]
        if not od:
            return
        others = [r for r in roles.rates if r not in od] or roles.slots
        roles.rates = [r for r in roles.rates if r not in od]
        for role in od:
            if others:
                roles.sites.append(Role("right eye", role.chunk))
            else:
                roles.ambiguous.append(Role(("rate", (role.value,)), role.chunk))

    def _after(
        self, roles: Roles, columns: tuple[str, ...], chunks: Sequence[Chunk], eye: bool, surface: Callable[[Chunk], str], *, stepped: bool
    ) -> None:
        for role in roles.slots:
            values, unit = role.value
            distinct = {v for v in values if v}
            if unit is not None and len(distinct) == 1:
                roles.doses.append(Role(Quantity((distinct.pop(),), (unit,)), role.chunk))
        if eye and not (stepped and len(roles.rates) == 1 and not roles.slots):
            # `QID x 1 week, OD x 1 week`: each step says how often.
            self._right_eye(roles, surface)
        self._under_columns(roles, columns, chunks)
        self._count(roles)
        if roles.name is not None and not roles.has_timing:
            # Nothing else says how often: it may be the order's after all.
            timing = [r for r in roles.beside if r.chunk.kind not in ("duration", "site")]
            roles.unsupported.extend(Role("timing of something else", r.chunk) for r in timing)
            roles.beside = [r for r in roles.beside if r not in timing]
        self._timed_doses(roles)

    def _under_columns(self, roles: Roles, columns: tuple[str, ...], chunks: Sequence[Chunk]) -> None:
        """Under `Days  Qty` the bare numbers behind the timing are these, if there is one for each column and no other duration;
        under `Morning  Noon  Night` they are the slots."""
        if "slot_morning" in columns:
            self._under_slots(roles, columns, chunks)
            return
        order = [c for c in columns if c in ("duration_days", "quantity")]
        if order[:1] != ["duration_days"] or roles.durations:
            return
        timed = min((t.chunk.end for t in (*roles.rates, *roles.slots, *roles.prn, *roles.whens, *roles.stat)), default=None)
        behind = [r for r in roles.numbers if timed is not None and timed <= r.chunk.start]
        if self._one_each(order, behind):
            self._take_columns(roles, order, behind)

    def _under_slots(self, roles: Roles, columns: tuple[str, ...], chunks: Sequence[Chunk]) -> None:
        """Under `Morning  Noon  Night  Days` a number in each of these columns, one behind the other, and no number elsewhere."""
        first = columns.index("slot_morning")
        size = next((n for n, slots in _SLOT_COLUMNS.items() if columns[first : first + n] == slots), 0)
        behind = columns[first + size :]
        numbers = [r for r in roles.numbers if r.value is not None]
        # `| 1 | 0 | 1 | 30 days |`: a cell with its unit is read by itself.
        bare = ("quantity",) if roles.durations else ("duration_days", "quantity")
        order = [*columns[first : first + size], *(c for c in behind[:2] if c in bare)]
        before = any(r.chunk.start < numbers[-1].chunk.start for r in roles.durations) if numbers else bool(roles.durations)
        timed = roles.rates or roles.slots or roles.prn or roles.stat or roles.day_parts or roles.weekdays or before
        if not size or timed or "slot_morning" in behind or not self._one_each(order, numbers):
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
        self._take_columns(roles, order[size:], numbers[size:])
        roles.numbers = [r for r in roles.numbers if r not in slots]

    @staticmethod
    def _one_each(order: Sequence[str], numbers: Sequence[Role]) -> bool:
        plain = all(isinstance(r.value, Quantity) and len(r.value.parts) == 1 and r.value.high is None for r in numbers)
        return plain and len(order) == len(numbers)

    @staticmethod
    def _take_columns(roles: Roles, order: Sequence[str], numbers: Sequence[Role]) -> None:
        for column, role in zip(order, numbers, strict=True):
            if column == "quantity":
                roles.quantities.append(Role((role.value.parts[0], None, None), role.chunk))
            else:
                roles.durations.append(Role((role.value.parts[0], None, "d"), role.chunk))
        roles.numbers = [r for r in roles.numbers if r not in numbers]

    @staticmethod
    def _count(roles: Roles) -> None:
        """`x 5 days (10 tabs)`, `OD tabs 2`: the total of the course is a pack; a few pieces, or what a timing follows, are a dose."""
        timed_at = {r.chunk.start for r in (*roles.rates, *roles.slots, *roles.whens)} if roles.counted else ()
        for role in roles.counted:
            number, high, unit = role.value
            low, top = course_total(roles)
            dose = Role(Quantity((number,), (unit,), high), role.chunk)
            if high is None and low <= number <= top and low > 0:
                roles.quantities.append(role)
            elif number < 5 or (number < 10 and role.chunk.end + 1 in timed_at):
                roles.doses.append(dose)
            elif number <= 12 and any(r.value.unit != "d" for r in roles.rates):
                # `weekly x 4 weeks (6 tabs)`
                roles.unsupported.append(Role("dose or pack", role.chunk))
            else:
                roles.quantities.append(role)

    @staticmethod
    def _timed_doses(roles: Roles) -> None:
        """`16 units before breakfast, 10 units before dinner`: which time belongs to which dose."""
        if len(roles.doses) < 2:
            return
        ends = [d.chunk.start for d in roles.doses[1:]] + [10**12]
        for dose, end in zip(roles.doses, ends, strict=True):
            codes = tuple(w.value[0] for w in roles.whens if dose.chunk.end <= w.chunk.start < end)
            roles.doses_timed.append((dose, codes))


_PLAIN_TARGETS = {
    "form": "forms",
    "stat": "stat",
    "as_directed": "as_directed",
    "duration_open": "open_durations",
    "maximum": "maxima",
    "quantity": "quantities",
    "refill": "refills",
    "pseudo_cue": "pseudo_cues",
    "ambiguous": "ambiguous",
    "unsupported": "unsupported",
    "verb": "verbs",
    "then": "unsupported",
}
