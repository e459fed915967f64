"""Family X: may this source be used at all?"""

from __future__ import annotations

from bisect import bisect_left

from medfence_guard.checks.check import Check, Context, rule_finding, span_evidence
from medfence_guard.contract import Evidence, Finding, Severity, Span, Verdict
from medfence_guard.payload import Item

ABSTAIN = Verdict.ABSTAIN


def document_confidence(context: Context, item: Item) -> list[Finding]:
    """P6: OCR with no confidence, or a document below the floor."""
    doubt = context.confidence.document_doubt
    if doubt is None:
        return []
    return [rule_finding(doubt.check_id, item.path, ABSTAIN, Severity.CRITICAL, f"{doubt.message[0].upper()}{doubt.message[1:]}.")]


def hidden_characters(context: Context, item: Item) -> list[Finding]:
    """P12: an invisible, bidirectional, mixed-script or unlisted character inside the item's own statement."""
    statement = context.statement_of(item)
    if statement is None:
        return []
    at = bisect_left(context.unlisted, statement.span.start)
    if at == len(context.unlisted) or context.unlisted[at] >= statement.span.end:
        return []
    first = context.unlisted[at]
    evidence = Evidence(
        kind="source",
        source_spans=(Span(first, first + 1),),
        matched_text=f"U+{ord(context.source.text[first]):04X}",
        rule_id="source.hidden_characters",
    )
    return [
        rule_finding(
            "source.hidden_characters",
            item.path,
            ABSTAIN,
            Severity.CRITICAL,
            "The statement holds a character outside the alphabet.",
            (evidence,),
        )
    ]


def interleaved(context: Context, item: Item) -> list[Finding]:
    """P18: text that looks like two columns read across, without word boxes to tell them apart."""
    statement = context.statement_of(item)
    if statement is None:
        return []
    hit = next((s for s in context.reading.interleaved if s.start < statement.span.end and statement.span.start < s.end), None)
    if hit is None:
        return []
    evidence = span_evidence(context, hit, "source.interleaved_columns")
    return [
        rule_finding(
            "source.interleaved_columns",
            item.path,
            ABSTAIN,
            Severity.CRITICAL,
            "The text looks like two columns read straight across; give word boxes with SourceDocument.from_words.",
            (evidence,),
        )
    ]


CHECKS: tuple[Check, ...] = (
    Check(
        id="source.confidence",
        scope="item",
        run=document_confidence,
        emits=("source.confidence_floor", "source.confidence_missing"),
        what="OCR needs a confidence, of the document or of its words.",
        why="Unknown is not high.",
        example="modality ocr without any confidence: ABSTAIN.",
    ),
    Check(
        id="source.hidden_characters",
        scope="item",
        run=hidden_characters,
        emits=("source.hidden_characters",),
        what="No character outside the alphabet inside an owned statement.",
        why="What looks equal may be another string downstream.",
        example="a zero-width space inside a name: ABSTAIN.",
    ),
    Check(
        id="source.interleaved_columns",
        scope="item",
        run=interleaved,
        emits=("source.interleaved_columns",),
        what="Two columns without word boxes are not guessed apart.",
        why="Interleaved lines give one medicine another's dose.",
        example="`1. Tab A … 3. Cap B …`: ABSTAIN.",
    ),
)
