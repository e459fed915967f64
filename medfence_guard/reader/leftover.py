"""Every word of the page is accounted for: by a statement, or by a rule that says why it decides nothing (P10, P21).

What the segmenter gave to no statement is cut into clauses, and each is held to the world its place on the page allows:

- **Among and below the orders**, and between a heading of orders and the first of them, the world is closed. A clause is harmless
  only as a whole: an aside (`asides.py`), a line of the paper, printed text, a measured value, a heading. One word that
  nobody listed and it may be of an order; the page goes to a person.
- **Above the orders**, under a heading of what was found (`C/o`, `Imp:`), and below the signature, stand names, places and
  diagnoses, which no list holds. There every clause is harmless but one that holds a word by which orders are limited,
  taken back, put off or given to somebody (`remarks.json`: `deciding`, `deciding_first`), or that names another paper; a short
  clause also not with a word of ordinary speech (`ordinary`).
- **On a recognised page** a word or a printed text may be a letter off what is listed (`misread.py`).
- **Before a name in its own clause** (`At BP 150, Tab X`), a measured value or a time decides when the order holds.

What such a clause says is never applied to an order: which one, and how, is a person's business.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from medfence_guard.contract import Span
from medfence_guard.reader.advice import is_advice_by_shape
from medfence_guard.reader.asides import is_aside, is_of_the_paper, parted, turns
from medfence_guard.reader.beside import is_lasting_disease, names_a_fluid
from medfence_guard.reader.chunks import Chunk, extent_in_order, meaning_of, means
from medfence_guard.reader.draft import SIG_KINDS
from medfence_guard.reader.harms import (
    NamedMedicines,
    allergies_by_name,
    allergies_to_an_order,
    allergies_to_kin,
    is_told_of,
    refused_classes,
)
from medfence_guard.reader.lexicon import AsideClass, Lexicon, spoken_in
from medfence_guard.reader.lines import is_measured
from medfence_guard.reader.misread import Misread
from medfence_guard.reader.openings import SURELY_A_HEAD, denies, is_of_a_thermometer, is_title, list_letter
from medfence_guard.reader.plain import is_plain
from medfence_guard.reader.remarks import heads_something_else
from medfence_guard.reader.roles.amounts import OTHER_DOSES
from medfence_guard.reader.sayings import sayings
from medfence_guard.reader.tables import ClauseWords

Section = tuple[str, str]
_WORD = re.compile(r"[a-z0-9\u0900-\u097f][a-z0-9\u0900-\u097f'-]*")
# Sections of what was found or told: their words are open.
_TOLD = frozenset({"complaints", "exam", "diagnosis", "family", "social", "past", "allergy", "signature"})
# Sections of visits and tests: theirs are listed, wherever they stand.
_LISTED = frozenset({"followup", "investigations"})
_ORDERS = frozenset({"active", "reported"})
_ENDED = frozenset({"stopped", "past", "held"})
# Chunks that say how a medicine is taken, whatever stands beside them.
_OF_TAKING = frozenset("slots maximum stat as_directed refill collective unsupported".split())
_TIMES = frozenset("rate when prn weekday duration duration_open number amount inert mark".split())
_ENDING = frozenset({"stopped", "held", "avoid", "not_taking", "past", "allergy"})
_WITHOUT_TIME = frozenset("number inert mark".split())
_PRINTED = frozenset("boilerplate review_phrases mark date".split())
_BESIDE_PRINT = frozenset("boilerplate label inert mark date number".split())
_FEW_TITLES = 2
_TAKEN_BEFORE = frozenset({"past", "complaints"})
_TURNING = frozenset("cue prn rate weekday slots stat then unsupported maximum collective".split())
_TITLES = frozenset("label heading mark item inert".split())
_COMPLAINT = frozenset("indication indication_part mark".split())
_LEADS_TO_A_CONDITION = frozenset("this these after before except during from if once till unless until when whenever while".split())
_SHORT = 4
# No name of a medicine has fewer letters.
_NAMED = 3
# In longer clauses without a heading, words of ordinary speech tell a history.
_LONGEST_TOLD = 6
_REGIMEN = frozenset({"rate", "prn"})
_REGIMEN_HEADS = ("rate", "prn", "weekday", "stat")
# What is named under these is not taken by the patient.
_NOT_TAKEN = frozenset({"allergy", "family"})
_PUTS_AHEAD = frozenset({"duration", "duration_open", "when", "weekday"})
_OF_USE = frozenset("drug pseudo_cue amount number rate slots mark duration indication indication_part form when date tuple".split())
# A line that has one is of something else than the orders.
_OF_SOMETHING_ELSE = frozenset("indication header_line_starts boilerplate review_phrases heading site".split())
# Under these a harm may be told of in any words.
_OF_HARMS = frozenset({"allergy", "diagnosis", "exam"})
# Words that are of a complaint, a label or printed text stand for nothing else.
_SETTLED = frozenset("indication indication_part header_line_starts label heading boilerplate review_phrases date".split())
_LONGEST_WEIGHT = 4
_DOSED = frozenset({"mg", "ug", "{tbl}", "{capsule}"})
_LEAD_KINDS = frozenset("number amount tuple range percent".split())


class _Clause(NamedTuple):
    """A run of chunks that no statement took, within one sentence of one line.

    `leads`: a statement follows in the sentence; `trails`: one stands before it there; `behind`: one stands before it on the line.
    """

    chunks: Sequence[Chunk]
    line: int
    leads: bool
    trails: bool
    behind: bool


class Page(NamedTuple):
    """What the segmenter knows of the page.

    `spans`: of each line, where it stands in the text; `sections`: before it is read and behind it; `signed`: the lines below a
    signature; `asides`: the spans that were found to be none of the orders' business; `heads`: the lines that are heads of tables;
    `orders`: those at which orders begin, in their order, the first of them at the place `first`, and the same as `order_lines`;
    `spoken`: the runs of letters that can be read in it, None if that is open; `misread`: what its words may be, of a page that an
    engine recognised; `in_order`: the words of a line stand in the text as they stand in the line.
    """

    text: str
    lexicon: Lexicon
    classes: Sequence[AsideClass]
    lines: Sequence[Sequence[Chunk]]
    spans: Sequence[tuple[int, int]]
    sections: Sequence[tuple[Section, Section]]
    signed: Collection[int]
    asides: Sequence[tuple[int, int]]
    heads: Collection[int]
    orders: Sequence[int]
    order_lines: frozenset[int]
    first: int
    spoken: frozenset[str] | None = None
    misread: Misread | None = None
    in_order: bool = False
    ordered: frozenset[str] = frozenset()

    @property
    def words(self) -> ClauseWords:
        return self.lexicon.clauses

    def has_order(self, line: int) -> bool:
        """Whether an order begins at this line."""
        return line in self.order_lines

    def text_of(self, chunks: Sequence[Chunk]) -> str:
        if len(chunks) == 1:
            return self.text[chunks[0].start : chunks[0].end]
        return self.text[slice(*extent_in_order(chunks, in_order=self.in_order))]


def unaccounted(taken: Sequence[Chunk], page: Page) -> list[Span]:
    """The clauses that may change an order of the page. `taken`: the chunks of its statements."""
    if not page.orders:
        return []
    drugs = (c for line in page.order_lines for c in page.lines[line] if c.kind == "drug")
    page = page._replace(ordered=frozenset(made_of for drug in drugs for made_of in _made_of(drug)))
    spans = [(clause.chunks[0].start, clause.chunks[-1].end) for clause in _clauses(taken, page) if not _is_harmless(clause, page)]
    spans += [*_undecided_headings(page), *_signs(page), *_allergies(taken, page), *_sayings(page), *_cut_off(page)]
    return [Span(*sorted(span)) for span in spans]


def _sayings(page: Page) -> Iterator[tuple[int, int]]:
    told = [n for n, (before, _) in enumerate(page.sections) if before[0] in _TOLD or before[0] in _LISTED or n in page.signed]
    reported = any(page.sections[line][1][1] == "reported" for line in page.orders)
    return sayings(page, reported, [_bare(chunks) for chunks in page.lines], told)


def _allergies(taken: Sequence[Chunk], page: Page) -> Iterator[tuple[int, int]]:
    """The allergies that may be to an order of the page, in a statement or out of it."""
    named = NamedMedicines([c for c in taken if c.kind == "drug"])
    of_orders = {c.start for c in taken}
    remarks = page.lexicon.remarks
    # Asked of the page once: few tell of an allergy.
    told_of = remarks.allergy.search(page.text) is not None
    classed = page.spoken is None or remarks.may_find("allergy_classes", page.spoken)
    for (start, end), (before, behind), chunks in zip(page.spans, page.sections, page.lines, strict=True):
        text = page.text[start:end]
        if told_of or not _OF_HARMS.isdisjoint((before[0], behind[0])):
            drugs = [c for c in chunks if c.kind == "drug"]
            told = [c for c in drugs if c.start not in of_orders]
            telling = told_of and remarks.allergy.search(text) is not None
            if told and telling:
                yield from allergies_by_name(text, start, told, named)
            headed = "allergy" in (before[0], behind[0])
            if headed or telling:
                yield from allergies_to_kin(text, start, drugs, headed=headed, named=named, words=remarks)
            found = behind[0] in ("diagnosis", "exam") or before[0] in ("diagnosis", "exam")
            yield from allergies_to_an_order(text, start, headed=before[0] == "allergy", found=found, named=named, words=remarks)
        if classed and remarks.may_find("allergy_classes", spoken_in(text)):
            yield from refused_classes(text, start, named=named, words=remarks)


def _clauses(taken: Sequence[Chunk], page: Page) -> Iterator[_Clause]:
    """What is left of each line once the statements, and the asides, are taken out of it."""
    owned = sorted([(c.start, c.end, True) for c in taken] + [(start, end, False) for start, end in page.asides])
    starts = [start for start, _, _ in owned]
    whole = {(c.start, c.end) for c in taken}
    for line, chunks in enumerate(page.lines):
        listed = chunks[0].kind == "item"
        if whole.issuperset([(c.start, c.end) for c in chunks[listed:]]):
            # An order from end to end: of most lines that have one.
            continue
        run: list[Chunk] = []
        trails = behind = False
        for place, chunk in enumerate(chunks):
            at = bisect_left(starts, chunk.end) - 1
            if run and not _is_next(run[-1], chunk, page.text):
                yield _Clause(run, line, False, trails, behind)
                run = []
            if at >= 0 and owned[at][1] > chunk.start:
                if run:
                    yield _Clause(run, line, owned[at][2], trails, behind)
                run, trails = [], owned[at][2]
                behind = behind or trails
            elif chunk.kind == "mark" and chunk.value in (".", ";") and _ends_a_sentence(chunks, place):
                if run:
                    yield _Clause(run, line, False, trails, behind)
                run, trails = [], False
            else:
                run.append(chunk)
        if run:
            yield _Clause(run, line, False, trails, behind)


def _is_next(before: Chunk, chunk: Chunk, text: str) -> bool:
    """Whether a chunk goes on with the one before it. In a line put together from places it may be of another line of the text."""
    return before.end <= chunk.start and "\n" not in text[before.end : chunk.start]


def _ends_a_sentence(chunks: Sequence[Chunk], place: int) -> bool:
    """A semicolon, or a full stop behind more than one letter (`101 F.` is a number) and before a space."""
    after = chunks[place + 1] if place + 1 < len(chunks) else None
    apart = after is None or after.start > chunks[place].end
    if place and after is not None and is_title(chunks[place - 1]) and after.kind == "word":
        return False
    if chunks[place].value == ";":
        return True
    long = place > 0 and chunks[place - 1].end - chunks[place - 1].start > 1
    return apart and place > 0 and (long or is_of_a_thermometer(chunks, place))


def _bare(chunks: Sequence[Chunk]) -> Sequence[Chunk]:
    """Without list numbers, bullets and brackets around it."""
    first, last = 0, len(chunks)
    if last > 2 and chunks[0].kind == "number" and chunks[1].value in (")", "."):
        first = 2
    elif last > 2:
        first = list_letter(chunks)
    while first < last and chunks[first].kind in ("mark", "item"):
        first += 1
    while last > first and chunks[last - 1].kind == "mark":
        last -= 1
    return chunks[first:last]


def _puts_off(text: str, words: ClauseWords, *, above: bool) -> bool:
    """Whether a clause on something else refuses, puts off or gives away what is ordered. Above the orders, nothing was taken before."""
    return words.put_off.search(text) is not None or (not above and words.refused.search(text) is not None)


def _is_harmless(clause: _Clause, page: Page) -> bool:
    body = _bare(clause.chunks)
    lettered = list_letter(clause.chunks) == len(clause.chunks)
    if not body or (lettered and len(page.lines[clause.line]) > len(clause.chunks)):
        return True
    if clause.line in page.heads and clause.line < page.orders[-1]:
        return not any(c.kind in ("prn", "weekday") or (c.kind == "cue" and c.value[0] in _ENDING) for c in body)
    above = clause.line < page.orders[0] or (clause.line == page.orders[0] and body[-1].end <= page.first)
    # `P: Tab X 500 mg BD, review SOS, Zeta 40`: the line's own heading stands before the order.
    section = page.sections[clause.line][clause.behind]
    if clause.leads and _delays(body, page):
        return False
    heading, rest = _headed(clause, body, page, above=above)
    if heading is not None:
        section, body = heading, rest
        behind = _behind_a_denial(clause, rest, page)
        if behind is not None:
            section, body, heading = page.sections[clause.line][0], behind, None
    if clause.leads:
        return not _says_no(body, page.text) and _leads_on(clause, body, page, headed=heading is not None)
    if not body:
        return not _heads_nothing(clause, page)
    if _heads_the_next_line(clause, page) or _tells_of_an_order(body, page, section) or _limits_what_is_found(body, page, section):
        return False
    if section[0] == "rx" and clause.chunks[0].kind == "heading" and any(c.kind == "collective" for c in body):
        # `Rx (Rest same)`
        return False
    if _puts_off(page.text_of(body), page.words, above=above) or _leads_to_the_next_line(clause, body, page):
        return False
    if clause.trails and _is_limited(page, body[0].start) and any(c.kind == "header_line_starts" for c in body):
        # `x 3 days at temp 100`
        return False
    if above and _heads_the_orders(clause, page):
        # `SOS:` over `Rx` is said of the orders.
        when = clause.chunks[-1].value == ":" and any(means(c, kind) for c in body for kind in _REGIMEN_HEADS)
        said = (_bare(clause.chunks), body)
        if when or any(heads_something_else(page.text_of(part), page.lexicon) for part in said):
            return False
    if len(body) == 1 and page.text_of(body) in page.lexicon.advice.not_alone:
        # `alt`: a laboratory value, or alternate days
        return False
    kinds = {c.kind for c in body}
    # `Panic:` heads the order below it.
    named = "indication" in kinds and kinds <= _COMPLAINT and (above or clause.chunks[-1].value != ":")
    plain = page.lexicon.plain
    if body[0].kind == "boilerplate" and all(c.kind in _BESIDE_PRINT or c.value == "issue" or plain.group(page.text_of([c])) for c in body):
        return True
    titles = sum(c.kind == "label" for c in body)
    # A label that nobody knows, or that is misread: `Drug  Dose  Route  Frequency  Times`.
    free = page.misread is not None or meaning_of(clause.chunks[0], "label") == "name"
    few = titles > _FEW_TITLES and len(body) - titles <= free and kinds.isdisjoint(_TURNING)
    titled = titles and (kinds <= _TITLES or few)
    if titled and _says_more_than_titles(clause, body, page):
        return False
    if kinds <= _PRINTED or named or titled:
        return True
    if not above and kinds == {"person_roles"}:
        # `Household contacts`
        return False
    told = section[0] in _TOLD
    if _ends_all(body, page) or (not told and not above and len(body) > 1 and _answers_no(body)):
        return False
    if not told and above and (_is_a_part_of_an_order(body, kinds, page) or _is_only_a_time(body, page)):
        return False
    is_open = section[0] not in _LISTED and (told or clause.line in page.signed or (above and section[1] not in _ORDERS))
    nearby = clause.line in page.signed or page.has_order(clause.line) or _heads_the_orders(clause, page)
    if is_open and not told and nearby:
        # The open world ends where a line may be a heading of the orders, or a word on them below the signature.
        is_open = not _may_be_said_of_orders(body, clause, page)
    if is_open and not _decides(body, page, changed=not above, section=section[0], told=told):
        return not _says_when(clause, body) or _is_own(body, page)
    return _is_listed(body, clause, page, section, headed=heading is not None or _is_right_below_its_heading(clause, page))


def _says_more_than_titles(clause: _Clause, body: Sequence[Chunk], page: Page) -> bool:
    """Whether labels, and nothing else, say something of an order all the same."""
    last = page.text_of(body[-1:])
    answered = last in page.words.answers and (len(body) == 1 or body[-2].value == ":")
    return (
        # `2. No`, `Exam days`
        answered
        or (last in page.words.units_of_time and turns(_WORD.findall(page.text_of(body))))
        # `Lunch dose also`
        or last in page.words.adding
        # `Test dose`, and the order below it
        or any(meaning_of(c, "label") in OTHER_DOSES for c in body)
        # `No dose`, `No medicines`; over `Rx` it is what was taken before.
        or (denies(body, 0) and len(body) < SURELY_A_HEAD and clause.line >= page.orders[0] - 1)
    )


def _cut_off(page: Page) -> Iterator[tuple[int, int]]:
    """`+`, `and` or `with` alone below an order: more was written, or is on another paper."""
    for start, end in page.spans[page.orders[0] + 1 :]:
        if page.text[start:end].strip() in page.words.cut_off:
            yield start, end


def _heads_the_next_line(clause: _Clause, page: Page) -> bool:
    """`Patient 2:`, `Insomnia nights:` right above an order. A complaint, a class or a heading of medicines may stand there."""
    chunks = clause.chunks
    if chunks[-1].value != ":" or len(chunks) != len(page.lines[clause.line]) or not page.has_order(clause.line + 1):
        return False
    body = _bare(chunks)
    known = any(c.kind == "heading" or means(c, "medicine_class") or meaning_of(c, "label") == "name" for c in body)
    if not body or known or (len(body) == 1 and means(body[0], "heading")):
        return False
    if page.words.before_an_order.issuperset(_WORD.findall(page.text_of(body))):
        # `P:`
        return False
    return not {"indication"} <= {c.kind for c in body} <= _COMPLAINT


def _tells_of_an_order(body: Sequence[Chunk], page: Page, section: Section) -> bool:
    """`Dx: Telma toxicity`, `Dx: HTN, Telma tried, gave rash`: of a medicine that is ordered more is told than that it is taken."""
    return section[0] in ("diagnosis", "exam") and any(
        any(_is_ordered(c, page) for c in part) and any(not _is_of_its_use(c, page) for c in part) for part in parted(body, ",;.")
    )


def _is_ordered(chunk: Chunk, page: Page) -> bool:
    return chunk.kind == "drug" and not page.ordered.isdisjoint(_made_of(chunk))


def _limits_what_is_found(body: Sequence[Chunk], page: Page, section: Section) -> bool:
    """`Dx: HTN, from January`, `Dx: HTN, Mon Wed Fri`: a part that is no finding, but when or on what condition it is treated."""
    if section[0] != "diagnosis":
        return False
    parts = [part for part in parted(body, ",;") if part][1:]
    return any(
        {c.kind for c in part} == {"weekday"}
        or (page.text_of(part[:1]) in page.words.begins_a_condition and _COMPLAINT.isdisjoint([c.kind for c in part]))
        for part in parts
    )


def _made_of(drug: Chunk) -> Iterator[str]:
    """The key of a name, and the molecules it may be made of."""
    yield drug.value.key
    if drug.value.name is not None:
        yield from itertools.chain.from_iterable(drug.value.name.compositions)


def _is_of_its_use(chunk: Chunk, page: Page) -> bool:
    """`HTN on Telma 40 mg OD since 2015`"""
    return chunk.kind in _OF_USE or page.text_of([chunk]) in page.words.of_use


def _ends_all(body: Sequence[Chunk], page: Page) -> bool:
    """`Reg no 12345, stop all`"""
    return any(c.kind == "collective" and page.text_of([c]).partition(" ")[0] in page.lexicon.ending for c in body[1:])


def _answers_no(body: Sequence[Chunk]) -> bool:
    """`To be given no`: at the end of words that it may deny. Behind a colon it answers them."""
    return denies(body, len(body) - 1) and body[-2].kind != "mark"


def _behind_a_denial(clause: _Clause, rest: Sequence[Chunk], page: Page) -> Sequence[Chunk] | None:
    """`not now` of `Allergies: nil, not now`, `Zetaril` of `NKDA, Zetaril`: nothing is of the heading, so it is not. Else None."""
    answered = page.words.denials_in(page.text_of([c]) for c in rest)
    itself = page.text_of(_bare(clause.chunks)[:1]) in page.lexicon.no_allergy
    apart = 0 < answered < len(rest) and rest[answered].kind == "mark" and rest[answered].value in (",", "-", ";", ".", "/")
    return _bare(rest[answered:]) if apart or (itself and rest) else None


def _leads_on(clause: _Clause, body: Sequence[Chunk], page: Page, *, headed: bool) -> bool:
    """Whether what stands before an order in its sentence is accounted for: `She`, `HTN,`, `P:`; not `Failing that,`, `Standby,`."""
    if body and page.text_of(body[-1:]) in page.words.joints:
        # `Avoid NSAIDs and Tab X`
        body = _bare(body[:-1])
    if page.misread is not None and body and body[0].kind == "cue" and body[0].value[0] == "avoid":
        # `Avoid spicy fod and alcohol`: what follows is avoided.
        return True
    kinds = {c.kind for c in body}
    words = _WORD.findall(page.text_of(body)) if body else []
    if any(meaning_of(c, "label") in OTHER_DOSES for c in body):
        # `Max dose: Tab X 40 mg OD`
        return False
    if not kinds.isdisjoint(_PUTS_AHEAD) and kinds.isdisjoint(_COMPLAINT - {"mark"}) and kinds.isdisjoint(_SETTLED):
        # `A month hence, Tab X`
        return False
    if "person_roles" in kinds:
        # `Contacts, Tab X`
        return False
    if "word" not in kinds or kinds <= _PRINTED or page.words.before_an_order.issuperset(words):
        return True
    section = page.sections[clause.line][clause.behind]
    if words[0] in page.words.subjects and body[-1].kind == "indication":
        # `Pt is a 60 year old male with HTN, on X`
        return not _decides(body, page, changed=False, section=section[0], told=False)
    return _is_listed(body, clause, page, section, headed=headed)


def _says_no(body: Sequence[Chunk], text: str) -> bool:
    """`No: Tab X`, `No - Tab X`: the last word before a mark, and no number of the order behind it."""
    return bool(body) and denies(body, len(body) - 1) and not text[body[-1].end : body[-1].end + 2].strip()[:1].isalnum()


def _may_be_said_of_orders(body: Sequence[Chunk], clause: _Clause, page: Page) -> bool:
    """`Post dialysis`, `Annulled`, `Patient 2`: a line of a few words that is of no complaint, finding, place or mark of the paper."""
    words = _WORD.findall(page.text_of(body))
    if not 0 < len(words) <= _SHORT or page.misread is not None:
        return False
    if len(clause.chunks) != len(page.lines[clause.line]) and not page.has_order(clause.line):
        return False
    if any(c.kind in _OF_SOMETHING_ELSE or means(c, "header_line_starts") for c in clause.chunks):
        return False
    if len(words) > 1 and not any(page.lexicon.knows(word) for word in words):
        # `Ramji Bhavan`: a name of a person or a house
        return False
    group_of, own = page.lexicon.plain.group_of, page.words
    return not any(group_of.get(w) in own.no_heading_groups or w in own.no_heading or own.disease.fullmatch(w) for w in words)


def _is_limited(page: Page, start: int) -> bool:
    """Whether the word before this place says from where on, or until when. No more is looked at than the word can be long."""
    words = page.words
    while start and page.text[start - 1] == " ":
        start -= 1
    return words.limited.search(page.text, max(0, start - words.longest_limit), start) is not None


def _says_when(clause: _Clause, body: Sequence[Chunk]) -> bool:
    """`, temp 101`: a value behind an order is when it is taken."""
    return clause.trails and any(c.kind == "header_line_starts" for c in body)


def _is_own(body: Sequence[Chunk], page: Page) -> bool:
    """Whether a whole clause has a subject of its own, that is no medicine."""
    return is_aside(body, page.text, page.classes) or is_of_the_paper(body, page.text, page.lexicon)


def _is_right_below_its_heading(clause: _Clause, page: Page) -> bool:
    """`Follow up:`, and `After 1 month` on the next line, below all orders."""
    if clause.line <= page.orders[-1] + 1 or len(clause.chunks) != len(page.lines[clause.line]):
        return False
    above = page.lines[clause.line - 1]
    return above[-1].value == ":" and len(_bare(above)) == 1 and means(_bare(above)[0], "heading")


def _is_listed(body: Sequence[Chunk], clause: _Clause, page: Page, section: Section, *, headed: bool) -> bool:
    """Whether a clause is harmless in the closed world: by a rule that accounts for each word of it. `headed`: its heading stands in it."""
    if _is_own(body, page):
        return True
    if _says_when(clause, body) or page.text.endswith(" +", 0, clause.chunks[-1].end):
        # `Ketones +` below the orders: a result, or when they hold. `K+` is a salt.
        return False
    if not clause.trails and (is_measured(body, page.lexicon.remarks.beside_values) or _is_shaped(clause, body, page)):
        return True
    visit = headed and section[0] in _LISTED
    plain, tested = page.lexicon.plain, section[0] == "investigations"
    if is_plain(body, page.text, plain, visit=visit, tested=tested, misread=page.misread) or _in_parts(body, page, trails=clause.trails):
        return True
    if page.misread is not None and _is_misread(body, page, page.misread):
        return True
    kinds = {c.kind for c in body}
    told_of_all = "collective" in kinds and kinds.isdisjoint(_TIMES - _WITHOUT_TIME)
    return (told_of_all and _is_all_told(body, page)) or _is_kept(body, page)


def _is_shaped(clause: _Clause, body: Sequence[Chunk], page: Page) -> bool:
    """Advice by its shape, with its heading (`Warning signs: …`) or behind it."""
    return any(is_advice_by_shape(part, page.text, page.lexicon) for part in (_bare(clause.chunks), body))


def _is_misread(body: Sequence[Chunk], page: Page, misread: Misread) -> bool:
    """Printed text, glued history, a weight (`We 68 kg`), the sign above the orders (`R`), or plain words behind a label, misread."""
    print_ = [c for c in body if c.kind != "boilerplate"]
    text = page.text_of(print_ or body)
    if misread.is_printed(text) or misread.is_history(text) or (misread.is_weight(text) and len(body) <= _LONGEST_WEIGHT):
        return True
    if text == "r" and body[0].start < page.first:
        return True
    if len(body) > 3 and body[0].kind == "word" and len(str(body[0].value)) <= _NAMED and body[1].value == ":":
        # `Ady:`, too short for a medicine
        body = body[2:]
    return all(part and _is_misread_part(part, page, misread) for part in parted(body, ",;."))


def _is_misread_part(part: Sequence[Chunk], page: Page, misread: Misread) -> bool:
    listed = is_aside(part, page.text, page.classes) or is_plain(part, page.text, page.lexicon.plain, misread=misread)
    return listed or misread.is_printed(page.text_of(part))


def _headed(clause: _Clause, body: Sequence[Chunk], page: Page, *, above: bool) -> tuple[Section | None, Sequence[Chunk]]:
    """`(section, the rest)` of a clause that opens with a heading: `Imp: HTN`, `Pt c/o fever`. Among the orders, `Exam days` has none."""
    # `Patient: A B` below a heading of orders is a line of the paper all the same.
    labelled = len(body) > 1 and body[1].value == ":" and page.sections[clause.line][0][1] in _ORDERS
    led = len(body) > 1 and page.text_of(body[:1]) in page.words.subjects and not labelled
    heading = meaning_of(body[led], "heading")
    if not isinstance(heading, tuple):
        return None, body
    after = next((c for c in clause.chunks if c.start >= body[led].end), None)
    marked = after is None or after.kind == "mark" or "/" in page.text_of(body[led : led + 1])
    # `Do not take pt c/o headache`: an order, not a heading.
    opens = above and heading[1] not in ("stopped", "held")
    if led and len(body) == 2:
        # `He stopped`
        return None, body
    return (heading, _bare(body[1 + led :])) if opens or marked else (None, body)


def _heads_nothing(clause: _Clause, page: Page) -> bool:
    """`Provisional` above the list, `Discharge medicines` below it: a heading that nothing follows says something of the orders."""
    chunks = page.lines[clause.line]
    text = page.text_of(clause.chunks)
    if clause.behind and not page.lexicon.remarks.deciding.isdisjoint(_WORD.findall(text)):
        # `Tab X OD. Provisional`
        return True
    if len(clause.chunks) != len(chunks) and len(clause.chunks) == 1:
        # `A: URTI. Hold.`: a sentence, and no heading.
        return clause.chunks[0].kind == "cue" and clause.chunks[0].value[0] in _ENDING
    if len(clause.chunks) != len(chunks) or text.endswith(":"):
        return False
    listed = meaning_of(clause.chunks[0], "heading")
    if not isinstance(listed, tuple):
        return False
    below = [_bare(line) for line in page.lines[clause.line + 1 : clause.line + 2]]
    if listed[0] == "diagnosis" and not page.lexicon.remarks.ordinary.isdisjoint(_WORD.findall(text)):
        return not below or page.has_order(clause.line + 1) or (bool(below[0]) and means(below[0][0], "heading"))
    return not below and " " in text and listed[1] in _ORDERS


def _heads_the_orders(clause: _Clause, page: Page) -> bool:
    """Whether it is a whole line, and nothing but a heading or the head of a table stands between it and the first order."""
    whole = len(clause.chunks) == len(page.lines[clause.line])
    if not whole or any(c.value == "," or (isinstance(h := meaning_of(c, "heading"), tuple) and h[1] == "none") for c in clause.chunks):
        return False
    between = range(clause.line + 1, page.orders[0])
    return all(line in page.heads or (len(_bare(page.lines[line])) == 1 and means(page.lines[line][0], "heading")) for line in between)


def _in_parts(body: Sequence[Chunk], page: Page, *, trails: bool) -> bool:
    """`Low K+ diet, avoid NSAIDs`: each part between commas harmless in its own way."""
    parts = parted(body, ",;")
    return len(parts) > 1 and all(
        part
        and (
            is_aside(part, page.text, page.classes)
            or is_plain(part, page.text, page.lexicon.plain, misread=page.misread)
            or (not trails and is_advice_by_shape(part, page.text, page.lexicon))
        )
        for part in parts
    )


def _is_all_told(body: Sequence[Chunk], page: Page) -> bool:
    """`Adv: continue same`, and no `continue same, start Zetaril`: beside the orders meant stand no words but plain ones."""
    words = [word for c in body if c.kind in ("word", "verb", "form", "drug") for word in _WORD.findall(page.text_of([c]))]
    return all(word in page.lexicon.remarks.small or page.lexicon.plain.group(word) or word in page.words.kept for word in words)


def _is_kept(body: Sequence[Chunk], page: Page) -> bool:
    """`Do not stop medicines on your own`, `Will continue`: it changes nothing, and names nothing but what orders are called."""
    nouns = page.lexicon.remarks.nouns

    def keeps(chunk: Chunk) -> bool:
        if chunk.kind == "cue":
            return chunk.value[0] in ("continue", "taking")
        return chunk.kind == "pseudo_cue" and not page.lexicon.status.is_pseudo("keeps_nothing", page.text_of([chunk]))

    rest = (word for c in body if c.kind != "mark" and not keeps(c) for word in _WORD.findall(page.text_of([c])))
    return keeps(body[0]) and all(word in page.words.kept or word in nouns for word in rest)


_ON_X = re.compile(r"[\s,]{1,3}on ")


def _delays(body: Sequence[Chunk], page: Page) -> bool:
    """`At BP 150, Tab X`, `Till Hb 12: Tab X`: what stands before a name measures or times it."""
    words = _WORD.findall(page.text_of(body))
    remarks = page.lexicon.remarks
    if not remarks.deciding.isdisjoint(word for word in words if word not in remarks.nouns) or not page.words.negations.isdisjoint(words):
        # `(not 1) Tab X`
        return True
    carried = any(c.kind in _REGIMEN or c.kind == "weekday" or c.value == "to_be_carried" for c in body)
    if carried or (len(body) == 1 and _is_a_piece(body[0])):
        # `weekly Tab X`, `Before the scan: 1. Tab X`, `½. Tab X`
        return True
    if any(means(c, "review_phrases") for c in body) or not page.words.leads.isdisjoint(words) or words[-1:] == ["or"]:
        return True
    if page.words.therefore.match(page.text, body[-1].end):
        # `Uric acid 7.1, so Tab X`: a reason.
        return False
    if _ON_X.match(page.text, body[-1].end) and is_lasting_disease(body, lambda c: page.text_of([c]), page.lexicon):
        # `K/c/o HTN, DM, on Tab X`
        return False
    measured = any(means(c, "header_line_starts") or c.kind == "indication" for c in body)
    timed = bool(words) and words[0] in remarks.starts
    apart = page.text[body[-1].end : body[-1].end + 1] == ","
    return measured and (timed or apart or any(c.kind in _LEAD_KINDS or c.kind == "verb" for c in body))


def _decides(body: Sequence[Chunk], page: Page, *, changed: bool, section: str, told: bool) -> bool:
    """Whether a clause in the open world holds a word by which orders are limited, taken back, put off or given to somebody.

    `changed`: below them, so is what was changed; `section`: of its heading, `header` behind a name or another head of the paper;
    `told`: under a heading of what was found.
    """
    words = _WORD.findall(page.text_of(body))
    return (
        _is_of_taking(body, page, section)
        or _says_whether(body, page, words, told=told)
        or _is_of_orders(body, page, words, section=section, told=told)
        or _is_of_a_medicine(body, page, words, changed=changed, section=section, told=told)
    )


def _is_of_taking(body: Sequence[Chunk], page: Page, section: str) -> bool:
    """Whether its kinds alone say how a medicine is taken, whatever its words."""
    if section == "stop" and all(len(word) < _NAMED for word in _WORD.findall(page.text_of(body))):
        # `Stop x1`: no medicine is named.
        return True
    kinds = {c.kind for c in body}
    if not kinds.isdisjoint(_OF_TAKING) or (kinds <= _TIMES | {"then"} and not kinds <= _WITHOUT_TIME):
        return True
    if any(c.kind in ("number", "amount") and after.kind == "prn" for c, after in itertools.pairwise(body)):
        # `Fever: PCM 650 SOS`
        return True
    if section not in _TAKEN_BY_OTHERS_OR_BEFORE and _is_shaped_as_order(body, page.lexicon):
        return True
    text = page.text_of(body)
    if names_a_fluid(text) or (len(body) == 1 and _is_a_piece(body[0])) or _PART_OF_AN_ORDER.fullmatch(text):
        # `RL 500`, `½`, `x 10`
        return True
    # `Dard ho to`
    return body[-1].kind == "cue" and bool(body[-1].value[0] == "conditional")


def _says_whether(body: Sequence[Chunk], page: Page, words: Sequence[str], *, told: bool) -> bool:
    """Whether its words limit the orders, take them back or put them off."""
    kinds = {c.kind for c in body}
    remarks = page.lexicon.remarks
    if not told and " ".join(words) in remarks.allergy_classes:
        # `PPI`, `Penicillin`
        return True
    if len(words) > 1 and words[-1] in _LEADS_TO_A_CONDITION:
        # `Start when`, `Vomiting with this`, and the order on the next line
        return True
    if not remarks.deciding.isdisjoint(words) or (words and words[0] in remarks.deciding_first):
        return True
    if page.misread is not None and any(map(page.misread.glues, words)):
        # `H/oT2DMstopmetformin`
        return True
    short = len(words) <= _SHORT and not told
    if len(words) <= _SHORT and words[-1:] != ["no"] and (short or "word" in kinds or "label" in kinds) and turns(words):
        # `Pain days`, `Imp: allergy test first`
        return True
    conditional = any(c.kind == "prn" or (c.kind == "cue" and c.value[0] == "conditional") for c in body)
    if conditional and any(c.kind == "verb" or c.value == "order_forms" for c in body):
        # `take with water if fever`, `he is advised to take with water if fever`
        return True
    if not page.words.pointing.isdisjoint(words) and not page.words.whether.isdisjoint(words):
        # `the following should be begun once the report is negative`
        return True
    # `HPI: irregular`
    return told and remarks.deciding_short.issuperset(words)


def _is_of_orders(body: Sequence[Chunk], page: Page, words: Sequence[str], *, section: str, told: bool) -> bool:
    """Whether ordinary speech in a short clause, or what orders are called in it, may be said of them."""
    kinds = {c.kind for c in body}
    labelled = _SETTLED if ":" in page.text_of(body) else _SETTLED - {"label"}
    unsettled = [c for at, c in enumerate(body) if c.kind not in (labelled if at else _SETTLED)]
    spoken = {word for c in unsettled for word in _WORD.findall(page.text_of([c]))}
    if len(words) <= (_SHORT if told else _LONGEST_TOLD) and not page.lexicon.remarks.ordinary.isdisjoint(spoken):
        return True
    regimen = not kinds.isdisjoint(_REGIMEN) or (len(body) > 1 and body[-1].kind == "route")
    if not told and len(words) <= _SHORT and regimen and kinds.isdisjoint(_COMPLAINT - {"mark"}):
        # `Weekly pillbox`, `Oral to IV`
        return True
    if len(words) <= _SHORT and not told and "prn" in kinds:
        # `Sleep SOS`
        return True
    # `Name: A B, prescription of C`
    return section == "header" and "prescription" in spoken


def _is_of_a_medicine(body: Sequence[Chunk], page: Page, words: Sequence[str], *, changed: bool, section: str, told: bool) -> bool:
    """Whether a medicine is told of, or what was changed, ended or handed to somebody."""
    kinds, remarks = {c.kind for c in body}, page.lexicon.remarks
    titled, short = section == "header", len(words) <= _SHORT and not told
    relative = any(means(c, "person_roles") or (c.kind == "cue" and c.value[0] == "family") for c in body)
    if section not in _NOT_TAKEN and not relative and is_told_of(body, words, remarks):
        return True
    if changed and "form" in kinds and (not told or (section in _TAKEN_BEFORE and len(words) <= _SHORT)):
        # `Eye drops`, `PMH: drops over June`
        return True
    if (changed and not remarks.changes.isdisjoint(words)) or (short and not remarks.deciding_short.isdisjoint(words)):
        return True
    ended = [c for c in body if c.kind == "cue" and c.value[0] in ("stopped", "held", "avoid", "not_taking")]
    alone = short and bool(ended) and ended[0] is body[0] and not _is_of_something(body[1:], page)
    if alone or (ended and (titled or ended[-1] is body[-1] or means(body[0], "header_line_starts"))):
        return True
    if changed and any(map(_is_dosed, body)):
        # `chemist gave 10 mg`; above them, `12 MG Road`
        return True
    return len(words) <= 3 and any(means(c, "person_roles") for c in body)


def _is_dosed(chunk: Chunk) -> bool:
    return chunk.kind == "amount" and not chunk.value.per and not _DOSED.isdisjoint(chunk.value.units)


def _is_shaped_as_order(body: Sequence[Chunk], lexicon: Lexicon) -> bool:
    """`Imp: URTI, Zetaril 40 OD`, `Tab Zetaril`: a name nobody knows behind a form, or before what is given of it and how often.

    Narrower than the signs of `may_be_an_order`: among findings `PVR 40 ml` and `worse on empty stomach` are none.
    """
    for place, chunk in enumerate(body):
        if chunk.kind != "word" or len(str(chunk.value)) < _NAMED or lexicon.plain.group(str(chunk.value)):
            continue
        after = [c for c in body[place + 1 : place + 5] if c.kind != "mark"]
        if place and body[place - 1].kind == "form" and body[place - 1].end < chunk.start and (not after or after[0].kind in SIG_KINDS):
            return True
        beside = [*body[max(0, place - 1) : place], *body[place + 2 : place + 3]]
        if place + 1 < len(body) and _is_dosed(body[place + 1]) and all(c.kind == "mark" for c in beside):
            # `URTI, Zetaril 40 mg`, and nothing else: results have a name that is known.
            return True
        if after and after[0].kind in ("number", "amount") and any(c.kind in ("rate", "slots") for c in after[1:3]):
            return True
    return False


_TAKEN_BY_OTHERS_OR_BEFORE = frozenset({"allergy", "family", "past"})


def _is_only_a_time(body: Sequence[Chunk], page: Page) -> bool:
    """`At day 7`, `0, 3, 7`, `4 times` on a line of its own over the orders. A number alone is of the paper."""
    words = page.lexicon.remarks.words_of_time
    timed = [c for c in body if c.kind in _TIMES_TOLD]
    spoken = [c for c in body if c.kind != "mark" and c not in timed]
    return len(body) > 1 and bool(timed) and all(page.text_of([c]) in words for c in spoken) and (bool(spoken) or len(timed) > 1)


_TIMES_TOLD = frozenset({"number", "duration", "rate", "when", "weekday"})


def _is_a_part_of_an_order(body: Sequence[Chunk], kinds: set[str], page: Page) -> bool:
    """`IV`, `left eye`, `Inj` on a line of its own over the orders: of one of them, or of one that was lost. `Tablets` may head them."""
    if any(c.kind == "mark" for c in body):
        return False
    return kinds <= {"route", "site"} or (kinds == {"form"} and len(body) == 1 and not page.text_of(body).endswith("s"))


_PART_OF_AN_ORDER = re.compile(r"x(?: ?\d+)?|\d+ ?x ?\d+|\d+(?:\.\d+)? ?k|mg|mcg|ml|iu")


def _is_a_piece(chunk: Chunk) -> bool:
    """A number that is no whole one, or two with a stroke between: a half, a page or a date."""
    if chunk.kind == "number":
        return any(part.denominator != 1 for part in chunk.value.parts)
    return chunk.kind == "tuple"


_STANDS_ON = frozenset({"continue", "taking", "increase", "decrease", "switch_to"})


def _leads_to_the_next_line(clause: _Clause, body: Sequence[Chunk], page: Page) -> bool:
    """`# HTN, was on`, and the order on the next line: the sentence goes on there."""
    last = body[-1]
    if last.kind != "cue" or last is not page.lines[clause.line][-1] or last.value[1] != "before":
        return False
    if not page.has_order(clause.line + 1):
        # `HTN on`, and nothing that it could be on.
        return last.value[0] in ("taking", "past")
    return last.value[0] not in _STANDS_ON


def _is_of_something(chunks: Sequence[Chunk], page: Page) -> bool:
    """`Non compliant with diet`: a plain word says of what."""
    return any(c.kind != "mark" and len(text := page.text_of([c])) > 1 and page.lexicon.plain.group(text) for c in chunks)


# `Page 2 of 2` at its end says that nothing more follows.
_PAGES = re.compile(
    r"(?:\b(?:page|pg)\b\.?:? ?|\bp\b\.?:? ?(?=\d{1,2} ?(?:of|/) ?\d{1,2}\b)|^\W*(?=\d{1,2} of \d{1,2}\W*$))(\d+) ?(?:of|/) ?(\d+)"
)
# What each page number has, and each mark for what stands above.
_OF_PAGES, _OF_DITTOS = re.compile(r"p(?:age|g)?\.?:? ?\d|\d of \d"), re.compile(r"\"|''|,,")
# Marks for what stands above, and words for what is replaced, on the line of an order.
_DITTO = re.compile(r"(?<!\S)(?:- ?)?(?:\" ?\"|\"|''|,,)(?: ?-)?(?!\S)")
# The last column of a table: `+` what is added, `-` what is taken off.
_ADDED, _TAKEN_OFF = re.compile(r"\| *\+ *\|? *$"), re.compile(r"\| *(?:-|x|✗|✘|×) *\|? *$")


def _signs(page: Page) -> Iterator[tuple[int, int]]:
    """What a line says of the page or of the orders on it, whatever else stands there: that more follows, how many, the same again."""
    words = page.words
    pages: dict[int, tuple[int, int]] = {}
    last = 0
    lines = [page.text[start:end] for start, end in page.spans]
    signed = "|" in page.text and any(map(_ADDED.search, lines))
    paged, dittoed = _OF_PAGES.search(page.text) is not None, _OF_DITTOS.search(page.text) is not None
    near = {order + step for order in page.orders for step in (-1, 0, 1)}
    for line, (text, span) in enumerate(zip(lines, page.spans, strict=True)):
        if paged and (found := _PAGES.search(text)):
            pages[int(found[1])] = span
            last = max(last, int(found[2]))
        total = words.total.search(text)
        miscounted = total is not None and int(total[1] or total[2]) != len(page.orders)
        of_an_order = page.has_order(line) and words.same.search(text) is not None
        either = page.orders[0] < line < page.orders[-1] and words.either.fullmatch(text) is not None
        beside = line in near and ((dittoed and _DITTO.search(text)) or words.replaced.search(text))
        if words.overleaf.search(text) or miscounted or of_an_order or either or beside or (signed and _TAKEN_OFF.search(text)):
            yield span
    if sum(1 <= number <= last for number in pages) != last:
        yield from pages.values()


def _undecided_headings(page: Page) -> Iterator[tuple[int, int]]:
    """`Stopped`, and `Rx` on the next line: of which of the two the list is, nobody can say."""
    for chunks, after in itertools.pairwise(page.lines):
        body, next_body = _bare(chunks), _bare(after)
        if len(body) == 1 and next_body and means(next_body[0], "heading"):
            heading = meaning_of(body[0], "heading")
            if isinstance(heading, tuple) and heading[1] in _ENDED:
                yield body[0].start, body[0].end
