"""The exception by which a held payload stops a Guardrails call."""

from __future__ import annotations

from typing import Any

from guardrails_medfence.host import ValidationError
from medfence_guard import Outcome, ReviewRequest

MAX_TOLD = 10
"""So many held fields are named in the message; the others are counted."""


class VerificationBlocked(ValidationError):  # type: ignore[misc] # noqa: N818 - Guardrails is untyped; it is an outcome, nobody's error
    """Raised inside Guardrails unless the fence released the value. Guardrails passes it on unchanged, whatever `on_fail` says.

    It is a Guardrails `ValidationError`, so code that catches those catches it. Its text is verdict, rule ids and masked paths.
    `outcome`: what the fence said; it contains no payload. `request`: what a person is to be asked, or None when nobody can be (the
    verification itself failed). Take their decision to `validator.fence.settle(blocked.request.request_id, decision)`.
    """

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(told(outcome))
        self.outcome = outcome

    @property
    def request(self) -> ReviewRequest | None:
        """The review request of the outcome."""
        return self.outcome.request

    def __reduce__(self) -> tuple[type[VerificationBlocked], tuple[Outcome]]:
        return type(self), (self.outcome,)


def told(outcome: Outcome) -> str:
    """An outcome in one line that may be logged: no text of source or payload."""
    record: Any = outcome.to_dict()
    places = list(dict.fromkeys(f"{each['check_id']} at {each['path']}" for each in record["held"]))
    named = ", ".join(places[:MAX_TOLD])
    more = f", and {len(places) - MAX_TOLD} more" if len(places) > MAX_TOLD else ""
    verdict = (record["verdict"] or "not verified").upper()
    return f"medfence: {verdict}, {outcome.status.value} ({outcome.code})" + (f": {named}{more}" if named else "")
