"""Values that need a function of the user, or care: split, merged, secret, expiring, sharded."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tablewright.changes.copying.cut_over import TablesDiffer
from tablewright.changes.copying.migration_file import IncompleteMigration
from tablewright.changes.copying.writing import find_problems
from tablewright.runtime.secrets.secrets import Secrets
from tablewright.testing import Database
from tests.integration.changes.copying.people import (
    OldSession,
    People,
    PeopleBefore,
    Sessions,
    SessionsBefore,
)
from tests.integration.changes.copying.world import NEW_NAME, OLD_NAME, World, ordered
from tests.integration.runtime.secrets.people import ring

MODULE = "tests.integration.changes.copying.people"
SPLIT = {
    'first=designs.incomplete("Person.first", "it is required, and has no counterpart")':
        'first=old.name.split(" ")[0]',
    'last=designs.incomplete("Person.last", "it is required, and has no counterpart")':
        'last=old.name.split(" ")[1]',
    'address=designs.incomplete("Person.address", "it is required, and has no counterpart")':
        'address=f"{old.street}, {old.city}"',
    'name=designs.incomplete("Person.name", "it is required, and has no counterpart")':
        'name=f"{new.first} {new.last}"',
    'city=designs.incomplete("Person.city", "it is required, and has no counterpart")':
        'city=new.address.split(", ")[1]',
    'street=designs.incomplete("Person.street", "it is required, and has no counterpart")':
        'street=new.address.split(", ")[0]',
}  # fmt: skip


def completed(text: str) -> str:
    for incomplete, code in SPLIT.items():
        assert incomplete in text, text
        text = text.replace(incomplete, code)
    return text


def old_person(name: str, seat: int) -> dict[str, Any]:
    texts = {"person": name, "name": f"{name} Lovelace", "city": "Bern", "street": "Gasse 1"}
    item = {one: {"S": text} for one, text in {**texts, "income": f"{seat}00"}.items()}
    return {"PK": {"S": f"PERSON#{name}"}, "SK": {"S": "PERSON"}, "seat": {"N": str(seat)}, **item}


def new_person(name: str, seat: int) -> dict[str, Any]:
    texts = {"person": name, "first": name, "last": "Lovelace", "address": "Gasse 1, Bern"}
    item = {one: {"S": text} for one, text in {**texts, "income": f"{seat}00"}.items()}
    return {"PK": {"S": f"SEAT#{seat:04}"}, "SK": {"S": "PERSON"}, "seat": {"N": str(seat)}, **item}


def people(database: Database, folder: Path) -> World:
    return World(database, folder, PeopleBefore, People, edit=completed, module=MODULE)


CLEAR = (None, Secrets.in_clear())


def test_values_are_split_and_merged_by_functions_of_the_user(
    dynamodb: Database, tmp_path: Path
) -> None:
    world = people(dynamodb, tmp_path)
    world.write(OLD_NAME, old_person("Ada", 1), old_person("Bob", 2))
    world.run(secrets=CLEAR)
    wanted = [new_person("Ada", 1), new_person("Bob", 2)]
    assert world.items(NEW_NAME) == ordered(wanted)
    world.move("new", secrets=CLEAR)
    world.write(NEW_NAME, new_person("Cid", 3))
    world.run(secrets=CLEAR)
    assert world.items(OLD_NAME) == ordered(
        [old_person(*one) for one in (("Ada", 1), ("Bob", 2), ("Cid", 3))]
    )


def test_seats_that_people_exchange_are_copied_and_one_seat_of_two_is_refused(
    dynamodb: Database, tmp_path: Path
) -> None:
    world = people(dynamodb, tmp_path)
    world.write(OLD_NAME, old_person("Ada", 1), old_person("Bob", 2), old_person("Cid", 3))
    world.run(secrets=CLEAR)
    world.write(OLD_NAME, old_person("Ada", 2), old_person("Bob", 3), old_person("Cid", 1))
    world.run(secrets=CLEAR)
    exchanged = [new_person("Ada", 2), new_person("Bob", 3), new_person("Cid", 1)]
    assert world.items(NEW_NAME) == ordered(exchanged)
    world.write(OLD_NAME, old_person("Dan", 2))
    copier = world.run(secrets=CLEAR)
    (reason,) = copier.refused.values()
    assert "PERSON#Ada" in reason
    assert "Neither was overwritten" in reason
    assert world.items(NEW_NAME) == ordered(exchanged)
    with pytest.raises(TablesDiffer, match="PERSON#Dan"):
        world.move("new", secrets=CLEAR)
    world.write(OLD_NAME, old_person("Ada", 9))
    assert not world.run(secrets=CLEAR).refused
    wanted = [*exchanged[1:], new_person("Ada", 9), new_person("Dan", 2)]
    assert world.items(NEW_NAME) == ordered(wanted)


def test_a_field_that_becomes_secret_is_encrypted_and_read_back(
    dynamodb: Database, tmp_path: Path
) -> None:
    world = people(dynamodb, tmp_path)
    secrets = None, Secrets(ring())
    world.write(OLD_NAME, old_person("Ada", 1))
    copier = world.run(secrets=secrets)
    (item,) = world.items(NEW_NAME)
    assert "B" in item["income"]
    store = dynamodb.store(People, table=NEW_NAME, secrets=secrets[1])
    person: Any = store.get(People.person, seat=1)
    assert person.income == "100"
    assert world.compare(secrets=secrets).differences == []
    world.write(OLD_NAME, old_person("Ada", 1))
    written = copier.counts["written"]
    # An equal value is not encrypted anew.
    assert world.run(secrets=secrets).counts["written"] == written
    world.move("new", secrets=secrets)
    world.move("old", secrets=secrets)
    assert world.items(OLD_NAME) == [old_person("Ada", 1)]


def test_a_function_that_is_incomplete_is_named(dynamodb: Database, tmp_path: Path) -> None:
    world = World(dynamodb, tmp_path, PeopleBefore, People, module=MODULE)
    with pytest.raises(IncompleteMigration, match="upgrade_person still calls incomplete"):
        world.migration.require_complete()
    world.write(OLD_NAME, old_person("Ada", 1))
    with pytest.raises(IncompleteMigration, match=r"upgrade_person: Person\.first is incomplete"):
        world.run(secrets=CLEAR)


def test_keys_that_two_records_would_share_are_found_before_the_copy(
    dynamodb: Database, tmp_path: Path
) -> None:
    def lenient(text: str) -> str:
        return completed(text).replace('split(" ")[1]', 'partition(" ")[2] or "x"')

    world = World(dynamodb, tmp_path, PeopleBefore, People, edit=lenient, module=MODULE)
    problems, warnings = find_problems(world.migration)
    assert any("map to one key: PK SEAT#" in one for one in problems)
    assert any("Person.name cannot be restored" in one for one in warnings)


def session(name: str, until: datetime, **others: Any) -> dict[str, Any]:
    record = OldSession(session=name, until=until, owner="ada", **others)
    from tablewright.runtime.store.records import Records

    design = SessionsBefore.__design__
    return Records(design, design.entities["Session"]).to_item(record)


def test_shards_are_raised_and_lists_hold_every_item_once(
    dynamodb: Database, tmp_path: Path
) -> None:
    world = World(dynamodb, tmp_path, SessionsBefore, Sessions, module=MODULE)
    later = datetime(2050, 1, 1, tzinfo=UTC)
    world.write(OLD_NAME, *(session(f"s{number}", later) for number in range(40)))
    world.run()
    world.move("new")
    for design, name in ((SessionsBefore, OLD_NAME), (Sessions, NEW_NAME)):
        page = dynamodb.store(design, table=name).query(design.of_owner, owner="ada", limit=100)
        assert sorted(one.session for one in page.items) == sorted(f"s{n}" for n in range(40))
    shards = {item["O1"]["S"] for item in world.items(NEW_NAME)}
    assert len(shards) > 2


def test_an_item_that_dynamodb_would_delete_is_refused_unless_that_is_meant(
    dynamodb: Database, tmp_path: Path
) -> None:
    now = datetime.now(UTC)
    past, later = now - timedelta(days=2), now + timedelta(days=2)
    world = World(dynamodb, tmp_path, SessionsBefore, Sessions, module=MODULE)
    world.write(OLD_NAME, session("past", past), session("later", later))
    copier = world.run()
    (reason,) = copier.refused.values()
    assert "Session:expired in LOSES" in reason
    assert [item["session"]["S"] for item in world.items(NEW_NAME)] == ["later"]
    assert world.items(NEW_NAME)[0]["ttl"] == {"N": str(int(later.timestamp()))}
    with pytest.raises(TablesDiffer):
        world.move("new")
    loses = 'LOSES: set[str] = {"Session:expired"}'
    world.file.write_text(world.file.read_text().replace("LOSES: set[str] = set()", loses))
    world.move("new")
    world.move("old")
    assert len(world.items(OLD_NAME)) == 2, "what expires in the new table alone stays in the old"


def test_an_expiry_of_its_own_is_kept(dynamodb: Database, tmp_path: Path) -> None:
    world = World(dynamodb, tmp_path, SessionsBefore, Sessions, module=MODULE)
    later = datetime(2050, 1, 1, tzinfo=UTC)
    world.write(OLD_NAME, {**session("one", later), "old_ttl": {"N": "4102444800"}})
    world.run()
    (item,) = world.items(NEW_NAME)
    assert item["ttl"] == {"N": "4102444800"}
    world.move("new")
    world.move("old")


def test_a_field_that_is_lost_stops_the_cut_over_unless_it_is_listed(
    dynamodb: Database, tmp_path: Path
) -> None:
    later = datetime(2050, 1, 1, tzinfo=UTC)
    world = World(dynamodb, tmp_path, SessionsBefore, Sessions, module=MODULE)
    world.write(OLD_NAME, session("one", later, note="keep me"))
    assert "Session.note cannot be restored" in next(iter(world.run().refused.values()))
    with pytest.raises(TablesDiffer, match=r"Session\.note"):
        world.move("new")
    loses = 'LOSES: set[str] = {"Session.note"}'
    world.file.write_text(world.file.read_text().replace("LOSES: set[str] = set()", loses))
    world.move("new")
    assert "note" not in world.items(NEW_NAME)[0]
    assert world.items(OLD_NAME)[0]["note"] == {"S": "keep me"}
