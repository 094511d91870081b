"""Submissions and deliveries of several tenants, and what they must come to in the counts."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.submissions import DeliveryAttempt, Submission
from tablewright.model import Record
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.store.store import Store
from tests.integration.forms.conftest import submission

# Far ahead, because the engine deletes what has expired.
NIGHT = datetime(2099, 3, 4, 23, 59, 30, tzinfo=UTC)
TENANTS = ("acme", "acme-2", "globex")
FORM_IDS = ("contact", "newsletter")
DOMAINS = ("example.com", "shop.example.com", None)
DESTINATIONS = ("crm", "archive")
TALLIES = {
    "SUCCEEDED": ("delivery_count", ("destination_stats",)),
    "RETRYING": ("error_count", ("destination_errors",)),
    "FAILED": ("error_count", ("destination_errors", "destination_failures")),
}

Counts = dict[tuple[str, str], Counter[tuple[str, ...]]]


def begin(store: Store, made: Submission, destination: str, number: int, at: datetime) -> Record:
    """An attempt that is under way; gives its key."""
    key: Record = {
        "tenant_id": made.tenant_id,
        "submission_id": made.submission_id,
        "destination_id": destination,
        "attempt_num": number,
    }
    store.put(Forms.put_attempt, DeliveryAttempt(**key, status="PENDING", timestamp=iso_utc(at)))
    return key


def end(store: Store, key: Record, status: str, at: datetime) -> None:
    store.update(Forms.update_attempt, key, {"status": status, "timestamp": iso_utc(at)})


class Traffic:
    """Sends and delivers; knows what must be counted."""

    def __init__(self, store: Store, began: datetime = NIGHT) -> None:
        self._store = store
        self._began = began
        self._expected: Counts = {}

    def send(self, count: int, *, first: int = 0, step: float = 1.0) -> list[Submission]:
        """So many submissions of all tenants, a step of seconds apart."""
        return [self._send(n, self._began + timedelta(seconds=n * step)) for n in
                range(first, first + count)]  # fmt: skip

    def _send(self, number: int, at: datetime) -> Submission:
        changes: dict[str, Any] = {
            "tenant_id": TENANTS[number % len(TENANTS)],
            "form_id": FORM_IDS[number % len(FORM_IDS)],
            "domain": DOMAINS[number % len(DOMAINS)],
        }
        made = submission(at, number, **changes)
        self._store.put(Forms.put_submission, made)
        self._note(made.tenant_id, at, ("submission_count",), ("form_stats", made.form_id))
        sizes = {"bytes_sent": made.original_size, "bytes_stored": made.storage_size or 0}
        for name, size in sizes.items():
            self._note(made.tenant_id, at, *[(name,)] * size)
        if made.domain:
            self._note(made.tenant_id, at, ("domain_stats", made.domain))
        return made

    def deliver(self, made: Submission, *outcomes: str, destination: str = "crm") -> None:
        """One attempt for each outcome, a second apart."""
        at = datetime.fromisoformat(made.timestamp)
        for number, status in enumerate(outcomes, 1):
            at += timedelta(seconds=1)
            key = begin(self._store, made, destination, number, at)
            end(self._store, key, status, at)
            count, tallies = TALLIES[status]
            self._note(made.tenant_id, at, (count,), *((t, destination) for t in tallies))

    def _note(self, tenant: str, at: datetime, *names: tuple[str, ...]) -> None:
        for form in ("%Y-%m-%d", "%Y-%m-%d-%H"):
            self._expected.setdefault((tenant, at.strftime(form)), Counter()).update(names)

    @property
    def expected(self) -> dict[tuple[str, str], Record]:
        found: dict[tuple[str, str], Record] = {}
        for place, counter in self._expected.items():
            record: Record = {}
            for names, number in counter.items():
                if len(names) == 1:
                    record[names[0]] = Decimal(number)
                else:
                    record.setdefault(names[0], {})[names[1]] = Decimal(number)
            found[place] = record
        return found
