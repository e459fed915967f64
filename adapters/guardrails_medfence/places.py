"""Where in a JSON text each value stands, so that a finding about `$.medications[0].strength` can point at characters."""

from __future__ import annotations

import json
import re
from json.decoder import scanstring  # type: ignore[attr-defined] # undocumented; typeshed leaves it out

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def places(text: str) -> dict[str, tuple[int, int]]:
    """Path -> half-open range of its value in `text`, in code points; empty when the text is not one JSON document.

    One fenced block is looked into. Keys that are not plain words have no place: the report spells their paths in its own way.
    """
    found: dict[str, tuple[int, int]] = {}
    start = _space(text, 0)
    try:
        if text.startswith("```", start):
            start = text.index("\n", start) + 1
        end = _value(text, _space(text, start), "$", found)
    except (ValueError, IndexError, StopIteration, RecursionError):
        return {}
    return found if text[end:].strip(" \t\n\r`") == "" else {}


def _value(text: str, start: int, path: str, found: dict[str, tuple[int, int]]) -> int:
    if text[start] == "{":
        end = _members(text, start, path, found)
    elif text[start] == "[":
        end = _elements(text, start, path, found)
    else:
        _, end = _DECODER.raw_decode(text, start)
    found[path] = (start, end)
    return end


def _members(text: str, start: int, path: str, found: dict[str, tuple[int, int]]) -> int:
    place = _space(text, start + 1)
    while text[place] != "}":
        key, place = scanstring(text, _past(text, place, '"'))
        inside = f"{path}.{key}" if key.isidentifier() else f"{path}[?]"
        place = _value(text, _space(text, _past(text, _space(text, place), ":")), inside, found)
        place = _next(text, place, "}")
    return place + 1


def _elements(text: str, start: int, path: str, found: dict[str, tuple[int, int]]) -> int:
    place, index = _space(text, start + 1), 0
    while text[place] != "]":
        place = _next(text, _value(text, place, f"{path}[{index}]", found), "]")
        index += 1
    return place + 1


def _next(text: str, place: int, closing: str) -> int:
    """Past a comma to the next member, or to the closing bracket."""
    place = _space(text, place)
    return place if text[place] == closing else _space(text, _past(text, place, ","))


def _past(text: str, place: int, expected: str) -> int:
    if text[place] != expected:
        raise ValueError
    return place + 1


def _space(text: str, place: int) -> int:
    match = _SPACE.match(text, place)
    return place if match is None else match.end()
