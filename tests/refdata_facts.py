"""The shipped bundles and the tables they are built from, as plain rows."""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

from medfence_guard.bundle_file import unpacked

REFDATA = Path(__file__).resolve().parents[1] / "refdata"


@cache
def facts(code: str) -> dict[str, Any]:
    """The facts of the bundle shipped for a jurisdiction."""
    return unpacked(json.loads((REFDATA / "medfence_refdata" / code / "bundle.json").read_text("utf-8")))


@cache
def manifest(code: str) -> dict[str, Any]:
    """The manifest beside it."""
    return json.loads((REFDATA / "medfence_refdata" / code / "manifest.json").read_text("utf-8"))


@cache
def table(name: str) -> list[dict[str, str]]:
    """A table under `refdata/sources`, such as `us/originals.csv`."""
    with (REFDATA / "sources" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def strength_text(strength: dict[str, Any]) -> str:
    """`125 mg/5 mL`."""
    per = f"/{strength['per_value']} {strength['per_unit']}" if strength["per_unit"] else ""
    return f"{strength['value']} {strength['unit']}{per}"
