"""How fast the audit log takes records, and how long its verification takes: `python -m benchmarks.audit [--lines N] [--check]`.

Appends per second with and without fsync (the figure with it is the disk's), one record per append as the fence writes them; then the
verification of logs of 10⁴ and 10⁵ lines and the growth exponent between them. `--check` exits 1 when that is not linear.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from medfence_guard.contract import Json
from medfence_guard.release.audit import AuditLog, Entry, verify_log

AT_MOST_LINEAR = 1.15
BODY: Mapping[str, Json] = {
    "record": "rec_" + "0" * 32,
    "overall": "abstain",
    "findings": [
        {"check_id": "grounding.strength", "field_path": "$.medications[0].strength", "verdict": "abstain", "spans": [[10, 16]]}
        for _ in range(5)
    ],
}


def appends_per_second(folder: Path, *, fsync: bool, count: int) -> float:
    """One append per record, the lock taken and given back each time."""
    log = AuditLog(folder / f"append-{fsync}.jsonl", fsync=fsync)
    log.append(Entry(event="event", body=BODY))
    started = time.perf_counter()
    for _ in range(count):
        log.append(Entry(event="event", body=BODY))
    return count / (time.perf_counter() - started)


def seconds_to_verify(folder: Path, lines: int) -> float:
    """A log of so many lines, written in a few large appends, read and checked once."""
    path = folder / f"verify-{lines}.jsonl"
    path.unlink(missing_ok=True)
    log = AuditLog(path, fsync=False)
    for _ in range(lines // 1000):
        log.append(*[Entry(event="event", body=BODY)] * 1000)
    started = time.perf_counter()
    found = verify_log(log.path)
    taken = time.perf_counter() - started
    if found.status != "ok" or found.lines != lines + 1:
        sys.exit(f"the log did not verify: {found.reason}")
    return taken


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=100_000, help="lines of the larger log")
    parser.add_argument("--check", action="store_true", help="exit 1 when verification does not grow linearly")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for fsync, count in ((False, 2000), (True, 300)):
            rate = appends_per_second(folder, fsync=fsync, count=count)
            sys.stdout.write(f"append, fsync={fsync!s:5}: {rate:8.0f} per second, {1000 / rate:.2f} ms each\n")
        few = args.lines // 10
        small, large = min(seconds_to_verify(folder, few) for _ in range(2)), seconds_to_verify(folder, args.lines)
        exponent = math.log(large / small) / math.log(args.lines / few)
        for lines, seconds in ((few, small), (args.lines, large)):
            sys.stdout.write(f"verify {lines:7} lines: {seconds:6.2f} s, {seconds / lines * 1e6:.0f} us a line\n")
        sys.stdout.write(f"growth exponent: {exponent:.2f} (linear is 1; at most {AT_MOST_LINEAR})\n")
    return 1 if args.check and exponent > AT_MOST_LINEAR else 0


if __name__ == "__main__":
    sys.exit(main())
