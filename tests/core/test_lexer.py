"""Tokens and the numbers in them, by themselves: what a surface is worth, and what of it is error-prone."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from medfence_guard.reader.lexer import (
    CONFUSED,
    DASHED,
    DATE,
    ITEM,
    MARK,
    NEWLINE,
    NUMBER,
    PLUSSED,
    SLASHED,
    UNREADABLE,
    WORD,
    lex,
    plain_number,
)
from medfence_guard.reader.text import fold

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("surface", "value", "notes"),
    [
        ("0", 0, ()),
        ("7", 7, ()),
        ("10", 10, ()),
        ("123456789012", 123456789012, ()),
        ("05", None, ("leading_zero",)),
        ("007", None, ("leading_zero",)),
        ("00", None, ("leading_zero",)),
        ("0.5", HALF, ()),
        ("05.5", None, ("leading_zero",)),
        ("2.5", Fraction(5, 2), ()),
        ("0.25", Fraction(1, 4), ()),
        ("0.125", Fraction(1, 8), ()),
        ("5.0", 5, ("trailing_zero",)),
        ("2.50", Fraction(5, 2), ("trailing_zero",)),
        (".5", HALF, ("naked_decimal",)),
        (".25", Fraction(1, 4), ("naked_decimal",)),
        ("1,000", 1000, ("grouped",)),
        ("1,00,000", 100000, ("grouped",)),
        ("1,500.5", Fraction(3001, 2), ("grouped",)),
        ("½", HALF, ()),
        ("¼", Fraction(1, 4), ()),
        ("¾", Fraction(3, 4), ()),
        ("⅓", Fraction(1, 3), ()),
        ("⅔", Fraction(2, 3), ()),
        ("1½", Fraction(3, 2), ()),
        ("2 ¼", Fraction(9, 4), ()),
        ("12⅔", Fraction(38, 3), ()),
        ("1/2", HALF, ()),
        ("3/4", Fraction(3, 4), ()),
        ("2,5", None, ("malformed",)),
        ("2..5", None, ("malformed",)),
        ("1_000", None, ("malformed",)),
        ("0,500", None, ("malformed",)),
        ("1234567890123", None, ("malformed",)),
    ],
)
def test_what_a_surface_is_worth(surface, value, notes):
    assert plain_number(surface) == (value, notes)


@pytest.mark.parametrize("digits", range(1, 10))
def test_a_decimal_is_exact_at_every_length(digits):
    surface = "0." + "3" * digits
    assert plain_number(surface)[0] == Fraction(Decimal(surface))
    assert plain_number(surface[1:])[0] == Fraction(Decimal(surface))


def cut(text: str) -> list[tuple[int, str, tuple[Fraction, ...] | None, tuple[str, ...]]]:
    return [(token.kind, token.text, token.values, token.notes) for token in lex(fold(text))]


@pytest.mark.parametrize(
    ("text", "kind", "shown", "values", "notes"),
    [
        ("1-0-1", DASHED, "1-0-1", (1, 0, 1), ()),
        ("1 - 0 - 1", DASHED, "1 - 0 - 1", (1, 0, 1), ()),
        ("½-0-½", DASHED, "½-0-½", (HALF, 0, HALF), ()),
        ("5ml-0-5ml", DASHED, "5ml-0-5ml", (5, 0, 5), ("ml",)),
        ("05-0-1", DASHED, "05-0-1", None, ("leading_zero",)),
        ("40/12.5", SLASHED, "40/12.5", (40, Fraction(25, 2)), ()),
        ("5.0/10", SLASHED, "5.0/10", (5, 10), ("trailing_zero",)),
        ("500 + 125", PLUSSED, "500 + 125", (500, 125), ()),
        ("650", NUMBER, "650", (650,), ()),
        ("2,5", NUMBER, "2,5", None, ("malformed",)),
        ("b.d.", WORD, "bd", None, ()),
        ("->", MARK, "->", None, ()),
        ("→", MARK, "->", None, ()),
        ("==>", MARK, "->", None, ()),
        ("12/05/2026", DATE, "12/05/2026", None, ()),
        ("l-0-l", CONFUSED, "l-0-l", None, ()),
        ("\n", NEWLINE, "\n", None, ()),
        ("(", MARK, "(", None, ()),
        ("dolo", WORD, "dolo", None, ()),
        ("o/d", WORD, "o/d", None, ()),
    ],
)
def test_one_token(text, kind, shown, values, notes):
    assert cut(text) == [(kind, shown, values, notes)]


def test_a_row_number_is_no_number():
    assert [token.kind for token in lex(fold("1. Dolo\n2) Pan"))] == [ITEM, WORD, NEWLINE, ITEM, WORD]


def test_glued_is_what_nothing_parts():
    assert [(token.text, token.glued) for token in lex(fold("dolo650mg od, x5"))] == [
        ("dolo", False),
        ("650", True),
        ("mg", True),
        ("od", False),
        (",", True),
        ("x", False),
        ("5", True),
    ]


def test_a_character_in_no_alphabet_makes_its_own_token_unreadable_and_no_other():
    tokens = lex(fold("Tab D\u043elo 650 mg\nPan 40"))  # a Cyrillic o
    assert UNREADABLE in {token.kind for token in tokens}
    assert {token.text for token in tokens if token.kind != UNREADABLE} >= {"tab", "650", "mg", "\n", "pan", "40"}


def test_a_part_is_cut_as_it_stands_in_the_whole():
    folded = fold("Tab Dolo 650 mg")
    assert [(token.text, token.start) for token in lex(folded, 4, 12)] == [("dolo", 4), ("650", 9)]
    assert lex(folded, 4, 4) == []
