"""What can go wrong at run time, each with a type that says what to do about it."""

from typing import Any

from tablewright.designs.errors import TablewrightError


class StoreError(TablewrightError):
    """DynamoDB refused a request for a reason that the caller cannot mend."""


class NotFound(StoreError):
    """The item that was to be changed does not exist."""


class AlreadyExists(StoreError):
    """An item with this key is there already."""


class Conflict(StoreError):
    """The item is not, or no longer, as the caller expected: read it again and decide anew."""


class Throttled(StoreError):
    """Capacity was exceeded after all retries: try again later, more slowly."""


class Unavailable(StoreError):
    """DynamoDB could not be reached or failed; the request may or may not have had its effect."""


class AccessDenied(StoreError):
    """The credentials do not allow this call: an access pattern was used but not granted."""


class TableMissing(StoreError):
    """The table or index does not exist: check the table name, the region and the deployment."""


class ObjectMissing(StoreError):
    """A bucket has no object of this name: it was never put there, or has been removed."""


class DuplicateKeys(StoreError, ValueError):
    """A batch names the same item more than once; `positions` are those after the first."""

    def __init__(self, positions: list[int]) -> None:
        self.positions = positions
        super().__init__(f"entries {positions} have the same key as an earlier entry of the batch")


class TransactionCanceled(StoreError):
    """A transaction did not happen; `reasons` has one code for each of its items."""

    def __init__(self, reasons: list[str]) -> None:
        self.reasons = reasons
        super().__init__("transaction canceled: " + ", ".join(reasons))


class CursorError(TablewrightError, ValueError):
    """A page cursor cannot be used: begin again without one."""


class CursorTampered(CursorError):
    """The cursor was not issued here, or was changed since."""


class CursorExpired(CursorError):
    """The cursor was issued too long ago."""


class CursorOfAnotherCaller(CursorError):
    """The cursor was issued to somebody else."""


class CursorOfAnotherQuery(CursorError):
    """The cursor was issued for another list, or for other arguments of this one."""


_BY_CODE: dict[str, type[StoreError]] = {
    "ConditionalCheckFailedException": Conflict,
    "TransactionConflictException": Conflict,
    "ProvisionedThroughputExceededException": Throttled,
    "ThrottlingException": Throttled,
    "RequestLimitExceeded": Throttled,
    # Of one statement in a batch.
    "ProvisionedThroughputExceeded": Throttled,
    "ThrottlingError": Throttled,
    "TransactionConflict": Throttled,
    "ResourceNotFound": TableMissing,
    "TransactionInProgressException": Throttled,
    "AccessDeniedException": AccessDenied,
    "AccessDenied": AccessDenied,
    "UnrecognizedClientException": AccessDenied,
    "ExpiredTokenException": AccessDenied,
    "ResourceNotFoundException": TableMissing,
    "NoSuchKey": ObjectMissing,
    "404": ObjectMissing,  # HeadObject, whose answer has no body to say more
    "InternalServerError": Unavailable,
    "ServiceUnavailable": Unavailable,
}


def from_response(operation: str, response: dict[str, Any]) -> StoreError:
    """The typed error for an error response of DynamoDB."""
    error = response.get("Error", {})
    code = error.get("Code", "")
    if code == "TransactionCanceledException":
        reasons = [str(r.get("Code", "None")) for r in response.get("CancellationReasons", [])]
        return TransactionCanceled(reasons)
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    kind = _BY_CODE.get(code, Unavailable if status >= 500 else StoreError)
    return kind(f"{operation}: {code}: {error.get('Message', '')}")
