"""The contract of every adapter, kept by each way of using this one."""

from __future__ import annotations

import asyncio
import json

from guardrails import Guard

from adapters.contract.suite import AdapterContract, Judged
from guardrails_medfence import ClinicalFidelity, SealedGuard, VerificationBlocked
from guardrails_medfence.host import alone
from medfence_guard import Outcome


def seen(outcome: Outcome) -> Judged:
    return Judged(outcome.released, outcome.payload if outcome.released else None, f"{outcome!r} {outcome.why} {outcome.to_dict()}")


class TestSealed(AdapterContract):
    def judged(self, answer, note, *, review=None, audit=None):
        return seen(SealedGuard(review=review, audit=audit).validate(answer, note))

    def failed(self, note, *, review=None):
        return None  # no model is run here


class TestSealedAsync(TestSealed):
    def judged(self, answer, note, *, review=None, audit=None):
        return seen(asyncio.run(SealedGuard(review=review, audit=audit).avalidate(answer, note)))


class TestPlain(TestSealed):
    """In the user's own guard, with the review that its README shows: after the exception."""

    def judged(self, answer, note, *, review=None, audit=None):
        validator = ClinicalFidelity(audit=audit)
        guard = Guard().use(validator)
        try:
            result = alone(lambda: guard.validate(answer, metadata={"medfence_source": note}))
            assert result.validation_passed
            return Judged(True, json.loads(result.validated_output), "")
        except VerificationBlocked as blocked:
            shown = f"{blocked!r} {blocked}"
            try:
                decision = review(blocked.request) if review else None
            except LookupError:
                decision = None
            after = seen(validator.fence.settle(blocked.request.request_id, decision))
            return Judged(after.released, after.payload, shown + after.shown)
