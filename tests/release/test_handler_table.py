"""Every kind of answer a review handler can give, one named test each. Whatever is not a valid decision holds."""

from __future__ import annotations

import asyncio
import threading
import time
from dataclasses import replace
from datetime import datetime

import pytest

from medfence_guard.errors import ContractError
from medfence_guard.release import Action, AuditLog, Fence, OutcomeStatus, ReviewDecision, ReviewQueue
from medfence_guard.release.audit import read_lines
from medfence_guard.release.outcome import MEANING
from medfence_guard.release.review import MAX_ROUNDS
from release.fakes import SOURCE, KeyedFence, payload_for

STRENGTH = "$.medications[0].strength"
ABSTAIN, FAIL = payload_for("abstain"), payload_for("fail")


@pytest.fixture
def log(tmp_path):
    return AuditLog(tmp_path / "audit.jsonl", fsync=False)


def confirming(request):
    return request.confirm(reviewer="dr-a", reason="read_in_source")


def events(log):
    import json

    return [json.loads(line)["event"] for _, line in read_lines(log.path)]


def held(outcome, code):
    assert outcome.status is OutcomeStatus.HELD
    assert outcome.code == code
    assert outcome.why.startswith("Held: ")
    assert outcome.released is False
    with pytest.raises(ContractError):
        _ = outcome.payload


def check(handler, log, payload=ABSTAIN, **options):
    return KeyedFence(review=handler, audit=log, **options).check(payload, SOURCE)


# ---- answers that count ----


def test_confirm_of_an_abstain_releases_by_review(log):
    outcome = check(confirming, log)
    assert outcome.status is OutcomeStatus.RELEASED_BY_REVIEW
    assert outcome.payload == ABSTAIN
    assert events(log) == ["genesis", "verification", "review_requested", "decision", "release"]


def test_override_of_a_fail_with_the_value_read_releases_by_override(log):
    outcome = check(lambda r: r.override(reviewer="dr-a", reason="source_misread_by_machine", values={STRENGTH: "50 MG"}), log, FAIL)
    assert outcome.status is OutcomeStatus.RELEASED_BY_OVERRIDE
    assert outcome.report.overall.value == "fail"  # the machine's verdict is never changed


def test_reject_rejects(log):
    outcome = check(lambda r: r.reject(reviewer="dr-a", reason="wrong_extraction"), log, FAIL)
    assert outcome.status is OutcomeStatus.REJECTED
    assert "release" not in events(log)


def test_edit_that_passes_is_released_as_edited(log):
    outcome = check(lambda r: r.edit(payload_for("pass"), reviewer="dr-a", reason="other"), log, FAIL)
    assert (outcome.status, outcome.code) == (OutcomeStatus.RELEASED, "review.edited")
    assert outcome.payload == payload_for("pass")
    assert events(log) == ["genesis", "verification", "review_requested", "decision", "verification", "release"]


# ---- answers that do not ----


def test_none_holds(log):
    held(check(lambda r: None, log), "review.pending")


@pytest.mark.parametrize("answer", [True, 1, "yes", {"action": "confirm"}, Action.CONFIRM, object()], ids=repr)
def test_another_type_holds(log, answer):
    held(check(lambda r: answer, log), "review.wrong_type")
    assert "decision_invalid" in events(log)


def test_a_subclass_of_the_decision_holds(log):
    class Lying(ReviewDecision):
        pass

    def handler(request):
        good = confirming(request)
        return Lying(**{name: getattr(good, name) for name in ReviewDecision.__dataclass_fields__})

    held(check(handler, log), "review.wrong_type")


@pytest.mark.parametrize(
    "fields",
    [
        {"action": "confirm"},
        {"items": None},
        {"items": ["$.medications[0]"]},
        {"items": (1,)},
        {"values": {1: "50 mg"}},
        {"values": {STRENGTH: 50}},
        {"comment": None},
        {"request_id": None},
        {"payload_sha256": b"0"},
    ],
    ids=str,
)
def test_a_decision_with_a_field_of_another_type_holds(log, fields):
    held(check(lambda r: replace(confirming(r), **fields), log), "review.wrong_type")


@pytest.mark.parametrize("reviewer", [["dr-a"], 5])
def test_a_reviewer_that_is_no_text_holds(log, reviewer):
    held(check(lambda r: replace(confirming(r), reviewer=reviewer), log), "review.no_reviewer")


def test_wrong_request_id_holds(log):
    held(check(lambda r: replace(confirming(r), request_id="rr_" + "0" * 32), log), "review.wrong_request")


def test_wrong_digest_holds(log):
    held(check(lambda r: replace(confirming(r), payload_sha256="0" * 64), log), "review.wrong_digest")


def test_confirm_of_a_fail_holds(log):
    held(check(confirming, log, FAIL), "review.action_not_allowed")


def test_override_of_an_abstain_holds(log):
    held(check(lambda r: r.override(reviewer="dr-a", reason="x"), log), "review.action_not_allowed")


def test_naive_time_holds(log):
    held(check(lambda r: replace(confirming(r), decided_at=datetime(2026, 1, 1)), log), "review.naive_time")  # noqa: DTZ001


def test_absent_time_holds(log):
    held(check(lambda r: replace(confirming(r), decided_at=None), log), "review.naive_time")


@pytest.mark.parametrize("reviewer", ["", "  ", None])
def test_a_decision_by_nobody_holds(log, reviewer):
    held(check(lambda r: r.confirm(reviewer=reviewer, reason="x"), log), "review.no_reviewer")


def test_excluded_reviewer_holds(log):
    outcome = KeyedFence(review=confirming, audit=log).check(ABSTAIN, SOURCE, excluded={"dr-a"})
    held(outcome, "review.excluded_reviewer")


@pytest.mark.parametrize("reason", ["", " \n"])
def test_empty_override_reason_holds(log, reason):
    held(check(lambda r: r.override(reviewer="dr-a", reason=reason, values={STRENGTH: "50 mg"}), log, FAIL), "review.empty_reason")


def test_override_without_the_value_read_holds(log):
    held(check(lambda r: r.override(reviewer="dr-a", reason="x"), log, FAIL), "review.value_missing")


@pytest.mark.parametrize("read", ["50 mcg", "500 mg", "5 mg", "50", "mg", "50 mg daily"])
def test_override_with_another_value_holds(log, read):
    held(check(lambda r: r.override(reviewer="dr-a", reason="x", values={STRENGTH: read}), log, FAIL), "review.value_differs")


def test_confirm_of_several_medications_must_name_each(log):
    two = payload_for("abstain", count=2)
    held(check(confirming, log, two), "review.items_not_named")
    held(check(lambda r: r.confirm(reviewer="a", reason="x", items=r.held_medications[:1]), log, two), "review.items_not_named")
    assert check(lambda r: r.confirm(reviewer="a", reason="x", items=r.held_medications), log, two).released


def test_confirm_of_a_malformed_payload_holds(log):
    held(check(confirming, log, "{not json"), "review.malformed_payload")


def test_an_edit_without_a_payload_holds(log):
    held(check(lambda r: replace(r.edit(payload_for("pass"), reviewer="a", reason="x"), _edited=None), log), "review.edit_missing")


def test_an_edit_that_is_not_json_is_refused_at_the_desk(log):
    outcome = check(lambda r: None, log)
    with pytest.raises(ContractError, match="not readable JSON"):
        outcome.request.edit("{", reviewer="a", reason="x")


def test_an_edit_that_fails_again_is_asked_again_then_held(log):
    asked = []

    def handler(request):
        asked.append(request.round)
        return request.edit(payload_for("fail", extra=f" {len(asked)}"), reviewer="dr-a", reason="x")

    held(check(handler, log, FAIL), "review.rounds_exhausted")
    assert asked == list(range(1, MAX_ROUNDS + 1))


def test_the_verdict_on_an_edit_is_shown_before_it_counts(log):
    seen = []

    def handler(request):
        seen.append((request.round, request.verdict.value))
        if request.round == 1:
            return request.edit(payload_for("abstain", extra=" edited"), reviewer="dr-a", reason="x")
        return confirming(request)

    outcome = check(handler, log, FAIL)
    assert seen == [(1, "fail"), (2, "abstain")]
    assert outcome.status is OutcomeStatus.RELEASED_BY_REVIEW
    assert outcome.payload == payload_for("abstain", extra=" edited")


def test_an_edit_on_which_the_verification_breaks_holds(log):
    held(check(lambda r: r.edit(payload_for("raise"), reviewer="a", reason="x"), log), "verify.error")


# ---- handlers that fail ----


def test_raising_holds_and_only_the_class_is_recorded(log):
    def handler(request):
        raise ValueError("Eltroxin 50 mcg for Mrs Canary")

    outcome = check(handler, log)
    held(outcome, "review.handler_error")
    assert "Canary" not in log.path.read_text() + outcome.why + repr(outcome)
    assert '"what":"ValueError"' in log.path.read_text()


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError])
def test_what_is_no_exception_is_recorded_and_raised_again(log, error):
    def handler(request):
        raise error

    with pytest.raises(error):
        check(handler, log)
    assert events(log)[-1] == "handler_aborted"
    with pytest.raises(error):
        check(handler, log, timeout=5)


class Bubble(Exception):  # noqa: N818 - the name of a framework's control flow
    """Stands for LangGraph's GraphBubbleUp."""


def test_control_flow_named_by_an_adapter_passes_through_with_nothing_released(log):
    def handler(request):
        raise Bubble

    with pytest.raises(Bubble):
        check(handler, log, control_flow=(Bubble,))
    assert events(log)[-1] == "handler_aborted"
    held(check(handler, log), "review.handler_error")  # not named: an exception like any other


def test_after_control_flow_the_same_request_is_asked_again_and_can_be_settled(log):
    ids, resumed = [], []

    def handler(request):
        ids.append(request.request_id)
        if not resumed:
            raise Bubble
        return confirming(request)

    fence = KeyedFence(review=handler, audit=log, control_flow=(Bubble,))
    with pytest.raises(Bubble):
        fence.check(ABSTAIN, SOURCE)
    resumed.append(True)
    assert fence.check(ABSTAIN, SOURCE).released
    assert len(set(ids)) == 1


def test_hanging_holds_and_the_late_answer_is_dropped(log):
    late, answered = threading.Event(), threading.Event()

    def handler(request):
        late.wait(10)
        decision = confirming(request)
        answered.set()
        return decision

    started = time.monotonic()
    outcome = check(handler, log, timeout=0.05)
    assert time.monotonic() - started < 5
    held(outcome, "review.timeout")
    late.set()
    assert answered.wait(10)
    time.sleep(0.05)
    assert "release" not in events(log)
    assert events(log)[-1] == "handler_timeout"


def test_after_a_timeout_a_decision_can_still_be_settled(log):
    gate = threading.Event()
    fence = KeyedFence(review=lambda r: gate.wait(10), audit=log, timeout=0.05)
    outcome = fence.check(ABSTAIN, SOURCE)
    gate.set()
    assert fence.settle(outcome.request_id, confirming(outcome.request)).released


async def async_confirming(request):
    await asyncio.sleep(0)
    return confirming(request)


def test_async_handler_in_a_sync_call_holds_names_acheck_and_warns_nobody(log):
    outcome = check(async_confirming, log)  # a coroutine left unawaited would warn, and warnings are errors here
    held(outcome, "review.async_in_sync")
    assert "acheck" in outcome.why


def test_async_handler_in_acheck_releases(log):
    assert asyncio.run(KeyedFence(review=async_confirming, audit=log).acheck(ABSTAIN, SOURCE)).released
    assert asyncio.run(KeyedFence(review=async_confirming, audit=log, timeout=5).acheck(ABSTAIN, SOURCE)).released


def test_sync_handler_in_acheck_runs_in_a_thread_in_the_callers_context(log):
    import contextvars

    variable = contextvars.ContextVar("variable", default="unset")
    seen = []

    def handler(request):
        seen.append((variable.get(), threading.current_thread() is threading.main_thread()))
        return confirming(request)

    async def main():
        variable.set("set")
        return await KeyedFence(review=handler, audit=log).acheck(ABSTAIN, SOURCE)

    assert asyncio.run(main()).released
    assert seen == [("set", False)]


def test_a_sync_handler_without_a_timeout_runs_in_the_callers_own_thread(log):
    seen = []
    check(lambda r: seen.append(threading.current_thread()), log)
    assert seen == [threading.current_thread()]


@pytest.mark.parametrize("stubborn", [False, True])
def test_hanging_async_handler_holds_even_if_it_ignores_cancellation(log, stubborn):
    stopped = []

    async def handler(request):
        try:
            await asyncio.sleep(1)
        except asyncio.CancelledError:
            stopped.append(True)
            if not stubborn:
                raise
            await asyncio.sleep(0.2)
        return confirming(request)

    async def main():
        started = time.monotonic()
        outcome = await KeyedFence(review=handler, audit=log, timeout=0.05).acheck(ABSTAIN, SOURCE)
        assert time.monotonic() - started < 0.9
        await asyncio.sleep(0.05)
        assert stopped == [True]
        return outcome

    held(asyncio.run(main()), "review.timeout")
    assert "release" not in events(log)


def test_hanging_sync_handler_in_acheck_holds(log):
    gate = threading.Event()

    async def main():
        return await KeyedFence(review=lambda r: gate.wait(10), audit=log, timeout=0.05).acheck(ABSTAIN, SOURCE)

    held(asyncio.run(main()), "review.timeout")
    gate.set()


def test_cancelling_acheck_releases_nothing_and_raises(log):
    started = threading.Event()

    async def handler(request):
        started.set()
        await asyncio.sleep(10)

    async def main():
        task = asyncio.ensure_future(KeyedFence(review=handler, audit=log).acheck(ABSTAIN, SOURCE))
        while not started.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(main())
    assert events(log)[-1] == "handler_aborted"


def test_async_raising_holds(log):
    async def handler(request):
        raise ValueError

    held(asyncio.run(KeyedFence(review=handler, audit=log).acheck(ABSTAIN, SOURCE)), "review.handler_error")


def test_the_handler_is_called_once_per_check(log):
    calls = []
    KeyedFence(review=calls.append, audit=log).check(payload_for("abstain", count=3), SOURCE)
    assert len(calls) == 1
    KeyedFence(review=calls.append, audit=log).check(payload_for("pass"), SOURCE)
    assert len(calls) == 1


# ---- several people, other days ----


def test_two_reviewers_who_disagree_hold(log):
    fence = KeyedFence(audit=log, min_reviewers=2)
    request = fence.check(ABSTAIN, SOURCE).request
    held(fence.settle(request.request_id, confirming(request)), "review.needs_second")
    held(fence.settle(request.request_id, request.reject(reviewer="dr-b", reason="x")), "review.conflict")
    held(fence.settle(request.request_id, request.confirm(reviewer="dr-c", reason="x")), "review.conflict")


def test_two_reviewers_who_agree_release(log):
    fence = KeyedFence(audit=log, min_reviewers=2)
    request = fence.check(ABSTAIN, SOURCE).request
    held(fence.settle(request.request_id, confirming(request)), "review.needs_second")
    assert fence.settle(request.request_id, request.confirm(reviewer="dr-b", reason="x")).released


def test_one_reviewer_twice_is_not_four_eyes(log):
    fence = KeyedFence(audit=log, min_reviewers=2)
    request = fence.check(ABSTAIN, SOURCE).request
    held(fence.settle(request.request_id, confirming(request)), "review.needs_second")
    held(fence.settle(request.request_id, confirming(request)), "review.needs_second")
    held(fence.settle(request.request_id, request.reject(reviewer="dr-a", reason="x")), "review.changed_mind")


def test_a_decision_of_the_next_day_releases_through_settle_once(log):
    fence = KeyedFence(audit=log)
    outcome = fence.check(ABSTAIN, SOURCE)
    held(outcome, "review.nobody_to_ask")
    decision = confirming(outcome.request)
    assert fence.settle(outcome.request_id, decision).payload == ABSTAIN
    held(fence.settle(outcome.request_id, decision), "review.already_settled")
    assert events(log).count("release") == 1


def test_a_decision_of_the_next_day_releases_in_another_process_once(log, tmp_path):
    queue = tmp_path / "reviews.sqlite"
    outcome = KeyedFence(review=ReviewQueue(queue), audit=log).check(ABSTAIN, SOURCE)
    held(outcome, "review.queued")
    later = KeyedFence(review=ReviewQueue(queue), audit=AuditLog(log.path, fsync=False))
    assert later.settle(outcome.request_id, confirming(outcome.request)).payload == ABSTAIN
    held(later.settle(outcome.request_id, confirming(outcome.request)), "review.already_settled")


def test_of_two_that_settle_at_the_same_moment_one_holds(log, monkeypatch):
    fence = KeyedFence(audit=log)
    request = fence.check(ABSTAIN, SOURCE).request
    monkeypatch.setattr(fence._queue, "settle", lambda request_id: False)  # the other one was first
    held(fence.settle(request.request_id, confirming(request)), "review.already_settled")
    assert "release" not in events(log)


def test_the_same_content_after_settling_is_a_new_request(log):
    fence = KeyedFence(audit=log)
    first = fence.check(ABSTAIN, SOURCE)
    assert fence.check(ABSTAIN, SOURCE).request_id == first.request_id
    fence.settle(first.request_id, first.request.reject(reviewer="a", reason="x"))
    second = fence.check(ABSTAIN, SOURCE)
    assert second.request_id != first.request_id
    held(fence.settle(second.request_id, confirming(first.request)), "review.wrong_request")


def test_a_request_under_another_policy_is_another_request(log):
    fence = KeyedFence(audit=log)
    first, second = fence.check(ABSTAIN, SOURCE), fence.check(ABSTAIN, SOURCE, excluded={"dr-a"})
    assert first.request_id != second.request_id
    held(fence.settle(second.request_id, confirming(second.request)), "review.excluded_reviewer")


def test_an_unknown_request_holds(log):
    outcome = KeyedFence(audit=log).settle("rr_unknown", None)
    held(outcome, "review.unknown_request")
    assert outcome.report is None


def test_settle_without_a_decision_holds(log):
    fence = KeyedFence(audit=log)
    held(fence.settle(fence.check(ABSTAIN, SOURCE).request_id, None), "review.pending")


# ---- no record, no release ----


def test_a_release_by_a_person_needs_a_log():
    held(KeyedFence(review=confirming).check(ABSTAIN, SOURCE), "release.no_log")
    held(KeyedFence(review=lambda r: r.edit(payload_for("pass"), reviewer="a", reason="x")).check(ABSTAIN, SOURCE), "release.no_log")


def test_a_machine_pass_may_leave_without_a_log():
    assert KeyedFence().check(payload_for("pass"), SOURCE).status is OutcomeStatus.RELEASED


def test_a_rejection_needs_no_log():
    assert KeyedFence(review=lambda r: r.reject(reviewer="a", reason="")).check(FAIL, SOURCE).status is OutcomeStatus.REJECTED


class FailingLog(AuditLog):
    """Refuses the n-th append and all after it."""

    def __init__(self, path, after):
        super().__init__(path, fsync=False)
        self._left = after

    def append(self, *entries):
        self._left -= 1
        if self._left < 0:
            raise OSError(28, "No space left on device")
        return super().append(*entries)


@pytest.mark.parametrize(
    ("payload", "after"), [(payload_for("pass"), 0), (ABSTAIN, 0), (ABSTAIN, 1)], ids=["pass", "verification", "decision"]
)
def test_a_failed_append_holds(tmp_path, payload, after):
    held(check(confirming, FailingLog(tmp_path / "a.jsonl", after), payload), "release.audit_failed")


def test_a_failed_append_on_reject_edit_and_invalid_holds(tmp_path):
    answers = {
        "reject": lambda r: r.reject(reviewer="a", reason="x"),
        "edit": lambda r: r.edit(payload_for("pass"), reviewer="a", reason="x"),
        "invalid": lambda r: True,
        "error": lambda r: 1 / 0,
    }
    for name, handler in answers.items():
        held(check(handler, FailingLog(tmp_path / f"{name}.jsonl", 1)), "release.audit_failed")


def test_after_a_failed_append_the_decision_can_be_settled_again(tmp_path):
    log = FailingLog(tmp_path / "a.jsonl", 1)
    fence = KeyedFence(audit=log)
    request = fence.check(ABSTAIN, SOURCE).request
    held(fence.settle(request.request_id, confirming(request)), "release.audit_failed")
    log._left = 99
    assert fence.settle(request.request_id, confirming(request)).released


def test_a_request_held_without_a_log_is_recorded_before_a_later_release(tmp_path, log):
    queue = ReviewQueue()
    outcome = KeyedFence(review=queue).check(ABSTAIN, SOURCE)
    assert KeyedFence(review=queue, audit=log).settle(outcome.request_id, confirming(outcome.request)).released
    assert events(log) == ["genesis", "verification", "decision", "release"]


def test_a_broken_queue_holds(log):
    queue = ReviewQueue()
    fence = KeyedFence(review=queue, audit=log)
    request_id = fence.check(ABSTAIN, SOURCE).request_id
    queue.close()
    held(fence.check(ABSTAIN, SOURCE), "review.queue_error")
    held(fence.settle(request_id, None), "review.queue_error")


# ---- the verification itself ----


def test_an_exception_in_the_verification_holds_and_tells_only_its_class(log):
    outcome = check(confirming, log, payload_for("raise", extra=" Canary"))
    held(outcome, "verify.error")
    assert "RuntimeError" in outcome.why
    assert "Canary" not in outcome.why


def test_a_verification_that_returns_no_report_holds():
    class Odd(Fence):
        def _verify(self, extraction, source):
            return True

    held(Odd().check(payload_for("pass"), SOURCE), "verify.error")


def test_a_report_about_another_payload_holds():
    class Swapped(KeyedFence):
        def _verify(self, extraction, source):
            report = super()._verify(extraction, source)
            return replace(report, input_hashes={**report.input_hashes, "payload": "0" * 64})

    held(Swapped().check(payload_for("pass"), SOURCE), "release.digest_mismatch")


# ---- wrong use ----


@pytest.mark.parametrize("source", [None, 3, b"text"])
def test_a_source_that_is_no_text_is_the_callers_error(source):
    with pytest.raises(ContractError, match="source"):
        KeyedFence().check(payload_for("pass"), source)


@pytest.mark.parametrize("options", [{"review": 3}, {"timeout": 0}, {"timeout": "5"}, {"timeout": True}, {"min_reviewers": 0}])
def test_a_wrong_option_is_the_callers_error(options):
    with pytest.raises(ContractError):
        Fence(**options)


def test_every_code_has_words():
    for code, words in MEANING.items():
        assert words.split(":")[0].split()[0] in ("Held", "Released", "Rejected"), code
