"""What events are made of: exact JSON, and their document."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lambdas.http.exact_json import exact_json
from lambdas.portal.events.openapi import SCHEMAS
from lambdas.portal.events.rules import events_from
from lambdas.portal.openapi import document
from tablewright.runtime.ids import uuid7

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | texts | st.integers() | st.decimals(allow_nan=False, places=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(texts, values, max_size=4))
def test_exact_json_is_json_on_one_line_that_loses_nothing(value: dict[str, Any]) -> None:
    for sort_keys in (False, True):
        text = exact_json(value, sort_keys=sort_keys)
        assert "\n" not in text
        assert "\r" not in text
        assert json.loads(text, parse_float=Decimal, parse_int=Decimal) == value


def test_exact_json_keeps_every_digit_and_refuses_what_has_none() -> None:
    digits = "12345678901234567890.123456789012345678"
    assert exact_json([Decimal(digits), Decimal("1E+3"), 7, True]) == f"[{digits},1000,7,true]"
    with pytest.raises(TypeError):
        exact_json(0.5)


def test_the_document_says_what_events_are_taken() -> None:
    schema = {**SCHEMAS["NewEvents"], "components": document()["components"]}
    valid = Draft202012Validator(schema).is_valid
    id = uuid7(NOW)
    for fields, fits in (
        ({"event_id": id, "event_name": "seen"}, True),
        ({"event_name": "seen"}, False),
        ({"event_id": id, "event_name": "seen", "content_id": "a", "metadata": {}}, True),
        ({"event_id": id, "event_name": "seen", "content_id": None}, True),
        ({"event_id": None, "event_name": "seen"}, False),
        ({"event_id": id}, False),
        ({"event_id": id, "event_name": "a b"}, True),
        ({"event_id": id, "event_name": "seen", "user_id": "ada"}, True),
        ({"event_id": "a#b", "event_name": "seen"}, False),
    ):
        body = {"events": [fields]}
        assert valid(body) == fits, fields
        if fits:
            assert events_from(body, "ada", NOW)
