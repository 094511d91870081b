"""Every error of every service has a type that says what to do about it."""

from typing import Any

import boto3
import pytest
from botocore import exceptions as botocore
from botocore.config import Config
from botocore.parsers import ResponseParserError

from lambdas.http.problems import from_store
from lambdas.stream import keep_failed
from tablewright.runtime.boto3_client import Boto3Client, from_failure
from tablewright.runtime.errors import (
    AccessDenied,
    Conflict,
    CredentialsExpired,
    InvalidState,
    MalformedItem,
    ObjectMissing,
    ResourceExists,
    ResourceMissing,
    StoreError,
    Throttled,
    TransactionCanceled,
    Unavailable,
    from_response,
)
from tablewright.runtime.streams.changes import Change

THROTTLED = {
    "dynamodb": ["ProvisionedThroughputExceededException", "RequestLimitExceeded"],
    "sts": ["Throttling"],
    "secretsmanager": ["ThrottlingException", "LimitExceededException"],
    "sns": ["Throttled", "ThrottledException", "KMSThrottlingException"],
    "sqs": ["RequestThrottled", "KmsThrottled", "OverLimit"],
    "events": ["ThrottlingException", "LimitExceededException"],
    "s3": ["SlowDown", "Throttling"],
    "sesv2": ["TooManyRequestsException"],
    "kms": ["ThrottlingException", "LimitExceededException"],
    "lambda": ["TooManyRequestsException", "EC2ThrottledException"],
}
UNAVAILABLE = {
    "dynamodb": ["InternalServerError"],
    "sts": ["IDPCommunicationError", "ServiceUnavailable"],
    "secretsmanager": ["InternalServiceError"],
    "sns": ["InternalError"],
    "sqs": ["InternalError", "ServiceUnavailable"],
    "events": ["InternalException"],
    "s3": ["InternalError", "RequestTimeout", "ServiceUnavailable"],
    "sesv2": ["InternalServiceErrorException"],
    "kms": ["KMSInternalException", "DependencyTimeoutException"],
    "lambda": ["ServiceException"],
}


def error(code: str, status: int = 400) -> StoreError:
    answer = {"Error": {"Code": code}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return from_response("Operation", answer)


def codes(by_service: dict[str, list[str]]) -> list[Any]:
    return [pytest.param(c, id=f"{s} {c}") for s, found in by_service.items() for c in found]


@pytest.mark.parametrize("code", codes(THROTTLED))
def test_throttling_of_every_service_is_throttling(code: str) -> None:
    assert type(error(code)) is Throttled


@pytest.mark.parametrize("code", codes(UNAVAILABLE))
def test_internal_trouble_of_every_service_is_unavailability(code: str) -> None:
    assert type(error(code)) is Unavailable


@pytest.mark.parametrize(
    ("status", "kind"),
    [(429, Throttled), (403, AccessDenied), (500, Unavailable), (503, Unavailable)],
)
def test_a_code_that_nobody_knows_is_told_by_its_status(
    status: int, kind: type[StoreError]
) -> None:
    assert type(error("SomethingNew", status)) is kind
    assert type(error("SomethingNew")) is StoreError


def test_a_503_of_s3_that_says_slow_down_is_throttling() -> None:
    assert type(error("SlowDown", 503)) is Throttled


@pytest.mark.parametrize("code", ["ExpiredToken", "ExpiredTokenException"])
def test_credentials_that_have_expired_can_be_had_anew(code: str) -> None:
    assert type(error(code)) is CredentialsExpired


@pytest.mark.parametrize(
    "code",
    ["AccessDenied", "AuthorizationError", "InvalidClientTokenId", "SignatureDoesNotMatch"],
)
def test_credentials_that_do_not_suffice_are_denied(code: str) -> None:
    assert type(error(code)) is AccessDenied


def test_what_is_not_there_is_told_from_what_failed() -> None:
    for code in ("ResourceNotFoundException", "QueueDoesNotExist", "NoSuchBucket", "NotFound"):
        assert type(error(code)) is ResourceMissing
    for code in ("NoSuchKey", "404"):
        assert type(error(code)) is ObjectMissing
    assert type(error("ConditionalCheckFailedException")) is Conflict
    assert type(error("ResourceExistsException")) is ResourceExists
    assert type(error("InvalidRequestException")) is InvalidState


def test_a_canceled_transaction_has_a_reason_for_each_item() -> None:
    canceled = {
        "Error": {"Code": "TransactionCanceledException"},
        "CancellationReasons": [{"Code": "None"}, {"Code": "ConditionalCheckFailed"}],
    }
    found = from_response("TransactWriteItems", canceled)
    assert isinstance(found, TransactionCanceled)
    assert found.reasons == ["None", "ConditionalCheckFailed"]


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (botocore.EndpointConnectionError(endpoint_url="x"), Unavailable),
        (botocore.ConnectTimeoutError(endpoint_url="x"), Unavailable),
        (botocore.ReadTimeoutError(endpoint_url="x"), Unavailable),
        (botocore.ConnectionClosedError(endpoint_url="x"), Unavailable),
        (botocore.SSLError(endpoint_url="x", error="x"), Unavailable),
        (botocore.IncompleteReadError(actual_bytes=1, expected_bytes=2), Unavailable),
        (botocore.CredentialRetrievalError(provider="x", error_msg="x"), Unavailable),
        (ResponseParserError("cut off"), Unavailable),
        (botocore.NoCredentialsError(), AccessDenied),
        (botocore.PartialCredentialsError(provider="x", cred_var="y"), AccessDenied),
        (botocore.ParamValidationError(report="x"), StoreError),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else type(value).__name__,
)
def test_a_call_without_an_answer_is_told_by_what_was_in_its_way(
    failure: Exception, kind: type[StoreError]
) -> None:
    assert type(from_failure("Operation", failure)) is kind


@pytest.mark.parametrize("kind", [Throttled, Unavailable, CredentialsExpired])
def test_trouble_that_passes_is_answered_with_when_to_come_back(kind: type[StoreError]) -> None:
    problem = from_store(kind("AssumeRole: Throttling"))
    assert problem.status == 503
    assert problem.retry_after


@pytest.mark.parametrize("service", sorted(THROTTLED))
def test_an_answer_of_every_service_is_typed_at_the_edge(service: str) -> None:
    """From bytes on the wire, as botocore reads each protocol."""
    session = boto3.session.Session(
        aws_access_key_id="x", aws_secret_access_key="x", region_name="eu-west-1"
    )
    config = Config(retries={"total_max_attempts": 1}, parameter_validation=False)
    client = session.client(service, config=config)
    operation, params = {
        "dynamodb": ("ListTables", {}),
        "sts": ("GetCallerIdentity", {}),
        "secretsmanager": ("GetSecretValue", {"SecretId": "x"}),
        "sns": ("ListTopics", {}),
        "sqs": ("ListQueues", {}),
        "events": ("ListRules", {}),
        "s3": ("GetObject", {"Bucket": "bucket", "Key": "x"}),
        "sesv2": ("GetAccount", {}),
        "kms": ("ListKeys", {}),
        "lambda": ("ListFunctions", {}),
    }[service]

    def answer(request: Any, **_: Any) -> Any:
        from botocore.awsrequest import AWSResponse

        class Raw:
            def stream(self) -> list[bytes]:
                return [b""]

        return AWSResponse(request.url, 503, {}, Raw())

    client.meta.events.register("before-send", answer)
    with pytest.raises(Unavailable):
        Boto3Client(client).call(operation, params)


def test_malformed_item_is_answered_and_reported_without_its_value() -> None:
    item = {"PK": {"S": "SALE#1"}, "note": {"N": "4711"}}
    error = MalformedItem(
        "sales", "Sale", item, {"PK": item["PK"]}, "note", {"N": "4711"}, "is bad"
    )
    problem = from_store(error)
    assert (problem.status, "4711" in problem.detail) == (409, False)
    reasons: list[str] = []
    change = Change({"eventID": "1", "dynamodb": {"SequenceNumber": "1", "Keys": {}}})
    failed = keep_failed({"redrive": True}, lambda _, reason: reasons.append(reason))
    assert failed(change, error) is False
    assert reasons == ["Sale: note is bad"]
