"""One run of each access pattern of the form table; of lists, over one shard and over ten."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any, TypeVar

from docs.scenarios.forms_records import (
    DESIGN,
    EPOCHS,
    NOW,
    ONE,
    SHARDS,
    STORED,
    TEN,
    TenantEpochs,
    attempt,
    bytes_of,
    counting,
    event,
    like,
    metrics,
    submission,
)
from lambdas.forms.submission.rate_limit import RateLimit
from tablewright.catalog.forms.design import Forms
from tablewright.catalog.forms.metrics import DAY, HOUR, DailyMetrics, HourlyMetrics
from tablewright.catalog.forms.submissions import Request, RequestWindow, Submission, payload_key
from tablewright.catalog.forms.tenants import (
    Destination,
    DomainClaim,
    DomainLookup,
    TenantConfig,
    TenantSecret,
    TenantShards,
)
from tablewright.costs.measuring import NONE, Measuring
from tablewright.model import Delete, Entity, Get, Put, Query, Update, key_of, replaced
from tablewright.model.capacity import (
    TRANSACTION_WRITES,
    page_floor,
    read_floor,
    update_floor,
    write_floor,
)
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.sharding.epochs import EpochCache
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.counters import Counters

E = TypeVar("E", bound=Entity)
PAGE = 20
TENANTS = 40
TOGETHER = 100


def measure(measuring: Measuring) -> None:
    """Fill the table and run each pattern on it."""
    epochs = EpochCache(clock=lambda: NOW.timestamp())
    _Run(measuring, measuring.store(epochs=epochs)).all()


class _Run:
    """The patterns, run one after the other."""

    def __init__(self, measuring: Measuring, store: Store) -> None:
        self._measuring = measuring
        self._store = store

    def all(self) -> None:
        self._shards()
        for tenant in (ONE, TEN):
            for number in range(STORED):
                self._store.put(Forms.put_submission, submission(number, tenant))
                self._store.put(Forms.put_attempt, attempt(number, tenant))
        self._submissions()
        self._deliveries()
        self._tenants()
        self._domains()
        self._counts()

    def _shards(self) -> None:
        first = TenantShards(tenant_id=TEN, shard_mapping=EPOCHS)
        self._put(Forms.begin_shards, first, "a tenant's first epoch")
        later = {"from": iso_utc(NOW + timedelta(days=1)), "count": Decimal(4)}
        self._get(Forms.get_shards, first, "a tenant's epochs")
        self._update(Forms.append_shards, first, {"shard_mapping": [*EPOCHS, later]}, "an epoch")

    def _submissions(self) -> None:
        new = submission(STORED)
        request = like(Request, created_at=iso_utc(NOW))
        self._put(Forms.claim_request, request, "one key")
        self._get(Forms.get_request, request, "one key")
        limit = RateLimit(self._store)
        window = like(RequestWindow)
        self._measuring.run(
            "count_request",
            "one request",
            partial(limit.admit, ONE, 60, NOW),
            write=write_floor(DESIGN, RequestWindow.__entity__, window),
        )
        self._put_once(request)
        self._put(Forms.put_submission, new, "one of two kilobytes, compressed")
        self._get(Forms.get_submission, new, "one submission")
        self._update(Forms.update_submission, new, {"status": "DELIVERED"}, "a submission's status")
        gone = replaced(new, status="DELIVERED")
        self._delete(Forms.delete_submission, gone, "one submission")
        for pattern, where in (
            (Forms.submissions, {}),
            (Forms.submissions_by_status, {"status": "PENDING"}),
            (Forms.submissions_by_form, {"form_id": "contact"}),
        ):
            self._page(pattern, where, submission)

    def _deliveries(self) -> None:
        again = replaced(attempt(0), attempt_num=2)
        self._put(Forms.put_attempt, again, "one attempt")
        self._get(Forms.get_attempt, again, "one attempt")
        claim = {"next_attempt_at": iso_utc(NOW), "claimed_by": "f" * 32}
        self._update(Forms.update_attempt, again, claim, "a claim")
        # An index key follows from both.
        done = {"status": "SUCCEEDED", "timestamp": again.timestamp}
        self._update(Forms.update_attempt, again, done, "what came of one")
        made = {"tenant_id": again.tenant_id, "submission_id": again.submission_id}
        both = [attempt(0), replaced(again, status="SUCCEEDED")]
        self._list(Forms.submission_attempts, made, both, "two attempts")
        for pattern, where in (
            (Forms.destination_attempts, {"destination_id": "crm", "status": "RETRYING"}),
            (Forms.attempts_by_status, {"status": "RETRYING"}),
        ):
            self._page(pattern, where, attempt)

    def _tenants(self) -> None:
        config, destination, secret = like(TenantConfig), like(Destination), like(TenantSecret)
        tenant = {"tenant_id": ONE}
        self._put(Forms.put_config, config, "one tenant")
        self._get(Forms.get_config, config, "one tenant")
        self._list(Forms.tenants, {"state": "active"}, [config], "one tenant")
        self._update(Forms.update_config, config, {"name": "Acme Ltd"}, "a tenant's name")
        self._put(Forms.put_destination, destination, "one destination")
        self._get(Forms.get_destination, destination, "one destination")
        self._list(Forms.destinations, tenant, [destination], "one destination")
        webhooks = {**tenant, "destination_type": "webhook"}
        self._list(Forms.destinations_by_type, webhooks, [destination], "one destination")
        changes = {"failures": 1}
        self._update(Forms.update_destination, destination, changes, "a failure")
        self._delete(Forms.delete_destination, replaced(destination, **changes), "one destination")
        self._put(Forms.put_secret, secret, "one secret")
        self._get(Forms.get_secret, secret, "one secret")
        self._list(Forms.secrets, tenant, [secret], "one secret")
        self._update(Forms.update_secret, secret, {"state": "previous"}, "one secret")

    def _domains(self) -> None:
        domain = like(DomainLookup)
        self._put(Forms.put_domain, domain, "one domain")
        self._get(Forms.get_domain, domain, "one domain")
        later = {"verified_at": iso_utc(NOW)}
        self._update(Forms.update_domain, domain, later, "one domain")
        self._delete(Forms.delete_domain, replaced(domain, **later), "one domain")
        claim = like(DomainClaim)
        self._put(Forms.put_claim, claim, "one domain")
        self._get(Forms.get_claim, claim, "one domain")
        self._list(Forms.tenant_domains, {"tenant_id": ONE}, [claim], "one domain")
        self._list(Forms.due_claims, {"state": "PENDING"}, [claim], "one domain")
        found = {"state": "VERIFIED", "verified_at": iso_utc(NOW)}
        self._update(Forms.update_claim, claim, found, "one domain")
        self._delete(Forms.delete_claim, replaced(claim, **found), "one domain")

    def _counts(self) -> None:
        caller, table = self._measuring, self._store.table_name
        for name, counters, entity, period in (
            (
                "count_daily",
                Counters(Forms, Forms.count_daily, table, caller),
                DailyMetrics.__entity__,
                DAY,
            ),
            (
                "count_hourly",
                Counters(Forms, Forms.count_hourly, table, caller),
                HourlyMetrics.__entity__,
                HOUR,
            ),
        ):
            for number, what in ((1, "one event"), (TOGETHER, f"{TOGETHER} of one second")):
                events = [event(n + number, period) for n in range(number)]
                self._measuring.run(
                    name,
                    what,
                    partial(counters.add, events),
                    read=read_floor([], consistent=True),
                    write=counting(entity, events),
                    many=number,
                )
        days = [metrics(DailyMetrics, tenant=f"tenant-{number}") for number in range(TENANTS)]
        hours = [metrics(HourlyMetrics, datetime=f"2099-03-04-{hour:02}") for hour in range(24)]
        month = [metrics(DailyMetrics, date=f"2099-03-{day:02}") for day in range(5, 32)]
        for record in (*days, *month, *hours):
            item = Records(DESIGN, record.__entity__).to_item(record)
            self._measuring.caller.call("PutItem", {"TableName": table, "Item": item})
        tenant = {"tenant_id": ONE}
        self._list(Forms.daily_metrics, tenant, month, f"{len(month)} days", since="2099-03-05")
        self._list(Forms.hourly_metrics, tenant, hours, "24 hours", until="2099-03-04-23")
        shown = Forms.day_of_tenants
        self._measuring.run(
            shown.name,
            f"{TENANTS} tenants",
            lambda: list(self._store.each(shown, {"date": "2099-03-04"})),
            read=page_floor(DESIGN, shown, days),
        )

    def _put_once(self, request: Request) -> None:
        """A submission with its payload in the bucket, and the mark on its request."""
        made = submission(STORED + 1)
        place = payload_key(ONE, made.submission_id)
        new = replaced(made, data=None, payload_key=place)
        moment = iso_utc(NOW)
        indexed = Decimal(len(Submission.__entity__.indexed))
        entries: tuple[Entity, ...] = (new, replaced(request, stored_at=moment))
        written = sum((write_floor(DESIGN, one.__entity__, one) for one in entries), NONE)
        self._measuring.run(
            "finish_request",
            "a submission with it",
            lambda: self._store.transact_write(
                self._store.to_put(Forms.put_submission, new),
                self._store.to_update(
                    Forms.finish_request,
                    request,
                    Request.stored_at.set(moment),
                    when=Request.stored_at.is_missing(),
                ),
            ),
            write=TRANSACTION_WRITES * (written - indexed) + indexed,
        )

    def _put(self, pattern: Put[E], record: E, what: str) -> None:
        self._measuring.run(
            pattern.name,
            what,
            lambda: self._store.put(pattern, record),
            write=write_floor(DESIGN, record.__entity__, record),
        )

    def _get(self, pattern: Get[E], record: E, what: str) -> None:
        self._measuring.run(
            pattern.name,
            what,
            lambda: self._store.get(pattern, key_of(record)),
            read=read_floor([bytes_of(record)], consistent=pattern.consistent),
        )

    def _update(
        self,
        pattern: Update[E],
        old: E,
        changes: Mapping[str, Any],
        what: str,
    ) -> None:
        entity = old.__entity__
        looks = any(
            changes.keys() & set(group) and not changes.keys() >= set(group)
            for group in DESIGN.derived_together(entity)
        )
        read = read_floor([bytes_of(old)], consistent=True) if looks else NONE
        self._measuring.run(
            pattern.name,
            what,
            lambda: self._store.update(pattern, old, changes),
            read=read,
            write=update_floor(DESIGN, entity, old, replaced(old, **changes)),
        )

    def _delete(self, pattern: Delete[E], record: E, what: str) -> None:
        self._measuring.run(
            pattern.name,
            what,
            lambda: self._store.delete(pattern, record),
            write=write_floor(DESIGN, record.__entity__, record),
        )

    def _list(
        self,
        pattern: Query[E],
        where: Mapping[str, str],
        found: Sequence[E],
        what: str,
        **bounds: Any,
    ) -> None:
        self._measuring.run(
            pattern.name,
            what,
            lambda: list(self._store.each(pattern, where, **bounds)),
            read=page_floor(DESIGN, pattern, found),
        )

    def _page(
        self, pattern: Query[E], where: Mapping[str, str], make: Callable[[int, str], E]
    ) -> None:
        for tenant, shards in ((ONE, 1), (TEN, SHARDS)):
            made = [make(number, tenant) for number in range(STORED)]
            floor = page_floor(
                DESIGN, pattern, made, limit=PAGE, shards=shards, epochs=TenantEpochs()
            )
            asked = partial(self._store.query, pattern, {"tenant_id": tenant, **where}, limit=PAGE)
            what = f"a page of {PAGE}" + (f" over {shards} shards" if shards > 1 else "")
            self._measuring.run(pattern.name, what, asked, read=floor)
