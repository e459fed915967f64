"""What a line or a sentence tells of several orders at once, and of which: `All x 30 days`, `Tablets for 3 months`, `Nos. 1-4 to continue`.

A word stands for all of them (`all`, `both`, `medicines`, `each`, `above`) or for some (`tablets`, `Nos. 1-4`, `all others`), or the line
is nothing but what is told. How far that reaches is `shared.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from medfence_guard.reader.chunks import Chunk, meaning_of
from medfence_guard.reader.draft import SIG_KINDS, Draft
from medfence_guard.reader.openings import is_sentence_end, item_number
from medfence_guard.reader.roles.record import DAY_PARTS
from medfence_guard.reader.tables import ToldWords

Line = tuple[list[Chunk], bool]
Surface = Callable[[Chunk], str]
TIMING = frozenset({"rate", "slots"})
# What may be told once. A meal or a time of day is a time of its own: `all before breakfast`.
TOLD_ONCE = frozenset({"duration", "duration_open", "rate", "slots", "when"})
# Ends that a heading of a list may tell: `Rx to continue until further advice:`.
_ENDS_OF_A_LIST = frozenset({"advice", "review"})
# A form that `tablets` may be said of loosely.
ALIKE_FORMS = {"tablet": frozenset({"tablet", "capsule"}), "capsule": frozenset({"tablet", "capsule"})}


class Told(NamedTuple):
    """`chunks`: what is told; `number`: of how many orders, 0 if the words do not say; `word`: they name all of them.

    `least`: how few orders they may mean: `all` is of several, `medicines` may be of one. `heads`: a colon ends the line, which is then of
    what stands below it. `hour`: a time of day heads a part of the list, `Morning:`. `form`, `numbers`: it is of those of the list that
    have this form, or these numbers; `rest`: of those that say nothing of the kind; `above`: of what stands above; `goes_on`: it says to
    continue, which may be of the last order alone. `course`: it heads a course of several medicines, which are those set further right.
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
    course: bool = False

    @property
    def until_advice(self) -> bool:
        """Whether it heads a list with an end that no number tells: `Rx to continue until further advice:`."""
        return self.heads and self.word and all(c.kind == "duration_open" and c.value == "advice" for c in self.chunks)

    @property
    def is_length(self) -> bool:
        """Whether it is nothing but how long."""
        return {sort_of(c.kind) for c in self.chunks} == {"duration"}


def _list_numbers(chunks: Sequence[Chunk], surface: Surface, words: ToldWords) -> tuple[frozenset[int], int]:
    """The list numbers that a line begins with, and the place behind them: `Nos. 1-4`, `(1) to (3)`, `1-4:`, `1-4 to continue`.

    `1-2 x 5 days` may be tablets: there a word, brackets, a colon or `to continue` must say that it is no dose.
    """
    place = 0
    marked = (chunks[0].kind in ("label", "word", "inert") and surface(chunks[0]) in words.numbered) and len(chunks) > 2
    if marked:
        place = 1 + (chunks[1].value in (".", ":"))
    numbers: list[int] = []
    joint = ""
    while place < len(chunks):
        low, high, bracketed = _list_number(chunks, place, surface)
        marked = marked or bracketed
        if not 0 < low <= high <= _LONGEST_LIST:
            break
        if joint in words.from_to and numbers:
            if low != high or low <= numbers[-1]:
                return frozenset(), 0
            numbers.extend(range(numbers[-1] + 1, low + 1))
        else:
            numbers.extend(range(low, high + 1))
        place += 3 if chunks[place].value == "(" else 1
        following = surface(chunks[place]) if place < len(chunks) else ""
        joint = following if following in words.joints else ""
        if not joint or place + 1 >= len(chunks) or not (chunks[place + 1].kind in ("number", "item") or chunks[place + 1].value == "("):
            break
        place += 1
    if chunks[-1].value == ":" or (place < len(chunks) and (chunks[place].value == ":" or chunks[place].kind == "duration_open")):
        marked = True
    return (frozenset(numbers), place) if marked and len(numbers) > 1 and len(set(numbers)) == len(numbers) else (frozenset(), 0)


def _list_number(chunks: Sequence[Chunk], place: int, surface: Surface) -> tuple[int, int, bool]:
    """The list number at a place, or two as from and to (0 where there is none), and whether it is in brackets."""
    chunk = chunks[place]
    if chunk.kind == "item":
        number = item_number(chunk)
        return number, number, surface(chunk).startswith("(")
    if chunk.value == "(" and place + 2 < len(chunks) and chunks[place + 1].kind == "number" and chunks[place + 2].value == ")":
        inside = chunks[place + 1].value
        number = _whole(inside.parts, inside.high)[0]
        return number, number, True
    if chunk.kind == "number":
        return *_whole(chunk.value.parts, chunk.value.high), False
    if chunk.kind == "range":
        return *_whole(chunk.value[:1], chunk.value[1]), False
    return 0, 0, False


def _says_for(text: str, words: ToldWords) -> bool:
    """`for 5 days`, `x 5 days`, `x5 days`"""
    first, space, _ = text.partition(" ")
    return (first in words.says_for and bool(space)) or (text[:1] in words.says_for and text[1:2].isdigit())


_LONGEST_LIST = 40


def _whole(parts: Sequence[Fraction], high: Fraction | None) -> tuple[int, int]:
    """A whole number, or two as from and to; 0 where it is none."""
    ends = (parts[0], parts[0] if high is None else high)
    return (int(ends[0]), int(ends[1])) if len(parts) == 1 and all(e.denominator == 1 for e in ends) else (0, 0)


@dataclass(slots=True)
class _Said:
    """What the words of a line say so far: `told` of how many orders (`count`), at `least`, of a `form`, of all or some of a list.

    `word`: they name orders; `others` that `rest` is said of orders.
    """

    surface: Surface
    words: ToldWords
    told: list[Chunk] = field(default_factory=list)
    count: int = 0
    least: int = 1
    form: str = ""
    word: bool = False
    every: bool = False
    others: bool = False
    rest: bool = False
    above: bool = False

    def takes(self, chunks: Sequence[Chunk], place: int) -> bool:
        """Whether the chunk at a place may stand in such a line; what it says is kept."""
        chunk = chunks[place]
        text = self.surface(chunk)
        if text in self.words.each and not self.told and not self._is_length_behind(chunks, place):
            # `each 3 months`
            return False
        if chunk.kind in TOLD_ONCE:
            self.told.append(chunk)
        elif not (self._names_all(chunk, text, place) or self._heads(text, place, chunks) or self._names_some(chunk, text)):
            if place == 0 and ((chunk.kind == "label" and chunk.value == "duration") or chunk.value == ("continue", "before")):
                return True
            if not self._adds_nothing(chunk, text):
                return False
        self.above = self.above or text in self.words.above
        return True

    def _is_length_behind(self, chunks: Sequence[Chunk], place: int) -> bool:
        return place + 1 < len(chunks) and _says_for(self.surface(chunks[place + 1]), self.words)

    def _names_all(self, chunk: Chunk, text: str, place: int) -> bool:
        """`All`, `both`, `all three`, `Continue all`"""
        if chunk.kind == "word" and text in self.words.counted and (self.word or text in self.words.every):
            self.count = max(self.count, self.words.counted[text])
        elif chunk.kind == "collective" and text in self.words.continue_all and place == 0:
            self.above = True
        else:
            return False
        self.word = self.every = True
        self.least = 2
        return True

    def _heads(self, text: str, place: int, chunks: Sequence[Chunk]) -> bool:
        """`Medicines for 15 days`, `Rx (2 months)`"""
        found = text in self.words.medicines or (place == 0 and text in self.words.heads_a_list and len(chunks) > 1)
        self.word = self.word or found
        return found

    def _names_some(self, chunk: Chunk, text: str) -> bool:
        """`Others`, `the rest`, `each`, `tablets`"""
        words = self.words
        if chunk.kind == "word" and text in words.parts:
            self.others = self.others or text in words.others
            self.rest = self.rest or text not in words.each
            self.word = self.word or text not in words.rest
            self.least = 2
        elif chunk.kind == "form" and chunk.value in ALIKE_FORMS and not self.form and text.endswith("s"):
            self.form = str(chunk.value)
            self.word = True
        else:
            return False
        return True

    def _adds_nothing(self, chunk: Chunk, text: str) -> bool:
        if chunk.kind == "mark":
            return chunk.value in (".", ",", ":", "-", "(", ")")
        of_speech = chunk.kind in ("word", "inert", "indication_part", "verb")
        return of_speech and (text in self.words.glue or chunk.value == "function_words")


def _hour_over_a_list(chunks: Sequence[Chunk]) -> Told | None:
    """`Morning:`"""
    hour = meaning_of(chunks[0], "when") if len(chunks) == 2 and chunks[1].value == ":" else None
    if not isinstance(hour, tuple) or hour[0] not in DAY_PARTS:
        return None
    return Told((chunks[0]._replace(kind="when", value=hour, meanings=()),), 0, word=True, least=1, heads=True, hour=True)


def _course_over_a_list(chunks: Sequence[Chunk], surface: Surface, words: ToldWords) -> Told | None:
    """`H. pylori eradication kit for 14 days -`: a course of several medicines, and how long it lasts, right above them."""
    if len(chunks) < 3 or chunks[-1].value not in (":", "-") or chunks[-2].kind != "duration":
        return None
    named = " ".join(surface(c) for c in chunks[:-2])
    return Told((chunks[-2],), 0, word=True, least=2, heads=True, course=True) if named in words.courses else None


def _of_a_headed_list(told: list[Chunk]) -> list[Chunk] | None:
    """What `Rx` may tell of the list below it: lengths and ends, and none in years (`Rx for 2 years` tells of the past)."""
    firm = [c for c in told if c.kind == "duration"]
    ends = [c for c in told if c.kind == "duration_open" and c.value in _ENDS_OF_A_LIST]
    told = [c for c in told if not (ends and c.kind == "duration_open" and c.value == "continue")]
    return None if len(firm) + len(ends) != len(told) or any(c.value[-1] == "a" for c in firm) else told


def told_of_all(chunks: Sequence[Chunk], surface: Surface, words: ToldWords) -> Told | None:
    """The line as something told of a list; None if it holds anything else, or tells nothing."""
    hour = _hour_over_a_list(chunks)
    if hour is not None:
        return hour
    course = _course_over_a_list(chunks, surface, words)
    if course is not None:
        return course
    numbers, behind = _list_numbers(chunks, surface, words)
    said = _Said(surface, words)
    if not all(said.takes(chunks, place) for place in range(behind, len(chunks))):
        return None
    headed = surface(chunks[0]) in words.heads_a_list
    told = _of_a_headed_list(said.told) if headed else said.told
    if not told:
        return None
    goes_on = len(told) > 1 and told[0].kind == "duration_open" and told[0].value == "continue"
    if goes_on and told[1].kind in ("duration", "duration_open"):
        # `To continue both for 3 months`: so long, and not after it; `to continue till advised otherwise`.
        told = told[1:]
    lengths = {sort_of(c.kind) for c in told} == {"duration"}
    if not _fits(said, numbers, chunks, lengths=lengths):
        return None
    word = said.word or bool(numbers) or (said.above and lengths)
    if not (word or (len(told) == 1 and told[0].kind == "duration")):
        return None
    return Told(
        tuple(told),
        said.count,
        word,
        said.least if word and not (said.above and not said.every) and not numbers else 2,
        heads=headed or chunks[-1].value == ":",
        form=said.form,
        numbers=numbers,
        rest=said.rest,
        above=said.above,
        goes_on=goes_on and not word,
    )


def _fits(said: _Said, numbers: frozenset[int], chunks: Sequence[Chunk], *, lengths: bool) -> bool:
    """Whether the words for orders agree with each other and with what is told. `lengths`: it is nothing but how long."""
    surface, words = said.surface, said.words
    if (said.form or said.rest or numbers or (said.above and not said.every)) and not lengths:
        return False
    if numbers and (said.every or said.form or said.rest or said.above or said.word):
        return False
    if said.rest and not (said.others or said.every or said.form or any(surface(c) in words.medicines for c in chunks)):
        return False
    # `above 5 days`
    older = (surface(a) in words.above and b.kind == "duration" and not _says_for(surface(b), words) for a, b in pairwise(chunks))
    return not (said.above and any(older))


def parted(lines: Sequence[Line], surface: Surface, words: ToldWords) -> list[Line]:
    """The lines, with a sentence that tells a length of a whole list as a line of its own: `To continue x 3 months. Tab Y stopped.`,
    `3. Tab Z 1 mg OD. All for 5 days`."""
    out: list[Line] = []
    for chunks, broken in lines:
        at = _told_sentence(chunks, surface, words)
        if at:
            out.extend([(chunks[:at], broken), (chunks[at:], False)])
        else:
            out.append((chunks, broken))
    return out


def _told_sentence(chunks: list[Chunk], surface: Surface, words: ToldWords) -> int:
    """Where a line is to be cut before or behind such a sentence; else 0."""
    if _LENGTHS.isdisjoint([c.kind for c in chunks]):
        return 0
    ends = [n + 1 for n, c in enumerate(chunks[:-1]) if c.kind == "mark" and c.value == "." and is_sentence_end(chunks, n)]
    if not ends:
        return 0
    if ends[0] <= _LONGEST_TOLD and chunks[ends[0]].kind not in SIG_KINDS:
        told = told_of_all(chunks[: ends[0]], surface, words)
        if told is not None and told.is_length and (told.word or told.goes_on):
            return ends[0]
    if len(chunks) - ends[-1] <= _LONGEST_TOLD and any(c.kind == "drug" for c in chunks[: ends[-1]]):
        told = told_of_all(chunks[ends[-1] :], surface, words)
        # `Tab X OD, Tab Y OD. For 1 month`: of both, or of the last.
        several = told is not None and not told.word and sum(c.kind == "drug" for c in chunks[: ends[-1]]) > 1
        if told is not None and told.is_length and (told.word or several) and surface(chunks[ends[-1]]) not in words.heads_a_list:
            return ends[-1]
    return 0


_LONGEST_TOLD = 16  # in chunks
_LENGTHS = frozenset({"duration", "duration_open"})


def tail_of_all(draft: Draft, surface: Surface, words: ToldWords) -> tuple[int, Told] | None:
    """`Z 800 mg OD - all before breakfast x 2 months`: where in the last order of a line the words for all of them begin."""
    for place in range(draft.anchor + 2, len(draft.chunks)):
        chunk = draft.chunks[place]
        if chunk.kind == "word" and surface(chunk) in words.every:
            before = draft.chunks[place - 1]
            told = told_of_all(draft.chunks[place:], surface, words)
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
