"""The checks of `frequency`, `duration` and `as_needed`."""

from __future__ import annotations

from dataclasses import replace

from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.claimed import unreadable_claim
from medfence_guard.checks.grounding.components.others import said_besides
from medfence_guard.checks.grounding.firmness import claim_findings
from medfence_guard.checks.grounding.ownership import of_a_statement
from medfence_guard.checks.grounding.stated import held_if_parted, setting_for
from medfence_guard.compare import (
    ABSTAIN,
    PASS,
    Judgement,
    compare_duration,
    compare_frequency,
    compare_prn,
    compare_prn_flag,
    slots_spelt_out,
)
from medfence_guard.contract import Finding, Severity, Span
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.roles.record import Roles
from medfence_guard.reader.statement import Statement
from medfence_guard.reader.text import fold


@of_a_statement("grounding.frequency")
def frequency_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`frequency`: count, interval, slots, days and as-needed, as canonical timing."""
    roles = context.roles_of(claim)
    setting = setting_for(context, item, statement)
    same_words = None if roles.has_timing else _same_rate(context, claim, statement)
    most = None if roles.has_timing else _same_maximum(context, claim, statement)
    if most is not None:
        # `up to four times a day if breathless`: that it is taken when needed has to be carried too.
        return claim_findings(context, claim, [most, *compare_prn(setting, statement.roles, bool(roles.prn))], "grounding.frequency")
    if same_words is not None:
        return claim_findings(context, claim, [same_words], "grounding.frequency")
    judgements = unreadable_claim(roles) or compare_frequency(setting, roles)
    if slots_spelt_out(statement.roles, roles) is not None:
        # `1 morning, 1 night` for `1-0-1`: the counts are those of the slots, and compared with them.
        roles = replace(roles, doses=[], numbers=[])
    judgements = list(judgements)
    # `{"value": 2, "unit": "day"}`: a length of time alone is no frequency, and says nothing of the duration either.
    misplaced = () if roles.has_timing else ("durations",)
    judgements.extend(
        said_besides(
            context,
            setting,
            item,
            claim,
            roles,
            beside=("rates", "slots", "prn", "weekdays", "stat", "as_directed", "ambiguous", "day_parts", *misplaced),
        )
    )
    if not judgements:
        judgements = [Judgement(ABSTAIN, "claim.nothing_read", "nothing in the claim could be checked", severity=Severity.MAJOR)]
    return claim_findings(context, claim, held_if_parted(context, item, statement, judgements), "grounding.frequency")


def _same_rate(context: Context, claim: Claim, statement: Statement) -> Judgement | None:
    """`1 time`, read as a rate before its duration only, claimed in the same words where the order has no other timing."""
    stated = statement.roles
    if len(stated.rates) != 1 or stated.slots or stated.weekdays or stated.prn or stated.stat or stated.unsupported or stated.ambiguous:
        return None
    chunk = stated.rates[0].chunk
    if not _is_same_text(context, claim, chunk):
        return None
    return Judgement(PASS, "frequency.equal", "source says the same", (chunk,))


def _same_maximum(context: Context, claim: Claim, statement: Statement) -> Judgement | None:
    """`up to four times a day`, claimed in the same words of an order as needed that has no other timing."""
    stated = statement.roles
    if len(stated.maxima) != 1 or stated.rates or stated.slots or stated.weekdays or stated.stat or stated.unsupported or stated.ambiguous:
        return None
    chunk = stated.maxima[0].chunk
    if not stated.prn or not _is_same_text(context, claim, chunk):
        return None
    return Judgement(PASS, "frequency.equal", "source says the same", (chunk,))


@of_a_statement("grounding.duration")
def duration_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`duration`: weeks and days convert exactly, months and days never."""
    roles = _without_going_on(context.roles_of(claim))
    setting = setting_for(context, item, statement)
    same_end = _goes_on(context, roles, statement) or _same_end(context, claim, statement)
    if same_end is not None:
        return claim_findings(context, claim, [same_end], "grounding.duration")
    judgements = unreadable_claim(roles) or compare_duration(setting, roles)
    bare = () if roles.durations else ("numbers",)
    judgements = [*judgements, *said_besides(context, setting, item, claim, roles, beside=("durations", *bare))]
    return claim_findings(context, claim, judgements, "grounding.duration")


_CONTINUE = ("continue", "before")
_OF_GOING_ON = frozenset({"cues", "open_durations"})


def _without_going_on(roles: Roles) -> Roles:
    """`continue till review` is `till review`."""
    ends = any(r.value != "continue" for r in roles.open_durations)
    if ends and not roles.durations and roles.cues and all(r.value == _CONTINUE for r in roles.cues):
        return replace(roles, cues=[])
    return roles


def _goes_on(context: Context, roles: Roles, statement: Statement) -> Judgement | None:
    """The claim `continue`: a length without an end, where that word stands behind an order that has no other."""
    told = [r for r in roles.cues if r.value == _CONTINUE] or [r for r in roles.open_durations if r.value == "continue"]
    source = statement.roles
    if (
        not told
        or len(roles.cues) + len(roles.open_durations) != 1
        or not roles.kinds() <= _OF_GOING_ON
        or source.durations
        or source.open_durations
    ):
        return None
    goes_on = [c for c in (*statement.beside, *statement.chunks) if c.kind == "cue" and c.value[0] == "continue"]
    behind = [r.chunk for r in source.cues if fold(context.text(Span(r.chunk.start, r.chunk.end))).text.lstrip("- ") == "continue"]
    if len(goes_on) == 1 and behind == goes_on and _is_behind(statement, behind[0]) and not source.unsupported:
        return Judgement(PASS, "duration.equal", "source says the same", (behind[0],))
    if goes_on:
        says = "source says to continue it, not that it has no end"
        return Judgement(ABSTAIN, "duration.other_end", says, tuple(goes_on), severity=Severity.MAJOR)
    return None


def _is_behind(statement: Statement, chunk: Chunk) -> bool:
    """Whether a word stands behind the order, in the same sentence."""
    name = statement.roles.name
    before = [c for c in statement.chunks if c.end <= chunk.start]
    return name is not None and chunk.start > name.end and bool(before) and before[-1].value != "."


_ENDS = frozenset({"till", "until", "upto", "up"})


def _same_end(context: Context, claim: Claim, statement: Statement) -> Judgement | None:
    """`till 1 year of age`: an end that is no number of days, claimed in the same words where the order has no other."""
    if statement.roles.durations or statement.roles.open_durations or claim.text.lower().split(" ")[0] not in _ENDS:
        return None
    for role in statement.roles.inert:
        if role.value == "to_be_carried" and _is_same_text(context, claim, role.chunk):
            return Judgement(PASS, "duration.equal", "source says the same", (role.chunk,))
    return None


def _is_same_text(context: Context, claim: Claim, chunk: Chunk) -> bool:
    """Whether a claim is a chunk of the source letter by letter, but for case and spaces: a sign or a letter of another alphabet is not."""
    source = context.text(Span(chunk.start, chunk.end))
    return claim.text.isascii() and claim.text.lower().split() == source.lower().split()


@of_a_statement("grounding.as_needed")
def as_needed_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`as_needed`: true needs a word for it, false a statement read to its end without one."""
    setting = setting_for(context, item, statement)
    claimed = claim.boolean
    rest: list[Judgement] = []
    if claimed is None:
        roles = context.roles_of(claim)
        text = claim.text.strip().lower()
        if roles.prn:
            timed = roles.rates or roles.slots or roles.stat or roles.weekdays or roles.as_directed
            rest = said_besides(context, setting, item, claim, roles, beside=("prn",) if timed else ("prn", "rates"))
            rest.extend(unreadable_claim(roles))
        if roles.prn or text in ("yes", "true", "y"):
            claimed = True
        elif text in ("no", "false", "n"):
            claimed = False
        else:
            return claim_findings(
                context,
                claim,
                [Judgement(ABSTAIN, "claim.unread_words", "the claim is no yes or no that can be read", severity=Severity.MAJOR)],
                "grounding.as_needed",
            )
    return claim_findings(context, claim, [*compare_prn_flag(setting, claimed), *rest], "grounding.as_needed")
