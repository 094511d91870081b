"""Bodies are the same with and without the faster library, which is loaded once it pays."""

import json
import sys
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.runtime.wire.json_bodies import JsonBodies
from tablewright.runtime.wire.services import SERVICES

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.text(), st.binary(), st.integers(), st.just(2**70)),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=5,
)
HUNDRED = b'"' + b"a" * 98 + b'"'


@pytest.fixture
def unloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a process that has not imported it yet."""
    monkeypatch.delitem(sys.modules, "orjson")


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if it were not installed."""
    monkeypatch.setitem(sys.modules, "orjson", None)


@given(st.dictionaries(st.text(), VALUES))
def test_requests_say_the_same_either_way(params: dict[str, Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "orjson")
        plain = JsonBodies(pays_after=sys.maxsize)
    assert json.loads(JsonBodies().dumps(params)) == json.loads(plain.dumps(params))


def test_it_is_loaded_after_so_many_bytes_of_requests_and_answers(unloaded: None) -> None:
    bodies = JsonBodies(pays_after=201)
    bodies.dumps({"S": "a" * 92})  # a hundred bytes
    bodies.loads(HUNDRED)
    assert "orjson" not in sys.modules
    assert bodies.loads(HUNDRED) == "a" * 98
    assert "orjson" in sys.modules


def test_it_is_used_at_once_where_it_is_loaded_already() -> None:
    # Which of the two has read it shows in the error.
    with pytest.raises(orjson.JSONDecodeError, match="unexpected"):
        JsonBodies().loads(b"{]")


def test_nobody_looks_twice_for_what_is_not_installed(
    missing: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = JsonBodies(pays_after=1)
    assert bodies.loads(HUNDRED) == "a" * 98
    monkeypatch.delitem(sys.modules, "orjson")
    assert bodies.loads(HUNDRED) == "a" * 98
    assert "orjson" not in sys.modules


@pytest.mark.parametrize("library", ["orjson", "json"])
@pytest.mark.parametrize("body", [b"", b"{]", b'"\xff"', b"[" * 100_000])
def test_a_body_that_is_no_json_is_told_the_same_way(
    library: str, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    if library == "json":
        monkeypatch.setitem(sys.modules, "orjson", None)
    with pytest.raises(ValueError, match=r"\S"):
        JsonBodies().loads(body)


@pytest.mark.parametrize("library", ["orjson", "json"])
def test_half_a_surrogate_pair_is_sent_as_it_is(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DynamoDB refuses it, and says so; nothing breaks on the way."""
    if library == "json":
        monkeypatch.setitem(sys.modules, "orjson", None)
    assert json.loads(JsonBodies().dumps({"S": "\ud800"})) == {"S": "\ud800"}


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="set cannot be sent"):
        SERVICES["dynamodb"].dump("PutItem", {"a": {1}})
