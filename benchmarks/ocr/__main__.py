"""How the verifier does on pages that a real OCR engine read: `python -m benchmarks.ocr [--json OUT --date DAY] [--check]`.

The pages come from `pages.json.gz`; `python -m benchmarks.ocr.render --write` makes them anew. Printed are: faithful extractions by
noise level; seeded faults with the bound on false PASSes, counted by prescription; what is held for review and why, by noise level and
by brand coverage; the confidence gates fitted on one half of the prescriptions and tried on the other. `--check` exits 1 on any false
PASS, or where a target of `TARGETS` is missed.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any

from benchmarks.ocr import prescriptions as rx
from benchmarks.ocr.faults import misread, variants
from benchmarks.ocr.pages import LEVELS, Page, cache, pages
from benchmarks.ocr.readable import unreadable
from benchmarks.stats import upper_bound
from medfence_guard import Extraction, Rulepack, Verdict, VerificationReport, verify
from medfence_guard.bundle import Bundle
from medfence_guard.bundle_file import packed, unpacked
from medfence_guard.rulepack import shipped_folder
from tests.metamorphic.grid import is_localised

VERDICTS = ("PASS", "ABSTAIN", "FAIL")
COVERAGES = (100, 80, 60, 40)
GATES = tuple(Fraction(n, 100) for n in (0, 40, 60, 70, 80, 90, 95))

# Share of the decidable faithful pages that should PASS, and of all faithful pages that may FAIL.
LEAST_PASS = {
    ("typed", "T0"): 95,
    ("tesseract", "D0"): 70,
    ("tesseract", "D1"): 70,
    ("tesseract", "D2"): 58,
    ("tesseract", "D3"): 20,
    ("rapidocr", "D0"): 70,
    ("rapidocr", "D2"): 70,
}
NO_FAIL = ("T0", "D0", "D1", "D2")
MOST_FAIL = 1


@dataclass
class Outcome:
    """What became of one page: its faithful extraction and every fault on it."""

    engine: str
    level: str
    layout: str
    prescription: str
    verdict: str
    items: list[str]
    reasons: list[str]
    held: list[list[str]]
    findings: list[str] = field(default_factory=list)
    faults: dict[str, list[int]] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)


def judged(page: Page, payload: object, rulepack: Rulepack) -> VerificationReport:
    return verify(Extraction("prescription", payload), page.source, rulepack)


def checks_holding(report: VerificationReport) -> list[list[str]]:
    """For each item that is not PASS, the ids of the findings at or under it; then the same for what stands at the container."""
    by_item = []
    for item in report.items:
        if item.verdict is not Verdict.PASS:
            at = {f.check_id for f in report.findings if f.verdict is not Verdict.PASS and _under(f.field_path, item.path)}
            by_item.append(sorted(at) or ["(of the document)"])
    return by_item


def _under(path: str, item: str) -> bool:
    return path == item or path.startswith(item + ".")


def chosen(page: Page, share: int) -> bool:
    return int(page.prescription["id"][1:]) % share == 0


def outcome(number: int, share: int) -> Outcome:
    """Everything about the page with this number; faults on one in `share` prescriptions."""
    page, rulepack = pages()[number], Rulepack.default()
    report = judged(page, rx.payload(page.prescription), rulepack)
    found = Outcome(
        page.engine,
        page.level,
        page.prescription["layout"],
        page.prescription["id"],
        report.overall.name,
        [item.verdict.name for item in report.items],
        unreadable(page),
        checks_holding(report),
        sorted({f"{f.check_id} {f.field_path.rsplit('.', 1)[-1]}" for f in report.findings if f.verdict is not Verdict.PASS}),
    )
    read_wrong = (("misread", fault) for fault in misread(page))
    for name, fault in (*variants(page.prescription), *read_wrong) if chosen(page, share) else ():
        answer = judged(page, fault.payload, rulepack)
        counts = found.faults.setdefault(name, [0, 0, 0, 0])  # tried, PASS, FAIL, localised
        counts[0] += 1
        counts[1] += answer.overall is Verdict.PASS
        counts[2] += answer.overall is Verdict.FAIL
        counts[3] += answer.overall is not Verdict.PASS and is_localised(answer, fault.where)
        if answer.overall is Verdict.PASS:
            found.passed.append(f"{page.engine} {page.id}: {name}: {fault.what}")
    return found


def outcomes(jobs: int, share: int) -> list[Outcome]:
    numbers = range(len(pages()))
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(outcome, numbers, itertools.repeat(share), chunksize=8))


# --- the tables -------------------------------------------------------------------------------------------------------------


def _counts(verdicts: Iterable[str]) -> dict[str, int]:
    counted = Counter(verdicts)
    return {"n": sum(counted.values()), **{verdict: counted[verdict] for verdict in VERDICTS}}


def groups(found: list[Outcome]) -> Iterator[tuple[str, str, list[Outcome]]]:
    """`(engine, level, pages)` in the order of the tables."""
    for engine in ("typed", "tesseract", "rapidocr"):
        for level in LEVELS:
            these = [one for one in found if one.engine == engine and one.level == level]
            if these:
                yield engine, level, these


def faithful(found: list[Outcome]) -> list[dict[str, Any]]:
    return [
        {
            "engine": engine,
            "level": level,
            "documents": _counts(one.verdict for one in these),
            "decidable": _counts(one.verdict for one in these if not one.reasons),
            "medications": _counts(verdict for one in these for verdict in one.items),
            "undecidable": dict(sorted(Counter(reason for one in these for reason in set(one.reasons)).items())),
            "held_though_decidable": dict(
                Counter(f for one in these if not one.reasons and one.verdict != "PASS" for f in one.findings).most_common(8)
            ),
            "layouts": {
                layout: [sum(1 for o in these if o.layout == layout and o.verdict == "PASS"), sum(1 for o in these if o.layout == layout)]
                for layout in (*rx.PRINT_LAYOUTS, *rx.HAND_LAYOUTS)
                if any(o.layout == layout for o in these)
            },
        }
        for engine, level, these in groups(found)
    ]


def faulty(found: list[Outcome]) -> dict[str, Any]:
    """By class over all pages, and the bound: a prescription counts once, however many of its variants and pages there are.

    `beside_pass`: on pages whose faithful extraction passes, where a fault is caught for its own sake.
    """
    classes: dict[str, dict[str, int]] = {}
    for one in found:
        for name, (tried, passed, failed, localised) in one.faults.items():
            row = classes.setdefault(name, dict.fromkeys(("tried", "PASS", "FAIL", "localised", "beside_pass", "beside_localised"), 0))
            row["tried"] += tried
            row["PASS"] += passed
            row["FAIL"] += failed
            row["localised"] += localised
            if one.verdict == "PASS":
                row["beside_pass"] += tried
                row["beside_localised"] += localised
    bounds = []
    tried_on = [one for one in found if one.faults]
    for what, typed in (("typed", True), ("recognised", False)):
        these = [one for one in tried_on if (one.engine == "typed") is typed]
        everyone = {o.prescription for o in these}
        struck = {o.prescription for o in these if o.passed}
        live = {o.prescription for o in these if o.verdict == "PASS"}
        bounds.append(
            {
                "pages": what,
                "variants": sum(tried for o in these for tried, *_ in o.faults.values()),
                "false_pass": sum(passed for o in these for _, passed, *_ in o.faults.values()),
                "prescriptions": len(everyone),
                "with_false_pass": len(struck),
                "upper_95": upper_bound(len(struck), len(everyone)),
                "prescriptions_that_pass": len(live),
                "upper_95_of_those": upper_bound(len(struck & live), len(live)) if live else 1.0,
            }
        )
    return {"classes": classes, "bounds": bounds, "passed": [text for one in found for text in one.passed]}


def load(found: list[Outcome]) -> list[dict[str, Any]]:
    """Of 100 items with a faithful extraction, how many a person has to look at, and which checks hold them (an item may have several)."""
    rows = []
    for engine, level, these in groups(found):
        items = sum(len(one.items) for one in these)
        held = [checks for one in these for checks in one.held]
        by_check = Counter(check for checks in held for check in checks)
        rows.append(
            {
                "engine": engine,
                "level": level,
                "items": items,
                "held_per_100": round(100 * len(held) / items, 1),
                "by_check": {check: round(100 * count / items, 1) for check, count in by_check.most_common()},
            }
        )
    return rows


# --- brand coverage ------------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def with_coverage(percent: int) -> Rulepack:
    """The shipped rulepack with so many of its brands in a hundred; a brand goes with all its numbers and suffixes."""
    facts = unpacked(json.loads((shipped_folder() / "bundle.json").read_bytes()))
    facts["brands"] = [row for row in facts["brands"] if _ballot(row["name"].split()[0]) < percent]
    return replace(Rulepack.default(), bundle=Bundle.from_bytes(json.dumps(packed(facts)).encode()))


def _ballot(word: str) -> int:
    return int.from_bytes(hashlib.sha256(word.lower().encode()).digest()[:4], "big") % 100


def coverage() -> list[dict[str, Any]]:
    """Typed and clean pages again, with fewer brands known."""
    these = [page for page in pages() if (page.engine, page.level) in (("typed", "T0"), ("tesseract", "D0"), ("tesseract", "D1"))]
    rows = []
    for percent in COVERAGES:
        rulepack = with_coverage(percent)
        reports = [judged(page, rx.payload(page.prescription), rulepack) for page in these]
        items = sum(len(report.items) for report in reports)
        held = [checks for report in reports for checks in checks_holding(report)]
        by_check = Counter(check for checks in held for check in checks)
        rows.append(
            {
                "coverage": percent,
                "brand_items": sum(item["name"].lower() != item["molecule"] for page in these for item in page.prescription["items"]),
                "items": items,
                "documents": _counts(report.overall.name for report in reports),
                "held_per_100": round(100 * len(held) / items, 1),
                "by_check": {check: round(100 * count / items, 1) for check, count in by_check.most_common()},
            }
        )
    return rows


# --- the gates ---------------------------------------------------------------------------------------------------------------------


def with_gate(engine: str, **gates: Fraction) -> Rulepack:
    default = Rulepack.default()
    kept = default.thresholds.gates.get(engine, default.thresholds.gates["default"])
    thresholds = replace(default.thresholds, gates={**default.thresholds.gates, engine: {**kept, **gates}})
    return replace(default, thresholds=thresholds)


def gate_pages(engine: str, half: int, share: int) -> list[Page]:
    """The pages of one half: the prescriptions of even or odd number, of those one in `share`."""
    numbered = ((int(page.prescription["id"][1:]), page) for page in pages() if page.engine == engine)
    return [page for number, page in numbered if number % 2 == half and number // 2 % share == 0]


def gate_rows(engine: str, half: int, share: int) -> list[dict[str, Any]]:
    """At each gate on digits and units: misread payloads let through, faithful ones passed."""
    these = gate_pages(engine, half, share)
    wrong = [(page, fault.payload) for page in these for fault in misread(page)]
    rows = []
    for gate in GATES:
        rulepack = with_gate(engine, digits_and_units=gate)
        through = {page.prescription["id"] for page, payload in wrong if judged(page, payload, rulepack).overall is Verdict.PASS}
        passed = sum(judged(page, rx.payload(page.prescription), rulepack).overall is Verdict.PASS for page in these)
        rows.append(
            {
                "gate": float(gate),
                "misread": len(wrong),
                "prescriptions_let_through": len(through),
                "faithful": len(these),
                "faithful_passed": passed,
            }
        )
    return rows


def contradiction_rows(engine: str, half: int, share: int) -> list[dict[str, Any]]:
    """At each gate on contradictions: faithful payloads that FAIL."""
    these = gate_pages(engine, half, share)
    rows = []
    for gate in GATES:
        rulepack = with_gate(engine, contradiction=gate)
        failed = sum(judged(page, rx.payload(page.prescription), rulepack).overall is Verdict.FAIL for page in these)
        rows.append({"gate": float(gate), "faithful": len(these), "faithful_failed": failed})
    return rows


def _half(job: tuple[str, str, int, int]) -> list[dict[str, Any]]:
    kind, engine, half, share = job
    return (gate_rows if kind == "digits_and_units" else contradiction_rows)(engine, half, share)


def gates(jobs: int, share: int) -> list[dict[str, Any]]:
    """Fitted on the even half: the lowest gate that lets no misread payload through (and, for contradictions, FAILs no faithful one)."""
    shipped = Rulepack.default().thresholds.gates
    rows = []
    work = list(itertools.product(("digits_and_units", "contradiction"), ("tesseract", "rapidocr"), (0, 1)))
    with ProcessPoolExecutor(jobs) as pool:
        halves = dict(zip(work, pool.map(_half, [(*job, share) for job in work]), strict=True))
    for engine in ("tesseract", "rapidocr"):
        fit, held_out = (halves["digits_and_units", engine, half] for half in (0, 1))
        fit_contradiction, out_contradiction = (halves["contradiction", engine, half] for half in (0, 1))
        clean = [row["gate"] for row in fit if not row["prescriptions_let_through"]]
        unfailed = [row["gate"] for row in fit_contradiction if not row["faithful_failed"]]
        rows.append(
            {
                "engine": engine,
                "digits_and_units": {
                    "shipped": float(shipped.get(engine, shipped["default"])["digits_and_units"]),
                    "fitted": min(clean) if clean else None,
                    "fit": fit,
                    "held_out": held_out,
                },
                "contradiction": {
                    "shipped": float(shipped.get(engine, shipped["default"])["contradiction"]),
                    "fitted": min(unfailed) if unfailed else None,
                    "fit": fit_contradiction,
                    "held_out": out_contradiction,
                },
            }
        )
    return rows


# --- targets and printing ------------------------------------------------------------------------------------------------------------


def targets(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each target, what was measured, and whether it is met."""
    rows = []
    for row in result["faithful"]:
        where = f"{row['engine']} {row['level']}"
        least = LEAST_PASS.get((row["engine"], row["level"]))
        if least is not None:
            share = round(100 * row["decidable"]["PASS"] / max(1, row["decidable"]["n"]), 1)
            rows.append({"what": f"{where}: PASS of decidable pages, %", "target": f">= {least}", "measured": share, "met": share >= least})
        share = round(100 * row["documents"]["FAIL"] / row["documents"]["n"], 2)
        most = 0 if row["level"] in NO_FAIL else MOST_FAIL
        rows.append({"what": f"{where}: FAIL of faithful pages, %", "target": f"<= {most}", "measured": share, "met": share <= most})
    for row in result["faults"]["bounds"]:
        what = f"{row['pages']}: false PASS of {row['variants']} faults"
        rows.append({"what": what, "target": "0", "measured": row["false_pass"], "met": row["false_pass"] == 0})
    return rows


def percent(count: int, of: int) -> str:
    return f"{100 * count / of:5.1f}" if of else "    -"


def show(result: Mapping[str, Any]) -> None:
    engines = ", ".join(result["engines"].values())
    print(f"{result['prescriptions']} prescriptions; engines: {engines}; bundle {result['bundle']}")
    print("\nfaithful extractions, by noise level")
    shares = " ".join(f"{verdict}%".rjust(6) for verdict in ("PASS", "ABST", "FAIL"))
    print(f"{'engine':10} {'level':5} {'pages':>5} {shares} | {'decid.':>6} {'PASS%':>6} | {'items':>5} {'PASS%':>6}")
    for row in result["faithful"]:
        documents, decidable, items = row["documents"], row["decidable"], row["medications"]
        print(
            f"{row['engine']:10} {row['level']:5} {documents['n']:5} "
            + " ".join(f" {percent(documents[v], documents['n'])}" for v in VERDICTS)
            + f" | {decidable['n']:6}  {percent(decidable['PASS'], decidable['n'])}"
            + f" | {items['n']:5}  {percent(items['PASS'], items['n'])}"
        )
    print("\nundecidable pages: what could not be read (pages, one may have several)")
    for row in result["faithful"]:
        if row["undecidable"]:
            print(f"  {row['engine']} {row['level']}: " + ", ".join(f"{why} {count}" for why, count in row["undecidable"].items()))
    print("\nheld though decidable: findings (pages)")
    for row in result["faithful"]:
        if row["held_though_decidable"]:
            print(
                f"  {row['engine']} {row['level']}: " + ", ".join(f"{why} {count}" for why, count in row["held_though_decidable"].items())
            )
    print("\npages of each layout that PASS")
    for row in result["faithful"]:
        print(f"  {row['engine']} {row['level']}: " + ", ".join(f"{name} {a}/{b}" for name, (a, b) in row["layouts"].items()))
    print(f"\n{'fault':24} {'tried':>6} {'PASS':>5} {'FAIL':>6} {'localised%':>10} | beside a passing page: tried, localised%")
    for name, row in result["faults"]["classes"].items():
        print(
            f"{name:24} {row['tried']:6} {row['PASS']:5} {row['FAIL']:6} {percent(row['localised'], row['tried']):>10} |"
            f" {row['beside_pass']:6} {percent(row['beside_localised'], row['beside_pass'])}"
        )
    for row in result["faults"]["bounds"]:
        print(
            f"{row['pages']}: {row['false_pass']} false PASS of {row['variants']} faults; in {row['with_false_pass']} of"
            f" {row['prescriptions']} prescriptions, so at most {100 * row['upper_95']:.2f} % (95 %); of the"
            f" {row['prescriptions_that_pass']} with a page that can pass at most {100 * row['upper_95_of_those']:.2f} %"
        )
    for text in result["faults"]["passed"]:
        print(f"  FALSE PASS {text}")
    print("\nheld items per 100, by noise level")
    for row in result["load"]:
        checks = ", ".join(f"{check} {share}" for check, share in list(row["by_check"].items())[:6])
        print(f"  {row['engine']:10} {row['level']}: {row['held_per_100']:5.1f} of 100 ({row['items']} items): {checks}")
    print("\nheld items per 100, by brand coverage (typed, D0 and D1 pages)")
    for row in result["coverage"]:
        checks = ", ".join(f"{check} {share}" for check, share in list(row["by_check"].items())[:5])
        print(
            f"  {row['coverage']:3} %: {row['held_per_100']:5.1f} of 100 ({row['brand_items']} of {row['items']} items by brand): {checks}"
        )
    for row in result["gates"]:
        for kind in ("digits_and_units", "contradiction"):
            gate = row[kind]
            print(f"\n{row['engine']} {kind}: shipped {gate['shipped']}, fitted on the even half {gate['fitted']}")
            for fit, out in zip(gate["fit"], gate["held_out"], strict=True):
                print("  " + "   ".join(", ".join(f"{key} {value}" for key, value in half.items()) for half in (fit, out)))
    print("\ntargets")
    for row in result["targets"]:
        print(f"  {'met   ' if row['met'] else 'MISSED'} {row['what']}: {row['measured']} (target {row['target']})")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the result here")
    parser.add_argument("--date", default="", help="the day of the run, for the result file")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--share", type=int, default=1, help="faults and gates on one in so many prescriptions only (default 1: on all)")
    parser.add_argument("--check", action="store_true", help="exit 1 on a false PASS or a missed target")
    args = parser.parse_args()
    found = outcomes(args.jobs, args.share)
    result: dict[str, Any] = {
        "command": "python -m benchmarks.ocr" + (f" --share {args.share}" if args.share > 1 else ""),
        "date": args.date,
        "engines": cache()["engines"],
        "bundle": Rulepack.default().refdata_snapshot,
        "prescriptions": len(cache()["prescriptions"]),
        "items": sum(len(one["items"]) for one in cache()["prescriptions"]),
        "faithful": faithful(found),
        "faults": faulty(found),
        "load": load(found),
        "coverage": coverage(),
        "gates": gates(args.jobs, args.share),
    }
    result["targets"] = targets(result)
    show(result)
    if args.json is not None:
        args.json.write_text(json.dumps(result, indent=1, sort_keys=False) + "\n", encoding="utf-8")
    return 1 if args.check and not all(row["met"] for row in result["targets"]) else 0


if __name__ == "__main__":
    sys.exit(main())
