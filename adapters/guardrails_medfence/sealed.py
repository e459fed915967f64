"""`SealedGuard`: your validators and the fence, and nothing leaves that either of them has not seen in its final form.

Guardrails' `validation_passed` says that the validators which ran were content. It does not say which ran, nor on what. So nothing here
relies on it alone:

1. Guardrails runs your validators on the model's text. It is never given the source.
2. The text as the model wrote it is verified: what Guardrails prunes, coerces or does not look at is seen here.
3. The value Guardrails would hand out goes to the fence: what a validator changed is seen here. If the text itself did not pass, it is the
   text that goes to the fence, so that a person is asked about what the model wrote.
4. The fence asks `review`, here, in the caller's own context. What a person released goes through your validators once more, and leaves
   only if they pass it unchanged.

Every step can only hold. The result is the core's Outcome.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from guardrails_medfence.host import AsyncGuard, Guard, Validator, alone, quiet, refuses_server
from guardrails_medfence.validator import ClinicalFidelity
from medfence_guard import (
    AuditLog,
    ContractError,
    Extraction,
    Fence,
    Outcome,
    ReviewDecision,
    ReviewQueue,
    ReviewRequest,
    Rulepack,
    SourceDocument,
    Verdict,
    verify,
)  # fmt: skip

WHY_HELD: Mapping[str, str] = {
    "guardrails.not_passed": "Held: another validator of this guard, or its schema, did not pass the output.",
    "guardrails.raised": "Held: another validator of this guard raised an exception.",
    "guardrails.empty": "Held: Guardrails returned no value.",
    "guardrails.changed": "Held: a person released a payload that the other validators or the schema of this guard would change.",
}
"""The reasons that are this adapter's own; all others are the fence's."""


@dataclass(frozen=True, slots=True)
class _Run:
    """What Guardrails made of a text. problem: why it may not leave, a key of WHY_HELD."""

    value: object = None
    problem: str | None = None


RAISED = _Run(problem="guardrails.raised")


class SealedGuard:
    """A Guardrails guard that returns an Outcome. `SealedGuard(MyValidator(), schema=MyModel, review=ask).validate(raw, source)`.

    validators: your own, on the whole output; those attached to fields of `schema` run as well. ClinicalFidelity is not among them: the
    fence is applied in any case. schema: a pydantic model, or None for text.
    review, audit, rulepack, timeout, min_reviewers, control_flow: as for `medfence_guard.Fence`. artifact_type: what the model should make.
    telemetry: False calls `quiet()`, which stops the exports of Guardrails in this process.
    """

    def __init__(
        self,
        *validators: object,
        schema: object = None,
        review: Callable[[ReviewRequest], ReviewDecision | Awaitable[ReviewDecision | None] | None] | ReviewQueue | None = None,
        audit: AuditLog | str | os.PathLike[str] | None = None,
        rulepack: Rulepack | None = None,
        timeout: float | None = None,
        min_reviewers: int = 1,
        control_flow: tuple[type[BaseException], ...] = (),
        artifact_type: str = "prescription",
        telemetry: bool = False,
    ) -> None:
        for validator in validators:
            if not isinstance(validator, Validator):
                raise ContractError("guardrails.validators", f"a {type(validator).__name__} is no Guardrails validator; pass instances")
            if isinstance(validator, ClinicalFidelity):
                raise ContractError("guardrails.validators", "SealedGuard verifies in any case; pass only your other validators")
        self._validators, self._schema = validators, schema
        self._fence = Fence(rulepack, review, audit, timeout, min_reviewers=min_reviewers, control_flow=control_flow)
        self._rulepack, self._artifact_type, self._telemetry = rulepack, artifact_type, telemetry
        self._idle: Mapping[Any, list[Any]] = {Guard: [], AsyncGuard: []}
        with self._guard(Guard):  # a wrong schema is told now, not at the first patient
            pass

    # ---- the calls ----

    def validate(self, raw: str, source: str | SourceDocument, metadata: Mapping[str, Any] | None = None, **options: object) -> Outcome:
        """The outcome for the model's text. source: what the clinician wrote; metadata: for your own validators.

        ContractError for anything but the whole text: a stream, tool calls, a message object, a parsed value.
        """
        document = self._accepted(raw, source, options)
        run = self._run(raw, metadata)
        faithful = self._faithful(raw, document)
        if faithful and run.problem is not None:
            return _held(run.problem)
        checked = run.value if faithful else raw
        return self._left(self._fence.check(checked, document, self._artifact_type), metadata)

    async def avalidate(
        self, raw: str, source: str | SourceDocument, metadata: Mapping[str, Any] | None = None, **options: object
    ) -> Outcome:
        """`validate` for async code. An async review function is awaited in the caller's context."""
        document = self._accepted(raw, source, options)
        run = await self._run_async(raw, metadata)
        faithful = await asyncio.to_thread(self._faithful, raw, document)
        if faithful and run.problem is not None:
            return _held(run.problem)
        outcome = await self._fence.acheck(run.value if faithful else raw, document, self._artifact_type)
        if not _by_a_person(outcome):
            return outcome
        return self._same(outcome, await self._run_async(_text(outcome), metadata))

    def settle(self, request_id: str, decision: ReviewDecision | None = None, metadata: Mapping[str, Any] | None = None) -> Outcome:
        """Bring a decision that came later; see `Fence.settle`. What it releases goes through your validators like anything else."""
        return self._left(self._fence.settle(request_id, decision), metadata)

    # ---- the steps ----

    def _accepted(self, raw: object, source: object, options: Mapping[str, object]) -> SourceDocument:
        if options:
            raise ContractError(
                "guardrails.options",
                f"SealedGuard takes no {', '.join(sorted(options))}: streams are refused, because parts would be out before the whole is "
                "verified, and Guardrails calls no model here; pass the whole text",
            )
        if type(raw) is not str:
            raise ContractError(
                "guardrails.raw",
                f"a {type(raw).__name__} is not the model's text (str). Tool calls, messages, streams and parsed values are refused: "
                "Guardrails checks none of their parts but the text",
            )
        if source is None:
            return SourceDocument("")  # ABSTAIN, and says so
        if isinstance(source, SourceDocument):
            return source
        if type(source) is str:
            return SourceDocument(source)
        raise ContractError(
            "guardrails.source", f"`source` must be the clinician's text (str) or a SourceDocument, not {type(source).__name__}"
        )

    @contextmanager
    def _guard(self, kind: Any) -> Iterator[Any]:  # noqa: ANN401 - Guardrails is untyped
        """A guard that no other call is using, and that remembers none: its history keeps values and metadata.

        Making one takes a tenth of a second (it loads certificates for a server it never asks), so it is kept for the next call.
        """
        refuses_server()
        if not self._telemetry:
            quiet()
        idle = self._idle[kind]
        try:
            guard = idle.pop()
        except IndexError:
            guard = kind() if self._schema is None else kind.for_pydantic(self._schema)
            if self._validators:
                guard.use(*self._validators, on="output")
        try:
            yield guard
        finally:
            guard.history.clear()
        idle.append(guard)

    def _run(self, text: str, metadata: Mapping[str, Any] | None) -> _Run:
        with self._guard(Guard) as guard:
            try:
                return _read(alone(lambda: guard.validate(text, metadata=dict(metadata or {}))))
            except Exception:  # noqa: BLE001 - whatever a validator does, it holds; its message may quote the record
                return RAISED

    async def _run_async(self, text: str, metadata: Mapping[str, Any] | None) -> _Run:
        with self._guard(AsyncGuard) as guard:
            try:
                return _read(await guard.validate(text, metadata=dict(metadata or {})))
            except Exception:  # noqa: BLE001 - as above
                return RAISED

    def _faithful(self, raw: str, document: SourceDocument) -> bool:
        """Whether the machine passes the text as the model wrote it."""
        try:
            return verify(Extraction(self._artifact_type, raw), document, self._rulepack).overall is Verdict.PASS
        except Exception:  # noqa: BLE001 - the fence runs into it too, and holds
            return False

    def _left(self, outcome: Outcome, metadata: Mapping[str, Any] | None) -> Outcome:
        return self._same(outcome, self._run(_text(outcome), metadata)) if _by_a_person(outcome) else outcome

    def _same(self, outcome: Outcome, run: _Run) -> Outcome:
        """A person's release leaves if the other validators pass exactly it."""
        if run.problem is None and (run.value if self._schema is None else _dumped(run.value)) == _text(outcome):
            return outcome
        return _held(run.problem or "guardrails.changed", outcome.request_id)


def _read(result: Any) -> _Run:  # noqa: ANN401 - Guardrails is untyped
    """`validation_passed` alone is no proof: one failed summary, an error or a pending reask, and nothing leaves."""
    passed = result.validation_passed is True and result.error is None and result.reask is None and not result.validation_summaries
    if not passed:
        return _Run(problem="guardrails.not_passed")
    return _Run(problem="guardrails.empty") if result.validated_output is None else _Run(value=result.validated_output)


def _by_a_person(outcome: Outcome) -> bool:
    return outcome.released and outcome.decision is not None


def _text(outcome: Outcome) -> str:
    return _dumped(outcome.payload)


def _dumped(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _held(code: str, request_id: str | None = None) -> Outcome:
    """The core's own HELD outcome of a request nobody knows, with our reason."""
    return replace(Fence().settle(""), code=code, why=WHY_HELD[code], request_id=request_id)
