"""The picture of item collections shows what lies together, in order, whole or cut."""

from xml.etree import ElementTree

import pytest

from examples.designs.shop import Shop
from tablewright.catalog.sentiment.items import Items
from tablewright.model import Design, Entity, Field, Key, Put, Query, Table, Text, Whole
from tablewright.pages.collections.item_collections import SECRET, places
from tablewright.pages.collections.picture import WIDTH, collections_picture
from tests.every_design import EVERY_DESIGN

SVG = "{http://www.w3.org/2000/svg}"
LONG = "x" * 200


class Score(Entity, key=Key("{game}", "{points}"), example={"game": "go", "points": 9, "by": LONG}):
    game: Field[str] = Text()
    points: Field[int] = Whole()
    by: Field[str] = Text()


class Scores(Table, pk="game", sk="points"):
    put = Put(Score)
    best = Query(Score)


class Odd(Entity, key=Key("A<&>#{id}"), example={"id": "道" * 60}):
    id: Field[str] = Text()


class Oddities(Table, pk="PK"):
    put = Put(Odd)


def picture_of(design: Design) -> ElementTree.Element:
    return ElementTree.fromstring(collections_picture(design))  # noqa: S314 - of our own making


def texts(drawn: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in drawn.iter(f"{SVG}text")]


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda table: table.__design__.id)
def test_every_design_has_a_picture_with_all_of_its_entities(table: type[Table]) -> None:
    design = table.__design__
    drawn = picture_of(design)
    shown = texts(drawn)
    assert {entity.name for entity in design.entity_list} <= set(shown)
    assert {f"Index {index.name}" for index in design.index_list} <= set(shown)
    assert drawn.findtext(f"{SVG}title") == f"Item collections of {design.id}"


def test_items_of_several_entities_lie_in_one_partition_by_sort_key() -> None:
    (order,) = (
        one for one in places(Shop.__design__)[0].collections if one.partition == "ORDER#o1"
    )
    assert [(one.entity, one.sort) for one in order.entries] == [
        ("Order", "ORDER"),
        ("Item", "ORDER#ITEM#p1"),
        ("Item", "ORDER#ITEM#p2"),
        ("Item", "ORDER#ITEM#p3"),
    ]


def test_numbers_are_in_the_order_of_numbers() -> None:
    (go, _) = places(Scores.__design__)[0].collections
    assert [one.sort for one in go.entries] == ["9", "10", "11"]


def test_what_is_too_long_is_cut_and_whole_in_the_title() -> None:
    drawn = picture_of(Scores.__design__)
    cut = [one for one in texts(drawn) if one.startswith("by: ")]
    assert all(one.endswith("…") and len(one) < 80 for one in cut)
    titles = [one.text or "" for one in drawn.iter(f"{SVG}title")]
    assert any(LONG in one for one in titles)


def test_wide_characters_take_two_columns_and_marks_of_xml_are_escaped() -> None:
    drawn = picture_of(Oddities.__design__)
    (first, *_) = (one for one in texts(drawn) if one.startswith("A<&>#"))
    assert len(first) <= 36 // 2 + 5


def test_no_secret_is_shown() -> None:
    design = Items.__design__
    secrets = {field.stored for entity in design.entity_list for field in entity.secrets}
    shown = [
        text
        for place in places(design)
        for collection in place.collections
        for entry in collection.entries
        for name, text in entry.attributes.items()
        if name in secrets
    ]
    assert shown
    assert set(shown) == {SECRET}


def test_nothing_stands_outside_the_picture() -> None:
    drawn = picture_of(Shop.__design__)
    height = float(drawn.attrib["height"])
    for box in drawn.iter(f"{SVG}rect"):
        right = float(box.get("x", 0)) + float(box.attrib["width"])
        assert right <= WIDTH
        assert float(box.get("y", 0)) + float(box.attrib["height"]) <= height
