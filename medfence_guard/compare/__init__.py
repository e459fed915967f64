"""The comparison ladder: does what the source says entail what the payload claims?

equal → PASS · equal, but error-prone or exactly converted → PASS with a note · drops PRN, period, day, denominator,
a step or one of several doses → FAIL · adds anything → FAIL, or ABSTAIN where a national convention explains it ·
two attested readings → ABSTAIN, FAIL when none of them entails the claim · a look-alike in an unreadable token →
ABSTAIN · otherwise FAIL. Canonical values are compared, never strings. Every function returns `Judgement`s: all of
them hold, and the worst counts.
"""

from __future__ import annotations

from medfence_guard.compare.as_needed import compare_prn, compare_prn_flag
from medfence_guard.compare.doses import PIECES, compare_dose, form_units
from medfence_guard.compare.durations import compare_duration
from medfence_guard.compare.frequency import compare_frequency
from medfence_guard.compare.judgement import ABSTAIN, FAIL, PASS, Judgement, Setting, absent, added, held
from medfence_guard.compare.quantities import compare_quantity, in_base_unit
from medfence_guard.compare.slots import compare_spelt_out, slot_parts, slots_spelt_out, spelt_out
from medfence_guard.compare.strengths import compare_strength, without_own_unit
from medfence_guard.compare.whens import compare_whens
from medfence_guard.compare.wording import number_text, quantity_text, unit_text

# fmt: off
__all__ = [
    "PASS", "FAIL", "ABSTAIN", "Judgement", "Setting", "added", "absent", "held",
    "compare_quantity", "compare_strength", "compare_dose", "form_units", "in_base_unit", "PIECES",
    "compare_frequency", "compare_prn", "compare_prn_flag", "compare_whens", "compare_duration",
    "compare_spelt_out", "slot_parts", "slots_spelt_out", "spelt_out",
    "number_text", "quantity_text", "unit_text", "without_own_unit",
]
# fmt: on
