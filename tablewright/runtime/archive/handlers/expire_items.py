"""Expiry function of an archive: gives old items an expiry, by the clock."""

from __future__ import annotations

import logging
import os
from datetime import UTC, datetime
from typing import Any

from tablewright.model.old_items import Sweep
from tablewright.runtime.archive.resources import client
from tablewright.runtime.archive.sweeping import Sweeping
from tablewright.runtime.continuation import call_next
from tablewright.runtime.deadline import in_time

logger = logging.getLogger(__name__)
logger.setLevel(logging.INFO)

# What a page may need, with all its updates and retries.
RESERVED_MS = 120_000


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Expire what is old, or go on where the run before was out of time."""
    sweep = Sweep.from_json(os.environ["ARCHIVE_SWEEP"])
    table = os.environ["ARCHIVE_TABLE"]
    sweeping = Sweeping(client("dynamodb"), table, sweep, datetime.now(UTC))
    swept = sweeping.run(
        event.get("after"), lambda: context.get_remaining_time_in_millis() > RESERVED_MS
    )
    logger.info("%s old items expired", swept.expired)
    if swept.after:
        call_next(client("lambda"), context, {"after": swept.after})
    return {"expired": swept.expired, "whole": swept.after is None}
