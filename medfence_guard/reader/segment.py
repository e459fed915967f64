"""Cut a chunked source into medication statements, and remember what was not understood.

A statement begins at a name (an anchor) with what leads up to it (`Start Tab`, `STOP`, `2 tabs of`), and goes on over
timing, amounts and remarks until the next name, a new sentence, a heading or a line that is no continuation.
Headings set the section; a section may say that what stands in it is no order at all. Letterhead, vitals, dates and
review notes never start one. Everything here is structure; what the words mean is `statement.py`'s business.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

from medfence_guard.contract import Span
from medfence_guard.reader.asides import is_aside, is_of_the_paper, is_stamp_or_vital
from medfence_guard.reader.beside import (
    DANGLING,
    VOIDED,
    Place,
    is_advice,
    may_be_an_order,
    may_change_an_order,
    names_a_fluid,
    strange_words,
    without_enumerator,
    without_own_object,
)
from medfence_guard.reader.chunks import Chunk, DrugMention, any_means, meaning_of, means
from medfence_guard.reader.leftover import Page, Section, unaccounted
from medfence_guard.reader.lexicon import AsideClass, Lexicon, spoken_in
from medfence_guard.reader.lines import SEXES, behind_bar, blocks, is_boxed, is_measured, is_rule, undecorated
from medfence_guard.reader.remarks import (
    ends_the_order_above,
    heads_something_else,
    heads_two_columns,
    selects_by_number,
    speaks_of_orders,
    turns_the_slots,
)
from medfence_guard.reader.shared import TOLD_ONCE, Told, reaches, sort_of, tail_of_all, told_of_all

# Chunks that say something about taking a medicine: a line or sentence beginning with one continues the statement before it.
SIG_KINDS = frozenset(
    "amount number range tuple slots rate when weekday prn as_directed stat duration duration_open then unsupported maximum quantity "
    "refill route site confused malformed ambiguous composition indication_part indication inert code".split()
)
TIMING_KINDS = frozenset("slots rate when prn stat as_directed weekday ambiguous confused unsupported".split())
_LEAD_KINDS = frozenset("form verb cue pseudo_cue item inert person_roles terminator release site route".split())
# What a statement may begin with: what leads up to a name, a list number, an amount, or the name itself.
_ANCHOR_KINDS = _LEAD_KINDS | {"drug", "number", "amount", "then", "word"}
_LEAD_MARKS = frozenset(".-:•,*(\"'+&/|")
# Kinds a continuing line may begin with even when a word of it is unknown.
_STRONG_KINDS = frozenset(
    "duration duration_open when prn then unsupported maximum range tuple slots confused malformed ambiguous stat as_directed route site "
    "quantity".split()
)
_JOINTS = frozenset({"+", "/", "&", "and", "with", "-"})
# `Repeat all old medicines`: a set the page does not list, however it is worded; `no other medicines` is none.
_SET_STARTS = "all|old|other|previous|earlier|remaining|usual|family doctor|gp|outside"
_UNLISTED_SET = re.compile(
    r"\brest of (?:the |his |her |all )?(?:medicines?|medications?|meds|drugs|treatment)\b|\brest (?:all )?(?:same|unchanged)\b|"
    rf"(?<!no )(?<!not )(?<!any )(?<!these )(?<!above )\b(?:{_SET_STARTS})\s+"
    r"(?:(?:the|other|old|his|her|previous|regular|usual)\s+)*"
    r"(?:medicines?|medications?|meds|drugs|treatment|rx|tablets)\b(?!\s*(?::|stopped|discontinued|withheld|history))"
)
# One of these is in every such set.
_SET_WORDS = spoken_in(f"rest {_SET_STARTS}")
_VITALS = frozenset({"wt", "weight", "bp", "pr", "pulse", "temp", "spo2", "rbs", "fbs", "hba1c", "ht", "date", "hr", "rr", "ppbs", "tsh"})
_NUMBERED_PATIENT = re.compile(r"(?:patient|pt|child|twin|baby)\s*\d\s*[:.)-]")
# How the place or the manner begins that is told behind the form of a cream.
_PLACED = frozenset("on over around to thin small pea a".split())
_LETTER_FORMS = {"t": "tablet", "c": "capsule"}
_TURNS = frozenset({"stopped", "held", "avoid", "not_taking", "increase", "decrease"})
_SIGNING = frozenset({"dr", "doctor", "consultant", "prof", "regd no", "reg no"})
_ENDS_AT = frozenset({"till", "until", "upto", "up to"})
# The four parts of a note, once two of the letters stand at line starts.
_SOAP = {"s": ("complaints", "none"), "o": ("exam", "none"), "a": ("diagnosis", "none"), "p": ("plan", "cue")}
# Sections whose inline heading (`Allergy: Clonazepam`) speaks of its own line only.
_LINE_SECTIONS = frozenset(
    "allergy stop past family social complaints exam diagnosis investigations followup header advice signature".split()
)


@dataclass(slots=True)
class Draft:
    """A statement as cut: its chunks, the words before it in its clause, and the section it stands in."""

    chunks: list[Chunk]
    anchor: int
    context: list[Chunk]
    section: str
    section_status: str
    line: int
    block: int
    columns: tuple[str, ...]
    injected: bool = False
    shared_tail: bool = False
    inherited: Chunk | None = None
    known: bool = True
    numbered: int | None = None
    last_line: int = 0
    after_break: bool = False
    alternative: bool = False
    replaced: bool = False
    loose: list[Chunk] = field(default_factory=list)
    changed: bool = False
    shared: tuple[Chunk, ...] = ()
    told_beside: frozenset[str] = frozenset()

    @property
    def start(self) -> int:
        return min(c.start for c in self.chunks)

    @property
    def end(self) -> int:
        return max(c.end for c in self.chunks)


@dataclass(slots=True)
class Segmented:
    """All drafts in order, collective references, lines that could not be read, and the blocks found."""

    drafts: list[Draft] = field(default_factory=list)
    collectives: list[Chunk] = field(default_factory=list)
    unread: list[Span] = field(default_factory=list)
    remarks: list[Span] = field(default_factory=list)
    prescriptions: int = 0
    persons: list[Chunk] = field(default_factory=list)
    patients: int = 0
    item_numbers: list[int] = field(default_factory=list)
    discharge: bool = False


_LONGEST_CLAUSE = 80  # in chunks; a longer one is prose, and no aside
_PERHAPS = re.compile(r"\+\s?/\s?-|±")
_OTHERWISE = frozenset({"vs", "versus", "else", "or else", "otherwise"})


def _classes_for(mentions: Sequence[DrugMention], classes: Sequence[AsideClass]) -> list[AsideClass]:
    """Without `no antibiotics` where a medicine may be one, by a part of its molecules' names; of an unknown name nobody can say."""
    hidden = any(mention.name is None or mention.name.ambiguous for mention in mentions)
    molecules = [molecule for mention in mentions if mention.name for members in mention.name.compositions for molecule in members]
    keys = "\n".join([*molecules, *(mention.key for mention in mentions)])
    return [row for row in classes if not row.members or (not hidden and not any(part in keys for part in row.members))]


class Segmenter:
    """One pass over the lines of one source."""

    def __init__(self, lexicon: Lexicon, folded: str, *, split: bool = True, typed: bool = False) -> None:
        """`split`: words of the text were cut into pieces, so that its runs of letters are not all that can be read in it.

        `typed`: no line of the text can have been lost.
        """
        self._typed = typed
        self._told_once: dict[int, Told] = {}
        self._spoken = None if split else spoken_in(folded)
        self._lexicon = lexicon if self._spoken is None else replace(lexicon, remarks=lexicon.remarks.for_page(self._spoken))
        self._text = folded
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
        self._asides_here: Sequence[AsideClass] = lexicon.asides
        self._told_asides: list[tuple[int, int]] = []

    def run(self, lines: Sequence[tuple[list[Chunk], bool]]) -> Segmented:
        lines = [line for line in lines if not is_rule(self._text[min(c.start for c in line[0]) : max(c.end for c in line[0])])]
        named = [c.value for line, _ in lines for c in line if c.kind == "drug"]
        self._asides_here = _classes_for(named, self._lexicon.asides)
        self._followed = [any(c.kind in ("drug", "form") for c in after) for after, _ in lines[1:]] + [False]
        ordered = [chunks for chunks, _ in lines if any(c.kind == "drug" for c in chunks)]
        marks = frozenset(str(chunks[0].value) if chunks[0].kind == "mark" else "" for chunks in ordered)
        # `+` and `-` tell apart what was added and taken off; `>` what is quoted from what is not.
        self._signs = marks if {"+", "-"} <= marks or (">" in marks and len(marks) > 1) else frozenset()
        heads = {n: columns for n, (chunks, _) in enumerate(lines) if (columns := self._table_head(chunks))}
        self._heads = heads
        self._serials = self._count_serials(lines, heads)
        letters = {str(chunks[0].value) for chunks, _ in lines if self._soap_letter(chunks)}
        self._soap = "p" in letters and len(letters) > 1
        sections: list[tuple[Section, Section]] = []
        signed: list[int] = []
        self._told_once = {n: told for n, (chunks, _) in enumerate(lines) if (told := told_of_all(chunks, self._surface)) is not None}
        for number, (chunks, broken) in enumerate(lines):
            self._line = number
            if broken:
                self._close()
            if number in self._told_once and self._told_once[number].word and self._stands_at_orders(lines, number):
                self._close()
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
            sections,
            frozenset(signed),
            self._told_asides,
            frozenset(heads),
            sorted({d.line for d in self.out.drafts}),
            min((d.start for d in self.out.drafts), default=0),
        )
        self.out.remarks.extend(unaccounted([c for d in self.out.drafts for c in d.chunks], page))
        if self._ends_with is not None and self._ends_with[1] == len(self.out.drafts):
            # `stopped` on a line of its own, and nothing below it: it is of what stands above.
            self.out.remarks.append(self._ends_with[0])
        self._tell_all(lines)
        persons, days = blocks(
            [chunks for chunks, _ in lines], sorted({d.line for d in self.out.drafts}), self._text, aged=self._may_say(SEXES)
        )
        self.out.patients = max(self.out.patients, 2 if persons else 0)
        self.out.prescriptions = max(self.out.prescriptions, 2 if days else 0)
        if self._voided:
            for draft in self.out.drafts:
                draft.alternative = True
        return self.out

    def _stands_at_orders(self, lines: Sequence[tuple[list[Chunk], bool]], line: int) -> bool:
        """Whether a line of nothing but what is told of all stands directly above or below orders."""
        below = line + 1 < len(lines) and any(c.kind in ("drug", "form") for c in lines[line + 1][0][:3])
        above = self._open or (self.out.drafts[-1] if self.out.drafts else None)
        return below or (not self._told_once[line].hour and above is not None and above.last_line == line - 1)

    def _tell_all(self, lines: Sequence[tuple[list[Chunk], bool]]) -> None:
        """Give each order of the page what is told once for all of them, where that is certain (`reader/shared.py`)."""
        drafts = self.out.drafts
        covered = {line for d in drafts for line in range(d.line, d.last_line + 1)}
        for line, told in self._told_once.items():
            first, last = lines[line][0][0], lines[line][0][-1]
            span = Span(min(first.start, last.start), max(first.end, last.end))
            # Where the line was taken for a part of the order above it.
            own = [c for d in drafts for c in d.chunks if span.start <= c.start < span.end]
            if not drafts or (told.word and own):
                continue
            if told.hour:
                self._tell_hour(line, told, covered, lines)
                continue
            listed = covered - {line} if own else covered
            packed = bool(listed) and max(listed) - min(listed) == len(listed) - 1
            below = packed and line == max(listed) + 1 and not told.heads
            visit = line + 1 < len(lines) and means(lines[line + 1][0][0], "review_phrases")
            beside = (below or (packed and line == min(listed) - 1)) if told.word else below and bool(own) and self._typed and not visit
            if beside and (told.word or self._is_level(drafts, span)) and reaches(drafts, told, own):
                for draft in drafts:
                    draft.shared += () if own and any(c in own for c in draft.chunks) else told.chunks
            elif told.word and (line - 1 in covered or line + 1 in covered):
                self.out.remarks.append(span)
        if len(drafts) > 1 and not self._told_once and len(covered) == 1 and (found := tail_of_all(drafts[-1], self._surface)):
            place, told = found
            if reaches(drafts, told, drafts[-1].chunks[place:]):
                del drafts[-1].chunks[place:]
                for draft in drafts:
                    draft.shared += told.chunks
        self._doubt_told(lines)

    def _tell_hour(self, line: int, told: Told, covered: Collection[int], lines: Sequence[tuple[list[Chunk], bool]]) -> None:
        """`Morning:` is told of the orders in the lines below it, up to an empty line or one that is none."""
        last = line
        while last + 1 in covered and self._text.count("\n", lines[last][0][-1].end, lines[last + 1][0][0].start) <= 1:
            last += 1
        listed = [d for d in self.out.drafts if line < d.line and d.last_line <= last]
        if listed and reaches(listed, told):
            for draft in listed:
                draft.shared += told.chunks
        elif listed:
            self.out.remarks.append(Span(told.chunks[0].start, told.chunks[0].end))

    def _doubt_told(self, lines: Sequence[tuple[list[Chunk], bool]]) -> None:
        """What stands in a line of its own, in words not read or behind `all`, may be of each order that says nothing of the kind."""
        drafts = self.out.drafts
        told = {sort_of(c.kind) for once in self._told_once.values() for c in once.chunks}
        told |= {
            sort_of(c.kind)
            for span in (*self.out.remarks, *self.out.unread)
            for chunks, _ in lines
            for c in chunks
            if c.kind in TOLD_ONCE and span.start <= c.start < span.end
        }
        if len(drafts) > 1:
            behind = next((n for n, c in enumerate(drafts[-1].chunks) if c.kind == "word" and self._surface(c) in ("all", "both")), None)
            if behind is not None:
                told |= {sort_of(c.kind) for c in drafts[-1].chunks[behind:] if c.kind in TOLD_ONCE}
        for draft in drafts:
            draft.told_beside = frozenset(told - {sort_of(c.kind) for c in (*draft.chunks, *draft.shared)})

    def _is_level(self, drafts: Sequence[Draft], span: Span) -> bool:
        """Whether a line begins no further right than the last order does: further right it goes on with that order."""

        def indent(at: int) -> int:
            return at - self._text.rfind("\n", 0, at) - 1

        begins = self._text.rfind("\n", 0, drafts[-1].start) + 1
        line = self._text[begins : drafts[-1].end]
        return indent(span.start) <= len(line) - len(line.lstrip(" "))

    def _may_say(self, words: frozenset[str]) -> bool:
        """Whether the page may hold any of these words; a pattern that needs one is not tried otherwise."""
        return self._spoken is None or not words.isdisjoint(self._spoken)

    def _separated(self, chunks: list[Chunk]) -> list[Chunk]:
        """`Tab X 50 mg * OD * 1 month`: a star with white space around it, twice or more inside a line, separates."""
        stars = [
            n
            for n, c in enumerate(chunks[1:-1], 1)
            if c.kind == "mark" and c.value == "*" and self._text[c.start - 1] == " " and self._text[c.end : c.end + 1] == " "
        ]
        if len(stars) < 2:
            return chunks
        return [c._replace(value=",") if n in stars else c for n, c in enumerate(chunks)]

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
            after.kind == "word" and self._is_name_word(chunks, place + 1, at_start=True) and self._is_ordered(chunks, place + 1)
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
        whole = self._text[min(c.start for c in chunks) : max(c.end for c in chunks)]
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

    @staticmethod
    def _heads_a_list(chunks: Sequence[Chunk]) -> bool:
        """Only words for medicines, and a colon: the rest of a heading."""
        return all(
            (c.kind == "mark" and c.value in (":", "-", ".")) or c.value == "prescription_nouns" or means(c, "heading") for c in chunks
        ) and (any(c.value == ":" for c in chunks) or any(c.kind != "mark" for c in chunks))

    @staticmethod
    def _soap_letter(chunks: Sequence[Chunk]) -> bool:
        """`S:`, `O -`, `A:`, `P -` at a line start: the four parts of a note."""
        return (
            len(chunks) > 1
            and chunks[0].kind == "word"
            and chunks[0].value in _SOAP
            and chunks[1].kind == "mark"
            and chunks[1].value in (":", "-")
        ) or (len(chunks) == 2 and chunks[0].value in _SOAP and chunks[1].value == ":")

    # -- lines -----------------------------------------------------------------------------------------------------

    def _read_line(self, chunks: list[Chunk]) -> None:
        self._muted = False
        self._asides = 0
        self._told = False
        self._broke = False
        self._after_visit = False
        self._context = []
        self._clause_cue = None
        place = 0
        numbered: int | None = None
        chunks = self._separated(chunks)
        chunks = self._other_heading(chunks)
        if not chunks:
            return
        chunks = behind_bar(chunks)
        if chunks[0].kind == "cue" and self._surface(chunks[0]).startswith("-"):
            # `- Stop Tab X`: a bullet, not `Tab X - stop`.
            chunks = [chunks[0]._replace(value=(chunks[0].value[0], "before")), *chunks[1:]]
        self._injected = self._addresses_a_model(chunks)
        self._ticked = self._is_tick_box(chunks) or self._marked_as_other(chunks)
        if self._soap and self._soap_letter(chunks):
            self._close()
            self._section = _SOAP[str(chunks[0].value)]
            self._unknown_heading = False
            self._ahead = (-2, [])
            chunks = chunks[2:]
            if not chunks:
                return
        if _NUMBERED_PATIENT.match(self._text, chunks[0].start):
            self.out.patients += 1
        if chunks[0].kind == "item":
            self._close()
            digits = "".join(c for c in str(chunks[0].value) if c.isdigit())
            numbered = int(digits) if digits else None
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
            self.out.remarks.append(Span(min(c.start for c in chunks), max(c.end for c in chunks)))
        chunks = self._short_form(chunks, place)
        if is_of_the_paper(chunks[place:], self._text, self._lexicon.remarks.in_no_name):
            # Below the doctor's name or degrees stand a place and hours.
            self._signed = self._signed or bool(self.out.drafts or self._open)
            self._close()
            return
        first = chunks[place]
        if means(first, "prn") and len(chunks) > place + 1 and self._heads_a_list(chunks[place + 1 :]):
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
        self._walk(chunks, place, header=header, numbered=numbered)
        whole = bool(self._context) and len(self._context) >= len(chunks) - place
        if not header:
            self._flush(whole_line=whole, ends_with_colon=chunks[-1].kind == "mark" and chunks[-1].value == ":", numbered=numbered)
        if self._asides and not self._told:
            return
        made = len(self.out.drafts) + (self._open is not None) - before
        joined = opened_here is not None and self._open is opened_here and opened_here.last_line == self._line
        if made <= 0 and not joined and (not header or names_a_fluid(line_text)):
            self._note_unread(chunks[place:], numbered)

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
        strange = strange_words(clause, self._lexicon)
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
        cued = any(c.kind == "cue" for c in relevant)
        if not relevant or (strange and not (cued or suffered or dangling or self._injected)) or len(strange) > 2:
            return
        previous = self._open or (self.out.drafts[-1] if self.out.drafts else None)
        if previous is not None and self._line - previous.last_line <= 1:
            previous.loose.extend(relevant)
        if not strange or (cued and len(strange) == 1):
            self._ahead = (self._line, relevant)

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

    @staticmethod
    def _count_serials(lines: Sequence[tuple[list[Chunk], bool]], tables: Collection[int]) -> dict[int, int]:
        """Lines whose first number continues a run 1, 2, 3 …, or stands under a table head; line -> number."""
        leading: list[tuple[int, int]] = []
        for number, (chunks, _) in enumerate(lines):
            first = behind_bar(chunks)[0]
            if (
                first.kind in ("number", "amount")
                and len(first.value.parts) == 1
                and first.value.high is None
                and first.value.parts[0].denominator == 1
            ):
                leading.append((number, int(first.value.parts[0])))
        out: dict[int, int] = {}
        for place, (line, value) in enumerate(leading):
            follows = place > 0 and leading[place - 1][1] == value - 1 and leading[place - 1][0] in out
            run = [v for _, v in leading[place : place + 3]]
            plain = behind_bar(lines[line][0])[0].kind == "number"
            second = behind_bar(lines[leading[place + 1][0]][0]) if run[:2] == [1, 2] else []
            listed = len(second) > 1 and second[0].kind == "number" and second[1].kind in ("drug", "form")
            starts = value == 1 and (run == [1, 2, 3] or ((plain or listed) and run[:2] == [1, 2]) or any(t < line for t in tables))
            if follows or starts:
                out[line] = value
        return out

    def _marked_as_other(self, chunks: Sequence[Chunk]) -> bool:
        """A line that is marked apart from its neighbours: `-` where others have `+`, quoted with `>`, struck with dashes, boxed (P21)."""
        line = self._text[min(c.start for c in chunks) : max(c.end for c in chunks)]
        if is_boxed(line):
            return True
        sign = str(chunks[0].value) if chunks[0].kind == "mark" else ""
        return sign in self._signs and len(self._signs) > 1

    @staticmethod
    def _is_tick_box(chunks: Sequence[Chunk]) -> bool:
        """`[ ] Tab X`, `☐ Tab X`: a list of boxes; which are ticked, and what a tick means, is not read (P21)."""
        if chunks[0].kind != "mark":
            return False
        if chunks[0].value in ("☐", "☑", "☒", "✓", "✔", "✗", "✘"):
            return True
        return chunks[0].value == "[" and any(c.kind == "mark" and c.value == "]" for c in chunks[1:3])

    def _addresses_a_model(self, chunks: Sequence[Chunk]) -> bool:
        """P24: the line tells a machine what to do."""
        if any_means(chunks, "instruction_to_model"):
            return True
        if len(chunks) > 1 and means(chunks[0], "model_label") and chunks[1].kind == "mark" and chunks[1].value == ":":
            return True
        text = self._text[chunks[0].start : chunks[-1].end]
        if "<!--" in text:
            return True
        return any(mark in text for mark in self._lexicon.instruction_marks)

    @staticmethod
    def _table_head(chunks: Sequence[Chunk]) -> tuple[str, ...]:
        """The fields of a table's columns, if the line is nothing but column labels; empty otherwise."""
        labels: list[str] = []
        if len(chunks) > 1 and meaning_of(chunks[0], "label") == "number" and chunks[1].kind == "when":
            # `No morning dose`
            return ()
        for chunk in chunks:
            label = meaning_of(chunk, "label")
            if label is not None:
                labels.append(str(label))
            elif chunk.kind == "mark":
                if chunk.value == ":":
                    return ()
            elif chunk.kind not in ("inert", "item") and not means(chunk, "heading"):
                return ()
        return tuple(labels) if len(labels) >= 2 else ()

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
            self._is_list_number(chunks, 0),
            self._follows_an_item(numbered),
        )
        if may_be_an_order(body, self._text[body[0].start : body[-1].end], place, self._lexicon):
            self.out.unread.append(Span(chunks[0].start, chunks[-1].end))

    def _note_remark(self, clause: Sequence[Chunk]) -> None:
        """A clause that takes back the orders of the page, wherever it stands."""
        ordered = self._open is not None or bool(self.out.drafts)
        # In a document with word boxes the order on the page is not that of the text.
        if speaks_of_orders(" ".join(map(self._surface, clause)), self._lexicon, behind=ordered):
            self.out.remarks.append(Span(min(c.start for c in clause), max(c.end for c in clause)))

    def _follows_an_item(self, numbered: int | None) -> bool:
        """Whether the list entry before this one led to a statement."""
        if not self.out.drafts:
            return False
        last = self.out.drafts[-1]
        return last.numbered == numbered - 1 if numbered is not None else last.line == self._line - 1

    # -- one line --------------------------------------------------------------------------------------------------

    def _walk(self, chunks: list[Chunk], place: int, *, header: bool, numbered: int | None) -> None:
        count = len(chunks)
        at_start = True
        fresh = True
        if self._open is not None and not self._aside_end(chunks, place) and not self._continues(chunks, place, header):
            self._close()
        while place < count:
            chunk = chunks[place]
            if (at_start or fresh) and (end := self._aside_end(chunks, place)):
                # Advice, a test, a visit, a finding: no part of the order before it or after it.
                self._close()
                self._flush()
                self._asides += 1
                place = end
                at_start, fresh = False, True
                continue
            fresh = False
            # A heading with its colon, or alone on its line.
            stepped = self._heading(chunks, place, at_start=at_start)
            if stepped is not None:
                place = stepped
                at_start = False
                fresh = True
                header = False
                continue
            self._told = self._told or chunk.kind != "mark"
            if at_start and place and self._is_list_number(chunks, place) and place + 2 < count and chunks[place + 2].kind == "word":
                # `BD. 2. Xyzolin`: a list number behind a full stop keeps to what it numbers.
                if self._anchor(chunks, place, header=header, numbered=numbered, at_start=at_start) is None:
                    self._close()
                    self._context.extend(chunks[place : place + 2])
                    place += 2
                    continue
            if chunk.kind == "mark" and chunk.value in (".", ";"):
                if self._is_sentence_end(chunks, place):
                    self._flush()
                    self._clause_cue = None
                    self._muted = False
                    self._broke = True
                    if self._open is not None:
                        self._open.after_break = True
                    at_start = True
                elif self._open is not None:
                    self._open.chunks.append(chunk)
                place += 1
                continue
            visit = self._is_list_number(chunks, place) and place + 2 < count and means(chunks[place + 2], "review_phrases")
            if visit and not any(
                (c.kind == "cue" and c.value[0] != "conditional") or c.kind in TIMING_KINDS or c.kind in ("amount", "weekday")
                for c in chunks[place + 3 :]
            ):
                # `2) ibuprofen … 3) RTC if worse`: a list number before a visit.
                self._close()
                place += 2
                continue
            if self._muted and not self._starts_with_form(chunks, place):
                ordered = any(c.kind == "amount" for c in chunks[place + 1 : place + 3]) and any(
                    c.kind in ("rate", "slots") for c in chunks[place + 1 : place + 6]
                )
                if not (ordered and (chunk.kind == "drug" or (chunk.kind == "word" and place and chunks[place - 1].kind == "mark"))):
                    place += 1
                    continue
                self._muted = False
            if means(chunk, "review_phrases") and chunk.kind not in ("drug", "amount", "duration"):
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
                self._after_visit = at_start and place == 0 and "next" in self._surface(chunk)
                place += 1
                continue
            if (
                self._open is not None
                and chunk.kind == "mark"
                and chunk.value == ","
                and not self._in_brackets(self._open)
                and any(c.kind in TIMING_KINDS for c in self._open.chunks)
                and (end := self._aside_end(chunks, place + 1, tail=True))
            ):
                # `1 g QDS PRN, safety netted, no antibiotics`
                self._close()
                place = end
                continue
            if self._open is not None and at_start and meaning_of(chunk, "label") == "generic_name" and means(chunk, "composition"):
                chunk = chunk._replace(kind="composition", value=meaning_of(chunk, "composition"))
                chunks = [*chunks[:place], chunk, *chunks[place + 1 :]]
            if means(chunk, "collective") and (chunk.kind == "collective" or self._open is None):
                reported = (
                    self._section[1] == "reported"
                    or any(
                        c.kind == "cue" and c.value[0] in ("taking", "continue")
                        for d in (*self.out.drafts, *((self._open,) if self._open else ()))
                        for c in (*d.context, *d.chunks)
                    )
                    or any(d.section_status == "reported" for d in self.out.drafts)
                )
                rest = any(self._surface(c) in ("rest", "other", "others", "remaining") for c in chunks)
                listed = meaning_of(chunk, "collective") == "listed" and reported and not rest
                self._close()
                if not listed:
                    self.out.collectives.append(chunk)
                place += 1
                at_start = False
                continue
            if (
                self._open is not None
                and chunk.kind == "word"
                and chunk.value in ("repeat", "rpt", "recheck", "check", "monitor")
                and place + 1 < count
                and (chunks[place + 1].kind == "header_line_starts" or means(chunks[place + 1], "header_line_starts"))
            ):
                # `HS, repeat lipid profile 6 wks`: a test ordered behind a medicine.
                self._close()
                self._muted = True
                place += 1
                continue
            if (
                chunk.kind == "header_line_starts"
                and not (place + 1 < count and chunks[place + 1].value in ("<", ">", "≥", "≤"))
                and place + 1 < count
                and chunks[place + 1].kind in ("tuple", "number", "amount", "mark", "percent")
                and chunks[place + 1].value != ")"
                and self._open is not None
            ):
                self._close()
                self._muted = True
                place += 1
                continue
            if self._open is not None and self._ends_a_sentence_as_past(chunks, place):
                self._open.chunks.append(chunk._replace(value=(chunk.value[0], "after")))
                place += 1
                continue
            anchor = self._anchor(chunks, place, header=header, numbered=numbered, at_start=at_start)
            if anchor is not None:
                self._begin(chunks, place, anchor, numbered)
                numbered = None
                place = anchor + 1
                at_start = False
                continue
            if self._open is not None:
                if (
                    self._open.after_break
                    and not (chunk.kind in SIG_KINDS and chunk.kind not in ("indication", "inert", "number"))
                    and not self._goes_on_after_break(chunks, place)
                ):
                    self._close()
                    self._context.append(chunk)
                else:
                    self._open.after_break = False
                    self._open.chunks.append(chunk)
                    self._open.last_line = self._line
            else:
                self._context.append(chunk)
                if chunk.kind == "cue":
                    self._clause_cue = chunk
            at_start = False
            place += 1

    def _aside_end(self, chunks: Sequence[Chunk], place: int, *, tail: bool = False) -> int:
        """The index behind the clause that begins at `place`, if that clause is none of the orders' business; else 0.

        `tail`: it stands behind a comma of an order, where a complaint is its reason and advice is how to take it.
        """
        end = place
        while end < len(chunks) and not (
            chunks[end].kind == "mark" and chunks[end].value in (".", ";") and self._is_sentence_end(chunks, end)
        ):
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
        if not stamped and not is_aside(clause, self._text, classes):
            return 0
        self._told_asides.append((clause[0].start, clause[-1].end))
        return end

    def _goes_on_after_break(self, chunks: Sequence[Chunk], place: int) -> bool:
        """`… x 3 days. Take after food.`, `. Duration: 5 days.`: a sentence of nothing but how to take it."""
        first = chunks[place]
        counted = first.value == "#" and place + 1 < len(chunks) and chunks[place + 1].kind == "number"
        ordered = first.value == "order_forms" or (self._is_count(chunks, place) and chunks[place + 1].value == "order_forms")
        if not (counted or ordered or first.kind in ("verb", "label") or (first.kind == "word" and first.value in ("to", "it"))):
            return False
        told = False
        for here in range(place, len(chunks)):
            chunk = chunks[here]
            if chunk.kind == "mark" and chunk.value in (".", ";") and self._is_sentence_end(chunks, here):
                break
            if chunk.kind in ("when", "rate", "slots", "duration", "amount", "route", "prn", "quantity", "refill"):
                told = True
            elif self._is_count(chunks, here) or (chunk.kind == "number" and here and meaning_of(chunks[here - 2], "label") is not None):
                told = told or chunk.kind == "number"
            elif chunk.kind not in ("verb", "label", "mark", "inert") and not (
                chunk.kind == "word" and chunk.value in ("it", "to", "be", "x", "for", "the", "with")
            ):
                return False
        return told

    def _is_count(self, chunks: Sequence[Chunk], place: int) -> bool:
        """`take ONE three times a day`, `One to be taken`, `#21`: how many pieces, the piece not named again."""
        chunk = chunks[place]
        if chunk.kind != "number" and not (chunk.kind == "word" and chunk.value in self._lexicon.number_words):
            return False
        before = chunks[place - 1] if place else None
        after = chunks[place + 1] if place + 1 < len(chunks) else None
        if before is not None and before.value == "#":
            return True
        return after is not None and (
            after.value == "order_forms"
            or (before is not None and before.kind in ("verb", "mark") and after.kind in ("rate", "when", "route", "stat", "prn"))
        )

    def _continues(self, chunks: Sequence[Chunk], place: int, header: bool) -> bool:
        """Whether this line goes on with the statement left open on a line before."""
        draft = self._open
        if draft is None:
            return False
        first = chunks[place]
        if header:
            self._muted = True
            return True
        if first.kind == "mark" and first.value in ("(", "-", "+", "→", "->", "/", ",", "["):
            return True
        if means(first, "review_phrases") or means(first, "boilerplate"):
            return False
        rest = chunks[place:]
        kinds = {c.kind for c in rest}
        words = [c for c in rest if c.kind == "word" and c.value not in _JOINTS and len(str(c.value)) > 1]
        timed = any(c.kind in TIMING_KINDS for c in draft.chunks)
        own_timing = kinds & {"rate", "slots", "duration", "amount", "weekday", "stat"}
        if any(map(is_advice, rest)) or (first.kind == "label" and any(c.kind == "header_line_starts" for c in rest)):
            if first.kind in ("label", "heading") or means(first, "label"):
                # `Note: monitor BP weekly`
                return False
        if first.kind == "label" or (means(first, "label") and len(chunks) > place + 1 and chunks[place + 1].value == ":"):
            return True
        if first.kind == "composition":
            return "drug" in kinds
        if first.kind == "form":
            stated = {c.value for c in draft.chunks if c.kind == "form"}
            return not stated or stated == {first.value}
        if first.kind == "cue":
            # `Avoid samosa` is advice; `Withhold till review` speaks of the medicine above.
            return (not words and "medicine_class" not in kinds) or first.value[1] == "after"
        if first.kind in ("inert", "verb", "pseudo_cue"):
            # A line of advice may have a timing of its own: `Steam inhalation BD`. `Take after food` goes on with the order.
            if is_advice(first):
                return False
            return not words and (not own_timing or (not timed and first.kind == "verb"))
        dosed = any(c.kind == "amount" for c in draft.chunks) and timed
        if dosed and "amount" in kinds and kinds & TIMING_KINDS and first.kind in ("amount", "indication", "heading"):
            # A second strength with a second timing is another order, whoever it is of.
            return False
        if first.kind == "indication":
            return False
        if first.kind in SIG_KINDS:
            if not words:
                return True
            return first.kind in _STRONG_KINDS or (not timed and first.kind in ("amount", "rate", "weekday", "number"))
        if first.kind == "word":
            if first.value == "to":
                # `To come if fever persists` is of the visit.
                return len(chunks) > place + 1 and (chunks[place + 1].kind in SIG_KINDS or chunks[place + 1].kind == "verb")
            if first.value in ("x", "for", "and", "or"):
                return True
            if len(str(first.value)) <= 3 and len(chunks) > place + 1 and chunks[place + 1].kind in ("duration", "amount", "slots", "rate"):
                return not timed or len(words) <= 1
            return not timed and len(words) <= 1 and bool(kinds & (TIMING_KINDS | {"amount", "malformed"}))
        return False

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
        below = any(self._surface(c) == "below" for c in chunks[rest:])
        if inline and not below and (name in _LINE_SECTIONS or (soft_current and not colon)):
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

    @staticmethod
    def _is_sentence_end(chunks: Sequence[Chunk], place: int) -> bool:
        """A full stop ends a sentence unless it abbreviates the form, title or unit before it or is glued to what follows."""
        mark = chunks[place]
        if mark.value != ".":
            return True
        if place == 0:
            return False
        before = chunks[place - 1]
        following = chunks[place + 1] if place + 1 < len(chunks) else None
        if before.kind == "form" and before.end == mark.start and following is not None:
            return False
        if following is not None and following.start == mark.end and following.kind not in ("drug", "form"):
            return False
        return not (before.kind == "word" and len(str(before.value)) == 1)

    # -- anchors ---------------------------------------------------------------------------------------------------

    def _starts_with_form(self, chunks: Sequence[Chunk], place: int) -> bool:
        if chunks[place].kind != "form":
            return False
        after = place + 1
        while after < len(chunks) and chunks[after].kind == "mark" and chunks[after].value in (".", "-", ":"):
            after += 1
        return after < len(chunks) and chunks[after].kind in ("drug", "word")

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
        count = len(chunks)
        if self._is_list_number(chunks, place):
            # A list number in the middle of a line.
            after = place + 2
            form = True
        elif chunk.kind == "amount" and self._is_leading_amount(chunks, place):
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
                    and self._is_name_word(chunks, after, at_start=at_start)
                    and not (header and numbered is None and not any(c.kind == "form" for c in chunks[place:after]))
                    and (at_start or (self._open is None and not self._context) or self._is_ordered(chunks, after))
                ):
                    return after if self._names_something(chunks, after, not any(c.kind == "form" for c in chunks[place:after])) else None
                if (
                    at_start
                    and not header
                    and place == after
                    and self._section[1] in ("active", "unknown", "reported")
                    and self._unlisted_order(chunks, after)
                ):
                    return after
                if at.value in ("of", "the", "a", "an", "also", "and", "on", "pt", "to") and after > place:
                    after += 1
                    continue
                return None
            elif at.kind == "amount" and self._is_leading_amount(chunks, after):
                after += 1
                continue
            elif at.kind == "mark":
                if at.value not in _LEAD_MARKS or (at.value in ("+", "&", "/", "(") and after == place):
                    return None
            elif after > place and self._is_list_number(chunks, after):
                form = True
            elif at.kind not in _LEAD_KINDS and at.kind != "then":
                return None
            after += 1
        return None

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

    def _ends_a_sentence_as_past(self, chunks: Sequence[Chunk], place: int) -> bool:
        """`was on X 150 mg BD earlier. Now start Y`: the last word of a sentence speaks of what stands before it."""
        chunk = chunks[place]
        return (
            chunk.kind == "cue"
            and chunk.value[0] == "past"
            and place + 1 < len(chunks)
            and chunks[place + 1].value == "."
            and self._is_sentence_end(chunks, place + 1)
        )

    @staticmethod
    def _is_list_number(chunks: Sequence[Chunk], place: int) -> bool:
        chunk = chunks[place]
        if chunk.kind != "number" or place + 1 >= len(chunks) or chunk.value.high is not None or len(chunk.value.parts) != 1:
            return False
        mark = chunks[place + 1]
        return (
            mark.kind == "mark"
            and mark.value in (".", ")")
            and mark.start == chunk.end
            and chunk.value.parts[0].denominator == 1
            and 1 <= chunk.value.parts[0] <= 40
        )

    def _is_name_word(self, chunks: Sequence[Chunk], at: int, *, at_start: bool) -> bool:
        """Whether an unknown word may be a name; two letters are enough only at a line start with an order behind them."""
        word = str(chunks[at].value)
        return (
            word.isalpha()
            and word not in self._lexicon.number_words
            and (len(word) >= 3 or (len(word) == 2 and at_start and word not in _JOINTS and self._is_ordered(chunks, at)))
        )

    @staticmethod
    def _is_ordered(chunks: Sequence[Chunk], at: int) -> bool:
        """An amount or timing follows within a few words."""
        rest = chunks[at + 1 : at + 8]
        return any(c.kind in TIMING_KINDS or c.kind in ("amount", "number", "tuple", "malformed") for c in rest)

    def _names_something(self, chunks: Sequence[Chunk], at: int, numbered: bool) -> bool:
        """An unknown word after a form is a name; after a bare list number only if an amount or timing follows."""
        return self._is_ordered(chunks, at) or (not numbered or any(c.kind == "form" for c in chunks[max(0, at - 2) : at]))

    def _unlisted_order(self, chunks: Sequence[Chunk], at: int) -> bool:
        """`Qavrotil 20 mg OD` at a line start: words nobody knows, a strength, a frequency. It is an order for something."""
        place = at
        words = 0
        while place < len(chunks) and (chunks[place].kind == "word" or (chunks[place].kind == "mark" and chunks[place].value == "-")):
            if chunks[place].kind == "word" and not str(chunks[place].value).isalpha():
                return False
            words += chunks[place].kind == "word"
            place += 1
        if not 1 <= words <= 3 or place >= len(chunks) or not self._is_name_word(chunks, at, at_start=False):
            return False
        strength = chunks[place]
        if strength.kind != "amount" or not any(u in ("mg", "ug", "g", "[iU]", "mL") for u in strength.value.units):
            return False
        return any(c.kind in ("rate", "slots", "stat", "prn") for c in chunks[place + 1 :])

    @staticmethod
    def _is_leading_amount(chunks: Sequence[Chunk], place: int) -> bool:
        """`500 mg Paracetamol`, `2 tabs of Crocin`: an amount directly before a name."""
        after = place + 1
        while after < len(chunks) and (chunks[after].kind in ("form", "inert") or chunks[after].value in ("of", ".")):
            after += 1
        if after >= len(chunks) or chunks[after].kind != "drug":
            return False
        unit = chunks[place].value.units[0] or ""
        if unit.startswith("{") or unit == "[drp]":
            # `1 tab Ecosprin 75 OD`: what is counted is no strength.
            return True
        following = chunks[after + 1] if after + 1 < len(chunks) else None
        return following is None or following.kind not in ("amount", "number", "tuple")

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
        if self._is_finding(chunks, anchor):
            return False
        dosed = any(
            c.kind in ("amount", "number", "tuple", "malformed") or c.kind in TIMING_KINDS or c.kind == "form" for c in chunks[anchor + 1 :]
        )
        # `Test: Calcium, Vit B12, Creatinine`: a list of laboratory names, none of them dosed.
        named_first = anchor == 0 and len(chunks) > 1 and chunks[1].kind == "word"
        return dosed or named_first or not any(c.kind == "header_line_starts" for c in chunks)

    @staticmethod
    def _is_finding(chunks: Sequence[Chunk], anchor: int) -> bool:
        """`Calcium 9.1 mg/dl`, `Vitamin D levels`: a measurement, not a medicine."""
        rest = chunks[anchor + 1 : anchor + 4]
        if rest and rest[0].kind == "word" and rest[0].value in ("level", "levels", "deficiency", "profile", "test", "studies"):
            return True
        for here, then in itertools.pairwise(rest):
            if here.kind == "amount" and then.kind == "mark" and then.value == "/" and len(here.value.units) == 1:
                return not any(c.kind in TIMING_KINDS for c in chunks[anchor:])
        return False

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
        if draft.after_break and not self._in_brackets(draft):
            return False
        if any(c.kind == "composition" for c in draft.chunks) or any(c.kind == "composition" for c in chunks[max(0, place - 4) : place]):
            if self._in_brackets(draft) or any(c.kind == "composition" for c in draft.chunks[-8:]):
                return True
        if self._in_brackets(draft):
            inside = self._bracket_content(draft, chunks, place)
            return not any(c.kind in ("cue", "verb", "person_roles") for c in inside)
        # A combination: names joined by + or /, nothing but amounts between them, and no brand among them.
        trail = draft.chunks[draft.anchor :]
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

    @staticmethod
    def _in_brackets(draft: Draft) -> bool:
        depth = 0
        for c in draft.chunks:
            if c.kind == "mark":
                depth += (c.value in ("(", "[")) - (c.value in (")", "]"))
        return depth > 0

    @staticmethod
    def _bracket_content(draft: Draft, chunks: Sequence[Chunk], place: int) -> list[Chunk]:
        inside: list[Chunk] = []
        for c in reversed(draft.chunks):
            if c.kind == "mark" and c.value in ("(", "["):
                break
            inside.append(c)
        for c in chunks[place:]:
            if c.kind == "mark" and c.value in (")", "]"):
                break
            inside.append(c)
        return inside

    # -- beginning and ending --------------------------------------------------------------------------------------

    def _begin(self, chunks: list[Chunk], place: int, anchor: int, numbered: int | None) -> None:
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
        if previous is not None and same_clause and not any(c.kind in TIMING_KINDS for c in previous.chunks):
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
        self._open = Draft(
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

    def _close(self) -> None:
        if self._open is not None:
            self.out.drafts.append(self._open)
            self._open = None
