"""No deployment takes shards away that something is in."""

import pytest

from deployment.shards import refusals


@pytest.mark.parametrize(
    ("wanted", "deployed"),
    [
        ({}, {}),
        ({"CategoryShards": "20"}, {}),
        ({"CategoryShards": "20", "EmbeddingShards": "7"}, {"CategoryShards": "20"}),
        ({"EventShards": "20"}, {"EventShards": "10"}),
    ],
)
def test_shards_may_stay_and_become_more(wanted: dict[str, str], deployed: dict[str, str]) -> None:
    assert list(refusals(wanted, deployed)) == []


def test_fewer_shards_are_refused() -> None:
    assert list(refusals({}, {"CategoryShards": "20"})) == [
        "category_shards would be 10, and what is stored is in 20 shards: lists would "
        "not show what is in the others. Set it to 20 or more."
    ]
    (said,) = refusals({}, {"EventShards": "10"})
    assert said.startswith("event_shards would be none, ")


def test_the_first_shards_of_events_are_refused_where_there_are_events() -> None:
    (said,) = refusals({"EventShards": "10"}, {})
    assert said.endswith("or choose it before the first deployment of a stage.")
