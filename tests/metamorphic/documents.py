"""The clean documents of the grid: what the clinician means, the layouts it is written in, and its faithful extraction.

A document is a list of `Order`s, each field a key of the tables below, so that every operator knows what a change means. The sixty-four
written here are drawn from the clinics' own tables by a pure function of their number; the other twenty are the prescriptions of
`tests.metamorphic.opd`. Names and strengths are those of the shipped bundle (a test asks it); the regimens are invented, and no patient
is behind any of them. Standard library only: the benchmark runs on it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

from tests.metamorphic import opd

Payload = dict[str, Any]
T = TypeVar("T")

# -- one meaning, several surfaces -------------------------------------------------------------------------------------

SAME_FREQUENCY: dict[str, tuple[str, ...]] = {
    "1/d": ("OD", "once daily", "once a day", "o.d.", "daily"),
    "2/d": ("BD", "BID", "twice daily", "b.d.", "2 times a day"),
    "3/d": ("TDS", "TID", "thrice daily", "three times a day", "t.d.s."),
    "4/d": ("QID", "four times a day", "QDS"),
    "bed": ("HS", "at bedtime", "h.s."),
    "m-n": ("1-0-1", "1 - 0 - 1", "1\u20130\u20131"),
    "mmn": ("1-1-1", "1 - 1 - 1"),
    "mor": ("1-0-0", "1 - 0 - 0"),
    "nig": ("0-0-1", "0 - 0 - 1"),
    "q6h": ("q6h", "every 6 hours", "6 hourly"),
    "q8h": ("q8h", "every 8 hours", "8 hourly"),
    "alt": ("alternate days", "every other day"),
    "1/w": ("once a week", "weekly", "once weekly"),
    "prn": ("SOS", "PRN", "as needed"),
    "2/d prn": ("BD SOS", "twice daily as needed"),
    "3/d prn": ("TDS SOS", "thrice daily as needed"),
    "stat": ("stat", "single dose"),
}
SAME_MEAL: dict[str, tuple[str, ...]] = {
    "": ("",),
    "PC": ("after food", "after meals"),
    "AC": ("before food", "before meals"),
    "ACM": ("before breakfast", "BBF"),
    "PCM": ("after breakfast",),
    "PCD": ("after lunch",),
    "empty": ("on empty stomach",),
}
SAME_DURATION: dict[str, tuple[str, ...]] = {
    "": ("",),
    "1 d": ("x 1 day", "for 1 day", "1 day"),
    "2 d": ("x 2 days", "for 2 days", "2 days"),
    "3 d": ("x 3 days", "for 3 days", "3 days", "x 3/7"),
    "5 d": ("x 5 days", "5 days", "x 5/7"),
    "7 d": ("x 7 days", "for 7 days", "7 days", "x 7/7"),
    "10 d": ("x 10 days", "for 10 days", "10 days"),
    "14 d": ("x 14 days", "for 14 days"),
    "2 wk": ("x 2 weeks", "for 2 weeks", "x 2/52"),
    "8 wk": ("x 8 weeks", "for 8 weeks"),
    "30 d": ("x 30 days", "for 30 days"),
    "60 d": ("x 60 days", "for 60 days"),
    "3 mo": ("x 3 months", "for 3 months"),
}
SAME_FORM: dict[str, tuple[str, ...]] = {
    "tablet": ("tab", "tablet", "Tab"),
    "capsule": ("cap", "capsule", "Cap"),
    "syrup": ("syp", "syrup", "Syp"),
    "suspension": ("susp", "suspension"),
    "injection": ("inj", "injection", "Inj"),
    "cream": ("cream",),
    "ointment": ("ointment",),
    "eye drops": ("eye drops",),
    "inhaler": ("inhaler",),
}
SAME_ROUTE: dict[str, tuple[str, ...]] = {
    "IV": ("IV", "i/v", "intravenous"),
    "IM": ("IM", "i/m", "intramuscular"),
    "SC": ("SC", "s/c", "subcutaneous"),
    "SL": ("SL", "sublingual"),
    "topical": ("topical", "local application"),
    "oral": ("oral", "PO", "by mouth"),
}
SAME_UNIT: dict[str, tuple[str, ...]] = {
    "mg": ("mg", "MG", "mgs", "mg.", "milligram"),
    "mcg": ("mcg", "\u00b5g", "ug", "microgram"),
    "g": ("g", "gm", "gram"),
    "ml": ("ml", "mL", "ML"),
    "IU": ("IU", "I.U."),
    "%": ("%",),
}
BEFORE_NAME = {"tablet": "Tab", "capsule": "Cap", "syrup": "Syp", "suspension": "Susp", "injection": "Inj"}
"""Forms written before the name; the others stand behind it."""
IN_FULL = {"tablet": "tablet", "capsule": "capsule", "syrup": "syrup", "suspension": "suspension", "injection": "injection"}


@dataclass(frozen=True)
class Order:
    """One medication as meant. `frequency`, `timing`, `duration`, `route`, `form` are keys above; `then` is the strength of a second step,
    which has the frequency and the duration of the first."""

    form: str
    name: str
    generic: str
    strength: str
    frequency: str
    timing: str = ""
    duration: str = ""
    dose: str = ""
    route: str = ""
    reason: str = ""
    maximum: str = ""
    release: str = ""
    then: str = ""
    stopped: bool = False

    @property
    def value(self) -> str:
        return self.strength.split(" ")[0] if self.strength else ""

    @property
    def unit(self) -> str:
        return self.strength.split(" ", 1)[1] if self.strength else ""


@dataclass(frozen=True)
class Document:
    """`kind` is the artifact type. `head` and `tail` are what stands around the orders, and holds no order."""

    id: str
    kind: str
    head: str
    orders: tuple[Order, ...]
    tail: str

    @property
    def number(self) -> int:
        return int(self.id[-2:])


def pick(options: Sequence[T], *seed: object) -> T:
    """One of `options`, always the same for one seed, and in no pattern over seeds."""
    return options[int.from_bytes(hashlib.sha256(repr(seed).encode()).digest()[:8], "big") % len(options)]


# -- the clinics -------------------------------------------------------------------------------------------------------

# `form | name / generic | strengths | frequencies | meals | durations | further parts`; a list is parted by ", ", and one of each is drawn.
# The head stands in the first column of the heading; " / " is a line break.
CLINICS: dict[str, tuple[str, ...]] = {
    "Cardiology OPD / BP 146/92, pulse 84": (
        "tablet | Telma / telmisartan | 20 mg, 40 mg, 80 mg | 1/d, mor | | 30 d, 3 mo",
        "tablet | Amlong / amlodipine | 2.5 mg, 5 mg, 10 mg | 1/d, nig | | 30 d, 3 mo",
        "tablet | Concor / bisoprolol | 2.5 mg, 5 mg | 1/d | PCM, | 30 d",
        "tablet | Ecosprin / aspirin | 75 mg, 150 mg | 1/d | PCD, PC | 30 d, 3 mo",
        "tablet | Atorva / atorvastatin | 10 mg, 20 mg, 40 mg | bed | | 30 d, 3 mo",
        "tablet | Clopidogrel | 75 mg | 1/d | PC | 30 d, 3 mo",
        "tablet | Metoprolol | 25 mg, 50 mg | 1/d, 2/d | | 30 d | release=XL",
        "tablet | Lasix / furosemide | 40 mg | mor, alt | | 14 d, 30 d",
        "tablet | Isosorbide dinitrate | 5 mg | prn | | | route=SL; reason=chest pain; maximum=3 tablets/day",
        "tablet | Cardace / ramipril | 2.5 mg, 5 mg | 1/d | | 30 d",
        "tablet | Telma AM | 40/5 mg | 1/d | | 30 d",
        "tablet | Telma H | 40/12.5 mg | mor | | 30 d",
    ),
    "Diabetes clinic / FBS 168 mg/dL, HbA1c 8.2 %": (
        "tablet | Glycomet / metformin | 500 mg, 850 mg | 2/d, m-n | PC | 30 d, 3 mo",
        "tablet | Amaryl / glimepiride | 1 mg, 2 mg | 1/d, mor | ACM | 30 d",
        "tablet | Forxiga / dapagliflozin | 5 mg, 10 mg | 1/d | | 30 d, 3 mo",
        "tablet | Januvia / sitagliptin | 50 mg, 100 mg | 1/d | | 30 d",
        "tablet | Metformin | 500 mg, 1000 mg | 2/d | PC | 30 d | release=SR",
        "tablet | Voglibose | 0.2 mg, 0.3 mg | 3/d | AC | 30 d",
        "tablet | Pioglitazone | 15 mg, 30 mg | 1/d | | 30 d",
        "tablet | Rosuvastatin | 5 mg, 10 mg, 20 mg | bed | | 3 mo",
        "tablet | Telmisartan | 20 mg, 40 mg | mor | | 30 d",
        "tablet | Glycomet GP 1 | | 2/d | AC | 30 d",
    ),
    "Chest clinic / SpO2 97 %, wheeze both sides": (
        "tablet | Montair / montelukast | 10 mg | bed | | 10 d, 30 d",
        "tablet | Azithral / azithromycin | 250 mg, 500 mg | 1/d | | 3 d, 5 d",
        "tablet | Wysolone / prednisolone | 20 mg, 40 mg | 1/d | PC | 5 d | then=10 mg",
        "tablet | Prednisolone | 20 mg, 40 mg | 1/d | | 5 d | then=5 mg",
        "tablet | Deriphyllin | | 2/d | | 5 d",
        "tablet | Montair LC | | bed | | 10 d",
        "tablet | Levocetirizine | 5 mg | bed | | 5 d, 10 d",
        "tablet | Doxofylline | 400 mg | 2/d | | 7 d, 10 d",
        "inhaler | Salbutamol | 100 mcg | prn | | | dose=2 puffs; reason=wheeze; maximum=8 puffs/day",
        "tablet | Medrol / methylprednisolone | 8 mg, 16 mg | 1/d | PC | 5 d, 7 d",
    ),
    "Paediatric OPD / Wt 14 kg, Temp 101 F": (
        "syrup | Paracetamol | 250 mg/5 ml, 125 mg/5 ml | 3/d prn, q6h | | 3 d | dose=5 ml; reason=fever",
        "suspension | Amoxicillin | 125 mg/5 ml, 250 mg/5 ml | 3/d | | 5 d, 7 d | dose=5 ml",
        "syrup | Cetirizine | 5 mg/5 ml | bed, 1/d | | 5 d | dose=2.5 ml",
        "syrup | Ondansetron | 2 mg/5 ml | 2/d, q8h | AC | 2 d, 3 d | dose=5 ml",
        "suspension | Azithromycin | 200 mg/5 ml, 100 mg/5 ml | 1/d | | 3 d, 5 d | dose=5 ml",
        "suspension | Ibuprofen | 100 mg/5 ml | 3/d | PC | 3 d | dose=5 ml",
        "suspension | Cefixime | 50 mg/5 ml, 100 mg/5 ml | 2/d | | 5 d, 7 d | dose=5 ml",
        "tablet | Zinc sulphate | 20 mg | 1/d | | 14 d",
    ),
    "Ward round / day 2, afebrile, vitals stable": (
        "injection | Ceftriaxone | 1 g, 2 g | 2/d, 1/d | | 5 d, 7 d | route=IV",
        "injection | Pantoprazole | 40 mg | 1/d, 2/d | | 3 d, 5 d | route=IV",
        "injection | Enoxaparin | 40 mg, 60 mg | 1/d | | 5 d, 7 d | route=SC",
        "injection | Dexamethasone | 4 mg | 2/d, stat | | 2 d | route=IV",
        "injection | Hydrocortisone | 100 mg | q6h, q8h | | 2 d | route=IV",
        "injection | Tramadol | 50 mg, 100 mg | stat, 2/d | | | route=IM",
        "injection | Amikacin | 500 mg | 1/d | | 5 d | route=IV",
        "injection | Meropenem | 500 mg, 1 g | q8h, 3/d | | 7 d | route=IV",
        "tablet | Paracetamol | 500 mg, 650 mg | q6h, 3/d prn | | 3 d",
    ),
    "Neurology / EEG and MRI seen": (
        "tablet | Levipil / levetiracetam | 250 mg, 500 mg | m-n, 2/d | | 30 d, 3 mo",
        "tablet | Carbamazepine | 200 mg | 2/d | | 30 d | release=CR",
        "capsule | Gabapentin | 100 mg, 300 mg | bed, 3/d | | 14 d, 30 d",
        "tablet | Rivotril / clonazepam | 0.25 mg, 0.5 mg | bed | | 7 d, 10 d",
        "tablet | Propranolol | 20 mg, 40 mg | 2/d | | 30 d",
        "tablet | Amitriptyline | 10 mg, 25 mg | bed | | 30 d",
        "tablet | Sumatriptan | 50 mg | prn | | | reason=headache; maximum=2 tablets/day",
        "tablet | Folvite / folic acid | 5 mg | 1/d | | 30 d, 3 mo",
        "tablet | Vertin / betahistine | 8 mg, 16 mg | 3/d | | 10 d, 14 d",
    ),
    "Psychiatry review / sleep fair, no suicidal ideas": (
        "tablet | Nexito / escitalopram | 5 mg, 10 mg, 20 mg | 1/d, mor | PCM | 30 d, 2 wk",
        "tablet | Sertraline | 25 mg, 50 mg, 100 mg | 1/d | | 30 d",
        "tablet | Olanzapine | 5 mg, 10 mg | bed | | 30 d",
        "tablet | Clonazepam | 0.25 mg, 0.5 mg | bed, prn | | 7 d, 10 d",
        "tablet | Risperidone | 1 mg, 2 mg | bed, m-n | | 30 d",
        "tablet | Quetiapine | 25 mg, 50 mg, 100 mg | bed | | 30 d",
        "tablet | Trihexyphenidyl | 2 mg | 2/d | | 30 d",
    ),
    "Endocrine OPD / TSH 8.4, vitamin D low": (
        "tablet | Thyronorm / levothyroxine | 25 mcg, 50 mcg, 75 mcg, 100 mcg | 1/d | empty, ACM | 60 d, 3 mo",
        "tablet | Carbimazole | 5 mg, 10 mg | 2/d | | 30 d",
        "tablet | Folic acid | 5 mg | 1/d | | 30 d",
        "tablet | Cabergoline | 0.5 mg | 1/w | | 8 wk",
        "tablet | Alendronate | 70 mg | 1/w | | 3 mo",
        "tablet | Metformin | 500 mg | 2/d | PC | 30 d",
        "tablet | Hydrocortisone | 10 mg | m-n, 2/d | | 30 d",
        "tablet | Spironolactone | 25 mg, 50 mg | 1/d | | 30 d",
    ),
    "Gastro OPD / epigastric pain, no melaena": (
        "tablet | Pantocid / pantoprazole | 20 mg, 40 mg | 1/d, mor | ACM | 14 d, 30 d",
        "capsule | Pan D | | 1/d, mor | AC | 14 d",
        "capsule | Omez / omeprazole | 20 mg, 40 mg | 2/d, 1/d | AC | 14 d, 2 wk",
        "tablet | Domstal / domperidone | 10 mg | 3/d, prn | AC | 5 d, 7 d",
        "tablet | Rifagut / rifaximin | 200 mg, 400 mg | 2/d | | 5 d, 7 d",
        "tablet | Ursodeoxycholic acid | 150 mg, 300 mg | 2/d | PC | 30 d, 3 mo",
        "tablet | Emeset / ondansetron | 4 mg, 8 mg | prn, 3/d | | 2 d, 3 d",
        "tablet | Dicyclomine | 10 mg | 3/d | AC | 5 d",
        "tablet | Metronidazole | 200 mg, 400 mg | 3/d | PC | 5 d, 7 d",
    ),
    "Orthopaedics / low back pain, SLR negative": (
        "tablet | Aceclofenac | 100 mg | 2/d, m-n | PC | 5 d, 7 d",
        "tablet | Nucoxia / etoricoxib | 60 mg, 90 mg | 1/d | PC | 5 d, 7 d",
        "capsule | Pregabalin | 75 mg | bed | | 14 d, 30 d",
        "tablet | Dolo / paracetamol | 650 mg | 3/d prn, q8h | PC | 3 d, 5 d | reason=pain; maximum=4 tablets/day",
        "tablet | Methotrexate | 7.5 mg | 1/w | | 8 wk",
        "tablet | Folic acid | 5 mg | 1/w | | 8 wk",
        "tablet | Tramadol | 50 mg | prn, 2/d | | 3 d, 5 d",
        "capsule | Omeprazole | 20 mg | 1/d | ACM | 7 d, 14 d",
        "tablet | Baclofen | 10 mg | 2/d, bed | | 7 d",
    ),
    "Dermatology / itching, scaly patches": (
        "capsule | Itraconazole | 100 mg | 2/d | PC | 14 d, 2 wk",
        "tablet | Cetzine / cetirizine | 10 mg | bed | | 10 d, 14 d",
        "cream | Clotrimazole | 1 % | 2/d | | 14 d | route=topical",
        "ointment | Mupirocin | 2 % | 2/d, 3/d | | 7 d | route=topical",
        "tablet | Terbinafine | 250 mg | 1/d | PC | 14 d",
        "tablet | Fluconazole | 150 mg | 1/w | | 8 wk",
        "tablet | Hydroxyzine | 10 mg, 25 mg | bed | | 10 d",
        "capsule | Doxycycline | 100 mg | 2/d, 1/d | PC | 7 d, 14 d",
    ),
    "Urology and nephrology / urine routine seen": (
        "capsule | Urimax / tamsulosin | 0.4 mg | bed | | 30 d, 3 mo",
        "tablet | Norflox / norfloxacin | 400 mg | 2/d | AC, PC | 5 d, 7 d",
        "tablet | Zyloric / allopurinol | 100 mg, 300 mg | 1/d | PC | 30 d",
        "tablet | Sodium bicarbonate | 500 mg | 3/d | PC | 14 d",
        "tablet | Torsemide | 10 mg, 20 mg | mor, alt | | 14 d, 30 d",
        "tablet | Ciplox / ciprofloxacin | 250 mg, 500 mg | 2/d | | 5 d, 7 d",
        "tablet | Prazosin | 2.5 mg, 5 mg | bed, 2/d | | 30 d",
    ),
}
TAILS = ("", "Review after 2 weeks", "Adv: plenty of fluids", "Follow up with reports")
ASSESSMENTS = ("Imp: under evaluation", "Assessment: stable", "A/P: as below")
NUMBER_OF_DOCUMENTS = 64


def order(text: str, *seed: object) -> Order:
    """One row of a clinic's table, each list drawn from."""
    form, names, *lists = (part.strip() for part in text.split("|"))
    further: dict[str, Any] = dict(part.strip().split("=") for part in lists.pop().split(";")) if len(lists) == 5 else {}
    strength, frequency, timing, duration = (
        pick([part.strip() for part in options.split(",")], *seed, column) for column, options in enumerate(lists)
    )
    name, _, generic = (part.strip() for part in names.partition("/"))
    if frequency == "stat":
        duration = ""
    if "prn" not in frequency:
        further.pop("reason", None)
        further.pop("maximum", None)
    return replace(Order(form, name, generic, strength, frequency, timing, duration), **further)


def _written(number: int) -> Document:
    """Document `number` of those written here: a clinic, two to four of its medicines, each once; every third is a note."""
    clinics = list(CLINICS)
    clinic = clinics[number % len(clinics)]
    rows = sorted(CLINICS[clinic], key=lambda row: hashlib.sha256(f"{number} {row}".encode()).digest())
    drawn: list[Order] = []
    for row in rows:
        candidate = order(row, number, row)
        if len(drawn) < pick((2, 3, 3, 4), number, "how many") and not _shares_molecule(candidate, drawn):
            drawn.append(candidate)
    note = number % 3 == 2
    if note and len(drawn) > 2:
        last = drawn[-1]
        drawn[-1] = Order(last.form, last.name, last.generic, last.strength, "", release=last.release, stopped=True)
    head = clinic.replace(" / ", "\n")
    head = f"{head}\n{pick(ASSESSMENTS, number)}\nPlan:" if note else f"{head}\n\nRx"
    return Document(f"clinic-{number + 1:02}", "clinical_note" if note else "prescription", head, tuple(drawn), pick(TAILS, number, "tail"))


def _shares_molecule(candidate: Order, others: Sequence[Order]) -> bool:
    mine = {candidate.name.casefold(), candidate.generic.casefold()} - {""}
    return any(mine & {other.name.casefold(), other.generic.casefold()} for other in others)


def _from_opd(number: int) -> Document:
    heading, *orders = opd.PRESCRIPTIONS[number]
    read = [
        Order(
            opd.FORMS[line.form],
            line.name,
            "",
            f"{line.value} {line.unit}",
            _key(SAME_FREQUENCY, line.frequency),
            _key(SAME_MEAL, line.advice),
            f"{line.days} d",
        )
        for line in map(opd.order, orders)
    ]
    return Document(f"opd-{number + 1:02}", "prescription", heading.replace(" / ", "\n") + "\n\nRx", tuple(read), "")


def _key(table: dict[str, tuple[str, ...]], surface: str) -> str:
    return next(key for key, surfaces in table.items() if surface in surfaces)


@cache
def documents() -> tuple[Document, ...]:
    """Every clean document, in a fixed order."""
    return (*map(_written, range(NUMBER_OF_DOCUMENTS)), *map(_from_opd, range(len(opd.PRESCRIPTIONS))))


# -- the layouts -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Surfaces:
    """The parts of one order as text, in the words of one writer."""

    form: str
    name: str
    strength: str
    dose: str
    route: str
    frequency: str
    timing: str
    duration: str
    steps: str

    @property
    def product(self) -> str:
        """`Tab Telma 40 mg`, `Salbutamol inhaler 100 mcg`."""
        before = self.form if self.form in BEFORE_NAME.values() or self.form in IN_FULL.values() else ""
        return joined(before, self.name, "" if before else self.form, self.strength)


def joined(*parts: str, by: str = " ") -> str:
    return by.join(part for part in parts if part)


def surfaces(document: Document, index: int, seed: object = 0, *, in_words: bool = False) -> Surfaces:
    """How this writer puts each part; another `seed` is another writer of the same meaning."""
    order = document.orders[index]
    words = {"1/d": 1, "2/d": 2, "3/d": 2, "4/d": 1, "bed": 1, "prn": 2} if in_words else {}
    choice = (document.id, index, seed)
    frequency = ""
    if order.frequency:
        among = SAME_FREQUENCY[order.frequency]
        frequency = among[words[order.frequency]] if order.frequency in words else pick(among, *choice, "frequency")
    frequency = joined(frequency, f"for {order.reason}" if order.reason else "", f"max {order.maximum}" if order.maximum else "")
    form = BEFORE_NAME.get(order.form, order.form)
    return Surfaces(
        form=IN_FULL.get(order.form, order.form) if in_words else form,
        name=joined(pick((order.name, order.name.upper()), *choice, "name"), order.release),
        strength=order.strength if pick((True, False), *choice, "space") else order.strength.replace(" m", "m"),
        dose=order.dose,
        route=pick(SAME_ROUTE[order.route], *choice, "route") if order.route else "",
        frequency=frequency,
        timing=pick(SAME_MEAL[order.timing], *choice, "timing"),
        duration=pick(SAME_DURATION[order.duration], *choice, "duration"),
        steps=joined("then", order.then, pick(SAME_FREQUENCY[order.frequency][:3], *choice, "then"), "x 5 days") if order.then else "",
    )


def _one_line(number: int, s: Surfaces) -> str:
    return joined(s.product, s.dose, s.route, s.frequency, s.timing, s.duration, s.steps)


def _two_lines(number: int, s: Surfaces) -> str:
    return f"{number}. {s.product}\n   {joined(s.dose, s.route, s.frequency, s.timing, s.duration, s.steps)}"


def _numbered(number: int, s: Surfaces) -> str:
    between = ", " if " - " in s.frequency else " - "
    return f"{number}) " + joined(s.product, joined(s.dose, s.route, s.frequency), s.timing, joined(s.duration, s.steps), by=between)


def _block(number: int, s: Surfaces) -> str:
    labels = {
        "Drug": s.name,
        "Form": s.form,
        "Strength": s.strength,
        "Dose": s.dose,
        "Route": s.route,
        "Frequency": joined(s.frequency, s.timing),
        "Duration": joined(s.duration.removeprefix("x ").removeprefix("for "), s.steps),
    }
    return "\n".join(f"{label}: {text}" for label, text in labels.items() if text) + "\n"


def _row(number: int, s: Surfaces) -> str:
    return f"| {number} | {s.product} | {joined(s.dose, s.route)} | {joined(s.frequency, s.timing)} | {joined(s.duration, s.steps)} |"


def _sentence(number: int, s: Surfaces) -> str:
    verb = ("Start", "Give", "Continue")[number % 3]
    told = joined(s.product, s.dose, s.route, s.frequency, s.timing, s.duration.replace("x ", "for "))
    return f"{verb} {joined(told, s.steps, by=', ')}."


@dataclass(frozen=True)
class Layout:
    """How orders stand on the page. `before` is a line above them."""

    write: Callable[[int, Surfaces], str]
    between: str = "\n"
    before: str = ""
    in_words: bool = False


LAYOUTS: dict[str, Layout] = {
    "one line": Layout(_one_line),
    "two lines": Layout(_two_lines),
    "numbered": Layout(_numbered),
    "labelled block": Layout(_block),
    "table": Layout(_row, before="| No | Medicine | Dose | Frequency | Duration |"),
    "prose": Layout(_sentence, between=" ", in_words=True),
}


def source_of(document: Document, layout: str, seed: object = 0, *, order: Sequence[int] | None = None) -> str:
    """The text of the document; what is stopped stands in a line of its own behind the orders. `order`: the items in another order."""
    how = LAYOUTS[layout]
    indexes = list(order if order is not None else range(len(document.orders)))
    active = [i for i in indexes if not document.orders[i].stopped]
    lines = [how.write(number, surfaces(document, i, seed, in_words=how.in_words)) for number, i in enumerate(active, start=1)]
    stopped = [f"Stop {surfaces(document, i, seed).product}" for i in indexes if document.orders[i].stopped]
    parts = [document.head, how.before, how.between.join(lines), *stopped, document.tail]
    return "\n".join(part for part in parts if part) + "\n"


# -- the extraction ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Slot:
    """Which order an item of the payload speaks of, and which step of it: a taper has an item for each step."""

    order: int
    step: int


def slots(document: Document) -> tuple[Slot, ...]:
    """The items of the faithful payload, in order."""
    return tuple(Slot(index, step) for index, order in enumerate(document.orders) for step in range(2 if order.then else 1))


def item_of(document: Document, slot: Slot, seed: object = 0) -> dict[str, Any]:
    """One faithful item, under the canonical keys; `seed` draws among surfaces of the same meaning."""
    order = document.orders[slot.order]
    choice = (document.id, slot.order, seed, "item")
    item: dict[str, Any] = {"name": joined(order.name, "" if document.number % 2 else order.release)}
    strength = order.then if slot.step else order.strength
    if strength:
        value, unit = strength.split(" ", 1)
        item["strength"] = {"value": value, "unit": unit} if "/" not in unit and document.number % 2 else strength
    item["form"] = pick(SAME_FORM[order.form], *choice, "form")
    if order.release and document.number % 2:
        item["release"] = order.release
    if order.dose:
        item["dose"] = order.dose
    if order.route:
        item["route"] = pick(SAME_ROUTE[order.route], *choice, "route")
    if order.frequency:
        item["frequency"] = pick(SAME_FREQUENCY[order.frequency], *choice, "frequency")
    if order.reason:
        item["as_needed_for"] = order.reason
    if order.maximum:
        item["max_dose"] = order.maximum
    if order.timing and not slot.step:
        item["timing"] = pick(SAME_MEAL[order.timing], *choice, "timing")
    if order.duration:
        item["duration"] = pick(SAME_DURATION[order.duration], *choice, "duration").removeprefix("x ").removeprefix("for ")
    if order.then:
        item["sequence"] = slot.step + 1
    if document.kind == "clinical_note":
        item["status"] = "stopped" if order.stopped else "active"
    return item


def payload_of(document: Document, seed: object = 0) -> Payload:
    """The faithful extraction."""
    return {"medications": [item_of(document, slot, seed) for slot in slots(document)]}
