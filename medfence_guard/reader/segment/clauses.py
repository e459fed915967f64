"""A clause or a line beside the orders: what it says of them, or that it may be one that could not be read."""

from __future__ import annotations

from collections.abc import Sequence

from medfence_guard.contract import Span
from medfence_guard.reader.advice import is_advice_by_shape
from medfence_guard.reader.asides import is_aside
from medfence_guard.reader.beside import (
    DANGLING,
    VOIDED,
    Place,
    may_be_an_order,
    may_change_an_order,
    strange_words,
    without_enumerator,
    without_own_object,
)
from medfence_guard.reader.chunks import Chunk, extent, means
from medfence_guard.reader.lines import is_measured
from medfence_guard.reader.openings import is_list_number
from medfence_guard.reader.plain import is_plain
from medfence_guard.reader.remarks import speaks_of_orders, turns_the_slots
from medfence_guard.reader.segment.sheet import Sheet

# Cues that may be said of a test, a procedure or a paper as well (`OPG planned`, `Advice sheet given`).
_OF_ANYTHING = frozenset({"hypothetical", "administered", "ambiguous", "question", "conditional", "past"})


def flush(sheet: Sheet, *, whole_line: bool = False, ends_with_colon: bool = False, numbered: int | None = None) -> None:
    """A clause without a medicine ends here. A status cue, a doubt or an amount in it may speak of the one beside it."""
    clause, sheet.context = sheet.context, []
    if not clause:
        return
    if not whole_line:
        note_unread(sheet, clause, numbered)
    _note_remark(sheet, clause)
    here = sheet.open is not None or (bool(sheet.out.drafts) and sheet.out.drafts[-1].last_line == sheet.line)
    if sheet.section[0] in ("followup", "investigations") and not any(
        c.kind == "cue" and c.value[0] in ("stopped", "held") for c in clause
    ):
        # `Follow-up: after 5 days if symptoms persist`
        return
    strange, whole = strange_words(clause, sheet.lexicon), clause
    clause = without_own_object(clause, strange, sheet.lexicon, sheet.surface)
    kinds = {c.kind for c in clause}
    told = (not strange and ("verb" in kinds or any(c.value == "order_forms" for c in clause))) or any(
        c.kind == "cue" and c.value[0] == "continue" for c in clause
    )
    suffered = here and "indication" in kinds and any(sheet.surface(c) in ("had", "developed") for c in clause)
    relevant = [c for c in clause if may_change_an_order(c, sheet.lexicon, told=told, here=here)]
    dangling = bool(clause) and len(clause) <= 3 and clause[0].kind == "word" and clause[0].value in DANGLING
    if dangling:
        # `after surgery`, `less than`: the end of a sentence that began above.
        relevant.append(clause[0])
    if clause and (suffered or (sheet.injected and sheet.open is None)):
        relevant.append(clause[0])
    if ends_with_colon and whole_line and (relevant or strange):
        sheet.stand_elsewhere()
        return
    if (
        whole_line
        and any(c.value in VOIDED for c in clause)
        and any(c.value == "prescription_nouns" or means(c, "heading") for c in clause)
    ):
        # `CANCELLED PRESCRIPTION`: the whole paper is.
        sheet.voided = True
    ended = any(c.kind == "cue" and c.value[0] not in _OF_ANYTHING for c in relevant)
    if relevant and not (dangling or ended) and _is_of_its_own(sheet, whole):
        return
    relevant = [c for c in relevant if not _asks_of_a_word(c, clause)]
    cued = any(c.kind == "cue" for c in relevant)
    if not relevant or (strange and not (cued or suffered or dangling or sheet.injected)) or len(strange) > 2:
        return
    previous = sheet.open or (sheet.out.drafts[-1] if sheet.out.drafts else None)
    if previous is not None and sheet.line - previous.last_line <= 1:
        previous.loose.extend(relevant)
    if not strange or (cued and len(strange) == 1):
        sheet.ahead = (sheet.line, relevant)
        sheet.ahead_alone = whole_line and all(c in relevant or c.kind == "mark" for c in whole)


def note_text(sheet: Sheet, chunks: Sequence[Chunk], place: int) -> str:
    """The text of a line, once it is noted what it says of the orders of the page by its wording alone. `place`: behind its number."""
    line_text = sheet.line_text(chunks)
    unlisted = sheet.lexicon.page.unlisted_set.search(line_text) if sheet.may_say(sheet.lexicon.page.set_starts) else None
    if unlisted is not None and not any(c.kind == "collective" or means(c, "collective") for c in chunks):
        sheet.out.collectives.append(
            Chunk("collective", "unlisted", chunks[0].start + unlisted.start(), chunks[0].start + unlisted.end(), 0, 0)
        )
    beside = bool(sheet.out.drafts or sheet.open) and sheet.line - (sheet.open or sheet.out.drafts[-1]).last_line <= 1
    if (
        sheet.lexicon.remarks.corrections.search(line_text) is not None
        or turns_the_slots(line_text)
        or (beside and sheet.lexicon.page.ending_field.match(line_text) is not None)
        or (
            place == 0
            and not any(c.kind in ("drug", "form") for c in chunks)
            and sheet.lexicon.page.by_number.search(line_text) is not None
        )
    ):
        sheet.out.remarks.append(Span(*extent(chunks)))
    return line_text


def note_unread(sheet: Sheet, chunks: Sequence[Chunk], numbered: int | None) -> None:
    """A line of the prescription zone that gave no statement and may be an order is remembered as unread (P2)."""
    section, status = sheet.section
    if status not in ("active", "unknown", "cue", "reported") and numbered is None:
        return
    body = without_enumerator(chunks)
    if not body or is_measured(body, sheet.lexicon.remarks.beside_values):
        return
    place = Place(
        section,
        status,
        numbered is not None,
        len(body) < len(chunks) or sheet.bulleted,
        is_list_number(chunks, 0),
        _follows_an_item(sheet, numbered),
    )
    if may_be_an_order(body, sheet.text[slice(*extent(body))], place, sheet.lexicon) and not (_is_of_its_own(sheet, body, asides=False)):
        sheet.out.unread.append(Span(*extent(chunks)))


def _note_remark(sheet: Sheet, clause: Sequence[Chunk]) -> None:
    """A clause that takes back the orders of the page, wherever it stands."""
    ordered = sheet.open is not None or bool(sheet.out.drafts)
    # In a document with word boxes the order on the page is not that of the text.
    if speaks_of_orders(" ".join(map(sheet.surface, clause)), sheet.lexicon, behind=ordered):
        sheet.out.remarks.append(Span(*extent(clause)))


def _is_of_its_own(sheet: Sheet, chunks: Sequence[Chunk], *, asides: bool = True) -> bool:
    """Whether each sentence is of plain words or an aside, as `leftover.py` asks of what is left: `Drink water. Repeat smear day 3.`"""
    sentences: list[list[Chunk]] = [[]]
    for chunk in chunks:
        if chunk.kind == "mark" and chunk.value in (".", ";"):
            sentences.append([])
        elif sentences[-1] or chunk.kind not in ("mark", "item"):
            sentences[-1].append(chunk)
    told = [part for part in sentences if part]
    return bool(told) and all(
        is_plain(part, sheet.text, sheet.lexicon.plain)
        or is_advice_by_shape(part, sheet.text, sheet.lexicon)
        or (asides and is_aside(part, sheet.text, sheet.asides))
        for part in told
    )


def _asks_of_a_word(chunk: Chunk, clause: Sequence[Chunk]) -> bool:
    """`Urticaria, ?food`: the question is of the complaint or the cause that it is glued to."""
    asked = chunk.value == "?" or (chunk.kind == "cue" and chunk.value[0] in ("question", "hypothetical") and chunk.end - chunk.start == 1)
    return asked and any(c.start == chunk.end and c.kind in ("word", "indication", "label") for c in clause)


def _follows_an_item(sheet: Sheet, numbered: int | None) -> bool:
    """Whether the list entry before this one led to a statement."""
    if not sheet.out.drafts:
        return False
    last = sheet.out.drafts[-1]
    return last.numbered == numbered - 1 if numbered is not None else last.line == sheet.line - 1
