"""Plans of tables with replicas, and of those that get a stream."""

import re
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

import pytest

from tablewright.changes import NotInPlace, Plan, plan_steps
from tablewright.changes.plan.pricing import Size, priced
from tablewright.costs.price_lists import US_EAST_1
from tablewright.designs import describe
from tablewright.model import (
    Entity,
    EpochTimestamp,
    Field,
    Index,
    Key,
    Put,
    Query,
    Table,
    Text,
    Whole,
)
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


class Named(Table, pk="player", id="scores"):
    # Under the name of another.
    by_points = Index(pk="player", keys={Score: Key("{player}")})
    put = Put(Score)


class Streaming(Ranked, id="scores", stream="NEW_IMAGE"):
    by_player = Index(pk="player_2", keys={Score: Key("P#{player}")})


class Coarse(Entity, key=Key("{player}"), name="Score"):
    player: Field[str] = Text()
    points: Field[str] = Text()


class Texts(Table, pk="player", id="scores"):
    put = Put(Coarse)


class Taken(Table, pk="player", id="scores"):
    by_player = Index(pk="points_2", keys={Score: Key("P#{player}")})
    put = Put(Score)


class Reused(Table, pk="player", id="scores"):
    other = Index(pk="points_2", keys={Score: Key("ALL#{points}")})
    put = Put(Score)
    of_points = Query(Score, other)


class Replaced(Table, pk="player", id="scores"):
    another = Index(pk="points_3", keys={Score: Key("P#{points}")})
    put = Put(Score)
    of_points = Query(Score, another)


class Expiring(Entity, key=Key("{player}"), name="Score"):
    player: Field[str] = Text()
    points: Field[int] = Whole()
    until: Field[datetime] = EpochTimestamp()


class Fading(Table, pk="player", id="scores", ttl="until"):
    put = Put(Expiring)


class Lasting(Table, pk="player", id="scores"):
    put = Put(Expiring)


class OtherKey(Table, pk="name", id="scores"):
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
    steps = plan_steps(Streaming, Ranked)
    assert steps[0].says == "Switch on a stream of NEW_IMAGE."
    # Whoever consumes it finds it in every template.
    assert all(step.form.stream for step in steps)


def test_an_index_is_added_before_writers_and_removed_after_readers() -> None:
    kinds = [step.name or step.kind.value for step in plan_steps(Ranked, Scores)]
    assert kinds == ["table", "writers", "backfill", "verify", "readers"]
    back = [step.name or step.kind.value for step in plan_steps(Scores, Ranked)]
    assert back == ["verify", "readers", "contract"]


@pytest.mark.parametrize(
    ("new", "old", "reason"),
    [
        (
            Named,
            Ranked,
            'Index by_points has another key or projection: .* Index("by_points_2", …)',
        ),
        (Reused, Taken, "Index other has the attribute points_2, which items have with another"),
        (Fading, Lasting, "Expiry by until would delete items: they have this attribute with"),
        (Texts, Scores, "Score by key: Reading the item raises an error.* Keep the type of"),
        (
            OtherKey,
            Scores,
            "the key of a table cannot be changed. `tablewright migration new` copies",
        ),
    ],
)
def test_what_needs_more_than_additions_is_refused_with_reason_and_remedy(
    new: type[Table], old: type[Table], reason: str
) -> None:
    with pytest.raises(NotInPlace) as refused:
        plan_steps(new, old)
    pattern = re.escape(reason).replace(r"\.\*", ".*")
    assert any(re.search(pattern, one) for one in refused.value.reasons), refused.value.reasons


def test_an_index_that_is_replaced_by_another_stays_for_its_readers() -> None:
    with pytest.raises(NotInPlace, match="Keep other in the design beside the new index"):
        plan_steps(Replaced, Reused)


def test_a_plan_of_other_prices_is_the_same_plan() -> None:
    form = TableForm.of(Scores.__design__)
    steps = plan_steps(Ranked, Scores)
    ends = describe(Scores), describe(Ranked), form
    plans = [
        Plan(*ends, priced(steps, form, Size(items, 300 * items), US_EAST_1))
        for items in (10, 10_000_000)
    ]
    assert plans[0].steps != plans[1].steps
    assert plans[0].id == plans[1].id
    assert plans[0].id != Plan(*ends, tuple(steps), {"Score": "Old"}).id
