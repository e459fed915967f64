"""Canonical values as a person writes them, for messages."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.lexicon import Rate


def number_text(value: Fraction) -> str:
    """A fraction as a person writes it."""
    if value.denominator == 1:
        return str(value.numerator)
    scaled = value
    for places in range(1, 7):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            return f"{digits[:-places]}.{digits[-places:]}"
    return f"{value.numerator}/{value.denominator}"


_UNIT_TEXT = {
    "ug": "mcg",
    "[iU]": "IU",
    "{unit}": "units",
    "[drp]": "drops",
    "{tbl}": "tablet",
    "{capsule}": "capsule",
    "{puff}": "puff",
    "{supp}": "suppository",
    "{ampule}": "ampoule",
}


def unit_text(unit: str | None) -> str:
    """A unit as a person writes it; that none is written is said too."""
    if unit is None:
        return "(no unit written)"
    return _UNIT_TEXT.get(unit, unit.strip("{}"))


def quantity_text(quantity: Quantity) -> str:
    """`500 mg`, `40/5 mg`, `250 mg/5 mL`, `1-2 tablet`."""
    values = "/".join(number_text(v) for v in quantity.parts) + (f"-{number_text(quantity.high)}" if quantity.high is not None else "")
    units = list(dict.fromkeys(quantity.units))
    unit = "/".join(unit_text(u) for u in units)
    per = "".join(f"/{'' if n == 1 else number_text(n) + ' '}{unit_text(u)}" for n, u in quantity.per)
    return f"{values} {unit}{per}"


def rate_text(rate: Rate) -> str:
    """`2 times per day`, `once every 6 hours`."""
    units = {"h": "hour", "d": "day", "wk": "week", "mo": "month"}
    unit = units.get(rate.unit, rate.unit)
    times = number_text(rate.low) + (f"-{number_text(rate.high)}" if rate.high != rate.low else "")
    if rate.period == 1 and rate.period_high == 1:
        return f"{times} time{'s' if times != '1' else ''} per {unit}"
    period = number_text(rate.period) + (f"-{number_text(rate.period_high)}" if rate.period_high != rate.period else "")
    return f"{'once' if times == '1' else times + ' times'} every {period} {unit}s"


def slots_text(values: Sequence[Fraction]) -> str:
    """`1-0-1`."""
    return "-".join(number_text(v) for v in values)
