"""What is done to a clean document: faults that change its meaning, and variants that keep it.

A fault is named after the defect a model commits, changes one meaning of the faithful payload (or one line of the source), and says where
a finding must stand: at a field, at an item, or at the container for what is missing. A variant writes the same meaning in another way,
using only pairs that the comparison ladder calls equal. Grid, golden gate and benchmarks use these and no others. No chance is involved:
an operator yields all it can do to a document, in a fixed order.
"""

from __future__ import annotations

import copy
import itertools
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.metamorphic.documents import (
    CLINICS,
    SAME_FREQUENCY,
    SAME_MEAL,
    SAME_UNIT,
    Document,
    Order,
    Payload,
    Slot,
    item_of,
    order,
    payload_of,
    pick,
    slots,
    source_of,
)

CONTAINER = "$.medications"
Item = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """A changed payload (and source, where that is what changed). `where`: paths at or under one of which a finding must not PASS."""

    what: str
    payload: Payload
    where: tuple[str, ...]
    source: str | None = None


@dataclass(frozen=True)
class Variant:
    """Another way to write the same; `payload` may be JSON text."""

    what: str
    source: str
    payload: Payload | str


@dataclass(frozen=True)
class Clean:
    """One document in one layout, with its faithful payload, built once."""

    document: Document
    layout: str
    source: str
    payload: Payload

    @property
    def items(self) -> list[Item]:
        found: list[Item] = self.payload["medications"]
        return found

    @property
    def id(self) -> str:
        return f"{self.document.id} {self.layout}"


def clean(document: Document, layout: str) -> Clean:
    return Clean(document, layout, source_of(document, layout), payload_of(document))


# -- helpers -----------------------------------------------------------------------------------------------------------


def _ordered(case: Clean, *, steps: bool = False) -> Iterator[tuple[int, Order, Item]]:
    """The items that are active orders; those of a taper only if asked for."""
    for index, slot in enumerate(slots(case.document)):
        meant = case.document.orders[slot.order]
        if not meant.stopped and (steps or not meant.then):
            yield index, meant, case.items[index]


def _changed(case: Clean, index: int, **fields: object) -> Payload:
    """The payload with these fields of one item set, or taken out where the value is None."""
    changed = {**case.items[index], **fields}
    items = [*case.items]
    items[index] = {field: value for field, value in changed.items() if value is not None}
    return {"medications": items}


def _at(index: int, field: str = "") -> str:
    return f"{CONTAINER}[{index}]" + (f".{field}" if field else "")


def _strength(item: Item, value: str, unit: str) -> object:
    return {"value": value, "unit": unit} if isinstance(item["strength"], dict) else f"{value} {unit}"


def _strengths(case: Clean) -> Iterator[tuple[int, Order, Item]]:
    """The items with a strength of one number."""
    for index, meant, item in _ordered(case):
        if meant.strength and "/" not in meant.value:
            yield index, meant, item


def _new_strength(case: Clean, index: int, meant: Order, value: str, unit: str | None = None) -> Fault:
    unit = unit or meant.unit
    return Fault(
        f"{meant.strength} -> {value} {unit}",
        _changed(case, index, strength=_strength(case.items[index], value, unit)),
        (_at(index, "strength"),),
    )


def _plain(number: Decimal) -> str:
    return f"{number.normalize():f}"


# -- faults: the strength ----------------------------------------------------------------------------------------------


def digit_edit(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _strengths(case):
        for place, digit in enumerate(meant.value):
            if digit.isdigit():
                for other in "123456789":
                    if other != digit:
                        yield _new_strength(case, index, meant, meant.value[:place] + other + meant.value[place + 1 :])


def magnitude_up(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _strengths(case):
        yield _new_strength(case, index, meant, _plain(Decimal(meant.value) * 10))


def magnitude_down(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _strengths(case):
        yield _new_strength(case, index, meant, _plain(Decimal(meant.value) / 10))


def altered_strength(case: Clean) -> Iterator[Fault]:
    """Double or half: the other strength is often a marketed one, so only the source can tell."""
    for index, meant, _ in _strengths(case):
        for factor in (Decimal(2), Decimal("0.5")):
            yield _new_strength(case, index, meant, _plain(Decimal(meant.value) * factor))


def decimal_loss(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _strengths(case):
        if "." in meant.value:
            yield _new_strength(case, index, meant, meant.value.replace(".", "").lstrip("0"))


def unit_swap(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _strengths(case):
        mine = meant.unit.split("/")[0]
        for other in ("mcg", "mg", "g", "ml", "IU", "%"):
            if other != mine:
                yield _new_strength(case, index, meant, meant.value, other + meant.unit[len(mine) :])


def denominator_loss(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _strengths(case):
        if "/" in meant.unit:
            yield _new_strength(case, index, meant, meant.value, meant.unit.split("/")[0])


def strengths_swapped(case: Clean) -> Iterator[Fault]:
    held = list(_strengths(case))
    for place, (one, first, _) in enumerate(held):
        for other, second, _ in held[place + 1 :]:
            if first.strength != second.strength:
                items = [*case.items]
                items[one] = {**items[one], "strength": case.items[other]["strength"]}
                items[other] = {**items[other], "strength": case.items[one]["strength"]}
                where = (_at(one, "strength"), _at(other, "strength"))
                yield Fault(f"{first.name} <-> {second.name}", {"medications": items}, where)


# -- faults: the name --------------------------------------------------------------------------------------------------

# Real names, near in writing; all but a few are in the shipped bundle.
LOOK_ALIKE = {
    "alendronate": "risedronate",
    "amlodipine": "amiloride",
    "amitriptyline": "nortriptyline",
    "amoxicillin": "ampicillin",
    "aten": "Atarax",
    "atenolol": "metoprolol",
    "azithromycin": "erythromycin",
    "carbimazole": "clotrimazole",
    "cefixime": "cefuroxime",
    "ceftriaxone": "cefotaxime",
    "cetirizine": "cinnarizine",
    "clonazepam": "clobazam",
    "dexamethasone": "betamethasone",
    "doxycycline": "doxylamine",
    "fluconazole": "ketoconazole",
    "gabapentin": "pregabalin",
    "glimepiride": "glipizide",
    "hydroxyzine": "hydralazine",
    "itraconazole": "ketoconazole",
    "januvia": "Jalra",
    "lasix": "Losar",
    "levipil": "Levera",
    "levocetirizine": "cetirizine",
    "metoprolol": "metolazone",
    "metronidazole": "tinidazole",
    "norflox": "Oflox",
    "olanzapine": "clozapine",
    "omeprazole": "esomeprazole",
    "pantoprazole": "rabeprazole",
    "paracetamol": "piracetam",
    "prednisolone": "prednisone",
    "quetiapine": "olanzapine",
    "risperidone": "ropinirole",
    "rosuvastatin": "atorvastatin",
    "sertraline": "serratiopeptidase",
    "sumatriptan": "rizatriptan",
    "telma": "Telsar",
    "telmisartan": "olmesartan",
    "terbinafine": "tetrabenazine",
    "torsemide": "furosemide",
    "tramadol": "tapentadol",
}
SUFFIXED = {
    "telma": ("Telma H", "Telma AM"),
    "telma am": ("Telma H", "Telma"),
    "telma h": ("Telma AM", "Telma"),
    "glycomet": ("Glycomet SR", "Glycomet GP 1"),
    "glycomet gp 1": ("Glycomet GP 2", "Glycomet"),
    "pan d": ("Pan", "Pan DSR"),
    "montair": ("Montair LC", "Montair FX"),
    "montair lc": ("Montair", "Montair FX"),
    "amlong": ("Amlong A",),
    "ecosprin": ("Ecosprin AV", "Ecosprin Gold"),
    "cardace": ("Cardace H",),
    "amaryl": ("Amaryl M",),
    "norflox": ("Norflox TZ",),
    "omez": ("Omez D",),
    "pantocid": ("Pantocid DSR",),
    "urimax": ("Urimax D",),
    "nexito": ("Nexito Plus",),
    "metoprolol": ("Metoprolol AM",),
    "telmisartan": ("Telmisartan H",),
}
OTHER_BRAND = {
    "telmisartan": "Telmikind",
    "amlodipine": "Stamlo",
    "bisoprolol": "Bisotab",
    "atorvastatin": "Storvas",
    "clopidogrel": "Clopilet",
    "metformin": "Gluformin",
    "glimepiride": "Zoryl",
    "dapagliflozin": "Oxra",
    "sitagliptin": "Istavel",
    "rosuvastatin": "Rosuvas",
    "montelukast": "Montek",
    "azithromycin": "Azee",
    "prednisolone": "Omnacortil",
    "levocetirizine": "Xyzal",
    "salbutamol": "Asthalin",
    "paracetamol": "Crocin",
    "cetirizine": "Alerid",
    "enoxaparin": "Clexane",
    "levetiracetam": "Levera",
    "gabapentin": "Gabapin",
    "clonazepam": "Lonazep",
    "propranolol": "Ciplar",
    "escitalopram": "Stalopam",
    "sertraline": "Zoloft",
    "olanzapine": "Oleanz",
    "quetiapine": "Qutipin",
    "risperidone": "Sizodon",
    "levothyroxine": "Eltroxin",
    "pantoprazole": "Pantop",
    "omeprazole": "Omez",
    "domperidone": "Vomistop",
    "ondansetron": "Ondem",
    "aceclofenac": "Zerodol",
    "etoricoxib": "Etoshine",
    "pregabalin": "Lyrica",
    "tramadol": "Contramal",
    "itraconazole": "Candiforce",
    "fluconazole": "Zocon",
    "ciprofloxacin": "Cifran",
    "furosemide": "Frusenex",
    "ramipril": "Ramistar",
    "tamsulosin": "Veltam",
    "metoprolol": "Betaloc",
}


def _renamed(case: Clean, index: int, name: str) -> Fault:
    kept = re.search(r" (?:SR|XL|CR)$", case.items[index]["name"])
    name += kept[0] if kept else ""
    return Fault(f"{case.items[index]['name']} -> {name}", _changed(case, index, name=name), (_at(index, "name"),))


ALL_ORDERS = tuple(order(row, 0) for rows in CLINICS.values() for row in rows)


def absent_drug(case: Clean) -> Iterator[Fault]:
    """Another item's worth of trust in a drug that is real, and is not on this page."""
    words = case.source.casefold()
    for index, meant, _ in _ordered(case):
        mine = {meant.name.casefold(), meant.generic}
        for other in ALL_ORDERS:
            absent = other.name.casefold() not in words and other.generic not in mine and other.name.casefold() not in mine
            if absent and (not other.generic or other.generic not in words):
                yield _renamed(case, index, other.name)


def look_alike_swap(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        other = LOOK_ALIKE.get(meant.name.casefold())
        if other and other.casefold() not in case.source.casefold():
            yield _renamed(case, index, other.capitalize())


def suffix_swap(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        for other in SUFFIXED.get(meant.name.casefold(), ()):
            yield _renamed(case, index, other)


def name_edit(case: Clean) -> Iterator[Fault]:
    """A letter lost, doubled or changed: no name that the source writes."""
    for index, meant, _ in _ordered(case):
        name = meant.name
        for other in (name[:-1], name + name[-1], name[0] + name[2:], name + " Z"):
            yield _renamed(case, index, other)


def brand_swap(case: Clean) -> Iterator[Fault]:
    """Another brand of the same molecule, or a brand where the source names the molecule: not what is written (P3)."""
    for index, meant, _ in _ordered(case):
        other = OTHER_BRAND.get(meant.generic or meant.name.casefold())
        if other and other.casefold() != meant.name.casefold():
            yield _renamed(case, index, other)


# -- faults: form, release, route --------------------------------------------------------------------------------------


def form_change(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        for other in ("tablet", "capsule", "syrup", "injection", "cream", "suppository"):
            if other != meant.form and {other, meant.form} != {"syrup", "suspension"}:
                yield Fault(f"{meant.form} -> {other}", _changed(case, index, form=other), (_at(index, "form"),))


def release_change(case: Clean) -> Iterator[Fault]:
    for index, meant, item in _ordered(case):
        if meant.form not in ("tablet", "capsule"):
            continue
        for other in ("SR", "XL", "CR", "ER"):
            if other == meant.release:
                continue
            what = f"{meant.release or 'none'} -> {other}"
            if meant.release and "release" not in item:
                yield Fault(what, _changed(case, index, name=f"{meant.name} {other}"), (_at(index, "name"),))
            else:
                yield Fault(what, _changed(case, index, release=other), (_at(index, "release"),))


def release_loss(case: Clean) -> Iterator[Fault]:
    for index, meant, item in _ordered(case):
        if meant.release and "release" in item:
            yield Fault(f"{meant.release} lost", _changed(case, index, release=None), (_at(index),))
        elif meant.release:
            yield Fault(f"{meant.release} lost", _changed(case, index, name=meant.name), (_at(index),))


def route_change(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        for other in ("IV", "IM", "SC", "SL", "per rectum", "topical", "oral"):
            implied = other == "oral" and meant.form in ("tablet", "capsule", "syrup", "suspension") and not meant.route
            if other != meant.route and not implied and not (other == "topical" and meant.form in ("cream", "ointment")):
                yield Fault(f"{meant.route or 'none'} -> {other}", _changed(case, index, route=other), (_at(index, "route"),))


# -- faults: dose and timing -------------------------------------------------------------------------------------------

# Less said and nothing false: slots or bedtime as their plain count, a meal as any meal. No fault of the payload's (ladder).
SAYS_LESS = {("m-n", "2/d"), ("mmn", "3/d"), ("mor", "1/d"), ("nig", "1/d"), ("bed", "1/d"), ("nig", "bed"), ("ACM", "AC"), ("PCM", "PC"),
             ("PCD", "PC"), ("empty", "AC")}  # fmt: skip


def dose_change(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        if meant.dose:
            number, unit = meant.dose.split(" ")
            for other in (_plain(Decimal(number) * 2), _plain(Decimal(number) * 10), _plain(Decimal(number) + 1)):
                yield Fault(f"{meant.dose} -> {other}", _changed(case, index, dose=f"{other} {unit}"), (_at(index, "dose"),))


def frequency_change(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        for other, surfaces in SAME_FREQUENCY.items():
            if meant.frequency and other != meant.frequency and (meant.frequency, other) not in SAYS_LESS:
                what = f"{meant.frequency} -> {other}"
                yield Fault(what, _changed(case, index, frequency=pick(surfaces, case.id, index, other)), (_at(index, "frequency"),))


def frequencies_swapped(case: Clean) -> Iterator[Fault]:
    held = [(index, meant, item) for index, meant, item in _ordered(case) if meant.frequency]
    for place, (one, first, _) in enumerate(held):
        for other, second, _ in held[place + 1 :]:
            pair = first.frequency, second.frequency
            if pair[0] != pair[1] and pair not in SAYS_LESS and pair[::-1] not in SAYS_LESS:
                items = [*case.items]
                items[one] = {**items[one], "frequency": case.items[other]["frequency"]}
                items[other] = {**items[other], "frequency": case.items[one]["frequency"]}
                where = (_at(one, "frequency"), _at(other, "frequency"))
                yield Fault(f"{first.name} <-> {second.name}", {"medications": items}, where)


def slot_permutation(case: Clean) -> Iterator[Fault]:
    other = {"m-n": ("1-1-0", "0-1-1"), "mor": ("0-1-0", "0-0-1"), "nig": ("1-0-0", "0-1-0")}
    for index, meant, _ in _ordered(case):
        for permuted in other.get(meant.frequency, ()):
            yield Fault(f"{meant.frequency} -> {permuted}", _changed(case, index, frequency=permuted), (_at(index, "frequency"),))


def prn_added(case: Clean) -> Iterator[Fault]:
    for index, meant, item in _ordered(case):
        if meant.frequency and "prn" not in meant.frequency:
            yield Fault("SOS behind", _changed(case, index, frequency=f"{item['frequency']} SOS"), (_at(index, "frequency"),))
            yield Fault("as_needed", _changed(case, index, as_needed=True), (_at(index, "as_needed"),))


def prn_lost(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        if "prn" in meant.frequency:
            rest = {"prn": "OD", "2/d prn": "BD", "3/d prn": "TDS"}[meant.frequency]
            yield Fault(f"{meant.frequency} -> {rest}", _changed(case, index, frequency=rest, as_needed_for=None), (_at(index),))
            yield Fault("as_needed false", _changed(case, index, as_needed=False), (_at(index, "as_needed"),))


def reason_change(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        for other in ("vomiting", "anxiety", "fever", "pain"):
            if other != meant.reason and other not in case.source.casefold():
                where = (_at(index, "as_needed_for"),)
                yield Fault(f"{meant.reason or 'none'} -> {other}", _changed(case, index, as_needed_for=other), where)


def max_change(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        if meant.maximum:
            number, rest = meant.maximum.split(" ", 1)
            for other in (str(int(number) + 2), number + "0"):
                yield Fault(f"{meant.maximum} -> {other}", _changed(case, index, max_dose=f"{other} {rest}"), (_at(index, "max_dose"),))
            yield Fault("maximum lost", _changed(case, index, max_dose=None), (_at(index),))
        else:
            yield Fault("maximum invented", _changed(case, index, max_dose="4 tablets/day"), (_at(index, "max_dose"),))


def duration_change(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        if not meant.duration:
            yield Fault("none -> 5 days", _changed(case, index, duration="5 days"), (_at(index, "duration"),))
            continue
        number, unit = meant.duration.split(" ")
        written = {"d": "days", "wk": "weeks", "mo": "months"}
        for other, unit_of in ((int(number) + 1, unit), (int(number) * 10, unit), (int(number), "wk" if unit == "d" else "d")):
            text = f"{other} {written[unit_of]}"
            yield Fault(f"{meant.duration} -> {text}", _changed(case, index, duration=text), (_at(index, "duration"),))


def meal_invented(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        for other in ("AC", "PC", "ACM", "PCD"):
            if other != meant.timing and (meant.timing, other) not in SAYS_LESS:
                where = (_at(index, "timing"),)
                yield Fault(f"{meant.timing or 'none'} -> {other}", _changed(case, index, timing=SAME_MEAL[other][0]), where)


def value_invented(case: Clean) -> Iterator[Fault]:
    for index, _, _ in _ordered(case):
        invented = {"quantity": "77", "indication": "malaria", "site": "left eye", "refills": 9, "instructions": "chew and swallow"}
        for field, value in invented.items():
            yield Fault(f"{field} invented", _changed(case, index, **{field: value}), (_at(index, field),))


# -- faults: the items -------------------------------------------------------------------------------------------------


FABRICATED: tuple[Item, ...] = (
    {"name": "Warfarin", "strength": {"value": 5, "unit": "mg"}, "frequency": "OD", "form": "tablet", "duration": "30 days"},
    {"name": "Clonotril", "strength": {"value": 2, "unit": "mg"}, "frequency": "HS", "form": "tablet", "duration": "10 days"},
    {"name": "Lizolid", "strength": {"value": 600, "unit": "mg"}, "frequency": "BD", "form": "tablet", "duration": "7 days"},
)


def fabricated_drug(case: Clean) -> Iterator[Fault]:
    """A whole order more than the page has."""
    for item in FABRICATED:
        yield Fault(f"{item['name']} added", {"medications": [*case.items, item]}, (_at(len(case.items)),))


def item_dropped(case: Clean) -> Iterator[Fault]:
    for index, meant, _ in _ordered(case):
        kept = case.items[:index] + case.items[index + 1 :]
        yield Fault(f"{meant.name} dropped", {"medications": kept}, (CONTAINER,))


def item_duplicated(case: Clean) -> Iterator[Fault]:
    for index, meant, item in _ordered(case):
        twice = [*case.items, item]
        yield Fault(f"{meant.name} twice", {"medications": twice}, (_at(index), _at(len(case.items))))


def items_merged(case: Clean) -> Iterator[Fault]:
    """Two orders told as one: under both names, or under one name with the other's timing."""
    for (one, first, _), (other, second, _) in itertools.pairwise(_ordered(case)):
        for name in (f"{first.name} + {second.name}", f"{first.name} and {second.name}", f"{first.name}/{second.name}"):
            items = [{**item, "name": name} if place == one else item for place, item in enumerate(case.items) if place != other]
            yield Fault(f"{first.name} with {second.name}", {"medications": items}, (_at(one), CONTAINER))


def item_split(case: Clean) -> Iterator[Fault]:
    """One order told as two: the product in one item, when to take it in another."""
    for index, meant, item in _ordered(case):
        parts = ({"name", "form", "release", "strength", "dose", "route", "status"}, {"name", "frequency", "timing", "duration", "status"})
        split = [{key: value for key, value in item.items() if key in part} for part in parts]
        if len(split[1]) > 1:
            items = [*case.items[:index], *split, *case.items[index + 1 :]]
            yield Fault(f"{meant.name} in two", {"medications": items}, (_at(index), _at(index + 1)))


def taper_flattened(case: Clean) -> Iterator[Fault]:
    found = slots(case.document)
    for index, slot in enumerate(found):
        meant = case.document.orders[slot.order]
        if meant.then and not slot.step:
            first, second = case.items[index], case.items[index + 1]
            rest = case.items[:index], case.items[index + 2 :]
            for what, kept in (
                ("first step alone", {k: v for k, v in first.items() if k != "sequence"}),
                ("second step alone", {k: v for k, v in second.items() if k != "sequence"}),
                ("both durations, one strength", {**{k: v for k, v in first.items() if k != "sequence"}, "duration": "10 days"}),
            ):
                items = [*rest[0], kept, *rest[1]]
                yield Fault(f"{meant.name}: {what}", {"medications": items}, (_at(index), CONTAINER))
            turned = [*rest[0], {**second, "sequence": 1}, {**first, "sequence": 2}, *rest[1]]
            yield Fault(f"{meant.name}: steps turned", {"medications": turned}, (_at(index), _at(index + 1)))


def status_flipped(case: Clean) -> Iterator[Fault]:
    for index, slot in enumerate(slots(case.document)):
        meant = case.document.orders[slot.order]
        if meant.stopped:
            yield Fault("stopped -> active", _changed(case, index, status="active"), (_at(index, "status"),))
        else:
            for other in ("stopped", "on-hold"):
                yield Fault(f"active -> {other}", _changed(case, index, status=other), (_at(index, "status"),))


NOT_TO_BE_GIVEN = ("Stop {}", "Discontinue {}", "Do not give {}", "{} - discontinued", "Mother takes {}", "Allergic to {}")


def order_stopped(case: Clean) -> Iterator[Fault]:
    """The source says not to give it; the payload gives it."""
    if case.layout not in ("one line", "two lines", "numbered"):
        return
    for index, meant, _ in _ordered(case):
        found = re.search(rf"(?m)^(\d+[.)] )?((?:.* )?{re.escape(meant.name)}\b.*)$", case.source, re.IGNORECASE)
        if found is None or meant.name.casefold() in case.document.head.casefold():
            continue
        for cue in NOT_TO_BE_GIVEN:
            if case.layout == "two lines" and not cue.endswith("{}"):
                continue
            said = cue.format(meant.name if cue.startswith("Allergic") else found[2])
            source = case.source[: found.start(2)] + said + case.source[found.end(2) :]
            yield Fault(f"{cue.format(meant.name)}", case.payload, (_at(index),), source)


# -- faults: characters ------------------------------------------------------------------------------------------------

CYRILLIC = str.maketrans("aceopxyABCEHKMOPTX", "асеорхуАВСЕНКМОРТХ")
FULL_WIDTH = str.maketrans({chr(code): chr(code + 0xFEE0) for code in range(0x21, 0x7F)})
CONFUSED: dict[str, Callable[[str], str]] = {
    "Cyrillic": lambda text: text.translate(CYRILLIC),
    "full width": lambda text: text.translate(FULL_WIDTH),
    "zero width": lambda text: text[:1] + "\u200b" + text[1:],
    "right to left": lambda text: "\u202e" + text,
    "letter for digit": lambda text: text.replace("0", "O").replace("1", "l"),
}


def confusable_characters(case: Clean) -> Iterator[Fault]:
    for index, _, item in _ordered(case):
        for field in ("name", "strength", "frequency", "duration"):
            value = item.get(field)
            for kind, confuse in CONFUSED.items():
                if isinstance(value, str):
                    new: object = confuse(value)
                elif isinstance(value, dict):
                    new = {**value, "value": confuse(value["value"])}
                else:
                    continue
                if new != value and not (kind == "letter for digit" and field == "name"):
                    yield Fault(f"{kind} in {field}", _changed(case, index, **{field: new}), (_at(index, field),))


FAULTS: tuple[Callable[[Clean], Iterator[Fault]], ...] = (
    digit_edit,
    magnitude_up,
    magnitude_down,
    altered_strength,
    decimal_loss,
    unit_swap,
    denominator_loss,
    strengths_swapped,
    absent_drug,
    look_alike_swap,
    suffix_swap,
    name_edit,
    brand_swap,
    form_change,
    release_change,
    release_loss,
    route_change,
    dose_change,
    frequency_change,
    frequencies_swapped,
    slot_permutation,
    prn_added,
    prn_lost,
    reason_change,
    max_change,
    duration_change,
    meal_invented,
    value_invented,
    fabricated_drug,
    item_dropped,
    item_duplicated,
    items_merged,
    item_split,
    taper_flattened,
    status_flipped,
    order_stopped,
    confusable_characters,
)


# -- variants ----------------------------------------------------------------------------------------------------------


def other_words(case: Clean) -> Iterator[Variant]:
    """The payload in the words of another model: `BD` as `twice daily`, `x 5/7` as `5 days`, `Tab` as `tablet`."""
    for seed in (1, 2, 3):
        yield Variant(f"payload {seed}", case.source, payload_of(case.document, seed))


def another_writer(case: Clean) -> Iterator[Variant]:
    """The source in the words of another writer."""
    for seed in (1, 2):
        yield Variant(f"source {seed}", source_of(case.document, case.layout, seed), case.payload)


def items_turned(case: Clean) -> Iterator[Variant]:
    if not any(meant.then for meant in case.document.orders):
        yield Variant("payload backwards", case.source, {"medications": case.items[::-1]})
    turned = range(len(case.document.orders))[::-1]
    yield Variant("source backwards", source_of(case.document, case.layout, order=turned), case.payload)


def keys_turned(case: Clean) -> Iterator[Variant]:
    yield Variant("keys backwards", case.source, {"medications": [dict(reversed(item.items())) for item in case.items]})


def letter_case(case: Clean) -> Iterator[Variant]:
    yield Variant("names in capitals", case.source, {"medications": [{**item, "name": item["name"].upper()} for item in case.items]})
    yield Variant("names in small letters", case.source, {"medications": [{**item, "name": item["name"].lower()} for item in case.items]})
    yield Variant("source in capitals", case.source.upper(), case.payload)
    yield Variant("source in small letters", case.source.lower(), case.payload)


def white_space(case: Clean) -> Iterator[Variant]:
    yield Variant("two spaces for one", case.source.replace(" ", "  "), case.payload)
    yield Variant("carriage returns", case.source.replace("\n", "\r\n"), case.payload)
    yield Variant("no-break spaces", case.source.replace(" ", "\u00a0"), case.payload)
    if case.layout in ("one line", "numbered"):
        yield Variant("blank lines between", case.source.replace("\n", "\n\n"), case.payload)
    yield Variant("spaces at the ends of lines", case.source.replace("\n", "   \n"), case.payload)


def full_stops(case: Clean) -> Iterator[Variant]:
    """A full stop behind every order."""
    if case.layout in ("one line", "two lines", "numbered"):
        head, body = case.source[: len(case.document.head)], case.source[len(case.document.head) :]
        yield Variant("full stops", head + re.sub(r"(?m)(?<=[a-z0-9A-Z])$(?=\n(?!   ))", ".", body), case.payload)


def shapes(case: Clean) -> Iterator[Variant]:
    """The other shapes a payload comes in: strength as text or object, null claims, the key names people use, JSON text."""

    def strength(item: Item) -> object:
        held = item["strength"]
        if isinstance(held, dict):
            return f"{held['value']} {held['unit']}"
        value, unit = held.split(" ", 1)
        return held if "/" in held else {"value": value, "unit": unit}

    items = case.items
    reshaped = [{**item, "strength": strength(item)} if "strength" in item else item for item in items]
    yield Variant("strength shape", case.source, {"medications": reshaped})
    nothing = {"site": None, "indication": "", "quantity": "N/A"}
    yield Variant("null claims", case.source, {"medications": [{**item, **nothing} for item in items]})
    keys = {"name": "drug_name", "form": "dosage_form", "timing": "when_to_take"}
    yield Variant("other keys", case.source, {"medicines": [{keys.get(key, key): value for key, value in item.items()} for item in items]})
    yield Variant("JSON text", case.source, json.dumps(case.payload))
    yield Variant("fenced JSON text", case.source, f"```json\n{json.dumps(case.payload, indent=1)}\n```")


def unit_spelling(case: Clean) -> Iterator[Variant]:
    """`mg` as `milligram`, `mcg` as `µg`; and the same quantity in another unit of its dimension (exact, P5)."""
    for turn in (1, 2, 3):
        items = copy.deepcopy(case.items)
        for item in items:
            if "strength" in item:
                value, unit = _value_and_unit(item)
                parts = [pick_unit(part, turn) for part in re.split(r"(/\d+ |/)", unit)]
                item["strength"] = _strength(item, value, "".join(parts))
        yield Variant(f"unit spelling {turn}", case.source, {"medications": items})
    items = copy.deepcopy(case.items)
    for item in items:
        if "strength" in item:
            value, unit = _value_and_unit(item)
            if unit in ("mg", "mcg") and "/" not in value:
                item["strength"] = _strength(item, _plain(Decimal(value) / 1000), {"mg": "g", "mcg": "mg"}[unit])
            elif unit == "g":
                item["strength"] = _strength(item, _plain(Decimal(value) * 1000), "mg")
    yield Variant("exact conversion", case.source, {"medications": items})


def _value_and_unit(item: Item) -> tuple[str, str]:
    held = item["strength"]
    if isinstance(held, dict):
        return held["value"], held["unit"]
    value, unit = held.split(" ", 1)
    return value, unit


def pick_unit(unit: str, turn: int) -> str:
    surfaces = SAME_UNIT.get(unit, (unit,))
    return surfaces[turn % len(surfaces)]


def brand_and_generic(case: Clean) -> Iterator[Variant]:
    """`Telma (Telmisartan)` in the source, and both names in the payload."""
    source, items, written = case.source, copy.deepcopy(case.items), False
    for slot, item in zip(slots(case.document), items, strict=True):
        meant = case.document.orders[slot.order]
        if meant.generic and not meant.stopped and not meant.then:
            bracketed = re.compile(rf"({re.escape(meant.name)})(?=[ \n])(?! \()", re.IGNORECASE)
            source, changed = bracketed.subn(rf"\1 ({meant.generic.capitalize()})", source, count=1)
            written = written or bool(changed)
            item["generic_name"] = meant.generic.capitalize()
    if written:
        yield Variant("brand (generic)", source, case.payload)
        yield Variant("both names carried", source, {"medications": items})


def says_less(case: Clean) -> Iterator[Variant]:
    """A field that no item carries and that is not essential is left out (P15)."""
    for field in ("timing", "form"):
        if any(field in item for item in case.items):
            plain = all(case.document.orders[slot.order].form in ("tablet", "capsule") for slot in slots(case.document))
            if field != "form" or plain:
                items = [{key: value for key, value in item.items() if key != field} for item in case.items]
                yield Variant(f"no {field}", case.source, {"medications": items})


VARIANTS: tuple[Callable[[Clean], Iterator[Variant]], ...] = (
    other_words,
    another_writer,
    items_turned,
    keys_turned,
    letter_case,
    white_space,
    full_stops,
    shapes,
    unit_spelling,
    brand_and_generic,
    says_less,
)

__all__ = ["FAULTS", "VARIANTS", "Clean", "Fault", "Slot", "Variant", "clean", "item_of"]
