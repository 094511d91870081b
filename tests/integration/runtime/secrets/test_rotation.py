"""A rotation while programs read and write; and every write path with faults at every call."""

import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest

from tablewright.commands.items.reencrypt import Reencryption, UsedKeys
from tablewright.commands.items.segments import Rate
from tablewright.runtime.aws import Caller
from tablewright.runtime.errors import SecretUnreadable
from tablewright.runtime.retry import Backoff
from tablewright.runtime.secrets.cipher import key_id_of
from tablewright.runtime.secrets.secrets import Secrets, encrypted
from tablewright.runtime.store.store import Store
from tablewright.runtime.transport import Transport
from tablewright.testing import Database, survives_every_fault
from tests.integration.runtime.secrets.people import TABLE, People, Person, person
from tests.key_services import KMS_KEY, KeyServices

ANN = {"team": "red", "id": "ann"}
DESIGN = People.__design__


@pytest.fixture
def services() -> KeyServices:
    services = KeyServices(TABLE)
    services.rotation().add(KMS_KEY)
    services.wait(days=90)
    return services


def store(database: Database, services: KeyServices, **settings: Any) -> Store:
    """A store of a program that starts now."""
    secrets = Secrets(services.keys(), **settings)
    return Store(People, TABLE, database.caller, secrets=secrets)


def reencrypted(
    database: Database, services: KeyServices, caller: Caller | None = None, **settings: Any
) -> Counter[str]:
    """What becomes of all items in one run of the command."""
    secrets = Secrets(services.keys(), **settings)
    edge = caller or database.caller
    work = Reencryption(DESIGN, TABLE, edge, secrets, rate=Rate(10_000))
    return work.settle(edge.call("Scan", work.request)["Items"])


def used(database: Database) -> set[str]:
    """The keys that anything is encrypted with."""
    found = UsedKeys(DESIGN, TABLE)
    found.settle(database.caller.call("Scan", found.request)["Items"])
    return found.ids


def test_programs_read_and_write_all_through_a_rotation(
    people: Database, services: KeyServices
) -> None:
    done, rotation = Event(), services.rotation()
    (old,) = rotation.ring().keys
    steady = [person(f"p{number}", email=f"p{number}@example.com") for number in range(20)]
    store(people, services).put_many(People.load, steady)
    programs = [store(people, services) for _ in range(3)]

    calls = Counter[Store]()

    def pass_time(minutes: int) -> None:
        """As it passes, whatever a program has begun is done."""
        before, deadline = calls.copy(), time.monotonic() + 60
        while any(calls[one] < before[one] + 2 for one in programs) and time.monotonic() < deadline:
            time.sleep(0.001)
        services.wait(minutes=minutes)

    def write(program: Store) -> int:
        many = 0
        while not done.is_set():
            many += 1
            program.upsert(
                People.visit, ANN, {"note": f"visit {many}", "state": "x", "email": "a@b.c"}
            )
            calls[program] += 1
        return many

    def read(program: Store) -> int:
        many = 0
        while not done.is_set():
            for one in steady:
                found = program.get(People.person, {"team": one.team, "id": one.id})
                assert found == one
                many += 1
                calls[program] += 1
        return many

    with ThreadPoolExecutor(3) as threads:
        work = [threads.submit(write, programs[0])]
        work += [threads.submit(read, program) for program in programs[1:]]
        try:
            new = rotation.add(KMS_KEY)
            pass_time(minutes=10)
            assert rotation.promote() == new
            pass_time(minutes=26)
            assert reencrypted(people, services)["done"] >= 20
            assert rotation.retire(lambda: used(people)) == [old]
            pass_time(minutes=6)
        finally:
            done.set()
        written, *reads = [one.result() for one in work]
    assert min(written, *reads) > 0
    found = programs[1].get(People.person, ANN)
    assert found is not None
    assert found.note == f"visit {written}"
    assert used(people) == {new}


def test_a_reader_that_does_not_know_a_key_yet_looks_for_it(
    people: Database, services: KeyServices
) -> None:
    reader = store(people, services)
    assert reader.get(People.person, ANN) is None
    reader.put(People.store, person())
    rotation = services.rotation()
    rotation.add(KMS_KEY)
    services.wait(minutes=10)
    rotation.promote()
    late = store(people, services)  # and the reader has not looked at the ring since
    late.put(People.store, person(note="newer"))
    found = reader.get(People.person, ANN)
    assert found is not None
    assert found.note == "newer"


def test_what_was_in_clear_is_encrypted_and_found_by_its_digest(
    people: Database, services: KeyServices
) -> None:
    clear = Store(People, TABLE, people.caller, secrets=Secrets.in_clear())
    clear.put_many(People.load, [person(), person("bob", note=None)])
    # Somebody may have put them there: only the operator knows that it was a program.
    assert reencrypted(people, services) == {"unreadable": 2}
    assert reencrypted(people, services, clear=True) == {"done": 2}
    assert reencrypted(people, services) == {"current": 2}
    strict = store(people, services)
    assert [one.id for one in strict.each(People.of_team, team="red")] == ["ann", "bob"]
    found = strict.each(People.with_email, email="ann@example.com")
    assert sorted(one.id for one in found) == ["ann", "bob"]


def test_what_was_encrypted_is_stored_in_clear_again(
    people: Database, services: KeyServices
) -> None:
    store(people, services).put(People.store, person())
    assert reencrypted(people, services, writes=False) == {"done": 1}
    assert used(people) == set()
    clear = Store(People, TABLE, people.caller, secrets=Secrets.in_clear())
    assert clear.get(People.person, ANN) == person()


def test_nothing_but_secrets_is_touched(people: Database, services: KeyServices) -> None:
    first = store(people, services)
    first.put(People.store, person())
    (before,) = people.items(TABLE)
    services.rotation().add(KMS_KEY)
    services.wait(minutes=10)
    services.rotation().promote()
    reencrypted(people, services)
    (after,) = people.items(TABLE)
    kept = {field.stored for field in Person.__entity__.secrets}
    assert {name for name in after if after[name] != before[name]} == kept
    assert before.keys() == after.keys()


def test_an_item_that_changes_meanwhile_keeps_the_change(
    people: Database, services: KeyServices
) -> None:
    clear = Store(People, TABLE, people.caller, secrets=Secrets.in_clear())
    clear.put_many(People.load, [person(), person("bob")])

    class Overtaken:
        """Before the first write, somebody changes one item and removes the other."""

        done = False

        def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
            if operation == "UpdateItem" and not self.done:
                self.done = True
                clear.update(People.change, ANN, Person.note.set("changed"))
                clear.delete(People.forget, {**ANN, "id": "bob"})
            return people.caller.call(operation, params)

    assert reencrypted(people, services, Overtaken(), clear=True) == {"done": 1, "gone": 1}
    assert store(people, services).get(People.person, ANN) == person(note="changed")
    assert len(people.items(TABLE)) == 1


def test_what_cannot_be_read_is_told_and_left(
    people: Database, services: KeyServices, capsys: pytest.CaptureFixture[str]
) -> None:
    store(people, services).put_many(People.load, [person(), person("bob", note="for Bob")])
    ann, bob = sorted(people.items(TABLE), key=lambda item: repr(item["SK"]))
    people.write([{**ann, "remark": bob["remark"]}], TABLE)
    assert reencrypted(people, services) == {"unreadable": 1, "current": 1}
    told = capsys.readouterr().err
    assert "Person.note was changed" in told
    assert "PERSON#ann" in told


class Everything:
    """DynamoDB and the services of keys, as one edge."""

    def __init__(self, database: Database, services: KeyServices) -> None:
        self._database = database
        self._services = services

    def call(self, operation: str, params: dict[str, Any]) -> dict[str, Any]:
        here = "TableName" in params or "RequestItems" in params or "TransactItems" in params
        return (self._database.caller if here else self._services).call(operation, params)


def put(store: Store) -> None:
    store.put(People.store, person())


def update(store: Store) -> None:
    store.update(People.change, ANN, {"note": "another", "tags": None})


def rewrite(store: Store) -> None:
    store.update(People.change, ANN, {"state": "old", "email": "other@example.com"})


def upsert(store: Store) -> None:
    store.upsert(People.visit, ANN, {"note": "x", "state": "x", "email": "new@example.com"})


def batch(store: Store) -> None:
    store.put_many(People.load, [person(), person("bob")])


def transaction(store: Store) -> None:
    store.transact_write(
        store.to_put(People.store, person("bob")),
        store.to_update(People.change, ANN, Person.note.set("together")),
    )


WRITES: list[Callable[[Store], None]] = [put, update, rewrite, upsert, batch, transaction]


@pytest.mark.parametrize("write", WRITES, ids=lambda one: one.__name__)
def test_every_write_survives_every_fault(
    people: Database, services: KeyServices, write: Callable[[Store], None]
) -> None:
    def fresh() -> Caller:
        people.empty(TABLE)
        store(people, services).put(People.store, person())
        return Everything(people, services)

    def work(caller: Caller) -> None:
        transport = Transport(caller, backoff=Backoff(first=0.001))
        secrets = Secrets(services.keys(caller))
        write(Store(People, TABLE, transport, secrets=secrets))

    def outcome() -> Any:
        found = store(people, services).each(People.of_team, team="red")
        # What digests stand in does not change from one encryption to the next.
        keys = [{n: w for n, w in item.items() if n == "EPK"} for item in people.items(TABLE)]
        return sorted(found, key=lambda one: one.id), sorted(keys, key=repr)

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 4


def test_encrypting_again_survives_every_fault(people: Database, services: KeyServices) -> None:
    clear = Store(People, TABLE, people.caller, secrets=Secrets.in_clear())
    two = [person(), person("bob", note="for Bob")]

    def fresh() -> Caller:
        clear.put_many(People.load, two)
        return Everything(people, services)

    def work(caller: Caller) -> None:
        secrets = Secrets(services.keys(caller), clear=True)
        run = Reencryption(DESIGN, TABLE, caller, secrets, rate=Rate(10_000))
        run.settle(caller.call("Scan", run.request)["Items"])

    def outcome() -> Any:
        keys = [
            key_id_of(value).hex()
            for item in people.items(TABLE)
            for wire in item.values()
            if (value := encrypted(wire))
        ]
        strict = store(people, services)
        return list(strict.each(People.of_team, team="red")), keys

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 6


def test_a_key_that_was_retired_too_early_is_named(people: Database, services: KeyServices) -> None:
    store(people, services).put(People.store, person())
    rotation = services.rotation()
    (old,) = rotation.ring().keys
    rotation.add(KMS_KEY)
    services.wait(minutes=10)
    rotation.promote()
    services.wait(minutes=30)
    rotation.retire(list)  # as if nobody had looked
    with pytest.raises(SecretUnreadable, match=f"not in the ring: {old}"):
        store(people, services).get(People.person, ANN)
