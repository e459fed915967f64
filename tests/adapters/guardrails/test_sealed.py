"""SealedGuard: the outcome is the fence's, unless another validator or the schema objects; a person is asked once, in our context."""

from __future__ import annotations

import asyncio
import contextvars
import json
import threading

import pytest
from guardrails import OnFailAction
from guardrails.validator_base import Validator, register_validator
from guardrails_ai.types import FailResult, PassResult
from pydantic import BaseModel

from guardrails_medfence import ClinicalFidelity, SealedGuard
from medfence_guard import AuditLog, ContractError, OutcomeStatus, ReviewQueue, SourceDocument, Verdict


class Medication(BaseModel):
    name: str
    strength: str
    frequency: str
    duration: str


class Prescription(BaseModel):
    medications: list[Medication]


@register_validator(name="tests/without", data_type="all")
class Without(Validator):
    """Somebody's own validator: these words must not be in the record."""

    def __init__(self, words="morphine", on_fail=None):
        super().__init__(on_fail=on_fail, words=words)
        self.words = words

    def _validate(self, value, metadata):
        text = value if isinstance(value, str) else json.dumps(value)
        return FailResult(error_message=f"found in {text}") if self.words in text else PassResult()


@register_validator(name="tests/refusing", data_type="all")
class Refusing(Validator):
    def _validate(self, value, metadata):
        return FailResult(error_message="never")


@register_validator(name="tests/raises", data_type="all")
class Raises(Validator):
    def _validate(self, value, metadata):
        raise RuntimeError(f"cannot read {value}")


def log(tmp_path):
    return AuditLog(tmp_path / "audit.jsonl", fsync=False)


@pytest.fixture(params=[None, Prescription], ids=["text", "schema"])
def schema(request):
    return request.param


# ---- what leaves ----


def test_a_pass_is_released(engine, rx, schema):
    outcome = engine.seal(SealedGuard(Without(), schema=schema), rx.good_text, rx.source)
    assert (outcome.status, outcome.code, outcome.payload) == (OutcomeStatus.RELEASED, "release.pass", rx.good)


@pytest.mark.parametrize(("raw", "verdict"), [("bad_text", Verdict.FAIL), ("unsure_text", Verdict.ABSTAIN)])
def test_what_is_not_a_pass_is_held(engine, rx, schema, raw, verdict):
    outcome = engine.seal(SealedGuard(schema=schema), getattr(rx, raw), rx.source)
    assert (outcome.status, outcome.report.overall) == (OutcomeStatus.HELD, verdict)
    with pytest.raises(ContractError):
        _ = outcome.payload


def test_a_callback_that_raises_leaves_it_held(engine, rx, schema):
    def ask(request):
        raise OSError(f"cannot show {request.summary}")

    outcome = engine.seal(SealedGuard(schema=schema, review=ask), rx.bad_text, rx.source)
    assert (outcome.status, outcome.code) == (OutcomeStatus.HELD, "review.handler_error")


def test_the_other_validators_hold_what_the_fence_would_release(engine, rx):
    for on_fail in ("noop", "fix", "filter", "refrain", "reask", "exception", lambda value, result: value):
        outcome = engine.seal(SealedGuard(Refusing(on_fail=on_fail)), rx.good_text, rx.source)
        assert outcome.status is OutcomeStatus.HELD, on_fail
        assert outcome.code in ("guardrails.not_passed", "guardrails.raised")


def test_a_validator_that_raises_holds_and_is_not_quoted(engine, rx):
    outcome = engine.seal(SealedGuard(Raises()), rx.good_text, rx.source)
    assert (outcome.status, outcome.code, outcome.report, outcome.request) == (OutcomeStatus.HELD, "guardrails.raised", None, None)
    assert "Telma" not in json.dumps(outcome.to_dict())


def test_a_fail_is_told_as_a_fail_whatever_the_other_validators_do(engine, rx):
    for validator in (Raises(), Refusing(on_fail="exception"), Refusing(on_fail="refrain")):
        outcome = engine.seal(SealedGuard(validator), rx.bad_text, rx.source)
        assert outcome.report.overall is Verdict.FAIL
        assert outcome.request is not None


def test_a_schema_holds_what_it_cannot_read(engine, rx):
    class Strict(Prescription):
        signed_by: str

    outcome = engine.seal(SealedGuard(schema=Strict), rx.good_text, rx.source)
    assert (outcome.status, outcome.code) == (OutcomeStatus.HELD, "guardrails.not_passed")


# ---- who is asked ----


def test_a_person_is_asked_once_in_the_callers_context_and_thread(engine, rx, schema, tmp_path):
    patient = contextvars.ContextVar("patient")
    patient.set("A")
    asked = []

    def ask(request):
        asked.append((patient.get(None), threading.current_thread() is threading.main_thread()))
        return request.edit(rx.good, reviewer="dr-a", reason="wrong_extraction")

    sealed = SealedGuard(Without(), schema=schema, review=ask, audit=log(tmp_path))
    outcome = engine.seal(sealed, rx.bad_text, rx.source)
    assert (outcome.status, outcome.code, outcome.payload) == (OutcomeStatus.RELEASED, "review.edited", rx.good)
    assert [context for context, _ in asked] == ["A"]
    assert engine.name == "async guard" or asked[0][1]  # a sync callback of avalidate runs in a thread, so that it blocks nobody


def test_an_async_callback_is_awaited_in_the_callers_context(loop, rx, tmp_path):
    patient = contextvars.ContextVar("patient")

    async def ask(request):
        await asyncio.sleep(0)
        assert patient.get() == "A"
        return request.reject(reviewer="dr-a", reason="wrong_extraction")

    async def main():
        patient.set("A")
        return await SealedGuard(review=ask, audit=log(tmp_path)).avalidate(rx.bad_text, rx.source)

    assert loop.run_until_complete(main()).status is OutcomeStatus.REJECTED


def test_nobody_is_asked_about_a_pass(engine, rx):
    def ask(request):
        raise AssertionError

    assert engine.seal(SealedGuard(review=ask), rx.good_text, rx.source).status is OutcomeStatus.RELEASED


def test_control_flow_passes_through_with_nothing_released(engine, rx, tmp_path):
    class Interrupt(Exception):  # noqa: N818 - as LangGraph's
        pass

    def ask(request):
        raise Interrupt

    sealed = SealedGuard(review=ask, control_flow=(Interrupt,), audit=log(tmp_path))
    with pytest.raises(Interrupt):
        engine.seal(sealed, rx.bad_text, rx.source)
    assert '"release"' not in (tmp_path / "audit.jsonl").read_text("utf-8")


def test_a_confirmed_abstain_is_released_by_review(engine, rx, tmp_path):
    sealed = SealedGuard(Without(), review=lambda request: request.confirm(reviewer="dr-a", reason="read_in_source"), audit=log(tmp_path))
    outcome = engine.seal(sealed, rx.unsure_text, rx.source)
    assert (outcome.status, outcome.payload) == (OutcomeStatus.RELEASED_BY_REVIEW, rx.unsure)


@pytest.mark.parametrize("on_fail", ["noop", "exception", "fix"])
def test_what_a_person_releases_still_has_to_pass_the_other_validators(engine, rx, tmp_path, on_fail):
    def ask(request):
        return request.edit(rx.good, reviewer="dr-a", reason="wrong_extraction")

    others = Without("50 mcg", on_fail=on_fail)  # content with the model's 50 mg, not with the person's edit
    outcome = engine.seal(SealedGuard(others, review=ask, audit=log(tmp_path)), rx.bad_text, rx.source)
    assert (outcome.status, outcome.request_id is not None) == (OutcomeStatus.HELD, True)
    assert outcome.code == ("guardrails.raised" if on_fail == "exception" else "guardrails.not_passed")


def test_what_a_person_releases_may_not_be_changed_by_the_schema(engine, rx, tmp_path):
    """The person confirmed a record with a key that the schema would drop on the way out."""
    sealed = SealedGuard(
        schema=Prescription, review=lambda request: request.confirm(reviewer="dr-a", reason="read_in_source"), audit=log(tmp_path)
    )
    outcome = engine.seal(sealed, rx.unsure_text, rx.source)
    assert (outcome.status, outcome.code) == (OutcomeStatus.HELD, "guardrails.changed")


def test_a_decision_that_comes_later_is_settled_the_same_way(engine, rx, tmp_path):
    sealed = SealedGuard(Without(), review=ReviewQueue(tmp_path / "queue.db"), audit=log(tmp_path))
    request = engine.seal(sealed, rx.unsure_text, rx.source).request
    outcome = sealed.settle(request.request_id, request.confirm(reviewer="dr-a", reason="read_in_source"))
    assert (outcome.status, outcome.payload) == (OutcomeStatus.RELEASED_BY_REVIEW, rx.unsure)
    assert sealed.settle(request.request_id).status is OutcomeStatus.HELD

    refusing = SealedGuard(Refusing(), review=ReviewQueue(tmp_path / "other.db"), audit=log(tmp_path))
    request = engine.seal(refusing, rx.unsure_text, rx.source).request
    outcome = refusing.settle(request.request_id, request.confirm(reviewer="dr-a", reason="read_in_source"))
    assert (outcome.status, outcome.code, outcome.request_id) == (OutcomeStatus.HELD, "guardrails.raised", request.request_id)


def test_two_patients_at_once_never_mix(loop, rx):
    """Each call's source, history and reviewer stay its own."""
    other = rx.source.replace("Telma 40", "Telma 80").replace("50 mcg", "75 mcg")
    asked = []

    async def ask(request):
        await asyncio.sleep(0.01)
        asked.append(request.request_id)

    sealed = SealedGuard(Without(), schema=Prescription, review=ask)

    async def main():
        return await asyncio.gather(*(sealed.avalidate(rx.good_text, rx.source if n % 2 else other) for n in range(12)))

    outcomes = loop.run_until_complete(main())
    assert [outcome.released for outcome in outcomes] == [bool(n % 2) for n in range(12)]
    assert len(asked) == 6
    assert {outcome.report.overall for outcome in outcomes[::2]} == {Verdict.FAIL}


def test_threads_share_one_sealed_guard(rx):
    sealed = SealedGuard(Without(), schema=Prescription)
    released = {}

    def work(n):
        released[n] = sealed.validate(rx.good_text if n % 2 else rx.bad_text, rx.source).released

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert released == {n: bool(n % 2) for n in range(8)}


def test_inside_a_running_loop_nothing_is_different(loop, rx):
    """Guardrails itself would warn, and run validators one after the other."""

    async def main():
        return SealedGuard(Without()).validate(rx.good_text, rx.source), SealedGuard(Without()).validate(rx.bad_text, rx.source)

    good, bad = loop.run_until_complete(main())
    assert (good.released, bad.released) == (True, False)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_an_exit_inside_a_validator_is_an_exit(rx, error):
    @register_validator(name="tests/exits", data_type="all")
    class Exits(Validator):
        def _validate(self, value, metadata):
            raise error

    sealed = SealedGuard(Exits())
    with pytest.raises(error):
        sealed.validate(rx.good_text, rx.source)


# ---- what it takes ----


@pytest.mark.parametrize("raw", [None, {"medications": []}, [], b"{}", 1, object(), iter(["{"])])
def test_anything_but_the_text_is_refused(engine, rx, raw):
    with pytest.raises(ContractError, match="Tool calls, messages, streams"):
        engine.seal(SealedGuard(), raw, rx.source)


@pytest.mark.parametrize("option", ["stream", "llm_api", "num_reasks", "messages"])
def test_options_of_guardrails_are_refused(engine, rx, option):
    with pytest.raises(ContractError, match=option):
        engine.seal(SealedGuard(), rx.good_text, rx.source, **{option: True})


def test_the_source_may_be_a_document(engine, rx):
    assert engine.seal(SealedGuard(), rx.good_text, SourceDocument(rx.source)).released


def test_a_wrong_kind_of_source_is_the_callers_mistake(engine, rx):
    with pytest.raises(ContractError, match="SourceDocument"):
        engine.seal(SealedGuard(), rx.good_text, {"text": rx.source})


@pytest.mark.parametrize("wrong", [ClinicalFidelity, ClinicalFidelity(), [Without()], (Without(),), "medfence", len])
def test_validators_are_instances_of_others(wrong):
    with pytest.raises(ContractError):
        SealedGuard(wrong)


def test_its_own_metadata_is_for_the_other_validators(engine, rx):
    seen = []

    @register_validator(name="tests/looks", data_type="all")
    class Looks(Validator):
        required_metadata_keys = ["clinic"]  # noqa: RUF012 - Guardrails' own attribute

        def _validate(self, value, metadata):
            seen.append(dict(metadata))
            metadata["clinic"] = "changed"
            return PassResult()

    theirs = {"clinic": "north"}
    assert engine.seal(SealedGuard(Looks(on_fail=OnFailAction.NOOP)), rx.good_text, rx.source, metadata=theirs).released
    assert (seen, theirs) == ([{"clinic": "north"}], {"clinic": "north"})
    assert engine.seal(SealedGuard(Looks()), rx.good_text, rx.source).code == "guardrails.raised"
