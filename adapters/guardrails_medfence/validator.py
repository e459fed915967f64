"""`ClinicalFidelity`, the fence as a Guardrails validator.

Guardrails passes one thing on whatever a guard is configured to do: an exception raised by a validator. So this validator raises unless the
fence released the value it was given. What it cannot prevent is that Guardrails never runs it, or changes the value before or afterwards;
`SealedGuard` is for that.
"""

from __future__ import annotations

import json
import os
from typing import Any, NoReturn

from guardrails_medfence.blocked import VerificationBlocked, told
from guardrails_medfence.host import ErrorSpan, FailResult, OnFailAction, PassResult, Validator, register_validator
from guardrails_medfence.places import places
from medfence_guard import AuditLog, ContractError, Fence, Outcome, ReviewQueue, Rulepack, SourceDocument, Verdict

SOURCE_KEY = "medfence_source"
"""The metadata key of the clinician's text: `guard.validate(output, metadata={"medfence_source": note})`."""

MODES = ("raise", "result")

WHY_NOT = {
    "fix": "there is no corrected value: the fence says what differs and corrects nothing",
    "fix_reask": "there is no corrected value, and Guardrails repeats the check without the source",
    "reask": "asking a model again until it passes is no verification",
    "filter": "dropping a medication from a record is an omission",
    "refrain": "an empty answer looks like a record without medications",
    "custom": "what the function returns would be released unverified and marked as passed; it also runs outside your context",
    "noop": 'with mode="result" Guardrails would hand out the held value, and mark it as passed when another validator fixes something',
}
"""on_fail -> why it is refused. `noop` only with `mode="result"`: with `mode="raise"` no on_fail is ever reached."""

INSTEAD = "keep the default (`exception`) and catch VerificationBlocked, or use SealedGuard, which returns an Outcome"


@register_validator(name="medfence/clinical_fidelity", data_type="all")
class ClinicalFidelity(Validator):  # type: ignore[misc] # Guardrails is untyped
    """Does the record say what the clinician wrote? `Guard().use(ClinicalFidelity())`, on the whole output.

    rulepack, audit, min_reviewers: as for `medfence_guard.Fence`. artifact_type: what the model was asked to make.
    review: a ReviewQueue, or None. Not a function: Guardrails runs validators outside the caller's context, and sometimes late. Ask after
    the call (`except VerificationBlocked`), or use SealedGuard.
    mode: `raise` raises VerificationBlocked; `result` returns a FailResult, which Guardrails turns into its own ValidationError.
    on_fail: `exception`; or `noop`, which changes nothing where `mode` is `raise`. ContractError for any other.

    metadata of each call: `medfence_source`, a str or a SourceDocument. It must not come from the model.
    """

    required_metadata_keys = [SOURCE_KEY]  # noqa: RUF012 - Guardrails' own attribute, a list there

    def __init__(
        self,
        *,
        mode: str = "raise",
        on_fail: object = None,
        rulepack: Rulepack | None = None,
        review: ReviewQueue | None = None,
        audit: AuditLog | str | os.PathLike[str] | None = None,
        artifact_type: str = "prescription",
        min_reviewers: int = 1,
        rebuilt: bool = False,
    ) -> None:
        if rebuilt:
            raise ContractError(
                "guardrails.rebuilt",
                "a serialised guard has lost its rulepack, queue and audit log; build ClinicalFidelity where it is used",
            )
        if mode not in MODES:
            raise ContractError("guardrails.mode", f"`mode` must be one of {', '.join(MODES)}")
        action = _action(on_fail)
        if action is not OnFailAction.EXCEPTION and not (mode == "raise" and action is OnFailAction.NOOP):
            raise ContractError("guardrails.on_fail", f"on_fail={action.value!r} is refused: {WHY_NOT[action.value]}; {INSTEAD}")
        if review is not None and not isinstance(review, ReviewQueue):
            raise ContractError(
                "guardrails.review",
                "inside Guardrails a review function would run outside your context, and perhaps during a later call; "
                "ask when you have caught VerificationBlocked, pass a ReviewQueue, or use SealedGuard(review=...)",
            )
        # These are serialised, put into spans and into prompts: nothing that belongs to a person is among them.
        super().__init__(on_fail=action, mode=mode, artifact_type=artifact_type, rebuilt=True)
        self._fence = Fence(rulepack, review, audit, min_reviewers=min_reviewers)
        self._mode, self._artifact_type = mode, artifact_type

    @property
    def fence(self) -> Fence:
        """The Fence inside, for a decision that comes later: `validator.fence.settle(request_id, decision)`."""
        return self._fence

    def _validate(self, value: object, metadata: dict[str, Any]) -> object:
        """PassResult if the fence released the value; otherwise VerificationBlocked, or a FailResult without a fix_value."""
        source = metadata.get(SOURCE_KEY)
        outcome = self._fence.check(value, SourceDocument("") if source is None else source, self._artifact_type)
        if outcome.released and outcome.report is not None and outcome.report.overall is Verdict.PASS:
            return PassResult()
        # Whoever changed on_fail after construction gets the exception as well.
        if self._mode == "raise" or self.on_fail_descriptor is not OnFailAction.EXCEPTION:
            raise VerificationBlocked(outcome)
        return FailResult(
            error_message=told(outcome),
            error_spans=_error_spans(outcome, value),
            metadata={**metadata, "medfence": _evidence(outcome)},
        )

    # ---- the ways around a validator ----

    def validate_stream(self, *_: object, **__: object) -> NoReturn:
        """Refused: text would be out before its sentence is verified, and its last one never is."""
        raise _refused("streaming", "collect the whole output, then validate it")

    async def async_validate_stream(self, *_: object, **__: object) -> NoReturn:
        """Refused, as `validate_stream`."""
        self.validate_stream()

    def to_runnable(self) -> NoReturn:
        """Refused: it has no source per call, and lets tool calls through."""
        raise _refused("to_runnable", "use langchain_medfence.MedfenceGuard")

    def with_metadata(self, *_: object) -> NoReturn:
        """Refused: it keeps one patient's source on an object that other calls share."""
        raise _refused("with_metadata", "pass metadata with each call of guard.validate")

    def __call__(self, *_: object) -> NoReturn:
        """Refused: there is no source to compare with."""
        raise _refused("calling a validator", "use guard.validate(output, metadata={'medfence_source': source})")


def _action(on_fail: object) -> OnFailAction:
    """What Guardrails would make of `on_fail`: None is `exception`, an unknown word or a function is `custom`."""
    if on_fail is None:
        return OnFailAction.EXCEPTION
    if isinstance(on_fail, OnFailAction):
        return on_fail
    return OnFailAction.__members__.get(on_fail.upper(), OnFailAction.CUSTOM) if isinstance(on_fail, str) else OnFailAction.CUSTOM


def _error_spans(outcome: Outcome, value: object) -> list[object] | None:
    """Where in the validated text the held values stand; None where it is no text, or a finding is about nothing in it."""
    if outcome.report is None or not isinstance(value, str):
        return None
    where = places(value)
    held = [finding for finding in outcome.report.findings if finding.verdict is not Verdict.PASS and finding.field_path in where]
    marked = dict.fromkeys((*where[finding.field_path], finding.check_id) for finding in held)
    return [ErrorSpan(start=start, end=end, reason=reason) for start, end, reason in marked] or None


def _evidence(outcome: Outcome) -> dict[str, object]:
    """The outcome and its report without text: verdicts, rule ids, masked paths, and offsets into the source."""
    report = {} if outcome.report is None else json.loads(outcome.report.to_audit_json())
    report.pop("input_hashes", None)  # unsalted: a short text can be guessed from its hash
    return {"outcome": outcome.to_dict(), "report": report}


def _refused(what: str, instead: str) -> ContractError:
    return ContractError("guardrails.refused", f"{what} would let something leave unverified; {instead}")
