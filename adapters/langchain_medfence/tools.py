"""`guard_tool`: the fence inside a tool, wherever the tool runs. The line behind MedfenceMiddleware, or alone where there is no agent."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from os import PathLike
from typing import Any, Literal

from langchain_core.callbacks import AsyncCallbackManagerForToolRun, CallbackManagerForToolRun
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, Tool, ToolException
from pydantic import Field, InstanceOf, PrivateAttr

from langchain_medfence.arguments import effective_arguments, is_what_will_run, own_names, schema_of
from langchain_medfence.base import GraphControlFlow, Review, document_in
from langchain_medfence.reading import ModelAnswer, refused
from langchain_medfence.result import MedfenceBlocked, with_problem
from medfence_guard import AuditLog, ContractError, Fence, Outcome, ReviewQueue, Rulepack, SourceDocument


def guard_tool(
    tool: BaseTool,
    *,
    source: SourceDocument | Callable[[RunnableConfig], Any],
    artifact_type: str = "prescription",
    review: Review | ReviewQueue | None = None,
    audit: AuditLog | str | PathLike[str] | None = None,
    rulepack: Rulepack | None = None,
    timeout: float | None = None,
    on_block: Literal["return", "raise"] = "return",
) -> BaseTool:
    """The same tool, which runs only with arguments that were released.

    source: the document, or a function from the run's config to it; `context_source("note")` reads it from the context of an agent's run.
    on_block: `return` the model an error message, or `raise` MedfenceBlocked. The other arguments are those of `Fence`.
    """
    if isinstance(tool, Tool):
        raise ContractError("langchain.tool", "a tool that takes one string has no fields to verify; use a StructuredTool")
    fence = Fence(rulepack, review, audit, timeout, control_flow=(GraphControlFlow,))
    guarded = GuardedTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.args_schema or tool.get_input_schema(),
        return_direct=tool.return_direct,
        response_format=tool.response_format,
        handle_tool_error=partial(_told, handling=tool.handle_tool_error),
        handle_validation_error=tool.handle_validation_error,
        tags=tool.tags,
        metadata=tool.metadata,
        extras=tool.extras,
        inner=tool,
        artifact_type=artifact_type,
        on_block=on_block,
    )
    guarded._fence, guarded._source = fence, source
    return guarded


def context_source(name: str) -> Callable[[RunnableConfig], Any]:
    """The source in the context of a LangGraph run, under this attribute or key."""

    def read(_: RunnableConfig) -> Any:  # noqa: ANN401 - whatever stands there; `document_in` judges it
        from langgraph.runtime import get_runtime

        context: Any = get_runtime().context
        return context[name] if isinstance(context, Mapping) else getattr(context, name)

    return read


class NotRun(ToolException):
    """The arguments were not released."""


def _told(error: ToolException, handling: Any) -> Any:  # noqa: ANN401 - LangChain's types
    """What the model is told: of a tool that was not run, why; of the tool's own errors, what the tool would have said."""
    if isinstance(error, NotRun) or handling is True:
        return str(error) or "Tool execution error"
    if not handling:
        raise error
    return handling(error) if callable(handling) else handling


class GuardedTool(BaseTool):
    """What `guard_tool` returns."""

    inner: InstanceOf[BaseTool] = Field(exclude=True, repr=False)
    artifact_type: str
    on_block: Literal["return", "raise"]
    _fence: Fence = PrivateAttr()
    _source: SourceDocument | Callable[[RunnableConfig], Any] = PrivateAttr()

    def _run(self, *, config: RunnableConfig, run_manager: CallbackManagerForToolRun | None = None, **arguments: Any) -> Any:  # noqa: ANN401
        answer, document = self._to_verify(arguments, config)
        outcome = with_problem(self._fence.check(answer.payload, document, self.artifact_type), answer.problem)
        given = self._released_arguments(outcome, arguments)
        return self.inner._run(**given, **_wanted(self.inner._run, config, run_manager))

    async def _arun(self, *, config: RunnableConfig, run_manager: AsyncCallbackManagerForToolRun | None = None, **arguments: Any) -> Any:  # noqa: ANN401
        answer, document = self._to_verify(arguments, config)
        outcome = with_problem(await self._fence.acheck(answer.payload, document, self.artifact_type), answer.problem)
        given = self._released_arguments(outcome, arguments)
        return await self.inner._arun(**given, **_wanted(self.inner._arun, config, run_manager))

    def _to_verify(self, arguments: Mapping[str, Any], config: RunnableConfig) -> tuple[ModelAnswer, SourceDocument]:
        # LangChain fills in what was left out; a None is what it fills in for "not given", and no claim.
        own = {name: value for name, value in arguments.items() if name in own_names(self.inner) and value is not None}
        try:
            value = self._source if isinstance(self._source, SourceDocument) else self._source(config)
            document = document_in(value, "of the tool")
        except Exception as error:  # noqa: BLE001 - no source is no reason to let anything through
            document = f"reading the source raised {type(error).__name__}"
        if isinstance(document, str):
            return refused(document, own), SourceDocument("")
        return effective_arguments(self.inner, own), document

    def _released_arguments(self, outcome: Outcome, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """What the inner tool runs with: what was released, in the types its schema makes of it, and what was injected."""
        if not outcome.released:
            if self.on_block == "raise":
                raise MedfenceBlocked(outcome)
            raise NotRun(f"Not run, and must not be tried again by you: {outcome.why}")
        if not is_what_will_run(self.inner, outcome.payload):
            raise NotRun("Not run: the tool would change the verified arguments before it runs.")
        own, schema, released = own_names(self.inner), schema_of(self.inner), dict(outcome.payload)
        if isinstance(schema, type):
            taken = schema.model_validate(released)
            released = {name: getattr(taken, name) for name in own}
        return {name: value for name, value in arguments.items() if name not in own} | released


def _wanted(run: Callable[..., Any], config: RunnableConfig, run_manager: object) -> dict[str, object]:
    """What BaseTool hands to a `_run` that asks for it."""
    parameters = inspect.signature(run).parameters
    wanted: dict[str, object] = {name: config for name, each in parameters.items() if each.annotation in (RunnableConfig, "RunnableConfig")}
    return wanted | ({"run_manager": run_manager} if "run_manager" in parameters else {})
