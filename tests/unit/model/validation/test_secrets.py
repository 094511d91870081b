"""Secret fields in the wrong place: each is found, and the message says what to do."""

from types import new_class
from typing import Any

import pytest

from tablewright.model import (
    IN_KEY,
    Computed,
    Count,
    Digest,
    Entity,
    Expiry,
    Field,
    Get,
    Index,
    Key,
    ListOf,
    Number,
    Part,
    PartOf,
    SetOf,
    Shards,
    Table,
    Text,
    Timestamp,
)
from tablewright.model.validation.design import validate


def problems(
    members: dict[str, Any], key: Key, index: Key | None = None, table: Any = None, **settings: Any
) -> list[str]:
    """What is wrong with a table of one entity with these fields."""
    kind = new_class("One", (Entity,), {"key": key, **settings}, lambda own: own.update(members))
    own: dict[str, Any] = {"get": Get(kind)}
    if index:
        own["by"] = Index("BY_IT", pk="IPK", sk="ISK", sparse=True, keys={kind: index})
    settings = {"pk": "PK", "sk": "SK", **(table or {})}
    return validate(new_class("Ones", (Table,), settings, lambda one: one.update(own)))


def base(**more: Any) -> dict[str, Any]:
    return {"id": Text(), "code": Text(secret=True), **more}


ID = Key("ONE#{id}", "ONE")


def test_a_secret_beside_the_key_is_sound() -> None:
    assert problems(base(), ID) == []


def test_a_secret_in_the_key_is_refused() -> None:
    (problem,) = problems(base(), Key("ONE#{id}", "CODE#{code}"))
    assert problem == (
        "One.code is secret and cannot be part of a key, but for a Digest of it: give that a field "
        "of its own"
    )


def test_a_secret_that_is_the_key_attribute_is_refused() -> None:
    found = problems({"id": Text(), "code": Text("SK", secret=True)}, Key("ONE#{id}", "{code}"))
    assert any("One.code is secret" in one for one in found)
    found = problems({"id": Text(), "code": Text(IN_KEY, secret=True)}, Key("{id}", "{code}"))
    assert any("One.code is secret" in one for one in found)


def test_a_secret_in_an_index_key_is_refused() -> None:
    (problem,) = problems(base(), ID, Key("CODE#{code}", "{id}"))
    assert "One.code is secret and cannot be part of a key" in problem


def test_a_secret_stored_as_the_key_of_an_index_is_refused() -> None:
    members = {"id": Text(), "other": Text(), "code": Text("IPK", secret=True)}
    found = problems(members, ID, Key("OTHER#{other}", "{id}"))
    assert "One.code is secret and cannot be a key: find it by a Digest" in found


def test_a_secret_that_shards_are_computed_from_is_refused() -> None:
    key = Key("ALL#{shard}", "{id}", shards=Shards(3, by="code"))
    (problem,) = problems(base(), ID, key)
    assert "cannot be what a key is sharded by" in problem


def test_a_secret_that_a_part_of_a_key_is_computed_from_is_refused() -> None:
    code: Field[str] = Text(secret=True)
    members = {"id": Text(), "code": code, "first": Computed(lambda text: text[:1], code)}
    (problem,) = problems(members, ID, Key("FIRST#{first}", "{id}"))
    assert "cannot be what a key is computed from, but for a Digest of it" in problem


def test_a_digest_of_a_secret_may_stand_in_keys() -> None:
    code: Field[str] = Text(secret=True)
    members = {"id": Text(), "code": code, "digest": Digest(code)}
    assert problems(members, ID, Key("CODE#{digest}", "{id}")) == []
    assert problems(members, Key("CODE#{digest}", "{id}")) == []


def test_a_digest_of_what_is_no_secret_is_refused() -> None:
    code: Field[str] = Text()
    (problem,) = problems({"id": Text(), "code": code, "digest": Digest(code)}, ID)
    assert problem == "One.digest is a Digest of code, which is no secret"


def test_a_secret_tenant_is_refused() -> None:
    found = problems(base(), Key("ONE#{id}", "ONE", shared=True), table={"tenant": "code"})
    assert any("One.code is secret and cannot be the tenant" in one for one in found)


def test_a_secret_that_items_expire_by_is_refused() -> None:
    members = {"id": Text(), "at": Timestamp(secret=True)}
    (problem,) = problems(members, ID, table={"ttl": "ttl"}, expires=Expiry("at", days=1))
    assert "One.at is secret and cannot be what items expire by" in problem


@pytest.mark.parametrize("setting", ["ttl", "entity_type"])
def test_a_secret_stored_as_what_dynamodb_reads_is_refused(setting: str) -> None:
    members = {"id": Text(), "code": Text("mark", secret=True)}
    (problem,) = problems(members, ID, table={setting: "mark"})
    assert problem == "One.code is secret and stored as 'mark', which DynamoDB must read"


def test_a_secret_that_is_counted_is_refused() -> None:
    class Counter(Entity, key=Key("C#{id}", "C")):
        id: Field[str] = Text()
        many: Field[Any] = Number(default=None, secret=True)

    class Seen(Entity, key=Key("S#{id}", "S")):
        id: Field[str] = Text()
        events: Field[set[str] | None] = SetOf(Text(), default=None)

    class Counters(Table, pk="PK", sk="SK"):
        count = Count(Counter, marker=Seen)

    (problem,) = validate(Counters)
    assert "Counter.many is secret and cannot be counted by 'count'" in problem


def test_a_secret_inside_a_part_or_a_list_is_refused() -> None:
    class Inner(Part):
        code: Field[str] = Text(secret=True)

    said = "One.inner has a secret inside: make all of it secret"
    assert problems({"id": Text(), "inner": PartOf(Inner)}, ID) == [said]
    assert problems({"id": Text(), "inner": ListOf(Text(secret=True))}, ID) == [said]
    assert problems({"id": Text(), "inner": ListOf(PartOf(Inner), secret=True)}, ID) == [said]
