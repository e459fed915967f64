"""What is said of an item as a whole: that it is of no statement, of another item's, merged, told again, or of words that are not read.

In `items.jsonl` a row is a source, its items, and every finding at an item itself that is no PASS.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medfence_guard import Extraction, Rulepack, SourceDocument, Verdict, verify

RULEPACK = Rulepack.default()
ROWS = [json.loads(line) for line in Path(__file__).with_name("items.jsonl").read_text("utf-8").splitlines()]
ITEMS = "$.medications"


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["source"][:60])
def test_what_an_item_is_told(row):
    modality = row.get("modality", "text")
    source = SourceDocument(row["source"], modality, None if modality == "text" else 0.99)
    report = verify(Extraction("prescription", {"medications": row["items"]}), source, RULEPACK)
    told = [
        f"{one.field_path.removeprefix(ITEMS)} {one.verdict.name} {one.check_id} {one.message}"
        for one in report.findings
        if one.field_path.startswith(f"{ITEMS}[") and one.field_path.endswith("]") and one.verdict is not Verdict.PASS
    ]
    assert told == row["told"]
