"""`medfence-guard refdata verify, show, diff, gaps`: what a person at a terminal sees, and the exit codes."""

from __future__ import annotations

import csv
import io
import json
import shutil

import pytest

from medfence_guard import Extraction, Fence, Rulepack, SourceDocument, verify
from medfence_guard.bundle_file import packed, unpacked
from medfence_guard.cli import main
from medfence_guard.formulary import COLUMNS
from medfence_guard.refdata_answers import describe, difference, gaps_csv, gaps_of
from medfence_guard.release import ReviewQueue
from medfence_guard.rulepack import shipped_folder

EDITIONS = "in-2026.12 (curated-2026-12, nppa-2022-08, pmbjp-2026-07)"


@pytest.fixture
def run(capsys):
    def run(*argv):
        code = main(["refdata", *map(str, argv)])
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    return run


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(shipped_folder(), tmp_path / "in")


def raw_bundle() -> dict:
    return unpacked(json.loads((shipped_folder() / "bundle.json").read_text("utf-8")))


# ---- verify ---------------------------------------------------------------------------------------------------


def test_the_shipped_bundle_is_intact(run, copy):
    digest = json.loads((copy / "manifest.json").read_text("utf-8"))["bundle_sha256"]
    for argv in ([copy], [copy / "bundle.json"], ["--jurisdiction", "in"]):
        code, out, err = run("verify", *argv)
        assert (code, err) == (0, "")
        assert out == f"intact: in-2026.12, jurisdiction in, medfence-bundle/2, 10045 products, sha256 {digest}\n"


def flip(folder):
    data = bytearray((folder / "bundle.json").read_bytes())
    data[1000] ^= 1
    (folder / "bundle.json").write_bytes(bytes(data))


def with_manifest(**changes):
    def change(folder):
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        (folder / "manifest.json").write_text(json.dumps({**manifest, **changes}), "utf-8")

    return change


def broken_lexicon(folder):
    (folder / "lexicon" / "forms.json").write_text("{", "utf-8")


@pytest.mark.parametrize(
    ("damage", "argv", "told"),
    [
        (flip, [], "bundle.tampered"),
        (with_manifest(bundle_sha256="0" * 64), [], "bundle.tampered"),
        (with_manifest(jurisdiction="us"), [], "bundle.jurisdiction"),
        (with_manifest(jurisdiction=None), [], "does not name"),
        (lambda folder: (folder / "manifest.json").unlink(), [], "cannot be checked"),
        (lambda folder: (folder / "manifest.json").write_text("x"), [], "manifest.json is not JSON"),
        (lambda folder: (folder / "bundle.json").unlink(), [], "cannot be read"),
        (lambda folder: (folder / "lexicon" / "units.json").unlink(), [], "cannot read units.json"),
        (broken_lexicon, [], "lexicon/forms.json does not have the digest"),
        (with_manifest(lexicon=None), [], "does not name its lexicon"),
        (with_manifest(lexicon={"folder": "../../etc/lexicon", "sha256": {}}), [], "does not name its lexicon"),
        (lambda folder: None, ["--jurisdiction", "us"], "not for jurisdiction 'us'"),
    ],
)
def test_a_damaged_bundle_is_refused_in_one_line(run, copy, damage, argv, told):
    damage(copy)
    code, out, err = run("verify", copy, *argv)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not JSON"),
        ("[]", "does not say schema"),
        ('{"schema": "other/1"}', "does not say schema"),
        ('{"schema": "medfence-bundle/2", "jurisdiction": "in"}', "wrong shape"),
        ('{"schema": "medfence-bundle/2", "products": [], "brands": [], "molecules": [], "jurisdiction": "in"}', "wrong shape"),
        ("[" * 100_000, ""),
    ],
)
def test_a_file_that_is_no_bundle_is_refused_in_one_line(run, tmp_path, text, told):
    (tmp_path / "other.json").write_text(text, "utf-8")
    code, out, err = run("show", "paracetamol", "--bundle", tmp_path / "other.json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert told in err


# ---- show -----------------------------------------------------------------------------------------------------


def test_a_molecule_is_shown_with_its_products_and_where_each_is_written(run):
    code, out, _ = run("show", "telmisartan")
    assert code == 0
    assert out.startswith("telmisartan (molecule), regulator: nppa-2022-08#p20/12.3.9\n  means telmisartan\n")
    assert "  40 mg  tablet  [regulator, nppa-2022-08#p20/12.3.9]\n" in out
    assert "  Telma 40  40 mg  tablet  [curated A, curated-2026-12#brand=167]\n" in out
    assert "  amlodipine + telmisartan\n" in out
    assert out.endswith(f"searched {EDITIONS}\n")


def test_a_brand_is_shown_with_its_own_products_first(run):
    code, out, _ = run("show", "Augmentin", "625", "Duo")
    assert code == 0
    assert out.startswith("Augmentin 625 Duo (brand)\n  means amoxicillin + clavulanic acid\n")
    assert "sold as:\n  Augmentin 1000 Duo  875 mg + 125 mg  tablet" in out


def test_a_salt_a_combination_name_and_a_look_alike_are_said(run):
    assert "this name says the salt: succinate" in run("show", "metoprolol succinate")[1]
    assert run("show", "cotrimoxazole")[1].startswith("co-trimoxazole (combination)")
    assert "  hydroxyzine  [lookalike-2026-12#" in run("show", "hydralazine")[1]


def test_an_ambiguous_brand_is_shown_with_all_its_meanings(run):
    code, out, _ = run("show", "mixtard")
    assert code == 0
    assert "AMBIGUOUS, one name for 2 compositions" in out


def test_an_unknown_name_says_what_was_searched(run):
    code, out, _ = run("show", "telmisarton")
    assert code == 1
    assert out.splitlines() == [
        f"telmisarton: unknown; searched {EDITIONS}",
        "names that look like it: telmisartan",
        "Unknown is not wrong: the lists are not complete.",
    ]
    assert "fewer than three letters" in run("show", "AZ")[1]
    code, out, _ = run("show", "--json", "telmisarton")
    assert (code, json.loads(out)["found"], json.loads(out)["near"]) == (1, False, ["telmisartan"])


def test_what_cannot_be_seen_is_made_visible(run):
    assert "\x1b" not in run("show", "zorbi\x1b[31m")[1]


def test_the_json_holds_what_the_text_says(run):
    code, out, _ = run("show", "--json", "Dolo 650")
    said = json.loads(out)
    assert (code, said["kind"], said["compositions"], said["ambiguous"]) == (0, "brand", [["paracetamol"]], False)
    liquids = {"Dolo 100 Drops", "Dolo 120 Suspension", "Dolo 250 Suspension"}
    assert {row["brand"] for row in said["own_products"]} == {"Dolo 500", "Dolo 650", *liquids}
    assert said["edition"] == "in-2026.12"
    assert said["digest"] == Rulepack.default().bundle.digest


def test_every_brand_of_the_bundle_can_be_shown_by_its_full_name():
    bundle, raw = Rulepack.default().bundle, raw_bundle()
    names = {row["name"] for row in raw["brands"]}
    unknown = {name for name in names if sum(char.isalpha() for char in name) >= 3 and not describe(bundle, name)["found"]}
    # What is left of these without their strength is shorter than a name may be.
    assert all(sum(char.isalpha() for char in name.split()[0]) < 3 for name in unknown), unknown


def test_every_molecule_and_alias_of_the_bundle_can_be_shown():
    bundle, raw = Rulepack.default().bundle, raw_bundle()
    for molecule, facts in raw["molecules"].items():
        for name in [molecule, *(alias["name"] for alias in facts["aliases"])]:
            said = describe(bundle, name)
            assert said["found"] or sum(char.isalpha() for char in name) < 3, name
            if said["found"]:
                assert sorted(molecule.split(" + ")) in said["compositions"]


# ---- diff -----------------------------------------------------------------------------------------------------


def test_a_bundle_does_not_differ_from_itself(run, copy):
    code, out, err = run("diff", shipped_folder(), copy)
    assert (code, err) == (0, "")
    assert "products: 0 added, 0 removed, 0 changed\n" in out


def test_added_removed_and_changed_facts_are_told_apart():
    old, new = raw_bundle(), raw_bundle()
    [gone] = [row for row in new["products"] if row["molecules"] == ["telmisartan"] and row["strengths"][0]["value"] == "80"]
    new["products"].remove(gone)
    new["products"].append({**gone, "strengths": [{**gone["strengths"][0], "value": "160"}]})
    new["molecules"]["losartan"] = {**new["molecules"]["losartan"], "grade": "curated"}
    new["molecules"]["zorbi"] = {"aliases": [], "grade": "curated", "source": ["x#1"]}
    new["brands"] = [{**row, "confidence": "B"} if row["name"] == "Telma 40" else row for row in new["brands"] if row["name"] != "Lasix"]
    found = difference(old, new)
    assert list(found["names"]["added"]) == ["zorbi"]
    assert list(found["names"]["changed"]) == ["losartan"]
    assert list(found["products"]["added"]) == ["telmisartan, 160 mg, tablet"]
    assert list(found["products"]["removed"]) == ["telmisartan, 80 mg, tablet"]
    assert list(found["brands"]["removed"]) == ["Lasix"]
    assert list(found["brands"]["changed"]) == ["Telma 40"]
    assert not any(found["look-alikes"].values())
    back = difference(new, old)
    assert back["products"]["added"] == found["products"]["removed"]


def test_diff_of_files_prints_json_and_exits_one(run, copy, tmp_path):
    raw = raw_bundle()
    raw["brands"] = [row for row in raw["brands"] if row["name"] != "Lasix"]
    (tmp_path / "new.json").write_text(json.dumps(packed(raw)), "utf-8")
    code, out, err = run("diff", copy, tmp_path / "new.json", "--json")
    assert code == 1
    assert "new.json: no manifest.json beside it" in err
    said = json.loads(out)
    assert list(said["differences"]["brands"]["removed"]) == ["Lasix"]
    assert said["old"]["digest"] != said["new"]["digest"]
    code, out, _ = run("diff", copy, tmp_path / "new.json")
    assert "brands: 0 added, 1 removed, 0 changed\n  - Lasix  furosemide, 40 mg, tablet [curated: " in out


def test_the_shipped_facts_are_all_told_apart():
    """No two products or names fall under one key, so that none can hide another."""
    raw = raw_bundle()
    found = difference({**raw, "products": [], "molecules": {}, "brands": []}, raw)
    assert len(found["products"]["added"]) == len(raw["products"])
    aliases = {alias["name"] for facts in raw["molecules"].values() for alias in facts["aliases"]}
    assert found["names"]["added"].keys() == raw["molecules"].keys() | aliases
    assert "; " in found["names"]["added"]["lisinopril dihydrate"]  # a name that two sources give is said twice
    assert len(found["brands"]["added"]) == len({row["name"] for row in raw["brands"]})


# ---- gaps -----------------------------------------------------------------------------------------------------


def report_on(*names, source_names=None, extra=""):
    lines = "".join(f"{n}. Tab {name} 40 mg OD\n" for n, name in enumerate(source_names or names, start=1))
    payload = {"medications": [{"name": name, "strength": "40 mg", "frequency": "OD"} for name in names]}
    return verify(Extraction("prescription", payload), SourceDocument(f"Rx\n{lines}{extra}"))


def rows(text):
    return [(row["name"], row["count"]) for row in csv.DictReader(io.StringIO(text))]


def test_unknown_names_of_a_folder_are_counted(run, tmp_path):
    folder = tmp_path / "reports"
    (folder / "deeper").mkdir(parents=True)
    (folder / "a.json").write_text(report_on("Zorbitel", "Telma").to_json(), "utf-8")
    (folder / "deeper" / "b.json").write_text(report_on("Zorbitel", "Qwixol").to_json() + "\n", "utf-8")
    (folder / "deeper" / "b_again.json").write_text(report_on("Zorbitel", "Qwixol").to_json(), "utf-8")
    (folder / "other.json").write_text('{"not": "a report"}', "utf-8")
    code, out, err = run("gaps", folder)
    assert code == 0
    assert out.splitlines()[0] == ",".join(COLUMNS)
    assert rows(out) == [("Zorbitel", "2"), ("Qwixol", "1")]
    assert "not a report, skipped: other.json" in err
    assert "2 unknown names in 2 reports" in err


def test_spellings_of_one_name_are_one_gap_under_the_most_frequent():
    reports = [report_on(name, extra=f"Review after {n} days\n") for n, name in enumerate(("ZORBITEL", "Zorbitel", "Zorbitel"), start=2)]
    assert gaps_of(reports, Rulepack.default().bundle).names == (("Zorbitel", 3),)


def test_a_name_that_only_the_model_wrote_is_no_gap():
    report = report_on("Qwixol", source_names=["Zorbitel"])
    gaps = gaps_of([report], Rulepack.default().bundle)
    assert "Qwixol" not in [name for name, _ in gaps.names]


def test_a_spreadsheet_does_not_run_a_name():
    report = report_on("Zorbitel")
    text = gaps_csv(gaps_of([report], Rulepack.default().bundle)).replace("Zorbitel", "")
    assert text.splitlines()[1].startswith(",")
    from medfence_guard.refdata_answers import Gaps

    assert rows(gaps_csv(Gaps((("=cmd()", 1), ("+x", 1)), 1, 0, 0))) == [("'=cmd()", "1"), ("'+x", "1")]


def test_unknown_names_of_a_review_queue_are_counted(run, tmp_path):
    path = tmp_path / "queue.sqlite"
    queue = ReviewQueue(path)
    fence = Fence(review=queue)
    for day, name in enumerate(("Zorbitel", "Zorbitel", "Qwixol"), start=3):
        payload = {"medications": [{"name": name, "strength": "40 mg", "frequency": "OD"}]}
        assert fence.check(payload, SourceDocument(f"Rx\n1. Tab {name} 40 mg OD x {day} days\n")).request is not None
    queue.close()
    code, out, _ = run("gaps", path)
    assert (code, rows(out)) == (0, [("Zorbitel", "2"), ("Qwixol", "1")])


@pytest.mark.parametrize("what", ["missing", "empty", "other", "damaged"])
def test_what_holds_no_report_is_refused_in_words(run, tmp_path, what):
    path = tmp_path / what
    if what == "empty":
        path.mkdir()
    elif what == "other":
        path.mkdir()
        (path / "x.json").write_bytes(b"\xff\x00")
    elif what == "damaged":
        path.write_bytes(b"SQLite format 3\x00" + b"\x07" * 200)
    code, out, err = run("gaps", path)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("medfence-guard: ")
