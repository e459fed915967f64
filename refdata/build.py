"""Builds the reference bundle of a jurisdiction from reviewable tables.

Two steps, kept apart on purpose:

`import`  reads the original lists (given as explicit paths; they are not in this repository) and writes facts into
          `refdata/sources/in/<edition>/*.csv`, every row of an original in exactly one table: `products.csv` (read) or
          `rejects.csv` (not read, with a reason). What the grammar below cannot read is settled by hand in
          `curated-2026-12/readings.csv`, names in `curated-2026-12/names.csv`; a name neither table knows stops the import.
`--write` compiles the tables into `medfence_refdata/in/bundle.json` and `manifest.json`. `--check` compiles them again and
          compares bytes. `--without-pmbjp` leaves that list out.

Prices are never carried: the import reads only the columns named here. The output depends on the tables alone
(no clock, no locale, no hash order). Exit: 0 done, 1 the built files differ from the tables, 2 the tables cannot be used.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the checkout's own package, installed or not

from medfence_guard.bundle_file import packed

MANIFEST_SCHEMA = "medfence-bundle-manifest/1"
EDITION = "in-2026.12"
NPPA, PMBJP, UNII, CURATED, LOOKALIKE = "nppa-2022-08", "pmbjp-2026-07", "unii-2025-06", "curated-2026-12", "lookalike-2026-12"
GRADE = {NPPA: "regulator", PMBJP: "tender", UNII: "terminology", CURATED: "curated"}
CITATIONS_PER_FACT = 3
ROOT = Path(__file__).resolve().parent
SOURCES = ROOT / "sources" / "in"
OUTPUT = ROOT / "medfence_refdata" / "in"


class TableError(Exception):
    """A table or an original cannot be used. The message names the table and the row."""


# --- facts ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Strength:
    """A labelled amount: plain decimal `value`, `unit` (mg, ug, g, mL, [iU], {unit}, %, mmol, meq, {spore}, {AU}), and what it is per.

    `per_value`/`per_unit` are None when the source prints no denominator; they are never guessed from the pack.
    """

    value: str
    unit: str
    per_value: str | None = None
    per_unit: str | None = None

    def text(self) -> str:
        return f"{self.value} {self.unit}" + (f"/{self.per_value} {self.per_unit}" if self.per_unit else "")

    def json(self) -> dict[str, str | None]:
        return {"value": self.value, "unit": self.unit, "per_value": self.per_value, "per_unit": self.per_unit}

    def amount(self) -> tuple[str, Fraction]:
        """Dimension and exact size, so that 0.5 mg/2 mL and 250 ug/1 mL compare equal."""
        scale = {"ug": Fraction(1, 1000), "mg": Fraction(1), "g": Fraction(1000)}.get(self.unit)
        size = Fraction(self.value) * (scale if scale is not None else 1)
        dimension = "mass" if scale is not None else self.unit
        if self.per_unit is None:
            return dimension, size
        return f"{dimension}/{self.per_unit}", size / Fraction(self.per_value or "1")


_STRENGTH_TEXT = re.compile(r"(\d+(?:\.\d+)?) (\S+?)(?:/(\d+(?:\.\d+)?) (\S+))?")


def strength_of(text: str, where: str) -> Strength:
    """The inverse of `Strength.text`. Raises TableError naming `where`."""
    found = _STRENGTH_TEXT.fullmatch(text)
    if not found:
        raise TableError(f"{where}: {text!r} is not a strength like '5 mg' or '125 mg/5 mL'")
    return Strength(found[1], found[2], found[3], found[4])


@dataclass(frozen=True)
class Component:
    """One active of a product: the name as printed, its molecule key, the salt the source names (or ""), amount, release (or "")."""

    printed: str
    molecule: str
    salt: str
    strength: Strength
    release: str = ""


@dataclass(frozen=True)
class Reading:
    """One product read from one source row; `components` in the order the source prints them."""

    components: tuple[Component, ...]
    form: str
    release: str = ""


class UnreadableError(Exception):
    """The row carries no product we can state exactly. The message is the reason printed in `rejects.csv`."""


class UnknownNameError(Exception):
    """No table knows this name (an editor must add it to names.csv); args: the printed name."""


# --- numbers and units -----------------------------------------------------------------------------------------------------

UNITS = {
    "mg": "mg", "g": "g", "gm": "g", "gms": "g", "mcg": "ug", "µg": "ug", "ug": "ug", "microgram": "ug", "iu": "[iU]", "units": "{unit}",
    "unit": "{unit}",
    "ml": "mL", "meq": "meq", "mmol": "mmol", "au": "{AU}", "spores": "{spore}", "spore": "{spore}",
}  # fmt: skip
PER_UNITS = {
    "ml": "mL",
    "mg": "mg",
    "g": "g",
    "gm": "g",
    "dose": "{actuation}",
    "actuation": "{actuation}",
    "24 hour": "h",
    "sachet": "{sachet}",
}
SCALE = {"lac": 100_000, "lakh": 100_000, "million": 1_000_000, "billion": 1_000_000_000, "k": 1000}
_NUMBER = r"\d[\d,]*(?:,\s\d{3})?(?:\.\d+)?"
STRENGTH = re.compile(
    rf"(?<![\w.])(?P<value>{_NUMBER})\s*(?P<scale>lac|lakh|million|billion|k(?=\s+au))?\s*"
    r"(?:(?P<percent>%)\s*(?:[wv]/[wv])?|(?P<unit>mcg|microgram|µg|ug|mg|gms?|g|iu|units?|meq|mmol|au|spores?|ml)(?![a-z]))"
    r"(?:\s*(?:/|per\s+)\s*(?P<per>\d+(?:\.\d+)?)?\s*(?P<per_unit>ml|mg|gm|g|dose|actuation|hour|sachet)(?![a-z]))?"
)


def decimal_text(text: str, scale: int = 1) -> str:
    """'1,00,000', '100, 000', '0.30' -> plain decimal without grouping or trailing zeros."""
    number = Decimal(re.sub(r"[,\s]", "", text)) * scale
    plain = format(number, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def strength_from(found: re.Match[str]) -> Strength:
    value = decimal_text(found["value"], SCALE.get(found["scale"] or "", 1))
    if found["percent"]:
        return Strength(value, "%")
    unit = UNITS[found["unit"]]
    if not found["per_unit"]:
        return Strength(value, unit)
    if found["per_unit"] == "hour":
        return Strength(value, unit, found["per"] or "1", "h")
    return Strength(value, unit, decimal_text(found["per"] or "1"), PER_UNITS[found["per_unit"]])


# --- forms and releases ------------------------------------------------------------------------------------------------------

_SPACED = r"[\s-]*"
RELEASES: tuple[tuple[str, str], ...] = (
    (r"(?:prolonged|sustained|extended|controlled)[\s-]*(?:release|relase)d?|long acting release|\b(?:sr|cr|er|xr)\b|depot", "prolonged"),
    (r"modified[\s-]*release|\bmr\b", "modified"),
    (r"(?:gastro|enteric)[\s-]*(?:resistant|resistance|coated)|delayed[\s-]*release", "gastro_resistant"),
    (r"mouth[\s-]*dissolving|oral(?:ly)?[\s-]*disintegrating|orodispersible", "orodispersible"),
    (r"\bdispersible\b", "dispersible"),
    (r"effervescent", "effervescent"),
    (r"chewable", "chewable"),
    (r"sublingual", "sublingual"),
    (r"immediate[\s-]*release|\bir\b|immediate and", ""),
)
_RELEASE_WORDS = "|".join(f"(?:{pattern})" for pattern, _ in RELEASES)
_RELEASE = re.compile(_RELEASE_WORDS)

# In order: the first that matches is the form. Two names: the row states both.
FORMS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"inhalation \(mdi/dpi\)", ("inhaler", "inhalation_powder")),
    (r"inhalation \(dpi\)", ("inhalation_powder",)),
    (r"inhalation \(mdi\)", ("inhaler",)),
    (r"(?:powder for inhalation|inhalation powder)(?: ip)?(?: \(?rotacaps?\)?)?|rotacaps?(?: ip)?", ("inhalation_powder",)),
    (r"respules?|nebuli[sz]er suspension|respirator (?:solution|suspension)(?: for use in nebulizer)?", ("nebuliser_liquid",)),
    (r"inhaler|inhalation", ("inhaler",)),
    (r"(?:aqueous )?nasal spray", ("nasal_spray",)),
    (r"nasal drops?", ("nasal_drops",)),
    (r"eye/ear drops?", ("eye_drops", "ear_drops")),
    (r"eye[\s-]*drops?|op(?:h)?thalmic (?:solution|suspension)", ("eye_drops",)),
    (r"(?:eye|op(?:h)?thalmic) ointment", ("eye_ointment",)),
    (r"ear[\s-]*drops?", ("ear_drops",)),
    (r"oral drops", ("oral_drops",)),
    (r"(?:powder for )?oral suspension|powder for oral liquid|dry syrup|\bsuspension\b", ("oral_suspension",)),
    (r"oral liquid", ("oral_liquid",)),
    (r"(?:lictus|expectorant|syrup)", ("syrup",)),
    (r"oral solution", ("oral_solution",)),
    (r"topical solution|solution for topical use", ("topical_solution",)),
    (r"mouth[\s-]*wash(?:/gargle)?|gargle", ("mouthwash",)),
    (r"mouth paint", ("mouth_gel",)),
    (r"\bpaint\b", ("topical_solution",)),
    (r"mouth ulcer gel|dental gel", ("mouth_gel",)),
    (r"vaginal gel", ("vaginal_gel",)),
    (r"vaginal tablets?", ("vaginal_tablet",)),
    (r"soft gelatin capsule \(for vaginal use\)", ("vaginal_capsule",)),
    (r"pessar(?:y|ies)", ("pessary",)),
    (r"suppositor(?:y|ies)", ("suppository",)),
    (r"transdermal patch(?:es)?|\bpatch(?:es)?\b", ("patch",)),
    (r"toothpaste(?: gel)?", ("toothpaste",)),
    (r"nail lacquer", ("nail_lacquer",)),
    (r"(?:foaming )?face\s*wash", ("face_wash",)),
    (r"dusting powder", ("dusting_powder",)),
    (r"shampoo", ("shampoo",)),
    (r"\bsoap\b", ("soap",)),
    (r"skin cream|\bcream\b", ("cream",)),
    (r"\bointment\b", ("ointment",)),
    (r"topical gel|(?<!soft )(?<!vera )\bgel\b", ("gel",)),
    (r"\blotion\b", ("lotion",)),
    (r"\bspray\b", ("spray",)),
    (r"oral(?:ly)? disintegrating strips?", ("oral_film",)),
    (r"lozenges?", ("lozenge",)),
    (r"chewing gum", ("chewing_gum",)),
    (r"powder for (?:concentrate for )?(?:i\.v\. )?injection|(?:for )?concentrate for solution for infusion", ("powder_for_injection",)),
    (r"powder and solvent for solution for injection|for injection", ("powder_for_injection",)),
    (r"intravenous(?:e)? infusion|for intravenous infusion|\binfusion\b", ("infusion",)),
    (r"prefilled disposable pen|injections?|inj\.", ("injection",)),
    (r"(?:soft\s*gel(?:atin)?\s*)?\bcap(?:sule|sules)\b|capsule", ("capsule",)),
    (r"\btab(?:let|lets|)\b", ("tablet",)),
    (r"\bsachets?\b", ("sachet",)),
    (r"\bgranules\b", ("granules",)),
    (r"\bpowder\b", ("powder",)),
    (r"\bdrops?\b", ("drops",)),
    (r"\bsolution\b|antiseptic liquid|\bliquid\b", ("solution",)),
)  # fmt: skip
_FORMS = tuple((re.compile(pattern), names) for pattern, names in FORMS)


def releases_in(text: str) -> tuple[str, str]:
    """The release the text states ("" when none) and the text without those words."""
    found = {name for pattern, name in RELEASES if name and re.search(pattern, text)}
    if len(found) > 1:
        raise UnreadableError("two release words for one component")
    return (found.pop() if found else ""), _RELEASE.sub(" ", text)


def split_form(text: str) -> tuple[tuple[str, ...], str, str]:
    """(form names, release printed right before the form, text without both)."""
    for pattern, names in _FORMS:
        found = pattern.search(text)
        if not found:
            continue
        before, after = text[: found.start()], text[found.end() :]
        lead = re.search(rf"(?:(?:{_RELEASE_WORDS})\s*(?:/\s*)?)+$", before)
        release = ""
        if lead and lead.group().strip():
            release, _ = releases_in(lead.group())
            before = before[: lead.start()]
        return names, release, pattern.sub(" ", f"{before} {after}")
    raise UnreadableError("no dosage form is printed")


# --- names -----------------------------------------------------------------------------------------------------------------

SALT_WORDS = (
    "hydrochloride", "hydrchloride", "hcl", "dihydrochloride", "hydrobromide", "bromide", "sodium", "potassium", "maleate", "tartrate",
    "tartarate", "bitartrate",
    "succinate", "fumarate", "fumarate dihydrate", "besilate", "besylate", "mesilate", "mesylate", "sulphate", "sulfate", "sulfates",
    "methylsulphate", "phosphate",
    "citrate", "nitrate", "oxalate", "oxelate", "tromethamine", "trihydrate", "dihydrate", "monohydrate", "diethylamine", "dithylamine",
    "acid besilate",
    "stearate", "benzoate", "magnessium", "magnesium", "calcium", "erbumine", "pamoate", "olamine", "hydrochloride ethanolate",
    "ethanolate", "sodium phosphate",
    "sodium succinate", "chloride", "gluconate", "mesilate monohydrate",
)  # fmt: skip
ELEMENTS = frozenset({
    "sodium", "potassium", "calcium", "magnesium", "zinc", "silver", "iron", "ferrous", "ferric", "lithium", "aluminium", "copper",
    "selenium", "barium", "hydrogen", "ammonium", "methylthioninium",
})  # fmt: skip


def fold_name(text: str) -> str:
    """The spelling names are looked up by: lower case, single spaces, no trailing punctuation."""
    return re.sub(r"\s+", " ", text.replace("’", "'")).strip(" .,;:-/").lower()


@dataclass(frozen=True)
class Names:
    """What printed names mean: `table` from names.csv (name -> molecule, salt), `inn` from the UNII list (name -> INN)."""

    table: Mapping[str, tuple[str, str]]
    inn: Mapping[str, str]

    def resolve(self, printed: str) -> tuple[str, str]:
        """(molecule key, salt named or ""). Raises UnknownNameError."""
        name = fold_name(printed)
        if name in self.table:
            return self.table[name]
        for salt in sorted(SALT_WORDS, key=len, reverse=True):
            if name.endswith(f" {salt}"):
                stem = name[: -len(salt) - 1].strip()
                if stem in ELEMENTS or stem.endswith(" acid"):
                    continue
                try:
                    molecule, inner = self.resolve(stem)
                except UnknownNameError:
                    continue
                return molecule, f"{inner} {salt}".strip()
        if name in self.inn:
            return self.inn[name], ""
        raise UnknownNameError(printed)


# --- reading one printed product ---------------------------------------------------------------------------------------------

_MARKS = re.compile(r"\b(?:i\.?p\.?|b\.?p\.?|usp|u\.s\.p|nfi|r-dna origin)(?=[\s,)]|$)")
_FILLER = re.compile(
    r"per vial|/vial|\bwith wfi\b|p(?:a)?ediatric|sterile|antiseptic|moisturising|(?:in|with) flavou?r base|\bskin\b|sugar free"
)
_PARENS = re.compile(r"\(([^()]*)\)")
_SEPARATOR = re.compile(r"\s*(?:,(?!\d)|\band\b|&|\+(?!\s*\()|\+|\bwith\b)\s*")


def _split_components(text: str) -> list[str]:
    parts, depth, start, position = [], 0, 0, 0
    while position < len(text):
        character = text[position]
        depth += {"(": 1, ")": -1}.get(character, 0)
        found = _SEPARATOR.match(text, position) if depth == 0 else None
        if found and found.group().strip():
            parts.append(text[start:position])
            start = position = found.end()
            continue
        position += 1
    parts.append(text[start:])
    return [part for part in (p.strip(" .") for p in parts) if part]


def _slash_strengths(text: str, count: int) -> tuple[str, list[Strength]] | None:
    """'x + y (25/6.25 mg)' and '(10 mg/1000 iu)': the text without the list, one strength per component."""
    found = re.search(r"\(?\s*((?:\d[\d.,]*\s*(?:mg|mcg|iu|%)?\s*/\s*)+\d[\d.,]*\s*(?:mg|mcg|iu|%))\s*\)?", text)
    if not found or count < 2:
        return None
    pieces = [piece.strip() for piece in found[1].split("/")]
    if len(pieces) != count:
        return None
    last_unit = re.sub(r"[\d.,\s]", "", pieces[-1])
    strengths = []
    for piece in pieces:
        number = re.match(r"[\d.,]+", piece)
        unit = re.sub(r"[\d.,\s]", "", piece) or last_unit
        if number is None:
            return None
        strengths.append(Strength(decimal_text(number.group()), "%" if unit == "%" else UNITS[unit]))
    return text[: found.start()] + " " + text[found.end() :], strengths


def _outside_parens(text: str) -> str:
    while True:
        stripped = _PARENS.sub(" ", text)
        if stripped == text:
            return text
        text = stripped


def _component(segment: str, names: Names, strength: Strength | None) -> tuple[Component, Strength | None]:
    """One component, and the total per container where the source prints total and concentration."""
    release, text = releases_in(segment)
    found = list(STRENGTH.finditer(text))
    total = None
    if strength is None:
        if not found:
            raise UnreadableError("a component has no printed strength")
        readings = [strength_from(match) for match in found]
        if any(reading.unit == "%" for reading in readings):  # '2 % cream 10 gm': the other is the pack
            readings = [reading for reading in readings if reading.unit == "%" or reading.per_unit or reading.unit not in ("g", "mL")]
        if len(readings) == 2 and (readings[1].per_unit or readings[1].unit == "ug"):
            total, strength = readings
        elif len(readings) == 1 or all(reading == readings[0] for reading in readings):
            strength = readings[0]
        else:
            raise UnreadableError("several strengths are printed for one component")
    bare = STRENGTH.sub(" ", text)
    if re.search(r"\d\s*(?:-|to)\s*\d", bare + text[: found[0].start()] if found else bare):
        raise UnreadableError("the strength is a range")
    bare = _FILLER.sub(" ", _MARKS.sub(" ", bare))
    candidates = [_outside_parens(bare), re.sub(r"[()]", " ", bare), *(_PARENS.findall(bare))]
    for candidate in candidates:
        name = fold_name(candidate)
        if not name:
            continue
        try:
            molecule, salt = names.resolve(name)
        except UnknownNameError:
            continue
        return Component(name, molecule, salt, strength, release), total
    raise UnknownNameError(fold_name(candidates[0]) or fold_name(candidates[1]))


REFUSED = (
    (re.compile(r"combi\s?-?(?:pack|kit)|combo pack|\bkit\b"), "a kit of several products"),
    (re.compile(r"vaccine|immunoglobulin|toxoid"), "a vaccine or blood product"),
    (
        re.compile(
            r"glucose powder|\bprotein powder|malt based|whey|stevia|mosquito|sanitizer|protein bar|immunity bar|energy drink|ragi"
            r"|\bhoney|surgical spirit"
        ),
        "a food, cosmetic or household product",
    ),
)


def read_product(printed: str, names: Names, *, pack: str = "", topical: bool = False) -> list[Reading]:
    """The products one printed line states (usually one). Raises UnreadableError with the reason, or UnknownNameError."""
    text = re.sub(r"\s+", " ", printed.replace("\xa0", " ")).lower().strip()
    for wrong, right in SPELLING:
        text = text.replace(wrong, right)
    for pattern, reason in REFUSED:
        if pattern.search(text):
            raise UnreadableError(reason)
    if re.search(r"\d\s*(?:mg|%|mcg|iu)?\s*(?:-|to|±)\s*\d+(?:\.\d+)?\s*(?:mg|%|mcg|iu|\.)", text):
        raise UnreadableError("the strength is a range")
    inner = [p for p in _PARENS.findall(text) if len(STRENGTH.findall(p)) >= 2 and _SEPARATOR.search(p)]
    if len(inner) == 1 and not STRENGTH.search(text.replace(f"({inner[0]})", " ")):
        text = f"{inner[0]} {_outside_form_words(text, inner[0])}"
    forms, release, rest = split_form(text)
    shared = re.search(
        r"\bper\s*(\d+(?:\.\d+)?)?\s*ml\b", STRENGTH.sub(lambda m: m.group() if m["unit"] == "ml" else "#" * len(m.group()), rest)
    )
    per: tuple[str, str] | None = None
    if shared:
        per = (shared[1] or "1", "mL")
        rest = rest[: shared.start()] + " " + rest[shared.end() :]
    rest = re.sub(r"\(\s*[,/]?\s*\)", " ", rest)
    segments = _split_components(rest)
    listed = _slash_strengths(rest, len(segments)) if len(segments) > 1 else None
    components: list[Component] = []
    total: Strength | None = None
    if listed:
        segments = _split_components(listed[0])
        for segment, strength in zip(segments, listed[1], strict=True):
            components.append(_component(segment, names, strength)[0])
    else:
        segments = [s for s in segments if "as preservative" not in s and not re.fullmatch(r"\(?\d+ ?(?:g|gm|ml)\)?", s)]
        for segment in segments:
            component, total_here = _component(segment, names, None)
            components.append(component)
            total = total_here if len(segments) == 1 else None
    if not components:
        raise UnreadableError("no active is named")
    last = components[-1].strength
    if per is None and len(components) > 1 and last.per_unit == "mL" and all(c.strength.per_unit is None for c in components[:-1]):
        per = (last.per_value or "1", "mL")
    if per:
        components = [
            replace(c, strength=replace(c.strength, per_value=per[0], per_unit=per[1]))
            if c.strength.per_unit is None and c.strength.unit != "%"
            else c
            for c in components
        ]
    if any(c.molecule.startswith("insulin") and c.strength.per_unit is None for c in components):
        raise UnreadableError("an insulin without its amount per mL")
    if len(components) == 1 and components[0].strength.unit == "mL":
        raise UnreadableError("no printed strength; the volume is the pack")
    if len({c.molecule for c in components}) != len(components):
        raise UnreadableError("the same molecule twice in one product")
    if release == "":
        own = {c.release for c in components if c.release}
        release = own.pop() if len(own) == 1 else ""
    if len(components) == 1:
        components = [replace(components[0], release="")]
    readings = []
    for form in _place(forms, components, text, pack, topical):
        if form in ("inhaler", "inhalation_powder", "nasal_spray"):
            made = [replace(c, strength=_per_dose(c.strength)) for c in components]
        else:
            made = list(components)
        readings.append(Reading(tuple(made), form, release))
        if total is not None and form != "patch":
            readings.append(Reading((replace(components[0], strength=total),), form, release))
    return readings


def _per_dose(strength: Strength) -> Strength:
    return strength if strength.per_unit or strength.unit not in ("mg", "ug") else replace(strength, per_value="1", per_unit="{actuation}")


def _outside_form_words(text: str, inner: str) -> str:
    outside = text.replace(f"({inner})", " ")
    for pattern, _ in _FORMS:
        found = pattern.search(outside)
        if found:
            lead = re.search(rf"(?:(?:{_RELEASE_WORDS})\s*)+$", outside[: found.start()])
            tail = re.search(r"per \d+\s*ml", outside)
            return f"{lead.group() if lead else ''} {found.group()} {tail.group() if tail else ''}"
    return ""


def _place(forms: Sequence[str], components: Sequence[Component], text: str, pack: str, topical: bool) -> Sequence[str]:
    """Settles the words that name two forms: drops, solution, powder, and injections that come dry."""
    percent = all(c.strength.unit == "%" for c in components)
    form = forms[0]
    if form == "drops":
        if topical:
            raise UnreadableError("'drops' without eye, ear, nose or mouth")
        return ("oral_drops",)
    if form == "solution":
        return ("topical_solution",) if percent else ("oral_solution",)
    if form == "powder" and percent:
        return ("dusting_powder",)
    if form == "oral_suspension" and percent:
        return ("topical_suspension",)
    if form in ("injection", "infusion") and re.search(r"wfi|water for|lyophili|diluent|solvent", f"{pack} {text}".lower()):
        return ("powder_for_injection",)
    return forms


SPELLING = (
    ("tabelts", "tablets"), ("capulses", "capsules"), ("inection", "injection"), ("opthalmic", "ophthalmic"), ("liqiud", "liquid"),
    ("extended-relase", "extended-release"), ("sustained-relase", "sustained-release"),
    ("pre-filled disposable pen", "prefilled disposable pen"),
    ("microgram", "mcg"), ("topial", "topical"), ("powder for injection250mg", "powder for injection 250mg"), ("capsule10", "capsule 10"),
    ("hydrochlorothiazide12.5mg", "hydrochlorothiazide 12.5mg"), ("methylcobalamin1500mcg", "methylcobalamin 1500mcg"), ("k2-7", "k27"),
    ("(for intravenous infusion)", " "), ("with bezyl alcohol", " "), ("40mg sustained release)", "40mg (sustained release)"),
)  # fmt: skip

# --- reading the NPPA compendium ---------------------------------------------------------------------------------------------

# Page notes that run into the name column, and words broken at a cell edge.
NPPA_BLEED = (
    " of the following as approved", " these biologicals, irrespective", " coagulation factors and other authority",
    " vaccines which are under universal",
)  # fmt: skip
NPPA_BROKEN = (
    ("sulphamethoxazol e", "sulphamethoxazole"), ("carboxymethylcell ulose", "carboxymethylcellulose"),
    ("methylrosaniliniu m", "methylrosanilinium"),
    ("©", "(c)"),
)  # fmt: skip
# What a bare 'Drops' or 'Ointment' is, by section of the list (15.1 and 25: eye; 19: ear, nose and throat; 4.2.1: eye).
NPPA_PLACES = (
    (re.compile(r"(?:25|15\.1|4\.2\.1)(?:\.|$)"), {"drops": "eye_drops", "ointment": "eye_ointment"}),
    (re.compile(r"19(?:\.|$)"), {"drops": "ear_drops"}),
)


def read_nppa(medicine: str, form_strength: str, section: str, names: Names) -> list[Reading]:
    """The products of one row of the compendium: 'X (A) + Y (B)' beside 'Tablet 500 mg (A) + 125 mg (B)'."""
    name, line = medicine.lower(), form_strength.lower()
    for wrong, right in (*NPPA_BROKEN, *SPELLING):
        name, line = name.replace(wrong, right), line.replace(wrong, right)
    for bleed in NPPA_BLEED:
        name = name.split(bleed)[0]
    if re.search(r"immunoglobulin|antitoxin|toxoid|vaccine|polyvalent|plasma|blood|platelet|cryoprecipitate|coagulation factor", name):
        raise UnreadableError("a vaccine or blood product")
    if re.search(r"condom|iud|dialysis|bleaching", name):
        raise UnreadableError("a device, dialysis fluid or disinfectant")
    if re.search(r"\d\s*(?:mg|mcg|%)?\s*(?:to|-)\s*\d+(?:\.\d+)?\s*(?:mg|mcg|%)", line):
        raise UnreadableError("the strength is a range")
    line = re.sub(r"\((?:upto |up to )?[\d\s]*ml(?: ?& ?\d+ ?ml)?(?: pack)?\)|\(\d+ ?ml ?& ?\d+ ?ml pack\)", " ", line)
    line = re.sub(
        r"\(preservative free for iv use\)|\(pediatric\)|\(as licensed\)|\*only for use.*|\(concentrate for dilution\)", " ", line
    )
    wrapped = re.fullmatch(r"[^\[]*\[(.*)\]\s*", name)
    name = wrapped[1] if wrapped else name
    printed = [part.strip() for part in re.sub(r"\([a-d]\)", " ", re.sub(r"^[ab]\) ", "", name)).split("+")]
    several_releases = re.match(
        r"((?:effervescent|dispersible|enteric coated)(?:\s*/\s*(?:effervescent|dispersible|enteric coated))+)\s*tablets?", line
    )
    if several_releases:
        releases = [releases_in(word)[0] for word in several_releases[1].split("/")]
        forms: tuple[str, ...] = ("tablet",)
        rest = line[several_releases.end() :]
    else:
        forms, release, rest = split_form(line)
        if not release:
            release, rest = releases_in(rest)
        releases = [release]
    for pattern, places in NPPA_PLACES:
        if pattern.match(section):
            forms = tuple(places.get(form, form) for form in forms)
    if forms == ("drops",):
        raise UnreadableError("'drops' without eye, ear, nose or mouth")
    amounts = [re.sub(r"\([a-d]\)", " ", part) for part in rest.split("+")]
    shared = re.search(r"/\s*(\d*)\s*ml", amounts[-1])
    strengths: list[Strength] = []
    for index, part in enumerate(amounts):
        part = re.sub(r"\s+/", "/", part)
        found = [match for match in STRENGTH.finditer(part) if match["unit"] != "ml"]
        if not found and len(amounts) > 1 and (bare := re.search(r"(\d+(?:\.\d+)?)\s*/\s*5\s*ml", part)):
            strengths.append(Strength(decimal_text(bare[1]), strengths[index - 1].unit, "5", "mL"))
            continue
        if len(found) == 2 and re.search(r"1:200000", part) is None and "glucose" in part:
            raise UnreadableError("a local anaesthetic in glucose: two strengths, one name")
        if len(found) != 1:
            raise UnreadableError("no printed strength" if not found else "several strengths are printed for one component")
        strengths.append(strength_from(found[0]))
    if len(strengths) != len(printed):
        raise UnreadableError("the strengths do not pair with the names")
    if shared:
        strengths = [
            replace(s, per_value=shared[1] or "1", per_unit="mL") if s.per_unit is None and s.unit != "%" else s for s in strengths
        ]
    components = []
    for text, strength in zip(printed, strengths, strict=True):
        name = _strip_gloss(text, names)
        molecule, salt = names.resolve(name)
        components.append(Component(fold_name(name), molecule, salt, strength))
    readings = []
    for release in releases:
        for form in forms:
            if form == "solution":
                form = "topical_solution" if all(s.unit == "%" for s in strengths) else "oral_solution"
            made = (
                [replace(c, strength=_per_dose(c.strength)) for c in components]
                if form in ("inhaler", "inhalation_powder", "nasal_spray")
                else components
            )
            readings.append(Reading(tuple(made), form, release))
    return readings


def _strip_gloss(text: str, names: Names) -> str:
    """'ascorbic acid (vitamin c)' -> 'ascorbic acid' when that is known, else the text."""
    bare = fold_name(_outside_parens(text))
    try:
        names.resolve(text)
    except UnknownNameError:
        return bare
    return text


# --- import ------------------------------------------------------------------------------------------------------------------

PRODUCT_COLUMNS = ("rows", "source", "printed", "pack", "names", "molecules", "salts", "strengths", "form", "release", "component_releases")
REJECT_COLUMNS = ("rows", "source", "printed", "pack", "reason")
READING_COLUMNS = ("edition", "rows", "molecules", "strengths", "form", "release", "component_releases", "reject", "note")


def read_table(path: Path) -> list[dict[str, str]]:
    """Rows of a CSV with a header, as text. Raises TableError when missing or ragged."""
    if not path.is_file():
        raise TableError(f"{path.name}: missing ({path})")
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        rows = []
        for row in reader:
            if None in row or None in row.values():
                raise TableError(f"{path.name}: line {reader.line_num} has the wrong number of cells")
            rows.append({str(key): str(value) for key, value in row.items()})
        return rows


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def load_names(unii_rows: Sequence[Mapping[str, str]]) -> Names:
    """names.csv over the UNII list. A UNII name means the INN of its entry, or itself when the entry has no INN."""
    table: dict[str, tuple[str, str]] = {}
    for row in read_table(SOURCES / CURATED / "names.csv"):
        name = fold_name(row["name"])
        if name in table:
            raise TableError(f"names.csv: {name!r} is there twice")
        table[name] = (row["molecule"], row["salt"])
    by_unii: dict[str, list[tuple[str, str]]] = {}
    for entry in unii_rows:
        by_unii.setdefault(entry["unii"], []).append((unii_name(entry["name"]), unii_tag(entry["name"])))
    inn: dict[str, str] = {}
    for unii in sorted(by_unii):
        entries = by_unii[unii]
        inns = sorted(name for name, tag in entries if tag == "INN")
        for name, _ in entries:
            inn.setdefault(name, inns[0] if inns else name)
    for name, (molecule, _) in table.items():
        inn.pop(name, None)
        inn.setdefault(molecule, molecule)
    return Names({**table, **{m: (m, "") for m, _ in table.values() if m not in table}}, inn)


def unii_name(text: str) -> str:
    return fold_name(re.sub(r"\s*\[[^\]]*\]$", "", text))


def unii_tag(text: str) -> str:
    found = re.search(r"\[([^\]]*)\]$", text)
    return found[1] if found else "official"


@dataclass(frozen=True)
class Row:
    """One row of an original: its number (1 = first after the header), citation, verbatim name, pack."""

    number: int
    source: str
    printed: str
    pack: str
    read: tuple[str, ...]


def nppa_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        Row(
            n,
            f"{NPPA}#p{r['pdf_page']}/{r['nlem2015_section']}",
            f"{r['medicine']} | {r['form_strength']}",
            "",
            (r["medicine"], r["form_strength"], r["nlem2015_section"]),
        )
        for n, r in enumerate(rows, 1)
    ]


def pmbjp_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        Row(n, f"{PMBJP}#code={r['Drug Code']}", r["Generic Name"], r["Unit Size"], (r["Generic Name"], r["Unit Size"], r["Group Name"]))
        for n, r in enumerate(rows, 1)
    ]


def _read_row(edition: str, row: Row, names: Names) -> list[Reading]:
    if edition == NPPA:
        medicine, form_strength, section = row.read
        return read_nppa(medicine, form_strength, section, names)
    printed, pack, group = row.read
    if group.startswith("Surgical"):
        raise UnreadableError("surgical goods or consumables")
    if group == "Ayurvedic":
        raise UnreadableError("an ayurvedic product")
    return read_product(printed, names, pack=pack, topical=group == "Opthalmic/Otic")


def _hand_reading(row: Mapping[str, str], names: Names, where: str) -> Reading:
    printed = row["molecules"].split(" + ")
    strengths = [strength_of(text, where) for text in row["strengths"].split(" + ")]
    releases = row["component_releases"].split(" + ") if row["component_releases"] else [""] * len(printed)
    if not len(printed) == len(strengths) == len(releases):
        raise TableError(f"{where}: molecules, strengths and component_releases do not pair")
    components = []
    for name, strength, release in zip(printed, strengths, releases, strict=True):
        molecule, salt = names.resolve(name)
        components.append(Component(name, molecule, salt, strength, "" if release == "-" else release))
    return Reading(tuple(components), row["form"], row["release"])


def _product_row(rows: str, row: Row, reading: Reading) -> dict[str, str]:
    components = reading.components
    releases = [c.release or "-" for c in components]
    return {
        "rows": rows,
        "source": row.source,
        "printed": row.printed,
        "pack": row.pack,
        "names": " + ".join(c.printed for c in components),
        "molecules": " + ".join(c.molecule for c in components),
        "salts": " + ".join(c.salt or "-" for c in components) if any(c.salt for c in components) else "",
        "strengths": " + ".join(c.strength.text() for c in components),
        "form": reading.form,
        "release": reading.release,
        "component_releases": " + ".join(releases) if set(releases) != {"-"} else "",
    }


def import_list(edition: str, rows: Sequence[Row], names: Names) -> list[str]:
    """Writes products.csv and rejects.csv of one list; returns the names no table knows."""
    hands: dict[str, list[tuple[str, dict[str, str]]]] = {}
    covered: set[int] = set()
    for line, hand in enumerate(read_table(SOURCES / CURATED / "readings.csv"), 2):
        if hand["edition"] == edition:
            numbers = hand["rows"].split(";")
            hands.setdefault(numbers[0], []).append((f"readings.csv line {line}", hand))
            covered.update(int(number) for number in numbers[1:])
    products, rejects, unknown = [], [], []
    for row in rows:
        number = str(row.number)
        if number in hands:
            for where, hand in hands[number]:
                if hand["reject"]:
                    rejects.append(
                        {"rows": hand["rows"], "source": row.source, "printed": row.printed, "pack": row.pack, "reason": hand["reject"]}
                    )
                else:
                    products.append(_product_row(hand["rows"], row, _hand_reading(hand, names, where)))
            continue
        if row.number in covered:
            continue
        try:
            products += [_product_row(number, row, reading) for reading in _read_row(edition, row, names)]
        except UnreadableError as why:
            rejects.append({"rows": number, "source": row.source, "printed": row.printed, "pack": row.pack, "reason": str(why)})
        except UnknownNameError as name:
            unknown.append(f"{row.source}: {name.args[0]!r} in {row.printed!r}")
    write_table(SOURCES / edition / "products.csv", PRODUCT_COLUMNS, products)
    write_table(SOURCES / edition / "rejects.csv", REJECT_COLUMNS, rejects)
    return unknown


def import_unii(rows: Sequence[Mapping[str, str]], molecules: frozenset[str]) -> None:
    """Writes the UNII names of the molecules in use: one name of one molecule a row, brands left out."""
    by_unii: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        if row["type"] != "bn":
            by_unii.setdefault(row["unii"], []).append((unii_name(row["name"]), unii_tag(row["name"])))
    chosen: dict[str, tuple[int, str]] = {}
    for unii, entries in sorted(by_unii.items()):
        for name, tag in entries:
            if name in molecules:
                chosen[name] = min(chosen.get(name, (9, "")), (0 if tag == "INN" else 1, unii))
    out = set()
    for molecule, (_, unii) in chosen.items():
        for name, tag in by_unii[unii]:
            if re.fullmatch(r"-[a-z]{4}", name.removeprefix(molecule)):
                continue  # a US biosimilar suffix (-dttb) is no Indian name
            out.add((molecule, name, tag, unii))
    write_table(
        SOURCES / UNII / "names.csv",
        ("molecule", "name", "kind", "source"),
        [{"molecule": m, "name": n, "kind": k, "source": f"{UNII}#{u}"} for m, n, k, u in sorted(out)],
    )


BRAND_FORMS = {
    "tablet_gastro_resistant": ("tablet", "gastro_resistant"), "tablet_prolonged_release": ("tablet", "prolonged"),
    "tablet_chewable": ("tablet", "chewable"),
    "capsule_prolonged_release": ("capsule", "prolonged"), "tablet_effervescent": ("tablet", "effervescent"),
    "tablet_dispersible": ("tablet", "dispersible"),
}  # fmt: skip
BRAND_COLUMNS = ("id", "brand", "molecules", "strengths", "form", "release", "suffix", "confidence", "attested_as_given", "basis")
BRAND_BASIS = "general knowledge; label not seen"
UNATTESTED = "no row attests the composition"


def import_brands(path: Path, names: Names) -> None:
    """Writes brands.csv from the curated rows; ids are the line numbers of the original, so they never move."""
    rows = []
    for line, row in enumerate(read_table(path), 2):
        components = json.loads(row["components"])
        strengths = []
        for c in components:
            unit = {"mcg": "ug", "IU": "[iU]"}.get(c["unit"], c["unit"])
            per_unit = {"dose": "{actuation}"}.get(c["per_unit"], c["per_unit"])
            strengths.append(Strength(c["value"], unit, c["per_value"], per_unit).text())
        form, release = BRAND_FORMS.get(row["form"], (row["form"], ""))
        release = "modified" if release == "prolonged" and "MR" in row["brand"].split() else release
        attested = row["composition_attested_by"]
        if attested.startswith("PMBJP:drug_code="):
            attested = f"{PMBJP}#code={attested.removeprefix('PMBJP:drug_code=')}"
        elif attested:
            page, section = attested.removeprefix("NPPA-2022/NLEM-2015:").split(" §")
            attested = f"{NPPA}#{page}/{section}"
        rows.append(
            {
                "id": str(line), "brand": row["brand"], "molecules": " + ".join(names.resolve(c["molecule"])[0] for c in components),
                "strengths": " + ".join(strengths),
                "form": form, "release": release, "suffix": row["suffix"], "confidence": row["confidence"],
                "attested_as_given": attested, "basis": BRAND_BASIS,
            }
        )  # fmt: skip
    write_table(SOURCES / CURATED / "brands.csv", BRAND_COLUMNS, rows)


LASA_REJECTS = (
    ("ISMP", "ISMP list: copyright, left out of the default bundle"),
    ("WHO Patient Safety", "WHO table: terms not cleared, left out of the default bundle"),
    ("computed", "computed pairs are made again by every build"),
)


def import_lookalikes(path: Path) -> None:
    """Writes the listed and reported pairs; computed ones are the build's own work."""
    pairs, rejects = [], []
    for line, row in enumerate(read_table(path), 2):
        reason = next((reason for start, reason in LASA_REJECTS if row["source"].startswith(start)), "")
        cells = {"rows": str(line - 1), "name_a": row["name_a"], "name_b": row["name_b"]}
        if reason:
            rejects.append({**cells, "reason": reason})
        else:
            fda = row["source"].startswith("FDA")
            pairs.append(
                {
                    **cells,
                    "kind": "fda" if fda else "press",
                    "reported_by": "" if fda else row["source"],
                    "source": f"{LOOKALIKE}#{line - 1}",
                }
            )
    write_table(SOURCES / LOOKALIKE / "pairs.csv", ("rows", "name_a", "name_b", "kind", "reported_by", "source"), pairs)
    write_table(SOURCES / LOOKALIKE / "rejects.csv", ("rows", "name_a", "name_b", "reason"), rejects)


def file_sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def run_import(arguments: argparse.Namespace) -> int:
    originals = {
        NPPA: arguments.nppa,
        PMBJP: arguments.pmbjp,
        UNII: arguments.unii,
        CURATED: arguments.brands,
        LOOKALIKE: arguments.lookalikes,
    }
    with arguments.unii.open(encoding="utf-8", newline="") as file:
        unii = list(csv.DictReader(file))
    names = load_names([row for row in unii if row["type"] != "bn"])
    listed = {NPPA: nppa_rows(arguments.nppa), PMBJP: pmbjp_rows(arguments.pmbjp)}
    unknown = [problem for edition, rows in listed.items() for problem in import_list(edition, rows, names)]
    if unknown:
        raise TableError("names.csv does not know these names:\n  " + "\n  ".join(unknown))
    import_brands(arguments.brands, names)
    import_lookalikes(arguments.lookalikes)
    molecules = {m for edition in listed for row in read_table(SOURCES / edition / "products.csv") for m in row["molecules"].split(" + ")}
    molecules |= {
        m
        for table in ("brands.csv", "brands_supplement.csv")
        for row in read_table(SOURCES / CURATED / table)
        for m in row["molecules"].split(" + ")
    }
    import_unii(unii, frozenset(molecules))
    with arguments.lookalikes.open(encoding="utf-8", newline="") as file:
        lookalike_rows = len(list(csv.DictReader(file)))
    read = {
        NPPA: len(listed[NPPA]),
        PMBJP: len(listed[PMBJP]),
        UNII: len(unii),
        CURATED: len(read_table(arguments.brands)),
        LOOKALIKE: lookalike_rows,
    }
    write_table(
        SOURCES / "originals.csv",
        ("source", "rows_read", "sha256_of_rows"),
        [
            {"source": edition, "rows_read": str(read[edition]), "sha256_of_rows": file_sha256(path)}
            for edition, path in sorted(originals.items())
        ],
    )
    return 0


# --- compile -----------------------------------------------------------------------------------------------------------------

Json = None | bool | int | str | list["Json"] | dict[str, "Json"]


def canonical(value: Json) -> str:
    """Canonical JSON: keys sorted by UTF-16 code units, no spaces, no floats (RFC 8785 on this subset), one line."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{json.dumps(key, ensure_ascii=False)}:{canonical(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, float):
        raise TableError("a float in the bundle")
    return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class Product:
    """One distinct product: what rows of the tables merge into. Lists run in the order of the sorted molecules."""

    molecules: tuple[str, ...]
    strengths: tuple[Strength, ...]
    form: str
    release: str
    component_releases: tuple[str, ...]


def citation_order(source: str) -> tuple[str, ...]:
    """Sorts citations by edition, then by the numbers in the locator, then by text."""
    edition, _, locator = source.partition("#")
    return (edition, *(part.zfill(8) if part.isdigit() else part for part in re.split(r"(\d+)", locator)))


GRADES = tuple(GRADE.values())


def grade_of(source: str) -> int:
    """Place of a citation's grade, best first."""
    return GRADES.index(GRADE[source.partition("#")[0]])


def cite(sources: Iterable[str]) -> list[Json]:
    """Up to three citations, best grade first, lowest locator first within a grade."""
    return [*sorted(set(sources), key=lambda source: (grade_of(source), citation_order(source)))[:CITATIONS_PER_FACT]]


def best_grade(sources: Iterable[str]) -> str:
    return GRADES[min(map(grade_of, sources))]


def product_of(row: Mapping[str, str], where: str) -> tuple[Product, tuple[int, ...]]:
    """The product of a table row, and the printed order as indexes into the sorted molecules."""
    molecules = row["molecules"].split(" + ")
    strengths = [strength_of(text, where) for text in row["strengths"].split(" + ")]
    releases = row.get("component_releases") or ""
    each = ["" if r == "-" else r for r in releases.split(" + ")] if releases else [""] * len(molecules)
    if not len(molecules) == len(strengths) == len(each):
        raise TableError(f"{where}: molecules, strengths and releases do not pair")
    order = sorted(range(len(molecules)), key=lambda i: molecules[i])
    product = Product(
        tuple(molecules[i] for i in order),
        tuple(strengths[i] for i in order),
        row["form"],
        row["release"],
        tuple(each[i] for i in order) if any(each) else (),
    )
    return product, tuple(order.index(i) for i in range(len(molecules)))


@dataclass
class Tables:
    """Everything the compile step reads, by edition."""

    editions: tuple[str, ...]
    products: dict[str, list[dict[str, str]]]
    rejects: dict[str, list[dict[str, str]]]
    unii: list[dict[str, str]]
    names: list[dict[str, str]]
    brands: list[dict[str, str]]
    supplement: list[dict[str, str]]
    collisions: list[dict[str, str]]
    withheld: list[dict[str, str]]
    combinations: list[dict[str, str]]
    pairs: list[dict[str, str]]
    pair_rejects: list[dict[str, str]]
    originals: dict[str, dict[str, str]]
    sources: list[dict[str, Json]]
    digests: dict[str, str]


def load_tables(without_pmbjp: bool) -> Tables:
    editions = (NPPA,) if without_pmbjp else (NPPA, PMBJP)
    files: dict[str, str] = {}

    def table(name: str) -> list[dict[str, str]]:
        rows = read_table(SOURCES / name)
        files[name] = file_sha256(SOURCES / name)
        return rows

    return Tables(
        editions,
        {edition: table(f"{edition}/products.csv") for edition in editions},
        {edition: table(f"{edition}/rejects.csv") for edition in editions},
        table(f"{UNII}/names.csv"),
        table(f"{CURATED}/names.csv"),
        table(f"{CURATED}/brands.csv"),
        table(f"{CURATED}/brands_supplement.csv"),
        table(f"{CURATED}/brand_collisions.csv"),
        table(f"{CURATED}/brands_withheld.csv"),
        table(f"{CURATED}/combination_names.csv"),
        table(f"{LOOKALIKE}/pairs.csv"),
        table(f"{LOOKALIKE}/rejects.csv"),
        {row["source"]: row for row in table("originals.csv")},
        json.loads((SOURCES / "sources.json").read_text(encoding="utf-8")),
        files,
    )


FAMILIES = (
    frozenset({"tablet", "capsule", "oral_film"}),
    frozenset({"syrup", "oral_suspension", "oral_solution", "oral_liquid", "oral_drops"}),
    frozenset({"injection", "powder_for_injection", "infusion"}),
    frozenset({"granules", "powder", "sachet"}),
)


def form_family(form: str) -> frozenset[str]:
    return next((family for family in FAMILIES if form in family), frozenset({form}))


def amounts(product: Product) -> tuple[tuple[str, Fraction], ...]:
    return tuple(strength.amount() for strength in product.strengths)


SLOW = frozenset({"prolonged", "modified"})


def attests(listed: Product, claimed: Product) -> bool:
    """Whether a listed product shows that the claimed composition exists: same amounts, same form family, both slow-release or neither.

    A combination that prints a release for one component only attests either.
    """
    if amounts(listed) != amounts(claimed) or listed.form not in form_family(claimed.form):
        return False
    return len(listed.molecules) > 1 or (listed.release in SLOW) == (claimed.release in SLOW)


@dataclass
class Fact:
    """A product with its sources and the order the lowest of them prints the components in."""

    product: Product
    sources: set[str]
    printed_order: tuple[int, ...]


def compile_products(tables: Tables) -> tuple[dict[Product, Fact], dict[str, dict[str, int]]]:
    """The distinct products of the lists, and per list the fate of every row: read = accepted + merged + rejected.

    A row is accepted when it states a product no earlier row stated, merged when all it states was known.
    """
    facts: dict[Product, Fact] = {}
    counts: dict[str, dict[str, int]] = {}
    for edition in tables.editions:
        fate: dict[int, str] = {}
        for line, row in enumerate(tables.products[edition], 2):
            where = f"{edition}/products.csv line {line}"
            product, order = product_of(row, where)
            numbers = [int(n) for n in row["rows"].split(";")]
            if product in facts:
                facts[product].sources.add(row["source"])
                fate.setdefault(numbers[0], "merged")
            else:
                facts[product] = Fact(product, {row["source"]}, order)
                fate[numbers[0]] = "accepted"
            for number in numbers[1:]:
                fate[number] = "merged"
        for line, row in enumerate(tables.rejects[edition], 2):
            if not row["reason"]:
                raise TableError(f"{edition}/rejects.csv line {line} has no reason")
            for number in (int(n) for n in row["rows"].split(";")):
                if number in fate:
                    raise TableError(f"{edition}: row {number} is both read and rejected")
                fate[number] = "rejected"
        read = int(tables.originals[edition]["rows_read"])
        missing = sorted(set(range(1, read + 1)) ^ set(fate))
        if missing:
            raise TableError(f"{edition}: rows {missing[:5]} of the original are in no table")
        counts[edition] = {"read": read, **{name: list(fate.values()).count(name) for name in ("accepted", "merged", "rejected")}}
    return facts, counts


def compile_brands(tables: Tables, facts: dict[Product, Fact]) -> tuple[list[dict[str, Json]], dict[str, int]]:
    """Brand entries, and the curated products that no list row states (added to `facts` at grade `curated`).

    A supplement brand whose composition neither a list nor an earlier brand attests must say so in its basis,
    and only then: else TableError (a build without a list cannot judge that and does not).
    """
    by_molecules: dict[tuple[str, ...], list[Fact]] = {}
    for fact in facts.values():
        by_molecules.setdefault(fact.product.molecules, []).append(fact)
    withheld = {row["id"]: row["reason"] for row in tables.withheld}
    entries: list[dict[str, Json]] = []
    seen: set[tuple[str, Product]] = set()
    merged = 0
    for row in [*tables.brands, *tables.supplement]:
        if row["id"] in withheld:
            continue
        where = f"brands {row['id']} ({row['brand']})"
        if row["confidence"] not in ("A", "B"):
            raise TableError(f"{where}: confidence is A or B")
        product, order = product_of(row, where)
        source = f"{CURATED}#brand={row['id']}"
        if (row["brand"].lower(), product) in seen:
            merged += 1
            continue
        seen.add((row["brand"].lower(), product))
        same = [f for f in by_molecules.get(product.molecules, []) if attests(f.product, product)]
        same.sort(
            key=lambda f: (
                f.product.form != product.form,
                f.product.release != product.release,
                citation_order(min(f.sources, key=citation_order)),
            )
        )
        listed = next(([*f.sources] for f in same if not any(s.startswith(CURATED) for s in f.sources)), [])
        elsewhere = any(not s.startswith(f"{CURATED}#brand=s") for f in same for s in f.sources)
        if PMBJP in tables.editions and row["id"].startswith("s") and elsewhere == row["basis"].endswith(UNATTESTED):
            raise TableError(f"{where}: the composition is {'' if elsewhere else 'not '}attested by another row; the basis says otherwise")
        kin = same or [f for f in by_molecules.get(product.molecules, []) if not any(s.startswith(CURATED) for s in f.sources)]
        printed = kin[0].printed_order if kin else order
        if not any(f.product.form == product.form for f in same):  # the form itself is then known from the brand only
            fact = Fact(product, {source}, printed)
            facts[product] = fact
            by_molecules.setdefault(product.molecules, []).append(fact)
        entries.append(
            {
                "name": row["brand"], "molecules": [*product.molecules], "strengths": [{**s.json()} for s in product.strengths],
                "form": product.form,
                "release": product.release, "printed_order": [*printed], "confidence": row["confidence"], "grade": "curated",
                "attested_by": cite(listed), "source": [source],
            }
        )  # fmt: skip
    entries.sort(key=lambda e: (str(e["name"]).lower(), canonical(e)))
    read = len(tables.brands) + len(tables.supplement)
    return entries, {"read": read, "accepted": len(entries), "merged": merged, "rejected": len(withheld)}


def compile_molecules(tables: Tables, facts: Sequence[Fact]) -> dict[str, Json]:
    """Molecule -> aliases, each with its grade and citations. A name of two molecules is a TableError.

    A key with ' + ' is a combination that has a name of its own (co-trimoxazole).
    """
    used: dict[str, set[str]] = {}
    aliases: dict[str, dict[tuple[str, str], set[str]]] = {}
    for fact in facts:
        for molecule in fact.product.molecules:
            used.setdefault(molecule, set()).update(fact.sources)

    def add(molecule: str, name: str, salt: str, source: str) -> None:
        if molecule in used and (name != molecule or salt):
            aliases.setdefault(molecule, {}).setdefault((name, salt), set()).add(source)

    for edition in tables.editions:
        for row in tables.products[edition]:
            molecules = row["molecules"].split(" + ")
            salts = row["salts"].split(" + ") if row["salts"] else ["-"] * len(molecules)
            for name, molecule, salt in zip(row["names"].split(" + "), molecules, salts, strict=True):
                add(molecule, name, "" if salt == "-" else salt, row["source"])
    for row in tables.names:
        add(row["molecule"], row["name"], row["salt"], f"{CURATED}#name={row['name']}")
    for row in tables.unii:
        add(row["molecule"], row["name"], "", row["source"])
        if row["molecule"] in used and row["name"] == row["molecule"]:
            used[row["molecule"]].add(row["source"])
    for line, row in enumerate(tables.combinations, 2):
        key = " + ".join(sorted(row["molecules"].split(" + ")))
        sources = [s for s in row["sources"].split(";") if s.partition("#")[0] in (*tables.editions, CURATED)]
        if tuple(key.split(" + ")) not in {fact.product.molecules for fact in facts}:
            raise TableError(f"combination_names.csv line {line}: no product has these molecules")
        used.setdefault(key, set()).update(sources)
        for source in sources:
            add(key, row["name"], "", source)
    owner: dict[str, str] = {molecule: molecule for molecule in used}
    for molecule in sorted(aliases):
        for name, _ in aliases[molecule]:
            if owner.setdefault(name, molecule) != molecule:
                raise TableError(f"{name!r} names both {owner[name]!r} and {molecule!r}")
    return {
        molecule: {
            "aliases": [
                {"name": name, "grade": best_grade(sources), "source": cite(sources), **({"salt": salt} if salt else {})}
                for (name, salt), sources in sorted(aliases.get(molecule, {}).items())
            ],
            "grade": best_grade(used[molecule]),
            "source": cite(used[molecule]),
        }
        for molecule in sorted(used)
    }


def edit_distance(a: str, b: str, limit: int) -> int:
    """Damerau-Levenshtein (adjacent transpositions), or limit + 1 once it is sure to be larger."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, before = before, row
        row = [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                row[j] = min(row[j], previous[j - 2] + 1)
        if min(row) > limit and (not before or min(before) > limit):
            return limit + 1
    return row[-1]


LONG_NAME = 8


def close_pairs(names: Iterable[str]) -> list[tuple[str, str, int]]:
    """Pairs one edit apart, or two when both names are long. The letter-count filter only saves time."""
    ordered = sorted(set(names))
    letters = [{c: name.count(c) for c in set(name)} for name in ordered]
    found = []
    for i, a in enumerate(ordered):
        for j in range(i + 1, len(ordered)):
            b = ordered[j]
            limit = 2 if min(len(a), len(b)) >= LONG_NAME else 1
            if abs(len(a) - len(b)) > limit:
                continue
            own, other = letters[i], letters[j]
            if sum(abs(own.get(c, 0) - other.get(c, 0)) for c in own.keys() | other.keys()) > 2 * limit:
                continue
            distance = edit_distance(a, b, limit)
            if distance <= limit:
                found.append((a, b, distance))
    return found


FORM_WORDS = frozenset({
    "cream", "ointment", "gel", "injection", "syrup", "suspension", "liquid", "dry", "inhaler", "rotacap", "rotacaps", "respules",
    "respirator", "solution", "drops", "eye", "ear", "nasal", "spray", "powder", "shampoo", "sachet", "suppository",
})  # fmt: skip


def brand_stem(name: str) -> str:
    """'Telma 40' -> 'telma', 'Candid Cream' -> 'candid': without numbers and form words."""
    words = name.lower().split()
    return " ".join([words[0], *(w for w in words[1:] if not any(c.isdigit() for c in w) and w not in FORM_WORDS)])


def compile_look_alikes(tables: Tables, molecules: Iterable[str], brands: Sequence[Mapping[str, Json]]) -> list[Json]:
    """[a, b, source] with a < b: listed pairs first, then the ones computed over molecules and brand stems."""
    pairs: dict[tuple[str, str], str] = {}

    def add(a: str, b: str, source: str) -> None:
        a, b = sorted((a, b))
        if a != b:
            pairs.setdefault((a, b), source)

    for row in tables.pairs:
        add(fold_name(_outside_parens(row["name_a"])), fold_name(_outside_parens(row["name_b"])), row["source"])
    for a, b, distance in close_pairs(m for m in molecules if " " not in m and len(m) >= 5):
        add(a, b, f"computed#distance={distance}")
    compositions: dict[str, set[str]] = {}
    for brand in brands:
        compositions.setdefault(brand_stem(str(brand["name"])), set()).add(canonical(brand["molecules"]))
    for a, b, distance in close_pairs(stem for stem in compositions if len(stem) >= 4):
        if compositions[a] != compositions[b]:
            add(a, b, f"computed#distance={distance}")
    return [[a, b, source] for (a, b), source in sorted(pairs.items())]


def compile_bundle(without_pmbjp: bool) -> tuple[str, str]:
    """(bundle.json, manifest.json) as text. Raises TableError."""
    tables = load_tables(without_pmbjp)
    facts, counts = compile_products(tables)
    listed = len(facts)
    brands, counts[CURATED] = compile_brands(tables, facts)
    molecules = compile_molecules(tables, [*facts.values()])
    look_alikes = compile_look_alikes(tables, molecules, brands)
    counts[LOOKALIKE] = {
        "read": int(tables.originals[LOOKALIKE]["rows_read"]), "accepted": len(tables.pairs), "merged": 0,
        "rejected": len(tables.pair_rejects),
    }  # fmt: skip
    used_names = {(row["molecule"], row["name"]) for row in tables.unii}
    unii_read = int(tables.originals[UNII]["rows_read"])
    counts[UNII] = {
        "read": unii_read,
        "accepted": len(used_names),
        "merged": len(tables.unii) - len(used_names),
        "rejected": unii_read - len(tables.unii),
    }
    products: list[Json] = []
    for product in sorted(
        facts, key=lambda p: (p.molecules, p.form, p.release, amounts(p), [s.text() for s in p.strengths], p.component_releases)
    ):
        fact = facts[product]
        entry: dict[str, Json] = {
            "molecules": [*product.molecules], "strengths": [{**s.json()} for s in product.strengths], "form": product.form,
            "release": product.release,
            "printed_order": [*fact.printed_order], "grade": best_grade(fact.sources), "source": cite(fact.sources),
        }  # fmt: skip
        if product.component_releases:
            entry["component_releases"] = [*product.component_releases]
        products.append(entry)
    bundle: dict[str, Json] = {
        "jurisdiction": "in",
        "edition": EDITION,
        "editions": [*tables.editions],
        "molecules": molecules,
        "products": products,
        "brands": [*brands],
        "look_alikes": look_alikes,
        "brand_collisions": [
            {
                "name": row["name"],
                "meanings": [*row["meanings"].split(" | ")],
                "note": row["note"],
                "source": [f"{CURATED}#collision={row['name']}"],
            }
            for row in tables.collisions
        ],
        "insulins": [m for m in sorted(molecules) if m.startswith("insulin")],
    }
    text = canonical(packed(bundle)) + "\n"
    manifest: Json = {
        "schema": MANIFEST_SCHEMA,
        "jurisdiction": "in",
        "edition": EDITION,
        "bundle_sha256": hashlib.sha256(text.encode("utf-8")).hexdigest(),
        "bundle_bytes": len(text.encode("utf-8")),
        "without_pmbjp": without_pmbjp,
        "figures": {
            "molecules": len([m for m in molecules if " + " not in m]),
            "products": len(products),
            "products_listed": listed,
            "molecule_form_strength": len({(p.molecules, p.form, p.strengths) for p in facts}),
            "combinations": len({p.molecules for p in facts if len(p.molecules) > 1}),
            "brands": len(brands),
            "look_alikes": len(look_alikes),
        },
        "counts": {edition: {**counts[edition]} for edition in sorted(counts)},
        "rejects": {edition: _reasons(tables.rejects[edition]) for edition in tables.editions},
        "sources": [s for s in tables.sources if not (without_pmbjp and s["id"] == PMBJP)],
        "tables": {**tables.digests},
    }
    pretty = json.dumps(json.loads(canonical(manifest)), indent=1, ensure_ascii=False, sort_keys=True)
    return text, pretty + "\n"


def _reasons(rows: Iterable[Mapping[str, str]]) -> dict[str, Json]:
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["reason"]] = counts.get(row["reason"], 0) + len(row["rows"].split(";"))
    return {reason: counts[reason] for reason in sorted(counts)}


# --- command line --------------------------------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments[:1] == ["import"]:
            parser = argparse.ArgumentParser(prog="build.py import", description="original lists -> reviewable tables")
            for name, text in (
                ("nppa", "rows of the NPPA compendium (CSV)"), ("pmbjp", "PMBJP product list (CSV)"), ("unii", "UNII names extract (CSV)"),
                ("brands", "curated brands (CSV)"), ("lookalikes", "look-alike pairs (CSV)"),
            ):  # fmt: skip
                parser.add_argument(f"--{name}", type=Path, required=True, help=text)
            return run_import(parser.parse_args(arguments[1:]))
        parser = argparse.ArgumentParser(prog="build.py", description="reviewable tables -> bundle.json and manifest.json")
        parser.add_argument("--write", action="store_true", help="write the built files")
        parser.add_argument("--check", action="store_true", help="compare the built files with the tables")
        parser.add_argument("--without-pmbjp", action="store_true", help="leave the PMBJP list out")
        parser.add_argument("--out", type=Path, default=OUTPUT, help="folder of the built files")
        options = parser.parse_args(arguments)
        if options.write == options.check:
            parser.error("say --write or --check")
        built = dict(zip(("bundle.json", "manifest.json"), compile_bundle(options.without_pmbjp), strict=True))
    except TableError as problem:
        print(problem, file=sys.stderr)
        return 2
    if options.write:
        options.out.mkdir(parents=True, exist_ok=True)
        for name, text in built.items():
            (options.out / name).write_bytes(text.encode("utf-8"))
        return 0
    different = [
        name
        for name, text in built.items()
        if not (options.out / name).is_file() or (options.out / name).read_bytes() != text.encode("utf-8")
    ]
    for name in different:
        print(f"{name} is not what the tables build; run: python refdata/build.py --write", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
