"""What is configured that only botocore does leaves its calls to botocore."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from json import JSONDecodeError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.credentials import Credentials as BotocoreCredentials
from botocore.credentials import RefreshableCredentials
from botocore.exceptions import (
    ClientError,
    CredentialRetrievalError,
    LoginRefreshRequired,
    MetadataRetrievalError,
    ProfileNotFound,
    SSOTokenLoadError,
    UnauthorizedSSOTokenError,
)
from botocore.httpsession import where
from botocore.stub import Stubber

from tablewright.runtime import boto3_client
from tablewright.runtime.aws import connect
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.errors import (
    AccessDenied,
    CredentialsExpired,
    StoreError,
    Throttled,
    Unavailable,
)
from tablewright.runtime.transport import Transport
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.sessions import Given
from tablewright.testing import costs_at_most

pytestmark = pytest.mark.thorough


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("AWS_", "REQUESTS_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


def session(**settings: Any) -> boto3.session.Session:
    return boto3.session.Session("key", "secret", region_name="eu-west-1", **settings)


def reason(change: Callable[[Any, Any], None] = lambda session, client: None, **config: Any) -> Any:
    made = session()
    client = made.client("dynamodb", config=Config(**config))
    change(made, client)
    return Given(made, client).reason_for_boto3()


def test_nothing_special_goes_over_the_wire() -> None:
    assert reason() is None
    assert isinstance(connect(session(), "dynamodb"), WireClient)
    assert isinstance(Transport(session())._caller, WireClient)


def test_a_client_that_is_given_is_the_one_that_calls() -> None:
    client = session().client("dynamodb")
    caller = Transport(client)._caller
    assert isinstance(caller, Boto3Client)
    assert caller.client is client


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"proxies": {"https": "http://proxy:1"}}, "a proxy"),
        ({"client_cert": "/certificate"}, "a client certificate"),
        ({"account_id_endpoint_mode": "required"}, "accounts"),
        ({"signature_version": "v4a"}, "v4a"),
    ],
)
def test_settings_that_the_wire_does_not_know(config: dict[str, Any], says: str) -> None:
    assert says in reason(**config)


def test_a_proxy_of_the_environment_counts_where_it_is_used(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:1")
    assert isinstance(connect(session(), "dynamodb"), Boto3Client)
    assert caplog.messages == ["calls of dynamodb are made by boto3: there is a proxy"]
    monkeypatch.setenv("NO_PROXY", "amazonaws.com")
    assert isinstance(connect(session(), "dynamodb"), WireClient)


def test_the_setting_that_chooses_boto3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLEWRIGHT_CLIENT", "boto3")
    assert isinstance(connect(session(), "dynamodb"), Boto3Client)


@pytest.mark.parametrize(
    "event", ["before-send", "before-call.dynamodb", "request-created.dynamodb.PutItem", "*.*.*"]
)
def test_handlers_of_others_take_part_in_calls(event: str) -> None:
    """Such as those of a library that plays AWS in tests: calls past it would be real ones."""

    def handler(**_: Any) -> None: ...

    assert reason(lambda session, client: client.meta.events.register(event, handler))


def test_handlers_of_a_session_count_too() -> None:
    made = session()
    made.events.register("before-send", SimpleNamespace)
    assert isinstance(connect(made, "dynamodb"), Boto3Client)


def test_a_stubbed_client_is_asked() -> None:
    def stub(session: Any, client: Any) -> None:
        Stubber(client).activate()

    assert reason(stub)


def test_testing_kit_that_watches_both_clients_is_no_tracer() -> None:
    with costs_at_most(calls=0):
        assert reason() is None


FAILURES: list[tuple[Exception, type[StoreError]]] = [
    (CredentialRetrievalError(provider="p", error_msg="m"), Unavailable),
    (MetadataRetrievalError(error_msg="no answer"), Unavailable),
    (UnauthorizedSSOTokenError(), AccessDenied),
    (SSOTokenLoadError(error_msg="m"), AccessDenied),
    (LoginRefreshRequired(), AccessDenied),
    (ClientError({"Error": {"Code": "AccessDenied"}}, "AssumeRole"), AccessDenied),
    (ClientError({"Error": {"Code": "ExpiredToken"}}, "AssumeRole"), CredentialsExpired),
    (ClientError({"Error": {"Code": "Throttling"}}, "AssumeRole"), Throttled),
    (ProfileNotFound(profile="p"), StoreError),
    (FileNotFoundError("credential_process"), StoreError),
    (RuntimeError("refreshed credentials are still expired"), StoreError),
    (JSONDecodeError("of credential_process", "", 0), StoreError),
]  # fmt: skip


@pytest.mark.parametrize("connect", [connect, boto3_client.connect])
@pytest.mark.parametrize(("error", "kind"), FAILURES)
def test_credentials_that_cannot_be_had_are_a_store_error(
    error: Exception, kind: type[StoreError], connect: Callable[..., Any]
) -> None:
    class Broken(BotocoreCredentials):  # type: ignore[misc]
        def get_frozen_credentials(self) -> Any:
            raise error

    made = session()
    core: Any = made._session
    core._credentials = Broken("key", "secret")
    with pytest.raises(StoreError) as failed:
        connect(made, "dynamodb", endpoint_url="http://127.0.0.1:1").call("ListTables", {})
    assert type(failed.value) is kind
    assert failed.value.__cause__ is error


@pytest.mark.parametrize("connect", [connect, boto3_client.connect])
@pytest.mark.parametrize(
    ("script", "kind"),
    [
        ("exit 1", Unavailable),
        ("echo no JSON", StoreError),
        ("echo []", StoreError),
        ("""echo '{"Version": 1}'""", Unavailable),
        ("""echo '{"Version": 1, "AccessKeyId": "a", "SecretAccessKey": "b", "Expiration": "x"}'""",
         StoreError),
    ],
)  # fmt: skip
def test_program_that_provides_no_credentials_is_a_store_error(
    script: str,
    kind: type[StoreError],
    connect: Callable[..., Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """botocore runs it when a client is made, and lets errors of its JSON and dates through."""
    program, config = tmp_path / "program", tmp_path / "config"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    config.write_text(f"[default]\nregion = eu-west-1\ncredential_process = {program}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    with pytest.raises(StoreError) as failed:
        connect(boto3.session.Session(), "dynamodb")
    assert type(failed.value) is kind


def test_retry_mode_that_only_boto3_has_is_boto3s() -> None:
    retries = {"mode": "adaptive", "total_max_attempts": 2}
    assert isinstance(connect(session(), "dynamodb", retries=retries), Boto3Client)


def test_another_botocore_is_left_alone() -> None:
    def changed(session: Any, client: Any) -> None:
        del client.meta.events._emitter._handlers

    assert "not known" in reason(changed)


def test_the_endpoint_is_botocores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_USE_FIPS_ENDPOINT", "true")
    made = connect(session(), "dynamodb", region="us-east-1")
    assert isinstance(made, WireClient)
    assert made._connections.host == "dynamodb-fips.us-east-1.amazonaws.com"


def test_the_authorities_are_botocores(monkeypatch: pytest.MonkeyPatch) -> None:
    def bundle() -> str | None:
        made = session()
        return Given(made, made.client("dynamodb")).ca_bundle

    assert bundle() == where()
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", "/company.pem")
    assert bundle() == "/company.pem"
    monkeypatch.setenv("AWS_CA_BUNDLE", "/own.pem")
    assert bundle() == "/own.pem"


def test_credentials_are_renewed_by_botocore() -> None:
    made = session()
    numbers = iter(range(9))

    def renewed() -> dict[str, str]:
        soon = datetime.now(UTC) + timedelta(seconds=1)
        return {"access_key": f"key {next(numbers)}", "secret_key": "s", "token": "t",
                "expiry_time": soon.isoformat()}  # fmt: skip

    core: Any = made._session
    core._credentials = RefreshableCredentials.create_from_metadata(renewed(), renewed, "test")
    given = Given(made, made.client("dynamodb"))
    assert [given.credentials().access_key for _ in range(2)] == ["key 1", "key 2"]


def test_without_credentials_a_call_is_denied() -> None:
    nobody = boto3.session.Session(region_name="eu-west-1")
    nobody.get_credentials = lambda: None
    made = connect(nobody, "dynamodb")
    with pytest.raises(AccessDenied, match="no credentials"):
        made.call("ListTables", {})
