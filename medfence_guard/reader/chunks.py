"""Group tokens into chunks: amounts, timing phrases, forms, drug names, cues and the words nobody knows.

One pass, longest match first; every token ends in exactly one chunk, so what is not understood stays visible as
`word`, `number`, `malformed` or `confused`. The same chunker reads the source and the values of the payload.

    amount  = number [scale] unit {("/" | "per") [number] unit} {("+" | "/") number unit}
    number  = plain | mixed | ratio | range | number word before a unit or inside a phrase
    phrase  = longest entry of the lexicon's trie
    drug    = longest key of the bundle over letters and digits, hyphens and spaces folded
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

from medfence_guard.bundle import Name
from medfence_guard.reader.glued import harmless_cut
from medfence_guard.reader.lexer import CONFUSED, DASHED, DATE, ITEM, MARK, NEWLINE, NUMBER, PLUSSED, SLASHED, UNREADABLE, WORD, Token
from medfence_guard.reader.lexicon import ANY_NUMBER, ANY_UNIT, AT_LEAST, LEAF, Lexicon, Meaning, Rate, Trie

ONE = Fraction(1)
WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_FEW = 4  # pieces at a time
_STRENGTH_DIMENSIONS = frozenset({"mass", "iu", "percent", "meq", "mmol"})


class Quantity(NamedTuple):
    """Exact numbers with their units as written. `parts`/`units`: one per component; `high`: upper end of a range.

    `per`: denominators in order, e.g. `((5, "mL"),)` or `((1, "kg"), (1, "d"))`. A unit of None was not written.
    """

    parts: tuple[Fraction, ...]
    units: tuple[str | None, ...]
    high: Fraction | None = None
    per: tuple[tuple[Fraction, str], ...] = ()


class DrugMention(NamedTuple):
    """A name of the bundle as it stands in the text: its key there, and what the bundle says of it."""

    key: str
    name: Name | None


# The note of an amount that is a whole line.
ALONE = "alone"
# The note of a complaint that opens a line where orders stand.
AMONG_ORDERS = "among orders"


class Chunk(NamedTuple):
    """`first`/`last`: token range; `start`/`end`: offsets into the original text; `meanings`: other readings of a phrase."""

    kind: str
    value: Any
    start: int
    end: int
    first: int
    last: int
    notes: tuple[str, ...] = ()
    meanings: tuple[Meaning, ...] = ()


# Of a tuple of all its members, which is half the cost of a call of the class.
_chunk = partial(tuple.__new__, Chunk)


def _piecewise(word: str, pieces: frozenset[str]) -> list[str] | None:
    """Cut a glued run of letters into known words, longest first; None unless the cut is complete (P18)."""
    if len(word) > 24:
        return None
    for size in range(len(word) - 1, 0, -1):
        head, tail = word[:size], word[size:]
        if head in pieces:
            if tail in pieces:
                return [head, tail]
            rest = _piecewise(tail, pieces)
            if rest is not None and len(rest) <= 3:
                return [head, *rest]
    return None


def _word_behind(tokens: Sequence[Token], index: int) -> tuple[str, int]:
    """The word at `index`, or behind a hyphen there (`twenty-five`), and the index behind it; no word if none stands there."""
    hyphened = index + 1 < len(tokens) and tokens[index].text == "-" and tokens[index].glued and tokens[index + 1].glued
    at = index + hyphened
    return (tokens[at].text, at + 1) if at < len(tokens) and tokens[at].kind == WORD else ("", index)


def _in_a_row(before: Sequence[Chunk]) -> bool:
    """Whether an earlier bar stands in this line."""
    for chunk in reversed(before[:-1]):
        if chunk.kind == "newline":
            return False
        if chunk.kind == "mark" and chunk.value == "|":
            return True
    return False


_NUMERALS = frozenset({NUMBER, DASHED, SLASHED})
# What may be glued to a known name behind it, and the words it is.
_GLUED_HEADS: Mapping[str, tuple[str, ...]] = {
    "".join(head): head
    for head in (
        ("each", "tablet", "contains"),
        ("each", "capsule", "contains"),
        ("stop",),
        ("tab",),
        ("cap",),
        ("inj",),
        ("syp",),
        ("syr",),
    )
}


def _head_and_name(word: str, names: Mapping[str, Name]) -> list[str] | None:
    """`tabtelma`, `stoptelma`: the words of the head, and the name."""
    if not word.startswith(tuple(_GLUED_HEADS)):
        return None
    for glued, head in _GLUED_HEADS.items():
        name = word.removeprefix(glued)
        if len(name) > 2 and name != word and name in names:
            return [*head, name]
    return None


def split_glued(tokens: list[Token], lexicon: Lexicon, names: Mapping[str, Name]) -> list[Token]:
    """Split glued tokens of known kinds: `40mgOD`, `BDx5days`, `TabTelma`, `TDSx 5`, `afterfood`. Unknown glue is left as it is.

    Beside a number a run of letters may be cut into any known words; by itself only into words of timing.
    """
    pieces = lexicon.pieces
    odd, dashed = [], []
    for index, token in enumerate(tokens):
        if token.kind == WORD:
            if token.text not in pieces and token.text not in names:
                odd.append(index)
        elif token.kind == DASHED:
            dashed.append(index)
    cuts = {index: cut for index in odd if (cut := _cut_of(tokens, index, lexicon, names)) is not None}
    runs = {index: run for index in dashed if (run := _slots_and_days(tokens, index, lexicon))}
    if not cuts and not runs:
        return tokens
    out: list[Token] = []
    for index, token in enumerate(tokens):
        if index in runs:
            out += runs[index]
            continue
        place, glued = token.start, token.glued
        for part in cuts.get(index, ()):
            out.append(Token(WORD, part, place, place + len(part), glued))
            place, glued = place + len(part), True
        if index not in cuts:
            out.append(token)
    return out


_THREE_SLOTS = re.compile(r"([0-4]-[0-4]-[01])-([5-9]|[1-9]\d{1,2})")


def _slots_and_days(tokens: Sequence[Token], index: int, lexicon: Lexicon) -> list[Token]:
    """`50mg-0-0-1-30 days`: three slots and a length of time, in a line whose fields are parted by dashes; empty if it is not certain.

    The dash before the slots shows how the fields are parted; the last number is more than a slot holds, and what it counts is named
    right behind it; the third is nought or one, so that `1-0 - 3-5 days` is not read into `1-0-3-5 days`.
    """
    token = tokens[index]
    parted = index > 0 and token.glued and tokens[index - 1].kind == MARK and tokens[index - 1].text == "-"
    if not parted or index + 1 == len(tokens) or (run := _THREE_SLOTS.fullmatch(token.text)) is None:
        return []
    unit = tokens[index + 1]
    if unit.kind != WORD or len(unit.text) < 3 or unit.text not in lexicon.timing_pieces or unit.text not in lexicon.time_units:
        return []
    dash = token.start + run.end(1)
    slots = token._replace(text=run[1], end=dash, values=(token.values or ())[:3])
    mark = Token(MARK, "-", dash, dash + 1, True)
    return [slots, mark, Token(NUMBER, run[2], dash + 1, token.end, True, (token.values or ())[3:])]


def _cut_of(tokens: Sequence[Token], index: int, lexicon: Lexicon, names: Mapping[str, Name]) -> list[str] | None:
    """The known words an unknown one is made of; None if it is not certain."""
    token = tokens[index]
    size = len(token.text)
    before = token.glued and index > 0 and tokens[index - 1].kind in _NUMERALS
    after = index + 1 < len(tokens) and tokens[index + 1].glued and tokens[index + 1].kind in _NUMERALS
    cut = _piecewise(token.text, lexicon.pieces) if (before or after) and size > 1 else None
    if cut is None and size > 2:
        cut = _piecewise(token.text, lexicon.timing_pieces) or _head_and_name(token.text, names)
    if cut is None and size > 2:
        cut = harmless_cut(tokens, index, lexicon.glued, names)
    # A dotted word (`b.d.`) is no longer as long as it is written.
    return cut if cut is not None and size == token.end - token.start else None


def _is_changing(before: Sequence[Chunk]) -> bool:
    """Behind `increase` or `reduce`, `40 to 80 mg` is a change, not a range."""
    return any(c.kind == "cue" and c.value[0] in ("increase", "decrease") for c in before[-8:])


def means(chunk: Chunk, kind: str) -> bool:
    """Whether `kind` is one of the chunk's readings."""
    if chunk.kind == kind:
        return True
    for meaning in chunk.meanings:  # noqa: SIM110 - asked of every chunk; a generator costs more than the loop
        if meaning.kind == kind:
            return True
    return False


def any_means(chunks: Sequence[Chunk], kind: str) -> bool:
    """Whether `kind` is a reading of any of the chunks."""
    for chunk in chunks:
        if chunk.kind == kind:
            return True
        for meaning in chunk.meanings:
            if meaning.kind == kind:
                return True
    return False


def _counts_no_pieces(token: Token, values: Sequence[Fraction], before: Sequence[Chunk]) -> bool:
    """Whether a number before a word for a piece is a strength: `75/20 cap`, `Dolo 650 tab 1-1-1`. The word is the form then."""
    if token.kind == SLASHED and len(values) > 1 and min(values) >= 5 and max(values) >= _NO_COUNT:
        return True
    behind_a_name = bool(before) and before[-1].kind == "drug" and len(values) == 1
    return behind_a_name and values[0] > 1 and (values[0] >= 5 or values[0].denominator != 1)


def meaning_of(chunk: Chunk, kind: str) -> object:
    """The value of the chunk's reading as `kind`, None if it has none."""
    if chunk.kind == kind:
        return chunk.value
    for meaning in chunk.meanings:
        if meaning.kind == kind:
            value: object = meaning.value
            return value
    return None


def extent(chunks: Sequence[Chunk]) -> tuple[int, int]:
    """Where chunks begin and end in the text. Those of a line that was put together from places need not stand in order."""
    return min([c.start for c in chunks]), max([c.end for c in chunks])


def extent_in_order(chunks: Sequence[Chunk], *, in_order: bool) -> tuple[int, int]:
    """The same of chunks that stand one behind the other in a line. `in_order`: the lines are those of the text."""
    return (chunks[0].start, chunks[-1].end) if in_order else extent(chunks)


def _place_of(tokens: Sequence[Token], first: int, last: int) -> tuple[int, int]:
    """Where a chunk's tokens begin and end in the text; those that boxes put side by side may stand there the other way round."""
    start, end = tokens[first].start, tokens[last - 1].end
    if start < end:
        return start, end
    return min(t.start for t in tokens[first:last]), max(t.end for t in tokens[first:last])


_LEAST_OF_RATIO = 100


def _end_of_ratio(tokens: Sequence[Token], index: int) -> int:
    """The place behind `1:1000` or `1 in 10,000`, which is one strength and no number of its own; 0 if none stands here."""
    if tokens[index].text != "1" or index + 2 >= len(tokens):
        return 0
    joint, whole = tokens[index + 1 : index + 3]
    if whole.kind != NUMBER or whole.values is None or whole.values[0] < _LEAST_OF_RATIO:
        return 0
    glued = joint.text == ":" and joint.glued and whole.glued
    spoken = joint.text == "in" and not whole.glued and (index + 3 == len(tokens) or tokens[index + 3].text not in ("ml", "mg"))
    return index + 3 if glued or spoken else 0


_NO_COUNT = 20  # so many pieces are taken at no time
# Meanings whose value is made where the phrase stands; the others are taken as they are.
# The upper end of `at least 30 min before food`: none that a person waits for.
_NO_LIMIT = Fraction(10**6)
_CHANGED_BY_PLACE = frozenset({"when_offset", "duration_is", "weekday"})
_NO_PHRASE: Trie = {}
# `Regd. no`
_ABBREVIATED = 4
_PASSED_OVER = frozenset("-._")  # full stops and joints inside a phrase
# Words that may be something else than the phrase they begin, by what stands beside them.
_BY_PLACE = frozenset({"t", "c", "no", "on"})
_BEFORE_A_LETTER = frozenset({"cue", "inert", "terminator", "heading", "indication_part", "label"})
_PLAIN_KINDS = {NEWLINE: "newline", ITEM: "item", DATE: "date"}


# From here on nobody takes so many and a half at a time.
_NO_COUNT_OF_HALVES = 10


def _spaced_fraction(tokens: Sequence[Token], index: int) -> Fraction | None:
    """The half of `1 1/2` and `1 ½`, by the place of its token."""
    token = tokens[index] if index < len(tokens) else None
    if token is None or token.values is None or token.glued:
        return None
    if token.kind == NUMBER:
        return token.values[0] if token.text in "½¼¾⅓⅔" else None
    if token.kind != SLASHED or len(token.values) != 2:
        return None
    top, bottom = token.values
    return top / bottom if bottom in (2, 3, 4, 8) and top < bottom else None


class Chunker:
    """Reads tokens against one lexicon and one bundle's names. Holds no state between texts."""

    __slots__ = ("_first_words", "_keys", "_lexicon", "_names", "_number_like", "_phrase_starts", "_trie", "_units")

    def __init__(self, lexicon: Lexicon, names: Mapping[str, Name], first_words: frozenset[str]) -> None:
        self._lexicon = lexicon
        self._names = names
        self._keys = sorted(names)
        self._first_words = first_words
        self._trie = lexicon.trie
        self._units = lexicon.units
        self._number_like = frozenset(lexicon.number_words) | (frozenset(lexicon.units) if ANY_UNIT in lexicon.trie else frozenset())
        # The words a phrase may begin with; a phrase that begins with a number may begin with a number word.
        self._phrase_starts = frozenset(lexicon.trie) | frozenset(lexicon.number_words)
        if ANY_UNIT in lexicon.trie:
            self._phrase_starts |= frozenset(lexicon.units)

    def chunks(self, tokens: list[Token]) -> list[Chunk]:
        """All chunks of `tokens`, in order, without gaps or overlaps."""
        out: list[Chunk] = []
        index, count = 0, len(tokens)
        while index < count:
            kind, text, start, end, _, _, _ = tokens[index]
            if kind in (WORD, MARK):
                chunk = self._word_or_mark(tokens, index, out)
                if chunk.kind in ("drug", "header_line_starts") and self._ends_a_longer_name(tokens, chunk, out):
                    chunk = self._make("word", text, tokens, index, index + 1)
            elif kind in _PLAIN_KINDS:
                chunk = _chunk((_PLAIN_KINDS[kind], text, start, end, index, index + 1, (), ()))
            elif kind == CONFUSED:
                chunk = Chunk("confused", "slots", start, end, index, index + 1)
            elif kind == UNREADABLE:
                chunk = Chunk("unreadable", None, start, end, index, index + 1)
            else:
                chunk = self._numeric(tokens, index, out)
            out.append(chunk)
            index = chunk.last
        return out

    @staticmethod
    def _ends_a_longer_name(tokens: list[Token], chunk: Chunk, before: Sequence[Chunk]) -> bool:
        """`Tab ZORBI-TEL`: letters, a hyphen and letters without a space are one name, not another name or `Tel:` behind the first.

        Only where an unknown word is a name for certain: behind a form, and where the text is nothing but the name.
        """
        if len(before) < 2 or before[-1].kind != "mark" or before[-1].value != "-" or before[-2].kind != "word":
            return False
        word, hyphen = before[-2], before[-1]
        if word.end != hyphen.start or hyphen.end != chunk.start or not str(word.value).isalpha() or word.end - word.start < 3:
            return False
        lead = [c for c in before[:-2] if not (c.kind == "mark" and c.value == ".")]
        return lead[-1].kind in ("form", "item") if lead else len(tokens) <= 5

    # -- one chunk -------------------------------------------------------------------------------------------------

    @staticmethod
    def _make(
        kind: str,
        value: object,
        tokens: list[Token],
        first: int,
        last: int,
        notes: tuple[str, ...] = (),
        meanings: tuple[Meaning, ...] = (),
    ) -> Chunk:
        return _chunk((kind, value, *_place_of(tokens, first, last), first, last, notes, meanings))

    def _ends_in_a_digit(self, word: str) -> bool:
        """Whether an unknown word is a known name and a letter that looks like a digit."""
        return word[-1] in "ilosz" and word not in self._names and word not in self._lexicon.pieces and word[:-1] in self._names

    # -- numbers ---------------------------------------------------------------------------------------------------

    def _number(
        self, tokens: list[Token], index: int, *, words: bool, before: Sequence[Chunk] = ()
    ) -> tuple[Fraction, Fraction | None, int, tuple[str, ...]] | None:
        """`(low, high, next index, notes)` of the number or range standing at `index`, behind the chunks `before`; None if none does."""
        token = tokens[index]
        low: Fraction
        high: Fraction | None = None
        notes = token.notes
        after = index + 1
        if token.kind == NUMBER and token.values is not None:
            low = token.values[0]
            part = _spaced_fraction(tokens, after) if low.denominator == 1 else None
            if part is not None and not (low >= _NO_COUNT_OF_HALVES and self._is_label(tokens, after + 1, before)):
                return low + part, None, after + 1, (*notes, "spaced_fraction")
            spaced = self._spaced_range(tokens, index, low, before)
            if spaced is not None:
                return low, spaced, index + 3, notes
        elif token.kind == DASHED and token.values is not None and len(token.values) == 2:
            low, high = token.values
            return (low, high, after, notes) if low < high else None
        elif token.kind == SLASHED and token.values is not None and len(token.values) == 2:
            top, bottom = token.values
            if bottom not in (2, 3, 4, 8) or top >= bottom:
                return None
            return top / bottom, None, after, notes
        elif words and token.kind == WORD and token.text in self._lexicon.number_words:
            spoken = self._spoken_number(tokens, index)
            if spoken is None:
                return None
            low, after = spoken
        else:
            return None
        joined = after + 1 < len(tokens) and tokens[after].kind == WORD and tokens[after].text in ("to", "or")
        if joined and not _is_changing(before):
            upper = tokens[after + 1]
            if upper.kind == NUMBER and upper.values is not None and upper.values[0] > low:
                return low, upper.values[0], after + 2, (*notes, *upper.notes)
            if words and upper.kind == WORD and upper.text in self._lexicon.number_words:
                end = self._spoken_number(tokens, after + 1)
                if end is not None and end[0] > low:
                    return low, end[0], end[1], notes
        return low, high, after, notes

    def _is_label(self, tokens: list[Token], after: int, before: Sequence[Chunk]) -> bool:
        """`Telma 40 1/2 tab`: right behind a name, and not before a mass, the whole number is the name's and the fraction is taken."""
        if not before or before[-1].kind != "drug":
            return False
        unit = self._unit_at(tokens, after)
        return unit is None or unit[1].startswith("count:")

    def _spaced_range(self, tokens: list[Token], index: int, low: Fraction, before: Sequence[Chunk]) -> Fraction | None:
        """The upper end of `1 - 2 tablets`: a few pieces, behind a strength."""
        if index + 3 >= len(tokens) or tokens[index + 1].text != "-" or tokens[index + 1].glued or tokens[index + 2].glued:
            return None
        end, unit = tokens[index + 2], self._unit_at(tokens, index + 3)
        strong = bool(before) and before[-1].kind == "amount" and set(before[-1].value.units) <= {"mg", "ug", "g"}
        counted = unit is not None and unit[1].startswith("count:")
        if not (strong and counted) or end.kind != NUMBER or end.values is None:
            return None
        high = end.values[0]
        return high if low < high <= _FEW and (low * 2).denominator == 1 else None

    def _spoken_number(self, tokens: list[Token], index: int) -> tuple[Fraction, int] | None:
        """`(value, next index)` of the number words at `index`: `ten`, `twenty five`, `six hundred and fifty`, `one and a half`.

        None for what is 650 or six of 50, `six fifty`: a word of ten or more stands behind no other number, and none behind it.
        """
        lexicon, said = self._lexicon, self._lexicon.number_words
        value, after = said[tokens[index].text], index + 1
        word, behind = _word_behind(tokens, after)
        if tokens[index].text in lexicon.spoken_units and word in lexicon.spoken_hundreds:
            value, after = value * 100, behind
            word, behind = _word_behind(tokens, after)
            joined = word == "and"
            if joined:
                word, behind = _word_behind(tokens, behind)
            if (10 if joined else 1) <= said.get(word, 0) < 100:
                value, after = value + said[word], behind
        word, behind = _word_behind(tokens, after)
        if tokens[after - 1].text in lexicon.spoken_tens and word in lexicon.spoken_units:
            value, after = value + said[word], behind
            word, _ = _word_behind(tokens, after)
        halved = [t.text for t in tokens[after : after + 3]]
        if value < 10 and halved == ["and", "a", "half"]:
            # `one and a half tablets`
            value, after = value + Fraction(1, 2), after + 3
            word, _ = _word_behind(tokens, after)
        before = tokens[index - 2] if index > 1 and tokens[index - 1].text == "-" else tokens[index - 1] if index else None
        counted = value >= 10 and before is not None and (before.text in said or before.kind == NUMBER)
        goes_on = word in lexicon.spoken_hundreds or word == "point" or (word in said and (value >= 10 or said[word] >= 10))
        return None if counted or goes_on else (value, after)

    def _numeric(self, tokens: list[Token], index: int, before: Sequence[Chunk]) -> Chunk:
        token = tokens[index]
        confused = self._confused_cluster(tokens, index, before)
        if confused is not None:
            return confused
        if (
            token.glued
            and before
            and before[-1].kind == "mark"
            and before[-1].value in ("+", "-", "<", ">", "=")
            and not tokens[index - 1].glued
        ):
            behind = before[-2] if len(before) > 1 else None
            compared = before[-1].value in ("<", ">") and behind is not None and behind.kind in ("indication", "header_line_starts")
            if behind is None or (before[-1].value != "-" and not compared and behind.kind not in ("amount", "number", "tuple")):
                # A sign is part of no dose.
                return self._malformed(tokens, index, index + 1)
        if token.glued and index and tokens[index - 1].kind == WORD and self._ends_in_a_digit(tokens[index - 1].text):
            # `EtoshineI20mg`: what ends the name is a digit of the number.
            return self._malformed(tokens, index, index + 1)
        if ratio := _end_of_ratio(tokens, index):
            return self._make("malformed", None, tokens, index, ratio)
        timed = self._clock(tokens, index, before) or self._a_day(tokens, index, before)
        if timed is not None:
            return timed
        if token.glued and before and before[-1].value == "|" and not tokens[index - 1].glued and not _in_a_row(before):
            # `|25 mcg`: a bar at a number is a digit that was misread, unless the line has cells.
            return self._malformed(tokens, index, index + 1)
        phrase = self._phrase(tokens, index)
        if phrase is not None and phrase.kind == "duration" and phrase.last > index + 1:
            ahead = self._phrase(tokens, phrase.last - 1)
            if ahead is not None and ahead.kind == "rate" and ahead.last > phrase.last:
                # `Crocin 500 din me teen baar`: the day belongs to the frequency behind the number.
                phrase = None
        if phrase is not None and phrase.kind in ("refill", "quantity") and phrase.last < len(tokens) and tokens[phrase.last].text == ":":
            # `Qty: 90  Refills: 3`: the word is the label of the number behind it.
            phrase = None
        if token.values is None:
            return self._malformed(tokens, index, index + 1)
        amount = self._amount(tokens, index, before)
        if phrase is not None and (amount is None or phrase.last >= amount.last):
            return phrase
        if amount is not None:
            return amount
        after = index + 1
        if (
            token.kind == NUMBER
            and after < len(tokens)
            and tokens[after].kind == WORD
            and tokens[after].text in self._lexicon.confusable_units
        ):
            return self._malformed(tokens, index, after)
        if token.kind == DASHED:
            if 3 <= len(token.values) <= 4:
                return self._slots(tokens, index)
            return self._make("range" if len(token.values) == 2 else "code", token.values, tokens, index, after, token.notes)
        if token.kind == SLASHED:
            if len(token.values) == 2 and self._is_part_of_period(token.values, before, tokens[index - 1].text):
                unit = {7: "d", 52: "wk", 12: "mo"}[int(token.values[1])]
                return self._make("duration", (token.values[0], None, unit), tokens, index, after)
            return self._make("tuple", token.values, tokens, index, after, token.notes)
        if token.kind == PLUSSED:
            small = all(v < 10 for v in token.values)
            return (
                self._slots(tokens, index)
                if small and len(token.values) in (3, 4)
                else self._make("tuple", token.values, tokens, index, after, token.notes)
            )
        number = self._number(tokens, index, words=False, before=before)
        end = number[2] if number is not None else after
        halved = number is not None and number[0].denominator != 1 and "." not in token.text
        counted = self._unit_at(tokens, end) if halved else None
        if counted is not None and counted[1].startswith("count:") and before and before[-1].kind == "drug":
            # `Amaryl 1 1/2 tab`: one and a half, or half of the 1 mg.
            return self._make("malformed", counted[0], tokens, index, end)
        if number is not None and number[2] > after:
            return self._make("number", Quantity((number[0],), (None,), number[1]), tokens, index, number[2], number[3])
        if after < len(tokens) and tokens[after].kind == WORD and tokens[after].glued and tokens[after].text in ("st", "nd", "rd", "th"):
            return self._make("word", "ordinal", tokens, index, after + 1)
        measured = before and before[-1].value in (">", "<", "above", "below", "over", "than")
        if measured and after < len(tokens) and tokens[after].glued and tokens[after].text in ("f", "c"):
            # `fever > 100F`
            return self._make("number", Quantity(token.values, (None,)), tokens, index, after + 1, token.notes)
        if after < len(tokens) and tokens[after].kind == WORD and tokens[after].glued and tokens[after].text not in self._lexicon.pieces:
            return self._malformed(tokens, index, after)
        return self._make("number", Quantity(token.values, (None,)), tokens, index, after, token.notes)

    def _clock(self, tokens: list[Token], index: int, before: Sequence[Chunk]) -> Chunk | None:
        """`at 10 pm`, `BD (10 am, 10 pm)`, `08:00, 16:00`: an hour of the clock, as a time of its own.

        Behind a name `5 AM` may be a strength and a suffix; without `am` or `pm` only `08:00` and `16:00` tell the half of the day.
        """
        hour, after = tokens[index].text, index + 1
        halved = after < len(tokens) and tokens[after].text in ("am", "pm")
        if not hour.isdigit() or len(hour) > 2 or not self._may_be_timed(before, halved=halved):
            return None
        minutes = "00"
        if after + 1 < len(tokens) and tokens[after].text == ":" and tokens[after].glued and tokens[after + 1].glued:
            minutes, after = tokens[after + 1].text, after + 2
            if minutes not in ("00", "15", "30", "45"):
                return None
        half = tokens[after].text if after < len(tokens) and tokens[after].text in ("am", "pm") else ""
        if half:
            if not 1 <= int(hour) <= 12:
                return None
            at = int(hour) % 12 + (12 if half == "pm" else 0)
            return self._make("when", (f"{at:02}:{minutes}", None), tokens, index, after + 1)
        if after == index + 1 or len(hour) != 2 or int(hour) > 23 or (hour[0] != "0" and int(hour) < 13):
            return None
        return self._make("when", (f"{hour}:{minutes}", None), tokens, index, after)

    @staticmethod
    def _may_be_timed(before: Sequence[Chunk], *, halved: bool) -> bool:
        """A time stands here: a frequency, an amount or `at` is before it, or another hour of the same list."""
        if not before:
            return True
        last = before[-1]
        if last.value == "-" and len(before) > 1:
            # `ONE daily - 08:00`, `1 tab - 8 am`
            return before[-2].kind in ("rate", "slots", "when") or (halved and before[-2].kind == "amount")
        if (
            last.kind in ("mark", "word", "inert", "indication_part")
            and last.value in (",", "(", "&", "and", "joiners")
            and len(before) > 1
        ):
            last = before[-2]
            return last.kind in ("rate", "slots") or (last.kind == "when" and ":" in str(last.value[0]))
        if last.value in ("at", "@"):
            line = list(itertools.takewhile(lambda c: c.kind != "newline", reversed(before)))
            return any(c.kind in ("drug", "amount", "rate", "slots", "form", "when") for c in line) or len(line) == len(before) == 1
        return last.kind in ("rate", "slots", "when", "route")

    def _a_day(self, tokens: list[Token], index: int, before: Sequence[Chunk]) -> Chunk | None:
        """`500 mg 2/day`, `4 times x 1 week`: how often a day. Behind a name the number is a strength."""
        token = tokens[index]
        if token.kind != NUMBER or token.text not in ("1", "2", "3", "4", "5", "6") or token.values is None:
            return None
        if before and before[-1].kind not in ("amount", "form", "mark"):
            return None
        if (
            before
            and before[-1].kind == "mark"
            and (before[-1].value not in ("-", ",") or len(before) < 2 or before[-2].kind not in ("amount", "form", "duration"))
        ):
            return None
        words = [t.text for t in tokens[index + 1 : index + 4]]
        rate = Rate(token.values[0], token.values[0], ONE, ONE, "d")
        if words[:2] in (["/", "day"], ["/", "d"]) and (len(words) < 3 or words[2] != "/"):
            return self._make("rate", rate, tokens, index, index + 3)
        lasting = len(words) > 2 and words[1] in ("x", "for") and tokens[index + 3].kind == NUMBER
        if words and words[0] in ("times", "time") and (token.text != "1" or lasting) and (lasting or (not before and len(words) == 1)):
            return self._make("rate", rate, tokens, index, index + 2)
        return None

    @staticmethod
    def _is_part_of_period(values: tuple[Fraction, ...], before: Sequence[Chunk], word: str) -> bool:
        """`5/7` is five days only after `x`, `for`, a frequency or `Duration:`; elsewhere it may be a fraction or a date."""
        limit = {7: 31, 52: 52, 12: 24}.get(int(values[1])) if values[1].denominator == 1 else None
        if limit is None or values[0] > limit or values[0].denominator != 1 or not before:
            return False
        last = before[-1]
        if last.kind == "mark" and last.value == ":" and len(before) > 1:
            return meaning_of(before[-2], "label") == "duration"
        return last.kind in ("rate", "slots", "when", "prn", "stat") or (
            last.kind in ("word", "inert", "filler", "indication_part") and word in ("x", "for")
        )

    def _slots(self, tokens: list[Token], index: int) -> Chunk:
        token = tokens[index]
        values = token.values or ()
        after = index + 1
        unit = "mL" if "ml" in token.notes else "{tbl}" if "tab" in token.notes else None
        if unit is None and after < len(tokens) and tokens[after].kind == WORD and tokens[after].text in self._units:
            found = self._units[tokens[after].text]
            if found.dimension.startswith("count:") or found.dimension in ("volume", "unit", "drop", "iu", "household:tsp"):
                unit = found.ucum
                after += 1
        plausible = any(values) and all(v < 10 or unit in ("mL", "{unit}", "[iU]") for v in values)
        if not plausible:
            return self._make("code", values, tokens, index, index + 1)
        return self._make("slots", (values, unit), tokens, index, after, token.notes)

    def _malformed(self, tokens: list[Token], index: int, after: int) -> Chunk:
        """A number that is not one, with what is glued to it and the unit behind it, so that its role is still known."""
        while (
            after < len(tokens) and tokens[after].glued and tokens[after].kind in (NUMBER, WORD) and tokens[after].text not in self._units
        ):
            after += 1
        unit = None
        if after < len(tokens) and tokens[after].kind == WORD:
            text = tokens[after].text
            before_name = after + 1 < len(tokens) and (tokens[after + 1].text in self._first_words or tokens[after + 1].text in self._names)
            if text in self._units and not before_name:
                unit, after = self._units[text].ucum, after + 1
            elif text in self._lexicon.confusable_units:
                unit, after = self._lexicon.confusable_units[text], after + 1
        return self._make("malformed", unit, tokens, index, after)

    def _confused_cluster(self, tokens: list[Token], index: int, before: Sequence[Chunk]) -> Chunk | None:
        """`8D`, `S0S`, `H5`: a timing word in which a letter and a digit were exchanged. Never repaired."""
        after, count = index + 1, len(tokens)
        while after < count and tokens[after].glued and tokens[after].kind in (NUMBER, WORD) and after - index < 3:
            after += 1
        if after == index + 1 and tokens[index].kind == NUMBER and tokens[index].text not in self._lexicon.confusable_timing:
            return None
        joined = "".join([t.text for t in tokens[index:after]])
        if joined not in self._lexicon.confusable_timing:
            return None
        if before and before[-1].value in ("x", "for"):
            return None
        return self._make("confused", "timing", tokens, index, after)

    # -- amounts ---------------------------------------------------------------------------------------------------

    def _unit_at(self, tokens: list[Token], index: int) -> tuple[str, str, tuple[str, ...], int] | None:
        """`(ucum, dimension, notes, next index)` of the unit word at `index`."""
        if index >= len(tokens):
            return None
        token = tokens[index]
        if token.kind != WORD and token.text != "%":
            return None
        unit = self._units.get(token.text)
        if unit is None:
            return None
        after = index + 1
        if after + 1 < len(tokens) and tokens[after].text == "." and tokens[after].glued and tokens[after + 1].text == "/":
            after += 1
        return unit.ucum, unit.dimension, unit.notes, after

    def _amount(self, tokens: list[Token], index: int, before: Sequence[Chunk]) -> Chunk | None:
        token = tokens[index]
        notes: tuple[str, ...] = ()
        if token.kind == PLUSSED or (token.kind == SLASHED and self._number(tokens, index, words=False) is None):
            values, high, after = token.values or (), None, index + 1
            notes = token.notes
        elif token.kind == DASHED and token.values is not None and len(token.values) == 2 and token.values[0] >= token.values[1]:
            return None
        else:
            number = self._number(tokens, index, words=True, before=before)
            if number is None:
                return None
            values, high, after, notes = (number[0],), number[1], number[2], number[3]
        scale = self._scale_at(tokens, after)
        scaled = scale is not None
        if scale is not None:
            values = tuple(v * scale for v in values)
            after += 1
            if tokens[after - 1].text in ("miu", "mu"):
                return self._make("amount", Quantity(values, ("[iU]",) * len(values)), tokens, index, after, (*notes, "scale_word"))
        unit = self._unit_at(tokens, after)
        if unit is None:
            if scaled:
                return self._make("number", Quantity(values, (None,) * len(values)), tokens, index, after, (*notes, "scale_word"))
            return None
        ucum, dimension, unit_notes, next_index = unit
        if dimension == "not_a_dose":
            return None
        if dimension.startswith("count:") and _counts_no_pieces(token, values, before):
            return None
        notes += unit_notes + (("scale_word",) if scaled else ())
        units: list[str | None] = [ucum] * len(values)
        parts = list(values)
        per: list[tuple[Fraction, str]] = []
        after = next_index
        while after < len(tokens) and tokens[after].text in ("/", "per", "+"):
            number = self._number(tokens, after + 1, words=False) if after + 1 < len(tokens) else None
            unit_from = number[2] if number is not None else after + 1
            following = self._unit_at(tokens, unit_from)
            if (
                following is not None
                and number is not None
                and number[1] is None
                and following[1] == dimension
                and dimension in _STRENGTH_DIMENSIONS
                and tokens[after].text != "per"
            ):
                # `40 mg/5 mg`, `500 mg + 125 mg`
                parts.append(number[0])
                units.append(following[0])
                notes += number[3]
                after = following[3]
                continue
            denominator, stop = self._denominator(tokens, unit_from, following)
            if tokens[after].text == "+" or denominator is None or (number is not None and number[1] is not None):
                break
            per.append((number[0] if number is not None else ONE, denominator))
            after = stop
        return self._make("amount", Quantity(tuple(parts), tuple(units), high, tuple(per)), tokens, index, after, notes)

    def _scale_at(self, tokens: list[Token], place: int) -> Fraction | None:
        """`60K`, `1 lakh`, `2 million units`: what the number before it is times; other scales only before a unit of counted doses."""
        if place >= len(tokens) or tokens[place].kind != WORD or tokens[place].text not in self._lexicon.scale_words:
            return None
        word, unit = tokens[place].text, self._unit_at(tokens, place + 1)
        stands_alone = word in ("k", "miu", "mu", "lac", "lacs", "lakh", "lakhs")
        return self._lexicon.scale_words[word] if stands_alone or (unit is not None and unit[1] in ("iu", "unit")) else None

    def _denominator(self, tokens: list[Token], place: int, unit: tuple[str, str, tuple[str, ...], int] | None) -> tuple[str | None, int]:
        """`/5 ml`, `per tablet`, `/hr`: the unit at a place as a denominator, and the place behind it."""
        if unit is not None and (unit[1] in ("volume", "mass", "dose") or unit[1].startswith("count:")):
            return unit[0], unit[3]
        timed = place < len(tokens) and tokens[place].kind == WORD
        return (self._lexicon.time_units.get(tokens[place].text) if timed else None), place + 1

    # -- words -----------------------------------------------------------------------------------------------------

    def _word_or_mark(self, tokens: list[Token], index: int, before: Sequence[Chunk]) -> Chunk:
        token = tokens[index]
        text = token.text
        after = index + 1
        if token.kind == WORD:
            stuck = after < len(tokens) and tokens[after].glued
            if stuck or text in self._lexicon.confusable_timing:
                confused = self._confused_cluster(tokens, index, before)
                if confused is not None:
                    return confused
        elif text not in self._phrase_starts:
            return _chunk(("mark", text, token.start, token.end, index, after, (), ()))
        phrase = self._phrase(tokens, index) if text in self._phrase_starts else None
        if text in _BY_PLACE and (otherwise := self._by_place(tokens, index, phrase, before)) is not None:
            return otherwise
        if token.kind == MARK:
            return phrase if phrase is not None else self._make("mark", token.text, tokens, index, index + 1)
        drug = self._drug(tokens, index) if text in self._first_words or text in self._names else None
        if drug is not None and (phrase is None or drug.last >= phrase.last):
            return drug
        if phrase is not None:
            return phrase
        if text in self._lexicon.number_words:
            amount = self._amount(tokens, index, before)
            if amount is not None:
                return amount
        if (
            after < len(tokens)
            and tokens[after].glued
            and tokens[after].kind == NUMBER
            and token.text in ("l", "i", "o", "s", "z", "b")
            and not token.glued
        ):
            return self._malformed(tokens, index, after)
        return _chunk(("word", text, token.start, token.end, index, after, (), ()))

    def _by_place(self, tokens: list[Token], index: int, phrase: Chunk | None, before: Sequence[Chunk]) -> Chunk | None:
        """`T.` and `C.` before a name, `no` before a name alone, `ON` behind an amount; None where the word is what it always is."""
        text, after = tokens[index].text, index + 1
        if text in ("t", "c") and after + 1 < len(tokens) and tokens[after].text == "." and tokens[after].glued:
            named = tokens[after + 1].kind == WORD and len(tokens[after + 1].text) > 2
            opened = not before or before[-1].kind in ("newline", "item", "mark", "verb")
            # `On T. Amlong`, `Cont T. Amlong and C. Omez`: behind these words only before a name that is known.
            known = bool(before) and before[-1].kind in _BEFORE_A_LETTER and self._is_name(tokens, after + 1)
            if named and (opened or known):
                return self._make("form", "tablet" if text == "t" else "capsule", tokens, index, after)
        if phrase is None or phrase.last == after:
            if text == "no" and self._is_refusal(tokens, index, before):
                return self._make("cue", ("avoid", "before"), tokens, index, after)
            if text == "on" and self._is_every_night(tokens, index, before):
                return self._make("when", ("NIGHT", None), tokens, index, after)
        return None

    def _is_name(self, tokens: list[Token], index: int) -> bool:
        return (tokens[index].text in self._first_words or tokens[index].text in self._names) and self._drug(tokens, index) is not None

    def _is_refusal(self, tokens: list[Token], index: int, before: Sequence[Chunk]) -> bool:
        """`No Aspirin.` at the start of a clause, and nothing but the name behind it; `No. 3` and `S. No` count."""
        if index + 1 >= len(tokens) or not (
            not before or before[-1].kind in ("newline", "item") or before[-1].value in (":", ",", ";", "-")
        ):
            return False
        named = tokens[index + 1].text in self._first_words or tokens[index + 1].text in self._names
        drug = self._drug(tokens, index + 1) if named else None
        return drug is not None and (
            drug.last == len(tokens) or tokens[drug.last].kind == NEWLINE or tokens[drug.last].text in (".", ",", ";")
        )

    def _is_every_night(self, tokens: list[Token], index: int, before: Sequence[Chunk]) -> bool:
        """`Atorvastatin 80mg ON` (omni nocte): behind an amount and at the end of its clause, where `on` has nothing to govern."""
        if not before or before[-1].kind not in ("amount", "form"):
            return False
        after = index + 1
        while after < len(tokens) and tokens[after].kind == NEWLINE:
            after += 1
        if after == len(tokens):
            return True
        if after == index + 1:
            return tokens[after].text in (",", ";", ")", "x", "for")
        # The line breaks behind it: `5 mg on / Mondays` is one phrase.
        ahead = self._phrase(tokens, after)
        return tokens[after].kind != DATE and (ahead is None or ahead.kind not in ("weekday", "rate", "when", "duration", "ambiguous"))

    def _drug(self, tokens: list[Token], index: int) -> Chunk | None:
        """The longest key of the bundle that begins here; read on only while some key begins so."""
        names, keys = self._names, self._keys
        best: tuple[int, str, Name] | None = None
        key = ""
        place = index
        limit = min(len(tokens), index + 12)
        while place < limit:
            part = tokens[place]
            if part.kind in (WORD, NUMBER, SLASHED) and part.text[0] != ".":
                key += part.text.replace("/", "").replace(".", "").replace("'", "")
                found = names.get(key)
                unit_follows = part.kind != WORD and place > index and self._unit_at(tokens, place + 1) is not None
                if found is not None and not (unit_follows and best is not None):
                    best = (place + 1, key, found)
                longer = bisect_right(keys, key)
                if longer == len(keys) or not keys[longer].startswith(key):
                    break
            elif not (part.kind == MARK and part.text == "-" and place > index):
                break
            place += 1
        if best is None:
            return None
        return self._make("drug", DrugMention(best[1], best[2]), tokens, index, best[0])

    def _phrase(self, tokens: list[Token], index: int) -> Chunk | None:
        """Longest phrase of the trie starting at `index` (`once_daily`): a full stop or joint inside a phrase is passed over."""
        token = tokens[index]
        if token.kind == WORD and token.text not in self._number_like:
            # The placeholders of numbers and units need not be tried.
            node, after = self._trie[token.text] if token.text in self._phrase_starts else _NO_PHRASE, index + 1
            ahead = tokens[after].text if after < len(tokens) else "\n"
            if ahead in node or ahead in _PASSED_OVER or ANY_NUMBER in node or ANY_UNIT in node:
                best = self._walk(tokens, index, after, node, None)
            else:
                best = (after, node[LEAF], None) if LEAF in node else None
        else:
            best = self._walk(tokens, index, index, self._trie, None)
        if best is None:
            return None
        last, meanings, number = best
        if number is not None and tokens[last - 1].text == "no" and last < len(tokens):
            following = tokens[last]
            if following.kind == NUMBER or following.text in self._lexicon.number_words:
                # `ten no twelve units`: taken back.
                return None
        return self._from_meanings(tokens, index, last, meanings, number)

    def _walk(
        self, tokens: list[Token], index: int, place: int, node: Trie, number: tuple[Fraction, Fraction | None, tuple[str, ...]] | None
    ) -> tuple[int, list[Meaning], tuple[Fraction, Fraction | None, tuple[str, ...]] | None] | None:
        best: tuple[int, list[Meaning], tuple[Fraction, Fraction | None, tuple[str, ...]] | None] | None = None
        count = len(tokens)
        while True:
            if place > index and LEAF in node:
                best = (place, node[LEAF], number)
                if len(node) == 1:
                    return best
            if place >= count:
                return best
            kind, text, _, _, _, _, _ = tokens[place]
            if kind in (NEWLINE, UNREADABLE):
                # A letter of another alphabet makes a word of no phrase (P12).
                return best
            if ANY_NUMBER in node and (kind in _NUMERALS or (kind == WORD and text in self._lexicon.number_words)):
                read = self._number(tokens, place, words=True)
                if read is not None:
                    longer = self._walk(tokens, index, read[2], node[ANY_NUMBER], (read[0], read[1], read[3]))
                    if longer is not None and (best is None or longer[0] > best[0]):
                        best = longer
            if ANY_UNIT in node and kind == WORD and text in self._units:
                longer = self._walk(tokens, index, place + 1, node[ANY_UNIT], number)
                if longer is not None and (best is None or longer[0] > best[0]):
                    best = longer
            if text == ANY_NUMBER and ANY_NUMBER in node and place > index and place + 1 < count and tokens[place + 1].glued:
                # `Disp #30`: the sign before a number of pieces.
                place += 1
                continue
            # The placeholder is a key of the trie, and no word of the text.
            following = node.get(text) if text != ANY_NUMBER else None
            if following is None:
                if kind == MARK and text in _PASSED_OVER and place > index and place + 1 < count:
                    ahead = tokens[place + 1]
                    whole = best is not None and best[0] == place and (number is not None or len(tokens[place - 1].text) > _ABBREVIATED)
                    if text == "." and not ahead.glued and (whole or tokens[place - 1].kind == NUMBER):
                        # `Qty: 21. Refills: 0`, `after 2 weeks. Only on Sundays`: a sentence ends behind a whole phrase; `Reg. No`.
                        return best
                    if ahead.text in node and (text != "." or not ahead.glued or len(tokens[place - 1].text) <= 2):
                        place += 1
                        continue
                return best
            node = following
            place += 1

    def _from_meanings(
        self,
        tokens: list[Token],
        first: int,
        last: int,
        meanings: list[Meaning],
        number: tuple[Fraction, Fraction | None, tuple[str, ...]] | None,
    ) -> Chunk:
        if number is None and len(meanings) == 1 and meanings[0].kind not in _CHANGED_BY_PLACE:
            kind, value, notes = meanings[0]
            start, end = tokens[first][2:4] if last == first + 1 else _place_of(tokens, first, last)
            return _chunk((kind, value, start, end, first, last, notes, ()))
        ordered = meanings
        if len(ordered) > 1 and last < len(tokens) and tokens[last].text == ":":
            # `When: before breakfast`: in front of a colon a label is a label.
            ordered = [*(m for m in ordered if m.kind == "label"), *(m for m in ordered if m.kind != "label")]
        meaning = ordered[0]
        kind, value, notes = meaning
        if number is not None:
            low, high, number_notes = number
            notes += number_notes
            if kind == "rate_of":
                shape, unit = value
                top = high if high is not None else low
                kind = "rate"
                value = Rate(ONE, ONE, low, top, unit) if shape == "interval" else Rate(low, top, ONE, ONE, unit)
            elif kind == "duration":
                value = (low, high, value)
            elif kind == "when_offset":
                unit, code = value
                high = _NO_LIMIT if AT_LEAST in notes else high
                kind, value = "when", (code, (low, unit) if high is None else (low, unit, high))
            elif kind in ("maximum", "quantity", "refill"):
                value = (low, high, self._unit_within(tokens, first, last))
        elif kind == "when_offset":
            half_hour = (Fraction(30), "min", _NO_LIMIT) if AT_LEAST in notes else (Fraction(30), "min")
            kind, value = "when", (value[1], half_hour)
        elif kind == "duration_is":
            kind, value = "duration", (value[0], None, value[1])
        if kind == "weekday":
            return self._weekdays(tokens, first, last, value, notes)
        return self._make(kind, value, tokens, first, last, notes, tuple(ordered[1:]))

    def _unit_within(self, tokens: list[Token], first: int, last: int) -> str | None:
        for token in tokens[first:last]:
            if token.kind == WORD and token.text in self._units:
                return self._units[token.text].ucum
        return None

    def _weekdays(self, tokens: list[Token], first: int, last: int, day: str, notes: tuple[str, ...]) -> Chunk:
        """`Mon-Fri`, `Mon/Wed/Fri`, `Sat and Sun`: one set of days."""
        days = {day}
        previous = day
        while last + 1 < len(tokens):
            joint = tokens[last]
            if joint.text not in ("-", "/", ",", "and", "&", "to"):
                break
            ahead = self._walk(tokens, last + 1, last + 1, self._trie, None)
            if ahead is None or ahead[1][0].kind != "weekday":
                break
            following = ahead[1][0].value
            if joint.text in ("-", "to"):
                at, stop = WEEK.index(previous), WEEK.index(following)
                if at >= stop:
                    break
                days.update(WEEK[at : stop + 1])
            days.add(following)
            previous = following
            last = ahead[0]
        return self._make("weekday", frozenset(days), tokens, first, last, notes)
