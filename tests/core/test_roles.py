"""Which words of a line get which role, by the rule that gives it: each table is one rule, and holds the nearest line it must not reach.

The roles are asked for, and not the verdict, since a chunk in the wrong role is often held for another reason.
"""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import Any

import pytest

from medfence_guard import Rulepack, SourceDocument
from medfence_guard.reader.chunks import Quantity, split_glued
from medfence_guard.reader.lexer import lex
from medfence_guard.reader.lexicon import Rate
from medfence_guard.reader.roles.names import NameReader
from medfence_guard.reader.roles.reader import RoleReader
from medfence_guard.reader.roles.record import NameReading, Roles, course_total
from medfence_guard.reader.source import read_source
from medfence_guard.reader.text import fold

RULEPACK = Rulepack.default()
READER = RoleReader(RULEPACK.lexicon, RULEPACK.bundle.insulins, NameReader(RULEPACK.lexicon, RULEPACK.bundle.names.get))
KINDS = [one.name for one in fields(Roles) if one.name not in ("name", "_kinds", "counted", "doses_timed", "composition")]
"""What is left out is a step on the way, or has its own test."""
LEAD = "Tab Dolo 650 mg "


def roles_of(line: str) -> Roles:
    """The roles of the one statement of a line."""
    names, limit = RULEPACK.bundle.names, RULEPACK.thresholds.source_tokens
    reading = read_source(SourceDocument(line), RULEPACK.chunker, RULEPACK.lexicon, READER, names, RULEPACK.misread, limit)
    assert reading is not None
    [statement] = reading.statements
    return statement.roles


def name_of(line: str) -> NameReading:
    name = roles_of(line).name
    assert name is not None
    return name


def words(line: str, begin: int = 0) -> dict[str, str]:
    """Role -> the words that have it, of those behind `begin`."""
    roles = roles_of(line)
    found = {kind: [line[one.chunk.start : one.chunk.end] for one in getattr(roles, kind) if one.chunk.start >= begin] for kind in KINDS}
    return {kind: " | ".join(said) for kind, said in found.items() if said}


def behind(tail: str) -> dict[str, str]:
    """Role -> the words that have it, behind `Tab Dolo 650 mg`, which never changes its own roles."""
    whole = words(LEAD + tail)
    assert (whole["forms"], whole["strengths"]) == ("Tab", "650 mg")
    return words(LEAD + tail, len(LEAD) - 1)


def many(*parts: int | str, unit: str | None = None, high: int | None = None) -> Quantity:
    return Quantity(tuple(map(Fraction, parts)), (unit,) * len(parts), None if high is None else Fraction(high))


def values(line: str, kind: str) -> list[Any]:
    return [one.value for one in getattr(roles_of(line), kind)]


# -- the name ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "name"),
    [
        # what the bundle knows, its suffixes and its numbers
        ("Pan OD", "Pan"),
        ("Pan", "Pan"),
        ("Pan.", "Pan"),
        ("Pan -", "Pan"),
        ("Pan D OD", "Pan D"),
        ("Pan-D OD", "Pan-D"),
        ("Pan D 40 OD", "Pan D 40"),
        ("Pan 40 OD", "Pan 40"),
        ("Pan-40 OD", "Pan-40"),
        ("Pan 40 20 OD", "Pan 40"),
        ("Telma AM 40/5 OD", "Telma AM 40/5"),
        ("Telma 40 mg OD", "Telma"),
        # a suffix that nobody lists for this brand is one nevertheless: `Pan` is not `Pan L`
        ("Pan L 40 OD", "Pan L 40"),
        ("Amlodipine forte 5 mg OD", "Amlodipine forte"),
        ("Augmentin 625 Duo BD", "Augmentin 625 Duo"),
        ("Glycomet GP 2 500 OD", "Glycomet GP 2 500"),
        ("Gemer GP2 500 mg OD", "Gemer GP2"),
        # a salt is of a substance, and not of a brand
        ("Amlodipine besylate 5 mg OD", "Amlodipine besylate"),
        ("Telma besylate 40 mg OD", "Telma"),
        # a release, typed with one space or two
        ("Metoprolol XL 50 mg OD", "Metoprolol XL"),
        ("Metoprolol  XL 50 mg OD", "Metoprolol  XL"),
        ("Metoprolol succinate XL 50 mg OD", "Metoprolol succinate XL"),
        ("Diclofenac   SR 100 mg OD", "Diclofenac"),
        # of a name that nobody knows the next words may be more of it, before its number
        ("Zorbi OD", "Zorbi"),
        ("Zorbi Kam 5 mg OD", "Zorbi Kam"),
        ("Zorbi-Kam 5 mg OD", "Zorbi-Kam"),
        ("Zorbi-Kam-Lun 5 mg OD", "Zorbi-Kam-Lun"),
        ("Zorbi - Kam OD", "Zorbi"),
        ("Zorbi -Kam OD", "Zorbi"),
        ("Zorbi and 5 mg OD", "Zorbi"),
        ("Zorbi-5 OD", "Zorbi-5"),
        ("Zorbi 5 Kam OD", "Zorbi 5"),
        ("Zorbi 5-Kam OD", "Zorbi 5"),
        ("Zorbi D3 40 mg OD", "Zorbi D3"),
        ("Zorbi Kam Lun Pex Tor 40 mg OD", "Zorbi Kam Lun Pex"),
        # substances, joined
        ("Telmisartan + Amlodipine 40/5 mg OD", "Telmisartan + Amlodipine"),
        ("Telmisartan/Amlodipine 40/5 mg OD", "Telmisartan/Amlodipine"),
        ("Telmisartan & Amlodipine 40/5 mg OD", "Telmisartan & Amlodipine"),
    ],
)
def test_the_words_of_a_name(written, name):
    line = f"Tab {written}"
    read = name_of(line)
    assert line[read.start : read.end] == name


@pytest.mark.parametrize(
    ("written", "key", "suffixes", "release", "salts"),
    [
        ("Pan 40", "pan", (), (), ()),
        ("Pan L 40", "panl", ("l",), (), ()),
        ("Nexito+ 10 mg", "nexitoplus", ("plus",), (), ()),
        ("Nexito+10 mg", "nexito", (), (), ()),
        ("Nexito+, 10 mg", "nexito", (), (), ()),
        ("Augmentin 625 Duo", "augmentinduo", ("duo",), (), ()),
        ("Amlodipine besylate 5 mg", "amlodipinebesylate", (), (), ()),
        ("Metoprolol XL 50 mg", "metoprololxl", (), ("xl",), ()),
        ("Pan D SR 40", "pandsr", (), ("sr",), ()),
        ("Gemer GP2 500 mg", "gemergp2", ("gp", "2"), (), ()),
        ("Zorbi D3 40 mg", "zorbid3", ("d", "3"), (), ()),
        ("Zorbi-Kam 5 mg", "zorbikam", ("kam",), (), ()),
        ("Telmisartan + Amlodipine 40/5 mg", "telmisartanamlodipine", (), (), ()),
    ],
)
def test_a_name_is_its_letters_folded_and_its_strength_is_no_part_of_it(written, key, suffixes, release, salts):
    """`Pan` is not `Pan D`, `GP1` not `GP2`; but `Pan 40` is `Pan`, and its number a label (P2, P4)."""
    read = name_of(f"Tab {written} OD")
    assert (read.key, read.suffixes, read.release, read.salts) == (key, suffixes, release, salts)


@pytest.mark.parametrize(
    ("line", "suffixes"),
    [
        # a word of a time or a place: only if the strength and then a timing follow it
        ("Dolo HS 40 mg OD", ("hs",)),
        ("Dolo HS 40 mg", ()),
        ("Dolo HS OD", ()),
        ("Dolo OD 650 BD", ("od",)),
        ("Dolo OD 650 mg 1-0-1", ("od",)),
        ("Dolo OD 650 mg", ()),
        ("Dolo MN 40 mg OD", ("mn",)),
        ("Dolo MN OD", ()),
        ("Dolo MN 40 mg", ()),
        ("Dolo oral 650 mg BD", ("oral",)),
        ("Dolo oral 650 mg", ()),
        ("Tab Dolo HS 40 mg OD", ("hs",)),
        ("Tab Dolo HS 40 mg", ()),
        # a word that is something else: if either follows
        ("Dolo NT 40 mg", ("nt",)),
        ("Dolo NT OD", ("nt",)),
        ("Dolo NT", ()),
        ("Dolo CT 40/5 mg", ("ct",)),
        ("Dolo CT SOS", ("ct",)),
        ("Tab Dolo NT 40 mg", ("nt",)),
        # a word that is nothing else: always
        ("Dolo L", ("l",)),
        ("Dolo L 40 mg", ("l",)),
        ("Tab Dolo L BD", ("l",)),
    ],
)
def test_a_listed_suffix_that_means_something_else_too(line, suffixes):
    """A timing word is one only if the strength still follows it."""
    assert name_of(line).suffixes == suffixes


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("Pan 40", ("pantoprazole",)),
        ("Pan D", ("domperidone", "pantoprazole")),
        # a release or a salt behind a substance is another product of it, and behind a brand it may be another name
        ("Metoprolol XL 50 mg", ("metoprolol",)),
        ("Metoprolol succinate 50 mg", ("metoprolol",)),
        ("Metoprolol succinate XL 50 mg", ("metoprolol",)),
        ("Telma SR 40 mg", None),
        # a suffix is another name, and what it is nobody knows
        ("Pan L 40", None),
        ("Amlodipine forte 5 mg", None),
        ("Zorbi 5 mg", None),
        # what is joined of substances that are known is known
        ("Telmisartan + Amlodipine 40/5 mg", ("amlodipine", "telmisartan")),
        ("Telmisartan 40 mg + Amlodipine 5 mg", ("amlodipine", "telmisartan")),
    ],
)
def test_what_the_bundle_says_of_the_whole_name(written, known):
    molecules = name_of(f"Tab {written} OD").molecules
    assert (None if molecules is None else tuple(word.split()[0] for word in molecules)) == known


@pytest.mark.parametrize(
    ("written", "label"),
    [
        ("Pan 40", (40,)),
        ("Pan-40", (40,)),
        ("Pan 40 20", (40,)),
        ("Pan 40 mg", ()),
        ("Pan 40-80", ()),
        ("Telma AM 40/5", (40, 5)),
        # one number for each substance, in brackets
        ("Telma AM (40/5)", (40, 5)),
        ("Telma AM (40/5/10)", ()),
        ("Telma AM (40/5", ()),
        ("Telma AM 20/5 (40/5)", (20, 5)),
        ("Telma (40/5)", ()),
        ("Zorbi (40/5)", ()),
        # five days, half a tablet: behind a slash stand the days of a week, the months of a year, the weeks of a year, the parts of one
        *((f"Telma AM (1/{of})", ()) for of in (2, 3, 4, 7, 8, 12, 52)),
        ("Telma AM (40/9)", (40, 9)),
        ("Telma AM (40/1)", (40, 1)),
    ],
)
def test_a_bare_number_behind_a_name_is_a_strength_without_a_unit(written, label):
    roles = roles_of(f"Tab {written} OD")
    assert roles.name is not None
    assert roles.name.label == label
    bare = [one.value for one in roles.strengths if one.value.units[0] is None]
    assert bare == ([many(*label)] if label else [])


@pytest.mark.parametrize(("tail", "roles"), [(" OD", {"rates": "OD"}), ("", {}), (" (OD)", {"rates": "OD"})])
def test_a_bracketed_label_is_read_and_the_line_goes_on_behind_it(tail, roles):
    assert words(f"Tab Telma AM (40/5){tail}") == {"forms": "Tab", "strengths": "40/5", **roles}


@pytest.mark.parametrize(
    ("line", "release"),
    [
        # `cr` may be a cream: beside a solid form, before the strength or at the end it is the release
        ("Tab Carbamazepine CR 200 mg BD", ("cr",)),
        ("Tab Carbamazepine CR BD", ("cr",)),
        ("Carbamazepine CR 200 mg BD", ("cr",)),
        ("Carbamazepine CR", ("cr",)),
        ("Carbamazepine CR BD", ()),
        ("Carbamazepine   CR 200 mg BD", ()),
    ],
)
def test_a_release_behind_the_name(line, release):
    assert name_of(line).release == release


@pytest.mark.parametrize(
    ("line", "roles"),
    [
        ("Tab Carbamazepine 200 mg CR BD", {"releases": "CR", "forms": "Tab", "strengths": "200 mg", "rates": "BD"}),
        ("Carbamazepine 200 mg CR BD", {"releases": "CR", "strengths": "200 mg", "rates": "BD"}),
        ("Carbamazepine 200 mg/5 ml CR BD", {"forms": "CR", "strengths": "200 mg/5 ml", "rates": "BD"}),
        ("Carbamazepine 5 ml CR BD", {"forms": "CR", "doses": "5 ml", "rates": "BD"}),
        ("Carbamazepine BD CR", {"forms": "CR", "rates": "BD"}),
        ("Cream Clotrimazole 1 % CR BD", {"forms": "Cream | CR", "strengths": "1 %", "rates": "BD"}),
        ("Tab Metoprolol 50 mg XL OD", {"releases": "XL", "forms": "Tab", "strengths": "50 mg", "rates": "OD"}),
        ("Tab Metoprolol 50 mg OD XL", {"residue": "XL", "forms": "Tab", "strengths": "50 mg", "rates": "OD"}),
    ],
)
def test_a_release_behind_the_strength(line, roles):
    """Beside a solid form or behind a mass it is the release and no cream; away from name, number and form it is not read."""
    assert words(line) == roles


@pytest.mark.parametrize(
    ("line", "parts", "strengths", "where"),
    [
        ("Tab Telmisartan 40 mg + Amlodipine 5 mg OD", 2, [many(40, unit="mg"), many(5, unit="mg")], ["40 mg", "5 mg"]),
        ("Tab Telmisartan 40 + Amlodipine 5 mg OD", 2, [many(40, 5, unit="mg")], ["40 + Amlodipine 5 mg"]),
        ("Tab Telmisartan 40 + Amlodipine 5 OD", 2, [many(40, 5)], ["40 + Amlodipine 5"]),
        ("Tab Telmisartan 40/Amlodipine 5 OD", 2, [many(40, 5)], ["40/Amlodipine 5"]),
        (
            "Tab Telmisartan 40 + Amlodipine 5 + Hydrochlorothiazide 12.5 mg OD",
            3,
            [many(40, 5, "25/2", unit="mg")],
            ["40 + Amlodipine 5 + Hydrochlorothiazide 12.5 mg"],
        ),
        # the second substance has no number, two, a range, or one per volume: the first number stays alone
        ("Tab Telmisartan 40 + Amlodipine OD", 2, [many(40)], ["40"]),
        ("Tab Telmisartan 40 + Amlodipine 5/10 mg OD", 2, [many(40), many(5, 10, unit="mg")], ["40", "5/10 mg"]),
        ("Tab Telmisartan 40 + Amlodipine 5-10 mg OD", 2, [many(40), many(5, unit="mg", high=10)], ["40", "5-10 mg"]),
        (
            "Tab Telmisartan 40 + Amlodipine 5 mg/ml OD",
            2,
            [many(40), many(5, unit="mg")._replace(per=((Fraction(1), "mL"),))],
            ["40", "5 mg/ml"],
        ),
        ("Tab Telmisartan + Amlodipine 40/5 mg OD", 2, [many(40, 5, unit="mg")], ["40/5 mg"]),
    ],
)
def test_the_numbers_of_a_combination_stay_in_their_order_and_with_their_units(line, parts, strengths, where):
    """P11. `Telmisartan 40/Hydrochlorothiazide 12.5` has two bare numbers; in `500 + Clavulanate 125 mg` one unit is written for both."""
    roles = roles_of(line)
    assert roles.name is not None
    assert roles.name.entry is not None
    assert len(roles.name.parts) == parts
    assert roles.name.molecules == tuple(sorted(part.key for part in roles.name.parts))
    assert [one.value for one in roles.strengths] == strengths
    assert [line[one.chunk.start : one.chunk.end] for one in roles.strengths] == where
    assert words(line)["rates"] == "OD"


@pytest.mark.parametrize("line", ["Tab Telma 40 mg + Amlodipine 5 mg OD", "Tab Telmisartan 40 + Telma 5 OD"])
def test_a_brand_is_no_part_of_a_combination(line):
    with pytest.raises(ValueError, match="too many"):
        roles_of(line)  # two statements


@pytest.mark.parametrize(
    ("line", "insulin"),
    [("Inj Insulin Glargine 10 IU HS", True), ("Inj Heparin 5000 IU BD", False), ("Inj Zorbi 10 IU HS", False)],
)
def test_units_of_an_insulin_are_a_dose_by_a_fact_of_the_bundle_only(line, insulin):
    """P5."""
    roles = roles_of(line)
    assert READER.is_insulin(roles.name) is insulin
    assert [bool(roles.doses), bool(roles.strengths)] == [insulin, not insulin]


def test_without_a_name_there_is_no_insulin():
    assert READER.is_insulin(None) is False


# -- a printed composition ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "composition", "residue"),
    [
        ("Telma (Telmisartan) 40 mg", [("telmisartan", None)], None),
        ("Telma [Telmisartan 40 mg]", [("telmisartan", 40)], None),
        ("Telma AM (Telmisartan 40 mg + Amlodipine 5 mg)", [("telmisartan", 40), ("amlodipine", 5)], None),
        ("Telma AM (Telmisartan + Amlodipine)", [("telmisartan", None), ("amlodipine", None)], None),
        ("Telma AM (Telmisartan + Amlodipine 5 mg)", [("telmisartan", None), ("amlodipine", 5)], None),
        ("Telma AM (Telmisartan 40 mg + Amlodipine)", [("telmisartan", 40), ("amlodipine", None)], None),
        ("Ceftum (Cefuroxime 500 mg)", [("cefuroxime", 500)], None),
        ("Telma (Telmisartan IP 40 mg)", [("telmisartan", 40)], None),
        ("Telma (Telmisartan foo) 40 mg", [("telmisartan", None)], "foo"),
        ("Telma (Telmisartan 4O) 40 mg", [("telmisartan", None)], "4O"),
        ("Amlong (Amlodipine besylate) 5 mg", [("amlodipinebesylate", None)], None),
        # another name, or a part of the names, is another medicine
        ("Telma (Amlodipine) 40 mg", [("amlodipine", None)], "Amlodipine"),
        ("Telma AM (Telmisartan 40 mg)", [("telmisartan", 40)], "40 mg"),
        # what is not beside the name, or more than a name, is no composition
        ("Telma 40 mg OD (Telmisartan)", [], "Telmisartan"),
        ("Telma 40 mg x 5 days (Telmisartan)", [], "Telmisartan"),
        ("Telma 40 mg (with Telmisartan)", [], "Telmisartan"),
        ("Telma 40 mg (and Telmisartan)", [], "Telmisartan"),
        ("Telma 40 mg (or Telmisartan)", [], "or | Telmisartan"),
        ("Telma 40 mg (+ Telmisartan)", [], "Telmisartan"),
        ("Telma 40 mg (not Telmisartan)", [], "not | Telmisartan"),
        ("Telma 40 mg (Telmisartan BD)", [], "Telmisartan"),
        ("Telma 40 mg (Telmisartan at night)", [], "Telmisartan"),
        ("Telma 40 mg (Telmisartan SOS)", [], "Telmisartan"),
        ("Zorbi 40 mg (with Amlodipine 5 mg)", [], "Amlodipine"),
    ],
)
def test_a_name_in_brackets_behind_the_name_is_its_composition(written, composition, residue):
    roles = roles_of(f"Tab {written}")
    line = f"Tab {written}"
    assert [(drug.key, None if quantity is None else quantity.parts[0]) for drug, quantity, _ in roles.composition] == composition
    assert " | ".join(line[one.chunk.start : one.chunk.end] for one in roles.residue) == (residue or "")


@pytest.mark.parametrize(
    ("written", "agrees"),
    [
        ("Telma 40 (Telmisartan 40 mg)", True),
        ("Telma 40 (Telmisartan 80 mg)", False),
        ("Telma 40 mg (Telmisartan 80 mg)", False),
        ("Telma 40 mg (Telmisartan 40 mg)", True),
        ("Telma AM 40/5 (Telmisartan 40 mg + Amlodipine 5 mg)", True),
        ("Telma AM 40/10 (Telmisartan 40 mg + Amlodipine 5 mg)", False),
        ("Telma AM 45 (Telmisartan 40 mg + Amlodipine 5 mg)", True),
        ("Telma AM 50 (Telmisartan 40 mg + Amlodipine 5 mg)", False),
        ("Telma AM 50 (Telmisartan 40 mg + Amlodipine)", True),
        ("Telma 40 (Telmisartan)", True),
        ("Telma AM 40/5 mg (Telmisartan 40 mg + Amlodipine 5 mg)", True),
        ("Telma AM 80/5 mg (Telmisartan 40 mg + Amlodipine 5 mg)", False),
        ("Telma AM 40/10 mg (Telmisartan 40 mg + Amlodipine 5 mg)", False),
        ("Telma AM 45 mg (Telmisartan 40 mg + Amlodipine 5 mg)", True),
        ("Telma AM 80 mcg (Telmisartan 40 mg + Amlodipine 5 mg)", True),
    ],
)
def test_a_printed_strength_is_the_number_of_the_name_or_a_part_or_sum_of_it(written, agrees):
    """Where one of them is not printed, or in another unit, nothing can be said here."""
    assert ("another strength" in [one.value for one in roles_of(f"Tab {written} OD").residue]) is not agrees


@pytest.mark.parametrize("brackets", ["(Telmisartan)", "[Telmisartan 40 mg]"])
def test_behind_the_brackets_the_order_goes_on(brackets):
    assert words(f"Tab Telma {brackets} 40 mg OD x 5 days") == {
        "forms": "Tab",
        "strengths": "40 mg",
        "rates": "OD",
        "durations": "x 5 days",
    }
    assert behind("BD (INR monthly) x 5 days") == {"rates": "BD", "durations": "x 5 days"}


@pytest.mark.parametrize(
    ("brackets", "read"),
    [
        ("(INR monthly)", True),
        ("(check sugar weekly)", True),
        ("(INR every 3 months)", True),
        ("(repeat HbA1c after 3 months)", True),
        # more than the test is spoken of, no test, or no bracket
        ("(weight daily, after 3 days BD)", False),
        ("(INR daily weekly)", False),
        ("(INR)", False),
        ("(INR foo)", False),
        ("(INR repeat monthly)", False),
        ("(foo INR monthly)", False),
        ("(monthly)", False),
        ("(monthly INR)", False),
        ("(INR monthly", False),
        ("INR monthly)", False),
    ],
)
def test_a_test_in_brackets_and_how_often_it_is_done_are_no_part_of_the_regimen(brackets, read):
    found = words(f"Tab Metformin 500 mg BD {brackets}", len("Tab Metformin 500 mg BD"))
    assert (found == {}) is read


# -- what is said of something else ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tail", "roles"),
    [
        # a complaint without a word that makes it the reason: the days are its own
        ("TDS fever x 5 days", {"rates": "TDS", "residue": "fever", "beside": "x 5 days"}),
        ("TDS fever, cough x 5 days", {"rates": "TDS", "residue": "fever", "indications": "cough", "beside": "x 5 days"}),
        ("TDS fever and cough x 5 days", {"rates": "TDS", "residue": "fever", "indications": "cough", "beside": "x 5 days"}),
        ("TDS for fever x 5 days", {"rates": "TDS", "indications": "fever", "durations": "x 5 days"}),
        ("TDS for fever and cough x 5 days", {"rates": "TDS", "indications": "fever | cough", "durations": "x 5 days"}),
        ("TDS for pain since 3 days", {"rates": "TDS", "indications": "pain", "residue": "since", "beside": "3 days"}),
        ("SOS for fever x 5 days", {"prn": "SOS", "prn_for": "fever", "durations": "x 5 days"}),
        # what is swallowed is not given into a knee
        ("TDS for pain right knee", {"rates": "TDS", "indications": "pain", "beside": "right knee"}),
        # words of a time beside the complaint, where the order has its own
        ("OD for pain at night", {"rates": "OD", "indications": "pain", "beside": "at night"}),
        ("for fever TDS", {"indications": "fever", "rates": "TDS"}),
        ("for pain every 6 hours", {"indications": "pain", "rates": "every 6 hours"}),
        ("1 tab for pain twice daily", {"doses": "1 tab", "indications": "pain", "rates": "twice daily"}),
        ("1 tab for pain at night", {"doses": "1 tab", "indications": "pain", "whens": "at night"}),
        ("take for pain at night", {"verbs": "take", "indications": "pain", "whens": "at night"}),
        ("take for pain daily", {"verbs": "take", "indications": "pain", "rates": "daily"}),
        ("for pain twice daily x 5 days", {"indications": "pain", "rates": "twice daily", "durations": "x 5 days"}),
        ("for pain twice daily after food", {"indications": "pain", "rates": "twice daily", "whens": "after food"}),
        ("for sleep at night", {"indications": "sleep", "whens": "at night"}),
        ("SOS for pain at night", {"prn": "SOS", "prn_for": "pain", "whens": "at night"}),
        # nothing else says how often, so it may be the order's, and nobody can tell
        ("for pain daily", {"indications": "pain", "unsupported": "daily"}),
        ("for pain at night", {"indications": "pain", "unsupported": "at night"}),
        ("massage BD", {"verbs": "massage", "unsupported": "BD"}),
        ("OD, massage BD", {"rates": "OD", "verbs": "massage", "beside": "BD"}),
        ("OD, daily walk", {"rates": "OD", "inert": "walk", "beside": "daily"}),
        ("OD, daily", {"rates": "OD | daily"}),
        ("OD, exercise daily", {"rates": "OD", "inert": "exercise", "beside": "daily"}),
        ("OD, exercise on Monday", {"rates": "OD", "inert": "exercise", "beside": "on Monday"}),
        ("OD, exercise daily for 5 days", {"rates": "OD", "inert": "exercise", "beside": "daily | for 5 days"}),
        ("OD, exercise right knee", {"rates": "OD", "inert": "exercise", "beside": "right knee"}),
    ],
)
def test_a_time_or_a_place_said_of_a_complaint_or_an_advice_is_not_the_orders(tail, roles):
    assert behind(tail) == roles


@pytest.mark.parametrize(
    ("line", "roles"),
    [
        ("Gel Diclofenac apply BD for pain right knee", {"sites": "right knee", "rates": "BD", "indications": "pain"}),
        ("Inj Diclofenac 75 mg BD for pain right knee", {"sites": "right knee", "rates": "BD", "indications": "pain"}),
        ("Diclofenac 75 mg BD for pain right knee", {"beside": "right knee", "rates": "BD", "indications": "pain"}),
        ("Syp Diclofenac 5 ml BD for pain right knee", {"beside": "right knee", "rates": "BD", "indications": "pain"}),
        ("Gel Diclofenac massage BD", {"rates": "BD"}),
        ("Gel Diclofenac BD, exercise right knee", {"rates": "BD", "sites": "right knee"}),
        ("Gel Diclofenac BD, exercise daily", {"rates": "BD", "beside": "daily"}),
    ],
)
def test_what_is_applied_is_applied_at_a_place(line, roles):
    found = words(line)
    assert {kind: found.get(kind) for kind in ("sites", "beside", "rates", "indications")} == {
        kind: roles.get(kind) for kind in ("sites", "beside", "rates", "indications")
    }


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("Tab Dolo 650 mg OD + Inhaler", "Inhaler"),
        ("Tab Dolo 650 mg OD, Enema", "Enema"),
        ("Tab Dolo 650 mg OD & Gel", "Gel"),
        ("Dolo 650 mg OD + Inhaler", "Inhaler"),
        ("Tab Dolo 650 mg OD, Tablet", None),
        ("Tab Dolo 650 mg OD Inhaler", "Inhaler"),
        ("Tab Dolo 650 mg Inhaler OD", None),
        ("Dolo 650 mg + Inhaler", None),
        ("Dolo 650 mg OD, Inhaler", None),
    ],
)
def test_behind_the_order_and_a_joint_a_form_of_another_kind_is_another_order(line, other):
    """So is one at the end, behind the timing. Where the order itself has no form, only a plus behind its timing says so."""
    assert words(line).get("residue") == other


@pytest.mark.parametrize(
    ("tail", "period"),
    [
        ("6 tablets a week", True),
        ("6 tablets one week", True),
        ("6 tablets one month", True),
        ("OD per 7 days", True),
        ("OD / 1 day", True),
        ("OD / 7 days", True),
        ("OD / 15 days", True),
        ("OD / 30 days", True),
        ("OD a week", True),
        ("6 tablets x a week", False),
        ("6 tablets OD one week", False),
        ("6 tablets SOS one week", False),
        ("6 tablets at night one week", False),
        ("6 tablets 1-0-1 one week", False),
        ("6 tablets two weeks", False),
        ("6 tablets x 1 week", False),
        ("6 tablets for 1 week", False),
        ("6 ml one week", False),
        ("one week", False),
        ("6 tablets 1 day", False),
        ("OD / 5 days", False),
        ("OD / 29 days", False),
        ("OD / 7-10 days", False),
        ("/ OD / 7 days", False),
        ("/ OD / 30 days", False),
        ("OD x 7 days", False),
    ],
)
def test_how_often_and_how_long(tail, period):
    """`6 tablets a week`, `OD per 7 days` say how often; not where slashes separate the parts."""
    found = behind(tail)
    assert ("unsupported" in found, "durations" in found) == (period, not period)
    if period:
        assert [one.value for one in roles_of(LEAD + tail).unsupported] == ["a period"]


# -- amounts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "roles"),
    [
        ("Tab Dolo 650 mg 2 tab OD", {"strengths": "650 mg", "doses": "2 tab"}),
        ("Syp Paracetamol 250 mg/5 ml 5 ml TDS", {"strengths": "250 mg/5 ml", "doses": "5 ml"}),
        ("Cap Vitamin D3 60000 IU weekly", {"strengths": "60000 IU"}),
        ("Oint Mupirocin 2 % BD", {"strengths": "2 %"}),
        ("Inj Insulin Glargine 10 IU HS", {"doses": "10 IU"}),
        ("Inj Insulin Glargine 10 units HS", {"doses": "10 units"}),
        ("Inj Insulin Glargine 100 IU/ml 10 units HS", {"strengths": "100 IU/ml", "doses": "10 units"}),
        ("Inj Insulin Glargine 100 units/ml 10 units HS", {"strengths": "100 units/ml", "doses": "10 units"}),
        ("Tab Amlodipine increase by 5 mg OD", {"unsupported": "5 mg"}),
        ("Tab Dolo 650 mg 1 tab / 2 tab OD", {"strengths": "650 mg", "unsupported": "1 tab / 2 tab"}),
        ("Tab Dolo 650 mg x 3 doses", {"strengths": "650 mg", "unsupported": "3 doses"}),
        ("Tab Dolo 650 mg for 3 doses", {"strengths": "650 mg", "unsupported": "3 doses"}),
        # With a frequency it says for how long.
        ("Tab Dolo 650 mg q6h x 3 doses", {"strengths": "650 mg"}),
        ("Tab Dolo 650 mg q6h for 3 doses", {"strengths": "650 mg"}),
        ("Inhaler Budesonide 200 mcg 2 doses BD", {"strengths": "200 mcg", "doses": "2 doses"}),
        ("Sachet ORS 1 sachet in 1 litre water", {"doses": "1 sachet", "unsupported": "1 litre"}),
        ("Sachet ORS 1 sachet into 200 ml water", {"doses": "1 sachet", "unsupported": "200 ml"}),
        # how many are dispensed
        ("Tab Dolo 650 mg OD Qty: 30 tabs", {"strengths": "650 mg", "quantities": "30 tabs"}),
        ("Tab Dolo 650 mg OD Qty: 4 tabs", {"strengths": "650 mg", "quantities": "4 tabs"}),
        ("Tab Dolo 650 mg OD x 5 tabs", {"strengths": "650 mg", "quantities": "5 tabs"}),
        ("Tab Dolo 650 mg 2 tab x 5 tabs", {"strengths": "650 mg", "doses": "2 tab", "quantities": "5 tabs"}),
        ("Tab Dolo 650 mg 1-0-1 x 5 tabs", {"strengths": "650 mg", "quantities": "5 tabs"}),
        ("Tab Dolo 650 mg OD x 10/5 tabs", {"strengths": "650 mg", "doses": "10/5 tabs"}),
        ("Tab Dolo 650 mg x 5 tabs", {"strengths": "650 mg", "doses": "5 tabs"}),
        ("Tab Dolo 650 mg x 9 tabs", {"strengths": "650 mg", "doses": "9 tabs"}),
        ("Tab Dolo 650 mg x 10 tabs", {"strengths": "650 mg", "quantities": "10 tabs"}),
        ("Tab Dolo 650 mg 10 tabs", {"strengths": "650 mg", "doses": "10 tabs"}),
        ("Tab Dolo 650 mg OD 9 tabs", {"strengths": "650 mg", "doses": "9 tabs"}),
        ("Tab Dolo 650 mg OD 10 tabs", {"strengths": "650 mg", "quantities": "10 tabs"}),
        ("Tab Dolo 650 mg SOS 10 tabs", {"strengths": "650 mg", "quantities": "10 tabs"}),
        ("Tab Dolo 650 mg 1-0-1 10 tabs", {"strengths": "650 mg", "quantities": "10 tabs"}),
        ("Tab Dolo 650 mg 1 tab 10 tabs", {"strengths": "650 mg", "doses": "1 tab", "quantities": "10 tabs"}),
        ("Tab Dolo 650 mg x 5 days 10 tabs", {"strengths": "650 mg", "quantities": "10 tabs"}),
    ],
)
def test_a_number_has_the_role_its_unit_and_its_place_give_it(line, roles):
    """A strength has a mass, IU, % or mEq unit next to the name; a dose a countable or volume unit; ten pieces and more are a pack."""
    found = words(line)
    assert {kind: found[kind] for kind in ("strengths", "doses", "quantities", "unsupported") if kind in found} == roles


@pytest.mark.parametrize(
    ("tail", "kind", "value"),
    [
        ("OD Qty: 30 tabs", "quantities", (30, None, "{tbl}")),
        ("OD x 5 tabs", "quantities", (5, None, "{tbl}")),
        ("x 10 tabs", "quantities", (10, None, "{tbl}")),
        ("OD 10 tabs", "quantities", (10, None, "{tbl}")),
        ("OD Qty: 30", "quantities", (30, None, None)),
        ("OD Qty - 30", "quantities", (30, None, None)),
        ("OD #30", "quantities", (30, None, None)),
        ("OD tabs: 20", "quantities", (20, None, "{tbl}")),
        ("OD tabs 20", "quantities", (20, None, "{tbl}")),
        ("OD total 10 tabs", "quantities", (10, None, "{tbl}")),
        ("OD Refills: 2", "refills", (2, None, None)),
        ("OD tabs 2", "doses", many(2, unit="{tbl}")),
        ("OD tabs: 2", "doses", many(2, unit="{tbl}")),
        ("BD x 5 days (2 tabs)", "doses", many(2, unit="{tbl}")),
        ("1-0-1 tab", "doses", many(1, unit="{tbl}")),
        ("½-0-½ tab", "doses", many("1/2", unit="{tbl}")),
    ],
)
def test_a_count_with_its_unit(tail, kind, value):
    assert values(LEAD + tail, kind) == [value]


@pytest.mark.parametrize(
    ("tail", "roles"),
    [
        ("OD # 30", {"rates": "OD", "residue": "#", "numbers": "30"}),
        ("OD #", {"rates": "OD", "residue": "#"}),
        ("OD Qty: 30-60", {"rates": "OD", "labels": "Qty", "ambiguous": "30-60"}),
        ("OD 30", {"rates": "OD", "numbers": "30"}),
        # unequal pieces are no one dose
        ("1-0-2 tab", {"slots": "1-0-2 tab"}),
        ("1-0-1", {"slots": "1-0-1"}),
    ],
)
def test_a_number_without_a_label_or_a_unit_is_not_guessed(tail, roles):
    assert behind(tail) == roles


@pytest.mark.parametrize(
    ("line", "pack"),
    [
        ("Syp Paracetamol 5 ml TDS total 100 ml", True),
        ("Syp Paracetamol 5 ml TDS total 30 ml", True),
        ("Syp Paracetamol 5 ml TDS total 29 ml", False),
        ("Cream Mupirocin apply BD total 15 g", True),
        ("Tab Metformin total 2 g OD", False),
        ("Tab Prednisolone 10 mg total 40 mg OD", False),
        ("Cream Mupirocin apply BD total 40 mg", False),
    ],
)
def test_a_total_is_a_pack_or_is_not_read(line, pack):
    """`total 40 mg`: what a dose or a day comes to, which is no strength and no pack; `total 100 ml` is a pack."""
    found = words(line)
    assert ("quantities" in found, "unsupported" in found) == (pack, not pack)


@pytest.mark.parametrize(
    ("tail", "role"),
    [
        # the total of the course is a pack
        ("BD x 5 days (10 tabs)", "quantities"),
        ("2 tabs OD x 2 days (4 tabs)", "quantities"),
        ("OD x 1 month (28 tabs)", "quantities"),
        ("OD x 1 month (31 tabs)", "quantities"),
        ("OD x 4 days (4 tabs)", "quantities"),
        ("weekly x 4 weeks (4 tabs)", "quantities"),
        # a few pieces are a dose
        ("BD x 5 days (2 tabs)", "doses"),
        ("BD x 5 days (4 tabs)", "doses"),
        ("BD x 5 days (5 tabs)", "quantities"),
        ("BD x 5 days (9 tabs)", "quantities"),
        # what a timing follows is a dose, up to ten
        ("x 5 days tabs 6 BD", "doses"),
        ("x 5 days tabs 9 BD", "doses"),
        ("x 5 days tabs 11 BD", "quantities"),
        # once a week or so a handful is taken at a time
        ("weekly x 4 weeks (6 tabs)", "unsupported"),
        ("weekly x 4 weeks (12 tabs)", "unsupported"),
        ("weekly x 4 weeks (13 tabs)", "quantities"),
    ],
)
def test_pieces_are_a_dose_or_a_pack(tail, role):
    roles = roles_of(LEAD + tail)
    [counted] = roles.counted
    assert [kind for kind in ("quantities", "doses", "unsupported") if counted.chunk in [one.chunk for one in getattr(roles, kind)]] == [
        role
    ]


@pytest.mark.parametrize(
    ("tail", "low", "top"),
    [
        ("1 tab TDS x 5 days", 15, 15),
        ("2 tab BD x 1 week", 28, 28),
        ("OD x 1 month", 28, 31),
        ("2 tab BD x 2 months", 224, 248),
        ("1-0-2 x 5 days", 15, 15),
        ("½-0-½ x 10 days", 10, 10),
        ("2 tab weekly x 4 weeks", 8, 8),
        ("1 tab alternate day x 10 days", 5, 5),
        ("2 tab morning and night x 5 days", 20, 20),
        # one of them is not stated, or has no number of times a day
        ("1 tab TDS", 0, 0),
        ("1 tab x 5 days", 0, 0),
        ("SOS x 5 days", 0, 0),
        ("1 tab every 6 hours x 5 days", 0, 0),
        ("1 tab every 2-3 days x 10 days", 0, 0),
        ("1 tab every 6 hours at night x 5 days", 0, 0),
        ("1 tab monthly x 6 months", 0, 0),
        ("1 tab OD x 1 year", 0, 0),
    ],
)
def test_the_pieces_of_a_course(tail, low, top):
    """Dose x times x days, a month being 28 to 31."""
    assert course_total(roles_of(LEAD + tail)) == (low, top)


@pytest.mark.parametrize(
    ("tail", "dose"),
    [
        ("take ONE three times a day", 1),
        ("take 1 TDS", 1),
        ("take 10 TDS", 10),
        ("- ONE TDS", 1),
        (", ONE TDS", 1),
        ("Sig: 1 TDS", 1),
        ("1 to be taken TDS", 1),
        ("take two at night", 2),
        ("take one SOS", 1),
        ("take one orally", 1),
        ("take 11 TDS", None),
        ("take 0 TDS", None),
        (", 1 TDS", 1),
        ("1 TDS", 1),
        ("ONE TDS", None),
        ("take ONE", None),
        ("take 1 for fever", None),
        ("Strength: 1 TDS", None),
        ("1-0-1 take ONE TDS", None),
    ],
)
def test_a_count_whose_piece_is_the_form_written_before_it(tail, dose):
    """A number needs `take`, `Sig:` or `to be taken` beside it; a number word may also stand behind a dash or comma."""
    line = f"Amoxicillin 500mg capsules {tail}"
    assert values(line, "doses") == ([] if dose is None else [many(dose, unit="{capsule}")])


@pytest.mark.parametrize(
    "line", ["Amoxicillin 500mg take ONE TDS", "Tab Amoxicillin 500mg capsules take ONE TDS", "Syp Diclofenac take ONE TDS"]
)
def test_a_count_of_no_piece_or_of_two_is_none(line):
    assert values(line, "doses") == []


def under(columns: tuple[str, ...], line: str) -> dict[str, str]:
    """Role -> the words behind `Tab Dolo 650 mg` that have it, in a row of a table with these columns."""
    chunks = RULEPACK.chunker.chunks(split_glued(lex(fold(LEAD + line)), RULEPACK.lexicon, RULEPACK.bundle.names))
    roles = READER.read(chunks, 1, lambda chunk: fold(LEAD + line).text[chunk.start : chunk.end], columns)
    found = {kind: [(LEAD + line)[one.chunk.start : one.chunk.end] for one in getattr(roles, kind)] for kind in KINDS}
    return {kind: " | ".join(said) for kind, said in found.items() if said and kind in ("slots", "durations", "quantities", "numbers")}


@pytest.mark.parametrize(
    ("columns", "row", "roles"),
    [
        (("duration_days",), "TDS 5", {"durations": "5"}),
        (("name", "duration_days", "quantity"), "TDS 5 15", {"durations": "5", "quantities": "15"}),
        (("duration_days",), "1-0-1 5", {"slots": "1-0-1", "durations": "5"}),
        (("duration_days",), "SOS 5", {"durations": "5"}),
        (("duration_days",), "at night 5", {"durations": "5"}),
        (("duration_days",), "stat 5", {"durations": "5"}),
        # a number too many or too few: whose it is nobody can tell
        (("duration_days",), "TDS 5 15", {"numbers": "5 | 15"}),
        (("duration_days", "quantity"), "TDS 15", {"numbers": "15"}),
        (("quantity",), "TDS 15", {"numbers": "15"}),
        (("quantity", "duration_days"), "TDS 15 5", {"numbers": "15 | 5"}),
        ((), "TDS 5", {"numbers": "5"}),
        # before the timing it is another column's, and beside a duration it is no second one
        (("duration_days",), "5 TDS", {"numbers": "5"}),
        (("duration_days",), "2 TDS 5", {"durations": "5", "numbers": "2"}),
        (("duration_days",), "TDS x 3 days 5", {"durations": "x 3 days", "numbers": "5"}),
        (("duration_days",), "5", {"numbers": "5"}),
    ],
)
def test_a_bare_number_under_the_heading_of_a_column(columns, row, roles):
    assert under(columns, row) == roles


DAY = ("name", "slot_morning", "slot_noon", "slot_night", "duration_days")


@pytest.mark.parametrize(
    ("row", "roles"),
    [
        ("| 1 | 0 | 1 | 5", {"slots": "1 | 0 | 1", "durations": "5"}),
        ("| 0 | 0 | 10 | 5", {"slots": "0 | 0 | 10", "durations": "5"}),
        ("1 0 1 5", {"slots": "1 0 1", "durations": "5"}),
        # beside any other time of giving, or above what is given at once, they are numbers
        *((f"{timed} | 1 | 0 | 1 | 5", {"numbers": "1 | 0 | 1 | 5"}) for timed in ("SOS", "stat", "BD", "x 3 days", "Monday", "night")),
        ("| 11 | 0 | 1 | 5", {"numbers": "11 | 0 | 1 | 5"}),
        ("| 1 | 0 | 20 | 5", {"numbers": "1 | 0 | 20 | 5"}),
        # a column too few or too many
        ("| 1 | 0 | 1", {"numbers": "1 | 0 | 1"}),
        ("| 1 | 0 | 1 | 5 | 7", {"numbers": "1 | 0 | 1 | 5 | 7"}),
    ],
)
def test_numbers_under_the_times_of_day(row, roles):
    found = under(DAY, row)
    found.pop("durations", None) if "x 3 days" in row else None
    assert found == roles


# -- when --------------------------------------------------------------------------------------------------------------


def per_day(low: int, high: int) -> Rate:
    return Rate(Fraction(low), Fraction(high), Fraction(1), Fraction(1), "d")


@pytest.mark.parametrize(
    ("tail", "rates"),
    [
        ("BD", [per_day(2, 2)]),
        ("BD-TDS", [per_day(2, 3)]),
        ("BD/TDS", [per_day(2, 3)]),
        ("BD to TDS", [per_day(2, 3)]),
        ("TDS-BD", [per_day(3, 3), per_day(2, 2)]),
        ("BD-BD", [per_day(2, 2), per_day(2, 2)]),
        ("BD, TDS", [per_day(2, 2), per_day(3, 3)]),
        ("OD - weekly", [per_day(1, 1), per_day(1, 1)._replace(unit="wk")]),
        ("every Monday", [per_day(1, 1)._replace(unit="wk")]),
        ("on Monday", []),
    ],
)
def test_a_range_of_frequencies_or_several(tail, rates):
    assert values(LEAD + tail, "rates") == rates


def test_a_range_of_frequencies_is_all_of_its_words():
    assert behind("BD-TDS x 5 days") == {"rates": "BD-TDS", "durations": "x 5 days"}


@pytest.mark.parametrize(
    ("line", "roles"),
    [
        ("Eye drops Moxifloxacin 1 drop OD", {"ambiguous": "OD"}),
        ("Eye drops Moxifloxacin 1 drop OD TDS", {"sites": "OD", "rates": "TDS"}),
        ("Eye drops Moxifloxacin OD 1-1-1", {"sites": "OD", "slots": "1-1-1"}),
        ("Moxifloxacin 1 drop OD", {"ambiguous": "OD"}),
        ("Eye drops Moxifloxacin 1 drop TDS BE", {"sites": "BE", "rates": "TDS"}),
        ("Eye drops Moxifloxacin 1 drop TDS RE", {"sites": "RE", "rates": "TDS"}),
        ("Eye drops Moxifloxacin 1 drop OS TDS", {"ambiguous": "OS", "rates": "TDS"}),
        ("Tab Dolo 650 mg OD", {"rates": "OD"}),
        ("Tab Dolo 650 mg RE TDS", {"rates": "TDS"}),
        ("Tab Dolo 650 mg OS", {"ambiguous": "OS"}),
        ("Eye drops Moxifloxacin 1 drop into the right eye TDS", {"sites": "right eye", "rates": "TDS"}),
        ("Eye drops Moxifloxacin 1 drop into TDS", {"residue": "into", "rates": "TDS"}),
    ],
)
def test_od_beside_an_eye_form_is_the_right_eye_if_another_frequency_is_written(line, roles):
    found = words(line)
    assert {kind: said for kind, said in found.items() if kind in ("ambiguous", "sites", "rates", "slots", "residue")} == roles


@pytest.mark.parametrize(
    ("line", "kind", "reading"),
    [
        ("Eye drops Moxifloxacin 1 drop OD", "ambiguous", ("rate", (per_day(1, 1),))),
        ("Eye drops Moxifloxacin 1 drop OD TDS", "sites", "right eye"),
        ("Eye drops Moxifloxacin 1 drop OS TDS", "ambiguous", ("site", ("left eye",))),
        ("Tab Dolo 650 mg OS", "ambiguous", ("rate", ())),
    ],
)
def test_of_what_kind_the_doubt_is(line, kind, reading):
    """`OS` is the left eye or nothing that is known; `OD` of an eye may be a rate."""
    assert values(line, kind) == [reading]


@pytest.mark.parametrize(
    ("tail", "roles"),
    [
        ("SOS for fever", {"prn": "SOS", "prn_for": "fever"}),
        ("SOS for fever or pain", {"prn": "SOS", "prn_for": "fever | pain"}),
        ("SOS for fever > 100 F", {"prn": "SOS", "prn_for": "fever", "limits": "100"}),
        ("SOS if temp > 100 F", {"prn": "SOS | if", "limits": "100"}),
        ("TDS if fever", {"rates": "TDS", "prn": "if", "prn_for": "fever"}),
        ("TDS if BP above 150", {"rates": "TDS", "prn": "if", "prn_for": "BP", "limits": "150"}),
        ("TDS if required", {"rates": "TDS", "prn": "if required"}),
        ("SOS for fever x 5 days", {"prn": "SOS", "prn_for": "fever", "durations": "x 5 days"}),
        # a number that no measurement is before, or a reason that is none
        ("SOS 100", {"prn": "SOS", "numbers": "100"}),
        ("SOS for fever 100", {"prn": "SOS", "prn_for": "fever", "numbers": "100"}),
        ("SOS for fever above 100", {"prn": "SOS", "prn_for": "fever", "limits": "100"}),
        ("SOS for 5 days", {"prn": "SOS", "durations": "for 5 days"}),
        ("TDS if tomorrow", {"rates": "TDS", "unsupported": "if", "residue": "tomorrow"}),
        # a condition of the end
        ("OD stop if rash", {"rates": "OD", "cues": "stop", "prn_for": "rash", "unsupported": "if"}),
        ("OD hold if HR < 60", {"rates": "OD", "cues": "hold", "unsupported": "if", "residue": "HR | <", "numbers": "60"}),
    ],
)
def test_as_needed_and_its_reason(tail, roles):
    """A condition that is not read, or one of the end, is held: nobody can say what it makes of the order."""
    assert behind(tail) == roles


@pytest.mark.parametrize(
    ("tail", "roles"),
    [
        ("OD x 30 days, continue", {"rates": "OD", "durations": "x 30 days", "cues": "continue", "open_durations": "continue"}),
        ("OD x 30 days and continue", {"rates": "OD", "durations": "x 30 days", "open_durations": "and continue"}),
        ("OD x 30 days continue", {"rates": "OD", "durations": "x 30 days", "cues": "continue"}),
        ("OD, continue", {"rates": "OD", "cues": "continue"}),
        ("OD to continue", {"rates": "OD", "open_durations": "to continue"}),
        ("OD regularly", {"rates": "OD", "inert": "regularly"}),
        ("OD 1 month: 30", {"rates": "OD", "residue": "1 month", "numbers": "30"}),
        ("OD 5 days: 30", {"rates": "OD", "residue": "5 days", "numbers": "30"}),
        ("OD 1 month 30", {"rates": "OD", "residue": "1 month", "numbers": "30"}),
        ("OD 5 days 30", {"rates": "OD", "durations": "5 days", "numbers": "30"}),
        ("OD 5 days: daily", {"rates": "OD | daily", "durations": "5 days"}),
    ],
)
def test_how_long(tail, roles):
    """An end and an open end; and the unit that is the label of the next number (`Night: 0  Days: 30`) is no duration."""
    assert behind(tail) == roles


@pytest.mark.parametrize(
    ("line", "timed"),
    [
        (
            "Inj Insulin Aspart 16 units before breakfast, 10 units before dinner",
            [(many(16, unit="{unit}"), ("ACM",)), (many(10, unit="{unit}"), ("ACV",))],
        ),
        (
            "Tab Metformin 500 mg 1 tab in the morning and at noon, 2 tabs at night",
            [(many(1, unit="{tbl}"), ("MORN", "NOON")), (many(2, unit="{tbl}"), ("NIGHT",))],
        ),
        ("Tab Metformin 500 mg 1 tab in the morning", []),
    ],
)
def test_a_time_belongs_to_the_dose_before_it(line, timed):
    assert [(role.value, codes) for role, codes in roles_of(line).doses_timed] == timed


# -- what is left ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tail", "roles"),
    [
        ("OD fever", {"rates": "OD", "residue": "fever"}),
        ("OD (fever)", {"rates": "OD", "indications": "fever"}),
        ("OD for fever, pain", {"rates": "OD", "indications": "fever | pain"}),
        ("OD for AF", {"rates": "OD", "indications": "AF"}),
        ("OD AF", {"rates": "OD", "ambiguous": "AF"}),
        ("OD bukhar ke liye", {"rates": "OD", "indications": "bukhar"}),
        ("OD for", {"rates": "OD"}),
        ("OD due to", {"rates": "OD", "residue": "due to"}),
        ("OD foo", {"rates": "OD", "residue": "foo"}),
        ("OD x", {"rates": "OD", "residue": "x"}),
        ("OD x foo", {"rates": "OD", "residue": "x | foo"}),
        ("OD it", {"rates": "OD", "residue": "it"}),
        ("OD, take it after food", {"rates": "OD", "verbs": "take", "whens": "after food"}),
        ("OD * x 5 days", {"rates": "OD", "residue": "*", "durations": "x 5 days"}),
        ("OD, - (5 days)", {"rates": "OD", "durations": "5 days"}),
        ("OD with water", {"rates": "OD", "inert": "with water"}),
        ("OD please", {"rates": "OD"}),
        ("OD 4O mg", {"rates": "OD", "unreadable": "4O mg"}),
        ("OD 2 .5 mg", {"rates": "OD", "unreadable": "2 .5 mg"}),
        ("1-0", {"ambiguous": "1-0"}),
        ("OD 12/03/2024", {"rates": "OD", "residue": "12/03/2024"}),
        ("OD strength: 5", {"rates": "OD", "labels": "strength", "numbers": "5"}),
        ("OD dosage", {"rates": "OD", "residue": "dosage"}),
        ("stat and BD", {"stat": "stat", "rates": "BD"}),
        ("as directed", {"as_directed": "as directed"}),
        ("BD max 4 tab/day", {"rates": "BD", "maxima": "max 4 tab/day"}),
        ("OD next", {"rates": "OD", "unsupported": "next"}),
    ],
)
def test_what_gets_no_role_stays_visible(tail, roles):
    """P21. Glue, polite words and the pharmacopoeia carry nothing; every other word is residue, or unreadable, or ambiguous."""
    assert behind(tail) == roles


@pytest.mark.parametrize(
    ("line", "roles"),
    [
        ("Cream Clotrimazole apply LA BD", {"routes": "LA"}),
        ("Tab Clotrimazole 100 mg BD LA", {"ambiguous": "LA"}),
        ("Inj Ceftriaxone 1 g IV BD", {"routes": "IV"}),
        ("Inj Ceftriaxone 1 g in BD", {"ambiguous": "in"}),
    ],
)
def test_a_word_that_is_a_route_only_in_its_place(line, roles):
    """`cream LA` is local application: nothing for the skin is long acting."""
    found = words(line)
    assert {kind: found[kind] for kind in ("routes", "ambiguous", "releases", "residue") if kind in found} == roles


# -- a value of the payload, which has no name -------------------------------------------------------------------------


def said(value: str) -> dict[str, str]:
    """Role -> the words of a payload value that have it."""
    chunks = RULEPACK.chunker.chunks(split_glued(lex(fold(value)), RULEPACK.lexicon, RULEPACK.bundle.names))
    roles = READER.read(chunks, None, lambda chunk: fold(value).text[chunk.start : chunk.end])
    assert roles.name is None
    found = {kind: [value[one.chunk.start : one.chunk.end] for one in getattr(roles, kind)] for kind in KINDS}
    return {kind: " | ".join(words) for kind, words in found.items() if words}


@pytest.mark.parametrize(
    ("value", "roles"),
    [
        ("650 mg", {"strengths": "650 mg"}),
        ("10 IU", {"strengths": "10 IU"}),
        ("1 tab (650 mg)", {"doses": "1 tab", "strengths": "650 mg"}),
        ("OD (after food)", {"rates": "OD", "whens": "after food"}),
        ("1-0-1", {"slots": "1-0-1"}),
        ("BD-TDS", {"rates": "BD-TDS"}),
        ("5 days", {"durations": "5 days"}),
        ("a week", {"durations": "a week"}),
        ("fever x 5 days", {"residue": "fever", "durations": "x 5 days"}),
        ("for pain at night", {"indications": "pain", "whens": "at night"}),
        ("for pain right knee", {"indications": "pain", "sites": "right knee"}),
        ("SOS for fever", {"prn": "SOS", "prn_for": "fever"}),
        ("if fever", {"prn": "if", "prn_for": "fever"}),
        ("OD + inhaler", {"rates": "OD", "forms": "inhaler"}),
        ("capsule one TDS", {"forms": "capsule", "residue": "one", "rates": "TDS"}),
        ("40", {"numbers": "40"}),
        ("Telma", {"residue": "Telma"}),
        ("(Telmisartan 40 mg)", {}),
        ("foo", {"residue": "foo"}),
    ],
)
def test_a_value_of_the_payload_is_read_by_the_same_reader(value, roles):
    """Nothing in it is said of something else, since nothing else is there."""
    assert said(value) == roles


@pytest.mark.parametrize("joint", ["x", "for"])
def test_a_number_of_doses_with_a_frequency_is_for_how_long(joint):
    assert [(low, unit) for low, _, unit in values(f"Tab Dolo 650 mg q6h {joint} 3 doses", "durations")] == [(3, "dose")]
