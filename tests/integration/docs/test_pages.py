"""Every table's page says what its patterns cost today."""

from decimal import Decimal

import pytest

from docs.generate import DOCUMENTS, TABLES
from tablewright.costs.measuring import Measurement
from tablewright.pages.collections.picture import collections_picture
from tablewright.testing import Database
from tablewright.testing.dynamodb_local import DynamoDbLocal

Measured = dict[str, list[Measurement]]


@pytest.fixture(scope="module")
def measured(dynamodb_local: DynamoDbLocal) -> Measured:
    database = Database(dynamodb_local)
    return {
        id: document.measured(database.caller, database.table(document.table, id))
        for id, document in DOCUMENTS.items()
    }


@pytest.mark.parametrize("id", DOCUMENTS)
def test_every_pattern_is_measured(measured: Measured, id: str) -> None:
    assert {m["pattern"] for m in measured[id]} == set(DOCUMENTS[id].design.patterns)


@pytest.mark.parametrize("id", DOCUMENTS)
def test_every_entity_says_what_it_is(id: str) -> None:
    page = DOCUMENTS[id].page.read_text()
    for entity in DOCUMENTS[id].design.entity_list:
        assert entity.describes, entity
        assert f"### {entity.name}\n\n{entity.describes}" in page


@pytest.mark.parametrize("id", DOCUMENTS)
def test_no_pattern_costs_more_than_the_table_s_page_says(measured: Measured, id: str) -> None:
    recorded = DOCUMENTS[id].recorded()
    assert measured[id] == recorded, "costs have changed: if that is meant, run `make docs`"


@pytest.mark.parametrize("id", DOCUMENTS)
def test_the_table_s_page_is_up_to_date(measured: Measured, id: str) -> None:
    assert DOCUMENTS[id].text(measured[id]) == DOCUMENTS[id].page.read_text(), "run `make docs`"


@pytest.mark.parametrize("id", DOCUMENTS)
def test_every_pattern_costs_the_least_that_it_can(id: str) -> None:
    """By the figures of the page, which are those of today."""
    for one in DOCUMENTS[id].recorded():
        units = [Decimal(one[kind]) for kind in ("read", "write")]
        assert units == [Decimal(one[f"{kind}_floor"]) for kind in ("read", "write")], one


@pytest.mark.parametrize("id", DOCUMENTS)
def test_the_table_s_picture_is_up_to_date(id: str) -> None:
    drawn = collections_picture(DOCUMENTS[id].design)
    assert drawn == DOCUMENTS[id].picture.read_text(), "run `make docs`"


def test_there_is_no_page_of_a_table_that_is_gone() -> None:
    documents = DOCUMENTS.values()
    pages = {file for one in documents for file in (one.page, one.picture)}
    measurements = {document.measurements for document in DOCUMENTS.values()}
    assert set(TABLES.iterdir()) == pages | measurements
