"""`GuardedChain`: generation and verification as one runnable, so that nobody can put anything between, before or after them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.base import coerce_to_runnable
from langchain_core.runnables.config import patch_config
from langsmith import tracing_context
from pydantic import Field, InstanceOf, field_validator

from langchain_medfence.base import FencedRunnable, GraphControlFlow, document_in
from langchain_medfence.reading import ModelAnswer, refused
from medfence_guard import SourceDocument


class GuardedChain(FencedRunnable):
    """`GuardedChain(generate=prompt | llm, source="note", review=ask).invoke({"note": note})` gives an Outcome.

    generate: makes the model's answer. It gets the input with the document's text under the key, so the text that is shown to the model
    is the text that is verified. It is not run at all when there is no document. If it raises, the outcome is held.
    source: the key of the input that holds the document: the clinician's text, or a SourceDocument.
    isolate: keep callbacks, tracers and token streams from what happens inside `generate`; False for those who need their own to see it.
    """

    generate: InstanceOf[Runnable[Any, Any]] = Field(exclude=True, repr=False)
    source: str
    isolate: bool = True

    @field_validator("generate", mode="before")
    @classmethod
    def _as_runnable(cls, value: Any) -> Runnable[Any, Any]:  # noqa: ANN401 - a function or a dict of steps will do, as in a chain
        made: Runnable[Any, Any] = coerce_to_runnable(value)
        return made

    def _prepared(self, given: object, config: RunnableConfig, /) -> tuple[ModelAnswer, SourceDocument | None]:
        inside, document, problem = self._inside(given)
        if document is None:
            return refused(problem), None
        try:
            with self._unseen():
                return self._read(self.generate.invoke(inside, self._config(config))), document
        except Exception as error:  # noqa: BLE001 - sorted in _held_back
            return _held_back(error), document

    async def _aprepared(self, given: object, config: RunnableConfig, /) -> tuple[ModelAnswer, SourceDocument | None]:
        inside, document, problem = self._inside(given)
        if document is None:
            return refused(problem), None
        try:
            with self._unseen():
                return self._read(await self.generate.ainvoke(inside, self._config(config))), document
        except Exception as error:  # noqa: BLE001 - sorted in _held_back
            return _held_back(error), document

    def _inside(self, given: object) -> tuple[dict[str, Any], SourceDocument | None, str]:
        """What `generate` gets, and the document; or no document, and why."""
        if not isinstance(given, Mapping) or self.source not in given:
            return {}, None, f"there is no source to compare with: the input must be a dict with the clinician's text under {self.source!r}"
        document = document_in(given[self.source], f"under {self.source!r}")
        if not isinstance(document, SourceDocument):
            return {}, None, document
        return {**given, self.source: document.text}, document, ""

    def _config(self, config: RunnableConfig) -> RunnableConfig:
        return patch_config(config, callbacks=[]) if self.isolate else config  # type: ignore[arg-type]

    @contextmanager
    def _unseen(self) -> Iterator[None]:
        """A tracer configured by the environment is no callback of the config; it is switched off for the time of `generate`."""
        if not self.isolate:
            yield
            return
        with tracing_context(enabled=False):
            yield


def _held_back(error: Exception) -> ModelAnswer:
    """A generation that failed is held, except for LangGraph's control flow. Only the class of the error is told."""
    if isinstance(error, GraphControlFlow):
        raise error
    return refused(f"generating the answer raised {type(error).__name__}")
