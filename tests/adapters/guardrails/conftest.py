"""Guardrails AI for the tests below: present or the run fails, without a network, and under each of the ways it runs validators."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import socket
import warnings
from types import SimpleNamespace

import pytest

if importlib.util.find_spec("guardrails") is None:
    if os.environ.get("MEDFENCE_REQUIRE_ALL") == "1":
        raise RuntimeError('guardrails is missing: pip install "medfence-guard[guardrails]"')
    collect_ignore_glob = ["test_*.py"]
else:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # or calling a model function fetches a price list first
    with warnings.catch_warnings():
        # It imports Typer, which uses names of Click that Click 8.2 deprecates.
        warnings.simplefilter("ignore", DeprecationWarning)
        import guardrails

SOURCE = "Rx\n1. Tab Telma 40 mg OD x 30 days\n2. Tab Thyronorm 50 mcg OD x 60 days\n"


def payload(*, strength="50 mcg", **more):
    """What a model made of SOURCE; faithful as it stands."""
    telma = {"name": "Telma", "strength": "40 mg", "frequency": "OD", "duration": "30 days"}
    thyronorm = {"name": "Thyronorm", "strength": strength, "frequency": "OD", "duration": "60 days"}
    return {"medications": [telma, thyronorm | more]}


@pytest.fixture(scope="session")
def rx():
    """The note, and what a model may have made of it: as Python values and as text. `bad` is a thousand times the dose."""
    return SimpleNamespace(
        source=SOURCE,
        payload=payload,
        good=payload(),
        bad=payload(strength="50 mg"),
        unsure=payload(brand_colour="pink"),
        text=lambda **changes: json.dumps(payload(**changes)),
        good_text=json.dumps(payload()),
        bad_text=json.dumps(payload(strength="50 mg")),
        unsure_text=json.dumps(payload(brand_colour="pink")),
    )


class Engine:
    """One of the three ways in which Guardrails runs validators."""

    def __init__(self, name, loop):
        self.name, self._loop = name, loop
        self.guard = guardrails.AsyncGuard if name == "async guard" else guardrails.Guard

    def validate(self, guard, raw, **options):
        """`guard.validate`, whichever kind it is."""
        done = guard.validate(raw, **options)
        return self._loop.run_until_complete(done) if asyncio.iscoroutine(done) else done

    def seal(self, sealed, raw, source, **options):
        """`SealedGuard.validate`, or `avalidate` for the async guard."""
        if self.name == "async guard":
            return self._loop.run_until_complete(sealed.avalidate(raw, source, **options))
        return sealed.validate(raw, source, **options)


@pytest.fixture(autouse=True)
def own_loop(loop):
    """Every test here, whether it asks for the loop or not."""


@pytest.fixture(params=["concurrent", "sequential", "async guard"])
def engine(request, loop, monkeypatch):
    """`concurrent` is what a Guard uses by default, `sequential` what it uses inside a running loop or when told to."""
    monkeypatch.setenv("GUARDRAILS_RUN_SYNC", "true" if request.param == "sequential" else "false")
    return Engine(request.param, loop)


@pytest.fixture(autouse=True)
def no_network(monkeypatch):
    """Whoever connects fails the test, loudly and at once."""

    def refuse(self, address):
        raise AssertionError(f"a test tried to reach {address}")

    # Each Guard makes HTTP clients for a server nobody asks, which loads certificates for a tenth of a second.
    monkeypatch.setattr("guardrails.guard.GuardrailsApiClient", lambda **_: None)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)


@pytest.fixture(autouse=True)
def silent():
    """Most tests run as a careful application does."""
    from guardrails_medfence import quiet

    quiet()
