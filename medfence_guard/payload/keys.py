"""What the keys of a payload stand for: the rulepack's table of names, compiled, and the rule for what stands under metadata."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, NamedTuple

from medfence_guard.contract import Json
from medfence_guard.errors import BundleError, ContractError
from medfence_guard.payload.json_text import JSON_SPACE
from medfence_guard.payload.paths import shown_key

# How much white space may surround a word that says "absent".
_PADDING: Final = 4

_FOLDABLE_KEY: Final = re.compile(r"[A-Za-z0-9_ -]{1,128}")
_SEPARATORS: Final = {ord(separator): None for separator in "_ -"}


def fold_key(key: str) -> str | None:
    """The form in which keys are compared: lower case without spaces, hyphens and underscores; `drugName` = `drug_name`.

    None for a key that never maps: empty, over 128 characters, or with a character outside `A-Z a-z 0-9 _ -` and space.
    """
    if not _FOLDABLE_KEY.fullmatch(key):
        return None
    return key.translate(_SEPARATORS).lower() or None


class KeyRole(NamedTuple):
    """What a key stands for. kind: `field`, `template`, `unit`, `slot`, `metadata`, `document`, `container`, `wrapper`.

    target: canonical field or slot (empty for a unit that names no field). template: text around a bare number;
    for a container, `wraps` when its value may also be an object around the list.
    """

    kind: str
    target: str
    template: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AliasTable:
    """The rulepack's names, compiled once: every lookup is one dictionary access, plus a fold for odd spellings."""

    item_keys: Mapping[str, KeyRole]
    document_keys: Mapping[str, KeyRole]
    quantity_parts: Mapping[str, str]
    timing_parts: Mapping[str, str]
    document_parts: frozenset[str]
    period_words: Mapping[str, str]
    flags: Mapping[str, bool]
    absent: frozenset[str]
    absent_in_fields: frozenset[str]
    longest_absent: int

    @classmethod
    def from_json(cls, table: Mapping[str, Json], extra: Mapping[str, str]) -> AliasTable:
        """Compile `lexicon/aliases.json` and the deployer's own names (`their key -> our field`).

        Raises BundleError if the table names a key twice, ContractError if an extra name is unusable.
        """
        item = _Names("an item")
        document = _Names("the document")
        fields = _lists(table, "fields")
        containers = _lists(table, "containers")
        documents = _lists(table, "document")
        for target, names in fields.items():
            for name in (target, *names):
                item.add(name, KeyRole("field", target))
        for name, record in _object(table, "templates").items():
            if not isinstance(record, dict):
                raise BundleError("bundle.aliases", f"template {name} must be an object with a field and a template")
            item.add(name, KeyRole("template", str(record["field"]), str(record["template"])))
        for name, target_value in _object(table, "units").items():
            item.add(name, KeyRole("unit", str(target_value)))
        for name, target_value in _object(table, "slots").items():
            item.add(name, KeyRole("slot", str(target_value)))
        for name in _strings(table, "metadata"):
            item.add(name, KeyRole("metadata", ""))
            document.add(name, KeyRole("metadata", ""))
        wrapping = _strings(table, "containers_that_wrap")
        for target, names in containers.items():
            for name in names:
                document.add(name, KeyRole("container", target, "wraps" if name in wrapping else ""))
        for name in _strings(table, "wrappers"):
            document.add(name, KeyRole("wrapper", ""))
        for target, names in documents.items():
            for name in names:
                document.add(name, KeyRole("document", target))
        for name, target in extra.items():
            if fold_key(name) is None:
                raise ContractError(
                    "contract.alias_key", f"the key {shown_key(name)} cannot be an alias: use letters, digits, spaces, '_' and '-'"
                )
            if target in fields:
                item.override(name, KeyRole("field", target), protected=fields)
            elif target in containers:
                document.override(name, KeyRole("container", target), protected=[*containers, *documents])
            elif target in documents:
                document.override(name, KeyRole("document", target), protected=[*containers, *documents])
            else:
                known = ", ".join([*fields, *containers, *documents])
                raise ContractError("contract.alias_target", f"the alias {shown_key(name)} must point at one of: {known}")
        absent = frozenset(_strings(table, "absent"))
        absent_in_fields = absent | frozenset(_strings(table, "absent_in_fields"))
        flags = dict.fromkeys(_strings(table, "true_words"), True) | dict.fromkeys(_strings(table, "false_words"), False)
        return cls(
            item_keys=MappingProxyType(item.roles),
            document_keys=MappingProxyType(document.roles),
            quantity_parts=_inverted(table, "quantity_parts"),
            timing_parts=_inverted(table, "timing_parts"),
            document_parts=frozenset(fold_key(name) or name for name in _strings(table, "document_parts")),
            period_words=MappingProxyType({name: str(unit) for name, unit in _object(table, "period_words").items()}),
            flags=MappingProxyType(flags),
            absent=absent,
            absent_in_fields=absent_in_fields,
            longest_absent=max(map(len, absent_in_fields)) + _PADDING,
        )

    def item_role(self, key: str) -> KeyRole | None:
        """What a key of an item stands for, or None."""
        role = self.item_keys.get(key)
        if role is None:
            folded = fold_key(key)
            return None if folded is None else self.item_keys.get(folded)
        return role

    def document_role(self, key: str) -> KeyRole | None:
        """What a key beside the container stands for, or None."""
        role = self.document_keys.get(key)
        if role is None:
            folded = fold_key(key)
            return None if folded is None else self.document_keys.get(folded)
        return role

    def is_absent(self, text: str, *, in_field: bool) -> bool:
        """True for text that claims nothing. "none" and "nil" say nothing of a field but may say something elsewhere."""
        return len(text) <= self.longest_absent and text.strip(JSON_SPACE).lower() in (self.absent_in_fields if in_field else self.absent)

    def carries_nothing(self, value: Json, *, in_field: bool) -> bool:
        """True if no leaf of the value claims anything."""
        work: list[Json] = [value]
        while work:
            leaf = work.pop()
            if type(leaf) is dict:
                work.extend(leaf.values())
            elif type(leaf) is list:
                work.extend(leaf)
            elif leaf is not None and not (type(leaf) is str and self.is_absent(leaf, in_field=in_field)):
                return False
        return True


class _Names:
    """Roles under construction: each name as written and as folded, refused when it would mean two things."""

    def __init__(self, level: str) -> None:
        self.level = level
        self.roles: dict[str, KeyRole] = {}

    def add(self, name: str, role: KeyRole) -> None:
        folded = fold_key(name)
        if folded is None or self.roles.get(folded, role) != role:
            raise BundleError("bundle.aliases", f"the alias {shown_key(name)} of {self.level} is unusable or means two things")
        self.roles[folded] = self.roles[name] = role

    def override(self, name: str, role: KeyRole, *, protected: Iterable[str]) -> None:
        folded = fold_key(name) or name
        canonical = {fold_key(each): each for each in protected}.get(folded, role.target)
        if canonical != role.target:
            raise ContractError("contract.alias_key", f"{shown_key(name)} is the name of a field of ours and cannot point at another")
        # Every spelling of the name moves with it, or an exact spelling would keep its old meaning.
        for spelling in [each for each in self.roles if fold_key(each) == folded]:
            self.roles[spelling] = role
        self.roles[folded] = self.roles[name] = role


def _object(table: Mapping[str, Json], name: str) -> dict[str, Json]:
    value = table.get(name)
    if not isinstance(value, dict):
        raise BundleError("bundle.aliases", f"aliases.json: {name} must be an object")
    return value


def _strings(table: Mapping[str, Json], name: str) -> list[str]:
    value = table.get(name)
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise BundleError("bundle.aliases", f"aliases.json: {name} must be a list of strings")
    return [str(entry) for entry in value]


def _lists(table: Mapping[str, Json], name: str) -> dict[str, list[str]]:
    members = _object(table, name)
    return {key: _strings(members, key) for key in members}


def _inverted(table: Mapping[str, Json], name: str) -> Mapping[str, str]:
    return MappingProxyType({fold_key(key) or key: part for part, keys in _lists(table, name).items() for key in keys})


_REASONING = frozenset({"reasoning", "rationale", "explanation", "thought", "thoughts", "chainofthought"})
_TOKEN = re.compile(r"[\w.:/+-]{1,80}")


def says_nothing(key: str, value: Json) -> bool:
    """Whether what stands under a metadata key is that: numbers, one token (an id, a label), or the model's own reasoning.

    `id: "take 4 tablets TDS"` is none, whatever its key promises.
    """
    if type(value) is str:
        folded = fold_key(key)
        return not value.strip() or _TOKEN.fullmatch(value) is not None or (folded or "").replace("_", "") in _REASONING
    if type(value) is list:
        return all(says_nothing(key, entry) for entry in value)
    if type(value) is dict:
        return all(fold_key(inner) not in _CLINICAL and says_nothing(inner, entry) for inner, entry in value.items())
    return True


def quoted_under(key: str, value: Json) -> list[str]:
    """The texts under a key that names a span (`name_span: "Telma"`): a place is numbers, and words there are a quotation."""
    if not (fold_key(key) or "").endswith(("span", "spans")):
        return []
    leaves: list[Json] = list(value.values()) if type(value) is dict else list(value) if type(value) is list else [value]
    if not all(leaf is None or type(leaf) in (str, int, bool) for leaf in leaves):
        return []
    return [leaf for leaf in leaves if type(leaf) is str and any(c.isalpha() for c in leaf)]


_CLINICAL = frozenset({"name", "medication", "medicine", "drug", "strength", "dose", "dosage", "frequency", "duration", "route"})
