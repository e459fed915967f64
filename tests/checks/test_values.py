"""What is answered to each of several values of one field of one line: what passes and, beside it, what does not.

`test_rules.py` has a rule a row with its gravity. In `values.jsonl` a row is a source, its items, the field that is added to the last of
them, and, value by value, verdict and rule of every finding at that field; the bundle's own facts (`reference.*`) are left out.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from medfence_guard import Extraction, Rulepack, SourceDocument, verify

RULEPACK = Rulepack.default()
ROWS = [json.loads(line) for line in Path(__file__).with_name("values.jsonl").read_text("utf-8").splitlines()]


def told(row: dict[str, Any], value: Any) -> str:
    *before, last = row["items"]
    payload = {"medications": [*before, {**last, row["field"]: value}]}
    modality = row.get("modality", "text")
    source = SourceDocument(row["source"], modality, None if modality == "text" else 0.99)
    report = verify(Extraction("prescription", payload), source, RULEPACK)
    path = f"$.medications[{len(before)}].{row['field']}"
    found = [
        f"{one.verdict.name} {next((e.rule_id for e in one.evidence if e.rule_id), '')}"
        for one in report.findings
        if one.field_path == path and not one.check_id.startswith("reference.")
    ]
    return ", ".join(sorted(found))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['source'][:60]} {row['field']}")
def test_what_each_value_is_told(row):
    assert [[value, told(row, value)] for value, _ in row["told"]] == row["told"]
