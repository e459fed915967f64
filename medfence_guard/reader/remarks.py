"""Lines that speak of the orders on the page, wherever they stand, and headings that put them elsewhere (P10, P21).

`leftover.py` holds every clause that no statement took to a closed world; here is what would pass there, or is a statement's
own line: `Copy of old prescription`, `First two only`, `slots: night - noon - morning`, `Continue at discharge: No`. Such a line
is never applied to an order: which one, and how, is a person's business.

A heading is a remark too: `OLD LIST`, `Ward stock:`, `## Weaned` put the orders below at another time or place. The words are
`lexicon/remarks.json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from medfence_guard.reader.lexicon import Lexicon, spoken_in

_WORD = re.compile(r"[a-z0-9\u0900-\u097f][a-z0-9\u0900-\u097f'-]*")
# Slots that run from the night to the morning: `N-A-M`, `(Night - Noon - Morning)`.
_REVERSED_SLOTS = re.compile(r"\bn ?[-/ ] ?[an] ?[-/ ] ?m\b|\bnight\W+(?:noon|afternoon|evening)\W+(?:noon|morning)\b")


def turns_the_slots(text: str) -> bool:
    """Whether a line says that slots are written from night to morning."""
    return _REVERSED_SLOTS.search(text) is not None


def speaks_of_orders(text: str, lexicon: Lexicon, *, behind: bool) -> bool:
    """Whether a clause says, wherever it stands, that this is another paper, or that nothing is taken of it.

    `text`: the clause, folded, its words in the order of the page; `behind`: an order stands above it.
    """
    words = lexicon.remarks
    return words.other_papers.search(text) is not None or (behind and words.no_intake.search(text) is not None)


# The section of `Changes today:`.
CHANGES = "changes"
_LONGEST_SENTENCE = 200
_DECORATION = "#=*-_:. ()<>/[]~|"


def heads_something_else(text: str, lexicon: Lexicon) -> bool:
    """`OLD LIST`, `Ward stock:`, `=== ARCHIVE ===`, `Week 2`: words of another time, place or decision, and nothing else."""
    words = lexicon.remarks
    bare = re.sub(r"</?[a-z0-9]+>", " ", text).strip(_DECORATION)
    if not bare or len(bare) > 60:
        return False
    page = lexicon.page
    if page.counted_heading.match(bare) or page.past_occasion.match(bare) or bare in words.lone_headings or _of_somebody(bare):
        return True
    if not words.may_find("other_headings", spoken_in(bare)) or words.other_headings.search(bare) is None:
        return False
    rest = _WORD.findall(words.other_headings.sub(" ", bare))
    return len(rest) <= 5 and sum(not (word in words.heading_words or word.isdigit()) for word in rest) <= 1


_OF_SOMEBODY = re.compile(r"(?:dr\.? ?)?([a-z.]+)'s? (?:prescriptions?|treatment|medicines?|medications?|meds|drugs|tablets|rx|orders)")
_SAID_BY = re.compile(r"dr\.? ?[a-z.]+ (?:has )?(?:advised|prescribed|suggested|recommended|ordered|started|wants)")
_OF_THE_PATIENT = frozenset({"today", "patient", "pt", "discharge"})


def _of_somebody(bare: str) -> bool:
    """`Dr Sharma's prescription`, `Dr Sharma advised`, and no `Today's medicines`."""
    found = _OF_SOMEBODY.fullmatch(bare)
    return _SAID_BY.fullmatch(bare) is not None or (found is not None and found[1] not in _OF_THE_PATIENT)


def heads_orders(text: str, lexicon: Lexicon, *, treated: Callable[[], bool]) -> tuple[str, str] | None:
    """The section of `Current plan:`, `Medicines for home:`, `Home meds after chemo` below `cycle 2 given today`: orders that stand now.

    Every word is a listed one: `Plan if no better:`, `Meds for wife:`, `Current orders (stopped today):` are no such heading.
    `treated`: whether the page says above the heading that the treatment was given.
    """
    words = lexicon.order_headings
    bare = text.strip(_DECORATION)
    if words.of_plans.fullmatch(bare):
        return "plan", "cue"
    if words.of_lists.fullmatch(bare):
        return "current", "cue"
    if words.of_changes.fullmatch(bare):
        return CHANGES, "cue"
    stands = words.of_orders.fullmatch(bare) or (words.after_treatment.fullmatch(bare) and treated())
    return ("rx", "active") if stands else None


def place_of_treatment(text: str, lexicon: Lexicon) -> int:
    """Where the page says first `AC cycle 2 given today`, with nothing in the sentence that denies or limits it; its end if nowhere."""
    remarks = lexicon.remarks
    for found in lexicon.order_headings.given_today.finditer(text):
        begins = max(text.rfind(mark, max(0, found.start() - _LONGEST_SENTENCE), found.start()) for mark in ".;\n") + 1
        said = _WORD.findall(text, begins, found.end())[:-2]
        limiting = (remarks.denials, lexicon.doubt_words, remarks.deciding_first, lexicon.page.not_given_yet)
        if not any(word in words for word in said for words in limiting):
            return found.start()
    return len(text)


def heads_two_columns(text: str, lexicon: Lexicon) -> bool:
    """`| Old | New |`, `Pre-op   Post-op`, `12/01/2024 | 15/06/2024`: columns of two times, places, persons or decisions."""
    cells = [cell for cell in re.split(r"\||\t| {3,}", text) if cell.strip(_DECORATION)]
    heads = lexicon.remarks.column_heads
    return len(cells) > 1 and any(
        heads_something_else(cell, lexicon) or heads.search(cell) is not None or _DATE.fullmatch(cell.strip(_DECORATION)) for cell in cells
    )


_DATE = re.compile(r"\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}")
