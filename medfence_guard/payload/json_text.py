"""Strict JSON text: one value and nothing else, each key once, each number kept exactly."""

from __future__ import annotations

import json
import re
from typing import Final, NoReturn

from medfence_guard.contract import Json
from medfence_guard.payload.limits import MAX_BYTES, MAX_DEPTH, MAX_INTEGER, MAX_NUMBER_CHARACTERS, MalformedPayload

JSON_SPACE: Final = " \t\r\n"
"""What JSON calls white space; nothing else is stripped from a value."""
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
    stripped = text.strip(JSON_SPACE)
    if not stripped.startswith("```"):
        return text
    opening, _, rest = stripped.partition("\n")
    body, newline, closing = rest.rpartition("\n")
    if opening[3:].strip(JSON_SPACE) not in _FENCE_INFO or not newline or closing.strip(JSON_SPACE) != "```":
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


def parse_json_text(text: str) -> Json:
    """The one value of a text of strict JSON, perhaps in one code fence. Numbers with a point stay text, as written."""
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
    if not encodable(json.dumps(value, ensure_ascii=False)):
        raise MalformedPayload("surrogate", "the text", "a string holds half of a surrogate pair")


def encodable(text: str) -> bool:
    """False for half of a surrogate pair, which no text can be written with."""
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
