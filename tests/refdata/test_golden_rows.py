"""Sixty rows, read by eye against the printed lines: twenty Indian singles, twenty Indian combinations, twenty of Drugs@FDA.

The Indian ones: `random.Random(20261202)`, from the rows of `products.csv` that are not in `vectors/golden_rows.jsonl`, sorted
by source. The American ones: `random.Random(20261206).sample(rows, 20)` from all rows of `drugsatfda-2022-05/products.csv`, sorted by
source, form, release and strengths. A row of `golden_rows.csv` holds what a person read in the printed line; `-` stands for no denominator
and no release of one component.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import refdata_facts

HERE = Path(__file__).resolve().parent
with (HERE / "golden_rows.csv").open(encoding="utf-8", newline="") as file:
    GOLDEN = list(csv.DictReader(file))
LISTS = {"in": ("nppa-2022-08", "pmbjp-2026-07"), "us": ("drugsatfda-2022-05",)}
PLACE = {name: code for code, names in LISTS.items() for name in names}


@pytest.fixture(scope="module")
def printed() -> set[tuple[str, str]]:
    return {(row["source"], row["printed"]) for name, code in PLACE.items() for row in refdata_facts.table(f"{code}/{name}/products.csv")}


def place(row: dict[str, str]) -> str:
    return PLACE[row["source"].partition("#")[0]]


def test_they_are_twenty_twenty_and_twenty_and_none_was_checked_before():
    indian = [row for row in GOLDEN if place(row) == "in"]
    combinations = [row for row in indian if " + " in row["molecules"]]
    assert (len(indian) - len(combinations), len(combinations), len(GOLDEN) - len(indian)) == (20, 20, 20)
    earlier = [json.loads(line) for line in (HERE / "vectors" / "golden_rows.jsonl").read_text("utf-8").splitlines()]
    checked = {(row["source"], row["printed"]) for row in GOLDEN}
    assert len(checked) == 60
    assert not checked & {(row["source"], row["printed"]) for row in earlier}


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: row["source"])
def test_molecule_strength_unit_denominator_and_form_are_as_printed(row, printed):
    assert (row["source"], row["printed"]) in printed
    molecules = row["molecules"].split(" + ")
    parts = list(zip(molecules, *(row[column].split(" + ") for column in ("strengths", "units", "denominators")), strict=True))
    release = row["release"]
    wanted = {molecule: (value, unit, denominator) for molecule, value, unit, denominator in parts}
    found = []
    for product in refdata_facts.facts(place(row))["products"]:
        if product["molecules"] != sorted(molecules) or product["form"] != row["form"]:
            continue
        stated = {
            molecule: (s["value"], s["unit"], f"{s['per_value']} {s['per_unit']}" if s["per_unit"] else "-")
            for molecule, s in zip(product["molecules"], product["strengths"], strict=True)
        }
        each = product.get("component_releases")
        if each is not None:
            in_order = dict(zip(product["molecules"], each, strict=True))
            said = " + ".join(in_order[molecule] or "-" for molecule in molecules)
        else:
            said = product["release"]
        if stated == wanted and said == release:
            found.append(product)
    assert len(found) == 1
    assert row["source"] in found[0]["source"] or found[0]["grade"] == "regulator"
