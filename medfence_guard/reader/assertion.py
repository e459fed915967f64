"""Whether a statement is an active order for this patient: cues before and behind the name, the section, the person.

Cues that all exclude "active" agree; cues with different verdicts are a conflict for a person (P24). A cue's scope ends
at the sentence, at `but`, or at the next name that has a cue of its own. Pseudo-cues (`no change in`, `do not stop`)
are longer phrases of the lexicon and so are read first.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.draft import Draft
from medfence_guard.reader.remarks import CHANGES

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
_EXCEPTIONS = frozenset({"except", "except for", "other than", "apart from", "aside from", "barring", "excluding", "save for"})
_ENDS = frozenset({"till", "until", "upto", "up to"})
# What these say is said of the name, or of something before it.
_OF_AN_OBJECT = frozenset({"stopped", "held", "avoid", "allergy", "not_taking"})
# By which a finding (`skin allergy`) is to the medicine named behind it.
_HARM = re.compile("allerg|sensitivi|intoleran|reaction")
_TELLS_OF_HARM = ("reaction", "known allergy")
_TOWARDS = frozenset("to of with on by for after from due because".split())
# Words of a joint by which an order ends.
ENDS_IT = {"stop": "stopped", "hold": "held", "band": "stopped", "बंद": "stopped"}
EXCLUDED = frozenset({"stopped", "held", "not_taking", "allergy", "avoid", "past", "family", "conditional", "hypothetical"})


@dataclass(frozen=True, slots=True)
class Assertion:
    """status: `active`, an excluding class, `undecided` or `mention`. `cues`: the chunks that say so. `conflict`: they disagree."""

    status: str
    cues: tuple[Chunk, ...]
    conflict: bool = False


def _scoped(context: Sequence[Chunk], surface: Callable[[Chunk], str]) -> list[Chunk]:
    """The cues of the words before the name that still reach it."""
    reaching: list[Chunk] = []
    for chunk, after in itertools.zip_longest(context, context[1:]):
        if chunk.kind == "terminator" or chunk.kind == "pseudo_cue":
            # `Not to be taken. No side effects, Tab X`: a finding ends no stop; what is stopped, a person must say.
            held = [c for c in reaching if _CLASS_STATUS.get(c.value[0]) not in (None, ACTIVE)] if chunk.kind == "pseudo_cue" else []
            reaching = [c._replace(value=("ambiguous", "before")) for c in held]
            ending = next((ENDS_IT[word] for word in surface(chunk).split() if word in ENDS_IT), None)
            if ending is not None and chunk.kind == "terminator" and (after is None or after.kind not in ("mark", "then")):
                # `Metformin BD and stop Amlodipine`: it ends the reach of what stands before it, and is a cue itself.
                reaching.append(chunk._replace(kind="cue", value=(ending, "before")))
            elif after is not None and _is_harm_by(surface(chunk), after, surface):
                reaching.append(chunk._replace(kind="cue", value=("ambiguous", "before")))
        elif chunk.kind == "cue":
            cue_class = chunk.value[0]
            if cue_class == "taking":
                of_patient = surface(chunk).startswith(("pt", "patient"))
                if not of_patient and any(c.value[0] == "family" for c in reaching):
                    # `Wife takes X`: it is she who takes it.
                    continue
                reaching = [
                    c
                    for c in reaching
                    if (c.value[0] != "past" or surface(c).startswith(("till", "until"))) and not (of_patient and c.value[0] == "family")
                ]
            reaching.append(chunk)
    return reaching


def _is_harm_by(finding: str, after: Chunk, surface: Callable[[Chunk], str]) -> bool:
    """`Skin allergy to X`, `allergic reaction X`, and no `skin allergy X`, `skin allergy: X`: what did harm, or what for."""
    directly = finding.endswith(_TELLS_OF_HARM) and after.kind in ("drug", "form")
    return directly or (surface(after) in _TOWARDS and _HARM.search(finding) is not None)


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

_UNASKED = frozenset({"without"})
_DENIALS = frozenset("not never isn't wasn't hasn't isnt wasnt nahi नहीं".split())


def _qualified(draft: Draft) -> Callable[[Chunk], bool]:
    """Of a cue of the end: whether words, a condition or a time stand behind it, or a duration before it."""
    last = max([c.start for c in draft.chunks if c.kind in _QUALIFYING], default=-math.inf)
    first = min([c.start for c in draft.chunks if c.kind == "duration"], default=math.inf)
    return lambda cue: cue.start < last or first < cue.start


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


def _finding_before_the_name(lead: Sequence[Chunk], surface: Callable[[Chunk], str]) -> Chunk | None:
    """The finding that reads on into the name, with nothing but `on`, `to` or `by` between."""
    last = next((chunk for chunk in reversed(lead) if surface(chunk) not in _TOWARDS), None)
    return last if last is not None and last.kind == "pseudo_cue" else None


# By which an order is told to be new.
_BEGINNING = frozenset({"start", "begin", "add", "restart", "resume"})
_OF_AN_ORDER = frozenset("drug form amount number tuple percent rate slots duration when route weekday prn".split())
_UNCHANGED = ("change", "increase", "decrease", "reduction")


def _denial_before_a_part(draft: Draft, surface: Callable[[Chunk], str]) -> Chunk | None:
    """`No further Tab X`, `X 500 mg not valid BD`: a denial of something else, and directly behind it a part of the order."""
    for chunk, after in itertools.pairwise([*draft.context, *draft.chunks]):
        if chunk.kind == "pseudo_cue" and after.kind in _OF_AN_ORDER and surface(chunk).startswith(("no ", "not ")):
            if not any(word in surface(chunk) for word in _UNCHANGED):
                return chunk
    return None


def assess(draft: Draft, after_name: Sequence[Chunk], *, ordered: bool, timed: bool, surface: Callable[[Chunk], str]) -> Assertion:
    """Judge one statement. `after_name`: cues behind the name; `ordered`: it has a form, strength, dose or timing."""
    lead = list(draft.chunks[: draft.anchor])
    before = _scoped([*draft.context, *lead], surface)
    classes: list[tuple[str, Chunk]] = []
    verbs = any(c.kind == "verb" for c in [*draft.context, *lead])
    for chunk in before:
        cue_class, direction = chunk.value
        if cue_class in ("increase", "decrease") and not draft.changed:
            classes.append(("ambiguous", chunk))
        elif direction == "after" and cue_class not in ("conditional",):
            classes.append(("ambiguous" if _CLASS_STATUS.get(cue_class) != ACTIVE else cue_class, chunk))
        else:
            classes.append((cue_class, chunk))
    is_qualified = _qualified(draft) if after_name else None
    kept = not ordered and any(name == "continue" and not _DENIALS.isdisjoint(surface(cue).split()) for name, cue in classes)
    for chunk in after_name:
        cue_class, direction = chunk.value
        if kept and cue_class == "not_taking" and surface(chunk) in _UNASKED:
            # `Never stop X without asking us`
            continue
        if cue_class in ("stopped", "held", "avoid") and direction != "after" and is_qualified is not None and is_qualified(chunk):
            # `x 5 days, stop`, `hold if HR < 60`, `avoid in pregnancy`: an end with a condition or a date is no end yet.
            classes.append(("ambiguous", chunk))
            continue
        if cue_class == "switch_to":
            continue
        if cue_class in ("increase", "decrease"):
            if not draft.changed:
                classes.append(("ambiguous", chunk))
            continue
        if direction == "before" and cue_class not in ("stopped", "held", "avoid", "continue", "past", "taking"):
            classes.append(("ambiguous", chunk))
        elif direction == "before" and cue_class == "taking":
            continue
        elif direction == "before" and cue_class == "past":
            own = [_CLASS_STATUS.get(name) for name, _ in classes] or [_SECTION_CLASS.get(draft.section_status)]
            if not all(status in EXCLUDED for status in own):
                classes.append(("ambiguous", chunk))
        else:
            classes.append((cue_class, chunk))
    section = _SECTION_CLASS.get(draft.section_status)
    statuses = [(status, chunk) for cue_class, chunk in classes if (status := _CLASS_STATUS.get(cue_class)) is not None]
    if not statuses and draft.inherited is not None and not verbs and draft.inherited.kind == "cue":
        inherited = _CLASS_STATUS.get(draft.inherited.value[0])
        if draft.inherited.value[0] == "switch_from":
            inherited = ACTIVE
        if inherited is not None and inherited != ACTIVE:
            # `Stop Amlong, Telma 40 mg OD`: a full order of its own leaves the reach of the cue open.
            return Assertion(UNDECIDED if timed else inherited, (draft.inherited,))
    cues = tuple(chunk for _, chunk in statuses)
    beside = {surface(c) for c in [*draft.context, *lead]}
    if beside & _EXCEPTIONS or (beside & _ENDS and "taking" in {c for c, _ in classes}):
        # `Except X`, `Till last month on X`
        return Assertion(UNDECIDED, cues)
    if draft.alternative:
        return Assertion(UNDECIDED, cues)
    if draft.loose and not _all_exclude(draft.loose, [*(status for status, _ in statuses), *([section] if section else [])]):
        # A cue, a doubt or an amount stands in a clause of its own beside the order; whose it is, a person must say.
        return Assertion(UNDECIDED, (*cues, *draft.loose), conflict=True)
    if draft.replaced:
        return Assertion("stopped", cues)
    if any(c.kind == "cue" and c.value[0] == "past" for c in cues) and any(surface(c) == "now" for c in draft.chunks):
        # `Was on 20 mg, now 10 mg`: both, and a person must say which.
        return Assertion(UNDECIDED, cues, conflict=True)
    kinds = {status for status, _ in statuses}
    if section is not None:
        kinds.add(section)
        taking = [surface(c) for c in cues if c.value[0] == "taking"]
        if section == "past" and taking and not any(t.startswith(("start", "was", "has been")) for t in taking):
            kinds.discard(section)
        elif section == "past":
            kinds.discard(ACTIVE)
    if "conditional" in kinds and kinds & {"stopped", "held", "avoid"}:
        # `hold if vomiting`: a conditional stop is an active order with a condition, which nobody here can weigh.
        return Assertion(UNDECIDED, cues, conflict=True)
    excluding = kinds & EXCLUDED
    denied = {chunk for chunk in (*draft.context, *draft.chunks) if surface(chunk) in _DENIALS}
    if excluding and denied and any(chunk not in denied and status in EXCLUDED for status, chunk in statuses):
        # `X not stopped`: what a denial leaves of it.
        return Assertion(UNDECIDED, cues, conflict=True)
    if excluding and (ACTIVE in kinds or UNDECIDED in kinds):
        return Assertion(UNDECIDED, cues, conflict=True)
    if excluding and timed and _has_own_object(cues, [*draft.context, *lead]):
        # `Avoid NSAIDs, Tab Lasix 40 mg OD`: an order of its own behind what is avoided.
        return Assertion(UNDECIDED, cues, conflict=True)
    if excluding:
        return Assertion(min(excluding) if len(excluding) > 1 else next(iter(excluding)), cues)
    if UNDECIDED in kinds:
        return Assertion(UNDECIDED, cues)
    denial = _denial_before_a_part(draft, surface)
    if denial is not None:
        return Assertion(UNDECIDED, (denial,))
    finding = _finding_before_the_name(lead, surface) if not ordered else None
    if finding is not None:
        # `Reduced vision on X`: a name in a finding, and no order.
        return Assertion(UNDECIDED, (finding,))
    if ACTIVE in kinds or verbs:
        return Assertion(ACTIVE, cues)
    begun = any(c.kind == "terminator" and not _BEGINNING.isdisjoint(surface(c).split()) for c in [*draft.context, *lead])
    if draft.section == CHANGES and not ((begun or draft.changed) and timed):
        # `Changes today:` and below it `Metformin 500 mg BD`: what it was, or what it is.
        return Assertion(UNDECIDED, cues)
    if draft.section_status in ("active", "reported"):
        return Assertion(ACTIVE, cues)
    if not ordered:
        return Assertion(MENTION, cues)
    if draft.section_status in ("none", "cue") and not timed:
        return Assertion(UNDECIDED, cues)
    return Assertion(ACTIVE, cues)
