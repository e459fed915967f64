"""A model's text, your own validators and the fence: what leaves, what is held, and who is asked. Runs offline."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from guardrails.validator_base import Validator, register_validator
from guardrails_ai.types import FailResult, PassResult
from pydantic import BaseModel

from guardrails_medfence import SealedGuard
from medfence_guard import Outcome, ReviewDecision, ReviewRequest

NOTE = """Rx
1. Tab Telma 40 mg OD x 30 days
2. Tab Thyronorm 50 mcg OD x 60 days
"""


class Medication(BaseModel):
    """What the model was asked for."""

    name: str
    strength: str
    frequency: str
    duration: str


class Prescription(BaseModel):
    """The whole of it."""

    medications: list[Medication]


def answer(frequency: str = "OD", **changes: str) -> str:
    """The text of a model; faithful unless changed."""
    telma = {"name": "Telma", "strength": "40 mg", "frequency": frequency, "duration": "30 days"}
    thyronorm = {"name": "Thyronorm", "strength": "50 mcg", "frequency": "OD", "duration": "60 days"}
    return json.dumps({"medications": [telma, thyronorm | changes]})


ANSWERS = {
    "faithful": answer(),
    "50 mg for 50 mcg": answer(strength="50 mg"),
    "an unknown key": answer(colour="pink"),
    "not in the house style": answer(frequency="once daily"),
}


@register_validator(name="example/house_style", data_type="all")
class HouseStyle(Validator):
    """Somebody's own rule: frequencies in Latin."""

    def _validate(self, value: dict[str, Any], metadata: dict[str, Any]) -> object:  # noqa: ARG002 - Guardrails' signature
        spelled = [medication["name"] for medication in value["medications"] if "daily" in medication["frequency"]]
        return FailResult(error_message=f"{len(spelled)} frequencies are spelled out") if spelled else PassResult()


def ask(request: ReviewRequest) -> ReviewDecision | None:
    """Stands for a person at a screen: they correct the strength, and leave the unknown key for later."""
    print(request.summary)
    if request.contested_values:
        return request.edit(json.loads(ANSWERS["faithful"]), reviewer="dr-example", reason="wrong_extraction")
    return None


def main(folder: Path) -> list[Outcome]:
    """Each answer and its outcome. folder: where the audit log is kept."""
    sealed = SealedGuard(HouseStyle(on_fail="noop"), schema=Prescription, review=ask, audit=folder / "audit.jsonl")
    outcomes = []
    for name, raw in ANSWERS.items():
        print(f"--- {name}")
        outcome = sealed.validate(raw, NOTE)
        print(f"{outcome.status.name} ({outcome.code})")
        outcomes.append(outcome)
    return outcomes


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        main(Path(place))
