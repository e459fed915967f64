"""Which payload item speaks of which source statement: one to one, deterministic, by name first and fields second.

An item owns at most one statement and a statement has at most one owner, except that the parts of a split combination
share theirs. Candidates come from indexes over names, so cost follows the number of same-named pairs, not items × statements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from medfence_guard.reader.assertion import ACTIVE, MENTION
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.roles.record import NameReading, Roles
from medfence_guard.reader.statement import Statement

EXACT, ALIAS, BRAND_OF, GENERIC_OF, PART, STEM, NEAR = 7, 6, 5, 4, 3, 2, 1


@dataclass(slots=True)
class ItemReading:
    """One payload item read: its names, and the roles of its other claims by path."""

    index: int
    name: NameReading | None
    generic: NameReading | None
    fields: Mapping[str, Roles]
    strengths: tuple[Quantity, ...]
    stopped: bool


@dataclass(slots=True)
class Binding:
    """`owner`: item -> statement; `relation`: how their names relate; `sharing`: items that hold a part of a combination."""

    owner: dict[int, Statement] = field(default_factory=dict)
    relation: dict[int, int] = field(default_factory=dict)
    items_of: dict[int, list[int]] = field(default_factory=dict)
    duplicates: dict[int, Statement] = field(default_factory=dict)
    merged: dict[int, list[Statement]] = field(default_factory=dict)
    over_budget: bool = False


def relation(claim: NameReading, statement: Statement) -> int:
    """How the claimed name relates to the statement's; 0 for not at all."""
    source = statement.name
    if claim.key == source.key:
        return EXACT
    mine, theirs = claim.molecules, source.molecules
    if mine is not None and mine == theirs and claim.entry is not None and source.entry is not None:
        if not claim.entry.brand and not source.entry.brand:
            return ALIAS
        if not claim.entry.brand:
            return BRAND_OF
        if not source.entry.brand:
            return GENERIC_OF
    if claim.entry is not None and not claim.entry.brand and statement.roles.composition:
        if mine is not None and _printed(statement) == mine:
            return BRAND_OF
    if (
        claim.entry is not None
        and source.entry is not None
        and not claim.entry.brand
        and source.entry.brand
        and mine is not None
        and mine in source.entry.compositions
    ):
        return BRAND_OF
    if (
        mine is not None
        and len(mine) == 1
        and theirs is not None
        and len(theirs) > 1
        and mine[0] in theirs
        and claim.entry is not None
        and not claim.entry.brand
    ):
        return PART
    if stem_of(claim) and stem_of(claim) == stem_of(source):
        return STEM
    return 0


def stem_of(name: NameReading) -> str:
    """The first alphabetic part of a name, long enough to identify it."""
    if name.parts:
        key = name.parts[0].key
        if name.parts[0].name is not None and name.parts[0].name.brand:
            return _alphabetic_head(name.parts[0].name.display) or key
        return key
    return ""


def _alphabetic_head(display: str) -> str:
    head = ""
    for char in display.lower():
        if not char.isalpha():
            break
        head += char
    return head if len(head) >= 3 else ""


_WEIGHTS = {"rates": 3, "slots": 3, "durations": 2, "doses": 2, "weekdays": 2, "forms": 1, "whens": 1}


def _agreement(item: ItemReading, statement: Statement) -> int:
    """How much of what the item says beside its name the statement says too."""
    roles = statement.roles
    stated = roles.kinds()
    score = 0
    if item.strengths and any(q.parts == s.value.parts for q in item.strengths for s in roles.strengths):
        score += 4
    for claimed in item.fields.values():
        for kind in stated.intersection(_WEIGHTS, claimed.kinds()):
            said = [r.value for r in getattr(roles, kind)]
            if any(r.value in said for r in getattr(claimed, kind)):
                score += _WEIGHTS[kind]
    return score


def _printed(statement: Statement) -> tuple[str, ...]:
    """The molecules of the composition printed with a statement, sorted."""
    known = [d.name for d, _, _ in statement.roles.composition if d.name is not None and not d.name.ambiguous]
    return tuple(sorted({molecule for name in known for molecule in name.compositions[0]}))


def _indexes(
    statements: Sequence[Statement],
) -> tuple[dict[str, list[Statement]], dict[tuple[str, ...], list[Statement]], dict[str, list[Statement]], dict[str, list[Statement]]]:
    by_key: dict[str, list[Statement]] = {}
    by_composition: dict[tuple[str, ...], list[Statement]] = {}
    by_molecule: dict[str, list[Statement]] = {}
    by_stem: dict[str, list[Statement]] = {}
    for statement in statements:
        by_key.setdefault(statement.name.key, []).append(statement)
        compositions = set(statement.name.entry.compositions) if statement.name.entry is not None else set()
        if statement.roles.composition and (printed := _printed(statement)):
            compositions.add(printed)
        for composition in sorted(compositions):
            by_composition.setdefault(composition, []).append(statement)
            if len(composition) > 1:
                for molecule in composition:
                    by_molecule.setdefault(molecule, []).append(statement)
        stem = stem_of(statement.name)
        if stem:
            by_stem.setdefault(stem, []).append(statement)
    return by_key, by_composition, by_molecule, by_stem


def _ranked(related: Sequence[tuple[ItemReading, Statement, int]]) -> list[tuple[tuple[int, bool, int, bool, int, int], int, int]]:
    """Pairs `(rank, item, statement)`, the best first. What the two say is weighed only where one has several to choose from."""
    items = Counter(item.index for item, _, _ in related)
    statements = Counter(statement.index for _, statement, _ in related)
    pairs = []
    for item, statement, how in related:
        preferred = (statement.assertion.status == ACTIVE) == item.stopped
        mention = statement.bare or statement.assertion.status == MENTION
        contested = items[item.index] > 1 or statements[statement.index] > 1
        agreement = _agreement(item, statement) if contested else 0
        rank = (-how, mention, -agreement, preferred, abs(item.index - statement.index), statement.index)
        pairs.append((rank, item.index, statement.index))
    pairs.sort()
    return pairs


def bind(items: Sequence[ItemReading], statements: Sequence[Statement], budget: int) -> Binding:
    """Assign statements to items. `budget`: how many name pairs may be weighed; beyond it nothing is bound."""
    binding = Binding()
    by_key, by_composition, by_molecule, by_stem = _indexes(statements)
    related: list[tuple[ItemReading, Statement, int]] = []
    weighed = 0
    for item in items:
        name = item.name if item.name is not None else item.generic
        if name is not None:
            candidates: dict[int, Statement] = {}
            for found in (
                by_key.get(name.key, ()),
                by_composition.get(name.molecules, ()) if name.molecules is not None else (),
                by_molecule.get(name.molecules[0], ()) if name.molecules is not None and len(name.molecules) == 1 else (),
                by_stem.get(stem_of(name), ()),
            ):
                for statement in found:
                    candidates[statement.index] = statement
            weighed += len(candidates)
            if weighed > budget:
                binding.over_budget = True
                return binding
            for statement in candidates.values():
                how = relation(name, statement)
                if how:
                    related.append((item, statement, how))
    pairs = _ranked(related)
    by_index = {s.index: s for s in statements}
    for rank, item_index, statement_index in pairs:
        how = -rank[0]
        statement = by_index[statement_index]
        owners = binding.items_of.get(statement_index, [])
        if item_index in binding.owner:
            continue
        if owners and not (how == PART and all(binding.relation[o] == PART for o in owners)):
            continue
        binding.owner[item_index] = statement
        binding.relation[item_index] = how
        binding.items_of.setdefault(statement_index, []).append(item_index)
    for rank, item_index, statement_index in pairs:
        if item_index not in binding.owner and -rank[0] >= GENERIC_OF and item_index not in binding.duplicates:
            binding.duplicates[item_index] = by_index[statement_index]
    for item in items:
        if item.index in binding.owner or item.name is None or len(item.name.parts) < 2:
            continue
        found = [s for part in item.name.parts for s in statements if s.name.key == part.key]
        if len({s.index for s in found}) > 1:
            binding.merged[item.index] = found
    return binding
