"""The fence: nothing leaves without a PASS or a person's recorded decision.

`check` runs these steps, and every one of them can only hold, never wave through:
1. copy the payload once into plain JSON; that copy is verified and, if it comes to that, released;
2. verify it; an exception in here holds;
3. record the verification in the audit log, if there is one; a failed append holds;
4. PASS: re-hash the copy against the report, record, release;
5. FAIL or ABSTAIN: ask `review` once; what each kind of answer does is the table in `review.py`;
6. a valid decision: recorded, then released, once. An edit goes back to step 1.

The machine's verdict is never changed. Time, threads and files live here and in the log, never in `verify()`.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import os
import threading
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from medfence_guard.contract import Extraction, Json, SourceDocument, Verdict, VerificationReport
from medfence_guard.errors import ContractError, MedfenceError
from medfence_guard.payload import MalformedPayload, plain_json
from medfence_guard.release import audit as auditing
from medfence_guard.release import wording
from medfence_guard.release.audit import AuditLog, Entry
from medfence_guard.release.numbers import Path as NumberPath
from medfence_guard.release.numbers import number_paths
from medfence_guard.release.outcome import MEANING, Outcome, OutcomeStatus, outcome, rehash
from medfence_guard.release.queue import CLOSED, ReviewQueue, content_key_of
from medfence_guard.release.review import (
    MAX_ROUNDS,
    Action,
    Content,
    ReviewDecision,
    ReviewRequest,
    build_request,
    plain_text,
    problem_with,
)
from medfence_guard.release.sealed import Sealed
from medfence_guard.rulepack import Rulepack
from medfence_guard.verify import verify

Handler = Callable[[ReviewRequest], "ReviewDecision | Awaitable[ReviewDecision | None] | None"]

EntryMaker = Callable[[], Entry]

KEPT_IN_MEMORY = 1000
"""Without a ReviewQueue, so many held requests stay settleable; the oldest is dropped, and stays held."""


@dataclass(frozen=True, slots=True)
class _NoAnswer:
    """Why asking the handler brought no decision. error: the exception's class name; `log`: the event to record."""

    code: str
    log: str
    error: str | None = None


_RELEASE_BY = {
    Action.CONFIRM: (OutcomeStatus.RELEASED_BY_REVIEW, "review.confirmed"),
    Action.OVERRIDE: (OutcomeStatus.RELEASED_BY_OVERRIDE, "review.overridden"),
}


class Fence:
    """Turns a verdict into an outcome.

    rulepack: default: the installed one. review: a function `ReviewRequest -> ReviewDecision | None`, sync or async, or a ReviewQueue.
    audit: an AuditLog or the path of one; without it a machine PASS may leave, but no release by a person.
    timeout: seconds the review function may take; None waits for ever. (A sync function that hangs cannot be stopped; its thread is left
    behind and its late answer is ignored.)
    min_reviewers: 2 = four eyes. control_flow: exception types of a framework that pass through the fence with nothing released.
    """

    def __init__(
        self,
        rulepack: Rulepack | None = None,
        review: Handler | ReviewQueue | None = None,
        audit: AuditLog | str | os.PathLike[str] | None = None,
        timeout: float | None = None,
        *,
        min_reviewers: int = 1,
        control_flow: tuple[type[BaseException], ...] = (),
    ) -> None:
        if review is not None and not isinstance(review, ReviewQueue) and not callable(review):
            raise ContractError("fence.review", "`review` must be a function ReviewRequest -> ReviewDecision | None, or a ReviewQueue")
        if timeout is not None and not (type(timeout) in (int, float) and timeout > 0):
            raise ContractError("fence.timeout", "`timeout` must be a positive number of seconds, or None")
        if type(min_reviewers) is not int or min_reviewers < 1:
            raise ContractError("fence.min_reviewers", "`min_reviewers` must be 1 or more")
        self._rulepack, self._timeout, self._min_reviewers, self._control_flow = rulepack, timeout, min_reviewers, control_flow
        self._audit = audit if isinstance(audit, AuditLog) or audit is None else AuditLog(audit)
        self._handler = None if review is None or isinstance(review, ReviewQueue) else review
        self._queue = review if isinstance(review, ReviewQueue) else ReviewQueue(limit=KEPT_IN_MEMORY)
        self._forgetful = not isinstance(review, ReviewQueue)  # our own memory keeps no health data longer than it must
        self._unasked = "review.queued" if isinstance(review, ReviewQueue) else "review.nobody_to_ask"

    # ---- the three calls ----

    def check(
        self, payload: object, source: str | SourceDocument, artifact_type: str = "prescription", *, excluded: Collection[str] = ()
    ) -> Outcome:
        """Verify, ask if need be, and say what came of it. payload: what the model made, as JSON text, bytes or plain Python values.

        source: what the clinician wrote; it must not come from the model. excluded: reviewers who may not decide (the author).
        A fault of the model is an outcome; ContractError is only for a wrong use of this call.
        """
        step = self._first(payload, _document(source), artifact_type, frozenset(excluded))
        while isinstance(step, ReviewRequest):
            step = self._conclude(step, self._ask(step))
        return step

    async def acheck(
        self, payload: object, source: str | SourceDocument, artifact_type: str = "prescription", *, excluded: Collection[str] = ()
    ) -> Outcome:
        """`check` for async code. An async review function is awaited in the caller's context; a sync one runs in a thread."""
        step = await asyncio.to_thread(self._first, payload, _document(source), artifact_type, frozenset(excluded))
        while isinstance(step, ReviewRequest):
            answer = await self._ask_async(step)
            step = await asyncio.to_thread(self._conclude, step, answer)
        return step

    def settle(self, request_id: str, decision: ReviewDecision | None = None) -> Outcome:
        """Bring a decision that came later. Releases at most once per request, in all processes that share the queue.

        decision: None takes the one recorded in the queue. An edit that does not pass is HELD with a new request.
        """
        try:
            request, state = self._queue.get(request_id), self._queue.state(request_id)
            answer: object = self._queue.decision(request_id) if decision is None and request is not None else decision
        except Exception:  # noqa: BLE001 - whatever a queue does wrong, it holds
            return outcome(OutcomeStatus.HELD, "review.queue_error", report=None, request_id=request_id)
        if request is None:
            return outcome(OutcomeStatus.HELD, CLOSED.get(state, "review.unknown_request"), report=None, request_id=request_id)
        step = self._conclude(request, answer)
        return self._held(step, "review.edit_held") if isinstance(step, ReviewRequest) else step

    # ---- steps 1 to 4 ----

    def _first(self, payload: object, source: SourceDocument, artifact_type: str, excluded: frozenset[str]) -> Outcome | ReviewRequest:
        try:
            content = self._verified(payload, source, artifact_type)
        except Exception as error:  # noqa: BLE001 - whatever breaks here, it holds
            return outcome(OutcomeStatus.HELD, "verify.error", report=None, why=_in_words(error))
        return self._recorded(content, artifact_type, excluded, round_number=1, before=())

    def _verified(self, payload: object, source: SourceDocument, artifact_type: str) -> Content:
        copy: Json = None
        numbers: tuple[NumberPath, ...] = ()
        try:
            copy = plain_json(payload)
            text, malformed, numbers = plain_text(copy), False, number_paths(payload, copy)
        except MalformedPayload:
            text, malformed = _raw_text(payload), True
        report = self._verify(Extraction(artifact_type, payload if malformed else copy), source)
        told: dict[str, tuple[str, ...]] = {}
        if report.overall is not Verdict.PASS and not malformed:
            told = self._compositions(report, copy)
        return Content(payload_text=text, malformed=malformed, source=source, report=report, numbers=numbers, compositions=told)

    def _compositions(self, report: VerificationReport, payload: Json) -> dict[str, tuple[str, ...]]:
        return wording.compositions(report, payload, (self._rulepack or Rulepack.default()).bundle)

    def _verify(self, extraction: Extraction, source: SourceDocument) -> VerificationReport:
        return verify(extraction, source, self._rulepack)

    def _recorded(
        self, content: Content, artifact_type: str, excluded: frozenset[str], round_number: int, before: tuple[EntryMaker, ...]
    ) -> Outcome | ReviewRequest:
        """Record a verification (after the entries `before` it) and what follows from it: a release, or a request that is now open."""
        passed = content.report.overall is Verdict.PASS
        if passed and not _releasable(content):
            return outcome(OutcomeStatus.HELD, "release.digest_mismatch", report=content.report)
        if self._audit is not None:
            try:
                entries, content = self._audit.verification(content, artifact_type)
                released = auditing.release_entry(self._audit, content, OutcomeStatus.RELEASED.value)
                seqs = self._audit.append(
                    *(make() for make in before), *entries, released if passed else auditing.requested_entry(content, round_number)
                )
            except Exception:  # noqa: BLE001 - no record, no release, whatever the reason
                return outcome(OutcomeStatus.HELD, "release.audit_failed", report=content.report)
            content = auditing.at_seq(content, seqs[len(before)])
        if passed:
            return _released(OutcomeStatus.RELEASED, "release.pass", content)
        try:
            request = build_request(
                content,
                attempt=self._queue.attempts(content_key_of(content)),
                artifact_type=artifact_type,
                min_reviewers=self._min_reviewers,
                excluded=excluded,
                round_number=round_number,
            )
            self._queue.submit(request)
        except Exception:  # noqa: BLE001 - whatever a queue does wrong, it holds
            return outcome(OutcomeStatus.HELD, "review.queue_error", report=content.report)
        return request

    # ---- step 5 ----

    def _ask(self, request: ReviewRequest) -> object:
        handler = self._handler
        if handler is None:
            return _NoAnswer(self._unasked, "")
        if self._timeout is None:
            answer = self._guarded(request, lambda: handler(request))
        else:
            waiting = _in_thread(lambda: self._guarded(request, lambda: handler(request)))
            if not waiting.done.wait(self._timeout):
                return _NoAnswer("review.timeout", "handler_timeout")
            answer = waiting.result()
        if inspect.isawaitable(answer):
            _discard(answer)
            return _NoAnswer("review.async_in_sync", "handler_error")
        return answer

    async def _ask_async(self, request: ReviewRequest) -> object:
        handler = self._handler
        if handler is None:
            return _NoAnswer(self._unasked, "")
        loop = asyncio.get_running_loop()
        deadline = None if self._timeout is None else loop.time() + self._timeout
        if _is_async(handler):
            answer: object = self._guarded(request, lambda: handler(request))
        else:
            future: asyncio.Future[object] = loop.create_future()
            waiting = _in_thread(lambda: self._guarded(request, lambda: handler(request)), lambda: _wake(loop, future))
            if not await self._wait(future, deadline):
                return _NoAnswer("review.timeout", "handler_timeout")
            answer = waiting.result()
        if not inspect.isawaitable(answer):
            return answer
        if deadline is None:
            return await self._guarded_async(request, answer)
        task = asyncio.ensure_future(self._guarded_async(request, answer))
        if not await self._wait(task, deadline):
            # Asked to stop, not waited for: a handler that ignores cancellation must not hold the caller.
            task.add_done_callback(_forget_result)
            task.cancel()
            return _NoAnswer("review.timeout", "handler_timeout")
        return task.result()

    @staticmethod
    async def _wait(future: asyncio.Future[Any], deadline: float | None) -> bool:
        left = None if deadline is None else max(0.0, deadline - asyncio.get_running_loop().time())
        try:
            done, _ = await asyncio.wait({future}, timeout=left)
        except BaseException:
            future.cancel()
            raise
        return bool(done)

    def _guarded(self, request: ReviewRequest, call: Callable[[], object]) -> object:
        """The handler's answer, or why there is none. What is not an Exception, or is control flow, is recorded and raised again."""
        try:
            return call()
        except BaseException as error:  # noqa: BLE001 - sorted, and raised again where that is right, in _caught
            return self._caught(request, error)

    async def _guarded_async(self, request: ReviewRequest, answer: Awaitable[object]) -> object:
        try:
            return await answer
        except BaseException as error:  # noqa: BLE001 - as above
            return self._caught(request, error)

    def _caught(self, request: ReviewRequest, error: BaseException) -> _NoAnswer:
        name = type(error).__name__
        if isinstance(error, self._control_flow) or not isinstance(error, Exception):
            self._try_log(partial(auditing.handler_entry, request, "handler_aborted", name))
            raise error
        return _NoAnswer("review.handler_error", "handler_error", name)

    # ---- step 6 ----

    def _conclude(self, request: ReviewRequest, answer: object) -> Outcome | ReviewRequest:
        """The total table from an answer to an outcome. Returns a request when an edit has to be asked about again."""
        if answer is None:
            return self._held(request, "review.pending")
        if isinstance(answer, _NoAnswer):
            logged = not answer.log or self._try_log(lambda: auditing.handler_entry(request, answer.log, answer.error or answer.code))
            return self._held(request, answer.code if logged else "release.audit_failed")
        if self._audit is not None and request._content.open().audit_record is None:
            try:
                request = self._recorded_late(request, self._audit)
            except Exception:  # noqa: BLE001 - no record, no release, whatever the reason
                return self._held(request, "release.audit_failed")
        problem = problem_with(answer, request)
        if problem is not None or type(answer) is not ReviewDecision:
            problem = problem or "review.wrong_type"
            logged = self._try_log(partial(auditing.invalid_entry, request, problem))
            return self._held(request, problem if logged else "release.audit_failed")
        if self._audit is None and answer.action is not Action.REJECT:
            return self._held(request, "release.no_log", answer)
        try:
            open_code = self._queue.record(request, answer)
            if open_code is None and not self._queue.settle(request.request_id):
                open_code = "review.already_settled"
        except Exception:  # noqa: BLE001 - whatever a queue does wrong, it holds
            return self._held(request, "review.queue_error", answer)
        if open_code is not None:
            logged = self._try_log(partial(auditing.decision_entry, self._audit, request, answer, open_code))
            return self._held(request, open_code if logged else "release.audit_failed", answer)
        try:
            step = self._act(request, answer)
        except _Unrecorded:
            self._queue.unsettle(request.request_id)
            return self._held(request, "release.audit_failed", answer)
        if self._forgetful:
            self._queue.forget(request.request_id)
        return step

    def _recorded_late(self, request: ReviewRequest, audit: AuditLog) -> ReviewRequest:
        """A request held by a fence without a log, decided before one with a log: its verification is recorded first."""
        entries, content = audit.verification(request._content.open(), request.artifact_type)
        (seq, *_) = audit.append(*entries)
        return replace(request, _content=Sealed(auditing.at_seq(content, seq)))

    def _act(self, request: ReviewRequest, decision: ReviewDecision) -> Outcome | ReviewRequest:
        """Carry out a valid decision that this call alone has taken out of the queue."""
        content = request._content.open()
        if decision.action is Action.EDIT:
            return self._edited(request, decision)
        decided = partial(auditing.decision_entry, self._audit, request, decision, "counts")
        if decision.action is Action.REJECT:
            self._log(decided)
            return outcome(OutcomeStatus.REJECTED, "review.rejected", report=content.report, request=request, decision=decision)
        if not _releasable(content):
            self._log(decided)
            return self._held(request, "release.digest_mismatch", decision)
        status, code = _RELEASE_BY[decision.action]
        self._log(decided, partial(auditing.release_entry, self._audit, content, status.value, decided=True))
        return _released(status, code, content, request, decision)

    def _edited(self, request: ReviewRequest, decision: ReviewDecision) -> Outcome | ReviewRequest:
        text = "" if decision._edited is None else decision._edited.open()
        decided = partial(auditing.decision_entry, self._audit, request, decision, "counts")
        try:
            content = self._verified(text, request._content.open().source, request.artifact_type)
        except Exception as error:  # noqa: BLE001 - whatever breaks here, it holds
            self._log(decided)
            return outcome(OutcomeStatus.HELD, "verify.error", report=None, request_id=request.request_id, why=_in_words(error))
        step = self._recorded(content, request.artifact_type, request.excluded, round_number=request.round + 1, before=(decided,))
        if isinstance(step, ReviewRequest):
            return step if step.round <= MAX_ROUNDS else self._held(step, "review.rounds_exhausted", decision)
        if step.code == "release.audit_failed":
            raise _Unrecorded
        if step.released:
            return _released(OutcomeStatus.RELEASED, "review.edited", content, request, decision)
        return step

    def _held(self, request: ReviewRequest, code: str, decision: ReviewDecision | None = None) -> Outcome:
        return outcome(OutcomeStatus.HELD, code, report=request._content.open().report, request=request, decision=decision)

    def _log(self, *makers: EntryMaker) -> None:
        if not self._try_log(*makers):
            raise _Unrecorded

    def _try_log(self, *makers: EntryMaker) -> bool:
        """True if recorded, or if there is no log to record in. Making an entry reads the record's salt, and can fail as well."""
        if self._audit is None:
            return True
        try:
            self._audit.append(*(make() for make in makers))
        except Exception:  # noqa: BLE001 - the caller holds
            return False
        return True


class _Unrecorded(Exception):  # noqa: N818 - never leaves this module
    """The log refused; nothing leaves."""


def _document(source: object) -> SourceDocument:
    if type(source) is str:
        return SourceDocument(source)
    if isinstance(source, SourceDocument):
        return source
    raise ContractError("fence.source", f"`source` must be the clinician's text (str) or a SourceDocument, not {type(source).__name__}")


def _releasable(content: Content) -> bool:
    """What would be released is what the report is about. A malformed payload never is."""
    return not content.malformed and rehash(content.payload_text) == content.report.input_hashes.get("payload")


def _released(
    status: OutcomeStatus, code: str, content: Content, request: ReviewRequest | None = None, decision: ReviewDecision | None = None
) -> Outcome:
    return outcome(
        status,
        code,
        report=content.report,
        request=request,
        decision=decision,
        payload_text=content.payload_text,
        numbers=content.numbers,
    )


def _in_words(error: Exception) -> str:
    """Our own messages carry no text of source or payload; of anybody else's exception only the class is told."""
    told = error.diagnostics() if isinstance(error, MedfenceError) else type(error).__name__
    return f"{MEANING['verify.error']} ({told})"


def _raw_text(payload: object) -> str:
    if isinstance(payload, bytes | bytearray):
        try:
            return bytes(payload).decode("utf-8")
        except UnicodeDecodeError:
            return ""
    return payload if type(payload) is str else ""


# ---- threads and awaitables -----------------------------------------------------------------------------------


class _Waiting:
    """One call in a daemon thread, in the caller's context. A result that comes too late is never read."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.value: object = None
        self.error: BaseException | None = None

    def result(self) -> object:
        if self.error is not None:
            raise self.error
        return self.value


def _in_thread(call: Callable[[], object], when_done: Callable[[], None] | None = None) -> _Waiting:
    waiting, context = _Waiting(), contextvars.copy_context()

    def run() -> None:
        try:
            waiting.value = context.run(call)
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            waiting.error = error
        waiting.done.set()
        if when_done is not None:
            when_done()

    threading.Thread(target=run, name="medfence-review", daemon=True).start()
    return waiting


def _wake(loop: asyncio.AbstractEventLoop, future: asyncio.Future[object]) -> None:
    def wake() -> None:
        if not future.done():
            future.set_result(None)

    if not loop.is_closed():
        loop.call_soon_threadsafe(wake)


def _is_async(handler: object) -> bool:
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(getattr(type(handler), "__call__", None))  # noqa: B004


def _discard(answer: object) -> None:
    """An awaitable nobody will await: closed or cancelled, so that it warns nobody and does nothing later."""
    for name in ("close", "cancel"):
        stop = getattr(answer, name, None)
        if callable(stop):
            stop()
            return


def _forget_result(task: asyncio.Future[Any]) -> None:
    if not task.cancelled():
        task.exception()
