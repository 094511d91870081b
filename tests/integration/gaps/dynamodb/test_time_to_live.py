"""What expires is deleted by DynamoDB, which the stream says."""

import time
from pathlib import Path
from typing import Any

from tests.integration.gaps.clouds import HOME, Cloud, script, until
from tests.integration.gaps.consumers import Consumer

OTHER = "us-west-2"
EXPIRED_BY_DYNAMODB = (
    '{"eventName": ["REMOVE"],'
    ' "userIdentity": {"type": ["Service"], "principalId": ["dynamodb.amazonaws.com"]}}'
)

# One round of ministack's own expiry, on a table with one item that has expired.
STOCK = """
import time
from ministack.services import dynamodb

dynamodb._create_table({
    "TableName": "table",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
})
enabled = {"Enabled": True, "AttributeName": "ttl"}
dynamodb._update_ttl({"TableName": "table", "TimeToLiveSpecification": enabled})
dynamodb._put_item({"TableName": "table", "Item": {"PK": {"S": "a"}, "ttl": {"N": "1"}}})
rounds = iter(range(1))
time.sleep = lambda seconds: next(rounds)
try:
    dynamodb._ttl_reaper()
except StopIteration:
    pass
print(dynamodb._tables["table"]["ItemCount"])
print([record["eventName"] for record in dynamodb.stream_records_since("table", 0, 10)])
"""


def _put(consumer: Consumer, key: str, **attributes: Any) -> None:
    item = {"PK": {"S": key}, **attributes}
    consumer.cloud.client("dynamodb").put_item(TableName=consumer.ids["Table"], Item=item)


def _keys(consumer: Consumer, region: str = HOME) -> set[str]:
    client = consumer.cloud.client("dynamodb", region_name=region)
    return {item["PK"]["S"] for item in client.scan(TableName=consumer.ids["Table"])["Items"]}


def test_an_expired_item_is_removed_in_the_name_of_the_service(
    cloud: Cloud, tmp_path: Path
) -> None:
    filters = {"Filters": [{"Pattern": EXPIRED_BY_DYNAMODB}]}
    consumer = Consumer(cloud, tmp_path, replicas=(HOME, OTHER), ttl="ttl", FilterCriteria=filters)
    now = int(time.time())
    _put(consumer, "expired", ttl={"N": str(now - 1)})
    _put(consumer, "alive", ttl={"N": str(now + 3600)})
    _put(consumer, "text", ttl={"S": str(now - 1)})
    _put(consumer, "long ago", ttl={"N": "1"})
    _put(consumer, "deleted by hand")
    cloud.client("dynamodb").delete_item(
        TableName=consumer.ids["Table"], Key={"PK": {"S": "deleted by hand"}}
    )
    until(lambda: consumer.seen == ["expired"])
    for region in (HOME, OTHER):
        assert _keys(consumer, region) == {"alive", "text", "long ago"}


def test_with_the_gap_open_expiry_leaves_no_trace(tmp_path: Path) -> None:
    printed = script(STOCK, tmp_path).stdout
    assert printed.splitlines() == ["0", "['INSERT']"]
