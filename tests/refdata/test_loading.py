"""What the loaded bundle refuses, and how it answers where the pitfalls of the lists would bite: at look-up."""

from __future__ import annotations

import hashlib
import json
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from medfence_guard import BundleError, Extraction, Rulepack, SourceDocument, verify
from medfence_guard.bundle import INDEX, Bundle, name_key
from medfence_guard.bundle_file import unpacked
from medfence_guard.rulepack import load_rulepack, shipped_folder


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(shipped_folder(), tmp_path / "in")


def shipped() -> dict:
    return json.loads((shipped_folder() / "bundle.json").read_text("utf-8"))


def rewrite(folder, **changes):
    """Change top-level entries of the bundle and keep the manifest's digest true, as somebody who repacks it would."""
    data = json.dumps({**shipped(), **changes}, ensure_ascii=False).encode()
    (folder / "bundle.json").write_bytes(data)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["bundle_sha256"] = hashlib.sha256(data).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")


@pytest.mark.parametrize("place", [0.0, 0.001, 0.25, 0.5, 0.75, 0.999999])
@pytest.mark.parametrize("bit", [0, 5, 7])
def test_one_flipped_bit_anywhere_is_refused(place, bit):
    folder = shipped_folder()
    data = bytearray((folder / "bundle.json").read_bytes())
    data[int(place * (len(data) - 1))] ^= 1 << bit
    expected = json.loads((folder / "manifest.json").read_text("utf-8"))["bundle_sha256"]
    with pytest.raises(BundleError) as refused:
        Bundle.from_bytes(bytes(data), expected_digest=expected, jurisdiction="in")
    assert refused.value.code == "bundle.tampered"


@pytest.mark.parametrize("load", [Rulepack.load, load_rulepack])
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"schema": "medfence-bundle/1"}, "bundle.schema"),
        ({"schema": None}, "bundle.schema"),
        ({"jurisdiction": "us"}, "bundle.jurisdiction"),
        ({"jurisdiction": None}, "bundle.jurisdiction"),
        ({"products": [{"molecules": ["paracetamol"]}]}, "bundle.fact"),
        ({"products": 7}, "bundle.fact"),
        ({"brands": ["Dolo 650 | A |  | paracetamol | 650 | tablet |  |  |  | 0 | curated | list#1"]}, "bundle.fact"),
        ({"products": ["paracetamol | 650 mg | tablet |  |  |  | 0 | hearsay | list#1"]}, "bundle.fact"),
        ({"products": ["paracetamol | 650 mg | tablet |  |  |  | 0 | tender | list#1 | more"]}, "bundle.fact"),
        ({"names": ["paracetamol | paracetamol"]}, "bundle.fact"),
        ({"names": ["paracetamol"] * 9999}, "bundle.fact"),
        ({"look_alikes": [["a", "b"]]}, "bundle.fact"),
        ({"index": {}}, "bundle.fact"),
    ],
)
def test_another_schema_jurisdiction_or_shape_is_refused_with_a_true_digest_too(copy, load, changes, code):
    rewrite(copy, **changes)
    with pytest.raises(BundleError) as refused:
        load(copy)
    assert refused.value.code == code


@pytest.mark.parametrize("part", list(INDEX))
@pytest.mark.parametrize("numbers", ["9999999", "-1", "1.5", "paracetamol", 3, None, ["0"]])
def test_an_index_that_leads_to_no_row_is_refused(copy, part, numbers):
    index = shipped()["index"]
    rewrite(copy, index={**index, part: {**index[part], "planted": numbers}})
    with pytest.raises(BundleError) as refused:
        Rulepack.load(copy)
    assert refused.value.code == "bundle.fact"


def test_a_row_is_one_object_however_it_is_reached_and_whoever_asks_first():
    """What a name's own rows are is told by identity, so two threads must not make one row twice."""
    fresh = Bundle.from_bytes((shipped_folder() / "bundle.json").read_bytes())
    keys = list(fresh.names)[::7]
    with ThreadPoolExecutor(8) as pool:
        asked = list(pool.map(lambda turn: [fresh.names[key] for key in keys[:: 1 if turn % 2 else -1]], range(8)))
    for turn, names in enumerate(asked):
        assert all(mine is first for mine, first in zip(names[:: 1 if turn % 2 else -1], asked[1], strict=True))
    for name in asked[0]:
        listed = {id(row) for composition in name.compositions for row in fresh.products.get(composition, ())}
        assert {id(row) for row in name.rows} <= listed


def test_names_and_products_are_whole_mappings():
    names, products = bundle().names, bundle().products
    assert (len(list(names)), len(list(products))) == (len(names), len(products))
    assert list(names) == sorted(names)
    assert all(names[key].key == key for key in names)
    assert all(row.molecules == molecules for molecules, rows in products.items() for row in rows)
    for absent in ("notamolecule", "", None):
        assert absent not in names
        assert names.get(absent) is None
    assert ("notamolecule",) not in products
    assert products.get(("notamolecule",)) is None


@pytest.mark.parametrize(
    ("manifest", "code"),
    [
        ("{", "rulepack.not_json"),
        ("[]", "rulepack.not_json"),
        ("{}", "bundle.manifest"),
        ('{"jurisdiction": "in"}', "bundle.manifest"),
        ('{"jurisdiction": "in", "bundle_sha256": "00"}', "bundle.tampered"),
    ],
)
def test_a_manifest_that_vouches_for_nothing_is_refused(copy, manifest, code):
    (copy / "manifest.json").write_text(manifest, "utf-8")
    with pytest.raises(BundleError) as refused:
        Rulepack.load(copy)
    assert refused.value.code == code


@pytest.mark.parametrize("jurisdiction", ["xx", "", "../in", "in/", "IN", "shared", ("in", "xx")])
def test_a_jurisdiction_that_is_not_shipped_is_refused(jurisdiction):
    with pytest.raises(BundleError) as refused:
        Rulepack.default(jurisdiction)
    assert refused.value.code == "bundle.jurisdiction"


# ---- the pitfalls, at look-up ---------------------------------------------------------------------------------


def strength_verdict(line: str, name: str, strength: str) -> tuple[str, str]:
    report = verify(
        Extraction("prescription", {"medications": [{"name": name, "strength": strength, "frequency": "OD"}]}),
        SourceDocument(f"Rx\n1. {line} OD x 5 days\n"),
    )
    found = [f for f in report.findings if f.field_path == "$.medications[0].strength" and f.check_id.startswith("reference.")]
    return found[0].verdict.name, found[0].message


def bundle() -> Bundle:
    return Rulepack.default().bundle


def compositions(name: str) -> set[tuple[str, ...]]:
    entry = bundle().names.get(name_key(name))
    return set(entry.compositions) if entry is not None else set()


@pytest.mark.parametrize(
    ("strength", "verdict", "told"),
    [
        ("50 mg", "PASS", "attested for the product"),
        ("100 mg", "PASS", "curated facts alone"),
        ("75 mg", "ABSTAIN", "not attested"),
        ("5000 mg", "FAIL", "ten times"),
        ("50 IU", "FAIL", "another dimension"),
    ],
)
def test_pitfall_1_absence_is_not_evidence(strength, verdict, told):
    found, message = strength_verdict(f"Tab Losartan {strength}", "Losartan", strength)
    assert (found, told in message) == (verdict, True)


@pytest.mark.parametrize(
    ("name", "strength", "verdict"),
    [
        # One listed strength (50 mg) and a curated one: together no range that refutes at ten times.
        ("Azathioprine", "1000 mg", "ABSTAIN"),
        ("Azathioprine", "6000 mg", "FAIL"),
        # Curated 10 mg beside the listed 70 mg: nothing above a hundredth of it is refuted.
        ("Alendronic acid", "0.5 mg", "ABSTAIN"),
        ("Alendronic acid", "0.05 mg", "FAIL"),
    ],
)
def test_a_curated_strength_widens_the_range_that_refutes_and_never_narrows_it(name, strength, verdict):
    assert strength_verdict(f"Tab {name} {strength}", name, strength)[0] == verdict


def test_pitfall_2_base_and_salt_strengths_of_one_tablet_are_both_attested():
    for strength in ("150 mg", "250 mg"):
        assert strength_verdict(f"Tab Chloroquine {strength}", "Chloroquine", strength)[0] == "PASS"
    assert compositions("cefuroxime") != compositions("cefuroxime axetil")


def test_pitfall_3_an_isomer_is_another_drug():
    assert compositions("levamlodipine") == compositions("s-amlodipine") != compositions("amlodipine")
    assert strength_verdict("Tab Levamlodipine 2.5 mg", "Levamlodipine", "2.5 mg")[0] == "PASS"
    assert strength_verdict("Tab Levamlodipine 10 mg", "Levamlodipine", "10 mg")[0] == "ABSTAIN"


@pytest.mark.parametrize("label", ["625", "625 mg", "500/125", "500 mg + 125 mg", "500+125 mg"])
def test_pitfall_4_the_sum_and_the_pair_both_name_a_combination(label):
    assert strength_verdict(f"Tab Amoxyclav {label}", "Amoxyclav", label)[0] == "PASS"


def test_pitfall_5_a_pack_is_no_denominator():
    for row in bundle().products[("azithromycin",)]:
        if row.form == "oral_suspension" and row.citation.startswith("pmbjp"):
            assert row.components[0].per_unit in (None, "mL")
            assert row.components[0].per_value != 15


def test_pitfall_6_percent_is_not_converted():
    assert {c.unit for row in bundle().products[("mupirocin",)] for c in row.components} == {"%"}


def test_pitfall_8_iu_and_unit_are_one_unit():
    # Written out: U alone is misread as a nought.
    for unit in ("IU", "units"):
        assert strength_verdict(f"Inj Insulin Glargine 100 {unit}/mL", "Insulin Glargine", f"100 {unit}/mL")[0] == "PASS"


def test_pitfall_11_drops_are_not_the_syrup():
    forms = {(row.form, row.components[0].value / (row.components[0].per_value or 1)) for row in bundle().products[("paracetamol",)]}
    assert ("oral_drops", 100) in forms
    assert not {value for form, value in forms if form == "syrup"} & {100}


def test_pitfall_12_and_13_prefixes_and_suffixes_are_part_of_the_name():
    assert compositions("Pan-D") == {("domperidone", "pantoprazole")}
    assert compositions("Pan") == {("pantoprazole",)}
    assert compositions("Urimax-D") == {("dutasteride", "tamsulosin")}
    assert compositions("S-Amlong") == {("levamlodipine",)}
    assert compositions("Amlong") == {("amlodipine",)}


def test_pitfall_14_plain_and_prolonged_are_two_products():
    releases = {row.release for row in bundle().products[("metformin",)] if row.form == "tablet" and row.components[0].value == 500}
    assert {"", "prolonged"} <= releases


def test_pitfall_16_a_misspelling_of_the_list_is_known_and_another_is_not():
    assert compositions("vildaglipitin") == {("vildagliptin",)}
    assert not compositions("vildaglyptin")


def test_pitfall_18_the_bundle_says_nothing_about_lawfulness():
    raw = unpacked(shipped())
    words = {key for row in [*raw["products"], *raw["brands"]] for key in row} | raw.keys()
    assert not words & {"banned", "approved", "schedule", "legal", "status"}


def test_pitfall_20_a_finding_names_the_editions_searched():
    _, message = strength_verdict("Tab Losartan 75 mg", "Losartan", "75 mg")
    assert "curated-2026-12, nppa-2022-08, pmbjp-2026-07" in message
