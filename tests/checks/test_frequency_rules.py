"""A claimed frequency against a stated one: each way of writing it against the others, and which rule answers.

Counts, intervals, slots, times of day, meals, days of the week, `as needed`, a single dose and `as directed` are told apart (P15):
the same is a PASS, what follows by convention alone an ABSTAIN, another a FAIL; what the statement says beside may not be dropped.
"""

from __future__ import annotations

import pytest

from medfence_guard import Extraction, Rulepack, Severity, SourceDocument, Verdict, verify

RULEPACK = Rulepack.default()
PATH = "$.medications[0].frequency"
USUAL = {Verdict.PASS: Severity.CRITICAL, Verdict.FAIL: Severity.CRITICAL, Verdict.ABSTAIN: Severity.MAJOR}

# The statement -> the claim -> every finding at it: verdict, severity where it is not the usual one of the verdict, rule.
# fmt: off
STATED: tuple[tuple[str, dict[str, str]], ...] = (
    ("Tab Paracetamol 500 mg OD", {
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
    ("Tab Paracetamol 500 mg BD", {
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
    ("Tab Paracetamol 500 mg 1-0-1", {
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
    ("Tab Paracetamol 500 mg 1-0-2", {
        "BD": "FAIL timing.slots_dropped",
        "morning and night": "FAIL timing.slots_dropped",
        "2-0-1": "FAIL timing.different",
        "BD (1-0-2)": "PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg 1-1-1", {
        "TDS": "ABSTAIN timing.slots_dropped",
        "q8h": "ABSTAIN timing.interval_vs_count",
        "8 hourly": "ABSTAIN timing.interval_vs_count",
        "morning, noon and night": "ABSTAIN timing.slots_dropped",
        "1-0-1": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg 1-0-0-1", {
        "1-0-1": "ABSTAIN timing.slots_shape",
        "1-0-0-1": "PASS timing.equal",
        "1-0-1-0": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg 5 ml-0-5 ml", {
        "1-0-1": "FAIL timing.different",
        "5 ml-0-5 ml": "PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg morning and night", {
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
    ("Tab Paracetamol 500 mg in the morning", {
        "OD": "ABSTAIN timing.day_part_dropped",
        "morning": "PASS timing.equal",
        "1-0-0": "ABSTAIN timing.slots_inferred",
        "0-0-1": "FAIL timing.slots_inferred",
        "BD": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg at bedtime", {
        "OD": "ABSTAIN timing.day_part_dropped",
        "at night": "ABSTAIN timing.night_or_bedtime",
        "0-0-1": "ABSTAIN CRITICAL timing.slots_inferred",
        "1-0-0": "FAIL timing.slots_inferred",
        "HS": "PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg 1 tab at night", {
        "OD": "ABSTAIN timing.day_part_dropped",
        "0-0-1": "PASS timing.equal",
        "at night": "PASS timing.equal",
        "1-0-0": "FAIL timing.slots_inferred",
        "2-0-0": "FAIL timing.slots_inferred",
        "0-0-2": "ABSTAIN timing.slots_inferred",
    }),
    ("Tab Paracetamol 500 mg 2 tab at night", {
        "0-0-1": "ABSTAIN timing.slots_inferred",
        "0-0-2": "PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg after breakfast and after dinner", {
        "BD": "ABSTAIN timing.meals_dropped",
        "TDS": "FAIL timing.different",
        "OD": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg SOS", {
        "SOS": "PASS timing.prn",
        "BD": "FAIL timing.component_invented + FAIL timing.prn_dropped",
        "1-0-1": "FAIL timing.component_invented + FAIL timing.prn_dropped",
        "as directed": "FAIL timing.component_invented + FAIL timing.prn_dropped",
    }),
    ("Tab Paracetamol 500 mg BD SOS", {
        "BD": "FAIL timing.prn_dropped + PASS timing.equal",
        "SOS": "FAIL timing.frequency_lost + PASS timing.prn",
        "BD SOS": "PASS timing.equal + PASS timing.prn",
        "TDS SOS": "FAIL timing.different + PASS timing.prn",
    }),
    ("Tab Paracetamol 500 mg stat", {
        "stat": "PASS timing.equal",
        "OD": "FAIL timing.single_dose_lost",
        "BD": "FAIL timing.single_dose_lost",
        "1-0-1": "FAIL timing.single_dose_lost",
        "morning": "FAIL timing.single_dose_lost",
    }),
    ("Tab Paracetamol 500 mg as directed", {
        "as directed": "PASS timing.equal",
        "BD": "FAIL timing.component_invented",
        "TDS as directed": "FAIL timing.component_invented + PASS timing.equal",
        "at night as directed": "FAIL timing.component_invented + PASS timing.equal",
        "SOS as directed": "FAIL timing.prn_invented + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg BD as directed", {
        "as directed": "FAIL timing.frequency_lost + PASS timing.equal",
        "BD": "PASS timing.equal",
        "BD as directed": "PASS timing.equal + PASS timing.equal",
        "TDS as directed": "FAIL timing.different + PASS timing.equal",
        "1-1-1 as directed": "FAIL timing.different + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg 6 hourly", {
        "q6h": "PASS timing.equal",
        "q8h": "FAIL timing.different",
        "QID": "ABSTAIN timing.interval_vs_count",
        "TDS": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg every 4-6 hours", {
        "every 4-6 hours": "PASS timing.equal",
        "every 6 hours": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg 2-3 times a day", {
        "2-3 times a day": "PASS timing.equal",
        "BD": "FAIL timing.different",
        "TDS": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg QD", {
        "OD": "ABSTAIN timing.ambiguous_token",
        "BD": "FAIL timing.no_reading_entails",
        "QID": "ABSTAIN timing.ambiguous_token",
        "1-0-0": "ABSTAIN timing.ambiguous_token",
    }),
    ("Tab Paracetamol 500 mg 8D", {
        "BD": "ABSTAIN timing.confusable",
    }),
    ("Tab Paracetamol 500 mg BD at bedtime", {
        "BD": "ABSTAIN timing.self_contradictory + PASS timing.equal",
        "at bedtime": "ABSTAIN timing.self_contradictory + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg OD 1-0-1", {
        "OD": "ABSTAIN timing.multi_frequency + FAIL timing.slots_dropped + PASS timing.equal",
        "1-0-1": "ABSTAIN timing.multi_frequency + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg OD at bedtime", {
        "OD": "PASS timing.equal",
        "at bedtime": "PASS timing.equal",
        "OD at bedtime": "PASS timing.equal + PASS timing.equal",
        "morning": "FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg 1-0-1 morning and noon", {
        "1-0-1": "ABSTAIN timing.self_contradictory + PASS timing.equal",
        "morning and noon": "ABSTAIN timing.self_contradictory + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg BD and TDS", {
        "BD": "ABSTAIN timing.multi_frequency + PASS timing.equal",
        "TDS": "ABSTAIN timing.multi_frequency + FAIL timing.different",
    }),
    ("Tab Paracetamol 500 mg at 10 pm", {
        "at 10 pm": "PASS timing.equal + PASS timing.equal",
        "at 8 am": "ABSTAIN timing.one_of_several + FAIL timing.meal_different + FAIL timing.meal_different",
        "OD": "FAIL timing.component_invented",
    }),
    ("Tab Paracetamol 500 mg at 8 am and 10 pm", {
        "at 10 pm": "ABSTAIN timing.one_of_several + PASS timing.equal + PASS timing.equal",
        "at 8 am and 10 pm": "PASS timing.equal + PASS timing.equal + PASS timing.equal + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg", {
        "OD": "FAIL timing.component_invented",
        "1-0-1": "FAIL timing.component_invented",
        "morning": "FAIL timing.component_invented",
        "SOS": "FAIL timing.prn_invented",
    }),
    ("Tab Methotrexate 7.5 mg weekly 1-0-0", {
        "weekly": "FAIL timing.slots_dropped + PASS timing.equal",
        "1-0-0": "FAIL timing.frequency_lost + PASS timing.equal",
        "OD": "FAIL timing.different",
        "weekly 1-0-0": "PASS timing.equal + PASS timing.equal",
    }),
    ("Tab Methotrexate 7.5 mg twice a week", {
        "twice a week": "PASS timing.equal",
        "BD": "FAIL timing.different",
        "weekly": "FAIL timing.different",
        "on Monday and Thursday": "FAIL timing.day_invented + FAIL timing.frequency_lost",
    }),
    ("Tab Methotrexate 7.5 mg Monday and Thursday", {
        "twice a week": "FAIL timing.day_dropped + PASS MINOR timing.count_of_days",
        "weekly": "FAIL timing.day_dropped + FAIL timing.different",
        "Monday and Thursday": "PASS timing.equal",
        "Monday": "FAIL timing.day_different",
        "OD": "FAIL timing.day_dropped + FAIL timing.different",
    }),
    ("Tab Azithromycin 500 mg OD on Monday", {
        "OD on Monday": "PASS timing.equal + PASS timing.equal",
        "OD": "FAIL timing.day_dropped + PASS timing.equal",
        "on Monday": "FAIL timing.frequency_lost + PASS timing.equal",
    }),
    ("Inj Heparin 10-0-10 units", {
        "10-0-10 IU": "ABSTAIN unit.unit_or_iu",
        "10-0-10 units": "PASS timing.equal",
    }),
    ("Tab Telma 40 mg 1 tab in the morning and 2 tabs at night", {
        "1-0-2": "PASS MINOR timing.slots_spelt_out",
        "2-0-1": "FAIL dose.one_of_several",
        "1-0-1": "FAIL dose.one_of_several",
        "BD": "ABSTAIN timing.slots_dropped",
        "1 tab in the morning and 2 tabs at night": "PASS dose.all_carried + PASS timing.equal",
        "OD": "FAIL timing.different",
        "1-2-0": "FAIL dose.one_of_several",
        "morning and night": "PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg as directed at night", {
        "as directed": "PASS timing.equal",
        "as directed at night": "PASS timing.equal + PASS timing.equal",
        "BD as directed": "FAIL timing.different + PASS timing.equal",
        "as directed in the morning": "FAIL timing.different + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg 1-0-1 as directed", {
        "as directed": "FAIL timing.frequency_lost + PASS timing.equal",
        "1-0-1 as directed": "PASS timing.equal + PASS timing.equal",
        "1-1-1 as directed": "FAIL timing.different + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg stat as directed", {
        "as directed": "FAIL timing.single_dose_lost + PASS timing.equal",
        "stat as directed": "PASS timing.equal + PASS timing.equal",
    }),
    ("Tab Paracetamol 500 mg SOS as directed", {
        "as directed": "FAIL timing.prn_dropped + PASS timing.equal",
        "SOS as directed": "PASS timing.equal + PASS timing.prn",
    }),
)
# fmt: on


@pytest.mark.parametrize(("line", "claim", "wanted"), [(line, *pair) for line, claims in STATED for pair in claims.items()])
def test_the_rule_that_answers_a_frequency(line, claim, wanted):
    payload = {"medications": [{"name": line.split()[1], "frequency": claim}]}
    report = verify(Extraction("prescription", payload), SourceDocument(line), RULEPACK)
    found = []
    for one in report.findings:
        if one.field_path == PATH:
            [rule] = {evidence.rule_id for evidence in one.evidence}
            severity = () if one.severity is USUAL[one.verdict] else (one.severity.name,)
            found.append(" ".join((one.verdict.name, *severity, str(rule))))
    assert sorted(found) == sorted(wanted.split(" + "))


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
