"""What a document says besides its orders: a date, a person, a place, a number.

Found on the page is not enough: `12` is an age, a day and a dose. A value counts only where it is bound to its own key, by the label
before it (`Patient:`, `Dr`, `UHID`) or by being of the key's kind beyond doubt (a sex behind an age, the only date of the page).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

from medfence_guard.checks.check import Context, rule_finding, span_evidence
from medfence_guard.checks.grounding.claimed import claim_says
from medfence_guard.checks.grounding.wording import words_of
from medfence_guard.compare import ABSTAIN, PASS
from medfence_guard.contract import Finding, Severity, Span
from medfence_guard.payload import Claim
from medfence_guard.payload.keys import fold_key
from medfence_guard.reader.text import fold

# Keys, folded, whose value is of one kind whosever it is; every other key is of the kind of its target.
_KINDS = {
    **dict.fromkeys(("age", "patientage"), "age"),
    **dict.fromkeys(("gender", "sex", "patientgender", "patientsex"), "sex"),
    **dict.fromkeys(("dob", "dateofbirth"), "birth"),
    **dict.fromkeys(("phone", "mobile", "contact", "patientphone"), "phone"),
    **dict.fromkeys(("address", "city", "patientaddress", "clinicaddress", "hospitaladdress"), "address"),
    "email": "email",
    **dict.fromkeys(("hospital", "clinic"), "facility"),
    **dict.fromkeys(
        (
            "qualification",
            "qualifications",
            "degree",
            "specialization",
            "speciality",
            "specialty",
            "department",
            "doctorqualification",
            "doctorqualifications",
            "doctorspecialization",
        ),
        "qualification",
    ),
    **dict.fromkeys(
        ("id", "patientid", "uhid", "mrn", "abha", "regno", "registrationno", "registrationnumber", "licenseno", "licensenumber"),
        "identifier",
    ),
}

_REACH = 48
"""How many characters before and behind a value, on its own line, may bind it."""
_PLACES = 200
"""How many places of a value are looked at."""

_DOCTOR = r"(?:dr|doctor|prof|consultant|physician|surgeon|prescriber|prescribed by|seen by|attending)"
_DEGREE = r"(?:mbbs|m\.?b\.?b\.?s|md|m\.d|ms|dm|mch|dnb|frcs|mrcp|mrcs|dch|dgo|bds|mds|bams|bhms|fcps|phd|dnb)"
_TITLE = r"(?:mr|mrs|ms|miss|smt|shri|sri|kumari|master|mast|baby)"
_PATIENT = rf"(?:patient(?:'s)?(?:\s+name)?|pt(?:\.?\s*name)?|name(?:\s+of\s+(?:the\s+)?(?:patient|pt))?|{_TITLE})"
_RELATED = re.compile(
    r"\b(?:[swdc]\s*/\s*o|wife of|son of|daughter of|father|mother|husband|guardian|informant|attendant|relative|spouse)\b[^\n]*$"
)
_REFERRED = re.compile(r"\b(?:ref(?:erred|d)?\.?\s*(?:by|to)|cc|copy to)\b[^\n]*$")
_OTHER_DATE = re.compile(
    r"\b(?:review|follow|f/u|fu|next|due|birth|dob|d\.o\.b|born|lmp|edd|exp|expiry|valid|till|until|doa|dod|admission|admitted|discharged?"
    r"|appointment|mfg|since|report|reported|sample|collected|tested|last|old|previous)\b[^\n]*$"
)
_DATE = re.compile(
    r"(?<![\d/.-])(?:\d{1,2}\s?[-/.]\s?\d{1,2}\s?[-/.]\s?(?:\d{4}|\d{2})|\d{4}-\d{1,2}-\d{1,2}"
    r"|\d{1,2}(?:st|nd|rd|th)?[ ./-]{0,2}(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[ .,/-]{0,3}(?:\d{4}|\d{2})"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}[ .]{0,2}\d{1,2}(?:st|nd|rd|th)?[ ,]{1,3}\d{4})(?![\d/-])"
)
_AGE = re.compile(
    r"\d{1,3}\s*(?:(?:y|yr|yrs|yo|y/o|years?|m|mo|months?)\.?(?:\s*old)?)?(?:\s*[/,]?\s*(?:m|f|male|female))?|(?:m|f)\s*/\s*\d{1,3}"
)
_SEX = frozenset({"m", "f", "male", "female", "boy", "girl", "man", "woman", "other", "transgender"})
_AGED = re.compile(r"\b(?:age|aged)\b(?:\s*[/&]\s*(?:sex|gender))?\s*[:./-]*\s*$")
_YEARS = re.compile(r"\s*(?:y|yr|yrs|yo|y/o|years?)\b(?!\s*(?:ago|back|of))")
_SEX_BEHIND = re.compile(r"\s*(?:(?:y|yr|yrs|years?)\b\.?)?\s*(?:old)?\s*[/,|-]?\s*(?:m|f|male|female)\b(?!\s*/)")
_SEX_BEFORE = re.compile(r"\b[mf]\s*/\s*$")
_SPAN_OF_TIME = re.compile(r"(?:\b(?:x|for|since|last|past|from|after|before|every|h/o|k/c/o)\b|\bon\b)[^\n]*$")
_SEX_LABEL = re.compile(r"\b(?:sex|gender)\b[^\n]{0,20}$")
_AGE_BEFORE = re.compile(r"\b\d{1,3}\s*(?:y|yr|yrs|yo|y/o|years?|months?)?\.?\s*(?:old)?\s*[/,|(-]*\s*$")
_PERSON_BEHIND = re.compile(r"\W{0,5}(?:age\b|aged\b|\d{1,3}\s*(?:y|yr|yrs|years?|/?\s*[mf])\b|[mf]\s*/\s*\d|(?:fe)?male\b)")
_PHONE = re.compile(r"(?<!\d)(?:\+?91[ -]?)?[6-9]\d{4}[ -]?\d{5}(?!\d)")
_PHONE_LABEL = re.compile(r"\b(?:ph|phone|mob|mobile|tel|contact|cell|m)\b\W{0,4}(?:no|number)?\W{0,4}$")
_ADDRESS_LABEL = re.compile(r"\b(?:address|addr|add|r/o|resident of|residence)\b[^\n]*$")
_PLACE = re.compile(
    r"\b(?:hospitals?|clinics?|centre|center|nursing|medical|health|healthcare|institute|polyclinic|dispensary|care|college|trust"
    r"|foundation|aiims|phc|chc)\b"
)
_SPECIALTY = re.compile(
    r"log(?:y|ist)|iatr|surg|medicine|physician|ortho|\bent\b|gyn|obst|paed|consult|dept|department|dental|family|general"
)

# Keys of numbers, folded -> the words that label such a number.
_NUMBERED = {
    **dict.fromkeys(("uhid",), r"uhid|hospital id"),
    **dict.fromkeys(("mrn", "medicalrecordnumber"), r"mrn|mr|medical record"),
    **dict.fromkeys(("abha", "abhaid", "abhanumber"), r"abha"),
    **dict.fromkeys(("opdno", "opdnumber", "opno"), r"opd|op"),
    **dict.fromkeys(("ipdno", "ipno"), r"ipd|ip"),
    **dict.fromkeys(("visitid", "visitnumber", "encounterid"), r"visit|encounter"),
    **dict.fromkeys(("prescriptionid", "prescriptionno", "prescriptionnumber", "rxno", "rxnumber", "rxid"), r"prescription|presc|rx"),
    **dict.fromkeys(("tokenno",), r"token"),
    **dict.fromkeys(("billno",), r"bill|invoice|receipt"),
    **dict.fromkeys(("id", "patientid", "patientnumber"), r"uhid|mrn|mr|cr|patient|pt|hospital|file|opd|op|ipd|ip|id"),
}
_REGISTERED = r"reg|regn|regd|registration|mci|nmc|lic|licen[cs]e"


@dataclass(slots=True)
class _Page:
    """What stands outside the orders, and what of each kind there is; each gathered once."""

    text: str
    orders: list[tuple[int, int]]
    dates: set[str]
    labelled_dates: set[str]
    numbers: set[str]
    doctors: set[str]
    sexes: set[str]
    aged: bool


_WORD = re.compile(r"[a-z]{3,}")
_LABELLED_DATE = re.compile(rf"\b(?:date|dated|dt)\b[^\n\d]{{0,8}}({_DATE.pattern})")
_A_DOCTOR = re.compile(r"\bdr\b\.?[ \t]*([^\s,;:()]+(?:[ \t](?!dr\b)[^\s,;:()]+)?)")


def _page_of(context: Context) -> _Page:
    known = context.gathered.get("page")
    if isinstance(known, _Page):
        return known
    text = context.reading.folded.text
    orders: list[tuple[int, int]] = []
    outside: list[str] = []
    place = 0
    for start, end in sorted((s.span.start, s.span.end) for s in context.reading.statements):
        outside.append(text[place : max(place, start)])
        orders.append((max(place, start), max(place, end)))
        place = max(place, end)
    rest = "\n".join([*outside, text[place:]])
    page = _Page(
        text,
        orders,
        {" ".join(words_of(found)) for found in _DATE.findall(rest)},
        {" ".join(words_of(found)) for found in _LABELLED_DATE.findall(rest)},
        {re.sub(r"\D", "", found)[-10:] for found in _PHONE.findall(rest)},
        set(_A_DOCTOR.findall(rest)),
        set(_WORD.findall(rest)) & _SEX,
        re.search(r"\b(?:age|aged)\b", rest) is not None,
    )
    context.gathered["page"] = page
    return page


Bound = Callable[[str, str, str, _Page], bool]
"""Whether an occurrence is bound: the value, what stands before and behind it on its line, and all text outside the orders."""


def _ends(label: str, before: str) -> bool:
    return re.search(rf"\b{label}\b\W{{0,5}}$", before) is not None


def _is_date(value: str, before: str, _behind: str, page: _Page) -> bool:
    if not _DATE.match(value) or _OTHER_DATE.search(before):
        return False
    if re.search(r"\b(?:date|dated|dt)\b[^\n\d]{0,24}$", before):
        return len(page.labelled_dates) <= 1
    return len(page.dates) == 1


def _is_birth(value: str, before: str, _behind: str, _page: _Page) -> bool:
    return _DATE.match(value) is not None and re.search(r"\b(?:dob|d\.o\.b|date of birth|born(?: on)?)\b\W{0,5}$", before) is not None


def _is_age(value: str, before: str, behind: str, page: _Page) -> bool:
    if not _AGE.fullmatch(value):
        return False
    if _AGED.search(before):
        return True
    if page.aged or _SPAN_OF_TIME.search(before):
        return False
    typed = bool(_YEARS.match(behind) or _SEX_BEHIND.match(behind) or _SEX_BEFORE.search(before))
    return typed or not value.isdigit()


def _is_sex(value: str, before: str, behind: str, page: _Page) -> bool:
    if value not in _SEX:
        return False
    aged = _AGE_BEFORE.search(before) and (re.search(r"\bage\b", before) or not _SPAN_OF_TIME.search(before))
    if _SEX_LABEL.search(before) or aged or re.match(r"\s*/\s*\d", behind):
        return True
    return page.sexes == {value}


def _is_phone(value: str, before: str, _behind: str, page: _Page) -> bool:
    if not any(c.isdigit() for c in value):
        return False
    return (bool(_PHONE_LABEL.search(before)) or bool(_PHONE.fullmatch(value))) and len(page.numbers) <= 1


def _is_own_phone(value: str, before: str, behind: str, page: _Page) -> bool:
    """Of the patient: on a line with the patient's label; elsewhere it may be the clinic's."""
    return _is_phone(value, before, behind, page) and re.search(rf"\b{_PATIENT}\b", before) is not None


def _is_patient(value: str, before: str, behind: str, page: _Page) -> bool:
    if _AGE.fullmatch(value):
        return _is_age(value, before, behind, page)
    if re.match(rf"{_DOCTOR}\b", value) or _RELATED.search(before) or _ends(_DOCTOR, before):
        return False
    if re.search(rf"\b(?:{_DOCTOR}|hospital|clinic)\b[^\n:]*:?\W*$", before) and not re.search(rf"\b{_PATIENT}\W{{0,5}}$", before):
        return False
    return _ends(_PATIENT, before) or bool(re.match(rf"{_TITLE}\b", value)) or bool(_PERSON_BEHIND.match(behind))


def _is_part_of_patient(value: str, before: str, behind: str, page: _Page) -> bool:
    return _is_patient(value, before, behind, page) or (
        re.search(rf"\b{_PATIENT}\b[^\n:]*:?[^\n:]{{0,30}}$", before) is not None and not _RELATED.search(before) and value.isalpha()
    )


def _is_prescriber(value: str, before: str, behind: str, page: _Page) -> bool:
    if _REFERRED.search(before) or _RELATED.search(before) or _ends(_PATIENT, before):
        return False
    named = _ends(_DOCTOR, before) or re.match(rf"{_DOCTOR}\b", value) is not None or re.match(rf"\W{{0,4}}{_DEGREE}\b", behind) is not None
    # Of several doctors on a page, which of them wrote it is not told.
    explicit = re.search(r"\b(?:prescriber|prescribed by|seen by|attending)\b", before) is not None
    return named and (len(page.doctors) <= 1 or explicit)


def _is_qualification(value: str, before: str, _behind: str, _page: _Page) -> bool:
    told = re.search(rf"(?<![a-z]){_DEGREE}(?![a-z])", value) or _SPECIALTY.search(value)
    return bool(told) and not _ends(_PATIENT, before)


def _is_facility(value: str, before: str, behind: str, _page: _Page) -> bool:
    if _ends(_DOCTOR, before) or _ends(_PATIENT, before) or re.match(rf"{_DOCTOR}\b", value):
        return False
    return _PLACE.search(value) is not None or _PLACE.search(f"{before} {behind}") is not None


def _is_address(_value: str, before: str, _behind: str, _page: _Page) -> bool:
    return not (_ends(_PATIENT, before) or _ends(_DOCTOR, before))


def _is_home(_value: str, before: str, _behind: str, _page: _Page) -> bool:
    return _ADDRESS_LABEL.search(before) is not None


def _is_email(value: str, _before: str, _behind: str, _page: _Page) -> bool:
    return "@" in value


def _is_numbered(label: str) -> Bound:
    bound = re.compile(rf"\b(?:{label})\b\W{{0,3}}(?:(?:id|no|number|num|council)\b)?\W{{0,3}}(?:(?:no|number)\b)?\W{{0,4}}$")

    def judge(value: str, before: str, _behind: str, _page: _Page) -> bool:
        return any(c.isdigit() for c in value) and bound.search(before) is not None

    return judge


_BOUND: dict[str, Bound] = {
    "date": _is_date,
    "birth": _is_birth,
    "age": _is_age,
    "sex": _is_sex,
    "phone": _is_phone,
    "patient": _is_patient,
    "prescriber": _is_prescriber,
    "qualification": _is_qualification,
    "facility": _is_facility,
    "address": _is_address,
    "email": _is_email,
}


def _bound_of(claim: Claim) -> Bound:
    key = fold_key(claim.key) or ""
    kind = _KINDS.get(key, claim.field)
    if kind == "identifier":
        return _is_numbered(_NUMBERED.get(key, _REGISTERED))
    if claim.field == "patient" and kind in ("address", "phone"):
        return _is_home if kind == "address" else _is_own_phone
    if claim.field == "patient" and key in ("firstname", "lastname"):
        return _is_part_of_patient
    return _BOUND.get(kind, _is_address)


def document_check(context: Context, claim: Claim) -> list[Finding]:
    """Date, prescriber, patient, identifiers: verbatim in the source and bound to their key, else ABSTAIN (P19)."""
    told = fold(claim.text)
    words = words_of(claim.text)
    if not words or told.unlisted:
        return [_abstain(claim, "it does not stand in the source as written")]
    page = _page_of(context)
    text = page.text
    bound = _bound_of(claim)
    value = " ".join(told.text.split())
    letters = r"0-9a-z\u0900-\u0dff"
    found = re.compile(rf"(?<![{letters}])" + rf"[^{letters}]{{1,6}}".join(map(re.escape, words)) + rf"(?![{letters}])")
    seen = 0
    for match in found.finditer(text):
        start, end = match.span()
        # What an order says is no proof of an age, a weight or a name.
        at = bisect_left(page.orders, (end,)) - 1
        if at >= 0 and page.orders[at][1] > start:
            continue
        seen += 1
        if seen > _PLACES:
            break
        line = text.rfind("\n", max(0, start - _REACH), start) + 1
        stop = text.find("\n", end, end + _REACH)
        before = text[max(line, start - _REACH) : start]
        behind = text[end : stop if stop >= 0 else end + _REACH]
        if bound(value, before, behind, page):
            span = Span(start, end)
            evidence = span_evidence(context, span, "document.verbatim")
            says = f"{claim_says(claim)}source has it verbatim."
            return [rule_finding("grounding.document", claim.path, PASS, Severity.MAJOR, says, (evidence,))]
    if seen:
        return [_abstain(claim, "it stands in the source, but not certainly as that")]
    return [_abstain(claim, "it does not stand in the source as written")]


def _abstain(claim: Claim, why: str) -> Finding:
    return rule_finding("grounding.document", claim.path, ABSTAIN, Severity.MAJOR, f"{claim_says(claim)}{why}.")
