"""Effects around the pure core: review by people, the audit log, and release."""

from medfence_guard.release.audit import AuditLog
from medfence_guard.release.fence import Fence
from medfence_guard.release.outcome import Outcome, OutcomeStatus
from medfence_guard.release.queue import Claim, QueueState, ReviewQueue
from medfence_guard.release.review import Action, ReviewDecision, ReviewRequest

__all__ = [
    "Action",
    "AuditLog",
    "Claim",
    "Fence",
    "Outcome",
    "OutcomeStatus",
    "QueueState",
    "ReviewDecision",
    "ReviewQueue",
    "ReviewRequest",
]
