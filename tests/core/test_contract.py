"""The records of a report: none that cannot be true can be made, by whatever way, and none shows text when it is logged."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from medfence_guard import Severity, Verdict
from medfence_guard.contract import Evidence, Finding, Span
from medfence_guard.errors import ContractError

SPAN = Span(2, 5)
PLACE = Evidence(kind="source", source_spans=(SPAN,), matched_text="Zyxopril", rule_id="name.exact")
FOUND = Finding("grounding.name", "$.medications[0].name", Verdict.PASS, Severity.MAJOR, (PLACE,), "source says 'Zyxopril'")


@pytest.mark.parametrize(
    "make",
    [
        lambda: Span(3, 3),
        lambda: Span(-1, 2),
        lambda: SPAN._replace(end=2),
        lambda: Evidence(kind="source"),
        lambda: Evidence(kind="reference", rule_id="P1"),
        lambda: Evidence(kind="guess", rule_id="P1"),
        lambda: PLACE._replace(source_spans=()),
        lambda: FOUND._replace(evidence=()),
        lambda: FOUND._replace(verdict=Verdict.FAIL, severity=Severity.MINOR),
    ],
)
def test_what_cannot_be_true_cannot_be_made(make: Callable[[], object]) -> None:
    with pytest.raises(ContractError):
        make()


def test_a_record_cannot_be_changed() -> None:
    for record, name in ((SPAN, "start"), (PLACE, "kind"), (FOUND, "verdict")):
        with pytest.raises(AttributeError):
            setattr(record, name, None)
        with pytest.raises(AttributeError):
            setattr(record, "note", None)  # noqa: B010 - a new attribute is no member of the type


def test_a_logged_record_shows_neither_matched_text_nor_message() -> None:
    assert "Zyxopril" not in repr(FOUND)
    assert "grounding.name" in repr(FOUND)
    assert "Span(start=2, end=5)" in repr(FOUND)


def test_a_record_survives_pickling() -> None:
    assert pickle.loads(pickle.dumps(FOUND)) == FOUND
