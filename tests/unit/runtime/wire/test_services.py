"""Bodies are the same with and without the faster library."""

import json
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.runtime.wire import services
from tablewright.runtime.wire.services import SERVICES

VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.text(), st.binary(), st.integers(), st.just(2**70)),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=5,
)


def sent(params: dict[str, Any]) -> Any:
    return json.loads(SERVICES["dynamodb"].dump("PutItem", params))


@given(st.dictionaries(st.text(), VALUES))
def test_requests_say_the_same_either_way(params: dict[str, Any]) -> None:
    fast = sent(params)
    with patch.object(services, "orjson", None):
        assert sent(params) == fast


@pytest.mark.parametrize("library", ["orjson", "json"])
def test_half_a_surrogate_pair_is_sent_as_it_is(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DynamoDB refuses it, and says so; nothing breaks on the way."""
    if library == "json":
        monkeypatch.setattr(services, "orjson", None)
    assert sent({"S": "\ud800"}) == {"S": "\ud800"}


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(TypeError, match="set cannot be sent"):
        sent({"a": {1}})
