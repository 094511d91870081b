"""The restore runbook, step by step: lost submissions are there again, and nobody hears of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from local.clients.forms import Forms
from local.clients.receiver import Receiver
from local.clients.users import Users
from local.deployment import Deployment
from local.emulator.cloud import Cloud
from local.emulator.connection import REGION
from tablewright.catalog.forms.design import Forms as FormsTable
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.store.store import Store
from tests.e2e.conftest import NewUser
from tests.e2e.support.polling import eventually
from tests.e2e.support.runbook import Runbook

FILLED_IN = {"name": "Ada", "email": "ada@visitors.example", "message": "Hello", "website": ""}


@pytest.fixture
def forms(cloud: Cloud, deployment: Deployment, users: Users, new_tenant: NewUser) -> Forms:
    forms = Forms(new_tenant(), cloud.connection, deployment, users)
    assert forms.prepare()
    return forms


@pytest.fixture
def runbook(cloud: Cloud, tmp_path: Path) -> Runbook:
    return Runbook(cloud.connection, tmp_path, STACK="tablewright-local-forms", REGION=REGION)


class Submitted:
    """A submission as its tenant sees it."""

    def __init__(self, forms: Forms, fields: Any = FILLED_IN) -> None:
        self._api = forms.api
        self.id: str = forms.submit(fields).json["submission_id"]
        self.key = {"tenant_id": forms.tenant, "submission_id": self.id}

    def seen(self) -> tuple[int, Any, list[Any]]:
        found = self._api("GET", f"/submissions/{self.id}")
        attempts = self._api("GET", f"/submissions/{self.id}/attempts").json
        return found.status, found.json, attempts.get("items", [])

    @property
    def delivered(self) -> bool:
        return bool(self.seen()[1]["status"] == "DELIVERED")


def forget_attempts(cloud: Cloud, table: str, submission: Submitted) -> None:
    client = cloud.connection.client("dynamodb")
    pk = {"S": f"TENANT#{submission.key['tenant_id']}#SUB#{submission.id}"}
    asked = {"KeyConditionExpression": "PK = :pk", "ExpressionAttributeValues": {":pk": pk}}
    for one in client.query(TableName=table, **asked)["Items"]:
        client.delete_item(TableName=table, Key={name: one[name] for name in ("PK", "SK")})


def test_lost_submissions_come_back_and_are_not_delivered_or_counted_again(
    cloud: Cloud, deployment: Deployment, forms: Forms, runbook: Runbook, tmp_path: Path
) -> None:
    table = deployment.output("forms", "FormsTable")
    store = Store(FormsTable, table, Boto3Client(cloud.connection.client("dynamodb")))

    def metrics() -> list[int]:
        found = forms.api("GET", "/metrics").json
        return [found[name] for name in ("total_submissions", "deliveries", "errors")]

    def after(counts: list[int], submissions: int) -> list[int]:
        """Each is delivered to the webhook and to the bus."""
        return [counts[0] + submissions, counts[1] + 2 * submissions, counts[2]]

    before = metrics()
    with Receiver(forms.hook_secret) as receiver:
        forms.deliver_to(receiver.url)
        done, waiting = Submitted(forms), Submitted(forms)
        assert eventually(lambda: done.delivered and waiting.delivered)
        assert eventually(lambda: metrics() == after(before, 2))
        # As if the backup had been made before the second was delivered.
        forget_attempts(cloud, table, waiting)
        store.update(FormsTable.update_submission, waiting.key, {"status": "PENDING"})
        lasting = [done.seen(), waiting.seen()]
        runbook.run("Restore a copy", "aws dynamodb create-backup")

        for one in (done, waiting):
            forget_attempts(cloud, table, one)
            store.delete(FormsTable.delete_submission, one.key)
        assert [one.seen()[0] for one in (done, waiting)] == [404, 404]

        runbook.run("Restore a copy", "aws dynamodb restore-table-from-backup")
        runbook.run("Restore a copy", "aws dynamodb wait")
        runbook.run("Compare")
        found = [json.loads(line) for line in (tmp_path / "differences.jsonl").open()]
        missing = [one["key"]["SK"]["S"] for one in found if one["outcome"] == "missing"]
        assert {f"SUB#{done.id}", f"SUB#{waiting.id}"} <= set(missing)
        runbook.run("Bring back what is missing")
        assert "missing" not in runbook.run("Check, and clean up")
        assert [done.seen(), waiting.seen()] == lasting

        # The stream is in order: when this one is through, nothing of the others is on its way.
        counted, received = metrics(), len(receiver.deliveries)
        fresh = Submitted(forms)
        assert eventually(lambda: fresh.delivered)
        assert eventually(lambda: metrics() == after(counted, 1))
        assert len(receiver.deliveries) == received + 1
    assert counted == after(before, 2)
    assert [done.seen(), waiting.seen()] == lasting
    tables = cloud.connection.client("dynamodb").list_tables()["TableNames"]
    assert f"{table}-restored" not in tables


def test_deleted_payloads_come_back(cloud: Cloud, deployment: Deployment, runbook: Runbook) -> None:
    bucket, s3 = deployment.output("forms", "PayloadsBucket"), cloud.connection.client("s3")
    # Here as in the stages whose data is worth it.
    s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    for name in ("acme/lost", "acme/there"):
        s3.put_object(Bucket=bucket, Key=name, Body=name.encode())
    s3.delete_object(Bucket=bucket, Key="acme/lost")
    runbook.run("Get payloads and secrets back", "aws s3api")
    assert s3.get_object(Bucket=bucket, Key="acme/lost")["Body"].read() == b"acme/lost"
    assert s3.get_object(Bucket=bucket, Key="acme/there")["Body"].read() == b"acme/there"
