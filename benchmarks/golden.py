"""The predecessor's table: `python -m benchmarks.golden [--json FILE]`. Exits 1 on any false PASS, or if a clean document is held.

One hundred documents: twenty synthetic out-patient prescriptions, each clean and with each of four seeded faults, as committed under
`tests/golden/opd`. The rows are those of the predecessor's README; where `medfence` 0.1.0 is installed beside us (`make golden`), it
is asked the same questions through its public interface, with its own reference data.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path

from medfence_guard import Extraction, Rulepack, SourceDocument, verify
from tests.metamorphic.golden import SEEDED, committed, differences

Judge = Callable[[str, object], str]
Table = dict[str, dict[str, int]]


def ours() -> Judge:
    rulepack = Rulepack.default()
    return lambda source, payload: verify(Extraction("prescription", payload), SourceDocument(source), rulepack).overall.name


def peer() -> Judge | None:
    """The predecessor, if it is installed here. It is measured, and nothing of it is used."""
    try:
        medfence = importlib.import_module("medfence")
    except ImportError:
        return None
    rulepack = medfence.load_rulepack()

    def judge(source: str, payload: object) -> str:
        report = medfence.verify(medfence.Extraction("prescription", payload), medfence.SourceDocument(source), rulepack)
        return str(report.overall.name)

    return judge


def table(judge: Judge) -> Table:
    """Row -> verdict -> how many of the twenty documents."""
    rows: Table = {name: {"FAIL": 0, "ABSTAIN": 0, "PASS": 0} for name in (*SEEDED, "clean")}
    for document in committed().values():
        rows["clean"][judge(document["source"], document["clean"])] += 1
        for name, fault in document["faults"].items():
            rows[name][judge(document["source"], fault["payload"])] += 1
    return rows


def show(title: str, rows: Table) -> None:
    print(f"\n{title}\n")
    print("| error class        |  n | FAIL | ABSTAIN | PASS | caught | false PASS |")
    print("|--------------------|---:|-----:|--------:|-----:|-------:|-----------:|")
    for name, row in rows.items():
        n = sum(row.values())
        caught, wrong = f"{(n - row['PASS']) / n:.0%}", f"{row['PASS'] / n:.0%}"
        if name == "clean":
            caught, wrong = "n/a", f"({wrong} clean-pass)"
        print(f"| {name:<18} | {n:>2} | {row['FAIL']:>4} | {row['ABSTAIN']:>7} | {row['PASS']:>4} | {caught:>6} | {wrong:>10} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the tables there")
    target = parser.parse_args().json

    rows = table(ours())
    show("medfence-guard", rows)
    theirs = peer()
    other = table(theirs) if theirs else None
    if other:
        show("medfence 0.1.0, with its own reference data of 27 molecules", other)
    else:
        print("\nmedfence 0.1.0 is not installed here, so it was not asked; `make golden` installs it")
    if target:
        target.write_text(json.dumps({"medfence-guard": rows, "medfence 0.1.0": other}, indent=1) + "\n", "utf-8")

    broken = [f"{name}: {row['PASS']} false PASS" for name, row in rows.items() if name != "clean" and row["PASS"]]
    clean = rows["clean"]
    broken += [f"clean: {clean['PASS']} of {sum(clean.values())} PASS"] if clean["PASS"] != sum(clean.values()) else []
    broken += [f"{name} is not what the generator writes" for name in differences()]
    print("\nbounds broken: " + ("; ".join(broken) or "none"))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
