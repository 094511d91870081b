"""Entities whose keys have the same form, told apart by an attribute."""

import pytest

from tablewright.model import (
    BatchCreate,
    BatchGet,
    BatchPut,
    Check,
    Collection,
    Delete,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Put,
    Query,
    Scan,
    Table,
    Text,
    Update,
    Upsert,
    Whole,
)
from tablewright.model.validation.design import check, validate
from tablewright.runtime.errors import AlreadyExists, NotFound, TransactionRefused
from tablewright.runtime.store.store import Store
from tablewright.testing import Database


class User(Entity, key=Key("ACCOUNT#{name}", "ACCOUNT")):
    name: Field[str] = Text()
    plan: Field[str] = Text()
    visits: Field[int] = Whole(default=0)


class Team(Entity, key=Key("ACCOUNT#{name}", "ACCOUNT")):
    name: Field[str] = Text()
    plan: Field[str] = Text()
    members: Field[int] = Whole(default=1)


class Accounts(Table, pk="PK", sk="SK", entity_type="type"):
    """Users and teams, whose names are unique among both."""

    by_plan = Index(
        pk="PPK",
        sk="PSK",
        keys={User: Key("PLAN#{plan}", "{name}"), Team: Key("PLAN#{plan}", "{name}")},
        projects=(User.visits,),
    )

    put_user = Put(User)
    create_user = Put(User, create=True)
    put_team = Put(Team)
    add_users = BatchCreate(User)
    user = Get(User)
    team = Get(Team)
    users = BatchGet(User)
    change_user = Update(User)
    visit = Upsert(User)
    drop_user = Delete(User)
    is_user = Check(User)
    users_of_plan = Query(User, by_plan)
    accounts_of_plan = Collection(User, Team, index=by_plan)
    every_team = Scan(Team)


ANN, OPS = User(name="ann", plan="free"), Team(name="ops", plan="free")


@pytest.fixture
def store(dynamodb: Database) -> Store:
    check(Accounts)
    store = dynamodb.store(Accounts)
    store.put(Accounts.put_user, ANN)
    store.put(Accounts.put_team, OPS)
    return store


def test_each_list_has_its_own(store: Store) -> None:
    assert [one.name for one in store.each(Accounts.users_of_plan, plan="free")] == ["ann"]
    found = list(store.each(Accounts.accounts_of_plan, plan="free"))
    assert [one.__entity__.name for one in found] == ["User", "Team"]
    assert store.count(Accounts.users_of_plan, plan="free") == 1
    assert list(store.scan(Accounts.every_team)) == [OPS]


def test_another_entity_with_the_key_is_not_there(store: Store) -> None:
    assert store.get(Accounts.user, name="ops") is None
    assert store.get(Accounts.team, name="ops") == OPS
    assert store.get_many(Accounts.users, [{"name": "ops"}, {"name": "ann"}]) == [ANN]
    with pytest.raises(NotFound):
        store.update(Accounts.change_user, {"name": "ops"}, {"plan": "paid"})
    with pytest.raises(NotFound):
        store.update(Accounts.change_user, {"name": "ops"}, User.visits.add(1))
    with pytest.raises(TransactionRefused):
        store.transact_write(store.to_check(Accounts.is_user, name="ops"))


def test_another_entity_with_the_key_is_not_replaced_nor_removed(
    store: Store, dynamodb: Database
) -> None:
    before = dynamodb.items()
    user = User(name="ops", plan="free")
    for pattern in (Accounts.put_user, Accounts.create_user):
        with pytest.raises(AlreadyExists):
            store.put(pattern, user)
    with pytest.raises(AlreadyExists):
        store.upsert(Accounts.visit, {"name": "ops"}, {"plan": "free"}, User.visits.add(1))
    with pytest.raises(
        TransactionRefused,
        match="exists already, and is not a User",
    ):
        store.transact_write(store.to_put(Accounts.put_user, user))
    assert store.create_many(Accounts.add_users, [user]) == [False]
    assert store.delete(Accounts.drop_user, name="ops") is None
    assert store.delete(Accounts.drop_user, name="ops", when=User.plan == "free") is None
    assert dynamodb.items() == before
    assert store.replace(Accounts.put_user, User(name="ann", plan="paid")) == ANN
    assert store.delete(Accounts.drop_user, name="ann") == User(name="ann", plan="paid")


def test_an_item_without_a_type_is_neither(store: Store, dynamodb: Database) -> None:
    item = next(one for one in dynamodb.items() if one["type"] == {"S": "User"})
    dynamodb.write([{name: wire for name, wire in item.items() if name != "type"}])
    assert store.get(Accounts.user, name="ann") is None
    assert store.get(Accounts.team, name="ann") is None
    assert list(store.each(Accounts.users_of_plan, plan="free")) == []


def test_what_cannot_tell_them_apart_is_refused() -> None:
    class Same(Table, pk="PK", sk="SK"):
        put_user = Put(User)
        put_team = Put(Team)

    assert validate(Same) == [
        "User and Team can have the same key: User(name='a') and Team(name='a') are both "
        "'ACCOUNT#a' / 'ACCOUNT'. Give them different words, give a field a pattern, or give the "
        "table an entity_type"
    ]

    class Blind(Table, pk="PK", sk="SK", entity_type="type"):
        by_plan = Index(
            pk="PPK", sk="PSK", keys={User: Key("PLAN#{plan}", "{name}")}, projects="KEYS_ONLY"
        )
        load = BatchPut(User)
        put_team = Put(Team)

    assert validate(Blind) == [
        "index by_plan projects keys alone, by which User cannot be told from entities with keys "
        "of the same form: project a field",
        "access pattern 'load' cannot look at what it replaces, and others can have the key of a "
        "User",
    ]
