"""Begin a statement, and settle how it stands to the one before it."""

import re

from medfence_guard.reader.chunks import Chunk
from medfence_guard.reader.draft import Draft
from medfence_guard.reader.segment.sheet import Sheet

_PERHAPS = re.compile(r"\+\s?/\s?-|±")
_OTHERWISE = frozenset({"vs", "versus", "else", "or else", "otherwise"})


def begin(sheet: Sheet, chunks: list[Chunk], place: int, anchor: int, numbered: int | None) -> Draft:
    lead = list(chunks[place : anchor + 1])
    while len(lead) > 2 and lead[0].kind == "number" and lead[1].kind == "mark":
        lead = lead[2:]
        sheet.context = []
    previous = sheet.open
    alternative = bool(_PERHAPS.search(sheet.text, max(0, chunks[place].start - 6), chunks[place].start)) or sheet.after_visit
    sheet.after_visit = False
    if previous is not None and previous.last_line == sheet.line and any(sheet.surface(c) in _OTHERWISE for c in lead):
        previous.alternative = alternative = True
    behind = previous.chunks[-1] if previous is not None else None
    if previous is not None and behind is not None and sheet.text[behind.start : behind.end] in ("or", "ya", "या", "either", "/", "vs"):
        previous.chunks.pop()
        previous.alternative = alternative = True
    if previous is not None and behind is not None and sheet.text[behind.start : behind.end] == "plus" and len(previous.chunks) > 2:
        if previous.chunks[-2].kind in ("duration", "rate", "slots"):
            # `x 7 days plus Y`: it only joins.
            previous.chunks.pop()
    same_clause = previous is not None and previous.last_line == sheet.line and not previous.after_break
    if previous is not None and same_clause and not previous.is_timed:
        previous.shared_tail = True
    carried = sheet.clause_cue
    if previous is not None and same_clause:
        own = [c for c in previous.chunks if c.kind == "cue"]
        carried = own[0] if own else previous.inherited
    if previous is not None and behind is not None and same_clause:
        turning = sheet.text[behind.start : behind.end] in ("to", "with", "by") or behind.value in ("->", "→", "arrow")
        if turning and any(c.kind == "cue" and c.value[0] in ("increase", "decrease") for c in previous.chunks):
            previous.replaced = True
        if any(c.kind == "cue" and c.value[0] == "switch_to" for c in [*lead, *previous.chunks[previous.anchor :]]):
            previous.replaced = True
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
        alternative=alternative or sheet.ticked,
    )
    if (
        sheet.broke
        and sheet.after_line is not None
        and any(c.kind in ("verb", "form") for c in [*context, *body])
        and not (
            sheet.section[1] == "past"
            and any(c.kind == "cue" and c.value[0] == "taking" for c in [*context, *body])
            and not any(c.kind == "verb" for c in [*context, *body])
        )
        and sheet.section[1] in ("family", "past", "none", "allergy")
    ):
        # A new sentence with an order in it is out of the reach of the heading before it on the line.
        sheet.open.section, sheet.open.section_status = sheet.after_line
    sheet.signed = False
    line, relevant = sheet.ahead
    if relevant and sheet.line - line <= 1:
        sheet.open.loose.extend(relevant)
    sheet.ahead = (-2, [])
    if sheet.unknown_heading:
        sheet.open.alternative = True
    for c in body:
        if c.kind == "cue":
            sheet.clause_cue = c
    return draft
