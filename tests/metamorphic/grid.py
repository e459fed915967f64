"""The metamorphic grid: every operator on every clean document in every layout, and what the fence says of each.

Of what an operator can do to a document in a layout the grid tries two, chosen by hash, so that over documents and layouts all of it is
met; a clean document, its text and the rulepack are built once. `share` takes a fixed part of the documents of each layout, another part
for each, so that a short run meets every operator, layout and document.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from medfence_guard import Extraction, Rulepack, SourceDocument, Verdict, VerificationReport, verify
from tests.metamorphic.documents import LAYOUTS, documents
from tests.metamorphic.operators import FAULTS, VARIANTS, Clean, Fault, Variant, clean

EACH = 2
"""How many of an operator's changes are tried on one document in one layout."""

T = TypeVar("T")


def rank(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode()).digest()


def chosen(found: Iterator[T], name: Callable[[T], str], *seed: str) -> list[T]:
    """`EACH` of what an operator yields, the same for the same seed."""
    return sorted(found, key=lambda one: rank(*seed, name(one)))[:EACH]


@dataclass
class Row:
    """What became of one operator's changes. `missed`: the ones the grid is there to find, each with its source, payload and report."""

    operator: str
    count: dict[str, int] = field(default_factory=lambda: {"PASS": 0, "FAIL": 0, "ABSTAIN": 0})
    localised: int = 0
    missed: list[dict[str, Any]] = field(default_factory=list)

    @property
    def n(self) -> int:
        return sum(self.count.values())


def report_of(case: Clean, rulepack: Rulepack, source: str, payload: object) -> VerificationReport:
    return verify(Extraction(case.document.kind, payload), SourceDocument(source), rulepack)


def is_localised(report: VerificationReport, where: tuple[str, ...]) -> bool:
    """A finding that is not PASS stands at, or under, one of these paths."""
    return any(
        found.verdict is not Verdict.PASS and any(found.field_path == path or found.field_path.startswith(path + ".") for path in where)
        for found in report.findings
    )


def cases(share: int = 1) -> Iterator[Clean]:
    """Every document in every layout; with `share`, one in so many."""
    for (number, document), (place, layout) in itertools.product(enumerate(documents()), enumerate(LAYOUTS)):
        if (number + place * 5) % share == 0:
            yield clean(document, layout)


def _told(case: Clean, what: str, source: str, payload: object, report: VerificationReport, **more: object) -> dict[str, Any]:
    return {
        "id": case.id,
        "what": what,
        "kind": case.document.kind,
        "source": source,
        "payload": payload,
        "verdict": report.overall.name,
        "held": [f"{f.verdict.name} {f.check_id} {f.field_path}: {f.message}" for f in report.findings if f.verdict is not Verdict.PASS],
        **more,
    }


def run_clean(rulepack: Rulepack, share: int = 1) -> Row:
    """The documents themselves: each must PASS, or nothing that follows from it says anything."""
    row = Row("clean")
    for case in cases(share):
        report = report_of(case, rulepack, case.source, case.payload)
        row.count[report.overall.name] += 1
        if report.overall is not Verdict.PASS:
            row.missed.append(_told(case, "clean", case.source, case.payload, report))
    return row


def run_faults(rulepack: Rulepack, share: int = 1) -> list[Row]:
    """One row for each fault operator; missed: what passed, and what was held somewhere else than at its fault."""
    rows = {operator: Row(operator.__name__) for operator in FAULTS}
    for case in cases(share):
        for operator, row in rows.items():
            for fault in chosen(operator(case), _what, case.id, row.operator):
                source = fault.source or case.source
                report = report_of(case, rulepack, source, fault.payload)
                row.count[report.overall.name] += 1
                found = is_localised(report, fault.where)
                row.localised += found
                if not found or report.overall is Verdict.PASS:
                    row.missed.append(_told(case, fault.what, source, fault.payload, report, where=fault.where))
    return list(rows.values())


def run_variants(rulepack: Rulepack, share: int = 1) -> list[Row]:
    """One row for each operator that keeps the meaning; missed: whatever does not PASS."""
    rows = {operator: Row(operator.__name__) for operator in VARIANTS}
    for case in cases(share):
        for operator, row in rows.items():
            for variant in chosen(operator(case), _what, case.id, row.operator):
                report = report_of(case, rulepack, variant.source, variant.payload)
                row.count[report.overall.name] += 1
                if report.overall is not Verdict.PASS:
                    row.missed.append(_told(case, variant.what, variant.source, variant.payload, report))
    return list(rows.values())


def _what(change: Fault | Variant) -> str:
    return f"{change.what} {getattr(change, 'where', '')}"
