"""Made-up prescriptions whose strengths the shipped bundle attests, and the words of the page each is written on.

`draw` invents prescriptions from a seed; `compose` sets one as lines of words, each word with the fact it carries. Nobody's
prescription is behind any of them: the names are products of the bundle, the regimens and headings are invented.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from medfence_guard.bundle import Bundle, Product

PRINT_LAYOUTS = ("oneline", "twoline", "table", "leftright", "letterhead", "wrapbrand", "numbered", "summary")
HAND_LAYOUTS = ("hand_oneline", "hand_twoline")

FREQUENCIES = ("OD", "BD", "TDS", "HS", "1-0-1", "1-1-1", "0-0-1", "1-0-0", "0-1-0", "BD", "1-0-1", "OD", "TDS", "BD SOS", "SOS")
DAYS = (3, 5, 7, 10, 14, 15, 21, 30)
MEALS = ("after food", "before food", "after food", "")
FORM_WORDS = {"tablet": "Tab.", "capsule": "Cap."}
UNIT_WORDS = {"mg": "mg", "ug": "mcg"}

FACTS = ("name", "strength", "frequency", "duration")
"""What every item of a payload claims and every page states; `timing` beside them on some."""

_WORD_NAME = re.compile(r"[A-Za-z]{4,14}")
_NUMBERED_NAME = re.compile(r"([A-Za-z]{4,14}) ([0-9.]+)")


@dataclass(frozen=True)
class Word:
    """One printed word. `fact`: the field it belongs to, or ''; `item`: of which medication, or -1."""

    text: str
    fact: str = ""
    item: int = -1


@dataclass(frozen=True)
class Row:
    """Words on one line. `column`: 0 across the page, 1 left, 2 right (or the table's columns from 1); `size`: of the type."""

    words: tuple[Word, ...]
    column: int = 0
    size: str = "body"
    indent: int = 0
    kind: str = "text"


def products(bundle: Bundle) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """Names written in letters alone, single molecules as tablets or capsules, each with one attested strength: (molecules, brands).

    A brand counts when the bundle maps it to one composition and is sure of that (confidence A); `Amlong 5` of 5 mg is written
    `Amlong` with its strength behind it.
    """

    def row(name: str, product: Product) -> dict[str, str]:
        [component] = product.components
        value = f"{float(component.value):.10g}"
        return {"name": name, "molecule": product.molecules[0], "value": value, "unit": component.unit, "form": product.form}

    def usable(product: Product) -> bool:
        [first, *more] = product.components
        plain = not product.release and product.form in FORM_WORDS and not more and first.per_unit is None and first.unit in UNIT_WORDS
        return plain and first.value.denominator in (1, 2, 4, 5, 8, 10, 20)

    by_name: dict[tuple[str, str, str], dict[str, str]] = {}
    for molecules, rows in bundle.products.items():
        for product in rows:
            if len(molecules) == 1 and usable(product) and _WORD_NAME.fullmatch(molecules[0]):
                found = row(molecules[0].capitalize(), product)
                by_name.setdefault((found["name"], found["value"], found["unit"]), found)
    brands: dict[tuple[str, str, str], dict[str, str]] = {}
    for name in bundle.names.values():
        if not name.brand or name.ambiguous:
            continue
        for product in name.rows:
            if not usable(product) or product.confidence != "A":
                continue
            numbered = _NUMBERED_NAME.fullmatch(name.display)
            stem = numbered[1] if numbered and Fraction(numbered[2]) == product.components[0].value else name.display
            if _WORD_NAME.fullmatch(stem):
                found = row(stem, product)
                brands.setdefault((found["name"], found["value"], found["unit"]), found)
    return sorted(by_name.values(), key=_order), sorted(brands.values(), key=_order)


def _order(row: dict[str, str]) -> tuple[str, Fraction, str]:
    return row["name"], Fraction(row["value"]), row["unit"]


def draw(bundle: Bundle, count: int, hand: int, seed: int) -> list[dict[str, Any]]:
    """`count` printed and `hand` handwritten prescriptions, no two with the same orders."""
    random = Random(seed)
    molecules, brands = products(bundle)
    drawn: list[dict[str, Any]] = []
    seen: set[tuple[tuple[str, str], ...]] = set()
    while len(drawn) < count + hand:
        index = len(drawn)
        layout = PRINT_LAYOUTS[index % len(PRINT_LAYOUTS)] if index < count else HAND_LAYOUTS[index % len(HAND_LAYOUTS)]
        items = _items(random, molecules, brands)
        key = tuple(sorted((item["name"], item["value"]) for item in items))
        if key in seen:
            continue
        seen.add(key)
        taken = {item["molecule"] for item in items}
        stopped, allergy = (random.choice([m for m in molecules if m["molecule"] not in taken]) for _ in range(2))
        drawn.append(
            {
                "id": f"r{index:03}",
                "layout": layout,
                "items": items,
                "timing": random.random() < 0.5,
                "stopped": stopped if random.random() < (0.8 if layout == "summary" else 0.3) else None,
                "allergy": allergy["name"]
                if random.random() < (0.8 if layout == "summary" else 0.3) and allergy["name"] != stopped["name"]
                else None,
                "style": {
                    "font": random.choice(("LiberationSans", "LiberationSerif", "LiberationMono", "DejaVuSans", "DejaVuSerif")),
                    "hand": random.choice(("dkg", "breip", "femkeklaver")),
                    "glue": random.random() < 0.5,
                    "heading": random.randrange(len(HEADINGS)),
                    "day": f"{random.randint(1, 28):02}/{random.randint(1, 12):02}/2026",
                    "age": random.randint(18, 84),
                },
            }
        )
    return drawn


def _items(random: Random, molecules: list[dict[str, str]], brands: list[dict[str, str]]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    wanted = random.choice((1, 2, 2, 3, 3, 3, 4, 4, 5))
    while len(items) < wanted:
        chosen = random.choice(brands if random.random() < 0.55 else molecules)
        if any(chosen["molecule"] == other["molecule"] for other in items):
            continue
        frequency = random.choice(FREQUENCIES)
        items.append({**chosen, "frequency": frequency, "days": random.choice(DAYS), "meal": random.choice(MEALS)})
    return items


def payload(prescription: dict[str, Any]) -> dict[str, Any]:
    """The extraction that is true of the prescription. The dose's time by the meal is carried by every second one."""
    medications = []
    for item in prescription["items"]:
        value = float(item["value"])
        claims: dict[str, Any] = {
            "name": item["name"],
            "strength": {"value": int(value) if value == int(value) else value, "unit": UNIT_WORDS[item["unit"]]},
            "form": item["form"],
            "frequency": item["frequency"],
            "duration": f"{item['days']} days",
        }
        if prescription["timing"] and item["meal"]:
            claims["timing"] = item["meal"]
        medications.append(claims)
    return {"medications": medications}


# --- the page --------------------------------------------------------------------------------------------------------

HEADINGS = (
    ("City Care Clinic", "General OPD, ground floor", "Open Monday to Saturday, closed on Sunday"),
    ("Lakeside Nursing Home", "Department of Medicine", "Please bring this paper at every visit"),
    ("Green Park Hospital", "Out-patient department, room 4", "Timings as displayed at the counter"),
    ("Sunrise Polyclinic", "Consultation by appointment", "Laboratory and pharmacy on the premises"),
)
COMPLAINTS = "C/o: fever with chills, cough, body ache BP 138/86 mmHg PR 84/min Temp 99.2 F"
VITALS = ("C/o: fever, cough", "body ache", "BP 138/86", "PR 84/min", "SpO2 98%", "Temp 99.2 F", "Wt 68 kg")
HISTORY = "H/o T2DM on regular treatment since 2016, HbA1c 8.1%"
ADVICE = "Adv: plenty of oral fluids, low salt diet. Review with CBC, LFT reports."


def _plain(text: str) -> tuple[Word, ...]:
    return tuple(Word(part) for part in text.split())


def _fact(text: str, fact: str, item: int) -> list[Word]:
    return [Word(part, fact, item) for part in text.split()]


def compose(prescription: dict[str, Any]) -> list[Row]:
    """The page as rows from top to bottom; rows of columns stand one after another and are placed side by side by the renderer."""
    style, layout = prescription["style"], prescription["layout"].removeprefix("hand_")
    name, place, note = HEADINGS[style["heading"]]
    rows = [Row(_plain(name), size="title"), Row(_plain(place), size="small")]
    if layout == "letterhead":
        rows += [Row(_plain(note), size="small"), Row(_plain("Reg. No. 12345"), size="small"), Row((), kind="rule")]
    rows.append(Row((), kind="rule"))
    rows.append(Row(_plain(f"Name: P. D. Age/Sex: {style['age']}/F Date: {style['day']}")))
    if layout != "leftright":
        rows.append(Row(_plain(COMPLAINTS)))
    if prescription["allergy"] is not None:
        rows.append(Row(_plain(f"Allergy: {prescription['allergy']}")))
    if prescription["stopped"] is not None:
        old = prescription["stopped"]
        rows.append(Row(_plain(f"STOP {old['name']} {old['value']} {UNIT_WORDS[old['unit']]} BD")))
    if layout == "summary":
        rows.append(Row(_plain(HISTORY)))
    if layout == "leftright":
        rows += [Row(_plain(line), column=1) for line in VITALS]
    rows.append(Row(_plain("Rx"), size="rx", column=2 if layout == "leftright" else 0))
    rows += _orders(prescription, layout)
    rows.append(Row(_plain(ADVICE), kind="below"))
    rows.append(Row(_plain("Signature / Stamp"), indent=560))
    rows.append(Row(_plain("Not valid for medico-legal purposes. Emergency 24 hrs."), size="small"))
    return rows


def _orders(prescription: dict[str, Any], layout: str) -> list[Row]:
    glue = prescription["style"]["glue"]
    rows: list[Row] = []
    if layout == "table":
        rows.append(Row(tuple(Word(w) for w in ("Medicine", "Freq", "Days", "Instructions")), kind="cells", size="bold"))
    for index, item in enumerate(prescription["items"]):
        unit = UNIT_WORDS[item["unit"]]
        strength = f"{item['value']}{unit}" if glue else f"{item['value']} {unit}"
        number = f"{index + 1})" if layout == "numbered" else f"{index + 1}."
        head = [Word(number), Word(FORM_WORDS[item["form"]], "form", index), *_fact(item["name"], "name", index)]
        strong = _fact(strength, "strength", index)
        often = _fact(item["frequency"], "frequency", index)
        days = _fact(f"{item['days']} days", "duration", index)
        meal = _fact(item["meal"], "timing", index)
        if layout == "twoline":
            rows.append(Row((*head, *strong)))
            rows.append(Row((*often, Word("x"), *days, *meal), indent=60))
        elif layout == "table":
            rows.append(Row((*head, *strong), kind="cell1"))
            rows.append(Row(tuple(often), kind="cell2"))
            rows.append(Row(tuple(_fact(str(item["days"]), "duration", index)), kind="cell3"))
            rows.append(Row(tuple(meal), kind="cell4"))
        elif layout == "leftright":
            rows.append(Row((*head, *strong, *often), column=2))
            rows.append(Row((Word("x"), *days, *meal), column=2, indent=40))
        elif layout == "wrapbrand":
            rows.append(Row((*head, *strong, *often, *days, *meal)))
            rows.append(Row(_plain(f"(Each {item['form']} contains {item['molecule'].capitalize()} IP)"), indent=60))
        elif layout == "numbered":
            rows.append(Row((*head, *strong, Word("-"), *often, Word("-"), *days, *meal), size="large"))
        else:
            rows.append(Row((*head, *strong, *often, Word("x"), *days, *meal)))
    return rows


def typed(rows: Iterable[Row]) -> str:
    """The page as typed text (T0): a line a row; the cells of a table row, and nothing else, share a line."""
    lines: list[str] = []
    for row in rows:
        text = " ".join(word.text for word in row.words)
        if row.kind in ("cell2", "cell3", "cell4"):
            lines[-1] = f"{lines[-1]} {text}".rstrip()
        elif text:
            lines.append(text)
    return "\n".join(lines) + "\n"
