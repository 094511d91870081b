"""The admin API: destinations, their tests, and the attempts at them."""

from datetime import timedelta
from typing import Any

import pytest

from lambdas.forms.delivery.attempts import _shipment
from lambdas.forms.tenants import destinations
from lambdas.forms.tenants.destinations import Destinations
from lambdas.forms.tenants.secrets import CachedSecrets, SecretStore
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import ATTEMPT_STATUSES, DeliveryAttempt, Submission
from tablewright.model import Record
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.ids import uuid7
from tablewright.testing import survives_every_fault
from tests.integration.forms.admin.administration import (
    EVE,
    NOW,
    PREFIX,
    WEBHOOK,
    Admin,
    Cloud,
    Edge,
    conforms,
    emptied,
    etag,
    problem,
)
from tests.integration.forms.conftest import FormTable

ONE = "/destinations/crm"
S3 = {"destination_type": "s3", "settings": {"bucket": "acme-forms"}}


@pytest.fixture
def admin(forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> Admin:
    made = Admin(forms, monkeypatch)
    made.tenant()
    return made


def test_a_destination_is_stored_read_changed_and_removed(admin: Admin) -> None:
    made = admin("POST", "/destinations", WEBHOOK)
    assert made.status == 201
    assert conforms(made, "MadeDestination")
    read = admin("GET", ONE)
    assert conforms(read, "Destination")
    assert {**read.json, "secret": made.json["secret"]} == made.json
    assert read.json["state"] == "active"
    disabled = admin("PATCH", ONE, {"state": "disabled"}, headers={"if-match": etag(read)})
    assert disabled.json["state"] == "disabled"
    assert disabled.json["settings"] == read.json["settings"]
    for _ in range(2):
        assert admin("DELETE", ONE).status == 204
    problem(admin("GET", ONE), 404)
    assert admin.cloud.secrets == {}
    assert set(admin.sessions) == {"acme"}


def test_a_webhook_has_a_secret_of_its_own_which_is_told_when_it_is_made(admin: Admin) -> None:
    made = admin("POST", "/destinations", WEBHOOK)
    key_id = made.json["key_id"]
    assert admin.cloud.secrets == {f"{PREFIX}acme/{key_id}": made.json["secret"]}
    again = admin("POST", "/destinations", WEBHOOK)
    assert (again.status, again.json) == (200, made.json)
    admin.wait(hours=1)
    late = admin("POST", "/destinations", WEBHOOK)
    assert late.status == 200
    assert "secret" not in late.json
    # A change of its address does not change what it signs with.
    body = {"settings": {"url": "https://new.example.com/"}}
    changed = admin("PATCH", ONE, body, headers={"if-match": "*"})
    assert (changed.json["settings"], changed.json["key_id"]) == (body["settings"], key_id)
    bucket = admin("POST", "/destinations", {"destination_id": "archive", **S3})
    assert bucket.status == 201
    assert "secret" not in bucket.json
    assert len(admin.cloud.secrets) == 1


def test_another_destination_with_the_same_id_is_a_conflict(admin: Admin) -> None:
    admin("POST", "/destinations", {"destination_id": "crm", **S3})
    problem(admin("POST", "/destinations", WEBHOOK), 409)
    assert admin.cloud.secrets == {}
    assert admin("GET", ONE).json["destination_type"] == "s3"


def test_a_tenant_has_no_more_destinations_than_its_counts_can_hold(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(destinations, "MOST_DESTINATIONS", 2)
    for id, status in (("a", 201), ("b", 201), ("c", 409), ("b", 200)):
        made = admin("POST", "/destinations", {"destination_id": id, **S3})
        assert made.status == status
    admin("DELETE", "/destinations/a")
    assert admin("POST", "/destinations", {"destination_id": "c", **S3}).status == 201


def test_a_stale_change_is_refused_and_shown_what_there_is_now(admin: Admin) -> None:
    old = admin("POST", "/destinations", WEBHOOK)
    current = admin("PATCH", ONE, {"name": "CRM"}, headers={"if-match": etag(old)})
    refused = admin("PATCH", ONE, {"state": "disabled"}, headers={"if-match": etag(old)})
    problem(refused, 412)
    assert refused.json["current"] == current.json
    version = {"updated_at": old.json["updated_at"]}
    problem(admin("PATCH", ONE, {"state": "disabled", **version}), 409)
    problem(admin("PATCH", ONE, {"state": "disabled"}), 428)
    problem(admin("PATCH", "/destinations/none", {"name": "x"}, headers={"if-match": "*"}), 404)
    assert admin("GET", ONE).json == current.json


@pytest.mark.parametrize(
    ("change", "closes"),
    [
        ({"settings": {"url": "https://crm.example.com/another"}}, True),
        ({"state": "disabled"}, True),
        ({"name": "CRM"}, False),
        ({"state": "active"}, False),
    ],
)
def test_a_change_of_what_it_is_closes_the_breaker(
    admin: Admin, change: Record, closes: bool
) -> None:
    admin("POST", "/destinations", WEBHOOK)
    key = {"tenant_id": "acme", "destination_id": WEBHOOK["destination_id"]}
    opened = {"failures": 7, "breaker_until": iso_utc(NOW + timedelta(hours=1))}
    failed = {**opened, "last_failure": "1", "probed_by": "2"}
    store = admin.forms.store()
    store.update(Forms.update_destination, key, failed)
    assert admin("PATCH", ONE, change, headers={"if-match": "*"}).status == 200
    found = store.get(Forms.get_destination, key)
    assert found is not None
    assert {name: found[name] for name in failed if name in found} == ({} if closes else failed)


@pytest.mark.parametrize(
    ("changes", "pointers"),
    [
        ({"settings": {"url": "https://10.0.0.1/"}}, {"/settings/url"}),
        ({"settings": {"url": "https://[64:ff9b::7f00:1]/"}}, {"/settings/url"}),
        ({"settings": {"url": "https://u:p@example.com/"}}, {"/settings/url"}),
        ({"settings": {"url": "http://example.com/"}}, {"/settings/url"}),
        ({"settings": {}}, {"/settings/url"}),
        ({"settings": {"key_id": "k1"}}, {"/settings/url", "/settings/key_id"}),
        ({"settings": "x"}, {"/settings"}),
        ({"destination_type": "ftp"}, {"/destination_type"}),
        ({"destination_id": "a/b", "state": "on"}, {"/destination_id", "/state"}),
        ({"destination_id": "x" * 129}, {"/destination_id"}),
        ({"failures": 0, "colour": "red"}, {"/failures", "/colour"}),
        ({"key_id": "k1"}, {"/key_id"}),
        ({"destination_type": "email"}, {"/settings/to", "/settings/url"}),
    ],
)
def test_a_bad_destination_is_refused_and_nothing_is_stored(
    admin: Admin, changes: dict[str, Any], pointers: set[str]
) -> None:
    before = admin.forms.database.items()
    assert problem(admin("POST", "/destinations", {**WEBHOOK, **changes}), 400).keys() == pointers
    assert admin.forms.database.items() == before
    assert admin.cloud.secrets == {}


def test_settings_are_held_against_the_type_when_they_are_changed(admin: Admin) -> None:
    made = admin("POST", "/destinations", {"destination_id": "crm", **S3})
    anyhow: dict[str, Any] = {"headers": {"if-match": "*"}}
    body = {"settings": WEBHOOK["settings"]}
    found = problem(admin("PATCH", ONE, body, **anyhow), 400)
    assert found.keys() == {"/settings/bucket", "/settings/url"}
    found = problem(admin("PATCH", ONE, {"destination_type": "email"}, **anyhow), 400)
    assert found == {"/destination_type": "cannot be given here"}
    assert admin("GET", ONE).json == made.json


def test_destinations_are_listed_all_or_by_type_and_each_tenant_sees_its_own(
    admin: Admin,
) -> None:
    admin.tenant("acme-2")
    for number in range(6):
        kind = S3 if number % 2 else {k: v for k, v in WEBHOOK.items() if k != "destination_id"}
        admin("POST", "/destinations", {**kind, "destination_id": f"d{number}"})
        admin.wait(seconds=1)
    admin("POST", "/destinations", {**WEBHOOK, "destination_id": "theirs"}, claims=EVE)

    def ids(**asked: Any) -> list[str]:
        found = admin.all("/destinations", "DestinationPage", 2, **asked)
        return [one["destination_id"] for one in found]

    assert ids() == [f"d{number}" for number in range(6)]
    assert ids(type="s3") == ["d1", "d3", "d5"]
    assert ids(claims=EVE) == ["theirs"]
    problem(admin("GET", "/destinations/theirs"), 404)
    assert problem(admin("GET", "/destinations", type="ftp"), 400).keys() == {"type"}
    assert problem(admin("GET", "/destinations", colour="x"), 400).keys() == {"colour"}
    for limit in ("0", "101", "-1", "x", "1.5"):
        assert problem(admin("GET", "/destinations", limit=limit), 400).keys() == {"limit"}


def test_a_test_delivers_something_made_up_to_one_destination(admin: Admin) -> None:
    problem(admin("POST", f"{ONE}/test"), 404)
    admin("POST", "/destinations", WEBHOOK)
    asked = admin("POST", f"{ONE}/test")
    assert asked.status == 202
    assert conforms(asked, "Enqueued")
    id = asked.json["submission_id"]
    ((deliver,),) = (message.values() for message in admin.cloud.messages)
    assert deliver == {
        "tenant_id": "acme",
        "submission_id": id,
        "destination_id": "crm",
        "attempt": 1,
        "since": iso_utc(NOW),
    }
    made = admin("GET", f"/submissions/{id}").json
    assert (made["status"], made["payload"]) == ("QUARANTINED", {"test": True})
    assert made["expires_at"] == "2025-01-27T12:00:00.000Z"
    admin("PATCH", ONE, {"state": "disabled"}, headers={"if-match": "*"})
    problem(admin("POST", f"{ONE}/test"), 409)
    assert len(admin.cloud.messages) == 1


def test_attempts_at_a_destination_are_listed_by_status_newest_first(admin: Admin) -> None:
    store = admin.forms.store()
    example = DeliveryAttempt.__entity__.example
    for number in range(12):
        moment = NOW + timedelta(minutes=number)
        made = {
            "submission_id": uuid7(NOW - timedelta(minutes=number)),
            "status": ATTEMPT_STATUSES[number % 3],
            "timestamp": moment,
        }
        for tenant in ("acme", "acme-2"):
            store.put(
                Forms.put_attempt, DeliveryAttempt(**{**example, **made, "tenant_id": tenant})
            )
    path = f"{ONE}/attempts"
    found = admin.all(path, "AttemptPage", 3, status="SUCCEEDED")
    assert [one["timestamp"][14:16] for one in found] == ["10", "07", "04", "01"]
    assert {one["tenant_id"] for one in found} == {"acme"}
    since: dict[str, Any] = {
        "since": "2025-01-26T12:05:00.000Z",
        "until": "2025-01-26T12:07:00.000Z",
    }
    bounded = admin.all(path, "AttemptPage", 3, status="SUCCEEDED", **since)
    assert [one["timestamp"][14:16] for one in bounded] == ["07"]
    assert len(admin.all(path, "AttemptPage", 5)) == 12
    assert admin.all("/destinations/other/attempts", "AttemptPage", 5) == []
    assert problem(admin("GET", path, status="LOST"), 400).keys() == {"status"}
    assert problem(admin("GET", path, **since), 400).keys() == {"status"}
    assert problem(admin("GET", path, status="FAILED", since="today"), 400).keys() == {"since"}


def test_a_destination_that_is_made_again_is_signed_for_with_its_new_secret_at_once(
    admin: Admin,
) -> None:
    cached = CachedSecrets(admin.cloud, PREFIX)
    old = admin("POST", "/destinations", WEBHOOK).json
    assert cached("acme", old["key_id"]) == old["secret"]
    admin("DELETE", ONE)
    new = admin("POST", "/destinations", WEBHOOK).json
    assert new["secret"] != old["secret"]
    # By a function that has been warm all the while.
    assert cached("acme", new["key_id"]) == new["secret"]
    assert list(admin.cloud.secrets.values()) == [new["secret"]]


def signing(admin: Admin) -> list[str]:
    """The secrets that a delivery is signed with now."""
    key = {"tenant_id": "acme", "destination_id": "crm"}
    found = admin.forms.store().get(Forms.get_destination, key)
    assert found is not None
    made = Submission(**Submission.__entity__.example)
    shipment = _shipment(made, found, b"{}", admin.now)
    return [admin.cloud.secrets[f"{PREFIX}acme/{id}"] for id in shipment.key_ids]


def test_a_secret_is_rotated_and_both_sign_for_a_day(admin: Admin) -> None:
    first = admin("POST", "/destinations", WEBHOOK).json["secret"]
    rotated = admin("POST", f"{ONE}/secret")
    assert rotated.status == 201
    assert conforms(rotated, "MadeDestination")
    assert "no-store" in rotated.headers["cache-control"]
    second = rotated.json["secret"]
    assert signing(admin) == [second, first]
    again = admin("POST", f"{ONE}/secret")
    assert (again.status, again.json) == (200, rotated.json)
    admin.wait(hours=23)
    assert signing(admin) == [second, first]
    admin.wait(hours=1)
    assert signing(admin) == [second]
    third = admin("POST", f"{ONE}/secret").json["secret"]
    assert signing(admin) == [third, second]
    assert sorted(admin.cloud.secrets.values()) == sorted([second, third])
    assert admin("DELETE", ONE).status == 204
    assert admin.cloud.secrets == {}


def test_only_webhooks_that_there_are_have_a_secret_to_rotate(admin: Admin) -> None:
    problem(admin("POST", f"{ONE}/secret"), 404)
    admin("POST", "/destinations", {"destination_id": "crm", **S3})
    problem(admin("POST", f"{ONE}/secret"), 409)
    assert admin.cloud.secrets == {}


def test_a_rotation_that_died_long_ago_is_gone_on_with(admin: Admin) -> None:
    """Its key was stored and its value not made: what signs until then must go on signing."""
    first = admin("POST", "/destinations", WEBHOOK).json["secret"]
    died = admin("POST", f"{ONE}/secret").json
    del admin.cloud.secrets[f"{PREFIX}acme/{died['key_id']}"]
    admin.wait(hours=1)
    rotated = admin("POST", f"{ONE}/secret")
    assert (rotated.status, rotated.json["key_id"]) == (201, died["key_id"])
    assert signing(admin) == [rotated.json["secret"], first]


def test_making_rotating_and_removing_a_webhook_end_the_same_whatever_fails(
    forms: FormTable,
) -> None:
    cloud = Cloud()
    edge = Edge(forms.database.caller, cloud)
    told: list[str | None] = []

    def fresh() -> Caller:
        emptied(forms)
        cloud.secrets.clear()
        return edge

    def work(caller: Caller) -> None:
        values = SecretStore(caller, PREFIX)
        ours = Destinations(forms.store(caller), values, "acme")
        ours.create({**WEBHOOK, "destination_id": "gone"}, NOW)
        ours.remove("gone")
        assert ours.create(WEBHOOK, NOW).secret
        told[:] = [ours.rotate("crm", NOW + timedelta(days=1)).secret]

    def outcome() -> Any:
        (item,) = forms.database.items()
        keys = [item.pop(name)["S"] for name in ("previous_key_id", "key_id")]
        assert [f"{PREFIX}acme/{id}" for id in keys] == list(cloud.secrets)
        assert list(cloud.secrets.values())[1:] == told
        return item

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 12
