"""The built bundle: the tables and nothing else, every fact cited, no row lost, the yardstick met."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from medfence_guard.bundle_file import unpacked

SHARED = "shared"  # the tables that both jurisdictions read

REPOSITORY = Path(__file__).resolve().parents[2]
REFDATA = REPOSITORY / "refdata"
TABLES = REFDATA / "sources"
SOURCES = TABLES / "in"
BUILT = REFDATA / "medfence_refdata" / "in"
VECTORS = Path(__file__).resolve().parent / "vectors"


def vectors(name: str) -> list[dict]:
    return [json.loads(line) for line in (VECTORS / name).read_text(encoding="utf-8").splitlines()]


def table(name: str) -> list[dict[str, str]]:
    with (SOURCES / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def strength_text(strength: dict) -> str:
    per = f"/{strength['per_value']} {strength['per_unit']}" if strength["per_unit"] else ""
    return f"{strength['value']} {strength['unit']}{per}"


@pytest.fixture(scope="module")
def bundle() -> dict:
    return unpacked(json.loads((BUILT / "bundle.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def manifest() -> dict:
    return json.loads((BUILT / "manifest.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def names(bundle) -> dict[str, str]:
    """Every name of the bundle -> its molecule key."""
    known = {molecule: molecule for molecule in bundle["molecules"]}
    for molecule, facts in bundle["molecules"].items():
        known.update({alias["name"]: molecule for alias in facts["aliases"]})
    return known


def build(*arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(REFDATA / "build.py"), *arguments],
        capture_output=True, text=True, check=False, env={"PYTHONHASHSEED": hash_seed, "LC_ALL": "C", "PATH": ""},
    )  # fmt: skip


@pytest.mark.parametrize("hash_seed", ["1", "4711"])
def test_the_built_files_are_byte_for_byte_what_the_tables_build(hash_seed, tmp_path):
    assert build("--write", "--out", str(tmp_path), hash_seed=hash_seed).returncode == 0
    for name in ("bundle.json", "manifest.json"):
        assert (tmp_path / "in" / name).read_bytes() == (BUILT / name).read_bytes()


def test_check_passes_on_what_is_built_and_sees_one_flipped_byte(tmp_path):
    assert build("--check").returncode == 0
    (tmp_path / "in").mkdir()
    for name in ("bundle.json", "manifest.json"):
        (tmp_path / "in" / name).write_bytes((BUILT / name).read_bytes())
    data = bytearray((tmp_path / "in" / "bundle.json").read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / "in" / "bundle.json").write_bytes(bytes(data))
    done = build("--check", "--jurisdiction", "in", "--out", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.splitlines() == ["in/bundle.json is not what the tables build; run: python refdata/build.py --write"]


def test_without_pmbjp_nothing_of_it_remains(tmp_path):
    assert build("--write", "--jurisdiction", "in", "--without-pmbjp", "--out", str(tmp_path)).returncode == 0
    tmp_path = tmp_path / "in"
    assert "pmbjp" not in (tmp_path / "bundle.json").read_text(encoding="utf-8")
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert "pmbjp-2026-07" not in {source["id"] for source in manifest["sources"]}
    assert manifest["figures"]["products_listed"] >= 828


def test_the_manifest_names_the_bundle_and_the_tables_by_digest(manifest):
    import hashlib

    data = (BUILT / "bundle.json").read_bytes()
    assert manifest["bundle_sha256"] == hashlib.sha256(data).hexdigest()
    assert manifest["bundle_bytes"] == len(data)
    for name, digest in manifest["tables"].items():
        assert hashlib.sha256((TABLES / name).read_bytes()).hexdigest() == digest, name
    on_disk = {path.relative_to(TABLES).as_posix() for folder in ("in", "shared") for path in (TABLES / folder).rglob("*.csv")}
    # readings.csv steers the import only
    assert on_disk - set(manifest["tables"]) == {"in/curated-2026-12/readings.csv"}


def test_the_bundle_is_canonical_json():
    text = (BUILT / "bundle.json").read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n"


@pytest.mark.parametrize("edition", ["nppa-2022-08", "pmbjp-2026-07"])
def test_every_row_of_a_list_ends_read_or_rejected_with_a_reason(edition, manifest):
    counts = manifest["counts"][edition]
    assert counts["accepted"] + counts["merged"] + counts["rejected"] == counts["read"]
    read = {int(n) for row in table(f"{edition}/products.csv") for n in row["rows"].split(";")}
    rejects = table(f"{edition}/rejects.csv")
    rejected = [int(n) for row in rejects for n in row["rows"].split(";")]
    assert len(set(rejected)) == len(rejected) == counts["rejected"]
    assert not read & set(rejected)
    assert read | set(rejected) == set(range(1, counts["read"] + 1))
    assert all(row["reason"] for row in rejects)
    assert sum(manifest["rejects"][edition].values()) == counts["rejected"]


def test_every_source_accounts_for_its_rows(manifest):
    read = {row["source"]: int(row["rows_read"]) for row in [*table("originals.csv"), *table(f"../{SHARED}/originals.csv")]}
    assert read["nppa-2022-08"] == 1121
    assert read["pmbjp-2026-07"] == 2439
    for edition, counts in manifest["counts"].items():
        assert counts["accepted"] + counts["merged"] + counts["rejected"] == counts["read"], edition
    supplement = len(table("curated-2026-12/brands_supplement.csv"))
    assert manifest["counts"]["curated-2026-12"]["read"] == read["curated-2026-12"] + supplement


def test_a_dropped_row_fails_the_build(tmp_path):
    import shutil

    copy = tmp_path / "refdata"
    shutil.copytree(REFDATA, copy)
    products = copy / "sources" / "in" / "nppa-2022-08" / "products.csv"
    lines = products.read_text(encoding="utf-8").splitlines(keepends=True)
    products.write_text("".join(lines[:100] + lines[101:]), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(copy / "build.py"), "--check"],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )  # fmt: skip
    assert done.returncode == 2
    assert "in no table" in done.stderr


def test_every_fact_cites_a_known_source_and_carries_its_grade(bundle, manifest):
    known = {source["id"] for source in manifest["sources"]}
    grades = {"nppa-2022-08": "regulator", "pmbjp-2026-07": "tender", "unii-2025-06": "terminology", "curated-2026-12": "curated"}
    facts = [*bundle["products"], *bundle["brands"], *bundle["molecules"].values()]
    facts += [alias for molecule in bundle["molecules"].values() for alias in molecule["aliases"]]
    assert len(facts) > 5000
    for fact in facts:
        assert 1 <= len(fact["source"]) <= 3
        for citation in fact["source"]:
            edition, _, locator = citation.partition("#")
            assert edition in known
            assert locator
        assert fact["grade"] == grades[fact["source"][0].partition("#")[0]], fact
    for fact in [*bundle["look_alikes"], *bundle["brand_collisions"]]:
        assert fact[2] if isinstance(fact, list) else fact["source"]


def test_a_cited_row_prints_what_the_fact_says(bundle):
    printed = {}
    for edition in ("nppa-2022-08", "pmbjp-2026-07"):
        for row in table(f"{edition}/products.csv"):
            printed.setdefault(row["source"], []).append(
                (sorted(row["molecules"].split(" + ")), sorted(row["strengths"].split(" + ")), row["form"])
            )
    checked = 0
    for product in bundle["products"]:
        for citation in product["source"]:
            if citation.startswith("curated"):
                continue
            mine = (product["molecules"], sorted(strength_text(s) for s in product["strengths"]), product["form"])
            assert mine in printed[citation]
            checked += 1
    assert checked > 2500


def test_the_yardstick_is_met(manifest):
    figures = manifest["figures"]
    assert figures["molecules"] >= 880
    assert figures["molecule_form_strength"] >= 2450
    assert figures["combinations"] >= 470
    assert figures["brands"] >= 800


def test_the_common_drugs_of_india_are_covered(bundle, names):
    """A molecule is covered by a product that contains it, a combination by a product that is it."""
    sold = {tuple(product["molecules"]) for product in bundle["products"]}
    sold |= {(molecule,) for product in bundle["products"] for molecule in product["molecules"]}
    entries = [vector["generic"] for vector in vectors("top_list_in.jsonl")]
    assert len(entries) == 156
    # Calcium carbonate + colecalciferol by curated rows alone: PMBJP prints "Calcium and Vitamin D3" without strengths.
    assert [entry for entry in entries if tuple(sorted(names.get(part, "") for part in entry.split(" + "))) not in sold] == []


def test_no_price_is_carried():
    words = ("price", "mrp", "ceiling_price", "₹", "rs.", "inr", "rupee")
    for path in [*SOURCES.rglob("*.csv"), BUILT / "bundle.json"]:
        text = path.read_text(encoding="utf-8").lower()
        header = text.splitlines()[0] if path.suffix == ".csv" else ""
        assert not [word for word in words if word in header], path
        assert "₹" not in text
        assert " rs." not in text
        assert "mrp" not in text.split()


def test_values_are_plain_decimals_and_units_are_known(bundle):
    import re

    units = {"mg", "ug", "g", "mL", "[iU]", "{unit}", "%", "{spore}", "{AU}"}
    per = {None, "mL", "{actuation}", "h", "g", "mg"}
    for product in [*bundle["products"], *bundle["brands"]]:
        assert product["molecules"] == sorted(product["molecules"])
        assert len(set(product["molecules"])) == len(product["molecules"]) == len(product["strengths"])
        assert sorted(product["printed_order"]) == list(range(len(product["molecules"])))
        for strength in product["strengths"]:
            assert re.fullmatch(r"(?:0|[1-9]\d*)(?:\.\d*[1-9])?", strength["value"]), strength
            assert strength["unit"] in units
            assert strength["per_unit"] in per
            assert (strength["per_value"] is None) == (strength["per_unit"] is None)
            assert strength["unit"] != "%" or strength["per_unit"] is None
        assert all(molecule in bundle["molecules"] for molecule in product["molecules"])


def test_a_name_has_one_meaning(bundle):
    meanings: dict[str, set[str]] = {}
    for molecule, facts in bundle["molecules"].items():
        for name in [molecule, *(alias["name"] for alias in facts["aliases"])]:
            meanings.setdefault(name, set()).add(molecule)
    assert {name: where for name, where in meanings.items() if len(where) > 1} == {}


def test_brands_say_what_they_rest_on(bundle):
    rows = {row["id"]: row for name in ("brands", "brands_supplement") for row in table(f"curated-2026-12/{name}.csv")}
    attested = {tuple(p["molecules"]) for p in bundle["products"] if p["grade"] != "curated"}
    for brand in bundle["brands"]:
        assert brand["grade"] == "curated"
        assert brand["confidence"] in ("A", "B")
        row = rows[brand["source"][0].partition("#brand=")[2]]
        assert row["brand"] == brand["name"]
        assert row["basis"].startswith("general knowledge; label not seen")
        if brand["attested_by"]:
            assert tuple(brand["molecules"]) in attested
            assert not any(citation.startswith("curated") for citation in brand["attested_by"])
    withheld = {row["id"] for row in table("curated-2026-12/brands_withheld.csv")}
    assert not withheld & {brand["source"][0].partition("#brand=")[2] for brand in bundle["brands"]}


@pytest.mark.parametrize(
    "molecule",
    ["losartan", "furosemide", "carbamazepine", "pantoprazole", "gabapentin", "ranitidine", "carvedilol", "warfarin", "metoprolol"],
)
def test_the_well_known_are_attested_by_a_list(bundle, molecule):
    assert [p for p in bundle["products"] if p["molecules"] == [molecule] and p["grade"] in ("regulator", "tender")]


def test_insulins_are_named(bundle):
    assert set(bundle["insulins"]) <= set(bundle["molecules"])
    assert {"insulin glargine", "insulin human (soluble)", "insulin human (30% soluble/70% isophane)"} <= set(bundle["insulins"])


def test_look_alikes_are_listed_and_computed(bundle):
    pairs = {(a, b): source for a, b, source in bundle["look_alikes"]}
    assert all(a < b for a, b in pairs)
    assert pairs["hydralazine", "hydroxyzine"].startswith("lookalike-2026-12#")
    assert pairs["amoxicillin", "ampicillin"].startswith("computed#")
    assert pairs["crocin ds", "drotin ds"].startswith("computed#")
    assert pairs["norfloxacin", "ofloxacin"] == "computed#distance=2"


def test_colliding_brands_keep_all_their_meanings(bundle):
    meanings = {row["name"]: row["meanings"] for row in bundle["brand_collisions"]}
    assert meanings["az"] == ["azithromycin", "albendazole", "alprazolam"]
    assert set(meanings["medzol"]) == {"midazolam", "domperidone + pantoprazole", "albendazole", "itraconazole"}


def test_the_package_knows_where_it_is_and_nothing_else():
    done = subprocess.run(
        [sys.executable, "-c", "import medfence_refdata as m; print(m.path(), m.JURISDICTIONS)"],
        capture_output=True, text=True, check=True, env={"PYTHONPATH": str(REFDATA), "PATH": ""},
    )  # fmt: skip
    assert done.stdout.strip() == f"{REFDATA / 'medfence_refdata'} ('in', 'us')"
