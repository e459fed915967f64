"""The file form of a bundle: its rows hold every fact and nothing else, and its index is what the rows give."""

from __future__ import annotations

import copy
import hashlib
import json
from pathlib import Path

import pytest

from medfence_guard import BundleError, Rulepack, canonical_json
from medfence_guard.bundle import Bundle, name_key
from medfence_guard.bundle_file import packed, unpacked
from medfence_guard.cli import main
from medfence_guard.rulepack import shipped_folder

README = (Path(__file__).parents[2] / "refdata" / "README.md").read_text("utf-8")


@pytest.fixture(scope="module")
def raw() -> dict:
    return json.loads((shipped_folder() / "bundle.json").read_text("utf-8"))


def strength(value: str, unit: str = "mg", per_value: str | None = None, per_unit: str | None = None) -> dict:
    return {"value": value, "unit": unit, "per_value": per_value, "per_unit": per_unit}


def product(molecules: list[str], *strengths: dict, **more: object) -> dict:
    plain = {"form": "tablet", "release": "", "grade": "tender", "source": ["list#1"]}
    return {"molecules": molecules, "strengths": list(strengths), **plain, **more}


def facts(**more: object) -> dict:
    none = {"brands": [], "look_alikes": [], "brand_collisions": [], "insulins": []}
    one = {"molecules": {"alphamol": {"aliases": []}}, "products": [product(["alphamol"], strength("5"))]}
    return {"jurisdiction": "in", "edition": "test", **none, **one, **more}


def brand(name: str, molecules: list[str], *strengths: dict) -> dict:
    return {**product(molecules, *strengths, grade="curated"), "name": name, "confidence": "A", "attested_by": ["list#1"]}


def read(bundle_facts: dict) -> Bundle:
    return Bundle.from_bytes(json.dumps(packed(bundle_facts)).encode())


def test_the_shipped_rows_hold_every_fact(raw):
    there = unpacked(raw)
    assert packed(there) == raw
    assert unpacked(packed(there)) == there
    assert len(there["products"]) > 2500
    assert len(there["brands"]) > 800


def test_every_kind_of_fact_comes_back_as_it_was():
    whole = facts(
        molecules={
            "alphamol": {"aliases": [{"name": "alphamol sodium", "grade": "tender", "source": ["list#1", "list#2"], "salt": "sodium"}]},
            "betamol": {"aliases": [], "grade": "curated", "source": ["own#row=2"]},
            "alphamol + betamol": {"aliases": [{"name": "co-alpha", "grade": "curated", "source": ["own#3"]}]},
        },
        products=[
            product(["alphamol"], strength("0.25", "mg", "5", "mL"), printed_order=[0], release="prolonged"),
            product(["alphamol", "betamol"], strength("1"), strength("2", "%"), component_releases=["", "prolonged"], printed_order=[1, 0]),
            product(["betamol"], strength("100000", "[iU]"), route="oral", source=["list#1", "list#2"]),
        ],
        brands=[
            brand("Alfo-B 2", ["alphamol", "betamol"], strength("1"), strength("2")),
            {**brand("Zeta", ["betamol"], strength("9")), "attested_by": []},
        ],
    )
    back = unpacked(packed(whole))
    assert {key: back[key] for key in whole} == whole


@pytest.mark.parametrize(
    "damage",
    [
        {"molecules": {"alpha | mol": {"aliases": []}}},
        {"molecules": {"alpha\nmol": {"aliases": []}}},
        {"products": [product(["alphamol"], strength("a lot"))]},
        {"products": [product(["alphamol"], strength("-5"))]},
        {"products": [product(["alphamol"], strength("5", "m/g"))]},
        {"products": [product(["alphamol"], strength("5"), form="")]},
        {"products": [product(["alphamol"], strength("5"), grade="hearsay")]},
        {"products": [product(["alphamol"], strength("5"), source=[])]},
        {"products": [product(["alphamol", "betamol"], strength("5"))]},
        {"products": [product(["alphamol + betamol"], strength("5"))]},
        {"products": [product([""], strength("5"))]},
        {"products": [product(["alphamol"], strength("5"), source=["list#1; list#2"])]},
        {"brands": [brand("Alfo | 5", ["alphamol"], strength("5"))]},
    ],
)
def test_a_fact_that_no_row_can_hold_is_refused_when_it_is_written(damage):
    assert read(facts()).names["alphamol"].compositions == (("alphamol",),)
    with pytest.raises(BundleError) as refused:
        packed(facts(**damage))
    assert refused.value.code == "bundle.fact"


def test_a_molecules_key_is_never_a_brands():
    made = read(facts(brands=[brand("Alphamol", ["betamol"], strength("7"))]))
    assert made.names["alphamol"].brand is False
    assert made.names["alphamol"].compositions == (("alphamol",),)


def test_a_whole_name_is_no_stem_of_a_longer_one():
    longer = brand("Alfo 80 H", ["alphamol", "betamol"], strength("80"), strength("12.5"))
    assert read(facts(brands=[longer])).names["alfo"].incomplete
    both = read(facts(brands=[longer, brand("Alfo", ["alphamol"], strength("5"))])).names
    assert (both["alfo"].incomplete, both["alfo"].compositions, both["alfo"].display) == (False, (("alphamol",),), "Alfo")
    assert both["alfoh"].compositions == (("alphamol", "betamol"),)


def test_a_colliding_brand_is_ambiguous():
    collision = {"name": "alfo", "meanings": ["one", "other"], "note": "", "source": ["own#1"]}
    made = read(facts(brands=[brand("Alfo", ["alphamol"], strength("5"))], brand_collisions=[collision]))
    assert made.names["alfo"].ambiguous


def planted(index: dict, raw: dict) -> None:
    """Pan, a pantoprazole, made to mean what Pan D means."""
    assert index["brands"]["pan"] != index["brands"]["pand"]
    index["brands"]["pan"] = index["brands"]["pand"]


def hidden(index: dict, raw: dict) -> None:
    del index["names"][name_key("paracetamol")]


def reordered(index: dict, raw: dict) -> None:
    raw["products"][0], raw["products"][-1] = raw["products"][-1], raw["products"][0]


@pytest.mark.parametrize("damage", [planted, hidden, reordered])
def test_verify_refuses_an_index_that_its_rows_do_not_give(damage, raw, tmp_path, capsys):
    """The digest is true and every row has its shape; only making the index again shows it."""
    doctored = copy.deepcopy(raw)
    damage(doctored["index"], doctored)
    data = (canonical_json.dumps(doctored) + "\n").encode()
    manifest = json.loads((shipped_folder() / "manifest.json").read_text("utf-8"))
    (tmp_path / "bundle.json").write_bytes(data)
    (tmp_path / "manifest.json").write_text(json.dumps({**manifest, "bundle_sha256": hashlib.sha256(data).hexdigest()}), "utf-8")
    assert main(["refdata", "verify", str(tmp_path)]) == 2
    assert "bundle.index" in capsys.readouterr().err


def test_the_rows_of_the_readme_are_rows_of_the_bundle(raw):
    shown = [line.strip() for line in README.splitlines() if line.startswith("    ") and " | " in line]
    assert len(shown) == 3
    for row, kind in zip(shown, ("names", "products", "brands"), strict=True):
        assert row in raw[kind]


def test_what_the_import_writes_is_what_its_facts_make(tmp_path, capsys):
    (tmp_path / "own.csv").write_text("name,generic,strength,form\nZorbitel,telmisartan,60 mg,tablet\n", "utf-8")
    assert main(["refdata", "import", str(tmp_path / "own.csv"), "--out", str(tmp_path / "own")]) == 0
    assert main(["refdata", "verify", str(tmp_path / "own")]) == 0
    assert "medfence-bundle/2" in capsys.readouterr().out
    assert Rulepack.load(tmp_path / "own").bundle.names["zorbitel"].compositions == (("telmisartan",),)
