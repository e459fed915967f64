"""What a line is by itself, whatever stands around it: drawn or written, a heading set off, a row, the head of a person's page, a date."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from medfence_guard.reader.chunks import Chunk, means

COLUMN_BREAK = "\f"
_DRAWN = frozenset("-=_*~|+#: ")
_BOX = re.compile(r"\[ ?[x✓✔✗✘]? ?\]|\( ?\)|[☐☑☒○◯●◻◼□■◌]")


# `--Tab X--`, `2. - Tab X -`: dashes on both sides; the fold has made every dash this one.
_STRUCK = re.compile(r"(?:\d{1,2}[.)] ?)?(?:--|- ?).*(?:--| -)")


def undecorated(chunks: Sequence[Chunk]) -> list[Chunk]:
    """A heading without what sets it off: `=== Stopped ===`, `**Held**`, `## Rx`, `Stopped :-`. Its colon is kept."""
    out = list(chunks)
    while out and out[0].kind == "mark" and out[0].value in ("#", "=", "*", "_", "<", ">"):
        out = out[1:]
    while len(out) > 1 and out[-1].kind == "mark" and out[-1].value in ("#", "=", "*", "_", "-", ">", "<"):
        out = out[:-1]
    return out


def split_lines(chunks: Sequence[Chunk]) -> list[tuple[list[Chunk], bool]]:
    """The chunks of each line that has any, and whether the line begins another column or page."""
    lines: list[tuple[list[Chunk], bool]] = []
    current: list[Chunk] = []
    broken = False
    for chunk in chunks:
        if chunk.kind == "newline":
            if current:
                lines.append((current, broken))
                current = []
                broken = False
            broken = broken or chunk.value == COLUMN_BREAK
        else:
            current.append(chunk)
    if current:
        lines.append((current, broken))
    return lines


_AGE_WORDS, _SEX_WORDS = ("y", "yr", "yrs", "year", "years"), ("male", "female", "m", "f")
SEX_AND_AGE = re.compile(rf"(?<!\d\.)\b\d{{1,3}}\s*(?:{'|'.join(_AGE_WORDS)})?\s*[/ ,]?\s*(?:{'|'.join(_SEX_WORDS)})\b")
# Its last run of letters: `m`, `yrsm`, `female`.
SEXES = frozenset(age + sex for age in ("", *_AGE_WORDS) for sex in _SEX_WORDS)
# `Temp 99 F` is no woman of 99.
_TEMPERATURE = re.compile(r"\b(?:temp(?:erature)?|t)\s*[:=.-]?\s*\d{2,3}(?:\.\d{1,2})?\s*(?:\u00b0\s*)?f\b")
_PERSON = re.compile(r"(?:(?:mr|mrs|ms|miss|master|shri|smt)\b[. ]|(?:baby of|b/o)\b)")
# A line between two orders that begins a person's own part of the page.
_ANOTHER = re.compile(
    r"(?:- ?)?(?:(?:2nd|3rd|second|third|next|other|another) (?:patient|pt|child|baby|twin)\b|baby of\b|b/o\b|twin (?:b|2|ii)\b|"
    r"(?:kumari|km|mr|mrs|ms|miss|master|shri|smt)\b[. ])"
)
_RECORD = re.compile(r"(?:uhid|mrn|ip no|op no|opd no|ipd no|patient id|abha|bed(?: no)?|token(?: no)?)\s*[:#.-]?\s*([\w/-]*\d[\w/-]*)")
_CASE = re.compile(r"case\s*#?(\d{1,2})\b|(?:patient )?name\s*[:-]\s*([a-z][a-z ]+)")


_OF_ORDERS = frozenset({"drug", "form", "rate", "slots"})


def _person_of(text: str, chunks: Sequence[Chunk], aged: bool) -> str | None:
    """Who a line names, folded, if it is the head of a person's page; None for any other line. `aged`: a sex may be written."""
    line = text[chunks[0].start : chunks[-1].end]
    numbered = _CASE.match(line)
    if numbered is not None:
        return numbered.group(1) or numbered.group(2)
    if not _OF_ORDERS.isdisjoint([c.kind for c in chunks]) and not _PERSON.match(line):
        return None
    found = _RECORD.match(line)
    if found is not None:
        return found.group(1)
    if _PERSON.match(line) or (len(line) <= 80 and aged and SEX_AND_AGE.search(_TEMPERATURE.sub(" ", line))):
        return " ".join(line.split())
    return None


def _date_of(text: str, chunks: Sequence[Chunk]) -> str | None:
    """The date a line consists of, with or without `Date:` or `Visit` before it."""
    dates = [c for c in chunks if c.kind == "date"]
    if len(dates) != 1 or any(c.kind not in ("date", "mark", "header_line_starts", "heading", "label") for c in chunks):
        return None
    return text[dates[0].start : dates[0].end]


def is_rule(text: str) -> bool:
    """`-----`, `=====`, `|---|---|`: a line that is drawn, not written."""
    return len(text) > 2 and set(text) <= _DRAWN


def behind_bar(chunks: list[Chunk]) -> list[Chunk]:
    """`| 1 | Tab Metformin |`: the bar that opens a row before its number says nothing."""
    opened = len(chunks) > 1 and chunks[0].kind == "mark" and chunks[0].value == "|" and chunks[1].kind in ("number", "amount")
    return chunks[1:] if opened else chunks


def is_boxed(text: str) -> bool:
    """`[ ] Tab X`, `( ) X`, `☐ X`, `--X--`: a line of a list of boxes, or one struck out; what its mark means is not read (P21)."""
    return _BOX.search(text) is not None or _STRUCK.fullmatch(text) is not None


# A field that one page has once: what it is of -> the heads it is written under. A second value between two orders is another's.
_FIELDS = {
    "person": (
        r"(?:pt\.? |patient(?:'s)? )?name|patient|pt|pid|uhid|bed(?: no)?|room(?: no)?|cot|token(?: no)?|s/o|d/o|w/o|age|"
        r"sex|gender|wt|weight|ht|height|नाम|उम्र|वजन|लिंग"
    ),
    "day": r"(?:visit |opd )?date|dt|visit on|c/o|chief complaints?|diagnosis|dx|imp(?:ression)?",
}
_FIELD = {what: re.compile(rf"({heads})(?: ?[:.-]+ ?| )(?=\S)(.*)") for what, heads in _FIELDS.items()}
_PARENT = re.compile(r"[sdw]/o")


def _repeats_a_field(what: str, lines: Sequence[Sequence[Chunk]], orders: Sequence[int], text: str) -> bool:
    """Whether a line between two orders gives a field another value than a line above it did."""
    seen: dict[str, str] = {}
    for number, chunks in enumerate(lines):
        found = _FIELD[what].match(text, chunks[0].start, chunks[-1].end)
        if found is None or any(c.kind in ("drug", "form") for c in chunks):
            continue
        field, value = _PARENT.sub("parent", found[1]), " ".join(found[0].split() if _PARENT.match(found[1]) else found[2].split())
        if seen.setdefault(field, value) != value and orders and orders[0] < number <= orders[-1]:
            return True
    return False


_VALUES = frozenset("indication inert number amount tuple percent range date duration mark".split())
_COMPARED = frozenset("< > ≥ ≤ → -> ? ↑ ↓".split())


def is_measured(chunks: Sequence[Chunk], beside_values: frozenset[str]) -> bool:
    """`BP 130/80, pulse 78/min`, `DM - HbA1c 8.1`: names of measured things and their values, and no limit.

    `beside_values`: the words that may stand there (`normal`, `on room air`).
    """
    measured = any(means(c, "header_line_starts") for c in chunks)
    named = means(chunks[0], "header_line_starts") or chunks[0].kind == "indication"
    return measured and named and all(_is_value(c, beside_values) for c in chunks)


def _is_value(chunk: Chunk, beside_values: frozenset[str]) -> bool:
    if chunk.kind == "amount":
        # No pieces: `Age 75 - half dose`
        return not any(unit is not None and unit.startswith("{") for unit in chunk.value.units)
    if chunk.kind == "mark":
        return chunk.value not in _COMPARED
    if chunk.kind in _VALUES or means(chunk, "header_line_starts"):
        return True
    return (chunk.kind == "word" and chunk.value in beside_values) or (chunk.kind == "cue" and chunk.value[0] == "taking")


Heads = Sequence[tuple[int, str]]


def blocks(lines: Sequence[Sequence[Chunk]], orders: Sequence[int], text: str, *, aged: bool) -> tuple[bool, bool]:
    """P23: `(several persons, several days)`. `orders`: the lines, sorted, at which an order begins.

    Another person's name, number or bed, or another date, stands on a line of its own between two orders; or a line names two.
    """
    persons = [(n, who) for n, chunks in enumerate(lines) if (who := _person_of(text, chunks, aged)) is not None]
    days = [(n, day) for n, chunks in enumerate(lines) if (day := _date_of(text, chunks)) is not None]
    another = (
        any(orders[0] < n <= orders[-1] and _ANOTHER.match(text, chunks[0].start) for n, chunks in enumerate(lines)) if orders else False
    )
    two = any(len(SEX_AND_AGE.findall(who)) > 1 for _, who in persons)
    return (
        another or two or _changes_between(persons, orders) or _repeats_a_field("person", lines, orders, text),
        _changes_between(days, orders) or _repeats_a_field("day", lines, orders, text),
    )


def _changes_between(heads: Heads, orders: Sequence[int]) -> bool:
    """Whether a head is followed by an order, and has before it an order that another head stands before."""
    if not heads or not orders:
        return False
    first, name = heads[0]
    other = next((line for line, who in heads if who != name), None)
    for line, who in heads:
        at = bisect_left(orders, line)
        earlier = first if who != name else other
        if at > 0 and line < orders[-1] and earlier is not None and earlier < orders[at - 1]:
            return True
    return False
