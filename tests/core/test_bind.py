"""Who owns what: each rule of `bind` by itself, where the report of a whole page has other reasons to come out the same."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from medfence_guard import Extraction, Rulepack, SourceDocument
from medfence_guard.artifacts import ARTIFACT_TYPES
from medfence_guard.bind import ALIAS, BRAND_OF, EXACT, GENERIC_OF, PART, STEM, Binding, bind, stem_of
from medfence_guard.payload import read_payload
from medfence_guard.reader.roles.names import NameReader
from medfence_guard.reader.roles.reader import RoleReader
from medfence_guard.reader.source import read_source
from medfence_guard.verify import _item_reading, _read_claims

RULEPACK = Rulepack.default()
NAMES = NameReader(RULEPACK.lexicon, RULEPACK.bundle.names.get)
ROLES = RoleReader(RULEPACK.lexicon, RULEPACK.bundle.insulins, NAMES)
PLENTY = 1000


def bound(source: str, items: list[dict[str, Any]], budget: int = PLENTY) -> Binding:
    document = SourceDocument(source)
    names, limit = RULEPACK.bundle.names, RULEPACK.thresholds.source_tokens
    reading = read_source(document, RULEPACK.chunker, RULEPACK.lexicon, ROLES, names, RULEPACK.misread, limit)
    assert reading is not None
    payload = read_payload(Extraction("prescription", {"medications": items}), ARTIFACT_TYPES["prescription"], RULEPACK)
    claims = _read_claims(payload, RULEPACK, ROLES)
    return bind([_item_reading(item, claims) for item in payload.items], reading.statements, budget)


def owners(binding: Binding) -> dict[int, int]:
    """Item -> number of its statement."""
    return {item: statement.index for item, statement in binding.owner.items()}


@pytest.mark.parametrize(
    ("line", "claimed", "how"),
    [
        ("Tab Dolo 650 mg OD", "Dolo", EXACT),
        ("Tab Unheardofine 5 mg OD", "Unheardofine", EXACT),
        ("Tab Paracetamol 500 mg OD", "Acetaminophen", ALIAS),
        ("Tab Dolo 650 mg OD", "Paracetamol", BRAND_OF),
        ("Tab Paracetamol 650 mg OD", "Dolo", GENERIC_OF),
        ("Tab Telma AM 40/5 mg OD", "Telmisartan", PART),
        ("Tab Telma AM 40/5 mg OD", "Amlodipine", PART),
        ("Tab Telma AM 40/5 mg OD", "Telma H", STEM),
        ("Tab Dolo 650 mg OD", "Metformin", 0),
        ("Tab Dolo 650 mg OD", "Calpol", 0),
        ("Tab Telma AM 40/5 mg OD", "Metformin", 0),
        ("Tab Telmisartan 40 mg OD", "Telmisartan + Amlodipine", STEM),
        ("Tab Zzbrand (Paracetamol 325 mg + Tramadol 37.5 mg) OD", "Tramadol + Paracetamol", BRAND_OF),
        ("Tab Zzbrand (Paracetamol 325 mg + Tramadol 37.5 mg) OD", "Paracetamol", 0),
        ("Tab Zzbrand (Paracetamol 650 mg) OD", "Paracetamol", BRAND_OF),
        ("Tab Zzbrand (Paracetamol 650 mg) OD", "Dolo", 0),
        ("Tab Zzbrand (Tramadol 50 mg) OD", "Paracetamol", 0),
        ("Candid lotion", "Clotrimazole", BRAND_OF),
    ],
)
def test_how_two_names_relate(line, claimed, how):
    assert bound(line, [{"name": claimed}]).relation.get(0, 0) == how


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [
        ("strength", "5 mg", "10 mg"),
        ("frequency", "OD", "BD"),
        ("frequency", "1-0-0", "0-0-1"),
        ("frequency", "on Monday", "on Tuesday"),
        ("duration", "5 days", "7 days"),
        ("dose", "1 tab", "2 tab"),
        ("timing", "before food", "after food"),
        ("form", "tablet", "capsule"),
    ],
)
def test_what_an_item_says_decides_between_two_statements_of_its_name(key, one, other):
    """In both orders of the items and of the statements, so that neither order decides."""
    for lines, items in itertools.product(itertools.permutations((one, other)), repeat=2):
        binding = bound("\n".join(f"Amlodipine {said}" for said in lines), [{"name": "Amlodipine", key: said} for said in items])
        assert owners(binding) == {item: lines.index(said) for item, said in enumerate(items)}


@pytest.mark.parametrize(
    ("heavier", "lighter"),
    [
        ({"strength": "5 mg"}, {"frequency": "BD"}),
        ({"strength": "5 mg"}, {"frequency": "0-0-1"}),
        ({"strength": "5 mg"}, {"duration": "7 days", "form": "capsule"}),
        ({"frequency": "OD"}, {"duration": "7 days"}),
        ({"frequency": "1-0-0"}, {"duration": "7 days"}),
        ({"duration": "5 days"}, {"form": "capsule"}),
        ({"frequency": "on Monday"}, {"form": "capsule"}),
        ({"duration": "5 days", "frequency": "OD"}, {"strength": "10 mg"}),
    ],
)
def test_a_strength_weighs_more_than_a_timing_and_that_more_than_the_rest(heavier, lighter):
    light, heavy = (" ".join(("Amlodipine", *said.values())) for said in (lighter, heavier))
    item = {"name": "Amlodipine", **heavier, **lighter}
    assert owners(bound(f"{light}\n{heavy}", [item])) == {0: 1}
    assert owners(bound(f"{heavy}\n{light}", [item])) == {0: 0}


@pytest.mark.parametrize("items", [("5 mg", "10 mg"), ("10 mg", "5 mg")])
def test_of_two_items_the_one_that_agrees_owns_the_only_statement(items):
    binding = bound("Tab Amlodipine 5 mg OD", [{"name": "Amlodipine", "strength": said} for said in items])
    assert owners(binding) == {items.index("5 mg"): 0}


ORDER, STOPPED = "Tab Amlodipine 5 mg OD", "Tab Amlodipine 5 mg OD stopped"
CLAIM = {"name": "Amlodipine", "strength": "5 mg", "frequency": "OD"}


@pytest.mark.parametrize("status", ["", "stopped"])
@pytest.mark.parametrize("lines", [(ORDER, STOPPED), (STOPPED, ORDER)])
def test_a_stopped_item_prefers_the_stopped_statement_and_an_active_one_the_order(status, lines):
    wanted = STOPPED if status else ORDER
    assert owners(bound("\n".join(lines), [{**CLAIM, "status": status}])) == {0: lines.index(wanted)}


def test_a_bare_mention_yields_to_the_statement_that_says_something():
    assert owners(bound("Amlodipine\nTab Amlodipine 5 mg OD", [{"name": "Amlodipine"}])) == {0: 1}
    assert owners(bound("Tab Amlodipine 5 mg OD\nAmlodipine", [{"name": "Amlodipine"}])) == {0: 0}


@pytest.mark.parametrize("mention", ["Amlodipine 5 mg OD may be useful", "Discussed Amlodipine 5 mg OD"])
def test_only_a_bare_name_yields_whatever_the_statement_says_of_itself(mention):
    """What is doubted or only discussed is weighed by what it says; a bare name that is ordered still says nothing."""
    said = {"name": "Amlodipine", "strength": "5 mg", "frequency": "OD"}
    assert owners(bound(f"{mention}\nTab Amlodipine 10 mg BD", [said])) == {0: 0}
    assert owners(bound(f"Take Amlodipine\n{mention}", [{"name": "Amlodipine"}])) == {0: 1}


def test_the_same_name_goes_before_another_of_the_same_substance():
    source = "Tab Paracetamol 650 mg OD\nTab Acetaminophen 500 mg BD"
    assert owners(bound(source, [{"name": "Acetaminophen", "strength": "650 mg", "frequency": "OD"}])) == {0: 1}
    assert owners(bound(source, [{"name": "Paracetamol", "strength": "500 mg", "frequency": "BD"}])) == {0: 0}


def test_a_closer_name_goes_before_what_the_two_say():
    """`Dolo` is the Dolo of the page, whatever stands beside the paracetamol."""
    source = "Tab Paracetamol 650 mg OD\nTab Dolo 650 mg BD"
    items = [{"name": "Dolo", "frequency": "OD"}, {"name": "Paracetamol", "frequency": "BD"}]
    assert owners(bound(source, items)) == {0: 1, 1: 0}


def test_alike_statements_go_by_their_order():
    source = "\n".join(["Tab Amlodipine 5 mg OD"] * 3)
    assert owners(bound(source, [CLAIM] * 3)) == {0: 0, 1: 1, 2: 2}
    assert owners(bound(source, [{"name": "Metformin"}, {"name": "Metformin"}, CLAIM])) == {2: 2}
    between = "Tab Dolo 650 mg OD\nTab Amlodipine 5 mg OD\nTab Telma 40 mg OD\nTab Amlodipine 5 mg OD"
    assert owners(bound(between, [{"name": "Dolo"}, {"name": "Telma"}, CLAIM])) == {0: 0, 1: 2, 2: 1}


def test_a_second_item_of_one_statement_is_a_duplicate_unless_only_its_stem_is_known():
    binding = bound("Tab Amlodipine 5 mg OD", [CLAIM, CLAIM])
    assert owners(binding) == {0: 0}
    assert {item: statement.index for item, statement in binding.duplicates.items()} == {1: 0}
    source = "Tab Telma AM 40/5 mg OD"
    assert not bound(source, [{"name": "Telma AM"}, {"name": "Telma H"}]).duplicates
    assert bound(source, [{"name": "Telma AM"}, {"name": "Telma AM"}]).duplicates.keys() == {1}
    brand = bound("Tab Paracetamol 650 mg OD", [{"name": "Paracetamol"}, {"name": "Dolo"}])
    assert brand.duplicates.keys() == {1}


def test_the_parts_of_a_split_combination_share_their_statement_and_nobody_else_does():
    source = "Tab Telma AM 40/5 mg OD"
    parts = [{"name": "Telmisartan"}, {"name": "Amlodipine"}]
    binding = bound(source, parts)
    assert owners(binding) == {0: 0, 1: 0}
    assert binding.items_of == {0: [0, 1]}
    for items in itertools.permutations([{"name": "Telma AM"}, *parts]):
        binding = bound(source, list(items))
        assert {items[item]["name"] for item in binding.owner} == {"Telma AM"}
    assert bound(source, [{"name": "Telmisartan"}, {"name": "Telma H"}]).owner.keys() == {0}


def test_an_item_that_names_two_statements_at_once_is_merged():
    source = "Tab Paracetamol 650 mg OD\nTab Ibuprofen 400 mg OD"
    one, two, both = {"name": "Paracetamol"}, {"name": "Ibuprofen"}, {"name": "Paracetamol + Ibuprofen"}
    binding = bound(source, [one, two, both])
    assert {item: [statement.index for statement in found] for item, found in binding.merged.items()} == {2: [0, 1]}
    assert not bound(source, [one, two, {"name": "Metformin"}]).merged
    assert not bound("Tab Paracetamol 650 mg OD\nTab Paracetamol 500 mg BD", [one] * 3).merged
    assert not bound("Tab Paracetamol 650 mg OD", [one, both]).merged
    assert not bound(source, [both]).merged  # it owns one of them by its stem


def test_beyond_the_budget_nothing_is_bound():
    source = "Tab Amlodipine 5 mg OD\nTab Amlodipine 10 mg OD"
    items = [{"name": "Amlodipine"}] * 2  # four pairs
    assert not bound(source, items, budget=4).over_budget
    assert owners(bound(source, items, budget=4)) == {0: 0, 1: 1}
    refused = bound(source, items, budget=3)
    assert refused.over_budget
    assert not refused.owner
    two_names = [{"name": "Amlodipine"}, {"name": "Metformin"}]  # two pairs
    assert not bound("Tab Amlodipine 5 mg OD\nTab Metformin 500 mg OD", two_names, budget=2).over_budget


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Telma AM", "telma"),
        ("Pan D", "pan"),
        ("Dolo 650", "dolo"),
        ("Telma + Dolo", "telma"),
        ("Dolo + Telma", "dolo"),
        ("Metformin", "metformin"),
    ],
)
def test_a_stem_is_the_first_alphabetic_part_of_a_name(name, stem):
    [statement] = bound(f"Tab {name} OD", [{"name": name}]).owner.values()
    assert stem_of(statement.name) == stem


def test_a_name_without_a_known_part_has_no_stem():
    [statement] = bound("Tab Unheardofine OD", [{"name": "Unheardofine"}]).owner.values()
    assert stem_of(statement.name) == ""
