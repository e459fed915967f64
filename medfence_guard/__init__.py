"""medfence-guard: a deterministic, fail-closed fence between a language model and a clinical action.

Nothing but the names below is public. `verify()` is pure; `Fence` and its companions have the effects and are
loaded when first named, so that verifying alone never imports a database or a thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from medfence_guard.contract import (
    Completeness,
    Coverage,
    Evidence,
    Extraction,
    Finding,
    ItemVerdict,
    Severity,
    SourceDocument,
    Span,
    Verdict,
    VerificationReport,
    Word,
)
from medfence_guard.errors import BundleError, ContractError, InputError
from medfence_guard.rulepack import Rulepack, load_rulepack
from medfence_guard.verify import verify

if TYPE_CHECKING:
    from medfence_guard.release import Action, AuditLog, Fence, Outcome, OutcomeStatus, ReviewDecision, ReviewQueue, ReviewRequest

__version__ = "0.1.0"

__all__ = [
    # verifying
    "verify",
    "Extraction",
    "SourceDocument",
    "Word",
    "Rulepack",
    "load_rulepack",
    # what it answers
    "VerificationReport",
    "Finding",
    "Evidence",
    "Span",
    "Verdict",
    "Severity",
    "ItemVerdict",
    "Coverage",
    "Completeness",
    # releasing
    "Fence",
    "Outcome",
    "OutcomeStatus",
    "ReviewRequest",
    "ReviewDecision",
    "Action",
    "ReviewQueue",
    "AuditLog",
    # errors
    "ContractError",
    "InputError",
    "BundleError",
]

_EFFECTS = frozenset({"Action", "AuditLog", "Fence", "Outcome", "OutcomeStatus", "ReviewDecision", "ReviewQueue", "ReviewRequest"})


def __getattr__(name: str) -> object:
    if name in _EFFECTS:
        from medfence_guard import release

        return getattr(release, name)
    raise AttributeError(f"module 'medfence_guard' has no attribute {name!r}")
