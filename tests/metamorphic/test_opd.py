"""The predecessor's benchmark as hard assertions, and what must and must not change a verdict, tried on every clean document.

A corruption changes one value of a faithful payload, or one line of its source, so that it no longer says the same: never PASS.
A harmless change says the same in another way: still PASS.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from medfence_guard import Extraction, Rulepack, SourceDocument, Verdict, VerificationReport, verify
from tests.metamorphic import opd

DOCUMENTS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(opd.GOLDEN.glob("*.json"))}
FAULTS = [seed.__name__ for seed in opd.FAULTS]
Medications = list[dict[str, Any]]


@pytest.fixture(scope="module")
def rulepack() -> Rulepack:
    return Rulepack.default()


def judged(rulepack: Rulepack, source: str, payload: object) -> VerificationReport:
    return verify(Extraction("prescription", payload), SourceDocument(source), rulepack)


def told(report: VerificationReport) -> str:
    held = [finding for finding in report.findings if finding.verdict is not Verdict.PASS]
    return "\n".join(f"{f.verdict.value} {f.check_id} {f.field_path}: {f.message}" for f in held)


def test_the_documents_are_what_the_generator_writes() -> None:
    assert opd.differences() == []
    assert len(DOCUMENTS) == 20


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_faithful_extraction_passes(name: str, rulepack: Rulepack) -> None:
    report = judged(rulepack, DOCUMENTS[name]["source"], DOCUMENTS[name]["clean"])
    assert report.overall is Verdict.PASS, told(report)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_seeded_fault_fails_where_it_was_seeded(name: str, fault: str, rulepack: Rulepack) -> None:
    seeded = DOCUMENTS[name]["faults"][fault]
    report = judged(rulepack, DOCUMENTS[name]["source"], seeded["payload"])
    assert report.overall is Verdict.FAIL, told(report)
    path = f"$.medications[{seeded['touched']}]"
    assert any(f.field_path.startswith(path) for f in report.findings if f.verdict is Verdict.FAIL), told(report)


def other_numbers(text: str) -> Iterator[str]:
    """A digit more, a digit fewer, one digit changed, ten times more, ten times less."""
    yield f"{Decimal(text) * 10:f}"
    yield f"{Decimal(text) / 10:f}"
    yield text + "5"
    yield text.replace(text[0], str((int(text[0]) + 3) % 10 or 1), 1)
    if len(text) > 1 and text[-1] != "." and Decimal(text[:-1] or "0"):
        yield text[:-1].rstrip(".")


SAME_OR_LESS = {"1-0-1": ("BD",), "1-0-0": ("OD",), "0-0-1": ("OD", "HS")}
"""A claim that leaves out the time of day may pass: it names fewer particulars, and nothing false."""


def corruptions(medications: Medications) -> Iterator[tuple[str, Medications]]:
    """Every way tried to make a faithful payload say something else, one at a time."""

    def changed(index: int, **fields: Any) -> Medications:
        copied = copy.deepcopy(medications)
        copied[index].update(fields)
        return copied

    for index, item in enumerate(medications):
        value, unit = str(item["strength"]["value"]), item["strength"]["unit"]
        for number in other_numbers(value):
            if Decimal(number) != Decimal(value):
                yield f"[{index}] strength {value} -> {number}", changed(index, strength={"value": number, "unit": unit})
        for swapped in ("mcg", "g", "ml", "IU", "%"):
            if swapped != unit:
                yield f"[{index}] unit {unit} -> {swapped}", changed(index, strength={"value": item["strength"]["value"], "unit": swapped})
        for frequency in ("OD", "BD", "TDS", "QID", "HS", "SOS", "once a week", "1-1-1", "0-1-0", "q6h"):
            if frequency not in SAME_OR_LESS.get(item["frequency"], ()) and frequency != item["frequency"]:
                yield f"[{index}] frequency {item['frequency']} -> {frequency}", changed(index, frequency=frequency)
        days = item["duration"].split()[0]
        for number in other_numbers(days):
            if Decimal(number) != Decimal(days):
                yield f"[{index}] duration {days} -> {number}", changed(index, duration=f"{number} days")
        yield f"[{index}] duration in weeks", changed(index, duration=f"{days} weeks")
        for form in ("syrup", "injection", "cream"):
            yield f"[{index}] form {form}", changed(index, form=form)
        for name in ("Warfarin", "Methotrexate", item["name"] + " H", item["name"][:-1]):
            yield f"[{index}] name {name}", changed(index, name=name)
        yield f"[{index}] dropped", medications[:index] + medications[index + 1 :]
        yield f"[{index}] twice", [*medications, copy.deepcopy(item)]
        invented = {"route": "IV", "indication": "malaria", "as_needed": True, "dose": "3 tablets", "max_dose": "4 g/day"}
        for field, extra in invented.items():
            yield f"[{index}] {field} invented", changed(index, **{field: extra})
        other = (index + 1) % len(medications)
        for field in ("name", "strength", "frequency"):
            if medications[other][field] != item[field]:
                copied = changed(index, **{field: medications[other][field]})
                copied[other][field] = item[field]
                if not all(one in medications for one in copied):  # or the exchange only turned the items round
                    yield f"[{index}] {field} exchanged with [{other}]", copied


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_corrupted_payload_passes(name: str, rulepack: Rulepack) -> None:
    source, clean = DOCUMENTS[name]["source"], DOCUMENTS[name]["clean"]["medications"]
    tried = list(corruptions(clean))
    assert len(tried) > 30 * len(clean)
    passed = [what for what, medications in tried if judged(rulepack, source, {"medications": medications}).overall is Verdict.PASS]
    assert passed == []


@pytest.mark.parametrize("cue", ["Stop {line}", "Allergic to {name}", "{line} - discontinued", "Mother takes {line}"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_an_order_that_is_not_active_does_not_pass(name: str, cue: str, rulepack: Rulepack) -> None:
    """The last line of the source now says that its drug is not to be given; the payload still gives it."""
    *before, last = DOCUMENTS[name]["source"].rstrip("\n").split("\n")
    clean = DOCUMENTS[name]["clean"]
    said = cue.format(line=last.lstrip("0123456789.)- "), name=clean["medications"][-1]["name"])
    report = judged(rulepack, "\n".join([*before, said]) + "\n", clean)
    assert report.overall is not Verdict.PASS


def harmless(source: str, medications: Medications) -> Iterator[tuple[str, str, Medications]]:
    yield "keys in another order", source, [dict(reversed(item.items())) for item in medications]
    yield "items in another order", source, medications[::-1]
    yield "names in capitals", source, [{**item, "name": item["name"].upper()} for item in medications]
    yield "strength as text", source, [{**item, "strength": "{value} {unit}".format(**item["strength"])} for item in medications]
    yield "blank lines between", source.replace("\n", "\n\n"), medications
    yield "two spaces for one", source.replace(" ", "  "), medications
    yield "carriage returns", source.replace("\n", "\r\n"), medications
    yield "claims left null", source, [{**item, "route": None, "indication": ""} for item in medications]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_same_said_otherwise_still_passes(name: str, rulepack: Rulepack) -> None:
    held = {}
    for what, source, medications in harmless(DOCUMENTS[name]["source"], DOCUMENTS[name]["clean"]["medications"]):
        report = judged(rulepack, source, {"medications": medications})
        if report.overall is not Verdict.PASS:
            held[what] = told(report)
    assert held == {}
