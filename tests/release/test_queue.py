"""The review queue: idempotent, leased, and never a way out."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from medfence_guard.contract import SourceDocument, Word
from medfence_guard.errors import ContractError, InputError
from medfence_guard.release import AuditLog, OutcomeStatus, QueueState, ReviewQueue
from medfence_guard.release.audit import read_lines
from release.fakes import SOURCE, KeyedFence, payload_for


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=["memory", "file"])
def queue(request, tmp_path, clock):
    return ReviewQueue(None if request.param == "memory" else tmp_path / "reviews.sqlite", clock=clock)


def held(queue, verdict="abstain", **options):
    return KeyedFence(review=queue, **options).check(payload_for(verdict), SOURCE).request


def confirm(request, reviewer="dr-a"):
    return request.confirm(reviewer=reviewer, reason="read_in_source", items=request.held_medications)


def test_submitting_twice_is_one_request(queue):
    assert held(queue).request_id == held(queue).request_id
    assert len(queue.list()) == 1


def test_the_same_id_with_other_content_is_refused(queue):
    first = held(queue)
    other = replace(held(queue, "fail"), request_id=first.request_id)
    with pytest.raises(ContractError, match="other content"):
        queue.submit(other)


def test_a_request_comes_back_as_it_went_in(queue):
    source = SourceDocument(SOURCE, "ocr", 0.5, (Word(0, 3, 0.25, 2, (1, 2, 3, 4), 0.5, 1.5), Word(4, 12)), "tesseract")
    request = KeyedFence(review=queue, min_reviewers=2).check(payload_for("fail", count=2), source, excluded={"b", "a"}).request
    again = queue.get(request.request_id)
    for name in type(request).__dataclass_fields__:
        if name != "_content":
            assert getattr(again, name) == getattr(request, name), name
    assert again._content.open() == request._content.open()


def test_claims_lease_one_request_to_one_reviewer(queue, clock):
    request = held(queue)
    claim = queue.claim("dr-a")
    assert claim.request_id == request.request_id
    assert queue.claim("dr-b") is None
    assert queue.list()[0].claimed_by == "dr-a"
    clock.now += 601
    assert queue.list()[0].claimed_by is None
    assert queue.claim("dr-b").token > claim.token


def test_the_token_of_a_lapsed_lease_is_dead(queue, clock):
    request = held(queue)
    claim = queue.claim("dr-a")
    clock.now += 601
    for use in (lambda: queue.decide(confirm(request), claim), lambda: queue.renew(claim), lambda: queue.release(claim)):
        with pytest.raises(ContractError, match="lease"):
            use()
    assert queue.state(request.request_id) is QueueState.OPEN


def test_renew_keeps_and_release_gives_back(queue, clock):
    held(queue)
    claim = queue.claim("dr-a")
    clock.now += 500
    claim = queue.renew(claim)
    clock.now += 500
    assert queue.claim("dr-b") is None
    queue.release(claim)
    assert queue.claim("dr-b") is not None


def test_claiming_again_kills_the_older_token_of_the_same_reviewer(queue):
    request = held(queue)
    old, new = queue.claim("dr-a"), queue.claim("dr-a")
    with pytest.raises(ContractError):
        queue.decide(confirm(request), old)
    assert queue.decide(confirm(request), new) is QueueState.DECIDED


def test_a_decision_needs_the_claim_of_its_own_reviewer(queue):
    request = held(queue)
    claim = queue.claim("dr-a")
    with pytest.raises(ContractError):
        queue.decide(confirm(request, "dr-b"), claim)
    with pytest.raises(ContractError, match="not allowed"):
        queue.decide(request.override(reviewer="dr-a", reason="x"), claim)
    assert queue.state(request.request_id) is QueueState.OPEN


def test_deciding_releases_nothing_until_the_fence_settles_it_once(queue, tmp_path):
    fence = KeyedFence(review=queue, audit=AuditLog(tmp_path / "a.jsonl", fsync=False))
    request = fence.check(payload_for("abstain"), SOURCE).request
    assert fence.settle(request.request_id).code == "review.pending"
    queue.decide(confirm(request), queue.claim("dr-a"))
    assert fence.settle(request.request_id).status is OutcomeStatus.RELEASED_BY_REVIEW
    assert fence.settle(request.request_id).code == "review.already_settled"


def test_settling_around_another_reviewers_lease_holds(queue, tmp_path):
    fence = KeyedFence(review=queue, audit=AuditLog(tmp_path / "a.jsonl", fsync=False))
    request = fence.check(payload_for("abstain"), SOURCE).request
    queue.claim("dr-b")
    assert fence.settle(request.request_id, confirm(request)).code == "review.claimed_by_other"


def test_expiry_never_releases(queue, clock, tmp_path):
    fence = KeyedFence(review=queue, audit=AuditLog(tmp_path / "a.jsonl", fsync=False))
    request = fence.check(payload_for("abstain"), SOURCE).request
    queue.decide(confirm(request), queue.claim("dr-a"))
    clock.now += 100
    assert queue.expire(99) == 1
    outcome = fence.settle(request.request_id)
    assert (outcome.status, outcome.code) == (OutcomeStatus.HELD, "review.expired")
    assert fence.check(payload_for("abstain"), SOURCE).request_id != request.request_id


def test_escalation_moves_to_the_front_and_changes_nothing_else(queue):
    first, second = held(queue), held(queue, "fail")
    queue.escalate(second.request_id)
    assert [entry.request_id for entry in queue.list()] == [second.request_id, first.request_id]
    assert {entry.state for entry in queue.list()} == {QueueState.OPEN}
    assert queue.claim("dr-a").request_id == second.request_id


def test_four_eyes_does_not_offer_a_request_to_the_same_eyes(queue):
    request = held(queue, min_reviewers=2)
    assert queue.decide(confirm(request), queue.claim("dr-a")) is QueueState.OPEN
    assert queue.claim("dr-a") is None
    assert queue.decide(confirm(request, "dr-b"), queue.claim("dr-b")) is QueueState.DECIDED


def test_a_decision_after_the_conflict_is_refused_not_taken_for_one_more_vote(queue):
    request = held(queue, min_reviewers=2)
    spent = queue.claim("dr-a")
    queue.decide(confirm(request), spent)
    assert queue.decide(request.reject(reviewer="dr-b", reason="not_sure"), queue.claim("dr-b")) is QueueState.CONFLICT
    with pytest.raises(ContractError, match="disagree"):
        queue.decide(confirm(request), spent)


def test_forgetting_deletes_the_health_data_and_closes(queue, tmp_path):
    request = held(queue, "fail")
    assert queue.forget(request.request_id)
    assert queue.get(request.request_id) is None
    assert queue.state(request.request_id) is QueueState.EXPIRED
    assert not queue.forget("rr_unknown")
    for path in tmp_path.glob("reviews.sqlite*"):
        queue._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert b"Eltroxin" not in path.read_bytes()


def test_stats_count_per_check(queue, clock):
    for number, action in enumerate(["confirm", "confirm", "reject"]):
        request = KeyedFence(review=queue).check(payload_for("abstain", extra=f" {number}"), SOURCE).request
        claim = queue.claim("dr-a")
        clock.now += 10 * (number + 1)
        queue.decide(confirm(request) if action == "confirm" else request.reject(reviewer="dr-a", reason="x"), claim)
    request = held(queue, "fail")
    claim = queue.claim("dr-a")
    queue.decide(request.override(reviewer="dr-a", reason="x", values={"$.medications[0].strength": "50 mg"}), claim)
    told = {each.check_id: each for each in queue.stats()}
    assert round(told["reference.drug_exists"].confirmed_share, 3) == 0.667
    assert told["reference.drug_exists"].median_seconds == 20
    assert (told["grounding.strength"].requests, told["grounding.strength"].overrides) == (1, 1)


def test_in_memory_the_oldest_is_dropped_and_stays_held():
    queue = ReviewQueue(limit=3)
    requests = [KeyedFence(review=queue).check(payload_for("abstain", extra=f" {n}"), SOURCE).request for n in range(5)]
    assert [queue.get(request.request_id) is not None for request in requests] == [False, False, True, True, True]
    assert KeyedFence(review=queue).settle(requests[0].request_id, confirm(requests[0])).code == "review.unknown_request"


def test_a_dropped_request_takes_its_votes_with_it(tmp_path):
    queue = ReviewQueue(limit=1)
    fence = KeyedFence(review=queue, audit=AuditLog(tmp_path / "a.jsonl", fsync=False), min_reviewers=2)
    request = fence.check(payload_for("abstain"), SOURCE).request
    assert fence.settle(request.request_id, confirm(request)).code == "review.needs_second"
    fence.check(payload_for("fail"), SOURCE)
    assert fence.check(payload_for("abstain"), SOURCE).request_id == request.request_id
    assert fence.settle(request.request_id, confirm(request, "dr-b")).code == "review.needs_second"


def test_without_a_queue_a_settled_request_keeps_no_health_data_in_memory(tmp_path):
    fence = KeyedFence(audit=AuditLog(tmp_path / "a.jsonl", fsync=False))
    request = fence.check(payload_for("abstain"), SOURCE).request
    assert fence._queue.get(request.request_id) is not None
    assert fence.settle(request.request_id, confirm(request)).released
    assert fence._queue.get(request.request_id) is None
    assert fence.settle(request.request_id, confirm(request)).code == "review.already_settled"


def test_two_processes_settle_one_request_once(tmp_path):
    path = tmp_path / "reviews.sqlite"
    log = AuditLog(tmp_path / "a.jsonl", fsync=False)
    fence = KeyedFence(review=ReviewQueue(path), audit=log)
    requests = [fence.check(payload_for("abstain", extra=f" {n}"), SOURCE).request for n in range(8)]
    released = []

    def settle_all():
        fence = KeyedFence(review=ReviewQueue(path), audit=AuditLog(log.path, fsync=False))
        released.extend(fence.settle(request.request_id, confirm(request)).released for request in requests)

    threads = [threading.Thread(target=settle_all) for _ in range(3)]  # three connections, as three processes have
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert released.count(True) == len(requests)
    assert sum(b'"event":"release"' in line for _, line in read_lines(log.path)) == len(requests)


def test_a_claim_waits_for_the_other_process_and_then_sees_what_it_did(tmp_path):
    path = tmp_path / "reviews.sqlite"
    here, there = ReviewQueue(path), ReviewQueue(path)
    request = held(here)
    found = []
    waiting = threading.Thread(target=lambda: found.append(there.claim("dr-b")))
    with here._transaction() as db:
        waiting.start()
        time.sleep(0.2)
        db.execute("UPDATE requests SET claimed_by='dr-a', token=token+1, lease_until=? WHERE request_id=?", (2e10, request.request_id))
        assert found == []
    waiting.join(timeout=30)
    assert found == [None]


def test_a_decision_survives_the_death_of_its_process(tmp_path):
    path = tmp_path / "reviews.sqlite"
    request = held(ReviewQueue(path))
    code = (
        "import os, sys\nfrom medfence_guard.release import ReviewQueue\n"
        "q = ReviewQueue(sys.argv[1]); r = q.get(sys.argv[2])\n"
        "q.decide(r.reject(reviewer='dr-a', reason='x'), q.claim('dr-a')); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(path), request.request_id], check=False).returncode == 9
    assert ReviewQueue(path).state(request.request_id) is QueueState.DECIDED


def test_a_queue_file_is_private_and_a_wrong_one_is_refused(tmp_path):
    path = tmp_path / "reviews.sqlite"
    ReviewQueue(path)
    assert path.stat().st_mode & 0o077 == 0
    (tmp_path / "text").write_text("not a database, " * 100)
    with pytest.raises(InputError):
        ReviewQueue(tmp_path / "text")
    with pytest.raises(InputError):
        ReviewQueue(tmp_path / "missing" / "reviews.sqlite")
    with pytest.raises(InputError, match="no review queue"):
        ReviewQueue.open_existing(tmp_path / "missing.sqlite")
    assert not (tmp_path / "missing.sqlite").exists()


def test_a_failing_statement_leaves_no_transaction_open(queue):
    with pytest.raises(sqlite3.Error), queue._transaction() as db:
        db.execute("SELECT * FROM nothing")
    assert queue.list() == ()


REVIEWERS = st.sampled_from(["a", "b", "c"])


class QueueMachine(RuleBasedStateMachine):
    """Any order of submitting, claiming, deciding, settling, expiring and waiting. A model beside it knows who may release."""

    def __init__(self):
        super().__init__()
        self.clock = Clock()
        self.queue = ReviewQueue(clock=self.clock, lease_seconds=50)
        self.fence = KeyedFence(review=self.queue, min_reviewers=2)
        self.requests, self.claims, self.answers, self.released = {}, [], {}, []

    @rule(number=st.integers(0, 2))
    def submit(self, number):
        request = self.fence.check(payload_for("abstain", extra=f" {number}"), SOURCE).request
        self.requests[request.request_id] = request

    @rule(reviewer=REVIEWERS)
    def claim(self, reviewer):
        claim = self.queue.claim(reviewer)
        if claim is not None:
            assert reviewer not in self.answers.get(claim.request_id, {})
            self.claims.append(claim)

    @precondition(lambda self: self.claims)
    @rule(data=st.data(), action=st.sampled_from(["confirm", "reject"]))
    def decide(self, data, action):
        claim = data.draw(st.sampled_from(self.claims))
        request = self.requests[claim.request_id]
        newest = [c for c in self.claims if c.request_id == claim.request_id][-1]
        before = self.queue.state(claim.request_id)
        try:
            self.queue.decide(getattr(request, action)(reviewer=claim.reviewer, reason="x"), claim)
        except ContractError:
            return
        assert before is QueueState.OPEN
        assert claim.token == newest.token
        assert self.clock.now < claim.until
        self.answers.setdefault(claim.request_id, {})[claim.reviewer] = action

    @precondition(lambda self: self.requests)
    @rule(data=st.data())
    def settle(self, data):
        request_id = data.draw(st.sampled_from(sorted(self.requests)))
        before = self.queue.state(request_id)
        settled = self.queue.settle(request_id)
        assert settled is (before is QueueState.DECIDED)
        if settled:
            answers = set(self.answers[request_id].values())
            assert len(answers) == 1
            if answers == {"confirm"}:
                assert len(self.answers[request_id]) >= 2
                self.released.append(request_id)

    @rule(seconds=st.sampled_from([1, 30, 60]))
    def wait(self, seconds):
        self.clock.now += seconds

    @rule(age=st.sampled_from([40, 100]))
    def expire(self, age):
        self.queue.expire(age)

    @precondition(lambda self: self.requests)
    @rule(data=st.data())
    def escalate_or_forget(self, data):
        request_id = data.draw(st.sampled_from(sorted(self.requests)))
        data.draw(st.sampled_from([self.queue.escalate, self.queue.forget]))(request_id)

    @invariant()
    def nothing_is_released_twice_or_without_agreement(self):
        assert len(self.released) == len(set(self.released))
        for request_id, answers in self.answers.items():
            if len(set(answers.values())) > 1:
                assert self.queue.state(request_id) in (QueueState.CONFLICT, QueueState.EXPIRED)
                assert request_id not in self.released


QueueMachine.TestCase.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
TestQueueMachine = QueueMachine.TestCase
