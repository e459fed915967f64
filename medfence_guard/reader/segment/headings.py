"""Headings: one that sets the section of what stands below it, and one of another time, place or decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from medfence_guard.contract import Span
from medfence_guard.reader.asides import is_aside, is_of_the_paper
from medfence_guard.reader.chunks import Chunk, extent, meaning_of, means
from medfence_guard.reader.lines import undecorated
from medfence_guard.reader.openings import begins_an_order
from medfence_guard.reader.remarks import heads_orders, heads_something_else, heads_two_columns, place_of_treatment
from medfence_guard.reader.segment.sheet import Sheet

# Sections whose inline heading (`Allergy: Clonazepam`) speaks of its own line only.
_LINE_SECTIONS = frozenset(
    "allergy stop past family social complaints exam diagnosis investigations followup header advice signature".split()
)
_FINDINGS = "findings_and_symptoms"
# Sections whose headings no order stands under.
_OF_NO_ORDERS = frozenset({"complaints", "exam", "diagnosis", "investigations", "social", "followup"})
_LONGEST_HEADING = 12  # in chunks


class _Heading(NamedTuple):
    """A heading as it is written: behind it stands a colon, or nothing on the line; `leads`: the sentence goes on (`pt on X`);
    `is_rx`: it is the sign of a prescription."""

    chunk: Chunk
    name: str
    status: str
    surface: str
    colon: bool
    alone: bool
    leads: bool
    is_rx: bool


def behind_heading(sheet: Sheet, chunks: Sequence[Chunk], place: int, *, at_start: bool) -> int | None:
    """The index behind the heading at `place`, which sets the section; None if none stands there."""
    if not means(chunks[place], "heading") or chunks[place].kind == "drug":
        return None
    heading = _heading_at(sheet, chunks, place, at_start=at_start)
    if heading is None:
        return None
    _note_ends(sheet, heading)
    # `do not take Medications started:` below an order: the words stand before the heading, whoever took them.
    taken = chunks[:place] if sheet.open is not None and sheet.open.line < sheet.line and not sheet.broke else []
    sheet.close()
    led = [
        c
        for c in [*sheet.context, *(c for c in taken if c.kind == "cue")]
        if (
            c.kind in ("cue", "word", "person_roles", "unreadable", "prn", "rate", "weekday", "amount", "slots") or sheet.surface(c) == "no"
        )
        and c.value not in sheet.lexicon.reference_words
    ]
    sheet.context = []
    sheet.clause_cue = None
    name, surface = heading.name, heading.surface
    sheet.signed = sheet.signed or (name == "signature" and bool(sheet.out.drafts))
    if name in ("rx", "plan") and ("discharge" in surface or surface.startswith("d/c")):
        sheet.out.discharge = True
    sheet.out.prescriptions += heading.is_rx
    bracket = heading.is_rx and place + 1 < len(chunks) and chunks[place + 1].kind == "mark" and chunks[place + 1].value == "("
    if bracket or (name == "rx" and any(means(c, "person_roles") for c in chunks[place + 1 : place + 4])):
        sheet.out.persons.extend(c for c in chunks[place + 1 :] if means(c, "person_roles"))
    if bracket:
        sheet.section = (name, heading.status)
        return len(chunks)
    rest = place + 1 + heading.colon
    _set_section(sheet, heading, led, rest, behind=chunks[rest:])
    return rest


def _heading_at(sheet: Sheet, chunks: Sequence[Chunk], place: int, *, at_start: bool) -> _Heading | None:
    """The heading whose words stand at `place`, if they are written as one, and not as a part of the order above."""
    chunk = chunks[place]
    value = meaning_of(chunk, "heading")
    assert isinstance(value, tuple)
    name, status = value
    surface = sheet.surface(chunk)
    following = chunks[place + 1] if place + 1 < len(chunks) else None
    colon = following is not None and following.kind == "mark" and following.value in (":", "-", ":-", "=")
    if colon and following is not None and following.value == "-" and not at_start:
        colon = False
    alone = following is None and all(c.kind in ("item", "mark") for c in chunks[:place])
    leads = at_start and name == "current" and surface in sheet.lexicon.page.leading
    heading = _Heading(chunk, name, status, surface, colon, alone, leads, surface in sheet.lexicon.page.rx)
    if (
        means(chunk, "label")
        and colon
        and sheet.open is not None
        and name not in _LINE_SECTIONS
        and surface not in sheet.lexicon.page.above_labels
    ):
        return None
    if not (colon or (alone and at_start) or heading.is_rx or leads):
        return None
    if chunk.kind == "cue" and not (colon or alone or leads):
        return None
    return heading


def _note_ends(sheet: Sheet, heading: _Heading) -> None:
    """`Stopped`, alone on its line below an order, may be its end or the next heading."""
    if not heading.alone:
        return
    chunk = heading.chunk
    if heading.status in ("stopped", "past", "allergy") and sheet.out.drafts:
        sheet.ends_with = (Span(chunk.start, chunk.end), len(sheet.out.drafts) + (sheet.open is not None))
    if means(chunk, "cue") and sheet.open is not None and sheet.line - sheet.open.last_line <= 1:
        sheet.open.loose.append(chunk)


def _set_section(sheet: Sheet, heading: _Heading, led: Sequence[Chunk], rest: int, *, behind: Sequence[Chunk]) -> None:
    """What stands behind and below the heading is of its section. `led`: what leads the heading (`Mother's medications:`, `Sample Rx`)
    qualifies it."""
    name = heading.name
    inline = bool(behind)
    # What ended before the heading ends nothing behind it.
    sheet.broke = False
    if not inline and (name == "followup" or heading.status in ("stopped", "past", "allergy", "family")):
        sheet.elsewhere_line = sheet.line
    if inline and sheet.last_below < rest and (name in _LINE_SECTIONS or (heading.leads and not heading.colon)):
        sheet.after_line = sheet.after_line or sheet.section
    sheet.section = (name, heading.status)
    if name == "followup" and inline and any(c.kind == "cue" for c in led):
        # `hold until review: Tab X`
        sheet.stand_elsewhere()
        return
    kept = sheet.unknown_heading and inline and means(heading.chunk, "label")
    # `If needed:` and right below it `Medications started: X`: they stand under both.
    below = sheet.needed_line == sheet.line - 1 and heading.status in ("active", "reported")
    sheet.unknown_heading = kept
    if below:
        sheet.stand_elsewhere()
    if led and name in ("rx", "current", "plan") and len(led) <= 3:
        sheet.stand_elsewhere()
    sheet.muted = False
    if heading.leads:
        sheet.context.append(heading.chunk)
    if name in _LINE_SECTIONS and _names_behind_a_denial(sheet, heading, led, behind):
        sheet.stand_elsewhere()
    begins = begins_an_order(behind) if inline else sheet.begun[sheet.line]
    if name in _OF_NO_ORDERS and begins:
        # `Complaints:`, and right below it `Tab X 500 mg BD`: what was taken, or what is ordered.
        sheet.stand_elsewhere()


def _names_behind_a_denial(sheet: Sheet, heading: _Heading, led: Sequence[Chunk], behind: Sequence[Chunk]) -> bool:
    """`Family history: nil, Tab X`, `NKDA - Tab X`, `No drug allergy - Tab X`: nothing is of the heading, so the medicine is not."""
    words = sheet.lexicon.clauses
    answered = words.denials_in(map(sheet.surface, behind))
    itself = heading.surface in sheet.lexicon.no_allergy or any(sheet.surface(c) in words.denied for c in led)
    return (answered > 0 or itself) and any(c.kind in ("drug", "form", "verb") for c in behind[answered:])


def behind_order_heading(sheet: Sheet, chunks: list[Chunk]) -> list[Chunk] | None:
    """What stands behind `Current plan:`, `Medicines for home`, whose orders stand; None if the line begins with no such heading."""
    colon = next((n for n, c in enumerate(chunks[:_LONGEST_HEADING]) if c.kind == "mark" and c.value in (":", ":-")), None)
    alone = colon is None or colon == len(chunks) - 1
    if colon is None and not sheet.followed[sheet.line]:
        return None
    if not alone and chunks[(colon or 0) + 1].kind not in ("drug", "form", "verb", "item"):
        return None
    end = len(chunks) if colon is None else colon
    known = meaning_of(chunks[0], "heading")
    if end == 0 or end > _LONGEST_HEADING or (end == 1 and isinstance(known, tuple)):
        return None
    text = sheet.text[chunks[0].start : chunks[end - 1].end]
    section = heads_orders(text, sheet.lexicon, treated=lambda: _is_treated(sheet, chunks[0].start))
    if section is None:
        return None
    sheet.close()
    if (
        sheet.out.drafts
        and sheet.lexicon.page.from_here_on.search(text) is not None
        and _place_of_current(sheet) < sheet.out.drafts[-1].start
    ):
        # `Current plan: …`, and below it `New plan: …`: beside the first, or instead of it.
        sheet.out.remarks.append(Span(*extent(chunks[:end])))
    sheet.told_asides.append((chunks[0].start, chunks[end - 1].end))
    # `Ward chart`, `Stopped:` and right below it `Current orders`: they stand under both.
    above = sheet.elsewhere_line == sheet.line - 1 or heads_something_else(_line_above(sheet.text, chunks[0].start), sheet.lexicon)
    sheet.unknown_heading = False
    if above:
        sheet.stand_elsewhere()
    sheet.section, sheet.after_line = section, None
    sheet.leave_ahead()
    return chunks[end + 1 :]


def _place_of_current(sheet: Sheet) -> int:
    """Where the page first heads what stands now, or stood until now; its end if nowhere."""
    if sheet.current_at is None:
        found = sheet.lexicon.page.current.search(sheet.text)
        sheet.current_at = found.start() if found else len(sheet.text)
    return sheet.current_at


def _line_above(text: str, place: int) -> str:
    """The last line above the one of this place that is not blank."""
    end = text.rfind("\n", 0, place)
    while end > 0:
        begin = text.rfind("\n", 0, end)
        line = text[begin + 1 : end].strip()
        if line:
            return line
        end = begin
    return ""


def _is_treated(sheet: Sheet, place: int) -> bool:
    if sheet.treated_at is None:
        sheet.treated_at = place_of_treatment(sheet.text, sheet.lexicon)
    return sheet.treated_at < place


def behind_other_heading(sheet: Sheet, chunks: list[Chunk]) -> list[Chunk]:
    """The line without a heading of another time, place or decision; whether the orders below it stand, a person must say."""
    framed = chunks[0].kind == "mark" and chunks[0].value in ("#", "=", "*", "_", "<")
    hashed = chunks[0].value == "#"
    written = any(c.kind in ("word", "inert", "heading", "label", "cue") for c in chunks)
    if _is_decorated(chunks, framed=framed, written=written):
        chunks = undecorated(chunks)
        if not chunks:
            return chunks
    colon = next((n for n, c in enumerate(chunks[:8]) if c.kind == "mark" and c.value in (":", ":-")), len(chunks) - 1)
    inline = colon < len(chunks) - 1
    if _heads_no_orders(chunks, colon, inline=inline):
        return chunks
    qualified = _is_qualified(sheet, chunks[: colon + (chunks[colon].value != ":")])
    if not inline and (not sheet.followed[sheet.line] or (_is_told(sheet, chunks) and not qualified)):
        return chunks
    timed = any(c.kind in ("slots", "rate", "duration") for c in chunks)
    if not inline and not timed and heads_two_columns(sheet.text[slice(*extent(chunks))], sheet.lexicon):
        sheet.out.remarks.append(Span(*extent(chunks)))
        return chunks
    first = meaning_of(chunks[0], "heading")
    own = isinstance(first, tuple) and first[1] not in ("none", "cue", "reported")
    # `Medicines for travel:` is no heading of medicines alone.
    text = sheet.text[chunks[0].start : chunks[colon].end]
    led_on = inline and colon > 1 and isinstance(first, tuple) and first[1] == "active" and heads_something_else(text, sheet.lexicon)
    if own and not led_on and (inline or chunks[colon].value == ":" or colon == 0):
        # A heading that is known says its own status.
        return chunks
    if not (
        (not inline and written and _is_when_needed(chunks))
        # `On dialysis days:`, `Before exercise:`
        or (not inline and chunks[colon].value == ":" and sheet.surface(chunks[0]) in sheet.lexicon.remarks.starts)
        # `Did not go home on:`, `Yesterday's plan`
        or (qualified and not any(c.kind in ("slots", "rate", "duration") for c in chunks[: colon + 1]))
        or heads_something_else(text, sheet.lexicon)
        or (framed and len(chunks) <= _LONGEST_FRAMED and not _is_of_the_list(sheet, chunks, hashed=hashed))
    ):
        return chunks
    sheet.close()
    sheet.section = ("", "unknown")
    sheet.stand_elsewhere()
    sheet.leave_ahead()
    return chunks[colon + 1 :]


_LONGEST_FRAMED = 6  # in chunks


def _is_decorated(chunks: Sequence[Chunk], *, framed: bool, written: bool) -> bool:
    """`=== OLD LIST ===`, `## Weaned`, and no order between marks."""
    if not framed and chunks[-1].value not in ("=", "*", "#", ":", "-", ">"):
        return False
    kinds = {c.kind for c in chunks}
    return kinds.isdisjoint(("drug", "form", "rate", "slots", "when", "amount", "number")) and (written or "prn" not in kinds)


def _heads_no_orders(chunks: Sequence[Chunk], colon: int, *, inline: bool) -> bool:
    """Whether what stands before the colon is of an order, or what stands behind it is none."""
    if inline and colon == 1 and chunks[0].kind == "medicine_class":
        # `Tear substitute: Refresh Tears`: what it is, before its name.
        return True
    if any(c.kind in ("drug", "amount") for c in chunks[:colon]) or (not inline and chunks[colon].kind in ("drug", "amount")):
        return True
    return inline and not any(c.kind in ("drug", "form") for c in chunks[colon + 1 :])


def _is_when_needed(chunks: Sequence[Chunk]) -> bool:
    """`PRN medicines`, `As needed by Dr Rao`: when those below are taken."""
    kinds = {c.kind for c in chunks}
    of_one = ("indication", "number", "rate", "slots", "duration", "when", "amount", "weekday", "maximum")
    return "prn" in kinds and kinds.isdisjoint(of_one)


def _is_of_the_list(sheet: Sheet, chunks: Sequence[Chunk], *, hashed: bool) -> bool:
    """`# HFpEF, compensated`: a problem, with the orders for it below; or a heading, a class, a form that is known."""
    known = ("indication", "medicine_class", "header_line_starts", "form", "label", "item")
    if any(means(c, "heading") or c.kind in known for c in chunks):
        return True
    return hashed and any(c.kind == "word" and sheet.lexicon.plain.group(str(c.value)) == _FINDINGS for c in chunks)


def _is_qualified(sheet: Sheet, chunks: Sequence[Chunk]) -> bool:
    """`Yesterday's plan`, `Current plan if BP high`, `Did not go home on`: words of orders beside words that no such heading has."""
    if not 1 < len(chunks) <= _LONGEST_QUALIFIED:
        return False
    words, page = [sheet.surface(c) for c in chunks], sheet.lexicon.page
    if words[-1] in page.plans:
        # `Fever plan`: at fever; `HTN plan`: of a disease that is there every day.
        passing = (c for c in chunks[:-1] if c.kind == "indication" and sheet.surface(c) not in sheet.lexicon.long_standing)
        return any(c.kind in _QUALIFYING for c in chunks[:-1]) or any(passing)
    if words[-2] == "home" and words[-1] in page.home_on:
        return True
    headed = not page.plans.isdisjoint(words) or words[0].partition(" ")[0] in page.advised
    return headed and any(word in page.conditions or c.kind == "date" or _is_year(c) for word, c in zip(words, chunks, strict=True))


def _is_year(chunk: Chunk) -> bool:
    return chunk.kind == "number" and len(chunk.value.parts) == 1 and chunk.value.parts[0] > _ANCIENT


_ANCIENT = 1900  # no year of a paper
_QUALIFYING = frozenset({"word", "cue", "prn", "person_roles", "stat", "then"})
_LONGEST_QUALIFIED = 8  # in chunks


def _is_told(sheet: Sheet, chunks: Sequence[Chunk]) -> bool:
    """`Side effects explained`: a clause, no heading, though a word of it could head one. A visit (`Visit 12/01`) may."""
    classes = [row for row in sheet.asides if row.name != "visits"]
    told = is_of_the_paper(chunks, sheet.text, sheet.lexicon) or is_aside(chunks, sheet.text, classes)
    # `Asthma action plan`, and nothing of it but its name: `Asthma action plan given` is told.
    words, text = sheet.lexicon.remarks, sheet.text[slice(*extent(chunks))].strip(" -•*.")
    named = text in words.lone_headings or words.other_headings.fullmatch(text) is not None
    return len(chunks) > 1 and chunks[-1].value != ":" and told and not named
