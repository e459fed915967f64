"""The golden gate (`pytest -m golden`): the predecessor's table as hard assertions, and its three known limitations, closed."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks import golden as benchmark
from medfence_guard import Extraction, Rulepack, SourceDocument, Verdict, VerificationReport, verify
from tests.metamorphic import golden

pytestmark = pytest.mark.golden

DOCUMENTS = golden.committed()


@pytest.fixture(scope="module")
def rulepack() -> Rulepack:
    return Rulepack.default()


def judged(rulepack: Rulepack, source: str, payload: object) -> VerificationReport:
    return verify(Extraction("prescription", payload), SourceDocument(source), rulepack)


def told(report: VerificationReport) -> str:
    held = [finding for finding in report.findings if finding.verdict is not Verdict.PASS]
    return "\n".join(f"{f.verdict.value} {f.check_id} {f.field_path}: {f.message}" for f in held)


def test_the_committed_set_is_what_the_generator_writes() -> None:
    assert golden.differences() == []
    assert len(DOCUMENTS) == 20
    assert all(set(document["faults"]) == set(golden.SEEDED) for document in DOCUMENTS.values())


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_clean_document_passes(name: str, rulepack: Rulepack) -> None:
    report = judged(rulepack, DOCUMENTS[name]["source"], DOCUMENTS[name]["clean"])
    assert report.overall is Verdict.PASS, told(report)


@pytest.mark.parametrize("fault", golden.SEEDED)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_seeded_fault_fails_where_it_was_seeded(name: str, fault: str, rulepack: Rulepack) -> None:
    seeded = DOCUMENTS[name]["faults"][fault]
    report = judged(rulepack, DOCUMENTS[name]["source"], seeded["payload"])
    assert report.overall is Verdict.FAIL, told(report)
    failed = [finding.field_path for finding in report.findings if finding.verdict is Verdict.FAIL]
    assert any(path == where or path.startswith(where + ".") for path in failed for where in seeded["where"]), told(report)


def test_the_benchmark_prints_the_table_and_exits_0(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks.golden"])
    assert benchmark.main() == 0
    printed = capsys.readouterr().out
    for row in ("fabricated_drug", "unit_swap", "altered_strength", "invented_frequency"):
        assert f"| {row:<18} | 20 |   20 |       0 |    0 |   100% |         0% |" in printed
    assert "| clean              | 20 |    0 |       0 |   20 |    n/a | (100% clean-pass) |" in printed


@pytest.mark.parametrize("verdict", ["PASS", "ABSTAIN"])
def test_the_benchmark_exits_1_on_a_false_pass_and_on_a_clean_document_held(
    verdict: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["benchmarks.golden"])
    monkeypatch.setattr(benchmark, "ours", lambda: lambda source, payload: verdict)
    assert benchmark.main() == 1
    assert "bounds broken: none" not in capsys.readouterr().out


# -- the predecessor's known limitations -------------------------------------------------------------------------------


def test_the_same_drug_ordered_twice_is_judged_order_by_order(rulepack: Rulepack) -> None:
    """There the second of two orders of one name is judged by the first one's line, and fails."""
    source = "Rx\nTab Paracetamol 500 mg OD\nTab Paracetamol 650 mg HS"
    items: list[dict[str, Any]] = [
        {"name": "Paracetamol", "strength": {"value": 500, "unit": "mg"}, "frequency": "OD", "form": "tab"},
        {"name": "Paracetamol", "strength": {"value": 650, "unit": "mg"}, "frequency": "HS", "form": "tab"},
    ]
    for order in (items, items[::-1]):
        report = judged(rulepack, source, {"medications": order})
        assert report.overall is Verdict.PASS, told(report)
    crossed = [{**items[0], "frequency": "HS"}, {**items[1], "frequency": "OD"}]
    assert judged(rulepack, source, {"medications": crossed}).overall is not Verdict.PASS
    assert judged(rulepack, source, {"medications": [items[0], items[0]]}).overall is Verdict.FAIL


@pytest.mark.parametrize("mark", [".", ",", ";", ".\n"])
def test_a_mark_behind_the_frequency_is_no_part_of_it(mark: str, rulepack: Rulepack) -> None:
    """There `TDS.` in the source is not the `TDS` of the extraction, and fails."""
    item = {"name": "Paracetamol", "strength": {"value": 500, "unit": "mg"}, "frequency": "TDS", "form": "tab"}
    report = judged(rulepack, "Rx\nTab Paracetamol 500 mg TDS" + mark, {"medications": [item]})
    assert report.overall is Verdict.PASS, told(report)
    assert judged(rulepack, "Rx\nTab Paracetamol 500 mg TDS" + mark, {"medications": [{**item, "frequency": "BD"}]}).overall is Verdict.FAIL


@pytest.mark.parametrize("name", [name for name, document in DOCUMENTS.items() if len(document["clean"]["medications"]) > 1])
def test_a_dropped_medication_is_found(name: str, rulepack: Rulepack) -> None:
    """There nothing looks from the source to the extraction, so what was left out passes."""
    source, items = DOCUMENTS[name]["source"], DOCUMENTS[name]["clean"]["medications"]
    for index, item in enumerate(items):
        report = judged(rulepack, source, {"medications": items[:index] + items[index + 1 :]})
        assert report.overall is Verdict.FAIL, told(report)
        omitted = [found for found in report.findings if found.check_id == "completeness.omitted"]
        spans = [source[span.start : span.end] for found in omitted for evidence in found.evidence for span in evidence.source_spans]
        assert any(item["name"].casefold() in text.casefold() for text in spans), told(report)
