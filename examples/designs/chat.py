"""Chat: rooms, their messages newest first, their members, and the rooms of a user.

After the chat system in AWS's repository `aws-dynamodb-examples`; the check that only members write
is added to it.
"""

from datetime import UTC, datetime

from tablewright.model import (
    BatchCreate,
    Check,
    Delete,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Lines,
    Name,
    Put,
    Query,
    Shards,
    Table,
    Text,
    TimeId,
    Timestamp,
    Update,
)
from tablewright.runtime import Store


class Room(
    Entity,
    key=Key("ROOM#{room}", "ROOM"),
    example={"room": "tables", "title": "On tables", "created_by": "ann"},
):
    """A room."""

    room: Field[str] = Text(max_length=64)
    title: Field[str] = Name()
    created_by: Field[str] = Text()


class Member(
    Entity,
    key=Key("ROOM#{room}", "MEMBER#{user}"),
    example={
        "room": "tables",
        "user": "bob",
        "joined_at": datetime(2026, 11, 17, 9, tzinfo=UTC),
    },
):
    """A user in a room, and the last message that the user has read."""

    room: Field[str] = Text(max_length=64)
    user: Field[str] = Text()
    joined_at: Field[datetime] = Timestamp(resolution="ms")
    read_up_to: Field[str | None] = TimeId(default=None)


class Message(
    Entity,
    key=Key("ROOM#{room}", "MESSAGE#{message_id}"),
    example={
        "room": "tables",
        "message_id": "019a90f1-2c00-7abc-8def-0123456789ab",
        "author": "bob",
        "text": "What is a sort key?",
    },
):
    """A message. Its id is a UUID that begins with the moment of its making."""

    room: Field[str] = Text(max_length=64)
    message_id: Field[str] = TimeId()
    author: Field[str] = Text()
    text: Field[str] = Lines(max_length=4000)
    edited_at: Field[datetime | None] = Timestamp(default=None, resolution="ms")


class Chat(Table, pk="PK", sk="SK"):
    """Rooms with their members and messages."""

    # Members alone have a `user`, so nothing else is in this index. Its sort key is the table's PK.
    by_user = Index(pk="user", sk="PK", keys={Member: Key("{user}", "ROOM#{room}")})

    create_room = Put(Room, create=True, describes="Open a room whose name is free.")
    room = Get(Room, describes="A room.")
    delete_room = Delete(Room, describes="Close a room.")
    join = Put(Member, create=True, describes="Join a room.")
    leave = Delete(Member, describes="Leave a room.")
    is_member = Check(Member, describes="See, while writing, that somebody is in a room.")
    members = Query(Member, range=Member.user, describes="Who is in a room, by name.")
    rooms_of_user = Query(Member, by_user, describes="The rooms that a user is in.")
    mark_read = Update(Member, describes="Remember what a member has read.")
    post = Put(Message, create=True, describes="Write a message.")
    import_messages = BatchCreate(Message, describes="Take over messages, each once.")
    edit = Update(Message, describes="Change a message.")
    messages = Query(
        Message,
        range=Message.message_id,
        descending=True,
        describes="Messages of a room, newest first, or those after one of them.",
    )


class BusyChat(
    Chat,
    keys={
        Message: Key(
            "ROOM#{room}#{shard}",
            "MESSAGE#{message_id}",
            shards=Shards(8, by="message_id"),
        )
    },
):
    """The same for rooms that take more than a thousand messages a second."""


def post(store: Store, message: Message) -> None:
    """Write a message of a member; repeated with the same id, it is there once."""
    store.transact_write(
        store.to_put(Chat.post, message),
        store.to_check(Chat.is_member, room=message.room, user=message.author),
        token=message.message_id,
    )


def unread(store: Store, member: Member) -> int:
    """How many messages a member has not read."""
    return store.count(Chat.messages, room=member.room, after=member.read_up_to)
