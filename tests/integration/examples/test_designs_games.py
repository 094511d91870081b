"""Games that have room for so many, and leaderboards in order."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from examples.designs.games import ROOM_FOR, Game, Games, Seat, User, join, leader, start
from examples.designs.leaderboard import Leaderboard, Score, rank, submit
from tablewright.runtime import AlreadyExists, Conflict, NotFound, Store, TransactionRefused
from tablewright.testing import Database
from tests.integration.conftest import TODAY

MINUTE = timedelta(minutes=1)


def game(id: str, map: str = "Desert", minutes: int = 0, players: int = 1) -> Game:
    return Game(
        game_id=id,
        map=map,
        host="p0",
        players={f"p{n}" for n in range(players)},
        opened_at=TODAY + minutes * MINUTE,
    )


@pytest.fixture
def games(dynamodb: Database) -> Store:
    store = dynamodb.store(Games)
    for one in (game("g1", minutes=2), game("g10", minutes=1), game("g2", "Desert 2")):
        store.put(Games.open_game, one)
    return store


def test_open_games_are_found_by_map_and_over_all_maps_until_they_start(games: Store) -> None:
    def open_on(map: str) -> list[str]:
        return [one.game_id for one in games.each(Games.open_on_map, map=map)]

    assert open_on("Desert") == ["g10", "g1"]
    assert {one.game_id for one in games.scan(Games.all_open, segments=3)} == {"g1", "g10", "g2"}
    started = start(games, "g10", "p0", TODAY)
    assert (started.opened_at, started.started_at) == (None, TODAY)
    assert open_on("Desert") == ["g1"]
    full = Game.players.size() >= 2
    assert list(games.scan(Games.all_open, where=full)) == []
    assert start(games, "g10", "p0", TODAY) == started  # repeated, as after a lost answer
    with pytest.raises(Conflict):
        start(games, "g10", "p0", TODAY + MINUTE)
    with pytest.raises(Conflict):
        start(games, "g1", "p1", TODAY)
    with pytest.raises(NotFound):
        start(games, "g3", "p0", TODAY)


def test_a_player_joins_once_and_only_an_open_game(games: Store) -> None:
    join(games, "g1", "bob", TODAY)
    for id, player in (("g1", "bob"), ("g1", "p0"), ("g9", "bob")):
        with pytest.raises(TransactionRefused):
            join(games, id, player, TODAY)
    start(games, "g1", "p0", TODAY)
    with pytest.raises(TransactionRefused):
        join(games, "g1", "cid", TODAY)
    found = list(games.each(Games.game_with_players, game_id="g1"))
    assert [type(one) for one in found] == [Game, Seat]
    assert isinstance(found[0], Game)
    assert found[0].players == {"p0", "bob"}


def test_of_eight_who_want_the_last_three_seats_three_get_one(games: Store) -> None:
    games.put(Games.open_game, game("full", players=ROOM_FOR - 3))

    def attempt(number: int) -> bool:
        try:
            join(games, "full", f"q{number}", TODAY)
            return True
        except TransactionRefused:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(attempt, range(8))) == 3
    found, *seats = games.each(Games.game_with_players, game_id="full")
    assert isinstance(found, Game)
    assert len(found.players) == ROOM_FOR
    assert len(seats) == 3


def test_the_leader_of_a_game_is_its_best_player_at_this_moment(games: Store) -> None:
    for n, (id, player, score) in enumerate(
        (("g1", "bob", 40), ("g1", "cid", 9), ("g10", "bob", 90), ("g2", "bob", 50))
    ):
        join(games, id, player, TODAY + n * MINUTE)
        games.update(Games.change_seat, {"game_id": id, "player": player}, Seat.score.add(score))
    assert leader(games, "g3") is None
    best = leader(games, "g1")
    assert best is not None
    assert (best.player, best.score) == ("bob", 40)
    ranking = games.each(Games.ranking, game_id="g1", since=9, before=40)
    assert [one.player for one in ranking] == ["cid"]
    played = games.each(Games.games_of_player, player="bob", after=TODAY)
    assert [one.game_id for one in played] == ["g2", "g10"]


def test_users_are_made_once_and_changed(games: Store) -> None:
    ann = games.put(Games.sign_up, User(user="ann", email="ann@example.com"))
    with pytest.raises(AlreadyExists):
        games.put(Games.sign_up, ann)
    games.update(Games.change_user, ann, User.wins.add(1), when=User.wins < 3)
    assert games.get(Games.user, user="ann") == {**ann, "wins": 1}
    assert games.get(Games.game, game_id="ann") is None


SCORES = [("ann", 500), ("bob", 90), ("cid", 500), ("dan", 5000), ("eve", 90), ("fay", 7)]


@pytest.fixture
def board(dynamodb: Database) -> Store:
    store = dynamodb.store(Leaderboard)
    for number, (player, score) in enumerate(SCORES):
        region = ("EU", "US")[number % 2]
        assert submit(store, player, "Invaders", region=region, score=score, at=TODAY)
    submit(store, "ann", "Invaders 2", region="EU", score=99_999, at=TODAY)
    return store


def test_the_best_of_a_game_come_highest_first_and_equal_ones_by_name(board: Store) -> None:
    found: list[str] = []
    cursor = None
    while True:
        page = board.query(
            Leaderboard.top_of_game, game="Invaders", limit=2, cursor=cursor, caller="me"
        )
        found += [one.player for one in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert found == ["dan", "ann", "cid", "bob", "eve", "fay"]


def test_the_best_of_a_region_and_those_between_two_scores(board: Store) -> None:
    def players(region: str, **bounds: Any) -> list[str]:
        where = {"game": "Invaders", "region": region}
        return [one.player for one in board.each(Leaderboard.in_region, where, **bounds)]

    assert players("EU") == ["cid", "ann", "eve"]
    assert players("US") == ["dan", "bob", "fay"]
    assert players("US", since=8, until=90) == ["bob"]
    assert players("US", after=7, before=5000) == ["bob"]


def test_a_rank_is_one_more_than_there_are_better_ones(board: Store) -> None:
    ranks = {}
    for player, _ in SCORES:
        score = board.get(Leaderboard.score, player=player, game="Invaders")
        assert score is not None
        ranks[player] = rank(board, score)
    assert ranks == {"ann": 1, "cid": 1, "eve": 3, "dan": 1, "bob": 2, "fay": 3}


def test_a_score_counts_if_it_is_better(board: Store) -> None:
    assert not submit(board, "bob", "Invaders", region="US", score=90, at=TODAY)
    assert submit(board, "bob", "Invaders", region="US", score=6000, at=TODAY)
    best = board.first(Leaderboard.top_of_game, game="Invaders")
    assert best is not None
    assert (best.player, best.score) == ("bob", 6000)
    assert [one.game for one in board.each(Leaderboard.of_player, player="ann")] == [
        "Invaders",
        "Invaders 2",
    ]


def test_of_scores_at_once_the_best_is_kept(board: Store) -> None:
    def attempt(score: int) -> bool:
        return submit(board, "zoe", "Invaders", region="EU", score=score, at=TODAY)

    with ThreadPoolExecutor(8) as threads:
        better = sum(threads.map(attempt, (3, 8, 1, 7, 2, 6, 4, 5)))
    found = board.get(Leaderboard.score, player="zoe", game="Invaders")
    assert found is not None
    assert (found.score, found.attempts) == (8, better)
    ranked = board.each(Leaderboard.top_of_game, game="Invaders", where=Score.score == 8)
    assert [one.player for one in ranked] == ["zoe"]
