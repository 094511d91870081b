"""Grants of a design that has items of the form before: what is called, and no more."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tablewright.model import (
    KEYS_ONLY,
    BatchDelete,
    BatchGet,
    BatchPut,
    Check,
    Delete,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Put,
    Query,
    Table,
    Text,
    Update,
    Upsert,
)
from tablewright.model.grants import GrantError, of_tenant, statements
from tablewright.model.validation.design import validate
from tablewright.runtime.store.records import Item, Records
from tablewright.runtime.store.store import Store
from tablewright.testing import Database, least_privilege


class Note(Entity, key=Key("T#{tenant}#N#{id}", "NOTE")):
    tenant: Field[str] = Text()
    id: Field[str] = Text()
    folder: Field[str] = Text()
    text: Field[str | None] = Text(default=None)


class Before(Table, pk="PK", sk="SK", tenant="tenant"):
    by_folder = Index(pk="F1", sk="F2", keys={Note: Key("T#{tenant}#F#{folder}", "{id}")})
    by_text = Index(
        pk="X1",
        sk="X2",
        projects=KEYS_ONLY,
        sparse=True,
        keys={Note: Key("T#{tenant}#X#{text}", "{id}")},
    )
    write = Put(Note)
    create = Put(Note, create=True)
    change = Update(Note)
    touch = Upsert(Note)
    remove = Delete(Note)
    is_there = Check(Note)
    note = Get(Note)
    notes = BatchGet(Note)
    write_all = BatchPut(Note)
    remove_all = BatchDelete(Note)
    of_folder = Query(Note, by_folder)
    of_text = Query(Note, by_text)


class Notes(
    Before,
    keys={Note: Key("TENANT#{tenant}#NOTE#{id}", "NOTE")},
    formerly=Before,
):
    pass


KEY = {"tenant": "acme", "id": "n1"}
NOTE = Note(tenant="acme", id="n1", folder="in", text="hello")
CALLS: dict[str, Callable[[Store], Any]] = {
    "write": lambda s: s.put(Notes.write, NOTE),
    "change": lambda s: (
        s.update(Notes.change, KEY, {"folder": "out"}),
        s.update(Notes.change, KEY, {"folder": "in"}),
    ),
    "touch": lambda s: s.upsert(Notes.touch, KEY, {"folder": "in", "text": "hello"}),
    "remove": lambda s: s.delete(Notes.remove, KEY),
    "is_there": lambda s: s.transact_write(s.to_check(Notes.is_there, KEY)),
    "note": lambda s: (s.get(Notes.note, KEY), s.transact_get(s.to_get(Notes.note, KEY))),
    "notes": lambda s: s.get_many(Notes.notes, [KEY]),
    "write_all": lambda s: s.put_many(Notes.write_all, [NOTE, Note(**{**NOTE, "id": "n2"})]),
    "remove_all": lambda s: s.delete_many(Notes.remove_all, [KEY, {**KEY, "id": "n2"}]),
    "of_folder": lambda s: list(s.each(Notes.of_folder, tenant="acme", folder="in")),
    "of_text": lambda s: list(s.each(Notes.of_text, tenant="acme", text="hello")),
}


def rights(*patterns: Any) -> Any:
    """A role that is allowed patterns on the keys of one tenant."""
    allowed = statements(of_tenant(Notes.__design__, patterns, "t"), "TABLE")
    text = json.dumps(allowed).replace("${aws:PrincipalTag/t}", "acme")
    for one in (made := json.loads(text)):
        arn = {"Fn::GetAtt": ["Notes", "Arn"]}
        rest = one["Resource"].removeprefix("TABLE")
        one["Resource"] = {"Fn::Join": ["", [arn, rest]]} if rest else arn
    policy = {"PolicyDocument": {"Statement": made}, "Roles": [{"Ref": "Role"}]}
    template = {
        "Resources": {
            "Notes": {"Type": "AWS::DynamoDB::GlobalTable", "Properties": {}},
            "Role": {"Type": "AWS::IAM::Role", "Properties": {}},
            "Policy": {"Type": "AWS::IAM::Policy", "Properties": policy},
        }
    }
    return least_privilege(template, "Role", names={"Notes": "notes"})


def item(table: type[Table]) -> Item:
    return Records(table.__design__, table.__design__.entities["Note"]).to_item(NOTE)


@pytest.mark.parametrize("name", CALLS)
def test_a_tenant_is_granted_what_is_called_on_its_keys_of_both_forms(
    name: str, dynamodb: Database
) -> None:
    assert validate(Notes) == []
    allowed = rights(getattr(Notes, name))
    store = dynamodb.store(Notes)
    dynamodb.write([item(Before)])
    with allowed.recording():
        CALLS[name](store)
    allowed.assert_exact()


def test_nothing_is_stored_under_keys_of_the_form_before() -> None:
    (own, former) = of_tenant(Notes.__design__, [Notes.write], "t")
    assert own.keys == ["TENANT#${aws:PrincipalTag/t}#NOTE#*"]
    assert own.actions == ["GetItem", "PutItem"]
    assert former.keys == ["T#${aws:PrincipalTag/t}#N#*"]
    assert former.actions == ["DeleteItem", "GetItem"]


def test_a_former_key_that_sets_no_tenants_apart_cannot_be_granted_to_one() -> None:
    class Shared(Before, keys={Note: Key("N#{id}", "NOTE", shared=True)}):
        pass

    class Own(Shared, keys={Note: Key("TENANT#{tenant}#NOTE#{id}", "NOTE")}, formerly=Shared):
        pass

    with pytest.raises(GrantError, match=r"N#\{id\} does not begin with the tenant"):
        of_tenant(Own.__design__, [Own.note], "t")
