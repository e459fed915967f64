"""The reference bundles that come with medfence-guard: data files, and where they are."""

from __future__ import annotations

from pathlib import Path

JURISDICTIONS = ("in", "us")


def path() -> Path:
    """The folder that holds `<jurisdiction>/bundle.json` and `<jurisdiction>/manifest.json`, and the lexicon they name."""
    return Path(__file__).resolve().parent
