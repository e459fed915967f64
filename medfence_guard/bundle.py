"""The reference bundle: which names, compositions, forms and strengths are attested, and by which document.

Open world: what is missing is *unattested*, never *wrong*. Bytes come in, a checked and indexed bundle comes out;
nothing here opens a file. Look-ups cost the same for 27 molecules as for 27,000.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from medfence_guard.errors import BundleError
from medfence_guard.reader.lexer import NUMBER, PLUSSED, SLASHED, WORD, lex, plain_number
from medfence_guard.reader.text import fold

SCHEMA = "medfence-bundle/1"
GRADES = ("regulator", "tender", "terminology", "curated")
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
        """Digest first, then schema, then jurisdiction, then the facts; any of them wrong refuses the bundle."""
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
            return _index(raw, digest)
        except (KeyError, TypeError, ValueError, IndexError) as problem:
            raise BundleError("bundle.fact", f"bundle.json holds a fact of the wrong shape ({type(problem).__name__})") from problem


# A bundle writes few numbers many times.
_exact = lru_cache(maxsize=4096)(Fraction)
_PLAIN_WORD = re.compile(r"[a-z]+(?=[ -]|$)")


def _components(rows: list[dict[str, str | None]]) -> tuple[Component, ...]:
    return tuple(
        Component(_exact(str(r["value"])), str(r["unit"]), _exact(str(r["per_value"])) if r.get("per_value") else None, r.get("per_unit"))
        for r in rows
    )


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


@dataclass(slots=True)
class _Entry:
    display: str
    brand: bool
    compositions: dict[tuple[str, ...], None] = field(default_factory=dict)
    rows: list[Product] = field(default_factory=list)
    grade: str = ""
    citation: str = ""
    complete: bool = False
    salt: str = ""


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
    strengths |= {v / 1000 for v in values} | {v * 1000 for v in values}
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


def _usable(key: str) -> bool:
    """Shorter than three letters, a name cannot be told from a word."""
    return sum(char.isalpha() for char in key) >= 3


def _index(raw: dict[str, object], digest: str) -> Bundle:
    entries: dict[str, _Entry] = {}
    products: dict[tuple[str, ...], list[Product]] = {}
    first_words: set[str] = set()

    def entry(key: str, display: str, *, brand: bool) -> _Entry:
        found = entries.get(key)
        if found is None or (found.brand and not brand):
            entries[key] = found = _Entry(display, brand)
        return found

    def remember_words(name: str) -> None:
        plain = _PLAIN_WORD.match(name.lower()) if name.isascii() else None
        if plain is not None and len(plain.group()) > 2:
            first_words.add(plain.group())
            return
        words = [t.text for t in lex(fold(name)) if t.kind == WORD]
        if words:
            first_words.add(words[0])

    for row in raw["products"]:  # type: ignore[attr-defined]
        components = _components(row["strengths"])
        product = Product(
            tuple(row["molecules"]),
            components,
            row["form"],
            row.get("release") or "",
            row["grade"],
            row["source"][0],
            labels=_labels(components, []),
        )
        products.setdefault(product.molecules, []).append(product)
    for row in raw["brands"]:  # type: ignore[attr-defined]
        components = _components(row["strengths"])
        complete, stems, numbers = brand_keys(row["name"], components)
        product = Product(
            tuple(row["molecules"]),
            components,
            row["form"],
            row.get("release") or "",
            row["grade"],
            row["source"][0],
            row["name"],
            row.get("confidence") or "B",
            _labels(components, numbers),
            bool(row.get("attested_by")),
        )
        products.setdefault(product.molecules, []).append(product)
        for key in complete | stems:
            if not _usable(key):
                continue
            known = entries.get(key)
            if known is not None and not known.brand:
                continue
            slot = entry(key, row["name"], brand=True)
            whole = key in complete
            if slot.complete and not whole:
                # `Telma 80 H` does not make `Telma`, a name of its own, another medicine.
                continue
            if whole and not slot.complete:
                slot.compositions.clear()
                slot.rows.clear()
                slot.complete = True
            slot.compositions[product.molecules] = None
            slot.rows.append(product)
            slot.grade, slot.citation = product.grade, product.citation
        remember_words(row["name"])
    for row in raw.get("brand_collisions", ()):  # type: ignore[attr-defined]
        key = name_key(row["name"])
        if _usable(key) and key in entries:
            entries[key].compositions[(f"another product called {row['name']}",)] = None
    for molecule, facts in raw["molecules"].items():  # type: ignore[attr-defined]
        spellings = [(molecule, "", "", "")] + [
            (a["name"], a["grade"], a["source"][0], a.get("salt") or "") for a in facts.get("aliases", ())
        ]
        parts = tuple(sorted(part.strip() for part in molecule.split(" + ")))
        attesting = products.get(parts)
        for spelling, grade, citation, salt in spellings:
            key = name_key(spelling)
            if not _usable(key):
                continue
            slot = entry(key, spelling, brand=False)
            slot.compositions[parts] = None
            slot.complete = True
            slot.salt = salt if isinstance(salt, str) else ("salt" if salt else "")
            slot.grade = grade or (attesting[0].grade if attesting else "terminology")
            slot.citation = citation or (attesting[0].citation if attesting else f"molecule:{molecule}")
            remember_words(spelling)
    names = {
        key: Name(key, e.display, tuple(e.compositions), e.brand, tuple(e.rows), e.grade, e.citation, not e.complete, e.salt)
        for key, e in sorted(entries.items())
    }
    alike: dict[str, list[tuple[str, str]]] = {}
    for one, other, source in raw.get("look_alikes", ()):  # type: ignore[attr-defined]
        alike.setdefault(name_key(one), []).append((other, source))
        alike.setdefault(name_key(other), []).append((one, source))
    editions = sorted({p.citation.split("#")[0] for rows in products.values() for p in rows})
    return Bundle(
        str(raw["jurisdiction"]),
        str(raw["edition"]),
        digest,
        names,
        frozenset(first_words),
        {key: tuple(rows) for key, rows in products.items()},
        frozenset(raw.get("insulins", ())),  # type: ignore[call-overload]
        {key: tuple(sorted(pairs)) for key, pairs in alike.items()},
        tuple(editions),
    )


__all__ = ["Bundle", "Component", "Name", "Product", "brand_keys", "name_key", "plain_number"]
