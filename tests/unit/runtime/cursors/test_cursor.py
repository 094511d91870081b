"""Cursors: only ours, only for their caller, only for their query, only for a while."""

import json
from base64 import urlsafe_b64decode
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.errors import (
    CursorError,
    CursorExpired,
    CursorOfAnotherCaller,
    CursorOfAnotherQuery,
    CursorTampered,
)

KEYS = KeyRing([b"k" * 32])
CURSORS = Cursors(KEYS, lifetime=60, clock=lambda: 1000.0)
ARGUMENTS = {"category": "dress", "since": None}


def issued(cursors: Cursors = CURSORS) -> str:
    return cursors.issue("acme", "category_sales", ARGUMENTS, ["3", "2025-01-01"])


@given(st.text(), st.lists(st.text(), max_size=5), st.dictionaries(st.text(), st.text()))
def test_a_cursor_opens_to_the_position_it_was_issued_for(
    caller: str, position: list[str], arguments: dict[str, Any]
) -> None:
    cursor = CURSORS.issue(caller, "q", arguments, position)
    assert CURSORS.open(cursor, caller, "q", arguments) == position


@pytest.mark.parametrize("character", ["x", "é", "😀", '"'])
def test_the_longest_keys_of_table_and_index_go_round(character: str) -> None:
    size = len(character.encode())
    position = [character * (most // size) for most in (2048, 1024, 2048, 1024)]
    cursors = Cursors(KEYS)
    cursor = cursors.issue("ada", "list", {}, position)
    assert cursors.open(cursor, "ada", "list", {}) == position


@given(st.integers(min_value=0), st.characters(codec="ascii"))
def test_a_cursor_with_one_character_changed_is_refused(at: int, character: str) -> None:
    cursor = issued()
    at %= len(cursor)
    if cursor[at] != character:
        changed = cursor[:at] + character + cursor[at + 1 :]
        with pytest.raises(CursorTampered):
            CURSORS.open(changed, "acme", "category_sales", ARGUMENTS)


@given(st.text())
def test_text_that_is_no_cursor_is_refused(text: str) -> None:
    with pytest.raises(CursorTampered):
        CURSORS.open(text, "acme", "category_sales", ARGUMENTS)


def test_a_cursor_of_another_caller_is_refused() -> None:
    with pytest.raises(CursorOfAnotherCaller):
        CURSORS.open(issued(), "acm", "category_sales", ARGUMENTS)


@pytest.mark.parametrize(
    ("query", "arguments"),
    [
        ("brand_sales", ARGUMENTS),
        ("category_sales", {**ARGUMENTS, "category": "shoe"}),
        ("category_sales", {**ARGUMENTS, "since": "2025-01-01"}),
        ("category_sales", {}),
    ],
)
def test_a_cursor_of_another_query_is_refused(query: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(CursorOfAnotherQuery):
        CURSORS.open(issued(), "acme", query, arguments)


def test_a_cursor_expires() -> None:
    cursor = issued()
    late = Cursors(KEYS, clock=lambda: 1060.1)
    with pytest.raises(CursorExpired):
        late.open(cursor, "acme", "category_sales", ARGUMENTS)
    in_time = Cursors(KEYS, clock=lambda: 1060.0)
    assert in_time.open(cursor, "acme", "category_sales", ARGUMENTS)


def test_equal_pages_have_equal_cursors_for_a_while() -> None:
    made = [
        issued(Cursors(KEYS, lifetime=3600, clock=partial(float, now)))
        for now in (1200.0, 1499.9, 1500.0)
    ]
    assert made[0] == made[1] != made[2]
    nearly_an_hour_later = Cursors(KEYS, clock=lambda: 1499.9 + 3300)
    assert nearly_an_hour_later.open(made[1], "acme", "category_sales", ARGUMENTS)


def test_each_refusal_is_a_kind_of_cursor_error() -> None:
    kinds = (CursorTampered, CursorExpired, CursorOfAnotherCaller, CursorOfAnotherQuery)
    assert all(issubclass(kind, CursorError) for kind in kinds)


def test_a_replaced_key_still_verifies_until_it_is_dropped() -> None:
    cursor = issued()
    both = Cursors(KeyRing([b"n" * 32, b"k" * 32]), clock=lambda: 1000.0)
    assert both.open(cursor, "acme", "category_sales", ARGUMENTS) == ["3", "2025-01-01"]
    new = Cursors(KeyRing([b"n" * 32]), clock=lambda: 1000.0)
    with pytest.raises(CursorTampered):
        new.open(cursor, "acme", "category_sales", ARGUMENTS)
    assert new.open(issued(both), "acme", "category_sales", ARGUMENTS)


def test_a_short_key_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 32 bytes"):
        KeyRing([b"short"])


def test_what_a_cursor_says_of_its_arguments_is_told_with_a_key() -> None:
    def digest(key: bytes) -> str:
        cursor = Cursors(KeyRing([key])).issue("t", "q", {"where": "email = ann@example.com"}, [])
        payload = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))[20:]
        return str(json.loads(payload)[3])

    assert digest(b"a" * 32) == digest(b"a" * 32) != digest(b"b" * 32)
