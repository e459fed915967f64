"""As needed: neither dropped nor invented."""

from __future__ import annotations

from medfence_guard.compare.judgement import FAIL, PASS, Judgement, Setting, absent, added, held
from medfence_guard.reader.roles.record import Roles


def compare_prn(setting: Setting, source: Roles, claimed: bool) -> list[Judgement]:
    """The as-needed part of a frequency; it may stand in another field of the item."""
    where = tuple(r.chunk for r in source.prn)
    if source.prn and not claimed and "prn" not in setting.carried["fields"]:
        return [_prn_dropped(setting, source, "source says as needed; the claim makes it regular")]
    if claimed and not source.prn:
        return [added(setting, "timing.prn_invented", "the statement does not say as needed")]
    return [Judgement(PASS, "timing.prn", "source says as needed", where)] if claimed else []


def _prn_dropped(setting: Setting, source: Roles, says: str) -> Judgement:
    where = tuple(r.chunk for r in source.prn)
    if _of_something_else(setting, source):
        return held("timing.prn_of_another", f"{says}, behind a word that may be another thing's", where)
    return Judgement(FAIL, "timing.prn_dropped", says, where)


def _of_something_else(setting: Setting, source: Roles) -> bool:
    """`OD x 3 days, nebulisation SOS`: behind a comma and one word that is of no order, and the order has its own time before it."""
    unread = {r.chunk for r in (*source.residue, *source.inert)}
    chunks = setting.statement.chunks
    places = {chunk: place for place, chunk in enumerate(chunks)}
    timed = min((r.chunk.start for r in (*source.rates, *source.slots)), default=None)
    for role in source.prn:
        place = places.get(role.chunk, 0)
        apart = place > 1 and chunks[place - 1] in unread and chunks[place - 2].kind == "mark" and chunks[place - 2].value == ","
        if not apart or timed is None or timed > role.chunk.start:
            return False
    return bool(source.prn)


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
        return [_prn_dropped(setting, source, "source says as needed")]
    return absent(setting, "as needed")
