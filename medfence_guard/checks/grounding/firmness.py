"""Judgements to findings: what a judgement rests on decides how much it may say (P6, P16, P17).

A contradiction is proof only where its words were read firmly and nothing unread stands beside them; else it is an ABSTAIN that says why.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from medfence_guard.attest import IMPOSSIBLE, UNATTESTED, attest
from medfence_guard.checks.check import Context, finding, rule_finding, span_evidence
from medfence_guard.checks.grounding.claimed import UNREAD_WORDS, claim_says, claimed_name_words, quantities_of
from medfence_guard.checks.grounding.wording import words_of
from medfence_guard.compare import ABSTAIN, FAIL, Judgement
from medfence_guard.confidence import Doubt
from medfence_guard.contract import Finding, Severity, Span
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.statement import Statement

# What contradicts by its structure, not by the value of one number that OCR may have misread.
_STRUCTURAL = (
    "unit.denominator",
    "unit.other_denominator",
    "unit.other_dimension",
    "strength.component_lost",
    "dose.one_of_several",
    "timing.prn_dropped",
)

# Values of which a statement may hold several: words left unread may be another of them.
_OF_SEVERAL = frozenset(
    {
        "timing.different",
        "timing.meal_different",
        "timing.component_invented",
        "dose.one_of_several",
        "text.not_in_source",
        "when.not_in_source",
    }
)


def _combination_in_pieces(context: Context, item: Item, statement: Statement) -> bool:
    """The claimed name has several parts, all of them on the statement's own line, and the statement was read with fewer."""
    text = context.reading.folded.text
    start = text.rfind("\n", 0, statement.span.start) + 1
    stop = text.find("\n", statement.span.end)
    line = set(words_of(text[start : stop if stop >= 0 else len(text)]))
    claimed, read = claimed_name_words(item), set(words_of(text[statement.name.start : statement.name.end]))
    if not claimed or not claimed <= line:
        return False
    read |= {w for w in claimed if any(w in part.key for part in statement.name.parts)}
    name = context.items[item.index].name
    fewer = name is not None and len(claimed) > 1 and len(name.parts) < len(statement.name.parts)
    return bool(claimed - read) or fewer or (statement.name.entry is None and claimed != read)


def _not_firm(context: Context, claim: Claim, judgement: Judgement) -> str:
    """Why a contradiction found in OCR is no proof (P16); empty if it is one."""
    # A claim of the document has no item, and rests on no statement.
    item = context.item_of(claim) if claim.item is not None else None
    statement = context.statement_of(item) if item is not None else None
    if item is None or statement is None:
        return ""
    if statement.interleaved:
        return "the text looks like two columns read straight across"
    if _combination_in_pieces(context, item, statement):
        return "the medicines the item joins stand apart in the source"
    if context.source.modality == "text":
        foreign = _foreign(statement)
        if foreign is not None and any(c.start > foreign for c in judgement.chunks):
            return "another medicine may stand there"
        if claim.field in ("instructions", "timing"):
            if len(context.reading.groups[statement.group]) > 1:
                return "the statement has several steps"
            if _has_each_clause(context, claim.text):
                return "the source has these words, beside the statement"
        if claim.field == "duration" and statement.roles.unsupported:
            return "part of the statement could not be read"
        if (judgement.rule in _OF_SEVERAL or claim.field in ("instructions", "timing")) and (
            statement.roles.residue or statement.roles.numbers or statement.roles.unsupported
        ):
            return "part of the statement could not be read"
        return ""
    if not context.confidence.firm(judgement.chunks):
        return "the contradicting words were not recognised firmly enough"
    if judgement.rule.startswith(_STRUCTURAL):
        return ""
    roles = statement.roles
    if not statement.readable and claim.field not in ("name", "generic_name"):
        return "part of the statement could not be read"
    elsewhere = claim.field == "strength" and _owned_elsewhere(context, claim, statement)
    if not judgement.chunks and not elsewhere and context.confidence.applies:
        return "words of the page may have been lost"
    if not judgement.chunks and not elsewhere and not (roles.has_timing and (roles.strengths or roles.doses or roles.composition)):
        return "the statement lacks more than this, so part of it may be lost"
    for chunk in judgement.chunks:
        if chunk.kind == "slots" and any(v > 3 or v.denominator > 2 for v in chunk.value[0]):
            return "the slot pattern is an unlikely one"
        if chunk.kind == "duration" and (chunk.value[0].denominator != 1 or chunk.value[0] > 120):
            return "the duration is an unlikely one"
        if (
            chunk.kind == "amount"
            and judgement.rule in ("quantity.different", "unit.swapped")
            and claim.field in ("strength", "dosage", "name")
        ):
            found = attest(context.rulepack.bundle, context.rulepack.lexicon, statement.name.entry, chunk.value, None, ())
            if found.status in (UNATTESTED, IMPOSSIBLE):
                return "the strength read in the source is itself not attested"
        if chunk.kind in ("number", "tuple") and judgement.rule == "quantity.different" and claim.field in ("strength", "dosage", "name"):
            values = chunk.value.parts if isinstance(chunk.value, Quantity) else chunk.value
            found = attest(
                context.rulepack.bundle,
                context.rulepack.lexicon,
                statement.name.entry,
                Quantity(tuple(values), (None,) * len(values)),
                None,
                (),
            )
            if found.status in (UNATTESTED, IMPOSSIBLE):
                return "the strength read in the source is itself not attested"
    return ""


# Where one clause of a claim ends: two that stand apart in the source may be joined in it.
_CLAUSE_END = re.compile(r"[.;](?!\d)")


def _has_each_clause(context: Context, text: str) -> bool:
    """`with Rotahaler. Gargle after each use`, of `with Rotahaler x 1 month. Gargle after each use`: its clauses stand in the source."""
    written = " ".join(words_of(context.source.text))
    clauses = [" ".join(words_of(clause)) for clause in _CLAUSE_END.split(text)]
    return any(clauses) and all(clause in written for clause in clauses if clause)


def _foreign(statement: Statement) -> int | None:
    """Where an unread word with an amount of its own begins (`Paracetamol 1g QDS, Xyzolin 30mg QDS PRN`); None if none does."""
    unread = {r.chunk for r in statement.roles.residue if r.chunk.kind == "word" and len(str(r.chunk.value)) > 2}
    at: int | None = None
    for chunk in statement.chunks:
        if chunk in unread:
            at = chunk.start if at is None else at
        elif chunk.kind == "amount" and at is not None:
            return at
        else:
            at = None
    return None


def _owned_elsewhere(context: Context, claim: Claim, statement: Statement) -> bool:
    """Whether the claimed number stands in another item's statement: a value taken from the wrong medicine."""
    wanted = {q.parts for q in quantities_of(context.roles_of(claim))}
    others = (s for s in context.reading.statements if s.group != statement.group and s.index in context.binding.items_of)
    return any(r.value.parts in wanted and context.confidence.firm((r.chunk,)) for s in others for r in s.roles.strengths)


def claim_findings(context: Context, claim: Claim, judgements: Iterable[Judgement], check_id: str) -> list[Finding]:
    """Judgements to findings, after asking how well the words they rest on were recognised (P6, P16, P17)."""
    out: list[Finding] = []
    says = claim_says(claim)
    unread = False
    for judgement in judgements:
        if judgement.rule == UNREAD_WORDS.rule:
            if unread:
                continue
            unread = True
        if judgement.verdict is FAIL:
            weak = _not_firm(context, claim, judgement)
            if weak:
                judgement = judgement._replace(verdict=ABSTAIN, severity=Severity.MAJOR, says=f"{judgement.says}; {weak}")
        doubt = _doubt(context, claim, judgement) if context.confidence.applies else None
        if doubt is not None:
            span = Span(doubt.start, doubt.end)
            evidence = span_evidence(context, span, doubt.check_id)
            out.append(rule_finding(doubt.check_id, claim.path, ABSTAIN, Severity.MAJOR, f"{says}{doubt.message}.", (evidence,)))
            if judgement.verdict is FAIL:
                continue
        rule = judgement.rule
        name = "grounding.unit_integrity" if rule.startswith("unit.") and claim.field in ("strength", "dose", "dosage") else check_id
        name = "schema.role" if rule == "schema.role" else name
        out.append(finding(context, name, claim.path, judgement, says))
    return out


def _doubt(context: Context, claim: Claim, judgement: Judgement) -> Doubt | None:
    """Why the words a judgement rests on are not to be trusted."""
    chunks = judgement.chunks
    if claim.field in ("name", "generic_name"):
        # A name is read as a whole; a digit in it (`Dolo 650`, `GP 2`) is a digit.
        chunks = tuple(c for c in chunks if any(char.isdigit() for char in context.text(Span(c.start, c.end))))
    return context.confidence.doubt_about(chunks)
