"""Errors at run time, each with a type that says what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.model.errors import TablewrightError


class StoreError(TablewrightError):
    """A service of AWS refused a request for a reason that the caller cannot mend.

    Errors of a write name its `table`, `pattern` and `key`, which maps the key attributes to their
    values; `operation` is Put, Update, Delete or ConditionCheck. `current` is the record that
    DynamoDB returned. `maybe_applied` is True if an earlier attempt of the call may have been
    applied, because its answer was lost: compare `current` with what the call writes.
    """

    table: str | None = None
    key: Mapping[str, Any] | None = None
    pattern: str | None = None
    operation: str | None = None
    current: Any = None
    maybe_applied: bool = False

    @property
    def log_text(self) -> str:
        """A text for logs: the message, or less where that quotes keys and values."""
        return str(self)

    def is_own(self, values: Mapping[str, Any]) -> bool:
        """True if the write that failed had been applied, and its answer was lost.

        The current record must have the `values` that it writes, one of which nobody else writes:
        an id of the caller, or a moment.
        """
        current = self.current
        return (
            self.maybe_applied
            and current is not None
            and all(current.get(name) == value for name, value in values.items())
        )

    def describe(
        self,
        table: str,
        pattern: str,
        key: Mapping[str, Any] | None = None,
        operation: str | None = None,
    ) -> None:
        """Add the context of the write that raised this error, unless it has one."""
        if self.table is None:
            self.table, self.key = table, key
        if self.pattern is None:
            self.pattern, self.operation = pattern, operation


class _Refused(StoreError):
    """A condition of a write failed. `item` is the item, as DynamoDB returned it."""

    item: dict[str, Any] | None = None

    @property
    def log_text(self) -> str:
        if self.table is None:
            return str(self)
        return f"{type(self).__name__} in {self.table}, pattern {self.pattern}"


class NotFound(_Refused):
    """The item that was to be changed does not exist."""


class AlreadyExists(_Refused):
    """An item with this key exists."""


class Conflict(_Refused):
    """The item is not, or no longer, as the caller expected: read it again and decide anew."""


class OutOfBounds(Conflict):
    """An update would add more to a field than its bounds allow.

    `field` is its name, `bound` the limit that `amount` would pass, and `value` the current value:
    a number, or how many elements a set or list has. For these, `amount` counts new elements.
    """

    def __init__(self, text: str, field: str, bound: Any, value: Any, amount: Any) -> None:
        self.field = field
        self.bound = bound
        self.value = value
        self.amount = amount
        super().__init__(text)


class ItemTooLarge(StoreError, ValueError):
    """An item would become larger than DynamoDB keeps: 400 KB, its names and keys included."""


class Throttled(StoreError):
    """A service was asked too much of, after all retries: try again later, more slowly."""


class Unavailable(StoreError):
    """A service could not be reached or failed; the request may or may not have had its effect."""


class Unreachable(Unavailable):
    """No attempt found a connection, so the request had no effect: it can be made elsewhere."""


class OutOfTime(Unavailable):
    """The invocation had no time left for this call, so it was not made."""


class CredentialsExpired(Unavailable):
    """The credentials were good once: whoever asks for new ones can go on."""


class AccessDenied(StoreError):
    """The credentials, if there are any, do not allow this call: see whether its pattern is granted
    to the role."""


class ResourceMissing(StoreError):
    """The table, queue or secret does not exist: check its name, the region and the deployment."""


class ResourceExists(StoreError):
    """A secret, queue or table of this name is there already."""


class InvalidState(StoreError):
    """The resource is in a state that does not allow this: a secret that is being deleted, a table
    that is being made."""


class ObjectMissing(StoreError):
    """A bucket has no object of this name: it was never put there, or has been removed."""


class DuplicateKeys(StoreError, ValueError):
    """A batch or transaction names the same item more than once; `positions` are those after the
    first."""

    def __init__(self, positions: list[int], of: str = "batch") -> None:
        self.positions = positions
        super().__init__(f"entries {positions} have the same key as an earlier entry of the {of}")


class TransactionCanceled(StoreError):
    """A transaction did not happen; `reasons` has one code for each of its items, and `items` what
    DynamoDB returned of those whose condition failed."""

    def __init__(
        self, reasons: list[str], items: Sequence[dict[str, Any] | None] | None = None
    ) -> None:
        self.reasons = reasons
        self.items = items or [None] * len(reasons)
        super().__init__("transaction canceled: " + ", ".join(reasons))


class ItemBusy(Throttled):
    """A transaction was at the item. Repeating the same call is safe."""


class TokenUsed(StoreError):
    """A transaction was carried out with this token within ten minutes, by a request that is not
    quite the same: look whether it was yours. This one changed nothing."""


class TransactionRefused(Conflict):
    """A transaction did not happen, because conditions of its actions failed.

    `problems` maps the positions of these actions to the errors that they would raise alone, each
    with its operation, table, key and current record.
    """

    def __init__(self, problems: dict[int, StoreError]) -> None:
        self.problems = problems
        super().__init__(
            "; ".join(f"action {at} ({one.operation}): {one}" for at, one in problems.items())
        )

    @property
    def log_text(self) -> str:
        texts = (f"action {at}: {one.log_text}" for at, one in self.problems.items())
        return "; ".join(texts)


class MalformedItem(StoreError):
    """A stored item does not fit its entity: `table`, `entity` and `key` name the item, `attribute`
    and `rule` the fault. `key`, `value` and `item` are in DynamoDB's JSON: `value` is None if the
    attribute is missing or secret, and `item` is the whole item as it was read. A write that
    returns such an item was applied: then `maybe_applied` is True."""

    def __init__(
        self,
        table: str,
        entity: str,
        item: dict[str, dict[str, Any]],
        key: dict[str, dict[str, Any]],
        attribute: str,
        value: dict[str, Any] | None,
        rule: str,
    ) -> None:
        self.table = table
        self.entity = entity
        self.item = item
        self.key = key
        self.attribute = attribute
        self.value = value
        self.rule = rule
        where = ", ".join(f"{name} {_short(next(iter(key[name].values())))}" for name in key)
        stored = "" if value is None else f" is {_short(value)} and"
        super().__init__(
            f"the item with {where} in table {table} does not fit {entity}: attribute "
            f"'{attribute}'{stored} {rule}. Correct the item, or skip it with on_malformed"
        )

    @property
    def log_text(self) -> str:
        return f"{self.entity}: {self.attribute} {self.rule}"


def _short(value: Any) -> str:
    """The beginning of a stored value: an item can have 400 KB."""
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:99]}…"


class NoDataKeys(StoreError):
    """The table has no data keys yet: make the first with the command `rotate_keys`."""


class SecretUnreadable(TablewrightError):
    """A secret field of an item cannot be decrypted; `field` says which. The item was tampered with
    or moved, or its key was retired too early."""

    def __init__(self, field: str, reason: str) -> None:
        self.field = field
        self.reason = reason
        super().__init__(f"{field} {reason}")


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


# What passes by itself, in the words of all services: ask again later, more slowly.
_THROTTLED = {
    "BandwidthLimitExceeded",
    "EC2ThrottledException",
    "KMSThrottlingException",
    "KmsThrottled",
    "LimitExceeded",
    "LimitExceededException",
    "OverLimit",
    "PriorRequestNotComplete",
    "ProvisionedThroughputExceeded",  # as this and the next two, of one statement in a batch
    "ThrottlingError",
    "TransactionConflict",
    "ProvisionedThroughputExceededException",
    "ReplicatedWriteConflictException",
    "RequestLimitExceeded",
    "RequestThrottled",
    "RequestThrottledException",
    "SlowDown",
    "Throttled",
    "ThrottledException",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
    "TransactionInProgressException",
}
# What passes too, and is answered with a status below 500 by some.
_UNAVAILABLE = {
    "DependencyTimeoutException",
    "IDPCommunicationError",
    "InternalError",
    "InternalException",
    "InternalFailure",
    "InternalServerError",
    "InternalServiceError",
    "InternalServiceErrorException",
    "InternalServiceException",
    "KMSInternalException",
    "RequestTimeout",
    "RequestTimeoutException",
    "RequestTimeTooSkewed",
    "ServiceException",
    "ServiceUnavailable",
    "ServiceUnavailableException",
}
_EXPIRED = {"ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired"}
_DENIED = {
    "AccessDenied",
    "AccessDeniedException",
    "AuthorizationError",
    "AuthorizationErrorException",
    "IncompleteSignature",
    "InvalidAccessKeyId",
    "InvalidClientTokenId",
    "InvalidSignatureException",
    "KMSAccessDeniedException",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
    "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}
_MISSING = {
    "AWS.SimpleQueueService.NonExistentQueue",
    "NoSuchBucket",
    "NotFound",
    "NotFoundException",
    "QueueDoesNotExist",
    "ResourceNotFound",
    "ResourceNotFoundException",
}
_BY_CODE: dict[str, type[StoreError]] = {
    **dict.fromkeys(_THROTTLED, Throttled),
    **dict.fromkeys(_UNAVAILABLE, Unavailable),
    **dict.fromkeys(_EXPIRED, CredentialsExpired),
    **dict.fromkeys(_DENIED, AccessDenied),
    **dict.fromkeys(_MISSING, ResourceMissing),
    "ConditionalCheckFailedException": Conflict,
    "PreconditionFailed": Conflict,
    "ConditionalRequestConflict": Conflict,  # of S3: another write of the object is under way
    "412": Conflict,  # HeadObject, whose answer has no body to say more
    "TransactionConflictException": ItemBusy,
    "IdempotentParameterMismatchException": TokenUsed,
    "ResourceExistsException": ResourceExists,
    "ResourceInUseException": InvalidState,
    "InvalidRequestException": InvalidState,
    "NoSuchKey": ObjectMissing,
    "404": ObjectMissing,  # HeadObject, whose answer has no body to say more
}
_BY_STATUS: dict[int, type[StoreError]] = {403: AccessDenied, 429: Throttled}


def from_response(operation: str, response: dict[str, Any]) -> StoreError:
    """The typed error for an error response of any service."""
    error = response.get("Error", {})
    code = str(error.get("Code", ""))
    if code == "TransactionCanceledException":
        reasons = response.get("CancellationReasons", [])
        codes = [str(reason.get("Code", "None")) for reason in reasons]
        return TransactionCanceled(codes, [reason.get("Item") for reason in reasons])
    if code == "ValidationException" and "Item size" in error.get("Message", ""):
        return ItemTooLarge(f"{operation}: {error['Message']}")
    status = int(response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
    by_status = Unavailable if status >= 500 else _BY_STATUS.get(status, StoreError)
    kind = _BY_CODE.get(code, by_status)
    typed = kind(f"{operation}: {code}: {error.get('Message', '')}")
    if isinstance(typed, Conflict):
        typed.item = response.get("Item")
    return typed
