"""Settings of the sources: those that they name and the secrets open."""

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from lambdas.sentiment.sources import finnhub, newsapi, reddit, tiingo, twitter
from lambdas.sentiment.sources.source import MAX_ITEMS, Source
from lambdas.sentiment.sources.web import Web

# The keys of the sources that are searched for words; these are read by default.
CREDENTIALS = {
    "newsapi": ("newsapi_api_key",),
    "twitter": ("twitter_bearer_token",),
    "reddit": ("reddit_client_id", "reddit_client_secret"),
}
# The keys of the sources that are asked for tickers; these are read only where they are named.
FINANCIAL_CREDENTIALS = {
    "tiingo": ("tiingo_token",),
    "finnhub": ("finnhub_token",),
}

_KNOWN: dict[str, tuple[str, ...]] = {**CREDENTIALS, **FINANCIAL_CREDENTIALS}

_MOST_ITEMS = 10_000


class InvalidSetting(ValueError):
    """A setting of the sources is wrong; the message says which, and what is accepted."""


class _Made(Protocol):
    def __call__(self, web: Web, key: str, /, *, url: str, max_items: int) -> Source: ...


# What is made of one key alone, and its address.
_OF_ONE_KEY: dict[str, tuple[_Made, str]] = {
    "newsapi": (newsapi.NewsApi, newsapi.URL),
    "twitter": (twitter.Twitter, twitter.URL),
    "tiingo": (tiingo.Tiingo, tiingo.URL),
    "finnhub": (finnhub.Finnhub, finnhub.URL),
}


class Found(NamedTuple):
    """The sources that can be read, and the names of those without credentials."""

    sources: list[Source]
    left_out: list[str]


@lru_cache(maxsize=1)
def open_sources(settings: str, secret: str) -> Found:
    """The sources of settings and secrets, both JSON.

    Kept while neither changes: sources remember their limits and their tokens.
    """
    try:
        secrets = json.loads(secret)
    except ValueError:
        secrets = None
    if not isinstance(secrets, dict) or not all(isinstance(one, str) for one in secrets.values()):
        raise InvalidSetting("the secret of the sources must be a JSON object of texts")
    return from_settings(json.loads(settings), secrets, Web())


def from_settings(settings: Mapping[str, Any], secrets: Mapping[str, str], web: Web) -> Found:
    """The sources that are wanted, as far as there are credentials for them.

    Settings, of which each may be left out: "sources" (a list of names, those of CREDENTIALS by
    default), "max_items" (looked at in each fetch), "newsapi_url", "twitter_url", "reddit_url",
    "reddit_auth_url", "tiingo_url", "finnhub_url", "user_agent". The secrets are those of
    CREDENTIALS and FINANCIAL_CREDENTIALS; an empty one counts as none.
    """
    max_items = _max_items(settings.get("max_items", MAX_ITEMS))
    found = Found([], [])
    for name in _wanted(settings.get("sources", list(CREDENTIALS))):
        # A secret that was pasted often ends with a line break.
        keys = [secrets.get(key, "").strip() for key in _KNOWN[name]]
        if all(keys):
            found.sources.append(_source(name, keys, settings, web, max_items))
        else:
            found.left_out.append(name)
    return found


def _source(
    name: str, keys: list[str], settings: Mapping[str, Any], web: Web, max_items: int
) -> Source:
    def address(setting: str, default: str) -> str:
        return str(settings.get(setting) or default).rstrip("/")

    if name == "reddit":
        return reddit.Reddit(
            web,
            keys[0],
            keys[1],
            url=address("reddit_url", reddit.URL),
            auth_url=address("reddit_auth_url", reddit.AUTH_URL),
            user_agent=str(settings.get("user_agent") or reddit.USER_AGENT),
            max_items=max_items,
        )
    made, default = _OF_ONE_KEY[name]
    return made(web, keys[0], url=address(f"{name}_url", default), max_items=max_items)


def _wanted(names: Any) -> list[str]:
    known = ", ".join(_KNOWN)
    if not isinstance(names, list):
        raise InvalidSetting(f"sources must be a list of names; known are {known}")
    unknown = [str(name) for name in names if name not in _KNOWN]
    if unknown:
        raise InvalidSetting(f"sources names {', '.join(unknown)}; known are {known}")
    return list(dict.fromkeys(names))


def _max_items(number: Any) -> int:
    if not (type(number) is int and 1 <= number <= _MOST_ITEMS):
        raise InvalidSetting(f"max_items must be a whole number from 1 to {_MOST_ITEMS}")
    return number
