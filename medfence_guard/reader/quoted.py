"""What a record quotes of an order word for word: `keep 2 hours away from iron`, `if constipated`, `on the suture line` (P21, P22).

Words that no grammar takes hold an order, since they may change it. Where the record hands them on as they are written, in
`instructions`, as the reason or as the place, nothing of them is lost, and the rest of the order is read without them. A run
of words is set apart so if

- it fills a clause of the order, from a mark or an opener (`with`, `from`, `till`, `then`) to a mark or what is read of itself;
- it has a shape of which nothing ends, holds, doubts or changes the order (`quotable.py`);
- the record quotes it whole, and with it everything else that the same field says.

Whoever owns the order must be the one who quotes: `verify` sees to that once it knows (`Statement.quoting`).
"""

from __future__ import annotations

import re
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
_WORD = re.compile(r"[a-z\u0900-\u097f]+|\d+(?:[.,]\d+)*|[<>=%/+°]")
# Between two letters or figures a hyphen joins, a full stop is a decimal point or of an abbreviation.
_PARTS = re.compile(r"[,;:()\[\]\n•]+|\.(?!\w)|(?<!\w)[-–—]+|[-–—]+(?!\w)")
_PARTING = frozenset(",;:()[].-–—•")
_MOST_RUNS = 50_000  # in one source
_LONGEST_CLAUSE = 40  # in chunks
_LONGEST_LEAD = 3
_MOST_TOLD = 100  # amounts and rates in one order
# Said or left out in a field that is a reason or a place anyway.
_LED = {
    REASON: re.compile(r"^(?:only )?(?:if|when|whenever|for|in case of|in case)\b"),
    SITE: re.compile(r"^(?:all )?(?:on|over|onto|to|at|in|into|around)\b(?: the\b)?"),
}
# Read as a value of its own; a run ends before it.
_READ = frozenset("rate slots duration duration_open when prn weekday stat amount maximum quantity route site".split())


class Quotation(NamedTuple):
    """What one field of one item quotes: its parts between marks, each as words with a space between."""

    item: int
    field: str
    parts: tuple[str, ...]


class Apart(NamedTuple):
    """A draft without what is quoted of it. `quoted`: the chunks set apart; `quoting`: the items that quote them all, and in which field.

    `remarks`: the sentences behind the order that they quote too.
    """

    draft: Draft
    quoted: tuple[Chunk, ...]
    quoting: frozenset[tuple[int, str]]
    remarks: tuple[Span, ...] = ()


def quotation(item: int, field: str, text: str) -> Quotation | None:
    """A field's value as its parts; None of one that says nothing."""
    folded = _LED[field].sub("", fold(text).text.strip()) if field in _LED else fold(text).text
    parts = tuple(words for part in _PARTS.split(folded) if (words := _words(part)))
    return Quotation(item, field, parts) if parts else None


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text))


class Quotations:
    """All that the items of a record quote, found by its words in the source."""

    def __init__(
        self,
        quotations: Iterable[Quotation],
        lexicon: Lexicon,
        folded: FoldedText,
        behind: Mapping[int, Mapping[Span, Sequence[Chunk]]],
    ) -> None:
        """`behind`: by the place of a draft, the sentences right behind it that hold the page."""
        self._all = tuple(quotations)
        self._text = folded.text
        self._behind = behind
        self._by_part: dict[tuple[str, str], list[int]] = {}
        for place, one in enumerate(self._all):
            for part in dict.fromkeys(one.parts):
                self._by_part.setdefault((one.field, part), []).append(place)
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
        for span, chunks in self._behind.get(group, {}).items():
            for place, parts in self._quoting(chunks).items():
                sentences.setdefault(place, []).append(span)
                found.setdefault(place, {}).update(dict.fromkeys(parts, ()))
        regimen = [c for c in draft.chunks if c.kind in ("amount", "slots", "rate")]
        if len(regimen) > _MOST_TOLD:
            return None
        for chunks, lead, marked in self._runs(draft):
            self._left -= 1
            if self._left < 0:
                # Beyond the work budget nothing is set apart any more, and what was not read stays so.
                return None
            words = _words(" ".join(self._surface(c) for c in chunks))
            for field in QUOTING_FIELDS:
                places = self._by_part.get((field, words))
                if places and self._may_stand_apart(regimen, chunks, lead, field, marked=marked):
                    for place in places:
                        found.setdefault(place, {}).setdefault(words, (*lead, *chunks) if field in (REASON, SITE) else chunks)
        told: dict[int, set[Span]] = {}
        of_item: dict[int, set[Chunk]] = {}
        fields: set[tuple[int, str]] = set()
        reasons: dict[int, Sequence[Chunk]] = {}
        for place, runs in found.items():
            item, field, wanted = self._all[place]
            if set(wanted) <= runs.keys():
                fields.add((item, field))
                told.setdefault(item, set()).update(sentences.get(place, ()))
                # What the grammars read of it stays in the order, to be compared.
                of_item.setdefault(item, set()).update(c for run in runs.values() if not unread.isdisjoint(run) for c in run)
                if field == REASON:
                    reasons[item] = runs[wanted[0]]
        if not of_item:
            return None
        most = max(of_item, key=lambda item: (len(of_item[item]) + len(told[item]), -item))
        gone, remarks = of_item[most], told[most]
        if not gone and not remarks:
            return None
        quoting = frozenset((item, field) for item, field in fields if of_item[item] == gone and told[item] == remarks)
        quoted = tuple(sorted(gone, key=lambda c: c.start))
        return Apart(_without(draft, gone, reasons.get(most)), quoted, quoting, tuple(sorted(remarks, key=lambda span: span.start)))

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
            said = self._surface(chunks[first]).split()[0]
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


__all__ = ["QUOTING_FIELDS", "Apart", "Quotation", "Quotations", "quotation"]
