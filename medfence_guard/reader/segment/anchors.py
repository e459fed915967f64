"""Where a statement begins: the name behind what leads up to it, unless that name is part of something else."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from medfence_guard.reader.chunks import Chunk, DrugMention
from medfence_guard.reader.draft import TIMING_KINDS
from medfence_guard.reader.openings import (
    is_finding,
    is_leading_amount,
    is_list_number,
    is_name_word,
    is_ordered,
    is_sentence_end,
    names_something,
    unlisted_order,
)
from medfence_guard.reader.segment.sheet import Sheet

_LEAD_KINDS = frozenset("form verb cue pseudo_cue item inert person_roles terminator release site route".split())
# What a statement may begin with: what leads up to a name, a list number, an amount, or the name itself.
_ANCHOR_KINDS = _LEAD_KINDS | {"drug", "number", "amount", "then", "word"}
_LEAD_MARKS = frozenset(".-:•,*(\"'+&/|")
_LONGEST_LEAD = 40  # what leads up to a name
_LONGEST_COMBINATION = 80


def find_anchor(sheet: Sheet, chunks: list[Chunk], place: int, *, header: bool, numbered: int | None, at_start: bool) -> int | None:
    """The index of the name that begins a statement whose first word is at `place`; None if none begins here."""
    chunk = chunks[place]
    if chunk.kind not in _ANCHOR_KINDS:
        return None
    if chunk.kind in ("drug", "form") and (_taken_with(sheet, chunks, place) or _form_of_open(sheet, chunks, place)):
        return None
    if chunk.kind == "form" and _form_before_another_name(sheet, chunks, place):
        return None
    if chunk.kind == "drug":
        if _belongs_to_open(sheet, chunks, place):
            return None
        return place if _may_stand_here(sheet, chunks, place, place, header=header) else None
    if _ends_the_open(sheet, chunks, place):
        return None
    after = place
    form = numbered is not None and at_start
    count = min(len(chunks), place + _LONGEST_LEAD)
    if is_list_number(chunks, place):
        # A list number in the middle of a line.
        if _is_counted(sheet, chunks, place):
            return None
        after = place + 2
        form = True
    elif chunk.kind == "amount" and is_leading_amount(chunks, place):
        after = place + 1
    elif chunk.kind not in _LEAD_KINDS and chunk.kind != "then" and not (chunk.kind == "word" and (form or at_start)):
        return None
    while after < count:
        at = chunks[after]
        if at.kind == "drug":
            if _belongs_to_open(sheet, chunks, after, lead=place):
                return None
            return after if _may_stand_here(sheet, chunks, place, after, header=header) else None
        if at.kind == "form":
            form = True
        elif at.kind == "verb":
            # `cream - apply neck to toe`: what follows a verb of use is no name.
            form = form and not (after > place and any(c.kind == "form" for c in chunks[place:after]))
        elif at.kind == "word":
            named = _name_word(sheet, chunks, place, after, header=header, numbered=numbered, at_start=at_start, form=form)
            if named is not None:
                return named if named >= 0 else None
            if at.value in ("of", "the", "a", "an", "also", "and", "on", "pt", "to") and after > place:
                after += 1
                continue
            return None
        elif at.kind == "amount" and is_leading_amount(chunks, after):
            after += 1
            continue
        elif at.kind == "mark":
            if at.value == "." and _ends_its_sentence(sheet, chunks, place, after):
                return None
            if at.value not in _LEAD_MARKS or (at.value in ("+", "&", "/", "(") and after == place):
                return None
        elif after > place and is_list_number(chunks, after):
            form = True
        elif at.kind not in _LEAD_KINDS and at.kind != "then":
            return None
        after += 1
    return None


def _name_word(
    sheet: Sheet, chunks: list[Chunk], place: int, after: int, *, header: bool, numbered: int | None, at_start: bool, form: bool
) -> int | None:
    """The place of an unknown word that is a name: behind a form or a number, or where an order begins. -1 if it ends the search, None if
    it is none. `form`: a form or a number leads up to it."""
    formed = any(c.kind == "form" for c in chunks[place:after])
    if (
        form
        and is_name_word(chunks, after, sheet.lexicon, at_start=at_start)
        and not _is_of_time(sheet, chunks, place, after)
        and not (header and numbered is None and not formed)
        and (at_start or (sheet.open is None and not sheet.context) or is_ordered(chunks, after))
    ):
        return after if names_something(chunks, after, not formed) else -1
    begins = at_start and not header and place == after and sheet.section[1] in ("active", "unknown", "reported")
    return after if begins and unlisted_order(chunks, after, sheet.lexicon) else None


def _ends_the_open(sheet: Sheet, chunks: Sequence[Chunk], place: int) -> bool:
    """`X 50 mg OD stopped, Y 40 mg OD started`: right behind an order and before a comma, it is the end of that order."""
    draft, chunk = sheet.open, chunks[place]
    if draft is None or draft.last_line != sheet.line or place < 1 or place + 1 >= len(chunks):
        return False
    if chunk.kind != "cue" or chunk.value[0] not in ("stopped", "held") or chunk.value[1] != "both":
        return False
    return draft.chunks[-1] is chunks[place - 1] and chunks[place - 1].kind in _OF_AN_ORDER and chunks[place + 1].value in (",", "and", "&")


def _ends_its_sentence(sheet: Sheet, chunks: Sequence[Chunk], place: int, stop: int) -> bool:
    """`X 20 mg HS but not taking it. Takes Y`: what a sentence with an order ends with is of that order, and no beginning of the next."""
    draft = sheet.open
    if draft is None or draft.last_line != sheet.line or draft.after_break or not is_sentence_end(chunks, stop):
        return False
    said = [c for c in chunks[place:stop] if c.kind != "mark"]
    ends = [c.kind == "cue" and c.value[0] in ("stopped", "held", "not_taking") and c.value[1] != "before" for c in said]
    return any(ends) and all(end or c.kind == "terminator" for end, c in zip(ends, said, strict=True))


_OF_AN_ORDER = frozenset("drug amount number tuple rate slots duration when release".split())


_COUNTED = frozenset("pod day grade stage type class".split())


def _is_counted(sheet: Sheet, chunks: Sequence[Chunk], place: int) -> bool:
    """`on POD 2. Distal pulses felt`: the number is of the word before it, and a sentence ends there; no medicine and no form follows."""
    named = place + 2 < len(chunks) and chunks[place + 2].kind in ("drug", "form")
    return place > 1 and sheet.surface(chunks[place - 1]) in _COUNTED and not named


def _is_of_time(sheet: Sheet, chunks: Sequence[Chunk], place: int, after: int) -> bool:
    """`tablets finished May`, `tablets till delivery`, `drops over`: until when, and no name."""
    word = str(chunks[after].value)
    told = after > place and chunks[after - 1].kind == "cue" and any(c.kind == "form" for c in chunks[place:after])
    plain = sheet.lexicon.plain
    return word in sheet.lexicon.remarks.starts or word in plain.small or (told and word in plain.time_words)


def _taken_with(sheet: Sheet, chunks: Sequence[Chunk], place: int) -> bool:
    """`500 mg daily with iron tablet`, `along with Naproxen SOS`: what an order is taken with, not an order of its own.

    A name behind `with` that nothing is said of, or that is ordered elsewhere on the page.
    """
    draft = sheet.open
    if draft is None or draft.last_line != sheet.line or place == 0 or sheet.surface(chunks[place - 1]) not in ("with", "along with"):
        return False
    name = next((n for n in range(place, min(place + 3, len(chunks))) if chunks[n].kind == "drug"), None)
    if name is None or any(c.kind != "form" and c.value not in (".", "-") for c in chunks[place:name]):
        return False
    if not any(c.kind in ("amount", "number", "tuple", *TIMING_KINDS) for c in draft.chunks[draft.anchor :]):
        return False
    rest = list(itertools.takewhile(lambda c: c.value not in (".", ";", ","), chunks[name + 1 :]))
    if any(c.kind in ("amount", "number", "tuple", "malformed", "drug", "form") and (c.kind != "form" or n) for n, c in enumerate(rest)):
        return False
    ordered = any(d.chunks[d.anchor].value == chunks[name].value for d in sheet.out.drafts)
    return ordered or not any(c.kind in TIMING_KINDS for c in rest)


def _form_of_open(sheet: Sheet, chunks: Sequence[Chunk], place: int) -> bool:
    """`Mupirocin 2% ointment on cracks`: the form of the name before it, and where it goes; no name is opened by it."""
    draft, chunk = sheet.open, chunks[place]
    if draft is None or draft.last_line != sheet.line or chunk.kind != "form" or place + 1 >= len(chunks):
        return False
    if sheet.lexicon.form_family.get(chunk.value) != "topical" or any(c.kind == "form" for c in draft.chunks):
        return False
    named = draft.chunks[draft.anchor :]
    if any(c.kind not in ("drug", "amount", "number", "release", "word") for c in named) or not any(c.kind == "amount" for c in named):
        return False
    after = place + 1 + (chunks[place + 1].kind == "mark" and chunks[place + 1].value in ("-", ","))
    return after < len(chunks) and sheet.surface(chunks[after]).partition(" ")[0] in sheet.lexicon.page.placed


def _form_before_another_name(sheet: Sheet, chunks: Sequence[Chunk], place: int) -> bool:
    """`Metformin 500 mg tablet (Glucophage)`: the form is of the name before it, and the bracket holds its other name."""
    draft = sheet.open
    bracket = [c.value if c.kind == "mark" else c.kind for c in chunks[place + 1 : place + 4]]
    if draft is None or draft.last_line != sheet.line or bracket[::2] != ["(", ")"] or bracket[1] not in ("drug", "word"):
        return False
    named = draft.chunks[draft.anchor :]
    return bool(named) and all(c.kind in ("drug", "amount", "number", "release", "tuple") or c.value in ("+", "/", "-") for c in named)


def _may_stand_here(sheet: Sheet, chunks: Sequence[Chunk], place: int, anchor: int, *, header: bool) -> bool:
    """Letterhead, complaints, findings and laboratory lines hold names that are no orders."""
    status = sheet.section[1]
    with_form = any(c.kind == "form" for c in chunks[place:anchor])
    dose_and_time = any(c.kind in ("amount", "number") for c in chunks[anchor + 1 : anchor + 4]) and any(
        c.kind in ("rate", "slots", "prn") for c in chunks[anchor + 1 : anchor + 10]
    )
    if header:
        first = sheet.text[chunks[0].start : chunks[0].end]
        return with_form or (dose_and_time and first in sheet.lexicon.page.vitals)
    linked = any(c.kind == "cue" and c.value[0] in ("taking", "continue") for c in [*sheet.context, *chunks[place:anchor]])
    if linked:
        return True
    if status == "none" and not with_form:
        rest = chunks[anchor + 1 : anchor + 10]
        return any(c.kind in ("amount", "number", "tuple") for c in rest[:3]) and any(c.kind in ("rate", "slots", "prn") for c in rest)
    if with_form:
        return True
    if is_finding(chunks, anchor):
        return False
    # `Test: Calcium, Vit B12, Creatinine`: a list of laboratory names, none of them dosed.
    named_first = anchor == 0 and len(chunks) > 1 and chunks[1].kind == "word"
    return named_first or not sheet.is_tested or anchor < sheet.last_dosed


def _belongs_to_open(sheet: Sheet, chunks: Sequence[Chunk], place: int, lead: int | None = None) -> bool:
    """Whether the name at `place` goes with the statement being read: a printed composition, a combination, `Brand (Generic)`."""
    draft = sheet.open
    if draft is None or (
        lead is not None
        and any(c.kind in ("cue", "item") or (c.kind == "form" and c.value not in ("tablet", "capsule")) for c in chunks[lead:place])
    ):
        return False
    if lead is not None and any(c.kind in ("verb", "then", "terminator", "person_roles") for c in chunks[lead:place]):
        return False
    if draft.after_break and not draft.in_brackets:
        return False
    if draft.holds("composition") or any(c.kind == "composition" for c in chunks[max(0, place - 4) : place]):
        if draft.in_brackets or any(c.kind == "composition" for c in draft.chunks[-8:]):
            return True
    if draft.in_brackets:
        inside = draft.bracket_content(chunks, place)
        return not any(c.kind in ("cue", "verb", "person_roles") for c in inside)
    # A combination: names joined by + or /, nothing but amounts between them, and no brand among them.
    trail = draft.chunks[draft.anchor :]
    if len(trail) > _LONGEST_COMBINATION:
        return False
    joint = trail[-1] if trail else None
    if joint is None or lead is not None:
        return False
    text = str(joint.value) if joint.kind in ("mark", "word") else ""
    if text == "-" and len(trail) > 1 and trail[-2].end == joint.start and chunks[place].start == joint.end:
        # `Amoxicillin-Clavulanate`: a hyphen without white space joins.
        text = "+"
    if text not in ("+", "/", "&") and not (joint.kind in ("word", "inert") and text in ("and",)) and joint.kind != "indication_part":
        return False
    body = trail[:-1]
    if any(c.kind not in ("drug", "amount", "number", "mark", "word", "release", "inert", "indication_part") for c in body):
        return False
    if text not in ("+", "/", "&") and any(c.kind in ("amount", "number") for c in body):
        return False
    names = [c.value for c in body if c.kind == "drug"] + [chunks[place].value]
    return all(isinstance(n, DrugMention) and n.name is not None and not n.name.brand for n in names)
