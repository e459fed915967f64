"""What may begin at a place of a line, seen from the line alone: a list number, a table head, an order for an unknown name.

Nothing here knows of the lines before; what an opening means on the page is for `segment/`.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence

from medfence_guard.reader.chunks import Chunk, meaning_of, means
from medfence_guard.reader.draft import JOINTS, TIMING_KINDS
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.lines import behind_bar

# The four parts of a note, once two of the letters stand at line starts.
SOAP = {"s": ("complaints", "none"), "o": ("exam", "none"), "a": ("diagnosis", "none"), "p": ("plan", "cue")}
_LIST_LETTERS = frozenset("a b c d e f g h i j ii iii v vi vii viii ix x".split())


def separated(chunks: list[Chunk], text: str) -> list[Chunk]:
    """`Tab X 50 mg * OD * 1 month`: a star with white space around it, twice or more inside a line, separates."""
    stars = {
        n
        for n, c in enumerate(chunks[1:-1], 1)
        if c.kind == "mark" and c.value == "*" and text[c.start - 1] == " " and text[c.end : c.end + 1] == " "
    }
    if len(stars) < 2:
        return chunks
    return [c._replace(value=",") if n in stars else c for n, c in enumerate(chunks)]


def heads_a_list(chunks: Sequence[Chunk]) -> bool:
    """Only words for medicines, and a colon: the rest of a heading."""
    return all(
        (c.kind == "mark" and c.value in (":", "-", ".")) or c.value == "prescription_nouns" or means(c, "heading") for c in chunks
    ) and (any(c.value == ":" for c in chunks) or any(c.kind != "mark" for c in chunks))


def soap_letter(chunks: Sequence[Chunk]) -> bool:
    """`S:`, `O -`, `A:`, `P -` at a line start: the four parts of a note."""
    return (
        len(chunks) > 1
        and chunks[0].kind == "word"
        and chunks[0].value in SOAP
        and chunks[1].kind == "mark"
        and chunks[1].value in (":", "-")
    ) or (len(chunks) == 2 and chunks[0].value in SOAP and chunks[1].value == ":")


_SLOT_LETTERS = ("m", "a", "n")


def _letter(chunk: Chunk) -> str:
    """The letter a chunk consists of, by its first meaning as a word."""
    return str(chunk.value) if chunk.end - chunk.start == 1 else ""


# Columns that say what a row is of; and fields whose labels are words of sentences too (`start`, `when`, `continue till`, `if needed`).
_OF_ROWS = frozenset({"name", "generic_name", "number"})
_IN_SENTENCES = frozenset({"as_needed", "date", "duration", "instructions", "status", "timing"})
SURELY_A_HEAD = 4  # labels
# What has no reading as a label of a column.
_IN_NO_HEAD = frozenset("amount drug duration form number date slots tuple verb cue".split())


def table_head(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """The fields of a table's columns, if the line is nothing but column labels; empty otherwise.

    Two labels make a head. `start when` is none: without a column of names, labels that sentences are made of do not count.
    `No medicine` is none: a `No` that nothing parts from the label beside it denies it, unless many more follow.
    """
    if not _IN_NO_HEAD.isdisjoint([c.kind for c in chunks if not c.meanings]):
        return ()
    labels: list[str] = []
    letters = [c for c in chunks if c.kind != "mark"]
    lettered = next((n for n in range(1, len(letters) - 2) if tuple(map(_letter, letters[n : n + 3])) == _SLOT_LETTERS), None)
    slots = letters[lettered : lettered + 3] if lettered is not None else []
    for chunk in chunks:
        label = meaning_of(chunk, "label")
        if chunk in slots:
            # `Medicine | Dose | M | A | N`
            labels.append(("slot_morning", "slot_noon", "slot_night")[slots.index(chunk)])
        elif label is not None:
            labels.append(str(label))
        elif chunk is chunks[-1] and chunk.value == "starters" and len(labels) > 2 and chunk.end - chunk.start == 3:
            # `Medicine | M | A | N | For`
            labels.append("duration")
        elif chunk is chunks[0] and chunk.kind in ("route", "word") and chunk.end - chunk.start == 2 and slots:
            # `Sl | Medicine`
            labels.append("number")
        elif chunk.kind == "mark":
            if chunk.value == ":":
                return ()
        elif chunk.kind not in ("inert", "item") and not means(chunk, "heading"):
            return ()
    counted = labels if not _OF_ROWS.isdisjoint(labels) else [label for label in labels if label not in _IN_SENTENCES]
    if any(denies(chunks, place) for place in range(len(chunks))) and len(labels) < SURELY_A_HEAD:
        return ()
    return tuple(labels) if len(counted) >= 2 else ()


def denies(chunks: Sequence[Chunk], place: int) -> bool:
    """`No` for a number, with one space to the label behind it, or at the end of the line: `No medicine`, `night dose no`."""
    chunk = chunks[place]
    if chunk.end - chunk.start != len("no") or meaning_of(chunk, "label") != "number":
        return False
    return place + 1 == len(chunks) or (chunks[place + 1].kind != "mark" and chunks[place + 1].start == chunk.end + 1)


def count_serials(lines: Sequence[tuple[list[Chunk], bool]], tables: Collection[int]) -> dict[int, int]:
    """Lines whose first number continues a run 1, 2, 3 …, or stands under a table head; line -> number."""
    leading: list[tuple[int, int]] = []
    for number, (chunks, _) in enumerate(lines):
        first = behind_bar(chunks)[0]
        if (
            first.kind in ("number", "amount")
            and len(first.value.parts) == 1
            and first.value.high is None
            and first.value.parts[0].denominator == 1
        ):
            leading.append((number, int(first.value.parts[0])))
    out: dict[int, int] = {}
    for place, (line, value) in enumerate(leading):
        follows = place > 0 and leading[place - 1][1] == value - 1 and leading[place - 1][0] in out
        run = [v for _, v in leading[place : place + 3]]
        plain = behind_bar(lines[line][0])[0].kind == "number"
        second = behind_bar(lines[leading[place + 1][0]][0]) if run[:2] == [1, 2] else []
        listed = len(second) > 1 and second[0].kind == "number" and second[1].kind in ("drug", "form")
        starts = value == 1 and (run == [1, 2, 3] or ((plain or listed) and run[:2] == [1, 2]) or any(t < line for t in tables))
        if follows or starts:
            out[line] = value
    return out


def item_number(item: Chunk) -> int:
    """The number of a list item: 2 of `2.`, `(2)`."""
    return int("".join(c for c in str(item.value) if c.isdigit()))


# What stands behind the strength of a plain order.
_PLAIN_SIG = frozenset({"amount", "rate", "slots", "duration", "when", "prn"})
_PLAIN_UNITS = frozenset({"mg", "ug"})


def plain_order(chunks: Sequence[Chunk]) -> int:
    """The place of the name in a line that is an order in its plainest form, `1. Tab. X 40 mg OD x 5 days after food`; else 0.

    A list number, a form, a name, a strength in a unit that nothing but a medicine has, and how it is taken: each read in one way
    only, on one line, and no other word or mark between them. So there is no heading, cue, aside, box or second order in it.
    """
    if len(chunks) < 5 or chunks[0].kind != "item" or chunks[1].kind != "form":
        return 0
    name = 3 if chunks[2].value == "." and chunks[2].start == chunks[1].end else 2
    if chunks[name].kind != "drug" or chunks[name + 1].kind != "amount" or not _PLAIN_UNITS.issuperset(chunks[name + 1].value.units):
        return 0
    if not _PLAIN_SIG.issuperset([c.kind for c in chunks[name + 1 :]]) or any(c.meanings for c in chunks):
        return 0
    return name


def is_tick_box(chunks: Sequence[Chunk]) -> bool:
    """`[ ] Tab X`, `☐ Tab X`: a list of boxes; which are ticked, and what a tick means, is not read (P21)."""
    if chunks[0].kind != "mark":
        return False
    if chunks[0].value in ("☐", "☑", "☒", "✓", "✔", "✗", "✘"):
        return True
    return chunks[0].value == "[" and any(c.kind == "mark" and c.value == "]" for c in chunks[1:3])


def begins_an_order(chunks: Sequence[Chunk]) -> bool:
    """`1. Tab X`, `- X 500 mg`: a medicine or a form, behind the number or the bullet."""
    first = next((c for c in chunks if c.kind not in ("item", "mark", "number")), None)
    return first is not None and first.kind in ("drug", "form")


def is_list_number(chunks: Sequence[Chunk], place: int) -> bool:
    """`2.`, `3)`: a small whole number with its mark directly behind it."""
    chunk = chunks[place]
    if chunk.kind != "number" or place + 1 >= len(chunks) or chunk.value.high is not None or len(chunk.value.parts) != 1:
        return False
    mark = chunks[place + 1]
    return (
        mark.kind == "mark"
        and mark.value in (".", ")")
        and mark.start == chunk.end
        and chunk.value.parts[0].denominator == 1
        and 1 <= chunk.value.parts[0] <= 40
    )


def is_sentence_end(chunks: Sequence[Chunk], place: int) -> bool:
    """A full stop ends a sentence unless it abbreviates the form, title or unit before it or is glued to what follows."""
    mark = chunks[place]
    if mark.value != ".":
        return True
    if place == 0:
        return False
    before = chunks[place - 1]
    following = chunks[place + 1] if place + 1 < len(chunks) else None
    if before.kind == "form" and before.end == mark.start and following is not None:
        return False
    if is_title(before) and following is not None and following.kind == "word":
        return False
    if following is not None and following.start == mark.end and following.kind not in ("drug", "form"):
        return False
    return not (before.kind == "word" and len(str(before.value)) == 1) or is_of_a_thermometer(chunks, place)


def is_of_a_thermometer(chunks: Sequence[Chunk], place: int) -> bool:
    """`Temp 101 F.`, `Temp: 38.5°C.`: the letter before the full stop is a degree's, behind a number and the name of a sign."""
    before = [c for c in chunks[max(0, place - 5) : place - 1] if c.value not in (":", "-", "°")]
    return (
        chunks[place - 1].value in _DEGREES and len(before) > 1 and before[-1].kind == "number" and before[-2].kind == "header_line_starts"
    )


_DEGREES = frozenset({"f", "c"})


def listed_in_a_line(chunks: Sequence[Chunk]) -> list[list[Chunk]]:
    """`Plan: 1. X 5 mg OD. 2. Y 10 mg BD.` as the lines of the list that it is; else the line as it stands.

    Behind a heading of orders, or from `1.` on; each number is the next one, and begins a sentence.
    """
    first = 0
    heading = meaning_of(chunks[0], "heading") if len(chunks) > 2 and chunks[1].value == ":" else None
    if isinstance(heading, tuple):
        first = 2 if heading[1] in ("active", "cue") else 0
    if not first and not (chunks[0].kind == "item" and item_number(chunks[0]) == 1):
        return [list(chunks)]
    lines: list[list[Chunk]] = [list(chunks[:first])] if first else []
    begins, number = 0, 0 if first else 1
    place = max(first, 1)
    while place + 2 < len(chunks):
        if _is_next_number(chunks, place, number + 1) and (place == first or (number and ends_with_a_stop(chunks, place))):
            if number:
                lines.append(_as_entry(chunks[begins:place]))
            begins, number = place, number + 1
        elif place == first:
            break
        place += 1
    if not number or (not first and number == 1):
        return [list(chunks)]
    return [*lines, _as_entry(chunks[begins:])]


def ends_with_a_stop(chunks: Sequence[Chunk], place: int) -> bool:
    """Whether a sentence ends right before this place."""
    before = chunks[place - 1]
    return before.kind == "mark" and (before.value == ";" or (before.value == "." and is_sentence_end(chunks, place - 1)))


def _is_next_number(chunks: Sequence[Chunk], place: int, number: int) -> bool:
    """`2.` or `2)`, before a space."""
    return is_list_number(chunks, place) and chunks[place].value.parts == (number,) and chunks[place + 2].start > chunks[place + 1].end


def _as_entry(chunks: Sequence[Chunk]) -> list[Chunk]:
    """With its number and mark as one, as at the beginning of a line."""
    if chunks[0].kind == "item":
        return list(chunks)
    number, mark = chunks[0], chunks[1]
    return [number._replace(kind="item", value=f"{number.value.parts[0]}{mark.value}", end=mark.end, meanings=()), *chunks[2:]]


def is_title(chunk: Chunk) -> bool:
    """`Dr.`, which reads as a release too."""
    return chunk.kind == "release" and bool(chunk.value[0] == "dr")


def list_letter(chunks: Sequence[Chunk]) -> int:
    """How many chunks are the letter or Roman number of a list entry: `(b) Calcitriol`, `b) Calcitriol`, `iii) Calcitriol`."""
    first = int(chunks[0].value == "(")
    if len(chunks) < first + 2 or chunks[first + 1].value != ")" or chunks[first].end != chunks[first + 1].start:
        return 0
    letter = chunks[first]
    # `iv)` at the head of a line is a number; behind a name it is a route.
    four = letter.kind == "route" and letter.value == "intravenous" and letter.end - letter.start == 2
    return first + 2 if four or (letter.kind == "word" and str(letter.value) in _LIST_LETTERS) else 0


# What must stand at another line of the page for a sign to be a Roman number: alone, `v)` ticks, `x)` crosses out, `iv)` is a route.
_NEIGHBOURS = {"iv": frozenset({"iii", "v"}), "v": frozenset({"iv", "vi"}), "x": frozenset({"ix", "xi"})}


def letter_of(chunks: Sequence[Chunk], text: str) -> str:
    """The letter or Roman number of a list entry, as it is written; nothing where none stands."""
    count = list_letter(chunks)
    return text[chunks[count - 2].start : chunks[count - 2].end] if 0 < count < len(chunks) else ""


def is_in_a_list(letter: str, letters: Collection[str]) -> bool:
    """Whether a letter counts, by those that other lines of the page begin with."""
    return letter not in _NEIGHBOURS or not _NEIGHBOURS[letter].isdisjoint(letters)


def starts_with_form(chunks: Sequence[Chunk], place: int) -> bool:
    """`Tab. X`, `Syp - X`: a form with a name behind it."""
    if chunks[place].kind != "form":
        return False
    after = place + 1
    while after < len(chunks) and chunks[after].kind == "mark" and chunks[after].value in (".", "-", ":"):
        after += 1
    return after < len(chunks) and chunks[after].kind in ("drug", "word")


def is_ordered(chunks: Sequence[Chunk], at: int) -> bool:
    """An amount or timing follows within a few words."""
    rest = chunks[at + 1 : at + 8]
    return any(c.kind in TIMING_KINDS or c.kind in ("amount", "number", "tuple", "malformed") for c in rest)


def is_name_word(chunks: Sequence[Chunk], at: int, lexicon: Lexicon, *, at_start: bool) -> bool:
    """Whether an unknown word may be a name; two letters are enough only at a line start with an order behind them."""
    word = str(chunks[at].value)
    return (
        word.isalpha()
        and word not in lexicon.number_words
        and (len(word) >= 3 or (len(word) == 2 and at_start and word not in JOINTS and is_ordered(chunks, at)))
    )


def names_something(chunks: Sequence[Chunk], at: int, numbered: bool) -> bool:
    """An unknown word after a form is a name; after a bare list number only if an amount or timing follows."""
    return is_ordered(chunks, at) or (not numbered or any(c.kind == "form" for c in chunks[max(0, at - 2) : at]))


def unlisted_order(chunks: Sequence[Chunk], at: int, lexicon: Lexicon) -> bool:
    """`Qavrotil 20 mg OD` at a line start: words nobody knows, a strength, a frequency. It is an order for something."""
    place = at
    words = 0
    while place < len(chunks) and (chunks[place].kind == "word" or (chunks[place].kind == "mark" and chunks[place].value == "-")):
        if chunks[place].kind == "word" and not str(chunks[place].value).isalpha():
            return False
        words += chunks[place].kind == "word"
        place += 1
    if not 1 <= words <= 3 or place >= len(chunks) or not is_name_word(chunks, at, lexicon, at_start=False):
        return False
    strength = chunks[place]
    if strength.kind != "amount" or not any(u in ("mg", "ug", "g", "[iU]", "mL") for u in strength.value.units):
        return False
    return any(c.kind in ("rate", "slots", "stat", "prn") for c in chunks[place + 1 :])


def is_leading_amount(chunks: Sequence[Chunk], place: int) -> bool:
    """`500 mg Paracetamol`, `2 tabs of Crocin`: an amount directly before a name."""
    after = place + 1
    while after < len(chunks) and (chunks[after].kind in ("form", "inert") or chunks[after].value in ("of", ".")):
        after += 1
    if after >= len(chunks) or chunks[after].kind != "drug":
        return False
    unit = chunks[place].value.units[0] or ""
    if unit.startswith("{") or unit == "[drp]":
        # `1 tab Ecosprin 75 OD`: what is counted is no strength.
        return True
    following = chunks[after + 1] if after + 1 < len(chunks) else None
    return following is None or following.kind not in ("amount", "number", "tuple")


def is_finding(chunks: Sequence[Chunk], anchor: int) -> bool:
    """`Calcium 9.1 mg/dl`, `Vitamin D levels`: a measurement, not a medicine."""
    rest = chunks[anchor + 1 : anchor + 4]
    if rest and rest[0].kind == "word" and rest[0].value in ("level", "levels", "deficiency", "profile", "test", "studies"):
        return True
    for here, then in itertools.pairwise(rest):
        if here.kind == "amount" and then.kind == "mark" and then.value == "/" and len(here.value.units) == 1:
            return not any(c.kind in TIMING_KINDS for c in chunks[anchor:])
    return False


def ends_a_sentence_as_past(chunks: Sequence[Chunk], place: int) -> bool:
    """`was on X 150 mg BD earlier. Now start Y`: the last word of a sentence speaks of what stands before it."""
    chunk = chunks[place]
    return (
        chunk.kind == "cue"
        and chunk.value[0] == "past"
        and place + 1 < len(chunks)
        and chunks[place + 1].value == "."
        and is_sentence_end(chunks, place + 1)
    )
