"""Two frequencies or intervals."""

from __future__ import annotations

from fractions import Fraction

from medfence_guard.compare.judgement import FAIL, PASS, Judgement, Setting, held
from medfence_guard.compare.wording import rate_text
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.lexicon import Rate


def rate_per_day(rate: Rate) -> Fraction | None:
    """How often a day, where a rate says that and one number of it."""
    if rate.unit == "d" and rate.period == rate.period_high == 1 and rate.low == rate.high:
        return rate.low
    return None


def interval_per_day(rate: Rate) -> Fraction | None:
    """How often an interval in hours comes to a day; a count of the same number is still another order."""
    if rate.unit == "h" and rate.period == rate.period_high:
        return Fraction(24) / rate.period
    return None


_DAYS = {"wk": Fraction(7), "d": Fraction(1)}


def compare_rates(setting: Setting, source: Rate, claim: Rate, chunk: Chunk) -> Judgement:
    """Two frequencies or intervals."""
    where = (chunk,)
    said = f"source says {rate_text(source)}"
    if source == claim:
        if "text_only" in chunk.notes and setting.misreadable:
            return held("timing.ambiguous_token", f"{said} in a form that is one letter from another", where)
        if "text_only" in chunk.notes:
            return Judgement(PASS, "timing.error_prone", f"{said}, in an error-prone abbreviation", where, note=True)
        return Judgement(PASS, "timing.equal", said, where)
    for one, other in ((source, claim), (claim, source)):
        hourly, daily = interval_per_day(one), rate_per_day(other)
        if hourly is not None and daily is not None:
            if hourly == daily:
                return held("timing.interval_vs_count", f"{said}; an interval and a count per day are not the same order", where)
            return Judgement(FAIL, "timing.different", said, where)
    if source.unit in _DAYS and claim.unit in _DAYS and source.low == source.high == claim.low == claim.high == 1:
        if (
            source.period * _DAYS[source.unit] == claim.period * _DAYS[claim.unit]
            and source.period_high * _DAYS[source.unit] == claim.period_high * _DAYS[claim.unit]
        ):
            return Judgement(PASS, "timing.exact_period", f"{said}; exactly the same period", where, note=True)
    if {source.unit, claim.unit} == {"h", "d"} and source.low == claim.low == 1:
        hours = {u: (r.period if r.unit == u else None) for u in ("h", "d") for r in (source, claim) if r.unit == u}
        if hours.get("h") is not None and hours.get("d") is not None and hours["h"] == hours["d"] * 24:  # type: ignore[operator]
            return held("timing.interval_vs_count", f"{said}; hours and days are not the same order", where)
    return Judgement(FAIL, "timing.different", said, where)
