"""Sets, documents and tallies: what they accept, what is stored, what is as good as none."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.model import (
    Document,
    Entity,
    Field,
    InvalidRecord,
    InvalidValue,
    Key,
    Put,
    SetOf,
    Table,
    Tally,
    Text,
)


class Note(Entity, key=Key("{id}")):
    id: Field[str] = Text()
    tags: Field[set[str] | None] = SetOf(Text(max_length=10), max_items=3, default=None)
    metadata: Field[Mapping[str, Any]] = Document(max_bytes=200)
    counts: Field[Mapping[str, Decimal] | None] = Tally(prefix="n:", default=None)


class Notes(Table, pk="id"):
    put = Put(Note)


NOTE, NOTES = Note.__entity__, Notes.__design__
TAGS, METADATA, COUNTS = Note.tags, Note.metadata, Note.counts


@pytest.mark.parametrize("given", [["b", "a", "b"], ("a", "b"), {"a", "b"}, frozenset("ab")])
def test_texts_of_any_collection_become_a_set(given: Any) -> None:
    assert TAGS.check(given) == {"a", "b"}


@pytest.mark.parametrize("empty", [[], (), set()])
def test_an_empty_set_is_as_good_as_none(empty: Any) -> None:
    assert TAGS.check(empty) is None
    assert "tags" not in NOTE.check({"id": "1", "tags": empty, "metadata": {}})


def test_a_set_emptied_by_an_update_is_removed() -> None:
    assert NOTE.check({"tags": []}, partial=True) == {"tags": None}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("ab", "tags must be a list of texts"),
        ({"a": 1}, "tags must be a list of texts"),
        (5, "tags must be a list of texts"),
        (["a", "b", "c", "d"], "tags must have at most 3 entries"),
        (["a", 5], "tags has an entry that must be text"),
        ([""], "tags has an entry that must have 1 to 10 characters"),
        (["x" * 11], "tags has an entry that must have 1 to 10 characters"),
        (["a\n"], "tags has an entry that must not contain control"),
    ],
)
def test_what_is_no_set_of_such_texts_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        TAGS.check(value)


def test_a_document_keeps_what_json_can_say() -> None:
    given = {"s": "é", "n": 1, "d": Decimal("0.1"), "b": True, "z": None, "l": [1, {"x": ()}]}
    assert METADATA.check(given) == {**given, "l": [1, {"x": []}]}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "must be an object"),
        ("{}", "must be an object"),
        ({"score": 0.5}, "cannot hold a value of type float"),
        ({"at": object()}, "cannot hold a value of type object"),
        ({"tags": {"a"}}, "cannot hold a value of type set"),
        ({1: "a"}, "must have texts as names"),
        ({"": "a"}, "must have texts as names"),
        ({"a": "\ud800"}, "valid Unicode"),
        ({"\udfff": "a"}, "valid Unicode"),
        ({"n": Decimal("NaN")}, "finite"),
        ({"n": 10**40 + 1}, "at most 38 digits"),
        ({"a": "é" * 100}, "must have at most 200 bytes as JSON, not 209"),
    ],
)
def test_what_dynamodb_could_not_keep_in_a_document_is_refused(value: Any, reason: str) -> None:
    with pytest.raises(InvalidValue, match=reason):
        METADATA.check(value)


def nested(levels: int) -> dict[str, Any]:
    return {"a": nested(levels - 1)} if levels > 1 else {"a": 1}


def test_a_document_is_eight_levels_deep_at_most() -> None:
    assert METADATA.check(nested(8)) == nested(8)
    for levels in (9, 500):
        with pytest.raises(InvalidValue, match="deeper than 8 levels"):
            METADATA.check(nested(levels))


def test_a_document_is_a_copy_all_the_way_down() -> None:
    given: dict[str, Any] = {"inner": {"list": [1]}}
    checked = METADATA.check(given)
    given["inner"]["list"].append(2)
    assert checked == {"inner": {"list": [1]}}


@given(st.dictionaries(st.text(max_size=10), st.integers(-(10**9), 10**9)))
def test_each_number_of_a_tally_is_an_attribute_of_its_own(counts: dict[str, int]) -> None:
    stored = COUNTS.attributes(COUNTS.check(counts) or {})
    assert stored == {f"n:{name}": count for name, count in counts.items()}
    assert all(isinstance(count, Decimal) for count in stored.values())


@pytest.mark.parametrize("value", [[], 5, {"a": "1"}, {"a": 0.5}, {"a": True}, {1: 1}])
def test_what_is_no_tally_is_refused(value: Any) -> None:
    with pytest.raises(InvalidValue, match="counts must be"):
        COUNTS.check(value)


def test_an_item_stores_its_tally_beside_its_fields() -> None:
    record = NOTE.check({"id": "1", "tags": ["a"], "metadata": {"k": 1}, "counts": {"x": 2}})
    assert NOTES.attributes(NOTE, record) == {
        "id": "1",
        "tags": {"a"},
        "metadata": {"k": Decimal(1)},
        "n:x": Decimal(2),
    }


def test_an_empty_tally_stores_nothing() -> None:
    assert NOTE.check({"id": "1", "metadata": {}, "counts": {}}) == {"id": "1", "metadata": {}}


def test_problems_inside_are_told_with_the_others_of_a_record() -> None:
    with pytest.raises(InvalidRecord) as refused:
        NOTE.check({"id": "", "tags": "a", "metadata": {"x": 0.5}, "counts": 1})
    assert [problem.field for problem in refused.value.problems] == [
        *("id", "tags", "metadata", "counts")
    ]


def test_schemas_say_what_is_accepted() -> None:
    assert TAGS.schema() == {
        "type": "array",
        "items": {"type": "string", "minLength": 1, "maxLength": 10},
        "uniqueItems": True,
        "maxItems": 3,
    }
    assert METADATA.schema() == {"type": "object"}
    assert COUNTS.schema()["additionalProperties"] == {"type": "number"}
