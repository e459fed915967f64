"""medfence-guard: a deterministic, fail-closed fence between a language model and a clinical action.

Nothing but the names below is public.
"""

from __future__ import annotations

from medfence_guard.contract import (
    Completeness, Coverage, Evidence, Extraction, Finding, ItemVerdict, Severity, SourceDocument, Span, Verdict, VerificationReport, Word,
)  # fmt: skip
from medfence_guard.errors import BundleError, ContractError, InputError
from medfence_guard.rulepack import Rulepack, load_rulepack
from medfence_guard.verify import verify

__version__ = "0.1.0"
