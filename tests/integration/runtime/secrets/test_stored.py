"""Whatever writes a secret field, nothing of it is stored in clear, and it comes back as it was."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from tablewright.model import (
    Digest,
    Entity,
    Field,
    Index,
    Key,
    Put,
    Query,
    Table,
    Text,
    Update,
    replaced,
)
from tablewright.model.validation.design import check
from tablewright.runtime.errors import Conflict, SecretUnreadable, TokenUsed
from tablewright.runtime.secrets.secrets import Secrets, encrypted
from tablewright.runtime.store.store import Store
from tablewright.testing import Database
from tests.integration.runtime.secrets.people import (
    HIDDEN,
    SECRET,
    TABLE,
    People,
    Person,
    person,
    ring,
)

ANN: dict[str, Any] = {"team": "red", "id": "ann"}
BOB = person("bob", email="bob@example.com")


def hidden(database: Database) -> bool:
    """Whether nothing of what is secret can be found in what is stored."""
    items = database.items(TABLE)
    text = repr(items).encode() + b"".join(
        wire["B"] for item in items for wire in item.values() if "B" in wire
    )
    return bool(items) and not any(part.encode() in text for part in HIDDEN)


def put(store: Store) -> None:
    store.put(People.store, person())


def create(store: Store) -> None:
    store.put(People.add, person())


def replace(store: Store) -> None:
    store.put(People.store, person(note="an old one"))
    replacement = store.replace(People.store, person())
    assert replacement is not None
    assert replacement.note == "an old one"


def update(store: Store) -> None:
    store.put(People.store, Person(**ANN, email="other@example.com"))
    changes = {name: value for name, value in SECRET.items() if name != "email"}
    store.update(People.change, ANN, changes)
    store.update(People.change, ANN, Person.email.set("ann@example.com"))


def rewrite(store: Store) -> None:
    store.put(People.store, person(state="old", email="other@example.com"))
    store.update(People.change, ANN, Person.state.set("new"), Person.email.set("ann@example.com"))


def upsert(store: Store) -> None:
    store.upsert(People.visit, ANN, {**SECRET, "state": "new"})


def batches(store: Store) -> None:
    store.put_many(People.load, [person()])


def insert(store: Store) -> None:
    assert store.create_many(People.insert, [person()]) == [True]


def write_many(store: Store) -> None:
    store.write_many(People.write, put=[person()])


def transaction(store: Store) -> None:
    store.put(People.store, Person(**ANN, email="ann@example.com"))
    store.transact_write(
        store.to_put(People.store, BOB),
        store.to_update(
            People.change,
            ANN,
            {name: value for name, value in SECRET.items() if name != "email"},
        ),
    )
    store.delete(People.forget, BOB)


WRITES: list[Callable[[Store], None]] = [
    *(put, create, replace, update, rewrite, upsert, batches, insert, write_many, transaction)
]


def test_the_design_is_sound() -> None:
    check(People)


@pytest.mark.parametrize("write", WRITES, ids=lambda one: one.__name__)
def test_nothing_secret_is_stored_in_clear(
    people: Database, store: Store, write: Callable[[Store], None]
) -> None:
    write(store)
    assert hidden(people)
    (item,) = people.items(TABLE)
    kept = {field.stored for field in Person.__entity__.secrets}
    assert {name for name, wire in item.items() if encrypted(wire)} == kept
    assert store.get(People.person, ANN) == person()


def test_every_read_gives_the_record_as_it_was(store: Store) -> None:
    ann = person()
    store.put_many(People.load, [ann, BOB])
    assert store.get(People.person, ANN) == ann
    assert store.get_many(People.people, [ANN]) == [ann]
    assert store.transact_get(store.to_get(People.person, ANN)) == (ann,)
    assert store.query(People.of_team, team="red").items == [ann, BOB]
    assert store.query(People.all_of_team, team="red").items == [ann, BOB]
    assert list(store.each(People.in_state, state="new")) == [ann, BOB]
    assert sorted(one.id for one in store.scan(People.everybody)) == ["ann", "bob"]
    assert [one.note for one in store.each(People.names_of_team, team="red")] == [ann.note] * 2
    assert store.delete(People.forget, ANN) == ann


def test_one_is_found_by_a_digest_of_its_secret(store: Store) -> None:
    store.put_many(People.load, [person(), BOB])
    assert [one.id for one in store.each(People.with_email, email="bob@example.com")] == ["bob"]
    store.update(People.change, BOB, Person.email.set("rob@example.com"))
    assert store.first(People.with_email, email="bob@example.com") is None
    found = store.first(People.with_email, email="rob@example.com")
    assert found is not None
    assert found.email == "rob@example.com"


def test_digests_differ_from_table_to_table(people: Database) -> None:
    def digest(table: str) -> Any:
        store = Store(People, TABLE, people.caller, secrets=Secrets(ring()._replace(table=table)))
        store.put(People.store, person())
        return people.items(TABLE)[0]["EPK"]

    assert digest("one") == digest("one") != digest("other")


def test_an_update_leaves_other_secrets_as_they_are_stored(people: Database, store: Store) -> None:
    store.put(People.store, person())
    (before,) = people.items(TABLE)
    store.update(People.change, ANN, Person.state.set("old"))  # of which an index key is made
    store.update(People.change, ANN, Person.visits.add(1))
    (after,) = people.items(TABLE)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"state", "SPK", "visits"}


def test_conditions_are_for_what_is_not_secret(store: Store) -> None:
    store.put(People.store, person())
    for condition in (
        Person.note == "x",
        Person.note.begins_with("owes"),
        Person.salary > 5,
        Person.tags.contains("vegan"),
        Person.note.size() > 2,
        Person.about.at("bank").exists(),
        Person.born.is_in(date(1987, 6, 5)),
        ~(Person.state == "new") | (Person.note == "x"),
    ):
        with pytest.raises(TypeError, match="is secret, and DynamoDB cannot look into it"):
            store.update(People.change, ANN, Person.visits.add(1), when=condition)
        with pytest.raises(TypeError, match="is secret"):
            store.to_check(People.known, ANN, when=condition)
    store.update(People.change, ANN, Person.visits.add(1), when=Person.note.exists())
    with pytest.raises(Conflict):
        store.delete(People.forget, ANN, when=Person.note.is_missing())
    store.update(People.change, ANN, Person.note.remove())
    assert store.delete(People.forget, ANN, when={"note": None}) is not None


def test_lists_look_at_secrets_once_they_are_decrypted(store: Store) -> None:
    rich = person("zoe", salary=Decimal(200_000), email="zoe@example.com", note=None)
    store.put_many(People.load, [person(), BOB, rich])

    def ids(condition: Any) -> list[str]:
        found = [one.id for one in store.each(People.of_team, team="red", where=condition)]
        assert store.count(People.of_team, team="red", where=condition) == len(found)
        assert sorted(one.id for one in store.scan(People.everybody, where=condition)) == found
        page = store.query(People.in_state, state="new", where=condition)
        assert [one.id for one in page.items] == found
        return found

    assert ids(Person.salary > 100_000) == ["zoe"]
    assert ids(Person.note.begins_with("owes") & (Person.state == "new")) == ["ann", "bob"]
    assert ids(Person.note.is_missing()) == ["zoe"]
    assert ids({"email": "bob@example.com"}) == ["bob"]


@pytest.mark.parametrize(
    "change",
    [
        Person.salary.add(1),
        Person.tags.add({"x"}),
        Person.tags.subtract({"x"}),
        Person.addresses.append({"street": "x"}),
        Person.about.at("bank").set("x"),
        Person.about.at("bank").remove(),
    ],
    ids=lambda change: type(change).__name__,
)
def test_a_secret_is_changed_as_a_whole(store: Store, change: Any) -> None:
    store.put(People.store, person())
    with pytest.raises(TypeError, match="is secret: it can be set or removed, but not in part"):
        store.update(People.change, ANN, change)


def test_set_if_missing_keeps_what_is_there(store: Store) -> None:
    store.put(People.store, person(note=None))
    store.update(People.change, ANN, Person.note.set_if_missing("first"))
    store.update(People.change, ANN, Person.note.set_if_missing("second"), {"state": "old"})
    assert store.update(People.change, ANN, Person.visits.add(1)).note == "first"


def test_a_store_must_say_what_becomes_of_secrets(people: Database) -> None:
    with pytest.raises(TypeError, match="'people' has secret fields: give the store secrets="):
        Store(People, TABLE, people.caller)


def test_what_is_in_clear_is_read_until_that_is_no_longer_accepted(
    people: Database, store: Store
) -> None:
    Store(People, TABLE, people.caller, secrets=Secrets.in_clear()).put(People.store, person())
    assert not hidden(people)
    migrating = Store(People, TABLE, people.caller, secrets=Secrets(ring(), clear=True))
    assert migrating.get(People.person, ANN) == person()
    with pytest.raises(SecretUnreadable, match=r"Person\.\w+ is stored in clear") as refused:
        store.get(People.person, ANN)
    assert not any(part in str(refused.value) for part in HIDDEN)


def test_what_is_encrypted_is_read_after_it_was_switched_off(
    people: Database, store: Store
) -> None:
    store.put(People.store, person())
    off = Store(People, TABLE, people.caller, secrets=Secrets(ring(), writes=False))
    assert off.get(People.person, ANN) == person()
    off.update(People.change, ANN, Person.note.set("owes Bob money"))
    assert not hidden(people)
    assert off.get(People.person, ANN) == person()


@pytest.mark.parametrize(
    "secrets", [Secrets.in_clear(), Secrets.withheld()], ids=["in clear", "withheld"]
)
def test_a_store_without_keys_does_not_read_what_is_encrypted(
    people: Database, store: Store, secrets: Secrets
) -> None:
    store.put(People.store, person())
    other = Store(People, TABLE, people.caller, secrets=secrets)
    found = other.update(People.change, ANN, Person.visits.add(1))
    assert (found.visits, found.state) == (1, "new")
    with pytest.raises(AttributeError, match=r"note was not read: .* the store has no keys for it"):
        _ = found.note
    with pytest.raises(TypeError, match="was read without"):
        other.put(People.store, found)
    with pytest.raises(TypeError, match="was read without"):
        replaced(found, visits=2)
    # An index key that follows from the change alone needs no secret, and leaves it as it is.
    other.update(People.change, ANN, Person.state.set("old"))
    assert store.get(People.person, ANN) == person(visits=1, state="old")


def test_a_store_from_which_secrets_are_withheld_writes_none(people: Database) -> None:
    store = Store(People, TABLE, people.caller, secrets=Secrets.withheld())
    with pytest.raises(TypeError, match="secret, and this store has no keys"):
        store.put(People.store, person())
    assert people.items(TABLE) == []


def moved(people: Database, store: Store, change: Callable[[dict[str, Any]], Any]) -> str:
    """What is said of an item in which something was changed by hand."""
    store.put_many(People.load, [person(), BOB])
    (item,) = (one for one in people.items(TABLE) if one["SK"] == {"S": "PERSON#ann"})
    (bob,) = (one for one in people.items(TABLE) if one["SK"] == {"S": "PERSON#bob"})
    change({"ann": item, "bob": bob})
    people.write([item], TABLE)
    with pytest.raises(SecretUnreadable) as refused:
        store.get(People.person, ANN)
    assert not any(part in repr(refused.value) for part in HIDDEN)
    return str(refused.value)


def test_a_value_of_another_item_is_refused(people: Database, store: Store) -> None:
    said = moved(people, store, lambda one: one["ann"].update(remark=one["bob"]["remark"]))
    assert said == "Person.note was changed, or is of another item or table than people"


def test_a_value_of_another_attribute_is_refused(people: Database, store: Store) -> None:
    said = moved(people, store, lambda one: one["ann"].update(email=one["ann"]["remark"]))
    assert said.startswith("Person.email was changed")


@pytest.mark.parametrize("at", [-1, -20, 10, 20])
def test_a_value_that_was_changed_is_refused(people: Database, store: Store, at: int) -> None:
    def change(items: dict[str, Any]) -> None:
        value = bytearray(items["ann"]["remark"]["B"])
        value[at] ^= 1
        items["ann"]["remark"] = {"B": bytes(value)}

    assert moved(people, store, change).startswith("Person.note was changed")


def test_a_value_that_was_cut_off_is_refused(people: Database, store: Store) -> None:
    def cut(items: dict[str, Any]) -> None:
        items["ann"]["remark"] = {"B": items["ann"]["remark"]["B"][:15]}

    assert moved(people, store, cut).startswith("Person.note was changed")


def test_a_value_under_an_unknown_key_names_the_key(people: Database, store: Store) -> None:
    store.put(People.store, person())
    later = Store(People, TABLE, people.caller, secrets=Secrets(ring(b"key2")))
    with pytest.raises(SecretUnreadable, match="has a key that is not in the ring: 6b657931"):
        later.get(People.person, ANN)


def test_a_restored_copy_is_read_under_the_name_of_the_first(
    people: Database, store: Store
) -> None:
    store.put(People.store, person())
    people.table(People, "restored")
    people.write(people.items(TABLE), "restored")
    copy = Store(People, "restored", people.caller, secrets=Secrets(ring()))
    assert copy.get(People.person, ANN) == person()


def test_a_transaction_that_is_repeated_changes_nothing(people: Database, store: Store) -> None:
    """Though it is not the same request: no two encryptions are."""
    token = str(uuid4())  # the engine knows those of all databases
    store.transact_write(store.to_put(People.store, person()), token=token)
    before = people.items(TABLE)
    with pytest.raises(TokenUsed):
        store.transact_write(store.to_put(People.store, person()), token=token)
    assert people.items(TABLE) == before


def test_a_record_shows_no_secret(store: Store) -> None:
    store.put(People.store, person())
    shown = repr(store.get(People.person, ANN))
    assert shown.startswith("Person(")
    assert {"team='red'", "email=…", "note=…"} <= {*shown[7:-1].split(", ")}
    assert not any(part in shown for part in HIDDEN)


class Member(Entity, key=Key("TENANT#{tenant}#ID#{id}", "MEMBER")):
    tenant: Field[str] = Text()
    id: Field[str] = Text()
    email: Field[str] = Text(secret=True)
    phone: Field[str | None] = Text(default=None, secret=True)
    email_digest = Digest(email)
    phone_digest = Digest(phone)


class Members(Table, pk="PK", sk="SK", tenant="tenant"):
    by_email = Index(pk="EPK", keys={Member: Key("TENANT#{tenant}#EMAIL#{email_digest}")})
    by_phone = Index(pk="FPK", sparse=True, keys={Member: Key("P#{phone_digest}", shared=True)})
    add = Put(Member)
    change = Update(Member)
    with_email = Query(Member, by_email)
    with_phone = Query(Member, by_phone)


def test_digests_of_two_tenants_differ_unless_their_key_is_shared(dynamodb: Database) -> None:
    check(Members)
    dynamodb.table(Members)
    store = dynamodb.store(Members, secrets=Secrets(ring()))
    members = [
        Member(tenant=one, id="1", email="ann@example.com", phone="112") for one in ("a", "b")
    ]
    for member in members:
        store.put(Members.add, member)
    one, two = dynamodb.items(store.table_name)
    digests = [item["EPK"]["S"].rpartition("#")[2] for item in (one, two)]
    assert len({*digests}) == 2
    assert one["FPK"] == two["FPK"]
    for member in members:
        query = {"tenant": member.tenant, "email": "ann@example.com"}
        assert store.query(Members.with_email, query).items == [member]
    assert len(store.query(Members.with_phone, phone="112").items) == 2
    store.update(Members.change, members[0], Member.email.set("eve@example.com"))
    found = store.first(Members.with_email, tenant="a", email="eve@example.com")
    assert found is not None
    assert store.first(Members.with_email, tenant="a", email="ann@example.com") is None


def test_forged_text_in_clear_is_refused(people: Database, store: Store) -> None:
    def forge(items: dict[str, Any]) -> None:
        items["ann"]["remark"] = {"S": "owes nobody"}

    said = moved(people, store, forge)
    assert said.startswith(
        "Person.note is stored in clear: it was never encrypted, or put in place"
    )
