"""How a printed row is read: the golden rows, the twenty pitfalls, and every row of the tables once more."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

import build_facts
import build_in
from medfence_guard.bundle_file import unpacked
from medfence_guard.look_alikes import edit_distance

SHARED = "shared"  # the tables that both jurisdictions read

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = REPOSITORY / "refdata" / "sources" / "in"
VECTORS = Path(__file__).resolve().parent / "vectors"


def vectors(name: str) -> list[dict]:
    return [json.loads(line) for line in (VECTORS / name).read_text(encoding="utf-8").splitlines()]


def table(name: str) -> list[dict[str, str]]:
    with (SOURCES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def names():
    """The names as the import knows them, rebuilt from the tables in the repository."""
    rows = [{"unii": row["source"], "name": f"{row['name']} [{row['kind']}]"} for row in table(f"../{SHARED}/unii-2025-06/names.csv")]
    return build_facts.load_names(rows, [SOURCES / "curated-2026-12" / "names.csv"])


@pytest.fixture(scope="module")
def bundle() -> dict:
    return unpacked(json.loads((REPOSITORY / "refdata/medfence_refdata/in/bundle.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def known(bundle) -> dict[str, tuple[str, str]]:
    """Every name -> (molecule, salt)."""
    found = {molecule: (molecule, "") for molecule in bundle["molecules"]}
    for molecule, facts in bundle["molecules"].items():
        found.update({alias["name"]: (molecule, alias.get("salt", "")) for alias in facts["aliases"]})
    return found


def hand_read(edition: str) -> set[str]:
    return {n for row in table("curated-2026-12/readings.csv") if row["edition"] == edition for n in row["rows"].split(";")}


def read(edition: str, row: dict[str, str], names):
    if edition == "nppa-2022-08":
        medicine, _, form = row["printed"].partition(" | ")
        return build_in.read_nppa(medicine, form, row["source"].partition("/")[2], names)
    return build_in.read_product(row["printed"], names, pack=row["pack"])


def summary(reading) -> tuple:
    return (
        " + ".join(c.molecule for c in reading.components),
        " + ".join(c.strength.text() for c in reading.components),
        reading.form,
        reading.release,
    )


@pytest.mark.parametrize("edition", ["nppa-2022-08", "pmbjp-2026-07"])
def test_reading_every_row_again_gives_the_table(edition, names):
    by_row: dict[str, list[dict[str, str]]] = {}
    by_hand = hand_read(edition)
    for row in table(f"{edition}/products.csv"):
        if row["rows"] not in by_hand and not set(row["rows"].split(";")) & by_hand:
            by_row.setdefault(row["rows"], []).append(row)
    assert len(by_row) > 900
    for rows in by_row.values():
        again = [summary(reading) for reading in read(edition, rows[0], names)]
        assert again == [(row["molecules"], row["strengths"], row["form"], row["release"]) for row in rows], rows[0]["printed"]


@pytest.mark.parametrize("edition", ["nppa-2022-08", "pmbjp-2026-07"])
def test_what_is_rejected_stays_unreadable(edition, names):
    by_hand = hand_read(edition)
    by_group = {"surgical goods or consumables", "an ayurvedic product", "'drops' without eye, ear, nose or mouth"}
    checked = 0
    for row in table(f"{edition}/rejects.csv"):
        if set(row["rows"].split(";")) & by_hand or row["reason"] in by_group:
            continue
        with pytest.raises((build_facts.UnreadableError, build_facts.UnknownNameError)):
            read(edition, row, names)
        checked += 1
    assert checked > 50


@pytest.mark.parametrize("vector", vectors("golden_rows.jsonl"), ids=lambda v: v["source"])
def test_golden_row(vector, bundle):
    """Forty rows drawn at random (twenty singles, twenty combinations) and read by eye against the printed line."""
    order = sorted(range(len(vector["molecules"])), key=lambda i: vector["molecules"][i])
    molecules = [vector["molecules"][i] for i in order]
    strengths = [vector["strengths"][i] for i in order]
    found = [
        product for product in bundle["products"]
        if product["molecules"] == molecules and product["form"] == vector["form"] and product["release"] == vector["release"]
        and [build_facts.Strength(**s).text() for s in product["strengths"]] == strengths
    ]  # fmt: skip
    assert len(found) == 1
    assert found[0]["grade"] in ("regulator", "tender")


def find(bundle, vector) -> list[dict]:
    return [
        product for product in bundle["products"]
        if product["molecules"] == vector["molecules"] and product["form"] == vector["form"]
        and [build_facts.Strength(**s).text() for s in product["strengths"]] == vector["strengths"]
        and vector.get("release", product["release"]) == product["release"]
    ]  # fmt: skip


@pytest.mark.parametrize("vector", vectors("pitfalls.jsonl"), ids=lambda v: f"{v['pitfall']}: {v['what']}")
def test_pitfall(vector, bundle, known, names):
    match vector["expect"]:
        case "product":
            rows = [row for row in table(f"{vector['source'].partition('#')[0]}/products.csv") if row["source"] == vector["source"]]
            stated = [dict(zip(row["molecules"].split(" + "), row["strengths"].split(" + "), strict=True)) for row in rows]
            assert dict(zip(vector["molecules"], vector["strengths"], strict=True)) in stated
            assert find(bundle, vector)
        case "curated":
            assert [product["grade"] for product in find(bundle, vector)] == ["curated"]
        case "order":
            assert vector["printed_order"] in [product["printed_order"] for product in find(bundle, vector)]
        case "reading":
            reading = build_in.read_product(vector["printed"], names, pack=vector["pack"])[0]
            assert [c.molecule for c in reading.components] == vector["molecules"]
            assert [c.strength.text() for c in reading.components] == vector["strengths"]
            assert reading.form == vector["form"]
            if "component_releases" in vector:
                assert [c.release for c in reading.components] == vector["component_releases"]
        case "unreadable":
            with pytest.raises(build_facts.UnreadableError):
                build_in.read_product(vector["printed"], names, pack=vector["pack"], topical=vector.get("topical", False))
        case "rejected":
            edition = vector["source"].partition("#")[0]
            assert vector["source"] in {row["source"] for row in table(f"{edition}/rejects.csv")}
        case "alias":
            assert known[vector["name"]] == (vector["molecule"], vector.get("salt", ""))
        case "molecule":
            assert vector["name"] in bundle["molecules"]
        case "apart":
            meant = [known[name][0] for name in vector["names"]]
            assert len(set(meant)) == len(meant)
        case "unknown":
            assert vector["name"] not in known
        case "brand":
            found = [brand["molecules"] for brand in bundle["brands"] if brand["name"] == vector["name"]]
            assert found == vector["compositions"]
        case "no_suffix":
            assert not [name for name in known if len(name.rpartition("-")[2]) == 4 and name.endswith(("mab-", "dttb"))]
        case "dates":
            manifest = json.loads((REPOSITORY / "refdata/medfence_refdata/in/manifest.json").read_text(encoding="utf-8"))
            dates = {source["id"]: source["edition_date"] for source in manifest["sources"]}
            assert dates["nppa-2022-08"] == "2022-08-10"
            assert all(dates.values())
        case other:
            pytest.fail(f"unknown expectation {other}")


def test_the_pitfalls_are_all_here():
    assert {vector["pitfall"] for vector in vectors("pitfalls.jsonl")} == set(range(1, 21))


def test_an_unknown_name_is_never_guessed(names):
    with pytest.raises(build_facts.UnknownNameError, match="paracetamoll"):
        build_in.read_product("Paracetamoll Tablets IP 500 mg", names)


@pytest.mark.parametrize(
    ("a", "b", "limit", "distance"),
    [
        ("alprazolam", "alprazolam", 2, 0),
        ("losec", "lasix", 2, 3),
        ("abcd", "abdc", 2, 1),
        ("amlodipine", "amiloride", 2, 3),
        ("ab", "abc", 1, 1),
    ],
)
def test_edit_distance(a, b, limit, distance):
    assert edit_distance(a, b, limit) == distance
