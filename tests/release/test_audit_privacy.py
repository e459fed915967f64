"""A log carries no health data, one patient can be forgotten, and a kept verification can be run again."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from medfence_guard.contract import Evidence, SourceDocument, Span
from medfence_guard.errors import InputError
from medfence_guard.release import Action, AuditLog, OutcomeStatus, ReviewQueue
from medfence_guard.release.audit import read_lines, verify_log
from medfence_guard.release.commands import EVENTS
from medfence_guard.release.replay import records_of_source, replay
from medfence_guard.release.review import REASON_CODES
from medfence_guard.report import KNOWN_SEGMENTS
from release.fakes import SOURCE, KeyedFence, keyed_verify, payload_for

CANARIES = ["Zyxopril", "Kwabenafax", "Mrs", "Vishnuparvathi", "afterbreakfast", "quarterspoon", "9876543210"]


def case(number):
    """A payload and source full of words that must not come out; drug, instructions and patient; in values, keys and reasons."""
    verdict = ("pass", "abstain", "fail")[number % 3]
    source = f"Mrs Vishnuparvathi ph 9876543210 case {number}: Tab Zyxopril 50 mcg OD afterbreakfast quarterspoon Kwabenafax"
    payload = payload_for(verdict, extra=" Zyxopril Kwabenafax", count=1 + number % 2)
    payload["medications"][0] |= {"instructions": "quarterspoon afterbreakfast", "Vishnuparvathi": "9876543210"}
    payload["patient"] = "Mrs Vishnuparvathi"
    return payload, source


class LeakyFence(KeyedFence):
    """Its verifier puts source text wherever a report has room for it: paths, rule ids, keys, messages, matched text."""

    def _verify(self, extraction, source):
        report = keyed_verify(extraction, SourceDocument(SOURCE))
        loud = Evidence(kind="source", source_spans=(Span(1, 2),), matched_text="Zyxopril 50 mcg", rule_id="rule.Vishnuparvathi said so")
        named = Evidence(kind="reference", refdata_key="brand:zyxopril", citation="Mrs Vishnuparvathi", grade="Zyxopril")
        first = report.findings[0]
        odd = first._replace(
            check_id="grounding.text",
            field_path="$.medications[0].Vishnuparvathi",
            evidence=(loud, named),
            message="Zyxopril quarterspoon",
        )
        quoted = first._replace(field_path='$.medications[0]["Mrs Vishnuparvathi"]', check_id="Zyxopril is unknown")
        return replace(report, findings=(*report.findings, odd, quoted), not_checked=("$.Kwabenafax", "$.patient"))


def answer(request):
    if request.verdict.value == "fail":
        values = dict.fromkeys(request.contested_values, "50 mg")
        return request.override(reviewer="dr-a", reason="Zyxopril is right", comment="ask Mrs Vishnuparvathi", values=values)
    return request.confirm(reviewer="dr-a", reason="read_in_source", items=request.held_medications, comment="Zyxopril")


def test_a_log_of_100_cases_contains_no_canary_and_no_word_outside_the_fixed_vocabulary(tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl", fsync=False, host="host")
    statuses = set()
    for number in range(100):
        payload, source = case(number)
        handler = answer if number % 5 else (lambda request: {}[f"Mrs Vishnuparvathi {request}"])
        outcome = LeakyFence(review=handler, audit=log).check(payload, source, "Zyxopril" if number % 7 == 0 else "prescription")
        statuses.add(outcome.status)
    assert statuses == {OutcomeStatus.RELEASED, OutcomeStatus.RELEASED_BY_REVIEW, OutcomeStatus.RELEASED_BY_OVERRIDE, OutcomeStatus.HELD}
    text = log.path.read_text()
    assert verify_log(log.path).lines > 300
    assert [canary for canary in CANARIES if canary.casefold() in text.casefold()] == []

    vocabulary = set(re.findall(r"[a-z]+", " ".join([*EVENTS, *KNOWN_SEGMENTS, *REASON_CODES, *(action.value for action in Action)])))
    vocabulary |= set(re.findall(r"[a-z]+", VOCABULARY))
    without_digests = re.sub(r'"(rec_)?[0-9a-f]{32,64}"|key:[0-9a-f]{16}|"at":"[^"]*"', '""', text)
    words = {word.casefold() for word in re.findall(r"[^\W\d_]+", without_digests)}
    assert words - vocabulary == set()


VOCABULARY = """
    actor at body event hash host mac prev seq v machine dr a host genesis log id segment
    abstain fail pass critical major minor overall verdict verdicts counts coverage claims verified completeness statements accounted
    artifact type prescription other check field path items findings not checked rule ids severity span spans unit code points statement
    grounding reference drug exists source record commit payload report decision rulepack version refdata snapshot engine test
    key round action reason standing counts what how bytes released released_by_review by override review error text
    keyerror
"""


def test_without_the_salt_nobody_can_guess_what_a_commitment_says(tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl", fsync=False)
    for _ in range(2):
        KeyedFence(audit=log).check(payload_for("pass"), SOURCE)
    commits = [json.loads(line)["body"]["commit"] for _, line in read_lines(log.path) if b'"event":"verification"' in line]
    assert commits[0].keys() == commits[1].keys()
    assert all(commits[0][name] != commits[1][name] for name in commits[0])  # the same inputs twice look unrelated
    report = KeyedFence().check(payload_for("pass"), SOURCE).report
    text = log.path.read_text()
    assert not any(digest in text for digest in report.input_hashes.values())


def test_one_patient_can_be_forgotten_and_the_chain_still_verifies(tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl", fsync=False, keep_inputs=True)
    for source in (SOURCE, SOURCE + " for another patient"):
        KeyedFence(audit=log).check(payload_for("pass"), source)
    anchor = log.anchor()
    (record,) = records_of_source(log, SOURCE)
    assert log.inputs(record)["source"]["text"] == SOURCE
    before = log.path.read_bytes()
    assert log.forget(record)
    assert not log.forget(record)
    assert log.path.read_bytes() == before
    assert verify_log(log.path, anchors=(anchor,)).status == "ok"
    with pytest.raises(InputError, match="forgotten"):
        log.commitment(record, "source", SOURCE)
    assert records_of_source(log, SOURCE) == []
    assert len(records_of_source(log, SOURCE + " for another patient")) == 1
    left = "".join(path.read_text() for path in tmp_path.rglob("*") if path.is_file())
    assert record in left
    assert left.count(SOURCE) == 1


def test_what_was_forgotten_cannot_be_released_any_more(tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl", fsync=False)
    fence = KeyedFence(review=ReviewQueue(), audit=log)
    request = fence.check(payload_for("abstain"), SOURCE).request
    (record,) = records_of_source(log, SOURCE)
    log.forget(record)
    outcome = fence.settle(request.request_id, request.confirm(reviewer="a", reason="x"))
    assert (outcome.status, outcome.code) == (OutcomeStatus.HELD, "release.audit_failed")


def test_inputs_are_kept_only_when_asked_for(tmp_path):
    KeyedFence(audit=AuditLog(tmp_path / "audit.jsonl", fsync=False)).check(payload_for("pass"), SOURCE)
    assert not any(b"Eltroxin" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


# ---- replay ----


def replayed(log, verifier=keyed_verify):
    return [each.result for each in replay(log, verifier)]


@pytest.fixture
def kept(tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl", fsync=False, keep_inputs=True)
    for verdict in ("pass", "fail", "abstain"):
        KeyedFence(audit=log).check(payload_for(verdict), SOURCE)
    KeyedFence(audit=log).check('{"b": 1', SOURCE)
    return log


def test_replay_gives_every_logged_report_again(kept):
    assert replayed(kept) == ["same"] * 4


def test_replay_sees_a_verifier_that_answers_otherwise(kept):
    def lenient(extraction, source):
        report = keyed_verify(extraction, source)
        return replace(report, findings=report.findings[:-1]) if "fail" in str(extraction.payload) else report

    assert replayed(kept, lenient) == ["same", "different", "same", "same"]


def test_replay_sees_inputs_that_were_changed(kept):
    record = json.loads(kept.path.read_bytes().splitlines()[1])["body"]["record"]
    (stored,) = kept.path.parent.rglob(f"{record}.json")
    stored.write_text(stored.read_text().replace("50 mcg", "50 mg"))
    assert replayed(kept)[0] == "altered_inputs"


def test_replay_tells_another_rulepack_from_another_answer(kept):
    assert replayed(kept, lambda e, s: replace(keyed_verify(e, s), rulepack_version="1" * 64)) == ["other_rulepack"] * 4


def test_replay_passes_over_what_was_forgotten_or_not_kept(kept, tmp_path):
    record = json.loads(kept.path.read_bytes().splitlines()[1])["body"]["record"]
    kept.forget(record)
    KeyedFence(audit=AuditLog(kept.path, fsync=False)).check(payload_for("pass"), SOURCE)
    KeyedFence(audit=kept).check({"set": {1, 2}}, SOURCE)
    assert replayed(kept) == ["forgotten", "same", "same", "same", "not_kept", "not_kept"]
