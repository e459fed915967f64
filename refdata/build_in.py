"""The Indian lists: how a printed row of NPPA and of PMBJP is read, and the import of the originals.

What the grammar cannot read is settled by hand in `curated-2026-12/readings.csv`, names in `curated-2026-12/names.csv`; a name neither
table knows stops the import. Prices are never carried: the import reads only the columns named here.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from build_facts import (
    PARENS,
    SHARED,
    UNII,
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
    outside_parens,
    read_table,
    strength_of,
    write_originals,
    write_table,
)
from build_facts import SOURCES as ALL_SOURCES

NPPA, PMBJP, CURATED, LOOKALIKE = "nppa-2022-08", "pmbjp-2026-07", "curated-2026-12", "lookalike-2026-12"
SOURCES = ALL_SOURCES / "in"


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


# --- reading one printed product ---------------------------------------------------------------------------------------------

_MARKS = re.compile(r"\b(?:i\.?p\.?|b\.?p\.?|usp|u\.s\.p|nfi|r-dna origin)(?=[\s,)]|$)")
_FILLER = re.compile(
    r"per vial|/vial|\bwith wfi\b|p(?:a)?ediatric|sterile|antiseptic|moisturising|(?:in|with) flavou?r base|\bskin\b|sugar free"
)
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
    candidates = [outside_parens(bare), re.sub(r"[()]", " ", bare), *(PARENS.findall(bare))]
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
    inner = [p for p in PARENS.findall(text) if len(STRENGTH.findall(p)) >= 2 and _SEPARATOR.search(p)]
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
    bare = fold_name(outside_parens(text))
    try:
        names.resolve(text)
    except UnknownNameError:
        return bare
    return text


# --- import ------------------------------------------------------------------------------------------------------------------


PRODUCT_COLUMNS = ("rows", "source", "printed", "pack", "names", "molecules", "salts", "strengths", "form", "release", "component_releases")
REJECT_COLUMNS = ("rows", "source", "printed", "pack", "reason")
READING_COLUMNS = ("edition", "rows", "molecules", "strengths", "form", "release", "component_releases", "reject", "note")


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
    write_table(SHARED / LOOKALIKE / "pairs.csv", ("rows", "name_a", "name_b", "kind", "reported_by", "source"), pairs)
    write_table(SHARED / LOOKALIKE / "rejects.csv", ("rows", "name_a", "name_b", "reason"), rejects)


ORIGINALS = (
    ("nppa", "rows of the NPPA compendium (CSV)"), ("pmbjp", "PMBJP product list (CSV)"), ("unii", "UNII names extract (CSV)"),
    ("brands", "curated brands (CSV)"), ("lookalikes", "look-alike pairs (CSV)"),
)  # fmt: skip


def run_import(arguments: argparse.Namespace) -> int:
    """`build.py import in`: every row of the five originals into a table, or TableError with the names that no table knows."""
    with arguments.unii.open(encoding="utf-8", newline="") as file:
        unii = list(csv.DictReader(file))
    names = load_names([row for row in unii if row["type"] != "bn"], [SOURCES / CURATED / "names.csv"])
    listed = {NPPA: nppa_rows(arguments.nppa), PMBJP: pmbjp_rows(arguments.pmbjp)}
    unknown = [problem for edition, rows in listed.items() for problem in import_list(edition, rows, names)]
    if unknown:
        raise TableError("names.csv does not know these names:\n  " + "\n  ".join(unknown))
    import_brands(arguments.brands, names)
    import_lookalikes(arguments.lookalikes)
    import_unii(unii)
    with arguments.lookalikes.open(encoding="utf-8", newline="") as file:
        lookalike_rows = len(list(csv.DictReader(file)))
    write_originals(
        SOURCES,
        {
            NPPA: (len(listed[NPPA]), arguments.nppa),
            PMBJP: (len(listed[PMBJP]), arguments.pmbjp),
            CURATED: (len(read_table(arguments.brands)), arguments.brands),
        },
    )
    write_originals(SHARED, {UNII: (len(unii), arguments.unii), LOOKALIKE: (lookalike_rows, arguments.lookalikes)})
    return 0
