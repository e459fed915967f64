"""Read a source once: fold, lex, lay out, chunk, segment, assign roles, judge assertions.

With word boxes the visual lines decide which words stand together; without them the newline does, and text that looks
like two interleaved columns is reported instead of guessed (P18).
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from medfence_guard.bundle import Name
from medfence_guard.contract import SourceDocument, Span
from medfence_guard.reader.chunks import Chunk, Chunker, split_glued
from medfence_guard.reader.draft import Segmented
from medfence_guard.reader.layout import VisualLine, interleaved_columns_suspected, visual_lines
from medfence_guard.reader.lexer import ITEM, NEWLINE, NUMBER, Token, lex
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.lines import COLUMN_BREAK, split_lines
from medfence_guard.reader.misread import Misread
from medfence_guard.reader.quoted import Quotation, Quotations
from medfence_guard.reader.roles.reader import RoleReader
from medfence_guard.reader.sayings import (
    goes_on_behind_what_ends,
    heads_what_follows,
    led_by_a_stranger,
    refused_with_another,
    unticked,
)
from medfence_guard.reader.segment.page import cut
from medfence_guard.reader.shared import Placed
from medfence_guard.reader.statement import Statement, StatementReader
from medfence_guard.reader.text import FoldedText, fold
from medfence_guard.reader.told import Line


@dataclass(frozen=True, slots=True)
class SourceReading:
    """Everything read from one source. Spans are offsets into the original text."""

    folded: FoldedText
    statements: tuple[Statement, ...]
    collectives: tuple[Chunk, ...]
    unread: tuple[Span, ...]
    remarks: tuple[Span, ...]
    interleaved: tuple[Span, ...]
    several_persons: tuple[Chunk, ...]
    prescriptions: int
    patients: int
    missing_numbers: bool
    discharge: bool
    tokens: int
    groups: Mapping[int, tuple[Statement, ...]]
    excluded: tuple[Statement, ...]

    def surface(self, chunk: Chunk) -> str:
        return self.folded.text[chunk.start : chunk.end]


def _in_visual_order(tokens: Sequence[Token], lines: Sequence[VisualLine]) -> list[Token]:
    """Tokens line by line as the page shows them; a token of no word keeps to the word before it."""
    starts: list[int] = []
    rank: list[tuple[int, int]] = []
    for number, line in enumerate(lines):
        for position, span in enumerate(line.spans):
            starts.append(span.start)
            rank.append((number, position))
    order = sorted(range(len(starts)), key=starts.__getitem__)
    starts = [starts[i] for i in order]
    rank = [rank[i] for i in order]
    placed: list[tuple[int, int, int, Token]] = []
    for token in tokens:
        if token.kind == NEWLINE:
            continue
        at = max(bisect_right(starts, token.start) - 1, 0)
        placed.append((*rank[at], token.start, token))
    placed.sort(key=lambda entry: entry[:3])
    out: list[Token] = []
    line_number = -1
    for number, _, start, token in placed:
        if number != line_number:
            if out:
                same = (lines[number].page, lines[number].column) == (lines[line_number].page, lines[line_number].column)
                out.append(Token(NEWLINE, "\n" if same else COLUMN_BREAK, start, start + 1, False))
            line_number = number
            token = token._replace(glued=False)
        out.append(token)
    return _renumbered(out)


def _renumbered(tokens: list[Token]) -> list[Token]:
    """A list number that became the first word of its visual line (`4.` of a right-hand column) is one again."""
    out: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        first = not out or out[-1].kind == NEWLINE
        after = tokens[place + 1] if place + 1 < len(tokens) else None
        if (
            first
            and token.kind == NUMBER
            and token.text.isdigit()
            and len(token.text) <= 2
            and after is not None
            and after.text in (".", ")")
            and after.glued
        ):
            out.append(Token(ITEM, token.text + after.text, token.start, after.end, False))
            place += 2
            continue
        if token.kind == ITEM and not first:
            digits = "".join(c for c in token.text if c.isdigit())
            at = token.start + token.text.index(digits[0])
            out.append(lex(FoldedText(digits, frozenset()))[0]._replace(start=at, end=at + len(digits), glued=False))
            place += 1
            continue
        out.append(token)
        place += 1
    return out


_MOST_BEHIND = 4


def _behind(segmented: Segmented, lines: Sequence[Line], text: str) -> dict[int, dict[Span, list[Chunk]]]:
    """The sentences right behind each draft that hold the page, with their chunks: on its line, or below it without a gap."""
    remarks = sorted(set(segmented.remarks))
    if not remarks or not segmented.drafts:
        return {}
    placed = Placed(c for chunks, _ in lines for c in chunks)
    order = sorted(range(len(segmented.drafts)), key=lambda n: segmented.drafts[n].start)
    starts = [segmented.drafts[n].start for n in order]
    found: dict[int, dict[Span, list[Chunk]]] = {}
    for at, n in enumerate(order):
        end = segmented.drafts[n].end
        stop = starts[at + 1] if at + 1 < len(starts) else len(text)
        first = bisect_left(remarks, end, key=lambda span: span.start)
        for span in remarks[first : first + _MOST_BEHIND]:
            if span.end > stop or text.count("\n", end, span.start) > 1:
                break
            found.setdefault(n, {})[span] = placed.within(span)
            end = span.end
    return found


def read_source(
    source: SourceDocument,
    chunker: Chunker,
    lexicon: Lexicon,
    roles: RoleReader,
    names: Mapping[str, Name],
    misread: Misread,
    token_limit: int,
    quoted: Sequence[Quotation] = (),
) -> SourceReading | None:
    """The reading, or None if the source has more tokens than `token_limit`. `quoted`: what the record hands on word for word."""
    folded = fold(source.text)
    tokens = lex(folded)
    if len(tokens) > token_limit:
        return None
    boxed = visual_lines(source.text, source.words) if any(w.box is not None for w in source.words) else None
    interleaved: tuple[Span, ...] = ()
    if boxed is not None:
        tokens = _in_visual_order(tokens, boxed)
    else:
        interleaved = tuple(Span(start, end) for start, end in interleaved_columns_suspected(source.text))
    pieces = split_glued(tokens, lexicon, names)
    lines = split_lines(chunker.chunks(pieces))
    typed = source.modality == "text"
    segmented = cut(
        lines, folded.text, lexicon, split=pieces is not tokens, typed=typed, misread=None if typed else misread, in_order=boxed is None
    )

    def surface(chunk: Chunk) -> str:
        return folded.text[chunk.start : chunk.end]

    quotations = Quotations(quoted, lexicon, folded, segmented.drafts, _behind(segmented, lines, folded.text)) if quoted else None
    statements = StatementReader(roles, lexicon).read(segmented.drafts, surface, quotations)
    for statement in statements:
        statement.interleaved = any(s.start < statement.span.end and statement.span.start < s.end for s in interleaved)
    groups: dict[int, list[Statement]] = {}
    for statement in statements:
        groups.setdefault(statement.group, []).append(statement)
    numbers = segmented.item_numbers
    missing = any(b - a > 1 for a, b in itertools.pairwise(numbers)) or bool(numbers and numbers[0] > 1)
    said = (
        *unticked(source.text, segmented.drafts),
        *led_by_a_stranger(statements, lexicon),
        *heads_what_follows(statements, folded.text, lexicon),
        *goes_on_behind_what_ends(statements, folded.text, lexicon),
        *refused_with_another(statements, folded.text, lexicon),
    )
    return SourceReading(
        folded,
        tuple(statements),
        tuple(segmented.collectives),
        tuple(segmented.unread),
        (*segmented.remarks, *(Span(*sorted(place)) for place in said)),
        interleaved,
        tuple(segmented.persons),
        segmented.prescriptions,
        segmented.patients,
        missing,
        segmented.discharge,
        len(pieces),
        {group: tuple(members) for group, members in groups.items()},
        tuple(s for s in statements if s.assertion.status in ("stopped", "held", "allergy", "avoid", "not_taking")),
    )
