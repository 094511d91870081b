"""The chapter on secret fields says what encrypted items are like."""

import pytest

from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.catalog.sentiment.items import Items
from tablewright.model import Table
from tablewright.model.sizes import item_bytes
from tablewright.pages.secrets_chapter import secrets_chapter
from tablewright.runtime.secrets.ring import Ring
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.attribute_values import decode
from tablewright.runtime.store.records import Records

SECRETS = Secrets(Ring("t", {b"key1": b"k" * 32}, b"key1", b"d" * 32))


@pytest.mark.parametrize("table", [Items, Dashboard])
def test_an_encrypted_item_is_as_large_as_the_chapter_says(table: type[Table]) -> None:
    design = table.__design__
    _, _, rows, _ = secrets_chapter(design)
    for entity in design.entity_list:
        if not entity.secrets:
            continue
        item = Records(design, entity, secrets=SECRETS).to_item(entity.check(entity.example))
        (line,) = (line for line in rows.splitlines() if line.startswith(f"| {entity.name} |"))
        stored = item_bytes({name: decode(wire) for name, wire in item.items()})
        assert line.split(" | ")[3] == str(stored), entity
