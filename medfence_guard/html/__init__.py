"""The evidence page: `page.py` writes it, from the entries, values, images and safe text of the other modules here."""

from medfence_guard.html.page import render

__all__ = ["render"]
