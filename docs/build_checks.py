"""Writes `docs/checks.md` from the check records: `python docs/build_checks.py [--check]`. `--check` compares and writes nothing."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "checks.md"

FAMILIES = {
    "source": "X: may this source be used?",
    "grounding": "G: does the item's own statement entail the claim?",
    "reference": "R: does the bundle know it?",
    "assertion": "A: is it an active order, for this patient, and certain?",
    "completeness": "C: is every statement owned once, and every stated component carried?",
}


def page() -> str:
    """The whole page as text."""
    sys.path.insert(0, str(ROOT))
    from medfence_guard.checks import ALL_CHECKS

    lines = [
        "# Checks",
        "",
        "Written by `python docs/build_checks.py` from the check records; family S (schema) is part of reading the payload.",
        "",
    ]
    for family, title in FAMILIES.items():
        lines += [f"## {title}", ""]
        for check in ALL_CHECKS:
            if check.family != family:
                continue
            fields = f" Fields: {', '.join(sorted(check.fields))}." if check.fields else ""
            emits = ", ".join(f"`{name}`" for name in check.emits)
            lines += [f"### `{check.id}`", "", f"**What it does.** {check.what}{fields}", "", f"**Why it matters.** {check.why}", ""]
            lines += [f"**Example.** {check.example}", "", f"Its findings may carry: {emits}.", ""]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Write or compare; 1 if the page is not what the records say."""
    wanted = page()
    if arguments == ["--check"]:
        if PAGE.read_text(encoding="utf-8") != wanted:
            sys.stderr.write("docs/checks.md is not what the check records say; run: python docs/build_checks.py\n")
            return 1
        return 0
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
