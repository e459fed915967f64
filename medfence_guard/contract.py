"""The types everything else speaks: verdicts, evidence, findings, the source and the report.

All are immutable; a constructor refuses what cannot be true (an empty span, a finding without evidence, a MINOR finding
that is not PASS), so an invalid one cannot exist. What a report holds by the hundred is a tuple, the cheapest record there
is. Offsets are code points into the original text. Numbers are exact; no float is kept anywhere but in `Word.confidence`.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Self, TypeAlias

from medfence_guard.errors import ContractError, InputError

Json: TypeAlias = "None | bool | int | str | list[Json] | dict[str, Json]"
"""Plain JSON as this package keeps it: numbers that are not integers stay decimal strings."""


class Verdict(enum.Enum):
    """What the machine says of one field or of the whole. ABSTAIN reaches a person exactly like FAIL."""

    PASS = "pass"
    FAIL = "fail"
    ABSTAIN = "abstain"

    def __bool__(self) -> NoReturn:
        raise ContractError("contract.verdict_as_bool", "a Verdict has no truth value; compare it: `verdict is Verdict.PASS`")


class Severity(enum.Enum):
    """How much harm the defect could do if nobody looked. MINOR findings never block."""

    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"


class _Span(NamedTuple):
    start: int
    end: int


class Span(_Span):
    """A half-open range `[start, end)` of code points in the original source text."""

    __slots__ = ()

    def __new__(cls, start: int, end: int) -> Self:
        if not 0 <= start < end:
            raise ContractError("contract.empty_span", f"a span needs 0 <= start < end, got {start}..{end}")
        return tuple.__new__(cls, (start, end))

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]  # `_replace` goes through it: checked too
        return cls(*iterable)


class _Evidence(NamedTuple):
    kind: str
    source_spans: tuple[Span, ...]
    matched_text: str | None
    refdata_key: str | None
    citation: str | None
    grade: str | None
    rule_id: str | None
    similarity: str | None


class Evidence(_Evidence):
    """Why a finding says what it says: a place in the source, a fact of the bundle, or a rule.

    kind: `"source"` (needs `source_spans`), `"reference"` (needs `refdata_key`), `"rule"` (needs `rule_id`).
    grade: how good the reference fact is: `regulator`, `tender`, `terminology` or `curated`.
    similarity: decimal string in [0, 1], only on candidates named in a message; it never decides a PASS.
    """

    __slots__ = ()

    def __new__(
        cls,
        kind: str,
        source_spans: tuple[Span, ...] = (),
        matched_text: str | None = None,
        refdata_key: str | None = None,
        citation: str | None = None,
        grade: str | None = None,
        rule_id: str | None = None,
        similarity: str | None = None,
    ) -> Self:
        needed = source_spans if kind == "source" else refdata_key if kind == "reference" else rule_id if kind == "rule" else None
        if not needed:
            raise ContractError("contract.evidence_empty", f"evidence of kind {kind!r} must carry what it points at")
        return tuple.__new__(cls, (kind, source_spans, matched_text, refdata_key, citation, grade, rule_id, similarity))

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]  # `_replace` goes through it: checked too
        return cls(*iterable)

    def __repr__(self) -> str:
        return _without_text(self, "matched_text")

    @property
    def source_span(self) -> tuple[int, int] | None:
        """The first span as a pair, for readers of the predecessor's reports."""
        return (self.source_spans[0].start, self.source_spans[0].end) if self.source_spans else None


class _Finding(NamedTuple):
    check_id: str
    field_path: str
    verdict: Verdict
    severity: Severity
    evidence: tuple[Evidence, ...]
    message: str


class Finding(_Finding):
    """One check's answer about one path of the payload."""

    __slots__ = ()

    def __new__(
        cls, check_id: str, field_path: str, verdict: Verdict, severity: Severity, evidence: tuple[Evidence, ...], message: str
    ) -> Self:
        if not evidence:
            raise ContractError("contract.finding_without_evidence", f"{check_id} at {field_path} carries no evidence")
        if severity is Severity.MINOR and verdict is not Verdict.PASS:
            raise ContractError("contract.minor_must_pass", f"{check_id}: a MINOR finding is always PASS")
        return tuple.__new__(cls, (check_id, field_path, verdict, severity, evidence, message))

    @classmethod
    def _make(cls, iterable: Iterable[Any]) -> Self:  # type: ignore[override]  # `_replace` goes through it: checked too
        return cls(*iterable)

    def __repr__(self) -> str:
        return _without_text(self, "message")


def _without_text(record: _Evidence | _Finding, hidden: str) -> str:
    """The `repr` of a record without the member that holds text of the source or the payload."""
    shown = ", ".join(f"{name}={value!r}" for name, value in zip(record._fields, record, strict=True) if name != hidden)
    return f"{type(record).__name__}({shown})"


@dataclass(frozen=True, slots=True)
class Word:
    """One recognised word: `[start, end)` into the text, confidence in [0, 1], box `(x0, y0, x1, y1)` in pixels, times in seconds."""

    start: int
    end: int
    confidence: float | None = None
    page: int = 1
    box: tuple[int, int, int, int] | None = None
    t0: float | None = None
    t1: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InputError("source.word_span", f"a word needs 0 <= start < end, got {self.start}..{self.end}")
        check_confidence(self.confidence, "a word")


def check_confidence(value: object, of_what: str) -> None:
    """A confidence is None or a number in [0, 1]; anything else is unusable (P17)."""
    if value is None:
        return
    if type(value) not in (int, float) or not (math.isfinite(value) and 0 <= value <= 1):  # type: ignore[arg-type, operator]
        raise InputError(
            "source.confidence_range",
            f"the confidence of {of_what} must be a number in [0, 1] or None; engines that report 0..100 must be divided by 100",
        )


MODALITIES = ("text", "ocr", "stt")


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """What the clinician wrote, as text. It must not come from the model that made the extraction.

    modality: `text` (typed), `ocr`, `stt`. With words given, their confidences override `ocr_confidence`;
    `ocr` with neither ABSTAINs. Words must lie inside the text, in order, without overlap.
    """

    text: str
    modality: str = "text"
    ocr_confidence: float | None = None
    words: tuple[Word, ...] = ()
    engine: str | None = None

    def __post_init__(self) -> None:
        if type(self.text) is not str:
            raise InputError("source.text_type", f"the source text must be a str, got {type(self.text).__name__}")
        if self.modality not in MODALITIES:
            raise InputError("source.modality", f"modality must be one of {', '.join(MODALITIES)}")
        check_confidence(self.ocr_confidence, "the document")
        object.__setattr__(self, "words", tuple(self.words))
        reached = 0
        for index, word in enumerate(self.words):
            if type(word) is not Word:
                raise InputError("source.word_type", f"words[{index}] is not a Word")
            if word.start < reached or word.end > len(self.text):
                raise InputError("source.word_span", f"words[{index}] overlaps the one before it or ends outside the text")
            reached = word.end

    @classmethod
    def from_words(cls, words: Sequence[Mapping[str, object]], *, engine: str | None = None, modality: str = "ocr") -> SourceDocument:
        """Build text and offsets from recognised words: `{"text", "confidence", "page", "box", "line"}` each."""
        from medfence_guard import sources

        return sources.from_words(words, engine=engine, modality=modality)

    @classmethod
    def from_tesseract_tsv(cls, path_or_text: str | Path) -> SourceDocument:
        """Read Tesseract's TSV (a path, or the text itself)."""
        from medfence_guard import sources

        return sources.from_tesseract_tsv(path_or_text)

    @classmethod
    def from_hocr(cls, path_or_text: str | Path) -> SourceDocument:
        """Read an hOCR page (a path, or the text itself)."""
        from medfence_guard import sources

        return sources.from_hocr(path_or_text)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What the model made of it. `payload` is JSON as text or bytes (parsed strictly), or plain Python JSON values."""

    artifact_type: str
    payload: object
    extractor_meta: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemVerdict:
    """The worst verdict of one medication, so that a reviewer opens only those that need it."""

    path: str
    verdict: Verdict
    statement_span: Span | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completeness:
    """How many medication statements the source has, and how many of them are accounted for."""

    statements: int
    accounted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many claims the payload makes, and how many ended PASS."""

    claims: int
    verified: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationReport:
    """The whole answer. The same source, extraction and rulepack give the same bytes everywhere."""

    artifact_type: str
    overall: Verdict
    findings: tuple[Finding, ...]
    items: tuple[ItemVerdict, ...]
    coverage: Coverage
    completeness: Completeness
    not_checked: tuple[str, ...]
    rulepack_version: str
    refdata_snapshot: str
    engine_version: str
    input_hashes: Mapping[str, str]

    def __bool__(self) -> NoReturn:
        raise ContractError("contract.report_as_bool", "a VerificationReport has no truth value; use `report.overall is Verdict.PASS`")

    def at(self, path: str) -> Verdict | None:
        """The worst verdict found exactly at this path, or None if no finding is there."""
        from medfence_guard.aggregate import worst_of

        found = [f.verdict for f in self.findings if f.field_path == path]
        return worst_of(found) if found else None

    def to_json(self) -> str:
        """Canonical JSON; validates against `docs/report.schema.json`."""
        from medfence_guard import report

        return report.to_json(self)

    def to_audit_json(self, prev: str | None = None) -> str:
        """One canonical line without source or payload text; `prev` is the hash of the line before."""
        from medfence_guard import report

        return report.to_audit_json(self, prev)

    def to_html(self, source: SourceDocument, payload: object, images: Mapping[int, bytes] | None = None) -> str:
        """The evidence page: one self-contained HTML file. `images`: page number -> PNG or JPEG bytes."""
        from medfence_guard.html import render

        return render(self, source, payload, images)
