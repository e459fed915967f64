"""What a claim holds, before it is compared with anything: its amounts, and what nobody can read in it."""

from __future__ import annotations

import re

from medfence_guard.checks.grounding.wording import words_of
from medfence_guard.compare import ABSTAIN, Judgement
from medfence_guard.contract import Severity
from medfence_guard.payload import Claim, Item
from medfence_guard.reader.chunks import Quantity
from medfence_guard.reader.roles.record import Roles

UNREAD_WORDS = Judgement(ABSTAIN, "claim.unread_words", "the claim holds words that are not read", severity=Severity.MAJOR)
"""What is judged beside everything else when a claim holds words that no grammar read: it is never entailed as a whole."""

KEY_CONTRADICTS = Judgement(
    ABSTAIN, "claim.key_contradicts", "the key of the claim says another thing than its value", severity=Severity.MAJOR
)
"""`{"before_food": "after food"}`, `{"ear": "RE"}`: a key is part of the claim; at odds with its value it entails nothing."""


def claim_says(claim: Claim) -> str:
    """How the message of every finding about a claim begins."""
    return f"Extraction says {claim.text!r} for {claim.field}; "


def claimed_name_words(item: Item) -> set[str]:
    """The words of the item's name that tell medicines apart: without forms and conjunctions."""
    told = next((c.text for c in item.claims if c.field in ("name", "generic_name")), "")
    return {w for w in words_of(told) if w not in ("and", "with", "tab", "cap", "inj", "syp", "tablet", "capsule", "injection", "syrup")}


def unreadable_claim(roles: Roles) -> list[Judgement]:
    """A value with characters outside the alphabet, or with words and numbers nobody reads, entails nothing."""
    out: list[Judgement] = []
    for role in roles.unreadable:
        what = (
            "the claim holds characters outside the alphabet"
            if role.chunk.kind == "unreadable"
            else "the claim holds a number or word that is not well formed"
        )
        out.append(Judgement(ABSTAIN, "claim.unreadable", what, severity=Severity.MAJOR))
    if roles.cues or roles.unsupported:
        out.append(Judgement(ABSTAIN, "claim.unread_words", "the claim says more than its field is for", severity=Severity.MAJOR))
    return out


_LONGEST_JOINT = 4
_DANGLING = re.compile(r"(?:[+/&]|\b(?:and|with|or|then))\s*$|^\s*(?:[+/&]|(?:and|plus|or|then)\b)", re.IGNORECASE)


def is_cut_short(claim: Claim, roles: Roles) -> bool:
    """`Telmisartan +`, `fever and`: a joint with nothing behind it, or before it; `Nexito+` may be a name."""
    if claim.text.isalnum() and len(claim.text) > _LONGEST_JOINT:
        # One word, and no joint.
        return False
    joint = _DANGLING.search(claim.text)
    return joint is not None and not (roles.name is not None and roles.name.start <= joint.start() and joint.end() <= roles.name.end)


def quantities_of(roles: Roles) -> list[Quantity]:
    """All amounts of a payload value, whatever their dimension, and bare numbers and tuples."""
    found = [(r.chunk.start, r.value) for r in (*roles.strengths, *roles.doses)]
    for r in roles.numbers:
        if isinstance(r.value, Quantity):
            found.append((r.chunk.start, r.value))
        else:
            found.append((r.chunk.start, Quantity(tuple(r.value), (None,) * len(r.value))))
    return [q for _, q in sorted(found, key=lambda pair: pair[0])]
