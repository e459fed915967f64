"""Whatever the caller gave, copied once into plain JSON values."""

from __future__ import annotations

import enum
import itertools
import math
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final, NoReturn

from medfence_guard.contract import Json
from medfence_guard.payload.json_text import encodable, parse_json_text
from medfence_guard.payload.limits import MAX_BYTES, MAX_DEPTH, MAX_INTEGER, MAX_NODES, MAX_NUMBER_CHARACTERS, MalformedPayload
from medfence_guard.payload.paths import child_path

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
                if not (copied.isascii() or encodable(copied)):
                    _refuse("surrogate", (where, key), "a string holds half of a surrogate pair")  # type: ignore[arg-type]
            if into_dict is None:
                into_list.append(copied)
            else:
                characters += len(key)  # type: ignore[arg-type]
                if not (key.isascii() or encodable(key)):  # type: ignore[attr-defined, arg-type]
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
            return parse_json_text(str.__str__(payload))
        if isinstance(payload, (bytes, bytearray)):
            if len(payload) > MAX_BYTES:
                raise MalformedPayload("size", "the text", f"the JSON text is larger than {MAX_BYTES} bytes")
            return parse_json_text(bytes(payload).decode("utf-8"))
        return _copy(payload)
    except MalformedPayload:
        raise
    except UnicodeDecodeError:
        failed = "the bytes are not UTF-8"
    except Exception as error:  # noqa: BLE001 - whatever a foreign object's own methods raise is the payload's fault
        failed = f"reading the payload raised {type(error).__name__}"
    raise MalformedPayload("unreadable", "$", failed)
