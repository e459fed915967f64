"""What no statement took is harmless where its place on the page allows it, and nowhere else."""

from __future__ import annotations

import pytest

from medfence_guard import Extraction, Rulepack, SourceDocument, Verdict, verify

RULEPACK = Rulepack.default()
ORDERS = "1. Tab Amlodipine 5 mg OD x 30 days\n2. Tab Metformin 500 mg BD x 30 days"
PAYLOAD = {
    "medications": [
        {"name": "Amlodipine", "strength": "5 mg", "frequency": "OD", "duration": "30 days"},
        {"name": "Metformin", "strength": "500 mg", "frequency": "BD", "duration": "30 days"},
    ]
}
PLACES = {
    "above": "{}\nRx\n" + ORDERS,
    "among": "Rx\n" + ORDERS.replace("\n", "\n{}\n"),
    "below": "Rx\n" + ORDERS + "\n{}",
    "signed": "Rx\n" + ORDERS + "\nDr A Rao MD\n{}",
}


def held(place: str, clause: str) -> bool:
    source = SourceDocument(PLACES[place].format(clause))
    return verify(Extraction("prescription", PAYLOAD), source, RULEPACK).overall is not Verdict.PASS


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("clause", ["BP 130/80, pulse 78/min", "Low salt diet", "Review after 1 month", "NKDA"])
def test_a_clause_of_its_own_subject_is_harmless_everywhere(place: str, clause: str) -> None:
    assert not held(place, clause)


@pytest.mark.parametrize(
    "clause", ["For wife", "Do not dispense", "For 3 days only", "Alternate days", "Either", "Cancelled", "BP 90, half dose", "Homework"]
)
@pytest.mark.parametrize("place", PLACES)
def test_a_clause_that_decides_is_held_everywhere(place: str, clause: str) -> None:
    assert held(place, clause)


@pytest.mark.parametrize("clause", ["Sunrise Zorbi Nethralaya", "POAG BE", "Imp: zorbitis, mild", "Ramji Bhavan"])
def test_names_and_diagnoses_are_open_above_and_closed_below(clause: str) -> None:
    assert not held("above", clause)
    if not clause.startswith("Imp"):
        assert held("among", clause)
        assert held("below", clause)


@pytest.mark.parametrize(
    "clause",
    [
        "BP < 100 omit",
        "Temp > 100 only",
        "Age 75 - half dose",
        "Dr says wait",
        "Doctor to confirm",
        "Review after 1 month, half till then",
        "Inv: LFT before starting",
        "Skin test first",
        "Patient prefers ayurvedic",
        "Leave every 3 rd day",
        "Low salt diet stop",
    ],
)
def test_one_known_word_excuses_no_other(clause: str) -> None:
    assert held("below", clause)


@pytest.mark.parametrize("bracket", ["Stopped", "for 3 days only", "If fever", "Hold"])
def test_what_stands_behind_the_rx_sign_is_read(bracket: str) -> None:
    report = verify(Extraction("prescription", PAYLOAD), SourceDocument(f"Rx ({bracket})\n{ORDERS}"), RULEPACK)
    assert report.overall is not Verdict.PASS


@pytest.mark.parametrize("line", ["PTO", "Page 1 of 2", "Page 1 of 100", "Continued on next page", "Total: 3 medicines"])
def test_a_page_that_says_it_is_not_all_is_held(line: str) -> None:
    assert held("below", line)


def test_all_pages_of_a_text_are_all_of_it() -> None:
    source = SourceDocument("Page 1 of 2\nRx\n" + ORDERS.replace("\n", "\nPage 2 of 2\n"))
    assert verify(Extraction("prescription", PAYLOAD), source, RULEPACK).overall is Verdict.PASS
