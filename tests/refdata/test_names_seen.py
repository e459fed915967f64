"""Every medicine name of the recorded prescriptions and cases: the Indian bundle knows it, or the list says why it must not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from medfence_guard import Rulepack
from medfence_guard.refdata_answers import describe

SEEN = [json.loads(line) for line in (Path(__file__).parent / "vectors" / "names_seen.jsonl").read_text("utf-8").splitlines()]


def test_they_are_all_there_once():
    assert len({row["name"] for row in SEEN}) == len(SEEN) > 140


@pytest.mark.parametrize("row", SEEN, ids=lambda row: ascii(row["name"]))
def test_a_name_that_was_seen_is_known_or_says_why_not(row):
    said = describe(Rulepack.default().bundle, row["name"])
    assert said["found"] is ("unknown_because" not in row)
    if said["found"]:
        assert all(molecules for molecules in said["compositions"])


@pytest.mark.parametrize("name", ["Osimertinib", "YAZ", "Lipitor", "Acetaminophen"])
def test_what_only_the_usa_knows_is_known_there_and_in_both_together(name):
    for jurisdiction in ("us", ("in", "us")):
        assert describe(Rulepack.default(jurisdiction).bundle, name)["found"]
