"""Tables of a kind take any design that fits, and say of others why not."""

import pytest

from tablewright.constructs import DayPartitionedTable, ShardedTenantTable, WriteTable
from tablewright.model import Date, Entity, Expiry, Index, Key, Shards, Table, Text, Timestamp
from tests.infrastructure.constructs.building_blocks import IN_IRELAND
from tests.infrastructure.synthesis import new_stack, resources, template_of, text

LINE = Entity(
    "Line",
    key=Key("{device}", "{at}"),
    fields=(Text("device"), Timestamp("at")),
    expires=Expiry("at", days=7),
)
DAY_LINE = Entity(
    "DayLine",
    key=Key("{day}", "{at}"),
    fields=(Date("day"), Timestamp("at")),
    expires=Expiry("at", days=7),
)
FOREVER = Entity("Forever", key=Key("forever", "{at}"), fields=(Timestamp("at"),))
SHARDED = Entity(
    "Note",
    key=Key("T#{tenant}#{shard}", "{note}", shards=Shards(4, by="note")),
    fields=(Text("tenant"), Text("note")),
)
WHOLE = Entity("Note", key=Key("T#{tenant}", "{note}"), fields=(Text("tenant"), Text("note")))


def log(**options: object) -> Table:
    return Table("log", pk="device", sk="at", entities=(LINE,), **options)  # type: ignore[arg-type]


def days(*entities: Entity, ttl: str | None = "ttl") -> Table:
    return Table("days", pk="day", sk="at", ttl=ttl, entities=entities)


def notes(entity: Entity, tenant: str | None = "tenant") -> Table:
    return Table("notes", pk="pk", sk="sk", tenant=tenant, entities=(entity,))


def test_a_write_table_of_any_log_watches_its_replicas_when_it_has_some() -> None:
    design = log(ttl="ttl", stream="NEW_AND_OLD_IMAGES")
    stack = new_stack(env=IN_IRELAND)
    WriteTable(stack, "Alone", design=design)
    WriteTable(stack, "Spread", design=design, replicas=["us-east-1", "us-west-2"])
    watched = [
        ({d["Name"]: text(d["Value"]) for d in alarm["Dimensions"]}["TableName"][:7])
        for alarm in resources(template_of(stack), "AWS::CloudWatch::Alarm").values()
        if alarm.get("MetricName") == "ReplicationLatency"
    ]
    assert watched == ["{Spread", "{Spread"]


def test_a_day_partitioned_table_takes_what_expires_by_day() -> None:
    assert DayPartitionedTable(new_stack(), "Days", design=days(DAY_LINE)).table_name


def test_a_sharded_table_takes_tenants_in_shards() -> None:
    assert ShardedTenantTable(new_stack(), "Notes", design=notes(SHARDED)).table_name


@pytest.mark.parametrize(
    ("kind", "design", "why"),
    [
        (WriteTable, log(ttl="ttl"), "must stream old and new images"),
        (
            WriteTable,
            log(ttl="ttl", stream="NEW_AND_OLD_IMAGES", indexes=(Index("by_at", pk="at"),)),
            r"it has indexes \(by_at\), which every write would pay for",
        ),
        (DayPartitionedTable, days(FOREVER), "partition key of Forever has no day"),
        (DayPartitionedTable, days(FOREVER), "Forever never expires"),
        (ShardedTenantTable, notes(WHOLE), "none of its keys has shards"),
        (ShardedTenantTable, notes(SHARDED, tenant=None), "it has no tenants"),
    ],
)
def test_a_design_of_another_kind_is_refused_with_the_reason(
    kind: type[WriteTable | DayPartitionedTable | ShardedTenantTable], design: Table, why: str
) -> None:
    with pytest.raises(ValueError, match=f"is not for a {kind.__name__}: .*{why}"):
        kind(new_stack(), "Table", design=design)
