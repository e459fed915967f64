"""Nothing that Guardrails exports, logs or keeps shows a word of the source or of a held record."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import traceback
from pathlib import Path

import pytest
from guardrails.settings import settings
from guardrails.utils.hub_telemetry_utils import HubTelemetry
from guardrails.validator_base import Validator, register_validator
from guardrails_ai.types import PassResult
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from pydantic import BaseModel

from guardrails_medfence import ClinicalFidelity, SealedGuard, VerificationBlocked, quiet

ROOT = Path(__file__).resolve().parents[3]
CANARY = "Zyxocanary"
SOURCE = f"Rx\n{CANARY} Kumar\n1. Tab Telma 40 mg OD x 30 days\n"
HELD = json.dumps({"medications": [{"name": f"{CANARY}ol", "strength": "40 mg", CANARY: CANARY}]})
SPELLED = (CANARY, "Telma")


class Record(BaseModel):
    medications: list[dict[str, str]]


@register_validator(name="tests/quoting", data_type="all")
class Quoting(Validator):
    """Somebody else's validator, whose exception quotes what it saw."""

    def _validate(self, value, metadata):
        raise ValueError(f"cannot read {value}")


@register_validator(name="tests/content", data_type="all")
class Content(Validator):
    def _validate(self, value, metadata):
        return PassResult()


@pytest.fixture
def spans(monkeypatch):
    """Both ways out: the application's own tracer provider, and the vendor's telemetry, each into memory."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
    telemetry = HubTelemetry()
    monkeypatch.setattr(telemetry, "_tracer", provider.get_tracer("vendor"))
    monkeypatch.setattr(telemetry, "_enabled", True)
    monkeypatch.setattr(settings, "disable_tracing", None)
    return exporter


def exported(spans):
    return [span.to_json() for span in spans.get_finished_spans()]


def leaks(text):
    return [word for word in SPELLED if word in text]


@pytest.mark.filterwarnings("ignore:Use (LLMResponse|Call).model_dump:DeprecationWarning")  # Guardrails about its own tracing
def test_without_quiet_the_spans_would_hold_everything(engine, spans):
    """So that the tests below are known to look in the right place."""
    with pytest.raises(VerificationBlocked):
        engine.validate(engine.guard().use(ClinicalFidelity()), HELD, metadata={"medfence_source": SOURCE})
    assert leaks("".join(exported(spans)))


@pytest.mark.filterwarnings("ignore:Use (LLMResponse|Call).model_dump:DeprecationWarning")
@pytest.mark.parametrize("mode", ["raise", "result"])
def test_the_vendors_telemetry_gets_codes_and_paths_even_without_quiet(engine, spans, monkeypatch, mode):
    """It exports error messages and stacks; ours say nothing of the record."""
    monkeypatch.setattr(settings, "disable_tracing", True)
    with pytest.raises(Exception, match="grounding"):
        engine.validate(engine.guard().use(ClinicalFidelity(mode=mode)), HELD, metadata={"medfence_source": SOURCE})
    told = "".join(exported(spans))
    assert "grounding." in told
    assert leaks(told) == []


@pytest.mark.parametrize("schema", [None, Record])
@pytest.mark.parametrize("other", [Content, Quoting])
def test_a_sealed_guard_exports_nothing(engine, spans, schema, other):
    engine.seal(SealedGuard(other(), schema=schema), HELD, SOURCE, metadata={"ward": CANARY})
    assert exported(spans) == []


def test_quiet_lasts_when_another_guard_is_made(engine, spans):
    quiet()
    with pytest.raises(VerificationBlocked):
        engine.validate(engine.guard().use(ClinicalFidelity(), Content()), HELD, metadata={"medfence_source": SOURCE})
    engine.validate(engine.guard(), HELD)
    assert exported(spans) == []


def test_the_applications_own_spans_go_on(spans):
    quiet()
    with trace.get_tracer("application").start_as_current_span("visit"):
        pass
    assert len(exported(spans)) == 1


def test_telemetry_can_be_left_on(spans):
    SealedGuard(telemetry=True)
    assert HubTelemetry()._tracer is not None


@pytest.mark.parametrize("other", [Content, Quoting])
def test_logs_show_nothing(engine, caplog, capfd, other):
    with caplog.at_level(logging.DEBUG):
        engine.seal(SealedGuard(other()), HELD, SOURCE)
        with pytest.raises(VerificationBlocked) as raised:
            engine.validate(engine.guard().use(ClinicalFidelity()), HELD, metadata={"medfence_source": SOURCE})
    assert leaks(caplog.text + "".join(capfd.readouterr())) == []
    assert leaks("".join(traceback.format_exception(raised.value))) == []


@pytest.mark.parametrize("other", [Content, Quoting])
def test_an_outcome_shows_nothing(engine, other):
    outcome = engine.seal(SealedGuard(other()), HELD, SOURCE)
    assert leaks(repr(outcome) + str(vars(outcome)) + json.dumps(outcome.to_dict())) == []


def test_a_sealed_guard_keeps_nothing_of_a_call(engine):
    """Its guards are kept for the next call, and Guardrails' history would keep ten of them with their metadata."""
    sealed = SealedGuard(Content(), schema=Record)
    engine.seal(sealed, HELD, SOURCE, metadata={"ward": CANARY})
    kept = [guard for guards in sealed._idle.values() for guard in guards]
    assert kept
    for guard in kept:
        assert list(guard.history) == []
        assert leaks(json.dumps(guard.to_dict(), default=str)) == []


def test_neither_import_reaches_for_the_framework():
    code = "import sys, medfence_guard, guardrails_medfence; print(*{name.split('.')[0] for name in sys.modules})"
    environment = {"PYTHONPATH": ":".join(map(str, (ROOT, ROOT / "adapters", ROOT / "refdata"))), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert not {"guardrails", "guardrails_ai", "pydantic", "langchain_core"} & set(done.stdout.split())


def test_a_missing_framework_names_the_extra():
    code = """
import sys
sys.modules["guardrails"] = None
try:
    from guardrails_medfence import ClinicalFidelity
except ImportError as error:
    print(error)
"""
    environment = {"PYTHONPATH": ":".join(map(str, (ROOT, ROOT / "adapters", ROOT / "refdata"))), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert 'pip install "medfence-guard[guardrails]"' in done.stdout
