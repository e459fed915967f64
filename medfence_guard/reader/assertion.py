"""Whether a statement is an active order for this patient: cues before and behind the name, the section, the person.

Cues that all exclude "active" agree; cues with different verdicts are a conflict for a person (P24). A cue's scope ends
at the sentence, at `but`, or at the next name that has a cue of its own. Pseudo-cues (`no change in`, `do not stop`)
are longer phrases of the lexicon and so are read first; what one may say all the same is `pseudo_rules` of `lexicon/cues.json`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.draft import Draft
from medfence_guard.reader.remarks import CHANGES
from medfence_guard.reader.tables import StatusWords

ACTIVE, UNDECIDED, MENTION = "active", "undecided", "mention"
# Cue class -> what a statement under it is. `None`: the class does not speak of status.
_CLASS_STATUS: dict[str, str | None] = {
    "stopped": "stopped",
    "held": "held",
    "not_taking": "not_taking",
    "allergy": "allergy",
    "avoid": "avoid",
    "past": "past",
    "family": "family",
    "conditional": "conditional",
    "hypothetical": "hypothetical",
    "question": UNDECIDED,
    "refused": UNDECIDED,
    "administered": UNDECIDED,
    "switch_from": "stopped",
    "switch_to": ACTIVE,
    "increase": ACTIVE,
    "decrease": ACTIVE,
    "continue": ACTIVE,
    "taking": ACTIVE,
    "ambiguous": UNDECIDED,
}
_SECTION_CLASS = {"allergy": "allergy", "stopped": "stopped", "past": "past", "family": "family"}
# What these say is said of the name, or of something before it.
_OF_AN_OBJECT = frozenset({"stopped", "held", "avoid", "allergy", "not_taking"})
EXCLUDED = frozenset({"stopped", "held", "not_taking", "allergy", "avoid", "past", "family", "conditional", "hypothetical"})
Surface = Callable[[Chunk], str]
_Cues = list[tuple[str, Chunk]]


@dataclass(frozen=True, slots=True)
class Assertion:
    """status: `active`, an excluding class, `undecided` or `mention`. `cues`: the chunks that say so. `conflict`: they disagree."""

    status: str
    cues: tuple[Chunk, ...]
    conflict: bool = False


def _scoped(context: Sequence[Chunk], surface: Surface, words: StatusWords) -> list[Chunk]:
    """The cues of the words before the name that still reach it."""
    reaching: list[Chunk] = []
    for chunk, after in itertools.zip_longest(context, context[1:]):
        if chunk.kind == "terminator" or chunk.kind == "pseudo_cue":
            # `Not to be taken. No side effects, Tab X`: a finding ends no stop; what is stopped, a person must say.
            held = [c for c in reaching if _CLASS_STATUS.get(c.value[0]) not in (None, ACTIVE)] if chunk.kind == "pseudo_cue" else []
            reaching = [c._replace(value=("ambiguous", "before")) for c in held] + _begun_by(chunk, after, surface, words)
        elif chunk.kind == "cue":
            if chunk.value[0] == "taking":
                of_patient = surface(chunk).startswith(words.of_the_patient)
                if not of_patient and any(c.value[0] == "family" for c in reaching):
                    # `Wife takes X`: it is she who takes it.
                    continue
                reaching = [c for c in reaching if not _gives_way_to_taking(c, surface, words, of_patient=of_patient)]
            reaching.append(chunk)
    return reaching


def _begun_by(chunk: Chunk, after: Chunk | None, surface: Surface, words: StatusWords) -> list[Chunk]:
    """The cue that a joint or a pseudo-cue is itself, where it ends the reach of what stands before it."""
    said = surface(chunk)
    ending = next((words.ends_it[word] for word in said.split() if word in words.ends_it), None)
    if ending is not None and chunk.kind == "terminator" and (after is None or after.kind not in ("mark", "then")):
        # `Metformin BD and stop Amlodipine`
        return [chunk._replace(kind="cue", value=(ending, "before"))]
    if after is not None and words.reads_on("harm", said, after.kind, surface(after)):
        return [chunk._replace(kind="cue", value=("ambiguous", "before"))]
    return []


def _gives_way_to_taking(cue: Chunk, surface: Surface, words: StatusWords, *, of_patient: bool) -> bool:
    """`H/o MI, takes X`, `mother diabetic, patient takes X`: what is taken now is of neither."""
    if cue.value[0] == "past":
        return not surface(cue).startswith(words.until_in_the_past)
    return of_patient and bool(cue.value[0] == "family")


_QUALIFYING = frozenset(
    {
        "medicine_class",
        "word",
        "indication",
        "prn",
        "cue",
        "duration",
        "when",
        "number",
        "amount",
        "header_line_starts",
        "unsupported",
        "weekday",
    }
)


def _qualified(draft: Draft) -> Callable[[Chunk], bool]:
    """Of a cue of the end: whether words, a condition or a time stand behind it, or a duration before it."""
    last = max([c.start for c in draft.chunks if c.kind in _QUALIFYING], default=-math.inf)
    first = min([c.start for c in draft.chunks if c.kind == "duration"], default=math.inf)
    return lambda cue: cue.start < last or first < cue.start


class _Case(NamedTuple):
    """What is said of one statement.

    `lead`: its own words before its name; `before`: these and those of its clause; `classes`: the classes of its cues; `said`: the
    statuses of those that speak of status; `kinds`: these statuses and that of its section; `verbs`: it is told to be taken.
    """

    draft: Draft
    lead: Sequence[Chunk]
    before: Sequence[Chunk]
    classes: _Cues
    said: _Cues
    section: str | None
    kinds: set[str]
    verbs: bool
    ordered: bool
    timed: bool
    surface: Surface
    words: StatusWords

    @property
    def cues(self) -> tuple[Chunk, ...]:
        return tuple(cue for _, cue in self.said)

    @property
    def excluding(self) -> set[str]:
        return self.kinds & EXCLUDED

    @property
    def words_before(self) -> set[str]:
        return {self.surface(c) for c in self.before}


def _all_exclude(loose: Sequence[Chunk], own: Sequence[str]) -> bool:
    """`STOP X` or `Allergy: X`, and `H/o fever` on the next line: each of them says that X is not to be given (P24)."""
    beside = [_CLASS_STATUS.get(chunk.value[0]) if chunk.kind == "cue" else None for chunk in loose]
    return bool(own) and all(status in EXCLUDED for status in (*own, *beside))


def _has_own_object(cues: Sequence[Chunk], before: Sequence[Chunk]) -> bool:
    """Whether the words before a name close with a comma what its last cue, that points forward, is said of."""
    last = max((c.start for c in cues if c.value[0] in _OF_AN_OBJECT and c.value[1] != "after"), default=-1)
    behind = [c for c in before if c.start > last]
    comma = next((at for at, c in enumerate(behind) if c.kind == "mark" and c.value == ","), 0)
    return last >= 0 and comma > 0


def _finding_before_the_name(case: _Case) -> Chunk | None:
    """The finding that reads on into the name, with nothing but `on`, `to` or `by` between."""
    last = next((chunk for chunk in reversed(case.lead) if case.surface(chunk) not in case.words.towards), None)
    return last if last is not None and last.kind == "pseudo_cue" else None


def _denial_before_a_part(case: _Case) -> Chunk | None:
    """`No further Tab X`, `X 500 mg not valid BD`: a denial of something else, and directly behind it a part of the order."""
    for chunk, after in itertools.pairwise([*case.draft.context, *case.draft.chunks]):
        if chunk.kind == "pseudo_cue" and case.words.reads_on("denial", case.surface(chunk), after.kind, case.surface(after)):
            return chunk
    return None


def _counts_before(cue: Chunk, *, changed: bool) -> str:
    """The class that a cue before the name counts as. `changed`: the statement has an old value and a new one."""
    name, direction = cue.value
    if name in _CHANGING and not changed:
        return "ambiguous"
    if direction == "after" and name != "conditional" and _CLASS_STATUS.get(name) != ACTIVE:
        # It is said of what stands before it.
        return "ambiguous"
    return str(name)


# What a cue that looks forward counts as where it stands behind the name, and nothing that it could be said of behind it. `None`: as
# nothing; a class that is not here is ambiguous.
_FORWARD_BEHIND: dict[str, str | None] = {
    "stopped": "stopped",
    "held": "held",
    "avoid": "avoid",
    "continue": "continue",
    "taking": None,
}
_CHANGING = frozenset({"increase", "decrease"})
_ENDING = frozenset({"stopped", "held", "avoid"})


def _classes(
    draft: Draft, before: Sequence[Chunk], after_name: Sequence[Chunk], surface: Surface, words: StatusWords, *, ordered: bool
) -> _Cues:
    """The cues that speak of the statement, and the class each counts as where it stands."""
    found = [(_counts_before(cue, changed=draft.changed), cue) for cue in before]
    if not after_name:
        return found
    is_qualified = _qualified(draft)
    kept = not ordered and any(name == "continue" and not words.denials.isdisjoint(surface(cue).split()) for name, cue in found)
    for cue in after_name:
        name, direction = cue.value
        if kept and name == "not_taking" and surface(cue) in words.unasked:
            # `Never stop X without asking us`
            continue
        counts: str | None = name
        if name in _ENDING and direction != "after" and is_qualified(cue):
            # `x 5 days, stop`, `hold if HR < 60`, `avoid in pregnancy`: an end with a condition or a date is no end yet.
            counts = "ambiguous"
        elif name in _CHANGING:
            counts = None if draft.changed else "ambiguous"
        elif name == "switch_to":
            counts = None
        elif direction == "before" and name == "past":
            own = [_CLASS_STATUS.get(other) for other, _ in found] or [_SECTION_CLASS.get(draft.section_status)]
            counts = None if all(status in EXCLUDED for status in own) else "ambiguous"
        elif direction == "before":
            counts = _FORWARD_BEHIND.get(name, "ambiguous")
        if counts is not None:
            found.append((counts, cue))
    return found


def _kinds(said: _Cues, section: str | None, surface: Surface, words: StatusWords) -> set[str]:
    """The statuses that the cues and the section say; under a history, what is told to be taken now overrules it."""
    kinds = {status for status, _ in said}
    if section is not None:
        kinds.add(section)
    if section == "past":
        taking = [surface(c) for _, c in said if c.value[0] == "taking"]
        kinds.discard(section if taking and not any(t.startswith(words.of_the_past) for t in taking) else ACTIVE)
    return kinds


def _inherited(case: _Case) -> str | None:
    """`Stop Amlong, Telma`: the status by the cue of the order before it, where it has none of its own."""
    if case.said or case.verbs or case.draft.inherited is None or case.draft.inherited.kind != "cue":
        return None
    name = case.draft.inherited.value[0]
    status = ACTIVE if name == "switch_from" else _CLASS_STATUS.get(name)
    return None if status == ACTIVE else status


def _is_taken_out(case: _Case) -> bool:
    before, words = case.words_before, case.words
    return bool(before & words.exceptions) or (bool(before & words.until) and any(name == "taking" for name, _ in case.classes))


def _has_loose_words(case: _Case) -> bool:
    own = [*(status for status, _ in case.said), *([case.section] if case.section else [])]
    return bool(case.draft.loose) and not _all_exclude(case.draft.loose, own)


def _was_and_is(case: _Case) -> bool:
    return any(c.value[0] == "past" for c in case.cues) and any(case.surface(c) in case.words.now for c in case.draft.chunks)


def _is_denied(case: _Case) -> bool:
    denied = {c for c in (*case.draft.context, *case.draft.chunks) if case.surface(c) in case.words.denials}
    return bool(denied) and any(cue not in denied and status in EXCLUDED for status, cue in case.said)


def _denied_harm_before_an_order(case: _Case) -> Chunk | None:
    """`No drug allergy - Tab X 40 mg OD`: the denial is of all harm, and the order is its own. `No allergy to X` is of X."""
    for denial, cue in itertools.pairwise([*case.draft.context, *case.lead]):
        harm = cue.kind == "cue" and cue.value[0] == "allergy" and case.surface(cue).rpartition(" ")[2] not in case.words.towards
        if harm and case.timed and case.surface(denial) in case.words.of_no_harm:
            return cue
    return None


def _is_begun(case: _Case) -> bool:
    return any(c.kind == "terminator" and not case.words.beginning.isdisjoint(case.surface(c).split()) for c in case.before)


class _Rung(NamedTuple):
    """Where it holds, a statement has this status; `_AS_SAID`: the one that excludes it. `conflict`: what is said disagrees."""

    example: str
    holds: Callable[[_Case], object]
    status: str
    conflict: bool = False
    others: Callable[[_Case], tuple[Chunk, ...]] | None = None
    """The chunks that say so beside the cues."""


_AS_SAID = ""
# The first that holds decides; the last always does.
_LADDER = (
    _Rung("`Except X`, `Till last month on X`", _is_taken_out, UNDECIDED),
    _Rung("`X or Y`", lambda case: case.draft.alternative, UNDECIDED),
    _Rung(
        "a cue, a doubt or an amount in a clause of its own beside the order: whose it is, a person must say",
        _has_loose_words,
        UNDECIDED,
        conflict=True,
        others=lambda case: tuple(case.draft.loose),
    ),
    _Rung("`X -> Y`", lambda case: case.draft.replaced, "stopped"),
    _Rung("`Was on 20 mg, now 10 mg`: both, and a person must say which", _was_and_is, UNDECIDED, conflict=True),
    _Rung(
        "`hold if vomiting`: a conditional stop is an active order with a condition, which nobody here can weigh",
        lambda case: "conditional" in case.kinds and case.kinds & _ENDING,
        UNDECIDED,
        conflict=True,
    ),
    _Rung("`X not stopped`: what a denial leaves of it", lambda case: case.excluding and _is_denied(case), UNDECIDED, conflict=True),
    _Rung("`Stop X, continue X`", lambda case: case.excluding and case.kinds & {ACTIVE, UNDECIDED}, UNDECIDED, conflict=True),
    _Rung(
        "`Avoid NSAIDs, Tab Lasix 40 mg OD`: an order of its own behind what is avoided",
        lambda case: case.excluding and case.timed and _has_own_object(case.cues, case.before),
        UNDECIDED,
        conflict=True,
    ),
    _Rung("`No drug allergy - Tab X 40 mg OD`", lambda case: case.excluding and _denied_harm_before_an_order(case), UNDECIDED),
    _Rung("`Stop X`, `allergic to X`", lambda case: case.excluding, _AS_SAID),
    _Rung("`?X`, `d/c X`", lambda case: UNDECIDED in case.kinds, UNDECIDED),
)
# Whether it is an order, where nothing says that it is none.
_ORDERED = (
    _Rung("`Tab X`, `continue X`", lambda case: ACTIVE in case.kinds or case.verbs, ACTIVE),
    _Rung(
        "`Changes today:` and below it `Metformin 500 mg BD`: what it was, or what it is",
        lambda case: case.draft.section == CHANGES and not (case.timed and (case.draft.changed or _is_begun(case))),
        UNDECIDED,
    ),
    _Rung("`Rx`, `On treatment with`", lambda case: case.draft.section_status in ("active", "reported"), ACTIVE),
    _Rung("`X` in passing", lambda case: not case.ordered, MENTION),
    _Rung("`X 500 mg` under a plan", lambda case: case.draft.section_status in ("none", "cue") and not case.timed, UNDECIDED),
    _Rung("`X 500 mg BD`", lambda _: True, ACTIVE),
)


def _is_plainly_ordered(draft: Draft) -> bool:
    """Whether it is a `plain_order` under a heading of orders, with nothing beside it: no rung but that of the heading can hold."""
    beside = draft.loose or draft.alternative or draft.replaced or draft.inherited
    return draft.is_plain and draft.section_status == "active" and not beside


def assess(draft: Draft, after_name: Sequence[Chunk], *, ordered: bool, timed: bool, surface: Surface, words: StatusWords) -> Assertion:
    """Judge one statement. `after_name`: cues behind the name; `ordered`: it has a form, strength, dose or timing."""
    if ordered and not after_name and _is_plainly_ordered(draft):
        return Assertion(ACTIVE, ())
    lead = list(draft.chunks[: draft.anchor])
    before = [*draft.context, *lead]
    classes = _classes(draft, _scoped(before, surface, words), after_name, surface, words, ordered=ordered)
    said = [(status, cue) for name, cue in classes if (status := _CLASS_STATUS.get(name)) is not None]
    section = _SECTION_CLASS.get(draft.section_status)
    kinds = _kinds(said, section, surface, words)
    verbs = any(c.kind == "verb" for c in before)
    case = _Case(draft, lead, before, classes, said, section, kinds, verbs, ordered, timed, surface, words)
    inherited = _inherited(case)
    if inherited is not None and draft.inherited is not None:
        # A full order of its own leaves the reach of the cue open: `Stop Amlong, Telma 40 mg OD`.
        return Assertion(UNDECIDED if timed else inherited, (draft.inherited,))
    for rung in _LADDER:
        if rung.holds(case):
            cues = case.cues if rung.others is None else (*case.cues, *rung.others(case))
            return Assertion(rung.status or min(case.excluding), cues, rung.conflict)
    # A denial of a part, or a finding that reads on into a name without an order, is all that is said: `Reduced vision on X`.
    apart = _denial_before_a_part(case) or (None if ordered else _finding_before_the_name(case))
    if apart is not None:
        return Assertion(UNDECIDED, (apart,))
    status = next(rung.status for rung in _ORDERED if rung.holds(case))
    return Assertion(status, case.cues)
