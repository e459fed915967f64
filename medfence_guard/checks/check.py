"""What a check is: a frozen record and a pure function. They stand in one explicit tuple; nothing registers itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from medfence_guard.attest import strongest
from medfence_guard.bind import Binding, ItemReading
from medfence_guard.bundle import Product
from medfence_guard.compare import Judgement, Setting
from medfence_guard.confidence import Confidence
from medfence_guard.contract import Evidence, Finding, Severity, SourceDocument, Span, Verdict
from medfence_guard.payload import Claim, Item, PayloadReading
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.roles.record import Roles
from medfence_guard.reader.source import SourceReading
from medfence_guard.reader.statement import Statement
from medfence_guard.rulepack import Rulepack

# Routes that only an injection has.
INJECTABLE = frozenset({"intravenous", "intramuscular", "subcutaneous", "intradermal"})


@dataclass(slots=True)
class Context:
    """Everything a check may look at. Checks read it and change nothing."""

    source: SourceDocument
    payload: PayloadReading
    rulepack: Rulepack
    reading: SourceReading
    binding: Binding
    items: Sequence[ItemReading]
    claim_roles: dict[tuple[str, str], Roles]
    confidence: Confidence
    absence_proven: bool
    absence_doubts: tuple[Span, ...]
    unlisted: tuple[int, ...] = ()
    settings: dict[int, Setting] = field(default_factory=dict)
    # What was gathered from the whole page for one claim, and is asked for by the next.
    gathered: dict[str, Any] = field(default_factory=dict)

    def statement_of(self, item: Item) -> Statement | None:
        return self.binding.owner.get(item.index)

    def item_of(self, claim: Claim) -> Item:
        """The item a claim is of. A claim of the document has none, and whoever asks this of one is wrong."""
        assert claim.item is not None
        return self.payload.items[claim.item]

    def roles_of(self, claim: Claim) -> Roles:
        return self.claim_roles[(claim.field, claim.text)]

    def text(self, span: Span) -> str:
        return self.source.text[span.start : span.end]


Run = Callable[[Context, Any], Sequence[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """scope: `claim` (once per claim of `fields`), `item` (once per payload item) or `document` (once).

    `emits`: every check id its findings may carry. `what`, `why`, `example`: the three headings of its documentation.
    A claim-scoped check that stays silent on a claim it was given is an ABSTAIN naming it.
    """

    id: str
    scope: str
    run: Run
    what: str
    why: str
    example: str
    fields: frozenset[str] = frozenset()
    emits: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        return self.id.split(".")[0]


def source_evidence(context: Context, chunks: Iterable[Chunk], rule: str) -> Evidence | None:
    """Evidence pointing at chunks of the source, sorted and without repeats; None if there are none."""
    spans = [(c.start, c.end) for c in chunks]
    if not spans:
        return None
    text = context.source.text
    if len(spans) == 1:
        [(start, end)] = spans
        return Evidence("source", (Span(start, end),), text[start:end], rule_id=rule)
    spans = sorted(set(spans))
    return Evidence(
        kind="source",
        source_spans=tuple([Span(start, end) for start, end in spans]),
        matched_text=" … ".join([text[start:end] for start, end in spans]),
        rule_id=rule,
    )


def span_evidence(context: Context, span: Span, rule: str) -> Evidence:
    """Evidence pointing at one place of the source, whole."""
    return Evidence(kind="source", source_spans=(span,), matched_text=context.text(span), rule_id=rule)


def reference_evidence(rows: Iterable[Product], rule: str) -> list[Evidence]:
    """Evidence citing bundle rows, strongest grade first."""
    return [
        Evidence(
            kind="reference",
            refdata_key=row.brand or " + ".join(row.molecules),
            citation=row.citation,
            grade=row.grade,
            rule_id=rule,
        )
        for row in strongest(rows)
    ]


def finding(
    context: Context,
    check_id: str,
    path: str,
    judgement: Judgement,
    says: str,
    extra: Sequence[Evidence] = (),
) -> Finding:
    """A judgement as a finding: evidence from its chunks and references, or its rule where it has neither."""
    verdict, rule, said, chunks, note, severity, reference = judgement
    evidence = list(extra)
    pointed = source_evidence(context, chunks, rule)
    if pointed is not None:
        evidence.insert(0, pointed)
    if reference:
        evidence.extend(reference_evidence(reference, rule))
    if not evidence:
        evidence.append(Evidence(kind="rule", rule_id=rule))
    if note and verdict is Verdict.PASS:
        severity = Severity.MINOR
    return Finding(check_id, path, verdict, severity, tuple(evidence), f"{says}{said}.")


def rule_finding(
    check_id: str, path: str, verdict: Verdict, severity: Severity, message: str, evidence: Sequence[Evidence] = ()
) -> Finding:
    """A finding whose evidence is a rule, unless better is given."""
    return Finding(check_id, path, verdict, severity, tuple(evidence) or (Evidence(kind="rule", rule_id=check_id),), message)
