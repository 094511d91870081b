"""The sentiment model: labels, scores and what it costs."""

import subprocess
import sys
from decimal import Decimal
from importlib.metadata import version
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lambdas.sentiment import sentiment_model as module
from lambdas.sentiment.sentiment_model import MAX_EMOJI, MAX_WORDS, Model

MODEL = Model()


@pytest.mark.parametrize(
    ("text", "sentiment"),
    [
        ("A great success, everyone is happy!", "positive"),
        ("A terrible disaster, many people died.", "negative"),
        ("The committee meets on Tuesday.", "neutral"),
        ("The service is not good.", "negative"),
        ("😀", "positive"),
        ("", "neutral"),
        ("   \n", "neutral"),
        ("会議は火曜日です", "neutral"),
    ],
)
def test_a_text_gets_the_label_that_people_would_give_it(text: str, sentiment: str) -> None:
    assert MODEL.assess(text).sentiment == sentiment


class Fixed:
    """An analyzer that finds the same compound value in every text."""

    emojis: dict[str, str] = {}  # noqa: RUF012 - never changed

    def __init__(self, compound: float) -> None:
        self.compound = compound

    def polarity_scores(self, text: str) -> dict[str, float]:
        return {"compound": self.compound}


@pytest.mark.parametrize(
    ("compound", "sentiment", "score"),
    [
        (1.0, "positive", "1.00"),
        (0.9999, "positive", "1.00"),
        (0.845, "positive", "0.85"),
        (0.8449, "positive", "0.84"),
        (0.05, "positive", "0.05"),
        (0.0499, "neutral", "0.95"),
        (0.0, "neutral", "1.00"),
        (-0.0, "neutral", "1.00"),
        (-0.0499, "neutral", "0.95"),
        (-0.05, "negative", "0.05"),
        (-0.125, "negative", "0.13"),
        (-1.0, "negative", "1.00"),
    ],
)
def test_label_and_score_follow_from_the_compound_value(
    compound: float, sentiment: str, score: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_analyzer", lambda: Fixed(compound))
    found = MODEL.assess("any text")
    assert (found.sentiment, str(found.score)) == (sentiment, score)


@given(st.text(max_size=300))
def test_any_text_has_a_score_of_two_decimals_from_nought_to_one(text: str) -> None:
    found = MODEL.assess(text)
    assert isinstance(found.score, Decimal)
    assert 0 <= found.score <= 1
    assert found.score.as_tuple().exponent == -2
    assert found == MODEL.assess(text)


def test_the_version_is_that_of_the_installed_model() -> None:
    assert MODEL.assess("any text").model_version == f"v{version('vaderSentiment')}"


def test_the_lexicon_is_read_once_and_not_before_it_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = []

    def analyzer() -> Any:
        read.append(True)
        return Fixed(0.5)

    module._analyzer.cache_clear()
    monkeypatch.setattr("vaderSentiment.vaderSentiment.SentimentIntensityAnalyzer", analyzer)
    try:
        models = [Model(), Model()]
        assert read == []
        for one in models:
            one.assess("any text")
        assert read == [True]
    finally:
        module._analyzer.cache_clear()


def test_emoji_beyond_a_bound_are_not_looked_at() -> None:
    assert MODEL.assess("😭" + "😀" * 5000) == MODEL.assess("😭" + "😀" * (MAX_EMOJI - 1))
    assert MODEL.assess("😀" * MAX_EMOJI + "😭" * 5000).sentiment == "positive"


def test_words_beyond_a_bound_are_not_looked_at() -> None:
    assert MODEL.assess("tree " * MAX_WORDS + "wonderful").sentiment == "neutral"
    assert MODEL.assess("tree " * (MAX_WORDS - 1) + "wonderful").sentiment == "positive"


def test_the_model_needs_no_package_that_the_bundle_leaves_out() -> None:
    program = (
        "import sys; sys.modules['requests'] = None\n"
        "from lambdas.sentiment.sentiment_model import Model\n"
        "print(Model().assess('great').sentiment)"
    )
    done = subprocess.run((sys.executable, "-c", program), capture_output=True, text=True)
    assert done.stdout == "positive\n", done.stderr
