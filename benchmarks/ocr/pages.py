"""The recognised pages that the benchmarks read: `pages.json.gz`, made by `render.py`, so that no engine is needed to run them again."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from benchmarks.ocr import prescriptions as rx
from benchmarks.ocr.levels import LEVEL_NAMES
from medfence_guard import SourceDocument, Word

CACHE = Path(__file__).with_name("pages.json.gz")
FORMAT = "medfence-ocr-pages/1"
ENGINES = ("tesseract", "rapidocr")
LEVELS = tuple(LEVEL_NAMES)
_HEAD = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext"


@dataclass(frozen=True)
class Page:
    """One page as an engine read it, or as it was typed (engine `typed`, level T0)."""

    prescription: dict[str, Any]
    level: str
    engine: str
    words: tuple[tuple[Any, ...], ...] = ()
    facts: tuple[tuple[Any, ...], ...] = field(default=())

    @property
    def id(self) -> str:
        return f"{self.prescription['id']}.{self.level}"

    @cached_property
    def source(self) -> SourceDocument:
        """Through the same doors that a user has: the TSV loader, or the words with their places in the text."""
        if self.engine == "typed":
            return SourceDocument(rx.typed(rx.compose(self.prescription)))
        if self.engine == "tesseract":
            rows = [_HEAD]
            for text, confidence, left, top, width, height, place in self.words:
                cells = (5, *place.split(), left, top, width, height, f"{confidence:.6f}" if confidence >= 0 else "-1", text)
                rows.append("\t".join(map(str, cells)))
            return SourceDocument.from_tesseract_tsv("\n".join(rows) + "\n")
        text, places = "", []
        before = None
        for part, confidence, x0, y0, x1, y1, line, glued in self.words:
            text += "" if glued or before is None else " " if line == before else "\n"
            places.append(Word(len(text), len(text) + len(part), confidence=min(1.0, confidence), box=(x0, y0, x1, y1)))
            text, before = text + part, line
        return SourceDocument(text, modality="ocr", words=tuple(places), engine=self.engine)

    @cached_property
    def boxes(self) -> list[tuple[str, float, tuple[int, int, int, int]]]:
        """`(text, confidence, (x0, y0, x1, y1))` of every word as the engine parted them, whichever read it."""
        if self.engine == "tesseract":
            return [(text, confidence / 100, (x, y, x + w, y + h)) for text, confidence, x, y, w, h, _ in self.words]
        found: list[tuple[str, float, tuple[int, int, int, int]]] = []
        for part, low, x0, y0, x1, y1, _, glued in self.words:
            if glued:
                text, confidence, (left, top, right, bottom) = found.pop()
                part, low, x0, y0, x1, y1 = text + part, min(confidence, low), min(left, x0), min(top, y0), max(right, x1), max(bottom, y1)
            found.append((part, low, (x0, y0, x1, y1)))
        return found


@lru_cache(maxsize=1)
def cache() -> dict[str, Any]:
    """The whole file: `engines` (versions), `prescriptions`, `pages`."""
    document: dict[str, Any] = json.loads(gzip.decompress(CACHE.read_bytes()))
    if document.get("format") != FORMAT:
        raise SystemExit(f"{CACHE.name} is not of format {FORMAT}")
    return document


@lru_cache(maxsize=1)
def pages() -> tuple[Page, ...]:
    """Every page: first the typed originals of the printed prescriptions, then what the engines read."""
    by_id = {one["id"]: one for one in cache()["prescriptions"]}
    typed = [Page(one, "T0", "typed") for one in by_id.values() if not one["layout"].startswith("hand_")]
    read = [
        Page(by_id[p["rx"]], p["level"], p["engine"], tuple(map(tuple, p["words"])), tuple(map(tuple, p["facts"])))
        for p in cache()["pages"]
    ]
    return (*typed, *read)
