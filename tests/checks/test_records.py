"""The check records: unique, documented, complete, and the page about them up to date."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

from medfence_guard import Extraction, Rulepack, SourceDocument, Verdict, verify
from medfence_guard.artifacts import ARTIFACT_TYPES
from medfence_guard.checks import ALL_CHECKS
from medfence_guard.checks.check import Check
from medfence_guard.checks.grounding import timing
from medfence_guard.checks.grounding.components import others, routes

ROOT = Path(__file__).resolve().parents[2]


def test_ids_are_unique() -> None:
    assert len({c.id for c in ALL_CHECKS}) == len(ALL_CHECKS)


@pytest.mark.parametrize("check", ALL_CHECKS, ids=lambda c: c.id)
def test_every_record_is_documented(check: Check) -> None:
    assert check.what.endswith(".")
    assert check.why.endswith(".")
    assert check.example.endswith(".")
    assert check.emits
    assert check.scope in ("claim", "item", "item_name", "document")
    assert bool(check.fields) == (check.scope in ("claim", "item_name"))


@pytest.mark.parametrize("artifact", ARTIFACT_TYPES.values(), ids=lambda a: a.name)
def test_every_field_has_a_check(artifact: object) -> None:
    """A field nobody checks could pass by being ignored."""
    read = {field for c in ALL_CHECKS for field in c.fields if c.scope == "claim"}
    assert set(artifact.fields) | artifact.document_fields <= read


def test_the_page_is_up_to_date() -> None:
    assert subprocess.run([sys.executable, str(ROOT / "docs" / "build_checks.py"), "--check"], check=False).returncode == 0


def _report(monkeypatch: pytest.MonkeyPatch, replacement: object) -> object:
    """A passing prescription, verified with one field's checks replaced."""
    module = sys.modules["medfence_guard.verify"]
    broken = Check(
        id="grounding.duration",
        scope="claim",
        fields=frozenset({"duration"}),
        run=replacement,
        what="x.",
        why="x.",
        example="x.",
        emits=("grounding.duration",),
    )
    monkeypatch.setitem(module._BY_FIELD, "duration", [broken])
    payload = {"medications": [{"name": "Telma", "strength": "40 mg", "frequency": "OD", "duration": "30 days"}]}
    return verify(Extraction("prescription", payload), SourceDocument("Tab Telma 40 mg OD x 30 days"), Rulepack.default())


def test_a_check_that_raises_abstains_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(context: object, claim: object) -> list[object]:
        raise ZeroDivisionError("secret text")

    report = _report(monkeypatch, crash)
    assert report.overall is Verdict.ABSTAIN
    found = next(f for f in report.findings if f.field_path.endswith(".duration"))
    assert found.check_id == "grounding.duration"
    assert "ZeroDivisionError" in found.message
    assert "secret" not in found.message


def test_a_check_that_says_nothing_abstains_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    report = _report(monkeypatch, lambda context, claim: [])
    assert report.overall is Verdict.ABSTAIN
    assert next(f for f in report.findings if f.field_path.endswith(".duration")).check_id == "grounding.duration"


def test_a_frequency_that_no_comparison_judged_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:

    for judging in (timing, others):
        monkeypatch.setattr(judging, "compare_frequency", lambda *_: [])
    payload = {"medications": [{"name": "Telma", "strength": "40 mg", "frequency": "OD"}]}
    report = verify(Extraction("prescription", payload), SourceDocument("Tab Telma 40 mg OD"), Rulepack.default())
    assert report.at("$.medications[0].frequency") is Verdict.ABSTAIN


def test_what_is_judged_beside_a_field_is_never_passed_over() -> None:
    """A value that holds nothing but what the field's own comparison judges is not searched for more; the search looks at none of it."""
    looking = (others.other_components, others._added_words, routes.judge_method)
    looked_at = {kind for function in looking for kind in re.findall(r"\broles\.(\w+)", inspect.getsource(function))}
    assert len(looked_at) > 15
    assert not looked_at & others._JUDGED_BY_THE_FIELD
