"""Runs of every function that writes metrics, each of which meets all the trouble it can count.

``python -m tests.infrastructure.troubled_runs '{"Plan": {"POWERTOOLS_SERVICE_NAME": ...}, ...}'``
"""

import json
import os
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from lambdas import stream
from lambdas.forms import plan
from lambdas.forms.planning import Run as Planned
from lambdas.portal.content import calendar
from lambdas.portal.content.agenda import Run as Due
from lambdas.portal.events import export
from lambdas.sentiment import ingest
from lambdas.sentiment.news import heal
from lambdas.sentiment.outcome import Outcome
from lambdas.sentiment.sources import SourceError, Unreadable
from tablewright.runtime.healing import Healed, Rules

CONTEXT = SimpleNamespace(get_remaining_time_in_millis=lambda: 60_000)


def replace(module: Any, **made: Any) -> None:
    """Let functions of a module give these."""
    for name, value in made.items():
        setattr(module, name, lambda *_, value=value: value)


def poll() -> None:
    """Every source stops, after an entry that cannot be read."""

    def fetch(source: str) -> Any:
        def entries(query: Any, deadline: Any) -> Iterator[Unreadable]:
            yield Unreadable(source, "{}", "has no id")
            raise SourceError(f"{source} is down")

        return entries

    intake = SimpleNamespace(
        watch=SimpleNamespace(tags=["AI"]),
        take=lambda items, moment: Outcome(0, 0, []),
        park=lambda refused, moment: None,
    )
    # A stage that polls none is given items all the same.
    names = json.loads(os.environ["SOURCES"])["sources"] or ["newsapi"]
    sources = [SimpleNamespace(source_type=name, fetch=fetch(name)) for name in names]
    replace(ingest, ingestion=intake, news_ingestion=intake, sources=sources)
    ingest.handler({"detail-type": "Scheduled Event"}, CONTEXT)


def heal_news() -> None:
    healed = Healed(1, 1, 1, 1)
    healer = SimpleNamespace(run=lambda now: healed)
    replace(heal, healer=healer, parked=SimpleNamespace(count=lambda: 1), rules=Rules())
    heal.handler({}, CONTEXT)


def plan_shards() -> None:
    run = Planned(looked_at=1, appended=1, conflicts=1, failed=1)
    replace(plan, planning=SimpleNamespace(run=lambda *_, **__: run))
    plan.handler({}, CONTEXT)


def follow_dates() -> None:
    run = Due(looked_at=1, steps=1, failed=1)
    replace(calendar, agenda=SimpleNamespace(run=lambda *_, **__: run))
    calendar.handler({}, CONTEXT)


def export_events() -> None:
    missing = SimpleNamespace(missing=lambda days: ["2026-01-01", "2026-01-02"])
    replace(export, export=missing, functions=None, call_next=None)
    export.handler({}, CONTEXT)


def keep_a_record() -> None:
    replace(stream, failed_records=SimpleNamespace(keep=lambda change: None))
    stream.kept_unless_redriven({}, lambda *_: None)(SimpleNamespace(), ValueError())  # type: ignore[arg-type]


# By the function's id in its stack.
RUNS = {
    "Ingest": poll,
    "NewsHeal": heal_news,
    "Plan": plan_shards,
    "Calendar": follow_dates,
    "ArchiveExport": export_events,
    "Project": keep_a_record,
    "Count": keep_a_record,
    "FanOutPublish": keep_a_record,
}

if __name__ == "__main__":
    for function, told in json.loads(sys.argv[1]).items():
        os.environ.update(told)
        RUNS[function]()
