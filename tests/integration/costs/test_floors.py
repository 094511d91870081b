"""Floors that are computed from what calls write and find, beside what the engine reports."""

from collections.abc import Callable
from decimal import Decimal

import pytest

from tablewright.costs.measuring import Measurement, Measuring, measured
from tablewright.model import (
    ALL,
    KEYS_ONLY,
    BatchCreate,
    BatchGet,
    BatchPut,
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
)
from tablewright.testing import Database
from tablewright.testing.dynamodb_local import DynamoDbLocal


class Note(Entity, key=Key("NOTE#{note_id}")):
    """A note on a board."""

    note_id: Field[str] = Text()
    board: Field[str] = Text()
    text: Field[str] = Text(max_length=2000)


class Notes(Table, pk="PK"):
    """Notes, in an index of whole ones and in one of keys."""

    by_board = Index(pk="BPK", sk="BSK", keys={Note: Key("{board}", "{note_id}")}, projects=ALL)
    by_id = Index(pk="IPK", keys={Note: Key("ID#{note_id}")}, projects=KEYS_ONLY)
    write = Put(Note)
    change = Update(Note)
    remove = Delete(Note)
    note = Get(Note, consistent=True)
    of_board = Query(Note, by_board)
    write_many = BatchPut(Note)
    create_many = BatchCreate(Note)
    get_many = BatchGet(Note)
    not_run = Scan(Note)


def note(number: int, board: str = "a") -> Note:
    return Note(note_id=f"{number:03}", board=board, text="x" * 1500)


def notes(measuring: Measuring) -> None:
    store = measuring.store()
    some = [note(number) for number in range(10)]
    for name, work in {
        "write": lambda: store.put(Notes.write, note(100)),
        "change": lambda: store.update(Notes.change, {"note_id": "100"}, {"text": "short"}),
        "move": lambda: store.update(Notes.change, {"note_id": "100"}, {"board": "b"}),
        "remove": lambda: store.delete(Notes.remove, {"note_id": "100"}),
        "write_many": lambda: store.put_many(Notes.write_many, some),
        "create_many": lambda: store.create_many(Notes.create_many, [note(200, "c")]),
        "note": lambda: store.get(Notes.note, {"note_id": "001"}),
        "nothing": lambda: store.get(Notes.note, {"note_id": "999"}),
        "get_many": lambda: store.get_many(Notes.get_many, [{"note_id": "001"}, {"note_id": "9"}]),
        "of_board": lambda: list(store.each(Notes.of_board, {"board": "a"})),
        "empty": lambda: list(store.each(Notes.of_board, {"board": "z"})),
        "transact": lambda: store.transact_write(store.to_put(Notes.write, note(300, "d"))),
    }.items():
        _run(measuring, name, work)


def _run(measuring: Measuring, name: str, work: Callable[[], object]) -> None:
    measuring.run(name, "once", work)


@pytest.fixture(scope="module")
def found(dynamodb_local: DynamoDbLocal) -> dict[str, Measurement]:
    database = Database(dynamodb_local)
    some = measured(notes, database.caller, Notes, database.table(Notes))
    return {one["pattern"]: one for one in some}


@pytest.mark.parametrize(
    ("case", "read", "write"),
    [
        # Two units of the table and of the whole entry, one of the keys.
        ("write", 0, 5),
        # The item and its entry as they were are larger.
        ("change", 0, 4),
        # The entry is removed and written.
        ("move", 0, 3),
        ("remove", 0, 3),
        ("write_many", 0, 50),
        ("create_many", 0, 5),
        ("note", 1, 0),
        ("nothing", 1, 0),
        ("get_many", 1, 0),
        # Ten of some 1,600 bytes are read together: four times 4 KB, eventually.
        ("of_board", 2, 0),
        ("empty", "0.5", 0),
        # Twice to the table, once to each index.
        ("transact", 0, 7),
    ],
)
def test_a_floor_is_what_the_items_cost_at_the_least(
    found: dict[str, Measurement], case: str, read: int | str, write: int
) -> None:
    one = found[case]
    floors = Decimal(one["read_floor"]), Decimal(one["write_floor"])
    assert floors == (Decimal(read), Decimal(write))


def test_the_engine_reports_no_more_than_the_floors(found: dict[str, Measurement]) -> None:
    for one in found.values():
        for kind in ("read", "write"):
            assert Decimal(one[kind]) == Decimal(one[f"{kind}_floor"]), one
