"""Numbers, amounts and frequencies as a finding writes them: a person decides by these words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from medfence_guard.compare import number_text, unit_text
from medfence_guard.compare.wording import quantity_text, rate_text, slots_text
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.lexicon import Rate


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("5", "5"),
        ("0", "0"),
        ("650", "650"),
        ("1/2", "0.5"),
        ("5/4", "1.25"),
        ("1/1000", "0.001"),
        ("25/1000000", "0.000025"),
        ("1/3", "1/3"),
        ("20/3", "20/3"),
        ("60000", "60000"),
    ],
)
def test_a_number(value, text):
    assert number_text(Fraction(value)) == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        ((1, 1, 1, 1, "d"), "1 time per day"),
        ((2, 2, 1, 1, "d"), "2 times per day"),
        ((1, 2, 1, 1, "d"), "1-2 times per day"),
        ((1, 1, 6, 6, "h"), "once every 6 hours"),
        ((1, 1, 6, 8, "h"), "once every 6-8 hours"),
        ((2, 2, 2, 2, "wk"), "2 times every 2 weeks"),
    ],
)
def test_a_frequency(rate, text):
    *numbers, unit = rate
    assert rate_text(Rate(*map(Fraction, numbers), unit)) == text


@pytest.mark.parametrize(
    ("quantity", "text"),
    [
        (((500,), ("mg",), None, ()), "500 mg"),
        (((40, 5), ("mg", "mg"), None, ()), "40/5 mg"),
        (((100, 1), ("ug", "mg"), None, ()), "100/1 mcg/mg"),
        (((1,), ("{tbl}",), 2, ()), "1-2 tablet"),
        (((250,), ("mg",), None, ((5, "mL"),)), "250 mg/5 mL"),
        (((50,), ("mg",), None, ((1, "kg"),)), "50 mg/kg"),
        (((5,), (None,), None, ()), "5 (no unit written)"),
    ],
)
def test_an_amount(quantity, text):
    parts, units, high, per = quantity
    per = tuple((Fraction(n), unit) for n, unit in per)
    assert quantity_text(Quantity(tuple(map(Fraction, parts)), units, None if high is None else Fraction(high), per)) == text


def test_slots_and_units():
    assert slots_text((Fraction(1), Fraction(0), Fraction(1, 2))) == "1-0-0.5"
    words = {"ug": "mcg", "[iU]": "IU", "{unit}": "units", "[drp]": "drops", "mg": "mg", "{sachet}": "sachet"}
    assert {unit: unit_text(unit) for unit in words} == words
