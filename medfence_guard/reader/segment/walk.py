"""Along the words of one line: each is of the statement that is open, begins one, or ends it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from medfence_guard.contract import Span
from medfence_guard.reader.advice import is_advice_by_shape
from medfence_guard.reader.asides import is_aside, is_stamp_or_vital
from medfence_guard.reader.chunks import Chunk, meaning_of, means
from medfence_guard.reader.continuation import continues, goes_on_after_break
from medfence_guard.reader.draft import SIG_KINDS, TIMING_KINDS, Draft
from medfence_guard.reader.openings import ends_a_sentence_as_past, is_list_number, is_sentence_end, starts_with_form
from medfence_guard.reader.segment.anchors import find_anchor
from medfence_guard.reader.segment.clauses import flush
from medfence_guard.reader.segment.headings import behind_heading
from medfence_guard.reader.segment.orders import begin
from medfence_guard.reader.segment.sheet import Sheet

# Who a sentence is about, and how many words his name and age are at most.
_NAMED = 4
_DOSED = TIMING_KINDS | {"amount", "number", "tuple", "malformed", "form"}
_TURNS = frozenset({"stopped", "held", "avoid", "not_taking", "increase", "decrease"})
_LONGEST_CLAUSE = 80  # in chunks; a longer one is prose, and no aside
# `Current medications: as below`, `Rest same`
_BELOW = frozenset({"below"})
_REST = frozenset({"rest", "other", "others", "remaining"})


@dataclass(slots=True)
class Cursor:
    """A place in a line. `at_start`: of a line or sentence; `fresh`: behind an aside or a heading; `header`: a line of the letterhead,
    `told`: one that went on as a note.
    """

    chunks: list[Chunk]
    place: int
    header: bool
    numbered: int | None
    at_start: bool = True
    fresh: bool = True
    told: bool = False


def walk(sheet: Sheet, at: Cursor) -> None:
    """Read a line chunk by chunk; each is taken by the first of the readings below that will have it."""
    sheet.is_tested = "header_line_starts" in [c.kind for c in at.chunks]
    sheet.last_dosed = next((n for n in range(len(at.chunks) - 1, -1, -1) if at.chunks[n].kind in _DOSED), -1)
    sheet.last_below = -1
    if sheet.may_say(sheet.lexicon.page.below):
        sheet.last_below = max((n for n, c in enumerate(at.chunks) if sheet.surface(c) in sheet.lexicon.page.below), default=-1)
    rest = sheet.lexicon.told.the_rest
    sheet.names_rest = sheet.may_say(rest) and any(sheet.surface(c) in rest for c in at.chunks)
    if sheet.open is not None and not _aside_end(sheet, at.chunks, at.place) and not _goes_on(sheet, at):
        sheet.close()
    while at.place < len(at.chunks):
        chunk = at.chunks[at.place]
        if (at.at_start or at.fresh) and _pass_aside(sheet, at):
            continue
        at.fresh = False
        if _enter_heading(sheet, at):
            continue
        sheet.told = sheet.told or chunk.kind != "mark"
        if chunk.kind == "number" and is_list_number(at.chunks, at.place) and _keep_list_number(sheet, at):
            continue
        if chunk.kind == "mark" and chunk.value in (".", ";"):
            _stop(sheet, at, chunk)
            continue
        if sheet.muted and _skip_muted(sheet, at, chunk):
            continue
        if means(chunk, "review_phrases") and chunk.kind not in ("drug", "amount", "duration"):
            _leave_for_a_visit(sheet, at, chunk)
            continue
        if sheet.open is not None and chunk.value == "," and chunk.kind == "mark" and _leave_at_comma(sheet, at, sheet.open):
            continue
        if sheet.open is not None and at.at_start and meaning_of(chunk, "label") == "generic_name" and means(chunk, "composition"):
            chunk = chunk._replace(kind="composition", value=meaning_of(chunk, "composition"))
            at.chunks = [*at.chunks[: at.place], chunk, *at.chunks[at.place + 1 :]]
        if means(chunk, "collective") and (chunk.kind == "collective" or sheet.open is None):
            _refer_to_a_set(sheet, at, chunk)
            continue
        if sheet.open is not None and _begins_a_test(at.chunks, at.place):
            sheet.close()
            sheet.muted = True
            at.place += 1
            continue
        if sheet.open is not None and ends_a_sentence_as_past(at.chunks, at.place):
            sheet.open.chunks.append(chunk._replace(value=(chunk.value[0], "after")))
            at.place += 1
            continue
        anchor = find_anchor(sheet, at.chunks, at.place, header=at.header, numbered=at.numbered, at_start=at.at_start)
        if anchor is not None:
            begin(sheet, at.chunks, at.place, anchor, at.numbered)
            at.numbered = None
            at.place = anchor + 1
        else:
            _take(sheet, at, chunk)
            at.place += 1
        at.at_start = False


def _pass_aside(sheet: Sheet, at: Cursor) -> bool:
    """Advice, a test, a visit, a finding: no part of the order before it or after it."""
    end = _aside_end(sheet, at.chunks, at.place)
    if not end:
        return False
    sheet.close()
    flush(sheet)
    sheet.asides_passed += 1
    at.place = end
    at.at_start, at.fresh = False, True
    return True


def _enter_heading(sheet: Sheet, at: Cursor) -> bool:
    """A heading with its colon, or alone on its line."""
    behind = behind_heading(sheet, at.chunks, at.place, at_start=at.at_start)
    if behind is None:
        return False
    at.place = behind
    at.at_start, at.fresh, at.header = False, True, False
    return True


def _keep_list_number(sheet: Sheet, at: Cursor) -> bool:
    """A list number behind a full stop keeps to what it numbers (`BD. 2. Xyzolin`); one before a visit numbers no order."""
    chunks, place = at.chunks, at.place
    if place + 2 >= len(chunks):
        return False
    if at.at_start and place and chunks[place + 2].kind == "word":
        if find_anchor(sheet, chunks, place, header=at.header, numbered=at.numbered, at_start=True) is None:
            sheet.close()
            sheet.context.extend(chunks[place : place + 2])
            at.place += 2
            return True
    if not means(chunks[place + 2], "review_phrases") or any(
        (c.kind == "cue" and c.value[0] != "conditional") or c.kind in TIMING_KINDS or c.kind in ("amount", "weekday")
        for c in chunks[place + 3 :]
    ):
        return False
    # `2) ibuprofen … 3) RTC if worse`
    sheet.close()
    at.place += 2
    return True


def _stop(sheet: Sheet, at: Cursor, chunk: Chunk) -> None:
    """A full stop or semicolon: the end of a sentence, or a mark of the order."""
    if is_sentence_end(at.chunks, at.place):
        flush(sheet)
        sheet.clause_cue = None
        sheet.muted = False
        sheet.broke = True
        if sheet.open is not None:
            sheet.open.after_break = True
        at.at_start = True
        if (
            at.header
            and sheet.surface(at.chunks[0]) in sheet.lexicon.page.titles
            and sum(c.kind != "mark" for c in at.chunks[: at.place]) > _NAMED
        ):
            # `Mrs. P, 48 yrs, seen for hypothyroidism. She is on Tab X`: behind its first sentence it is a note.
            at.header, at.told = False, True
    elif sheet.open is not None:
        sheet.open.chunks.append(chunk)
    at.place += 1


def _skip_muted(sheet: Sheet, at: Cursor, chunk: Chunk) -> bool:
    """Behind a visit, a test or a title nothing is read, up to the end of the sentence or to what can only be an order."""
    chunks, place = at.chunks, at.place
    if starts_with_form(chunks, place):
        return False
    ordered = any(c.kind == "amount" for c in chunks[place + 1 : place + 3]) and any(
        c.kind in ("rate", "slots") for c in chunks[place + 1 : place + 6]
    )
    if ordered and (chunk.kind == "drug" or (chunk.kind == "word" and place and chunks[place - 1].kind == "mark")):
        sheet.muted = False
        return False
    at.place += 1
    return True


def _leave_for_a_visit(sheet: Sheet, at: Cursor, chunk: Chunk) -> None:
    """`Review after 5 days` ends the order; where it says what becomes of the order, a person must read it."""
    chunks, place = at.chunks, at.place
    if sheet.out.drafts or sheet.open:
        after = list(itertools.takewhile(lambda c: c.value not in (".", ";"), chunks[place + 1 :]))
        conditional = any(c.kind == "cue" and c.value[0] == "conditional" for c in after)
        if any(c.kind == "cue" and c.value[0] in _TURNS for c in after) or (conditional and after[-1].kind == "rate"):
            # `Review and stop.`
            sheet.out.remarks.append(Span(*sorted((chunk.start, chunks[-1].end))))
    if sheet.open is not None and sheet.open.anchor == len(sheet.open.chunks) - 1 and sheet.open.last_line == sheet.line:
        # `X next visit`: the name, and then only when.
        sheet.out.remarks.append(Span(*sorted((sheet.open.chunks[-1].start, chunk.end))))
    if sheet.context and sheet.surface(sheet.context[0]) in sheet.lexicon.status.until:
        # `Till next review.`
        sheet.out.remarks.append(Span(*sorted((sheet.context[0].start, chunk.end))))
    if sheet.context and sheet.context[-1].kind == "then" and not sheet.surface(sheet.context[-1]).isalpha():
        # `Fever > 101 -> report to casualty`: the arrow points to the visit.
        sheet.context.pop()
    if any(c.kind == "cue" for c in sheet.context):
        flush(sheet, whole_line=True, ends_with_colon=chunks[-1].value == ":")
    sheet.close()
    sheet.muted = True
    sheet.after_visit = at.at_start and place == 0 and "next" in sheet.surface(chunk)
    at.place += 1


def _leave_at_comma(sheet: Sheet, at: Cursor, draft: Draft) -> bool:
    """`1 g QDS PRN, safety netted, no antibiotics`"""
    if draft.in_brackets or not draft.is_timed:
        return False
    end = _aside_end(sheet, at.chunks, at.place + 1, tail=True)
    if not end:
        return False
    sheet.close()
    at.place = end
    return True


def _refer_to_a_set(sheet: Sheet, at: Cursor, chunk: Chunk) -> None:
    """`Continue same medicines`: those the page does not list, unless it lists what the patient takes."""
    reported = sheet.section[1] == "reported" or sheet.so_far.reported(sheet.out.drafts, sheet.open)
    listed = (meaning_of(chunk, "collective") == "listed" or _is_listed_above(sheet, chunk)) and reported and not sheet.names_rest
    sheet.close()
    if not listed:
        sheet.out.collectives.append(chunk)
    at.place += 1
    at.at_start = False


def _is_listed_above(sheet: Sheet, chunk: Chunk) -> bool:
    """`Continue current medications`, where a list with a heading of the same words stands above it."""
    own = sheet.lexicon.page.own_set.search(sheet.surface(chunk))
    if own is None or not sheet.so_far.listed(sheet.out.drafts):
        return False
    if own[1] not in sheet.list_heads:
        heading = sheet.lexicon.page.own_lists[own[1]].search(sheet.text)
        sheet.list_heads[own[1]] = len(sheet.text) if heading is None else heading.end()
    return sheet.list_heads[own[1]] <= chunk.start


def _begins_a_test(chunks: Sequence[Chunk], place: int) -> bool:
    """`HS, repeat lipid profile 6 wks`: a test ordered behind a medicine; `BP 140/90`: a value measured."""
    if place + 1 >= len(chunks):
        return False
    chunk, following = chunks[place], chunks[place + 1]
    if chunk.kind == "word":
        return chunk.value in ("repeat", "rpt", "recheck", "check", "monitor") and (
            following.kind == "header_line_starts" or means(following, "header_line_starts")
        )
    return (
        chunk.kind == "header_line_starts"
        and following.value not in ("<", ">", "≥", "≤", ")")
        and following.kind in ("tuple", "number", "amount", "mark", "percent")
    )


def _take(sheet: Sheet, at: Cursor, chunk: Chunk) -> None:
    """A word of the open statement, or of the clause before the next one."""
    draft = sheet.open
    if draft is None:
        sheet.context.append(chunk)
        if chunk.kind == "cue":
            sheet.clause_cue = chunk
        return
    tells = chunk.kind in SIG_KINDS and chunk.kind not in ("indication", "inert", "number")
    if draft.after_break and not tells and not goes_on_after_break(at.chunks, at.place, sheet.lexicon):
        sheet.close()
        sheet.context.append(chunk)
        return
    draft.after_break = False
    draft.chunks.append(chunk)
    draft.last_line = sheet.line


def _aside_end(sheet: Sheet, chunks: Sequence[Chunk], place: int, *, tail: bool = False) -> int:
    """The index behind the clause that begins at `place`, if that clause is none of the orders' business; else 0.

    `tail`: it stands behind a comma of an order, where a complaint is its reason and advice is how to take it.
    """
    end = place
    while end < len(chunks) and not (chunks[end].kind == "mark" and chunks[end].value in (".", ";") and is_sentence_end(chunks, end)):
        end += 1
        if end - place > _LONGEST_CLAUSE:
            return 0
    clause = chunks[place:end]
    if not clause or clause[-1].value == ":":
        return 0
    heading = meaning_of(clause[0], "heading")
    if isinstance(heading, tuple) and heading[1] not in ("allergy", "family"):
        headed = len(clause) == 1 or (clause[1].kind == "mark" and clause[1].value in (":", "-", ":-", "="))
        if headed:
            # `Diet:`, `Reports`
            return 0
    classes = [row for row in sheet.asides if row.name not in ("findings", "acts")] if tail else sheet.asides
    stamped = not tail and is_stamp_or_vital(clause, sheet.text, sheet.lexicon.departments)
    shaped = not tail and is_advice_by_shape(clause, sheet.text, sheet.lexicon)
    if not (stamped or shaped) and not is_aside(clause, sheet.text, classes):
        return 0
    sheet.told_asides.append((clause[0].start, clause[-1].end))
    return end


def _goes_on(sheet: Sheet, at: Cursor) -> bool:
    """Whether the line goes on with the statement left open above it; one of the letterhead is not read, and ends nothing."""
    sheet.muted = sheet.muted or at.header
    return at.header or (sheet.open is not None and continues(sheet.open, at.chunks, at.place))
