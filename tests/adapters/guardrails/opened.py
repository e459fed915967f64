"""A pytest plugin that opens the fence on purpose: Guardrails alone decides, nothing is refused. For test_opened.py only."""

from __future__ import annotations

import contextlib
import json
from typing import Any

with contextlib.ExitStack() as stack:
    import warnings

    stack.enter_context(warnings.catch_warnings())
    warnings.simplefilter("ignore", DeprecationWarning)
    from guardrails.validator_base import Validator
    from guardrails_ai.types import FailResult, PassResult

import guardrails_medfence.sealed as sealed
import guardrails_medfence.validator as validator
from medfence_guard import Fence, Outcome, OutcomeStatus
from medfence_guard.release.outcome import outcome


def released(value: object) -> Outcome:
    return outcome(OutcomeStatus.RELEASED, "release.pass", report=None, payload_text=json.dumps(value, default=str))


def set_up(self: Any, *, mode: str = "raise", on_fail: object = None, rebuilt: bool = False, **_: object) -> None:
    Validator.__init__(self, on_fail=on_fail, mode=mode, rebuilt=rebuilt)
    self._fence, self._mode = Fence(), mode


def content(self: Any, value: object, metadata: object) -> object:
    return PassResult() if self._mode == "raise" else FailResult(error_message="", fix_value=value)


def validate(self: Any, raw: Any, source: object, metadata: Any = None, **_: object) -> Outcome:
    return released(self._run(raw, metadata).value)


async def avalidate(self: Any, raw: Any, source: object, metadata: Any = None, **_: object) -> Outcome:
    return released((await self._run_async(raw, metadata)).value)


ours = validator.ClinicalFidelity
ours.__init__, ours._validate = set_up, content
for name in ("validate_stream", "async_validate_stream", "to_runnable", "with_metadata", "__call__"):
    setattr(ours, name, getattr(Validator, name))
sealed.SealedGuard.validate, sealed.SealedGuard.avalidate = validate, avalidate  # type: ignore[method-assign]
sealed.refuses_server = lambda: None
