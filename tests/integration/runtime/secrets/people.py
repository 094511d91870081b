"""People: a table with a secret field of every kind, and what finds them by a secret."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from tablewright.model import (
    KEYS_ONLY,
    BatchCreate,
    BatchDelete,
    BatchGet,
    BatchPut,
    BatchWrite,
    Binary,
    Check,
    Collection,
    Date,
    Delete,
    Digest,
    Document,
    Entity,
    Field,
    Flag,
    Get,
    Index,
    Key,
    ListOf,
    Number,
    Part,
    PartOf,
    Prose,
    Put,
    Query,
    Scan,
    SetOf,
    Table,
    Text,
    Update,
    Upsert,
    Whole,
)
from tablewright.runtime.secrets.ring import Ring


class Address(Part):
    street: Field[str] = Text()
    city: Field[str | None] = Text(default=None)


class Person(Entity, key=Key("TEAM#{team}", "PERSON#{id}")):
    team: Field[str] = Text()
    id: Field[str] = Text()
    state: Field[str] = Text(default="new")
    visits: Field[int] = Whole(default=0)
    email: Field[str] = Text(secret=True)
    email_digest = Digest(email)
    note: Field[str | None] = Prose("remark", default=None, secret=True)
    tags: Field[set[str] | None] = SetOf(Text(), default=None, secret=True)
    addresses: Field[tuple[Address, ...] | None] = ListOf(
        PartOf(Address), default=None, secret=True
    )
    about: Field[Mapping[str, Any] | None] = Document(default=None, secret=True)
    photo: Field[bytes | None] = Binary(default=None, secret=True)
    salary: Field[Decimal | None] = Number(default=None, secret=True)
    born: Field[date | None] = Date(default=None, secret=True)
    active: Field[bool | None] = Flag(default=None, secret=True)


class People(Table, pk="PK", sk="SK"):
    by_email = Index(pk="EPK", keys={Person: Key("EMAIL#{email_digest}")})
    by_state = Index(
        pk="SPK", sk="SSK", projects=KEYS_ONLY, keys={Person: Key("STATE#{state}", "{id}")}
    )

    add = Put(Person, create=True)
    store = Put(Person)
    person = Get(Person, consistent=True)
    people = BatchGet(Person, consistent=True)
    change = Update(Person)
    visit = Upsert(Person)
    forget = Delete(Person)
    known = Check(Person)
    load = BatchPut(Person)
    insert = BatchCreate(Person)
    drop = BatchDelete(Person)
    write = BatchWrite(Person)
    of_team = Query(Person, consistent=True)
    names_of_team = Query(Person, select=(Person.id, Person.note))
    with_email = Query(Person, by_email)
    in_state = Query(Person, by_state, hydrate=True)
    everybody = Scan(Person)
    all_of_team = Collection(Person)


# None of these texts may be found in what is stored.
SECRET = {
    "email": "ann@example.com",
    "note": "owes Bob money",
    "tags": {"diabetic", "vegan"},
    "addresses": (Address(street="Elm Street 4", city="Ulm"), Address(street="Oak Road")),
    "about": {"bank": {"iban": "DE02120300000000202051"}, "limit": Decimal("1234.5")},
    "photo": b"\x89PNG-portrait",
    "salary": Decimal("98765.43"),
    "born": date(1987, 6, 5),
    "active": True,
}
HIDDEN = (
    *("ann@", "owes", "diabetic", "vegan", "Elm", "Oak", "DE0212", "1234.5", "portrait"),
    *("98765", "1987-06-05"),
)
TABLE = "people"


def ring(*ids: bytes, writer: bytes | None = None) -> Ring:
    """Keys of these ids, of which one writes: the last."""
    names = ids or (b"key1",)
    keys = {id: id * 8 for id in names}
    return Ring(TABLE, keys, writer or names[-1], digest=b"d" * 32)


def person(id: str = "ann", team: str = "red", **changes: Any) -> Person:
    return Person(**{"team": team, "id": id, **SECRET, **changes})
