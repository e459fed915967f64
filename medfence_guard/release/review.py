"""What a person is asked, what a person may answer, and which answers count.

`ReviewRequest` is everything a reviewer needs: why they are asked, one plain sentence per held field, and the evidence
page. `ReviewDecision` is the answer, bound to the request and to the exact payload by their digests.
`problem_with` is the total table of what makes a decision invalid; an invalid decision releases nothing.

Only two things are decided here by policy: an ABSTAIN may be confirmed, a FAIL may not: it can only be overridden,
with a reason, and a contested strength, dose or unit is typed again by the reviewer from what they read.
"""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from medfence_guard import canonical_json
from medfence_guard.contract import Json, SourceDocument, Verdict, VerificationReport
from medfence_guard.errors import ContractError
from medfence_guard.payload import MalformedPayload, plain_json
from medfence_guard.release import wording
from medfence_guard.release.numbers import Path as NumberPath
from medfence_guard.release.numbers import number_paths, with_numbers
from medfence_guard.release.sealed import Sealed


class Action(enum.Enum):
    """What a reviewer may do with a held payload."""

    CONFIRM = "confirm"
    EDIT = "edit"
    REJECT = "reject"
    OVERRIDE = "override"


ALLOWED_ACTIONS: Mapping[Verdict, frozenset[Action]] = {
    Verdict.ABSTAIN: frozenset({Action.CONFIRM, Action.EDIT, Action.REJECT}),
    Verdict.FAIL: frozenset({Action.EDIT, Action.REJECT, Action.OVERRIDE}),
}

REASON_CODES = frozenset(
    {
        "read_in_source",
        "source_misread_by_machine",
        "prescriber_confirmed",
        "not_in_reference",
        "local_convention",
        "wrong_extraction",
        "unreadable_source",
        "other",
    }
)
"""Reasons an audit log keeps in clear. Any other text is a valid reason too, but is logged as `other` with a commitment to the text."""

MAX_ROUNDS = 3
"""How often an edit may be edited again before the payload stays held."""

VALUE_CHECKS = frozenset(
    {
        "grounding.strength",
        "grounding.dose",
        "grounding.dosage",
        "grounding.unit_integrity",
        "grounding.max_dose",
        "reference.dose_in_range",
    }
)
VALUE_FIELDS = frozenset({"strength", "dose", "unit", "max_dose"})
"""A FAIL of one of these checks, or at a path ending in one of these fields, is overridden only by typing the value again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a person is asked: one finding that is not PASS. Carries no text."""

    path: str
    check_id: str
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReviewDecision:
    """One person's answer to one request.

    request_id, payload_sha256: echoed from the request; the person decided on these bytes and no others.
    reviewer: who, as authenticated by the caller (never by this package).
    decided_at: aware; a naive or missing time is invalid.
    items: for confirm: the held medications the reviewer looked at, by path; needed when more than one is held.
    values: for override: contested path -> the value the reviewer reads in the source.
    edited_sha256: for edit: digest of the new payload (the payload itself is sealed inside).
    """

    request_id: str
    payload_sha256: str
    action: Action
    reviewer: str
    decided_at: datetime
    reason: str
    comment: str = field(default="", repr=False)
    items: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict, repr=False)
    edited_sha256: str | None = None
    _edited: Sealed[str] | None = field(default=None, repr=False)

    def to_record(self) -> Json:
        """Plain JSON of the whole decision, the edited payload included: health data, for a ReviewQueue."""
        return {
            "request_id": self.request_id,
            "payload_sha256": self.payload_sha256,
            "action": self.action.value,
            "reviewer": self.reviewer,
            "decided_at": self.decided_at.isoformat(),
            "reason": self.reason,
            "comment": self.comment,
            "items": list(self.items),
            "values": dict(self.values),
            "edited": None if self._edited is None else self._edited.open(),
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Json]) -> ReviewDecision:
        """The decision that `to_record` wrote; for transports that carry JSON. ContractError if it is anything else."""
        try:
            edited, values, items = record["edited"], record["values"], record["items"]
            if not (isinstance(values, dict) and isinstance(items, list)):
                raise TypeError
            return cls(
                request_id=_text(record["request_id"]),
                payload_sha256=_text(record["payload_sha256"]),
                action=Action(record["action"]),
                reviewer=_text(record["reviewer"]),
                decided_at=datetime.fromisoformat(_text(record["decided_at"])),
                reason=_text(record["reason"]),
                comment=_text(record["comment"]),
                items=tuple(_text(item) for item in items),
                values={path: _text(value) for path, value in values.items()},
                edited_sha256=None if edited is None else _edited_sha256(_text(edited)),
                _edited=None if edited is None else Sealed(_text(edited)),
            )
        except (KeyError, TypeError, ValueError, MalformedPayload):
            raise ContractError("review.decision_record", "not a decision written by ReviewDecision.to_record()") from None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReviewRequest:
    """A held payload, ready for a person.

    request_id: from the content, so the same extraction of the same source is one open request.
    verdict: FAIL or ABSTAIN; a PASS is never reviewed.
    reasons: every finding that is not PASS, by path and check. items: the same for reading, one sentence per held field.
    not_checked: paths the rulepack was told to leave unverified; nobody looked at them.
    allowed: the actions that count here. min_reviewers: 2 = four eyes. excluded: who may not decide (the author).
    round: 1, then one more for each edit that did not pass. attempt: how often the same content was settled before.
    """

    request_id: str
    verdict: Verdict
    artifact_type: str
    payload_sha256: str
    report_sha256: str
    reasons: tuple[Reason, ...]
    items: tuple[wording.ReviewItem, ...] = field(repr=False)
    not_checked: tuple[str, ...] = field(repr=False)
    allowed: frozenset[Action]
    min_reviewers: int = 1
    excluded: frozenset[str] = frozenset()
    round: int = 1
    attempt: int = 0
    _content: Sealed[Content] = field(repr=False)

    def __post_init__(self) -> None:
        if self.verdict not in ALLOWED_ACTIONS:
            raise ContractError("review.pass_needs_no_review", "only FAIL and ABSTAIN are reviewed")
        if not self.allowed <= ALLOWED_ACTIONS[self.verdict]:
            raise ContractError("review.action_not_allowed", f"a {self.verdict.value} cannot allow more than its own actions")

    @property
    def held_medications(self) -> tuple[str, ...]:
        """The paths that `confirm(items=…)` must name when there is more than one."""
        return tuple(dict.fromkeys(item.item for item in self.items))

    @property
    def contested_values(self) -> tuple[str, ...]:
        """The paths whose value an override must type again (`values={path: "50 mcg"}`)."""
        contested = (r for r in self.reasons if r.verdict is Verdict.FAIL)
        wanted = (r.path for r in contested if r.check_id in VALUE_CHECKS or r.path.rpartition(".")[2] in VALUE_FIELDS)
        return tuple(dict.fromkeys(path for path in wanted if "." in path.removeprefix("$.")))

    @property
    def summary(self) -> str:
        """Why a person is asked, in plain words: one line per held field, unchecked fields first. Contains health data."""
        return wording.summary(self.verdict, self.items, self.not_checked)

    def to_html(self, images: Mapping[int, bytes] | None = None) -> str:
        """The evidence page. `images`: page number -> PNG or JPEG bytes. Contains health data."""
        content = self._content.open()
        payload: object = content.payload_text if content.malformed else json.loads(content.payload_text)
        return content.report.to_html(content.source, payload, images)

    def confirm(
        self, *, reviewer: str, reason: str, items: Iterable[str] = (), comment: str = "", decided_at: datetime | None = None
    ) -> ReviewDecision:
        """ABSTAIN only: the reviewer read the source and the extraction is right. With several medications held, name each in `items`."""
        return self._decision(Action.CONFIRM, reviewer, reason, comment, decided_at, items=tuple(items))

    def reject(self, *, reviewer: str, reason: str, comment: str = "", decided_at: datetime | None = None) -> ReviewDecision:
        """The payload is not to be used."""
        return self._decision(Action.REJECT, reviewer, reason, comment, decided_at)

    def override(
        self,
        *,
        reviewer: str,
        reason: str,
        values: Mapping[str, str] | None = None,
        comment: str = "",
        decided_at: datetime | None = None,
    ) -> ReviewDecision:
        """FAIL only: the machine is wrong.

        values: for every path of `contested_values`, the value the reviewer reads in the source; it must equal the payload's.
        """
        return self._decision(Action.OVERRIDE, reviewer, reason, comment, decided_at, values=dict(values or {}))

    def edit(self, payload: object, *, reviewer: str, reason: str, comment: str = "", decided_at: datetime | None = None) -> ReviewDecision:
        """A corrected payload. It is verified like any other, and counts only when its own verdict allows it.

        ContractError when it is not readable JSON: that is the editor's mistake, not a model's.
        """
        try:
            copy = plain_json(payload)
        except MalformedPayload as error:
            raise ContractError("review.edit_malformed", f"the edited payload is not readable JSON ({error.code})") from None
        text = json.dumps(with_numbers(copy, number_paths(payload, copy)), ensure_ascii=False)
        return self._decision(Action.EDIT, reviewer, reason, comment, decided_at, edited=text)

    def _decision(
        self,
        action: Action,
        reviewer: str,
        reason: str,
        comment: str,
        decided_at: datetime | None,
        *,
        items: tuple[str, ...] = (),
        values: Mapping[str, str] | None = None,
        edited: str | None = None,
    ) -> ReviewDecision:
        return ReviewDecision(
            request_id=self.request_id,
            payload_sha256=self.payload_sha256,
            action=action,
            reviewer=reviewer,
            decided_at=datetime.now(UTC) if decided_at is None else decided_at,
            reason=reason,
            comment=comment,
            items=items,
            values=values or {},
            edited_sha256=None if edited is None else _edited_sha256(edited),
            _edited=None if edited is None else Sealed(edited),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The health data of a request: what was verified, and the report on it.

    payload_text: the verified copy as JSON text, keys in the model's order.
    malformed: it is the model's own unreadable text instead, and can never be released.
    numbers: the paths whose text is a number in the payload as given. compositions: medication path -> what the bundle says it contains.
    audit_record, audit_seq: where the log holds its verification, if there is a log.
    """

    payload_text: str
    malformed: bool
    source: SourceDocument
    report: VerificationReport
    numbers: tuple[NumberPath, ...] = ()
    compositions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    audit_record: str | None = None
    audit_seq: int | None = None

    @property
    def payload_sha256(self) -> str:
        """Canonical digest of the verified copy; of a malformed payload, digest of its text."""
        if not self.malformed:
            return canonical_json.sha256(json.loads(self.payload_text))
        return hashlib.sha256(self.payload_text.encode("utf-8", "surrogatepass")).hexdigest()


def plain_text(copy: Json) -> str:
    """The verified copy as JSON text, keys in the model's own order (replay and the evidence page read it in that order)."""
    return json.dumps(copy, ensure_ascii=False, separators=(",", ":"))


def build_request(
    content: Content,
    *,
    attempt: int,
    artifact_type: str,
    min_reviewers: int = 1,
    excluded: frozenset[str] = frozenset(),
    round_number: int = 1,
) -> ReviewRequest:
    """The request for this content. attempt: how many requests about the same content were settled before this one."""
    report = content.report
    payload: Json = None if content.malformed else json.loads(content.payload_text)
    payload_sha256 = content.payload_sha256
    report_sha256 = hashlib.sha256(report.to_json().encode("utf-8")).hexdigest()
    policy: Json = [min_reviewers, list[Json](sorted(excluded)), round_number]
    held = [finding for finding in report.findings if finding.verdict is not Verdict.PASS]
    return ReviewRequest(
        request_id=request_id_of(report_sha256, payload_sha256, report.input_hashes.get("source_text", ""), policy, attempt),
        verdict=report.overall,
        artifact_type=artifact_type,
        payload_sha256=payload_sha256,
        report_sha256=report_sha256,
        reasons=tuple(Reason(path=f.field_path, check_id=f.check_id, verdict=f.verdict) for f in held),
        items=wording.review_items(report, payload, content.source, content.compositions),
        not_checked=report.not_checked,
        allowed=ALLOWED_ACTIONS[report.overall],
        min_reviewers=min_reviewers,
        excluded=excluded,
        round=round_number,
        attempt=attempt,
        _content=Sealed(content),
    )


def request_id_of(report_sha256: str, payload_sha256: str, source_sha256: str, policy: Json, attempt: int) -> str:
    """The id of a request is its content, who may decide about it, and how often that same content was settled before."""
    return "rr_" + canonical_json.sha256([report_sha256, payload_sha256, source_sha256, policy, attempt])[:32]


# ---- which decisions count ------------------------------------------------------------------------------------

Rule = Callable[[ReviewDecision, ReviewRequest], bool]


def _well_formed(decision: ReviewDecision) -> bool:
    """A dataclass does not check its fields; what the rules below touch has exactly the types they expect."""
    if type(decision.action) is not Action or type(decision.items) is not tuple or type(decision.values) is not dict:
        return False
    texts = (decision.request_id, decision.payload_sha256, decision.comment, *decision.items, *decision.values, *decision.values.values())
    return all(type(text) is str for text in texts)


def _is_aware(when: object) -> bool:
    return isinstance(when, datetime) and when.utcoffset() is not None


def _blank(text: object) -> bool:
    return not (type(text) is str and text.strip())


def _values_given(decision: ReviewDecision, request: ReviewRequest) -> bool:
    return all(not _blank(decision.values.get(path)) for path in request.contested_values)


def _values_equal(decision: ReviewDecision, request: ReviewRequest) -> bool:
    payload = json.loads(request._content.open().payload_text) if request.contested_values else None
    for path in request.contested_values:
        own = wording.value_text(wording.value_at(payload, path))
        if own is None or wording.comparable(own) != wording.comparable(decision.values[path]):
            return False
    return True


INVALID_WHEN: tuple[tuple[str, Rule], ...] = (
    ("review.wrong_request", lambda d, r: d.request_id != r.request_id),
    ("review.wrong_digest", lambda d, r: d.payload_sha256 != r.payload_sha256),
    ("review.action_not_allowed", lambda d, r: d.action not in r.allowed),
    ("review.naive_time", lambda d, _: not _is_aware(d.decided_at)),
    # `_blank` is also true of what is no text at all.
    ("review.no_reviewer", lambda d, _: _blank(d.reviewer)),
    ("review.excluded_reviewer", lambda d, r: d.reviewer in r.excluded),
    ("review.empty_reason", lambda d, _: d.action is not Action.REJECT and _blank(d.reason)),
    (
        "review.items_not_named",
        lambda d, r: d.action is Action.CONFIRM and len(r.held_medications) > 1 and set(d.items) != set(r.held_medications),
    ),
    ("review.malformed_payload", lambda d, r: d.action in (Action.CONFIRM, Action.OVERRIDE) and r._content.open().malformed),
    ("review.value_missing", lambda d, r: d.action is Action.OVERRIDE and not _values_given(d, r)),
    ("review.value_differs", lambda d, r: d.action is Action.OVERRIDE and not _values_equal(d, r)),
    ("review.edit_missing", lambda d, _: d.action is Action.EDIT and d._edited is None),
)
"""Read top to bottom; the first rule that holds is the one reported. No rule holding = the decision counts."""


def problem_with(decision: object, request: ReviewRequest) -> str | None:
    """The rule id that makes this decision invalid for this request, or None. Anything that is not a ReviewDecision is invalid."""
    if type(decision) is not ReviewDecision or not _well_formed(decision):
        return "review.wrong_type"
    return next((rule_id for rule_id, broken in INVALID_WHEN if broken(decision, request)), None)


def _edited_sha256(text: str) -> str:
    return canonical_json.sha256(plain_json(text))


def _text(value: object) -> str:
    if type(value) is not str:
        raise TypeError
    return value
