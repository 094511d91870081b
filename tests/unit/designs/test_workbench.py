"""Models of NoSQL Workbench: every design goes there and comes back."""

import json
from copy import deepcopy
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest

from examples.designs.clickstream import Clickstream
from examples.designs.games import Games
from examples.designs.leaderboard import Leaderboard
from examples.designs.shop import Shop
from tablewright.catalog.news.design import News, SparseNews
from tablewright.catalog.sentiment.dashboard import Dashboard
from tablewright.designs import Indescribable, build_table, describe, python_source
from tablewright.designs.workbench.model import Model, workbench_model
from tablewright.designs.workbench.reading import UnreadableModel, read_designs
from tablewright.model import Table
from tablewright.model.validation.design import validate
from tablewright.runtime.store.records import Records
from tests.every_design import EVERY_DESIGN
from tests.unit.designs.everything import Everything
from tests.unit.designs.workbench_schema import MODEL

NOON = datetime(2026, 11, 17, 12, 5, tzinfo=UTC)
DESIGNS: tuple[type[Table], ...] = (Everything, *EVERY_DESIGN)
EACH = pytest.mark.parametrize("design", DESIGNS, ids=lambda one: one.__name__)


def exported(design: type[Table]) -> Model:
    return workbench_model([design], NOON)


def model_of(design: type[Table]) -> dict[str, Any]:
    """The model as it is read from a file."""
    found: dict[str, Any] = json.loads(json.dumps(exported(design).json))
    return found


@EACH
def test_a_model_has_the_form_of_those_of_workbench(design: type[Table]) -> None:
    jsonschema.Draft202012Validator(MODEL).validate(model_of(design))


@EACH
def test_a_design_comes_back_as_it_was(design: type[Table]) -> None:
    (read,) = read_designs(model_of(design))
    assert read.description == describe(design)
    assert read.beside.table == design.__name__
    assert read.says == f"{design.__design__.id}: the design that the model carries"
    assert describe(build_table(read.description, design)) == describe(design)
    python_source(read.description, read.beside)


@EACH
def test_an_attribute_has_one_type_in_all_of_a_model(design: type[Table]) -> None:
    (table,) = model_of(design)["DataModel"]
    attributes = [*table["KeyAttributes"].values(), *table["NonKeyAttributes"]]
    types = {one["AttributeName"]: one["AttributeType"] for one in attributes}
    assert len(types) == len(attributes)
    for facet in table["TableFacets"]:
        assert {*facet["NonKeyAttributes"]} <= types.keys()
        for item in facet["TableData"]:
            assert item.keys() <= {*facet["NonKeyAttributes"], *design.__design__.key.names}
            assert {name: next(iter(value)) for name, value in item.items()} == {
                name: types[name] for name in item
            }


@pytest.mark.parametrize("design", EVERY_DESIGN, ids=lambda one: one.__name__)
def test_every_entity_is_a_facet_with_several_items_of_its_own(design: type[Table]) -> None:
    (table,) = model_of(design)["DataModel"]
    keys = design.__design__.key.names
    for facet in table["TableFacets"]:
        entity = design.__design__.entities[facet["FacetName"]]
        forms = [template.text for template in entity.key.templates]
        assert list(facet["KeyAttributeAlias"].values()) == forms
        assert len({json.dumps([item[key] for key in keys]) for item in facet["TableData"]}) >= 3


def test_what_a_model_cannot_show_is_told() -> None:
    assert exported(Games).left_out == ("index by_score is local",)
    several = "the key of index by_region has several attributes"
    assert exported(Leaderboard).left_out == (several,)
    (says,) = exported(Clickstream).left_out
    assert says.startswith("Counted stores 'views' as another type")


def test_secret_fields_are_not_shown() -> None:
    (table,) = model_of(Dashboard)["DataModel"]
    facets = {facet["FacetName"]: facet for facet in table["TableFacets"]}
    assert "text_snippet" in facets["Row"]["NonKeyAttributes"]
    assert all("text_snippet" not in item for item in facets["Row"]["TableData"])


def test_several_designs_are_tables_of_one_model() -> None:
    model = json.loads(json.dumps(workbench_model([Shop, Games], NOON).json))
    assert model["ModelName"] == "Shop and Games"
    assert model["ModelMetadata"]["DateCreated"] == "Nov 17, 2026, 12:05 PM"
    assert [one.description for one in read_designs(model)] == [describe(Shop), describe(Games)]


def test_designs_of_one_table_do_not_fit_one_model() -> None:
    with pytest.raises(Indescribable, match="2 of the designs have the id 'financial-news'"):
        workbench_model([News, SparseNews], NOON)


def test_a_model_that_was_saved_in_another_order_is_the_same() -> None:
    model = model_of(Shop)
    (table,) = model["DataModel"]
    table["NonKeyAttributes"].reverse()
    table["TableFacets"].reverse()
    table["TableFacets"][0]["TableData"] = []
    table["SampleDataFormats"] = {}
    (read,) = read_designs(model)
    assert read.description == describe(Shop)


def test_a_model_that_was_changed_is_read_as_it_is_now() -> None:
    model = model_of(Shop)
    (table,) = model["DataModel"]
    table["NonKeyAttributes"].append({"AttributeName": "colour", "AttributeType": "S"})
    table["TableFacets"][2]["NonKeyAttributes"].append("colour")
    (read,) = read_designs(model)
    assert read.says == "shop: changed since it was exported, so inferred from the model"
    assert "colour" in read.description["entities"]["Product"]["fields"]


@EACH
def test_a_model_that_lost_its_design_is_inferred_from_what_it_shows(design: type[Table]) -> None:
    model = model_of(design)
    del model["Tablewright"]
    (read,) = read_designs(model)
    made = build_table(read.description)
    assert validate(made) == []
    inferred = made.__design__
    items = [item for facet in model["DataModel"][0]["TableFacets"] for item in facet["TableData"]]
    for item in items:
        (records,) = (
            records
            for entity in inferred.entity_list
            if (records := Records(inferred, entity)).is_one(item, None)
        )
        again = records.to_item(records.entity.check(records.to_record(item)))
        # Every key that was seen is made again of the fields that were found.
        keys = {
            name
            for index in (None, *records.entity.indexed)
            for name in inferred.key_attributes(index).names
        }
        assert {name: again.get(name) for name in keys if "S" in item.get(name, ())} == {
            name: item[name] for name in keys if "S" in item.get(name, ())
        }


def test_forms_of_keys_survive_the_loss_of_a_design() -> None:
    model = model_of(Shop)
    del model["Tablewright"]
    (read,) = read_designs(model)
    told, found = describe(Shop)["entities"], read.description["entities"]
    assert {name: one["key"] for name, one in found.items()} == {
        name: one["key"] for name, one in told.items()
    }
    assert (
        read.description["indexes"]["by_customer"]["keys"]
        == (describe(Shop)["indexes"]["by_customer"]["keys"])
    )


WHOLE: dict[str, Any] = {
    "TableName": "orders",
    "KeyAttributes": {"PartitionKey": {"AttributeName": "PK", "AttributeType": "S"}},
}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("text", "it holds no object"),
        ({}, "it has neither a DataModel, as models of NoSQL Workbench have, nor a Table"),
        ({"DataModel": []}, "it has no tables"),
        ({"DataModel": [{"TableName": "x"}]}, "it is not whole: there is no 'KeyAttributes'"),
        ({"DataModel": [{**WHOLE, "TableData": [{"PK": "a"}]}]}, "an item has 'PK' without a type"),
        ({"DataModel": 5}, "it is not whole"),
        ({"KeySchema": []}, "it is not whole: there is no 'AttributeDefinitions'"),
    ],
)
def test_what_is_no_model_is_told_in_a_sentence(data: object, says: str) -> None:
    with pytest.raises(UnreadableModel) as refused:
        read_designs(deepcopy(data))
    assert says in str(refused.value)
