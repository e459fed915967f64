"""What `docs/evidence.md` says is what the committed results say, and the OCR benchmark behind it is what it claims to be."""

from __future__ import annotations

import itertools
import math
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest

from benchmarks import evidence
from benchmarks.ocr import prescriptions as rx
from benchmarks.ocr.faults import misread, variants
from benchmarks.ocr.pages import LEVELS, Page, cache, pages
from benchmarks.ocr.readable import unreadable
from benchmarks.reliability import svg
from benchmarks.stats import upper_bound
from medfence_guard import Rulepack


def test_the_page_and_the_picture_equal_their_generator():
    content = evidence.generated()
    assert evidence.PAGE in content and evidence.PICTURE in content
    for path, text in content.items():
        assert path.read_text("utf-8") == text, f"{path.name}: run python -m benchmarks.evidence --write"


def test_every_section_names_its_command_and_its_day():
    text = evidence.PAGE.read_text("utf-8")
    for section in text.split("\n## ")[1:]:
        assert section.split("\n\n")[1].startswith("`python -m benchmarks.")
        assert section.split("\n\n")[1].rstrip(".")[-10:].count("-") == 2
        assert "**Limits.**" in section


def test_a_missed_target_is_printed_as_missed():
    row = {"what": "w", "target": ">= 95", "measured": 3.0, "met": False}
    base = evidence.json.loads((evidence.RESULTS / "ocr.json").read_text("utf-8"))
    assert "| w | 3.0 | >= 95 | **missed** |" in "\n".join(evidence.ocr({**base, "targets": [row]}))


def test_the_picture_is_sound_and_says_its_figures_in_words():
    rows = [
        {"engine": "typed", "level": "T0", "documents": {"n": 4, "PASS": 3, "ABSTAIN": 1, "FAIL": 0}},
        {"engine": "tesseract", "level": "D3", "documents": {"n": 2, "PASS": 0, "ABSTAIN": 1, "FAIL": 1}},
    ]
    root = ET.fromstring(svg(rows))
    told = next(node.text or "" for node in root.iter() if node.tag.endswith("desc"))
    assert "typed T0: PASS 3, ABSTAIN 1, FAIL 0 of 4" in told
    filled = [node.get("fill") for node in root.iter() if (node.get("fill") or "").startswith("url")]
    assert filled.count("url(#FAIL)") == 2  # legend and bar


@pytest.mark.parametrize(("seen", "of"), [(0, 300), (1, 300), (5, 40), (40, 40)])
def test_the_bound_is_clopper_pearson(seen, of):
    rate = upper_bound(seen, of)
    if seen == of:
        assert rate == 1
    else:
        tail = sum(math.comb(of, k) * rate**k * (1 - rate) ** (of - k) for k in range(seen + 1))
        assert tail == pytest.approx(0.05, abs=1e-6)
    if seen == 0:
        assert rate == pytest.approx(3 / of, rel=0.01)


# --- the OCR benchmark -----------------------------------------------------------------------------------------------------------


def test_there_are_enough_distinct_prescriptions_and_every_strength_is_attested():
    drawn = cache()["prescriptions"]
    assert len(drawn) >= 300
    assert len({tuple(sorted((item["name"], item["value"]) for item in one["items"])) for one in drawn}) == len(drawn)
    products = Rulepack.default().bundle.products
    for item in itertools.chain.from_iterable(one["items"] for one in drawn):
        rows = products[(item["molecule"],)]
        assert any(
            row.form == item["form"] and row.components[0].value == Fraction(item["value"]) and row.components[0].unit == item["unit"]
            for row in rows
        ), item


def test_every_prescription_is_read_and_every_level_has_pages():
    read = [page for page in pages() if page.engine == "tesseract"]
    assert {page.prescription["id"] for page in read} == {one["id"] for one in cache()["prescriptions"]}
    assert {page.level for page in read} == set(LEVELS) - {"T0"}
    assert {page.level for page in pages() if page.engine == "rapidocr"} == {"D0", "D2"}


def test_twenty_classes_of_fault_occur_and_none_is_the_true_payload():
    seen = set()
    for one in cache()["prescriptions"][:60]:
        true = rx.payload(one)
        first, second = list(variants(one)), list(variants(one))
        assert [fault.payload for _, fault in first] == [fault.payload for _, fault in second]
        for name, fault in first:
            assert fault.payload != true
            seen.add(name)
    assert len(seen) >= 20


def _page(words: list[tuple[str, int]]) -> Page:
    """A page of one order; the second of each pair is the place of the word."""
    item = {
        "name": "Daonil",
        "molecule": "glibenclamide",
        "value": "5",
        "unit": "mg",
        "form": "tablet",
        "frequency": "OD",
        "days": 5,
        "meal": "",
    }
    one = {"id": "r000", "layout": "oneline", "items": [item], "timing": False, "stopped": None, "allergy": None, "style": {}}
    printed = [("Daonil", "name", 0), ("5mg", "strength", 1), ("OD", "frequency", 2), ("5", "duration", 3), ("days", "duration", 4)]
    facts = tuple((text, fact, 0, 100 * n, 0, 100 * n + 80, 20) for text, fact, n in printed)
    read = tuple((text, 96.0, 100 * n, 0, 80, 20, f"1 1 1 1 {k + 1}") for k, (text, n) in enumerate(words))
    return Page(one, "D0", "tesseract", read, facts)


@pytest.mark.parametrize(
    ("words", "reasons"),
    [
        ([("Daonil", 0), ("5mg", 1), ("OD", 2), ("5", 3), ("days", 4)], []),
        ([("DAONIL", 0), ("5mg.", 1), ("OD", 2), ("5", 3), ("days,", 4)], []),
        ([("Daonil", 0), ("15mg", 1), ("OD", 2), ("5", 3), ("days", 4)], ["misread strength"]),
        ([("Daonil", 0), ("5mg", 1), ("5", 3), ("days", 4)], ["lost frequency"]),
        ([("Daomil", 0), ("5mg", 1), ("0D", 2), ("5", 3), ("days", 4)], ["misread name", "misread frequency"]),
    ],
)
def test_a_page_is_decidable_when_every_fact_is_read(words, reasons):
    assert unreadable(_page(words)) == reasons


def test_the_misread_payload_follows_the_page_and_not_the_print():
    page = _page([("Daonil", 0), ("15mg", 1), ("OD", 2), ("6", 3), ("days", 4)])
    found = [fault.payload["medications"][0] for fault in misread(page)]
    assert [(one["strength"]["value"], one["duration"]) for one in found] == [(15, "5 days"), (5, "6 days"), (15, "6 days")]
