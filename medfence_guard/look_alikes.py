"""Names that look alike: one edit apart, or two when both are long. Made again by every build and by every import of a formulary.

What is found is information for the reviewer (P26). It decides nothing, and a name is never corrected by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

COMPUTED = "computed#distance="
LONG_NAME = 8
FORM_WORDS = frozenset({
    "cream", "ointment", "gel", "injection", "syrup", "suspension", "liquid", "dry", "inhaler", "rotacap", "rotacaps", "respules",
    "respirator", "solution", "drops", "eye", "ear", "nasal", "spray", "powder", "shampoo", "sachet", "suppository",
})  # fmt: skip


def brand_stem(name: str) -> str:
    """'Telma 40' -> 'telma', 'Candid Cream' -> 'candid': without numbers and form words."""
    words = name.lower().split()
    return " ".join([words[0], *(w for w in words[1:] if not any(c.isdigit() for c in w) and w not in FORM_WORDS)])


def can_resemble(name: str, *, brand: bool) -> bool:
    """Short names resemble too much, and a molecule of several words is told apart by all of them."""
    return len(name) >= 4 if brand else " " not in name and len(name) >= 5


def edit_distance(a: str, b: str, limit: int) -> int:
    """Damerau-Levenshtein (adjacent transpositions), or limit + 1 once it is sure to be larger."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, before = before, row
        row = [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                row[j] = min(row[j], previous[j - 2] + 1)
        if min(row) > limit and (not before or min(before) > limit):
            return limit + 1
    return row[-1]


def close_pairs(names: Iterable[str], others: Iterable[str] = ()) -> list[tuple[str, str, int]]:
    """Pairs among `names`, and of one of `names` with one of `others`: (a, b, edits), sorted.

    Two names at most n edits apart have something in common that each becomes by dropping at most n letters; only those are compared.
    """
    own = set(names)
    found: dict[tuple[str, str], int] = {}
    for limit, shortest in ((1, 0), (2, LONG_NAME)):
        sharing: dict[str, list[str]] = {}
        for name in sorted(own.union(others)):
            if len(name) >= shortest:
                for rest in _rests(name, limit):
                    sharing.setdefault(rest, []).append(name)
        for group in sharing.values():
            for a, b in combinations(group, 2):
                if (a in own or b in own) and (a, b) not in found:
                    distance = edit_distance(a, b, limit)
                    if distance <= limit:
                        found[a, b] = distance
    return [(a, b, distance) for (a, b), distance in sorted(found.items())]


def _rests(name: str, dropped: int) -> set[str]:
    """The name, and what is left of it without one letter, or without any `dropped` letters."""
    rests = {name}
    for _ in range(dropped):
        rests |= {rest[:i] + rest[i + 1 :] for rest in rests for i in range(len(rest))}
    return rests
