"""Twenty made-up Indian out-patient prescriptions, each with its faithful extraction.

The idea is the predecessor's benchmark; the prescriptions and their wording are our own. No patient is behind any of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

FORMS = {"Tab": "tablet", "Cap": "capsule"}


@dataclass(frozen=True)
class Order:
    """One line of a prescription: as its writer would jot it, in the parts an extraction has."""

    form: str
    name: str
    value: str
    unit: str
    frequency: str
    days: int
    advice: str = ""


def order(text: str) -> Order:
    """`Tab | Telma | 40 mg | OD | 30 | after breakfast`; the advice may be missing."""
    form, name, strength, frequency, days, *advice = (part.strip() for part in text.split("|"))
    value, unit = strength.split()
    return Order(form, name, value, unit, frequency, int(days), *advice)


# How five clinics write a line. The last two put the strength and the duration elsewhere.
STYLES = (
    "{n}. {form} {name} {value} {unit} {frequency} x {days} days{advice}",
    "{n}) {form}. {NAME} {value}{unit} - {frequency} - {days} days{advice}",
    "{form} {name} {value} {unit}, {frequency}, for {days} days{advice}",
    "{n}. {form}. {name} ({value} {unit}) {frequency} \u00d7 {days}d{advice}",
    "- {form} {name} {value}{unit} {frequency} for {days} days{advice}",
)

# The heading, its lines parted by " / ", then the orders. Names and strengths are those of the shipped bundle; the regimens are invented.
PRESCRIPTIONS: tuple[tuple[str, ...], ...] = (
    (
        "General OPD / C/o fever and body ache since 2 days",
        "Tab | Dolo | 650 mg | TDS | 3 | after food",
        "Cap | Omez | 20 mg | OD | 3 | before breakfast",
    ),
    (
        "Hypertension clinic / BP 148/92",
        "Tab | Telma | 40 mg | OD | 30",
        "Tab | Amlong | 5 mg | OD | 30",
    ),
    (
        "Diabetic OPD / FBS 162",
        "Tab | Glycomet | 500 mg | BD | 30 | after food",
        "Tab | Amaryl | 1 mg | OD | 30 | before breakfast",
        "Tab | Forxiga | 10 mg | OD | 30",
    ),
    (
        "ENT OPD",
        "Tab | Azithral | 500 mg | OD | 3",
        "Tab | Montair | 10 mg | HS | 10",
        "Tab | Okacet | 10 mg | HS | 5",
    ),
    (
        "Thyroid clinic / TSH 8.1",
        "Tab | Thyronorm | 50 mcg | OD | 60 | on empty stomach",
    ),
    (
        "Cardiology follow-up",
        "Tab | Ecosprin | 75 mg | OD | 30 | after lunch",
        "Tab | Atorva | 20 mg | HS | 30",
        "Tab | Concor | 5 mg | OD | 30",
        "Tab | Cardace | 5 mg | OD | 30",
    ),
    (
        "Gastro OPD",
        "Tab | Pantocid | 40 mg | OD | 14 | before breakfast",
        "Tab | Domstal | 10 mg | TDS | 5 | before food",
        "Tab | Rifagut | 400 mg | BD | 5",
    ),
    (
        "Orthopaedics / Low back pain",
        "Tab | Nucoxia | 90 mg | OD | 7 | after food",
        "Cap | Pregalin | 75 mg | HS | 14",
    ),
    (
        "Dermatology",
        "Cap | Canditral | 100 mg | BD | 14 | after food",
        "Tab | Cetzine | 10 mg | HS | 14",
    ),
    (
        "Psychiatry review",
        "Tab | Nexito | 10 mg | OD | 30 | after breakfast",
        "Tab | Rivotril | 0.5 mg | HS | 10",
    ),
    (
        "Paediatric OPD / Wt 24 kg",
        "Tab | Zifi | 200 mg | BD | 5",
        "Tab | Emeset | 4 mg | TDS | 2",
    ),
    (
        "Neurology",
        "Tab | Levipil | 500 mg | 1-0-1 | 30",
        "Tab | Tegretol | 200 mg | 1-0-1 | 30",
        "Tab | Folvite | 5 mg | 1-0-0 | 30",
    ),
    (
        "Urology",
        "Cap | Urimax | 0.4 mg | HS | 30",
        "Tab | Norflox | 400 mg | BD | 5 | after food",
    ),
    (
        "Rheumatology",
        "Tab | HCQS | 200 mg | BD | 30 | after food",
        "Tab | Wysolone | 10 mg | OD | 7 | after breakfast",
        "Tab | Zyloric | 100 mg | OD | 30",
    ),
    (
        "Chest clinic",
        "Tab | Asthalin | 4 mg | TDS | 5",
        "Tab | Montair | 10 mg | HS | 10",
        "Tab | Medrol | 16 mg | OD | 5 | after food",
    ),
    (
        "General medicine / Generic prescribing",
        "Tab | Paracetamol | 500 mg | QID | 3",
        "Cap | Amoxicillin | 500 mg | TDS | 5",
        "Tab | Cetirizine | 10 mg | HS | 5",
    ),
    (
        "Hypertension clinic / Generic prescribing",
        "Tab | Telmisartan | 80 mg | 1-0-0 | 30",
        "Tab | Amlodipine | 5 mg | 0-0-1 | 30",
        "Tab | Atenolol | 50 mg | 1-0-0 | 30",
    ),
    (
        "Diabetic OPD / Generic prescribing",
        "Tab | Metformin | 500 mg | 1-0-1 | 30 | after food",
        "Tab | Glimepiride | 2 mg | 1-0-0 | 30 | before breakfast",
    ),
    (
        "Infectious diseases",
        "Tab | Ciplox | 500 mg | BD | 7",
        "Tab | Flagyl | 400 mg | TDS | 7 | after food",
        "Tab | Forcan | 150 mg | OD | 1",
    ),
    (
        "Vertigo clinic",
        "Tab | Vertin | 16 mg | TDS | 10",
        "Tab | Stugeron | 25 mg | BD | 7",
        "Tab | Stemetil | 5 mg | BD | 3",
    ),
)


def source_of(number: int) -> str:
    """The text of one prescription, in the style its clinic would use."""
    heading, *orders = PRESCRIPTIONS[number]
    style = STYLES[number % len(STYLES)]
    lines = [*heading.split(" / "), "", "Rx"]
    for n, line in enumerate(map(order, orders), start=1):
        fields = {**vars(line), "advice": f" {line.advice}" if line.advice else ""}
        lines.append(style.format(n=n, NAME=line.name.upper(), **fields))
    return "\n".join(lines) + "\n"


def payload_of(number: int) -> dict[str, Any]:
    """What a faithful model would extract, in the predecessor's payload plus the duration."""
    medications = []
    for line in map(order, PRESCRIPTIONS[number][1:]):
        strength = {"value": json.loads(line.value), "unit": line.unit}
        medications.append(
            {
                "name": line.name,
                "strength": strength,
                "frequency": line.frequency,
                "form": FORMS[line.form],
                "duration": f"{line.days} days",
            }
        )
    return {"medications": medications}
