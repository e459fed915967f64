"""From an OCR or speech engine's own output to a `SourceDocument` whose offsets are exact.

Three doors: words as mappings (any engine), Tesseract's TSV, hOCR. All three build the text in the same way, so
the same page gives the same text: words joined by one space, lines by a newline, blocks (and pages) by a blank
line, and `text[word.start:word.end]` is the word. Words of only white space are dropped.

Nothing is guessed. A file that contradicts itself (the same word twice, lines out of order, a confidence outside
its scale, a word outside every line) is an `InputError`; a confidence that the engine did not give (-1, or absent)
stays missing, because a gate must not mistake "not measured" for "bad" or for "good". Messages name the place
(row, word number), never the content, and never the file's name, which may hold a patient's.
"""

from __future__ import annotations

import math
import re
import stat
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import TypeAlias

from medfence_guard.contract import SourceDocument, Word, check_confidence
from medfence_guard.errors import ContractError, InputError

MAX_FILE_BYTES = 32 * 1024 * 1024
"""A page is some 10 kB of TSV; beyond this the file is something else."""

MAX_PIXEL = 2**31 - 1

Box: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class _Recognised:
    """One word before it has an offset. Words with equal `line` share a line, with equal `block` a block."""

    text: str
    confidence: float | None
    page: int
    box: Box | None
    block: Hashable
    line: Hashable
    t0: float | None = None
    t1: float | None = None


# --- words as mappings -------------------------------------------------------------------------------------------

_WORD_KEYS = frozenset({"text", "confidence", "page", "box", "line", "block", "t0", "t1"})


def from_words(words: Sequence[Mapping[str, object]], *, engine: str | None = None, modality: str = "ocr") -> SourceDocument:
    """Build the document from recognised words in reading order.

    Each word: `text` (str), and optionally `confidence` (0..1 or None), `page` (int from 1), `box`
    (`[x0, y0, x1, y1]` in pixels, y downwards; fractions are rounded outwards), `line` and `block` (any int or str,
    or a list of them: the engine's own keys; equal keys in a row are one line), `t0`, `t1` (seconds).
    `line` is given for every word or for none (then a block is one line). Raises `InputError` for another key, a
    wrong type, a confidence outside [0, 1], or a line, block or page that is resumed after another one has begun.
    """
    if not isinstance(words, (list, tuple)):
        raise ContractError("contract.words_type", "words must be a list or tuple of mappings")
    recognised = [_from_mapping(index, word) for index, word in enumerate(words)]
    for key in ("line", "block"):
        if len({key in word for word in words}) > 1:
            raise InputError("source.word_key", f"either every word names its {key} or none does")
    return _document(recognised, engine=engine, modality=modality)


def _from_mapping(index: int, word: object) -> _Recognised:
    where = f"words[{index}]"
    if not isinstance(word, Mapping):
        raise InputError("source.word_type", f"{where} is not a mapping")
    if not _WORD_KEYS.issuperset(word):
        raise InputError("source.word_key", f"{where} has a key other than {', '.join(sorted(_WORD_KEYS))}")
    text = word.get("text")
    if type(text) is not str:
        raise InputError("source.word_text", f"{where}: text must be a str")
    page = word.get("page", 1)
    if type(page) is not int or page < 1:
        raise InputError("source.word_page", f"{where}: page must be an int from 1")
    confidence = word.get("confidence")
    check_confidence(confidence, where)
    return _Recognised(
        text=text,
        confidence=None if confidence is None else float(confidence),
        page=page,
        box=_box(where, word.get("box")),
        block=_key(where, "block", word.get("block")),
        line=_key(where, "line", word.get("line")),
        t0=_seconds(where, word.get("t0")),
        t1=_seconds(where, word.get("t1")),
    )


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and math.isfinite(value)  # type: ignore[arg-type]


def _box(where: str, value: object) -> Box | None:
    if value is None:
        return None
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence) or len(value) != 4 or not all(map(_is_number, value)):
        raise InputError("source.word_box", f"{where}: box must be four numbers x0, y0, x1, y1 (of a polygon, give its outer rectangle)")
    box = (math.floor(value[0]), math.floor(value[1]), math.ceil(value[2]), math.ceil(value[3]))
    return _checked_box(where, box)


def _checked_box(where: str, box: Box) -> Box:
    if not (box[0] <= box[2] and box[1] <= box[3] and all(abs(edge) <= MAX_PIXEL for edge in box)):
        raise InputError("source.word_box", f"{where}: a box needs x0 <= x1 and y0 <= y1, in pixels, y downwards")
    return box


def _key(where: str, name: str, value: object) -> Hashable:
    if isinstance(value, (list, tuple)) and all(type(part) in (int, str) for part in value):
        return tuple(value)
    if value is None or type(value) in (int, str):
        return value
    raise InputError("source.word_key", f"{where}: {name} must be an int, a str or a list of them")


def _seconds(where: str, value: object) -> float | None:
    if value is None:
        return None
    if not _is_number(value) or value < 0:  # type: ignore[operator]
        raise InputError("source.word_time", f"{where}: t0 and t1 are seconds, 0 or more")
    return float(value)  # type: ignore[arg-type]


_JOINTS = ("\n\n", "\n\n", "\n", " ")
"""What stands between two words, by the outermost thing that changes: page, block, line, nothing."""


def _document(recognised: Sequence[_Recognised], *, engine: str | None, modality: str) -> SourceDocument:
    """Join words into text. A key that comes back after another has begun would put one line in two places: refused."""
    pieces: list[str] = []
    words: list[Word] = []
    length = 0
    begun: set[tuple[Hashable, ...]] = set()
    current: tuple[Hashable, ...] = ()
    for index, item in enumerate(recognised):
        text = item.text.strip()
        if not text:
            continue
        if "\n" in text or "\r" in text:
            raise InputError("source.word_text", f"words[{index}]: the text of a word cannot contain a line break")
        place = (item.page, item.block, item.line)
        changes = next((depth for depth in range(3) if place[: depth + 1] != current[: depth + 1]), 3)
        opened = [place[: depth + 1] for depth in range(changes, 3)]
        if not begun.isdisjoint(opened):
            raise InputError("source.word_order", f"words[{index}] resumes a page, block or line that had ended")
        begun.update(opened)
        current = place
        if words:
            pieces.append(_JOINTS[changes])
            length += len(_JOINTS[changes])
        start, length = length, length + len(text)
        pieces.append(text)
        words.append(Word(start, length, confidence=item.confidence, page=item.page, box=item.box, t0=item.t0, t1=item.t1))
    return SourceDocument("".join(pieces), modality=modality, words=tuple(words), engine=engine)


# --- files ---------------------------------------------------------------------------------------------------------


def _read(path_or_text: str | Path, text_prefix: str) -> str:
    """The text itself, or the file's. A str with a line break, or that begins as the format does, is text."""
    if isinstance(path_or_text, str):
        if "\n" in path_or_text or path_or_text.lstrip("\ufeff \t\r").startswith(text_prefix):
            return _checked_text(path_or_text)
    elif not isinstance(path_or_text, Path):
        raise ContractError("contract.source_type", f"give a path or the text as a str, not {type(path_or_text).__name__}")
    try:
        content = _file_bytes(Path(path_or_text))
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        raise InputError("source.file", f"the file cannot be read ({type(error).__name__})") from None
    if len(content) > MAX_FILE_BYTES:
        raise InputError("source.file_size", f"the file is larger than {MAX_FILE_BYTES} bytes")
    try:
        return _checked_text(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError("source.encoding", f"the file is not UTF-8 (byte {error.start})") from None


def _file_bytes(path: Path) -> bytes:
    """At most one byte more than the limit. A pipe or a device is refused before it is opened: reading it may never end."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise InputError("source.file", "the path is not a regular file")
    with path.open("rb") as file:
        return file.read(MAX_FILE_BYTES + 1)


def _checked_text(text: str) -> str:
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InputError("source.encoding", f"the text holds half a surrogate pair at character {error.start}") from None
    if size > MAX_FILE_BYTES:
        raise InputError("source.file_size", f"the text is larger than {MAX_FILE_BYTES} bytes")
    if "\x00" in text:
        raise InputError("source.encoding", "the text holds a null character; this is not a text file")
    return text.removeprefix("\ufeff")


def _percent(where: str, value: str) -> float | None:
    """An engine's 0..100 as [0, 1]; -1 is how Tesseract says that it has none."""
    if not _NUMBER.fullmatch(value):
        raise InputError("source.confidence_number", f"{where}: the confidence is not a number")
    number = float(value)
    if number == -1:
        return None
    if not 0 <= number <= 100:
        raise InputError("source.confidence_range", f"{where}: the confidence must be within 0..100, or -1 for none")
    return number / 100


_NUMBER = re.compile(r"-?[0-9]{1,9}(?:\.[0-9]{1,12})?")
_INTEGER = re.compile(r"-?[0-9]{1,9}")

# --- Tesseract's TSV -----------------------------------------------------------------------------------------------

_TSV_COLUMNS = ("level", "page_num", "block_num", "par_num", "line_num", "word_num", "left", "top", "width", "height", "conf", "text")
_TSV_WORD_LEVEL = 5


def from_tesseract_tsv(path_or_text: str | Path) -> SourceDocument:
    """Read the TSV that `tesseract IMAGE OUT tsv` writes: a path, or the text itself.

    Rows of level 1 to 4 (page, block, paragraph, line) only frame; level 5 are words. Page, block, paragraph, line
    and word numbers must grow from row to row: a repeated or returning one is an `InputError`, as are another
    header, another number of columns, a value that is not a number, a file over 32 MiB or not UTF-8.
    """
    rows = _read(path_or_text, "level\t").replace("\r\n", "\n").split("\n")
    if tuple(rows[0].split("\t")) != _TSV_COLUMNS:
        raise InputError("source.tsv_header", f"not Tesseract's TSV: the first row must name the {len(_TSV_COLUMNS)} columns level to text")
    while rows and not rows[-1]:
        rows.pop()
    recognised = []
    reached: tuple[int, ...] = ()
    for number, row in enumerate(rows[1:], start=2):
        where = f"row {number}"
        cells = row.split("\t")
        if len(cells) != len(_TSV_COLUMNS):
            raise InputError("source.tsv_columns", f"{where} has {len(cells)} columns, not {len(_TSV_COLUMNS)}")
        if not all(map(_INTEGER.fullmatch, cells[:10])):
            raise InputError("source.tsv_number", f"{where}: one of the columns level to height is not a whole number")
        level, page, block, paragraph, line, word, left, top, width, height = map(int, cells[:10])
        if not 1 <= level <= _TSV_WORD_LEVEL or page < 1:
            raise InputError("source.tsv_number", f"{where}: level must be 1 to {_TSV_WORD_LEVEL}, page_num 1 or more")
        place = (page, block, paragraph, line, word)
        if place <= reached:
            raise InputError("source.word_order", f"{where} repeats or goes back before the row above (page, block, paragraph, line, word)")
        reached = place
        confidence = _percent(where, cells[10])
        if level < _TSV_WORD_LEVEL:
            continue
        box = _checked_box(where, (left, top, left + width, top + height))
        recognised.append(_Recognised(cells[11], confidence, page, box, block=block, line=(paragraph, line)))
    return _document(recognised, engine="tesseract", modality="ocr")


# --- hOCR ----------------------------------------------------------------------------------------------------------

_LINE_CLASSES = frozenset({"ocr_line", "ocrx_line", "ocr_header", "ocr_footer", "ocr_caption", "ocr_textfloat"})
_BLOCK_CLASSES = frozenset({"ocr_carea", "ocrx_block"})
_ROLES: Mapping[str, str] = {
    "ocr_page": "page",
    **dict.fromkeys(_BLOCK_CLASSES, "block"),
    "ocr_par": "paragraph",
    **dict.fromkeys(_LINE_CLASSES, "line"),
    "ocrx_word": "word",
}
_DEPTH = {role: depth for depth, role in enumerate(("page", "block", "paragraph", "line", "word"))}
_VOID_TAGS = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})


def from_hocr(path_or_text: str | Path) -> SourceDocument:
    """Read hOCR (`tesseract IMAGE OUT hocr`, or another engine's): a path, or the text itself.

    Words are `ocrx_word` inside a line inside an `ocr_page`; `bbox` and `x_wconf` are read from their `title`.
    `ocr_carea`/`ocrx_block` make blocks; without them each `ocr_par` is one. The engine is the first word of the
    `ocr-system` meta element, None if the file does not say, for confidences of two engines are not comparable.
    `InputError`: tags that do not nest, an id or property given twice, a word outside a line, text in the body
    outside every word, no page at all, a value that is not a number, a file over 32 MiB or not UTF-8.
    """
    reader = _HocrReader()
    reader.feed(_read(path_or_text, "<"))
    reader.close()
    if reader.open_elements:
        raise InputError("source.hocr_nesting", "not well nested: elements are still open at the end")
    if not reader.has_page:
        raise InputError("source.hocr_structure", "not hOCR: no ocr_page element")
    return _document(reader.recognised, engine=reader.engine, modality="ocr")


class _HocrReader(HTMLParser):
    """Collects words; the open elements that have a role in hOCR say which page, block and line they are in."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.recognised: list[_Recognised] = []
        self.open_elements: list[tuple[str, str | None]] = []
        self.engine: str | None = None
        self._page_number = 0
        self._in_body = False
        self._ids: set[str] = set()
        self._counts = dict.fromkeys(_DEPTH, 0)
        self._inside: list[str] = []
        self._word_text: list[str] = []
        self._word_title = ""

    @property
    def has_page(self) -> bool:
        return self._page_number > 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if len(attributes) != len(attrs):
            raise self._error("source.hocr_duplicate", "an element has the same attribute twice")
        identity = attributes.get("id")
        if identity is not None:
            if identity in self._ids:
                raise self._error("source.hocr_duplicate", "an id is given twice")
            self._ids.add(identity)
        if tag == "meta" and attributes.get("name", "").lower() == "ocr-system":
            self._set_engine(attributes.get("content", ""))
        roles = {_ROLES[name] for name in attributes.get("class", "").split() if name in _ROLES}
        if len(roles) > 1:
            raise self._error("source.hocr_structure", "an element has two roles")
        role = roles.pop() if roles else None
        self._in_body = self._in_body or tag == "body" or role is not None
        if role is not None:
            self._open(role, attributes.get("title", ""))
        if tag not in _VOID_TAGS:
            self.open_elements.append((tag, role))
        elif role is not None:
            raise self._error("source.hocr_structure", "an element that cannot have content has a role")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID_TAGS:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID_TAGS:
            return
        if not self.open_elements or self.open_elements[-1][0] != tag:
            raise self._error("source.hocr_nesting", "not well nested: an element is closed that is not the innermost open one")
        _, role = self.open_elements.pop()
        if role is not None:
            self._inside.pop()
        if role == "word":
            self._end_word()

    def handle_data(self, data: str) -> None:
        if self._inside and self._inside[-1] == "word":
            self._word_text.append(data)
        elif self._in_body and data.strip():
            raise self._error("source.hocr_structure", "text outside every ocrx_word, which would be lost")

    def _error(self, code: str, what: str) -> InputError:
        return InputError(code, f"line {self.getpos()[0]} of the hOCR: {what}")

    def _set_engine(self, content: str) -> None:
        if self.engine is not None:
            raise self._error("source.hocr_duplicate", "ocr-system is given twice")
        self.engine = content.lower().split()[0] if content.split() else None

    def _open(self, role: str, title: str) -> None:
        if self._inside and _DEPTH[self._inside[-1]] >= _DEPTH[role]:
            raise self._error("source.hocr_structure", f"a {role} inside a {self._inside[-1]}")
        if role != "page" and "page" not in self._inside:
            raise self._error("source.hocr_structure", f"a {role} outside every ocr_page")
        if role == "word" and "line" not in self._inside:
            raise self._error("source.hocr_structure", "a word outside every line")
        self._inside.append(role)
        self._counts[role] += 1
        if role == "page":
            self._begin_page(self._properties(title))
        elif role == "word":
            self._word_text, self._word_title = [], title

    def _begin_page(self, properties: Mapping[str, list[str]]) -> None:
        """Pages count from 1; hOCR's `ppageno` counts from 0. Without it they count in order."""
        number = self._page_number + 1
        if "ppageno" in properties:
            number = self._integers("ppageno", properties["ppageno"], 1)[0] + 1
        if number <= self._page_number:
            raise self._error("source.hocr_structure", "page numbers must grow")
        self._page_number = number

    def _end_word(self) -> None:
        properties = self._properties(self._word_title)
        where = f"line {self.getpos()[0]} of the hOCR"
        box = None
        if "bbox" in properties:
            left, top, right, bottom = self._integers("bbox", properties["bbox"], 4)
            box = _checked_box(where, (left, top, right, bottom))
        confidence = None
        if "x_wconf" in properties:
            confidence = _percent(where, " ".join(properties["x_wconf"]))
        framed_by = next((role for role in ("block", "paragraph") if role in self._inside), "page")
        block, line = (framed_by, self._counts[framed_by]), self._counts["line"]
        self.recognised.append(_Recognised("".join(self._word_text), confidence, self._page_number, box, block, line))

    def _properties(self, title: str) -> dict[str, list[str]]:
        """`bbox 1 2 3 4; x_wconf 95` -> `{"bbox": ["1", "2", "3", "4"], "x_wconf": ["95"]}`. Quoted file names may hold anything."""
        properties: dict[str, list[str]] = {}
        for part in re.sub(r'"[^"]*"', '""', title).split(";"):
            name, *values = part.split() or [""]
            if name and name in properties:
                raise self._error("source.hocr_duplicate", "a title has the same property twice")
            properties[name] = values
        return properties

    def _integers(self, name: str, values: list[str], count: int) -> list[int]:
        if len(values) != count or not all(map(_INTEGER.fullmatch, values)):
            raise self._error("source.hocr_number", f"{name} needs {count} whole number(s)")
        return [int(value) for value in values]
