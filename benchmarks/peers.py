"""What people would use instead, on the same pages in the same run: `python -m benchmarks.peers [--json OUT --date DAY]`.

The peers are optional and used here only (`make bench-peers` installs them): medfence 0.1.0, the predecessor; a string-grounding check
with rapidfuzz, as it is often written by hand; the aligner of LangExtract, without its model. Each is given the faithful payloads of the
OCR benchmark's prescriptions and the seeded faults on them, typed and as Tesseract read them. The payload names the form as it is
printed (`tab`), so that a peer which compares strings is not blamed for a synonym. A peer that raises is counted under `error`.
"""

from __future__ import annotations

import argparse
import copy
import importlib
import importlib.metadata
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.ocr import prescriptions as rx
from benchmarks.ocr.faults import variants
from benchmarks.ocr.pages import Page, pages
from benchmarks.stats import upper_bound
from benchmarks.verify import KNOWN_TO_BOTH
from medfence_guard import Extraction, Rulepack, verify

SHARE = 8  # one in so many prescriptions
KNOWN = 20
LEVELS = {"typed": ("T0",), "recognised": ("D0", "D1", "D2")}
VERDICTS = ("PASS", "FAIL", "ABSTAIN", "error")
FUZZY_AT_LEAST = 90.0

Payload = dict[str, Any]
Judge = Callable[[Page, Payload], str]


# --- the contenders -----------------------------------------------------------------------------------------------------------


def ours() -> tuple[str, Judge]:
    rulepack = Rulepack.default()
    return "medfence-guard", lambda page, payload: verify(Extraction("prescription", payload), page.source, rulepack).overall.name


def predecessor() -> tuple[str, Judge]:
    """medfence 0.1.0 as its README calls it; of a recognised page it is given the mean confidence of the words."""
    medfence = importlib.import_module("medfence")
    rulepack = medfence.load_rulepack()

    def judge(page: Page, payload: Payload) -> str:
        if page.engine == "typed":
            source = medfence.SourceDocument(page.source.text)
        else:
            confidence = statistics.fmean(max(0.0, c) for _, c, _ in page.boxes) if page.boxes else 0.0
            source = medfence.SourceDocument(page.source.text, modality="ocr", ocr_confidence=confidence)
        answer = medfence.verify(medfence.Extraction("prescription", _numbers(payload)), source, rulepack).overall
        return str(answer.value).upper()

    return f"medfence {importlib.metadata.version('medfence')}", judge


def _numbers(payload: Payload) -> Payload:
    """Strengths as JSON numbers, which the predecessor expects."""
    changed = copy.deepcopy(payload)
    for item in changed["medications"]:
        strength = item.get("strength")
        if isinstance(strength, dict) and isinstance(strength.get("value"), str):
            try:
                strength["value"] = float(strength["value"])
            except ValueError:
                continue
    return changed


AS_WRITTEN = ("form", "name", "strength", "frequency", "duration", "timing")


def claims_of(payload: Payload) -> Iterator[str]:
    """Every leaf as the text it would be written as, in the order of the page; a value and its unit are one."""
    for item in payload["medications"]:
        for _, value in sorted(item.items(), key=lambda one: AS_WRITTEN.index(one[0]) if one[0] in AS_WRITTEN else len(AS_WRITTEN)):
            if isinstance(value, dict):
                yield " ".join(str(part) for part in value.values())
            elif value not in (None, "", True, False):
                yield str(value)


def fuzzy() -> tuple[str, Judge]:
    """Grounding as it is often written: every claim must resemble some part of the source, else FAIL. It has no ABSTAIN."""
    ratio = importlib.import_module("rapidfuzz.fuzz").partial_ratio

    def judge(page: Page, payload: Payload) -> str:
        source = page.source.text.lower()
        return "PASS" if all(ratio(claim.lower(), source) >= FUZZY_AT_LEAST for claim in claims_of(payload)) else "FAIL"

    return f"rapidfuzz {importlib.metadata.version('rapidfuzz')}, partial_ratio >= {FUZZY_AT_LEAST:g}", judge


def aligner() -> tuple[str, Judge]:
    """LangExtract's own grounding: all claims aligned exactly is PASS, one not aligned at all is FAIL, anything between is ABSTAIN."""
    data, resolver = importlib.import_module("langextract.data"), importlib.import_module("langextract.resolver")
    align = resolver.WordAligner()
    exact = data.AlignmentStatus.MATCH_EXACT

    def judge(page: Page, payload: Payload) -> str:
        wanted = [data.Extraction("claim", claim) for claim in claims_of(payload)]
        found = [one.alignment_status for group in align.align_extractions([wanted], page.source.text) for one in group]
        if any(status is None for status in found) or not found:
            return "FAIL"
        return "PASS" if all(status is exact for status in found) else "ABSTAIN"

    return f"LangExtract {importlib.metadata.version('langextract')}, aligner", judge


CONTENDERS: tuple[Callable[[], tuple[str, Judge]], ...] = (ours, predecessor, fuzzy, aligner)


# --- the pages ---------------------------------------------------------------------------------------------------------------------


def known_to_all() -> list[Page]:
    """Typed prescriptions of the five drugs that the predecessor's small table knows as well, in the frequencies it knows."""
    rows = {row["name"]: row for row in rx.products(Rulepack.default().bundle)[0] if (row["name"], row["value"]) in KNOWN_TO_BOTH}
    found = []
    for number in range(KNOWN):
        random = Random(number)
        names = random.sample(sorted(rows), 4)
        items = [
            {**rows[name], "frequency": random.choice(("OD", "BD", "TDS")), "days": random.choice(rx.DAYS), "meal": random.choice(rx.MEALS)}
            for name in names[:3]
        ]
        style = {"glue": False, "heading": number % len(rx.HEADINGS), "day": "01/02/2026", "age": 40}
        one = {"id": f"k{number:03}", "layout": "oneline", "items": items, "timing": False, "stopped": rows[names[3]], "allergy": None}
        found.append(Page({**one, "style": style}, "T0", "typed"))
    return found


def as_printed(payload: Payload) -> Payload:
    words = {"tablet": "tab", "capsule": "cap"}
    items = [{**item, **({"form": words.get(item["form"], item["form"])} if "form" in item else {})} for item in payload["medications"]]
    return {"medications": items}


def answer(judge: Judge, page: Page, payload: Payload) -> str:
    try:
        return judge(page, payload)
    except Exception:  # noqa: BLE001 - a peer that raises has not answered, whatever it raised
        return "error"


def measured(name: str, judge: Judge, these: list[Page]) -> dict[str, Any]:
    faithful, faulty = dict.fromkeys(VERDICTS, 0), dict.fromkeys(VERDICTS, 0)
    by_class: dict[str, list[int]] = {}
    times, struck = [], set()
    for page in these:
        begun = time.perf_counter()
        faithful[answer(judge, page, as_printed(rx.payload(page.prescription)))] += 1
        times.append(time.perf_counter() - begun)
        for kind, fault in variants(page.prescription):
            verdict = answer(judge, page, as_printed(fault.payload))
            faulty[verdict] += 1
            counts = by_class.setdefault(kind, [0, 0])
            counts[0] += 1
            counts[1] += verdict == "PASS"
            if verdict == "PASS":
                struck.add(page.prescription["id"])
    prescriptions = {page.prescription["id"] for page in these}
    return {
        "contender": name,
        "faithful": faithful,
        "faulty": faulty,
        "milliseconds": round(statistics.median(times) * 1000, 2),
        "prescriptions": len(prescriptions),
        "with_false_pass": len(struck),
        "upper_95": upper_bound(len(struck), len(prescriptions)),
        "passed_by_class": {kind: counts for kind, counts in by_class.items() if counts[1]},
    }


def show(result: Mapping[str, Any]) -> None:
    for what, rows in result["tables"].items():
        first = rows[0]
        documents, faults = sum(first["faithful"].values()), sum(first["faulty"].values())
        print(f"\n{what}: {documents} faithful pages of {first['prescriptions']} prescriptions, {faults} faults")
        print(f"{'':42} {'PASS%':>6} {'FAIL%':>6} {'ABST%':>6} {'error':>6} | {'false PASS':>10} {'of faults%':>10} | {'ms':>7}")
        for row in rows:
            good, bad = row["faithful"], row["faulty"]
            shares = [100 * good[verdict] / documents for verdict in ("PASS", "FAIL", "ABSTAIN")]
            print(
                f"{row['contender']:42} "
                + " ".join(f"{share:6.1f}" for share in shares)
                + f" {good['error']:6} | {bad['PASS']:10} {100 * bad['PASS'] / faults:10.1f} | {row['milliseconds']:7.2f}"
            )
        for row in rows:
            worst = sorted(row["passed_by_class"].items(), key=lambda one: (-one[1][1] / one[1][0], one[0]))[:12]
            if worst:
                print(f"  {row['contender']} passes: " + ", ".join(f"{kind} {passed}/{tried}" for kind, (tried, passed) in worst))
    if result["missing"]:
        print("\nnot installed, so not measured: " + ", ".join(result["missing"]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the result here")
    parser.add_argument("--date", default="", help="the day of the run, for the result file")
    parser.add_argument("--share", type=int, default=SHARE, help=f"one in so many prescriptions (default {SHARE})")
    args = parser.parse_args()
    contenders, missing = [], []
    for contender in CONTENDERS:
        try:
            contenders.append(contender())
        except ImportError as problem:
            missing.append(str(problem.name))
    tables = {"typed, drugs that all know": [measured(name, judge, known_to_all()) for name, judge in contenders]}
    for what, levels in LEVELS.items():
        these = [
            page
            for page in pages()
            if page.level in levels and page.engine in ("typed", "tesseract") and int(page.prescription["id"][1:]) % args.share == 0
        ]
        tables[what] = [measured(name, judge, these) for name, judge in contenders]
    result = {
        "command": f"python -m benchmarks.peers --share {args.share}",
        "date": args.date,
        "share": args.share,
        "tables": tables,
        "missing": missing,
    }
    show(result)
    if args.json is not None:
        args.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
