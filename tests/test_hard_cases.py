"""Rows that are sent in hold no person, and the check that says so can tell."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from tests.hard_cases import VECTORS, main, refusals, refused

FILES = sorted(VECTORS.glob("case.*.jsonl"))
GOOD: dict[str, Any] = json.loads((VECTORS / "case.example.jsonl").read_text("utf-8").splitlines()[0])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_rows_that_were_sent_in_name_nobody(file):
    assert refused(file) == []


def _with_line(line: str) -> dict[str, Any]:
    row = copy.deepcopy(GOOD)
    row["source_text"] += line + "\n"
    return row


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("Date: 12/03/2026", "date"),
        ("12-3-26", "date"),
        ("2026-03-12", "date"),
        ("on 12 Mar 2026", "date"),
        ("12th march", "date"),
        ("March 3, 2026", "date"),
        ("Ph 98200 12345", "telephone"),
        ("+91 98200-12345", "telephone"),
        ("020-25534363", "telephone"),
        ("UHID 4711", "record number"),
        ("Reg. No. 66407", "record number"),
        ("Pune 411018", "number of six or more digits"),
        ("someone@example.org", "mail or address on the web"),
        ("Dr. Abcdef", "title with a name"),
        ("Mrs Abcdef", "title with a name"),
        ("W/o Abcdef", "relation with a name"),
        ("Name: Abcdef Ghi", "label with a name"),
        ("Patient name - abcdef", "label with a name"),
        ("77 Abc Road", "street"),
        ("93 years old", "age beyond 89"),
        ("Age: 94/F", "age beyond 89"),
    ],
)
def test_what_could_name_a_person_is_refused(line, kind):
    assert f"it seems to hold a {kind}" in refusals(_with_line(line))


@pytest.mark.parametrize(
    "line",
    [
        "Name: P. D. Age/Sex: 45/F",
        "Dr. R. N., MD",
        "Tab Prednisolone 5 mg x 5/7, then 1/52",
        "C/o Fever, cough. BP 138/86, PR 84/min, SpO2 98%, Temp 99.2 F",
        "Cap D-Rise 60000 IU once a week; 200000 IU once",
        "1-0-1 x 10 days, review after 2 weeks",
        "Inj. Human Mixtard 30/70 20-0-16 units",
    ],
)
def test_what_a_prescription_says_is_let_through(line):
    assert refusals(_with_line(line)) == []


@pytest.mark.parametrize("place", ["payload", "why"])
def test_every_text_of_a_row_is_looked_at(place):
    row = copy.deepcopy(GOOD)
    if place == "why":
        row["why"] += " (Dr. Abcdef)"
    else:
        row["payload"]["medications"][0]["prescriber"] = "Dr. Abcdef"
    assert refusals(row) == ["it seems to hold a title with a name"]


@pytest.mark.parametrize(
    "change",
    [
        {"id": "mine-1"},
        {"extra": 1},
        {"source_text": ""},
        {"payload": []},
        {"why": " "},
        {"source": {"modality": "scan"}},
        {"expected": {"verdict": "PASS"}},
        {"expected": {"verdict": "PASS", "accept": ["FAIL"], "must_not": ["ABSTAIN"], "fields": {}}},
        {"expected": {"verdict": "PASS", "accept": ["PASS"], "must_not": ["PASS"], "fields": {}}},
        {"expected": {"verdict": "MAYBE", "accept": ["MAYBE"], "must_not": ["PASS"], "fields": {}}},
    ],
)
def test_a_row_of_another_shape_is_refused(change):
    assert refusals({**GOOD, **change})


def test_the_command_names_the_line_and_not_the_words(tmp_path, capsys):
    file = tmp_path / "case.mine.jsonl"
    file.write_text(json.dumps(_with_line("Mrs Abcdef")) + "\nnot json\n", "utf-8")
    assert main([str(file)]) == 1
    told = capsys.readouterr().out
    assert "line 1: it seems to hold a title with a name" in told and "line 2: not JSON" in told and "Abcdef" not in told
    assert main([str(VECTORS / "case.example.jsonl")]) == 0
