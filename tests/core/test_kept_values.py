"""What a rulepack keeps between calls: readings of vocabulary, and nothing that could be of a person."""

from __future__ import annotations

import pytest

from medfence_guard import Extraction, Rulepack, SourceDocument, verify
from medfence_guard.reader import lexer

FIELDS = ("frequency", "duration", "strength", "route", "form", "dose")
OF_A_PERSON = (
    "BD for Mrs Zorbiwala",
    "Zorbiwala",
    "1-0-1 (Zorbiwala)",
    "tab Zorbiwala",
    "Zorbiwala's",
    "z@clinic.in",
    "45/M",
    "MRN 4455",
    "5551234567",
    "12/03/1980",
    "12-03-1980",
    "1.3.80",
    "till 12/03/26",
)


def kept_of(values: tuple[str, ...]) -> set[str]:
    rulepack = Rulepack.default()
    rulepack.values_memo.clear()
    items = [{"name": "Dolo", **dict.fromkeys(FIELDS, value)} for value in values]
    verify(Extraction("prescription", {"medications": items}), SourceDocument("Tab Dolo 650 mg BD x 5 days"), rulepack)
    return {text for _, text in rulepack.values_memo} - {"Dolo"}


def test_vocabulary_is_kept_so_that_it_is_read_once():
    values = ("OD", "1-0-1", "650 mg", "5 days", "BD after food")
    assert kept_of(values) == set(values)


@pytest.mark.parametrize("value", OF_A_PERSON)
def test_a_value_that_may_be_of_a_person_is_not_kept(value):
    assert kept_of((value,)) == set()


def test_a_number_that_may_be_of_a_person_is_not_kept():
    lexer._short_number.cache_clear()
    assert lexer.plain_number("5551234567")[0] == 5551234567
    assert lexer._short_number.cache_info().currsize == 0
    assert lexer.plain_number("650")[0] == 650
    assert lexer._short_number.cache_info().currsize == 1
