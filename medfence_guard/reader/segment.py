"""Cut a chunked source into medication statements, and remember what was not understood.

A statement begins at a name (an anchor) with what leads up to it (`Start Tab`, `STOP`, `2 tabs of`), and goes on over
timing, amounts and remarks until the next name, a new sentence, a heading or a line that is no continuation.
Headings set the section; a section may say that what stands in it is no order at all. Letterhead, vitals, dates and
review notes never start one. Everything here is structure; what the words mean is `statement.py`'s business.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from medfence_guard.contract import Span
from medfence_guard.reader.advice import is_advice_by_shape
from medfence_guard.reader.asides import is_aside, is_of_the_paper, is_stamp_or_vital
from medfence_guard.reader.beside import (
    DANGLING,
    VOIDED,
    Place,
    may_be_an_order,
    may_change_an_order,
    names_a_fluid,
    strange_words,
    without_enumerator,
    without_own_object,
)
from medfence_guard.reader.chunks import Chunk, DrugMention, any_means, extent, meaning_of, means
from medfence_guard.reader.continuation import continues, goes_on_after_break
from medfence_guard.reader.draft import SIG_KINDS, TIMING_KINDS, Draft, Segmented, TakenSoFar
from medfence_guard.reader.leftover import Page, Section, unaccounted
from medfence_guard.reader.lexicon import AsideClass, Lexicon, spoken_in
from medfence_guard.reader.lines import SEXES, behind_bar, blocks, is_boxed, is_measured, is_rule, undecorated
from medfence_guard.reader.misread import Misread
from medfence_guard.reader.openings import (
    SOAP,
    count_serials,
    ends_a_sentence_as_past,
    heads_a_list,
    is_finding,
    is_leading_amount,
    is_list_number,
    is_name_word,
    is_ordered,
    is_sentence_end,
    is_tick_box,
    item_number,
    list_letter,
    names_something,
    plain_order,
    separated,
    soap_letter,
    starts_with_form,
    table_head,
    unlisted_order,
)
from medfence_guard.reader.plain import is_plain
from medfence_guard.reader.remarks import (
    ends_the_order_above,
    heads_something_else,
    heads_two_columns,
    selects_by_number,
    speaks_of_orders,
    turns_the_slots,
)
from medfence_guard.reader.shared import HEADS_A_LIST, Line, Sharing, Told

_LEAD_KINDS = frozenset("form verb cue pseudo_cue item inert person_roles terminator release site route".split())
# What a statement may begin with: what leads up to a name, a list number, an amount, or the name itself.
_ANCHOR_KINDS = _LEAD_KINDS | {"drug", "number", "amount", "then", "word"}
_LEAD_MARKS = frozenset(".-:•,*(\"'+&/|")
# `Repeat all old medicines`: a set the page does not list, however it is worded; `no other medicines` is none.
_SET_STARTS = "all|old|other|previous|earlier|remaining|usual|family doctor|gp|outside"
_UNLISTED_SET = re.compile(
    r"\brest of (?:the |his |her |all )?(?:medicines?|medications?|meds|drugs|treatment)\b|\brest (?:all )?(?:same|unchanged)\b|"
    rf"(?<!no )(?<!not )(?<!any )(?<!these )(?<!above )\b(?:{_SET_STARTS})\s+"
    r"(?:(?:the|other|old|his|her|previous|regular|usual)\s+)*"
    r"(?:medicines?|medications?|meds|drugs|treatment|rx|tablets)\b(?!\s*(?::|stopped|discontinued|withheld|history))"
)
# One of these is in every such set.
# Who a sentence is about, and how many words his name and age are at most.
_TITLES = frozenset({"mr", "mrs", "ms", "miss", "master", "smt", "shri"})
_NAMED = 4
# Cues that may be said of a test, a procedure or a paper as well (`OPG planned`, `Advice sheet given`).
_OF_ANYTHING = frozenset({"hypothetical", "administered", "ambiguous", "question", "conditional", "past"})
_SET = r"(?:medications?|medicines?|meds|drugs)"
_OWN_SET = re.compile(rf"\b(current|home|regular) {_SET}\b")
_SET_WORDS = spoken_in(f"rest {_SET_STARTS}")
_VITALS = frozenset({"wt", "weight", "bp", "pr", "pulse", "temp", "spo2", "rbs", "fbs", "hba1c", "ht", "date", "hr", "rr", "ppbs", "tsh"})
_NUMBERED_PATIENT = re.compile(r"(?:patient|pt|child|twin|baby)\s*\d\s*[:.)-]")
_DOSED = TIMING_KINDS | {"amount", "number", "tuple", "malformed", "form"}
# How the place or the manner begins that is told behind the form of a cream.
_PLACED = frozenset("on over around to thin small pea a".split())
_LETTER_FORMS = {"t": "tablet", "c": "capsule"}
_TURNS = frozenset({"stopped", "held", "avoid", "not_taking", "increase", "decrease"})
_SIGNING = frozenset({"dr", "doctor", "consultant", "prof", "regd no", "reg no"})
_ENDS_AT = frozenset({"till", "until", "upto", "up to"})
# Sections whose inline heading (`Allergy: Clonazepam`) speaks of its own line only.
_LINE_SECTIONS = frozenset(
    "allergy stop past family social complaints exam diagnosis investigations followup header advice signature".split()
)


_LONGEST_CLAUSE = 80  # in chunks; a longer one is prose, and no aside
_LONGEST_LEAD = 40  # what leads up to a name
_LONGEST_COMBINATION = 80
# `Current medications: as below`, `Rest same`
_BELOW = frozenset({"below"})
_REST = frozenset({"rest", "other", "others", "remaining"})
_PERHAPS = re.compile(r"\+\s?/\s?-|±")
_OTHERWISE = frozenset({"vs", "versus", "else", "or else", "otherwise"})


def _classes_for(mentions: Sequence[DrugMention], classes: Sequence[AsideClass]) -> list[AsideClass]:
    """Without `no antibiotics` where a medicine may be one, by a part of its molecules' names; of an unknown name nobody can say."""
    hidden = any(mention.name is None or mention.name.ambiguous for mention in mentions)
    molecules = [molecule for mention in mentions if mention.name for members in mention.name.compositions for molecule in members]
    keys = "\n".join([*molecules, *(mention.key for mention in mentions)])
    return [row for row in classes if not row.members or (not hidden and not any(part in keys for part in row.members))]


@dataclass(slots=True)
class _Cursor:
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


class Segmenter:
    """One pass over the lines of one source."""

    def __init__(self, lexicon: Lexicon, folded: str, *, split: bool = True, typed: bool = False, misread: Misread | None = None) -> None:
        """`split`: words of the text were cut into pieces, so that its runs of letters are not all that can be read in it.

        `typed`: no line of the text can have been lost, and no word misread; `misread`: what the words
        of a page that an engine recognised may be.
        """
        self._typed = typed
        self._misread = misread
        self._spoken = None if split else spoken_in(folded)
        self._lexicon = lexicon if self._spoken is None else replace(lexicon, remarks=lexicon.remarks.for_page(self._spoken))
        self._text = folded
        self._marked_for_a_model = "<!--" in folded or any(mark in folded for mark in lexicon.instruction_marks)
        self.out = Segmented()
        self._section = ("", "unknown")
        self._after_line: tuple[str, str] | None = None
        self._columns: tuple[str, ...] = ()
        self._open: Draft | None = None
        self._context: list[Chunk] = []
        self._muted = False
        self._line = 0
        self._clause_cue: Chunk | None = None
        self._injected = False
        self._followed: list[bool] = []
        self._signed = False
        self._ends_with: tuple[Span, int] | None = None
        self._signs: frozenset[str] = frozenset()
        self._serials: dict[int, int] = {}
        self._heads: dict[int, tuple[str, ...]] = {}
        self._ahead: tuple[int, list[Chunk]] = (-2, [])
        self._unknown_heading = False
        self._broke = False
        self._ticked = False
        self._soap = False
        self._voided = False
        self._bulleted = False
        self._after_visit = False
        self._asides = 0
        self._told = False
        # Of the line: whether it names a test, its last chunk that can be said of a medicine, its last word `below`, and whether
        # it speaks of the rest.
        self._is_tested = False
        self._last_dosed = -1
        self._last_below = -1
        self._names_rest = False
        self._so_far = TakenSoFar()
        self._list_heads: dict[str, int] = {}
        self._asides_here: Sequence[AsideClass] = lexicon.asides
        self._told_asides: list[tuple[int, int]] = []

    def run(self, lines: Sequence[Line]) -> Segmented:
        placed = [(line, extent(line[0])) for line in lines]
        placed = [(line, span) for line, span in placed if not is_rule(self._text[slice(*span)])]
        lines = [line for line, _ in placed]
        named = [c.value for line, _ in lines for c in line if c.kind == "drug"]
        self._asides_here = _classes_for(named, self._lexicon.asides)
        self._followed = [any(c.kind in ("drug", "form") for c in after) for after, _ in lines[1:]] + [False]
        ordered = [chunks for chunks, _ in lines if any(c.kind == "drug" for c in chunks)]
        marks = frozenset(str(chunks[0].value) if chunks[0].kind == "mark" else "" for chunks in ordered)
        # `+` and `-` tell apart what was added and taken off; `>` what is quoted from what is not.
        self._signs = marks if {"+", "-"} <= marks or (">" in marks and len(marks) > 1) else frozenset()
        heads = {n: columns for n, (chunks, _) in enumerate(lines) if (columns := table_head(chunks))}
        self._heads = heads
        self._serials = count_serials(lines, heads)
        letters = {str(chunks[0].value) for chunks, _ in lines if soap_letter(chunks)}
        self._soap = "p" in letters and len(letters) > 1
        sections: list[tuple[Section, Section]] = []
        signed: list[int] = []
        sharing = Sharing(lines, self._text, typed=self._typed)
        told_once = sharing.told_once
        for number, (chunks, broken) in enumerate(lines):
            self._line = number
            if broken:
                self._close()
            if number in told_once and told_once[number].word and self._stands_at_orders(lines, number, told_once[number]):
                self._close()
                if self._surface(chunks[0]) in HEADS_A_LIST:
                    self._heads_orders()
                sections.append((self._section, self._section))
                self._told_asides.append((chunks[0].start, chunks[-1].end))
                continue
            if self._after_line is not None:
                self._section, self._after_line = self._after_line, None
            before = self._section
            if self._signed:
                signed.append(number)
            self._read_line(chunks)
            sections.append((before, self._section))
        self._close()
        page = Page(
            self._text,
            self._lexicon,
            self._asides_here,
            [chunks for chunks, _ in lines],
            [span for _, span in placed],
            sections,
            frozenset(signed),
            self._told_asides,
            frozenset(heads),
            sorted({d.line for d in self.out.drafts}),
            min((d.start for d in self.out.drafts), default=0),
            self._misread,
        )
        self.out.remarks.extend(unaccounted([c for d in self.out.drafts for c in d.chunks], page))
        if self._ends_with is not None and self._ends_with[1] == len(self.out.drafts):
            # `stopped` on a line of its own, and nothing below it: it is of what stands above.
            self.out.remarks.append(self._ends_with[0])
        sharing.give(self.out)
        persons, days = blocks(
            [chunks for chunks, _ in lines], sorted({d.line for d in self.out.drafts}), self._text, aged=self._may_say(SEXES)
        )
        self.out.patients = max(self.out.patients, 2 if persons else 0)
        self.out.prescriptions = max(self.out.prescriptions, 2 if days else 0)
        if self._voided:
            for draft in self.out.drafts:
                draft.alternative = True
        return self.out

    def _stands_at_orders(self, lines: Sequence[Line], line: int, told: Told) -> bool:
        """Whether a line of nothing but what is told of all stands directly above or below orders."""
        below = line + 1 < len(lines) and any(c.kind in ("drug", "form") for c in lines[line + 1][0][:3])
        above = self._open or (self.out.drafts[-1] if self.out.drafts else None)
        return below or (not told.hour and above is not None and above.last_line == line - 1)

    def _may_say(self, words: frozenset[str]) -> bool:
        """Whether the page may hold any of these words; a pattern that needs one is not tried otherwise."""
        return self._spoken is None or not words.isdisjoint(self._spoken)

    def _short_form(self, chunks: list[Chunk], place: int) -> list[Chunk]:
        """`T Glycomet 500 mg`, `C Omez 20`: the first letter of a line, before a medicine or an order for an unknown word."""
        first = chunks[place]
        if len(chunks) > 3 and chunks[-1].value == "new" and chunks[-2].value == "-" and any(c.kind == "drug" for c in chunks):
            # `Telmisartan 40 mg OD - new`
            chunks = [*chunks[:-1], chunks[-1]._replace(kind="verb", value="plain")]
        headed = place == 0 and first.kind == "medicine_class" and len(chunks) > 2 and chunks[1].value == ":"
        if headed and any(c.kind in ("drug", "form") for c in chunks[2:4]):
            # `Antibiotic: Cap Amoxicillin 500 mg`: what it is for, before what it is.
            return [first._replace(kind="inert", value="prescription_nouns"), *chunks[1:]]
        if (
            first.value == "new"
            and place + 2 < len(chunks)
            and chunks[place + 1].value == ":"
            and chunks[place + 2].kind in ("drug", "form")
        ):
            # `NEW: Clopidogrel 75 mg daily`
            return [*chunks[:place], first._replace(kind="verb", value="plain"), *chunks[place + 1 :]]
        if first.kind != "word" or first.value not in _LETTER_FORMS or place + 1 >= len(chunks):
            return chunks
        after = chunks[place + 1]
        if after.kind == "drug" or (
            after.kind == "word" and is_name_word(chunks, place + 1, self._lexicon, at_start=True) and is_ordered(chunks, place + 1)
        ):
            return [*chunks[:place], first._replace(kind="form", value=_LETTER_FORMS[first.value]), *chunks[place + 1 :]]
        return chunks

    def _other_heading(self, chunks: list[Chunk]) -> list[Chunk]:
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
        text = self._text[chunks[0].start : chunks[colon].end]
        if any(c.kind in ("drug", "amount") for c in chunks[:colon]) or (not inline and chunks[colon].kind in ("drug", "amount")):
            return chunks
        if inline and not any(c.kind in ("drug", "form") for c in chunks[colon + 1 :]):
            return chunks
        if not inline and (not self._followed[self._line] or self._is_told(chunks)):
            return chunks
        whole = self._text[slice(*extent(chunks))]
        timed = any(c.kind in ("slots", "rate", "duration") for c in chunks)
        if not inline and not timed and heads_two_columns(whole, self._lexicon):
            self.out.remarks.append(Span(chunks[0].start, chunks[-1].end))
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
            and not any(
                c.kind in ("indication", "number", "rate", "slots", "duration", "when", "amount", "weekday", "maximum") for c in chunks
            )
        )
        # `On dialysis days:`, `Before exercise:`
        limited = not inline and chunks[colon].value == ":" and self._surface(chunks[0]) in self._lexicon.remarks.starts
        if not needed and not limited and not heads_something_else(text, self._lexicon) and not (framed and not known and len(chunks) <= 6):
            return chunks
        self._close()
        self._section = ("", "unknown")
        self._unknown_heading = True
        self._ahead = (-2, [])
        return chunks[colon + 1 :]

    def _is_told(self, chunks: Sequence[Chunk]) -> bool:
        """`Side effects explained`: a clause, no heading, though a word of it could head one. A visit (`Visit 12/01`) may."""
        classes = [row for row in self._asides_here if row.name != "visits"]
        told = is_of_the_paper(chunks, self._text, self._lexicon.remarks.in_no_name) or is_aside(chunks, self._text, classes)
        return len(chunks) > 1 and chunks[-1].value != ":" and told

    # -- lines -----------------------------------------------------------------------------------------------------

    def _read_line(self, chunks: list[Chunk]) -> None:
        self._muted = False
        self._asides = 0
        self._told = False
        self._broke = False
        self._after_visit = False
        self._context = []
        self._clause_cue = None
        if not self._signs and not self._marked_for_a_model and (name := plain_order(chunks)):
            self._read_plain_order(chunks, name)
            return
        place = 0
        numbered: int | None = None
        chunks = separated(chunks, self._text)
        chunks = self._other_heading(chunks)
        if not chunks:
            return
        chunks = behind_bar(chunks)
        if chunks[0].kind == "cue" and self._surface(chunks[0]).startswith("-"):
            # `- Stop Tab X`: a bullet, not `Tab X - stop`.
            chunks = [chunks[0]._replace(value=(chunks[0].value[0], "before")), *chunks[1:]]
        self._injected = self._addresses_a_model(chunks)
        self._ticked = is_tick_box(chunks) or self._marked_as_other(chunks)
        if self._soap and soap_letter(chunks):
            self._close()
            self._section = SOAP[str(chunks[0].value)]
            self._unknown_heading = False
            self._ahead = (-2, [])
            chunks = chunks[2:]
            if not chunks:
                return
        if _NUMBERED_PATIENT.match(self._text, chunks[0].start):
            self.out.patients += 1
        if chunks[0].kind == "item":
            self._close()
            numbered = item_number(chunks[0])
            place = 1
        elif (
            len(chunks) > 2
            and chunks[0].value == "#"
            and chunks[1].kind == "number"
            and chunks[1].start == chunks[0].end
            and len(chunks[1].value.parts) == 1
            and chunks[1].value.parts[0].denominator == 1
            and chunks[1].value.parts[0] <= 40
        ):
            # `#1 PANTOPRAZOLE`: a list number.
            self._close()
            numbered = int(chunks[1].value.parts[0])
            place = 2
        elif (lettered := list_letter(chunks)) and len(chunks) > lettered:
            self._close()
            place = lettered
        elif chunks[0].kind == "mark" and chunks[0].value in ("•", "*", "-", ">") and len(chunks) > 1:
            if chunks[0].value != "-" or chunks[1].kind not in SIG_KINDS:
                self._close()
            place = 1
        elif (serial := self._serial_number(chunks)) is not None:
            self._close()
            numbered = serial
            place = 2 if chunks[0].kind == "number" and chunks[1].kind == "mark" else 1
            if chunks[0].kind == "amount":
                word = chunks[0]
                form = "tablet" if word.value.units[0] == "{tbl}" else "capsule"
                chunks = [
                    word,
                    word._replace(kind="form", value=form, start=max(word.start, word.end - 3)),
                    *chunks[1:],
                ]
        elif (
            chunks[0].kind == "number"
            and len(chunks) > 2
            and chunks[1].kind == "form"
            and chunks[0].value.parts[0] <= 30
            and chunks[0].value.parts[0].denominator == 1
        ):
            # `1 Tab. Brufen 400`: OCR lost the full stop of the list number, unless the form is followed by no name.
            if chunks[2].kind in ("drug", "word") or (chunks[2].kind == "mark" and len(chunks) > 3 and chunks[3].kind in ("drug", "word")):
                self._close()
                numbered = int(chunks[0].value.parts[0])
                place = 1
        if place >= len(chunks):
            return
        if numbered is not None:
            self.out.item_numbers.append(numbered)
        line_text = self._note_text(chunks, place)
        chunks = self._short_form(chunks, place)
        if is_of_the_paper(chunks[place:], self._text, self._lexicon.remarks.in_no_name):
            # Below the doctor's name or degrees stand a place and hours.
            self._signed = self._signed or bool(self.out.drafts or self._open)
            self._close()
            return
        first = chunks[place]
        if means(first, "prn") and len(chunks) > place + 1 and heads_a_list(chunks[place + 1 :]):
            # `If needed:`, `PRN medications`: when those below are taken, not how the one above is.
            self._close()
            self._unknown_heading = True
            return
        if means(first, "boilerplate") and first.kind != "drug":
            self._close()
            signing = meaning_of(first, "heading")
            # Below the signature stand a stamp, a day and a place.
            self._signed = self._signed or (isinstance(signing, tuple) and signing[0] == "signature" and bool(self.out.drafts))
            return
        if self._line in self._heads:
            self._columns = self._heads[self._line]
            self._close()
            return
        header = first.kind == "header_line_starts" or (first.kind in ("release", "route", "site") and means(first, "header_line_starts"))
        if header:
            self._count_patient(chunks, place)
            # Below the doctor's name stand degrees, addresses and hours.
            self._signed = self._signed or (bool(self.out.drafts or self._open) and self._surface(first) in _SIGNING)
        self._bulleted = place > 0 and numbered is None
        before = len(self.out.drafts) + (self._open is not None)
        opened_here = self._open
        at = _Cursor(chunks, place, header=header, numbered=numbered)
        self._walk(at)
        header = header and not at.told
        whole = bool(self._context) and len(self._context) >= len(chunks) - place
        if not header:
            self._flush(whole_line=whole, ends_with_colon=chunks[-1].kind == "mark" and chunks[-1].value == ":", numbered=numbered)
        if self._asides and not self._told:
            return
        made = len(self.out.drafts) + (self._open is not None) - before
        joined = opened_here is not None and self._open is opened_here and opened_here.last_line == self._line
        if made <= 0 and not joined and (not header or names_a_fluid(line_text)):
            self._note_unread(chunks[place:], numbered)

    def _note_text(self, chunks: Sequence[Chunk], place: int) -> str:
        """The text of a line, once it is noted what it says of the orders of the page by its wording alone. `place`: behind its number."""
        line_text = self._text[chunks[0].start : chunks[-1].end]
        unlisted = _UNLISTED_SET.search(line_text) if self._may_say(_SET_WORDS) else None
        if unlisted is not None and not any(c.kind == "collective" or means(c, "collective") for c in chunks):
            self.out.collectives.append(
                Chunk("collective", "unlisted", chunks[0].start + unlisted.start(), chunks[0].start + unlisted.end(), 0, 0)
            )
        beside = bool(self.out.drafts or self._open) and self._line - (self._open or self.out.drafts[-1]).last_line <= 1
        if (
            self._lexicon.remarks.corrections.search(line_text) is not None
            or turns_the_slots(line_text)
            or (beside and ends_the_order_above(line_text))
            or (not any(c.kind in ("drug", "form") for c in chunks) and place == 0 and selects_by_number(line_text))
        ):
            self.out.remarks.append(Span(*extent(chunks)))
        return line_text

    def _read_plain_order(self, chunks: list[Chunk], name: int) -> None:
        """What the walk along the line would come to, without a question at each word that a `plain_order` cannot answer otherwise."""
        self._close()
        numbered = item_number(chunks[0])
        self.out.item_numbers.append(numbered)
        self._note_text(chunks, 1)
        self._injected = self._ticked = self._bulleted = False
        self._told = True
        draft = self._begin(chunks, 1, name, numbered)
        draft.chunks.extend(chunks[name + 1 :])
        if "\n" not in self._text[slice(*extent(chunks))]:
            # A line of the page may be of two lines of the text.
            draft.as_plain = len(draft.chunks)

    def _flush(self, *, whole_line: bool = False, ends_with_colon: bool = False, numbered: int | None = None) -> None:
        """A clause without a medicine ends here. A status cue, a doubt or an amount in it may speak of the one beside it."""
        clause, self._context = self._context, []
        if not clause:
            return
        if not whole_line:
            self._note_unread(clause, numbered)
        self._note_remark(clause)
        here = self._open is not None or (bool(self.out.drafts) and self.out.drafts[-1].last_line == self._line)
        if self._section[0] in ("followup", "investigations") and not any(
            c.kind == "cue" and c.value[0] in ("stopped", "held") for c in clause
        ):
            # `Follow-up: after 5 days if symptoms persist`
            return
        strange, whole = strange_words(clause, self._lexicon), clause
        clause = without_own_object(clause, strange, self._lexicon, self._surface)
        kinds = {c.kind for c in clause}
        told = (not strange and ("verb" in kinds or any(c.value == "order_forms" for c in clause))) or any(
            c.kind == "cue" and c.value[0] == "continue" for c in clause
        )
        suffered = here and "indication" in kinds and any(self._surface(c) in ("had", "developed") for c in clause)
        relevant = [c for c in clause if may_change_an_order(c, self._lexicon, told=told, here=here)]
        dangling = bool(clause) and len(clause) <= 3 and clause[0].kind == "word" and clause[0].value in DANGLING
        if dangling:
            # `after surgery`, `less than`: the end of a sentence that began above.
            relevant.append(clause[0])
        if clause and (suffered or (self._injected and self._open is None)):
            relevant.append(clause[0])
        if ends_with_colon and whole_line and (relevant or strange):
            self._unknown_heading = True
            return
        if (
            whole_line
            and any(c.value in VOIDED for c in clause)
            and any(c.value == "prescription_nouns" or means(c, "heading") for c in clause)
        ):
            # `CANCELLED PRESCRIPTION`: the whole paper is.
            self._voided = True
        ended = any(c.kind == "cue" and c.value[0] not in _OF_ANYTHING for c in relevant)
        if relevant and not (dangling or ended) and self._is_of_its_own(whole):
            return
        relevant = [c for c in relevant if not self._asks_of_a_word(c, clause)]
        cued = any(c.kind == "cue" for c in relevant)
        if not relevant or (strange and not (cued or suffered or dangling or self._injected)) or len(strange) > 2:
            return
        previous = self._open or (self.out.drafts[-1] if self.out.drafts else None)
        if previous is not None and self._line - previous.last_line <= 1:
            previous.loose.extend(relevant)
        if not strange or (cued and len(strange) == 1):
            self._ahead = (self._line, relevant)

    def _is_of_its_own(self, chunks: Sequence[Chunk], *, asides: bool = True) -> bool:
        """Whether each sentence is of plain words or an aside, as `leftover.py` asks of what is left: `Drink water. Repeat smear day 3.`"""
        sentences: list[list[Chunk]] = [[]]
        for chunk in chunks:
            if chunk.kind == "mark" and chunk.value in (".", ";"):
                sentences.append([])
            elif sentences[-1] or chunk.kind not in ("mark", "item"):
                sentences[-1].append(chunk)
        told = [part for part in sentences if part]
        return bool(told) and all(
            is_plain(part, self._text, self._lexicon.plain)
            or is_advice_by_shape(part, self._text, self._lexicon)
            or (asides and is_aside(part, self._text, self._asides_here))
            for part in told
        )

    def _heads_orders(self) -> None:
        self._section, self._unknown_heading, self._muted, self._context, self._clause_cue = ("rx", "active"), False, False, [], None
        self.out.prescriptions += 1

    def _is_listed_above(self, chunk: Chunk) -> bool:
        """`Continue current medications`, where a list with a heading of the same words stands above it."""
        own = _OWN_SET.search(self._surface(chunk))
        if own is None or not self._so_far.listed(self.out.drafts):
            return False
        if own[1] not in self._list_heads:
            heading = re.search(rf"(?:^|\n)\W*{own[1]} {_SET}\s*:", self._text)
            self._list_heads[own[1]] = len(self._text) if heading is None else heading.end()
        return self._list_heads[own[1]] <= chunk.start

    @staticmethod
    def _asks_of_a_word(chunk: Chunk, clause: Sequence[Chunk]) -> bool:
        """`Urticaria, ?food`: the question is of the complaint or the cause that it is glued to."""
        asked = chunk.value == "?" or (
            chunk.kind == "cue" and chunk.value[0] in ("question", "hypothetical") and chunk.end - chunk.start == 1
        )
        return asked and any(c.start == chunk.end and c.kind in ("word", "indication", "label") for c in clause)

    def _surface(self, chunk: Chunk) -> str:
        return self._text[chunk.start : chunk.end]

    def _serial_number(self, chunks: Sequence[Chunk]) -> int | None:
        """`2 | Tab Metformin`, `2   Tab Metformin` under a table head or in a run of such lines: the row's number, not a dose."""
        first = chunks[0]
        if len(chunks) < 3 or first.kind not in ("number", "amount"):
            return None
        value = first.value.parts[0]
        if first.value.high is not None or value.denominator != 1 or not 1 <= value <= 40 or len(first.value.parts) != 1:
            return None
        expected = self._serials.get(self._line)
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

    def _marked_as_other(self, chunks: Sequence[Chunk]) -> bool:
        """A line that is marked apart from its neighbours: `-` where others have `+`, quoted with `>`, struck with dashes, boxed (P21)."""
        line = self._text[slice(*extent(chunks))]
        if is_boxed(line):
            return True
        sign = str(chunks[0].value) if chunks[0].kind == "mark" else ""
        return sign in self._signs and len(self._signs) > 1

    def _addresses_a_model(self, chunks: Sequence[Chunk]) -> bool:
        """P24: the line tells a machine what to do."""
        if any_means(chunks, "instruction_to_model"):
            return True
        if len(chunks) > 1 and means(chunks[0], "model_label") and chunks[1].kind == "mark" and chunks[1].value == ":":
            return True
        text = self._text[chunks[0].start : chunks[-1].end]
        return self._marked_for_a_model and any(mark in text for mark in ("<!--", *self._lexicon.instruction_marks))

    def _count_patient(self, chunks: Sequence[Chunk], place: int) -> None:
        surface = self._text[chunks[place].start : chunks[place].end]
        if surface in ("name", "patient name", "name of patient", "pt name", "patient's name"):
            self.out.patients += 1

    def _note_unread(self, chunks: Sequence[Chunk], numbered: int | None) -> None:
        """A line of the prescription zone that gave no statement and may be an order is remembered as unread (P2)."""
        section, status = self._section
        if status not in ("active", "unknown", "cue", "reported") and numbered is None:
            return
        body = without_enumerator(chunks)
        if not body or is_measured(body, self._lexicon.remarks.beside_values):
            return
        place = Place(
            section,
            status,
            numbered is not None,
            len(body) < len(chunks) or self._bulleted,
            is_list_number(chunks, 0),
            self._follows_an_item(numbered),
        )
        if may_be_an_order(body, self._text[body[0].start : body[-1].end], place, self._lexicon) and not (
            self._is_of_its_own(body, asides=False)
        ):
            self.out.unread.append(Span(chunks[0].start, chunks[-1].end))

    def _note_remark(self, clause: Sequence[Chunk]) -> None:
        """A clause that takes back the orders of the page, wherever it stands."""
        ordered = self._open is not None or bool(self.out.drafts)
        # In a document with word boxes the order on the page is not that of the text.
        if speaks_of_orders(" ".join(map(self._surface, clause)), self._lexicon, behind=ordered):
            self.out.remarks.append(Span(*extent(clause)))

    def _follows_an_item(self, numbered: int | None) -> bool:
        """Whether the list entry before this one led to a statement."""
        if not self.out.drafts:
            return False
        last = self.out.drafts[-1]
        return last.numbered == numbered - 1 if numbered is not None else last.line == self._line - 1

    # -- one line --------------------------------------------------------------------------------------------------

    def _walk(self, at: _Cursor) -> None:
        """Read a line chunk by chunk; each is taken by the first of the readings below that will have it."""
        self._is_tested = any(c.kind == "header_line_starts" for c in at.chunks)
        self._last_dosed = next((n for n in range(len(at.chunks) - 1, -1, -1) if at.chunks[n].kind in _DOSED), -1)
        self._last_below = -1
        if self._may_say(_BELOW):
            self._last_below = max((n for n, c in enumerate(at.chunks) if self._surface(c) == "below"), default=-1)
        self._names_rest = self._may_say(_REST) and any(self._surface(c) in _REST for c in at.chunks)
        if self._open is not None and not self._aside_end(at.chunks, at.place) and not self._goes_on(at):
            self._close()
        while at.place < len(at.chunks):
            chunk = at.chunks[at.place]
            if (at.at_start or at.fresh) and self._pass_aside(at):
                continue
            at.fresh = False
            if self._enter_heading(at):
                continue
            self._told = self._told or chunk.kind != "mark"
            if chunk.kind == "number" and is_list_number(at.chunks, at.place) and self._keep_list_number(at):
                continue
            if chunk.kind == "mark" and chunk.value in (".", ";"):
                self._stop(at, chunk)
                continue
            if self._muted and self._skip_muted(at, chunk):
                continue
            if means(chunk, "review_phrases") and chunk.kind not in ("drug", "amount", "duration"):
                self._leave_for_a_visit(at, chunk)
                continue
            if self._open is not None and chunk.value == "," and chunk.kind == "mark" and self._leave_at_comma(at, self._open):
                continue
            if self._open is not None and at.at_start and meaning_of(chunk, "label") == "generic_name" and means(chunk, "composition"):
                chunk = chunk._replace(kind="composition", value=meaning_of(chunk, "composition"))
                at.chunks = [*at.chunks[: at.place], chunk, *at.chunks[at.place + 1 :]]
            if means(chunk, "collective") and (chunk.kind == "collective" or self._open is None):
                self._refer_to_a_set(at, chunk)
                continue
            if self._open is not None and self._begins_a_test(at.chunks, at.place):
                self._close()
                self._muted = True
                at.place += 1
                continue
            if self._open is not None and ends_a_sentence_as_past(at.chunks, at.place):
                self._open.chunks.append(chunk._replace(value=(chunk.value[0], "after")))
                at.place += 1
                continue
            anchor = self._anchor(at.chunks, at.place, header=at.header, numbered=at.numbered, at_start=at.at_start)
            if anchor is not None:
                self._begin(at.chunks, at.place, anchor, at.numbered)
                at.numbered = None
                at.place = anchor + 1
            else:
                self._take(at, chunk)
                at.place += 1
            at.at_start = False

    def _pass_aside(self, at: _Cursor) -> bool:
        """Advice, a test, a visit, a finding: no part of the order before it or after it."""
        end = self._aside_end(at.chunks, at.place)
        if not end:
            return False
        self._close()
        self._flush()
        self._asides += 1
        at.place = end
        at.at_start, at.fresh = False, True
        return True

    def _enter_heading(self, at: _Cursor) -> bool:
        """A heading with its colon, or alone on its line."""
        behind = self._heading(at.chunks, at.place, at_start=at.at_start)
        if behind is None:
            return False
        at.place = behind
        at.at_start, at.fresh, at.header = False, True, False
        return True

    def _keep_list_number(self, at: _Cursor) -> bool:
        """A list number behind a full stop keeps to what it numbers (`BD. 2. Xyzolin`); one before a visit numbers no order."""
        chunks, place = at.chunks, at.place
        if place + 2 >= len(chunks):
            return False
        if at.at_start and place and chunks[place + 2].kind == "word":
            if self._anchor(chunks, place, header=at.header, numbered=at.numbered, at_start=True) is None:
                self._close()
                self._context.extend(chunks[place : place + 2])
                at.place += 2
                return True
        if not means(chunks[place + 2], "review_phrases") or any(
            (c.kind == "cue" and c.value[0] != "conditional") or c.kind in TIMING_KINDS or c.kind in ("amount", "weekday")
            for c in chunks[place + 3 :]
        ):
            return False
        # `2) ibuprofen … 3) RTC if worse`
        self._close()
        at.place += 2
        return True

    def _stop(self, at: _Cursor, chunk: Chunk) -> None:
        """A full stop or semicolon: the end of a sentence, or a mark of the order."""
        if is_sentence_end(at.chunks, at.place):
            self._flush()
            self._clause_cue = None
            self._muted = False
            self._broke = True
            if self._open is not None:
                self._open.after_break = True
            at.at_start = True
            if at.header and self._surface(at.chunks[0]) in _TITLES and sum(c.kind != "mark" for c in at.chunks[: at.place]) > _NAMED:
                # `Mrs. P, 48 yrs, seen for hypothyroidism. She is on Tab X`: behind its first sentence it is a note.
                at.header, at.told = False, True
        elif self._open is not None:
            self._open.chunks.append(chunk)
        at.place += 1

    def _skip_muted(self, at: _Cursor, chunk: Chunk) -> bool:
        """Behind a visit, a test or a title nothing is read, up to the end of the sentence or to what can only be an order."""
        chunks, place = at.chunks, at.place
        if starts_with_form(chunks, place):
            return False
        ordered = any(c.kind == "amount" for c in chunks[place + 1 : place + 3]) and any(
            c.kind in ("rate", "slots") for c in chunks[place + 1 : place + 6]
        )
        if ordered and (chunk.kind == "drug" or (chunk.kind == "word" and place and chunks[place - 1].kind == "mark")):
            self._muted = False
            return False
        at.place += 1
        return True

    def _leave_for_a_visit(self, at: _Cursor, chunk: Chunk) -> None:
        """`Review after 5 days` ends the order; where it says what becomes of the order, a person must read it."""
        chunks, place = at.chunks, at.place
        if self.out.drafts or self._open:
            after = list(itertools.takewhile(lambda c: c.value not in (".", ";"), chunks[place + 1 :]))
            conditional = any(c.kind == "cue" and c.value[0] == "conditional" for c in after)
            if any(c.kind == "cue" and c.value[0] in _TURNS for c in after) or (conditional and after[-1].kind == "rate"):
                # `Review and stop.`
                self.out.remarks.append(Span(*sorted((chunk.start, chunks[-1].end))))
        if self._context and self._surface(self._context[0]) in _ENDS_AT:
            # `Till next review.`
            self.out.remarks.append(Span(*sorted((self._context[0].start, chunk.end))))
        if any(c.kind == "cue" for c in self._context):
            self._flush(whole_line=True, ends_with_colon=chunks[-1].value == ":")
        self._close()
        self._muted = True
        self._after_visit = at.at_start and place == 0 and "next" in self._surface(chunk)
        at.place += 1

    def _leave_at_comma(self, at: _Cursor, draft: Draft) -> bool:
        """`1 g QDS PRN, safety netted, no antibiotics`"""
        if draft.in_brackets or not draft.is_timed:
            return False
        end = self._aside_end(at.chunks, at.place + 1, tail=True)
        if not end:
            return False
        self._close()
        at.place = end
        return True

    def _refer_to_a_set(self, at: _Cursor, chunk: Chunk) -> None:
        """`Continue same medicines`: those the page does not list, unless it lists what the patient takes."""
        reported = self._section[1] == "reported" or self._so_far.reported(self.out.drafts, self._open)
        listed = (meaning_of(chunk, "collective") == "listed" or self._is_listed_above(chunk)) and reported and not self._names_rest
        self._close()
        if not listed:
            self.out.collectives.append(chunk)
        at.place += 1
        at.at_start = False

    @staticmethod
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

    def _take(self, at: _Cursor, chunk: Chunk) -> None:
        """A word of the open statement, or of the clause before the next one."""
        draft = self._open
        if draft is None:
            self._context.append(chunk)
            if chunk.kind == "cue":
                self._clause_cue = chunk
            return
        tells = chunk.kind in SIG_KINDS and chunk.kind not in ("indication", "inert", "number")
        if draft.after_break and not tells and not goes_on_after_break(at.chunks, at.place, self._lexicon):
            self._close()
            self._context.append(chunk)
            return
        draft.after_break = False
        draft.chunks.append(chunk)
        draft.last_line = self._line

    def _aside_end(self, chunks: Sequence[Chunk], place: int, *, tail: bool = False) -> int:
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
        classes = [row for row in self._asides_here if row.name not in ("findings", "acts")] if tail else self._asides_here
        stamped = not tail and is_stamp_or_vital(clause, self._text, self._lexicon.departments)
        shaped = not tail and is_advice_by_shape(clause, self._text, self._lexicon)
        if not (stamped or shaped) and not is_aside(clause, self._text, classes):
            return 0
        self._told_asides.append((clause[0].start, clause[-1].end))
        return end

    def _goes_on(self, at: _Cursor) -> bool:
        """Whether the line goes on with the statement left open above it; one of the letterhead is not read, and ends nothing."""
        self._muted = self._muted or at.header
        return at.header or (self._open is not None and continues(self._open, at.chunks, at.place))

    def _heading(self, chunks: Sequence[Chunk], place: int, *, at_start: bool) -> int | None:
        chunk = chunks[place]
        if not means(chunk, "heading") or chunk.kind == "drug":
            return None
        value = meaning_of(chunk, "heading")
        assert isinstance(value, tuple)
        name, status = value
        surface = self._text[chunk.start : chunk.end]
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
            and self._open is not None
            and name not in _LINE_SECTIONS
            and surface not in ("rx", "adv", "advice", "plan", "treatment")
        ):
            return None
        if not (colon or (alone and at_start) or is_rx or soft_current):
            return None
        if chunk.kind == "cue" and not (colon or alone or soft_current):
            return None
        if alone and status in ("stopped", "past", "allergy") and self.out.drafts:
            self._ends_with = (Span(chunk.start, chunk.end), len(self.out.drafts) + (self._open is not None))
        if alone and means(chunk, "cue") and self._open is not None and self._line - self._open.last_line <= 1:
            # `stop` on a line of its own below an order may be its end or the next heading.
            self._open.loose.append(chunk)
        # `do not take Medications started:` below an order: the words stand before the heading, whoever took them.
        taken = chunks[:place] if self._open is not None and self._open.line < self._line and not self._broke else []
        self._close()
        led = [
            c
            for c in [*self._context, *(c for c in taken if c.kind == "cue")]
            if c.kind in ("cue", "word", "person_roles", "unreadable", "prn", "rate", "weekday", "amount", "slots")
            and c.value not in self._lexicon.reference_words
        ]
        self._context = []
        self._clause_cue = None
        self._signed = self._signed or (name == "signature" and bool(self.out.drafts))
        if name in ("rx", "plan") and ("discharge" in surface or surface.startswith("d/c")):
            self.out.discharge = True
        if is_rx or (name == "rx" and alone):
            self.out.prescriptions += is_rx
        rest = place + 1 + (1 if colon else 0)
        inline = rest < len(chunks)
        if bracket or (name == "rx" and any(means(c, "person_roles") for c in chunks[place + 1 : place + 4])):
            self.out.persons.extend(c for c in chunks[place + 1 :] if means(c, "person_roles"))
            if bracket:
                self._section = (name, status)
                return len(chunks)
        if inline and self._last_below < rest and (name in _LINE_SECTIONS or (soft_current and not colon)):
            self._after_line = self._after_line or self._section
        self._section = (name, status)
        # `Mother's medications:`, `Sample Rx`: what leads a heading qualifies it.
        if name == "followup" and inline and any(c.kind == "cue" for c in led):
            # `hold until review: Tab X`
            self._unknown_heading = True
            return rest
        kept = self._unknown_heading and inline and means(chunk, "label")
        self._unknown_heading = kept or (bool(led) and name in ("rx", "current", "plan") and len(led) <= 3)
        self._muted = False
        if soft_current:
            self._context.append(chunk)
        return rest

    # -- anchors ---------------------------------------------------------------------------------------------------

    def _anchor(self, chunks: list[Chunk], place: int, *, header: bool, numbered: int | None, at_start: bool) -> int | None:
        """The index of the name that begins a statement whose first word is at `place`; None if none begins here."""
        chunk = chunks[place]
        if chunk.kind not in _ANCHOR_KINDS:
            return None
        if chunk.kind in ("drug", "form") and (self._taken_with(chunks, place) or self._form_of_open(chunks, place)):
            return None
        if chunk.kind == "drug":
            if self._belongs_to_open(chunks, place):
                return None
            return place if self._may_stand_here(chunks, place, place, header=header) else None
        after = place
        form = numbered is not None and at_start
        count = min(len(chunks), place + _LONGEST_LEAD)
        if is_list_number(chunks, place):
            # A list number in the middle of a line.
            after = place + 2
            form = True
        elif chunk.kind == "amount" and is_leading_amount(chunks, place):
            after = place + 1
        elif chunk.kind not in _LEAD_KINDS and chunk.kind != "then" and not (chunk.kind == "word" and (form or at_start)):
            return None
        while after < count:
            at = chunks[after]
            if at.kind == "drug":
                if self._belongs_to_open(chunks, after, lead=place):
                    return None
                return after if self._may_stand_here(chunks, place, after, header=header) else None
            if at.kind == "form":
                form = True
            elif at.kind == "verb":
                # `cream - apply neck to toe`: what follows a verb of use is no name.
                form = form and not (after > place and any(c.kind == "form" for c in chunks[place:after]))
            elif at.kind == "word":
                if (
                    form
                    and is_name_word(chunks, after, self._lexicon, at_start=at_start)
                    and not self._is_of_time(chunks, place, after)
                    and not (header and numbered is None and not any(c.kind == "form" for c in chunks[place:after]))
                    and (at_start or (self._open is None and not self._context) or is_ordered(chunks, after))
                ):
                    return after if names_something(chunks, after, not any(c.kind == "form" for c in chunks[place:after])) else None
                if (
                    at_start
                    and not header
                    and place == after
                    and self._section[1] in ("active", "unknown", "reported")
                    and unlisted_order(chunks, after, self._lexicon)
                ):
                    return after
                if at.value in ("of", "the", "a", "an", "also", "and", "on", "pt", "to") and after > place:
                    after += 1
                    continue
                return None
            elif at.kind == "amount" and is_leading_amount(chunks, after):
                after += 1
                continue
            elif at.kind == "mark":
                if at.value not in _LEAD_MARKS or (at.value in ("+", "&", "/", "(") and after == place):
                    return None
            elif after > place and is_list_number(chunks, after):
                form = True
            elif at.kind not in _LEAD_KINDS and at.kind != "then":
                return None
            after += 1
        return None

    def _is_of_time(self, chunks: Sequence[Chunk], place: int, after: int) -> bool:
        """`tablets finished May`, `tablets till delivery`, `drops over`: until when, and no name."""
        word = str(chunks[after].value)
        told = after > place and chunks[after - 1].kind == "cue" and any(c.kind == "form" for c in chunks[place:after])
        plain = self._lexicon.plain
        return word in self._lexicon.remarks.starts or word in plain.small or (told and word in plain.time_words)

    def _taken_with(self, chunks: Sequence[Chunk], place: int) -> bool:
        """`500 mg daily with iron tablet`, `along with Naproxen SOS`: what an order is taken with, not an order of its own.

        A name behind `with` that nothing is said of, or that is ordered elsewhere on the page.
        """
        draft = self._open
        if draft is None or draft.last_line != self._line or place == 0 or self._surface(chunks[place - 1]) not in ("with", "along with"):
            return False
        name = next((n for n in range(place, min(place + 3, len(chunks))) if chunks[n].kind == "drug"), None)
        if name is None or any(c.kind != "form" and c.value not in (".", "-") for c in chunks[place:name]):
            return False
        if not any(c.kind in ("amount", "number", "tuple", *TIMING_KINDS) for c in draft.chunks[draft.anchor :]):
            return False
        rest = list(itertools.takewhile(lambda c: c.value not in (".", ";", ","), chunks[name + 1 :]))
        if any(
            c.kind in ("amount", "number", "tuple", "malformed", "drug", "form") and (c.kind != "form" or n) for n, c in enumerate(rest)
        ):
            return False
        ordered = any(d.chunks[d.anchor].value == chunks[name].value for d in self.out.drafts)
        return ordered or not any(c.kind in TIMING_KINDS for c in rest)

    def _form_of_open(self, chunks: Sequence[Chunk], place: int) -> bool:
        """`Mupirocin 2% ointment on cracks`: the form of the name before it, and where it goes; no name is opened by it."""
        draft, chunk = self._open, chunks[place]
        if draft is None or draft.last_line != self._line or chunk.kind != "form" or place + 1 >= len(chunks):
            return False
        if self._lexicon.form_family.get(chunk.value) != "topical" or any(c.kind == "form" for c in draft.chunks):
            return False
        named = draft.chunks[draft.anchor :]
        if any(c.kind not in ("drug", "amount", "number", "release", "word") for c in named) or not any(c.kind == "amount" for c in named):
            return False
        after = place + 1 + (chunks[place + 1].kind == "mark" and chunks[place + 1].value in ("-", ","))
        return after < len(chunks) and self._surface(chunks[after]).split()[0] in _PLACED

    def _may_stand_here(self, chunks: Sequence[Chunk], place: int, anchor: int, *, header: bool) -> bool:
        """Letterhead, complaints, findings and laboratory lines hold names that are no orders."""
        status = self._section[1]
        with_form = any(c.kind == "form" for c in chunks[place:anchor])
        dose_and_time = any(c.kind in ("amount", "number") for c in chunks[anchor + 1 : anchor + 4]) and any(
            c.kind in ("rate", "slots", "prn") for c in chunks[anchor + 1 : anchor + 10]
        )
        if header:
            first = self._text[chunks[0].start : chunks[0].end]
            return with_form or (dose_and_time and first in _VITALS)
        linked = any(c.kind == "cue" and c.value[0] in ("taking", "continue") for c in [*self._context, *chunks[place:anchor]])
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
        return named_first or not self._is_tested or anchor < self._last_dosed

    def _belongs_to_open(self, chunks: Sequence[Chunk], place: int, lead: int | None = None) -> bool:
        """Whether the name at `place` goes with the statement being read: a printed composition, a combination, `Brand (Generic)`."""
        draft = self._open
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

    # -- beginning and ending --------------------------------------------------------------------------------------

    def _begin(self, chunks: list[Chunk], place: int, anchor: int, numbered: int | None) -> Draft:
        lead = list(chunks[place : anchor + 1])
        while len(lead) > 2 and lead[0].kind == "number" and lead[1].kind == "mark":
            lead = lead[2:]
            self._context = []
        previous = self._open
        alternative = bool(_PERHAPS.search(self._text, max(0, chunks[place].start - 6), chunks[place].start)) or self._after_visit
        self._after_visit = False
        if previous is not None and previous.last_line == self._line and any(self._surface(c) in _OTHERWISE for c in lead):
            previous.alternative = alternative = True
        behind = previous.chunks[-1] if previous is not None else None
        if previous is not None and behind is not None and self._text[behind.start : behind.end] in ("or", "ya", "या", "either", "/", "vs"):
            previous.chunks.pop()
            previous.alternative = alternative = True
        if previous is not None and behind is not None and self._text[behind.start : behind.end] == "plus" and len(previous.chunks) > 2:
            if previous.chunks[-2].kind in ("duration", "rate", "slots"):
                # `x 7 days plus Y`: it only joins.
                previous.chunks.pop()
        same_clause = previous is not None and previous.last_line == self._line and not previous.after_break
        if previous is not None and same_clause and not previous.is_timed:
            previous.shared_tail = True
        carried = self._clause_cue
        if previous is not None and same_clause:
            own = [c for c in previous.chunks if c.kind == "cue"]
            carried = own[0] if own else previous.inherited
        if previous is not None and behind is not None and same_clause:
            turning = self._text[behind.start : behind.end] in ("to", "with", "by") or behind.value in ("->", "→", "arrow")
            if turning and any(c.kind == "cue" and c.value[0] in ("increase", "decrease") for c in previous.chunks):
                previous.replaced = True
            if any(c.kind == "cue" and c.value[0] == "switch_to" for c in [*lead, *previous.chunks[previous.anchor :]]):
                previous.replaced = True
        self._close()
        context = self._context
        self._context = []
        # An amount, form or verb that stood open before the lead belongs to this statement.
        back: list[Chunk] = []
        while (context and context[-1].kind in ("form", "verb", "cue", "pseudo_cue")) or (
            context and context[-1].kind == "mark" and context[-1].value in (".", "-")
        ):
            back.insert(0, context.pop())
        body = back + lead
        self._open = draft = Draft(
            chunks=body,
            anchor=len(body) - 1,
            context=context,
            section=self._section[0],
            section_status=self._section[1],
            line=self._line,
            block=self.out.prescriptions,
            columns=self._columns,
            injected=self._injected,
            inherited=carried,
            known=chunks[anchor].kind == "drug",
            numbered=numbered,
            last_line=self._line,
            alternative=alternative or self._ticked,
        )
        if (
            self._broke
            and self._after_line is not None
            and any(c.kind in ("verb", "form") for c in [*context, *body])
            and not (
                self._section[1] == "past"
                and any(c.kind == "cue" and c.value[0] == "taking" for c in [*context, *body])
                and not any(c.kind == "verb" for c in [*context, *body])
            )
            and self._section[1] in ("family", "past", "none", "allergy")
        ):
            # A new sentence with an order in it is out of the reach of the heading before it on the line.
            self._open.section, self._open.section_status = self._after_line
        self._signed = False
        line, relevant = self._ahead
        if relevant and self._line - line <= 1:
            self._open.loose.extend(relevant)
        self._ahead = (-2, [])
        if self._unknown_heading:
            self._open.alternative = True
        for c in body:
            if c.kind == "cue":
                self._clause_cue = c
        return draft

    def _close(self) -> None:
        if self._open is not None:
            self.out.drafts.append(self._open)
            self._open = None
