"""Family A: is the statement an active order, for this patient, and certain?"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from medfence_guard.checks.check import Check, Context, rule_finding, source_evidence, span_evidence
from medfence_guard.checks.grounding.document import carried_reason
from medfence_guard.contract import Evidence, Finding, Severity, Span, Verdict
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.assertion import ACTIVE, EXCLUDED, MENTION
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.harms import denies
from medfence_guard.reader.statement import Statement
from medfence_guard.reader.text import fold

PASS, FAIL, ABSTAIN = Verdict.PASS, Verdict.FAIL, Verdict.ABSTAIN

# What a payload's `status` may say -> the statement status it claims.
_CLAIMED = {
    "active": "active",
    "new": "active",
    "continue": "active",
    "continued": "active",
    "continuing": "active",
    "current": "active",
    "ongoing": "active",
    "start": "active",
    "started": "active",
    "add": "active",
    "added": "active",
    "restart": "active",
    "restarted": "active",
    "resume": "active",
    "resumed": "active",
    "prescribed": "active",
    "changed": "active",
    "increase": "active",
    "increased": "active",
    "decreased": "active",
    "decrease": "active",
    "ordered": "active",
    "stopped": "stopped",
    "stop": "stopped",
    "discontinued": "stopped",
    "discontinue": "stopped",
    "inactive": "stopped",
    "ceased": "stopped",
    "on hold": "held",
    "on-hold": "held",
    "hold": "held",
    "held": "held",
    "withheld": "held",
    "paused": "held",
    "suspended": "held",
    "not taking": "not_taking",
    "not-taking": "not_taking",
    "past": "past",
    "completed": "past",
    "previous": "past",
    "historical": "past",
    "allergy": "allergy",
    "allergic": "allergy",
    "planned": "hypothetical",
    "conditional": "conditional",
}
# A status that tells of a change -> the cue classes that state one.
_CHANGES = {
    "changed": frozenset({"increase", "decrease", "switch_to", "switch_from"}),
    "increase": frozenset({"increase"}),
    "increased": frozenset({"increase"}),
    "decrease": frozenset({"decrease"}),
    "decreased": frozenset({"decrease"}),
}
_BEGUN = frozenset({"new", "start", "started", "add", "added"})
# Cues of what was taken before, and `started today`.
_GOING_ON = frozenset({"continue", "taking", "increase", "decrease"})
_STARTED = re.compile(r"\bstarted\b")
# A status that tells of a second beginning -> what the statement must say for it.
_AGAIN = {"restart": "restart", "restarted": "restart", "resume": "resum", "resumed": "resum"}
# `start after 2 weeks`, of what the payload must hold as it stands.
_LATER = re.compile(r"(?:to )?(?:be )?start")
_AGREES = {
    "stopped": {"stopped"},
    "held": {"held"},
    "not_taking": {"not_taking"},
    "past": {"past"},
    "allergy": {"allergy"},
    "hypothetical": {"hypothetical"},
    "conditional": {"conditional"},
}
_ENDED = frozenset({"stopped", "past", "not_taking", "avoid"})
_CHECK_ID = {
    "stopped": "assertion.stopped",
    "held": "assertion.held",
    "not_taking": "assertion.not_taking",
    "allergy": "assertion.allergy",
    "avoid": "assertion.avoid",
    "past": "assertion.past",
    "family": "assertion.family",
    "conditional": "assertion.conditional",
    "hypothetical": "assertion.hypothetical",
}
_MEANING = {
    "stopped": "stopped",
    "held": "on hold",
    "not_taking": "not taken",
    "allergy": "an allergy",
    "avoid": "to be avoided",
    "past": "of the past",
    "family": "of another person",
    "conditional": "conditional",
    "hypothetical": "only considered or planned",
}


def _evidence(context: Context, statement: Statement, rule: str) -> tuple[Evidence, ...]:
    found = source_evidence(context, statement.assertion.cues, rule)
    if found is not None:
        return (found,)
    return (span_evidence(context, statement.span, rule),)


def claimed_status(item: Item) -> str | None:
    """The status the item claims, None if it claims none; unknown words are `?`."""
    for claim in item.acted_on:
        if claim.field == "status":
            return _CLAIMED.get(_folded(claim), "?")
    return None


def _text(context: Context, chunk: Chunk) -> str:
    return context.text(Span(chunk.start, chunk.end)).lower()


def _folded(claim: Claim) -> str:
    return " ".join(fold(claim.text).text.replace("_", " ").split())


def active(context: Context, item: Item) -> list[Finding]:
    """An item without another status is an active order for this patient; its statement must say no less."""
    statement = context.statement_of(item)
    if statement is None:
        return []
    out: list[Finding] = []

    def hold(check_id: str, message: str, said_by: Statement = statement, verdict: Verdict = ABSTAIN, grave: bool = True) -> None:
        severity = Severity.CRITICAL if grave else Severity.MAJOR
        out.append(rule_finding(check_id, item.path, verdict, severity, message, _evidence(context, said_by, check_id)))

    if statement.injected:
        hold("assertion.addresses_a_model", "The text of this statement addresses a system or model; it grounds nothing.")
    claimed = claimed_status(item)
    status = statement.assertion.status
    if claimed is not None and claimed not in ("active", "?"):
        return out
    if statement.assertion.conflict:
        hold("assertion.cue_conflict", "Cues around the statement disagree about whether it is an order.")
    elif status in EXCLUDED:
        firm = context.confidence.firm(statement.assertion.cues) and not _is_of_an_unread_word(statement)
        verdict = FAIL if firm else ABSTAIN
        hold(_CHECK_ID[status], f"The source says this is {_MEANING[status]}; the extraction has it as an order.", verdict=verdict)
    elif status == MENTION:
        hold("assertion.undecided", "The source only mentions this; it does not order it.", grave=False)
    elif status != ACTIVE:
        hold("assertion.undecided", "The source does not decide whether this is an order.", grave=False)
    out.extend(_same_drug_elsewhere(context, item, statement))
    doubt = _told_otherwise(context, statement) if status == ACTIVE else None
    if doubt is not None:
        other, why = doubt
        hold("assertion.cue_conflict", f"The source also tells of the same medicine elsewhere: {why}.", other)
    if status == ACTIVE and _in_the_wrong_list(context, item, statement):
        message = "The list of the extraction says that this is prescribed, or taken; the source has it in its other list."
        hold("assertion.undecided", message, grave=False)
    return out


def _is_of_an_unread_word(statement: Statement) -> bool:
    """`X 75 mcg OD (old 50 mcg strip not to be taken)`: each cue is in a bracket of its own behind the order, with words nobody read."""
    unread = {r.chunk.start for r in statement.roles.residue}

    def is_bracketed(cue: Chunk) -> bool:
        before = [c for c in statement.chunks if c.end <= cue.start]
        opened = next((n for n in range(len(before) - 1, -1, -1) if before[n].value in ("(", ")")), None)
        if opened is None or before[opened].value == ")" or before[opened].start < statement.name.end:
            return False
        return any(c.start in unread for c in before[opened:])

    cues = statement.assertion.cues
    return bool(cues) and all(map(is_bracketed, cues))


# A key that holds items and says of which list they are -> whether that is the list of what is taken already.
_LISTS = {"current medications": True, "active medications": True, "discharge medications": False}


def _in_the_wrong_list(context: Context, item: Item, statement: Statement) -> bool:
    """`discharge_medications` that holds a medicine of the list on admission, where the source has both lists (P23)."""
    lists = {s.section == "current" for s in context.reading.statements if s.assertion.status == ACTIVE}
    key = item.path.removeprefix("$").strip(".").partition("[")[0].rpartition(".")[2].replace("_", " ").lower()
    claimed = False if key.endswith("prescribed") or key.startswith("prescribed") else _LISTS.get(key)
    if lists != {True, False}:
        return False
    if claimed is None:
        # A medicine of the list on admission that the discharge list does not have is no order of the discharge.
        return (
            context.reading.discharge
            and statement.section == "current"
            and not any(s.section != "current" and _substance(s) == _substance(statement) for s in context.reading.statements)
        )
    return claimed is not (statement.section == "current")


def _told_otherwise(context: Context, statement: Statement) -> tuple[Statement, str] | None:
    """P23: further down the source doubts the medicine by its name, gives it to somebody, or orders another strength of it."""
    reported = statement.section == "current" or any(c.value[0] == "taking" for c in statement.assertion.cues)
    mine = _substance(statement)
    for other in context.reading.statements:
        if other.group == statement.group or other.span.start <= statement.span.start or _substance(other) != mine:
            continue
        status = other.assertion.status
        if other.bare and other.index not in context.binding.items_of:
            if status in ("family", "question", "hypothetical", "past", "stopped", "not_taking"):
                return other, f"it is {_MEANING.get(status, 'in doubt')}"
            if status != ACTIVE and (other.roles.residue or _doubted(context, other)):
                return other, "in words that are not read"
        if reported and status == ACTIVE and other.section != "current" and _other_strength(statement, other):
            return other, "with another strength"
    return None


def _doubted(context: Context, other: Statement) -> bool:
    lexicon = context.rulepack.lexicon
    words = {c.value for c in (*other.beside, *other.chunks) if c.kind in ("word", "cue")} | {
        context.text(Span(c.start, c.end)).lower() for c in (*other.beside, *other.chunks) if c.kind in ("word", "cue", "mark")
    }
    return bool(words & (lexicon.remarks.changes | lexicon.remarks.changes_beside | lexicon.doubt_words | {"?"}))


def _other_strength(one: Statement, other: Statement) -> bool:
    """Both state a strength, as such or with the name, and no number is in both."""
    numbers = [{part for r in s.roles.strengths for part in r.value.parts} | set(s.name.label or ()) for s in (one, other)]
    return bool(numbers[0] and numbers[1] and not numbers[0] & numbers[1])


def _substance(statement: Statement) -> tuple[object, ...]:
    entry = statement.name.entry or statement.name.stem
    if entry is not None and not entry.ambiguous:
        return tuple(entry.compositions[0])
    return (statement.name.key,)


def _same_drug_elsewhere(context: Context, item: Item, statement: Statement) -> list[Finding]:
    """P23: the same medicine both ordered and stopped, held or an allergy; or an allergy to one of its class."""
    if statement.assertion.status != ACTIVE:
        return []
    mine = set(_substance(statement))
    for other in context.reading.excluded:
        if other.group == statement.group:
            continue
        theirs = set(_substance(other))
        kin = _does_harm(context, other) and _are_kin(context, mine, theirs)
        same = mine & theirs and (other.assertion.status in ("allergy", "avoid") or mine == theirs)
        if kin or (same and not _is_change(context, statement, other)):
            what = "a medicine of the same class" if kin and not same else "the same medicine"
            return [
                rule_finding(
                    "assertion.cue_conflict",
                    item.path,
                    ABSTAIN,
                    Severity.CRITICAL,
                    f"The source orders this and also says {what} is {_MEANING[other.assertion.status]}.",
                    _evidence(context, other, "assertion.cue_conflict"),
                )
            ]
    return []


def _are_kin(context: Context, one: Collection[object], other: Collection[object]) -> bool:
    """`Rash with codeine`, and an order of tramadol: both of a class whose members an allergy to one is told of."""
    names = ["\n".join(sorted(map(str, substances))) for substances in (one, other)]
    return any(all(any(part in name for part in parts) for name in names) for parts in context.rulepack.lexicon.remarks.allergy_kin)


def _does_harm(context: Context, other: Statement) -> bool:
    """`Rash with codeine`, `Avoid codeine (rash)`. `No allergy to codeine` is a matter of codeine, and says nothing of its kin."""
    said = (*other.beside, *other.chunks, *other.assertion.cues)
    begins, ends = min((c.start for c in said), default=other.name.start), max((c.end for c in said), default=other.name.end)
    text = context.reading.folded.text
    if other.assertion.status in ("avoid", "not_taking", "held"):
        return context.rulepack.lexicon.remarks.reactions.search(text[begins:ends]) is not None
    if other.assertion.status == "stopped":
        # `Atorva stopped (myalgia)`, and another of its class: that is how it is changed.
        return context.rulepack.lexicon.remarks.allergy.search(text[begins:ends]) is not None or "rash" in text[begins:ends]
    return other.assertion.status == "allergy" and not denies(text[begins : other.name.start])


# What a medicine is stopped with: no reason, no harm.
_PLAINLY = frozenset("drug form route amount rate slots when cue verb mark item".split())
_INJECTED = frozenset({"intravenous", "intramuscular", "subcutaneous", "injection", "infusion"})


def _is_change(context: Context, statement: Statement, other: Statement) -> bool:
    """A switch within one sentence (`switch from Amlong 5 to Amlong 10`), or from the vein to the mouth, is no contradiction."""
    if any(c.kind == "cue" and c.value[0] == "switch_from" for c in other.assertion.cues):
        return True
    before, behind = _ways(context, other), _ways(context, statement)
    plainly = other.readable and all(c.kind in _PLAINLY for c in (*other.chunks, *other.beside))
    stopped = other.assertion.status == "stopped" and plainly and other.span.end <= statement.span.start
    return stopped and bool(before) and before <= _INJECTED and behind == {"oral"}


def _ways(context: Context, statement: Statement) -> frozenset[str]:
    """The routes a statement states, and those its form has; a form for several of them stands for itself."""
    routes = context.rulepack.lexicon.form_route
    return frozenset([*(r.value for r in statement.roles.routes), *(routes.get(r.value) or r.value for r in statement.roles.forms)])


def status_claim(context: Context, claim: Claim) -> list[Finding]:
    """`status`, judged by the rows of `_status`: which of them answers first."""
    item = context.item_of(claim)
    statement = context.statement_of(item)
    says = f"Extraction says {claim.text!r} for status; "
    if statement is None:
        return [rule_finding("assertion.status", claim.path, ABSTAIN, Severity.MAJOR, f"{says}the item owns no statement.")]
    verdict, severity, why = _status(context, claim, claimed_status(item), statement, _is_read(context, item, statement))
    return [
        rule_finding("assertion.status", claim.path, verdict, severity, f"{says}{why}.", _evidence(context, statement, "assertion.status"))
    ]


def _is_read(context: Context, item: Item, statement: Statement) -> bool:
    """Whether nothing in the statement was left unread but a reason that the item carries: `SOS for chest pain`."""
    if statement.readable:
        return True
    read = replace(statement, roles=replace(statement.roles, residue=[]))
    return read.readable and {r.chunk for r in statement.roles.residue} <= carried_reason(context, item, statement)


def _status(context: Context, claim: Claim, claimed: str | None, statement: Statement, read: bool) -> tuple[Verdict, Severity, str]:
    actual, said = statement.assertion.status, _folded(claim)
    ordered = any(c.kind == "verb" for c in statement.chunks)
    told = _CHANGES.get(said)
    if claimed == "?" or claimed is None:
        return ABSTAIN, Severity.MAJOR, "that is no status that can be read"
    if statement.assertion.conflict or actual not in (ACTIVE, *EXCLUDED):
        return ABSTAIN, Severity.CRITICAL, "the source does not decide it"
    inside = {c.value[0] for c in statement.chunks if c.kind == "cue"}
    classes = inside | {c.value[0] for c in statement.assertion.cues}
    words = context.text(statement.span).lower()
    written = said.startswith("start") and any("start" in _text(context, c) for c in statement.assertion.cues)
    # `to continue` is read as a length without an end.
    goes_on = any("contin" in _text(context, r.chunk) for r in statement.roles.open_durations)
    begun = said in _BEGUN and (goes_on or classes & _GOING_ON) and not ordered and not written
    starts = ordered or _STARTED.search(words) is not None
    gone_on = said.startswith("continu") and starts and not goes_on and not classes & _GOING_ON
    if actual == ACTIVE and (begun or gone_on):
        return ABSTAIN, Severity.MAJOR, "source says otherwise when it began"
    if actual == ACTIVE and ((told is not None and not inside & told) or _AGAIN.get(said, "") not in words):
        return ABSTAIN, Severity.MAJOR, "the statement tells of no such change"
    if claimed == "active" and any(r.value == "to_be_carried" and _LATER.match(_text(context, r.chunk)) for r in statement.roles.inert):
        return ABSTAIN, Severity.MAJOR, "it begins later"
    if claimed == "active":
        if actual != ACTIVE:
            return FAIL, Severity.CRITICAL, f"source says {_MEANING[actual]}"
        if read or statement.assertion.cues:
            return PASS, Severity.MAJOR, "the statement was read to its end without a contrary word"
        return ABSTAIN, Severity.MAJOR, "part of the statement could not be read"
    if actual in _AGREES[claimed] and (said != "completed" or "complet" in context.text(statement.span).lower()):
        return PASS, Severity.MAJOR, f"source says {_MEANING[actual]}"
    if {actual, claimed} <= _ENDED or (said == "completed" and actual in _ENDED):
        # Stopped, past, not taken and to be avoided are not one another, and none of them is an order.
        return ABSTAIN, Severity.MAJOR, f"source says {_MEANING[actual]}"
    if actual == ACTIVE and not statement.readable:
        return ABSTAIN, Severity.CRITICAL, "part of the statement could not be read"
    return FAIL, Severity.CRITICAL, f"source says {'it is an active order' if actual == ACTIVE else _MEANING[actual]}"


def persons(context: Context, item: Item) -> list[Finding]:
    """P23: more than one prescription or person on the sheet; nothing says whose an item is."""
    reading = context.reading
    several = reading.prescriptions > 1 or reading.patients > 1 or bool(reading.several_persons)
    if not several or context.statement_of(item) is None:
        return []
    statement = context.statement_of(item)
    assert statement is not None
    spans = tuple(Span(c.start, c.end) for c in reading.several_persons) or (statement.span,)
    evidence = Evidence(
        kind="source", source_spans=spans, matched_text=" … ".join(context.text(s) for s in spans), rule_id="assertion.several_persons"
    )
    return [
        rule_finding(
            "assertion.several_persons",
            item.path,
            ABSTAIN,
            Severity.CRITICAL,
            "The sheet holds more than one prescription or names another person; whose this is, is not certain.",
            (evidence,),
        )
    ]


CHECKS: tuple[Check, ...] = (
    Check(
        id="assertion.active",
        scope="item",
        run=active,
        emits=(*_CHECK_ID.values(), "assertion.cue_conflict", "assertion.undecided", "assertion.addresses_a_model"),
        what="An item is an active order unless it says otherwise; its statement must say no less.",
        why="Stopped, held, allergic, past, family and planned medicines are extracted as orders.",
        example="source `STOP Amlong 5 mg`, item Amlong: FAIL.",
    ),
    Check(
        id="assertion.status",
        scope="claim",
        fields=frozenset({"status"}),
        run=status_claim,
        emits=("assertion.status",),
        what="Compares a claimed status with the statement's.",
        why="A held medicine marked active.",
        example="source `on hold`, claim `active`: FAIL.",
    ),
    Check(
        id="assertion.several_persons",
        scope="item",
        run=persons,
        emits=("assertion.several_persons",),
        what="One sheet, one person, one prescription.",
        why="Two people on one paper share a record.",
        example="two Rx blocks: ABSTAIN.",
    ),
)
