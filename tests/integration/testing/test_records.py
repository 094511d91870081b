"""Random records of every design are stored, and read back equal."""

from typing import Any

import pytest
from hypothesis import given, settings

from tablewright.model import Entity, EntityModel, Table
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.testing import Database, records
from tests.every_design import EVERY_DESIGN

FEW = settings(max_examples=6, deadline=None, database=None)


def made_up(entity: EntityModel) -> list[Entity]:
    found: list[Entity] = []

    @FEW
    @given(records(entity.made))
    def collect(record: Entity) -> None:
        found.append(record)

    collect()
    return found


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda t: t.__name__)
def test_what_is_made_up_comes_back_from_the_engine(
    table: type[Table], module_dynamodb: Database
) -> None:
    # By its class: variants of a design have its id.
    name = module_dynamodb.table(table, table.__name__)
    store = module_dynamodb.store(table, table=name, secrets=Secrets.in_clear())
    design = table.__design__
    kept: dict[Any, Entity] = {}
    items: dict[Any, dict[str, Any]] = {}
    for entity in design.entity_list:
        for record in made_up(entity):
            item = store._requests[entity.name].records.to_item(record)
            key = repr([item[part] for part in design.key.names])
            kept[key], items[key] = record, item
    module_dynamodb.write(list(items.values()), name)
    found = {
        repr([item[part] for part in design.key.names]): item
        for item in module_dynamodb.items(name)
    }
    assert found.keys() == kept.keys()
    for key, record in kept.items():
        read = store._requests[type(record).__entity__.name].records.to_record(found[key])
        assert read == record
