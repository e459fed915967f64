"""What a page says besides its orders: which place of a value proves it for a key, and which does not."""

from __future__ import annotations

from typing import Any

import pytest

from medfence_guard import Extraction, Finding, Rulepack, SourceDocument, Verdict, verify

RULEPACK = Rulepack.default()
ORDER = "Tab Metformin 500 mg BD"
PROVEN, NOT_AS_THAT, NOT_THERE = "has it verbatim", "not certainly as that", "does not stand in the source as written"


def found(page: str, key: str, value: Any) -> Finding:
    """What the report says of one key of the document; `patient.age` is a key of the patient."""
    outer, _, inner = key.partition(".")
    claimed = {outer: {inner: value} if inner else value}
    payload = {"medications": [{"name": "Metformin", "strength": "500 mg", "frequency": "BD"}], **claimed}
    report = verify(Extraction("prescription", payload), SourceDocument(page), RULEPACK)
    [one] = [one for one in report.findings if one.check_id == "grounding.document"]
    assert one.field_path == f"$.{key}"
    assert (one.verdict is Verdict.PASS) is (PROVEN in one.message)
    return one


# what stands on the page (an order follows), key, value, what is said of it
# fmt: off
CASES: tuple[tuple[str, str, str, str], ...] = (
    # a date: the labelled one, or the only one; another's label makes it another
    ("Date: 12/03/2024", "date", "12/03/2024", PROVEN),
    ("Date: 12/03/2024", "date", "12-03-2024", PROVEN),
    ("Date: 12/03/2024", "date", "12", NOT_AS_THAT),
    ("Date: 12/03/2024", "date", "13/03/2024", NOT_THERE),
    ("12/03/2024", "date", "12/03/2024", PROVEN),
    ("12/03/2024\n13/03/2024", "date", "12/03/2024", NOT_AS_THAT),
    ("12/03/2024\nPrinted 12-03-2024", "date", "12/03/2024", PROVEN),
    ("Date: 12/03/2024\n13/03/2024", "date", "12/03/2024", PROVEN),
    ("Date: 12/03/2024\n13/03/2024", "date", "13/03/2024", NOT_AS_THAT),
    ("Date: 12/03/2024\nDate: 13/03/2024", "date", "12/03/2024", NOT_AS_THAT),
    ("Date: 12/03/2024\nDate: 12-03-2024", "date", "12/03/2024", PROVEN),
    ("Date of visit: 12/03/2024\n13/03/2024", "date", "12/03/2024", PROVEN),
    ("Review on 12/03/2024", "date", "12/03/2024", NOT_AS_THAT),
    ("Date: 12/03/2024 Review: 15/03/2024", "date", "15/03/2024", NOT_AS_THAT),
    # a day of birth only behind its label
    ("DOB: 12/03/1980", "patient.dob", "12/03/1980", PROVEN),
    ("12/03/1980", "patient.dob", "12/03/1980", NOT_AS_THAT),
    ("Date: 12/03/1980", "patient.dob", "12/03/1980", NOT_AS_THAT),
    ("Born: 1980", "patient.dob", "1980", NOT_AS_THAT),
    # an age: labelled, or of the kind of an age; not a span of time, and none but the labelled where one is
    ("Age: 45", "patient.age", "45", PROVEN),
    ("Age: 45", "patient.age", "54", NOT_THERE),
    ("Age: adult", "patient.age", "adult", NOT_AS_THAT),
    ("Ravi Rao 45", "patient.age", "45", NOT_AS_THAT),
    ("Ravi Rao 45 yrs", "patient.age", "45", PROVEN),
    ("Ravi Rao 45 yrs", "patient.age", "45 yrs", PROVEN),
    ("Ravi Rao 45/M", "patient.age", "45", PROVEN),
    ("Ravi Rao M/45", "patient.age", "45", PROVEN),
    ("Surgery 45 years ago", "patient.age", "45", NOT_AS_THAT),
    ("Cough since 45 yrs", "patient.age", "45", NOT_AS_THAT),
    ("Cough since 45 yrs", "patient.age", "45 yrs", NOT_AS_THAT),
    ("Age: 45\nMother 60 yrs", "patient.age", "60", NOT_AS_THAT),
    ("Mother 60 yrs\nAge: 45", "patient.age", "45", PROVEN),
    # a sex: labelled, beside an age, or the only word for one
    ("Sex: M", "patient.sex", "M", PROVEN),
    ("Sex: other", "patient.sex", "other", PROVEN),
    ("Sex: not told", "patient.sex", "not told", NOT_AS_THAT),
    ("Ravi Rao 45/M", "patient.sex", "M", PROVEN),
    ("Ravi Rao M/45", "patient.sex", "M", PROVEN),
    ("Ravi Rao, male", "patient.sex", "male", PROVEN),
    ("Ravi Rao, man", "patient.sex", "man", PROVEN),
    ("Ravi Rao, male\nSister female", "patient.sex", "male", NOT_AS_THAT),
    ("M Rao", "patient.sex", "M", NOT_AS_THAT),
    ("M Rao, male", "patient.sex", "M", NOT_AS_THAT),
    ("Cough for 3 M", "patient.sex", "M", NOT_AS_THAT),
    ("Age on admission 45 M", "patient.sex", "M", PROVEN),
    ("Age 45 F, cough for 3 F", "patient.sex", "F", PROVEN),
    # a phone: labelled or of the form of one, where the page has not another; the patient's on the patient's line
    ("Ph: 022-234567", "doctor.phone", "022-234567", PROVEN),
    ("9876543210", "doctor.phone", "9876543210", PROVEN),
    ("+91 9876543210\nMob: 9876543210", "doctor.phone", "9876543210", PROVEN),
    ("9876543210\n9123456780", "doctor.phone", "9876543210", NOT_AS_THAT),
    ("Ph: 9876543210\nPh: 9123456780", "doctor.phone", "9876543210", NOT_AS_THAT),
    ("022-234567", "doctor.phone", "022-234567", NOT_AS_THAT),
    ("Contact: Ravi", "doctor.phone", "Ravi", NOT_AS_THAT),
    ("Patient: Ravi Rao, Ph: 9876543210", "patient.phone", "9876543210", PROVEN),
    ("Patient: Ravi Rao, 022-234567", "patient.phone", "022-234567", NOT_AS_THAT),
    ("City Clinic Ph: 9876543210", "patient.phone", "9876543210", NOT_AS_THAT),
    # the patient: by the label, the title, or the age and sex behind; not a relative, the doctor or the place
    ("Patient: Ravi Rao", "patient.name", "Ravi Rao", PROVEN),
    ("Patient: Ravi Rao", "patient.name", "Ravi", PROVEN),
    ("Patient: Ravindra Rao", "patient.name", "Ravi", NOT_THERE),
    ("Mr Ravi Rao", "patient.name", "Mr Ravi Rao", PROVEN),
    ("Mr Ravi Rao", "patient.name", "Ravi Rao", PROVEN),
    ("Ravi Rao 45/M", "patient.name", "Ravi Rao", PROVEN),
    ("Ravi Rao", "patient.name", "Ravi Rao", NOT_AS_THAT),
    ("Ravi Rao\n45/M", "patient.name", "Ravi Rao", NOT_AS_THAT),
    ("Patient:\nRavi Rao", "patient.name", "Ravi Rao", NOT_AS_THAT),
    ("Dr Rao 45/M", "patient.name", "Dr Rao", NOT_AS_THAT),
    ("Dr Rao 45/M", "patient.name", "Rao", NOT_AS_THAT),
    ("Asha S/o Ravi Rao 45/M", "patient.name", "Ravi Rao", NOT_AS_THAT),
    ("Apollo Hospital Ravi Rao 45/M", "patient.name", "Ravi Rao", NOT_AS_THAT),
    ("Apollo Hospital: Ravi Rao 45/M", "patient.name", "Ravi Rao", NOT_AS_THAT),
    ("Apollo Hospital Patient: Ravi Rao", "patient.name", "Ravi Rao", PROVEN),
    ("Patient: Ravi Rao, Dr Shah, Ravi Rao", "patient.name", "Ravi Rao", PROVEN),
    ("Age: 45", "patient", "45", PROVEN),
    ("Age: 45\nPatient: 54", "patient", "54", NOT_AS_THAT),
    ("Patient: Ravi Rao", "patient.first_name", "Ravi", PROVEN),
    ("Patient: Ravi Rao", "patient.last_name", "Rao", PROVEN),
    ("Patient: Ravi S/o Mohan", "patient.last_name", "Mohan", NOT_AS_THAT),
    ("Patient: Ravi Rao2", "patient.last_name", "Rao2", NOT_AS_THAT),
    ("Ravi Rao", "patient.last_name", "Rao", NOT_AS_THAT),
    # who prescribes: by the label, the title or the degree; of two doctors only one that is said to have
    ("Dr. Rao", "prescriber", "Rao", PROVEN),
    ("Dr. Rao", "prescriber", "Dr Rao", PROVEN),
    ("Rao, MBBS", "prescriber", "Rao", PROVEN),
    ("Rao", "prescriber", "Rao", NOT_AS_THAT),
    ("Rao, Pune", "prescriber", "Rao", NOT_AS_THAT),
    ("Ref by Dr Shah", "prescriber", "Shah", NOT_AS_THAT),
    ("W/o Dr Shah", "prescriber", "Shah", NOT_AS_THAT),
    ("Patient: Dr Shah", "prescriber", "Dr Shah", NOT_AS_THAT),
    ("Dr Rao\nDr Shah", "prescriber", "Rao", NOT_AS_THAT),
    ("Dr Rao\nDr Rao", "prescriber", "Rao", PROVEN),
    ("Prescribed by Dr Rao\nDr Shah", "prescriber", "Rao", PROVEN),
    ("Prescribed by Dr Rao\nDr Shah", "prescriber", "Shah", NOT_AS_THAT),
    # a degree or a specialty
    ("Dr Rao MBBS", "prescriber.qualification", "MBBS", PROVEN),
    ("Dr Rao, Cardiologist", "prescriber.qualification", "Cardiologist", PROVEN),
    ("Dr Rao, Pune", "prescriber.qualification", "Pune", NOT_AS_THAT),
    ("Patient: Surgeon", "prescriber.qualification", "Surgeon", NOT_AS_THAT),
    # a place: in its own words, or with them beside it; not a person
    ("City Hospital", "hospital", "City Hospital", PROVEN),
    ("City Hospital", "hospital", "City", PROVEN),
    ("Hospital: Sunrise", "hospital", "Sunrise", PROVEN),
    ("Sunrise", "hospital", "Sunrise", NOT_AS_THAT),
    ("Dr Rao, City Hospital", "hospital", "Rao", NOT_AS_THAT),
    ("Dr Rao, City Hospital", "hospital", "Dr Rao", NOT_AS_THAT),
    ("Patient: Ravi, City Hospital", "hospital", "Ravi", NOT_AS_THAT),
    # an address: the clinic's anywhere but as a person's name, the patient's only behind its label
    ("12 MG Road", "clinic_address", "12 MG Road", PROVEN),
    ("Dr Rao", "clinic_address", "Rao", NOT_AS_THAT),
    ("Patient: Rao", "clinic_address", "Rao", NOT_AS_THAT),
    ("Address: 12 MG Road", "patient.address", "12 MG Road", PROVEN),
    ("12 MG Road", "patient.address", "12 MG Road", NOT_AS_THAT),
    ("Email: a.rao@example.org", "clinic.email", "a.rao@example.org", PROVEN),
    ("Email: on request", "clinic.email", "on request", NOT_AS_THAT),
    # a number behind its own label
    ("UHID: 12345", "uhid", "12345", PROVEN),
    ("UHID No. 12345", "uhid", "12345", PROVEN),
    ("UHID: pending", "uhid", "pending", NOT_AS_THAT),
    ("12345", "uhid", "12345", NOT_AS_THAT),
    ("Bill No 12345", "uhid", "12345", NOT_AS_THAT),
    ("Dr Rao Reg No 12345", "registration_number", "12345", PROVEN),
    ("Token No 12345", "registration_number", "12345", NOT_AS_THAT),
    # what is not written so, or holds what nobody reads
    ("Patient: Ravi Rao", "patient.name", "Rаvi Rao", NOT_THERE),
    ("Patient: Ravi Rao", "patient.name", "...", NOT_THERE),
    # a later place may prove what an earlier one does not
    ("Ravi Rao\nPatient: Ravi Rao", "patient.name", "Ravi Rao", PROVEN),
    # a label binds on its own line and near by
    ("Patient: Ravi " + "x" * 20 + " Rao", "patient.last_name", "Rao", PROVEN),
    ("Patient: Ravi " + "x" * 40 + " Rao", "patient.last_name", "Rao", NOT_AS_THAT),
    ("Address: " + "x " * 15 + "12 MG Road", "patient.address", "12 MG Road", PROVEN),
    ("Address: " + "x " * 30 + "12 MG Road", "patient.address", "12 MG Road", NOT_AS_THAT),
    ("Sunrise " + "x " * 15 + "Hospital", "hospital", "Sunrise", PROVEN),
    ("Sunrise " + "x " * 30 + "Hospital", "hospital", "Sunrise", NOT_AS_THAT),
    ("Sunrise\nHospital", "hospital", "Sunrise", NOT_AS_THAT),
)
# fmt: on


@pytest.mark.parametrize(("page", "key", "value", "said"), CASES)
def test_which_place_proves_a_value(page, key, value, said):
    assert said in found(f"{page}\n{ORDER}", key, value).message


@pytest.mark.parametrize(
    ("source", "key", "value", "said"),
    [
        ("Tab Metformin 500 mg BD from 12/03/2024", "date", "12/03/2024", NOT_THERE),
        ("Date: 12/03/2024\nTab Metformin 500 mg BD from 15/03/2024", "date", "12/03/2024", PROVEN),
        ("12/03/2024\nTab Metformin 500 mg BD from 15/03/2024", "date", "12/03/2024", PROVEN),
        ("Tab Metformin 500 mg BD\n12/03/2024\nTab Telma 40 mg OD from 15/03/2024", "date", "12/03/2024", PROVEN),
        ("Tab Metformin 500 mg BD\n12/03/2024\nTab Telma 40 mg OD", "date", "12/03/2024", PROVEN),
        ("Tab Metformin 500 mg BD", "patient.name", "Metformin", NOT_THERE),
        ("Tab Metformin 500 mg BD\n\nPatient: Ravi Rao", "patient.name", "Ravi Rao", PROVEN),
        ("Tab Metformin 500 mg BD\n\nUHID: 500", "patient.uhid", "500", PROVEN),
        ("Tab Telma 40 mg OD\nTab Metformin 500 mg BD from 12/03/2024", "date", "12/03/2024", NOT_THERE),
        ("Tab Metformin 500 mg BD\n\nDr Rao\nDr Shah", "prescriber", "Rao", NOT_AS_THAT),
        ("Dr Rao\nTab Metformin 500 mg BD\n\nDr Shah", "prescriber", "Rao", NOT_AS_THAT),
        ("Tab Metformin 500 mg BD", "hospital", "Tab", NOT_THERE),
    ],
)
def test_what_an_order_says_proves_nothing_of_the_page(source, key, value, said):
    assert said in found(source, key, value).message


@pytest.mark.parametrize(("times", "said"), [(150, PROVEN), (250, NOT_AS_THAT)])
def test_a_word_of_every_line_is_not_looked_for_without_end(times, said):
    page = "Rao, Pune\n" * times + f"Dr Rao\n{ORDER}"
    assert said in found(page, "prescriber", "Rao").message


def test_the_evidence_is_the_place_itself():
    page = "Ravi Rao\nPatient: Ravi Rao, 45/M\n" + ORDER
    [evidence] = found(page, "patient.name", "ravi rao").evidence
    [span] = evidence.source_spans
    assert (span.start, span.end) == (page.index("Ravi Rao", 5), page.index(", 45/M"))
    assert evidence.matched_text == "Ravi Rao"
