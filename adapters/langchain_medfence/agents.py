"""`MedfenceMiddleware`: the fence at the tool call of a LangChain agent. Needs the extra `agents`.

Put it last in the list of middleware: the last one is the innermost, so what it verifies is what runs, after every edit by a person and
every other middleware. Routing (`jump_to`) decides nothing here; a tool runs only from inside `wrap_tool_call`.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Annotated, Any, NotRequired, cast

from langchain.agents.middleware import AgentMiddleware, TracePolicy, omit_payload
from langchain.agents.middleware.types import (
    AgentState,
    ExtendedModelResponse,
    ModelCallResult,
    ModelRequest,
    ModelResponse,
    PrivateStateAttr,
)
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from langchain_medfence.arguments import effective_arguments, is_what_will_run
from langchain_medfence.base import GraphControlFlow, Review, document_in
from langchain_medfence.reading import ModelAnswer, finish_problem, normalise, refused
from langchain_medfence.result import with_problem
from medfence_guard import AuditLog, ContractError, Fence, Outcome, ReviewDecision, ReviewQueue, Rulepack, SourceDocument

Source = str | Callable[[Any], Any]
KEPT = 10_000
"""So many tool calls are remembered as run, and so many open requests are kept without a queue of the caller's own."""


class MedfenceState(AgentState[Any]):
    """What the middleware keeps in the graph's state, hidden from its input and output."""

    medfence_source: NotRequired[Annotated[str, PrivateStateAttr]]
    medfence_pending: NotRequired[Annotated[dict[str, Any] | None, PrivateStateAttr]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """What is to be verified, against what, and which arguments would run."""

    answer: ModelAnswer
    document: SourceDocument
    artifact_type: str


class MedfenceMiddleware(AgentMiddleware[MedfenceState, Any, Any]):
    """No guarded tool runs, and no structured response leaves, without a PASS or a person's recorded decision.

    source: where the run's context holds the document: a name (attribute or key), or a function of the context. Never the messages.
    guarded_tools: tool name -> artifact type its arguments are. safe_tools: names that may run unverified. Any other tool is refused.
    structured_response: the artifact type of the agent's structured response; None: it is none of ours, and leaves unverified.
    review: FAIL and ABSTAIN. With a checkpointer the graph is interrupted: resume it with a `ReviewDecision` or its `to_record()`; if
    `review` is a ReviewQueue, the decision is taken from the queue and the resume value is only a signal. Without a checkpointer a
    review function is called.
    audit, rulepack, timeout, min_reviewers: as for `Fence`; a release by a person needs `audit`.
    allow_missing_finish_reason: see `normalise`.
    """

    state_schema = MedfenceState
    # A tracer would keep the messages and the arguments. Spans and their times stay.
    trace_policy = TracePolicy(process_inputs=omit_payload, process_outputs=omit_payload)

    def __init__(
        self,
        *,
        source: Source,
        guarded_tools: Mapping[str, str] | None = None,
        safe_tools: Iterable[str] = (),
        structured_response: str | None = "prescription",
        review: Review | ReviewQueue | None = None,
        audit: AuditLog | str | PathLike[str] | None = None,
        rulepack: Rulepack | None = None,
        timeout: float | None = None,
        min_reviewers: int = 1,
        allow_missing_finish_reason: bool = False,
    ) -> None:
        super().__init__()
        self.tools = []
        self._guarded, self._safe = dict(guarded_tools or {}), frozenset(safe_tools)
        if isinstance(safe_tools, str) or not all(isinstance(name, str) for name in (*self._safe, *self._guarded, *self._guarded.values())):
            raise ContractError("langchain.tools", "`guarded_tools` maps tool names to artifact types; `safe_tools` is a set of tool names")
        if self._safe & set(self._guarded):
            raise ContractError("langchain.tools", "a tool is either guarded or safe, not both")
        if not (isinstance(source, str) or callable(source)):
            raise ContractError("langchain.source", "`source` is a name in the run's context, or a function of the context")
        self._source, self._structured, self._allow_missing = source, structured_response, allow_missing_finish_reason
        log = audit if isinstance(audit, AuditLog) or audit is None else AuditLog(audit)
        self._signalled = isinstance(review, ReviewQueue)
        self.queue = review if isinstance(review, ReviewQueue) else ReviewQueue(limit=KEPT)
        self._asking = Fence(rulepack, self.queue, log, timeout, min_reviewers=min_reviewers, control_flow=(GraphControlFlow,))
        self._calling = Fence(rulepack, review, log, timeout, min_reviewers=min_reviewers, control_flow=(GraphControlFlow,))
        self._run_already: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()

    # ---- the source, pinned ----

    def before_agent(self, state: MedfenceState, runtime: Runtime[Any]) -> dict[str, Any]:  # noqa: ARG002 - LangChain's signature
        """Pin the source: a run that is resumed with another one is held."""
        return {"medfence_source": _digest(self._document(runtime.context)), "medfence_pending": None}

    async def abefore_agent(self, state: MedfenceState, runtime: Runtime[Any]) -> dict[str, Any]:
        """As `before_agent`."""
        return self.before_agent(state, runtime)

    def _document(self, context: object) -> SourceDocument | str:
        """The document of the run's context, or why there is none."""
        try:
            if not isinstance(self._source, str):
                value = self._source(context)
            elif isinstance(context, Mapping):
                value = context[self._source]
            else:
                value = getattr(context, self._source)
        except Exception as error:  # noqa: BLE001 - no source is no reason to let anything through
            return f"reading the source from the run's context raised {type(error).__name__}; pass context= to every call, resumes included"
        return document_in(value, "in the run's context")

    def _pinned(self, state: Mapping[str, Any], context: object) -> SourceDocument | str:
        document = self._document(context)
        if isinstance(document, SourceDocument) and state.get("medfence_source") != _digest(document):
            return "the source is not the one this run began with"
        return document

    # ---- tool calls ----

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        """Run the tool with the verified arguments, or do not run it."""
        name = request.tool_call["name"]
        if name in self._safe:
            return handler(request)
        if name not in self._guarded:
            return _not_run(request, f"no one has said whether the tool {name!r} is guarded or safe")
        call = self._to_verify(request)
        verdict = self._admitted(request, self._decided(call))
        return handler(verdict) if isinstance(verdict, ToolCallRequest) else verdict

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> ToolMessage | Command[Any]:
        """As `wrap_tool_call`; an async review callback is awaited."""
        name = request.tool_call["name"]
        if name in self._safe:
            return await handler(request)
        if name not in self._guarded:
            return _not_run(request, f"no one has said whether the tool {name!r} is guarded or safe")
        call = self._to_verify(request)
        verdict = self._admitted(request, await self._adecided(call))
        return await handler(verdict) if isinstance(verdict, ToolCallRequest) else verdict

    def _to_verify(self, request: ToolCallRequest) -> _Call:
        artifact_type = self._guarded[request.tool_call["name"]]
        document: SourceDocument | str = ""
        try:
            state = cast(Mapping[str, Any], request.state)
            document = self._pinned(state, request.runtime.context)
            if isinstance(document, str):
                answer = refused(document, request.tool_call["args"])
            else:
                answer = self._arguments(request.tool, request.tool_call, state)
        except Exception as error:  # noqa: BLE001 - a gate that breaks is closed
            answer = refused(f"preparing the verification raised {type(error).__name__}")
        return _Call(
            answer=answer,
            document=document if isinstance(document, SourceDocument) else SourceDocument(""),
            artifact_type=artifact_type,
        )

    def _arguments(self, tool: BaseTool | None, tool_call: Mapping[str, Any], state: Mapping[str, Any]) -> ModelAnswer:
        message = _message_of(tool_call["id"], state.get("messages", ()))
        if message is None:
            return refused("no message of the model holds this tool call", tool_call["args"])
        problem = finish_problem(message, self._allow_missing)
        if problem is None and message.invalid_tool_calls:
            problem = "another tool call of the same message could not be read"
        if problem is not None:
            return refused(problem, tool_call["args"])
        return effective_arguments(tool, tool_call["args"])

    def _admitted(self, request: ToolCallRequest, outcome: Outcome) -> ToolCallRequest | ToolMessage:
        """The request with the released arguments; or the message that it was not run."""
        if not outcome.released:
            return _not_run(request, outcome.why, outcome)
        arguments = outcome.payload
        if not is_what_will_run(request.tool, arguments):
            return _not_run(request, "the tool would change the verified arguments before it runs")
        if not self._first_time(request, arguments):
            return _not_run(request, "this tool call was run before")
        return request.override(tool_call={**request.tool_call, "args": arguments})

    def _first_time(self, request: ToolCallRequest, arguments: object) -> bool:
        """False for a call that ran before, whoever asks again: a retry, a second call of the handler, a resumed old checkpoint."""
        thread = _configurable().get("thread_id")
        state = cast(Mapping[str, Any], request.state)
        told = repr((thread, state.get("medfence_source"), request.tool_call["name"], request.tool_call["id"], arguments))
        key = hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()
        with self._lock:
            if key in self._run_already:
                return False
            self._run_already[key] = None
            if len(self._run_already) > KEPT:
                self._run_already.popitem(last=False)
        return True

    # ---- verification and review ----

    def _decided(self, call: _Call) -> Outcome:
        if not _has_checkpointer():
            return with_problem(self._calling.check(call.answer.payload, call.document, call.artifact_type), call.answer.problem)
        outcome = with_problem(self._asking.check(call.answer.payload, call.document, call.artifact_type), call.answer.problem)
        return self._asked(outcome)

    async def _adecided(self, call: _Call) -> Outcome:
        if not _has_checkpointer():
            return with_problem(await self._calling.acheck(call.answer.payload, call.document, call.artifact_type), call.answer.problem)
        outcome = with_problem(await self._asking.acheck(call.answer.payload, call.document, call.artifact_type), call.answer.problem)
        return self._asked(outcome)

    def _asked(self, outcome: Outcome) -> Outcome:
        """Interrupt for a held outcome. On resume the node runs again from its top, finds the same request, and settles it, once."""
        request = outcome.request
        if outcome.released or request is None or outcome.code != "review.queued":
            return outcome
        resumed = interrupt(
            {
                "medfence": "review",
                "why": outcome.why,
                "request_id": request.request_id,
                "payload_sha256": request.payload_sha256,
                "verdict": request.verdict.value,
                "allowed": sorted(action.value for action in request.allowed),
                "reasons": [{"path": r.path, "check_id": r.check_id, "verdict": r.verdict.value} for r in request.reasons],
                "summary": request.summary,
            }
        )
        if self._signalled:
            return self._asking.settle(request.request_id)
        return self._asking.settle(request.request_id, _decision(resumed))

    # ---- the structured response ----

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelCallResult[Any]:
        """Take the structured response out of what the model node returns, until it is verified."""
        return self._quarantined(handler(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelCallResult[Any]:
        """As `wrap_model_call`."""
        return self._quarantined(await handler(request))

    def _quarantined(self, response: ModelResponse[Any]) -> ModelCallResult[Any]:
        if self._structured is None or response.structured_response is None:
            return response
        messages = [message for message in response.result if isinstance(message, AIMessage)]
        if len(messages) == 1:
            answer = normalise(messages[0], allow_missing_finish_reason=self._allow_missing)
        else:
            answer = refused(f"the model node returned {len(messages)} messages of the model")
        held = replace(response, structured_response=None, result=[_without_values(message) for message in response.result])
        # Plain JSON only: a checkpointer stores it. `jump_to` ends the loop; what is released is decided in `after_agent`.
        pending = {"payload": answer.payload, "problem": answer.problem}
        return ExtendedModelResponse(held, Command(update={"medfence_pending": pending, "jump_to": "end"}))

    def after_agent(self, state: MedfenceState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Verify the structured response, and put it into the state if it is released."""
        call = self._pending(state, runtime)
        return None if call is None else _released_response(self._decided(call))

    async def aafter_agent(self, state: MedfenceState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """As `after_agent`."""
        call = self._pending(state, runtime)
        return None if call is None else _released_response(await self._adecided(call))

    def _pending(self, state: MedfenceState, runtime: Runtime[Any]) -> _Call | None:
        pending = state.get("medfence_pending")
        if pending is None or self._structured is None:
            return None
        document = self._pinned(cast(Mapping[str, Any], state), runtime.context)
        answer = ModelAnswer(pending["payload"], pending["problem"])
        if isinstance(document, str):
            answer, document = refused(document, pending["payload"]), SourceDocument("")
        return _Call(answer=answer, document=document, artifact_type=self._structured)


def assert_innermost(middleware: Iterable[AgentMiddleware[Any, Any, Any]]) -> None:
    """For a test of yours: ContractError unless the list ends with a MedfenceMiddleware."""
    listed = list(middleware)
    if not listed or not isinstance(listed[-1], MedfenceMiddleware):
        raise ContractError(
            "langchain.order", "MedfenceMiddleware must be the last in the list of middleware, so that nothing runs inside it"
        )


def _released_response(outcome: Outcome) -> dict[str, Any]:
    """The state update. A held response is told in a message; its values stay where they were."""
    if outcome.released:
        return {"structured_response": outcome.payload, "medfence_pending": None}
    told = AIMessage(f"The structured response was not released. {outcome.why}", response_metadata={"medfence": outcome.to_dict()})
    return {"structured_response": None, "medfence_pending": None, "messages": [told]}


def _without_values(message: BaseMessage) -> BaseMessage:
    """LangChain's own tool message repeats the structured response."""
    return message.model_copy(update={"content": "Held for verification."}) if isinstance(message, ToolMessage) else message


def _not_run(request: ToolCallRequest, why: str, outcome: Outcome | None = None) -> ToolMessage:
    return ToolMessage(
        f"Not run, and must not be tried again by you: {why}",
        tool_call_id=request.tool_call["id"] or "",
        name=request.tool_call["name"],
        status="error",
        artifact=None if outcome is None else outcome.to_dict(),
    )


def _message_of(call_id: str | None, messages: Iterable[object]) -> AIMessage | None:
    found = [m for m in messages if isinstance(m, AIMessage) and any(call["id"] == call_id for call in m.tool_calls)]
    return found[-1] if found else None


def _decision(resumed: object) -> ReviewDecision:
    """The decision in a resume value. What is none goes to the fence as it is, which holds it as `review.wrong_type`."""
    if isinstance(resumed, Mapping):
        try:
            return ReviewDecision.from_record(resumed)
        except ContractError:
            pass
    # `settle` takes None for "the decision in the queue", so a None must not get there.
    return cast(ReviewDecision, "no decision" if resumed is None else resumed)


def _digest(document: SourceDocument | str) -> str:
    return hashlib.sha256(repr(document).encode("utf-8", "surrogatepass")).hexdigest() if isinstance(document, SourceDocument) else ""


def _configurable() -> Mapping[str, Any]:
    try:
        found: Mapping[str, Any] = get_config().get("configurable", {})
    except RuntimeError:  # outside a graph
        return {}
    return found


def _has_checkpointer() -> bool:
    """Without one an interrupt ends the run, and nobody can resume it. LangGraph has no public way to ask."""
    return _configurable().get("__pregel_checkpointer") not in (None, False)
