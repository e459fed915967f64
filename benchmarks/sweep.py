"""The sweep over the vectors: `python -m benchmarks.sweep [--one-in N] [--jobs N] [--json FILE]`. Exits 1 on any false PASS.

Every vector whose ideal is PASS, corrupted in one place of its payload or its source, about a quarter of a million ways. `--one-in 1`
tries them all: some twenty minutes on one core, which is why the default takes one in eight. The vectors were written against this
fence and the corruptions with it, so the table shows what holds, not a rate to expect elsewhere.
"""

from __future__ import annotations

import argparse
import collections
import json
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.metamorphic.sweep import SWEEPS, kind_of, sweep

ONE_IN = 8
Tally = dict[str, dict[str, int]]


def part(side: str, one_in: int, turn: int) -> tuple[Tally, list[str]]:
    """One share of one side: kind of corruption -> verdict -> number, and what passed."""
    tally: Tally = collections.defaultdict(lambda: {"PASS": 0, "FAIL": 0, "ABSTAIN": 0})
    passed = []
    for what, changed, verdict in sweep(side, one_in, turn):
        tally[kind_of(what).split(" ")[0]][verdict.name] += 1
        if verdict.name == "PASS":
            passed.append(f"{changed['id']}: {what}: {changed['source_text']!r} <= {json.dumps(changed['payload'], ensure_ascii=False)}")
    return dict(tally), passed


def merged(tallies: Iterable[Tally]) -> Tally:
    total: Tally = {}
    for tally in tallies:
        for kind, row in tally.items():
            into = total.setdefault(kind, {"PASS": 0, "FAIL": 0, "ABSTAIN": 0})
            for verdict, number in row.items():
                into[verdict] += number
    return dict(sorted(total.items()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one-in", type=int, default=ONE_IN, metavar="N", help="try one corruption in N (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes (default: %(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the table and what passed there")
    options = parser.parse_args()

    started = time.perf_counter()
    # Shares that do not overlap, one in `one_in` together.
    shares = [(side, options.one_in * options.jobs, turn * options.one_in) for side in SWEEPS for turn in range(options.jobs)]
    if options.jobs == 1:
        done = [part(*share) for share in shares]
    else:
        with ProcessPoolExecutor(options.jobs) as pool:
            done = list(pool.map(part, *zip(*shares, strict=True)))
    told = [(side, tally) for (side, _, _), (tally, _) in zip(shares, done, strict=True)]
    tables = {side: merged(tally for of, tally in told if of == side) for side in SWEEPS}
    passed = [one for _, found in done for one in found]

    for side, table in tables.items():
        print(f"\n{side}\n\n| corruption   |      n |  PASS |   FAIL | ABSTAIN |")
        print("|--------------|-------:|------:|-------:|--------:|")
        for kind, row in table.items():
            print(f"| {kind:<12} | {sum(row.values()):>6} | {row['PASS']:>5} | {row['FAIL']:>6} | {row['ABSTAIN']:>7} |")
    n = sum(sum(row.values()) for table in tables.values() for row in table.values())
    print(*passed[:20], sep="\n")
    print(f"\n{n} corruptions, one in {options.one_in}; {len(passed)} false PASS; {time.perf_counter() - started:.0f} s")
    if options.json:
        result = {"one_in": options.one_in, "n": n, "tables": tables, "passed": passed}
        options.json.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return 1 if passed else 0


if __name__ == "__main__":
    sys.exit(main())
