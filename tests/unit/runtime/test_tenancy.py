"""One session for each tenant, kept while it is good."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tablewright.runtime.tenancy import Tenants

START = datetime(2025, 1, 1, tzinfo=UTC)


class Sts:
    """Hands out sessions of an hour and remembers for whom."""

    def __init__(self) -> None:
        self.now = START
        self.asked: list[dict[str, Any]] = []

    def client(self, service: str, **_: Any) -> "Sts":
        assert service == "sts"
        return self

    def assume_role(self, **request: Any) -> Any:
        self.asked.append(request)
        number = len(self.asked)
        return {"Credentials": {"AccessKeyId": number, "Expiration": self.now + timedelta(hours=1)}}


def tenants(sts: Sts) -> Tenants:
    return Tenants(sts, "role", connect=lambda keys: keys["AccessKeyId"], now=lambda: sts.now)


def test_a_session_is_tagged_with_its_tenant() -> None:
    sts = Sts()
    tenants(sts).access("acme")
    (request,) = sts.asked
    assert request["RoleArn"] == "role"
    assert request["Tags"] == [{"Key": "tenant", "Value": "acme"}]
    assert request["RoleSessionName"] == "tenant-acme"


def test_a_session_serves_its_tenant_again_and_no_other() -> None:
    sts = Sts()
    access = tenants(sts).access
    first = access("acme")
    assert access("acme") is first
    assert access("acme2") is not first
    assert len(sts.asked) == 2


def test_a_session_is_renewed_before_it_expires() -> None:
    sts = Sts()
    access = tenants(sts).access
    first = access("acme")
    sts.now = START + timedelta(minutes=54)
    assert access("acme") is first
    sts.now = START + timedelta(minutes=56)
    assert access("acme") is not first


def test_only_so_many_sessions_are_kept_and_the_least_used_go_first() -> None:
    sts = Sts()
    access = tenants(sts).access
    for number in range(64):
        access(f"tenant{number}")
    access("tenant0")
    access("one-more")
    asked = len(sts.asked)
    access("tenant0")
    assert len(sts.asked) == asked
    access("tenant1")
    assert len(sts.asked) == asked + 1
