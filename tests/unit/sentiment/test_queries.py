"""Searches for tags are as few as their length allows."""

from itertools import pairwise
from urllib.parse import quote_plus

from hypothesis import given
from hypothesis import strategies as st

from lambdas.sentiment.sources.queries import LONGEST_QUERY, queries

# Of at most three bytes, so that fifty of them and their encoding stay within the bound.
characters = st.characters(max_codepoint=0xFFFF, exclude_categories=("Cc", "Cs", "Zl", "Zp"))
tags = st.lists(st.text(characters, min_size=1, max_size=50), max_size=50)


def test_a_few_tags_are_one_search() -> None:
    assert queries(["AI", "climate change"]) == ['"AI" OR "climate change"']


def test_no_tags_are_no_search() -> None:
    assert queries([]) == []


def test_a_tag_cannot_end_its_own_quotes() -> None:
    assert queries(['a" OR "b']) == ['"a  OR  b"']


def test_a_tag_that_is_too_long_by_itself_is_searched_for_by_itself() -> None:
    long = "🚀" * 50
    assert queries(["AI", long, "C++"]) == ['"AI"', f'"{long}"', '"C++"']


@given(tags)
def test_every_tag_is_searched_for_and_no_search_is_too_long(watch: list[str]) -> None:
    made = queries(watch)
    assert " OR ".join(made) == " OR ".join('"' + tag.replace('"', " ") + '"' for tag in watch)
    assert all(len(quote_plus(query)) <= LONGEST_QUERY for query in made)


@given(tags)
def test_no_two_neighbours_would_fit_into_one(watch: list[str]) -> None:
    made = queries(watch)
    for one, two in pairwise(made):
        first = two.split('" OR "')[0].rstrip('"') + '"'
        assert len(quote_plus(f"{one} OR {first}")) > LONGEST_QUERY
