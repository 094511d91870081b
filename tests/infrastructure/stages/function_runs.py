"""Runs of every function that writes metrics, with `each` of all that it can count, or none.

``python -m tests.infrastructure.stages.function_runs 1 '{"Plan": {"STAGE": ...}}'``
"""

import json
import os
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

from lambdas import stream
from lambdas.audit.checks import Check
from lambdas.audit.contract import AuditEnvironment
from lambdas.audit.handlers import run_audit
from lambdas.forms.handlers import plan_shards as shards
from lambdas.forms.sharding.planner import PlannerRun as Planned
from lambdas.portal.content.calendar import CalendarRun
from lambdas.portal.handlers import run_calendar
from lambdas.sentiment.contract import IngestEnvironment
from lambdas.sentiment.handlers import heal_news, ingest
from lambdas.sentiment.ingestion.outcome import Outcome
from lambdas.sentiment.sources import SourceError, Unreadable
from tablewright.runtime.healing.healing import Healed, Rules

# The only region that there is.
HERE = SimpleNamespace(is_active=lambda: True)
CONTEXT = SimpleNamespace(get_remaining_time_in_millis=lambda: 60_000)


def replace(module: Any, **made: Any) -> None:
    """Let functions of a module give these."""
    for name, value in made.items():
        setattr(module, name, lambda *_, value=value: value)


def poll(each: int) -> None:
    """Every source stops, after an entry that cannot be read; or there are no sources."""

    def fetch(source: str) -> Any:
        def entries(query: Any, deadline: Any) -> Iterator[Unreadable]:
            yield Unreadable(source, "{}", "has no id")
            raise SourceError(f"{source} is down")

        return entries

    ingestion = SimpleNamespace(
        watch=SimpleNamespace(tags=["AI"]),
        ingest=lambda items, moment: Outcome(0, 0, []),
        put_rejected=lambda rejected, moment: None,
    )
    # A stage that polls none is given items all the same.
    names = json.loads(os.environ["SOURCES"])["sources"] or ["newsapi"]
    sources = [SimpleNamespace(source_type=name, fetch=fetch(name)) for name in names * each]
    replace(ingest, item_ingestion=ingestion, news_ingestion=ingestion, sources=sources)
    replace(ingest, resources=HERE)
    # What it is given beside these is not asked for here.
    for name in IngestEnvironment.field_names:
        os.environ.setdefault(name.upper(), "")
    ingest.handler({"detail-type": "Scheduled Event"}, CONTEXT)


def heal(each: int) -> None:
    healed = Healed(each, each, each, each)
    healing = SimpleNamespace(run=lambda now: healed)
    replace(heal_news, healing=healing, parked=SimpleNamespace(count=lambda: each), rules=Rules())
    replace(heal_news, resources=HERE)
    heal_news.handler({}, CONTEXT)


def plan_shards(each: int) -> None:
    run = Planned(looked_at=each, appended=each, conflicts=each, failed=each)
    replace(shards, planner=SimpleNamespace(run=lambda *_, **__: run))
    shards.handler({}, CONTEXT)


def follow_dates(each: int) -> None:
    run = CalendarRun(looked_at=each, steps=each, failed=each)
    calendar = SimpleNamespace(run=lambda *_, **__: run)
    replace(run_calendar, resources=run_calendar.Resources(cast(Any, calendar), cast(Any, None)))
    run_calendar.handler({}, CONTEXT)


def keep_records(each: int) -> None:
    replace(stream, failed_records=SimpleNamespace(keep=lambda change: None))
    failed: Any = stream.keep_failed({}, lambda *_: None)
    for _ in range(each):
        failed(SimpleNamespace(), ValueError())


def audit(each: int) -> None:
    replace(run_audit, audited=[Check("table", "recovery", True, False)] * each)
    environment = AuditEnvironment(stacks="[]", tenant_roles="[]", reports_bucket="reports")
    bucket = SimpleNamespace(call=lambda *_: {})
    replace(run_audit, resources=run_audit.Resources(environment, lambda _: cast(Any, bucket)))
    run_audit.handler({}, CONTEXT)


# By the function's id in its stack.
RUNS = {
    "Ingest": poll,
    "NewsHeal": heal,
    "Plan": plan_shards,
    "Calendar": follow_dates,
    "Project": keep_records,
    "Count": keep_records,
    "FanOutPublish": keep_records,
    "Audit": audit,
}

if __name__ == "__main__":
    for function, told in json.loads(sys.argv[2]).items():
        os.environ.update(told)
        RUNS[function](int(sys.argv[1]))
