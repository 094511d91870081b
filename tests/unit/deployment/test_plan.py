"""What AWS changes only step by step is planned so, and what it would refuse is refused before."""

import pytest

from deployment import Refused
from deployment.guard import gone_regions
from deployment.plan import check_indexes, steps
from deployment.shapes import Shape, shape_of_resource, shape_of_table
from tablewright.model.table_form import IndexForm, Key, TableForm

PK, SK = (("PK", "S"),), (("SK", "S"),)
GSI1 = IndexForm((("GSI1PK", "S"),), (("GSI1SK", "S"),), "KEYS_ONLY")
WIDE = GSI1._replace(projects="INCLUDE", attributes=("price",))


def shape(*replicas: str, partition: Key = PK, sort: Key = SK, **indexes: IndexForm) -> Shape:
    form = TableForm(partition, sort, indexes, {}, None, None)
    return Shape(form=form, replicas=frozenset(replicas))


Regions = tuple[str, ...]


def sets(wanted: Shape, deployed: Shape | None) -> list[Regions | None]:
    """The replicas of a table after each update; None after one that leaves them as they are."""
    there = {"items": deployed} if deployed else {}
    planned = steps({"items": wanted}, there)
    for number, step in enumerate(planned, start=1):
        unfinished = {name: one.replicas for name, one in step.changes.items()}
        assert step.on_the_way == ({} if number == len(planned) else unfinished)
    return [step.changes["items"].replicas if step.changes else None for step in planned]


def test_a_table_that_is_not_there_is_made_with_all_its_replicas() -> None:
    assert sets(shape("us-west-2", "ap-south-1"), None) == [None]


def test_without_a_change_of_replicas_there_is_one_update() -> None:
    assert sets(shape("us-west-2"), shape("us-west-2")) == [None]
    assert sets(shape(GSI1=GSI1), shape()) == [None]


def test_replicas_are_made_one_an_update() -> None:
    assert sets(shape("a", "b", "c"), shape("a")) == [("a", "b"), ("a", "b", "c")]


def test_replicas_are_removed_one_an_update() -> None:
    (step,) = steps({"items": shape("a")}, {"items": shape("a", "b")})
    change = step.changes["items"]
    assert (change.replicas, change.removes) == (("a",), "b")
    assert sets(shape(), shape("b", "c")) == [("c",), ()]


@pytest.mark.parametrize("there", [(), ("b",), ("a", "c")])
def test_from_however_many_replicas_to_three_each_update_makes_one(there: Regions) -> None:
    found = sets(shape("a", "b", "c"), shape(*there))
    assert [len(regions or ()) for regions in found] == list(range(len(there) + 1, 4))
    assert found[-1] == ("a", "b", "c")


def test_each_table_goes_its_own_way_in_the_same_updates() -> None:
    wanted = {name: shape("a", "b", "c") for name in ("items", "news", "switch")}
    first, second, third = steps(wanted, {"items": shape("a", "b"), "news": shape()})
    # A table that is not there, switch, is made in the first with all that it will have.
    assert first.on_the_way == {"news": ("a",)}
    assert first.says == "A replica of items is made in c. A replica of news is made in a."
    assert second.on_the_way == {"news": ("a", "b")}
    assert second.says == "A replica of news is made in b."
    assert third.on_the_way == {}


def test_a_region_goes_from_one_table_while_another_keeps_it() -> None:
    wanted, there = (
        {"items": shape("a"), "sales": shape()},
        {"items": shape("a"), "sales": shape("a")},
    )
    (step,) = steps(wanted, there)
    assert list(step.changes) == ["sales"]
    assert gone_regions(wanted, there, ()) == []


def test_a_replica_is_made_before_another_is_removed() -> None:
    assert sets(shape("b"), shape("a")) == [("a", "b"), ("b",)]


def test_a_region_without_a_replica_goes_also_when_an_earlier_attempt_removed_it() -> None:
    replica, index = "tablewright-dev-sales/Sales/us-west-2", "tablewright-dev-sales/Sales/GSI1"
    there = {"items": shape("eu-west-1")}
    assert gone_regions({"items": shape()}, there, (replica, index)) == ["eu-west-1", "us-west-2"]
    assert gone_regions({"items": shape("us-west-2")}, there, (replica,)) == ["eu-west-1"]


def test_an_index_changes_in_an_update_of_its_own() -> None:
    wanted = shape("a", "b", GSI1=GSI1)
    assert sets(wanted, shape("a")) == [("a",), ("a", "b")]


@pytest.mark.parametrize(
    ("wanted", "deployed", "said"),
    [
        (
            shape(GSI1=WIDE),
            shape(GSI1=GSI1),
            "GSI1 of items would change its key or what it projects: no update can do that.",
        ),
        (
            shape(GSI1=GSI1, GSI2=GSI1),
            shape(),
            "GSI1 and GSI2 of items would be made or removed: "
            "DynamoDB changes one index an update.",
        ),
        (
            shape(GSI2=GSI1),
            shape(GSI1=GSI1),
            "GSI1 and GSI2 of items would be made or removed: "
            "DynamoDB changes one index an update.",
        ),
        (
            shape(sort=()),
            shape(),
            "items has the key PK (partition, S), SK (sort, S), and would get PK (partition, S): "
            "the key of a table cannot be changed.",
        ),
        (
            shape(partition=SK, sort=PK),
            shape(),
            "items has the key PK (partition, S), SK (sort, S), and would get SK (partition, S), "
            "PK (sort, S): the key of a table cannot be changed.",
        ),
        (
            shape(sort=(("SK", "N"),)),
            shape(),
            "items has the key PK (partition, S), SK (sort, S), and would get PK (partition, S), "
            "SK (sort, N): the key of a table cannot be changed.",
        ),
    ],
)
def test_what_dynamodb_would_refuse_is_refused_before(
    wanted: Shape, deployed: Shape, said: str
) -> None:
    with pytest.raises(Refused) as refused:
        check_indexes({"items": wanted}, {"items": deployed})
    assert str(refused.value).splitlines() == [
        said,
        "How to go about it: docs/guide.md#change-a-table-that-is-deployed",
    ]


def test_one_index_of_each_table_can_change() -> None:
    wanted = {"items": shape(GSI1=GSI1), "news": shape(), "new": shape(GSI1=GSI1, GSI2=GSI1)}
    check_indexes(wanted, {"items": shape(), "news": shape(GSI1=GSI1)})


def test_a_table_has_the_shape_that_its_template_gave_it() -> None:
    schema = [
        {"AttributeName": "SK", "KeyType": "RANGE"},
        {"AttributeName": "PK", "KeyType": "HASH"},
    ]
    index = {
        "IndexName": "GSI1",
        "KeySchema": schema,
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["b", "a"]},
    }
    kinds = [{"AttributeName": name, "AttributeType": "S"} for name in ("SK", "PK")]
    shared = {
        "KeySchema": schema,
        "AttributeDefinitions": kinds,
        "GlobalSecondaryIndexes": [index],
    }
    replicas = [{"Region": "a", "DeletionProtectionEnabled": True}, {"Region": "b"}]
    described = {"Replicas": [{"RegionName": "b"}], "DeletionProtectionEnabled": True}
    gsi1 = IndexForm(PK, SK, "INCLUDE", ("a", "b"))
    form = TableForm(PK, SK, {"GSI1": gsi1}, {}, None, None)
    expected = Shape(form=form, replicas=frozenset({"b"}), protected=True)
    assert shape_of_resource({**shared, "Replicas": replicas}, "a") == expected
    assert shape_of_table({**shared, **described}, "a") == expected
