"""The admin API: rotating the secrets that requests are signed with, whatever fails on the way."""

import logging
from base64 import urlsafe_b64decode
from typing import Any

import pytest

from lambdas.forms.tenants.configuration import Configuration, tenant_from
from lambdas.forms.tenants.domains import Domains
from lambdas.forms.tenants.secrets import SecretStore
from lambdas.forms.tenants.signing_secrets import SigningSecrets
from tablewright.runtime.aws import Caller
from tablewright.testing import survives_every_fault
from tests.integration.forms.admin.administration import (
    EVE,
    NOW,
    PREFIX,
    Admin,
    Cloud,
    Edge,
    conforms,
    emptied,
    problem,
)
from tests.integration.forms.conftest import FormTable

SINCE = "2025-01-01T00:00:00.000Z"


@pytest.fixture
def admin(forms: FormTable, monkeypatch: pytest.MonkeyPatch) -> Admin:
    made = Admin(forms, monkeypatch)
    made.tenant()
    return made


def states(admin: Admin, **asked: Any) -> dict[str, str]:
    listed = admin.all("/secrets", "SecretPage", 2, **asked)
    return {numbered(one["key_id"]): one["state"] for one in listed}


def numbered(key_id: str) -> str:
    """The number of a key, without its tenant's time."""
    return key_id.partition("-")[0]


def key(number: int) -> str:
    """The id of a key of a tenant that was made now."""
    return f"k{number}-{int(NOW.timestamp() * 1000):x}"


def test_a_secret_is_made_told_once_and_kept_in_secrets_manager_only(
    admin: Admin, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made = admin("POST", "/secrets")
    assert made.status == 201
    assert conforms(made, "MadeSecret")
    assert made.headers["cache-control"] in ("no-store", ["no-store"])
    value = made.json["secret"]
    assert len(urlsafe_b64decode(value + "=")) == 32
    assert admin.cloud.secrets == {f"{PREFIX}acme/{key(1)}": value}
    assert value not in repr(admin.forms.database.items())
    assert value not in admin("GET", "/secrets").text
    assert "arn:" not in admin("GET", "/secrets").text
    assert value not in caplog.text


def test_keys_go_from_current_to_previous_to_revoked(admin: Admin) -> None:
    values = []
    for _ in range(3):
        values.append(admin("POST", "/secrets").json["secret"])
        admin.wait(days=1)
    assert len(set(values)) == 3
    assert states(admin) == {"k1": "revoked", "k2": "previous", "k3": "current"}
    assert admin.cloud.secrets == {
        f"{PREFIX}acme/{key(2)}": values[1],
        f"{PREFIX}acme/{key(3)}": values[2],
    }


def test_a_rotation_that_is_repeated_shortly_after_is_the_same(admin: Admin) -> None:
    first = admin("POST", "/secrets")
    admin.wait(days=1)
    second = admin("POST", "/secrets")
    admin.wait(minutes=9)
    again = admin("POST", "/secrets")
    assert (again.status, again.json) == (200, second.json)
    assert states(admin) == {"k1": "previous", "k2": "current"}
    assert admin.cloud.secrets[f"{PREFIX}acme/{key(1)}"] == first.json["secret"]
    admin.wait(minutes=1)
    assert admin("POST", "/secrets").status == 201
    assert states(admin) == {"k1": "revoked", "k2": "previous", "k3": "current"}


def test_a_key_is_revoked_at_once_and_can_be_replaced_at_once(admin: Admin) -> None:
    admin("POST", "/secrets")
    for _ in range(2):
        assert admin("DELETE", f"/secrets/{key(1)}").status == 204
    assert states(admin) == {"k1": "revoked"}
    assert admin.cloud.secrets == {}
    assert admin("POST", "/secrets").json["key_id"] == key(2)
    assert states(admin) == {"k1": "revoked", "k2": "current"}
    assert admin("DELETE", "/secrets/none").status == 204
    problem(admin("DELETE", "/secrets/a b"), 400)


def test_the_previous_key_stays_when_the_current_one_is_revoked_and_replaced(admin: Admin) -> None:
    admin("POST", "/secrets")
    admin.wait(days=1)
    admin("POST", "/secrets")
    admin("DELETE", f"/secrets/{key(2)}")
    admin("POST", "/secrets")
    assert states(admin) == {"k1": "previous", "k2": "revoked", "k3": "current"}


def test_a_tenant_that_is_made_again_does_not_get_an_older_secret(admin: Admin) -> None:
    before = admin("POST", "/secrets").json
    emptied(admin.forms)  # as when a stage is destroyed, which leaves its secrets behind
    admin.wait(days=1)
    admin.tenant()
    after = admin("POST", "/secrets").json
    assert after["secret"] != before["secret"]
    assert after["key_id"] != before["key_id"]
    assert states(admin) == {"k1": "current"}


def test_each_tenant_has_its_own(admin: Admin) -> None:
    admin.tenant("acme-2")
    mine, theirs = admin("POST", "/secrets"), admin("POST", "/secrets", claims=EVE)
    assert mine.json["key_id"] == theirs.json["key_id"] == key(1)
    assert mine.json["secret"] != theirs.json["secret"]
    admin("DELETE", f"/secrets/{key(1)}", claims=EVE)
    assert states(admin) == {"k1": "current"}
    assert states(admin, claims=EVE) == {"k1": "revoked"}


@pytest.mark.parametrize("rotations", [0, 1, 2, 3])
def test_a_rotation_ends_the_same_whatever_fails_on_the_way(
    forms: FormTable, rotations: int
) -> None:
    """And the key that was in use before it stays usable."""
    database, cloud = forms.database, Cloud()
    dynamo = database.caller
    told: list[str] = []

    def secrets(caller: Caller) -> SigningSecrets:
        return SigningSecrets(forms.store(caller), SecretStore(caller, PREFIX), "acme")

    def fresh() -> Caller:
        emptied(forms)
        cloud.secrets.clear()
        edge = Edge(dynamo, cloud)
        for number in range(rotations):
            secrets(edge).rotate(NOW.replace(month=1, day=1 + number), SINCE)
        return edge

    def work(caller: Caller) -> None:
        rotated = secrets(caller).rotate(NOW, SINCE)
        told[:] = [rotated.key["key_id"], rotated.value]

    def outcome() -> Any:
        key_id, value = told
        # What was told is what is kept.
        assert cloud.secrets[f"{PREFIX}acme/{key_id}"] == value
        return key_id, sorted(cloud.secrets), database.items()

    calls = survives_every_fault(work, outcome, fresh=fresh)
    assert len(calls) >= 3
    found = {numbered(one["key_id"]["S"]): one["state"]["S"] for one in database.items()}
    new = rotations + 1
    expected = {f"k{n}": "revoked" for n in range(1, new)}
    expected |= {f"k{rotations}": "previous"} if rotations else {}
    assert found == {**expected, f"k{new}": "current"}


def test_creating_a_tenant_and_claiming_a_domain_end_the_same_whatever_fails(
    forms: FormTable,
) -> None:
    dynamo = forms.database.caller

    def fresh() -> Caller:
        emptied(forms)
        return dynamo

    def work(caller: Caller) -> None:
        store = forms.store(caller)
        tenant = tenant_from({"tenant_id": "acme", "name": "Acme"}, NOW)
        Configuration(store, "acme").create(tenant)
        domains = Domains(store, store, "acme")
        domains.claim({"domain": "gone.example"}, NOW)
        domains.claim({"domain": "example.com"}, NOW)
        domains.give_up("gone.example")

    def kept() -> list[str]:
        return [item["SK"]["S"] for item in forms.database.items()]

    assert len(survives_every_fault(work, kept, fresh=fresh)) >= 4
    assert sorted(kept()) == ["CONFIG#main", "DOMAIN#example.com"]
