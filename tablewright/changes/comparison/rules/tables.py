"""Rules of what a table is by itself: its key, its stream, its expiry, its settings."""

from tablewright.changes.comparison.difference import Consequence, Rule

TABLE_KEY_CHANGED = Rule(
    "TABLE_KEY_CHANGED",
    Consequence.IMPOSSIBLE,
    "the table's key attributes have other names",
    "DynamoDB never changes the key of a table: make a new table, copy the items as the new "
    "design writes them, and move readers and writers to it.",
)
TABLE_KEY_TYPE_CHANGED = Rule(
    "TABLE_KEY_TYPE_CHANGED",
    Consequence.IMPOSSIBLE,
    "a key attribute of the table is of another type",
    "DynamoDB never changes the type of a table's key: make a new table, copy the items as the "
    "new design writes them, and move readers and writers to it.",
)
STREAM_ADDED = Rule(
    "STREAM_ADDED",
    Consequence.SAFE,
    "the table has a stream now",
    "It holds what is written from then on: who follows it must read existing items otherwise.",
)
STREAM_REMOVED = Rule(
    "STREAM_REMOVED",
    Consequence.SAFE,
    "the table has no stream any more",
    "No item changes. Remove its consumers first, when they have read to its end: what is in it "
    "can be read for 24 hours more.",
)
STREAM_VIEW_CHANGED = Rule(
    "STREAM_VIEW_CHANGED",
    Consequence.STEPS,
    "records of the stream hold something else",
    "No item changes. DynamoDB switches the stream off and on, which takes two updates; the new "
    "one has another ARN, so consumers must read the old one to its end and be joined to the new.",
)
TTL_ADDED = Rule(
    "TTL_ADDED",
    Consequence.SAFE,
    "the table has a ttl attribute, which no entity's expiry is computed into",
    "Items that have the attribute already go by it, within some days: see that it holds seconds "
    "since 1970.",
)
TTL_ADDED_FOR_EXPIRY = Rule(
    "TTL_ADDED_FOR_EXPIRY",
    Consequence.BACKFILL,
    "the table has a ttl attribute, and entities that expire by it",
    "Existing items have no such attribute and would stay for ever: `tablewright backfill "
    "--only ttl` gives it to them.",
)
TTL_CHANGED = Rule(
    "TTL_CHANGED",
    Consequence.BACKFILL,
    "another attribute is the ttl attribute",
    "Existing items have the old attribute alone. DynamoDB takes another one only by off, then "
    "on, with up to an hour between, in which nothing expires: write the new attribute to all "
    "items first.",
)
TTL_REMOVED = Rule(
    "TTL_REMOVED",
    Consequence.SAFE,
    "the table has no ttl attribute any more",
    "No item changes; those that would have expired stay for ever, and cost their storage.",
)
ENTITY_TYPE_ADDED = Rule(
    "ENTITY_TYPE_ADDED",
    Consequence.BACKFILL,
    "items say their entity now",
    "Existing items lack the attribute: write it to them before entities get keys of the same "
    "form, since an item without it is then taken for none of them.",
)
ENTITY_TYPE_CHANGED = Rule(
    "ENTITY_TYPE_CHANGED",
    Consequence.BACKFILL,
    "items say their entity in another attribute",
    "Existing items have the old attribute alone: write the new one to all of them first. "
    "Entities with keys of the same form are not told apart by code that looks for the other one.",
)
ENTITY_TYPE_REMOVED = Rule(
    "ENTITY_TYPE_REMOVED",
    Consequence.SAFE,
    "items do not say their entity any more",
    "Keys tell entities apart, as the new design has to. The attribute stays on existing items.",
)
TENANT_CHANGED = Rule(
    "TENANT_CHANGED",
    Consequence.SAFE,
    "another field sets tenants apart, or one does now, or none",
    "Nothing stored changes: keys are compared by themselves. Sessions of tenants, their grants "
    "and the audit of isolation follow the new field: deploy these with the code.",
)
EPOCHS_CHANGED = Rule(
    "EPOCHS_CHANGED",
    Consequence.SAFE,
    "shard epochs are read by another pattern of the same entity, by one now, or by none",
    "The stored epochs stay what they are; keys that are sharded by them are compared by "
    "themselves.",
)
EPOCHS_MOVED = Rule(
    "EPOCHS_MOVED",
    Consequence.BACKFILL,
    "shard epochs are read from another entity",
    "An id leads to its shard by the epochs of its tenant: copy all of them to the new entity "
    "before any code reads them there, or items are looked for in shards where they are not.",
)
DESIGN_ID_CHANGED = Rule(
    "DESIGN_ID_CHANGED",
    Consequence.SAFE,
    "the design has another id",
    "It names the design in messages, pages and files; the table's own name is the deployment's.",
)
DESCRIBES_CHANGED = Rule(
    "DESCRIBES_CHANGED",
    Consequence.SAFE,
    "what is said of a table, an entity, a part or a pattern",
    "It is for readers of the table's page.",
)
NOT_KNOWN = Rule(
    "NOT_KNOWN",
    Consequence.IMPOSSIBLE,
    "something that no rule is for",
    "This version cannot tell what it asks of stored items: look at it, or compare with the "
    "version that wrote it.",
)
