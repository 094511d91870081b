"""The page on archives, followed on the local cloud: what expired is in files, and nowhere else."""

import json
import secrets
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from local.clients.api import Api
from local.clients.users import Users
from local.deployment import Deployment
from local.emulator.cloud import Cloud
from local.emulator.connection import REGION
from tablewright.catalog.sales.design import Sale, Sales
from tablewright.model import replaced
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.ids import uuid7
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.streams.changes import Change
from tablewright.runtime.streams.failed_records import FailedRecords
from tests.e2e.support.polling import eventually
from tests.e2e.support.runbook import Runbook
from tests.e2e.support.sales import new_sale

FIRST = ("Before the commands",)
DAY = "2024-01-31"


@pytest.fixture
def runbook(cloud: Cloud, tmp_path: Path) -> Runbook:
    return Runbook(
        cloud.connection,
        tmp_path,
        page="archive.md",
        first=FIRST,
        STACK="tablewright-local-sales",
        REGION=REGION,
        TABLE_OUTPUT="TableName",
    )


def of_that_day(sale: Item, sale_id: str) -> Item:
    """The item of the same sale under another id, of a day long ago."""
    records = Records(Sales.__design__, Sale.__entity__)
    return records.to_item(replaced(records.to_record(sale), sale_date=DAY, sale_id=sale_id))


def test_what_expires_is_archived_read_and_put_back_as_the_page_says(
    cloud: Cloud, deployment: Deployment, acme: Api, runbook: Runbook, tmp_path: Path
) -> None:
    dynamo, s3 = (cloud.connection.client(name) for name in ("dynamodb", "s3"))
    table, bucket = (deployment.output("sales", name) for name in ("TableName", "ArchiveBucket"))
    own = secrets.token_hex(4)
    made = acme("POST", "/sales", new_sale(productId=own)).json
    scanned = dynamo.scan(
        TableName=table,
        FilterExpression="productId = :own",
        ExpressionAttributeValues={":own": {"S": own}},
    )
    (sale,) = scanned["Items"]
    soon, late = str(int(time.time()) + 3), "4102444800"
    ends = {"expires": soon, "deleted": soon, "stays": late}
    items = {n: {**of_that_day(sale, f"{n}-{own}"), "ttl": {"N": end}} for n, end in ends.items()}
    for name, item in items.items():
        dynamo.put_item(TableName=table, Item=item)
        # As it is stored: numbers have one form.
        key = {attribute: item[attribute] for attribute in ("PK", "SK")}
        items[name] = dynamo.get_item(TableName=table, Key=key)["Item"]
    dynamo.create_backup(TableName=table, BackupName=f"archive-{own}")
    key = {name: items["deleted"][name] for name in ("PK", "SK")}
    dynamo.delete_item(TableName=table, Key=key)

    def came_in() -> bool:
        found = s3.list_objects_v2(Bucket=bucket, Prefix=f"incoming/day={DAY}/")
        return "Contents" in found

    assert eventually(came_in)
    assert int(runbook.run("See what is there").split()[-1]) >= 1
    assert '"compacted": 1' in runbook.run("Compact now")
    assert f"days/day={DAY}/symlink.txt" in runbook.run("See what is there")

    runbook.run("Read items")
    read = [json.loads(line) for line in (tmp_path / "items.jsonl").open()]
    assert [item for item in read if item["productId"] == {"S": own}] == [items["expires"]]

    # The copy has all three: one is live, one archived, and one was deleted by somebody.
    (backup,) = (
        one["BackupArn"]
        for one in dynamo.list_backups(TableName=table)["BackupSummaries"]
        if one["BackupName"] == f"archive-{own}"
    )
    dynamo.restore_table_from_backup(TargetTableName=f"{table}-restored", BackupArn=backup)
    dynamo.get_waiter("table_exists").wait(TableName=f"{table}-restored")
    dynamo.delete_item(TableName=f"{table}-restored", Key=key)
    verify = "tablewright verify-archive"
    assert runbook.run("Show that nothing is missing", verify) == ""
    dynamo.delete_table(TableName=f"{table}-restored")

    runbook.run("Put items back", "tablewright")
    back = dynamo.get_item(
        TableName=table, Key={name: items["expires"][name] for name in ("PK", "SK")}
    )["Item"]
    assert back["productId"] == items["expires"]["productId"]
    assert back["ttl"] == {"N": "4070908800"}
    shown = [one["saleId"] for one in acme("GET", "/sales", productId=own).json["items"]]
    assert shown == [f"expires-{own}", f"stays-{own}", made["saleId"]]


def test_what_was_given_up_is_taken_as_the_page_says(
    cloud: Cloud, deployment: Deployment, acme: Api, runbook: Runbook, tmp_path: Path
) -> None:
    own = secrets.token_hex(4)
    assert acme("POST", "/sales", new_sale(productId=own)).status == 201
    dynamo = cloud.connection.client("dynamodb")
    (sale,) = dynamo.query(
        TableName=deployment.output("sales", "TableName"),
        KeyConditionExpression="PK = :own",
        ExpressionAttributeValues={":own": {"S": f"TENANT#acme#PRODUCT#{own}"}},
    )["Items"]
    lost = of_that_day(sale, f"given-up-{own}")
    record = {
        "eventID": own,
        "eventName": "REMOVE",
        "userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"},
        "dynamodb": {
            "Keys": {name: lost[name] for name in ("PK", "SK")},
            "OldImage": {**lost, "ttl": {"N": str(int(time.time()))}},
            "SequenceNumber": str(time.time_ns()),
            "ApproximateCreationDateTime": int(time.time()),
        },
    }
    bucket = deployment.output("sales", "ArchiveFailuresBucket")
    s3 = cloud.connection.client("s3")
    FailedRecords(Boto3Client(s3), bucket, "take").keep(Change(record))
    runbook.run("Take what was given up")
    assert "Contents" not in s3.list_objects_v2(Bucket=bucket)
    runbook.run("Compact now")
    runbook.run("Read items")
    read = [json.loads(line) for line in (tmp_path / "items.jsonl").open()]
    assert [item["saleId"] for item in read if item["productId"] == {"S": own}] == [
        {"S": f"given-up-{own}"}
    ]


def test_events_of_the_portal_are_in_the_archive_as_soon_as_it_is_compacted(
    cloud: Cloud, deployment: Deployment, users: Users, runbook: Runbook
) -> None:
    api = Api(deployment.api_url("portal"), users.token("reader"))
    id = uuid7(datetime.now(UTC))
    sent = {"events": [{"event_id": id, "event_name": "content.viewed"}]}
    assert api("POST", "/events", sent).status == 202
    bucket = deployment.output("portal", "ArchiveBucket")
    s3 = cloud.connection.client("s3")
    assert eventually(lambda: "Contents" in s3.list_objects_v2(Bucket=bucket, Prefix="incoming/"))

    def archived() -> bool:
        """Every event is in the files, or among what came in."""
        return runbook.run("Show that nothing is missing", "STACK=") == ""

    assert archived()
