"""Runs of letters whose spaces were lost (`reader/glued.py`): what is cut, what stays whole, and at what cost."""

from __future__ import annotations

import pytest

from medfence_guard import Rulepack
from medfence_guard.reader.glued import harmless_cut
from medfence_guard.reader.lexer import WORD, lex
from medfence_guard.reader.text import fold

RULEPACK = Rulepack.default()
GLUED, NAMES = RULEPACK.lexicon.glued, RULEPACK.bundle.names


def cut(text: str, index: int = 0) -> list[str] | None:
    return harmless_cut(lex(fold(text)), index, GLUED, NAMES)


@pytest.mark.parametrize(
    ("text", "index", "words"),
    [
        ("plentyoforalfluids", 0, "plenty of oral fluids"),
        ("plentyoforal fluids", 0, "plenty of oral"),
        ("plenty oforal fluids", 1, "of oral"),
        ("lowsalt diet", 0, "low salt"),
        ("ReviewwithCBC", 0, "review with cbc"),
        ("generalopd", 0, "general opd"),
        ("withwater", 0, "with water"),
    ],
)
def test_reviewed_text_is_cut_at_its_words(text: str, index: int, words: str) -> None:
    assert cut(text, index) == words.split()


@pytest.mark.parametrize(
    "text",
    [
        # Two words without a joining word beside no phrase may be a name; a letter too many or too few is no word at all.
        *("lowsalt", "lowsalt tablet", "lftreports", "plentyoforalfluid", "lentyoforalfluids"),
        *("reviewandstop", "nolowsaltdiet", "reviewwithhalfdose", "withwaterhalf", "plentyoforalfluidsstop", "reviewwithtelma"),
        # `off` across a cut.
        "plentyoffluids",
    ],
)
def test_anything_else_stays_whole(text: str) -> None:
    assert cut(text) is None


def test_no_name_or_known_word_is_cut() -> None:
    known = {*NAMES, *RULEPACK.bundle.first_words, *RULEPACK.lexicon.pieces, *RULEPACK.lexicon.trie}
    single = (word for word in known if len(tokens := lex(fold(word))) == 1 and tokens[0].kind == WORD)
    assert [word for word in single if cut(word) is not None] == []


def test_every_listed_word_is_harmless_by_itself() -> None:
    assert not GLUED.words & GLUED.turning
    assert not {word for phrase in GLUED.phrases.values() for word in phrase} & GLUED.turning
    assert {"stop", "no", "not", "half", "hold", "only", "twice", "mother", "wife", "two"} <= GLUED.turning


def test_long_runs_are_left_alone() -> None:
    assert cut("reviewwithcbc" * 5000) is None
