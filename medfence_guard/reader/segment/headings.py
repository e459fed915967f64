"""Headings: one that sets the section of what stands below it, and one of another time, place or decision."""

from collections.abc import Sequence

from medfence_guard.contract import Span
from medfence_guard.reader.asides import is_aside, is_of_the_paper
from medfence_guard.reader.chunks import Chunk, extent, meaning_of, means
from medfence_guard.reader.lines import undecorated
from medfence_guard.reader.remarks import (
    heads_something_else,
    heads_two_columns,
)
from medfence_guard.reader.segment.sheet import Sheet

# Sections whose inline heading (`Allergy: Clonazepam`) speaks of its own line only.
_LINE_SECTIONS = frozenset(
    "allergy stop past family social complaints exam diagnosis investigations followup header advice signature".split()
)


def behind_heading(sheet: Sheet, chunks: Sequence[Chunk], place: int, *, at_start: bool) -> int | None:
    chunk = chunks[place]
    if not means(chunk, "heading") or chunk.kind == "drug":
        return None
    value = meaning_of(chunk, "heading")
    assert isinstance(value, tuple)
    name, status = value
    surface = sheet.text[chunk.start : chunk.end]
    following = chunks[place + 1] if place + 1 < len(chunks) else None
    colon = following is not None and following.kind == "mark" and following.value in (":", "-", ":-", "=")
    alone = following is None and place == 0
    is_rx = surface in ("rx", "℞")
    bracket = is_rx and following is not None and following.kind == "mark" and following.value == "("
    soft_current = (
        at_start
        and name == "current"
        and surface in ("pt on", "patient on", "currently on", "k/c/o", "presently on", "kco", "known case of")
    )
    if colon and following is not None and following.value == "-" and not at_start:
        colon = False
    if (
        means(chunk, "label")
        and colon
        and sheet.open is not None
        and name not in _LINE_SECTIONS
        and surface not in ("rx", "adv", "advice", "plan", "treatment")
    ):
        return None
    if not (colon or (alone and at_start) or is_rx or soft_current):
        return None
    if chunk.kind == "cue" and not (colon or alone or soft_current):
        return None
    if alone and status in ("stopped", "past", "allergy") and sheet.out.drafts:
        sheet.ends_with = (Span(chunk.start, chunk.end), len(sheet.out.drafts) + (sheet.open is not None))
    if alone and means(chunk, "cue") and sheet.open is not None and sheet.line - sheet.open.last_line <= 1:
        # `stop` on a line of its own below an order may be its end or the next heading.
        sheet.open.loose.append(chunk)
    # `do not take Medications started:` below an order: the words stand before the heading, whoever took them.
    taken = chunks[:place] if sheet.open is not None and sheet.open.line < sheet.line and not sheet.broke else []
    sheet.close()
    led = [
        c
        for c in [*sheet.context, *(c for c in taken if c.kind == "cue")]
        if c.kind in ("cue", "word", "person_roles", "unreadable", "prn", "rate", "weekday", "amount", "slots")
        and c.value not in sheet.lexicon.reference_words
    ]
    sheet.context = []
    sheet.clause_cue = None
    sheet.signed = sheet.signed or (name == "signature" and bool(sheet.out.drafts))
    if name in ("rx", "plan") and ("discharge" in surface or surface.startswith("d/c")):
        sheet.out.discharge = True
    if is_rx or (name == "rx" and alone):
        sheet.out.prescriptions += is_rx
    rest = place + 1 + (1 if colon else 0)
    inline = rest < len(chunks)
    if bracket or (name == "rx" and any(means(c, "person_roles") for c in chunks[place + 1 : place + 4])):
        sheet.out.persons.extend(c for c in chunks[place + 1 :] if means(c, "person_roles"))
        if bracket:
            sheet.section = (name, status)
            return len(chunks)
    if inline and sheet.last_below < rest and (name in _LINE_SECTIONS or (soft_current and not colon)):
        sheet.after_line = sheet.after_line or sheet.section
    sheet.section = (name, status)
    # `Mother's medications:`, `Sample Rx`: what leads a heading qualifies it.
    if name == "followup" and inline and any(c.kind == "cue" for c in led):
        # `hold until review: Tab X`
        sheet.unknown_heading = True
        return rest
    kept = sheet.unknown_heading and inline and means(chunk, "label")
    sheet.unknown_heading = kept or (bool(led) and name in ("rx", "current", "plan") and len(led) <= 3)
    sheet.muted = False
    if soft_current:
        sheet.context.append(chunk)
    return rest


def behind_other_heading(sheet: Sheet, chunks: list[Chunk]) -> list[Chunk]:
    """The line without a heading of another time, place or decision; whether the orders below it stand, a person must say."""
    framed = chunks[0].kind == "mark" and chunks[0].value in ("#", "=", "*", "_", "<")
    decorated = framed or chunks[-1].value in ("=", "*", "#", ":", "-", ">")
    written = any(c.kind in ("word", "inert", "heading", "label", "cue") for c in chunks)
    if (
        decorated
        and not any(c.kind in ("drug", "form", "rate", "slots", "when", "amount", "number") for c in chunks)
        and (written or not any(c.kind == "prn" for c in chunks))
    ):
        chunks = undecorated(chunks)
        if not chunks:
            return chunks
    colon = next((n for n, c in enumerate(chunks[:8]) if c.kind == "mark" and c.value in (":", ":-")), len(chunks) - 1)
    inline = colon < len(chunks) - 1
    text = sheet.text[chunks[0].start : chunks[colon].end]
    if any(c.kind in ("drug", "amount") for c in chunks[:colon]) or (not inline and chunks[colon].kind in ("drug", "amount")):
        return chunks
    if inline and not any(c.kind in ("drug", "form") for c in chunks[colon + 1 :]):
        return chunks
    if not inline and (not sheet.followed[sheet.line] or _is_told(sheet, chunks)):
        return chunks
    whole = sheet.text[slice(*extent(chunks))]
    timed = any(c.kind in ("slots", "rate", "duration") for c in chunks)
    if not inline and not timed and heads_two_columns(whole, sheet.lexicon):
        sheet.out.remarks.append(Span(chunks[0].start, chunks[-1].end))
        return chunks
    first = meaning_of(chunks[0], "heading")
    own = isinstance(first, tuple) and first[1] not in ("none", "cue", "reported")
    if own and (inline or chunks[colon].value == ":" or colon == 0):
        # A heading that is known says its own status.
        return chunks
    known = any(
        means(c, "heading") or c.kind in ("indication", "medicine_class", "header_line_starts", "form", "label", "item") for c in chunks
    )
    # `PRN medicines`, `As needed by Dr Rao`: when those below are taken.
    needed = (
        not inline
        and written
        and any(c.kind == "prn" for c in chunks)
        and not any(c.kind in ("indication", "number", "rate", "slots", "duration", "when", "amount", "weekday", "maximum") for c in chunks)
    )
    # `On dialysis days:`, `Before exercise:`
    limited = not inline and chunks[colon].value == ":" and sheet.surface(chunks[0]) in sheet.lexicon.remarks.starts
    if not needed and not limited and not heads_something_else(text, sheet.lexicon) and not (framed and not known and len(chunks) <= 6):
        return chunks
    sheet.close()
    sheet.section = ("", "unknown")
    sheet.unknown_heading = True
    sheet.ahead = (-2, [])
    return chunks[colon + 1 :]


def _is_told(sheet: Sheet, chunks: Sequence[Chunk]) -> bool:
    """`Side effects explained`: a clause, no heading, though a word of it could head one. A visit (`Visit 12/01`) may."""
    classes = [row for row in sheet.asides if row.name != "visits"]
    told = is_of_the_paper(chunks, sheet.text, sheet.lexicon.remarks.in_no_name) or is_aside(chunks, sheet.text, classes)
    return len(chunks) > 1 and chunks[-1].value != ":" and told
