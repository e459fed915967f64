"""What is told once for a whole list of orders: `All x 30 days` above it, `30 days` below it, `…, both after food` at its end.

It reaches each order of the list only where nothing else can be meant: a word stands for all of them (`all`, `both`,
`medicines`) or the line is nothing but a duration right below orders that are complete without it; the list is all that
the page orders; and no order of it says anything of that kind itself, or has an end of its own. Anything less certain is
a remark for a person (`all`, `both`) or stays with the order it stands at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from medfence_guard.reader.chunks import Chunk, meaning_of
from medfence_guard.reader.roles import DAY_PARTS

if TYPE_CHECKING:
    from medfence_guard.reader.segment import Draft

Line = tuple[list[Chunk], bool]
Surface = Callable[[Chunk], str]
_TIMING = frozenset({"rate", "slots"})
# What may be told once. A meal or a time of day is a time of its own: `all before breakfast`.
TOLD_ONCE = frozenset({"duration", "duration_open", "rate", "slots", "when"})
_GLUE = frozenset({"x", "for", "to", "the", "above", "these", "of", "take", "ki"})
_MEDICINES = frozenset("medicines medications meds drugs dawai dawaiyan dawaiyaan".split())
_COUNTED = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5}
# An order with one of these has a time of its own, or none.
_OWN_COURSE = frozenset({"stat", "prn", "then", "unsupported", "weekday"})


class Told(NamedTuple):
    """`chunks`: what is told; `number`: of how many orders, 0 if the words do not say; `word`: they name all of them.

    `least`: how few orders they may mean: `all` is of several, `medicines` may be of one. `heads`: a colon ends the line, which is then of
    what stands below it. `hour`: a time of day heads a part of the list, `Morning:`.
    """

    chunks: tuple[Chunk, ...]
    number: int
    word: bool
    least: int
    heads: bool
    hour: bool = False


def told_of_all(chunks: Sequence[Chunk], surface: Surface) -> Told | None:
    """The line as something told of a list; None if it holds anything else, or tells nothing."""
    told: list[Chunk] = []
    if len(chunks) == 2 and chunks[1].value == ":" and (hour := meaning_of(chunks[0], "when")) is not None:
        if isinstance(hour, tuple) and hour[0] in DAY_PARTS:
            return Told((chunks[0]._replace(kind="when", value=hour, meanings=()),), 0, word=True, least=1, heads=True, hour=True)
    count = 0
    word = False
    least = 1
    for place, chunk in enumerate(chunks):
        text = surface(chunk)
        if chunk.kind in TOLD_ONCE:
            told.append(chunk)
        elif chunk.kind == "word" and text in ("all", *_COUNTED):
            if text != "both" and text != "all" and not word:
                return None
            word = True
            least = 2
            count = max(count, _COUNTED.get(text, 0))
        elif text in _MEDICINES:
            word = True
        elif place == 0 and ((chunk.kind == "label" and chunk.value == "duration") or chunk.value == ("continue", "before")):
            continue
        elif not (
            (chunk.kind == "mark" and chunk.value in (".", ",", ":", "-", "(", ")"))
            or (chunk.kind in ("word", "inert") and (text in _GLUE or chunk.value == "function_words"))
        ):
            return None
    lone = len(told) == 1 and told[0].kind == "duration"
    if len(told) > 1 and told[0].kind == "duration_open" and told[1].kind == "duration":
        # `To continue both for 3 months`: so long, and not after it.
        del told[0]
    return Told(tuple(told), count, word, least if word else 2, chunks[-1].value == ":") if told and (word or lone) else None


def tail_of_all(draft: Draft, surface: Surface) -> tuple[int, Told] | None:
    """`Z 800 mg OD - all before breakfast x 2 months`: where in the last order of a line the words for all of them begin."""
    for place in range(draft.anchor + 2, len(draft.chunks)):
        chunk = draft.chunks[place]
        if chunk.kind == "word" and surface(chunk) in ("all", "both"):
            before = draft.chunks[place - 1]
            told = told_of_all(draft.chunks[place:], surface)
            parted = before.kind == "mark" and before.value in ("-", ",", "(", ".")
            return (place - 1, told) if told is not None and parted and _complete(draft.chunks[:place]) else None
    return None


def _complete(chunks: Sequence[Chunk]) -> bool:
    return any(c.kind in _TIMING or c.kind == "when" for c in chunks)


def sort_of(kind: str) -> str:
    """Slots are told as a frequency is, an open end as a duration."""
    return {"slots": "rate", "duration_open": "duration"}.get(kind, kind)


def reaches(drafts: Sequence[Draft], told: Told, own: Sequence[Chunk] = ()) -> bool:
    """Whether it is certain that what is told is told of each of these orders. `own`: the told words, where one order holds them."""
    if len(drafts) < told.least or (told.number and told.number != len(drafts)):
        return False
    kinds = {sort_of(c.kind) for c in told.chunks}
    for draft in drafts:
        stated = [c for c in (*draft.chunks, *draft.shared) if c not in own]
        held = {sort_of(c.kind) for c in stated}
        hours = [c for c in stated if c.kind == "when" and c.value[0] in DAY_PARTS]
        if told.hour:
            # `Morning:` over `Tab X 5 mg (after breakfast)`; `BD` below it is another matter.
            if held & (_TIMING | _OWN_COURSE | {"weekday"}) or hours:
                return False
        elif held & kinds or held & _OWN_COURSE:
            return False
        if any(c.kind == "cue" and c.value[0] not in ("taking", "continue") for c in (*draft.context, *stated)):
            return False
        if "rate" not in kinds and not told.hour and not _complete(stated):
            return False
        if "rate" in kinds and any(c.kind == "when" for c in stated):
            return False
    return len({(d.section, d.section_status) for d in drafts}) == 1
