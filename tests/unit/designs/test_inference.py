"""Designs that are inferred: their keys, kinds and entities, and that they are always sound."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tablewright.designs import build_table
from tablewright.designs.inference.design import Inferred, infer_design
from tablewright.designs.inference.observed import (
    Item,
    ObservedEntity,
    ObservedIndex,
    ObservedTable,
)
from tablewright.designs.source.module import Beside, python_source
from tablewright.model.validation.design import validate


def item(**attributes: Any) -> Item:
    """An item of texts, numbers, flags and what is given with its type."""
    wires = {str: "S", int: "N", bool: "BOOL"}
    return {
        name: value if isinstance(value, dict) else {wires[type(value)]: _raw(value)}
        for name, value in attributes.items()
    }


def _raw(value: Any) -> Any:
    return str(value) if type(value) is int else value


def inferred(*items: Item, **table: Any) -> Inferred:
    found = infer_design(ObservedTable("shop", "PK", "SK", items=items, **table))
    assert validate(build_table(found.description)) == []
    return found


def keys(found: Inferred) -> dict[str, tuple[str, ...]]:
    """The forms of the table's key by entity."""
    entities = found.description["entities"]
    return {
        name: (one["key"]["partition"], one["key"].get("sort", ""))
        for name, one in entities.items()
    }


def fields(found: Inferred, entity: str) -> dict[str, dict[str, Any]]:
    told: dict[str, dict[str, Any]] = found.description["entities"][entity]["fields"]
    return told


ORDERS = [
    item(PK=f"CUSTOMER#{who}", SK=f"ORDER#{number}", customer=who, orderId=number, total=9)
    for who, number in (("ann", "o1"), ("ann", "o2"), ("bob", "o3"))
]
CUSTOMERS = [item(PK=f"CUSTOMER#{who}", SK="PROFILE", name=who.title()) for who in ("ann", "bob")]


def test_kinds_of_items_are_told_by_the_words_in_their_keys() -> None:
    assert keys(inferred(*ORDERS, *CUSTOMERS)) == {
        "CustomerOrder": ("CUSTOMER#{customer}", "ORDER#{order_id}"),
        "Customer": ("CUSTOMER#{customer}", "PROFILE"),
    }


def test_parts_of_keys_are_attributes_that_have_the_same_texts() -> None:
    found = inferred(*ORDERS, *CUSTOMERS)
    assert fields(found, "CustomerOrder")["order_id"] == {"kind": "Text", "stored": "orderId"}
    # Customers have their name in the key alone.
    assert fields(found, "Customer")["customer"] == {"kind": "Text", "stored": None}


def test_an_attribute_that_tells_the_entity_is_believed() -> None:
    items = [
        *(item(PK=f"{n}", SK="a", entityType="order", total=n) for n in range(3)),
        *(item(PK=f"{n}", SK="b", entityType="bill line") for n in range(2)),
    ]
    found = inferred(*items)
    assert found.description["entity_type"] == "entityType"
    assert list(found.description["entities"]) == ["order", "bill line"]
    assert 'class BillLine(Entity, key=Key("{pk}", "b"), name="bill line"):' in python_source(
        found.description
    )


def test_a_type_that_does_not_go_with_the_keys_is_a_field() -> None:
    items = [item(PK=f"BOX#{n}", SK="BOX", type="info" if n % 2 else "warning") for n in range(4)]
    found = inferred(*items)
    assert "entity_type" not in found.description
    assert fields(found, "Box")["type"] == {"kind": "Text"}


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["2026-01-31", "2026-02-01"], {"kind": "Date"}),
        (["2026-01-31T12:00:00.000000Z"], {"kind": "Timestamp"}),
        (["2026-01-31T12:00:00.000Z"], {"kind": "Timestamp", "resolution": "ms"}),
        (["2026-01-31T12:00:00Z"], {"kind": "Timestamp", "resolution": "s"}),
        (["2026-01-31 12:00"], {"kind": "Text"}),
        (["0194a211-7280-7abc-8def-0123456789ab"], {"kind": "TimeId"}),
        (["one\ntwo"], {"kind": "Lines"}),
        (["x" * 300], {"kind": "Text", "max_length": 1024}),
        ([""], {"kind": "Text", "min_length": 0}),
        ([1, 2, 3], {"kind": "Whole"}),
        ([1, 2], {"kind": "Number"}),
        ([1, 2, -3], {"kind": "Number"}),
        ([True], {"kind": "Flag"}),
        ([{"M": {"a": {"S": "b"}}}], {"kind": "Document"}),
        ([{"B": "AAAA"}], {"kind": "Binary"}),
        ([{"SS": ["a", "b"]}], {"kind": "SetOf", "of": {"kind": "Text"}}),
        ([{"NS": ["1"]}], {"kind": "SetOf", "of": {"kind": "Number"}}),
        ([{"L": [{"S": "a"}]}], {"kind": "ListOf", "of": {"kind": "Text"}}),
        ([{"L": [{"M": {}}]}], {"kind": "ListOf", "of": {"kind": "Document"}}),
        (["a", {"NULL": True}], {"kind": "Text", "default": None}),
    ],
    ids=str,
)
def test_values_tell_the_kind_of_their_field(values: list[Any], kind: dict[str, Any]) -> None:
    found = inferred(*(item(PK=f"BOX#{n}", SK="BOX", value=one) for n, one in enumerate(values)))
    assert fields(found, "Box")["value"] == kind


def test_what_some_items_lack_is_optional() -> None:
    found = inferred(item(PK="BOX#1", SK="BOX", note="a"), item(PK="BOX#2", SK="BOX"))
    assert fields(found, "Box")["note"] == {"kind": "Text", "default": None}


def test_values_that_no_field_holds_are_told_of() -> None:
    found = inferred(item(PK="BOX#1", SK="BOX", mixed={"L": [{"S": "a"}, {"N": "1"}]}))
    assert "mixed" not in fields(found, "Box")
    assert "Without 'mixed'" in found.comments["Box"]
    source = python_source(found.description, Beside(comments=found.comments))
    assert source.count("# One item of it was seen") == 1


def test_keys_with_more_parts_or_fewer_are_a_word_and_the_rest() -> None:
    sorts = ("GEAR#sword", "GEAR#armour#left", "GEAR#armour#right#2")
    facet = ObservedEntity("Gear", tuple(item(PK=f"P#{n}", SK=sk) for n, sk in enumerate(sorts)))
    (entity,) = inferred(entities=(facet,)).description["entities"].values()
    assert entity["key"] == {"partition": "P#{p_id}", "sort": "GEAR#{gear}", "delimiter": "|"}


def test_a_tenant_that_is_alone_is_no_word() -> None:
    bare = inferred(*(item(PK="acme", SK=f"USER#{n}") for n in range(3)))
    assert keys(bare) == {"User": ("{pk}", "USER#{user}")}
    told = inferred(*(item(PK="acme", SK=f"USER#{n}", tenant="acme") for n in range(3)))
    assert keys(told) == {"User": ("{tenant}", "USER#{user}")}
    within = inferred(*(item(PK="TENANT#ACME", SK=f"USER#{n}") for n in range(3)))
    assert keys(within) == {"TenantUser": ("TENANT#{tenant}", "USER#{user}")}


def test_two_words_can_stand_before_an_id() -> None:
    found = inferred(*(item(PK=f"ORDER#{n}", SK=f"ORDER#ITEM#{n}{n}") for n in range(3)))
    ((_, sort),) = keys(found).values()
    assert sort == "ORDER#ITEM#{item}"


def test_keys_of_several_forms_are_kept_whole() -> None:
    facet = ObservedEntity("Any", (item(PK="P#1", SK="a"), item(PK="P#2", SK="b#c")))
    found = inferred(entities=(facet,))
    assert keys(found) == {"Any": ("P#{p_id}", "{sk}")}
    assert found.comments["Any.sk"] == "Of several forms: the whole key."


def test_another_delimiter_is_found() -> None:
    found = inferred(*(item(PK=f"user:{n}", SK="2026-01-31T12:00:00.000Z") for n in range(2)))
    (entity,) = found.description["entities"].values()
    assert entity["key"] == {"partition": "user:{user}", "sort": "{sk}", "delimiter": ":"}
    assert entity["fields"]["sk"] == {"kind": "Timestamp", "resolution": "ms", "stored": "SK"}


def test_an_index_has_the_entities_whose_items_are_in_it() -> None:
    index = ObservedIndex("GSI1", ("GSI1PK",), ("GSI1SK",), ("total",))
    orders = [
        {**one, **item(GSI1PK=f"ORDER#{one['orderId']['S']}", GSI1SK="ORDER")} for one in ORDERS
    ]
    found = inferred(*orders, *CUSTOMERS, indexes=(index,))
    told = found.description["indexes"]["GSI1"]
    assert told["keys"] == {"CustomerOrder": {"partition": "ORDER#{order_id}", "sort": "ORDER"}}
    assert told["projects"] == ["total"]
    assert found.description["patterns"]["list_customer_order_by_gsi1"] == {
        "kind": "Query",
        "of": "CustomerOrder",
        "index": "GSI1",
    }


def test_an_index_that_some_items_are_in_is_sparse() -> None:
    some = [item(PK="BOX#1", SK="BOX", open="yes"), item(PK="BOX#2", SK="BOX")]
    found = inferred(*some, indexes=(ObservedIndex("OPEN", ("open",)),))
    assert found.description["indexes"]["OPEN"]["sparse"]
    assert fields(found, "Box")["open"] == {"kind": "Text", "default": None}


def test_an_index_that_nothing_is_in_is_kept() -> None:
    index = ObservedIndex("LATER", ("later",), projects="KEYS_ONLY")
    found = inferred(item(PK="BOX#1", SK="BOX"), indexes=(index,), types={"later": "N"})
    assert found.description["indexes"]["LATER"]["projects"] == "KEYS_ONLY"
    assert fields(found, "Box")["later"] == {"kind": "Number", "default": None}
    assert found.comments["LATER"] == "No item was seen in it."


def test_an_index_of_the_tables_own_keys_has_their_forms() -> None:
    found = inferred(*ORDERS, indexes=(ObservedIndex("INVERTED", ("SK",), ("PK",)),))
    assert found.description["indexes"]["INVERTED"]["keys"]["CustomerOrder"] == {
        "partition": "ORDER#{order_id}",
        "sort": "CUSTOMER#{customer}",
    }


def test_items_that_cannot_be_told_apart_are_one_entity() -> None:
    facets = (
        ObservedEntity("Cat", (item(PK="1", SK="x1"), item(PK="2", SK="x2"))),
        ObservedEntity("Dog", (item(PK="3", SK="y1", barks=True), item(PK="4", SK="y2"))),
    )
    found = inferred(entities=facets)
    assert list(found.description["entities"]) == ["Cat"]
    assert "barks" in fields(found, "Cat")


def test_aliases_name_the_parts_of_keys() -> None:
    items = tuple(item(PK=f"p{n}", SK=f"ITEM#{n}") for n in range(2))
    facet = ObservedEntity("Item", items, (), ("playerId", "ITEM#<itemNo>"))
    assert keys(inferred(entities=(facet,))) == {"Item": ("{player_id}", "ITEM#{item_no}")}


def test_aliases_alone_tell_the_forms_of_keys() -> None:
    facet = ObservedEntity("Item", (), ("note",), ("PLAYER#{player}", "ITEM#itemId"))
    found = inferred(entities=(facet,), types={"note": "BOOL"})
    assert keys(found) == {"Item": ("PLAYER#{player}", "ITEM#{item_id}")}
    assert fields(found, "Item")["note"] == {"kind": "Flag", "default": None}
    assert found.comments["Item"].startswith("No item of it was seen")


def test_a_facet_that_nothing_is_known_of_is_told_of() -> None:
    known = ObservedEntity("Order", tuple(ORDERS), (), ("PK", "SK"))
    empty = ObservedEntity("Bill", (), ("sum",), ("PK", "SK"))
    found = inferred(entities=(known, empty))
    assert list(found.description["entities"]) == ["Order"]
    assert found.comments["Order"].startswith("Of Bill neither items nor forms of keys are known")


def test_patterns_of_entities_with_like_names_are_all_there() -> None:
    facets = (
        ObservedEntity("AB", (), (), ("AB#{n}", "X#{x}")),
        ObservedEntity("A_b", (), (), ("CD#{n}", "X#{x}")),
    )
    found = inferred(entities=facets)
    assert len(found.description["entities"]) == 2
    assert len(found.description["patterns"]) == 6


def test_names_of_the_model_can_be_names_of_entities() -> None:
    items = tuple(item(PK=f"KEY#{n}", SK="TEXT", decimal=1, date="2026-01-31") for n in range(2))
    facets = (ObservedEntity("Text", items), ObservedEntity("Table", (), (), ("KEY#{k}", "T#{t}")))
    table = ObservedTable("Entity", "PK", "SK", entities=facets)
    found = infer_design(table)
    source = python_source(found.description)
    assert "from tablewright.model import Text as Text_" in source
    assert validate(build_table(found.description)) == []


def test_what_items_expire_by_is_their_expiry() -> None:
    found = inferred(
        *(item(PK=f"BOX#{n}", SK="BOX", ttl=1_800_000_000) for n in range(2)), ttl="ttl"
    )
    assert found.description["entities"]["Box"]["expires"] == {"field": "ttl"}
    assert fields(found, "Box")["ttl"] == {"kind": "EpochTimestamp"}


NAMES = st.sampled_from(
    ["PK", "SK", "GSI1PK", "type", "keys", "class", "shard", "orderId", "order_id", "ttl", "é", "1"]
)
TEXTS = st.sampled_from(
    ["A", "A#1", "A#2", "B#1#C#2", "#M#1", "a:b", "2026-01-31", "{x}", "x", "", "#", "A#", "ORDER"]
)
WIRES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    TEXTS.map(lambda text: {"S": text}),
    st.integers(-5, 500).map(lambda number: {"N": str(number)}),
    st.sampled_from([{"BOOL": True}, {"NULL": True}, {"L": []}, {"M": {}}, {"SS": ["a"]}]),
)
PROJECTIONS: st.SearchStrategy[str | tuple[str, ...]] = st.sampled_from(["ALL", ("type",)])
SOME_KEY = TEXTS.filter(bool).map(lambda text: {"S": text})


@st.composite
def tables(draw: st.DrawFn) -> ObservedTable:
    def some_item() -> Item:
        rest = draw(st.dictionaries(NAMES, WIRES, max_size=4))
        return {**rest, "PK": draw(SOME_KEY), "SK": draw(SOME_KEY)}

    items = tuple(some_item() for _ in range(draw(st.integers(0, 4))))
    facets = tuple(
        ObservedEntity(
            draw(TEXTS),
            tuple(some_item() for _ in range(draw(st.integers(0, 3)))),
            tuple(draw(st.lists(NAMES, max_size=2))),
            (draw(TEXTS), draw(TEXTS)),
        )
        for _ in range(draw(st.integers(0, 2)))
    )
    indexes = tuple(
        ObservedIndex(name, (draw(NAMES),), (draw(NAMES),), draw(PROJECTIONS))
        for name in ("GSI1", "by-2")[: draw(st.integers(0, 2))]
    )
    ttl = draw(st.sampled_from([None, "ttl"]))
    return ObservedTable("t", "PK", "SK", {}, indexes, facets, items, ttl)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(tables())
def test_whatever_a_table_holds_its_design_is_sound(table: ObservedTable) -> None:
    found = infer_design(table)
    assert validate(build_table(found.description)) == []
