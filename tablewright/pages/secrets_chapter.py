"""Chapter on secret fields of a table's page: what encryption adds to items, calls and bills."""

from collections.abc import Iterator, Mapping
from math import ceil
from typing import Any

from tablewright.model import Design, EntityModel
from tablewright.model.capacity import WRITE_UNIT_BYTES
from tablewright.model.sizes import SECRET_BYTES, item_bytes
from tablewright.pages.markdown import code, table
from tablewright.runtime.secrets.secrets import to_bytes
from tablewright.runtime.store.attribute_values import encode

_SAYS = (
    "Encrypted by the store where it is given keys, and bound to table, item and attribute. Of the "
    "example of each entity:"
)
# At the prices of us-east-1 of 2026-04, as for docs/idle-cost.md.
_COSTS = (
    "A key of KMS is 1 US dollar a month, and each secret with a table's keys is 0.40, in every "
    "region that has it. A program that starts asks KMS once for each key, and Secrets Manager "
    "every five minutes: 10,000 such calls are 0.03 and 0.05 dollars. A value is encrypted or "
    "decrypted without a call, in about eleven microseconds; to put or get an item with two of "
    "them takes 1.15 times the CPU (`make bench`)."
)


def secrets_chapter(design: Design) -> Iterator[str]:
    """What is encrypted of a table's items, and what that costs."""
    yield "## Secret fields"
    yield _SAYS
    rows = [_row(design, entity) for entity in design.entity_list if entity.secrets]
    head = ("entity", "secret fields", "bytes", "encrypted", "write units", "encrypted")
    yield table(head, rows)
    yield _COSTS


def _row(design: Design, entity: EntityModel) -> tuple[Any, ...]:
    names = code(field.name for field in entity.secrets)
    if not entity.example:
        return entity.name, names, "", "", "", ""
    record = entity.check(entity.example)
    sizes = [_entries(design, entity, record, encrypted=one) for one in (False, True)]
    of_items = [one[0] for one in sizes]
    units = [sum(ceil(size / WRITE_UNIT_BYTES) for size in one) for one in sizes]
    return entity.name, names, *of_items, *units


def _entries(
    design: Design, entity: EntityModel, record: Mapping[str, Any], *, encrypted: bool
) -> list[int]:
    """The sizes of an item and of its entries in indexes."""
    attributes = design.attributes(entity, record)
    if encrypted:
        hidden = {field.stored for field in entity.secrets} & attributes.keys()
        # As long as it is stored; what it is does not matter here.
        attributes |= {name: bytes(_stored_bytes(attributes[name])) for name in hidden}
    entries = (design.projected(entity, attributes, index) for index in design.index_list)
    return [item_bytes(attributes), *(item_bytes(entry) for entry in entries if entry is not None)]


def _stored_bytes(value: Any) -> int:
    # One of them says what the value is, and is encrypted with it.
    return SECRET_BYTES - 1 + len(to_bytes(encode(value)))
