"""The report as JSON: what it says whole, what the audit line keeps back, and that the schema describes it."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medfence_guard import canonical_json, report
from medfence_guard.contract import (
    Completeness,
    Coverage,
    Evidence,
    Finding,
    ItemVerdict,
    Severity,
    Span,
    Verdict,
    VerificationReport,
)
from medfence_guard.errors import ContractError, InputError

PUBLISHED_SCHEMA = Path(__file__).parents[2] / "docs" / "report.schema.json"

# Every string that came from the source, the payload or the bundle starts with this, so that one search finds a leak.
SECRET = "Zorvexil"


def example(**changes: Any) -> VerificationReport:
    fields: dict[str, Any] = {
        "artifact_type": "prescription",
        "overall": Verdict.FAIL,
        "findings": (
            Finding(
                check_id="grounding.strength",
                field_path="$.medications[0].strength",
                verdict=Verdict.FAIL,
                severity=Severity.CRITICAL,
                evidence=(
                    Evidence(kind="source", source_spans=(Span(4, 9), Span(12, 15)), matched_text=f"{SECRET} 500", rule_id="P11"),
                    Evidence(kind="reference", refdata_key=f"{SECRET}/500 mg", citation=f"{SECRET}#12", grade="regulator"),
                ),
                message=f"payload says {SECRET} 5 mg, source says 500 mg",
            ),
            Finding(
                check_id="schema.unmapped_key",
                field_path=f"$.medications[0].{SECRET} of Ward 12",
                verdict=Verdict.ABSTAIN,
                severity=Severity.MAJOR,
                evidence=(Evidence(kind="rule", rule_id="P19"), Evidence(kind="rule", rule_id="P19", similarity="0.9")),
                message=f"{SECRET} is no field",
            ),
            Finding(
                check_id="completeness.omitted",
                field_path="$.medications",
                verdict=Verdict.FAIL,
                severity=Severity.CRITICAL,
                evidence=(Evidence(kind="source", source_spans=(Span(20, 40),)),),
                message="a statement nobody carries",
            ),
        ),
        "items": (
            ItemVerdict(path="$.medications[0]", verdict=Verdict.FAIL, statement_span=Span(0, 18)),
            ItemVerdict(path="$.medications[1]", verdict=Verdict.ABSTAIN, statement_span=None),
        ),
        "coverage": Coverage(claims=2, verified=0),
        "completeness": Completeness(statements=2, accounted=1),
        "not_checked": (f"$.{SECRET}",),
        "rulepack_version": "a" * 64,
        "refdata_snapshot": "b" * 64,
        "engine_version": "0.1.0",
        "input_hashes": {"source_text": "c" * 64, "payload": "d" * 64},
    }
    return VerificationReport(**(fields | changes))


# ---- a validator for the part of JSON Schema the schema uses; an unknown keyword is an error, not a pass -----------

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None)}
KNOWN = {"$schema", "title", "description", "$defs", "$ref", "type", "enum", "const", "properties", "required", "additionalProperties"}
KNOWN |= {"items", "prefixItems", "minItems", "minLength", "minimum", "anyOf", "allOf", "if", "then"}


def is_type(value: object, names: str | list[str]) -> bool:
    if isinstance(value, bool):
        return False
    return any(isinstance(value, TYPES[name]) for name in ([names] if isinstance(names, str) else names))


def valid(value: Any, schema: Any, root: Any) -> bool:
    if isinstance(schema, bool):
        return schema
    assert schema.keys() <= KNOWN, schema.keys() - KNOWN
    if "$ref" in schema and not valid(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root):
        return False
    if "type" in schema and not is_type(value, schema["type"]):
        return False
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        return False
    if isinstance(value, str) and len(value) < schema.get("minLength", 0):
        return False
    if isinstance(value, int) and value < schema.get("minimum", value):
        return False
    if isinstance(value, list):
        heads = schema.get("prefixItems", [])
        if len(value) < schema.get("minItems", 0) or not all(valid(v, s, root) for v, s in zip(value, heads, strict=False)):
            return False
        if not all(valid(each, schema.get("items", True), root) for each in value[len(heads) :]):
            return False
    if isinstance(value, dict):
        known = schema.get("properties", {})
        if not value.keys() >= set(schema.get("required", ())):
            return False
        if not all(valid(each, known.get(key, schema.get("additionalProperties", True)), root) for key, each in value.items()):
            return False
    if "anyOf" in schema and not any(valid(value, each, root) for each in schema["anyOf"]):
        return False
    if "if" in schema and valid(value, schema["if"], root) and not valid(value, schema["then"], root):
        return False
    return all(valid(value, each, root) for each in schema.get("allOf", ()))


SCHEMA: Any = report.json_schema()


def test_the_published_schema_is_the_one_in_the_code() -> None:
    assert json.loads(PUBLISHED_SCHEMA.read_text("utf-8")) == SCHEMA


def test_a_report_matches_the_schema() -> None:
    assert valid(json.loads(example().to_json()), SCHEMA, SCHEMA)


def test_each_way_of_breaking_a_report_breaks_the_schema() -> None:
    """Every key is required, nothing may be added, and the invariants of the types are in the schema too."""
    whole = json.loads(example().to_json())
    broken: list[Any] = []

    def variant() -> Any:
        broken.append(copy.deepcopy(whole))
        return broken[-1]

    for key in whole:
        del variant()[key]
    for key in whole["findings"][0]:
        del variant()["findings"][0][key]
    variant()["extra"] = 1
    variant()["overall"] = "ok"
    variant()["coverage"]["claims"] = -1
    variant()["coverage"]["claims"] = True
    variant()["findings"][0]["evidence"] = []
    variant()["findings"][0]["severity"] = "minor"
    variant()["findings"][0]["evidence"][0]["source_spans"] = []
    variant()["findings"][0]["evidence"][0]["source_spans"] = [[1]]
    variant()["findings"][0]["evidence"][0]["source_spans"] = [[1, 2, 3]]
    variant()["findings"][0]["evidence"][1]["refdata_key"] = None
    variant()["findings"][1]["evidence"][0]["rule_id"] = None
    variant()["items"][0]["statement_span"] = "0-18"
    variant()["not_checked"] = [""]
    assert [index for index, each in enumerate(broken) if valid(each, SCHEMA, SCHEMA)] == []


def test_to_json_is_canonical_and_reads_back_equal() -> None:
    text = example().to_json()
    assert text == canonical_json.dumps(json.loads(text))
    assert report.from_json(text) == example()
    assert report.from_json(text).to_json() == text


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SPANS = st.builds(lambda start, length: Span(start, start + length), st.integers(0, 99), st.integers(1, 9))
EVIDENCE = st.one_of(
    st.builds(
        lambda spans, text: Evidence(kind="source", source_spans=tuple(spans), matched_text=text), st.lists(SPANS, min_size=1), TEXTS
    ),
    st.builds(lambda key, cite: Evidence(kind="reference", refdata_key="k" + key, citation=cite), TEXTS, st.none() | TEXTS),
    st.builds(lambda rule: Evidence(kind="rule", rule_id="r" + rule), TEXTS),
)
FINDINGS = st.builds(
    lambda path, verdict, evidence, message: Finding(
        check_id="grounding.dose",
        field_path="$." + path,
        verdict=verdict,
        severity=Severity.MINOR if verdict is Verdict.PASS else Severity.CRITICAL,
        evidence=tuple(evidence),
        message=message,
    ),
    TEXTS,
    st.sampled_from(Verdict),
    st.lists(EVIDENCE, min_size=1, max_size=3),
    TEXTS,
)


@given(st.lists(FINDINGS, max_size=4), st.lists(TEXTS.map("$.".__add__), max_size=2))
def test_any_report_round_trips_and_matches_the_schema(findings: list[Finding], not_checked: list[str]) -> None:
    one = example(findings=tuple(findings), not_checked=tuple(not_checked))
    assert report.from_json(one.to_json()) == one
    assert valid(json.loads(one.to_json()), SCHEMA, SCHEMA)


def test_a_lone_surrogate_is_drawn_and_does_not_lose_the_report() -> None:
    finding = Finding(
        check_id="source.hidden_characters",
        field_path="$",
        verdict=Verdict.ABSTAIN,
        severity=Severity.MAJOR,
        evidence=(Evidence(kind="source", source_spans=(Span(0, 1),), matched_text="\ud83d"),),
        message="\udc00",
    )
    written = json.loads(example(findings=(finding,)).to_json())["findings"][0]
    assert (written["evidence"][0]["matched_text"], written["message"]) == ("[U+D83D]", "[U+DC00]")


@pytest.mark.parametrize(
    "text",
    ["", "{}", "null", "[]", "{", "1e400", "[" * 100_000, '{"schema":1,"schema":1}', "NaN"],
)
def test_reading_something_else_is_an_input_error(text: str) -> None:
    with pytest.raises(InputError) as caught:
        report.from_json(text)
    assert caught.value.code == "report.unreadable"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"overall":"fail"', '"overall":"ok"'),
        ('"overall":"fail"', '"overall":["fail"]'),
        ('"claims":2', '"claims":2.0'),
        ('"claims":2', '"claims":true'),
        ('"severity":"critical"', '"severity":"minor"'),
        ('"medfence-guard/report/1"', '"medfence-guard/report/2"'),
        ("[4,9]", "[9,4]"),
        ("[4,9]", "[4]"),
        ('"grade":null', '"grade":1'),
        ('"coverage":{', '"coverage":{"more":1,'),
        ('"engine_version":"0.1.0",', ""),
        ('"input_hashes":{', '"input_hashes":[],"x":{'),
    ],
)
def test_reading_a_damaged_report_is_an_input_error(old: str, new: str) -> None:
    whole = example().to_json()
    assert old in whole
    with pytest.raises(InputError) as caught:
        report.from_json(whole.replace(old, new, 1))
    assert SECRET not in str(caught.value)


# ---- the audit line ---------------------------------------------------------------------------------------------


def test_the_audit_line_holds_no_text() -> None:
    """The whole report holds the secret many times, the audit line not once; not even a piece of it."""
    assert example().to_json().count(SECRET) >= 6
    line = example().to_audit_json()
    assert not re.search("zorv|exil|ward|says|mg|regulator", line, re.IGNORECASE)
    assert "\n" not in line


def test_the_audit_line_holds_what_an_auditor_needs() -> None:
    line = json.loads(example().to_audit_json("e" * 64))
    key = "key:" + hashlib.sha256(f"{SECRET} of Ward 12".encode()).hexdigest()[:16]
    assert line["schema"] == "medfence-guard/audit-report/1"
    assert line["prev"] == "e" * 64
    assert line["span_unit"] == "code_points"
    assert line["overall"] == "fail"
    assert line["counts"] == {"pass": 0, "fail": 2, "abstain": 1}
    assert line["findings"][0] == {
        "check_id": "grounding.strength",
        "field_path": "$.medications[0].strength",
        "verdict": "fail",
        "severity": "critical",
        "rule_ids": ["P11"],
        "spans": [[4, 9], [12, 15]],
    }
    assert line["findings"][1]["field_path"] == f"$.medications[0].{key}"
    assert line["findings"][1]["rule_ids"] == ["P19"]
    assert line["items"][0] == {"path": "$.medications[0]", "verdict": "fail", "statement_span": [0, 18]}
    assert line["input_hashes"] == {"source_text": "c" * 64, "payload": "d" * 64}
    assert (line["rulepack_version"], line["refdata_snapshot"], line["engine_version"]) == ("a" * 64, "b" * 64, "0.1.0")
    assert line["not_checked"] == ["$.key:" + hashlib.sha256(SECRET.encode()).hexdigest()[:16]]


def test_prev_is_none_or_a_digest() -> None:
    assert json.loads(example().to_audit_json())["prev"] is None
    for wrong in ("", "E" * 64, "e" * 63, "e" * 64 + "\n", b"e" * 64):
        with pytest.raises(ContractError) as caught:
            report.to_audit_json(example(), wrong)  # type: ignore[arg-type]
        assert caught.value.code == "report.prev"


def hashed(key: str) -> str:
    return "key:" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("$", "$"),
        ("$[3].name", "$[3].name"),
        ("$.medications[12].strength[0].value", "$.medications[12].strength[0].value"),
        ("$.medications[0].brand", f"$.medications[0].{hashed('brand')}"),
        ("$.Name", f"$.{hashed('Name')}"),
        ("$.a b.name", f"$.{hashed('a b')}.name"),
        ("$[9876543210]", f"$.{hashed('[9876543210]')}"),
        ('$["a b"]', f"$.{hashed('[' + chr(34) + 'a b' + chr(34) + ']')}"),
        ("$.", f"$.{hashed('.')}"),
        ("nonsense", hashed("nonsense")),
        ("$.\ud800", f"$.{hashed(chr(0xD800))}"),
    ],
)
def test_paths_in_the_audit_line(path: str, kept: str) -> None:
    assert report.audit_path(path) == kept


def test_known_segments_are_an_argument() -> None:
    assert report.audit_path("$.meds[0].brand", frozenset({"meds", "brand"})) == "$.meds[0].brand"
    assert report.audit_path("$.name", frozenset()) == f"$.{hashed('name')}"
    assert report.audit_path("$.Mr X", frozenset({"Mr X"})) == f"$.{hashed('Mr X')}", "an alias must still look like a field name"


@given(st.text(max_size=30))
def test_no_path_leaks_more_than_known_names_and_small_numbers(tail: str) -> None:
    kept = report.audit_path("$" + tail)
    assert re.fullmatch(r"\$(\.key:[0-9a-f]{16}|\[[0-9]{1,4}\]|\.[a-z_]{1,32})*", kept)
    assert set(re.findall(r"\.([a-z_]+)(?![a-z_:])", kept)) <= report.KNOWN_SEGMENTS
