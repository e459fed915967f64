"""Laws of the reader: what it folds, cuts and parses. Each docstring quotes the rule it proves."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from medfence_guard import Rulepack, SourceDocument, Verdict
from medfence_guard.bundle import name_key
from medfence_guard.compare import Setting, compare_quantity, number_text, quantity_text
from medfence_guard.reader.chunks import Chunk, Quantity, split_glued
from medfence_guard.reader.lexer import DATE, lex
from medfence_guard.reader.lexicon import Rate
from medfence_guard.reader.lines import split_lines
from medfence_guard.reader.roles.names import NameReader
from medfence_guard.reader.roles.reader import RoleReader
from medfence_guard.reader.source import SourceReading, read_source
from medfence_guard.reader.text import fold
from prescriptions import Case, cases

RULEPACK = Rulepack.default()
LEXICON = RULEPACK.lexicon
ONE = Fraction(1)

NASTY = "Tab Metformin 500mg1-0-1x5/7½.,;:|()\n\r\t ०५\u200b\u202e\u00a0µμ×–—ＡIlO0"
TEXTS = st.text(max_size=80) | st.text(alphabet=NASTY, max_size=120) | cases().map(lambda case: case.source)


def chunks_of(text: str) -> list[Chunk]:
    return RULEPACK.chunker.chunks(split_glued(lex(fold(text)), LEXICON, RULEPACK.bundle.names))


def reading_of(text: str) -> SourceReading | None:
    names = NameReader(LEXICON, RULEPACK.bundle.names.get)
    roles = RoleReader(LEXICON, RULEPACK.bundle.insulins, names)
    limit = RULEPACK.thresholds.source_tokens
    return read_source(SourceDocument(text), RULEPACK.chunker, LEXICON, roles, RULEPACK.bundle.names, RULEPACK.misread, limit)


# -- offsets and cuts --------------------------------------------------------------------------------------------------


@given(text=TEXTS)
def test_an_offset_into_the_folded_text_is_an_offset_into_the_original(text: str) -> None:
    """Every span points into the original text: the fold keeps every code point in its place, and folding twice changes nothing."""
    folded = fold(text)
    assert len(folded.text) == len(text)
    assert fold(folded.text).text == folded.text
    assert all(0 <= place < len(text) for place in folded.unlisted)
    for before, after in zip(text, folded.text, strict=True):
        assert before == after or fold(before).text == after or (before, after) == ("\r", " ")


@given(text=TEXTS)
def test_tokens_and_chunks_partition_the_text(text: str) -> None:
    """Segments partition the text: between two tokens stands white space and nothing else, and each token is in one chunk."""
    folded = fold(text)
    tokens = lex(folded)
    reached = 0
    for token in tokens:
        assert reached <= token.start < token.end <= len(text)
        assert not folded.text[reached : token.start].strip(), "text that no token holds"
        reached = token.end
    assert not folded.text[reached:].strip()
    split = split_glued(tokens, LEXICON, RULEPACK.bundle.names)
    found = RULEPACK.chunker.chunks(split)
    assert [(chunk.first, chunk.last) for chunk in found] == list(itertools.pairwise([0, *(chunk.last for chunk in found)]))
    assert not found or found[-1].last == len(split)


@given(text=TEXTS)
def test_lines_partition_the_chunks(text: str) -> None:
    """Concatenating the lines gives the chunks back; none is lost, doubled or moved."""
    found = chunks_of(text)
    lines = split_lines(found)
    assert [chunk for line, _ in lines for chunk in line] == [chunk for chunk in found if chunk.kind != "newline"]
    assert all(line for line, _ in lines)


@given(case=cases(smallest=2))
def test_statements_do_not_overlap(case: Case) -> None:
    """A source token proves one item only: the statements of two orders share no place of the source."""
    reading = reading_of(case.source)
    assert reading is not None
    spans = sorted((statement.span.start, statement.span.end) for statement in reading.statements)
    assert len(spans) == len(case.orders)
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(spans)), spans


# -- canonical(parse(render(x))) = x -----------------------------------------------------------------------------------

WHOLE = st.integers(1, 2000).map(Fraction)
DECIMALS = st.builds(lambda n, places: Fraction(n, 10**places), st.integers(1, 9999), st.integers(0, 3))
SMALL = st.sampled_from([Fraction(n, 4) for n in range(1, 13)])
MASSES = {"mg": ("mg", "MG", "mgs", "milligram"), "ug": ("mcg", "\u00b5g", "\u03bcg", "ug", "microgram"), "g": ("g", "gm", "gram")}
DENOMINATORS = {"mL": ("ml", "mL"), "{puff}": ("puff",), "{dose}": ("dose",)}
COUNTED = {
    "{tbl}": ("tab", "tabs", "tablet", "tablets"),
    "{capsule}": ("cap", "capsules"),
    "{puff}": ("puffs",),
    "[drp]": ("drops",),
    "mL": ("ml",),
    "{unit}": ("units",),
    "[iU]": ("IU", "I.U."),
}
QUARTERS = {Fraction(1, 4): "\u00bc", Fraction(1, 2): "\u00bd", Fraction(3, 4): "\u00be"}


def in_words(value: Fraction) -> str:
    """`1½`, `½`, `2`: as tablets are counted."""
    whole, rest = divmod(value, 1)
    return (str(whole) if whole else "") + QUARTERS.get(rest, "") if rest in QUARTERS or not rest else number_text(value)


@st.composite
def strengths(draw: Any) -> tuple[Quantity, str]:
    """`500 mg`, `250 mg/5 ml`, `40/12.5 mg`, `1000 IU`, `1 %`."""
    values = tuple(draw(st.lists(DECIMALS, min_size=1, max_size=3)))
    assume(len(values) != 2 or values[1] not in (2, 3, 4, 8) or values[0] >= values[1])  # `1/2 mg` is half a milligram
    assume(len(values) != 3 or any(value.denominator > 1 or value >= 100 for value in values))  # `1/2/10` is a date
    unit = draw(st.sampled_from([*MASSES, "[iU]", "%"])) if len(values) == 1 else "mg"
    surface = draw(st.sampled_from((MASSES | {"[iU]": ("IU", "I.U."), "%": ("%",)})[unit]))
    space = draw(st.sampled_from((" ", ""))) if surface in ("mg", "mcg", "g", "%") else " "
    text = "/".join(number_text(value) for value in values) + space + surface
    per: tuple[tuple[Fraction, str], ...] = ()
    if len(values) == 1 and unit in MASSES and draw(st.booleans()):
        of = draw(st.sampled_from(sorted(DENOMINATORS)))
        number = draw(st.sampled_from([1, 2, 5, 10])) if of == "mL" else 1
        shown = "" if number == 1 else f"{number} "
        text += "/" + shown + draw(st.sampled_from(DENOMINATORS[of]))
        per = ((Fraction(number), of),)
    return Quantity(values, (unit,) * len(values), None, per), text


@st.composite
def doses(draw: Any) -> tuple[Quantity, str]:
    """`1½ tablets`, `1-2 tabs`, `5 ml`."""
    unit = draw(st.sampled_from(sorted(COUNTED)))
    surface = draw(st.sampled_from(COUNTED[unit]))
    if draw(st.booleans()):
        low = draw(st.integers(1, 4))
        high = low + draw(st.integers(1, 3))
        return Quantity((Fraction(low),), (unit,), Fraction(high)), f"{low}{draw(st.sampled_from(('-', ' to ')))}{high} {surface}"
    value = draw(SMALL)
    return Quantity((value,), (unit,)), f"{in_words(value)} {surface}"


def _plural(number: int, unit: str) -> str:
    return unit + ("s" if number > 1 else "")


@st.composite
def rates(draw: Any) -> tuple[Rate, str]:
    """`q6h`, `every 4 to 6 hours`, `3 times a day`, `2-3 times a day`, `every 2 weeks`."""
    number, more = draw(st.integers(2, 12)), draw(st.integers(0, 3))
    span = {"h": "hour", "d": "day", "wk": "week", "mo": "month"}
    how = draw(st.sampled_from(("interval", "hours", "times", "range of times")))
    if how == "hours":
        text = f"q{number}h" if not more else f"q{number}-{number + more}h"
        return Rate(ONE, ONE, Fraction(number), Fraction(number + more), "h"), text
    if how == "interval":
        unit = draw(st.sampled_from(("h", "d", "wk", "mo"))) if not more else "h"
        text = f"every {number} {span[unit]}s" if not more else f"every {number} to {number + more} {span[unit]}s"
        return Rate(ONE, ONE, Fraction(number), Fraction(number + more), unit), text
    unit = draw(st.sampled_from(("d", "wk")))
    if how == "times":
        return Rate(Fraction(number), Fraction(number), ONE, ONE, unit), f"{number} times a {span[unit]}"
    return Rate(Fraction(number), Fraction(number + 1), ONE, ONE, unit), f"{number}-{number + 1} times a {span[unit]}"


@st.composite
def slot_patterns(draw: Any) -> tuple[Any, str]:
    """`1-0-1`, `½-0-½`, `2-1-2-1`, with any dash of the alphabet."""
    values = draw(st.lists(st.sampled_from([Fraction(n, 2) for n in range(7)]), min_size=3, max_size=4))
    assume(any(values))
    dash = draw(st.sampled_from(("-", "\u2013", "\u2014", "\u2212", " - ", "--")))
    fractions = draw(st.booleans())
    written = [in_words(value) or "0" if fractions else number_text(value) for value in values]
    return (tuple(values), None), dash.join(written)


@st.composite
def durations(draw: Any) -> tuple[Any, str]:
    """`x 5 days`, `for 2 weeks`, `5-7 days`, `x 5/7`, `x 2/52`, `x 3/12`."""
    number = draw(st.integers(1, 30))
    unit = draw(st.sampled_from(("d", "wk", "mo")))
    before = draw(st.sampled_from(("x ", "for ", "\u00d7 ", "")))
    if before != "" and draw(st.booleans()) and number <= {"d": 31, "wk": 52, "mo": 24}[unit]:
        return (Fraction(number), None, unit), f"{before}{number}/{ {'d': 7, 'wk': 52, 'mo': 12}[unit] }"
    word = {"d": "day", "wk": "week", "mo": "month"}[unit]
    if draw(st.booleans()):
        high = number + draw(st.integers(1, 5))
        return (Fraction(number), Fraction(high), unit), f"{before}{number}{draw(st.sampled_from(('-', ' to ')))}{high} {word}s"
    return (Fraction(number), None, unit), f"{before}{number} {_plural(number, word)}"


@st.composite
def maxima(draw: Any) -> tuple[Any, str]:
    """`max 4 tablets/day`, `not more than 3 g per day`."""
    unit = draw(st.sampled_from(("{tbl}", "{puff}", "g", "mg")))
    surface = {"{tbl}": "tablets", "{puff}": "puffs", "g": "g", "mg": "mg"}[unit]
    number = draw(st.integers(2, 12))
    before = draw(st.sampled_from(("max", "maximum", "not more than")))
    return (Fraction(number), None, unit), f"{before} {number} {surface}{draw(st.sampled_from(('/day', ' per day', ' in 24 hours')))}"


def law_of(kind: str, rendered: st.SearchStrategy[tuple[Any, str]]) -> Callable[[], None]:
    """canonical(parse(render(x))) = x for every structure the grammar can emit."""

    @given(pair=rendered)
    def parses_back(pair: tuple[Any, str]) -> None:
        meant, text = pair
        found = [chunk for chunk in chunks_of(text) if not (chunk.kind in ("word", "indication_part") and chunk.value in ("x", "starters"))]
        assert [(chunk.kind, chunk.value) for chunk in found] == [(kind, meant)], text

    return parses_back


def test_a_strength_is_read_as_it_was_written() -> None:
    law_of("amount", strengths())()


def test_a_dose_is_read_as_it_was_written() -> None:
    law_of("amount", doses())()


def test_a_rate_is_read_as_it_was_written() -> None:
    law_of("rate", rates())()


def test_slots_are_read_as_they_were_written() -> None:
    law_of("slots", slot_patterns())()


def test_a_duration_is_read_as_it_was_written() -> None:
    law_of("duration", durations())()


def test_a_maximum_is_read_as_it_was_written() -> None:
    law_of("maximum", maxima())()


@given(pair=strengths())
def test_a_strength_as_the_report_prints_it_is_the_same_strength(pair: tuple[Quantity, str]) -> None:
    """A message shows what was read: the text of a quantity reads as that quantity, unless it spells a date (`1/1/1000 mg`)."""
    meant, _ = pair
    assume(all(token.kind != DATE for token in lex(fold(quantity_text(meant)))))
    shown = [chunk.value for chunk in chunks_of(quantity_text(meant)) if chunk.kind == "amount"]
    assert shown == [meant]


@given(name=st.sampled_from(sorted(entry.display for entry in RULEPACK.bundle.names.values() if not entry.incomplete)), shout=st.booleans())
def test_a_name_of_the_bundle_is_read_as_that_name(name: str, shout: bool) -> None:
    """Names are exact after case, space and hyphen folding (P2): the key of a name is the key of its capitals."""
    written = name.upper() if shout else name.replace("-", " ")
    assert name_key(written) == name_key(name)


# -- units -------------------------------------------------------------------------------------------------------------

UNITS = [unit for unit in LEXICON.unit_by_ucum.values() if unit.dimension in ("mass", "volume")]
PAIRS = [(one, other) for one in UNITS for other in UNITS if one.dimension == other.dimension]
SETTING = Setting(LEXICON, "text", None, {}, False)  # type: ignore[arg-type]
NOWHERE = Chunk("amount", None, 0, 1, 0, 1)


@given(value=DECIMALS, pair=st.sampled_from(PAIRS))
def test_a_conversion_inverts_and_is_exact(value: Fraction, pair: tuple[Any, Any]) -> None:
    """Exact conversion g↔mg↔µg, L↔mL (P5): there and back is the same number, and equal either way round."""
    one, other = pair
    converted = value * one.scale / other.scale
    assert converted * other.scale / one.scale == value
    source, claim = Quantity((value,), (one.ucum,)), Quantity((converted,), (other.ucum,))
    for a, b in ((source, claim), (claim, source)):
        assert {judgement.verdict for judgement in compare_quantity(SETTING, a, b, NOWHERE)} == {Verdict.PASS}


@given(value=DECIMALS, pair=st.sampled_from([(one, other) for one, other in PAIRS if one.scale != other.scale]))
def test_one_number_in_two_units_is_never_equal(value: Fraction, pair: tuple[Any, Any]) -> None:
    """mg and mcg of one number are never equal, nor any two units of another size."""
    one, other = pair
    judged = compare_quantity(SETTING, Quantity((value,), (one.ucum,)), Quantity((value,), (other.ucum,)), NOWHERE)
    assert [judgement.verdict for judgement in judged] == [Verdict.FAIL]


@given(value=DECIMALS, one=st.sampled_from(sorted(LEXICON.unit_by_ucum)), other=st.sampled_from(sorted(LEXICON.unit_by_ucum)))
def test_no_two_dimensions_are_ever_equal(value: Fraction, one: str, other: str) -> None:
    """Never: mg↔mL, IU↔mg, %↔mg, drops↔mL (P5)."""
    assume(LEXICON.unit_by_ucum[one].dimension != LEXICON.unit_by_ucum[other].dimension)
    judged = compare_quantity(SETTING, Quantity((value,), (one,)), Quantity((value,), (other,)), NOWHERE)
    assert Verdict.PASS not in {judgement.verdict for judgement in judged}


@given(value=DECIMALS, edited=DECIMALS)
def test_two_numbers_that_differ_are_different(value: Fraction, edited: Fraction) -> None:
    """Two well-formed numbers that differ are different; nothing grounds on part of a number (P11)."""
    assume(value != edited)
    judged = compare_quantity(SETTING, Quantity((value,), ("mg",)), Quantity((edited,), ("mg",)), NOWHERE)
    assert [judgement.verdict for judgement in judged] == [Verdict.FAIL]
