"""Plans of tables with replicas, and of those that get a stream."""

from dataclasses import replace
from decimal import Decimal

import pytest

from tablewright.changes import plan_steps
from tablewright.changes.plan.pricing import Size, priced
from tablewright.costs.price_lists import US_EAST_1
from tablewright.model import Entity, Field, Index, Key, Put, Table, Text, Whole
from tablewright.model.table_form import TableForm
from tablewright.runtime.deployed_table import DeployedTable

OREGON, DUBLIN = ({"RegionName": name} for name in ("us-west-2", "eu-west-1"))


class Score(Entity, key=Key("{player}")):
    player: Field[str] = Text()
    points: Field[int] = Whole()


class Scores(Table, pk="player"):
    put = Put(Score)


class Ranked(Table, pk="player", id="scores"):
    by_points = Index(pk="points", keys={Score: Key("{points}")})
    put = Put(Score)


class Named(Table, pk="player", id="scores", stream="NEW_IMAGE"):
    # Under the name of another, so that the other goes first.
    by_points = Index(pk="player", keys={Score: Key("{player}")})
    put = Put(Score)


def deployed(table: type[Table], *replicas: dict[str, str]) -> DeployedTable:
    """A table as DynamoDB describes it, which lists its own region on some paths."""
    form = TableForm.of(table.__design__)
    described = (form.replicated() if replicas else form).definition("scores")
    arn = "arn:aws:dynamodb:eu-west-1:111122223333:table/scores"
    return DeployedTable({**described, "Replicas": list(replicas), "TableArn": arn}, None, None)


def test_a_replicated_table_differs_from_its_design_by_no_stream() -> None:
    there = deployed(Scores, OREGON, DUBLIN)
    assert there.replicas == ("us-west-2",)
    assert there.differences(Scores.__design__) == []
    assert plan_steps(Scores, Scores, there.form, replicated=True) == []


def test_a_table_in_one_region_differs_by_a_stream_that_nobody_declared() -> None:
    there = deployed(Scores, DUBLIN)
    assert [one.what for one in there.differences(Scores.__design__)] == ["stream"]


def test_the_stream_of_a_replicated_table_stays_in_every_step() -> None:
    there = deployed(Scores, OREGON)
    steps = plan_steps(Ranked, Scores, there.form, replicated=True)
    assert {step.form.stream for step in steps} == {"NEW_AND_OLD_IMAGES"}
    assert steps[-1].form == TableForm.of(Ranked.__design__).replicated()


@pytest.mark.parametrize("replicas", [0, 1, 3])
def test_each_replica_is_written_to_in_the_same_time(replicas: int) -> None:
    form = TableForm.of(Scores.__design__)
    steps = plan_steps(Ranked, Scores, form)
    size = Size(1_000_000, 300_000_000)
    alone = priced(steps, form, size, US_EAST_1)
    several = priced(steps, form, size._replace(replicas=replicas), US_EAST_1)
    for one, more in zip(alone, several, strict=True):
        reads = Decimal(one.estimate.read_units) * US_EAST_1.dynamodb.standard.read_million
        written = one.estimate.write_units * (1 + replicas)
        dollars = written * US_EAST_1.dynamodb.standard.write_million + reads
        assert more.estimate == one.estimate._replace(
            write_units=written, dollars=(dollars / 1_000_000).quantize(Decimal("0.01"))
        )
        assert replace(more, estimate=one.estimate) == one


def test_a_stream_is_switched_on_before_all_else() -> None:
    steps = plan_steps(Named, Ranked)
    assert steps[0].says == "Switch on a stream of NEW_IMAGE."
    # Whoever consumes it finds it in every template.
    assert all(step.form.stream for step in steps)
