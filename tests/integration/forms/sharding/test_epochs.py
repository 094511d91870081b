"""Epochs on the real engine: one read by id, complete lists, and who may change a count."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from threading import Barrier
from typing import Any

import pytest

from tablewright.catalog.forms.design import Forms
from tablewright.model import InvalidRecord, InvalidValue
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import Conflict
from tablewright.runtime.meter import Meter
from tablewright.runtime.sharding.counts import EpochTooLate
from tablewright.testing import survives_every_fault
from tests.integration.forms.conftest import ACME, NOON, FormTable, ids, key_of, pages, submission

HOUR = timedelta(hours=1)
COUNTS = (4, 10, 4)


def history(forms: FormTable, tenant: str = "acme", each: int = 60) -> list[Any]:
    """Submissions of four hours, an epoch beginning with each hour but the first."""
    changes = [(NOON + (n + 1) * HOUR, count) for n, count in enumerate(COUNTS)]
    forms.set_epochs(tenant, *changes)
    forms.clock.moment = NOON + 5 * HOUR
    made = [
        submission(NOON + hour * HOUR + timedelta(seconds=n // 2), n, tenant_id=tenant)
        for hour in range(4)
        for n in range(each)
    ]
    store = forms.store()
    for record in made:
        store.put(Forms.put_submission, record)
    return made


def test_a_submission_is_one_read_away_whatever_the_count_was(forms: FormTable) -> None:
    made = history(forms)
    meter = Meter(forms.database.caller)
    store = forms.store(meter)
    store.get(Forms.get_submission, key_of(made[0]))  # and one for the epochs, for a minute
    meter.reset()
    for record in made:
        assert store.get(Forms.get_submission, key_of(record)) == record
    assert meter.calls == len(made)


def test_every_epoch_uses_its_own_shards(forms: FormTable) -> None:
    history(forms)
    items = [item for item in forms.database.items() if "submission_id" in item]
    used: dict[str, set[str]] = {}
    for item in items:
        for key in ("PK", "GSI1PK", "GSI2PK", "GSI3PK"):
            hour = item["timestamp"]["S"][11:13]
            used.setdefault(hour, set()).add(item[key]["S"].rsplit("#", 1)[1])
    assert {hour: len(shards) for hour, shards in used.items()} == {
        "12": 1,
        "13": 4,
        "14": 10,
        "15": 4,
    }


LISTS = [
    (Forms.submissions, ACME),
    (Forms.submissions_by_status, {**ACME, "status": "PENDING"}),
    (Forms.submissions_by_form, {**ACME, "form_id": "contact"}),
]


@pytest.mark.parametrize(("pattern", "where"), LISTS)
@pytest.mark.parametrize("limit", [7, 100])
@pytest.mark.parametrize("descending", [True, False])
def test_a_list_is_complete_and_in_order_over_all_epochs(
    forms: FormTable, pattern: Any, where: Any, limit: int, descending: bool
) -> None:
    made = history(forms)
    found = pages(forms.store(), pattern, where, limit, descending=descending)
    assert sorted(ids(found)) == sorted(ids(made))
    moments = [record["timestamp"] for record in found]
    assert moments == sorted(moments, reverse=descending)


@pytest.mark.parametrize(
    ("since", "until", "shards"),
    [
        (None, NOON + HOUR - timedelta(milliseconds=1), 1),
        (NOON + HOUR, NOON + HOUR + HOUR / 2, 4),
        (NOON + HOUR, NOON + 2 * HOUR, 10),
        (NOON + 3 * HOUR, None, 4),
        (None, None, 10),
    ],
)
def test_a_range_asks_only_the_shards_of_its_epochs(
    forms: FormTable, since: datetime | None, until: datetime | None, shards: int
) -> None:
    made = history(forms)
    meter = Meter(forms.database.caller)
    store = forms.store(meter)
    store.get(Forms.get_submission, key_of(made[-1]))
    meter.reset()
    found = list(store.each(Forms.submissions, ACME, since=since, until=until))
    expected = [
        record["submission_id"]
        for record in made
        if (since is None or record["timestamp"] >= iso_utc(since))
        and (until is None or record["timestamp"] <= iso_utc(until))
    ]
    assert sorted(ids(found)) == sorted(expected)
    # Each shard, and the epochs once more where the list goes up to now.
    assert meter.calls in (shards, shards + 1)


@pytest.mark.parametrize("descending", [True, False])
def test_a_cursor_goes_on_exactly_when_an_epoch_comes_between_two_pages(
    forms: FormTable, descending: bool
) -> None:
    made = history(forms)
    first = forms.store().query(Forms.submissions, ACME, limit=50, descending=descending)
    forms.counts().change("acme", 20)
    start = forms.clock.pass_by(minutes=10)
    later = [submission(start + timedelta(seconds=n), n) for n in range(40)]
    store = forms.store()
    for record in later:
        forms.clock.moment = start + timedelta(minutes=1)
        store.put(Forms.put_submission, record)
    rest, cursor = [], first.cursor
    while cursor:
        page = forms.store().query(
            Forms.submissions, ACME, limit=50, descending=descending, cursor=cursor
        )
        rest += page.items
        cursor = page.cursor
    # Newest first, what came after the first page is not part of the list; else it is its end.
    whole = made if descending else made + later
    found = first.items + rest
    assert sorted(ids(found)) == sorted(ids(whole))
    moments = [record["timestamp"] for record in found]
    assert moments == sorted(moments, reverse=descending)


def test_an_epoch_begins_when_everybody_must_know_it(forms: FormTable) -> None:
    epochs = forms.counts().change("acme", 4, distribution_strategy="volume")
    (epoch,) = epochs
    assert epoch.shards == 4
    assert epoch.since > iso_utc(NOON + timedelta(seconds=forms.timing.lead))
    later = forms.counts().change("acme", 10)
    assert [one.shards for one in later] == [4, 10]
    assert later.epochs[0] == epoch
    assert later.epochs[1].since > epoch.since
    assert forms.counts().change("acme", 10) == later


def test_an_epoch_cannot_be_in_the_past_nor_before_another(forms: FormTable) -> None:
    for since in (NOON - HOUR, NOON, NOON + timedelta(seconds=forms.timing.lead)):
        with pytest.raises(ValueError, match="cannot begin before"):
            forms.counts().change("acme", 4, since=since)
    forms.counts().change("acme", 4, since=NOON + 2 * HOUR)
    with pytest.raises(ValueError, match="must begin after the one before"):
        forms.counts().change("acme", 10, since=NOON + HOUR)
    for count in (0, 101):
        with pytest.raises(ValueError, match="1 to 100 shards"):
            forms.counts().change("acme", count)


def test_of_planners_at_once_one_wins(forms: FormTable) -> None:
    for count in (4, 10, 4, 7):
        planners = 6
        barrier = Barrier(planners)
        before = list(forms.counts().of("acme"))

        def plan(number: int, count: int = count, barrier: Barrier = barrier) -> str:
            counts = forms.counts(Lockstep(forms, barrier))
            since = forms.clock.moment + timedelta(minutes=10, milliseconds=number)
            try:
                counts.change("acme", count, since=since)
            except Conflict:
                return "lost"
            return "won"

        with ThreadPoolExecutor(planners) as executor:
            outcomes = list(executor.map(plan, range(planners)))
        assert sorted(outcomes) == ["lost"] * (planners - 1) + ["won"]
        after = list(forms.counts().of("acme"))
        assert after[:-1] == before
        assert after[-1].shards == count
        forms.clock.pass_by(hours=1)


class Lockstep:
    """Lets no planner write before all have read."""

    def __init__(self, forms: FormTable, barrier: Barrier) -> None:
        self._dynamo: Caller | None = forms.database.caller
        self._barrier: Barrier | None = barrier

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        if operation != "GetItem" and self._barrier:
            barrier, self._barrier = self._barrier, None
            barrier.wait(timeout=60)
        assert self._dynamo
        return self._dynamo.call(operation, params)


@pytest.mark.parametrize("known", [False, True], ids=["the first epoch", "another"])
def test_a_change_ends_the_same_whatever_fails_on_the_way(forms: FormTable, known: bool) -> None:
    def fresh() -> Caller:
        forms.database.empty()
        if known:
            forms.set_epochs("acme", (NOON, 4))
        return forms.database.caller

    def work(caller: Caller) -> None:
        forms.counts(caller).change("acme", 10)

    assert len(survives_every_fault(work, forms.database.items, fresh=fresh)) == 2


def test_an_epoch_that_took_too_long_to_write_is_reported(forms: FormTable) -> None:
    class Slow:
        def __init__(self) -> None:
            self._dynamo = forms.database.caller

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "PutItem":
                forms.clock.pass_by(seconds=forms.timing.patience + 1)
            return self._dynamo.call(operation, params)

    with pytest.raises(EpochTooLate, match="stored too late to be known everywhere"):
        forms.counts(Slow()).change("acme", 4)


def test_a_writer_that_knows_nothing_of_a_new_epoch_still_writes_where_all_look(
    forms: FormTable,
) -> None:
    """The last moment at which a writer may rely on what it read lies before the epoch."""
    timing = forms.timing
    stale = forms.store()
    stale.put(Forms.put_submission, submission(forms.clock.moment))
    forms.counts().change("acme", 10)
    (epoch,) = forms.counts().of("acme")
    forms.clock.pass_by(seconds=timing.life - 0.001)
    last = submission(forms.clock.moment, 1)
    assert last["timestamp"] < epoch.since
    stale.put(Forms.put_submission, last)
    # By then it has to look again, because of the ids that it makes.
    forms.clock.moment = datetime.fromisoformat(epoch.since)
    new = [submission(forms.clock.moment, n) for n in range(30)]
    for record in new:
        stale.put(Forms.put_submission, record)
    fresh = forms.store()
    for record in (last, *new):
        assert fresh.get(Forms.get_submission, key_of(record)) == record
    assert len(pages(fresh, Forms.submissions, ACME, 7)) == 32


def test_an_epoch_that_begins_at_once_would_lose_submissions(forms: FormTable) -> None:
    """What the lead is for: written past it, an epoch is unknown to those who have read before."""
    stale = forms.store()
    stale.put(Forms.put_submission, submission(forms.clock.moment))
    start = forms.clock.pass_by(seconds=1)
    forms.set_epochs("acme", (start, 10))
    made = [submission(start, n) for n in range(30)]
    for record in made:
        stale.put(Forms.put_submission, record)
    fresh = forms.store()
    found = [fresh.get(Forms.get_submission, key_of(record)) for record in made]
    assert found.count(None) > 10


def test_ids_of_the_future_and_foreign_times_are_refused(forms: FormTable) -> None:
    store = forms.store()
    ahead = NOON + timedelta(seconds=forms.timing.skew + 1)
    with pytest.raises(InvalidValue, match="must not have been made in the future"):
        store.put(Forms.put_submission, submission(ahead))
    with pytest.raises(InvalidRecord, match="timestamp must be the moment of submission_id"):
        store.put(Forms.put_submission, submission(NOON, timestamp=iso_utc(NOON - HOUR)))
    with pytest.raises(InvalidRecord, match="UUID of version 7"):
        store.get(Forms.get_submission, {**ACME, "submission_id": "s1"})
    assert forms.database.items() == []


def test_tenants_whose_ids_begin_alike_have_their_own_epochs_and_submissions(
    forms: FormTable,
) -> None:
    made = {tenant: history(forms, tenant, each=10) for tenant in ("a", "ab", "a-b")}
    forms.set_epochs("abc", (NOON, 7))
    store = forms.store()
    for tenant, records in made.items():
        found = pages(store, Forms.submissions, {"tenant_id": tenant}, 9)
        assert sorted(ids(found)) == sorted(ids(records))
        assert {record["tenant_id"] for record in found} == {tenant}
    assert pages(store, Forms.submissions, {"tenant_id": "abc"}, 9) == []
