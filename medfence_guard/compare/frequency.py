"""The frequency group as a whole: ambiguity, single doses, count, slots, as needed, days of the week (P15)."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from medfence_guard.compare.as_needed import compare_prn
from medfence_guard.compare.doses import form_units
from medfence_guard.compare.judgement import ABSTAIN, FAIL, PASS, Judgement, Setting, added, held
from medfence_guard.compare.rates import interval_per_day, rate_per_day
from medfence_guard.compare.schedules import compare_claimed_day_parts, compare_claimed_rate, compare_claimed_slots, compare_rate_and_slots
from medfence_guard.compare.slots import compare_spelt_out, slot_parts, slots_spelt_out
from medfence_guard.compare.whens import compare_whens
from medfence_guard.compare.wording import rate_text
from medfence_guard.contract import Severity
from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.lexicon import EVERY_DAY, Rate
from medfence_guard.reader.roles.record import Roles


def compare_frequency(setting: Setting, claim: Roles) -> list[Judgement]:
    """The frequency group: count, interval, slots, PRN, period, day (P15)."""
    source = setting.statement.roles
    out: list[Judgement] = []
    contradiction = self_contradiction(source)
    if contradiction is not None:
        out.append(contradiction)
    if source.unsupported:
        out.append(held("timing.complex_regimen", "the statement holds a regimen that is not read", (r.chunk for r in source.unsupported)))
    if not (claim.has_timing or claim.ambiguous):
        hours = {str(w.value[0]) for w in claim.whens}
        if hours and all(":" in hour for hour in hours) and not (source.has_timing or source.ambiguous):
            # `at 10 pm`, where the statement says no more of how often.
            out.extend(compare_whens(setting, claim))
            other = tuple(w.chunk for w in source.whens if ":" in str(w.value[0]) and w.value[0] not in hours)
            if other:
                out.append(held("timing.one_of_several", "source names another time as well", other))
            return out
        if claim.whens:
            return [
                *out,
                held("schema.role", "a meal stands where the frequency belongs", (r.chunk for r in source.rates)),
            ]
        return [
            *out,
            held("timing.unparsed", "the claim is no frequency that can be read", (r.chunk for r in (*source.rates, *source.slots))),
        ]
    out.extend(_compare_core(setting, source, claim))
    out.extend(_lost_interval(source, claim))
    out.extend(compare_prn(setting, source, bool(claim.prn)))
    out.extend(_compare_weekdays(setting, source, claim))
    return out


def _lost_interval(source: Roles, claim: Roles) -> list[Judgement]:
    """`weekly` beside slots or a time of day: a claim of the slots alone makes it daily."""
    lost = [
        r
        for r in source.rates
        if (r.value.unit != "d" or r.value.period != 1) and "weekly" not in r.chunk.notes and (source.slots or source.day_parts)
    ]
    if not lost or claim.rates:
        return []
    return [
        Judgement(
            ABSTAIN if source.unsupported or source.residue else FAIL,
            "timing.frequency_lost",
            f"source says {rate_text(lost[0].value)}, which the claim drops",
            tuple(r.chunk for r in lost),
        )
    ]


def _is_longer_than_a_day(rate: Rate) -> bool:
    return rate.unit in ("wk", "mo") or (rate.unit == "d" and rate.period > 1)


def self_contradiction(roles: Roles) -> Judgement | None:
    """`BD at bedtime`, `OD 1-0-1`: the statement's own parts do not fit together; a person must look."""
    parts = {w.value[0] for w in roles.day_parts}
    if len(roles.rates) + len(roles.slots) <= 1 and not parts:
        return None
    counts: set[Fraction] = set()
    chunks: list[Chunk] = []
    for role in roles.rates:
        daily = rate_per_day(role.value)
        if daily is not None:
            counts.add(daily)
            chunks.append(role.chunk)
    for role in roles.slots:
        counts.add(Fraction(sum(1 for v in role.value[0] if v)))
        chunks.append(role.chunk)
    longer = [r.chunk for r in (*roles.rates, *roles.weekdays) if not isinstance(r.value, Rate) or _is_longer_than_a_day(r.value)]
    daily_words = [w.chunk for w in roles.whens if EVERY_DAY in w.chunk.notes]
    if longer and daily_words:
        # `weekly every night`
        says = "the statement holds more than one frequency"
        return held("timing.multi_frequency", says, (*longer, *daily_words))
    if (
        len({r.value for r in roles.rates if "weekly" not in r.chunk.notes}) > 1
        or len({r.value[0] for r in roles.slots}) > 1
        or len(counts) > 1
    ):
        return held("timing.multi_frequency", "the statement holds more than one frequency", tuple(chunks))
    if parts and counts and not (parts <= {"HS", "NIGHT"} and counts == {Fraction(1)}):
        if Fraction(len(parts)) not in counts:
            return held(
                "timing.self_contradictory",
                "the frequency and the times of day do not fit together",
                (chunks + [w.chunk for w in roles.day_parts]),
            )
    if parts and roles.slots:
        given = slot_parts(roles.slots[0].value[0])
        loose = {"HS": "NIGHT", "AFT": "NOON"}
        if {loose.get(p, p) for p in parts} - given - ({"EVE"} if "NIGHT" in given else set()):
            return held(
                "timing.self_contradictory",
                "the slots and the times of day do not fit together",
                (chunks + [w.chunk for w in roles.day_parts]),
            )
    return None


def _readings(roles: Roles) -> tuple[list[Rate], bool, tuple[Chunk, ...]]:
    """Rates of ambiguous tokens, whether any token is ambiguous, and where."""
    rates: list[Rate] = []
    chunks: list[Chunk] = []
    for role in roles.ambiguous:
        kind, readings = role.value
        if kind == "rate":
            rates.extend(readings)
            chunks.append(role.chunk)
        elif kind == "two_numbers":
            chunks.append(role.chunk)
    return rates, bool(chunks), tuple(chunks)


def _may_be_one(one: Rate, other: Rate) -> bool:
    """Whether two frequencies are one, or an interval and a count that come to as much a day: `QD` and `q24h`."""
    if one == other:
        return True
    pairs = ((rate_per_day(one), interval_per_day(other)), (rate_per_day(other), interval_per_day(one)))
    return any(count is not None and count == hourly for count, hourly in pairs)


def _compare_core(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    rates, ambiguous, where = _readings(source)
    confused = tuple(r.chunk for r in source.unreadable if r.value in ("timing", "slots"))
    if confused and not (source.rates or source.slots):
        return [held("timing.confusable", "the source's timing word mixes letters and digits", confused)]
    claim_rates, claim_ambiguous, _ = _readings(claim)
    if claim_ambiguous or ambiguous:
        pairs = [(r, c) for r in (rates or [x.value for x in source.rates]) for c in (claim_rates or [x.value for x in claim.rates])]
        if pairs and not any(_may_be_one(r, c) for r, c in pairs) and not source.slots and not claim.slots and not claim.day_parts:
            return [Judgement(FAIL, "timing.no_reading_entails", "no reading of the ambiguous word gives the claimed frequency", where)]
        return [held("timing.ambiguous_token", "a timing word has two attested readings", where)]
    spelt = slots_spelt_out(source, claim)
    if spelt is not None and not (claim.rates or claim.stat or claim.as_directed or source.stat):
        return compare_spelt_out(setting, source.slots[0], spelt, form_units(setting))
    if claim.as_directed:
        if not source.as_directed:
            return [added(setting, "timing.component_invented", "the statement does not say as directed")]
        # `BD as directed`: these words say nothing of how often, and what stands beside them is compared as if they were not there.
        said = Judgement(PASS, "timing.equal", "source says as directed", tuple(r.chunk for r in source.as_directed))
        return [said, *_compare_core(setting, replace(source, as_directed=[]), replace(claim, as_directed=[]))]
    if source.as_directed and not (source.rates or source.slots):
        return [Judgement(FAIL, "timing.component_invented", "source says only as directed", tuple(r.chunk for r in source.as_directed))]
    if claim.stat or source.stat:
        where = tuple(r.chunk for r in source.stat)
        if claim.stat and source.stat:
            return _beside_stat(setting, source, claim, where)
        if source.stat:
            return [Judgement(FAIL, "timing.single_dose_lost", "source says a single dose", where)]
        if not (claim.rates or claim.slots):
            return [
                added(
                    setting, "timing.component_invented", "the statement does not say a single dose", tuple(r.chunk for r in source.rates)
                )
            ]
        return [added(setting, "timing.component_invented", "the statement does not say a single dose")]
    if claim.rates and claim.slots:
        return compare_rate_and_slots(setting, source, claim)
    if claim.rates:
        return compare_claimed_rate(setting, source, claim)
    if claim.slots:
        return compare_claimed_slots(setting, source, claim)
    if claim.day_parts:
        return compare_claimed_day_parts(setting, source, claim)
    # PRN or weekdays alone, where no other value of the item says how often.
    if "frequency" in setting.carried["fields"]:
        return []
    dropped = [r for r in (*source.rates, *source.slots) if "weekly" not in r.chunk.notes]
    if dropped and len({r.value for r in source.weekdays}) > 1:
        # Which days the frequency is of is not told.
        says = "source states a frequency beside several sets of days"
        return [held("timing.frequency_lost", says, (r.chunk for r in dropped))]
    if dropped:
        return [Judgement(FAIL, "timing.frequency_lost", "source states a frequency that the claim drops", tuple(r.chunk for r in dropped))]
    return []


def _beside_stat(setting: Setting, source: Roles, claim: Roles, where: tuple[Chunk, ...]) -> list[Judgement]:
    """`stat` is one dose; what stands beside it (`stat, then BD`) is an order of its own and has to be carried too."""
    said = Judgement(PASS, "timing.equal", "source says a single dose", where)
    told = setting.carried["whens"]
    regular = (*source.rates, *source.slots, *(w for w in source.day_parts if w.value[0] not in told))
    claimed = claim.rates or claim.slots or claim.day_parts
    if regular and not claimed:
        firm = bool(source.rates or source.slots)
        return [
            Judgement(
                FAIL if firm else ABSTAIN,
                "timing.frequency_lost",
                "source says more than a single dose; the claim drops it",
                tuple(r.chunk for r in regular),
                severity=Severity.CRITICAL if firm else Severity.MAJOR,
            )
        ]
    hours = {w.value[0] for w in claim.day_parts} <= {w.value[0] for w in source.day_parts} and not (claim.rates or claim.slots)
    if claimed and not regular and not hours:
        return [added(setting, "timing.component_invented", "the statement says only a single dose", where)]
    if source.residue or any(r.value[2] == "h" for r in source.durations):
        return [
            held("timing.complex_regimen", "more than a single dose stands beside it", where),
        ]
    return [said, *_compare_core(setting, replace(source, stat=[]), replace(claim, stat=[]))] if regular else [said]


def _compare_weekdays(setting: Setting, source: Roles, claim: Roles) -> list[Judgement]:
    stated = frozenset().union(*(r.value for r in source.weekdays)) if source.weekdays else frozenset()
    claimed = frozenset().union(*(r.value for r in claim.weekdays)) if claim.weekdays else frozenset()
    where = tuple(r.chunk for r in source.weekdays)
    if claimed:
        if claimed == stated:
            return [Judgement(PASS, "timing.equal", "source names the same days", where)]
        if not stated:
            return [added(setting, "timing.day_invented", "the statement names no such day")]
        if len({r.value for r in source.weekdays}) > 1 and claimed in {r.value for r in source.weekdays}:
            return [held("timing.one_of_several", "source names other days as well", where)]
        return [Judgement(FAIL, "timing.day_different", "source names other days", where)]
    if stated and not stated <= setting.carried["weekdays"]:
        return [Judgement(FAIL, "timing.day_dropped", "source names days of the week", where)]
    return []
