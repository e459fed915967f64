"""A clause of plain words: `Hot packs, back exercises`, `Watch for rash`, `USG + AFP 6 monthly`, `CXR if cough > 3 weeks` (P21).

`asides.py` holds clauses of a few reviewed subjects to a grammar of each; advice, tests and findings are far more than that.
Here the words carry it: `lexicon/plain.json` lists, by what they are about, words that name no medicine and limit, change,
time or count nothing. A clause is harmless if

- it opens with such a word, or with an opener before it (`avoid`, `no`, `watch for`): never with `with`, `after`, `for`;
- every other word is one of them, or a small word (`and`, `of`, `the`);
- a number or a time stands behind a word of a group that has times of its own (a walk, a test, a visit), and is in no unit of
  medicines;
- a condition (`if`, `in case of`) stands behind a visit, a test or a report, or before one, and holds nothing but such words,
  numbers and times.

One word nobody listed, and it is not: it may be a medicine.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from medfence_guard.reader.asides import clause_of, measures, turns
from medfence_guard.reader.beside import is_advice
from medfence_guard.reader.chunks import Chunk, meaning_of
from medfence_guard.reader.lexicon import PlainWords, Rate, longest
from medfence_guard.reader.misread import Misread
from medfence_guard.reader.roles.record import DAY_PARTS
from medfence_guard.reader.tables import PlainRules

_TIMES = frozenset("rate duration duration_open weekday date when code stat malformed".split())
_NUMBERS = frozenset("number percent tuple range".split())
# Whatever the words, these are of a medicine.
_NEVER = frozenset(
    "form slots maximum quantity refill medicine_class confused unreadable collective instruction_to_model as_directed then "
    "ambiguous".split()
)
_GROUPS = {
    "indication": "findings_and_symptoms",
    "indication_part": "findings_and_symptoms",
    "drug": "tests",
    "header_line_starts": "tests",
    "review_phrases": "visits_and_papers",
}
_HEADED = {"followup": "visits_and_papers", "investigations": "tests"}
_AIMED_AT = frozenset({"foods_and_drinks", "activities", "care"})
_OFTEN = frozenset("rate slots weekday prn stat".split())
# What each thing said of time needs as its subject, by what `_done_as` calls it.
_DONE_AS = {
    "need": frozenset({"done", "met"}),
    "condition": frozenset({"done", "met"}),
    "rhythm": frozenset({"done", "eaten"}),
    "count": frozenset({"done", "eaten", "met"}),
    "occasion": frozenset({"done", "eaten"}),
    "length": frozenset({"done", "eaten", "lasting", "met"}),
}
# What is refused may be so at a time: `No driving at night`.
_REFUSED = frozenset({"occasion", "length"})
_LONGEST_REFUSAL = 5
_MARKS = frozenset(",/&+-()'\".:")
_TOKEN = re.compile(r"[a-z\u0900-\u097f][a-z0-9\u0900-\u097f']*(?:-[a-z]+)*|\d+(?:[.,/:]\d+)*|\S")


def is_plain(
    chunks: Sequence[Chunk], text: str, words: PlainWords, *, visit: bool = False, tested: bool = False, misread: Misread | None = None
) -> bool:
    """Whether a whole clause is made of plain words. `text`: the folded source the chunks point into; `visit`: a heading of visits
    or tests stands before it, and is its subject; `tested`: it stands in a section of tests; `misread`: what its
    words may be, on a recognised page.
    """
    if any(c.kind in _NEVER or (c.kind == "cue" and _ends(c)) for c in chunks):
        return False
    headed = visit
    tokens, _, held = clause_of(chunks, text, _TOKEN)
    if misread is not None:
        tokens = misread.words(tokens, known=lambda word: words.group(word) is not None or word in words.small)
    if not tokens or turns(tokens) or not _are_analytes(tokens, held, words, tested=visit or tested):
        return False
    told = frozenset(tokens)
    if _is_of_no_subject(tokens, held, words):
        return False
    at = opened = words.opening(tokens) or _counted_walk(tokens, words)
    visited = any(words.group(token) in words.conditional for token in tokens[:opened])
    # `Report immediately if`, `Come if`: the opener is the visit.
    visit = visit or visited or tokens[at - 1 : at] == ["if"]
    conditioned = longest(words.conditions, tokens, at)
    if not (visit or conditioned) and (at == len(tokens) or not _is_subject(tokens[at], held[at], words)):
        return False
    at += conditioned
    timed, conditional = visit or conditioned > 0, visit or conditioned > 0
    # `BP > 140/90` is told of no one but the order; `Salt < 5 g` of the salt.
    measured = tokens[0] == "sugar" or (words.group(tokens[0]) or _group_of(held[0])) not in _AIMED_AT
    compared = conditioned > 0 or opened > 0 or not measured
    answered = not conditioned or visited
    limited = conditioned > 0 or tokens[at - 1 : at] == ["if"]
    last = len(tokens) - (tokens[-1] in words.closing and _is_done(tokens[at:], words))
    while at < last:
        token, chunk, before = tokens[at], held[at], tokens[at - 1] if at else ""
        group = words.group(token) or _group_of(chunk)
        if token in words.rules.vitamin and tested and tokens[at + 1 : at + 2] and tokens[at + 1] in words.analytes:
            group = "tests"
        if group is None and token in words.analytes and before in words.measured_in:
            group = "tests"
        if group is not None:
            answered = answered or token in words.visits or (group in words.conditional and before in words.rules.answering)
            timed = timed or group in words.timed
            conditional = conditional or group in words.conditional or opened > 0
            at += 1
        elif conditional and (size := longest(words.conditions, tokens, at)):
            timed = compared = limited = True
            at += size
        elif before == "," and visit and not (limited and token in words.in_conditions):
            # `Review after a month, twice weekly`
            return False
        elif (
            token in words.small
            or token in _MARKS
            or (limited and token in words.in_conditions)
            or (timed and _is_of_time(token, chunk, told, words, compared=compared))
        ):
            at += 1
        else:
            return False
    return answered and ((headed and not _is_of_taking(tokens, held, words.rules)) or _have_their_subjects(tokens, held, words))


def _have_their_subjects(tokens: Sequence[str], held: Sequence[Chunk | None], words: PlainWords) -> bool:
    """Whether what is needed, timed, counted or conditioned is done so: `Physio BD`, `Ice SOS`, and no `Work SOS`, `Blood BD`.

    The subject stands in the same part of the clause, or in the one before a part that has none.
    """
    kinds = [_done_as(at, tokens, held, words) for at in range(len(tokens))]
    subjects: frozenset[str] = frozenset()
    start = 0
    for end in [*(at for at, token in enumerate(tokens) if token == ","), len(tokens)]:
        subjects = frozenset(filter(None, kinds[start:end])) or subjects
        refused = not words.refusing.isdisjoint(tokens[start : min(end, start + _LONGEST_REFUSAL)])
        for need in _needs(tokens[start:end], held[start:end], words.rules):
            found = frozenset(filter(None, kinds)) if need == "condition" else subjects
            if _DONE_AS[need].isdisjoint(found) and not (refused and need in _REFUSED and found):
                return False
        start = end + 1
    return True


def _is_of_taking(tokens: Sequence[str], held: Sequence[Chunk | None], rules: PlainRules) -> bool:
    """`Follow up: TDS`, `Tests: after food`, `Review: x 5 days`: no visit is so often, at a meal, or for so long."""
    if not rules.of_doses.isdisjoint(tokens):
        return True
    chunks = (chunk for chunk in held if chunk is not None)
    return any((c.kind == "when" and c.value[0] not in DAY_PARTS) or (c.kind == "rate" and _is_of_a_day(c.value)) for c in chunks)


def _is_of_a_day(rate: Rate) -> bool:
    return rate.unit == "h" or (rate.unit == "d" and rate.low > rate.period)


def _done_as(at: int, tokens: Sequence[str], held: Sequence[Chunk | None], words: PlainWords) -> str | None:
    """What a word of a clause is for its times; None of one that alone names nothing, or only a finding."""
    token, chunk = tokens[at], held[at]
    if token in words.small or (chunk is not None and chunk.kind == "when"):
        return None
    group = words.group(token) or _group_of(chunk)
    if token in words.vague:
        # `CT brain`
        return "done" if group == "tests" and words.group(" ".join(tokens[at + 1 : at + 2])) == "body" else None
    if token in words.recurring or group == "tests":
        return "done"
    if token in words.eaten:
        return "eaten"
    if token in words.lasting:
        return "lasting"
    if group not in words.timed or group == "nursing":
        return None
    return "met" if group in words.conditional else "told"


def _needs(tokens: Sequence[str], chunks: Sequence[Chunk | None], rules: PlainRules) -> set[str]:
    """What is said in a part of a clause that needs a subject of its own: of `_DONE_AS`."""
    found: set[str] = set()
    for at, (token, chunk) in enumerate(zip(tokens, chunks, strict=True)):
        kind = "word" if chunk is None else chunk.kind
        before = tokens[at - 1] if at else ""
        if at and chunk is not None and chunk is chunks[at - 1]:
            continue
        if kind in ("prn", "stat") or token in rules.needed:
            found.add("need")
        elif token == "sun" and tokens[at + 1 : at + 2] and tokens[at + 1] in rules.of_the_sun:
            continue
        elif kind in ("rate", "weekday", "unsupported") or token in rules.rhythms:
            found.add("rhythm")
        elif kind == "when":
            found.add("occasion")
        elif kind == "duration" and not rules.appointing.intersection((before, token)):
            found.add("length")
        elif kind == "number" and at == len(tokens) - 1 and before not in rules.numbered:
            found.add("count")
        elif token in rules.conditions:
            found.add("condition")
    return found


def _counted_walk(tokens: Sequence[str], words: PlainWords) -> int:
    """`30 min brisk walk daily`: how many tokens say how long, before what a body does."""
    counted = len(tokens) > 2 and tokens[0].isdigit() and tokens[1] in words.rules.lengths
    return 2 if counted and words.group(tokens[2]) == "activities" else 0


def _is_of_no_subject(tokens: Sequence[str], held: Sequence[Chunk | None], words: PlainWords) -> bool:
    """`Strips 2`, `Gradual reduction`, `Do not repeat`, `Check`, `Fluids 500 ml stat`: plain words that say nothing plain."""
    groups = [(token, words.group(token) or _group_of(chunk)) for token, chunk in zip(tokens, held, strict=True)]
    subjects = [token for token, group in groups if group is not None and token not in words.small]
    asked = tokens[0] in words.rules.asking and tokens[1:2] == ["with"]
    if asked or list(tokens) == ["check"] or (not subjects and not words.rules.denying.isdisjoint(tokens)):
        return True
    if words.rules.needs_another.issuperset(subjects) and subjects:
        return True
    counted = {chunk.kind for chunk in held if chunk is not None}
    if len(tokens) == 2 and "number" in counted and subjects and tokens[0] in words.rules.counted:
        return True
    return "amount" in counted and ("stat" in counted or "over" in tokens) and not words.rules.infused.isdisjoint(tokens)


def _ends(cue: Chunk) -> bool:
    """`na len`, `stopped`: it is said of what stands before it."""
    return cue.value[0] in ("stopped", "held") or tuple(cue.value) == ("avoid", "after")


def _is_done(tokens: Sequence[str], words: PlainWords) -> bool:
    """`OPG taken`, `Crisis numbers given`: done is a test, a procedure, a talk or a paper."""
    return bool(tokens) and words.group(tokens[0]) in words.done


def _are_analytes(tokens: Sequence[str], held: Sequence[Chunk | None], words: PlainWords, *, tested: bool) -> bool:
    """Whether each medicine named is what a laboratory measures: `S. calcium`, `Test: urea, vit B12`; and no `Test: iron OD`."""
    given = False
    for at, (token, chunk) in enumerate(zip(tokens, held, strict=True)):
        named = chunk is not None and chunk.kind == "drug"
        if not named and token not in words.rules.supplements:
            continue
        # `S. calcium`, `serum calcium`, `calcium level`
        beside = {*tokens[max(0, at - 2) : at][-1:], *tokens[at + 1 : at + 2]}
        of_s = at > 1 and tokens[at - 2] == "s"
        tested = tested or (named and (of_s or not words.measured_in.isdisjoint(beside)))
        if named and (not tested or token not in words.analytes):
            return False
        given = given or not (of_s or not words.measured_in.isdisjoint(beside - words.rules.supplements))
    return not (given and _is_regimen(tokens, held, words.rules))


def _is_regimen(tokens: Sequence[str], held: Sequence[Chunk | None], rules: PlainRules) -> bool:
    """Whether a clause says how often or how long, and not only when."""
    return any(
        chunk is not None
        and (chunk.kind in _OFTEN or (chunk.kind == "duration" and tokens[at - 1 : at] and tokens[at - 1] not in rules.appointing))
        for at, chunk in enumerate(held)
        if not (at and chunk is held[at - 1])
    )


def _is_subject(token: str, chunk: Chunk | None, words: PlainWords) -> bool:
    known = token in words.small or token in words.time_words
    return words.group(token) is not None or (not known and _group_of(chunk) is not None)


def _group_of(chunk: Chunk | None) -> str | None:
    """Of what the reader knows by itself: reviewed advice, a complaint, a measured thing."""
    if chunk is None:
        return None
    if is_advice(chunk) or chunk.value == "side_effects":
        return "care"
    if chunk.value == "adherence":
        # `Medicines to be supervised by wife`
        return "counselling"
    heading = meaning_of(chunk, "heading")
    if isinstance(heading, tuple) and heading[0] in _HEADED:
        # `Nephro r/v 3 mths`
        return _HEADED[heading[0]]
    return _GROUPS.get(chunk.kind)  # a medicine here is an analyte


def _is_of_time(token: str, chunk: Chunk | None, told: frozenset[str], words: PlainWords, *, compared: bool) -> bool:
    if token in "<>":
        return compared
    if token in words.time_words or chunk is None:
        return token in words.time_words
    if chunk.kind == "amount":
        return measures(chunk, told)
    if chunk.kind == "prn":
        # `Review SOS`
        return not told.isdisjoint(words.visits)
    if chunk.kind == "unsupported":
        # `5 days a week`, and no `taper`
        return token[0].isdigit()
    return chunk.kind in _TIMES or chunk.kind in _NUMBERS or chunk.value == "ordinal"
