"""The values of a payload as a person reads them. Nothing of an unknown class is run for it."""

from __future__ import annotations

import json
import re

_MAX_SHOWN = 2_000
"""Characters of one payload value that are shown; the rest is counted, not dropped in silence."""


MISSING = object()
_FENCED = re.compile(r"\s*```[A-Za-z]*\n(.*)\n?```\s*", re.DOTALL)


def _parsed(payload: object) -> object:
    """The payload as Python values; text that is not JSON gives `MISSING`."""
    if type(payload) is bytes:
        payload = payload.decode("utf-8", "replace")
    if type(payload) is not str:
        return payload
    fenced = _FENCED.fullmatch(payload)
    try:
        value: object = json.loads(fenced[1] if fenced else payload)
    except (ValueError, RecursionError):
        return MISSING
    return value


def values_by_path(payload: object) -> dict[str, object]:
    """Every value of the payload under its path. A payload deeper or larger than any that can be verified is cut, not followed."""
    values: dict[str, object] = {}
    waiting: list[tuple[str, object, int]] = [("$", _parsed(payload), 0)]
    while waiting and len(values) < 100_000:
        path, value, depth = waiting.pop()
        if value is MISSING:
            continue
        values[path] = value
        if depth < 64 and type(value) is dict:
            waiting += [(f"{path}.{key}", each, depth + 1) for key, each in value.items() if type(key) is str]
        elif depth < 64 and type(value) is list:
            waiting += [(f"{path}[{index}]", each, depth + 1) for index, each in enumerate(value)]
    return values


def shown(value: object) -> str:
    """One value as text: strings as they are, `{"value", "unit"}` as `500 mg`, the rest as JSON."""
    if type(value) is dict and value.keys() == {"value", "unit"} and not any(type(each) in (dict, list) for each in value.values()):
        text = f"{shown(value['value'])} {shown(value['unit'])}"
    else:
        text = value if type(value) is str else _json(value, None)
    cut = len(text) - _MAX_SHOWN
    return text if cut <= 0 else f"{text[:_MAX_SHOWN]} \u2026 ({cut} characters more)"


def _json(value: object, indent: int | None) -> str:
    """JSON for reading. Values JSON does not have are named by their type: `repr` would run code of an unknown class."""
    try:
        return json.dumps(value, ensure_ascii=False, indent=indent, default=lambda other: f"<{type(other).__name__}>")
    except (ValueError, TypeError, RecursionError):
        return f"<{type(value).__name__} that JSON cannot write>"


def payload_text(payload: object) -> tuple[str, str]:
    value = _parsed(payload)
    if value is not MISSING:
        return _json(value, 2), "as read"
    return (payload.decode("utf-8", "replace") if type(payload) is bytes else str(payload)), "as received (it is not JSON)"
