"""Compaction function of an archive: makes files of what came in until midnight."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

from tablewright.model.errors import TablewrightError
from tablewright.runtime.archive.compaction import Compaction
from tablewright.runtime.archive.resources import client, objects, plan
from tablewright.runtime.continuation import call_next
from tablewright.runtime.deadline import in_time

logger = logging.getLogger(__name__)
logger.setLevel(logging.INFO)

# What a day may need. With less of its time left, a run leaves the rest to another.
RESERVED_MS = 450_000


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Compact every day of which something came in until today, or until the moment `until`.

    A day that fails holds up no other; the run fails in the end, and is repeated.
    """
    now = datetime.now(UTC)
    until = _until(event, now)
    compaction = Compaction(objects(), plan())
    done, failed = 0, []
    days = compaction.days()
    for day in days:
        if context.get_remaining_time_in_millis() < RESERVED_MS:
            call_next(client("lambda"), context, event)
            break
        try:
            logger.info("compacted %s", compaction.run(day, until=until, now=now)._asdict())
            done += 1
        except Exception as error:
            # Errors of others may quote what an item holds.
            known = isinstance(error, TablewrightError)
            reason = str(error) if known else type(error).__name__
            logger.error("%s is not compacted: %s", day, reason)
            failed.append(day)
    if failed:
        raise RuntimeError(f"{len(failed)} days are not compacted, such as {failed[0]}")
    return {"days": len(days), "compacted": done}


def _until(event: dict[str, Any], now: datetime) -> datetime:
    if "until" in event:
        return datetime.fromisoformat(event["until"])
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
