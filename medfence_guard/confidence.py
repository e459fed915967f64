"""How far the recognised words can be trusted. Gates are data, per engine, on digits and units (P6, P17).

Words override the document's figure. A token below its gate, or a digit token without a confidence, makes the fields
it grounds ABSTAIN, not the whole document. The bundle vouches for names, so names have no gate.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from medfence_guard.contract import SourceDocument, Word
from medfence_guard.reader.chunks import Chunk


class Doubt(NamedTuple):
    """Why a chunk may not ground anything: `source.confidence_floor` or `source.confidence_missing`, and where."""

    check_id: str
    message: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Confidence:
    """The confidences of one source. `applies` is False for typed text, where there is nothing to gate."""

    applies: bool
    source: SourceDocument
    starts: tuple[int, ...]
    gates: Mapping[str, Fraction]
    document_doubt: Doubt | None

    @classmethod
    def of(cls, source: SourceDocument, gates: Mapping[str, Mapping[str, Fraction]], floor: Fraction) -> Confidence:
        chosen = gates.get(source.engine or "default", gates["default"])
        doubt: Doubt | None = None
        has_words = any(w.confidence is not None for w in source.words)
        if source.modality == "ocr" and not has_words:
            end = max(len(source.text), 1)
            if source.ocr_confidence is None:
                doubt = Doubt(
                    "source.confidence_missing",
                    "the source is OCR and carries no confidence: give ocr_confidence, or word confidences with SourceDocument.from_words",
                    0,
                    end,
                )
            elif Fraction(source.ocr_confidence) < floor:
                doubt = Doubt("source.confidence_floor", "the document's OCR confidence is below the floor of the rulepack", 0, end)
        return cls(
            source.modality != "text" and has_words, source, tuple(w.start for w in source.words) if has_words else (), chosen, doubt
        )

    def doubt_about(self, chunks: Iterable[Chunk]) -> Doubt | None:
        """The first reason not to trust these chunks."""
        if not self.applies:
            return None
        for chunk in chunks:
            for place in range(max(bisect_right(self.starts, chunk.start) - 1, 0), bisect_left(self.starts, chunk.end)):
                word = self.source.words[place]
                if word.end <= chunk.start:
                    continue
                text = self.source.text[word.start : word.end]
                digits = any(c.isdigit() for c in text)
                if word.confidence is None:
                    if digits:
                        return Doubt("source.confidence_missing", "a word with digits carries no confidence", word.start, word.end)
                    continue
                numeric = chunk.kind in _NUMERIC and not self._is_sign(word, chunk)
                gate = self.gates["digits_and_units" if digits or numeric else "words"]
                if Fraction(word.confidence) < gate:
                    return Doubt(
                        "source.confidence_floor", "a word it rests on was recognised below the floor of the rulepack", word.start, word.end
                    )
        return None

    def _is_sign(self, word: Word, chunk: Chunk) -> bool:
        """Whether all that a length of time takes from this word is the sign before it: `x 5 days` says what `5 days` says.

        The sign is no digit and no unit. Those of the same phrase keep their gate, and so does the sign in a word with digits (`x5`).
        """
        return chunk.kind == "duration" and self.source.text[max(word.start, chunk.start) : min(word.end, chunk.end)] in _SIGNS

    def firm(self, chunks: Iterable[Chunk]) -> bool:
        """Whether every word under these chunks was recognised well enough to contradict somebody (P16)."""
        if not self.applies:
            return self.document_doubt is None
        gate = self.gates["contradiction"]
        for chunk in chunks:
            for place in range(max(bisect_right(self.starts, chunk.start) - 1, 0), bisect_left(self.starts, chunk.end)):
                word = self.source.words[place]
                if word.end > chunk.start and (word.confidence is None or Fraction(word.confidence) < gate):
                    return False
        return True

    def is_low(self, start: int, end: int) -> bool:
        """Whether any word in this range is below the gate for words."""
        if not self.applies:
            return False
        for place in range(max(bisect_right(self.starts, start) - 1, 0), bisect_left(self.starts, end)):
            word = self.source.words[place]
            if word.end > start and (word.confidence is None or Fraction(word.confidence) < self.gates["words"]):
                return True
        return False


_SIGNS = frozenset({"x", "X", "×"})
_NUMERIC = frozenset({"amount", "number", "slots", "tuple", "duration", "maximum", "quantity"})
