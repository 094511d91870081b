"""Rules of indexes: what DynamoDB has of them, and the keys that entities have in them."""

from tablewright.changes.comparison.difference import Consequence, Rule

_RENAME = (
    'Index("by_customer_2", …) under the attribute that it has keeps its name in Python, so '
    "readers do not change"
)

INDEX_ADDED = Rule(
    "INDEX_ADDED",
    Consequence.SAFE,
    "an index is new, whose key attributes existing items have",
    "DynamoDB fills it from the items that are there. Add one index an update, and let code read "
    "it when it is ACTIVE.",
)
INDEX_ADDED_EMPTY = Rule(
    "INDEX_ADDED_EMPTY",
    Consequence.BACKFILL,
    "an index is new, whose key attributes existing items lack",
    "Items without an index's key attributes are not in it: deploy writers that store them, "
    "backfill the others, and let code read it then.",
)
INDEX_REMOVED = Rule(
    "INDEX_REMOVED",
    Consequence.SAFE,
    "a global index is gone",
    "No item changes: their index attributes stay. Deploy a release first that does not read it, "
    "and remove one index an update.",
)
INDEXES_CHANGED_AT_ONCE = Rule(
    "INDEXES_CHANGED_AT_ONCE",
    Consequence.STEPS,
    "several global indexes are new or gone",
    "DynamoDB makes or removes one index an update, and refuses a deployment of more: "
    "`tablewright plan` orders them.",
)
LOCAL_INDEX_CHANGED = Rule(
    "LOCAL_INDEX_CHANGED",
    Consequence.IMPOSSIBLE,
    "a local index is new, gone or another",
    "Local indexes are made with their table and stay as they are: take a global index, or make a "
    "new table and copy the items.",
)
INDEX_KEY_CHANGED = Rule(
    "INDEX_KEY_CHANGED",
    Consequence.NEW_INDEX,
    "an index has other key attributes under its name",
    f"The key of an index never changes in place: give the new one another name. {_RENAME}.",
)
INDEX_KEY_TYPE_CHANGED = Rule(
    "INDEX_KEY_TYPE_CHANGED",
    Consequence.NEW_INDEX,
    "a key attribute of an index is of another type",
    "An attribute has one type in all keys of a table, and DynamoDB refuses items that have it of "
    "another while an index is on it: store it under another name, with an index on that.",
)
INDEX_PROJECTION_CHANGED = Rule(
    "INDEX_PROJECTION_CHANGED",
    Consequence.NEW_INDEX,
    "an index carries other attributes",
    "The projection of an index never changes in place: give the new one another name. DynamoDB "
    f"fills it from the items that are there. {_RENAME}.",
)
INDEX_PROJECTION_RETOLD = Rule(
    "INDEX_PROJECTION_RETOLD",
    Consequence.SAFE,
    "the fields that an index carries are told otherwise, and are the same attributes",
    "DynamoDB has one set of attributes, in no order.",
)
INDEX_SPARSE_CHANGED = Rule(
    "INDEX_SPARSE_CHANGED",
    Consequence.SAFE,
    "an index may, or may no longer, leave out items that lack its fields",
    "It is what a design allows, and nothing that DynamoDB has: every index leaves out what lacks "
    "its key. Fields that become required are told by themselves.",
)
INDEX_ENTITY_ADDED = Rule(
    "INDEX_ENTITY_ADDED",
    Consequence.SAFE,
    "an entity is in an index now, whose key attributes its items have",
    "Its items are in the index already.",
)
INDEX_ENTITY_ADDED_EMPTY = Rule(
    "INDEX_ENTITY_ADDED_EMPTY",
    Consequence.BACKFILL,
    "an entity is in an index now, whose key attributes its items lack",
    "Its existing items are not in the index until they have its key attributes: deploy writers "
    "that store them, backfill the others, and let code read them then.",
)
INDEX_ENTITY_REMOVED = Rule(
    "INDEX_ENTITY_REMOVED",
    Consequence.SAFE,
    "an entity is no longer in an index whose key attributes are fields of its own",
    "Its items stay in it as long as they have these fields; lists pass over them.",
)
INDEX_ENTITY_LEFT = Rule(
    "INDEX_ENTITY_LEFT",
    Consequence.BACKFILL,
    "an entity is no longer in an index whose key attributes were made for it",
    "Its existing items have the attributes and stay in the index, where lists of other entities "
    "would meet them: remove the attributes from them.",
)
INDEX_KEY_FORM_CHANGED = Rule(
    "INDEX_KEY_FORM_CHANGED",
    Consequence.READ_BOTH,
    "an entity's key in an index has another form, of the same fields in the same order",
    "Entries of old items have the old form: lists must ask for both and merge them, which sort "
    "alike, until all items are backfilled.",
)
INDEX_KEY_FIELDS_CHANGED = Rule(
    "INDEX_KEY_FIELDS_CHANGED",
    Consequence.NEW_INDEX,
    "an entity's key in an index is made of other fields, or in another order",
    "Entries of old and new form are not found by one question, nor sorted alike: take a new "
    f"index with key attributes of its own, and backfill these. {_RENAME}.",
)
INDEX_SHARDS_RAISED = Rule(
    "INDEX_SHARDS_RAISED",
    Consequence.SAFE,
    "an index key has more shards",
    "Lists ask all shards of the new number, among which are all of the old; an entry goes to its "
    "new shard when its item is next written. Deploy readers before writers.",
)
INDEX_SHARDS_LOWERED = Rule(
    "INDEX_SHARDS_LOWERED",
    Consequence.READ_BOTH,
    "an index key has fewer shards",
    "Entries in the shards above the new number are not found by lists of the new code: readers "
    "ask for the old number until these are backfilled.",
)
INDEX_SHARD_FUNCTION_CHANGED = Rule(
    "INDEX_SHARD_FUNCTION_CHANGED",
    Consequence.SAFE,
    "the shard of an index key is chosen by another function, or by another field",
    "Lists ask all shards, so entries placed either way are found; an item has one entry, which "
    "moves when it is next written.",
)
INDEX_SHARDS_CHANGED = Rule(
    "INDEX_SHARDS_CHANGED",
    Consequence.READ_BOTH,
    "the number of shards of an index key is found in another way",
    "Entries may lie in shards that lists of the new code do not ask: readers ask for both until "
    "all items are backfilled.",
)
