"""JSON from outside: what is read, exactly, and what is refused in words."""

import json
from contextlib import suppress
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.runtime.strict_json import (
    MOST_DIGITS,
    MOST_LEVELS,
    InvalidJson,
    number_or_text,
    parse,
)

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(PLAIN, st.booleans())
def test_what_was_written_is_read(value: Any, ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii)
    assert parse(text) == value
    assert parse(text.encode()) == value


@given(st.text() | st.binary())
def test_anything_is_a_value_or_refused(text: str | bytes) -> None:
    with suppress(InvalidJson):
        parse(text)


def test_numbers_are_exact() -> None:
    read = parse("[1.10, 1E-7, -0.0, 12345678901234567890.123456789]")
    assert read == [Decimal(n) for n in ("1.10", "1E-7", "-0.0", "12345678901234567890.123456789")]
    assert [type(number) for number in parse("[1, -5, 0]")] == [int, int, int]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is not JSON"),
        ("{", "is not JSON"),
        (b'"\xff"', "is not JSON in UTF-8"),
        ("1e99999999999999999999", "has a number beyond"),
        ("-1E-99999999999999999999", "has a number beyond"),
        ("1e1001", "has a number beyond"),
        ("9" * 5000, f"more than {MOST_DIGITS} digits"),
        ("0." + "1" * 5000, f"more than {MOST_DIGITS} digits"),
        ("NaN", "has no NaN"),
        ('{"a": -Infinity}', "has no -Infinity"),
        ('{"a": 1, "b": {"c": 1, "c": 1}}', 'the name "c" twice'),
        (r'{"a": 1, "\u0061": 2}', 'the name "a" twice'),
        (r'["\ud800"]', "half of a surrogate pair"),
        (r'{"\udfff": 1}', "half of a surrogate pair"),
        (r'["\udc00\ud800"]', "half of a surrogate pair"),
        ('["\ud800"]', "half of a surrogate pair"),
        ("[" * (MOST_LEVELS + 1) + "]" * (MOST_LEVELS + 1), "nested deeper than 100 levels"),
        ("[" * 100_000 + "]" * 100_000, "nested deeper than 100 levels"),
        ('{"a":' * 100_000, "nested deeper than 100 levels"),
    ],
)
def test_what_is_not_read_alike_by_all_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(InvalidJson, match=reason):
        parse(text)


def test_as_many_levels_as_are_allowed_are_read() -> None:
    assert parse("[" * MOST_LEVELS + "]" * MOST_LEVELS)
    assert parse(r'["\ud83d\ude00"]') == ["😀"]


def test_numbers_can_be_left_as_they_are_written() -> None:
    huge = "1e99999999999999999999"
    assert parse(f"[{huge}, {'9' * 5000}]", number=str) == [huge, "9" * 5000]
    assert [number_or_text(text) for text in ("5", "0.5", huge)] == [5, Decimal("0.5"), huge]
