"""Fuzzing `verify()` for as long as you let it: `python -m tests.fuzz --seconds 60` (`make fuzz`). Exits 1 on a crash.

Rows of the vectors, broken: characters put in, taken out or exchanged, lines doubled, parts of two rows joined, leaves of the payload
replaced, words given OCR confidences, the payload as text cut or damaged. Whatever comes out, these hold:

1. it is a report, or a ContractError or InputError; nothing else is ever raised;
2. no check crashed, and none stayed silent;
3. the report keeps its own books: PASS needs a PASS for every claim and every statement accounted for;
4. the same inputs give the same bytes.

What breaks one of them is shrunk by Hypothesis and written as a vector row (`--out`), for the file that is to keep it from coming back.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from medfence_guard import ContractError, Extraction, InputError, Rulepack, SourceDocument, Verdict, VerificationReport, Word, verify
from tests import vector_rows

HERE = Path(__file__).parent
FOUND = HERE / "checks" / "vectors" / "fuzz.crash.jsonl"
ROUND = 150
NASTY = "0123456789½¼.,-–/|:;()[]{}+×x%µ\u200b\u202e\u00a0\u0660\ud800\n\t\r\f mgMGlIO०५नहीं\u0000\u3000Ａ①"
PIECES = ("1-0-1", "500 mg", "/5 ml", " x 5/7", "\nRx\n", "Stop ", "not ", "Tab ", "q6h", "max 4/day", "SOS", " then ", "Allergy: ", "| ")

RULEPACK = Rulepack.default()
ROWS = [row for file in sorted((HERE / "checks" / "vectors").glob("*.jsonl")) for row in vector_rows.read(file)]
PLAIN = [row for row in ROWS if type(row["source_text"]) is str and type(row.get("payload")) is dict and "$" not in str(row["payload"])]


@st.composite
def sources(draw: Any) -> str:
    text: str = draw(st.sampled_from(PLAIN))["source_text"]
    for _ in range(draw(st.integers(0, 4))):
        place, length = draw(st.integers(0, len(text))), draw(st.integers(0, 6))
        new = draw(st.text(alphabet=NASTY, max_size=4) | st.sampled_from(PIECES))
        text = text[:place] + new + text[place + length :]
    if draw(st.booleans()):
        other: str = draw(st.sampled_from(PLAIN))["source_text"]
        half = text[: len(text) // 2]
        text = draw(st.sampled_from((f"{text}\n{other}", f"{text} {other}", f"{other}, {text}", text + text, half + other)))
    return text


LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.text(alphabet=NASTY, max_size=12)
    | st.sampled_from(PIECES)
    | st.builds(lambda value, unit: {"value": value, "unit": unit}, st.integers(0, 2000) | st.text(max_size=5), st.text(max_size=4))
    | st.just([])
    | st.just({})
)


def _replaced(draw: Any, value: Any) -> Any:
    """The value with one leaf, somewhere in it, another."""
    if isinstance(value, dict) and value:
        key = draw(st.sampled_from(sorted(value, key=str)))
        if draw(st.integers(0, 9)) == 0:
            return {(draw(st.text(max_size=8)) if name == key else name): inner for name, inner in value.items()}
        return {**value, key: _replaced(draw, value[key])}
    if isinstance(value, list) and value:
        place = draw(st.integers(0, len(value) - 1))
        if draw(st.integers(0, 9)) == 0:
            return value + value[place : place + 1]
        return [*value[:place], _replaced(draw, value[place]), *value[place + 1 :]]
    if isinstance(value, str) and value and draw(st.booleans()):
        place = draw(st.integers(0, len(value)))
        new = draw(st.text(alphabet=NASTY, max_size=3) | st.sampled_from(PIECES))
        return value[:place] + new + value[place + draw(st.integers(0, 2)) :]
    return draw(LEAVES)


@st.composite
def payloads(draw: Any) -> Any:
    payload = draw(st.sampled_from(PLAIN))["payload"]
    for _ in range(draw(st.integers(0, 3))):
        payload = _replaced(draw, payload)
    shape = draw(st.integers(0, 9))
    if shape == 0:
        text = json.dumps(payload, default=str)
        cut = draw(st.integers(0, len(text)))
        return text[:cut] + draw(st.text(max_size=3)) + text[cut + draw(st.integers(0, 2)) :]
    if shape == 1:
        return draw(st.sampled_from((f"```json\n{json.dumps(payload, default=str)}\n```", json.dumps(payload, default=str).encode())))
    return payload


@st.composite
def cases(draw: Any) -> dict[str, Any]:
    """A row: half the time source and payload of one vector, damaged a little, else of any two."""
    row = draw(st.sampled_from(PLAIN))
    text = row["source_text"] if draw(st.booleans()) else draw(sources())
    payload = row["payload"] if draw(st.booleans()) else draw(payloads())
    source: dict[str, Any] = {"modality": draw(st.sampled_from(("text", "text", "ocr")))}
    if source["modality"] == "ocr":
        if draw(st.booleans()):
            source["ocr_confidence"] = draw(st.floats(0, 1))
        else:
            figure = st.none() | st.floats(0, 1)
            source["words"] = [[start, end, draw(figure)] for start, end in _words(text)[:40]]
    return {"source_text": text, "source": source, "payload": payload, "kind": draw(st.sampled_from(("prescription", "note")))}


def _words(text: str) -> list[tuple[int, int]]:
    spans, start = [], None
    for place, character in enumerate(f"{text} "):
        if character.isspace():
            if start is not None:
                spans.append((start, place))
            start = None
        elif start is None:
            start = place
    return spans


def report_of(case: dict[str, Any]) -> VerificationReport | None:
    """The report, or None where the caller is told that the input is unusable."""
    figures = case["source"]
    try:
        document = SourceDocument(
            case["source_text"],
            modality=figures["modality"],
            ocr_confidence=figures.get("ocr_confidence"),
            words=tuple(Word(*word) for word in figures.get("words", ())),
        )
        return verify(Extraction(vector_rows.ARTIFACT_OF_KIND.get(case["kind"], "prescription"), case["payload"]), document, RULEPACK)
    except (ContractError, InputError):
        return None


def holds(case: dict[str, Any]) -> None:
    """Assert what the module's docstring promises of any input."""
    report = report_of(case)
    if report is None:
        return
    rules = {evidence.rule_id for finding in report.findings for evidence in finding.evidence}
    broken = rules & {"engine.check_crashed", "engine.check_silent"}
    assert not broken, [f.message for f in report.findings if broken & {evidence.rule_id for evidence in f.evidence}]
    verdicts = {finding.verdict for finding in report.findings}
    if report.overall is Verdict.PASS:
        assert verdicts == {Verdict.PASS}
        assert report.coverage.claims == report.coverage.verified > 0
        assert report.completeness.statements == report.completeness.accounted
    else:
        assert report.overall is Verdict.ABSTAIN or Verdict.FAIL in verdicts
    again = report_of(case)
    assert again is not None
    assert report.to_json() == again.to_json()
    for finding in report.findings:
        for evidence in finding.evidence:
            assert all(span.end <= len(case["source_text"]) for span in evidence.source_spans)


def as_row(case: dict[str, Any], number: int, problem: BaseException) -> dict[str, Any]:
    """The crash as a vector: what ought to come out is an ABSTAIN, or at least no PASS."""
    expected = {"verdict": "ABSTAIN", "accept": ["ABSTAIN", "FAIL"], "must_not": ["PASS"], "fields": {}}
    why = f"found by fuzzing: {type(problem).__name__}: {str(problem)[:120]}"
    payload = {"payload_json": case["payload"]} if isinstance(case["payload"], str) else {"payload": case["payload"]}
    return {
        "id": f"fuzz.crash-{number:02}",
        "kind": case["kind"],
        "source_text": case["source_text"],
        "source": case["source"],
        **payload,
        "expected": expected,
        "why": why,
    }


def fuzz(seconds: float, start: int, out: Path) -> int:
    """Rounds of examples until the time is up or a case breaks; the number of cases tried, or -1 after a crash."""
    until = time.monotonic() + seconds
    tried = 0
    worst: dict[str, Any] = {}

    def one(case: dict[str, Any]) -> None:
        nonlocal tried
        tried += 1
        worst["case"] = case
        holds(case)

    number = start
    while time.monotonic() < until:
        phases = (Phase.generate, Phase.shrink)
        rounds = settings(max_examples=ROUND, database=None, deadline=None, suppress_health_check=list(HealthCheck), phases=phases)
        try:
            seed(number)(rounds(given(case=cases())(one)))()
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is what was looked for
            there = len(list(vector_rows.read(out))) if out.exists() else 0
            row = as_row(worst["case"], there + 1, problem)
            with out.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")
            print(f"seed {number}: {type(problem).__name__}: {problem}")
            print(json.dumps(row, ensure_ascii=False, default=str), f"written to {out}", sep="\n")
            return -1
        number += 1
    return tried


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=60, help="how long (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=None, help="where to start; told at the end, so that a run can be repeated")
    parser.add_argument("--out", type=Path, default=FOUND, metavar="FILE", help="where a crash is written (default: beside the vectors)")
    options = parser.parse_args()
    start = random.SystemRandom().randrange(10**9) if options.seed is None else options.seed
    tried = fuzz(options.seconds, start, options.out)
    if tried < 0:
        return 1
    print(f"{tried} cases in {options.seconds:.0f} s from seed {start}: none crashed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
