"""In Lambda, region, endpoints and credentials are found without botocore, and are its own."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from typing import Any

import boto3
import pytest
from botocore.httpsession import DEFAULT_CA_BUNDLE, where

from tablewright.runtime import aws
from tablewright.runtime.aws import connect, own_session
from tablewright.runtime.boto3_client import Boto3Client
from tablewright.runtime.errors import AccessDenied, Unavailable
from tablewright.runtime.wire import environment
from tablewright.runtime.wire.client import WireClient
from tablewright.runtime.wire.connection import KEPT
from tablewright.runtime.wire.environment import (
    ContainerCredentials,
    LambdaSession,
    connections_asked,
    reason_for_boto3,
    retry_settings,
)
from tablewright.runtime.wire.services import SERVICES
from tablewright.runtime.wire.signing import Credentials
from toolchain.paths import ROOT

OWN = {
    "AWS_LAMBDA_FUNCTION_NAME": "function",
    "AWS_REGION": "eu-west-1",
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_SESSION_TOKEN": "token",
}


@pytest.fixture(autouse=True)
def in_lambda(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("AWS_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    for name, value in OWN.items():
        monkeypatch.setenv(name, value)


def test_a_function_has_a_session_of_its_own() -> None:
    session = own_session()
    assert isinstance(session, LambdaSession)
    assert session.region_name == "eu-west-1"
    assert session.credentials() == Credentials("key", "secret", "token")
    assert isinstance(connect(session, "dynamodb"), WireClient)
    assert isinstance(connect(session, "s3"), Boto3Client)
    assert isinstance(connect(session, "dynamodb", user_agent_extra="x"), Boto3Client)


@pytest.mark.thorough
@pytest.mark.parametrize("service", SERVICES)
def test_endpoints_are_botocores(service: str) -> None:
    known = boto3.session.Session()
    partitions = ("aws", "aws-cn", "aws-us-gov")
    regions = [r for name in partitions for r in known.get_available_regions(service, name)]
    assert len(regions) > 30
    for region in regions:
        theirs = known.client(service, region_name=region).meta.endpoint_url
        assert LambdaSession(OWN).endpoint(service, region) == theirs, region


@pytest.mark.thorough
@pytest.mark.parametrize("service", SERVICES)
def test_endpoints_that_are_set_are_botocores(
    service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    name = boto3.client(service).meta.service_model.service_id.upper().replace(" ", "_")
    for variables in ({}, {f"AWS_ENDPOINT_URL_{name}": "http://127.0.0.1:2"},
                      {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}):  # fmt: skip
        for variable, value in variables.items():
            monkeypatch.setenv(variable, value)
        ours = LambdaSession(os.environ).endpoint(service, "eu-west-1")
        assert ours == boto3.session.Session().client(service).meta.endpoint_url


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"TABLEWRIGHT_CLIENT": "boto3"}, "TABLEWRIGHT_CLIENT"),
        ({"HTTPS_PROXY": "http://proxy:1"}, "HTTPS_PROXY"),
        ({"AWS_CONFIG_FILE": "/nowhere"}, "AWS_CONFIG_FILE"),
        ({"AWS_USE_FIPS_ENDPOINT": "true"}, "AWS_USE_FIPS_ENDPOINT"),
        ({"AWS_USE_DUALSTACK_ENDPOINT": "True"}, "AWS_USE_DUALSTACK_ENDPOINT"),
        ({"AWS_REGION": "us-iso-east-1"}, "us-iso-east-1"),
        ({"AWS_REGION": ""}, "AWS_REGION"),
        ({"AWS_SECRET_ACCESS_KEY": ""}, "no credentials"),
    ],
)
def test_what_only_botocore_does_is_left_to_it(
    variables: dict[str, str], reason: str, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    caplog.set_level("INFO")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert not isinstance(own_session(), LambdaSession)
    (said,) = (record.message for record in caplog.records if record.name == aws.__name__)
    assert reason in said


def test_switches_that_are_off_change_nothing() -> None:
    assert reason_for_boto3({**OWN, "AWS_USE_FIPS_ENDPOINT": "false"}) is None


class Given:
    """Answers of the endpoint that gives credentials, one after another."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = datetime(2026, 11, 17, tzinfo=UTC)
        self.asked: list[dict[str, str]] = []
        self.fails = False
        monkeypatch.setattr(ContainerCredentials, "_answer", self._answer)
        self.environ = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:9001/get?x=1",
                        "AWS_CONTAINER_AUTHORIZATION_TOKEN": "who"}  # fmt: skip
        self.credentials = ContainerCredentials(self.environ, now=lambda: self.now)

    def _answer(self, headers: dict[str, str]) -> tuple[int, bytes]:
        self.asked.append(headers)
        if self.fails:
            return 500, b""
        until = (self.now + timedelta(hours=1)).isoformat().replace("+00:00", "Z")
        return 200, (
            f'{{"AccessKeyId":"key {len(self.asked)}","SecretAccessKey":"s","Token":"t",'
            f'"Expiration":"{until}"}}'
        ).encode()


def test_credentials_of_a_container_are_renewed_before_they_expire(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = Given(monkeypatch)
    assert given.credentials() == given.credentials() == Credentials("key 1", "s", "t")
    assert given.asked == [{"Authorization": "who"}]
    given.now += timedelta(minutes=51)
    assert given.credentials().access_key == "key 2"


def test_credentials_that_cannot_be_renewed_serve_until_they_expire(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = Given(monkeypatch)
    given.credentials()
    given.fails = True
    given.now += timedelta(minutes=55)
    assert given.credentials().access_key == "key 1"
    given.now += timedelta(minutes=6)
    with pytest.raises(Unavailable, match="status 500"):
        given.credentials()


def test_credentials_are_not_asked_for_in_clear_from_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    elsewhere = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://example.com/get"}
    with pytest.raises(ValueError, match="without TLS"):
        ContainerCredentials(elsewhere)


def test_an_answer_without_credentials_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    given = Given(monkeypatch)
    monkeypatch.setattr(ContainerCredentials, "_answer", lambda *_: (200, b'{"Code":"x"}'))
    with pytest.raises(AccessDenied):
        given.credentials()


def run(code: str, **more: str) -> str:
    environ = {**os.environ, **OWN, **more, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize("asked", ["", "0", "-1", "many", "1.5"])
def test_a_number_of_connections_that_is_none_is_refused(asked: str) -> None:
    with pytest.raises(ValueError, match=r"TABLEWRIGHT_CONNECTIONS must be a whole number from 1"):
        connections_asked({"TABLEWRIGHT_CONNECTIONS": asked})


def test_connections_are_as_many_as_asked_for() -> None:
    assert connections_asked({}) == KEPT
    assert connections_asked({"TABLEWRIGHT_CONNECTIONS": "100"}) == 100


def test_a_function_starts_without_botocore() -> None:
    code = """
import sys
from tablewright.runtime import Store, Tenants, connect, own_session
from tablewright.catalog.sales.design import Sales
session = own_session()
Store(Sales, "sales", Tenants(session, "role").access("acme"))
for service in ("sqs", "events", "secretsmanager", "kms", "sts"):
    connect(session, service)
print([name for name in sys.modules if name.partition(".")[0] in ("boto3", "botocore")])
"""
    assert run(code) == "[]"


def test_in_lambda_the_trace_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_X_AMZN_TRACE_ID", "Root=1-5759e988;Parent=53995c3f;Sampled=1\n")
    made: Any = connect(own_session(), "sqs")
    sent = made._signed("AmazonSQS.SendMessage", b"{}")
    assert b"\r\nX-Amzn-Trace-Id: Root=1-5759e988;Parent=53995c3f;Sampled=1%0A\r\n" in sent


@pytest.mark.parametrize(
    "name", ["ddtrace", "aws_xray_sdk", "opentelemetry.instrumentation.botocore"]
)
def test_function_that_is_traced_is_left_to_boto3(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, sys)
    assert reason_for_boto3(os.environ) == f"{name} traces calls"
    assert isinstance(connect(own_session(), "dynamodb"), Boto3Client)


def test_authorities_of_a_function_are_botocores(monkeypatch: pytest.MonkeyPatch) -> None:
    assert LambdaSession(OWN).ca_bundle == where()
    # Without certifi botocore has its own.
    known: Any = find_spec
    monkeypatch.setattr(environment, "find_spec", lambda n: None if n == "certifi" else known(n))
    assert LambdaSession(OWN).ca_bundle == DEFAULT_CA_BUNDLE
    assert LambdaSession({**OWN, "REQUESTS_CA_BUNDLE": "/r.pem"}).ca_bundle == "/r.pem"
    both = {**OWN, "REQUESTS_CA_BUNDLE": "/r.pem", "AWS_CA_BUNDLE": "/a.pem"}
    assert LambdaSession(both).ca_bundle == "/a.pem"


RETRIES = """
import json
from tablewright.runtime import connect, own_session
from tablewright.runtime.boto3_client import connect as by_boto3
wire = connect(own_session(), "dynamodb")
config = by_boto3(own_session(), "dynamodb").client.meta.config
read = wire._timeouts.read if hasattr(wire, "_timeouts") else None
print(json.dumps([type(wire).__name__, getattr(wire, "_attempts", None), read, config.retries]))
"""


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, ["WireClient", 3, 4, {"mode": "standard", "total_max_attempts": 3}]),
        ({"AWS_LAMBDA_FUNCTION_NAME": None},
         ["WireClient", 3, 60, {"mode": "standard", "total_max_attempts": 3}]),
        ({"AWS_MAX_ATTEMPTS": "7"},
         ["WireClient", 7, 4, {"mode": "standard", "total_max_attempts": 7}]),
    ],
)  # fmt: skip
def test_settings_follow_the_environment(
    variables: dict[str, str | None], expected: list[Any]
) -> None:
    told = {**OWN, "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables}
    env = {name: value for name, value in told.items() if value is not None}
    done = subprocess.run(
        [sys.executable, "-c", RETRIES], env=env, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == expected


def test_retry_mode_of_the_environment_is_boto3s() -> None:
    env = {**OWN, "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "AWS_RETRY_MODE": "adaptive"}
    code = """
from tablewright.runtime import connect, own_session
made = connect(own_session(), "dynamodb")
print(type(made).__name__, made.client.meta.config.retries["mode"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["Boto3Client", "adaptive"]


@pytest.mark.parametrize("value", ["0", "-1", "many", ""])
def test_number_of_attempts_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="AWS_MAX_ATTEMPTS"):
        retry_settings({"AWS_MAX_ATTEMPTS": value})


def test_token_of_a_container_that_cannot_be_sent_is_a_store_error() -> None:
    uri = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:1/"}
    with pytest.raises(AccessDenied, match="line break"):
        ContainerCredentials({**uri, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "a\r\nX: b"})()
    with pytest.raises(AccessDenied, match="no token"):
        ContainerCredentials({**uri, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/no/such/file"})()
