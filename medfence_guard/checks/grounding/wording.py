"""The words of a text, of a statement, and where they stand."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from medfence_guard.checks.check import Context
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.statement import Statement
from medfence_guard.reader.text import fold

_WORDS = re.compile(r"[0-9a-z\u0900-\u0dff]+")


def words_of(text: str) -> list[str]:
    """A text as words: folded, letters and digits only; what is compared word by word is compared in these."""
    return _WORDS.findall(fold(text).text)


READ_AS_VALUES = ("strengths", "doses", "rates", "slots", "durations", "weekdays", "stat", "forms", "quantities", "refills")
"""The kinds of reading that are values: their words are no reason, no place and no advice."""


def chunks_holding(context: Context, statement: Statement, words: Sequence[str]) -> tuple[Chunk, ...]:
    """The chunks of the statement that these words stand in."""
    wanted = set(words)
    return tuple(c for c in statement.chunks if not wanted.isdisjoint(words_of(context.source.text[c.start : c.end])))


def statement_words(context: Context, statement: Statement, without: frozenset[Chunk] = frozenset()) -> str:
    """All words of a statement but those of the chunks in `without`, one space around each: `f" {w} " in …` asks for a whole word."""
    pieces = sorted({(c.start, c.end) for c in statement.chunks if c not in without})
    return " " + " ".join(" ".join(words_of(context.source.text[a:b])) for a, b in pieces) + " "


MEANT = "="
"""What marks a meaning among words: no word holds it."""
_LONGEST_REASON = 4


def by_meaning(words: Sequence[str], same: Mapping[str, str]) -> list[str]:
    """The words with every listed wording of a reason (`bukhar`, `HTN`) replaced by its meaning, longest first."""
    out: list[str] = []
    place = 0
    while place < len(words):
        for size in range(min(_LONGEST_REASON, len(words) - place), 0, -1):
            meant = same.get(" ".join(words[place : place + size]))
            if meant is not None:
                out.append(MEANT + meant)
                place += size
                break
        else:
            out.append(words[place])
            place += 1
    return out
