"""What a line or a sentence tells of several orders at once, and of which: `All x 30 days`, `Tablets for 3 months`, `Nos. 1-4 to continue`.

A word stands for all of them (`all`, `both`, `medicines`, `each`, `above`) or for some (`tablets`, `Nos. 1-4`, `all others`), or the line
is nothing but what is told. How far that reaches is `shared.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from medfence_guard.reader.chunks import Chunk, meaning_of
from medfence_guard.reader.draft import SIG_KINDS, Draft
from medfence_guard.reader.openings import is_sentence_end, item_number
from medfence_guard.reader.roles.record import DAY_PARTS

Line = tuple[list[Chunk], bool]
Surface = Callable[[Chunk], str]
TIMING = frozenset({"rate", "slots"})
# What may be told once. A meal or a time of day is a time of its own: `all before breakfast`.
TOLD_ONCE = frozenset({"duration", "duration_open", "rate", "slots", "when"})
_GLUE = frozenset({"x", "for", "to", "the", "above", "these", "of", "take", "to take", "to be taken", "give", "ki"})
HEADS_A_LIST = frozenset({"rx", "℞", "prescription"})
MEDICINES = frozenset("medicines medications meds drugs dawai dawaiyan dawaiyaan".split())
_COUNTED = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5}
# Words for all that stands above, for each of a list, for those of it that say nothing themselves. `Rest x 5 days` is rest in bed.
_ABOVE, _EACH, _OTHERS, _REST = "above", "each", "others", frozenset({"rest", "remaining", "other"})
_EVERY = frozenset({"all", "both"})
_PARTS = _REST | {_EACH, _OTHERS}
ALL_OR_SOME = _EVERY | _PARTS | {_ABOVE}
# A collective that a list may stand right above; whether it names other medicines too, a person says.
_CONTINUE_ALL = frozenset(
    {
        "continue all",
        "to continue all",
        "cont all",
        "ct all",
        "continue above",
        "above to continue",
        "all above to continue",
        "continue all above",
    }
)
# What names list numbers, and what joins them.
_NUMBERED = frozenset(
    {"no", "nos", "sr no", "sl no", "s no", "s. no", "sr nos", "sl nos", "sr. no", "sl. no", "item", "items", "serial no"}
)
_FROM_TO, _AND = frozenset({"to", "-"}), frozenset({",", "&", "and"})
# Ends that a heading of a list may tell: `Rx to continue until further advice:`.
_ENDS_OF_A_LIST = frozenset({"advice", "review"})
# A form that `tablets` may be said of loosely.
ALIKE_FORMS = {"tablet": frozenset({"tablet", "capsule"}), "capsule": frozenset({"tablet", "capsule"})}


class Told(NamedTuple):
    """`chunks`: what is told; `number`: of how many orders, 0 if the words do not say; `word`: they name all of them.

    `least`: how few orders they may mean: `all` is of several, `medicines` may be of one. `heads`: a colon ends the line, which is then of
    what stands below it. `hour`: a time of day heads a part of the list, `Morning:`. `form`, `numbers`: it is of those of the list that
    have this form, or these numbers; `rest`: of those that say nothing of the kind; `above`: of what stands above; `goes_on`: it says to
    continue, which may be of the last order alone.
    """

    chunks: tuple[Chunk, ...]
    number: int
    word: bool
    least: int
    heads: bool
    hour: bool = False
    form: str = ""
    numbers: frozenset[int] = frozenset()
    rest: bool = False
    above: bool = False
    goes_on: bool = False

    @property
    def is_length(self) -> bool:
        """Whether it is nothing but how long."""
        return {sort_of(c.kind) for c in self.chunks} == {"duration"}


def _list_numbers(chunks: Sequence[Chunk], surface: Surface) -> tuple[frozenset[int], int]:
    """The list numbers that a line begins with, and the place behind them: `Nos. 1-4`, `(1) to (3)`, `1-4:`, `1-4 to continue`.

    `1-2 x 5 days` may be tablets: there a word, brackets, a colon or `to continue` must say that it is no dose.
    """
    place = 0
    marked = (chunks[0].kind in ("label", "word", "inert") and surface(chunks[0]) in _NUMBERED) and len(chunks) > 2
    if marked:
        place = 1 + (chunks[1].value in (".", ":"))
    numbers: list[int] = []
    joint = ""
    while place < len(chunks):
        chunk = chunks[place]
        low = high = 0
        if chunk.kind == "item":
            marked = marked or surface(chunk).startswith("(")
            low = high = item_number(chunk)
        elif chunk.value == "(" and place + 2 < len(chunks) and chunks[place + 1].kind == "number" and chunks[place + 2].value == ")":
            marked = True
            place += 1
            low = high = _whole(chunks[place].value.parts, chunks[place].value.high)[0]
            place += 1
        elif chunk.kind == "number":
            low, high = _whole(chunk.value.parts, chunk.value.high)
        elif chunk.kind == "range":
            low, high = _whole(chunk.value[:1], chunk.value[1])
        if not 0 < low <= high <= _LONGEST_LIST:
            break
        if joint in _FROM_TO and numbers:
            if low != high or low <= numbers[-1]:
                return frozenset(), 0
            numbers.extend(range(numbers[-1] + 1, low + 1))
        else:
            numbers.extend(range(low, high + 1))
        place += 1
        following = surface(chunks[place]) if place < len(chunks) else ""
        joint = following if following in _FROM_TO | _AND else ""
        if not joint or place + 1 >= len(chunks) or not (chunks[place + 1].kind in ("number", "item") or chunks[place + 1].value == "("):
            break
        place += 1
    if chunks[-1].value == ":" or (place < len(chunks) and (chunks[place].value == ":" or chunks[place].kind == "duration_open")):
        marked = True
    return (frozenset(numbers), place) if marked and len(numbers) > 1 and len(set(numbers)) == len(numbers) else (frozenset(), 0)


def _says_for(text: str) -> bool:
    return text.startswith(("for ", "x ")) or (text[:1] == "x" and text[1:2].isdigit())


_LONGEST_LIST = 40


def _whole(parts: Sequence[Fraction], high: Fraction | None) -> tuple[int, int]:
    """A whole number, or two as from and to; 0 where it is none."""
    ends = (parts[0], parts[0] if high is None else high)
    return (int(ends[0]), int(ends[1])) if len(parts) == 1 and all(e.denominator == 1 for e in ends) else (0, 0)


def told_of_all(chunks: Sequence[Chunk], surface: Surface) -> Told | None:
    """The line as something told of a list; None if it holds anything else, or tells nothing."""
    told: list[Chunk] = []
    if len(chunks) == 2 and chunks[1].value == ":" and (hour := meaning_of(chunks[0], "when")) is not None:
        if isinstance(hour, tuple) and hour[0] in DAY_PARTS:
            return Told((chunks[0]._replace(kind="when", value=hour, meanings=()),), 0, word=True, least=1, heads=True, hour=True)
    count = 0
    word = False
    least = 1
    form = ""
    every = others = rest = above = False
    numbers, behind = _list_numbers(chunks, surface)
    for place, chunk in enumerate(chunks[behind:], behind):
        text = surface(chunk)
        if chunk.kind in TOLD_ONCE:
            told.append(chunk)
        elif chunk.kind == "word" and text in ("all", *_COUNTED):
            if text not in _EVERY and not word:
                return None
            word = every = True
            least = 2
            count = max(count, _COUNTED.get(text, 0))
        elif chunk.kind == "collective" and text in _CONTINUE_ALL and place == 0:
            word = every = above = True
            least = 2
        elif text in MEDICINES or (place == 0 and text in HEADS_A_LIST and len(chunks) > 1):
            # `Rx (2 months)`, `Rx for 15 days`
            word = True
        elif text == _EACH and not told and not (place + 1 < len(chunks) and _says_for(surface(chunks[place + 1]))):
            # `each 3 months`
            return None
        elif chunk.kind == "word" and text in _PARTS:
            others = others or text == _OTHERS
            rest = rest or text != _EACH
            word = word or text not in _REST
            least = 2
        elif chunk.kind == "form" and chunk.value in ALIKE_FORMS and not form and text.endswith("s"):
            # `All tablets`, `Tablets for 3 months`
            form = str(chunk.value)
            word = True
        elif place == 0 and ((chunk.kind == "label" and chunk.value == "duration") or chunk.value == ("continue", "before")):
            continue
        elif not (
            (chunk.kind == "mark" and chunk.value in (".", ",", ":", "-", "(", ")"))
            or (chunk.kind in ("word", "inert", "indication_part", "verb") and (text in _GLUE or chunk.value == "function_words"))
        ):
            return None
        above = above or text == _ABOVE
    firm = [c for c in told if c.kind == "duration"]
    if surface(chunks[0]) in HEADS_A_LIST:
        # `Rx for 2 years` tells of the past.
        ends = [c for c in told if c.kind == "duration_open" and c.value in _ENDS_OF_A_LIST]
        told = [c for c in told if not (ends and c.kind == "duration_open" and c.value == "continue")]
        if len(firm) + len(ends) != len(told) or any(c.value[-1] == "a" for c in firm):
            return None
    goes_on = len(told) > 1 and told[0].kind == "duration_open" and told[0].value == "continue"
    if goes_on and told[1].kind in ("duration", "duration_open"):
        # `To continue both for 3 months`: so long, and not after it; `to continue till advised otherwise`.
        del told[0]
    lengths = {sort_of(c.kind) for c in told} == {"duration"}
    if (form or rest or numbers or (above and not every)) and not lengths:
        return None
    if numbers and (every or form or rest or above or word):
        return None
    if rest and not (others or every or any(surface(c) in MEDICINES for c in chunks) or form):
        return None
    word = word or bool(numbers) or (above and lengths)
    lone = len(told) == 1 and told[0].kind == "duration"
    if above and any(surface(before) == _ABOVE and c.kind == "duration" and not _says_for(surface(c)) for before, c in pairwise(chunks)):
        # `above 5 days`
        return None
    if not told or not (word or lone):
        return None
    heads = chunks[-1].value == ":" or surface(chunks[0]) in HEADS_A_LIST
    return Told(
        tuple(told),
        count,
        word,
        least if word and not (above and not every) and not numbers else 2,
        heads,
        form=form,
        numbers=numbers,
        rest=rest,
        above=above,
        goes_on=goes_on and not word,
    )


def parted(lines: Sequence[Line], surface: Surface) -> list[Line]:
    """The lines, with a sentence that tells a length of a whole list as a line of its own: `To continue x 3 months. Tab Y stopped.`,
    `3. Tab Z 1 mg OD. All for 5 days`."""
    out: list[Line] = []
    for chunks, broken in lines:
        at = _told_sentence(chunks, surface)
        if at:
            out.extend([(chunks[:at], broken), (chunks[at:], False)])
        else:
            out.append((chunks, broken))
    return out


def _told_sentence(chunks: list[Chunk], surface: Surface) -> int:
    """Where a line is to be cut before or behind such a sentence; else 0."""
    if not any(c.kind == "duration" or c.kind == "duration_open" for c in chunks):
        return 0
    ends = [n + 1 for n, c in enumerate(chunks[:-1]) if c.kind == "mark" and c.value == "." and is_sentence_end(chunks, n)]
    if not ends:
        return 0
    if ends[0] <= _LONGEST_TOLD and chunks[ends[0]].kind not in SIG_KINDS:
        told = told_of_all(chunks[: ends[0]], surface)
        if told is not None and told.is_length and (told.word or told.goes_on):
            return ends[0]
    if len(chunks) - ends[-1] <= _LONGEST_TOLD and any(c.kind == "drug" for c in chunks[: ends[-1]]):
        told = told_of_all(chunks[ends[-1] :], surface)
        # `Tab X OD, Tab Y OD. For 1 month`: of both, or of the last.
        several = told is not None and not told.word and sum(c.kind == "drug" for c in chunks[: ends[-1]]) > 1
        if told is not None and told.is_length and (told.word or several) and surface(chunks[ends[-1]]) not in HEADS_A_LIST:
            return ends[-1]
    return 0


_LONGEST_TOLD = 16  # in chunks


def tail_of_all(draft: Draft, surface: Surface) -> tuple[int, Told] | None:
    """`Z 800 mg OD - all before breakfast x 2 months`: where in the last order of a line the words for all of them begin."""
    for place in range(draft.anchor + 2, len(draft.chunks)):
        chunk = draft.chunks[place]
        if chunk.kind == "word" and surface(chunk) in ("all", "both"):
            before = draft.chunks[place - 1]
            told = told_of_all(draft.chunks[place:], surface)
            parted = before.kind == "mark" and before.value in ("-", ",", "(", ".")
            if told is not None and told.number and not parted and any(c.kind in TIMING for c in told.chunks):
                # `X 500 mg and Z 1 mg both BD`: neither has a time yet.
                return (place, told) if before.kind == "amount" else None
            return (place - 1, told) if told is not None and parted and is_complete(draft.chunks[:place]) else None
    return None


def is_complete(chunks: Sequence[Chunk]) -> bool:
    return any(c.kind in TIMING or c.kind == "when" for c in chunks)


def sort_of(kind: str) -> str:
    """Slots are told as a frequency is, an open end as a duration."""
    return {"slots": "rate", "duration_open": "duration"}.get(kind, kind)


__all__ = [
    "ALIKE_FORMS",
    "ALL_OR_SOME",
    "HEADS_A_LIST",
    "MEDICINES",
    "TIMING",
    "TOLD_ONCE",
    "Line",
    "Surface",
    "Told",
    "is_complete",
    "parted",
    "sort_of",
    "tail_of_all",
    "told_of_all",
]
