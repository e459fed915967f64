"""What goes where: the findings of a report, one numbered entry for each path, and how each verdict looks."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from medfence_guard.contract import Finding, ItemVerdict, Span, Verdict, VerificationReport


@dataclass(frozen=True, slots=True)
class Look:
    """How one verdict looks; `rank` sorts the worst first."""

    rank: int
    css: str
    symbol: str
    word: str
    headline: str
    group: str
    group_id: str


LOOKS: Mapping[Verdict, Look] = {
    Verdict.FAIL: Look(
        0,
        "fail",
        "\u2715",
        "FAIL",
        "The payload does not say what the source says.",
        "Contradicted, or without a place in the source",
        "failed",
    ),
    Verdict.ABSTAIN: Look(
        1, "abstain", "?", "ABSTAIN", "Not everything could be checked. A person must look.", "Could not be decided", "undecided"
    ),
    Verdict.PASS: Look(2, "pass", "\u2713", "PASS", "Everything the payload says is in the source.", "Entailed by the source", "passed"),
}


class Place(enum.IntEnum):
    """The part of the page an entry stands in, in the order in which entries are numbered."""

    FIRST = 0
    UNDECIDED = 1
    STATEMENT = 2
    PASSED = 3
    HEAD = 4


PLACES_BELOW = (Place.FIRST, Place.UNDECIDED, Place.STATEMENT, Place.PASSED)


@dataclass(frozen=True, slots=True)
class Entry:
    """All findings about one path, as one numbered entry of the page.

    parts: for an item without any statement in the source, its fields, which share that fate: they are listed in its entry.
    """

    number: int
    place: Place
    path: str
    verdict: Verdict
    findings: tuple[Finding, ...]
    item: ItemVerdict | None
    parts: tuple[Entry, ...] = ()

    @property
    def anchor(self) -> str:
        return f"entry-{self.number}"

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where the source speaks about it: the places the deciding findings name, or else any place a finding names."""
        deciding = spans_of(finding for finding in self.findings if finding.verdict is self.verdict)
        found = deciding or spans_of(self.findings)
        return tuple(span for span in found if not any(_holds(other, span) for other in found))


def entries_of(report: VerificationReport) -> list[Entry]:
    """The findings grouped by path, in the report's order. A statement nobody owns is an entry of its own."""
    grouped: dict[object, list[Finding]] = {}
    for index, finding in enumerate(report.findings):
        item = _item_of(finding.field_path, report.items)
        own = finding.check_id.startswith("completeness.") and item is None
        grouped.setdefault((finding.field_path, index) if own else finding.field_path, []).append(finding)
    entries = []
    for findings in grouped.values():
        verdict = min((finding.verdict for finding in findings), key=lambda each: LOOKS[each].rank)
        item = _item_of(findings[0].field_path, report.items)
        entries.append(Entry(0, _place_of(findings, verdict, item), findings[0].field_path, verdict, tuple(findings), item))
    entries = _with_parts(entries)
    entries.sort(key=lambda entry: entry.place)
    return [replace(entry, number=number) for number, entry in enumerate(entries, start=1)]


def _with_parts(entries: Sequence[Entry]) -> list[Entry]:
    """The same entries, the fields of an item without a statement gathered under it."""
    orphans = {
        entry.path: entry
        for entry in entries
        if entry.item is not None and entry.path == entry.item.path and entry.place is Place.FIRST and not entry.spans
    }

    def owner(entry: Entry) -> Entry | None:
        orphan = orphans.get(entry.item.path) if entry.item is not None and not entry.spans else None
        return orphan if orphan is not None and orphan is not entry and orphan.verdict is entry.verdict else None

    return [
        replace(entry, parts=tuple(each for each in entries if owner(each) is entry)) if entry.path in orphans else entry
        for entry in entries
        if owner(entry) is None
    ]


def _place_of(findings: Sequence[Finding], verdict: Verdict, item: ItemVerdict | None) -> Place:
    if all(finding.check_id == "schema.not_checked" for finding in findings):
        return Place.HEAD  # the caller chose not to have it checked: named at the top, and there only
    if item is None and findings[0].check_id.startswith("completeness."):
        return Place.STATEMENT
    if verdict is Verdict.PASS:
        return Place.PASSED
    return Place.UNDECIDED if verdict is Verdict.ABSTAIN and spans_of(findings) else Place.FIRST


def _item_of(path: str, items: Sequence[ItemVerdict]) -> ItemVerdict | None:
    return next((item for item in items if path == item.path or path.startswith((item.path + ".", item.path + "["))), None)


def spans_of(findings: Iterable[Finding]) -> tuple[Span, ...]:
    found = {span for finding in findings for evidence in finding.evidence for span in evidence.source_spans}
    return tuple(sorted(found, key=lambda span: (span.start, span.end)))


def _holds(outer: Span, inner: Span) -> bool:
    return outer != inner and outer.start <= inner.start and inner.end <= outer.end
