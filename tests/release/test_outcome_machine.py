"""The outcome state machine, exhaustively: every verdict × action × fault, against a table written independently of the code."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from medfence_guard.contract import Verdict
from medfence_guard.errors import ContractError
from medfence_guard.release import Action, AuditLog, OutcomeStatus, ReviewQueue
from medfence_guard.release.outcome import MEANING, RELEASING
from medfence_guard.release.outcome import outcome as make_outcome
from medfence_guard.release.review import ALLOWED_ACTIONS, INVALID_WHEN
from release.fakes import SOURCE, KeyedFence, payload_for

R, O, X, H, P = (  # noqa: E741 - the columns of the table below
    OutcomeStatus.RELEASED_BY_REVIEW,
    OutcomeStatus.RELEASED_BY_OVERRIDE,
    OutcomeStatus.REJECTED,
    OutcomeStatus.HELD,
    OutcomeStatus.RELEASED,
)

# What a decision without any fault comes to. `edit:…` is an edit whose new verdict is that.
EXPECTED = {
    ("abstain", "confirm"): R,
    ("abstain", "override"): H,
    ("abstain", "reject"): X,
    ("abstain", "edit:pass"): P,
    ("abstain", "edit:abstain"): H,
    ("abstain", "edit:fail"): H,
    ("fail", "confirm"): H,
    ("fail", "override"): O,
    ("fail", "reject"): X,
    ("fail", "edit:pass"): P,
    ("fail", "edit:abstain"): H,
    ("fail", "edit:fail"): H,
}

VALUES = {"$.medications[0].strength": "50 mg"}


def decide(request, action, **said):
    said = {"reviewer": "dr-a", "reason": "read_in_source", "decided_at": datetime(2026, 1, 2, tzinfo=UTC)} | said
    kind, _, verdict = action.partition(":")
    if kind == "edit":
        return request.edit(payload_for(verdict, extra=" edited"), **said)
    if kind == "override":
        return request.override(**said, values=VALUES)
    return getattr(request, kind)(**said)


FAULTS = {
    "none": lambda d: d,
    "request": lambda d: replace(d, request_id="rr_other"),
    "digest": lambda d: replace(d, payload_sha256="0" * 64),
    "action": lambda d: replace(d, action="confirm"),
    "time": lambda d: replace(d, decided_at=datetime(2026, 1, 2)),  # noqa: DTZ001 - the fault
    "no time": lambda d: replace(d, decided_at="2026-01-02T00:00:00Z"),
    "reviewer": lambda d: replace(d, reviewer=" "),
    "excluded": lambda d: replace(d, reviewer="author"),
    "type": lambda d: d.to_record(),
    "none at all": lambda d: None,
}


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return AuditLog(tmp_path_factory.mktemp("log") / "audit.jsonl", fsync=False)


@pytest.mark.parametrize("via", ["handler", "settle", "queue"])
@pytest.mark.parametrize(("verdict", "action"), EXPECTED, ids=lambda value: value)
def test_every_decision_on_every_verdict_with_every_fault(log, via, verdict, action):
    for fault, spoil in FAULTS.items():
        for logged in (True, False):
            audit = log if logged else None
            if via == "handler":
                asked = []

                def handler(request, asked=asked, spoil=spoil):
                    asked.append(request)
                    return spoil(decide(request, action)) if len(asked) == 1 else None

                found = KeyedFence(review=handler, audit=audit).check(payload_for(verdict), SOURCE, excluded={"author"})
            else:
                fence = KeyedFence(review=ReviewQueue() if via == "queue" else None, audit=audit)
                request = fence.check(payload_for(verdict), SOURCE, excluded={"author"}).request
                found = fence.settle(request.request_id, spoil(decide(request, action)))
            expected = EXPECTED[verdict, action] if fault == "none" else H
            if not logged and expected is not X:
                expected = H
            assert found.status is expected, (fault, logged, found.code)
            assert found.released is (expected in RELEASING)
            assert found.report.overall is Verdict(verdict) or action.startswith("edit")


def test_the_table_has_a_row_for_every_verdict_and_action():
    actions = {action.value for action in Action}
    rows = {(verdict, action.partition(":")[0]) for verdict, action in EXPECTED}
    assert rows == set(itertools.product((v.value for v in ALLOWED_ACTIONS), actions))
    for verdict, allowed in ALLOWED_ACTIONS.items():
        refused = Action.OVERRIDE if verdict is Verdict.ABSTAIN else Action.CONFIRM
        assert allowed == set(Action) - {refused}


@pytest.mark.parametrize("status", OutcomeStatus)
@pytest.mark.parametrize("text", [None, "{}"])
def test_an_outcome_has_a_payload_exactly_when_it_is_released(status, text):
    if (status in RELEASING) is (text is not None):
        assert make_outcome(status, "release.pass", report=None, payload_text=text).released is (text is not None)
    else:
        with pytest.raises(ContractError):
            make_outcome(status, "release.pass", report=None, payload_text=text)


def test_pass_releases_without_asking(log):
    outcome = KeyedFence(review=lambda r: 1 / 0, audit=log).check(payload_for("pass"), SOURCE)
    assert outcome.status is OutcomeStatus.RELEASED
    assert outcome.request is None


def test_a_request_about_a_pass_cannot_be_made():
    request = KeyedFence().check(payload_for("fail"), SOURCE).request
    with pytest.raises(ContractError, match="only FAIL and ABSTAIN"):
        replace(request, verdict=Verdict.PASS)
    with pytest.raises(ContractError):
        replace(request, allowed=frozenset(Action))


def test_every_invalid_rule_has_words():
    assert {rule_id for rule_id, _ in INVALID_WHEN} <= MEANING.keys()
