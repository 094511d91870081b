"""AWS as Lambda gives it to a function: region, endpoints and credentials without botocore."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from tablewright.runtime.errors import AccessDenied, Unavailable
from tablewright.runtime.wire.connection import KEPT
from tablewright.runtime.wire.signing import Credentials

# What only botocore does.
_BOTO3 = "boto3"
_PROXIES = ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy")
_VARIANTS = ("AWS_USE_FIPS_ENDPOINT", "AWS_USE_DUALSTACK_ENDPOINT")
_FILES = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE")
_CONTAINER = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
# By the beginning of a region's name; all others, of isolated partitions, are left to botocore.
_SUFFIXES = {"cn-": "amazonaws.com.cn", "us-iso": None, "eu-iso": None, "eusc-": None}
_SUFFIX = "amazonaws.com"
# Hosts that give credentials without TLS: of this machine, and of ECS and EKS.
_NEAR = ("127.0.0.1", "localhost", "::1", "169.254.170.2", "169.254.170.23", "fd00:ec2::23")
_RENEW_BEFORE = timedelta(minutes=10)
_SECONDS = 2.0


def connections_asked(environ: Mapping[str, str]) -> int:
    """How many calls the environment lets a process make side by side."""
    asked = environ.get("TABLEWRIGHT_CONNECTIONS", str(KEPT))
    if not asked.isdecimal() or int(asked) < 1:
        raise ValueError(f"TABLEWRIGHT_CONNECTIONS must be a whole number from 1, not {asked!r}")
    return int(asked)


def reason_for_boto3(environ: Mapping[str, str]) -> str | None:
    """Why this environment needs botocore; None where it does not."""
    if environ.get("TABLEWRIGHT_CLIENT") == _BOTO3:
        return "TABLEWRIGHT_CLIENT says so"
    for name in (*_PROXIES, *_FILES):
        if environ.get(name):
            return f"{name} is set"
    for name in _VARIANTS:
        if environ.get(name, "").lower() == "true":
            return f"{name} is set"
    region = environ.get("AWS_REGION")
    if not region:
        return "AWS_REGION is not set"
    if _suffix(region) is None:
        return f"the endpoints of {region} are botocore's to know"
    if not environ.get(_CONTAINER) and not all(environ.get(key) for key in _KEYS):
        return "there are no credentials in the environment"
    return None


class LambdaSession:
    """The session of a function: what a session of boto3 would read from Lambda's environment.

    Example::

        dynamodb = connect(LambdaSession(os.environ), "dynamodb")
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.region_name = environ["AWS_REGION"]
        self.ca_bundle = environ.get("AWS_CA_BUNDLE")
        self.credentials = _credentials(environ)
        self._ignored = environ.get("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "").lower() == "true"
        self._environ = environ
        self._boto3: Any = None
        self._lock = threading.Lock()

    def endpoint(self, service: str, region: str) -> str:
        """Where a service of a region is."""
        if not self._ignored:
            own = self._environ.get(f"AWS_ENDPOINT_URL_{_NAMES.get(service, service.upper())}")
            if found := own or self._environ.get("AWS_ENDPOINT_URL"):
                return found
        return f"https://{service}.{region}.{_suffix(region)}"

    def client(self, service: str, **settings: Any) -> Any:
        """A client of boto3, which is imported now."""
        with self._lock:
            if self._boto3 is None:
                import boto3

                self._boto3 = boto3.session.Session(region_name=self.region_name)
            return self._boto3.client(service, **settings)


# In the names of variables, services have those of their API.
_NAMES = {"events": "EVENTBRIDGE", "secretsmanager": "SECRETS_MANAGER"}


def _suffix(region: str) -> str | None:
    for beginning, suffix in _SUFFIXES.items():
        if region.startswith(beginning):
            return suffix
    return _SUFFIX


def _credentials(environ: Mapping[str, str]) -> Callable[[], Credentials]:
    if not environ.get(_CONTAINER):
        key, secret = (environ[name] for name in _KEYS)
        given = Credentials(key, secret, environ.get("AWS_SESSION_TOKEN"))
        return lambda: given
    return ContainerCredentials(environ)


class ContainerCredentials:
    """Credentials that an endpoint near the function gives, as after a restore by SnapStart; asked
    for again before they expire."""

    def __init__(
        self,
        environ: Mapping[str, str],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._url = urlsplit(environ[_CONTAINER])
        if self._url.scheme != "https" and self._url.hostname not in _NEAR:
            raise ValueError(f"credentials are not asked for without TLS at {self._url.hostname}")
        self._token = environ.get("AWS_CONTAINER_AUTHORIZATION_TOKEN")
        self._token_file = environ.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
        self._now = now
        self._lock = threading.Lock()
        self._held: Credentials | None = None
        self._expires = self._renew = datetime.min.replace(tzinfo=UTC)

    def __call__(self) -> Credentials:
        held = self._held
        if held is not None and self._now() < self._renew:
            return held
        with self._lock:
            now = self._now()
            if self._held is None or now >= self._renew:
                try:
                    self._ask()
                except Unavailable:
                    if self._held is None or now >= self._expires:
                        raise
                    # Those held are good for some time yet; the next request asks again.
            return self._held  # type: ignore[return-value] # set, or raised

    def _ask(self) -> None:
        host = self._url.hostname
        status, body = self._answer(self._headers())
        if status != 200:
            raise Unavailable(f"no credentials from {host}: status {status}")
        try:
            told = json.loads(body)
            held = Credentials(told["AccessKeyId"], told["SecretAccessKey"], told["Token"])
            expires = datetime.fromisoformat(told["Expiration"])
        except (ValueError, KeyError, TypeError) as error:
            raise AccessDenied(f"no credentials in the answer of {host}") from error
        self._held, self._expires, self._renew = held, expires, expires - _RENEW_BEFORE

    def _answer(self, headers: dict[str, str]) -> tuple[int, bytes]:
        # Only functions that are given credentials so wait for it to be imported.
        from http.client import HTTPConnection, HTTPException, HTTPSConnection

        url = self._url
        kind = HTTPSConnection if url.scheme == "https" else HTTPConnection
        connection = kind(url.hostname or "", url.port, timeout=_SECONDS)
        try:
            connection.request("GET", f"{url.path}?{url.query}".rstrip("?"), headers=headers)
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, HTTPException) as error:
            raise Unavailable(f"no credentials from {url.hostname}: {error}") from error
        finally:
            connection.close()

    def _headers(self) -> dict[str, str]:
        token = self._token
        if self._token_file:
            with open(self._token_file) as file:
                token = file.read().strip()
        return {"Authorization": token} if token else {}
