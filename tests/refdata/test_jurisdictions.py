"""India, the USA, and both at once: what is loaded, what is refused, what a finding says it searched."""

from __future__ import annotations

import hashlib
import json
import shutil

import pytest

from medfence_guard import BundleError, ContractError, Extraction, Rulepack, SourceDocument, verify
from medfence_guard.bundle import Bundle, name_key
from medfence_guard.bundle_union import union
from medfence_guard.cli import main
from medfence_guard.rulepack import shipped_folder, shipped_jurisdictions

US_EDITIONS = "curated-us-2026-12, drugsatfda-2022-05"


def findings(line: str, rulepack: Rulepack | None, **claim: object) -> dict[str, tuple[str, str]]:
    report = verify(Extraction("prescription", {"medications": [claim]}), SourceDocument(f"Rx\n1. {line}\n"), rulepack)
    return {f"{f.check_id} {f.field_path.rpartition('.')[2]}": (f.verdict.name, f.message) for f in report.findings}


def test_the_shipped_ones_are_india_and_the_usa():
    assert shipped_jurisdictions() == ("in", "us")
    import medfence_refdata

    assert shipped_jurisdictions() == medfence_refdata.JURISDICTIONS


@pytest.mark.parametrize("code", ["in", "us"])
def test_each_is_itself(code):
    rulepack = Rulepack.default(code)
    assert (rulepack.jurisdiction, rulepack.bundle.jurisdiction) == (code, code)
    assert rulepack.refdata_snapshot.startswith(f"{code}-2026.12:")
    assert rulepack is Rulepack.default((code,))


def test_both_at_once_in_any_order_are_one_rulepack():
    both = Rulepack.default(("in", "us"))
    assert both is Rulepack.default(["us", "in", "us"])
    assert both.jurisdiction == "in+us"
    assert both.refdata_snapshot.startswith("in-2026.12+us-2026.12:")
    assert len({Rulepack.default(j).version for j in ("in", "us", ("in", "us"))}) == 3
    assert set(both.bundle.editions) == set(Rulepack.default("in").bundle.editions) | set(Rulepack.default("us").bundle.editions)


@pytest.mark.parametrize("jurisdiction", [(), [], ("in", 7), 7])
def test_what_is_no_jurisdiction_is_refused(jurisdiction):
    with pytest.raises((ContractError, TypeError)):
        Rulepack.default(jurisdiction)


def test_the_lexicon_has_one_home():
    folders = {code: json.loads((shipped_folder(code) / "manifest.json").read_text("utf-8"))["lexicon"] for code in ("in", "us")}
    assert folders["us"]["folder"] == "../in/lexicon"
    assert folders["us"]["sha256"] == folders["in"]["sha256"]
    assert not (shipped_folder("us") / "lexicon").exists()
    for name, digest in folders["in"]["sha256"].items():
        assert hashlib.sha256((shipped_folder("in") / "lexicon" / f"{name}.json").read_bytes()).hexdigest() == digest


def test_one_changed_byte_of_a_lexicon_is_refused_for_both(tmp_path):
    shutil.copytree(shipped_folder("in").parent, tmp_path / "all")
    path = tmp_path / "all" / "in" / "lexicon" / "timing.json"
    path.write_bytes(path.read_bytes().replace(b" ", b"  ", 1))
    for code in ("in", "us"):
        with pytest.raises(BundleError, match=r"lexicon/timing\.json does not have the digest") as refused:
            Rulepack.load(tmp_path / "all" / code)
        assert refused.value.code == "rulepack.tampered"


@pytest.mark.parametrize("place", ["../../in/lexicon", "/etc", "..", "../in/../in/lexicon", "", None, 7])
def test_a_lexicon_elsewhere_is_refused(tmp_path, place):
    folder = shutil.copytree(shipped_folder("in"), tmp_path / "in")
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["lexicon"]["folder"] = place
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    with pytest.raises(BundleError) as refused:
        Rulepack.load(folder)
    assert refused.value.code == "bundle.manifest"


@pytest.mark.parametrize("code", ["in", "us"])
@pytest.mark.parametrize("place", [0.0, 0.3, 0.9])
def test_one_flipped_bit_of_a_bundle_is_refused(code, place):
    data = bytearray((shipped_folder(code) / "bundle.json").read_bytes())
    data[int(place * (len(data) - 1))] ^= 4
    expected = json.loads((shipped_folder(code) / "manifest.json").read_text("utf-8"))["bundle_sha256"]
    with pytest.raises(BundleError) as refused:
        Bundle.from_bytes(bytes(data), expected_digest=expected, jurisdiction=code)
    assert refused.value.code == "bundle.tampered"


def test_a_bundle_of_the_other_country_is_refused(tmp_path):
    data = (shipped_folder("us") / "bundle.json").read_bytes()
    with pytest.raises(BundleError) as refused:
        Bundle.from_bytes(data, jurisdiction="in")
    assert refused.value.code == "bundle.jurisdiction"
    folder = shutil.copytree(shipped_folder("in"), tmp_path / "in")
    (folder / "bundle.json").write_bytes(data)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    (folder / "manifest.json").write_text(json.dumps({**manifest, "bundle_sha256": hashlib.sha256(data).hexdigest()}), "utf-8")
    with pytest.raises(BundleError) as refused:
        Rulepack.load(folder)
    assert refused.value.code == "bundle.jurisdiction"


# ---- what each knows ------------------------------------------------------------------------------------------


def meant(jurisdiction: object, name: str) -> set[str]:
    entry = Rulepack.default(jurisdiction).bundle.names.get(name_key(name))
    return {" + ".join(molecules) for molecules in entry.compositions} if entry is not None else set()


def test_one_name_sold_for_two_medicines_is_ambiguous_where_both_are_searched():
    assert meant("in", "Glynase") == {"glipizide"}
    assert meant("us", "Glynase") == {"glibenclamide"}
    assert meant(("in", "us"), "Glynase") == {"glipizide", "glibenclamide"}
    claim = {"name": "glipizide", "strength": "5 mg", "frequency": "OD"}
    assert findings("Tab Glynase 5 mg OD", Rulepack.default(("in", "us")), **claim)["grounding.name name"][0] == "ABSTAIN"


@pytest.mark.parametrize("name", ["paracetamol", "acetaminophen", "salbutamol", "albuterol", "furosemide", "insulin glargine"])
def test_a_molecule_is_one_thing_in_both_countries(name):
    assert meant("in", name) == meant("us", name) == meant(("in", "us"), name) != set()


def test_a_list_that_names_the_brand_outranks_a_curated_row():
    known = {j: Rulepack.default(j).bundle.names["zoloft"].grade for j in ("in", "us")}
    assert known == {"in": "curated", "us": "regulator"}
    assert Rulepack.default(("in", "us")).bundle.names["zoloft"].grade == "regulator"


def test_the_union_knows_what_each_knows_and_no_more():
    both, parts = Rulepack.default(("in", "us")).bundle, [Rulepack.default(code).bundle for code in ("in", "us")]
    assert set(both.names) == set(parts[0].names) | set(parts[1].names)
    assert set(both.products) == set(parts[0].products) | set(parts[1].products)
    for molecules in list(both.products)[::40]:
        assert both.products[molecules] == tuple(row for part in parts for row in part.products.get(molecules, ()))
    assert len(both.names) == len(set(both.names))
    assert "no such name" not in both.names
    with pytest.raises(KeyError):
        both.names["no such name"]
    assert both.insulins == parts[0].insulins | parts[1].insulins
    assert union([parts[0]]) is parts[0]
    assert union(parts).digest == union(parts[::-1]).digest


# ---- at verify ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "claim"),
    [
        ("Lisinopril 10 mg tablet once daily", {"name": "lisinopril", "strength": "10 mg", "frequency": "once daily"}),
        ("Zoloft 50 mg once daily", {"name": "sertraline", "strength": "50 mg", "frequency": "once daily"}),
        (
            "Metoprolol succinate ER 50 mg daily",
            {"name": "metoprolol succinate", "strength": "50 mg", "frequency": "daily", "release": "ER"},
        ),
        ("Levothyroxine 75 mcg daily", {"name": "levothyroxine", "strength": "75 mcg", "frequency": "daily"}),
        (
            "Hydrocodone-acetaminophen 5 mg/325 mg tablet BID",
            {"name": "hydrocodone-acetaminophen", "strength": "5 mg/325 mg", "frequency": "BID"},
        ),
        ("Mounjaro 5 mg/0.5 mL once weekly", {"name": "tirzepatide", "strength": "5 mg/0.5 mL", "frequency": "once weekly"}),
    ],
)  # fmt: skip
def test_a_faithful_american_order_is_attested(line, claim):
    said = findings(line, Rulepack.default("us"), **claim)
    assert said["grounding.name name"][0] == "PASS", said
    assert said["grounding.strength strength"][0] == "PASS", said
    reference = said.get("reference.dose_in_range strength") or said["reference.curated_only strength"]
    assert reference[0] == "PASS", said


@pytest.mark.parametrize(("strength", "verdict"), [("80/4.5", "PASS"), ("160/4.5", "PASS"), ("80/9", "ABSTAIN"), ("0.8/4.5", "ABSTAIN")])
def test_puffs_called_by_their_micrograms_are_attested_where_the_list_prints_milligrams(strength, verdict):
    line = f"Budesonide-formoterol {strength} inhaler 2 puffs BID"
    said = findings(line, Rulepack.default("us"), name="budesonide-formoterol", strength=strength, dose="2 puffs", frequency="BID")
    assert said["reference.dose_in_range strength"][0] == verdict, said


@pytest.mark.parametrize(
    ("line", "claim", "verdict"),
    [
        ("Lisinopril 10 mg daily", ("lisinopril", "20 mg"), "grounding.strength strength FAIL"),
        ("Zoloft 50 mg daily", ("citalopram", "50 mg"), "grounding.name name FAIL"),
        ("Lisinopril 37 mg daily", ("lisinopril", "37 mg"), "reference.dose_in_range strength ABSTAIN"),
        ("Lisinopril 5000 mg daily", ("lisinopril", "5000 mg"), "reference.dose_in_range strength FAIL"),
    ],
)
def test_an_american_fault_is_caught(line, claim, verdict):
    said = findings(line, Rulepack.default("us"), name=claim[0], strength=claim[1], frequency="daily")
    check, field, word = verdict.split(" ")
    assert said[f"{check} {field}"][0] == word, said


@pytest.mark.parametrize(
    ("jurisdiction", "searched"),
    [("us", US_EDITIONS), ("in", "curated-2026-12, nppa-2022-08, pmbjp-2026-07"), (("in", "us"), f"curated-2026-12, {US_EDITIONS}, nppa")],
)
def test_a_finding_names_the_editions_searched(jurisdiction, searched):
    claim = {"name": "Xyzolin", "strength": "5 mg", "frequency": "OD"}
    assert searched in findings("Tab Xyzolin 5 mg OD", Rulepack.default(jurisdiction), **claim)["reference.unknown_name name"][1]


# ---- at the terminal ------------------------------------------------------------------------------------------


@pytest.fixture
def run(capsys, tmp_path):
    (tmp_path / "note.txt").write_text("Tab Singulair 10 mg OD\n", "utf-8")
    claim = {"medications": [{"name": "Singulair", "strength": "10 mg", "frequency": "OD"}]}
    (tmp_path / "claim.json").write_text(json.dumps(claim), "utf-8")

    def run(*argv: object) -> tuple[int, str, str]:
        code = main([*map(str, argv)])
        said = capsys.readouterr()
        return code, said.out, said.err

    run.files = ["--source", tmp_path / "note.txt", "--extraction", tmp_path / "claim.json"]
    return run


def test_verify_takes_a_jurisdiction(run):
    codes = {}
    for jurisdiction in (None, "in", "us", "in,us"):
        option = [] if jurisdiction is None else ["--jurisdiction", jurisdiction]
        code, out, err = run("verify", *run.files, "--json", *option)
        report = json.loads(out)
        assert err == ""
        codes[jurisdiction] = (code, report["refdata_snapshot"].partition(":")[0])
    assert codes["us"] == (0, "us-2026.12")
    assert codes["in,us"] == (0, "in-2026.12+us-2026.12")
    assert codes[None] == codes["in"]
    assert codes["in"][1] == "in-2026.12"


@pytest.mark.parametrize("jurisdiction", ["xx", "", "in,", "us in", "../in"])
def test_verify_refuses_what_is_not_shipped(run, jurisdiction):
    code, out, err = run("verify", *run.files, "--jurisdiction", jurisdiction)
    assert (code, out) == (2, "")
    assert "there are: in, us" in err


def test_verify_refuses_a_rulepack_of_another_jurisdiction(run):
    assert run("verify", *run.files, "--rulepack", shipped_folder("us"), "--jurisdiction", "us")[0] == 0
    code, out, err = run("verify", *run.files, "--rulepack", shipped_folder("us"), "--jurisdiction", "in")
    assert (code, out) == (2, "")
    assert "bundle.jurisdiction" in err


def test_refdata_verify_checks_every_shipped_bundle(run):
    code, out, _ = run("refdata", "verify")
    assert code == 0
    assert [line.split(",")[0] for line in out.splitlines()] == ["intact: in-2026.12", "intact: us-2026.12"]
    code, out, _ = run("refdata", "verify", "--jurisdiction", "us")
    assert (code, out.count("\n")) == (0, 1)
    assert run("refdata", "verify", "--jurisdiction", "xx")[0] == 2
    assert run("refdata", "verify", shipped_folder("us"), "--jurisdiction", "in")[0] == 2


def test_refdata_show_searches_where_it_is_told(run):
    assert run("refdata", "show", "Lipitor", "--jurisdiction", "us")[1].endswith(f"searched us-2026.12 ({US_EDITIONS})\n")
    assert run("refdata", "show", "Xarelto", "--jurisdiction", "us")[0] == 0
    assert run("refdata", "show", "osimertinib")[0] == 1
    code, out, _ = run("refdata", "show", "Glynase", "--jurisdiction", "in,us")
    assert code == 0
    assert "AMBIGUOUS, one name for 2 compositions: glipizide; glibenclamide" in out


def test_refdata_diff_knows_the_shipped_ones_by_their_code(run):
    code, out, _ = run("refdata", "diff", "us", "us")
    assert (code, "products: 0 added, 0 removed, 0 changed" in out) == (0, True)
    code, out, _ = run("refdata", "diff", "in", "us")
    assert code == 1
    assert out.startswith("- in-2026.12:")


def test_refdata_gaps_leaves_out_what_the_other_country_knows(run, tmp_path):
    claim = {"name": "Xarelto", "strength": "20 mg", "frequency": "OD"}
    unknown = {"name": "Zorbitel", "strength": "20 mg", "frequency": "OD"}
    (tmp_path / "reports").mkdir()
    for number, item in enumerate((claim, unknown)):
        source = SourceDocument(f"Rx\n1. Tab {item['name']} 20 mg OD\n")
        report = verify(Extraction("prescription", {"medications": [item]}), source, Rulepack.default("in"))
        (tmp_path / "reports" / f"{number}.json").write_text(report.to_json(), "utf-8")
    _, here, _ = run("refdata", "gaps", tmp_path / "reports", "--jurisdiction", "us")
    assert [line.split(",")[0] for line in here.splitlines()[1:]] == ["Zorbitel"]


def test_a_formulary_extends_the_bundle_of_its_country(run, tmp_path):
    (tmp_path / "list.csv").write_text("name,generic,strength,form\nZorbitel,acetaminophen,500 mg,tablet\n", "utf-8")
    code, _, err = run("refdata", "import", tmp_path / "list.csv", "--out", tmp_path / "city", "--jurisdiction", "us")
    assert (code, err) == (0, "")
    rulepack = Rulepack.load(tmp_path / "city")
    assert rulepack.jurisdiction == "us"
    assert rulepack.bundle.names["zorbitel"].compositions == (("paracetamol",),)
    assert rulepack.lexicon_digest == Rulepack.default("us").lexicon_digest
    other = ["--out", tmp_path / "b", "--base", tmp_path / "city", "--jurisdiction", "in"]
    code, _, err = run("refdata", "import", tmp_path / "list.csv", *other)
    assert code == 2
    assert "bundle.jurisdiction" in err
