"""Durations: what converts exactly, and what never does."""

from __future__ import annotations

from fractions import Fraction

from medfence_guard.compare.judgement import ABSTAIN, FAIL, PASS, Judgement, Setting, added, held
from medfence_guard.compare.wording import number_text
from medfence_guard.contract import Severity
from medfence_guard.reader.chunks import Chunk, Quantity
from medfence_guard.reader.roles.record import Roles

_EXACT_DAYS = {"d": Fraction(1), "wk": Fraction(7)}
_EXACT_MONTHS = {"mo": Fraction(1), "a": Fraction(12)}
Period = tuple[Fraction, Fraction | None, str]


def compare_duration(setting: Setting, claim: Roles) -> list[Judgement]:
    """`5/7` = 5 days; weeks and days convert exactly; months and days never do."""
    source = setting.statement.roles
    if claim.open_durations and claim.durations and not source.open_durations:
        return [
            added(setting, "duration.not_in_source", "the statement does not say to continue", tuple(r.chunk for r in source.durations))
        ]
    mine, theirs = ({str(r.value) for r in side.open_durations} for side in (claim, source))
    if mine and theirs:
        if not mine <= theirs:
            firm = "lifelong" in (mine | theirs) and bool({"review", "advice"} & (mine | theirs))
            return [
                Judgement(
                    FAIL if firm else ABSTAIN,
                    "duration.other_end",
                    "source names another end",
                    tuple(r.chunk for r in source.open_durations),
                    severity=Severity.CRITICAL if firm else Severity.MAJOR,
                )
            ]
    if claim.open_durations and not claim.durations:
        if source.open_durations and source.durations and mine != {"continue"}:
            # `till next visit (1 month)`, and no word of the month.
            where = tuple(r.chunk for r in source.durations)
            return [held("duration.several", "source says how long that is", where)]
        if source.open_durations:
            return [Judgement(PASS, "duration.equal", "source says the same", tuple(r.chunk for r in source.open_durations))]
        return [added(setting, "duration.not_in_source", "the statement does not say so", tuple(r.chunk for r in source.durations))]
    if not claim.durations:
        numbers = [r.value.parts[0] for r in claim.numbers if isinstance(r.value, Quantity)]
        if numbers and any(d.value[0] == numbers[0] for d in source.durations):
            return [held("duration.unit_not_claimed", "the claim has no unit of time", (d.chunk for d in source.durations))]
        if numbers and source.durations:
            return [Judgement(FAIL, "quantity.different", "source says another duration", tuple(d.chunk for d in source.durations))]
        return [held("duration.unreadable_claim", "the claim is no duration that can be read", (d.chunk for d in source.durations))]
    wanted: Period = claim.durations[0].value
    if source.open_durations and source.durations and "open_duration" not in setting.carried["fields"]:
        where = tuple(r.chunk for r in source.open_durations)
        return [held("duration.end_added", "source says to go on after that", where)]
    if len({r.value for r in claim.durations}) > 1:
        return [held("duration.several", "the claim states more than one duration")]
    stated = {r.value: r for r in source.durations}
    if not stated:
        if source.open_durations:
            where = tuple(r.chunk for r in source.open_durations)
            says = "source says to continue, without a number"
            if "duration" in setting.statement.told_beside:
                says += "; what is told beside the list may be of each order of it"
                return [held("duration.not_in_source", says, where)]
            return [Judgement(FAIL, "duration.not_in_source", says, where)]
        if setting.statement.shared_tail:
            return [held("timing.shared", "what stands behind several names may belong to any of them")]
        return [added(setting, "duration.not_in_source", "the statement states no duration")]
    if len(stated) > 1:
        if wanted in stated or any(_compare_period(setting, p, wanted, r.chunk).verdict is PASS for p, r in stated.items()):
            return [held("duration.several", "the statement states more than one duration", (r.chunk for r in stated.values()))]
        return [Judgement(FAIL, "quantity.different", "source says other durations", tuple(r.chunk for r in stated.values()))]
    period, role = next(iter(stated.items()))
    if period[2] == "h" and wanted[2] not in ("h", "dose") and not setting.statement.readable:
        # `minimum gap one hour`: it may be no length of the course.
        return [added(setting, "duration.not_in_source", "the statement states no duration but hours", (role.chunk,))]
    judged = _compare_period(setting, period, wanted, role.chunk)
    if judged.verdict is PASS and ("up_to" in role.chunk.notes) != ("up_to" in claim.durations[0].chunk.notes):
        says = f"{judged.says}; only one of them says up to that long"
        return [held("duration.up_to", says, (role.chunk,))]
    return [judged]


_TIME_TEXT = {"d": "days", "wk": "weeks", "mo": "months", "a": "years", "h": "hours", "dose": "doses"}


def period_text(period: Period) -> str:
    low, high, unit = period
    return f"{number_text(low)}{'-' + number_text(high) if high is not None else ''} {_TIME_TEXT.get(unit, unit)}"


def _compare_period(setting: Setting, source: Period, claim: Period, chunk: Chunk) -> Judgement:
    said = f"source says {period_text(source)}"
    where = (chunk,)
    if source == claim:
        return Judgement(PASS, "duration.equal", said, where)
    if (source[1] is None) != (claim[1] is None):
        return Judgement(FAIL, "quantity.range_end_lost", said, where)
    for exact in (_EXACT_DAYS, _EXACT_MONTHS):
        if source[2] in exact and claim[2] in exact:
            one = source[0] * exact[source[2]], (source[1] or 0) * exact[source[2]]
            other = claim[0] * exact[claim[2]], (claim[1] or 0) * exact[claim[2]]
            if one == other:
                if setting.misreadable:
                    return held(
                        "quantity.exact_conversion",
                        f"{said}; equal after exact conversion, which is not relied on in {setting.modality}",
                        where,
                    )
                return Judgement(PASS, "quantity.exact_conversion", f"{said}; exactly equal after conversion", where, note=True)
            return Judgement(FAIL, "quantity.different", said, where)
    hours = {"h": Fraction(1), "d": Fraction(24), "wk": Fraction(168)}
    if (
        {source[2], claim[2]} <= set(hours)
        and source[0] * hours[source[2]] == claim[0] * hours[claim[2]]
        and (source[1] or 0) * hours[source[2]] == (claim[1] or 0) * hours[claim[2]]
    ):
        says = f"{said}; as many hours, and another way to count the doses"
        return held("duration.in_hours", says, where)
    in_days = {
        "d": (Fraction(1), Fraction(1)),
        "wk": (Fraction(7), Fraction(7)),
        "mo": (Fraction(28), Fraction(31)),
        "a": (Fraction(365), Fraction(366)),
    }
    if source[2] in in_days and claim[2] in in_days:
        low, high = source[0] * in_days[source[2]][0], source[0] * in_days[source[2]][1]
        other_low, other_high = claim[0] * in_days[claim[2]][0], claim[0] * in_days[claim[2]][1]
        if low <= other_high and other_low <= high:
            return held("duration.month_is_no_number_of_days", f"{said}; a month is no fixed number of days", where)
    return Judgement(FAIL, "quantity.different", said, where)
