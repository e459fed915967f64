"""What the rules of the roles are asked about: the chunks of one statement, and what is known of the whole of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from medfence_guard.reader.chunks import Chunk, meaning_of
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.roles.record import Roles

# Words that join and carry nothing; every other unknown word is residue.
GLUE_WORDS = frozenset("x for of to a an the and per at in on with by as each only ℞ no nos re be le is are it".split())
SILENT_GLUE = frozenset("x for of a an the and at in with as each ℞ is are to on be per by".split())


@dataclass(slots=True)
class Context:
    """One statement, or one payload value, while its chunks get their roles.

    `insulin`: its name is one; `eye`: it is given in drops; `tabled`: it stands under the heads of columns; `families`: of its forms.
    """

    lexicon: Lexicon
    chunks: Sequence[Chunk]
    surface: Callable[[Chunk], str]
    roles: Roles
    insulin: bool
    eye: bool
    tabled: bool
    families: frozenset[str | None]


def is_last(chunks: Sequence[Chunk], place: int) -> bool:
    """Whether nothing but marks stands behind a chunk in its clause."""
    return all(c.kind in ("mark", "item") for c in chunks[place + 1 :])


def labelled(chunks: Sequence[Chunk], place: int) -> str | None:
    """The field of the label directly before a chunk: `Qty: 30`."""
    before = chunks[place - 1] if place else None
    if before is not None and before.kind == "mark" and before.value in (":", "-", "="):
        before = chunks[place - 2] if place > 1 else None
    value = meaning_of(before, "label") if before is not None else None
    return str(value) if value is not None else None
