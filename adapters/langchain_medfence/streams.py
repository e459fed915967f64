"""Putting the pieces of a stream together, strictly: only what really adds up does; anything else is `Pieces`, which nothing accepts.

LangChain's own adding takes the last piece of what does not add, adds truth values to 2 and strings to one another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add

from langchain_core.messages import AIMessageChunk

from langchain_medfence.reading import RAW_KEYS


class Pieces:
    """Pieces of a stream that are no one thing."""


def gathered(pieces: Sequence[object], output_key: str | None) -> object:
    """The whole of a stream; None for an empty one. output_key: where in a dict the model's answer stands, if it stands in a dict."""
    if len(pieces) < 2:
        return pieces[0] if pieces else None
    texts = [piece for piece in pieces if isinstance(piece, str)]
    if len(texts) == len(pieces):
        return "".join(texts)
    messages = [piece for piece in pieces if isinstance(piece, AIMessageChunk)]
    if len(messages) == len(pieces):
        return _added(messages)
    mappings = [piece for piece in pieces if isinstance(piece, Mapping)]
    if len(mappings) < len(pieces):
        return Pieces()
    keys = list(dict.fromkeys(key for piece in mappings for key in piece))
    if RAW_KEYS.issuperset(keys):
        # `parsed` and `parsing_error` only hold back: what is verified and released is `raw`.
        return {key: (gathered if key == "raw" else _last)(_values(mappings, key), None) for key in keys}
    if output_key is None:
        return Pieces()
    return {key: (gathered if key == output_key else _only)(_values(mappings, key), None) for key in keys}


def _values(mappings: Iterable[Mapping[str, object]], key: str) -> list[object]:
    return [piece[key] for piece in mappings if key in piece]


def _added(messages: Sequence[AIMessageChunk]) -> object:
    try:
        return reduce(add, messages)
    except Exception:  # noqa: BLE001 - whatever does not add up is not one message
        return Pieces()


def _last(values: Sequence[object], _output_key: None) -> object:
    return next((value for value in reversed(values) if value is not None), None)


def _only(values: Sequence[object], _output_key: None) -> object:
    return values[0] if len(values) == 1 else Pieces()
