"""What events are made of: the window, closed days, exact JSON, parts, and their document."""

import gzip
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lambdas.portal.events.exact_json import exact_json
from lambdas.portal.events.openapi import SCHEMAS
from lambdas.portal.events.parts import COLUMNS, line_of, parts_of
from lambdas.portal.events.rules import AHEAD, closed_days, closes_at, events_from, exportable
from lambdas.portal.openapi import document
from tablewright.catalog.portal.events import Event
from tablewright.model import InvalidValue
from tablewright.runtime.ids import uuid7

NOW = datetime(2025, 1, 26, 12, tzinfo=UTC)
EXAMPLE = Event.__entity__.example
moments = st.datetimes(datetime(2020, 1, 1), datetime(2100, 1, 1)).map(  # noqa: DTZ001
    lambda moment: moment.replace(tzinfo=UTC)
)
texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | texts | st.integers() | st.decimals(allow_nan=False, places=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(moments, st.timedeltas(timedelta(hours=-24), AHEAD))
def test_no_event_is_taken_of_a_day_that_is_closed(now: datetime, ago: timedelta) -> None:
    sent = {"events": [{"event_id": uuid7(now + ago), "event_name": "seen"}]}
    (event,) = events_from(sent, "ada", now)
    assert now < closes_at(event.date_bucket)


@given(moments, st.integers(1, 20))
def test_closed_days_are_those_that_can_be_exported(now: datetime, many: int) -> None:
    days = closed_days(now, many)
    assert days == sorted(set(days))
    assert [exportable(day, now) for day in days] == days
    following = (datetime.fromisoformat(days[-1]) + timedelta(days=1)).date().isoformat()
    with pytest.raises(InvalidValue):
        exportable(following, now)


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


def event(number: int) -> Event:
    return Event(**{**EXAMPLE, "metadata": {"b": Decimal(number), "a": "x" * 50}})


def test_a_line_does_not_depend_on_the_order_of_its_maps() -> None:
    values = {name: event(1)[name] for name in reversed(list(event(1)))}
    values["metadata"] = {"a": "x" * 50, "b": Decimal(1)}
    turned = Event._stored(values)  # as it is read
    assert line_of(turned) == line_of(event(1))
    assert list(json.loads(line_of(turned))) == list(COLUMNS)


def test_the_table_of_the_documentation_has_the_columns_of_a_line() -> None:
    page = (Path(__file__).parents[3] / "docs" / "portal-events.md").read_text()
    (ddl,) = re.findall(r"CREATE EXTERNAL TABLE events \((.*?)\)\n", page, re.DOTALL)
    columns = [line.strip(" ,`").replace("` ", " ").split() for line in ddl.strip().splitlines()]
    assert columns == [[name, "string"] for name in COLUMNS]
    assert {type(value) for value in json.loads(line_of(event(1))).values()} == {str}


def test_no_more_than_a_part_is_read_ahead() -> None:
    read = []

    def events() -> Iterator[Event]:
        for number in range(10):
            read.append(number)
            yield event(number)

    ahead = []
    for part in parts_of(events(), most_events=4):
        ahead.append((part.events, len(read)))
    assert ahead == [(4, 4), (4, 8), (2, 10)]


def test_parts_have_neither_name_nor_time() -> None:
    (one,) = parts_of([event(1)])
    assert one.body[:10] == b"\x1f\x8b\x08\x00" + bytes(4) + b"\x00\xff"
    assert gzip.decompress(one.body) == line_of(event(1))


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
        ({"event_id": id, "event_name": "a b"}, False),
        ({"event_id": id, "event_name": "seen", "user_id": "ada"}, False),
    ):
        body = {"events": [fields]}
        assert valid(body) == fits, fields
        if fits:
            assert events_from(body, "ada", NOW)
