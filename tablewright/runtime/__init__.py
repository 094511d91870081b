"""Runtime: how code uses a table design. Needs boto3 and nothing else.

Each name is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from tablewright.exports import lazily

if TYPE_CHECKING:
    from tablewright.runtime.aws import Caller, connect, own_session
    from tablewright.runtime.boto3_client import Boto3Client, client_config
    from tablewright.runtime.cursors.cursor import Cursors, KeyRing
    from tablewright.runtime.cursors.keys import SecretKeys
    from tablewright.runtime.deadline import in_time
    from tablewright.runtime.deferred_client import DeferredClient
    from tablewright.runtime.errors import (
        AccessDenied,
        AlreadyExists,
        Conflict,
        CursorError,
        CursorExpired,
        CursorOfAnotherCaller,
        CursorOfAnotherQuery,
        CursorTampered,
        DuplicateKeys,
        ItemBusy,
        ItemTooLarge,
        MalformedItem,
        NoDataKeys,
        NotFound,
        OutOfBounds,
        OutOfTime,
        ResourceMissing,
        SecretUnreadable,
        StoreError,
        Throttled,
        TokenUsed,
        TransactionCanceled,
        TransactionRefused,
        Unavailable,
        Unreachable,
    )
    from tablewright.runtime.healing.healing import Healing
    from tablewright.runtime.healing.parked import Parked
    from tablewright.runtime.ids import uuid7
    from tablewright.runtime.messaging.queue import Queue
    from tablewright.runtime.messaging.topic import Topic
    from tablewright.runtime.meter import Meter
    from tablewright.runtime.regions import RegionalCaller, Regions
    from tablewright.runtime.retry import Backoff
    from tablewright.runtime.secrets.keys import DataKeys
    from tablewright.runtime.secrets.secrets import Secrets
    from tablewright.runtime.sharding.counts import ShardCounts
    from tablewright.runtime.sharding.epochs import EpochCache
    from tablewright.runtime.store.reader import Page, Reader
    from tablewright.runtime.store.store import Store
    from tablewright.runtime.streams.changes import Change, consume
    from tablewright.runtime.streams.counters import Counters, Event
    from tablewright.runtime.streams.failed_records import FailedRecords
    from tablewright.runtime.streams.projection import Projection
    from tablewright.runtime.tenancy import Tenants
    from tablewright.runtime.transport import Transport

_HOMES = {
    "AccessDenied": "errors",
    "AlreadyExists": "errors",
    "Backoff": "retry",
    "Boto3Client": "boto3_client",
    "Caller": "aws",
    "Change": "streams.changes",
    "Conflict": "errors",
    "Counters": "streams.counters",
    "CursorError": "errors",
    "CursorExpired": "errors",
    "CursorOfAnotherCaller": "errors",
    "CursorOfAnotherQuery": "errors",
    "CursorTampered": "errors",
    "Cursors": "cursors.cursor",
    "DataKeys": "secrets.keys",
    "DeferredClient": "deferred_client",
    "DuplicateKeys": "errors",
    "EpochCache": "sharding.epochs",
    "Event": "streams.counters",
    "FailedRecords": "streams.failed_records",
    "Healing": "healing.healing",
    "ItemBusy": "errors",
    "ItemTooLarge": "errors",
    "MalformedItem": "errors",
    "KeyRing": "cursors.cursor",
    "Meter": "meter",
    "NoDataKeys": "errors",
    "NotFound": "errors",
    "OutOfBounds": "errors",
    "OutOfTime": "errors",
    "Page": "store.reader",
    "Parked": "healing.parked",
    "Projection": "streams.projection",
    "Queue": "messaging.queue",
    "Reader": "store.reader",
    "RegionalCaller": "regions",
    "Regions": "regions",
    "ResourceMissing": "errors",
    "SecretKeys": "cursors.keys",
    "SecretUnreadable": "errors",
    "Secrets": "secrets.secrets",
    "ShardCounts": "sharding.counts",
    "Store": "store.store",
    "StoreError": "errors",
    "Tenants": "tenancy",
    "Throttled": "errors",
    "TokenUsed": "errors",
    "Topic": "messaging.topic",
    "TransactionCanceled": "errors",
    "TransactionRefused": "errors",
    "Transport": "transport",
    "Unavailable": "errors",
    "Unreachable": "errors",
    "client_config": "boto3_client",
    "connect": "aws",
    "own_session": "aws",
    "consume": "streams.changes",
    "in_time": "deadline",
    "uuid7": "ids",
}

__all__ = [
    "AccessDenied",
    "AlreadyExists",
    "Backoff",
    "Boto3Client",
    "Caller",
    "Change",
    "Conflict",
    "Counters",
    "CursorError",
    "CursorExpired",
    "CursorOfAnotherCaller",
    "CursorOfAnotherQuery",
    "CursorTampered",
    "Cursors",
    "DataKeys",
    "DeferredClient",
    "DuplicateKeys",
    "EpochCache",
    "Event",
    "FailedRecords",
    "Healing",
    "ItemBusy",
    "ItemTooLarge",
    "KeyRing",
    "MalformedItem",
    "Meter",
    "NoDataKeys",
    "NotFound",
    "OutOfBounds",
    "OutOfTime",
    "Page",
    "Parked",
    "Projection",
    "Queue",
    "Reader",
    "RegionalCaller",
    "Regions",
    "ResourceMissing",
    "SecretKeys",
    "SecretUnreadable",
    "Secrets",
    "ShardCounts",
    "Store",
    "StoreError",
    "Tenants",
    "Throttled",
    "TokenUsed",
    "Topic",
    "TransactionCanceled",
    "TransactionRefused",
    "Transport",
    "Unavailable",
    "Unreachable",
    "client_config",
    "connect",
    "consume",
    "in_time",
    "own_session",
    "uuid7",
]

__getattr__ = lazily(__name__, _HOMES)
