"""`MedfenceGuard`: the last step of a chain."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from pydantic import Field, InstanceOf

from langchain_medfence.base import NO_SOURCE, FencedRunnable, document_in
from langchain_medfence.reading import ModelAnswer, refused
from medfence_guard import SourceDocument


class MedfenceGuard(FencedRunnable):
    """Verifies what comes before it: `prompt | llm | MedfenceGuard(source=document, review=ask)`. Put it last.

    source: a SourceDocument; or the name of the key of the input that holds one, or the clinician's text; or a function from the input
    to either. It must not come from the model.
    output_key: the key of the input that holds the model's answer. With a key as source it is `output`, so that this works:
    `RunnablePassthrough.assign(output=prompt | llm) | MedfenceGuard(source="note")`. Otherwise the whole input is the answer.
    """

    source: InstanceOf[SourceDocument] | str | Callable[[Any], Any] | None = Field(default=None, exclude=True, repr=False)
    output_key: str | None = None

    @property
    def _streamed_key(self) -> str | None:
        return self.output_key or ("output" if isinstance(self.source, str) else None)

    def _prepared(self, given: object, _: RunnableConfig, /) -> tuple[ModelAnswer, SourceDocument | None]:
        answer, key = given, self._streamed_key
        if key is not None:
            if not isinstance(given, Mapping) or key not in given:
                return refused(f"the input has no key {key!r} with the model's answer"), self._found(given)[0]
            answer = given[key]
        document, problem = self._found(given)
        return (self._read(answer) if problem is None else refused(problem, answer)), document

    def _found(self, given: object) -> tuple[SourceDocument | None, str | None]:
        """The document, or why there is none."""
        if self.source is None:
            return None, NO_SOURCE
        value, where = self.source, "given to the guard"
        if isinstance(value, str):
            if not isinstance(given, Mapping) or value not in given:
                return None, "the input has no key of the name given as source; a text itself is given as source=SourceDocument(text)"
            value, where = given[value], "in the input"
        elif not isinstance(value, SourceDocument):
            try:
                value, where = value(given), "that the function returned"
            except Exception as error:  # noqa: BLE001 - no source is no reason to let anything through
                return None, f"the function given as source raised {type(error).__name__}"
        found = document_in(value, where)
        return (found, None) if isinstance(found, SourceDocument) else (None, found)
