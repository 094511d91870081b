"""Changes of a table's key, stream, ttl and settings."""

import pytest

from tests.unit.changes.comparison.shop import GONE, Case, is_told

FIRST = "indexes.by_first"

TABLES = [
    Case("TABLE_KEY_CHANGED", "table", {"key.sort": "SORT"}),
    Case("STREAM_ADDED", "table", {"stream": "NEW_IMAGE"}),
    Case("STREAM_REMOVED", "table", {}, {"stream": "NEW_IMAGE"}),
    Case("STREAM_VIEW_CHANGED", "table", {"stream": "KEYS_ONLY"}, {"stream": "NEW_IMAGE"}),
    Case("TTL_ADDED_FOR_EXPIRY", "table", {}, {"ttl": GONE}),
    Case(
        "TTL_ADDED",
        "table",
        {"entities.Order.expires": GONE},
        {"entities.Order.expires": GONE, "ttl": GONE},
    ),
    Case("TTL_ADDED", "table", {"ttl": "paid_at"}, {"ttl": GONE}),
    Case("TTL_CHANGED", "table", {"ttl": "ends"}),
    Case("TTL_REMOVED", "table", {"ttl": GONE}),
    Case(
        "ENTITY_TYPE_ADDED",
        "table",
        {"entity_type": "type", f"{FIRST}.projects": "ALL"},
        {f"{FIRST}.projects": "ALL"},
    ),
    Case(
        "ENTITY_TYPE_CHANGED",
        "table",
        {"entity_type": "t", f"{FIRST}.projects": "ALL"},
        {"entity_type": "type", f"{FIRST}.projects": "ALL"},
    ),
    Case(
        "ENTITY_TYPE_REMOVED",
        "table",
        {f"{FIRST}.projects": "ALL"},
        {"entity_type": "type", f"{FIRST}.projects": "ALL"},
    ),
    Case("TENANT_CHANGED", "table", {"tenant": "customer_id"}),
    Case("EPOCHS_CHANGED", "table", {"epochs": "customer"}),
    Case("EPOCHS_MOVED", "table", {"epochs": "customer"}, {"epochs": "place"}),
    Case("DESIGN_ID_CHANGED", "table", {"id": "store"}),
    Case("DESCRIBES_CHANGED", "table", {"describes": "A store."}),
    Case("DESCRIBES_CHANGED", "Order", {"entities.Order.describes": "An order."}),
    Case("DESCRIBES_CHANGED", "Line", {"parts.Line.describes": "A line."}),
    Case("DESCRIBES_CHANGED", "pattern place", {"patterns.place.describes": "Place it."}),
]


@pytest.mark.parametrize("case", TABLES, ids=lambda one: f"{one.rule} {one.subject}")
def test_a_change_is_told_by_its_rule(case: Case) -> None:
    is_told(case)
