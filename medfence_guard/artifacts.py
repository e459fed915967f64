"""What an extraction of each type may carry, as records.

An artifact type is one record here: its container, the fields of its items and the keys beside them.
Nothing else in the package names a type, so adding one is adding a record. The other names people use
for these fields are data of the rulepack (`lexicon/aliases.json`), not of this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldSpec:
    """One field of an item: which JSON values may stand for it, and how a list of them is read.

    kind: `name`, `quantity`, `timing`, `duration`, `text`, `flag`, `count`, `dosage` (any of strength, dose and
    timing: classified by grammar) or `quote` (must be verbatim in the item's own statement).
    number: a bare JSON number is a readable value. boolean: true and false are.
    each: a list makes one claim per entry; otherwise its entries are joined with " + " into one claim.
    shapes: which objects are readable beside `{"text"}`: `quantity` (`{"value","unit"}`), `timing` (`{"times","period"}`),
    `slots` (`{"morning": 1, "night": 1}`).
    """

    name: str
    kind: str
    number: bool = False
    boolean: bool = False
    each: bool = False
    shapes: frozenset[str] = frozenset({"quantity"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactType:
    """One kind of extraction.

    container: canonical key of the list of items. fields: canonical field -> its record.
    document_fields: canonical keys beside the container that pass when found verbatim in the source.
    """

    name: str
    container: str
    fields: Mapping[str, FieldSpec]
    document_fields: frozenset[str]


def _by_name(*specs: FieldSpec) -> Mapping[str, FieldSpec]:
    return MappingProxyType({spec.name: spec for spec in specs})


_TEXT_ONLY: frozenset[str] = frozenset({"text"})
_SLOTS: frozenset[str] = frozenset({"quantity", "slots"})

# FHIR R4 terms in snake_case. `dosage` and `source_quote` are not fields of the canonical payload, but models
# emit them, and each is a claim.
MEDICATION_FIELDS: Mapping[str, FieldSpec] = _by_name(
    FieldSpec(name="name", kind="name", shapes=_TEXT_ONLY),
    FieldSpec(name="generic_name", kind="name", shapes=_TEXT_ONLY),
    FieldSpec(name="strength", kind="quantity", number=True),
    FieldSpec(name="form", kind="text", shapes=_TEXT_ONLY),
    FieldSpec(name="release", kind="text", shapes=_TEXT_ONLY),
    FieldSpec(name="dose", kind="quantity", number=True),
    FieldSpec(name="dosage", kind="dosage", number=True, shapes=_SLOTS),
    FieldSpec(name="route", kind="text", shapes=_TEXT_ONLY),
    FieldSpec(name="site", kind="text", each=True, shapes=_TEXT_ONLY),
    FieldSpec(name="frequency", kind="timing", shapes=_SLOTS | {"timing"}),
    FieldSpec(name="timing", kind="timing", each=True, shapes=_SLOTS),
    FieldSpec(name="duration", kind="duration", number=True),
    FieldSpec(name="as_needed", kind="flag", boolean=True, shapes=_TEXT_ONLY),
    FieldSpec(name="as_needed_for", kind="text", each=True, shapes=_TEXT_ONLY),
    FieldSpec(name="max_dose", kind="quantity", number=True),
    FieldSpec(name="quantity", kind="quantity", number=True),
    FieldSpec(name="refills", kind="count", number=True),
    FieldSpec(name="instructions", kind="text", each=True, shapes=_TEXT_ONLY),
    FieldSpec(name="indication", kind="text", each=True, shapes=_TEXT_ONLY),
    FieldSpec(name="status", kind="text", shapes=_TEXT_ONLY),
    FieldSpec(name="sequence", kind="count", number=True, shapes=_TEXT_ONLY),
    FieldSpec(name="source_quote", kind="quote", each=True, shapes=_TEXT_ONLY),
)

DOCUMENT_FIELDS: frozenset[str] = frozenset({"date", "prescriber", "patient", "facility", "identifier"})

ARTIFACT_TYPES: Mapping[str, ArtifactType] = MappingProxyType(
    {
        record.name: record
        for record in (
            ArtifactType(name="prescription", container="medications", fields=MEDICATION_FIELDS, document_fields=DOCUMENT_FIELDS),
            ArtifactType(name="clinical_note", container="medications", fields=MEDICATION_FIELDS, document_fields=DOCUMENT_FIELDS),
        )
    }
)
"""Every type this version reads. A type that is not here ABSTAINs."""
