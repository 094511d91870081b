"""Changes of entities: names, keys, computed parts, expiry; and of access patterns."""

from typing import Any

import pytest

from tests.unit.changes.comparison.shop import GONE, SHOP, Case, Edits, differences, is_told

FIRST = "indexes.by_first"
_COUNT = {"kind": "Count", "of": "Visit", "marker": "Order"}
_VISITS = "entities.Visit.key"
_NEW = {
    "describes": "",
    "key": {"partition": "NEW#{id}", "sort": "NEW"},
    "fields": {"id": {"kind": "Text"}},
}


def renamed(fields: dict[str, Any], **names: str) -> dict[str, Any]:
    return {names.get(name, name): field for name, field in fields.items()}


ENTITIES = [
    Case("ENTITY_ADDED", "New", {"entities.New": _NEW}),
    Case("ENTITY_REMOVED", "New", {}, {"entities.New": _NEW}),
    # Among orders, but lists of these ask for keys that begin otherwise.
    Case(
        "ENTITY_REMOVED",
        "Basket",
        {"entities.Customer": GONE, "patterns.customer": GONE},
        {
            "entities.Customer": GONE,
            "patterns.customer": GONE,
            "entities.Basket": {**_NEW, "key": {"partition": "CUSTOMER#{id}", "sort": "BASKET"}},
        },
    ),
    Case(
        "ENTITY_RENAMED",
        "Call",
        {
            "entities": renamed(SHOP["entities"], Visit="Call"),
            f"{FIRST}.keys": renamed(SHOP["indexes"]["by_first"]["keys"], Visit="Call"),
            "patterns.visited.of": "Call",
        },
    ),
    Case(
        "ENTITY_RENAMED_ON_ITEMS",
        "Call",
        {
            "entity_type": "type",
            "entities": renamed(SHOP["entities"], Visit="Call"),
            f"{FIRST}.keys": renamed(SHOP["indexes"]["by_first"]["keys"], Visit="Call"),
            "patterns.visited.of": "Call",
            f"{FIRST}.projects": "ALL",
        },
        {"entity_type": "type", f"{FIRST}.projects": "ALL"},
    ),
    Case("KEY_FORM_CHANGED", "Order", {"entities.Order.key.sort": "O#{order_id}#{rank}"}),
    Case(
        "KEY_FORM_CHANGED", "Order", {"entities.Order.key.sort": "ORDER#{order_id}#{rank}#{note}"}
    ),
    # What is computed from a field tells no more apart than it.
    Case(
        "KEY_FORM_CHANGED",
        "Order",
        {"entities.Order.key.sort": "{order_id}#{rank}"},
        {"entities.Order.key.sort": "{first}#{order_id}#{rank}"},
    ),
    Case("KEY_FIELDS_REMOVED", "Order", {"entities.Order.key.sort": "ORDER#{order_id}"}),
    Case("KEY_FIELDS_REMOVED", "Order", {"entities.Order.key.sort": "ORDER#{first}#{rank}"}),
    Case("KEY_SHARDS_CHANGED", "Visit", {f"{_VISITS}.shards.count": 8}),
    Case(
        "KEY_SHARDS_CHANGED", "Visit", {f"{_VISITS}.shards.function": "tablewright.model:java_hash"}
    ),
    Case("KEY_DELIMITER_CHANGED", "Visit", {f"{_VISITS}.delimiter": "|"}),
    Case("KEY_SHARED_CHANGED", "Visit", {f"{_VISITS}.shared": True}),
    Case(
        "COMPUTED_TOLD",
        "Order.last",
        {"entities.Order.computed.last": {"kind": "Reversed", "of": ["paid_at"]}},
    ),
    Case(
        "COMPUTED_CHANGED", "Order.first", {"entities.Order.computed.first.function": "shop:last"}
    ),
    Case(
        "COMPUTED_SORT_CHANGED", "Order.newest", {"entities.Order.computed.newest.of": ["paid_at"]}
    ),
    Case("COMPUTED_WIDENED", "Order.first", {"entities.Order.computed.first.max_length": 65}),
    Case("COMPUTED_NARROWED", "Order.first", {"entities.Order.computed.first.max_length": 1}),
    Case("EXPIRY_ADDED", "Order", {}, {"entities.Order.expires": GONE}),
    Case("EXPIRY_CHANGED", "Order", {"entities.Order.expires.days": 31}),
    Case("EXPIRY_REMOVED", "Order", {"entities.Order.expires": GONE}),
    Case(
        "EXPIRY_BY_FIELD",
        "Order",
        {"ttl": "paid_at", "entities.Order.expires": {"field": "paid_at"}},
        {"ttl": "paid_at"},
    ),
    Case("PATTERN_ADDED", "pattern order", {"patterns.order": {"kind": "Get", "of": "Order"}}),
    Case("PATTERN_REMOVED", "pattern of_state", {"patterns.of_state": GONE}),
    Case("PATTERN_CHANGED", "pattern of_state", {"patterns.of_state.descending": True}),
    Case(
        "COUNT_MARKER_CHANGED",
        "pattern count",
        {"patterns.count": {**_COUNT, "marker": "Customer"}},
        {"patterns.count": _COUNT},
    ),
]


@pytest.mark.parametrize("case", ENTITIES, ids=lambda one: f"{one.rule} {one.subject}")
def test_a_change_is_told_by_its_rule(case: Case) -> None:
    is_told(case)


_BOTH = {"describes": "", "key": {"partition": "CUSTOMER#{id}", "sort": "{id}"}}
# What changes together: edits of the new design, of the old one, and all that is told.
TOGETHER: list[tuple[Edits, Edits, set[tuple[str, str]]]] = [
    # A number as the key attribute itself, and then a text with it.
    (
        {"entities.Visit.fields.visit_id.stored": "SK"},
        {"entities.Visit.fields.visit_id": {"kind": "Whole", "stored": "SK"}},
        {
            ("TABLE_KEY_TYPE_CHANGED", "table"),
            ("FIELD_KEY_TEXT_CHANGED", "Visit.visit_id"),
        },
    ),
    (
        {"entities.Order.fields.state": {"kind": "Whole"}, "enums": {}},
        {},
        {
            ("INDEX_KEY_TYPE_CHANGED", "index by_state"),
            ("FIELD_KEY_TEXT_CHANGED", "Order.state"),
        },
    ),
    # A moment is the sort key of one index, and reversed in that of another.
    (
        {"entities.Order.fields.placed_at.resolution": "s"},
        {},
        {("FIELD_SORT_TEXT_CHANGED", "Order.placed_at")},
    ),
    (
        {"entities.Order.expires": GONE, "ttl": GONE},
        {},
        {("EXPIRY_REMOVED_WITH_TTL", "Order"), ("TTL_REMOVED", "table")},
    ),
    # The ttl attribute is a field that items have.
    (
        {"entities.Order.expires": {"field": "paid_at"}, "ttl": "paid_at"},
        {"entities.Order.expires": GONE, "ttl": GONE},
        {("EXPIRY_BY_FIELD", "Order"), ("TTL_ADDED", "table")},
    ),
    # The text of a field decides the shard of the table's key.
    (
        {"entities.Visit.key.shards.by": "page", "entities.Visit.fields.page.kind": "Date"},
        {"entities.Visit.key.shards.by": "page", "entities.Visit.fields.page.kind": "HourText"},
        {("FIELD_KEY_TEXT_CHANGED", "Visit.page"), ("FIELD_SORT_TEXT_CHANGED", "Visit.page")},
    ),
    # Orders are left, and nobody looks at what lies beside them.
    (
        {"entities.Customer": GONE, "patterns.customer": GONE},
        {"entities.Customer.key.sort": "{name}"},
        {
            ("ENTITY_REMOVED_AMONG_OTHERS", "Customer"),
            ("PATTERN_REMOVED", "pattern customer"),
        },
    ),
    (
        {"entities.Bill": {**_BOTH, "fields": {"id": {"kind": "Text"}}}, "entities.Visit": GONE}
        | {f"{FIRST}.keys.Visit": GONE},
        {"entities.Visit.key": {"partition": "CUSTOMER#{page}", "sort": "{visit_id}"}},
        {("ENTITY_ADDED_OVER_OTHERS", "Bill"), ("ENTITY_REMOVED", "Visit")},
    ),
    # A field that stands in the key has another name, in Python and where it is stored.
    (
        {
            "entities.Visit.fields.id": {"kind": "Text", "min_length": 1, "max_length": 256},
            "entities.Visit.fields.visit_id": GONE,
            "entities.Visit.key.sort": "{id}",
            "entities.Visit.key.shards.by": "id",
        },
        {},
        {("FIELD_RENAMED", "Visit.id"), ("FIELD_STORED_CHANGED", "Visit.id")},
    ),
    # Renamed, and changed besides.
    (
        {
            "entities": renamed(SHOP["entities"], Visit="Call"),
            f"{FIRST}.keys": renamed(SHOP["indexes"]["by_first"]["keys"], Visit="Call"),
            "patterns.visited.of": "Call",
            "entities.Call.fields.size": {"kind": "Text"},
        },
        {},
        {("ENTITY_RENAMED", "Call"), ("FIELD_ADDED_REQUIRED", "Call.size")},
    ),
    # One index carries it under another name, and another one is on the attribute.
    (
        {"entities.Order.fields.total.stored": "sum"},
        {},
        {
            ("INDEX_PROJECTION_CHANGED", "index by_first"),
            ("LOCAL_INDEX_CHANGED", "index by_total"),
            ("FIELD_STORED_CHANGED", "Order.total"),
        },
    ),
    # An index that carries some attributes carries this one, too.
    (
        {"entity_type": "type"},
        {},
        {("ENTITY_TYPE_ADDED", "table"), ("INDEX_PROJECTION_CHANGED", "index by_first")},
    ),
]


@pytest.mark.parametrize(("new", "old", "told"), TOGETHER)
def test_what_changes_together_is_told_each_by_its_rule(
    new: Edits, old: Edits, told: set[tuple[str, str]]
) -> None:
    assert {(one.rule, one.subject) for one in differences(new, old)} == told
