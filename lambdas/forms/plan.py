"""Plans, on a schedule, how many shards each tenant has."""

import json
import os
import time
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.forms.planner import Decision, Rules
from lambdas.forms.planning import KEPT, Planning, Run
from lambdas.forms.resources import Resources
from lambdas.metrics import count
from tablewright.catalog.forms.design import FORMS
from tablewright.model import InvalidValue
from tablewright.runtime.aws import Caller
from tablewright.runtime.continuation import call_next
from tablewright.runtime.deadline import in_time
from tablewright.runtime.sharding.counts import ShardCounts

logger = Logger()

# What the tenant being planned may need, with all retries, when time is nearly up.
RESERVED_MS = 60_000


def _told(tenant: str, decision: Decision, outcome: str) -> None:
    say = logger.debug if outcome == KEPT else logger.info
    said = {"tenant_id": tenant, "outcome": outcome, **decision._asdict()}
    say("shards decided", extra={"extra": said})


def _failed(tenant: str, error: Exception) -> None:
    kind = type(error).__name__
    logger.error("shards could not be decided", tenant_id=tenant, kind=kind, reason=str(error))


@cache
def resources() -> Resources:
    return Resources.from_environment()


@cache
def planning() -> Planning:
    settings = json.loads(os.environ.get("SHARD_RULES") or "{}", parse_float=Decimal)
    store = resources().store()
    counts = ShardCounts(store, FORMS.get_shards, FORMS.begin_shards, FORMS.append_shards)
    return Planning(store, counts, Rules.of(settings), told=_told, failed=_failed)


def functions() -> Caller:
    return resources().functions()


if "SHARD_RULES" in os.environ:
    planning()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One run over all tenants, or over those after one; a run that is out of time calls the next.

    Should that call fail, so does the run: it is repeated, and finds what it did in place.
    """
    dry_run = event.get("dry_run", False)
    if not isinstance(dry_run, bool):
        raise InvalidValue("dry_run", "must be true or false")
    began = time.monotonic()
    run = planning().run(
        datetime.now(UTC),
        dry_run=dry_run,
        after=event.get("after"),
        in_time=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
    )
    report(run, dry_run, (time.monotonic() - began) * 1000)
    if run.after is not None:
        call_next(functions(), context, {"dry_run": dry_run, "after": run.after})
    return {**run._asdict(), "dry_run": dry_run}


def report(run: Run, dry_run: bool, milliseconds: float) -> None:
    took = round(milliseconds, 2)
    logger.info(
        "Shard planning completed",
        extra={"extra": {**run._asdict(), "dry_run": dry_run, "execution_time_ms": took}},
    )
    count(
        {
            "ShardPlannerTenants": run.looked_at,
            "ShardPlannerEpochs": run.appended,
            "ShardPlannerConflicts": run.conflicts,
            "ShardPlannerFailures": run.failed,
        }
    )
