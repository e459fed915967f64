"""What holds a source back says which item, which place and which character; and holds nothing else."""

from __future__ import annotations

import re
from typing import Any

import pytest

from medfence_guard import Extraction, Finding, Rulepack, Severity, SourceDocument, Verdict, Word, verify

RULEPACK = Rulepack.default()
PAGE = "Tab Amlodipine 5 mg OD\nTab Telma 40 mg OD"
ITEMS = [{"name": "Amlodipine", "strength": "5 mg"}, {"name": "Telma", "strength": "40 mg"}]


def held(text: str, *more: dict[str, str], **source: Any) -> list[Finding]:
    report = verify(Extraction("prescription", {"medications": [*ITEMS, *more]}), SourceDocument(text, **source), RULEPACK)
    return [found for found in report.findings if found.check_id.startswith("source.")]


def places(found: list[Finding]) -> list[tuple[str, str | None, list[int]]]:
    return [(one.field_path, one.evidence[0].matched_text, [span.start for span in one.evidence[0].source_spans]) for one in found]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (PAGE, []),
        (PAGE.replace("5 mg", "5\u200b mg"), [("$.medications[0]", "U+200B", [16])]),
        (PAGE.replace("40 mg", "40\u202e mg"), [("$.medications[1]", "U+202E", [35])]),
        (PAGE.replace(" mg", "\u200b mg"), [("$.medications[0]", "U+200B", [16]), ("$.medications[1]", "U+200B", [36])]),
        (PAGE.replace("5 mg", "5\u200b \u202emg"), [("$.medications[0]", "U+200B", [16])]),
        (PAGE.replace("OD\n", "OD\u200b\n"), [("$.medications[0]", "U+200B", [22])]),
        ("Clin\u200bic\n" + PAGE, []),
        (PAGE + "\nfoo\u200bbar", []),
    ],
)
def test_a_hidden_character_holds_the_item_whose_statement_has_it(text, wanted):
    found = held(text)
    assert places(found) == wanted
    assert {(one.check_id, one.verdict, one.severity) for one in found} <= {
        ("source.hidden_characters", Verdict.ABSTAIN, Severity.CRITICAL)
    }
    for one in found:
        assert [span.end - span.start for span in one.evidence[0].source_spans] == [1]


@pytest.mark.parametrize(("name", "item"), [("Amlodipine", 0), ("Telma", 1)])
def test_a_hidden_character_anywhere_behind_the_name_is_the_items(name, item):
    begins = PAGE.index(name) + len(name) + 1
    for place in range(begins, (PAGE + "\n").index("\n", begins)):
        assert places(held(PAGE[:place] + "\u200b" + PAGE[place:])) == [(f"$.medications[{item}]", "U+200B", [place])], place


@pytest.mark.parametrize("text", [PAGE.replace("5 mg", "5\u200b mg"), "1. Tab Amlodipine 5 mg OD   3. Cap Omeprazole 20 mg BD\n" + PAGE])
def test_an_item_that_no_statement_is_of_is_not_held_for_what_a_statement_has(text):
    found = held(text, {"name": "Ramipril", "strength": "5 mg"})
    assert not [one for one in found if one.field_path.startswith("$.medications[2]")]


@pytest.mark.parametrize(
    ("confidence", "check", "begins"),
    [(None, "source.confidence_missing", "The source is OCR"), (0.2, "source.confidence_floor", "The document's OCR confidence")],
)
def test_a_page_of_ocr_needs_a_confidence(confidence, check, begins):
    found = held(PAGE, modality="ocr", ocr_confidence=confidence)
    assert [(one.check_id, one.field_path) for one in found] == [(check, "$.medications[0]"), (check, "$.medications[1]")]
    assert all(one.message.startswith(begins) for one in found)


def test_a_confident_page_is_not_held():
    assert held(PAGE, modality="ocr", ocr_confidence=0.99) == []


@pytest.mark.parametrize(
    ("word", "confidence", "wanted"),
    [
        ("5", 0.2, [("$.medications[0].strength", "5", [15])]),
        ("40", None, [("$.medications[1].strength", "40", [33])]),
        ("40", 0.98, []),
    ],
)
def test_a_word_below_the_floor_holds_the_field_that_rests_on_it(word, confidence, wanted):
    words = tuple(Word(m.start(), m.end(), confidence if m[0] == word else 0.98) for m in re.finditer(r"\S+", PAGE))
    assert places(held(PAGE, modality="ocr", words=words)) == wanted


def test_two_columns_read_across_hold_the_items_in_them_and_no_other():
    text = "1. Tab Amlodipine 5 mg OD   3. Cap Omeprazole 20 mg BD\n2. Tab Telma 40 mg OD   4. Tab Metformin 500 mg OD"
    found = [one for one in held(text) if one.check_id == "source.interleaved_columns"]
    assert {one.field_path for one in found} == {"$.medications[0]", "$.medications[1]"}
    apart = held(PAGE + "\n\n\n" + text.replace("Amlodipine", "Ramipril").replace("Telma", "Losartan"))
    assert [one for one in apart if one.check_id == "source.interleaved_columns"] == []
