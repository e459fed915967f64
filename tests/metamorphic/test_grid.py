"""The grid on a fixed part of its documents: no corruption passes, each is held where it is, and what means the same still passes.

`python -m benchmarks.grid` runs it whole. The part taken here holds every operator, every layout and every document.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from medfence_guard import Rulepack
from medfence_guard.bundle import name_key
from tests.metamorphic.documents import CLINICS, LAYOUTS, documents, source_of
from tests.metamorphic.grid import Row, cases, run_clean, run_faults, run_variants
from tests.metamorphic.operators import FABRICATED, FAULTS, LOOK_ALIKE, OTHER_BRAND, SUFFIXED, VARIANTS

SHARE = 14


@pytest.fixture(scope="module")
def rulepack() -> Rulepack:
    return Rulepack.default()


def told(rows: list[Row]) -> str:
    missed = [(row.operator, one) for row in rows for one in row.missed]
    return f"{len(missed)} missed\n" + "\n".join(json.dumps([operator, one], ensure_ascii=False) for operator, one in missed[:20])


def test_the_part_taken_holds_every_layout_document_operator() -> None:
    taken = list(cases(SHARE))
    assert {case.layout for case in taken} == set(LAYOUTS)
    assert {case.document.kind for case in taken} == {"prescription", "clinical_note"}
    assert len({case.document.id for case in taken}) == len(taken), "a document twice, where another is not met at all"
    for operator in (*FAULTS, *VARIANTS):
        assert any(True for case in taken for _ in operator(case)), f"{operator.__name__} finds nothing to do"


def test_the_documents_are_many_and_differ() -> None:
    assert len(documents()) >= 80
    texts = {source_of(document, layout) for document in documents() for layout in LAYOUTS}
    assert len(texts) == len(documents()) * len(LAYOUTS)
    assert {order.form for document in documents() for order in document.orders} >= {"tablet", "capsule", "syrup", "injection", "inhaler"}


def test_the_clean_documents_pass(rulepack: Rulepack) -> None:
    """In one layout each, another for each: a document that does not pass makes every fault in it look caught."""
    row = run_clean(rulepack, len(LAYOUTS))
    assert row.n >= len(documents()) - len(LAYOUTS)
    assert row.missed == [], told([row])


def test_no_fault_passes_and_each_is_held_where_it_is(rulepack: Rulepack) -> None:
    rows = run_faults(rulepack, SHARE)
    assert sum(row.n for row in rows) > 1_500
    assert [row.operator for row in rows if row.n < 2] == []
    assert sum(row.count["PASS"] for row in rows) == 0, told(rows)
    assert sum(row.localised for row in rows) == sum(row.n for row in rows), told(rows)


def test_the_same_said_otherwise_passes(rulepack: Rulepack) -> None:
    rows = run_variants(rulepack, SHARE)
    tried = sum(row.n for row in rows)
    assert tried > 400
    assert sum(row.count["FAIL"] for row in rows) == 0, told(rows)
    assert sum(row.count["PASS"] for row in rows) >= 0.99 * tried, told(rows)


def test_the_names_are_real(rulepack: Rulepack) -> None:
    """Operators swap a name for one that the bundle knows, so that only the source can tell. `risedronate` and `prednisone` it lacks."""
    ours = {names.split("/")[0].strip() for rows in CLINICS.values() for row in rows for names in [row.split("|")[1]]}
    others = {*LOOK_ALIKE.values(), *OTHER_BRAND.values(), *(str(item["name"]) for item in FABRICATED)}
    others |= {name for names in SUFFIXED.values() for name in names}
    unknown = sorted(name for name in ours | others if name_key(name) not in rulepack.bundle.names)
    assert len(unknown) <= 12, unknown
    assert not ours & set(unknown)


def test_a_grid_that_misses_says_so(rulepack: Rulepack, monkeypatch: pytest.MonkeyPatch) -> None:
    """Were a fault no fault, or held elsewhere, the rows would show it."""
    from tests.metamorphic import grid
    from tests.metamorphic.operators import Clean, Fault

    def no_fault(case: Clean) -> Any:
        yield Fault("nothing changed", case.payload, ("$.medications[0]",))

    def elsewhere(case: Clean) -> Any:
        yield Fault("dropped", {"medications": case.items[1:]}, ("$.nowhere",))

    monkeypatch.setattr(grid, "FAULTS", (no_fault, elsewhere))
    nothing, astray = grid.run_faults(rulepack, 84)
    assert nothing.count["PASS"] == nothing.n == len(nothing.missed) > 0
    assert astray.localised == 0
    assert len(astray.missed) == astray.n > 0
