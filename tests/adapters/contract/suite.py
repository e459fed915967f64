"""What every adapter must do, whatever its framework: a class of tests that an adapter's own tests inherit.

    class TestMyAdapter(AdapterContract):
        def judged(self, answer, note, *, review=None, audit=None): ...

The class below is not collected by itself, since its name does not begin with `Test`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from medfence_guard import ReviewRequest

Review = Callable[[ReviewRequest], Any]


@dataclass(frozen=True)
class Judged:
    """What the framework's user gets. payload: what they could use, None when nothing was let through.

    shown: everything a log, an error message or a `repr` of the result would show.
    """

    released: bool
    payload: Any
    shown: str


NOTES = {"Telma": "Tab Telma 40 mg OD x 30 days", "Eltroxin": "Tab Eltroxin 50 mcg OD x 60 days"}


def answer(name: str, *, strength: Any = None, **fields: Any) -> str:
    """A model's answer for one of the notes; faithful unless the arguments say otherwise."""
    told = {"Telma": ({"value": 40, "unit": "mg"}, "30 days"), "Eltroxin": ({"value": 50, "unit": "mcg"}, "60 days")}[name]
    medication = {"duration": told[1], "name": name, "strength": told[0] if strength is None else strength, "frequency": "OD"}
    return json.dumps({"medications": [medication | fields]})


FAITHFUL, WRONG = answer("Telma"), answer("Telma", strength={"value": 80, "unit": "mg"})
UNDECIDABLE = answer("Telma", colour="white")
HELD = {"fail": WRONG, "abstain": UNDECIDABLE, "malformed": FAITHFUL[:-3], "empty": "", "prose": "I cannot read this.", "null": "null"}

_patient: ContextVar[str] = ContextVar("patient", default="nobody")


def _raises(request: ReviewRequest) -> None:
    raise LookupError("Telma 80 mg, white")


class AdapterContract:
    """Inherit, and say how the adapter is used."""

    def judged(self, answer: str, note: str, *, review: Review | None = None, audit: Path | None = None) -> Judged:
        """The answer of a model, given to the framework together with the note, and what came of it. Called from several threads."""
        raise NotImplementedError

    def failed(self, note: str, *, review: Review | None = None) -> Judged:
        """The same with a model that raises `ConnectionError("Telma 80 mg, white")`. None if the framework runs no model."""
        raise NotImplementedError

    def test_a_pass_is_released_as_the_model_wrote_it(self):
        """Key order, numbers and notation included: what was verified is what leaves."""
        for written in (FAITHFUL, answer("Telma", strength="40 mg"), answer("Eltroxin")):
            judged = self.judged(written, NOTES[json.loads(written)["medications"][0]["name"]])
            assert judged.released
            assert json.dumps(judged.payload) == written

    @pytest.mark.parametrize("case", HELD)
    @pytest.mark.parametrize("review", [None, lambda request: None, lambda request: True, lambda request: "release", _raises])
    def test_held_stays_held_and_shows_nothing(self, case, review):
        judged = self.judged(HELD[case], NOTES["Telma"], review=review)
        assert (judged.released, judged.payload) == (False, None)
        assert not any(value in judged.shown for value in ("80 mg", "'value'", "white", "Telma"))

    @pytest.mark.parametrize("case", HELD)
    def test_a_person_is_asked_once_in_the_callers_context(self, case):
        asked: list[tuple[str, str]] = []
        _patient.set("p1")
        self.judged(HELD[case], NOTES["Telma"], review=lambda request: asked.append((_patient.get(), request.verdict.value)))
        assert asked == [("p1", "fail" if case == "fail" else "abstain")]

    def test_nobody_is_asked_about_a_pass(self):
        asked: list[ReviewRequest] = []
        assert self.judged(FAITHFUL, NOTES["Telma"], review=asked.append).released
        assert asked == []

    def test_a_persons_decision_releases_what_they_saw(self, tmp_path):
        judged = self.judged(
            UNDECIDABLE,
            NOTES["Telma"],
            review=lambda request: request.confirm(reviewer="dr-a", reason="read_in_source"),
            audit=tmp_path / "log",
        )
        assert judged.released
        assert json.dumps(judged.payload) == UNDECIDABLE

    def test_a_persons_decision_without_a_record_releases_nothing(self):
        judged = self.judged(UNDECIDABLE, NOTES["Telma"], review=lambda request: request.confirm(reviewer="dr-a", reason="read_in_source"))
        assert not judged.released

    def test_a_model_that_fails_is_held_and_its_words_stay_inside(self):
        asked: list[ReviewRequest] = []
        judged = self.failed(NOTES["Telma"], review=asked.append)
        if judged is None:
            return
        assert (judged.released, judged.payload, len(asked)) == (False, None, 1)
        assert not any(value in judged.shown for value in ("80 mg", "white"))

    def test_the_source_of_another_patient_releases_nothing(self):
        assert not self.judged(FAITHFUL, NOTES["Eltroxin"]).released
        assert not self.judged(FAITHFUL, "").released

    def test_two_patients_at_a_time_are_never_mixed(self):
        """Each thread has its own patient, half of the answers are the other patient's, and each review knows whose it is."""
        both = threading.Barrier(2)
        names = list(NOTES)

        def one(index: int) -> bool:
            mine, wrote = names[index % 2], names[(index // 2) % 2]
            _patient.set(mine)
            both.wait(timeout=30)
            seen: list[tuple[str, bool]] = []
            judged = self.judged(
                answer(wrote), NOTES[mine], review=lambda request: seen.append((_patient.get(), NOTES[mine] in request.to_html()))
            )
            right = judged.released is (mine == wrote) and seen == ([] if mine == wrote else [(mine, True)])
            return right and (not judged.released or judged.payload["medications"][0]["name"] == mine)

        with ThreadPoolExecutor(2) as pool:
            assert all(list(pool.map(lambda index: copy_context().run(one, index), range(24))))
