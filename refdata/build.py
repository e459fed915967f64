"""Builds the reference bundle of a jurisdiction from reviewable tables.

Two steps, kept apart on purpose:

`import`  reads the original lists (given as explicit paths; they are not in this repository) and writes facts into
          `refdata/sources/<jurisdiction>/<edition>/*.csv`, every row of an original in exactly one table: `products.csv` (read) or
          `rejects.csv` (not read, with a reason). How a row is read: `build_in.py`, `build_us.py`.
`--write` compiles the tables into `medfence_refdata/<jurisdiction>/bundle.json` and `manifest.json`. `--check` compiles them again
          and compares bytes. `--jurisdiction` names one, default all. `--without-pmbjp` leaves that Indian list out.

Prices are never carried. The output depends on the tables alone (no clock, no locale, no hash order).
Exit: 0 done, 1 the built files differ from the tables, 2 the tables cannot be used.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # the checkout's own package, installed or not

import build_in
import build_us
from build_facts import ROOT, SHARED, SOURCES, UNII, Strength, TableError, file_sha256, fold_name, outside_parens, read_table, strength_of
from build_in import CURATED, LOOKALIKE, NPPA, PMBJP, UNATTESTED
from build_us import CURATED as CURATED_US
from build_us import FDA
from medfence_guard.bundle_file import packed
from medfence_guard.look_alikes import COMPUTED, brand_stem, can_resemble, close_pairs

MANIFEST_SCHEMA = "medfence-bundle-manifest/1"
GRADES = ("regulator", "tender", "terminology", "curated")
GRADE = {
    NPPA: "regulator", FDA: "regulator", PMBJP: "tender", UNII: "terminology", CURATED: "curated", CURATED_US: "curated",
}  # fmt: skip
CITATIONS_PER_FACT = 3
OUTPUT = ROOT / "medfence_refdata"


@dataclass(frozen=True)
class Jurisdiction:
    """Which tables make a bundle. `lists`: product lists in the order that decides a printed order; `branded`: those with brand names.

    `lexicon`: folder of the lexicon that reads its papers, seen from the built bundle.
    `shared_names`: tables of names of another jurisdiction that hold here too.
    `curated_rows`: tables of curated brands and products; in the last of them a row says in `basis` whether a list attests it.
    """

    code: str
    edition: str
    lists: tuple[str, ...]
    curated: str
    curated_rows: tuple[str, ...]
    branded: tuple[str, ...] = ()
    shared_names: tuple[str, ...] = ()
    lexicon: str = "lexicon"


# Of a table of names that two jurisdictions read, what only the one with the misprinting list needs.
OWN_KINDS = frozenset({"misspelling", "indian"})
JURISDICTIONS = {
    j.code: j
    for j in (
        Jurisdiction("in", "in-2026.12", (NPPA, PMBJP), CURATED, ("brands.csv", "brands_supplement.csv")),
        Jurisdiction(
            "us",
            "us-2026.12",
            (FDA,),
            CURATED_US,
            ("supplement.csv",),
            branded=(FDA,),
            shared_names=(f"in/{CURATED}/names.csv",),
            lexicon="../in/lexicon",
        ),
    )
}
IMPORTS: Mapping[str, tuple[tuple[tuple[str, str], ...], Callable[[argparse.Namespace], int]]] = {
    "in": (build_in.ORIGINALS, build_in.run_import),
    "us": (build_us.ORIGINALS, build_us.run_import),
}


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

    jurisdiction: Jurisdiction
    editions: tuple[str, ...]
    products: dict[str, list[dict[str, str]]]
    rejects: dict[str, list[dict[str, str]]]
    listed_brands: dict[str, list[dict[str, str]]]
    unii: list[dict[str, str]]
    names: list[dict[str, str]]
    curated_rows: list[list[dict[str, str]]]
    collisions: list[dict[str, str]]
    withheld: list[dict[str, str]]
    combinations: list[dict[str, str]]
    pairs: list[dict[str, str]]
    pair_rejects: list[dict[str, str]]
    originals: dict[str, dict[str, str]]
    sources: list[dict[str, Json]]
    digests: dict[str, str]


def load_tables(jurisdiction: Jurisdiction, left_out: frozenset[str]) -> Tables:
    editions = tuple(edition for edition in jurisdiction.lists if edition not in left_out)
    files: dict[str, str] = {}
    own, curated = SOURCES / jurisdiction.code, jurisdiction.curated

    def table(folder: Path, name: str) -> list[dict[str, str]]:
        rows = read_table(folder / name)
        files[(folder / name).relative_to(SOURCES).as_posix()] = file_sha256(folder / name)
        return rows

    names = [{**row, "source": f"{curated}#name={row['name']}"} for row in table(own, f"{curated}/names.csv")]
    for name in jurisdiction.shared_names:
        rows = [row for row in table(SOURCES, name) if row["kind"] not in OWN_KINDS]
        names += [{**row, "source": f"{name.split('/')[1]}#name={row['name']}"} for row in rows]

    return Tables(
        jurisdiction,
        editions,
        {edition: table(own, f"{edition}/products.csv") for edition in editions},
        {edition: table(own, f"{edition}/rejects.csv") for edition in editions},
        {edition: table(own, f"{edition}/brands.csv") for edition in editions if edition in jurisdiction.branded},
        table(SHARED, f"{UNII}/names.csv"),
        names,
        [table(own, f"{curated}/{name}") for name in jurisdiction.curated_rows],
        table(own, f"{curated}/brand_collisions.csv"),
        table(own, f"{curated}/brands_withheld.csv"),
        table(own, f"{curated}/combination_names.csv"),
        table(SHARED, f"{LOOKALIKE}/pairs.csv"),
        table(SHARED, f"{LOOKALIKE}/rejects.csv"),
        {row["source"]: row for folder in (own, SHARED) for row in table(folder, "originals.csv")},
        [
            source
            for folder in (own, SHARED)
            for source in json.loads((folder / "sources.json").read_text(encoding="utf-8"))
            if source["id"] not in left_out
        ]
        + [
            source
            for name in jurisdiction.shared_names
            for source in json.loads((SOURCES / name.split("/")[0] / "sources.json").read_text(encoding="utf-8"))
            if source["id"] == name.split("/")[1]
        ],
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


def compile_listed_brands(tables: Tables, facts: Mapping[Product, Fact]) -> tuple[list[dict[str, Json]], dict[str, dict[str, int]]]:
    """The brands that a list itself prints, at the grade of the list, and per list the fate of every brand and product pair.

    `product` of a brand row is the first row number of the line in products.csv that it is sold as.
    """
    withheld = {row["brand"]: row["reason"] for row in tables.withheld}
    entries: list[dict[str, Json]] = []
    counts: dict[str, dict[str, int]] = {}
    for edition, rows in tables.listed_brands.items():
        by_row: dict[str, list[Product]] = {}
        for line, row in enumerate(tables.products[edition], 2):
            product, _ = product_of(row, f"{edition}/products.csv line {line}")
            by_row.setdefault(row["rows"].partition(";")[0], []).append(product)
        sources: dict[tuple[str, Product], set[str]] = {}
        kept = 0
        for line, row in enumerate(rows, 2):
            if row["product"] not in by_row:
                raise TableError(f"{edition}/brands.csv line {line}: products.csv has no line that begins with row {row['product']}")
            if row["brand"] in withheld:
                continue
            kept += 1
            for product in by_row[row["product"]]:
                sources.setdefault((row["brand"], product), set()).add(row["source"])
        entries += [
            {
                "name": brand, "molecules": [*product.molecules], "strengths": [{**s.json()} for s in product.strengths],
                "form": product.form, "release": product.release, "printed_order": [*facts[product].printed_order], "confidence": "A",
                "grade": best_grade(found), "attested_by": cite(found), "source": cite(found),
            }
            for (brand, product), found in sources.items()
        ]  # fmt: skip
        counts[f"{edition} brands"] = {"read": len(rows), "accepted": kept, "merged": 0, "rejected": len(rows) - kept}
    return entries, counts


def compile_brands(tables: Tables, facts: dict[Product, Fact]) -> tuple[list[dict[str, Json]], dict[str, int]]:
    """Brand entries, and the curated products that no list row states (added to `facts` at grade `curated`).

    A supplement brand whose composition neither a list nor an earlier brand attests must say so in its basis,
    and only then: else TableError (a build without a list cannot judge that and does not).
    """
    by_molecules: dict[tuple[str, ...], list[Fact]] = {}
    for fact in facts.values():
        by_molecules.setdefault(fact.product.molecules, []).append(fact)
    withheld = {row["id"] for row in tables.withheld if row["id"]}
    entries: list[dict[str, Json]] = []
    seen: set[tuple[str, Product]] = set()
    merged = bare = 0
    curated = tables.jurisdiction.curated
    whole = tables.editions == tables.jurisdiction.lists
    of_supplement = {f"{curated}#brand={row['id']}" for row in tables.curated_rows[-1]}
    for row in (row for rows in tables.curated_rows for row in rows):
        if row["id"] in withheld:
            continue
        where = f"brands {row['id']} ({row['brand']})"
        if row["confidence"] not in ("A", "B"):
            raise TableError(f"{where}: confidence is A or B")
        product, order = product_of(row, where)
        source = f"{curated}#brand={row['id']}"
        if row["brand"] and (row["brand"].lower(), product) in seen:
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
        listed = next(([*f.sources] for f in same if not any(s.startswith(curated) for s in f.sources)), [])
        elsewhere = any(s not in of_supplement for f in same for s in f.sources)
        if whole and source in of_supplement and elsewhere == row["basis"].endswith(UNATTESTED):
            raise TableError(f"{where}: the composition is {'' if elsewhere else 'not '}attested by another row; the basis says otherwise")
        kin = same or [f for f in by_molecules.get(product.molecules, []) if not any(s.startswith(curated) for s in f.sources)]
        printed = kin[0].printed_order if kin else order
        # The form itself is then known from the brand only. A row without a brand is a product that the lists lack, so as it is labelled.
        if not any(f.product.form == product.form for f in same) or (not row["brand"] and product not in facts):
            fact = Fact(product, {source}, printed)
            facts[product] = fact
            by_molecules.setdefault(product.molecules, []).append(fact)
        if not row["brand"]:
            bare += 1
            continue
        entries.append(
            {
                "name": row["brand"], "molecules": [*product.molecules], "strengths": [{**s.json()} for s in product.strengths],
                "form": product.form,
                "release": product.release, "printed_order": [*printed], "confidence": row["confidence"], "grade": "curated",
                "attested_by": cite(listed), "source": [source],
            }
        )  # fmt: skip
    read = sum(map(len, tables.curated_rows))
    return entries, {"read": read, "accepted": len(entries) + bare, "merged": merged, "rejected": len(withheld)}


_PLAIN_NAME = re.compile(r"[a-z][a-z ]{3,}")


def hyphenated(tables: Tables) -> dict[tuple[str, str], set[str]]:
    """(combination, `hydrocodone-acetaminophen`) -> rows that list it: what a product of two is called in the USA.

    Its substances in either order, salts left out. A name that would mean two combinations is left out.
    """
    found: dict[str, dict[str, set[str]]] = {}
    for edition in tables.jurisdiction.branded:
        for row in tables.products[edition]:
            parts = row["names"].split(" + ")
            salts = row["salts"].split(" + ") if row["salts"] else ["-"] * len(parts)
            bare = [part.removesuffix(f" {salt}") for part, salt in zip(parts, salts, strict=True)]
            if len(bare) == 2 and all(map(_PLAIN_NAME.fullmatch, bare)):
                key = " + ".join(sorted(row["molecules"].split(" + ")))
                for name in ("-".join(bare), "-".join(reversed(bare))):
                    found.setdefault(name, {}).setdefault(key, set()).add(row["source"])
    return {(key, name): sources for name, keys in found.items() if len(keys) == 1 for key, sources in keys.items()}


def compile_molecules(tables: Tables, facts: Sequence[Fact]) -> dict[str, Json]:
    """Molecule -> aliases, each with its grade and citations. A name of two molecules is a TableError.

    A key with ' + ' is a combination that has a name of its own (co-trimoxazole).
    """
    curated = tables.jurisdiction.curated
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
        add(row["molecule"], row["name"], row["salt"], row["source"])
    for row in tables.unii:
        add(row["molecule"], row["name"], "", row["source"])
        if row["molecule"] in used and row["name"] == row["molecule"]:
            used[row["molecule"]].add(row["source"])
    for line, row in enumerate(tables.combinations, 2):
        key = " + ".join(sorted(row["molecules"].split(" + ")))
        sources = [s for s in row["sources"].split(";") if s.partition("#")[0] in (*tables.editions, curated)]
        if tuple(key.split(" + ")) not in {fact.product.molecules for fact in facts}:
            raise TableError(f"combination_names.csv line {line}: no product has these molecules")
        used.setdefault(key, set()).update(sources)
        for source in sources:
            add(key, row["name"], "", source)
    for (key, name), listing in hyphenated(tables).items():
        used.setdefault(key, set()).update(listing)
        for source in listing:
            add(key, name, "", source)
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


def compile_look_alikes(tables: Tables, molecules: Iterable[str], brands: Sequence[Mapping[str, Json]]) -> list[Json]:
    """[a, b, source] with a < b: listed pairs first, then the ones computed over molecules and brand stems."""
    pairs: dict[tuple[str, str], str] = {}

    def add(a: str, b: str, source: str) -> None:
        a, b = sorted((a, b))
        if a != b:
            pairs.setdefault((a, b), source)

    for row in tables.pairs:
        add(fold_name(outside_parens(row["name_a"])), fold_name(outside_parens(row["name_b"])), row["source"])
    for a, b, distance in close_pairs(m for m in molecules if can_resemble(m, brand=False)):
        add(a, b, f"{COMPUTED}{distance}")
    compositions: dict[str, set[str]] = {}
    for brand in brands:
        compositions.setdefault(brand_stem(str(brand["name"])), set()).add(canonical(brand["molecules"]))
    for a, b, distance in close_pairs(stem for stem in compositions if can_resemble(stem, brand=True)):
        if compositions[a] != compositions[b]:
            add(a, b, f"{COMPUTED}{distance}")
    return [[a, b, source] for (a, b), source in sorted(pairs.items())]


def compile_bundle(jurisdiction: Jurisdiction, left_out: frozenset[str]) -> tuple[str, str]:
    """(bundle.json, manifest.json) as text, without the lists in `left_out`. Raises TableError."""
    tables = load_tables(jurisdiction, left_out)
    curated = jurisdiction.curated
    facts, counts = compile_products(tables)
    listed = len(facts)
    brands, listed_counts = compile_listed_brands(tables, facts)
    more, counts[curated] = compile_brands(tables, facts)
    brands = sorted([*brands, *more], key=lambda e: (str(e["name"]).lower(), canonical(e)))
    molecules = compile_molecules(tables, [*facts.values()])
    look_alikes = compile_look_alikes(tables, molecules, brands)
    counts[LOOKALIKE] = {
        "read": int(tables.originals[LOOKALIKE]["rows_read"]), "accepted": len(tables.pairs), "merged": 0,
        "rejected": len(tables.pair_rejects),
    }  # fmt: skip
    used = [row for row in tables.unii if row["molecule"] in molecules]
    used_names = {(row["molecule"], row["name"]) for row in used}
    unii_read = int(tables.originals[UNII]["rows_read"])
    counts[UNII] = {
        "read": unii_read,
        "accepted": len(used_names),
        "merged": len(used) - len(used_names),
        "rejected": unii_read - len(used),
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
        "jurisdiction": jurisdiction.code,
        "edition": jurisdiction.edition,
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
                "source": [f"{curated}#collision={row['name']}"],
            }
            for row in tables.collisions
        ],
        "insulins": [m for m in sorted(molecules) if m.startswith("insulin")],
    }
    text = canonical(packed(bundle)) + "\n"
    manifest: Json = {
        "schema": MANIFEST_SCHEMA,
        "jurisdiction": jurisdiction.code,
        "edition": jurisdiction.edition,
        "bundle_sha256": hashlib.sha256(text.encode("utf-8")).hexdigest(),
        "bundle_bytes": len(text.encode("utf-8")),
        "left_out": [*sorted(left_out & set(jurisdiction.lists))],
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
        "listed_brands": {edition: {**listed_counts[edition]} for edition in sorted(listed_counts)},
        "rejects": {edition: _reasons(tables.rejects[edition]) for edition in tables.editions},
        "sources": [*tables.sources],
        "tables": {**tables.digests},
        "lexicon": {"folder": jurisdiction.lexicon, "sha256": lexicon_digests(jurisdiction)},
    }
    pretty = json.dumps(json.loads(canonical(manifest)), indent=1, ensure_ascii=False, sort_keys=True)
    return text, pretty + "\n"


def lexicon_digests(jurisdiction: Jurisdiction) -> dict[str, Json]:
    """Digest of each file of the lexicon, so that loading sees an altered one."""
    folder = OUTPUT / jurisdiction.code / jurisdiction.lexicon
    return {path.stem: file_sha256(path) for path in sorted(folder.glob("*.json"))}


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
            places = parser.add_subparsers(dest="jurisdiction", required=True, metavar="JURISDICTION")
            for code, (originals, _) in IMPORTS.items():
                place = places.add_parser(code)
                for name, text in originals:
                    place.add_argument(f"--{name}", type=Path, required=True, help=text)
            options = parser.parse_args(arguments[1:])
            return IMPORTS[options.jurisdiction][1](options)
        parser = argparse.ArgumentParser(prog="build.py", description="reviewable tables -> bundle.json and manifest.json")
        parser.add_argument("--write", action="store_true", help="write the built files")
        parser.add_argument("--check", action="store_true", help="compare the built files with the tables")
        parser.add_argument("--jurisdiction", choices=sorted(JURISDICTIONS), help="build this one only; default: all")
        parser.add_argument("--without-pmbjp", action="store_true", help="leave the PMBJP list out (India)")
        parser.add_argument("--out", type=Path, default=OUTPUT, help="folder of the folders of built files, one a jurisdiction")
        options = parser.parse_args(arguments)
        if options.write == options.check:
            parser.error("say --write or --check")
        left_out = frozenset({PMBJP} if options.without_pmbjp else ())
        chosen = [options.jurisdiction] if options.jurisdiction else sorted(JURISDICTIONS)
        built: dict[Path, bytes] = {}
        for code in chosen:
            texts = compile_bundle(JURISDICTIONS[code], left_out)
            for name, text in zip(("bundle.json", "manifest.json"), texts, strict=True):
                built[options.out / code / name] = text.encode("utf-8")
    except TableError as problem:
        print(problem, file=sys.stderr)
        return 2
    if options.write:
        for path, data in built.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return 0
    different = [path for path, data in built.items() if not path.is_file() or path.read_bytes() != data]
    for path in different:
        print(f"{path.parent.name}/{path.name} is not what the tables build; run: python refdata/build.py --write", file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
