"""The trie's top: every phrase is filed behind its own first word, cut when it is first asked for, and then is what an eager trie holds."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medfence_guard import Rulepack
from medfence_guard.reader.lexer import lex
from medfence_guard.reader.lexicon import _RANK, ANY_UNIT, LEAF, Meaning, Phrases, _Builder
from medfence_guard.reader.text import fold

# Pieces that the lexer joins, cuts or folds, with and without a space between them.
PIECES = (*"od o.d o l 1 40 . ½ - + / , ( # {u} x 's दिन में é → ml |".split(), " ", " ")
MEANING = Meaning("inert", "a")


def cut_whole(phrase: str) -> list[str]:
    """The phrase as the lexer cuts it in one piece, its unit place put back together."""
    atoms: list[str] = []
    for token in lex(fold(phrase.replace(ANY_UNIT, " ⟦u⟧ "))):
        atoms.append(token.text)
        if atoms[-3:] == ["⟦", "u", "⟧"]:
            atoms[-3:] = [ANY_UNIT]
    return atoms


def eager(phrases: list[tuple[str, Meaning]]) -> dict[str, Any]:
    """The trie cut at once; the meanings of one phrase stand by rank, and by the order of the lexicons where that is the same."""
    top: dict[str, Any] = {}
    for phrase, meaning in phrases:
        node = top
        for atom in cut_whole(phrase):
            node = node.setdefault(atom, {})
        known = node.setdefault(LEAF, [])
        if meaning not in known:
            known[:] = sorted([*known, meaning], key=lambda m: _RANK.get(m.kind, 99))
    return top


def test_the_shipped_phrases_make_the_trie_that_cutting_all_of_them_makes():
    trie = Rulepack.default().lexicon.trie
    assert isinstance(trie, Phrases)
    assert len(trie) > 2500
    whole = eager([filed for waiting in trie._waiting.values() for filed in waiting])
    assert {word: trie[word] for word in trie} == whole


@given(st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join).filter(str.strip), min_size=1, max_size=6))
def test_a_phrase_is_filed_behind_the_first_of_its_own_atoms(phrases):
    build = _Builder()
    build.add_all(phrases, MEANING)
    trie = Phrases(build.waiting)
    assert {word: trie[word] for word in trie} == eager([(phrase, MEANING) for phrase in phrases])
    assert build.single == {atoms[0] for atoms in map(cut_whole, phrases) if len(atoms) == 1}


def test_a_word_is_the_same_whether_or_not_it_was_met_before():
    build = _Builder()
    build.add_all(["before food", "before breakfast"], MEANING)
    trie = Phrases(build.waiting)
    assert "before" in trie
    assert "after" not in trie
    assert trie.get("after") is None
    assert trie.get(LEAF) is None
    first = trie.get("before")
    assert first == {"food": {LEAF: [MEANING]}, "breakfast": {LEAF: [MEANING]}}
    assert trie.get("before") is first is trie["before"]


def test_threads_that_ask_at_once_read_the_same():
    build = _Builder()
    build.add_all([f"before {n} meals" for n in range(200)], MEANING)
    trie = Phrases(build.waiting)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: trie.get("before"), range(64)))
    assert all(node is found[0] for node in found)


def test_a_space_at_the_end_makes_no_second_word():
    build = _Builder()
    build.add_all(["od ", "bd x", " td", "1 "], MEANING)
    assert build.single == {"od", "td", "1"}


def test_a_phrase_of_nothing_is_refused():
    with pytest.raises(ValueError, match="nothing"):
        _Builder().add(" ", MEANING)
