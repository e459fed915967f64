"""Text that nobody may trust, made safe to look at: on a page, in a terminal, in a log line."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import escape

# Code points without ink, with a control function, or for private use, as an explicit table: `unicodedata` differs between Pythons.
# A tab and a line feed are layout and stay; so does a carriage return before a line feed, which is part of the line end.
_LINE_END = re.compile("\r?\n|\t")
_UNSEEN = re.compile(
    "\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f"
    "\u2800\u3000\u3164\ud800-\uf8ff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]"
)

# A word that mixes Latin with look-alike alphabets. The Greek mu is a unit prefix and may stand before Latin letters.
_WORD = re.compile(r"\w+")
_LATIN = re.compile("[A-Za-z]")
_LOOK_ALIKE = re.compile("[\u0370-\u03bb\u03bd-\u03ff\u0400-\u052f\u0531-\u058f\u13a0-\u13ff\uff10-\uff5a\U0001d400-\U0001d7ff]")


def foreign_letters(text: str) -> frozenset[int]:
    """Positions of letters that do not belong to the Latin word they stand in."""
    if text.isascii():
        return frozenset()
    return frozenset(
        word.start() + letter.start() for word in _WORD.finditer(text) if _LATIN.search(word[0]) for letter in _LOOK_ALIKE.finditer(word[0])
    )


def draw(text: str, offset: int = 0, foreign: frozenset[int] | None = None) -> str:
    """HTML for text from anywhere: escaped, what cannot be seen drawn as `[U+200B]`, a foreign look-alike letter followed by its code.

    offset, foreign: for a piece of a longer text, where it begins there and the foreign letters of the whole.
    """
    return escape(text) if text.isascii() and text.isprintable() else _drawn(text, offset, foreign, escape, '<span class="code">{}</span>')


def visible(text: str) -> str:
    """The same for plain text, on one line: what cannot be seen becomes `[U+200B]`. A terminal's control sequences among it."""
    return _drawn(one_line(text), 0, None, str, "{}")


def one_line(text: str) -> str:
    return _LINE_END.sub(" ", text)


def _drawn(text: str, offset: int, foreign: frozenset[int] | None, quote: Callable[[str], str], around: str) -> str:
    if foreign is None:
        foreign = foreign_letters(text)
    pieces: list[str] = []
    done = 0
    cuts = {match.start() for match in _UNSEEN.finditer(text)} | {at - offset for at in foreign if offset <= at < offset + len(text)}
    for at in sorted(cuts):
        pieces.append(quote(text[done:at]))
        if at + offset in foreign:
            pieces.append(quote(text[at]))
        pieces.append(around.format(f"[U+{ord(text[at]):04X}]"))
        done = at + 1
    pieces.append(quote(text[done:]))
    return "".join(pieces)
