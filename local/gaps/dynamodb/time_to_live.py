"""Gap: items expire without a trace in the table's stream, and text counts as a time.

DynamoDB's own deletions are in the stream with the service as their author. Expired items go
within seconds here, where AWS takes up to days.
"""

import contextvars
import logging
import threading
import time
from typing import Any

from ministack.core.responses import get_region, request_scope
from ministack.services import dynamodb

from local.gaps import expected

log = logging.getLogger("local.gaps")

_EVERY_SECONDS = 2.0
_STOCK_THREAD = "dynamodb-ttl-reaper"
_AUTHOR = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
_FIVE_YEARS = 5 * 365 * 24 * 3600

# The region whose items are expiring: what is replicated from it has no such author.
_expiring: contextvars.ContextVar[str | None] = contextvars.ContextVar("expiring", default=None)


def close() -> None:
    remove = expected.function(dynamodb, "_remove_item", "table", "pk_val", "sk_val")
    change = ("table", "event_name", "old_item", "new_item", "view_type")
    build = expected.function(dynamodb, "_build_change_record", *change)
    emission = ("table_name", "event_name", "old_item", "new_item", "replicate")
    expected.function(dynamodb, "_emit_stream_event", *emission)
    expected.function(dynamodb, "_ttl_reaper")
    for name in ("_ttl_settings", "_tables", "_lock"):
        expected.attribute(dynamodb, name)
    if _STOCK_THREAD not in {thread.name for thread in threading.enumerate()}:
        raise expected.GapMismatch(f"ministack has no thread {_STOCK_THREAD}")

    def remove_item(table: Any, pk_val: Any, sk_val: Any) -> Any:
        # ministack's own thread finds what has expired too: it must leave that to ours.
        if threading.current_thread().name == _STOCK_THREAD:
            return None
        return remove(table, pk_val, sk_val)

    def build_change_record(*arguments: Any) -> dict[str, Any]:
        record: dict[str, Any] = build(*arguments)
        if _expiring.get() == get_region():
            record["userIdentity"] = dict(_AUTHOR)
        return record

    dynamodb._remove_item = remove_item
    dynamodb._build_change_record = build_change_record
    threading.Thread(target=_run, daemon=True, name="local-time-to-live").start()


def _run() -> None:
    while True:
        time.sleep(_EVERY_SECONDS)
        try:
            expire(time.time())
        except Exception:
            log.exception("expiry failed")


def expire(now: float) -> None:
    """Delete what has expired in all tables."""
    for (account, region, name), setting in list(dynamodb._ttl_settings.all_items()):
        table = dynamodb._tables.get_scoped(account, region, name)
        if table is not None and setting.get("TimeToLiveStatus") == "ENABLED":
            with dynamodb._lock, request_scope(account, region):
                _expire_table(name, table, setting["AttributeName"], now)


def _expire_table(name: str, table: dict[str, Any], attribute: str, now: float) -> None:
    expired = [
        (pk, sk, item)
        for pk, items in list(table["items"].items())
        for sk, item in list(items.items())
        if _has_expired(item.get(attribute), now)
    ]
    token = _expiring.set(get_region())
    try:
        for pk, sk, item in expired:
            # It may have been written anew meanwhile.
            if table["items"].get(pk, {}).get(sk) is not item:
                continue
            dynamodb._remove_item(table, pk, sk)
            dynamodb._emit_stream_event(name, "REMOVE", item, None)
    finally:
        _expiring.reset(token)


def _has_expired(value: dict[str, str] | None, now: float) -> bool:
    """As in AWS a time is a number, and one of long ago is taken for a mistake."""
    try:
        return now - _FIVE_YEARS < float((value or {})["N"]) <= now
    except (KeyError, ValueError):
        return False
