"""What a statement inserts is in the stream, as what is put is."""

from pathlib import Path

from tests.integration.gaps.clouds import script

# Two insertions with one key, of which the second is refused.
INSERT = """
from ministack.services import dynamodb

dynamodb._create_table({
    "TableName": "table",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
})
insert = {"Statement": "INSERT INTO \\"table\\" VALUE {'PK': ?}", "Parameters": [{"S": "a"}]}
for _ in range(2):
    dynamodb._batch_execute_statement({"Statements": [insert]})
records = dynamodb.stream_records_since("table", 0, 10)
print([(record["eventName"], record["dynamodb"]["NewImage"]) for record in records])
"""


CLOSED = "from local.gaps.dynamodb import inserting_statements\ninserting_statements.close()\n"


def printed(source: str, folder: Path) -> str:
    return script(source, folder).stdout.strip()


def test_what_is_inserted_is_told_once(tmp_path: Path) -> None:
    assert printed(CLOSED + INSERT, tmp_path) == "[('INSERT', {'PK': {'S': 'a'}})]"


def test_with_the_gap_open_nothing_is_told(tmp_path: Path) -> None:
    assert printed(INSERT, tmp_path) == "[]"
