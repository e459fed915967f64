"""A held or rejected outcome shows the payload nowhere; a released one hands over exactly what was verified."""

from __future__ import annotations

import copy
import dataclasses
import gc
import json
import logging
import pickle

import pytest

from medfence_guard.contract import VerificationReport
from medfence_guard.errors import ContractError
from medfence_guard.release import AuditLog, OutcomeStatus
from medfence_guard.release.review import ReviewRequest
from release.fakes import SOURCE, KeyedFence, payload_for

CANARY = "Zyxocanary"


def outcomes(tmp_path):
    """One outcome of every kind that is not a release, each about a payload full of canaries."""
    log = AuditLog(tmp_path / "audit.jsonl", fsync=False)
    fail, abstain = payload_for("fail", extra=f" {CANARY}"), payload_for("abstain", extra=f" {CANARY}")
    edited = payload_for("fail", extra=f" {CANARY} edited")
    yield "nobody", KeyedFence().check(fail, SOURCE)
    yield "json text", KeyedFence().check(json.dumps(abstain), SOURCE)
    yield "malformed", KeyedFence().check(f'{{"name": "{CANARY}"', SOURCE)
    yield "verify breaks", KeyedFence().check(payload_for("raise", extra=f" {CANARY}"), SOURCE)
    handlers = {
        "rejected": lambda r: r.reject(reviewer="a", reason=f"because {CANARY}"),
        "raising": lambda r: {}[CANARY],
        "wrong type": lambda r: CANARY,
        "not allowed": lambda r: r.confirm(reviewer="a", reason=f"because {CANARY}"),
        "wrong value": lambda r: r.override(reviewer="a", reason="x", values={"$.medications[0].strength": CANARY}),
        "edit fails": lambda r: r.edit(edited, reviewer="a", reason="x", comment=CANARY),
    }
    for name, handler in handlers.items():
        yield name, KeyedFence(review=handler, audit=log).check(fail, SOURCE)
    yield "odd keys", KeyedFence().check({"medications": [{"name": "abstain 1", "strength": "1", CANARY: CANARY}]}, SOURCE)


NAMES = ["nobody", "json text", "malformed", "verify breaks", "rejected", "raising", "wrong type", "not allowed", "wrong value"]
NAMES += ["edit fails", "odd keys"]


@pytest.fixture(params=NAMES)
def outcome(request, tmp_path):
    found = dict(outcomes(tmp_path))
    assert sorted(found) == sorted(NAMES)
    return found[request.param]


def test_no_form_of_a_held_outcome_contains_the_payload(outcome):
    assert outcome.status in (OutcomeStatus.HELD, OutcomeStatus.REJECTED)
    forms = {
        "repr": repr(outcome),
        "str": str(outcome),
        "vars": repr(vars(outcome)),
        "asdict": repr(dataclasses.asdict(outcome)),
        "to_dict": json.dumps(outcome.to_dict()),
        "pickle": pickle.dumps(outcome).decode("latin-1"),
        "json default": json.dumps(outcome, default=lambda value: vars(value) if hasattr(value, "__dict__") else repr(value)),
        "unpickled": repr(vars(pickle.loads(pickle.dumps(outcome)))),
        "request": repr(outcome.request),
        "decision values": repr(outcome.decision),
    }
    if outcome.decision is not None and outcome.decision.reason.endswith(CANARY):
        forms.pop("decision values")  # the reviewer's own words
    assert [name for name, text in forms.items() if CANARY in text] == []


def test_the_exception_of_a_held_payload_does_not_contain_it(outcome):
    with pytest.raises(ContractError) as raised:
        _ = outcome.payload
    assert CANARY not in str(raised.value) + repr(raised.value.__context__) + repr(raised.value.__cause__)


def test_nothing_is_logged(tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    list(outcomes(tmp_path))
    assert caplog.records == []


def test_no_attribute_leads_to_the_payload_as_data(outcome):
    """Walk every attribute, slot, item and property; only the report and the request's sentences may quote a single value."""
    seen, todo, quoted = set(), [("outcome", outcome)], []
    while todo:
        path, value = todo.pop()
        if id(value) in seen or callable(value):
            continue
        seen.add(id(value))
        if isinstance(value, dict | list) and CANARY in repr(value):
            quoted.append(path)
        if isinstance(value, str) and CANARY in value:
            quoted.append(path)
        if isinstance(value, dict):
            todo += [(f"{path}[{key!r}]", each) for key, each in value.items()]
        elif isinstance(value, list | tuple | set | frozenset):
            todo += [(f"{path}[{index}]", each) for index, each in enumerate(value)]
        elif type(value).__module__.startswith("medfence_guard"):
            for name in dir(value):
                if not name.startswith("__"):
                    try:
                        todo.append((f"{path}.{name}", getattr(value, name)))
                    except ContractError:
                        assert name == "payload"
    allowed = ("outcome.report.findings", "outcome.request.items", "outcome.request.summary", "outcome.decision.")
    assert [path for path in quoted if not path.startswith(allowed)] == []


def test_a_held_outcome_survives_copy_and_pickle_without_its_request(tmp_path):
    outcome = KeyedFence().check(payload_for("fail", extra=f" {CANARY}"), SOURCE)
    assert copy.copy(outcome) is outcome
    assert copy.deepcopy(outcome) is outcome
    again = pickle.loads(pickle.dumps(outcome))
    assert (again.status, again.code, again.request_id, again.request) == (outcome.status, outcome.code, outcome.request_id, None)
    assert isinstance(again.report, VerificationReport)
    assert [f.verdict for f in again.report.findings] == [f.verdict for f in outcome.report.findings]
    assert CANARY not in repr(again.report)
    with pytest.raises(ContractError):
        _ = again.payload


def test_a_request_is_not_pickled():
    outcome = KeyedFence().check(payload_for("fail"), SOURCE)
    assert isinstance(outcome.request, ReviewRequest)
    with pytest.raises(ContractError, match="not pickled"):
        pickle.dumps(outcome.request)


def test_a_decision_on_a_held_outcome_carries_no_edited_payload(tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl", fsync=False)
    fence = KeyedFence(audit=log, min_reviewers=2)
    request = fence.check(payload_for("fail"), SOURCE).request
    outcome = fence.settle(request.request_id, request.edit(payload_for("pass"), reviewer="a", reason="x"))
    assert outcome.code == "review.needs_second"
    assert outcome.decision.to_record()["edited"] is None


# ---- what is released ----


def test_what_is_released_is_the_verified_copy_whatever_the_caller_does(tmp_path):
    payload = payload_for("pass")
    outcome = KeyedFence().check(payload, SOURCE)
    payload["medications"][0]["strength"] = "5000 mg"
    assert outcome.payload == payload_for("pass")
    outcome.payload["medications"][0]["strength"] = "5000 mg"
    assert outcome.payload == payload_for("pass")


def test_a_payload_changed_while_a_person_looks_is_not_what_is_released(tmp_path):
    payload = payload_for("abstain")

    def handler(request):
        payload["medications"][0]["strength"] = "5000 mg"
        return request.confirm(reviewer="a", reason="x")

    outcome = KeyedFence(review=handler, audit=AuditLog(tmp_path / "a.jsonl", fsync=False)).check(payload, SOURCE)
    assert outcome.payload == payload_for("abstain")


AS_GIVEN = {
    "values": lambda p: p,
    "text": json.dumps,
    "bytes": lambda p: json.dumps(p).encode(),
    "fenced": lambda p: f"```json\n{json.dumps(p, indent=1)}\n```",
}


@pytest.mark.parametrize("raw", AS_GIVEN.values(), ids=AS_GIVEN)
def test_released_values_keep_their_json_types(raw):
    payload = {"medications": [{"name": "pass 0", "strength": "0.50 mg", "dose": 0.5, "days": 5, "seq": [1.25, "1.25", None, True]}]}
    released = KeyedFence().check(raw(payload), SOURCE).payload
    assert released == payload
    assert [type(each) for each in released["medications"][0].values()] == [str, str, float, int, list]
    assert [type(each) for each in released["medications"][0]["seq"]] == [float, str, type(None), bool]
    again = pickle.loads(pickle.dumps(KeyedFence().check(raw(payload), SOURCE)))
    assert again.payload == payload


@pytest.mark.parametrize("digits", ["0.1", "0.30", "123456789.125", "0.100000000000000005"])
def test_a_number_a_float_cannot_keep_is_released_as_its_digits(digits):
    raw = f'{{"medications": [{{"name": "pass 0", "strength": "1", "dose": {digits}}}]}}'
    released = KeyedFence().check(raw, SOURCE).payload["medications"][0]["dose"]
    assert released == (digits if len(digits) > 17 else float(digits))


def test_a_released_outcome_is_whole():
    outcome = KeyedFence().check(payload_for("pass"), SOURCE)
    assert outcome.to_dict()["payload"] == payload_for("pass")
    assert "payload" not in KeyedFence().check(payload_for("fail"), SOURCE).to_dict()


def test_truth_values_raise_and_name_released(tmp_path):
    for payload in (payload_for("pass"), payload_for("fail")):
        outcome = KeyedFence().check(payload, SOURCE)
        for value in (outcome, outcome.status):
            with pytest.raises(ContractError, match=r"\.released"):
                bool(value)


def test_an_outcome_cannot_be_turned_into_a_release():
    outcome = KeyedFence().check(payload_for("fail"), SOURCE)
    with pytest.raises(dataclasses.FrozenInstanceError):
        outcome.status = OutcomeStatus.RELEASED
    with pytest.raises(ContractError):
        dataclasses.replace(outcome, status=OutcomeStatus.RELEASED)
    gc.collect()
