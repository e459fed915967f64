"""The work a line of thousands of words takes grows as the line does, whatever the word is and however often it is repeated.

Counted, not timed: the lines of our code that are run. Three times the words may take 3**1.15 times the work, which is what the
benchmark allows between its two largest sizes.
"""

from __future__ import annotations

import sys
from types import FrameType

import pytest

from medfence_guard import Extraction, Rulepack, SourceDocument, verify
from medfence_guard.verify import __file__ as verify_file

PACKAGE = verify_file.removesuffix("verify.py")
FEW, MANY = 160, 480
AT_MOST = (MANY / FEW) ** 1.15
ORDER = "1. Tab Paracetamol 500 mg BD x 5 days"
PAYLOAD = {"medications": [{"name": "Paracetamol", "strength": "500 mg", "frequency": "BD", "duration": "5 days"}]}
REPEATED = (
    *("(", "[", ",", ".", "->", "*", "|", '"', "-", "#"),
    *("1.", "2)", "1-0-1", "5 to", "5 mg/", "500 mg", "12/03/2026", "x 5 days", "BD", "morning"),
    *("Tab", "of", "if", "then", "start", "stop", "review", "check BP", "adv", "fever,", "for fever", "right ear", "BP 120/80,", "rest;"),
    *("Allergy:", "Stop:", "C/o", "Imp:", "Rx:", "Current medications:", "Advice:", "diet history:"),
    *("held", "discontinued,", "do not start till", "no change in current medications", "will continue"),
    *("xyzolin", "Paracetamol", "Paracetamol,", "Paracetamol +", "Paracetamol BD", "(Paracetamol", "2. Tab Metformin", "Tab.Brufen400mg"),
    *("per abdomen.", "allergic to sulfa.", "at temp 100,", "Paracetamol BD. Allergic to NSAIDs."),
)


def lines_run(source: str) -> int:
    """How many lines of our code `verify()` runs on this source."""
    count = 0

    def on_line(_frame: FrameType, event: str, _argument: object) -> object:
        nonlocal count
        count += event == "line"
        return on_line

    def on_call(frame: FrameType, _event: str, _argument: object) -> object:
        return on_line if frame.f_code.co_filename.startswith(PACKAGE) else None

    rulepack = Rulepack.default()
    before = sys.gettrace()
    sys.settrace(on_call)  # type: ignore[arg-type]
    try:
        verify(Extraction("prescription", PAYLOAD), SourceDocument(source), rulepack)
    finally:
        sys.settrace(before)
    return count


LINES = (
    *("Rx:", "Diagnosis:", "no of tablets", "Do not miss Paracetamol"),
    *("Allergic to penicillin", "per abdomen.", "at temp 100.4"),
    *("5 days", "All x 5 days", "Morning:", "held", "prior medications", "Continue current medications", "Adv: rest", "12/03/2026"),
)


@pytest.mark.parametrize("word", REPEATED)
def test_work_grows_with_the_line(word: str) -> None:
    """Behind an order, and on a line of its own below it."""

    def source(times: int) -> str:
        return f"Rx\n{ORDER} {f'{word} ' * times}\n{f'{word} ' * times}\n"

    lines_run(source(1))  # what is kept with the rulepack is kept
    assert lines_run(source(MANY)) <= AT_MOST * lines_run(source(FEW))


@pytest.mark.parametrize("line", LINES)
def test_work_grows_with_the_lines(line: str) -> None:
    """The same line again and again above the orders, below an order, and between orders."""

    def source(times: int) -> str:
        between = f"Tab Metformin 500 mg BD\n{line}\n"
        return f"{line}\n" * (times // 4) + f"Rx\n{ORDER}\n" + f"{line}\n" * (times // 4) + between * (times // 4)

    lines_run(source(4))
    assert lines_run(source(MANY)) <= AT_MOST * lines_run(source(FEW))
