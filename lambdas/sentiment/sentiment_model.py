"""The sentiment model: VADER, a lexicon with rules for English and for how people write online."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any

# The distribution's version, written down because a bundle need not carry the metadata.
MODEL_VERSION = "v3.3.2"

POSITIVE = "positive"
NEUTRAL = "neutral"
NEGATIVE = "negative"

# The thresholds that VADER's authors recommend.
_DECIDED = Decimal("0.05")
_HUNDREDTH = Decimal("0.01")
# For a text without words: nothing speaks for a label or against it.
_UNDECIDED = Decimal("0.5")

# VADER's time grows with the square of the words, and it reads an emoji as up to seven of them:
# without these, one message of emoji takes longer than a function may run.
MAX_WORDS = 1000
MAX_EMOJI = 100


@dataclass(frozen=True, slots=True)
class Assessment:
    """The mood of a text, how sure the model is of it (0.00 to 1.00), and which model says so."""

    sentiment: str
    score: Decimal
    model_version: str


class Model:
    """Assesses texts. Making one costs nothing: the lexicon is read at the first assessment.

    VADER gives a text a compound value from -1 to 1. From 0.05 upwards the text is positive,
    from -0.05 downwards negative, neutral between. The score is the confidence in that label: the
    size of the compound value for a mood, its distance from 1 for a neutral text. Without a text
    it is neutral, 0.5.

    Example::

        Model().assess("A great success!")   # positive, 0.84
    """

    version = MODEL_VERSION

    def assess(self, text: str) -> Assessment:
        if not text.strip():
            return self._assessment(NEUTRAL, _UNDECIDED)
        compound = self._compound(text)
        strength = abs(compound)
        if strength < _DECIDED:
            return self._assessment(NEUTRAL, 1 - strength)
        return self._assessment(POSITIVE if compound > 0 else NEGATIVE, strength)

    def _compound(self, text: str) -> Decimal:
        analyzer = _analyzer()
        scores = analyzer.polarity_scores(_bounded(text, analyzer.emojis))
        # The float has four decimals, and its text is exactly those.
        return Decimal(str(scores["compound"]))

    def _assessment(self, sentiment: str, confidence: Decimal) -> Assessment:
        return Assessment(sentiment, confidence.quantize(_HUNDREDTH, ROUND_HALF_UP), self.version)


@cache
def _analyzer() -> Any:
    """Once for the process: reading the lexicon takes longer than assessing many texts."""
    from vaderSentiment.vaderSentiment import (  # type: ignore[import-untyped]  # has no types
        SentimentIntensityAnalyzer,
    )

    return SentimentIntensityAnalyzer()


def _bounded(text: str, emojis: dict[str, str]) -> str:
    left = MAX_EMOJI
    kept = []
    for character in text:
        if character in emojis:
            left -= 1
            if left < 0:
                continue
        kept.append(character)
    return " ".join("".join(kept).split()[:MAX_WORDS])
