"""Of writers that compete for an item one wins, also when answers are lost on the way."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from functools import partial
from typing import Any

import boto3
import pytest

from tablewright.model import (
    BatchCreate,
    Delete,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Put,
    Table,
    Text,
    Update,
    Upsert,
    Whole,
)
from tablewright.runtime import aws, boto3_client
from tablewright.runtime.errors import AlreadyExists, Conflict, TransactionRefused, Unavailable
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.runtime.store.lossy import lossy

WORKERS, ROUNDS = 8, 4


class Job(Entity, key=Key("{id}")):
    id: Field[str] = Text()
    state: Field[str] = Text()
    worker: Field[str | None] = Text(default=None)


class Task(Entity, key=Key("TASK-{id}")):
    """A job with an index key, so that its updates read the item first."""

    id: Field[str] = Text()
    state: Field[str] = Text()
    worker: Field[str | None] = Text(default=None)
    points: Field[int] = Whole(digits=6, default=0)


class Jobs(Table, pk="PK", entity_type="type", id="jobs"):
    by_state = Index(pk="state_key", sk="points_key", keys={Task: Key("{state}", "{points}")})
    job = Get(Job, consistent=True)
    task = Get(Task, consistent=True)
    put = Put(Job)
    put_task = Put(Task)
    create = Put(Job, create=True)
    load = BatchCreate(Job)
    claim = Update(Job)
    claim_task = Update(Task)
    count = Upsert(Job)
    drop = Delete(Job)


KINDS = ("update", "derived update", "upsert", "put", "delete", "transaction", "create_many")


def claims(kind: str, store: Store, id: str, worker: str) -> bool:
    """Try to become the worker of a job; True if this worker knows that it is."""
    key, due = {"id": id}, Job.state == "due"
    changes = {"state": "running", "worker": worker}
    try:
        if kind == "update":
            store.update(Jobs.claim, key, changes, when=due)
        elif kind == "derived update":
            store.update(Jobs.claim_task, key, changes, when=Task.state == "due")
        elif kind == "upsert":
            store.upsert(Jobs.count, key, changes, when=due)
        elif kind == "put":
            store.put(Jobs.create, Job(**key, **changes))
        elif kind == "delete":
            return store.delete(Jobs.drop, key, when=due) is not None
        elif kind == "transaction":
            store.transact_write(store.to_update(Jobs.claim, key, changes, when=due))
        else:
            return store.create_many(Jobs.load, [Job(**key, **changes)])[0]
    except TransactionRefused as refused:
        return refused.maybe_applied and refused.problems[0].current.worker == worker
    except (AlreadyExists, Conflict) as error:
        return error.is_own({"worker": worker})
    except Unavailable:
        return False  # all answers were lost
    return True


def opened(client: str, environment: dict[str, str], url: str) -> Store:
    """A store of its own for a worker, over a client that retries."""
    id, secret = (environment[f"AWS_{name}"] for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY"))
    session = boto3.session.Session(id, secret, region_name=environment["AWS_REGION"])
    connect: Any = {"wire": aws.connect, "boto3": boto3_client.connect}[client]
    return Store(Jobs, "jobs", connect(session, "dynamodb", endpoint_url=url))


def work(kind: str, client: str, environment: dict[str, str], url: str, worker: int) -> list[bool]:
    """One worker, which tries to claim the job of each round."""
    if client == "process":
        program = [sys.executable, "-m", __name__, kind, url, str(worker)]
        known = {**os.environ, **environment}
        done = subprocess.run(program, env=known, check=True, capture_output=True, timeout=120)
        return list(map(bool, json.loads(done.stdout)))
    store = opened(client, environment, url)
    return [claims(kind, store, f"{number}", f"{worker}") for number in range(ROUNDS)]


def race(
    database: Database, executor: Executor, kind: str, client: str, *, rate: float
) -> Iterator[tuple[list[int], str | None]]:
    """The workers that know that they won a round, and the one that is stored."""
    database.table(Jobs)
    database.empty(Jobs)
    store, environment = database.store(Jobs), database.environment
    endpoint = environment["AWS_ENDPOINT_URL_DYNAMODB"]
    for number in range(ROUNDS):
        if kind == "derived update":
            store.put(Jobs.put_task, Task(id=f"{number}", state="due"))
        elif kind not in ("put", "create_many"):
            store.put(Jobs.put, Job(id=f"{number}", state="due"))
    with lossy(endpoint, rate=rate, seed=7) if rate else nullcontext(endpoint) as url:
        won = list(executor.map(partial(work, kind, client, environment, url), range(WORKERS)))
    stored = {item["id"]["S"]: item.get("worker", {}).get("S") for item in database.items(Jobs)}
    for number in range(ROUNDS):
        yield [one for one in range(WORKERS) if won[one][number]], stored.get(f"{number}")


@pytest.mark.parametrize("client", ["wire", "boto3"])
@pytest.mark.parametrize("kind", KINDS)
def test_one_of_eight_threads_wins(dynamodb: Database, kind: str, client: str) -> None:
    with ThreadPoolExecutor(WORKERS) as threads:
        for winners, stored in race(dynamodb, threads, kind, client, rate=0):
            assert len(winners) == 1
            assert stored == (None if kind == "delete" else str(winners[0]))


@pytest.mark.parametrize("client", ["wire", "boto3"])
@pytest.mark.parametrize("kind", KINDS)
def test_no_two_threads_win_when_answers_are_lost(
    dynamodb: Database, kind: str, client: str
) -> None:
    with ThreadPoolExecutor(WORKERS) as threads:
        for winners, stored in race(dynamodb, threads, kind, client, rate=0.3):
            assert [str(one) for one in winners] in ([], [stored]) or (
                kind == "delete" and len(winners) <= 1
            )


@pytest.mark.parametrize("rate", [0, 0.3])
def test_one_of_eight_processes_wins(dynamodb: Database, rate: float) -> None:
    with ThreadPoolExecutor(WORKERS) as threads:
        for winners, stored in race(dynamodb, threads, "update", "process", rate=rate):
            assert len(winners) <= 1 if rate else len(winners) == 1
            assert not winners or str(winners[0]) == stored


@pytest.mark.parametrize("client", ["wire", "boto3"])
def test_what_is_added_after_a_read_is_never_added_twice(dynamodb: Database, client: str) -> None:
    plain = dynamodb.store(Jobs)
    plain.put(Jobs.put_task, Task(id="1", state="due"))
    endpoint = dynamodb.environment["AWS_ENDPOINT_URL_DYNAMODB"]

    def add(url: str, _: int) -> tuple[int, int]:
        store, done, unknown = opened(client, dynamodb.environment, url), 0, 0
        for _ in range(5):
            try:
                store.update(Jobs.claim_task, {"id": "1"}, Task.points.add(1))
                done += 1
            except Conflict as error:
                unknown += error.maybe_applied
            except Unavailable:
                unknown += 1
        return done, unknown

    with lossy(endpoint, rate=0.3, seed=11) as url, ThreadPoolExecutor(4) as threads:
        counts = list(threads.map(partial(add, url), range(4)))
    done, unknown = (sum(column) for column in zip(*counts, strict=True))
    task = plain.get(Jobs.task, id="1")
    assert task is not None
    assert done <= task.points <= done + unknown


if __name__ == "__main__":
    results = work(sys.argv[1], "wire", dict(os.environ), sys.argv[2], int(sys.argv[3]))
    sys.stdout.write(json.dumps(results))
