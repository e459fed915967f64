"""The ways in which LangChain's agents let something through, by the numbers of the register in docs/langchain.md."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any

import pytest

pytest.importorskip("langchain_core")
pytest.importorskip("langchain")

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware, ToolRetryMiddleware, after_model, hook_config
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolArg, StructuredTool, ToolException
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.types import Command, RetryPolicy, interrupt
from pydantic import BaseModel, field_validator

from adapters.langchain.samples import DOCUMENT, NOTE, OTHER_NOTE, WRONG, called, said
from adapters.langchain.scripted import Context, Scripted, cut_off, prescribing, texts
from langchain_medfence import (
    GuardedChain,
    MedfenceBlocked,
    MedfenceGuard,
    MedfenceMiddleware,
    Medication,
    Prescription,
    assert_innermost,
    context_source,
    guard_tool,
)
from medfence_guard import ContractError, OutcomeStatus, ReviewDecision, ReviewQueue

GOOD = {"name": "Telma", "strength": {"value": "40", "unit": "mg"}, "frequency": "OD", "duration": "30 days"}
BAD = {**GOOD, "strength": {"value": "80", "unit": "mg"}}
GO = {"messages": [("user", "go")]}
THREAD = {"configurable": {"thread_id": "1"}}


def fence(**settings):
    return MedfenceMiddleware(**{"source": "note", "guarded_tools": {"prescribe": "prescription"}, **settings})


def agent(*calls, tools, before=(), middleware=None, chunks=(), **settings):
    """An agent whose model makes these calls in turn and then says `done`."""
    messages = [call if isinstance(call, AIMessage) else called(call, name="prescribe") for call in calls]
    model = Scripted(messages=[*messages, said("done")], chunks=list(chunks))
    return create_agent(model, tools, middleware=[*before, middleware or fence()], context_schema=Context, **settings)


def run(made, config=None, note=NOTE):
    return made.invoke(GO, config, context=Context(note))


def one(results):
    [result] = results
    return result


def decided(middleware, interrupted, how):
    """The resume command with the decision `how(request)`."""
    asked = one(interrupted["__interrupt__"])
    request = middleware.queue.get(asked.value["request_id"])
    return Command(resume={asked.id: how(request).to_record()})


def override(request):
    return request.override(reviewer="dr-a", reason="read_in_source", values=dict.fromkeys(request.contested_values, "80 mg"))


def reject(request):
    return request.reject(reviewer="dr-a", reason="wrong_extraction")


# ---- what works ----


@pytest.mark.parametrize("way", ["invoke", "ainvoke", "stream", "astream"])
def test_a_pass_runs_with_the_verified_arguments_and_a_fail_does_not_run(way):
    async def last(stream):
        return [values async for values in stream][-1]

    for arguments, expected in ((GOOD, [GOOD]), (BAD, [])):
        ran: list[Any] = []
        made, context = agent(arguments, tools=[prescribing(ran)]), Context(NOTE)
        if way == "invoke":
            told = made.invoke(GO, context=context)
        elif way == "ainvoke":
            told = asyncio.run(made.ainvoke(GO, context=context))
        elif way == "stream":
            told = list(made.stream(GO, context=context, stream_mode="values"))[-1]
        else:
            told = asyncio.run(last(made.astream(GO, context=context, stream_mode="values")))
        assert ran == expected
        assert ("Not run" in texts(told["messages"])) is (expected == [])
        assert "medfence_source" not in told or "stream" in way  # a stream of all values shows private ones, too


def test_a_call_carries_the_whole_record():
    """Each call is compared with the whole note, so one call per medicine is held where the note orders two."""
    note = f"1. {NOTE}\n2. {OTHER_NOTE}"
    other = {"name": "Eltroxin", "strength": {"value": "50", "unit": "mcg"}, "frequency": "OD", "duration": "60 days"}
    ran: list[Any] = []
    run(agent(called(GOOD, other, name="prescribe"), tools=[prescribing(ran)]), note=note)
    assert ran == []
    run(agent({"medications": [GOOD, other]}, tools=[prescribing(ran, schema=Prescription)]), note=note)
    assert len(ran) == 1


def test_a_person_releases_an_interrupted_call_once(tmp_path):
    ran: list[Any] = []
    middleware = fence(audit=tmp_path / "log")
    made = agent(BAD, tools=[prescribing(ran)], middleware=middleware, checkpointer=InMemorySaver())
    interrupted = run(made, THREAD)
    assert ran == []
    asked = one(interrupted["__interrupt__"]).value
    assert (asked["verdict"], asked["allowed"]) == ("fail", ["edit", "override", "reject"])
    made.invoke(decided(middleware, interrupted, override), THREAD, context=Context(NOTE))
    assert ran == [BAD]


def test_an_edit_runs_as_edited_and_a_reject_does_not_run(tmp_path):
    for how, expected in (
        (lambda request: request.edit(GOOD, reviewer="dr-a", reason="wrong_extraction"), [GOOD]),
        (lambda request: request.edit({**GOOD, "strength": "20 mg"}, reviewer="dr-a", reason="other"), []),
        (reject, []),
    ):
        ran: list[Any] = []
        middleware = fence(audit=tmp_path / "log")
        made = agent(BAD, tools=[prescribing(ran)], middleware=middleware, checkpointer=InMemorySaver())
        made.invoke(decided(middleware, run(made, THREAD), how), THREAD, context=Context(NOTE))
        assert ran == expected


def test_with_a_queue_the_resume_value_decides_nothing(tmp_path):
    """Whoever can resume a graph can write any reviewer's name; a queue knows who decided."""
    ran: list[Any] = []
    queue = ReviewQueue(tmp_path / "reviews.sqlite")
    made = agent(BAD, tools=[prescribing(ran)], middleware=fence(review=queue, audit=tmp_path / "log"), checkpointer=InMemorySaver())
    asked = one(run(made, THREAD)["__interrupt__"])
    request = queue.get(asked.value["request_id"])
    forged = made.invoke(Command(resume={asked.id: override(request).to_record()}), THREAD, context=Context(NOTE))
    assert (ran, "Held" in texts(forged["messages"])) == ([], True)
    other = {"configurable": {"thread_id": "2"}}
    again = one(run(made_again := agent(BAD, tools=[prescribing(ran)], middleware=fence(review=queue, audit=tmp_path / "log"),
                                        checkpointer=InMemorySaver()), other)["__interrupt__"])  # fmt: skip
    queue.decide(override(request), queue.claim("dr-a"))
    made_again.invoke(Command(resume={again.id: "look"}), other, context=Context(NOTE))
    assert ran == [BAD]


# ---- the register ----


@pytest.mark.parametrize("metadata", [{"finish_reason": "length"}, {}], ids=["length", "dropped"])
def test_failopen_01_a_cut_off_streamed_tool_call_does_not_run(metadata):
    ran: list[Any] = []
    text = json.dumps({**GOOD, "duration": "30 days"})[:-2]
    made = agent(said(""), tools=[prescribing(ran)], chunks=cut_off(text, **metadata))
    list(made.stream(GO, context=Context(NOTE), stream_mode="messages"))
    assert ran == []


@pytest.mark.xfail(strict=True, reason="langchain#39275: when this passes, LangChain no longer runs a cut-off tool call by itself")
def test_failopen_01_canary_langchain_itself_runs_a_cut_off_tool_call():
    ran: list[Any] = []
    chunks = cut_off(json.dumps(GOOD)[:-2], finish_reason="length")
    made = create_agent(Scripted(messages=[said(""), said("done")], chunks=chunks), [prescribing(ran)])
    list(made.stream(GO, stream_mode="messages"))
    assert ran == []


def test_failopen_10_a_call_beside_one_that_could_not_be_read_does_not_run():
    ran: list[Any] = []
    unread = {"name": "prescribe", "args": "{", "id": "call-9", "error": None, "type": "invalid_tool_call"}
    run(agent(called(GOOD, name="prescribe").model_copy(update={"invalid_tool_calls": [unread]}), tools=[prescribing(ran)]))
    assert ran == []


def test_failopen_19_misconfigured_middleware_is_an_error():
    for wrong in (
        {"safe_tools": {"prescribe"}},
        {"safe_tools": "search"},
        {"guarded_tools": {"prescribe": None}},
        {"source": None},
        {"review": "dr-a"},
    ):
        with pytest.raises(ContractError):
            fence(**wrong)
    with pytest.raises(TypeError):
        fence(guarded_tool={})


def test_failopen_22_an_ignored_jump_does_not_matter():
    """A hook that may not jump is silently ignored, so nothing here relies on a jump."""

    @after_model
    def jump(state: Any, runtime: Any) -> dict[str, Any]:
        return {"jump_to": "end"}

    ran: list[Any] = []

    class First(AgentMiddleware):
        """LangChain honours such a jump in the first middleware that has the hook, and in no other."""

        def after_model(self, state: Any, runtime: Any) -> None:
            return None

    run(agent(BAD, tools=[prescribing(ran)], before=[First(), jump]))
    assert ran == []


def test_failopen_23_an_edit_after_an_outer_gate_is_verified():
    ran: list[Any] = []
    human = HumanInTheLoopMiddleware(interrupt_on={"prescribe": True})
    made = agent(GOOD, tools=[prescribing(ran)], before=[human], checkpointer=InMemorySaver())
    asked = one(run(made, THREAD)["__interrupt__"])
    edit = {"type": "edit", "edited_action": {"name": "prescribe", "args": BAD}}
    told = made.invoke(Command(resume={asked.id: {"decisions": [edit]}}), THREAD, context=Context(NOTE))
    assert ran == []
    assert told["__interrupt__"][0].value["medfence"] == "review"


def test_failopen_23_a_rejected_call_that_is_sent_to_the_tools_is_verified():
    class Jumping(AgentMiddleware):
        @hook_config(can_jump_to=["tools"])
        def after_model(self, state: Any, runtime: Any) -> dict[str, Any] | None:
            return {"jump_to": "tools"} if state["messages"][-1].type != "ai" else None

    ran: list[Any] = []
    human = HumanInTheLoopMiddleware(interrupt_on={"prescribe": True})
    made = agent(BAD, tools=[prescribing(ran)], before=[Jumping(), human], checkpointer=InMemorySaver())
    asked = one(run(made, THREAD)["__interrupt__"])
    made.invoke(Command(resume={asked.id: {"decisions": [{"type": "reject"}]}}), THREAD, context=Context(NOTE))
    assert ran == []


def test_failopen_23_the_order_can_be_asserted():
    assert_innermost([HumanInTheLoopMiddleware(interrupt_on={}), fence()])
    for wrong in ([], [fence(), HumanInTheLoopMiddleware(interrupt_on={})]):
        with pytest.raises(ContractError, match="last"):
            assert_innermost(wrong)


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy])
def test_failopen_24_a_structured_response_waits_for_its_verdict(strategy):
    for arguments, released in ((GOOD, True), (BAD, False)):
        payload = {"medications": [arguments]}
        message = called(payload, name="Prescription") if strategy is ToolStrategy else said(payload)
        made = create_agent(
            Scripted(messages=[message]), [], middleware=[fence()], response_format=strategy(Prescription), context_schema=Context
        )
        seen = list(made.stream(GO, context=Context(NOTE), stream_mode="values"))
        assert [values["structured_response"] for values in seen if values.get("structured_response")] == [payload] * released
        assert "structured_response" in seen[-1]
        assert not [m for m in seen[-1]["messages"] if isinstance(m, ToolMessage) and "mg" in m.text]
        answered = asyncio.run(made.ainvoke(GO, context=Context(NOTE)))
        assert (answered["structured_response"] == payload) is released


def test_failopen_24_an_interrupt_does_not_show_the_structured_response(tmp_path):
    middleware = fence(audit=tmp_path / "log")
    message = called({"medications": [BAD]}, name="Prescription")
    made = create_agent(
        Scripted(messages=[message]),
        [],
        middleware=[middleware],
        response_format=ToolStrategy(Prescription),
        context_schema=Context,
        checkpointer=InMemorySaver(),
    )
    interrupted = run(made, THREAD)
    assert interrupted.get("structured_response") is None
    told = made.invoke(decided(middleware, interrupted, override), THREAD, context=Context(NOTE))
    assert told["structured_response"] == {"medications": [BAD]}


def test_failopen_25_a_tool_nobody_classified_does_not_run():
    ran: list[Any] = []
    told = run(agent(called(GOOD, name="order"), tools=[prescribing(ran, name="order")]))
    assert (ran, "guarded or safe" in texts(told["messages"])) == ([], True)
    told = run(agent(called(GOOD, name="unheard_of"), tools=[prescribing(ran)]))
    assert (ran, "guarded or safe" in texts(told["messages"])) == ([], True)
    run(agent(called(BAD, name="order"), tools=[prescribing(ran, name="order")], middleware=fence(safe_tools={"order"})))
    assert ran == [BAD]


class WithDefault(BaseModel):
    name: str
    strength: str = "80 mg"
    frequency: str | None = None
    duration: str | None = None


class Changing(BaseModel):
    name: str
    strength: str
    frequency: str
    duration: str

    @field_validator("strength")
    @classmethod
    def doubled(cls, value: str) -> str:
        return {"20 mg": "40 mg", "40 mg": "80 mg"}.get(value, value)


def test_failopen_26_a_tools_default_is_part_of_what_is_verified():
    ran: list[Any] = []
    said_less = {key: value for key, value in GOOD.items() if key != "strength"}
    run(agent(said_less, tools=[prescribing(ran, schema=WithDefault)]))
    assert ran == []


def test_failopen_26_a_tool_that_changes_verified_arguments_does_not_run():
    """20 mg becomes 40 mg before the verification, and would become 80 mg after it. LangChain's `tool_call_schema` has no validators."""
    for strength, told_so in (("20 mg", True), ("40 mg", False)):
        ran: list[Any] = []
        told = run(agent({**GOOD, "strength": strength}, tools=[prescribing(ran, schema=Changing)]))
        assert (ran, "would change" in texts(told["messages"])) == ([], told_so)


def test_what_is_injected_is_neither_the_models_nor_verified():
    ran: list[Any] = []

    def prescribe(name: str, strength: str, frequency: str, duration: str, state: Annotated[dict[str, Any], InjectedState]) -> str:
        ran.append((name, strength, len(state["messages"])))
        return "prescribed"

    tool = StructuredTool.from_function(prescribe, description="Prescribe.")
    run(agent({**GOOD, "strength": "40 mg", "state": {"messages": []}}, tools=[tool]))
    assert ran == [("Telma", "40 mg", 2)]


def test_failopen_26_a_json_schema_that_names_defaults_is_held():
    ran: list[Any] = []
    fields = {name: {"type": "string"} for name in ("name", "strength", "frequency", "duration")}
    for schema, expected in ((fields, 1), ({**fields, "dose": {"type": "string", "default": "2 tablets"}}, 0)):
        ran.clear()
        tool = StructuredTool(
            name="prescribe",
            description="Prescribe.",
            args_schema={"type": "object", "properties": schema},
            func=lambda **arguments: ran.append(arguments) or "prescribed",
        )
        run(agent({**GOOD, "strength": "40 mg"}, tools=[tool]))
        assert len(ran) == expected


def test_failopen_27_a_run_that_is_resumed_with_another_source_is_held(tmp_path):
    for context in (Context(OTHER_NOTE), Context("Tab Telma 80 mg OD x 30 days"), Context(None), None):
        ran: list[Any] = []
        middleware = fence(audit=tmp_path / "log")
        made = agent(BAD, tools=[prescribing(ran)], middleware=middleware, checkpointer=InMemorySaver())
        interrupted = run(made, THREAD)
        made.invoke(decided(middleware, interrupted, override), THREAD, context=context)
        assert ran == []


@pytest.mark.parametrize("resume", [True, "release", 1, {"action": "release"}, {"decisions": [{"type": "approve"}]}, []], ids=repr)
def test_failopen_27_what_is_no_decision_releases_nothing(resume, tmp_path):
    ran: list[Any] = []
    made = agent(BAD, tools=[prescribing(ran)], middleware=fence(audit=tmp_path / "log"), checkpointer=InMemorySaver())
    asked = one(run(made, THREAD)["__interrupt__"])
    told = made.invoke(Command(resume={asked.id: resume}), THREAD, context=Context(NOTE))
    assert (ran, "Not run" in texts(told["messages"])) == ([], True)


def test_failopen_27_a_decision_about_another_call_releases_nothing(tmp_path):
    ran: list[Any] = []
    middleware = fence(audit=tmp_path / "log")
    other = agent({**BAD, "duration": "60 days"}, tools=[prescribing(ran)], middleware=middleware, checkpointer=InMemorySaver())
    made = agent(BAD, tools=[prescribing(ran)], middleware=middleware, checkpointer=InMemorySaver())
    foreign = middleware.queue.get(one(run(other, THREAD)["__interrupt__"]).value["request_id"])
    asked = one(run(made, THREAD)["__interrupt__"])
    made.invoke(Command(resume={asked.id: override(foreign).to_record()}), THREAD, context=Context(NOTE))
    assert ran == []


def test_failopen_28_without_a_checkpointer_a_person_is_asked_by_the_callback(tmp_path):
    asked: list[Any] = []

    def ask(request):
        asked.append(request)
        return override(request) if len(asked) > 1 else None

    ran: list[Any] = []
    told = run(agent(BAD, tools=[prescribing(ran)], middleware=fence(review=ask, audit=tmp_path / "log")))
    assert (ran, len(asked), "__interrupt__" in told) == ([], 1, False)
    run(agent(BAD, tools=[prescribing(ran)], middleware=fence(review=ask, audit=tmp_path / "log")))
    assert ran == [BAD]


def test_failopen_28_an_async_callback_is_awaited():
    async def ask(request):
        asked.append(request)

    asked: list[Any] = []
    ran: list[Any] = []
    asyncio.run(agent(BAD, tools=[prescribing(ran)], middleware=fence(review=ask)).ainvoke(GO, context=Context(NOTE)))
    assert (ran, len(asked)) == ([], 1)


def test_failopen_29_a_review_that_a_new_message_drops_stays_in_the_queue():
    ran: list[Any] = []
    middleware = fence()
    made = agent(BAD, tools=[prescribing(ran)], middleware=middleware, checkpointer=InMemorySaver())
    request_id = one(run(made, THREAD)["__interrupt__"]).value["request_id"]
    run(made, THREAD)
    assert ran == []
    assert [entry.request_id for entry in middleware.queue.list()] == [request_id]


def test_failopen_30_an_old_checkpoint_that_is_resumed_again_does_not_run_again(tmp_path):
    ran: list[Any] = []
    middleware = fence(audit=tmp_path / "log")
    made = agent(BAD, tools=[prescribing(ran)], middleware=middleware, checkpointer=InMemorySaver())
    command = decided(middleware, run(made, THREAD), override)
    old = made.get_state(THREAD).config
    made.invoke(command, THREAD, context=Context(NOTE))
    assert ran == [BAD]
    made.invoke(command, old, context=Context(NOTE))
    assert ran == [BAD]


def test_failopen_30_a_handler_that_is_called_twice_runs_the_tool_once():
    class Twice(AgentMiddleware):
        def wrap_tool_call(self, request: Any, handler: Any) -> Any:
            handler(request)
            return handler(request)

    ran: list[Any] = []
    told = run(agent(GOOD, tools=[prescribing(ran)], before=[Twice()]))
    assert (ran, "run before" in texts(told["messages"])) == ([GOOD], True)


def test_failopen_31_a_gate_that_breaks_is_closed_and_is_not_retried():
    def broken(_):
        raise LookupError(NOTE)

    for settings in ({"source": broken}, {"review": broken}):
        ran: list[Any] = []
        retry = ToolRetryMiddleware(max_retries=2, initial_delay=0)
        told = run(agent(BAD, tools=[prescribing(ran)], before=[retry], middleware=fence(**settings)))
        refused = one(message for message in told["messages"] if isinstance(message, ToolMessage))
        assert (ran, refused.status, "Telma" in refused.text) == ([], "error", False)
        assert "must not be tried again" in refused.text


def test_failopen_32_a_blocked_node_is_not_retried():
    runs: list[Any] = []

    def node(state: Any) -> dict[str, Any]:
        runs.append(1)
        MedfenceGuard(source=DOCUMENT, on_block="raise").invoke(said(WRONG))
        return {}

    graph = StateGraph(MessagesState)
    graph.add_node("node", node, retry_policy=RetryPolicy(initial_interval=0.01, max_attempts=3))
    graph.add_edge(START, "node")
    graph.add_edge("node", END)
    with pytest.raises(MedfenceBlocked):
        graph.compile().invoke({"messages": []})
    assert len(runs) == 1


def test_failopen_33_a_message_is_replaced_and_not_added():
    message = called({"medications": [BAD]}, name="Prescription")
    made = create_agent(
        Scripted(messages=[message]), [], middleware=[fence()], response_format=ToolStrategy(Prescription), context_schema=Context
    )
    assert "80" not in texts(run(made)["messages"])


def test_failopen_34_a_guarded_tool_holds_where_no_hook_runs(tmp_path):
    ran: list[Any] = []
    tool = guard_tool(prescribing(ran), source=DOCUMENT)
    graph = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([tool]))
    graph.add_edge(START, "tools")
    graph.add_edge("tools", END)
    for arguments, expected in ((BAD, []), (GOOD, [GOOD])):
        ran.clear()
        told = graph.compile().invoke({"messages": [called(arguments, name="prescribe")]})
        assert (ran, told["messages"][-1].status) == (expected, "success" if expected else "error")


# ---- guard_tool ----


def test_a_guarded_tool_by_itself_sync_and_async():
    ran: list[Any] = []
    tool = guard_tool(prescribing(ran), source=lambda config: config["metadata"]["note"])
    for call in (tool.invoke, lambda *given: asyncio.run(tool.ainvoke(*given))):
        ran.clear()
        assert call(GOOD, {"metadata": {"note": NOTE}}) == "prescribed"
        assert "Not run" in call(BAD, {"metadata": {"note": NOTE}})
        assert "Not run" in call(GOOD, {"metadata": {}})
        assert ran == [GOOD]
    with pytest.raises(MedfenceBlocked) as raised:
        guard_tool(prescribing(ran), source=DOCUMENT, on_block="raise").invoke(BAD)
    assert raised.value.outcome.status is OutcomeStatus.HELD
    assert tool.args == prescribing(ran).args


def test_a_guarded_tool_handles_its_own_errors_as_it_did():
    def prescribe(name: str, strength: str, frequency: str, duration: str) -> str:
        raise ToolException("out of stock")

    good, told = {**GOOD, "strength": "40 mg"}, {True: "out of stock", "sorry": "sorry"}
    for handling in (True, "sorry", False):
        tool = StructuredTool.from_function(prescribe, description="Prescribe.", handle_tool_error=handling)
        guarded = guard_tool(tool, source=DOCUMENT)
        if handling:
            assert guarded.invoke(good) == tool.invoke(good) == told[handling]
        else:
            with pytest.raises(ToolException, match="out of stock"):
                guarded.invoke(good)
        assert "Not run" in guarded.invoke({**good, "strength": "80 mg"})


def test_a_tracer_of_an_agent_sees_no_arguments_in_our_spans():
    from langchain_core.tracers.base import BaseTracer

    class Kept(BaseTracer):
        def _persist_run(self, run):
            pass

        def _end_trace(self, run):
            runs.append(run)
            super()._end_trace(run)

    runs: list[Any] = []
    run(agent(BAD, tools=[prescribing([])]), {"callbacks": [Kept()]})
    ours = [each for each in runs if "Medfence" in each.name]
    assert ours
    assert "Telma" not in repr([(each.inputs, each.outputs) for each in ours])


def test_a_guarded_tool_in_an_agent_reads_the_runs_context_and_keeps_what_is_injected():
    ran: list[Any] = []

    def prescribe(name: str, strength: str, frequency: str, duration: str, user: Annotated[str, InjectedToolArg] = "nobody") -> str:
        ran.append((name, user))
        return "prescribed"

    tool = guard_tool(StructuredTool.from_function(prescribe, description="Prescribe."), source=context_source("note"))
    made = agent({**GOOD, "strength": "40 mg"}, tools=[tool], middleware=HumanInTheLoopMiddleware(interrupt_on={}))
    run(made)
    run(made, note=OTHER_NOTE)
    assert ran == [("Telma", "nobody")]


# ---- a chain in a node ----


def test_an_interrupt_inside_a_review_callback_passes_through_and_its_answer_counts(tmp_path):
    def ask(request):
        return ReviewDecision.from_record(interrupt({"request_id": request.request_id}))

    requests: list[Any] = []
    chain = GuardedChain(
        generate=lambda _: said(WRONG),
        source="note",
        review=lambda request: requests.append(request) or ask(request),
        audit=tmp_path / "log",
    )

    def node(state: Any) -> dict[str, Any]:
        return {"messages": [("ai", chain.invoke({"note": NOTE}).status.value)]}

    graph = StateGraph(MessagesState)
    graph.add_node("node", node)
    graph.add_edge(START, "node")
    graph.add_edge("node", END)
    made = graph.compile(checkpointer=InMemorySaver())
    asked = one(made.invoke(GO, THREAD)["__interrupt__"])
    told = made.invoke(Command(resume={asked.id: override(requests[0]).to_record()}), THREAD)
    assert told["messages"][-1].content == "released_by_override"


def test_medication_is_the_schema_of_a_tool():
    assert Medication.model_validate(GOOD).strength is not None
