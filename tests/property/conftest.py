"""Hypothesis profiles: small and repeatable by default; `MEDFENCE_HYPOTHESIS=deep` searches for an afternoon."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("small", max_examples=30, derandomize=True, database=None, **COMMON)
settings.register_profile("deep", max_examples=3000, **COMMON)
settings.load_profile(os.environ.get("MEDFENCE_HYPOTHESIS", "small"))
