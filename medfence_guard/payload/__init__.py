"""The model's side: strict JSON in, one answer for every leaf out.

`plain_json` copies whatever the caller gave into plain JSON values, once; that copy is what is verified and
released, so nothing that changes later, or that answers one reader this way and another that way, can matter.
`read_payload` walks the copy and turns every leaf into exactly one of: a claim to be entailed, no claim (absent),
model metadata, a document claim, part of a claim (the unit of a value), or a finding of family S. Nothing is
repaired and nothing is dropped in silence.

A fault of the payload is a finding, never an exception. Messages name keys and paths and never values.
"""

from __future__ import annotations

from medfence_guard.payload.claims import Claim, Item, PayloadReading, PayloadRules
from medfence_guard.payload.document import read_payload
from medfence_guard.payload.keys import AliasTable, KeyRole, fold_key
from medfence_guard.payload.limits import MAX_DEPTH, MAX_FIELD_CHARACTERS, MAX_ITEMS, MalformedPayload
from medfence_guard.payload.paths import child_path, shown_key
from medfence_guard.payload.plain import plain_json
from medfence_guard.payload.unverified import check_unverified_path

# fmt: off
__all__ = [
    "plain_json", "MalformedPayload", "MAX_DEPTH", "MAX_FIELD_CHARACTERS", "MAX_ITEMS",
    "read_payload", "PayloadReading", "PayloadRules", "Claim", "Item",
    "AliasTable", "KeyRole", "fold_key", "shown_key", "child_path", "check_unverified_path",
]
# fmt: on
