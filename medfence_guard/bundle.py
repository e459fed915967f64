"""The reference bundle: which names, compositions, forms and strengths are attested, and by which document.

Open world: what is missing is *unattested*, never *wrong*. Bytes come in, a checked and indexed bundle comes out;
nothing here opens a file. Look-ups cost the same for 27 molecules as for 27,000.

`bundle.json` is three lists of rows and an index to them, all under the digest that the manifest names. A row is one text, its
fields set apart by ` | `:

    names      name | molecule | salt | grade | sources                  a molecule under its own name first, then its other names
    products   molecules | strengths | form | release | component releases | route | printed order | grade | sources
    brands     name | confidence | attested by | and the fields of a product

Molecules, strengths and component releases are joined by ` + `, sources by `; `, best first. A combination with a name of its own
is a molecule written `a + b`. The index leads from a composition to its products and brands, and from the key of a name to the
rows that the name means, as row numbers counted from 0. A row becomes an object when it is first asked for, and is then kept.
`bundle_file` makes rows and index from the facts; `refdata verify` makes them again and compares.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from medfence_guard.errors import BundleError
from medfence_guard.reader.lexer import NUMBER, PLUSSED, SLASHED, WORD, lex, plain_number
from medfence_guard.reader.text import fold

SCHEMA = "medfence-bundle/2"
GRADES = ("regulator", "tender", "terminology", "curated")
FIELD, PART, SOURCE = " | ", " + ", "; "
_NOT_IN_KEY = re.compile(r"[^0-9a-z\u0900-\u0dff]+")


def name_key(text: str) -> str:
    """P2's fold for names: case, spaces, hyphens and punctuation go; letters, digits and their order stay."""
    # Of ASCII the fold only lowers the case.
    return _NOT_IN_KEY.sub("", text.lower() if text.isascii() else fold(text).text)


@dataclass(frozen=True, slots=True)
class Component:
    """One molecule's strength in a product, exact, in the unit the source printed."""

    value: Fraction
    unit: str
    per_value: Fraction | None
    per_unit: str | None


@dataclass(frozen=True, slots=True)
class Product:
    """One attested product: sorted molecules with their strengths, form, release, and where it is written."""

    molecules: tuple[str, ...]
    components: tuple[Component, ...]
    form: str
    release: str
    grade: str
    citation: str
    brand: str = ""
    confidence: str = ""
    labels: frozenset[Fraction] = frozenset()
    attested: bool = True


@dataclass(frozen=True, slots=True)
class Name:
    """What a name means. `rows`: the brand's products; empty for a molecule. `incomplete`: a stem that needs its number or suffix."""

    key: str
    display: str
    compositions: tuple[tuple[str, ...], ...]
    brand: bool
    rows: tuple[Product, ...]
    grade: str
    citation: str
    incomplete: bool = False
    salt: str = ""

    @property
    def ambiguous(self) -> bool:
        return len(self.compositions) != 1


@dataclass(frozen=True, slots=True)
class Bundle:
    """The indexed bundle. `digest` is the SHA-256 of the bytes it was read from."""

    jurisdiction: str
    edition: str
    digest: str
    names: Mapping[str, Name]
    first_words: frozenset[str]
    products: Mapping[tuple[str, ...], tuple[Product, ...]]
    insulins: frozenset[str]
    look_alikes: Mapping[str, tuple[tuple[str, str], ...]]
    editions: tuple[str, ...] = field(default=())
    # What a name's look-ups gather, kept once gathered. Nothing but the bundle's own facts is ever in here.
    rows_memo: dict[str, tuple[Product, ...]] = field(default_factory=dict, repr=False, compare=False)
    attest_memo: dict[object, object] = field(default_factory=dict, repr=False, compare=False)
    units_memo: dict[tuple[str, str | None], dict[Fraction, tuple[tuple[str, Product], ...]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @property
    def snapshot(self) -> str:
        return f"{self.edition}:{self.digest[:16]}"

    @classmethod
    def from_bytes(cls, data: bytes, *, expected_digest: str | None = None, jurisdiction: str | None = None) -> Bundle:
        """Digest first, then schema, then jurisdiction, then the shape of every row; any of them wrong refuses the bundle."""
        digest = hashlib.sha256(data).hexdigest()
        if expected_digest is not None and digest != expected_digest:
            raise BundleError(
                "bundle.tampered", "bundle.json does not have the digest its manifest names; rebuild it or reinstall the package"
            )
        try:
            raw = json.loads(data)
        except ValueError as problem:
            raise BundleError("bundle.not_json", "bundle.json is not JSON") from problem
        if type(raw) is not dict or raw.get("schema") != SCHEMA:
            raise BundleError("bundle.schema", f"bundle.json does not say schema {SCHEMA!r}")
        if jurisdiction is not None and raw.get("jurisdiction") != jurisdiction:
            raise BundleError("bundle.jurisdiction", f"bundle.json is not for jurisdiction {jurisdiction!r}")
        try:
            return _read(raw, digest)
        except (AttributeError, KeyError, TypeError, ValueError, IndexError) as problem:
            raise BundleError("bundle.fact", f"bundle.json holds a fact of the wrong shape ({type(problem).__name__})") from problem


# ---- the shape of rows and index ------------------------------------------------------------------------------

_AMOUNT = r"\d+(?:\.\d+)? [^\s|/+]+"
_TEXT = r"[^|\n]+"
_PRODUCT = (
    rf"{_TEXT} \| {_AMOUNT}(?:/{_AMOUNT})?(?: \+ {_AMOUNT}(?:/{_AMOUNT})?)* \| [a-z_]+ \| [a-z_]* \| [a-z_+ -]* \| [a-z_]* \| [\d ]* "
    rf"\| (?:{'|'.join(GRADES)}) \| {_TEXT}"
)
SHAPES = {
    "names": re.compile(rf"{_TEXT} \| {_TEXT} \| (?:{_TEXT})? \| (?:{'|'.join(GRADES)})? \| (?:{_TEXT})?"),
    "products": re.compile(_PRODUCT),
    "brands": re.compile(rf"{_TEXT} \| [AB] \| (?:{_TEXT})? \| {_PRODUCT}"),
}
# Part of the index -> what its numbers count.
INDEX = {"names": "names", "brands": "brands", "stems": "brands", "products": "products", "brand_products": "brands"}


def _read(raw: dict[str, Any], digest: str) -> Bundle:
    for kind, shape in SHAPES.items():
        if not all(map(shape.fullmatch, raw[kind])):
            raise ValueError(kind)
    index = raw["index"]
    for part, kind in INDEX.items():
        numbers = [int(number) for number in " ".join(index[part].values()).split()]
        if numbers and not 0 <= min(numbers) <= max(numbers) < len(raw[kind]):
            raise IndexError(part)
    alike: dict[str, list[tuple[str, str]]] = {}
    for one, other, source in raw["look_alikes"]:
        alike.setdefault(name_key(one), []).append((other, source))
        alike.setdefault(name_key(other), []).append((one, source))
    products = _Products(raw["products"], raw["brands"], index["products"], index["brand_products"])
    return Bundle(
        str(raw["jurisdiction"]),
        str(raw["edition"]),
        digest,
        _Names(raw["names"], index, {name_key(row["name"]): row["name"] for row in raw["brand_collisions"]}, products),
        frozenset(index["first_words"]),
        products,
        frozenset(raw["insulins"]),
        {key: tuple(sorted(pairs)) for key, pairs in alike.items()},
        tuple(index["editions"]),
    )


# ---- rows become objects --------------------------------------------------------------------------------------


@lru_cache(maxsize=4096)
def component_of(text: str) -> Component:
    """`125 mg/5 mL` as a component. A bundle writes few strengths many times."""
    amount, _, per = text.partition("/")
    value, unit = amount.split(" ")
    if not per:
        return Component(Fraction(value), unit, None, None)
    per_value, per_unit = per.split(" ")
    return Component(Fraction(value), unit, Fraction(per_value), per_unit)


def _product(row: str, brand: str = "", confidence: str = "", attested: bool = True) -> Product:
    molecules, strengths, form, release, _, _, _, grade, sources = row.split(FIELD)
    components = tuple(map(component_of, strengths.split(PART)))
    numbers = brand_keys(brand, components)[2] if brand else []
    citation = sources.split(SOURCE)[0]
    return Product(
        tuple(molecules.split(PART)), components, form, release, grade, citation, brand, confidence, _labels(components, numbers), attested
    )


class _Products(Mapping[tuple[str, ...], tuple[Product, ...]]):
    """Composition -> its listed products, then its brands. One row is one object, also for two threads that ask at once."""

    __slots__ = ("_brand_rows", "_brands", "_made", "_made_rows", "_product_rows", "_products")

    def __init__(self, products: list[str], brands: list[str], product_rows: Mapping[str, str], brand_rows: Mapping[str, str]) -> None:
        self._products, self._brands, self._product_rows, self._brand_rows = products, brands, product_rows, brand_rows
        self._made: dict[tuple[str, ...], tuple[Product, ...]] = {}
        self._made_rows: dict[int, Product] = {}

    def brand_row(self, number: int) -> Product:
        """The product that a brand row describes."""
        made = self._made_rows.get(number)
        if made is None:
            name, confidence, attested_by, row = self._brands[number].split(FIELD, 3)
            made = self._made_rows.setdefault(number, _product(row, name, confidence, bool(attested_by)))
        return made

    def __getitem__(self, molecules: tuple[str, ...]) -> tuple[Product, ...]:
        made = self._made.get(molecules)
        if made is None:
            composition = PART.join(molecules)
            listed, brands = self._product_rows.get(composition), self._brand_rows.get(composition)
            if listed is None and brands is None:
                raise KeyError(molecules)
            rows = [_product(self._products[int(number)]) for number in (listed or "").split()]
            rows += [self.brand_row(int(number)) for number in (brands or "").split()]
            made = self._made.setdefault(molecules, tuple(rows))
        return made

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return (tuple(composition.split(PART)) for composition in {**self._product_rows, **self._brand_rows})

    def __len__(self) -> int:
        return len(self._product_rows.keys() | self._brand_rows.keys())


class _Names(Mapping[str, Name]):
    """Key of a name -> what it means: a molecule or one of its names, a brand's whole name, or the stem of one."""

    __slots__ = ("_collisions", "_made", "_molecules", "_numbers", "_products", "_rows", "_stems")

    def __init__(self, rows: list[str], index: Mapping[str, Any], collisions: Mapping[str, str], products: _Products) -> None:
        self._rows, self._collisions, self._products = rows, collisions, products
        self._molecules, self._stems = index["names"], index["stems"]
        self._numbers: dict[str, str] = {**index["stems"], **index["brands"], **index["names"]}
        self._made: dict[str, Name] = {}

    def __getitem__(self, key: str) -> Name:
        made = self._made.get(key)
        if made is None:
            numbers = map(int, self._numbers[key].split())
            made = self._made.setdefault(key, (self._molecule if key in self._molecules else self._brand)(key, numbers))
        return made

    def _molecule(self, key: str, numbers: Iterable[int]) -> Name:
        rows = [self._rows[number].split(FIELD) for number in numbers]
        compositions = dict.fromkeys(tuple(sorted(row[1].split(PART))) for row in rows)
        name, molecule, salt, grade, sources = rows[-1]
        citation = sources.split(SOURCE)[0]
        if name == molecule and not salt:
            # A molecule's own name is as good as the first row that lists it.
            attesting = self._products.get(tuple(sorted(molecule.split(PART))))
            grade, citation = (attesting[0].grade, attesting[0].citation) if attesting else ("terminology", f"molecule:{molecule}")
        return Name(key, rows[0][0], tuple(compositions), False, (), grade, citation, False, salt)

    def _brand(self, key: str, numbers: Iterable[int]) -> Name:
        rows = tuple(map(self._products.brand_row, numbers))
        compositions = dict.fromkeys(row.molecules for row in rows)
        if key in self._collisions:
            compositions[(f"another product called {self._collisions[key]}",)] = None
        last = rows[-1]
        return Name(key, rows[0].brand, tuple(compositions), True, rows, last.grade, last.citation, key in self._stems)

    def __contains__(self, key: object) -> bool:
        return key in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._numbers))

    def __len__(self) -> int:
        return len(self._numbers)


# ---- the keys of a brand --------------------------------------------------------------------------------------

_MASS = {"g": Fraction(1000), "mg": Fraction(1), "ug": Fraction(1, 1000)}


def _labels(components: tuple[Component, ...], numbers: list[Fraction]) -> frozenset[Fraction]:
    """The bare numbers a product is called by: its strength, the sum of a combination, and the numbers in its brand name."""
    if len(components) == 1:
        return frozenset([components[0].value, *numbers])
    masses = [c.value * _MASS[c.unit] for c in components if c.unit in _MASS]
    total = [sum(masses, Fraction(0))] if len(masses) == len(components) else []
    return frozenset([*total, *numbers])


_FORM_WORDS = re.compile(
    r"\b(?:oral |eye |ear |nasal |hfa )?(?:suspension|syrup|inhaler|rotacaps?|respules?|cream|ointment|gel|lotion|sachet|injection|inj|"
    r"drops?|spray|tablets?|capsules?|vial|pen|solution|mdi)\b"
)
_SCALE = {"k": 1000}


def brand_keys(name: str, components: tuple[Component, ...]) -> tuple[set[str], set[str], list[Fraction]]:
    """The keys a brand row is found under: complete names, stems that lack something, and the numbers in its name.

    A number that *is* the strength (or, in a combination, its sum or its parts) is read as a strength, so the
    name is complete without it. Any other number (`NovoMix 30`, `GP 2`) is part of the name.
    """
    text = _FORM_WORDS.sub(" ", name.lower())
    text = " ".join(text.split()) or name.lower()
    tokens = [t for t in lex(fold(text)) if t.kind in (WORD, NUMBER, SLASHED, PLUSSED)]
    values = {c.value for c in components}
    masses = [c.value * _MASS[c.unit] for c in components if c.unit in _MASS]
    strengths = values | {sum(masses, Fraction(0))} if len(masses) == len(components) else set(values)
    # `Augmentin 1.2g` of 1000 mg + 200 mg
    strengths |= {v / 1000 for v in strengths} | {v * 1000 for v in strengths}
    kept: list[str] = []
    stem: list[str] = []
    numbers: list[Fraction] = []
    part_of_name = False
    skip_unit = False
    for index, token in enumerate(tokens):
        if token.kind == WORD:
            if skip_unit and token.text in ("k", "g", "mg", "mcg", "iu"):
                skip_unit = False
                continue
            skip_unit = False
            kept.append(token.text)
            if not numbers:
                stem.append(token.text)
            continue
        is_strength = False
        if token.values is not None:
            scale = _SCALE.get(tokens[index + 1].text, 1) if index + 1 < len(tokens) else 1
            if token.kind == NUMBER:
                value = token.values[0] * scale
                glued_to_letters = token.glued and index > 0 and not (index + 1 < len(tokens) and tokens[index + 1].text == "k")
                is_strength = (
                    value in strengths
                    and not glued_to_letters
                    and (len(components) == 1 or value not in values or "GP" not in name.upper())
                )
                if is_strength:
                    numbers.append(value)
            else:
                is_strength = set(token.values) <= strengths
        if is_strength:
            skip_unit = True
        else:
            kept.append(token.text)
            part_of_name = True
            if not numbers and token.glued:
                stem.append(token.text)
    complete = {name_key(" ".join(kept))}
    stems = {name_key(" ".join(stem))} if part_of_name or len(stem) < len(kept) else set()
    return complete, stems - complete, numbers


__all__ = ["GRADES", "SCHEMA", "Bundle", "Component", "Name", "Product", "brand_keys", "component_of", "name_key", "plain_number"]
