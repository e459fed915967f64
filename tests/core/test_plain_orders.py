"""An order in its plainest form is cut without a question at each word; asked or not, every report is the same."""

from __future__ import annotations

from itertools import islice

import pytest

import vector_rows
from medfence_guard.reader.openings import plain_order
from medfence_guard.reader.segment import line
from tests.recorded import rows

ONE_IN = 8


def test_a_report_does_not_hang_on_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = list(islice(rows(), 0, None, ONE_IN))
    taken = []
    monkeypatch.setattr(line, "plain_order", lambda chunks: taken.append(plain_order(chunks)) or taken[-1])
    short = [vector_rows.report_of(row).to_json() for row in sample]
    assert sum(map(bool, taken)) > 50
    monkeypatch.setattr(line, "plain_order", lambda _chunks: 0)
    for row, expected in zip(sample, short, strict=True):
        assert vector_rows.report_of(row).to_json() == expected, row["id"]
