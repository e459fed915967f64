"""Which rule answers one claim about one line, how, and how gravely: the comparison ladder, the decided policies, a rule a row.

The vectors ask for verdicts; a verdict can be right for a wrong reason. After a change of wording or of a rule, this says which.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from medfence_guard import Extraction, Rulepack, Severity, SourceDocument, Verdict, VerificationReport, Word, verify

RULEPACK = Rulepack.default()
PATH = "$.medications[0]."


def judged(line: str, **claims: Any) -> VerificationReport:
    return verify(Extraction("prescription", {"medications": [claims]}), SourceDocument(line), RULEPACK)


# line, name, field, claim, and every finding at the field: check, verdict, severity, rules of its evidence
# fmt: off
CASES: tuple[tuple[str, str, str, Any, tuple[str, ...]], ...] = (
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "strength", "5 mg",
     ("grounding.strength PASS CRITICAL quantity.equal", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "strength", "10 mg",
     ("grounding.strength FAIL CRITICAL quantity.different", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "strength", "5 g",
     ("grounding.unit_integrity FAIL CRITICAL unit.swapped", "reference.dose_in_range FAIL CRITICAL reference.dose_in_range")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "strength", "0.005 g",
     ("grounding.strength PASS MINOR quantity.exact_conversion", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "strength", "5 ml",
     ("grounding.unit_integrity FAIL CRITICAL unit.other_dimension", "reference.dose_in_range ABSTAIN MAJOR reference.dose_in_range")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "strength", "5-10 mg",
     ("grounding.strength FAIL CRITICAL quantity.range_end_lost", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "strength", "5/10 mg",
     ("grounding.strength FAIL CRITICAL strength.component_lost", "reference.dose_in_range ABSTAIN MAJOR reference.dose_in_range")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "strength", "5",
     ("grounding.unit_integrity ABSTAIN MAJOR unit.not_claimed", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "strength", "5 mg/ml",
     ("grounding.unit_integrity ABSTAIN MAJOR unit.denominator_added", "reference.dose_in_range ABSTAIN MAJOR reference.dose_in_range")),
    ("Tab Amlodipine 5.0 mg OD", "Amlodipine", "strength", "5 mg",
     ("grounding.strength PASS MINOR number.trailing_zero", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Amlodipine .5 mg OD", "Amlodipine", "strength", "0.5 mg",
     ("grounding.strength PASS MINOR number.naked_decimal", "reference.dose_in_range ABSTAIN MAJOR reference.dose_in_range")),
    ("Tab Telma AM 40/5 mg OD", "Telma AM", "strength", "45 mg",
     ("grounding.strength ABSTAIN MAJOR strength.sum_of_parts", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Telma AM 40/5 mg OD", "Telma AM", "strength", "5/40 mg",
     ("grounding.strength ABSTAIN MAJOR strength.order_of_parts", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Telma AM 40/5 mg OD", "Telma AM", "strength", "40 mg",
     ("grounding.strength FAIL CRITICAL strength.component_lost", "reference.curated_only PASS MINOR reference.dose_in_range")),
    ("Tab Telma AM 40/5 mg OD", "Telma AM", "strength", "40/5 mg",
     ("grounding.strength PASS CRITICAL quantity.equal", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Syp Paracetamol 250 mg/5 ml 5 ml TDS", "Paracetamol", "strength", "250 mg",
     ("grounding.unit_integrity FAIL CRITICAL unit.denominator_dropped", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Syp Paracetamol 250 mg/5 ml 5 ml TDS", "Paracetamol", "strength", "50 mg/ml",
     ("grounding.unit_integrity ABSTAIN MAJOR unit.other_denominator", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Syp Paracetamol 250 mg/5 ml 5 ml TDS", "Paracetamol", "strength", "250 mg/5 ml",
     ("grounding.strength PASS CRITICAL quantity.equal", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Syp Paracetamol 250 mg 5 ml TDS", "Paracetamol", "strength", "250 mg/5 ml",
     ("grounding.unit_integrity ABSTAIN MAJOR unit.denominator_added", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Inj Insulin Glargine 10 units OD", "Insulin Glargine", "dose", "10 units",
     ("grounding.dose PASS CRITICAL quantity.equal",)),
    ("Inj Insulin Glargine 10 units OD", "Insulin Glargine", "dose", "10 IU",
     ("grounding.unit_integrity PASS MINOR unit.insulin_unit_is_iu",)),
    ("Syp Paracetamol 250 mg/5 ml 5 ml TDS", "Paracetamol", "dose", "5 ml",
     ("grounding.dose PASS CRITICAL quantity.equal",)),
    ("Syp Paracetamol 250 mg/5 ml 5 ml TDS", "Paracetamol", "dose", "10 ml",
     ("grounding.dose FAIL CRITICAL quantity.different",)),
    ("Syp Paracetamol 250 mg/5 ml 5 ml TDS", "Paracetamol", "dose", "1 tsp",
     ("grounding.unit_integrity FAIL CRITICAL unit.other_dimension",)),
    ("Tab Amlodipine 5 mg 1 tab OD", "Amlodipine", "dose", "2 tab",
     ("grounding.dose FAIL CRITICAL quantity.different",)),
    ("Tab Amlodipine 5 mg 1 tab OD", "Amlodipine", "dose", "1 tablet",
     ("grounding.dose PASS CRITICAL quantity.equal",)),
    ("Tab Amlodipine 5 mg OD", "Amlodipine", "dose", "1 tab",
     ("grounding.dose ABSTAIN MAJOR dose.inferred",)),
    ("Tab Amlodipine 5 mg ½-0-½", "Amlodipine", "dose", "half tablet",
     ("grounding.dose PASS MINOR dose.from_slots",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "frequency", "once daily",
     ("grounding.frequency PASS CRITICAL timing.equal",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "frequency", "BD",
     ("grounding.frequency FAIL CRITICAL timing.different",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "frequency", "1-0-0",
     ("grounding.frequency ABSTAIN MAJOR timing.slots_inferred",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "frequency", "q24h",
     ("grounding.frequency ABSTAIN MAJOR timing.interval_vs_count",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "frequency", "OD SOS",
     ("grounding.frequency PASS CRITICAL timing.equal", "grounding.frequency FAIL CRITICAL timing.prn_invented")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "frequency", "weekly",
     ("grounding.frequency FAIL CRITICAL timing.different",)),
    ("Tab Paracetamol 500 mg BD", "Paracetamol", "frequency", "1-0-1",
     ("grounding.frequency ABSTAIN MAJOR timing.slots_inferred",)),
    ("Tab Paracetamol 500 mg BD", "Paracetamol", "frequency", "q12h",
     ("grounding.frequency ABSTAIN MAJOR timing.interval_vs_count",)),
    ("Tab Paracetamol 500 mg 1-0-1", "Paracetamol", "frequency", "BD",
     ("grounding.frequency ABSTAIN MAJOR timing.slots_dropped",)),
    ("Tab Paracetamol 500 mg 1-0-1", "Paracetamol", "frequency", "1-1-0",
     ("grounding.frequency FAIL CRITICAL timing.different",)),
    ("Tab Paracetamol 500 mg 1-0-1", "Paracetamol", "frequency", "TDS",
     ("grounding.frequency FAIL CRITICAL timing.different",)),
    ("Tab Paracetamol 500 mg TDS SOS", "Paracetamol", "frequency", "TDS",
     ("grounding.frequency PASS CRITICAL timing.equal", "grounding.frequency FAIL CRITICAL timing.prn_dropped")),
    ("Tab Paracetamol 500 mg SOS", "Paracetamol", "frequency", "SOS",
     ("grounding.frequency PASS CRITICAL timing.prn",)),
    ("Tab Paracetamol 500 mg SOS", "Paracetamol", "frequency", "TDS",
     ("grounding.frequency FAIL CRITICAL timing.component_invented", "grounding.frequency FAIL CRITICAL timing.prn_dropped")),
    ("Tab Paracetamol 500 mg TDS", "Paracetamol", "frequency", "TDS SOS",
     ("grounding.frequency PASS CRITICAL timing.equal", "grounding.frequency FAIL CRITICAL timing.prn_invented")),
    ("Tab Methotrexate 7.5 mg once weekly on Monday", "Methotrexate", "frequency", "once weekly",
     ("grounding.frequency PASS CRITICAL timing.equal", "grounding.frequency FAIL CRITICAL timing.day_dropped")),
    ("Tab Methotrexate 7.5 mg once weekly", "Methotrexate", "frequency", "once daily",
     ("grounding.frequency FAIL CRITICAL timing.different",)),
    ("Tab Methotrexate 7.5 mg once weekly", "Methotrexate", "frequency", "once weekly on Monday",
     ("grounding.frequency PASS CRITICAL timing.equal", "grounding.frequency FAIL CRITICAL timing.day_invented")),
    ("Tab Metformin 500 mg 1-0-2", "Metformin", "frequency", "1-0-2",
     ("grounding.frequency PASS CRITICAL timing.equal",)),
    ("Tab Metformin 500 mg 1-0-2", "Metformin", "frequency", "BD",
     ("grounding.frequency FAIL CRITICAL timing.slots_dropped",)),
    ("Tab Paracetamol 500 mg 6 hourly", "Paracetamol", "frequency", "QID",
     ("grounding.frequency ABSTAIN MAJOR timing.interval_vs_count",)),
    ("Tab Paracetamol 500 mg 6 hourly", "Paracetamol", "frequency", "every 6 hours",
     ("grounding.frequency PASS CRITICAL timing.equal",)),
    ("Tab Paracetamol 500 mg 4-6 hourly", "Paracetamol", "frequency", "every 4 hours",
     ("grounding.frequency FAIL CRITICAL timing.different",)),
    ("Tab Amlodipine 5 mg QD", "Amlodipine", "frequency", "once daily",
     ("grounding.frequency ABSTAIN MAJOR timing.ambiguous_token",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "duration", "30 days",
     ("grounding.duration PASS CRITICAL duration.equal",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "duration", "1 month",
     ("grounding.duration ABSTAIN MAJOR duration.month_is_no_number_of_days",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "duration", "3 days",
     ("grounding.duration FAIL CRITICAL quantity.different",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "duration", "30 weeks",
     ("grounding.duration FAIL CRITICAL quantity.different",)),
    ("Tab Amlodipine 5 mg OD x 2 weeks", "Amlodipine", "duration", "14 days",
     ("grounding.duration PASS MINOR quantity.exact_conversion",)),
    ("Tab Amlodipine 5 mg OD x 5-7 days", "Amlodipine", "duration", "5 days",
     ("grounding.duration FAIL CRITICAL quantity.range_end_lost",)),
    ("Tab Amlodipine 5 mg OD", "Amlodipine", "duration", "5 days",
     ("grounding.duration FAIL CRITICAL duration.not_in_source",)),
    ("Tab Amlodipine 5 mg OD to continue", "Amlodipine", "duration", "5 days",
     ("grounding.duration FAIL CRITICAL duration.not_in_source",)),
    ("Tab Pantoprazole 40 mg OD before food", "Pantoprazole", "timing", "before food",
     ("grounding.text PASS CRITICAL timing.equal",)),
    ("Tab Pantoprazole 40 mg OD before food", "Pantoprazole", "timing", "after food",
     ("completeness.field_omitted ABSTAIN MAJOR completeness.timing", "grounding.text FAIL CRITICAL timing.meal_different")),
    ("Tab Pantoprazole 40 mg OD", "Pantoprazole", "timing", "before food",
     ("grounding.text FAIL CRITICAL timing.component_invented",)),
    ("Tab Pantoprazole 40 mg OD before breakfast", "Pantoprazole", "timing", "before food",
     ("completeness.field_omitted ABSTAIN MAJOR completeness.timing", "grounding.text ABSTAIN MAJOR timing.meal_dropped")),
    ("Tab Pantoprazole 40 mg OD HS", "Pantoprazole", "timing", "at bedtime",
     ("grounding.text PASS CRITICAL timing.equal",)),
    ("Tab Pantoprazole 40 mg OD HS", "Pantoprazole", "timing", "in the morning",
     ("completeness.field_omitted ABSTAIN MAJOR completeness.timing", "grounding.text FAIL CRITICAL timing.meal_different")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "form", "tablet",
     ("grounding.form PASS CRITICAL form.equal", "reference.dose_form_valid PASS MAJOR reference.dose_form_valid")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "form", "capsule",
     ("grounding.form FAIL CRITICAL form.different", "reference.dose_form_valid PASS MAJOR reference.dose_form_valid")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "form", "injection",
     ("grounding.form FAIL CRITICAL form.different", "reference.dose_form_valid ABSTAIN MAJOR reference.dose_form_valid")),
    ("Amlodipine 5 mg OD", "Amlodipine", "form", "tablet",
     ("grounding.form PASS MINOR form.implied_by_product", "reference.dose_form_valid PASS MAJOR reference.dose_form_valid")),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "route", "oral",
     ("grounding.route PASS MINOR route.implied_by_form",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "route", "IV",
     ("grounding.route FAIL CRITICAL route.contradicts_form",)),
    ("Inj Ceftriaxone 1 g IV BD", "Ceftriaxone", "route", "IV",
     ("grounding.route PASS CRITICAL route.equal",)),
    ("Inj Ceftriaxone 1 g IV BD", "Ceftriaxone", "route", "IM",
     ("grounding.route FAIL CRITICAL route.different",)),
    ("Inj Ceftriaxone 1 g BD", "Ceftriaxone", "route", "IV",
     ("grounding.route FAIL CRITICAL route.not_in_source",)),
    ("Tab Paracetamol 500 mg SOS", "Paracetamol", "as_needed", True,
     ("grounding.as_needed PASS CRITICAL timing.prn",)),
    ("Tab Paracetamol 500 mg SOS", "Paracetamol", "as_needed", False,
     ("grounding.as_needed FAIL CRITICAL timing.prn_dropped",)),
    ("Tab Paracetamol 500 mg TDS", "Paracetamol", "as_needed", False,
     ("grounding.as_needed PASS CRITICAL absence.read_to_the_end",)),
    ("Tab Paracetamol 500 mg TDS", "Paracetamol", "as_needed", True,
     ("grounding.as_needed FAIL CRITICAL timing.prn_invented",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "quantity", "30 tablets",
     ("grounding.quantity ABSTAIN MAJOR count.derived",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "refills", 0,
     ("grounding.refills PASS CRITICAL absence.read_to_the_end",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "refills", 2,
     ("grounding.refills FAIL CRITICAL count.not_in_source",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "status", "active",
     ("assertion.status PASS MAJOR assertion.status",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "status", "stopped",
     ("assertion.status FAIL CRITICAL assertion.status",)),
    ("Tab Amlodipine 5 mg OD, stopped", "Amlodipine", "status", "stopped",
     ("assertion.status PASS MAJOR assertion.status",)),
    ("Tab Amlodipine 5 mg OD, stopped", "Amlodipine", "status", "active",
     ("assertion.status FAIL CRITICAL assertion.status",)),
    ("Tab Dolo 650 mg OD", "Dolo", "generic_name", "Paracetamol",
     ("grounding.name PASS MINOR reference.curated_only", "reference.drug_exists PASS MAJOR reference.drug_exists")),
    ("Tab Dolo 650 mg OD", "Dolo", "generic_name", "Ibuprofen",
     ("grounding.name ABSTAIN MAJOR name.other_composition", "reference.drug_exists PASS MAJOR reference.drug_exists")),
    ("Tab Metoprolol XL 50 mg OD", "Metoprolol XL", "release", "XL",
     ("grounding.release PASS CRITICAL release.equal",)),
    ("Tab Metoprolol XL 50 mg OD", "Metoprolol XL", "release", "SR",
     ("grounding.release ABSTAIN MAJOR release.different",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "release", "SR",
     ("grounding.release FAIL CRITICAL release.not_in_source",)),
    ("Tab Telma AM 40/5 OD", "Telma AM", "strength", "40/5",
     ("grounding.strength PASS CRITICAL quantity.equal", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Metformin 500 mg 1 tab twice daily morning and night", "Metformin", "frequency", "1-0-1",
     ("grounding.frequency PASS MINOR timing.slots_from_day_parts",)),
    ("Tab Metformin 500 mg 2 tab twice daily morning and night", "Metformin", "frequency", "2-0-2",
     ("grounding.frequency PASS MINOR timing.slots_from_day_parts",)),
    ("Tab Metformin 500 mg 2 tab twice daily morning and night", "Metformin", "frequency", "1-0-1",
     ("grounding.frequency ABSTAIN MAJOR timing.slots_inferred",)),
    ("Amlodipine 5 mg 1 tab OD", "Amlodipine", "route", "oral",
     ("grounding.route PASS MINOR route.implied_by_form",)),
    ("Amlodipine 5 mg 1 tab OD", "Amlodipine", "route", "IV",
     ("grounding.route FAIL CRITICAL route.not_in_source",)),
    ("Tab Dolo 650 OD", "Dolo", "strength", "650 mg",
     ("grounding.unit_integrity PASS MINOR unit.implied_by_bundle", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Dolo 650 OD", "Dolo", "strength", "650 g",
     ("grounding.unit_integrity FAIL CRITICAL unit.contradicts_bundle", "reference.dose_in_range ABSTAIN MAJOR reference.dose_in_range")),
    ("Tab Dolo 650 OD", "Dolo", "strength", "500 mg",
     ("grounding.strength FAIL CRITICAL quantity.different", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Telma AM 40/5 OD", "Telma AM", "strength", "40/5 mg",
     ("grounding.unit_integrity PASS MINOR unit.implied_by_bundle", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Telma AM 40/5 OD", "Telma AM", "strength", "40 mg",
     ("grounding.strength FAIL CRITICAL quantity.different", "reference.curated_only PASS MINOR reference.dose_in_range")),
    ("Tab Telma AM 40/5 OD", "Telma AM", "strength", "40/10 mg",
     ("grounding.strength FAIL CRITICAL quantity.different", "reference.dose_in_range ABSTAIN MAJOR reference.dose_in_range")),
    ("Tab Paracetamol 500 mg OD", "Paracetamol", "dose", "500 mg",
     ("schema.role ABSTAIN MAJOR schema.role",)),
    ("Tab Paracetamol 500 mg OD", "Paracetamol", "dose", "650 mg",
     ("grounding.dose FAIL CRITICAL quantity.different",)),
    ("Tab Paracetamol 500 mg 1 tab OD", "Paracetamol", "dose", "500 mg",
     ("schema.role ABSTAIN MAJOR schema.role",)),
    ("Tab Metformin 500 mg 1 tab in the morning and 2 tabs at night", "Metformin", "frequency", "1-0-2",
     ("grounding.frequency PASS MINOR timing.slots_spelt_out",)),
    ("Tab Metformin 500 mg 1 tab in the morning and 2 tabs at night", "Metformin", "frequency", "2-0-1",
     ("grounding.frequency FAIL CRITICAL dose.one_of_several",)),
    ("Tab Metformin 500 mg 1 tab in the morning and 2 tabs at night", "Metformin", "frequency", "BD",
     ("grounding.frequency ABSTAIN MAJOR timing.slots_dropped",)),
    ("Tab Methotrexate 7.5 mg once weekly", "Methotrexate", "frequency", "Monday",
     ("grounding.frequency FAIL CRITICAL timing.frequency_lost", "grounding.frequency FAIL CRITICAL timing.day_invented")),
    ("Tab Methotrexate 7.5 mg on Monday", "Methotrexate", "frequency", "on Monday",
     ("grounding.frequency PASS CRITICAL timing.equal",)),
    ("Tab Methotrexate 7.5 mg on Monday", "Methotrexate", "frequency", "on Tuesday",
     ("grounding.frequency FAIL CRITICAL timing.day_different",)),
    ("Tab Methotrexate 7.5 mg every Monday", "Methotrexate", "frequency", "once weekly",
     ("grounding.frequency PASS CRITICAL timing.equal", "grounding.frequency FAIL CRITICAL timing.day_dropped")),
    ("Tab Paracetamol 500 mg SOS for fever > 100 F", "Paracetamol", "as_needed_for", "fever > 100 F",
     ("grounding.text PASS CRITICAL text.verbatim",)),
    ("Tab Paracetamol 500 mg SOS for fever > 100 F", "Paracetamol", "as_needed_for", "fever > 102 F",
     ("grounding.text ABSTAIN CRITICAL text.not_in_statement",)),
    ("Tab Paracetamol 500 mg SOS for fever", "Paracetamol", "as_needed_for", "pain",
     ("grounding.text FAIL CRITICAL text.not_in_statement",)),
    ("Tab Paracetamol 500 mg 1 tab BD x 5 days", "Paracetamol", "quantity", "10 tablets",
     ("grounding.quantity ABSTAIN MAJOR count.derived",)),
    ("Tab Paracetamol 500 mg 1-0-1 x 5 days", "Paracetamol", "quantity", "10",
     ("grounding.quantity ABSTAIN MAJOR count.derived",)),
    ("Tab Paracetamol 500 mg BD", "Paracetamol", "quantity", "10 tablets",
     ("grounding.quantity FAIL CRITICAL count.not_in_source",)),
    ("Tab Paracetamol 500 mg BD x 5 days (10 tabs)", "Paracetamol", "quantity", "10 tablets",
     ("grounding.quantity PASS CRITICAL count.equal",)),
    ("Tab Paracetamol 500 mg BD x 5 days (10 tabs)", "Paracetamol", "quantity", "15 tablets",
     ("grounding.quantity FAIL CRITICAL quantity.different",)),
    ("Tab Paracetamol 500 mg BD total 10 tabs", "Paracetamol", "quantity", "10 tablets",
     ("grounding.quantity PASS CRITICAL count.equal",)),
    ("Tab Dolo (650) OD", "Dolo", "strength", "650 mg",
     ("grounding.strength ABSTAIN MAJOR number.role_unknown", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Telmisartan 40/Hydrochlorothiazide 12.5 OD", "Telmisartan + Hydrochlorothiazide", "strength", "40/12.5 mg",
     ("grounding.unit_integrity PASS MINOR unit.implied_by_bundle", "reference.dose_in_range PASS MAJOR reference.dose_in_range")),
    ("Tab Paracetamol 500 mg / BD / 7 days", "Paracetamol", "duration", "7 days",
     ("grounding.duration PASS CRITICAL duration.equal",)),
    ("Inj Methylcobalamin 500 mcg IM alternate day", "Methylcobalamin", "frequency", "alternate day",
     ("grounding.frequency PASS CRITICAL timing.equal",)),
    ("Inj Methylcobalamin 500 mcg IM alternate day", "Methylcobalamin", "frequency", "once daily",
     ("grounding.frequency FAIL CRITICAL timing.different",)),
    ("Tab Amlodipine besylate 5 mg OD", "Amlodipine", "generic_name", "Amlodipine",
     ("grounding.name ABSTAIN MAJOR name.salt_differs", "reference.drug_exists PASS MAJOR reference.drug_exists")),
    ("Tab Metoprolol succinate 50 mg OD", "Metoprolol succinate", "generic_name", "Metoprolol tartrate",
     ("grounding.name FAIL CRITICAL name.other_salt", "reference.drug_exists PASS MAJOR reference.drug_exists")),
    ("Tab Metoprolol succinate 50 mg OD", "Metoprolol succinate", "generic_name", "Metoprolol",
     ("grounding.name ABSTAIN MAJOR name.salt_differs", "reference.drug_exists PASS MAJOR reference.drug_exists")),
    ("Oint Mupirocin 2% apply BD total 15 g", "Mupirocin", "quantity", "15 g",
     ("grounding.quantity PASS CRITICAL count.equal",)),
    ("Syp Paracetamol 250 mg/5 ml 5 ml TDS total 60 ml", "Paracetamol", "quantity", "60 ml",
     ("grounding.quantity PASS CRITICAL count.equal",)),
    ("Syp Paracetamol 250 mg/5 ml 5 ml TDS total 15 ml", "Paracetamol", "quantity", "15 ml",
     ("grounding.quantity ABSTAIN MAJOR count.not_in_source",)),
    ("Tab Amlodipine 5 mg OD x 30 days", "Amlodipine", "duration", "1 week",
     ("grounding.duration FAIL CRITICAL quantity.different",)),
    ("Tab Amlodipine 5 mg OD x 3 weeks", "Amlodipine", "duration", "21 days",
     ("grounding.duration PASS MINOR quantity.exact_conversion",)),
    ("Tab Amlodipine 5 mg OD x 3 weeks", "Amlodipine", "duration", "20 days",
     ("grounding.duration FAIL CRITICAL quantity.different",)),
    ("Tab Amlodipine 5 mg OD x 3 weeks", "Amlodipine", "duration", "1 month",
     ("grounding.duration FAIL CRITICAL quantity.different",)),
    ("Tab Amlodipine 5 mg OD x 1 month", "Amlodipine", "duration", "28 days",
     ("grounding.duration ABSTAIN MAJOR duration.month_is_no_number_of_days",)),
    ("Tab Amlodipine 5 mg OD x 1 month", "Amlodipine", "duration", "27 days",
     ("grounding.duration FAIL CRITICAL quantity.different",)),
    ("Tab Amlodipine 5 mg OD x 1 month", "Amlodipine", "duration", "31 days",
     ("grounding.duration ABSTAIN MAJOR duration.month_is_no_number_of_days",)),
    ("Tab Amlodipine 5 mg OD x 1 month", "Amlodipine", "duration", "32 days",
     ("grounding.duration FAIL CRITICAL quantity.different",)),
    ("Tab Amlodipine 5 mg OD x 1 month", "Amlodipine", "duration", "4 weeks",
     ("grounding.duration ABSTAIN MAJOR duration.month_is_no_number_of_days",)),
    ("Tab Amlodipine 5 mg OD x 1 month", "Amlodipine", "duration", "3 weeks",
     ("grounding.duration FAIL CRITICAL quantity.different",)),
    ("Tab Amlodipine 5 mg OD x 1 year", "Amlodipine", "duration", "12 months",
     ("grounding.duration PASS MINOR quantity.exact_conversion",)),
    ("Tab Amlodipine 5 mg OD x 1 year", "Amlodipine", "duration", "364 days",
     ("grounding.duration FAIL CRITICAL quantity.different",)),
    ("Tab Amlodipine 5 mg OD x 1 year", "Amlodipine", "duration", "366 days",
     ("grounding.duration ABSTAIN MAJOR duration.month_is_no_number_of_days",)),
    ("Tab Amlodipine 5 mg OD x 1 year", "Amlodipine", "duration", "367 days",
     ("grounding.duration FAIL CRITICAL quantity.different",)),
    ("Tab Methotrexate 10 mg every Monday x 4 weeks", "Methotrexate", "frequency", "every Monday",
     ("grounding.frequency PASS CRITICAL timing.equal", "grounding.frequency PASS CRITICAL timing.equal",)),
    ("Tab Methotrexate 10 mg every Monday x 4 weeks", "Methotrexate", "frequency", "every Tuesday",
     ("grounding.frequency FAIL CRITICAL timing.day_different", "grounding.frequency PASS CRITICAL timing.equal",)),
    ("Tab Methotrexate 10 mg every Monday x 4 weeks", "Methotrexate", "frequency", "every Monday and Tuesday",
     ("grounding.frequency FAIL CRITICAL timing.day_different", "grounding.frequency PASS CRITICAL timing.equal",)),
    ("Tab Azithromycin 500 mg OD on Monday, Wednesday, Friday", "Azithromycin", "frequency", "once daily on Monday",
     ("grounding.frequency FAIL CRITICAL timing.day_different", "grounding.frequency PASS CRITICAL timing.equal",)),
    ("Tab Azithromycin 500 mg OD on Monday, Wednesday, Friday", "Azithromycin", "frequency", "once daily on Tuesday",
     ("grounding.frequency FAIL CRITICAL timing.day_different", "grounding.frequency PASS CRITICAL timing.equal",)),
    ("Tab Azithromycin 500 mg OD on Monday, Wednesday, Friday", "Azithromycin", "frequency", "once daily on Monday, Wednesday, Friday",
     ("grounding.frequency PASS CRITICAL timing.equal", "grounding.frequency PASS CRITICAL timing.equal",)),
    ("Tab Paracetamol 650 mg 1-0-1 x 5 days", "Paracetamol", "strength", "1300 mg",
     ("grounding.strength FAIL CRITICAL quantity.different", "reference.dose_in_range ABSTAIN MAJOR reference.dose_in_range",)),
    ("Tab Paracetamol 650 mg 2-0-2 x 5 days", "Paracetamol", "strength", "1300 mg",
     ("grounding.strength FAIL CRITICAL quantity.different", "reference.dose_in_range ABSTAIN MAJOR reference.dose_in_range",)),
    ("Tab Paracetamol 650 mg 2-0-2 x 5 days", "Paracetamol", "dose", "1300 mg",
     ("grounding.dose ABSTAIN MAJOR dose.derived",)),
    ("Tab Paracetamol 650 mg 1-0-2 x 5 days", "Paracetamol", "dose", "1300 mg",
     ("grounding.dose FAIL CRITICAL quantity.different",)),
    ("Tab Metformin 500 mg 1 tab morning, 2 tabs night x 30 days", "Metformin", "frequency", "1-0-2",
     ("grounding.frequency PASS MINOR timing.slots_spelt_out",)),
    ("Tab Metformin 500 mg 1 tab morning, 2 tabs night x 30 days", "Metformin", "frequency", "2-0-1",
     ("grounding.frequency FAIL CRITICAL dose.one_of_several",)),
    ("Tab Metformin 500 mg 1 tab morning x 5 days, 2 tabs night", "Metformin", "frequency", "1-0-2",
     ("grounding.frequency ABSTAIN CRITICAL dose.one_of_several",)),
    ("Tab Metformin 500 mg OD x 5 days, then 1 tab morning, 2 tabs night", "Metformin", "frequency", "1-0-2",
     ("grounding.frequency FAIL CRITICAL timing.different",)),
    ("Tab Metformin 500 mg BD x 30 days #60 tabs", "Metformin", "quantity", "60 tablets",
     ("grounding.quantity PASS CRITICAL count.equal",)),
    ("Tab Metformin 500 mg BD x 30 days #60 tabs", "Metformin", "quantity", "60 ml",
     ("grounding.quantity FAIL CRITICAL quantity.different",)),
    ("Tab Metformin 500 mg BD x 30 days Qty 60", "Metformin", "quantity", "60 tablets",
     ("grounding.quantity PASS CRITICAL count.equal",)),
    ("Tab Metformin 500 mg BD x 30 days Qty 60", "Metformin", "quantity", "60 ml",
     ("grounding.quantity FAIL CRITICAL unit.other_dimension", "grounding.quantity PASS CRITICAL count.equal",)),
    ("Tab Metformin 500 mg BD x 30 days Qty 60", "Metformin", "quantity", "60 capsules",
     ("grounding.quantity FAIL CRITICAL unit.other_dimension", "grounding.quantity PASS CRITICAL count.equal",)),
    ("Tab Augmentin 625 (500 mg + 125 mg) BD x 5 days", "Augmentin 625", "strength", "500 mg + 125 mg",
     ("grounding.strength PASS CRITICAL quantity.equal", "reference.dose_in_range PASS MAJOR reference.dose_in_range",)),
    ("Tab Augmentin 625 (500 mg + 125 mg) BD x 5 days", "Augmentin 625", "strength", "625 mg",
     ("grounding.strength ABSTAIN MAJOR strength.sum_of_parts", "reference.dose_in_range PASS MAJOR reference.dose_in_range",)),
    ("Tab Augmentin 625 (500 mg + 125 mg) BD x 5 days", "Augmentin 625", "strength", "125 mg",
     ("grounding.strength FAIL CRITICAL strength.component_lost", "reference.curated_only PASS MINOR reference.dose_in_range",)),
)
# fmt: on


@pytest.mark.parametrize(("line", "name", "field", "claim", "wanted"), CASES)
def test_the_rule_that_answers(line, name, field, claim, wanted):
    report = judged(line, name=name, **{field: claim})
    found = [
        " ".join((one.check_id, one.verdict.name, one.severity.name, "|".join(sorted({e.rule_id for e in one.evidence if e.rule_id}))))
        for one in report.findings
        if one.field_path == PATH + field
    ]
    assert sorted(found) == sorted(wanted)


def test_the_evidence_of_a_field_points_at_its_own_words_in_their_order():
    line = "Tab Amlodipine 5 mg OD x 30 days"
    report = judged(line, name="Amlodipine", strength="5 mg", frequency="OD", duration="30 days")
    assert report.overall is Verdict.PASS
    own = {"name": "Amlodipine", "strength": "5 mg", "frequency": "OD", "duration": "x 30 days"}
    for field, words in own.items():
        [found] = [one for one in report.findings if one.field_path == PATH + field and one.check_id.startswith("grounding.")]
        [evidence] = [one for one in found.evidence if one.kind == "source"]
        assert [line[span.start : span.end] for span in evidence.source_spans] == [words]
        assert evidence.matched_text == words
        assert found.evidence[0] is evidence
        assert found.severity is Severity.CRITICAL


def test_several_places_are_told_once_each_and_in_order():
    line = "Tab Paracetamol 500 mg 1 tab TDS"
    report = judged(line, name="Paracetamol", strength="500 mg", frequency="TDS", dose="1 tab")
    for found in report.findings:
        for evidence in found.evidence:
            spans = [(span.start, span.end) for span in evidence.source_spans]
            assert spans == sorted(set(spans))


def test_a_fact_of_the_bundle_is_cited():
    report = judged("Tab Dolo 650 mg OD", name="Dolo", generic_name="Paracetamol", strength="650 mg", frequency="OD")
    cited = [one for found in report.findings for one in found.evidence if one.kind == "reference"]
    assert cited
    assert all(one.refdata_key and one.citation and one.grade for one in cited)
    by_name = [one for found in report.findings if found.field_path == PATH + "generic_name" for one in found.evidence]
    assert {"source", "reference"} <= {one.kind for one in by_name}


def test_a_rule_is_the_evidence_where_there_is_nothing_better():
    report = judged("Tab Amlodipine 5 mg OD", name="Amlodipine", refills=2)
    for found in report.findings:
        if any(one.kind == "rule" for one in found.evidence):
            assert len(found.evidence) == 1


def test_what_the_bundle_does_not_have_says_so_and_names_the_editions():
    report = judged("Tab Amlodipine .5 mg OD", name="Amlodipine", strength="0.5 mg")
    [found] = [one for one in report.findings if one.check_id == "reference.dose_in_range"]
    assert found.message.startswith("This strength is not attested for this name, form and release; searched ")


def test_without_a_statement_there_is_nothing_to_look_up():
    report = judged("Tab Dolo 650 mg OD", name="Metformin", strength="500 mg", form="tab")
    told = {one.check_id: one.message for one in report.findings if one.check_id.startswith("reference.")}
    assert told["reference.dose_in_range"] == "There is no strength of a known statement to look up."
    assert told["reference.dose_form_valid"] == "There is no form of a known statement to look up."


@pytest.mark.parametrize(("claimed", "held"), [("Dolo", False), ("Paracetamol", True)])
def test_a_name_below_the_floor_is_relied_on_only_as_it_stands(claimed, held):
    line = "Tab Dolo 650 mg OD"
    words = tuple(Word(m.start(), m.end(), 0.1 if m[0] == "Dolo" else 0.98) for m in re.finditer(r"\S+", line))
    payload = {"medications": [{"name": claimed, "strength": "650 mg"}]}
    report = verify(Extraction("prescription", payload), SourceDocument(line, "ocr", words=words), RULEPACK)
    assert ("reference.look_alike" in {one.check_id for one in report.findings}) is held


@pytest.mark.parametrize(
    ("line", "check", "cue"),
    [("Tab Amlodipine 5 mg OD, stopped", "assertion.stopped", "stopped"), ("Allergic to Amlodipine", "assertion.allergy", "Allergic to")],
)
def test_a_status_is_proven_by_its_own_words(line, check, cue):
    [found] = [one for one in judged(line, name="Amlodipine").findings if one.check_id == check]
    assert [one.matched_text for one in found.evidence] == [cue]


@pytest.mark.parametrize(("key", "held"), [("current_medications", {0}), ("discharge_medications", {1})])
def test_a_medicine_in_the_wrong_of_two_lists_is_held(key, held):
    source = "Current medications:\nTab Telma 40 mg OD\n\nDischarge medications:\nTab Amlodipine 5 mg OD"
    items = [{"name": "Amlodipine", "strength": "5 mg", "frequency": "OD"}, {"name": "Telma", "strength": "40 mg", "frequency": "OD"}]
    report = verify(Extraction("prescription", {key: items}), SourceDocument(source), RULEPACK)
    paths = {one.field_path for one in report.findings if one.verdict is not Verdict.PASS and one.check_id.startswith("assertion.")}
    assert paths == {f"$.{key}[{item}]" for item in held}
