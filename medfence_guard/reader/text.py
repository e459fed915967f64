"""Fold text one code point to one code point, so that an offset into the folded text *is* an offset into the original.

The fold is an explicit table: ASCII case, dashes, quotes, spaces, line ends, multiplication signs, bullets, listed
decimal digits. It is never NFKC: that turns `1½` into `11⁄2` and a superscript into a digit. Canonically equal
spellings (NFC) are compared later, at the level of one token. What the table and the alphabet do not list is kept,
and its positions are reported: a token that holds one grounds nothing (P12).
"""

from __future__ import annotations

import re
from typing import NamedTuple

# Zero digits of the decimal scripts an Indian source may use; ten consecutive code points each.
_LISTED_ZEROS = "०০੦૦୦௦౦೦൦"
_SPACES = "\t\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_LINE_ENDS = "\r\u000b\u000c\u001c\u001d\u001e\u0085\u2028\u2029"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"
_BULLETS = "\u2022\u25cf\u25aa\u25e6\u2023\u25a0\u25cb"


def _fold_table() -> dict[int, str]:
    table: dict[int, str] = {code: chr(code + 32) for code in range(ord("A"), ord("Z") + 1)}
    for zero in _LISTED_ZEROS:
        table.update({ord(zero) + n: str(n) for n in range(10)})
    for group, target in ((_SPACES, " "), (_LINE_ENDS, "\n"), (_DASHES, "-"), (_BULLETS, "•")):
        table.update({ord(char): target for char in group})
    table.update({0x2018: "'", 0x2019: "'", 0x02BC: "'", 0x201C: '"', 0x201D: '"', 0x00D7: "x", 0x2715: "x", 0x03BC: "µ"})
    # Full-width forms read as what they show, but stay outside the alphabet, all but the marks that only part words: such a token is
    # still reported.
    table.update({code: chr(code - 0xFEE0).lower() for code in range(0xFF01, 0xFF5F)})
    table[0xFEFF] = " "
    return table


_FOLD = _fold_table()

# Everything a compared token may be made of, in the original text. Anything else is reported.
_UNLISTED = re.compile(
    "[^\n\r\t\x0b\x0c\x20-\x7e\u00a0\u00b0\u00b1\u00b2\u00b3\u00b5\u00b7\u00bc-\u00be\u00d7\u03bc"
    "\u0900-\u0dff\u2000-\u200a\u2010-\u2015\u2018\u2019\u201c\u201d\u2020-\u2023\u2025\u2026\u2028\u2029\u202f"
    "\u20b9\u211e\u2153\u2154\u215b-\u215e\u2190-\u2193\u21d2\u2212\u2264\u2265\u25a0\u25aa\u25cb\u25cf\u25e6\u2610-\u2612\u2713-\u2718\u0085"
    "\uff08\uff09\uff0c\uff1a\uff1b"
    "\u001c-\u001e]"
)
_MIXED_DIGITS = re.compile("[0-9][०-९০-৯੦-੯૦-૯୦-୯௦-௯౦-౯೦-೯൦-൯]|[०-९০-৯੦-੯૦-૯୦-୯௦-௯౦-౯೦-೯൦-൯][0-9]")
_JOINERS = re.compile("(?<=[\u0900-\u0dff])[\u200c\u200d](?=[\u0900-\u0dff])")


class FoldedText(NamedTuple):
    """`text` has the length of the original; `unlisted` are the offsets of code points outside the alphabet."""

    text: str
    unlisted: frozenset[int]


_NOTHING: frozenset[int] = frozenset()


def fold(original: str) -> FoldedText:
    """Fold `original`. Law: `len(fold(s).text) == len(s)`; folding twice changes nothing."""
    text = original.replace("\r\n", " \n").translate(_FOLD)
    if original.isascii() or (_UNLISTED.search(original) is None and _MIXED_DIGITS.search(original) is None):
        # Control characters are ASCII and unlisted too.
        if _UNLISTED.search(original) is None:
            return FoldedText(text, _NOTHING)
    allowed = {match.start() for match in _JOINERS.finditer(original)}
    found = {match.start() for match in _UNLISTED.finditer(original)} - allowed
    found |= {match.start() for match in _MIXED_DIGITS.finditer(original)}
    if original.startswith("\ufeff"):
        found.discard(0)
    return FoldedText(text, frozenset(found))
