"""Items handed in by HTTP: who may, what is taken, and what is told about the rest."""

import json
from decimal import Decimal
from typing import Any

import pytest

from tablewright.catalog.sentiment.items import Items
from tablewright.testing import Fault, Faulty
from tests.integration.sentiment.conftest import World
from tests.integration.sentiment.http import READER, Http, conforms, metrics, problem


@pytest.fixture
def http(world: World, monkeypatch: pytest.MonkeyPatch) -> Http:
    return Http(world, monkeypatch)


def raw(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "source_id": f"reddit#post-{number}",
        "source_type": "reddit",
        "text": f"AI is a great success, number {number}",
        **changes,
    }


def stored(world: World) -> list[str]:
    return sorted(one["source_id"]["S"] for one in world.stored() if "status" in one)


def test_items_handed_in_are_stored_and_announced_once(
    world: World, http: Http, capsys: pytest.CaptureFixture[str]
) -> None:
    taken = http("POST", "/items", {"items": [raw(1), raw(2), raw(1)]})
    assert taken.status == 202
    assert conforms(taken, "Taken")
    assert taken.json == {"stored": 2, "duplicates": 1, "rejected": []}
    again = http("POST", "/items", {"items": [raw(2), raw(3)]})
    assert again.json == {"stored": 1, "duplicates": 1, "rejected": []}
    assert stored(world) == ["reddit#post-1", "reddit#post-2", "reddit#post-3"]
    assert len(world.inbox.messages) == 3
    counted = [(m["name"], m["values"]) for m in metrics(capsys.readouterr().out)]
    assert counted == [("ItemsStored", [2.0]), ("ItemsStored", [1.0])]


def test_the_bad_items_of_a_batch_are_told_and_the_others_stored(world: World, http: Http) -> None:
    batch = [raw(1), raw(2, source_url="ftp://x"), 5, raw(3, text=5, hidden="x", more="y")]
    taken = http("POST", "/items", {"items": batch})
    assert taken.status == 202
    assert conforms(taken, "Taken")
    assert taken.json["stored"] == 1
    fields = (
        "source_id, source_type, source_url, sentiment, score, model_version, matched_tags, "
        "metadata, ingested_at, status, text, text_snippet"
    )
    assert taken.json["rejected"] == [
        {"pointer": "/items/1/source_url", "detail": "must be an HTTPS address"},
        {"pointer": "/items/2", "detail": "must be an object"},
        {"pointer": "/items/3", "detail": f"has a field that is not one of {fields}"},
        {"pointer": "/items/3/text", "detail": "must be text"},
    ]
    assert stored(world) == ["reddit#post-1"]
    assert world.rows() == []  # whoever sent them was told; there is nothing to look after


def test_when_every_item_is_bad_so_is_the_request(world: World, http: Http) -> None:
    refused = http("POST", "/items", {"items": [raw(1, text=5), raw(2, source_type="rss")]})
    assert problem(refused, 400) == {
        "/items/0/text": "must be text",
        "/items/1/source_type": "must be one of newsapi, twitter, reddit",
    }
    assert world.stored() == []


def test_names_that_nobody_knows_are_not_repeated(http: Http) -> None:
    strange = {f"{'x' * 200}{n}\n": 1 for n in range(2000)}
    refused = http("POST", "/items", {"items": [{**raw(1), **strange}]})
    assert list(problem(refused, 400)) == ["/items/0"]
    assert "xxx" not in refused.text


def test_numbers_keep_what_was_sent(world: World, http: Http) -> None:
    body = json.dumps({"items": [raw(1, metadata={"share": "SHARE", "list": [1, True, None]})]})
    text = body.replace('"SHARE"', "0.10000000000000000555")
    assert http("POST", "/items", text).status == 202
    (one,) = [one for one in world.stored() if "status" in one]
    assert one["metadata"]["M"]["share"] == {"N": "0.10000000000000000555"}
    found = world.items().get(
        Items.get_item, {n: one[n]["S"] for n in ("source_id", "ingested_at")}
    )
    assert found is not None
    assert found["metadata"]["share"] == Decimal("0.10000000000000000555")


def test_a_number_that_cannot_be_kept_is_refused(http: Http, world: World) -> None:
    body = json.dumps({"items": [raw(1, metadata={"share": "SHARE"})]})
    for text in ("1e400", "1e-400", "0." + "1" * 40, "9" * 60, "NaN", "Infinity", "9" * 5000):
        problem(http("POST", "/items", body.replace('"SHARE"', text)), 400)
    assert world.stored() == []


NO_BATCH: list[Any] = [
    None,
    "",
    "{",
    "[]",
    "null",
    '"items"',
    "{}",
    '{"items": {}}',
    '{"items": null}',
    '{"items": []}',
    {"items": [raw(1)], "ingested_at": "2020-01-01T00:00:00.000Z"},
    "[" * 100_000,
    {"items": [raw(n) for n in range(101)]},
]


def test_a_body_that_is_no_batch_is_refused(world: World, http: Http) -> None:
    for body in NO_BATCH:
        problem(http("POST", "/items", body), 400)
    assert world.stored() == []


def test_a_hundred_items_are_taken_at_once(world: World, http: Http) -> None:
    assert http("POST", "/items", {"items": [raw(n) for n in range(100)]}).json["stored"] == 100
    assert len(stored(world)) == 100


NO_WRITERS = [
    {"sub": "grace"},
    READER,
    {"sub": "grace", "cognito:groups": "[]"},
    {"sub": "grace", "cognito:groups": "[non-writers]"},
    {"sub": "grace", "cognito:groups": "[Writers]"},
    {"sub": "grace", "custom:groups": "[writers]"},
    {"sub": "writers", "scope": "writers"},
]


def test_only_members_of_the_writers_hand_items_in(world: World, http: Http) -> None:
    for claims in NO_WRITERS:
        refused = http("POST", "/items", {"items": [raw(1)]}, claims=claims)
        problem(refused, 403)
        assert "'writers'" in refused.json["detail"]
    assert world.stored() == []
    for groups in ("[writers]", "[readers writers]", "[writers readers]"):
        claims = {"sub": "ada", "cognito:groups": groups}
        assert http("POST", "/items", {"items": [raw(1)]}, claims=claims).status == 202


def test_a_store_that_fails_after_the_request_lets_it_be_repeated(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = Http(world, monkeypatch, Faulty(world.edge, Fault(2, "answer lost")))
    problem(http("POST", "/items", {"items": [raw(1)]}), 503)
    again = http("POST", "/items", {"items": [raw(1)]})
    # It is there, as the first request left it: told as new once at most.
    assert (again.json["stored"], again.json["duplicates"]) == (0, 1)
    assert stored(world) == ["reddit#post-1"]
    assert len(world.inbox.messages) == 1
