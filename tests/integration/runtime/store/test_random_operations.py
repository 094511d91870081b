"""Random operations on a store have the outcomes that a model in plain Python predicts."""

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from tablewright.model import (
    BatchCreate,
    BatchDelete,
    BatchGet,
    BatchPut,
    Check,
    Condition,
    Delete,
    Entity,
    EpochTimestamp,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    Money,
    Put,
    Query,
    Scan,
    SetOf,
    Shards,
    Table,
    Text,
    Timestamp,
    Update,
    Upsert,
    Whole,
)
from tablewright.runtime import Cursors, KeyRing
from tablewright.runtime.errors import (
    AlreadyExists,
    Conflict,
    NotFound,
    OutOfBounds,
    StoreError,
    TransactionRefused,
)
from tablewright.runtime.store.store import Store
from tablewright.testing import Database

OPERATIONS = 3000
TENANTS = ("a", "ab")
STATES = ("open", "paid", "sent")
MOST_VISITS = 99
# DynamoDB Local deletes expired items by its own clock, so the clock of the store is ahead.
NOW = datetime.now(UTC).replace(microsecond=0)

Values = dict[str, Any]
Place = tuple[str, int]


class Job(Entity, key=Key("TENANT#{tenant}", "JOB#{number}"), expires=Expiry("until")):
    tenant: Field[str] = Text(max_length=8)
    number: Field[int] = Whole(digits=3)
    state: Field[str] = Text(pattern="[a-z]+")
    at: Field[datetime] = Timestamp()
    price: Field[Decimal] = Money()
    visits: Field[int | None] = Whole(digits=2, default=None)
    tags: Field[set[str] | None] = SetOf(of=Text(), max_items=4, default=None)
    until: Field[datetime | None] = EpochTimestamp(default=None)


class Jobs(Table, pk="PK", sk="SK", ttl="ttl"):
    by_state = Index(
        pk="SPK",
        sk="SSK",
        keys={
            Job: Key(
                "TENANT#{tenant}#{state}#{shard}", "{at}#{number}", shards=Shards(3, by="number")
            )
        },
    )
    put = Put(Job)
    create = Put(Job, create=True)
    get = Get(Job, consistent=True)
    change = Update(Job)
    touch = Upsert(Job)
    remove = Delete(Job)
    require = Check(Job)
    put_many = BatchPut(Job)
    create_many = BatchCreate(Job)
    remove_many = BatchDelete(Job)
    get_many = BatchGet(Job, consistent=True)
    of_tenant = Query(Job, range=Job.number, consistent=True)
    of_state = Query(Job, by_state, range=Job.at)
    every = Scan(Job, consistent=True)


class Model:
    """The table as a dictionary. Each method returns the values or the class of the error."""

    def __init__(self) -> None:
        self.jobs: dict[Place, Values] = {}
        self.now = NOW

    def live(self, place: Place) -> Values | None:
        job = self.jobs.get(place)
        if job is None or (job.get("until") and job["until"] <= self.now):
            return None
        return job

    def listed(self, holds: Callable[[Values], bool]) -> list[Values]:
        jobs = [job for place in self.jobs if (job := self.live(place)) and holds(job)]
        return sorted(jobs, key=lambda job: (job["tenant"], job["number"]))

    def create(self, job: Values) -> Any:
        place = (job["tenant"], job["number"])
        if self.live(place):
            return AlreadyExists
        self.jobs[place] = job
        return job

    def change(
        self,
        place: Place,
        changes: Values,
        holds: Callable[[Values], bool],
        *,
        upsert: bool = False,
    ) -> Any:
        job = self.live(place)
        if job is None and not upsert:
            return NotFound
        if job is not None and not holds(job):
            return Conflict
        after = dict(job or {"tenant": place[0], "number": place[1]})
        for name, value in changes.items():
            if name == "add":
                after["visits"] = (after.get("visits") or 0) + value
                if not 0 <= after["visits"] <= MOST_VISITS:
                    return OutOfBounds
            elif name == "tags":
                after["tags"] = (after.get("tags") or set()) | value
                if len(after["tags"]) > 4:
                    return OutOfBounds
            elif value is None:
                after.pop(name, None)
            else:
                after[name] = value
        self.jobs[place] = after
        return after

    def remove(self, place: Place, holds: Callable[[Values], bool]) -> Any:
        job = self.live(place)
        if job is not None and not holds(job):
            return Conflict
        self.jobs.pop(place, None)
        return job


class Run:
    """Makes random calls of a store and the same changes of a model."""

    def __init__(self, database: Database, random: Random) -> None:
        self.random = random
        self.model = Model()
        self.store = Store(
            Jobs,
            database.table(Jobs),
            database.caller,
            cursors=Cursors(KeyRing([b"k" * 32])),
            now=lambda: self.model.now,
        )

    def job(self) -> Values:
        random = self.random
        tenant, number = self.place()
        moment = NOW - timedelta(microseconds=random.randrange(10**7))
        values: Values = {
            "tenant": tenant,
            "number": number,
            "state": random.choice(STATES),
            "at": moment,
            "price": Decimal(random.randrange(500)) / 100,
        }
        if random.random() < 0.5:
            values["visits"] = random.randrange(MOST_VISITS + 1)
        if random.random() < 0.5:
            values["tags"] = set(random.sample("uvwxyz", random.randrange(1, 4)))
        if random.random() < 0.3:
            values["until"] = self.model.now + timedelta(hours=random.randrange(1, 60))
        return values

    def place(self) -> Place:
        return self.random.choice(TENANTS), self.random.randrange(12)

    def condition(self) -> tuple[Condition | None, Callable[[Values], bool]]:
        random = self.random
        state, price = random.choice(STATES), Decimal(random.randrange(500)) / 100
        conditions: list[tuple[Condition | None, Callable[[Values], bool]]] = [
            (None, lambda job: True),
            (Job.state == state, lambda job: job["state"] == state),
            (Job.price > price, lambda job: bool(job["price"] > price)),
            (Job.visits.is_missing(), lambda job: "visits" not in job),
            (
                (Job.state != state) & (Job.price <= price),
                lambda job: job["state"] != state and bool(job["price"] <= price),
            ),
            (Job.tags.contains("u"), lambda job: "u" in job.get("tags", ())),
        ]
        return random.choice(conditions)

    def changes(self, *, whole: bool) -> tuple[list[Any], Values]:
        """Changes of one job, for the store and for the model."""
        random, job = self.random, self.job()
        values: Values = {name: job[name] for name in ("state", "at", "price")}
        if not whole:
            names = random.sample(sorted(values), random.randrange(3))
            values = {name: values[name] for name in names}
        changes: list[Any] = [getattr(Job, name).set(value) for name, value in values.items()]
        kind = random.randrange(5)
        if kind == 0:
            values["add"] = random.randrange(-20, 60)
            changes.append(Job.visits.add(values["add"]))
        elif kind == 1:
            values["tags"] = set(random.sample("uvwxyz", 2))
            changes.append(Job.tags.add(values["tags"]))
        elif kind == 2:
            values["visits"] = None
            changes.append(Job.visits.remove())
        elif not changes:
            values["state"] = job["state"]
            changes.append(Job.state.set(job["state"]))
        return changes, values

    def step(self) -> tuple[str, Any, Any]:
        """One random call: its name, its outcome, and the expected one."""
        if self.random.random() < 0.02:
            self.model.now += timedelta(hours=self.random.randrange(1, 12))
        name = self.random.choice(
            ["put", "create", "change", "change", "touch", "remove", "many", "transaction", "read"]
        )
        outcome, expected = getattr(self, name)()
        return name, outcome, expected

    def put(self) -> tuple[Any, Any]:
        job = self.job()
        place = (job["tenant"], job["number"])
        before = self.model.live(place)
        self.model.jobs[place] = job
        return outcome(lambda: self.store.replace(Jobs.put, Job(**job))), before

    def create(self) -> tuple[Any, Any]:
        job = self.job()
        return outcome(lambda: self.store.put(Jobs.create, Job(**job))), self.model.create(job)

    def change(self) -> tuple[Any, Any]:
        place, (when, holds) = self.place(), self.condition()
        changes, values = self.changes(whole=False)
        made = outcome(lambda: self.store.update(Jobs.change, key(place), *changes, when=when))
        return settled(made, self.model.change(place, values, holds), holds, self.model.live(place))

    def touch(self) -> tuple[Any, Any]:
        place, (when, holds) = self.place(), self.condition()
        changes, values = self.changes(whole=True)
        made = outcome(lambda: self.store.upsert(Jobs.touch, key(place), *changes, when=when))
        expected = self.model.change(place, values, holds, upsert=True)
        return settled(made, expected, holds, self.model.live(place))

    def remove(self) -> tuple[Any, Any]:
        place, (when, holds) = self.place(), self.condition()
        made = outcome(lambda: self.store.delete(Jobs.remove, key(place), when=when))
        return made, self.model.remove(place, holds)

    def many(self) -> tuple[Any, Any]:
        model, store = self.model, self.store
        jobs = {(job["tenant"], job["number"]): job for job in (self.job() for _ in range(5))}
        records = [Job(**job) for job in jobs.values()]
        kind = self.random.randrange(3)
        if kind == 0:
            model.jobs |= jobs
            return store.put_many(Jobs.put_many, records), len(jobs)
        if kind == 1:
            created = [model.create(job) is not AlreadyExists for job in jobs.values()]
            return store.create_many(Jobs.create_many, records), created
        for place in jobs:
            model.jobs.pop(place, None)
        store.delete_many(Jobs.remove_many, [key(place) for place in jobs])
        return None, None

    def transaction(self) -> tuple[Any, Any]:
        """A put, a change and a check of three items: all or none."""
        model, store = self.model, self.store
        job, (when, holds) = self.job(), self.condition()
        places = {(job["tenant"], job["number"]), self.place(), self.place()}
        if len(places) < 3:
            return None, None
        second, third = sorted(places - {(job["tenant"], job["number"])})
        changes, values = self.changes(whole=True)
        before = dict(model.jobs)
        expected = {
            0: model.create(job) is AlreadyExists,
            1: isinstance(model.change(second, values, lambda _: True, upsert=True), type),
            2: (live := model.live(third)) is None or not holds(live),
        }
        problems = {at for at, is_wrong in expected.items() if is_wrong}
        if problems:
            model.jobs = before
        made = outcome(
            lambda: store.transact_write(
                store.to_put(Jobs.create, Job(**job)),
                store.to_update(Jobs.touch, key(second), *changes),
                store.to_check(Jobs.require, key(third), when=when),
            )
        )
        if isinstance(made, TransactionRefused):
            return {*made.problems}, problems
        return made, problems or None

    def read(self) -> tuple[Any, Any]:
        model, store, random = self.model, self.store, self.random
        tenant, (where, holds) = random.choice(TENANTS), self.condition()
        low, high = sorted(random.randrange(12) for _ in range(2))
        state, cut = random.choice(STATES), NOW - timedelta(microseconds=random.randrange(10**7))
        kind = random.randrange(6)
        if kind == 0:
            place = self.place()
            found = store.get(Jobs.get, key(place))
            return plain(found), model.live(place)
        if kind == 1:
            places = {self.place() for _ in range(4)}
            found_many = store.get_many(Jobs.get_many, [key(place) for place in places])
            by_key = sorted(map(plain, found_many), key=lambda job: (job["tenant"], job["number"]))
            return by_key, model.listed(lambda job: (job["tenant"], job["number"]) in places)
        if kind == 2:
            every = sorted(
                map(plain, store.scan(Jobs.every, where=where, segments=2)),
                key=lambda job: (job["tenant"], job["number"]),
            )
            return every, model.listed(holds)
        if kind == 3:
            limits: Any = random.choice(
                [{"since": low, "until": high}, {"after": low, "before": high + 1}]
            )
            least = low if "since" in limits else low + 1
            listed = model.listed(
                lambda job: (
                    job["tenant"] == tenant and least <= job["number"] <= high and holds(job)
                )
            )
            if "after" in limits and low >= high:
                return None, None
            count = store.count(Jobs.of_tenant, tenant=tenant, where=where, **limits)
            jobs = [*store.each(Jobs.of_tenant, tenant=tenant, where=where, **limits)]
            return ([*map(plain, jobs)], count), (listed, len(listed))
        if kind == 4:
            expected = model.listed(lambda job: job["tenant"] == tenant and holds(job))
            pages, cursor = [], None
            while True:
                page = store.query(
                    Jobs.of_tenant, tenant=tenant, where=where, limit=3, cursor=cursor
                )
                pages += [*map(plain, page.items)]
                cursor = page.cursor
                if cursor is None:
                    return pages, expected
        matches = model.listed(
            lambda job: job["tenant"] == tenant and job["state"] == state and job["at"] >= cut
        )
        matches.sort(key=lambda job: (job["at"], job["number"]), reverse=True)
        jobs = [*store.each(Jobs.of_state, tenant=tenant, state=state, since=cut, descending=True)]
        first = store.first(Jobs.of_state, tenant=tenant, state=state, since=cut, descending=True)
        return ([*map(plain, jobs)], plain(first)), (matches, matches[0] if matches else None)


def key(place: Place) -> Mapping[str, Any]:
    return {"tenant": place[0], "number": place[1]}


def plain(record: Any) -> Any:
    return {name: value for name, value in record.items() if value is not None} if record else None


def outcome(call: Callable[[], Any]) -> Any:
    """The values of the record that a call returns, or the error that it raises."""
    try:
        result = call()
    except StoreError as error:
        return error if isinstance(error, TransactionRefused) else type(error)
    return plain(result) if isinstance(result, Job) else result


def settled(
    made: Any, expected: Any, holds: Callable[[Values], bool], live: Values | None
) -> tuple[Any, Any]:
    """Where an item fails both the condition and a bound, either error is right."""
    both = expected is Conflict and made is OutOfBounds and live is not None and not holds(live)
    return (Conflict, Conflict) if both else (made, expected)


def test_random_operations_have_the_outcomes_of_a_plain_model(dynamodb: Database) -> None:
    seed = int(os.environ.get("SEED", "20261119"))
    run = Run(dynamodb, Random(seed))
    names: dict[str, int] = {}
    for number in range(OPERATIONS):
        name, made, expected = run.step()
        names[name] = names.get(name, 0) + 1
        assert made == expected, f"SEED={seed}: operation {number}, {name}"
    assert min(names.values()) > OPERATIONS / 20
