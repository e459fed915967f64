"""What came of a check: one of five statuses, and the payload only if it was released."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from medfence_guard import canonical_json
from medfence_guard.contract import Evidence, Json, Verdict, VerificationReport
from medfence_guard.errors import ContractError
from medfence_guard.release.numbers import Path as NumberPath
from medfence_guard.release.numbers import with_numbers
from medfence_guard.release.review import ReviewDecision, ReviewRequest
from medfence_guard.release.sealed import Sealed
from medfence_guard.report import audit_path


class OutcomeStatus(enum.Enum):
    """How the payload left, or that it did not. Only the first three are releases."""

    RELEASED = "released"
    RELEASED_BY_REVIEW = "released_by_review"
    RELEASED_BY_OVERRIDE = "released_by_override"
    REJECTED = "rejected"
    HELD = "held"

    def __bool__(self) -> NoReturn:
        raise ContractError("contract.status_as_bool", "a status has no truth value; use `outcome.released`")


RELEASING = frozenset({OutcomeStatus.RELEASED, OutcomeStatus.RELEASED_BY_REVIEW, OutcomeStatus.RELEASED_BY_OVERRIDE})

MEANING: Mapping[str, str] = {
    "release.pass": "Released: every claim was verified against the source.",
    "review.confirmed": "Released by review: the machine could not decide, a person confirmed.",
    "review.overridden": "Released by override: the machine said FAIL, a person overrode it with a reason.",
    "review.edited": "Released: a person edited the payload and the edited payload was verified.",
    "review.rejected": "Rejected by a person.",
    "review.nobody_to_ask": "Held: this Fence has no `review`, so nobody was asked. Show `outcome.request` to a person and hand their "
    "decision to `fence.settle(request_id, decision)`, or pass `review=` a function or a ReviewQueue.",
    "review.pending": "Held: the review handler gave no decision. A later one goes through `fence.settle(request_id, decision)`.",
    "review.queued": "Held: waiting in the review queue.",
    "review.wrong_type": "Held: the review handler must return None or a ReviewDecision "
    "(built by request.confirm, .edit, .reject or .override).",
    "review.wrong_request": "Held: the decision belongs to another request.",
    "review.wrong_digest": "Held: the decision was made about another payload.",
    "review.action_not_allowed": "Held: this action is not allowed here. An ABSTAIN can be confirmed, a FAIL only overridden.",
    "review.naive_time": "Held: the decision's time needs a time zone.",
    "review.no_reviewer": "Held: the decision names no reviewer.",
    "review.excluded_reviewer": "Held: this reviewer may not decide here (for example, the author of the order).",
    "review.empty_reason": "Held: the decision gives no reason.",
    "review.items_not_named": "Held: several medications are held; confirm must name each one that was looked at "
    "(`items=`, paths in request.held_medications).",
    "review.malformed_payload": "Held: the payload is not readable JSON, so there is nothing to release. Edit or reject it.",
    "review.value_missing": "Held: an override of a strength, dose or unit needs the value the reviewer reads (`values={path: value}`, "
    "paths in request.contested_values).",
    "review.value_differs": "Held: the value the reviewer reads is not the payload's. Edit the payload instead.",
    "review.edit_missing": "Held: the edit carries no payload. Build it with request.edit(payload, ...).",
    "review.edit_held": "Held: the edited payload did not pass either; it is a new request.",
    "review.rounds_exhausted": "Held: the payload was edited too often without passing.",
    "review.handler_error": "Held: the review handler raised an exception.",
    "review.timeout": "Held: the review handler did not answer in time. A later decision goes through "
    "`fence.settle(request_id, decision)`.",
    "review.async_in_sync": "Held: the review handler is async; call `await fence.acheck(...)` instead of `fence.check(...)`.",
    "review.queue_error": "Held: the review queue could not be used.",
    "review.needs_second": "Held: a second reviewer must agree.",
    "review.conflict": "Held: two reviewers disagree.",
    "review.changed_mind": "Held: this reviewer already gave another answer to this request.",
    "review.claimed_by_other": "Held: another reviewer is working on this request.",
    "review.stale_token": "Held: the reviewer's lease has lapsed; claim the request again.",
    "review.already_settled": "Held: this request was settled before, and a request releases once. "
    "Check the payload again to open a new one.",
    "review.expired": "Held: this request expired undecided. Check the payload again to open a new one.",
    "review.unknown_request": "Held: no request with this id is known here. "
    "Without a queue file, requests live only as long as their Fence.",
    "release.no_log": "Held: a release by a person needs a record. Pass `audit=` an AuditLog to this Fence.",
    "release.audit_failed": "Held: the audit log did not take the record. No record, no release.",
    "release.digest_mismatch": "Held: what was verified is not what would be released.",
    "verify.error": "Held: the verification itself failed.",
}
"""Every rule id an outcome can carry, in words. No text of a source or payload is ever put into these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What an outcome shows through its properties and nowhere else. payload_text: JSON of the verified copy, if released."""

    report: VerificationReport | None
    request: ReviewRequest | None
    decision: ReviewDecision | None
    payload_text: str | None
    numbers: tuple[NumberPath, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Outcome:
    """What came of a check. `released` is the one boolean.

    code: the rule id of what decided; `why`: the same in words. request_id: of the review request, if there was one.
    Held or rejected, an outcome has no payload: `payload` raises, and `repr`, `vars`, `asdict`, `to_dict` and pickles carry no text of
    it. `report` and `request` still quote single values beside the source's, because a person has to read them; an unpickled outcome has
    neither the quotes nor the request.
    """

    status: OutcomeStatus
    code: str
    why: str
    request_id: str | None
    _parts: Sealed[Parts] = field(repr=False)

    def __post_init__(self) -> None:
        if self.released is (self._parts.open().payload_text is None):
            raise ContractError("outcome.payload", "an outcome carries a payload exactly when it is released")

    def __bool__(self) -> NoReturn:
        raise ContractError("contract.outcome_as_bool", "an Outcome has no truth value; use `outcome.released`")

    def __repr__(self) -> str:
        return f"<Outcome {self.status.name} ({self.code})>"

    def __copy__(self) -> Outcome:
        return self

    def __deepcopy__(self, _memo: object) -> Outcome:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        parts = self._parts.open()
        report = parts.report if self.released or parts.report is None else without_text(parts.report)
        return _restored, (self.status, self.code, self.why, self.request_id, report, parts.payload_text, parts.numbers)

    @property
    def released(self) -> bool:
        """True exactly when the payload may be used."""
        return self.status in RELEASING

    @property
    def payload(self) -> Any:  # noqa: ANN401 - JSON of whatever shape the model wrote
        """The verified copy of the payload, a new one each time. ContractError unless released."""
        parts = self._parts.open()
        text = parts.payload_text
        if text is None:  # exactly when not released; the constructor sees to it
            raise ContractError("outcome.not_released", f"nothing was released ({self.code}): {self.why}")
        return with_numbers(json.loads(text), parts.numbers)

    @property
    def report(self) -> VerificationReport | None:
        """The machine's verdict, which no person changes; None when the verification failed or the request is unknown."""
        return self._parts.open().report

    @property
    def request(self) -> ReviewRequest | None:
        """What a person is asked, or was asked; None for a machine PASS."""
        return self._parts.open().request

    @property
    def decision(self) -> ReviewDecision | None:
        """The decision that counted or was refused, without an edited payload."""
        return self._parts.open().decision

    def to_dict(self) -> dict[str, Json]:
        """Plain JSON for logs and messages. Carries the payload if released; otherwise no text of payload or source."""
        parts = self._parts.open()
        held: list[Json] = []
        if parts.report is not None:
            held = [
                {"path": masked_path(f.field_path), "check_id": f.check_id, "verdict": f.verdict.value, "severity": f.severity.value}
                for f in parts.report.findings
                if f.verdict is not Verdict.PASS
            ]
        told: dict[str, Json] = {
            "status": self.status.value,
            "released": self.released,
            "code": self.code,
            "why": self.why,
            "request_id": self.request_id,
            "verdict": None if parts.report is None else parts.report.overall.value,
            "held": held,
            "not_checked": [] if parts.report is None else [masked_path(path) for path in parts.report.not_checked],
            "decision": None
            if parts.decision is None
            else {
                "action": parts.decision.action.value,
                "reviewer": parts.decision.reviewer,
                "decided_at": parts.decision.decided_at.isoformat(),
            },
        }
        if self.released:
            told["payload"] = self.payload
        return told


def outcome(
    status: OutcomeStatus,
    code: str,
    *,
    report: VerificationReport | None,
    request: ReviewRequest | None = None,
    request_id: str | None = None,
    decision: ReviewDecision | None = None,
    payload_text: str | None = None,
    numbers: tuple[NumberPath, ...] = (),
    why: str | None = None,
) -> Outcome:
    """An outcome with its words from `MEANING`. payload_text: for the three releasing statuses, and only for them."""
    shown = None if decision is None else replace(decision, values={}, _edited=None)
    return Outcome(
        status=status,
        code=code,
        why=MEANING[code] if why is None else why,
        request_id=request_id if request is None else request.request_id,
        _parts=Sealed(Parts(report=report, request=request, decision=shown, payload_text=payload_text, numbers=numbers)),
    )


def _restored(
    status: OutcomeStatus,
    code: str,
    why: str,
    request_id: str | None,
    report: VerificationReport | None,
    payload_text: str | None,
    numbers: tuple[NumberPath, ...],
) -> Outcome:
    return outcome(status, code, report=report, request_id=request_id, payload_text=payload_text, numbers=numbers, why=why)


def masked_path(path: str) -> str:
    """The path with every key that is not one of ours drawn as `*`: a model writes its own keys, and may write anything there."""
    return ".".join("*" if part.startswith("key:") else part for part in audit_path(path).split("."))


def without_text(report: VerificationReport) -> VerificationReport:
    """The report with verdicts, paths, rules and spans, and without any text of source or payload."""

    def bare(evidence: Evidence) -> Evidence:
        if evidence.kind == "reference":
            return Evidence(kind="rule", rule_id="evidence.withheld", source_spans=evidence.source_spans)
        return evidence._replace(matched_text=None, refdata_key=None, citation=None, grade=None, similarity=None)

    return replace(
        report,
        findings=tuple(
            f._replace(field_path=masked_path(f.field_path), message="", evidence=tuple(map(bare, f.evidence))) for f in report.findings
        ),
        items=tuple(replace(item, path=masked_path(item.path)) for item in report.items),
        not_checked=tuple(map(masked_path, report.not_checked)),
        input_hashes={},
    )


def rehash(payload_text: str) -> str:
    """The digest of what would be released, computed anew from its text."""
    return canonical_json.sha256(json.loads(payload_text))
