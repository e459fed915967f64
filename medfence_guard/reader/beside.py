"""What stands beside an order and names no medicine: does it speak of the order, and may it be an order itself?

Two questions of a clause (a line or a sentence) without a name of the bundle in it. First, whether a cue, a doubt or
an amount in it may change the order before or after it (P21): `HOLD.`, `double dose if no relief`. A clause of advice,
of a test or of a visit has an object of its own, and what it says is said of that: `Avoid NSAIDs`, `Repeat RBS after
3 days`, `Report if fever`. Second, whether it looks like an order for something that could not be read (P2, P10), so
that no absence can be proven from this page: each sign of that is one row of `ORDER_SIGNS`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from medfence_guard.reader.chunks import Chunk, Quantity, meaning_of, means
from medfence_guard.reader.lexicon import Lexicon

# Inert text that is advice of its own: what is said of its time or length is not said of the medicine.
ADVICE = frozenset({"advice_avoid", "advice_diet", "advice_care", "monitoring", "posture_after_dose", "storage", "inhaler_care"})
# What a short line begins with that goes on with the sentence above.
DANGLING = frozenset("after before until till unless when while once less more half double only except every alternate from".split())
# Words on a heading for prescriptions that take back the whole paper.
VOIDED = frozenset("cancelled canceled void invalid deleted sample specimen template draft dummy test".split())
_TIMES = ("rate", "slots", "weekday", "prn", "duration", "when")
_ALWAYS = ("prn", "weekday", "maximum", "unsupported", "then", "unreadable", "rate", "slots")
_OF_A_MEDICINE = ("cue", "amount", "rate", "slots", "number", "prn", "then", "unsupported", "medicine_class", "verb")
_DOUBT_SIGNS = ("~", "≠", "¬", "?", "↓", "↑")
_NOT_FOR_THIS = ("stopped", "allergy", "past", "family")


def is_lasting_disease(clause: Sequence[Chunk], surface: Callable[[Chunk], str], lexicon: Lexicon) -> bool:
    """`HTN x 5 yrs`, `58M, k/c/o T2DM and HTN since 2015`: who the patient is, what he has, since when, and nothing else."""
    rest = [
        c
        for c in clause
        if not (c.kind == "mark" and c.value in (",", "/", "-", "&", "+")) and not (c.kind == "heading" and c.value[1] == "reported")
    ]
    at = next((n for n, c in enumerate(rest) if c.kind == "indication"), 0)
    if at > _LONGEST_PATIENT or (at and _PATIENT.fullmatch(" ".join(map(surface, rest[:at]))) is None):
        return False
    while at < len(rest) and (surface(rest[at]) in lexicon.long_standing or surface(rest[at]) in ("and", "known")):
        at += 1
    if not any(surface(c) in lexicon.long_standing for c in rest[:at]):
        return False
    since = at < len(rest) and surface(rest[at]) == "since"
    when = rest[at + since] if at + since < len(rest) else None
    if when is not None and (when.kind == "duration" or (since and when.kind == "number" and _is_year(when.value))):
        at += since + 1
    return at == len(rest)


_LONGEST_PATIENT = 9
_PATIENT = re.compile(
    r"(?:(?:(?:pt|patient|he|she|this) is )?(?:an? )?\d{1,3} ?(?:(?:years?|yrs?|yr|y/o|yo|y) ?(?:old )?)?"
    r"(?:m|f|male|female|man|woman|lady|gentleman)? ?(?:patient )?)?(?:with|having|has|known|known case of|known to have)?"
)


def _is_year(value: Quantity) -> bool:
    return len(value.parts) == 1 and value.high is None and value.parts[0].denominator == 1 and 1950 <= value.parts[0] <= 2099


def is_advice(chunk: Chunk) -> bool:
    return chunk.kind == "inert" and chunk.value in ADVICE


def strange_words(clause: Sequence[Chunk], lexicon: Lexicon) -> list[Chunk]:
    """The words of a clause that nobody knows: they may name the thing it speaks of."""
    doubt, reference = lexicon.doubt_words, lexicon.reference_words
    return [c for c in clause if c.kind == "word" and not (c.value in doubt or c.value in reference or str(c.value).isdigit())]


def without_own_object(clause: Sequence[Chunk], strange: Sequence[Chunk], lexicon: Lexicon, surface: Callable[[Chunk], str]) -> list[Chunk]:
    """What is left of a clause once everything it says of its own object is taken out."""
    advised = any(map(is_advice, clause))
    measured = any(c.kind == "header_line_starts" for c in clause)
    last = max((c.start for c in [*strange, *(c for c in clause if c.kind in ("medicine_class", "indication"))]), default=-1)
    condition = next((n for n, c in enumerate(clause) if c.kind == "cue" and c.value[0] == "conditional"), None)
    if condition and _speaks_of_another(clause[:condition], lexicon):
        # `UGI endoscopy if no relief`, `Report if fever`: the condition is of what stands before it.
        return []
    if condition == 0 and (measured or any(c.value in _VISITS for c in clause)):
        # `If fever persists, repeat CBC`
        return []
    left: list[Chunk] = []
    for chunk in clause:
        if chunk.kind == "cue":
            cue_class, direction = chunk.value
            if cue_class in ("avoid", "allergy") and direction != "after" and (last > chunk.start or advised):
                continue
            if cue_class in ("avoid", "stopped") and advised and len(strange) <= 1:
                continue
        if (advised or measured) and (chunk.kind in _TIMES or chunk.value == "repeat"):
            continue
        if surface(chunk) in lexicon.no_allergy:
            continue
        left.append(chunk)
    return left


def _speaks_of_another(words: Sequence[Chunk], lexicon: Lexicon) -> bool:
    """A test, a visit or an unknown thing is named, and nothing that could be said of a medicine."""
    named = False
    for chunk in words:
        if (chunk.kind in _OF_A_MEDICINE and not (chunk.kind == "number" and named)) or (
            chunk.kind == "word" and chunk.value in lexicon.doubt_words
        ):
            return False
        heading = meaning_of(chunk, "heading")
        named = (
            named
            or (chunk.kind == "word" and chunk.value not in lexicon.reference_words)
            or chunk.kind == "header_line_starts"
            or (isinstance(heading, tuple) and heading[1] == "none")
            or is_advice(chunk)
        )
    return named


def may_change_an_order(chunk: Chunk, lexicon: Lexicon, *, told: bool, here: bool) -> bool:
    """Whether a chunk of a clause without a medicine may change the order beside it.

    `told`: the clause is an instruction (a verb, `continue`) with no object of its own; `here`: it stands on the order's line.
    """
    if chunk.kind == "cue":
        return chunk.value[0] not in ("taking", "continue")
    if chunk.kind in _ALWAYS:
        return chunk.kind != "rate" or not here or told
    if chunk.kind == "word":
        return chunk.value in lexicon.doubt_words
    if chunk.kind == "amount":
        return (chunk.value.units[0] or "").startswith("{")
    if chunk.kind == "number":
        return told
    if chunk.kind == "duration":
        return told and here
    if chunk.kind == "mark":
        return chunk.value in _DOUBT_SIGNS
    if chunk.kind == "label":
        return any(m.kind in ("prn", "rate", "weekday") for m in chunk.meanings)
    heading = meaning_of(chunk, "heading")
    return means(chunk, "person_roles") or (isinstance(heading, tuple) and heading[1] in _NOT_FOR_THIS)


# -- orders for something unread ---------------------------------------------------------------------------------------

_DRUG_UNITS = frozenset({"mg", "ug", "g", "[iU]", "mL", "{unit}"})
# What a line of an unknown name and its timing is made of.
_NAMELESS_ORDER = frozenset("word number tuple amount rate slots when prn stat duration mark form malformed".split())
_VISITS = frozenset("call come visit consult inform contact attend return report".split())
_ONLY_ADVICE_WITHOUT = frozenset({"amount", "form", "slots", "route", "medicine_class"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where the clause stands. `follows`: the list entry before it was an order; `listed`: a list number stands in front of it."""

    section: str
    status: str
    numbered: bool
    bulleted: bool
    listed: bool
    follows: bool


def is_lettered(word: str) -> bool:
    """Letters only; the vowel signs of Devanagari are letters here, though Unicode calls them marks."""
    return all(char.isalpha() or "\u0900" <= char <= "\u0963" for char in word)


class _Facts:
    """What the signs below ask of one clause."""

    def __init__(self, body: Sequence[Chunk], text: str, place: Place, lexicon: Lexicon) -> None:
        self.body, self.text, self.place, self._lexicon = body, text, place, lexicon
        # `Rotate injection sites`: the form is of a place, not of a medicine.
        sited = [n for n, (c, d) in enumerate(itertools.pairwise(body)) if c.kind == "form" and d.value in ("site", "sites")]
        self.kinds = {c.kind for n, c in enumerate(body) if n not in sited}
        self.unknown = not self.kinds.isdisjoint(("word", "malformed", "confused", "unreadable"))
        self.timed = not self.kinds.isdisjoint(("rate", "slots", "prn", "stat", "when"))
        self.first = body[0]
        self.named = self.first.kind == "word" and is_lettered(str(self.first.value)) and len(str(self.first.value)) > 1

    @cached_property
    def amounts(self) -> list[Quantity]:
        return [c.value for c in self.body if c.kind == "amount"]

    @cached_property
    def strength(self) -> bool:
        return any(u in _DRUG_UNITS for q in self.amounts for u in q.units if not any(per in ("d", "h", "min") for _, per in q.per))

    @cached_property
    def counted(self) -> bool:
        return any((q.units[0] or "").startswith("{") for q in self.amounts)

    @cached_property
    def second(self) -> Chunk | None:
        return next((c for c in self.body[1:3] if c.kind != "mark"), None)

    @cached_property
    def words(self) -> int:
        return sum(c.kind == "word" for c in self.body)

    @cached_property
    def ordering(self) -> bool:
        return self.first.kind == "verb" or self._cued(self.first, "continue") or self.first.value in ("rpt", "repeat")

    @cached_property
    def cued(self) -> bool:
        return any(self._cued(c, "continue", "taking", "ambiguous") for c in self.body)

    @cached_property
    def ditto(self) -> bool:
        return any(self._cued(c, "ambiguous") or (c.kind == "word" and c.value == "do") for c in self.body)

    @cached_property
    def family(self) -> bool:
        return any(self._cued(c, "family") for c in self.body)

    @cached_property
    def conditional(self) -> bool:
        return any(self._cued(c, "conditional") for c in self.body)

    @cached_property
    def benign(self) -> bool:
        return any(
            is_advice(c)
            or c.kind in ("review_phrases", "boilerplate", "header_line_starts", "date")
            or self._cued(c, "avoid", "stopped", "allergy", "held")
            or (isinstance(h := meaning_of(c, "heading"), tuple) and h[1] in ("none", "allergy", "cue"))
            for c in self.body
        )

    @cached_property
    def goes_on(self) -> bool:
        return any(isinstance(v := meaning_of(c, "cue"), tuple) and v[0] == "continue" for c in self.body[1:])

    @cached_property
    def new_word(self) -> bool:
        return (
            self.second is not None
            and self.second.kind == "word"
            and len(str(self.second.value)) > 3
            and self.second.value not in self._lexicon.reference_words
        )

    @cached_property
    def strange(self) -> bool:
        return any(strange_words(self.body[:1], self._lexicon))

    @cached_property
    def blanks(self) -> bool:
        return sum(c.kind == "mark" and c.value in ("*", "~", "?", "_", "•") for c in self.body) >= 2 or "..." in self.text

    @staticmethod
    def _cued(chunk: Chunk, *classes: str) -> bool:
        return chunk.kind == "cue" and chunk.value[0] in classes


# Fluids and vaccines that are written without a dose or a frequency.
_FLUID = re.compile(
    r"\b(?:pints?|bottles?|bags?|units?|litres?|liters?|l) (?:of )?(?:ns|rl|dns|d5|d10|d25|dextrose|ringers?|saline|isolyte|plasmalyte|"
    r"prbc|ffp|blood|platelets|albumin)\b|"
    r"^(?:iv )?(?:ns|rl|dns|d5|d10|d25|dextrose|ringers?(?: lactate)?|normal saline|isolyte|plasmalyte|prbc|ffp) ?[-:x]? ?\d+ ?"
    r"(?:(?:pints?|bottles?|bags?|units?|ml|cc|l)\b|$)"
)
_VACCINE = re.compile(
    r"^(?:inj\.? ?)?(?:(?:mmr|bcg|opv|ipv|dpt|dtap|dtwp|tdap|tt|hpv|pcv|ppsv)\b(?:[- ]?\d)?$|"
    r"(?:mmr|bcg|opv|ipv|dpt|dtap|dtwp|tdap|td|tt|hpv|pcv|ppsv|rotavirus|rota|varicella|hep(?:atitis)? ?[ab]|typhoid|influenza|flu|rabies|"
    r"covid|measles|pentavalent|penta|hexaxim|meningococcal|pneumococcal)\b(?: (?:vaccine|shot|vaccination))?(?:[- ]?\d)?"
    r" (?:today|now|stat|due|dose|booster|to be given)\b|(?:[a-z]+ ){1,2}(?:vaccine|shot|vaccination)$|hep(?:atitis)? [ab] vaccine$)"
)


def names_a_fluid(text: str) -> bool:
    """`NS 1 pint`, `2 units PRBC`: an order, whatever its first letters mean at the head of other lines."""
    return _FLUID.search(text) is not None


# A name and the potency of a globule: `Arnica 30`; other numbers stand behind rooms, tokens and ages.
_POTENCY = re.compile(r"^(?!room|bed|ward|token|page|age|unit|cabin|floor|visit|pulse)[a-z]{3,} (?:30|52|200|1000|\d{1,4} ?[cxm])$")


# What such a line looks like -> whether this one does.
ORDER_SIGNS: tuple[tuple[str, Callable[[_Facts], bool]], ...] = (
    ("`1-0-1`", lambda f: "slots" in f.kinds),
    ("`40 mg OD`, `1 g IV`", lambda f: (f.timed or "route" in f.kinds) and f.strength),
    ("`100 ml/hr`", lambda f: "amount" in f.kinds and any(per in ("h", "min") for q in f.amounts for _, per in q.per)),
    ("`xyz 1 tab OD`", lambda f: f.unknown and f.timed and f.counted),
    ("`__ ** BD`, `... BD`", lambda f: f.timed and not f.unknown and f.blanks),
    (
        "`Tab OD`, `Syp contd`, `Inj xyz`, `Lotion for LA`",
        lambda f: (
            "form" in f.kinds
            and (
                (f.first.kind == "form" and "route" in f.kinds)
                or f.timed
                or f.strength
                or f.cued
                or (f.unknown and f.place.section != "advice")
            )
        ),
    ),
    ("`Xyzolin OD`", lambda f: f.named and len(str(f.first.value)) > 2 and f.timed and f.kinds <= _NAMELESS_ORDER),
    (
        "`Xyzolin 40 mg`",
        lambda f: (
            f.named
            and f.second is not None
            and f.second.kind == "amount"
            and f.strength
            and len(f.body) <= 8
            and "/" not in f.text.split(" ", 2)[-1]
        ),
    ),
    ("`Xyzolin contd`", lambda f: f.named and len(f.body) <= 3 and f.words == 1 and f.goes_on),
    ("`1 tab at 2 pm`", lambda f: f.first.kind == "amount" and f.counted and len(f.body) <= 5),
    ("`BD. 2. Xyzolin`", lambda f: f.place.listed and not f.place.numbered and f.first.kind == "word" and len(f.body) <= 3),
    ("`2 pints NS`, `1 unit PRBC`", lambda f: names_a_fluid(f.text)),
    ("`MMR today`, `TT booster`", lambda f: _VACCINE.match(f.text) is not None),
    (
        "`Arnica 30`",
        lambda f: f.strange and _POTENCY.match(f.text) is not None and f.place.section in ("", "rx", "plan", "current"),
    ),
    (
        "`+ Inhaler`, `- Eye drops`",
        lambda f: (
            f.kinds == {"form"}
            and len(f.body) == 1
            and not f.text.endswith(":")
            and (f.place.bulleted or f.place.numbered or f.place.listed or (f.place.follows and not f.text.endswith("s")))
        ),
    ),
    ("`O2 2 L/min`, `D3 60K`", lambda f: f.text.startswith(("o2 ", "o2:", "o2-", "d3 ", "b12 "))),
    ("`TT stat`", lambda f: f.named and f.timed and len(f.body) <= 2),
    (
        "`RI as per scale`",
        lambda f: f.named and (f.conditional or "as_directed" in f.kinds) and len(f.body) <= 3 and f.first.value not in _VISITS,
    ),
    (
        "`PCM if fever`",
        lambda f: f.named and f.conditional and "indication" in f.kinds and len(f.body) <= 4 and f.first.value not in _VISITS,
    ),
    ("`2. Drops` below `1.`", lambda f: f.place.numbered and f.place.follows and not f.benign),
    ("`OD x 5 days`", lambda f: "rate" in f.kinds and "duration" in f.kinds),
    ("`do BD`", lambda f: f.timed and f.ditto),
    (
        "`antibiotics BD`, `Vaccine: Tdap`",
        lambda f: (
            "medicine_class" in f.kinds
            and not f.family
            and (
                f.cued
                or f.timed
                or bool(f.amounts)
                or f.ordering
                or f.first.kind == "medicine_class"
                or sum(c.kind != "mark" for c in f.body) <= 2
            )
        ),
    ),
    ("`Add Xyzolin`, `Rpt Xyzolin`", lambda f: len(f.body) <= 5 and f.ordering and f.new_word),
    ("`• Xyzolin` below an order", lambda f: f.place.bulleted and f.unknown and len(f.body) <= 3 and (f.strength or f.place.follows)),
    ("`3. 40 mg`", lambda f: f.place.numbered and (f.timed or f.strength)),
    ("`3. Xyzolin` below `2.`", lambda f: f.place.numbered and f.unknown and (f.place.status == "active" or f.place.follows)),
    (
        "unreadable among the orders",
        lambda f: f.place.status == "active" and f.unknown and bool(f.kinds & {"malformed", "confused", "tuple"}),
    ),
)


def may_be_an_order(body: Sequence[Chunk], text: str, place: Place, lexicon: Lexicon) -> bool:
    """Whether a clause that gave no statement looks like an order: then nothing is proven absent from this page (P2)."""
    if not body or is_advice(body[0]):
        return False
    facts = _Facts(body, text, place, lexicon)
    if any(map(is_advice, body)) and not facts.kinds & _ONLY_ADVICE_WITHOUT:
        return False
    for _, sign in ORDER_SIGNS:  # noqa: SIM110 - asked of every clause; a generator costs more than the loop
        if sign(facts):
            return True
    return False


def without_enumerator(chunks: Sequence[Chunk]) -> Sequence[Chunk]:
    """A line without its bullet, letter or number: `b.`, `ii)`, `#2`, `•`, `2.`."""
    first = chunks[0]
    if first.kind in ("item", "unreadable") or (first.kind == "mark" and first.value in ("•", "*", "-", ">", "#")):
        rest = chunks[1:]
        return rest[1:] if first.value == "#" and rest and rest[0].kind == "number" else rest
    if len(chunks) > 2 and chunks[1].kind == "mark" and chunks[1].value in (".", ")"):
        if (first.kind == "word" and len(str(first.value)) <= 3) or first.kind == "number":
            return chunks[2:]
    return chunks
