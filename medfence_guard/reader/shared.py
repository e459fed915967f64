"""What is told once for a whole list of orders: `All x 30 days` above it, `30 days` below it, `…, both after food` at its end.

It reaches each order of the list only where nothing else can be meant: the words name all of them or some (`told.py`), or the line is
nothing but a duration right below orders that are complete without it; and no order of it says anything of that kind itself, or has an
end of its own. A time is told only of a list that is all that the page orders; a duration also of one beside mentions of other medicines.
Anything less certain is a remark for a person (`all`, `both`) or stays with the order it stands at.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from medfence_guard.contract import Span
from medfence_guard.reader.chunks import Chunk, DrugMention, meaning_of, means
from medfence_guard.reader.draft import Draft, Segmented
from medfence_guard.reader.roles.record import DAY_PARTS
from medfence_guard.reader.tables import ToldWords
from medfence_guard.reader.told import (
    ALIKE_FORMS,
    TIMING,
    TOLD_ONCE,
    Line,
    Told,
    is_complete,
    sort_of,
    tail_of_all,
    told_of_all,
)

# Changes that leave an order standing.
_STANDING = frozenset({"continue", "increase", "decrease"})
# What leaves it open whether an order has a length at all: `if fever`, `adjust to 2 motions a day`.
_UNSURE = frozenset({"conditional", "ambiguous"})
# An end that an order may have of its own, beside `until further advice` told of all.
_ENDING = frozenset({"stopped"})
# An order with one of these has a time of its own, or none.
_OWN_COURSE = frozenset({"stat", "prn", "then", "unsupported", "weekday"})


_LENGTHS = frozenset({"duration", "duration_open"})
# What a line says of the order that it goes on with, and of no list.
_OF_ONE = frozenset({"drug", "slots", "rate", "amount", "tuple", "route", "site"})
# What a line that could not be read may say of a pack.
_COUNTS = frozenset({"amount", "quantity", "refill"})


def reaches(drafts: Sequence[Draft], told: Told, own: Sequence[Chunk] = ()) -> bool:
    """Whether it is certain that what is told is told of each of these orders. `own`: the told words, where one order holds them."""
    if len(drafts) < told.least or (told.number and told.number != len(drafts)):
        return False
    kinds = {sort_of(c.kind) for c in told.chunks}
    for draft in drafts:
        stated = [c for c in (*draft.chunks, *draft.shared) if c not in own]
        held = {sort_of(c.kind) for c in stated}
        hours = [c for c in stated if c.kind == "when" and c.value[0] in DAY_PARTS]
        if told.hour:
            # `Morning:` over `Tab X 5 mg (after breakfast)`; `BD` below it is another matter.
            if held & (TIMING | _OWN_COURSE | {"weekday"}) or hours:
                return False
        elif held & kinds or held & _OWN_COURSE:
            return False
        if any(c.kind == "cue" and c.value[0] not in ("taking", "continue") for c in (*draft.context, *stated)):
            return False
        if "rate" not in kinds and not told.hour and not is_complete(stated):
            return False
        if "rate" in kinds and any(c.kind == "when" for c in stated):
            return False
    return len({(d.section, d.section_status) for d in drafts}) == 1


def _is_ordered(draft: Draft) -> bool:
    """Whether it may be an order: it says when, how much or how long. `Udiliv to be stopped` does not."""
    return draft.is_timed or draft.holds("amount") or draft.holds("duration") or (draft.anchor > 0 and draft.chunks[0].kind == "form")


def _is_stopped(draft: Draft) -> bool:
    """`Y tapered and stopped`: of no list of orders."""
    chunks = (*draft.context, *draft.chunks)
    # `not to restart`
    denied = [n for n, c in enumerate(chunks) if c.kind == "cue" and any(b.value == "not" for b in chunks[max(0, n - 2) : n])]
    cues = {c.value[0] for n, c in enumerate(chunks) if c.kind == "cue" and n not in denied}
    return cues == {"stopped"} and not draft.is_timed and not draft.holds("amount")


def reached_by(listed: Sequence[Draft], told: Told, own: Sequence[Chunk], unread: int) -> tuple[list[Draft], list[Draft]] | None:
    """The orders of a list that a length told once is certainly of, and those that it may be of; None if it is certain of none.

    `rest` leaves out an order that has a length of its own; without that word such an order makes the line doubtful for all. `unread`: how
    many more orders of the list could not be read.
    """
    given: list[Draft] = []
    doubtful: list[Draft] = []
    ended = 0
    for draft in listed:
        stated = [c for c in (*draft.chunks, *draft.shared) if c not in own]
        held = {c.kind for c in stated}
        cues = {c.value[0] for c in (*draft.context, *stated) if c.kind == "cue"}
        if told.numbers and draft.numbered not in told.numbers:
            continue
        if _is_stopped(draft):
            if told.numbers:
                return None
            continue
        if told.until_advice and (held & {"duration", "duration_open"} or cues & _ENDING):
            # `Rx to continue until further advice:`, and `Tab Y 75 mg OD, stop at 36 weeks` among them.
            continue
        forms = {c.value for c in stated if c.kind == "form"}
        if told.form and forms and told.form not in forms and not forms & ALIKE_FORMS[told.form]:
            continue
        unending = [c for c in stated if c.kind == "duration_open"]
        if "duration" in held or any(c.value != "continue" for c in unending) or held & (_OWN_COURSE - {"prn"}):
            if not told.rest or held & (_OWN_COURSE - {"prn"}):
                return None
            ended += 1
            continue
        if cues - _STANDING - _UNSURE or draft.alternative or draft.replaced:
            return None
        goes_on = any(c.kind == "cue" and c.value[0] == "continue" for c in draft.chunks[draft.anchor :] if c not in own)
        unsure = goes_on or "prn" in held or cues & _UNSURE or not is_complete(stated) or draft.shared_tail
        if unending or unsure or (told.form and forms != {told.form}):
            doubtful.append(draft)
        else:
            given.append(draft)
    if len(given) + len(doubtful) + unread < told.least or (told.rest and not ended):
        return None
    if told.numbers and ({d.numbered for d in given + doubtful} != told.numbers or len(given + doubtful) != len(told.numbers)):
        return None
    if (told.number and (told.number != len(given) or doubtful or unread)) or not given:
        return None
    sections = {(d.section, d.section_status) for d in (*given, *doubtful)}
    # `Current medications: …. All for 5 years`: so long until now.
    return (given, doubtful) if len(sections) == 1 and sections.isdisjoint({("current", "reported")}) else None


def told_by_labels(drafts: Sequence[Draft], own: Sequence[Chunk]) -> bool:
    """Whether an order of the page names its parts, elsewhere than in the words `own`: `Duration: 14 days` at the end of the last block is
    of that block, and `Duration:` left blank in another stays blank."""
    return any(c.kind == "label" and c not in own for d in drafts for c in d.chunks)


def _says_length(draft: Draft) -> bool:
    told = (*draft.context, *draft.chunks)
    goes_on = any((c.kind == "cue" and c.value[0] == "continue") or (c.kind == "duration_open" and c in draft.context) for c in told)
    return goes_on or draft.holds("duration") or draft.holds("duration_open")


def _names_of(draft: Draft) -> tuple[str, ...]:
    """What a statement may be named by elsewhere: its name, and its substances. Nothing where nobody can say."""
    mention = draft.chunks[draft.anchor].value
    if not isinstance(mention, DrugMention):
        return ()
    return (mention.key, *(m for members in mention.name.compositions for m in members)) if mention.name else (mention.key,)


_OF_TWO = 2  # a name and its one substance


def _is_over(draft: Draft, over: Collection[int]) -> bool:
    """`thiamine 5 days over`: nothing but a length that is past."""
    last = draft.chunks[-1]
    told = last if last.kind == "duration" else next((c for c in reversed(draft.chunks) if c.kind == "duration"), None)
    return told is not None and not draft.is_timed and told.end + 1 in over


def _is_unknown(draft: Draft) -> bool:
    return len(_names_of(draft)) < 2


class _Orders:
    """The statements of a page, counted once: it is asked about them at each line that tells something.

    `covered`: their lines; `hidden`: lines that could not be read and are orders by what they hold: the list goes on behind them;
    `going_on`: lines that go on with a statement; `labels`: how many labels they hold; `ordered`: how many may be orders,
    `last_order`: the last of them; `named`: how often a name is told with a length; `last`, `last_unknown`: the last line of such a
    statement, and of one of a name that nobody knows.
    """

    def __init__(self, out: Segmented, lines: Sequence[Line], over: Collection[int]) -> None:
        """`over`: where the words `over`, `completed` begin."""
        drafts = out.drafts
        self.covered = {n for d in drafts for n in range(d.line, d.last_line + 1)}
        self.going_on: dict[int, Draft] = {}
        for draft in drafts:
            for line in range(draft.line + 1, draft.last_line + 1):
                self.going_on.setdefault(line, draft)
        self.labels = sum(c.kind == "label" for d in drafts for c in d.chunks)
        meant = [d for d in drafts if _may_be_meant(d)]
        self.ordered, self.last_order = len(meant), meant[-1] if meant else None
        saying = [d for d in drafts if _says_length(d)]
        self.named = Counter(name for d in saying for name in _names_of(d))
        # `parenteral thiamine 5 days over` is not said of a brand that holds thiamine among others.
        self.over = Counter(name for d in saying if _is_over(d, over) for name in _names_of(d))
        self.timed = Counter(name for d in saying if d.is_timed for name in _names_of(d))
        self.last = max((d.line for d in saying), default=-1)
        self.last_unknown = max((d.line for d in saying if _is_unknown(d)), default=-1)
        orders = Placed(chunks[0] for chunks, _ in lines if _looks_ordered(chunks))
        unread = {c.start for span in {*out.unread} for c in orders.within(span)}
        self.hidden = {n for n, (chunks, _) in enumerate(lines) if chunks[0].start in unread}

    def told_apart(self, given: Sequence[Draft], listed: Sequence[Draft], line: int, *, indented: bool) -> list[Draft]:
        """Those of a list of whose length the page speaks elsewhere too: `All for 5 days. Metformin to continue`.

        `indented`: the heading of the list says by its layout what is in it; an order elsewhere is another: `After that X OD for 4 weeks`.
        """
        if indented:
            own = Counter(name for d in listed if _says_length(d) and not d.is_timed for name in _names_of(d))
            return [d for d in given if _is_unknown(d) or any(self.named[n] - self.timed[n] > own[n] for n in _names_of(d))]
        here = Counter(name for d in listed if _says_length(d) for name in _names_of(d))
        below = max(line, listed[-1].line)
        return [
            d
            for d in given
            if any(self.named[name] - (self.over[name] if len(_names_of(d)) > _OF_TWO else 0) > here[name] for name in _names_of(d))
            or (self.last if _is_unknown(d) else self.last_unknown) > below
        ]


def _may_be_meant(draft: Draft) -> bool:
    return _is_ordered(draft) and not _is_stopped(draft)


def _looks_ordered(chunks: Sequence[Chunk]) -> bool:
    """A line that is an order for something, by the form or amount near its beginning; no heading, and nothing is stopped in it."""
    kinds = {c.kind for c in chunks}
    if not {c.kind for c in chunks[:4]} & {"form", "amount"} or kinds.isdisjoint({"amount", "rate", "slots"}):
        return False
    if kinds & {"heading", "label"} or any(c.value == ":" for c in chunks):
        return False
    return not any(c.kind == "cue" and c.value[0] not in _UNSURE for c in chunks)


def _is_changed(draft: Draft) -> bool:
    """Whether it says that it is new, or goes on: `Tab Y - new`, then `to continue x 3 months` may be of the next alone."""
    return any(c.kind in ("cue", "verb") for c in (*draft.context, *draft.chunks))


class Placed:
    """Chunks by the place in the text at which they begin."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self._chunks = sorted(chunks, key=lambda c: c.start)
        self._starts = [c.start for c in self._chunks]

    def within(self, span: Span) -> list[Chunk]:
        return self._chunks[bisect_left(self._starts, span.start) : bisect_left(self._starts, span.end)]


def _around(rows: Sequence[int], line: int, *, alone: bool) -> tuple[bool, bool]:
    """Whether a line stands directly above, and directly below, a list of orders without a gap. `rows`: the lines of orders, sorted;
    `alone`: the line is none of them; else it is left out of the list."""
    at = bisect_left(rows, line)
    left_out = not alone and at < len(rows) and rows[at] == line
    size = len(rows) - left_out
    if size == 0:
        return False, False
    low, high = rows[left_out and at == 0], rows[-2 if left_out and at == len(rows) - 1 else -1]
    packed = high - low == size - 1
    return packed and line == low - 1, packed and line == high + 1


_REST = "rest"
_BEFORE_A_LENGTH = frozenset({"for", "x", ":", "-", "to"})


class Sharing:
    """What one page tells once: found before its lines are read, and given to its orders when all of them are known.

    `told_once`: line -> what it tells, of the lines that are nothing else.
    """

    def __init__(self, lines: Sequence[Line], folded: str, words: ToldWords, *, typed: bool, spoken: frozenset[str] | None = None) -> None:
        """`typed`: no line of the text can have been lost; `spoken`: the runs of letters that can be read in it, None if that is open."""
        self._lines = lines
        self._of_several = spoken is None or not spoken.isdisjoint(words.all_or_some | {_REST})
        self._text = folded
        self._typed = typed
        self._words = words
        # No line with an amount tells anything of all: most lines of orders have one.
        asked = [(n, chunks) for n, (chunks, _) in enumerate(lines) if "amount" not in [c.kind for c in chunks]]
        told = [(n, told_of_all(chunks, self._surface, words)) for n, chunks in asked]
        self.told_once = {n: one for n, one in told if one is not None and not (one.course and self._indented_end(n) == n)}

    def _surface(self, chunk: Chunk) -> str:
        return self._text[chunk.start : chunk.end]

    def give(self, out: Segmented) -> None:
        """Give each order of the page what is told once for all of them, where that is certain; else a remark is left in `out`."""
        if self._tells_nothing(out):
            return
        lines, drafts = self._lines, out.drafts
        past = {c.start for chunks, _ in lines for c in chunks if self._surface(c) in self._words.past}
        orders = _Orders(out, lines, past)
        covered = orders.covered
        rows, taken = sorted(covered), Placed(c for d in drafts for c in d.chunks)
        for line, told in self.told_once.items():
            first, last = lines[line][0][0], lines[line][0][-1]
            span = Span(min(first.start, last.start), max(first.end, last.end))
            # Where the line was taken for a part of the order above it.
            own = taken.within(span)
            if not drafts or (told.word and own):
                continue
            if told.hour:
                self._give_hour(out, line, told, covered)
                continue
            if told.is_length:
                self._give_length(out, orders, line, told, span, own)
                continue
            above, under = _around(rows, line, alone=not own)
            below = under and not told.heads
            visit = line + 1 < len(lines) and means(lines[line + 1][0][0], "review_phrases")
            beside = (
                (below or above) if told.word else below and bool(own) and self._typed and not visit and not told_by_labels(drafts, own)
            )
            if beside and (told.word or self._is_level(drafts, span)) and reaches(drafts, told, own):
                for draft in drafts:
                    draft.shared += () if own and any(c in own for c in draft.chunks) else told.chunks
            elif (told.word and (line - 1 in covered or line + 1 in covered)) or (
                own and told_by_labels(drafts, own) and not self._is_of_a_block(orders, line)
            ):
                out.remarks.append(span)
        # The orders of the first line: `all` is said of no order above them, and of none below.
        first_line = [d for d in drafts if d.last_line == drafts[0].line]
        if len(first_line) > 1 and not self.told_once and (found := tail_of_all(first_line[-1], self._surface, self._words)):
            place, told = found
            if reaches(first_line, told, first_line[-1].chunks[place:]):
                del first_line[-1].chunks[place:]
                for draft in first_line:
                    draft.shared += told.chunks
        out.remarks.extend(self._going_on(out, orders))
        out.remarks.extend(self._rest_of_them(out))
        self._doubt(out, orders)

    def _tells_nothing(self, out: Segmented) -> bool:
        """Whether each order is one line of the page, and no word, line or length beside them can be of several: most pages are so."""
        if self.told_once or self._of_several or out.remarks or out.unread:
            return False
        own = {d.line for d in out.drafts}
        if len(own) != len(out.drafts) or any(d.last_line != d.line for d in out.drafts):
            return False
        beside = {line + step for line in own for step in (-1, 1)} - own
        return all(_LENGTHS.isdisjoint([c.kind for c in self._lines[line][0]]) for line in beside if 0 <= line < len(self._lines))

    def _going_on(self, out: Segmented, orders: _Orders) -> list[Span]:
        """`Continue for 1 month and review` below several orders, in words that tell more: of the last of them, or of each."""
        found = []
        for line, of in orders.going_on.items():
            chunks = self._lines[line][0]
            begins = chunks[0].start
            goes_on = means(chunks[0], "cue") and meaning_of(chunks[0], "cue") == ("continue", "before")
            if line in self.told_once or not goes_on:
                continue
            if not any(c.kind == "duration" for c in itertools.takewhile(lambda c: c.value != ".", chunks)):
                # `To continue. Review IOP 1 month`
                continue
            above = [d for d in out.drafts if d is not of and d.last_line == of.line - 1 and _is_ordered(d)]
            if not any(c.start < begins and c.kind == "duration" for c in of.chunks) and any(not _says_length(d) for d in above):
                found.append(Span(begins, max(c.end for c in chunks)))
        return found

    def _rest_of_them(self, out: Segmented) -> list[Span]:
        """`Tab X x 3 days`, `Tab Y OD`, `Rest for 5 days`: in bed, or the rest of them, where some say how long and some do not."""
        found: list[Span] = []
        ordered = [d for d in out.drafts if _is_ordered(d)]
        if len({_says_length(d) for d in ordered}) < 2:
            return found
        for chunks, _ in self._lines:
            for place, chunk in enumerate(chunks):
                if chunk.kind != "word" or self._surface(chunk) != _REST:
                    continue
                told = next((c for c in chunks[place + 1 : place + 4] if self._surface(c) not in _BEFORE_A_LENGTH), None)
                begins = place == 0 or chunks[place - 1].kind in ("mark", "item")
                if (
                    begins
                    and told is not None
                    and told.kind in ("duration", "duration_open")
                    and told is chunks[-1 - (chunks[-1].value == ".")]
                ):
                    found.append(Span(chunk.start, told.end))
        return found

    def _give_length(self, out: Segmented, orders: _Orders, line: int, told: Told, span: Span, own: Sequence[Chunk]) -> None:
        """A length of time, to the orders of the list that the line stands right above or below."""
        labelled = orders.labels > sum(c.kind == "label" for c in own)
        listed: list[Draft] = []
        reached, outside = None, False
        indented = told.heads and self._indented_end(line) > line
        of = orders.going_on.get(line)
        if told.word or (of is not None and of is orders.last_order and line == of.last_line):
            listed, below, unread = self._list_at(out, orders, line, told)
            outside = not indented and orders.ordered > sum(map(_may_be_meant, listed))
            reached = reached_by(listed, told, own, len(unread)) if listed else None
            if not (told.rest or told.numbers) and any(c.kind == "duration" for n in unread for c in self._lines[n][0]):
                reached = None
            if told.numbers and (not self._typed or len({d.numbered for d in listed}) != len(listed)):
                reached = None
            doubt = not below or outside or bool(unread) or labelled or (reached is not None and reached[1])
            if not told.word and reached is not None and (doubt or not self._is_of_all_above(listed, line, told, span, own)):
                reached = None
        given, doubtful = reached or ([], listed)
        apart = orders.told_apart(given, listed, line, indented=indented) if given else []
        for draft in given:
            if any(draft is other for other in apart):
                continue
            if own and any(c in own for c in draft.chunks):
                # `to continue x 3 months`: so long, and not after it.
                draft.chunks = [c for c in draft.chunks if c not in own or c.kind != "duration_open"]
            else:
                draft.shared += told.chunks
        if told.word and reached is None:
            open_end = not orders.covered.isdisjoint((line - 1, line + 1))
        elif told.word:
            # It may be of an order elsewhere on the page too, unless it names list numbers.
            open_end = bool(doubtful or apart) or (outside and not told.numbers)
        else:
            open_end = bool(own) and labelled and not self._is_of_a_block(orders, line)
            open_end = open_end or (reached is None and self._is_cut_off(out, orders, line))
        if open_end:
            out.remarks.append(span)

    def _is_cut_off(self, out: Segmented, orders: _Orders, line: int) -> bool:
        """`Tab X OD, Tab Y OD. For 1 month`: the last sentence of a line of several orders, one of which has no length."""
        of = orders.going_on.get(line)
        begins = self._lines[line][0][0].start
        if of is None or "\n" in self._text[of.start : begins]:
            return False
        beside = [d for d in out.drafts if d is not of and d.last_line == of.line and _is_ordered(d)]
        return any(not _says_length(d) for d in beside)

    def _is_of_all_above(self, listed: Sequence[Draft], line: int, told: Told, span: Span, own: Sequence[Chunk]) -> bool:
        """Whether nothing but a length below a list is of each order of it. One that goes on may be of the last alone, unless three or more
        stand above it, each on a line, and none is new."""
        visit = line + 1 < len(self._lines) and means(self._lines[line + 1][0][0], "review_phrases")
        if visit or not self._typed or not self._is_level(listed, span):
            return False
        if not told.goes_on:
            return True
        one_each = all(d.line == d.last_line or any(c in own for c in d.chunks) for d in listed)
        return one_each and len(listed) > 2 and not any(_is_changed(d) for d in listed)

    def _list_at(self, out: Segmented, orders: _Orders, line: int, told: Told) -> tuple[list[Draft], bool, list[int]]:
        """The orders in the lines right above or below a line, with no other line between; nothing where it stands between two lists.

        Beside them: whether the line stands below them, and the lines of the list that are orders and could not be read.
        """
        covered, hidden = orders.covered, orders.hidden
        first = last = line
        while first - 1 in covered or first - 1 in hidden:
            first -= 1
        while last + 1 in covered or last + 1 in hidden:
            last += 1
        if told.heads:
            set_in = self._indented_end(line)
            last = min(last, set_in) if set_in > line else last
        at, to = (bisect_left(out.drafts, n, key=lambda d: d.line) for n in (first, line))
        before = out.drafts[at:to]
        behind = out.drafts[bisect_right(out.drafts, line, key=lambda d: d.line) : bisect_right(out.drafts, last, key=lambda d: d.line)]
        ordered = any(map(_may_be_meant, behind))
        while behind and not _is_ordered(behind[-1]):
            # `Z was discussed for later`
            behind.pop()
        above = before, True, [n for n in range(first, line) if n in hidden]
        below = behind, False, [n for n in range(line + 1, last + 1) if n in hidden]
        if told.heads:
            return below if ordered else ([], False, [])
        if before and (told.above or not (ordered or below[2])):
            return above
        return below if not before and not told.above and not above[2] and self._is_at_head(line) else ([], False, [])

    def _is_at_head(self, line: int) -> bool:
        """Whether nothing but a heading stands above: `All for 5 days` below complaints is said of those."""
        chunks = self._lines[line - 1][0] if line else []
        medicines = any(self._surface(c) in self._words.medicines or c.kind == "form" for c in self._lines[line][0])
        return medicines or not chunks or (len(chunks) <= 2 and means(chunks[0], "heading"))

    def _give_hour(self, out: Segmented, line: int, told: Told, covered: Collection[int]) -> None:
        """`Morning:` is told of the orders in the lines below it, up to an empty line or one that is none."""
        last = line
        while last + 1 in covered and self._text.count("\n", self._lines[last][0][-1].end, self._lines[last + 1][0][0].start) <= 1:
            last += 1
        below = slice(*(bisect_right(out.drafts, at, key=lambda d: d.line) for at in (line, last)))
        listed = [d for d in out.drafts[below] if d.last_line <= last]
        if listed and reaches(listed, told):
            for draft in listed:
                draft.shared += told.chunks
        elif listed:
            out.remarks.append(Span(told.chunks[0].start, told.chunks[0].end))

    def _doubt(self, out: Segmented, orders: _Orders) -> None:
        """What stands in a line of its own, in words not read or behind `all`, may be of each order that says nothing of the kind."""
        drafts = out.drafts
        lent = (once for line, once in self.told_once.items() if not self._is_of_a_block(orders, line))
        told = {sort_of(c.kind) for once in lent for c in once.chunks}
        if any(self._is_of_several(orders, line, chunks) for line, (chunks, _) in enumerate(self._lines)):
            told.add("duration")
        if out.remarks or out.unread:
            placed = Placed(c for chunks, _ in self._lines for c in chunks if c.kind in TOLD_ONCE)
            told |= {sort_of(c.kind) for span in {*out.remarks, *out.unread} for c in placed.within(span)}
            packs = Placed(c for chunks, _ in self._lines for c in chunks if c.kind in _COUNTS) if out.unread else placed
            told |= {"count" for span in out.unread for c in packs.within(span) if c.kind in _COUNTS}
        if len(drafts) > 1:
            for draft in drafts:
                behind = next((n for n, c in enumerate(draft.chunks) if c.kind == "word" and self._surface(c) in self._words.every), None)
                if behind is not None:
                    told |= {sort_of(c.kind) for c in draft.chunks[behind:] if c.kind in TOLD_ONCE}
        for draft in drafts:
            # `to continue` behind one order, and a length below: which of them is the end is not certain.
            draft.told_beside = frozenset(
                told - {sort_of(c.kind) for c in (*draft.chunks, *draft.shared) if c.kind != "duration_open" or c.value != "continue"}
            )

    def _is_of_several(self, orders: _Orders, line: int, chunks: Sequence[Chunk]) -> bool:
        """Whether a line may tell the length of each order: `Two weeks' medicines given` below a list, be it taken for a part of the last
        order or not; `H. pylori kit for 14 days -` above one."""
        covered = orders.covered
        if not any(c.kind in ("duration", "duration_open") for c in chunks):
            return False
        if any(c.kind == "word" and self._surface(c) in self._words.all_or_some for c in chunks):
            # `All except X for 5 days`
            return not covered.isdisjoint((line - 1, line, line + 1))
        if any(c.kind in _OF_ONE for c in chunks):
            return False
        if line not in covered:
            return (line - 1 in covered or line + 1 in covered) and not any(means(c, "review_phrases") for c in chunks)
        return line in orders.going_on and not self._is_of_a_block(orders, line)

    def _is_of_a_block(self, orders: _Orders, line: int) -> bool:
        """Whether a line goes on, without a gap, with an order whose parts are named one by one."""
        chunks = self._lines[line][0]
        of = orders.going_on.get(line)
        if of is None or chunks[0].kind != "label" or not told_by_labels((of,), chunks):
            return False
        above = [c for c in of.chunks if c.start < chunks[0].start]
        return bool(above) and self._text.count("\n", above[-1].end, chunks[0].start) <= 1

    def _indented_end(self, line: int) -> int:
        """The last of the lines below a heading that begin further right than it does, where a line behind them does not; else the line."""

        def indent(n: int) -> int:
            at = self._lines[n][0][0].start
            begins = self._text.rfind("\n", 0, at) + 1
            row = self._text[begins:at]
            return len(row) - len(row.lstrip(" "))

        heading, last = indent(line), line
        while last + 1 < len(self._lines) and indent(last + 1) > heading:
            last += 1
        return last

    def _is_level(self, drafts: Sequence[Draft], span: Span) -> bool:
        """Whether a line begins no further right than the last order does: further right it goes on with that order."""

        def indent(at: int) -> int:
            return at - self._text.rfind("\n", 0, at) - 1

        begins = self._text.rfind("\n", 0, drafts[-1].start) + 1
        line = self._text[begins : drafts[-1].end]
        return indent(span.start) <= len(line) - len(line.lstrip(" "))
