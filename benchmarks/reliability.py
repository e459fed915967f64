"""The picture of `docs/evidence.md`: what became of faithful pages, by noise level, as one SVG that needs nothing else.

Each verdict has its colour (blue, amber, vermilion: told apart with any common colour vision), its own pattern and, where there is
room, its number. Background and text follow the reader's light or dark setting together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.ocr.levels import LEVEL_NAMES

VERDICTS = ("PASS", "ABSTAIN", "FAIL")
ENGINE_NAMES = {"typed": "typed", "tesseract": "Tesseract", "rapidocr": "RapidOCR"}
LEFT, WIDE, HIGH, STEP, TOP = 250, 460, 20, 30, 64

STYLE = """
.b{fill:#fff}.t{fill:#1f2328;font:13px sans-serif}.s{fill:#57606a;font:12px sans-serif}.h{font-weight:bold}.g{stroke:#d0d7de}
.n{fill:#1f2328;font:11px sans-serif}.p{fill:#56b4e9}.a{fill:#f0c75e}.f{fill:#e0703a}.k{stroke:#1f2328}
@media(prefers-color-scheme:dark){.b{fill:#0d1117}.t{fill:#e6edf3}.s{fill:#9aa4ae}.g{stroke:#30363d}}
""".strip()

PATTERNS = (
    '<pattern id="PASS" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" class="p"/></pattern>'
    '<pattern id="ABSTAIN" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" class="a"/>'
    '<path d="M-2 2L2 -2M0 8L8 0M6 10L10 6" class="k" stroke-width="1" stroke-opacity=".35"/></pattern>'
    '<pattern id="FAIL" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" class="f"/>'
    '<path d="M0 0L8 8M0 8L8 0" class="k" stroke-width="1.2"/></pattern>'
)


def svg(rows: Sequence[Mapping[str, Any]]) -> str:
    """`rows`: `faithful` of the OCR benchmark's result, in order."""
    height = TOP + STEP * len(rows) + 40
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDE + 90} {height}" role="img" aria-labelledby="title desc">',
        '<title id="title">Verdicts on faithful extractions, by noise level</title>',
        f'<desc id="desc">{"; ".join(_spoken(row) for row in rows)}</desc>',
        f"<style>{STYLE}</style><defs>{PATTERNS}</defs>",
        '<rect width="100%" height="100%" class="b"/>',
        '<text x="16" y="24" class="t h">Faithful extractions: what the fence says, by noise level of the page</text>',
    ]
    for place, verdict in enumerate(VERDICTS):
        at = LEFT + place * 120
        out.append(
            f'<rect x="{at}" y="36" width="14" height="14" fill="url(#{verdict})"/><text x="{at + 20}" y="48" class="t">{verdict}</text>'
        )
    for number, row in enumerate(rows):
        y = TOP + number * STEP
        if number and row["engine"] != rows[number - 1]["engine"]:
            out.append(f'<path d="M16 {y - 4}H{LEFT + WIDE + 70}" class="g"/>')
        name = f"{ENGINE_NAMES[row['engine']]} {row['level']}"
        out.append(f'<text x="16" y="{y + 14}" class="t h">{name}</text>')
        out.append(f'<text x="{LEFT - 12}" y="{y + 14}" class="s" text-anchor="end">{LEVEL_NAMES[row["level"]]}</text>')
        counts, x = row["documents"], float(LEFT)
        for verdict in VERDICTS:
            share = counts[verdict] / counts["n"]
            if share:
                out.append(f'<rect x="{x:.1f}" y="{y}" width="{share * WIDE:.1f}" height="{HIGH}" fill="url(#{verdict})"/>')
            if share * WIDE > 40:
                middle = x + share * WIDE / 2
                out.append(f'<rect x="{middle - 18:.1f}" y="{y + 3}" width="36" height="14" rx="3" fill="#fff" fill-opacity=".75"/>')
                out.append(f'<text x="{middle:.1f}" y="{y + 14}" class="n" text-anchor="middle">{100 * share:.0f} %</text>')
            x += share * WIDE
        out.append(f'<text x="{LEFT + WIDE + 10}" y="{y + 14}" class="s">n = {counts["n"]}</text>')
    out.append(
        f'<text x="16" y="{height - 14}" class="s">Pages set in type by the benchmark itself; ABSTAIN and FAIL both go to a person.</text>'
    )
    return "\n".join([*out, "</svg>", ""])


def _spoken(row: Mapping[str, Any]) -> str:
    counts = row["documents"]
    said = ", ".join(f"{verdict} {counts[verdict]}" for verdict in VERDICTS)
    return f"{ENGINE_NAMES[row['engine']]} {row['level']}: {said} of {counts['n']}"
