"""A clause of its own subject is told from an order by a closed vocabulary; these are the laws of that vocabulary."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import vector_rows
from medfence_guard import Rulepack
from medfence_guard.reader.asides import is_aside
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.lexer import lex
from medfence_guard.reader.text import fold

ROOT = Path(__file__).resolve().parents[2]
TABLE = json.loads((ROOT / "refdata/medfence_refdata/in/lexicon/asides.json").read_text(encoding="utf-8"))
VECTORS = ROOT / "tests/checks/vectors/faithful3.surroundings.jsonl"
# What could change, stop, count or continue a medicine, said alone.
OF_ORDERS = (
    "only half double both same these above all it them tablet tablets tab tabs dose doses medicine medicines drug drugs "
    "hold withhold skip taper wean till until unless except instead alternate start restart resume cancel discontinue"
).split()


def _read(clause: str) -> tuple[list[Chunk], str]:
    rulepack = Rulepack.default()
    folded = fold(clause)
    return rulepack.chunker.chunks(lex(folded)), folded.text


def _is_aside(clause: str) -> bool:
    chunks, text = _read(clause)
    return is_aside(chunks, text, Rulepack.default().lexicon.asides)


@pytest.mark.parametrize("row", TABLE["classes"], ids=[row["name"] for row in TABLE["classes"]])
def test_no_word_of_an_order_is_in_the_vocabulary(row: dict[str, list[str]]) -> None:
    for key in ("subjects", "opened", "openers", "words"):
        assert not {*row[key]} & {*OF_ORDERS}, (row["name"], key)


def test_a_word_of_an_order_makes_it_no_aside() -> None:
    clauses = [
        row["why"].split("'")[1]
        for row in vector_rows.read(VECTORS)
        if row["expected"]["verdict"] == "PASS" and row["why"].startswith("'") and "twin" not in row["id"]
    ]
    asides = [clause for clause in clauses if _is_aside(clause)]
    assert len(asides) > 80
    for clause in asides:
        for word in OF_ORDERS:
            assert not _is_aside(f"{clause} {word}"), f"{clause} {word}"
            if not clause.lower().startswith(("explained", "d/w")):
                assert not _is_aside(f"{word} {clause}"), f"{word} {clause}"


@pytest.mark.parametrize(
    "clause",
    [
        "before exercise",
        "if fever",
        "with milk",
        "fever",
        "BP > 150",
        "rest as before",
        "rash",
        "steam with Karvol",
        "knee",
        "5 days",
        "SOS, review",
    ],
)
def test_a_time_a_condition_or_an_unlisted_word_is_no_aside(clause: str) -> None:
    assert not _is_aside(clause)


@pytest.mark.parametrize(
    "clause", ["BP target < 130/80", "Rest for 2 days", "If fever persists, review", "T2DM, HTN", "Cap Amoxicillin", ""]
)
def test_whole_clauses_only(clause: str) -> None:
    assert _is_aside(clause) is (clause not in ("Cap Amoxicillin", ""))
