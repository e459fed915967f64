"""Every vectors file beside this test, one row a test, and the per-field expectations of all of them together."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

import pytest

import vector_rows

FILES = sorted((Path(__file__).parent / "vectors").glob("*.jsonl"))
ROWS = [row for file in FILES for row in vector_rows.read(file)]


def _param(row: dict[str, Any]) -> Any:
    """A row with `known` states a limitation: it fails today, and the day it does not, its mark has to go."""
    marks = [pytest.mark.xfail(strict=True, reason=row["known"])] if "known" in row else []
    return pytest.param(row, id=row["id"], marks=marks)


@pytest.mark.parametrize("row", [_param(row) for row in ROWS])
def test_verdict(row: dict[str, Any]) -> None:
    vector_rows.check(row, vector_rows.report_of(row))


def test_field_expectations() -> None:
    misses = [miss for row in ROWS for miss in vector_rows.missed_fields(row, vector_rows.report_of(row))]
    wanted = sum(len(row["expected"]["fields"]) for row in ROWS)
    assert wanted > 0
    assert len(misses) <= 0.05 * wanted, f"{len(misses)} of {wanted} field expectations missed:\n" + "\n".join(misses)


def test_rows_are_well_formed() -> None:
    repeated = [name for name, count in collections.Counter(row["id"] for row in ROWS).items() if count > 1]
    assert not repeated, "a row is cited by its id, so an id names one row"
    for row in ROWS:
        expected = row["expected"]
        verdicts = {expected["verdict"], *expected["accept"], *expected["must_not"], *expected["fields"].values()}
        assert verdicts <= {"PASS", "FAIL", "ABSTAIN"}, row["id"]
        assert expected["verdict"] in expected["accept"], row["id"]
        assert not {*expected["accept"]} & {*expected["must_not"]}, row["id"]
        assert expected["must_not"], row["id"]
        assert row["why"], row["id"]
