"""What a model answered, read strictly: one payload for the fence, or the reason why there is none.

LangChain's own parsers repair: a cut-off `{"dose": "5` becomes `"5"`, the last of two equal keys wins, a second tool call is dropped.
So the model's raw words go to the fence wherever they still exist, and its strict reader decides. Whatever is not one complete answer
gets a `problem` and a payload that no reader can read, so that the fence ABSTAINs and a person sees both.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from pydantic import BaseModel

FINISH_KEYS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
FINISHED = frozenset({"stop", "STOP", "tool_calls", "function_call", "end_turn", "tool_use", "stop_sequence", "COMPLETE", "TOOL_CALL"})
"""The finish reasons of a complete answer. Any other, `length` and `content_filter` among them, is not one."""

TEXT_BLOCKS = frozenset({"text", "output_text"})
SILENT_BLOCKS = frozenset(
    {"thinking", "redacted_thinking", "reasoning", "reasoning_content", "tool_use", "tool_call", "tool_call_chunk", "function_call"}
)
"""Blocks that say nothing themselves: thoughts, and the provider's spelling of what stands in `tool_calls`. Others are refused."""

RAW_KEYS = frozenset({"raw", "parsed", "parsing_error"})
MAX_SHOWN = 20_000


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """payload: what goes to the fence. problem: why it cannot be verified, in words without a value of it; None when it can be."""

    payload: object = field(repr=False)
    problem: str | None = None


def normalise(
    answer: object,
    *,
    tool_name: str | None = None,
    require_raw: bool = False,
    allow_missing_finish_reason: bool = False,
) -> ModelAnswer:
    """One answer of a model: an AIMessage, `{raw, parsed, parsing_error}`, a pydantic object, a dict or list, or JSON text.

    tool_name: the only tool that may be called; None: any one. require_raw: only an AIMessage, or what holds one, will do.
    allow_missing_finish_reason: for models that do not say why they stopped; a cut-off answer then looks like a complete one.
    """
    if isinstance(answer, Mapping) and set(answer) == RAW_KEYS:
        return _from_triple(answer, tool_name, allow_missing_finish_reason)
    if isinstance(answer, AIMessage):
        return _from_message(answer, tool_name, allow_missing_finish_reason)
    if answer is None:
        return refused("the model gave no answer that could be parsed")
    if isinstance(answer, BaseMessage) or not isinstance(answer, str | bytes | BaseModel | Mapping | list):
        return refused(f"a {type(answer).__name__} is not a model's answer")
    if require_raw:
        return refused("require_raw=True takes only the model's message: use include_raw=True, or no output parser", answer)
    return ModelAnswer(answer)


def refused(problem: str, answer: object = "") -> ModelAnswer:
    """An answer that must not be verified. The fence gets a text that is no JSON, so it ABSTAINs and shows a person what there was."""
    return ModelAnswer(f"# not verified: {problem}\n{_shown(answer)}", problem)


def _from_triple(answer: Mapping[str, object], tool_name: str | None, allow_missing: bool) -> ModelAnswer:
    """The raw message is what is verified and released; `parsed` can only hold, since a parser adds defaults and repairs."""
    raw, parsed, error = answer["raw"], answer["parsed"], answer["parsing_error"]
    if not isinstance(raw, AIMessage):
        return refused("`raw` is not the model's message")
    if error is not None:
        return refused(f"the output parser failed ({type(error).__name__})", raw)
    if parsed is None:
        return refused("the output parser found nothing, and reported no error", raw)
    return _from_message(raw, tool_name, allow_missing)


def _from_message(message: AIMessage, tool_name: str | None, allow_missing: bool) -> ModelAnswer:
    problem = finish_problem(message, allow_missing) or _content_problem(message)
    if problem is not None:
        return refused(problem, message)
    calls = _calls(message)
    text = _text(message)
    if not calls:
        return ModelAnswer(text) if text.strip() else refused("the model's message is empty")
    if len(calls) > 1:
        return refused(f"the model made {len(calls)} tool calls where one answer is expected", message)
    [(name, arguments)] = calls
    if tool_name is not None and name != tool_name:
        return refused(f"the model called another tool than {tool_name!r}", message)
    if "{" in text or "[" in text:
        return refused("the model wrote JSON beside its tool call, so there are two answers", message)
    return ModelAnswer(arguments)


def finish_problem(message: AIMessage, allow_missing: bool = False) -> str | None:
    """Why the message is not a complete answer, or None. The four spellings providers use are read; all that are given must agree."""
    metadata = message.response_metadata
    given = [metadata[key] for key in FINISH_KEYS if metadata.get(key) is not None]
    if metadata.get("status", "completed") != "completed" or metadata.get("incomplete_details"):
        return "the model's answer is incomplete"
    if any(type(reason) is not str or reason not in FINISHED for reason in given):
        return f"the model did not finish its answer ({', '.join(_named(reason) for reason in given)})"
    if not given and not allow_missing:
        return (
            "the model does not say why it stopped, so a cut-off answer cannot be told from a complete one; if it never says so, pass "
            "allow_missing_finish_reason=True"
        )
    return None


def _named(reason: object) -> str:
    """A finish reason, if it is one word; it comes from outside, and goes into a message."""
    return repr(reason) if isinstance(reason, str) and reason.isascii() and reason.isidentifier() and len(reason) <= 40 else "unreadable"


def _content_problem(message: AIMessage) -> str | None:
    if message.invalid_tool_calls:
        return "a tool call of the model could not be read"
    if message.additional_kwargs.get("refusal"):
        return "the model refused"
    if message.additional_kwargs.get("function_call"):
        return "the message holds a function call of the old kind, which is not read"
    for block in _blocks(message):
        kind = block.get("type")
        if kind == "refusal":
            return "the model refused"
        if kind not in TEXT_BLOCKS | SILENT_BLOCKS:
            return "the message holds a content block that is neither text nor a tool call of ours"
    return None


def _blocks(message: AIMessage) -> Iterator[Mapping[str, Any]]:
    content: str | Sequence[object] = message.content
    for block in [content] if isinstance(content, str) else content:
        yield block if isinstance(block, Mapping) else {"type": "text", "text": block}


def _text(message: AIMessage) -> str:
    return "".join(str(block.get("text", "")) for block in _blocks(message) if block.get("type") in TEXT_BLOCKS)


def _calls(message: AIMessage) -> list[tuple[str | None, object]]:
    """(tool, arguments) of each call; the arguments as the model's own text wherever the message still has it."""
    if isinstance(message, AIMessageChunk) and message.tool_call_chunks:
        return [(chunk["name"], chunk["args"] or "") for chunk in message.tool_call_chunks]
    texts = _raw_arguments(message)
    calls: list[tuple[str | None, object]] = [(call["name"], texts.pop(call["id"], call["args"])) for call in message.tool_calls]
    # A call that only the provider's own list knows was dropped by a parser: it counts as a call.
    return calls + [(None, text) for text in texts.values()]


def _raw_arguments(message: AIMessage) -> dict[str | None, object]:
    """Call id -> argument text, for providers that keep the wire form (OpenAI's `tool_calls`)."""
    listed = message.additional_kwargs.get("tool_calls")
    found: dict[str | None, object] = {}
    for call in listed if isinstance(listed, list) else ():
        if isinstance(call, Mapping) and isinstance(call.get("function"), Mapping) and isinstance(call["function"].get("arguments"), str):
            found[call.get("id")] = call["function"]["arguments"]
    return found


def _shown(answer: object) -> str:
    """What a reviewer is shown of an answer that could not be used."""
    if isinstance(answer, AIMessage):
        parts = [_text(message := answer), *(f"{name}: {_shown(arguments)}" for name, arguments in _calls(message))]
        parts += [f"{call['name']}: {call['args']}" for call in message.invalid_tool_calls]
        return "\n".join(part for part in parts if part)[:MAX_SHOWN]
    if isinstance(answer, BaseModel):
        answer = answer.model_dump()
    if isinstance(answer, str):
        return answer[:MAX_SHOWN]
    try:
        return json.dumps(answer, ensure_ascii=False, default=lambda value: f"<{type(value).__name__}>")[:MAX_SHOWN]
    except (TypeError, ValueError, RecursionError):
        return f"<{type(answer).__name__}>"
