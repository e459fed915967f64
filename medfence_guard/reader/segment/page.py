"""Over the lines of a page: cut into statements, with all beside them that a person must see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from medfence_guard.reader.chunks import DrugMention, extent_in_order
from medfence_guard.reader.draft import Segmented
from medfence_guard.reader.leftover import Page, Section, unaccounted
from medfence_guard.reader.lexicon import AsideClass, Lexicon, spoken_in
from medfence_guard.reader.lines import SEXES, blocks, is_rule
from medfence_guard.reader.misread import Misread
from medfence_guard.reader.openings import begins_an_order, count_serials, letter_of, listed_in_a_line, soap_letter, table_head
from medfence_guard.reader.segment.line import read_line
from medfence_guard.reader.segment.sheet import Sheet
from medfence_guard.reader.shared import Sharing
from medfence_guard.reader.told import Line, Told, parted


def _classes_for(mentions: Sequence[DrugMention], classes: Sequence[AsideClass]) -> list[AsideClass]:
    """Without `no antibiotics` where a medicine may be one, by a part of its molecules' names; of an unknown name nobody can say."""
    hidden = any(mention.name is None or mention.name.ambiguous for mention in mentions)
    molecules = [molecule for mention in mentions if mention.name for members in mention.name.compositions for molecule in members]
    keys = "\n".join([*molecules, *(mention.key for mention in mentions)])
    return [row for row in classes if row.members is None or (not hidden and row.members.search(keys) is None)]


def _heads_orders(sheet: Sheet) -> None:
    """`Rx (2 months)`"""
    sheet.section, sheet.unknown_heading, sheet.muted, sheet.context, sheet.clause_cue = ("rx", "active"), False, False, [], None
    sheet.out.prescriptions += 1


def cut(
    lines: Sequence[Line],
    text: str,
    lexicon: Lexicon,
    *,
    split: bool = True,
    typed: bool = False,
    misread: Misread | None = None,
    in_order: bool = False,
) -> Segmented:
    """The statements of a page, with all beside them that a person must see. `text`: folded.

    `split`: words of the text were cut into pieces, so that its runs of letters are not all that can be read in it.
    `typed`: no line of the text can have been lost, and no word misread; `misread`: what the words
    of a page that an engine recognised may be; `in_order`: the words of a line stand in the text as they stand in the line.
    """
    lines = [(entry, broken and not n) for chunks, broken in lines for n, entry in enumerate(listed_in_a_line(chunks))]
    placed = [(line, extent_in_order(line[0], in_order=in_order)) for line in parted(lines, lambda c: text[c.start : c.end], lexicon.told)]
    placed = [(line, span) for line, span in placed if not is_rule(text[slice(*span)])]
    lines = [line for line, _ in placed]
    sheet = _sheet_of(lines, text, lexicon, None if split else spoken_in(text), in_order=in_order)
    sharing = Sharing(lines, text, lexicon.told, typed=typed, spoken=sheet.spoken)
    sections, signed = _read_lines(sheet, lines, sharing.told_once)
    out = sheet.out
    ordered = sorted({d.line for d in out.drafts})
    page = Page(
        text,
        sheet.lexicon,
        sheet.asides,
        [chunks for chunks, _ in lines],
        [span for _, span in placed],
        sections,
        frozenset(signed),
        sheet.told_asides,
        frozenset(sheet.heads),
        ordered,
        frozenset(ordered),
        min([d.start for d in out.drafts], default=0),
        sheet.spoken,
        misread,
        in_order,
    )
    out.remarks.extend(unaccounted([c for d in out.drafts for c in d.chunks], page))
    if sheet.ends_with is not None and sheet.ends_with[1] == len(out.drafts):
        # `stopped` on a line of its own, and nothing below it: it is of what stands above.
        out.remarks.append(sheet.ends_with[0])
    sharing.give(out)
    persons, days = blocks([chunks for chunks, _ in lines], ordered, text, aged=sheet.may_say(SEXES))
    out.patients = max(out.patients, 2 if persons else 0)
    out.prescriptions = max(out.prescriptions, 2 if days else 0)
    if sheet.voided:
        for draft in out.drafts:
            draft.alternative = True
    return out


def _sheet_of(lines: Sequence[Line], text: str, lexicon: Lexicon, spoken: frozenset[str] | None, *, in_order: bool) -> Sheet:
    """The page as it is before its first line is read."""
    heads = {n: columns for n, (chunks, _) in enumerate(lines) if (columns := table_head(chunks))}
    kinds = [{c.kind for c in chunks} for chunks, _ in lines]
    ordered = [chunks for (chunks, _), of in zip(lines, kinds, strict=True) if "drug" in of]
    marks = frozenset(str(chunks[0].value) if chunks[0].kind == "mark" else "" for chunks in ordered)
    letters = {str(chunks[0].value) for chunks, _ in lines if soap_letter(chunks)}
    return Sheet(
        text=text,
        lexicon=lexicon if spoken is None else lexicon.for_page(spoken),
        spoken=spoken,
        in_order=in_order,
        asides=_classes_for([c.value for line, _ in lines for c in line if c.kind == "drug"], lexicon.asides),
        marked_for_a_model="<!--" in text or any(mark in text for mark in lexicon.instruction_marks),
        followed=[not of.isdisjoint(("drug", "form")) for of in kinds[1:]] + [False],
        begun=[begins_an_order(after) for after, _ in lines[1:]] + [False],
        heads=heads,
        serials=count_serials(lines, heads),
        # `+` and `-` tell apart what was added and taken off; `>` what is quoted from what is not.
        signs=marks if {"+", "-"} <= marks or (">" in marks and len(marks) > 1) else frozenset(),
        soap="p" in letters and len(letters) > 1,
        list_letters=frozenset(letter_of(chunks, text) for chunks, _ in lines),
    )


def _read_lines(sheet: Sheet, lines: Sequence[Line], told_once: Mapping[int, Told]) -> tuple[list[tuple[Section, Section]], list[int]]:
    """Read every line. The section before and behind each, and the lines below a signature."""
    sections: list[tuple[Section, Section]] = []
    signed: list[int] = []
    for number, (chunks, broken) in enumerate(lines):
        sheet.line = number
        if broken:
            sheet.close()
        if number in told_once and told_once[number].word and _stands_at_orders(sheet, lines, number, told_once[number]):
            sheet.close()
            if sheet.surface(chunks[0]) in sheet.lexicon.told.heads_a_list:
                _heads_orders(sheet)
            # `Continue all for 1 month` may be of more than stands on the page.
            sheet.out.collectives.extend(c for c in chunks if c.kind == "collective")
            sections.append((sheet.section, sheet.section))
            sheet.told_asides.append((chunks[0].start, chunks[-1].end))
            continue
        if sheet.after_line is not None:
            sheet.section, sheet.after_line = sheet.after_line, None
        before = sheet.section
        if sheet.signed:
            signed.append(number)
        read_line(sheet, chunks)
        sections.append((before, sheet.section))
    sheet.close()
    return sections, signed


def _stands_at_orders(sheet: Sheet, lines: Sequence[Line], line: int, told: Told) -> bool:
    """Whether a line of nothing but what is told of all stands directly above or below orders."""
    below = line + 1 < len(lines) and any(c.kind in ("drug", "form") for c in lines[line + 1][0][:3])
    above = sheet.open or (sheet.out.drafts[-1] if sheet.out.drafts else None)
    return below or (not told.hour and above is not None and above.last_line == line - 1)
