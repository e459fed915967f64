"""Cut folded text into tokens, maximal munch: nothing later ever looks at part of a number (P11).

A number token carries its exact value, or None when its surface is not a plain number (`2,5`, `2..5`, `1_000`, `1e3`);
such a token grounds nothing. Patterns stand under the convention they implement.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

from medfence_guard.reader.text import FoldedText

NUMBER, DASHED, SLASHED, PLUSSED, DATE, WORD, MARK, NEWLINE, UNREADABLE, ITEM, CONFUSED = range(11)

# A number and everything that can be glued into it: `1,500`, `.5`, `2·5`, `1'000`, `1½`. Never cut.
_NUMBER = r"(?:\d(?:[\d.,·'_^]*\d)?(?:[½¼¾⅓⅔](?![\d½¼¾⅓⅔]))?|[½¼¾⅓⅔]|\.\d+(?:[.,]\d+)*)"
_PLAIN = r"(?:\d+(?:\.\d+)?(?:/[2348](?!\d))?[½¼¾]?|[½¼¾]|\.\d+)"
_SMALL = r"(?:[0-4](?:\.5)?(?![\d.])(?:/[2348](?!\d))?[½¼¾]?|[½¼¾])"
# Slots may be written with a space at each dash (`1 - 0 - 1`) or at none; a mixture (`Telma 40 - 1-0-1`) is a dash and then slots.
_SPACED_DASH = r"(?:[ \t]+-+[ \t]*|-+[ \t]+)"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*"
# Day first; a month above twelve is no date here.
# One separator throughout: `2.5/10 mg` is two strengths.
_DAY_MONTH_YEAR = (
    "|".join(rf"(?:0?[1-9]|[12]\d|3[01]){part}(?:0?[1-9]|1[0-2]){part}(?:\d{{4}}|\d{{2}})" for part in ("/", r"\.", "-"))
    + r"|\d{4}-\d{2}-\d{2}"
    rf"|\d{{1,2}}(?:st|nd|rd|th)?[ -]?{_MONTH}[ ,'-]{{0,2}}(?:\d{{4}}|\d{{2}})"
)
_TIGHT_DASHED = rf"(?:(?<![\w.])|(?<=[xq])){_PLAIN}(?:-+{_PLAIN}){{1,5}}(?![\d/])"
# Slots right behind the unit of a strength: `40mg1-0-1`. All of them, each as small as slots are, or none.
_UNIT_SLOTS = rf"(?:(?<=\dmg)|(?<=\dmcg)|(?<=\dml)){_SMALL}(?:-+{_SMALL}){{2,3}}(?![\d./-])"
# `0 - 0 - 1 - 30 days`: the number of a length of time is no slot.
_LASTING = rf"(?={_SPACED_DASH}\d{{1,3}}[ ]?(?:days?|weeks?|wks?|months?|mths?)(?![a-z]))"
_SPACED_DASHED = rf"(?<![\w.]){_SMALL}(?:(?:{_SPACED_DASH}{_SMALL}){{2}}{_LASTING}|(?:{_SPACED_DASH}{_SMALL}){{2,3}}(?![\d./]|[ ]?-))"

# `5 00 mg`, `6 5 0 mg`, `X 1 500 mg`, `2:5 mg`, `5<zero width>00`: one number that was pulled apart, which is never closed (P18).
_OF_A_STRENGTH = r"(?=[ \t]?(?:mg|mcg|µg|g|gm|iu)(?![a-z]))"
_HIDDEN = r"[\x00-\x08\x0e-\x1b\x1f\x7f\u00ad\u0300-\u036f\u061c\u115f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe0f\uffa0]"
_PULLED_APART = (
    rf"\d{{1,3}}[ \t]+0\d*{_OF_A_STRENGTH}|\d(?:[ \t]+\d){{1,4}}{_OF_A_STRENGTH}|(?<=[a-z][ ])\d{{1,2}}[ \t]+\d{{3}}{_OF_A_STRENGTH}"
    rf"|\d{{1,3}}[:;]\d{{1,2}}{_OF_A_STRENGTH}|\d+{_HIDDEN}+\d+"
)

# `1 tab - 0 - 1 tab`, `0 - 1 tab - 0`: the piece named at each slot.
_DASH = r"[ \t]?-+[ \t]?"
_OR_NONE = rf"(?:{_PLAIN}[ \t]?tabs?|0)"
_TAB_SLOTS = rf"(?<![\w.])(?:{_PLAIN}[ \t]?tabs?|0(?={_DASH}(?:0{_DASH})?{_PLAIN}[ \t]?tab))(?:{_DASH}{_OR_NONE}){{2,3}}(?!\w)"

# Alternatives are grouped by what their first character may be, so that a word is not tried as a date first. Of what may
# begin with a letter only a word has two letters in front. The white space behind a token is passed over with it.
_TOKEN = re.compile(
    rf"""
    (?:
        (?P<plain>[a-zµ]{{2}}[a-zµ]*+(?!'))
      | (?P<item>(?:(?<=\n)|\A)[ ]*[(]?\d{{1,3}}(?:[.][)]?|[)])(?!\d))
      | (?=[a-zµ℞\u0900-\u0dff\u200c\u200d])(?:
            (?P<confused_word>(?<![\w-])(?=[0-4-]*[lio|x])[lio|x0-4](?:-+[lio|x0-4]){{2,3}}(?![\w-]))
          | (?P<dotted>(?<![a-z])(?:[a-z]\.){{1,3}}[a-z](?![a-z'])\.?)
          | (?P<slashword>(?<![a-z])[a-z](?:/[a-z]){{1,3}}(?![a-z]))
          | (?P<word>[a-zµ]+(?:'[a-z]+)?|[\u0900-\u0dff\u200c\u200d]+|℞)
        )
      | (?=[\d.½¼¾⅓⅔|])(?:
            (?P<date>(?<![\d/.-])(?:{_DAY_MONTH_YEAR})(?![\d/-]|\.\d))
          | (?P<confused>(?<![\w-])(?=[0-4-]*[lio|x])[lio|x0-4](?:-+[lio|x0-4]){{2,3}}(?![\w-]))
          | (?P<mlslots>(?<![\w.]){_PLAIN}[ \t]?ml(?:[ \t]?-+[ \t]?(?:{_PLAIN}[ \t]?ml|0)){{2,3}}(?![\w]))
          | (?P<tabslots>{_TAB_SLOTS})
          | (?P<dashed>{_TIGHT_DASHED}|{_UNIT_SLOTS}|{_SPACED_DASHED})
          | (?P<plussed>(?<![\w.])\d+(?:\.\d+)?[½¼¾]?(?:[ \t]?\+[ \t]?(?:\d+(?:\.\d+)?[½¼¾]?)){{1,5}}(?![\d]|\.\d))
          | (?P<slashed>(?<![\w.])\d+(?:\.\d+)?(?:/\d+(?:\.\d+)?)+(?![\d]|\.\d))
          | (?P<spaced>\d+(?:[ \t]+\.[ \t]*|\.[ \t]+(?=\d+[ \t]?(?:mg|mcg|g|ml|iu|units?|tab|µg|%)))\d+|\d+,[ \t]+\d{{3}}(?!\d)
              |{_PULLED_APART})
          | (?P<number>{_NUMBER})
        )
      | (?P<arrow>[-=]{{1,6}}>|→|⇒)
      | (?P<mark>[^\n ])
    )[ ]*
  | (?P<newline>\n)
  | (?P<space>[ ]+)
    """,
    re.VERBOSE,
)
_KIND = {
    "newline": NEWLINE,
    "item": ITEM,
    "confused": CONFUSED,
    "confused_word": CONFUSED,
    "date": DATE,
    "mlslots": DASHED,
    "tabslots": DASHED,
    "dashed": DASHED,
    "plussed": PLUSSED,
    "slashed": SLASHED,
    "spaced": NUMBER,
    "number": NUMBER,
    "plain": WORD,
    "dotted": WORD,
    "slashword": WORD,
    "word": WORD,
    "arrow": MARK,
    "mark": MARK,
}

_INTEGER = re.compile(r"\d{1,12}")
_DECIMAL = re.compile(r"\d{1,12}\.\d{1,9}")
_NAKED = re.compile(r"\.\d{1,9}")
# 1,000 · 10,000 · 1,00,000 · 12,50,000: thousands, Indian and international.
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?|[1-9]\d?(?:,\d{2})*,\d{3}(?:\.\d+)?")
_VULGAR = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅓": Fraction(1, 3), "⅔": Fraction(2, 3)}
_MIXED = re.compile(r"(\d{1,3})\s?([½¼¾⅓⅔])")
_RATIO = re.compile(r"(\d{1,2})/([2348])")


class Token(NamedTuple):
    """`text` is folded; `start`/`end` are offsets into the original; `glued`: nothing stood before it but the token before.

    `values`: one exact number for NUMBER, several for DASHED, SLASHED and PLUSSED; None where it is not a plain number.
    `notes`: `trailing_zero`, `naked_decimal`, `grouped`.
    """

    kind: int
    text: str
    start: int
    end: int
    glued: bool
    values: tuple[Fraction, ...] | None = None
    notes: tuple[str, ...] = ()


# Of a tuple of all its members, which is half the cost of a call of the class; most of a page is tokens.
_token = partial(tuple.__new__, Token)
_THOUSAND = 3


def plain_number(surface: str) -> tuple[Fraction | None, tuple[str, ...]]:
    """The exact value of one number surface, and what is error-prone about how it is written."""
    return _short_number(surface) if len(surface) <= _SHORT else _exact_number(surface)


# The numbers of doses, which come again and again. A longer one may be of a person, and is not kept.
_SHORT = 5


@lru_cache(maxsize=2048)
def _short_number(surface: str) -> tuple[Fraction | None, tuple[str, ...]]:
    return _exact_number(surface)


def _exact_number(surface: str) -> tuple[Fraction | None, tuple[str, ...]]:
    if _INTEGER.fullmatch(surface):
        if len(surface) > 1 and surface[0] == "0":
            return None, ("leading_zero",)
        return Fraction(int(surface)), ()
    if _DECIMAL.fullmatch(surface):
        if surface[0] == "0" and surface[1] != ".":
            return None, ("leading_zero",)
        whole, part = surface.split(".")
        if len(part) == _THOUSAND and surface[-1] == "0" and int(whole):
            # `1.000 mg`, `60.000 IU`: a thousand in another country's writing, or a comma that was misread.
            return None, ("malformed",)
        return Fraction(int(whole + part), 10 ** len(part)), ("trailing_zero",) if surface[-1] == "0" else ()
    if _NAKED.fullmatch(surface):
        return Fraction(int(surface[1:]), 10 ** (len(surface) - 1)), ("naked_decimal",)
    if _GROUPED.fullmatch(surface):
        return Fraction(surface.replace(",", "")), ("grouped",)
    if surface in _VULGAR:
        return _VULGAR[surface], ()
    if mixed := _MIXED.fullmatch(surface):
        return int(mixed[1]) + _VULGAR[mixed[2]], ()
    if ratio := _RATIO.fullmatch(surface):
        return Fraction(int(ratio[1]), int(ratio[2])), ()
    return None, ("malformed",)


def _several(surface: str, separators: str) -> tuple[tuple[Fraction, ...] | None, tuple[str, ...]]:
    values: list[Fraction] = []
    notes: tuple[str, ...] = ()
    for part in re.split(separators, surface):
        value, noted = plain_number(part.strip())
        if value is None:
            return None, noted
        values.append(value)
        notes += noted
    return tuple(values), notes


_SEPARATORS = {DASHED: r"\s*-+\s*", SLASHED: "/", PLUSSED: r"\s*\+\s*"}


def lex(folded: FoldedText, start: int = 0, end: int | None = None) -> list[Token]:
    """All tokens of `folded.text[start:end]` in order; white space is left out, line ends are kept."""
    tokens: list[Token] = []
    text, unlisted = folded
    reached = -1
    for match in _TOKEN.finditer(text, start, len(text) if end is None else end):
        name: str = match.lastgroup  # type: ignore[assignment]
        begin, stop = match.span(name)
        glued = begin == reached
        if name in _AS_WRITTEN:
            tokens.append(_token((_KIND[name], match[name], begin, stop, glued, None, ())))
        elif name == "space":
            continue
        else:
            tokens.append(_valued(name, match[name], begin, stop, glued))
        reached = stop
    if unlisted:
        tokens = [token._replace(kind=UNREADABLE) if not unlisted.isdisjoint(range(token.start, token.end)) else token for token in tokens]
    return tokens


# Tokens that carry nothing but their surface.
_AS_WRITTEN = frozenset({"plain", "word", "slashword", "mark", "newline", "item", "date", "confused", "confused_word"})


def _valued(name: str, surface: str, begin: int, stop: int, glued: bool) -> Token:
    """A token whose text is not its surface, or that carries numbers."""
    kind = _KIND[name]
    if name == "dotted":
        return Token(WORD, surface.replace(".", ""), begin, stop, glued)
    if name == "arrow":
        return Token(MARK, "->", begin, stop, glued)
    if kind == NUMBER:
        value, notes = plain_number(surface)
        return Token(NUMBER, surface, begin, stop, glued, None if value is None else (value,), notes)
    if name in ("mlslots", "tabslots"):
        piece = name[: -len("slots")]
        values, notes = _several(surface.replace(piece + "s", "").replace(piece, ""), _SEPARATORS[kind])
        return Token(kind, surface, begin, stop, glued, values, (*notes, piece))
    values, notes = _several(surface, _SEPARATORS[kind])
    return Token(kind, surface, begin, stop, glued, values, notes)
