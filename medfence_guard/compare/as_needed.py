"""As needed: neither dropped nor invented."""

from __future__ import annotations

from medfence_guard.compare.judgement import FAIL, PASS, Judgement, Setting, absent, added
from medfence_guard.reader.roles.record import Roles


def compare_prn(setting: Setting, source: Roles, claimed: bool) -> list[Judgement]:
    """The as-needed part of a frequency; it may stand in another field of the item."""
    where = tuple(r.chunk for r in source.prn)
    if source.prn and not claimed and "prn" not in setting.carried["fields"]:
        return [Judgement(FAIL, "timing.prn_dropped", "source says as needed; the claim makes it regular", where)]
    if claimed and not source.prn:
        return [added(setting, "timing.prn_invented", "the statement does not say as needed")]
    return [Judgement(PASS, "timing.prn", "source says as needed", where)] if claimed else []


def compare_prn_flag(setting: Setting, claimed: bool) -> list[Judgement]:
    """`as_needed`: true needs a PRN word; false needs a statement read to its end without one (P20)."""
    source = setting.statement.roles
    where = tuple(r.chunk for r in source.prn)
    if claimed:
        return (
            [Judgement(PASS, "timing.prn", "source says as needed", where)]
            if source.prn
            else [added(setting, "timing.prn_invented", "the statement does not say as needed")]
        )
    if source.prn:
        return [Judgement(FAIL, "timing.prn_dropped", "source says as needed", where)]
    return absent(setting, "as needed")
