"""Begin a statement, and settle how it stands to the one before it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.draft import Draft
from medfence_guard.reader.openings import is_list_number
from medfence_guard.reader.segment.sheet import Sheet

_PERHAPS = re.compile(r"\+\s?/\s?-|±")
_BEGUN = frozenset({"start", "started", "begin", "begun", "add", "added"})


def begin(sheet: Sheet, chunks: list[Chunk], place: int, anchor: int, numbered: int | None) -> Draft:
    """Open the statement whose lead begins at `place` and whose name stands at `anchor`; the one before it ends."""
    lead = list(chunks[place : anchor + 1])
    while len(lead) > 2 and is_list_number(lead, 0):
        lead = lead[2:]
    alternative = bool(_PERHAPS.search(sheet.text, max(0, chunks[place].start - 6), chunks[place].start)) or sheet.after_visit
    sheet.after_visit = False
    carried = sheet.clause_cue
    previous = sheet.open
    if previous is not None:
        behind = previous.chunks[-1]
        alternative = _takes_turns(sheet, previous, lead) or alternative
        if previous.last_line == sheet.line and not previous.after_break:
            carried = _share_clause(sheet, previous, behind, lead)
    sheet.close()
    context = sheet.context
    sheet.context = []
    # An amount, form or verb that stood open before the lead belongs to this statement.
    back: list[Chunk] = []
    while (context and context[-1].kind in ("form", "verb", "cue", "pseudo_cue")) or (
        context and context[-1].kind == "mark" and context[-1].value in (".", "-")
    ):
        back.insert(0, context.pop())
    body = back + lead
    sheet.open = draft = Draft(
        chunks=body,
        anchor=len(body) - 1,
        context=context,
        section=sheet.section[0],
        section_status=sheet.section[1],
        line=sheet.line,
        block=sheet.out.prescriptions,
        columns=sheet.columns,
        injected=sheet.injected,
        inherited=carried,
        known=chunks[anchor].kind == "drug",
        numbered=numbered,
        last_line=sheet.line,
        alternative=alternative or sheet.ticked or sheet.unknown_heading,
    )
    if sheet.broke and sheet.after_line is not None and _is_out_of_reach(sheet.section[1], [*context, *body]):
        draft.section, draft.section_status = sheet.after_line
    sheet.signed = False
    line, relevant = sheet.ahead
    if relevant and sheet.line - line <= 1:
        draft.loose.extend(relevant)
    sheet.ahead = (-2, [])
    for c in body:
        if c.kind == "cue":
            sheet.clause_cue = c
    return draft


def _takes_turns(sheet: Sheet, previous: Draft, lead: Sequence[Chunk]) -> bool:
    """`X or Y`, `X, else Y`: one of the two, and nobody knows which. The word that joins them is of neither."""
    either = previous.last_line == sheet.line and any(sheet.surface(c) in sheet.lexicon.page.otherwise for c in lead)
    joint = sheet.surface(previous.chunks[-1])
    if joint in sheet.lexicon.page.either:
        if len(previous.chunks) - 1 > previous.anchor:
            previous.chunks.pop()
        either = True
    elif joint == "plus" and len(previous.chunks) > 2 and previous.chunks[-2].kind in ("duration", "rate", "slots"):
        # `x 7 days plus Y`: it only joins.
        previous.chunks.pop()
    previous.alternative = previous.alternative or either
    return either


def _share_clause(sheet: Sheet, previous: Draft, joint: Chunk, lead: Sequence[Chunk]) -> Chunk | None:
    """What two statements of one clause have in common: a timing behind both, a cue before both; the cue of the second is told.

    `Increase X to Y`, `change X to Y`: the second takes the place of the first.
    """
    if not previous.is_timed:
        previous.shared_tail = True
    turning = sheet.surface(joint) in ("to", "with", "by") or joint.value in ("->", "→", "arrow")
    if turning and any(c.kind == "cue" and c.value[0] in ("increase", "decrease") for c in previous.chunks):
        previous.replaced = True
    if any(c.kind == "cue" and c.value[0] == "switch_to" for c in [*lead, *previous.chunks[previous.anchor :]]):
        previous.replaced = True
    behind = next((c for c in previous.chunks if c.kind == "cue"), previous.inherited)
    if behind is not None and behind.start > previous.chunks[previous.anchor].start and any(sheet.surface(c) in _BEGUN for c in lead):
        # `X stopped, started Y`
        return None
    return behind


def _is_out_of_reach(status: str, words: Sequence[Chunk]) -> bool:
    """Whether a new sentence with an order in it is out of the reach of the heading before it on the line."""
    if status not in ("family", "past", "none", "allergy") or not any(c.kind in ("verb", "form") for c in words):
        return False
    taken = any(c.kind == "cue" and c.value[0] == "taking" for c in words) and not any(c.kind == "verb" for c in words)
    return status != "past" or not taken
