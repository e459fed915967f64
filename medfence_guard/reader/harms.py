"""Medicines that a finding, a history or an allergy names without an order: `Allergy: quinolones`, `Imp: amlodipine oedema`.

- **An allergy to a class** speaks of each order in the class: a table of parts of molecules' names (`remarks.json`: `allergy_classes`).
  An allergy of which is said only that there is one (`Allergies: yes`, `second tablet`) speaks of all of them.
- **A medicine named in a finding** is accounted for where it was taken for a complaint and is over (`took X, no relief`). Else it is
  taken, does harm or is to be changed, and which of these, a person must say (P10, P23).
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence

from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.lexicon import RemarkWords

_WORD = re.compile(r"[a-z0-9\u0900-\u097f][a-z0-9\u0900-\u097f'-]*")
_DENIED = re.compile(r"\b(?:no|not|nil|denies|denied|without|none|never)\b|\bnkd?a\b|\btolerat(?:es|ed|ing)\b")
_TO = re.compile(r"\b(?:allergic|allergy|reacts|reaction) to\b")
_PRESENT = re.compile(r"\b(?:allerg(?:y|ies|ic)|adrs?) ?\(?\+")
_OF_ITS_OWN = re.compile(r"\W*(?:(?:no\.? ?|item |the )?\d{0,2}\W*)?")
_NOTHING = re.compile(r"(?:none|nil)(?: known)?\W*")
# A clause ends at a semicolon, or at a full stop before a space.
_PIECES = re.compile(r"[^;.]+(?:\.(?! |$)[^;.]*)*")


def denies(text: str) -> bool:
    """Whether a word of it says that there is none."""
    return _DENIED.search(text) is not None


class NamedMedicines:
    """The medicines a page names, asked for again and again whether one outside a clause has a part in its molecules' names."""

    def __init__(self, named: Sequence[Chunk]) -> None:
        self._named = named
        self._in_all: dict[str, int] = {}

    @functools.cached_property
    def _places(self) -> tuple[list[int], list[str]]:
        """Where each stands, and its molecules, one a line. Few pages tell of an allergy."""
        named = sorted((c for c in self._named if c.value.name is not None), key=lambda c: c.start)
        molecules = ["\n".join(sorted({m for members in c.value.name.compositions for m in members})) for c in named]
        return [c.start for c in named], molecules

    def outside(self, start: int, end: int, part: str) -> bool:
        """Whether a medicine named before `start` or from `end` on has a molecule with `part` in its name."""
        starts, molecules = self._places
        if part not in self._in_all:
            self._in_all[part] = sum(part in of_one for of_one in molecules)
        inside = molecules[bisect_left(starts, start) : bisect_left(starts, end)]
        return self._in_all[part] > sum(part in of_one for of_one in inside)


def allergies_by_name(text: str, start: int, told: Sequence[Chunk], named: NamedMedicines) -> list[tuple[int, int]]:
    """`Dx: HTN, amlodipine allergy`: the medicines told of beside an allergy, no statement's, that share a substance with an order.

    `text`: the line, and `start` its place.
    """
    out = []
    pieces = list(_PIECES.finditer(text))
    denials = [(m.start() if (m := _DENIED.search(piece.group())) else len(text)) + piece.start() for piece in pieces]
    starts = [piece.start() for piece in pieces]
    for chunk in told:
        name = chunk.value.name
        at = bisect_right(starts, chunk.start - start) - 1
        if name is None or at < 0 or denials[at] < chunk.start - start:
            continue
        substances = {m for members in name.compositions for m in members}
        if any(named.outside(chunk.start, chunk.end, m) for m in sorted(substances)):
            out.append((chunk.start, chunk.end))
    return out


def allergies_to_kin(
    text: str, start: int, told: Sequence[Chunk], *, headed: bool, named: NamedMedicines, words: RemarkWords
) -> list[tuple[int, int]]:
    """`Allergy: ampicillin` beside an order of amoxicillin: the medicines that an allergy is told to be to, and an order of their class.

    `text`: the line, and `start` its place; `told`: the medicines named in it; `headed`: it stands under a heading of allergies.
    """
    out = []
    pieces = list(_PIECES.finditer(text))
    starts = [start + piece.start() for piece in pieces]
    # Up to where a piece tells of an allergy: to a denial, or nowhere.
    reach = [_reach_of_an_allergy(piece, start, words, headed=headed) for piece in pieces]
    for chunk in told:
        at = bisect_right(starts, chunk.start) - 1
        if at < 0 or chunk.value.name is None or chunk.start >= reach[at]:
            continue
        substances = "\n".join(sorted({m for members in chunk.value.name.compositions for m in members}))
        kin = [part for parts in words.allergy_kin if any(p in substances for p in parts) for part in parts]
        if any(named.outside(starts[at], start + pieces[at].end(), part) for part in kin):
            out.append((chunk.start, chunk.end))
    return out


def _reach_of_an_allergy(piece: re.Match[str], start: int, words: RemarkWords, *, headed: bool) -> int:
    if not headed and words.allergy.search(piece.group()) is None:
        return 0
    denied = _DENIED.search(piece.group())
    return start + (piece.end() if denied is None else piece.start() + denied.start())


def allergies_to_an_order(
    text: str, start: int, *, headed: bool, found: bool, named: NamedMedicines, words: RemarkWords
) -> list[tuple[int, int]]:
    """The clauses of a line that tell of an allergy that may be to an order of the page.

    `text`: the line, and `start` its place; `headed`: it stands under a heading of allergies, `found`: of findings; `named`: the
    medicines of the page.
    """
    if found and words.harm.search(text) is not None:
        headed = True
    if not headed and words.allergy.search(text) is None:
        return []
    out = []
    for piece in _PIECES.finditer(text):
        span = (start + piece.start(), start + piece.end())
        if (headed or words.allergy.search(piece.group())) and _may_be_to(piece.group(), functools.partial(named.outside, *span), words):
            out.append(span)
    return out


def _may_be_to(text: str, is_named: Callable[[str], bool], words: RemarkWords) -> bool:
    """Whether an allergy, by the class or the vague word it names, may be to a medicine of which `is_named` tells by a part of its name."""
    denied = _DENIED.search(text)
    said = text[: denied.start()] if denied else text
    to = _TO.search(said)
    if to is not None and _OF_ITS_OWN.fullmatch(said, to.end()) and not (denied is not None and _NOTHING.fullmatch(text, denied.start())):
        # `Allergic to`, `allergic to 1`
        return True
    if _PRESENT.search(said) is not None:
        # `Allergy +`
        return True
    told = _WORD.findall(said, 0 if to is None else to.end())
    for size in (3, 2, 1):
        for at in range(len(told) - size + 1):
            members = words.allergy_classes.get(" ".join(told[at : at + size]), ())
            if any(map(is_named, members)):
                return True
    # `Rash with this`
    stems = {word for stem in words.allergy.findall(said) if " " in stem for word in stem.split()}
    named = {word for word in told if not word.startswith(("allerg", "elerg")) and word not in words.small} - words.allergy_labels - stems
    return denied is None and bool(named or stems) and words.vague_allergies.issuperset(named)


_CLAUSES = re.compile(r"[^;.,\n]+(?:\.(?! |$)[^;.,\n]*)*")
_LONGEST_CLAUSE = 10  # in words
_LONGEST_REFUSAL = 5
_LONGEST_CLASS = 3
_JOINING = frozenset({"and", "or"})


def refused_classes(text: str, start: int, *, named: NamedMedicines, words: RemarkWords) -> list[tuple[int, int]]:
    """`No ARB`, `ARB not needed` beside an order of telmisartan: the clauses of a line that refuse a class, and an order is of it.

    `text`: the line, and `start` its place. `No ARB allergy`, `no antibiotics in the last month` refuse none.
    """
    out = []
    for piece in _CLAUSES.finditer(text):
        said = _WORD.findall(piece.group())
        if len(said) > _LONGEST_CLAUSE:
            continue
        places = [
            (at, at + size, words.allergy_classes[name])
            for size in range(1, _LONGEST_CLASS + 1)
            for at in range(len(said) - size + 1)
            if (name := " ".join(said[at : at + size])) in words.allergy_classes
        ]
        within = {n for first, last, _ in places for n in range(first, last)}
        span = (start + piece.start(), start + piece.end())
        for first, last, members in places:
            # `No ACEi/ARB`, `beta blockers and CCBs avoided`
            while first and (first - 1 in within or said[first - 1] in _JOINING):
                first -= 1
            while last < len(said) and (last in within or said[last] in _JOINING):
                last += 1
            if _are_refused(said[:first], said[last:], words) and any(named.outside(*span, part) for part in members):
                out.append(span)
                break
    return out


def _are_refused(before: Sequence[str], behind: Sequence[str], words: RemarkWords) -> bool:
    closed = not behind or " ".join(behind) in words.classes_refused_close
    sizes = range(1, _LONGEST_REFUSAL + 1)
    if closed and any(" ".join(before[-size:]) in words.classes_refused_before for size in sizes if size <= len(before)):
        return True
    if any(" ".join(behind[:size]) in words.classes_put_off for size in sizes if size <= len(behind)):
        return True
    return " ".join(behind) in words.classes_refused_behind


def is_told_of(body: Sequence[Chunk], spoken: Collection[str], words: RemarkWords) -> bool:
    """Whether a clause of findings names a medicine as one that is taken, harms or is to be changed."""
    named = [c for c in body if c.kind in ("drug", "medicine_class")]
    return bool(named) and words.past_use.isdisjoint(spoken) and words.of_the_body.isdisjoint(spoken)
