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
from functools import cached_property

from medfence_guard.reader.beside import DANGLING, is_advice, strange_words, without_own_object
from medfence_guard.reader.chunks import Chunk, any_means, meaning_of
from medfence_guard.reader.lexicon import Lexicon, spoken_in

_WORD = re.compile(r"[a-z0-9\u0900-\u097f][a-z0-9\u0900-\u097f'-]*")
_ORDINAL = r"(?:first|second|third|fourth|fifth|last|1st|2nd|3rd|4th|5th)"
_NUMBERS = r"\d{1,2}(?: ?(?:,|&|and|\+) ?\d{1,2})*"
_NOUN = r"(?:one|two|three|drug|medicine|medication|tablet|tab|item|order|no|number)s?"
_COUNT = re.compile(r"\d|first|second|third|fourth|fifth|last")
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


_VALUES = frozenset({"amount", "duration", "rate", "slots", "prn", "weekday", "maximum", "number", "stat", "duration_open"})
_BARE = frozenset(
    "cue word duration duration_open rate amount number prn mark then label verb slots when weekday unsupported stat form".split()
)
_NOUN_KINDS = frozenset({"word", "label", "form"})
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
    """What the rows below ask of one clause."""

    def __init__(self, clause: Sequence[Chunk], text: str, section: str, lexicon: Lexicon, surface: Callable[[Chunk], str]) -> None:
        self.text, self.section, self.clause = text, section, clause
        self._lexicon, self._words, self._surface = lexicon, lexicon.remarks, surface
        self.kinds = {c.kind for c in clause}
        self.first = clause[0]
        self.found_before = section in _FINDINGS

    @cached_property
    def spoken(self) -> frozenset[str]:
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def counts(self) -> bool:
        return _COUNT.search(self.text) is not None

    @cached_property
    def _strange(self) -> list[Chunk]:
        known = self._words.known
        return [c for c in strange_words(self.clause, self._lexicon) if not known.issuperset(_WORD.findall(str(c.value)))]

    @cached_property
    def unknown(self) -> int:
        return len(self._strange)

    @cached_property
    def advised(self) -> bool:
        return "inert" in self.kinds and any(map(is_advice, self.clause))

    @cached_property
    def measured(self) -> bool:
        return "header_line_starts" in self.kinds

    @cached_property
    def _left(self) -> list[Chunk]:
        return without_own_object(self.clause, self._strange, self._lexicon, self._surface)

    @cached_property
    def cued(self) -> bool:
        if "cue" not in self.kinds:
            return False
        return any(c.kind == "cue" and c.value[0] not in _NO_CHANGE for c in self._left)

    @cached_property
    def person(self) -> bool:
        return any_means(self.clause, "person_roles") or any(c.kind == "cue" and c.value[0] == "family" for c in self.clause)

    @cached_property
    def _spoken_of(self) -> frozenset[str]:
        told = [self._surface(c) for c in self.clause if c.kind in ("word", "label", "cue", "medicine_class")]
        return frozenset(w for surface in told for w in _WORD.findall(surface))

    @cached_property
    def changed(self) -> bool:
        return self.cued or not self._words.changes.isdisjoint(self._spoken_of)

    @cached_property
    def changed_beside(self) -> bool:
        return self.changed or not self._words.changes_beside.isdisjoint(self._spoken_of)

    @cached_property
    def valued(self) -> bool:
        return not _VALUES.isdisjoint(self.kinds) or any(c.kind == "then" and self._surface(c).endswith("stop") for c in self.clause)

    @cached_property
    def whole(self) -> bool:
        return not self._words.whole.isdisjoint(self._spoken_of)

    @cached_property
    def weakly_whole(self) -> bool:
        return not self._words.whole_if_known.isdisjoint(self._spoken_of)

    @cached_property
    def noun(self) -> bool:
        ends = [_WORD.findall(self._surface(c))[-1:] for c in self.clause if c.kind in _NOUN_KINDS or c.value == "prescription_nouns"]
        return any(end and end[0] in self._words.nouns for end in ends) or self.of_a_class

    @cached_property
    def bare(self) -> bool:
        return self.kinds - {"inert"} <= _BARE and not self.advised

    @cached_property
    def _verb(self) -> int:
        return 1 if len(self.clause) > 1 and self._surface(self.first) in ("to", "please", "will", "can") else 0

    @cached_property
    def ordering(self) -> bool:
        return bool(self.clause[self._verb].kind == "verb" or self.clause[self._verb].value == "order_forms")

    @cached_property
    def second(self) -> str:
        return self._surface(self.clause[self._verb + 1]) if len(self.clause) > self._verb + 1 else ""

    @cached_property
    def taken_back(self) -> bool:
        return self._words.other_papers.search(self.text) is not None

    @cached_property
    def of_a_class(self) -> bool:
        return "medicine_class" in self.kinds or self._words.classes.search(self.text) is not None

    @cached_property
    def taking(self) -> bool:
        # `takes only when BP is high`, `reports taking 20`: `on` is too common a word to count.
        return any(
            c.kind == "cue" and c.value[0] == "taking" and self._surface(c).startswith(("tak", "reports tak", "using")) for c in self.clause
        )

    @cached_property
    def conditional(self) -> bool:
        return any(c.kind == "cue" and c.value[0] == "conditional" for c in self.clause)

    @cached_property
    def ending(self) -> bool:
        return self.first.kind == "cue" and self.first.value[0] in ("stopped", "held")

    @cached_property
    def dangling(self) -> bool:
        return len(self.clause) <= 4 and (
            (self.first.kind == "word" and self.first.value in DANGLING) or self.text.startswith(("up to ", "upto "))
        )

    @cached_property
    def own(self) -> bool:
        return (
            self.advised
            or self.measured
            or not self._words.objects.isdisjoint(self.spoken)
            or self.first.kind == "pseudo_cue"
            or any(
                c.kind in ("date", "code", "review_phrases", "boilerplate", "instruction_to_model", "person_roles", "collective")
                or (isinstance(h := meaning_of(c, "heading"), tuple) and h[1] in ("none", "family"))
                for c in self.clause
            )
            or not self._left_over
            or self.told_before
        )

    @cached_property
    def told_before(self) -> bool:
        """`H/o T2DM on treatment since 2016`, `body ache`, `Adv;`: a history, a complaint, or a heading and nothing under it."""
        heading = meaning_of(self.first, "heading")
        if isinstance(heading, tuple) and heading[1] in ("past", "none", "family"):
            return True
        return all(
            c.kind in ("indication", "indication_part", "mark")
            or (c.kind == "heading" and c.value[1] not in ("stopped", "past", "allergy"))
            for c in self.clause
        )

    @cached_property
    def _left_over(self) -> bool:
        """Something is left of it that is no mark, no `continue` and no small word."""
        small = self._words.small
        return any(
            c.kind != "mark" and not (c.kind == "cue" and c.value[0] == "continue") and self._surface(c) not in small for c in self._left
        )

    @cached_property
    def words(self) -> int:
        return sum(c.kind not in ("mark", "inert") for c in self.clause)

    @cached_property
    def starting(self) -> bool:
        return self._surface(self.first) in self._words.starts

    @cached_property
    def limits(self) -> bool:
        """`if culture positive`, `on the day of surgery`: a few words of when, with nothing to do in them, even if they name a test."""
        return self.starting and self.words <= 4 and not self.advised and self.kinds.isdisjoint(("verb", "review_phrases", "date"))

    @cached_property
    def doubted(self) -> bool:
        return any(c.kind == "word" and c.value in self._lexicon.doubt_words for c in self.clause)

    @cached_property
    def timed(self) -> bool:
        return not _SAID_OF_AN_ORDER.isdisjoint(self.kinds)


# What the clause looks like -> whether this one does.
REMARKS: tuple[tuple[str, Callable[[_Facts], bool]], ...] = (
    ("`Old prescription copy`, `Proposed regimen`", lambda f: f.taken_back),
    ("`Correction - dose 20`", lambda f: f.first.value == "correction" and f.second in (":", "-", "")),
    (
        "`First two only`, `Omit no 2`, `1 & 2 for mother`",
        lambda f: not f.found_before and f.counts and _BY_PLACE.search(f.text) is not None,
    ),
    ("`2 - patient has enough`", lambda f: not f.found_before and _OF_A_NUMBER.match(f.text) is not None),
    (
        "`both stopped`, `All of these for 5 days`, `Above for wife`",
        lambda f: f.whole and (f.changed or f.person or (f.valued and not f.found_before)),
    ),
    (
        "`All x 5 days`, `stop it`, `None taken`",
        lambda f: f.weakly_whole and not f.advised and not f.unknown and not f.measured and (f.changed or f.person or f.valued),
    ),
    (
        "`Stop the ARB`, `Last dose today`, `Script not collected`",
        lambda f: f.noun and not f.advised and not f.told_before and f.unknown <= 1 and (f.changed or (f.valued and not f.found_before)),
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
        lambda f: f.words <= 6 and f.unknown <= 2 and f.text.startswith(_LIMITING) and (f.timed or "only" in f.spoken),
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
    ("`Isabgol`, `crossed out`, `Liv 52`", lambda f: f.words >= 1 and f.section not in _TALK),
)


def parts_of(clause: Sequence[Chunk]) -> list[Sequence[Chunk]]:
    """A clause cut at its commas: `Steam, Isabgol` speaks of two things. What to report, and a test, is one thing however long."""
    opening = meaning_of(clause[0], "heading")
    told_before = isinstance(opening, tuple) and opening[1] in ("past", "none", "family")
    whole = told_before or any(c.kind == "header_line_starts" or (c.kind == "cue" and c.value[0] == "conditional") for c in clause)
    if whole:
        return [clause]
    parts: list[list[Chunk]] = [[]]
    for chunk in clause:
        if chunk.kind == "mark" and chunk.value in (",", ";"):
            parts.append([])
        else:
            parts[-1].append(chunk)
    return [part for part in parts if part]


def may_belong_beside(
    clause: Sequence[Chunk], text: str, section: str, lexicon: Lexicon, surface: Callable[[Chunk], str], *, behind: bool, beside: bool
) -> bool:
    """Whether a clause may be part of an order. `behind`: an order stands somewhere above; `beside`: on its line or the line before."""
    if section in _MOVED_ON:
        return False
    if behind and lexicon.remarks.no_intake.search(text) is not None:
        return True
    facts = _Facts(clause, text, section, lexicon, surface)
    if beside and facts.limits and not facts.found_before:
        return True
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
    if not words.may_find("other_headings", spoken_in(bare)) or words.other_headings.search(bare) is None:
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
