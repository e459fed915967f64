"""The audit log: one canonical JSON line per event, each chained to the one before, readable by anybody, with no health data in it.

    {"actor":…,"at":…,"body":{…},"event":…,"hash":…,"host":…,["mac":…,]"prev":…,"seq":n,"v":1}\\n

`hash` = SHA-256(DOMAIN ‖ canonical JSON of the line without `hash` and `mac`); `prev` = the `hash` of the line before;
`mac` = HMAC-SHA256(key, DOMAIN ‖ hash), when the log has a key. The format is described in `docs/audit_format.md`.

No text of a source or payload is in a line: verdicts, rule ids, masked paths, offsets and *salted commitments* only. The salt of each
verification is a file of its own beside the log; deleting it makes that one record unlinkable to anybody, and the chain still verifies.

An append either is on disk when it returns, or raises. A log whose last line is torn (a crash) refuses every append until `repair`.
Several processes may append to one file on a local file system; network file systems do not lock reliably and are not supported.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import platform
import re
import secrets
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from medfence_guard import canonical_json
from medfence_guard.artifacts import ARTIFACT_TYPES
from medfence_guard.contract import Json, VerificationReport
from medfence_guard.errors import InputError, MedfenceError
from medfence_guard.release.outcome import masked_path
from medfence_guard.release.queue import source_record
from medfence_guard.release.review import REASON_CODES, Content, ReviewDecision, ReviewRequest

DOMAIN = b"medfence-guard/audit/v1\0"
NO_PREVIOUS = "0" * 64
MAX_LINE_BYTES = 1 << 20
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,63}")
_RECORD_ID = re.compile(r"rec_[0-9a-f]{32}")
_SEGMENT = re.compile(r"\.([0-9]{6})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One event before it is numbered. cites: body key -> seq of the line it refers to; negative counts back from the entry itself."""

    event: str
    body: Mapping[str, Json]
    actor: str = "machine"
    cites: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The last line: its number, its hash, the id of the log and the number of its segment."""

    seq: int
    hash: str


class AuditLog:
    """An append-only log in one file, rotated into numbered segments beside it.

    key: bytes kept off this host; every line then carries a MAC.
    keep_inputs: also keep source and payload in the private store beside the log, so that `replay` can run again (health data).
    fsync: False is for tests: a power cut may lose acknowledged lines.
    max_bytes: once the active segment is this large, the next append starts a new one.
    clock: the time now, aware; a test passes its own. host: who writes, by default the machine's own name.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        key: bytes | None = None,
        keep_inputs: bool = False,
        fsync: bool = True,
        max_bytes: int | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        host: str | None = None,
    ) -> None:
        self.path = Path(path)
        self._key, self._keep_inputs, self._fsync, self._max_bytes, self._clock = key, keep_inputs, fsync, max_bytes, clock
        self._host = platform.node() if host is None else host
        self._private = PrivateStore(self.path, fsync=fsync)
        self._threads = threading.Lock()
        self._known: tuple[int, int, Head] | None = None
        self._unsure = False
        if not self.path.parent.is_dir():
            raise InputError("audit.folder", "the folder of the audit log does not exist; create it first")
        if self.path.is_dir():
            raise InputError("audit.folder", "an AuditLog is a file; the path given is a folder")

    # ---- appending ----

    def append(self, *entries: Entry) -> tuple[int, ...]:
        """Write the entries as consecutive lines and return their numbers.

        On return they are on disk; otherwise InputError, and the caller must act as if nothing was written.
        """
        with self._threads, _locked(self.path.with_name(self.path.name + ".lock")):
            if self._unsure:
                raise InputError("audit.unsure", "an earlier write could not be confirmed; verify the log and open it again")
            try:
                return self._append(entries)
            except OSError as error:
                raise InputError("audit.append_failed", f"the audit log cannot be written: {error.strerror}") from None

    def _append(self, entries: tuple[Entry, ...]) -> tuple[int, ...]:
        descriptor, created = self._open()
        try:
            size = os.fstat(descriptor).st_size
            if self._max_bytes is not None and size >= self._max_bytes:
                descriptor, size = self._rotate(descriptor, size)
                created = True
            lines: list[bytes] = []
            if size == 0:
                head = self._write_first(lines)
            else:
                head = self._head(descriptor, size)
            numbers: list[int] = []
            for entry in entries:
                head = self._line(entry, head, lines)
                numbers.append(head.seq)
            data = b"".join(lines)
            self._write(descriptor, data, size)
            if created and self._fsync:
                _sync_folder(self.path.parent)
            self._known = (os.fstat(descriptor).st_ino, size + len(data), head)
            return tuple(numbers)
        finally:
            os.close(descriptor)

    def _open(self) -> tuple[int, bool]:
        created = not self.path.exists()
        return os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o600), created

    def _write_first(self, lines: list[bytes]) -> Head:
        """The first line of a segment: of the whole log, or chained to the segment before."""
        before = segments_of(self.path)[:-1] if self.path.exists() else segments_of(self.path)
        if not before:
            body: dict[str, Json] = {"log_id": secrets.token_hex(16), "segment": 1}
            return self._line(Entry(event="genesis", body=body), Head(seq=-1, hash=NO_PREVIOUS), lines)
        last = before[-1]
        data = last.read_bytes()
        head, opening = _parsed_tail(data[-MAX_LINE_BYTES:]), parse_line(data.partition(b"\n")[0])
        if opening is None:
            raise InputError("audit.damaged", "the first line of the last segment cannot be read; run `audit verify`")
        opened = cast(dict[str, Json], opening["body"])
        body = {
            "log_id": opened.get("log_id"),
            "segment": len(before) + 1,
            "previous_bytes": len(data),
            "previous_head": head.hash,
        }
        return self._line(Entry(event="segment_start", body=body), head, lines)

    def _rotate(self, descriptor: int, size: int) -> tuple[int, int]:
        """Close the active segment with a last line, move it aside, and open a new file."""
        lines: list[bytes] = []
        self._line(Entry(event="segment_end", body={}), self._head(descriptor, size), lines)
        self._write(descriptor, b"".join(lines), size)
        os.close(descriptor)
        number = len(segments_of(self.path))
        self.path.rename(self.path.with_name(f"{self.path.name}.{number:06d}"))
        return self._open()[0], 0

    def _head(self, descriptor: int, size: int) -> Head:
        if self._known is not None and self._known[:2] == (os.fstat(descriptor).st_ino, size):
            return self._known[2]
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            file.seek(max(0, size - MAX_LINE_BYTES))
            return _parsed_tail(file.read())

    def _line(self, entry: Entry, head: Head, lines: list[bytes]) -> Head:
        seq = head.seq + 1
        body = dict(entry.body)
        body |= {name: cited if cited >= 0 else seq + cited for name, cited in entry.cites.items()}
        core: dict[str, Json] = {
            "actor": entry.actor,
            "at": self._clock().astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "body": body,
            "event": entry.event,
            "host": self._host,
            "prev": head.hash,
            "seq": seq,
            "v": 1,
        }
        line, digest = sealed_line(core, self._key)
        if len(line) > MAX_LINE_BYTES:
            raise InputError("audit.line_size", f"one event needs more than {MAX_LINE_BYTES} bytes")
        lines.append(line)
        return Head(seq=seq, hash=digest)

    def _write(self, descriptor: int, data: bytes, size: int) -> None:
        """All of it or none of it. Bytes of a failed write were acknowledged to nobody, so they are taken back if the disk allows."""
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(descriptor, view) :]
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, size)
            raise
        if self._fsync:
            try:
                os.fsync(descriptor)
            except OSError:
                # After a failed sync nobody knows what is on disk; a later sync would succeed and prove nothing.
                self._unsure = True
                raise

    # ---- what the fence records ----

    def verification(self, content: Content, artifact_type: str) -> tuple[tuple[Entry, ...], Content]:
        """The event of one verification, and the content with the id of its record. Stores the salt (and the inputs, if kept)."""
        report = content.report
        report_sha256 = hashlib.sha256(report.to_json().encode("utf-8")).hexdigest()
        inputs: dict[str, object] | None = None
        # A malformed payload that was no text cannot be stored, and so not replayed.
        if self._keep_inputs and (content.payload_text or not content.malformed):
            inputs = {
                "artifact_type": artifact_type,
                "payload": content.payload_text,
                "source": source_record(content.source),
                "report_sha256": report_sha256,
            }
        record = self._private.create(inputs)
        commit = {
            "source": self.commitment(record, "source", content.source.text),
            "payload": self.commitment(record, "payload", content.payload_text),
            "report": self.commitment(record, "report", report_sha256),
        }
        body = {"record": record, **minimal(report, artifact_type), "commit": cast(Json, commit)}
        return (Entry(event="verification", body=body),), replace(content, audit_record=record)

    def commitment(self, record: str, name: str, value: str) -> str:
        """HMAC-SHA256 of a value under the record's own salt: checkable by whoever has the salt, meaningless to anybody else."""
        data = name.encode() + b"\0" + value.encode("utf-8", "surrogatepass")
        return hmac.new(self._private.salt(record), data, hashlib.sha256).hexdigest()

    def inputs(self, record: str) -> dict[str, object] | None:
        """The stored inputs of a record, or None if they were not kept."""
        return self._private.inputs(record)

    def forget(self, record: str) -> bool:
        """Delete the salt and inputs of one record: its line can no longer be tied to a person. True if there was something to delete."""
        return self._private.forget(record)

    # ---- looking ----

    def anchor(self) -> dict[str, Json]:
        """`{log_id, size, head}`: keep it where the log's host cannot write, and give it to `verify`."""
        found = verify_log(self.path, key=self._key)
        if found.status != "ok" or found.log_id is None:
            raise InputError("audit.not_sound", f"no anchor for a log that does not verify: {found.reason}")
        return {"log_id": found.log_id, "size": found.lines, "head": found.head}

    def repair(self) -> Path | None:
        """Move a torn last line to a file beside the log and record that. None when the tail was whole. Nothing is thrown away."""
        with self._threads, _locked(self.path.with_name(self.path.name + ".lock")):
            data = self.path.read_bytes() if self.path.exists() else b""
            whole, newline, fragment = data.rpartition(b"\n")
            if not fragment:
                return None
            torn = self.path.with_name(f"{self.path.name}.torn-{hashlib.sha256(fragment).hexdigest()[:12]}")
            _write_private(torn, fragment, fsync=self._fsync)
            descriptor = os.open(self.path, os.O_RDWR)
            try:
                os.ftruncate(descriptor, len(whole) + len(newline))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            self._known, self._unsure = None, False
        self.append(Entry(event="repair", body={"bytes": len(fragment), "sha256": hashlib.sha256(fragment).hexdigest()}))
        return torn


def minimal(report: VerificationReport, artifact_type: str) -> dict[str, Json]:
    """A report without text: verdicts, rule ids, offsets and masked paths. Unsalted hashes stay out: a short text can be guessed."""
    told = cast(dict[str, Json], json.loads(report.to_audit_json()))
    for name in ("schema", "prev", "input_hashes"):
        told.pop(name, None)
    told["artifact_type"] = artifact_type if artifact_type in ARTIFACT_TYPES else "other"
    told["not_checked"] = [masked_path(path) for path in report.not_checked]
    for listed, key in (("items", "path"), ("findings", "field_path")):
        given: list[str] = [getattr(each, key) for each in getattr(report, listed)]
        rows = cast(list[dict[str, Json]], told[listed])
        told[listed] = [row | {key: masked_path(path)} for row, path in zip(rows, given, strict=True)]
    return told


def at_seq(content: Content, seq: int) -> Content:
    """The content, knowing the line of its verification."""
    return replace(content, audit_seq=seq)


def release_entry(audit: AuditLog | None, content: Content, how: str, *, decided: bool = False) -> Entry:
    """The event that must be on disk before anything leaves; it commits to the exact bytes handed over."""
    body: dict[str, Json] = {"record": content.audit_record, "how": how, "bytes": len(content.payload_text.encode())}
    if audit is not None and content.audit_record is not None:
        body["commit"] = {"payload": audit.commitment(content.audit_record, "payload", content.payload_text)}
    cites = {"verification": -1 if content.audit_seq is None else content.audit_seq}
    return Entry(event="release", body=body, cites=cites | ({"decision": -1} if decided else {}))


def requested_entry(content: Content, round_number: int) -> Entry:
    """A person is about to be asked."""
    return Entry(event="review_requested", body={"record": content.audit_record, "round": round_number}, cites={"verification": -1})


def decision_entry(audit: AuditLog | None, request: ReviewRequest, decision: ReviewDecision, standing: str) -> Entry:
    """What a person decided, and whether it counts. Free text is only committed to."""
    content = request._content.open()
    reason = decision.reason if decision.reason in REASON_CODES else "other"
    body = _about(request) | {"action": decision.action.value, "reason": reason, "standing": standing, "items": len(decision.items)}
    if audit is not None and content.audit_record is not None:
        told = json.dumps([decision.reason, decision.comment, dict(decision.values), decision.edited_sha256])
        body["commit"] = {"decision": audit.commitment(content.audit_record, "decision", told)}
    return Entry(event="decision", body=body, actor=decision.reviewer, cites=_cites(request))


def invalid_entry(request: ReviewRequest, rule_id: str) -> Entry:
    """An answer that does not count."""
    return Entry(event="decision_invalid", body=_about(request) | {"rule": rule_id}, cites=_cites(request))


def handler_entry(request: ReviewRequest, event: str, what: str) -> Entry:
    """The review handler failed. Only the class name of its exception is told: messages carry health data."""
    return Entry(event=event, body=_about(request) | {"what": what if _IDENTIFIER.fullmatch(what) else "other"}, cites=_cites(request))


def _about(request: ReviewRequest) -> dict[str, Json]:
    return {"record": request._content.open().audit_record, "round": request.round}


def _cites(request: ReviewRequest) -> dict[str, int]:
    seq = request._content.open().audit_seq
    return {} if seq is None else {"verification": seq}


# ---- lines ----------------------------------------------------------------------------------------------------


def sealed_line(core: Mapping[str, Json], key: bytes | None) -> tuple[bytes, str]:
    """The whole line, newline included, and its hash. core: the line without `hash` and `mac`."""
    text = canonical_json.dumps(dict(core))
    digest = hashlib.sha256(DOMAIN + text.encode("utf-8")).hexdigest()
    # `hash` sorts before `host` and `mac` before `prev`; putting them in by position saves a second pass over the whole line.
    tail = f'"prev":"{core["prev"]}","seq":{core["seq"]},"v":1}}'
    host = f'"host":{canonical_json.dumps(core["host"])},'
    mac = "" if key is None else f'"mac":"{_mac(key, digest)}",'
    return f'{text[: -len(host + tail)]}"hash":"{digest}",{host}{mac}{tail}\n'.encode(), digest


def _mac(key: bytes, digest: str) -> str:
    return hmac.new(key, DOMAIN + digest.encode(), hashlib.sha256).hexdigest()


_CORE_KEYS = frozenset({"actor", "at", "body", "event", "host", "prev", "seq", "v"})


def parse_line(line: bytes) -> dict[str, Json] | None:
    """The line's members, or None if it is not an object with exactly ours. (Repeated keys show up when the bytes are compared.)"""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if type(value) is not dict or value.keys() - {"mac"} != _CORE_KEYS | {"hash"}:
        return None
    if type(value["prev"]) is not str or type(value["seq"]) is not int or value["v"] != 1 or type(value["body"]) is not dict:
        return None
    return value


def _parsed_tail(data: bytes) -> Head:
    """The head of a log that ends in these bytes. A torn or damaged last line raises: nothing is appended behind it."""
    if not data.endswith(b"\n"):
        raise InputError("audit.torn", "the last line of the audit log is incomplete (a crash while writing); run `audit repair` first")
    value = parse_line(data[:-1].rpartition(b"\n")[2])
    if value is None:
        raise InputError("audit.damaged", "the last line of the audit log cannot be read; run `audit verify`")
    digest = value["hash"]
    if sealed_line({name: value[name] for name in _CORE_KEYS}, None)[1] != digest:
        raise InputError("audit.damaged", "the last line of the audit log was changed; run `audit verify`")
    return Head(seq=cast(int, value["seq"]), hash=digest)


# ---- verifying ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class LogCheck:
    """What `verify_log` found. status: `ok`, `tampered`, `torn` or `truncated`.

    lines: sound lines up to the first bad one. head: hash of the last of them. where: file and line of the first bad one.
    unseen: what this check could not see, in words.
    """

    status: str
    reason: str
    lines: int
    head: str
    log_id: str | None
    where: str | None
    unseen: tuple[str, ...]


NO_ANCHOR = "no anchor given: a log cut off at the end, or rewritten as a whole, cannot be detected"
NO_KEY = "no key given: a chain rewritten from some line on cannot be detected unless an anchor lies behind that line"


def segments_of(path: Path) -> list[Path]:
    """The segments of a log, oldest first. path: the log file, or a folder that holds exactly one log."""
    if path.is_dir():
        names = {_SEGMENT.sub("", file.name) for file in path.glob("*.jsonl*") if re.search(r"\.jsonl(\.[0-9]{6})?$", file.name)}
        if len(names) != 1:
            raise InputError("audit.folder", f"the folder holds {len(names)} audit logs (*.jsonl); name the file")
        path = path / names.pop()
    rotated = [file for file in path.parent.glob(path.name + ".*") if _SEGMENT.fullmatch(file.name[len(path.name) :])]
    return sorted(rotated) + ([path] if path.exists() else [])


def read_lines(path: Path) -> Iterator[tuple[str, bytes]]:
    """Every raw line with the name of its place, newline included where there is one."""
    for segment in segments_of(path):
        with segment.open("rb") as file:
            for number, line in enumerate(file, start=1):
                yield f"{segment.name}:{number}", line


def verify_log(path: str | os.PathLike[str], *, key: bytes | None = None, anchors: tuple[Mapping[str, Json], ...] = ()) -> LogCheck:
    """Check the whole chain, and each anchor against it. InputError when there is no log at all."""
    place = Path(path)
    if not segments_of(place):
        raise InputError("audit.missing", "there is no audit log at this path")
    wanted: dict[int, list[Mapping[str, Json]]] = {}
    for anchor in anchors:
        size = anchor.get("size")
        if type(size) is not int or size < 1 or type(anchor.get("head")) is not str or type(anchor.get("log_id")) is not str:
            raise InputError("audit.anchor", 'an anchor is {"log_id": …, "size": n, "head": …} as `audit anchor` prints it')
        wanted.setdefault(size, []).append(anchor)
    unseen = (() if anchors else (NO_ANCHOR,)) + (() if key is not None else (NO_KEY,))
    if anchors:
        unseen += (f"lines after number {max(wanted) - 1} (the last anchor) could have been cut off unseen",)
    count, head, log_id = 0, NO_PREVIOUS, None

    def found(status: str, reason: str, where: str | None = None) -> LogCheck:
        return LogCheck(status=status, reason=reason, lines=count, head=head, log_id=log_id, where=where, unseen=unseen)

    segment = 0
    for where, line in read_lines(place):
        if not line.endswith(b"\n"):
            return found("torn", "the last line is incomplete; `audit repair` moves it aside", where)
        value = parse_line(line)
        problem, log_id, segment = _line_problem(value, line, count, head, key, log_id, segment)
        if problem is not None or value is None:
            return found("tampered", problem or "not a line of an audit log", where)
        count, head = count + 1, cast(str, value["hash"])
        for anchor in wanted.pop(count, ()):
            if anchor["head"] != head or anchor["log_id"] != log_id:
                return found("tampered", f"the log differs from the anchor at size {count}: it was rewritten, or it is another log", where)
    if wanted:
        return found("truncated", f"the log has {count} lines, but an anchor saw {max(wanted)}: the end was cut off")
    return found("ok", f"{count} lines, chain unbroken")


def _line_problem(
    value: dict[str, Json] | None, line: bytes, count: int, head: str, key: bytes | None, log_id: str | None, segment: int
) -> tuple[str | None, str | None, int]:
    """What is wrong with one line, with the log id and segment number after it."""
    if value is None:
        return "not a line of an audit log", log_id, segment
    if value["seq"] != count:
        return f"line number {count} expected, {value['seq']} found: lines are missing, doubled, or in another order", log_id, segment
    if value["prev"] != head:
        return "not chained to the line before: a line was changed, removed, inserted, or comes from another log", log_id, segment
    try:
        expected, digest = sealed_line({name: value[name] for name in _CORE_KEYS}, key)
    except MedfenceError:
        return "not canonical JSON", log_id, segment
    if value["hash"] != digest:
        return "its content does not match its hash: it was changed", log_id, segment
    if key is not None and not hmac.compare_digest(str(value.get("mac")), _mac(key, digest)):
        return "its MAC does not match: it was not written with this key", log_id, segment
    if key is None and "mac" in value:
        expected = expected.replace(b'"prev":"' + head.encode(), b'"mac":"%s","prev":"%s' % (str(value["mac"]).encode(), head.encode()))
    if expected != line:
        return "its bytes are not the canonical ones", log_id, segment
    body = cast(dict[str, Json], value["body"])
    if value["event"] in ("genesis", "segment_start"):
        segment += 1
        own_id = body.get("log_id")
        if body.get("segment") != segment or (value["event"] == "genesis") != (count == 0) or (log_id or own_id) != own_id:
            return "a segment is missing or belongs to another log", log_id, segment
        return None, cast(str, body.get("log_id")), segment
    return (None if count else "the log does not begin with its genesis line"), log_id, segment


# ---- the private store ----------------------------------------------------------------------------------------


class PrivateStore:
    """One small file per verification beside the log: its salt, and its inputs if they are kept. Deleting the file forgets the record."""

    def __init__(self, log: Path, *, fsync: bool) -> None:
        self._root = log.with_name(log.name + ".private")
        self._fsync = fsync

    def create(self, inputs: Mapping[str, object] | None) -> str:
        """A new record with a random salt; its id."""
        record = "rec_" + secrets.token_hex(16)
        place = self._place(record)
        try:
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write_private(place, json.dumps({"salt": secrets.token_hex(32), "inputs": inputs}).encode(), fsync=self._fsync)
        except OSError as error:
            raise InputError("audit.private", f"the private store of the audit log cannot be written: {error.strerror}") from None
        return record

    def salt(self, record: str) -> bytes:
        """The record's salt; InputError once it is forgotten."""
        return bytes.fromhex(str(self._read(record)["salt"]))

    def inputs(self, record: str) -> dict[str, object] | None:
        """The record's inputs, None if they were not kept; InputError once it is forgotten."""
        found = self._read(record)["inputs"]
        return found if isinstance(found, dict) else None

    def forget(self, record: str) -> bool:
        """Delete the record's file."""
        try:
            self._place(record).unlink()
        except FileNotFoundError:
            return False
        return True

    def _read(self, record: str) -> dict[str, object]:
        try:
            value = json.loads(self._place(record).read_bytes())
            return {"salt": value["salt"], "inputs": value["inputs"]}
        except FileNotFoundError:
            raise InputError("audit.forgotten", "this record was forgotten, or belongs to another log") from None
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError("audit.private", "the private store of the audit log cannot be read") from None

    def _place(self, record: str) -> Path:
        if not _RECORD_ID.fullmatch(record):
            raise InputError("audit.record", "a record id is rec_ and 32 hexadecimal digits")
        return self._root / record[4:6] / f"{record}.json"


# ---- files ----------------------------------------------------------------------------------------------------


def _write_private(path: Path, data: bytes, *, fsync: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        if fsync:
            os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return  # a folder cannot be opened for syncing there
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _locked(lock: Path) -> Iterator[None]:
    """One writer at a time in all processes. The lock is a file of its own, because the log's file changes at rotation."""
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InputError("audit.append_failed", f"the audit log cannot be locked: {error.strerror}") from None
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
