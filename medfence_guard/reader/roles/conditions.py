"""Under which condition, for what reason, and what ends or changes the order: `SOS for fever`, `if temp > 100`, `and stop`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from medfence_guard.reader.beside import is_advice
from medfence_guard.reader.chunks import AMONG_ORDERS, Chunk, Quantity, means
from medfence_guard.reader.roles.context import GLUE_WORDS, SILENT_GLUE, Context, is_last
from medfence_guard.reader.roles.record import Role, Roles

_ENDING = frozenset({"stopped", "held", "avoid", "not_taking"})
_REASON_WORDS = frozenset("for if or and of f c above below more than is degree deg over less fever temp there".split())
_JOINS = frozenset("and aur और but however instead though although whereas lekin magar parantu लेकिन मगर परंतु परन्तु किंतु".split())


def _measures(chunk: Chunk) -> bool:
    """`temp > 100`, `BP above 150`: the number belongs to a measurement."""
    return chunk.kind == "header_line_starts" or chunk.value in (">", "<", "=", "above", "below", "than", "over", "/")


def _is_taken_at(chunks: Sequence[Chunk], place: int, surface: Callable[[Chunk], str]) -> bool:
    """`x 5 days with dressing`, `TDS with fever`: at which event, where no complaint stands before it."""
    before, after = (chunks[n] if 0 <= n < len(chunks) else None for n in (place - 1, place + 1))
    if surface(chunks[place]) != "with" or after is None or (before is not None and before.kind in ("indication", "indication_part")):
        return False
    return after.kind == "indication" or is_advice(after)


def read_as_needed(at: Context, place: int) -> int:
    chunks, roles = at.chunks, at.roles
    before = chunks[place - 1] if place else None
    if before is not None and before.kind == "cue" and before.value[0] in _ENDING:
        # `hold if HR < 60`: a condition of the end, which nobody here can weigh.
        roles.unsupported.append(Role("condition", chunks[place]))
        return _read_reasons(chunks, place + 1, roles)
    roles.prn.append(Role(True, chunks[place]))
    after = place + 1
    kept = len(roles.limits)
    stop = _read_reasons(chunks, after, roles)
    if any(c.kind == "indication" for c in chunks[after:stop]):
        _keep_unmeasured(chunks[after:stop], roles)
        return stop
    del roles.limits[kept:]
    return after


_MEASURING = frozenset("over less above below more than".split())


def _keep_unmeasured(reasons: Sequence[Chunk], roles: Roles) -> None:
    """`SOS for fever, over`: without a number the word bounds no measurement, and may be said of the order."""
    if not any(c.kind in ("number", "tuple", "amount") for c in reasons):
        roles.residue.extend(Role(str(c.value), c) for c in reasons if c.kind == "word" and c.value in _MEASURING)


def _read_reasons(chunks: Sequence[Chunk], place: int, roles: Roles) -> int:
    """Indications after `SOS for`, `if`, `in case of`."""
    while place < len(chunks):
        chunk = chunks[place]
        if chunk.kind == "indication":
            roles.prn_for.append(Role(chunk.value, chunk))
        elif not (
            chunk.kind in ("indication_part", "header_line_starts")
            or (chunk.kind in ("number", "tuple", "amount") and place and _measures(chunks[place - 1]))
            or (chunk.kind in ("word", "inert") and (chunk.value in _REASON_WORDS or chunk.value == "function_words"))
            or (chunk.kind == "mark" and chunk.value in ("/", "(", ",", ">", "<", "=", "°"))
        ):
            break
        elif chunk.kind in ("number", "tuple", "amount"):
            value = chunk.value
            roles.limits.append(Role(value.parts if isinstance(value, Quantity) else tuple(value), chunk))
        place += 1
    return place


def read_cue(at: Context, place: int) -> int:
    chunks, roles = at.chunks, at.roles
    chunk = chunks[place]
    if chunk.value[0] == "switch_to" and roles.name is not None and chunk.start > roles.name.end and is_last(chunks, place):
        # `OD, to be replaced by`, and nothing behind it.
        roles.unsupported.append(Role("a joint", chunk))
        return place + 1
    suffered = place > 0 and chunks[place - 1].kind == "indication" and roles.name is not None and chunk.start > roles.name.end
    if suffered and tuple(chunk.value) == ("taking", "before") and is_last(chunks, place):
        # `OD, HTN on`, and nothing behind it.
        roles.unsupported.append(Role("a joint", chunk))
        return place + 1
    if chunk.value[0] == "stopped" and place and chunks[place - 1].kind == "weekday":
        # `5 days a week (Sat, Sun off)`: the days without it; nothing is stopped.
        roles.weekdays = [r for r in roles.weekdays if r.chunk is not chunks[place - 1]]
        roles.unsupported.append(Role("days off", chunk._replace(start=chunks[place - 1].start)))
        return place + 1
    if chunk.value[0] == "continue" and roles.durations and place and chunks[place - 1].value in (",", "and", "&", "then", ")", "-"):
        # `x 30 days, continue`
        roles.open_durations.append(Role("continue", chunk))
    if chunk.value[0] == "conditional" and (roles.name is None or chunk.start > roles.name.end):
        kept = len(roles.limits)
        stop = _read_reasons(chunks, place + 1, roles)
        before = chunks[place - 1] if place else None
        if before is not None and before.kind == "cue" and before.value[0] in _ENDING:
            roles.unsupported.append(Role("condition", chunk))
            return max(stop, place + 1)
        if any(c.kind == "indication" or c.kind in ("amount", "number", "tuple") for c in chunks[place + 1 : stop]):
            # `TDS if fever`, `SOS if temp > 100 F`: as needed, with its reason.
            _keep_unmeasured(chunks[place + 1 : stop], roles)
            roles.prn.append(Role(True, chunk))
            return stop
        if before is not None and before.kind == "prn" and chunks[place + 1 : place + 2] and chunks[place + 1].kind == "word":
            if any(c.kind == "indication" for c in chunks[place + 2 : place + 3]):
                # `SOS if chest pain`: as behind `SOS for`, the word that is no reason by itself is left over.
                roles.prn.append(Role(True, chunk))
                del roles.limits[kept:]
                return place + 1
        # A condition that is not read: nobody can say what it makes of the order.
        del roles.limits[kept:]
        roles.unsupported.append(Role("condition", chunk))
        return place + 1
    roles.cues.append(Role(chunk.value, chunk))
    return place + 1


def read_terminator(at: Context, place: int) -> int:
    name, chunk = at.roles.name, at.chunks[place]
    if name is None or chunk.start < name.end:
        return place + 1
    return _read_joint(at, place)


def _read_joint(at: Context, place: int) -> int:
    """A joint behind the order: an exception, an end, or the beginning of another clause, which must be there."""
    chunks, roles, text = at.chunks, at.roles, at.surface(at.chunks[place])
    chunk = chunks[place]
    if text in at.lexicon.status.exceptions:
        # `OD except on Sunday`: what stands behind it is not said, but taken out.
        roles.unsupported.append(Role("exception", chunk))
        after = place + 1
        while after < len(chunks) and (chunks[after].value in GLUE_WORDS or chunks[after].value in ("(", "-", ":")):
            after += 1
        return after + 1
    ends_it = at.lexicon.status.ends_it
    ending = next((ends_it[word] for word in text.split() if word in ends_it), None)
    last = is_last(chunks, place)
    if ending is not None:
        # `x 5 days and stop` says no more than the duration does.
        if not (ending == "stopped" and last and roles.durations):
            value = (ending, "both")
            roles.cues.append(Role(value, chunk._replace(kind="cue", value=value)))
    elif "contin" in text:
        if roles.durations:
            # `x 30 days and continue`
            roles.open_durations.append(Role("continue", chunk))
    elif last and text.split(maxsplit=1)[0] in _JOINS:
        roles.unsupported.append(Role("a joint", chunk))
    return place + 1


def read_negation(at: Context, place: int) -> int:
    chunk, roles, text = at.chunks[place], at.roles, at.surface(at.chunks[place])
    status = at.lexicon.status
    if status.is_pseudo("open", text) and is_last(at.chunks, place):
        # `OD (not valid)`: what it is not goes on with the next word; where none stands, it is of the order.
        roles.unsupported.append(Role("negation", chunk))
    elif status.is_pseudo("occasion", text) and roles.name is not None and chunk.start > roles.name.start:
        # `OD on walking`: of a complaint, or when it is taken.
        roles.residue.append(Role(text, chunk))
    else:
        roles.pseudo_cues.append(Role(chunk.value, chunk))
    return place + 1


def read_measured(at: Context, place: int) -> int:
    """`in view of HbA1c 8.4`: what was measured is the reason. Without its value, or without the words before it, it is left over."""
    behind = _behind_a_measured_reason(at, place)
    if behind is not None:
        return behind
    at.roles.residue.append(Role(at.chunks[place].kind, at.chunks[place]))
    return place + 1


# mmHg; `40/5` is a strength.
_SYSTOLIC, _DIASTOLIC = range(80, 261), range(40, 161)


def _behind_a_measured_reason(at: Context, place: int) -> int | None:
    """Where a test and its value end, behind `in view of` or `due to` and before a mark. `for BP 160/100` may be a condition."""
    chunks = at.chunks
    value, after = (chunks[n] if n < len(chunks) else None for n in (place + 1, place + 2))
    if not place or at.surface(chunks[place - 1]) not in _BECAUSE or value is None or (after is not None and after.kind != "mark"):
        return None
    if not means(chunks[place], "header_line_starts"):
        return None
    if value.kind == "tuple":
        told = len(value.value) == 2 and value.value[0] in _SYSTOLIC and value.value[1] in _DIASTOLIC
    else:
        told = value.kind in ("number", "percent") or (value.kind == "amount" and value.value.units[0] not in _GIVEN)
    return place + 2 if told else None


_BECAUSE = frozenset({"because of", "due to", "in view of", "ivo"})
# Units that a dose is given in.
_GIVEN = frozenset({"mg", "ug", "g", "mL", "[iU]", "{unit}", "[drp]", None})


def _lasts(after: Chunk | None) -> bool:
    """`, cough x 5 days`: a complaint, and how long it has been there."""
    return after is not None and (after.kind == "duration" or after.value in ("x", "for", "since"))


def read_reason(at: Context, place: int) -> int:
    chunks, roles = at.chunks, at.roles
    chunk = chunks[place]
    before = chunks[place - 1] if place else None
    behind_value = _behind_a_measured_reason(at, place)
    if behind_value is not None:
        return behind_value
    after = chunks[place + 1] if place + 1 < len(chunks) else None
    if is_what_it_did(at, place):
        roles.indications.append(Role(chunk.value, chunk))
        return place + 1
    listed = before is not None and before.value == "," and (chunks[place - 2].kind == "indication" or _lasts(after))
    apart = before is not None and before.value in ("(", ",") and not listed and not roles.prn
    if apart and at.lexicon.remarks.reactions.search(at.surface(chunk)):
        # `OD (rash)`, `x 5 days, rash`: why it is given, or what came of it.
        roles.residue.append(Role(at.surface(chunk), chunk))
        return place + 1
    if before is None and after is not None and after.value in ("-", ":"):
        begun = place + 2 < len(chunks) and at.surface(chunks[place + 2]) in _BEGUN
        behind = chunks[place + 2 + begun] if place + 2 + begun < len(chunks) else None
        if behind is not None and behind.kind in ("drug", "form") and at.surface(chunk) in at.lexicon.long_standing:
            # `HTN - Tab X`: what the order is for.
            roles.indications.append(Role(chunk.value, chunk))
            return place + 1
        harm = at.lexicon.remarks.reactions.search(at.surface(chunk)) is not None
        if behind is not None and behind.kind in ("drug", "form") and AMONG_ORDERS in chunk.notes and not harm and _is_regular(chunks):
            # `Pain: Tab X 1-0-1 x 3 days`: it is said how often. `Rash: Tab X` may be what came of it.
            roles.indications.append(Role(chunk.value, chunk))
            return place + 1
    if before is not None and before.value in _LOOSE and at.surface(chunk) in at.lexicon.suffixes:
        # `Grilinctus (DM)`: a disease, or what the name ends in.
        roles.residue.append(Role(at.surface(chunk), chunk))
        return place + 1
    pointed = before is not None and (
        before.kind in ("indication_part", "indication", "prn") or before.value in ("(", "for", ",", "/", "and")
    )
    if pointed or (after is not None and after.kind == "indication_part" and after.value == "closers"):
        roles.indications.append(Role(chunk.value, chunk))
    else:
        # Bare, it may be a reason or a reaction.
        roles.residue.append(Role(at.surface(chunk), chunk))
    return place + 1


_BEGUN = frozenset({"start", "started"})
_LOOSE = frozenset({"(", ",", "/", "and"})
_NOT_REGULAR = frozenset("prn cue stat as_directed maximum unsupported then word negation".split())


def _is_regular(chunks: Sequence[Chunk]) -> bool:
    """Whether an order says how often and for how long, and nothing that may make it another one."""
    kinds = {c.kind for c in chunks}
    return not kinds.isdisjoint(("rate", "slots")) and "duration" in kinds and kinds.isdisjoint(_NOT_REGULAR)


def is_what_it_did(at: Context, place: int) -> bool:
    """`stopped (cough)`, `stopped - myalgia`, `reduced due to drowsiness`: what a medicine did is why it is taken no more, or less.

    It stands alone behind the end, or behind `due to`; with another word beside it, it may be of another.
    """
    chunks = at.chunks
    if at.lexicon.remarks.reactions.search(at.surface(chunks[place])) is None:
        return False
    after = chunks[place + 1] if place + 1 < len(chunks) else None
    if after is not None and not (after.kind == "mark" and after.value in (")", ".", ",", ";")):
        return False
    before = place - 1
    because = before >= 0 and at.surface(chunks[before]) in _BECAUSE
    while before >= 0 and chunks[before].kind == "mark" and chunks[before].value in ("(", "-", ":"):
        before -= 1
    if before == place - 1 and not because:
        return False
    if before >= 0 and chunks[before].kind == "cue" and chunks[before].value[0] in ("stopped", "held"):
        return at.roles.name is not None and chunks[before].start > at.roles.name.end
    return because and any(c.kind == "cue" and c.value[0] == "decrease" for c in chunks)


def read_part_of_reason(at: Context, place: int) -> int:
    chunks = at.chunks
    chunk = chunks[place]
    beside = [
        c for c in (*chunks[max(place - 1, 0) : place], *chunks[place + 1 : place + 3]) if c.kind in ("indication", "indication_part")
    ]
    measured = _behind_a_measured_reason(at, place + 1) if place + 1 < len(chunks) else None
    did = place + 1 < len(chunks) and is_what_it_did(at, place + 1)
    if (not beside and measured is None and not did and at.surface(chunk) not in SILENT_GLUE) or _is_taken_at(chunks, place, at.surface):
        at.roles.residue.append(Role(at.surface(chunk), chunk))
    return place + 1


def read_ambiguous(at: Context, place: int) -> int:
    chunks = at.chunks
    chunk = chunks[place]
    if place and chunks[place - 1].kind == "indication_part" and chunks[place - 1].value == "starters":
        # `for AF` names a reason; elsewhere `AF` may be after food.
        at.roles.indications.append(Role(at.surface(chunk), chunk))
    else:
        at.roles.ambiguous.append(Role(chunk.value, chunk))
    return place + 1
