"""`verify()`: the numbered steps, nothing clever.

1. The arguments are ours to judge: a wrong type is the caller's bug.
2. An artifact type or modality we do not read, or a source beyond the limits, ABSTAINs at once.
3. The payload is copied into plain JSON values and every leaf becomes a claim, a structure or a finding.
4. The source is read once into statements.
5. Items are bound to statements, one to one.
6. Every check runs on what it is for; one that raises, or stays silent on a claim, is an ABSTAIN naming it.
7. The worst finding is the verdict; a claim or statement left unaccounted for is ABSTAIN.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

from medfence_guard import canonical_json
from medfence_guard.aggregate import aggregate, worst_of
from medfence_guard.artifacts import ARTIFACT_TYPES
from medfence_guard.bind import NEAR, Binding, ItemReading, bind
from medfence_guard.checks import ALL_CHECKS
from medfence_guard.checks.assertion import claimed_status
from medfence_guard.checks.check import Check, Context, rule_finding
from medfence_guard.checks.completeness import account
from medfence_guard.confidence import Confidence
from medfence_guard.contract import (
    Completeness,
    Coverage,
    Evidence,
    Extraction,
    Finding,
    ItemVerdict,
    Severity,
    SourceDocument,
    Span,
    Verdict,
    VerificationReport,
)
from medfence_guard.errors import ContractError
from medfence_guard.near import near_names
from medfence_guard.payload import Claim, Item, PayloadReading, read_payload
from medfence_guard.reader.chunks import Chunk, Quantity, meaning_of, means, split_glued
from medfence_guard.reader.lexer import lex
from medfence_guard.reader.lexicon import Rate
from medfence_guard.reader.quoted import QUOTING_FIELDS, Quotation, quotation
from medfence_guard.reader.roles.names import NameReader
from medfence_guard.reader.roles.reader import RoleReader
from medfence_guard.reader.roles.record import Role, Roles
from medfence_guard.reader.roles.words import LETTERS_OF_THE_DAY
from medfence_guard.reader.source import SourceReading, read_source
from medfence_guard.reader.text import fold
from medfence_guard.rulepack import Rulepack

ENGINE_VERSION = "0.1.0"


def verify(extraction: Extraction, source: SourceDocument, rulepack: Rulepack | None = None) -> VerificationReport:
    """Does the source entail the extraction? PASS, FAIL or ABSTAIN for every field, with evidence.

    Raises ContractError for wrong argument types and BundleError if the default rulepack cannot be read; a fault
    of the model is never an exception. With a rulepack in hand nothing is opened, imported or timed.
    """
    # 1
    if type(extraction) is not Extraction:
        raise ContractError(
            "contract.extraction_type", "verify() takes an Extraction first: Extraction(artifact_type='prescription', payload=…)"
        )
    if type(source) is not SourceDocument:
        raise ContractError("contract.source_type", "verify() takes a SourceDocument second: SourceDocument(text)")
    if rulepack is None:
        rulepack = Rulepack.default()
    elif type(rulepack) is not Rulepack:
        raise ContractError("contract.rulepack_type", "verify() takes a Rulepack third, or None for the default")
    # 2
    artifact = ARTIFACT_TYPES.get(extraction.artifact_type) if type(extraction.artifact_type) is str else None
    if artifact is None:
        return _refused(
            extraction,
            source,
            rulepack,
            "schema.unknown_artifact",
            f"This artifact type is not read; known are {', '.join(ARTIFACT_TYPES)}.",
        )
    if source.modality == "stt":
        return _refused(extraction, source, rulepack, "source.modality_unsupported", "Transcripts are not read yet.")
    if len(source.text) > rulepack.thresholds.source_characters:
        return _refused(
            extraction, source, rulepack, "source.limits", f"The source is longer than {rulepack.thresholds.source_characters} characters."
        )
    if not source.text.strip():
        return _refused(extraction, source, rulepack, "source.empty", "The source holds no text.")
    # 3
    payload = read_payload(extraction, artifact, rulepack)
    if any(f.check_id in _NOT_READ for f in payload.findings):
        return _unread(extraction.artifact_type, source, rulepack, payload)
    # 4
    names = NameReader(rulepack.lexicon, rulepack.bundle.names.get)
    roles = RoleReader(rulepack.lexicon, rulepack.bundle.insulins, names)
    known, limit = rulepack.bundle.names, rulepack.thresholds.source_tokens
    quoted = _quotations(payload) if source.modality == "text" else ()
    reading = read_source(source, rulepack.chunker, rulepack.lexicon, roles, known, rulepack.misread, limit, quoted)
    if reading is None:
        return _refused(extraction, source, rulepack, "source.limits", "The source holds more words than the work budget allows.")
    # 5
    claim_roles = _read_claims(payload, rulepack, roles)
    items = [_item_reading(item, claim_roles) for item in payload.items]
    binding = bind(items, reading.statements, rulepack.thresholds.binding_pairs)
    reading = _without_quoted_remarks(reading, binding)
    near_names(items, reading.statements, binding, source.modality)
    confidence = Confidence.of(source, rulepack.thresholds.gates, rulepack.thresholds.document_confidence_floor)
    doubts = _absence_doubts(source, reading, binding, confidence)
    context = Context(
        source=source,
        payload=payload,
        rulepack=rulepack,
        reading=reading,
        binding=binding,
        items=items,
        claim_roles=claim_roles,
        confidence=confidence,
        absence_proven=not doubts and not _absence_unproven(source, reading, confidence),
        absence_doubts=tuple(doubts),
        unlisted=tuple(sorted(reading.folded.unlisted)),
    )
    # 6
    findings = list(payload.findings)
    _run_checks(context, findings)
    # 7
    return _report(extraction.artifact_type, context, findings)


# -- reading the claims ------------------------------------------------------------------------------------------------

_NAMES = frozenset({"name", "generic_name"})
# Short values of these fields are a small vocabulary (`OD`, `tab`, `40 mg`), and so are the names that the bundle knows as they
# are written; their reading is kept with the rulepack. A value with an unknown word in it may name a person, and is never kept.
_KEPT_FIELDS = frozenset({"form", "frequency", "strength", "dose", "duration", "route", "release"})
MEMO_LIMIT = 4096
# A payload beyond the limits, malformed or empty is not compared at all: nothing it says could be released.
_NOT_READ = frozenset({"schema.malformed", "schema.limits", "schema.empty"})


def _read_claims(payload: PayloadReading, rulepack: Rulepack, roles: RoleReader) -> dict[tuple[str, str], Roles]:
    """The roles of every claim's text, each distinct (field kind, text) read once with the source's own reader."""
    out: dict[tuple[str, str], Roles] = {}
    for item in payload.items:
        for claim in item.claims:
            key = (claim.field, claim.text)
            if key not in out:
                kept = rulepack.values_memo.get(key)
                if kept is None:
                    kept = _read_value(claim, rulepack, roles)
                    if len(rulepack.values_memo) < MEMO_LIMIT and _is_vocabulary(claim, kept, rulepack):
                        rulepack.values_memo[key] = kept
                out[key] = kept
    return out


def _quotations(payload: PayloadReading) -> list[Quotation]:
    """What the items hand on word for word. Not of two items of one name: they may be steps of one order."""
    names = [frozenset(c.text.casefold() for c in item.claims if c.field in _NAMES) for item in payload.items]
    counts = Counter(name for each in names for name in each)
    return [
        found
        for item, own in zip(payload.items, names, strict=True)
        if all(counts[name] == 1 for name in own)
        for claim in item.claims
        if claim.field in QUOTING_FIELDS and (found := quotation(item.index, claim.field, claim.text)) is not None
    ]


def _without_quoted_remarks(reading: SourceReading, binding: Binding) -> SourceReading:
    """The reading without the sentences that an order's own item hands on. What another item quotes of it is as unread as ever."""
    behind: set[Span] = set()
    handed_on = {statement.group for index, statement in binding.owner.items() if any(of.item == index for of in statement.quoting)}
    for statement in reading.statements:
        owners = binding.items_of.get(statement.index, [])
        if any(of.item in owners for of in statement.quoting):
            behind.update(statement.quoted_behind)
        elif statement.quoting and (owners or statement.group not in handed_on):
            statement.roles.residue.extend(Role("word", chunk) for chunk in statement.quoted)
            statement.quoted, statement.quoting, statement.quoted_behind = (), frozenset(), ()
    return replace(reading, remarks=tuple(span for span in reading.remarks if span not in behind)) if behind else reading


_SHORT = 24
_RECORD = re.compile(r"\d{5}|\d[-/.]\d+[-/.]\d{2}")
"""Five digits in a row, or what may be a date."""


def _is_vocabulary(claim: Claim, read: Roles, rulepack: Rulepack) -> bool:
    if claim.field in _NAMES:
        return claim.text.lower() in rulepack.bundle.names
    unknown = read.residue or read.beside or read.unreadable or read.unsupported or read.name is not None
    return claim.field in _KEPT_FIELDS and len(claim.text) <= _SHORT and not unknown and _RECORD.search(claim.text) is None


def _read_value(claim: Claim, rulepack: Rulepack, roles: RoleReader) -> Roles:
    folded = fold(claim.text)
    tokens = split_glued(lex(folded), rulepack.lexicon, rulepack.bundle.names)
    chunks = [c for c in rulepack.chunker.chunks(tokens) if c.kind != "newline"]
    # What is folded to white space but is none (`\ufeff`) makes another text of it for whoever reads it next.
    hidden = [n for n, char in enumerate(claim.text) if folded.text[n] in " \n" and (n in folded.unlisted or char == "\ufeff")]
    if hidden:
        chunks = sorted([*chunks, *(Chunk("unreadable", None, n, n + 1, 0, 0) for n in hidden)], key=lambda c: c.start)

    def surface(chunk: Chunk) -> str:
        return folded.text[chunk.start : chunk.end]

    anchor: int | None = None
    if claim.field not in _NAMES:
        # `0..5`: what looks like a list number inside a value is a number that is none.
        chunks = [c._replace(kind="malformed", value="number") if c.kind == "item" else c for c in chunks]
        # `5 days and continue`: what only parts two orders of a source is more than the field is for.
        chunks = [c._replace(kind="word", value=surface(c)) if c.kind == "terminator" else c for c in chunks]
    # What prints itself on a source is an instruction in a payload (`no substitution`).
    chunks = [c._replace(kind="inert", value="remark") if c.kind in ("boilerplate", "review_phrases") else c for c in chunks]
    if claim.field in _NAMES:
        chunks = [
            c._replace(kind="word", value=surface(c))
            if c.kind in ("heading", "label", "header_line_starts", "person_roles", "medicine_class")
            else c
            for c in chunks
        ]
        anchor = next((i for i, c in enumerate(chunks) if c.kind == "drug"), None)
        if anchor is None:
            anchor = next((i for i, c in enumerate(chunks) if c.kind == "word"), None)
    elif claim.field in ("instructions", "timing", "frequency") and any(c.kind == "drug" for c in chunks):
        chunks = [c._replace(kind="word", value=surface(c)) if c.kind == "drug" else c for c in chunks]
    elif claim.field == "duration":
        chunks = _counted_period([_period_fraction(c) for c in chunks])
    elif claim.field == "max_dose":
        chunks = _bare_maximum(chunks, surface)
    elif claim.field == "form" and not folded.unlisted:
        chunks = _letter_form(chunks)
    elif claim.field == "timing" and not folded.unlisted:
        chunks = _letter_of_the_day(chunks)
    elif claim.field == "dose" and not folded.unlisted:
        chunks = _spoken_count([_bare_fraction(chunks) or c for c in chunks], rulepack)
    elif claim.field == "release":
        # `CR` may be a cream elsewhere.
        chunks = [c._replace(kind="release", value=meaning_of(c, "release")) if means(c, "release") else c for c in chunks]
    read = roles.read(chunks, anchor, surface)
    # Letters of another alphabet fold to these, and are no reading of it (P12).
    counted = _NUMBER_A_DAY.fullmatch(folded.text) if claim.field == "frequency" and not folded.unlisted else None
    if counted is not None:
        number = Fraction(_TIMES.get(counted[1]) or counted[1])
        rate = Rate(number, number, Fraction(1), Fraction(1), "d")
        return Roles(rates=[Role(rate, Chunk("rate", rate, 0, len(folded.text), 0, len(tokens)))])
    if claim.field in ("form", "route", "release"):
        _lone_word(read, chunks, claim.field)
    return read


# Under a frequency `2/day`, `2 daily` counts the times; elsewhere it may count tablets.
_NUMBER_A_DAY = re.compile(r"\s*(\d{1,2}|once|twice|thrice)\s*(?:(?:/|per|a|in a)\s*(?:day|d|24 ?(?:hours?|hrs?|h))|daily)\s*")
_TIMES = {"once": 1, "twice": 2, "thrice": 3}

_PERIODS = {7: "d", 52: "wk", 12: "mo"}


def _period_fraction(chunk: Chunk) -> Chunk:
    """`5/7` where a duration belongs is five days; `2/52` two weeks; `3/12` three months."""
    if chunk.kind != "tuple" or len(chunk.value) != 2 or chunk.value[1] not in _PERIODS:
        return chunk
    return chunk._replace(kind="duration", value=(chunk.value[0], None, _PERIODS[int(chunk.value[1])]))


def _bare_fraction(chunks: Sequence[Chunk]) -> Chunk | None:
    """`1/2`, alone where a dose belongs, is the half of one piece, as `½` is."""
    if len(chunks) != 1 or chunks[0].kind != "tuple" or len(chunks[0].value) != 2:
        return None
    top, bottom = chunks[0].value
    if bottom not in (2, 3, 4) or top >= bottom:
        return None
    return chunks[0]._replace(kind="number", value=Quantity((top / bottom,), (None,)))


def _counted_period(chunks: list[Chunk]) -> list[Chunk]:
    """`6 nights`, `5 doses` where a duration belongs."""
    rest = [c for c in chunks if not (c.kind == "word" and c.value in ("x", "for"))]
    counted = len(rest) == 1 and rest[0].kind == "amount" and rest[0].value.units == ("{dose}",)
    if counted and rest[0].value.high is None and not rest[0].value.per:
        return [rest[0]._replace(kind="duration", value=(rest[0].value.parts[0], None, "dose"))]
    if len(rest) == 2 and rest[0].kind == "number" and rest[1].kind == "when" and rest[1].value == ("NIGHT", None):
        if rest[0].value.high is None and len(rest[0].value.parts) == 1 and rest[1].notes == ():
            return [rest[0]._replace(kind="duration", value=(rest[0].value.parts[0], None, "d"), end=rest[1].end, last=rest[1].last)]
    return chunks


_A_DAY = frozenset({"a day", "/ day", "/day", "per day", "in a day", "daily", "every day"})


def _bare_maximum(chunks: list[Chunk], surface: Callable[[Chunk], str]) -> list[Chunk]:
    """`4 capsules a day` where a maximum belongs."""
    if len(chunks) < 2 or chunks[0].kind != "amount" or len(chunks[0].value.parts) != 1 or chunks[0].value.high is not None:
        return chunks
    first = chunks[0].value
    if first.per or not (first.units[0] or "").startswith("{") or " ".join(surface(c) for c in chunks[1:]) not in _A_DAY:
        return chunks
    value = (first.parts[0], None, first.units[0])
    return [chunks[0]._replace(kind="maximum", value=value, end=chunks[-1].end, last=chunks[-1].last)]


def _letter_form(chunks: list[Chunk]) -> list[Chunk]:
    """`T.` where a form belongs, as prescriptions write it before the name. A `C.` may be a cream."""
    if len(chunks) in (1, 2) and chunks[0].kind == "word" and chunks[0].value == "t" and all(c.value == "." for c in chunks[1:]):
        return [chunks[0]._replace(kind="form", value="tablet"), *chunks[1:]]
    return chunks


def _letter_of_the_day(chunks: list[Chunk]) -> list[Chunk]:
    """`M` where a time of day belongs, as prescriptions write it behind the frequency: `OD (M)`."""
    if len(chunks) == 1 and chunks[0].kind == "word" and chunks[0].value in LETTERS_OF_THE_DAY:
        return [chunks[0]._replace(kind="when", value=(LETTERS_OF_THE_DAY[chunks[0].value], None))]
    return chunks


def _spoken_count(chunks: list[Chunk], rulepack: Rulepack) -> list[Chunk]:
    """`one` where a dose belongs is the bare number."""
    value = rulepack.lexicon.number_words.get(str(chunks[0].value)) if len(chunks) == 1 and chunks[0].kind == "word" else None
    return chunks if value is None else [chunks[0]._replace(kind="number", value=Quantity((value,), (None,)))]


def _lone_word(read: Roles, chunks: Sequence[Chunk], field: str) -> None:
    """A value that is one word of the field's own vocabulary means that, whatever else the word may mean in a sentence."""
    if len(chunks) == 0:
        return
    wanted = {"form": "form", "route": "route", "release": "release"}[field]
    target = {"form": read.forms, "route": read.routes, "release": read.releases}[field]
    if target:
        return
    for chunk in chunks:
        for meaning in chunk.meanings:
            if meaning.kind == wanted:
                target.append(Role(meaning.value, chunk))
                read.residue[:] = [r for r in read.residue if r.chunk is not chunk]
                read.ambiguous[:] = [r for r in read.ambiguous if r.chunk is not chunk]


def _item_reading(item: Item, claim_roles: dict[tuple[str, str], Roles]) -> ItemReading:
    fields: dict[str, Roles] = {}
    name = generic = None
    strengths: list[Quantity] = []
    for claim in item.claims:
        roles = claim_roles[(claim.field, claim.text)]
        if claim.field == "name" and roles.name is not None:
            name = roles.name
        elif claim.field == "generic_name" and roles.name is not None:
            generic = roles.name
        fields[claim.path] = roles
        strengths.extend(r.value for r in roles.strengths)
        if claim.field in ("strength", "dosage"):
            strengths.extend(r.value for r in roles.numbers if isinstance(r.value, Quantity))
    return ItemReading(item.index, name, generic, fields, tuple(strengths), claimed_status(item) not in (None, "active", "?"))


# -- absence -----------------------------------------------------------------------------------------------------------


def _absence_doubts(source: SourceDocument, reading: SourceReading, binding: Binding, confidence: Confidence) -> list[Span]:
    """Places that may hide a name: unread lines, statements nobody owns whose name or words are unknown, columns, badly read words (P2)."""
    doubts = [*reading.unread, *reading.interleaved]
    for statement in reading.statements:
        if statement.index in binding.items_of:
            if binding.relation.get(binding.items_of[statement.index][0]) == NEAR:
                continue
            roles = statement.roles
            if source.modality == "ocr" and (roles.residue or roles.unreadable or roles.ambiguous or roles.unsupported):
                doubts.append(statement.span)  # where one word was misread, the lines of other medicines may have been lost
            continue
        unknown = statement.name.entry is None or not statement.known
        if unknown or statement.roles.unreadable or (source.modality == "ocr" and statement.roles.residue):
            doubts.append(statement.span)
    if reading.folded.unlisted:
        first = min(reading.folded.unlisted)
        doubts.append(Span(first, first + 1))
    if confidence.applies:
        low = [
            w
            for w in source.words
            if w.confidence is not None and w.confidence < 0.3 and any(c.isalpha() for c in source.text[w.start : w.end])
        ]
        doubts.extend(Span(w.start, w.end) for w in low[:3])
    return doubts


def _absence_unproven(source: SourceDocument, reading: SourceReading, confidence: Confidence) -> bool:
    """OCR loses lines: no statement at all, a gap in the list numbers, or words read badly throughout prove nothing absent (P16)."""
    return source.modality == "ocr" and (not reading.statements or reading.missing_numbers or not _firmly_read(source, confidence))


def _firmly_read(source: SourceDocument, confidence: Confidence) -> bool:
    """Two of three words at or above the gate for a contradiction. Where the rest of a page is this bad, whole lines are missing."""
    if not confidence.applies:
        return True
    gate = confidence.gates["contradiction"]
    firm = sum(1 for word in source.words if word.confidence is not None and Fraction(word.confidence) >= gate)
    return 3 * firm >= 2 * len(source.words)


# -- checks ------------------------------------------------------------------------------------------------------------


def _crashed(check: Check, path: str, problem: Exception) -> Finding:
    return rule_finding(
        check.id,
        path,
        Verdict.ABSTAIN,
        Severity.CRITICAL,
        f"The check {check.id} could not finish ({type(problem).__name__}); a person must look.",
        (Evidence(kind="rule", rule_id="engine.check_crashed"),),
    )


def _guarded(check: Check, context: Context, subject: object, path: str) -> Sequence[Finding]:
    try:
        return check.run(context, subject)
    except Exception as problem:  # noqa: BLE001 - a check that breaks must become an ABSTAIN, whatever broke it
        return [_crashed(check, path, problem)]


_BY_FIELD: dict[str, list[Check]] = {}
for _check in ALL_CHECKS:
    for _field in _check.fields:
        if _check.scope == "claim":
            _BY_FIELD.setdefault(_field, []).append(_check)
_ITEM_CHECKS = tuple(c for c in ALL_CHECKS if c.scope == "item")
_NAME_CHECKS = tuple(c for c in ALL_CHECKS if c.scope == "item_name")
_DOCUMENT_CHECKS = tuple(c for c in ALL_CHECKS if c.scope == "document")


def _run_checks(context: Context, findings: list[Finding]) -> None:
    for claim in context.payload.document_claims:
        _run_claim(context, claim, findings)
    for item in context.payload.items:
        for check in _ITEM_CHECKS:
            findings += _guarded(check, context, item, item.path)
        for claim in item.claims:
            _run_claim(context, claim, findings)
            if claim.field == "name":
                for check in _NAME_CHECKS:
                    findings += _guarded(check, context, claim, claim.path)
    for check in _DOCUMENT_CHECKS:
        findings += _guarded(check, context, None, context.payload.container)


def _run_claim(context: Context, claim: Claim, findings: list[Finding]) -> None:
    checks = _BY_FIELD.get(claim.field, ())
    if not checks:
        findings.append(rule_finding("schema.unmapped_key", claim.path, Verdict.ABSTAIN, Severity.MAJOR, "No check reads this field."))
    for check in checks:
        findings += _guarded(check, context, claim, claim.path) or [_silent(check, claim)]


def _silent(check: Check, claim: Claim) -> Finding:
    return rule_finding(
        check.id,
        claim.path,
        Verdict.ABSTAIN,
        Severity.MAJOR,
        f"The check {check.id} said nothing about a claim it was given.",
        (Evidence(kind="rule", rule_id="engine.check_silent"),),
    )


# -- reports -----------------------------------------------------------------------------------------------------------


def _hashes(source: SourceDocument, value: object) -> dict[str, str]:
    text = hashlib.sha256(source.text.encode("utf-8", "surrogatepass")).hexdigest()
    try:
        payload = canonical_json.sha256(value) if value is not None else ""  # type: ignore[arg-type]
    except ContractError:
        payload = ""
    return {"source_text": text, "payload": payload}


def _unread(artifact_type: str, source: SourceDocument, rulepack: Rulepack, payload: PayloadReading) -> VerificationReport:
    return VerificationReport(
        artifact_type=artifact_type,
        overall=Verdict.ABSTAIN,
        findings=payload.findings,
        items=(),
        coverage=Coverage(claims=payload.claims, verified=0),
        completeness=Completeness(statements=0, accounted=0),
        not_checked=payload.not_checked,
        rulepack_version=rulepack.version,
        refdata_snapshot=rulepack.refdata_snapshot,
        engine_version=ENGINE_VERSION,
        input_hashes=_hashes(source, payload.value),
    )


def _refused(extraction: Extraction, source: SourceDocument, rulepack: Rulepack, check_id: str, message: str) -> VerificationReport:
    from medfence_guard.payload import MalformedPayload, plain_json

    try:
        value: object = plain_json(extraction.payload)
    except MalformedPayload:
        value = None
    return VerificationReport(
        artifact_type=extraction.artifact_type if type(extraction.artifact_type) is str else "",
        overall=Verdict.ABSTAIN,
        findings=(rule_finding(check_id, "$", Verdict.ABSTAIN, Severity.CRITICAL, message),),
        items=(),
        coverage=Coverage(claims=0, verified=0),
        completeness=Completeness(statements=0, accounted=0),
        not_checked=(),
        rulepack_version=rulepack.version,
        refdata_snapshot=rulepack.refdata_snapshot,
        engine_version=ENGINE_VERSION,
        input_hashes=_hashes(source, value),
    )


def _item_path(path: str) -> str:
    """The path of the item that a finding's path is of, or lies in."""
    return path.split("].", 1)[0].rstrip("]") + "]"


def _report(artifact_type: str, context: Context, findings: list[Finding]) -> VerificationReport:
    payload = context.payload
    statements, accounted = len(context.reading.statements), 0
    with suppress(Exception):
        # Counted again here, so that a check that crashed leaves its statements unaccounted for.
        accounted = account(context).accounted
    found_at = {f.field_path for f in findings}
    held = [f for f in findings if f.verdict is not Verdict.PASS]
    held_at = {f.field_path for f in held}
    claims = [*payload.document_claims, *(c for item in payload.items for c in item.claims)]
    verified = sum(c.path in found_at and c.path not in held_at for c in claims)
    by_item: dict[str, set[Verdict]] = {_item_path(path): {Verdict.PASS} for path in found_at}
    for found in held:
        by_item[_item_path(found.field_path)].add(found.verdict)
    items = []
    for item in payload.items:
        statement = context.statement_of(item)
        own = by_item.get(item.path, ())
        items.append(ItemVerdict(path=item.path, verdict=worst_of(own), statement_span=statement.span if statement else None))
    overall = aggregate(findings, claims=payload.claims, verified=verified, statements=statements, accounted=accounted)
    return VerificationReport(
        artifact_type=artifact_type,
        overall=overall,
        findings=tuple(findings),
        items=tuple(items),
        coverage=Coverage(claims=payload.claims, verified=verified),
        completeness=Completeness(statements=statements, accounted=accounted),
        not_checked=payload.not_checked,
        rulepack_version=context.rulepack.version,
        refdata_snapshot=context.rulepack.refdata_snapshot,
        engine_version=ENGINE_VERSION,
        input_hashes=_hashes(context.source, payload.value),
    )
