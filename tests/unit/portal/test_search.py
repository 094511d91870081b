"""What a search matches."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.portal.search.words import matches, words

CONTENT: dict[str, Any] = {
    "title": "Positioning the Data Platform",
    "summary": "Straße, naïve ﬁle and \uff14\uff12; v2.1",
    "tags": ["Warehouse", "go-to-market"],
}
TEXTS = st.text(max_size=30)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("data", True),
        ("DATA plat", True),
        ("plat data", True),
        ("ware", True),
        ("market", True),
        ("strasse", True),
        ("naïve", True),
        ("nai\u0308ve", True),
        ("file 42 v2", True),
        ("house", False),
        ("data lake", False),
        ("positioningx", False),
    ],
)
def test_every_word_begins_a_word_of_title_summary_or_tags(query: str, found: bool) -> None:
    assert matches(words(query), CONTENT) == found


@given(title=TEXTS, summary=TEXTS, tags=st.lists(TEXTS, max_size=3), data=st.data())
def test_any_beginnings_of_its_words_find_content(
    title: str, summary: str, tags: list[str], data: st.DataObject
) -> None:
    content = {"title": title, "summary": summary, "tags": tags}
    there = [word for text in (title, summary, *tags) for word in words(text)]
    chosen = data.draw(st.lists(st.sampled_from(there), max_size=4)) if there else []
    cut = [word[: data.draw(st.integers(1, len(word)))] for word in chosen]
    assert matches(cut, content)


@given(text=TEXTS, query=TEXTS)
def test_a_match_has_a_word_that_begins_so(text: str, query: str) -> None:
    asked = words(query)
    expected = all(any(w[: len(q)] == q for w in words(text)) for q in asked)
    assert matches(asked, {"title": text}) == expected


@given(text=TEXTS)
def test_forms_and_case_make_no_difference(text: str) -> None:
    once = words(text)
    assert words(" ".join(once)) == once
    assert words(unicodedata.normalize("NFD", text)) == words(unicodedata.normalize("NFC", text))
