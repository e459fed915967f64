"""The example runs offline and does what its README says."""

from __future__ import annotations

import runpy
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "guardrails" / "main.py"


def test_the_example(tmp_path, capsys):
    outcomes = runpy.run_path(str(EXAMPLE))["main"](tmp_path)
    assert [outcome.code for outcome in outcomes] == ["release.pass", "review.edited", "review.pending", "guardrails.not_passed"]
    assert [outcome.released for outcome in outcomes] == [True, True, False, False]
    assert outcomes[1].payload == outcomes[0].payload
    assert "Extraction: 50 mg. Prescription: 50 mcg." in capsys.readouterr().out
    assert (tmp_path / "audit.jsonl").read_text("utf-8").count('"event":"release"') == 2
