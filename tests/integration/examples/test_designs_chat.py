"""Chat: a room has its own messages and members, in one partition or in shards."""

from datetime import timedelta

import pytest

from examples.designs.chat import BusyChat, Chat, Member, Message, Room, post, unread
from tablewright.model import replaced
from tablewright.runtime import AlreadyExists, Conflict, Store, TransactionRefused, uuid7
from tablewright.testing import Database
from tests.integration.conftest import TODAY

MINUTE = timedelta(minutes=1)


def message(number: int, room: str = "tea", author: str = "ann") -> Message:
    id = uuid7(TODAY + number * MINUTE, bytes(9) + bytes([number]))
    return Message(room=room, message_id=id, author=author, text=f"{number}\nin {room}")


MESSAGES = [message(number) for number in range(25)]


@pytest.fixture(params=[Chat, BusyChat])
def chat(dynamodb: Database, request: pytest.FixtureRequest) -> Store:
    store = dynamodb.store(request.param)
    for room in ("tea", "tea-2", "te"):
        store.put(Chat.create_room, Room(room=room, title=room, created_by="ann"))
        store.put(Chat.join, Member(room=room, user="ann", joined_at=TODAY))
    for user in ("anna", "bob"):
        store.put(Chat.join, Member(room="tea", user=user, joined_at=TODAY))
    others = [message(number, room) for number in range(3) for room in ("tea-2", "te")]
    assert store.create_many(Chat.import_messages, [*MESSAGES, *others]) == [True] * 31
    return store


def test_messages_are_read_page_by_page_newest_first(chat: Store) -> None:
    found: list[Message] = []
    cursor = None
    while True:
        page = chat.query(Chat.messages, room="tea", limit=10, cursor=cursor, caller="ann")
        found += page.items
        cursor = page.cursor
        if cursor is None:
            break
    assert found == MESSAGES[::-1]
    assert chat.first(Chat.messages, room="tea", descending=False) == MESSAGES[0]


def test_messages_after_a_position_and_between_two(chat: Store) -> None:
    ids = [one.message_id for one in MESSAGES]
    assert list(chat.each(Chat.messages, room="tea", after=ids[22])) == MESSAGES[:22:-1]
    between = chat.each(Chat.messages, room="tea", since=ids[3], before=ids[6], descending=False)
    assert list(between) == MESSAGES[3:6]
    assert list(chat.each(Chat.messages, room="tee")) == []


def test_only_members_write_and_a_message_that_is_sent_twice_is_there_once(chat: Store) -> None:
    # Transactions that are known by a token are remembered, whatever becomes of the table.
    new = replaced(message(30, author="bob"), message_id=uuid7(TODAY + 30 * MINUTE))
    post(chat, new)
    post(chat, new)
    assert chat.count(Chat.messages, room="tea") == 26
    for stranger in (message(31, author="bo"), message(31, "te", "bob")):
        with pytest.raises(TransactionRefused) as refused:
            post(chat, stranger)
        assert list(refused.value.problems) == [1]
    assert chat.first(Chat.messages, room="tea") == new
    assert chat.count(Chat.messages, room="te") == 3


def test_what_was_taken_over_once_is_not_taken_over_again(chat: Store) -> None:
    again = [MESSAGES[0], message(40), MESSAGES[24]]
    assert chat.create_many(Chat.import_messages, again) == [False, True, False]


def test_a_member_has_read_up_to_a_message(chat: Store) -> None:
    key = {"room": "tea", "user": "bob"}
    member = chat.update(Chat.mark_read, key, Member.read_up_to.set(MESSAGES[20].message_id))
    assert unread(chat, member) == 4
    assert unread(chat, Member(room="tea-2", user="ann", joined_at=TODAY)) == 3


def test_members_of_a_room_and_rooms_of_a_user(chat: Store) -> None:
    assert [one.user for one in chat.each(Chat.members, room="tea")] == ["ann", "anna", "bob"]
    assert [one.user for one in chat.each(Chat.members, room="tea-2")] == ["ann"]
    named = chat.each(Chat.members, room="tea", begins_with="ann")
    assert [one.user for one in named] == ["ann", "anna"]
    assert [one.room for one in chat.each(Chat.rooms_of_user, user="ann")] == [
        "te",
        "tea",
        "tea-2",
    ]
    chat.delete(Chat.leave, room="tea", user="ann")
    assert [one.room for one in chat.each(Chat.rooms_of_user, user="ann")] == ["te", "tea-2"]
    assert [one.room for one in chat.each(Chat.rooms_of_user, user="anna")] == ["tea"]


def test_a_room_is_opened_once_and_closed_by_who_opened_it(chat: Store) -> None:
    with pytest.raises(AlreadyExists):
        chat.put(Chat.create_room, Room(room="tea", title="Other", created_by="bob"))
    with pytest.raises(Conflict):
        chat.delete(Chat.delete_room, room="tea", when=Room.created_by == "bob")
    removed = chat.delete(Chat.delete_room, room="tea", when=Room.created_by == "ann")
    assert removed is not None
    assert chat.get(Chat.room, room="tea") is None
    assert chat.get(Chat.room, room="tea-2") is not None


def test_a_message_is_changed_by_its_author(chat: Store) -> None:
    by = Message.author
    edited = chat.update(
        Chat.edit, MESSAGES[0], {"text": "Better", "edited_at": TODAY}, when=by == "ann"
    )
    assert chat.first(Chat.messages, room="tea", descending=False) == edited
    with pytest.raises(Conflict):
        chat.update(Chat.edit, MESSAGES[1], {"text": "Worse"}, when=by == "bob")
