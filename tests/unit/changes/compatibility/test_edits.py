"""Verdicts for one edit of a design at a time: fields, keys, indexes, expiry, stream, patterns."""

from typing import Any

import pytest

from tests.unit.changes.compatibility.edited_shop import GONE, SHOP, Case, require_verdict

COMPATIBLE, READERS, WRITERS = "compatible", "readers first", "writers first"
MIGRATE, NEW_TABLE = "migrate", "new table"
F, ORDER, VISIT = "entities.Order.fields", "entities.Order", "entities.Visit"
FIRST, SHARDS = "indexes.by_first", "indexes.by_first.keys.Order.shards"
NOTE = SHOP["entities"]["Order"]["fields"]["note"]
ALL = {f"{FIRST}.projects": "ALL"}
NEW = {
    "describes": "",
    "key": {"partition": "NEW#{id}", "sort": "NEW"},
    "fields": {"id": {"kind": "Text"}},
}
COUNT = {"kind": "Count", "of": "Visit", "marker": "Order"}
INDEX: dict[str, Any] = {"projects": "ALL", "keys": {}}


def renamed(members: dict[str, Any], **names: str) -> dict[str, Any]:
    return {names.get(name, name): member for name, member in members.items()}


CALL = {
    "entities": renamed(SHOP["entities"], Visit="Call"),
    f"{FIRST}.keys": renamed(SHOP["indexes"]["by_first"]["keys"], Visit="Call"),
    "patterns.visited.of": "Call",
}
# Old and new code misread each other: an attribute or a key has another form.
BOTH = "value-changed"

ENTITIES = [
    Case(
        "an entity is added",
        COMPATIBLE,
        "",
        {"entities.New": NEW, "patterns.new": {"kind": "Put", "of": "New"}},
    ),
    Case(
        "an entity is removed",
        COMPATIBLE,
        "",
        {},
        {"entities.New": NEW, "patterns.new": {"kind": "Put", "of": "New"}},
    ),
    Case("a class has another name", COMPATIBLE, "", CALL),
    Case(
        "a class has another name, which items store",
        MIGRATE,
        "hidden",
        {**CALL, **ALL, "entity_type": "type"},
        {**ALL, "entity_type": "type"},
    ),
    Case(
        "a key has other fixed text",
        MIGRATE,
        "hidden",
        {f"{ORDER}.key.sort": "O#{order_id}#{rank}"},
    ),
    Case(
        "a key gains a field",
        MIGRATE,
        "hidden value-missing",
        {f"{ORDER}.key.sort": "ORDER#{order_id}#{rank}#{note}"},
    ),
    Case(
        "a key loses a field",
        MIGRATE,
        "hidden keys-collide",
        {f"{ORDER}.key.sort": "ORDER#{order_id}"},
    ),
    Case("a key has more shards", MIGRATE, "hidden", {f"{VISIT}.key.shards.count": 8}),
    Case(
        "a key has another shard function",
        MIGRATE,
        "hidden",
        {f"{VISIT}.key.shards.function": "tablewright.model:java_hash"},
    ),
    Case(
        "a key of one field has another delimiter", COMPATIBLE, "", {f"{VISIT}.key.delimiter": "|"}
    ),
    Case("a key is shared among tenants", COMPATIBLE, "", {f"{VISIT}.key.shared": True}),
    Case(
        "a computed part that no key has",
        COMPATIBLE,
        "",
        {f"{ORDER}.computed.last": {"kind": "Reversed", "of": ["paid_at"]}},
    ),
    Case(
        "a computed part of an index key has another function",
        MIGRATE,
        "foreign hidden",
        {f"{FIRST}.keys.Order.partition": "F#{final}#{shard}"},
    ),
    Case(
        "a computed sort key is of another field",
        MIGRATE,
        "foreign hidden order-changed",
        {f"{ORDER}.computed.newest.of": ["paid_at"]},
    ),
    Case(
        "a computed part may be longer", COMPATIBLE, "", {f"{ORDER}.computed.first.max_length": 65}
    ),
    Case("expiry is added", WRITERS, "expires-late", {}, {f"{ORDER}.expires": GONE}),
    Case("expiry is later", COMPATIBLE, "", {f"{ORDER}.expires.days": 31}),
    Case("expiry is removed", COMPATIBLE, "", {f"{ORDER}.expires": GONE}),
    Case(
        "expiry follows the attribute that DynamoDB reads already",
        COMPATIBLE,
        "",
        {"ttl": "paid_at", f"{ORDER}.expires": {"field": "paid_at"}},
        {"ttl": "paid_at"},
    ),
    Case("a pattern is added", COMPATIBLE, "", {"patterns.order": {"kind": "Get", "of": "Order"}}),
    Case("a pattern is removed", COMPATIBLE, "", {"patterns.of_state": GONE}),
    Case("a pattern is descending", COMPATIBLE, "", {"patterns.of_state.descending": True}),
    Case(
        "a count has another marker",
        MIGRATE,
        "counted-twice",
        {"patterns.count": {**COUNT, "marker": "Customer"}},
        {"patterns.count": COUNT},
    ),
]

FIELDS = [
    Case(
        "an optional field is added",
        COMPATIBLE,
        "",
        {f"{F}.size": {"kind": "Text", "default": None}},
    ),
    Case(
        "a required field is added",
        MIGRATE,
        "unreadable value-missing",
        {f"{F}.size": {"kind": "Text"}},
    ),
    Case(
        "a part gains a required field",
        MIGRATE,
        "not-exact unreadable",
        {"parts.Line.fields.size": {"kind": "Text"}},
    ),
    Case("an optional field is removed", COMPATIBLE, "", {f"{F}.note": GONE}),
    Case(
        "a part loses a required field", READERS, "unreadable", {"parts.Line.fields.pieces": GONE}
    ),
    Case(
        "a field has another name in Python",
        COMPATIBLE,
        "",
        {f"{F}.note": GONE, f"{F}.remark": {**NOTE, "stored": "note"}},
    ),
    Case(
        "a field of a part has another name in Python",
        COMPATIBLE,
        "",
        {
            "parts.Line.fields.pieces": GONE,
            "parts.Line.fields.number": {
                **SHOP["parts"]["Line"]["fields"]["pieces"],
                "stored": "pieces",
            },
        },
    ),
    Case("a field is stored under another name", MIGRATE, BOTH, {f"{F}.note.stored": "n"}),
    Case("a text moves to the key", READERS, "unreadable", {f"{F}.order_id.stored": None}),
    Case("a text moves from the key", WRITERS, "unreadable", {}, {f"{F}.order_id.stored": None}),
    Case("a number moves to the key", COMPATIBLE, "", {f"{F}.rank.stored": None}),
    Case(
        "an optional field is required",
        MIGRATE,
        "unreadable value-missing",
        {f"{F}.note.default": GONE},
    ),
    Case("a required field has a default", COMPATIBLE, "", {f"{VISIT}.fields.page.default": "/"}),
    Case("no value becomes a default", COMPATIBLE, "", {f"{F}.note.default": "none"}),
    Case(
        "a default changes, which older items lack",
        MIGRATE,
        "update-stale value-changed",
        {f"{F}.note.default": "b"},
        {f"{F}.note.default": "a"},
    ),
    Case("a field becomes secret", MIGRATE, "unreadable", {f"{F}.note.secret": True}),
    Case("a field is secret no more", MIGRATE, "unreadable", {}, {f"{F}.note.secret": True}),
    Case(
        "a secret stays a secret",
        COMPATIBLE,
        "",
        {f"{F}.note.secret": True},
        {f"{F}.note.secret": True},
    ),
    Case("a moment is a text in Python", COMPATIBLE, "", {f"{F}.placed_at.kind": "TimestampText"}),
    Case("a text is described otherwise", COMPATIBLE, "", {f"{F}.note.form": "a word"}),
    Case("a text may be longer", READERS, "value-refused", {f"{F}.note.max_length": 300}),
    Case("a text may have lines", READERS, "value-refused", {f"{F}.note.kind": "Prose"}),
    Case("a choice is added", READERS, "unreadable", {"enums.State.SENT": "sent"}),
    Case("a set may have more values", READERS, "value-refused", {f"{F}.tags.max_items": 200}),
    Case(
        "a text must be shorter", MIGRATE, "not-exact value-refused", {f"{F}.note.max_length": 30}
    ),
    Case(
        "a text must match a pattern",
        MIGRATE,
        "not-exact value-refused",
        {f"{F}.note.pattern": "a+"},
    ),
    Case("a text is a name", MIGRATE, "not-exact value-refused", {f"{F}.note.kind": "Name"}),
    Case(
        "a choice has another stored text",
        MIGRATE,
        "not-exact unreadable",
        {"enums.State.PAID": "settled"},
    ),
    Case(
        "a set has shorter texts",
        MIGRATE,
        "not-exact value-refused",
        {f"{F}.tags.of.max_length": 9},
    ),
    Case(
        "a text is a number",
        MIGRATE,
        "not-exact unreadable",
        {f"{F}.note": {"kind": "Number", "default": None}},
    ),
    Case(
        "a number in a part is a text",
        MIGRATE,
        "unreadable",
        {"parts.Line.fields.pieces": {"kind": "Text"}},
    ),
    Case(
        "a number in keys has more digits",
        READERS,
        "value-refused",
        {f"{F}.total.digits": 12},
    ),
    Case(
        "a number in the key has fewer decimals",
        MIGRATE,
        "hidden not-exact unreadable",
        {f"{F}.rank.decimals": 2},
    ),
    Case(
        "a choice has another name in Python",
        COMPATIBLE,
        "",
        {"enums.State": {"NEW": "open", "PAID": "paid"}},
    ),
]

TABLES = [
    Case("the table has another sort key", NEW_TABLE, "table-changed", {"key.sort": "SORT"}),
    Case("a stream is added", COMPATIBLE, "", {"stream": "NEW_IMAGE"}),
    Case("a stream is removed", READERS, "stream-changed", {}, {"stream": "NEW_IMAGE"}),
    Case(
        "a stream has other images",
        READERS,
        "stream-changed",
        {"stream": "KEYS_ONLY"},
        {"stream": "NEW_IMAGE"},
    ),
    Case("ttl is added for an expiry", WRITERS, "expires-late", {}, {"ttl": GONE}),
    Case(
        "ttl is added without an expiry",
        COMPATIBLE,
        "",
        {f"{ORDER}.expires": GONE},
        {f"{ORDER}.expires": GONE, "ttl": GONE},
    ),
    Case(
        "ttl is an attribute that items have",
        MIGRATE,
        "expires-early",
        {"ttl": "paid_at"},
        {"ttl": GONE},
    ),
    Case("ttl is another attribute", WRITERS, "expires-late", {"ttl": "ends"}),
    Case("ttl is removed", COMPATIBLE, "", {"ttl": GONE}),
    Case("items get a type", COMPATIBLE, "", {**ALL, "entity_type": "type"}, ALL),
    Case(
        "items get their type in another attribute",
        COMPATIBLE,
        "",
        {**ALL, "entity_type": "t"},
        {**ALL, "entity_type": "type"},
    ),
    Case("items lose their type", COMPATIBLE, "", ALL, {**ALL, "entity_type": "type"}),
    Case("the design has another id", COMPATIBLE, "", {"id": "store"}),
    Case(
        "descriptions change",
        COMPATIBLE,
        "",
        {"describes": "A store.", f"{ORDER}.describes": "An order."},
    ),
]

NOTES_INDEX = {**INDEX, "partition": "NPK", "keys": {"Order": {"partition": "NOTE#{note}"}}}
INDEXES = [
    Case(
        "an index of a field is added",
        COMPATIBLE,
        "",
        {
            "indexes.totals": {
                **INDEX,
                "partition": "total",
                "keys": {"Order": {"partition": "{total}"}},
            }
        },
    ),
    Case(
        "an index of existing key attributes is added",
        COMPATIBLE,
        "",
        {"indexes.first_2": {**SHOP["indexes"]["by_first"], "projects": "ALL"}},
    ),
    Case(
        "an index with its own key attribute is added",
        WRITERS,
        "hidden",
        {"indexes.notes": NOTES_INDEX},
    ),
    Case("an index is removed", READERS, "hidden", {}, {"indexes.notes": NOTES_INDEX}),
    Case("a local index is removed", NEW_TABLE, "table-changed", {"indexes.by_total": GONE}),
    Case("a local index is added", NEW_TABLE, "table-changed", {}, {"indexes.by_total": GONE}),
    Case(
        "a local index projects keys",
        NEW_TABLE,
        "table-changed",
        {"indexes.by_total.projects": "KEYS_ONLY"},
    ),
    Case(
        "an index has another sort attribute",
        MIGRATE,
        "hidden index-replaced",
        {f"{FIRST}.sort": "OTHER"},
    ),
    Case("an index projects everything", MIGRATE, "index-replaced", ALL),
    Case(
        "an index projects one more field",
        MIGRATE,
        "index-replaced",
        {f"{FIRST}.projects": ["total", "note"]},
    ),
    Case(
        "an index names a projected field twice",
        COMPATIBLE,
        "",
        {f"{FIRST}.projects": ["total", "total"]},
    ),
    Case("an index is sparse", COMPATIBLE, "", {f"{FIRST}.sparse": True}),
    Case(
        "an entity is added to an index of its fields",
        COMPATIBLE,
        "",
        {"patterns.of_state": GONE},
        {"indexes.by_state.keys": {}, "patterns.of_state": GONE},
    ),
    Case(
        "an entity is added to an index with new key attributes",
        WRITERS,
        "hidden",
        {f"{FIRST}.keys.Customer": {"partition": "C", "sort": "{name}"}},
    ),
    Case(
        "an entity leaves an index of its fields",
        COMPATIBLE,
        "",
        {"indexes.by_state.keys": {}, "patterns.of_state": GONE},
    ),
    Case("an entity leaves an index", READERS, "hidden", {f"{FIRST}.keys.Visit": GONE}),
    Case(
        "an index key has other fixed text",
        MIGRATE,
        "order-changed",
        {f"{FIRST}.keys.Visit.partition": "V"},
    ),
    Case(
        "an index key has its fields in another order",
        MIGRATE,
        "order-changed",
        {f"{FIRST}.keys.Order.sort": "{newest}#{total}"},
    ),
    Case(
        "an index key gains a field",
        MIGRATE,
        "not-exact order-changed value-refused",
        {f"{FIRST}.keys.Visit.partition": "VISITS#{visit_id}"},
    ),
    Case(
        "the key attribute of an index has another type",
        MIGRATE,
        "index-replaced not-exact unreadable write-refused",
        {f"{F}.state": {"kind": "Whole"}, "enums": {}},
    ),
    Case(
        "a projected field is stored under another name",
        NEW_TABLE,
        "table-changed",
        {f"{F}.total.stored": "sum"},
    ),
]


@pytest.mark.parametrize("case", [*ENTITIES, *FIELDS, *TABLES, *INDEXES], ids=lambda one: one.name)
def test_an_edit_has_its_outcome_and_codes(case: Case) -> None:
    require_verdict(case)
