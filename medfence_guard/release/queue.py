"""Where requests wait for a person: in memory, or in one SQLite file shared by several processes.

    OPEN --decide--> DECIDED --settle--> SETTLED        one settle succeeds, once
    OPEN --decide--> OPEN                               four eyes: the second reviewer is still missing
    OPEN, DECIDED --another reviewer disagrees--> CONFLICT
    OPEN, DECIDED --expire--> EXPIRED                   expiry never releases

A queue releases nothing: it keeps requests and decisions, and `Fence.settle` turns a decision into an outcome.
It holds health data (source, payload); the file is created readable by its owner only.
"""

from __future__ import annotations

import contextlib
import enum
import hashlib
import json
import os
import sqlite3
import statistics
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from medfence_guard import report as reports
from medfence_guard.contract import SourceDocument, Word
from medfence_guard.errors import ContractError, InputError
from medfence_guard.release.outcome import MEANING
from medfence_guard.release.review import Action, Content, ReviewDecision, ReviewRequest, build_request, problem_with

DEFAULT_LEASE_SECONDS = 600


class QueueState(enum.Enum):
    """Where a request stands."""

    OPEN = "open"
    DECIDED = "decided"
    CONFLICT = "conflict"
    EXPIRED = "expired"
    SETTLED = "settled"


LIVE = (QueueState.OPEN, QueueState.DECIDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A reviewer's lease on one request. `token` is dead as soon as the lease lapses or anybody claims again."""

    request_id: str
    reviewer: str
    token: int
    until: float


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueEntry:
    """One line of `review list`: no health data."""

    request_id: str
    state: QueueState
    verdict: str
    held: int
    priority: int
    waiting_seconds: float
    claimed_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckStats:
    """How people answered one check: a share of confirms near 1 may mean that nobody looks any more."""

    check_id: str
    requests: int
    confirmed_share: float
    overrides: int
    median_seconds: float


_SCHEMA = """
CREATE TABLE IF NOT EXISTS requests (
    request_id TEXT PRIMARY KEY, content_key TEXT NOT NULL, state TEXT NOT NULL, verdict TEXT NOT NULL, reasons TEXT NOT NULL,
    record TEXT, submitted REAL NOT NULL, priority INTEGER NOT NULL DEFAULT 0,
    claimed_by TEXT, token INTEGER NOT NULL DEFAULT 0, lease_until REAL NOT NULL DEFAULT 0, claimed REAL);
CREATE INDEX IF NOT EXISTS by_content ON requests (content_key);
CREATE TABLE IF NOT EXISTS decisions (
    request_id TEXT NOT NULL, reviewer TEXT NOT NULL, action TEXT NOT NULL, edited_sha256 TEXT, record TEXT, recorded REAL NOT NULL,
    PRIMARY KEY (request_id, reviewer));
"""


class ReviewQueue:
    """Requests waiting for people. `ReviewQueue()` keeps them in memory, `ReviewQueue("reviews.sqlite")` in a file.

    lease_seconds: how long a claim holds. clock: seconds since the epoch; a test passes its own.
    limit: in memory only: how many requests are kept; the oldest live one is dropped (it stays held: nothing releases it).
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        lease_seconds: float = DEFAULT_LEASE_SECONDS,
        clock: Callable[[], float] = time.time,
        limit: int | None = None,
    ) -> None:
        self._clock, self._lease_seconds, self._limit = clock, lease_seconds, limit
        self._lock = threading.RLock()
        if path is not None:
            _create_private(Path(path))
        opened: sqlite3.Connection | None = None
        try:
            opened = sqlite3.connect(":memory:" if path is None else path, timeout=30, isolation_level=None, check_same_thread=False)
            self._db = opened
            if path is not None:
                # In WAL mode SQLite's default (NORMAL) does not sync at commit; a decision must survive a power cut.
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=FULL")
            self._db.execute("PRAGMA secure_delete=ON")
            self._db.executescript(_SCHEMA)
            self._closing = weakref.finalize(self, self._db.close)
        except sqlite3.Error as error:
            if opened is not None:
                # A file that is no queue must not stay open.
                opened.close()
            raise InputError("queue.unusable", f"the review queue cannot be opened ({type(error).__name__})") from None

    @classmethod
    def open_existing(cls, path: str | os.PathLike[str]) -> ReviewQueue:
        """The queue in this file; InputError when there is none (a typing error must not create an empty queue)."""
        if not Path(path).is_file():
            raise InputError("queue.missing", "there is no review queue at this path")
        return cls(path)

    def close(self) -> None:
        """Close the connection. The file stays."""
        with self._lock:
            self._closing()

    # ---- for the fence ----

    def attempts(self, content_key: str) -> int:
        """How many requests about this same content are already closed (settled, expired or in conflict)."""
        with self._transaction() as db:
            live = [state.value for state in LIVE]
            row = db.execute("SELECT COUNT(*) FROM requests WHERE content_key=? AND state NOT IN (?,?)", (content_key, *live)).fetchone()
            return int(row[0])

    def submit(self, request: ReviewRequest) -> str:
        """Keep the request until it is settled. The same request again is no second request."""
        record = _request_record(request)
        reasons = json.dumps(sorted({reason.check_id for reason in request.reasons}))
        with self._transaction() as db:
            kept = db.execute("SELECT content_key FROM requests WHERE request_id=?", (request.request_id,)).fetchone()
            if kept is not None:
                if kept[0] != content_key(request):
                    raise ContractError("queue.id_conflict", "a request with this id and other content is already in the queue")
                return request.request_id
            if self._limit is not None:
                dropped = "(SELECT request_id FROM requests ORDER BY rowid DESC LIMIT -1 OFFSET ?)"
                for table in ("decisions", "requests"):
                    db.execute(f"DELETE FROM {table} WHERE request_id IN {dropped}", (self._limit - 1,))  # noqa: S608 - our own two names
            db.execute(
                "INSERT INTO requests (request_id, content_key, state, verdict, reasons, record, submitted) VALUES (?,?,?,?,?,?,?)",
                (
                    request.request_id,
                    content_key(request),
                    QueueState.OPEN.value,
                    request.verdict.value,
                    reasons,
                    json.dumps(record),
                    self._clock(),
                ),
            )
        return request.request_id

    def get(self, request_id: str) -> ReviewRequest | None:
        """The request as it was submitted, or None if it is unknown or was forgotten."""
        with self._transaction() as db:
            row = db.execute("SELECT record FROM requests WHERE request_id=?", (request_id,)).fetchone()
        return None if row is None or row[0] is None else _request_from_record(json.loads(row[0]))

    def state(self, request_id: str) -> QueueState | None:
        """Where the request stands, or None if it is unknown."""
        with self._transaction() as db:
            row = db.execute("SELECT state FROM requests WHERE request_id=?", (request_id,)).fetchone()
        return None if row is None else QueueState(row[0])

    def decision(self, request_id: str) -> ReviewDecision | None:
        """The latest decision recorded for this request, or None."""
        with self._transaction() as db:
            row = db.execute(
                "SELECT record FROM decisions WHERE request_id=? ORDER BY recorded DESC, rowid DESC LIMIT 1", (request_id,)
            ).fetchone()
        return None if row is None or row[0] is None else ReviewDecision.from_record(json.loads(row[0]))

    def record(self, request: ReviewRequest, decision: ReviewDecision, *, token: int | None = None) -> str | None:
        """Keep a decision that is valid for the request. None when it counts now; otherwise the rule id that says why not.

        A repeat of the same reviewer's same answer changes nothing.
        """
        return self._record(request, decision, token=token)[0]

    def _record(self, request: ReviewRequest, decision: ReviewDecision, *, token: int | None) -> tuple[str | None, bool]:
        """`record`, and whether the decision was kept: a conflict it made itself is, one that came before it is not."""
        now = self._clock()
        with self._transaction() as db:
            row = db.execute(
                "SELECT state, claimed_by, token, lease_until FROM requests WHERE request_id=?", (request.request_id,)
            ).fetchone()
            if row is None:
                return "review.unknown_request", False
            state, claimed_by, current_token, lease_until = QueueState(row[0]), row[1], row[2], row[3]
            if state not in LIVE:
                return CLOSED[state], False
            leased = claimed_by is not None and now < lease_until
            if token is not None and not (leased and token == current_token and claimed_by == decision.reviewer):
                return "review.stale_token", False
            if token is None and leased and claimed_by != decision.reviewer:
                return "review.claimed_by_other", False
            answers = {
                reviewer: (action, edited)
                for reviewer, action, edited in db.execute(
                    "SELECT reviewer, action, edited_sha256 FROM decisions WHERE request_id=?", (request.request_id,)
                )
            }
            answer = (decision.action.value, decision.edited_sha256)
            if answers.get(decision.reviewer, answer) != answer:
                return "review.changed_mind", False
            if decision.reviewer not in answers:
                answers[decision.reviewer] = answer
                db.execute(
                    "INSERT INTO decisions VALUES (?,?,?,?,?,?)",
                    (request.request_id, decision.reviewer, *answer, json.dumps(decision.to_record()), now),
                )
            rule_id, state = _standing(answers, request.min_reviewers)
            db.execute(
                "UPDATE requests SET state=?, claimed=COALESCE(claimed, submitted), claimed_by=NULL, lease_until=0 WHERE request_id=?",
                (state.value, request.request_id),
            )
            return rule_id, True

    def settle(self, request_id: str) -> bool:
        """Take the decided request out, once: True for exactly one caller, in all processes."""
        with self._transaction() as db:
            done = db.execute(
                "UPDATE requests SET state=? WHERE request_id=? AND state=?",
                (QueueState.SETTLED.value, request_id, QueueState.DECIDED.value),
            )
            return done.rowcount == 1

    def unsettle(self, request_id: str) -> None:
        """Undo a `settle` after which nothing left (the audit log refused the record)."""
        with self._transaction() as db:
            db.execute(
                "UPDATE requests SET state=? WHERE request_id=? AND state=?",
                (QueueState.DECIDED.value, request_id, QueueState.SETTLED.value),
            )

    # ---- for reviewers ----

    def list(self, state: QueueState | None = None) -> tuple[QueueEntry, ...]:
        """The requests, most urgent and oldest first; all of them, or those in one state."""
        now = self._clock()
        with self._transaction() as db:
            rows = db.execute(
                "SELECT request_id, state, verdict, reasons, priority, submitted, claimed_by, lease_until FROM requests "
                "ORDER BY priority DESC, submitted, rowid"
            ).fetchall()
        entries = (
            QueueEntry(
                request_id=row[0],
                state=QueueState(row[1]),
                verdict=row[2],
                held=len(json.loads(row[3])),
                priority=row[4],
                waiting_seconds=max(0.0, now - row[5]),
                claimed_by=row[6] if now < row[7] else None,
            )
            for row in rows
        )
        return tuple(entry for entry in entries if state is None or entry.state is state)

    def claim(self, reviewer: str, request_id: str | None = None) -> Claim | None:
        """Lease the named request, or the next open one nobody has; None if there is none. Whoever already answered is not asked again."""
        now = self._clock()
        with self._transaction() as db:
            row = db.execute(
                "SELECT request_id, token FROM requests WHERE state=? AND (claimed_by IS NULL OR lease_until<=? OR claimed_by=?)"
                " AND (? IS NULL OR request_id=?)"
                " AND NOT EXISTS (SELECT 1 FROM decisions d WHERE d.request_id=requests.request_id AND d.reviewer=?)"
                " ORDER BY priority DESC, submitted, rowid LIMIT 1",
                (QueueState.OPEN.value, now, reviewer, request_id, request_id, reviewer),
            ).fetchone()
            if row is None:
                return None
            claim = Claim(request_id=row[0], reviewer=reviewer, token=row[1] + 1, until=now + self._lease_seconds)
            db.execute(
                "UPDATE requests SET claimed_by=?, token=?, lease_until=?, claimed=? WHERE request_id=?",
                (reviewer, claim.token, claim.until, now, claim.request_id),
            )
            return claim

    def renew(self, claim: Claim) -> Claim:
        """A longer lease with the same token. ContractError when the lease has lapsed or the request was claimed again."""
        until = self._clock() + self._lease_seconds
        self._update_lease(claim, claim.reviewer, until)
        return Claim(request_id=claim.request_id, reviewer=claim.reviewer, token=claim.token, until=until)

    def release(self, claim: Claim) -> None:
        """Give the request back to the queue, undecided. (Nothing leaves the fence.)"""
        self._update_lease(claim, None, 0.0)

    def decide(self, decision: ReviewDecision, claim: Claim) -> QueueState:
        """Record the claim holder's decision. ContractError names what makes it invalid; the request then stays as it was."""
        request = self.get(decision.request_id) if type(decision) is ReviewDecision else None
        if request is None or claim.request_id != request.request_id:
            raise ContractError("review.unknown_request", "no request with this id is waiting under this claim")
        rule_id, kept = problem_with(decision, request), False
        if rule_id is None:
            rule_id, kept = self._record(request, decision, token=claim.token)
        state = self.state(decision.request_id)
        if state is None or not kept:
            raise ContractError(rule_id or "review.unknown_request", MEANING[rule_id or "review.unknown_request"])
        return state

    def escalate(self, request_id: str) -> None:
        """Move the request to the front. Nothing else changes."""
        with self._transaction() as db:
            db.execute("UPDATE requests SET priority=priority+1 WHERE request_id=?", (request_id,))

    def expire(self, older_than_seconds: float) -> int:
        """Close every live request that waited longer: it stays held for good. The number closed."""
        live = [state.value for state in LIVE]
        with self._transaction() as db:
            done = db.execute(
                "UPDATE requests SET state=? WHERE state IN (?,?) AND submitted<?",
                (QueueState.EXPIRED.value, *live, self._clock() - older_than_seconds),
            )
            return done.rowcount

    def forget(self, request_id: str) -> bool:
        """Delete the health data of a request and its decisions. A live one is closed as expired. True if it was known."""
        with self._transaction() as db:
            live = [state.value for state in LIVE]
            known = db.execute(
                "UPDATE requests SET record=NULL, state=CASE WHEN state IN (?,?) THEN ? ELSE state END WHERE request_id=?",
                (*live, QueueState.EXPIRED.value, request_id),
            )
            db.execute("UPDATE decisions SET record=NULL, edited_sha256=NULL WHERE request_id=?", (request_id,))
            return known.rowcount == 1

    def stats(self) -> tuple[CheckStats, ...]:
        """Per check that sent a payload to review: how people answered, and how fast (seconds from claim, or submission, to answer)."""
        with self._transaction() as db:
            rows = db.execute(
                "SELECT r.reasons, d.action, d.recorded - COALESCE(r.claimed, r.submitted) FROM decisions d"
                " JOIN requests r USING (request_id)"
            ).fetchall()
        answers: dict[str, list[tuple[str, float]]] = {}
        for reasons, action, seconds in rows:
            for check_id in json.loads(reasons):
                answers.setdefault(check_id, []).append((action, max(0.0, seconds)))
        return tuple(
            CheckStats(
                check_id=check_id,
                requests=len(given),
                confirmed_share=sum(action == Action.CONFIRM.value for action, _ in given) / len(given),
                overrides=sum(action == Action.OVERRIDE.value for action, _ in given),
                median_seconds=statistics.median(seconds for _, seconds in given),
            )
            for check_id, given in sorted(answers.items())
        )

    def _update_lease(self, claim: Claim, holder: str | None, until: float) -> None:
        with self._transaction() as db:
            done = db.execute(
                "UPDATE requests SET claimed_by=?, lease_until=? WHERE request_id=? AND token=? AND claimed_by=? AND lease_until>?",
                (holder, until, claim.request_id, claim.token, claim.reviewer, self._clock()),
            )
            if done.rowcount != 1:
                raise ContractError("review.stale_token", "this lease has lapsed or was taken over; claim the request again")

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """One writer at a time, in this process (the lock) and in all (BEGIN IMMEDIATE)."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")


CLOSED: Mapping[QueueState | None, str] = {
    QueueState.CONFLICT: "review.conflict",
    QueueState.EXPIRED: "review.expired",
    QueueState.SETTLED: "review.already_settled",
}
"""Why a decision comes too late."""


def _standing(answers: Mapping[str, tuple[str, str | None]], min_reviewers: int) -> tuple[str | None, QueueState]:
    """What all answers so far amount to. One rejection is enough to reject; to release, the quorum must agree."""
    distinct = set(answers.values())
    if len(distinct) > 1:
        return "review.conflict", QueueState.CONFLICT
    if len(answers) >= min_reviewers or distinct == {(Action.REJECT.value, None)}:
        return None, QueueState.DECIDED
    return "review.needs_second", QueueState.OPEN


def content_key(request: ReviewRequest) -> str:
    """Names the content of a request, however often it is submitted."""
    return content_key_of(request._content.open())


def content_key_of(content: Content) -> str:
    """The digests of source, payload and report, which together are the content."""
    report = hashlib.sha256(content.report.to_json().encode("utf-8")).hexdigest()
    return "/".join((content.report.input_hashes.get("source_text", ""), content.payload_sha256, report))


def _create_private(path: Path) -> None:
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise InputError("queue.unusable", f"the review queue cannot be created: {error.strerror}") from None


# ---- requests as JSON -----------------------------------------------------------------------------------------


def _request_record(request: ReviewRequest) -> dict[str, object]:
    content = request._content.open()
    return {
        "attempt": request.attempt,
        "artifact_type": request.artifact_type,
        "min_reviewers": request.min_reviewers,
        "excluded": sorted(request.excluded),
        "round": request.round,
        "payload_text": content.payload_text,
        "malformed": content.malformed,
        "source": source_record(content.source),
        "report": content.report.to_json(),
        "numbers": content.numbers,
        "compositions": dict(content.compositions),
        "audit_record": content.audit_record,
        "audit_seq": content.audit_seq,
    }


def _request_from_record(record: Mapping[str, object]) -> ReviewRequest:
    content = Content(
        payload_text=str(record["payload_text"]),
        malformed=record["malformed"] is True,
        source=source_from_record(record["source"]),
        report=reports.from_json(str(record["report"])),
        numbers=tuple(tuple(path) for path in record["numbers"]),  # type: ignore[attr-defined]
        compositions={path: tuple(lines) for path, lines in record["compositions"].items()},  # type: ignore[attr-defined]
        audit_record=record["audit_record"],  # type: ignore[arg-type]
        audit_seq=record["audit_seq"],  # type: ignore[arg-type]
    )
    return build_request(
        content,
        attempt=int(record["attempt"]),  # type: ignore[call-overload]
        artifact_type=str(record["artifact_type"]),
        min_reviewers=int(record["min_reviewers"]),  # type: ignore[call-overload]
        excluded=frozenset(record["excluded"]),  # type: ignore[call-overload]
        round_number=int(record["round"]),  # type: ignore[call-overload]
    )


def source_record(source: SourceDocument) -> dict[str, object]:
    """A source document as JSON values (confidences stay numbers; this is storage, not canonical form)."""
    words = [[w.start, w.end, w.confidence, w.page, w.box, w.t0, w.t1] for w in source.words]
    return {
        "text": source.text,
        "modality": source.modality,
        "ocr_confidence": source.ocr_confidence,
        "words": words,
        "engine": source.engine,
    }


def source_from_record(record: object) -> SourceDocument:
    """The source document that `source_record` wrote."""
    if not isinstance(record, dict):
        raise InputError("queue.record", "a stored source document is damaged")
    words = tuple(Word(s, e, c, page, None if box is None else tuple(box), t0, t1) for s, e, c, page, box, t0, t1 in record["words"])
    return SourceDocument(
        text=record["text"],
        modality=record["modality"],
        ocr_confidence=record["ocr_confidence"],
        words=words,
        engine=record["engine"],
    )
