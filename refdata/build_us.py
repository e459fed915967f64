"""The US list: how a row of Drugs@FDA (marketed products) is read, and the import of the original.

A printed product is `FORM;ROUTE | strengths | ingredients`; strengths and ingredients are joined by semicolons and pair in order. Rows
that print the same product are one row of the table. What the grammar cannot read is settled by hand in
`curated-us-2026-12/readings.csv`. Names: `in/curated-2026-12/names.csv` (what a printed name means in either country) and
`curated-us-2026-12/names.csv` (what only FDA prints).
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from build_facts import (
    SALT_WORDS,
    SOURCES,
    Component,
    Names,
    Reading,
    Strength,
    TableError,
    UnknownNameError,
    UnreadableError,
    decimal_text,
    fold_name,
    import_unii,
    load_names,
    read_table,
    strength_of,
    write_originals,
    write_table,
)
from build_in import CURATED as SHARED_CURATED

FDA, CURATED = "drugsatfda-2022-05", "curated-us-2026-12"
OWN = SOURCES / "us"
NAME_TABLES = (SOURCES / "in" / SHARED_CURATED / "names.csv", OWN / CURATED / "names.csv")
ORIGINALS = (("drugsatfda", "marketed products of Drugs@FDA (CSV)"), ("unii", "UNII names extract (CSV)"))
# Salts that FDA prints and the Indian lists do not. An ester is not here: acetates are told apart in names.csv, one by one.
SALTS = (*SALT_WORDS, "chloride hydrochloride", "malate", "tosylate", "disodium", "meglumine", "lysine", "pamoate", "hyclate")


# --- amounts -----------------------------------------------------------------------------------------------------------------

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?"
UNITS = {
    "MG": "mg", "MGS": "mg", "GM": "g", "G": "g", "GRAM": "g", "MCG": "ug", "UG": "ug", "UGM": "ug", "MICROGRAMS": "ug", "MEQ": "meq",
    "UNITS": "{unit}", "UNIT": "{unit}", "USP UNITS": "{unit}", "U": "{unit}", "IU": "[iU]", "%": "%",
}  # fmt: skip
PER = {
    "ML": "mL", "GM": "g", "G": "g", "GRAM": "g", "MG": "mg", "VIAL": "{vial}", "AMPULE": "{ampule}", "BOT": "{bottle}",
    "PACKET": "{sachet}", "SCOOPFUL": "{scoop}", "INH": "{actuation}", "SPRAY": "{actuation}", "ACTUATION": "{actuation}",
    "DELIVERY": "{actuation}", "IMPLANT": "{implant}", "HR": "h",
}  # fmt: skip
# What an amount is counted as, where it is not the salt as named. 'EQ 5MG BASE': the base.
_BASIS = (
    r"BASE|TARTRATE|VALPROIC ACID|FENOFIBRIC ACID|HYDROCHLORIDE|HYDROBROMIDE|PHOSPHATE|MALEATE|BITARTRATE|MEDOXOMIL|RESIN|IRON|ZINC|COPPER"
    r"|SELENIUM|CHROMIUM|MANGANESE|ANHYDROUS|PHENYTOIN NA|ACID|FREE ACID AND POTASSIUM SALT|IODINE"
)
AMOUNT = re.compile(
    rf"(?P<eq>EQ )?\s*(?P<value>{_NUMBER}) ?(?P<unit>{'|'.join(sorted(map(re.escape, UNITS), key=len, reverse=True))})"
    rf"(?: ?\(?(?P<basis>{_BASIS})\)?)?"
    rf"(?: ?/ ?(?P<per>{_NUMBER}) ?(?P<per_unit>{'|'.join(sorted(PER, key=len, reverse=True))}|DAY)(?: (?P<gloss>PACKET|ACTUATION))?)?"
    rf"(?: (?P<late_basis>{_BASIS}))?"
)
_NOTE = re.compile(r"\*\*.*$")
_PACK = re.compile(r"\(\d+ ?ML\)|\(U-\d+\)")
_CONTAINS = re.compile(r" CONTAINS AT LEAST .*$")


def amount_of(text: str) -> tuple[Strength, str]:
    """'EQ 5MG BASE/5ML' -> 5 mg/5 mL and what it counts ('base'). Raises UnreadableError."""
    text = " ".join(text.split()).replace(" PER VIAL", "/VIAL")
    found = AMOUNT.fullmatch(text)
    if not found or not found["value"]:
        raise UnreadableError(f"{text!r} is not an amount we can state")
    value, unit = decimal_text(_leading_zero(found["value"])), UNITS[found["unit"]]
    basis = (found["basis"] or found["late_basis"] or "").lower()
    if basis == "iodine":
        raise UnreadableError("the strength is of iodine, not of the molecule")
    if value == "0":
        raise UnreadableError(f"{text!r} is nothing")
    if not found["per_unit"]:
        return Strength(value, unit), basis
    if unit == "%":
        raise UnreadableError(f"{text!r} is not an amount we can state")
    per = decimal_text(_leading_zero(found["per"] or "1"))
    if found["per_unit"] == "DAY":
        return Strength(value, unit, decimal_text(per, 24), "h"), basis
    return Strength(value, unit, per, PER[found["per_unit"]]), basis


def _leading_zero(text: str) -> str:
    return f"0{text}" if text.startswith(".") else text


def _split(text: str) -> list[str]:
    """At semicolons outside parentheses."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == ";" and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [part.strip() for part in (*parts, text[start:])]


Amounts = tuple[tuple[Strength, str], ...]


def amounts_of(text: str, count: int) -> list[Amounts]:
    """The printed strengths of `count` ingredients: once, and a second time where a total and its concentration are printed."""
    text = _CONTAINS.sub("", _PACK.sub("", _NOTE.sub("", text.upper()))).strip(" .")
    if re.search(r"(?:MG|MCG|G|N/A) ?,", text):
        raise UnreadableError("a pack of several phases, or several amounts for one ingredient")
    if re.search(r"\bM?U?CI\b|[\d.]CI\b|CI/", text):
        raise UnreadableError("a radiopharmaceutical")
    if text in ("N/A", "UNKNOWN", ""):
        raise UnreadableError("no printed strength")
    printed = _split(text)
    if len(printed) != count:
        raise UnreadableError("the strengths do not pair with the ingredients")
    first: list[tuple[Strength, str]] = []
    second: list[tuple[Strength, str] | None] = []
    shared: list[str] = []
    for part in printed:
        found = re.fullmatch(r"([^()]*(?:\(BASE\)[^()]*)?)(?:\((.*)\)?)?", part)
        if not found:
            raise UnreadableError(f"{part!r} is not an amount we can state")
        first.append(amount_of(found[1].strip()))
        inner = _split((found[2] or "").strip(" )"))
        if len(inner) == count > 1:
            shared = inner
        second.append(amount_of(inner[0]) if inner[0] and len(inner) == 1 else None)
        if len(inner) not in (1, count):
            raise UnreadableError("the strengths do not pair with the ingredients")
    if shared:
        second = [amount_of(part) for part in shared]
    readings = [tuple(first)]
    if any(second):
        other = tuple(again or once for again, once in zip(second, first, strict=True))
        # A second printing may say the basis only once.
        readings.append(tuple((amount, basis or first[i][1]) for i, (amount, basis) in enumerate(other)))
    return [readings[0], *(r for r in readings[1:] if r != readings[0])]


# --- forms -------------------------------------------------------------------------------------------------------------------

_INJECTED = frozenset(
    "INJECTION|INTRAVENOUS|IV (INFUSION)|INTRAMUSCULAR|SUBCUTANEOUS|INTRATHECAL|SPINAL|IM-IV|EPIDURAL|INTRAVITREAL|INTRA-ARTICULAR|"
    "INTRADERMAL|INTRACAVITARY|INTRAOSSEOUS|ENDOTRACHEAL|INTRAOCULAR|SUBCUTANEOUS LYOPHILIZED POWER|INTRA-ARTERIAL|PERIARTICULAR|"
    "SINGLE-USE|SINGLE-DOSE|MULTIDOSE|SUSPENSION".split("|")
)
# (printed form, place) -> forms of the bundle, release or releases. Where a form has two releases, both are stated, a fact each.
_ORAL: dict[str, tuple[str, tuple[str, ...]]] = {
    "TABLET": ("tablet", ("",)), "TABLET, EXTENDED RELEASE": ("tablet", ("prolonged",)),
    "TABLET, DELAYED RELEASE": ("tablet", ("gastro_resistant",)), "TABLET, ORALLY DISINTEGRATING": ("tablet", ("orodispersible",)),
    "TABLET, ORALLY DISINTEGRATING, DELAYED RELEASE": ("tablet", ("gastro_resistant", "orodispersible")),
    "TABLET, ORALLY DISINTEGRATING, EXTENDED RELEASE": ("tablet", ("orodispersible", "prolonged")),
    "TABLET, CHEWABLE": ("tablet", ("chewable",)), "TABLET, EXTENDED RELEASE, CHEWABLE": ("tablet", ("chewable", "prolonged")),
    "TABLET, FOR SUSPENSION": ("tablet", ("dispersible",)), "TABLET, EFFERVESCENT": ("tablet", ("effervescent",)),
    "CAPSULE": ("capsule", ("",)), "CAPSULE, PELLETS": ("capsule", ("",)), "CAPSULE, EXTENDED RELEASE": ("capsule", ("prolonged",)),
    "CAPSULE, DELAYED RELEASE": ("capsule", ("gastro_resistant",)),
    "CAPSULE, DELAYED REL PELLETS": ("capsule", ("gastro_resistant",)),
    "SOLUTION": ("oral_solution", ("",)), "CONCENTRATE": ("oral_solution", ("",)), "ELIXIR": ("oral_solution", ("",)),
    "SOLUTION, ELIXIR": ("oral_solution", ("",)), "LIQUID": ("oral_solution", ("",)), "FOR SOLUTION": ("oral_solution", ("",)),
    "SYRUP": ("syrup", ("",)), "SUSPENSION": ("oral_suspension", ("",)), "FOR SUSPENSION": ("oral_suspension", ("",)),
    "SUSPENSION, EXTENDED RELEASE": ("oral_suspension", ("prolonged",)),
    "FOR SUSPENSION, EXTENDED RELEASE": ("oral_suspension", ("prolonged",)),
    "FOR SUSPENSION, DELAYED RELEASE": ("oral_suspension", ("gastro_resistant",)),
    "SUSPENSION/DROPS": ("oral_drops", ("",)), "SOLUTION/DROPS": ("oral_drops", ("",)),
    "POWDER": ("powder", ("",)), "GRANULE": ("granules", ("",)), "GRANULES": ("granules", ("",)), "PELLETS": ("granules", ("",)),
    "GRANULE, DELAYED RELEASE": ("granules", ("gastro_resistant",)), "FILM": ("oral_film", ("",)),
    "TROCHE/LOZENGE": ("lozenge", ("",)), "GUM, CHEWING": ("chewing_gum", ("",)),
}  # fmt: skip
_PLAIN: dict[str, dict[str, tuple[str, ...]]] = {
    "SUBLINGUAL": {"FILM": ("oral_film",), "SPRAY, METERED": ("spray",), "AEROSOL, METERED": ("spray",)},
    "BUCCAL": {"FILM": ("oral_film",), "GUM, CHEWING": ("chewing_gum",)},
    "OPHTHALMIC": {
        "SOLUTION/DROPS": ("eye_drops",), "SUSPENSION/DROPS": ("eye_drops",), "SOLUTION": ("eye_drops",), "SUSPENSION": ("eye_drops",),
        "EMULSION": ("eye_drops",), "SOLUTION, GEL FORMING/DROPS": ("eye_drops",), "OINTMENT": ("eye_ointment",), "GEL": ("eye_gel",),
    },
    "OTIC": {
        "SOLUTION/DROPS": ("ear_drops",), "SUSPENSION/DROPS": ("ear_drops",), "OIL/DROPS": ("ear_drops",), "SOLUTION": ("ear_drops",),
    },
    "NASAL": {"SPRAY, METERED": ("nasal_spray",), "SPRAY": ("nasal_spray",), "AEROSOL, METERED": ("nasal_spray",)},
    "INHALATION": {
        "AEROSOL, METERED": ("inhaler",), "SPRAY, METERED": ("inhaler",), "POWDER": ("inhalation_powder",),
        "POWDER, METERED": ("inhalation_powder",), "SOLUTION": ("nebuliser_liquid",), "SUSPENSION": ("nebuliser_liquid",),
        "FOR SOLUTION": ("nebuliser_liquid",), "SUSPENSION, LIPOSOMAL": ("nebuliser_liquid",),
    },
    "TOPICAL": {
        "CREAM": ("cream",), "CREAM, AUGMENTED": ("cream",), "OINTMENT": ("ointment",), "OINTMENT, AUGMENTED": ("ointment",),
        "GEL": ("gel",), "GEL, AUGMENTED": ("gel",), "JELLY": ("gel",), "LOTION": ("lotion",), "LOTION, AUGMENTED": ("lotion",),
        "SHAMPOO": ("shampoo",), "LOTION/SHAMPOO": ("lotion", "shampoo"), "SOLUTION": ("topical_solution",),
        "SOLUTION/DROPS": ("topical_solution",), "SUSPENSION": ("topical_suspension",), "SPRAY": ("spray",), "AEROSOL, METERED": ("spray",),
        "AEROSOL, FOAM": ("foam",), "OIL": ("topical_oil",), "POWDER": ("dusting_powder",), "PATCH": ("patch",), "SYSTEM": ("patch",),
    },
    "TRANSDERMAL": {
        "FILM, EXTENDED RELEASE": ("patch",), "SYSTEM": ("patch",), "GEL": ("gel",), "GEL, METERED": ("gel",),
        "SOLUTION, METERED": ("topical_solution",), "SPRAY": ("spray",), "OINTMENT": ("ointment",),
    },
    "RECTAL": {
        "SUPPOSITORY": ("suppository",), "ENEMA": ("enema",), "SUSPENSION": ("enema",), "SOLUTION": ("enema",),
        "AEROSOL, FOAM": ("rectal_foam",), "AEROSOL, METERED": ("rectal_foam",), "GEL": ("rectal_gel",), "POWDER": ("powder",),
    },
    "INTRA-ANAL": {"OINTMENT": ("rectal_ointment",)},
    "VAGINAL": {
        "CREAM": ("vaginal_cream",), "GEL": ("vaginal_gel",), "TABLET": ("vaginal_tablet",), "INSERT": ("vaginal_tablet",),
        "SUPPOSITORY": ("pessary",), "RING": ("vaginal_ring",), "OINTMENT": ("vaginal_ointment",),
    },
    "DENTAL": {"SOLUTION": ("mouthwash",)},
    "IMPLANTATION": {"IMPLANT": ("implant",)}, "INTRAVITREAL": {"IMPLANT": ("implant",)}, "OPHTHALMIC IMPLANT": {"IMPLANT": ("implant",)},
}  # fmt: skip
_DRY = ("POWDER", "FOR SUSPENSION", "FOR SOLUTION")
_WET = ("INJECTABLE", "INJECTION", "SOLUTION", "EMULSION", "SUSPENSION", "VIAL", "SYRINGE", "CONCENTRATE")
REFUSED_ROUTES = {
    "IRRIGATION": "an irrigation fluid", "INTRAPERITONEAL": "a dialysis fluid", "PERFUSION": "a perfusion fluid",
    "INTRAUTERINE": "a device", "URETHRAL": "a solution for the urethra or bladder",
    "INTRAVESICAL": "a solution for the urethra or bladder",
    "BUCCAL": "a buccal tablet: the tables have no word for it",
}  # fmt: skip


@dataclass(frozen=True)
class Form:
    """A form and release of the bundle, the routes as printed in lower case, and what the form says of the molecule ('liposomal')."""

    form: str
    release: str
    route: str
    kind: str


def forms_of(text: str) -> list[Form]:
    """'TABLET, EXTENDED RELEASE;ORAL' -> its forms. Raises UnreadableError."""
    form, _, route = (" ".join(part.split()) for part in text.upper().partition(";"))
    if form == "GAS":
        raise UnreadableError("a medical gas")
    if not route and form in ("VIAL", "SYRINGE"):
        route = "INJECTION"
    if route == "ORALLY DISINTEGRATING":
        form, route = f"{form}, {route}", "ORAL"
    places = [re.sub(r"^ORAL-\d+$", "ORAL", place.strip()) for place in route.split(",")]
    kind = next((word.lower() for word in ("LIPOSOMAL", "LIPID COMPLEX", "AUGMENTED") if f", {word}" in form), "")
    if all(place in _INJECTED for place in places) and (form.split(",")[0] in (*_WET, *_DRY)):
        name = "powder_for_injection" if form.startswith(_DRY) else "injection"
        return [Form(name, "prolonged" if "EXTENDED RELEASE" in form else "", ", ".join(places).lower(), kind)]
    found: list[Form] = []
    for place in places:
        if place == "ORAL" and form in _ORAL:
            name, releases = _ORAL[form]
            found += [Form(name, release, "oral", kind) for release in releases]
        elif place == "SUBLINGUAL" and form == "TABLET":
            found.append(Form("tablet", "sublingual", "sublingual", kind))
        elif form in _PLAIN.get(place, {}):
            found += [Form(name, "", place.lower(), kind) for name in _PLAIN[place][form]]
        elif place in REFUSED_ROUTES:
            raise UnreadableError(REFUSED_ROUTES[place])
        else:
            raise UnreadableError(f"the tables have no form for {form.lower()}, {place.lower() or 'no route'}")
    return [f for i, f in enumerate(found) if (f.form, f.release) not in {(g.form, g.release) for g in found[:i]}]


# --- names and products ----------------------------------------------------------------------------------------------------------

_BIOSIMILAR = re.compile(r"(.+)-[a-z]{4}")
# The share of each is a name: the two insulins of a mixture are not two strengths that a prescription states.
MIXTURES: dict[tuple[tuple[str, str], ...], str] = {
    (("insulin human (isophane)", "70"), ("insulin human (soluble)", "30")): "insulin human (30% soluble/70% isophane)",
    (("insulin aspart", "30"), ("insulin aspart protamine", "70")): "insulin aspart (30% soluble/70% protamine)",
    (("insulin lispro", "25"), ("insulin lispro protamine", "75")): "insulin lispro (25% soluble/75% protamine)",
    (("insulin lispro", "50"), ("insulin lispro protamine", "50")): "insulin lispro (50% soluble/50% protamine)",
}
_ISOTOPE = re.compile(r"\b[A-Z]{1,2}-?\d{2,3}M?\b|TC-99M|TC99M")
REFUSED_NAMES = (
    (re.compile(r"^(?:STERILE|PURIFIED) WATER"), "a diluent without a strength"),
    (re.compile(r"PANCRELIPASE"), "an enzyme mix of three activities"),
    (re.compile(r"^AMINO ACIDS|SOYBEAN OIL|FISH OIL TRIGLYCERIDES|MEDIUM CHAIN"), "a feeding solution whose strength is a mix"),
    (re.compile(r"MENOTROPINS"), "a mix of two hormones that prints their activities"),
    (re.compile(r"^(?:OXYGEN|NITROGEN|HELIUM|CARBON DIOI?X?I?DE|MEDICAL AIR|NITROUS OXIDE|NITRIC OXIDE)"), "a medical gas"),
    (re.compile(r"FLURANE$"), "a volatile liquid without a strength"),
)  # fmt: skip


@dataclass(frozen=True)
class UsNames:
    """`names` and the stems that several biologics share: there the four-letter suffix is what tells them apart."""

    names: Names
    shared_stems: frozenset[str]

    def resolve(self, printed: str) -> tuple[str, str]:
        name = fold_name(printed)
        found = _BIOSIMILAR.fullmatch(name)
        if found:
            if found[1] in self.shared_stems:
                return name, ""
            if name not in self.names.table:
                return self.names.resolve(found[1])
        return self.names.resolve(name)


def shared_stems(ingredients: Sequence[str]) -> frozenset[str]:
    """Stems printed with two suffixes, or with one and without: 'adalimumab', 'adalimumab-atto'."""
    by_stem: dict[str, set[str]] = {}
    for printed in ingredients:
        name = fold_name(printed)
        found = _BIOSIMILAR.fullmatch(name)
        by_stem.setdefault(found[1] if found else name, set()).add(name)
    return frozenset(stem for stem, names in by_stem.items() if len(names) > 1)


@dataclass(frozen=True)
class UsReading:
    """A reading, the routes as printed, and per component what its amount counts ('base', 'tartrate', '' for the salt as named)."""

    reading: Reading
    route: str
    basis: tuple[str, ...]


def read_fda(form: str, strength: str, ingredient: str, names: UsNames) -> list[UsReading]:
    """The products of one printed line. Raises UnreadableError with the reason, or UnknownNameError."""
    if _ISOTOPE.search(ingredient.upper()):
        raise UnreadableError("a radiopharmaceutical or another diagnostic with a marked isotope")
    printed = [part.strip() for part in ingredient.split(";")]
    for pattern, reason in REFUSED_NAMES:
        if any(pattern.search(part.upper()) for part in (ingredient, *printed)):
            raise UnreadableError(reason)
    forms = forms_of(form)
    readings = []
    for amounts in amounts_of(strength, len(printed)):
        components = []
        for name, (amount, _) in zip(printed, amounts, strict=True):
            molecule, salt = names.resolve(name)
            components.append(Component(fold_name(name), molecule, salt, amount))
        basis = tuple(counted for _, counted in amounts)
        if len({c.molecule for c in components}) != len(components) and all(c.salt for c in components):
            # The salts of one molecule are components of their own; the label is their sum.
            components = [
                replace(c, printed=f"{c.printed} (mixed salts)", molecule=f"{c.molecule} {c.salt} (mixed salts)", salt="") if c.salt else c
                for c in components
            ]
        if len({c.molecule for c in components}) != len(components):
            raise UnreadableError("the same molecule twice in one product")
        components, basis = _mixture(components, basis)
        if any(c.strength.unit == "mL" for c in components):
            raise UnreadableError("no printed strength; the volume is the pack")
        if any(c.molecule.startswith("insulin") and c.strength.per_unit is None for c in components):
            raise UnreadableError("an insulin without its amount per mL")
        denominators = {c.strength.per_unit for c in components if c.strength.unit != "%"}
        if len(denominators) > 1 and None in denominators:
            raise UnreadableError("a denominator is printed for one component only")
        for place in forms:
            if place.form in ("granules", "powder") and "mL" in denominators:
                place = replace(place, form="oral_suspension")  # the amount is of what is made of it
            kinds = [
                replace(c, printed=f"{c.printed} ({place.kind})", molecule=f"{c.molecule} ({place.kind})") if place.kind else c
                for c in components
            ]
            readings.append(UsReading(Reading(tuple(kinds), place.form, place.release), place.route, basis))
    return readings


def _mixture(components: list[Component], basis: tuple[str, ...]) -> tuple[list[Component], tuple[str, ...]]:
    """The one component of a mixture of insulins, else the components as they are."""
    ordered = sorted(components, key=lambda c: c.molecule)
    if not all(c.molecule.startswith("insulin") and c.strength.unit == "{unit}" for c in ordered) or len(ordered) != 2:
        return components, basis
    total = sum(int(c.strength.value) for c in ordered)
    shares = tuple((c.molecule, str(int(c.strength.value) * 100 // total)) for c in ordered)
    if shares not in MIXTURES:
        raise UnreadableError("a mixture of insulins that has no name in the tables")
    first = ordered[0].strength
    return [Component(MIXTURES[shares], MIXTURES[shares], "", replace(first, value=str(total)))], ("",)


# --- brands ------------------------------------------------------------------------------------------------------------------

# Words of a trade name that say nothing of whose product it is.
_GENERIC = frozenset(
    "AND IN WITH W W/ OF FOR PLASTIC CONTAINER PRESERVATIVE FREE HYDROCHLORIDE SODIUM POTASSIUM CALCIUM MAGNESIUM HCL ACETATE SULFATE "
    "PHOSPHATE CITRATE TARTRATE MALEATE FUMARATE SUCCINATE NITRATE BROMIDE CHLORIDE USP INJECTION TABLETS TABLET CAPSULES CAPSULE ORAL "
    "SOLUTION SUSPENSION CREAM OINTMENT GEL LOTION EXTENDED DELAYED RELEASE KIT PHARMACY BULK PACKAGE STERILE WATER DEXTROSE ALLERGY "
    "RELIEF HOUR DAY NIGHT CHILDREN'S CHILDRENS INFANTS' INFANTS ADULT MINT CHERRY FLAVOR SUGAR CONCENTRATED STRENGTH".split()
)
_PACKED = frozenset("KIT MULTIPACK".split())
_SHORT_WORDS = frozenset("AND WITH FOR IN OF THE".split())


def brands_of(trade: str, ingredient: str, names: UsNames) -> list[str]:
    """The brands of a row: none where the trade name is the ingredient's own, two where it prints two ('EPOGEN/PROCRIT')."""
    both = re.fullmatch(r"([A-Z]{4,})/([A-Z]{4,})", trade.strip().upper())
    return [brand for part in (both.groups() if both else (trade,)) if (brand := _brand_of(part, ingredient, names))]


def _brand_of(trade: str, ingredient: str, names: UsNames) -> str:
    text = " ".join(trade.upper().replace("*", " ").split())
    text = re.split(r" IN WATER$| IN (?=.*(?:CONTAINER|\d|DEXTROSE|SODIUM CHLORIDE))| \(|,? PRESERVATIVE FREE", text)[0]
    words = [word.rstrip("'") for word in re.findall(r"[A-Z0-9][A-Z0-9'&./-]*", text)]
    words = [word for word in words if word not in _PACKED]
    own = {word for part in re.split(r"[;,/ ()-]+", ingredient.upper()) for word in (part, part.rstrip("S")) if len(part) > 2}
    for part in ingredient.split(";"):
        try:
            molecule, _ = names.resolve(part)
        except UnknownNameError:
            continue
        own |= {word for word in re.split(r"[,/ ()-]+", molecule.upper()) if len(word) > 2}
    if not words or all(word in _GENERIC for word in words):
        return ""
    if any(part.strip(".,'") in own for word in words for part in (word, *word.split("-"))):
        return ""
    if len(words[0]) >= 5 and any(other.startswith(words[0]) for other in own):
        return ""  # a clipped or joined ingredient: 'DEXTROAMP', 'LEVONORGEST'
    return " ".join(word.lower() if word in _SHORT_WORDS else word if len(word) <= 3 else _capital(word) for word in words)


def _capital(word: str) -> str:
    if "." in word:
        return word
    return "-".join(part if len(part) <= 2 else part[0] + part[1:].lower() for part in word.split("-"))


# --- import ------------------------------------------------------------------------------------------------------------------

PRODUCT_COLUMNS = (
    "rows", "source", "printed", "names", "molecules", "salts", "basis", "strengths", "form", "route", "release", "component_releases",
)  # fmt: skip
REJECT_COLUMNS = ("rows", "source", "printed", "reason")
BRAND_COLUMNS = ("rows", "source", "brand", "product")


@dataclass(frozen=True)
class Printed:
    """One distinct printed line: the numbers of its rows (1 = first after the header), the citation of the lowest application."""

    rows: tuple[int, ...]
    source: str
    form: str
    strength: str
    ingredient: str

    @property
    def text(self) -> str:
        return f"{self.form} | {self.strength} | {self.ingredient}"


def cite_row(row: Mapping[str, str]) -> str:
    return f"{FDA}#{row['ApplNo']}/{row['ProductNo']}"


def printed_lines(rows: Sequence[Mapping[str, str]]) -> list[Printed]:
    """Rows that print the same form, strength and ingredients are one line, in the order of their first row."""
    groups: dict[tuple[str, str, str], list[tuple[int, str]]] = {}
    for number, row in enumerate(rows, 1):
        key = (_clean(row["Form"]), _clean(row["Strength"]), _clean(row["ActiveIngredient"]))
        groups.setdefault(key, []).append((number, cite_row(row)))
    return [Printed(tuple(n for n, _ in found), min(source for _, source in found), *key) for key, found in groups.items()]


def _clean(text: str) -> str:
    return " ".join(text.replace("\xa0", " ").split())


def product_row(line: Printed, read: UsReading) -> dict[str, str]:
    components = read.reading.components
    return {
        "rows": ";".join(map(str, line.rows)),
        "source": line.source,
        "printed": line.text,
        "names": " + ".join(c.printed for c in components),
        "molecules": " + ".join(c.molecule for c in components),
        "salts": " + ".join(c.salt or "-" for c in components) if any(c.salt for c in components) else "",
        "basis": " + ".join(basis or "-" for basis in read.basis) if any(read.basis) else "",
        "strengths": " + ".join(c.strength.text() for c in components),
        "form": read.reading.form,
        "route": read.route,
        "release": read.reading.release,
        "component_releases": "",
    }


def _hand_reading(row: Mapping[str, str], names: UsNames, where: str) -> UsReading:
    printed = row["molecules"].split(" + ")
    strengths = [strength_of(text, where) for text in row["strengths"].split(" + ")]
    if len(printed) != len(strengths):
        raise TableError(f"{where}: molecules and strengths do not pair")
    components = []
    for name, strength in zip(printed, strengths, strict=True):
        molecule, salt = names.resolve(name)
        components.append(Component(name, molecule, salt, strength))
    return UsReading(Reading(tuple(components), row["form"], row["release"]), row["route"], tuple("" for _ in components))


def us_names(unii_rows: Sequence[Mapping[str, str]], ingredients: Sequence[str]) -> UsNames:
    return UsNames(load_names(unii_rows, NAME_TABLES, SALTS), shared_stems(ingredients))


def run_import(arguments: argparse.Namespace) -> int:
    """`build.py import us`: every row of the original into a table, or TableError with the names that no table knows."""
    with arguments.unii.open(encoding="utf-8", newline="") as file:
        unii = list(csv.DictReader(file))
    with arguments.drugsatfda.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = us_names([row for row in unii if row["type"] != "bn"], [part for row in rows for part in row["ActiveIngredient"].split(";")])
    hands: dict[str, list[tuple[str, dict[str, str]]]] = {}
    for line_number, hand in enumerate(read_table(OWN / CURATED / "readings.csv"), 2):
        hands.setdefault(hand["printed"], []).append((f"readings.csv line {line_number}", hand))
    products, rejects, unknown = [], [], []
    product_of: dict[int, str] = {}
    for line in printed_lines(rows):
        key = ";".join(map(str, line.rows))
        try:
            if line.text in hands:
                found = []
                for where, hand in hands.pop(line.text):
                    if hand["reject"]:
                        raise UnreadableError(hand["reject"])
                    found.append(_hand_reading(hand, names, where))
            else:
                found = read_fda(line.form, line.strength, line.ingredient, names)
        except UnreadableError as why:
            rejects.append({"rows": key, "source": line.source, "printed": line.text, "reason": str(why)})
            continue
        except UnknownNameError as name:
            unknown.append(f"{line.source}: {name.args[0]!r} in {line.text!r}")
            continue
        products += [product_row(line, each) for each in found]
        product_of.update(dict.fromkeys(line.rows, str(line.rows[0])))
    if unknown:
        raise TableError("names.csv does not know these names:\n  " + "\n  ".join(unknown))
    if hands:
        raise TableError("readings.csv: no row prints\n  " + "\n  ".join(hands))
    brands: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for number, row in enumerate(rows, 1):
        if number not in product_of:
            continue
        for brand in brands_of(row["DrugName"], row["ActiveIngredient"], names):
            brands.setdefault((brand, product_of[number]), []).append((number, cite_row(row)))
    folder = OWN / FDA
    write_table(folder / "products.csv", PRODUCT_COLUMNS, products)
    write_table(folder / "rejects.csv", REJECT_COLUMNS, rejects)
    write_table(
        folder / "brands.csv",
        BRAND_COLUMNS,
        [
            {"rows": ";".join(str(n) for n, _ in found), "source": min(s for _, s in found), "brand": brand, "product": product}
            for (brand, product), found in sorted(brands.items(), key=lambda item: (item[0][0].lower(), int(item[0][1])))
        ],
    )
    import_unii(unii)
    write_originals(OWN, {FDA: (len(rows), arguments.drugsatfda)})
    return 0
