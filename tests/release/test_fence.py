"""The fence with the real verification: what the README's three lines do, and what a newcomer is told when it goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from medfence_guard.contract import SourceDocument
from medfence_guard.release import AuditLog, Fence, OutcomeStatus, ReviewQueue
from medfence_guard.release.audit import verify_log
from medfence_guard.release.replay import replay
from medfence_guard.verify import verify

ROOT = Path(__file__).resolve().parents[2]
SOURCE = "Tab Telma 40 mg OD x 30 days\nTab Eltroxin 50 mcg OD before food"
FAITHFUL = {
    "medications": [
        {"name": "Telma", "strength": "40 mg", "frequency": "OD", "duration": "30 days", "form": "tablet"},
        {"name": "Eltroxin", "strength": {"value": 50, "unit": "mcg"}, "frequency": "once daily", "form": "Tab", "timing": "before food"},
    ]
}
SWAPPED = json.loads(json.dumps(FAITHFUL).replace("mcg", "mg"))


def test_a_faithful_extraction_is_released():
    outcome = Fence().check(FAITHFUL, SOURCE)
    assert outcome.status is OutcomeStatus.RELEASED
    assert outcome.payload == FAITHFUL


def test_a_unit_swap_is_held_with_the_sentence_a_person_can_act_on():
    outcome = Fence().check(json.dumps(SWAPPED), SOURCE)
    assert (outcome.status, outcome.report.overall.value) == (OutcomeStatus.HELD, "fail")
    item = next(item for item in outcome.request.items if item.path == "$.medications[1].strength")
    assert item.sentence == "Extraction: 50 mg. Prescription: 50 mcg."
    assert "$.medications[1].strength" in outcome.request.contested_values
    assert any("levothyroxine" in line and "grade" in line for line in item.reference)
    assert "50 mcg" in outcome.request.to_html()


def test_a_scan_without_confidences_is_held_and_says_what_to_do():
    outcome = Fence().check(FAITHFUL, SourceDocument(SOURCE, "ocr"))
    assert (outcome.status, outcome.report.overall.value) == (OutcomeStatus.HELD, "abstain")
    assert "from_words" in outcome.request.summary


def test_an_omitted_medicine_is_an_item():
    outcome = Fence().check({"medications": FAITHFUL["medications"][:1]}, SOURCE)
    assert any(item.check_ids == ("completeness.omitted",) and "Eltroxin" in item.sentence for item in outcome.request.items)


@pytest.mark.parametrize("raw", ["", "not json", "[]", "{}", "null", '{"medications": []}', b"\xff\xfe", None, 3, {1, 2}, float("nan")])
def test_nothing_is_released_that_is_no_extraction(raw):
    outcome = Fence().check(raw, SOURCE)
    assert outcome.status is OutcomeStatus.HELD
    assert outcome.request is not None


@pytest.mark.parametrize("source", ["", " \n", "no medicine here"])
def test_nothing_is_released_against_a_source_that_says_nothing(source):
    assert Fence().check(FAITHFUL, source).status is OutcomeStatus.HELD


@pytest.mark.parametrize("artifact_type", ["lab_report", "unknown", ""])
def test_an_unread_artifact_type_is_held(artifact_type):
    assert Fence().check(FAITHFUL, SOURCE, artifact_type).status is OutcomeStatus.HELD


def test_the_whole_way_of_a_held_extraction(tmp_path):
    queue, log = tmp_path / "reviews.sqlite", AuditLog(tmp_path / "audit.jsonl", keep_inputs=True)
    request_id = Fence(review=ReviewQueue(queue), audit=log).check(SWAPPED, SOURCE).request_id
    reviewers = ReviewQueue(queue)
    request = reviewers.get(request_id)
    reviewers.decide(request.edit(FAITHFUL, reviewer="dr-a", reason="wrong_extraction"), reviewers.claim("dr-a"))
    outcome = Fence(review=ReviewQueue(queue), audit=AuditLog(log.path, keep_inputs=True)).settle(request_id)
    assert (outcome.status, outcome.code, outcome.payload) == (OutcomeStatus.RELEASED, "review.edited", FAITHFUL)
    assert verify_log(log.path).status == "ok"
    assert [each.result for each in replay(log, verify)] == ["same", "same"]
    assert not any(word in log.path.read_text().casefold() for word in ("eltroxin", "telma", "levothyroxine", "mcg"))


THREE_LINES = """
from medfence_guard.release import Fence
fence = Fence(review=lambda request: request.reject(reviewer="dr-a", reason="wrong_extraction"), audit="audit.jsonl")
out = fence.check({payload}, {source!r})
if out.released:
    print(out.payload["medications"][1]["name"])
else:
    print(out.why)
"""


@pytest.mark.parametrize(("payload", "printed"), [(FAITHFUL, "Eltroxin"), (SWAPPED, "Rejected by a person.")], ids=["faithful", "swapped"])
def test_the_three_lines_of_the_readme_typed_in_an_empty_folder(tmp_path, payload, printed):
    code = THREE_LINES.format(payload=payload, source=SOURCE)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "refdata")))}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.stderr) == (printed, "")
    assert (tmp_path / "audit.jsonl").stat().st_size > 0


MISTAKES = {
    "bool(out)": "use `outcome.released`",
    "out.payload": "show `outcome.request` to a person",
    "Fence(review='me')": "must be a function",
    "Fence(audit='missing/audit.jsonl')": "folder of the audit log does not exist",
    "Fence(timeout=-1)": "positive number of seconds",
    "fence.check({}, None)": "must be the clinician's text",
    "fence.check({}, b'text')": "must be the clinician's text",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_goes_wrong_is_said_in_words(mistake):
    fence = Fence()
    out = fence.check(SWAPPED, SOURCE)
    with pytest.raises(Exception, match="(?i)" + MISTAKES[mistake]) as raised:
        eval(mistake, {"Fence": Fence, "fence": fence, "out": out})
    assert "Eltroxin" not in str(raised.value)
