"""The report as JSON: whole, for the people who may see the text; and as one audit line that carries none of it.

Both are canonical JSON (`canonical_json.py`), so equal reports are equal bytes. `json_schema()` describes the
whole form; `docs/report.schema.json` is its published copy.

What an audit line may carry: verdicts, check and rule ids, span offsets (code points), versions, counts, input
hashes, and field paths. Not the text, the matched text, the message, the reference key, the citation or the
grade: each of these can hold or betray a drug or a person. A path can too, because a model writes its own keys; so a path
keeps only the names it is told are known and array positions, and every other key becomes `key:` and the start of its
SHA-256. That is minimised, not anonymous: whoever can guess a key can check the guess.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import NoReturn, cast

from medfence_guard import canonical_json
from medfence_guard.artifacts import ARTIFACT_TYPES
from medfence_guard.contract import (
    Completeness,
    Coverage,
    Evidence,
    Finding,
    ItemVerdict,
    Json,
    Severity,
    Span,
    Verdict,
    VerificationReport,
)
from medfence_guard.errors import ContractError, InputError

REPORT_SCHEMA = "medfence-guard/report/1"
AUDIT_SCHEMA = "medfence-guard/audit-report/1"

KNOWN_SEGMENTS = frozenset({"value", "unit"}).union(
    *({artifact.container, *artifact.fields, *artifact.document_fields} for artifact in ARTIFACT_TYPES.values())
)
"""The path segments an audit line keeps when the caller names no others: the canonical containers, fields and document keys."""


def report_dict(report: VerificationReport) -> Json:
    """The whole report as plain JSON. Spans are `[start, end]` in code points of the original source text."""
    return {
        "schema": REPORT_SCHEMA,
        "artifact_type": _drawn(report.artifact_type),
        "overall": report.overall.value,
        "coverage": {"claims": report.coverage.claims, "verified": report.coverage.verified},
        "completeness": {"statements": report.completeness.statements, "accounted": report.completeness.accounted},
        "not_checked": [_drawn(path) for path in report.not_checked],
        "items": [
            {"path": _drawn(item.path), "verdict": item.verdict.value, "statement_span": _pair(item.statement_span)}
            for item in report.items
        ],
        "findings": [_finding_dict(finding) for finding in report.findings],
        "rulepack_version": report.rulepack_version,
        "refdata_snapshot": report.refdata_snapshot,
        "engine_version": report.engine_version,
        "input_hashes": dict(report.input_hashes),
    }


def to_json(report: VerificationReport) -> str:
    """The whole report as canonical JSON, without a trailing newline."""
    return canonical_json.dumps(report_dict(report))


def to_audit_json(report: VerificationReport, prev: str | None = None, known_segments: frozenset[str] = KNOWN_SEGMENTS) -> str:
    """One canonical line without source or payload text.

    prev: the 64 hex digits of the hash of the line before, or None for the first one.
    known_segments: the only payload keys that may appear in a path as they are; pass the aliases of the rulepack in use to keep them too.
    """
    if prev is not None and not (type(prev) is str and _SHA256.fullmatch(prev)):
        raise ContractError("report.prev", "prev must be None or the 64 lower-case hex digits of the line before")
    verdicts = [finding.verdict for finding in report.findings]
    return canonical_json.dumps(
        {
            "schema": AUDIT_SCHEMA,
            "prev": prev,
            "span_unit": "code_points",
            "artifact_type": _identifier(report.artifact_type),
            "overall": report.overall.value,
            "counts": {verdict.value: verdicts.count(verdict) for verdict in Verdict},
            "coverage": {"claims": report.coverage.claims, "verified": report.coverage.verified},
            "completeness": {"statements": report.completeness.statements, "accounted": report.completeness.accounted},
            "not_checked": [audit_path(path, known_segments) for path in report.not_checked],
            "items": [
                {
                    "path": audit_path(item.path, known_segments),
                    "verdict": item.verdict.value,
                    "statement_span": _pair(item.statement_span),
                }
                for item in report.items
            ],
            "findings": [
                {
                    "check_id": _identifier(finding.check_id),
                    "field_path": audit_path(finding.field_path, known_segments),
                    "verdict": finding.verdict.value,
                    "severity": finding.severity.value,
                    "rule_ids": _unique_rule_ids(finding),
                    "spans": [_pair(span) for evidence in finding.evidence for span in evidence.source_spans],
                }
                for finding in report.findings
            ],
            "rulepack_version": report.rulepack_version,
            "refdata_snapshot": report.refdata_snapshot,
            "engine_version": report.engine_version,
            "input_hashes": dict(report.input_hashes),
        }
    )


def audit_path(path: str, known_segments: frozenset[str] = KNOWN_SEGMENTS) -> str:
    """The path with every key that is not known replaced by `key:<first 16 hex digits of its SHA-256>`.

    Array positions of up to four digits stay; a longer run of digits can be a telephone number, and is a key like any other.
    """
    if not path.startswith("$"):
        return _hashed(path)
    kept = ["$"]
    for match in _PATH_SEGMENT.finditer(path, 1):
        if match["index"] or (match["name"] in known_segments and _PLAIN_KEY.fullmatch(match["name"])):
            kept.append(match[0])
        else:
            kept.append("." + _hashed(match["name"] or match[0]))
    return "".join(kept)


# A segment is `[12]`, or `.` and everything up to the next `.` or `[`, or whatever else is left (one piece). The three cover every path.
_PATH_SEGMENT = re.compile(r"\[(?P<index>[0-9]{1,4})\]|\.(?P<name>[^.\[]+)|(?:[.\[][^.\[]*|[^.\[]+)")
_PLAIN_KEY = re.compile(r"[a-z_]{1,32}")
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_.\-]{0,63}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def _hashed(key: str) -> str:
    return "key:" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _identifier(name: str) -> str:
    """Ids are ours and short; anything of another shape is somebody's text and is hashed."""
    return name if _IDENTIFIER.fullmatch(name) else _hashed(name)


def _unique_rule_ids(finding: Finding) -> list[Json]:
    return list(dict.fromkeys(_identifier(evidence.rule_id) for evidence in finding.evidence if evidence.rule_id))


def _drawn(text: str) -> str:
    """JSON text cannot hold a lone surrogate; it is drawn as `[U+D800]` instead of losing the report."""
    return _SURROGATE.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)


def _pair(span: Span | None) -> Json:
    return None if span is None else [span.start, span.end]


def _finding_dict(finding: Finding) -> Json:
    return {
        "check_id": finding.check_id,
        "field_path": _drawn(finding.field_path),
        "verdict": finding.verdict.value,
        "severity": finding.severity.value,
        "message": _drawn(finding.message),
        "evidence": [
            {
                "kind": evidence.kind,
                "source_spans": [_pair(span) for span in evidence.source_spans],
                "matched_text": None if evidence.matched_text is None else _drawn(evidence.matched_text),
                "refdata_key": evidence.refdata_key,
                "citation": evidence.citation,
                "grade": evidence.grade,
                "rule_id": evidence.rule_id,
                "similarity": evidence.similarity,
            }
            for evidence in finding.evidence
        ],
    }


_TOP_KEYS = (
    "schema artifact_type overall coverage completeness not_checked items findings "
    "rulepack_version refdata_snapshot engine_version input_hashes"
)

# ---- reading it back ------------------------------------------------------------------------------------------


def from_json(text: str) -> VerificationReport:
    """The report that `to_json` wrote. InputError when the text is anything else: a missing, extra or repeated key included."""
    try:
        value = json.loads(text, object_pairs_hook=_no_repeated_keys, parse_float=_refuse_number, parse_constant=_refuse_number)
    except (ValueError, RecursionError):
        raise _unreadable("$", "not JSON of the canonical kind") from None
    top = _members(value, "$", _TOP_KEYS)
    if top["schema"] != REPORT_SCHEMA:
        raise _unreadable("$.schema", f"not {REPORT_SCHEMA}")
    coverage = _members(top["coverage"], "$.coverage", "claims verified")
    completeness = _members(top["completeness"], "$.completeness", "statements accounted")
    hashes = top["input_hashes"]
    if type(hashes) is not dict:
        raise _unreadable("$.input_hashes", "not an object")
    try:
        return VerificationReport(
            artifact_type=_text(top["artifact_type"], "$.artifact_type"),
            overall=Verdict(top["overall"]),
            findings=tuple(_read_finding(each, f"$.findings[{i}]") for i, each in enumerate(_list(top["findings"], "$.findings"))),
            items=tuple(_read_item(each, f"$.items[{i}]") for i, each in enumerate(_list(top["items"], "$.items"))),
            coverage=Coverage(
                claims=_count(coverage["claims"], "$.coverage.claims"), verified=_count(coverage["verified"], "$.coverage.verified")
            ),
            completeness=Completeness(
                statements=_count(completeness["statements"], "$.completeness.statements"),
                accounted=_count(completeness["accounted"], "$.completeness.accounted"),
            ),
            not_checked=tuple(_text(path, "$.not_checked") for path in _list(top["not_checked"], "$.not_checked")),
            rulepack_version=_text(top["rulepack_version"], "$.rulepack_version"),
            refdata_snapshot=_text(top["refdata_snapshot"], "$.refdata_snapshot"),
            engine_version=_text(top["engine_version"], "$.engine_version"),
            input_hashes={name: _text(digest, "$.input_hashes") for name, digest in hashes.items()},
        )
    except ValueError:
        raise _unreadable("$", "a verdict or severity is not one of ours") from None
    except ContractError as error:
        raise _unreadable("$", error.code) from None


def _read_finding(value: object, where: str) -> Finding:
    members = _members(value, where, "check_id field_path verdict severity message evidence")
    return Finding(
        check_id=_text(members["check_id"], where),
        field_path=_text(members["field_path"], where),
        verdict=Verdict(members["verdict"]),
        severity=Severity(members["severity"]),
        evidence=tuple(_read_evidence(each, f"{where}.evidence") for each in _list(members["evidence"], where)),
        message=_text(members["message"], where),
    )


def _read_evidence(value: object, where: str) -> Evidence:
    members = _members(value, where, "kind source_spans matched_text refdata_key citation grade rule_id similarity")
    optional = {name: _optional_text(members[name], where) for name in members if name not in ("kind", "source_spans")}
    return Evidence(
        kind=_text(members["kind"], where),
        source_spans=tuple(_span(each, where) for each in _list(members["source_spans"], where)),
        **optional,
    )


def _read_item(value: object, where: str) -> ItemVerdict:
    members = _members(value, where, "path verdict statement_span")
    span = members["statement_span"]
    return ItemVerdict(
        path=_text(members["path"], where),
        verdict=Verdict(members["verdict"]),
        statement_span=None if span is None else _span(span, where),
    )


def _span(value: object, where: str) -> Span:
    ends = _list(value, where)
    if len(ends) != 2:
        raise _unreadable(where, "a span is [start, end]")
    return Span(_count(ends[0], where), _count(ends[1], where))


def _members(value: object, where: str, names: str) -> dict[str, object]:
    if type(value) is not dict or value.keys() != set(names.split()):
        raise _unreadable(where, f"not an object with exactly the keys {names}")
    return value


def _list(value: object, where: str) -> list[object]:
    if type(value) is not list:
        raise _unreadable(where, "not an array")
    return value


def _text(value: object, where: str) -> str:
    if type(value) is not str:
        raise _unreadable(where, "not a string")
    return value


def _optional_text(value: object, where: str) -> str | None:
    return None if value is None else _text(value, where)


def _count(value: object, where: str) -> int:
    if type(value) is not int or not 0 <= value <= canonical_json.MAX_INTEGER:
        raise _unreadable(where, "not a count")
    return value


def _no_repeated_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def _refuse_number(_digits: str) -> NoReturn:
    raise ValueError


def _unreadable(where: str, why: str) -> InputError:
    return InputError("report.unreadable", f"this is not a medfence-guard report: {where}: {why}")


# ---- the schema -----------------------------------------------------------------------------------------------


def json_schema() -> dict[str, Json]:
    """The JSON Schema (draft 2020-12) of `to_json`."""
    verdict: Json = {"enum": [each.value for each in Verdict]}
    span = _described(
        "Half-open range [start, end) in code points of the original source text.", type="array", prefixItems=[_COUNT, _COUNT]
    )
    span |= {"items": False, "minItems": 2}
    evidence = _object(
        "Why a finding says what it says: a place in the source, a fact of the bundle, or a rule.",
        kind={"enum": ["source", "reference", "rule"]},
        source_spans={"type": "array", "items": {"$ref": "#/$defs/span"}},
        matched_text=_OPTIONAL_TEXT,
        refdata_key=_OPTIONAL_TEXT,
        citation=_OPTIONAL_TEXT,
        grade=_OPTIONAL_TEXT,
        rule_id=_OPTIONAL_TEXT,
        similarity=_described("A decimal string in [0, 1]; it ranks candidates in a message and decides nothing.", type=["string", "null"]),
    )
    evidence["allOf"] = [
        _when({"kind": {"const": "source"}}, {"source_spans": {"minItems": 1}}),
        _when({"kind": {"const": "reference"}}, {"refdata_key": {"type": "string", "minLength": 1}}),
        _when({"kind": {"const": "rule"}}, {"rule_id": {"type": "string", "minLength": 1}}),
    ]
    finding = _object(
        "One check's answer about one path of the payload.",
        check_id=_TEXT,
        field_path=_TEXT,
        verdict={"$ref": "#/$defs/verdict"},
        severity={"enum": [each.value for each in Severity]},
        message={"type": "string"},
        evidence={"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/evidence"}},
    )
    finding["allOf"] = [_when({"severity": {"const": Severity.MINOR.value}}, {"verdict": {"const": Verdict.PASS.value}})]
    item = _object(
        "The worst verdict of one medication.",
        path=_TEXT,
        verdict={"$ref": "#/$defs/verdict"},
        statement_span={"anyOf": [{"$ref": "#/$defs/span"}, {"type": "null"}]},
    )
    schema: dict[str, Json] = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "medfence-guard verification report"}
    schema |= _object(
        "The whole answer about one extraction. Contains source and payload text: treat it as health data.",
        schema={"const": REPORT_SCHEMA},
        artifact_type={"type": "string"},
        overall={"$ref": "#/$defs/verdict"},
        coverage=_object("Claims made by the payload, and how many ended pass.", claims=_COUNT, verified=_COUNT),
        completeness=_object("Medication statements in the source, and how many are accounted for.", statements=_COUNT, accounted=_COUNT),
        not_checked=_described("Paths the caller excluded; in no coverage.", type="array", items=_TEXT),
        items={"type": "array", "items": {"$ref": "#/$defs/item"}},
        findings={"type": "array", "items": {"$ref": "#/$defs/finding"}},
        rulepack_version=_TEXT,
        refdata_snapshot=_TEXT,
        engine_version=_TEXT,
        input_hashes={"type": "object", "additionalProperties": {"type": "string"}},
    )
    definitions = {"verdict": verdict, "span": span, "evidence": evidence, "finding": finding, "item": item}
    return schema | {"$defs": cast(Json, definitions)}


_TEXT: Json = {"type": "string", "minLength": 1}
_OPTIONAL_TEXT: Json = {"type": ["string", "null"]}
_COUNT: Json = {"type": "integer", "minimum": 0}


def _object(description: str, **properties: Json) -> dict[str, Json]:
    """An object with exactly these properties, all required."""
    return {
        "description": description,
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _described(description: str, **keywords: Json) -> dict[str, Json]:
    return {"description": description, **keywords}


def _when(condition: dict[str, Json], consequence: dict[str, Json]) -> Json:
    return {"if": {"properties": dict(condition)}, "then": {"properties": dict(consequence)}}
