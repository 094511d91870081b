"""Watch tags, against a plain search through the text."""

import time
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.sentiment.ingestion.watch_tags import (
    MAX_LENGTH,
    MAX_MATCHES,
    MAX_TAGS,
    InvalidTag,
    Watch,
)

# Few letters, so that tags overlap, repeat and begin alike.
LETTERS = "ab# +é東"
tags = st.text(LETTERS, min_size=1, max_size=5).filter(lambda tag: tag == " ".join(tag.split()))
watches = st.lists(tags, max_size=8, unique=True)
texts = st.text(LETTERS + "\n", max_size=40)
# Anything that a person may type: no control characters, no halves of surrogate pairs.
anything = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=MAX_LENGTH)
any_tag = anything.filter(lambda tag: tag and "|" not in tag and tag == tag.strip())


def alike(tag: str) -> str:
    """What tells a tag from others: neither case nor the way that it is encoded."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", tag).casefold())
    return " ".join(folded.split())


def found_by_hand(tag: str, text: str) -> int:
    """How often a tag stands in a text as a whole word."""
    text = " ".join(text.split())

    def apart(edge: str, beside: str) -> bool:
        return edge == "東" or not beside.isalnum() or beside == "東"

    return sum(
        text.startswith(tag, at)
        and apart(tag[0], text[at - 1 : at] if at else "")
        and apart(tag[-1], text[at + len(tag) : at + len(tag) + 1])
        for at in range(len(text))
    )


@given(watches, texts)
def test_every_whole_word_is_found_the_most_frequent_first(watch: list[str], text: str) -> None:
    counts = Counter({tag: found_by_hand(tag, text) for tag in watch})
    expected = [tag for tag in sorted(watch, key=lambda t: -counts[t]) if counts[tag]]
    assert Watch(watch).match(text) == expected[:MAX_MATCHES]


@given(any_tag, anything, anything)
def test_any_tag_is_found_between_spaces_in_either_case(tag: str, left: str, right: str) -> None:
    watch = Watch([tag])
    for written in (tag, tag.casefold(), unicodedata.normalize("NFD", tag)):
        assert watch.match(f"{left} {written} {right}") == [tag]


@given(st.lists(any_tag, max_size=12, unique_by=alike), anything)
def test_no_more_than_five_tags_are_given_and_none_twice(watch: list[str], text: str) -> None:
    found = Watch(watch).match(" ".join([text, *watch]))
    assert len(found) == len(set(found)) == min(len(watch), MAX_MATCHES)
    assert set(found) <= set(watch)


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("AI", "AI-based, they say"),
        ("AI", "the ai."),
        ("AI", "AI技術の未来"),
        ("AI", "\uff21\uff29 in full width"),
        ("AI", "(AI)"),
        ("C#", "Written in C#, not Java"),
        ("C++", "c++ and more"),
        ("#climate", "Now: #Climate!"),
        ("climate", "Now: #Climate!"),
        ("déjà vu", "DE\u0301JA\u0300 VU again"),
        ("climate change", "climate\n  change"),
        ("straße", "STRASSE"),
        ("東京", "昨日東京都で"),
        ("삼성", "삼성은"),
        ("🚀", "Bitcoin🚀🚀"),
        (".NET", "on .net 9"),
    ],
)
def test_a_tag_is_found(tag: str, text: str) -> None:
    assert Watch([tag]).match(text) == [tag]


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("AI", "he said"),
        ("AI", "AIs and AI_2 and 4AI"),
        ("C#", "C and D"),
        ("C++", "C+"),
        ("#climate", "climate"),
        ("climate change", "climate, change"),
        ("@acme", "me@acme.com"),
        ("resume", "résumé"),
        ("a.c", "abc"),
        ("AI", ""),
    ],
)
def test_a_tag_is_not_found(tag: str, text: str) -> None:
    assert Watch([tag]).match(text) == []


def test_tags_that_overlap_are_all_found() -> None:
    watch = Watch(["york times", "new", "new york", "york"])
    assert watch.match("New York Times") == ["york times", "new", "new york", "york"]


def test_the_longer_of_two_names_is_not_the_shorter_one_again() -> None:
    assert Watch(["Java", "JavaScript"]).match("JavaScript") == ["JavaScript"]


def test_equal_counts_stay_in_watch_order() -> None:
    watch = Watch(["d", "c", "b", "a"])
    assert watch.match("a b c d") == ["d", "c", "b", "a"]
    assert watch.match("a b b c d a b") == ["b", "a", "d", "c"]


def test_at_most_five_are_given() -> None:
    assert Watch(list("abcdefgh")).match("h g f e d c b a h") == ["h", "a", "b", "c", "d"]


def test_nothing_watched_is_nothing_found() -> None:
    assert Watch([]).match("anything") == []


@pytest.mark.parametrize(
    ("tag", "reason"),
    [
        ("", "must have 1 to 50 characters"),
        ("x" * 51, "must have 1 to 50 characters"),
        ("a|b", "must not contain '\\|' or control characters"),
        ("a\nb", "must not contain '\\|' or control characters"),
        ("a\u2028b", "must not contain '\\|' or control characters"),
        ("a\ud800", "must not contain '\\|' or control characters"),
        (" ", "must not begin or end with a space"),
        ("AI ", "must not begin or end with a space"),
        (7, "a tag is text"),
    ],
)
def test_a_wrong_tag_is_refused_with_its_reason(tag: str, reason: str) -> None:
    with pytest.raises(InvalidTag, match=reason):
        Watch(["fine", tag])


def test_the_same_tag_in_another_case_is_refused() -> None:
    with pytest.raises(InvalidTag, match="'ai' is the same tag as 'AI'"):
        Watch(["AI", "ai"])


def test_fifty_tags_are_watched_and_no_more() -> None:
    many = [f"tag{n}" for n in range(MAX_TAGS + 1)]
    assert Watch(many[:MAX_TAGS]).match("tag49") == ["tag49"]
    with pytest.raises(InvalidTag, match="51 tags are too many: watch at most 50"):
        Watch(many)


@pytest.mark.thorough
def test_the_time_grows_with_the_text_and_not_with_its_square() -> None:
    # Every position begins like all the tags, and none of them is there.
    watch = Watch([("a " * 24)[: 2 * n] + "b" for n in range(1, 24)])

    def seconds(length: int) -> float:
        text = "a " * (length // 2)
        taken = []
        for _ in range(3):
            began = time.process_time()
            assert watch.match(text) == []
            taken.append(time.process_time() - began)
        return min(taken)

    assert seconds(80_000) < 40 * seconds(8_000)  # ten times as long; its square, a hundred
