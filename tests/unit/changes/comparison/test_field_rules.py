"""Changes of fields, of entities and of parts."""

import pytest

from tests.unit.changes.comparison.shop import GONE, SHOP, Case, is_told

ORDER = SHOP["entities"]["Order"]
FIELDS = "entities.Order.fields"

FIELD_CHANGES = [
    Case("FIELD_ADDED", "Order.size", {f"{FIELDS}.size": {"kind": "Text", "default": None}}),
    Case("FIELD_ADDED_REQUIRED", "Order.size", {f"{FIELDS}.size": {"kind": "Text"}}),
    Case("FIELD_ADDED_REQUIRED", "Line.size", {"parts.Line.fields.size": {"kind": "Text"}}),
    Case("FIELD_ADDED_IN_KEY", "Order.size", {f"{FIELDS}.size": {"kind": "Text", "stored": None}}),
    Case("FIELD_REMOVED", "Order.note", {f"{FIELDS}.note": GONE}),
    Case("FIELD_REMOVED", "Line.pieces", {"parts.Line.fields.pieces": GONE}),
    Case(
        "FIELD_RENAMED",
        "Order.remark",
        {f"{FIELDS}.note": GONE, f"{FIELDS}.remark": {**ORDER["fields"]["note"], "stored": "note"}},
    ),
    Case(
        "FIELD_RENAMED",
        "Line.number",
        {
            "parts.Line.fields.pieces": GONE,
            "parts.Line.fields.number": {
                **SHOP["parts"]["Line"]["fields"]["pieces"],
                "stored": "pieces",
            },
        },
    ),
    Case("FIELD_STORED_CHANGED", "Order.note", {f"{FIELDS}.note.stored": "n"}),
    Case("FIELD_MOVED_TO_KEY", "Order.rank", {f"{FIELDS}.rank.stored": None}),
    Case("FIELD_MOVED_FROM_KEY", "Order.rank", {}, {f"{FIELDS}.rank.stored": None}),
    Case("FIELD_REQUIRED", "Order.note", {f"{FIELDS}.note.default": GONE}),
    Case("FIELD_OPTIONAL", "Visit.page", {"entities.Visit.fields.page.default": "/"}),
    Case("FIELD_DEFAULT_CHANGED", "Order.note", {f"{FIELDS}.note.default": "none"}),
    Case("FIELD_SECRET", "Order.note", {f"{FIELDS}.note.secret": True}),
    Case("FIELD_NOT_SECRET", "Order.note", {}, {f"{FIELDS}.note.secret": True}),
    Case("FIELD_RETOLD", "Order.placed_at", {f"{FIELDS}.placed_at.kind": "TimestampText"}),
    Case("FIELD_RETOLD", "Order.note", {f"{FIELDS}.note.form": "a word"}),
    Case("FIELD_WIDENED", "Order.note", {f"{FIELDS}.note.max_length": 300}),
    Case("FIELD_WIDENED", "Order.note", {f"{FIELDS}.note.kind": "Prose"}),
    Case("FIELD_WIDENED", "Order.state", {"enums.State.SENT": "sent"}),
    Case("FIELD_WIDENED", "Order.tags", {f"{FIELDS}.tags.max_items": 200}),
    Case("FIELD_NARROWED", "Order.note", {f"{FIELDS}.note.max_length": 30}),
    Case("FIELD_NARROWED", "Order.note", {f"{FIELDS}.note.pattern": "a+"}),
    Case("FIELD_NARROWED", "Order.note", {f"{FIELDS}.note.kind": "Name"}),
    Case("FIELD_NARROWED", "Order.state", {"enums.State.PAID": "settled"}),
    Case("FIELD_NARROWED", "Order.tags", {f"{FIELDS}.tags.of.max_length": 9}),
    Case("FIELD_WIDENED", "Order.placed_at", {f"{FIELDS}.placed_at.any_precision": True}),
    Case("FIELD_NARROWED", "Order.placed_at", {}, {f"{FIELDS}.placed_at.any_precision": True}),
    Case("FIELD_FORM_CHANGED", "Order.paid_at", {f"{FIELDS}.paid_at.resolution": "ms"}),
    Case(
        "FIELD_TYPE_CHANGED", "Order.note", {f"{FIELDS}.note": {"kind": "Number", "default": None}}
    ),
    Case("FIELD_TYPE_CHANGED", "Line.pieces", {"parts.Line.fields.pieces.kind": "Text"}),
    Case("FIELD_KEY_TEXT_CHANGED", "Order.rank", {f"{FIELDS}.rank.decimals": 4}),
    Case("FIELD_SORT_TEXT_CHANGED", "Order.total", {f"{FIELDS}.total.digits": 12}),
    Case("FIELD_KEY_TEXT_COARSER", "Order.rank", {f"{FIELDS}.rank.decimals": 2}),
    Case("ENUM_RETOLD", "enum State", {"enums.State": {"NEW": "open", "PAID": "paid"}}),
]


@pytest.mark.parametrize("case", FIELD_CHANGES, ids=lambda one: f"{one.rule} {one.subject}")
def test_a_change_is_told_by_its_rule(case: Case) -> None:
    is_told(case)
