"""Forty more rows of the two Indian lists, read by eye against the original rows: twenty singles, twenty combinations.

Drawn with `random.Random(20261202)` from the rows of `products.csv` that are not in `vectors/golden_rows.jsonl`, sorted by source. A row of
`golden_rows.csv` holds what a person read in the printed line; `-` stands for no denominator and no release of one component.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from medfence_guard.bundle_file import unpacked

HERE = Path(__file__).resolve().parent
REFDATA = HERE.parents[1] / "refdata"


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


GOLDEN = table(HERE / "golden_rows.csv")


@pytest.fixture(scope="module")
def products() -> list[dict]:
    return unpacked(json.loads((REFDATA / "medfence_refdata" / "in" / "bundle.json").read_text("utf-8")))["products"]


@pytest.fixture(scope="module")
def printed() -> set[tuple[str, str]]:
    lists = ("nppa-2022-08", "pmbjp-2026-07")
    return {(row["source"], row["printed"]) for name in lists for row in table(REFDATA / "sources" / "in" / name / "products.csv")}


def test_they_are_twenty_and_twenty_and_none_was_checked_before():
    combinations = [row for row in GOLDEN if " + " in row["molecules"]]
    assert (len(GOLDEN) - len(combinations), len(combinations)) == (20, 20)
    earlier = [json.loads(line) for line in (HERE / "vectors" / "golden_rows.jsonl").read_text("utf-8").splitlines()]
    assert not {(row["source"], row["printed"]) for row in GOLDEN} & {(row["source"], row["printed"]) for row in earlier}


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: row["source"])
def test_molecule_strength_unit_denominator_and_form_are_as_printed(row, products, printed):
    assert (row["source"], row["printed"]) in printed
    molecules = row["molecules"].split(" + ")
    parts = list(zip(molecules, *(row[column].split(" + ") for column in ("strengths", "units", "denominators")), strict=True))
    release = row["release"]
    wanted = {molecule: (value, unit, denominator) for molecule, value, unit, denominator in parts}
    found = []
    for product in products:
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
