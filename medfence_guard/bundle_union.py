"""Several bundles as one: a name means all that it means in any of them, a product is sold if it is in any of them.

Two countries sell different medicines under one name. Such a name is ambiguous here, as it is for a reader who does not know which country
the paper is from. Order does not matter: bundles are taken in the order of their jurisdictions. Nothing is read before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from medfence_guard import canonical_json
from medfence_guard.bundle import GRADES, Bundle, Name, Product
from medfence_guard.contract import Json

Key = TypeVar("Key")
Value = TypeVar("Value")


def union(bundles: Sequence[Bundle]) -> Bundle:
    """One bundle of all. Of one bundle: itself."""
    ordered = sorted(bundles, key=lambda bundle: bundle.jurisdiction)
    if len(ordered) == 1:
        return ordered[0]
    digests: list[Json] = [bundle.digest for bundle in ordered]
    alike: dict[str, set[tuple[str, str]]] = {}
    for bundle in ordered:
        for name, pairs in bundle.look_alikes.items():
            alike.setdefault(name, set()).update(pairs)
    return Bundle(
        "+".join(bundle.jurisdiction for bundle in ordered),
        "+".join(bundle.edition for bundle in ordered),
        canonical_json.sha256(digests),
        _Union([bundle.names for bundle in ordered], _one_name),
        frozenset().union(*(bundle.first_words for bundle in ordered)),
        _Union([bundle.products for bundle in ordered], _all_products),
        frozenset().union(*(bundle.insulins for bundle in ordered)),
        {name: tuple(sorted(pairs)) for name, pairs in sorted(alike.items())},
        tuple(sorted({edition for bundle in ordered for edition in bundle.editions})),
    )


class _Union(Mapping[Key, Value]):
    """The keys of all mappings; a value of several is made when it is first asked for, and kept."""

    __slots__ = ("_join", "_made", "_mappings")

    def __init__(self, mappings: Sequence[Mapping[Key, Value]], join: Callable[[list[Value]], Value]) -> None:
        self._mappings, self._join = mappings, join
        self._made: dict[Key, Value] = {}

    def __getitem__(self, key: Key) -> Value:
        made = self._made.get(key)
        if made is None:
            found = [mapping[key] for mapping in self._mappings if key in mapping]
            if not found:
                raise KeyError(key)
            made = self._made.setdefault(key, found[0] if len(found) == 1 else self._join(found))
        return made

    def __contains__(self, key: object) -> bool:
        return any(key in mapping for mapping in self._mappings)

    def __iter__(self) -> Iterator[Key]:
        return iter(dict.fromkeys(key for mapping in self._mappings for key in mapping))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _all_products(found: list[tuple[Product, ...]]) -> tuple[Product, ...]:
    return tuple(product for products in found for product in products)


def _one_name(found: list[Name]) -> Name:
    """What a name means when several bundles know it. A complete name is not made ambiguous by the stem of a longer one."""
    whole = [name for name in found if not name.incomplete] or found
    compositions = tuple(dict.fromkeys(composition for name in whole for composition in name.compositions))
    best = min(whole, key=lambda name: (name.brand, GRADES.index(name.grade)))
    if not best.brand:  # a molecule's name; a brand of the same name that is another medicine makes it ambiguous
        return replace(best, compositions=compositions)
    return replace(best, compositions=compositions, rows=tuple(row for name in whole for row in name.rows))
