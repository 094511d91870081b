"""Variants of the catalogue's tables keep items for as long as asked, by the same patterns."""

import pytest

from tablewright.catalog.news.design import News, NewsItem, news_table
from tablewright.catalog.portal.events import Event, Events, ShardedEvents, events_table
from tablewright.catalog.sales.design import Sale, Sales, sales_table
from tablewright.model import Entity, Table


def expiry(table: type[Table], entity: type[Entity]) -> str:
    return str(table.__design__.entities[entity.__entity__.name].expires)


@pytest.mark.parametrize(
    ("made", "entity", "told"),
    [
        (sales_table(years=7), Sale, "7 calendar years after sale_date"),
        (events_table(days=30), Event, "30 days after timestamp"),
        (events_table(shards=3, days=30), Event, "30 days after timestamp"),
        (news_table(days=14), NewsItem, "14 days after timestamp"),
    ],
)
def test_another_expiry_is_that_of_the_variant_alone(
    made: type[Table], entity: type[Entity], told: str
) -> None:
    plain = made.__mro__[1]
    assert issubclass(plain, Table)
    assert expiry(made, entity) == told
    assert expiry(plain, entity) != told
    assert made.__design__.pattern_list == plain.__design__.pattern_list


def test_what_is_as_usual_is_the_table_itself() -> None:
    assert (sales_table(), events_table(), news_table()) == (Sales, Events, News)


def test_events_keep_their_keys_whatever_their_days() -> None:
    def key(table: type[Table]) -> str:
        return table.__design__.entities["Event"].key.partition[0].text

    assert key(events_table(days=30)) == key(Events)
    assert key(events_table(days=30, shards=10)) == key(ShardedEvents)
    assert events_table(days=30).__design__.id == Events.__design__.id
