"""Numbers with their units, slots, ranges and glued words, by themselves: what one written value is read as."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from medfence_guard import Rulepack
from medfence_guard.reader.chunks import Chunker, Quantity, split_glued
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


def kinds(text: str) -> list[str]:
    return [kind for kind, _ in read(text)]


def often(low: int, high: int | None = None, unit: str = "d") -> Rate:
    return Rate(Fraction(low), Fraction(high or low), Fraction(1), Fraction(1), unit)


# --- what a number is by what stands beside it


@pytest.mark.parametrize(
    ("text", "slots", "days"),
    [
        ("50mg-0-0-1-30 days", (0, 0, 1), (30, None, "d")),
        ("50mg-1-0-1-5 days", (1, 0, 1), (5, None, "d")),
        ("50mg-4-4-0-14 weeks", (4, 4, 0), (14, None, "wk")),
        ("50 mg-2-0-0-120 days", (2, 0, 0), (120, None, "d")),
    ],
)
def test_three_slots_and_a_length_of_time_in_a_line_parted_by_dashes(text, slots, days):
    assert read(text)[1:] == [("mark", "-"), ("slots", (slots, None)), ("mark", "-"), ("duration", days)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("50mg,0-0-1-30 days", "another mark parts the fields"),
        ("50mg;0-0-1-30 days", "whichever it is"),
        ("50mg - 0-0-1-30 days", "the dash before it stands by itself"),
        ("0-0-1-30 days", "nothing stands before it"),
        ("50mg-0-0-2-30 days", "the third slot may be the first end of a range of days"),
        ("50mg-0-0-1-3 days", "the last number may be a slot"),
        ("50mg-0-0-1-0 days", "no length of time begins with nought"),
        ("50mg-5-0-1-30 days", "no slot holds five"),
        ("50mg-0-0-1-30", "what it counts is not named"),
        ("50mg-0-0-1-30 d", "nor by one letter"),
        ("50mg-0-0-1-30 wk", "nor by two"),
        ("50mg-0-0-1-30 tabs", "tablets are no time"),
        ("50mg-0-0-1-30 morning", "a word of timing is no unit of it"),
        ("50mg-0-0-1-30 mg", "a dose is no time"),
        ("50mg-0-0-1-30-40 days", "there is a number too many"),
    ],
)
def test_slots_and_days_are_not_parted_where_it_is_not_certain(text, why):
    assert not {"slots", "duration"} <= set(kinds(text)), why


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("10 pm", "22:00"),
        ("12 am", "00:00"),
        ("12 pm", "12:00"),
        ("1 am", "01:00"),
        ("at 10 pm", "22:00"),
        ("Telma at 5 am", "05:00"),
        ("40 mg at 5 am", "05:00"),
        ("OD at 10 pm", "22:00"),
        ("1-0-1 @ 10 pm", "22:00"),
        ("OD 8 am", "08:00"),
        ("PO 8 am", "08:00"),
        ("1-0-1 8 am", "08:00"),
        ("OD 10:30 pm", "22:30"),
        ("OD 08:00", "08:00"),
        ("OD 08:15", "08:15"),
        ("OD 13:00", "13:00"),
        ("OD 23:45", "23:45"),
        ("OD, 10 pm", "22:00"),
        ("OD (10 pm", "22:00"),
        ("OD & 10 pm", "22:00"),
        ("OD and 10 pm", "22:00"),
    ],
)
def test_an_hour_of_the_clock_behind_a_frequency_an_amount_or_at(text, at):
    assert read(text)[-1] == ("when", (at, None))


def test_hours_of_one_list_are_each_a_time():
    assert [value for kind, value in read("BD (10 am, 2:30 pm & 10 pm)") if kind == "when"] == [
        (hour, None) for hour in ("10:00", "14:30", "22:00")
    ]
    assert [value for kind, value in read("BD 08:00, 20:00") if kind == "when"] == [("08:00", None), ("20:00", None)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Telma 5 am", "behind a name it may be a strength and a suffix"),
        ("tea at 5 am", "nothing of an order stands in the line"),
        ("Telma\ntea at 5 am", "nor above it"),
        ("40 mg, 5 am", "behind the comma it is no part of a list of hours"),
        ("before breakfast, 5 am", "nor is a meal an hour"),
        ("OD 13 pm", "the clock has twelve hours"),
        ("OD 0 am", "and begins with one"),
        ("OD 10", "without am or pm nothing says that it is an hour"),
        ("OD 8:00", "8:00 may be of the evening"),
        ("OD 12:00", "12:00 may be midnight"),
        ("OD 24:00", "a day has no such hour"),
        ("OD 08:10", "hours of taking are full, half or quarter"),
        ("OD 108:00", "no hour has three digits"),
    ],
)
def test_what_is_no_hour_of_the_clock(text, why):
    assert not any(kind == "when" and ":" in str(value[0]) for kind, value in read(text)), why


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("2/day", often(2)),
        ("500 mg 1/day", often(1)),
        ("500 mg 2/day", often(2)),
        ("500 mg 6/d", often(6)),
        ("tab 3/day", often(3)),
        ("500 mg - 2/day", often(2)),
        ("500 mg, 2/day", often(2)),
        ("tab - 2/day", often(2)),
        ("x 5 days, 2/day", often(2)),
        ("3 times", often(3)),
        ("500 mg 4 times x 1 week", often(4)),
        ("500 mg 4 times for 1 week", often(4)),
        ("500 mg 1 time x 5 days", often(1)),
    ],
)
def test_a_number_of_times_a_day(text, rate):
    assert [value for kind, value in read(text) if kind == "rate"] == [rate]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("7/day", "nobody takes it seven times a day so written"),
        ("Telma 2/day", "behind a name the number is a strength"),
        ("500 mg; 2/day", "the clause has ended"),
        ("- 2/day", "there is nothing before the dash"),
        ("Telma - 2/day", "nor an amount"),
        ("500 mg 2/day/kg", "it is a dose by weight"),
        ("2.5/day", "nothing is taken two and a half times"),
        ("1 times", "once is not written so"),
        ("500 mg 4 times", "of what is not told"),
        ("4 times a", "nor here"),
        ("500 mg 4 times x", "nothing lasts"),
    ],
)
def test_what_is_no_number_of_times_a_day(text, why):
    assert "rate" not in kinds(text), why


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("OD x 5/7", (5, None, "d")),
        ("1-0-1 x 52/52", (52, None, "wk")),
        ("1-0-1 x 24/12", (24, None, "mo")),
        ("1-0-1 5/7", (5, None, "d")),
        ("HS 5/7", (5, None, "d")),
        ("SOS 5/7", (5, None, "d")),
        ("stat 5/7", (5, None, "d")),
        ("Duration: 5/7", (5, None, "d")),
    ],
)
def test_a_part_of_a_period_follows_a_frequency_or_what_leads_to_it(text, value):
    assert read(text)[-1] == ("duration", value)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Dose: 5/7", "the label is another"),
        ("Duration, 5/7", "it is no label before a comma"),
        ("OD x 2.5/7", "the days are not whole"),
        ("on 5/7", "it may be a date"),
        ("Telma and 5/7", "nothing leads to a time"),
        ("5/7 x", "it stands before"),
        ("(5/7", "a bracket says nothing"),
        (": 5/7", "nor does a colon of nothing"),
    ],
)
def test_a_fraction_that_nothing_leads_to_is_no_duration(text, why):
    assert ("tuple", (Fraction(5, 2) if "2.5" in text else 5, 7)) in read(text), why


@pytest.mark.parametrize(
    ("text", "quantity"),
    [
        ("2/3 tab", many(Fraction(2, 3), unit="{tbl}")),
        ("3/4 tab", many(Fraction(3, 4), unit="{tbl}")),
        ("1/8 tab", many(Fraction(1, 8), unit="{tbl}")),
        ("1 2/3 tab", many(Fraction(5, 3), unit="{tbl}")),
        ("2 1/8 tab", many(Fraction(17, 8), unit="{tbl}")),
        ("1/5 tab", many(1, 5, unit="{tbl}")),
        ("4/3 tab", many(4, 3, unit="{tbl}")),
        ("4/4 tab", many(4, 4, unit="{tbl}")),
        ("5 mg + 10 mg + 20 mg", many(5, 10, 20, unit="mg")),
        ("5 mg +5 mg", many(5, 5, unit="mg")),
        ("10 mg/2.5 mL", many(10, unit="mg", per=((Fraction(5, 2), "mL"),))),
        ("1 mg/tab", many(1, unit="mg", per=((1, "{tbl}"),))),
        ("2 miu", many(2000000, unit="[iU]")),
        ("3 lac units", many(300000, unit="{unit}")),
        ("5 mg./ml", many(5, unit="mg", per=((1, "mL"),))),
    ],
)
def test_halves_and_thirds_are_one_amount_and_other_fractions_two(text, quantity):
    assert read(text) == [("amount", quantity)]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("5 mg/10", [("mark", "/"), ("number", many(10, unit=None))]),
        ("5 mg + 10", [("mark", "+"), ("number", many(10, unit=None))]),
        ("5 mg + 10 ml", [("mark", "+"), ("amount", many(10, unit="mL"))]),
        ("5 mg per 5 mg", None),
        ("5 mg 1 - 2 tab", [("amount", many(1, unit="{tbl}", high=2))]),
        ("5 ml 1 - 2 tab", [("number", many(1, unit=None)), ("mark", "-"), ("amount", many(2, unit="{tbl}"))]),
        ("5 IU 1 - 2 tab", [("number", many(1, unit=None)), ("mark", "-"), ("amount", many(2, unit="{tbl}"))]),
        ("5 ml + 5 ml", [("mark", "+"), ("amount", many(5, unit="mL"))]),
        ("5 mg + 5-10 mg", [("mark", "+"), ("amount", many(5, unit="mg", high=10))]),
        ("5 mg / 5-10 ml", [("mark", "/"), ("amount", many(5, unit="mL", high=10))]),
    ],
)
def test_what_does_not_belong_to_an_amount_stays_beside_it(text, rest):
    first, *others = read(text)
    if rest is None:
        assert first == ("amount", many(5, unit="mg", per=((5, "mg"),)))
        assert not others
    else:
        assert first[0] == "amount"
        assert first[1].parts == (5,)
        assert not first[1].per
        assert others == rest


@pytest.mark.parametrize("text", ["-5 mg", "+5 mg", "Telma <5 mg", "Telma =5 mg", "Telma >5 mg", "Telma OD +5 mg"])
def test_a_sign_is_part_of_no_dose(text):
    assert read(text)[-1] == ("malformed", "mg")


@pytest.mark.parametrize("text", ["Telma -5 mg", "Telma 5 mg -5 mg", "Telma 5 mg <5 mg", "5/10 +5 mg", "Telma 20 +5 mg"])
def test_a_mark_that_joins_or_parts_is_no_sign(text):
    assert "malformed" not in kinds(text)


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("05 tab", [("malformed", "{tbl}")]),
        ("05 tab OD", [("malformed", "{tbl}"), ("rate", often(1))]),
        ("05 tab Telma", [("malformed", None), ("form", "tablet"), ("drug", "telma")]),
        ("05 tab Activated charcoal", [("malformed", None), ("form", "tablet"), ("drug", "activatedcharcoal")]),
        ("05 tab ActivatedCharcoal", [("malformed", None), ("form", "tablet"), ("drug", "activatedcharcoal")]),
        ("05 tab zzzz", [("malformed", "{tbl}"), ("word", "zzzz")]),
        ("05 rng Telma", [("malformed", "mg"), ("drug", "telma")]),
        ("05abc mg", [("malformed", "mg")]),
        ("2,5abc tab", [("malformed", "{tbl}")]),
        ("05 5 mg", [("malformed", None), ("amount", many(5, unit="mg"))]),
        ("5abc", [("malformed", None)]),
        ("5abc Telma", [("malformed", None), ("drug", "telma")]),
        ("5 abc", [("number", many(5, unit=None)), ("word", "abc")]),
        ("TelmaI40mg", [("word", "telmai"), ("malformed", "mg")]),
    ],
)
def test_a_malformed_number_takes_what_is_glued_to_it_and_its_unit_but_no_form_of_a_name(text, chunks):
    assert [(kind, value.key if kind == "drug" else value) for kind, value in read(text)] == chunks


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("|25 mcg", "malformed"),
        ("Telma |25 mcg", "malformed"),
        ("| Telma\nDolo |25 mcg", "malformed"),
        ("| Telma |25 mcg", "amount"),
        ("| Telma |25 mcg |", "amount"),
        ("Telma | 25 mcg", "amount"),
    ],
)
def test_a_bar_at_a_number_is_a_misread_digit_unless_the_line_has_cells(text, kind):
    assert [found for found in kinds(text) if found in ("malformed", "amount")] == [kind]


@pytest.mark.parametrize("text", ["8D", "Telma 8D", "Tab Telma 8D", "Telma 40 mg 8D", "S0S", "Tab Telma S0S", "0D", "Telma 0D", "B0", "H5"])
def test_a_timing_word_with_an_exchanged_letter_is_confused(text):
    assert read(text)[-1] == ("confused", "timing")


@pytest.mark.parametrize("text", ["x 8D", "for 8D", "Telma 8 D", "B O", "H 5", "8DS", "HS5"])
def test_what_leads_to_a_time_or_stands_apart_is_not_confused(text):
    assert "confused" not in kinds(text)


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("1+0+1", [("slots", ((1, 0, 1), None))]),
        ("1+0+1+1", [("slots", ((1, 0, 1, 1), None))]),
        ("9+0+9", [("slots", ((9, 0, 9), None))]),
        ("10+0+1", [("tuple", (10, 0, 1))]),
        ("1+1", [("tuple", (1, 1))]),
        ("1+0+1+0+1", [("tuple", (1, 0, 1, 0, 1))]),
        ("9-0-9", [("slots", ((9, 0, 9), None))]),
        ("10-0-10 ml", [("slots", ((10, 0, 10), "mL"))]),
        ("10-0-10 iu", [("slots", ((10, 0, 10), "[iU]"))]),
        ("1-0-1 tsp", [("slots", ((1, 0, 1), "{tsp}"))]),
        ("10-0-10 tab", [("code", (10, 0, 10)), ("form", "tablet")]),
        ("2-1 tab", [("range", (2, 1)), ("form", "tablet")]),
        ("2nd", [("word", "ordinal")]),
        ("21st", [("word", "ordinal")]),
        ("3rd", [("word", "ordinal")]),
        ("4th", [("word", "ordinal")]),
        ("21 st", [("number", many(21, unit=None)), ("word", "st")]),
        ("100F", [("malformed", None)]),
        ("fever > 100F", [("indication", "reason"), ("mark", ">"), ("number", many(100, unit=None))]),
        ("fever above 38c", [("indication", "reason"), ("word", "above"), ("number", many(38, unit=None))]),
        ("Qty 90 Refills: 3", [("quantity", (90, None, None)), ("label", "refills"), ("mark", ":"), ("number", many(3, unit=None))]),
        (
            "Qty: 90 Refills: 3",
            [
                ("label", "quantity"),
                ("mark", ":"),
                ("number", many(90, unit=None)),
                ("label", "refills"),
                ("mark", ":"),
                ("number", many(3, unit=None)),
            ],
        ),
        ("500 din me teen baar", [("number", many(500, unit=None)), ("rate", often(3))]),
    ],
)
def test_runs_of_numbers_ordinals_and_labels(text, chunks):
    assert read(text) == chunks


# --- what a word is by what stands beside it


@pytest.mark.parametrize(
    "text",
    [
        "No Aspirin",
        "No Aspirin.",
        "No Aspirin, Telma",
        "No Aspirin; Telma",
        "No Aspirin\nTelma",
        "1. No Aspirin",
        "Telma, No Aspirin",
        "Telma; No Aspirin",
        "Telma: No Aspirin",
        "Telma - No Aspirin",
        "Telma\nNo Aspirin",
    ],
)
def test_no_before_a_name_alone_refuses_it(text):
    assert ("cue", ("avoid", "before")) in read(text)


@pytest.mark.parametrize(
    "text", ["No Aspirin 75 mg", "Telma No Aspirin", "Telma. No Aspirin", "No Zzzz.", "No Xylo Aspirin", "No. 3", "No 3", "No"]
)
def test_no_before_anything_else_does_not(text):
    assert "cue" not in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        *(f"Telma 80 mg ON{end}" for end in ("", ",", ";", ")", " x 5 days", " for 5 days", "\nTab Dolo", "\n\nTab Dolo", "\n")),
        "Telma tab ON",
    ],
)
def test_on_behind_an_amount_with_nothing_to_govern_is_every_night(text):
    assert ("when", ("NIGHT", None)) in read(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            f"Telma 80 mg on{end}"
            for end in (" Monday", "\nMonday", "\n12/05/2026", "\n5 days", "\nOD", "\nHS", "\n\nMonday", " (", " Dolo", ".")
        ),
        "Telma ON",
        "OD ON",
        "ON",
    ],
)
def test_on_that_governs_what_follows_is_not(text):
    assert ("when", ("NIGHT", None)) not in read(text)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("T. Telma", "tablet"),
        ("C. Telma", "capsule"),
        ("T.Telma", "tablet"),
        ("T. Zol", "tablet"),
        ("1. T. Telma", "tablet"),
        ("OD\nT. Telma", "tablet"),
        ("- C. Telma", "capsule"),
        ("Start T. Telma", "tablet"),
    ],
)
def test_an_initial_with_a_stop_before_a_name_is_its_form(text, form):
    assert ("form", form) in read(text)


@pytest.mark.parametrize("text", ["T Telma", "t . Telma", "OD T. Telma", "T. BD", "T.", "T. 40", "S. Telma"])
def test_any_other_single_letter_is_none(text):
    assert "form" not in kinds(text)


@pytest.mark.parametrize("text", ["Tab ZORBI-TEL", "Tab. ZORBI-TEL 40", "1. ZORBI-TEL", "ZORBI-TEL", "Tab ZORBI-Telma", "ZORBI-Telma"])
def test_letters_a_hyphen_and_letters_behind_a_form_are_one_name(text):
    assert not {"header_line_starts", "drug"} & set(kinds(text))


@pytest.mark.parametrize(
    "text",
    [
        "ZORBI-TEL 40 mg BD",
        "take ZORBI-TEL BD x 5 days",
        "Tab ZO-TEL",
        "Tab ZORBI - TEL",
        "Tab ZORBI- TEL",
        "Tab ZORBI -TEL",
        "Tab ZORBI40-TEL",
        "Telma-TEL",
        "Telma 40-TEL",
    ],
)
def test_a_label_behind_a_hyphen_elsewhere_stays_one(text):
    assert "header_line_starts" in kinds(text)


def test_a_head_glued_to_a_name_is_cut_off_it():
    assert kinds("TabTelma") == ["form", "drug"]
    assert kinds("StopTelma")[-1] == "drug"
    assert kinds("EachTabletContainsTelmisartan")[-1] == "drug"


def test_a_name_of_two_letters_is_not_cut_out_of_a_word():
    telma = RULEPACK.bundle.names["telma"]
    tokens = lex(fold("TabTe StopTel"))
    cut = split_glued(tokens, RULEPACK.lexicon, {"te": telma, "tel": telma})
    assert [token.text for token in cut] == ["tabte", "stop", "tel"]


@pytest.mark.parametrize(("words", "found"), [(2, True), (11, True), (12, True), (13, False)])
def test_a_name_has_at_most_twelve_words(words, found):
    letters = "abcdefghijklm"[:words]
    chunker = Chunker(RULEPACK.lexicon, {letters: RULEPACK.bundle.names["telma"]}, frozenset({"a"}))
    for before in ("", "zzzz zzzz "):
        chunks = chunker.chunks(lex(fold(before + " ".join(letters))))
        assert (chunks[-1].kind == "drug") is found
        assert not found or chunks[-1].value.key == letters
