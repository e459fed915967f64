"""The documents beside the release layer say what the code does."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from medfence_guard.release.commands import AUDIT_EXITS, EVENTS, UNUSABLE_LOG

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def hazards():
    spec = importlib.util.spec_from_file_location("build_hazards", DOCS / "build_hazards.py")
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules["build_hazards"] = module
    spec.loader.exec_module(module)
    return module


def test_every_check_controls_a_hazard_and_every_named_check_and_test_exists(hazards):
    assert hazards.problems(hazards.records()) == []


def test_the_hazards_page_is_what_the_script_writes(hazards):
    assert (DOCS / "hazards.md").read_text(encoding="utf-8") == hazards.page(hazards.records())


def test_a_check_without_a_hazard_and_a_hazard_without_a_check_are_refused(hazards):
    known = hazards.records()
    assert hazards.problems(known | {"grounding.new": ""}) == ["check grounding.new controls no hazard"]
    known.pop("grounding.dose")
    assert hazards.problems(known) == ["no such check: grounding.dose"]


def test_every_test_the_threat_model_names_exists():
    named = re.findall(r"`(tests/[^`]+)`", (DOCS / "threat_model.md").read_text(encoding="utf-8"))
    assert len(named) > 10
    assert [name for name in named if not (DOCS.parent / name).exists()] == []


def test_the_audit_format_lists_every_event_and_exit_code():
    text = (DOCS / "audit_format.md").read_text(encoding="utf-8")
    table = text.partition("## Events")[2].partition("##")[0]
    listed = {event for row in table.splitlines() for event in re.findall(r"`(\w+)`", row.split("|")[1] if "|" in row else "")}
    assert listed == EVENTS.keys()
    assert AUDIT_EXITS | {"unusable": UNUSABLE_LOG} == {"ok": 0, "tampered": 1, "torn": 2, "truncated": 3, "unusable": 4}
    assert "0 sound, 1 tampered, 2 torn,\n3 truncated below an anchor, 4 unusable" in text
