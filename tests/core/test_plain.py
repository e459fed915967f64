"""Plain words name no medicine and decide nothing, alone or together; these are the laws of their table and of its grammar."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medfence_guard import Rulepack
from medfence_guard.reader.lexer import lex
from medfence_guard.reader.plain import is_plain
from medfence_guard.reader.text import fold

LEXICON = Path(__file__).resolve().parents[2] / "refdata/medfence_refdata/in/lexicon"
TABLE = json.loads((LEXICON / "plain.json").read_text("utf-8"))
REMARKS = json.loads((LEXICON / "remarks.json").read_text("utf-8"))
CUES = json.loads((LEXICON / "cues.json").read_text("utf-8"))
WORDS = sorted(word for words in TABLE["groups"].values() for word in words)
# What could change, stop, count, time or continue a medicine, or be one.
OF_ORDERS = (
    "only half double both same these above all it them tablet tablets tab tabs dose doses medicine medicines drug drugs "
    "hold withhold skip omit taper wean till until unless except instead alternate start restart resume cancel discontinue "
    "zorbimol metformin 40mg 1-0-1 stop stopped refused wife husband baby"
).split()
RULEPACK = Rulepack.default(("in", "us"))


def plain(clause: str, *, visit: bool = False) -> bool:
    folded = fold(clause)
    chunks = [c for c in RULEPACK.chunker.chunks(lex(folded)) if c.kind != "newline"]
    return is_plain(chunks, folded.text, RULEPACK.lexicon.plain, visit=visit)


def test_no_plain_word_is_a_medicine() -> None:
    assert not [word for word in WORDS if word in RULEPACK.bundle.names]
    assert not [word for word in WORDS if word in CUES["medicine_classes"]]


@pytest.mark.parametrize("table", ["deciding", "deciding_first", "changes", "changes_beside", "whole", "whole_if_known", "nouns", "starts"])
def test_no_plain_word_decides(table: str) -> None:
    assert not {*WORDS} & {*REMARKS[table]}


def test_a_word_is_of_one_group() -> None:
    assert len(WORDS) == len({*WORDS})


@pytest.mark.parametrize(
    "clause",
    [
        "Hot packs, back exercises",
        "Avoid dust, smoke, perfumes",
        "Watch for rash and swelling",
        "Cardiac rehab",
        "Brisk walk 45 min, 5 days a week",
        "CXR if cough > 3 weeks",
        "USG abdomen if no relief",
        "If fever persists, repeat CBC",
        "Review if fever > 3 days",
        "LFT monthly",
        "Physiotherapy weekly",
        "Drink 2-3 L water per day",
        "Garam paani",
    ],
)
def test_advice_tests_and_visits_are_plain(clause: str) -> None:
    assert plain(clause)


@pytest.mark.parametrize(
    "clause",
    [
        "With meals",
        "After food",
        "For fever",
        "If fever",
        "Temp > 100",
        "Exam days",
        "Skin test first",
        "Diet: not",
        "Steam, Zorbimol",
        "Walk, then half",
        "Physiotherapy 40 mg",
        "Exercise 1 tab daily",
        "Diet 1-0-1",
        "Iron, in blood",
        "Calcium and fasting",
    ],
)
def test_what_may_be_of_an_order_is_not(clause: str) -> None:
    assert not plain(clause)


def test_behind_a_heading_of_visits_a_time_is_its_own() -> None:
    assert plain("after 5 days if fever persists", visit=True)
    assert not plain("after 5 days if fever persists")
    assert not plain("1 month, half till then", visit=True)


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), st.sampled_from(OF_ORDERS), st.integers(0, 4))
def test_a_word_of_an_order_makes_it_not_plain(words: list[str], word: str, at: int) -> None:
    assert not plain(" ".join([*words[:at], word, *words[at:]]))
