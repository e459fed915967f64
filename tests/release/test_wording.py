"""What the reviewer reads: one plain sentence per held field, short forms in words, references with citation and grade."""

from __future__ import annotations

from dataclasses import replace

import pytest

from medfence_guard import canonical_json
from medfence_guard.contract import Evidence, Extraction, Finding, Severity, SourceDocument, Span, Verdict
from medfence_guard.payload import child_path, plain_json
from medfence_guard.release import wording
from medfence_guard.release.queue import ReviewQueue
from release.fakes import SOURCE, KeyedFence, keyed_verify, payload_for


def items(payload, *findings, source=SOURCE, compositions=None):
    report = keyed_verify(Extraction("prescription", payload), SourceDocument(source))
    return wording.review_items(
        replace(report, findings=(*report.findings, *findings)), plain_json(payload), SourceDocument(source), compositions or {}
    )


def finding(check_id, path, verdict, *spans, message="m"):
    given = Evidence(kind="source", source_spans=tuple(Span(*span) for span in spans)) if spans else Evidence(kind="rule", rule_id="rule")
    return Finding(check_id=check_id, field_path=path, verdict=verdict, severity=Severity.CRITICAL, evidence=(given,), message=message)


def test_a_held_field_is_one_plain_sentence_with_its_short_forms_in_words():
    (item,) = items(payload_for("fail"))
    assert item.sentence == "Extraction: 50 mg. Prescription: 50 mcg."
    assert item.spelled_out == ("mg = milligram", "mcg = microgram, a thousandth of a milligram")
    assert item.reference == ("brand:eltroxin (grade regulator; nppa#12)",)
    assert item.item == "$.medications[0]"


def test_an_omitted_statement_is_an_item_of_its_own():
    payload = payload_for("pass")
    omitted = (
        finding("completeness.omitted", "$.medications", Verdict.FAIL, (0, 12)),
        finding("completeness.omitted", "$.medications", Verdict.FAIL, (13, 19)),
    )
    told = items(payload, *omitted)
    assert [item.sentence for item in told] == [
        "Extraction: nothing. Prescription: Tab Eltroxin.",
        "Extraction: nothing. Prescription: 50 mcg.",
    ]


def test_fail_comes_first_and_findings_of_one_field_are_one_item():
    payload = payload_for("abstain")
    path = "$.medications[0].strength"
    (item,) = items(payload, finding("grounding.strength", path, Verdict.FAIL, message="second"))
    assert (item.verdict, len(item.why), len(item.check_ids)) == (Verdict.FAIL, 2, 2)
    told = items(payload, finding("grounding.name", "$.medications[0].name", Verdict.FAIL))
    assert [item.verdict for item in told] == [Verdict.FAIL, Verdict.ABSTAIN]


def test_what_the_source_does_not_say_is_said_so():
    told = items(payload_for("pass"), finding("grounding.no_orphans", "$.medications[0]", Verdict.FAIL))
    assert told[0].sentence.endswith("Prescription: nothing found that says so.")


def test_invisible_characters_are_drawn():
    payload = {"medications": [{"name": "fail 1", "strength": "50\u200b mg\u202e"}]}
    assert "50[U+200B] mg[U+202E]" in items(payload)[0].sentence


def test_the_summary_says_why_and_what_was_not_checked_first():
    class Unchecked(KeyedFence):
        def _verify(self, extraction, source):
            return replace(keyed_verify(extraction, source), not_checked=("$.audit_note",))

    summary = Unchecked().check(payload_for("fail"), SOURCE).request.summary.splitlines()
    assert summary[0].startswith("The source contradicts the extraction.")
    assert summary[1] == "Not checked at all: $.audit_note"
    assert summary[2] == "FAIL $.medications[0].strength: Extraction: 50 mg. Prescription: 50 mcg."


def test_an_unknown_artifact_calls_its_source_a_source():
    report = replace(keyed_verify(Extraction("prescription", payload_for("fail")), SourceDocument(SOURCE)), artifact_type="transcript")
    (item,) = wording.review_items(report, plain_json(payload_for("fail")), SourceDocument(SOURCE), {})
    assert item.sentence == "Extraction: 50 mg. Source: 50 mcg."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"value": 500, "unit": "mg"}, "500 mg"),
        ({"value": "40/5", "unit": "mg"}, "40/5 mg"),
        (["250 mg", "125 mg"], "250 mg + 125 mg"),
        ({"morning": 1, "night": None}, "morning 1"),
        (True, "yes"),
        (5, "5"),
        (None, None),
        ("", None),
        ([], None),
    ],
    ids=str,
)
def test_values_as_text(value, text):
    assert wording.value_text(value) == text


@pytest.mark.parametrize("key", ["strength", "a.b", "dose mg", "[0]", "µ", 'quo"te', "strength.value"])
def test_values_are_found_under_the_paths_that_findings_carry(key):
    payload = {"m": [{"strength": {"value": "decoy"}, key: "found"}]}
    assert wording.value_at(payload, child_path("$.m[0]", key)) == "found"


@pytest.mark.parametrize("path", ["$.m[7]", "$.nothing", "$.m.strength", "$.m[0].strength.x"])
def test_a_path_that_leads_nowhere_is_no_value(path):
    assert wording.value_at({"m": [{"strength": "1"}]}, path) is None


@pytest.mark.parametrize(
    ("own", "read", "same"),
    [
        ("50 mcg", "50mcg", True),
        ("50 MG", " 50  mg", True),
        ("50 mcg", "50 mg", False),
        ("0.5 mg", "5 mg", False),
        ("1 000 mg", "1000 mg", False),
        ("40/5 mg", "40 / 5 mg", False),
        ("2 tablets", "2tablets", True),
    ],
)
def test_what_counts_as_the_same_value(own, read, same):
    assert (wording.comparable(own) == wording.comparable(read)) is same


def test_the_page_of_a_request_holds_source_and_payload(tmp_path):
    path = tmp_path / "reviews.sqlite"
    request = KeyedFence(review=ReviewQueue(path)).check(payload_for("fail"), SOURCE).request
    for each in (request, ReviewQueue(path).get(request.request_id)):
        page = each.to_html()
        assert "before food" in page
        assert "fail 0" in page
    assert KeyedFence().check("{", SOURCE).request.to_html()
    assert canonical_json.sha256(plain_json(payload_for("fail"))) == request.payload_sha256


def test_the_composition_of_a_brand_is_told_with_grade_and_citation(monkeypatch):
    from medfence_guard.rulepack import Rulepack

    payload = {
        "medications": [
            {"name": "Telma 40", "strength": "50 mg"},
            {"name": "Telma", "strength": "1"},
            {"name": "Amoxicillin", "strength": "1"},
        ]
    }
    spelled = {"medications": [{"name": "fail", "strength": "1"}] * 3}
    report = keyed_verify(Extraction("prescription", spelled), SourceDocument(SOURCE))
    told = wording.compositions(report, plain_json(payload), Rulepack.default().bundle)
    assert set(told) == {"$.medications[0]", "$.medications[1]"}  # a molecule is not a brand
    (line,) = [line for line in told["$.medications[0]"] if "hydrochlorothiazide" not in line]
    assert "= telmisartan 40 mg tablet (grade curated; " in line
    monkeypatch.setattr(wording, "MAX_COMPOSITIONS", 2)
    few = wording.compositions(report, plain_json(payload), Rulepack.default().bundle)["$.medications[1]"]
    assert (len(few), few[-1].endswith(" more in the reference")) == (3, True)
    (item, *_) = wording.review_items(report, plain_json(payload), SourceDocument(SOURCE), told)
    assert item.reference[0] == told["$.medications[0]"][0]
