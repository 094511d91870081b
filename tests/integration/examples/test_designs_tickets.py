"""Tickets in their queues, and documents with all their versions."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from examples.designs.tickets import (
    Attachment,
    Comment,
    Status,
    Ticket,
    Tickets,
    assign,
    comment,
)
from examples.designs.version_history import Latest, Version, VersionHistory, restore, save
from tablewright.runtime import AlreadyExists, Conflict, NotFound, Store, TransactionRefused
from tablewright.testing import Database
from tests.integration.conftest import TODAY

HOUR = timedelta(hours=1)


def ticket(number: int, priority: int, product: str = "router", customer: str = "acme") -> Ticket:
    return Ticket(
        ticket_id=f"t{number}",
        product=product,
        customer=customer,
        subject=f"Trouble {number}",
        opened_at=TODAY + number * HOUR,
        priority=priority,
    )


def said(number: int, hours: int, status: Status, author: str = "ann") -> Comment:
    return Comment(
        ticket_id=f"t{number}",
        written_at=TODAY + hours * HOUR,
        author=author,
        text="First\nsecond",
        status=status,
    )


@pytest.fixture
def tickets(dynamodb: Database) -> Store:
    store = dynamodb.store(Tickets)
    opened = [
        *(ticket(1, 2), ticket(2, 1), ticket(3, 2), ticket(10, 3)),
        *(ticket(4, 1, product="router2"), ticket(5, 1, customer="acme2")),
    ]
    for one in opened:
        store.put(Tickets.open, one)
    return store


def ids(found: object) -> list[str]:
    return [one.ticket_id for one in found]  # type: ignore[attr-defined]


def test_a_queue_is_by_priority_and_then_by_age(tickets: Store) -> None:
    queue = {"product": "router", "status": Status.OPEN}
    assert ids(tickets.each(Tickets.in_status, queue)) == ["t2", "t5", "t1", "t3", "t10"]
    second = {**queue, "priority": 2}
    assert ids(tickets.each(Tickets.in_status, second)) == ["t1", "t3"]
    assert ids(tickets.each(Tickets.in_status, second, after=TODAY + HOUR)) == ["t3"]
    assert ids(tickets.each(Tickets.urgent, queue, until=2)) == ["t2", "t5", "t1", "t3"]
    assert ids(tickets.each(Tickets.urgent, queue, before=2)) == ["t2", "t5"]
    assert tickets.count(Tickets.urgent, {**queue, "status": Status.SOLVED}) == 0


def test_tickets_of_a_customer_come_newest_first(tickets: Store) -> None:
    assert ids(tickets.each(Tickets.of_customer, customer="acme")) == [
        "t10",
        "t4",
        "t3",
        "t2",
        "t1",
    ]
    routers = tickets.each(
        Tickets.of_customer,
        customer="acme",
        where=(Ticket.product != "router2") & Ticket.priority.between(1, 2),
    )
    assert ids(routers) == ["t3", "t2", "t1"]
    minor = tickets.each(Tickets.of_customer, customer="acme", where=Ticket.priority > 2)
    assert ids(minor) == ["t10"]


def test_a_ticket_has_one_agent_who_finds_it_by_status_and_priority(tickets: Store) -> None:
    for number in (1, 2, 10):
        assign(tickets, f"t{number}", "ann")
    assign(tickets, "t4", "anna")
    for number in (1, 4):
        with pytest.raises(Conflict):
            assign(tickets, f"t{number}", "bob")
    with pytest.raises(NotFound):
        assign(tickets, "t99", "ann")
    tickets.update(Tickets.change, {"ticket_id": "t2"}, {"status": Status.SOLVED})
    of_ann = {"assignee": "ann", "status": Status.ASSIGNED}
    assert ids(tickets.each(Tickets.of_assignee, of_ann)) == ["t1", "t10"]
    assert ids(tickets.each(Tickets.of_assignee, of_ann, until=2)) == ["t1"]
    assert ids(tickets.each(Tickets.of_assignee, assignee="ann")) == ["t1", "t10", "t2"]
    queue = {"product": "router", "status": Status.OPEN}
    assert ids(tickets.each(Tickets.in_status, queue)) == ["t5", "t3"]


def test_of_agents_who_take_a_ticket_at_once_one_has_it(tickets: Store) -> None:
    def attempt(number: int) -> bool:
        try:
            assign(tickets, "t1", f"agent{number}")
            return True
        except Conflict:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == 1


def test_a_comment_leaves_its_ticket_with_its_status(tickets: Store) -> None:
    log = Attachment(name="log.txt", bytes=12)
    comment(tickets, said(1, 1, Status.WAITING), log)
    comment(tickets, said(1, 2, Status.SOLVED, "bob"))
    comment(tickets, said(10, 1, Status.WAITING, "ann2"))
    with pytest.raises(TransactionRefused):
        comment(tickets, said(99, 1, Status.WAITING))
    found, *comments = tickets.each(Tickets.ticket_with_comments, ticket_id="t1")
    assert isinstance(found, Ticket)
    assert (found.status, found.attachments) == (Status.SOLVED, (log,))
    assert comments == [said(1, 2, Status.SOLVED, "bob"), said(1, 1, Status.WAITING)]
    later = tickets.each(Tickets.comments, ticket_id="t1", after=TODAY + HOUR)
    assert list(later) == comments[:1]
    assert ids(tickets.each(Tickets.written_by, author="ann")) == ["t1"]
    waiting = Comment.status == Status.WAITING
    assert tickets.count(Tickets.comments, ticket_id="t1", where=waiting) == 1


def test_what_is_escalated_is_found_by_supervisor_until_it_is_taken_back(tickets: Store) -> None:
    for number in (3, 1):
        tickets.update(
            Tickets.change,
            {"ticket_id": f"t{number}"},
            Ticket.supervisor.set_if_missing("sue"),
            Ticket.tags.add({"late", "vip"}),
        )
    assert ids(tickets.each(Tickets.escalated, supervisor="sue")) == ["t1", "t3"]
    tickets.update(
        Tickets.change,
        {"ticket_id": "t1"},
        Ticket.supervisor.remove(),
        Ticket.tags.subtract({"vip"}),
    )
    assert ids(tickets.each(Tickets.escalated, supervisor="sue")) == ["t3"]
    late = tickets.each(Tickets.of_customer, customer="acme", where=Ticket.tags.contains("late"))
    assert ids(late) == ["t3", "t1"]
    one = tickets.get(Tickets.ticket, ticket_id="t1")
    assert one is not None
    assert one.tags == {"late"}


def version(number: int, document: str = "handbook", text: str = "") -> Version:
    return Version(
        document=document,
        number=number,
        text=text or f"Text {number}",
        author="ann",
        saved_at=TODAY + number * HOUR,
    )


@pytest.fixture
def history(dynamodb: Database) -> Store:
    store = dynamodb.store(VersionHistory)
    for number in range(1, 12):
        save(store, version(number))
    save(store, version(1, "handbook2"))
    return store


def test_the_latest_version_is_under_a_known_key_and_all_others_under_theirs(
    history: Store,
) -> None:
    latest = history.get(VersionHistory.latest, document="handbook")
    assert latest == Latest(**version(11))
    assert history.get(VersionHistory.version, document="handbook", number=2) == version(2)
    assert history.get(VersionHistory.version, document="handbook", number=12) is None
    assert history.get(VersionHistory.latest, document="hand") is None


def test_versions_are_listed_newest_first_without_their_texts(history: Store) -> None:
    found = list(history.each(VersionHistory.history, document="handbook"))
    assert [one.number for one in found] == list(range(11, 0, -1))
    assert all("text" not in one for one in found)
    some = history.each(VersionHistory.history, document="handbook", since=2, before=5)
    assert [one.number for one in some] == [4, 3, 2]
    assert history.count(VersionHistory.history, document="handbook2") == 1


@pytest.mark.parametrize("number", [1, 11, 13])
def test_only_the_version_after_the_latest_is_saved(history: Store, number: int) -> None:
    with pytest.raises(TransactionRefused):
        save(history, version(number, text="Other"))
    with pytest.raises(TransactionRefused):
        save(history, version(2, "new"))
    latest = history.get(VersionHistory.latest, document="handbook")
    assert latest is not None
    assert latest.text == "Text 11"
    with pytest.raises(AlreadyExists):
        history.put(VersionHistory.keep, version(11, text="Other"))


@pytest.mark.parametrize(("document", "number"), [("handbook", 12), ("new", 1)])
def test_of_eight_who_save_at_once_one_does(history: Store, document: str, number: int) -> None:
    def attempt(one: int) -> bool:
        try:
            save(history, version(number, document, f"By {one}"))
            return True
        except TransactionRefused:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == 1
    latest = history.get(VersionHistory.latest, document=document)
    kept = history.get(VersionHistory.version, document=document, number=number)
    assert latest is not None
    assert kept is not None
    assert latest.text == kept.text


def test_an_old_version_is_restored_as_the_latest(history: Store) -> None:
    new = restore(history, "handbook", 3, "bob", TODAY)
    assert (new.number, new.text, new.author) == (12, "Text 3", "bob")
    assert history.get(VersionHistory.latest, document="handbook") == Latest(**new)
    with pytest.raises(NotFound):
        restore(history, "handbook", 99, "bob", TODAY)
