"""ClinicalFidelity in a plain Guard: a PASS is handed out, everything else raises, and a decision can follow."""

from __future__ import annotations

import json
import pickle

import pytest
from guardrails import Guard, OnFailAction
from guardrails.errors import ValidationError
from guardrails_ai.types import FailResult, PassResult
from pydantic import BaseModel

from guardrails_medfence import ClinicalFidelity, VerificationBlocked
from medfence_guard import AuditLog, ContractError, Fence, OutcomeStatus, ReviewQueue, SourceDocument, Verdict


class Medication(BaseModel):
    name: str
    strength: str
    frequency: str
    duration: str


class Prescription(BaseModel):
    medications: list[Medication]


def told(source):
    return {"metadata": {"medfence_source": source}}


def blocked_by(engine, guard, raw, source):
    with pytest.raises(VerificationBlocked) as raised:
        engine.validate(guard, raw, **told(source))
    return raised.value


# ---- the smallest honest form: PASS released; FAIL, ABSTAIN and a raising callback held ----


def test_a_pass_is_handed_out(engine, rx):
    result = engine.validate(engine.guard().use(ClinicalFidelity()), rx.good_text, **told(rx.source))
    assert (result.validation_passed, result.validated_output) == (True, rx.good_text)


def test_the_source_may_be_a_document(engine, rx):
    document = SourceDocument(rx.source, modality="ocr", ocr_confidence=0.99)
    assert engine.validate(engine.guard().use(ClinicalFidelity()), rx.good_text, **told(document)).validation_passed


def test_an_object_is_validated_as_a_whole(engine, rx):
    guard = engine.guard.for_pydantic(Prescription).use(ClinicalFidelity(), on="$")
    result = engine.validate(guard, rx.good_text, **told(rx.source))
    assert (result.validation_passed, result.validated_output) == (True, rx.good)
    assert blocked_by(engine, guard, rx.bad_text, rx.source).outcome.report.overall is Verdict.FAIL


def test_a_fail_raises(engine, rx):
    blocked = blocked_by(engine, engine.guard().use(ClinicalFidelity()), rx.bad_text, rx.source)
    assert blocked.outcome.report.overall is Verdict.FAIL
    assert not blocked.outcome.released


def test_an_abstain_raises(engine, rx):
    blocked = blocked_by(engine, engine.guard().use(ClinicalFidelity()), rx.unsure_text, rx.source)
    assert blocked.outcome.report.overall is Verdict.ABSTAIN


def test_a_callback_that_raises_leaves_it_held(engine, rx, tmp_path):
    validator = ClinicalFidelity(audit=AuditLog(tmp_path / "audit.jsonl", fsync=False))
    blocked = blocked_by(engine, engine.guard().use(validator), rx.unsure_text, rx.source)

    def ask(request):
        raise OSError("the reviewer's screen is off")

    with pytest.raises(OSError, match="screen"):
        validator.fence.settle(blocked.request.request_id, ask(blocked.request))
    assert validator.fence.settle(blocked.request.request_id).status is OutcomeStatus.HELD


# ---- the exception ----


def test_guardrails_passes_the_exception_on_unchanged(engine, rx):
    """What the plain route stands on: the very object, a ValidationError like Guardrails' own, with outcome and request."""
    blocked = blocked_by(engine, engine.guard().use(ClinicalFidelity()), rx.bad_text, rx.source)
    assert type(blocked) is VerificationBlocked
    assert isinstance(blocked, ValidationError)
    assert blocked.request is blocked.outcome.request
    assert blocked.request.verdict is Verdict.FAIL


def test_a_decision_settles_what_was_blocked(engine, rx, tmp_path):
    validator = ClinicalFidelity(audit=AuditLog(tmp_path / "audit.jsonl", fsync=False))
    guard = engine.guard().use(validator)
    request = blocked_by(engine, guard, rx.unsure_text, rx.source).request
    outcome = validator.fence.settle(request.request_id, request.confirm(reviewer="dr-a", reason="read_in_source"))
    assert outcome.status is OutcomeStatus.RELEASED_BY_REVIEW
    assert outcome.payload == rx.unsure

    request = blocked_by(engine, guard, rx.bad_text, rx.source).request
    outcome = validator.fence.settle(request.request_id, request.edit(rx.good, reviewer="dr-a", reason="wrong_extraction"))
    assert (outcome.status, outcome.code, outcome.payload) == (OutcomeStatus.RELEASED, "review.edited", rx.good)


def test_any_fence_on_the_same_queue_settles_it(engine, rx, tmp_path):
    queue, log = ReviewQueue(tmp_path / "queue.db"), AuditLog(tmp_path / "audit.jsonl", fsync=False)
    guard = engine.guard().use(ClinicalFidelity(review=queue, audit=log))
    request_id = blocked_by(engine, guard, rx.unsure_text, rx.source).request.request_id
    request = queue.get(request_id)
    decision = request.confirm(reviewer="dr-a", reason="read_in_source")
    assert Fence(review=queue, audit=log).settle(request_id, decision).status is OutcomeStatus.RELEASED_BY_REVIEW


def test_the_message_is_codes_and_paths(engine, rx):
    blocked = blocked_by(engine, engine.guard().use(ClinicalFidelity()), rx.bad_text, rx.source)
    assert str(blocked) == (
        "medfence: FAIL, held (review.nobody_to_ask): grounding.unit_integrity at $.medications[1].strength, "
        "reference.dose_in_range at $.medications[1].strength"
    )


def test_a_long_message_is_cut(rx):
    invented = {"medications": [*rx.good["medications"], *({"name": "Dolo", "strength": "650 mg"} for _ in range(9))]}
    with pytest.raises(VerificationBlocked, match=r", and \d+ more$") as raised:
        ClinicalFidelity().validate(json.dumps(invented), {"medfence_source": rx.source})
    assert str(raised.value).count(" at $") == 10


def test_the_exception_travels_between_processes_without_the_payload(rx):
    with pytest.raises(VerificationBlocked) as raised:
        ClinicalFidelity().validate(rx.bad_text, {"medfence_source": rx.source})
    data = pickle.dumps(raised.value)
    assert b"Thyronorm" not in data
    assert pickle.loads(data).outcome.report.overall is Verdict.FAIL


# ---- what it is given ----


def test_a_wrong_kind_of_source_is_the_callers_mistake(engine, rx):
    with pytest.raises(ContractError, match="SourceDocument"):
        engine.validate(engine.guard().use(ClinicalFidelity()), rx.good_text, **told(["a list"]))


def test_the_artifact_type_is_passed_on(rx):
    note = {"medfence_source": "Continue Tab Telma 40 mg OD."}
    payload = {"medications": [{"name": "Telma", "strength": "40 mg", "frequency": "OD", "status": "active"}]}
    assert isinstance(ClinicalFidelity(artifact_type="clinical_note").validate(payload, note), PassResult)
    with pytest.raises(VerificationBlocked):
        ClinicalFidelity(artifact_type="lab_report").validate(payload, note)


def test_an_audit_log_that_takes_no_record_holds(engine, rx, tmp_path):
    log = AuditLog(tmp_path / "gone" / "audit.jsonl", fsync=False) if (tmp_path / "gone").mkdir() is None else None
    guard = engine.guard().use(ClinicalFidelity(audit=log))
    assert engine.validate(guard, rx.good_text, **told(rx.source)).validation_passed
    log.path.write_bytes(log.path.read_bytes()[:-5])  # a torn last line
    assert blocked_by(engine, engine.guard().use(ClinicalFidelity(audit=log.path)), rx.good_text, rx.source).outcome.code == (
        "release.audit_failed"
    )


# ---- mode="result" ----


def test_a_fail_result_has_spans_and_evidence_and_no_fix(rx):
    result = ClinicalFidelity(mode="result").validate(rx.bad_text, {"medfence_source": rx.source, "theirs": 1})
    assert isinstance(result, FailResult)
    assert result.fix_value is None
    assert {rx.bad_text[span.start : span.end] for span in result.error_spans} == {'"50 mg"'}
    assert {span.reason for span in result.error_spans} == {"grounding.unit_integrity", "reference.dose_in_range"}
    assert result.metadata["theirs"] == 1
    evidence = result.metadata["medfence"]
    assert evidence["outcome"]["verdict"] == "fail"
    (finding,) = [f for f in evidence["report"]["findings"] if f["verdict"] == "fail"]
    (start, end) = finding["spans"][0]
    assert rx.source[start:end] == "50 mcg"
    assert "Thyronorm" not in json.dumps(evidence)


def test_spans_point_into_the_text_whatever_its_layout(rx):
    for text in (json.dumps(rx.bad, indent=3), f"```json\n{rx.bad_text}\n```", f" \n{rx.bad_text}"):
        result = ClinicalFidelity(mode="result").validate(text, {"medfence_source": rx.source})
        assert {text[span.start : span.end] for span in result.error_spans} == {'"50 mg"'}


@pytest.mark.parametrize(
    "raw", ["", "{", '{"medications": [', '{"a" 1}', "nul", "[1 2]", "[1] 2", "[1", '"x', "{}", "[" * 5000, '{"a b": [1]}']
)
def test_no_spans_where_there_are_none(rx, raw):
    assert ClinicalFidelity(mode="result").validate(raw, {"medfence_source": rx.source}).error_spans is None


def test_a_fail_result_becomes_guardrails_own_exception(engine, rx):
    guard = engine.guard().use(ClinicalFidelity(mode="result"))
    with pytest.raises(ValidationError, match=r"grounding\.unit_integrity") as raised:
        engine.validate(guard, rx.bad_text, **told(rx.source))
    assert not isinstance(raised.value, VerificationBlocked)
    assert engine.validate(guard, rx.good_text, **told(rx.source)).validation_passed


# ---- how it is made ----


@pytest.mark.parametrize(
    "on_fail", ["fix", "fix_reask", "reask", "filter", "refrain", "custom", "FIX", "nonsense", lambda v, r: v, object()]
)
@pytest.mark.parametrize("mode", ["raise", "result"])
def test_an_on_fail_that_would_let_something_out_is_refused(on_fail, mode):
    with pytest.raises(ContractError, match=r"refused: .*; .*VerificationBlocked.*SealedGuard"):
        ClinicalFidelity(on_fail=on_fail, mode=mode)


@pytest.mark.parametrize("action", [action for action in OnFailAction if action.value not in ("exception", "noop")])
def test_each_member_is_refused_and_says_why(action):
    with pytest.raises(ContractError, match=f"on_fail='{action.value}' is refused: ..."):
        ClinicalFidelity(on_fail=action)


@pytest.mark.parametrize("on_fail", [None, "exception", OnFailAction.EXCEPTION, "noop", OnFailAction.NOOP])
def test_what_is_harmless_is_taken(engine, rx, on_fail):
    guard = engine.guard().use(ClinicalFidelity(on_fail=on_fail))
    assert engine.validate(guard, rx.good_text, **told(rx.source)).validation_passed
    blocked_by(engine, guard, rx.bad_text, rx.source)


def test_a_result_that_guardrails_would_ignore_is_refused():
    with pytest.raises(ContractError, match=r"mode=.result."):
        ClinicalFidelity(mode="result", on_fail="noop")


@pytest.mark.parametrize("wrong", [{"mode": "warn"}, {"review": lambda request: None}, {"rebuilt": True}, {"mode": True}])
def test_other_wrong_arguments_are_refused(wrong):
    with pytest.raises(ContractError):
        ClinicalFidelity(**wrong)


def test_what_is_serialised_names_nobody():
    """Guardrails puts these into spans, prompts and dumps."""
    assert ClinicalFidelity().get_args() == {"mode": "raise", "artifact_type": "prescription", "rebuilt": True}


def test_it_is_registered_under_its_name():
    from guardrails.validator_base import validators_registry

    assert validators_registry["medfence/clinical_fidelity"] is ClinicalFidelity
    assert ClinicalFidelity.rail_alias == "medfence/clinical_fidelity"
    assert Guard().use(ClinicalFidelity()).get_validators("$")
