"""Notes, answers of a model that are faithful, wrong and undecidable, and messages that carry them."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.messages import AIMessage

from medfence_guard import SourceDocument

NOTE = "Tab Telma 40 mg OD x 30 days"
OTHER_NOTE = "Tab Eltroxin 50 mcg OD x 60 days"
DOCUMENT = SourceDocument(NOTE)
FAITHFUL: dict[str, Any] = {"medications": [{"name": "Telma", "strength": "40 mg", "frequency": "OD", "duration": "30 days"}]}
WRONG: dict[str, Any] = {"medications": [{"name": "Telma", "strength": "80 mg", "frequency": "OD", "duration": "30 days"}]}
UNDECIDABLE: dict[str, Any] = {"medications": [{**FAITHFUL["medications"][0], "colour": "white"}]}
OTHER: dict[str, Any] = {"medications": [{"name": "Eltroxin", "strength": "50 mcg", "frequency": "OD", "duration": "60 days"}]}


def said(content: Any, **metadata: Any) -> AIMessage:
    """A model's message with this content (a payload is written as JSON), finished unless the metadata say otherwise."""
    text = content if isinstance(content, str) else json.dumps(content)
    return AIMessage(text, response_metadata={"finish_reason": "stop"} | metadata)


def called(arguments: dict[str, Any], *more: dict[str, Any], name: str = "record", **metadata: Any) -> AIMessage:
    """A model's message that calls a tool once per argument object."""
    calls = [{"name": name, "args": args, "id": f"call-{index}", "type": "tool_call"} for index, args in enumerate((arguments, *more))]
    return AIMessage("", tool_calls=calls, response_metadata={"finish_reason": "tool_calls"} | metadata)
