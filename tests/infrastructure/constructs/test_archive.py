"""An archive attached to a table: what of the stream it takes, its rights, files and alarms."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest
from aws_cdk import Duration, Stack

from tablewright.catalog.portal.constructs import EventsTable
from tablewright.catalog.sales.constructs import SalesTable
from tablewright.catalog.sales.design import Sales
from tablewright.catalog.sentiment.constructs import SentimentItemsTable
from tablewright.catalog.sentiment.items import Guard, Item
from tablewright.constructs import Archive, DesignTable
from tablewright.model import Entity, Field, Key, Scan, Table, Text, Timestamp, Update
from tablewright.model.archive import INSERTED, ArchivePlan
from tablewright.model.old_items import OlderThan, Sweep
from tests.infrastructure.constructs.building_blocks import (
    IN_IRELAND,
    Unstreamed,
    findings,
    table_in,
)
from tests.infrastructure.synthesis import (
    Template,
    allowed,
    environment,
    id_of,
    new_stack,
    one,
    only,
    resources,
    template_of,
)


class Note(Entity, key=Key("NOTE#{id}", "NOTE")):
    id: Field[str] = Text()
    at: Field[datetime] = Timestamp()


class Notes(Table, pk="PK", sk="SK", ttl="ttl", stream="OLD_IMAGE"):
    """Notes that have no expiry of their own."""

    all_notes = Scan(Note)
    change_note = Update(Note)


BY_DYNAMODB = {"type": ["Service"], "principalId": ["dynamodb.amazonaws.com"]}


def sales(stack: Stack) -> DesignTable:
    return SalesTable(stack, "Table")


def items(stack: Stack) -> DesignTable:
    return SentimentItemsTable(stack, "Table", days=30)


def replicated_items(stack: Stack) -> DesignTable:
    return SentimentItemsTable(stack, "Table", days=30, replicas=["us-east-1"])


def events(stack: Stack) -> DesignTable:
    return EventsTable(stack, "Table")


def archived(table: Callable[[Stack], DesignTable] = sales, **options: Any) -> Template:
    stack = new_stack(env=IN_IRELAND)
    Archive(stack, "Archive", table=table(stack), **options)
    return template_of(stack)


def filters(template: Template) -> list[Any]:
    mapping = only(template, "AWS::Lambda::EventSourceMapping")
    return [json.loads(one["Pattern"]) for one in mapping["FilterCriteria"]["Filters"]]


def test_it_takes_what_dynamodb_itself_deletes() -> None:
    assert filters(archived()) == [{"eventName": ["REMOVE"], "userIdentity": BY_DYNAMODB}]


def test_of_a_table_with_replicas_the_function_tells_who_deleted() -> None:
    """What expired in another region arrives without an author."""
    template = archived(replicated_items, entities=[Item])
    told = {"source_type": {"S": [{"exists": True}]}}
    assert filters(template) == [{"eventName": ["REMOVE"], "dynamodb": {"OldImage": told}}]
    plan = ArchivePlan.from_json(environment(template, "ArchiveTake")["ARCHIVE_PLAN"])
    assert plan.replicated


def test_entities_are_told_apart_by_an_attribute_that_only_they_have() -> None:
    template = archived(items, entities=[Item, Guard])
    assert [set(one) for one in filters(template)] == [{"eventName", "userIdentity"}]
    (only_items,) = filters(archived(items, entities=[Item]))
    assert only_items["dynamodb"] == {"OldImage": {"source_type": {"S": [{"exists": True}]}}}


def test_of_insertions_it_takes_all_but_what_comes_back() -> None:
    (found,) = filters(archived(events, takes=INSERTED))
    back = {"restored_from": {"S": [{"exists": False}]}}
    assert found == {"eventName": ["INSERT"], "dynamodb": {"NewImage": back}}


def test_each_function_may_do_its_part_with_the_bucket_and_no_more() -> None:
    template = archived()
    bucket = f"{{{id_of(template, 'AWS::S3::Bucket', 'ArchiveBucket')}.Arn}}"

    def with_bucket(role: str) -> set[tuple[str, str]]:
        return {pair for pair in allowed(template, role) if pair[1].startswith(bucket)}

    assert with_bucket("ArchiveTakeRole") == {("s3:PutObject", f"{bucket}/incoming/*")}
    assert with_bucket("ArchiveCompactRole") == {
        ("s3:ListBucket", bucket),
        *(("s3:GetObject", f"{bucket}/{part}/*") for part in ("incoming", "files", "days")),
        *(("s3:PutObject", f"{bucket}/{part}/*") for part in ("files", "days")),
        *(("s3:DeleteObject", f"{bucket}/{part}/*") for part in ("incoming", "files")),
    }
    compact = {action.partition(":")[0] for action, _ in allowed(template, "ArchiveCompactRole")}
    assert "dynamodb" not in compact, "it knows nothing but the bucket"


def test_files_move_to_cheaper_classes_that_athena_reads_and_none_is_deleted() -> None:
    template = archived(infrequent_after=Duration.days(40), glacier_after=Duration.days(100))
    bucket = one(template, "AWS::S3::Bucket", "ArchiveBucket")
    rules = bucket["LifecycleConfiguration"]["Rules"]
    (cheaper,) = (rule for rule in rules if "Transitions" in rule)
    assert cheaper["Prefix"] == "files/"
    moves = [(one["StorageClass"], one["TransitionInDays"]) for one in cheaper["Transitions"]]
    assert moves == [("STANDARD_IA", 40), ("GLACIER_IR", 100)]
    assert not [rule for rule in rules if "ExpirationInDays" in rule]


def test_athena_has_a_typed_table_whose_partitions_are_computed() -> None:
    template = archived(since="2024-01-01")
    table = only(template, "AWS::Glue::Table")["TableInput"]
    assert table["Name"] == "sales"
    types = {one["Name"]: one["Type"] for one in table["StorageDescriptor"]["Columns"]}
    assert types["saleprice"] == "decimal(38,2)"
    assert types["saledate"] == "date"
    assert types["createdat"] == "timestamp"
    assert types["archive_item"] == "string"
    parameters = table["Parameters"]
    assert parameters["projection.day.range"] == "2024-01-01,NOW+1DAYS"
    assert json.dumps(parameters["storage.location.template"]).endswith('/days/day=${day}/"]]}')
    assert [one["Name"] for one in table["PartitionKeys"]] == ["day"]
    database = only(template, "AWS::Glue::Database")["DatabaseInput"]["Name"]
    assert database == "test_archive"


def test_the_function_knows_the_table_by_its_plan() -> None:
    template = archived()
    told = environment(template, "ArchiveCompact")
    assert ArchivePlan.from_json(told["ARCHIVE_PLAN"]) == ArchivePlan.of(Sales.__design__)


def test_records_may_wait_for_the_window_without_an_alarm() -> None:
    template = archived(window=Duration.minutes(5))
    behind = one(template, "AWS::CloudWatch::Alarm", "ArchiveStreamBehind")
    assert behind["Threshold"] == (3600 + 300) * 1000


def test_it_compacts_every_night_after_the_day_has_ended() -> None:
    rule = only(archived(), "AWS::Events::Rule")
    assert rule["ScheduleExpression"] == "cron(30 0 * * ? *)"


def test_a_table_whose_stream_lacks_the_items_is_refused() -> None:
    stack = new_stack()
    with pytest.raises(ValueError, match="no entity of table design 'readings' expires"):
        Archive(stack, "Archive", table=table_in(stack, Unstreamed))
    with pytest.raises(ValueError, match="has no ttl: nothing of it expires"):
        Archive(stack, "Other", table=SentimentItemsTable(stack, "Items"), entities=[Item])


def test_no_rule_is_broken_but_that_failed_runs_are_the_app_s_to_keep() -> None:
    stack = new_stack(env=IN_IRELAND)
    Archive(stack, "Archive", table=SalesTable(stack, "Sales"))
    assert findings(stack) == {"Tablewright-KeptEvents"}


def test_all_functions_of_an_archive_are_one_bundle() -> None:
    functions = resources(archived(), "AWS::Lambda::Function").values()
    assert len({json.dumps(one["Code"]) for one in functions}) == 1


def test_old_items_are_expired_by_a_function_that_may_scan_and_update_alone() -> None:
    stack = new_stack(env=IN_IRELAND)
    old = OlderThan(90, Note.at, scan=Notes.all_notes, update=Notes.change_note)
    archive = Archive(
        stack, "Archive", table=DesignTable(stack, "Table", design=Notes), older_than=old
    )
    template = template_of(stack)
    table = f"{{{id_of(template, 'AWS::DynamoDB::GlobalTable', 'Table')}.Arn}}"
    of_table = {
        action
        for action, resource in allowed(template, "ArchiveExpireRole")
        if resource.startswith(table)
    }
    assert of_table == {"dynamodb:Scan", "dynamodb:UpdateItem"}
    told = environment(template, "ArchiveExpire")
    assert Sweep.from_json(told["ARCHIVE_SWEEP"]).days == 90
    assert ArchivePlan.from_json(told["ARCHIVE_PLAN"]).days == ("at",)
    assert [one.node.id for one in archive.scheduled] == ["Compact", "Expire"]
