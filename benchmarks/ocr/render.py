"""Set the prescriptions in type, spoil the pages, let an OCR engine read them, and keep what it read.

    python -m benchmarks.ocr.render --write            # both engines; about half an hour on two cores
    python -m benchmarks.ocr.render --count 8 --levels D0,D2 --show DIR   # look at a few page images

Needs Pillow, `tesseract` (Debian: tesseract-ocr), the fonts of Debian's fonts-liberation, fonts-dejavu-core, fonts-dkg-handwriting,
fonts-breip and fonts-femkeklaver, and for the second engine rapidocr-onnxruntime 1.4.4 (Python below 3.13) with opencv-python 4.11 and
numpy 2.2: with another opencv it reads other words. Pages already read are kept in `--work` and not read again. The prescriptions are those
of the cache, whatever has been added to the bundle since (`--draw` draws them anew). The seeds are fixed; another version of an engine
reads other words, so its version is in the file.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import math
import os
import re
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont, ImageMath

from benchmarks.ocr import prescriptions as rx
from benchmarks.ocr.pages import CACHE, ENGINES, FORMAT, cache
from medfence_guard import Rulepack

PRINTED, HANDWRITTEN, SEED = 280, 40, 7
WIDTH, MARGIN = 1165, 60  # A4 at 140 dots per inch, as high as its text needs
# Which spoilt copies of the n-th printed prescription are read: two each, the clean and slightly spoilt ones more often.
SPREAD = (("D0", "D3"), ("D1", "D2"), ("D2", "D4"), ("D0", "D5"), ("D1", "D3"))
SECOND_ENGINE = 60  # the first so many printed prescriptions, at D0 and D2, whichever of the two each of them has
FONTS = ("/usr/share/fonts/truetype", "/usr/share/fonts/opentype")
FILES = {
    "LiberationSans": "LiberationSans-Regular.ttf",
    "LiberationSerif": "LiberationSerif-Regular.ttf",
    "LiberationMono": "LiberationMono-Regular.ttf",
    "DejaVuSans": "DejaVuSans.ttf",
    "DejaVuSerif": "DejaVuSerif.ttf",
    "bold": "LiberationSans-Bold.ttf",
    "dkg": "dkg.ttf",
    "breip": "Breip.ttf",
    "femkeklaver": "femkeklaver.ttf",
}
SIZES = {"title": 38, "rx": 38, "small": 19, "body": 22, "bold": 22, "large": 28}
ORDER_SIZE = 28
CELLS = (MARGIN, 560, 705, 850)

Box = tuple[float, float, float, float]
Placed = tuple[rx.Word, Box]


# --- the clean page ----------------------------------------------------------------------------------------------------


def font(name: str, size: int) -> ImageFont.FreeTypeFont:
    for folder in FONTS:
        for path in Path(folder).rglob(FILES[name]):
            return ImageFont.truetype(str(path), size)
    raise SystemExit(f"missing font: {FILES[name]} (see the head of {Path(__file__).name})")


def clean_page(prescription: dict[str, Any]) -> tuple[Image.Image, list[Placed]]:
    """The page in grey, with the box of every word on it."""
    style = prescription["style"]
    by_hand = prescription["layout"].startswith("hand_")
    image = Image.new("L", (WIDTH, 2000), 255)
    draw = ImageDraw.Draw(image)
    placed: list[Placed] = []
    y, tops = 36.0, {1: 0.0, 2: 0.0}

    def put(row: rx.Row, x: float, top: float) -> float:
        order = any(word.item >= 0 for word in row.words)
        size = ORDER_SIZE if order and row.size == "body" else SIZES[row.size]
        face = "bold" if row.size in ("title", "rx", "bold") else style["hand"] if order and by_hand else style["font"]
        if face == style["font"] and face == "LiberationMono":
            size -= 4
        chosen = font(face, size + 6 if order and by_hand else size)
        for word in row.words:
            draw.text((x, top), word.text, font=chosen, fill=0)
            placed.append((word, draw.textbbox((x, top), word.text, font=chosen)))
            x = draw.textlength(word.text, font=chosen) + x + draw.textlength(" ", font=chosen)
        return size * 1.75

    for row in rx.compose(prescription):
        if row.kind == "rule":
            draw.line((MARGIN - 20, y, WIDTH - MARGIN + 20, y), fill=0, width=2)
            y += 14
        elif row.kind == "gap":
            y += 12
        elif row.kind == "cells":
            y += _cells(draw, y, [put(rx.Row((word,), size="bold"), x, y) for word, x in zip(row.words, CELLS, strict=True)])
        elif row.kind.startswith("cell"):
            column = int(row.kind[-1]) - 1
            height = put(row, CELLS[column] if column else MARGIN, y)
            if column == 3:
                y += _cells(draw, y, [height, ORDER_SIZE * 1.75])
        elif row.column:
            if row.column == 1 and not tops[1]:
                tops = {1: y, 2: y}
            tops[row.column] += put(row, (40 if row.column == 1 else 360) + row.indent, tops[row.column])
        else:
            if tops[1]:
                y = max(tops.values()) + 10
                draw.line((330, min(y - 20, tops[1]) - 300, 330, y - 20), fill=0, width=2)
                tops = {1: 0.0, 2: 0.0}
            if row.kind == "below":
                y += 60
            y += put(row, MARGIN + row.indent, y)
    return image.crop((0, 0, WIDTH, int(y) + 40)), placed


def _cells(draw: ImageDraw.ImageDraw, y: float, heights: Sequence[float]) -> float:
    """The lines around one row of a table; gives its height."""
    high = max(heights)
    for x in (*CELLS, WIDTH - MARGIN + 10):
        draw.line((x - 10, y - 8, x - 10, y - 8 + high), fill=0, width=2)
    for level in (y - 8, y - 8 + high):
        draw.line((CELLS[0] - 10, level, WIDTH - MARGIN, level), fill=0, width=2)
    return high


# --- wear ----------------------------------------------------------------------------------------------------------------


def _noise(image: Image.Image, sigma: float, seed: int) -> Image.Image:
    """Gaussian noise from a seed. Pillow's own has none, so a tile of seeded bytes is summed from four shifts of itself."""
    random = Random(seed)
    width, height = image.size
    tile = Image.frombytes("L", (257, 263), random.randbytes(257 * 263))
    sums = Image.new("F", image.size, 0.0)
    for _ in range(4):
        layer = Image.new("L", image.size)
        dx, dy = random.randrange(257), random.randrange(263)
        for x in range(-dx, width, 257):
            for y in range(-dy, height, 263):
                layer.paste(tile, (x, y))
        sums = _plus(sums, layer)
    spread = sigma / (73.9 * 2)  # the deviation of a sum of four uniform bytes
    grain = sums.point(lambda v: v * spread - 510 * spread)
    return _plus(image.convert("F"), grain).convert("L")


def _plus(one: Image.Image, other: Image.Image) -> Image.Image:
    return ImageMath.lambda_eval(lambda args: args["a"] + args["b"], a=one.convert("F"), b=other.convert("F"))


def _turn(image: Image.Image, placed: list[Placed], degrees: float, scale: float) -> tuple[Image.Image, list[Placed]]:
    """Rotate about the centre and scale, the boxes with it."""
    turned = image.rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=255)
    cx, cy = image.width / 2, image.height / 2
    sin, cos = math.sin(math.radians(-degrees)), math.cos(math.radians(-degrees))

    def move(box: Box) -> Box:
        corners = [(x - cx, y - cy) for x in (box[0], box[2]) for y in (box[1], box[3])]
        xs = [cx + x * cos - y * sin for x, y in corners]
        ys = [cy + x * sin + y * cos for x, y in corners]
        return (min(xs) * scale, min(ys) * scale, max(xs) * scale, max(ys) * scale)

    if scale != 1:
        turned = turned.resize((int(image.width * scale), int(image.height * scale)), Image.Resampling.LANCZOS)
    return turned, [(word, move(box)) for word, box in placed]


def _stamp(image: Image.Image, random: Random) -> Image.Image:
    stamp = Image.new("L", (260, 120), 255)
    draw = ImageDraw.Draw(stamp)
    draw.rectangle((2, 2, 257, 117), outline=120, width=3)
    draw.text((20, 14), "GENERAL OPD", font=font("bold", 28), fill=120)
    draw.text((20, 62), "12 MAR 2026", font=font("bold", 28), fill=120)
    stamp = stamp.rotate(random.uniform(-25, 25), expand=True, fillcolor=255)
    where = Image.new("L", image.size, 255)
    where.paste(stamp, (image.width - stamp.width - 30, image.height - stamp.height - 40))
    return ImageChops.darker(image, where)


def _shade(image: Image.Image, random: Random, depth: int) -> Image.Image:
    """A shadow that grows from one side of the page to the other."""
    ramp = Image.linear_gradient("L").rotate(random.choice((0, 90, 180, 270)))
    ramp = ramp.resize(image.size).point(lambda v: 255 - depth + v * depth // 255)
    return ImageChops.multiply(image, ramp)


def _jpeg(image: Image.Image, quality: int) -> Image.Image:
    held = io.BytesIO()
    image.convert("L").save(held, "JPEG", quality=quality)
    return Image.open(io.BytesIO(held.getvalue())).convert("L")


def worn(image: Image.Image, placed: list[Placed], level: str, seed: int) -> tuple[Image.Image, list[Placed]]:
    """The page as it comes from the scanner at this level (README.md says what each is)."""
    random = Random(seed)
    if level == "D0":
        return image, placed
    if level in ("D1", "H"):
        image, placed = _turn(image, placed, random.uniform(-0.7, 0.7), 1)
        return _noise(image.filter(ImageFilter.GaussianBlur(0.4)), 8, seed), placed
    if level == "D2":
        image, placed = _turn(_stamp(image, random), placed, random.uniform(-2, 2), 1)
        return _jpeg(_noise(image.filter(ImageFilter.GaussianBlur(0.8)), 14, seed), 60), placed
    if level == "D3":
        image, placed = _turn(image, placed, random.uniform(-1, 1), 0.5)
        return _noise(image, 8, seed), placed
    if level == "D4":  # a photograph in poor light
        image, placed = _turn(image, placed, random.uniform(-2.5, 2.5), 0.55)
        return _jpeg(_noise(_shade(image.filter(ImageFilter.GaussianBlur(0.7)), random, 150), 14, seed), 35), placed
    if level == "D5":  # a fax of a copy
        image, placed = _turn(image, placed, random.uniform(-2, 2), 0.45)
        return _noise(image.filter(ImageFilter.GaussianBlur(0.6)), 38, seed).point(lambda v: 255 if v > 150 else 0), placed
    raise ValueError(level)


# --- the engines -----------------------------------------------------------------------------------------------------------


def read_tesseract(image: Image.Image) -> str:
    """Tesseract's TSV, as it is written."""
    held = io.BytesIO()
    image.save(held, "PNG", dpi=(140, 140))
    command = ["tesseract", "-", "-", "-l", "eng", "--psm", "3", "tsv"]
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(command, input=held.getvalue(), capture_output=True, check=True, env=environment)
    return done.stdout.decode()


def tesseract_version() -> str:
    done = subprocess.run(["tesseract", "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split("\n")[0]


_ALIKE = re.compile(r"[^\W\d_]+|[\W\d_]+")


def words_of(lines: Sequence[tuple[str, Sequence[str], Sequence[float], Sequence[Any]]]) -> list[list[Any]]:
    """The words of `(text, characters, their confidences, their boxes)` of each line; as `rapidocr` says."""
    words: list[list[Any]] = []
    for line, (text, characters, confidences, boxes) in enumerate(lines):
        at = 0
        for word in text.split():
            for glued, part in enumerate(_ALIKE.findall(word)):
                wanted, here = part, []
                while wanted and at < len(characters):
                    if wanted.startswith(characters[at]):
                        wanted = wanted[len(characters[at]) :]
                        here.append(at)
                    at += 1
                if wanted or not here:
                    raise SystemExit(f"the characters of a line do not spell it: {text!r}")
                xs = [corner[0] for place in here for corner in boxes[place]]
                ys = [corner[1] for place in here for corner in boxes[place]]
                confidence = min(float(confidences[place]) for place in here)
                words.append([part, round(confidence, 4), min(xs), min(ys), max(xs), max(ys), line, int(glued > 0)])
    return words


def rapidocr() -> tuple[Callable[[Image.Image], list[list[Any]]], str]:
    """A reader for `[text, lowest confidence of its characters, x0, y0, x1, y1, line, glued]`.

    The engine measures each character and loses spaces, so a word is what it parts by spaces, cut again where letters and other
    signs meet (`Rosuvastatin`, `40`, `mg`): a letter of a name it was unsure of says nothing of the number glued to it. `glued`: 1 where
    no space stands before it.
    """
    import importlib.metadata

    import numpy as np
    from rapidocr_onnxruntime import RapidOCR

    engine = RapidOCR(intra_op_num_threads=1, text_score=0.0)

    def read(image: Image.Image) -> list[list[Any]]:
        found, _ = engine(np.array(image.convert("RGB")), use_cls=False, return_word_box=True)
        return words_of([(text, characters, confidences, boxes) for _, text, _, boxes, characters, confidences in found or ()])

    return read, f"rapidocr-onnxruntime {importlib.metadata.version('rapidocr-onnxruntime')}"


def compact(tsv: str) -> list[list[Any]]:
    """The words of a TSV: `[text, confidence 0..100 or -1, left, top, width, height, "page block paragraph line word"]`."""
    rows = []
    for row in tsv.splitlines()[1:]:
        cells = row.split("\t")
        if cells[0] == "5":
            rows.append([cells[11], float(cells[10]), *map(int, cells[6:10]), " ".join(cells[1:6])])
    return rows


# --- the run -----------------------------------------------------------------------------------------------------------------


def levels_of(index: int, layout: str) -> tuple[str, ...]:
    return ("H",) if layout.startswith("hand_") else SPREAD[index % len(SPREAD)]


def jobs(drawn: Sequence[dict[str, Any]]) -> list[tuple[str, int, str]]:
    """`(engine, index, level)`, the first engine's first, and of it one copy of each prescription before the second of any."""
    copies = [levels_of(n, one["layout"]) for n, one in enumerate(drawn)]
    first = [("tesseract", n, levels[turn]) for turn in (0, 1) for n, levels in enumerate(copies) if turn < len(levels)]
    second = [("rapidocr", n, level) for _, n, level in first if n < SECOND_ENGINE and level in ("D0", "D2")]
    return first + second


def page_of(prescription: dict[str, Any], level: str) -> tuple[Image.Image, list[Placed]]:
    seed = zlib.crc32(f"{prescription['id']} {level}".encode())
    return worn(*clean_page(prescription), level, seed)


def facts_of(placed: list[Placed]) -> list[list[Any]]:
    """`[text, fact, item, x0, y0, x1, y1]` of the words that carry one: where on the spoilt page what is true stands."""
    return [[word.text, word.fact, word.item, *(round(edge) for edge in box)] for word, box in placed if word.item >= 0]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help=f"write {CACHE.name}")
    parser.add_argument("--draw", action="store_true", help=f"draw new prescriptions from the bundle; else those of {CACHE.name} are kept")
    parser.add_argument("--work", type=Path, default=Path("build/ocr"), help="where pages that were read are kept")
    parser.add_argument("--engine", choices=ENGINES, action="append", help="only this engine; its pages are left in --work")
    parser.add_argument("--part", default="1/1", help="K/N: read every N-th page only, from the K-th")
    parser.add_argument("--count", type=int, help="only the first so many prescriptions")
    parser.add_argument("--show", type=Path, help="write the page images here")
    args = parser.parse_args()
    drawn = rx.draw(Rulepack.default().bundle, PRINTED, HANDWRITTEN, SEED) if args.draw else cache()["prescriptions"]
    todo = [job for job in jobs(drawn) if args.count is None or job[1] < args.count]
    if args.show is not None:
        args.show.mkdir(parents=True, exist_ok=True)
        for engine, n, level in todo:
            if engine == "tesseract":
                page_of(drawn[n], level)[0].save(args.show / f"{drawn[n]['id']}_{level}_{drawn[n]['layout']}.png")
        return 0
    args.work.mkdir(parents=True, exist_ok=True)
    first, of = map(int, args.part.split("/"))
    readers: dict[str, Any] = {}
    for number, (engine, n, level) in enumerate(todo):
        target = args.work / f"{drawn[n]['id']}.{level}.{engine}.json"
        if number % of != first - 1 or target.exists() or (args.engine and engine not in args.engine):
            continue
        image, placed = page_of(drawn[n], level)
        if engine == "tesseract":
            read: dict[str, Any] = {"version": tesseract_version(), "words": compact(read_tesseract(image))}
        else:
            if engine not in readers:
                readers[engine] = rapidocr()
            reader, version = readers[engine]
            read = {"version": version, "words": reader(image)}
        page = {"rx": drawn[n]["id"], "level": level, "engine": engine, "facts": facts_of(placed), **read}
        target.with_suffix(".part").write_text(json.dumps(page), encoding="utf-8")
        target.with_suffix(".part").replace(target)
    if args.write:
        pages = [json.loads((args.work / f"{drawn[n]['id']}.{level}.{engine}.json").read_text("utf-8")) for engine, n, level in todo]
        versions = {page["engine"]: page.pop("version") for page in pages}
        document = {"format": FORMAT, "engines": versions, "seed": SEED, "prescriptions": drawn, "pages": pages}
        data = json.dumps(document, separators=(",", ":"), sort_keys=True, ensure_ascii=False).encode()
        CACHE.write_bytes(gzip.compress(data, 9, mtime=0))
        print(f"{CACHE.name}: {len(drawn)} prescriptions, {len(pages)} pages, {CACHE.stat().st_size} bytes", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
