"""The custom resource that tells a key of another region."""

from typing import Any

import pytest

from tablewright.runtime.errors import ResourceMissing
from tablewright.runtime.secrets import primary_key
from tests.integration.runtime.formation import formation

ALIAS, REGION = "alias/prod-orders-keys", "eu-west-1"
ARN = "arn:aws:kms:eu-west-1:111122223333:key/mrk-1"


class Kms:
    """Knows one alias, in one region."""

    def __init__(self, region: str) -> None:
        self._region = region

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        assert operation == "DescribeKey"
        if (self._region, params["KeyId"]) != (REGION, ALIAS):
            raise ResourceMissing(f"{params['KeyId']} is not found")
        return {"KeyMetadata": {"Arn": ARN}}


@pytest.fixture(autouse=True)
def kms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(primary_key, "connect", lambda _, service, region: Kms(region))


@pytest.mark.parametrize("request_type", ["Create", "Update"])
def test_the_key_of_the_other_region_is_told(request_type: str) -> None:
    with formation() as asking:
        answer = asking.ask(primary_key.handler, request_type, ALIAS, Alias=ALIAS, Region=REGION)
    assert answer == {"Status": "SUCCESS", "Data": {"KeyArn": ARN}}


def test_a_key_that_is_not_there_is_a_failure_that_says_so() -> None:
    with formation() as asking:
        answer = asking.ask(primary_key.handler, "Create", ALIAS, Alias=ALIAS, Region="us-west-2")
    assert answer["Status"] == "FAILED"
    assert answer["Reason"] == f"ResourceMissing: {ALIAS} is not found"


def test_what_is_deleted_needs_no_key() -> None:
    with formation() as asking:
        answer = asking.ask(primary_key.handler, "Delete", ALIAS, Alias=ALIAS, Region="us-west-2")
    assert answer == {"Status": "SUCCESS"}


@pytest.mark.parametrize("error", [KeyError("Metadata"), TypeError("None"), RuntimeError("broken")])
def test_any_exception_is_answered(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(primary_key, "connect", fail)
    with formation() as asking:
        answer = asking.ask(primary_key.handler, "Create", ALIAS, Alias=ALIAS, Region=REGION)
    assert answer == {"Status": "FAILED", "Reason": f"{type(error).__name__}: {error}"}


def test_missing_property_is_answered() -> None:
    with formation() as asking:
        answer = asking.ask(primary_key.handler, "Create", ALIAS, Alias=ALIAS)
    assert answer == {"Status": "FAILED", "Reason": "KeyError: 'Region'"}
