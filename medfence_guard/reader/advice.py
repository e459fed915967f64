"""Advice with a time, a piece or a refusal in it: `Do not miss drops`, `Fasting and 2 hr PP sugar on Monday` (P21).

`asides.py` and `plain.py` take a clause by its words, and no word of an order may be one of theirs. Here the clause is taken
by its shape: `lexicon/advice.json` lists the shapes a reviewer has read as a whole, each a row of slots, each slot a table of
phrases. A time in such a shape is the time of a measurement, a visit, a diet or a device; a dose is one that is not to be missed.

A shape holds for a clause from its first token to its last, or not at all; one token more, and whatever the clause says may be
of an order. Nor is it advice if the clause heads something (`Check BP:`), or if the line before it waits for it (`give with`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from medfence_guard.reader.chunks import Chunk, extent
from medfence_guard.reader.lexicon import A_NAME, ADVICE_TOKEN, Lexicon

# Whatever the words, these are of a medicine, or of nothing that can be read.
_NEVER = frozenset("slots maximum quantity refill confused unreadable instruction_to_model composition malformed".split())
_WAITS = re.compile(r"\b(?:for|with|in|if|till|until|unless|when|while|before|after|and|or|at|on|to|of|by|than|per|x)[\s,:-]*$")
_LONGEST_WAIT = 12
_LONGEST = 240  # characters; a longer clause is prose
_LONGEST_LINE = 2_000
_MOST_LINES = 20
_SOMETHING = re.compile(r"\S")
_WORD = re.compile(r"[a-z]+")
_LONGEST_NAME = 2  # words
_NOT = frozenset({"no", "not"})
_ORDER = re.compile(r"\W*(?:\d{1,2}[.)] ?)?(?:(?:tab|tablet|cap|capsule|inj|t|c)\.? )?([a-z].*\d.*)")


def is_advice_by_shape(chunks: Sequence[Chunk], text: str, lexicon: Lexicon) -> bool:
    """Whether a whole clause has one of the shapes. `text`: the folded source the chunks point into."""
    if not chunks:
        return False
    advice = lexicon.advice
    start, end = extent(chunks)
    first = ADVICE_TOKEN.match(text, start)
    if (
        first is None
        or end - start > _LONGEST
        or not advice.may_begin(first.group())
        or any(_is_no_advice(c, text, advice.named) for c in chunks)
    ):
        return False
    if _WAITS.search(text[max(0, start - _LONGEST_WAIT) : start]) or text[end : end + 2].lstrip().startswith(":"):
        return False
    names = [c for c in chunks if c.kind == "drug" and text[c.start : c.end] not in advice.named]
    tokens: list[str] = []
    at = start
    for name in names:
        tokens += [*ADVICE_TOKEN.findall(text, at, name.start), A_NAME]
        at = name.end
    tokens += ADVICE_TOKEN.findall(text, at, end)
    if "dr" in tokens:
        tokens = _without_names_of_doctors(tokens, lexicon)
    if not advice.holds(tokens, opens=_SOMETHING.search(text, 0, start) is None):
        return False
    return all(_is_told_elsewhere(text[c.start : c.end], text, start, end, lexicon) for c in names)


def _is_no_advice(chunk: Chunk, text: str, named: frozenset[str]) -> bool:
    """Whatever stands beside it. A listed analyte with a number behind it (`B12 210`) is no number pulled apart."""
    return chunk.kind in _NEVER and not (chunk.kind == "malformed" and text[chunk.start : chunk.end] in named)


def _without_names_of_doctors(tokens: Sequence[str], lexicon: Lexicon) -> list[str]:
    """`with doctor` for `with Dr. A. Rao`: behind the title a word that is of no list, and initials."""
    out: list[str] = []
    at = 0
    while at < len(tokens):
        named = _behind_a_name(tokens, at + 1, lexicon) if tokens[at] == "dr" else at
        out.append("doctor" if named > at else tokens[at])
        at = max(named, at + 1)
    return out


def _behind_a_name(tokens: Sequence[str], title: int, lexicon: Lexicon) -> int:
    """The place behind the name that follows a title, which ends at `title`; 0 if none does."""
    first = title + (tokens[title : title + 1] == ["."])
    while tokens[first + 1 : first + 2] == ["."] and len(tokens[first]) == 1:
        first += 2
    behind = first
    while behind < min(len(tokens), first + _LONGEST_NAME) and _may_be_a_surname(tokens[behind], lexicon):
        behind += 1
    return behind if behind > first else 0


def _may_be_a_surname(word: str, lexicon: Lexicon) -> bool:
    plain, remarks = lexicon.plain, lexicon.remarks
    known = word in lexicon.spoken or plain.group(word) is not None or word in plain.small or word in plain.time_words
    return len(word) > 2 and word.isalpha() and not known and word not in remarks.in_no_name and word not in remarks.ordinary


def _is_told_elsewhere(name: str, text: str, start: int, end: int, lexicon: Lexicon) -> bool:
    """Whether a name opens the line of an order, and stands in no line that ends, refuses or doubts it, outside of the clause."""
    lines = _lines_with(name, text, start, end)
    ordered = any((found := _ORDER.match(line)) is not None and found[1].startswith(name) for line in lines)
    return ordered and all((lexicon.ending | _NOT).isdisjoint(_WORD.findall(line)) for line in lines)


def _lines_with(name: str, text: str, start: int, end: int) -> Sequence[str]:
    """The lines a name stands in, the clause from `start` to `end` left out; none if they are too many or too long to be asked."""
    lines: list[str] = []
    at = text.find(name)
    while at >= 0:
        if start - len(name) < at < end:
            at = text.find(name, end)
            continue
        first = max(text.rfind("\n", max(0, at - _LONGEST_LINE), at) + 1, end if at >= end else 0)
        last = text.find("\n", at, at + _LONGEST_LINE)
        last = len(text) if last < 0 else last
        if last - first > _LONGEST_LINE or len(lines) == _MOST_LINES:
            return ()
        last = min(last, start) if at < start else last
        lines.append(text[first:last])
        at = text.find(name, last)
    return lines
