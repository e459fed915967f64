"""How often, when and for how long, and what of it is said of a complaint, a test or an advice instead."""

from __future__ import annotations

from fractions import Fraction

from medfence_guard.reader.beside import is_advice
from medfence_guard.reader.lexicon import Rate
from medfence_guard.reader.roles.context import Context
from medfence_guard.reader.roles.manner import is_swallowed
from medfence_guard.reader.roles.record import DAY_PARTS, Role

# Words of the open durations that say how, and not how long, beside a number of days.
_NO_END = frozenset({"regularly"})
# What stands behind an advice, a test or a complaint and may be said of that.
SAID_OF_OTHERS = frozenset({"rate", "slots", "when", "weekday", "duration", "site"})
# What is said right behind one of these is said of the medicine.
_OF_THE_ORDER = frozenset({"amount", "drug", "form", "rate", "slots", "duration"})
_LINKING = frozenset({"of", "since", "from", "the", "on", "in"})
# Complaints of the night: `for sleep at night` is when it is taken.
_OF_THE_NIGHT = frozenset({"sleep", "insomnia", "sleeplessness"})
# Advice that holds behind each dose, or each day.
_DONE_ALWAYS = frozenset({"posture_after_dose", "storage", "advice_avoid", "inhaler_care"})
_OF_THE_BODY = frozenset("massage gargle gargles gargling rinse wash soak bathe foment".split())
_ONE_WORD = frozenset(
    "daily weekly monthly everyday nightly morning mornings night nights evening evenings noon afternoon afternoons bedtime".split()
)


def _in_words(text: str) -> bool:
    """A time told in words, as a complaint is told too (`at night`, `daily`); `TDS`, `HS` and `1-0-1` are an order's."""
    return " " in text.strip(" .") or text in _ONE_WORD


def read_rate(at: Context, place: int) -> int:
    """`BD-TDS`, `BD to TDS`: a range of frequencies; otherwise one rate."""
    chunks, roles = at.chunks, at.roles
    chunk = chunks[place]
    rate: Rate = chunk.value
    if place + 2 < len(chunks) and chunks[place + 2].kind == "rate" and chunks[place + 1].value in ("-", "/", "to"):
        upper: Rate = chunks[place + 2].value
        if (rate.period, rate.unit) == (upper.period, upper.unit) and upper.low > rate.low:
            joined = chunk._replace(end=chunks[place + 2].end, last=chunks[place + 2].last)
            roles.rates.append(Role(rate._replace(high=upper.high), joined))
            return place + 3
    roles.rates.append(Role(rate, chunk))
    return place + 1


_BOUNDS = frozenset({"<", ">", "=", "~", "≤", "≥", "+", "min", "minimum", "max", "maximum", "within", "under", "over", "than"})


def read_when(at: Context, place: int) -> int:
    """A meal or a time of day. `< 30 min before food`: an interval with a bound that its phrase does not hold is not read."""
    chunk = at.chunks[place]
    before = at.surface(at.chunks[place - 1]) if place else ""
    bounded = chunk.value[1] is not None and before in _BOUNDS
    if bounded:
        at.roles.unsupported.append(Role("a bound of the interval", chunk))
        return place + 1
    if _is_a_further_time(at, place):
        at.roles.unsupported.append(Role("a further time", chunk))
    at.roles.whens.append(Role(chunk.value, chunk))
    return place + 1


# Of a meal in general: `OD and before food` says when that dose is taken.
_OF_ANY_MEAL = frozenset({"AC", "PC", "C", "EMPTY"})
_SAYS_HOW_OFTEN = frozenset({"rate", "slots", "prn", "stat"})


def _sort_of_time(code: str) -> str:
    if code in _OF_ANY_MEAL:
        return "any meal"
    return "part of the day" if code in DAY_PARTS else "hour" if ":" in code else "meal"


def _is_a_further_time(at: Context, place: int) -> bool:
    """`OD and at night`, `ac & hs`: joined to what says how often, or to a time of another sort, it is a dose more."""
    here = place - 1
    while here > 0 and at.surface(at.chunks[here]) in at.lexicon.clauses.before_a_time:
        here -= 1
    if here < 1 or at.surface(at.chunks[here]) not in at.lexicon.clauses.joints:
        return False
    here -= here > 1 and at.chunks[here - 1].value == ","
    code, before = at.chunks[place].value[0], at.chunks[here - 1]
    if before.kind != "when":
        return code not in _OF_ANY_MEAL and before.kind in _SAYS_HOW_OFTEN
    # `BD after breakfast and after dinner` says when each of the two is taken.
    often = at.roles.rates or at.roles.slots
    once = len(at.roles.rates) == 1 and at.roles.rates[0].value.high == 1 and not at.roles.slots
    another = _sort_of_time(code) != _sort_of_time(before.value[0])
    return once or (not often and another)


def read_weekday(at: Context, place: int) -> int:
    chunk = at.chunks[place]
    at.roles.weekdays.append(Role(chunk.value, chunk))
    if "weekly" in chunk.notes:
        at.roles.rates.append(Role(Rate(Fraction(1), Fraction(1), Fraction(1), Fraction(1), "wk"), chunk))
    return place + 1


def read_duration(at: Context, place: int) -> int:
    chunks, roles = at.chunks, at.roles
    chunk = chunks[place]
    after = chunks[place + 1] if place + 1 < len(chunks) else None
    headed = after is not None and after.value == ":" and place + 2 < len(chunks) and chunks[place + 2].kind == "number"
    if _is_period(at, place):
        roles.unsupported.append(Role("a period", chunk))
    elif headed or (after is not None and after.kind == "number" and chunk.value[0] in (0, 1)):
        # `Night: 0  Days: 30`: the unit is the label of the next number.
        roles.residue.append(Role(at.surface(chunk), chunk))
    else:
        roles.durations.append(Role(chunk.value, chunk))
    return place + 1


def read_open_duration(at: Context, place: int) -> int:
    chunk = at.chunks[place]
    target = at.roles.inert if at.surface(chunk) in _NO_END else at.roles.open_durations
    target.append(Role(chunk.value, chunk))
    return place + 1


def _is_period(at: Context, place: int) -> bool:
    """`6 tablets a week`, `OD per 7 days`: how often, not how long; in a value that holds nothing else, how long."""
    chunks = at.chunks
    text = at.surface(chunks[place])
    before = chunks[place - 1] if place else None
    if before is None:
        return False
    if before.value in ("each", "per", "every", "in", "at", "@", "by", "within"):
        # `at 48 hours`: from when on, or the day of a visit.
        return True
    if before.value == "/":
        # Not where slashes separate the parts: `500 mg / BD / 7 days`.
        low, high, _ = chunks[place].value
        return high is None and low in (1, 7, 15, 30) and not any(c.value == "/" for c in chunks[max(0, place - 3) : place - 1])
    once = chunks[place].value[:2] == (1, None) and chunks[place].value[2] in ("wk", "mo")
    if once and text.startswith("a "):
        return str(before.value) != "x"
    # `6 tablets one week`: without a frequency it may be either.
    counted = before.kind == "amount" and (before.value.units[0] or "").startswith("{")
    timed = any(c.kind in ("rate", "slots", "prn", "when") for c in chunks)
    return once and counted and not timed and not text.startswith(("x", "for"))


def is_beside(at: Context, place: int) -> bool:
    """`check sugar BD`, `fever x 5 days`, `pain right knee`: a time or place said of an advice, a test or a complaint."""
    chunks, roles, surface = at.chunks, at.roles, at.surface
    chunk = chunks[place]
    left = place - 1
    if left >= 0 and not roles.beside and chunks[left].kind in _OF_THE_ORDER:
        return False
    linked = False
    said = {r.chunk for r in roles.beside if r.chunk.kind != "site"}
    while left >= 0 and (surface(chunks[left]) in _LINKING or chunks[left] in said):
        linked = linked or surface(chunks[left]) in ("of", "since", "from")
        left -= 1
    if left < 0:
        return False
    before = chunks[left]
    worded = _in_words(surface(chunk))
    after = chunks[place + 1] if place + 1 < len(chunks) else None
    if before.kind == "verb" and surface(before) in _OF_THE_BODY and is_swallowed(at):
        # `massage BD` is done to a limb, not with a tablet.
        return True
    if is_advice(before):
        if before.value in _DONE_ALWAYS and chunk.kind in ("rate", "weekday", "slots"):
            # `stay upright for 30 minutes weekly`: behind each dose, so what is weekly is the dose.
            return False
        return chunk.kind != "site" or is_swallowed(at)
    if before.kind == "mark" and before.value in (",", "+", "&") and worded and chunk.kind == "rate" and after is not None:
        # `5 mg, daily walk`
        return is_advice(after)
    if before.kind != "indication" or roles.name is None:
        return False
    first = left
    while first > 0 and (chunks[first].kind == "indication" or chunks[first].value in (",", "/", "&", "joiners")):
        first -= 1
    reason = chunks[first].kind in ("indication_part", "prn", "cue") or surface(chunks[first]) in ("for", "if", "to")
    if chunk.kind == "site":
        return is_swallowed(at)
    if chunk.kind == "duration":
        return linked or not reason
    if not worded or roles.prn or surface(before) in _OF_THE_NIGHT:
        return False
    timed = any(c.kind in ("rate", "slots", "stat", "weekday") for n, c in enumerate(chunks) if n != place)
    if chunk.kind == "when":
        return timed or not (roles.doses or roles.verbs)
    told = any(c.kind in ("duration", "when", "prn") for c in chunks[place + 1 :])
    if told and " " in surface(chunk):
        # `for pain twice daily after food x 5 days`: a whole regimen.
        return False
    # `for fever TDS`, `for pain every 6 hours`, `1 tab for pain twice daily` are the medicine's.
    return chunk.kind == "rate" and chunk.value.unit != "h" and not timed and not (roles.doses or roles.verbs)
