"""A pattern that is not tried on a page, because none of its first words is there, would have found nothing there."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from medfence_guard import Rulepack
from medfence_guard.reader import lines
from medfence_guard.reader.lexicon import _PATTERNS, spoken_in
from medfence_guard.rulepack import shipped_folder

PAGE = Rulepack.default().lexicon.page
REMARKS = Rulepack.default().lexicon.remarks
PHRASES = [phrase for table in _PATTERNS for phrase in json.loads((shipped_folder() / "lexicon" / "remarks.json").read_bytes())[table]]
PIECES = st.sampled_from(PHRASES) | st.sampled_from(
    [
        "rest of his medicines",
        "old meds",
        "family doctor medicines",
        "30/m",
        "4yrs female",
        "12 year f",
        "x",
        "'",
        "-",
        "_",
        "7",
        "é",
        "all",
        "drugs",
    ]
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from(["", " ", "\n", "-", "/", ". "])), max_size=6).map(
    lambda parts: "".join(a + b for a, b in parts)
)


@given(TEXTS)
def test_a_pattern_left_out_finds_nothing(text: str) -> None:
    narrowed = REMARKS.for_page(spoken_in(text))
    for table in _PATTERNS:
        full, left = (getattr(words, table) for words in (REMARKS, narrowed))
        assert [m.span() for m in full.finditer(text)] == [m.span() for m in left.finditer(text)], table


@given(TEXTS)
def test_a_set_or_a_sex_needs_one_of_its_words(text: str) -> None:
    for pattern, words in ((PAGE.unlisted_set, PAGE.set_starts), (lines.SEX_AND_AGE, lines.SEXES)):
        assert pattern.search(text) is None or not words.isdisjoint(spoken_in(text)), pattern.pattern


# Stems are found inside words, so no word of the page shows that one is not there.
STEMS = {"allergy", "harm", "reactions"}


def test_every_pattern_of_the_table_is_narrowed() -> None:
    patterns = {name for name, value in ((n, getattr(REMARKS, n)) for n in REMARKS.__slots__) if isinstance(value, re.Pattern)}
    assert patterns - STEMS == set(_PATTERNS)
    assert all(getattr(REMARKS.for_page(frozenset()), table).search("old list stopped correction") is None for table in _PATTERNS)


CLAUSES = Rulepack.default().lexicon.clauses
SAID = st.sampled_from(
    [
        *"gp to continue baby b/o of sunita contd p t o see total 5 medicines no. of same adv start (icu) in place instead".split(" "),
        *"care w/o overleaf pto on reverse the will take over".split(" "),
    ]
)
CLAUSE_TEXTS = st.lists(st.tuples(SAID, st.sampled_from(["", " ", "\n", ".", "é"])), max_size=6).map(
    lambda parts: "".join(a + b for a, b in parts)
)


@given(CLAUSE_TEXTS)
def test_a_pattern_of_clauses_left_out_finds_nothing(text: str) -> None:
    idle = CLAUSES.idle_on(spoken_in(text))
    assert all(getattr(CLAUSES, name).search(line) is None for name in idle for line in (text, text.strip(), *text.split("\n")))
