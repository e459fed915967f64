"""Clauses that name no medicine and still speak of the orders on the page, wherever they stand.

`beside.py` judges the clauses next to an order. This one judges all that no statement took: a correction at the foot of
the page, `Plan: both stopped`, `First two only`, `Above for wife`. Such a clause is never applied to an order (which
one, and how, is a person's business); it is remembered, and the page abstains (P10, P21). The rule for each kind of
clause is one row of `REMARKS`; the words are `lexicon/remarks.json`.

A heading is a remark too: `OLD LIST`, `Ward stock:`, `## Weaned` put the orders below at another time or place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from medfence_guard.reader.beside import DANGLING, is_advice, strange_words, without_own_object
from medfence_guard.reader.chunks import Chunk, meaning_of, means
from medfence_guard.reader.lexicon import Lexicon

_WORD = re.compile(r"[a-z0-9\u0900-\u097f][a-z0-9\u0900-\u097f'-]*")
_ORDINAL = r"(?:first|second|third|fourth|fifth|last|1st|2nd|3rd|4th|5th)"
_NUMBERS = r"\d{1,2}(?: ?(?:,|&|and|\+) ?\d{1,2})*"
_NOUN = r"(?:one|two|three|drug|medicine|medication|tablet|tab|item|order|no|number)s?"
# `Only 1 and 2`, `Omit no 2`, `the second medicine`, `No. 3 is for wife`, `1 & 2 for mother`
_BY_PLACE = re.compile(
    rf"\b{_ORDINAL} {_NOUN}\b|"
    rf"^(?:please |kindly )?(?:only|give|omit|cancel|delete|stop|hold|skip|remove|repeat|continue|take) (?:only )?(?:nos?\.? ?|items? |#)?"
    rf"{_NUMBERS}(?: only| alone)?\W*$|"
    rf"\b(?:nos?\.?|items?|number|drug|medicine|#) ?{_NUMBERS}\b(?! ?(?:mg|ml|days?|weeks?|months?|years?|%))|"
    rf"^(?:& ?)?{_NUMBERS} (?:only|for|not)\b(?! ?\d)|"
    # `Circled: 1, 3`, `Dispense 1 and 3`
    rf"^[a-z]+ ?:? ?\d{{1,2}}(?: ?(?:,|&|and) ?\d{{1,2}})+\W*$"
)
_OTHER_BED = re.compile(r"\b(?:bed|cot|room)(?: no)?\.? ?\d")
_PROVIDED = ("assuming ", "provided ", "providing ", "unless ", "in case ")
_LIMITING = ("only ", "not ", "each ")
_OF_A_NUMBER = re.compile(r"^\d{1,2} ?- ?[a-z]{3,} [a-z]")
# Slots that run from the night to the morning: `N-A-M`, `(Night - Noon - Morning)`.
_REVERSED_SLOTS = re.compile(r"\bn ?[-/ ] ?[an] ?[-/ ] ?m\b|\bnight\W+(?:noon|afternoon|evening)\W+(?:noon|morning)\b")
# `Continue at discharge: No`, `Reaction: cough`, `Expires: 05/02/2024`: a field of the record below an order.
_ENDING_FIELD = re.compile(
    r"^(?:continue[a-z ]*|active|prescribed|current)\s*:\s*(?:no|n|nil|false|x)\b|"
    r"^(?:reaction|expires|expiry|ends?|end date|stop date|stopped on|on hold)\s*:|^allergy\s*:\s*(?:yes|y|true)\b"
)


def ends_the_order_above(text: str) -> bool:
    """Whether a labelled line below an order says that it does not go on, or that it harmed."""
    return _ENDING_FIELD.match(text) is not None


def turns_the_slots(text: str) -> bool:
    """Whether a line says that slots are written from night to morning."""
    return _REVERSED_SLOTS.search(text) is not None


def selects_by_number(text: str) -> bool:
    """Whether a line picks some orders of the list by their numbers."""
    return _BY_PLACE.search(text) is not None


# Telephone and registration numbers, addresses, degrees.
_LETTERHEAD = re.compile(
    r"\d{5,}|\d{3,5}[ -]\d{4,}|@|\bwww\b|\bhttp|\bvaccin\w+ (?:advised|due|up to date)|"
    r"\b(?:mbbs|md|ms|dnb|mrcp|frcs|mch|dm|bds|mds|bhms|bams|regn?)\b|"
    r"\b(?:road|rd|street|nagar|floor|clinic|hospital|centre|center|pvt|ltd)\b"
)
_VISITING = frozenset("call come consult contact inform meet refer referred report see visit attend emergency".split())
_VALUES = frozenset({"amount", "duration", "rate", "slots", "prn", "weekday", "maximum", "number", "stat", "duration_open"})
_BARE = frozenset(
    "cue word duration duration_open rate amount number prn mark then label verb slots when weekday unsupported stat form".split()
)
_NO_CHANGE = frozenset({"taking", "continue", "ambiguous", "conditional", "question"})
_LATER = frozenset("if after once when only from tomorrow later on post before until till unless".split())
# Kinds that say something of how or when a medicine is taken.
_SAID_OF_AN_ORDER = frozenset(
    "amount rate slots when prn weekday maximum stat duration duration_open release unsupported then range malformed ambiguous".split()
)
# What was found or told before the orders were made does not change them.
_FINDINGS = frozenset({"complaints", "exam", "diagnosis", "investigations", "family", "social", "past", "allergy", "header"})
# Sections of advice: what nobody knows there is advice, unless it stands at an order.
_TALK = frozenset({"advice"})
_MOVED_ON = frozenset({"followup", "investigations", "signature", "header"})


class _Facts:
    """What the rows below ask of one clause, worked out once."""

    def __init__(self, clause: Sequence[Chunk], text: str, section: str, lexicon: Lexicon, surface: Callable[[Chunk], str]) -> None:
        words = lexicon.remarks
        self.text, self.section, self.clause = text, section, clause
        self.spoken = frozenset(_WORD.findall(text))
        known = words.changes | words.changes_beside | words.whole | words.whole_if_known | words.nouns | words.small
        strange = [c for c in strange_words(clause, lexicon) if not frozenset(_WORD.findall(str(c.value))) <= known]
        self.unknown = len(strange)
        left = without_own_object(clause, strange, lexicon, surface)
        self.kinds = {c.kind for c in clause}
        self.advised = any(map(is_advice, clause))
        self.measured = any(c.kind == "header_line_starts" for c in clause)
        self.cued = any(c.kind == "cue" and c.value[0] not in _NO_CHANGE for c in left)
        self.person = any(means(c, "person_roles") for c in clause) or any(c.kind == "cue" and c.value[0] == "family" for c in clause)
        spoken_of = frozenset(w for c in clause if c.kind in ("word", "label", "cue", "medicine_class") for w in _WORD.findall(surface(c)))
        self.changed = self.cued or bool(spoken_of & words.changes)
        self.valued = bool(self.kinds & _VALUES) or any(c.kind == "then" and surface(c).endswith("stop") for c in clause)
        self.whole = bool(spoken_of & words.whole)
        self.weakly_whole = bool(spoken_of & words.whole_if_known)
        self.noun = any(
            (c.kind in ("word", "label", "form") or c.value == "prescription_nouns")
            and _WORD.findall(surface(c))[-1:]
            and _WORD.findall(surface(c))[-1] in words.nouns
            for c in clause
        )
        self.bare = self.kinds - {"inert"} <= _BARE and not self.advised
        self.first = clause[0]
        verb = 1 if len(clause) > 1 and surface(self.first) in ("to", "please", "will", "can") else 0
        self.ordering = clause[verb].kind == "verb" or clause[verb].value == "order_forms"
        self.second = surface(clause[verb + 1]) if len(clause) > verb + 1 else ""
        self.taken_back = words.other_papers.search(text) is not None
        self.of_a_class = "medicine_class" in self.kinds or words.classes.search(text) is not None
        self.noun = self.noun or self.of_a_class
        # `takes only when BP is high`, `reports taking 20`: `on` is too common a word to count.
        self.taking = any(
            c.kind == "cue" and c.value[0] == "taking" and surface(c).startswith(("tak", "reports tak", "using")) for c in clause
        )
        self.conditional = any(c.kind == "cue" and c.value[0] == "conditional" for c in clause)
        self.ending = self.first.kind == "cue" and self.first.value[0] in ("stopped", "held")
        self.dangling = len(clause) <= 4 and (
            (self.first.kind == "word" and self.first.value in DANGLING) or text.startswith(("up to ", "upto "))
        )
        self.found_before = section in _FINDINGS
        self.own = (
            self.advised
            or self.measured
            or bool(self.spoken & words.objects)
            or self.first.kind == "pseudo_cue"
            or any(
                c.kind in ("date", "code", "review_phrases", "boilerplate", "instruction_to_model", "person_roles", "collective")
                or (isinstance(h := meaning_of(c, "heading"), tuple) and h[1] in ("none", "family"))
                for c in clause
            )
        )
        self.changed_beside = self.changed or bool(spoken_of & words.changes_beside)
        left_over = [
            c for c in left if c.kind != "mark" and not (c.kind == "cue" and c.value[0] == "continue") and surface(c) not in words.small
        ]
        self.own = self.own or not left_over or bool(_LETTERHEAD.search(text)) or bool(_VISITING & frozenset(_WORD.findall(text)[:3]))
        self.words = sum(c.kind not in ("mark", "inert") for c in clause)
        self.starting = surface(self.first) in words.starts
        self.doubted = any(c.kind == "word" and c.value in lexicon.doubt_words for c in clause)
        self.timed = bool(self.kinds & _SAID_OF_AN_ORDER)
        self.named = self.kinds <= {"word", "number", "mark", "inert"} and self.unknown == self.words


# What the clause looks like -> whether this one does.
REMARKS: tuple[tuple[str, Callable[[_Facts], bool]], ...] = (
    ("`Old prescription copy`, `Proposed regimen`", lambda f: f.taken_back),
    ("`Correction - dose 20`", lambda f: f.first.value == "correction" and f.second in (":", "-", "")),
    ("`First two only`, `Omit no 2`, `1 & 2 for mother`", lambda f: not f.found_before and _BY_PLACE.search(f.text) is not None),
    ("`2 - patient has enough`", lambda f: not f.found_before and _OF_A_NUMBER.match(f.text) is not None),
    (
        "`both stopped`, `All of these for 5 days`, `Above for wife`",
        lambda f: f.whole and not f.advised and (f.changed or f.person or (f.valued and not f.found_before)),
    ),
    (
        "`All x 5 days`, `stop it`, `None taken`",
        lambda f: f.weakly_whole and not f.advised and not f.unknown and not f.measured and (f.changed or f.person or f.valued),
    ),
    (
        "`Stop the ARB`, `Last dose today`, `Script not collected`",
        lambda f: f.noun and not f.advised and f.unknown <= 1 and (f.changed or (f.valued and not f.found_before)),
    ),
    ("`then stop`, `for 5 days only`", lambda f: f.bare and not f.unknown and not f.found_before and (f.changed or f.valued)),
    ("`hold for surgery`, `wean off slowly`", lambda f: f.bare and f.cued and f.unknown == 1 and not f.found_before),
    ("`Start if BP > 140`, `To start after biopsy`", lambda f: f.ordering and f.second in _LATER),
    ("`Add PPI`, `+ statin`", lambda f: f.of_a_class and (f.ordering or f.first.value == "+") and f.unknown <= 2 and not f.advised),
    (
        "`takes only when BP is high`, `reports taking 20`",
        lambda f: f.taking and not f.advised and not f.found_before and f.unknown <= 1 and (f.valued or "only" in f.spoken),
    ),
    ("`hold if BP < 100`", lambda f: f.ending and f.conditional and not f.advised and not f.found_before and f.unknown <= 1),
    ("`only if fever`, `until surgery`", lambda f: f.dangling and not f.advised and not f.found_before),
    ("`For bed 4`", lambda f: not f.found_before and _OTHER_BED.search(f.text) is not None),
    ("`Take only when BP machine shows high`", lambda f: f.ordering and "only" in f.spoken),
    ("`Assuming BP stays high`, `Unless BP normal`", lambda f: not f.found_before and f.text.startswith(_PROVIDED)),
    (
        "`Only on dialysis days`, `Each for 3 days only`",
        lambda f: f.words <= 6 and f.text.startswith(_LIMITING) and (f.timed or "only" in f.spoken),
    ),
    ("`Given by paramedics`", lambda f: f.text.startswith("given by ")),
)


# Beside an order (on its line, or the line before or after) a short clause without an object of its own is part of it.
BESIDE: tuple[tuple[str, Callable[[_Facts], bool]], ...] = (
    (
        "`weekdays only`, `max 4`, `wrong entry`, `I mean OD`",
        lambda f: f.words <= 6 and f.unknown <= 2 and (f.changed_beside or f.timed or f.doubted),
    ),
    ("`if culture positive`, `on the day of surgery`, `during attack`", lambda f: f.words <= 6 and f.starting and f.unknown <= 3),
)
# Behind an order, whatever else nobody knows may be a medicine or a word on one: `Isabgol`, `crossed out`, `Flu shot given`.
UNREAD: tuple[tuple[str, Callable[[_Facts], bool]], ...] = (
    ("`Isabgol`, `crossed out`, `Liv 52`", lambda f: 1 <= f.words <= 12 and f.section not in _TALK),
)


def may_belong_beside(
    clause: Sequence[Chunk], text: str, section: str, lexicon: Lexicon, surface: Callable[[Chunk], str], *, behind: bool, beside: bool
) -> bool:
    """Whether a clause may be part of an order. `behind`: an order stands somewhere above; `beside`: on its line or the line before."""
    if section in _MOVED_ON:
        return False
    if behind and lexicon.remarks.no_intake.search(text) is not None:
        return True
    facts = _Facts(clause, text, section, lexicon, surface)
    if facts.own or facts.found_before or (facts.timed and facts.unknown and not behind):
        # Before an order, `BPH, PVR 40 ml` is a finding.
        return False
    rows = (*(BESIDE if beside or not behind else ()), *(UNREAD if behind else ()))
    return any(row(facts) for _, row in rows)


def speaks_of_orders(clause: Sequence[Chunk], text: str, section: str, lexicon: Lexicon, surface: Callable[[Chunk], str]) -> bool:
    """Whether a clause that no statement took may change the orders of the page."""
    if section in _MOVED_ON:
        return False
    facts = _Facts(clause, text, section, lexicon, surface)
    # `Do not stop medicines on your own` changes nothing.
    return facts.first.kind != "pseudo_cue" and any(row(facts) for _, row in REMARKS)


# `Week 2`, `Day 7`, `Step 2`, `Cycle 1 D1-D5`, `M/W/F`, `S T O P P E D`
_COUNTED_HEADING = re.compile(
    r"^(?:weeks?|months?|days?|steps?|phases?|cycles?|stages?|visits?|opd|d) ?-? ?\d|^m ?/ ?w ?/ ?f$|"
    r"^(?:[a-z] ){3,}[a-z]$|^follow ?-? ?up .*\blater$"
)
_DECORATION = "#=*-_:. ()<>/[]~|"


def heads_something_else(text: str, lexicon: Lexicon) -> bool:
    """`OLD LIST`, `Ward stock:`, `=== ARCHIVE ===`, `Week 2`: words of another time, place or decision, and nothing else."""
    words = lexicon.remarks
    bare = re.sub(r"</?[a-z0-9]+>", " ", text).strip(_DECORATION)
    if not bare or len(bare) > 60:
        return False
    if _COUNTED_HEADING.match(bare):
        return True
    if words.other_headings.search(bare) is None:
        return False
    rest = _WORD.findall(words.other_headings.sub(" ", bare))
    return len(rest) <= 5 and sum(not (word in words.heading_words or word.isdigit()) for word in rest) <= 1


def heads_two_columns(text: str, lexicon: Lexicon) -> bool:
    """`| Old | New |`, `Pre-op   Post-op`, `12/01/2024 | 15/06/2024`: columns of two times, places, persons or decisions."""
    cells = [cell for cell in re.split(r"\||\t| {3,}", text) if cell.strip(_DECORATION)]
    heads = lexicon.remarks.column_heads
    return len(cells) > 1 and any(
        heads_something_else(cell, lexicon) or heads.search(cell) is not None or _DATE.fullmatch(cell.strip(_DECORATION)) for cell in cells
    )


_DATE = re.compile(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}")
