"""A statement needs the permission for what it does, on the table that it names."""

import pytest
from botocore.exceptions import ClientError

from tests.integration.gaps.clouds import Cloud
from tests.integration.gaps.iam.roles import only

ROWS = [
    {"Statement": "INSERT INTO \"rows\" VALUE {'id': ?}", "Parameters": [{"S": str(number)}]}
    for number in range(3)
]
ELSEWHERE = {"Statement": "INSERT INTO \"others\" VALUE {'id': ?}", "Parameters": [{"S": "1"}]}
UNREADABLE = {"Statement": "insert nothing"}


@pytest.fixture(scope="module")
def tables(cloud: Cloud) -> str:
    """Two tables; the ARN of that with the rows."""
    dynamodb = cloud.client("dynamodb")
    arns = [
        dynamodb.create_table(
            TableName=name,
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )["TableDescription"]["TableArn"]
        for name in ("rows", "others")
    ]
    return str(arns[0])


def test_a_batch_of_insertions_needs_the_permission_to_insert(cloud: Cloud, tables: str) -> None:
    client = only(cloud, "dynamodb:PartiQLInsert", tables)
    answers = client.batch_execute_statement(Statements=ROWS)["Responses"]
    assert ["Error" in one for one in answers] == [False] * 3
    (again,) = client.batch_execute_statement(Statements=ROWS[:1])["Responses"]
    assert again["Error"]["Code"] == "DuplicateItem"
    for beside in (ELSEWHERE, UNREADABLE):
        with pytest.raises(ClientError, match="not authorized"):
            client.batch_execute_statement(Statements=[*ROWS, beside])
    with pytest.raises(ClientError, match="not authorized"):
        client.execute_statement(Statement='SELECT * FROM "rows"')


def test_an_insertion_names_the_partition_that_it_inserts_into(cloud: Cloud, tables: str) -> None:
    own = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["a#*"]}}
    client = only(cloud, "dynamodb:PartiQLInsert", tables, condition=own)

    def inserted(*ids: str) -> list[bool]:
        text = "INSERT INTO \"rows\" VALUE {'n': ?, 'id': ?}"
        values = [[{"N": "1"}, {"S": id}] for id in ids]
        sent = [{"Statement": text, "Parameters": one} for one in values]
        return [
            "Error" not in one
            for one in client.batch_execute_statement(Statements=sent)["Responses"]
        ]

    assert inserted("a#1", "a#2") == [True, True]
    for others in (["b#1"], ["a#3", "b#1"], ["ab#1"]):
        with pytest.raises(ClientError, match="not authorized"):
            inserted(*others)


@pytest.mark.parametrize("action", ["dynamodb:PutItem", "dynamodb:BatchExecuteStatement"])
def test_no_other_permission_will_do(cloud: Cloud, tables: str, action: str) -> None:
    client = only(cloud, action, tables)
    with pytest.raises(ClientError, match="not authorized"):
        client.batch_execute_statement(Statements=ROWS)
