"""Along the chunks of a statement or of a payload value: which rule gives which kind of chunk its role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from medfence_guard.reader.chunks import Chunk, Quantity, means
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.roles.amounts import (
    add_label,
    hold_other_doses,
    hold_pieces_of_another_form,
    read_amount,
    read_number,
    read_quantity,
    read_two_numbers,
    settle_counts,
    time_doses,
)
from medfence_guard.reader.roles.columns import read_columns
from medfence_guard.reader.roles.composition import bracketed_test, check_composition, check_strengths, further_substance, printed
from medfence_guard.reader.roles.conditions import (
    read_ambiguous,
    read_as_needed,
    read_cue,
    read_measured,
    read_negation,
    read_part_of_reason,
    read_reason,
    read_terminator,
)
from medfence_guard.reader.roles.context import Context
from medfence_guard.reader.roles.manner import read_form, read_release, read_route, read_site, read_verb, settle_right_eye
from medfence_guard.reader.roles.names import NameReader
from medfence_guard.reader.roles.record import NameReading, Role, Roles
from medfence_guard.reader.roles.timing import (
    SAID_OF_OTHERS,
    is_beside,
    read_duration,
    read_open_duration,
    read_rate,
    read_weekday,
    read_when,
)
from medfence_guard.reader.roles.words import (
    pass_by,
    read_another_name,
    read_heading,
    read_inert,
    read_label,
    read_mark,
    read_word,
    read_word_of_composition,
)

# Kind of chunk -> the rule that gives it its role and says where to go on.
_RULES: Mapping[str, Callable[[Context, int], int]] = {
    "amount": read_amount,
    "number": read_number,
    "range": read_two_numbers,
    "quantity": read_quantity,
    "rate": read_rate,
    "weekday": read_weekday,
    "duration": read_duration,
    "duration_open": read_open_duration,
    "form": read_form,
    "release": read_release,
    "route": read_route,
    "site": read_site,
    "verb": read_verb,
    "prn": read_as_needed,
    "when": read_when,
    "cue": read_cue,
    "pseudo_cue": read_negation,
    "terminator": read_terminator,
    "indication": read_reason,
    "header_line_starts": read_measured,
    "indication_part": read_part_of_reason,
    "ambiguous": read_ambiguous,
    "word": read_word,
    "mark": read_mark,
    "inert": read_inert,
    "label": read_label,
    "heading": read_heading,
    "composition": read_word_of_composition,
    "drug": read_another_name,
    "review_phrases": pass_by,
    "boilerplate": read_heading,
    "item": pass_by,
}
_OF_THE_EYE = frozenset({"eye", "ear", "drops"})
# Kind of chunk -> its role, whatever stands beside it. What has no row here or above is residue.
_ROLE_OF = {
    "slots": "slots",
    "tuple": "numbers",
    "stat": "stat",
    "as_directed": "as_directed",
    "maximum": "maxima",
    "refill": "refills",
    "unsupported": "unsupported",
    "then": "unsupported",
    "malformed": "unreadable",
    "confused": "unreadable",
    "unreadable": "unreadable",
}


class RoleReader:
    """Assigns roles. The same reader serves statements (with a name) and single payload values (without)."""

    def __init__(self, lexicon: Lexicon, insulins: frozenset[str], names: NameReader) -> None:
        self._lexicon = lexicon
        self._insulins = insulins
        self._names = names

    def is_insulin(self, name: NameReading | None) -> bool:
        """Whether every reading of the name is an insulin of the bundle (P5: unit = IU by a bundle fact only)."""
        entry = name.entry or name.stem if name is not None else None
        if entry is None:
            return False
        return all(any(m in self._insulins for m in composition) for composition in entry.compositions)

    def read(
        self,
        chunks: Sequence[Chunk],
        anchor: int | None,
        surface: Callable[[Chunk], str],
        columns: tuple[str, ...] = (),
        whole: Sequence[Chunk] = (),
    ) -> Roles:
        """Roles of all chunks. `anchor`: index of the name, None for a payload value that holds none.

        `whole`: all steps of the statement that `chunks` is one step of; the form is written in the first only.
        """
        roles = Roles()
        after_name = 0
        if anchor is not None:
            roles.name, after_name = self._names.read(chunks, anchor, surface)
            for chunk in chunks[anchor:after_name]:
                if chunk.kind == "release":
                    roles.releases.append(Role(chunk.value, chunk))
        formed = whole or chunks
        family = self._lexicon.form_family
        eye = not _OF_THE_EYE.isdisjoint([family.get(c.value) for c in formed if c.kind == "form"])
        eye = eye or "[drp]" in [c.value.units[0] for c in formed if c.kind == "amount"]
        families = frozenset([family.get(c.value) for c in chunks if c.kind == "form" and not means(c, "release")])
        at = Context(self._lexicon, chunks, surface, roles, self.is_insulin(roles.name), eye, bool(columns), families)
        place = 0
        count = len(chunks)
        while place < count:
            place = after_name if place == anchor else self._next(at, place, anchor)
        # Of steps that say how often, `OD` says it too.
        _settle(at, columns, stepped=any(c.kind == "rate" and surface(c) != "od" for c in whole))
        return roles

    def _next(self, at: Context, place: int, anchor: int | None) -> int:
        """Read what begins at `place`: a further substance, a bracket as a whole, or one chunk; the index behind it."""
        chunks, roles = at.chunks, at.roles
        chunk = chunks[place]
        kind = chunk.kind
        if (
            kind == "drug"
            and roles.name is not None
            and chunks[place - 1].value in ("+", "/", "&", "and", "-")
            and self._names.extend(roles.name, chunk)
        ):
            return further_substance(chunks, place, roles)
        if kind in ("mark", "composition"):
            behind = printed(at, place, anchor) or bracketed_test(chunks, place)
            if behind is not None:
                return behind
        if kind in SAID_OF_OTHERS and is_beside(at, place):
            roles.beside.append(Role(chunk.value, chunk))
            return place + 1
        rule = _RULES.get(kind)
        if rule is not None:
            return rule(at, place)
        role = _ROLE_OF.get(kind)
        if role is None:
            roles.residue.append(Role(kind, chunk))
        else:
            getattr(roles, role).append(Role(chunk.value, chunk))
        return place + 1


def _settle(at: Context, columns: tuple[str, ...], *, stepped: bool) -> None:
    """What can be told only once all chunks are read. `stepped`: the statement has steps that say how often."""
    roles, chunks = at.roles, at.chunks
    if roles.name is not None and roles.name.label_chunk is not None:
        add_label(roles)
    if any(r.value.startswith("tablet_") for r in roles.forms):
        # `Tab X 4 mg - chewable`: of what kind, beside that it is one.
        roles.forms = [r for r in roles.forms if r.value != "tablet"]
    check_composition(roles, at.lexicon)
    check_strengths(roles)
    for role in roles.slots:
        values, unit = role.value
        distinct = {v for v in values if v}
        if unit is not None and len(distinct) == 1:
            roles.doses.append(Role(Quantity((distinct.pop(),), (unit,)), role.chunk))
    if at.eye and not (stepped and len(roles.rates) == 1 and not roles.slots):
        # `QID x 1 week, OD x 1 week`: each step says how often.
        settle_right_eye(roles, at.surface)
    read_columns(roles, columns, chunks)
    settle_counts(roles)
    hold_pieces_of_another_form(roles, at.lexicon)
    hold_other_doses(roles, columns)
    if roles.name is not None and not roles.has_timing:
        # Nothing else says how often: it may be the order's after all.
        timing = [r for r in roles.beside if r.chunk.kind not in ("duration", "site")]
        roles.unsupported.extend(Role("timing of something else", r.chunk) for r in timing)
        roles.beside = [r for r in roles.beside if r not in timing]
    time_doses(roles)
