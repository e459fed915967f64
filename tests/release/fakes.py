"""A verifier whose verdict the payload itself names, so that release is tested apart from reading prescriptions.

The text of `name` decides: `pass …` is PASS, `abstain …` ABSTAIN, `fail …` FAIL (with a contested strength), `raise …` raises.
"""

from __future__ import annotations

from typing import cast

from medfence_guard import canonical_json
from medfence_guard.contract import (
    Completeness,
    Coverage,
    Evidence,
    Extraction,
    Finding,
    ItemVerdict,
    Json,
    Severity,
    SourceDocument,
    Span,
    Verdict,
    VerificationReport,
)
from medfence_guard.payload import MalformedPayload, plain_json
from medfence_guard.release import Fence

SOURCE = "Tab Eltroxin 50 mcg OD before food"


class KeyedFence(Fence):
    """A Fence with the verifier of this module."""

    def _verify(self, extraction: Extraction, source: SourceDocument) -> VerificationReport:
        return keyed_verify(extraction, source)

    def _compositions(self, report: VerificationReport, payload: Json) -> dict[str, tuple[str, ...]]:
        return {}


def payload_for(verdict: str, *, count: int = 1, strength: str = "50 mg", extra: str = "") -> dict[str, object]:
    """A payload that the verifier answers with this verdict."""
    return {"medications": [{"name": f"{verdict} {index}{extra}", "strength": strength} for index in range(count)]}


def keyed_verify(extraction: Extraction, source: SourceDocument) -> VerificationReport:
    """The report that the payload asks for."""
    try:
        payload = plain_json(extraction.payload)
    except MalformedPayload:
        return _report(extraction, source, "", [_finding("schema.malformed", "$", Verdict.ABSTAIN, "not readable")], [])
    medications = cast(dict[str, list[dict[str, str]]], payload)["medications"]
    findings: list[Finding] = []
    items: list[ItemVerdict] = []
    for index, medication in enumerate(medications):
        path, wanted = f"$.medications[{index}]", medication["name"].split()[0]
        if wanted == "raise":
            raise RuntimeError(f"a bug that quotes {medication['name']}")
        verdict = Verdict(wanted)
        check_id = "grounding.strength" if verdict is Verdict.FAIL else "reference.drug_exists"
        # The message quotes the payload on purpose: what leaks through it would be seen.
        findings.append(_finding(check_id, f"{path}.strength", verdict, f"the payload says {medication['name']} {medication['strength']}"))
        items.append(ItemVerdict(path=path, verdict=verdict, statement_span=Span(0, len(SOURCE))))
    return _report(extraction, source, canonical_json.sha256(payload), findings, items)


def _finding(check_id: str, path: str, verdict: Verdict, message: str) -> Finding:
    evidence = (
        Evidence(kind="source", source_spans=(Span(13, 19),), matched_text="50 mcg"),
        Evidence(kind="reference", refdata_key="brand:eltroxin", citation="nppa#12", grade="regulator"),
    )
    severity = Severity.MINOR if verdict is Verdict.PASS else Severity.CRITICAL
    return Finding(check_id=check_id, field_path=path, verdict=verdict, severity=severity, evidence=evidence, message=message)


def _report(
    extraction: Extraction, source: SourceDocument, payload_sha256: str, findings: list[Finding], items: list[ItemVerdict]
) -> VerificationReport:
    verdicts = {finding.verdict for finding in findings}
    overall = next((v for v in (Verdict.FAIL, Verdict.ABSTAIN) if v in verdicts), Verdict.PASS)
    return VerificationReport(
        artifact_type=extraction.artifact_type,
        overall=overall,
        findings=tuple(findings),
        items=tuple(items),
        coverage=Coverage(claims=len(findings), verified=sum(f.verdict is Verdict.PASS for f in findings)),
        completeness=Completeness(statements=1, accounted=1),
        not_checked=(),
        rulepack_version="0" * 64,
        refdata_snapshot="0" * 64,
        engine_version="test",
        input_hashes={"source_text": canonical_json.sha256(source.text), "payload": payload_sha256},
    )
