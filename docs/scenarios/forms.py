"""One run of each access pattern of the form table; of lists, over one shard and over ten."""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any, cast

from docs.scenarios.forms_records import (
    EPOCHS,
    NOW,
    ONE,
    SHARDS,
    STORED,
    TEN,
    attempt,
    bytes_of,
    counting,
    entry_bytes,
    event,
    key_of,
    like,
    metrics,
    submission,
)
from lambdas.forms.submission.rate_limit import RateLimit
from tablewright.catalog.forms.design import FORMS
from tablewright.catalog.forms.metrics import DAILY, DAY, DAY_SHARDS, HOUR, HOURLY
from tablewright.catalog.forms.submissions import REQUEST, SUBMISSION, payload_key
from tablewright.model import Record
from tablewright.model.capacity import (
    page_floor,
    read_floor,
    update_floor,
    write_floor,
)
from tablewright.model.fields.scalars import timestamp
from tablewright.model.patterns import Count
from tablewright.pages.metering import NONE, TRANSACTION_WRITES, Measurement, Measuring
from tablewright.runtime.aws import Caller
from tablewright.runtime.cursors.cursor import Cursors, KeyRing
from tablewright.runtime.sharding.epochs import EpochCache
from tablewright.runtime.store.records import Records
from tablewright.runtime.store.store import Store
from tablewright.runtime.streams.counters import Counters

PAGE = 20
TENANTS = 40
TOGETHER = 100


def measure(caller: Caller, table: str) -> list[Measurement]:
    """Fill the table and run each pattern on it."""
    measuring = Measuring(caller, FORMS)
    epochs = EpochCache(clock=lambda: NOW.timestamp())
    cursors = Cursors(lambda: KeyRing([b"m" * 32]))
    store = Store(FORMS, table, measuring.meter, cursors=cursors, epochs=epochs)
    _Run(measuring, store).all(caller)
    return measuring.found


class _Run:
    """The patterns, run one after the other."""

    def __init__(self, measuring: Measuring, store: Store) -> None:
        self._measuring = measuring
        self._store = store

    def all(self, caller: Caller) -> None:
        self._shards()
        for tenant in (ONE, TEN):
            for number in range(STORED):
                self._store.put(FORMS.put_submission, submission(number, tenant))
                self._store.put(FORMS.put_attempt, attempt(number, tenant))
        self._submissions()
        self._deliveries()
        self._tenants()
        self._domains()
        self._counts(caller)

    def _shards(self) -> None:
        first = {"tenant_id": TEN, "shard_mapping": EPOCHS}
        self._put("begin_shards", first, "a tenant's first epoch")
        key = {"tenant_id": TEN}
        later = {"from": timestamp(NOW + timedelta(days=1)), "count": Decimal(4)}
        self._get("get_shards", key, first, "a tenant's epochs")
        self._update("append_shards", first, {"shard_mapping": [*EPOCHS, later]}, "an epoch")

    def _submissions(self) -> None:
        new = submission(STORED)
        request = like("Request", created_at=timestamp(NOW))
        self._put("claim_request", request, "one key")
        self._get("get_request", key_of("Request", request), request, "one key")
        limit = RateLimit(self._measuring.meter, self._store.table_name)
        window = like("RequestWindow")
        self._measuring.run(
            "count_request",
            "one request",
            partial(limit.admit, ONE, 60, NOW),
            write=write_floor(FORMS, FORMS.entities["RequestWindow"], window),
        )
        self._put_once(request)
        self._put("put_submission", new, "one of two kilobytes, compressed")
        self._get("get_submission", key_of("Submission", new), new, "one submission")
        self._update("update_submission", new, {"status": "DELIVERED"}, "a submission's status")
        gone = {**new, "status": "DELIVERED"}
        self._delete("delete_submission", gone, "one submission")
        for pattern, where in (
            ("submissions", {}),
            ("submissions_by_status", {"status": "PENDING"}),
            ("submissions_by_form", {"form_id": "contact"}),
        ):
            self._page(pattern, where, submission)

    def _deliveries(self) -> None:
        again = {**attempt(0), "attempt_num": Decimal(2)}
        self._put("put_attempt", again, "one attempt")
        self._get("get_attempt", key_of("DeliveryAttempt", again), again, "one attempt")
        self._update("update_attempt", again, {"status": "SUCCEEDED"}, "what came of one")
        made = {name: again[name] for name in ("tenant_id", "submission_id")}
        both = [attempt(0), {**again, "status": "SUCCEEDED"}]
        self._list("submission_attempts", made, both, "two attempts")
        for pattern, where in (
            ("destination_attempts", {"destination_id": "crm", "status": "RETRYING"}),
            ("attempts_by_status", {"status": "RETRYING"}),
        ):
            self._page(pattern, where, attempt)

    def _tenants(self) -> None:
        config, destination, secret = map(like, ("TenantConfig", "Destination", "TenantSecret"))
        tenant = {"tenant_id": ONE}
        self._put("put_config", config, "one tenant")
        self._get("get_config", tenant, config, "one tenant")
        self._list("tenants", {"state": "active"}, [config], "one tenant")
        self._update("update_config", config, {"name": "Acme Ltd"}, "a tenant's name", look=False)
        self._put("put_destination", destination, "one destination")
        key = key_of("Destination", destination)
        self._get("get_destination", key, destination, "one destination")
        self._list("destinations", tenant, [destination], "one destination")
        webhooks = {**tenant, "destination_type": "webhook"}
        self._list("destinations_by_type", webhooks, [destination], "one destination")
        changes = {"failures": Decimal(1)}
        self._update("update_destination", destination, changes, "a failure", look=False)
        self._delete("delete_destination", {**destination, **changes}, "one destination")
        self._put("put_secret", secret, "one secret")
        self._get("get_secret", key_of("TenantSecret", secret), secret, "one secret")
        self._list("secrets", tenant, [secret], "one secret")
        self._update("update_secret", secret, {"state": "previous"}, "one secret")

    def _domains(self) -> None:
        domain = like("DomainLookup")
        self._put("put_domain", domain, "one domain")
        self._get("get_domain", key_of("DomainLookup", domain), domain, "one domain")
        later = {"verified_at": timestamp(NOW)}
        self._update("update_domain", domain, later, "one domain", look=False)
        self._delete("delete_domain", {**domain, **later}, "one domain")
        claim = like("DomainClaim")
        self._put("put_claim", claim, "one domain")
        self._get("get_claim", key_of("DomainClaim", claim), claim, "one domain")
        self._list("tenant_domains", {"tenant_id": ONE}, [claim], "one domain")
        self._list("due_claims", {"state": "PENDING"}, [claim], "one domain")
        found = {"state": "VERIFIED", "verified_at": timestamp(NOW)}
        self._update("update_claim", claim, found, "one domain")
        self._delete("delete_claim", {**claim, **found}, "one domain")

    def _counts(self, caller: Caller) -> None:
        for pattern, entity, period in (
            ("count_daily", DAILY, DAY),
            ("count_hourly", HOURLY, HOUR),
        ):
            counters = Counters(
                FORMS, cast(Count, FORMS.patterns[pattern]), self._store.table_name,
                self._measuring.meter,
            )  # fmt: skip
            for number, what in ((1, "one event"), (TOGETHER, f"{TOGETHER} of one second")):
                events = [event(n + number, period) for n in range(number)]
                self._measuring.run(
                    pattern,
                    what,
                    partial(counters.add, events),
                    read=read_floor([], consistent=True),
                    write=counting(entity, events),
                    many=number,
                )
        days = [metrics(DAILY, tenant=f"tenant-{number}") for number in range(TENANTS)]
        hours = [metrics(HOURLY, datetime=f"2099-03-04-{hour:02}") for hour in range(24)]
        month = [metrics(DAILY, date=f"2099-03-{day:02}") for day in range(5, 32)]
        for entity, records in ((DAILY, days + month), (HOURLY, hours)):
            for record in records:
                item = Records(FORMS, entity).to_item(record)
                caller.call("PutItem", {"TableName": self._store.table_name, "Item": item})
        tenant = {"tenant_id": ONE}
        self._list("daily_metrics", tenant, month, f"{len(month)} days", since="2099-03-05")
        self._list("hourly_metrics", tenant, hours, "24 hours", until="2099-03-04-23")
        self._measuring.run(
            "day_of_tenants",
            f"{TENANTS} tenants",
            lambda: list(self._store.each(FORMS.day_of_tenants, {"date": "2099-03-04"})),
            read=page_floor([entry_bytes("day_of_tenants", one) for one in days], DAY_SHARDS),
        )

    def _put_once(self, request: Record) -> None:
        """A submission with its payload in the bucket, and the mark on its request."""
        new = {**submission(STORED + 1), "payload_encoding": "s3-zlib"}
        new["payload_key"] = payload_key(ONE, new["submission_id"])
        del new["payload"]
        marked = {**request, "stored_at": timestamp(NOW)}
        indexed = Decimal(len(SUBMISSION.indexed))
        entries = ((SUBMISSION, SUBMISSION.check(new)), (REQUEST, REQUEST.check(marked)))
        written = sum((write_floor(FORMS, *one) for one in entries), NONE)
        self._measuring.run(
            "finish_request",
            "a submission with it",
            lambda: self._store.put_along(
                FORMS.put_submission,
                new,
                FORMS.finish_request,
                key_of("Request", request),
                {"stored_at": marked["stored_at"]},
                expect={"stored_at": None},
            ),
            write=TRANSACTION_WRITES * (written - indexed) + indexed,
        )

    def _put(self, pattern: str, record: Record, what: str) -> None:
        entity = FORMS.entity(FORMS.patterns[pattern])
        self._measuring.run(
            pattern,
            what,
            lambda: self._store.put(FORMS.patterns[pattern], record),
            write=write_floor(FORMS, entity, entity.check(record)),
        )

    def _get(self, pattern: str, key: Record, record: Record, what: str) -> None:
        asked = FORMS.patterns[pattern]
        size = bytes_of(FORMS.entity(asked), record)
        self._measuring.run(
            pattern,
            what,
            lambda: self._store.get(asked, key),
            read=read_floor([size], consistent=getattr(asked, "consistent", False)),
        )

    def _update(
        self, pattern: str, old: Record, changes: Record, what: str, *, look: bool = True
    ) -> None:
        entity = FORMS.entity(FORMS.patterns[pattern])
        looks = look and changes.keys() & set(FORMS.derives_from(entity))
        read = read_floor([bytes_of(entity, old)], consistent=True) if looks else NONE
        self._measuring.run(
            pattern,
            what,
            lambda: self._store.update(FORMS.patterns[pattern], key_of(entity.name, old), changes),
            read=read,
            write=update_floor(FORMS, entity, entity.check(old), entity.check({**old, **changes})),
        )

    def _delete(self, pattern: str, record: Record, what: str) -> None:
        entity = FORMS.entity(FORMS.patterns[pattern])
        self._measuring.run(
            pattern,
            what,
            lambda: self._store.delete(FORMS.patterns[pattern], key_of(entity.name, record)),
            write=write_floor(FORMS, entity, record),
        )

    def _list(
        self, pattern: str, where: Record, found: Sequence[Record], what: str, **bounds: Any
    ) -> None:
        asked = FORMS.patterns[pattern]
        sizes_read = [entry_bytes(pattern, one) for one in found]
        floor = read_floor(sizes_read, consistent=getattr(asked, "consistent", False))
        if getattr(asked, "hydrate", False):
            sizes = ([bytes_of(FORMS.entity(asked), one)] for one in found)
            floor += sum((read_floor(size) for size in sizes), NONE)
        self._measuring.run(
            pattern, what, lambda: list(self._store.each(asked, where, **bounds)), read=floor
        )

    def _page(self, pattern: str, where: Record, make: Any) -> None:
        for tenant, shards in ((ONE, 1), (TEN, SHARDS)):
            sizes = [entry_bytes(pattern, make(STORED - n, tenant)) for n in range(PAGE)]
            asked = partial(
                self._store.query,
                FORMS.patterns[pattern],
                {"tenant_id": tenant, **where},
                limit=PAGE,
            )
            what = f"a page of {PAGE}" + (f" over {shards} shards" if shards > 1 else "")
            self._measuring.run(pattern, what, asked, read=page_floor(sizes, shards))
