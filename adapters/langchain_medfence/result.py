"""The one exception of this adapter, and how a `problem` of reading gets into the core's Outcome."""

from __future__ import annotations

from dataclasses import replace

from medfence_guard import Outcome


class MedfenceBlocked(RuntimeError):  # noqa: N818 - it is an outcome, not an error of anybody's
    """Raised instead of returning a HELD or REJECTED outcome, where `on_block="raise"` asks for that. Carries no health data in its text.

    A RuntimeError because LangGraph retries unknown exceptions, and a retry would ask the model again until it passes.
    `outcome`: the same Outcome that would have been returned.
    """

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(f"{outcome.status.value} ({outcome.code}): {outcome.why}")
        self.outcome = outcome

    def __reduce__(self) -> tuple[type[MedfenceBlocked], tuple[Outcome]]:
        return type(self), (self.outcome,)


def with_problem(outcome: Outcome, problem: str | None) -> Outcome:
    """The outcome, saying also why the model's answer or the source could not be used."""
    if problem is None or outcome.released:
        return outcome
    return replace(outcome, why=f"{outcome.why} Reason: {problem}.")
