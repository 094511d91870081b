"""Secret fields in a backfill: they are moved with their items, and never lost."""

from collections import Counter

from tablewright.changes.backfill.backfill import Backfill
from tablewright.changes.backfill.verification import verify
from tablewright.model import Key, Table
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.runtime.secrets.people import TABLE, People, Person, person, ring


class MovedPeople(People, keys={Person: Key("TEAM#{team}", "P#{id}")}):
    """The same, under another key."""


def fill(database: Database) -> Store:
    database.table(MovedPeople, TABLE)
    old = Store(People, TABLE, database.caller, secrets=Secrets(ring()))
    old.put(People.store, person())
    return old


def settled(database: Database, new: type[Table], secrets: Secrets) -> Counter[str]:
    return Backfill(new, People, TABLE, database.caller, secrets=secrets).run()


def test_what_is_encrypted_is_moved_with_its_item(dynamodb: Database) -> None:
    fill(dynamodb)
    (before,) = dynamodb.items(TABLE)
    assert settled(dynamodb, MovedPeople, Secrets(ring())) == Counter(moved=1)
    (after,) = dynamodb.items(TABLE)
    assert after["email"] != before["email"], "bound to its new place"
    new = Store(MovedPeople, TABLE, dynamodb.caller, secrets=Secrets(ring()))
    one = person()
    assert new.get(MovedPeople.person, team=one.team, id=one.id) == one
    assert verify(MovedPeople, TABLE, dynamodb.caller, secrets=Secrets(ring())).is_sound


def test_without_keys_nothing_is_touched(dynamodb: Database) -> None:
    fill(dynamodb)
    before = dynamodb.items(TABLE)
    for secrets in (Secrets.in_clear(), Secrets.withheld()):
        for new in (MovedPeople, People):
            assert settled(dynamodb, new, secrets) == Counter({"not rederivable": 1})
    assert dynamodb.items(TABLE) == before
