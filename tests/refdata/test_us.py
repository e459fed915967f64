"""The bundle of the USA: every row of Drugs@FDA read or rejected with a reason, the twenty pitfalls, the yardstick, the brands."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import build_facts
import build_us
from refdata_facts import facts, manifest, strength_text, table

FDA = "drugsatfda-2022-05"
VECTORS = Path(__file__).resolve().parent / "vectors"


def vectors(name: str) -> list[dict]:
    return [json.loads(line) for line in (VECTORS / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def names() -> build_us.UsNames:
    """The names as the import knows them, rebuilt from the tables in the repository."""
    rows = [{"unii": row["source"], "name": f"{row['name']} [{row['kind']}]"} for row in table("shared/unii-2025-06/names.csv")]
    printed = {row["printed"] for kind in ("products", "rejects") for row in table(f"us/{FDA}/{kind}.csv")}
    return build_us.us_names(rows, [part for line in printed for part in line.split(" | ")[2].split(";")])


@pytest.fixture(scope="module")
def known() -> dict[str, tuple[str, str]]:
    """Every name of the bundle -> (molecule, salt)."""
    found = {molecule: (molecule, "") for molecule in facts("us")["molecules"]}
    for molecule, said in facts("us")["molecules"].items():
        found.update({alias["name"]: (molecule, alias.get("salt", "")) for alias in said["aliases"]})
    return found


def read(printed: str, names: build_us.UsNames) -> list[build_us.UsReading]:
    form, strength, ingredient = printed.split(" | ")
    return build_us.read_fda(form, strength, ingredient, names)


def strengths_of(reading: build_us.UsReading) -> list[str]:
    return [c.strength.text() for c in reading.reading.components]


# ---- every row ------------------------------------------------------------------------------------------------


def test_every_row_ends_read_or_rejected_with_a_reason():
    counts = manifest("us")["counts"][FDA]
    assert counts["accepted"] + counts["merged"] + counts["rejected"] == counts["read"] == 21566
    read_rows = {int(n) for row in table(f"us/{FDA}/products.csv") for n in row["rows"].split(";")}
    rejects = table(f"us/{FDA}/rejects.csv")
    rejected = [int(n) for row in rejects for n in row["rows"].split(";")]
    assert len(rejected) == len(set(rejected)) == counts["rejected"] < 700
    assert not read_rows & set(rejected)
    assert read_rows | set(rejected) == set(range(1, counts["read"] + 1))
    assert all(row["reason"] for row in rejects)
    assert sum(manifest("us")["rejects"][FDA].values()) == counts["rejected"]


def test_every_source_accounts_for_its_rows():
    for name, counts in {**manifest("us")["counts"], **manifest("us")["listed_brands"]}.items():
        assert counts["accepted"] + counts["merged"] + counts["rejected"] == counts["read"], name


def test_reading_every_line_again_gives_the_table(names):
    by_hand = {row["printed"] for row in table("us/curated-us-2026-12/readings.csv")}
    by_line: dict[str, list[dict[str, str]]] = {}
    for row in table(f"us/{FDA}/products.csv"):
        by_line.setdefault(row["printed"], []).append(row)
    assert len(by_line) > 5000
    for printed, rows in by_line.items():
        if printed in by_hand:
            continue
        again = [
            (" + ".join(c.molecule for c in r.reading.components), " + ".join(strengths_of(r)), r.reading.form, r.reading.release)
            for r in read(printed, names)
        ]
        assert again == [(row["molecules"], row["strengths"], row["form"], row["release"]) for row in rows], printed


def test_what_is_rejected_stays_unreadable_for_the_same_reason(names):
    by_hand = {row["printed"] for row in table("us/curated-us-2026-12/readings.csv")}
    checked = 0
    for row in table(f"us/{FDA}/rejects.csv"):
        if row["printed"] in by_hand:
            continue
        with pytest.raises(build_facts.UnreadableError) as refused:
            read(row["printed"], names)
        assert str(refused.value) == row["reason"], row["printed"]
        checked += 1
    assert checked > 400


def test_every_number_of_a_fact_stands_in_its_printed_line():
    checked = 0
    for row in table(f"us/{FDA}/products.csv"):
        line = row["printed"].split(" | ")[1].replace(",", "")
        printed = {float(number) for number in re.findall(r"\d*\.?\d+", line)}
        sums = {a + b for a in printed for b in printed} if "insulin" in row["molecules"] else set()
        for strength in row["strengths"].split(" + "):
            value = float(strength.split(" ")[0])
            assert value in printed | sums, row["printed"]
            checked += 1
    assert checked > 7000


def test_a_cited_row_prints_what_the_fact_says():
    printed: dict[str, list[tuple]] = {}
    for row in table(f"us/{FDA}/products.csv"):
        fact = (sorted(row["molecules"].split(" + ")), sorted(row["strengths"].split(" + ")), row["form"], row["release"])
        printed.setdefault(row["source"], []).append(fact)
    checked = 0
    for product in facts("us")["products"]:
        for citation in product["source"]:
            if citation.startswith("curated"):
                continue
            mine = (product["molecules"], sorted(map(strength_text, product["strengths"])), product["form"], product["release"])
            assert mine in printed[citation]
            checked += 1
    assert checked > 5500


def test_every_fact_cites_a_known_source_and_carries_its_grade():
    known_sources = {source["id"] for source in manifest("us")["sources"]}
    grades = {FDA: "regulator", "unii-2025-06": "terminology", "curated-us-2026-12": "curated", "curated-2026-12": "curated"}
    bundle = facts("us")
    rows = [*bundle["products"], *bundle["brands"], *bundle["molecules"].values()]
    rows += [alias for molecule in bundle["molecules"].values() for alias in molecule["aliases"]]
    assert len(rows) > 13000
    for fact in rows:
        assert 1 <= len(fact["source"]) <= 3
        assert {citation.partition("#")[0] for citation in fact["source"]} <= known_sources
        assert fact["grade"] == grades[fact["source"][0].partition("#")[0]], fact


def test_no_price_and_no_applicant_is_carried():
    assert set(table(f"us/{FDA}/products.csv")[0]) == set(build_us.PRODUCT_COLUMNS)
    assert not {"price", "applicant", "sponsor"} & set(build_us.PRODUCT_COLUMNS)


# ---- the yardstick --------------------------------------------------------------------------------------------


def test_the_yardstick_is_met():
    figures = manifest("us")["figures"]
    assert figures["molecules"] >= 1550
    assert figures["molecule_form_strength"] >= 5500
    listed = {tuple(p["molecules"]) for p in facts("us")["products"] if p["grade"] == "regulator"}
    assert len({molecule for molecules in listed for molecule in molecules}) >= 1550


def test_the_common_drugs_of_the_usa_are_covered(known):
    """A molecule is covered by a product that contains it, a combination by a product that is it."""
    sold = {tuple(product["molecules"]) for product in facts("us")["products"]}
    sold |= {(molecule,) for product in facts("us")["products"] for molecule in product["molecules"]}
    entries = [vector["generic"] for vector in vectors("top_list_us.jsonl")]
    assert len(entries) == 129
    missing = [e for e in entries if tuple(sorted(known.get(part, ("", ""))[0] for part in e.split(" + "))) not in sold]
    assert missing == []


def test_what_the_list_lacks_is_curated_and_says_so():
    rows = table("us/curated-us-2026-12/supplement.csv")
    lacking = {row["molecules"] for row in rows if row["basis"].endswith("no row attests the composition")}
    assert len(lacking) == 54
    assert {"ferrous sulfate", "tirzepatide"} <= lacking
    assert all(row["basis"].startswith("general knowledge; label not seen") for row in rows)
    assert [row["id"] for row in rows] == [f"u{n:03d}" for n in range(1, len(rows) + 1)]


def test_values_are_plain_decimals_and_units_are_known():
    units = {"mg", "ug", "g", "[iU]", "{unit}", "%", "meq"}
    per = {None, "mL", "{actuation}", "h", "g", "mg", "{vial}", "{sachet}", "{bottle}", "{scoop}", "{implant}"}
    for product in [*facts("us")["products"], *facts("us")["brands"]]:
        assert product["molecules"] == sorted(set(product["molecules"]))
        assert len(product["molecules"]) == len(product["strengths"])
        for strength in product["strengths"]:
            assert re.fullmatch(r"(?:0|[1-9]\d*)(?:\.\d*[1-9])?", strength["value"]), strength
            assert strength["value"] != "0"
            assert strength["unit"] in units
            assert strength["per_unit"] in per
            assert (strength["per_value"] is None) == (strength["per_unit"] is None)
            assert strength["unit"] != "%" or strength["per_unit"] is None


# ---- the pitfalls ---------------------------------------------------------------------------------------------


def find(vector: dict) -> list[dict]:
    return [
        product for product in facts("us")["products"]
        if product["molecules"] == vector["molecules"] and product["form"] == vector["form"]
        and [strength_text(s) for s in product["strengths"]] == vector["strengths"]
    ]  # fmt: skip


@pytest.mark.parametrize("vector", vectors("pitfalls_us.jsonl"), ids=lambda v: f"{v['pitfall']}: {v['what']}")
def test_pitfall(vector, known, names):
    match vector["expect"]:
        case "curated":
            assert [product["grade"] for product in find(vector)] == ["curated"]
        case "order":
            assert vector["printed_order"] in [product["printed_order"] for product in find(vector)]
        case "releases":
            assert set(vector["releases"]) <= {product["release"] for product in find(vector)}
        case "reading":
            readings = read(vector["printed"], names)
            first = readings[0]
            assert [c.molecule for c in first.reading.components] == vector["molecules"]
            assert strengths_of(first) == vector["strengths"]
            assert {r.reading.form for r in readings} == {vector["form"]}
            assert sorted({r.reading.release for r in readings}) == vector.get("release", [""])
            if "salts" in vector:
                assert [c.salt for c in first.reading.components] == vector["salts"]
            if "basis" in vector:
                assert [*first.basis] == vector["basis"]
            others = [strengths_of(r) for r in readings if strengths_of(r) != vector["strengths"]]
            assert others == ([vector["second"]] if "second" in vector else [])
        case "unreadable":
            with pytest.raises(build_facts.UnreadableError):
                read(vector["printed"], names)
        case "alias":
            assert known[vector["name"]] == (vector["molecule"], vector.get("salt", ""))
        case "apart":
            meant = [known[name][0] for name in vector["names"]]
            assert len(set(meant)) == len(meant)
        case "unknown":
            assert vector["name"] not in known
        case "brand":
            found = {tuple(brand["molecules"]) for brand in facts("us")["brands"] if brand["name"] == vector["name"]}
            assert found == set(map(tuple, vector["compositions"]))
        case "no_brand":
            assert not [brand for brand in facts("us")["brands"] if brand["name"] == vector["name"]]
            assert vector["name"] in {row["brand"] for row in table("us/curated-us-2026-12/brands_withheld.csv")}
        case "no_fraction":
            bare = [row for row in table(f"us/{FDA}/rejects.csv") if re.fullmatch(r"0?\.\d+", row["printed"].split(" | ")[1])]
            assert bare == []
            percents = {float(s["value"]) for p in facts("us")["products"] for s in p["strengths"] if s["unit"] == "%"}
            assert min(percents) >= 0.0003
            assert {0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0} <= percents
        case "no_status":
            words = {key for row in [*facts("us")["products"], *facts("us")["brands"]] for key in row} | facts("us").keys()
            assert not words & {"banned", "approved", "schedule", "legal", "status"}
        case "dates":
            dates = {source["id"]: source["edition_date"] for source in manifest("us")["sources"]}
            assert dates[FDA] == "2022-05-01, status 2025-02-01"
            assert all(dates.values())
        case other:
            pytest.fail(f"unknown expectation {other}")


def test_the_pitfalls_are_all_here():
    assert {vector["pitfall"] for vector in vectors("pitfalls_us.jsonl")} == set(range(1, 21))


@pytest.mark.parametrize("printed", ["TABLET;ORAL | 5MG | AMLODIPINNE BESYLATE", "TABLET;ORAL | 5MG | AMLODIPINE XYZATE"])
def test_an_unknown_name_is_never_guessed(names, printed):
    with pytest.raises(build_facts.UnknownNameError):
        read(printed, names)


# ---- brands ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trade", "ingredient", "brands"),
    [
        ("ZOLOFT", "SERTRALINE HYDROCHLORIDE", ["Zoloft"]),
        ("SERTRALINE HYDROCHLORIDE", "SERTRALINE HYDROCHLORIDE", []),
        ("LOSARTAN POTASSIUM AND HYDROCHLOROTHIAZIDE", "HYDROCHLOROTHIAZIDE; LOSARTAN POTASSIUM", []),
        ("CARDENE IN 0.83% SODIUM CHLORIDE IN PLASTIC CONTAINER", "NICARDIPINE HYDROCHLORIDE", ["Cardene"]),
        ("EPOGEN/PROCRIT", "EPOETIN ALFA", ["Epogen", "Procrit"]),
        ("DEXTROAMP SACCHARATE, AMP ASPARTATE", "AMPHETAMINE ASPARTATE; DEXTROAMPHETAMINE SACCHARATE", []),
        ("INVOKAMET XR", "CANAGLIFLOZIN; METFORMIN HYDROCHLORIDE", ["Invokamet XR"]),
        ("ALBUTEROL", "ALBUTEROL SULFATE", []),
        ("TYLENOL W/ CODEINE", "ACETAMINOPHEN; CODEINE PHOSPHATE", []),
        ("RISPERDAL", "RISPERIDONE", ["Risperdal"]),
    ],
)
def test_a_trade_name_is_a_brand_unless_it_says_its_ingredient(names, trade, ingredient, brands):
    assert build_us.brands_of(trade, ingredient, names) == brands


def test_no_brand_is_a_name_of_a_molecule(known):
    assert not {brand["name"].lower() for brand in facts("us")["brands"]} & known.keys()


def test_a_withheld_brand_says_why_and_is_in_the_list():
    printed = {row["brand"] for row in table(f"us/{FDA}/brands.csv")}
    for row in table("us/curated-us-2026-12/brands_withheld.csv"):
        assert row["reason"]
        assert row["brand"] in printed
    assert not {row["brand"] for row in table("us/curated-us-2026-12/brands_withheld.csv")} & {b["name"] for b in facts("us")["brands"]}


def test_the_well_known_brands_mean_what_everybody_knows():
    meant = {"Lipitor": "atorvastatin", "Synthroid": "levothyroxine", "Eliquis": "apixaban", "OxyContin": "oxycodone"}
    meant["Januvia"] = "sitagliptin"
    meant |= {"Ozempic": "semaglutide", "Humalog": "insulin lispro", "Lantus": "insulin glargine", "Ventolin HFA": "salbutamol"}
    by_name: dict[str, set[str]] = {}
    for brand in facts("us")["brands"]:
        by_name.setdefault(brand["name"].lower(), set()).add(" + ".join(brand["molecules"]))
    assert {name: by_name[name.lower()] for name in meant} == {name: {molecule} for name, molecule in meant.items()}
