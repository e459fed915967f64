"""Laws that hold for every input, searched with Hypothesis. Each docstring quotes the rule it proves."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import importlib
import itertools
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from medfence_guard import (
    ContractError,
    Evidence,
    Extraction,
    Finding,
    InputError,
    Severity,
    SourceDocument,
    Verdict,
    VerificationReport,
    verify,
)
from medfence_guard.aggregate import aggregate, worst_of
from medfence_guard.checks import ALL_CHECKS
from prescriptions import CORRUPTIONS, Case, cases, corrupted
from tests.metamorphic import grid
from tests.metamorphic.operators import Clean

law = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
"""How many examples is the profile's to say (tests/conftest.py)."""

RANK = {Verdict.PASS: 0, Verdict.ABSTAIN: 1, Verdict.FAIL: 2}
ANY_KIND = st.sampled_from(sorted(CORRUPTIONS)).flatmap(corrupted)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
KNOWN_KEYS = ("medications", "name", "strength", "value", "unit", "frequency", "dose", "duration", "route", "form", "as_needed")
KEYS = st.sampled_from(KNOWN_KEYS) | st.text(max_size=8)
JSON_VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12)
NEARLY_TEXT = st.text(alphabet="Tab Metformin 500mg1-0-1x5/7½.,\n\t्०\u200b", max_size=120)
SOURCES = st.text(max_size=120) | NEARLY_TEXT | cases().map(lambda case: case.source)
VERDICTS = st.sampled_from([Verdict.ABSTAIN, Verdict.FAIL, Verdict.PASS])


def report_on(source: str, payload: object, modality: str = "text", confidence: float | None = None) -> VerificationReport:
    return verify(Extraction("prescription", payload), SourceDocument(text=source, modality=modality, ocr_confidence=confidence))


def complaint(case: Case, report: VerificationReport) -> str:
    shown = [f"{f.verdict.name} {f.check_id} {f.field_path}: {f.message}" for f in report.findings if f.verdict is not Verdict.PASS]
    return "\n".join([case.source, json.dumps(case.payload, ensure_ascii=False), report.overall.name, *shown])


@law
@given(case=cases())
def test_a_faithful_extraction_passes(case: Case) -> None:
    """PASS means the source entails the claim, and whatever it does entail passes: a fence that cries wolf is switched off."""
    report = report_on(case.source, case.payload)
    assert report.overall is Verdict.PASS, complaint(case, report)


@law
@given(case=cases())
def test_a_faithful_extraction_of_a_good_scan_never_fails(case: Case) -> None:
    """In `ocr`, FAIL needs a well-formed, confident contradiction (P16)."""
    report = report_on(case.source, case.payload, "ocr", 0.95)
    assert report.overall is not Verdict.FAIL, complaint(case, report)


@pytest.mark.parametrize("kind", sorted(CORRUPTIONS))
def test_no_single_corruption_passes(kind: str) -> None:
    """Nothing but a PASS gets through, and a claim that says less or more than the source is not entailed."""

    @law
    @given(case=corrupted(kind))
    def never_passes(case: Case) -> None:
        report = report_on(case.source, case.payload)
        assert report.overall is not Verdict.PASS, complaint(case, report)

    never_passes()


@law
@given(case=cases(smallest=2), swap=st.booleans())
def test_no_crossed_pair_passes(case: Case, swap: bool) -> None:
    """A source token proves one item only: strengths or frequencies exchanged between two items never pass."""
    field = "strength" if swap else "frequency"
    first, second = case.orders[0], case.orders[1]
    if swap:
        assume((first.strength, first.unit) != (second.strength, second.unit))
    else:
        assume(first.frequency != second.frequency)
    payload = copy.deepcopy(case.payload)
    one, other = payload["medications"][:2]
    one[field], other[field] = other[field], one[field]
    report = report_on(case.source, payload)
    assert report.overall is not Verdict.PASS, complaint(Case(case.orders, case.source, payload), report)


@law
@given(source=SOURCES, payload=JSON_VALUES, modality=st.sampled_from(("text", "ocr", "stt")), confidence=st.none() | st.floats(0, 1))
def test_any_input_gives_a_report(source: str, payload: Any, modality: str, confidence: float | None) -> None:
    """An exception is never an answer about the model's output: the caller's bug is a ContractError, an unusable source an InputError."""
    try:
        report = report_on(source, payload, modality, confidence)
    except (ContractError, InputError):
        return
    assert isinstance(report.overall, Verdict)


@law
@given(source=SOURCES, text=st.text(max_size=60) | JSON_VALUES.map(lambda value: json.dumps(value)), as_bytes=st.booleans())
def test_any_reply_of_a_model_gives_a_report(source: str, text: str, as_bytes: bool) -> None:
    """A model's malformed text is ABSTAIN `schema.malformed`, never an exception."""
    reply = text.encode("utf-8", "surrogatepass") if as_bytes else text
    report = report_on(source, reply)
    try:
        json.loads(text)
    except ValueError:
        assert report.overall is not Verdict.PASS


@law
@given(confidence=st.floats(allow_nan=True) | st.integers() | st.text(max_size=3) | st.booleans())
def test_a_confidence_is_in_range_or_refused(confidence: Any) -> None:
    """Confidence outside [0, 1] or NaN is an InputError (P17)."""
    usable = type(confidence) in (int, float) and 0 <= confidence <= 1
    try:
        SourceDocument(text="Tab Metformin 500 mg BD", modality="ocr", ocr_confidence=confidence)
    except InputError:
        assert not usable
    else:
        assert usable


@law
@given(case=st.one_of(cases(), ANY_KIND))
def test_the_same_inputs_give_the_same_bytes(case: Case) -> None:
    """Same (source, extraction, rulepack) gives a byte-identical report."""
    first = report_on(case.source, case.payload).to_json()
    again = report_on(case.source, copy.deepcopy(case.payload)).to_json()
    as_text = report_on(case.source, json.dumps(case.payload)).to_json()
    assert first == again == as_text


@law
@given(case=st.one_of(cases(smallest=2), ANY_KIND), data=st.data())
def test_the_order_of_items_does_not_matter(case: Case, data: st.DataObject) -> None:
    """Binding is one-to-one and deterministic: which item owns a statement does not hang on the payload's order."""
    items = case.payload["medications"]
    order = data.draw(st.permutations(range(len(items))))
    shuffled = {"medications": [items[i] for i in order]}
    before, after = report_on(case.source, case.payload), report_on(case.source, shuffled)
    both = complaint(case, before) + "\nshuffled: " + complaint(Case(case.orders, case.source, shuffled), after)
    assert before.overall is after.overall, both
    assert sorted(item.verdict.name for item in before.items) == sorted(item.verdict.name for item in after.items), both


@law
@given(case=st.one_of(cases(), ANY_KIND), line=st.text(alphabet="jkvwz ", min_size=1, max_size=30), first=st.booleans())
def test_an_unread_line_never_makes_a_pass(case: Case, line: str, first: bool) -> None:
    """Adding unknown text never turns ABSTAIN or FAIL into PASS."""
    longer = f"{line}\n{case.source}" if first else f"{case.source}\n{line}"
    before, after = report_on(case.source, case.payload), report_on(longer, case.payload)
    assert not (before.overall is not Verdict.PASS and after.overall is Verdict.PASS), line + "\n" + complaint(case, before)


@law
@given(
    case=st.one_of(cases(), ANY_KIND),
    key=st.text(alphabet="qxzjvk", min_size=3, max_size=10),
    value=st.booleans() | st.integers(-(10**6), 10**6) | st.text(alphabet="abcdefg", min_size=5, max_size=9),
    deep=st.booleans(),
)
def test_an_unknown_key_never_makes_a_pass(case: Case, key: str, value: Any, deep: bool) -> None:
    """A key that maps to nothing is ABSTAIN `schema.unmapped_key`, never silence."""
    payload = copy.deepcopy(case.payload)
    holder = payload["medications"][0] if deep and payload["medications"] else payload
    holder[key] = value
    after = report_on(case.source, payload)
    assert after.overall is not Verdict.PASS, complaint(Case(case.orders, case.source, payload), after)


@law
@given(case=st.one_of(cases(), ANY_KIND))
def test_a_report_keeps_its_own_books(case: Case) -> None:
    """FAIL if any finding FAILs; else ABSTAIN if any ABSTAINs or anything is unaccounted for. No finding without evidence."""
    report = report_on(case.source, case.payload)
    verdicts = {finding.verdict for finding in report.findings}
    complete = report.coverage.claims == report.coverage.verified and report.completeness.statements == report.completeness.accounted
    if Verdict.FAIL in verdicts:
        wanted = Verdict.FAIL
    elif Verdict.ABSTAIN in verdicts or not verdicts or not complete:
        wanted = Verdict.ABSTAIN
    else:
        wanted = Verdict.PASS
    assert report.overall is wanted, complaint(case, report)
    for finding in report.findings:
        assert finding.evidence
        assert finding.message
        for evidence in finding.evidence:
            for span in evidence.source_spans:
                assert span.end <= len(case.source)
    for index, item in enumerate(case.payload["medications"]):
        for key in item:
            assert report.at(f"$.medications[{index}].{key}") is not None, f"no finding for {key}\n" + complaint(case, report)


@law
@given(case=st.one_of(cases(), ANY_KIND))
def test_the_audit_line_carries_no_text(case: Case) -> None:
    """The default audit profile carries no text: paths, verdicts, rule ids and offsets only."""
    line = report_on(case.source, case.payload).to_audit_json()
    assert "\n" not in line
    for order in case.orders:
        assert order.name.casefold() not in line.casefold()


@law
@given(verdicts=st.lists(VERDICTS, min_size=1, max_size=6), extra=VERDICTS)
def test_aggregation_is_monotone(verdicts: list[Verdict], extra: Verdict) -> None:
    """One more finding never makes an answer better, and the order of findings says nothing."""
    worst = worst_of(verdicts)
    assert RANK[worst] == max(RANK[verdict] for verdict in verdicts)
    assert RANK[worst_of([*verdicts, extra])] >= RANK[worst]
    assert all(worst_of(list(order)) is worst for order in itertools.islice(itertools.permutations(verdicts), 12))


@given(
    before=st.lists(VERDICTS, max_size=6),
    extra=VERDICTS,
    claims=st.integers(0, 3),
    verified=st.integers(0, 3),
    statements=st.integers(0, 3),
    accounted=st.integers(0, 3),
)
def test_one_more_finding_never_improves_a_verdict(
    before: list[Verdict], extra: Verdict, claims: int, verified: int, statements: int, accounted: int
) -> None:
    """Adding a finding never improves a verdict, whatever the books say. (Of nothing at all the verdict is ABSTAIN.)"""

    def of(verdicts: list[Verdict]) -> Verdict:
        rule = (Evidence(kind="rule", rule_id="t"),)
        findings = [Finding(check_id="t", field_path="$", verdict=v, severity=Severity.MAJOR, evidence=rule, message="") for v in verdicts]
        return aggregate(findings, claims=claims, verified=verified, statements=statements, accounted=accounted)

    if before:
        assert RANK[of([*before, extra])] >= RANK[of(before)]
    else:
        assert of(before) is Verdict.ABSTAIN
    if claims != verified or statements != accounted or not claims:
        assert of([*before, extra]) is not Verdict.PASS


# -- fail-closed -------------------------------------------------------------------------------------------------------


@law
@given(source=SOURCES, payload=JSON_VALUES)
def test_what_is_no_extraction_never_passes(source: str, payload: Any) -> None:
    """Fail-closed: an empty payload, an unknown shape, a payload without one verified claim is never PASS (P9)."""
    try:
        report = report_on(source, payload)
    except ContractError:
        return
    if report.overall is Verdict.PASS:
        assert report.coverage.claims == report.coverage.verified > 0
        assert report.completeness.statements == report.completeness.accounted
        assert any(item.statement_span is not None for item in report.items)
    if not isinstance(payload, dict | list) or not payload:
        assert report.overall is not Verdict.PASS


NOTHING = (None, {}, [], "", "null", "{}", b"", {"medications": []}, {"medications": None}, {"medications": [{}]})


@law
@given(case=cases(), empty=st.sampled_from(NOTHING))
def test_nothing_extracted_never_passes(case: Case, empty: Any) -> None:
    """Zero verified claims are ABSTAIN, however clean the source (P9); an order nobody owns is no PASS (P10)."""
    assert report_on(case.source, empty).overall is not Verdict.PASS


ENGINE = importlib.import_module("medfence_guard.verify")


def with_checks(checks: Sequence[Any]) -> dict[str, Any]:
    """The engine's own tables, as it builds them, from these checks in this order."""
    by_field: dict[str, list[Any]] = {}
    for check in checks:
        for field in check.fields if check.scope == "claim" else ():
            by_field.setdefault(field, []).append(check)
    scopes = {"_ITEM_CHECKS": "item", "_NAME_CHECKS": "item_name", "_DOCUMENT_CHECKS": "document"}
    return {"_BY_FIELD": by_field} | {name: tuple(check for check in checks if check.scope == scope) for name, scope in scopes.items()}


def report_with(checks: Sequence[Any], case: Case) -> VerificationReport:
    with pytest.MonkeyPatch.context() as patched:
        for name, table in with_checks(checks).items():
            patched.setattr(ENGINE, name, table)
        return report_on(case.source, case.payload)


def test_the_tables_of_the_engine_are_built_as_here() -> None:
    for name, table in with_checks(ALL_CHECKS).items():
        assert getattr(ENGINE, name) == table


def raises(*_: Any) -> Any:
    raise RuntimeError("broken on purpose")


def says_nothing(*_: Any) -> Any:
    return []


@pytest.mark.parametrize("check", ALL_CHECKS, ids=[check.id for check in ALL_CHECKS])
def test_a_check_that_breaks_never_makes_a_pass(check: Any) -> None:
    """A check that raises becomes an ABSTAIN finding naming the check; one that is silent on a claim it was given does too."""

    @settings(law, max_examples=5)
    @given(case=cases(smallest=2, largest=3))
    def broken(case: Case) -> None:
        others = [other for other in ALL_CHECKS if other is not check]
        for run, only_claims in ((raises, False), (says_nothing, True)):
            if only_claims and check.scope != "claim":
                continue
            report = report_with([*others, dataclasses.replace(check, run=run)], case)
            given_a_claim = check.scope != "claim" or any(key in check.fields for item in case.payload["medications"] for key in item)
            if given_a_claim:
                assert report.overall is not Verdict.PASS
                assert any(check.id in found.message for found in report.findings if found.verdict is Verdict.ABSTAIN)

    broken()


# -- order and mutation ------------------------------------------------------------------------------------------------


@law
@given(case=st.one_of(cases(), ANY_KIND), junk=JSON_VALUES, text=SOURCES)
def test_the_inputs_are_not_touched(case: Case, junk: Any, text: str) -> None:
    """The payload is copied once into plain JSON values; what the caller holds is as it was."""
    for source, payload in ((case.source, case.payload), (text, junk)):
        before, meta = copy.deepcopy(payload), {"model": ["a", {"b": 1}]}
        extraction, document = Extraction("prescription", payload, meta), SourceDocument(text=source)
        with contextlib.suppress(ContractError):
            verify(extraction, document)
        assert repr(payload) == repr(before)
        assert extraction.payload is payload
        assert meta == {"model": ["a", {"b": 1}]}
        assert document == SourceDocument(text=source)


def told_in_any_order(report: VerificationReport) -> list[str]:
    return sorted(repr((f.check_id, f.field_path, f.verdict.name, f.message, f.evidence)) for f in report.findings)


@law
@given(case=st.one_of(cases(), ANY_KIND), data=st.data())
def test_the_order_of_checks_does_not_matter(case: Case, data: st.DataObject) -> None:
    """Order of checks never changes the report: each reads the context and none changes it."""
    shuffled = report_with(data.draw(st.permutations(ALL_CHECKS)), case)
    report = report_on(case.source, case.payload)
    assert shuffled.overall is report.overall
    assert told_in_any_order(shuffled) == told_in_any_order(report)
    assert shuffled.items == report.items


@law
@given(case=st.one_of(cases(), ANY_KIND), data=st.data())
def test_the_order_of_claims_does_not_matter(case: Case, data: st.DataObject) -> None:
    """Order of claims never changes what is found: keys are a set."""
    turned = {"medications": [{key: item[key] for key in data.draw(st.permutations(list(item)))} for item in case.payload["medications"]]}
    report, other = report_on(case.source, case.payload), report_on(case.source, turned)
    assert other.overall is report.overall
    assert told_in_any_order(other) == told_in_any_order(report)


# -- evidence ----------------------------------------------------------------------------------------------------------


@law
@given(case=st.one_of(cases(), ANY_KIND))
def test_every_finding_carries_a_span_a_key_or_a_rule(case: Case) -> None:
    """No finding without evidence: a source span, a reference key or a rule id; a span is quoted as it stands in the source."""
    for found in report_on(case.source, case.payload).findings:
        assert found.evidence
        for evidence in found.evidence:
            assert evidence.source_spans or evidence.refdata_key or evidence.rule_id
            if evidence.source_spans and evidence.matched_text is not None:
                quoted = " … ".join(case.source[span.start : span.end] for span in evidence.source_spans)
                assert evidence.matched_text == quoted


def cited(report: VerificationReport) -> list[tuple[str, tuple[Any, ...]]]:
    """Path and spans of every PASS that grounding found in the source."""
    return [
        (found.field_path, tuple(span for evidence in found.evidence for span in evidence.source_spans))
        for found in report.findings
        if found.verdict is Verdict.PASS and found.check_id.startswith("grounding.") and any(e.source_spans for e in found.evidence)
    ]


def without(text: str, spans: Sequence[Any]) -> str:
    gone = {place for span in spans for place in range(span.start, span.end)}
    return "".join(character for place, character in enumerate(text) if place not in gone)


CLEAN = list(grid.cases(12))


@law
@given(case=cases() | st.sampled_from(CLEAN), data=st.data())
def test_what_a_pass_points_at_is_what_it_rests_on(case: Case | Clean, data: st.DataObject) -> None:
    """Deleting a span that a PASS cites never leaves that field PASS, unless what stands in for it (a fact of the bundle: P4, P7; the
    meals a count is of) is told in a MINOR finding. `sequence` claims a place, and no words."""
    kind = case.document.kind if isinstance(case, Clean) else "prescription"

    def judged(text: str) -> VerificationReport:
        return verify(Extraction(kind, case.payload), SourceDocument(text))

    found = [(path, spans) for path, spans in cited(judged(case.source)) if not path.endswith(".sequence")]
    assume(found)
    path, spans = data.draw(st.sampled_from(found))
    after = judged(without(case.source, spans))
    if after.at(path) is Verdict.PASS:
        assert any(f.severity is Severity.MINOR for f in after.findings if f.field_path == path), (path, spans, after.findings)
