"""Rules of entities: their keys in the table, shards, computed parts, expiry, access patterns."""

from tablewright.changes.comparison.difference import Consequence, Rule

ENTITY_ADDED = Rule(
    "ENTITY_ADDED",
    Consequence.SAFE,
    "an entity is new",
    "There are no items of it yet. Where it shares partitions with others, deploy readers before "
    "writers: lists of releases that still run do not know its items.",
)
ENTITY_ADDED_OVER_OTHERS = Rule(
    "ENTITY_ADDED_OVER_OTHERS",
    Consequence.BACKFILL,
    "an entity is new, and existing items of another form can have its keys",
    "They would be read as its items, or replaced by them: move or remove them first, or give the "
    "new entity's key a word of its own.",
)
ENTITY_REMOVED = Rule(
    "ENTITY_REMOVED",
    Consequence.SAFE,
    "an entity is gone, whose items no list of another entity meets",
    "Its items stay, cost their storage, and nobody reads them: remove them while the old design "
    "still knows them, or let them expire.",
)
ENTITY_REMOVED_AMONG_OTHERS = Rule(
    "ENTITY_REMOVED_AMONG_OTHERS",
    Consequence.BACKFILL,
    "an entity is gone, whose items lists of another entity meet",
    "Lists of the others would meet its items and no longer know them: remove these with the old "
    "design first.",
)
ENTITY_RENAMED = Rule(
    "ENTITY_RENAMED",
    Consequence.SAFE,
    "an entity has another name, and items do not say it",
    "Nothing stored has the name.",
)
ENTITY_RENAMED_ON_ITEMS = Rule(
    "ENTITY_RENAMED_ON_ITEMS",
    Consequence.BACKFILL,
    "an entity has another name, which its items say",
    "Existing items say the old name and are passed over by lists of the new: rewrite the "
    'attribute, or keep the name by class Invoice(Entity, name="Bill", …).',
)
KEY_FORM_CHANGED = Rule(
    "KEY_FORM_CHANGED",
    Consequence.READ_BOTH,
    "an entity's key in the table has another form, which tells as many items apart",
    "An item cannot change its key: each is stored again under the new one and removed under the "
    "old. Until that is verified, reads look in both places, and writes remove the old item.",
)
KEY_FIELDS_REMOVED = Rule(
    "KEY_FIELDS_REMOVED",
    Consequence.IMPOSSIBLE,
    "an entity's key in the table lacks a field that told items apart",
    "Two items could become one: decide which of them stays, store those as a new entity, and "
    "remove the old one when nobody reads it.",
)
KEY_SHARDS_CHANGED = Rule(
    "KEY_SHARDS_CHANGED",
    Consequence.READ_BOTH,
    "the shard of an entity's key in the table is chosen in another way",
    "Lists over all shards may find old items, but a read by key looks in the new shard alone: "
    "look in both until all items are stored again. EpochShards let a number change without that.",
)
SHARDS_DATED = Rule(
    "SHARDS_DATED",
    Consequence.BACKFILL,
    "lists by a field visit only the shards of the epochs that they overlap",
    "The field must repeat the moment of the id in every item, or lists miss it: look at existing "
    "items, and mend those where it does not.",
)
SHARDS_NOT_DATED = Rule(
    "SHARDS_NOT_DATED",
    Consequence.SAFE,
    "lists visit the shards of all epochs",
    "They find what they found, and cost half a read unit more for each further shard.",
)
KEY_DELIMITER_CHANGED = Rule(
    "KEY_DELIMITER_CHANGED",
    Consequence.BACKFILL,
    "another character may not be in the values of a key, whose form is the same",
    "Existing values may have the new one in them, and their keys would be read wrongly: look for "
    "such items, and replace them.",
)
KEY_SHARED_CHANGED = Rule(
    "KEY_SHARED_CHANGED",
    Consequence.SAFE,
    "a key is, or is no longer, shared by tenants",
    "Nothing stored changes; patterns that read by it can, or can no longer, be granted to one "
    "tenant.",
)
COMPUTED_TOLD = Rule(
    "COMPUTED_TOLD",
    Consequence.SAFE,
    "a computed part is new, gone or another, and stands in no key of old items",
    "Computed parts are stored in keys alone, whose forms are compared by themselves.",
)
COMPUTED_CHANGED = Rule(
    "COMPUTED_CHANGED",
    Consequence.READ_BOTH,
    "a part of a table's key, or of an index's partition key, is computed otherwise",
    "Old items have the old text in their keys: look for both until all are stored again. A "
    "description knows a function by its place: if it has only moved, nothing has to be done.",
)
COMPUTED_SORT_CHANGED = Rule(
    "COMPUTED_SORT_CHANGED",
    Consequence.NEW_INDEX,
    "a part of an index's sort key is computed otherwise",
    "Old and new entries would not sort alike: take a new index with key attributes of its own. A "
    "description knows a function by its place: if it has only moved, nothing has to be done.",
)
COMPUTED_WIDENED = Rule(
    "COMPUTED_WIDENED",
    Consequence.SAFE,
    "a computed part of a key may be longer",
    "Every text that there is still fits.",
)
COMPUTED_NARROWED = Rule(
    "COMPUTED_NARROWED",
    Consequence.BACKFILL,
    "a computed part of a key must be shorter",
    "Items whose text is longer can neither be read by their key nor written: look for them first.",
)
EXPIRY_ADDED = Rule(
    "EXPIRY_ADDED",
    Consequence.BACKFILL,
    "an entity expires now",
    "Existing items have no expiry and would stay for ever: `tablewright backfill --only ttl` "
    "gives it to them.",
)
EXPIRY_CHANGED = Rule(
    "EXPIRY_CHANGED",
    Consequence.BACKFILL,
    "an entity expires at another moment",
    "Existing items go by the moment that was stored with them: rewrite their ttl attribute.",
)
EXPIRY_REMOVED = Rule(
    "EXPIRY_REMOVED",
    Consequence.BACKFILL,
    "an entity expires no more",
    "Existing items keep their ttl attribute, and DynamoDB still removes them by it: remove it "
    "from them before the first is due.",
)
EXPIRY_REMOVED_WITH_TTL = Rule(
    "EXPIRY_REMOVED_WITH_TTL",
    Consequence.SAFE,
    "an entity expires no more, and the table has no ttl attribute any more",
    "Nothing is removed by the attribute that existing items keep; it counts again if it becomes "
    "the ttl attribute again.",
)
EXPIRY_BY_FIELD = Rule(
    "EXPIRY_BY_FIELD",
    Consequence.SAFE,
    "an entity's expiry is another, and the ttl attribute is a field of its own",
    "Nothing is computed into the attribute, and existing items have the field; lists show, or "
    "leave out, what has expired accordingly.",
)
PATTERN_ADDED = Rule(
    "PATTERN_ADDED",
    Consequence.SAFE,
    "an access pattern is new",
    "Only code sees it: deploy its grant with it. What it reads is compared by itself.",
)
PATTERN_REMOVED = Rule(
    "PATTERN_REMOVED",
    Consequence.SAFE,
    "an access pattern is gone",
    "Only code sees it: remove its grant when no release calls it any more.",
)
PATTERN_CHANGED = Rule(
    "PATTERN_CHANGED",
    Consequence.SAFE,
    "an access pattern does something else",
    "Only code sees it: deploy its grant before it. A list that was begun by a cursor of the old "
    "code may have to be begun again.",
)
COUNT_MARKER_CHANGED = Rule(
    "COUNT_MARKER_CHANGED",
    Consequence.BACKFILL,
    "counted events are remembered by another entity",
    "An event that was counted before and is delivered again would be counted twice: copy the "
    "markers first, or change over when nothing can be delivered again.",
)
