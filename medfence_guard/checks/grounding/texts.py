"""The checks of free text: `timing` and `instructions`, reasons, and quotations."""

from __future__ import annotations

import re

from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.claimed import KEY_CONTRADICTS, UNREAD_WORDS, is_cut_short, unreadable_claim
from medfence_guard.checks.grounding.components.limits import limit_of_the_reason, reason_of_the_limit
from medfence_guard.checks.grounding.components.others import other_components
from medfence_guard.checks.grounding.components.reasons import judge_reasons
from medfence_guard.checks.grounding.firmness import claim_findings
from medfence_guard.checks.grounding.ownership import of_a_statement
from medfence_guard.checks.grounding.stated import setting_for
from medfence_guard.checks.grounding.wording import MEANT, READ_AS_VALUES, by_meaning, chunks_holding, statement_words, words_of
from medfence_guard.compare import (
    ABSTAIN,
    FAIL,
    PASS,
    Judgement,
    Setting,
    added,
    compare_spelt_out,
    form_units,
    slots_spelt_out,
)
from medfence_guard.contract import Finding, Severity, Span
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.assertion import ACTIVE
from medfence_guard.reader.chunks import Chunk, Quantity
from medfence_guard.reader.roles.record import Roles
from medfence_guard.reader.statement import Statement
from medfence_guard.reader.text import fold

# A key that says when, and how the codes of what it may hold begin (FHIR: AC before, PC after, C with a meal).
_KEY_SAYS_WHEN = {"before_food": "AC", "after_food": "PC", "with_food": "C", "with_meal": "C", "with_meals": "C"}


@of_a_statement("grounding.text")
def timing_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`timing` and `instructions`: meals, times of day, advice. Every part must stand in the statement."""
    roles = context.roles_of(claim)
    if (item.index, claim.field, claim.text) in statement.quoting:
        behind = tuple(Chunk("word", "", span.start, span.end, 0, 0) for span in statement.quoted_behind)
        quoted = Judgement(PASS, "text.verbatim", "source has the same words", (*statement.quoted, *behind))
        return claim_findings(context, claim, [quoted], "grounding.text")
    said = _said_by_a_verb(context, claim, roles, statement) if claim.field == "instructions" else None
    if said is not None:
        return claim_findings(context, claim, [said], "grounding.text")
    setting = setting_for(context, item, statement)
    judgements = unreadable_claim(roles)
    if is_cut_short(claim, roles) or _has_another_sign(context, claim, statement):
        judgements.append(UNREAD_WORDS)
    prefix = _KEY_SAYS_WHEN.get(claim.key.lower().replace(" ", "_").replace("-", "_"))
    if prefix is not None and any(not w.value[0].startswith(prefix) for w in roles.whens):
        judgements.append(KEY_CONTRADICTS)
    if prefix is not None and not roles.whens and not any(w.value[0].startswith(prefix) for w in statement.roles.whens):
        # `after_food: "daily"`: the key names the meal, whatever its value says.
        judgements.append(added(setting, "timing.component_invented", "the statement states no such time or meal"))
    judgements.extend(_free_words(context, setting, claim, roles))
    judgements.extend(_numbers(context, setting, claim, roles))
    if claim.field == "timing" and not (roles.has_timing or roles.whens) and any(getattr(roles, kind) for kind in _NO_TIMES):
        judgements.append(Judgement(ABSTAIN, "schema.role", "what stands there is no time", severity=Severity.MAJOR))
    weekdays_only = roles.weekdays and not (roles.rates or roles.slots or roles.prn or roles.stat or roles.as_directed)
    if weekdays_only:
        stated = frozenset().union(*(r.value for r in statement.roles.weekdays)) if statement.roles.weekdays else frozenset()
        claimed = frozenset().union(*(r.value for r in roles.weekdays))
        where = tuple(r.chunk for r in statement.roles.weekdays)
        judgements.append(
            Judgement(PASS, "timing.equal", "source names the same days", where)
            if claimed == stated and where
            else added(setting, "timing.day_invented", "source names other days or none", where)
        )
    judgements.extend(other_components(context, setting, item, claim, roles, beside=("rates",) if weekdays_only else ()))
    timed = {code for _, codes in statement.roles.doses_timed for code in codes}
    named = {w.value[0] for w in roles.whens}
    if claim.field == "timing" and timed - named and named & timed and not roles.doses:
        # `16 U before breakfast and 10 U before dinner`, with `before dinner` as the timing of it all.
        where = tuple(w.chunk for w in statement.roles.whens)
        judgements.append(
            Judgement(ABSTAIN, "timing.one_of_several", "source names another time or meal as well", where, severity=Severity.MAJOR)
        )
    if not judgements:
        judgements = [Judgement(ABSTAIN, "claim.nothing_read", "nothing in the claim could be checked", severity=Severity.MAJOR)]
    return claim_findings(context, claim, judgements, "grounding.text")


_CHANGES = frozenset({"continue", "increase", "decrease"})


def _said_by_a_verb(context: Context, claim: Claim, roles: Roles, statement: Statement) -> Judgement | None:
    """`apply`, `rinse`, `Continue`, `increased`: how it is taken or what becomes of it, told by a verb alone, as the source does."""
    if not (roles.verbs or roles.cues) or any(r.value[0] not in _CHANGES for r in roles.cues):
        return None
    words = words_of(claim.text)
    told = {w for r in (*roles.verbs, *roles.cues) for w in words_of(claim.text[r.chunk.start : r.chunk.end])}
    if not told.issuperset(words) or (roles.cues and statement.assertion.status != ACTIVE) or _negation_moved(context, statement, claim):
        return None
    chunks = [c for c in (*statement.beside, *statement.chunks) if c.kind in ("verb", "cue")]
    held = tuple(c for c in chunks if not told.isdisjoint(words_of(context.text(Span(c.start, c.end)))))
    source = {w for c in held for w in words_of(context.text(Span(c.start, c.end)))}
    return Judgement(PASS, "text.verbatim", "source has the same words", held) if told <= source else None


_NO_TIMES = ("strengths", "doses", "durations", "quantities", "maxima", "refills")


def _numbers(context: Context, setting: Setting, claim: Claim, roles: Roles) -> list[Judgement]:
    """A number that counts nothing (`take 15`) says something the source does not, though its digits stand there."""
    told = fold(claim.text).text
    stated = context.text(setting.statement.span).casefold()
    ambiguous = (re.escape(told[r.chunk.start : r.chunk.end]) for r in roles.ambiguous)
    if not all(re.search(rf"(?<![\w./-]){one}(?![\w/-])", stated) for one in ambiguous):
        # `2--1` and `0-1` for `1-0-1`: of two readings, and not the source's.
        return [UNREAD_WORDS]
    name = setting.statement.name
    before = set(words_of(context.text(Span(name.start, name.end))))
    bare = []
    for role in roles.numbers:
        words = words_of(told[: role.chunk.start])
        labelled = isinstance(role.value, Quantity) and role.value.parts == name.label
        if not (labelled and words and words[-1] in before):
            # The number of the name itself is one with its name: `Dolo 650 at night`.
            bare.append(role)
    if not bare:
        return []
    spelt = slots_spelt_out(setting.statement.roles, roles)
    if spelt is not None:
        return compare_spelt_out(setting, setting.statement.roles.slots[0], spelt, form_units(setting))
    return [UNREAD_WORDS]


_CLAUSE = re.compile(r"[,.;:()\n]|\band\b|\bbut\b")


def _negation_moved(context: Context, statement: Statement, claim: Claim) -> bool:
    """`do not crush`, carried as `crush`: each clause of a claim must find a clause of the source that negates as it does."""
    listed = context.rulepack.lexicon.claims
    text = fold(claim.text).text
    pieces = sorted({(c.start, c.end) for c in statement.chunks})
    source = fold(context.source.text[pieces[0][0] : pieces[-1][1]]).text
    stated = [frozenset(_plain_words(part)) for part in _CLAUSE.split(source)]
    if not any(words & listed.negations for words in stated) and not listed.negations & frozenset(_plain_words(text)):
        return False
    for part in _CLAUSE.split(text):
        words = frozenset(_plain_words(part))
        said = words - listed.negations - listed.auxiliaries
        holding = [s for s in stated if said <= s]
        if said and words & listed.negations and not any(s & listed.negations for s in holding):
            return True
        if said and holding and not any((s & listed.negations) == (words & listed.negations) for s in holding):
            return True
    return False


def _plain_words(text: str) -> list[str]:
    return re.findall(r"[a-z']+", text)


# Signs that part words or join them; every other says something: `~~before bath~~`, `fever >`.
_SIGN = re.compile(r"[<>=≤≥](?!\s*\d)|[^\w\s.,;:()\[\]{}'\"/|&•!<>=≤≥°-]")
_BOUND = re.compile(r"(?:^|[,;(])\s*[<>≤≥]\s*=?\s*\d")
_BOUNDING = frozenset("above below over under more less than least most greater exceeds max maximum min minimum upto".split())
_CROSSED = re.compile(r"(?:^|[^\w])x[^\w]*$")


def _has_another_sign(context: Context, claim: Claim, statement: Statement) -> bool:
    """Whether a free text has a sign, or a cross at its end, that its statement has not."""
    told = fold(claim.text).text
    signs = set(_SIGN.findall(told))
    crossed = _CROSSED.search(told) is not None
    bounded = _BOUND.search(told) is not None
    if not signs and not crossed and not bounded:
        return False
    stated = fold(context.text(statement.span)).text
    if bounded and re.search(r"[<>≤≥]", stated) is None and _BOUNDING.isdisjoint(_plain_words(stated)):
        # `≤ 500 mg` of an order that says 500 mg
        return True
    return not signs <= set(stated) or (crossed and _CROSSED.search(stated) is None)


_COUNTED = frozenset({"amount", "duration"})
# Of these a free text is compared by value.
_VALUES = (
    *("strengths", "doses", "rates", "slots", "whens", "weekdays", "prn", "stat", "as_directed", "durations", "open_durations", "forms"),
    *("routes", "sites", "maxima", "quantities", "ambiguous", "verbs"),
)


def _free_words(context: Context, setting: Setting, claim: Claim, roles: Roles) -> list[Judgement]:
    """The inert and unknown words of a free text: verbatim in the item's own statement, or not entailed."""
    listed = setting.lexicon.claims
    free: list[str] = []
    claimed = fold(claim.text).text
    taken = sorted((r.chunk.start, r.chunk.end) for kind in _VALUES for r in getattr(roles, kind))
    place = 0
    for start, end in [*taken, (len(claimed), len(claimed))]:
        if start > place:
            part = " ".join(w for w in words_of(claimed[place:start]) if w not in listed.fillers)
            if part:
                free.append(part)
        place = max(place, end)
    if not free:
        return []
    text = statement_words(context, setting.statement)
    if _negation_moved(context, setting.statement, claim):
        return [
            added(setting, "text.negation_moved", "source forbids what the claim asks for, or the reverse", setting.statement.chunks[:1])
        ]
    # `for days`, of `for 3 days`: a unit whose number was lost is not what the source says.
    counted = frozenset(c for c in setting.statement.chunks if c.kind in _COUNTED)
    apart = statement_words(context, setting.statement, counted) if counted else text
    missing = [part for part in free if f" {part} " not in text and not all(f" {w} " in text for w in part.split())]
    missing += [part for part in free if part not in missing and not all(f" {w} " in apart for w in part.split() if not w.isdigit())]
    if not missing:
        where = chunks_holding(context, setting.statement, [word for part in free for word in part.split()])
        return [Judgement(PASS, "text.verbatim", "source has the same words", where)]
    digits = any(c.isdigit() for part in missing for c in part)
    whole = " " + " ".join(words_of(context.source.text)) + " "
    # The words of the clause beside it (`… x 5 days. Complete the course.`) may be meant for this medicine.
    beside = all(f" {word} " in whole for part in missing for word in part.split())
    # Advice of the same kind in other words (`complete the full course` for `complete the course`) is not proven invented.
    beside = beside or bool({r.value for r in roles.inert} & {r.value for r in setting.statement.roles.inert})
    # So is a meal in other words (`fasting` for `empty stomach`), where the source names one.
    beside = beside or bool(setting.statement.roles.whens and not listed.of_meals.isdisjoint(w for part in missing for w in part.split()))
    digits = digits and not beside
    proven = setting.statement.readable and not setting.misreadable and not beside
    return [
        Judgement(
            FAIL if proven or (digits and setting.statement.readable) else ABSTAIN,
            "text.not_in_statement",
            "the item's own statement does not have these words",
            setting.statement.chunks[:1],
            severity=Severity.MAJOR if not proven else Severity.CRITICAL,
        )
    ]


@of_a_statement("grounding.text")
def text_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`indication`, `as_needed_for`: the words must stand in the item's own statement."""
    setting = setting_for(context, item, statement)
    roles = context.roles_of(claim)
    if roles.unreadable or is_cut_short(claim, roles):
        return claim_findings(context, claim, unreadable_claim(roles) or [UNREAD_WORDS], "grounding.text")
    fillers = setting.lexicon.claims.reason_fillers
    wanted = [w for w in words_of(claim.text) if w not in fillers]
    kinds = ("whens", "routes") if claim.field == "site" else ("whens", "routes", "sites")
    other = words_of(context.text(Span(statement.name.start, statement.name.end)))
    other += [w for kind in kinds for r in getattr(statement.roles, kind) for w in words_of(context.text(Span(r.chunk.start, r.chunk.end)))]
    if wanted and set(wanted) <= set(other):
        # `after food` as the reason, the name as the place: words of the statement, and none that say so.
        says = "in the source these words say something else"
        role = Judgement(ABSTAIN, "schema.role", says, statement.chunks[:1], severity=Severity.MAJOR)
        return claim_findings(context, claim, [role], "grounding.text")
    # What is read as a dose or a time is no reason and no place: `OD` as a site, `1-1-1` as an indication.
    text = statement_words(
        context, statement, without=frozenset(r.chunk for kind in READ_AS_VALUES for r in getattr(statement.roles, kind))
    )
    same = context.rulepack.lexicon.same_reasons
    told = [w for w in by_meaning(words_of(claim.text), same) if w not in fillers]
    stated = [*statement.roles.prn_for, *statement.roles.indications]
    verbatim = bool(wanted) and all(f" {w} " in text for w in wanted)
    if verbatim or (told and set(told) <= set(by_meaning(text.split(), same))):
        dropped = limit_of_the_reason(context, statement, claim, wanted) or reason_of_the_limit(context, statement, claim, wanted)
        if dropped:
            where = tuple(dropped)
            return claim_findings(
                context,
                claim,
                [Judgement(ABSTAIN, "text.limit_dropped", "source also says from what value on", where, severity=Severity.MAJOR)],
                "grounding.text",
            )
        if claim.field == "as_needed_for" and not statement.roles.prn:
            says = "source gives these words as the reason of a regular order"
            role = Judgement(ABSTAIN, "timing.prn_invented", says, chunks_holding(context, statement, wanted), severity=Severity.MAJOR)
            return claim_findings(context, claim, [role], "grounding.text")
        found = Judgement(PASS, "text.verbatim", "source has the same words", chunks_holding(context, statement, wanted))
        if not verbatim:
            where = tuple(r.chunk for r in stated) or statement.chunks[-1:]
            found = Judgement(PASS, "text.same_reason", "source says the same in other words", where, note=True)
        more = [UNREAD_WORDS] if _has_another_sign(context, claim, statement) else []
        return claim_findings(context, claim, [found, *more, *judge_reasons(context, item, claim, statement)], "grounding.text")
    whole = " " + " ".join(words_of(context.source.text)) + " "
    proven = statement.readable and not setting.misreadable and not all(f" {w} " in whole for w in wanted)
    # Beside a reason the source does state, other words may say the same, unless the table knows both as different reasons.
    known = {w for w in told if w.startswith(MEANT)}
    reasons = {w for r in stated for w in by_meaning(words_of(context.text(Span(r.chunk.start, r.chunk.end))), same)}
    if reasons and not (known and known == set(told) and all(w.startswith(MEANT) for w in reasons) and not known & reasons):
        proven = False
    return claim_findings(
        context,
        claim,
        [
            Judgement(
                FAIL if proven else ABSTAIN,
                "text.not_in_statement",
                "the item's own statement does not have these words",
                statement.chunks[-1:],
            )
        ],
        "grounding.text",
    )


@of_a_statement("grounding.text")
def quote_check(context: Context, claim: Claim, item: Item, statement: Statement) -> list[Finding]:
    """`source_quote`: verbatim in the item's own statement, white space and case aside."""
    source = context.source.text
    first = source.rfind("\n", 0, statement.span.start) + 1
    last = source.find("\n", statement.span.end)
    last = last if last >= 0 else len(source)
    # What stands before and behind it on its lines may be quoted too, unless it is another medicine's.
    others = [s.span for s in context.reading.statements if s.group != statement.group]
    start = max([first, *(s.end for s in others if s.end <= statement.span.start)])
    stop = min([last, *(s.start for s in others if s.start >= statement.span.end)])
    quoted = " ".join(fold(claim.text).text.split())
    # Whole words and numbers: `50 mg` is no quotation of `650 mg`.
    found = re.compile(rf"(?<![\w.,/-]){re.escape(quoted)}(?![\w])(?![.,/-]\w)")
    if quoted and found.search(" ".join(fold(source[start:stop]).text.split())):
        return claim_findings(
            context, claim, [Judgement(PASS, "text.verbatim", "source has exactly that", statement.chunks[:1])], "grounding.text"
        )
    if quoted and found.search(" ".join(fold(source[first:last]).text.split())) and fold(context.text(statement.span)).text in quoted:
        says = "the quotation holds the item's own statement and that of another medicine"
        more = Judgement(ABSTAIN, "text.quote_of_several", says, statement.chunks[:1], severity=Severity.MAJOR)
        return claim_findings(context, claim, [more], "grounding.text")
    return claim_findings(
        context,
        claim,
        [Judgement(FAIL, "text.quote_not_in_statement", "the item's own statement does not have that text", statement.chunks[:1])],
        "grounding.text",
    )
