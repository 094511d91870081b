"""The wire codec: exact round trips, and no float."""

from typing import Any

import pytest
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from hypothesis import given
from hypothesis import strategies as st

from tablewright.runtime.store.attribute_values import decode, encode

# Of 38 digits at most, as DynamoDB has them; boto3 refuses more.
MOST = 10**33
numbers = st.decimals(min_value=-MOST, max_value=MOST, places=4)
scalars = st.one_of(st.text(), numbers, st.booleans(), st.none(), st.binary(max_size=20))
sets = st.one_of(
    st.sets(st.text(), min_size=1), st.sets(numbers, min_size=1), st.sets(st.binary(), min_size=1)
)
values = st.recursive(
    st.one_of(scalars, sets),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner)),
    max_leaves=15,
)


@given(values)
def test_what_is_encoded_decodes_to_itself(value: Any) -> None:
    assert decode(encode(value)) == value


@given(
    st.one_of(
        st.text(), numbers, st.booleans(), st.lists(st.text()), st.sets(st.text(), min_size=1)
    )
)
def test_the_encoding_is_the_one_that_boto3_makes(value: Any) -> None:
    def comparable(wire: dict[str, Any]) -> Any:
        return {tag: sorted(raw) if tag == "SS" else raw for tag, raw in wire.items()}

    assert comparable(encode(value)) == comparable(TypeSerializer().serialize(value))
    assert decode(TypeSerializer().serialize(value)) == TypeDeserializer().deserialize(
        encode(value)
    )


def test_binary_decodes_from_text_and_from_bytes() -> None:
    assert decode({"B": "AAE="}) == b"\0\1" == decode({"B": b"\0\1"})


@pytest.mark.parametrize("value", [1.5, float("nan"), set(), {1, "a"}, {1.5}, object(), {"a": 1.0}])
def test_what_dynamodb_cannot_keep_exactly_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        encode(value)
