"""The model's side: strict JSON in, one answer for every leaf out.

`plain_json` copies whatever the caller gave into plain JSON values, once; that copy is what is verified and
released, so nothing that changes later, or that answers one reader this way and another that way, can matter.
`read_payload` walks the copy and turns every leaf into exactly one of: a claim to be entailed, no claim (absent),
model metadata, a document claim, part of a claim (the unit of a value), or a finding of family S. Nothing is
repaired and nothing is dropped in silence.

A fault of the payload is a finding, never an exception. Messages name keys and paths and never values.
"""

from __future__ import annotations

import enum
import itertools
import json
import math
import re
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final, NamedTuple, NoReturn, Protocol

from medfence_guard.artifacts import ArtifactType, FieldSpec
from medfence_guard.contract import Evidence, Extraction, Finding, Json, Severity, Verdict
from medfence_guard.errors import BundleError, ContractError

# Limits come before work (P13). Real payloads stay two orders of magnitude below each of them.
MAX_DEPTH: Final = 64
MAX_BYTES: Final = 4 * 1024 * 1024
MAX_NODES: Final = 200_000
MAX_NUMBER_CHARACTERS: Final = 20
MAX_INTEGER: Final = 2**53 - 1  # what every JSON reader keeps exact (RFC 8259 section 6)
MAX_FIELD_CHARACTERS: Final = 512
MAX_ITEMS: Final = 200
MAX_KEYS: Final = 64
MAX_DOCUMENT_KEYS: Final = 256
MAX_WRAPPERS: Final = 3


class MalformedPayload(Exception):  # noqa: N818 - names the payload, and never reaches a caller
    """The payload is not the strict JSON we read. Internal: `read_payload` turns it into a finding.

    code: short reason. where: line and column, or a path. what: a sentence without payload text.
    """

    def __init__(self, code: str, where: str, what: str) -> None:
        super().__init__(f"{code} at {where}: {what}")
        self.code = code
        self.where = where
        self.what = what


# ---------------------------------------------------------------------------------------------------------------
# Paths
# ---------------------------------------------------------------------------------------------------------------

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SHOWN_KEY_CHARACTERS: Final = 64


def shown_key(key: str) -> str:
    """The key as a JSON string of ASCII characters (so that invisible and foreign letters are drawn), cut when long."""
    return json.dumps(key if len(key) <= _SHOWN_KEY_CHARACTERS else key[:_SHOWN_KEY_CHARACTERS] + "...")


def child_path(path: str, key: str) -> str:
    """`$.a` + `b` -> `$.a.b`; a key that is no identifier is quoted, so `strength.value` cannot pass for a nested field."""
    return f"{path}.{key}" if _PLAIN_KEY.fullmatch(key) else f"{path}[{shown_key(key)}]"


# ---------------------------------------------------------------------------------------------------------------
# Strict JSON text
# ---------------------------------------------------------------------------------------------------------------

_JSON_SPACE: Final = " \t\r\n"
_FENCE_INFO: Final = frozenset({"", "json", "JSON"})
# A string (an unterminated one reaches to the end, so that the scan stays linear), or one bracket.
_STRING_OR_BRACKET: Final = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


def _refuse_constant(_: str) -> NoReturn:
    raise MalformedPayload("not_a_number", "the text", "NaN and Infinity are not JSON numbers")


def _read_integer(literal: str) -> int:
    if len(literal) > MAX_NUMBER_CHARACTERS or literal == "-0" or abs(int(literal)) > MAX_INTEGER:
        raise MalformedPayload("number", "the text", "an integer is too large to be kept exactly, or is -0; send it as a string")
    return int(literal)


def _read_decimal(literal: str) -> str:
    if len(literal) > MAX_NUMBER_CHARACTERS or "e" in literal or "E" in literal:
        raise MalformedPayload("number", "the text", "a number has an exponent or too many digits; send it in plain decimal notation")
    return literal


def _read_object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise MalformedPayload("duplicate_key", "the text", "an object holds the same key twice; readers differ on which value counts")
    return members


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_read_object, parse_float=_read_decimal, parse_int=_read_integer, parse_constant=_refuse_constant
)


def _unfenced(text: str) -> str:
    """The inside of one fenced block with only white space outside it; any other text as it is."""
    stripped = text.strip(_JSON_SPACE)
    if not stripped.startswith("```"):
        return text
    opening, _, rest = stripped.partition("\n")
    body, newline, closing = rest.rpartition("\n")
    if opening[3:].strip(_JSON_SPACE) not in _FENCE_INFO or not newline or closing.strip(_JSON_SPACE) != "```":
        raise MalformedPayload("fence", "the text", "a code fence is not one closed block of JSON with only white space around it")
    return body


def _check_depth(text: str) -> None:
    """Refuse nesting beyond the limit before the recursive parser sees it."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for found in _STRING_OR_BRACKET.finditer(text):
        first = text[found.start()]
        if first in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise MalformedPayload("depth", "the text", f"the JSON is nested deeper than {MAX_DEPTH} levels")
        elif first in "]}":
            depth -= 1


def _parse(text: str) -> Json:
    if len(text) > MAX_BYTES:
        raise MalformedPayload("size", "the text", f"the JSON text is larger than {MAX_BYTES} bytes")
    if text.startswith("\ufeff"):
        raise MalformedPayload("byte_order_mark", "the text", "the JSON text starts with a byte order mark")
    if not text.isascii():
        try:
            size = len(text.encode("utf-8"))
        except UnicodeEncodeError:
            size = -1
        if size < 0:
            raise MalformedPayload("surrogate", "the text", "the JSON text holds half of a surrogate pair")
        if size > MAX_BYTES:
            raise MalformedPayload("size", "the text", f"the JSON text is larger than {MAX_BYTES} bytes")
    text = _unfenced(text)
    _check_depth(text)
    where = ""
    value: Json = None
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        # Raised again below, outside the handler: the original error carries the whole text.
        where = f"line {error.lineno} column {error.colno}"
    if where:
        raise MalformedPayload("not_json", where, "the text is not one JSON value and nothing else")
    if _SURROGATE_ESCAPE.search(text):
        _check_surrogates(value)
    return value


def _check_surrogates(value: Json) -> None:
    if not _encodable(json.dumps(value, ensure_ascii=False)):
        raise MalformedPayload("surrogate", "the text", "a string holds half of a surrogate pair")


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


# ---------------------------------------------------------------------------------------------------------------
# Python values
# ---------------------------------------------------------------------------------------------------------------

# A path is kept as a chain and written out only when something is refused.
_Where = tuple["_Where | None", "str | int"]

_TRUSTED_CONTAINERS: Final = frozenset({dict, list, tuple, OrderedDict, defaultdict, object})
_READERS: Final = frozenset({"__getitem__", "__iter__", "__len__", "__contains__", "items", "keys", "values", "get"})


def _rendered(where: _Where | None) -> str:
    steps: list[str | int] = []
    while where is not None:
        where, step = where
        steps.append(step)
    path = "$"
    for step in reversed(steps):
        path = f"{path}[{step}]" if isinstance(step, int) else child_path(path, step)
    return path


def _refuse(code: str, where: _Where | None, what: str) -> NoReturn:
    raise MalformedPayload(code, _rendered(where), what)


def _reads_itself(kind: type) -> bool:
    """True if a subclass of dict, list or tuple answers readers in its own way: two readers could see two payloads."""
    own = (base for base in kind.__mro__ if base not in _TRUSTED_CONTAINERS and base.__module__ != "typing")
    return any(not _READERS.isdisjoint(vars(base)) for base in own)


def _plain_number(literal: str, where: _Where | None) -> str:
    if len(literal) > MAX_NUMBER_CHARACTERS or not literal.lstrip("-").replace(".", "", 1).isdigit():
        _refuse("number", where, "a number is not finite, or needs an exponent or too many digits; send it as plain decimal text")
    return literal


def _unwrapped(value: object) -> object:
    """The value inside an enum member or a pydantic root model."""
    for _ in range(MAX_DEPTH):
        if isinstance(value, enum.Enum) and not isinstance(value, (str, int)):
            value = object.__getattribute__(value, "_value_")
        elif getattr(type(value), "__pydantic_root_model__", False) is True:
            value = object.__getattribute__(value, "__dict__")["root"]
        else:
            break
    return value


def _model_members(value: object) -> list[tuple[object, object]] | None:
    """The members of a pydantic model, or None if it is none. A field left unset whose value is None is no claim."""
    fields = getattr(type(value), "__pydantic_fields__", None)
    if not isinstance(fields, dict):
        return None
    stored = object.__getattribute__(value, "__dict__")
    named = object.__getattribute__(value, "__pydantic_fields_set__")
    extra = object.__getattribute__(value, "__pydantic_extra__")
    members: list[tuple[object, object]] = [
        (name, stored[name]) for name in fields if name in stored and not (stored[name] is None and name not in named)
    ]
    if isinstance(extra, dict):
        members.extend(extra.items())
    return members


_Members = Iterable[tuple[object, object]]


def _copy(payload: object) -> Json:
    """Copy into plain JSON values with a work list, so that no nesting can exhaust the stack."""
    root, members = _convert(payload, None)
    # (members to copy, where to put them, where they came from, depth)
    work: list[tuple[_Members, Json, _Where | None, int]] = [] if members is None else [(members, root, None, 1)]
    nodes = characters = 0
    while work:
        members, target, where, depth = work.pop()
        if depth > MAX_DEPTH:
            _refuse("depth", where, f"the payload is nested deeper than {MAX_DEPTH} levels, or contains itself")
        into_dict = target if type(target) is dict else None
        into_list = target if type(target) is list else []
        for key, value in members:
            nodes += 1
            if into_dict is not None and type(key) is str:
                if key in into_dict:
                    _refuse("duplicate_key", where, "an object holds the same key twice")
            elif into_dict is not None:
                key = _plain_key(key, where)
                if key in into_dict:
                    _refuse("duplicate_key", where, "an object holds the same key twice")
            copied: Json
            kind = type(value)
            if kind is str:
                copied = str(value)
            elif value is None or value is True or value is False:
                copied = value
            elif kind is int and -MAX_INTEGER <= value <= MAX_INTEGER:  # type: ignore[operator]
                copied = value  # type: ignore[assignment]
            elif kind is dict:
                copied = {}
                work.append((value.items(), copied, (where, key), depth + 1))  # type: ignore[attr-defined, arg-type]
            else:
                here: _Where = (where, key)  # type: ignore[assignment]
                copied, inner = _convert(value, here)
                if inner is not None:
                    work.append((inner, copied, here, depth + 1))
            if type(copied) is str:
                characters += len(copied)
                if not (copied.isascii() or _encodable(copied)):
                    _refuse("surrogate", (where, key), "a string holds half of a surrogate pair")  # type: ignore[arg-type]
            if into_dict is None:
                into_list.append(copied)
            else:
                characters += len(key)  # type: ignore[arg-type]
                if not (key.isascii() or _encodable(key)):  # type: ignore[attr-defined, arg-type]
                    _refuse("surrogate", where, "a key holds half of a surrogate pair")
                into_dict[key] = copied  # type: ignore[index]
            if nodes > MAX_NODES or characters > MAX_BYTES:
                _refuse("size", None, f"the payload has more than {MAX_NODES} values or {MAX_BYTES} characters")
    return root


def _plain_key(key: object, where: _Where | None) -> str:
    if not isinstance(key, str):
        _refuse("key_type", where, "an object has a key that is not a string")
    return str.__str__(key)


def _convert(value: object, where: _Where | None) -> tuple[Json, Iterable[tuple[object, object]] | None]:
    """What is not exactly str, int, bool or None: a plain value, or an empty container and the members to fill it with.

    Subclasses are read through the base type's own methods only, never through what they override.
    """
    kind = type(value)
    if kind is dict:
        return {}, value.items()  # type: ignore[attr-defined]
    if kind is list:
        return [], enumerate(value)  # type: ignore[arg-type]
    value = _unwrapped(value)
    kind = type(value)
    if value is None or isinstance(value, bool):
        return value, None
    if isinstance(value, (dict, list, tuple)):
        if _reads_itself(kind):
            _refuse("reader", where, f"a {kind.__name__} answers readers in its own way; pass plain dicts and lists")
        if isinstance(value, dict):
            return {}, dict.items(value)
        # Never through an overridden __iter__.
        return [], enumerate(list.__iter__(value) if isinstance(value, list) else tuple.__iter__(value))
    if isinstance(value, str):
        return str.__str__(value), None
    if isinstance(value, int):
        whole = int.__add__(value, 0)
        if abs(whole) > MAX_INTEGER:
            _refuse("number", where, "an integer is too large to be kept exactly; send it as a string")
        return whole, None
    if isinstance(value, float):
        if not math.isfinite(value):
            _refuse("not_a_number", where, "NaN and Infinity are not JSON numbers")
        return _plain_number(float.__repr__(value), where), None
    if isinstance(value, Decimal):
        return _plain_number(Decimal.__str__(value), where), None
    members = _model_members(value)
    if members is not None:
        return {}, members
    if isinstance(value, Mapping):
        # Not a dict: read once, through its own methods; the copy is what counts from here on.
        return {}, itertools.islice(value.items(), MAX_NODES + 1)
    _refuse("type", where, f"a value is a {kind.__name__}, which is not JSON; dump it to JSON values first")


def plain_json(payload: object) -> Json:
    """The payload as plain JSON values: str and bytes parsed strictly (P14), anything else copied once.

    Numbers that are not integers become decimal strings in plain notation. Raises MalformedPayload and nothing else.
    """
    failed = ""
    try:
        if isinstance(payload, str):
            return _parse(str.__str__(payload))
        if isinstance(payload, (bytes, bytearray)):
            if len(payload) > MAX_BYTES:
                raise MalformedPayload("size", "the text", f"the JSON text is larger than {MAX_BYTES} bytes")
            return _parse(bytes(payload).decode("utf-8"))
        return _copy(payload)
    except MalformedPayload:
        raise
    except UnicodeDecodeError:
        failed = "the bytes are not UTF-8"
    except Exception as error:  # noqa: BLE001 - whatever a foreign object's own methods raise is the payload's fault
        failed = f"reading the payload raised {type(error).__name__}"
    raise MalformedPayload("unreadable", "$", failed)


# ---------------------------------------------------------------------------------------------------------------
# Key names
# ---------------------------------------------------------------------------------------------------------------

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
        return len(text) <= self.longest_absent and text.strip(_JSON_SPACE).lower() in (self.absent_in_fields if in_field else self.absent)

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


# ---------------------------------------------------------------------------------------------------------------
# Claims
# ---------------------------------------------------------------------------------------------------------------


class Claim(NamedTuple):
    """One thing the payload says. text: the value as one string, in the source's own notation, nothing repaired.

    path: of the field, under the payload's own keys. field: canonical. item: position in `PayloadReading.items`,
    None for a document claim. key: as the payload spells it. boolean: for `as_needed`, else None.
    """

    path: str
    field: str
    text: str
    item: int | None
    key: str
    boolean: bool | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One medication of the payload. index: position in `PayloadReading.items`. keys: canonical fields whose key appears, even as null."""

    index: int
    path: str
    claims: tuple[Claim, ...]
    keys: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadReading:
    """What the payload says, and what of it could not be read.

    value: the plain copy (None when malformed). claims: how many claims, items and document together.
    container: path of the list of items. not_checked: paths the deployer listed and the payload holds.
    """

    value: Json
    items: tuple[Item, ...]
    document_claims: tuple[Claim, ...]
    findings: tuple[Finding, ...]
    keys_anywhere: frozenset[str]
    claims: int
    container: str
    not_checked: tuple[str, ...]


class PayloadRules(Protocol):
    """What `read_payload` needs of a rulepack."""

    @property
    def alias_table(self) -> AliasTable:
        """`AliasTable.from_json(aliases.json, the deployer's aliases)`, compiled when the rulepack is made."""

    @property
    def unverified(self) -> frozenset[str]:
        """Exact paths the deployer takes responsibility for."""


_NUMERIC: Final = re.compile(r"[0-9]{1,9}(?:[./][0-9]{1,9})?")
_PLAIN_COUNT: Final = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?(?:-[0-9]{1,9})?")
_WHOLE: Final = re.compile(r"[0-9]{1,4}")
_COUNT_AND_PERIOD: Final = re.compile(r"([0-9]{1,4}) ?([a-z]{1,8})")
_SLOTS_OF_THREE: Final = ("morning", "afternoon", "night")
_SLOTS_OF_FOUR: Final = ("morning", "afternoon", "evening", "night")
_TIMES_WORDS: Final = {"1": "once", "2": "twice"}

# A unit that names no field belongs to the one bare number among the first of these, or else of the second.
_MEASURED_FIELDS: Final = (("strength", "dose", "dosage"), ("quantity",))


_LABEL: Final = re.compile(r"(?:items?|meds?|medications?|medicines?|drugs?|rx|m|no|line)?[ _-]?[0-9]{1,3}")


def _only_a_label(key: str, entry: Mapping[str, Json]) -> bool:
    """Whether the key of an item in an object of items says nothing: a number, or the name that the item has itself."""
    folded = key.strip().lower()
    return _LABEL.fullmatch(folded) is not None or any(type(value) is str and value.strip().lower() == folded for value in entry.values())


def _finding(check_id: str, path: str, severity: Severity, message: str, verdict: Verdict = Verdict.ABSTAIN) -> Finding:
    return Finding(
        check_id=check_id,
        field_path=path,
        verdict=verdict,
        severity=severity,
        evidence=(Evidence(kind="rule", rule_id=check_id),),
        message=message,
    )


def _has_letters(text: str) -> bool:
    return any(character.isalpha() or character == "%" for character in text)


def _ends_with_unit(text: str, unit: str) -> bool:
    """True if the text already carries the unit as its last word: `500 mg`, `500mg`."""
    head = text[: len(text) - len(unit)]
    return text.lower().endswith(unit.lower()) and bool(head) and not head[-1].isalpha()


class _UnreadableError(Exception):
    """A value that cannot be put into one string. Internal: becomes `schema.type` or `schema.role`."""

    def __init__(self, check_id: str, message: str) -> None:
        super().__init__(message)
        self.check_id = check_id
        self.message = message


def _wrong_type(value: Json) -> _UnreadableError:
    return _UnreadableError(
        "schema.type",
        f"The value under {{key}} is {_kind_name(value)}, which this field cannot be; it was not checked. "
        "Ask the model for the words of the source.",
    )


class _Reader:
    """One reading in progress."""

    __slots__ = (
        "artifact",
        "claims",
        "container",
        "document_claims",
        "findings",
        "items",
        "keys",
        "not_checked",
        "seen",
        "table",
        "unverified",
    )

    def __init__(self, artifact: ArtifactType, table: AliasTable, unverified: frozenset[str]) -> None:
        self.artifact = artifact
        self.table = table
        self.unverified = unverified
        self.container = ""
        self.items: list[Item] = []
        self.document_claims: list[Claim] = []
        self.findings: list[Finding] = []
        self.not_checked: list[str] = []
        self.seen: set[tuple[str, str]] = set()  # unmapped keys reported already: (level, key)
        self.claims: list[Claim] = []  # of the item being read
        self.keys: set[str] = set()

    # -- the document ------------------------------------------------------------------------------------------

    def root(self, value: Json) -> None:
        if type(value) is list:
            self.list_of_items(value, "$")
        elif type(value) is dict:
            self.document(value, "$", MAX_WRAPPERS)

    def document(self, members: dict[str, Json], path: str, wrappers_left: int) -> None:
        if not self.holds_container(members) and self.holds_name(members):
            self.container = self.container or path
            self.item(members, path)
            return
        if len(members) > MAX_DOCUMENT_KEYS:
            self.too_much(path, f"more than {MAX_DOCUMENT_KEYS} keys")
            return
        for key, value in members.items():
            role = self.table.document_role(key)
            here = child_path(path, key)
            kind = "" if role is None else role.kind
            if kind == "container" and role is not None and role.target != self.artifact.container:
                kind = ""
            if kind == "container" or (kind == "wrapper" and self.holds_items(value, wrappers_left)):
                pure = kind == "container" and role is not None and role.template != "wraps"
                self.structure(key, here, value, wrappers_left, pure=pure)
            elif here in self.unverified:
                self.unmapped("document", key, here, value)
            elif kind == "wrapper" and type(value) is dict and wrappers_left:
                self.document(value, here, wrappers_left - 1)
            elif kind == "metadata" and _says_nothing(key, value):
                pass
            elif kind == "document" and role is not None and role.target in self.artifact.document_fields:
                self.document_field(role.target, key, here, value)
            else:
                self.unmapped("document", key, here, value)

    def structure(self, key: str, path: str, value: Json, wrappers_left: int, *, pure: bool) -> None:
        """The value of a container key, or of a wrapper around one. pure: the key holds items and nothing else."""
        if type(value) is list:
            self.list_of_items(value, path)
        elif pure and type(value) is dict and not self.holds_name(value) and not self.holds_container(value):
            self.container = self.container or path
            for inner, entry in value.items():
                if type(entry) is dict and not _only_a_label(inner, entry):
                    message = (
                        "The key of this item says something of it (a status, a time, another name); it was not checked. "
                        "Ask for a list of items."
                    )
                    self.findings.append(_finding("schema.role", child_path(path, inner), Severity.MAJOR, message))
            self.entries(((child_path(path, inner), entry) for inner, entry in value.items()), path)
        elif type(value) is dict and wrappers_left:
            self.document(value, path, wrappers_left - 1)
        elif type(value) is dict:
            self.too_much(path, f"more than {MAX_WRAPPERS} objects around the list of items")
        elif not self.table.carries_nothing(value, in_field=True):
            self.unreadable(_wrong_type(value), key, path)

    def holds_items(self, value: Json, wrappers_left: int) -> bool:
        """True if the value of a wrapper is, or leads to, a list of items."""
        if type(value) is list:
            return any(type(entry) is dict and self.holds_name(entry) for entry in value)
        if type(value) is not dict:
            return False
        if self.holds_name(value):
            return True
        for key, inner in value.items():
            role = self.table.document_role(key)
            if role is not None and role.kind == "container" and role.target == self.artifact.container:
                return True
            if role is not None and role.kind == "wrapper" and wrappers_left and self.holds_items(inner, wrappers_left - 1):
                return True
        return False

    def holds_container(self, members: dict[str, Json]) -> bool:
        for key, value in members.items():
            if type(value) is list or type(value) is dict:
                role = self.table.document_role(key)
                if role is not None and role.kind in ("container", "wrapper"):
                    return True
        return False

    def holds_name(self, members: dict[str, Json]) -> bool:
        for key in members:
            role = self.table.item_role(key)
            if role is not None and role.kind == "field" and role.target in ("name", "generic_name"):
                return True
        return False

    def document_field(self, target: str, key: str, path: str, value: Json) -> None:
        if type(value) is list:
            if len(value) > MAX_KEYS:
                self.too_much(path, f"more than {MAX_KEYS} entries")
                return
            for position, entry in enumerate(value):
                self.document_leaf(target, key, f"{path}[{position}]", entry)
        elif type(value) is dict:
            for inner, entry in value.items():
                here = child_path(path, inner)
                if here in self.unverified:
                    self.unmapped(f"document.{target}", inner, here, entry)
                elif fold_key(inner) in self.table.document_parts:
                    self.document_leaf(target, inner, here, entry)
                else:
                    self.unmapped(f"document.{target}", inner, here, entry)
        else:
            self.document_leaf(target, key, path, value)

    def document_leaf(self, target: str, key: str, path: str, value: Json) -> None:
        if value is None or (type(value) is str and self.table.is_absent(value, in_field=True)):
            return
        if type(value) is str:
            text = value
        elif type(value) is int:
            text = str(value)
        else:
            self.unreadable(_wrong_type(value), key, path)
            return
        if len(text) > MAX_FIELD_CHARACTERS:
            self.too_much(path, f"more than {MAX_FIELD_CHARACTERS} characters")
            return
        if len(self.document_claims) >= MAX_ITEMS:
            self.too_much(path, f"more than {MAX_ITEMS} values beside the items")
            return
        self.document_claims.append(Claim(path, target, text, None, key))

    # -- items -------------------------------------------------------------------------------------------------

    def list_of_items(self, entries: list[Json], path: str) -> None:
        self.container = self.container or path
        self.entries(((f"{path}[{position}]", entry) for position, entry in enumerate(entries)), path)

    def entries(self, entries: Iterable[tuple[str, Json]], path: str) -> None:
        for here, entry in entries:
            if type(entry) is dict:
                if "name" not in entry and not self.holds_name(entry) and self.holds_container(entry):
                    self.document(entry, here, 0)
                elif len(self.items) >= MAX_ITEMS:
                    self.too_much(path, f"more than {MAX_ITEMS} items; those after them were not read")
                    return
                else:
                    self.item(entry, here)
            elif not self.table.carries_nothing(entry, in_field=False):
                self.findings.append(
                    _finding(
                        "schema.type",
                        here,
                        Severity.MAJOR,
                        f"An item is {_kind_name(entry)} where an object with its fields is needed; it was not checked. "
                        "Ask the model for one object per item.",
                    )
                )
                if len(self.findings) > MAX_ITEMS:
                    self.too_much(path, "too many entries that cannot be read; the rest was not read")
                    return

    def item(self, members: dict[str, Json], path: str) -> None:
        if len(members) > MAX_KEYS:
            self.too_much(path, f"more than {MAX_KEYS} keys in one item")
            self.items.append(Item(len(self.items), path, (), frozenset()))
            return
        table = self.table
        item_keys = table.item_keys
        fields = self.artifact.fields
        absent, longest_absent = table.absent_in_fields, table.longest_absent
        index = len(self.items)
        claims: list[Claim] = []
        keys: set[str] = set()
        self.claims = claims
        self.keys = keys
        units: list[tuple[str, str, str, Json]] = []
        slots: list[tuple[str, str, str, Json]] = []
        findings_before = len(self.findings)
        for key, value in members.items():
            role = item_keys.get(key)
            if role is None:
                role = table.item_role(key)
                here = child_path(path, key)
            else:
                here = f"{path}.{key}"
            if role is not None and role.kind == "field":
                spec = fields.get(role.target)
                if spec is not None:
                    keys.add(role.target)
                    # The two plain cases first: a string of reasonable length, and a number with its unit.
                    if type(value) is str and len(value) <= MAX_FIELD_CHARACTERS and not spec.boolean:
                        if len(value) > longest_absent or value.strip(_JSON_SPACE).lower() not in absent:
                            claims.append(Claim(here, role.target, value, index, key))
                    elif (
                        type(value) is dict
                        and len(value) == 2
                        and type(number := value.get("value")) is int
                        and type(unit := value.get("unit")) is str
                        and len(unit) < MAX_FIELD_CHARACTERS // 2
                        and "quantity" in spec.shapes
                        and unit.strip(_JSON_SPACE).lower() not in absent
                    ):
                        claims.append(Claim(here, role.target, f"{number} {unit}", index, key))
                    else:
                        self.field(spec, key, here, value, index, 2)
                    continue
            if role is None:
                self.unmapped("item", key, here, value)
            elif role.kind == "template" and role.target in fields:
                keys.add(role.target)
                self.templated(fields[role.target], role.template, key, here, value, index)
            elif role.kind == "unit":
                if role.target in fields:
                    keys.add(role.target)
                units.append((role.target, key, here, value))
            elif role.kind == "slot" and "frequency" in fields:
                keys.add("frequency")
                slots.append((role.target, key, here, value))
            elif role.kind != "metadata" or not _says_nothing(key, value):
                self.unmapped("item", key, here, value)
        if slots:
            self.slots(slots, index)
        for target, key, here, value in units:
            self.join_unit(target, key, here, value)
        if not claims and len(self.findings) == findings_before:
            message = "This item claims nothing, so nothing of it could be checked. Look at the source."
            self.findings.append(_finding("schema.empty", path, Severity.MAJOR, message))
        self.items.append(Item(index, path, tuple(claims), frozenset(keys)))

    # -- fields ------------------------------------------------------------------------------------------------

    def field(self, spec: FieldSpec, key: str, path: str, value: Json, index: int, nesting_left: int) -> None:
        """One field whose value may be anything."""
        if type(value) is list:
            self.field_list(spec, key, path, value, index, nesting_left)
        elif type(value) is dict:
            self.field_object(spec, key, path, value, index, nesting_left)
        elif spec.boolean and type(value) is not int:
            self.flag(spec, key, path, value, index)
        else:
            self.claim(spec, key, path, value, index)

    def claim(self, spec: FieldSpec, key: str, path: str, value: Json, index: int) -> None:
        """A leaf as a claim, or the finding that says why it is none."""
        try:
            text = self.text_of(spec, value)
        except _UnreadableError as problem:
            self.unreadable(problem, key, path)
            return
        if text is not None:
            self.add(spec.name, text, key, path, index)

    def add(self, name: str, text: str, key: str, path: str, index: int, boolean: bool | None = None) -> None:
        if len(text) > MAX_FIELD_CHARACTERS:
            self.too_much(path, f"more than {MAX_FIELD_CHARACTERS} characters")
        else:
            self.claims.append(Claim(path, name, text, index, key, boolean))

    def flag(self, spec: FieldSpec, key: str, path: str, value: Json, index: int) -> None:
        if value is True or value is False:
            self.add(spec.name, "true" if value else "false", key, path, index, value)
        elif type(value) is str:
            word = value.strip(_JSON_SPACE).lower()
            if word in self.table.flags:
                self.add(spec.name, value, key, path, index, self.table.flags[word])
            else:
                self.claim(spec, key, path, value, index)

    def text_of(self, spec: FieldSpec, value: Json) -> str | None:
        """A leaf as text; None when absent. Raises _UnreadableError for what the field cannot be."""
        if value is None:
            return None
        if type(value) is str:
            return None if self.table.is_absent(value, in_field=True) else value
        if type(value) is int:
            if spec.number:
                return str(value)
            if spec.kind == "timing":
                raise _UnreadableError(
                    "schema.role",
                    "The value under {key} is a bare number: it may count times a day, hours between doses or slots. "
                    'Ask the model for the words of the source, or for a key that names the meaning, as "times_per_day" does.',
                )
        raise _wrong_type(value)

    def field_list(self, spec: FieldSpec, key: str, path: str, entries: list[Json], index: int, nesting_left: int) -> None:
        if len(entries) > MAX_KEYS:
            self.too_much(path, f"more than {MAX_KEYS} entries")
            return
        if spec.each:
            for position, entry in enumerate(entries):
                here = f"{path}[{position}]"
                if type(entry) is dict and nesting_left:
                    self.field_object(spec, key, here, entry, index, nesting_left - 1)
                else:
                    self.claim(spec, key, here, entry, index)
            return
        parts: list[str] = []
        try:
            for position, entry in enumerate(entries):
                here = f"{path}[{position}]"
                text = self.quantity_object(spec, entry, here) if type(entry) is dict else self.text_of(spec, entry)
                if text is not None:
                    parts.append(text)
        except _UnreadableError as problem:
            self.unreadable(problem, key, path)
            return
        if parts:
            self.add(spec.name, " + ".join(parts), key, path, index)

    def field_object(self, spec: FieldSpec, key: str, path: str, members: dict[str, Json], index: int, nesting_left: int) -> None:
        """An object under a field: its parts make the claim; inner keys that name a field of their own make theirs."""
        if len(members) > MAX_KEYS:
            self.too_much(path, f"more than {MAX_KEYS} keys in one value")
            return
        table = self.table
        timing, slotted = "timing" in spec.shapes, "slots" in spec.shapes
        quantity: dict[str, Json] = {}
        times: dict[str, Json] = {}
        slots: list[tuple[str, str, str, Json]] = []
        units: list[tuple[str, str, str, Json]] = []
        for inner, value in members.items():
            here = child_path(path, inner)
            folded = fold_key(inner)
            role = None if folded is None else table.item_keys.get(folded)
            times_part = table.timing_parts.get(folded) if timing and folded is not None else None
            quantity_part = table.quantity_parts.get(folded) if folded is not None else None
            if "quantity" not in spec.shapes and quantity_part not in ("text", "value"):
                quantity_part = None
            if times_part is not None and times_part not in times:
                times[times_part] = value
            elif quantity_part is not None and quantity_part not in quantity:
                quantity[quantity_part] = value
            elif slotted and role is not None and role.kind == "slot":
                slots.append((role.target, inner, here, value))
            elif role is not None and role.kind == "metadata" and _says_nothing(inner, value):
                pass
            elif role is not None and role.kind == "unit" and role.target in self.artifact.fields:
                self.keys.add(role.target)
                units.append((role.target, inner, here, value))
            elif role is not None and role.kind in ("field", "template") and role.target in self.artifact.fields and nesting_left:
                inner_spec = self.artifact.fields[role.target]
                self.keys.add(role.target)
                at = path if role.target == spec.name and type(value) is not list and type(value) is not dict else here
                if role.kind == "template":
                    self.templated(inner_spec, role.template, inner, at, value, index)
                else:
                    self.field(inner_spec, inner, at, value, index, nesting_left - 1)
            else:
                self.unmapped(f"item.{spec.name}", inner, here, value)
        if "unit" in quantity and "value" not in quantity and not times.keys().isdisjoint(("every", "period")):
            times.setdefault("every_unit" if "every" in times else "period_unit", quantity.pop("unit"))
        if slots:
            self.keys.add("frequency")
            self.slots(slots, index, path)
        for render, parts in ((self.timing_text, times), (self.quantity_text, quantity)):
            try:
                written = self.text_of(spec, parts.pop("text", None))
                text = render(spec, parts) if parts else None
            except _UnreadableError as problem:
                self.unreadable(problem, key, path)
                continue
            for claimed in (text, written):
                if claimed is not None:
                    self.add(spec.name, claimed, key, path, index)
        for target, inner, here, value in units:
            self.join_unit(target, inner, here, value)

    def quantity_object(self, spec: FieldSpec, members: dict[str, Json], path: str) -> str | None:
        """`{"value", "unit"}` inside a list, as one part of a joined claim; its other keys are reported."""
        parts: dict[str, Json] = {}
        for inner, value in members.items():
            folded = fold_key(inner)
            part = None if folded is None else self.table.quantity_parts.get(folded)
            if part is not None and part not in parts and "quantity" in spec.shapes:
                parts[part] = value
            else:
                self.unmapped(f"item.{spec.name}", inner, child_path(path, inner), value)
        written = parts.pop("text", None)
        text = self.quantity_text(spec, parts) if parts else None
        if text is None:
            return self.text_of(spec, written)
        if not self.table.carries_nothing(written, in_field=True) and written != text:
            raise _UnreadableError("schema.role", "An entry under {key} gives a text and another value; it was not checked.")
        return text

    def quantity_text(self, spec: FieldSpec, parts: Mapping[str, Json]) -> str | None:
        """`{"value": 500, "unit": "mg"}` -> `500 mg`; low and high -> `1-2 tablets`; per -> `250 mg/5 ml`."""
        unit = self.leaf(spec, parts.get("unit"), number=False)
        value = parts.get("value")
        low, high = self.leaf(spec, parts.get("low")), self.leaf(spec, parts.get("high"))
        per = self.measure(spec, parts.get("per"))
        base: str | None
        if type(value) is list:
            measured = [entry for entry in (self.measure(spec, one) for one in value) if entry is not None]
            each = measured if unit is None else [with_unit(entry, unit) for entry in measured]
            base = " + ".join(each) if each else None
        else:
            base = self.measure(spec, value)
            if base is not None and unit is not None:
                base = with_unit(base, unit)
        if low is not None and high is not None:
            span = f"{low}-{high}" if unit is None else f"{low}-{high} {unit}"
            if base is not None:
                raise _UnreadableError("schema.role", "The object under {key} gives both a value and a range; it was not checked.")
            base = span
        elif low is not None or high is not None:
            raise _UnreadableError("schema.role", "The object under {key} gives one end of a range only; it was not checked.")
        if base is None:
            if unit is not None or per is not None:
                raise _UnreadableError("schema.role", "The object under {key} gives a unit without its value; it was not checked.")
            return None
        if spec.kind == "timing" and _NUMERIC.fullmatch(base):
            return self.text_of(spec, 0)  # a bare number under a timing field: refused with its reason
        return base if per is None else f"{base}/{per}"

    def measure(self, spec: FieldSpec, value: Json) -> str | None:
        """A leaf, or one inner `{"value", "unit"}`, as text."""
        if type(value) is not dict:
            return self.leaf(spec, value)
        parts: dict[str, Json] = {}
        for inner, entry in value.items():
            part = self.table.quantity_parts.get(fold_key(inner) or "")
            if part not in ("value", "unit") or part in parts or type(entry) is dict or type(entry) is list:
                raise _UnreadableError("schema.role", "The object under {key} nests more than a value with its unit; it was not checked.")
            parts[part] = entry
        return self.quantity_text(spec, parts)

    def leaf(self, spec: FieldSpec, value: Json, *, number: bool = True) -> str | None:
        if value is None:
            return None
        if type(value) is str:
            return None if self.table.is_absent(value, in_field=True) else value
        if type(value) is int and number and (spec.number or spec.kind == "timing"):
            return str(value)
        raise _wrong_type(value)

    def timing_text(self, spec: FieldSpec, parts: Mapping[str, Json]) -> str | None:
        """`{"times": 2, "period": "day"}` -> `twice a day`; `{"every": 8, "every_unit": "hours"}` -> `every 8 hours`."""
        times = self.leaf(spec, parts.get("times"))
        every = self.leaf(spec, parts.get("every"))
        period = self.leaf(spec, parts.get("period"))
        unit = self.leaf(spec, parts.get("period_unit"), number=False)
        every_unit = self.leaf(spec, parts.get("every_unit"), number=False)
        message = "The object under {key} does not say plainly how many times in which period; it was not checked."
        refused = _UnreadableError("schema.role", message)
        if times is None and every is None and period is None and unit is None and every_unit is None:
            return None
        if every is not None:
            if times not in (None, "1") or period is not None:
                raise refused
            length, word = self.period(every, every_unit or unit)
            if word is None:
                raise refused
            return f"every {length} {word}s" if length != "1" else f"every {word}"
        if every_unit is not None or (period is None and unit is None):
            if times is not None and every_unit is None and not _NUMERIC.fullmatch(times):
                return times
            raise refused
        length, word = self.period(period, unit)
        if word is None:
            raise refused
        if times is None:
            raise refused
        if not _WHOLE.fullmatch(times):
            raise refused
        if length != "1":
            return f"every {length} {word}s" if times == "1" else f"{times} times every {length} {word}s"
        return f"{_TIMES_WORDS.get(times, times + ' times')} a{'n' if word == 'hour' else ''} {word}"

    def period(self, length: str | None, unit: str | None) -> tuple[str, str | None]:
        """A period as (count, word); the word is None when it is not understood."""
        words = self.table.period_words
        if unit is not None:
            count = "1" if length is None else length
            return count, words.get(unit.strip(_JSON_SPACE).lower()) if _WHOLE.fullmatch(count) else None
        text = (length or "").strip(_JSON_SPACE).lower()
        if text in words:
            return "1", words[text]
        found = _COUNT_AND_PERIOD.fullmatch(text)
        return (found.group(1), words.get(found.group(2))) if found else ("", None)

    def templated(self, spec: FieldSpec, template: str, key: str, path: str, value: Json, index: int) -> None:
        """A key that says what its bare number counts: `duration_days: 30` -> `30 days`. Other text stays as written."""
        if type(value) is int:
            value = str(value)
        if type(value) is str and _PLAIN_COUNT.fullmatch(value):
            if value in _TIMES_WORDS and template.startswith("{} times "):
                value = template.replace("{} times", _TIMES_WORDS[value])
            else:
                value = template.replace("{}", value).removesuffix("s" if value == "1" else "")
        if type(value) is str or value is None:
            self.claim(spec, key, path, value, index)
        else:
            self.unreadable(_wrong_type(value), key, path)

    def slots(self, slots: list[tuple[str, str, str, Json]], index: int, path: str | None = None) -> None:
        """`morning: 1, afternoon: 0, night: 1` -> frequency `1-0-1`, at the first slot's path (or the object's)."""
        _, first_key, first_path, _ = slots[0]
        at = first_path if path is None else path
        counts: dict[str, str] = {}
        for slot, key, here, value in slots:
            if value is None or (type(value) is str and self.table.is_absent(value, in_field=True)):
                continue
            text = str(value) if type(value) is int else value
            if type(text) is not str:
                self.unreadable(_wrong_type(value), key, here if path is None else path)
                return
            if slot in counts or not (_NUMERIC.fullmatch(text) or text in ("\u00bd", "\u00bc", "\u00be")):
                self.unreadable(
                    _UnreadableError("schema.role", "The time of day under {key} holds no plain number of units; it was not checked."),
                    key,
                    here if path is None else path,
                )
                return
            counts[slot] = text
        if not counts:
            return
        names = _SLOTS_OF_FOUR if "evening" in counts and ("night" in counts or "afternoon" not in counts) else _SLOTS_OF_THREE
        if "evening" in counts and "night" not in counts:
            # Morning, noon and evening are the three slots of a day when no night is given.
            counts["night"] = counts.pop("evening")
            names = _SLOTS_OF_THREE
        self.add("frequency", "-".join(counts.get(name, "0") for name in names), first_key, at, index)

    def join_unit(self, target: str, key: str, path: str, value: Json) -> None:
        """A unit in a key of its own joins the bare number it belongs to; one that is restated is part of the claim."""
        if value is None or (type(value) is str and self.table.is_absent(value, in_field=True)):
            return
        if type(value) is not str:
            self.unreadable(_wrong_type(value), key, path)
            return
        candidates: list[int] = []
        bare: list[int] = []
        for wanted in ((target,),) if target else _MEASURED_FIELDS:
            owners = [position for position, claim in enumerate(self.claims) if claim.field in wanted]
            candidates.extend(owners)
            bare = [position for position in owners if not _has_letters(self.claims[position].text)]
            if bare:
                break
        if len(bare) == 1:
            claim = self.claims[bare[0]]
            joined = with_unit(claim.text, value)
            if len(joined) > MAX_FIELD_CHARACTERS:
                self.too_much(path, f"more than {MAX_FIELD_CHARACTERS} characters")
            else:
                self.claims[bare[0]] = claim._replace(text=joined)
            return
        if not bare and any(_ends_with_unit(self.claims[position].text, value) for position in candidates):
            return
        self.unreadable(
            _UnreadableError("schema.role", "The unit under {key} belongs to no single number of this item; it was not checked."), key, path
        )

    # -- findings ----------------------------------------------------------------------------------------------

    def unreadable(self, problem: _UnreadableError, key: str, path: str) -> None:
        self.findings.append(_finding(problem.check_id, path, Severity.MAJOR, problem.message.replace("{key}", shown_key(key))))

    def too_much(self, path: str, what: str) -> None:
        self.findings.append(
            _finding(
                "schema.limits",
                path,
                Severity.CRITICAL,
                f"The payload has {what} here; it was not read. Split the document, or correct the extraction.",
            )
        )

    def listed(self, path: str) -> None:
        self.not_checked.append(path)
        self.findings.append(
            _finding(
                "schema.not_checked",
                path,
                Severity.MINOR,
                "Not checked: the deployer listed this path with rulepack.with_unverified.",
                Verdict.PASS,
            )
        )

    def unmapped(self, level: str, key: str, path: str, value: Json) -> None:
        """A key that stands for nothing we know: listed by the deployer, empty, or reported once."""
        if self.table.carries_nothing(value, in_field=False):
            return
        left: str | None = path
        if self.unverified and not level.startswith("item."):  # part of a field is never left unchecked
            left = self.first_unlisted(path, value)
        if left is None or (level, key) in self.seen:
            return
        self.seen.add((level, key))
        message = _unmapped_message(key, left, self.artifact, self.table)
        self.findings.append(_finding("schema.unmapped_key", left, Severity.MAJOR, message))

    def first_unlisted(self, path: str, value: Json) -> str | None:
        """The path itself, or its first leaf, that no listed path covers; listed paths met on the way are recorded."""
        if path in self.unverified:
            self.listed(path)
            return None
        if not any(listed.startswith((f"{path}.", f"{path}[")) for listed in self.unverified):
            return path
        first: str | None = None
        work: list[tuple[str, Json]] = [(path, value)]
        while work:
            here, node = work.pop()
            if here in self.unverified:
                self.listed(here)
            elif type(node) is dict:
                work.extend((child_path(here, inner), entry) for inner, entry in reversed(node.items()))
            elif type(node) is list:
                work.extend((f"{here}[{position}]", node[position]) for position in range(len(node) - 1, -1, -1))
            elif first is None and not self.table.carries_nothing(node, in_field=False):
                first = here
        return first


def with_unit(text: str, unit: str) -> str:
    """`500` + `mg` -> `500 mg`; a unit the text already ends with is not written twice."""
    return text if _ends_with_unit(text, unit) else f"{text} {unit}"


_REASONING = frozenset({"reasoning", "rationale", "explanation", "thought", "thoughts", "chainofthought"})
_TOKEN = re.compile(r"[\w.:/+-]{1,80}")


def _says_nothing(key: str, value: Json) -> bool:
    """Whether what stands under a metadata key is that: numbers, one token (an id, a label), or the model's own reasoning.

    `id: "take 4 tablets TDS"` is none, whatever its key promises.
    """
    if type(value) is str:
        folded = fold_key(key)
        return not value.strip() or _TOKEN.fullmatch(value) is not None or (folded or "").replace("_", "") in _REASONING
    if type(value) is list:
        return all(_says_nothing(key, entry) for entry in value)
    if type(value) is dict:
        return all(fold_key(inner) not in _CLINICAL and _says_nothing(inner, entry) for inner, entry in value.items())
    return True


_CLINICAL = frozenset({"name", "medication", "medicine", "drug", "strength", "dose", "dosage", "frequency", "duration", "route"})


def _kind_name(value: Json) -> str:
    if value is None:
        return "null"
    return {bool: "true or false", int: "a number", str: "text", list: "a list", dict: "an object"}[type(value)]


def _unmapped_message(key: str, path: str, artifact: ArtifactType, table: AliasTable) -> str:
    shown = shown_key(key)
    ways = []
    if fold_key(key) is not None:
        ways.append(f"call rulepack.with_aliases({{{shown}: ...}}) if it is another name for a field")
    try:
        check_unverified_path(path, artifact, table)
    except ContractError:
        ways.append("take it out of the extraction schema")
    else:
        ways.append(f"call rulepack.with_unverified({json.dumps(path)}) to leave it unchecked")
    return f"The key {shown} stands for nothing this artifact type knows, so its value was not checked. To settle it, {', or '.join(ways)}."


def read_payload(extraction: Extraction, artifact: ArtifactType, rulepack: PayloadRules) -> PayloadReading:
    """Every leaf of the payload as a claim, as nothing, or as a finding, in payload order. Raises nothing for a bad payload."""
    try:
        value = plain_json(extraction.payload)
    except MalformedPayload as problem:
        message = f"The payload could not be read ({problem.code} at {problem.where}): {problem.what}. Nothing was checked or repaired."
        return _nothing_read(artifact, None, _finding("schema.malformed", "$", Severity.CRITICAL, message))
    if type(value) is not dict and type(value) is not list:
        message = f"The payload is {_kind_name(value)} where an object or a list is needed. Nothing of it was checked."
        return _nothing_read(artifact, value, _finding("schema.malformed", "$", Severity.CRITICAL, message))
    reader = _Reader(artifact, rulepack.alias_table, rulepack.unverified)
    reader.root(value)
    container = reader.container or f"$.{artifact.container}"
    item_claims = sum(len(item.claims) for item in reader.items)
    if not item_claims:
        message = f"The payload claims no {artifact.container}, so there is nothing to verify. Look at the source."
        reader.findings.append(_finding("schema.empty", container, Severity.MAJOR, message))
    return PayloadReading(
        value=value,
        items=tuple(reader.items),
        document_claims=tuple(reader.document_claims),
        findings=tuple(reader.findings),
        keys_anywhere=frozenset().union(*(item.keys for item in reader.items)),
        claims=item_claims + len(reader.document_claims),
        container=container,
        not_checked=tuple(reader.not_checked),
    )


def _nothing_read(artifact: ArtifactType, value: Json, finding: Finding) -> PayloadReading:
    return PayloadReading(
        value=value,
        items=(),
        document_claims=(),
        findings=(finding,),
        keys_anywhere=frozenset(),
        claims=0,
        container=f"$.{artifact.container}",
        not_checked=(),
    )


# ---------------------------------------------------------------------------------------------------------------
# Paths a deployer may leave unverified
# ---------------------------------------------------------------------------------------------------------------

_STEP: Final = re.compile(r'\.([A-Za-z_][A-Za-z0-9_]*)|\[(0|[1-9][0-9]{0,5})\]|\[("(?:[^"\\]|\\.)*")\]')


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    at = 1
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            message = 'an unverified path must be exact, as in $.vitals or $["blood group"]; wildcards are refused'
            raise ContractError("contract.unverified_path", message)
        name, number, quoted = found.groups()
        try:
            steps.append(int(number) if number is not None else name if name is not None else str(json.loads(quoted)))
        except ValueError:
            raise ContractError("contract.unverified_path", "a quoted key of an unverified path is not a JSON string") from None
        at = found.end()
    return steps


def check_unverified_path(path: str, artifact: ArtifactType, aliases: AliasTable) -> None:
    """Refuse (ContractError) a path that could hide a clinical claim (P19).

    Allowed: one exact path beside the items, or one under a key of an item that stands for no field. Refused: `$`,
    the container, a whole item, a field of an item, anything that is not an exact path as findings write it.
    """
    if type(path) is not str or not path.startswith("$") or path == "$":
        message = "an unverified path must be exact and start with $, as in $.vitals; $ alone is everything"
        raise ContractError("contract.unverified_path", message)
    steps = _steps(path)
    rendered = "$"
    for step in steps:
        rendered = f"{rendered}[{step}]" if isinstance(step, int) else child_path(rendered, step)
    if rendered != path:
        raise ContractError("contract.unverified_path", f"write the path as findings do: {rendered}")
    in_item = False
    for position, step in enumerate(steps):
        if isinstance(step, int):
            in_item = True  # an entry of the root list or of a container
            continue
        if in_item:
            role, outer = aliases.item_role(step), aliases.document_role(step)
            clinical = role is not None and role.kind != "metadata"
            if clinical or fold_key(step) is None or (outer is not None and outer.kind == "container"):
                raise ContractError("contract.unverified_clinical", f"{path} lies under a field of an item; such fields are always checked")
            return
        outer = aliases.document_role(step)
        if outer is None or outer.kind not in ("container", "wrapper"):
            return
        if outer.kind == "container" and outer.target != artifact.container:
            return
        following = steps[position + 1] if position + 1 < len(steps) else None
        if outer.kind == "wrapper" and following is None:
            return  # items inside a wrapper are read all the same
        if outer.kind == "container" and outer.template != "wraps" and not isinstance(following, int):
            break  # what a container holds without a list are items too
    raise ContractError("contract.unverified_clinical", f"{path} is, holds or may hold the items themselves; they are always checked")
