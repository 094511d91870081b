"""Secret fields in a backfill: they stay as they are, and what is added from them is right."""

from collections import Counter

from tablewright.changes.backfill.backfill import Backfill
from tablewright.changes.backfill.verification import verify
from tablewright.model import Index, Key
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.runtime.secrets.people import TABLE, People, Person, person, ring


class ListedPeople(People, id="people"):
    """The same, in one more index."""

    by_id = Index(pk="ID1", keys={Person: Key("ID#{id}")})


def fill(database: Database) -> None:
    database.table(ListedPeople, TABLE)
    Store(People, TABLE, database.caller, secrets=Secrets(ring())).put(People.store, person())


def settled(database: Database, secrets: Secrets) -> Counter[str]:
    return Backfill(ListedPeople, People, TABLE, database.caller, secrets=secrets).run()


def test_what_is_encrypted_stays_to_the_byte(dynamodb: Database) -> None:
    fill(dynamodb)
    (before,) = dynamodb.items(TABLE)
    assert settled(dynamodb, Secrets(ring())) == Counter(completed=1)
    (after,) = dynamodb.items(TABLE)
    assert after == {**before, "ID1": {"S": f"ID#{person().id}"}}
    found = verify(ListedPeople, TABLE, dynamodb.caller, old=People, secrets=Secrets(ring()))
    assert found.is_sound, found.lines()


def test_without_keys_nothing_is_touched(dynamodb: Database) -> None:
    fill(dynamodb)
    before = dynamodb.items(TABLE)
    for secrets in (Secrets.in_clear(), Secrets.withheld()):
        assert settled(dynamodb, secrets) == Counter(left=1)
        assert not verify(ListedPeople, TABLE, dynamodb.caller, secrets=secrets).is_sound
    assert dynamodb.items(TABLE) == before
