"""Family C: is every source statement owned exactly once, and every stated component carried?"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from medfence_guard.bundle import name_key
from medfence_guard.checks.check import INJECTABLE, Check, Context, rule_finding, source_evidence, span_evidence
from medfence_guard.checks.grounding.stated import is_needed_if, is_told_again, releases_of
from medfence_guard.checks.grounding.wording import words_of
from medfence_guard.compare import slot_parts, spelt_out
from medfence_guard.contract import Finding, Severity, Span, Verdict
from medfence_guard.payload import Item
from medfence_guard.reader.assertion import ACTIVE, EXCLUDED, MENTION, UNDECIDED
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.roles.record import DAY_PARTS
from medfence_guard.reader.statement import Statement

PASS, FAIL, ABSTAIN = Verdict.PASS, Verdict.FAIL, Verdict.ABSTAIN

# Each has a key of its own name.
_COMPONENTS = (
    "strength",
    "frequency",
    "dose",
    "duration",
    "route",
    "form",
    "timing",
    "site",
    "quantity",
    "refills",
    "as_needed",
    "max_dose",
)


class Accounting(NamedTuple):
    """How many statements the source has, how many are accounted for, and what is to be said of the others."""

    statements: int
    accounted: int
    findings: tuple[Finding, ...]


_UNLISTED = "The source refers to medicines it does not list, so no list can be called complete."
_REMARK = "The source says something of its orders here that names none of them; a person must say what it changes."


def account(context: Context) -> Accounting:
    """Every statement of the source is owned, excluded, a repeat, or reported (P10)."""
    findings: list[Finding] = []
    statements = context.reading.statements
    owned = set(context.binding.items_of)
    left = [s for s in statements if s.index not in owned]
    taken = [s for s in statements if s.index in owned] if left else []
    owned_groups = {s.group for s in taken}
    owned_keys = {s.name.key for s in taken} | {m for s in taken for m in _substances(s)}
    accounted = len(statements) - len(left)
    path = context.payload.container
    named = [name_key(c.text) for i in context.payload.items for c in i.claims if c.field == "name"] if left else []
    within: dict[str, bool] = {}
    for statement in left:
        status = statement.assertion.status
        repeat = statement.name.key in owned_keys or bool(set(_substances(statement)) & owned_keys)
        if statement.group in owned_groups:
            # A lost step is reported at the item that owns its sibling.
            accounted += 1
            continue
        # `2. If relapse. Tab X`: an unknown word behind a condition is no medicine, and the condition is of what stands beside it.
        unnamed = status == "conditional" and not statement.known
        if status in EXCLUDED and not statement.assertion.conflict and not unnamed and not _may_hide_an_order(context, statement):
            accounted += 1
            continue
        plainly = statement.bare and repeat and statement.readable and status != UNDECIDED and _is_plainly_named(context, statement)
        if plainly and _adds_nothing(statement, taken):
            accounted += 1
            continue
        if _is_repeat(statement, taken):
            accounted += 1
            continue
        evidence = span_evidence(context, statement.span, "completeness.omitted")
        ordered = status == ACTIVE and statement.known and not statement.bare and statement.readable and _is_confident(context, statement)
        key = statement.name.key
        if key not in within:
            within[key] = any(len(name) > len(key) and key in name for name in named)
        ordered = ordered and not _is_listed_behind_words(context, statement)
        if ordered and not within[key] and _is_order(statement) and not statement.injected and statement.name.entry is not None:
            findings.append(
                rule_finding(
                    "completeness.omitted",
                    path,
                    FAIL,
                    Severity.CRITICAL,
                    "The source orders this and the extraction does not have it.",
                    (evidence,),
                )
            )
        else:
            why = "advice or a bare mention" if status == MENTION or statement.bare else "not certainly an order that can be read"
            findings.append(
                rule_finding(
                    "completeness.omitted",
                    path,
                    ABSTAIN,
                    Severity.MAJOR,
                    f"The source names this and the extraction does not have it; it is {why}.",
                    (evidence,),
                )
            )
    reading = context.reading
    for check_id, spans, severity, says in (
        ("completeness.unlisted_set", [Span(c.start, c.end) for c in reading.collectives], Severity.CRITICAL, _UNLISTED),
        ("completeness.unread_remark", reading.remarks, Severity.CRITICAL, _REMARK),
        ("completeness.unread_line", reading.unread, Severity.MAJOR, "A line among the medicines could not be read."),
    ):
        findings += [rule_finding(check_id, path, ABSTAIN, severity, says, (span_evidence(context, span, check_id),)) for span in spans]
    return Accounting(len(statements), accounted, tuple(findings))


def _is_listed_behind_words(context: Context, statement: Statement) -> bool:
    """`Peri-op: Inj A 1 dose, inj B 4 mg`: without a time, and not first on its line, it may be of what was given."""
    if statement.roles.has_timing or statement.roles.whens:
        return False
    text = context.reading.folded.text
    return any(c.isalpha() for c in text[text.rfind("\n", 0, statement.span.start) + 1 : statement.span.start])


_COMPARED = ("strengths", "doses", "rates", "slots", "durations", "whens", "prn", "weekdays")


def _is_repeat(statement: Statement, owned: Sequence[Statement]) -> bool:
    """`Meds: X 50 mg OD … Plan: continue X 50 mg OD`: a note tells twice of the same order. `owned`: the statements that items own.

    The other telling stands under another heading or cue, an item owns it, and it says all that this one says; or it
    changes the dose or replaces the medicine that this one reports as taken.
    """
    if not statement.readable or statement.assertion.conflict or statement.assertion.status == UNDECIDED:
        return False
    reported = is_told_again(statement)
    for other in owned:
        if other.name.key != statement.name.key or other.group == statement.group:
            continue
        changing = any(c.kind == "cue" and c.value[0] in ("increase", "decrease", "switch_to", "switch_from") for c in other.chunks)
        if reported and changing and other.span.start > statement.span.start:
            return True
        retold = reported or is_told_again(other)
        if retold and all(
            {r.value for r in getattr(statement.roles, kind)} <= {r.value for r in getattr(other.roles, kind)} for kind in _COMPARED
        ):
            return True
    return False


_LIMITING = frozenset("weekday prn duration rate slots when unsupported then amount number person_roles".split())


_LABEL_BEFORE = re.compile(r"[a-z]+ ?[:=-] ?$")
_LONGEST_LABEL = 24


def _is_plainly_named(context: Context, statement: Statement) -> bool:
    """Whether nothing beside a name that is told again limits it: no `On dialysis days X`, `During travel X`."""
    beside = [c for c in statement.beside if c.kind != "mark"]
    remarks = context.rulepack.lexicon.remarks
    labelled = _LABEL_BEFORE.search(context.reading.folded.text, max(0, statement.name.start - _LONGEST_LABEL), statement.name.start)
    if labelled is not None and remarks.reactions.search(labelled[0]) is not None:
        # `Rash: X`
        return False
    if any(c.kind in _LIMITING for c in beside) or any(r.value == "to_be_carried" for r in statement.roles.inert):
        return False
    first = context.text(Span(beside[0].start, beside[0].end)).lower() if len(beside) > 1 else ""
    return first not in remarks.starts and first not in remarks.deciding_first


# What a name alone may still say of how it is taken.
_BESIDE_A_NAME = ("maxima", "sites", "quantities", "refills")


def _adds_nothing(statement: Statement, owned: Sequence[Statement]) -> bool:
    """Whether a bare mention (`X SR`, `X max 2 g`, `X on empty stomach`) says no more than the orders of its name."""
    names = {statement.name.key, *_substances(statement)}
    same = [o for o in owned if not names.isdisjoint((o.name.key, *_substances(o)))]
    if not {*releases_of(statement)} <= {r for o in same for r in releases_of(o)}:
        return False
    meals = {r.value for r in statement.roles.whens}
    stated = {r.value for o in same for r in o.roles.whens}
    if stated and not meals <= stated:
        return False
    if any(r.value in _ENDS for r in statement.roles.open_durations):
        return False
    return all(
        {r.value for r in getattr(statement.roles, kind)} <= {r.value for o in same for r in getattr(o.roles, kind)}
        for kind in _BESIDE_A_NAME
    )


_QUESTION_MARKS = frozenset({"?", "??", "???"})


def _may_hide_an_order(context: Context, statement: Statement) -> bool:
    """Whether what is stopped, or said under a condition, may be an order after all, or hold another.

    `x 5 days, stop, Inj Y` and `as discussed, Tab Y`: the cue may end what stands before it. `stop X, Start Zetaril`: a word that nobody
    knows may be a medicine that is given. `Tab X 40 mg OD ?`: the doubt may be of how it is written.
    """
    text, lexicon = context.reading.folded.text, context.rulepack.lexicon
    name = statement.name
    marks = {text[c.start : c.end].strip() for c in statement.assertion.cues}
    if statement.assertion.status == "hypothetical" and marks <= _QUESTION_MARKS and (statement.roles.rates or statement.roles.slots):
        return True
    if any(c.end <= name.start and _CUT_OFF.match(text, c.end) for c in statement.assertion.cues):
        return True
    if statement.assertion.status in ("stopped", "held") and any(
        c.start >= name.end and (c.kind in ("weekday", "then") or (c.kind == "cue" and c.value[0] == "conditional") or c.value in _NOT_YET)
        for c in statement.chunks
    ):
        # `Stop X from Monday`, `hold X on Sunday`, `stop X if BP low`: until then, or else, it is taken.
        return True
    if any(r.value == "to_be_carried" and r.chunk.start >= name.end for r in statement.roles.inert):
        # `Stop X, start after 2 days`
        return True
    if statement.assertion.status == "conditional" and any(
        role.chunk.end <= cue.start for role in statement.roles.residue for cue in statement.assertion.cues
    ):
        # `Admit if unable to drink, Tab Y`: the condition is of what stands before it.
        return True
    strange = {
        role.chunk
        for role in statement.roles.residue
        if role.chunk.kind == "word" and role.chunk.start > name.end and all(_is_strange(word, lexicon) for word in str(role.value).split())
    }
    ordered = sorted(statement.chunks, key=lambda c: c.start) if strange else []
    return any(
        here in strange
        and (
            before.kind in ("mark", "verb")
            or before.value == "to"
            or "\n" in text[before.end : here.start]
            or (after is not None and after.kind in _OF_AN_ORDER)
        )
        for before, here, after in itertools.zip_longest(ordered, ordered[1:], ordered[2:])
        if here is not None
    )


_NOT_YET = frozenset({"after", "from", "until", "till", "tomorrow", "once", "when", "next"})
_OF_AN_ORDER = frozenset({"number", "amount", "tuple", "rate", "slots", "form"})
_CUT_OFF = re.compile(r"[ \t]*[,;][ \t]*(?=\w)")


def _is_strange(word: str, lexicon: Lexicon) -> bool:
    return word.isalpha() and len(word) > _SHORTEST_NAME and not lexicon.knows(word)


_SHORTEST_NAME = 3


def _substances(statement: Statement) -> tuple[str, ...]:
    """What it is made of, if that is certain: `Pan L` may be anything, whatever `Pan` is (P2)."""
    entry = statement.name.entry
    if entry is None:
        return ()
    return tuple(" + ".join(c) for c in entry.compositions) if not entry.ambiguous else ()


def _value_chunks(statement: Statement) -> list[Chunk]:
    roles = statement.roles
    return [r.chunk for r in (*roles.strengths, *roles.rates, *roles.slots, *roles.doses, *roles.durations)]


def _is_confident(context: Context, statement: Statement) -> bool:
    """Whether its values were recognised well enough to call it an order (P16)."""
    return context.confidence.document_doubt is None and context.confidence.doubt_about(_value_chunks(statement)) is None


def _is_order(statement: Statement) -> bool:
    roles = statement.roles
    return bool(roles.has_timing or (roles.forms and (roles.strengths or roles.doses)) or roles.doses or statement.section == "rx")


def omitted(context: Context, _: object) -> list[Finding]:
    """What `account` has to say of statements nobody owns."""
    return list(account(context).findings)


def lost_step(context: Context, item: Item) -> list[Finding]:
    """P22: a step of an owned statement that no item owns."""
    statement = context.statement_of(item)
    if statement is None:
        return []
    siblings = [s for s in context.reading.groups[statement.group] if s.index not in context.binding.items_of]
    if not siblings:
        return _reversed_steps(context, item, statement)
    evidence = span_evidence(context, statement.span, "completeness.lost_step")
    claimed = [context.roles_of(c) for c in item.acted_on]
    told = any(r.chunk.kind == "then" for roles in claimed for r in (*roles.unsupported, *roles.residue)) or any(
        len({r.value for r in kind}) > 1 for roles in claimed for kind in (roles.rates, roles.slots, roles.durations)
    )
    certain = context.source.modality == "text" or not any(
        s.roles.residue or s.roles.unreadable or not _is_confident(context, s) for s in siblings
    )
    verdict = FAIL if certain and not told else ABSTAIN
    return [
        rule_finding(
            "completeness.lost_step",
            item.path,
            verdict,
            Severity.CRITICAL,
            "The source states more than one step; this item carries only one of them.",
            (evidence,),
        )
    ]


def _course(context: Context, statement: Statement) -> list[Statement]:
    """The steps of one course: joined by `then`, or on lines of their own, each with its duration but the last."""
    apart = [s for s in context.reading.statements if s.name.key == statement.name.key and s.assertion.status == ACTIVE]
    if len(apart) > 1 and all(s.roles.durations for s in apart[:-1]):
        return apart
    return list(context.reading.groups[statement.group])


def _reversed_steps(context: Context, item: Item, statement: Statement) -> list[Finding]:
    """A later step that stands before an earlier one: the taper becomes an increase, unless each says which it is."""

    def numbered(other: Item) -> bool:
        return any(c.field == "sequence" for c in other.claims)

    for other in context.payload.items[item.index + 1 :]:
        owned = context.statement_of(other)
        if owned is None or owned.index >= statement.index or owned not in _course(context, statement):
            continue
        if numbered(item) and numbered(other):
            continue
        evidence = span_evidence(context, statement.span, "completeness.lost_step")
        says = "The source states this step after one that the extraction has behind it."
        return [rule_finding("completeness.lost_step", item.path, ABSTAIN, Severity.CRITICAL, says, (evidence,))]
    return []


def carried(context: Context, item: Item) -> list[Finding]:
    """P15: what the source states and the payload does not carry."""
    statement = context.statement_of(item)
    if statement is None:
        return []
    claimed = {c.field for c in item.acted_on}
    out: list[Finding] = []
    stated = _stated(context, statement)
    # `Switch X to Y 10 mg HS`: what is taken no more has no part in the time behind both.
    shared = statement.shared_tail and statement.assertion.status != "stopped"
    if shared and not any(context.roles_of(c).has_timing for c in item.acted_on):
        out.append(
            rule_finding(
                "completeness.field_omitted",
                f"{item.path}.frequency",
                ABSTAIN,
                Severity.CRITICAL,
                "A frequency stands behind several names; it may be this one's too, and the item carries none.",
                (span_evidence(context, statement.span, "completeness.frequency"),),
            )
        )
    out.extend(_words_not_carried(context, item, statement))
    # `timing: "OD"` holds the key and says nothing of the meal.
    uncarried = [c for c in _COMPONENTS if stated.get(c) and (c not in claimed or c == "timing")]
    held = _held(context, item, statement) if uncarried else ()
    for component in uncarried:
        chunks = stated[component]
        if _HELD_AS.get(component) in held or _carried_elsewhere(context, item, statement, component, chunks):
            continue
        evidence = source_evidence(context, chunks, f"completeness.{component}")
        found = (evidence,) if evidence else ()
        path = f"{item.path}.{component}"
        # A number of doses ends an order more sharply than days do.
        counted = component == "duration" and any(r.value[2] == "dose" for r in statement.roles.durations)
        stepped = counted or (component == "duration" and len(_course(context, statement)) > 1)
        essential = stepped or _essential(context, item, statement, component) or component in context.rulepack.expected_fields
        keyed = component in context.payload.keys_anywhere or (component == "timing" and "instructions" in context.payload.keys_anywhere)
        if component == "max_dose":
            severity, says = Severity.CRITICAL, "The source states a maximum and the item does not carry it."
        elif keyed:
            severity, says = Severity.MAJOR, f"The source states a {component} and this item does not carry it."
        elif essential:
            severity = Severity.CRITICAL
            says = f"The source states a {component}, which is essential here, and the extraction has no such field."
        else:
            says = f"The source states a {component}; this extraction does not carry that field."
            out.append(rule_finding("completeness.not_carried", item.path, PASS, Severity.MINOR, says, found))
            continue
        out.append(rule_finding("completeness.field_omitted", path, ABSTAIN, severity, says, found))
    return out


def _held(context: Context, item: Item, statement: Statement) -> set[str]:
    """What the item's claims hold of its own order, whatever their fields. What is said of a later step is not of this one."""
    held: set[str] = set()
    # `5 mg tablets, 30 mg OM`: whoever has the 30 mg that are taken does not say of what pieces.
    taken = {r.value for r in statement.roles.doses} - {r.value for r in statement.roles.strengths}
    for claim in item.acted_on:
        if claim.field == "max_dose":
            continue
        roles = context.roles_of(claim)
        kinds = roles.kinds()
        if (item.index, claim.field, claim.text) in statement.quoting:
            kinds -= _OF_A_STEP
        if taken and {r.value for r in roles.strengths} <= taken:
            kinds -= {"strengths"}
        held |= kinds
    return held


_OF_A_STEP = frozenset({"durations", "strengths", "doses", "rates", "slots", "quantities"})


def _words_not_carried(context: Context, item: Item, statement: Statement) -> list[Finding]:
    """`during periods`, `repeat after 2 weeks`: words no field reads, which the item must hold as they stand."""
    told = [f" {_without_and(words_of(c.text))} " for c in item.claims if c.field in _FREE_FIELDS]
    out = []
    for role in statement.roles.inert:
        written = words_of(context.text(Span(role.chunk.start, role.chunk.end)))
        words = " ".join(written)
        if role.value != "to_be_carried" or any(f" {_without_and(written)} " in text for text in told):
            continue
        evidence = source_evidence(context, (role.chunk,), "completeness.words")
        says = f"The source says {words!r} of this order and the item does not hold these words."
        found = (evidence,) if evidence else ()
        out.append(rule_finding("completeness.field_omitted", f"{item.path}.instructions", ABSTAIN, Severity.CRITICAL, says, found))
    return out


def _without_and(words: Sequence[str]) -> str:
    """`before breakfast & dinner` has the words of `before breakfast and dinner`."""
    return " ".join(word for word in words if word != "and")


_FREE_FIELDS = frozenset("instructions timing frequency duration dosage as_needed_for indication".split())


def _stated(context: Context, statement: Statement) -> dict[str, list[Chunk]]:
    roles = statement.roles
    meals = [w.chunk for w in roles.whens]
    timing = [
        r.chunk
        for r in (
            *roles.rates,
            *roles.slots,
            *roles.prn,
            *roles.stat,
            *roles.weekdays,
            *roles.as_directed,
            *(a for a in roles.ambiguous if a.value[0] in ("rate", "two_numbers")),
        )
    ]
    if roles.slots:
        # `1-0-1 (morning, evening)`: the times of day only gloss the slots.
        meals = [w.chunk for w in roles.whens if w.value[0] not in DAY_PARTS]
    if not timing and roles.day_parts:
        timing, meals = [w.chunk for w in roles.day_parts], [w.chunk for w in roles.whens if w.value[0] not in DAY_PARTS]
    slotted = {r.chunk for r in roles.slots}
    stated = {component: [r.chunk for r in getattr(roles, kind)] for component, kind in _CARRIED_AS if getattr(roles, kind)}
    stated["strength"] = [r.chunk for r in roles.strengths] or [c for _, q, c in roles.composition if q is not None]
    stated["frequency"] = timing
    stated["dose"] = [d.chunk for d in roles.doses if d.chunk not in slotted]
    stated["timing"] = meals
    if not roles.durations:
        # `to continue` is an end that a payload need not have.
        stated["duration"] = [r.chunk for r in roles.open_durations if r.value in _ENDS]
    return stated


_ENDS = frozenset({"review", "advice", "discharge"})


# Components that are carried as one kind of value.
_CARRIED_AS = (
    ("duration", "durations"),
    ("route", "routes"),
    ("form", "forms"),
    ("site", "sites"),
    ("quantity", "quantities"),
    ("refills", "refills"),
    ("as_needed", "prn"),
    ("max_dose", "maxima"),
)


# A claim that holds such a value carries the component, whatever its field. But a limit in milligrams is no strength, and a limit per
# day no frequency.
_HELD_AS = {
    "strength": "strengths",
    "duration": "durations",
    "route": "routes",
    "form": "forms",
    "site": "sites",
    "quantity": "quantities",
    "max_dose": "maxima",
    "refills": "refills",
}
# What a value of another kind may carry.
_OF_A_PACK = frozenset({"max_dose", "quantity", "refills"})
_CARRIED_OTHERWISE = frozenset({"dose", "as_needed", "frequency"})


def _carried_elsewhere(context: Context, item: Item, statement: Statement, component: str, chunks: Sequence[Chunk]) -> bool:
    """A component another claim of the item holds: a strength in the name, a meal in the frequency, a dose in the schedule."""
    for claim in item.acted_on if component in _CARRIED_OTHERWISE else ():
        if claim.field in _OF_A_PACK or ((item.index, claim.field, claim.text) in statement.quoting and component in ("dose", "frequency")):
            continue
        roles = context.roles_of(claim)
        if component == "dose":
            # `2 tabs`, and the `1 tab` of a slot: the dose beside the slots is another.
            slots = {r.chunk for r in roles.slots}
            doses = {r.value for r in roles.doses if r.chunk not in slots}
            beside_slots = claim.field == "frequency" and bool(statement.roles.slots)
            if doses and (not beside_slots or {r.value for r in statement.roles.doses} <= doses):
                return True
        if component == "dose" and roles.slots and spelt_out(statement.roles) is not None:
            # `1 tab morning, 2 tabs night` is the `1-0-2` of the claim, which is compared with it.
            return True
        if component == "as_needed" and (roles.prn or (claim.field == "as_needed_for" and is_needed_if(statement.roles))):
            return True
        if (
            component == "frequency"
            and claim.field == "dosage"
            and roles.has_timing
            and not (statement.roles.rates or statement.roles.slots)
            and (roles.weekdays or not statement.roles.weekdays)
        ):
            # `on Monday` is all the frequency there is.
            return True
        if component == "frequency" and claim.field in ("timing", "instructions", "dosage", "as_needed", "dose"):
            if (
                roles.rates
                or roles.slots
                or roles.stat
                or roles.as_directed
                or (roles.day_parts and not statement.roles.rates and not statement.roles.slots)
            ):
                return True
            if (
                claim.field == "as_needed"
                and statement.roles.prn
                and not (statement.roles.rates or statement.roles.slots or statement.roles.day_parts)
            ):
                return True
    if component == "timing":
        mine = {w.value[0] for claim in item.acted_on for w in context.roles_of(claim).whens}
        # `1-0-1 (morning, night)`: the slots say it too.
        mine.update(part for claim in item.acted_on for r in context.roles_of(claim).slots for part in slot_parts(r.value[0]))
        told = set(chunks)
        stated = {w.value[0] for w in statement.roles.whens if w.chunk in told}
        return bool(stated) and stated <= mine
    return False


# Routes of a piece or a liquid that would else be swallowed.
_NOT_SWALLOWED = frozenset({"vaginal", "rectal", "sublingual", "buccal"})


def _other_route(context: Context, item: Item, statement: Statement) -> bool:
    """Whether the stated route is another than the one that the claimed form is given by: `PV` of a tablet. No form is swallowed."""
    lexicon = context.rulepack.lexicon
    forms = {r.value for c in item.acted_on for r in context.roles_of(c).forms}
    usual = {lexicon.form_route.get(form) for form in forms} or {"oral"}
    if any("{puff}" in r.value.units for c in item.acted_on for r in context.roles_of(c).doses):
        usual.add("inhaled")
    return not {r.value for r in statement.roles.routes} <= usual


def _only_the_form_says_where(context: Context, item: Item, statement: Statement) -> bool:
    """`Neb X 0.5 mg`, `X 100 mg vaginal tablet`: with the form, what keeps it from being swallowed is lost."""
    lexicon = context.rulepack.lexicon
    local = any(
        lexicon.form_route.get(r.value) in _NOT_SWALLOWED or lexicon.form_family.get(r.value) == "nebulised" for r in statement.roles.forms
    )
    return local and not any(context.roles_of(c).routes for c in item.acted_on)


def _essential(context: Context, item: Item, statement: Statement, component: str) -> bool:
    lexicon = context.rulepack.lexicon
    families = {lexicon.form_family.get(r.value) for r in statement.roles.forms}
    if component in ("strength", "frequency", "as_needed"):
        return True
    if component == "form":
        return _only_the_form_says_where(context, item, statement)
    if component == "site":
        return bool(families & {"eye", "ear"}) or any(
            lexicon.site_route.get(s.value) in ("ophthalmic", "otic") for s in statement.roles.sites
        )
    if component == "route":
        injected = "injection" in families or any(r.value in INJECTABLE for r in statement.roles.routes)
        return injected or _other_route(context, item, statement)
    if component == "dose":
        if families & {"liquid_oral", "injection", "inhaled", "nebulised", "drops", "eye", "ear", "nasal"}:
            return True
        doses = [d.value for d in statement.roles.doses]
        one = all(
            d.parts == (Fraction(1),) and d.high is None and (d.units[0] or "").startswith("{") and d.units[0] != "{unit}" for d in doses
        )
        return not one
    return False


CHECKS: tuple[Check, ...] = (
    Check(
        id="completeness.omitted",
        scope="document",
        run=omitted,
        emits=("completeness.omitted", "completeness.unlisted_set", "completeness.unread_line", "completeness.unread_remark"),
        what="Every medication statement of the source is owned, excluded, a repeat, or reported.",
        why="A dropped medicine is invisible in the extraction alone.",
        example="three orders, two items: FAIL with the third's place.",
    ),
    Check(
        id="completeness.lost_step",
        scope="item",
        run=lost_step,
        emits=("completeness.lost_step",),
        what="Every step of a stepwise order is owned.",
        why="A taper flattened to its first step is another treatment.",
        example="`5 mg OD x 1 week then 10 mg OD`, one item: FAIL.",
    ),
    Check(
        id="completeness.field_omitted",
        scope="item",
        run=carried,
        emits=("completeness.field_omitted", "completeness.not_carried"),
        what="Every stated component is carried, unless no item has its key and it is not essential.",
        why="A liquid without its dose cannot be given.",
        example="`Syp X 250 mg/5 ml 5 ml TDS` without a dose: ABSTAIN.",
    ),
)
