"""Words around the orders as a recognition engine misreads them: `fuids`, `purposos`, `medico-iegal`, `LET reports` (P17, P21).

On a recognised page one letter off is the rule, and a page of advice in which one word is not listed would always be held. So a word
of such a page that nobody listed is taken for the plain word it is one letter off (`lexicon/plain.json`), and a clause for the printed
text it is a few letters off (`boilerplate`), each only where nothing else can have stood there:

- no word that could be of an order, of its times or of its end (any other word of the lexicon) and no name of the bundle is as near;
- a word has four letters or more, and most words of its clause are plain as they stand;
- before the sign of kilograms stands a word of up to six letters and figures that begins as `weight` does;
- behind `h/o` or `c/o` stands what the patient has or had, however its spaces were lost, if it holds no word that ends an order, and
  no name;
- before `reports` stands the code of a test, of two or three letters, whatever they are;
- a printed text, or a reviewed phrase of advice, has sixteen letters or more, one in nine of them may be another, and every number and
  every listed word of the clause stands in the text as well; the stamp of a department (`GENERAL opp`) may be shorter, if its first word
  stands as it is.

A typed page has no such words: there an unlisted word is held.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from string import ascii_lowercase
from typing import NamedTuple

from medfence_guard.look_alikes import edit_distance
from medfence_guard.reader.lexicon import Lexicon

_SHORTEST = 4
_REPORTS = ("reports", "report")
_SHORTEST_PRINT = 16
_LONGEST_PRINT = 60
_LETTERS_A_SLIP = 9
_SHORTEST_GLUED = 12
_HISTORY = re.compile(r"(?:k/c/o|[hc]/o)(?=[a-z0-9])")
_WORDS = re.compile(r"[a-z]+|\d+")
_WEIGHT = re.compile(r"(w[a-z0-9]{0,5})[ :.-]{0,2}(?:\d{1,3}(?:\.\d)? ?)?kgs?")
_SHORTEST_WEIGHT = 3
_LOOKS = str.maketrans({"!": "l", "|": "l", "1": "l", "0": "o", "5": "s"})


class Misread:
    """What the words of a recognised page may be. `plain`: the plain words; `others`: all other words known; `ending`:
    those of them by which an order is ended or changed."""

    def __init__(
        self,
        plain: Collection[str],
        others: Collection[str],
        names: Collection[str],
        printed: Sequence[str],
        stamps: Sequence[str],
        ending: Collection[str],
    ) -> None:
        self._plain = plain
        self._others = others
        self._names = names
        self._hidden = tuple(word for word in (*ending, *names) if len(word) >= _SHORTEST)
        self._printed = [_Print.of(text) for text in printed if len(_letters(text)) >= _SHORTEST_PRINT]
        self._stamps = [(name.split(" ", 1)[0], _Print.of(name)) for name in stamps if " " in name]

    @classmethod
    def of(cls, lexicon: Lexicon, names: Collection[str]) -> Misread:
        plain, remarks = lexicon.plain.group_of, lexicon.remarks
        others = (remarks.deciding | remarks.deciding_first | remarks.deciding_short | lexicon.spoken) - plain.keys()
        printed = (*lexicon.printed, *map(" ".join, lexicon.glued.phrases.values()))
        # `Medicine old` is no stamp.
        stamps = sorted(name for named in lexicon.departments.values() for name in named if remarks.nouns.isdisjoint(name.split(" ")))
        return cls(plain, others, names, printed, stamps, lexicon.ending)

    def words(self, tokens: Sequence[str], known: Callable[[str], bool]) -> list[str]:
        """The words of a clause, each that nobody listed as the plain word it stands for; as they are, if most of them would be such."""
        pairs = itertools.zip_longest(tokens, tokens[1:], fillvalue="")
        read = [token if known(token) else self._test_before(token, behind) or self._plain_for(token) or token for token, behind in pairs]
        spelt = sum(token.isalpha() for token in tokens)
        return read if 2 * sum(a != b for a, b in zip(tokens, read, strict=True)) < spelt else list(tokens)

    def _test_before(self, word: str, behind: str) -> str | None:
        """`LET reports`, `ftreports`: the code of a test, which stands before its report."""
        code = word if behind in _REPORTS else next((word.removesuffix(report) for report in _REPORTS if word.endswith(report)), "")
        listed = code in self._others or code in self._names
        return _REPORTS[0] if code.isalpha() and 2 <= len(code) < _SHORTEST and not listed else None

    def _plain_for(self, word: str) -> str | None:
        """The plain word that this one is one letter off; None if there is none, or something else is as near."""
        if len(word) < _SHORTEST or not word.isascii() or not word.isalpha() or word in self._others or word in self._names:
            return None
        plain = None
        for near in _one_off(word):
            if near in self._others or near in self._names:
                return None
            plain = plain or (near if near in self._plain else None)
        return plain

    def glues(self, word: str) -> bool:
        """Whether an unlisted word is long enough to be several, and may hide one that ends an order."""
        return len(word) >= _SHORTEST_GLUED and word not in self._plain and self.hides(word)

    def is_history(self, text: str) -> bool:
        """Whether a clause tells what the patient has or had, in words that lost their spaces: `H/oT2DMonregulartreatment`."""
        return _HISTORY.match(text) is not None and not self.hides(text)

    def is_weight(self, text: str) -> bool:
        """Whether a clause is the weight of a body: `Wt 68 kg`, `We 68 kg`, `Wte6s8 kg`. No dose is in kilograms."""
        found = _WEIGHT.fullmatch(text)
        return found is not None and (len(found[1]) <= _SHORTEST_WEIGHT or not self._is_listed(found[1]))

    def _is_listed(self, word: str) -> bool:
        return word in self._plain or word in self._others or word in self._names

    def hides(self, text: str) -> bool:
        """Whether a word by which an order is ended or changed, or a name, may stand in letters that lost their spaces."""
        return any(word in text for word in self._hidden)

    def is_printed(self, text: str) -> bool:
        """Whether a clause is a printed text, a few letters off."""
        letters = _letters(text)
        if len(letters) > _LONGEST_PRINT:
            return False
        words = _WORDS.findall(text)
        near = [row for first, row in self._stamps if words[:1] == [first]]
        if len(letters) >= _SHORTEST_PRINT - 2:
            near += self._printed
        told = [word for word in words if word.isdigit() or word in self._others or word in self._names]
        return any(row.words.issuperset(told) and row.is_near(letters) for row in near)


class _Print(NamedTuple):
    """A printed text by its letters. `parts`: one more than the slips it may have, so that one of them is left as it is."""

    letters: str
    words: frozenset[str]
    slips: int
    parts: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> _Print:
        letters = _letters(text)
        slips = len(letters) // _LETTERS_A_SLIP
        size = -(-len(letters) // (slips + 1))
        parts = tuple(letters[at : at + size] for at in range(0, len(letters), size))
        return cls(letters, frozenset(_WORDS.findall(text)), slips, parts)

    def is_near(self, letters: str) -> bool:
        return any(part in letters for part in self.parts) and edit_distance(letters, self.letters, self.slips) <= self.slips


def _letters(text: str) -> str:
    return "".join(c for c in text.translate(_LOOKS) if c.isalpha())


def _one_off(word: str) -> Iterator[str]:
    """Every string one letter away: another letter, one more, one less."""
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        if tail:
            yield head + tail[1:]
            yield from (head + letter + tail[1:] for letter in ascii_lowercase)
        yield from (head + letter + tail for letter in ascii_lowercase)
