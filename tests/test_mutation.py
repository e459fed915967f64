"""The record of the mutants: what was judged equivalent is still there to be judged, and the figures follow from the counts."""

from __future__ import annotations

import json

import pytest

from benchmarks import evidence, mutation

FILES = {module: path for target in mutation.TARGETS for module, path in target.files.items()}


def test_an_equivalent_mutant_has_a_reason_and_its_line_is_still_in_the_module():
    entries = json.loads(mutation.EQUIVALENT.read_text("utf-8"))
    assert len({(one["module"], one["before"], one["after"]) for one in entries}) == len(entries)
    for one in entries:
        assert len(one["reason"].split()) >= 5, one
        assert one["before"] != one["after"]
        text = FILES[one["module"]].read_text("utf-8")
        assert " ".join(one["before"].split()) in " ".join(text.split()), f"gone, so take it out: {one}"


def test_every_test_a_target_names_exists():
    for target in mutation.TARGETS:
        assert target.files
        assert all(path.is_file() for path in target.files.values())
        assert target.tests
        assert all((mutation.ROOT / file).is_file() for file in target.tests)


def test_the_figures_follow_from_the_counts():
    result = json.loads((evidence.RESULTS / "mutation.json").read_text("utf-8"))
    assert [row["module"] for row in result["modules"]] == [target.module for target in mutation.TARGETS]
    for row in result["modules"]:
        assert row["killed"] == row["by_rows"] + row["by_record"] + row["by_tests"] + row["timeout"]
        assert row["survived"] == len(row["survivors"])
        assert row["equivalent"] == len(row["judged_equivalent"])
        assert row["sampled"] == row["killed"] + row["survived"] + row["equivalent"]
    assert result["total"] == mutation.total_of(result["modules"])


@pytest.mark.parametrize(("seen", "of", "low", "high"), [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (50, 100, 0.4038, 0.5962)])
def test_the_interval_is_wilsons(seen, of, low, high):
    assert mutation.wilson(seen, of) == pytest.approx((low, high), abs=1e-3)


def test_a_larger_module_weighs_more():
    small, large = ({"sites": sites, "killed": killed, "survived": 10 - killed} for sites, killed in ((10, 0), (90, 10)))
    assert mutation.total_of([small, large])["weighted"] == 90.0
    assert mutation.total_of([small, large])["score"] == 50.0
