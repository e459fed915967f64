"""A source as statements: what each says, of which medicine, and whether it is an order.

A statement with several steps (`40 mg OD x 5 days then 20 mg OD`) becomes one statement per step, all of one group,
so that every step has to be owned. A dose change (`increased from 500 mg to 850 mg`, `5 mg → 10 mg`, `was 75 mcg`)
keeps the new values and remembers the old ones as superseded.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from medfence_guard.contract import Span
from medfence_guard.reader.assertion import MENTION, UNDECIDED, Assertion, assess
from medfence_guard.reader.beside import is_lasting_disease
from medfence_guard.reader.chunks import Chunk, extent
from medfence_guard.reader.draft import Draft
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.quoted import Quotations, Quoting
from medfence_guard.reader.roles.reader import RoleReader
from medfence_guard.reader.roles.record import DAY_PARTS, NameReading, Role, Roles
from medfence_guard.reader.told import sort_of

_VALUE_KINDS = frozenset({"amount", "number", "tuple", "rate", "slots"})
_STEP_KINDS = frozenset({"amount", "rate", "slots", "when", "prn"})
_TIMES_OF_A_STEP = frozenset({"rate", "slots", "when", "prn", "stat", "duration"})
_AMOUNT = frozenset({"amount"})
_is_arrow = re.compile(r"[-=]{1,6}>|→|⇒").fullmatch


@dataclass(slots=True)
class Statement:
    """One medication statement (one step of it). `index`: order in the source; `group`: shared by the steps of one statement.

    `quoted`: chunks of it that are not in its roles, since the items and fields `quoting` hand them on word for word (`quoted.py`);
    `quoted_behind`: sentences behind it that they hand on too.
    """

    index: int
    group: int
    step: int
    span: Span
    roles: Roles
    assertion: Assertion
    section: str
    known: bool
    injected: bool
    shared_tail: bool
    numbered: int | None
    chunks: tuple[Chunk, ...]
    superseded: Roles | None = None
    beside: tuple[Chunk, ...] = ()
    interleaved: bool = False
    told_beside: frozenset[str] = frozenset()
    inherited: Chunk | None = None
    quoted: tuple[Chunk, ...] = ()
    quoting: frozenset[Quoting] = frozenset()
    quoted_behind: tuple[Span, ...] = ()

    @property
    def name(self) -> NameReading:
        assert self.roles.name is not None
        return self.roles.name

    @property
    def readable(self) -> bool:
        """Nothing in it was left unread."""
        return not (
            self.interleaved
            or self.roles.residue
            or self.roles.unreadable
            or self.roles.ambiguous
            or self.roles.unsupported
            or self.roles.numbers
        )

    @property
    def bare(self) -> bool:
        """A name and nothing more."""
        r = self.roles
        return not (r.strengths or r.doses or r.forms or r.durations or r.has_timing or r.routes or r.unreadable or r.ambiguous)


def _changes(chunks: Sequence[Chunk], turn: int, surface: Callable[[Chunk], str], factors: Mapping[str, Fraction]) -> set[str | Fraction]:
    """What a dose is changed by, as the words say and as the values on both sides of the turn do: a direction, or another factor."""
    cues = [c for c in chunks if c.kind == "cue" and c.value[0] in ("increase", "decrease")]
    found: set[str | Fraction] = {c.value[0] for c in cues}
    by = _ratio(chunks, turn) if cues else None
    if by is not None and by != 1:
        found.add("increase" if by > 1 else "decrease")
    # `14 units -> 18 units`, and below it `double dose`
    found.update(factor for factor in map(factors.get, map(surface, cues)) if factor is not None and factor != by)
    return found


def _ratio(chunks: Sequence[Chunk], turn: int) -> Fraction | None:
    """By what the last value before the turn is changed to the first behind it: of an amount, or of the times a day. None if not known."""
    for kinds in (("amount", "number"), ("rate",)):
        was = next((c for c in chunks[turn - 1 :: -1] if c.kind in kinds), None)
        now = next((c for c in chunks[turn:] if c.kind in kinds), None)
        if was is not None and now is not None:
            before, of = _size(was)
            after, of_now = _size(now)
            comparable = of == of_now or "number" in (was.kind, now.kind)  # `40 -> 80 mg`
            return after / before if comparable and before and after is not None else None
    return None


def _size(chunk: Chunk) -> tuple[Fraction | None, object]:
    """`(how much, of what)` a value says; None for a combination, which has no one size."""
    if chunk.kind == "rate":
        return chunk.value.low / chunk.value.period, chunk.value.unit
    return (chunk.value.parts[0] if len(chunk.value.parts) == 1 else None), chunk.value.units


def _superseding(
    chunks: Sequence[Chunk], anchor: int, surface: Callable[[Chunk], str], factors: Mapping[str, Fraction]
) -> tuple[list[Chunk], list[Chunk], bool]:
    """`(current, superseded, changed)`: the chunks that hold now, and those a dose change replaced."""
    changing = any(c.kind == "cue" and c.value[0] in ("increase", "decrease") for c in chunks) or any(
        # `X 40 mg changed from OD to BD`
        c.kind == "cue" and c.value[0] == "switch_from" and after.kind in _VALUE_KINDS
        for c, after in itertools.pairwise(chunks[anchor + 1 :])
    )
    kept = list(chunks)
    old: list[Chunk] = []
    turn: int | None = None
    last_value = _last(chunks, _VALUE_KINDS)
    sorts = _Sides(chunks, anchor + 1)
    for place in range(anchor + 1, len(chunks)):
        chunk = chunks[place]
        arrow = _is_arrow(surface(chunk)) is not None
        to_word = chunk.kind == "word" and chunk.value == "to"
        inner = chunk.kind == "cue" and chunk.value[0] in ("increase", "decrease", "switch_to") and surface(chunk).endswith(" to")
        if arrow and not sorts.of_one_kind(place):
            arrow = False
        if (arrow or (to_word and changing) or inner) and place < last_value:
            turn = place
            if arrow and any(c.kind == "duration" for c in chunks[anchor + 1 : place]):
                turn = None
            break
    if turn is not None and len(_changes(chunks, turn, surface, factors)) > 1:
        # `reduced to 5 mg OD`, and below it `double dose`
        turn = None
    if turn is not None:
        after = chunks[turn + 1 :]
        renewed = {c.kind for c in after if c.kind in _VALUE_KINDS}
        if renewed & {"amount", "number", "tuple"}:
            renewed |= {"number", "tuple"}
        if renewed & {"rate", "slots"}:
            renewed |= {"rate", "slots"}
        # `Increase X 500 mg to 2 tablets`: a number of pieces replaces no strength.
        counted = _sorts([c for c in after if c.kind in ("amount", "number", "tuple")]) == {"count"}
        replaced = [c for c in chunks[anchor + 1 : turn] if c.kind in renewed and not (counted and "strength" in _sorts([c]))]
        first = next((c for c in after if c.kind in ("amount", "number", "tuple")), None)
        in_units = first is not None and first.kind == "amount" and first.value.units in (("{unit}",), ("[iU]",))
        if in_units and chunks[turn - 1].kind == "number" and surface(chunks[turn - 2]).endswith("from"):
            # `increased from 10 to 14 units`
            replaced.append(chunks[turn - 1])
        old = replaced
        kept = [c for c in chunks[:turn] if c not in replaced] + list(after)
        kept = [c for c in kept if not (c.kind == "word" and c.value in ("from", "to"))]
        kept = [c for c in kept if not (c.kind == "then" and _is_arrow(surface(c)))]
    # `(was 75 mcg)`, `previously 500 mg BD`
    place = anchor + 1
    current: list[Chunk] = []
    in_past = False
    for index, chunk in enumerate(kept):
        if index <= anchor:
            current.append(chunk)
            continue
        if chunk.kind == "cue" and chunk.value[0] == "past" and chunk.value[1] != "after":
            followed = kept[index + 1].kind if index + 1 < len(kept) else ""
            if followed in ("amount", "number", "tuple", "rate", "slots"):
                in_past = True
                continue
        if chunk.kind == "word" and chunk.value == "was":
            in_past = True
            continue
        if in_past and chunk.kind == "mark" and chunk.value in (")", ",", ".", ";"):
            in_past = False
        if in_past and chunk.kind in ("amount", "number", "tuple", "rate", "slots", "when", "duration"):
            old.append(chunk)
            continue
        current.append(chunk)
    return current, old, turn is not None


def _last(chunks: Sequence[Chunk], kinds: frozenset[str]) -> int:
    """The last place of a chunk of these kinds; -1 if there is none."""
    return next((place for place in range(len(chunks) - 1, -1, -1) if chunks[place].kind in kinds), -1)


class _Sides:
    """The sorts of value on both sides of a place: a first and a last place of each, found once for all arrows of a statement."""

    def __init__(self, chunks: Sequence[Chunk], first: int) -> None:
        self._chunks = chunks
        self._from = first
        self._places: dict[str, tuple[int, int]] | None = None

    def of_one_kind(self, place: int) -> bool:
        """Whether an arrow stands between two values of one kind (`5 mg -> 10 mg`, `OD -> BD`); else it only points
        (`625 Duo -> 1 tab BD`)."""
        if self._places is None:
            self._places = {}
            for here in range(self._from, len(self._chunks)):
                for sort in _sorts(self._chunks[here : here + 1]):
                    self._places[sort] = (self._places.get(sort, (here, here))[0], here)
        return any(first < place < last for first, last in self._places.values())


def _sorts(chunks: Sequence[Chunk]) -> set[str]:
    out: set[str] = set()
    for chunk in chunks:
        if chunk.kind in ("rate", "slots"):
            out.add("timing")
        elif chunk.kind == "amount":
            unit = chunk.value.units[0] or ""
            out.add("count" if unit.startswith("{") or unit == "[drp]" else "strength")
        elif chunk.kind in ("number", "tuple"):
            out.add("strength")
    return out


_LINKS = (
    "taking",
    "continue",
    "switch_to",
    "switch_from",
    "increase",
    "decrease",
    "hypothetical",
    "stopped",
    "held",
    "avoid",
    "allergy",
    "not_taking",
    "past",
)
_PRONOUNS = frozenset({"he", "she", "they", "her", "his", "who", "discharged"})
_SUFFERED = frozenset(
    {"developed", "had", "got", "after", "rash", "reaction", "cough", "dry cough", "swelling", "due", "since", "vomiting", "itching"}
)
# Words that make what follows later, or depend on something.
_CONDITIONS = frozenset({"after", "before", "when", "until", "till", "post", "if", "once", "from", "in", "unless", "while", "or", "either"})
_TIMED = frozenset({"rate", "prn", "weekday", "slots", "stat", "maximum"})


_SET_BEFORE = frozenset({*_TIMED, "amount", "prn", "weekday", "stat", "duration", "then", "unsupported"})


def _set_before(context: Sequence[Chunk], surface: Callable[[Chunk], str], lexicon: Lexicon) -> list[Chunk]:
    """`Weekly, Tab X`, `Half dose, Tab X`, `Yesterday, Tab X`: a few words before a comma that speak of nothing else.

    A complaint, a test or a finding there (`Fever x 3 days, Tab X`) is no part of the order.
    """
    start = max((n for n, c in enumerate(context) if c.kind == "mark" and c.value in (",", ":")), default=-1) + 1
    words = [c for c in context[start:] if c.kind != "mark"]
    if not 1 <= len(words) <= 4 or any(c.kind in ("indication", "header_line_starts", "drug", "person_roles", "date") for c in words):
        return []
    changing = lexicon.remarks.changes | lexicon.remarks.changes_beside | lexicon.doubt_words
    told = any(c.kind in _SET_BEFORE for c in words) or any(str(c.value) in changing or surface(c) in changing for c in words)
    if not told and surface(words[0]) not in lexicon.remarks.starts:
        return []
    # A cue is weighed elsewhere; whatever else is there is of the order, or unread.
    return [c._replace(kind="word", value=surface(c)) if c.kind in ("cue", "label", "site", "verb") else c for c in words]


def _reaching(context: Sequence[Chunk], lead: Sequence[Chunk], surface: Callable[[Chunk], str], lexicon: Lexicon) -> list[Chunk]:
    """The words before the lead that belong to the order's own clause (P21).

    A comma ends a clause. A verb of order or a status cue links the name to what stands before it, so words before
    the link are the sentence's (`fever since 2 days, start Dolo`); timing in the same stretch still counts. Without a
    link every word up to the comma is the order's: `not Tab X`, `SOS Tab X`, `2 x Tab X`.
    """
    clause: list[Chunk] = []
    comma = max((n for n, c in enumerate(context) if c.kind == "mark" and c.value == ","), default=-1)
    clause = list(context[comma + 1 :])
    if comma > 0 and not any(c.kind != "mark" for c in clause):
        clause = [*_set_before(context[:comma], surface, lexicon), *clause]
    clause = _without_problem(clause, lead, surface)
    link = max(
        (i for i, c in enumerate(clause) if c.kind == "verb" or (c.kind == "cue" and c.value[0] in _LINKS)),
        default=None,
    )
    taken = any(c.kind == "cue" and c.value[0] == "taking" for c in lead)
    if link is not None:
        before = [c for c in clause[:link] if c.kind in _TIMED]
        had = clause[link].kind == "cue" and clause[link].value[0] == "past"
        clause = [*before, *clause[link + 1 :]]
        if had and taken:
            # `H/o HTN x 5 yrs on X`
            clause = _without_lasting_disease(clause, surface, lexicon)
    elif any(c.kind == "verb" or (c.kind == "cue" and c.value[0] in ("continue", "switch_to")) for c in lead):
        # `Dyslipidaemia - continue X`: what it is for, before a dash. A word at the verb itself is of the order: `seldom take X`.
        dash = max((n for n, c in enumerate(clause) if c.kind == "mark" and c.value == "-"), default=-1)
        clause = [
            c
            for n, c in enumerate(clause)
            if surface(c) not in _PRONOUNS
            and (n > dash or not (c.kind == "word" and c.value not in lexicon.doubt_words and c.value not in _CONDITIONS))
        ]
    elif taken and len(told := _without_lasting_disease(clause, surface, lexicon)) < len(clause):
        clause = told
    elif taken and not any(surface(c) in _SUFFERED for c in clause):
        # `K/c/o T2DM on Glycomet`: whom it is for, unless it is what it did.
        # `Known T2DM for 10 years on X`: how long it is known.
        suffers = any(c.kind == "indication" for c in clause)
        clause = [
            c
            for c in clause
            if c.kind != "indication"
            and not (suffers and (c.kind == "duration" or surface(c) == "known"))
            and not (c.kind == "heading" and c.value[1] == "reported")
            and surface(c) not in _PRONOUNS
            and not (c is clause[-1] and surface(c) in _SAYS)
        ]
    out: list[Chunk] = []
    for chunk in clause:
        if chunk.kind in ("cue", "pseudo_cue", "verb", "form"):
            continue
        timed = next((m for m in chunk.meanings if m.kind in _TIMED), None) if chunk.kind == "label" else None
        out.append(chunk._replace(kind=timed.kind, value=timed.value) if timed is not None else chunk)
    return out


def _without_lasting_disease(clause: Sequence[Chunk], surface: Callable[[Chunk], str], lexicon: Lexicon) -> list[Chunk]:
    """Before `on X`: a disease that lasts, and since when, is no part of the order. Else all as it is."""
    return [] if is_lasting_disease(clause, surface, lexicon) else list(clause)


# Before `taking`: by whom it is told.
_SAYS = frozenset({"reports", "reported", "states", "confirms"})


def _without_problem(clause: Sequence[Chunk], lead: Sequence[Chunk], surface: Callable[[Chunk], str]) -> list[Chunk]:
    """`Hypertension: continue X`, `Hyperlipidemia - increase X`: the problem before a colon or dash is a heading, not part of the order."""
    told = any(c.kind == "verb" or (c.kind == "cue" and c.value[0] in _ORDERED_BY) for c in lead)
    size = 0
    while size < len(clause) and (clause[size].kind in ("indication", "indication_part") or clause[size].value in (",", "/")):
        size += 1
    mark = clause[size] if size < len(clause) else lead[0] if lead else None
    if not told or not size or mark is None or any(surface(c) in _SUFFERED for c in clause):
        return list(clause)
    if mark.value not in (":", "-") and not (mark.kind == "cue" and surface(mark).startswith("- ")):
        # `HTN - continue X`: the dash may be of the cue.
        return list(clause)
    return list(clause[size + 1 :])


_ORDERED_BY = frozenset({"continue", "taking", "increase", "decrease", "switch_to"})


# What a step parted by a comma, a semicolon or the end of a line is made of: an amount, when, how long.
_STEP_ONLY = frozenset({"amount", "rate", "slots", "when", "duration", "site"})
_PARTING = frozenset({",", ";"})


class _Step:
    """The chunks of a step, and what they come to so far."""

    def __init__(self) -> None:
        self.chunks: list[Chunk] = []
        self.kinds: set[str] = set()
        self.brackets = 0
        self._durations = 0
        self._timed = False

    def add(self, chunk: Chunk) -> None:
        kind, value = chunk.kind, chunk.value
        self.chunks.append(chunk)
        self.kinds.add(kind)
        self._durations += kind == "duration"
        self._timed = self._timed or kind in ("rate", "slots") or (kind == "when" and value[0] in DAY_PARTS)
        if kind == "mark":
            self.brackets += (value in ("(", "[")) - (value in (")", "]"))

    @property
    def is_whole(self) -> bool:
        """A frequency and a duration: nothing is left open that the words behind it could still tell."""
        return self._timed and self._durations == 1


def _broken(before: Chunk, after: Chunk, surface: Callable[[Chunk], str]) -> bool:
    """Whether a line ends, or a semicolon stands, between two chunks."""
    between = surface(after._replace(start=before.end, end=after.start)) if before.end <= after.start else ""
    return "\n" in between or ";" in between


def _parted(chunks: Sequence[Chunk], place: int, before: _Step, surface: Callable[[Chunk], str]) -> bool:
    """`40 mg OD x 5 days, 20 mg OD x 5 days`: a whole step before the place and a whole one behind it, which names nothing new."""
    chunk = chunks[place]
    comma = chunk.kind == "mark" and chunk.value in _PARTING
    if not before.is_whole or before.brackets or not (comma or _broken(chunks[place - 1], chunk, surface)):
        return False
    step = _Step()
    for index in range(place + comma, len(chunks)):
        here = chunks[index]
        if here.kind == "then" or (here.kind == "mark" and here.value in _PARTING):
            break
        if step.chunks and _broken(step.chunks[-1], here, surface):
            break
        step.add(here)
    plain = all(
        c.kind in _STEP_ONLY or (c.kind == "mark" and c.value in (".", "-")) or (c.kind == "word" and c.value in ("x", "for"))
        for c in step.chunks
    )
    return plain and step.is_whole


def _steps(chunks: Sequence[Chunk], anchor: int, surface: Callable[[Chunk], str]) -> list[list[Chunk]]:
    """The chunks of each step, split at `then`, `followed by`, `→` and between whole steps; one list when there are no steps."""
    head = list(chunks[: anchor + 1])
    parts = [_Step()]
    dropped = False
    last_of_a_step, last_amount = _last(chunks, _STEP_KINDS), _last(chunks, _AMOUNT)
    for place in range(anchor + 1, len(chunks)):
        chunk = chunks[place]
        if _parted(chunks, place, parts[-1], surface):
            parts.append(_Step())
            if chunk.kind == "mark":
                continue
        if chunk.kind == "then":
            before = parts[-1].kinds
            if surface(chunk) == "then stop" and place + 1 == len(chunks) and "duration" in before:
                dropped = True
                continue
            stops = _next_but_words(chunks, place + 1) if "duration" in before else None
            if stops is not None and stops.kind == "cue" and stops.value[0] == "stopped":
                # `x 5 days then stop` says no more than the duration does.
                for behind in chunks[place + 1 :]:
                    if behind is not stops:
                        parts[-1].add(behind)
                break
            timed = not before.isdisjoint(_TIMES_OF_A_STEP)
            if (
                place < last_of_a_step
                and (timed or place < last_amount)
                and not before.isdisjoint(_STEP_KINDS)
                and (timed or chunk.value != "arrow")
            ):
                parts.append(_Step())
                continue
            if chunk.value == "arrow" and not timed:
                # `Calpol 650 mg -> SOS`: an arrow between a name and its timing only points.
                dropped = True
                continue
        parts[-1].add(chunk)
    if len(parts) == 1 and not dropped:
        return [list(chunks)]
    return [head + part.chunks for part in parts]


def _next_but_words(chunks: Sequence[Chunk], place: int) -> Chunk | None:
    """The first chunk from a place on that is neither a mark nor an unknown word."""
    return next((chunks[n] for n in range(place, len(chunks)) if chunks[n].kind not in ("mark", "word")), None)


def _inherit(first: Roles, later: Roles) -> None:
    """A later step is of the same product: name, form and, if it states none, strength and dose are the first step's."""
    later.name = first.name
    if not (later.strengths or later.doses or later.slots or first.slots) and len(first.doses) == 1:
        later.doses = list(first.doses)
    for name in ("forms", "releases", "routes", "sites"):
        if not getattr(later, name):
            setattr(later, name, list(getattr(first, name)))
    if not later.strengths:
        later.strengths = list(first.strengths)
    if first.name is not None and first.name.label_chunk is not None:
        later.strengths = [r for r in later.strengths if r.chunk is not first.name.label_chunk] or list(first.strengths)
    elif len(later.strengths) > 1:
        later.strengths = later.strengths[:]


class StatementReader:
    """Turns drafts into statements."""

    def __init__(self, roles: RoleReader, lexicon: Lexicon) -> None:
        self._roles = roles
        self._lexicon = lexicon

    def read(self, drafts: Sequence[Draft], surface: Callable[[Chunk], str], quotations: Quotations | None = None) -> list[Statement]:
        """All statements of the drafts. `quotations`: what the record hands on word for word."""
        statements: list[Statement] = []
        for group, draft in enumerate(drafts):
            read = self._read_one(draft, group, len(statements), surface)
            if quotations is not None:
                read = self._without_what_is_quoted(draft, group, read, surface, quotations)
            statements.extend(read)
        return statements

    def _without_what_is_quoted(
        self, draft: Draft, group: int, read: list[Statement], surface: Callable[[Chunk], str], quotations: Quotations
    ) -> list[Statement]:
        """The statements of a draft, read again without what an item quotes of it; as they are if nothing is quoted."""
        unread = {r.chunk for s in read for r in (*s.roles.residue, *s.roles.unsupported, *s.roles.ambiguous, *s.roles.numbers)}
        if read[0].assertion.status == UNDECIDED:
            unread.update(read[0].assertion.cues)
        unread.update(c for c in draft.chunks[draft.anchor :] if c.kind in ("then", "terminator") or surface(c) == "then")
        apart = quotations.set_apart(draft, group, unread) if quotations.may_be_of(group, unread) else None
        if apart is None:
            return read
        again = self._read_one(apart.draft, read[0].group, read[0].index, surface)
        told = {sort_of(c.kind) for c in apart.quoted}
        for statement in again:
            statement.chunks, statement.span = tuple(draft.chunks), read[0].span
            statement.quoted, statement.quoting, statement.quoted_behind = apart.quoted, apart.quoting, apart.remarks
            statement.told_beside |= told
        return again

    def _read_one(self, draft: Draft, group: int, index: int, surface: Callable[[Chunk], str]) -> list[Statement]:
        if draft.is_plain:
            # No word before it, no change, no step.
            anchor, current = draft.anchor, draft.chunks
            old: list[Chunk] = []
            parts = [current]
        else:
            before = _reaching(draft.context, draft.chunks[: draft.anchor], surface, self._lexicon)
            anchor = draft.anchor + len(before)
            current, old, turned = _superseding([*before, *draft.chunks], anchor, surface, self._lexicon.status.factors)
            if draft.shared:
                first_told = draft.shared[0]
                current = [*current, first_told._replace(kind="mark", value=",", end=first_told.start, meanings=()), *draft.shared]
            draft.changed = turned or bool(old)
            parts = _steps(current, anchor, surface)
        whole = current if len(parts) > 1 else ()
        out: list[Statement] = []
        first: Roles | None = None
        for step, part in enumerate(parts):
            roles = self._roles.read(part, anchor, surface, draft.columns, whole)
            if first is None:
                if whole and not roles.sites:
                    # `QID x 1 week, TDS x 1 week LE`: the site behind the last step is of them all.
                    roles.sites = self._roles.read(parts[-1], anchor, surface, draft.columns, whole).sites
                first = roles
            else:
                _inherit(first, roles)
            after_name = [r.chunk for r in roles.cues if r.chunk.start > draft.chunks[draft.anchor].start]
            timed = first.has_timing or bool(first.doses_timed)
            ordered = timed or bool(
                first.strengths or first.doses or first.forms or first.durations or first.routes or first.unreadable or first.ambiguous
            )
            assertion = assess(draft, after_name, ordered=ordered, timed=timed, surface=surface, words=self._lexicon.status)
            told_beside = draft.told_beside
            behind = next((n for n, c in enumerate(draft.chunks) if c.kind == "word" and c.value in self._lexicon.told.every), None)
            if whole and behind is not None:
                # `20 mg x 1 week, 10 mg x 1 week (all OD)`
                told_beside |= {sort_of(c.kind) for c in draft.chunks[behind:]} - {sort_of(c.kind) for c in part}
            superseded = self._roles.read(old, None, surface) if old else None
            if superseded is not None:
                roles.superseded = [*superseded.strengths, *superseded.doses, *superseded.rates, *superseded.slots, *superseded.numbers]
            span = Span(*extent(draft.chunks))
            out.append(
                Statement(
                    index + step,
                    group,
                    step,
                    span,
                    roles,
                    assertion,
                    draft.section,
                    draft.known,
                    draft.injected,
                    draft.shared_tail,
                    draft.numbered,
                    tuple(draft.chunks),
                    superseded,
                    tuple(draft.context),
                    told_beside=told_beside,
                    inherited=draft.inherited,
                )
            )
        return out


__all__ = ["MENTION", "Role", "Statement", "StatementReader"]
