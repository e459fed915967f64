"""Harmless text that lost its spaces: `plentyoforal fluids`, `lowsalt diet`, `ReviewwithCBC` (P18, P21).

An engine that loses spaces adds none, so its words are cut and never joined. A run of letters is cut in two cases only:

- It and its neighbours on the line spell a reviewed phrase of advice, of a measure or of what a dose is taken with, letter for
  letter and boundary for boundary. The phrase has three words, or two with a joining word (`with water`).
- It is made of the reviewed words of visits and tests, in one way and no other, and it has three of them or a joining word.

Every letter belongs to a listed word, so a stop word, a number or a medicine in the run leaves it whole. It is also left whole
where such a word, or a name of the bundle, would stand across a cut. What was cut is then read as if it had been written with
its spaces; what was not cut stays one unknown word.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from medfence_guard.reader.lexer import WORD, Token
from medfence_guard.reader.lexicon import GluedWords

_REACH = 3  # neighbours on either side that a phrase is sought in
_SHORTEST, _LONGEST = 6, 60
_LONGEST_HIDDEN = 16


def harmless_cut(tokens: Sequence[Token], index: int, glued: GluedWords, names: Collection[str]) -> list[str] | None:
    """The harmless words that the unknown word at `index` is made of, None if it is left whole. Linear in its length."""
    word = tokens[index].text
    if word not in glued.parts and (word[:2] not in glued.starts or not _SHORTEST <= len(word) <= _LONGEST):
        return None
    cut = _of_a_phrase(tokens, index, glued) if word in glued.parts else _of_words(word, glued)
    return cut if cut is not None and not _hides(cut, glued, names) else None


def _of_a_phrase(tokens: Sequence[Token], index: int, glued: GluedWords) -> list[str] | None:
    """The words of this token in the longest phrase that it spells with the words beside it."""
    first, last = index, index + 1
    while first and index - first < _REACH and tokens[first - 1].kind == WORD:
        first -= 1
    while last < len(tokens) and last - index <= _REACH and tokens[last].kind == WORD:
        last += 1
    for begin in range(first, index + 1):
        for end in range(last, index, -1):
            words = glued.phrases.get("".join(token.text for token in tokens[begin:end]))
            if words is not None and (cut := _inside(words, [token.text for token in tokens[begin:end]], index - begin)):
                return cut
    return None


def _inside(words: Sequence[str], runs: Sequence[str], which: int) -> list[str]:
    """The words of a phrase that make up one of the runs it was written in; empty where a run ends inside a word."""
    place, found = 0, []
    for number, run in enumerate(runs):
        here, rest = [], run
        while rest and rest.startswith(words[place]):
            here.append(words[place])
            rest = rest[len(words[place]) :]
            place += 1
        if rest:
            return []
        if number == which:
            found = here
    return found


def _of_words(word: str, glued: GluedWords) -> list[str] | None:
    """The one way in which listed words make up the whole run."""
    size = len(word)
    ways = [1] + [0] * size
    came_from = [0] * (size + 1)
    for start in range(size):
        if ways[start]:
            for end in range(start + 2, min(size, start + glued.longest) + 1):
                if word[start:end] in glued.words:
                    ways[end] += ways[start]
                    came_from[end] = start
    if ways[size] != 1:
        return None
    cut: list[str] = []
    end = size
    while end:
        cut.insert(0, word[came_from[end] : end])
        end = came_from[end]
    return cut if len(cut) > 2 or (len(cut) == 2 and not glued.joining.isdisjoint(cut)) else None


def _hides(cut: Sequence[str], glued: GluedWords, names: Collection[str]) -> bool:
    """Whether a word that stops, denies, counts or names could stand across a cut."""
    whole = "".join(cut)
    at = 0
    for part in cut[:-1]:
        at += len(part)
        for start in range(max(0, at - _LONGEST_HIDDEN), at):
            for end in range(max(at + 1, start + 3), min(len(whole), start + _LONGEST_HIDDEN) + 1):
                across = whole[start:end]
                if across in glued.turning or (end - start > 3 and across in names):
                    return True
    return False
