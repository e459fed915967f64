"""Page images: reading their size, and which part of a page shows some words."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from medfence_guard.contract import SourceDocument, Span, Word
from medfence_guard.errors import InputError


@dataclass(frozen=True, slots=True)
class PageImage:
    """One page image, ready to embed. Width and height in pixels."""

    data_uri: str
    width: int
    height: int


Box: TypeAlias = tuple[int, int, int, int]

_MARGIN = 14
"""Pixels of paper left around a crop."""


def words_in(source: SourceDocument, spans: Sequence[Span]) -> list[Word]:
    return [word for word in source.words if any(word.start < span.end and span.start < word.end for span in spans)]


def view_of(boxes: Sequence[Box], source: SourceDocument, number: int, image: PageImage) -> Box | None:
    """The part of the page that shows these words and whatever else stands on their lines; None when it lies outside the image."""
    if not boxes:
        return None
    top, bottom = min(box[1] for box in boxes), max(box[3] for box in boxes)
    beside = [word.box for word in source.words if word.page == number and word.box and top <= (word.box[1] + word.box[3]) / 2 <= bottom]
    # A rule or a stain read as one huge word would swallow the page.
    beside = [box for box in beside if box[3] - box[1] <= bottom - top] or list(boxes)
    left, right = min(box[0] for box in (*boxes, *beside)), max(box[2] for box in (*boxes, *beside))
    x0, y0 = max(0, left - _MARGIN), max(0, top - _MARGIN)
    x1, y1 = min(image.width, right + _MARGIN), min(image.height, bottom + _MARGIN)
    return (x0, y0, x1, y1) if x0 < x1 and y0 < y1 else None


def frames_of(boxes: Sequence[Box]) -> list[Box]:
    """One frame per run of neighbouring words: two join when they overlap in height and the gap is no wider than they are high."""
    frames: list[Box] = []
    for box in boxes:
        last = frames[-1] if frames else None
        if last and last[1] < box[3] and box[1] < last[3] and -_MARGIN < box[0] - last[2] <= box[3] - box[1]:
            frames[-1] = (min(last[0], box[0]), min(last[1], box[1]), max(last[2], box[2]), max(last[3], box[3]))
        else:
            frames.append(box)
    return frames


def definitions_of(images: Mapping[int, PageImage]) -> str:
    """Each page image once; every crop is a view of it."""
    if not images:
        return ""
    pages = "".join(
        f'<image id="page-{number}" width="{image.width}" height="{image.height}" href="{image.data_uri}"/>'
        for number, image in images.items()
    )
    return f'<svg class="pages" width="0" height="0" aria-hidden="true" focusable="false"><defs>{pages}</defs></svg>\n'


def read_image(number: int, data: bytes) -> PageImage:
    size = _png_size(data) or _jpeg_size(data)
    if type(number) is not int or size is None:
        raise InputError("html.image", "images maps page numbers to the bytes of a PNG or JPEG file; one of these is neither, or cut off")
    kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
    return PageImage(f"data:image/{kind};base64,{base64.b64encode(data).decode('ascii')}", *size)


def _png_size(data: bytes) -> tuple[int, int] | None:
    if type(data) is not bytes or len(data) < 24 or not data.startswith(b"\x89PNG\r\n\x1a\n") or data[12:16] != b"IHDR":
        return None
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


_JPEG_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Walk the marker segments to the frame header, which holds height and width."""
    if type(data) is not bytes or not data.startswith(b"\xff\xd8\xff"):
        return None
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        if data[at + 1] in _JPEG_FRAMES:
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big") if data[at + 1] != 0xFF else 1
    return None
