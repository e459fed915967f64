"""A statement as it is cut from the page, before its words are given their roles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from medfence_guard.contract import Span
from medfence_guard.reader.chunks import Chunk

# Chunks that say something about taking a medicine: a line or sentence beginning with one continues the statement before it.
SIG_KINDS = frozenset(
    "amount number range tuple slots rate when weekday prn as_directed stat duration duration_open then unsupported maximum quantity "
    "refill route site confused malformed ambiguous composition indication_part indication inert code".split()
)
TIMING_KINDS = frozenset("slots rate when prn stat as_directed weekday ambiguous confused unsupported".split())
_LONGEST_BRACKET = 200  # in chunks
JOINTS = frozenset({"+", "/", "&", "and", "with", "-"})


@dataclass(slots=True)
class _SoFar:
    """How many chunks of a draft were looked at, how many brackets they leave open, and their kinds."""

    count: int = 0
    depth: int = 0
    kinds: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Draft:
    """A statement as cut: its chunks, the words before it in its clause, and the section it stands in.

    `as_plain`: how many chunks it had as a `plain_order`; 0 if it was none.
    """

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
    as_plain: int = 0
    _told: _SoFar = field(default_factory=_SoFar, repr=False, compare=False)

    @property
    def start(self) -> int:
        return min([c.start for c in self.chunks])

    @property
    def end(self) -> int:
        return max([c.end for c in self.chunks])

    @property
    def is_plain(self) -> bool:
        """Whether it is a `plain_order`, and nothing was added to it."""
        return self.as_plain == len(self.chunks) and not self.context and not self.shared

    @property
    def in_brackets(self) -> bool:
        """Whether a bracket is open at the end of what was read."""
        return self._so_far().depth > 0

    @property
    def is_timed(self) -> bool:
        """Whether it says when or how often."""
        return not self._so_far().kinds.isdisjoint(TIMING_KINDS)

    def holds(self, kind: str) -> bool:
        """Whether a chunk of this kind was read."""
        return kind in self._so_far().kinds

    def _so_far(self) -> _SoFar:
        """What was read, counted on from where it was asked for last: it is asked at every comma and name of a line."""
        if self._told.count > len(self.chunks):
            self._told = _SoFar()
        told = self._told
        for c in self.chunks[told.count :]:
            told.kinds.add(c.kind)
            if c.kind == "mark":
                told.depth += (c.value in ("(", "[")) - (c.value in (")", "]"))
        told.count = len(self.chunks)
        return told

    def bracket_content(self, chunks: Sequence[Chunk], place: int) -> list[Chunk]:
        """What stands in the bracket open at the end of this draft, which goes on at `place` of a line, no further than it matters."""
        inside: list[Chunk] = []
        for c in reversed(self.chunks[-_LONGEST_BRACKET:]):
            if c.kind == "mark" and c.value in ("(", "["):
                break
            inside.append(c)
        for c in chunks[place : place + _LONGEST_BRACKET]:
            if c.kind == "mark" and c.value in (")", "]"):
                break
            inside.append(c)
        return inside


class TakenSoFar:
    """Whether the page has told of what the patient takes, counted on from where it was asked for last."""

    __slots__ = ("_count", "_listed", "_taken")

    def __init__(self) -> None:
        self._count = 0
        self._listed = self._taken = False

    def listed(self, drafts: Sequence[Draft]) -> bool:
        """Whether a statement stands in a list of what is taken. `drafts`: all that are closed, in order."""
        for draft in drafts[self._count :]:
            self._listed = self._listed or draft.section_status == "reported"
            self._taken = self._taken or _is_taken(draft)
        self._count = len(drafts)
        return self._listed

    def reported(self, drafts: Sequence[Draft], unclosed: Draft | None) -> bool:
        """Whether one stands there, or says that it is taken."""
        return self.listed(drafts) or self._taken or (unclosed is not None and _is_taken(unclosed))


def _is_taken(draft: Draft) -> bool:
    return any(c.kind == "cue" and c.value[0] in ("taking", "continue") for c in (*draft.context, *draft.chunks))


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
