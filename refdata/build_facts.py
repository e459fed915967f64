"""What every reader of a list shares: strengths, components, names, and the tables they are written to.

Nothing here knows any one list. `build_in.py` and `build_us.py` read lists, `build.py` compiles tables. Standard library only.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

UNII = "unii-2025-06"
ROOT = Path(__file__).resolve().parent
SOURCES = ROOT / "sources"
SHARED = SOURCES / "shared"


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


def decimal_text(text: str, scale: int = 1) -> str:
    """'1,00,000', '100, 000', '0.30' -> plain decimal without grouping or trailing zeros."""
    number = Decimal(re.sub(r"[,\s]", "", text)) * scale
    plain = format(number, "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


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


PARENS = re.compile(r"\(([^()]*)\)")


def outside_parens(text: str) -> str:
    while True:
        stripped = PARENS.sub(" ", text)
        if stripped == text:
            return text
        text = stripped


@dataclass(frozen=True)
class Names:
    """What printed names mean: `table` from names.csv (name -> molecule, salt), `inn` from the UNII list (name -> INN)."""

    table: Mapping[str, tuple[str, str]]
    inn: Mapping[str, str]
    salts: tuple[str, ...] = SALT_WORDS

    def resolve(self, printed: str) -> tuple[str, str]:
        """(molecule key, salt named or ""). Raises UnknownNameError."""
        name = fold_name(printed)
        if name in self.table:
            return self.table[name]
        for salt in sorted(self.salts, key=len, reverse=True):
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


# --- tables ---------------------------------------------------------------------------------------------------------------


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


def load_names(unii_rows: Sequence[Mapping[str, str]], tables: Sequence[Path], salts: tuple[str, ...] = SALT_WORDS) -> Names:
    """The names.csv `tables` over the UNII list. A UNII name means the INN of its entry, or itself when the entry has no INN.

    A name stands in one table only, or says the same in each; else TableError.
    """
    table: dict[str, tuple[str, str]] = {}
    for path in tables:
        here: set[str] = set()
        for row in read_table(path):
            name, meaning = fold_name(row["name"]), (row["molecule"], row["salt"])
            if name in here or table.setdefault(name, meaning) != meaning:
                raise TableError(f"{path.parent.name}/names.csv: {name!r} is there twice")
            here.add(name)
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
    return Names({**table, **{m: (m, "") for m, _ in table.values() if m not in table}}, inn, salts)


def unii_name(text: str) -> str:
    return fold_name(re.sub(r"\s*\[[^\]]*\]$", "", text))


def unii_tag(text: str) -> str:
    found = re.search(r"\[([^\]]*)\]$", text)
    return found[1] if found else "official"


def import_unii(rows: Sequence[Mapping[str, str]]) -> None:
    """Writes the UNII names of the molecules in use: one name of one molecule a row, brands left out."""
    molecules = molecules_in_use()
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
    sharers = Counter(unii for _, unii in chosen.values())
    for molecule, (_, unii) in chosen.items():
        inns = {name for name, tag in by_unii[unii] if tag == "INN"}
        # One entry for products that the lists keep apart: its names are the INN's, of the others each keeps its own.
        apart = molecule not in inns and (sharers[unii] > 1 or inns & molecules)
        for name, tag in by_unii[unii]:
            if apart and name != molecule:
                continue
            if re.fullmatch(r"-[a-z]{4}", name.removeprefix(molecule)):
                continue  # a biosimilar's suffix (-dttb) names another product than the plain name does
            if name in molecules and name != molecule:
                continue  # one UNII for two products that the lists keep apart
            out.add((molecule, name, tag, unii))
    write_table(
        SHARED / UNII / "names.csv",
        ("molecule", "name", "kind", "source"),
        [{"molecule": m, "name": n, "kind": k, "source": f"{UNII}#{u}"} for m, n, k, u in sorted(out)],
    )


def file_sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


ORIGINAL_COLUMNS = ("source", "rows_read", "sha256_of_rows")


def molecules_in_use() -> frozenset[str]:
    """Every molecule that a product or brand table of any jurisdiction names."""
    found: set[str] = set()
    for path in sorted(SOURCES.glob("*/*/*.csv")):
        rows = read_table(path)
        if rows and "strengths" in rows[0] and "molecules" in rows[0] and path.name != "readings.csv":
            found.update(molecule for row in rows for molecule in row["molecules"].split(" + "))
    return frozenset(found)


def write_originals(folder: Path, read: Mapping[str, tuple[int, Path]]) -> None:
    """How many rows each original has, and its digest."""
    write_table(
        folder / "originals.csv",
        ORIGINAL_COLUMNS,
        [{"source": name, "rows_read": str(rows), "sha256_of_rows": file_sha256(path)} for name, (rows, path) in sorted(read.items())],
    )
