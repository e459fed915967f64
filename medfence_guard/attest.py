"""What the bundle says of a product: is this strength attested, unattested or impossible; which unit or form does it imply?

Open world (P1): a strength nobody lists is *unattested*. Only the impossible is wrong: another dimension than every
attested one, or more than ten times the largest or less than a tenth of the smallest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from medfence_guard.bundle import Bundle, Name, Product
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.lexicon import Lexicon

MEMO_LIMIT = 8192
ATTESTED, UNATTESTED, IMPOSSIBLE, UNKNOWN = "attested", "unattested", "impossible", "unknown"
_PER_ACTUATION = frozenset({"{actuation}", "{puff}", "{spray}", "{dose}"})
# A form as papers write it -> a form of another family that is written so too: the gel for mouth ulcers, the powder for the skin.
_ALSO_CALLED = {"gel": "mouth_gel", "powder": "dusting_powder"}


class Attestation(NamedTuple):
    """`rows`: the strongest of what attests it, or of what it was compared with. `curated`: only curated facts attest it."""

    status: str
    rows: tuple[Product, ...]
    curated: bool
    refutable: bool
    reason: str = ""


_GRADES = {"regulator": 0, "tender": 1, "terminology": 2, "curated": 3}


def strongest(rows: Iterable[Product], limit: int = 2) -> tuple[Product, ...]:
    """The rows to cite, strongest grade first, one for each document."""
    cited: dict[str, Product] = {}
    for row in sorted(rows, key=lambda r: (_GRADES.get(r.grade, 9), r.citation)):
        cited.setdefault(row.citation, row)
        if len(cited) == limit:
            break
    return tuple(cited.values())


def rows_of(bundle: Bundle, entry: Name | None) -> tuple[tuple[Product, ...], bool]:
    """All products a name may mean, and whether a document connects the name to them (a brand that is curated has none)."""
    if entry is None:
        return (), False
    known = bundle.rows_memo.get(entry.key)
    if known is None:
        own = {id(r) for r in entry.rows}
        known = (*entry.rows, *(r for composition in entry.compositions for r in bundle.products.get(composition, ()) if id(r) not in own))
        bundle.rows_memo[entry.key] = known
    return known, not entry.brand or entry.grade != "curated"


def _families(lexicon: Lexicon, rows: Iterable[Product], family: str | None) -> tuple[Product, ...]:
    if family is None:
        return tuple(rows)
    return tuple(
        r for r in rows if lexicon.bundle_form_family.get(r.form) == family or (family == "injection" and r.form.startswith("injection"))
    )


def _unit_of(lexicon: Lexicon, unit: str) -> tuple[str, Fraction] | None:
    found = lexicon.unit_by_ucum.get(unit)
    return (found.dimension, found.scale) if found is not None else None


def _equal(lexicon: Lexicon, value: Fraction, unit: str | None, other: Fraction, other_unit: str) -> bool:
    if unit is None:
        return value == other
    one, two = _unit_of(lexicon, unit), _unit_of(lexicon, other_unit)
    if one is None or two is None:
        return False
    if {one[0], two[0]} == {"iu", "unit"}:
        return value == other
    return one[0] == two[0] and value * one[1] == other * two[1]


def _matches(lexicon: Lexicon, quantity: Quantity, row: Product) -> bool:
    parts = list(zip(quantity.parts, quantity.units, strict=True))
    components = list(row.components)
    if len(parts) == len(components):
        left = list(components)
        for value, unit in parts:
            hit = next((c for c in left if _component_matches(lexicon, value, unit, c, quantity.per)), None)
            if hit is None:
                break
            left.remove(hit)
        else:
            return True
    if len(parts) == 1 and len(components) > 1:
        value, unit = parts[0]
        scale = _unit_of(lexicon, unit)[1] if unit is not None and _unit_of(lexicon, unit) is not None else Fraction(1)  # type: ignore[index]
        if value * scale in row.labels or value in row.labels:
            return True
        first = components[0]
        return bool(row.brand) and any(_component_matches(lexicon, value, unit, c, quantity.per) for c in components) and first is not None
    return False


def pairs_up(lexicon: Lexicon, row: Product, pairs: Sequence[tuple[str, Quantity]]) -> bool:
    """Whether a product has each of these substances with the amount named beside it."""
    known = dict(zip(row.molecules, row.components, strict=True))
    return all(m in known and _component_matches(lexicon, q.parts[0], q.units[0], known[m], q.per) for m, q in pairs)


def _component_matches(
    lexicon: Lexicon, value: Fraction, unit: str | None, component: object, per: tuple[tuple[Fraction, str], ...]
) -> bool:
    c_value, c_unit, c_per, c_per_unit = component.value, component.unit, component.per_value, component.per_unit  # type: ignore[attr-defined]
    if per and c_per is not None and c_per_unit is not None:
        same_unit = per[0][1] == c_per_unit or (per[0][1] in _PER_ACTUATION and c_per_unit in _PER_ACTUATION)
        return same_unit and _equal(lexicon, value / per[0][0], unit, c_value / c_per, c_unit)
    if per:
        return False
    # Where the claim writes no denominator, the label number alone is compared (P1). A puff is called by its micrograms, and `250/50` is
    # no other one where the list prints 0.25 mg and 0.05 mg.
    if unit is None and c_unit == "mg" and c_per_unit in _PER_ACTUATION and value == c_value * 1000:
        return True
    return _equal(lexicon, value, unit, c_value, c_unit)


def _release_ok(lexicon: Lexicon, row: Product, releases: Sequence[str]) -> bool:
    if not releases:
        return True
    wanted = {lexicon.release_family.get(r, r) for r in releases}
    has = {row.release} | ({"prolonged"} if "prolonged" in row.form else set()) | ({"gastro_resistant"} if "gastro" in row.form else set())
    has |= {"dispersible"} if "dispersible" in row.form and "oro" not in row.form else set()
    has |= {"orodispersible"} if "orodispersible" in row.form else set()
    if "modified" in wanted or "modified" in has:
        wanted |= {"prolonged"} if "modified" in wanted else set()
        has |= {"prolonged"} if "modified" in has else set()
    return bool(wanted & has) or bool(row.brand)


def attest(
    bundle: Bundle, lexicon: Lexicon, entry: Name | None, quantity: Quantity, family: str | None, releases: Sequence[str]
) -> Attestation:
    """Is this the strength of a product of that name, form family and release? Answers are kept, up to a fixed number."""
    if entry is None:
        return Attestation(UNKNOWN, (), False, False)
    key = (entry.key, quantity, family, tuple(releases))
    known = bundle.attest_memo.get(key)
    if known is None:
        found = _attest(bundle, lexicon, entry, quantity, family, releases)
        known = found._replace(rows=strongest(found.rows))
        if len(bundle.attest_memo) < MEMO_LIMIT:
            bundle.attest_memo[key] = known
    assert isinstance(known, Attestation)
    return known


def known_in_form(bundle: Bundle, lexicon: Lexicon, entry: Name, form: str) -> tuple[bool, tuple[Product, ...]]:
    """Does the bundle know a product of that name in the family of that form? With the rows to cite. Kept like the answers of `attest`."""
    key = (entry.key, form)
    known = bundle.attest_memo.get(key)
    if known is None:
        rows = [*entry.rows, *(p for c in entry.compositions for p in bundle.products.get(c, ()))]
        family = lexicon.form_family[form]
        matching = [r for r in rows if lexicon.bundle_form_family.get(r.form) == family or r.form == _ALSO_CALLED.get(form)]
        known = bool(matching), strongest(matching or rows)
        if len(bundle.attest_memo) < MEMO_LIMIT:
            bundle.attest_memo[key] = known
    assert isinstance(known, tuple)
    return known


def _attest(bundle: Bundle, lexicon: Lexicon, entry: Name, quantity: Quantity, family: str | None, releases: Sequence[str]) -> Attestation:
    """Is this the strength of a product of that name, form family and release?"""
    rows, refutable = rows_of(bundle, entry)
    if not rows:
        return Attestation(UNKNOWN, (), False, False)
    fitting = [r for r in _families(lexicon, rows, family) if _release_ok(lexicon, r, releases)]
    found = tuple(r for r in fitting if _matches(lexicon, quantity, r))
    if found:
        return Attestation(ATTESTED, found, all(r.grade == "curated" for r in found), refutable)
    # Of an injection a milligram figure is a dose, which may be several ampoules or part of one.
    impossible = (
        ""
        if family == "injection"
        else _impossible(lexicon, quantity, _families(lexicon, rows, family), _in_mass_and_units(lexicon, entry))
    )
    if impossible:
        attested = any(r.grade != "curated" for r in rows)
        return Attestation(IMPOSSIBLE, rows, not attested, refutable and attested, impossible)
    return Attestation(UNATTESTED, rows, False, refutable)


def _impossible(lexicon: Lexicon, quantity: Quantity, rows: Sequence[Product], both: bool) -> str:
    """Why no product of this name could have that strength; empty if one could."""
    if len(quantity.parts) != 1 or quantity.units[0] is None:
        return ""
    mine = _unit_of(lexicon, quantity.units[0])
    if mine is None:
        return ""
    dimension = "iu" if mine[0] == "unit" else mine[0]
    known = [(u, c.value * u[1], c, r) for r in rows for c in r.components if (u := _unit_of(lexicon, c.unit)) is not None]
    if not known:
        return ""
    same = [(value, c, r) for u, value, c, r in known if ("iu" if u[0] == "unit" else u[0]) == dimension]
    if not same and {dimension, *("iu" if u[0] == "unit" else u[0] for u, _, _, _ in known)} <= {"mass", "iu"} and both:
        return ""
    if not same:
        return "the bundle knows it only in another dimension" if dimension in ("mass", "iu", "volume", "percent") else ""
    # A puff's strength is as good as never written as one: `Salbutamol 90 mcg 2 puffs`.
    alike = {
        value / (c.per_value if quantity.per and c.per_value else 1): r
        for value, c, r in sorted(same, key=lambda of: of[2].grade != "curated")
        if bool(c.per_value) == bool(quantity.per) or (not quantity.per and c.per_unit in _PER_ACTUATION)
    }
    if not alike:
        # A liquid's strength beside tablets: nothing there to be out of range of.
        return ""
    # One listed strength is no range, the lists hold few of what is sold: then only the next order of magnitude refutes. Curated
    # ones make the range wider and never narrower (P25).
    factor = 10 if sum(r.grade != "curated" for r in alike.values()) > 1 else 100
    value = quantity.parts[0] * mine[1] / (quantity.per[0][0] if quantity.per else 1)
    if value > factor * max(alike) or value * factor < min(alike):
        return "more than ten times the largest or less than a tenth of the smallest attested strength"
    return ""


def _in_mass_and_units(lexicon: Lexicon, entry: Name) -> bool:
    """Whether every substance the name may mean is labelled in mg by one maker and in IU by another (vitamins A, D and E)."""
    return all(m in lexicon.mass_and_units for composition in entry.compositions for m in composition)


def implied_units(
    bundle: Bundle, lexicon: Lexicon, entry: Name | None, family: str | None
) -> dict[Fraction, tuple[tuple[str, Product], ...]]:
    """Bare number -> the units under which the bundle attests it for this name (P4). Key -1: the components of combinations."""
    if entry is None:
        return {}
    known = bundle.units_memo.get((entry.key, family))
    if known is not None:
        return known
    rows, _ = rows_of(bundle, entry)
    out: dict[Fraction, dict[tuple[str, str], tuple[str, Product]]] = {}
    for row in _families(lexicon, rows, family):
        units = {c.unit for c in row.components}
        if len(units) != 1:
            continue
        unit = next(iter(units))
        labels = set(row.labels) | ({c.value for c in row.components} if row.brand else set())
        if unit == "g":
            labels |= {v * 1000 for v in labels}
        for label in labels | {Fraction(-1)}:
            chosen = unit
            if unit == "g" and label >= 10:
                chosen = "mg"
            out.setdefault(label, {}).setdefault((chosen, row.citation), (chosen, row))
    gathered = {label: tuple(found.values()) for label, found in out.items()}
    bundle.units_memo[(entry.key, family)] = gathered
    return gathered


def implied_forms(bundle: Bundle, entry: Name | None, quantities: Sequence[Quantity], lexicon: Lexicon) -> tuple[Product, ...]:
    """The rows of a name (and, where one is stated, of that strength) that say which form it has (P7)."""
    rows, _ = rows_of(bundle, entry)
    own = tuple(r for r in rows if r.brand) if entry is not None and entry.brand else rows
    for quantity in quantities:
        matching = tuple(r for r in own if _matches(lexicon, quantity, r))
        if matching:
            return matching
    return own if not quantities else ()
