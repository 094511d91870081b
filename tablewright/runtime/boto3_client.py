"""Boto3Client: a client of boto3 behind `Caller`, within the time there is, with typed errors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from botocore.config import Config
from botocore.credentials import Credentials as BotocoreCredentials
from botocore.exceptions import (
    BotoCoreError,
    ChecksumError,
    ClientError,
    ConnectTimeoutError,
    CredentialRetrievalError,
    EndpointConnectionError,
    FlexibleChecksumError,
    HTTPClientError,
    IncompleteReadError,
    LoginError,
    MetadataRetrievalError,
    NoAuthTokenError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProxyConnectionError,
    SSOError,
    TokenRetrievalError,
)
from botocore.exceptions import ConnectionError as NoConnection
from botocore.parsers import ResponseParserError

from tablewright.runtime.aws import SETTINGS, TIMEOUTS_IN_LAMBDA
from tablewright.runtime.deadline import seconds_left
from tablewright.runtime.errors import (
    AccessDenied,
    OutOfTime,
    StoreError,
    Unavailable,
    Unreachable,
    from_response,
)
from tablewright.runtime.wire.signing import Credentials

Answer = TypeVar("Answer")

# Between two attempts, in botocore's standard mode; how many there are where nobody says.
_LONGEST_PAUSE = 20
_USUAL_ATTEMPTS = 3

# What a call meets that has no answer, or none that can be read. All else is a mistake of ours.
_NO_ANSWER = (
    ChecksumError,
    NoConnection,
    CredentialRetrievalError,
    FlexibleChecksumError,
    HTTPClientError,
    IncompleteReadError,
    MetadataRetrievalError,
    ResponseParserError,
)
_NO_CREDENTIALS = (
    LoginError,
    NoAuthTokenError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    SSOError,
    TokenRetrievalError,
)
# Errors of botocore's calls, those of credentials included: a program or a file that provides
# them may be missing or hold no JSON, and those renewed may have expired already.
_FAILURES = (BotoCoreError, ClientError, ResponseParserError, OSError, RuntimeError, ValueError)

# What ends an attempt before anything of the request is sent.
NOT_SENT = (ConnectTimeoutError, EndpointConnectionError, ProxyConnectionError)


def from_failure(operation: str, error: Exception, *, sent: bool = True) -> StoreError:
    """The typed error for a call that had no answer, or could not be made; `sent` tells whether an
    attempt before the last one may have had an effect."""
    if isinstance(error, NOT_SENT) and not sent:
        return Unreachable(f"{operation}: {error}")
    if isinstance(error, _NO_ANSWER):
        return Unavailable(f"{operation}: {error}")
    if isinstance(error, _NO_CREDENTIALS):
        return AccessDenied(f"{operation}: {error}")
    return StoreError(f"{operation}: {error}")


def from_credentials_failure(error: Exception) -> StoreError:
    """Return the typed error for credentials that botocore could not find or renew."""
    if isinstance(error, ClientError):
        return from_response(f"credentials: {error.operation_name}", error.response)
    return from_failure("credentials", error)


def client_config(**overrides: Any) -> Config:
    """How clients of boto3 are set up: bounded waits, standard retries, room for parallel reads.

    Example::

        boto3.client("dynamodb", config=client_config(read_timeout=2))
    """
    return Config(**{**SETTINGS, **overrides})


def connect(
    session: Any,
    service: str,
    *,
    region: str | None = None,
    endpoint_url: str | None = None,
    credentials: Credentials | None = None,
    **settings: Any,
) -> Boto3Client:
    """A client of boto3, of any service; `settings` are of botocore's Config.

    Without `credentials` it has those of the session.

    Example::

        s3 = boto3_client.connect(own_session(), "s3")
        s3.presign("get_object", {"Bucket": "dev-files", "Key": "a"}, 60)
    """
    given: dict[str, Any] = {"region_name": region, "config": client_config(**settings)}
    if endpoint_url:
        given["endpoint_url"] = endpoint_url
    if credentials:
        given["aws_access_key_id"], given["aws_secret_access_key"], _ = credentials
    try:
        return Boto3Client(session.client(service, **given))
    except NoRegionError:  # of the settings, not the credentials
        raise
    # Programs and files that provide credentials end in errors of any type.
    except Exception as error:
        raise from_credentials_failure(error) from error


class Boto3Client:
    """A client of boto3 behind `Caller`, of any service. Safe among threads."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._methods: dict[str, Callable[..., dict[str, Any]]] = {
            operation: getattr(client, method)
            for method, operation in client.meta.method_to_api_mapping.items()
        }
        config = client.meta.config
        # With the longest pause before the next, in which nothing looks at the time.
        attempts = (config.retries or {}).get("total_max_attempts", _USUAL_ATTEMPTS)
        pause = min(int(2.0 ** (attempts - 2)), _LONGEST_PAUSE)
        # Time-outs cannot be cut for one call; long ones would leave an invocation no call at all.
        timeouts = zip(
            (config.connect_timeout, config.read_timeout), TIMEOUTS_IN_LAMBDA, strict=True
        )
        self._attempt_seconds = sum(map(min, timeouts)) + pause
        # Sent for every attempt, so that retries end in time too.
        client.meta.events.register("before-send", self._check_time, unique_id="tablewright-time")
        # Told of every attempt: the last of them alone does not say whether one was sent.
        client.meta.events.register("needs-retry", self._note, unique_id="tablewright-sent")
        if client.meta.service_model.metadata.get("protocol") == "json":
            client.meta.events.register("after-call", _require_whole, unique_id="tablewright-whole")
        self._attempts = threading.local()
        self._signing = threading.local()
        client.meta.events.register(
            "provide-client-params", self._sign, unique_id="tablewright-signing"
        )

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation, by its name in the service's API; raises StoreError."""
        return self._typed(operation, lambda: self._methods[operation](**params))

    def presign(self, method: str, params: dict[str, Any], seconds: int) -> str:
        """An address that lets its holder make this call for so many seconds."""
        return self._typed(
            method, lambda: str(self.client.generate_presigned_url(method, params, seconds))
        )

    def signed_by(self, credentials: Credentials) -> SignedBy:
        """The same client, with its connections, for requests that others sign."""
        return SignedBy(self, credentials)

    def _typed(self, operation: str, work: Callable[[], Answer]) -> Answer:
        self._attempts.sent = self._attempts.lost = self._attempts.is_under_way = False
        try:
            return work()
        except ClientError as error:
            raise self._attempted(from_response(operation, error.response)) from error
        except _FAILURES as error:
            failure = from_failure(operation, error, sent=self._attempts.sent)
            raise self._attempted(failure) from error
        except StoreError as error:  # of a hook
            raise self._attempted(error) from None

    def _attempted(self, failure: StoreError) -> StoreError:
        failure.maybe_applied = self._attempts.lost or self._attempts.is_under_way
        return failure

    def _sign(self, context: dict[str, Any], **_: Any) -> None:
        credentials = getattr(self._signing, "credentials", None)
        if credentials is not None:
            context.setdefault("signing", {})["request_credentials"] = credentials

    def _note(
        self, response: Any = None, caught_exception: Exception | None = None, **_: Any
    ) -> None:
        self._attempts.is_under_way = False
        if isinstance(caught_exception, (*NOT_SENT, StoreError)):  # StoreError: by _check_time
            return
        self._attempts.sent = True
        # Refused by the service, or else it may have been applied.
        if (
            response is None
            or not 300 <= response[0].status_code < 500
            or type(from_response("", response[1])) is Unavailable
        ):
            self._attempts.lost = True

    def _check_time(self, **_: Any) -> None:
        if seconds_left() < self._attempt_seconds:
            was_sent = getattr(self._attempts, "sent", False)
            kind = Unavailable if was_sent else OutOfTime
            raise kind("the invocation has no time left for another call")
        self._attempts.is_under_way = True


def _require_whole(http_response: Any, model: Any, **_: Any) -> None:
    """Refuse an answer that ended early: botocore takes it for one without members."""
    length = http_response.headers.get("content-length")
    if length and int(length) != len(http_response.content):
        raise Unavailable(f"{model.name}: the answer ended early")


class SignedBy:
    """A client of boto3 whose requests are signed with other credentials than its own."""

    def __init__(self, client: Boto3Client, credentials: Credentials) -> None:
        self._client = client
        self._credentials = credentials

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        """Carry out the operation; raises StoreError."""
        with self._signed():
            return self._client.call(operation, params)

    def presign(self, method: str, params: dict[str, Any], seconds: int) -> str:
        """An address that lets its holder make this call for so many seconds."""
        with self._signed():
            return self._client.presign(method, params, seconds)

    @contextmanager
    def _signed(self) -> Iterator[None]:
        signing = self._client._signing
        signing.credentials = BotocoreCredentials(*self._credentials)
        try:
            yield
        finally:
            signing.credentials = None
