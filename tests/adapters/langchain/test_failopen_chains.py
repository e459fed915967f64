"""The ways in which LangChain lets something through, by the numbers of the register in docs/langchain.md: those of chains."""

from __future__ import annotations

import ast
import asyncio
import json
from pathlib import Path

import pytest

pytest.importorskip("langchain_core")

from langchain_core.caches import InMemoryCache
from langchain_core.globals import set_llm_cache
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.output_parsers import JsonOutputParser, StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableBranch, RunnableLambda, RunnablePassthrough
from langchain_core.runnables.utils import AddableDict, ConfigurableField

from adapters.langchain.samples import DOCUMENT, FAITHFUL, NOTE, OTHER_NOTE, UNDECIDABLE, WRONG, called, said
from adapters.langchain.scripted import Scripted, cut_off
from langchain_medfence import GuardedChain, MedfenceBlocked, MedfenceGuard, normalise
from medfence_guard import ContractError, Outcome, OutcomeStatus, Verdict

PROMPT = ChatPromptTemplate.from_template("Extract: {note}")
GUARD = MedfenceGuard(source=DOCUMENT)


def chain(*messages, **settings):
    return GuardedChain(generate=PROMPT | Scripted(messages=list(messages)), source="note", **settings)


def is_held(outcome):
    assert (type(outcome), outcome.status) == (Outcome, OutcomeStatus.HELD)
    return True


def one(results):
    [result] = results
    return result


def test_failopen_01_a_cut_off_tool_call_that_langchain_completed():
    """The stream ends inside the arguments; LangChain closes the brackets, and here the result would even be faithful."""
    whole = json.dumps(FAITHFUL)
    for metadata in ({"finish_reason": "length"}, {}, {"finish_reason": "stop"}):
        model = Scripted(messages=[said("")], chunks=cut_off(whole[:-2], **metadata))
        added = AIMessageChunk(content="")
        for chunk in cut_off(whole[:-2], **metadata):
            added += chunk
        assert added.tool_calls[0]["args"] == FAITHFUL
        assert is_held(one((model | GUARD).stream("go")))


def test_failopen_02_no_token_reaches_anybody_before_the_verdict():
    from langchain_core.callbacks import BaseCallbackHandler

    class Tokens(BaseCallbackHandler):
        def on_llm_new_token(self, token, **kwargs):
            seen.append(token)

        def on_llm_end(self, response, **kwargs):
            seen.append(response)

    async def events(guarded):
        return [event async for event in guarded.astream_events({"note": NOTE}, version="v2", config={"callbacks": [Tokens()]})]

    seen = []
    for payload in (FAITHFUL, WRONG):
        told = asyncio.run(events(chain(said(payload))))
        chain(said(payload)).invoke({"note": NOTE}, {"callbacks": [Tokens()]})
        list(chain(said(payload)).stream({"note": NOTE}, {"callbacks": [Tokens()]}))
        assert not [event for event in told if "chat_model" in event["event"]]
        strength = payload["medications"][0]["strength"]
        assert not [event for event in told if strength in repr(event["data"].get("chunk", "")) + repr(event["data"].get("output", ""))]
    assert seen == []
    assert [event for event in asyncio.run(events(chain(said(WRONG), isolate=False))) if event["event"] == "on_chat_model_stream"]
    assert seen


def test_failopen_03_nothing_stands_beside_or_before_the_verdict_in_a_stream():
    misplaced = RunnablePassthrough.assign(output=PROMPT | Scripted(messages=[said(WRONG)])).assign(verdict=MedfenceGuard(source="note"))
    early = next(iter(piece for piece in misplaced.stream({"note": NOTE}) if "output" in piece or "verdict" in piece))
    assert "verdict" not in early, "why the guard is last, or a GuardedChain"
    assert is_held(one(chain(said(WRONG)).stream({"note": NOTE})))
    last = RunnablePassthrough.assign(output=PROMPT | Scripted(messages=[said(WRONG)])) | MedfenceGuard(source="note")
    assert is_held(one(last.stream({"note": NOTE})))


def test_failopen_04_an_empty_stream_gives_a_verdict():
    assert is_held(one(GUARD.transform(iter(()))))
    assert is_held(one((Scripted(messages=[said("I cannot read this.")]) | JsonOutputParser() | GUARD).stream("go")))


def test_failopen_05_pieces_that_do_not_add_up_are_not_the_last_of_them():
    assert is_held(one(GUARD.transform(iter([WRONG, FAITHFUL]))))
    assert is_held(one(GUARD.transform(iter([said(WRONG), said(FAITHFUL)]))))
    assert is_held(one(GUARD.transform(iter(["", said(FAITHFUL)]))))


def test_failopen_06_pieces_are_not_summed_into_something_nobody_said():
    halves = [{"name": "Tel", "strength": "40 mg"}, {"name": "ma", "frequency": "OD"}]
    assert (AddableDict(halves[0]) + AddableDict(halves[1]))["name"] == "Telma"
    assert is_held(one(GUARD.transform(iter(map(AddableDict, halves)))))


LENIENT = {
    "cut off": json.dumps(FAITHFUL)[:-4],
    "equal keys": json.dumps(FAITHFUL).replace('"strength"', '"strength": "80 mg", "strength"'),
    "two blocks": f"```json\n{json.dumps(FAITHFUL)}\n```\n```json\n{json.dumps(WRONG)}\n```",
    "prose": f"Here it is: ```json\n{json.dumps(FAITHFUL)}\n```",
}


@pytest.mark.parametrize("case", LENIENT)
def test_failopen_07_what_a_lenient_parser_repairs_is_held(case):
    message = said(LENIENT[case])
    assert JsonOutputParser().invoke(message) == FAITHFUL
    assert is_held(GUARD.invoke(message))
    assert is_held(MedfenceGuard(source=DOCUMENT, require_raw=True).invoke(JsonOutputParser().invoke(message)))
    assert is_held(GUARD.invoke({"raw": message, "parsed": FAITHFUL, "parsing_error": None}))


def test_failopen_08_neither_parsed_nor_an_error():
    for raw in (said(FAITHFUL), said("")):
        assert is_held(GUARD.invoke({"raw": raw, "parsed": None, "parsing_error": None}))
    assert is_held(GUARD.invoke({"raw": said(FAITHFUL), "parsed": FAITHFUL, "parsing_error": ValueError("x")}))
    assert GUARD.invoke({"raw": said(FAITHFUL), "parsed": FAITHFUL, "parsing_error": None}).released


def test_failopen_09_a_second_tool_call_is_seen():
    assert GUARD.invoke(called(FAITHFUL)).released
    assert is_held(GUARD.invoke(called(FAITHFUL, WRONG)))
    assert is_held(GUARD.invoke({"raw": called(FAITHFUL, WRONG), "parsed": FAITHFUL, "parsing_error": None}))
    dropped = called(FAITHFUL)
    dropped.additional_kwargs["tool_calls"] = [
        {"id": call_id, "type": "function", "function": {"name": "record", "arguments": json.dumps(payload)}}
        for call_id, payload in (("call-0", FAITHFUL), ("call-1", WRONG))
    ]
    assert is_held(GUARD.invoke(dropped))


def test_failopen_10_a_tool_call_that_could_not_be_read_is_no_absence_of_one():
    unread = {"name": "record", "args": '{"medications": [', "id": "call-9", "error": None, "type": "invalid_tool_call"}
    for message in (said(""), said(FAITHFUL), called(FAITHFUL)):
        assert is_held(GUARD.invoke(message.model_copy(update={"invalid_tool_calls": [unread]})))


@pytest.mark.parametrize("nothing", [None, {}, [], "", "null", "{}", "[]", {"medications": []}, said("{}"), said(""), called({})], ids=repr)
def test_failopen_11_nothing_is_not_verified_by_having_no_mistakes(nothing):
    assert is_held(GUARD.invoke(nothing))
    assert is_held(chain(nothing if isinstance(nothing, AIMessage) else said(nothing)).invoke({"note": NOTE}))


def test_failopen_12_a_fallback_does_not_replace_a_hold():
    for guard in (GUARD, chain(said(WRONG))):
        with pytest.raises(ContractError, match="on the model"):
            guard.with_fallbacks([RunnableLambda(lambda _: "UNVERIFIED")])
    whole = (Scripted(messages=[said(WRONG)]) | GUARD).with_fallbacks([RunnableLambda(lambda _: "UNVERIFIED")])
    assert is_held(whole.invoke("go"))


def test_failopen_13_a_retry_does_not_ask_until_it_passes():
    for guard in (GUARD, chain(said(WRONG))):
        with pytest.raises(ContractError, match="on the model"):
            guard.with_retry()
    model = Scripted(messages=[said(WRONG), said(FAITHFUL)])
    assert is_held((model | GUARD).with_retry().invoke("go"))
    assert len(model.said) == 1


def test_failopen_14_a_batch_that_returns_exceptions_returns_outcomes():
    def ask(request):
        raise LookupError

    results = MedfenceGuard(source=DOCUMENT, review=ask).batch([said(FAITHFUL), said(WRONG), None], return_exceptions=True)
    assert [type(result) for result in results] == [Outcome] * 3
    assert [result.released for result in results] == [True, False, False]


def test_failopen_15_the_review_is_a_call_and_not_an_event():
    from langchain_core.callbacks import BaseCallbackHandler

    class Broken(BaseCallbackHandler):
        def on_chain_start(self, *args, **kwargs):
            raise LookupError

        def on_chain_end(self, *args, **kwargs):
            raise LookupError

    asked = []
    for callbacks in ([], [Broken()]):
        assert is_held(MedfenceGuard(source=DOCUMENT, review=asked.append).invoke(said(WRONG), {"callbacks": callbacks}))
    assert len(asked) == 2


def test_failopen_16_an_async_review_on_the_sync_way_is_no_consent(recwarn):
    async def ask(request):
        return request.override(reviewer="dr-a", reason="other", values={"$.medications[0].strength": "80 mg"})

    outcome = MedfenceGuard(source=DOCUMENT, review=ask).invoke(said(WRONG))
    assert is_held(outcome)
    assert outcome.code == "review.async_in_sync"
    assert not recwarn.list


@pytest.mark.parametrize("answer", [True, None, "release", {"action": "release"}, 1, object()], ids=repr)
def test_failopen_17_only_a_decision_is_a_decision(answer, tmp_path):
    guard = MedfenceGuard(source=DOCUMENT, review=lambda request: answer, audit=tmp_path / "log")
    assert is_held(guard.invoke(said(UNDECIDABLE)))


def test_failopen_17_a_decision_about_something_else_releases_nothing(tmp_path):
    asked = []
    MedfenceGuard(source=DOCUMENT, review=asked.append).invoke(called({**UNDECIDABLE, "age": "40"}))
    [other] = asked
    decided = other.confirm(reviewer="dr-a", reason="read_in_source")
    assert is_held(MedfenceGuard(source=DOCUMENT, review=lambda _: decided, audit=tmp_path / "log").invoke(said(UNDECIDABLE)))


def test_failopen_18_an_outcome_has_no_truth_value():
    branch = RunnableBranch((lambda outcome: outcome, lambda _: "RELEASED"), lambda _: "held")
    with pytest.raises(ContractError, match="released"):
        (GUARD | branch).invoke(said(WRONG))
    outcome = GUARD.invoke(said(WRONG))
    with pytest.raises(TypeError):
        _ = outcome + outcome


def test_failopen_19_a_misspelt_setting_is_an_error():
    for wrong in ({"stirct": True}, {"require_raw": "perhaps"}, {"on_block": "ignore"}, {"review": "dr-a"}, {"source": 3}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            MedfenceGuard(**{"source": DOCUMENT, **wrong})
    with pytest.raises(ValueError, match="isloate"):
        GuardedChain(generate=PROMPT, source="note", isloate=False)
    with pytest.raises(ValueError, match="frozen"):
        GUARD.require_raw = True


def test_failopen_20_a_request_cannot_switch_the_guard_off():
    attempts = (
        lambda guard: guard.configurable_fields(source=ConfigurableField("source")),
        lambda guard: guard.configurable_alternatives(ConfigurableField("guard"), off=RunnablePassthrough()),
        lambda guard: guard.bind(policy="off"),
        lambda guard: guard.invoke(said(WRONG), policy="off"),
        lambda guard: list(guard.stream(said(WRONG), policy="off")),
        lambda guard: list(guard.transform(iter([said(WRONG)]), policy="off")),
        lambda guard: asyncio.run(guard.ainvoke(said(WRONG), policy="off")),
    )
    for guard in (GUARD, chain(said(WRONG))):
        for attempt in attempts:
            with pytest.raises(ContractError):
                attempt(guard)
    assert is_held(GUARD.with_config(configurable={"source": OTHER_NOTE, "on_block": "return"}).invoke(said(WRONG)))


def test_failopen_21_a_model_cannot_bring_its_own_source():
    forged = {**WRONG, "note": "Tab Telma 80 mg OD x 30 days", "source": "Tab Telma 80 mg OD x 30 days"}
    assert is_held(chain(said(forged)).invoke({"note": NOTE}))
    guard = MedfenceGuard(source="note")
    assert is_held(guard.invoke({"note": said("Tab Telma 80 mg OD x 30 days"), "output": said(WRONG)}))
    pieces = iter([{"note": NOTE}, {"output": said(WRONG)}, {"note": "Tab Telma 80 mg OD x 30 days"}])
    assert is_held(one(guard.transform(pieces)))


def test_failopen_21_generation_sees_the_text_that_is_verified_and_nothing_runs_without_one():
    from medfence_guard import SourceDocument

    seen = []
    guarded = GuardedChain(generate=lambda given: seen.append(given) or said(FAITHFUL), source="note")
    assert guarded.invoke({"note": SourceDocument(NOTE), "extra": 1}).released
    assert seen == [{"note": NOTE, "extra": 1}]
    for nothing in ({}, {"note": ""}, {"note": None}, {"note": said(NOTE)}, NOTE, None, [NOTE]):
        assert is_held(guarded.invoke(nothing))
    assert len(seen) == 1


def test_failopen_34_what_ran_or_was_refused_at_the_provider_is_held():
    for block in (
        {"type": "server_tool_call", "name": "web_search", "args": {}, "id": "x"},
        {"type": "refusal", "refusal": "no"},
        {"type": "image", "base64": "AA=="},
        {"type": "something new"},
    ):
        message = AIMessage([{"type": "text", "text": json.dumps(FAITHFUL)}, block], response_metadata={"finish_reason": "stop"})
        assert is_held(GUARD.invoke(message))
    plain = AIMessage([{"type": "text", "text": json.dumps(FAITHFUL)}], response_metadata={"finish_reason": "stop"})
    assert GUARD.invoke(plain).released


def test_failopen_35_a_cached_answer_is_verified_again():
    set_llm_cache(InMemoryCache())
    try:
        model = Scripted(messages=[said(FAITHFUL)])
        assert (model | MedfenceGuard(source=DOCUMENT)).invoke("go").released
        assert is_held((model | MedfenceGuard(source=DOCUMENT, artifact_type="lab_report")).invoke("go"))
        assert len(model.said) == 1
    finally:
        set_llm_cache(None)


def test_failopen_36_no_assertion_enforces_anything():
    """`python -O` removes assertions."""
    import langchain_medfence

    for path in Path(langchain_medfence.__file__).parent.glob("*.py"):
        assert not [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Assert)]


def test_failopen_37_deep_and_huge_answers_are_held():
    deep = current = {}
    for _ in range(100_000):
        current["medications"] = current = {}
    for answer in (deep, said("[" * 100_000), said('{"a":' * 50_000), said('"' + "x" * 5_000_000 + '"'), [deep] * 3):
        assert is_held(GUARD.invoke(answer))
    while deep:  # taken apart from the top: Python itself cannot free it otherwise
        deep = deep.pop("medications")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_failopen_38_a_cancellation_is_no_outcome(stop):
    def cancel(_):
        raise stop

    for stopped in (MedfenceGuard(source=DOCUMENT, review=cancel), GuardedChain(generate=cancel, source="note")):
        given = said(WRONG) if isinstance(stopped, MedfenceGuard) else {"note": NOTE}
        with pytest.raises(stop):
            stopped.invoke(given)


def test_a_generation_that_fails_is_held_and_tells_only_the_class():
    def fail(_):
        raise ConnectionError("Telma 80 mg")

    outcome = GuardedChain(generate=fail, source="note").invoke({"note": NOTE})
    assert is_held(outcome)
    assert "ConnectionError" in outcome.why
    assert "Telma" not in outcome.why + json.dumps(outcome.to_dict())
    with pytest.raises(MedfenceBlocked):
        GuardedChain(generate=fail, source="note", on_block="raise").invoke({"note": NOTE})


# ---- reading ----

FINISHES = {
    "openai": ({"finish_reason": "stop"}, True),
    "anthropic": ({"stop_reason": "end_turn", "finish_reason": None}, True),
    "bedrock": ({"stopReason": "tool_use", "finish_reason": None}, True),
    "ollama": ({"done_reason": "stop", "finish_reason": None}, True),
    "gemini": ({"finish_reason": "STOP"}, True),
    "cohere": ({"finish_reason": "COMPLETE"}, True),
    "length": ({"finish_reason": "length"}, False),
    "max_tokens": ({"stop_reason": "max_tokens", "finish_reason": None}, False),
    "filter": ({"finish_reason": "content_filter"}, False),
    "two that differ": ({"finish_reason": "stop", "done_reason": "length"}, False),
    "incomplete": ({"finish_reason": None, "status": "incomplete"}, False),
    "no word": ({"finish_reason": ["stop"]}, False),
    "missing": ({"finish_reason": None}, False),
}


@pytest.mark.parametrize("case", FINISHES)
def test_finish_reasons(case):
    metadata, complete = FINISHES[case]
    assert GUARD.invoke(said(FAITHFUL, **metadata)).released is complete


def test_a_missing_finish_reason_names_the_option_and_the_option_works():
    message = said(FAITHFUL, finish_reason=None)
    assert "allow_missing_finish_reason=True" in GUARD.invoke(message).why
    assert MedfenceGuard(source=DOCUMENT, allow_missing_finish_reason=True).invoke(message).released


ACCEPTED = {
    "message": said(FAITHFUL),
    "fenced": said(f"\n```json\n{json.dumps(FAITHFUL)}\n```\n"),
    "tool call": called(FAITHFUL),
    "words beside the tool call": called(FAITHFUL).model_copy(update={"content": "I will record it."}),
    "raw": {"raw": said(FAITHFUL), "parsed": FAITHFUL, "parsing_error": None},
    "dict": FAITHFUL,
    "list": FAITHFUL["medications"],
    "text": json.dumps(FAITHFUL),
    "bytes": json.dumps(FAITHFUL).encode(),
}


@pytest.mark.parametrize("case", ACCEPTED)
def test_answers_that_are_read(case):
    assert normalise(ACCEPTED[case]).problem is None
    assert GUARD.invoke(ACCEPTED[case]).released
    raw = isinstance(ACCEPTED[case], AIMessage) or case == "raw"
    assert (normalise(ACCEPTED[case], require_raw=True).problem is None) is raw


def test_a_pydantic_object_is_read_and_its_unset_fields_are_no_claims():
    from langchain_medfence import Prescription

    made = Prescription.model_validate(
        {"medications": [{"name": "Telma", "strength": {"value": "40", "unit": "mg"}, "frequency": "OD", "duration": "30 days"}]}
    )
    outcome = GUARD.invoke(made)
    assert outcome.released
    assert Prescription.model_validate(outcome.payload) == made


REFUSED = {
    "json beside the tool call": called(FAITHFUL).model_copy(update={"content": json.dumps(WRONG)}),
    "refused": said(FAITHFUL).model_copy(update={"additional_kwargs": {"refusal": "no"}}),
    "a person's message": HumanMessage(json.dumps(FAITHFUL)),
    "an old function call beside it": said(FAITHFUL).model_copy(
        update={"additional_kwargs": {"function_call": {"name": "record", "arguments": json.dumps(WRONG)}}}
    ),
    "a number": 3,
    "state": {"messages": [said(FAITHFUL)]},
}


@pytest.mark.parametrize("case", REFUSED)
def test_answers_that_are_not_read(case):
    assert is_held(GUARD.invoke(REFUSED[case]))


def test_the_expected_tool_is_the_only_one():
    assert MedfenceGuard(source=DOCUMENT, tool_name="record").invoke(called(FAITHFUL)).released
    assert is_held(MedfenceGuard(source=DOCUMENT, tool_name="other").invoke(called(FAITHFUL)))


def test_raw_arguments_are_what_is_verified():
    """LangChain takes the last of two equal keys; the wire form still has both."""
    message = called(FAITHFUL)
    text = json.dumps(FAITHFUL).replace('"strength"', '"strength": "80 mg", "strength"')
    message.additional_kwargs["tool_calls"] = [{"id": "call-0", "type": "function", "function": {"name": "record", "arguments": text}}]
    assert is_held(GUARD.invoke(message))


def test_a_stream_of_text_or_of_chunks_is_one_answer():
    assert one((Scripted(messages=[said(FAITHFUL)]) | GUARD).stream("go")).payload == FAITHFUL
    assert one((Scripted(messages=[called(FAITHFUL)]) | GUARD).stream("go")).payload == FAITHFUL
    assert one((GenericFakeChatModel(messages=iter([said(FAITHFUL)])) | StrOutputParser() | GUARD).stream("go")).payload == FAITHFUL
    carried = RunnablePassthrough.assign(output=PROMPT | Scripted(messages=[said(FAITHFUL)])) | MedfenceGuard(source="note")
    assert one(carried.stream({"note": NOTE})).payload == FAITHFUL
    assert GUARD.invoke(said(WRONG)).report.overall is Verdict.FAIL
