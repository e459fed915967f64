"""Writes `docs/hazards.md` from the check records and the table below: `python docs/build_hazards.py [--check]`.

A hazard names the checks that control it; what a check does is taken from its record, so the page cannot drift from the code. A check
that controls no hazard, a hazard with an unknown check, and a test that does not exist are refused. `--check` compares and writes nothing.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "hazards.md"
VECTORS = "tests/checks/vectors/"


@dataclass(frozen=True)
class Hazard:
    """One way to be harmed by a wrong record. checks: ids that control it. tests: files, relative to the repository."""

    id: str
    what: str
    harm: str
    checks: tuple[str, ...]
    tests: tuple[str, ...]
    residual: str


def vectors(*names: str) -> tuple[str, ...]:
    return tuple(f"{VECTORS}{name}.jsonl" for name in names)


HAZARDS = (
    Hazard(
        "H01",
        "wrong medicine",
        "a medicine nobody ordered is given, or the ordered one is not",
        ("grounding.name", "reference.drug_exists", "reference.unknown_name", "reference.look_alike", "reference.curated_only"),
        vectors("grounding.name.suffix", "fault.fuzzy_name", "reference.unknown_name", "reference.look_alike", "reference.brand_generic"),
        "The source itself may name the wrong medicine. A name in no bundle is held, so a new medicine costs a review.",
    ),
    Hazard(
        "H02",
        "invented medicine",
        "an unordered medicine is given",
        ("grounding.no_orphans",),
        vectors("fault.fabricated"),
        "Text of another patient on the same page is held only where it is recognised as such.",
    ),
    Hazard(
        "H03",
        "lost, doubled or merged medicine",
        "an ordered medicine is not given, or given twice",
        (
            "completeness.omitted",
            "completeness.duplicated",
            "completeness.merged",
            "completeness.unlisted_set",
            "completeness.unread_line",
            "completeness.unread_remark",
        ),
        vectors("completeness.omitted", "completeness.duplicated", "reader.never_merge", "completeness.collective"),
        "A line the OCR engine lost entirely is in no source and cannot be missed.",
    ),
    Hazard(
        "H04",
        "wrong strength or unit",
        "overdose or underdose, up to a thousandfold (mg for mcg)",
        ("grounding.strength", "grounding.unit_integrity", "grounding.dosage", "reference.dose_in_range"),
        vectors(
            "fault.unit_swap",
            "fault.strength_altered",
            "fault.decimal_loss",
            "fault.decimal_naked",
            "fault.trailing_zero",
            "grounding.unit_integrity",
        ),
        "A strength that is marketed and confidently misread by OCR in the source is copied faithfully.",
    ),
    Hazard(
        "H05",
        "wrong dose",
        "overdose or underdose",
        ("grounding.dose", "grounding.max_dose"),
        vectors("grounding.dose", "grounding.regimen", "schema.derived"),
        "Whether the dose suits the patient is never judged.",
    ),
    Hazard(
        "H06",
        "wrong frequency, time or duration",
        "overdose, underdose, or treatment that stops too early or goes on too long",
        ("grounding.frequency", "grounding.duration", "grounding.sequence", "grounding.text", "completeness.lost_step"),
        vectors(
            "grounding.frequency.matrix", "grounding.slots", "grounding.duration.wrong", "grounding.regimen", "reader.frequency.ambiguous"
        ),
        "Abbreviations with two attested readings are held, even where the prescriber's habit is known locally.",
    ),
    Hazard(
        "H07",
        "as-needed order read as regular, or the reverse",
        "sedation, bleeding, or pain left untreated",
        ("grounding.as_needed",),
        vectors("grounding.prn"),
        "An as-needed word the lexicon does not know is residue, and held.",
    ),
    Hazard(
        "H08",
        "wrong form, release or route",
        "a tablet injected, a slow release crushed, a drop in the wrong place",
        ("grounding.form", "grounding.release", "grounding.route", "reference.dose_form_valid"),
        vectors("grounding.form", "grounding.release", "grounding.route"),
        "A route implied by the form is accepted only where the form has one route.",
    ),
    Hazard(
        "H09",
        "wrong side or site",
        "treatment of the wrong eye, ear or limb",
        ("grounding.site",),
        vectors("grounding.text"),
        "OD as `right eye` and as `once daily` is held.",
    ),
    Hazard(
        "H10",
        "stopped, refused or historical medicine recorded as active",
        "allergy, interaction with its replacement, double therapy",
        (
            "assertion.active",
            "assertion.stopped",
            "assertion.held",
            "assertion.not_taking",
            "assertion.past",
            "assertion.allergy",
            "assertion.avoid",
            "assertion.status",
            "assertion.cue_conflict",
        ),
        vectors("assertion.stopped", "assertion.allergy", "assertion.superseded", "assertion.cue_conflict", "assertion.status"),
        "A cue outside the lexicon that is neither a digit nor near the statement may be passed over; "
        "unread words of the statement are held (`grounding.residue`).",
    ),
    Hazard(
        "H11",
        "another person's or a merely considered medicine recorded as this patient's",
        "an unordered medicine is given",
        ("assertion.family", "assertion.several_persons", "assertion.hypothetical", "assertion.conditional", "assertion.undecided"),
        vectors("assertion.family", "assertion.hypothetical", "source.persons"),
        "One page with two patients and no heading cannot be told apart.",
    ),
    Hazard(
        "H12",
        "invented indication, instruction, quantity or document data",
        "wrong advice, wrong supply, the record of another patient or day",
        ("grounding.text_verbatim", "grounding.quote", "grounding.quantity", "grounding.refills", "grounding.document"),
        vectors("grounding.text", "schema.derived"),
        "Document data is only compared verbatim; another spelling is held.",
    ),
    Hazard(
        "H13",
        "a part of the order that nobody read, or that the record does not carry",
        "a stop word, a condition, a meal or a second regimen is lost",
        ("grounding.residue", "completeness.field_omitted", "completeness.not_carried"),
        vectors("grounding.residue", "reader.hindi", "grounding.regimen"),
        "The vocabulary of ignorable words is reviewed data; a harmful word in it would be ignored.",
    ),
    Hazard(
        "H14",
        "unreadable, doubtful or manipulated source read as certain",
        "any of the above, from a misread page or from text planted in it",
        (
            "source.confidence",
            "source.confidence_floor",
            "source.confidence_missing",
            "source.hidden_characters",
            "source.interleaved_columns",
            "assertion.addresses_a_model",
        ),
        vectors("source.confidence", "source.word_confidence", "source.hidden_characters", "source.injection"),
        "A confident misreading of a marketed name and strength passes; the thresholds are measured on one corpus.",
    ),
    Hazard(
        "H15",
        "values nobody checked",
        "an unverified field is acted upon as if verified",
        (
            "schema.malformed",
            "schema.limits",
            "schema.empty",
            "schema.unmapped_key",
            "schema.type",
            "schema.role",
            "schema.not_checked",
            "schema.unknown_artifact",
        ),
        vectors("schema.malformed", "schema.role", "schema.shapes"),
        "Paths the deployer excludes (`with_unverified`) are named first in report, page and audit, and are not checked.",
    ),
    Hazard(
        "H16",
        "release without a verdict or a decision",
        "any of the above reaches the patient",
        (),
        ("tests/release/test_handler_table.py", "tests/release/test_outcome_machine.py", "tests/release/test_leaks.py"),
        "A caller that ignores `released` and uses its own copy of the payload is outside the fence.",
    ),
    Hazard(
        "H17",
        "a release that cannot be traced, or a trace that was changed",
        "harm is not found, and repeats",
        (),
        ("tests/release/test_audit_attacks.py", "tests/release/test_audit_crash.py"),
        "Truncation and rewriting with the key are seen only with an anchor kept elsewhere.",
    ),
    Hazard(
        "H18",
        "health data in logs",
        "disclosure",
        (),
        ("tests/release/test_audit_privacy.py", "tests/release/test_leaks.py"),
        "Minimised is not anonymous; the queue and kept inputs are health data.",
    ),
)

SCHEMA = {
    "schema.malformed": "The payload must be strict JSON; nothing is repaired.",
    "schema.limits": "A payload, field or list too large to be verified is not read.",
    "schema.empty": "A payload without a claim proves nothing.",
    "schema.unmapped_key": "A key that maps to no field is held, never ignored.",
    "schema.type": "A value of a kind its field cannot have is held.",
    "schema.role": "A value in the wrong field (a dose under strength) is held.",
    "schema.not_checked": "Names every path the rulepack was told to leave unverified.",
    "schema.unknown_artifact": "An artifact type nobody described is held.",
}
"""Family S is the payload reader itself, which has no check records."""

HEAD = """# Hazards, checks, tests, residual risk

Generated by `python docs/build_hazards.py` from the check records; do not edit. It is meant to be copied into the risk management file of a
product that uses this library (ISO 14971: the checks are protective measures; the reviewer's page is information for safety). Severity and
probability are not estimated here: they depend on the use.

| hazard | harm | checks | tests | residual risk |
|---|---|---|---|---|
"""


def records() -> dict[str, str]:
    """Every check id that a finding can carry -> what its check does, from the records and, for family S, from the payload reader."""
    from medfence_guard.checks import ALL_CHECKS

    told = {record.id: record.what for record in ALL_CHECKS}
    for record in ALL_CHECKS:
        for emitted in record.emits:
            told.setdefault(emitted, "")
    core = ROOT / "medfence_guard"
    reading = [*sorted((core / "payload").glob("*.py")), core / "verify.py"]
    read = {found for path in reading for found in re.findall(r'"(schema\.[a-z_]+)"', path.read_text(encoding="utf-8"))}
    return told | {check_id: SCHEMA.get(check_id, "") for check_id in read}


def problems(known: dict[str, str]) -> list[str]:
    """What keeps the table from being true."""
    controlled = {check_id for hazard in HAZARDS for check_id in hazard.checks}
    found = [f"check {check_id} controls no hazard" for check_id in sorted(known.keys() - controlled)]
    found += [f"no such check: {check_id}" for check_id in sorted(controlled - known.keys())]
    found += [f"no such test: {test}" for hazard in HAZARDS for test in hazard.tests if not (ROOT / test).is_file()]
    return found


def page(known: dict[str, str]) -> str:
    """The page's text."""
    rows = []
    for hazard in HAZARDS:
        checks = ", ".join(f"`{check_id}`" for check_id in hazard.checks) or "the release rules"
        tests = ", ".join(f"`{test.removeprefix(VECTORS)}`" for test in hazard.tests)
        rows.append(f"| **{hazard.id}** {hazard.what} | {hazard.harm} | {checks} | {tests} | {hazard.residual} |\n")
    told = [f"| `{check_id}` | {what} |\n" for check_id, what in sorted(known.items()) if what]
    tail = f"\nTests without a folder are in `{VECTORS}`.\n\n## What each check does\n\n| check | what it does |\n|---|---|\n"
    return HEAD + "".join(rows) + tail + "".join(told)


def main() -> int:
    """Write the page, or with `--check` compare it."""
    sys.path.insert(0, str(ROOT))
    known = records()
    wrong = problems(known)
    if not wrong and "--check" in sys.argv[1:]:
        wrong = [] if PAGE.read_text(encoding="utf-8") == page(known) else ["docs/hazards.md is not what the script writes; run it"]
    elif not wrong:
        PAGE.write_text(page(known), encoding="utf-8")
    sys.stderr.write("".join(f"{each}\n" for each in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
