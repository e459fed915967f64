"""Plain sentences for the reviewer: what the extraction says, what the source says, and what the short forms mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from medfence_guard.bundle import Bundle, Component, Product, name_key
from medfence_guard.contract import Evidence, Finding, Json, SourceDocument, Verdict, VerificationReport
from medfence_guard.html.visible import visible
from medfence_guard.payload import child_path

SOURCE_NAMES: Mapping[str, str] = {"prescription": "Prescription", "clinical_note": "Note"}
"""What the source is called in a sentence, by artifact type; any other is `Source`."""

FIELD_NAMES: Mapping[str, str] = {
    "generic_name": "generic name",
    "as_needed": "as needed",
    "as_needed_for": "reason for use when needed",
    "max_dose": "maximum dose",
}

SPELLED_OUT: Mapping[str, str] = {
    "ac": "before food",
    "amp": "ampoule",
    "bd": "twice a day",
    "bid": "twice a day",
    "cap": "capsule",
    "g": "gram",
    "gm": "gram",
    "hs": "at bedtime",
    "im": "into the muscle",
    "inj": "injection",
    "iu": "international units",
    "iv": "into the vein",
    "mcg": "microgram, a thousandth of a milligram",
    "mg": "milligram",
    "ml": "millilitre",
    "od": "once a day (or: right eye)",
    "pc": "after food",
    "po": "by mouth",
    "pr": "by the rectum",
    "prn": "when needed",
    "q4h": "every 4 hours",
    "q6h": "every 6 hours",
    "q8h": "every 8 hours",
    "q12h": "every 12 hours",
    "qd": "once a day (error-prone: read as four times a day)",
    "qid": "four times a day",
    "qds": "four times a day",
    "sc": "under the skin",
    "sl": "under the tongue",
    "sos": "when needed",
    "stat": "at once",
    "syp": "syrup",
    "tab": "tablet",
    "tds": "three times a day",
    "tid": "three times a day",
    "u": "units (error-prone: read as a zero)",
    "µg": "microgram, a thousandth of a milligram",
    "μg": "microgram, a thousandth of a milligram",
    "1-0-0": "one in the morning",
    "0-0-1": "one at night",
    "1-0-1": "one in the morning, one at night",
    "1-1-1": "one in the morning, one at noon, one at night",
}

_SHORT_FORM = re.compile(r"\d-\d-\d|(?<![^\W\d_])[^\W\d_]+\d{0,2}[^\W\d_]?(?![^\W_])")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """One held field, for reading. Contains health data.

    path: the field. item: the medication it belongs to (the list itself for a statement the extraction omits).
    sentence: `Extraction: 50 mg. Prescription: 50 mcg.`
    spelled_out: the short forms in it, in words. why: the messages of its findings.
    reference: what the reference bundle says, each with citation and grade.
    """

    path: str
    item: str
    verdict: Verdict
    sentence: str
    spelled_out: tuple[str, ...]
    why: tuple[str, ...]
    check_ids: tuple[str, ...]
    reference: tuple[str, ...]


def review_items(
    report: VerificationReport, payload: Json, source: SourceDocument, compositions: Mapping[str, tuple[str, ...]]
) -> tuple[ReviewItem, ...]:
    """One item per held path, FAIL first, otherwise in the report's order. An omitted statement is an item of its own."""
    groups: dict[tuple[str, object], list[Finding]] = {}
    for finding in report.findings:
        if finding.verdict is not Verdict.PASS:
            apart = _spans_key(finding) if finding.check_id.startswith("completeness.") else None
            groups.setdefault((finding.field_path, apart), []).append(finding)
    told = _references(report, compositions)
    aside = {path: (*compositions.get(path, ()), *told.get(path, ())) for path in {**compositions, **told}}
    items = [_item(path, findings, report, payload, source, aside) for (path, _), findings in groups.items()]
    return tuple(sorted(items, key=lambda item: item.verdict is not Verdict.FAIL))


def summary(verdict: Verdict, items: tuple[ReviewItem, ...], not_checked: tuple[str, ...]) -> str:
    """The request as a few lines of plain text."""
    asked = {
        Verdict.FAIL: "The source contradicts the extraction. It cannot be confirmed; edit it, reject it, or override with a reason.",
        Verdict.ABSTAIN: "The machine could not verify everything. Read the source, then confirm, edit or reject.",
        Verdict.PASS: "Every claim was verified.",
    }
    lines = [asked[verdict]]
    lines += [f"Not checked at all: {path}" for path in not_checked]
    told: set[str] = set()
    for item in items:
        lines.append(f"{item.verdict.name} {item.path}: {item.sentence}")
        once = () if item.item in told else item.reference
        told.add(item.item)
        lines += [f"    {line}" for line in (*item.why, *item.spelled_out, *once)]
    return "\n".join(lines)


def _item(
    path: str,
    findings: list[Finding],
    report: VerificationReport,
    payload: Json,
    source: SourceDocument,
    references: Mapping[str, tuple[str, ...]],
) -> ReviewItem:
    omitted = all(finding.check_id == "completeness.omitted" for finding in findings)
    medication = next((item.path for item in report.items if path == item.path or path.startswith(item.path + ".")), path)
    said = None if omitted else value_text(value_at(payload, path))
    read = _source_text(findings, source)
    own_name = SOURCE_NAMES.get(report.artifact_type, "Source")
    left = f"Extraction: {visible(said)}." if said is not None else "Extraction: nothing."
    right = f"{own_name}: {visible(read)}." if read is not None else f"{own_name}: nothing found that says so."
    sentence = f"{left} {right}"
    return ReviewItem(
        path=path,
        item=path if omitted else medication,
        verdict=Verdict.FAIL if any(f.verdict is Verdict.FAIL for f in findings) else Verdict.ABSTAIN,
        sentence=sentence,
        spelled_out=_spelled_out(said, read),
        why=tuple(dict.fromkeys(visible(finding.message) for finding in findings)),
        check_ids=tuple(dict.fromkeys(finding.check_id for finding in findings)),
        reference=references.get(medication, ()),
    )


def _source_text(findings: list[Finding], source: SourceDocument) -> str | None:
    """The source's own characters behind these findings, in order, each place once."""
    spans = sorted({(span.start, span.end) for f in findings for e in f.evidence for span in e.source_spans})
    widest = [(s, e) for s, e in spans if not any(a <= s and e <= b and (a, b) != (s, e) for a, b in spans)]
    pieces = [source.text[start:end] for start, end in widest]
    return " … ".join(" ".join(piece.split()) for piece in pieces) or None


def _spans_key(finding: Finding) -> object:
    return tuple((span.start, span.end) for evidence in finding.evidence for span in evidence.source_spans)


def _references(report: VerificationReport, compositions: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
    """The facts the findings cite for each medication, with grade and citation; not those its composition cites already."""
    found: dict[str, list[str]] = {}
    for finding in report.findings:
        owner = next((i.path for i in report.items if finding.field_path == i.path or finding.field_path.startswith(i.path + ".")), None)
        for evidence in finding.evidence:
            cited = f"; {evidence.citation})"
            if evidence.kind == "reference" and owner is not None and not any(cited in line for line in compositions.get(owner, ())):
                found.setdefault(owner, []).append(_reference(evidence))
    return {path: tuple(dict.fromkeys(lines)) for path, lines in found.items()}


def _reference(evidence: Evidence) -> str:
    told = f"{evidence.refdata_key}" if evidence.matched_text is None else f"{visible(evidence.matched_text)} = {evidence.refdata_key}"
    return f"{told} (grade {evidence.grade or 'not stated'}; {evidence.citation or 'no citation'})"


def compositions(report: VerificationReport, payload: Json, bundle: Bundle) -> dict[str, tuple[str, ...]]:
    """What the bundle says each medication's brand contains, with grade and citation: `Telma 40 = telmisartan 40 mg (grade …; …)`."""
    found: dict[str, tuple[str, ...]] = {}
    for item in report.items:
        values = value_at(payload, item.path)
        texts = [text for text in values.values() if isinstance(text, str)] if isinstance(values, dict) else []
        lines = [line for text in texts for line in _composition(text, bundle)]
        if lines:
            found[item.path] = tuple(dict.fromkeys(lines))
    return found


MAX_COMPOSITIONS = 4
"""A brand with more strengths than this is told by its first ones and the number of the others."""


def _composition(text: str, bundle: Bundle) -> list[str]:
    words = text[:200].split()
    names = (bundle.names.get(name_key(" ".join(words[:end]))) for end in range(len(words), 0, -1))
    name = next((name for name in names if name is not None), None)
    if name is None or not name.brand:
        return []
    numbers = {Fraction(number) for number in re.findall(r"\d{1,6}(?:\.\d{1,6})?", text[:200])}
    rows = [row for row in name.rows if numbers & row.labels] or list(name.rows)
    lines = [
        f"{row.brand or name.display} = {_contents(row)} {row.form.replace('_', ' ')} (grade {row.grade}; {row.citation})"
        for row in rows[:MAX_COMPOSITIONS]
    ]
    more = len(rows) - len(lines)
    return [*lines, f"{name.display}: {more} more in the reference"] if more > 0 else lines


def _contents(row: Product) -> str:
    if len(row.molecules) != len(row.components):
        return " + ".join(row.molecules)
    return " + ".join(f"{molecule} {_amount(component)}" for molecule, component in zip(row.molecules, row.components, strict=True))


def _amount(component: Component) -> str:
    amount = f"{_decimal(component.value)} {_UNIT_WORDS.get(component.unit, component.unit)}"
    if component.per_value is None or component.per_unit is None:
        return amount
    return f"{amount} per {_decimal(component.per_value)} {component.per_unit}"


_UNIT_WORDS = {"ug": "mcg"}


def _decimal(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.6g}"


def _spelled_out(*texts: str | None) -> tuple[str, ...]:
    forms: dict[str, str] = {}
    for text in texts:
        for match in _SHORT_FORM.finditer(text or ""):
            meaning = SPELLED_OUT.get(match[0].casefold())
            if meaning is not None:
                forms.setdefault(match[0], meaning)
    return tuple(f"{form} = {meaning}" for form, meaning in forms.items())


# ---- values of the payload ------------------------------------------------------------------------------------


def value_at(payload: Json, path: str) -> Json:
    """The payload's value at a finding's path; None when the path leads nowhere (a key may itself contain dots)."""
    return _descend(payload, path.removeprefix("$"))


def _descend(value: Json, rest: str) -> Json:
    if not rest:
        return value
    if isinstance(value, list):
        index = re.match(r"\[([0-9]{1,6})\]", rest)
        return _descend(value[int(index[1])], rest[index.end() :]) if index and int(index[1]) < len(value) else None
    if isinstance(value, dict):
        for key in sorted(value, key=len, reverse=True):
            spelled = child_path("", key)
            if rest.startswith(spelled) and rest[len(spelled) :][:1] in ("", ".", "["):
                return _descend(value[key], rest[len(spelled) :])
    return None


def value_text(value: Json) -> str | None:
    """A payload value as one string in the source's notation: `{"value": 500, "unit": "mg"}` is `500 mg`. None for no value."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return " + ".join(text for text in map(value_text, value) if text is not None) or None
    if isinstance(value, dict):
        if set(value) <= {"value", "unit"}:
            return " ".join(text for text in (value_text(value.get("value")), value_text(value.get("unit"))) if text) or None
        return "; ".join(f"{key} {text}" for key, text in ((k, value_text(v)) for k, v in value.items()) if text is not None) or None
    return str(value)


def comparable(text: str) -> str:
    """For comparing what a reviewer typed with the payload: case and the space between number and unit do not count."""
    return re.sub(r"(?<=\d) (?=[^\W\d])", "", " ".join(text.casefold().split()))
