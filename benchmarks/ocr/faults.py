"""The seeded faults: each changes one meaning of a true payload, and says where a reviewer should be sent.

A fault is a function of the prescription, the item it strikes and a seeded choice; it yields the payload and the paths at which a
finding localises it, or nothing where it does not apply (a decimal cannot be lost where there is none).
"""

from __future__ import annotations

import copy
import re
import zlib
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from benchmarks.ocr import prescriptions as rx

Payload = dict[str, Any]
Change = tuple[Payload, frozenset[str]]
Fault = Callable[[dict[str, Any], Payload, int, Random, "Names"], Iterator[Change]]

COUNT = {"OD": 1, "BD": 2, "TDS": 3, "HS": 1, "1-0-1": 2, "1-1-1": 3, "0-0-1": 1, "1-0-0": 1, "0-1-0": 1, "BD SOS": 2, "SOS": 0}
"""Doses a day, so that an altered frequency is another number and not the same one in other words."""


class Names:
    """The names a fault may put in place of the true one."""

    def __init__(self, molecules: list[dict[str, str]], brands: list[dict[str, str]]) -> None:
        self.rows = [*molecules, *brands]
        self.molecule_of = {row["name"]: row["molecule"] for row in self.rows}
        self.names = sorted(self.molecule_of)

    def other(self, taken: set[str], random: Random) -> str:
        return random.choice([name for name in self.names if self.molecule_of[name] not in taken])

    def nearest(self, name: str, taken: set[str]) -> str:
        """The known name of another substance that looks most like it."""
        others = (other for other in self.names if self.molecule_of[other] not in taken)
        return min(others, key=lambda other: (_distance(name.lower(), other.lower()), other))


def _distance(one: str, other: str) -> int:
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


def _at(index: int, *fields: str) -> frozenset[str]:
    return frozenset({f"$.medications[{index}]", *(f"$.medications[{index}].{field}" for field in fields)})


def _with(payload: Payload, index: int, **fields: Any) -> Payload:
    """A copy with these fields of the item set; None removes one."""
    changed = copy.deepcopy(payload)
    for field, value in fields.items():
        if value is None:
            changed["medications"][index].pop(field, None)
        else:
            changed["medications"][index][field] = value
    return changed


def _taken(prescription: dict[str, Any]) -> set[str]:
    own = {item["molecule"] for item in prescription["items"]}
    return own | ({prescription["stopped"]["molecule"]} if prescription["stopped"] else set())


def _strength(item: dict[str, Any], text: str, unit: str | None = None) -> dict[str, Any]:
    value = float(text)
    return {"value": int(value) if value == int(value) else value, "unit": unit or rx.UNIT_WORDS[item["unit"]]}


def _duration(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    other = random.choice([days for days in rx.DAYS if days != p["items"][n]["days"]])
    yield _with(payload, n, duration=f"{other} days"), _at(n, "duration")


def _dropped_drug(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    if len(p["items"]) > 1:
        changed = copy.deepcopy(payload)
        del changed["medications"][n]
        yield changed, frozenset({"$.medications"})


def _dropped_field(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    for field in ("strength", "frequency"):
        yield _with(payload, n, **{field: None}), _at(n, field)


def _tenfold_bare(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    value = payload["medications"][n]["strength"]["value"] * 10
    yield _with(payload, n, strength={"value": value}), _at(n, "strength")


def _tenfold(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    strength = payload["medications"][n]["strength"]
    yield _with(payload, n, strength={**strength, "value": strength["value"] * 10}), _at(n, "strength")


def _route(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    yield _with(payload, n, route=random.choice(("IV", "IM", "SC", "topical", "PR"))), _at(n, "route")


def _form(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    own = p["items"][n]["form"]
    others = [form for form in ("tablet", "capsule", "syrup", "injection", "cream") if form != own]
    yield _with(payload, n, form=random.choice(others)), _at(n, "form")


def _duplicate(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    changed = copy.deepcopy(payload)
    changed["medications"].append(copy.deepcopy(changed["medications"][n]))
    last = len(changed["medications"]) - 1
    yield changed, _at(n) | _at(last) | {"$.medications"}


def _stopped(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    old = p["stopped"]
    if old is not None and n == 0:
        changed = copy.deepcopy(payload)
        changed["medications"].append({"name": old["name"], "strength": _strength(old, old["value"]), "frequency": "BD"})
        yield changed, _at(len(p["items"]), "name")


def _allergy(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    if p["allergy"] is not None and n == 0:
        row = next(row for row in names.rows if row["name"] == p["allergy"])
        changed = copy.deepcopy(payload)
        changed["medications"].append({"name": row["name"], "strength": _strength(row, row["value"]), "frequency": "BD"})
        yield changed, _at(len(p["items"]), "name", "strength", "frequency")


def _digit(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    text = p["items"][n]["value"]
    places = [place for place, character in enumerate(text) if character.isdigit()]
    place = random.choice(places)
    text = text[:place] + random.choice([d for d in "123456789" if d != text[place]]) + text[place + 1 :]
    yield _with(payload, n, strength=_strength(p["items"][n], text)), _at(n, "strength")


def _decimal(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    text = p["items"][n]["value"]
    if "." in text:
        yield _with(payload, n, strength=_strength(p["items"][n], text.replace(".", ""))), _at(n, "strength")


def _unit(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    item = p["items"][n]
    yield _with(payload, n, strength=_strength(item, item["value"], "mcg" if item["unit"] == "mg" else "mg")), _at(n, "strength")


def _look_alike(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    yield _with(payload, n, name=names.nearest(p["items"][n]["name"], _taken(p))), _at(n, "name")


def _other_drug(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    yield _with(payload, n, name=names.other(_taken(p), random)), _at(n, "name")


def _frequency(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    own = COUNT[p["items"][n]["frequency"]]
    yield _with(payload, n, frequency=random.choice([f for f in COUNT if COUNT[f] != own])), _at(n, "frequency")


def _slots(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    own = p["items"][n]["frequency"]
    if re.fullmatch(r"[01]-[01]-[01]", own) and own != "1-1-1":
        yield _with(payload, n, frequency=random.choice([f for f in COUNT if "-" in f and f != own and COUNT[f] == COUNT[own]] or ["1-1-0"])), _at(
            n, "frequency"
        )


def _prn_dropped(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    if p["items"][n]["frequency"] == "BD SOS":
        yield _with(payload, n, frequency="BD"), _at(n, "frequency")


def _prn_invented(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    own = p["items"][n]["frequency"]
    if "SOS" not in own:
        yield _with(payload, n, frequency=f"{own} SOS"), _at(n, "frequency")


def _meal(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    other = "before food" if p["items"][n]["meal"] == "after food" else "after food"
    yield _with(payload, n, timing=other), _at(n, "timing")


def _release(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    yield _with(payload, n, name=f"{p['items'][n]['name']} {random.choice(('SR', 'XL', 'CR'))}"), _at(n, "name", "release")


def _swapped(field: str) -> Fault:
    def change(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
        other = (n + 1) % len(p["items"])
        one, two = payload["medications"][n][field], payload["medications"][other][field]
        different = one != two and (field != "frequency" or COUNT[one] != COUNT[two])
        if different:
            yield _with(_with(payload, n, **{field: two}), other, **{field: one}), _at(n, field) | _at(other, field)

    return change


def _suffix(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    yield _with(payload, n, name=f"{p['items'][n]['name']} {random.choice(('H', 'D', 'AM', 'Plus', 'M'))}"), _at(n, "name")


_CYRILLIC = str.maketrans("aeopcx", "аеорсх")


def _confusable(p: dict[str, Any], payload: Payload, n: int, random: Random, names: Names) -> Iterator[Change]:
    item = p["items"][n]
    if item["name"].translate(_CYRILLIC) != item["name"]:
        yield _with(payload, n, name=item["name"].translate(_CYRILLIC)), _at(n, "name")
    if "0" in item["value"]:
        yield _with(payload, n, strength=f"{item['value'].replace('0', 'O')} {rx.UNIT_WORDS[item['unit']]}"), _at(n, "strength")


FAULTS: dict[str, Fault] = {
    "duration altered": _duration,
    "drug dropped": _dropped_drug,
    "field dropped": _dropped_field,
    "tenfold, no unit": _tenfold_bare,
    "route invented": _route,
    "form altered": _form,
    "duplicated": _duplicate,
    "stopped drug active": _stopped,
    "allergy drug active": _allergy,
    "digit edited": _digit,
    "decimal lost": _decimal,
    "tenfold": _tenfold,
    "unit swapped": _unit,
    "look-alike name": _look_alike,
    "other drug": _other_drug,
    "frequency altered": _frequency,
    "slots permuted": _slots,
    "as-needed dropped": _prn_dropped,
    "as-needed invented": _prn_invented,
    "meal altered": _meal,
    "release invented": _release,
    "strengths swapped": _swapped("strength"),
    "frequencies swapped": _swapped("frequency"),
    "brand suffix": _suffix,
    "confusable character": _confusable,
}


def variants(prescription: dict[str, Any], names: Names) -> Iterator[tuple[str, Payload, frozenset[str]]]:
    """Every fault on every item it applies to: `(class, payload, paths that localise it)`. The same each time."""
    true = rx.payload(prescription)
    for name, fault in FAULTS.items():
        for index in range(len(prescription["items"])):
            random = Random(zlib.crc32(f"{prescription['id']} {name} {index}".encode()))
            for payload, paths in fault(prescription, true, index, random, names):
                yield name, payload, paths
