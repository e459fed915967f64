"""MedfenceGuard as a step of a chain: PASS leaves, and nothing else does, in each of the ways LangChain calls a step."""

from __future__ import annotations

import asyncio
import json

import pytest

pytest.importorskip("langchain_core")

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from adapters.langchain.samples import DOCUMENT, FAITHFUL, NOTE, OTHER, OTHER_NOTE, UNDECIDABLE, WRONG, said
from langchain_medfence import MedfenceBlocked, MedfenceGuard
from medfence_guard import AuditLog, OutcomeStatus, SourceDocument, Verdict

PROMPT = ChatPromptTemplate.from_template("Extract the prescription: {note}")


def model(*payloads):
    return GenericFakeChatModel(messages=iter([said(payload) for payload in payloads]))


def test_a_pass_is_released_and_is_what_the_model_wrote():
    outcome = (PROMPT | model(FAITHFUL) | MedfenceGuard(source=DOCUMENT)).invoke({"note": NOTE})
    assert (outcome.status, outcome.payload) == (OutcomeStatus.RELEASED, FAITHFUL)


@pytest.mark.parametrize(("payload", "verdict"), [(WRONG, Verdict.FAIL), (UNDECIDABLE, Verdict.ABSTAIN)])
def test_a_fail_and_an_abstain_are_held_and_reach_the_reviewer(payload, verdict):
    asked = []
    outcome = (PROMPT | model(payload) | MedfenceGuard(source=DOCUMENT, review=asked.append)).invoke({"note": NOTE})
    assert (outcome.status, outcome.report.overall) == (OutcomeStatus.HELD, verdict)
    assert [request.verdict for request in asked] == [verdict]
    with pytest.raises(Exception, match="nothing was released"):
        _ = outcome.payload


def test_a_review_that_raises_holds():
    def ask(request):
        raise LookupError("a bug that quotes Telma 80 mg")

    outcome = MedfenceGuard(source=DOCUMENT, review=ask).invoke(said(WRONG))
    assert (outcome.status, outcome.code) == (OutcomeStatus.HELD, "review.handler_error")
    assert "Telma" not in outcome.why


def test_a_person_releases_what_the_machine_could_not_decide(tmp_path):
    def ask(request):
        return request.confirm(reviewer="dr-a", reason="read_in_source")

    outcome = MedfenceGuard(source=DOCUMENT, review=ask, audit=AuditLog(tmp_path / "log")).invoke(said(UNDECIDABLE))
    assert (outcome.status, outcome.payload) == (OutcomeStatus.RELEASED_BY_REVIEW, UNDECIDABLE)


def test_a_decision_that_comes_later_goes_through_the_guards_fence(tmp_path):
    guard = MedfenceGuard(source=DOCUMENT, audit=tmp_path / "log")
    held = guard.invoke(said(UNDECIDABLE))
    outcome = guard.fence.settle(held.request_id, held.request.confirm(reviewer="dr-a", reason="read_in_source"))
    assert outcome.payload == UNDECIDABLE


# ---- every way of calling a step ----

CALLS = {
    "invoke": lambda guard, message: guard.invoke(message),
    "ainvoke": lambda guard, message: asyncio.run(guard.ainvoke(message)),
    "batch": lambda guard, message: guard.batch([message])[0],
    "abatch": lambda guard, message: asyncio.run(guard.abatch([message]))[0],
    "batch_as_completed": lambda guard, message: next(iter(guard.batch_as_completed([message])))[1],
    "map": lambda guard, message: guard.map().invoke([message])[0],
    "stream": lambda guard, message: one(guard.stream(message)),
    "astream": lambda guard, message: one(asyncio.run(collected(guard.astream(message)))),
    "transform": lambda guard, message: one(guard.transform(iter([message]))),
    "atransform": lambda guard, message: one(asyncio.run(collected(guard.atransform(later([message]))))),
}


def one(results):
    [result] = results
    return result


async def collected(results):
    return [result async for result in results]


async def later(values):
    for value in values:
        yield value


@pytest.mark.parametrize("way", CALLS)
def test_every_way_of_calling_gives_one_outcome(way):
    guard = MedfenceGuard(source=DOCUMENT)
    assert CALLS[way](guard, said(FAITHFUL)).payload == FAITHFUL
    assert CALLS[way](guard, said(WRONG)).status is OutcomeStatus.HELD


def test_an_async_review_is_awaited_on_the_async_way():
    async def ask(request):
        await asyncio.sleep(0)
        return request.reject(reviewer="dr-a", reason="wrong_extraction")

    guard = MedfenceGuard(source=DOCUMENT, review=ask)
    assert asyncio.run(guard.ainvoke(said(WRONG))).status is OutcomeStatus.REJECTED


# ---- where the source comes from ----


def test_the_source_is_a_key_of_the_input():
    chain = RunnablePassthrough.assign(output=PROMPT | model(FAITHFUL, OTHER)) | MedfenceGuard(source="note")
    assert chain.invoke({"note": NOTE}).payload == FAITHFUL
    assert chain.invoke({"note": SourceDocument(OTHER_NOTE)}).payload == OTHER


def test_the_source_is_a_function_of_the_input():
    guard = MedfenceGuard(source=lambda given: given["note"], output_key="answer")
    assert guard.invoke({"note": NOTE, "answer": said(FAITHFUL)}).released
    assert not guard.invoke({"note": OTHER_NOTE, "answer": said(FAITHFUL)}).released


async def nobody_awaits(given):
    return NOTE


NO_SOURCE = {
    "none given": (MedfenceGuard(), said(FAITHFUL), "pass source="),
    "no such key": (MedfenceGuard(source="note"), {"output": said(FAITHFUL)}, "no key of the name"),
    "the text as key": (MedfenceGuard(source=NOTE, output_key="output"), {"output": said(FAITHFUL)}, "SourceDocument"),
    "empty": (MedfenceGuard(source="note"), {"note": " ", "output": said(FAITHFUL)}, "is empty"),
    "empty document": (MedfenceGuard(source=SourceDocument("")), said(FAITHFUL), "is empty"),
    "none": (MedfenceGuard(source=lambda given: None), said(FAITHFUL), "NoneType"),
    "raises": (MedfenceGuard(source=lambda given: given["note"]), said(FAITHFUL), "raised TypeError"),
    "a message": (MedfenceGuard(source="note"), {"note": said(NOTE), "output": said(FAITHFUL)}, "AIMessage"),
    "async": (MedfenceGuard(source=nobody_awaits), said(FAITHFUL), "coroutine"),
    "a list": (MedfenceGuard(source="note"), {"note": [NOTE], "output": said(FAITHFUL)}, "list"),
}


@pytest.mark.parametrize("case", NO_SOURCE)
def test_without_a_source_it_abstains_and_says_what_to_do(case):
    guard, given, told = NO_SOURCE[case]
    outcome = guard.invoke(given)
    assert (outcome.status, outcome.report.overall) == (OutcomeStatus.HELD, Verdict.ABSTAIN)
    assert told in outcome.why
    assert "Telma" not in outcome.why


def test_without_a_source_a_person_cannot_confirm_either(tmp_path):
    asked = []
    MedfenceGuard(review=asked.append, audit=tmp_path / "log").invoke(said(FAITHFUL))
    [request] = asked
    outcome = MedfenceGuard(review=lambda each: each.confirm(reviewer="dr-a", reason="other"), audit=tmp_path / "log").invoke(
        said(FAITHFUL)
    )
    assert (outcome.status, outcome.code) == (OutcomeStatus.HELD, "review.malformed_payload")
    assert "no source to compare with" in request.to_html()


# ---- what is kept out of sight ----


def test_on_block_raise_carries_the_outcome_and_no_health_data():
    with pytest.raises(MedfenceBlocked) as raised:
        MedfenceGuard(source=DOCUMENT, on_block="raise").invoke(said(WRONG))
    assert raised.value.outcome.status is OutcomeStatus.HELD
    assert "Telma" not in str(raised.value)
    assert MedfenceGuard(source=DOCUMENT, on_block="raise").invoke(said(FAITHFUL)).released


def test_no_health_data_in_repr_or_manifest():
    from langchain_core.load import dumps

    guard = MedfenceGuard(source=DOCUMENT, review=lambda request: None)
    for shown in (repr(guard), str(guard), dumps(guard), repr(guard.model_dump()), json.dumps(guard.get_output_jsonschema())):
        assert "Telma" not in shown
    with pytest.raises(ValueError, match="sorce") as raised:
        MedfenceGuard(sorce=DOCUMENT)
    assert "Telma" not in str(raised.value)


def test_a_tracer_sees_neither_the_source_nor_the_answer():
    from langchain_core.tracers.base import BaseTracer

    class Kept(BaseTracer):
        def _persist_run(self, run):
            runs.append(run)

    runs = []
    guard = MedfenceGuard(source="note")
    for payload in (FAITHFUL, WRONG):
        guard.invoke({"note": NOTE, "output": said(payload)}, {"callbacks": [Kept()]})
    assert [run.outputs["status"] for run in runs] == ["released", "held"]
    assert "Telma" not in repr([(run.inputs, run.outputs, run.error, run.serialized, run.extra) for run in runs])


def test_the_review_runs_in_the_callers_context():
    from contextvars import ContextVar

    patient = ContextVar("patient", default="nobody")
    seen = []
    guard = MedfenceGuard(source=DOCUMENT, review=lambda request: seen.append(patient.get()))
    patient.set("p1")
    guard.invoke(said(WRONG))
    asyncio.run(guard.ainvoke(said(WRONG)))
    (RunnableLambda(lambda message: message) | guard).invoke(said(WRONG))
    assert seen == ["p1", "p1", "p1"]
