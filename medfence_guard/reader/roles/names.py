"""The name that a statement is of: brand or molecule, suffixes, release, and the bare numbers behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from medfence_guard.bundle import Name, name_key
from medfence_guard.reader.chunks import Chunk, DrugMention, meaning_of
from medfence_guard.reader.lexicon import Lexicon
from medfence_guard.reader.roles.context import GLUE_WORDS
from medfence_guard.reader.roles.record import PIECES_AT_A_TIME, NameReading, counts_pieces

_TIMING = frozenset({"rate", "when", "prn", "stat"})


def _is_timed(chunks: Sequence[Chunk], place: int) -> bool:
    """Whether the next chunk says when."""
    return place + 1 < len(chunks) and chunks[place + 1].kind in _TIMING


_LONGEST_UNKNOWN = 3  # words of a name that nobody knows, behind its first


@dataclass(slots=True)
class _SoFar:
    """A name as far as it is read. `known`: it begins with one of the bundle."""

    key: str
    known: bool
    parts: list[DrugMention]
    suffixes: list[str] = field(default_factory=list)
    releases: list[str] = field(default_factory=list)
    salts: list[str] = field(default_factory=list)
    label: tuple[Fraction, ...] = ()
    label_chunk: Chunk | None = None

    @property
    def is_substance(self) -> bool:
        """Whether it begins with a known name that is no brand."""
        return self.known and not (self.parts[0].name is not None and self.parts[0].name.brand)

    def add(self, words: list[str], text: str) -> None:
        words.append(text)
        self.key += name_key(text)

    def join(self, further: DrugMention) -> None:
        self.parts.append(further)
        self.key += further.key


class NameReader:
    """Reads the name that begins at a chunk: brand or molecule, suffixes, release, label numbers, combinations."""

    def __init__(self, lexicon: Lexicon, lookup: Callable[[str], Name | None]) -> None:
        self._lexicon = lexicon
        self._lookup = lookup

    def read(self, chunks: Sequence[Chunk], anchor: int, surface: Callable[[Chunk], str]) -> tuple[NameReading, int]:
        """The name at `chunks[anchor]`, and the index of the first chunk that is no part of it."""
        first = chunks[anchor]
        known = first.kind == "drug"
        parts: list[DrugMention] = [first.value] if known else []
        name = _SoFar(first.value.key if known else name_key(surface(first)), known, parts)
        place, end = anchor + 1, first.end
        while place < len(chunks):
            chunk = chunks[place]
            if chunk.kind == "mark" and chunk.value in ("-", ".", "'") and place + 1 < len(chunks):
                if not self._hyphen_joins(chunks, place, surface, known, name.label_chunk):
                    break
                place += 1
                continue
            width = self._take(name, chunks, place, anchor, surface)
            if width == 0:
                break
            place += width
            end = chunks[place - 1].end
        if place < len(chunks) and self._bracketed_label(name, chunks, place):
            name.label, name.label_chunk = chunks[place + 1].value, chunks[place + 1]
            end = chunks[place].start
            place += 3
        entry = self._entry(name.key, parts, name.suffixes)
        stem = parts[0].name if parts else None
        more = tuple(name.releases), tuple(name.salts), tuple(name.suffixes), tuple(parts)
        return NameReading(name.key, first.start, end, entry, stem, name.label, name.label_chunk, *more), place

    def _take(self, name: _SoFar, chunks: Sequence[Chunk], place: int, anchor: int, surface: Callable[[Chunk], str]) -> int:
        """How many chunks of the name stand at a place, which are added to it; 0 if it ends before it."""
        chunk, text = chunks[place], surface(chunks[place])
        release = self._release_of(chunks, place, anchor)
        if self._is_plus(chunks, place):
            name.add(name.suffixes, "plus")
        elif release is not None:
            name.releases.append(release)
            name.key += name_key(text)
        elif chunk.kind == "word" and chunk.value in self._lexicon.salts and name.is_substance:
            name.salts.append(chunk.value)
            name.key += name_key(text)
        elif self._is_suffix(chunks, place, surface, name.known, name.label_chunk):
            name.add(name.suffixes, text)
        elif chunk.kind == "number":
            return self._take_number(name, chunks, place, text)
        elif name.label_chunk is not None:
            return 0
        elif chunk.kind == "tuple":
            name.label, name.label_chunk = chunk.value, chunk
        elif not name.known and chunk.kind == "word" and self._may_go_on(name, chunk):
            name.add(name.suffixes, text)
        elif chunk.kind == "drug" and name.known and chunk.start - chunks[place - 1].end <= 1 and self._joined(name.key, chunk):
            name.join(chunk.value)
        elif self._joins_molecule(chunks, place, name.parts):
            name.join(chunks[place + 1].value)
            return 2
        else:
            return 0
        return 1

    @staticmethod
    def _may_go_on(name: _SoFar, chunk: Chunk) -> bool:
        """Of a name that nobody knows: whether the word behind it may be of it."""
        return len(name.suffixes) < _LONGEST_UNKNOWN and str(chunk.value).isalpha() and chunk.value not in GLUE_WORDS

    def _take_number(self, name: _SoFar, chunks: Sequence[Chunk], place: int, text: str) -> int:
        """A bare number is the label, or glued to letters a part of the name (`GP2`, `D3`), or a count (`Glycomet GP 2 1 OD`)."""
        chunk, before = chunks[place], chunks[place - 1]
        if chunk.value.high is not None or name.label_chunk is not None or len(chunk.value.parts) != 1:
            return 0
        if chunk.value.parts[0].denominator != 1 and "." not in text:
            # `Alprax ½ ½ mg`: no name holds a fraction; it is taken, or cannot be told.
            return 0
        number = chunk.value.parts[0]
        if chunk.start == before.end and before.kind == "word" and before.end - before.start <= 3 and " " not in text and "/" not in text:
            name.add(name.suffixes, text)
        elif (
            chunk.start > before.end
            and _is_timed(chunks, place)
            and (
                counts_pieces(
                    self._entry(name.key, name.parts, name.suffixes),
                    number,
                    uncalled=self._lexicon.uncalled,
                    in_grams=self._lexicon.in_grams,
                )
                # Behind a name that ends in its number a small one may be a count too.
                or (name.key[-1:].isdigit() and number in PIECES_AT_A_TIME)
            )
        ):
            return 0
        else:
            name.label, name.label_chunk = chunk.value.parts, chunk
        return 1

    def _hyphen_joins(
        self, chunks: Sequence[Chunk], place: int, surface: Callable[[Chunk], str], known: bool, label_chunk: Chunk | None
    ) -> bool:
        """`Telma-H`, `Telma-40`; `ZORBI-TEL`: of a name that nobody knows, the hyphen is a letter."""
        chunk, after = chunks[place], chunks[place + 1]
        if chunk.value != "-" or chunk.start != chunks[place - 1].end:
            return False
        if self._is_suffix(chunks, place + 1, surface, known, label_chunk):
            return True
        if label_chunk is not None or after.start != chunk.end:
            return False
        if after.kind in ("number", "tuple"):
            return True
        return not known and after.kind == "word" and str(after.value).isalpha() and after.value not in GLUE_WORDS

    @staticmethod
    def _is_plus(chunks: Sequence[Chunk], place: int) -> bool:
        """`Nexito+`: glued to the name and to nothing behind it, the sign is the word."""
        chunk = chunks[place]
        if chunk.value != "+" or chunk.kind != "mark" or chunk.start != chunks[place - 1].end:
            return False
        after = chunks[place + 1] if place + 1 < len(chunks) else None
        return after is None or (after.start > chunk.end and after.kind not in ("drug", "form", "word"))

    def _size(self, key: str, parts: Sequence[DrugMention], suffixes: Sequence[str]) -> int:
        """How many substances the name read so far has; 0 if that is not certain."""
        entry = self._entry(key, parts, suffixes)
        return 0 if entry is None or entry.ambiguous else len(entry.compositions[0])

    def _bracketed_label(self, name: _SoFar, chunks: Sequence[Chunk], place: int) -> bool:
        """`Telma AM (40/5)`: one number for each substance. `(5/7)` may be five days, `(1/2)` half a tablet."""
        if chunks[place].value != "(" or name.label_chunk is not None or place + 2 >= len(chunks):
            return False
        size = self._size(name.key, name.parts, name.suffixes)
        if size < 2:
            return False
        inside, closing = chunks[place + 1], chunks[place + 2]
        return (
            inside.kind == "tuple"
            and closing.value == ")"
            and len(inside.value) == size
            and inside.value[-1] not in (2, 3, 4, 7, 8, 12, 52)
        )

    def extend(self, name: NameReading, chunk: Chunk) -> bool:
        """Add a further substance of a combination (`Telmisartan 40 mg + Amlodipine 5 mg`) to the name."""
        further = chunk.value.name
        if further is None or further.brand or not name.parts or any(p.name is None or p.name.brand for p in name.parts):
            return False
        name.parts = (*name.parts, chunk.value)
        name.key += chunk.value.key
        name.entry = self._entry(name.key, name.parts, name.suffixes)
        return True

    @staticmethod
    def _release_of(chunks: Sequence[Chunk], place: int, anchor: int) -> str | None:
        """A release token directly behind the name, typed with one space or two. `cr` may also be a form, unless a form stands before or
        the strength behind."""
        chunk = chunks[place]
        if chunk.start - chunks[place - 1].end > 2:
            return None
        value = meaning_of(chunk, "release")
        if not isinstance(value, tuple):
            return None
        if chunk.kind == "release":
            return str(value[0])
        after = chunks[place + 1] if place + 1 < len(chunks) else None
        formed = any(c.kind == "form" for c in chunks[:anchor])
        if chunk.kind in ("form", "route", "site", "header_line_starts", "ambiguous") and (
            formed or after is None or after.kind in ("amount", "number", "tuple")
        ):
            return str(value[0])
        return None

    def _joined(self, key: str, chunk: Chunk) -> bool:
        return self._lookup(key + chunk.value.key) is not None

    @staticmethod
    def _joins_molecule(chunks: Sequence[Chunk], place: int, parts: list[DrugMention]) -> bool:
        chunk = chunks[place]
        if chunk.value not in ("+", "/", "&", "and", "-") or place + 1 >= len(chunks) or not parts:
            return False
        after = chunks[place + 1]
        if after.kind != "drug" or after.value.name is None or after.value.name.brand:
            return False
        return all(p.name is not None and not p.name.brand for p in parts)

    def _entry(self, key: str, parts: Sequence[DrugMention], suffixes: Sequence[str]) -> Name | None:
        if len(parts) > 1 and all(p.name is not None and not p.name.ambiguous for p in parts):
            found = self._lookup(key)
            if found is not None:
                return found
            if suffixes:
                # `Telmisartan + Amlodipine H` is another product, and no name of the two.
                return None
            molecules = tuple(sorted({m for p in parts if p.name is not None for m in p.name.compositions[0]}))
            first = parts[0].name
            assert first is not None
            return Name(key, "+".join(p.key for p in parts), (molecules,), False, (), first.grade, first.citation)
        found = self._lookup(key)
        if found is not None:
            return found
        if len(parts) == 1 and (parts[0].key == key or (not suffixes and parts[0].name is not None and not parts[0].name.brand)):
            # A release or salt word behind a substance is another product of it, not another name; behind a brand it may be either.
            return parts[0].name
        return None

    def _is_suffix(
        self, chunks: Sequence[Chunk], place: int, surface: Callable[[Chunk], str], known: bool, label_chunk: Chunk | None
    ) -> bool:
        """A suffix is a listed token directly behind the name; a timing word is one only if the strength still follows it."""
        chunk = chunks[place]
        text = surface(chunk)
        if text not in self._lexicon.suffixes:
            return False
        if chunk.kind == "word":
            return known or label_chunk is None
        if chunk.kind in ("when", "rate", "ambiguous", "route", "site", "cue", "label", "header_line_starts", "composition", "indication"):
            after = chunks[place + 1] if place + 1 < len(chunks) else None
            followed = after is not None and after.kind in ("number", "amount", "tuple", "malformed")
            timed = any(c.kind in ("rate", "slots", "when", "prn", "stat") for c in chunks[place + 1 :])
            if chunk.kind in ("when", "rate", "route", "site", "ambiguous"):
                return followed and timed
            return followed or timed
        return False
