"""Processes for test_audit_crash.py: one that forks writers and kills them, one that only appends, one that meets a file size limit."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import sys
import time
from pathlib import Path

from medfence_guard.release import AuditLog
from medfence_guard.release.audit import Entry, read_lines, verify_log
from release.fakes import SOURCE, KeyedFence, payload_for


def write_in_pieces() -> None:
    """From here on every write is short, with a pause after it: a kill then falls into the middle of a line."""
    whole_write = os.write

    def write(descriptor: int, data: bytes) -> int:
        written = whole_write(descriptor, bytes(data)[: max(1, len(data) // 3)])
        time.sleep(0.001)
        return written

    os.write = write  # type: ignore[assignment]


def child(path: Path, acks: int, pieces: bool) -> None:
    """Release one payload after another; a byte goes to the parent only after `released` was seen."""
    fence = KeyedFence(audit=AuditLog(path))
    acknowledge = os.write
    if pieces:
        write_in_pieces()
    while True:
        if fence.check(payload_for("pass"), SOURCE).released:
            acknowledge(acks, b".")


ROUNDS_PER_LOG = 20


def kill_loop(folder: Path, rounds: int) -> None:
    """Kill a writer `rounds` times; after each, the log must be whole or torn, and hold a record of all that was acknowledged."""
    delays = random.Random(20260102)
    torn = acknowledged = total = 0
    path = folder
    KeyedFence().check(payload_for("pass"), SOURCE)  # imports everything once, so that each child spends its short life writing
    for number in range(rounds):
        if number % ROUNDS_PER_LOG == 0:  # a long log would only make the checking slower
            path, total, acknowledged = folder / f"audit-{number}.jsonl", total + acknowledged, 0
        read_end, write_end = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read_end)
            child(path, write_end, pieces=number % 2 == 1)
        os.close(write_end)
        if number % 2 == 0:
            select.select([read_end], [], [], 5)  # an acknowledged release, then a kill in the middle of what follows
        time.sleep(delays.uniform(0.001, 0.02))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with os.fdopen(read_end, "rb") as pipe:
            acknowledged += len(pipe.read())
        if not path.exists():
            continue
        status = verify_log(path).status if path.stat().st_size else "ok"
        if status == "torn":
            torn += 1
            AuditLog(path).repair()
            status = verify_log(path).status
        if status != "ok":
            sys.exit(f"round {number}: {status}")
        released = sum(b'"event":"release"' in line for _, line in read_lines(path))
        if released < acknowledged:
            sys.exit(f"round {number}: {acknowledged} releases acknowledged, {released} recorded")
    sys.stdout.write(json.dumps({"torn": torn, "acknowledged": total + acknowledged}))


def append(path: Path, count: int) -> None:
    log = AuditLog(path, fsync=False)
    acknowledged = [log.append(Entry(event="event", body={"writer": os.getpid(), "number": number}))[0] for number in range(count)]
    sys.stdout.write(json.dumps(acknowledged))


def fill(path: Path, limit: int) -> None:
    """Release until the kernel refuses to let the file grow, as on a full disk; then say how it went."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    fence = KeyedFence(audit=AuditLog(path, fsync=False))
    codes = [fence.check(payload_for("pass"), SOURCE).code for _ in range(30)]
    sys.stdout.write(json.dumps(codes))


if __name__ == "__main__":
    task, where, amount = sys.argv[1:]
    {"kill_loop": kill_loop, "append": append, "fill": fill}[task](Path(where), int(amount))
