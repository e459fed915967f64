"""One line: what stands before its words, what it says by its form alone, and what is left of it when its words are read."""

from __future__ import annotations

from collections.abc import Sequence

from medfence_guard.reader.asides import is_of_the_paper
from medfence_guard.reader.beside import names_a_fluid
from medfence_guard.reader.chunks import ALONE, AMONG_ORDERS, Chunk, any_means, meaning_of, means
from medfence_guard.reader.draft import SIG_KINDS
from medfence_guard.reader.lines import behind_bar, is_boxed
from medfence_guard.reader.openings import (
    SOAP,
    heads_a_list,
    is_in_a_list,
    is_name_word,
    is_ordered,
    is_tick_box,
    item_number,
    letter_of,
    list_letter,
    plain_order,
    separated,
    soap_letter,
)
from medfence_guard.reader.segment.clauses import flush, note_text, note_unread
from medfence_guard.reader.segment.headings import behind_order_heading, behind_other_heading
from medfence_guard.reader.segment.orders import begin
from medfence_guard.reader.segment.sheet import Sheet
from medfence_guard.reader.segment.walk import Cursor, walk

_FOUR = "iv"
_LETTER_FORMS = {"t": "tablet", "c": "capsule"}
_OF_ORDERS = frozenset({"active", "reported", "cue", "unknown"})


def read_line(sheet: Sheet, chunks: list[Chunk]) -> None:
    """Its decoration, its number and its first word say what it is; only then are its words read."""
    sheet.begin_line()
    if not sheet.signs and not sheet.marked_for_a_model and (name := plain_order(chunks)):
        _read_plain_order(sheet, chunks, name)
        return
    chunks = separated(chunks, sheet.text)
    behind = behind_order_heading(sheet, chunks)
    chunks = behind_other_heading(sheet, chunks) if behind is None else behind
    if not chunks:
        return
    chunks = _without_bullet(sheet, behind_bar(chunks))
    if len(chunks) == 1 and chunks[0].kind == "amount":
        chunks = [chunks[0]._replace(notes=(*chunks[0].notes, ALONE))]
    sheet.injected = _addresses_a_model(sheet, chunks)
    sheet.ticked = is_tick_box(chunks) or _marked_as_other(sheet, chunks)
    if sheet.soap and soap_letter(chunks):
        chunks = _behind_soap_letter(sheet, chunks)
        if not chunks:
            return
    if sheet.lexicon.page.numbered_person.match(sheet.text, chunks[0].start):
        sheet.out.patients += 1
    chunks, place, numbered = _number(sheet, chunks)
    if place >= len(chunks):
        return
    if numbered is not None:
        sheet.out.item_numbers.append(numbered)
    line_text = note_text(sheet, chunks, place)
    chunks = _short_form(sheet, chunks, place)
    if not _is_of_the_page(sheet, chunks, place):
        _read_words(sheet, chunks, place, numbered, line_text)


def _without_bullet(sheet: Sheet, chunks: list[Chunk]) -> list[Chunk]:
    """`- Stop Tab X`: a bullet, not `Tab X - stop`."""
    if chunks[0].kind == "cue" and sheet.surface(chunks[0]).startswith("-"):
        return [chunks[0]._replace(value=(chunks[0].value[0], "before")), *chunks[1:]]
    return chunks


def _behind_soap_letter(sheet: Sheet, chunks: list[Chunk]) -> list[Chunk]:
    """The line behind `P:`, which sets the section. `Hold`, alone on the line above it, may be said of what it orders."""
    sheet.close()
    put_off = sheet.elsewhere_line == sheet.line - 1 and sheet.section[1] == "stopped"
    sheet.section = SOAP[str(chunks[0].value)]
    sheet.unknown_heading = False
    if put_off:
        sheet.stand_elsewhere()
    sheet.leave_ahead()
    return chunks[2:]


def _number(sheet: Sheet, chunks: list[Chunk]) -> tuple[list[Chunk], int, int | None]:
    """The number or the bullet that a line begins with, and ends the order above by: its chunks, where its words begin, its number."""
    first = chunks[0]
    if first.kind == "item":
        sheet.close()
        return chunks, 1, item_number(first)
    if _is_hash_number(chunks):
        sheet.close()
        return chunks, 2, int(chunks[1].value.parts[0])
    lettered = list_letter(chunks)
    if 0 < lettered < len(chunks) and chunks[lettered - 2].kind == "route" and not is_in_a_list(_FOUR, sheet.list_letters):
        # `iv) Tab X`, alone: the fourth of a list, or a route.
        return [*chunks[: lettered - 2], chunks[lettered - 2]._replace(kind="unsupported"), *chunks[lettered - 1 :]], 0, None
    if 0 < lettered < len(chunks) and is_in_a_list(letter_of(chunks, sheet.text), sheet.list_letters):
        sheet.close()
        return chunks, lettered, None
    if first.kind == "route" and sheet.surface(first) == _FOUR and len(chunks) > 2 and chunks[1].value == ".":
        if chunks[1].start == first.end and chunks[2].kind in ("form", "drug"):
            # `iv. Tab X`
            return [first._replace(kind="unsupported"), *chunks[1:]], 0, None
    if first.value == "#" and len(chunks) > 2 and chunks[1].kind == "indication" and chunks[1].start > first.end:
        # `# GERD - Tab X`: the problems of a list.
        sheet.close()
        return chunks, 1, None
    if first.kind == "mark" and first.value in ("•", "*", "-", ">") and len(chunks) > 1:
        if first.value != "-" or chunks[1].kind not in SIG_KINDS:
            sheet.close()
        return chunks, 1, None
    serial = _serial_number(sheet, chunks)
    if serial is not None:
        sheet.close()
        if first.kind == "amount":
            # `2 Tab. Metformin`: the number of the row, and the form.
            form = "tablet" if first.value.units[0] == "{tbl}" else "capsule"
            word = first._replace(kind="form", value=form, start=max(first.start, first.end - 3))
            return [first, word, *chunks[1:]], 1, serial
        return chunks, 2 if chunks[1].kind == "mark" else 1, serial
    if _is_bare_number(chunks):
        sheet.close()
        return chunks, 1, int(first.value.parts[0])
    return chunks, 0, None


def _is_hash_number(chunks: Sequence[Chunk]) -> bool:
    """`#1 PANTOPRAZOLE`: a list number, and no `#30  Refills: 2`."""
    return (
        len(chunks) > 2
        and chunks[0].value == "#"
        and chunks[1].kind == "number"
        and chunks[1].start == chunks[0].end
        and len(chunks[1].value.parts) == 1
        and chunks[1].value.parts[0].denominator == 1
        and chunks[1].value.parts[0] <= 40
        and not (chunks[2].kind in ("label", "refill", "quantity") or means(chunks[2], "label"))
    )


def _is_bare_number(chunks: Sequence[Chunk]) -> bool:
    """`1 Tab. Brufen 400`: OCR lost the full stop of the list number, unless the form is followed by no name."""
    if chunks[0].kind != "number" or len(chunks) < 3 or chunks[1].kind != "form":
        return False
    number = chunks[0].value.parts[0]
    if number > 30 or number.denominator != 1:
        return False
    return chunks[2].kind in ("drug", "word") or (chunks[2].kind == "mark" and len(chunks) > 3 and chunks[3].kind in ("drug", "word"))


def _is_of_the_page(sheet: Sheet, chunks: list[Chunk], place: int) -> bool:
    """Whether the line is of the paper, the signature, the head of a list or of a table; it ends the order above, and is not read."""
    first = chunks[place]
    if is_of_the_paper(chunks[place:], sheet.text, sheet.lexicon):
        # Below the doctor's name or degrees stand a place and hours.
        sheet.signed = sheet.signed or bool(sheet.out.drafts or sheet.open)
        sheet.close()
        return True
    if means(first, "prn") and len(chunks) > place + 1 and heads_a_list(chunks[place + 1 :]):
        # `If needed:`, `PRN medications`: when those below are taken, not how the one above is.
        sheet.close()
        sheet.stand_elsewhere()
        sheet.needed_line = sheet.line
        return True
    if means(first, "boilerplate") and first.kind != "drug":
        sheet.close()
        signing = meaning_of(first, "heading")
        # Below the signature stand a stamp, a day and a place.
        sheet.signed = sheet.signed or (isinstance(signing, tuple) and signing[0] == "signature" and bool(sheet.out.drafts))
        return True
    if sheet.line in sheet.heads:
        sheet.columns = sheet.heads[sheet.line]
        sheet.close()
        return True
    return False


def _read_words(sheet: Sheet, chunks: list[Chunk], place: int, numbered: int | None, line_text: str) -> None:
    """Read the words of a line; one that gave no statement and may be an order is remembered."""
    first = chunks[place]
    header = first.kind == "header_line_starts" or (first.kind in ("release", "route", "site") and means(first, "header_line_starts"))
    if header:
        _count_patient(sheet, chunks, place)
        # Below the doctor's name stand degrees, addresses and hours.
        sheet.signed = sheet.signed or (bool(sheet.out.drafts or sheet.open) and sheet.surface(first) in sheet.lexicon.page.signing)
    sheet.bulleted = place > 0 and numbered is None
    before = len(sheet.out.drafts) + (sheet.open is not None)
    opened_here = sheet.open
    at = Cursor(chunks, place, header=header, numbered=numbered)
    walk(sheet, at)
    header = header and not at.told
    whole = bool(sheet.context) and len(sheet.context) >= len(chunks) - place
    if not header:
        flush(sheet, whole_line=whole, ends_with_colon=chunks[-1].kind == "mark" and chunks[-1].value == ":", numbered=numbered)
    if sheet.asides_passed and not sheet.told:
        return
    made = len(sheet.out.drafts) + (sheet.open is not None) - before
    joined = opened_here is not None and sheet.open is opened_here and opened_here.last_line == sheet.line
    if made <= 0 and not joined and (not header or names_a_fluid(line_text)):
        note_unread(sheet, chunks[place:], numbered)


def _read_plain_order(sheet: Sheet, chunks: list[Chunk], name: int) -> None:
    """What the walk along the line would come to, without a question at each word that a `plain_order` cannot answer otherwise."""
    sheet.close()
    numbered = item_number(chunks[0])
    sheet.out.item_numbers.append(numbered)
    note_text(sheet, chunks, 1)
    sheet.injected = sheet.ticked = sheet.bulleted = False
    sheet.told = True
    draft = begin(sheet, chunks, 1, name, numbered)
    draft.chunks.extend(chunks[name + 1 :])
    if "\n" not in sheet.line_text(chunks):
        # A line of the page may be of two lines of the text.
        draft.as_plain = len(draft.chunks)


def _serial_number(sheet: Sheet, chunks: Sequence[Chunk]) -> int | None:
    """`2 | Tab Metformin`, `2   Tab Metformin` under a table head or in a run of such lines: the row's number, not a dose."""
    first = chunks[0]
    if len(chunks) < 3 or first.kind not in ("number", "amount"):
        return None
    value = first.value.parts[0]
    if first.value.high is not None or value.denominator != 1 or not 1 <= value <= 40 or len(first.value.parts) != 1:
        return None
    expected = sheet.serials.get(sheet.line)
    if expected != int(value):
        return None
    if first.kind == "amount":
        return (
            int(value)
            if first.value.units[0] in ("{tbl}", "{capsule}") and not first.value.per and chunks[1].kind in ("drug", "word", "mark")
            else None
        )
    if chunks[1].kind == "mark" and chunks[1].value == "|":
        return int(value)
    return int(value) if chunks[1].kind in ("form", "drug", "word") else None


def _short_form(sheet: Sheet, chunks: list[Chunk], place: int) -> list[Chunk]:
    """`T Glycomet 500 mg`, `C Omez 20`: the first letter of a line, before a medicine or an order for an unknown word."""
    first = chunks[place]
    if len(chunks) > 3 and chunks[-1].value == "new" and chunks[-2].value == "-" and any(c.kind == "drug" for c in chunks):
        # `Telmisartan 40 mg OD - new`
        chunks = [*chunks[:-1], chunks[-1]._replace(kind="verb", value="plain")]
    bracketed = len(chunks) > 4 and [c.value for c in chunks[-3:]] == ["(", "new", ")"]
    if bracketed and chunks[-4].kind in ("rate", "slots", "duration", "when") and any(c.kind == "drug" for c in chunks):
        # `Glycomet 500 mg BD after food (new)`
        chunks = [*chunks[:-2], chunks[-2]._replace(kind="verb", value="plain"), chunks[-1]]
    if first.kind == "indication" and sheet.section[1] in _OF_ORDERS:
        # `Pain: Tab X`: under a heading of complaints it may be what was taken for it.
        chunks = [*chunks[:place], first._replace(notes=(*first.notes, AMONG_ORDERS)), *chunks[place + 1 :]]
        first = chunks[place]
    if place == 0 and first.kind == "medicine_class" and _is_class_label(sheet, chunks):
        return [first._replace(kind="inert", value="prescription_nouns"), *chunks[1:]]
    if first.value == "new" and place + 2 < len(chunks) and chunks[place + 1].value == ":" and chunks[place + 2].kind in ("drug", "form"):
        # `NEW: Clopidogrel 75 mg daily`
        return [*chunks[:place], first._replace(kind="verb", value="plain"), *chunks[place + 1 :]]
    if first.kind != "word" or first.value not in _LETTER_FORMS or place + 1 >= len(chunks):
        return chunks
    after = chunks[place + 1]
    if after.kind == "drug" or (
        after.kind == "word" and is_name_word(chunks, place + 1, sheet.lexicon, at_start=True) and is_ordered(chunks, place + 1)
    ):
        return [*chunks[:place], first._replace(kind="form", value=_LETTER_FORMS[first.value]), *chunks[place + 1 :]]
    return chunks


def _is_class_label(sheet: Sheet, chunks: Sequence[Chunk]) -> bool:
    """`Antibiotic: Cap X 500 mg`, `INSULIN   Lantus 12 units`: what it is for, before what it is; a mark or a column parts them."""
    if len(chunks) > 2 and chunks[1].value == ":":
        return any(c.kind in ("drug", "form") for c in chunks[2:4])
    apart = len(chunks) > 2 and sheet.text[chunks[0].end : chunks[1].start].isspace() and chunks[1].start - chunks[0].end > 1
    return apart and chunks[1].kind in ("drug", "form") and any(c.kind == "drug" for c in chunks[1:3])


def _marked_as_other(sheet: Sheet, chunks: Sequence[Chunk]) -> bool:
    """A line that is marked apart from its neighbours: `-` where others have `+`, quoted with `>`, struck with dashes, boxed (P21)."""
    line = sheet.line_text(chunks)
    if is_boxed(line):
        return True
    sign = str(chunks[0].value) if chunks[0].kind == "mark" else ""
    return sign in sheet.signs and len(sheet.signs) > 1


def _addresses_a_model(sheet: Sheet, chunks: Sequence[Chunk]) -> bool:
    """P24: the line tells a machine what to do."""
    if any_means(chunks, "instruction_to_model"):
        return True
    if len(chunks) > 1 and means(chunks[0], "model_label") and chunks[1].kind == "mark" and chunks[1].value == ":":
        return True
    return sheet.marked_for_a_model and any(mark in sheet.line_text(chunks) for mark in ("<!--", *sheet.lexicon.instruction_marks))


def _count_patient(sheet: Sheet, chunks: Sequence[Chunk], place: int) -> None:
    surface = sheet.text[chunks[place].start : chunks[place].end]
    if surface in ("name", "patient name", "name of patient", "pt name", "patient's name"):
        sheet.out.patients += 1
