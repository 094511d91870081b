"""What is encrypted for a place is read at that place alone, with its own key."""

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.model.sizes import secret_bytes
from tablewright.runtime.secrets import cipher
from tablewright.runtime.secrets.ring import Ring
from tablewright.runtime.secrets.secrets import Secrets, from_bytes, place, to_bytes
from tablewright.runtime.store.attribute_values import decode, encode

KEY = bytes(range(32))
_NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=3)
_LEAVES = (
    st.none() | st.booleans() | st.text() | st.binary() | _NUMBERS | st.sets(_NUMBERS, min_size=1)
)
VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)


@given(VALUES)
def test_any_value_comes_back(value: Any) -> None:
    wire = from_bytes(to_bytes(encode(value)))
    assert decode(wire) == value


@given(VALUES)
def test_no_value_is_larger_than_it_was_measured(value: Any) -> None:
    secrets = Secrets(Ring("t", {b"key1": KEY}, b"key1", KEY))
    stored = secrets.encrypt(["S", "key"], "name", encode(value))["B"]
    assert len(stored) <= secret_bytes(value)


@given(st.text(max_size=300))
def test_texts_are_measured_exactly(text: str) -> None:
    value = cipher.encrypt(b"key1", KEY, b"here", to_bytes({"S": text}))
    assert len(value) == secret_bytes(text)


def test_no_two_encryptions_are_the_same() -> None:
    many = {cipher.encrypt(b"key1", KEY, b"here", b"plain") for _ in range(100)}
    assert len(many) == 100


@pytest.mark.parametrize(
    ("key", "place", "value"),
    [
        (bytes(32), b"here", lambda value: value),
        (KEY, b"there", lambda value: value),
        (KEY, b"here", lambda value: value[:-1]),
        (KEY, b"here", lambda value: value[:12]),
        (KEY, b"here", lambda value: value[:4] + b"key2" + value[8:]),
    ],
    ids=["another key", "another place", "cut", "no text", "another id"],
)
def test_nothing_else_is_read(key: bytes, place: bytes, value: Any) -> None:
    made = cipher.encrypt(b"key1", KEY, b"here", b"plain")
    assert cipher.decrypt(KEY, b"here", made) == b"plain"
    with pytest.raises(cipher.Mismatch):
        cipher.decrypt(key, place, value(made))


def test_the_form_of_a_value_does_not_change() -> None:
    # As version 1 was written on the day that it was made: it must be read for ever.
    kept = bytes.fromhex(
        "007477016b657931000102030405060708090a0b6d3f3d4d5c21143f6cc67f0c31c25f8ed4f0a05a2264"
    )
    assert cipher.decrypt(KEY, cipher.place_of("t", "S", "k", "a"), kept) == b"Splain"


def test_places_cannot_be_confused() -> None:
    assert cipher.place_of("ab", "c") != cipher.place_of("a", "bc") != cipher.place_of("abc")
    assert cipher.place_of("S", "1") != cipher.place_of("N", "1")


@pytest.mark.parametrize("number", ["5", "5.0", "5E0", "0.5E1", "+5"])
def test_a_number_in_a_key_is_one_place_however_it_is_written(number: str) -> None:
    assert place({"n": {"N": number}}, ["n"]) == ["N", "5"]


def test_numbers_of_as_many_digits_as_dynamodb_keeps_are_different_places() -> None:
    one, other = (place({"n": {"N": f"1{'0' * 36}{last}"}}, ["n"]) for last in "12")
    assert one != other


def test_bytes_in_a_key_are_one_place_however_they_were_read() -> None:
    assert place({"b": {"B": b"key"}}, ["b"]) == place({"b": {"B": "a2V5"}}, ["b"])


def test_bytes_inside_a_document_are_written_as_json_has_them() -> None:
    raw = to_bytes(encode({"a": [b"\x00\xff", Decimal("1.50")]}))
    assert json.loads(raw[1:]) == {"M": {"a": {"L": [{"B": "AP8="}, {"N": "1.50"}]}}}
