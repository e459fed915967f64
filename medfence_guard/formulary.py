"""A hospital's own list, read row by row, becomes facts beside those of a reference bundle.

Nothing is repaired and nothing is guessed: a cell either says one thing or is a `Problem` that names its row and column, and all
problems are found before anything is built. What a formulary adds is grade `curated` (P25): it may let a name or a strength pass,
with a note, and never refutes one. No files here; rows come in as text, plain JSON goes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from medfence_guard.bundle import Bundle, Component, Product, brand_keys, name_key
from medfence_guard.look_alikes import COMPUTED, brand_stem, can_resemble, close_pairs
from medfence_guard.near import distance
from medfence_guard.reader.lexer import lex
from medfence_guard.reader.lexicon import LEAF, Lexicon
from medfence_guard.reader.text import fold

REQUIRED = ("name", "generic", "strength", "form")
COLUMNS = (*REQUIRED, "release", "route", "brand", "checked", "count")
HEADER_SYNONYMS = {"molecules": "generic", "molecule": "generic", "composition": "generic", "brand name": "brand"}
IDENTIFIER = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
MAX_ROWS = 20_000
MAX_CELL = 200
CITATIONS_PER_FACT = 3

FORMS = frozenset(
    "tablet capsule oral_film lozenge chewing_gum sachet granules powder syrup oral_suspension oral_solution oral_liquid oral_drops "
    "injection powder_for_injection infusion inhaler inhalation_powder nebuliser_liquid nasal_spray nasal_drops eye_drops eye_ointment "
    "ear_drops cream ointment gel lotion spray shampoo soap dusting_powder topical_solution topical_suspension nail_lacquer face_wash "
    "toothpaste mouthwash mouth_gel suppository pessary vaginal_tablet vaginal_capsule vaginal_gel patch eye_gel foam topical_oil "
    "rectal_foam rectal_gel rectal_ointment vaginal_cream vaginal_ring vaginal_ointment implant".split()
)
_FORM_SHORT = {"tab": "tablet", "cap": "capsule", "syp": "syrup", "inj": "injection", "dry_syrup": "oral_suspension"}
_FORM_VAGUE = {
    "drops": "say which: oral drops, eye drops, ear drops or nasal drops",
    "drop": "say which: oral drops, eye drops, ear drops or nasal drops",
    "suspension": "say which: oral suspension or topical suspension",
    "solution": "say which: oral solution or topical solution",
}
_RELEASES = {
    "plain": "",
    "immediate": "",
    **dict.fromkeys("prolonged sr er xr xl cr pr sustained extended controlled".split(), "prolonged"),
    **dict.fromkeys("modified mr".split(), "modified"),
    **dict.fromkeys("gastro_resistant ec dr enteric enteric_coated delayed".split(), "gastro_resistant"),
    **dict.fromkeys("dispersible dt".split(), "dispersible"),
    **dict.fromkeys("orodispersible odt md mouth_dissolving".split(), "orodispersible"),
    **{word: word for word in "chewable effervescent sublingual".split()},
}
_ROUTES = {
    "po": "oral", "iv": "intravenous", "im": "intramuscular", "sc": "subcutaneous", "sl": "sublingual",
    **{word: word for word in (
        "oral sublingual buccal intravenous intramuscular subcutaneous intradermal rectal vaginal topical transdermal inhaled nasal "
        "ophthalmic otic oromucosal"
    ).split()},
}  # fmt: skip
_ROUTES_OF_FORM = {
    "tablet": ("oral", "sublingual", "buccal"),
    "oral_film": ("oral", "sublingual", "buccal"),
    "mouthwash": ("oromucosal", "oral"),
    "lozenge": ("oromucosal", "oral"),
}
_UNITS = {
    "mg": "mg", "g": "g", "gm": "g", "mcg": "ug", "µg": "ug", "ug": "ug", "microgram": "ug", "micrograms": "ug", "ml": "mL",
    "iu": "[iU]", "unit": "{unit}", "units": "{unit}", "%": "%", "% w/v": "%", "% w/w": "%", "% v/v": "%",
}  # fmt: skip
_PER_UNITS = {
    "ml": "mL", "g": "g", "gm": "g", "h": "h", "hr": "h", "hour": "h",
    "puff": "{actuation}", "spray": "{actuation}", "dose": "{actuation}", "actuation": "{actuation}",
}  # fmt: skip
_NUMBER = r"(?:0|[1-9]\d{0,11})(?:\.\d{1,6})?"
_STRENGTH = re.compile(
    rf"(?P<value>{_NUMBER})\s*(?P<unit>%(?:\s*[wv]/[wv])?|[a-zµ]+)(?:\s*(?:/|\bper\b)\s*(?P<per>{_NUMBER})?\s*(?P<per_unit>[a-z]+))?"
)
_MOLECULE = re.compile(r"[a-z][a-z0-9 ,()'-]*[a-z0-9)]")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why one cell cannot be used. Rows are counted as a spreadsheet does: the header is row 1."""

    row: int
    column: str
    message: str

    def __str__(self) -> str:
        return f"row {self.row}, column {self.column}: {self.message}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One row that could be read. `molecules` and `components` run in the order of the sorted molecules; `names` are new ones only."""

    row: int
    names: tuple[str, ...]
    molecules: tuple[str, ...]
    components: tuple[Component, ...]
    printed_order: tuple[int, ...]
    form: str
    release: str
    route: str


@dataclass(slots=True)
class Reading:
    """What the rows say: `entries` when there are no `problems`; `notes` are consequences worth knowing."""

    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    new_molecules: dict[str, int] = field(default_factory=dict)


def read_rows(header: Sequence[str], rows: Iterable[tuple[int, Sequence[str]]], bundle: Bundle, lexicon: Lexicon) -> Reading:
    """Read every row against the bundle it will extend. A row whose cells are all empty is nothing; every other one must be whole."""
    reading = Reading()
    columns = _columns(header, reading.problems)
    if reading.problems:
        return reading
    raw = [(number, cells) for number, cells in rows if any(cell.strip() for cell in cells)]
    if not raw:
        reading.problems.append(Problem(2, "name", "there is no row below the header"))
    if len(raw) > MAX_ROWS:
        reading.problems.append(Problem(MAX_ROWS + 2, "name", f"more than {MAX_ROWS} rows; split the list"))
        raw = []
    reader = _RowReader(bundle, lexicon, reading)
    whole: list[tuple[int, dict[str, str]]] = []
    for number, cells in raw:
        if len(cells) > len(columns) and any(cell.strip() for cell in cells[len(columns) :]):
            told = "cells beyond the last column; a comma inside a cell needs quotes around it"
            reading.problems.append(Problem(number, columns[-1], told))
            continue
        padded = [*(cell.strip() for cell in cells), *[""] * len(columns)]
        whole.append((number, dict(zip(columns, padded, strict=False))))
    for number, row in whole:  # a molecule may be introduced by any row, so all of them come first
        reader.learn_molecules(number, row)
    for number, row in whole:
        reader.read(number, row)
    reading.problems.sort(key=lambda problem: (problem.row, COLUMNS.index(problem.column) if problem.column in COLUMNS else 0))
    reading.notes = list(dict.fromkeys(reading.notes))
    return reading


def _columns(header: Sequence[str], problems: list[Problem]) -> list[str]:
    columns = [HEADER_SYNONYMS.get(cell, cell) for cell in (" ".join(name.lower().split()) for name in header)]
    while columns and not columns[-1]:
        columns.pop()
    for name in dict.fromkeys(columns):
        if name not in COLUMNS:
            problems.append(Problem(1, name or "(empty)", f"not a column of a formulary; take it out. Columns: {', '.join(COLUMNS)}"))
        elif columns.count(name) > 1:
            problems.append(Problem(1, name, "this column is there twice"))
    problems.extend(Problem(1, name, "this column is missing") for name in REQUIRED if name not in columns)
    return columns


class _RowReader:
    def __init__(self, bundle: Bundle, lexicon: Lexicon, reading: Reading) -> None:
        self.bundle, self.lexicon, self.reading = bundle, lexicon, reading
        self.new_keys: dict[str, str] = {}
        self.meanings: dict[str, tuple[tuple[str, ...], int]] = {}

    def problem(self, row: int, column: str, message: str) -> None:
        self.reading.problems.append(Problem(row, column, message))

    def learn_molecules(self, number: int, row: Mapping[str, str]) -> None:
        """Names of molecules that the bundle lacks and the row says were checked."""
        if row.get("checked", "").lower() != "yes":
            return
        for part in _parts(row["generic"]):
            spelled = fold(" ".join(part.split())).text
            if name_key(spelled) not in self.bundle.names and _MOLECULE.fullmatch(spelled) and _letters(spelled) >= 3:
                if self.in_lexicon(spelled):
                    continue
                known = self.new_keys.setdefault(name_key(spelled), spelled)
                self.reading.new_molecules.setdefault(known, number)

    def read(self, number: int, row: Mapping[str, str]) -> None:
        before = len(self.reading.problems)
        for column in COLUMNS:
            text = row.get(column, "")
            if len(text) > MAX_CELL or any(not char.isprintable() for char in text):
                self.problem(number, column, f"longer than {MAX_CELL} characters, or holds control characters")
        if len(self.reading.problems) > before:
            return
        checked = row.get("checked", "").lower()
        if checked not in ("", "yes"):
            self.problem(number, "checked", "either yes or empty")
        missing = [column for column in REQUIRED if not row[column]]
        for column in missing:
            self.problem(number, column, "empty")
        usable = {column: self.usable_name(number, column, row[column]) for column in ("name", "brand") if row.get(column)}
        form = self.form(number, row["form"])
        release = self.release(number, row.get("release", ""))
        route = self.route(number, row.get("route", ""), form)
        molecules = self.molecules(number, row["generic"]) if row["generic"] else None
        components = self.strengths(number, row["strength"]) if row["strength"] else None
        if molecules is None or components is None:
            return
        if len(molecules) != len(components):
            self.problem(
                number, "strength", f"{_count(len(components), 'strength')} for {_count(len(molecules), 'molecule')}; one each, joined by +"
            )
            return
        order = sorted(range(len(molecules)), key=lambda i: molecules[i])
        of, strengths = tuple(molecules[i] for i in order), tuple(components[i] for i in order)
        if form and checked != "yes":
            self.plausible(number, of, strengths, form)
        names = [row[column] for column, fine in usable.items() if fine and self.is_new(number, column, row[column], of, strengths)]
        if len(self.reading.problems) == before:
            printed = tuple(order.index(i) for i in range(len(order)))
            self.reading.entries.append(Entry(number, tuple(dict.fromkeys(names)), of, strengths, printed, form, release, route))

    # ---- one cell each ----

    def form(self, number: int, text: str) -> str:
        if not text:
            return ""
        word = _word(text)
        if word in _FORM_VAGUE:
            self.problem(number, "form", f"'{text}' does not say enough; {_FORM_VAGUE[word]}")
            return ""
        for spelled in (word, word.removesuffix("s")):
            found = _FORM_SHORT.get(spelled, spelled)
            if found in FORMS:
                return found
        self.problem(number, "form", f"'{text}' is not a form of the bundle{_near(word, FORMS)}")
        return ""

    def release(self, number: int, text: str) -> str:
        word = _word(text).removesuffix("_release")
        if word and word not in _RELEASES:
            self.problem(number, "release", f"'{text}' is not one of plain, {', '.join(sorted({r for r in _RELEASES.values() if r}))}")
        return _RELEASES.get(word, "")

    def route(self, number: int, text: str, form: str) -> str:
        if not text:
            return ""
        found = _ROUTES.get(_word(text), "")
        if not found:
            self.problem(number, "route", f"'{text}' is not one of {', '.join(sorted(set(_ROUTES.values())))}")
            return ""
        usual = self.lexicon.form_route.get(form)
        fitting = _ROUTES_OF_FORM.get(form, (usual,) if usual else ())
        if fitting and found not in fitting:
            self.problem(number, "route", f"'{text}' does not go with the form {form} ({' or '.join(fitting)})")
        return found

    def molecules(self, number: int, text: str) -> tuple[str, ...] | None:
        found: list[str] = []
        for part in _parts(text):
            key = name_key(part)
            entry = self.bundle.names.get(key)
            if key in self.new_keys:
                found.append(self.new_keys[key])
            elif entry is None:
                known = {name.display for name in self.bundle.names.values() if not name.brand}
                told = f"'{part}' is no molecule of the bundle{_near(part.lower(), known)}"
                self.problem(number, "generic", f"{told}; if the spelling is right, write yes under checked")
            elif entry.brand:
                self.problem(number, "generic", f"'{part}' is a brand; write its molecules, joined by +")
            elif entry.ambiguous:
                self.problem(number, "generic", f"'{part}' means more than one thing; write the molecule")
            elif len(entry.compositions[0]) > 1:
                self.problem(number, "generic", f"'{part}' is a combination; write it out: {' + '.join(entry.compositions[0])}")
            else:
                found.append(entry.compositions[0][0])
        if len(found) != len(_parts(text)):
            return None
        if len(set(found)) != len(found):
            self.problem(number, "generic", "one molecule is there twice")
            return None
        return tuple(found)

    def strengths(self, number: int, text: str) -> tuple[Component, ...] | None:
        found: list[Component] = []
        parts = _parts(text)
        for part in parts:
            component = _strength(part)
            if isinstance(component, str):
                self.problem(number, "strength", component)
            else:
                found.append(component)
        if len(found) != len(parts):
            return None
        if len({c.per_unit is None for c in found}) > 1:
            told = "one component has a denominator and another has none; write it with each: 400 mg/5 mL + 57 mg/5 mL"
            self.problem(number, "strength", told)
            return None
        return tuple(found)

    def plausible(self, number: int, molecules: tuple[str, ...], strengths: tuple[Component, ...], form: str) -> None:
        """A slip of the decimal point or of the unit would make a wrong dose attested for good, so it must be confirmed (P1)."""
        family = self.lexicon.bundle_form_family.get(form)
        rows = [p for p in self.bundle.products.get(molecules, ()) if self.lexicon.bundle_form_family.get(p.form) == family]
        for index, mine in enumerate(strengths):
            listed = [row.components[index] for row in rows]
            alike = [_amount(self.lexicon, c) for c in listed if _dimension(self.lexicon, c) == _dimension(self.lexicon, mine)]
            amount = _amount(self.lexicon, mine)
            if listed and not alike:
                told = ", ".join(sorted({strength_text(c) for c in listed})[:4])
                why = f"the bundle lists {molecules[index]} in other units ({told})"
            elif alike and (amount > 2 * max(alike) or amount * 2 < min(alike)):
                told = ", ".join(strength_text(c) for c in sorted(listed, key=lambda c: c.value)[:: max(1, len(listed) - 1)])
                why = f"more than twice the largest or less than half the smallest the bundle lists ({told})"
            else:
                continue
            told = f"{strength_text(mine)} of {molecules[index]}: {why}"
            self.problem(number, "strength", f"{told}; if the label says so, write yes under checked")

    def usable_name(self, number: int, column: str, text: str) -> bool:
        """Whether the text can be a name at all."""
        words = [token.text for token in lex(fold(text))]
        if fold(text).unlisted:
            self.problem(number, column, f"'{text}' holds characters outside the alphabet that is read")
        elif _letters(name_key(text)) < 3:
            self.problem(number, column, f"'{text}' has fewer than three letters; it could not be told from a word")
        elif words and words[0] in _FORM_SHORT:
            self.problem(number, column, f"'{text}': leave the form out, it has its own column")
        elif self.in_lexicon(text):
            self.problem(number, column, f"'{text}' is also a word of prescriptions (a form, a unit, a time); it cannot be a name")
        else:
            return True
        return False

    def is_new(self, number: int, column: str, text: str, molecules: tuple[str, ...], components: tuple[Component, ...]) -> bool:
        """Whether the name has to be added; False when the bundle knows it as the generic itself, or when it means something else."""
        before = len(self.reading.problems)
        keys = brand_keys(text, components)[0]
        if not any(_letters(key) >= 3 for key in keys):
            self.problem(number, column, f"'{text}' has fewer than three letters without its strength; it could not be told from a word")
        for key in sorted(keys):
            known = self.bundle.names.get(key)
            composition: tuple[str, ...] | None = None
            if key in self.new_keys:
                composition = (self.new_keys[key],)
            elif known is not None and not known.brand and not known.ambiguous:
                composition = known.compositions[0]
            if composition == molecules:
                return False
            if composition is not None or (known is not None and not known.brand):
                told = " + ".join(composition or ("more than one thing",))
                self.problem(number, column, f"'{text}' already means {told}, not {' + '.join(molecules)}")
            elif any(len(name_key(m)) >= 5 and name_key(m) in key for m in molecules):
                told = "write the name alone, strength, form and release have columns of their own"
                self.problem(number, column, f"'{text}' holds the generic; {told}")
            elif known is not None and molecules not in known.compositions:
                told = " or of ".join(" + ".join(composition) for composition in known.compositions)
                self.reading.notes.append(f"row {number}: '{text}' is also a brand of {told}; it is now ambiguous")
            else:
                first, row = self.meanings.setdefault(key, (molecules, number))
                if first != molecules:
                    self.reading.notes.append(f"row {number}: '{text}' stands for another composition in row {row}; it is now ambiguous")
        return len(self.reading.problems) == before

    def in_lexicon(self, text: str) -> bool:
        node: Any = self.lexicon.trie
        for token in lex(fold(text)):
            node = node.get(token.text)
            if node is None:
                return False
        return LEAF in node


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split("+")]


def _word(text: str) -> str:
    return re.sub(r"[\s_-]+", "_", text.strip().lower())


def _letters(text: str) -> int:
    return sum(char.isalpha() for char in text)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _near(word: str, known: Iterable[str]) -> str:
    limit = 1 if len(word) < 6 else 2
    found = sorted((gap, name) for name in known if (gap := distance(word, name, limit)) <= limit)[:3]
    return f" (near: {', '.join(name for _, name in found)})" if found else ""


def _strength(text: str) -> Component | str:
    """The component, or in words why the text is none."""
    found = _STRENGTH.fullmatch(fold(text).text.strip())
    if found is None:
        return f"'{text}' is not an amount with a unit, such as 500 mg, 125 mg/5 mL, 100 mcg/puff, 100000 IU or 0.5 %"
    unit = _UNITS.get(" ".join(found["unit"].replace("%", "% ").split()))
    if unit is None:
        told = "write IU or units, U is misread" if found["unit"] == "u" else f"units: {', '.join(dict.fromkeys(_UNITS))}"
        return f"'{text}' has a unit that is not known ({told})"
    value = Fraction(found["value"])
    if value == 0:
        return f"'{text}' is nothing"
    if found["per_unit"] is None:
        return Component(value, unit, None, None)
    per_unit = _PER_UNITS.get(found["per_unit"])
    if per_unit is None:
        return f"'{text}' is per something that is not known ({', '.join(_PER_UNITS)})"
    per = Fraction(found["per"] or 1)
    if unit == "%" or per == 0:
        return f"'{text}' has a denominator that makes no sense"
    return Component(value, unit, per, per_unit)


def _dimension(lexicon: Lexicon, component: Component) -> tuple[str, str | None]:
    known = lexicon.unit_by_ucum.get(component.unit)
    dimension = known.dimension if known is not None else component.unit
    return ("iu" if dimension == "unit" else dimension), component.per_unit


def _amount(lexicon: Lexicon, component: Component) -> Fraction:
    known = lexicon.unit_by_ucum.get(component.unit)
    return component.value * (known.scale if known is not None else 1) / (component.per_value or 1)


# ---- facts as text and as JSON --------------------------------------------------------------------------------

_SHOWN_UNITS = {"ug": "mcg", "[iU]": "IU", "{unit}": "units", "{actuation}": "actuation", "{spore}": "spores", "{AU}": "AU"}


def decimal_text(value: Fraction) -> str:
    """A terminating decimal in plain digits; what does not terminate is a fraction."""
    for places in range(13):
        scaled = value * 10**places
        if scaled.denominator == 1:
            digits = str(abs(scaled.numerator)).rjust(places + 1, "0")
            whole, part = (digits[:-places], digits[-places:]) if places else (digits, "")
            return ("-" if value < 0 else "") + whole + ("." + part if part else "")
    return f"{value.numerator}/{value.denominator}"


def strength_text(component: Component) -> str:
    """As a person writes it: `125 mg/5 mL`."""
    shown = f"{decimal_text(component.value)} {_SHOWN_UNITS.get(component.unit, component.unit)}"
    if component.per_unit is None:
        return shown
    per = "" if component.per_value in (None, 1) else f"{decimal_text(component.per_value or Fraction(1))} "
    return f"{shown}/{per}{_SHOWN_UNITS.get(component.per_unit, component.per_unit)}"


def strengths_text(product: Product) -> str:
    """The strengths of all components, in the order of the molecules."""
    return " + ".join(map(strength_text, product.components))


def _strength_json(component: Component) -> dict[str, str | None]:
    per = component.per_value
    return {
        "value": decimal_text(component.value),
        "unit": component.unit,
        "per_value": None if per is None else decimal_text(per),
        "per_unit": component.per_unit,
    }


@dataclass(frozen=True, slots=True)
class Extended:
    """The facts of the new bundle, and how each row ended: `accepted` added something, `merged` was known already."""

    facts: dict[str, Any]
    accepted: int
    merged: int
    products: int
    names: int
    molecules: int


def extended(base: Mapping[str, Any], reading: Reading, identifier: str) -> Extended:
    """The base bundle and the rows. Facts of the base keep their place, grade and first citation."""
    raw: dict[str, Any] = dict(base)
    raw["edition"] = f"{base['edition']}+{identifier}"
    raw["editions"] = [*base.get("editions", ()), identifier]
    raw["molecules"] = dict(base["molecules"])
    raw["products"], raw["brands"] = list(base["products"]), list(base["brands"])
    for molecule, row in reading.new_molecules.items():
        raw["molecules"][molecule] = {"aliases": [], "grade": "curated", "source": [f"{identifier}#row={row}"]}
    raw["insulins"] = sorted({*base.get("insulins", ()), *(m for m in reading.new_molecules if m.startswith("insulin"))})
    places = {_product_key(row): index for index, row in enumerate(raw["products"])}
    brands = {(name_key(row["name"]), _product_key(row)) for row in raw["brands"]}
    accepted = 0
    for entry in reading.entries:
        cite = f"{identifier}#row={entry.row}"
        fact: dict[str, Any] = {
            "molecules": list(entry.molecules),
            "strengths": [_strength_json(component) for component in entry.components],
            "form": entry.form,
            "release": entry.release,
            "printed_order": list(entry.printed_order),
            "grade": "curated",
            "source": [cite],
        }
        if entry.route:
            fact["route"] = entry.route
        key = _product_key(fact)
        added = key not in places
        if added:
            places[key] = len(raw["products"])
            raw["products"].append(fact)
        else:
            known = raw["products"][places[key]]
            if len(known["source"]) < CITATIONS_PER_FACT:
                raw["products"][places[key]] = {**known, "source": [*known["source"], cite]}
        listed = raw["products"][places[key]]
        attesting = listed["source"] if listed["grade"] != "curated" else []
        for name in entry.names:
            if (name_key(name), key) not in brands:
                brands.add((name_key(name), key))
                attested_by = [source for source in attesting if not source.startswith(f"{identifier}#")]
                raw["brands"].append({**fact, "name": name, "confidence": "A", "attested_by": attested_by})
                added = True
        accepted += added
    raw["look_alikes"] = _look_alikes(base, raw)
    return Extended(
        raw,
        accepted,
        len(reading.entries) - accepted,
        len(raw["products"]) - len(base["products"]),
        len(raw["brands"]) - len(base["brands"]),
        len(reading.new_molecules),
    )


def _look_alikes(base: Mapping[str, Any], raw: Mapping[str, Any]) -> list[list[str]]:
    """The pairs of the base, and those that the new names make: brands of other compositions, and molecules."""

    def compositions(brands: Iterable[Mapping[str, Any]]) -> dict[str, set[tuple[str, ...]]]:
        found: dict[str, set[tuple[str, ...]]] = {}
        for brand in brands:
            found.setdefault(brand_stem(brand["name"]), set()).add(tuple(brand["molecules"]))
        return {stem: of for stem, of in found.items() if can_resemble(stem, brand=True)}

    pairs = {(a, b): source for a, b, source in base.get("look_alikes", ())}
    old, new = compositions(base["brands"]), compositions(raw["brands"])
    for a, b, edits in close_pairs(new.keys() - old.keys(), old):
        if new[a] != new[b]:
            pairs.setdefault((min(a, b), max(a, b)), f"{COMPUTED}{edits}")
    molecules = [name for name in raw["molecules"] if can_resemble(name, brand=False)]
    for a, b, edits in close_pairs(set(molecules) - set(base["molecules"]), base["molecules"].keys() & set(molecules)):
        pairs.setdefault((min(a, b), max(a, b)), f"{COMPUTED}{edits}")
    return [[a, b, source] for (a, b), source in sorted(pairs.items())]


def _product_key(row: Mapping[str, Any]) -> tuple[object, ...]:
    strengths = tuple((s["value"], s["unit"], s.get("per_value"), s.get("per_unit")) for s in row["strengths"])
    return tuple(row["molecules"]), strengths, row["form"], row.get("release") or ""
