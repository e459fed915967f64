"""Which values of a released payload are JSON numbers.

The verified copy keeps a decimal number as the text of its digits, because a float would not keep it. What leaves should have the type the
model wrote: `0.5` a number, `"0.5"` a string. Only the type is looked up here; the digits are always those of the verified copy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal

from medfence_guard.contract import Json

Path = tuple["str | int", ...]


def number_paths(given: object, copy: Json) -> tuple[Path, ...]:
    """Where `given` (JSON text, bytes, or Python values) has a number that `copy` keeps as text."""
    if isinstance(given, bytes | bytearray):
        given = bytes(given).decode("utf-8", "replace")
    if isinstance(given, str):
        try:
            given = json.loads(_inside_fence(given))
        except (ValueError, RecursionError):
            return ()
    return tuple(_walk(given, copy, ()))


def with_numbers(copy: Json, paths: tuple[Path, ...]) -> object:
    """The copy with those texts as floats, where a float has exactly these digits; it is changed in place."""
    for path in paths:
        place: object = copy
        for step in path[:-1]:
            place = place[step]  # type: ignore[index]
        if path:
            place[path[-1]] = _number(place[path[-1]])  # type: ignore[index]
        else:
            copy = _number(copy)  # type: ignore[assignment]
    return copy


def _walk(given: object, copy: Json, path: Path) -> Iterator[Path]:
    if isinstance(copy, str) and type(given) is float:
        yield path
    elif isinstance(copy, list) and type(given) in (list, tuple) and len(given) == len(copy):  # type: ignore[arg-type]
        for index, (each, copied) in enumerate(zip(given, copy, strict=True)):  # type: ignore[call-overload]
            yield from _walk(each, copied, (*path, index))
    elif isinstance(copy, dict):
        members = given if type(given) is dict else getattr(given, "__dict__", {})
        for key, copied in copy.items():
            yield from _walk(members.get(key), copied, (*path, key))


def _number(text: object) -> object:
    number = float(str(text))
    return number if Decimal(repr(number)) == Decimal(str(text)) else text


def _inside_fence(text: str) -> str:
    """One fenced block is its inside, as in the strict parser (which has already accepted the text)."""
    stripped = text.strip()
    return stripped.partition("\n")[2].rpartition("\n")[0] if stripped.startswith("```") else text
