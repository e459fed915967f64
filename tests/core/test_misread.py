"""A word that an engine misread is taken for a plain one only where it can have been no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medfence_guard import Extraction, Rulepack, SourceDocument, Verdict, verify

RULEPACK = Rulepack.default()
LEXICON = RULEPACK.lexicon
PLAIN = LEXICON.plain.group_of
DECIDING = (LEXICON.remarks.deciding | LEXICON.remarks.deciding_first | LEXICON.spoken) - PLAIN.keys()
MISREAD = RULEPACK.misread
ROWS = [json.loads(line) for line in (Path(__file__).parents[1] / "checks/vectors/misread.around.jsonl").read_text("utf-8").splitlines()]
# What Tesseract and RapidOCR made of letters on the pages of the benchmark.
CONFUSED = {
    "l": "i1t",
    "i": "l1t",
    "o": "0ec",
    "e": "oc",
    "c": "eo",
    "h": "bn",
    "n": "ru",
    "m": "n",
    "v": "y",
    "t": "lf",
    "f": "t",
    "u": "v",
}


# All of them take half a minute; every run takes a share.
SHARE = 5


def slips(word: str) -> set[str]:
    """The word with a letter confused, and with one lost."""
    confused = {word[:at] + other + word[at + 1 :] for at, letter in enumerate(word) for other in CONFUSED.get(letter, "")}
    return confused | {word[:at] + word[at + 1 :] for at in range(len(word))}


def read(token: str) -> str:
    """One word among plain ones."""
    return MISREAD.words(["walking", "yoga", "diet", token], known=lambda word: word in PLAIN)[-1]


def test_one_slip_in_a_word_that_may_change_an_order_never_makes_it_plain():
    taken = [
        (word, slip) for word in sorted(DECIDING)[::SHARE] for slip in sorted(slips(word)) if slip not in PLAIN and read(slip) in PLAIN
    ]
    assert taken == []


def test_one_slip_in_a_name_never_makes_it_plain():
    names = [name for name in RULEPACK.bundle.names if name.isalpha() and name.isascii()]
    assert len(names) > 500
    assert [name for name in names[::SHARE] for slip in sorted(slips(name)) if slip not in PLAIN and read(slip) in PLAIN] == []


@pytest.mark.parametrize(("misread", "meant"), [("swelIing", "swelling"), ("vegetabes", "vegetables"), ("exercse", "exercise")])
def test_a_plain_word_one_slip_off_is_known(misread, meant):
    assert meant in PLAIN
    assert PLAIN.get(read(misread.lower())) == PLAIN[meant]


def test_a_clause_of_mostly_unlisted_words_is_left_as_it_is():
    tokens = ["vegetabes", "exercse", "diet"]
    assert MISREAD.words(tokens, known=lambda word: word in PLAIN) == tokens


@pytest.mark.parametrize("row", [row for row in ROWS if "plain_word" in row["id"]], ids=lambda row: row["id"])
def test_on_a_typed_page_no_word_was_misread(row):
    """What a person typed with a slip stays unlisted, unless nothing in it is."""
    recognised = verify(Extraction("prescription", row["payload"]), SourceDocument(row["source_text"], **row["source"]), RULEPACK)
    typed = verify(Extraction("prescription", row["payload"]), SourceDocument(row["source_text"]), RULEPACK)
    assert recognised.overall is Verdict.PASS
    assert typed.overall is not Verdict.FAIL
    slipped = any(word in row["source_text"] for word in ("fuids", "iegal", "vad for", "LET", "FTrep", "swelI"))
    assert (typed.overall is Verdict.ABSTAIN) >= slipped


def test_history_that_lost_its_spaces_hides_no_word_that_decides():
    assert MISREAD.is_history("h/ot2dmonregulartreatment since2016")
    assert not MISREAD.is_history("t2dmonregulartreatment")
    for hidden in ("stopped", "hold", "omit", "avoid", "metformin", "telma"):
        assert not MISREAD.is_history(f"h/ot2dmonregular{hidden}treatment"), hidden


def test_a_printed_text_with_a_listed_word_more_is_none():
    assert MISREAD.is_printed("not vad for medico-legal purposes")
    for more in ("od", "stop", "2", "hs", "half"):
        assert not MISREAD.is_printed(f"not vad for medico-legal purposes {more}")
