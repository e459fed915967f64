"""What a payload says, read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from medfence_guard.contract import Finding, Json
from medfence_guard.payload.keys import AliasTable


class Claim(NamedTuple):
    """One thing the payload says. text: the value as one string, in the source's own notation, nothing repaired.

    path: of the field, under the payload's own keys. field: canonical. item: position in `PayloadReading.items`,
    None for a document claim. key: as the payload spells it. boolean: for `as_needed`, else None.
    """

    path: str
    field: str
    text: str
    item: int | None
    key: str
    boolean: bool | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One medication of the payload. index: position in `PayloadReading.items`. keys: canonical fields whose key appears, even as null."""

    index: int
    path: str
    claims: tuple[Claim, ...]
    keys: frozenset[str]

    @property
    def acted_on(self) -> tuple[Claim, ...]:
        """The claims that whoever uses the record acts on. What `source_quote` quotes is evidence: a value it holds is in no field."""
        return tuple([c for c in self.claims if c.field != "source_quote"])


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadReading:
    """What the payload says, and what of it could not be read.

    value: the plain copy (None when malformed). claims: how many claims, items and document together.
    container: path of the list of items. not_checked: paths the deployer listed and the payload holds.
    """

    value: Json
    items: tuple[Item, ...]
    document_claims: tuple[Claim, ...]
    findings: tuple[Finding, ...]
    keys_anywhere: frozenset[str]
    claims: int
    container: str
    not_checked: tuple[str, ...]


class PayloadRules(Protocol):
    """What `read_payload` needs of a rulepack."""

    @property
    def alias_table(self) -> AliasTable:
        """`AliasTable.from_json(aliases.json, the deployer's aliases)`, compiled when the rulepack is made."""

    @property
    def unverified(self) -> frozenset[str]:
        """Exact paths the deployer takes responsibility for."""
