"""What this adapter relies on in Guardrails AI 0.11. A failure here means: read the new release before anything else is mended."""

from __future__ import annotations

import inspect
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from guardrails import AsyncGuard, Guard, OnFailAction
from guardrails.classes.validation_outcome import ValidationOutcome
from guardrails.errors import ValidationError
from guardrails.settings import settings
from guardrails.utils.hub_telemetry_utils import HubTelemetry
from guardrails.validator_base import Validator, register_validator
from guardrails_ai.types import ErrorSpan, FailResult, PassResult

from guardrails_medfence import ClinicalFidelity, VerificationBlocked

ROOT = Path(__file__).resolve().parents[3]


def parameters(function):
    return {name: parameter.kind.name.lower() for name, parameter in inspect.signature(function).parameters.items() if name != "self"}


def test_the_release_is_one_that_was_read():
    """0.12 may change any of this; the extra allows it below 1, so this says it first."""
    assert version("guardrails-ai").split(".")[:2] == ["0", "11"]


def test_the_extra_shuts_out_the_compromised_releases_and_the_next_major():
    (wanted,) = [
        requirement
        for requirement in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]["guardrails"]
        if requirement.startswith("guardrails-ai")
    ]
    assert {">=0.11", "<1", "!=0.10.1"} <= set(wanted.removeprefix("guardrails-ai").split(","))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (Validator._validate, ["value", "metadata"]),
        (Validator.validate, ["value", "metadata"]),
        (Validator.async_validate, ["value", "metadata"]),
        (Validator.validate_stream, ["chunk", "metadata", "property_path", "context_vars", "context", "kwargs"]),
        (Validator.async_validate_stream, ["chunk", "metadata", "kwargs"]),
        (Validator.__init__, ["on_fail", "kwargs"]),
        (Validator.__call__, ["value"]),
        (Validator.with_metadata, ["metadata"]),
        (Validator.to_runnable, []),
        (register_validator, ["name", "data_type", "has_guardrails_endpoint"]),
        (Guard.use, ["validator_spread", "validators", "on"]),
        (AsyncGuard.use, ["validator_spread", "validators", "on"]),
        (Guard.validate, ["llm_output", "args", "kwargs"]),
        (AsyncGuard.validate, ["llm_output", "args", "kwargs"]),
    ],
)
def test_signatures(function, expected):
    assert list(parameters(function)) == expected


def test_whatever_else_a_validator_can_do_is_known():
    """A new public method of Validator may be a new way around ours."""
    public = {name for name, value in vars(Validator).items() if callable(value) and not name.startswith("_")}
    known = {"validate", "async_validate", "validate_stream", "async_validate_stream", "to_prompt", "to_xml_attrib", "get_args"}
    assert public == known | {"with_metadata", "to_runnable"}
    ours = {"validate_stream", "async_validate_stream", "with_metadata", "to_runnable", "__call__", "_validate", "__init__", "fence"}
    assert ours <= set(vars(ClinicalFidelity))


def test_on_fail_is_an_exception_unless_told_otherwise():
    assert ClinicalFidelity().on_fail_descriptor is OnFailAction.EXCEPTION
    assert {action.value for action in OnFailAction} == {
        "reask", "fix", "filter", "refrain", "noop", "exception", "fix_reask", "custom",
    }  # fmt: skip


def test_fields_of_results():
    assert set(ValidationOutcome.model_fields) == {
        "call_id", "raw_llm_output", "validation_summaries", "validated_output", "reask", "validation_passed", "error",
    }  # fmt: skip
    assert {"outcome", "metadata", "error_message", "fix_value", "error_spans"} <= set(FailResult.model_fields)
    assert {"outcome", "metadata"} <= set(PassResult.model_fields)
    assert set(ErrorSpan.model_fields) == {"start", "end", "reason"}


def test_what_an_exception_is_caught_as():
    assert issubclass(VerificationBlocked, ValidationError)
    assert ValidationError.__mro__[1] is Exception


def test_the_switches_that_silence_it_exist():
    assert isinstance(HubTelemetry(), HubTelemetry)
    assert hasattr(HubTelemetry, "_tracer")
    assert hasattr(settings, "disable_tracing")
    assert hasattr(settings, "use_server")


def test_a_guards_history_can_be_cleared():
    guard = Guard()
    guard.validate("text")
    assert len(guard.history) == 1
    guard.history.clear()
    assert len(guard.history) == 0
