"""A chat model for agents that says what it is told to, whole or in chunks, and a tool that writes down what it was run with."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import BaseTool, StructuredTool
from pydantic import BaseModel, Field

from langchain_medfence import Medication


class Scripted(BaseChatModel):
    """Answers with the messages in turn; the last one is said again and again."""

    messages: list[Any]
    said: list[Any] = Field(default_factory=list)
    chunks: list[Any] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        message = self.messages[min(len(self.said), len(self.messages) - 1)]
        self.said.append(message)
        return ChatResult(generations=[ChatGeneration(message=message.model_copy(update={"id": None}))])

    def _stream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        message = self.messages[min(len(self.said), len(self.messages) - 1)]
        self.said.append(message)
        for chunk in self.chunks if len(self.said) == 1 and self.chunks else as_chunks(message):
            piece = ChatGenerationChunk(message=chunk)
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=piece)
            yield piece


def as_chunks(message: AIMessage) -> list[AIMessageChunk]:
    """The message as a provider streams it: words, argument text, then an empty chunk with the finish reason."""
    calls = [
        {"name": call["name"], "args": json.dumps(call["args"]), "id": call["id"], "index": index, "type": "tool_call_chunk"}
        for index, call in enumerate(message.tool_calls)
    ]
    words = [AIMessageChunk(content=word) for word in re.findall(r"\S*\s*", message.text) if word]
    return [
        *words,
        *([AIMessageChunk(content="", tool_call_chunks=calls)] if calls else []),
        AIMessageChunk(content="", response_metadata=message.response_metadata, chunk_position="last"),
    ]


def cut_off(arguments: str, name: str = "prescribe", **metadata: Any) -> list[AIMessageChunk]:
    """A streamed tool call whose argument text ends in the middle; LangChain completes it."""
    call = {"name": name, "args": arguments, "id": "call-0", "index": 0, "type": "tool_call_chunk"}
    return [
        AIMessageChunk(content="", tool_call_chunks=[call]),
        AIMessageChunk(content="", response_metadata=metadata, chunk_position="last"),
    ]


@dataclass
class Context:
    """The context of an agent's run."""

    note: Any = None


def prescribing(ran: list[Any], name: str = "prescribe", schema: type[BaseModel] = Medication) -> BaseTool:
    """A tool that takes one medication and appends its arguments to `ran`."""

    def prescribe(**arguments: Any) -> str:
        ran.append({key: plain(value) for key, value in arguments.items() if value is not None})
        return "prescribed"

    return StructuredTool.from_function(prescribe, name=name, description="Prescribe a medicine.", args_schema=schema)


def plain(value: Any) -> Any:
    return value.model_dump() if isinstance(value, BaseModel) else value


def texts(messages: Sequence[Any]) -> str:
    return " | ".join(str(message.content) for message in messages)
