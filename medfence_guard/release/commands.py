"""`medfence-guard audit …` and `medfence-guard review …`.

Each command is a function of the parsed arguments that writes to standard output and returns the exit code.
`audit verify`: 0 sound, 1 tampered, 2 torn, 3 truncated below an anchor, 4 unusable. `audit replay`: 1 when a report differs.
`review`: 0 done, 2 refused.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from medfence_guard.contract import Extraction, Json, SourceDocument, VerificationReport
from medfence_guard.errors import InputError, MedfenceError
from medfence_guard.html.visible import visible
from medfence_guard.release.audit import AuditLog, parse_line, read_lines, segments_of, verify_log
from medfence_guard.release.queue import QueueState, ReviewQueue
from medfence_guard.release.replay import IN_WORDS, REPRODUCED, read_source, records_of_source, replay
from medfence_guard.release.review import REASON_CODES, Action, ReviewDecision, ReviewRequest
from medfence_guard.rulepack import Rulepack
from medfence_guard.verify import verify

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

AUDIT_EXITS = {"ok": 0, "tampered": 1, "torn": 2, "truncated": 3}
UNUSABLE_LOG = 4
REFUSED = 2

# ---- parsers --------------------------------------------------------------------------------------------------


def add_audit_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """Add `audit` with its commands."""
    parser = subparsers.add_parser("audit", help="verify, anchor, explain, replay or repair an audit log")
    commands = parser.add_subparsers(dest="audit_command", required=True, metavar="COMMAND")

    def add(name: str, told: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=told, description=told)
        command.add_argument("path", type=Path, help="the log file, or the folder that holds it")
        command.add_argument("--key-file", type=Path, help="file with the key of the MACs, if the log has one")
        return command

    verify = add("verify", "check the chain; exit 0 sound, 1 tampered, 2 torn, 3 truncated below an anchor, 4 unusable")
    verify.add_argument(
        "--anchor", type=Path, action="append", default=[], help="an anchor printed earlier by `audit anchor`; may be repeated"
    )
    verify.add_argument("--json", action="store_true", help="the result as JSON")
    add("anchor", "print the size and head of a sound log, to be kept where the log's host cannot write")
    add("explain", "say one line in words").add_argument("seq", type=int, help="the number of the line")
    replayed = add("replay", "run the logged verifications again on their kept inputs and compare the reports")
    replayed.add_argument("--rulepack", type=Path, help="rulepack folder; default: the installed one")
    add("repair", "move a torn last line to a file beside the log, and record that")
    forget = add("forget", "delete the salt and inputs of a record, so that its lines cannot be tied to a person any more")
    chosen = forget.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--record", help="the record's id")
    chosen.add_argument("--source", type=Path, help="every record made from exactly the text of this file")
    return parser


def add_review_parser(subparsers: Subparsers) -> argparse.ArgumentParser:
    """Add `review` with its commands."""
    parser = subparsers.add_parser("review", help="list, show and decide held extractions, and count how people decide")
    commands = parser.add_subparsers(dest="review_command", required=True, metavar="COMMAND")

    def add(name: str, told: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=told, description=told)
        command.add_argument("queue", type=Path, help="the queue's SQLite file")
        return command

    listed = add("list", "the requests, most urgent and oldest first")
    listed.add_argument("--state", choices=[state.value for state in QueueState], help="only those in this state")
    show = add("show", "one request in words; with --html, its evidence page (health data)")
    show.add_argument("request_id")
    show.add_argument("--html", type=Path, metavar="OUT", help="write the evidence page to this file")
    show.add_argument("--images", type=Path, nargs="*", default=[], metavar="PAGE", help="the page images, PNG or JPEG, in page order")
    decide = add("decide", "record one decision about one request; the application that holds the payload then settles it")
    decide.add_argument("request_id")
    decide.add_argument("action", choices=[action.value for action in Action])
    decide.add_argument("--reviewer", required=True, help="who decides")
    decide.add_argument("--reason", required=True, help=f"one of {', '.join(sorted(REASON_CODES))}, or free text")
    decide.add_argument("--comment", default="")
    decide.add_argument("--item", action="append", default=[], metavar="PATH", help="confirm: a held medication that was looked at; repeat")
    decide.add_argument("--value", action="append", default=[], metavar="PATH=TEXT", help="override: the value read in the source; repeat")
    decide.add_argument("--payload", type=Path, metavar="FILE", help="edit: the corrected payload, a JSON file")
    add("stats", "per check: share confirmed, overrides, median seconds to a decision")
    return parser


# ---- audit ----------------------------------------------------------------------------------------------------


def audit_command(args: argparse.Namespace) -> int:
    """Run `audit <command>`; 4 when the log or an argument cannot be used."""
    try:
        return _AUDIT[args.audit_command](args)
    except MedfenceError as error:
        sys.stderr.write(error.diagnostics() + "\n")
        return UNUSABLE_LOG


def _audit_verify(args: argparse.Namespace) -> int:
    anchors = tuple(_read_anchor(path) for path in args.anchor)
    found = verify_log(args.path, key=_key(args), anchors=anchors)
    if args.json:
        _say(json.dumps({"status": found.status, "reason": found.reason, "lines": found.lines, "head": found.head, "log_id": found.log_id}))
        return AUDIT_EXITS[found.status]
    _say(f"{found.status.upper()}: {found.reason}")
    if found.where is not None:
        _say(f"first bad line: {found.where}")
    _say(f"last sound head: {found.head} (after {found.lines} lines)")
    for told in found.unseen:
        _say(f"NOT CHECKED: {told}")
    return AUDIT_EXITS[found.status]


def _audit_anchor(args: argparse.Namespace) -> int:
    _say(json.dumps(_log(args).anchor(), sort_keys=True))
    return 0


def _audit_explain(args: argparse.Namespace) -> int:
    for where, line in read_lines(args.path):
        value = parse_line(line.rstrip(b"\n"))
        if value is not None and value["seq"] == args.seq:
            _say(f"line {args.seq} ({where}), {value['at']}, by {value['actor']} on {value['host']}")
            _say(_explained(str(value["event"]), cast(dict[str, Json], value["body"])))
            return 0
    raise InputError("audit.no_line", f"the log has no line number {args.seq}")


def _audit_replay(args: argparse.Namespace) -> int:
    counts: dict[str, int] = {}
    for each in replay(_log(args), _verifier(args.rulepack)):
        counts[each.result] = counts.get(each.result, 0) + 1
        if each.result not in REPRODUCED:
            _say(f"line {each.seq}, {each.record}: {IN_WORDS[each.result]}")
    for result, count in sorted(counts.items()):
        _say(f"{count}: {IN_WORDS[result]}")
    if not counts:
        _say("the log holds no verification")
    return 0 if counts.keys() <= REPRODUCED else 1


def _audit_repair(args: argparse.Namespace) -> int:
    moved = _log(args).repair()
    _say("nothing to repair: the last line is whole" if moved is None else f"the torn line was moved to {moved.name}, and that is recorded")
    return 0


def _audit_forget(args: argparse.Namespace) -> int:
    log = _log(args)
    records = [args.record] if args.record else records_of_source(log, read_source(args.source))
    done = sum(log.forget(record) for record in records)
    _say(f"forgotten: {done} of {len(records)} records")
    return 0 if done else 1


_AUDIT: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "verify": _audit_verify,
    "anchor": _audit_anchor,
    "explain": _audit_explain,
    "replay": _audit_replay,
    "repair": _audit_repair,
    "forget": _audit_forget,
}

EVENTS: Mapping[str, str] = {
    "genesis": "The log begins.",
    "segment_start": "A new segment begins, chained to the one before.",
    "segment_end": "The segment ends; the log goes on in the next one.",
    "verification": "An extraction was verified: {overall}, {held} findings that are not PASS.",
    "review_requested": "A person is asked about the extraction of line {verification}.",
    "decision": "A person decided about the extraction of line {verification}: {action} (reason: {reason}; standing: {standing}).",
    "decision_invalid": "An answer about the extraction of line {verification} does not count ({rule}).",
    "handler_error": "The review function failed on the extraction of line {verification} ({what}).",
    "handler_timeout": "The review function did not answer in time about the extraction of line {verification}.",
    "handler_aborted": "The review function was interrupted on the extraction of line {verification} ({what}).",
    "release": "The extraction of line {verification} was released ({how}), {bytes} bytes.",
    "repair": "A torn line of {bytes} bytes was moved aside.",
}
"""Every event of the log in words."""


def _explained(event: str, body: Mapping[str, Json]) -> str:
    findings = cast(list[dict[str, Json]], body.get("findings", []))
    held = [finding for finding in findings if finding["verdict"] != "pass"]
    told = EVENTS.get(event, "An event this version does not know.").format_map(_Missing({**body, "held": len(held)}))
    lines = [f"    {finding['verdict']} {finding['field_path']} {finding['check_id']}" for finding in held]
    return "\n".join([told, *lines])


class _Missing(dict[str, object]):
    def __missing__(self, key: str) -> str:
        return "?"


# ---- review ---------------------------------------------------------------------------------------------------


def review_command(args: argparse.Namespace) -> int:
    """Run `review <command>`; 2 when it is refused."""
    try:
        queue = ReviewQueue.open_existing(args.queue)
        try:
            return _REVIEW[args.review_command](queue, args)
        finally:
            queue.close()
    except MedfenceError as error:
        sys.stderr.write(error.diagnostics() + "\n")
        return REFUSED


def _review_list(queue: ReviewQueue, args: argparse.Namespace) -> int:
    entries = queue.list(None if args.state is None else QueueState(args.state))
    for entry in entries:
        claimed = f"  claimed by {visible(entry.claimed_by)}" if entry.claimed_by else ""
        waited = f"{entry.waiting_seconds / 60:.0f} min"
        _say(f"{entry.request_id}  {entry.state.value:8}  {entry.verdict:7}  {entry.held} checks  waiting {waited}{claimed}")
    if not entries:
        _say("no requests")
    return 0


def _review_show(queue: ReviewQueue, args: argparse.Namespace) -> int:
    request = _request(queue, args.request_id)
    _say(request.summary)
    _say(f"allowed: {', '.join(sorted(action.value for action in request.allowed))}")
    if len(request.held_medications) > 1:
        _say("to confirm, name each: " + " ".join(f"--item '{path}'" for path in request.held_medications))
    for path in request.contested_values:
        _say(f"to override, type what the source says: --value '{path}=…'")
    if args.html is not None:
        try:
            images = {number: path.read_bytes() for number, path in enumerate(args.images, start=1)}
            args.html.write_text(request.to_html(images or None), encoding="utf-8")
        except OSError as error:
            raise InputError("review.file", f"a page image or the output file cannot be used: {error.strerror}") from None
        _say(f"evidence page written to {args.html.name} (health data)")
    return 0


def _review_decide(queue: ReviewQueue, args: argparse.Namespace) -> int:
    request = _request(queue, args.request_id)
    decision = _decision(request, args)
    claim = queue.claim(args.reviewer, args.request_id)
    if claim is None:
        state = queue.state(args.request_id)
        told = "another reviewer is working on it, or this reviewer already answered" if state is QueueState.OPEN else "it is not open"
        raise InputError("review.not_claimable", f"the request cannot be decided: {told}")
    try:
        state = queue.decide(decision, claim)
    except MedfenceError:
        queue.release(claim)
        raise
    outcomes = {
        QueueState.OPEN: "recorded; a second reviewer must agree",
        QueueState.DECIDED: "recorded; the application releases or rejects it with fence.settle(request_id)",
        QueueState.CONFLICT: "recorded; it contradicts another reviewer, so the payload stays held",
    }
    _say(f"{args.request_id}: {outcomes[state]}")
    return 0


def _decision(request: ReviewRequest, args: argparse.Namespace) -> ReviewDecision:
    said = {"reviewer": args.reviewer, "reason": args.reason, "comment": args.comment}
    action = Action(args.action)
    if action is Action.CONFIRM:
        return request.confirm(**said, items=args.item)
    if action is Action.REJECT:
        return request.reject(**said)
    if action is Action.OVERRIDE:
        pairs = [given.partition("=") for given in args.value]
        if not all(separator for _, separator, _ in pairs):
            raise InputError("review.value", "--value is PATH=TEXT")
        return request.override(**said, values={path: text for path, _, text in pairs})
    if args.payload is None:
        raise InputError("review.payload", "edit needs --payload FILE")
    try:
        edited = args.payload.read_bytes()
    except OSError as error:
        raise InputError("review.payload", f"the edited payload cannot be read: {error.strerror}") from None
    return request.edit(edited, **said)


def _review_stats(queue: ReviewQueue, _args: argparse.Namespace) -> int:
    stats = queue.stats()
    for each in stats:
        _say(
            f"{each.check_id}: {each.requests} decided, {each.confirmed_share:.0%} confirmed, {each.overrides} overridden, "
            f"median {each.median_seconds:.0f} s"
        )
    if not stats:
        _say("no decisions yet")
    return 0


_REVIEW: Mapping[str, Callable[[ReviewQueue, argparse.Namespace], int]] = {
    "list": _review_list,
    "show": _review_show,
    "decide": _review_decide,
    "stats": _review_stats,
}

# ---- helpers --------------------------------------------------------------------------------------------------


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


def _request(queue: ReviewQueue, request_id: str) -> ReviewRequest:
    request = queue.get(request_id)
    if request is None:
        raise InputError("review.unknown_request", "the queue holds no such request, or it was forgotten")
    return request


def _log(args: argparse.Namespace) -> AuditLog:
    segments = segments_of(args.path)
    if not segments:
        raise InputError("audit.missing", "there is no audit log at this path")
    return AuditLog(segments[-1] if args.path.is_dir() else args.path, key=_key(args))


def _key(args: argparse.Namespace) -> bytes | None:
    if args.key_file is None:
        return None
    try:
        key: bytes = args.key_file.read_bytes().strip()
    except OSError as error:
        raise InputError("audit.key_file", f"the key file cannot be read: {error.strerror}") from None
    if not key:
        raise InputError("audit.key_file", "the key file is empty")
    return key


def _read_anchor(path: Path) -> Mapping[str, Json]:
    try:
        anchor = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise InputError("audit.anchor", f"the anchor file cannot be read as JSON ({type(error).__name__})") from None
    if type(anchor) is not dict:
        raise InputError("audit.anchor", "an anchor is a JSON object as `audit anchor` prints it")
    return anchor


def _verifier(rulepack: Path | None) -> Callable[[Extraction, SourceDocument], VerificationReport]:
    rules = Rulepack.default() if rulepack is None else Rulepack.load(rulepack)
    return lambda extraction, source: verify(extraction, source, rules)
