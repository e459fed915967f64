"""The contract of every adapter, kept by each way of using this one."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("langchain_core")

from langchain_core.runnables import RunnableLambda

from adapters.contract.suite import AdapterContract, Judged
from adapters.langchain.samples import said
from langchain_medfence import GuardedChain, MedfenceBlocked, MedfenceGuard
from medfence_guard import Outcome, SourceDocument


def fails(_):
    raise ConnectionError("Telma 80 mg, white")


def seen(outcome: Outcome) -> Judged:
    return Judged(outcome.released, outcome.payload if outcome.released else None, f"{outcome!r} {outcome.why} {outcome.to_dict()}")


class TestGuard(AdapterContract):
    def judged(self, answer, note, *, review=None, audit=None):
        guard = MedfenceGuard(source=SourceDocument(note), review=review, audit=audit)
        return seen((RunnableLambda(lambda _: said(answer)) | guard).invoke({}))

    def failed(self, note, *, review=None):
        return None  # the guard does not run the model; GuardedChain does


class TestGuardStreamed(TestGuard):
    def judged(self, answer, note, *, review=None, audit=None):
        guard = MedfenceGuard(source=SourceDocument(note), review=review, audit=audit)
        [outcome] = (RunnableLambda(lambda _: said(answer)) | guard).stream({})
        return seen(outcome)


class TestChain(AdapterContract):
    def run(self, generate, note, review, audit):
        return seen(GuardedChain(generate=generate, source="note", review=review, audit=audit).invoke({"note": note}))

    def judged(self, answer, note, *, review=None, audit=None):
        return self.run(lambda _: said(answer), note, review, audit)

    def failed(self, note, *, review=None):
        return self.run(fails, note, review, None)


class TestChainAsync(TestChain):
    def run(self, generate, note, review, audit):
        return seen(asyncio.run(GuardedChain(generate=generate, source="note", review=review, audit=audit).ainvoke({"note": note})))


class TestChainRaising(TestChain):
    def run(self, generate, note, review, audit):
        chain = GuardedChain(generate=generate, source="note", review=review, audit=audit, on_block="raise")
        try:
            return seen(chain.invoke({"note": note}))
        except MedfenceBlocked as blocked:
            return Judged(False, None, f"{blocked!r} {blocked}")


@pytest.mark.parametrize("opened", [AdapterContract])
def test_the_contract_itself_runs_nothing_by_itself(opened):
    with pytest.raises(NotImplementedError):
        opened().judged("", "")
