"""Prescriptions that are right by construction, and the ways in which one of them can be spoiled.

An `Order` is what the clinician means. `render` writes it as a source and `payload` as an extraction, each with its own choice among
spellings that mean the same, so that a PASS is never a comparison of equal strings. `CORRUPTIONS` change exactly one meaning.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tests.metamorphic import documents as surfaces
from tests.metamorphic.operators import SAYS_LESS

Payload = dict[str, Any]
Draw = Callable[[st.SearchStrategy[Any]], Any]

PRODUCTS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "Paracetamol": ("tab", ("500", "650"), "mg"),
    "Metformin": ("tab", ("500", "750", "1000"), "mg"),
    "Telmisartan": ("tab", ("20", "40", "80"), "mg"),
    "Amlodipine": ("tab", ("2.5", "5", "10"), "mg"),
    "Atorvastatin": ("tab", ("10", "20", "40"), "mg"),
    "Clopidogrel": ("tab", ("75",), "mg"),
    "Ramipril": ("tab", ("2.5", "5"), "mg"),
    "Levothyroxine": ("tab", ("25", "50", "75", "100"), "mcg"),
    "Prednisolone": ("tab", ("5", "10", "20"), "mg"),
    "Cetirizine": ("tab", ("10",), "mg"),
    "Azithromycin": ("tab", ("250", "500"), "mg"),
    "Ondansetron": ("tab", ("4", "8"), "mg"),
    "Escitalopram": ("tab", ("5", "10", "20"), "mg"),
    "Clonazepam": ("tab", ("0.25", "0.5", "1"), "mg"),
    "Omeprazole": ("cap", ("20", "40"), "mg"),
    "Doxycycline": ("cap", ("100",), "mg"),
    "Fluconazole": ("tab", ("150", "200"), "mg"),
    "Metoprolol": ("tab", ("25", "50"), "mg"),
}
"""Name -> form, marketed strengths, unit. All in the Indian price list, so the reference is never in the way."""

# Keys of which no two mean the same, so that another key is another meaning.
SAME_FREQUENCY = {
    key: surfaces.SAME_FREQUENCY[key]
    for key in ("1/d", "2/d", "3/d", "4/d", "bed", "m-n", "mmn", "mor", "q6h", "q8h", "alt", "1/w", "prn", "2/d prn")
}
SAME_MEAL = {key: surfaces.SAME_MEAL[key] for key in ("", "PC", "AC", "ACM")}
SAME_DURATION = {key: surfaces.SAME_DURATION[key] for key in ("", "3 d", "5 d", "2 wk", "30 d", "3 mo")}
SAME_FORM = {"tab": surfaces.SAME_FORM["tablet"], "cap": surfaces.SAME_FORM["capsule"]}
HEADS = ("", "Rx\n", "Dr. R. N., MD\nBP 140/90  Wt 70 kg\n\nRx\n", "Name: P. D.  Age: 44 Y / F\nDx: under evaluation\nRx:\n")
TAILS = ("", "\nAdv: plenty of fluids", "\nReview after 2 weeks", "\n\nFollow up with reports")
NUMBERING = ("", "{}. ", "{}) ", "- ")
LINES = ("{form} {name} {strength} {frequency} {meal} {duration}", "{form}. {name} {strength}\n   {frequency} {meal} {duration}")


@dataclass(frozen=True)
class Order:
    """One medication as meant: every field a key of the tables above."""

    name: str
    strength: str
    frequency: str
    meal: str
    duration: str

    @property
    def form(self) -> str:
        return PRODUCTS[self.name][0]

    @property
    def unit(self) -> str:
        return PRODUCTS[self.name][2]


@dataclass(frozen=True)
class Case:
    """Orders with one way of writing them and one way of extracting them."""

    orders: tuple[Order, ...]
    source: str
    payload: Payload


def _render(draw: Draw, orders: tuple[Order, ...]) -> str:
    numbering, line = draw(st.sampled_from(NUMBERING)), draw(st.sampled_from(LINES))
    if "\n" in line and not numbering:
        numbering = "{}. "
    written = []
    for number, order in enumerate(orders, start=1):
        filled = line.format(
            form=order.form.capitalize(),
            name=draw(st.sampled_from((order.name, order.name.upper()))),
            strength=draw(st.sampled_from((f"{order.strength} {order.unit}", f"{order.strength}{order.unit}"))),
            frequency=draw(st.sampled_from(SAME_FREQUENCY[order.frequency])),
            meal=draw(st.sampled_from(SAME_MEAL[order.meal])),
            duration=draw(st.sampled_from(SAME_DURATION[order.duration])),
        )
        written.append(numbering.format(number) + "\n".join(" ".join(part.split()) for part in filled.split("\n")))
    return draw(st.sampled_from(HEADS)) + "\n".join(written) + draw(st.sampled_from(TAILS))


def _payload(draw: Draw, orders: tuple[Order, ...]) -> Payload:
    shape = draw(st.sampled_from(("text", "object")))
    with_form = draw(st.booleans())
    items = []
    for order in orders:
        item: dict[str, Any] = {"name": order.name}
        item["strength"] = f"{order.strength} {order.unit}" if shape == "text" else {"value": order.strength, "unit": order.unit}
        item["frequency"] = draw(st.sampled_from(SAME_FREQUENCY[order.frequency]))
        if with_form:
            item["form"] = draw(st.sampled_from(SAME_FORM[order.form]))
        if order.meal:
            item["timing"] = draw(st.sampled_from(SAME_MEAL[order.meal]))
        if order.duration:
            item["duration"] = draw(st.sampled_from(SAME_DURATION[order.duration]))
        items.append(item)
    return {"medications": items}


@st.composite
def cases(draw: Draw, smallest: int = 1, largest: int = 5) -> Case:
    """A prescription and its faithful extraction."""
    names = draw(st.lists(st.sampled_from(sorted(PRODUCTS)), min_size=smallest, max_size=largest, unique=True))
    orders = tuple(
        Order(
            name,
            draw(st.sampled_from(PRODUCTS[name][1])),
            draw(st.sampled_from(sorted(SAME_FREQUENCY))),
            draw(st.sampled_from(sorted(SAME_MEAL))),
            draw(st.sampled_from(sorted(SAME_DURATION))),
        )
        for name in names
    )
    return Case(orders, _render(draw, orders), _payload(draw, orders))


def _set_strength(item: dict[str, Any], value: str, unit: str) -> None:
    item["strength"] = {"value": value, "unit": unit} if isinstance(item["strength"], dict) else f"{value} {unit}"


def _digit_edit(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    order = case.orders[index]
    digits = [place for place, character in enumerate(order.strength) if character.isdigit()]
    place = draw(st.sampled_from(digits))
    other = draw(st.sampled_from([d for d in "123456789" if d != order.strength[place]]))
    _set_strength(items[index], order.strength[:place] + other + order.strength[place + 1 :], order.unit)


def _decimal_slip(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    order = case.orders[index]
    slipped = order.strength.replace(".", "").lstrip("0") if "." in order.strength else order.strength + "0"
    _set_strength(items[index], slipped, order.unit)


def _unit_swap(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    order = case.orders[index]
    others = [unit for unit in ("mg", "mcg", "g", "ml", "IU", "%") if unit != order.unit]
    _set_strength(items[index], order.strength, draw(st.sampled_from(others)))


def _frequency_swap(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    written = case.orders[index].frequency
    other = draw(st.sampled_from([code for code in sorted(SAME_FREQUENCY) if code != written and not says_less(written, code)]))
    items[index]["frequency"] = draw(st.sampled_from(SAME_FREQUENCY[other]))


def says_less(written: str, claimed: str) -> bool:
    """Slots or bedtime may be carried as their plain count (1-0-1 as BD), a meal as any meal: less said, not another meaning."""
    return (written, claimed) in SAYS_LESS


def _drug_swap(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    used = {order.name for order in case.orders}
    items[index]["name"] = draw(st.sampled_from([name for name in sorted(PRODUCTS) if name not in used]))


def _dropped_item(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    del items[index]


def _duplicated_item(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    items.insert(draw(st.integers(0, len(items))), copy.deepcopy(items[index]))


def _dropped_field(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    del items[index][draw(st.sampled_from(("name", "strength", "frequency")))]


def _swapped_duration(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    other = draw(st.sampled_from([code for code in sorted(SAME_DURATION) if code not in ("", case.orders[index].duration)]))
    items[index]["duration"] = draw(st.sampled_from(SAME_DURATION[other]))


def _swapped_meal(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    written = case.orders[index].meal
    other = draw(st.sampled_from([code for code in sorted(SAME_MEAL) if code not in ("", written) and not says_less(written, code)]))
    items[index]["timing"] = draw(st.sampled_from(SAME_MEAL[other]))


def _invented_route(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    items[index]["route"] = draw(st.sampled_from(("IV", "IM", "SC", "PR", "topical")))


def _other_form(draw: Draw, case: Case, items: list[dict[str, Any]], index: int) -> None:
    others = [form for form in ("tablet", "capsule", "syrup", "injection", "cream") if not form.startswith(case.orders[index].form)]
    items[index]["form"] = draw(st.sampled_from(others))


CORRUPTIONS: dict[str, Callable[[Draw, Case, list[dict[str, Any]], int], None]] = {
    "digit edit": _digit_edit,
    "decimal slip": _decimal_slip,
    "unit swap": _unit_swap,
    "frequency swap": _frequency_swap,
    "drug swap": _drug_swap,
    "dropped item": _dropped_item,
    "duplicated item": _duplicated_item,
    "dropped field": _dropped_field,
    "duration swap": _swapped_duration,
    "meal swap": _swapped_meal,
    "invented route": _invented_route,
    "other form": _other_form,
}


@st.composite
def corrupted(draw: Draw, kind: str, **sizes: int) -> Case:
    """A faithful case with one meaning of one item changed in its payload."""
    case = draw(cases(**sizes))
    payload = copy.deepcopy(case.payload)
    CORRUPTIONS[kind](draw, case, payload["medications"], draw(st.integers(0, len(case.orders) - 1)))
    return Case(case.orders, case.source, payload)
