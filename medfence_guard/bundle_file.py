"""The facts of a reference bundle as plain JSON, and the `bundle.json` that holds them: rows, and the index they give.

Facts are what a build, an import and a comparison work with:

    molecules   molecule -> {"aliases": [{"name", "grade", "source", "salt"?}], "grade", "source"}
    products    {"molecules", "strengths": [{"value", "unit", "per_value", "per_unit"}], "form", "release", "grade", "source",
                 "printed_order"?, "component_releases"?, "route"?}
    brands      a product with {"name", "confidence", "attested_by"}

and the remaining entries as they stand in the file. `packed` and `unpacked` are each other's inverse. Numbers in the index follow
from the order of the rows, so the index is never edited: it is made again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from medfence_guard.bundle import FIELD, INDEX, PART, SCHEMA, SHAPES, SOURCE, brand_keys, component_of, name_key
from medfence_guard.errors import BundleError
from medfence_guard.reader.lexer import WORD, lex
from medfence_guard.reader.text import fold

_ROWS = ("molecules", "products", "brands")
_NO_RELEASE = "-"  # of a component whose product says a release for another one


def packed(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What `bundle.json` holds for these facts. Raises BundleError `bundle.fact` for one that no row can hold."""
    rows = {
        "names": [row for molecule, said in facts["molecules"].items() for row in _name_rows(molecule, said)],
        "products": [_product_row(fact) for fact in facts["products"]],
        "brands": [_brand_row(fact) for fact in facts["brands"]],
    }
    for kind, written in rows.items():
        for row in written:
            if SHAPES[kind].fullmatch(row) is None:
                raise BundleError("bundle.fact", f"this fact has no row of its kind ({kind}): {row}")
    rest = {key: value for key, value in facts.items() if key not in _ROWS}
    return {"look_alikes": [], "brand_collisions": [], "insulins": [], **rest, **rows, "schema": SCHEMA, "index": _index(facts, rows)}


def unpacked(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a parsed `bundle.json` that `Bundle.from_bytes` accepted."""
    molecules: dict[str, dict[str, Any]] = {}
    for row in raw["names"]:
        name, molecule, salt, grade, sources = row.split(FIELD)
        said = {"grade": grade, "source": sources.split(SOURCE)} if grade else {}
        if molecule not in molecules:
            molecules[molecule] = {"aliases": [], **said}
        else:
            molecules[molecule]["aliases"].append({"name": name, **said, **({"salt": salt} if salt else {})})
    brands = []
    for row in raw["brands"]:
        name, confidence, attested_by, product = row.split(FIELD, 3)
        listed = attested_by.split(SOURCE) if attested_by else []
        brands.append({**_product_fact(product), "name": name, "confidence": confidence, "attested_by": listed})
    rest = {key: value for key, value in raw.items() if key not in (*SHAPES, "index")}
    return {**rest, "molecules": molecules, "products": [*map(_product_fact, raw["products"])], "brands": brands}


# ---- one row --------------------------------------------------------------------------------------------------


def _row(*fields: str) -> str:
    return FIELD.join(fields)


def _joined(separator: str, parts: Iterable[str]) -> str:
    """One field for several values. A value that holds the separator would come back as two."""
    values = list(parts)
    if any(not value or separator in value for value in values):
        raise BundleError("bundle.fact", f"an empty value, or one with {separator.strip()!r} in it: {values}")
    return separator.join(values)


def _name_rows(molecule: str, said: Mapping[str, Any]) -> Iterable[str]:
    """The molecule under its own name, then its other names."""
    yield _row(molecule, molecule, "", said.get("grade", ""), _joined(SOURCE, said.get("source", ())))
    for alias in said.get("aliases", ()):
        yield _row(alias["name"], molecule, alias.get("salt") or "", alias["grade"], _joined(SOURCE, alias["source"]))


def _product_row(fact: Mapping[str, Any]) -> str:
    if len(fact["molecules"]) != len(fact["strengths"]):
        raise BundleError("bundle.fact", f"one strength for each molecule: {PART.join(fact['molecules'])}")
    return _row(
        _joined(PART, fact["molecules"]),
        _joined(PART, map(_strength_text, fact["strengths"])),
        fact["form"],
        fact.get("release") or "",
        _joined(PART, (release or _NO_RELEASE for release in fact.get("component_releases", ()))),
        fact.get("route", ""),
        " ".join(map(str, fact.get("printed_order", ()))),
        fact["grade"],
        _joined(SOURCE, fact["source"]),
    )


def _brand_row(fact: Mapping[str, Any]) -> str:
    return _row(fact["name"], fact.get("confidence") or "B", _joined(SOURCE, fact.get("attested_by") or ()), _product_row(fact))


def _product_fact(row: str) -> dict[str, Any]:
    molecules, strengths, form, release, component_releases, route, printed_order, grade, sources = row.split(FIELD)
    fact: dict[str, Any] = {
        "molecules": molecules.split(PART),
        "strengths": [*map(_strength_fact, strengths.split(PART))],
        "form": form,
        "release": release,
        "grade": grade,
        "source": sources.split(SOURCE),
    }
    if printed_order:
        fact["printed_order"] = [*map(int, printed_order.split())]
    if component_releases:
        fact["component_releases"] = [release.removeprefix(_NO_RELEASE) for release in component_releases.split(PART)]
    return {**fact, "route": route} if route else fact


def _strength_text(strength: Mapping[str, str | None]) -> str:
    per = f"/{strength['per_value']} {strength['per_unit']}" if strength.get("per_unit") else ""
    return f"{strength['value']} {strength['unit']}{per}"


def _strength_fact(text: str) -> dict[str, str | None]:
    amount, _, per = text.partition("/")
    (value, unit), (per_value, per_unit) = amount.split(" "), per.split(" ") if per else (None, None)
    return {"value": value, "unit": unit, "per_value": per_value, "per_unit": per_unit}


# ---- the index ------------------------------------------------------------------------------------------------


def _usable(key: str) -> bool:
    """Shorter than three letters, a name cannot be told from a word."""
    return sum(char.isalpha() for char in key) >= 3


def _first_word(name: str) -> Iterable[str]:
    """Where a name may begin in a text."""
    return [token.text for token in lex(fold(name)) if token.kind == WORD][:1]


def _index(facts: Mapping[str, Any], rows: Mapping[str, list[str]]) -> dict[str, Any]:
    """Composition -> rows, key of a name -> rows, and the words a name may begin with.

    A molecule's key is never a brand's. A key that is some brand's whole name leads to the brands so called and is no stem:
    `Telma 80 H` does not make `Telma`, a name of its own, another medicine.
    """
    found: dict[str, dict[str, list[int]]] = {part: {} for part in INDEX}
    first_words: set[str] = set()

    def add(part: str, key: str, number: int) -> None:
        found[part].setdefault(key, []).append(number)

    for number, row in enumerate(rows["names"]):
        name = row.split(FIELD, 1)[0]
        if _usable(name_key(name)):
            add("names", name_key(name), number)
            first_words.update(_first_word(name))
    for number, fact in enumerate(facts["products"]):
        add("products", PART.join(fact["molecules"]), number)
    for number, fact in enumerate(facts["brands"]):
        add("brand_products", PART.join(fact["molecules"]), number)
        first_words.update(_first_word(fact["name"]))
        components = tuple(component_of(_strength_text(strength)) for strength in fact["strengths"])
        whole, stems, _ = brand_keys(fact["name"], components)
        for part, keys in (("brands", whole), ("stems", stems)):
            for key in keys:
                if _usable(key) and key not in found["names"]:
                    add(part, key, number)
    for key in found["brands"]:
        found["stems"].pop(key, None)
    return {
        **{part: {key: " ".join(map(str, numbers)) for key, numbers in keys.items()} for part, keys in found.items()},
        "first_words": sorted(first_words),
        "editions": sorted({fact["source"][0].split("#")[0] for fact in (*facts["products"], *facts["brands"])}),
    }


__all__ = ["packed", "unpacked"]
