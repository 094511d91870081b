"""Support tickets by status, priority, assignee and customer, with their comments.

After the complaint management system in AWS's documentation of DynamoDB. Where that scans the table
for tickets of a status and priority, an index with a key of several attributes finds them.
"""

from datetime import UTC, datetime
from enum import Enum

from tablewright.model import (
    Choice,
    Collection,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Lines,
    ListOf,
    Part,
    PartOf,
    Prose,
    Put,
    Query,
    SetOf,
    Table,
    Text,
    Timestamp,
    Update,
    Whole,
)
from tablewright.runtime import Store

_NINE = datetime(2026, 11, 17, 9, tzinfo=UTC)


class Status(Enum):
    OPEN = "OPEN"
    ASSIGNED = "ASSIGNED"
    WAITING = "WAITING"
    SOLVED = "SOLVED"


class Attachment(Part):
    """A file in a bucket."""

    name: Field[str] = Prose()
    bytes: Field[int] = Whole()


class Ticket(
    Entity,
    key=Key("TICKET#{ticket_id}", "TICKET"),
    example={
        "ticket_id": "t1",
        "product": "router",
        "customer": "acme",
        "subject": "No signal",
        "opened_at": _NINE,
        "priority": 1,
        "status": Status.ASSIGNED,
        "assignee": "ann",
        "tags": {"outage"},
    },
):
    """What a customer complains of. Priority 1 is the highest."""

    ticket_id: Field[str] = Text()
    product: Field[str] = Text()
    customer: Field[str] = Text()
    subject: Field[str] = Prose()
    opened_at: Field[datetime] = Timestamp(resolution="ms")
    priority: Field[int] = Whole(digits=1, lowest=1)
    status: Field[Status] = Choice(Status, default=Status.OPEN)
    assignee: Field[str | None] = Text(default=None)
    supervisor: Field[str | None] = Text(default=None)
    tags: Field[set[str] | None] = SetOf(Text(), default=None)
    attachments: Field[tuple[Attachment, ...]] = ListOf(PartOf(Attachment), default=())


class Comment(
    Entity,
    key=Key("TICKET#{ticket_id}", "COMMENT#{written_at}#{author}"),
    example={
        "ticket_id": "t1",
        "written_at": _NINE,
        "author": "ann",
        "text": "Is the light\nred or green?",
        "status": Status.WAITING,
    },
):
    """What was said of a ticket, and the status that it has had since."""

    ticket_id: Field[str] = Text()
    written_at: Field[datetime] = Timestamp(resolution="ms")
    author: Field[str] = Text()
    text: Field[str] = Lines(max_length=10_000)
    status: Field[Status] = Choice(Status, "left_as")


class Tickets(Table, pk="PK", sk="SK"):
    """Tickets and their comments."""

    queue = Index(
        pk=("product", "status"),
        sk=("priority", "opened_at", "ticket_id"),
        keys={Ticket: Key(("{product}", "{status}"), ("{priority}", "{opened_at}", "{ticket_id}"))},
    )
    by_assignee = Index(
        pk="assignee",
        sk=("status", "priority", "opened_at"),
        sparse=True,
        keys={Ticket: Key("{assignee}", ("{status}", "{priority}", "{opened_at}"))},
    )
    by_customer = Index(
        pk="customer", sk="opened_at", keys={Ticket: Key("{customer}", "{opened_at}")}
    )
    by_supervisor = Index(
        pk="supervisor",
        sk="opened_at",
        sparse=True,
        keys={Ticket: Key("{supervisor}", "{opened_at}")},
    )
    by_author = Index(pk="author", sk="written_at", keys={Comment: Key("{author}", "{written_at}")})

    open = Put(Ticket, create=True, describes="Open a ticket.")
    ticket = Get(Ticket, describes="A ticket without its comments.")
    change = Update(Ticket, describes="Change a ticket.")
    write = Put(Comment, create=True, describes="Write a comment.")
    ticket_with_comments = Collection(
        Ticket, Comment, descending=True, describes="A ticket, and its comments, newest first."
    )
    comments = Query(Comment, range=Comment.written_at, describes="Comments of a ticket.")
    in_status = Query(
        Ticket,
        queue,
        range=Ticket.opened_at,
        describes="Tickets of a product and status by priority; of one priority, in a time.",
    )
    urgent = Query(
        Ticket,
        queue,
        range=Ticket.priority,
        describes="Tickets of a product and status up to a priority.",
    )
    of_assignee = Query(
        Ticket, by_assignee, range=Ticket.priority, describes="Tickets of an agent by status."
    )
    of_customer = Query(
        Ticket, by_customer, descending=True, describes="Tickets of a customer, newest first."
    )
    escalated = Query(Ticket, by_supervisor, describes="Tickets escalated to a supervisor.")
    written_by = Query(
        Comment, by_author, range=Comment.written_at, describes="What an agent has written."
    )


def assign(store: Store, ticket_id: str, agent: str) -> Ticket:
    """Give a ticket to an agent; raises Conflict where it has one, or is solved."""
    return store.update(
        Tickets.change,
        {"ticket_id": ticket_id},
        Ticket.assignee.set(agent),
        Ticket.status.set(Status.ASSIGNED),
        when=Ticket.assignee.is_missing() & (Ticket.status != Status.SOLVED),
    )


def comment(store: Store, written: Comment, *attachments: Attachment) -> None:
    """Write a comment, and leave its ticket with the comment's status and attachments."""
    store.transact_write(
        store.to_put(Tickets.write, written),
        store.to_update(
            Tickets.change,
            {"ticket_id": written.ticket_id},
            Ticket.status.set(written.status),
            Ticket.attachments.append(*attachments),
        ),
    )
