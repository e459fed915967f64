"""A page while it is cut: what is known of it, what was found, and where in it the reading is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from medfence_guard.contract import Span
from medfence_guard.reader.chunks import Chunk, extent_in_order
from medfence_guard.reader.draft import Draft, Segmented, TakenSoFar
from medfence_guard.reader.lexicon import AsideClass, Lexicon


@dataclass(slots=True)
class Sheet:
    """One page while its lines are read, from the first to the last.

    `spoken`: the runs of letters that can be read in it, None if its words were cut into pieces; `in_order`: the words of a line stand
    in the text as they stand in the line.
    """

    # What is known of the page before its lines are read.
    text: str
    lexicon: Lexicon
    spoken: frozenset[str] | None
    in_order: bool
    asides: Sequence[AsideClass]
    marked_for_a_model: bool
    # Of each line but the last: whether a medicine or a form stands on the next.
    followed: Sequence[bool]
    # Of each line: whether the next one begins with a medicine or a form, behind its number.
    begun: Sequence[bool]
    # Line -> the columns that it is the head of; line -> the number of its row or entry.
    heads: Mapping[int, tuple[str, ...]]
    serials: Mapping[int, int]
    # Marks before a line that tell it apart from its neighbours.
    signs: frozenset[str]
    # Whether the page goes by `S:`, `O:`, `A:`, `P:`.
    soap: bool
    # The letters and Roman numbers of list entries that lines begin with.
    list_letters: frozenset[str]

    # What was found.
    out: Segmented = field(default_factory=Segmented)
    told_asides: list[tuple[int, int]] = field(default_factory=list)
    so_far: TakenSoFar = field(default_factory=TakenSoFar)
    list_heads: dict[str, int] = field(default_factory=dict)
    voided: bool = False
    signed: bool = False
    # A status alone on its line, and how many statements stood above it.
    ends_with: tuple[Span, int] | None = None

    # Where the reading is: the statement that is open, the clause before the next one, and what both stand under.
    line: int = 0
    open: Draft | None = None
    context: list[Chunk] = field(default_factory=list)
    section: tuple[str, str] = ("", "unknown")
    # The section that holds again below this line.
    after_line: tuple[str, str] | None = None
    columns: tuple[str, ...] = ()
    unknown_heading: bool = False
    # The line of the heading that put the orders below it at another time, place or person.
    elsewhere_line: int = -2
    # The line of the heading by which the orders below it are taken only if needed.
    needed_line: int = -2
    # Where the page first says that a treatment was given today; None until it is asked for.
    treated_at: int | None = None
    # Where it first heads what stands now; None until it is asked for.
    current_at: int | None = None
    # A line, and what was said on it of the order to come.
    ahead: tuple[int, list[Chunk]] = (-2, [])
    # Whether those are all that the line said.
    ahead_alone: bool = False
    after_visit: bool = False

    # Of the line: the cue of its clause, whether nothing is read up to the end of the sentence, and whether a sentence has ended.
    clause_cue: Chunk | None = None
    muted: bool = False
    broke: bool = False
    # Whether it tells a machine what to do, is marked apart, or has a bullet.
    injected: bool = False
    ticked: bool = False
    bulleted: bool = False
    # How many asides it has, and whether anything else.
    asides_passed: int = 0
    told: bool = False
    # Whether it names a test, its last chunk that can be said of a medicine, its last word `below`, whether it speaks of the rest.
    is_tested: bool = False
    last_dosed: int = -1
    last_below: int = -1
    names_rest: bool = False

    def surface(self, chunk: Chunk) -> str:
        return self.text[chunk.start : chunk.end]

    def line_text(self, chunks: Sequence[Chunk]) -> str:
        """The text of chunks of one line, with all that stands between them."""
        return self.text[slice(*extent_in_order(chunks, in_order=self.in_order))]

    def may_say(self, words: frozenset[str]) -> bool:
        """Whether the page may hold any of these words; a pattern that needs one is not tried otherwise."""
        return self.spoken is None or not words.isdisjoint(self.spoken)

    def begin_line(self) -> None:
        """Forget what was of the line before."""
        self.muted = False
        self.asides_passed = 0
        self.told = False
        self.broke = False
        self.after_visit = False
        self.context = []
        self.clause_cue = None

    def stand_elsewhere(self) -> None:
        """The heading on this line leaves open whether the orders below it stand."""
        self.unknown_heading, self.elsewhere_line = True, self.line

    def leave_ahead(self) -> None:
        """A heading stands between what was said of the order to come and that order: `Hold`, and right below it `P: Tab X`."""
        line, said = self.ahead
        self.ahead = (-2, [])
        if said and self.line - line <= 1 and self.ahead_alone:
            self.out.remarks.append(Span(said[0].start, said[-1].end))

    def close(self) -> None:
        """The open statement ends here."""
        if self.open is not None:
            self.out.drafts.append(self.open)
            self.open = None
