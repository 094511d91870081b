"""One session for each tenant, kept while it is good, and no connections of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier, Event
from typing import Any

import boto3
import pytest

from tablewright.runtime import tenancy
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.errors import AccessDenied, CredentialsExpired, StoreError, Unavailable
from tablewright.runtime.tenancy import Tenants
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.connection import Reply

START = datetime(2025, 1, 1, tzinfo=UTC)
SESSION = boto3.session.Session(
    aws_access_key_id="own", aws_secret_access_key="own", region_name="eu-west-1"
)


class Sts:
    """Hands out sessions of an hour and remembers for whom; `before` is done first."""

    def __init__(self) -> None:
        self.now = START
        self.asked: list[dict[str, Any]] = []
        self.fails: StoreError | None = None
        self.before: Callable[[str], Any] = lambda tenant: None

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "AssumeRole"
        self.asked.append(params)
        number = len(self.asked)
        self.before(params["Tags"][0]["Value"])
        if self.fails:
            raise self.fails
        keys = {"AccessKeyId": f"key {number}", "SecretAccessKey": "s", "SessionToken": "t"}
        return {"Credentials": {**keys, "Expiration": self.now + timedelta(hours=1)}}


class World:
    """Tenants over a client that answers without a network and notes who has signed."""

    def __init__(self) -> None:
        self.sts = Sts()
        self.tenants = Tenants(SESSION, "role", sts=self.sts, now=lambda: self.sts.now)
        self.expired: set[str] = set()
        self.tenants.prepare()
        self.client = self.tenants._clients["dynamodb"]
        assert isinstance(self.client, WireClient)
        self.client._connections.exchange = self._answer  # type: ignore[method-assign]

    def signer(self, tenant: str) -> str:
        """The access key that signs a tenant's request."""
        answer = self.tenants.access(tenant).call("ListTables", {})
        return str(answer["TableNames"][0])

    def _answer(self, request: bytes) -> Reply:
        key = request.partition(b"Credential=")[2].partition(b"/")[0].decode()
        if key in self.expired:
            expired = b'{"__type": "x#ExpiredTokenException", "message": "expired"}'
            return Reply(400, {}, expired)
        return Reply(200, {}, f'{{"TableNames": ["{key}"]}}'.encode())


def test_a_session_is_tagged_with_its_tenant() -> None:
    world = World()
    world.signer("acme")
    (request,) = world.sts.asked
    assert request["RoleArn"] == "role"
    assert request["Tags"] == [{"Key": "tenant", "Value": "acme"}]
    assert request["RoleSessionName"] == "tenant-acme"


def test_a_session_signs_its_tenants_requests_and_no_others() -> None:
    world = World()
    signers = [world.signer(tenant) for tenant in ("acme", "acme2", "acme", "acme2")]
    assert signers == ["key 1", "key 2", "key 1", "key 2"]
    assert len(world.sts.asked) == 2


def test_addresses_are_signed_by_the_session_too() -> None:
    world = World()
    files = world.tenants.files("acme")
    address = files.presign("get_object", {"Bucket": "files", "Key": "acme/1"}, 60)
    assert "AWSAccessKeyId=key%201&" in address


def test_nothing_is_signed_with_the_functions_own_rights() -> None:
    world = World()
    world.signer("acme")
    assert world.client.call("ListTables", {}) == {"TableNames": ["no-session"]}
    world.tenants.prepare("s3")
    files = world.tenants._clients["s3"]
    assert isinstance(files, Boto3Client)
    assert files.client._request_signer._credentials.access_key == "no-session"


def test_a_session_is_renewed_before_it_expires() -> None:
    world = World()
    first = world.signer("acme")
    world.sts.now = START + timedelta(minutes=54)
    assert world.signer("acme") == first
    world.sts.now = START + timedelta(minutes=56)
    assert world.signer("acme") != first


def test_a_session_that_cannot_be_renewed_serves_until_it_expires() -> None:
    world = World()
    first = world.signer("acme")
    world.sts.now, world.sts.fails = START + timedelta(minutes=56), Unavailable("down")
    assert world.signer("acme") == first
    assert world.signer("acme") == first
    assert len(world.sts.asked) == 2  # a pause, not a question with every request
    world.sts.now = START + timedelta(minutes=61)
    with pytest.raises(Unavailable):
        world.signer("acme")


def test_a_session_that_is_refused_as_expired_is_asked_for_once_more() -> None:
    world = World()
    first = world.signer("acme")
    world.expired.add(first)
    assert world.signer("acme") == "key 2"
    world.expired |= {"key 2", "key 3"}
    with pytest.raises(CredentialsExpired):
        world.signer("acme")
    assert len(world.sts.asked) == 3


def test_a_role_that_may_not_be_assumed_is_said_to_be_denied() -> None:
    world = World()
    world.sts.fails = AccessDenied("AssumeRole: AccessDenied")
    with pytest.raises(AccessDenied):
        world.signer("acme")


def test_a_tenant_whose_session_is_slow_keeps_no_other_waiting() -> None:
    world = World()
    asked, go_on = Event(), Event()

    def slow(tenant: str) -> None:
        if tenant == "slow":
            asked.set()
            assert go_on.wait(60)

    world.sts.before = slow
    with ThreadPoolExecutor() as executor:
        waiting = executor.submit(world.signer, "slow")
        assert asked.wait(60)
        other = executor.submit(world.signer, "other")
        assert other.result(10) == "key 2"
        assert not waiting.done()
        go_on.set()
        assert waiting.result(10) == "key 1"


def test_threads_of_one_tenant_ask_for_its_session_once() -> None:
    world = World()
    together = Barrier(8)

    def ask(_: int) -> str:
        together.wait(60)
        return world.signer("acme")

    with ThreadPoolExecutor(8) as executor:
        assert set(executor.map(ask, range(8))) == {"key 1"}
    assert len(world.sts.asked) == 1


def test_threads_of_different_tenants_never_sign_for_one_another() -> None:
    world = World()
    own = {f"tenant{n}": world.signer(f"tenant{n}") for n in range(8)}
    with ThreadPoolExecutor(8) as executor:
        asked = [f"tenant{n % 8}" for n in range(400)]
        assert list(executor.map(world.signer, asked)) == [own[tenant] for tenant in asked]


def test_only_so_many_sessions_are_kept_and_the_least_used_go_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tenancy, "_KEPT", 4)
    world = World()
    for number in range(4):
        world.signer(f"tenant{number}")
    world.signer("tenant0")
    world.signer("one-more")
    asked = len(world.sts.asked)
    world.signer("tenant0")
    assert len(world.sts.asked) == asked
    world.signer("tenant1")
    assert len(world.sts.asked) == asked + 1
