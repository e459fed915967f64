"""One claim about one line, each way of writing it against the others, and which rule answers.

A frequency, a dose, a strength, a form and so on: the same is a PASS, what follows by convention or arithmetic alone an ABSTAIN, another a
FAIL; what the statement says beside may not be dropped (P1, P3, P4, P15, P20, P25). `test_rules.py` has the severities and the evidence of
a rule; here the rows stand close enough to be read against each other.
"""

from __future__ import annotations

import pytest

from medfence_guard import Extraction, Rulepack, Severity, SourceDocument, Verdict, verify

RULEPACK = Rulepack.default()
ITEM = "$.medications[0]."
PATH = ITEM + "frequency"
USUAL = {Verdict.PASS: Severity.CRITICAL, Verdict.FAIL: Severity.CRITICAL, Verdict.ABSTAIN: Severity.MAJOR}
BESIDE = ("reference", "completeness")

# The statement, the name of the item (none where the claim is the name), the field, and for each claim every finding of the comparison:
# verdict, severity where it is not the usual one of the verdict, rule.
# fmt: off
STATED: tuple[tuple[str, str, str, dict[str | int, str]], ...] = (
    ("Tab Paracetamol 500 mg OD", "Paracetamol", "frequency", {
        "OD": "PASS timing.equal",
        "morning": "ABSTAIN timing.slots_inferred",
        "at night": "ABSTAIN timing.slots_inferred",
        "1-0-0": "ABSTAIN timing.slots_inferred",
        "2-0-0": "ABSTAIN timing.slots_inferred",
        "weekly": "FAIL timing.different",
        "as directed": "FAIL timing.component_invented",
        "stat": "FAIL timing.component_invented",
        "SOS": "FAIL timing.frequency_lost + FAIL timing.prn_invented",
        "on Monday": "FAIL timing.day_invented + FAIL timing.frequency_lost",
        "at 10 pm": "FAIL timing.component_invented + ABSTAIN schema.role",
        "after food": "FAIL timing.component_invented + ABSTAIN schema.role",
        "OD and BD": "ABSTAIN timing.multi_frequency",
        "1-0-0 and 0-0-1": "ABSTAIN timing.multi_frequency",
        "1 tab": "ABSTAIN dose.inferred + ABSTAIN timing.unparsed",
    }),
    ("Tab Paracetamol 500 mg BD", "Paracetamol", "frequency", {
        "BD": "PASS timing.equal",
        "BD (1-0-1)": "ABSTAIN timing.slots_inferred + PASS timing.equal",
        "TDS (1-1-1)": "FAIL timing.different + FAIL timing.different",
        "BD (1-1-1)": "FAIL timing.different + PASS timing.equal",
        "morning and night": "ABSTAIN timing.slots_inferred",
        "morning": "FAIL timing.different",
        "q8h": "FAIL timing.different",
        "2-0-2": "ABSTAIN timing.slots_inferred",
        "1-1-1": "FAIL timing.different",
        "QD": "FAIL timing.no_reading_entails",
    }),
    ("Tab Paracetamol 500 mg 1-0-1", "Paracetamol", "frequency", {
        "1-0-1": "PASS timing.equal",
        "1-0-1 tab": "PASS timing.equal",
        "1-0-1 ml": "FAIL dose.unit_added",
        "1-0-0-1": "ABSTAIN timing.slots_shape",
        "0-1-1": "FAIL timing.different",
        "2-0-2": "FAIL timing.different",
        "BD (1-0-1)": "PASS timing.equal",
        "TDS (1-0-1)": "FAIL timing.different + PASS timing.equal",
        "q12h": "ABSTAIN timing.interval_vs_count",
        "q8h": "FAIL timing.different",
        "morning and night": "ABSTAIN timing.slots_dropped",
        "morning and evening": "ABSTAIN timing.evening_or_night",
        "morning and bedtime": "ABSTAIN timing.night_or_bedtime",
        "morning and noon": "FAIL timing.different",
        "OD": "FAIL timing.different",
        "once weekly": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg 1-0-2", "Paracetamol", "frequency", {
        "BD": "FAIL timing.slots_dropped",
        "morning and night": "FAIL timing.slots_dropped",
        "2-0-1": "FAIL timing.different",
        "BD (1-0-2)": "PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg 1-1-1", "Paracetamol", "frequency", {
        "TDS": "ABSTAIN timing.slots_dropped",
        "q8h": "ABSTAIN timing.interval_vs_count",
        "8 hourly": "ABSTAIN timing.interval_vs_count",
        "morning, noon and night": "ABSTAIN timing.slots_dropped",
        "1-0-1": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg 1-0-0-1", "Paracetamol", "frequency", {
        "1-0-1": "ABSTAIN timing.slots_shape",
        "1-0-0-1": "PASS timing.equal",
        "1-0-1-0": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg 5 ml-0-5 ml", "Paracetamol", "frequency", {
        "1-0-1": "FAIL timing.different",
        "5 ml-0-5 ml": "PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg morning and night", "Paracetamol", "frequency", {
        "BD": "PASS MINOR timing.count_of_day_parts",
        "OD": "FAIL timing.different",
        "1-0-1": "ABSTAIN timing.slots_inferred",
        "1-1-0": "FAIL timing.slots_inferred",
        "1-1-1": "FAIL timing.different",
        "morning": "FAIL timing.different",
        "morning and night": "PASS timing.equal",
        "morning and bedtime": "ABSTAIN timing.night_or_bedtime",
        "q12h": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg in the morning", "Paracetamol", "frequency", {
        "OD": "ABSTAIN timing.day_part_dropped",
        "morning": "PASS timing.equal",
        "1-0-0": "ABSTAIN timing.slots_inferred",
        "0-0-1": "FAIL timing.slots_inferred",
        "BD": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg at bedtime", "Paracetamol", "frequency", {
        "OD": "ABSTAIN timing.day_part_dropped",
        "at night": "ABSTAIN timing.night_or_bedtime",
        "0-0-1": "ABSTAIN CRITICAL timing.slots_inferred",
        "1-0-0": "FAIL timing.slots_inferred",
        "HS": "PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg 1 tab at night", "Paracetamol", "frequency", {
        "OD": "ABSTAIN timing.day_part_dropped",
        "0-0-1": "PASS timing.equal",
        "at night": "PASS timing.equal",
        "1-0-0": "FAIL timing.slots_inferred",
        "2-0-0": "FAIL timing.slots_inferred",
        "0-0-2": "ABSTAIN timing.slots_inferred",
    }),
    ("Tab Paracetamol 500 mg 2 tab at night", "Paracetamol", "frequency", {
        "0-0-1": "ABSTAIN timing.slots_inferred",
        "0-0-2": "PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg after breakfast and after dinner", "Paracetamol", "frequency", {
        "BD": "ABSTAIN timing.meals_dropped",
        "TDS": "FAIL timing.different",
        "OD": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg SOS", "Paracetamol", "frequency", {
        "SOS": "PASS timing.prn",
        "BD": "FAIL timing.component_invented + FAIL timing.prn_dropped",
        "1-0-1": "FAIL timing.component_invented + FAIL timing.prn_dropped",
        "as directed": "FAIL timing.component_invented + FAIL timing.prn_dropped",
    }),
    ("Tab Paracetamol 500 mg BD SOS", "Paracetamol", "frequency", {
        "BD": "FAIL timing.prn_dropped + PASS timing.equal",
        "SOS": "FAIL timing.frequency_lost + PASS timing.prn",
        "BD SOS": "PASS timing.equal + PASS timing.prn",
        "TDS SOS": "FAIL timing.different + PASS timing.prn",
    }),
    ("Tab Paracetamol 500 mg stat", "Paracetamol", "frequency", {
        "stat": "PASS timing.equal",
        "OD": "FAIL timing.single_dose_lost",
        "BD": "FAIL timing.single_dose_lost",
        "1-0-1": "FAIL timing.single_dose_lost",
        "morning": "FAIL timing.single_dose_lost",
    }),
    ("Tab Paracetamol 500 mg as directed", "Paracetamol", "frequency", {
        "as directed": "PASS timing.equal",
        "BD": "FAIL timing.component_invented",
        "TDS as directed": "FAIL timing.component_invented + PASS timing.equal",
        "at night as directed": "FAIL timing.component_invented + PASS timing.equal",
        "SOS as directed": "FAIL timing.prn_invented + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg BD as directed", "Paracetamol", "frequency", {
        "as directed": "FAIL timing.frequency_lost + PASS timing.equal",
        "BD": "PASS timing.equal",
        "BD as directed": "PASS timing.equal + PASS timing.equal",
        "TDS as directed": "FAIL timing.different + PASS timing.equal",
        "1-1-1 as directed": "FAIL timing.different + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg 6 hourly", "Paracetamol", "frequency", {
        "q6h": "PASS timing.equal",
        "q8h": "FAIL timing.different",
        "QID": "ABSTAIN timing.interval_vs_count",
        "TDS": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg every 4-6 hours", "Paracetamol", "frequency", {
        "every 4-6 hours": "PASS timing.equal",
        "every 6 hours": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg 2-3 times a day", "Paracetamol", "frequency", {
        "2-3 times a day": "PASS timing.equal",
        "BD": "FAIL timing.different",
        "TDS": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg QD", "Paracetamol", "frequency", {
        "OD": "ABSTAIN timing.ambiguous_token",
        "BD": "FAIL timing.no_reading_entails",
        "QID": "ABSTAIN timing.ambiguous_token",
        "1-0-0": "ABSTAIN timing.ambiguous_token",
    }),
    ("Tab Paracetamol 500 mg 8D", "Paracetamol", "frequency", {
        "BD": "ABSTAIN timing.confusable",
    }),
    ("Tab Paracetamol 500 mg BD at bedtime", "Paracetamol", "frequency", {
        "BD": "ABSTAIN timing.self_contradictory + PASS timing.equal",
        "at bedtime": "ABSTAIN timing.self_contradictory + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg OD 1-0-1", "Paracetamol", "frequency", {
        "OD": "ABSTAIN timing.multi_frequency + FAIL timing.slots_dropped + PASS timing.equal",
        "1-0-1": "ABSTAIN timing.multi_frequency + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg OD at bedtime", "Paracetamol", "frequency", {
        "OD": "PASS timing.equal",
        "at bedtime": "PASS timing.equal",
        "OD at bedtime": "PASS timing.equal + PASS timing.equal",
        "morning": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg 1-0-1 morning and noon", "Paracetamol", "frequency", {
        "1-0-1": "ABSTAIN timing.self_contradictory + PASS timing.equal",
        "morning and noon": "ABSTAIN timing.self_contradictory + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg BD and TDS", "Paracetamol", "frequency", {
        "BD": "ABSTAIN timing.multi_frequency + PASS timing.equal",
        "TDS": "ABSTAIN timing.multi_frequency + FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg at 10 pm", "Paracetamol", "frequency", {
        "at 10 pm": "PASS timing.equal + PASS timing.equal",
        "at 8 am": "ABSTAIN timing.one_of_several + FAIL timing.meal_different + FAIL timing.meal_different",
        "OD": "FAIL timing.component_invented",
    }),
    ("Tab Paracetamol 500 mg at 8 am and 10 pm", "Paracetamol", "frequency", {
        "at 10 pm": "ABSTAIN timing.one_of_several + PASS timing.equal + PASS timing.equal",
        "at 8 am and 10 pm": "PASS timing.equal + PASS timing.equal + PASS timing.equal + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg", "Paracetamol", "frequency", {
        "OD": "FAIL timing.component_invented",
        "1-0-1": "FAIL timing.component_invented",
        "morning": "FAIL timing.component_invented",
        "SOS": "FAIL timing.prn_invented",
    }),
    ("Tab Methotrexate 7.5 mg weekly 1-0-0", "Methotrexate", "frequency", {
        "weekly": "FAIL timing.slots_dropped + PASS timing.equal",
        "1-0-0": "FAIL timing.frequency_lost + PASS timing.equal",
        "OD": "FAIL timing.different",
        "weekly 1-0-0": "PASS timing.equal + PASS timing.equal",
    }),
    ("Tab Methotrexate 7.5 mg twice a week", "Methotrexate", "frequency", {
        "twice a week": "PASS timing.equal",
        "BD": "FAIL timing.different",
        "weekly": "FAIL timing.different",
        "on Monday and Thursday": "FAIL timing.day_invented + FAIL timing.frequency_lost",
    }),
    ("Tab Methotrexate 7.5 mg Monday and Thursday", "Methotrexate", "frequency", {
        "twice a week": "FAIL timing.day_dropped + PASS MINOR timing.count_of_days",
        "weekly": "FAIL timing.day_dropped + FAIL timing.different",
        "Monday and Thursday": "PASS timing.equal",
        "Monday": "FAIL timing.day_different",
        "OD": "FAIL timing.day_dropped + FAIL timing.different",
    }),
    ("Tab Azithromycin 500 mg OD on Monday", "Azithromycin", "frequency", {
        "OD on Monday": "PASS timing.equal + PASS timing.equal",
        "OD": "FAIL timing.day_dropped + PASS timing.equal",
        "on Monday": "FAIL timing.frequency_lost + PASS timing.equal",
    }),
    ("Inj Heparin 10-0-10 units", "Heparin", "frequency", {
        "10-0-10 IU": "ABSTAIN unit.unit_or_iu",
        "10-0-10 units": "PASS timing.equal",
    }),
    ("Tab Telma 40 mg 1 tab in the morning and 2 tabs at night", "Telma", "frequency", {
        "1-0-2": "PASS MINOR timing.slots_spelt_out",
        "2-0-1": "FAIL dose.one_of_several",
        "1-0-1": "FAIL dose.one_of_several",
        "BD": "ABSTAIN timing.slots_dropped",
        "1 tab in the morning and 2 tabs at night": "PASS dose.all_carried + PASS timing.equal",
        "OD": "FAIL timing.different",
        "1-2-0": "FAIL dose.one_of_several",
        "morning and night": "PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg as directed at night", "Paracetamol", "frequency", {
        "as directed": "PASS timing.equal",
        "as directed at night": "PASS timing.equal + PASS timing.equal",
        "BD as directed": "FAIL timing.different + PASS timing.equal",
        "as directed in the morning": "FAIL timing.different + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg 1-0-1 as directed", "Paracetamol", "frequency", {
        "as directed": "FAIL timing.frequency_lost + PASS timing.equal",
        "1-0-1 as directed": "PASS timing.equal + PASS timing.equal",
        "1-1-1 as directed": "FAIL timing.different + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg stat as directed", "Paracetamol", "frequency", {
        "as directed": "FAIL timing.single_dose_lost + PASS timing.equal",
        "stat as directed": "PASS timing.equal + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg SOS as directed", "Paracetamol", "frequency", {
        "as directed": "FAIL timing.prn_dropped + PASS timing.equal",
        "SOS as directed": "PASS timing.equal + PASS timing.prn",
    }),
    ("Tab Metformin SR 500 mg DT", "Metformin", "form", {
        "tablet": "PASS form.equal",
        "capsule": "FAIL form.different",
        "injection": "FAIL form.different",
    }),
    ("Tab Paracetamol 650 mg DT", "Paracetamol", "form", {
        "dispersible tablet": "PASS MINOR form.with_its_release",
        "tablet": "PASS form.equal",
    }),
    ("Inj Furosemide 40 mg IV", "Furosemide", "form", {
        "tablet": "FAIL form.different",
        "injection": "PASS form.equal",
    }),
    ("Furosemide 40 mg IV", "Furosemide", "form", {
        "tablet": "FAIL form.contradicts_route",
        "injection": "ABSTAIN form.not_in_source",
    }),
    ("Amlodipine 5 mg IV", "Amlodipine", "form", {
        "injection": "ABSTAIN form.not_attested",
    }),
    ("Paracetamol 500 mg 1 tab BD", "Paracetamol", "form", {
        "tablet": "PASS MINOR form.from_dose_unit",
        "capsule": "ABSTAIN form.not_in_source",
        "dispersible tablet": "ABSTAIN form.not_in_source",
        "syrup": "ABSTAIN form.not_in_source",
    }),
    ("Paracetamol 500 mg BD", "Paracetamol", "form", {
        "tablet": "ABSTAIN form.not_in_source",
        "syrup": "ABSTAIN form.not_in_source",
    }),
    ("Amlodipine 5 mg OD", "Amlodipine", "form", {
        "capsule": "ABSTAIN form.several_known",
        "injection": "ABSTAIN form.not_attested",
        "tablet": "PASS MINOR form.implied_by_product",
    }),
    ("Salbutamol BD", "Salbutamol", "form", {
        "tablet": "ABSTAIN form.not_in_source",
        "inhaler": "ABSTAIN form.not_in_source",
    }),
    ("Dolo 650 BD", "Dolo", "form", {
        "tablet": "PASS MINOR reference.curated_only",
    }),
    ("Dolo 650 BD", "Dolo", "route", {
        "oral": "PASS MINOR reference.curated_only",
        "IV": "FAIL route.not_in_source",
    }),
    ("Tab Dolo 650 mg 2 tab BD", "Dolo", "strength", {
        "325/325 mg": "ABSTAIN strength.sum_of_parts",
        "325/300 mg": "FAIL strength.component_lost",
    }),
    ("Syp Crocin 125 mg/5 ml 5-10 ml TDS", "Crocin", "dose", {
        "125 mg": "FAIL unit.denominator_dropped",
    }),
    ("Zzzdrug 5 mg OD", "Zzzdrug", "form", {
        "tablet": "ABSTAIN form.not_in_source",
    }),
    ("Moxifloxacin eye drops BD", "Moxifloxacin", "form", {
        "drops": "ABSTAIN form.undetermined",
        "eye ointment": "FAIL form.different",
        "eye drops": "PASS form.equal",
        "ear drops": "FAIL form.different",
    }),
    ("Syp Paracetamol 250 mg/5 ml 5 ml TDS", "Paracetamol", "form", {
        "suspension": "ABSTAIN form.same_family",
        "syrup": "PASS form.equal",
        "solution": "ABSTAIN form.same_family",
        "tablet": "FAIL form.different",
        "liquid": "ABSTAIN form.same_family",
    }),
    ("Inj Insulin Glargine pen 10 units OD", "Insulin Glargine", "form", {
        "pen": "PASS form.equal",
        "vial": "FAIL form.other_container + PASS form.equal",
        "injection": "PASS form.equal",
        "cartridge": "FAIL form.other_container + PASS form.equal",
    }),
    ("Moxifloxacin eye drops RE BD", "Moxifloxacin", "route", {
        "ophthalmic": "PASS route.equal",
        "oral": "FAIL route.different",
        "otic": "FAIL route.different",
    }),
    ("Ceftriaxone 1 g BD", "Ceftriaxone", "route", {
        "IV": "FAIL route.not_in_source",
        "oral": "ABSTAIN route.not_in_source",
        "IM": "FAIL route.not_in_source",
    }),
    ("Amlodipine 5 mg OD", "Amlodipine", "route", {
        "oral": "PASS MINOR route.implied_by_product",
        "IV": "FAIL route.not_in_source",
        "topical": "ABSTAIN route.not_in_source",
        "sublingual": "ABSTAIN route.not_in_source",
    }),
    ("Tab Sorbitrate 5 mg SL SOS", "Sorbitrate", "route", {
        "sublingual": "PASS route.equal",
        "oral": "FAIL route.different",
    }),
    ("Tab Sorbitrate 5 mg SOS", "Sorbitrate", "route", {
        "sublingual": "FAIL route.not_in_source",
        "buccal": "FAIL route.not_in_source",
        "oral": "PASS MINOR route.implied_by_form",
    }),
    ("Cap Amoxicillin 500 mg TDS", "Amoxicillin", "route", {
        "oral": "PASS MINOR route.implied_by_form",
        "buccal": "FAIL route.not_in_source",
        "IM": "FAIL route.contradicts_form",
    }),
    ("Inj Ceftriaxone 1 g IV bolus BD", "Ceftriaxone", "route", {
        "IV bolus": "PASS route.equal",
        "IV": "ABSTAIN route.manner_dropped + PASS route.equal",
        "IV slowly": "ABSTAIN claim.unread_words + FAIL route.manner_added + PASS route.equal",
    }),
    ("Inj Ceftriaxone 1 g IV slow BD", "Ceftriaxone", "route", {
        "IV": "ABSTAIN route.manner_dropped + PASS route.equal",
        "slow IV": "PASS route.equal",
    }),
    ("Oint Mupirocin apply to face BD", "Mupirocin", "route", {
        "topical": "PASS route.equal",
        "oral": "FAIL route.different",
    }),
    ("Inj Ceftriaxone 1 g IV/IM BD", "Ceftriaxone", "route", {
        "IM": "ABSTAIN route.one_of_several",
        "SC": "FAIL route.different",
    }),
    ("Moxifloxacin eye drops right eye BD", "Moxifloxacin", "site", {
        "right eye": "PASS site.equal",
        "left eye": "FAIL site.different",
        "both eyes": "FAIL site.different",
        "eye": "ABSTAIN site.side_dropped",
        "right ear": "FAIL site.different",
        "right": "PASS MINOR site.side_equal",
        "left": "FAIL site.different",
    }),
    ("Moxifloxacin eye drops both eyes BD", "Moxifloxacin", "site", {
        "right eye": "FAIL site.different",
        "both eyes": "PASS site.equal",
    }),
    ("Oint Mupirocin apply BD", "Mupirocin", "site", {
        "hands": "FAIL text.not_in_statement",
    }),
    ("Tab Amlodipine 5 mg OD x 5-7 days", "Amlodipine", "duration", {
        "5-7 days": "PASS duration.equal",
        "7 days": "FAIL quantity.range_end_lost",
        "5 to 7 days": "PASS duration.equal",
        "6 days": "FAIL quantity.range_end_lost",
        "5-8 days": "FAIL quantity.different",
    }),
    ("Tab Amlodipine 5 mg OD x 5 days", "Amlodipine", "duration", {
        "5": "ABSTAIN duration.unit_not_claimed",
        "5 days": "PASS duration.equal",
        "120 hours": "ABSTAIN duration.in_hours",
        "1 week": "FAIL quantity.different",
        "7 days": "FAIL quantity.different",
        "five days": "PASS duration.equal",
        "5 doses": "FAIL quantity.different",
        "till review": "FAIL duration.not_in_source",
        "x": "ABSTAIN claim.unread_words + ABSTAIN duration.unreadable_claim",
    }),
    ("Tab Amlodipine 5 mg OD x 24 hours", "Amlodipine", "duration", {
        "1 day": "ABSTAIN duration.in_hours",
        "24 hours": "PASS duration.equal",
        "2 days": "FAIL quantity.different",
    }),
    ("Tab Amlodipine 5 mg OD to continue", "Amlodipine", "duration", {
        "to continue": "PASS duration.equal",
        "till review": "ABSTAIN duration.other_end",
        "lifelong": "ABSTAIN duration.other_end",
        "1 month": "FAIL duration.not_in_source",
    }),
    ("Tab Amlodipine 5 mg OD till review", "Amlodipine", "duration", {
        "till review": "PASS duration.equal",
        "to continue": "ABSTAIN duration.other_end",
        "5 days": "FAIL duration.not_in_source",
    }),
    ("Tab Amlodipine 5 mg OD x 1 month then review", "Amlodipine", "duration", {
        "1 month": "PASS duration.equal",
        "30 days": "ABSTAIN duration.month_is_no_number_of_days",
    }),
    ("Tab Amlodipine 5 mg OD x 7 days", "Amlodipine", "duration", {
        "1 week": "PASS MINOR quantity.exact_conversion",
        "2 weeks": "FAIL quantity.different",
        "8 days": "FAIL quantity.different",
    }),
    ("Tab Azithromycin 500 mg OD x 3 doses", "Azithromycin", "duration", {
        "3 days": "FAIL quantity.different",
        "3 doses": "PASS duration.equal",
        "5 doses": "FAIL quantity.different",
    }),
    ("Tab Amlodipine 5 mg 1 tab OD", "Amlodipine", "dose", {
        "1": "PASS MINOR dose.unit_not_claimed",
        "1 tab": "PASS quantity.equal",
        "half tab": "FAIL quantity.different",
        "1-2 tab": "FAIL quantity.range_end_lost",
        "1 capsule": "FAIL unit.other_dimension",
        "1 ml": "FAIL unit.other_dimension",
        "10 mg": "FAIL quantity.different",
        "5 mg": "ABSTAIN schema.role",
        "one": "PASS MINOR dose.unit_not_claimed",
        "two": "FAIL quantity.different",
        "some": "ABSTAIN claim.unread_words + ABSTAIN dose.unreadable_claim",
        "1 tab and 2 tab": "FAIL dose.added",
    }),
    ("Tab Amlodipine 5 mg 1-2 tab OD", "Amlodipine", "dose", {
        "1-2 tab": "PASS quantity.equal",
        "1 tab": "FAIL quantity.range_end_lost",
        "2 tab": "FAIL quantity.different",
        "1-3 tab": "FAIL quantity.range_end_lost",
    }),
    ("Tab Amlodipine 5 mg OD", "Amlodipine", "dose", {
        "1": "ABSTAIN dose.inferred",
        "2 tab": "FAIL dose.not_in_source",
        "half tab": "FAIL dose.not_in_source",
        "1 capsule": "FAIL dose.not_in_source",
        "5 mg": "ABSTAIN schema.role",
    }),
    ("Tab Amlodipine 5 mg 2-0-2", "Amlodipine", "dose", {
        "2 tab": "PASS MINOR dose.from_slots",
        "1 tab": "FAIL quantity.different",
        "2": "PASS MINOR dose.from_slots",
        "2 ml": "FAIL unit.other_dimension",
        "10 mg": "ABSTAIN dose.derived",
        "4 tab": "FAIL quantity.different",
    }),
    ("Tab Amlodipine 5 mg 1-0-2", "Amlodipine", "dose", {
        "1 tab": "FAIL dose.one_of_several",
        "2 tab": "FAIL dose.one_of_several",
        "1 tab and 2 tab": "FAIL dose.added",
    }),
    ("Syp Paracetamol 250 mg/5 ml 5 ml TDS", "Paracetamol", "dose", {
        "5": "ABSTAIN unit.not_claimed",
        "1 tab": "FAIL unit.other_dimension",
        "5 mg": "FAIL quantity.different",
        "250 mg": "ABSTAIN dose.derived",
        "5-10 ml": "FAIL quantity.range_end_lost",
        "1 tsp": "FAIL unit.other_dimension",
    }),
    ("Inj Insulin Glargine 10 units OD", "Insulin Glargine", "dose", {
        "10": "ABSTAIN unit.not_claimed",
        "10 u": "PASS quantity.equal",
        "12 units": "FAIL quantity.different",
        "10 ml": "FAIL unit.other_dimension",
    }),
    ("Inj Ceftriaxone 50 mg/kg IV OD", "Ceftriaxone", "dose", {
        "50 mg/kg": "PASS quantity.equal",
        "50 mg": "ABSTAIN unit.per_weight",
        "100 mg/kg": "FAIL quantity.different",
    }),
    ("Tab Metformin 500 mg 1 tab in the morning and 2 tabs at night", "Metformin", "dose", {
        "1 tab": "ABSTAIN dose.time_dropped + FAIL dose.one_of_several",
        "2 tabs": "ABSTAIN dose.time_dropped + FAIL dose.one_of_several",
        "1 tab in the morning and 2 tabs at night": "PASS dose.all_carried + PASS timing.equal + PASS timing.equal",
        "2 tabs in the morning and 1 tab at night": "FAIL dose.one_of_several + PASS timing.equal + PASS timing.equal",
    }),
    ("Tab Dolo 650 500 mg OD", "Dolo", "strength", {
        "500 mg": "ABSTAIN strength.name_number_differs + PASS quantity.equal",
        "650 mg": "FAIL quantity.different",
    }),
    ("Tab Amlodipine 05 mg OD", "Amlodipine", "strength", {
        "5 mg": "ABSTAIN number.unreadable",
        "05 mg": "ABSTAIN claim.unreadable",
    }),
    ("Tab Amlodipine OD", "Amlodipine", "strength", {
        "5 mg": "FAIL strength.not_in_source",
    }),
    ("Tab Ecosprin 75 OD", "Ecosprin", "strength", {
        "75 mg": "PASS MINOR unit.implied_by_bundle",
        "75": "PASS quantity.equal",
        "0.075 g": "ABSTAIN quantity.exact_conversion",
        "75 mcg": "FAIL unit.contradicts_bundle",
        "150 mg": "FAIL quantity.different",
        "75 mg/tablet": "PASS MINOR unit.implied_by_bundle",
    }),
    ("Syp Calpol 250/5 5 ml TDS", "Calpol", "strength", {
        "250 mg/5 ml": "ABSTAIN unit.not_written",
        "250 mg": "FAIL quantity.different",
        "250/5": "PASS quantity.equal",
        "250 mg/10 ml": "FAIL quantity.different",
    }),
    ("Inj Heparin 5000 BD", "Heparin", "strength", {
        "5000 units": "ABSTAIN unit.unit_or_iu",
        "5000 IU": "PASS MINOR unit.implied_by_bundle",
    }),
    ("Inj Heparin 5000 units BD", "Heparin", "strength", {
        "5000 units": "ABSTAIN schema.role",
        "5000 IU": "ABSTAIN schema.role",
    }),
    ("Tab Amlodipine 5 mg OD", "Amlodipine", "strength", {
        "5000 mcg": "PASS MINOR quantity.exact_conversion",
        "5 mcg": "FAIL unit.swapped",
        "50 mg": "FAIL quantity.different",
        "0.5 mg": "FAIL quantity.different",
        "5.0 mg": "PASS quantity.equal",
        "05 mg": "ABSTAIN claim.unreadable",
        "5 mg/tablet": "PASS quantity.equal",
        "5 mg/capsule": "FAIL unit.denominator_added",
        "5 IU": "FAIL unit.other_dimension",
    }),
    ("Tab Telma AM 40/5 mg OD", "Telma AM", "strength", {
        "40 mg + 5 mg": "PASS quantity.equal",
        "40/5": "ABSTAIN unit.not_claimed",
        "40/10 mg": "FAIL quantity.different",
        "80/5 mg": "FAIL quantity.different",
        "40 mg/5 mg/10 mg": "FAIL strength.component_lost",
    }),
    ("Tab Clopidogrel 75 mg + Aspirin 75 mg OD", "Clopidogrel + Aspirin", "strength", {
        "75 mg + 75 mg": "PASS quantity.equal",
        "75 mg": "ABSTAIN strength.one_of_several",
        "75/150 mg": "FAIL quantity.different",
    }),
    ("Tab Thyronorm 75 mcg OD Mon-Fri and 100 mcg Sat-Sun", "Thyronorm", "strength", {
        "75 mcg": "ABSTAIN strength.one_of_several",
        "100 mcg": "ABSTAIN strength.one_of_several",
        "125 mcg": "FAIL quantity.different",
        "75 mcg and 100 mcg": "PASS quantity.equal",
    }),
    ("Tab Telma AM 40/5 mg OD", "", "name", {
        "Telma AM": "PASS name.exact",
        "Telma": "FAIL name.suffix_differs",
        "Telma H": "FAIL name.suffix_differs",
        "Telmisartan + Amlodipine": "PASS MINOR reference.curated_only",
        "Amlodipine + Telmisartan": "PASS MINOR reference.curated_only",
        "Telmisartan": "ABSTAIN name.combination_split",
        "Telma-AM": "PASS name.exact",
        "Telma AM 40/5": "PASS name.exact",
        "Telma AM 80/5": "FAIL name.number_differs + PASS name.exact",
        "Telma AM 40": "ABSTAIN name.number_one_of_several + PASS name.exact",
    }),
    ("Tab Telmisartan 40 mg OD", "", "name", {
        "Telma": "FAIL name.brand_not_in_source",
        "Telmisartan": "PASS name.exact",
        "Telmisartan 80": "FAIL name.number_differs + PASS name.exact",
        "Telmisartan 40": "PASS name.exact",
        "Telmisartan 40 mg": "PASS name.exact + PASS quantity.equal",
        "Telmisartan 80 mg": "FAIL quantity.different + PASS name.exact",
        "Telmisartan H": "FAIL name.suffix_differs",
        "T Telmisartan": "ABSTAIN CRITICAL name.different + PASS name.exact",
        "Telmisartan*": "PASS name.exact",
        "Telmisartan tablet": "PASS form.equal + PASS name.exact",
        "Telmisartan capsule": "FAIL form.different + PASS name.exact",
    }),
    ("Tab Dolo 650 OD", "", "name", {
        "Dolo": "PASS name.exact",
        "Dolo 650": "PASS name.exact",
        "Dolo 500": "FAIL name.number_differs + PASS name.exact",
        "Dolo 650 mg": "PASS name.exact + PASS MINOR unit.implied_by_bundle",
        "Paracetamol": "PASS MINOR reference.curated_only",
        "Paracetamol 650": "PASS MINOR reference.curated_only",
        "Dolo (Paracetamol)": "PASS name.exact + PASS MINOR reference.curated_only",
        "Dolo (Ibuprofen)": "ABSTAIN CRITICAL name.different + FAIL name.different + PASS name.exact",
        "Dolo [Paracetamol 650]": "ABSTAIN CRITICAL name.different + PASS name.exact + PASS MINOR reference.curated_only",
        "Calpol": "FAIL grounding.absent",
        "Dolo (Calpol)": "FAIL name.brand_not_in_source + PASS name.exact",
    }),
    ("Tab Metoprolol XL 50 mg OD", "", "name", {
        "Metoprolol XL": "PASS name.exact + PASS release.equal",
        "Metoprolol": "FAIL name.release_differs",
        "Metoprolol SR": "ABSTAIN release.different + FAIL name.release_differs",
        "Metoprolol ER": "ABSTAIN release.different + FAIL name.release_differs",
        "Metoprolol succinate XL": "ABSTAIN name.salt_differs + PASS release.equal",
        "Metoprolol tartrate": "FAIL name.release_differs",
    }),
    ("Tab Metoprolol 50 mg XL OD", "", "name", {
        "Metoprolol XL": "PASS release.equal + PASS MINOR name.bundle_alias",
        "Metoprolol": "FAIL name.release_differs",
    }),
    ("Tab Met XL 50 mg OD", "", "name", {
        "Met XL": "PASS name.exact",
        "Met": "FAIL grounding.absent",
        "Metoprolol": "FAIL name.release_differs",
        "Metoprolol XL": "PASS release.equal + PASS MINOR reference.curated_only",
        "Metoprolol SR": "ABSTAIN release.different + PASS MINOR reference.curated_only",
    }),
    ("Tab Pan D OD", "", "name", {
        "Pan D": "PASS name.exact",
        "Pan": "FAIL name.suffix_differs",
        "Pan 40": "FAIL name.suffix_differs",
        "Pan L": "FAIL name.suffix_differs",
        "Pantoprazole": "ABSTAIN name.combination_split",
        "Pantoprazole + Domperidone": "PASS MINOR reference.curated_only",
    }),
    ("Tab Paracetamol 500 mg OD", "", "name", {
        "Acetaminophen": "PASS MINOR name.bundle_alias",
        "PCM": "PASS MINOR name.bundle_alias",
        "Zzzsubstance": "FAIL grounding.absent",
        "Dolo": "FAIL name.brand_not_in_source",
        "Ibuprofen": "FAIL grounding.absent",
        "Paracetamol BD": "FAIL timing.different + PASS name.exact",
        "Paracetamol OD": "PASS name.exact + PASS timing.equal",
        "Paracetamol SOS": "FAIL timing.frequency_lost + FAIL timing.prn_invented + PASS name.exact",
        "Paracetamol x 5 days": "FAIL duration.not_in_source + PASS name.exact",
        "Paracetamol oral": "PASS name.exact + PASS MINOR route.implied_by_form",
        "Paracetamol 1 tab": "ABSTAIN dose.inferred + PASS name.exact",
    }),
    ("Tab Augmentin 625 (Amoxicillin 500 mg + Clavulanic acid 125 mg) BD", "", "name", {
        "Augmentin": "PASS name.exact",
        "Augmentin 625": "PASS name.exact",
        "Amoxicillin + Clavulanic acid": "PASS MINOR name.printed_composition",
        "Clavulanic acid + Amoxicillin": "PASS MINOR name.printed_composition",
        "Augmentin 375": "FAIL name.number_differs + PASS name.exact",
        "Augmentin (Amoxicillin + Clavulanic acid)": "PASS name.exact + PASS name.exact",
        "Augmentin (Amoxicillin)": "ABSTAIN name.different + PASS name.exact + PASS name.exact",
    }),
    ("Tab Zzzdrug 5 mg OD", "", "name", {
        "Zzzdrug": "PASS name.exact",
        "Zzzdrug 5": "PASS name.exact",
        "Zzzdrug 10": "FAIL name.number_differs + PASS name.exact",
    }),
    ("Tab Zzzdrug 5 mg OD", "Zzzdrug", "generic_name", {
        "Paracetamol": "ABSTAIN name.composition_unknown",
        "Zzzsubstance": "ABSTAIN name.substance_unknown",
    }),
    ("Tab Dolo 650 mg OD", "Dolo", "generic_name", {
        "Acetaminophen": "PASS MINOR reference.curated_only",
        "Paracetamol 500": "FAIL name.number_differs + PASS MINOR reference.curated_only",
        "Paracetamol 650 mg": "PASS quantity.equal + PASS MINOR reference.curated_only",
        "PCM": "PASS MINOR reference.curated_only",
        "Zzzsubstance": "ABSTAIN name.substance_unknown",
        "Paracetamol + Caffeine": "ABSTAIN name.other_composition",
    }),
    ("Tab Metformin 500 mg BD x 5 days", "Metformin", "quantity", {
        "10": "ABSTAIN count.derived",
        "9": "FAIL count.not_in_source",
        "11": "FAIL count.not_in_source",
        "10 strips": "ABSTAIN count.derived",
        "20": "FAIL count.not_in_source",
        "0": "FAIL count.not_in_source",
    }),
    ("Tab Metformin 500 mg BD x 5 days (10 tabs)", "Metformin", "quantity", {
        "10": "PASS count.equal",
        "10 strips": "FAIL count.equal",
        "20 tabs": "FAIL quantity.different",
    }),
    ("Tab Metformin 500 mg BD x 5 days 2 strips", "Metformin", "quantity", {
        "2 strips": "PASS count.equal",
        "2": "ABSTAIN CRITICAL count.equal",
        "20 tablets": "FAIL quantity.different",
    }),
    ("Tab Metformin 500 mg 2 tab BD x 5 days", "Metformin", "quantity", {
        "20": "ABSTAIN count.derived",
        "10": "FAIL count.not_in_source",
    }),
    ("Tab Metformin 500 mg BD x 1 month", "Metformin", "quantity", {
        "60": "ABSTAIN count.derived",
        "56": "ABSTAIN count.derived",
        "62": "ABSTAIN count.derived",
        "55": "FAIL count.not_in_source",
        "63": "FAIL count.not_in_source",
    }),
    ("Tab Metformin 500 mg BD x 2 weeks", "Metformin", "quantity", {
        "28": "ABSTAIN count.derived",
        "27": "FAIL count.not_in_source",
    }),
    ("Tab Metformin 500 mg weekly x 4 weeks", "Metformin", "quantity", {
        "28": "FAIL count.not_in_source",
    }),
    ("Tab Metformin 500 mg morning and night x 5 days", "Metformin", "quantity", {
        "10": "ABSTAIN count.derived",
        "5": "FAIL count.not_in_source",
    }),
    ("Lisinopril 10 mg tablet. Take 1 tablet daily. Disp #30, Refills: 3", "Lisinopril", "quantity", {
        "30": "PASS count.equal",
        "30 tablets": "PASS count.equal",
        "#30": "PASS count.equal",
        "90": "FAIL quantity.different",
    }),
    ("Lisinopril 10 mg tablet. Take 1 tablet daily. Disp #30, Refills: 3", "Lisinopril", "refills", {
        "3": "PASS count.equal",
        "2": "FAIL quantity.different",
        "0": "FAIL quantity.different",
        "3 refills": "PASS count.equal",
        "three": "ABSTAIN claim.unread_words",
    }),
    ("Tab Paracetamol 500 mg SOS max 4/day", "Paracetamol", "max_dose", {
        "4": "ABSTAIN count.other_period",
        "4/day": "PASS count.equal",
        "3/day": "FAIL quantity.different",
        "4 tabs/day": "ABSTAIN count.unit_not_written",
        "4 in 24 hours": "PASS count.equal",
        "4 daily": "PASS count.equal",
        "4/dose": "FAIL count.other_period",
        "4 per week": "FAIL count.other_period + FAIL timing.component_invented + FAIL timing.prn_dropped",
    }),
    ("Tab Paracetamol 500 mg SOS max 4 tabs in 24 hours", "Paracetamol", "max_dose", {
        "4 tabs/day": "PASS count.equal",
        "4 tabs in 24 hours": "PASS count.equal",
        "4 tablets": "ABSTAIN count.other_period",
        "4 g/day": "FAIL quantity.different",
        "4 tabs in 12 hours": "FAIL count.other_period",
        "8 tabs/day": "FAIL quantity.different",
    }),
    ("1. Tab Telmisartan 40 mg OD\n3. Tab Metformin 500 mg BD", "Metformin", "sequence", {
        1: "PASS sequence.equal",
        2: "ABSTAIN sequence.differs",
        3: "PASS sequence.equal",
        4: "ABSTAIN sequence.differs",
    }),
    ("Tab Paracetamol 500 mg SOS for fever or headache", "Paracetamol", "as_needed_for", {
        "fever": "ABSTAIN text.reason_dropped + PASS text.verbatim",
        "headache": "ABSTAIN text.reason_dropped + PASS text.verbatim",
        "fever or headache": "PASS text.verbatim",
        "headache or fever": "PASS text.verbatim",
        "pain": "FAIL text.not_in_statement",
        "fever or pain": "ABSTAIN CRITICAL text.not_in_statement",
    }),
    ("Tab Paracetamol 500 mg SOS", "Paracetamol", "as_needed", {
        "SOS": "PASS timing.prn",
        "no": "FAIL timing.prn_dropped",
        "yes": "PASS timing.prn",
        "BD SOS": "FAIL timing.component_invented + PASS timing.prn + PASS timing.prn",
        "if fever": "FAIL text.not_in_statement + PASS timing.prn",
    }),
    ("Tab Paracetamol 500 mg TDS", "Paracetamol", "as_needed", {
        "no": "PASS absence.read_to_the_end",
        "SOS": "FAIL timing.prn_invented",
        "yes": "FAIL timing.prn_invented",
    }),
    ("Tab Pantoprazole 40 mg OD 30 min before food", "Pantoprazole", "timing", {
        "30 min before food": "PASS timing.equal",
        "before food": "ABSTAIN timing.offset_dropped",
        "1 hour before food": "FAIL timing.different",
        "after food": "FAIL timing.meal_different",
        "30 minutes before meals": "PASS timing.equal",
    }),
    ("Tab Pantoprazole 40 mg OD before breakfast", "Pantoprazole", "timing", {
        "before breakfast": "PASS timing.equal",
        "before dinner": "FAIL timing.meal_different",
        "morning": "ABSTAIN timing.meal_as_day_part",
        "before food": "ABSTAIN timing.meal_dropped",
        "night": "FAIL timing.meal_different",
    }),
    ("Tab Pantoprazole 40 mg OD after lunch", "Pantoprazole", "timing", {
        "noon": "ABSTAIN timing.meal_as_day_part",
        "afternoon": "FAIL timing.meal_different",
        "after lunch": "PASS timing.equal",
        "after food": "ABSTAIN timing.meal_dropped",
    }),
    ("Tab Pantoprazole 40 mg OD at night", "Pantoprazole", "timing", {
        "at night": "PASS timing.equal",
        "HS": "ABSTAIN timing.night_or_bedtime",
        "evening": "FAIL timing.meal_different",
        "morning": "FAIL timing.meal_different",
    }),
    ("Tab Pantoprazole 40 mg BD", "Pantoprazole", "timing", {
        "morning": "FAIL timing.component_invented",
        "morning and night": "ABSTAIN timing.slots_inferred + ABSTAIN timing.slots_inferred",
        "morning and noon": "FAIL timing.component_invented + FAIL timing.component_invented",
        "before food": "FAIL timing.component_invented",
    }),
    ("Tab Pantoprazole 40 mg 1-0-1", "Pantoprazole", "timing", {
        "morning": "ABSTAIN timing.some_of_the_slots + PASS timing.from_slots",
        "morning and night": "PASS timing.from_slots + PASS timing.from_slots",
        "noon": "FAIL timing.component_invented",
        "bedtime": "ABSTAIN timing.night_or_bedtime",
        "afternoon": "FAIL timing.component_invented",
        "evening": "FAIL timing.component_invented",
    }),
    ("Tab Pantoprazole 40 mg 1-1-0", "Pantoprazole", "timing", {
        "afternoon": "ABSTAIN timing.some_of_the_slots + PASS timing.from_slots",
        "noon": "ABSTAIN timing.some_of_the_slots + PASS timing.from_slots",
        "morning and afternoon": "PASS timing.from_slots + PASS timing.from_slots",
    }),
    ("Tab Pantoprazole 40 mg OD at noon", "Pantoprazole", "timing", {
        "afternoon": "ABSTAIN timing.noon_or_afternoon",
        "noon": "PASS timing.equal",
        "night": "FAIL timing.meal_different",
    }),
)
# fmt: on


@pytest.mark.parametrize(
    ("line", "name", "field", "claim", "wanted"),
    [(line, name, field, *pair) for line, name, field, claims in STATED for pair in claims.items()],
)
def test_the_rules_that_answer_a_claim(line, name, field, claim, wanted):
    payload = {"medications": [{**({"name": name} if name else {}), field: claim}]}
    report = verify(Extraction("prescription", payload), SourceDocument(line), RULEPACK)
    found = []
    for one in report.findings:
        if one.field_path == ITEM + field and not one.check_id.startswith(BESIDE):
            rule = "|".join(sorted({evidence.rule_id for evidence in one.evidence if evidence.rule_id}))
            severity = () if one.severity is USUAL[one.verdict] else (one.severity.name,)
            found.append(" ".join((one.verdict.name, *severity, rule)))
    assert sorted(found) == sorted(wanted.split(" + "))


# What the source says -> the claimed statuses that it is, and those that it leaves open; any other is contradicted.
STATUSES = (
    *"active new continue start increased decreased changed restart resumed".split(),
    *"stopped on-hold past completed allergy planned zzz".split(),
    "not taking",
)


@pytest.mark.parametrize(
    ("line", "same", "undecided"),
    [
        # Nothing says when it began; a change is told by a word.
        ("Tab Amlodipine 5 mg OD", "active new continue start", "increased decreased changed restart resumed"),
        ("Continue Tab Amlodipine 5 mg OD", "active continue", "new start increased decreased changed restart resumed"),
        ("Start Tab Amlodipine 5 mg OD", "active new start", "continue increased decreased changed restart resumed"),
        ("Increase Tab Amlodipine to 5 mg OD", "active continue increased changed", "new start decreased restart resumed"),
        ("Resume Tab Amlodipine 5 mg OD", "active continue resumed", "new start increased decreased changed restart"),
        # What is over is no order, and of which kind of over is not always told.
        ("Tab Amlodipine 5 mg OD on hold", "on-hold", ""),
        ("Not taking Amlodipine 5 mg OD", "not_taking", "stopped past completed"),
        ("Avoid Amlodipine", "", "stopped past completed not_taking"),
        ("Allergic to Amlodipine", "allergy", ""),
    ],
)
def test_a_status_is_the_sources_undecided_or_contradicted(line, same, undecided):
    for status in STATUSES:
        payload = {"medications": [{"name": "Amlodipine", "status": status}]}
        report = verify(Extraction("prescription", payload), SourceDocument(line), RULEPACK)
        [found] = [one for one in report.findings if one.check_id == "assertion.status"]
        folded = status.replace(" ", "_")
        wanted = Verdict.PASS if folded in same.split() else Verdict.ABSTAIN if folded in (*undecided.split(), "zzz") else Verdict.FAIL
        assert found.verdict is wanted, status


def test_a_count_is_also_another_claims_to_carry():
    """`on Monday` alone drops the count, unless the item says it elsewhere; so with unequal doses that are carried as the dose."""
    line = "Tab Methotrexate 7.5 mg twice daily on Monday"
    both = {"name": "Methotrexate", "timing": "on Monday", "frequency": "twice daily"}
    report = verify(Extraction("prescription", {"medications": [both]}), SourceDocument(line), RULEPACK)
    rules = {evidence.rule_id for one in report.findings for evidence in one.evidence if one.verdict is not Verdict.PASS}
    assert not {"timing.day_dropped", "timing.frequency_lost"} & rules


@pytest.mark.parametrize(
    ("line", "more", "wanted"),
    [
        ("Tab Paracetamol 500 mg 1-0-1", {"frequency": "BD", "dose": "1 tab"}, "PASS timing.slots_dropped"),
        ("Tab Paracetamol 500 mg 2-0-2", {"frequency": "BD", "dose": "2 tab"}, "PASS timing.slots_dropped"),
        ("Tab Paracetamol 500 mg 1-0-1", {"frequency": "morning and night", "dose": "1 tab"}, "PASS timing.equal"),
        ("Tab Paracetamol 500 mg 1-0-2", {"frequency": "morning and night", "dose": "1 tab"}, "FAIL timing.slots_dropped"),
        ("Tab Paracetamol 500 mg at night", {"frequency": "OD", "timing": "at night"}, "PASS timing.count_of_day_parts"),
        ("Tab Paracetamol 500 mg at night", {"frequency": "OD", "timing": "in the morning"}, "ABSTAIN timing.day_part_dropped"),
        (
            "Tab Paracetamol 500 mg after breakfast and after dinner",
            {"frequency": "BD", "timing": "after breakfast and after dinner"},
            "PASS timing.count_of_meals",
        ),
        (
            "Tab Paracetamol 500 mg after breakfast and after dinner",
            {"frequency": "BD", "timing": "after dinner"},
            "ABSTAIN timing.meals_dropped",
        ),
    ],
)
def test_a_count_is_enough_where_another_claim_carries_the_rest(line, more, wanted):
    payload = {"medications": [{"name": "Paracetamol", **more}]}
    report = verify(Extraction("prescription", payload), SourceDocument(line), RULEPACK)
    found = [f"{one.verdict.name} {evidence.rule_id}" for one in report.findings if one.field_path == PATH for evidence in one.evidence]
    assert found == [wanted]
