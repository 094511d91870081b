"""Leaderboard: the best scores of a game, in all and in a region, and the rank of a player.

After the table of game scores by which AWS's documentation of DynamoDB explains global indexes. The
list of a popular game is written by all its players, so it is spread over shards.
"""

from datetime import UTC, datetime

from tablewright.model import (
    Entity,
    Field,
    Get,
    Index,
    Key,
    Query,
    Reversed,
    Shards,
    Table,
    Text,
    Timestamp,
    Upsert,
    Whole,
)
from tablewright.runtime import Conflict, Store


class Score(
    Entity,
    key=Key("{player}", "{game}"),
    example={
        "player": "ann",
        "game": "Galaxy Invaders",
        "region": "EU",
        "score": 5842,
        "reached_at": datetime(2026, 11, 17, 9, tzinfo=UTC),
        "attempts": 3,
    },
):
    """The best score of a player in a game."""

    player: Field[str] = Text()
    game: Field[str] = Text()
    region: Field[str] = Text()
    score: Field[int] = Whole(digits=9)
    reached_at: Field[datetime] = Timestamp(resolution="ms")
    attempts: Field[int] = Whole(default=0)
    # Highest first, and of equal scores in the order of names.
    from_the_top = Reversed(score)


class Leaderboard(Table, pk="player", sk="game"):
    """Best scores of players in games."""

    top = Index(
        pk="TPK",
        sk="TSK",
        keys={
            Score: Key(
                "GAME#{game}#{shard}",
                "{from_the_top}#{player}",
                shards=Shards(4, by="player"),
            )
        },
        projects=(Score.score, Score.region),
    )
    by_region = Index(
        pk=("game", "region"),
        sk=("score", "player"),
        keys={Score: Key(("{game}", "{region}"), ("{score}", "{player}"))},
    )

    submit = Upsert(Score, describes="Note a score, if it is the player's best.")
    score = Get(Score, describes="The best score of a player in a game.")
    of_player = Query(Score, range=Score.game, describes="The best scores of a player, by game.")
    top_of_game = Query(Score, top, describes="The best scores of a game.")
    in_region = Query(
        Score,
        by_region,
        range=Score.score,
        descending=True,
        describes="The best scores of a game in a region, or those between two.",
    )


def submit(store: Store, player: str, game: str, *, region: str, score: int, at: datetime) -> bool:
    """Note a score; tells whether it is the player's best."""
    try:
        store.upsert(
            Leaderboard.submit,
            {"player": player, "game": game},
            {"region": region, "score": score, "reached_at": at},
            Score.attempts.add(1),
            when=Score.score < score,
        )
        return True
    except Conflict:
        return False


def rank(store: Store, best: Score) -> int:
    """The place of a score in its region: one more than there are higher ones."""
    where = {"game": best.game, "region": best.region}
    return 1 + store.count(Leaderboard.in_region, where, after=best.score)
