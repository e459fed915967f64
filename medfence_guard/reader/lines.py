"""What a line is by itself, whatever stands around it: drawn or written, a heading set off, a row, the head of a person's page, a date."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from medfence_guard.reader.chunks import Chunk

COLUMN_BREAK = "\f"
_DRAWN = frozenset("-=_*~|+#: ")
_BOX = re.compile(r"\[ ?[x✓✔✗✘]? ?\]|\( ?\)|[☐☑☒○◯●◻◼□■◌]")


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


def _person_of(text: str, chunks: Sequence[Chunk], aged: bool) -> str | None:
    """Who a line names, folded, if it is the head of a person's page; None for any other line. `aged`: a sex may be written."""
    line = text[chunks[0].start : chunks[-1].end]
    numbered = _CASE.match(line)
    if numbered is not None:
        return numbered.group(1) or numbered.group(2)
    if any(c.kind in ("drug", "form", "rate", "slots") for c in chunks) and not _PERSON.match(line):
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
    return _BOX.search(text) is not None or (text.startswith("--") and text.endswith("--"))


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
    return another or two or _changes_between(persons, orders), _changes_between(days, orders)


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
