"""Backfill function: carries a backfill on, by the clock, and tells how far it is."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from tablewright.changes.backfill.scheduled.carrying_on import Carried, carry_on
from tablewright.changes.backfill.scheduled.plan import ITEMS_LEFT, PLAN, BackfillPlan
from tablewright.runtime.aws import connect, own_session
from tablewright.runtime.deadline import in_time

# With less of its time left a run begins no further page.
RESERVED_MS = 20_000


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Go on where the run before was, until the time is nearly over or the table is done."""
    plan = BackfillPlan.from_json(Path(os.environ["LAMBDA_TASK_ROOT"], PLAN).read_text())
    carried = carry_on(
        plan,
        os.environ["BACKFILL_TABLE"],
        os.environ["BACKFILL_CHECKPOINTS"],
        connect(own_session(), "dynamodb"),
        lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
    )
    print(json.dumps(_told(carried)))  # noqa: T201 - as CloudWatch takes metrics from functions
    return {"done": carried.done, **carried.outcomes}


def _told(carried: Carried) -> dict[str, Any]:
    """A line of the log, which is a metric too: CloudWatch's embedded metric format."""
    metric = {
        "Namespace": os.environ["POWERTOOLS_METRICS_NAMESPACE"],
        "Dimensions": [["service"]],
        "Metrics": [{"Name": ITEMS_LEFT, "Unit": "Count"}],
    }
    return {
        "_aws": {"Timestamp": int(time.time() * 1000), "CloudWatchMetrics": [metric]},
        "service": os.environ["POWERTOOLS_SERVICE_NAME"],
        ITEMS_LEFT: carried.left,
        "done": carried.done,
        "outcomes": carried.outcomes,
    }
