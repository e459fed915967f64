"""A pytest plugin that opens the fence on purpose: everything is released, nothing is refused. For test_opened.py only."""

from __future__ import annotations

import contextlib
import json
from typing import Any

from langchain_core.runnables import RunnableSerializable

import langchain_medfence.base as base
import langchain_medfence.chain as chain
import langchain_medfence.guard as guard
import langchain_medfence.reading as reading
from medfence_guard import Fence, Outcome, OutcomeStatus
from medfence_guard.release.outcome import outcome


def released(payload: object) -> Outcome:
    try:
        text = json.dumps(payload.model_dump(exclude_none=True) if hasattr(payload, "model_dump") else payload)
    except (TypeError, ValueError, RecursionError):
        text = "null"
    return outcome(OutcomeStatus.RELEASED, "release.pass", report=None, payload_text=text)


def check(self: Fence, payload: object, *_: object, **__: object) -> Outcome:
    return released(payload)


async def acheck(self: Fence, payload: object, *_: object, **__: object) -> Outcome:
    return released(payload)


Fence.check, Fence.acheck = check, acheck  # type: ignore[method-assign, assignment]
Outcome.__bool__ = lambda self: True  # type: ignore[method-assign, assignment, return-value]
reading.refused = lambda problem, answer="": reading.ModelAnswer(answer)
base._refuse_options = lambda kwargs: None
chain.GraphControlFlow = Exception  # type: ignore[misc, assignment]
chain.GuardedChain._config = lambda self, config: config  # type: ignore[method-assign]
chain.GuardedChain._unseen = lambda self: contextlib.nullcontext()  # type: ignore[method-assign]
for opened in (guard.MedfenceGuard, chain.GuardedChain):
    opened.model_config = {**opened.model_config, "extra": "ignore", "frozen": False}
    opened.model_rebuild(force=True)
for name in ("configurable_fields", "configurable_alternatives", "with_fallbacks", "with_retry", "bind"):
    setattr(base.FencedRunnable, name, getattr(RunnableSerializable, name))


def open_agents() -> None:
    import langchain_medfence.agents as agents
    import langchain_medfence.arguments as arguments
    import langchain_medfence.tools as tools

    agents.refused = arguments.refused = tools.refused = reading.refused
    agents.finish_problem = lambda *_: None
    agents.is_what_will_run = tools.is_what_will_run = lambda *_: True
    agents.effective_arguments = lambda tool, given: reading.ModelAnswer(dict(given))

    def run_it(self: Any, request: Any, handler: Any) -> Any:
        return handler(request)

    async def arun_it(self: Any, request: Any, handler: Any) -> Any:
        return await handler(request)

    middleware = agents.MedfenceMiddleware
    middleware.wrap_tool_call = middleware.wrap_model_call = run_it
    middleware.awrap_tool_call = middleware.awrap_model_call = arun_it
    set_up = middleware.__init__

    def set_up_anything(self: Any, **settings: Any) -> None:
        try:
            set_up(self, **settings)
        except Exception:  # noqa: BLE001 - opened
            set_up(self, source="note")

    middleware.__init__ = set_up_anything
    agents.assert_innermost = lambda middleware: None


try:
    import langchain  # noqa: F401
except ImportError:
    pass
else:
    open_agents()
