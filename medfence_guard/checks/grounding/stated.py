"""What the statement of an item holds, as the comparisons need it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from medfence_guard.bind import PART
from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.wording import words_of
from medfence_guard.compare import FAIL, Judgement, Setting, held
from medfence_guard.contract import Span
from medfence_guard.payload import Item
from medfence_guard.reader.chunks import Chunk, Quantity
from medfence_guard.reader.roles.record import Roles
from medfence_guard.reader.statement import Statement


def setting_for(context: Context, item: Item, statement: Statement) -> Setting:
    """What the comparisons of one item need; built once per item."""
    found = context.settings.get(item.index)
    if found is not None:
        return found
    whens: set[str] = set()
    weekdays: set[str] = set()
    fields: set[str] = set()
    for claim in item.acted_on:
        roles = context.roles_of(claim)
        if claim.field in ("timing", "instructions", "frequency", "dosage", "dose"):
            whens |= {w.value[0] for w in roles.whens}
            for r in roles.weekdays:
                weekdays |= r.value
            if roles.prn:
                fields.add("prn")
        if claim.field == "frequency" and (roles.rates or roles.slots):
            fields.add("frequency")
        if roles.open_durations:
            fields.add("open_duration")
        if roles.doses:
            fields.add("dose")
        if claim.field == "dose":
            fields.add("dose")
        if claim.field == "as_needed" and (claim.boolean or roles.prn):
            fields.add("prn")
        if claim.field == "as_needed_for" and is_needed_if(statement.roles):
            fields.add("prn")
    insulin = _insulin(context, statement)
    part = context.binding.relation.get(item.index) == PART
    made = Setting(
        context.rulepack.lexicon,
        context.source.modality,
        statement,
        {"whens": frozenset(whens), "weekdays": frozenset(weekdays), "fields": frozenset(fields)},
        insulin,
        part,
    )
    context.settings[item.index] = made
    return made


def is_needed_if(roles: Roles) -> bool:
    """`every 6 hours if fever`: the need is said by its reason alone, so a claim of the reason carries it."""
    return bool(roles.prn) and all(r.chunk.kind == "cue" for r in roles.prn)


def _insulin(context: Context, statement: Statement) -> bool:
    entry = statement.name.entry or statement.name.stem
    return entry is not None and all(any(m in context.rulepack.bundle.insulins for m in c) for c in entry.compositions)


def family_of(context: Context, statement: Statement) -> str | None:
    """The form family the statement names, if it names exactly one."""
    lexicon = context.rulepack.lexicon
    families = {lexicon.form_family.get(r.value) for r in statement.roles.forms}
    families.discard(None)
    if len(families) == 1:
        found = next(iter(families))
        return None if found in ("drops", "spray") else found
    return None


def releases_of(statement: Statement) -> tuple[str, ...]:
    """Every release a statement names, in its name or behind it, in order and without repeats."""
    return tuple(dict.fromkeys([*statement.name.release, *(r.value[0] for r in statement.roles.releases)]))


def releases_within(context: Context, statement: Statement) -> tuple[str, ...]:
    """The release words that are part of the brand's own name: `XL` of `Met XL`."""
    entry = statement.name.entry
    if entry is None or not entry.brand:
        return ()
    known = context.rulepack.lexicon.release_family
    return tuple(w for w in words_of(context.text(Span(statement.name.start, statement.name.end))) if w in known)


def name_chunks(context: Context, statement: Statement) -> tuple[Chunk, ...]:
    """The name of a statement as evidence, for what rests on the medicine and not on a word of its own."""
    name = statement.name
    return (Chunk("name", name.key, name.start, name.end, 0, 0),)


def is_told_again(statement: Statement) -> bool:
    """`on A and B`, `continue A and B`: the cue of a list is that of each of its names."""
    led = statement.inherited is not None and statement.inherited.kind == "cue" and statement.inherited.value[0] in ("taking", "continue")
    return led or statement.section == "current" or any(r.value[0] in ("taking", "continue") for r in statement.roles.cues)


# A form written in letters that are also something else -> the form that they are where the source has them before the name.
_LETTERS = {"c": "capsule", "inh": "inhaler"}


def form_in_letters(context: Context, claimed: str, statement: Statement) -> tuple[str, Chunk] | None:
    """`C`, `Inh` of a claim, where these letters lead up to the name in the source (`C Omez 20`): the form they are, and where."""
    letters = " ".join(words_of(claimed))
    lead = [c for c in statement.chunks if c.end <= statement.name.start and c.kind in ("form", "route")]
    if (
        letters not in _LETTERS
        or len(lead) != 1
        or any(r.chunk is not lead[0] for r in statement.roles.forms)
        or not (claimed.isascii() and claimed.strip(" .").isalpha())
    ):
        return None
    before = lead[0]
    between = context.source.text[before.end : statement.name.start]
    if between.strip(" .") or words_of(context.text(Span(before.start, before.end))) != [letters]:
        return None
    return _LETTERS[letters], before


def parted_per_day(context: Context, item: Item, statement: Statement) -> bool:
    """`40 mg per day`, carried as 40 mg and daily: all of it is said, but whether it is taken at once is not.

    It is so only where the statement writes one amount, of one day, and no other time, and the frequency claims once a day.
    """
    stated = statement.roles
    amounts = [r.value for r in (*stated.strengths, *stated.doses) if isinstance(r.value, Quantity) and r.value.units[0] is not None]
    if len(amounts) != 1 or amounts[0].per != ((Fraction(1), "d"),) or stated.rates or stated.slots or stated.weekdays or stated.residue:
        return False
    told = [context.roles_of(c) for c in item.claims if c.field == "frequency"]
    rates = [r.value for roles in told for r in roles.rates]
    once = [r for r in rates if r.low == r.high == r.period == r.period_high == 1 and r.unit == "d"]
    return len(told) == 1 and len(rates) == len(once) == 1 and not (told[0].slots or told[0].weekdays or told[0].residue)


def held_if_parted(context: Context, item: Item, statement: Statement, judgements: Iterable[Judgement]) -> list[Judgement]:
    """The judgements of an amount or a frequency, with what is only parted held instead of refuted."""
    judgements = list(judgements)
    if statement.roles.residue:
        # `40 mg a day`: what is not read may be the denominator.
        says = "; part of the statement could not be read, so it may be there"
        return [
            held(j.rule, j.says + says, j.chunks) if j.verdict is FAIL and j.rule == "unit.denominator_added" else j for j in judgements
        ]
    if not any(j.verdict is FAIL and j.rule in _PARTED for j in judgements) or not parted_per_day(context, item, statement):
        return judgements
    return [
        held(j.rule, f"{j.says}; an amount of a day is carried in two fields", j.chunks) if j.verdict is FAIL and j.rule in _PARTED else j
        for j in judgements
    ]


_PARTED = frozenset({"unit.denominator_dropped", "timing.component_invented"})
