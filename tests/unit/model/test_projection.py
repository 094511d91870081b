"""What an index carries, in the names that each of its entities stores it by."""

from tablewright.model import IN_KEY, Entity, Field, Index, Key, Put, Table, Text
from tablewright.model.table_form import TableForm


class Ticket(Entity, key=Key("TICKET#{id}")):
    id: Field[str] = Text(IN_KEY)
    owner: Field[str] = Text()
    state: Field[str] = Text()


class Comment(Entity, key=Key("COMMENT#{id}")):
    id: Field[str] = Text(IN_KEY)
    owner: Field[str] = Text()
    state: Field[str] = Text("left_as")


class Draft(Entity, key=Key("DRAFT#{id}")):
    """Is in no index."""

    id: Field[str] = Text(IN_KEY)
    state: Field[str] = Text("draft_state")


class Desk(Table, pk="PK", entity_type="type"):
    by_owner = Index(
        pk="owner",
        keys={Ticket: Key("{owner}"), Comment: Key("{owner}")},
        projects=(Ticket.id, Ticket.owner, Ticket.state),
    )
    open = Put(Ticket)
    write = Put(Comment)
    draft = Put(Draft)


def test_an_index_carries_a_field_as_the_entities_in_it_store_it() -> None:
    assert Desk.__design__.carried(Desk.by_owner) == ["state", "left_as", "type"]
    (index,) = TableForm.of(Desk.__design__).definition("desk")["GlobalSecondaryIndexes"]
    assert index["Projection"]["NonKeyAttributes"] == ["left_as", "state", "type"]
