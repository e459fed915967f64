"""Run logged verifications again, on the inputs kept beside the log, and compare what comes out.

A verdict that cannot be reproduced bit for bit means that the rulepack, the engine, the inputs or the log changed.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from medfence_guard.contract import Extraction, Json, SourceDocument, VerificationReport
from medfence_guard.errors import InputError
from medfence_guard.release.audit import AuditLog, parse_line, read_lines
from medfence_guard.release.queue import source_from_record

Verifier = Callable[[Extraction, SourceDocument], VerificationReport]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """One logged verification. result: `same`, `different`, `other_rulepack`, `altered_inputs`, `not_kept` or `forgotten`."""

    seq: int
    record: str
    result: str


REPRODUCED = frozenset({"same", "not_kept", "forgotten"})
"""The results that are no cause for alarm. (Inputs are kept only by `AuditLog(keep_inputs=True)`.)"""

IN_WORDS = {
    "same": "the same report, byte for byte",
    "different": "ANOTHER REPORT than the one logged",
    "other_rulepack": "not comparable: verified under another rulepack, bundle or engine version",
    "altered_inputs": "THE STORED INPUTS are not the ones the log commits to",
    "not_kept": "inputs were not kept",
    "forgotten": "forgotten: its salt and inputs were deleted",
}


def replay(log: AuditLog, verifier: Verifier) -> Iterator[Replayed]:
    """Every `verification` of the log, in order. Verify the chain first; this looks at the bodies only."""
    for _, line in read_lines(log.path):
        value = parse_line(line)
        if value is None or value["event"] != "verification":
            continue
        body = cast(dict[str, Json], value["body"])
        record = str(body["record"])
        yield Replayed(seq=cast(int, value["seq"]), record=record, result=_result(log, record, body, verifier))


def _result(log: AuditLog, record: str, body: dict[str, Json], verifier: Verifier) -> str:
    try:
        inputs = log.inputs(record)
    except InputError as error:
        if error.code == "audit.forgotten":
            return "forgotten"
        raise
    if inputs is None:
        return "not_kept"
    source, payload = source_from_record(inputs["source"]), str(inputs["payload"])
    commit = cast(dict[str, Json], body["commit"])
    for name, text in (("source", source.text), ("payload", payload)):
        if not hmac.compare_digest(log.commitment(record, name, text), str(commit[name])):
            return "altered_inputs"
    report = verifier(Extraction(str(inputs["artifact_type"]), payload), source)
    versions = ("rulepack_version", "refdata_snapshot", "engine_version")
    if any(getattr(report, name) != body[name] for name in versions):
        return "other_rulepack"
    digest = hashlib.sha256(report.to_json().encode("utf-8")).hexdigest()
    return "same" if hmac.compare_digest(log.commitment(record, "report", digest), str(commit["report"])) else "different"


def records_of_source(log: AuditLog, text: str) -> list[str]:
    """The records made from exactly this source text, found by trying every record's salt."""
    found = []
    for _, line in read_lines(log.path):
        value = parse_line(line)
        if value is None or value["event"] != "verification":
            continue
        body = cast(dict[str, Json], value["body"])
        record, commit = str(body["record"]), cast(dict[str, Json], body["commit"])
        try:
            own = log.commitment(record, "source", text)
        except InputError:
            continue
        if hmac.compare_digest(own, str(commit["source"])):
            found.append(record)
    return found


def read_source(path: Path) -> str:
    """A source text from a file, exactly as it is."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("audit.source_file", f"the source file cannot be read as UTF-8 text ({type(error).__name__})") from None
