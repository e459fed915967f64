"""What a record quotes of an order word for word: `keep 2 hours away from iron`, `if constipated`, `on the suture line` (P21, P22).

Words that no grammar takes hold an order, since they may change it. Where the record hands them on as they are written, in
`instructions`, as the reason or as the place, nothing of them is lost, and the rest of the order is read without them. A run
of words is set apart so if

- it fills a clause of the order, from a mark or an opener (`with`, `from`, `till`, `then`) to a mark or what is read of itself;
- every word of it is known to be no medicine, and none of them ends, holds, refuses or doubts the order;
- it states no part of a regimen, unless it is a further step of the same amount (`then BD x 1 week`) or what was before
  (`increased from 5 mg`);
- the record quotes it whole, and with it everything else that the same field says.

Whoever owns the order must be the one who quotes: `verify` sees to that once it knows (`Statement.quoting`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from medfence_guard.contract import Span
from medfence_guard.reader.assertion import EXCLUDED
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.draft import Draft
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.text import fold

INSTRUCTIONS, TIMING, REASON, SITE = "instructions", "timing", "as_needed_for", "site"
QUOTING_FIELDS = (INSTRUCTIONS, TIMING, REASON, SITE)
_WORD = re.compile(r"[a-z\u0900-\u097f]+|\d+(?:[.,]\d+)*|[<>=%/+°]")
# Between two letters or figures a hyphen joins, a full stop is a decimal point or of an abbreviation.
_PARTS = re.compile(r"[,;:()\[\]\n•]+|\.(?!\w)|(?<!\w)[-–—]+|[-–—]+(?!\w)")
_PARTING = frozenset(",;:()[].-–—•")
_SHORT = 4
_MOST_RUNS = 50_000  # in one source
_LONGEST_CLAUSE = 40  # in chunks

# Where a run may begin inside a clause: words that lead a phrase of their own.
_LEADS = frozenset(
    "with from till until upto during in into via through using by under on over onto to at around all without within once as then "
    "followed after thereafter before but increased decreased reduced start starting repeat apply use keep leave hold".split()
)
_OF_A_STEP = frozenset("then followed after thereafter afterwards repeat".split())
_OF_A_CHANGE = frozenset("increased decreased reduced up down".split())
_CONDITIONS = frozenset({"if", "when", "whenever", "only if", "only when", "in case of", "in case", "sos if", "sos for"})
_PLACES = frozenset({"on", "over", "onto", "to", "at", "in", "into", "around", "all over", "on the", "over the", "to the", "at the"})
_LONGEST_LEAD = 3
# Said or left out in a field that is a reason or a place anyway.
_LED = {
    REASON: re.compile(r"^(?:only )?(?:if|when|whenever|for|in case of|in case)\b"),
    SITE: re.compile(r"^(?:all )?(?:on|over|onto|to|at|in|into|around)\b(?: the\b)?"),
}
# Read as a value of its own; a run ends before it.
_READ = frozenset("rate slots duration duration_open when prn weekday stat amount maximum quantity route site".split())
_REGIMEN = frozenset("amount rate slots percent tuple stat prn weekday maximum quantity refill".split())
_NEVER = frozenset(
    "medicine_class collective instruction_to_model confused unreadable malformed ambiguous item composition heading label "
    "as_directed".split()
)
_APART_FROM = frozenset({"from", "before", "after", "than"})
_JOINING = frozenset("with and or plus add also take give start use apply then to of by + & /".split())
_OF_HOURS = frozenset({"h", "min", "s"})
_DOUBTS = frozenset({"question", "refused", "ambiguous", "administered", "switch_from", "switch_to"})
_NEGATIONS = frozenset("no not never without nahi mat नहीं मत".split())
_MEASURES = frozenset("inch inches cm mm sec secs second seconds min mins minute minutes ft degree degrees c f".split())


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
    """All that the items of a record quote, found by its words."""

    def __init__(self, quotations: Iterable[Quotation], lexicon: Lexicon, written: str) -> None:
        """`written`: the source as it is written; what the chunks point into is folded."""
        self._all = tuple(quotations)
        self._written = written
        self._capitals = any(c.isupper() for c in written) and any(c.islower() for c in written)
        self._by_part: dict[tuple[str, str], list[int]] = {}
        for place, one in enumerate(self._all):
            for part in dict.fromkeys(one.parts):
                self._by_part.setdefault((one.field, part), []).append(place)
        self._lexicon = lexicon
        self._left = _MOST_RUNS

    def __bool__(self) -> bool:
        return bool(self._all)

    def set_apart(
        self,
        draft: Draft,
        surface: Callable[[Chunk], str],
        text: str,
        unread: Collection[Chunk],
        behind: Mapping[Span, Sequence[Chunk]],
    ) -> Apart | None:
        """The draft without what one item quotes of it.

        `unread`: the chunks of it that no rule took, or that make a step or a doubt; `behind`: the sentences right behind it that hold
        the page, with their chunks.
        """
        found: dict[int, dict[str, Sequence[Chunk]]] = {}
        sentences: dict[int, list[Span]] = {}
        for span, chunks in behind.items():
            for place, parts in self._quoting(chunks, surface).items():
                sentences.setdefault(place, []).append(span)
                found.setdefault(place, {}).update(dict.fromkeys(parts, ()))
        for run, lead in _runs(draft, surface, text):
            self._left -= 1
            if self._left < 0:
                # Beyond the work budget nothing is set apart any more, and what was not read stays so.
                return None
            words = _words(" ".join(surface(c) for c in run))
            for field in QUOTING_FIELDS:
                places = self._by_part.get((field, words))
                if places and self._may_stand_apart(run, lead, field, surface):
                    for place in places:
                        found.setdefault(place, {}).setdefault(words, (*lead, *run) if field in (REASON, SITE) else run)
        told: dict[int, set[Span]] = {}
        of_item: dict[int, set[Chunk]] = {}
        fields: set[tuple[int, str]] = set()
        reasons: dict[int, Sequence[Chunk]] = {}
        for place, runs in found.items():
            item, field, wanted = self._all[place]
            if set(wanted) <= runs.keys():
                fields.add((item, field))
                told.setdefault(item, set()).update(sentences.get(place, ()))
                of_item.setdefault(item, set()).update(c for run in runs.values() for c in run)
                if field == REASON:
                    reasons[item] = runs[wanted[0]]
        if not of_item:
            return None
        most = max(of_item, key=lambda item: (len(of_item[item]) + len(told[item]), -item))
        gone, remarks = of_item[most], told[most]
        if gone.isdisjoint(unread) and not remarks:
            return None
        quoting = frozenset((item, field) for item, field in fields if of_item[item] == gone and told[item] == remarks)
        quoted = tuple(sorted(gone, key=lambda c: c.start))
        return Apart(_without(draft, gone, reasons.get(most)), quoted, quoting, tuple(sorted(remarks, key=lambda span: span.start)))

    def _quoting(self, chunks: Sequence[Chunk], surface: Callable[[Chunk], str]) -> dict[int, list[str]]:
        """The quotations that hold a whole sentence, each with the words of its parts."""
        parts: list[list[Chunk]] = [[]]
        for place, chunk in enumerate(chunks):
            if _parts(chunks, place):
                parts.append([])
            else:
                parts[-1].append(chunk)
        holding: dict[int, list[str]] | None = None
        for part in filter(None, parts):
            words = _words(" ".join(surface(c) for c in part))
            if len(part) > _LONGEST_CLAUSE or not self._may_stand_apart(part, _AT_A_MARK, INSTRUCTIONS, surface):
                return {}
            places = self._by_part.get((INSTRUCTIONS, words), ())
            if holding is None:
                holding = {place: [words] for place in places}
            else:
                holding = {place: [*held, words] for place, held in holding.items() if place in places}
        return holding or {}

    def _may_stand_apart(self, run: Sequence[Chunk], lead: Sequence[Chunk], field: str, surface: Callable[[Chunk], str]) -> bool:
        first = surface(run[0]).split()[0]
        kinds = {c.kind for c in run}
        if not kinds.isdisjoint(_NEVER) or not all(self._names_nothing(run, place, surface) for place in range(len(run))):
            return False
        step, change = first in _OF_A_STEP, first in _OF_A_CHANGE
        for place, chunk in enumerate(run):
            if chunk.kind == "cue":
                cue_class = chunk.value[0]
                ends_a_step = step and cue_class == "stopped" and chunk is run[-1]
                kept = surface(chunk) == "hold" and place + 2 < len(run) and surface(run[place + 2]) in _MEASURES
                even = surface(chunk) == "even if"
                if cue_class in _DOUBTS or (cue_class in EXCLUDED and not (ends_a_step or kept or even)):
                    return False
                if cue_class in ("increase", "decrease") and not (change and chunk is run[0]):
                    return False
        if field == SITE:
            return kinds <= {"word", "site", "indication", "indication_part", "inert", "route", "number"} and "number" not in kinds
        if field == REASON:
            opened = " ".join(surface(c) for c in lead) in _CONDITIONS or (len(lead) == 1 and lead[0].kind == "prn")
            return opened and not kinds & _REGIMEN and "then" not in kinds
        words = sum(len(surface(c).split()) for c in run)
        regimen = not kinds.isdisjoint(_REGIMEN) or any(c.kind == "duration" and c.value[2] not in _OF_HOURS for c in run)
        if step and "amount" in kinds:
            # `then 20 mg OD`: another strength is an item of its own.
            return False
        single = lead_is_mark(lead) and first.endswith("ed") and len(first) > _SHORT
        return (words > 1 or single) and (not regimen or step or change) and not (first in _NEGATIONS and not lead_is_mark(lead))

    def _names_nothing(self, run: Sequence[Chunk], place: int, surface: Callable[[Chunk], str]) -> bool:
        """Whether no chunk is, or may be, the name of a medicine that is given: `from iron` is none."""
        chunk = run[place]
        before = surface(run[place - 1]).split()[-1] if place else ""
        if chunk.kind == "drug":
            return before in _APART_FROM
        if chunk.kind != "word":
            return True
        return (
            all(self._is_known(word) for word in surface(chunk).split())
            or (
                # An unlisted word in small letters, where no medicine would stand.
                self._capitals and self._written[chunk.start : chunk.end].islower() and before not in _JOINING and len(surface(chunk)) > 2
            )
            or (
                surface(chunk) in ("d", "t")
                and run[place + 1 : place + 2] != []
                and (run[place + 1].kind == "number" or run[place + 1].value in ("<", ">"))
            )
        )

    def _is_known(self, word: str) -> bool:
        plain, remarks = self._lexicon.plain, self._lexicon.remarks
        return (
            plain.group(word) is not None
            or word in plain.small
            or word in plain.time_words
            or word in plain.in_conditions
            or word in remarks.ordinary
            or word in remarks.small
            or word in _MEASURES
            or word in _LEADS
            or word in self._lexicon.number_words
        )


_AT_A_MARK = (Chunk("mark", ".", 0, 0, 0, 0),)


def lead_is_mark(lead: Sequence[Chunk]) -> bool:
    """Whether a run fills its clause from a mark on."""
    return len(lead) == 1 and lead[0].kind == "mark"


def _runs(draft: Draft, surface: Callable[[Chunk], str], text: str) -> Iterator[tuple[Sequence[Chunk], Sequence[Chunk]]]:
    """Every run of a draft that may be quoted, and what leads it: the mark before it, or the words that open a reason or a place."""
    chunks = draft.chunks
    start = draft.anchor + 1
    while start < len(chunks):
        if _parts(chunks, start):
            start += 1
            continue
        end = start
        while end < len(chunks) and not _parts(chunks, end) and not (end > start and "\n" in text[chunks[end - 1].end : chunks[end].start]):
            end += 1
        if end - start <= _LONGEST_CLAUSE:
            yield from _runs_of(chunks, start, end, surface, text)
        start = end


def _parts(chunks: Sequence[Chunk], place: int) -> bool:
    return chunks[place].kind == "mark" and chunks[place].value in _PARTING


def _runs_of(
    chunks: Sequence[Chunk], start: int, end: int, surface: Callable[[Chunk], str], text: str
) -> Iterator[tuple[Sequence[Chunk], Sequence[Chunk]]]:
    ends = [end, *(n for n in range(start + 1, end) if chunks[n].kind in _READ)]
    for first in range(start, end):
        leads: list[Sequence[Chunk]] = []
        if first == start:
            marked = start > 0 and (_parts(chunks, start - 1) or "\n" in text[chunks[start - 1].end : chunks[start].start])
            leads += [chunks[start - 1 : start]] if marked and _parts(chunks, start - 1) else [()] if marked else []
        elif surface(chunks[first]).split()[0] in _LEADS or chunks[first].kind in ("then", "when"):
            leads.append(())
        for size in range(1, min(_LONGEST_LEAD, first - start) + 1):
            led = chunks[first - size : first]
            if " ".join(surface(c) for c in led) in _CONDITIONS | _PLACES or (size == 1 and led[0].kind == "prn"):
                leads.append(led)
        for lead in leads:
            for last in ends:
                if last > first:
                    yield chunks[first:last], lead


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
