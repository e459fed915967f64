"""What a record quotes of an order word for word: `keep 2 hours away from iron`, `if constipated`, `on the suture line` (P21, P22).

Words that no grammar takes hold an order, since they may change it. Where the record hands them on as they are written, in
`instructions`, as the reason or as the place, nothing of them is lost, and the rest of the order is read without them. A run
of words is set apart so if

- it fills a clause of the order, from a mark or an opener (`with`, `from`, `till`, `then`) to a mark or what is read of itself;
- it has a shape of which nothing ends, holds, doubts or changes the order (`quotable.py`);
- the record quotes it whole, and with it everything else that the same field says, in the same order;
- it can be of no other order: words that several orders on a line share, or that stand on a line of their own between or below several
  orders, are quoted for none, unless they are in brackets, set in, or the orders are numbered;
- behind a further step nothing is left, since that would be of the step: `then BD, after food`.

Whoever owns the order must be the one who quotes: `verify` sees to that once it knows (`Statement.quoting`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import NamedTuple

from medfence_guard.contract import Span
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.draft import Draft
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.quotable import Quotable, Run, run_of
from medfence_guard.reader.text import FoldedText, fold

INSTRUCTIONS, TIMING, REASON, SITE = "instructions", "timing", "as_needed_for", "site"
QUOTING_FIELDS = (INSTRUCTIONS, TIMING, REASON, SITE)
# Every sign but a mark of the sentence counts: `if BP ≥ 140` is not `if BP ≤ 140`, and what was struck with `~~` is struck.
_WORD = re.compile(r"[a-z\u0900-\u097f]+|\d+(?:[.,]\d+)*|(?<=\d)[-–—](?=\d)|[^\s.,;:()\[\]'\"’•–—-]")
# Between two letters or figures a hyphen joins, a full stop is a decimal point or of an abbreviation.
_PARTS = re.compile(r"[,;:()\[\]\n•]+|\.(?!\w)|(?<!\w)[-–—]+|[-–—]+(?!\w)")
_PARTING = frozenset(",;:()[].-–—•")
_MOST_RUNS = 50_000  # in one source
_LONGEST_CLAUSE = 40  # in chunks
_LONGEST_LEAD = 3
_WIDEST_INDENT = 80
_MOST_TOLD = 100  # amounts and rates in one order
# Said or left out in a field that is a reason or a place anyway.
_LED = {
    REASON: re.compile(r"^(?:only )?(?:if|when|whenever|for|in case of|in case)\b"),
    SITE: re.compile(r"^(?:all )?(?:on|over|onto|to|at|in|into|around)\b(?: the\b)?"),
}
# Read as a value of its own; a run ends before it.
_READ = frozenset("rate slots duration duration_open when prn weekday stat amount maximum quantity route site".split())


class Quoting(NamedTuple):
    """A field of an item, and its text: two keys may be of one field, `notes` and `instructions`."""

    item: int
    field: str
    text: str


class Quotation(NamedTuple):
    """What one field of one item quotes: its parts between marks, each as words with a space between."""

    of: Quoting
    parts: tuple[str, ...]


class Apart(NamedTuple):
    """A draft without what is quoted of it. `quoted`: the chunks set apart; `quoting`: the items that quote them all, and in which field.

    `remarks`: the sentences behind the order that they quote too.
    """

    draft: Draft
    quoted: tuple[Chunk, ...]
    quoting: frozenset[Quoting]
    remarks: tuple[Span, ...] = ()


def quotation(item: int, field: str, text: str) -> Quotation | None:
    """A field's value as its parts; None of one that says nothing."""
    folded = _LED[field].sub("", fold(text).text.strip()) if field in _LED else fold(text).text
    parts = tuple(words for part in _PARTS.split(folded) if (words := _words(part)))
    return Quotation(Quoting(item, field, text), parts) if parts else None


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text))


class Quotations:
    """All that the items of a record quote, found by its words in the source."""

    def __init__(
        self,
        quotations: Iterable[Quotation],
        lexicon: Lexicon,
        folded: FoldedText,
        drafts: Sequence[Draft],
        behind: Mapping[int, Mapping[Span, Sequence[Chunk]]],
    ) -> None:
        """`behind`: by the place of a draft, the sentences right behind it that hold the page."""
        self._all = tuple(quotations)
        self._text = folded.text
        self._behind = behind
        self._anchors = sorted(draft.chunks[draft.anchor].start for draft in drafts)
        self._line_ends = [found.start() for found in re.finditer("\n", folded.text)]
        self._by_part: dict[tuple[str, str], list[int]] = {}
        for place, one in enumerate(self._all):
            for part in dict.fromkeys(one.parts):
                self._by_part.setdefault((one.of.field, part), []).append(place)
        self._words = lexicon.quoted
        self._quotable = Quotable(lexicon)
        self._left = _MOST_RUNS

    def may_be_of(self, group: int, unread: AbstractSet[Chunk]) -> bool:
        """Whether anything of a draft, or behind it, is left to be quoted. `group`: its place."""
        return bool(unread or self._behind.get(group))

    def set_apart(self, draft: Draft, group: int, unread: AbstractSet[Chunk]) -> Apart | None:
        """The draft without what one item quotes of it. `unread`: its chunks that no rule took, or that make a step or a doubt."""
        found: dict[int, dict[str, Sequence[Chunk]]] = {}
        sentences: dict[int, list[Span]] = {}
        begins: dict[int, dict[str, int]] = {}
        for span, chunks in self._behind.get(group, {}).items():
            if not self._is_its_own(draft, span.start, span.end):
                continue
            for place, parts in self._quoting(chunks).items():
                sentences.setdefault(place, []).append(span)
                found.setdefault(place, {}).update(dict.fromkeys(parts, ()))
                begins.setdefault(place, {}).update(dict.fromkeys(parts, span.start))
        regimen = [c for c in draft.chunks if c.kind in ("amount", "slots", "rate")]
        if len(regimen) > _MOST_TOLD:
            return None
        bracketed = _in_brackets(draft)
        for chunks, lead, marked in self._runs(draft):
            self._left -= 1
            if self._left < 0:
                # Beyond the work budget nothing is set apart any more, and what was not read stays so.
                return None
            words = _words(" ".join(self._surface(c) for c in chunks))
            own = chunks[0] in bracketed or self._is_its_own(draft, chunks[0].start, chunks[-1].end)
            for field in QUOTING_FIELDS if own else ():
                places = self._by_part.get((field, words))
                if places and self._may_stand_apart(regimen, chunks, lead, field, marked=marked):
                    for place in places:
                        found.setdefault(place, {}).setdefault(words, (*lead, *chunks) if field in (REASON, SITE) else chunks)
                        begins.setdefault(place, {}).setdefault(words, chunks[0].start)
        told: dict[int, set[Span]] = {}
        of_item: dict[int, set[Chunk]] = {}
        fields: set[Quoting] = set()
        reasons: dict[int, Sequence[Chunk]] = {}
        for place, runs in found.items():
            of, wanted = self._all[place]
            item = of.item
            at = [begins[place].get(part, -1) for part in wanted]
            if set(wanted) <= runs.keys() and at == sorted(at):
                # What the grammars read of it stays in the order, to be compared.
                taken = {c for run in runs.values() if not unread.isdisjoint(run) for c in run}
                told_behind = sentences.get(place, ())
                if not taken and not told_behind:
                    continue
                fields.add(of)
                told.setdefault(item, set()).update(told_behind)
                of_item.setdefault(item, set()).update(taken)
                if of.field == REASON:
                    reasons[item] = runs[wanted[0]]
        if not of_item:
            return None
        most = max(of_item, key=lambda item: (len(of_item[item]) + len(told[item]), -item))
        gone, remarks = of_item[most], told[most]
        beginnings = {c for c in gone if " ".join(self._surface(c).split()) in self._words.beginnings}
        if (not gone and not remarks) or _leaves_a_rest(draft, gone, reasons.get(most), beginnings):
            return None
        quoting = frozenset(of for of in fields if of_item[of.item] == gone and told[of.item] == remarks)
        quoted = tuple(sorted(gone, key=lambda c: c.start))
        return Apart(_without(draft, gone, reasons.get(most)), quoted, quoting, tuple(sorted(remarks, key=lambda span: span.start)))

    def _is_its_own(self, draft: Draft, start: int, end: int) -> bool:
        """Whether what stands there can be of no other order: on a line with this one alone, or below it where its lines are told apart."""
        if len(self._anchors) == 1:
            return True
        first, last = self._line(start, end)
        on_line = bisect_left(self._anchors, last) - bisect_left(self._anchors, first)
        anchor = draft.chunks[draft.anchor].start
        if first <= anchor < last:
            return on_line == 1
        if on_line or self._text[end:last].strip().startswith(":"):
            return False
        order_first, order_last = self._line(anchor, anchor)
        if self._indent(first, last) > self._indent(order_first, order_last):
            return True
        return draft.numbered is not None and ":" not in self._text[first:start]

    def _line(self, start: int, end: int) -> tuple[int, int]:
        before, behind = bisect_left(self._line_ends, start), bisect_left(self._line_ends, end)
        return (
            self._line_ends[before - 1] + 1 if before else 0,
            self._line_ends[behind] if behind < len(self._line_ends) else len(self._text),
        )

    def _indent(self, first: int, last: int) -> int:
        line = self._text[first : min(last, first + _WIDEST_INDENT)]
        return len(line) - len(line.lstrip())

    def _surface(self, chunk: Chunk) -> str:
        return self._text[chunk.start : chunk.end]

    def _run(self, chunks: Sequence[Chunk], *, marked: bool, told: Sequence[Chunk] = ()) -> Run:
        return run_of(chunks, self._surface, marked=marked, told=told)

    def _quoting(self, chunks: Sequence[Chunk]) -> dict[int, list[str]]:
        """The quotations that hold a whole sentence, each with the words of its parts."""
        parts: list[list[Chunk]] = [[]]
        for place, chunk in enumerate(chunks):
            if _parts(chunks, place):
                parts.append([])
            else:
                parts[-1].append(chunk)
        holding: dict[int, list[str]] | None = None
        for part in filter(None, parts):
            words = _words(" ".join(self._surface(c) for c in part))
            if len(part) > _LONGEST_CLAUSE or not self._quotable.instruction(self._run(part, marked=True)):
                return {}
            places = self._by_part.get((INSTRUCTIONS, words), ())
            if holding is None:
                holding = {place: [words] for place in places}
            else:
                holding = {place: [*held, words] for place, held in holding.items() if place in places}
        return holding or {}

    def _may_stand_apart(
        self, regimen: Sequence[Chunk], chunks: Sequence[Chunk], lead: Sequence[Chunk], field: str, *, marked: bool
    ) -> bool:
        run = self._run(chunks, marked=marked, told=[c for c in regimen if c.end <= chunks[0].start or c.start >= chunks[-1].end])
        if field == INSTRUCTIONS:
            return self._quotable.instruction(run)
        if field == TIMING:
            return self._quotable.time(run)
        if field == SITE:
            return self._quotable.place(run)
        led = " ".join(self._surface(c) for c in lead)
        return self._quotable.reason(run, led, as_needed=len(lead) == 1 and lead[0].kind == "prn")

    def _runs(self, draft: Draft) -> Iterator[tuple[Sequence[Chunk], Sequence[Chunk], bool]]:
        """Every run of a draft that may be quoted, the words that open it as a reason or a place, and whether a mark or a line does."""
        chunks = draft.chunks
        start = draft.anchor + 1
        while start < len(chunks):
            if _parts(chunks, start):
                start += 1
                continue
            end = start
            while end < len(chunks) and not _parts(chunks, end) and not (end > start and self._breaks(chunks, end)):
                end += 1
            if end - start <= _LONGEST_CLAUSE:
                yield from self._runs_of(chunks, start, end)
            start = end

    def _breaks(self, chunks: Sequence[Chunk], place: int) -> bool:
        """Whether a new line begins there."""
        return "\n" in self._text[chunks[place - 1].end : chunks[place].start]

    def _runs_of(self, chunks: Sequence[Chunk], start: int, end: int) -> Iterator[tuple[Sequence[Chunk], Sequence[Chunk], bool]]:
        words = self._words
        ends = [end, *(n for n in range(start + 1, end) if chunks[n].kind in _READ)]
        for first in range(start, end):
            openings: list[tuple[Sequence[Chunk], bool]] = []
            said = self._surface(chunks[first]).partition(" ")[0]
            if first == start:
                if start > 0 and (_parts(chunks, start - 1) or self._breaks(chunks, start)):
                    openings.append(((), True))
            elif (
                said in words.leads
                or chunks[first].kind in ("then", "when")
                or (said in words.handling and chunks[first - 1].kind in _READ)
                or said in words.of_a_change
            ):
                openings.append(((), False))
            for size in range(1, min(_LONGEST_LEAD, first - start) + 1):
                led = chunks[first - size : first]
                opener = " ".join(self._surface(c) for c in led)
                if opener in words.conditions or opener in words.places or (size == 1 and led[0].kind == "prn"):
                    openings.append((led, False))
            for lead, marked in openings:
                for last in ends:
                    if last > first:
                        yield chunks[first:last], lead, marked


def _parts(chunks: Sequence[Chunk], place: int) -> bool:
    return chunks[place].kind == "mark" and chunks[place].value in _PARTING


def _in_brackets(draft: Draft) -> frozenset[Chunk]:
    inside: list[Chunk] = []
    depth = 0
    for chunk in draft.chunks:
        if chunk.kind == "mark" and chunk.value in ("(", "["):
            depth += 1
        elif chunk.kind == "mark" and chunk.value in (")", "]"):
            depth = max(depth - 1, 0)
        elif depth:
            inside.append(chunk)
    return frozenset(inside)


def _leaves_a_rest(draft: Draft, gone: Collection[Chunk], reason: Sequence[Chunk] | None, beginnings: Collection[Chunk]) -> bool:
    """Whether something is left of a step that goes: what stands behind it would be read as the order's.

    `beginnings`: the chunks that say from when on. Behind them a length may stand: `from tomorrow, 7 days`, not `from tomorrow BD`.
    """
    begun = min((c.start for c in gone if c in beginnings), default=None)
    if begun is not None and any(c.start > begun and c not in gone and c.kind not in ("mark", "duration") for c in draft.chunks):
        return True
    step = min((c.start for c in gone if c.kind == "then" and c not in beginnings), default=None)
    if step is None:
        return False
    left = any(c.start > step and c not in gone and c.kind != "mark" for c in draft.chunks)
    # `OD, if fever, then BD`: the condition is the step's too.
    conditional = any(c.kind == "cue" and c.value[0] == "conditional" and c not in gone for c in draft.chunks)
    return left or conditional or reason is not None


def _without(draft: Draft, gone: Collection[Chunk], reason: Sequence[Chunk] | None) -> Draft:
    """The draft without some of its chunks; where a reason stood, it is needed as such."""
    kept: list[Chunk] = []
    for chunk in draft.chunks:
        if chunk not in gone:
            kept.append(chunk)
        elif reason is not None and chunk is reason[0]:
            kept.append(chunk._replace(kind="prn", value=True, end=reason[-1].end, last=reason[-1].last, meanings=()))
    loose = [c for c in draft.loose if c not in gone]
    return replace(draft, chunks=kept, loose=loose, as_plain=0)


__all__ = ["QUOTING_FIELDS", "Apart", "Quotation", "Quotations", "Quoting", "quotation"]
