"""The payload side: what is refused, what each leaf becomes, and that no leaf is lost.

`vectors/payload.jsonl`, a row: `{"id", "payload" | "payload_json", "aliases"?, "unverified"?, "expected", "why"}`; expected:
claims `[path, field, text, boolean?]` and document claims in payload order, findings `[check, path]` in order, the container,
and where given the keys of all items and the paths not checked. `vectors/payload_malformed.jsonl`: `{"id", "payload_json", "code", "why"}`.
"""

from __future__ import annotations

import collections
import dataclasses
import decimal
import enum
import json
import time
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medfence_guard.artifacts import ARTIFACT_TYPES
from medfence_guard.contract import Extraction, Severity, Verdict
from medfence_guard.errors import BundleError, ContractError
from medfence_guard.payload import (
    MAX_DEPTH,
    MAX_FIELD_CHARACTERS,
    MAX_ITEMS,
    AliasTable,
    MalformedPayload,
    PayloadReading,
    check_unverified_path,
    fold_key,
    plain_json,
    read_payload,
)

VECTORS = Path(__file__).parent / "vectors"
ALIASES = json.loads((Path(__file__).parents[2] / "refdata/medfence_refdata/in/lexicon/aliases.json").read_text("utf-8"))
TABLE = AliasTable.from_json(ALIASES, {})
PRESCRIPTION = ARTIFACT_TYPES["prescription"]


@dataclasses.dataclass(frozen=True)
class Rules:
    """What a rulepack offers to `read_payload`, and nothing more."""

    alias_table: AliasTable = TABLE
    unverified: frozenset[str] = frozenset()


def rows(name: str) -> list[Any]:
    loaded = [json.loads(line) for line in (VECTORS / name).read_text("utf-8").splitlines()]
    assert len({row["id"] for row in loaded}) == len(loaded)
    return [pytest.param(row, id=row["id"]) for row in loaded]


def reading(payload: object, rules: Rules | None = None, artifact: str = "prescription") -> PayloadReading:
    return read_payload(Extraction(artifact, payload), ARTIFACT_TYPES[artifact], rules or Rules())


def refused(payload: object) -> MalformedPayload:
    with pytest.raises(MalformedPayload) as caught:
        plain_json(payload)
    return caught.value


def found(result: PayloadReading) -> list[list[str]]:
    return [[finding.check_id, finding.field_path] for finding in result.findings]


@pytest.mark.parametrize("artifact", sorted(ARTIFACT_TYPES))
@pytest.mark.parametrize("row", rows("payload.jsonl"))
def test_every_leaf_becomes_what_the_row_says(row: Any, artifact: str) -> None:
    rules = Rules(AliasTable.from_json(ALIASES, row.get("aliases", {})), frozenset(row.get("unverified", ())))
    result = reading(row.get("payload", row.get("payload_json")), rules, artifact)
    expected = row["expected"]
    claims = [
        [claim.path, claim.field, claim.text, *([] if claim.boolean is None else [claim.boolean])]
        for item in result.items
        for claim in item.claims
    ]
    assert claims == expected["claims"]
    assert [[claim.path, claim.field, claim.text] for claim in result.document_claims] == expected.get("document", [])
    assert found(result) == expected["findings"]
    assert result.container == expected["container"]
    assert list(result.not_checked) == expected.get("not_checked", [])
    assert result.claims == len(claims) + len(result.document_claims)
    if "keys" in expected:
        assert sorted(result.keys_anywhere) == expected["keys"]
    for index, item in enumerate(result.items):
        assert item.index == index
        assert all(claim.item == index for claim in item.claims)
    for finding in result.findings:
        listed = finding.check_id == "schema.not_checked"
        assert finding.verdict is (Verdict.PASS if listed else Verdict.ABSTAIN)
        assert [evidence.rule_id for evidence in finding.evidence] == [finding.check_id]


@pytest.mark.parametrize("row", rows("payload_malformed.jsonl"))
def test_text_that_is_not_strict_json_abstains_and_is_never_repaired(row: Any) -> None:
    problem = refused(row["payload_json"])
    assert problem.code == row["code"]
    assert problem.__context__ is None  # a parser's own error would carry the text
    result = reading(row["payload_json"])
    assert found(result) == [["schema.malformed", "$"]]
    assert result.findings[0].severity is Severity.CRITICAL
    assert result.value is None
    assert not result.items


def test_strict_json_that_is_accepted() -> None:
    """One JSON value, one fenced block of it, or its UTF-8 bytes."""
    value = {"a": [1, "x", None, True, "0.50"]}
    text = '{"a":[1,"x",null,true,0.50]}'
    for payload in (text, text.encode(), f" \r\n{text}\n", f"```json\n{text}\n```", f"\n```\n{text}\n  ```\n", bytearray(text.encode())):
        assert plain_json(payload) == value
    assert plain_json("[" * MAX_DEPTH + "]" * MAX_DEPTH) is not None
    assert plain_json('["' + "[" * 100 + '"]') == ["[" * 100]
    assert plain_json('"\\ud83d\\udc8a"') == "\U0001f48a"


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"\xff{}", "unreadable"),
        (b"\xef\xbb\xbf{}", "byte_order_mark"),
        ('{"a":"\ud800"}', "surrogate"),
        ("[" * 100_000, "depth"),
        ('"' + "\\" * 200_001 + "[" * 100, "not_json"),
        ('"' + '\\"' * 200_001 + "[" * 100, "not_json"),
        ('{"a":"' + "x" * (4 * 1024 * 1024) + '"}', "size"),
        ({"a": float("nan")}, "not_a_number"),
        ({"a": float("inf")}, "not_a_number"),
        ({"a": 1e300}, "number"),
        ({"a": 1e-7}, "number"),
        ({"a": 2**53}, "number"),
        ({"a": decimal.Decimal("1E+3")}, "number"),
        ({"a": decimal.Decimal("NaN")}, "number"),
        ({1: "x"}, "key_type"),
        ({None: "x"}, "key_type"),
        ({"a": "\udfff"}, "surrogate"),
        ({"\ud800": 1}, "surrogate"),
        ({"a": object()}, "type"),
        ({"a": {1, 2}}, "type"),
        ({"a": b"x"}, "type"),
        ({"a": 1j}, "type"),
        ([[]] * 300_000, "size"),
        ({"a": "x" * (4 * 1024 * 1024 + 1)}, "size"),
    ],
)
def test_what_is_refused_of_text_bytes_and_python_values(payload: object, code: str) -> None:
    assert refused(payload).code == code


def test_cycles_and_deep_nesting_are_refused_without_exhausting_the_stack() -> None:
    ring: list[Any] = []
    ring.append(ring)
    loop: dict[str, Any] = {}
    loop["a"] = [loop, loop]
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for payload in (ring, loop, {"a": deep}):
        assert refused(payload).code == "depth"
    at_limit: Any = 1
    for _ in range(MAX_DEPTH):
        at_limit = [at_limit]
    assert plain_json(at_limit) is not None
    assert refused([at_limit]).code == "depth"
    while deep:  # taken apart by hand: letting go of it at once would recurse
        deep = deep.pop()


def test_a_value_that_multiplies_itself_is_refused_early() -> None:
    node: Any = ["x"] * 10
    for _ in range(20):
        node = [node] * 10
    begun = time.perf_counter()
    assert refused(node).code == "size"
    assert time.perf_counter() - begun < 2


def test_numbers_keep_their_digits_and_their_type() -> None:
    assert plain_json({"a": 0.5, "b": decimal.Decimal("12.50"), "c": 3, "d": True, "e": -1.5}) == {
        "a": "0.5",
        "b": "12.50",
        "c": 3,
        "d": True,
        "e": "-1.5",
    }
    assert type(plain_json({"d": True})["d"]) is bool  # type: ignore[index, call-overload]


class Form(str, enum.Enum):  # noqa: UP042 - what extraction models really use
    TABLET = "tablet"

    def __str__(self) -> str:
        return "something else"


class Level(enum.IntEnum):
    TWO = 2


class Plain(enum.Enum):
    SYRUP = "syrup"


class Loud(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "shown"


class Record(dict):  # type: ignore[type-arg]
    """A subclass that changes nothing of how it is read."""

    def __repr__(self) -> str:
        return "record"


class LyingItems(dict):  # type: ignore[type-arg]
    def items(self) -> Any:
        return [("medications", [])]


class LyingGet(dict):  # type: ignore[type-arg]
    def get(self, key: Any, default: Any = None) -> Any:
        return []


class LyingList(list):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[Any]:
        return iter(())


class Angry(dict):  # type: ignore[type-arg]
    @property
    def __class__(self) -> Any:
        raise RuntimeError("secret words")

    @__class__.setter
    def __class__(self, value: Any) -> None: ...


def test_subclasses_are_copied_by_what_they_hold() -> None:
    copied = plain_json(
        {
            "a": Form.TABLET,
            "b": Level.TWO,
            "c": Plain.SYRUP,
            "d": Loud("kept"),
            "e": Record(x=1),
            "f": (1, 2),
            "g": collections.OrderedDict(x=1),
            "h": types.MappingProxyType({"x": 1}),
            Loud("i"): collections.defaultdict(list, x=1),
        }
    )
    expected = {"a": "tablet", "b": 2, "c": "syrup", "d": "kept", "e": {"x": 1}, "f": [1, 2], "g": {"x": 1}, "h": {"x": 1}, "i": {"x": 1}}
    assert copied == expected
    assert json.dumps(copied) == json.dumps(expected)

    def types_of(value: Any) -> set[type]:
        inner = value.values() if type(value) is dict else value if type(value) is list else ()
        return {type(value)}.union(*(types_of(each) for each in inner), *([{type(key) for key in value}] if type(value) is dict else []))

    assert types_of(copied) <= {dict, list, str, int, bool, type(None)}


@pytest.mark.parametrize("payload", [LyingItems(medications=[1]), LyingGet(medications=[1]), {"medications": LyingList([1])}])
def test_a_container_that_answers_two_readers_differently_is_refused(payload: object) -> None:
    assert refused(payload).code == "reader"


def test_the_copy_shares_nothing_with_the_payload() -> None:
    payload: dict[str, Any] = {"medications": [{"name": "Dolo"}]}
    copied = plain_json(payload)
    payload["medications"][0]["name"] = "Other"
    assert copied == {"medications": [{"name": "Dolo"}]}


def test_whatever_a_foreign_object_raises_is_a_finding_without_its_words() -> None:
    class Broken(collections.UserDict):  # type: ignore[type-arg]
        def items(self) -> Any:
            raise RuntimeError("secret words")

    for payload in (Broken(a=1), {"a": Angry()}):
        result = reading(payload)
        assert found(result) == [["schema.malformed", "$"]]
        assert "secret" not in result.findings[0].message


class Model:
    """What `plain_json` reads of a pydantic model, so that the core's tests need none installed."""

    __pydantic_fields__: ClassVar[dict[str, Any]] = {"name": None, "form": None, "route": None, "as_needed": None}

    def __init__(self, named: set[str], extra: dict[str, Any] | None = None, **values: Any) -> None:
        self.__dict__.update(values)
        self.__pydantic_fields_set__ = named
        self.__pydantic_extra__ = extra


def test_a_model_field_left_unset_claims_only_a_default_other_than_none() -> None:
    model = Model({"name", "route"}, {"maker": "x"}, name="Dolo", form=None, route=None, as_needed=False)
    assert plain_json({"medications": [model]}) == {"medications": [{"name": "Dolo", "route": None, "as_needed": False, "maker": "x"}]}


@pytest.mark.parametrize("payload", [None, 5, True, "5", '"x"', "null", 1.5, b"[]x"])
def test_a_payload_that_is_no_object_or_list_is_malformed(payload: object) -> None:
    result = reading(payload)
    assert found(result) == [["schema.malformed", "$"]]
    assert result.container == "$.medications"


# -- limits ------------------------------------------------------------------------------------------------------


def test_limits_abstain_and_stop_making_claims() -> None:
    long = "x" * (MAX_FIELD_CHARACTERS + 1)
    result = reading(
        {"date": long, "medications": [{"name": long, "form": "x" * MAX_FIELD_CHARACTERS, "strength": {"value": long, "unit": "mg"}}]}
    )
    assert found(result) == [
        ["schema.limits", "$.date"],
        ["schema.limits", "$.medications[0].name"],
        ["schema.limits", "$.medications[0].strength"],
    ]
    assert {finding.severity for finding in result.findings} == {Severity.CRITICAL}
    assert [claim.field for claim in result.items[0].claims] == ["form"]


def test_no_more_items_than_the_limit_are_read() -> None:
    exact = reading({"medications": [{"name": "A"}] * MAX_ITEMS})
    assert (len(exact.items), exact.findings) == (MAX_ITEMS, ())
    over = reading({"medications": [{"name": "A"}] * 2000})
    assert found(over) == [["schema.limits", "$.medications"]]
    assert len(over.items) == MAX_ITEMS


def test_too_many_keys_and_entries_are_not_read() -> None:
    many = {f"k{number}": "x" for number in range(300)}
    assert found(reading({**many, "medications": []})) == [["schema.limits", "$"], ["schema.empty", "$.medications"]]
    assert ["schema.limits", "$.medications[0]"] in found(reading({"medications": [{"name": "A", **many}]}))
    assert found(reading({"medications": [{"name": "A", "instructions": ["x"] * 100}]})) == [
        ["schema.limits", "$.medications[0].instructions"]
    ]
    assert found(reading({"medications": [{"name": "A", "dose": many}]})) == [["schema.limits", "$.medications[0].dose"]]


def test_hostile_payloads_are_read_in_linear_time() -> None:
    begun = time.perf_counter()
    reading({"medications": [{"name": "A", **{f"k{number}{index}": "x" for number in range(60)}} for index in range(200)]})
    reading({"medications": ["x"] * 150_000})
    reading({"x" * 2_000_000: "x", "medications": [{"y" * 1_000_000: 1}]})
    assert time.perf_counter() - begun < 4


def test_a_message_shows_a_key_in_ascii_and_no_value() -> None:
    result = reading({"\u202ekey": "secret words", "medications": [{"name": "A", "dose": ["secret words", True]}]})
    text = " ".join(finding.message + finding.field_path for finding in result.findings)
    assert len(result.findings) == 2
    assert "secret" not in text
    assert text.isascii()


# -- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "folded"),
    [("drugName", "drugname"), ("Drug Name", "drugname"), ("drug-name", "drugname"), ("DRUG_NAME", "drugname"), ("", None), ("__", None)],
)
def test_spellings_that_fold_together(key: str, folded: str | None) -> None:
    assert fold_key(key) == folded


@pytest.mark.parametrize("key", ["nаme", "name.", "na/me", "name\n", "name\u200b", "ｎame", "naïve", "x" * 129])
def test_a_key_with_any_other_character_never_maps(key: str) -> None:
    assert fold_key(key) is None


def test_every_canonical_field_maps_to_itself() -> None:
    for artifact in ARTIFACT_TYPES.values():
        for name in artifact.fields:
            role = TABLE.item_role(name)
            assert role is not None
            assert (role.kind, role.target) == ("field", name)
        for target in artifact.document_fields:
            role = TABLE.document_role(target) or TABLE.document_role(f"{target}_id") or TABLE.document_role("patient_id")
            assert role is not None
        container = TABLE.document_role(artifact.container)
        assert container is not None
        assert (container.kind, container.target) == ("container", artifact.container)


def test_every_alias_points_at_a_field_of_the_record() -> None:
    fields = set(PRESCRIPTION.fields)
    for name, role in TABLE.item_keys.items():
        if role.kind in ("field", "template"):
            assert role.target in fields, name
        if role.kind == "unit":
            assert role.target in fields | {""}, name
    for name, role in TABLE.document_keys.items():
        if role.kind == "document":
            assert role.target in PRESCRIPTION.document_fields, name


def test_an_alias_that_means_two_things_is_a_broken_bundle() -> None:
    broken = {**ALIASES, "fields": {**ALIASES["fields"], "form": [*ALIASES["fields"]["form"], "drug_name"]}}
    with pytest.raises(BundleError):
        AliasTable.from_json(broken, {})
    with pytest.raises(BundleError):
        AliasTable.from_json({**ALIASES, "metadata": "confidence"}, {})


@pytest.mark.parametrize(
    ("key", "target"),
    [("x", "nonsense"), ("x", ""), ("nаme", "name"), ("", "name"), ("strength", "dose"), ("Strength", "name"), ("medications", "date")],
)
def test_an_own_name_must_be_plain_and_point_at_a_field_of_ours(key: str, target: str) -> None:
    with pytest.raises(ContractError):
        AliasTable.from_json(ALIASES, {key: target})


@pytest.mark.parametrize(
    "path",
    [
        "$.diagnosis",
        "$.vitals.bp",
        "$.advice[0]",
        '$["blood group"]',
        "$.prescription.diagnosis",
        "$.patient",
        "$.note",
        "$.medications[0].manufacturer",
        "$[3].manufacturer",
        "$.medications[0].confidence",
        "$.stopped_medications",
    ],
)
def test_paths_a_deployer_may_leave_unverified(path: str) -> None:
    check_unverified_path(path, PRESCRIPTION, TABLE)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "$",
        "diagnosis",
        "$.",
        "$.*",
        "$..bp",
        "$.vitals[*]",
        "$.vitals[-1]",
        "$.vitals[01]",
        '$["vitals"]',
        '$["\\x"]',
        "$['vitals']",
        "$.medications",
        "$.Medicines",
        "$.medications[0]",
        "$[0]",
        "$.medications[0].strength",
        "$.medications[0].strength.value",
        "$.medications[0].drugName",
        "$.medications[0].morning",
        "$.medications[0].dose_unit",
        "$.medications[0].duration_days",
        '$.medications[0]["strength.value"]',
        "$.medications.paracetamol",
        "$.prescription",
        "$.prescription.medicines",
        "$.prescription[0].dose",
        "$.data.medications[0].dose",
        "$[0].medications",
    ],
)
def test_paths_that_are_always_checked(path: str) -> None:
    with pytest.raises(ContractError):
        check_unverified_path(path, PRESCRIPTION, TABLE)


# -- laws --------------------------------------------------------------------------------------------------------

KEYS = st.one_of(
    st.sampled_from(
        [
            *PRESCRIPTION.fields,
            *("drugName", "dose_unit", "unit", "value", "morning", "night", "days", "text", "times", "period", "low", "high"),
            *("medications", "prescription", "data", "date", "patient", "confidence", "maker", "vitals", "strength.value"),
        ]
    ),
    st.text(max_size=4),
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(["BD", "500 mg", "N/A", "", "none", "1-0-1", "tablet", "mg"]),
    st.text(max_size=5),
)
VALUES = st.recursive(LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)), max_leaves=20)
PAYLOADS = st.one_of(
    VALUES,
    st.fixed_dictionaries({"medications": st.lists(st.dictionaries(KEYS, VALUES, max_size=6), max_size=3)}),
    st.text(max_size=30),
    st.binary(max_size=10),
)


def leaves(value: Any, path: str = "$") -> Iterator[tuple[str, Any]]:
    """Every leaf with its path, written without looking at the implementation."""
    if isinstance(value, dict):
        for key, inner in value.items():
            plain = key.isascii() and key.isidentifier() and len(key) <= 64
            yield from leaves(inner, f"{path}.{key}" if plain else f"{path}[{json.dumps(key)}]")
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{position}]")
    else:
        yield path, value


METADATA = {fold_key(name) for name in ALIASES["metadata"]}
UNIT_OR_SLOT = {fold_key(name) for kind in ("units", "slots") for name in ALIASES[kind]}


@given(PAYLOADS)
def test_no_payload_raises_and_no_leaf_is_lost(payload: Any) -> None:
    """Law: a leaf that says something lies under a claim, under a finding, is metadata, or joined a claim of its item."""
    result = reading(payload)
    assert result.findings or result.claims
    assert reading(payload) == result
    if result.value is None or found(result)[:1] == [["schema.malformed", "$"]]:
        return
    claimed = {claim.path for item in result.items for claim in item.claims} | {claim.path for claim in result.document_claims}
    reported = {finding.field_path for finding in result.findings if finding.check_id != "schema.empty"}
    # An unmapped key is reported once, so later occurrences are known by their name.
    unmapped = [finding.message for finding in result.findings if finding.check_id == "schema.unmapped_key"]
    reported_names = {json.JSONDecoder().raw_decode(message.removeprefix("The key "))[0] for message in unmapped}

    def accounted(path: str) -> bool:
        steps = list(steps_of(path))
        prefixes = {prefix for prefix, _ in steps}
        names = {name for _, name in steps if name is not None}
        folded = {fold_key(name) for name in names}
        return bool(prefixes & (claimed | reported)) or bool(folded & (METADATA | UNIT_OR_SLOT)) or bool(names & reported_names)

    for path, leaf in leaves(result.value):
        silent = leaf is None or (isinstance(leaf, str) and TABLE.is_absent(leaf, in_field=True))
        assert silent or accounted(path), path


def steps_of(path: str) -> Iterator[tuple[str, str | None]]:
    """Each prefix of a path, with the key that ends it."""
    at, name = 1, None
    while at <= len(path):
        if at > 1:
            yield path[:at], name
        if at == len(path):
            return
        if path[at] == ".":
            end = at + 1
            while end < len(path) and path[end] not in ".[":
                end += 1
            name = path[at + 1 : end]
        elif path.startswith('["', at):
            name, length = json.JSONDecoder().raw_decode(path[at + 1 :])
            end = at + length + 2
        else:
            end, name = path.index("]", at) + 1, None
        at = end
