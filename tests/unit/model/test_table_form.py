"""Forms of tables: of designs, of what DynamoDB says, and as JSON."""

import pytest

from tablewright.model import Entity, Field, Index, Key, Put, Table, Text, Whole
from tablewright.model.table_form import TableForm
from tests.every_design import EVERY_DESIGN


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda table: table.__name__)
def test_a_form_comes_back_from_json(table: type[Table]) -> None:
    form = TableForm.of(table.__design__)
    assert TableForm.from_json(form.to_json()) == form


@pytest.mark.parametrize("table", EVERY_DESIGN, ids=lambda table: table.__name__)
def test_the_order_in_which_dynamodb_tells_is_no_matter(table: type[Table]) -> None:
    design = table.__design__
    told = TableForm.of(design).definition("any")
    for name in ("AttributeDefinitions", "GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if name in told:
            told[name] = told[name][::-1]
    for index in told.get("GlobalSecondaryIndexes", ()):
        if "NonKeyAttributes" in index["Projection"]:
            index["Projection"]["NonKeyAttributes"].reverse()
    assert TableForm.described(told, design.ttl) == TableForm.of(design)


class Score(Entity, key=Key("{player}")):
    player: Field[str] = Text()
    points: Field[int] = Whole()


class Scores(Table, pk="player"):
    by_points = Index(pk="points", keys={Score: Key("{points}")}, projects=(Score.points,))
    put = Put(Score)


def test_an_index_that_names_keys_alone_is_one_of_keys_only() -> None:
    # DynamoDB refuses to include no attributes.
    assert TableForm.of(Scores.__design__).indexes["by_points"].projects == "KEYS_ONLY"
