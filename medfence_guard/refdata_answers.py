"""What a bundle knows about a name, what changed between two, and which names of a set of reports it does not know.

These compute and return plain data, and the text of it; `refdata_commands` reads the files and prints.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from medfence_guard import canonical_json
from medfence_guard.bundle import Bundle, Name, Product, brand_keys, name_key
from medfence_guard.contract import Verdict, VerificationReport
from medfence_guard.formulary import COLUMNS, strengths_text
from medfence_guard.near import distance
from medfence_guard.reader.lexer import WORD, lex
from medfence_guard.reader.text import fold

# ---- show -----------------------------------------------------------------------------------------------------


def describe(bundle: Bundle, asked: str) -> dict[str, Any]:
    """All that the bundle knows about a name. `found` is False for a name it does not know; then `near` are names that look like it."""
    entry, read_as = look_up(bundle, asked)
    said: dict[str, Any] = {
        "asked": asked,
        "found": entry is not None,
        "edition": bundle.edition,
        "digest": bundle.digest,
        "searched": list(bundle.editions),
    }
    if entry is None:
        key = name_key(asked)
        limit = 1 if len(key) < 6 else 2
        near = sorted((gap, name.display) for k, name in bundle.names.items() if (gap := distance(key, k, limit)) <= limit)
        return {**said, "near": [display for _, display in near[:5]], "too_short": sum(char.isalpha() for char in key) < 3}
    own = {id(row) for row in entry.rows}
    listed = [row for molecules in entry.compositions for row in bundle.products.get(molecules, ()) if id(row) not in own]
    others = {
        name.display
        for name in bundle.names.values()
        if not name.brand and name.key != entry.key and name.compositions and set(name.compositions) <= set(entry.compositions)
    }
    single = entry.compositions[0][0] if len(entry.compositions) == 1 and len(entry.compositions[0]) == 1 else None
    alike = {
        (other, source)
        for key in (entry.key, name_key(entry.display), name_key(asked))
        for other, source in bundle.look_alikes.get(key, ())
    }
    return {
        **said,
        "name": entry.display,
        "read_as": read_as,
        "kind": "brand" if entry.brand else "molecule" if single else "combination",
        "compositions": [list(molecules) for molecules in entry.compositions],
        "ambiguous": entry.ambiguous,
        "incomplete": entry.incomplete,
        "salt": entry.salt,
        "grade": entry.grade,
        "citation": entry.citation,
        "other_names": sorted(others, key=name_key),
        "own_products": [_product_json(row) for row in entry.rows],
        "products": [_product_json(row) for row in listed if not row.brand],
        "brands": [_product_json(row) for row in listed if row.brand],
        "combinations": sorted(" + ".join(key) for key in bundle.products if single and single in key and len(key) > 1),
        "look_alikes": [{"name": other, "source": source} for other, source in sorted(alike)],
    }


def look_up(bundle: Bundle, asked: str) -> tuple[Name | None, str]:
    """The entry, and how the name had to be read: as it is, as a brand row written with its strength, or without its numbers."""
    found = bundle.names.get(name_key(asked))
    if found is not None:
        return found, "as written"
    for rows in bundle.products.values():
        for row in rows:
            if row.brand and name_key(row.brand) == name_key(asked):
                for key in sorted(brand_keys(row.brand, row.components)[0]):
                    if key in bundle.names:
                        return bundle.names[key], "as written"
    words = [token.text for token in lex(fold(asked)) if token.kind == WORD]
    while words:
        found = bundle.names.get(name_key(" ".join(words)))
        if found is not None:
            return found, "without its numbers and units"
        if words[-1] not in ("mg", "mcg", "g", "ml", "iu"):
            break
        words.pop()
    return None, ""


def _product_json(row: Product) -> dict[str, Any]:
    return {
        "molecules": list(row.molecules),
        "strengths": strengths_text(row),
        "form": row.form,
        "release": row.release,
        "grade": row.grade,
        "citation": row.citation,
        "brand": row.brand,
        "confidence": row.confidence,
        "composition_on_a_list": row.attested if row.brand else row.grade != "curated",
    }


def description_text(said: Mapping[str, Any]) -> str:
    """`describe` for a person."""
    searched = f"searched {said['edition']} ({', '.join(said['searched'])})"
    if not said["found"]:
        near = f"\nnames that look like it: {', '.join(said['near'])}" if said["near"] else ""
        short = "\nA name of fewer than three letters is never looked up: it could be a word." if said["too_short"] else ""
        return f"{said['asked']}: unknown; {searched}{near}{short}\nUnknown is not wrong: the lists are not complete.\n"
    compositions = [" + ".join(molecules) for molecules in said["compositions"]]
    if said["kind"] == "brand":  # each of its rows says where it is from
        lines = [f"{said['asked']} (brand)"]
    else:
        lines = [f"{said['name']} ({said['kind']}), {said['grade']}: {said['citation']}"]
    if said["read_as"] != "as written":
        lines.append(f"  read {said['read_as']}")
    if said["salt"]:
        lines.append(f"  this name says the salt: {said['salt']}")
    if said["ambiguous"]:
        lines.append(f"  AMBIGUOUS, one name for {len(compositions)} compositions: {'; '.join(compositions)}")
    else:
        lines.append(f"  means {compositions[0]}")
    if said["incomplete"]:
        lines.append("  INCOMPLETE: a number or suffix that tells the products apart is missing")
    if said["other_names"]:
        lines.append(f"  also called: {', '.join(said['other_names'])}")
    for title, rows in (("sold as", said["own_products"]), ("listed products", said["products"]), ("brands", said["brands"])):
        lines += _product_lines(title, rows, show_molecules=len(compositions) > 1)
    if said["combinations"]:
        lines.append(f"in {len(said['combinations'])} combinations:")
        lines += [f"  {combination}" for combination in said["combinations"]]
    if said["look_alikes"]:
        lines.append("looks or sounds like:")
        lines += [f"  {pair['name']}  [{pair['source']}]" for pair in said["look_alikes"]]
    return "\n".join([*lines, searched]) + "\n"


def _product_lines(title: str, rows: Sequence[Mapping[str, Any]], *, show_molecules: bool) -> list[str]:
    lines = [f"{title}:"] if rows else []
    for row in rows:
        form = row["form"].replace("_", " ") + (f", {row['release'].replace('_', ' ')}" if row["release"] else "")
        grade = f"{row['grade']} {row['confidence']}".rstrip()
        molecules = f"{' + '.join(row['molecules'])}  " if show_molecules else ""
        brand = f"{row['brand']}  " if row["brand"] else ""
        unlisted = "; its composition is on no list" if row["brand"] and not row["composition_on_a_list"] else ""
        lines.append(f"  {brand}{molecules}{row['strengths']}  {form}  [{grade}, {row['citation']}{unlisted}]")
    return lines


# ---- diff -----------------------------------------------------------------------------------------------------

Facts = dict[str, str]


def facts_of(raw: Mapping[str, Any]) -> dict[str, Facts]:
    """Kind of fact -> what it is about -> what is said of it. Two bundles differ exactly where these do."""
    names: dict[str, list[str]] = {}
    for molecule, facts in raw["molecules"].items():
        names.setdefault(molecule, []).append(_said(molecule, facts))
        for alias in facts.get("aliases", ()):
            names.setdefault(alias["name"], []).append(_said(molecule, alias))
    products: Facts = {}
    for row in raw["products"]:
        products[_product_text(row)] = _said("", row)
    brands: dict[str, list[str]] = {}
    for row in raw["brands"]:
        confidence = f", confidence {row['confidence']}" if row.get("confidence") else ""
        on_list = "" if row.get("attested_by") else ", its composition on no list"
        brands.setdefault(row["name"], []).append(_said(_product_text(row), row) + confidence + on_list)
    return {
        "names": {name: "; ".join(sorted(said)) for name, said in names.items()},
        "products": products,
        "brands": {name: "; ".join(sorted(rows)) for name, rows in brands.items()},
        "look-alikes": {f"{a} / {b}": source for a, b, source in raw.get("look_alikes", ())},
        "brand collisions": {row["name"]: "; ".join(row["meanings"]) for row in raw.get("brand_collisions", ())},
    }


def _said(what: str, fact: Mapping[str, Any]) -> str:
    salt = f" ({fact['salt']})" if fact.get("salt") else ""
    return f"{what}{salt} [{fact['grade']}: {', '.join(fact['source'])}]".lstrip()


def _product_text(row: Mapping[str, Any]) -> str:
    def one(strength: Mapping[str, Any]) -> str:
        per = f"/{strength['per_value']} {strength['per_unit']}" if strength.get("per_unit") else ""
        return f"{strength['value']} {strength['unit']}{per}"

    release = " ".join(filter(None, (row.get("release"), *(r or "-" for r in row.get("component_releases", ())))))
    pieces = (" + ".join(row["molecules"]), " + ".join(map(one, row["strengths"])), row["form"], release)
    return ", ".join(filter(None, pieces))


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Kind -> `added` and `removed` (what -> said) and `changed` (what -> [old, new])."""
    found: dict[str, dict[str, Any]] = {}
    before, after = facts_of(old), facts_of(new)
    for kind, was in before.items():
        now = after[kind]
        found[kind] = {
            "added": {key: now[key] for key in sorted(now.keys() - was.keys())},
            "removed": {key: was[key] for key in sorted(was.keys() - now.keys())},
            "changed": {key: [was[key], now[key]] for key in sorted(was.keys() & now.keys()) if was[key] != now[key]},
        }
    return found


def difference_text(found: Mapping[str, Mapping[str, Any]]) -> str:
    """`difference` for a person: a line of counts per kind, then `+`, `-` and `~` lines."""
    lines = []
    for kind, changes in found.items():
        lines.append(f"{kind}: {len(changes['added'])} added, {len(changes['removed'])} removed, {len(changes['changed'])} changed")
        lines += [f"  + {key}  {said}" for key, said in changes["added"].items()]
        lines += [f"  - {key}  {said}" for key, said in changes["removed"].items()]
        for key, (was, now) in changes["changed"].items():
            lines += [f"  ~ {key}", f"      was {was}", f"      now {now}"]
    return "\n".join(lines) + "\n"


# ---- gaps -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Gaps:
    """The unknown names that the sources themselves write, by count; `unread`: findings whose name the source does not confirm."""

    names: tuple[tuple[str, int], ...]
    reports: int
    unread: int
    known_by_now: int


def gaps_of(reports: Iterable[VerificationReport], bundle: Bundle) -> Gaps:
    """A name counts once per report and source text; a report that is there twice counts once.

    Only a name that its source confirms is a gap: what the model alone wrote does not belong in a formulary.
    """
    spellings: dict[str, Counter[str]] = {}
    seen: set[str] = set()
    unread = known = 0
    for report in reports:
        identity = canonical_json.sha256(dict(report.input_hashes))
        if identity in seen:
            continue
        seen.add(identity)
        confirmed: dict[str, str] = {}
        doubted: set[str] = set()
        for finding in report.findings:
            if finding.check_id == "grounding.name":
                written = next((e.matched_text for e in finding.evidence if e.kind == "source" and e.matched_text), "")
                confirmed.setdefault(finding.field_path, written)
                if finding.verdict is not Verdict.PASS:
                    doubted.add(finding.field_path)
        here: dict[str, str] = {}
        for finding in report.findings:
            if finding.check_id != "reference.unknown_name":
                continue
            path = finding.field_path
            spelled = "" if path in doubted else " ".join(confirmed.get(path, "").split())
            key = name_key(spelled)
            if not key:
                unread += 1
            elif look_up(bundle, spelled)[0] is not None:
                known += 1
            else:
                here.setdefault(key, spelled)
        for key, spelled in here.items():
            spellings.setdefault(key, Counter())[spelled] += 1
    ranked = sorted((-counts.total(), min(counts, key=lambda s: (-counts[s], s))) for counts in spellings.values())
    return Gaps(tuple((spelled, -count) for count, spelled in ranked), len(seen), unread, known)


def gaps_csv(gaps: Gaps) -> str:
    """The stub for `refdata import`: a row per name, the cells to fill in empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for spelled, count in gaps.names:
        # A spreadsheet would run a cell that begins like a formula.
        name = f"'{spelled}" if spelled[0] in "=+-@" else spelled
        writer.writerow([name, *[""] * (len(COLUMNS) - 2), count])
    return out.getvalue()
