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


CODES = {
    "hidden": Code(
        "The item exists, and the other version does not find it.",
        "Keep the key, or declare a new index beside the old one.",
    ),
    "foreign": Code(
        "A list returns an item that does not belong to it, or returns it twice.",
        "Give the entities keys that differ in their fixed text.",
    ),
    "unreadable": Code(
        "Reading the item raises an error.",
        "Keep the type of the stored attribute, or store the new form in a new field.",
    ),
    "value-changed": Code(
        "The other version reads another value than was written.",
        "Keep the stored name and type, or store the new form in a new field.",
    ),
    "value-refused": Code(
        "The other version reads a value that its field does not accept, and cannot write it back.",
        "Release the version that accepts more values first.",
    ),
    "value-missing": Code(
        "A required field has no value in stored items.",
        "Give the field a default. If it continues another field, name that one in `was=`.",
    ),
    "order-changed": Code(
        "The item has another sort key, so lists and ranges return it in another place.",
        "Declare a new index beside the old one.",
    ),
    "update-stale": Code(
        "An update by one version leaves an attribute as it was that the other version derives.",
        "Release writers of the new design before readers use the attribute.",
    ),
    "write-refused": Code(
        "DynamoDB refuses the write while the table has the indexes of both designs.",
        "Give the index key an attribute of its own.",
    ),
    "expires-early": Code(
        "DynamoDB would delete stored items that the old design kept.",
        "Use a new attribute for the expiry.",
    ),
    "expires-late": Code(
        "Stored items lack the expiry of the new design.",
        "Add the attribute by a backfill. DynamoDB then deletes the items that are past it.",
    ),
    "counted-twice": Code(
        "Two versions remember counted events in different entities, and each counts an event.",
        "Keep the marker of the count.",
    ),
    "stream-changed": Code(
        "Consumers of the old stream receive no more records.",
        "Release code that does not read the old stream before the table changes.",
    ),
    "index-replaced": Code(
        "DynamoDB cannot change an index, and queries fail while it is deleted and created again.",
        "Declare the new form under another name.",
    ),
    "table-changed": Code(
        "DynamoDB cannot change the key of a table, or its local indexes.",
        "Copy the items to a new table. In place of a local index, declare a global one.",
    ),
    "keys-collide": Code(
        "Two items would get one key, and one would replace the other.",
        "Keep the fields of the key.",
    ),
    "keys-reused": Code(
        "A key of a stored item would become the key of another item.",
        "Use fixed text in keys that no entity has had.",
    ),
    "not-exact": Code(
        "A stored value has no exact counterpart in the new design.",
        "Write the conversion yourself, in the `upgrade` function of a migration.",
    ),
    "uncertain": Code(
        "The entity has the fields of a removed entity, under another name and key.",
        "Name the old entity in `was=`, or an empty text if it is another entity.",
    ),
    "not-examined": Code(
        "No value could be made up, so nothing is known about stored items.",
        "Give the entity an example.",
    ),
}
"""Codes of findings that count for the outcome."""

NOTES = {
    "index-added": Code(
        "The index must exist before new code reads it.", "Deploy the table before the code."
    ),
    "entity-removed": Code("Its items stay in the table, and no code reads them.", "None needed."),
    "text-refused": Code(
        "A stored value may have a text that cannot be in a key of the new design.",
        "A backfill counts and names such items.",
    ),
    "field-dropped": Code(
        "Old code that replaces a whole item drops the value of the new field.",
        "Use updates, or release writers of the new design first.",
    ),
    "expiry-kept": Code(
        "Stored items keep the expiry with which they were written.", "None needed."
    ),
}
"""Codes of notes, which do not count for the outcome."""


def finding(code: str, subject: str, example: str = "") -> Finding:
    """The finding with the text of its code."""
    return Finding(code, subject, {**CODES, **NOTES}[code].meaning, example)
