"""The document around the items, the items, and the reading as a whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from medfence_guard.artifacts import ArtifactType
from medfence_guard.contract import Extraction, Finding, Json, Severity
from medfence_guard.payload.claims import Claim, Item, PayloadReading, PayloadRules
from medfence_guard.payload.fields import FieldReader
from medfence_guard.payload.findings import kind_name, schema_finding, wrong_type
from medfence_guard.payload.json_text import JSON_SPACE
from medfence_guard.payload.keys import AliasTable, fold_key, quoted_under, says_nothing
from medfence_guard.payload.limits import MAX_DOCUMENT_KEYS, MAX_FIELD_CHARACTERS, MAX_ITEMS, MAX_KEYS, MAX_WRAPPERS, MalformedPayload
from medfence_guard.payload.paths import child_path
from medfence_guard.payload.plain import plain_json

_LABEL: Final = re.compile(r"(?:items?|meds?|medications?|medicines?|drugs?|rx|m|no|line)?[ _-]?[0-9]{1,3}")


def _only_a_label(key: str, entry: Mapping[str, Json]) -> bool:
    """Whether the key of an item in an object of items says nothing: a number, or the name that the item has itself."""
    folded = key.strip().lower()
    return _LABEL.fullmatch(folded) is not None or any(type(value) is str and value.strip().lower() == folded for value in entry.values())


class _Reader(FieldReader):
    """One reading in progress: the document, the list of items in it, and each item."""

    __slots__ = ("container", "document_claims", "items")

    def __init__(self, artifact: ArtifactType, table: AliasTable, unverified: frozenset[str]) -> None:
        super().__init__(artifact, table, unverified)
        self.container = ""
        self.items: list[Item] = []
        self.document_claims: list[Claim] = []

    # -- the document ------------------------------------------------------------------------------------------

    def root(self, value: Json) -> None:
        if type(value) is list:
            self.list_of_items(value, "$")
        elif type(value) is dict:
            self.document(value, "$", MAX_WRAPPERS)

    def document(self, members: dict[str, Json], path: str, wrappers_left: int) -> None:
        if not self.holds_container(members) and self.holds_name(members):
            self.container = self.container or path
            self.item(members, path)
            return
        if len(members) > MAX_DOCUMENT_KEYS:
            self.too_much(path, f"more than {MAX_DOCUMENT_KEYS} keys")
            return
        for key, value in members.items():
            role = self.table.document_role(key)
            here = child_path(path, key)
            kind = "" if role is None else role.kind
            if kind == "container" and role is not None and role.target != self.artifact.container:
                kind = ""
            if kind == "container" or (kind == "wrapper" and self.holds_items(value, wrappers_left)):
                pure = kind == "container" and role is not None and role.template != "wraps"
                self.structure(key, here, value, wrappers_left, pure=pure)
            elif here in self.unverified:
                self.unmapped("document", key, here, value)
            elif kind == "wrapper" and type(value) is dict and wrappers_left:
                self.document(value, here, wrappers_left - 1)
            elif kind == "metadata" and says_nothing(key, value):
                pass
            elif kind == "document" and role is not None and role.target in self.artifact.document_fields:
                self.document_field(role.target, key, here, value)
            else:
                self.unmapped("document", key, here, value)

    def structure(self, key: str, path: str, value: Json, wrappers_left: int, *, pure: bool) -> None:
        """The value of a container key, or of a wrapper around one. pure: the key holds items and nothing else."""
        if type(value) is list:
            self.list_of_items(value, path)
        elif pure and type(value) is dict and not self.holds_name(value) and not self.holds_container(value):
            self.container = self.container or path
            for inner, entry in value.items():
                if type(entry) is dict and not _only_a_label(inner, entry):
                    message = (
                        "The key of this item says something of it (a status, a time, another name); it was not checked. "
                        "Ask for a list of items."
                    )
                    self.findings.append(schema_finding("schema.role", child_path(path, inner), Severity.MAJOR, message))
            self.entries(((child_path(path, inner), entry) for inner, entry in value.items()), path)
        elif type(value) is dict and wrappers_left:
            self.document(value, path, wrappers_left - 1)
        elif type(value) is dict:
            self.too_much(path, f"more than {MAX_WRAPPERS} objects around the list of items")
        elif not self.table.carries_nothing(value, in_field=True):
            self.unreadable(wrong_type(value), key, path)

    def holds_items(self, value: Json, wrappers_left: int) -> bool:
        """True if the value of a wrapper is, or leads to, a list of items."""
        if type(value) is list:
            return any(type(entry) is dict and self.holds_name(entry) for entry in value)
        if type(value) is not dict:
            return False
        if self.holds_name(value):
            return True
        for key, inner in value.items():
            role = self.table.document_role(key)
            if role is not None and role.kind == "container" and role.target == self.artifact.container:
                return True
            if role is not None and role.kind == "wrapper" and wrappers_left and self.holds_items(inner, wrappers_left - 1):
                return True
        return False

    def holds_container(self, members: dict[str, Json]) -> bool:
        for key, value in members.items():
            if type(value) is list or type(value) is dict:
                role = self.table.document_role(key)
                if role is not None and role.kind in ("container", "wrapper"):
                    return True
        return False

    def holds_name(self, members: dict[str, Json]) -> bool:
        for key in members:
            role = self.table.item_role(key)
            if role is not None and role.kind == "field" and role.target in ("name", "generic_name"):
                return True
        return False

    def document_field(self, target: str, key: str, path: str, value: Json) -> None:
        if type(value) is list:
            if len(value) > MAX_KEYS:
                self.too_much(path, f"more than {MAX_KEYS} entries")
                return
            for position, entry in enumerate(value):
                self.document_leaf(target, key, f"{path}[{position}]", entry)
        elif type(value) is dict:
            for inner, entry in value.items():
                here = child_path(path, inner)
                if here in self.unverified:
                    self.unmapped(f"document.{target}", inner, here, entry)
                elif fold_key(inner) in self.table.document_parts:
                    self.document_leaf(target, inner, here, entry)
                else:
                    self.unmapped(f"document.{target}", inner, here, entry)
        else:
            self.document_leaf(target, key, path, value)

    def document_leaf(self, target: str, key: str, path: str, value: Json) -> None:
        if value is None or (type(value) is str and self.table.is_absent(value, in_field=True)):
            return
        if type(value) is str:
            text = value
        elif type(value) is int:
            text = str(value)
        else:
            self.unreadable(wrong_type(value), key, path)
            return
        if len(text) > MAX_FIELD_CHARACTERS:
            self.too_much(path, f"more than {MAX_FIELD_CHARACTERS} characters")
            return
        if len(self.document_claims) >= MAX_ITEMS:
            self.too_much(path, f"more than {MAX_ITEMS} values beside the items")
            return
        self.document_claims.append(Claim(path, target, text, None, key))

    # -- items -------------------------------------------------------------------------------------------------

    def list_of_items(self, entries: list[Json], path: str) -> None:
        self.container = self.container or path
        self.entries(((f"{path}[{position}]", entry) for position, entry in enumerate(entries)), path)

    def entries(self, entries: Iterable[tuple[str, Json]], path: str) -> None:
        for here, entry in entries:
            if type(entry) is dict:
                if "name" not in entry and not self.holds_name(entry) and self.holds_container(entry):
                    self.document(entry, here, 0)
                elif len(self.items) >= MAX_ITEMS:
                    self.too_much(path, f"more than {MAX_ITEMS} items; those after them were not read")
                    return
                else:
                    self.item(entry, here)
            elif not self.table.carries_nothing(entry, in_field=False):
                self.findings.append(
                    schema_finding(
                        "schema.type",
                        here,
                        Severity.MAJOR,
                        f"An item is {kind_name(entry)} where an object with its fields is needed; it was not checked. "
                        "Ask the model for one object per item.",
                    )
                )
                if len(self.findings) > MAX_ITEMS:
                    self.too_much(path, "too many entries that cannot be read; the rest was not read")
                    return

    def item(self, members: dict[str, Json], path: str) -> None:
        if len(members) > MAX_KEYS:
            self.too_much(path, f"more than {MAX_KEYS} keys in one item")
            self.items.append(Item(len(self.items), path, (), frozenset()))
            return
        table = self.table
        item_keys = table.item_keys
        fields = self.artifact.fields
        absent, longest_absent = table.absent_in_fields, table.longest_absent
        index = len(self.items)
        claims: list[Claim] = []
        keys: set[str] = set()
        self.claims = claims
        self.keys = keys
        units: list[tuple[str, str, str, Json]] = []
        slots: list[tuple[str, str, str, Json]] = []
        findings_before = len(self.findings)
        for key, value in members.items():
            role = item_keys.get(key)
            if role is None:
                role = table.item_role(key)
                here = child_path(path, key)
            else:
                here = f"{path}.{key}"
            if role is not None and role.kind == "field":
                spec = fields.get(role.target)
                if spec is not None:
                    keys.add(role.target)
                    # The two plain cases first: a string of reasonable length, and a number with its unit.
                    if type(value) is str and len(value) <= MAX_FIELD_CHARACTERS and not spec.boolean:
                        if len(value) > longest_absent or value.strip(JSON_SPACE).lower() not in absent:
                            claims.append(Claim(here, role.target, value, index, key))
                    elif (
                        type(value) is dict
                        and len(value) == 2
                        and type(number := value.get("value")) is int
                        and type(unit := value.get("unit")) is str
                        and len(unit) < MAX_FIELD_CHARACTERS // 2
                        and "quantity" in spec.shapes
                        and unit.strip(JSON_SPACE).lower() not in absent
                    ):
                        claims.append(Claim(here, role.target, f"{number} {unit}", index, key))
                    else:
                        self.field(spec, key, here, value, index, 2)
                    continue
            if role is None:
                self.unmapped("item", key, here, value)
            elif role.kind == "template" and role.target in fields:
                keys.add(role.target)
                self.templated(fields[role.target], role.template, key, here, value, index)
            elif role.kind == "unit":
                if role.target in fields:
                    keys.add(role.target)
                units.append((role.target, key, here, value))
            elif role.kind == "slot" and "frequency" in fields:
                keys.add("frequency")
                slots.append((role.target, key, here, value))
            elif role.kind == "metadata" and "source_quote" in fields and (quotes := quoted_under(key, value)):
                for quote in quotes:
                    self.claim(fields["source_quote"], key, here, quote, index)
            elif role.kind != "metadata" or not says_nothing(key, value):
                self.unmapped("item", key, here, value)
        if slots:
            self.slots(slots, index)
        for target, key, here, value in units:
            self.join_unit(target, key, here, value)
        if not claims and len(self.findings) == findings_before:
            message = "This item claims nothing, so nothing of it could be checked. Look at the source."
            self.findings.append(schema_finding("schema.empty", path, Severity.MAJOR, message))
        self.items.append(Item(index, path, tuple(claims), frozenset(keys)))


def read_payload(extraction: Extraction, artifact: ArtifactType, rulepack: PayloadRules) -> PayloadReading:
    """Every leaf of the payload as a claim, as nothing, or as a finding, in payload order. Raises nothing for a bad payload."""
    try:
        value = plain_json(extraction.payload)
    except MalformedPayload as problem:
        message = f"The payload could not be read ({problem.code} at {problem.where}): {problem.what}. Nothing was checked or repaired."
        return _nothing_read(artifact, None, schema_finding("schema.malformed", "$", Severity.CRITICAL, message))
    if type(value) is not dict and type(value) is not list:
        message = f"The payload is {kind_name(value)} where an object or a list is needed. Nothing of it was checked."
        return _nothing_read(artifact, value, schema_finding("schema.malformed", "$", Severity.CRITICAL, message))
    reader = _Reader(artifact, rulepack.alias_table, rulepack.unverified)
    reader.root(value)
    container = reader.container or f"$.{artifact.container}"
    item_claims = sum(len(item.claims) for item in reader.items)
    if not item_claims:
        message = f"The payload claims no {artifact.container}, so there is nothing to verify. Look at the source."
        reader.findings.append(schema_finding("schema.empty", container, Severity.MAJOR, message))
    return PayloadReading(
        value=value,
        items=tuple(reader.items),
        document_claims=tuple(reader.document_claims),
        findings=tuple(reader.findings),
        keys_anywhere=frozenset().union(*(item.keys for item in reader.items)),
        claims=item_claims + len(reader.document_claims),
        container=container,
        not_checked=tuple(reader.not_checked),
    )


def _nothing_read(artifact: ArtifactType, value: Json, finding: Finding) -> PayloadReading:
    return PayloadReading(
        value=value,
        items=(),
        document_claims=(),
        findings=(finding,),
        keys_anywhere=frozenset(),
        claims=0,
        container=f"$.{artifact.container}",
        not_checked=(),
    )
