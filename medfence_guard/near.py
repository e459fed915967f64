"""Names that resemble: retrieval for the message and for laying fields side by side, never for a PASS (P2).

In OCR a name may be misread. An item that found no statement may then be set beside an unowned statement whose name
nobody knows and that looks like it; its name ABSTAINs, and its other fields can still be compared.
"""

from __future__ import annotations

from collections.abc import Sequence

from medfence_guard.bind import NEAR, Binding, ItemReading
from medfence_guard.reader.statement import Statement

# One representative for each set of shapes that OCR confuses.
_SKELETON = str.maketrans(
    {
        "0": "o",
        "1": "l",
        "i": "l",
        "|": "l",
        "!": "l",
        "5": "s",
        "8": "b",
        "6": "b",
        "2": "z",
        "9": "g",
        "q": "g",
        "4": "a",
        "7": "t",
        "u": "v",
    }
)


def skeleton(word: str) -> str:
    """The word with everything OCR confuses folded together."""
    return word.replace("rn", "m").replace("cl", "d").replace("vv", "w").translate(_SKELETON)


def distance(one: str, other: str, limit: int) -> int:
    """Edit distance, or `limit + 1` as soon as it is certainly larger. Words are capped at 40 letters."""
    one, other = one[:40], other[:40]
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        best = row[0]
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
            best = min(best, row[j])
        if best > limit:
            return limit + 1
    return row[-1]


def near_names(items: Sequence[ItemReading], statements: Sequence[Statement], binding: Binding, modality: str) -> None:
    """Bind what is left over by resemblance: unowned items to unowned statements with unknown names."""
    loose = [s for s in statements if s.index not in binding.items_of and s.name.entry is None]
    waiting = [i for i in items if i.index not in binding.owner and i.index not in binding.duplicates and i.name is not None]
    if not loose or not waiting or len(loose) * len(waiting) > 2500:
        return
    pairs: list[tuple[int, int, int]] = []
    for item in waiting:
        assert item.name is not None
        mine = skeleton(item.name.key)
        limit = 1 if len(mine) < 6 else 2 if len(mine) < 10 else 3
        for statement in loose:
            gap = distance(mine, skeleton(statement.name.key), limit)
            if gap <= limit:
                pairs.append((gap, item.index, statement.index))
    by_index = {s.index: s for s in loose}
    for _, item_index, statement_index in sorted(pairs):
        if item_index in binding.owner or statement_index in binding.items_of:
            continue
        binding.owner[item_index] = by_index[statement_index]
        binding.relation[item_index] = NEAR
        binding.items_of[statement_index] = [item_index]
    del modality
