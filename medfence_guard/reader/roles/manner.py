"""In which form, by which route and where it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from medfence_guard.reader.chunks import Chunk, meaning_of, means
from medfence_guard.reader.lexicon import NOT_SWALLOWED
from medfence_guard.reader.roles.context import SILENT_GLUE, Context, is_last
from medfence_guard.reader.roles.record import Role, Roles

# Routes whose letters mean another thing elsewhere -> the family of forms beside which they do not.
_ONLY_ROUTE_OF = {"topical": "topical", "rectal": "rectal"}
_JOINING = frozenset({"+", "&", "/", ",", "and", "with", "joiners"})


def read_form(at: Context, place: int) -> int:
    chunk = at.chunks[place]
    if _is_release(at, place):
        return read_release(at, place)
    if _is_other_form(at, place) or _is_second_before_the_name(at, chunk):
        at.roles.residue.append(Role("another form", chunk))
    else:
        at.roles.forms.append(Role(chunk.value, chunk))
    return place + 1


def read_release(at: Context, place: int) -> int:
    """A release word away from name, number and form is a title, a route or a degree; it is not read here."""
    chunks, roles = at.chunks, at.roles
    chunk = chunks[place]
    before = chunks[place - 1] if place else None
    near = before is None or before.kind in ("number", "amount", "tuple", "form", "drug", "release") or place == 0
    if chunk.kind == "form":
        roles.releases.append(Role(meaning_of(chunk, "release"), chunk))
    elif near:
        roles.releases.append(Role(chunk.value, chunk))
    elif means(chunk, "route"):
        roles.ambiguous.append(Role(("route", ()), chunk))
    else:
        roles.residue.append(Role(chunk.value[0], chunk))
    return place + 1


def read_route(at: Context, place: int) -> int:
    chunks, roles = at.chunks, at.roles
    chunk = chunks[place]
    if chunk.value == "nasal" and at.surface(chunk) == "in" and _is_before_a_site(chunks, place + 1):
        # `1 drop in the right eye`
        return place + 1
    families = {at.lexicon.form_family.get(f.value) for f in roles.forms}
    # `cream LA` is local application: nothing for the skin is long acting. A `suppository PR` is given per rectum.
    settled = families == {_ONLY_ROUTE_OF.get(chunk.value)}
    if "needs_position" in chunk.notes and not settled:
        roles.ambiguous.append(Role(("route", (chunk.value,)), chunk))
        return place + 1
    roles.routes.append(Role(chunk.value, chunk))
    for meaning in chunk.meanings:
        if meaning.kind == "site":
            roles.sites.append(Role(meaning.value, chunk))
    return place + 1


def _is_before_a_site(chunks: Sequence[Chunk], place: int) -> bool:
    after = next((c for c in chunks[place : place + 2] if c.value != "function_words"), None)
    return after is not None and after.kind == "site"


def read_verb(at: Context, place: int) -> int:
    """`Tab X 40 mg OD, apply`: nothing is done so with a tablet; it is of a medicine that was lost, or of another form."""
    chunk = at.chunks[place]
    if NOT_SWALLOWED in chunk.notes and at.families == {"solid_oral"}:
        at.roles.residue.append(Role(at.surface(chunk), chunk))
    at.roles.verbs.append(Role(chunk.value, chunk))
    return place + 1


def read_site(at: Context, place: int) -> int:
    chunk, roles = at.chunks[place], at.roles
    text = at.surface(chunk)
    if "ambiguous_site" in chunk.notes:
        if at.eye:
            roles.ambiguous.append(Role(("site", (chunk.value,)), chunk))
        elif text not in SILENT_GLUE:
            roles.ambiguous.append(Role(("rate", ()), chunk))
        return place + 1
    if len(text) <= 2 and not at.eye:
        if text in ("be", "re", "le"):
            return place + 1
        roles.residue.append(Role(text, chunk))
        return place + 1
    reason = any(c.kind in ("indication", "indication_part") for c in at.chunks[max(0, place - 1) : place])
    if at.families and is_swallowed(at) and at.lexicon.site_route.get(chunk.value) == "topical" and not reason:
        # `Tab X 650 mg TDS on chest`: what is swallowed is not put there, and something else may be.
        roles.residue.append(Role(text, chunk))
        return place + 1
    roles.sites.append(Role(chunk.value, chunk))
    return place + 1


def is_swallowed(at: Context) -> bool:
    """Whether nothing of the statement is applied at a place: it is swallowed, or no form is written."""
    return at.families <= {"solid_oral", "liquid_oral", "powder_oral"}


_NOT_SWALLOWED = frozenset("injection transdermal rectal topical eye ear nasal drops spray".split())


def _is_other_form(at: Context, place: int) -> bool:
    """`Tab X 5 mg OD + Inhaler`, `…, Enema`: behind the order and a joint, a form of another kind is another order.

    `Tab X 40 mg by inj`: what is swallowed is not injected, wherever the two stand.
    """
    chunks, roles = at.chunks, at.roles
    before = chunks[place - 1] if place else None
    if roles.name is None or before is None:
        return False
    family = at.lexicon.form_family.get(chunks[place].value)
    if family in _NOT_SWALLOWED and roles.forms and at.lexicon.form_family.get(roles.forms[0].value) == "solid_oral":
        return True
    joined = before.value in _JOINING
    if not joined and not (roles.has_timing and is_last(chunks, place)):
        return False
    families = {at.lexicon.form_family.get(r.value) for r in roles.forms}
    other = family not in families
    if not joined:
        # `Tab X 40 mg OD susp`: the timing is told, so no form is.
        return other and bool(families)
    return other if families else before.value in ("+", "&") and roles.has_timing


def _is_second_before_the_name(at: Context, chunk: Chunk) -> bool:
    """`Syrup. Cap X`: two forms of different kinds before one name; the first is of a medicine that was lost."""
    name, family = at.roles.name, at.lexicon.form_family
    before = name is not None and chunk.start < name.start and bool(at.roles.forms)
    return before and family.get(at.roles.forms[-1].value) != family.get(chunk.value)


def _is_release(at: Context, place: int) -> bool:
    """`Tab Carbamazepine 200 mg CR`: beside a solid form, or behind a mass, it is the release and no cream."""
    chunks = at.chunks
    chunk = chunks[place]
    if chunk.kind != "form" or not means(chunk, "release"):
        return False
    if any(c.kind == "form" and c is not chunk and at.lexicon.form_family.get(c.value) == "solid_oral" for c in chunks):
        return True
    before = chunks[place - 1] if place else None
    if before is None or before.kind != "amount" or before.value.per:
        return False
    return all(u is not None and at.lexicon.unit_by_ucum[u].dimension == "mass" for u in before.value.units)


def settle_right_eye(roles: Roles, surface: Callable[[Chunk], str]) -> None:
    """`OD` beside an eye form: the right eye if another frequency is written, else either."""
    od = [r for r in roles.rates if surface(r.chunk) == "od"]
    if not od:
        return
    others = [r for r in roles.rates if r not in od] or roles.slots
    roles.rates = [r for r in roles.rates if r not in od]
    for role in od:
        if others:
            roles.sites.append(Role("right eye", role.chunk))
        else:
            roles.ambiguous.append(Role(("rate", (role.value,)), role.chunk))
