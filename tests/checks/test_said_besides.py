"""No check reads one part of a value and lets the rest of it pass: what stands behind it is judged, in every field."""

from __future__ import annotations

from typing import Any

import pytest

from medfence_guard import Extraction, SourceDocument, Verdict, verify

SOURCE = "Tab Metformin SR 500 mg 1 tab oral BD after food SOS for fever x 5 days right eye, max 4 tabs/day, Qty 15, refills 2"
ITEM: dict[str, Any] = {
    "name": "Metformin SR",
    "strength": "500 mg",
    "form": "tablet",
    "release": "SR",
    "dose": "1 tab",
    "route": "oral",
    "site": "right eye",
    "frequency": "BD SOS",
    "timing": "after food",
    "duration": "5 days",
    "as_needed": "SOS",
    "as_needed_for": "fever",
    "max_dose": "4 tabs/day",
    "quantity": "15",
    "refills": "2",
    "instructions": "after food",
    "indication": "fever",
    "dosage": "500 mg",
    "generic_name": "Metformin SR",
}
TOLD = "xyzzy|q3h|7 tabs|IV|at night|x 9 days|left ear|stop|750 mg|+|max 9 tabs/day|syrup|with milk|77".split("|")


def verdict_of(field: str, value: str) -> Verdict:
    payload = {"medications": [{**ITEM, field: value}]}
    found = verify(Extraction("prescription", payload), SourceDocument(SOURCE)).at(f"$.medications[0].{field}")
    assert found is not None
    return found


@pytest.mark.parametrize("field", sorted(ITEM.keys() - {"route"}))
def test_the_value_alone_passes(field: str) -> None:
    """But the route: the eye has one of its own."""
    assert verdict_of(field, ITEM[field]) is Verdict.PASS


@pytest.mark.parametrize("beside", TOLD)
@pytest.mark.parametrize("field", sorted(ITEM))
def test_what_stands_behind_the_value_never_passes(field: str, beside: str) -> None:
    assert verdict_of(field, f"{ITEM[field]} {beside}") is not Verdict.PASS
