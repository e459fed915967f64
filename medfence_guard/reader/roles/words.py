"""Words and marks without a role of their own: which say nothing, and which stay visible as residue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from medfence_guard.reader.chunks import Chunk, means
from medfence_guard.reader.lexicon import Rate
from medfence_guard.reader.roles.amounts import count_beside_form, is_counted
from medfence_guard.reader.roles.conditions import is_what_it_did
from medfence_guard.reader.roles.context import SILENT_GLUE, Context
from medfence_guard.reader.roles.manner import is_swallowed
from medfence_guard.reader.roles.record import Role

# Inert text that says nothing a record could leave out or make up.
_WITHOUT_CONTENT = frozenset({"function_words", "polite", "prescription_nouns", "pharmacopoeia", "order_forms"})
_PLAIN_MARKS = frozenset(".,:;-()[]/+•'\"&|_!")
# Behind a bare `x`.
_COUNTED = frozenset("number amount slots duration range rate tuple malformed".split())
# `OD (M)`, `OD (N)`
LETTERS_OF_THE_DAY = {"m": "MORN", "n": "NIGHT"}
_GIVING = frozenset("apply give inject len lein take then use".split())
_SIGNS = frozenset("-+/|!_•")
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")


def read_word(at: Context, place: int) -> int:
    chunks = at.chunks
    chunk = chunks[place]
    if (piece := count_beside_form(at, place)) is not None:
        at.roles.doses.append(Role(piece, chunk))
    elif chunk.value in LETTERS_OF_THE_DAY and _is_bracketed_behind_once_a_day(chunks, place):
        at.roles.whens.append(Role((LETTERS_OF_THE_DAY[chunk.value], None), chunk))
    elif chunk.value == "x":
        after = chunks[place + 1] if place + 1 < len(chunks) else None
        if after is None or after.kind not in _COUNTED or _ends_its_line(at, chunk, after):
            at.roles.residue.append(Role("x", chunk))
    elif (chunk.value in ("it", "them") and place and chunks[place - 1].kind == "verb") or (
        chunk.value == "into" and any(means(c, "site") for c in chunks[place + 1 : place + 3])
    ):
        # `Take it after food.`, `1 drop into the right eye`
        pass
    elif is_what_it_did(at, place):
        at.roles.indications.append(Role(chunk.value, chunk))
    elif chunk.value not in SILENT_GLUE or (chunk.value == "be" and at.eye):
        at.roles.residue.append(Role(chunk.value, chunk))
    return place + 1


def _ends_its_line(at: Context, chunk: Chunk, after: Chunk) -> bool:
    """`X 40 mg x`, and the frequency on the next line: the mark may be a cross. `TDS x`, and `5 days` below, is a length of time."""
    between = chunk._replace(start=chunk.end, end=after.start)
    return after.kind in ("slots", "rate") and "\n" in at.surface(between)


def _is_bracketed_behind_once_a_day(chunks: Sequence[Chunk], place: int) -> bool:
    """`OD (M)`: alone in a bracket right behind once a day; behind a name or a patient's age it is something else."""
    if place < 2 or place + 1 >= len(chunks) or chunks[place - 1].value != "(" or chunks[place + 1].value != ")":
        return False
    before = chunks[place - 2]
    return before.kind == "rate" and before.value == Rate(Fraction(1), Fraction(1), Fraction(1), Fraction(1), "d")


def read_mark(at: Context, place: int) -> int:
    chunk = at.chunks[place]
    if chunk.value == "#" and is_counted(at.chunks, place):
        counted = at.chunks[place + 1]
        at.roles.quantities.append(Role((counted.value.parts[0], None, None), counted))
        return place + 2
    if chunk.value not in _PLAIN_MARKS or _is_a_sign(at.chunks, place):
        at.roles.residue.append(Role(chunk.value, chunk))
    return place + 1


def read_inert(at: Context, place: int) -> int:
    chunk, name = at.chunks[place], at.roles.name
    if chunk.value == "monitoring" and name is not None and chunk.start < name.start and _leads_to(at.chunks, place, at.surface):
        at.roles.residue.append(Role(at.surface(chunk), chunk))
    elif _is_of_another_form(at, chunk):
        # `Tab X 40 mg OD, wash off`, `with spacer`: of a medicine that was lost.
        at.roles.residue.append(Role(at.surface(chunk), chunk))
    elif chunk.value not in _WITHOUT_CONTENT:
        at.roles.inert.append(Role(chunk.value, chunk))
    return place + 1


def _is_of_another_form(at: Context, chunk: Chunk) -> bool:
    if chunk.value == "device":
        return at.families == {"solid_oral"}
    return chunk.value == "skin_manner" and bool(at.families) and is_swallowed(at)


def read_label(at: Context, place: int) -> int:
    chunks = at.chunks
    chunk = chunks[place]
    following = chunks[place + 1] if place + 1 < len(chunks) else None
    if following is not None and following.kind == "mark" and following.value in (":", "-", "=", "."):
        at.roles.labels.append(Role(chunk.value, chunk))
    elif at.surface(chunk) == "supply" and _is_supplied_for(chunks, place):
        # `5 days supply`: for so long.
        pass
    elif at.surface(chunk) not in SILENT_GLUE:
        at.roles.residue.append(Role(at.surface(chunk), chunk))
    return place + 1


def _is_supplied_for(chunks: Sequence[Chunk], place: int) -> bool:
    after = chunks[place + 1] if place + 1 < len(chunks) else None
    ends = after is None or (after.kind == "mark" and after.value in (",", ";", "."))
    return ends and place > 0 and chunks[place - 1].kind == "duration"


def read_word_of_composition(at: Context, place: int) -> int:
    chunk = at.chunks[place]
    if chunk.value != "join" or not at.roles.composition:
        at.roles.residue.append(Role(at.surface(chunk), chunk))
    return place + 1


def read_heading(at: Context, place: int) -> int:
    chunk = at.chunks[place]
    at.roles.residue.append(Role(at.surface(chunk), chunk))
    return place + 1


def read_another_name(at: Context, place: int) -> int:
    at.roles.residue.append(Role("another name", at.chunks[place]))
    return place + 1


def pass_by(_at: Context, place: int) -> int:
    return place + 1


def _is_a_sign(chunks: Sequence[Chunk], place: int) -> bool:
    """`OD //`, `OD (-)`, `if bp +`: marks that part nothing, and were made to say something."""
    before, after = (chunks[n] if 0 <= n < len(chunks) else None for n in (place - 1, place + 1))
    mark = chunks[place].value
    if mark == "/" and before is not None and before.value == "/":
        return True
    if mark == "+" and before is not None and before.kind == "indication":
        # `if bp +`: that it is there, or more of it, and not the next of two.
        return after is None or after.kind == "mark"
    return mark in _SIGNS and before is not None and before.value in _OPENING and (after is None or after.value in _CLOSING)


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
