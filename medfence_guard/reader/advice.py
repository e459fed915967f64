"""Advice with a time, a piece or a refusal in it: `Do not miss drops`, `Fasting and 2 hr PP sugar on Monday` (P21).

`asides.py` and `plain.py` take a clause by its words, and no word of an order may be one of theirs. Here the clause is taken
by its shape: `lexicon/advice.json` lists the shapes a reviewer has read as a whole, each a row of slots, each slot a table of
phrases. A time in such a shape is the time of a measurement, a visit, a diet or a device; a dose is one that is not to be missed.

A shape holds for a clause from its first token to its last, or not at all; one token more, and whatever the clause says may be
of an order. Nor is it advice if the clause heads something (`Check BP:`), or if the line before it waits for it (`give with`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from medfence_guard.reader.chunks import Chunk, extent
from medfence_guard.reader.lexicon import ADVICE_TOKEN, Advice

# Whatever the words, these are of a medicine, or of nothing that can be read.
_NEVER = frozenset("slots maximum quantity refill confused unreadable instruction_to_model composition malformed".split())
_WAITS = re.compile(r"\b(?:for|with|in|if|till|until|unless|when|while|before|after|and|or|at|on|to|of|by|than|per|x)[\s,:-]*$")
_LONGEST_WAIT = 12


def is_advice_by_shape(chunks: Sequence[Chunk], text: str, advice: Advice) -> bool:
    """Whether a whole clause has one of the shapes. `text`: the folded source the chunks point into."""
    if not chunks:
        return False
    start, end = extent(chunks)
    tokens = ADVICE_TOKEN.findall(text, start, end)
    if not advice.may_begin(tokens) or any(c.kind in _NEVER for c in chunks):
        return False
    if any(c.kind == "drug" and text[c.start : c.end] not in advice.named for c in chunks):
        return False
    if _WAITS.search(text[max(0, start - _LONGEST_WAIT) : start]) or text[end : end + 2].lstrip().startswith(":"):
        return False
    return advice.holds(tokens, opens=not text[:start].strip())
