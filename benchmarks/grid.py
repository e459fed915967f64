"""The metamorphic grid: `python -m benchmarks.grid [--json FILE] [--share N]`. Exits 1 on a false PASS or any other bound broken.

Every fault operator and every operator that keeps the meaning, on every clean document in every layout: what the fence says, operator by
operator, and whether what it holds is held where the fault is. The documents are synthetic, typed and free of OCR noise, and document and
reader have one author: the table says what the fence does about a fault, not how often a page of a clinic is read.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from medfence_guard import Rulepack
from tests.metamorphic.documents import LAYOUTS, documents
from tests.metamorphic.grid import Row, run_clean, run_faults, run_variants

CORRUPTIONS = 20_000
VARIANTS = 5_000
VARIANTS_THAT_PASS = 0.99
SHOWN = 20


def upper_bound(n: int) -> float:
    """The largest rate that none in `n` still allows, at 95 % (rule of three)."""
    return 3 / n if n else 1.0


def show(title: str, rows: Sequence[Row], *, localised: bool) -> None:
    print(f"\n{title}\n")
    print("| operator                 |     n |  PASS |  FAIL | ABSTAIN |" + (" localised |" if localised else ""))
    print("|--------------------------|------:|------:|------:|--------:|" + ("----------:|" if localised else ""))
    total = Row("all")
    for row in rows:
        total.localised += row.localised
        for verdict, number in row.count.items():
            total.count[verdict] += number
    for row in (*rows, total):
        passed, failed, held = (row.count[verdict] for verdict in ("PASS", "FAIL", "ABSTAIN"))
        line = f"| {row.operator:<24} | {row.n:>5} | {passed:>5} | {failed:>5} | {held:>7} |"
        print(line + (f" {row.localised:>9} |" if localised else ""))


def told(rows: Sequence[Row]) -> None:
    missed = [(row.operator, one) for row in rows for one in row.missed]
    for operator, one in missed[:SHOWN]:
        print(f"\n{operator}: {one['id']}: {one['what']}: {one['verdict']}")
        print(repr(one["source"]), json.dumps(one["payload"], ensure_ascii=False), *one["held"], sep="\n")
    if len(missed) > SHOWN:
        print(f"\n… and {len(missed) - SHOWN} more; --json has them all")


def as_json(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [{"operator": row.operator, "n": row.n, **row.count, "localised": row.localised, "missed": row.missed} for row in rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every figure, and what was missed, there")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="one in N of the documents of each layout, without bounds on n")
    options = parser.parse_args()

    started = time.perf_counter()
    rulepack = Rulepack.default()
    print(f"Python {sys.version.split()[0]}, bundle {rulepack.refdata_snapshot}")
    print(f"{len(documents())} documents, {len(LAYOUTS)} layouts: {', '.join(LAYOUTS)}")
    clean = run_clean(rulepack, options.share)
    faults = run_faults(rulepack, options.share)
    variants = run_variants(rulepack, options.share)
    seconds = time.perf_counter() - started

    show("The documents themselves", [clean], localised=False)
    show("Faults: none may PASS", faults, localised=True)
    show("The same said otherwise: all should PASS, none may FAIL", variants, localised=False)
    told([clean, *faults, *variants])

    n_faults, n_variants = sum(row.n for row in faults), sum(row.n for row in variants)
    passed, wrong = sum(row.count["PASS"] for row in faults), sum(row.count["FAIL"] for row in variants)
    astray = n_faults - sum(row.localised for row in faults)
    kept = sum(row.count["PASS"] for row in variants) / n_variants
    print(f"\n{n_faults} corruptions, {passed} false PASS (95 % bound for none: {upper_bound(n_faults):.3%}), {astray} not localised")
    print(f"{n_variants} variants, {kept:.2%} PASS, {wrong} FAIL; {seconds:.0f} s")

    broken = []
    broken += [f"{clean.n - clean.count['PASS']} clean documents held"] if clean.count["PASS"] != clean.n else []
    broken += [f"{passed} false PASS"] if passed else []
    broken += [f"{astray} not localised"] if astray else []
    broken += [f"{kept:.2%} of the variants PASS"] if kept < VARIANTS_THAT_PASS else []
    broken += [f"{wrong} variants FAIL"] if wrong else []
    if options.share == 1:
        broken += [f"only {n_faults} corruptions"] if n_faults < CORRUPTIONS else []
        broken += [f"only {n_variants} variants"] if n_variants < VARIANTS else []
    if options.json:
        result = {
            "refdata_snapshot": rulepack.refdata_snapshot,
            "documents": len(documents()),
            "layouts": list(LAYOUTS),
            "seconds": round(seconds),
            "clean": as_json([clean]),
            "faults": as_json(faults),
            "variants": as_json(variants),
            "broken": broken,
        }
        options.json.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print("\nbounds broken: " + ("; ".join(broken) or "none"))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
