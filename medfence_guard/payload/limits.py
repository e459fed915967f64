"""How much a payload may be, and what is raised when it is not the strict JSON we read."""

from __future__ import annotations

from typing import Final

# Limits come before work (P13). Real payloads stay two orders of magnitude below each of them.
MAX_DEPTH: Final = 64
MAX_BYTES: Final = 4 * 1024 * 1024
MAX_NODES: Final = 200_000
MAX_NUMBER_CHARACTERS: Final = 20
MAX_INTEGER: Final = 2**53 - 1  # what every JSON reader keeps exact (RFC 8259 section 6)
MAX_FIELD_CHARACTERS: Final = 512
MAX_ITEMS: Final = 200
MAX_KEYS: Final = 64
MAX_DOCUMENT_KEYS: Final = 256
MAX_WRAPPERS: Final = 3


class MalformedPayload(Exception):  # noqa: N818 - names the payload, and never reaches a caller
    """The payload is not the strict JSON we read. Internal: `read_payload` turns it into a finding.

    code: short reason. where: line and column, or a path. what: a sentence without payload text.
    """

    def __init__(self, code: str, where: str, what: str) -> None:
        super().__init__(f"{code} at {where}: {what}")
        self.code = code
        self.where = where
        self.what = what
