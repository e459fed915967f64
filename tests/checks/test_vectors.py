"""Every vectors file beside this test, one row a test, and the per-field expectations of all of them together."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

import pytest

import vector_rows
from medfence_guard import VerificationReport
from tests import recorded

FILES = sorted((Path(__file__).parent / "vectors").glob("*.jsonl"))
ROWS = [row for file in FILES for row in vector_rows.read(file)]


_REPORTS: dict[str, VerificationReport] = {}


def report_of(row: dict[str, Any]) -> VerificationReport:
    """The row's report, made once for all the tests here."""
    if row["id"] not in _REPORTS:
        _REPORTS[row["id"]] = vector_rows.report_of(row)
    return _REPORTS[row["id"]]


def _param(row: dict[str, Any]) -> Any:
    """A row with `known` states a limitation: it fails today, and the day it does not, its mark has to go."""
    marks = [pytest.mark.xfail(strict=True, reason=row["known"])] if "known" in row else []
    return pytest.param(row, id=row["id"], marks=marks)


@pytest.mark.parametrize("row", [_param(row) for row in ROWS])
def test_verdict(row: dict[str, Any]) -> None:
    vector_rows.check(row, report_of(row))


def test_field_expectations() -> None:
    misses = [miss for row in ROWS for miss in vector_rows.missed_fields(row, report_of(row))]
    wanted = sum(len(row["expected"]["fields"]) for row in ROWS)
    assert wanted > 0
    assert not misses, f"{len(misses)} of {wanted} field expectations missed:\n" + "\n".join(misses)


def test_every_finding_of_every_row_carries_a_span_a_key_or_a_rule() -> None:
    """No finding without evidence, and a span is quoted as it stands in the source."""
    for row in ROWS:
        text = vector_rows.expand(row["source_text"])
        for found in report_of(row).findings:
            assert found.evidence, row["id"]
            for evidence in found.evidence:
                assert evidence.source_spans or evidence.refdata_key or evidence.rule_id, (row["id"], found)
                assert all(span.end <= len(text) for span in evidence.source_spans), (row["id"], found)
                if evidence.source_spans and evidence.matched_text is not None:
                    hidden = found.check_id == "source.hidden_characters"  # named, since it cannot be seen
                    spans = [text[span.start : span.end] for span in evidence.source_spans]
                    quoted = " … ".join(f"U+{ord(shown):04X}" if hidden else shown for shown in spans)
                    assert evidence.matched_text == quoted, (row["id"], found)


def test_every_report_finds_what_is_recorded() -> None:
    """A right verdict for another reason, with another severity or other evidence, is a change too."""
    record = recorded.recorded()
    found = {row["id"]: vector_rows.fingerprint(report_of(row)) for row in ROWS}
    other = sorted(name for name in {**record, **found} if record.get(name) != found.get(name))
    assert not other, f"{len(other)} rows differ from tests/checks/recorded.json (python -m tests.recorded ID | --write): {other[:40]}"


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
