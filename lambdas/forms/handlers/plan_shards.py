"""Shard planner, on a schedule: how many shards each tenant has."""

import time
from datetime import UTC, datetime
from functools import cache
from typing import Any

from aws_lambda_powertools import Logger

from lambdas.errors import log_text
from lambdas.forms.clients import Clients
from lambdas.forms.contract import PLANNER_FAILURES, PlanEnvironment
from lambdas.forms.sharding.decision import Decision
from lambdas.forms.sharding.planner import KEPT, PlannerRun, ShardPlanner
from lambdas.metrics import count
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.shard_rules import ShardRules
from tablewright.model import InvalidValue
from tablewright.runtime.aws import Caller
from tablewright.runtime.continuation import call_next
from tablewright.runtime.deadline import in_time
from tablewright.runtime.sharding.counts import ShardCounts

logger = Logger()

# What the tenant being planned may need, with all retries, when time is nearly up.
RESERVED_MS = 60_000


def _report(tenant: str, decision: Decision, outcome: str) -> None:
    say = logger.debug if outcome == KEPT else logger.info
    said = {"tenant_id": tenant, "outcome": outcome, **decision._asdict()}
    say("shards decided", extra={"extra": said})


def _failed(tenant: str, error: Exception) -> None:
    kind = type(error).__name__
    logger.error("shards could not be decided", tenant_id=tenant, kind=kind, reason=log_text(error))


@cache
def clients() -> Clients:
    return Clients.of(PlanEnvironment.read())


@cache
def planner() -> ShardPlanner:
    rules = ShardRules.parse(PlanEnvironment.read().shard_rules)
    store = clients().store()
    counts = ShardCounts(store, Forms.get_shards, Forms.begin_shards, Forms.append_shards)
    return ShardPlanner(store, counts, rules, report=_report, failed=_failed)


def functions() -> Caller:
    return clients().client("lambda")


if PlanEnvironment.is_set():
    planner()  # while the function starts, when Lambda gives it the most CPU


@in_time
def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One run over all tenants, or over those after one; a run that is out of time calls the next.

    Should that call fail, so does the run: it is repeated, and finds what it did in place.
    """
    dry_run = event.get("dry_run", False)
    if not isinstance(dry_run, bool):
        raise InvalidValue("dry_run", "must be true or false")
    began = time.monotonic()
    run = planner().run(
        datetime.now(UTC),
        dry_run=dry_run,
        after=event.get("after"),
        in_time=lambda: context.get_remaining_time_in_millis() > RESERVED_MS,
    )
    _summarize(run, dry_run, (time.monotonic() - began) * 1000)
    if run.after is not None:
        call_next(functions(), context, {"dry_run": dry_run, "after": run.after})
    return {**run._asdict(), "dry_run": dry_run}


def _summarize(run: PlannerRun, dry_run: bool, milliseconds: float) -> None:
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
            PLANNER_FAILURES: run.failed,
        }
    )
