"""A combination and a printed composition: which strengths belong to which substance, and whether it is the same medicine."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from medfence_guard.reader.chunks import Chunk, DrugMention, Quantity
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.roles.context import GLUE_WORDS, Context
from medfence_guard.reader.roles.record import Role, Roles

_LONGEST_COMPOSITION = 200  # in chunks


def further_substance(chunks: Sequence[Chunk], place: int, roles: Roles) -> int:
    """The strength behind a further substance, where the one before it has a number without a unit.

    `Telmisartan 40/Hydrochlorothiazide 12.5` has two such numbers; in `Amoxicillin 500 + Clavulanate 125 mg` one unit
    is written for both, as in `500/125 mg`.
    """
    name = roles.name
    after = chunks[place + 1] if place + 1 < len(chunks) else None
    if name is None or name.label_chunk is None or after is None or after.kind not in ("number", "amount"):
        return place + 1
    quantity: Quantity = after.value
    if len(name.label) != len(name.parts) - 1 or len(quantity.parts) != 1 or quantity.high is not None or quantity.per:
        return place + 1
    spanned = after._replace(start=name.label_chunk.start, first=name.label_chunk.first)
    parts = (*name.label, *quantity.parts)
    if after.kind == "number":
        name.label, name.label_chunk = parts, spanned._replace(value=parts, kind="tuple")
        return place + 2
    whole = Quantity(parts, quantity.units * len(parts))
    roles.strengths.append(Role(whole, spanned._replace(value=whole)))
    name.label, name.label_chunk = (), None
    return place + 2


def printed(at: Context, place: int, anchor: int | None) -> int | None:
    """`(Rosuvastatin 10 mg + Aspirin 75 mg)`, `each tablet contains X IP`: names the generic of the same item."""
    chunks, roles = at.chunks, at.roles
    chunk = chunks[place]
    opens = chunk.kind == "mark" and chunk.value in ("(", "[")
    if not opens and not (chunk.kind == "composition" and chunk.value == "start"):
        return None
    if anchor is not None and place < anchor:
        return None
    if opens and (roles.has_timing or roles.durations):
        # Behind the timing a bracketed name is another matter.
        return None
    closing = {"(": ")", "[": "]"}.get(str(chunk.value)) if opens else None
    stop = place + 1
    while stop < len(chunks) and not (closing is not None and chunks[stop].kind == "mark" and chunks[stop].value == closing):
        stop += 1
        if stop - place > _LONGEST_COMPOSITION:
            return None
    inside = chunks[place + 1 : stop]
    if opens and inside and inside[0].value in ("+", "&", "not", "joiners"):
        # `(with X 5 mg)`: what is taken beside it.
        return None
    if not any(c.kind == "drug" for c in inside) or any(c.kind in ("cue", "rate", "slots", "prn", "when", "stat", "then") for c in inside):
        return None
    mention: DrugMention | None = None
    mention_chunk: Chunk | None = None
    for c in inside:
        if c.kind == "drug":
            if mention is not None and mention_chunk is not None:
                roles.composition.append((mention, None, mention_chunk))
            mention, mention_chunk = c.value, c
        elif c.kind == "amount" and mention is not None and mention_chunk is not None:
            roles.composition.append((mention, c.value, c))
            mention = None
        elif (
            c.kind in ("word", "number", "malformed", "unreadable", "tuple", "confused")
            and c.value not in GLUE_WORDS
            and c.value not in at.lexicon.salts
        ):
            roles.residue.append(Role(c.value, c))
    if mention is not None and mention_chunk is not None:
        roles.composition.append((mention, None, mention_chunk))
    return stop + 1


def bracketed_test(chunks: Sequence[Chunk], place: int) -> int | None:
    """`(INR monthly)`, `(check sugar weekly)`: a test in brackets, and how often it is done; no part of the regimen."""
    if chunks[place].value != "(":
        return None
    tested = False
    often: set[str] = set()
    for here in range(place + 1, len(chunks)):
        chunk = chunks[here]
        if chunk.kind in often:
            # `(weight daily, after 3 days BD)`: more than the test is spoken of.
            return None
        if chunk.kind in ("rate", "duration"):
            often.add(chunk.kind)
        if chunk.value == ")":
            return here + 1 if tested and here > place + 2 else None
        if chunk.kind == "header_line_starts" or (chunk.kind == "inert" and chunk.value == "monitoring"):
            tested = True
        elif not (chunk.kind in ("rate", "duration") and tested) and not (
            chunk.kind == "word" and chunk.value in (("every", "after", "in") if tested else ("check", "repeat", "recheck", "monitor"))
        ):
            return None
    return None


def check_composition(roles: Roles, lexicon: Lexicon) -> None:
    """A bracketed name that is not the composition of the name before it is another medicine, and unread."""
    name = roles.name
    if name is None or not roles.composition or name.entry is None:
        return
    printed = [d.name for d, _, _ in roles.composition]
    if any(n is None or n.ambiguous for n in printed):
        return
    molecules = {m for n in printed if n is not None for m in n.compositions[0]}
    bases = {_base(m, lexicon) for m in molecules}
    if not any(molecules == set(c) or bases == {_base(m, lexicon) for m in c} for c in name.entry.compositions):
        roles.residue.append(Role("another name", roles.composition[0][2]))


def check_strengths(roles: Roles) -> None:
    """`Telma 40 (Telmisartan 80 mg)`: the printed strength is neither the number of the name nor a part or sum of it."""
    printed = [q for _, q, _ in roles.composition if q is not None and len(q.parts) == 1 and q.units[0] is not None and not q.per]
    units = {q.units[0] for q in printed}
    if not printed or len(printed) != len(roles.composition) or len(units) > 1:
        return
    known = {q.parts[0] for q in printed} | {sum((q.parts[0] for q in printed), Fraction(0))}
    label = set(roles.name.label) if roles.name is not None and roles.name.label_chunk is not None else set()
    outer = {part for r in roles.strengths if r.value.units[0] in units and not r.value.per for part in r.value.parts}
    if (label or outer) - known:
        roles.residue.append(Role("another strength", roles.composition[0][2]))


def _base(molecule: str, lexicon: Lexicon) -> str:
    """A molecule without its salt or ester: a label prints `Cefuroxime` for cefuroxime axetil."""
    words = molecule.split()
    while len(words) > 1 and words[-1] in lexicon.salts:
        words.pop()
    return " ".join(words)
