"""What the bundle implies where the source is silent, and how far that is relied on (P25)."""

from __future__ import annotations

from fractions import Fraction

from medfence_guard.attest import implied_units
from medfence_guard.bundle import Product
from medfence_guard.checks.check import Context
from medfence_guard.checks.grounding.stated import family_of
from medfence_guard.compare import ABSTAIN, Judgement
from medfence_guard.contract import Severity
from medfence_guard.reader.statement import Statement


def units_implied(context: Context, statement: Statement) -> dict[Fraction, tuple[tuple[str, Product], ...]]:
    """The units a bare number of the statement may have by the bundle; none are asked for when every strength has one."""
    if all(None not in r.value.units for r in statement.roles.strengths):
        return {}
    return implied_units(context.rulepack.bundle, context.rulepack.lexicon, statement.name.entry, family_of(context, statement))


def weigh_curated(context: Context, judgements: list[Judgement]) -> list[Judgement]:
    """P25: a unit or form implied by curated facts alone needs confidence A."""
    out: list[Judgement] = []
    for j in judgements:
        if (
            j.rule in ("unit.implied_by_bundle", "form.implied_by_product", "route.implied_by_product")
            and j.reference
            and all(r.grade == "curated" for r in j.reference)
        ):
            if any(r.confidence == "A" for r in j.reference):
                out.append(j._replace(rule="reference.curated_only", says=j.says + ", by a curated fact"))
            else:
                out.append(
                    j._replace(
                        verdict=ABSTAIN,
                        note=False,
                        severity=Severity.MAJOR,
                        rule="reference.curated_only",
                        says=j.says + ", by a weak curated fact",
                    )
                )
            continue
        out.append(j)
    return out


def base_form(form: str) -> str:
    """The base of a bundle form: a release word is no other form."""
    for base in ("tablet", "capsule"):
        if form in (
            base,
            f"{base}_prolonged_release",
            f"{base}_gastro_resistant",
            f"{base}_film_coated",
            f"{base}_modified_release",
            f"{base}_soft",
        ):
            return base
    return form
