"""The design of every table of the project is found again from its items."""

import pytest

from tablewright.changes.adoption.proposal import Proposal, propose
from tablewright.model import Design, EpochShards, Table
from tablewright.model.computed import Reversed
from tablewright.model.table_form import TableForm
from tests.every_design import EVERY_DESIGN
from tests.made_up_items import made_up_items

pytestmark = pytest.mark.thorough

_PROPOSED: dict[str, Proposal] = {}


def proposed(table: type[Table]) -> Proposal:
    """The design that is proposed for the items of another, each once."""
    if table.__name__ not in _PROPOSED:
        design = table.__design__
        items = made_up_items(table)
        _PROPOSED[table.__name__] = propose(
            TableForm.of(design).definition(design.id), items, ttl=design.ttl
        )
    return _PROPOSED[table.__name__]


def made_keys(design: Design, *, knowable: bool = False) -> int:
    """How many attributes of keys follow from fields; with `knowable`, those that items tell."""
    found = 0
    for entity in design.entity_list:
        for index, key in ((None, entity.key), *entity.indexed.items()):
            if knowable and isinstance(key.shards, EpochShards):
                continue
            hidden = {n for n, one in entity.computed.items() if not isinstance(one, Reversed)}
            for attribute, form in design.key_attributes(index).of(key):
                told = knowable and hidden & {*form.fields}
                found += attribute not in entity.by_stored and not told
    return found


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda one: one.__name__)
def test_the_items_of_a_design_are_made_again_byte_for_byte(table: type[Table]) -> None:
    found = proposed(table).coverage
    assert found.share >= 0.99, str(found)
    assert found.items >= 100


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda one: one.__name__)
def test_a_design_has_the_keys_and_indexes_of_its_table(table: type[Table]) -> None:
    assert list(proposed(table).differences) == []


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda one: one.__name__)
def test_each_entity_is_found(table: type[Table]) -> None:
    assert len(proposed(table).description["entities"]) == len(table.__design__.entity_list)


def test_keys_are_found_to_follow_from_fields() -> None:
    # With all attributes as fields every item is made again, too, and nothing explained.
    knowable = sum(made_keys(table.__design__, knowable=True) for table in EVERY_DESIGN)
    found = sum(made_keys(proposed(table).table.__design__) for table in EVERY_DESIGN)
    assert found >= 0.98 * knowable


def test_what_cannot_be_known_is_asked() -> None:
    asked = {table.__design__.id: set(proposed(table).questions.values()) for table in EVERY_DESIGN}
    assert any(says.startswith("Kept whole") for says in asked["url-shortener"])
    assert any("Is it a shard?" in says for says in asked["clickstream"])
    assert any("encrypted" in says for says in asked["sentiment-items"])
