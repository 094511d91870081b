"""Tables of a kind take any design that fits, and say of others why not."""

import pytest

from tablewright.constructs import DayPartitionedTable, ShardedTenantTable, WriteTable
from tablewright.model import (
    DateText,
    Entity,
    Expiry,
    Field,
    Index,
    Key,
    Put,
    Shards,
    Table,
    Text,
    TimestampText,
)
from tests.infrastructure.constructs.building_blocks import IN_IRELAND
from tests.infrastructure.synthesis import new_stack, resources, template_of, text


class Line(Entity, key=Key("{device}", "{at}"), expires=Expiry("at", days=7)):
    device: Field[str] = Text()
    at: Field[str] = TimestampText(resolution="ms")


class DayLine(Entity, key=Key("{day}", "{at}"), expires=Expiry("at", days=7)):
    day: Field[str] = DateText()
    at: Field[str] = TimestampText(resolution="ms")


class Forever(Entity, key=Key("forever", "{at}")):
    at: Field[str] = TimestampText(resolution="ms")


class Note(Entity, key=Key("T#{tenant}", "{note}")):
    tenant: Field[str] = Text()
    note: Field[str] = Text()


class Log(Table, pk="device", sk="at", ttl="ttl", stream="NEW_AND_OLD_IMAGES"):
    write = Put(Line)


class Unstreamed(Log, stream=None):
    pass


class Indexed(Log):
    by_at = Index(pk="at", keys={Line: Key("{at}")})


class Days(Table, pk="day", sk="at", ttl="ttl"):
    write = Put(DayLine)


class Lasting(Table, pk="day", sk="at", ttl="ttl"):
    write = Put(Forever)


class Whole(Table, pk="pk", sk="sk", tenant="tenant"):
    write = Put(Note)


_SHARDED = {Note: Key("T#{tenant}#{shard}", "{note}", shards=Shards(4, by="note"))}


class Sharded(Whole, keys=_SHARDED):
    pass


class Shared(Whole, keys=_SHARDED, tenant=None):
    pass


def test_a_write_table_of_any_log_watches_its_replicas_when_it_has_some() -> None:
    stack = new_stack(env=IN_IRELAND)
    WriteTable(stack, "Alone", design=Log)
    WriteTable(stack, "Spread", design=Log, replicas=["us-east-1", "us-west-2"])
    watched = [
        ({d["Name"]: text(d["Value"]) for d in alarm["Dimensions"]}["TableName"][:7])
        for alarm in resources(template_of(stack), "AWS::CloudWatch::Alarm").values()
        if alarm.get("MetricName") == "ReplicationLatency"
    ]
    assert watched == ["{Spread", "{Spread"]


def test_a_day_partitioned_table_takes_what_expires_by_day() -> None:
    assert DayPartitionedTable(new_stack(), "Days", design=Days).table_name


def test_a_sharded_table_takes_tenants_in_shards() -> None:
    assert ShardedTenantTable(new_stack(), "Notes", design=Sharded).table_name


@pytest.mark.parametrize(
    ("kind", "design", "why"),
    [
        (WriteTable, Unstreamed, "must stream old and new images"),
        (
            WriteTable,
            Indexed,
            r"it has indexes \(by_at\), which every write would pay for",
        ),
        (DayPartitionedTable, Lasting, "partition key of Forever has no day"),
        (DayPartitionedTable, Lasting, "Forever never expires"),
        (ShardedTenantTable, Whole, "none of its keys has shards"),
        (ShardedTenantTable, Shared, "it has no tenants"),
    ],
)
def test_a_design_of_another_kind_is_refused_with_the_reason(
    kind: type[WriteTable | DayPartitionedTable | ShardedTenantTable], design: type[Table], why: str
) -> None:
    with pytest.raises(ValueError, match=f"is not for a {kind.__name__}: .*{why}"):
        kind(new_stack(), "Table", design=design)
