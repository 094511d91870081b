"""The fast path gives what botocore gives, and gives way where it cannot be had."""

from types import SimpleNamespace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from tablewright.model import Entity, Field, Get, Key, Put, Table, Text
from tablewright.runtime import fastpath
from tablewright.runtime.aws import Dynamo
from tablewright.runtime.errors import (
    AccessDenied,
    ObjectMissing,
    ResourceMissing,
    StoreError,
    Unavailable,
    from_response,
)
from tablewright.runtime.store.attribute_values import decode
from tests.integration.conftest import Database


class Note(Entity, key=Key("NOTE#{id}")):
    id: Field[str] = Text()
    text: Field[str] = Text()


class Notes(Table, pk="PK"):
    put_note = Put(Note)
    get_note = Get(Note)


ITEM: dict[str, Any] = {
    "PK": {"S": "NOTE#é\U0001f600"},
    "bytes": {"B": bytes(range(256))},
    "many": {"BS": [b"a", b"b"]},
    "number": {"N": "1.50"},
    "map": {"M": {"list": {"L": [{"BOOL": True}, {"NULL": True}, {"B": b"\0"}]}}},
}


def test_items_written_on_either_path_read_the_same_on_either(database: Database) -> None:
    name = database.create(Notes)
    fast, plain = Dynamo(database.client()), database.client()
    assert fast.fast

    def python(item: dict[str, Any]) -> dict[str, Any]:
        return {key: decode(wire) for key, wire in item.items()}

    read = {"TableName": name, "Key": {"PK": ITEM["PK"]}}
    for write in (fast.call, lambda _, params: plain.put_item(**params)):
        write("PutItem", {"TableName": name, "Item": ITEM})
        by_fast, by_plain = fast.call("GetItem", read)["Item"], plain.get_item(**read)["Item"]
        assert python(by_fast) == python(by_plain) == python(ITEM)


def test_a_client_that_validates_parameters_takes_the_fast_path_too(database: Database) -> None:
    name = database.create(Notes)
    dynamo = Dynamo(database.client(parameter_validation=True))
    assert dynamo.fast
    store = database.store(Notes, dynamo)
    store.put(Notes.put_note, Note(id="1", text="x"))
    assert store.get(Notes.get_note, {"id": "1"}) == {"id": "1", "text": "x"}
    assert name == "table"


@pytest.mark.parametrize("missing", ["_endpoint", "_serializer"])
def test_a_botocore_without_the_expected_parts_is_left_alone(
    database: Database, missing: str
) -> None:
    database.create(Notes)
    client = database.client()
    parts = {name: getattr(client, name) for name in ("_endpoint", "_serializer", "meta")}
    changed = SimpleNamespace(**{name: part for name, part in parts.items() if name != missing})
    before = dict(vars(changed))
    assert not fastpath.install(changed)
    assert vars(changed) == before


def test_without_the_fast_path_the_store_works_all_the_same(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fastpath, "install", lambda client: False)
    database.create(Notes)
    slow = Dynamo(database.client())
    assert not slow.fast
    store = database.store(Notes, slow)
    store.put(Notes.put_note, Note(id="1", text="é"))
    assert store.get(Notes.get_note, {"id": "1"}) == {"id": "1", "text": "é"}


def test_errors_are_typed_and_say_what_was_called(database: Database) -> None:
    with pytest.raises(ResourceMissing, match="GetItem: ResourceNotFoundException"):
        database.store(Notes).get(Notes.get_note, {"id": "1"})
    database.create(Notes)
    with pytest.raises(StoreError, match="ValidationException"):
        Dynamo(database.client()).call("GetItem", {"TableName": "table", "Key": {}})


def test_an_engine_that_cannot_be_reached_is_unavailable(database: Database) -> None:
    client = database.client(retries={"mode": "standard", "total_max_attempts": 1})
    client.meta.events.register("before-send.dynamodb.*", _refuse)
    with pytest.raises(Unavailable):
        Dynamo(client).call("GetItem", {"TableName": "table", "Key": {"PK": {"S": "x"}}})


def _refuse(**_: Any) -> None:
    raise EndpointConnectionError(endpoint_url="http://127.0.0.1:1")


def test_codes_of_errors_have_their_own_type() -> None:
    response = {"Error": {"Code": "AccessDeniedException", "Message": "no"}}
    assert isinstance(from_response("Query", response), AccessDenied)
    for code in ("NoSuchKey", "404"):
        assert isinstance(from_response("HeadObject", {"Error": {"Code": code}}), ObjectMissing)
    cancelled = {
        "Error": {"Code": "TransactionCanceledException"},
        "CancellationReasons": [{"Code": "None"}, {"Code": "ConditionalCheckFailed"}],
    }
    error = from_response("TransactWriteItems", cancelled)
    assert getattr(error, "reasons", None) == ["None", "ConditionalCheckFailed"]
