"""Numbers with their units, slots, ranges and glued words, by themselves: what one written value is read as."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from medfence_guard import Rulepack
from medfence_guard.reader.chunks import Quantity, split_glued
from medfence_guard.reader.lexer import lex
from medfence_guard.reader.lexicon import Rate
from medfence_guard.reader.text import fold

RULEPACK = Rulepack.default()


def read(text: str) -> list[tuple[str, Any]]:
    tokens = split_glued(lex(fold(text)), RULEPACK.lexicon, RULEPACK.bundle.names)
    return [(chunk.kind, chunk.value) for chunk in RULEPACK.chunker.chunks(tokens)]


def many(*parts: int | Fraction, unit: str | None, high: int | None = None, per: tuple[tuple[int | Fraction, str], ...] = ()) -> Quantity:
    exact = tuple((Fraction(number), name) for number, name in per)
    return Quantity(tuple(map(Fraction, parts)), (unit,) * len(parts), None if high is None else Fraction(high), exact)


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("500 mg", many(500, unit="mg")),
        ("1 g", many(1, unit="g")),
        ("25 mcg", many(25, unit="ug")),
        ("5 ml", many(5, unit="mL")),
        ("1 tsp", many(1, unit="{tsp}")),
        ("10 drops", many(10, unit="[drp]")),
        ("20 units", many(20, unit="{unit}")),
        ("1,000 iu", many(1000, unit="[iU]")),
        ("60 k iu", many(60000, unit="[iU]")),
        ("1 lakh iu", many(100000, unit="[iU]")),
        ("250 mg/5ml", many(250, unit="mg", per=((5, "mL"),))),
        ("250mg / 5 ml", many(250, unit="mg", per=((5, "mL"),))),
        ("5 mg/ml", many(5, unit="mg", per=((1, "mL"),))),
        ("100 mcg/dose", many(100, unit="ug", per=((1, "{dose}"),))),
        ("5 mcg/hr", many(5, unit="ug", per=((1, "h"),))),
        ("10 mg/kg/day", many(10, unit="mg", per=((1, "kg"), (1, "d")))),
        ("10 mg per kg per day", many(10, unit="mg", per=((1, "kg"), (1, "d")))),
        ("40/5 mg", many(40, 5, unit="mg")),
        ("40 mg/5 mg", many(40, 5, unit="mg")),
        ("500+125 mg", many(500, 125, unit="mg")),
        ("500 mg + 125 mg", many(500, 125, unit="mg")),
        ("5-10 mg", many(5, unit="mg", high=10)),
        ("5 to 10 mg", many(5, unit="mg", high=10)),
        ("1 or 2 tab", many(1, unit="{tbl}", high=2)),
        ("one to two tab", many(1, unit="{tbl}", high=2)),
        ("1/2 tab", many(Fraction(1, 2), unit="{tbl}")),
        ("2 1/2 tab", many(Fraction(5, 2), unit="{tbl}")),
        ("1½ tab", many(Fraction(3, 2), unit="{tbl}")),
    ],
)
def test_one_amount(text, quantity):
    assert read(text) == [("amount", quantity)]


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("10 to 5 mg", [("number", many(10, unit=None)), ("word", "to"), ("amount", many(5, unit="mg"))]),
        ("500 - 1000 mg", [("number", many(500, unit=None)), ("mark", "-"), ("amount", many(1000, unit="mg"))]),
        ("60k", [("number", many(60000, unit=None))]),
        ("5/7", [("tuple", (5, 7))]),
        ("1-0", [("range", (1, 0))]),
        ("1-0-1", [("slots", ((1, 0, 1), None))]),
        ("1-0-0-1", [("slots", ((1, 0, 0, 1), None))]),
        ("2.5ml-0-2.5ml", [("slots", ((Fraction(5, 2), 0, Fraction(5, 2)), "mL"))]),
        ("1-0-1-0-1", [("code", (1, 0, 1, 0, 1))]),
        ("0-0-0", [("code", (0, 0, 0))]),
        ("1-0-1 tab", [("slots", ((1, 0, 1), "{tbl}"))]),
        ("1-0-1 ml", [("slots", ((1, 0, 1), "mL"))]),
        ("1-0-1 drops", [("slots", ((1, 0, 1), "[drp]"))]),
        ("10-0-10 units", [("slots", ((10, 0, 10), "{unit}"))]),
        ("10-0-10", [("code", (10, 0, 10))]),
        ("1-0-1 mg", [("slots", ((1, 0, 1), None)), ("word", "mg")]),
        ("40mgod", [("amount", many(40, unit="mg")), ("rate", Rate(Fraction(1), Fraction(1), Fraction(1), Fraction(1), "d"))]),
        ("8 hourly", [("rate", Rate(Fraction(1), Fraction(1), Fraction(8), Fraction(8), "h"))]),
        ("12/05/2026", [("date", "12/05/2026")]),
    ],
)
def test_what_is_no_single_amount(text, chunks):
    assert read(text) == chunks


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        *((text, "mg") for text in ("05 mg", "2,5 mg", "4O mg", "5 rng", "-5 mg", "+5 mg", "5mgod +5 mg")),
        ("|25 mcg", "ug"),
    ],
)
def test_a_number_that_is_not_one_is_malformed_and_keeps_its_unit(text, unit):
    assert read(text)[-1] == ("malformed", unit)


def test_a_change_of_dose_is_no_range():
    assert [kind for kind, _ in read("increase 40 to 80 mg")] == ["cue", "number", "word", "amount"]


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Mon-Fri", {"mon", "tue", "wed", "thu", "fri"}),
        ("Mon to Wed", {"mon", "tue", "wed"}),
        ("Mon/Wed/Fri", {"mon", "wed", "fri"}),
        ("Sat and Sun", {"sat", "sun"}),
        ("Tuesday", {"tue"}),
    ],
)
def test_weekdays_are_one_set(text, days):
    assert read(text) == [("weekday", frozenset(days))]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("OD x 5/7", (5, None, "d")),
        ("OD x 2/52", (2, None, "wk")),
        ("OD x 3/12", (3, None, "mo")),
        ("OD for 31/7", (31, None, "d")),
        ("OD for 5 days", (5, None, "d")),
        ("OD for 5-7 days", (5, 7, "d")),
        ("OD 2/52", (2, None, "wk")),
    ],
)
def test_a_part_of_a_period_is_a_duration(text, value):
    assert ("duration", value) in read(text)


@pytest.mark.parametrize("text", ["5/7", "Dolo 5/7", "OD x 32/7", "OD x 53/52", "OD x 25/12", "OD x 5/8"])
def test_any_other_fraction_is_no_duration(text):
    assert "duration" not in {kind for kind, _ in read(text)}


@pytest.mark.parametrize(("number", "kind"), [("650", "number"), ("5", "number"), ("2.5", "number"), ("4", "amount"), ("½", "amount")])
def test_a_number_too_large_for_a_count_belongs_to_the_name_before_it(number, kind):
    assert read(f"Dolo {number} tab")[1][0] == kind
