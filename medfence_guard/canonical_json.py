"""One spelling for every JSON value, so that a hash of it means the same thing everywhere.

The subset of RFC 8785 (JCS) on which Python and JavaScript cannot disagree: `str` keys; `str`, `int`, `bool`,
`None`, `list`, `dict` values; no floats (decimals travel as strings); integers with |n| < 2**53, because a JSON
reader that keeps numbers as doubles would lose the rest; at most 64 nested containers; no lone surrogates.
Object keys are sorted by UTF-16 code units, which is not Python's order: U+FB33 sorts after U+1F600.

Types are compared exactly: a subclass of `str` or `int` can lie about what it holds.
"""

from __future__ import annotations

import hashlib
import json

from medfence_guard.contract import Json
from medfence_guard.errors import ContractError

MAX_DEPTH = 64
MAX_INTEGER = 2**53 - 1

_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":"))


def dumps(value: Json) -> str:
    """The canonical text of `value`. Anything outside the subset raises ContractError; the message carries no content."""
    return _encoded(value).decode("utf-8")


def sha256(value: Json) -> str:
    """Hex digest of the UTF-8 of `dumps(value)`."""
    return hashlib.sha256(_encoded(value)).hexdigest()


def _encoded(value: Json) -> bytes:
    text = _ENCODER.encode(_ordered(value, 0))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        raise ContractError("canonical.surrogate", "canonical JSON holds no lone surrogates") from None


def _ordered(value: object, depth: int) -> object:
    """A copy of `value` in plain types with its keys in canonical order; everything else is refused here."""
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value
    if kind is int:
        if not -MAX_INTEGER <= value <= MAX_INTEGER:  # type: ignore[operator]
            raise ContractError("canonical.integer_range", "an integer in canonical JSON needs |n| < 2**53; write it as a string")
        return value
    if kind is not dict and kind is not list:
        raise ContractError("canonical.type", f"canonical JSON holds str, int, bool, None, list and dict, not {kind.__name__}")
    if depth >= MAX_DEPTH:
        raise ContractError("canonical.depth", f"canonical JSON nests at most {MAX_DEPTH} containers (or this one contains itself)")
    if kind is list:
        return [_ordered(element, depth + 1) for element in value]  # type: ignore[attr-defined]
    members: dict[object, object] = value  # type: ignore[assignment]
    return {key: _ordered(members[key], depth + 1) for key in _sorted_keys(members)}


def _sorted_keys(members: dict[object, object]) -> list[str]:
    keys: list[str] = []
    for key in members:
        if type(key) is not str:
            raise ContractError("canonical.key_type", f"an object key in canonical JSON is a str, not {type(key).__name__}")
        keys.append(key)
    # Within ASCII both orders agree, and ASCII keys are nearly all there are. A lone surrogate is refused later, in one place.
    return sorted(keys) if all(map(str.isascii, keys)) else sorted(keys, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
