"""Changes of indexes, and of keys in them."""

import pytest

from tests.unit.changes.comparison.shop import GONE, SHOP, Case, differences, is_told

FIRST = "indexes.by_first"
SHARDS = f"{FIRST}.keys.Order.shards"
_INDEX = {"projects": "ALL", "keys": {}}
_EPOCHS = {
    "kind": "EpochShards",
    "by": "order_id",
    "whose": "customer_id",
    "function": "tablewright.model:uniform",
}

INDEXES = [
    Case(
        "INDEX_ADDED",
        "index totals",
        {
            "indexes.totals": {
                **_INDEX,
                "partition": "total",
                "keys": {"Order": {"partition": "{total}"}},
            }
        },
    ),
    # Of attributes that another index has made already.
    Case(
        "INDEX_ADDED",
        "index first_2",
        {"indexes.first_2": {**SHOP["indexes"]["by_first"], "projects": "ALL"}},
    ),
    Case(
        "INDEX_ADDED_EMPTY",
        "index notes",
        {
            "indexes.notes": {
                **_INDEX,
                "partition": "NPK",
                "keys": {"Order": {"partition": "NOTE#{note}"}},
            }
        },
    ),
    Case("INDEX_REMOVED", "index by_first", {FIRST: GONE}),
    Case("LOCAL_INDEX_CHANGED", "index by_total", {"indexes.by_total": GONE}),
    Case("LOCAL_INDEX_CHANGED", "index by_total", {}, {"indexes.by_total": GONE}),
    Case("LOCAL_INDEX_CHANGED", "index by_total", {"indexes.by_total.projects": "KEYS_ONLY"}),
    Case("INDEX_KEY_CHANGED", "index by_first", {f"{FIRST}.sort": "OTHER"}),
    Case("INDEX_PROJECTION_CHANGED", "index by_first", {f"{FIRST}.projects": "ALL"}),
    Case("INDEX_PROJECTION_CHANGED", "index by_first", {f"{FIRST}.projects": ["total", "note"]}),
    # A key is carried anyway.
    Case("INDEX_PROJECTION_RETOLD", "index by_first", {f"{FIRST}.projects": ["total", "total"]}),
    Case("INDEX_SPARSE_CHANGED", "index by_first", {f"{FIRST}.sparse": True}),
    Case("INDEX_ENTITY_ADDED", "index by_state", {}, {"indexes.by_state.keys": {}}),
    Case(
        "INDEX_ENTITY_ADDED_EMPTY",
        "index by_first",
        {f"{FIRST}.keys.Customer": {"partition": "C", "sort": "{name}"}},
    ),
    Case("INDEX_ENTITY_REMOVED", "index by_state", {"indexes.by_state.keys": {}}),
    Case("INDEX_ENTITY_LEFT", "index by_first", {f"{FIRST}.keys.Visit": GONE}),
    Case("INDEX_KEY_FORM_CHANGED", "index by_first", {f"{FIRST}.keys.Visit.partition": "V"}),
    Case(
        "INDEX_KEY_FIELDS_CHANGED",
        "index by_first",
        {f"{FIRST}.keys.Order.sort": "{newest}#{total}"},
    ),
    Case(
        "INDEX_KEY_FIELDS_CHANGED",
        "index by_first",
        {f"{FIRST}.keys.Visit.partition": "VISITS#{visit_id}"},
    ),
    Case("INDEX_SHARDS_RAISED", "index by_first", {f"{SHARDS}.count": 8}),
    Case("INDEX_SHARDS_LOWERED", "index by_first", {f"{SHARDS}.count": 2}),
    Case(
        "INDEX_SHARD_FUNCTION_CHANGED",
        "index by_first",
        {f"{SHARDS}.function": "tablewright.model:java_hash"},
    ),
    Case("INDEX_SHARD_FUNCTION_CHANGED", "index by_first", {f"{SHARDS}.by": "customer_id"}),
    Case("INDEX_SHARDS_CHANGED", "index by_first", {SHARDS: _EPOCHS}),
    Case(
        "INDEX_SHARDS_CHANGED",
        "index by_first",
        {SHARDS: {**_EPOCHS, "by": "note"}},
        {SHARDS: _EPOCHS},
    ),
    Case(
        "SHARDS_DATED",
        "index by_first",
        {SHARDS: {**_EPOCHS, "dated": "placed_at"}},
        {SHARDS: _EPOCHS},
    ),
    Case(
        "SHARDS_NOT_DATED",
        "index by_first",
        {SHARDS: _EPOCHS},
        {SHARDS: {**_EPOCHS, "dated": "placed_at"}},
    ),
]


@pytest.mark.parametrize("case", INDEXES, ids=lambda one: f"{one.rule} {one.subject}")
def test_a_change_is_told_by_its_rule(case: Case) -> None:
    is_told(case)


AT_ONCE = Case(
    "INDEXES_CHANGED_AT_ONCE",
    "table",
    {FIRST: GONE, "indexes.first_2": {**SHOP["indexes"]["by_first"], "projects": "ALL"}},
)


def test_two_indexes_at_once_are_told_beside_each_of_them() -> None:
    found = {one.rule: one.subject for one in differences(AT_ONCE.new, AT_ONCE.old)}
    assert found == {
        "INDEX_REMOVED": "index by_first",
        "INDEX_ADDED": "index first_2",
        AT_ONCE.rule: AT_ONCE.subject,
    }
