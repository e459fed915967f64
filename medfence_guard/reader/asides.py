"""Clauses of their own: `Rest for 2 days`, `CBC after 1 week`, `NKDA`, `Review SOS`, `Patient counselled` (P21).

Such a clause has a subject that is no medicine, at its head: before it stand openers only (`adv`, `avoid`, `repeat`,
`no`), and every other word is one of the reviewed words of its class (`lexicon/asides.json`). What it says of time, count
or status is said of its subject, so it is no part of the order beside it. The world is closed: one word nobody listed,
a name, a form, a dose or a slot pattern, and the clause is no aside. Neither is `before exercise`, `if fever`, `with milk`:
what stands first there says when or how, of something else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from medfence_guard.reader.chunks import Chunk, extent
from medfence_guard.reader.lexicon import ASIDE_TOKEN, AsideClass, Lexicon, longest

_NUMBER = re.compile(r"[<>]?\d+(?:[/.:-]\d+)*%?")
_TIMES = frozenset("rate when duration weekday date prn stat duration_open".split())
# What makes a clause an order, or no clause at all, whatever its words.
_NEVER = frozenset(
    "drug form slots maximum quantity refill medicine_class confused unreadable collective instruction_to_model composition range "
    "unsupported as_directed then release ambiguous".split()
)
_OWN_UNITS = frozenset({"mg", "ug", "g", "[iU]", "mL", "L", "{unit}", "[drp]", "meq", "mmol"})
# What a patient eats or drinks is measured in the units of medicines.
_MEASURED_FOOD = frozenset({"water", "fluid", "fluids", "salt", "sugar", "protein", "fibre", "litres", "liters"})
_PARTS = frozenset({",", "+", "&", "/"})
_LOOSE_MARKS = frozenset(",():-/&%.+'")
_LABELLED = frozenset("adv advice advised advise plan imp impression dx diagnosis note inv ix investigations".split())
_AIMED = frozenset("target goal keep maintain aim".split())
# A number behind one of these is a grade, not an amount.
_GRADED = frozenset("stage grade type class gcs day".split())
_YEAR = re.compile(r"(?:19|20)\d\d")
_BULLETS = frozenset("-•*>")
_BEFORE_DAYS = frozenset("a alternate every few next per same th st nd rd these this two three four five seven ten".split())
_SHORT = 4
_BEFORE_TIME = frozenset("bleeding clotting prothrombin reaction review screen visit".split())
_LAST = frozenset("alone beforehand else or ya first half held hold instead no not omit only skip stop stopped then मत नहीं".split())
_NOT_DONE = frozenset((denial, done) for denial in ("not", "never", "nahi", "नहीं") for done in ("given", "taken", "started", "bought"))
# `Jaanch karwayein aur len`: the medicine, which the clause does not name.
_AND_TAKE = frozenset(
    (joint, verb)
    for joint in ("aur", "phir", "fir", "tab", "and", "then", "&", "और", "फिर")
    for verb in ("len", "lein", "le", "lena", "khayen", "khaye", "khana", "take", "give", "use", "start", "लें", "लेना", "खाएं")
)
_OTHERS = frozenset("wife husband mother father brother sister son daughter friend neighbour neighbor spouse".split())
_STOPPING = frozenset("stop hold omit skip continue cont change reduce increase repeat start".split())
_GIVING = frozenset("use take give apply len lein".split())
_TAKEN_WITH = frozenset({"diet", "drink"})
_OPENS = frozenset({"opd", "clinic", "hours"})


class Clause(NamedTuple):
    """The tokens of a clause, and of each the place in the text where it begins and the chunk that holds this place."""

    tokens: list[str]
    places: list[int]
    chunks: list[Chunk | None]

    def behind(self, token: int, chunk: Chunk) -> int:
        """The first token behind a chunk."""
        while token < len(self.tokens) and self.places[token] < chunk.end:
            token += 1
        return token


def is_aside(chunks: Sequence[Chunk], text: str, classes: Sequence[AsideClass]) -> bool:
    """Whether a whole clause speaks of something that is no medicine. `text`: the folded source the chunks point into."""
    if not chunks:
        return False
    start, end = extent(chunks)
    # Most lines are orders, and are told by their first word alone.
    if not _headed(_first(found[0] for found in ASIDE_TOKEN.finditer(text, start, end)), classes) or any(
        c.kind == "instruction_to_model" for c in chunks
    ):
        return False
    clause = clause_of(chunks, text)
    if turns(clause.tokens):
        return False
    if _is_of_any(clause, classes):
        return True
    parts = parted(chunks, _PARTS)
    return len(parts) > 1 and all(part and _is_of_any(clause_of(part, text), classes) for part in parts)


def turns(tokens: Sequence[str]) -> bool:
    """`Consent taken: no`, `Skin test first`, `Exam days`, `Valid for wife`: what stands last turns the whole clause."""
    if not tokens:
        return False
    if len(tokens) > 1 and (tokens[-2], tokens[-1]) in _AND_TAKE:
        return True
    if len(tokens) > 2 and tokens[-2] == "for" and tokens[-1] in _OTHERS:
        return True
    if 1 < len(tokens) <= _SHORT and tokens[-1] in ("before", "prior"):
        # `Creatinine before`
        return True
    if len(tokens) == 2 and tokens[1] == "time" and tokens[0] not in _BEFORE_TIME:
        # `Exam time`
        return True
    if len(tokens) > 2 and tokens[1] == "days" and tokens[0].isalpha() and tokens[0] not in _BEFORE_DAYS:
        # `Exercise days BD`
        return True
    if tuple(tokens[-2:]) in _NOT_DONE:
        # `Next visit after 1 month, not given`
        return True
    named = len(tokens) > 1 and tokens[-2].isalpha() and tokens[-2] not in _BEFORE_DAYS
    return tokens[-1] in _LAST or (tokens[-1] in ("day", "days") and named)


def _first(tokens: Iterable[str]) -> str:
    """The first word of a clause behind its bullets."""
    return next((token for token in tokens if token not in _BULLETS), "")


def _headed(first: str, classes: Sequence[AsideClass]) -> list[AsideClass]:
    """The classes that know the first word of a clause."""
    return [row for row in classes if first in row.heads]


def _is_of_any(clause: Clause, classes: Sequence[AsideClass]) -> bool:
    return any(_is_of(clause, row) for row in _headed(_first(clause.tokens), classes))


def clause_of(chunks: Sequence[Chunk], text: str, token: re.Pattern[str] = ASIDE_TOKEN) -> Clause:
    """A clause cut into tokens, glued words where the reader cut them. `text`: the folded source the chunks point into."""
    tokens: list[str] = []
    places: list[int] = []
    held: list[Chunk | None] = []
    last = len(chunks) - 1
    at = 0
    for found in token.finditer(text, *extent(chunks)):
        place, end = found.span()
        while at < last and chunks[at].end <= place:
            at += 1
        while at < last and chunks[at].end < end and chunks[at].kind != "mark" and chunks[at + 1].kind != "mark":
            # `ReviewwithCBC`
            tokens.append(text[place : chunks[at].end])
            places.append(place)
            held.append(chunks[at])
            place = chunks[at].end
            at += 1
        tokens.append(text[place:end])
        places.append(place)
        held.append(chunks[at] if chunks[at].start <= place < chunks[at].end else None)
    return Clause(tokens, places, held)


def parted(chunks: Sequence[Chunk], marks: Collection[str]) -> list[list[Chunk]]:
    """The chunks between these marks; empty where two of them stand together."""
    parts: list[list[Chunk]] = [[]]
    for chunk in chunks:
        if chunk.kind == "mark" and chunk.value in marks:
            parts.append([])
        else:
            parts[-1].append(chunk)
    return parts


def _is_of(clause: Clause, row: AsideClass) -> bool:
    tokens = clause.tokens
    head = _head(clause, row)
    if head is None:
        return False
    at, subject, opened = head
    timed = any(c is not None and c.kind in ("when", "rate", "cue") for c in clause.chunks)
    if subject == 1 and tokens[at] in _TAKEN_WITH and not opened and timed:
        # `Drink at night`: the medicine, or something else?
        return False
    if tokens[at : at + subject] == ["rest"] and ((not opened and timed) or not _STOPPING.isdisjoint(tokens[:at])):
        # `Rest after food`, `Rest stop`, `Stop rest`: of the other orders.
        return False
    # Tokens a phrase of several words holds together: nothing inside them is read by itself.
    held: set[int] = set(range(at, at + subject)) if subject > 1 else set()
    before_subject = range(at)
    end = _consumed(clause, row, at + subject, opened=opened, held=held)
    if end < len(tokens):
        return False
    return not any(
        chunk is not None and token not in held and (chunk.kind in _NEVER or (_is_condition(chunk) and not row.conditions))
        for token in range(len(tokens))
        if token not in before_subject or tokens[token] not in row.openers
        for chunk in [clause.chunks[token]]
    )


def _is_condition(chunk: Chunk) -> bool:
    return bool(chunk.kind == "cue" and chunk.value[0] == "conditional")


def _head(clause: Clause, row: AsideClass) -> tuple[int, int, bool] | None:
    """Where the subject stands, how many tokens it has, and whether an opener stands before it; None if none is at the head."""
    tokens = clause.tokens
    at, opened = 0, False
    while at < len(tokens) and tokens[at] in _BULLETS:
        at += 1
    if at < len(tokens) and (condition := longest(row.conditions, tokens, at)):
        # `If fever persists, review`
        at += condition
        reached = _consumed(clause, row, at, opened=True, held=set(), until_subject=True)
        subject = longest(row.subjects, tokens, reached) if reached < len(tokens) else 0
        return (reached, subject, True) if subject and reached > at else None
    while at < len(tokens):
        subject = max(longest(row.subjects, tokens, at), longest(row.opened, tokens, at) if opened else 0)
        opener = longest(row.openers, tokens, at)
        if subject and subject >= opener:
            return at, subject, opened
        chunk = clause.chunks[at]
        if opener:
            at += opener
            opened = True
        elif opened and tokens[at] in (":", "-") and tokens[at - 1] in _LABELLED:
            at += 1
        elif opened and row.numbers and chunk is not None and chunk.kind in ("amount", "number", "range", "duration"):
            if chunk.kind == "amount" and not measures(chunk, frozenset(tokens)):
                return None
            # `Roz 30 minute tahlein`
            at = clause.behind(at, chunk)
        else:
            return None
    return None


def _consumed(clause: Clause, row: AsideClass, at: int, *, opened: bool, held: set[int], until_subject: bool = False) -> int:
    """The first token from `at` on that this class of clause does not account for; with `until_subject`, a subject stops it too."""
    tokens = clause.tokens
    told = frozenset(tokens)
    while at < len(tokens):
        if until_subject and tokens[at - 1] in (",", "then", "do") and longest(row.subjects, tokens, at):
            return at
        phrase = longest(row.words, tokens, at)
        chunk = clause.chunks[at]
        if phrase > 1:
            held.update(range(at, at + phrase))
            at += phrase
        elif chunk is not None and chunk.kind in _TIMES:
            after = clause.behind(at, chunk)
            if chunk.kind in ("rate", "when") and _of_the_orders(tokens, at, after, row):
                return at
            if not _of_the_subject(chunk, row, told, opened=opened) or "only" in tokens[at:after]:
                return at
            held.update(range(at, after))
            at = after
        elif chunk is not None and chunk.kind == "amount":
            if not row.numbers or not measures(chunk, told):
                return at
            after = clause.behind(at, chunk)
            held.update(range(at, after))
            at = after
        elif phrase:
            at += 1
        elif _NUMBER.fullmatch(tokens[at]):
            if not row.numbers and tokens[at - 1] not in _GRADED and not _YEAR.fullmatch(tokens[at]):
                return at
            if at + 1 < len(tokens) and longest(row.words, tokens, at + 1) > 1:
                held.add(at)
            at += 1
        elif tokens[at] in _LOOSE_MARKS or (tokens[at] in "<>" and told & _AIMED):
            at += 1
        else:
            return at
    return at


def _of_the_orders(tokens: Sequence[str], at: int, after: int, row: AsideClass) -> bool:
    """`Review 1 month, twice weekly`, `No driving, use at night`: behind the comma is told of something else."""
    if tokens[at - 1] in _GIVING:
        return at > 1 and tokens[at - 2] == ","
    return row.name == "visits" and tokens[at - 1] in (",", "no") and (after == len(tokens) or tokens[after] not in _OPENS)


def _of_the_subject(chunk: Chunk, row: AsideClass, told: frozenset[str], *, opened: bool) -> bool:
    if chunk.kind == "duration" and (chunk.value[-1] == "a" or told & row.timing_words):
        # `HTN x 5 years`: no order is for years.
        return True
    return chunk.kind in row.timing or (opened and chunk.kind in row.opened_timing)


def measures(chunk: Chunk, told: frozenset[str]) -> bool:
    """Whether an amount is of a body, a walk or a meal."""
    units = chunk.value.units
    if all(unit is not None and unit not in _OWN_UNITS and not unit.startswith("{") for unit in units):
        return True
    return bool(told & _MEASURED_FOOD) and all(unit in ("g", "L", "mL") for unit in units)


# Lines of the paper itself: who signed, his degrees, numbers, telephone and jurisdiction. Names are unknown words there.
_LETTERS = re.compile(r"[a-z']+|\d+")
_SIGNED_BY = re.compile(
    r"(?:sd ?/ ?-? ?)?(?:cc:? ?)?(?:letter |copy )?(?:to )?dr\b|"
    r"(?:prescribed|seen|signed|examined|checked|verified|entered|typed|e-?signed|electronically signed|digitally signed|"
    r"signed electronically) by\b|(?:case )?(?:discussed|d/w) with dr\b"
)
_DEGREES = frozenset(
    "mbbs md mch dnb mrcp mrcgp frcs frcp mds bds fcps dgo dch dlo dorth facc fesc consultant physician surgeon specialist resident "
    "registrar professor cardiologist neurologist paediatrician pediatrician gynaecologist dermatologist psychiatrist "
    "dentist diabetologist".split()
)
_BESIDE_DEGREES = frozenset(
    "urology nephrology gastroenterology oncology pulmonology endocrinology rheumatology diabetology "
    "ms dm mch phd uk usa medicine surgery cardiology neurology paediatrics pediatrics orthopaedics orthopedics ophthalmology ent "
    "dermatology psychiatry gynaecology radiology general practitioner gmc npi dmc reg no in and of dept department senior junior chief sd "
    "visiting".split()
)
_PAPERS = tuple(
    re.compile(pattern)
    for pattern in (
        # `12 MG Road, Pune 411001`: an address has a name of a way or quarter in it.
        (
            r"(?:[a-z0-9.#/&'-]+,? ){1,6}(?:road|(?<!\d )rd|street|nagar|marg|colony|sector|layout|chowk)\b\.?"
            r"(?:[ ,-]+[a-z]+){0,3}(?:[ ,-]+\d{6})?\W*"
        ),
        r"sd/?-?",
        (
            r"\(?(?:tele|video|online)[ -]?consult(?:ation)?\)?(?:[ ,-]+(?:consult|consultation|visit|order|ref) (?:id|no)\.? ?[:#-]? ?"
            r"[a-z]{0,4}-?\d+)?"
        ),
        r"(?:for (?:appointments?|enquir(?:y|ies))|in (?:case of )?(?:an )?emergency)(?: please)?(?: call| contact)? ?:? ?\+?\d[\d -]{7,}",
        (
            r"(?:dmc|mci|kmc|tnmc|mmc|nmc|gmc|npi|dea|abha|uhid|mrn|regn?|regd|registration|licen[cs]e|lic)\b\.?(?: (?:reg|no|id)\b\.?)? ?"
            r"[#:/]? ?[a-z]{0,3}/?\d[\d/-]*"
        ),
        r"subject to [a-z]+ jurisdiction(?: only)?\.?",
        r"cc:? ?(?:to )?(?:gp|pcp|patient|file|notes)",
        r"(?:mob|mobile|ph|phone|tel|contact|whatsapp|emergency (?:contact|phone|number)|helpline)\b\.?(?: no\.?)? ?:? ?\+?\d[\d -]{7,}",
    )
)
# By whom a medicine is prescribed that is none of this paper: `Prescribed by GP`.
_ROLES = frozenset(
    "gp pcp outside other another doctor hospital specialist physician surgeon local family treating referring clinic".split()
)
# `A. K. Sharma`
_INITIALS = re.compile(r"(?:[a-z]\. ?){2,3}[a-z]{3,}")
# `SpO2 98%`, also as an engine misreads it (`Sp0?`): a code that no dose looks like.
_SATURATION = re.compile(r"sp ?[o0]? ?[2?z] ?[:-]? ?\d{2,3} ?%")
# Two spans of hours a day are a clinic's.
_HOURS = re.compile(r"(?:clinic |opd )?timings?[ :]")
_SPAN = re.compile(r"\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)? ?(?:-|to) ?\d{1,2}(?:[:.]\d\d)? ?(?:am|pm)")
_SPOKEN = frozenset("drug form slots rate when prn stat verb amount maximum duration".split())


_PLACES = "specialties_and_places"
_NOTA_BENE = re.compile(r"n\.? ?b\b").match


def is_of_the_paper(chunks: Sequence[Chunk], text: str, lexicon: Lexicon) -> bool:
    """Whether a whole line names the one who signed, or the place, numbers and hours of his clinic.

    With a word of speech, `Dr says wait` is no signature, and `leave it by the road` no address.
    """
    in_no_name = lexicon.remarks.in_no_name
    line = text[slice(*extent(chunks))].strip()
    if line.endswith(":") or len(line) > 100:
        return False
    if _HOURS.match(line):
        return len(_SPAN.findall(line)) == 2 and not re.search(
            r"[a-z]{3,}", _SPAN.sub(" ", _HOURS.sub(" ", line, count=1)).replace("and", " ")
        )
    if sum(map(str.isdigit, line)) >= 8 and any(pattern.fullmatch(line) for pattern in _PAPERS):
        return True
    if not _SPOKEN.isdisjoint([c.kind for c in chunks]) or any(c.kind == "cue" and c.value[0] != "hypothetical" for c in chunks):
        return False
    words = _LETTERS.findall(line)
    if _DEGREES & {*words} and all(word in _DEGREES or word in _BESIDE_DEGREES or (len(word) == 1 and word.isalpha()) for word in words):
        return True
    signed = _SIGNED_BY.match(line)
    if not in_no_name.isdisjoint(_LETTERS.findall(line, 0 if signed is None else signed.end())):
        return False
    if signed is not None:
        names = [
            word for word in _LETTERS.findall(line[signed.end() :]) if len(word) > 1 and not {word} & (_DEGREES | _BESIDE_DEGREES | {"dr"})
        ]
        behind = re.split(r"[,;(]| - ", line[signed.end() :], maxsplit=1)[1:]
        said = {*_LETTERS.findall(behind[0])} if behind else set()
        placed = not said.isdisjoint(_DEGREES | _BESIDE_DEGREES) or any(lexicon.plain.group(word) == _PLACES for word in said)
        if not placed and any(len(word) > 1 for word in said):
            # `Dr A Rao, in bursts`: behind the name stands what he is, or where.
            return False
        return len(names) <= 4 and not _ROLES.issuperset(names or ("dr",)) and all(word.isalpha() or len(word) >= 5 for word in names)
    return (_INITIALS.fullmatch(line) is not None and not _NOTA_BENE(line)) or any(pattern.fullmatch(line) for pattern in _PAPERS)


def is_stamp_or_vital(clause: Sequence[Chunk], text: str, departments: Mapping[str, frozenset[str]]) -> bool:
    """Whether a whole clause is an oxygen saturation, or the name of a department as stamps bear it: however it was cut, with a date.

    `departments`: the names by their first three letters.
    """
    first = clause[1] if clause[0].kind == "date" and len(clause) > 1 else clause[0]
    if text.startswith("sp", first.start):
        start, end = extent(clause)
        return end - start < 20 and _SATURATION.fullmatch(text[start:end].strip()) is not None
    names = departments.get(text[first.start : first.start + 3])
    if names is None or len(clause) > 6:
        return False
    undated = [chunk for chunk in clause if chunk.kind != "date"]
    return " ".join(word for chunk in undated for word in _LETTERS.findall(text[chunk.start : chunk.end])) in names
