"""What a line says of the orders around it, whoever took its words: a complaint that heads the orders below it, a set of medicines
that is not listed, for whom the paper is (P10, P21).

`leftover.py` asks of the clauses that no statement took whether they are harmless, and these are, word for word: findings, nouns,
a name. Only the place says more: `Panic:` over an order is when it is taken, `No sleep` below one too.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from medfence_guard.reader.asides import parted
from medfence_guard.reader.assertion import EXCLUDED
from medfence_guard.reader.chunks import Chunk, extent_in_order, meaning_of, means
from medfence_guard.reader.draft import Draft
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.statement import Statement

if TYPE_CHECKING:
    from medfence_guard.reader.leftover import Page

_FOUND = frozenset({"indication", "indication_part", "mark"})
_OF_A_SET = _FOUND | {"header_line_starts", "site"}
# What a patient does or is done to, at its time; what he has or has not.
_OCCASIONS = frozenset({"activities", "procedures", "foods_and_drinks", "nursing"})
_STATES = frozenset({"findings_and_symptoms", "body", "tests", "nursing"})
_LONGEST_NAME = 2
_OF_WHAT_FOLLOWS = frozenset({"cue", "prn", "unsupported"})
_GOING_ON = ("continue", "before")
_WORDS = re.compile(r"[a-z\u0900-\u097f']+")
_SENTENCE_ENDS = re.compile(r"[\n.;]")
_UNTICKED = "\u25cb"
_SENTENCE = re.compile(r"[^.;\n]+")
_AROUND = " -•*>:.,()"


def sayings(page: Page, reported: bool, bare: Sequence[Sequence[Chunk]], told: Collection[int]) -> Iterator[tuple[int, int]]:
    """The lines, or sentences of them. `reported`: the page lists what the patient takes; `bare`: each line without bullets and numbers;
    `told`: the lines under a heading of what was found.
    """
    words = page.words
    for line, (chunks, body) in enumerate(zip(page.lines, bare, strict=True)):
        if not body:
            continue
        span = extent_in_order(chunks, in_order=page.in_order)
        text = page.text[slice(*span)]
        found_here = "diagnosis" in (page.sections[line][0][0], page.sections[line][1][0]) or body[0].kind == "indication"
        if (
            (found_here and (words.needs_none.search(text) or _is_left_alone(text, page)))
            or (page.has_order(line) and any(_is_a_finding_left_alone(part, page) for part in parted(body, ".;")))
            or _heads_by_what_is_over(line, chunks, body, page)
            or words.stops_them.fullmatch(text.strip(_AROUND))
            or any(
                _feeds_by_a_schedule(part, page) and not (page.has_order(line) and _is_of_many(part, page))
                for part in parted(body, ".;")[page.has_order(line) :]
            )
            or _gives_what_is_measured(line, chunks, page)
        ):
            yield span
            continue
        if line < page.orders[0]:
            if words.anothers.fullmatch(text.strip(_AROUND)):
                yield span
            continue
        if line not in told and (
            _heads_by_a_complaint(line, body, page)
            or _heads_by_a_visit(line, body, page)
            or _limits_by_a_state(line, body, page)
            or _is_a_set(line, body, page)
        ):
            yield span
        for found in _SENTENCE.finditer(text):
            said = found[0].strip(_AROUND)
            if words.again.fullmatch(said) or words.another_goes_on.fullmatch(said) or (not reported and words.goes_on.fullmatch(said)):
                yield span[0] + found.start(), span[0] + found.end()


_PARTS_OF_A_FINDING = re.compile(r"[,;:.()]|(?<!\w)-|-(?!\w)|\band\b|\bbut\b")
_LONGEST_PROBLEM = 6  # in chunks


def _is_left_alone(text: str, page: Page) -> bool:
    """`Dx: HTN, observe`: of what is found, that nothing is given for it."""
    last = _PARTS_OF_A_FINDING.split(text.strip(_AROUND))[-1].strip(_AROUND)
    alone = page.lexicon.remarks.left_alone
    # `Dx: HTN on diet only`
    words = last.split()
    return any(" ".join(words[-size:]) in alone for size in range(1, _LONGEST_LEFT_ALONE + 1) if size <= len(words))


def _is_a_finding_left_alone(sentence: Sequence[Chunk], page: Page) -> bool:
    """`Tab X 40 mg OD. HTN, observe.`"""
    return bool(sentence) and sentence[0].kind == "indication" and _is_left_alone(page.text_of(sentence), page)


_LONGEST_LEFT_ALONE = 4  # in words


def _heads_by_what_is_over(line: int, chunks: Sequence[Chunk], body: Sequence[Chunk], page: Page) -> bool:
    """`HTN ruled out`, `# UTI resolved` right above an order: what it would be for is not there."""
    if page.has_order(line) or not page.has_order(line + 1) or len(body) > _LONGEST_PROBLEM:
        return False
    words = page.lexicon.remarks
    over = words.settled if chunks[0].value == "#" else words.disproved
    named = any(
        c.kind in _FOUND or page.lexicon.plain.group(page.text_of([c])) == "findings_and_symptoms" for c in chunks if c.kind != "mark"
    )
    return named and over.search(page.text_of(chunks)) is not None


_SCHEDULED = frozenset({"rate", "slots", "when", "prn", "stat"})
_FOODS = "foods_and_drinks"
_PARTS_OF_A_VALUE = frozenset({"number", "amount"})


def _feeds_by_a_schedule(body: Sequence[Chunk], page: Page) -> bool:
    """`Milk BD`: in the abbreviations of an order, and no `milk twice daily`: it may be the name of something else, misread."""
    if not 1 < len(body) <= _LONGEST_FOOD or body[0].kind != "word":
        return False
    times = [c for c in body if c.kind in _SCHEDULED]
    words = [str(c.value) for c in body if c.kind == "word"]
    if not times or len(words) + len(times) + sum(c.kind in _PARTS_OF_A_VALUE for c in body) != len(body):
        return False
    said = [page.text_of([c]) for c in times]
    abbreviated = any(" " not in text and text not in page.words.in_words for text in said)
    groups = [page.lexicon.plain.group(word) for word in words]
    return abbreviated and _FOODS in groups and None not in groups


def _is_of_many(body: Sequence[Chunk], page: Page) -> bool:
    """`Fruits BD`: a food in the plural is no name, as `Milk BD` may be the beginning of one."""
    foods = (str(c.value) for c in body if c.kind == "word")
    return all(len(word) > _LONGEST_FOOD and word.endswith("s") and page.lexicon.plain.group(word[:-1]) == _FOODS for word in foods)


_LONGEST_FOOD = 5
_LONGEST_ANALYTE = 2  # in letters: `K`, `Ca`


def _gives_what_is_measured(line: int, chunks: Sequence[Chunk], page: Page) -> bool:
    """`Labs reviewed, K 20 daily`: an amount of what is measured as well, with how often, is given."""
    if page.has_order(line):
        return False
    for at, (what, how_much, how_often) in enumerate(zip(chunks, chunks[1:], chunks[2:], strict=False)):
        measured = what.kind == "header_line_starts" or (what.kind == "word" and len(str(what.value)) <= _LONGEST_ANALYTE)
        begins = at == 0 or chunks[at - 1].kind in ("mark", "verb")
        if measured and begins and how_much.kind in _PARTS_OF_A_VALUE and how_often.kind in ("rate", "slots"):
            return True
    return False


def _heads_by_a_complaint(line: int, body: Sequence[Chunk], page: Page) -> bool:
    """`Panic:`, `Exercise:` above an order, below another."""
    if line < page.orders[0] or page.has_order(line) or not page.has_order(line + 1):
        return False
    if {c.kind for c in body} <= _FOUND:
        return True
    words = page.text_of(body).split()
    return page.lines[line][-1].value == ":" and all(page.lexicon.plain.group(word) in _OCCASIONS for word in words)


def _heads_by_a_visit(line: int, body: Sequence[Chunk], page: Page) -> bool:
    """`Review 12/03:`, `Follow up:`, `12/03/2024:` above an order, below another: the orders of that day, or from then on."""
    if line < page.orders[0] or page.has_order(line) or not page.has_order(line + 1) or page.lines[line][-1].value != ":":
        return False
    return any(c.kind == "date" or means(c, "review_phrases") or _heads_visits(c) for c in body)


def _heads_visits(chunk: Chunk) -> bool:
    heading = meaning_of(chunk, "heading")
    return isinstance(heading, tuple) and heading[0] == "followup"


def _limits_by_a_state(line: int, body: Sequence[Chunk], page: Page) -> bool:
    """`No sleep` right below an order: one finding alone may be when it is taken. Several are what was found."""
    if page.text_of(body[:1]) not in page.words.denying or not page.has_order(line - 1) or page.has_order(line):
        return False
    if len(body) != 2:
        return False
    word = page.text_of(body[1:])
    return body[1].kind == "indication" or word in page.words.meals or page.lexicon.plain.group(word) in _STATES


def _is_a_set(line: int, body: Sequence[Chunk], page: Page) -> bool:
    """`BP medicines`, alone below an order: medicines the page does not list."""
    if page.has_order(line + 1) or page.has_order(line) or len(body) < 2 or page.text_of(body[-1:]) not in page.words.sets:
        return False
    return page.lines[line][-1].value != ":" and all(c.kind in _OF_A_SET or means(c, "indication") for c in body[:-1])


def led_by_a_stranger(statements: Sequence[Statement], lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """`Zeta was on Tab X earlier`: a lone unknown word before what is over may be a medicine, or who took it."""
    remarks, plain = lexicon.remarks, lexicon.plain
    for statement in statements:
        words = [c for c in statement.beside if c.kind != "mark"]
        if statement.assertion.status not in EXCLUDED or len(words) > _LONGEST_NAME or any(c.kind != "word" for c in words):
            continue
        strange = (c for c in words if not (c.value in remarks.in_no_name or c.value in plain.small or plain.group(str(c.value))))
        yield from ((c.start, c.end) for c in strange)


def heads_what_follows(statements: Sequence[Statement], text: str, lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """`Avoid X`, `Previously` on a line of its own or with a colon at the end of one, `Tab Y`: behind what is not taken, a cue changes
    nothing that is read, and may be said of the order below it. `text`: folded.
    """
    for statement, after in itertools.pairwise(statements):
        if statement.assertion.status not in EXCLUDED or after.group == statement.group:
            continue
        begins = statement.name.end
        first, last = text.find("\n", begins), text.rfind("\n", begins, after.name.start)
        from_here = begins if text[max(begins, first - 2) : first].rstrip(" ").endswith(":") else first
        for chunk in (*statement.chunks, *statement.beside, *statement.assertion.cues):
            if chunk.kind in _OF_WHAT_FOLLOWS and chunk.value != _GOING_ON and from_here <= chunk.start and chunk.end <= last:
                yield chunk.start, chunk.end
        for role in (*statement.roles.residue, *statement.roles.unsupported):
            start, end = role.chunk.start, role.chunk.end
            adjoins = text[start:end] in lexicon.remarks.denials and not text[end : after.span.start].strip(_AROUND)
            if begins < start < after.span.start and (adjoins or begins <= last < start):
                # `Stop X`, `not switched to Tab Y`
                yield start, end


_OF_A_REGIMEN = frozenset("rate slots weekday prn when amount maximum stat unsupported then".split())
_INSTEAD = frozenset({"to", "with", "by", "->", "→", "=>", "-->"})
_BREAKS = re.compile(r"\n|[.;](?=\s)")
_OF_ANOTHER_TOO = frozenset("this these it both too first before".split())
_BEGUN_AGAIN = ("restart", "resume", "start")


def goes_on_behind_what_ends(statements: Sequence[Statement], text: str, lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """`Tab X 40 mg OD, stop Z`, and below it `only Sunday`; `switched from Z to SOS X`; `stop Z and take half`: how something is taken,
    behind the name of what is not. `text`: folded."""
    if all(s.assertion.status in EXCLUDED for s in statements):
        return
    for statement in statements:
        # Under a heading of what was stopped, an entry may be of several lines.
        if statement.assertion.status in EXCLUDED and statement.assertion.cues:
            yield from _said_of_something_else(statement, text, lexicon)


def _said_of_something_else(statement: Statement, text: str, lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    behind = sorted((c for c in (*statement.chunks, *statement.beside) if c.start >= statement.name.end), key=lambda c: c.start)
    broken = turned = counted = False
    last = statement.name.end
    for chunk in behind:
        said = text[chunk.start : chunk.end]
        # `Stop Z 40 mg, BD` is of Z.
        broken = broken or _BREAKS.search(text, last, chunk.start) is not None or (chunk.value in (",", "-") and not counted)
        turned = turned or chunk.value in _INSTEAD or said in ("and", "&")
        counted = counted or chunk.kind == "amount"
        limits = chunk.kind in _OF_A_REGIMEN or chunk.value in lexicon.doubt_words or means(chunk, "prn")
        begun = chunk.kind in ("verb", "terminator") or (chunk.kind == "cue" and said.startswith(_BEGUN_AGAIN))
        told_of_another = said in _OF_ANOTHER_TOO and chunk.kind in ("word", "inert")
        if (limits and (broken or turned)) or (begun and "stop" not in said) or told_of_another:
            yield chunk.start, chunk.end
            return
        last = chunk.end


def refused_with_another(statements: Sequence[Statement], text: str, lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    """`Avoid salt, X`, `Quit smoking and X`: what begins the sentence is refused, and the bare name is one more of it."""
    bare = [s for s in statements if s.bare and s.assertion.status not in EXCLUDED]
    if not bare:
        return
    refusing = lexicon.plain.refusing | lexicon.remarks.endings
    begins = [0, *(mark.end() for mark in _SENTENCE_ENDS.finditer(text))]
    refused = [word.start() for word in _WORDS.finditer(text) if word[0] in refusing]
    for statement in bare:
        name = statement.name.start
        # A cue reaches the name where no list goes on between them: `do not stop X`, and no `avoid salt, X`.
        own = [
            (c.start, c.end)
            for c in statement.chunks
            if c.kind in ("cue", "pseudo_cue") and "," not in text[c.end : name] and " and " not in text[c.end : name]
        ]
        for at in itertools.islice(refused, bisect_left(refused, begins[bisect_right(begins, name) - 1]), bisect_left(refused, name)):
            if not any(start <= at < end for start, end in own):
                yield at, statement.name.end
                break


def unticked(original: str, drafts: Sequence[Draft]) -> Iterator[tuple[int, int]]:
    """`○ Tab X` where other orders have no circle: a box that was not ticked. Where each has one, it is a bullet."""
    marked = [d for d in drafts if _UNTICKED in original[original.rfind("\n", 0, d.start) + 1 : d.start]]
    if len(marked) < len(drafts):
        yield from ((d.start, d.end) for d in marked)
