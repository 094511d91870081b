"""Forms on the local cloud: from a signed request to a webhook that fails twice, then accepts."""

import json
from pathlib import Path
from typing import Any

import pytest

from local.clients.api import Api
from local.clients.forms import FORM, Forms
from local.clients.receiver import ACCEPTED, UNAVAILABLE, Receiver
from local.clients.users import OPERATOR, Users
from local.deployment import Deployment
from local.emulator.cloud import Cloud
from tablewright.commands.operations.audit_isolation import main as audit
from tests.e2e.conftest import NewUser
from tests.e2e.support.lists import listed
from tests.e2e.support.polling import eventually
from tests.e2e.support.runbook import Runbook

FILLED_IN = {"name": "Zoë 🌱", "email": "zoe@visitors.example", "message": "Grüße", "website": ""}


@pytest.fixture
def forms(cloud: Cloud, deployment: Deployment, users: Users, new_tenant: NewUser) -> Forms:
    forms = Forms(new_tenant(), cloud.connection, deployment, users)
    assert forms.prepare()
    return forms


@pytest.fixture(scope="module")
def operator(deployment: Deployment, users: Users) -> Api:
    return Api(deployment.api_url("forms"), users.token(OPERATOR))


@pytest.fixture(scope="module")
def overheard(cloud: Cloud, deployment: Deployment) -> "Overheard":
    return Overheard(cloud, deployment.output("forms", "EventBus"))


class Overheard:
    """Somebody else's queue on the application's bus."""

    def __init__(self, cloud: Cloud, bus: str) -> None:
        self._sqs, events = cloud.connection.client("sqs"), cloud.connection.client("events")
        self._url = self._sqs.create_queue(QueueName="overheard")["QueueUrl"]
        asked = {"QueueUrl": self._url, "AttributeNames": ["QueueArn"]}
        arn = self._sqs.get_queue_attributes(**asked)["Attributes"]["QueueArn"]
        pattern = json.dumps({"source": [{"prefix": "tablewright.forms"}]})
        events.put_rule(Name="overheard", EventBusName=bus, EventPattern=pattern)
        target = {"Id": "queue", "Arn": arn}
        events.put_targets(Rule="overheard", EventBusName=bus, Targets=[target])
        self._heard: list[Any] = []

    def of(self, submission_id: str) -> dict[str, Any]:
        """What was told about a submission, by the kind of event."""
        found = self._sqs.receive_message(QueueUrl=self._url, MaxNumberOfMessages=10)
        for message in found.get("Messages", []):
            self._heard.append(json.loads(message["Body"]))
            self._sqs.delete_message(QueueUrl=self._url, ReceiptHandle=message["ReceiptHandle"])
        mine = (e for e in self._heard if e["detail"].get("submission_id") == submission_id)
        return {event["detail-type"]: event["detail"] for event in mine}


def test_a_submission_reaches_a_webhook_that_fails_twice_and_then_accepts(
    forms: Forms, overheard: Overheard
) -> None:
    api = forms.api
    with Receiver(forms.hook_secret, fails=2) as receiver:
        forms.deliver_to(receiver.url)
        taken = forms.submit(FILLED_IN)
        assert taken.status == 202
        id = taken.json["submission_id"]
        assert eventually(lambda: len(receiver.deliveries) == 3)
    assert [one.status for one in receiver.deliveries] == [UNAVAILABLE, UNAVAILABLE, ACCEPTED]
    assert {json.loads(one.body)["name"] for one in receiver.deliveries} == {FILLED_IN["name"]}
    assert len({one.idempotency_key for one in receiver.deliveries}) == 1
    assert eventually(lambda: api("GET", f"/submissions/{id}").json["status"] == "DELIVERED")
    assert api("GET", f"/submissions/{id}").json["payload"] == FILLED_IN

    attempts = api("GET", f"/submissions/{id}/attempts").json["items"]
    outcomes = [(one["destination_id"], one["status"]) for one in attempts]
    hook = [("hook", status) for status in ("RETRYING", "RETRYING", "SUCCEEDED")]
    assert outcomes == [("bus", "SUCCEEDED"), *hook]
    assert [one["response_status"] for one in attempts[1:]] == [503, 503, 204]

    def counted() -> bool:
        now = api("GET", "/metrics").json
        return [now[name] for name in ("total_submissions", "deliveries", "errors")] == [1, 2, 2]

    assert eventually(counted)
    assert eventually(lambda: len(overheard.of(id)) == 2)
    told = overheard.of(id)
    assert told["submission.created"].keys() == {
        *("tenant_id", "submission_id", "form_id", "timestamp", "original_size")
    }
    assert told["submission.delivered"]["payload"] == FILLED_IN


def test_what_does_not_fit_into_an_item_arrives_as_it_was_sent(
    forms: Forms, cloud: Cloud, deployment: Deployment
) -> None:
    # Too many different characters to be made small.
    large = {"text": "".join(chr(0x4E00 + number * 7919 % 20000) for number in range(300_000))}
    with Receiver(forms.hook_secret) as receiver:
        forms.deliver_to(receiver.url)
        id = forms.submit(large).json["submission_id"]
        assert eventually(lambda: bool(receiver.deliveries))
        assert json.loads(receiver.deliveries[-1].body) == large
    bucket = deployment.output("forms", "PayloadsBucket")
    stored = cloud.connection.client("s3").head_object(Bucket=bucket, Key=f"{forms.tenant}/{id}")
    assert stored["ContentLength"] > 0


def test_what_does_not_fit_into_a_request_comes_by_an_upload(
    forms: Forms, cloud: Cloud, deployment: Deployment
) -> None:
    whole = json.dumps({"text": "".join(chr(65 + n * 7919 % 57) for n in range(8_000_000))})
    with Receiver(forms.hook_secret) as receiver:
        forms.deliver_to(receiver.url)
        for _ in range(2):
            taken = forms.submit_upload(whole.encode())
            assert taken.status == 202, taken.text
        ids = {taken.json["submission_id"]}
        assert eventually(lambda: ids <= {one.submission_id for one in receiver.deliveries})
        assert receiver.deliveries[-1].body == whole.encode()
    bucket = deployment.output("forms", "PayloadsBucket")
    listed = cloud.connection.client("s3").list_objects_v2(Bucket=bucket, Prefix="_uploads/")
    assert listed["KeyCount"] == 0


def test_whoever_signs_with_another_secret_is_refused(
    forms: Forms, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "_secret", lambda: ("k1", "not the secret"))
    assert forms.submit(FILLED_IN).status == 401
    assert list(listed(forms.api, "/submissions")) == []


def test_what_a_robot_fills_in_is_kept_and_not_delivered(forms: Forms) -> None:
    taken = forms.submit({**FILLED_IN, "website": "https://spam.example"})
    assert taken.status == 202
    id = taken.json["submission_id"]
    assert forms.api("GET", f"/submissions/{id}").json["status"] == "QUARANTINED"
    assert forms.api("GET", f"/submissions/{id}/attempts").json["items"] == []


def test_dead_letters_that_are_moved_back_are_delivered_once(
    forms: Forms, cloud: Cloud, deployment: Deployment, tmp_path: Path
) -> None:
    """By the commands of the operations page. The function has not begun with the message."""
    id = forms.submit({**FILLED_IN, "website": "held back"}).json["submission_id"]
    sqs = cloud.connection.client("sqs")
    name = deployment.output("forms", "DeadLetters").rpartition(":")[2]
    dead = sqs.get_queue_url(QueueName=name)["QueueUrl"]
    asked = {"tenant_id": forms.tenant, "submission_id": id, "destination_id": "hook", "attempt": 1}
    with Receiver(forms.hook_secret) as receiver:
        forms.deliver_to(receiver.url)
        for _ in range(2):
            sqs.send_message(QueueUrl=dead, MessageBody=json.dumps({"deliver": asked}))
        runbook = Runbook(cloud.connection, tmp_path, STACK="tablewright-local-forms")
        assert id in runbook.run("Deliver dead letters again")

        def delivered() -> list[str]:
            found = forms.api("GET", f"/submissions/{id}/attempts").json["items"]
            return [one["status"] for one in found]

        assert eventually(lambda: delivered() == ["SUCCEEDED"])
        mine = [one for one in receiver.deliveries if one.submission_id == id]
        assert [one.status for one in mine] == [ACCEPTED]
    left = {"QueueUrl": dead, "AttributeNames": ["ApproximateNumberOfMessages"]}
    told = sqs.get_queue_attributes(**left)["Attributes"]
    assert told["ApproximateNumberOfMessages"] == "0"


def test_a_hook_s_secret_is_rotated_while_deliveries_go_on(forms: Forms) -> None:
    old: list[str] = []
    with Receiver(lambda: old[0]) as receiver:
        forms.deliver_to(receiver.url)
        old.append(forms.hook_secret())
        rotated = forms.api("POST", "/destinations/hook/secret")
        assert rotated.status == 201, rotated.text
        assert rotated.json["secret"] == forms.hook_secret() != old[0]
        id = forms.submit(FILLED_IN).json["submission_id"]

        def answers() -> list[int]:
            return [one.status for one in receiver.deliveries if one.submission_id == id]

        # Of whoever knows the old one only, and then of whoever knows the new one only.
        assert eventually(lambda: answers() == [ACCEPTED])
        old[0] = rotated.json["secret"]
        again = {"destination_id": "hook"}
        assert forms.api("POST", f"/submissions/{id}/redeliver", again).status == 202
        assert eventually(lambda: answers() == [ACCEPTED, ACCEPTED])


def test_tenants_are_the_operators_business(forms: Forms, operator: Api) -> None:
    tenants = {one["tenant_id"] for one in listed(operator, "/tenants", state="active")}
    assert forms.tenant in tenants
    assert forms.api("GET", "/tenants", state="active").status == 403
    assert forms.api("GET", "/submissions", tenant_id="another").status == 403
    assert operator("GET", "/submissions", tenant_id=forms.tenant).status == 200


def test_no_session_of_the_deployed_role_reaches_another_tenant(
    forms: Forms,
    cloud: Cloud,
    deployment: Deployment,
    new_tenant: NewUser,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    functions = cloud.connection.client("lambda").list_functions()["Functions"]
    (admin,) = (
        one for one in functions if one["Handler"] == "lambdas.forms.handlers.admin.handler"
    )
    template = cloud.home.cdk_out / "tablewright-local-forms.template.json"
    arguments = {
        "--policies": str(template),
        "--role": "TenantAccessRole",
        "--tag": "tenant_id",
        "--table": deployment.output("forms", "FormsTable"),
        "--role-arn": deployment.output("forms", "TenantRole"),
        "--through": admin["Role"],
        "--region": cloud.connection.client("sts").meta.region_name,
        "--endpoint-url": cloud.connection.endpoint,
    }
    asked = [part for pair in arguments.items() for part in pair]
    design = ("--design", "tablewright.catalog.forms.design:Forms")
    assert audit([*design, *asked, "--tenants", forms.tenant, new_tenant()]) == 0, (
        capsys.readouterr().out
    )
    assert "Tried: no tenant reaches another" in capsys.readouterr().err


def test_the_planner_says_what_it_would_do(
    forms: Forms, cloud: Cloud, deployment: Deployment
) -> None:
    answer = cloud.connection.client("lambda").invoke(
        FunctionName=deployment.output("forms", "PlanFunction"), Payload=b'{"dry_run": true}'
    )
    said = json.loads(answer["Payload"].read())
    assert said["dry_run"] is True
    assert said["looked_at"] >= 1
    assert (said["failed"], said["appended"]) == (0, 0)
    assert forms.submit(FILLED_IN, FORM).status == 202
