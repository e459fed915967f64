"""Guardrails AI: a validator for clinical records, and a guard around it that nothing unverified leaves.

    from guardrails_medfence import ClinicalFidelity   # in your own Guard; raises unless the fence released the value
    from guardrails_medfence import SealedGuard        # your validators and the fence; returns the core's Outcome

Each name wraps `medfence_guard.Fence` and adds no judgement. Importing this package does not import Guardrails; using a name does.
Importing `ClinicalFidelity` registers it as `medfence/clinical_fidelity`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guardrails_medfence.blocked import VerificationBlocked
    from guardrails_medfence.host import quiet
    from guardrails_medfence.sealed import SealedGuard
    from guardrails_medfence.validator import ClinicalFidelity

__all__ = ["ClinicalFidelity", "SealedGuard", "VerificationBlocked", "quiet"]

_MODULE_OF = {"ClinicalFidelity": "validator", "SealedGuard": "sealed", "VerificationBlocked": "blocked", "quiet": "host"}


def __getattr__(name: str) -> object:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = import_module(f"{__name__}.{_MODULE_OF[name]}")
    except ModuleNotFoundError as error:
        if error.name not in ("guardrails", "guardrails_ai"):
            raise
        raise ImportError(f'{__name__}.{name} needs Guardrails AI: pip install "medfence-guard[guardrails]"') from error
    return getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
