"""Findings: reasons why two designs cannot share a table, each with an example."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """A defect that appears while two designs use one table.

    `code` names the kind of defect, `subject` the entity, field, pattern or index. `example` shows
    the record, what was written, and what the other version reads.
    """

    code: str
    subject: str
    text: str
    example: str = ""

    def __str__(self) -> str:
        example = f" Example: {self.example}." if self.example else ""
        return f"{self.code}: {self.subject}: {self.text}{example}"


class Code(NamedTuple):
    """A kind of finding: its meaning, and what to do about it."""

    meaning: str
    remedy: str


def _codes(text: str) -> dict[str, Code]:
    """Read codes: a line with the code and its meaning, then a line with the remedy."""
    lines = iter(text.strip().splitlines())
    pairs = ((line.partition(": "), next(lines)) for line in lines)
    return {code: Code(meaning, remedy.strip()) for (code, _, meaning), remedy in pairs}


CODES = _codes("""
hidden: The item exists, and the other version does not find it.
    Keep the key, or declare a new index beside the old one.
foreign: A list returns an item that does not belong to it, or returns it twice.
    Give the entities keys that differ in their fixed text.
unreadable: Reading the item raises an error.
    Keep the type of the stored attribute, or store the new form in a new field.
value-changed: The other version reads another value than was written.
    Keep the stored name and type, or store the new form in a new field.
value-refused: The other version reads a value that its field refuses to write.
    Release the version that accepts more values first.
value-missing: A required field has no value in stored items.
    Give the field a default. If it continues another field, name that one in `was=`.
order-changed: The item has another sort key, so lists and ranges return it in another place.
    Declare a new index beside the old one.
update-stale: An update by one version leaves an attribute as it was that the other version derives.
    Release writers of the new design before readers use the attribute.
write-refused: DynamoDB refuses the write while the table has the indexes of both designs.
    Give the index key an attribute of its own.
expires-early: DynamoDB would delete stored items that the old design kept.
    Use a new attribute for the expiry.
expires-late: Stored items lack the expiry of the new design.
    Add the attribute by a backfill. DynamoDB then deletes the items that are past it.
counted-twice: Two versions remember counted events in different entities, and each counts an event.
    Keep the marker of the count.
stream-changed: Consumers of the old stream receive no more records.
    Release code that does not read the old stream before the table changes.
index-replaced: DynamoDB cannot change an index, and queries fail until it is created again.
    Declare the new form under another name.
table-differs: The deployed table is not as the design says.
    Update the table, one index at a time.
table-changed: DynamoDB cannot change the key of a table, or its local indexes.
    Copy the items to a new table. In place of a local index, declare a global one.
keys-collide: Two items would get one key, and one would replace the other.
    Keep the fields of the key.
keys-reused: A key of a stored item would become the key of another item.
    Use fixed text in keys that no entity has had.
not-exact: A stored value has no exact counterpart in the new design.
    Write the conversion yourself, in the `upgrade` function of a migration.
uncertain: The entity has the fields of a removed entity, under another name and key.
    Name the old entity in `was=`, or an empty text if it is another entity.
not-examined: No value could be made up, so nothing is known about stored items.
    Give the entity an example.
""")
NOTES = _codes("""
index-added: The index must exist before new code reads it.
    Deploy the table before the code.
entity-removed: Its items stay in the table, and no code reads them.
    None needed.
text-refused: A stored value may have a text that cannot be in a key of the new design.
    A backfill counts and names such items.
field-dropped: Old code that replaces a whole item drops the value of the new field.
    Use updates, or release writers of the new design first.
expiry-kept: Stored items keep the expiry with which they were written.
    None needed.
""")
# Findings count for the outcome, notes do not.


def finding(code: str, subject: str, example: str = "") -> Finding:
    """The finding with the text of its code."""
    return Finding(code, subject, {**CODES, **NOTES}[code].meaning, example)


def remedy(code: str) -> str:
    """The advice for findings of a code."""
    return {**CODES, **NOTES}[code].remedy
