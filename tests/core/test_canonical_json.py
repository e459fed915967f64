"""Canonical JSON, against an oracle written from RFC 8785 section 3.2 without looking at the implementation."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medfence_guard import canonical_json
from medfence_guard.errors import ContractError

SHORT_ESCAPES = {0x08: "\\b", 0x09: "\\t", 0x0A: "\\n", 0x0C: "\\f", 0x0D: "\\r", 0x22: '\\"', 0x5C: "\\\\"}


def oracle_units(text: str) -> list[int]:
    """UTF-16 code units by arithmetic, not by a codec."""
    units: list[int] = []
    for point in map(ord, text):
        if point < 0x10000:
            units.append(point)
        else:
            units += [0xD800 + ((point - 0x10000) >> 10), 0xDC00 + ((point - 0x10000) & 0x3FF)]
    return units


def oracle(value: object) -> str:
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return '"' + "".join(SHORT_ESCAPES.get(ord(c)) or (f"\\u{ord(c):04x}" if ord(c) < 0x20 else c) for c in value) + '"'
    if isinstance(value, list):
        return "[" + ",".join(oracle(element) for element in value) + "]"
    assert isinstance(value, dict)
    pairs = sorted(value.items(), key=lambda pair: oracle_units(pair[0]))
    return "{" + ",".join(f"{oracle(key)}:{oracle(element)}" for key, element in pairs) + "}"


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
KEYS = st.one_of(st.sampled_from(["\ufb33", "\U0001f600", "\ue000", "a", "A", "", "10", "9", "\u0080", "\r"]), TEXT)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(2**53) + 1, 2**53 - 1), TEXT)
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=5), st.dictionaries(KEYS, inner, max_size=6)), max_leaves=25
)


@given(VALUES)
def test_agrees_with_the_oracle(value: object) -> None:
    assert canonical_json.dumps(value) == oracle(value)


@given(VALUES)
def test_reading_it_back_gives_the_value_and_the_same_text(value: object) -> None:
    text = canonical_json.dumps(value)
    assert json.loads(text) == value
    assert canonical_json.dumps(json.loads(text)) == text


@given(VALUES)
def test_sha256_is_the_digest_of_the_utf8_text(value: object) -> None:
    assert canonical_json.sha256(value) == hashlib.sha256(oracle(value).encode("utf-8")).hexdigest()


@given(st.dictionaries(KEYS, SCALARS, min_size=2, max_size=6), st.randoms(use_true_random=False))
def test_insertion_order_does_not_matter(members: dict[str, object], random: object) -> None:
    shuffled = list(members.items())
    random.shuffle(shuffled)
    assert canonical_json.dumps(dict(shuffled)) == canonical_json.dumps(members)


def test_the_example_of_the_rfc() -> None:
    """RFC 8785 section 3.2.3: the sorting example, whole."""
    members = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    expected = ["Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis", "Euro Sign", "Emoji: Grinning Face"]
    assert list(json.loads(canonical_json.dumps(members)).values()) == [*expected, "Hebrew Letter Dalet With Dagesh"]


def test_control_characters_and_delete() -> None:
    """Two-character escapes where JSON has them, lower-case \\u00xx for the rest, U+007F and beyond as they are."""
    assert canonical_json.dumps('\x00\b\t\n\x0b\f\r\x1f"\\/\x7f\u2028é') == '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\\"\\\\/\x7f\u2028é"'


def nested(levels: int) -> object:
    value: object = None
    for _ in range(levels):
        value = [value]
    return value


def test_depth_64_is_the_last_that_fits() -> None:
    assert canonical_json.dumps(nested(64)) == "[" * 64 + "null" + "]" * 64
    with pytest.raises(ContractError) as caught:
        canonical_json.dumps(nested(65))
    assert caught.value.code == "canonical.depth"


def test_integer_bounds() -> None:
    assert canonical_json.dumps([2**53 - 1, -(2**53) + 1]) == "[9007199254740991,-9007199254740991]"
    for number in (2**53, -(2**53), 10**400):
        with pytest.raises(ContractError) as caught:
            canonical_json.dumps(number)
        assert caught.value.code == "canonical.integer_range"


class Text(str):
    __slots__ = ()


class Number(int):
    __slots__ = ()


CYCLE: list[object] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (1.0, "canonical.type"),
        (float("nan"), "canonical.type"),
        ((1,), "canonical.type"),
        ({1, 2}, "canonical.type"),
        (b"x", "canonical.type"),
        (Text("x"), "canonical.type"),
        (Number(1), "canonical.type"),
        ({1: 0}, "canonical.key_type"),
        ({True: 0}, "canonical.key_type"),
        ({None: 0}, "canonical.key_type"),
        ({Text("x"): 0}, "canonical.key_type"),
        ("\ud800", "canonical.surrogate"),
        ({"é\udc00": 0}, "canonical.surrogate"),
        (["a", {"b": "\udfff"}], "canonical.surrogate"),
        (CYCLE, "canonical.depth"),
    ],
)
def test_everything_outside_the_subset_is_refused(value: object, code: str) -> None:
    with pytest.raises(ContractError) as caught:
        canonical_json.dumps(value)
    assert caught.value.code == code


def test_the_message_carries_no_content() -> None:
    for secret in ({"Sugar": 1.5}, {"Sugar\ud800": 1}, ["Sugar", {"Sugar": {1}}]):
        with pytest.raises(ContractError) as caught:
            canonical_json.sha256(secret)
        assert "Sugar" not in str(caught.value)
