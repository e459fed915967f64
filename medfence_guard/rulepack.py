"""A rulepack is everything `verify()` decides by that is not code: lexicons, thresholds, aliases and the reference bundle.

It is immutable and content-hashed; every `with_…` returns a new one with a new hash. Reading files happens in
`default()` and `load()` only; with a rulepack in hand nothing is opened any more.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from medfence_guard import canonical_json
from medfence_guard.artifacts import ARTIFACT_TYPES
from medfence_guard.bundle import Bundle
from medfence_guard.bundle_union import union
from medfence_guard.contract import Json
from medfence_guard.errors import BundleError, ContractError
from medfence_guard.payload import AliasTable, check_unverified_path, fold_key
from medfence_guard.reader.chunks import Chunker
from medfence_guard.reader.lexicon import Lexicon, compile_lexicon
from medfence_guard.reader.misread import Misread
from medfence_guard.reader.roles.record import Roles

LEXICON_FILES = tuple(
    "advice aliases asides claims clauses cues forms inert plain quoted remarks routes sections thresholds timing told units".split()
)


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
    lexicon_digest: str
    field_aliases: Mapping[str, str]
    unverified: frozenset[str]
    expected_fields: frozenset[str]

    @classmethod
    def default(cls, jurisdiction: str | Iterable[str] = "in") -> Rulepack:
        """The rulepack shipped for a jurisdiction (`"in"`, `"us"`), or for several at once (`("in", "us")`), read once per process.

        With several, a name that is another medicine in another country is ambiguous.
        """
        return _default(codes_of(jurisdiction))

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
        where, expected_digests = lexicon_of(folder, manifest)
        for name in LEXICON_FILES:
            data = _read(where / f"{name}.json")
            digests[name] = digest = hashlib.sha256(data).hexdigest()
            if digest != expected_digests.get(name):
                raise BundleError(
                    "rulepack.tampered",
                    f"lexicon/{name}.json does not have the digest its manifest names; reinstall the package, "
                    "or, having edited it, run: python refdata/build.py --write",
                )
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
        lexicon_files: dict[str, Json] = {name: digests[name] for name in LEXICON_FILES}
        return cls(
            jurisdiction,
            bundle,
            lexicon,
            thresholds,
            tables["aliases"],
            canonical_json.sha256(digests),
            canonical_json.sha256(lexicon_files),
            {},
            frozenset(),
            frozenset(),
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
    def misread(self) -> Misread:
        return Misread.of(self.lexicon, self.bundle.names)

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


_LEXICON_FOLDER = re.compile(r"(?:\.\./[a-z]+/)?lexicon")


def lexicon_of(folder: Path, manifest: Mapping[str, Any]) -> tuple[Path, Mapping[str, str]]:
    """Where the lexicon of a rulepack folder is, and the digest of each file. Jurisdictions may share one: `../in/lexicon`."""
    said = manifest.get("lexicon")
    place = said.get("folder") if type(said) is dict else None
    digests = said.get("sha256") if type(said) is dict else None
    if type(place) is not str or not _LEXICON_FOLDER.fullmatch(place) or type(digests) is not dict:
        raise BundleError("bundle.manifest", "manifest.json does not name its lexicon and the digest of each file")
    return folder / place, digests


def codes_of(jurisdiction: str | Iterable[str]) -> tuple[str, ...]:
    """The jurisdictions that are meant, sorted: one code, or several."""
    codes = (jurisdiction,) if isinstance(jurisdiction, str) else tuple(jurisdiction)
    if not codes or not all(type(code) is str for code in codes):
        raise ContractError("rulepack.jurisdiction", "jurisdiction is one code such as 'in', or several of them, at least one")
    return tuple(sorted(set(codes)))


def shipped_jurisdictions() -> tuple[str, ...]:
    """The codes that `Rulepack.default` knows."""
    return tuple(sorted(path.parent.name for path in _shipped().glob("*/bundle.json")))


def shipped_folder(jurisdiction: str = "in") -> Path:
    """The rulepack folder that `Rulepack.default(jurisdiction)` reads."""
    folder = _shipped() / jurisdiction
    if not jurisdiction.isalpha() or not (folder / "bundle.json").is_file():
        known = ", ".join(shipped_jurisdictions())
        raise BundleError("bundle.jurisdiction", f"no reference bundle is shipped for this jurisdiction; there are: {known}")
    return folder


@lru_cache(maxsize=8)
def _default(codes: tuple[str, ...]) -> Rulepack:
    if len(codes) == 1:
        return Rulepack.load(shipped_folder(codes[0]))
    packs = [_default((code,)) for code in codes]
    first = packs[0]
    if any(pack.lexicon_digest != first.lexicon_digest for pack in packs):
        raise BundleError("rulepack.lexicons", f"{' and '.join(codes)} are read with different lexicons; they cannot be combined")
    bundle = union([pack.bundle for pack in packs])
    files: dict[str, Json] = {"bundle": bundle.digest, "lexicon": first.lexicon_digest}
    return replace(first, jurisdiction=bundle.jurisdiction, bundle=bundle, files_digest=canonical_json.sha256(files))


def load_rulepack(path: str | Path | None = None) -> Rulepack:
    """The predecessor's name for `Rulepack.default()` and `Rulepack.load(path)`."""
    return Rulepack.default() if path is None else Rulepack.load(path)
