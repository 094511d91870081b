"""Games and their players: open games on a map, joining while there is room, the best of a game.

After the AWS tutorial *Modeling Game Player Data with Amazon DynamoDB*. A game is in the index of
open games while it has an `opened_at`, and leaves it in the write in which it starts.
"""

from datetime import UTC, datetime

from tablewright.model import (
    Collection,
    Entity,
    Field,
    Get,
    Index,
    Key,
    Put,
    Query,
    Scan,
    SetOf,
    Table,
    Text,
    Timestamp,
    Update,
    Whole,
)
from tablewright.runtime import Conflict, Store

ROOM_FOR = 50
_NOON = datetime(2026, 11, 17, 12, tzinfo=UTC)


class User(
    Entity,
    key=Key("USER#{user}", "USER"),
    example={"user": "ann", "email": "ann@example.com"},
):
    """Somebody who plays."""

    user: Field[str] = Text()
    email: Field[str] = Text()
    wins: Field[int] = Whole(default=0)


class Game(
    Entity,
    key=Key("GAME#{game_id}", "GAME"),
    example={
        "game_id": "g1",
        "map": "Dirty Desert",
        "host": "ann",
        "players": {"ann", "bob"},
        "opened_at": _NOON,
    },
):
    """A game: open, then started, then ended."""

    game_id: Field[str] = Text()
    map: Field[str] = Text()
    host: Field[str] = Text()
    players: Field[set[str]] = SetOf(Text(), max_items=ROOM_FOR)
    opened_at: Field[datetime | None] = Timestamp(default=None, resolution="ms")
    started_at: Field[datetime | None] = Timestamp(default=None, resolution="ms")
    winner: Field[str | None] = Text(default=None)


class Seat(
    Entity,
    key=Key("GAME#{game_id}", "PLAYER#{player}"),
    example={"game_id": "g1", "player": "bob", "joined_at": _NOON, "score": 40},
):
    """A player in a game."""

    game_id: Field[str] = Text()
    player: Field[str] = Text()
    joined_at: Field[datetime] = Timestamp(resolution="ms")
    score: Field[int] = Whole(default=0)


class Games(Table, pk="PK", sk="SK"):
    """Users, games and who plays in them."""

    open_games = Index(
        pk="map", sk="opened_at", sparse=True, keys={Game: Key("{map}", "{opened_at}")}
    )
    by_player = Index(pk="player", sk="joined_at", keys={Seat: Key("{player}", "{joined_at}")})
    by_score = Index(pk="PK", sk="score", local=True, keys={Seat: Key("GAME#{game_id}", "{score}")})

    sign_up = Put(User, create=True, describes="Make a user.")
    user = Get(User, describes="A user.")
    change_user = Update(User, describes="Change a user's profile.")
    open_game = Put(Game, create=True, describes="Open a game.")
    game = Get(Game, consistent=True, describes="A game.")
    change_game = Update(Game, describes="Let somebody in, start or end a game.")
    take_seat = Put(Seat, create=True, describes="Take a seat in a game.")
    change_seat = Update(Seat, describes="Note the score of a player.")
    open_on_map = Query(Game, open_games, describes="Open games on a map, oldest first.")
    all_open = Scan(Game, open_games, describes="Open games on all maps: the index has no others.")
    game_with_players = Collection(Game, Seat, describes="A game and its players.")
    games_of_player = Query(
        Seat,
        by_player,
        range=Seat.joined_at,
        descending=True,
        describes="The games that somebody has played, newest first.",
    )
    ranking = Query(
        Seat,
        by_score,
        range=Seat.score,
        descending=True,
        consistent=True,
        describes="Players of a game, best first, as of this moment.",
    )


def join(store: Store, game_id: str, player: str, at: datetime) -> None:
    """Join a game; raises TransactionRefused unless it is open, has room and lacks this player."""
    room = Game.players.size() < ROOM_FOR
    store.transact_write(
        store.to_update(
            Games.change_game,
            {"game_id": game_id},
            Game.players.add({player}),
            when=Game.opened_at.exists() & room & ~Game.players.contains(player),
        ),
        store.to_put(Games.take_seat, Seat(game_id=game_id, player=player, joined_at=at)),
    )


def start(store: Store, game_id: str, host: str, at: datetime) -> Game:
    """Start a game of this host, once; it is open no longer."""
    try:
        return store.update(
            Games.change_game,
            {"game_id": game_id},
            Game.opened_at.remove(),
            Game.started_at.set(at),
            when=(Game.host == host) & Game.started_at.is_missing(),
        )
    except Conflict as conflict:
        game: Game = conflict.current
        if (game.host, game.started_at) == (host, at):
            return game  # started by an earlier attempt, whose answer was lost
        raise


def leader(store: Store, game_id: str) -> Seat | None:
    """Who has the highest score of a game."""
    return store.first(Games.ranking, game_id=game_id)
