"""The seeded faults: the grid's operators on the benchmark's prescriptions, and those that only a page or a bare model can commit.

Each says where a reviewer should be sent (`where`). `misread` is the one that matters most for OCR: the payload is faithful to what the
engine read and not to what is printed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from benchmarks.ocr import prescriptions as rx
from benchmarks.ocr.pages import Page
from benchmarks.ocr.readable import DECIDED, stands
from medfence_guard import Rulepack
from tests.metamorphic.documents import Document, Order
from tests.metamorphic.grid import chosen
from tests.metamorphic.operators import CONTAINER, FAULTS, Clean, Fault, order_stopped

FREQUENCY = {
    "OD": "1/d",
    "BD": "2/d",
    "TDS": "3/d",
    "HS": "bed",
    "1-0-1": "m-n",
    "1-1-1": "mmn",
    "0-0-1": "nig",
    "1-0-0": "mor",
    "0-1-0": "noon",
    "BD SOS": "2/d prn",
    "SOS": "prn",
}
"""As written -> the grid's key."""
MEAL = {"": "", "after food": "PC", "before food": "AC"}
SAYS_LESS = {"noon -> 1/d"}
"""Not a fault: less said than is written, and nothing false. The grid knows its own keys; this one is ours."""


def clean_of(prescription: dict[str, Any]) -> Clean:
    """The prescription as the grid's operators take one."""
    orders = tuple(
        Order(
            form=item["form"],
            name=item["name"],
            generic=item["molecule"] if item["molecule"] != item["name"].lower() else "",
            strength=f"{item['value']} {rx.UNIT_WORDS[item['unit']]}",
            frequency=FREQUENCY[item["frequency"]],
            timing=MEAL[item["meal"]],
            duration=f"{item['days']} d",
        )
        for item in prescription["items"]
    )
    document = Document(prescription["id"], "prescription", "", orders, "")
    payload = rx.payload(prescription)
    for claims, item in zip(payload["medications"], prescription["items"], strict=True):
        claims["strength"] = {**claims["strength"], "value": item["value"]}  # the operators edit it as text
    return Clean(document, prescription["layout"], rx.typed(rx.compose(prescription)), payload)


# --- what the grid does not have ------------------------------------------------------------------------------------------


def _with(payload: dict[str, Any], index: int, **fields: object) -> dict[str, Any]:
    items = [*payload["medications"]]
    items[index] = {name: value for name, value in {**items[index], **fields}.items() if value is not None}
    return {"medications": items}


def _at(index: int, field: str = "") -> str:
    return f"{CONTAINER}[{index}]" + (f".{field}" if field else "")


def strength_dropped(prescription: dict[str, Any], payload: dict[str, Any]) -> Iterator[Fault]:
    for index in range(len(prescription["items"])):
        yield Fault(f"strength of {index}", _with(payload, index, strength=None), (_at(index),))


def frequency_dropped(prescription: dict[str, Any], payload: dict[str, Any]) -> Iterator[Fault]:
    for index in range(len(prescription["items"])):
        yield Fault(f"frequency of {index}", _with(payload, index, frequency=None), (_at(index),))


def tenfold_without_unit(_: dict[str, Any], payload: dict[str, Any]) -> Iterator[Fault]:
    for index, item in enumerate(payload["medications"]):
        value = round(item["strength"]["value"] * 10, 6)
        yield Fault(f"{value} of {index}", _with(payload, index, strength={"value": value}), (_at(index, "strength"),))


def frequencies_swapped(_: dict[str, Any], payload: dict[str, Any]) -> Iterator[Fault]:
    a_day = {"OD": 1, "HS": 1, "0-0-1": 1, "1-0-0": 1, "0-1-0": 1, "BD": 2, "1-0-1": 2, "TDS": 3, "1-1-1": 3, "BD SOS": -2, "SOS": -1}
    items = payload["medications"]
    for one in range(len(items) - 1):
        first, second = items[one]["frequency"], items[one + 1]["frequency"]
        if a_day[first] != a_day[second]:
            changed = _with(_with(payload, one, frequency=second), one + 1, frequency=first)
            yield Fault(f"{one} and {one + 1}", changed, (_at(one, "frequency"), _at(one + 1, "frequency")))


def stopped_given_active(prescription: dict[str, Any], payload: dict[str, Any]) -> Iterator[Fault]:
    old = prescription["stopped"]
    if old is not None:
        item = {"name": old["name"], "strength": _strength(old), "frequency": "BD"}
        yield Fault(old["name"], {"medications": [*payload["medications"], item]}, (_at(len(payload["medications"])),))


def allergy_given_active(prescription: dict[str, Any], payload: dict[str, Any]) -> Iterator[Fault]:
    name = prescription["allergy"]
    if name is not None:
        row = next(row for row in _molecules() if row["name"] == name)
        for item in ({"name": name}, {"name": name, "strength": _strength(row), "frequency": "BD"}):
            yield Fault(f"{name} {len(item)}", {"medications": [*payload["medications"], item]}, (_at(len(payload["medications"])),))


def _strength(row: dict[str, str]) -> dict[str, Any]:
    value = float(row["value"])
    return {"value": int(value) if value == int(value) else value, "unit": rx.UNIT_WORDS[row["unit"]]}


@lru_cache(maxsize=1)
def _molecules() -> list[dict[str, str]]:
    return rx.products(Rulepack.default().bundle)[0]


OWN: tuple[Callable[[dict[str, Any], dict[str, Any]], Iterator[Fault]], ...] = (
    strength_dropped,
    frequency_dropped,
    tenfold_without_unit,
    frequencies_swapped,
    stopped_given_active,
    allergy_given_active,
)


def variants(prescription: dict[str, Any]) -> Iterator[tuple[str, Fault]]:
    """`(class, fault)`: of each class one change of this prescription, the same on each of its pages; the grid tries more on typed text."""
    case = clean_of(prescription)
    for operator in FAULTS:
        if operator is not order_stopped:  # it changes the source, which here is a page that was read
            found = (fault for fault in operator(case) if fault.what not in SAYS_LESS)
            for fault in chosen(found, lambda one: one.what, case.id, operator.__name__)[:1]:
                yield operator.__name__, fault
    for own in OWN:
        for fault in chosen(own(prescription, rx.payload(prescription)), lambda one: one.what, case.id, own.__name__)[:1]:
            yield own.__name__, fault


# --- what the engine misread ----------------------------------------------------------------------------------------------

_READ_AS = {
    "strength": re.compile(r"([0-9]+(?:\.[0-9]+)?)(mg|mcg)"),
    "frequency": re.compile(r"[0-9]-[0-9]-[0-9]|OD|BD|TDS|HS|SOS|BDSOS"),
    "duration": re.compile(r"([0-9]+)(?:days)?"),
    "name": re.compile(r"[A-Za-z]{3,}"),
}


def misread(page: Page) -> Iterator[Fault]:
    """The payload that follows the page as read, where that is well formed and not what is printed; one field at a time, then all."""
    true = rx.payload(page.prescription)
    together, where = true, []
    for index in range(len(page.prescription["items"]) if page.facts else 0):
        for field in DECIDED:
            printed, read = stands(page, index, field)
            found = _READ_AS[field].fullmatch(read)
            if found is None or read.casefold() == printed.casefold():
                continue
            value: Any = read
            if field == "strength":
                number = float(found[1])
                value = {"value": int(number) if number == int(number) else number, "unit": found[2]}
            elif field == "duration":
                value = f"{found[1]} days"
            if value == true["medications"][index][field]:
                continue
            where.append(_at(index, field))
            yield Fault(f"{printed} read as {read}", _with(true, index, **{field: value}), (where[-1],))
            together = _with(together, index, **{field: value})
    if len(where) > 1:
        yield Fault("all of them", together, tuple(where))
