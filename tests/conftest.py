"""For every test below: how Hypothesis draws, and that nothing is skipped where everything must run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

# No deadline: the machine decides how long one example takes, not the code. In CI the same examples every time, so that
# a change is judged on itself; elsewhere new ones, so that a developer's run can find what no run found before. Few examples
# in every run; `--hypothesis-profile=evidence` searches deeper.
settings.register_profile("developer", deadline=None, max_examples=40)
settings.register_profile("ci", deadline=None, max_examples=40, derandomize=True)
settings.register_profile("evidence", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "developer")

REQUIRE_ALL = os.environ.get("MEDFENCE_REQUIRE_ALL") == "1"
"""Set by `make test`, whose environment has every extra: there a skipped test is a test that did not run, a failure."""

_skipped: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.skipped and not hasattr(report, "wasxfail"):
        _skipped.append(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.skipped:
        _skipped.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    if REQUIRE_ALL and _skipped and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if REQUIRE_ALL and _skipped:
        terminalreporter.section("skipped, and MEDFENCE_REQUIRE_ALL=1 says nothing may be")
        for nodeid in _skipped:
            terminalreporter.line(nodeid)


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Guardrails takes the thread's loop and leaves it behind; here each test has its own, and nothing is left over for the next."""
    own = asyncio.new_event_loop()
    asyncio.set_event_loop(own)
    yield own
    for task in asyncio.all_tasks(own):
        task.cancel()
    own.run_until_complete(asyncio.sleep(0))
    own.run_until_complete(own.shutdown_default_executor())
    own.close()
    asyncio.set_event_loop(None)
