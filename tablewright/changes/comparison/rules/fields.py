"""Rules of fields: where they are stored, what they may be, how they stand in keys."""

from tablewright.changes.comparison.difference import Consequence, Rule

FIELD_ADDED = Rule(
    "FIELD_ADDED",
    Consequence.SAFE,
    "a field with a default is new",
    "Items without it read as its default.",
)
FIELD_ADDED_REQUIRED = Rule(
    "FIELD_ADDED_REQUIRED",
    Consequence.BACKFILL,
    "a field without a default is new",
    "Existing items lack it, and nothing can compute it for them: give it a default, or backfill "
    "values that you choose before code relies on it.",
)
FIELD_ADDED_IN_KEY = Rule(
    "FIELD_ADDED_IN_KEY",
    Consequence.SAFE,
    "a field that stands in keys alone is new",
    "It is what the key says, and that is compared by itself.",
)
FIELD_REMOVED = Rule(
    "FIELD_REMOVED",
    Consequence.SAFE,
    "a field is gone",
    "Its attribute stays on existing items until they are put again, and code passes over it. Do "
    "not give its stored name to another field.",
)
FIELD_RENAMED = Rule(
    "FIELD_RENAMED",
    Consequence.SAFE,
    "a field has another name in Python, and is stored as before",
    "Only code sees the name.",
)
FIELD_STORED_CHANGED = Rule(
    "FIELD_STORED_CHANGED",
    Consequence.READ_BOTH,
    "a field is stored under another name",
    "Existing items have the old attribute, and releases that still run go on to write it: read "
    'both until all items are backfilled, or keep the name, as in total = Money("amount").',
)
FIELD_MOVED_TO_KEY = Rule(
    "FIELD_MOVED_TO_KEY",
    Consequence.SAFE,
    "a field is no longer stored beside the key that it stands in",
    "It is read from the key, which existing items have; the key itself is compared. The "
    "attribute stays on existing items.",
)
FIELD_MOVED_FROM_KEY = Rule(
    "FIELD_MOVED_FROM_KEY",
    Consequence.BACKFILL,
    "a field that stood in keys alone is stored by itself",
    "Existing items lack the attribute: write it to them, from their keys, before code reads it.",
)
FIELD_REQUIRED = Rule(
    "FIELD_REQUIRED",
    Consequence.BACKFILL,
    "a field has no default any more",
    "Existing items may lack it: write a value to those before code relies on it.",
)
FIELD_OPTIONAL = Rule(
    "FIELD_OPTIONAL",
    Consequence.SAFE,
    "a field has a default now",
    "Existing items have it. Deploy readers before writers: releases that still run expect a "
    "value.",
)
FIELD_DEFAULT_CHANGED = Rule(
    "FIELD_DEFAULT_CHANGED",
    Consequence.SAFE,
    "a field has another default",
    "Items that have a value keep it. Those without read as the new default.",
)
FIELD_SECRET = Rule(
    "FIELD_SECRET",
    Consequence.BACKFILL,
    "a field is encrypted now",
    "Existing items have it in clear, which stores read unless they are told otherwise "
    "(`clear=False`): `tablewright reencrypt` encrypts them.",
)
FIELD_NOT_SECRET = Rule(
    "FIELD_NOT_SECRET",
    Consequence.BACKFILL,
    "a field is no longer encrypted",
    "Existing items have it encrypted, and the new design cannot read that: run `tablewright "
    "reencrypt --to-clear` with the old design first.",
)
FIELD_RETOLD = Rule(
    "FIELD_RETOLD",
    Consequence.SAFE,
    "a field is declared otherwise, and stores and accepts the same",
    "Only code sees it: values may be of another type in Python.",
)
FIELD_WIDENED = Rule(
    "FIELD_WIDENED",
    Consequence.SAFE,
    "a field accepts more than before",
    "Every stored value still fits. Releases that still run read the new values, and refuse them "
    "only when they write them: deploy readers before writers.",
)
FIELD_NARROWED = Rule(
    "FIELD_NARROWED",
    Consequence.BACKFILL,
    "a field refuses what it accepted before",
    "Existing values may not fit: they are read, but an item with one cannot be put again. Look "
    "for them, and mend them.",
)
FIELD_FORM_CHANGED = Rule(
    "FIELD_FORM_CHANGED",
    Consequence.READ_BOTH,
    "a field's values are stored in another form, of the same type",
    "The same attribute would mean one thing in old items and another in new ones: store it under "
    "a new name, and read both until all items are backfilled.",
)
FIELD_TYPE_CHANGED = Rule(
    "FIELD_TYPE_CHANGED",
    Consequence.READ_BOTH,
    "a field is stored as another type of DynamoDB",
    "Existing items have the old type: store it under a new name, and read both until all items "
    "are backfilled.",
)
FIELD_KEY_TEXT_CHANGED = Rule(
    "FIELD_KEY_TEXT_CHANGED",
    Consequence.READ_BOTH,
    "a field stands otherwise in a table's key, or in an index's partition key",
    "Old items have the old text in their keys: look for both until all are stored again.",
)
FIELD_SORT_TEXT_CHANGED = Rule(
    "FIELD_SORT_TEXT_CHANGED",
    Consequence.NEW_INDEX,
    "a field stands otherwise in an index's sort key",
    "Old and new entries would not sort alike, and ranges would miss some: take a new index with "
    "key attributes of its own, and backfill these.",
)
FIELD_KEY_TEXT_COARSER = Rule(
    "FIELD_KEY_TEXT_COARSER",
    Consequence.IMPOSSIBLE,
    "a field is less precise in a table's key",
    "Two items could become one: keep it as precise, or store it as another field beside the key.",
)
ENUM_RETOLD = Rule(
    "ENUM_RETOLD",
    Consequence.SAFE,
    "members of an enumeration have other names, and the same values",
    "Values are stored, names only code sees.",
)
