"""Topics: whatever matches is found by them."""

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from tablewright.catalog.portal.content import MAX_TAGS
from tablewright.catalog.portal.fields import folded
from tablewright.catalog.portal.subscriptions import Subscription, matches, topic, topics

Filters = st.SearchStrategy[dict[str, Any]]


def asking(product: st.SearchStrategy[Any], tags: st.SearchStrategy[Any]) -> Filters:
    optional = {"product_suite": product, "product_concept": product, "tags": tags}
    return st.fixed_dictionaries({}, optional=optional)


# Few names, so that subscriptions and content often agree.
names = st.sampled_from(["a", "b", "ab", "all", "tag", "product", "A", "ä", "👩\u200d🚀"])
filters = asking(st.sampled_from([None, ""]) | names, st.none() | st.lists(names, max_size=4))
# What people may write: no control characters, and no '#' in the name of a product.
characters = st.characters(
    exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="\U0010ffff"
)
tag = st.text(characters, min_size=1, max_size=50).filter(str.strip)
product = tag.filter(lambda text: "#" not in text)


@given(filters, filters)
@example({"product_concept": "b"}, {"product_suite": "a", "product_concept": "b"})
@example({"tags": ["b", "a"]}, {"tags": ["a", "b", "c"]})
@example({}, {})
def test_content_finds_every_subscription_that_it_matches(
    wanted: dict[str, Any], content: dict[str, Any]
) -> None:
    if matches(wanted, content):
        assert topic(wanted) in topics(content)


@given(filters, filters)
def test_a_subscription_matches_what_has_all_that_it_asks_for(
    wanted: dict[str, Any], content: dict[str, Any]
) -> None:
    def asked(of: dict[str, Any]) -> set[tuple[str, str]]:
        plain = {(name, of[name]) for name in ("product_suite", "product_concept") if of.get(name)}
        return plain | {("tag", folded(tag)) for tag in of.get("tags") or ()}

    assert matches(wanted, content) == (asked(wanted) <= asked(content))


@given(filters)
def test_everything_matches_who_asks_for_nothing(content: dict[str, Any]) -> None:
    assert matches({}, content)
    assert topic({}) in topics(content)


@given(filters)
def test_content_has_each_of_its_topics_once(content: dict[str, Any]) -> None:
    found = topics(content)
    assert len(found) == len(set(found)) <= 3 + MAX_TAGS + 1


@given(filters, filters)
def test_no_two_products_have_one_topic(one: dict[str, Any], two: dict[str, Any]) -> None:
    def product_of(of: dict[str, Any]) -> tuple[Any, ...]:
        return (of.get("product_suite") or None, of.get("product_concept") or None)

    if topic(one) == topic(two):
        assert product_of(one) == product_of(two)


@given(asking(product, st.lists(tag, max_size=3)))
def test_whatever_may_be_asked_for_has_a_topic_that_can_be_stored(wanted: dict[str, Any]) -> None:
    plain = {name: Subscription.__entity__.example[name] for name in ("user_id", "subscription_id")}
    record = {**plain, "created_at": "2025-01-26T10:04:00.000Z", **wanted}
    stored = Subscription(**{**record, "topic": topic(wanted)})
    assert stored.topic == topic(wanted)
