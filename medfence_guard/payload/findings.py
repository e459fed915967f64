"""Family S: what of a payload could not be read, and why."""

from __future__ import annotations

import json

from medfence_guard.artifacts import ArtifactType
from medfence_guard.contract import Evidence, Finding, Json, Severity, Verdict
from medfence_guard.errors import ContractError
from medfence_guard.payload.keys import AliasTable, fold_key
from medfence_guard.payload.paths import child_path, shown_key
from medfence_guard.payload.unverified import check_unverified_path


def schema_finding(check_id: str, path: str, severity: Severity, message: str, verdict: Verdict = Verdict.ABSTAIN) -> Finding:
    """A finding of family S: its own id is its rule, and the key or path in its message its only words of the payload."""
    return Finding(
        check_id=check_id,
        field_path=path,
        verdict=verdict,
        severity=severity,
        evidence=(Evidence(kind="rule", rule_id=check_id),),
        message=message,
    )


class UnreadableError(Exception):
    """A value that cannot be put into one string. Internal: becomes `schema.type` or `schema.role`."""

    def __init__(self, check_id: str, message: str) -> None:
        super().__init__(message)
        self.check_id = check_id
        self.message = message


def wrong_type(value: Json) -> UnreadableError:
    """What a field says of a value that has a shape it cannot have."""
    return UnreadableError(
        "schema.type",
        f"The value under {{key}} is {kind_name(value)}, which this field cannot be; it was not checked. "
        "Ask the model for the words of the source.",
    )


class Findings:
    """A reading in progress, as far as it only collects what could not be read.

    seen: unmapped keys reported already, as (level, key).
    """

    __slots__ = ("artifact", "findings", "not_checked", "seen", "table", "unverified")

    def __init__(self, artifact: ArtifactType, table: AliasTable, unverified: frozenset[str]) -> None:
        self.artifact = artifact
        self.table = table
        self.unverified = unverified
        self.findings: list[Finding] = []
        self.not_checked: list[str] = []
        self.seen: set[tuple[str, str]] = set()

    def unreadable(self, problem: UnreadableError, key: str, path: str) -> None:
        self.findings.append(schema_finding(problem.check_id, path, Severity.MAJOR, problem.message.replace("{key}", shown_key(key))))

    def too_much(self, path: str, what: str) -> None:
        self.findings.append(
            schema_finding(
                "schema.limits",
                path,
                Severity.CRITICAL,
                f"The payload has {what} here; it was not read. Split the document, or correct the extraction.",
            )
        )

    def listed(self, path: str) -> None:
        self.not_checked.append(path)
        self.findings.append(
            schema_finding(
                "schema.not_checked",
                path,
                Severity.MINOR,
                "Not checked: the deployer listed this path with rulepack.with_unverified.",
                Verdict.PASS,
            )
        )

    def unmapped(self, level: str, key: str, path: str, value: Json) -> None:
        """A key that stands for nothing we know: listed by the deployer, empty, or reported once."""
        if self.table.carries_nothing(value, in_field=False):
            return
        left: str | None = path
        if self.unverified and not level.startswith("item."):  # part of a field is never left unchecked
            left = self.first_unlisted(path, value)
        if left is None or (level, key) in self.seen:
            return
        self.seen.add((level, key))
        message = _unmapped_message(key, left, self.artifact, self.table)
        self.findings.append(schema_finding("schema.unmapped_key", left, Severity.MAJOR, message))

    def first_unlisted(self, path: str, value: Json) -> str | None:
        """The path itself, or its first leaf, that no listed path covers; listed paths met on the way are recorded."""
        if path in self.unverified:
            self.listed(path)
            return None
        if not any(listed.startswith((f"{path}.", f"{path}[")) for listed in self.unverified):
            return path
        first: str | None = None
        work: list[tuple[str, Json]] = [(path, value)]
        while work:
            here, node = work.pop()
            if here in self.unverified:
                self.listed(here)
            elif type(node) is dict:
                work.extend((child_path(here, inner), entry) for inner, entry in reversed(node.items()))
            elif type(node) is list:
                work.extend((f"{here}[{position}]", node[position]) for position in range(len(node) - 1, -1, -1))
            elif first is None and not self.table.carries_nothing(node, in_field=False):
                first = here
        return first


def kind_name(value: Json) -> str:
    """The type of a value, for a message that must not show the value."""
    if value is None:
        return "null"
    return {bool: "true or false", int: "a number", str: "text", list: "a list", dict: "an object"}[type(value)]


def _unmapped_message(key: str, path: str, artifact: ArtifactType, table: AliasTable) -> str:
    shown = shown_key(key)
    ways = []
    if fold_key(key) is not None:
        ways.append(f"call rulepack.with_aliases({{{shown}: ...}}) if it is another name for a field")
    try:
        check_unverified_path(path, artifact, table)
    except ContractError:
        ways.append("take it out of the extraction schema")
    else:
        ways.append(f"call rulepack.with_unverified({json.dumps(path)}) to leave it unchecked")
    return f"The key {shown} stands for nothing this artifact type knows, so its value was not checked. To settle it, {', or '.join(ways)}."
