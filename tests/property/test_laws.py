"""Laws that hold for every input, searched with Hypothesis. Each docstring quotes the rule it proves."""

from __future__ import annotations

import copy
import itertools
import json
import os
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from medfence_guard import ContractError, Extraction, InputError, SourceDocument, Verdict, VerificationReport, verify
from medfence_guard.aggregate import worst_of
from prescriptions import CORRUPTIONS, Case, cases, corrupted

law = settings(
    max_examples=3000 if os.environ.get("MEDFENCE_HYPOTHESIS") == "deep" else 30,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
"""Few examples in every run; `MEDFENCE_HYPOTHESIS=deep` searches for an afternoon. The rest is the suite's profile."""

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
