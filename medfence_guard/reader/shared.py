"""What is told once for a whole list of orders: `All x 30 days` above it, `30 days` below it, `…, both after food` at its end.

It reaches each order of the list only where nothing else can be meant: a word stands for all of them (`all`, `both`,
`medicines`) or the line is nothing but a duration right below orders that are complete without it; the list is all that
the page orders; and no order of it says anything of that kind itself, or has an end of its own. Anything less certain is
a remark for a person (`all`, `both`) or stays with the order it stands at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from medfence_guard.contract import Span
from medfence_guard.reader.chunks import Chunk, meaning_of, means
from medfence_guard.reader.draft import Draft, Segmented
from medfence_guard.reader.roles.record import DAY_PARTS

Line = tuple[list[Chunk], bool]
Surface = Callable[[Chunk], str]
_TIMING = frozenset({"rate", "slots"})
# What may be told once. A meal or a time of day is a time of its own: `all before breakfast`.
TOLD_ONCE = frozenset({"duration", "duration_open", "rate", "slots", "when"})
_GLUE = frozenset({"x", "for", "to", "the", "above", "these", "of", "take", "ki"})
HEADS_A_LIST = frozenset({"rx", "℞", "prescription"})
_MEDICINES = frozenset("medicines medications meds drugs dawai dawaiyan dawaiyaan".split())
_COUNTED = {"both": 2, "two": 2, "three": 3, "four": 4, "five": 5}
# An order with one of these has a time of its own, or none.
_OWN_COURSE = frozenset({"stat", "prn", "then", "unsupported", "weekday"})


class Told(NamedTuple):
    """`chunks`: what is told; `number`: of how many orders, 0 if the words do not say; `word`: they name all of them.

    `least`: how few orders they may mean: `all` is of several, `medicines` may be of one. `heads`: a colon ends the line, which is then of
    what stands below it. `hour`: a time of day heads a part of the list, `Morning:`.
    """

    chunks: tuple[Chunk, ...]
    number: int
    word: bool
    least: int
    heads: bool
    hour: bool = False


def told_of_all(chunks: Sequence[Chunk], surface: Surface) -> Told | None:
    """The line as something told of a list; None if it holds anything else, or tells nothing."""
    told: list[Chunk] = []
    if len(chunks) == 2 and chunks[1].value == ":" and (hour := meaning_of(chunks[0], "when")) is not None:
        if isinstance(hour, tuple) and hour[0] in DAY_PARTS:
            return Told((chunks[0]._replace(kind="when", value=hour, meanings=()),), 0, word=True, least=1, heads=True, hour=True)
    count = 0
    word = False
    least = 1
    for place, chunk in enumerate(chunks):
        text = surface(chunk)
        if chunk.kind in TOLD_ONCE:
            told.append(chunk)
        elif chunk.kind == "word" and text in ("all", *_COUNTED):
            if text != "both" and text != "all" and not word:
                return None
            word = True
            least = 2
            count = max(count, _COUNTED.get(text, 0))
        elif text in _MEDICINES or (place == 0 and text in HEADS_A_LIST and len(chunks) > 1):
            # `Rx (2 months)`, `Rx for 15 days`
            word = True
        elif place == 0 and ((chunk.kind == "label" and chunk.value == "duration") or chunk.value == ("continue", "before")):
            continue
        elif not (
            (chunk.kind == "mark" and chunk.value in (".", ",", ":", "-", "(", ")"))
            or (chunk.kind in ("word", "inert") and (text in _GLUE or chunk.value == "function_words"))
        ):
            return None
    if surface(chunks[0]) in HEADS_A_LIST and any(c.kind != "duration" or c.value[-1] == "a" for c in told):
        # `Rx for 2 years` tells of the past.
        return None
    lone = len(told) == 1 and told[0].kind == "duration"
    if len(told) > 1 and told[0].kind == "duration_open" and told[1].kind == "duration":
        # `To continue both for 3 months`: so long, and not after it.
        del told[0]
    return Told(tuple(told), count, word, least if word else 2, chunks[-1].value == ":") if told and (word or lone) else None


def tail_of_all(draft: Draft, surface: Surface) -> tuple[int, Told] | None:
    """`Z 800 mg OD - all before breakfast x 2 months`: where in the last order of a line the words for all of them begin."""
    for place in range(draft.anchor + 2, len(draft.chunks)):
        chunk = draft.chunks[place]
        if chunk.kind == "word" and surface(chunk) in ("all", "both"):
            before = draft.chunks[place - 1]
            told = told_of_all(draft.chunks[place:], surface)
            parted = before.kind == "mark" and before.value in ("-", ",", "(", ".")
            if told is not None and told.number and not parted and any(c.kind in _TIMING for c in told.chunks):
                # `X 500 mg and Z 1 mg both BD`: neither has a time yet.
                return (place, told) if before.kind == "amount" else None
            return (place - 1, told) if told is not None and parted and _complete(draft.chunks[:place]) else None
    return None


def _complete(chunks: Sequence[Chunk]) -> bool:
    return any(c.kind in _TIMING or c.kind == "when" for c in chunks)


# What a line that could not be read may say of a pack.
_COUNTS = frozenset({"amount", "quantity", "refill"})


def sort_of(kind: str) -> str:
    """Slots are told as a frequency is, an open end as a duration."""
    return {"slots": "rate", "duration_open": "duration"}.get(kind, kind)


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
            if held & (_TIMING | _OWN_COURSE | {"weekday"}) or hours:
                return False
        elif held & kinds or held & _OWN_COURSE:
            return False
        if any(c.kind == "cue" and c.value[0] not in ("taking", "continue") for c in (*draft.context, *stated)):
            return False
        if "rate" not in kinds and not told.hour and not _complete(stated):
            return False
        if "rate" in kinds and any(c.kind == "when" for c in stated):
            return False
    return len({(d.section, d.section_status) for d in drafts}) == 1


def told_by_labels(drafts: Sequence[Draft], own: Sequence[Chunk]) -> bool:
    """Whether an order of the page names its parts, elsewhere than in the words `own`: `Duration: 14 days` at the end of the last block is
    of that block, and `Duration:` left blank in another stays blank."""
    return any(c.kind == "label" and c not in own for d in drafts for c in d.chunks)


class _Placed:
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


class Sharing:
    """What one page tells once: found before its lines are read, and given to its orders when all of them are known.

    `told_once`: line -> what it tells, of the lines that are nothing else.
    """

    def __init__(self, lines: Sequence[Line], folded: str, *, typed: bool) -> None:
        """`typed`: no line of the text can have been lost."""
        self._lines = lines
        self._text = folded
        self._typed = typed
        self.told_once = {n: told for n, (chunks, _) in enumerate(lines) if (told := told_of_all(chunks, self._surface)) is not None}

    def _surface(self, chunk: Chunk) -> str:
        return self._text[chunk.start : chunk.end]

    def give(self, out: Segmented) -> None:
        """Give each order of the page what is told once for all of them, where that is certain; else a remark is left in `out`."""
        lines, drafts = self._lines, out.drafts
        covered = {line for d in drafts for line in range(d.line, d.last_line + 1)}
        rows, taken = sorted(covered), _Placed(c for d in drafts for c in d.chunks)
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
                own and told_by_labels(drafts, own) and not self._is_of_a_block(drafts, line)
            ):
                out.remarks.append(span)
        # The orders of the first line: `all` is said of no order above them, and of none below.
        first_line = [d for d in drafts if d.last_line == drafts[0].line]
        if len(first_line) > 1 and not self.told_once and (found := tail_of_all(first_line[-1], self._surface)):
            place, told = found
            if reaches(first_line, told, first_line[-1].chunks[place:]):
                del first_line[-1].chunks[place:]
                for draft in first_line:
                    draft.shared += told.chunks
        self._doubt(out)

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

    def _doubt(self, out: Segmented) -> None:
        """What stands in a line of its own, in words not read or behind `all`, may be of each order that says nothing of the kind."""
        drafts = out.drafts
        lent = (once for line, once in self.told_once.items() if not self._is_of_a_block(drafts, line))
        told = {sort_of(c.kind) for once in lent for c in once.chunks}
        if out.remarks or out.unread:
            placed = _Placed(c for chunks, _ in self._lines for c in chunks if c.kind in TOLD_ONCE)
            told |= {sort_of(c.kind) for span in {*out.remarks, *out.unread} for c in placed.within(span)}
            packs = _Placed(c for chunks, _ in self._lines for c in chunks if c.kind in _COUNTS) if out.unread else placed
            told |= {"count" for span in out.unread for c in packs.within(span) if c.kind in _COUNTS}
        if len(drafts) > 1:
            for draft in drafts:
                behind = next((n for n, c in enumerate(draft.chunks) if c.kind == "word" and self._surface(c) in ("all", "both")), None)
                if behind is not None:
                    told |= {sort_of(c.kind) for c in draft.chunks[behind:] if c.kind in TOLD_ONCE}
        for draft in drafts:
            draft.told_beside = frozenset(told - {sort_of(c.kind) for c in (*draft.chunks, *draft.shared)})

    def _is_of_a_block(self, drafts: Sequence[Draft], line: int) -> bool:
        """Whether a line goes on, without a gap, with an order whose parts are named one by one."""
        chunks = self._lines[line][0]
        of = next((d for d in drafts if d.line < line <= d.last_line), None)
        if of is None or chunks[0].kind != "label" or not told_by_labels((of,), chunks):
            return False
        above = [c for c in of.chunks if c.start < chunks[0].start]
        return bool(above) and self._text.count("\n", above[-1].end, chunks[0].start) <= 1

    def _is_level(self, drafts: Sequence[Draft], span: Span) -> bool:
        """Whether a line begins no further right than the last order does: further right it goes on with that order."""

        def indent(at: int) -> int:
            return at - self._text.rfind("\n", 0, at) - 1

        begins = self._text.rfind("\n", 0, drafts[-1].start) + 1
        line = self._text[begins : drafts[-1].end]
        return indent(span.start) <= len(line) - len(line.lstrip(" "))
