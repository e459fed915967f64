"""Vector rows: how one JSONL line becomes a call of `verify`, and what of its report it promises.

A row: `{"id", "kind", "source_text", "source", "payload" | "payload_json", "options"?, "expected", "why"}`.
`source` is `{modality, ocr_confidence?, words?: [[start, end, confidence]..]}`. `expected` is `{verdict, accept, must_not, fields}`:
`verdict` is the ideal, `accept` what a cautious fence may also answer, `must_not` what would be a defect, `fields` the verdict at a path.
`options` are calls of the rulepack's `with_…`. A row with `known` states a limitation in words: it is expected to miss today.

A value no JSON can hold is written as an object with one `$op` key: `$repeat [text, n]`, `$repeat_list [x, n]`,
`$concat [..]`, `$float "nan"`, `$decimal "500"`, `$nest n`, `$dict [[key, value]..]`, `$cycle`, `$lying {shown, real}`.
"""

from __future__ import annotations

import decimal
import functools
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from medfence_guard import Extraction, Rulepack, SourceDocument, Verdict, VerificationReport, Word, verify

ARTIFACT_OF_KIND = {"note": "clinical_note", "transcript": "clinical_note", "lab": "lab_report"}
"""Every other kind is a prescription."""


class LyingMapping(dict):  # type: ignore[type-arg]
    """A mapping that shows one medication list to `get` and `[]`, and another to whoever iterates it."""

    def __init__(self, shown: Any, real: Any) -> None:
        super().__init__(medications=real)
        self.shown = shown

    def get(self, key: Any, default: Any = None) -> Any:
        return self.shown if key == "medications" else default

    def __getitem__(self, key: Any) -> Any:
        if key != "medications":
            raise KeyError(key)
        return self.shown


def _cycle(_: Any) -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


def _nest(depth: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


OPERATIONS: dict[str, Any] = {
    "$repeat": lambda pair: pair[0] * pair[1],
    "$repeat_list": lambda pair: [expand(pair[0]) for _ in range(pair[1])],
    "$concat": lambda parts: "".join(expand(part) for part in parts),
    "$float": float,
    "$decimal": decimal.Decimal,
    "$nest": _nest,
    "$dict": lambda pairs: {key: expand(value) for key, value in pairs},
    "$cycle": _cycle,
    "$lying": lambda lists: LyingMapping(expand(lists["shown"]), expand(lists["real"])),
}


def expand(value: Any) -> Any:
    """Build the exotic values a row can only describe."""
    if isinstance(value, dict):
        if len(value) == 1:
            [(key, argument)] = value.items()
            if key in OPERATIONS:
                return OPERATIONS[key](argument)
        return {key: expand(item) for key, item in value.items()}
    if isinstance(value, list):
        return [expand(item) for item in value]
    return value


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of one JSONL file, in order."""
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


@functools.cache
def _rulepack(options: str) -> Rulepack:
    rulepack = Rulepack.default()
    for call, argument in json.loads(options).items():
        method = getattr(rulepack, call)
        rulepack = method(argument) if isinstance(argument, dict) else method(*argument)
    return rulepack


def report_of(row: dict[str, Any]) -> VerificationReport:
    """Verify one row as its caller would."""
    source = row["source"]
    document = SourceDocument(
        text=expand(row["source_text"]),
        modality=source["modality"],
        ocr_confidence=source.get("ocr_confidence"),
        words=tuple(Word(start, end, confidence) for start, end, confidence in source.get("words", ())),
    )
    payload = row["payload_json"] if "payload_json" in row else expand(row["payload"])
    artifact = ARTIFACT_OF_KIND.get(row["kind"], "prescription")
    return verify(Extraction(artifact, payload), document, _rulepack(json.dumps(row.get("options", {}), sort_keys=True)))


def explain(row: dict[str, Any], report: VerificationReport) -> str:
    """What a failing row prints: the row's reason and every finding that is not a PASS."""
    lines = [f"{row['id']}: {row['why']}", f"source: {str(row['source_text'])[:400]!r}", f"payload: {str(row.get('payload'))[:600]}"]
    lines += [f"  {f.verdict.value:8}{f.check_id:32}{f.field_path}: {f.message}" for f in report.findings if f.verdict.value != "pass"]
    return "\n".join(lines)


def check(row: dict[str, Any], report: VerificationReport) -> None:
    """Assert what the row promises of the overall verdict."""
    overall = report.overall.name
    expected = row["expected"]
    assert overall not in expected["must_not"], f"{overall} is a defect here\n{explain(row, report)}"
    assert overall in expected["accept"], f"{overall} is not one of {expected['accept']}\n{explain(row, report)}"
    for finding in report.findings:
        if finding.verdict is Verdict.PASS and finding.check_id.startswith("grounding."):
            assert any(e.source_spans for e in finding.evidence), f"a PASS points at no place in the source\n{finding}"


def missed_fields(row: dict[str, Any], report: VerificationReport) -> list[str]:
    """Per-field expectations the report does not meet."""
    misses = []
    for path, wanted in row["expected"]["fields"].items():
        found = report.at(path)
        if found is None or found.name != wanted:
            misses.append(f"{row['id']} {path}: wanted {wanted}, found {'no finding' if found is None else found.name}")
    return misses


def fingerprint(report: VerificationReport) -> str:
    """What a report finds, in twelve digits: every finding with its severity and evidence, in order, without the wording."""
    lines = [report.overall.name]
    for found in report.findings:
        evidence = [
            (one.kind, [(span.start, span.end) for span in one.source_spans], one.refdata_key, one.rule_id) for one in found.evidence
        ]
        lines.append(f"{found.check_id} {found.field_path} {found.verdict.name} {found.severity.name} {evidence}")
    return hashlib.sha256("\n".join(lines).encode("utf-8", "backslashreplace")).hexdigest()[:12]
