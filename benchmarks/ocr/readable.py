"""Which pages can be decided at all: asked of the recognised words and the place of each printed fact, not of the verifier.

A fact is readable when the words recognised over its place spell it, white space and letter case aside, with no further digit at
either end. A page is decidable when every fact of its payload is readable. Nothing of `medfence_guard` is used here.
"""

from __future__ import annotations

import re

from benchmarks.ocr.pages import Page

DECIDED = ("name", "strength", "frequency", "duration")

Box = tuple[float, float, float, float]


def _over(page: Page, place: Box) -> list[tuple[str, float]]:
    """The recognised words over a place, from the left."""
    x0, y0, x1, y1 = place
    found = []
    for text, confidence, (left, top, right, bottom) in page.boxes:
        wide = min(right, x1) - max(left, x0)
        high = min(bottom, y1) - max(top, y0)
        if wide > 0.4 * min(right - left, x1 - x0) and high > 0.4 * min(bottom - top, y1 - y0):
            found.append((left, text, confidence))
    return [(text, confidence) for _, text, confidence in sorted(found)]


def printed_at(page: Page, item: int, field: str) -> tuple[str, list[Box]]:
    """What is printed for this field of this item, without white space, and the places of its words."""
    words = [fact for fact in page.facts if fact[1] == field and fact[2] == item]
    return "".join(fact[0] for fact in words), [(fact[3], fact[4], fact[5], fact[6]) for fact in words]


def read_at(page: Page, places: list[Box]) -> list[tuple[str, float]]:
    """The recognised words over several places, each once."""
    seen: list[tuple[str, float]] = []
    for place in places:
        seen += [word for word in _over(page, place) if word not in seen[-1:]]
    return seen


def stands(page: Page, item: int, field: str) -> tuple[str, str]:
    """`(printed, read)`: the fact as printed, and what was read in its place; of words glued to others, only the part alike."""
    printed, places = printed_at(page, item, field)
    read = "".join(text for text, _ in read_at(page, places)).strip(".,;:'‘’|_-—~")
    return printed, _cut(printed, read)


def _cut(printed: str, read: str) -> str:
    """The fact itself where it stands whole in what was read, else all of that."""
    bounded = rf"(?<![0-9.]){re.escape(printed)}" if printed[0].isdigit() else re.escape(printed)
    found = re.search(bounded + (r"(?![0-9.]?[0-9])" if printed[-1].isdigit() else ""), read, re.IGNORECASE)
    return found[0] if found else read


def unreadable(page: Page) -> list[str]:
    """Why the page cannot be decided: `lost FIELD` (nothing was read there) or `misread FIELD`, one for each fact; empty if it can."""
    if page.engine == "typed":
        return []
    found = []
    for item in range(len(page.prescription["items"])):
        for field in DECIDED:
            printed, read = stands(page, item, field)
            if not read:
                found.append(f"lost {field}")
            elif read.casefold() != printed.casefold():
                found.append(f"misread {field}")
        if page.prescription["timing"] and page.prescription["items"][item]["meal"]:
            printed, read = stands(page, item, "timing")
            if read.casefold() != printed.casefold():
                found.append("misread timing" if read else "lost timing")
    return found
