"""Is this row fit to be sent? `python -m tests.hard_cases FILE…`: its shape, and whatever in it could name a person.

For rows of `tests/checks/vectors/case.*.jsonl` (CONTRIBUTING says how to write one). Patterns find what has a shape: dates, telephone and
record numbers, addresses, mail, a title or a label with a name behind it, an age beyond 89. They do not know names: read the row yourself.
Standard library only. Exits 1 when a row is refused; the message names the row and the kind, never the words.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).parent / "checks" / "vectors"
# `known` is ours to add: why a case fails today.
KEYS = {"id", "kind", "source_text", "source", "payload", "expected", "why"}
EXPECTED = {"verdict", "accept", "must_not", "fields"}
VERDICTS = {"PASS", "FAIL", "ABSTAIN"}
ID = re.compile(r"case\.[a-z0-9_]+-\d{2,3}")

_MONTHS = (
    "jan(?:uary)? feb(?:ruary)? mar(?:ch)? apr(?:il)? may june? july? aug(?:ust)? sept?(?:ember)? oct(?:ober)? nov(?:ember)? dec(?:ember)?"
)
_MONTH = f"(?:{'|'.join(_MONTHS.split())})"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"  # or a month: the order of the two differs
_INITIALS = r"(?:[A-Z]\.? ?){1,3}(?![A-Za-z])"

PERSONAL: dict[str, re.Pattern[str]] = {
    "date": re.compile(
        rf"(?<![\d/.-])(?:{_DAY}[/.-]{_DAY}[/.-](?:\d{{2}}|\d{{4}})|\d{{4}}[/.-]{_DAY}[/.-]{_DAY})(?![\d/-])"
        rf"|\b\d{{1,2}}(?:st|nd|rd|th)?[ -]*{_MONTH}\b[ ,-]*(?:\d{{2,4}})?|\b{_MONTH}[ ,.-]+\d{{1,2}}(?:st|nd|rd|th)?,? +\d{{4}}\b",
        re.IGNORECASE,
    ),
    "telephone": re.compile(r"(?:\+|\b00)\d[\d ()-]{7,}\d|(?<![\d.])(?:\d[ -]?){9,}\d(?![\d.])|\b0\d{2,4}[ -]\d{5,8}\b"),
    "number of six or more digits": re.compile(r"(?<![\d.])\d{6,}(?!\d)(?! ?(?:IU|I\.U\.|units?)\b)"),
    "mail or address on the web": re.compile(r"[\w.+-]+@[\w-]+\.\w|https?://|www\.", re.IGNORECASE),
    "title with a name": re.compile(rf"\b(?:Dr|DR|Mr|MR|Mrs|MRS|Ms|Miss|Master|Shri|Smt|Baby|Prof)\b\.? *(?!{_INITIALS})[A-Z][A-Za-z]+"),
    "relation with a name": re.compile(rf"\b(?:[SsDdWwBb]/[Oo]|(?:son|daughter|wife|baby) of)\b\.? *(?!{_INITIALS})[A-Z][a-z]+"),
    "label with a name": re.compile(
        rf"\b(?i:(?:patient(?:'s)?|pt\.?|doctor|consultant|prescriber) ?name|name|patient|consultant|physician) *[:=-] *"
        rf"(?!{_INITIALS})[A-Za-z\u0900-\u0dff]{{2,}}"
    ),
    "record number": re.compile(
        r"\b(?:uhid|mrn|ip|op|opd|ipd|cr|reg|regn|abha|aadhaar|bill|lab)\.? *(?:no|id|number)?\.? *[:#-]? *\d{3,}", re.IGNORECASE
    ),
    "street": re.compile(r"\b\d+[A-Za-z]?[, ]+(?:[A-Za-z]+ ){1,3}(?:road|rd|street|nagar|marg|lane|colony|chowk|cross)\b", re.IGNORECASE),
    "age beyond 89": re.compile(r"\b(?:9\d|1[0-2]\d) *(?:y|yrs?|years?)(?: *old)?\b|\bage\D{0,6}(?:9\d|1[0-2]\d)\b", re.IGNORECASE),
}
"""Kind -> what it looks like. Initials (`Name: P. D.`, `Dr. R. N.`) stand for nobody and are let through."""


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def refusals(row: Any) -> list[str]:
    """Why a row cannot be taken; empty if it can."""
    if not isinstance(row, dict):
        return ["not a JSON object"]
    out = []
    if set(row) - {"known"} != KEYS:
        out.append(f"its keys must be {', '.join(sorted(KEYS))}, and no others")
    if not isinstance(row.get("id"), str) or not ID.fullmatch(row["id"]):
        out.append("its id must be case.<topic>-NN")
    if not (isinstance(row.get("source_text"), str) and row["source_text"].strip()):
        out.append("source_text must be text")
    if not isinstance(row.get("payload"), dict):
        out.append("payload must be a JSON object")
    if not (isinstance(row.get("why"), str) and row["why"].strip()):
        out.append("why must say which rule decides, in words")
    source = row.get("source")
    if not (isinstance(source, dict) and source.get("modality") in ("text", "ocr", "stt")):
        out.append("source must be an object with a modality: text, ocr or stt")
    out += _expectation(row.get("expected"))
    texts = [*strings([row.get("source_text"), row.get("payload"), row.get("why")])]
    out += [f"it seems to hold a {kind}" for kind, pattern in PERSONAL.items() if any(pattern.search(text) for text in texts)]
    return out


def _expectation(expected: Any) -> list[str]:
    if not (isinstance(expected, dict) and set(expected) == EXPECTED):
        return [f"expected must have exactly {', '.join(sorted(EXPECTED))}"]
    accept, must_not = expected["accept"], expected["must_not"]
    if not (isinstance(accept, list) and isinstance(must_not, list) and must_not and {expected["verdict"], *accept, *must_not} <= VERDICTS):
        return ["expected: verdict, accept and must_not hold PASS, FAIL or ABSTAIN, and must_not at least one"]
    if expected["verdict"] not in accept or set(accept) & set(must_not):
        return ["expected: the verdict must be among those accepted, and none accepted may be a defect"]
    return []


def refused(file: Path) -> list[str]:
    """`line N: why` for each row that cannot be taken."""
    out = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        try:
            row = json.loads(line)
        except ValueError:
            out.append(f"{file.name}, line {number}: not JSON")
            continue
        out += [f"{file.name}, line {number}: {why}" for why in refusals(row)]
    return out


def main(files: list[str]) -> int:
    problems = [problem for file in files for problem in refused(Path(file))]
    print("\n".join(problems) or "nothing that looks like a person; now read it yourself")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
