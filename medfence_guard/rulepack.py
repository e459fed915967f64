"""A rulepack is everything `verify()` decides by that is not code: lexicons, thresholds, aliases and the reference bundle.

It is immutable and content-hashed; every `with_…` returns a new one with a new hash. Reading files happens in
`default()` and `load()` only; with a rulepack in hand nothing is opened any more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from medfence_guard import canonical_json
from medfence_guard.artifacts import ARTIFACT_TYPES
from medfence_guard.bundle import Bundle
from medfence_guard.contract import Json
from medfence_guard.errors import BundleError, ContractError
from medfence_guard.payload import AliasTable, check_unverified_path, fold_key
from medfence_guard.reader.chunks import Chunker
from medfence_guard.reader.lexicon import Lexicon, compile_lexicon
from medfence_guard.reader.roles import Roles

LEXICON_FILES = ("aliases", "asides", "cues", "forms", "inert", "remarks", "routes", "sections", "thresholds", "timing", "units")


@dataclass(frozen=True)
class Thresholds:
    """Limits and gates, exact. `gates`: engine -> kind (`digits_and_units`, `words`) -> floor."""

    document_confidence_floor: Fraction
    gates: Mapping[str, Mapping[str, Fraction]]
    source_characters: int
    field_characters: int
    items: int
    source_tokens: int
    binding_pairs: int


@dataclass(frozen=True)
class Rulepack:
    """Immutable. Build with `default()` or `load()`; narrow with `with_aliases`, `with_unverified`, `with_expected_fields`."""

    jurisdiction: str
    bundle: Bundle
    lexicon: Lexicon
    thresholds: Thresholds
    aliases_table: Mapping[str, Any]
    files_digest: str
    field_aliases: Mapping[str, str]
    unverified: frozenset[str]
    expected_fields: frozenset[str]

    @classmethod
    def default(cls, jurisdiction: str = "in") -> Rulepack:
        """The rulepack shipped for a jurisdiction, read once per process."""
        return _default(jurisdiction)

    @classmethod
    def load(cls, path: str | Path) -> Rulepack:
        """Read a rulepack folder (`bundle.json`, `manifest.json`, `lexicon/*.json`), checking digest, schema and jurisdiction."""
        folder = Path(path)
        manifest = _read_json(folder / "manifest.json")
        jurisdiction = manifest.get("jurisdiction")
        if type(jurisdiction) is not str:
            raise BundleError("bundle.manifest", "manifest.json names no jurisdiction")
        expected = manifest.get("bundle_sha256")
        if type(expected) is not str:
            raise BundleError("bundle.manifest", "manifest.json names no bundle_sha256")
        bundle = Bundle.from_bytes(_read(folder / "bundle.json"), expected_digest=expected, jurisdiction=jurisdiction)
        digests: dict[str, Json] = {"bundle": bundle.digest}
        tables: dict[str, Any] = {}
        for name in LEXICON_FILES:
            data = _read(folder / "lexicon" / f"{name}.json")
            digests[name] = hashlib.sha256(data).hexdigest()
            try:
                tables[name] = json.loads(data)
            except ValueError as problem:
                raise BundleError("rulepack.not_json", f"lexicon/{name}.json is not JSON") from problem
        try:
            lexicon = compile_lexicon(tables)
            thresholds = _thresholds(tables["thresholds"])
        except (KeyError, TypeError, ValueError) as problem:
            raise BundleError(
                "rulepack.shape", f"a lexicon file lacks or misshapes an entry ({type(problem).__name__}: {problem})"
            ) from problem
        return cls(
            jurisdiction, bundle, lexicon, thresholds, tables["aliases"], canonical_json.sha256(digests), {}, frozenset(), frozenset()
        )

    @cached_property
    def version(self) -> str:
        """SHA-256 over every file and every deployer's setting; the report carries it."""
        unverified: list[Json] = [*sorted(self.unverified)]
        expected: list[Json] = [*sorted(self.expected_fields)]
        aliases: dict[str, Json] = dict(sorted(self.field_aliases.items()))
        return canonical_json.sha256(
            {"files": self.files_digest, "aliases": aliases, "unverified": unverified, "expected_fields": expected}
        )

    @property
    def refdata_snapshot(self) -> str:
        return self.bundle.snapshot

    @cached_property
    def chunker(self) -> Chunker:
        return Chunker(self.lexicon, self.bundle.names, self.bundle.first_words)

    @cached_property
    def values_memo(self) -> dict[tuple[str, str], Roles]:
        """Readings of short, frequent payload values; they depend on nothing but this rulepack."""
        return {}

    @cached_property
    def alias_table(self) -> AliasTable:
        return AliasTable.from_json(self.aliases_table, self.field_aliases)

    def with_aliases(self, aliases: Mapping[str, str]) -> Rulepack:
        """Map your payload keys to our fields: `{"tab_strength": "strength"}`. An unknown field is refused."""
        known = set().union(*(artifact.fields for artifact in ARTIFACT_TYPES.values()))
        for key, target in aliases.items():
            if type(key) is not str or target not in known:
                raise ContractError(
                    "rulepack.unknown_field", f"with_aliases maps to a field that does not exist; fields are: {', '.join(sorted(known))}"
                )
        folded: dict[str, str] = {}
        for key, target in aliases.items():
            name = fold_key(key)
            if name is None:
                raise ContractError(
                    "rulepack.alias_key", "with_aliases takes keys of ASCII letters, digits, spaces, underscores and hyphens"
                )
            folded[name] = target
        return replace(self, field_aliases={**self.field_aliases, **folded})

    def with_unverified(self, *paths: str) -> Rulepack:
        """List exact paths that you take responsibility for. Never a wildcard, never a medication's clinical field (P19)."""
        for path in paths:
            for artifact in ARTIFACT_TYPES.values():
                check_unverified_path(path, artifact, self.alias_table)
        return replace(self, unverified=self.unverified | set(paths))

    def with_expected_fields(self, *fields: str) -> Rulepack:
        """Make fields essential: if the source states them and the payload does not carry them, ABSTAIN (P15)."""
        known = set().union(*(artifact.fields for artifact in ARTIFACT_TYPES.values()))
        _refuse_unknown(fields, known)
        return replace(self, expected_fields=self.expected_fields | set(fields))


def _refuse_unknown(fields: Iterable[str], known: set[str]) -> None:
    for name in fields:
        if name not in known:
            raise ContractError(
                "rulepack.unknown_field", f"with_expected_fields names a field that does not exist; fields are: {', '.join(sorted(known))}"
            )


def _thresholds(raw: Mapping[str, Any]) -> Thresholds:
    return Thresholds(
        document_confidence_floor=Fraction(raw["document_confidence_floor"]),
        gates={engine: {kind: Fraction(v) for kind, v in gates.items()} for engine, gates in raw["engines"].items()},
        source_characters=int(raw["source_characters"]),
        field_characters=int(raw["field_characters"]),
        items=int(raw["items"]),
        source_tokens=int(raw["source_tokens"]),
        binding_pairs=int(raw["binding_pairs"]),
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise BundleError(
            "rulepack.missing_file",
            f"cannot read {path.name} of the rulepack ({type(problem).__name__}); give the folder that holds manifest.json",
        ) from problem


def _read_json(path: Path) -> dict[str, Any]:
    try:
        raw = json.loads(_read(path))
    except ValueError as problem:
        raise BundleError("rulepack.not_json", f"{path.name} is not JSON") from problem
    if type(raw) is not dict:
        raise BundleError("rulepack.not_json", f"{path.name} is not a JSON object")
    return raw


def _shipped() -> Path:
    """`medfence_refdata` installed beside this package, or `refdata/` of the checkout; never the working directory."""
    beside = Path(__file__).resolve().parent.parent
    for candidate in (beside / "medfence_refdata", beside / "refdata" / "medfence_refdata"):
        if (candidate / "__init__.py").is_file():
            return candidate
    raise BundleError("bundle.not_found", "the reference data is not installed: reinstall medfence-guard, or give Rulepack.load(path)")


def shipped_folder(jurisdiction: str = "in") -> Path:
    """The rulepack folder that `Rulepack.default(jurisdiction)` reads."""
    folder = _shipped() / jurisdiction
    if not jurisdiction.isalpha() or not folder.is_dir():
        raise BundleError("bundle.jurisdiction", "no reference bundle is shipped for this jurisdiction")
    return folder


@lru_cache(maxsize=8)
def _default(jurisdiction: str) -> Rulepack:
    return Rulepack.load(shipped_folder(jurisdiction))


def load_rulepack(path: str | Path | None = None) -> Rulepack:
    """The predecessor's name for `Rulepack.default()` and `Rulepack.load(path)`."""
    return Rulepack.default() if path is None else Rulepack.load(path)
