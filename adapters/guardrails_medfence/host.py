"""Everything that is taken from Guardrails AI 0.11, in one place: a new release of it is looked at here first.

tests/adapters/guardrails/test_api_contract.py states what is relied on, and fails when a release changes it.
"""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from medfence_guard import ContractError

with warnings.catch_warnings():
    # Guardrails 0.11 imports Typer, which uses names of Click that Click 8.2 deprecates. Nobody who imports this can do anything about it.
    warnings.simplefilter("ignore", DeprecationWarning)
    from guardrails import AsyncGuard, Guard, OnFailAction
    from guardrails.errors import ValidationError
    from guardrails.settings import settings
    from guardrails.utils.hub_telemetry_utils import HubTelemetry
    from guardrails.validator_base import Validator, register_validator
    from guardrails_ai.types import ErrorSpan, FailResult, PassResult

T = TypeVar("T")

__all__ = [
    "AsyncGuard",
    "ErrorSpan",
    "FailResult",
    "Guard",
    "OnFailAction",
    "PassResult",
    "ValidationError",
    "Validator",
    "alone",
    "quiet",
    "refuses_server",
    "register_validator",
]


def quiet() -> None:
    """Stop Guardrails from exporting anything, for the whole process; the application's own tracing goes on.

    Without a `~/.guardrailsrc` that says otherwise, Guardrails sends spans with error messages to its vendor; and with a tracer provider in
    the application it puts whole values and metadata into spans there. Both stop, and stay stopped when another Guard is made.
    """
    telemetry: Any = HubTelemetry(enabled=False)
    telemetry._tracer = None
    settings.disable_tracing = True


def refuses_server() -> None:
    """ContractError if Guardrails is set to ask a server, which may answer with the model's own text whatever the validators say."""
    if settings.use_server:
        raise ContractError("guardrails.server", "guardrails.settings.use_server is set: a Guardrails server is refused, validate locally")


def alone(call: Callable[[], T]) -> T:
    """The result of `call`, or its exception, from a thread with an event loop of its own that ends with it.

    In the caller's thread Guardrails would use the thread's loop, leave unfinished work in it for the next call to run, leave the loop
    itself open if it made one, and run validators another way if a loop is already running there.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            with asyncio.Runner() as runner:
                runner.get_loop()  # Guardrails takes the current one
                results.append(call())
        except BaseException as error:  # noqa: BLE001 - raised again by the caller, below
            errors.append(error)

    thread = threading.Thread(target=run, name="medfence-guardrails", daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
