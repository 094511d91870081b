"""A source is stored once and announced, whoever races and whatever fails; the rest is parked."""

import json
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from threading import Barrier
from typing import Any

import pytest

from lambdas.sentiment.analysis import Analysis, Request
from lambdas.sentiment.ingestion.outcome import Outcome
from lambdas.sentiment.sentiment_model import Model
from tablewright.catalog.sentiment.items import Items
from tablewright.model import InvalidRecord
from tablewright.model.fields.time import iso_utc
from tablewright.runtime.meter import Meter
from tablewright.testing import Crash, Fault, Faulty, survives_every_fault
from tests.integration.sentiment.conftest import World
from tests.integration.sentiment.moments import NOW

MOMENT = iso_utc(NOW)
LATER = iso_utc(NOW.replace(hour=15))


def raw(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "source_id": f"twitter#tweet-{number}",
        "source_type": "twitter",
        "text": f"The economy and AI, number {number}: a great success!",
        "source_url": f"https://example.com/{number}",
        "metadata": {"username": "ada", "retweet_count": 3},
        **changes,
    }


def stored_items(world: World) -> list[dict[str, Any]]:
    return [one for one in world.stored() if "status" in one]


def announced(world: World) -> set[str]:
    return {json.loads(message)["source_id"] for message in world.inbox.messages}


def test_a_new_item_is_stored_pending_tagged_and_announced(world: World) -> None:
    assert world.ingestion().ingest([raw(1)], MOMENT) == Outcome(1, 0, [])
    (one,) = stored_items(world)
    assert one["status"] == {"S": "pending"}
    assert (one["sentiment"], one["score"]) == ({"S": "neutral"}, {"N": "0.5"})
    assert one["model_version"] == {"S": "v0.0.0"}
    assert one["ingested_at"] == {"S": MOMENT}
    assert one["matched_tags"] == {"SS": ["AI", "economy"]}
    (message,) = world.inbox.messages
    assert json.loads(message) == {
        "source_id": "twitter#tweet-1",
        "ingested_at": MOMENT,
        "source_type": "twitter",
        "text_for_analysis": "The economy and AI, number 1: a great success!",
    }


def test_a_known_source_is_neither_stored_nor_announced_again(world: World) -> None:
    world.ingestion().ingest([raw(1)], MOMENT)
    before = world.stored()
    assert world.ingestion().ingest([raw(1), raw(1)], LATER) == Outcome(0, 2, [])
    assert world.stored() == before
    assert len(world.inbox.messages) == 1


def test_a_known_duplicate_costs_half_a_read_unit_and_a_new_item_at_most_four_write_units(
    world: World,
) -> None:
    meter = Meter(world.edge)
    ingestion = world.ingestion(meter)
    ingestion.ingest([raw(1)], MOMENT)
    assert meter.write_units == Decimal(3)
    meter.reset()
    ingestion.ingest([raw(1)], LATER)
    assert (meter.read_units, meter.write_units) == (Decimal("0.5"), Decimal(0))
    ingestion.ingest([raw(n) for n in range(2, 102)], MOMENT)
    meter.reset()
    ingestion.ingest([raw(n) for n in range(2, 102)], LATER)
    assert (meter.read_units, meter.write_units) == (Decimal(50), Decimal(0))
    assert meter.calls == 1


SOURCES = 400


def test_eight_writers_racing_over_the_same_sources_leave_one_item_of_each(
    world: World,
) -> None:
    together = Barrier(8)

    def write(writer: int) -> int:
        ingestion = world.ingestion()
        moment = iso_utc(NOW.replace(microsecond=writer * 1000))
        together.wait()
        return sum(
            ingestion.ingest([raw(n) for n in range(start, start + 50)], moment).stored
            for start in range(0, SOURCES, 50)
        )

    with ThreadPoolExecutor(8) as writers:
        list(writers.map(write, range(8)))
    items = stored_items(world)
    assert len(items) == SOURCES
    assert len({one["source_id"]["S"] for one in items}) == SOURCES
    assert len(announced(world)) == SOURCES
    assert len(world.stored()) == 2 * SOURCES  # and a guard each
    assert {one["state"]["S"] for one in world.stored() if "state" in one} == {"settled"}


def test_ingestion_ends_the_same_whatever_fails_on_the_way(world: World) -> None:
    def fresh() -> Any:
        world.clear_items()
        world.inbox.messages.clear()
        world.ingestion().ingest([raw(0)], MOMENT)
        return world.edge

    def work(caller: Any) -> None:
        for failure in world.ingestion(caller).ingest([raw(n) for n in range(4)], MOMENT).failures:
            raise failure

    def outcome() -> Any:
        return world.stored(), announced(world)

    assert len(survives_every_fault(work, outcome, fresh=fresh)) >= 9


def test_fifty_writers_of_two_texts_leave_one_that_is_judged_by_itself(world: World) -> None:
    """Whoever comes second publishes what was claimed, not what it was offered itself."""
    texts = ("A great success for AI, wonderful!", "A terrible failure of AI, disgusting!")
    model = Model()
    together = Barrier(50)

    def write(writer: int) -> int:
        together.wait()
        mine = raw(number, text=texts[writer % 2], source_url=f"https://example.com/{writer % 2}")
        return world.ingestion().ingest([mine], MOMENT).stored

    for number in range(10):
        world.inbox.messages.clear()
        with ThreadPoolExecutor(50) as writers:
            assert sum(writers.map(write, range(50))) == 1
        (one,) = (
            one for one in stored_items(world) if one["source_id"]["S"].endswith(f"-{number}")
        )
        text = one["text_snippet"]["S"]
        assert one["source_url"]["S"] == f"https://example.com/{texts.index(text)}"
        assert {json.loads(message)["text_for_analysis"] for message in world.inbox.messages} == {
            text
        }
    analysis = Analysis([world.items()], model)
    for message in world.inbox.messages:
        analysis.carry_out(Request.parse(message))
    (one,) = (one for one in stored_items(world) if one["status"]["S"] == "analyzed")
    assert one["sentiment"]["S"] == model.assess(one["text_snippet"]["S"]).sentiment


def test_a_request_that_is_not_taken_stops_no_other(world: World) -> None:
    world.inbox.refuses = {"twitter#tweet-1"}
    outcome = world.ingestion().ingest([raw(n) for n in range(3)], MOMENT)
    assert (outcome.stored, outcome.duplicates, len(outcome.failures)) == (3, 0, 1)
    assert announced(world) == {"twitter#tweet-0", "twitter#tweet-2"}
    world.inbox.refuses = set()
    again = world.ingestion().ingest([raw(n) for n in range(3)], LATER)
    assert (again.stored, again.duplicates, again.failures) == (0, 3, ())
    assert sorted(json.loads(one)["source_id"] for one in world.inbox.messages) == [
        f"twitter#tweet-{n}" for n in range(3)
    ]


def test_an_item_that_cannot_be_written_stops_no_other(world: World) -> None:
    failing = Faulty(world.edge, Fault(2, "refused"))
    outcome = world.ingestion(failing).ingest([raw(n) for n in range(3)], MOMENT)
    assert (outcome.stored, len(outcome.failures)) == (2, 1)
    assert len(announced(world)) == 2
    again = world.ingestion().ingest([raw(n) for n in range(3)], LATER)
    assert (again.stored, again.duplicates) == (1, 2)
    assert len(stored_items(world)) == len(announced(world)) == 3


def test_a_long_text_is_finished_as_it_was_claimed(world: World) -> None:
    crashing = Faulty(world.edge, Fault(1, "crash after"))
    first = raw(1, text="AI: " + "so good! " * 600, matched_tags=["AI"])
    with pytest.raises(Crash):
        world.ingestion(crashing).ingest([first], MOMENT)
    world.ingestion().ingest([raw(1, text="Something else about music.", metadata={})], LATER)
    (one,) = stored_items(world)
    assert one["text_snippet"]["S"].startswith("AI: so good!")
    assert one["metadata"]["M"]["username"] == {"S": "ada"}
    assert json.loads(world.inbox.messages[-1])["text_for_analysis"] == first["text"][:5000]
    assert not any("text" in one for one in world.stored())


def test_a_crash_is_finished_under_the_moment_of_the_first_claim(world: World) -> None:
    crashing = Faulty(world.edge, Fault(1, "crash after"))
    with pytest.raises(Crash):
        world.ingestion(crashing).ingest([raw(1)], MOMENT)
    assert stored_items(world) == []
    world.ingestion().ingest([raw(1)], LATER)
    (one,) = stored_items(world)
    assert one["ingested_at"] == {"S": MOMENT}
    assert json.loads(world.inbox.messages[-1])["ingested_at"] == MOMENT


UNSOUND = {
    "no object": ("text", "item must be an object"),
    "a pattern": (raw(1, source_id="twitter#tweet 1"), "source_id must be a source type, '#' and"),
    "a newline at the end": (raw(1, source_id="twitter#tweet-1\n"), "source_id must not contain"),
    "too long": (raw(1, source_id="twitter#" + "x" * 300), "source_id must have 1 to 256"),
    "another type": (raw(1, source_id="reddit#post-1"), "source_id must begin with 'twitter#'"),
    "an unknown type": (raw(1, source_type="rss"), "source_type must be one of newsapi, twitter"),
    "a number for text": (raw(1, text=5), "text must be text"),
    "plain http": (raw(1, source_url="http://example.com"), "source_url must be an HTTPS address"),
    "six tags": (raw(1, matched_tags=list("abcdef")), "matched_tags must have at most 5 entries"),
    "a long tag": (raw(1, matched_tags=["x" * 51]), "matched_tags has an entry that must have 1"),
    "a blank tag": (raw(1, matched_tags=["  "]), "matched_tags has an entry that must be text"),
    "another sentiment": (raw(1, sentiment="happy", model_version="v1.0.0"), "sentiment must be"),
    "no sentiment": (raw(1, sentiment="", model_version="v1.0.0"), "sentiment must be one of"),
    "a sentiment of no model": (raw(1, sentiment="neutral"), "model_version is required with a"),
    "a score above one": (raw(1, score=1.5), "score must lie between 0 and 1"),
    "a score in words": (raw(1, score="0.5"), "score must be a number"),
    "another version": (raw(1, model_version="1.0"), "model_version must be a version such as"),
    "a naive time": (
        raw(1, metadata={"published_at": "2025-11-16T10:00:00"}),
        "metadata has a published_at that must name its time zone, such as Z or +00:00",
    ),
    "a time that is none": (
        raw(1, metadata={"published_at": "yesterday"}),
        "metadata has a published_at that must be a time in ISO 8601",
    ),
    "metadata that is no object": (raw(1, metadata=[1]), "metadata must be an object"),
    "metadata with a float": (raw(1, metadata={"a": 0.1}), "metadata cannot hold a value of type"),
    "too much metadata": (raw(1, metadata={"a": "x" * 5000}), "metadata must have at most 4096"),
    "a field of ours": (raw(1, expires_at=1), "expires_at is not one of source_id, source_type"),
    "analyzed without one": (raw(1, status="analyzed"), "status analyzed needs a sentiment"),
}


@pytest.mark.parametrize("kind", UNSOUND)
def test_an_unsound_item_is_refused_with_its_reason_and_the_others_go_on(
    world: World, kind: str
) -> None:
    unsound, reason = UNSOUND[kind]
    outcome = world.ingestion().ingest([raw(8), unsound, raw(9)], MOMENT)
    assert (outcome.stored, outcome.duplicates) == (2, 0)
    (refused,) = outcome.rejected
    assert refused.position == 1
    assert reason in refused.reason
    assert len(stored_items(world)) == 2


def test_what_is_refused_is_parked_once_a_day_where_an_operator_sees_it(world: World) -> None:
    ingestion = world.ingestion()
    for _ in range(3):
        outcome = ingestion.ingest([raw(1, source_url="ftp://x"), "nonsense"], MOMENT)
        ingestion.put_rejected(outcome.rejected, MOMENT)
    parked = world.dashboard().rejected(None).items
    assert [(one.source, one.reason) for one in parked] == [
        ("twitter", "source_url must be an HTTPS address"),
        ("unknown", "item must be an object"),
    ]
    assert json.loads(parked[0].item)["source_url"] == "ftp://x"
    tomorrow = iso_utc(NOW.replace(day=5))
    ingestion.put_rejected(outcome.rejected, tomorrow)
    assert len(world.dashboard(now=NOW.replace(day=5)).rejected(None).items) == 2


def test_a_reason_with_characters_that_cannot_be_kept_is_parked_all_the_same(
    world: World,
) -> None:
    ingestion = world.ingestion()
    outcome = ingestion.ingest([raw(1, **{"x\x00\ud800": 1})], MOMENT)
    ingestion.put_rejected(outcome.rejected, MOMENT)
    (parked,) = world.dashboard().rejected(None).items
    assert "is not one of source_id" in parked.reason


def test_tags_of_the_sender_are_stored_as_they_are_written(world: World) -> None:
    world.ingestion().ingest([raw(1, matched_tags=["Music", "nobody's"])], MOMENT)
    (one,) = stored_items(world)
    assert one["matched_tags"] == {"SS": ["Music", "nobody's"]}


@pytest.mark.parametrize("text", [{}, {"text": None}, {"text": ""}, {"text_snippet": " \n"}])
def test_an_item_without_text_is_stored_and_analyzed_as_neutral(
    world: World, text: dict[str, Any]
) -> None:
    bare = {"source_id": "reddit#post-1", "source_type": "reddit", **text}
    assert world.ingestion().insert_item_if_new(bare, MOMENT)
    (one,) = stored_items(world)
    assert "text_snippet" not in one
    (message,) = world.inbox.messages
    assert Analysis([world.items()], Model()).carry_out(Request.parse(message))
    (one,) = stored_items(world)
    assert (one["status"], one["sentiment"]) == ({"S": "analyzed"}, {"S": "neutral"})
    assert Decimal(one["score"]["N"]) == Decimal("0.5")


FOUND = {"sentiment": "positive", "score": 0.85, "model_version": "v1.0.0"}


def test_an_item_with_a_sentiment_is_analyzed_in_a_single_pass(world: World) -> None:
    assert world.ingestion().insert_item_if_new(raw(1, **FOUND), MOMENT)
    (one,) = stored_items(world)
    assert one["status"] == {"S": "analyzed"}
    assert (one["sentiment"], one["score"]) == ({"S": "positive"}, {"N": "0.85"})
    assert one["model_version"] == {"S": "v1.0.0"}
    assert world.inbox.messages == []
    assert not world.ingestion().insert_item_if_new(raw(1, **FOUND), LATER)
    assert {one["state"]["S"] for one in world.stored() if "state" in one} == {"settled"}


def test_storing_a_single_pass_item_ends_the_same_whatever_fails_on_the_way(world: World) -> None:
    def fresh() -> Any:
        world.clear_items()
        return world.edge

    def work(caller: Any) -> None:
        world.ingestion(caller).insert_item_if_new(raw(1, **FOUND), MOMENT)

    assert len(survives_every_fault(work, world.stored, fresh=fresh)) == 4


def test_a_claim_of_an_analyzed_item_is_finished_as_it_was_claimed(world: World) -> None:
    crashing = Faulty(world.edge, Fault(1, "crash after"))
    with pytest.raises(Crash):
        world.ingestion(crashing).insert_item_if_new(raw(1, **{**FOUND, "score": 0}), MOMENT)
    world.ingestion().insert_item_if_new(raw(1), LATER)
    (one,) = stored_items(world)
    assert (one["status"]["S"], one["sentiment"]["S"], one["score"]["N"]) == (
        *("analyzed", "positive", "0"),
    )
    assert world.inbox.messages == []


def test_a_score_alone_is_a_placeholder(world: World) -> None:
    """As in the published code: the item is pending, and its analysis replaces the score."""
    placed = raw(1, score=Decimal("0.7"), model_version="v2.0.0")
    crashing = Faulty(world.edge, Fault(1, "crash after"))
    with pytest.raises(Crash):
        world.ingestion(crashing).insert_item_if_new(placed, MOMENT)
    world.ingestion().insert_item_if_new(raw(1), LATER)
    (one,) = stored_items(world)
    assert (one["status"], one["sentiment"]) == ({"S": "pending"}, {"S": "neutral"})
    assert (one["score"], one["model_version"]) == ({"N": "0.7"}, {"S": "v2.0.0"})
    assert len(world.inbox.messages) == 1


@pytest.mark.parametrize(
    ("score", "stored"),
    [(0.5, "0.5"), (0.1, "0.1"), (1, "1"), (0.0, "0"), (1e-7, "0.0000001"), (0.72, "0.72")],
)
def test_a_float_is_the_decimal_number_that_it_is_written_as(
    world: World, score: float, stored: str
) -> None:
    world.ingestion().insert_item_if_new(raw(1, **{**FOUND, "score": score}), MOMENT)
    (one,) = stored_items(world)
    assert one["score"] == {"N": stored}


@pytest.mark.parametrize(
    "published",
    [
        "2025-11-16T10:00:00Z",
        "2025-11-16T10:00:00.000000Z",
        "2025-11-16T12:00:00+02:00",
        "2025-11-16T10:00:00.000999999+00:00",
        "20251116T053000-0430",
        "2025-11-16t10:00z",
    ],
)
def test_a_time_of_publication_is_stored_in_one_form(world: World, published: str) -> None:
    world.ingestion().insert_item_if_new(raw(1, metadata={"published_at": published}), MOMENT)
    (one,) = stored_items(world)
    assert one["metadata"]["M"] == {"published_at": {"S": "2025-11-16T10:00:00.000Z"}}


def test_an_empty_address_is_as_good_as_none(world: World) -> None:
    world.ingestion().insert_item_if_new(raw(1, source_url=""), MOMENT)
    (one,) = stored_items(world)
    assert "source_url" not in one


def test_an_unsound_item_alone_is_refused(world: World) -> None:
    with pytest.raises(InvalidRecord, match="score must lie between 0 and 1"):
        world.ingestion().insert_item_if_new(raw(1, score=2), MOMENT)
    assert world.stored() == []


def test_long_text_is_cut_for_the_snippet_and_whole_for_the_analysis(world: World) -> None:
    text = "word " * 300 + "👩‍👩‍👧"
    world.ingestion().ingest([raw(1, text=text)], MOMENT)
    (one,) = stored_items(world)
    assert len(one["text_snippet"]["S"]) <= 200
    assert one["text_snippet"]["S"].endswith("word…")
    assert json.loads(world.inbox.messages[0])["text_for_analysis"] == text


def test_control_characters_become_spaces(world: World) -> None:
    world.ingestion().ingest([raw(1, text="a\x00b\r\nc\u2028d \ud800e")], MOMENT)
    (one,) = stored_items(world)
    assert one["text_snippet"]["S"] == "a b c d \ufffde"


def test_a_guard_is_no_item(world: World) -> None:
    world.ingestion().ingest([raw(1)], MOMENT)
    key = {"source_id": "twitter#tweet-1", "ingested_at": MOMENT}
    found = world.items().get(Items.get_item, key)
    assert found is not None
    assert found.metadata == {"username": "ada", "retweet_count": 3}
