"""People before and after: names split and merged, a secret, an expiry, shards, a seat as key."""

from datetime import datetime

from tablewright.model import (
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    Put,
    Query,
    Shards,
    Table,
    Text,
    Timestamp,
    Whole,
)


class Person(Entity, key=Key("PERSON#{person}", "PERSON")):
    person: Field[str] = Text()
    name: Field[str] = Text()
    city: Field[str] = Text()
    street: Field[str] = Text()
    income: Field[str] = Text()
    seat: Field[int] = Whole(digits=4)


class PeopleBefore(Table, id="people", pk="PK", sk="SK"):
    put = Put(Person)
    person = Get(Person)


OldPerson = Person


class Person(Entity, key=Key("SEAT#{seat}", "PERSON")):  # type: ignore[no-redef]
    person: Field[str] = Text()
    first: Field[str] = Text()
    last: Field[str] = Text()
    address: Field[str] = Text()
    income: Field[str] = Text(secret=True)
    seat: Field[int] = Whole(digits=4)


class People(Table, id="people", pk="PK", sk="SK"):
    put = Put(Person)
    person = Get(Person)


class Session(Entity, key=Key("SESSION#{session}", "SESSION")):
    session: Field[str] = Text()
    until: Field[datetime] = Timestamp()
    owner: Field[str] = Text()
    note: Field[str | None] = Text(default=None)


def _by_owner(entity: type[Entity], shards: int) -> Index:
    key = Key("O#{owner}#{shard}", "{session}", shards=Shards(shards, by="session"))
    return Index(pk="O1", sk="O2", keys={entity: key})


class SessionsBefore(Table, id="sessions", pk="PK", sk="SK", ttl="old_ttl"):
    by_owner = _by_owner(Session, 2)
    put = Put(Session)
    session = Get(Session)
    of_owner = Query(Session, by_owner)


OldSession = Session


class Session(  # type: ignore[no-redef]
    Entity, key=Key("SESSION#{session}", "SESSION"), expires=Expiry("until")
):
    session: Field[str] = Text()
    until: Field[datetime] = Timestamp()
    owner: Field[str] = Text()


class Sessions(Table, id="sessions", pk="PK", sk="SK", ttl="ttl"):
    """More shards, an expiry, and no note."""

    by_owner = _by_owner(Session, 8)
    put = Put(Session)
    session = Get(Session)
    of_owner = Query(Session, by_owner)
