"""Which words stand on one line, read from where they stand on the page.

An OCR engine's newlines cannot be trusted to delimit a statement: it reads straight across two columns of
prescriptions, alternates between a column of vitals and the medicines beside it, and wraps at will. Given word
boxes this module finds the lines again; without boxes it can only say where the text looks interleaved.

The way, per page:
1. Chain each word to its left neighbour when their middles are level and the space between them is a space, not a
   gap. The chains (fragments) follow a slanted or curved baseline, since only neighbours are compared.
2. The slant of the fragments (median, by width) levels the page.
3. A gutter is looked for only where something begins: a fragment that begins an item (`3. Cap. …`, `Syp Alex`, or
   `Dolo 650 1-0-1` right of another regimen), or several that are labels (`BP …`, `Wt …`), with words to its left.
   The gutter reaches up and down over the rows in which no text runs through it, until a line across it or a wide
   vertical gap.
4. A table is not columns: its cells continue the item of their row. So there is no gutter where the left side is
   only list numbers, where a row of column labels lies across it, or where nothing on its right begins an item.
5. Inside the gutter's rows the left side is read to its end, then the right side; each may hold gutters again.

Everything is integer arithmetic on pixels; equal input gives equal output, whatever the order of the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from medfence_guard.contract import Span, Word

__all__ = ["VisualLine", "interleaved_columns_suspected", "visual_lines"]


@dataclass(frozen=True, slots=True)
class VisualLine:
    """One line as the eye reads it.

    spans: the words' spans in the text, left to right; never empty. They need not be adjacent in the text.
    column: 0 where the page is read across its full width; each column of a split part of the page has a number of
        its own, in reading order. A statement never continues from one (page, column) into another.
    top, bottom, left: pixels of the page, of the line's outermost boxes.
    gap_before: the first line of a (page, column), or one with more space above than lines of this page usually have.
    """

    spans: tuple[Span, ...]
    column: int
    page: int
    top: int
    bottom: int
    left: int
    gap_before: bool


# Geometry, in units of the letter height of the page unless it says otherwise.
_GAP_NOT_SPACE: Final = 2  # wider than this between two words is no space (monospaced type reaches 1.5)
_NARROW_GUTTER_IN_SPACES: Final = 2  # a gutter pinched by a long line is still twice the usual space
_REACH_VERTICAL: Final = 4  # rows further apart than this (or 2.5 usual pitches) share no gutter
_MAX_SPLITS: Final = 64  # per page; real pages have one or two
_MAX_LIVE_CHAINS: Final = 16  # chains that compete for one height of the page; more is noise over noise
_MAX_CLUSTERS: Final = 8
_LONGEST_LINE: Final = 64  # words; a longer row takes in no more strays, which keeps merging linear
_SLOPE_ONE: Final = 1 << 12
_ANY_DISTANCE: Final = 1 << 40

_Box: TypeAlias = tuple[int, int, int, int, int, int]
"""x0, y0, x1, y1, start, end: sorts left to right, and completely."""


class _Fragment:
    """Words of one baseline without a gap. Before levelling `level` follows the last word; after it, it is the mean."""

    __slots__ = ("boxes", "left", "level", "right", "small")

    def __init__(self, boxes: list[_Box], level: int, small: bool) -> None:
        self.boxes = boxes
        self.left = boxes[0][0]
        self.right = boxes[-1][2]
        self.level = level  # twice the vertical middle, so that it stays whole
        self.small = small  # only dots and dashes so far: their middle says little about the baseline


_Row: TypeAlias = list[_Fragment]
_Levelled: TypeAlias = tuple[int, _Row]
"""A row with the mean level of its fragments."""


def visual_lines(text: str, words: tuple[Word, ...]) -> tuple[VisualLine, ...] | None:
    """The lines of all pages in reading order, or None if any word has no box (then only newlines are left to go by).

    Every word is in exactly one line. Time grows as n log n in the number of words.
    """
    pages: dict[int, list[_Box]] = {}
    for word in words:
        if word.box is None:
            return None
        pages.setdefault(word.page, []).append((*word.box, word.start, word.end))
    if not pages:
        return None
    return tuple(line for page in sorted(pages) for line in _page_lines(text, page, pages[page]))


def _page_lines(text: str, page: int, boxes: list[_Box]) -> list[VisualLine]:
    boxes.sort()
    height = _letter_height(boxes)
    fragments = _chain_words(boxes, height)
    _level(fragments, height)
    reader = _PageReader(text, height, _usual_space(fragments, height))
    reader.read(fragments, column=0)
    return _numbered_lines(page, reader.lines)


def _letter_height(boxes: Sequence[_Box]) -> int:
    """The usual height of a word. Engines pad boxes they are unsure of to twice the line, never to twice the width:
    two average letter widths are about one height, so the smaller of the two is taken."""
    heights = sorted(box[3] - box[1] for box in boxes)
    widths = sorted((box[2] - box[0]) // (box[5] - box[4]) for box in boxes)
    middle = len(boxes) // 2
    return max(2, min(heights[middle], 2 * widths[middle] + 2))


# --- fragments -----------------------------------------------------------------------------------------------------


class _Chains:
    """Open chains by height on the page, so that the nearest one is found in constant time."""

    __slots__ = ("_height", "_reach", "_slots")

    def __init__(self, height: int, reach: int) -> None:
        self._height = height
        self._reach = reach  # how far to the right of its end a chain may go on
        self._slots: dict[int, list[_Row]] = {}  # each as high as two letters, so that two slots hold all candidates

    def nearest(self, left: int, level: int) -> _Row | None:
        """The chain whose last member is level with this and ends before it; the closest in height, then in distance."""
        height = self._height
        earliest, latest = left - self._reach, left + height // 2
        best: _Row | None = None
        best_off, best_right = height, 0
        upper, lower = (level - height) // (2 * height), (level + height) // (2 * height)
        for slot in (upper, lower) if upper != lower else (upper,):
            for chain in self._slots.get(slot, ()):
                last = chain[-1]
                if not earliest <= last.right <= latest:
                    continue
                off = abs(last.level - level)
                if off < best_off or (off == best_off and (best is None or last.right > best_right)):
                    best, best_off, best_right = chain, off, last.right
        return best

    def add(self, chain: _Row) -> None:
        chains = self._slots.setdefault(chain[-1].level // (2 * self._height), [])
        if len(chains) >= _MAX_LIVE_CHAINS:
            del chains[0]
        chains.append(chain)

    def moved(self, chain: _Row, level_before: int) -> None:
        slot = level_before // (2 * self._height)
        if slot != chain[-1].level // (2 * self._height):
            self._slots[slot] = [other for other in self._slots.get(slot, ()) if other is not chain]
            self.add(chain)


def _chain_words(boxes: Iterable[_Box], height: int) -> list[_Fragment]:
    """Left to right, each word goes to the end of the nearest level chain within a space, or begins one."""
    chains = _Chains(height, _GAP_NOT_SPACE * height)
    fragments = []
    for box in boxes:
        level = box[1] + box[3]
        small = 2 * (box[3] - box[1]) < height
        chain = chains.nearest(box[0], level)
        if chain is None:
            fragment = _Fragment([box], level, small)
            fragments.append(fragment)
            chains.add([fragment])
            continue
        fragment = chain[0]
        fragment.boxes.append(box)
        if box[2] > fragment.right:
            fragment.right = box[2]
        if not small or fragment.small:
            before, fragment.level, fragment.small = fragment.level, level, small
            chains.moved(chain, before)
    return fragments


def _level(fragments: Sequence[_Fragment], height: int) -> None:
    """Turn the page back by the median slant of its fragments: set each one's `level`, `left` and `right`."""
    slants = sorted(slant for slant in map(_slant, fragments) if slant is not None)
    rest = sum(width for _, width in slants)
    slope = 0
    for slope, width in slants:  # noqa: B007  the slope at which half of all width is passed
        rest -= 2 * width
        if rest <= 0:
            break
    for fragment in fragments:
        boxes = fragment.boxes
        tall = boxes if fragment.small else [box for box in boxes if 2 * (box[3] - box[1]) >= height]
        levels = sorted([box[1] + box[3] - slope * (box[0] + box[2]) // _SLOPE_ONE for box in tall])
        shift = slope * boxes[0][1] // _SLOPE_ONE
        fragment.level = levels[len(levels) // 2]
        fragment.left += shift
        fragment.right += shift


def _slant(fragment: _Fragment) -> tuple[int, int] | None:
    """(slope in 1/4096, width) by least squares over the words' middles; None for what is too short to tell."""
    count = len(fragment.boxes)
    if count < 3:
        return None
    sum_x = sum_y = sum_xx = sum_xy = 0
    for x0, y0, x1, y1, _, _ in fragment.boxes:
        x, y = x0 + x1, y0 + y1
        sum_x, sum_y, sum_xx, sum_xy = sum_x + x, sum_y + y, sum_xx + x * x, sum_xy + x * y
    spread = count * sum_xx - sum_x * sum_x
    if spread == 0:
        return None
    return (count * sum_xy - sum_x * sum_y) * _SLOPE_ONE // spread, fragment.right - fragment.left


def _usual_space(fragments: Sequence[_Fragment], height: int) -> int:
    gaps = sorted(after[0] - before[2] for fragment in fragments for before, after in pairwise(fragment.boxes))
    return max(gaps[len(gaps) // 2], height // 3) if gaps else height // 2


def _rows(fragments: Iterable[_Fragment], height: int) -> list[_Levelled]:
    """Fragments that stand level, however far apart; top to bottom."""
    chains = _Chains(height, _ANY_DISTANCE)
    rows: list[_Row] = []
    for fragment in sorted(fragments, key=_from_the_left):
        row = chains.nearest(fragment.left, fragment.level)
        if row is None:
            rows.append([fragment])
            chains.add(rows[-1])
        else:
            before = row[-1].level
            row.append(fragment)
            chains.moved(row, before)
    levelled = [(sum([fragment.level for fragment in row]) // len(row), row) for row in rows]
    levelled.sort(key=lambda row: (row[0], row[1][0].left, row[1][0].boxes[0]))
    return _merge_fitting(levelled, height)


def _from_the_left(fragment: _Fragment) -> tuple[int, _Box]:
    return fragment.left, fragment.boxes[0]


def _merge_fitting(rows: Sequence[_Levelled], height: int) -> list[_Levelled]:
    """Join a row to the one above when they are level (boxes may overlap, engines err), or nearly level and no word
    of one is over a word of the other: a word that jumps out of a handwritten line fits into the hole it leaves."""
    merged: list[_Levelled] = []
    for level, row in rows:
        if merged and level - merged[-1][0] <= 3 * height // 2 and sum([len(part.boxes) for part in merged[-1][1]]) < _LONGEST_LINE:
            level_above, above = merged[-1]
            boxes = sorted([(box, fragment) for part in (above, row) for fragment in part for box in fragment.boxes], key=_box_of)
            local = max(height, min(3 * height // 2, _median_height(above), _median_height(row)))
            level_enough = 2 * (level - level_above) <= height
            if level_enough or all(before[2] - after[0] <= local for (before, _), (after, _) in pairwise(boxes)):
                joined = _refragmented(boxes, height)
                merged[-1] = (sum([fragment.level for fragment in joined]) // len(joined), joined)
                continue
        merged.append((level, row))
    return merged


def _box_of(pair: tuple[_Box, _Fragment]) -> _Box:
    return pair[0]


def _median_height(row: _Row) -> int:
    heights = sorted(box[3] - box[1] for fragment in row for box in fragment.boxes)
    return heights[len(heights) // 2]


def _refragmented(boxes: Sequence[tuple[_Box, _Fragment]], height: int) -> _Row:
    """New fragments of a merged row: split at gaps, each levelled and shifted as the fragments its words came from."""
    row: _Row = []
    for box, origin in boxes:
        shift = origin.left - origin.boxes[0][0]
        if row and box[0] + shift - row[-1].right <= _GAP_NOT_SPACE * height:
            row[-1].boxes.append(box)
            row[-1].right = max(row[-1].right, box[2] + shift)
            continue
        fragment = _Fragment([box], origin.level, origin.small)
        fragment.left += shift
        fragment.right += shift
        row.append(fragment)
    return row


# --- what begins an item ---------------------------------------------------------------------------------------------

_LIST_NUMBER = re.compile(r"\(?[0-9]{1,2}[.):,]+")
_FORM_WORD = re.compile(
    r"(?:t[aeo]b(?:let)?s?|c[aeo]p(?:sule)?s?|syp|syr(?:up)?|inj(?:ection)?|susp(?:ension)?|drops?|oint(?:ment)?|cream|gel|lotion|"
    r"inh(?:aler)?|neb|sach(?:et)?s?|pdr|powder|spray|soln|supp|t(?=\.)|c(?=\.))(?:[.,:]+(?P<glued>\S*))?",
    re.IGNORECASE,
)
_NUMBER_GLUED_TO_FORM = re.compile(r"\(?[0-9]{1,2}[.):,]+(?:tab|cap|sy[pr]|inj|oint|susp)", re.IGNORECASE)
_NAME_LIKE = re.compile(r"[^\W\d_]{3,}")
_CAPITALISED = re.compile(r"[A-Z][^\W\d_]{2,}")
# fmt: off
_SIDE_LABELS: Final = frozenset({
    "c/o", "o/e", "h/o", "k/c/o", "bp", "pr", "hr", "rr", "p/r", "pulse", "temp", "spo2", "wt", "ht", "bmi",
    "rbs", "fbs", "ppbs", "grbs", "weight", "height", "dx", "diagnosis", "adv", "advice", "inv",
    "investigations", "complaints", "allergies", "allergy", "history", "vitals", "rx",
})
_TABLE_LABELS: Final = frozenset({
    "medicine", "medicines", "medication", "medications", "drug", "drugs", "brand", "generic", "composition",
    "form", "strength", "dose", "dosage", "freq", "frequency", "days", "duration", "instructions", "instruction",
    "timing", "timings", "qty", "quantity", "route", "remarks", "when", "morning", "noon", "afternoon",
    "evening", "night", "sr", "sno",
})
# fmt: on
_STRONG, _NAMED, _LABEL, _NONE = 3, 2, 1, 0
_FREQUENCY = re.compile(r"(?<![\w-])(?:[0-9]-[0-9]-[0-9](?:-[0-9])?|od|bd|bid|tds|tid|qid|qds|hs|sos|stat)(?![\w-])", re.IGNORECASE)
_VERBS: Final = frozenset({"take", "apply", "give", "inhale", "instil", "instill", "put", "use", "chew", "then", "for"})


def _tokens(text: str, boxes: Iterable[_Box]) -> list[str]:
    return [text[box[4] : box[5]] for box in boxes]


def _begins(text: str, fragment: _Fragment) -> int:
    """Whether the fragment begins an item (`_STRONG`), reads like `Dolo 650 1-0-1` (`_NAMED`), is a side label such
    as `BP` (`_LABEL`), or none of these."""
    tokens = _tokens(text, fragment.boxes[:4])
    while len(tokens) > 1 and not any(map(str.isalnum, tokens[0])):  # a rule or a speck read as a sign
        del tokens[0]
    first, rest = tokens[0], tokens[1:]
    if _NUMBER_GLUED_TO_FORM.match(first) or _is_form_and_name(first, rest):
        return _STRONG
    if rest and _LIST_NUMBER.fullmatch(first) and (_FORM_WORD.fullmatch(rest[0]) or _CAPITALISED.match(rest[0])):
        return _STRONG
    # A list number misread as a short something else still stands before a form and a name.
    if rest and len(first) <= 3 and _is_form_and_name(rest[0], rest[1:]):
        return _STRONG
    if len(rest) >= 2 and _CAPITALISED.match(first) and rest[0][0].isdecimal() and first.lower() not in _VERBS:
        if _FREQUENCY.search(" ".join(_tokens(text, fragment.boxes[1:8]))):
            return _NAMED
    return _LABEL if first.rstrip(":.-").lower() in _SIDE_LABELS else _NONE


def _is_form_and_name(first: str, rest: Sequence[str]) -> bool:
    """`Tab. Dolo`, `Tab.Dolo`; not the cell `Tab` of a column of forms, nor `Tab 500 mg`."""
    form = _FORM_WORD.fullmatch(first)
    if form is None:
        return False
    name = form["glued"] or (rest[0] if rest else "")
    return _NAME_LIKE.match(name) is not None


def _table_labels(text: str, row: Iterable[_Fragment]) -> tuple[int, int]:
    """How many words are column labels of a table, and how many are not."""
    tokens = [token.strip(".:/()|'‘’").lower() for fragment in row for token in _tokens(text, fragment.boxes[:8])]
    labels = sum(token in _TABLE_LABELS for token in tokens)
    return labels, len(tokens) - labels


# --- gutters -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Split:
    """The parts of a page around one gutter: all before it, left, right, all after it."""

    before: list[_Fragment]
    left: list[_Fragment]
    right: list[_Fragment]
    after: list[_Fragment]


class _PageReader:
    """Reads a page's fragments into `lines`: (column, level, row) in reading order."""

    def __init__(self, text: str, height: int, space: int) -> None:
        self.lines: list[tuple[int, int, _Row]] = []
        self._text = text
        self._height = height
        self._narrowest = max(height, _NARROW_GUTTER_IN_SPACES * space)
        self._splits = 0

    def read(self, fragments: Sequence[_Fragment], column: int) -> None:
        rows = _rows(fragments, self._height)
        split = self._find_split(rows) if self._splits < _MAX_SPLITS else None
        if split is None:
            self.lines.extend([(column, level, row) for level, row in rows])
            return
        left_column = 2 * self._splits + 1
        self._splits += 1
        self.read(split.before, column)
        self.read(split.left, left_column)
        self.read(split.right, left_column + 1)
        self.read(split.after, column)

    def _find_split(self, rows: Sequence[_Levelled]) -> _Split | None:
        for position in self._candidates(rows):
            split = self._split_at(rows, position)
            if split is not None:
                return split
        return None

    def _candidates(self, rows: Sequence[_Levelled]) -> list[int]:
        """Where right columns may begin: left edges shared by beginnings of items, most of them first."""
        first_end = min([fragment.right for _, row in rows for fragment in row], default=0)
        beginnings = [(fragment.left, _begins(self._text, fragment)) for _, row in rows for fragment in row if fragment.left > first_end]
        edges = sorted([(left, begins) for left, begins in beginnings if begins])
        clusters: list[list[tuple[int, int]]] = []
        for edge in edges:
            if clusters and edge[0] - clusters[-1][0][0] <= 2 * self._height:
                clusters[-1].append(edge)
            else:
                clusters.append([edge])
        clusters.sort(key=lambda cluster: (-sum(begins for _, begins in cluster), cluster[0][0]))
        return [cluster[0][0] for cluster in clusters[:_MAX_CLUSTERS]]

    def _split_at(self, rows: Sequence[_Levelled], position: int) -> _Split | None:
        """The first run of rows that a gutter left of `position` divides into two columns."""
        reach = max(2 * _REACH_VERTICAL * self._height, 5 * _usual_pitch(rows) // 2)
        run: list[tuple[_Row, _Row]] = []
        start = 0
        for index in range(len(rows) + 1):
            sides = self._sides(rows[index][1], position) if index < len(rows) else None
            apart = 0 < index < len(rows) and rows[index][0] - rows[index - 1][0] > reach
            if run and (sides is None or apart):
                if self._are_columns(run, rows[start - 1][1] if start else [], position):
                    return _Split(
                        before=[fragment for _, row in rows[:start] for fragment in row],
                        left=[fragment for left, _ in run for fragment in left],
                        right=[fragment for _, right in run for fragment in right],
                        after=[fragment for _, row in rows[index:] for fragment in row],
                    )
                run = []
            if sides is not None:
                start = start if run else index
                run.append(sides)
        return None

    def _sides(self, row: _Row, position: int) -> tuple[_Row, _Row] | None:
        """The row's fragments on both sides of a gutter that ends at `position`; None if text runs through it."""
        edge = position - 3 * self._height // 2
        left: _Row = []
        right: _Row = []
        for fragment in row:
            if fragment.left >= edge:
                right.append(fragment)
            elif fragment.right <= position:
                left.append(fragment)
            else:
                parts = self._cut(fragment, edge)
                if parts is None:
                    return None
                left.append(parts[0])
                right.append(parts[1])
        return left, right

    def _cut(self, fragment: _Fragment, edge: int) -> tuple[_Fragment, _Fragment] | None:
        """Divide a fragment whose space at the gutter is wider than its others, or that is mere rule or speck there."""
        shift = fragment.left - fragment.boxes[0][0]
        for index in range(1, len(fragment.boxes)):
            box = fragment.boxes[index]
            if box[0] + shift >= edge:
                ink = [before[2] for before in fragment.boxes[:index] if any(map(str.isalnum, self._text[before[4] : before[5]]))]
                if ink and box[0] - max(ink) < self._narrowest:
                    return None
                parts = (_Fragment(part, fragment.level, fragment.small) for part in (fragment.boxes[:index], fragment.boxes[index:]))
                first, second = parts
                for part in (first, second):
                    part.left += shift
                    part.right += shift
                return first, second
        return None

    def _are_columns(self, run: Sequence[tuple[_Row, _Row]], row_above: _Row, position: int) -> bool:
        lefts = [index for index, (left, _) in enumerate(run) if self._says_something(left)]
        numbers = sum(bool(left) for left, _ in run) - len(lefts)
        rights = [index for index, (_, right) in enumerate(run) if right]
        if not lefts or not rights or len(lefts) + len(rights) < 3 or numbers > len(lefts):
            return False
        if lefts[0] > rights[-1] or rights[0] > lefts[-1]:
            return False  # one above the other: no columns
        begun = [(_begins(self._text, right[0]), left) for left, right in run if right and right[0].left <= position + 2 * self._height]
        kinds = [begins for begins, _ in begun]
        # A name and its regimen on the right are an item if the row's left side has a regimen too; a table has one in a row.
        two_regimens = any(begins == _NAMED and self._has_frequency(left) for begins, left in begun)
        if not (_STRONG in kinds or two_regimens or kinds.count(_LABEL) >= 2):
            return False
        above = self._sides(row_above, position)
        return not any(self._is_table_head(*sides) for sides in ([above] if above else []) + list(run))

    def _has_frequency(self, row: _Row) -> bool:
        return any(_FREQUENCY.search(" ".join(_tokens(self._text, fragment.boxes))) for fragment in row)

    def _says_something(self, left: _Row) -> bool:
        """More than the number of a list item that hangs out to the left of its text."""
        tokens = [token for fragment in left for token in _tokens(self._text, fragment.boxes)]
        return sum(map(len, tokens)) > 4 and any(_NAME_LIKE.search(token) or token.lower().rstrip(":.") in _SIDE_LABELS for token in tokens)

    def _is_table_head(self, left: _Row, right: _Row) -> bool:
        left_labels, left_others = _table_labels(self._text, left)
        right_labels, right_others = _table_labels(self._text, right)
        return left_labels > 0 and right_labels > 0 and left_labels + right_labels > left_others + right_others


def _usual_pitch(rows: Sequence[_Levelled]) -> int:
    pitches = sorted([below[0] - above[0] for above, below in pairwise(rows)])
    return pitches[len(pitches) // 2] if pitches else 0


def _numbered_lines(page: int, lines: Sequence[tuple[int, int, _Row]]) -> list[VisualLine]:
    """Rows with their gaps. Of the distances between lines of one column the second fifth is usual: there are often
    as many wide ones, between items, as narrow ones, within them."""
    pitches = [line[1] - above[1] if line[0] == above[0] else None for above, line in pairwise(lines)]
    known = sorted([pitch for pitch in pitches if pitch is not None])
    usual = known[2 * len(known) // 5] if known else 0
    gaps = [True, *[pitch is None or 4 * pitch > 5 * usual for pitch in pitches]]
    found = []
    for (column, _, row), gap in zip(lines, gaps, strict=True):
        boxes = [box for fragment in row for box in fragment.boxes]
        lefts, tops, _, bottoms, starts, ends = zip(*boxes, strict=True)
        found.append(
            VisualLine(
                spans=tuple(map(Span, starts, ends)),
                column=column,
                page=page,
                top=min(tops),
                bottom=max(bottoms),
                left=min(lefts),
                gap_before=gap,
            )
        )
    return found


# --- without boxes ---------------------------------------------------------------------------------------------------

_FORM_BEFORE_NAME = r"(?:t[aeo]b|c[aeo]p|syp|syr|inj|susp|oint|t(?=\.)|c(?=\.))(?:lets?|sules?|s)?\b[.,]?\s{0,3}(?=[A-Za-z]{3})"
_ITEM_FORM = re.compile(rf"(?<![\w.]){_FORM_BEFORE_NAME}", re.IGNORECASE)
# Within a line a number begins an item only before a form, or before a name and its strength: `x 5. Review` does not.
_ITEM_NUMBER = re.compile(
    rf"(?:^\W{{0,3}}|(?<![\w.,/-]))\(?(1?[0-9]|20)(?:[.),:]\s{{0,3}}(?=(?i:{_FORM_BEFORE_NAME}))|[.)]\s{{0,3}}(?=[A-Z][A-Za-z]{{2,30}}\s{{1,3}}[0-9]))"
)
_DURATION = re.compile(
    r"(?<![\w/])x?\s{0,2}[0-9]{1,3}\s{0,2}(?:days?|d|weeks?|wks?|months?)\b|(?<![\w/])[0-9]{1,2}/(?:7|52|12)(?![\w/])", re.IGNORECASE
)
_VITAL_LINE = re.compile(r"\W{0,4}(?:bp|pr|hr|rr|p/r|pulse|temp|spo2|wt|ht|bmi|rbs|fbs|ppbs|grbs)\b[\s:.-]{0,4}[0-9]", re.IGNORECASE)
_HEADING_ONLY = re.compile(
    r"\W{0,3}(?:rx|r/x|adv|advice|advised|rx advised|plan|treatment|tx|medicines?|medications?|drugs?)?\W{0,4}", re.IGNORECASE
)
_CONTINUED_OVER: Final = 4  # lines below an item that may still be its own


class _TextLine(NamedTuple):
    start: int
    end: int
    text: str
    numbers: tuple[tuple[int, int], ...]  # (offset in the line, list number) of each numbered beginning
    items: int
    vital: bool


def interleaved_columns_suspected(text: str) -> list[tuple[int, int]]:
    """Where a text without boxes looks like two columns read straight across: spans of whole lines, in order, disjoint.

    Suspected are, with the lines that continue them up to the next item or blank line:
    - a line with the beginnings of two items whose numbers do not follow each other (`1. Tab A … 3. Cap B …`);
    - a line with the beginnings of two items before a line that begins none but has two durations or two frequencies;
    - an item that begins within a line after other words, with a line of vitals (`BP 138/86`) next to it;
    - all items, when two or more lines of vitals stand between them.
    Items written one after the other on one line (`1. Tab A … 2. Tab B …`) are not.
    """
    lines = [_text_line(match) for match in re.finditer(r"[^\n]+", text)]
    suspected: set[tuple[int, int]] = set()
    for index, line in enumerate(lines):
        following = _continuation(lines, index)
        if line.items >= 2:
            in_sequence = all(after == before + 1 for (_, before), (_, after) in pairwise(line.numbers))
            columns = not in_sequence or any(_holds_two(other.text) for other in following)
        else:
            columns = _stands_beside_vitals(lines, index)
        if columns:
            suspected.update((other.start, other.end) for other in [line, *following])
    suspected.update((line.start, line.end) for line in _items_among_vitals(lines))
    return sorted(suspected)


def _text_line(match: re.Match[str]) -> _TextLine:
    text = match[0]
    numbers = tuple((number.start(), int(number[1])) for number in _ITEM_NUMBER.finditer(text))
    items = max(len(numbers), sum(1 for _ in _ITEM_FORM.finditer(text)))
    return _TextLine(match.start(), match.end(), text, numbers, items, _VITAL_LINE.match(text) is not None)


def _continuation(lines: Sequence[_TextLine], index: int) -> list[_TextLine]:
    """The lines right below that begin no item, up to a blank line."""
    found = []
    for above, line in pairwise(lines[index : index + 1 + _CONTINUED_OVER]):
        if line.start - above.end > 1 or line.items or not line.text.strip():
            break
        found.append(line)
    return found


def _holds_two(line: str) -> bool:
    return any(len(pattern.findall(line)) >= 2 for pattern in (_DURATION, _FREQUENCY))


def _stands_beside_vitals(lines: Sequence[_TextLine], index: int) -> bool:
    """`* 3 days 1. Tab. …` with `BP 138/86 with water` above or below: the other column is the vitals."""
    line = lines[index]
    before = line.text[: line.numbers[0][0]] if line.numbers else ""
    if not before.strip() or _HEADING_ONLY.fullmatch(before):
        return False
    return any(other.vital for other in lines[max(0, index - 1) : index + 2])


def _items_among_vitals(lines: Sequence[_TextLine]) -> Sequence[_TextLine]:
    """From the first item to the last, if two or more lines between them are vitals: they are another column's."""
    items = [index for index, line in enumerate(lines) if line.items]
    between = lines[items[0] : items[-1] + 1] if items else []
    if sum(line.vital for line in between) < 2:
        return []
    return [*between, *_continuation(lines, items[-1])]
