"""Numbers and amounts: a strength, a dose, a pack, or a number whose role nobody said."""

from __future__ import annotations

from collections.abc import Sequence

from medfence_guard.reader.chunks import ALONE, Chunk, Quantity, meaning_of, means
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.roles.context import Context, labelled
from medfence_guard.reader.roles.record import Role, Roles, counts_pieces, course_total

_SOLID = frozenset({"{tbl}", "{capsule}"})
_PIECES = _SOLID | {"{supp}", "{sachet}", "{lozenge}", "{patch}"}
_MOST_HALVES = 24
# `Max dose: 40 mg`, `Total dose: 1 g`: not what is taken each time.
OTHER_DOSES = frozenset({"max_dose", "other_dose"})
STRENGTH_DIMENSIONS = frozenset({"mass", "iu", "percent", "meq", "mmol"})


def read_amount(at: Context, place: int) -> int:
    chunks, lexicon, roles = at.chunks, at.lexicon, at.roles
    chunk = chunks[place]
    quantity: Quantity = chunk.value
    unit = quantity.units[0]
    assert unit is not None
    if labelled(chunks, place) in OTHER_DOSES:
        roles.unsupported.append(Role("another dose than each", chunk))
        return place + 1
    dimension = lexicon.unit_by_ucum[unit].dimension
    before = chunks[place - 1] if place else None
    if dimension in STRENGTH_DIMENSIONS and not (at.insulin and dimension == "iu" and not quantity.per):
        if before is not None and before.kind == "word" and before.value == "by":
            roles.unsupported.append(Role("change by an amount", chunk))
            return place + 1
        role = Role(quantity, chunk)
        (roles.doses if _is_taken(at, place, dimension) else roles.strengths).append(role)
        return place + 1
    if dimension == "unit" and quantity.per and quantity.per[0][1] in ("mL",):
        roles.strengths.append(Role(quantity, chunk))
        return place + 1
    _read_dose(at, place, dimension)
    return place + 1


_PARTING = frozenset({",", ":", "-", "=", "("})
_TAKING = frozenset("rate slots when prn route stat".split())


def _is_taken(at: Context, place: int, dimension: str) -> bool:
    """`5 mg tablets, 30 mg OM`: behind a strength and its form, and right before a time, an amount of the same kind is what is taken.

    It has to be as many halves of the one as a person takes at a time; else it may be a strength corrected.
    """
    chunks, roles = at.chunks, at.roles
    after = chunks[place + 1] if place + 1 < len(chunks) else None
    if after is None or after.kind not in _TAKING or len(roles.strengths) != 1 or roles.doses or roles.has_timing or len(roles.forms) != 1:
        return False
    behind = place
    while behind and (chunks[behind - 1].value in _PARTING or chunks[behind - 1].kind == "verb"):
        behind -= 1
    told = any(c.kind == "verb" or c.value == ":" for c in chunks[behind:place])
    strength, formed = chunks[behind - 1], roles.forms[0].chunk
    if strength is formed and behind > 1:
        strength = chunks[behind - 2]
    elif not told:
        # `Tab X 5 mg, 30 mg OM`
        return False
    if behind == place or strength is not roles.strengths[0].chunk or at.lexicon.form_unit.get(roles.forms[0].value) not in _SOLID:
        return False
    one, taken = roles.strengths[0].value, chunks[place].value
    if one.per or taken.per or taken.high is not None or one.high is not None:
        return False
    if len(one.parts) != 1 or len(taken.parts) != 1 or one.units[0] is None or taken.units[0] is None:
        return False
    if at.lexicon.unit_by_ucum[one.units[0]].dimension != dimension:
        return False
    scale = at.lexicon.unit_by_ucum
    halves = 2 * taken.parts[0] * scale[taken.units[0]].scale / (one.parts[0] * scale[one.units[0]].scale)
    return bool(halves.denominator == 1 and 1 <= halves <= _MOST_HALVES)


def _read_dose(at: Context, place: int, dimension: str) -> None:
    """What is no strength: a dose, a number of doses, a pack, or what may be a dose or a pack."""
    chunks, lexicon, roles = at.chunks, at.lexicon, at.roles
    chunk = chunks[place]
    quantity: Quantity = chunk.value
    unit = quantity.units[0]
    before = chunks[place - 1] if place else None
    # `x 10/5 tabs` is no one number of pieces.
    counted = dimension.startswith("count:") and len(quantity.parts) == 1
    pieces = Role((quantity.parts[0], quantity.high, unit), chunk)
    if quantity.per and lexicon.unit_by_ucum.get(quantity.per[0][1]) is not None:
        if lexicon.unit_by_ucum[quantity.per[0][1]].dimension == dimension:
            # `1 tab / 2 tab`: two doses side by side; which holds, and when, is not read.
            roles.unsupported.append(Role("two doses", chunk))
            return
    if dimension == "dose" and before is not None and before.value in ("x", "for", "starters"):
        # `q6h x 3 doses`, `q6h for 3 doses`: how many, not how much, and so for how long.
        if roles.rates and quantity.high is None and len(quantity.parts) == 1 and not quantity.per:
            roles.durations.append(Role((quantity.parts[0], None, "dose"), chunk))
        else:
            roles.unsupported.append(Role("number of doses", chunk))
        return
    if labelled(chunks, place) == "quantity" and quantity.high is None and len(quantity.parts) == 1:
        roles.quantities.append(pieces)
        return
    if dimension == "volume" and before is not None and (before.value in ("in", "into") or "needs_position" in before.notes):
        # `1 sachet in 1 litre water`: a diluent is part of the order and is not read (P22).
        roles.unsupported.append(Role("diluent", chunk))
        return
    if (
        counted
        and before is not None
        and before.kind == "word"
        and before.value == "x"
        and quantity.high is None
        and (roles.doses or roles.slots or roles.rates)
    ):
        roles.quantities.append(pieces)
        return
    bracketed = before is not None and before.kind == "mark" and before.value == "(" and bool(roles.durations)
    if counted and bracketed and quantity.high is None:
        roles.counted.append(pieces)
        return
    if counted and quantity.parts[0] >= 10 and before is not None and before.value == "x" and quantity.high is None:
        roles.quantities.append(pieces)
        return
    if counted and quantity.parts[0] >= 10 and (roles.doses or roles.slots or roles.durations or roles.rates or roles.prn):
        roles.quantities.append(pieces)
        return
    if counted and ALONE in chunk.notes and roles.doses and roles.has_timing:
        # `Take ONE tablet once a week`, and below it `4 tablet`: a pack, or the dose corrected.
        roles.unsupported.append(Role("dose or pack", chunk))
        return
    if counted and before is not None and before.value == "(" and quantity.parts[0] >= 10 and quantity.units[0] in ("{tbl}", "{capsule}"):
        # `Telma 40 (10 tabs) OD`: so many are a pack, or a dose of a molecule nobody names here.
        roles.unsupported.append(Role("dose or pack", chunk))
        return
    roles.doses.append(Role(quantity, chunk))


def read_number(at: Context, place: int) -> int:
    chunk, roles = at.chunks[place], at.roles
    label = labelled(at.chunks, place)
    if label == "quantity" and (noun := _noun_before(at.chunks, place)) is not None:
        # `tabs 2`: a dose, or how many are dispensed.
        unit = at.lexicon.form_unit.get(str(meaning_of(noun, "form")))
        roles.counted.append(Role((chunk.value.parts[0], chunk.value.high, unit), chunk))
    elif label in ("quantity", "refills") and chunk.value.high is None:
        target = roles.quantities if label == "quantity" else roles.refills
        target.append(Role((chunk.value.parts[0], None, None), chunk))
    elif (piece := count_beside_form(at, place)) is not None:
        roles.doses.append(Role(piece, chunk))
    else:
        roles.numbers.append(Role(chunk.value, chunk))
    return place + 1


def read_two_numbers(at: Context, place: int) -> int:
    chunk = at.chunks[place]
    at.roles.ambiguous.append(Role(("two_numbers", chunk.value), chunk))
    return place + 1


def read_quantity(at: Context, place: int) -> int:
    chunk = at.chunks[place]
    if at.surface(chunk).startswith("total") and chunk.value[2] is not None:
        _read_total(at, chunk)
    else:
        at.roles.quantities.append(Role(chunk.value, chunk))
    return place + 1


def count_beside_form(at: Context, place: int) -> Quantity | None:
    """The dose in `500mg capsules, take ONE three times a day`: a count whose piece is the one form written before it.

    A number needs `take`, `Sig:` or `to be taken` beside it, or stands between a full strength and the timing of a tablet
    (`5 mg 1 OD`, `tab - 1 HS`); a number word may also stand behind a dash or comma.
    """
    chunks, roles = at.chunks, at.roles
    chunk = chunks[place]
    value = at.lexicon.number_words.get(str(chunk.value)) if chunk.kind == "word" else None
    if chunk.kind == "number" and len(chunk.value.parts) == 1 and chunk.value.high is None:
        value = chunk.value.parts[0]
    units = {at.lexicon.form_unit.get(r.value) for r in roles.forms}
    if value is None or not 0 < value <= 10 or roles.slots or roles.name is None or chunk.start < roles.name.end or len(units) != 1:
        return None
    unit = units.pop()
    if unit is None or not unit.startswith("{") or at.lexicon.unit_by_ucum[unit].dimension.split(":")[0] != "count":
        return None
    before, after = chunks[place - 1], chunks[place + 1] if place + 1 < len(chunks) else None
    told = before.kind == "verb" or (before.value == ":" and meaning_of(chunks[place - 2], "label") == "dosage")
    listed = chunk.kind == "word" and before.kind == "mark" and before.value in ("-", ",", ":")
    if after is not None and after.value == "order_forms":
        return Quantity((value,), (unit,))
    timed = after is not None and after.kind in ("rate", "when", "route", "stat", "prn", "maximum")
    behind = before if before.value not in ("-", ",", ":") else chunks[place - 2]
    full = any(r.value.units[0] is not None and not r.value.per for r in roles.strengths)
    # `0.5 mg ½ HS`, `2 mg 2 HS` may say the same amount again.
    whole = value.denominator == 1 and not any(value in r.value.parts for r in roles.strengths if value != 1)
    alone = not roles.doses and not roles.has_timing and not at.tabled and chunk.kind == "number"
    counted = alone and full and whole and unit in _SOLID and behind.kind in ("amount", "form")
    # `Montair LC: 1 at night`, `Telma 40 1 OD`: behind the name, or the bare number that is its strength.
    # `Meftal Spas tab 1 TDS`: behind its form too, which counts pieces.
    formed = before.kind == "form" and place > 1 and chunks[place - 2].end <= roles.name.end
    named = alone and not roles.strengths and (behind.end <= roles.name.end or formed) and unit in _PIECES
    counted = counted or (
        named
        and value not in roles.name.label
        and counts_pieces(roles.name.entry, value, roles.name.label, at.lexicon.uncalled, at.lexicon.in_grams)
    )
    return Quantity((value,), (unit,)) if timed and (told or listed or counted) else None


def is_counted(chunks: Sequence[Chunk], place: int) -> bool:
    """`#30`: how many are dispensed."""
    after = chunks[place + 1] if place + 1 < len(chunks) else None
    return after is not None and after.kind == "number" and after.start == chunks[place].end and after.value.high is None and place > 0


def _noun_before(chunks: Sequence[Chunk], place: int) -> Chunk | None:
    """The form before a number, with or without a colon between: `tabs 2`, `tabs: 2`."""
    near = [c for c in chunks[max(0, place - 2) : place] if c.kind != "mark" or c.value not in (":", "-", "=")]
    return near[-1] if near and means(near[-1], "form") else None


def _read_total(at: Context, chunk: Chunk) -> None:
    """`total 40 mg`: what a dose or a day comes to, which is no strength and no pack; `total 10 tabs`, `total 100 ml` are packs."""
    roles = at.roles
    number, _, unit = chunk.value
    dimension = at.lexicon.unit_by_ucum[unit].dimension
    on_skin = any(at.lexicon.form_family.get(f.value) == "topical" for f in roles.forms)
    if dimension.startswith("count:"):
        roles.counted.append(Role(chunk.value, chunk))
    elif (dimension == "volume" and number >= 30) or (unit == "g" and on_skin):
        roles.quantities.append(Role(chunk.value, chunk))
    else:
        roles.unsupported.append(Role("a total", chunk))


def add_label(roles: Roles) -> None:
    """A bare number after the name is a strength without a unit, unless a full strength is written too."""
    name = roles.name
    assert name is not None
    assert name.label_chunk is not None
    units: tuple[str | None, ...] = (None,) * len(name.label)
    roles.strengths.insert(0, Role(Quantity(name.label, units), name.label_chunk))


def settle_counts(roles: Roles) -> None:
    """`x 5 days (10 tabs)`, `OD tabs 2`: the total of the course is a pack; a few pieces, or what a timing follows, are a dose."""
    timed_at = {r.chunk.start for r in (*roles.rates, *roles.slots, *roles.whens)} if roles.counted else ()
    for role in roles.counted:
        number, high, unit = role.value
        low, top = course_total(roles)
        dose = Role(Quantity((number,), (unit,), high), role.chunk)
        if high is None and low <= number <= top and low > 0:
            roles.quantities.append(role)
        elif number < 5 or (number < 10 and role.chunk.end + 1 in timed_at):
            roles.doses.append(dose)
        elif number <= 12 and any(r.value.unit != "d" for r in roles.rates):
            # `weekly x 4 weeks (6 tabs)`
            roles.unsupported.append(Role("dose or pack", role.chunk))
        else:
            roles.quantities.append(role)


def hold_other_doses(roles: Roles, columns: tuple[str, ...]) -> None:
    """Under `Medicine | Max dose | Frequency` no amount is known to be what is taken each time."""
    if not OTHER_DOSES.isdisjoint(columns):
        roles.unsupported.extend(Role("another dose than each", r.chunk) for r in (*roles.strengths, *roles.doses))


def hold_pieces_of_another_form(roles: Roles, lexicon: Lexicon) -> None:
    """`Tab X 40 mg 1 puff`, `eye drops 1 tab`: a form is written, and none that holds such pieces."""
    written = {r.value for r in roles.forms}
    families = {lexicon.form_family.get(form) for form in written}
    if not families or None in families:
        return
    for dose in roles.doses:
        held_in = lexicon.counted_in.get(str(dose.value.units[0]))
        # `Cap Foracort 1 puff`: a capsule to inhale.
        if held_in is not None and held_in.isdisjoint(families) and not ("inhaled" in held_in and "capsule" in written):
            roles.unsupported.append(Role("piece of another form", dose.chunk))


def time_doses(roles: Roles) -> None:
    """`16 units before breakfast, 10 units before dinner`: which time belongs to which dose."""
    if len(roles.doses) < 2:
        return
    ends = [d.chunk.start for d in roles.doses[1:]] + [10**12]
    for dose, end in zip(roles.doses, ends, strict=True):
        codes = tuple(w.value[0] for w in roles.whens if dose.chunk.end <= w.chunk.start < end)
        roles.doses_timed.append((dose, codes))
